/* SPDX-License-Identifier: MIT */
/*
 * The table of all instructions that exist, one row for each line of PTX's syntax, and functions
 * that ask the core about an instruction.
 */
#ifndef VSM_UNIT_FORMS_H
#define VSM_UNIT_FORMS_H

#include <vsm_core.h>

#include "unit.h"

#define FIRST_OP	OP(MBARRIER_INIT)

/* Each instruction is executed by this CTA of a cluster of 4. */
#define CTA	1
#define LOCAL	AT(CTA, 0x80)
#define REMOTE	AT(3, 0x80)

/* Which operand structure of &struct drm_vsm_insn an operation uses. */
enum kind {
	KIND_MBARRIER,
	KIND_GROUP,		/* &drm_vsm_insn.u.mbarrier, but no mbarrier */
	KIND_COPY,
	KIND_TENSOR,
	KIND_STORE,
	KIND_WARP,
	KIND_BARRIER,
	KIND_NONE,
	KINDS,
};

/* Operands that a form takes. */
#define O_ADDR		(1 << 0)	/* an address in a window */
#define O_COUNT		(1 << 1)
#define O_TX		(1 << 2)
#define O_PARITY	(1 << 3)
#define O_HINT		(1 << 4)
#define O_STATE		(1 << 5)
#define O_MBAR		(1 << 6)
#define O_BUFFER	(1 << 7)
#define O_SRC		(1 << 8)	/* source address, in the executing CTA's window */
#define O_SRC_SIZE	(1 << 9)
#define O_MASK		(1 << 10)
#define O_OFFSETS	(1 << 11)
#define O_A		(1 << 12)	/* a value */
#define O_BC		(1 << 13)
#define O_PRED		(1 << 14)
#define O_ALL		(1 << 15)	/* an operand that all forms of the kind take */

/* The values of &drm_vsm_insn.red that a form takes. */
enum red {
	RED_NONE,		/* 0 */
	RED_GLOBAL,		/* operation and type of a reduction in a buffer */
	RED_SHARED,		/* operation and type of a reduction in a window */
	RED_ASYNC,		/* operation and type of red.async */
	RED_DIMS,		/* dimensions */
	RED_OP_DIMS,		/* operation and dimensions */
	RED_MATCH,
	RED_VOTE,
	RED_SHFL,
	RED_REDUX,
	RED_BARRIER,
};

/* The combinations of .sem and .scope that a form takes. */
enum order {
	ORDER_NONE,		/* none */
	ORDER_ARRIVE,		/* { .release, .relaxed } x { .cta, .cluster } */
	ORDER_NOCOMPLETE,	/* .release.cta */
	ORDER_TX,		/* .relaxed x { .cta, .cluster } */
	ORDER_WAIT,		/* { .acquire, .relaxed } x { .cta, .cluster } */
	ORDER_CLUSTER_ARRIVE,	/* { .release, .relaxed } without a scope */
	ORDER_CLUSTER_WAIT,	/* .acquire without a scope */
};

#define F_REMOTE	(1 << 0)	/* the address may be in another CTA's window */
#define F_JOB		(1 << 1)	/* a job may contain the instruction */

/* A line of PTX's syntax */
struct form {
	const char *ptx;	/* the line itself */
	__u16 op;		/* operation */
	__u16 mods;		/* mask of its modifiers, DRM_VSM_MOD_* */
	enum kind kind;		/* kind of its operands */
	int operands;		/* mask of the operands that it takes, O_* */
	enum red red;		/* which reductions, modes or dimensions it takes */
	enum order order;	/* which combinations of .sem and .scope it takes */
	int flags;		/* mask of F_* */
	int sm;			/* the first target that has it, 80 or 90 */
};

/* All forms except those of fence and fence.mbarrier_init. A row with op 0 ends the table. */
extern const struct form forms[];

#define for_each_form(f) for (f = forms; f->op; f++)

/* Returns the form of an operation with these modifiers, or NULL if there is none. */
const struct form *form_find(__u16 op, __u16 mods);

/* Returns a legal instruction of the form. */
struct drm_vsm_insn form_insn(const struct form *f);

/* Does the form take this value of &drm_vsm_insn.red? */
bool form_takes_red(const struct form *f, __u8 red);

static inline int form_first_dims(const struct form *f)
{
	return f->mods & MOD(IM2COL) ? 3 : 1;
}

/* Return the place of an operand in the instruction. Its form must take that operand. */
static inline __u32 *form_addr(const struct form *f, struct drm_vsm_insn *insn)
{
	return f->kind == KIND_MBARRIER ? &insn->u.mbarrier.addr :
	       f->kind == KIND_COPY ? &insn->u.copy.addr :
	       f->kind == KIND_TENSOR ? &insn->u.tensor.addr : &insn->u.store.addr;
}

static inline __u32 *form_mbar(const struct form *f, struct drm_vsm_insn *insn)
{
	return f->kind == KIND_COPY ? &insn->u.copy.mbar :
	       f->kind == KIND_TENSOR ? &insn->u.tensor.mbar : &insn->u.store.mbar;
}

static inline __u16 *form_mask(const struct form *f, struct drm_vsm_insn *insn)
{
	return f->kind == KIND_COPY ? &insn->u.copy.mask : &insn->u.tensor.mask;
}

/* The address operand must be a multiple of this number of bytes. */
static inline __u32 form_alignment(const struct form *f, const struct drm_vsm_insn *insn)
{
	return f->kind == KIND_MBARRIER ? 8 : f->kind == KIND_TENSOR ? 128 :
	       f->kind == KIND_STORE ? insn->u.store.size : 16;
}

/* Returns the verdict of vsm_insn_check(): 0, a negative errno, or a fault code. */
int check_in(const struct vsm_geometry *geo, const struct drm_vsm_insn *insn);

static inline int check_on(int sm, const struct drm_vsm_insn *insn)
{
	struct vsm_geometry geo = unit_geometry(sm, true);

	return check_in(&geo, insn);
}

static inline int check(const struct drm_vsm_insn *insn)
{
	return check_on(90, insn);
}

#define expect(name, seen, wanted) do {							\
	int seen_ = (seen), wanted_ = (wanted);						\
	if (seen_ != wanted_)								\
		fail_msg("%s: %d, not %d", name, seen_, wanted_);			\
} while (0)

/*
 * Checks the verdict on an instruction of the form, on both targets and in both policies. On sm_90
 * it must be @wanted. On sm_80 it must be EOPNOTSUPP if sm_80 lacks the form or a qualifier, unless
 * @wanted is EINVAL.
 */
void expect_everywhere(const struct form *f, const struct drm_vsm_insn *insn, int wanted);

#endif
