/* SPDX-License-Identifier: MIT */
/*
 * Decoding of instructions by a list of their spellings, and loops that execute an instruction for
 * the lanes of a warp.
 */
#ifndef _PTX_CODE_ALU_FORMS_H_
#define _PTX_CODE_ALU_FORMS_H_

#include "code/decoder.h"
#include "vsm_syntax.h"

/* In a form, instead of a type: a number from 0 to 255, which becomes &ptx_step.imm. */
#define PTX_FORM_IMM	((uint8_t)TYPES)

/* In a form, instead of a type: a register of the type .b32 or .f16x2, and no number. */
#define PTX_FORM_X2	((uint8_t)(TYPES + 1))
/* In a form, instead of a type: .u32; a number is from 0 to 255. */
#define PTX_FORM_BYTE	((uint8_t)(TYPES + 2))

/**
 * struct ptx_alu_form - A spelling of an instruction, and what executes it
 * @modifiers: The opcode after the name of its group: ".sat.s32"
 * @alu: Function that executes it
 * @dst: Type of the destination, or PTX_FORM_X2
 * @src: Types of the sources, or one of PTX_FORM_...; TYPE_NONE behind the last one
 * @pair: The destination is d|p: a register or _, and a predicate or _
 */
struct ptx_alu_form {
	const char *modifiers;
	ptx_alu_fn *alu;
	uint8_t dst;
	uint8_t src[6];
	bool pair;
};

/**
 * struct ptx_alu_group - The forms of an instruction
 * @name: Begin of the opcode: "add", "cvt.pack"
 * @forms: The forms
 * @count: Number of forms
 * @floats: Another file executes the forms that end with a type of floats
 * @carry: Another file executes the forms that have the modifier .cc
 */
struct ptx_alu_group {
	const char *name;
	const struct ptx_alu_form *forms;
	unsigned int count;
	bool floats;
	bool carry;
};

/* A group, from the array of its forms; further members may follow. */
#define PTX_GROUP(name_, forms_, ...) \
	{ .name = (name_), .forms = (forms_), .count = ARRAY_SIZE(forms_), ##__VA_ARGS__ }

/* Decodes an instruction that has one of the forms; refuses other forms of an opcode. */
enum ptx_decoded ptx_alu_decode_forms(const struct ptx_alu_group *groups, unsigned int count,
				      struct ptx_decoder *d, const struct ptx_insn *insn,
				      struct ptx_step *step);

/* A loop over rows has no dependences between lanes: two rows are equal, or they do not overlap. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* some loops cannot be vectorised */
#define PTX_VECTORISE	_Pragma("clang loop vectorize(assume_safety)")
#else
#define PTX_VECTORISE	_Pragma("GCC ivdep")
#endif

/* Executes the statement for each lane @i in the mask. A whole warp is a loop without branches. */
#define PTX_FOR_LANES(mask, i, statement) \
	do { \
		if ((mask) == ~0u) { \
			PTX_VECTORISE \
			for (unsigned int i = 0; i < PTX_LANES; i++) { \
				statement; \
			} \
		} else { \
			for (uint32_t left_ = (mask); left_; left_ &= left_ - 1) { \
				unsigned int i = (unsigned int)__builtin_ctz(left_); \
				statement; \
			} \
		} \
	} while (0)

/*
 * Functions of loops over a warp are compiled twice: for every processor, and for those with AVX2,
 * whose vectors are twice as long. The dynamic linker chooses.
 */
#if defined(__x86_64__) && defined(__GLIBC__)
#define PTX_CLONES	__attribute__((target_clones("avx2", "default")))
#else
#define PTX_CLONES	__attribute__((unused))
#endif

/* Define a function that executes a step with one to four sources, which are x, y, z and w. */
#define PTX_ALU_1(name, expression) \
	PTX_CLONES static void name(const struct ptx_step *step, struct ptx_regs *regs, \
				    uint32_t mask) \
	{ \
		uint64_t *d_ = ptx_row(regs, step->dst); \
		const uint64_t *x_ = ptx_row(regs, step->src[0]); \
		\
		PTX_FOR_LANES(mask, i, \
			const uint64_t x = x_[i]; \
			d_[i] = (expression)); \
	}

#define PTX_ALU_2(name, expression) \
	PTX_CLONES static void name(const struct ptx_step *step, struct ptx_regs *regs, \
				    uint32_t mask) \
	{ \
		uint64_t *d_ = ptx_row(regs, step->dst); \
		const uint64_t *x_ = ptx_row(regs, step->src[0]); \
		const uint64_t *y_ = ptx_row(regs, step->src[1]); \
		\
		PTX_FOR_LANES(mask, i, \
			const uint64_t x = x_[i]; \
			const uint64_t y = y_[i]; \
			d_[i] = (expression)); \
	}

#define PTX_ALU_3(name, expression) \
	PTX_CLONES static void name(const struct ptx_step *step, struct ptx_regs *regs, \
				    uint32_t mask) \
	{ \
		uint64_t *d_ = ptx_row(regs, step->dst); \
		const uint64_t *x_ = ptx_row(regs, step->src[0]); \
		const uint64_t *y_ = ptx_row(regs, step->src[1]); \
		const uint64_t *z_ = ptx_row(regs, step->src[2]); \
		\
		PTX_FOR_LANES(mask, i, \
			const uint64_t x = x_[i]; \
			const uint64_t y = y_[i]; \
			const uint64_t z = z_[i]; \
			d_[i] = (expression)); \
	}

#define PTX_ALU_4(name, expression) \
	PTX_CLONES static void name(const struct ptx_step *step, struct ptx_regs *regs, \
				    uint32_t mask) \
	{ \
		uint64_t *d_ = ptx_row(regs, step->dst); \
		const uint64_t *x_ = ptx_row(regs, step->src[0]); \
		const uint64_t *y_ = ptx_row(regs, step->src[1]); \
		const uint64_t *z_ = ptx_row(regs, step->src[2]); \
		const uint64_t *w_ = ptx_row(regs, step->src[3]); \
		\
		PTX_FOR_LANES(mask, i, \
			const uint64_t x = x_[i]; \
			const uint64_t y = y_[i]; \
			const uint64_t z = z_[i]; \
			const uint64_t w = w_[i]; \
			d_[i] = (expression)); \
	}

#endif
