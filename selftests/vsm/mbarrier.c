// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every mbarrier operation changes the word and returns the result that Documentation/mbarrier.rst
 * states. The expected words are worked out by hand. programs.c compares random operations with a
 * model.
 */
#include "vsm_test.h"

FIXTURE(mbarrier) { struct cluster c; };

FIXTURE_VARIANT(mbarrier)
{
	uint32_t layout;
	uint32_t policy;
};

FIXTURE_VARIANT_ADD(mbarrier, sm_90) { .layout = VSM_LAYOUT_SM_90 };
FIXTURE_VARIANT_ADD(mbarrier, sm_80) { .layout = VSM_LAYOUT_SM_80 };
FIXTURE_VARIANT_ADD(mbarrier, sm_90_hardware) {
	.layout = VSM_LAYOUT_SM_90, .policy = DRM_VSM_POLICY_HARDWARE,
};

FIXTURE_VARIANT_ADD(mbarrier, sm_80_hardware) {
	.layout = VSM_LAYOUT_SM_80, .policy = DRM_VSM_POLICY_HARDWARE,
};

FIXTURE_SETUP(mbarrier)
{
	ASSERT_EQ(0, cluster_open_plain(&self->c, variant->layout, variant->policy));
}

FIXTURE_TEARDOWN(mbarrier)
{
	EXPECT_EQ(0, cluster_close(&self->c));
}

/* An operation and its effect */
struct row {
	struct drm_vsm_insn insn;	/* the operation */
	uint64_t word;			/* the word afterwards */
	uint64_t result;	/* The result. If it is a token, only its high half is specified. */
	/* How many rows before this one is the row whose token the operation takes, or 0 */
	uint32_t token;
};

static uint64_t result_mask(const struct drm_vsm_insn *insn)
{
	bool token = (insn->op == DRM_VSM_OP_MBARRIER_ARRIVE ||
		      insn->op == DRM_VSM_OP_MBARRIER_ARRIVE_DROP) &&
		     !(insn->mods & DRM_VSM_MOD_SINK);

	return token ? 0xffffffff00000000 : ~0ULL;
}

#define A AT(0, 0x40)

/*
 * The word has 2^20 - pending in bits 62:43, 2^21 - tx-count in bits 41:21, 2^20 - expected in bits
 * 20:1, and the parity in bit 63. The comments give pending, tx-count and expected: "3, 0, 3" is
 * 0xffffd << 43 | 0xffffd << 1. A tx-count of 64 is 0x1fffc0 << 21.
 */
static uint32_t rows_sm_90(struct row *out)
{
	const struct row rows[] = {
		{ i_init(A, 3), 0x7fffe800001ffffa, 0 },			/* 3, 0, 3 */
		{ i_test_parity(A, 1), 0x7fffe800001ffffa, 1 },		/* the phase before 0 */
		{ i_test_parity(A, 0), 0x7fffe800001ffffa, 0 },
		{ i_arrive(A), 0x7ffff000001ffffa, 0x7fffe80000000000 },	/* 2, 0, 3 */
		{ i_expect_tx(A, 64), 0x7ffff3fff81ffffa, 0 },		/* 2, 64, 3 */
		/* 1, 96, 3 */
		{ i_arrive_expect_tx(A, 32), 0x7ffffbfff41ffffa, 0x7ffff3ff00000000 },
		{ i_complete_tx(A, 80), 0x7ffffbfffe1ffffa, 0 },		/* 1, 16, 3 */
		{ i_complete_tx(A, 16), 0x7ffff800001ffffa, 0 },		/* 1, 0, 3 */
		{ i_arrive(A), 0xffffe800001ffffa, 0x7ffff80000000000 }, /* phase 1: 3, 0, 3 */
		{ i_test_wait(A, 0), 0xffffe800001ffffa, 1, 1 },
		{ i_test_wait(A, 0), 0xffffe800001ffffa, 1, 7 }, /* of the same phase */
		{ i_test_parity(A, 0), 0xffffe800001ffffa, 1 },
		{ i_test_parity(A, 1), 0xffffe800001ffffa, 0 },
		{ i_try_parity(A, 0, 0), 0xffffe800001ffffa, 1 },
		{ i_arrive_nocomplete(A, 2), 0xfffff800001ffffa, 0xffffe80000000000 }, /* 1, 0, 3 */
		{ i_pending_count(0), 0xfffff800001ffffa, 3, 1 },
		{ i_test_wait(A, 0), 0xfffff800001ffffa, 0, 2 },
		{ i_drop(i_arrive(A)), 0x7ffff000001ffffc, 0xfffff80000000000 }, /* phase 2 */
		{ i_test_wait(A, 0), 0x7ffff000001ffffc, 1, 4 },
		{ i_arrive_n(A, 2), 0xfffff000001ffffc, 0x7ffff00000000000 }, /* phase 3: 2, 0, 2 */
		{ i_try_wait(A, 0, 0), 0xfffff000001ffffc, 1, 1 },
		{ i_drop(i_arrive_expect_tx(A, 16)), 0xfffffbfffe1ffffe, 0xfffff00000000000 },
		{ i_sink(i_arrive(A)), 0x800003fffe1ffffe, 0 },		/* 0, 16, 1 */
		{ i_test_parity(A, 1), 0x800003fffe1ffffe, 0 },		/* waits for the bytes */
		{ i_complete_tx(A, 16), 0x7ffff800001ffffe, 0 }, /* phase 4: 1, 0, 1 */
		{ i_complete_tx(A, 8), 0x7ffff800011ffffe, 0 },		/* 1, -8, 1 */
		{ i_test_parity(A, 1), 0x7ffff800011ffffe, 1 },
		{ i_arrive_expect_tx(A, 8), 0xfffff800001ffffe, 0x7ffff80000000000 }, /* phase 5 */
		{ i_expect_tx(A, 1048575), 0xfffffa00003ffffe, 0 },		/* 1, 2^20 - 1, 1 */
		{ i_complete_tx(A, 1048575), 0xfffff800001ffffe, 0 },		/* 1, 0, 1 */
		{ i_inval(A), 0xfffff800001ffffe, 0 },
		{ i_init(A, 1048575), 0x0000080000000002, 0 },			/* 2^20 - 1 twice */
		{ i_drop(i_arrive_n(A, 1048574)), 0x7ffff800001ffffe, 0x0000080000000000 },
		{ i_arrive(A), 0xfffff800001ffffe, 0x7ffff80000000000 }, /* phase 1: 1, 0, 1 */
	};

	memcpy(out, rows, sizeof(rows));
	return ITEMS(rows);
}

/*
 * The word has 2^31 - pending in bits 62:32, 2^30 - expected in bits 29:0, and the parity in bit
 * 63. The comments give pending and expected.
 */
static uint32_t rows_sm_80(struct row *out)
{
	const struct row rows[] = {
		{ i_init(A, 3), 0x7ffffffd3ffffffd, 0 },			/* 3, 3 */
		{ i_test_parity(A, 1), 0x7ffffffd3ffffffd, 1 },
		{ i_test_parity(A, 0), 0x7ffffffd3ffffffd, 0 },
		{ i_arrive(A), 0x7ffffffe3ffffffd, 0x7ffffffd00000000 },	/* 2, 3 */
		{ i_arrive_nocomplete(A, 1), 0x7fffffff3ffffffd, 0x7ffffffe00000000 },	/* 1, 3 */
		{ i_pending_count(0), 0x7fffffff3ffffffd, 2, 1 },
		{ i_test_wait(A, 0), 0x7fffffff3ffffffd, 0, 2 },
		{ i_sink(i_arrive(A)), 0xfffffffd3ffffffd, 0 },		/* phase 1: 3, 3 */
		{ i_test_wait(A, 0), 0xfffffffd3ffffffd, 1, 5 },
		{ i_test_wait(A, 0), 0xfffffffd3ffffffd, 1, 5 },
		{ i_test_parity(A, 1), 0xfffffffd3ffffffd, 0 },
		{ i_drop(i_arrive(A)), 0xfffffffe3ffffffe, 0xfffffffd00000000 },	/* 2, 2 */
		{ i_drop(i_arrive_nocomplete(A, 1)), 0xffffffff3fffffff, 0xfffffffe00000000 },
		{ i_arrive(A), 0x7fffffff3fffffff, 0xffffffff00000000 },	/* phase 2: 1, 1 */
		{ i_test_parity(A, 1), 0x7fffffff3fffffff, 1 },
		{ i_arrive(A), 0xffffffff3fffffff, 0x7fffffff00000000 },	/* phase 3: 1, 1 */
		{ i_inval(A), 0xffffffff3fffffff, 0 },
		{ i_init(A, 1048575), 0x7ff000013ff00001, 0 },			/* 2^20 - 1 twice */
		{ i_drop(i_arrive_nocomplete(A, 1048574)), 0x7fffffff3fffffff, 0x7ff0000100000000 },
		{ i_arrive(A), 0xffffffff3fffffff, 0x7fffffff00000000 },	/* phase 1: 1, 1 */
	};

	memcpy(out, rows, sizeof(rows));
	return ITEMS(rows);
}

TEST_F(mbarrier, every_operation_makes_the_word_that_the_layout_says)
{
	struct row rows[64];
	uint64_t results[64];
	size_t i, count = variant->layout == VSM_LAYOUT_SM_80 ? rows_sm_80(rows) : rows_sm_90(rows);

	/* After each operation, read the word through the mapping of user space. */
	for (i = 0; i < count; i++) {
		if (rows[i].token)
			rows[i].insn.u.mbarrier.state = results[i - rows[i].token];
		ASSERT_EQ(0, exec_at(&self->c, 0, rows[i].insn, &results[i])) TH_LOG("row %zu", i);
		EXPECT_EQ(rows[i].word, word(&self->c, A)) TH_LOG("row %zu", i);
		EXPECT_EQ(rows[i].result, results[i] & result_mask(&rows[i].insn))
			TH_LOG("row %zu", i);
	}
	/* No other word of the windows has changed. */
	for (i = 0; i < self->c.size; i += 8)
		ASSERT_TRUE(i == A || !*(uint64_t *)(self->c.map + i)) TH_LOG("at %zu", i);
}

TEST_F(mbarrier, a_stream_does_what_its_operations_do_one_by_one)
{
	struct row rows[64];
	struct drm_vsm_insn insns[64];
	struct drm_vsm_exec args = exec_args(&self->c, insns, 0);
	uint32_t i, count;

	count = variant->layout == VSM_LAYOUT_SM_80 ? rows_sm_80(rows) : rows_sm_90(rows);
	for (i = 0; i < count; i++)
		insns[i] = rows[i].insn;
	insn_poison(insns, count);
	/* Each call ends before an instruction that takes the token of an earlier one. */
	while (args.retired < count) {
		for (i = args.retired; i < count && (i == args.retired || !rows[i].token); i++)
			;
		args.count = i;
		ASSERT_EQ(0, vsm_exec(self->c.fd, &args));
		ASSERT_EQ(i, args.retired);
		if (i < count)
			insns[i].u.mbarrier.state = insns[i - rows[i].token].result;
	}
	EXPECT_EQ(rows[count - 1].word, word(&self->c, A));
	for (i = 0; i < count; i++) {
		EXPECT_EQ(rows[i].result, insns[i].result & result_mask(&insns[i]));
		EXPECT_EQ(0, insns[i].fault);
		EXPECT_EQ(0, insns[i].info);
	}
}

TEST_F(mbarrier, nocomplete_token_of_the_hardware_carries_the_lane)
{
	struct drm_vsm_insn insns[] = { i_init(A, 9), i_arrive_nocomplete(A, 1) };
	struct drm_vsm_exec args = exec_args(&self->c, insns, 2);

	if (variant->policy == DRM_VSM_POLICY_STRICT)
		SKIP(return, "the strict policy's tokens are opaque");
	args.thread = 37;	/* lane 5 */
	insn_poison(insns, 2);
	ASSERT_EQ(0, vsm_exec(self->c.fd, &args));
	/*
	 * The high half states 9 pending arrivals. The low half states lane 5, or repeats the high
	 * half on sm_80.
	 */
	EXPECT_EQ(variant->layout == VSM_LAYOUT_SM_90 ? 0x7fffb80000000020 : 0x7ffffff77ffffff7,
		  insns[1].result);
}

/* Operations execute on the window of another CTA, at the address that mapa returns. */
TEST_F(mbarrier, remote_forms_reach_the_other_window)
{
	uint32_t remote = vsm_mapa(A, 3);
	const struct row rows[] = {
		{ i_sink(i_arrive(remote)), 0x7ffff800001ffffc, 0 },		/* 1, 0, 2 */
		{ i_expect_tx(remote, 48), 0x7ffffbfffa1ffffc, 0 },		/* 1, 48, 2 */
		{ i_complete_tx(remote, 48), 0x7ffff800001ffffc, 0 },		/* 1, 0, 2 */
		{ i_drop(i_sink(i_arrive_n(remote, 1))), 0xfffff800001ffffe, 0 }, /* phase 1 */
		{ i_sink(i_arrive_expect_tx(remote, 32)), 0x800003fffc1ffffe, 0 },	/* 0, 32 */
		{ i_complete_tx(remote, 32), 0x7ffff800001ffffe, 0 },	/* phase 2: 1, 0, 1 */
	};
	size_t i;

	if (variant->layout == VSM_LAYOUT_SM_80)
		SKIP(return, "sm_80 has neither tx-counts nor .shared::cluster");
	EXPECT_EQ(AT(3, A), remote);
	ASSERT_EQ(0, exec_at(&self->c, 3, i_init(remote, 2), NULL));
	ASSERT_EQ(0, exec_at(&self->c, 3, i_fence(), NULL));
	for (i = 0; i < ITEMS(rows); i++) {
		struct drm_vsm_insn insn = rows[i].insn;
		uint64_t result;

		/* Use generic addressing and .shared::cluster in turn. */
		insn.space = i % 2 ? DRM_VSM_SPACE_SHARED_CLUSTER : DRM_VSM_SPACE_GENERIC;
		ASSERT_EQ(0, exec_at(&self->c, 1, insn, &result)) TH_LOG("row %zu", i);
		EXPECT_EQ(rows[i].word, word(&self->c, remote)) TH_LOG("row %zu", i);
		EXPECT_EQ(0, result);
		ASSERT_EQ(0, exec_look(&self->c, remote));
	}
	EXPECT_EQ(0, word(&self->c, A));
	EXPECT_EQ(0, word(&self->c, vsm_mapa(A, 1)));
}

TEST_HARNESS_MAIN
