// SPDX-License-Identifier: MIT
/*
 * Which instructions exist at which threads meet, and exit: PTX's syntax lines, one row each,
 * against every modifier mask, qualifier, mode and operand.
 */
#include <vsm_rendezvous.h>

#include "forms.h"

/* Which operands an operation has. */
enum kind {
	KIND_WARP,
	KIND_BARRIER,
	KIND_NONE,
	KINDS,
};

/* Operands that not all of a kind take. */
#define O_A		(1 << 0)	/* a value */
#define O_BC		(1 << 1)
#define O_COUNT		(1 << 2)
#define O_PRED		(1 << 3)
#define O_ALL		(1 << 4)	/* what all of the kind take */

/* .sem that a form takes, as a mask; a .scope none does. */
#define NO_SEM		0
#define ARRIVE_SEMS	(1 << DRM_VSM_SEM_RELEASE | 1 << DRM_VSM_SEM_RELAXED)
#define WAIT_SEMS	(1 << DRM_VSM_SEM_ACQUIRE)

/**
 * struct form - A line of syntax
 * @ptx: It
 * @op: Operation
 * @mods: Modifiers
 * @kind: Whose operands it has
 * @operands: Those of them that it takes
 * @reds: All values of &drm_vsm_insn.red, to the first 0
 * @sems: .sem
 * @sm: Where it exists
 */
struct form {
	const char *ptx;
	__u16 op;
	__u16 mods;
	enum kind kind;
	int operands;
	__u8 reds[10];
	int sems;
	int sm;
};

#define COUNT	MOD(COUNT)
#define ALIGNED	MOD(ALIGNED)

#define MATCH_MODES {									\
	DRM_VSM_MODE(MODE(ANY), DRM_VSM_TYPE_B32),				\
	DRM_VSM_MODE(MODE(ALL), DRM_VSM_TYPE_B32),				\
	DRM_VSM_MODE(MODE(ANY), DRM_VSM_TYPE_B64),				\
	DRM_VSM_MODE(MODE(ALL), DRM_VSM_TYPE_B64),				\
}

#define VOTE_MODES \
	{ DRM_VSM_MODE_ALL, DRM_VSM_MODE_ANY, DRM_VSM_MODE_UNI, DRM_VSM_MODE_BALLOT }
#define SHFL_MODES \
	{ DRM_VSM_MODE_UP, DRM_VSM_MODE_DOWN, DRM_VSM_MODE_BFLY, DRM_VSM_MODE_IDX }
#define REDUX_OPS {									\
	RED(ADD, U32),					\
	RED(MIN, U32),					\
	RED(MAX, U32),					\
	RED(ADD, S32),					\
	RED(MIN, S32),					\
	RED(MAX, S32),					\
	RED(AND, B32),					\
	RED(OR, B32),					\
	RED(XOR, B32),					\
}

#define BARRIER_REDS	{ DRM_VSM_RED_POPC, DRM_VSM_RED_AND, DRM_VSM_RED_OR }
#define NO_REDS		{ 0 }

/* PTX 9.7.9.6, 9.7.12.7, 9.7.13.1 to .3, .9, .10, .12 and .14, with the target notes. */
static const struct form forms[] = {
	{ "match.{any,all}.sync.{b32,b64} d|p, a, membermask", OP(MATCH_SYNC), 0, KIND_WARP, O_A,
	  MATCH_MODES, NO_SEM, 80 },
	{ "bar.warp.sync membermask", OP(BAR_WARP_SYNC), 0, KIND_WARP, 0, NO_REDS, NO_SEM, 80 },
	{ "elect.sync d|p, membermask", OP(ELECT_SYNC), 0, KIND_WARP, 0, NO_REDS, NO_SEM, 90 },
	{ "vote.sync.{all,any,uni,ballot} d, a, membermask", OP(VOTE_SYNC), 0, KIND_WARP, O_A,
	  VOTE_MODES, NO_SEM, 80 },
	{ "shfl.sync.{up,down,bfly,idx}.b32 d|p, a, b, c, membermask", OP(SHFL_SYNC), 0, KIND_WARP,
	  O_A | O_BC, SHFL_MODES, NO_SEM, 80 },
	{ "redux.sync dst, src, membermask", OP(REDUX_SYNC), 0, KIND_WARP, O_A, REDUX_OPS, NO_SEM,
	  80 },

	{ "barrier.cta.sync a", OP(BARRIER_SYNC), 0, KIND_BARRIER, 0, NO_REDS, NO_SEM, 80 },
	{ "barrier.cta.sync a, b", OP(BARRIER_SYNC), COUNT, KIND_BARRIER, O_COUNT, NO_REDS,
	  NO_SEM, 80 },
	{ "barrier.cta.sync.aligned a", OP(BARRIER_SYNC), ALIGNED, KIND_BARRIER, 0, NO_REDS,
	  NO_SEM, 80 },
	{ "barrier.cta.sync.aligned a, b", OP(BARRIER_SYNC), COUNT | ALIGNED, KIND_BARRIER,
	  O_COUNT, NO_REDS, NO_SEM, 80 },
	{ "barrier.cta.arrive a, b", OP(BARRIER_ARRIVE), COUNT, KIND_BARRIER, O_COUNT, NO_REDS,
	  NO_SEM, 80 },
	{ "barrier.cta.arrive.aligned a, b", OP(BARRIER_ARRIVE), COUNT | ALIGNED, KIND_BARRIER,
	  O_COUNT, NO_REDS, NO_SEM, 80 },
	{ "barrier.cta.red.{popc,and,or} d, a, c", OP(BARRIER_RED), 0, KIND_BARRIER, O_PRED,
	  BARRIER_REDS, NO_SEM, 80 },
	{ "barrier.cta.red.{popc,and,or} d, a, b, c", OP(BARRIER_RED), COUNT, KIND_BARRIER,
	  O_COUNT | O_PRED, BARRIER_REDS, NO_SEM, 80 },
	{ "barrier.cta.red.{popc,and,or}.aligned d, a, c", OP(BARRIER_RED), ALIGNED, KIND_BARRIER,
	  O_PRED, BARRIER_REDS, NO_SEM, 80 },
	{ "barrier.cta.red.{popc,and,or}.aligned d, a, b, c", OP(BARRIER_RED), COUNT | ALIGNED,
	  KIND_BARRIER, O_COUNT | O_PRED, BARRIER_REDS, NO_SEM, 80 },

	{ "barrier.cluster.arrive", OP(BARRIER_CLUSTER_ARRIVE), 0, KIND_NONE, 0, NO_REDS,
	  ARRIVE_SEMS, 90 },
	{ "barrier.cluster.arrive.aligned", OP(BARRIER_CLUSTER_ARRIVE), ALIGNED, KIND_NONE, 0,
	  NO_REDS, ARRIVE_SEMS, 90 },
	{ "barrier.cluster.wait", OP(BARRIER_CLUSTER_WAIT), 0, KIND_NONE, 0, NO_REDS, WAIT_SEMS,
	  90 },
	{ "barrier.cluster.wait.aligned", OP(BARRIER_CLUSTER_WAIT), ALIGNED, KIND_NONE, 0, NO_REDS,
	  WAIT_SEMS, 90 },
	{ "exit", OP(EXIT), 0, KIND_NONE, 0, NO_REDS, NO_SEM, 80 },
};

#define for_each_form(f) for (f = forms; f < forms + ARRAY_SIZE(forms); f++)

/* A part of the operands; those of a kind fill them from the first byte to the last. */
struct field {
	enum kind kind;
	size_t offset;
	size_t size;
	int operand;	/* 0 if it must be 0 */
};

#define FIELD(kind, member, operand)							\
{											\
	kind, offsetof(struct drm_vsm_insn, u.member),					\
	sizeof(((struct drm_vsm_insn *)0)->u.member), operand				\
}

static const struct field fields[] = {
	FIELD(KIND_WARP, warp.membermask, O_ALL),
	FIELD(KIND_WARP, warp.b, O_BC),
	FIELD(KIND_WARP, warp.c, O_BC),
	FIELD(KIND_WARP, warp.pad, 0),
	FIELD(KIND_WARP, warp.a, O_A),
	FIELD(KIND_WARP, warp.reserved, 0),
	FIELD(KIND_BARRIER, barrier.barrier, O_ALL),
	FIELD(KIND_BARRIER, barrier.count, O_COUNT),
	FIELD(KIND_BARRIER, barrier.pred, O_PRED),
	FIELD(KIND_BARRIER, barrier.pad, 0),
	FIELD(KIND_BARRIER, barrier.reserved, 0),
	FIELD(KIND_NONE, mbarrier, 0),
};

/* An instruction of the form that there is nothing to say against. */
static struct drm_vsm_insn good_insn(const struct form *f)
{
	struct drm_vsm_insn insn = { .op = f->op, .mods = f->mods, .red = f->reds[0] };

	if (f->kind == KIND_WARP) {
		insn.u.warp.membermask = 0xff;
		insn.u.warp.a = f->operands & O_A;
		insn.u.warp.b = f->operands & O_BC ? 1 : 0;
		insn.u.warp.c = f->operands & O_BC ? 0x1f : 0;
	} else if (f->kind == KIND_BARRIER) {
		insn.u.barrier.barrier = 15;
		insn.u.barrier.count = f->operands & O_COUNT ? 64 : 0;
		insn.u.barrier.pred = f->operands & O_PRED ? 1 : 0;
	}
	return insn;
}

/* What sm_80 makes of an instruction of which sm_90 makes @wanted. */
static int on_sm_80(const struct form *f, int wanted)
{
	return f->sm == 90 && wanted != -EINVAL ? -EOPNOTSUPP : wanted;
}

static void expect_everywhere(const struct form *f, const struct drm_vsm_insn *insn, int wanted)
{
	struct vsm_geometry hardware = unit_geometry(90, false);

	expect(f->ptx, check(insn), wanted);
	expect(f->ptx, check_in(&hardware, insn), wanted);
	expect(f->ptx, check_on(80, insn), on_sm_80(f, wanted));
}

TEST(every_ptx_form_is_accepted)
{
	const struct form *f;

	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);

		expect_everywhere(f, &insn, 0);
	}
}

TEST(every_operation_has_a_form)
{
	const struct form *f;
	unsigned int op;

	for (op = OP(MATCH_SYNC); op <= OP(EXIT); op++) {
		for_each_form(f)
			if (f->op == op)
				break;
		assert_true(f < forms + ARRAY_SIZE(forms));
	}
}

TEST(every_other_modifier_mask_is_malformed)
{
	const struct form *f, *other;
	unsigned int mods;

	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);

		for (mods = 0; mods <= 0xffff; mods++) {
			for_each_form(other)
				if (other->op == f->op && other->mods == mods)
					break;
			if (other < forms + ARRAY_SIZE(forms))
				continue;
			insn.mods = mods;
			expect(f->ptx, check(&insn), -EINVAL);
			expect(f->ptx, check_on(80, &insn), -EINVAL);
		}
	}
}

TEST(every_byte_of_the_operands_has_a_meaning)
{
	size_t next[KINDS], i;

	for (i = 0; i < KINDS; i++)
		next[i] = offsetof(struct drm_vsm_insn, u);
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		assert_int_equal(fields[i].offset, next[fields[i].kind]);
		next[fields[i].kind] += fields[i].size;
	}
	for (i = 0; i < KINDS; i++)
		assert_int_equal(next[i], offsetof(struct drm_vsm_insn, result));
}

TEST(operands_that_a_form_lacks_must_be_zero)
{
	const struct form *f;
	size_t i, bit;

	for_each_form(f) {
		for (i = 0; i < ARRAY_SIZE(fields); i++) {
			if (fields[i].kind != f->kind ||
			    fields[i].operand & (f->operands | O_ALL))
				continue;
			for (bit = 0; bit < fields[i].size * 8; bit++) {
				struct drm_vsm_insn insn = good_insn(f);

				((char *)&insn)[fields[i].offset + bit / 8] |= 1 << bit % 8;
				expect_everywhere(f, &insn, -EINVAL);
			}
		}
	}
}

/* The bits that the value of an operation has. */
static unsigned int bits_of_a(const struct drm_vsm_insn *insn)
{
	if (insn->op == OP(VOTE_SYNC))
		return 1;
	return insn->op == OP(MATCH_SYNC) && insn->red >> 4 == DRM_VSM_TYPE_B64 ? 64 : 32;
}

TEST(values_have_the_bits_of_their_type)
{
	const struct form *f;
	unsigned int bit;
	size_t i;

	for_each_form(f) {
		for (i = 0; f->operands & O_A && f->reds[i]; i++) {
			for (bit = 0; bit < 64; bit++) {
				struct drm_vsm_insn insn = good_insn(f);

				insn.red = f->reds[i];
				insn.u.warp.a = 1ULL << bit;
				expect_everywhere(f, &insn, bit < bits_of_a(&insn) ? 0 : -EINVAL);
			}
		}
		for (bit = 0; f->operands & O_PRED && bit < 32; bit++) {
			struct drm_vsm_insn insn = good_insn(f);

			insn.u.barrier.pred = 1U << bit;
			expect_everywhere(f, &insn, bit ? -EINVAL : 0);
		}
	}
}

/* Whether the thread is in the mask only its lane tells. */
TEST(masks_and_shuffles_may_be_anything)
{
	static const __u32 values[] = { 0, 1, 0x80000000, 0xffffffff, 0x1f1f };
	const struct form *f;
	size_t i;

	for_each_form(f) {
		for (i = 0; f->kind == KIND_WARP && i < ARRAY_SIZE(values); i++) {
			struct drm_vsm_insn insn = good_insn(f);

			insn.u.warp.membermask = values[i];
			if (f->operands & O_BC) {
				insn.u.warp.b = values[i];
				insn.u.warp.c = ~values[i];
			}
			expect_everywhere(f, &insn, 0);
		}
	}
}

TEST(modes_and_reductions_are_those_of_ptx)
{
	const struct form *f;
	int red;
	size_t i;

	for_each_form(f) {
		for (red = 0; red < 256; red++) {
			struct drm_vsm_insn insn = good_insn(f);
			bool exists = !red && !f->reds[0];

			for (i = 0; f->reds[i]; i++)
				exists |= f->reds[i] == red;
			insn.red = red;
			expect_everywhere(f, &insn, exists ? 0 : -EINVAL);
		}
	}
}

TEST(unknown_qualifiers_are_malformed)
{
	const struct form *f;
	int v;

	for_each_form(f) {
		for (v = 1; v < 256; v++) {
			struct drm_vsm_insn insn = good_insn(f);

			/* None of them has an address. */
			insn.space = v;
			expect_everywhere(f, &insn, -EINVAL);
			insn = good_insn(f);
			insn.scope = v;
			if (v > DRM_VSM_SCOPE_CLUSTER)
				expect_everywhere(f, &insn, -EINVAL);
			insn = good_insn(f);
			insn.sem = v;
			if (v > DRM_VSM_SEM_RELEASE)
				expect_everywhere(f, &insn, -EINVAL);
		}
	}
}

TEST(each_form_takes_the_orders_that_ptx_lists)
{
	const struct form *f;
	int sem, scope;

	for_each_form(f) {
		for (scope = 0; scope <= DRM_VSM_SCOPE_CLUSTER; scope++) {
			for (sem = 0; sem <= DRM_VSM_SEM_RELEASE; sem++) {
				struct drm_vsm_insn insn = good_insn(f);
				bool taken = !scope && (!sem || f->sems & 1 << sem);

				insn.sem = sem;
				insn.scope = scope;
				expect_everywhere(f, &insn, taken ? 0 : FAULT(BAD_ORDER));
			}
		}
	}
}

TEST(outputs_are_not_read)
{
	const struct form *f;

	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);

		insn.result = ~0ULL;
		insn.fault = ~0U;
		insn.info = ~0U;
		expect_everywhere(f, &insn, 0);
	}
}

/* What threads wait in is no part of a job, nor a step of a word. */
TEST(all_are_for_threads)
{
	struct vsm_geometry geo = unit_geometry(90, true);
	const struct form *f;
	struct vsm_form form;

	for_each_form(f) {
		struct drm_vsm_insn insn = good_insn(f);

		expect(f->ptx, vsm_insn_meets(&insn), true);
		expect(f->ptx, vsm_insn_can_queue(&insn), false);
		expect(f->ptx, vsm_insn_is_copy(&insn), false);
		expect(f->ptx, vsm_insn_is_async(&insn), false);
		vsm_insn_decode(&geo, &insn, &form);
		expect(f->ptx, !!(form.takes & VSM_FORM_RARE), true);
	}
}
