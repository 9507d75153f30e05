/* SPDX-License-Identifier: MIT */
/*
 * The instructions of scenarios: PTX's spelling, taken apart.
 */
#ifndef _VSM_PTX_H_
#define _VSM_PTX_H_

#include <stdbool.h>
#include <stdint.h>
#include <vsm.h>

#include "text/lex.h"

/* Groups of qualifiers, of which one stands in an instruction, in PTX's order. */
enum ptx_group {
	PTX_SEM,
	PTX_SCOPE,
	PTX_SPACE,
	PTX_MODE,
	PTX_COMPLETION,
	PTX_MULTICAST,
	PTX_NEWER,	/* what silicon later than the device's has */
	PTX_CACHE_HINT,
	PTX_CP_MASK,
	PTX_PREFETCH,
	PTX_VECTOR,	/* its value is the number of elements */
	PTX_REDUCTION,	/* &enum drm_vsm_red */
	PTX_NOFTZ,
	PTX_ALIGNED,
	PTX_TYPE,
	PTX_GROUPS,
};

/* Qualifiers that vsm_drm.h has are numbered as there, those it lacks above. */
#define PTX_BEYOND	8

enum {
	/* PTX_SEM; 1 to 5 are &enum drm_vsm_sem */
	PTX_SEM_WEAK = PTX_BEYOND,
	PTX_SEM_VOLATILE,
	/* PTX_SPACE; 1 and 2 are &enum drm_vsm_space */
	PTX_SPACE_GLOBAL = PTX_BEYOND,
	PTX_SPACE_LOCAL,
	PTX_SPACE_CONST,
	PTX_SPACE_PARAM,
	/* PTX_MODE */
	PTX_MODE_TILE = 0,
	PTX_MODE_IM2COL,
	PTX_MODE_IM2COL_NO_OFFS,
	/* PTX_COMPLETION */
	PTX_COMPLETION_MBARRIER = 0,
	PTX_COMPLETION_GROUP,
	/* PTX_NEWER */
	PTX_NEWER_LOAD = 0,
	PTX_NEWER_STORE,
	PTX_NEWER_GROUP,
	/* PTX_TYPE: the width is 8 << (type & 3), signed ones begin at PTX_S8 */
	PTX_B8 = 0,
	PTX_B16,
	PTX_B32,
	PTX_B64,
	PTX_U8,
	PTX_U16,
	PTX_U32,
	PTX_U64,
	PTX_S8,
	PTX_S16,
	PTX_S32,
	PTX_S64,
	PTX_PRED,
	PTX_F16,
	PTX_F32,
	PTX_F64,
	PTX_B128,
	PTX_BF16,
};

static inline unsigned int ptx_type_bits(unsigned int type)
{
	return type == PTX_PRED ? 1 : 8 << (type & 3);
}

/* Each of im2colOffsets: those of a tensor with so many dimensions have 16 bits in all. */
static inline unsigned int ptx_offset_bits(unsigned int dims)
{
	return 16 / (dims - 2);
}

/* How an instruction is carried out. */
enum ptx_action {
	PTX_EXEC,	/* by the device, as the thread runs */
	PTX_ISSUE,	/* by the device, later */
	PTX_MOV,
	PTX_ADD,
	PTX_MAPA,
	PTX_LD,		/* through the mapping */
	PTX_ST,
	PTX_LACKING,	/* PTX has it, the device does not */
};

/* What an operand is. */
enum ptx_role {
	PTX_NOTHING,
	/* destinations */
	PTX_STATE_OUT,
	PTX_COMPLETE_OUT,
	PTX_COUNT_OUT,
	PTX_VALUE_OUT,
	PTX_MASK_OUT,
	PTX_PRED_OUT,
	/* two of them: PTX_MASK_OUT, or _, and PTX_PRED_OUT */
	PTX_MATCH_OUT,
	PTX_ELECT_OUT,
	PTX_SHFL_OUT,
	/* addresses */
	PTX_SHARED,
	PTX_SOURCE,	/* in the own window, where the destination is in any */
	PTX_MBAR,
	PTX_GLOBAL,
	PTX_MEMORY,
	/* a tensor map and coordinates in it */
	PTX_TENSOR,
	PTX_MAP,
	PTX_COORD,
	/* values */
	PTX_COUNT,
	PTX_TX_COUNT,
	PTX_STATE,
	PTX_PARITY,
	PTX_HINT,
	PTX_SIZE,
	PTX_CP_SIZE,
	PTX_SRC_SIZE,
	PTX_POLICY,
	PTX_VALUE,
	PTX_RANK,
	PTX_IN_FLIGHT,
	PTX_CTA_MASK,
	PTX_BYTE_MASK,
	PTX_OFFSET,	/* the elements of im2colOffsets */
	PTX_MEMBERMASK,
	PTX_LANE,
	PTX_CLAMP,
	PTX_VOTE,
	PTX_BARRIER,
	PTX_THREADS,	/* stands before PTX_PREDICATE */
	PTX_PREDICATE,
};

/* Special registers, which mov reads. */
enum ptx_special {
	PTX_LANEID,
	PTX_TID,
	PTX_CTARANK,
};

/* Operands as they are written, and with the elements of their vectors one by one. */
#define PTX_OPERANDS 6
#define PTX_ELEMENTS 13

/**
 * struct ptx_op - A form of an operation: what PTX's syntax allows
 * @name: Its name, with the qualifiers that make the form
 * @syntax: How PTX goes on after the name
 * @action: How it is carried out
 * @op: &enum drm_vsm_op
 * @mods: Mask of &enum drm_vsm_mod that the form has
 * @space: &enum drm_vsm_space that the name says
 * @dims: Dimensions of a tensor copy, else 0
 * @mode: &enum drm_vsm_mode, or 0
 * @quals: Qualifiers allowed, a mask for each group
 * @required: Mask of the groups that must be there
 * @types: Types that each reduction takes, masks by &enum drm_vsm_red
 * @roles: Operands in order
 * @needs: Operands that must be there. Of those behind them qualifiers ask for some;
 *	another may be left out
 */
struct ptx_op {
	const char *name;
	const char *syntax;
	enum ptx_action action;
	uint16_t op;
	uint16_t mods;
	uint8_t space;
	uint8_t dims;
	uint8_t mode;
	uint32_t quals[PTX_GROUPS];
	uint16_t required;
	const uint32_t *types;
	uint8_t roles[PTX_OPERANDS];
	uint8_t needs;
};

/**
 * struct operand - An operand of an instruction
 * @kind: What it is
 * @role: &enum ptx_role
 * @own: The number is an offset in the executing CTA's window
 * @inverted: ! stands before the predicate
 * @bits: Width of the register, 1 of a predicate (not of an address)
 * @reg: Register of a register or an address, -1 if there is none
 * @buffer: Buffer of an address, -1 if it is in shared memory
 * @map: Tensor map
 * @number: Number; what an address adds to its register and buffer; &enum ptx_special
 */
struct operand {
	enum {
		OPERAND_NONE,
		OPERAND_SINK,
		OPERAND_NUMBER,
		OPERAND_REGISTER,
		OPERAND_ADDRESS,
		OPERAND_MAP,
		OPERAND_SPECIAL,
	} kind;
	uint8_t role;
	bool own;
	bool inverted;
	uint8_t bits;
	int reg;
	int buffer;
	int map;
	uint64_t number;
};

/**
 * struct instruction - An instruction of a scenario
 * @op: Its form
 * @mods: Mask of &enum drm_vsm_mod
 * @quals: The qualifier of each group
 * @given: Mask of the groups that were given
 * @operands: Operands in order, each element of a vector as one
 * @count: Number of them
 */
struct instruction {
	const struct ptx_op *op;
	uint16_t mods;
	uint8_t quals[PTX_GROUPS];
	uint16_t given;
	struct operand operands[PTX_ELEMENTS];
	unsigned int count;
};

/**
 * struct ptx_names - Who knows the names in operands
 * @parser: First argument of the functions
 * @read: Index of a register that the thread reads; -1 and an error if it has none
 * @write: Index of a register that the thread writes
 * @buffer: Index of a buffer; -1 and an error if there is none
 * @map: Index of a tensor map; -1 and an error if there is none
 */
struct ptx_names {
	void *parser;
	int (*read)(void *parser, struct cursor *c, struct span name);
	int (*write)(void *parser, struct cursor *c, struct span name);
	int (*buffer)(void *parser, struct cursor *c, struct span name);
	int (*map)(void *parser, struct cursor *c, struct span name);
};

/**
 * struct ptx_order - A .sem or .scope that PTX does not have there
 * @where: Where it stands; NULL if all is well
 * @message: What is wrong with it
 *
 * The device has a name for this misuse, so a scenario may ask for it.
 */
struct ptx_order {
	const char *where;
	char message[160];
};

/* The forms of all operations. */
extern const struct ptx_op ptx_ops[];
extern const unsigned int ptx_op_count;

/* ptx.c: what the opcode says */
bool ptx_parse_opcode(struct cursor *c, struct instruction *insn, struct ptx_order *order);

/* operand.c: what the operands are */
bool ptx_parse_operands(struct cursor *c, struct instruction *insn,
			const struct ptx_names *names);
/* A register's name, behind its %; 1, 32 or 64 bits by that name. */
bool ptx_parse_register(struct cursor *c, struct span *name, unsigned int *bits);

#endif
