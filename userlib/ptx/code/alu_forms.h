/* SPDX-License-Identifier: MIT */
/*
 * Decoding of instructions by a list of their spellings, and loops that execute an instruction for
 * the lanes of a warp.
 */
#ifndef _CODE_ALU_FORMS_H_
#define _CODE_ALU_FORMS_H_

#include "code/decoder.h"
#include "code/float_bits.h"
#include "vsm_syntax.h"

/* --- spellings ------------------------------------------------------------ */

/* In a form, instead of a type: a number from 0 to 255, which becomes &ptx_step.imm. */
#define PTX_FORM_IMM	((uint8_t)TYPES)

/* In a form, instead of a type: a register of the type .b32 or .f16x2, and no number. */
#define PTX_FORM_X2	((uint8_t)(TYPES + 1))
/* In a form, instead of a type: .u32; a number is from 0 to 255. */
#define PTX_FORM_BYTE	((uint8_t)(TYPES + 2))

/* A spelling of an instruction, and what executes it */
struct ptx_alu_form {
	const char *modifiers;	/* the opcode after the name of its group: ".sat.s32" */
	ptx_alu_fn *alu;	/* function that executes it */
	uint8_t dst;		/* type of the destination, or PTX_FORM_X2 */
	/* Types of the sources, or one of PTX_FORM_...; TYPE_NONE behind the last one */
	uint8_t src[6];
	bool pair;		/* the destination is d|p: a register or _, and a predicate or _ */
};

/* The forms of an instruction */
struct ptx_alu_group {
	const char *name;	/* begin of the opcode: "add", "cvt.pack" */
	const struct ptx_alu_form *forms;
	unsigned int count;	/* number of forms */
	bool floats;		/* another file executes the forms that end with a type of floats */
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

/* --- modifiers of floats -------------------------------------------------- */

/* Modifiers, in the order in which PTX writes them. */
#define MOD_RN		(1u << 0)
#define MOD_RZ		(1u << 1)
#define MOD_RM		(1u << 2)
#define MOD_RP		(1u << 3)
#define MOD_RNA		(1u << 4)
#define MOD_RNI		(1u << 5)
#define MOD_RZI		(1u << 6)
#define MOD_RMI		(1u << 7)
#define MOD_RPI		(1u << 8)
#define MOD_APPROX	(1u << 9)
#define MOD_FULL	(1u << 10)
#define MOD_FTZ		(1u << 11)
#define MOD_OOB		(1u << 12)
#define MOD_NAN		(1u << 13)
#define MOD_XORSIGN	(1u << 14)
#define MOD_ABS		(1u << 15)
#define MOD_SAT		(1u << 16)
#define MOD_RELU	(1u << 17)
#define MOD_SATFINITE	(1u << 18)

#define MOD_RND		(MOD_RN | MOD_RZ | MOD_RM | MOD_RP)
#define MOD_IRND	(MOD_RNI | MOD_RZI | MOD_RMI | MOD_RPI)

/* A set of types is a mask of these bits. */
#define TYPE_BIT(type)	(1u << (type))

/* The type that a part of the opcode names; TYPE_NONE if it names none. */
enum ptx_type ptx_form_type(const struct ptx_insn *insn, unsigned int part);

/*
 * Read the parts @first to @last - 1 of the opcode as modifiers. Adds an error and returns false
 * if there is one that is not in @takes, if one is there twice, or if @needs is not 0 and none of
 * it is there. All rounding modes, .approx and .full exclude each other.
 */
bool ptx_form_modifiers(struct ptx_decoder *d, const struct ptx_insn *insn, unsigned int first,
			unsigned int last, uint32_t takes, uint32_t needs, uint32_t *modifiers);

/* Adds an error that says which types the opcode takes. Always returns REFUSED. */
enum ptx_decoded ptx_form_refuse_type(struct ptx_decoder *d, const struct ptx_insn *insn,
				      uint32_t types);

/* Adds an error and returns false if the instruction does not have @count operands. */
bool ptx_form_operands(struct ptx_decoder *d, const struct ptx_insn *insn, unsigned int count);

/* The rounding mode that the modifiers name; to nearest if they name none. */
enum ptx_round ptx_form_round(uint32_t modifiers);

#endif
