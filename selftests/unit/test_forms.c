// SPDX-License-Identifier: MIT
/*
 * Which instructions exist: each form of the table with every modifier mask, qualifier, reduction,
 * operand and address.
 */
#include <vsm_rendezvous.h>

#include "forms.h"

TEST(every_ptx_form_is_accepted)
{
	const struct form *f;

	for_each_form(f) {
		struct drm_vsm_insn insn = form_insn(f);

		expect_everywhere(f, &insn, 0);
	}
}

static bool is_fence(unsigned int op)
{
	return op == OP(FENCE) || op == OP(FENCE_MBARRIER_INIT);
}

TEST(every_operation_has_a_form_and_others_are_malformed)
{
	const struct form *f;
	unsigned int op;

	for (op = 0; op <= 0xffff; op++) {
		struct drm_vsm_insn insn = { .op = op };

		if (op < FIRST_OP || op >= OPERATIONS) {
			expect("unknown operation", check(&insn), -EINVAL);
			continue;
		}
		for (f = forms; f->op && f->op != op; f++)
			;
		assert_true(f->op || is_fence(op));
	}
}

/* If no form has the modifier mask, the instruction is malformed, whatever its operands are. */
TEST(every_other_modifier_mask_is_malformed)
{
	const struct form *f;
	unsigned int mods;

	for_each_form(f) {
		for (mods = 0; mods <= 0xffff; mods++) {
			struct drm_vsm_insn insn = form_insn(f);
			struct drm_vsm_mbarrier_operands *o = &insn.u.mbarrier;

			if (form_find(f->op, mods))
				continue;
			insn.mods = mods;
			expect(f->ptx, check(&insn), -EINVAL);
			expect(f->ptx, check_on(80, &insn), -EINVAL);
			if (f->kind != KIND_MBARRIER)
				continue;
			memset(&insn.u, 0, sizeof(insn.u));
			expect("no operands", check(&insn), -EINVAL);
			o->addr = LOCAL;
			expect("an address", check(&insn), -EINVAL);
			o->count = mods & MOD(COUNT) ? 1 : 0;
			o->tx_count = mods & MOD(EXPECT_TX) ? 16 : 0;
			o->hint_ns = mods & MOD(HINT) ? 1000 : 0;
			expect("operands of the modifiers", check(&insn), -EINVAL);
		}
	}
}

/*
 * A field of the operands of an instruction. The fields of a kind cover all bytes of the operands.
 */
struct field {
	enum kind kind;		/* the operand structure that it belongs to */
	size_t offset;		/* its offset in an instruction */
	size_t size;		/* its size in bytes */
	/* The O_* that a form with this operand has, or 0 if the field must always be 0 */
	int operand;
};

#define FIELD(kind, member, operand)							\
{											\
	KIND_##kind, offsetof(struct drm_vsm_insn, u.member),				\
	sizeof(((struct drm_vsm_insn *)0)->u.member), operand				\
}

static const struct field fields[] = {
	FIELD(MBARRIER, mbarrier.addr, O_ADDR),
	FIELD(MBARRIER, mbarrier.count, O_COUNT),
	FIELD(MBARRIER, mbarrier.tx_count, O_TX),
	FIELD(MBARRIER, mbarrier.parity, O_PARITY),
	FIELD(MBARRIER, mbarrier.hint_ns, O_HINT),
	FIELD(MBARRIER, mbarrier.pad, 0),
	FIELD(MBARRIER, mbarrier.state, O_STATE),
	FIELD(MBARRIER, mbarrier.reserved, 0),
	FIELD(GROUP, mbarrier.addr, O_ADDR),
	FIELD(GROUP, mbarrier.count, O_COUNT),
	FIELD(GROUP, mbarrier.tx_count, O_TX),
	FIELD(GROUP, mbarrier.parity, O_PARITY),
	FIELD(GROUP, mbarrier.hint_ns, O_HINT),
	FIELD(GROUP, mbarrier.pad, 0),
	FIELD(GROUP, mbarrier.state, O_STATE),
	FIELD(GROUP, mbarrier.reserved, 0),
	FIELD(COPY, copy.addr, O_ADDR),
	FIELD(COPY, copy.mbar, O_MBAR),
	FIELD(COPY, copy.size, O_ALL),
	FIELD(COPY, copy.buffer, O_BUFFER),
	FIELD(COPY, copy.offset, O_BUFFER),
	FIELD(COPY, copy.src_size, O_SRC_SIZE),
	FIELD(COPY, copy.mask, O_MASK),
	FIELD(COPY, copy.pad, 0),
	FIELD(COPY, copy.src, O_SRC),
	FIELD(COPY, copy.reserved, 0),
	FIELD(TENSOR, tensor.addr, O_ADDR),
	FIELD(TENSOR, tensor.mbar, O_MBAR),
	FIELD(TENSOR, tensor.map, O_ALL),
	FIELD(TENSOR, tensor.coords, O_ALL),
	FIELD(TENSOR, tensor.mask, O_MASK),
	FIELD(TENSOR, tensor.offsets, O_OFFSETS),
	FIELD(STORE, store.addr, O_ADDR),
	FIELD(STORE, store.mbar, O_MBAR),
	FIELD(STORE, store.size, O_ALL),
	FIELD(STORE, store.pad, 0),
	FIELD(STORE, store.value, O_ALL),
	FIELD(STORE, store.reserved, 0),
	FIELD(WARP, warp.membermask, O_ALL),
	FIELD(WARP, warp.b, O_BC),
	FIELD(WARP, warp.c, O_BC),
	FIELD(WARP, warp.pad, 0),
	FIELD(WARP, warp.a, O_A),
	FIELD(WARP, warp.reserved, 0),
	FIELD(BARRIER, barrier.barrier, O_ALL),
	FIELD(BARRIER, barrier.count, O_COUNT),
	FIELD(BARRIER, barrier.pred, O_PRED),
	FIELD(BARRIER, barrier.pad, 0),
	FIELD(BARRIER, barrier.reserved, 0),
	FIELD(NONE, mbarrier, 0),
};

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
				struct drm_vsm_insn insn = form_insn(f);

				((char *)&insn)[fields[i].offset + bit / 8] |= 1 << bit % 8;
				expect_everywhere(f, &insn, -EINVAL);
			}
		}
	}
}

/*
 * Sets operands that the checks of a form accept with any value: a mask without the thread, a
 * buffer or a token can be judged only when the instruction executes.
 */
static void put_anything(const struct form *f, struct drm_vsm_insn *insn, __u64 value)
{
	size_t i;

	switch (f->kind) {
	case KIND_GROUP:
		insn->u.mbarrier.count = f->operands & O_COUNT ? value : 0;
		break;
	case KIND_MBARRIER:
		insn->u.mbarrier.tx_count = f->operands & O_TX ? value : 0;
		insn->u.mbarrier.parity = f->operands & O_PARITY ? value & 1 : 0;
		insn->u.mbarrier.hint_ns = f->operands & O_HINT ? value : 0;
		insn->u.mbarrier.state = f->operands & O_STATE ? (__u32)value * 0x100000001ULL : 0;
		break;
	case KIND_COPY:
		insn->u.copy.buffer = f->operands & O_BUFFER ? value : 0;
		insn->u.copy.offset = f->operands & O_BUFFER ? value & ~0xfULL : 0;
		if (f->mods & MOD(CP_MASK))
			insn->u.copy.mask = value;
		break;
	case KIND_TENSOR:
		insn->u.tensor.map = value & ~0x3fULL;
		for (i = 0; i < insn->red >> 4; i++)
			insn->u.tensor.coords[i] = value;
		break;
	case KIND_STORE:
		insn->u.store.value[0] = (__u32)value;
		break;
	case KIND_WARP:
		insn->u.warp.membermask = value;
		insn->u.warp.b = f->operands & O_BC ? value : 0;
		insn->u.warp.c = f->operands & O_BC ? ~value : 0;
		break;
	default:
		break;
	}
}

TEST(operands_that_only_run_time_can_judge_may_be_anything)
{
	static const __u64 values[] = {
		0, 1, 2, 0x1f1f, 0x80000000, 0xffffffff, 0xfffffffffffff000,
	};
	const struct form *f;
	size_t i;

	for_each_form(f) {
		for (i = 0; i < ARRAY_SIZE(values); i++) {
			struct drm_vsm_insn insn = form_insn(f);

			put_anything(f, &insn, values[i]);
			expect_everywhere(f, &insn, 0);
		}
	}
}

/* Returns how many bits of its operand "a" the operation uses. */
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
	int red;

	for_each_form(f) {
		for (red = 1; f->operands & O_A && red < 256; red++) {
			for (bit = 0; form_takes_red(f, red) && bit < 64; bit++) {
				struct drm_vsm_insn insn = form_insn(f);

				insn.red = red;
				insn.u.warp.a = 1ULL << bit;
				expect_everywhere(f, &insn, bit < bits_of_a(&insn) ? 0 : -EINVAL);
			}
		}
		for (bit = 0; f->operands & O_PRED && bit < 32; bit++) {
			struct drm_vsm_insn insn = form_insn(f);

			insn.u.barrier.pred = 1U << bit;
			expect_everywhere(f, &insn, bit ? -EINVAL : 0);
		}
	}
}

TEST(outputs_are_not_read)
{
	const struct form *f;

	for_each_form(f) {
		struct drm_vsm_insn insn = form_insn(f);

		insn.result = ~0ULL;
		insn.fault = ~0U;
		insn.info = ~0U;
		expect_everywhere(f, &insn, 0);
	}
}

TEST(reductions_modes_and_dimensions_are_those_of_ptx)
{
	const struct form *f;
	int red, i;

	for_each_form(f) {
		for (red = 0; red < 256; red++) {
			struct drm_vsm_insn insn = form_insn(f);

			insn.red = red;
			if (f->kind == KIND_STORE && red)
				insn.u.store.size = vsm_reduce_size(red);
			for (i = 0; f->kind == KIND_TENSOR && i < 5; i++)
				insn.u.tensor.coords[i] = i < red >> 4;
			expect_everywhere(f, &insn, form_takes_red(f, red) ? 0 : -EINVAL);
		}
	}
}

/* --- qualifiers ------------------------------------------------------------ */

static void expect_unknown(const struct form *f, int space, int sem, int scope)
{
	struct drm_vsm_insn insn = form_insn(f);

	insn.space = space;
	insn.sem = sem;
	insn.scope = scope;
	expect_everywhere(f, &insn, -EINVAL);
}

TEST(unknown_qualifiers_are_malformed)
{
	const struct form *f;
	int v;

	for_each_form(f) {
		for (v = 1; v < 256; v++) {
			/* A form without an address operand takes no space. */
			if (v > DRM_VSM_SPACE_SHARED_CLUSTER || !(f->operands & O_ADDR))
				expect_unknown(f, v, 0, 0);
			if (v > DRM_VSM_SCOPE_CLUSTER) {
				expect_unknown(f, 0, 0, v);
				expect_unknown(f, 0, DRM_VSM_SEM_RELAXED, v);
			}
			if (v > DRM_VSM_SEM_RELEASE) {
				expect_unknown(f, 0, v, 0);
				expect_unknown(f, 0, v, DRM_VSM_SCOPE_CTA);
			}
		}
	}
}

static bool order_is_taken(enum order order, int sem, int scope)
{
	const bool relaxed = sem == DRM_VSM_SEM_RELAXED;

	if (!sem && !scope)
		return true;
	if (order == ORDER_CLUSTER_ARRIVE)
		return !scope && (relaxed || sem == DRM_VSM_SEM_RELEASE);
	if (order == ORDER_CLUSTER_WAIT)
		return !scope && sem == DRM_VSM_SEM_ACQUIRE;
	/* An instruction must have both .sem and .scope, or neither. */
	if (!sem || !scope)
		return false;
	switch (order) {
	case ORDER_ARRIVE:
		return relaxed || sem == DRM_VSM_SEM_RELEASE;
	case ORDER_NOCOMPLETE:
		return sem == DRM_VSM_SEM_RELEASE && scope == DRM_VSM_SCOPE_CTA;
	case ORDER_TX:
		return relaxed;
	case ORDER_WAIT:
		return relaxed || sem == DRM_VSM_SEM_ACQUIRE;
	default:
		return false;
	}
}

TEST(each_form_takes_the_orders_that_ptx_lists)
{
	const struct form *f;
	int sem, scope;

	for_each_form(f) {
		for (sem = 0; sem <= DRM_VSM_SEM_RELEASE; sem++) {
			for (scope = 0; scope <= DRM_VSM_SCOPE_CLUSTER; scope++) {
				struct drm_vsm_insn insn = form_insn(f);
				int wanted = 0;

				insn.sem = sem;
				insn.scope = scope;
				if (!order_is_taken(f->order, sem, scope))
					wanted = FAULT(BAD_ORDER);
				expect_everywhere(f, &insn, wanted);
				if (!(f->operands & O_ADDR))
					continue;
				insn.space = DRM_VSM_SPACE_SHARED_CTA;
				expect_everywhere(f, &insn, wanted);
				insn.space = DRM_VSM_SPACE_SHARED_CLUSTER;
				expect(f->ptx, check_on(80, &insn), -EOPNOTSUPP);
			}
		}
	}
}

/* --- instructions outside the table --------------------------------------- */

TEST(fence_mbarrier_init_is_spelled_in_one_way)
{
	struct drm_vsm_insn insn = i_fence();
	int i;

	expect("fence", check(&insn), 0);
	expect("sm_80 has no clusters", check_on(80, &insn), -EOPNOTSUPP);
	for (i = 0; i < 3 * 4 * 3; i++) {
		insn.sem = i % 4;
		insn.scope = i / 4 % 3;
		insn.space = i / 12;
		if (insn.sem == DRM_VSM_SEM_RELEASE && insn.scope == DRM_VSM_SCOPE_CLUSTER &&
		    !insn.space)
			continue;
		expect("fence spelled otherwise", check(&insn), -EINVAL);
		expect("fence spelled otherwise", check_on(80, &insn), -EINVAL);
	}
	for (i = 0; i < 16; i++) {
		insn = i_fence();
		insn.mods = 1 << i;
		expect("fence with a modifier", check(&insn), -EINVAL);
	}
	insn = i_fence();
	insn.u.mbarrier.addr = LOCAL;
	expect("fence with an address", check(&insn), -EINVAL);
	insn = i_fence();
	insn.u.mbarrier.reserved = 1;
	expect("fence with a reserved operand", check(&insn), -EINVAL);
	insn = i_fence();
	insn.red = 1;
	expect("fence with a pad", check(&insn), -EINVAL);
}

/*
 * PTX 9.7.13.4, fence{.sem}.scope: the first target that takes it, or 0. Rows are values of .sem
 * and columns are values of .scope. The last row and the last column are for values that do not
 * exist.
 */
TEST(fence_has_a_scope_and_maybe_an_order)
{
	static const char taken[7][6] = {
		/*		none cta cluster gpu sys */
		/* none */	{ 0,  80, 90, 80, 80, 0 },
		/* relaxed */	{ 0,  0,  0,  0,  0,  0 },
		/* acquire */	{ 0,  90, 90, 90, 90, 0 },
		/* release */	{ 0,  90, 90, 90, 90, 0 },
		/* acq_rel */	{ 0,  80, 90, 80, 80, 0 },
		/* sc */	{ 0,  80, 90, 80, 80, 0 },
	};
	struct drm_vsm_insn insn = { .op = OP(FENCE) };
	int i, wanted;

	for (i = 0; i < 7 * 6; i++) {
		insn.sem = i / 6;
		insn.scope = i % 6;
		wanted = taken[insn.sem][insn.scope];
		expect("fence", check(&insn), wanted ? 0 : -EINVAL);
		expect("fence in sm_80", check_on(80, &insn),
		       wanted == 80 ? 0 : wanted ? -EOPNOTSUPP : -EINVAL);
	}
	insn.sem = DRM_VSM_SEM_SC;
	insn.scope = 255;
	expect("fence of another scope", check(&insn), -EINVAL);
	insn.sem = 255;
	insn.scope = DRM_VSM_SCOPE_SYS;
	expect("fence of another order", check(&insn), -EINVAL);
	for (i = 0; i < 4 + 16; i++) {
		insn = i_order(DRM_VSM_SEM_DEFAULT, DRM_VSM_SCOPE_CLUSTER);
		insn.mods = i < 16 ? 1 << i : 0;
		insn.u.mbarrier.addr = i == 16 ? LOCAL : 0;
		insn.u.mbarrier.reserved = i == 17;
		insn.red = i == 18;
		insn.space = i == 19;
		expect("fence with something else", check(&insn), -EINVAL);
		expect("fence with something else", check_on(80, &insn), -EINVAL);
	}
}

/*
 * A release with .cluster or a wider scope makes inits visible. fence.mbarrier_init does so by a
 * rule of its own.
 */
TEST(a_release_to_the_cluster_makes_inits_visible)
{
	unsigned int op, i;

	for (op = FIRST_OP; op < OPERATIONS; op++) {
		for (i = 0; i < 6 * 5; i++) {
			struct drm_vsm_insn insn = { .op = op, .sem = i % 6, .scope = i / 6 };
			bool wide = insn.scope == DRM_VSM_SCOPE_CLUSTER ||
				    insn.scope == DRM_VSM_SCOPE_GPU ||
				    insn.scope == DRM_VSM_SCOPE_SYS;
			bool wanted = insn.sem == DRM_VSM_SEM_RELEASE;

			if (op == OP(FENCE))
				wanted |= insn.sem != DRM_VSM_SEM_ACQUIRE;
			else
				insn.u.mbarrier.addr = LOCAL;
			if (check(&insn))
				continue;
			expect("makes inits visible", vsm_insn_makes_visible(&insn),
			       wanted && wide && op != OP(FENCE_MBARRIER_INIT));
		}
	}
}

/*
 * A job takes instructions that neither suspend nor return a result. Copies, tensor copies and
 * stores are asynchronous. Only operations of mbarriers change a word.
 */
TEST(each_form_is_known_for_what_it_is)
{
	struct vsm_geometry geo = unit_geometry(90, true);
	struct drm_vsm_insn insn;
	const struct form *f;

	for_each_form(f) {
		const bool copies = f->kind >= KIND_COPY && f->kind <= KIND_STORE;
		struct vsm_form form;

		insn = form_insn(f);
		expect(f->ptx, vsm_insn_can_queue(&insn), !!(f->flags & F_JOB));
		expect(f->ptx, vsm_insn_is_job_op(&insn), copies && f->flags & F_JOB);
		/* What EXEC issues is asynchronous, unless it is a commit or wait of groups. */
		if (!vsm_insn_is_mbarrier(&insn) && !vsm_insn_is_fence(&insn) &&
		    !vsm_insn_is_rendezvous(&insn))
			expect(f->ptx, vsm_insn_is_group(&insn),
			       !copies && f->op != OP(CP_ASYNC_MBARRIER_ARRIVE));
		expect(f->ptx, vsm_insn_is_rendezvous(&insn), f->kind >= KIND_WARP);
		vsm_insn_decode(&geo, &insn, &form);
		if (f->kind != KIND_MBARRIER)
			expect(f->ptx, !!(form.takes & VSM_FORM_RARE), true);
	}
	insn = i_fence();
	expect("fence.mbarrier_init", vsm_insn_can_queue(&insn), false);
	expect("fence.mbarrier_init", vsm_insn_is_group(&insn), false);
	insn.op = OP(FENCE);
	expect("fence", vsm_insn_can_queue(&insn), true);
	expect("fence", vsm_insn_is_job_op(&insn), false);
	expect("fence", vsm_insn_is_group(&insn), false);
	expect("fence", vsm_insn_is_rendezvous(&insn), false);
}
