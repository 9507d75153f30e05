// SPDX-License-Identifier: MIT
/*
 * Which operations of mbarriers exist: PTX's syntax lines, one row each, against every
 * modifier mask, qualifier, operand and address.
 */
#include "forms.h"

/* Operands of a form. */
#define O_ADDR		(1 << 0)
#define O_COUNT		(1 << 1)
#define O_TX		(1 << 2)
#define O_PARITY	(1 << 3)
#define O_HINT		(1 << 4)
#define O_STATE		(1 << 5)

/* .sem and .scope that a form takes. */
enum order {
	ORDER_NONE,		/* none */
	ORDER_ARRIVE,		/* { .release, .relaxed } x { .cta, .cluster } */
	ORDER_NOCOMPLETE,	/* .release.cta */
	ORDER_TX,		/* .relaxed x { .cta, .cluster } */
	ORDER_WAIT,		/* { .acquire, .relaxed } x { .cta, .cluster } */
};

/* Where the object of a form may be. */
enum where {
	WHERE_NOWHERE,		/* no object */
	WHERE_LOCAL,		/* .shared::cta only */
	WHERE_CLUSTER,		/* .shared::cluster too */
};

struct form {
	const char *ptx;
	__u16 op;
	__u16 mods;
	int operands;
	enum order order;
	enum where where;
	int sm;
};

#define C	MOD(COUNT)
#define X	MOD(EXPECT_TX)
#define N	MOD(NOCOMPLETE)
#define S	MOD(SINK)
#define P	MOD(PARITY)
#define H	MOD(HINT)

/*
 * PTX 9.7.13.15.9 to .17, with the target notes; fence and fence.mbarrier_init have tests of
 * their own. The sink is optional in the .shared::cta forms and mandatory in those of
 * .shared::cluster, so that a row with a destination is local.
 */
static const struct form forms[] = {
	{ "init [addr], count", OP(MBARRIER_INIT), 0, O_ADDR | O_COUNT, ORDER_NONE,
	  WHERE_LOCAL, 80 },
	{ "inval [addr]", OP(MBARRIER_INVAL), 0, O_ADDR, ORDER_NONE, WHERE_LOCAL, 80 },
	{ "expect_tx [addr], txCount", OP(MBARRIER_EXPECT_TX), 0, O_ADDR | O_TX, ORDER_TX,
	  WHERE_CLUSTER, 90 },
	{ "complete_tx [addr], txCount", OP(MBARRIER_COMPLETE_TX), 0, O_ADDR | O_TX, ORDER_TX,
	  WHERE_CLUSTER, 90 },

	{ "arrive state, [addr]", OP(MBARRIER_ARRIVE), 0, O_ADDR, ORDER_ARRIVE,
	  WHERE_LOCAL, 80 },
	{ "arrive state, [addr], count", OP(MBARRIER_ARRIVE), C, O_ADDR | O_COUNT,
	  ORDER_ARRIVE, WHERE_LOCAL, 90 },
	{ "arrive _, [addr]", OP(MBARRIER_ARRIVE), S, O_ADDR, ORDER_ARRIVE,
	  WHERE_CLUSTER, 80 },
	{ "arrive _, [addr], count", OP(MBARRIER_ARRIVE), C | S, O_ADDR | O_COUNT,
	  ORDER_ARRIVE, WHERE_CLUSTER, 90 },
	{ "arrive.expect_tx state, [addr], txCount", OP(MBARRIER_ARRIVE), X, O_ADDR | O_TX,
	  ORDER_ARRIVE, WHERE_LOCAL, 90 },
	{ "arrive.expect_tx _, [addr], txCount", OP(MBARRIER_ARRIVE), X | S, O_ADDR | O_TX,
	  ORDER_ARRIVE, WHERE_CLUSTER, 90 },
	{ "arrive.noComplete state, [addr], count", OP(MBARRIER_ARRIVE), C | N,
	  O_ADDR | O_COUNT, ORDER_NOCOMPLETE, WHERE_LOCAL, 80 },
	{ "arrive.noComplete _, [addr], count", OP(MBARRIER_ARRIVE), C | N | S,
	  O_ADDR | O_COUNT, ORDER_NOCOMPLETE, WHERE_LOCAL, 80 },

	{ "arrive_drop state, [addr]", OP(MBARRIER_ARRIVE_DROP), 0, O_ADDR, ORDER_ARRIVE,
	  WHERE_LOCAL, 80 },
	{ "arrive_drop state, [addr], count", OP(MBARRIER_ARRIVE_DROP), C, O_ADDR | O_COUNT,
	  ORDER_ARRIVE, WHERE_LOCAL, 90 },
	{ "arrive_drop _, [addr]", OP(MBARRIER_ARRIVE_DROP), S, O_ADDR, ORDER_ARRIVE,
	  WHERE_CLUSTER, 80 },
	{ "arrive_drop _, [addr], count", OP(MBARRIER_ARRIVE_DROP), C | S, O_ADDR | O_COUNT,
	  ORDER_ARRIVE, WHERE_CLUSTER, 90 },
	{ "arrive_drop.expect_tx state, [addr], tx_count", OP(MBARRIER_ARRIVE_DROP), X,
	  O_ADDR | O_TX, ORDER_ARRIVE, WHERE_LOCAL, 90 },
	{ "arrive_drop.expect_tx _, [addr], tx_count", OP(MBARRIER_ARRIVE_DROP), X | S,
	  O_ADDR | O_TX, ORDER_ARRIVE, WHERE_CLUSTER, 90 },
	{ "arrive_drop.noComplete state, [addr], count", OP(MBARRIER_ARRIVE_DROP), C | N,
	  O_ADDR | O_COUNT, ORDER_NOCOMPLETE, WHERE_LOCAL, 80 },
	{ "arrive_drop.noComplete _, [addr], count", OP(MBARRIER_ARRIVE_DROP), C | N | S,
	  O_ADDR | O_COUNT, ORDER_NOCOMPLETE, WHERE_LOCAL, 80 },

	{ "test_wait waitComplete, [addr], state", OP(MBARRIER_TEST_WAIT), 0, O_ADDR | O_STATE,
	  ORDER_WAIT, WHERE_LOCAL, 80 },
	{ "test_wait.parity waitComplete, [addr], phaseParity", OP(MBARRIER_TEST_WAIT), P,
	  O_ADDR | O_PARITY, ORDER_WAIT, WHERE_LOCAL, 80 },
	{ "try_wait waitComplete, [addr], state", OP(MBARRIER_TRY_WAIT), 0, O_ADDR | O_STATE,
	  ORDER_WAIT, WHERE_LOCAL, 90 },
	{ "try_wait waitComplete, [addr], state, hint", OP(MBARRIER_TRY_WAIT), H,
	  O_ADDR | O_STATE | O_HINT, ORDER_WAIT, WHERE_LOCAL, 90 },
	{ "try_wait.parity waitComplete, [addr], phaseParity", OP(MBARRIER_TRY_WAIT), P,
	  O_ADDR | O_PARITY, ORDER_WAIT, WHERE_LOCAL, 90 },
	{ "try_wait.parity waitComplete, [addr], phaseParity, hint", OP(MBARRIER_TRY_WAIT),
	  P | H, O_ADDR | O_PARITY | O_HINT, ORDER_WAIT, WHERE_LOCAL, 90 },
	{ "pending_count count, state", OP(MBARRIER_PENDING_COUNT), 0, O_STATE, ORDER_NONE,
	  WHERE_NOWHERE, 80 },
	{ "cp.async.mbarrier.arrive [addr]", OP(CP_ASYNC_MBARRIER_ARRIVE), 0, O_ADDR, ORDER_NONE,
	  WHERE_LOCAL, 80 },
	{ "cp.async.mbarrier.arrive.noinc [addr]", OP(CP_ASYNC_MBARRIER_ARRIVE), MOD(NOINC), O_ADDR,
	  ORDER_NONE, WHERE_LOCAL, 80 },
};

static const struct form *find_form(__u16 op, __u16 mods)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++)
		if (forms[i].op == op && forms[i].mods == mods)
			return &forms[i];
	return NULL;
}

/* An instruction of the form that there is nothing to say against. */
static struct drm_vsm_insn good_insn(const struct form *f)
{
	struct drm_vsm_insn insn = { .op = f->op, .mods = f->mods };
	struct drm_vsm_mbarrier_operands *o = &insn.u.mbarrier;

	o->addr = f->operands & O_ADDR ? LOCAL : 0;
	o->count = f->operands & O_COUNT ? 1 : 0;
	o->tx_count = f->operands & O_TX ? 16 : 0;
	o->parity = f->operands & O_PARITY ? 1 : 0;
	o->hint_ns = f->operands & O_HINT ? 1000 : 0;
	o->state = f->operands & O_STATE ? 1ULL << 63 : 0;
	return insn;
}

TEST(every_ptx_form_is_accepted)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		struct drm_vsm_insn insn = good_insn(&forms[i]);

		expect(forms[i].ptx, check(&insn), 0);
	}
}

/* Those that have no row here. */
static bool is_copy(__u16 op)
{
	return op == OP(CP_ASYNC_BULK_G2S) || op == OP(CP_ASYNC_BULK_S2G) || op == OP(CP_ASYNC) ||
	       op > OP(CP_ASYNC_MBARRIER_ARRIVE);
}

TEST(every_other_modifier_mask_is_malformed)
{
	unsigned int op, mods;

	for (op = FIRST_OP; op <= LAST_OP; op++) {
		for (mods = 0; mods <= 0xffff; mods++) {
			struct drm_vsm_insn insn = { .op = op, .mods = mods };

			if (is_copy(op) || find_form(op, mods))
				continue;
			/* Whichever operands come with it. */
			expect("no operands", check(&insn), -EINVAL);
			insn.u.mbarrier.addr = LOCAL;
			expect("an address", check(&insn), -EINVAL);
			if (mods & C)
				insn.u.mbarrier.count = 1;
			if (mods & X)
				insn.u.mbarrier.tx_count = 16;
			if (mods & H)
				insn.u.mbarrier.hint_ns = 1000;
			expect("operands of the modifiers", check(&insn), -EINVAL);
		}
	}
}

TEST(unknown_operations_are_malformed)
{
	unsigned int op;

	for (op = 0; op <= 0xffff; op++) {
		struct drm_vsm_insn insn = { .op = op };

		if (op >= FIRST_OP && op <= LAST_OP)
			continue;
		expect("unknown operation", check(&insn), -EINVAL);
	}
}

TEST(operands_that_a_form_lacks_must_be_zero)
{
	static const __u64 values[] = { 1, 0x80000000 };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(forms) * ARRAY_SIZE(values); i++) {
		const struct form *f = &forms[i / ARRAY_SIZE(values)];
		const __u64 v = values[i % ARRAY_SIZE(values)];

		for (j = 0; j < 6; j++) {
			struct drm_vsm_insn insn = good_insn(f);
			struct drm_vsm_mbarrier_operands *o = &insn.u.mbarrier;

			if (f->operands & 1 << j)
				continue;
			switch (1 << j) {
			case O_ADDR:
				o->addr = v;
				break;
			case O_COUNT:
				o->count = v;
				break;
			case O_TX:
				o->tx_count = v;
				break;
			case O_PARITY:
				o->parity = v;
				break;
			case O_HINT:
				o->hint_ns = v;
				break;
			case O_STATE:
				o->state = v << 31;
				break;
			}
			expect(f->ptx, check(&insn), -EINVAL);
		}
	}
}

TEST(operands_that_a_form_takes_may_be_anything)
{
	static const __u32 values[] = { 0, 1, 2, 0x80000000, 0xffffffff };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		for (j = 0; j < ARRAY_SIZE(values); j++) {
			struct drm_vsm_insn insn = good_insn(&forms[i]);
			struct drm_vsm_mbarrier_operands *o = &insn.u.mbarrier;

			if (forms[i].operands & O_TX)
				o->tx_count = values[j];
			if (forms[i].operands & O_PARITY)
				o->parity = values[j] & 1;
			if (forms[i].operands & O_HINT)
				o->hint_ns = values[j];
			if (forms[i].operands & O_STATE)
				o->state = values[j] * 0x100000001ULL;
			expect(forms[i].ptx, check(&insn), 0);
		}
	}
}

TEST(pads_must_be_zero)
{
	struct drm_vsm_insn insn;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		insn = good_insn(&forms[i]);
		insn.red = 1;
		expect(forms[i].ptx, check(&insn), -EINVAL);
		insn = good_insn(&forms[i]);
		insn.u.mbarrier.pad = 1;
		expect(forms[i].ptx, check(&insn), -EINVAL);
		insn = good_insn(&forms[i]);
		insn.u.mbarrier.reserved = 1ULL << 63;
		expect(forms[i].ptx, check(&insn), -EINVAL);
	}
}

TEST(outputs_are_not_read)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		struct drm_vsm_insn insn = good_insn(&forms[i]);

		insn.result = ~0ULL;
		insn.fault = ~0U;
		insn.info = ~0U;
		expect(forms[i].ptx, check(&insn), 0);
	}
}

TEST(unknown_qualifiers_are_malformed)
{
	size_t i;
	int v;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		struct drm_vsm_insn insn = good_insn(&forms[i]), bad;

		for (v = 3; v < 256; v++) {
			bad = insn;
			bad.space = v;
			expect("space", check(&bad), -EINVAL);
			bad = insn;
			bad.scope = v;
			expect("scope", check(&bad), -EINVAL);
			bad.sem = DRM_VSM_SEM_RELAXED;
			expect("scope with sem", check(&bad), -EINVAL);
			if (v == DRM_VSM_SEM_RELEASE)
				continue;
			bad = insn;
			bad.sem = v;
			expect("sem", check(&bad), -EINVAL);
			bad.scope = DRM_VSM_SCOPE_CTA;
			expect("sem with scope", check(&bad), -EINVAL);
		}
	}
}

TEST(a_form_without_an_address_has_no_space)
{
	size_t i;
	int sm, space;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		struct drm_vsm_insn insn = good_insn(&forms[i]);

		if (forms[i].where != WHERE_NOWHERE)
			continue;
		for (sm = 80; sm <= 90; sm += 10) {
			for (space = 0; space < 3; space++) {
				insn.space = space;
				expect(forms[i].ptx, check_on(sm, &insn), space ? -EINVAL : 0);
			}
		}
	}
}

static bool order_is_taken(enum order order, int sem, int scope)
{
	bool relaxed = sem == DRM_VSM_SEM_RELAXED;

	/* Together or not at all. */
	if (!sem && !scope)
		return true;
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
	size_t i;
	int sem, scope;

	for (i = 0; i < ARRAY_SIZE(forms) * 12; i++) {
		const struct form *f = &forms[i / 12];
		struct drm_vsm_insn insn = good_insn(f);

		sem = i % 4;
		scope = i / 4 % 3;
		insn.sem = sem;
		insn.scope = scope;
		expect(f->ptx, check(&insn),
		       order_is_taken(f->order, sem, scope) ? 0 : FAULT(BAD_ORDER));
	}
}

/* As the target notes have it; a plain sink or destination makes no difference. */
TEST(sm_80_lacks_what_requires_sm_90)
{
	size_t i;
	int sem, scope, space;

	for (i = 0; i < ARRAY_SIZE(forms) * 36; i++) {
		const struct form *f = &forms[i / 36];
		struct drm_vsm_insn insn = good_insn(f);
		int wanted = 0;

		sem = i % 4;
		scope = i / 4 % 3;
		space = i / 12 % 3;
		if (f->where == WHERE_NOWHERE && space)
			continue;
		insn.sem = sem;
		insn.scope = scope;
		insn.space = space;
		if (f->sm == 90 || sem == DRM_VSM_SEM_RELAXED ||
		    scope == DRM_VSM_SCOPE_CLUSTER || space == DRM_VSM_SPACE_SHARED_CLUSTER)
			wanted = -EOPNOTSUPP;
		else if (!order_is_taken(f->order, sem, scope))
			wanted = FAULT(BAD_ORDER);
		expect(f->ptx, check_on(80, &insn), wanted);
	}
}

/* PTX 9.7.13.15.8, for the own window, another one, and each spelling of the space. */
TEST(objects_are_where_ptx_lets_them_be)
{
	size_t i;
	int space, remote;

	for (i = 0; i < ARRAY_SIZE(forms) * 6; i++) {
		const struct form *f = &forms[i / 6];
		struct drm_vsm_insn insn = good_insn(f);
		int wanted = 0;

		if (f->where == WHERE_NOWHERE)
			continue;
		space = i % 3;
		remote = i / 3 % 2;
		insn.space = space;
		insn.u.mbarrier.addr = remote ? REMOTE : LOCAL;
		if (space == DRM_VSM_SPACE_SHARED_CLUSTER || remote)
			wanted = f->where == WHERE_CLUSTER ? 0 : FAULT(REMOTE_FORBIDDEN);
		/* An arrive could be remote, if it did not say .shared::cta. */
		if (space == DRM_VSM_SPACE_SHARED_CTA && remote &&
		    (f->order == ORDER_ARRIVE || f->order == ORDER_TX ||
		     f->order == ORDER_NOCOMPLETE))
			wanted = FAULT(OUT_OF_WINDOW);
		expect(f->ptx, check(&insn), wanted);
	}
}

/* Clusters came with sm_90: no window of sm_80 is another CTA's business. */
TEST(sm_80_reaches_its_own_window_alone)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		struct drm_vsm_insn insn = good_insn(&forms[i]);

		if (forms[i].where == WHERE_NOWHERE || forms[i].sm == 90)
			continue;
		insn.u.mbarrier.addr = REMOTE;
		expect(forms[i].ptx, check_on(80, &insn), FAULT(REMOTE_FORBIDDEN));
	}
}

TEST(addresses_are_multiples_of_8)
{
	size_t i;
	int low;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		struct drm_vsm_insn insn = good_insn(&forms[i]);

		if (!(forms[i].operands & O_ADDR))
			continue;
		for (low = 0; low < 8; low++) {
			insn.u.mbarrier.addr = LOCAL + low;
			expect(forms[i].ptx, check(&insn), low ? FAULT(MISALIGNED) : 0);
		}
		insn.u.mbarrier.addr = LOCAL + 8;
		expect(forms[i].ptx, check(&insn), 0);
	}
}

TEST(addresses_end_with_the_window)
{
	static const __u32 sizes[] = { 16, 4096, 0x100000, VSM_MAX_SMEM };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		struct drm_vsm_insn insn = good_insn(&forms[i]);
		__u32 *addr = &insn.u.mbarrier.addr;

		if (!(forms[i].operands & O_ADDR))
			continue;
		for (j = 0; j < ARRAY_SIZE(sizes); j++) {
			struct vsm_geometry geo = unit_geometry(90, true);

			geo.smem_bytes = sizes[j];
			*addr = CTA << 24;
			expect(forms[i].ptx, check_in(&geo, &insn), 0);
			*addr = CTA << 24 | (sizes[j] - 8);
			expect(forms[i].ptx, check_in(&geo, &insn), 0);
			*addr = CTA << 24 | sizes[j];
			expect(forms[i].ptx, check_in(&geo, &insn), FAULT(OUT_OF_WINDOW));
			*addr = CTA << 24 | 0xfffff8;
			expect(forms[i].ptx, check_in(&geo, &insn), FAULT(OUT_OF_WINDOW));
		}
	}
}

TEST(ranks_end_with_the_cluster)
{
	struct vsm_geometry geo = unit_geometry(90, true);
	struct drm_vsm_insn insn = { .op = OP(MBARRIER_EXPECT_TX) };
	__u32 rank;

	for (geo.ctas = CTA + 1; geo.ctas <= VSM_MAX_CTAS; geo.ctas++) {
		for (rank = 0; rank < 256; rank++) {
			insn.u.mbarrier.addr = rank << 24;
			expect("rank", check_in(&geo, &insn),
			       rank < geo.ctas ? 0 : FAULT(OUT_OF_WINDOW));
		}
	}
}

TEST(ranges_are_checked_without_overflow)
{
	struct vsm_geometry geo = unit_geometry(90, true);

	geo.smem_bytes = 1 << 24;
	assert_int_equal(vsm_addr_check(&geo, 0x03fffff8, 8, 8), FAULT(NONE));
	assert_int_equal(vsm_addr_check(&geo, 0x04000000, 8, 8), FAULT(OUT_OF_WINDOW));
	assert_int_equal(vsm_addr_check(&geo, 0x03fffff0, 16, 16), FAULT(NONE));
	assert_int_equal(vsm_addr_check(&geo, 0x03fffff0, 32, 16), FAULT(OUT_OF_WINDOW));
	assert_int_equal(vsm_addr_check(&geo, 0x03000000, 1 << 24, 16), FAULT(NONE));
	assert_int_equal(vsm_addr_check(&geo, 0x03000000, (1 << 24) + 16, 16),
			 FAULT(OUT_OF_WINDOW));
	assert_int_equal(vsm_addr_check(&geo, 0x03000010, 0xfffffff0, 16), FAULT(OUT_OF_WINDOW));
	assert_int_equal(vsm_addr_check(&geo, 0xfffffff8, 8, 8), FAULT(OUT_OF_WINDOW));
	assert_int_equal(vsm_addr_check(&geo, 0xffffffff, 8, 8), FAULT(MISALIGNED));
	assert_int_equal(vsm_addr_check(&geo, 0x00000008, 8, 16), FAULT(MISALIGNED));
}

static struct drm_vsm_insn good_fence(void)
{
	return (struct drm_vsm_insn) {
		.op = OP(FENCE_MBARRIER_INIT),
		.sem = DRM_VSM_SEM_RELEASE,
		.scope = DRM_VSM_SCOPE_CLUSTER,
	};
}

TEST(fence_mbarrier_init_is_spelled_in_one_way)
{
	struct drm_vsm_insn insn = good_fence();
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
		insn = good_fence();
		insn.mods = 1 << i;
		expect("fence with a modifier", check(&insn), -EINVAL);
	}
	insn = good_fence();
	insn.u.mbarrier.addr = LOCAL;
	expect("fence with an address", check(&insn), -EINVAL);
	insn = good_fence();
	insn.u.mbarrier.reserved = 1;
	expect("fence with a reserved operand", check(&insn), -EINVAL);
	insn = good_fence();
	insn.red = 1;
	expect("fence with a pad", check(&insn), -EINVAL);
}

/* PTX 9.7.13.4: fence{.sem}.scope, by .sem and .scope; the last rows and columns are none. */
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
		insn = (struct drm_vsm_insn) { .op = OP(FENCE), .scope = DRM_VSM_SCOPE_CLUSTER };
		insn.mods = i < 16 ? 1 << i : 0;
		insn.u.mbarrier.addr = i == 16 ? LOCAL : 0;
		insn.u.mbarrier.reserved = i == 17;
		insn.red = i == 18;
		insn.space = i == 19;
		expect("fence with something else", check(&insn), -EINVAL);
		expect("fence with something else", check_on(80, &insn), -EINVAL);
	}
}

/* Releases of .cluster scope and wider ones. fence.mbarrier_init has its own rule. */
TEST(what_releases_to_the_cluster_publishes)
{
	unsigned int op, i;

	for (op = FIRST_OP; op <= LAST_OP; op++) {
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
			expect("publishes", vsm_insn_publishes(&insn),
			       wanted && wide && op != OP(FENCE_MBARRIER_INIT));
		}
	}
}

TEST(jobs_take_what_cannot_suspend_or_answer)
{
	struct drm_vsm_insn insn;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		bool arrive = forms[i].op == OP(MBARRIER_ARRIVE) ||
			      forms[i].op == OP(MBARRIER_ARRIVE_DROP);
		bool queues = forms[i].order == ORDER_TX || (arrive && forms[i].mods & S);

		insn = good_insn(&forms[i]);
		expect(forms[i].ptx, vsm_insn_can_queue(&insn), queues);
		expect(forms[i].ptx, vsm_insn_is_copy(&insn), false);
		expect(forms[i].ptx, vsm_insn_is_async(&insn),
		       forms[i].op == OP(CP_ASYNC_MBARRIER_ARRIVE));
	}
	insn = good_fence();
	expect("fence.mbarrier_init", vsm_insn_can_queue(&insn), false);
	expect("fence.mbarrier_init", vsm_insn_is_async(&insn), false);
	insn.op = OP(FENCE);
	expect("fence", vsm_insn_can_queue(&insn), true);
	expect("fence", vsm_insn_is_copy(&insn), false);
	expect("fence", vsm_insn_is_async(&insn), false);
	expect("fence", vsm_insn_meets(&insn), false);
}

/* sm_80 and the hardware policy refuse what is malformed like everybody else. */
TEST(malformed_is_malformed_everywhere)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms) * 4; i++) {
		struct vsm_geometry geo = unit_geometry(i % 2 ? 90 : 80, i / 2 % 2);
		struct drm_vsm_insn insn = good_insn(&forms[i / 4]);

		insn.u.mbarrier.reserved = 1;
		expect("reserved", check_in(&geo, &insn), -EINVAL);
		insn.u.mbarrier.reserved = 0;
		insn.mods |= 1 << 9;
		expect("unknown modifier", check_in(&geo, &insn), -EINVAL);
	}
}

TEST(geometries_within_the_limits_are_valid)
{
	static const struct {
		struct vsm_geometry geo;
		bool valid;
	} rows[] = {
		{ { 1, 1, 16, VSM_LAYOUT_SM_90, true, 0, 0 }, true },
		{ { 16, 1024, 227 * 1024, VSM_LAYOUT_SM_80, false, 0, 0 }, true },
		{ { 0, 1, 16, VSM_LAYOUT_SM_90, true, 0, 0 }, false },
		{ { 17, 1, 16, VSM_LAYOUT_SM_90, true, 0, 0 }, false },
		{ { ~0U, 1, 16, VSM_LAYOUT_SM_90, true, 0, 0 }, false },
		{ { 1, 0, 16, VSM_LAYOUT_SM_90, true, 0, 0 }, false },
		{ { 1, 1025, 16, VSM_LAYOUT_SM_90, true, 0, 0 }, false },
		{ { 1, 1, 0, VSM_LAYOUT_SM_90, true, 0, 0 }, false },
		{ { 1, 1, 8, VSM_LAYOUT_SM_90, true, 0, 0 }, false },
		{ { 1, 1, 24, VSM_LAYOUT_SM_90, true, 0, 0 }, false },
		{ { 1, 1, 32, VSM_LAYOUT_SM_90, true, 0, 0 }, true },
		{ { 1, 1, 227 * 1024 + 16, VSM_LAYOUT_SM_90, true, 0, 0 }, false },
		{ { 1, 1, ~0U - 15, VSM_LAYOUT_SM_90, true, 0, 0 }, false },
		{ { 1, 1, 16, (enum vsm_layout)2, true, 0, 0 }, false },
		{ { 1, 1, 16, (enum vsm_layout)~0U, true, 0, 0 }, false },
		{ { 1, 1, 16, VSM_LAYOUT_SM_90, true, 0, 1 << 15 | 1ULL << 43 }, true },
		{ { 1, 1, 16, VSM_LAYOUT_SM_90, false, 0, 1ULL << 43 }, true },
		{ { 1, 1, 16, VSM_LAYOUT_SM_90, true, 0, 1 }, false },
		{ { 1, 1, 16, VSM_LAYOUT_SM_90, true, 0, 1ULL << 43 | 1 << 1 }, false },
		{ { 1, 1, 16, VSM_LAYOUT_SM_90, true, 0, 1ULL << 63 }, false },
		{ { 1, 1, 16, VSM_LAYOUT_SM_90, true, 1, 0 }, false },
		{ { 1, 1, 16, VSM_LAYOUT_SM_90, true, 1ULL << 63, 0 }, false },
		{ { 1, 1, 16, VSM_LAYOUT_SM_90, true, 1 << 21, 0 }, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (vsm_geometry_valid(&rows[i].geo) != rows[i].valid)
			fail_msg("row %zu", i);
}
