/* SPDX-License-Identifier: MIT */
/* Instructions that a test builds by hand, and a warp that executes them. */
#ifndef _PTX_TESTS_ALU_BUILD_H_
#define _PTX_TESTS_ALU_BUILD_H_

#include <stdlib.h>
#include <string.h>

#include "code/alu.h"
#include "code/decoder.h"

#define BUILD_REGS	16
#define BUILD_OPERANDS	6

/* The row of FILE_WARP that has the first address in shared memory. */
#define BUILD_ADDRESS_ROW	PTX_SPECIAL_ROWS
/* Number of these rows: each operand and each element of a vector may be a different address. */
#define BUILD_ADDRESSES		(2 * BUILD_OPERANDS)

/* A function with one instruction, and a warp */
struct build {
	/* Registers of the function; a test sets the types */
	struct ptx_register regs[BUILD_REGS];
	uint32_t slots[BUILD_REGS];			/* row or predicate of each register */
	struct ptx_function function;
	struct ptx_module module;
	struct ptx_messages messages;
	struct ptx_program program;
	struct ptx_body body;
	struct ptx_builder builder;	/* the program that the function would belong to */
	struct ptx_decoder *decoder;			/* its state while it decodes */
	struct ptx_operand operands[BUILD_OPERANDS];	/* operands of the instruction */
	struct ptx_operand elements[BUILD_OPERANDS];
	struct ptx_insn insn;
	struct ptx_step step;
	uint64_t rows[BUILD_REGS * PTX_LANES];		/* rows of FILE_FRAME */
	/* Rows of FILE_WARP */
	uint64_t special[(BUILD_ADDRESS_ROW + BUILD_ADDRESSES) * PTX_LANES];
	uint32_t preds[BUILD_REGS];			/* predicates of the warp */
	uint32_t carry;
};

static inline void build_init(struct build *b)
{
	memset(b, 0, sizeof(*b));
	for (unsigned int i = 0; i < BUILD_REGS; i++) {
		b->regs[i].name = "%r";
		b->slots[i] = i;
	}
	b->function.name = "kernel";
	b->function.regs = b->regs;
	b->function.reg_count = BUILD_REGS;
	b->module.path = "test.ptx";
	b->module.target = 90;
	b->builder.program = &b->program;
	b->builder.body = &b->body;
	b->decoder = &b->builder.d;
	b->decoder->function = &b->function;
	b->decoder->module = &b->module;
	b->decoder->slots = b->slots;
	b->decoder->messages = &b->messages;
	b->insn.operands = b->operands;
	b->insn.guard = -1;
	b->insn.place.line = 12;
	b->insn.place.column = 3;
}

/* Forgets the messages of earlier instructions. */
static inline void build_forget(struct build *b)
{
	free(b->messages.text);
	memset(&b->messages, 0, sizeof(b->messages));
}

static inline void build_free(struct build *b)
{
	build_forget(b);
	free(b->decoder->consts);
	b->decoder->consts = NULL;
	ptx_offsets_clear(&b->builder.shared_offsets);
	free(b->program.shared_rows);
	b->program.shared_rows = NULL;
	b->program.shared_row_count = 0;
}

/* Set-up and teardown of tests whose state is a build. */
static inline int build_setup(void **state)
{
	static struct build b;

	build_init(&b);
	*state = &b;
	return 0;
}

static inline int build_teardown(void **state)
{
	build_free(*state);
	return 0;
}

/* Sets the opcode; removes all operands. */
static inline void build_opcode(struct build *b, const char *opcode)
{
	struct ptx_insn *insn = &b->insn;
	const char *part = opcode;

	insn->opcode.text = opcode;
	insn->opcode.length = (unsigned int)strlen(opcode);
	insn->part_count = 0;
	while (part && insn->part_count < PTX_PARTS) {
		const char *dot = strchr(part, '.');

		insn->parts[insn->part_count].text = part;
		insn->parts[insn->part_count++].length =
			(unsigned int)(dot ? (size_t)(dot - part) : strlen(part));
		part = dot ? dot + 1 : NULL;
	}
	insn->operand_count = 0;
	memset(b->operands, 0, sizeof(b->operands));
}

static inline struct ptx_operand operand_reg(int reg)
{
	return (struct ptx_operand){ .kind = OPERAND_REG, .reg = reg, .component = -1 };
}

static inline struct ptx_operand operand_int(int64_t number)
{
	return (struct ptx_operand){ .kind = OPERAND_INT, .number = number };
}

/* Adds an operand. */
static inline void build_operand(struct build *b, struct ptx_operand operand)
{
	b->operands[b->insn.operand_count++] = operand;
}

/* Adds a register of a type. */
static inline void build_reg(struct build *b, int reg, enum ptx_type type)
{
	b->regs[reg].type = type;
	/* A row has a number with the file in its highest bits; a predicate has only an index. */
	b->slots[reg] = PTX_ROW(FILE_FRAME, (uint32_t)reg);
	build_operand(b, operand_reg(reg));
}

static inline enum ptx_decoded build_decode(struct build *b)
{
	b->step = (struct ptx_step){
		.guard = -1, .dst = PTX_NO_ROW, .dst2 = PTX_NO_ROW,
		.src = { PTX_NO_ROW, PTX_NO_ROW, PTX_NO_ROW, PTX_NO_ROW }, .insn = &b->insn,
	};
	return ptx_alu_decode(b->decoder, &b->insn, &b->step);
}

static inline void assert_decoded(struct build *b)
{
	if (build_decode(b) != DECODED)
		fail_msg("%.*s: %s", (int)b->insn.opcode.length, b->insn.opcode.text,
			 b->messages.text ? b->messages.text : "not known");
}

/* The instruction is refused with one message that contains the text. */
static inline void assert_refused(struct build *b, const char *text)
{
	assert_int_equal(build_decode(b), REFUSED);
	assert_int_equal(b->messages.count, 1);
	if (!strstr(b->messages.text, text))
		fail_msg("\"%s\" is not in: %s", text, b->messages.text);
	assert_non_null(strstr(b->messages.text, "test.ptx:12:3: "));
	build_forget(b);
}

static inline void build_execute(struct build *b, uint32_t mask)
{
	struct ptx_regs regs = {
		.rows = { b->rows, b->decoder->consts, b->special },
		.preds = b->preds,
		.carry = b->carry,
	};

	b->step.alu(&b->step, &regs, mask);
	b->carry = regs.carry;
}

#endif
