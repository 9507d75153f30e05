// SPDX-License-Identifier: GPL-2.0-only
/*
 * Misuse: under the strict policy each kind is refused by its name and changes
 * nothing; under the hardware policy the word wraps as silicon's does, and a
 * poisoned one traps.
 */
#include "vsm_test.h"

#define A AT(0, 0x80)
#define TRAPS 1		/* no word: bit 0 is never set */
#define SMEM (4096 + 16)	/* the window ends inside a page */

FIXTURE(misuse)
{
	struct cluster c;
};

FIXTURE_VARIANT(misuse)
{
	uint32_t policy;
};

FIXTURE_VARIANT_ADD(misuse, strict) { .policy = DRM_VSM_POLICY_STRICT };
FIXTURE_VARIANT_ADD(misuse, hardware) { .policy = DRM_VSM_POLICY_HARDWARE };

static int make_cluster(struct cluster *c, uint32_t layout, uint32_t policy)
{
	struct drm_vsm_cluster_create args = {
		.ctas = 2, .threads = 32, .smem_bytes = SMEM, .layout = layout, .policy = policy,
	};
	int fd = vsm_open();

	return fd < 0 ? fd : cluster_create_args(c, fd, &args);
}

FIXTURE_SETUP(misuse)
{
	ASSERT_EQ(0, make_cluster(&self->c, VSM_LAYOUT_SM_90, variant->policy));
}

FIXTURE_TEARDOWN(misuse)
{
	EXPECT_EQ(0, cluster_close(&self->c));
}

/**
 * struct misuse_case - A program whose last instruction is misuse
 * @fault: Its name
 * @insns: The program, on the word A, up to the first without an operation
 * @word: A before the last instruction, and under the strict policy after it
 * @wrapped: A after it under the hardware policy, or %TRAPS
 */
struct misuse_case {
	uint32_t fault;
	struct drm_vsm_insn insns[4];
	uint64_t word;
	uint64_t wrapped;
};

/*
 * Words of sm_90: (2^20 - pending) << 43 | (2^21 - tx) << 21 | (2^20 - expected) << 1,
 * where a count that has wrapped is one modulo 2^20 or 2^21.
 */
static uint32_t cases_sm_90(struct misuse_case *out)
{
	const struct misuse_case cases[] = {
		/* No object, but hardware counts in what is there: 0, which expects nobody. */
		{ DRM_VSM_FAULT_NOT_AN_MBARRIER, { i_arrive(A) }, 0, TRAPS },
		{ DRM_VSM_FAULT_NOT_AN_MBARRIER, { i_expect_tx(A, 16) },
		  0, 0x000003fffe000000 },
		{ DRM_VSM_FAULT_NOT_AN_MBARRIER, { i_complete_tx(A, 16) },
		  0, 0x0000040002000000 },
		{ DRM_VSM_FAULT_NOT_AN_MBARRIER, { i_test_parity(A, 1) }, 0, 0 },
		{ DRM_VSM_FAULT_NOT_AN_MBARRIER, { i_try_parity(A, 1, 0) }, 0, 0 },
		{ DRM_VSM_FAULT_NOT_AN_MBARRIER, { i_inval(A) }, 0, 0 },
		{ DRM_VSM_FAULT_NOT_AN_MBARRIER,
		  { i_init(A, 2), i_inval(A), i_arrive(A) },
		  0x7ffff000001ffffc, 0x7ffff800001ffffc },
		{ DRM_VSM_FAULT_NOT_AN_MBARRIER,
		  { i_init(A, 2), i_inval(A), i_inval(A) },
		  0x7ffff000001ffffc, 0x7ffff000001ffffc },
		{ DRM_VSM_FAULT_INIT_OVER_LIVE, { i_init(A, 2), i_init(A, 1) },
		  0x7ffff000001ffffc, 0x7ffff800001ffffe },
		/* 2 arrivals of 1: the field goes from 0xfffff to 1. */
		{ DRM_VSM_FAULT_ARRIVAL_OVERFLOW, { i_init(A, 1), i_arrive_n(A, 2) },
		  0x7ffff800001ffffe, 0x00000800001ffffe },
		{ DRM_VSM_FAULT_ARRIVAL_OVERFLOW,
		  { i_init(A, 1), i_arrive_expect_tx(A, 16), i_arrive(A) },
		  0x000003fffe1ffffe, 0x00000bfffe1ffffe },
		{ DRM_VSM_FAULT_ARRIVAL_OVERFLOW,
		  { i_init(A, 2), i_drop(i_arrive_n(A, 3)) },
		  0x7ffff000001ffffc, 0x0000080000000002 },
		/* Hardware completes the phase. */
		{ DRM_VSM_FAULT_NOCOMPLETE_COMPLETES,
		  { i_init(A, 2), i_arrive_nocomplete(A, 2) },
		  0x7ffff000001ffffc, 0xfffff000001ffffc },
		{ DRM_VSM_FAULT_NOCOMPLETE_COMPLETES,
		  { i_init(A, 2), i_arrive_nocomplete(A, 3) },
		  0x7ffff000001ffffc, 0x00000800001ffffc },
		{ DRM_VSM_FAULT_NOCOMPLETE_COMPLETES,
		  { i_init(A, 2), i_expect_tx(A, 16), i_arrive_nocomplete(A, 3) },
		  0x7ffff3fffe1ffffc, 0x00000bfffe1ffffc },
		{ DRM_VSM_FAULT_TX_OVERDELIVERY,
		  { i_init(A, 2), i_complete_tx(A, 16), i_arrive_nocomplete(A, 2) },
		  0x7ffff000021ffffc, 0x00000000021ffffc },
		/* Hardware: 0 pending and 0 expected, in phase 1. */
		{ DRM_VSM_FAULT_DROP_TO_ZERO, { i_init(A, 1), i_drop(i_arrive(A)) },
		  0x7ffff800001ffffe, 0x8000000000000000 },
		{ DRM_VSM_FAULT_DROP_TO_ZERO, { i_init(A, 3), i_drop(i_arrive_n(A, 3)) },
		  0x7fffe800001ffffa, 0x8000000000000000 },
		/* 2^20 announced is -2^20 in a field of 21 bits, and so is -2^20. */
		{ DRM_VSM_FAULT_TX_RANGE,
		  { i_init(A, 1), i_expect_tx(A, 0xfffff), i_expect_tx(A, 1) },
		  0x7ffffa00003ffffe, 0x7ffffa00001ffffe },
		{ DRM_VSM_FAULT_TX_RANGE, { i_init(A, 2), i_arrive_expect_tx(A, 1 << 20) },
		  0x7ffff000001ffffc, 0x7ffffa00001ffffc },
		{ DRM_VSM_FAULT_TX_RANGE,
		  { i_init(A, 1), i_complete_tx(A, 0xfffff), i_complete_tx(A, 1) },
		  0x7ffff9fffffffffe, 0x7ffffa00001ffffe },
		{ DRM_VSM_FAULT_TX_RANGE, { i_init(A, 1), i_expect_tx(A, 0xffffffff) },
		  0x7ffff800001ffffe, 0x7ffff800003ffffe },
		/* 16 bytes more than the 16 announced, which poisons; 8 that nobody announced. */
		{ DRM_VSM_FAULT_TX_OVERDELIVERY,
		  { i_init(A, 1), i_arrive_expect_tx(A, 16), i_complete_tx(A, 32) },
		  0x000003fffe1ffffe, 0x00000400021ffffe },
		{ DRM_VSM_FAULT_TX_OVERDELIVERY,
		  { i_init(A, 1), i_complete_tx(A, 8), i_arrive(A) },
		  0x7ffff800011ffffe, 0x00000000011ffffe },
		/* Hardware completes a phase that expects nobody as it begins, and traps then. */
		{ DRM_VSM_FAULT_BAD_COUNT, { i_init(A, 0) }, 0, 0x8000000000000000 },
		{ DRM_VSM_FAULT_BAD_COUNT, { i_init(A, 1 << 20) }, 0, 0x8000000000000000 },
		{ DRM_VSM_FAULT_BAD_COUNT, { i_init(A, 1), i_arrive_n(A, 0) },
		  0x7ffff800001ffffe, 0x7ffff800001ffffe },
		{ DRM_VSM_FAULT_BAD_COUNT, { i_init(A, 1), i_arrive_n(A, 1 << 20) },
		  0x7ffff800001ffffe, 0x7ffff800001ffffe },
		{ DRM_VSM_FAULT_BAD_COUNT, { i_init(A, 1), i_drop(i_arrive_n(A, 0)) },
		  0x7ffff800001ffffe, 0x7ffff800001ffffe },
		{ DRM_VSM_FAULT_BAD_PARITY, { i_init(A, 1), i_test_parity(A, 2) },
		  0x7ffff800001ffffe, 0x7ffff800001ffffe },
		{ DRM_VSM_FAULT_BAD_PARITY, { i_init(A, 1), i_try_parity(A, 0xffffffff, 0) },
		  0x7ffff800001ffffe, 0x7ffff800001ffffe },
	};

	memcpy(out, cases, sizeof(cases));
	return ITEMS(cases);
}

/* Words of sm_80: (2^31 - pending) << 32 | (2^30 - expected). */
static uint32_t cases_sm_80(struct misuse_case *out)
{
	const struct misuse_case cases[] = {
		{ DRM_VSM_FAULT_NOT_AN_MBARRIER, { i_arrive(A) }, 0, 0x0000000100000000 },
		{ DRM_VSM_FAULT_NOT_AN_MBARRIER, { i_test_parity(A, 1) }, 0, 0 },
		{ DRM_VSM_FAULT_INIT_OVER_LIVE, { i_init(A, 2), i_init(A, 1) },
		  0x7ffffffe3ffffffe, 0x7fffffff3fffffff },
		{ DRM_VSM_FAULT_NOCOMPLETE_COMPLETES,
		  { i_init(A, 2), i_arrive_nocomplete(A, 2) },
		  0x7ffffffe3ffffffe, 0xfffffffe3ffffffe },
		/* Hardware: pending and expected are 0, which the field says as 0. */
		{ DRM_VSM_FAULT_DROP_TO_ZERO, { i_init(A, 1), i_drop(i_arrive(A)) },
		  0x7fffffff3fffffff, 0x8000000000000000 },
		{ DRM_VSM_FAULT_BAD_COUNT, { i_init(A, 0) }, 0, 0x8000000040000000 },
		{ DRM_VSM_FAULT_BAD_COUNT, { i_init(A, 1), i_arrive_nocomplete(A, 0) },
		  0x7fffffff3fffffff, 0x7fffffff3fffffff },
		{ DRM_VSM_FAULT_BAD_PARITY, { i_init(A, 1), i_test_parity(A, 0x80000000) },
		  0x7fffffff3fffffff, 0x7fffffff3fffffff },
	};

	memcpy(out, cases, sizeof(cases));
	return ITEMS(cases);
}

static void run_case(struct __test_metadata *_metadata, const struct cluster *c,
		     const struct misuse_case *m, bool strict)
{
	struct drm_vsm_insn insns[5], *last;
	struct drm_vsm_exec args;
	uint32_t i, count = 0;

	memcpy(insns, m->insns, sizeof(m->insns));
	while (m->insns[count].op)
		count++;
	last = &insns[count - 1];
	insns[count] = i_init(A + 8, 1);
	insn_poison(insns, count + 1);
	args = exec_args(c, insns, count + 1);

	if (!strict && m->wrapped == TRAPS) {
		EXPECT_EQ(-EPROTO, vsm_exec(c->fd, &args));
		EXPECT_EQ(count - 1, args.retired);
		EXPECT_EQ(DRM_VSM_FAULT_POISONED, last->fault);
		EXPECT_EQ(m->word, last->result);
		EXPECT_EQ(m->word, word(c, A));
		EXPECT_EQ(-EIO, vsm_exec(c->fd, &args));
		return;
	}
	if (!strict) {
		EXPECT_EQ(0, vsm_exec(c->fd, &args));
		EXPECT_EQ(count + 1, args.retired);
		EXPECT_EQ(0, last->fault);
		EXPECT_EQ(m->wrapped, word(c, A));
		return;
	}

	EXPECT_EQ(-EPROTO, vsm_exec(c->fd, &args));
	EXPECT_EQ(count - 1, args.retired);
	EXPECT_EQ(m->fault, last->fault);
	/* What the operands tell is told before the word is looked at. */
	EXPECT_EQ(m->fault == DRM_VSM_FAULT_BAD_COUNT || m->fault == DRM_VSM_FAULT_BAD_PARITY
			  ? 0 : m->word, last->result);
	EXPECT_EQ(0, last->info);
	EXPECT_EQ(m->word, word(c, A));
	/* Those before have happened, the one after has not been looked at. */
	for (i = 0; i + 1 < count; i++)
		EXPECT_EQ(0, insns[i].fault);
	EXPECT_TRUE(insn_untouched(&insns[count]));
	/* The same again; then the stream goes on behind it. */
	EXPECT_EQ(-EPROTO, vsm_exec(c->fd, &args));
	EXPECT_EQ(count - 1, args.retired);
	args.retired++;
	EXPECT_EQ(0, vsm_exec(c->fd, &args));
	EXPECT_EQ(count + 1, args.retired);
	EXPECT_EQ(m->word, word(c, A));
}

static void run_cases(struct __test_metadata *_metadata, uint32_t layout, uint32_t policy,
		      const struct misuse_case *cases, uint32_t count)
{
	struct cluster c;
	uint32_t i;

	for (i = 0; i < count; i++) {
		ASSERT_EQ(0, make_cluster(&c, layout, policy));
		run_case(_metadata, &c, &cases[i], policy == DRM_VSM_POLICY_STRICT);
		if (_metadata->exit_code)
			TH_LOG("in case %u", i);
		ASSERT_EQ(0, _metadata->exit_code);
		EXPECT_EQ(0, cluster_close(&c));
	}
}

TEST_F(misuse, is_named_and_changes_nothing_or_wraps_on_sm_90)
{
	struct misuse_case cases[40];

	run_cases(_metadata, VSM_LAYOUT_SM_90, variant->policy, cases, cases_sm_90(cases));
}

TEST_F(misuse, is_named_and_changes_nothing_or_wraps_on_sm_80)
{
	struct misuse_case cases[40];

	run_cases(_metadata, VSM_LAYOUT_SM_80, variant->policy, cases, cases_sm_80(cases));
}

/* --- what either policy refuses ------------------------------------------- */

static int fault_of(const struct cluster *c, struct drm_vsm_insn insn)
{
	uint32_t retired;
	int ret = exec_stream(c, 0, &insn, 1, &retired);

	if (ret != -EPROTO)
		return ret ? ret : -EISCONN;
	return retired || insn.result || insn.info ? -EBADMSG : (int)insn.fault;
}

TEST_F(misuse, of_addresses_is_refused)
{
	uint32_t offset;

	for (offset = 1; offset < 8; offset++)
		EXPECT_EQ(DRM_VSM_FAULT_MISALIGNED, fault_of(&self->c, i_init(A + offset, 1)));
	EXPECT_EQ(DRM_VSM_FAULT_OUT_OF_WINDOW, fault_of(&self->c, i_init(AT(0, SMEM), 1)));
	EXPECT_EQ(DRM_VSM_FAULT_OUT_OF_WINDOW, fault_of(&self->c, i_init(AT(0, 0xfffff8), 1)));
	EXPECT_EQ(DRM_VSM_FAULT_OUT_OF_WINDOW, fault_of(&self->c, i_sink(i_arrive(AT(2, 0)))));
	EXPECT_EQ(DRM_VSM_FAULT_OUT_OF_WINDOW, fault_of(&self->c, i_sink(i_arrive(AT(255, 0)))));
	EXPECT_EQ(0, exec_one(&self->c, i_init(AT(0, SMEM - 8), 1)));
	EXPECT_EQ(0x7ffff800001ffffe, word(&self->c, AT(0, SMEM - 8)));
}

TEST_F(misuse, of_other_windows_is_refused)
{
	const struct drm_vsm_insn local[] = {
		i_init(0, 1), i_inval(0), i_test_parity(0, 0), i_try_parity(0, 0, 0),
		i_arrive(0), i_arrive_n(0, 1), i_arrive_expect_tx(0, 16), i_drop(i_arrive(0)),
		i_arrive_nocomplete(0, 1), i_sink(i_arrive_nocomplete(0, 1)),
	};
	const struct drm_vsm_insn remote[] = {
		i_sink(i_arrive(0)), i_sink(i_drop(i_arrive(0))), i_expect_tx(0, 16),
		i_complete_tx(0, 16),
	};
	size_t i;

	/* Objects there would not help. */
	ASSERT_EQ(0, exec_at(&self->c, 1, i_init(AT(1, A), 8), NULL));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 8)));
	for (i = 0; i < ITEMS(local); i++) {
		struct drm_vsm_insn insn = local[i];

		insn.u.mbarrier.addr = AT(1, A);
		EXPECT_EQ(DRM_VSM_FAULT_REMOTE_FORBIDDEN, fault_of(&self->c, insn));
		insn.space = DRM_VSM_SPACE_SHARED_CLUSTER;
		EXPECT_EQ(DRM_VSM_FAULT_REMOTE_FORBIDDEN, fault_of(&self->c, insn));
		/* .shared::cluster does not support them on the own window either. */
		insn.u.mbarrier.addr = A;
		EXPECT_EQ(DRM_VSM_FAULT_REMOTE_FORBIDDEN, fault_of(&self->c, insn));
	}
	for (i = 0; i < ITEMS(remote); i++) {
		struct drm_vsm_insn insn = remote[i];

		insn.space = DRM_VSM_SPACE_SHARED_CTA;
		insn.u.mbarrier.addr = AT(1, A);
		EXPECT_EQ(DRM_VSM_FAULT_OUT_OF_WINDOW, fault_of(&self->c, insn));
	}
	EXPECT_EQ(0x7fffc000001ffff0, word(&self->c, AT(1, A)));	/* 8, 0, 8 */
	EXPECT_EQ(0x7fffc000001ffff0, word(&self->c, A));
}

TEST_F(misuse, of_qualifiers_is_refused)
{
	const struct {
		struct drm_vsm_insn insn;
		uint32_t sems;	/* that it takes with a scope */
	} forms[] = {
		{ i_init(A, 1), 0 },
		{ i_inval(A), 0 },
		{ i_pending_count(0), 0 },
		{ i_arrive(A), 1 << DRM_VSM_SEM_RELEASE | 1 << DRM_VSM_SEM_RELAXED },
		{ i_drop(i_arrive(A)), 1 << DRM_VSM_SEM_RELEASE | 1 << DRM_VSM_SEM_RELAXED },
		{ i_arrive_nocomplete(A, 1), 1 << DRM_VSM_SEM_RELEASE },
		{ i_expect_tx(A, 0), 1 << DRM_VSM_SEM_RELAXED },
		{ i_complete_tx(A, 0), 1 << DRM_VSM_SEM_RELAXED },
		{ i_test_parity(A, 1), 1 << DRM_VSM_SEM_ACQUIRE | 1 << DRM_VSM_SEM_RELAXED },
		{ i_try_parity(A, 1, 0), 1 << DRM_VSM_SEM_ACQUIRE | 1 << DRM_VSM_SEM_RELAXED },
	};
	size_t i;
	int sem, scope;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 100000)));
	for (i = 0; i < ITEMS(forms); i++) {
		for (sem = 0; sem <= DRM_VSM_SEM_RELEASE; sem++) {
			for (scope = 0; scope <= DRM_VSM_SCOPE_CLUSTER; scope++) {
				struct drm_vsm_insn insn = forms[i].insn;
				bool good = sem ? scope && forms[i].sems & 1 << sem : !scope;

				if (insn.mods & DRM_VSM_MOD_NOCOMPLETE &&
				    scope == DRM_VSM_SCOPE_CLUSTER)
					good = false;
				if (good)	/* mbarrier.c has them */
					continue;
				insn.sem = sem;
				insn.scope = scope;
				EXPECT_EQ(DRM_VSM_FAULT_BAD_ORDER, fault_of(&self->c, insn))
					TH_LOG("form %zu sem %d scope %d", i, sem, scope);
			}
		}
	}
}

/* A word that no operation makes: somebody else has written it. */
TEST_F(misuse, of_a_scribbled_word_is_noticed)
{
	const struct drm_vsm_insn insns[] = {
		i_arrive(A), i_expect_tx(A, 16), i_complete_tx(A, 0), i_test_parity(A, 1),
		i_try_parity(A, 1, 0), i_arrive_n(A, 1), i_drop(i_arrive(A)),
	};
	size_t i;

	if (variant->policy == DRM_VSM_POLICY_HARDWARE)
		SKIP(return, "poison.* tells what hardware does");
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 4)));
	for (i = 0; i < 2 * ITEMS(insns); i++) {
		struct drm_vsm_insn insn = insns[i / 2];
		uint64_t scribbled = 0x7fffe000001ffff8 | (i % 2 ? 1ULL << 42 : 1);

		atomic_store(word_at(&self->c, A), scribbled);
		EXPECT_EQ(-EPROTO, exec_stream(&self->c, 0, &insn, 1, NULL));
		EXPECT_EQ(DRM_VSM_FAULT_NOT_AN_MBARRIER, insn.fault);
		EXPECT_EQ(scribbled, insn.result);
		EXPECT_EQ(scribbled, word(&self->c, A));
	}
	/* The object itself is as it was. */
	atomic_store(word_at(&self->c, A), 0x7fffe000001ffff8);
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(A)));
}

TEST_F(misuse, inval_under_a_waiter_is_refused)
{
	struct drm_vsm_insn wait = i_try_parity(A, 0, LONG_HINT);
	struct drm_vsm_wait armed = wait_parity(&self->c, A, 0, -1, 1);
	struct drm_vsm_insn inval = i_inval(A);
	struct exec_thread t;
	int set;

	if (variant->policy == DRM_VSM_POLICY_HARDWARE)
		SKIP(return, "silicon does not check it");
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	set = waitset_create(self->c.fd, 0);
	ASSERT_LE(0, set);
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &armed, 1, NULL));
	EXPECT_EQ(-EPROTO, exec_stream(&self->c, 0, &inval, 1, NULL));
	EXPECT_EQ(DRM_VSM_FAULT_INVAL_IN_USE, inval.fault);
	EXPECT_EQ(0x7ffff800001ffffe, inval.result);
	EXPECT_EQ(0, inval.info);
	ASSERT_EQ(0, waitset_cancel(self->c.fd, set, armed.id));

	ASSERT_EQ(0, exec_thread_start(&t, &self->c, &wait, 1));
	ASSERT_TRUE(exec_thread_suspended(&t));
	do {	/* It may not have parked yet. */
		int ret = exec_stream(&self->c, 0, &inval, 1, NULL);

		ASSERT_TRUE(ret == -EPROTO || !ret);
		if (!ret) {
			ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
			inval.fault = 0;
		}
	} while (inval.fault != DRM_VSM_FAULT_INVAL_IN_USE && !atomic_load(&t.done));
	EXPECT_EQ(DRM_VSM_FAULT_INVAL_IN_USE, inval.fault);
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(0, exec_thread_join(&t));
	EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
	close(set);
}

/* --- poison --------------------------------------------------------------- */

FIXTURE(poison)
{
	struct cluster c;
	struct buffer b;
};

FIXTURE_SETUP(poison)
{
	ASSERT_EQ(0, make_cluster(&self->c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, 4096));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 4)));
}

FIXTURE_TEARDOWN(poison)
{
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_close(&self->c));
}

#define POISONED_WORD (0x7fffe000001ffff8 | 1ULL << 42)

static void poison(const struct cluster *c)
{
	atomic_store(word_at(c, A), POISONED_WORD);
}

/* Whoever comes now is told that the cluster is lost, and nobody else is. */
static void expect_lost(struct __test_metadata *_metadata, const struct cluster *c,
			const struct buffer *b)
{
	struct drm_vsm_insn job = i_s2g(0, 16, b->handle, 0);
	struct drm_vsm_wait wait = wait_parity(c, AT(0, 8), 0, -1, 0);
	int set = waitset_create(c->fd, 0);
	struct cluster other;
	uint32_t armed = 7;

	EXPECT_EQ(-EIO, exec_one(c, i_init(AT(0, 8), 1)));
	EXPECT_EQ(-EIO, exec_one(c, i_test_parity(AT(0, 8), 1)));
	EXPECT_EQ(-EIO, exec_at(c, 1, i_arrive(AT(1, 8)), NULL));
	EXPECT_EQ(-EIO, submit_sync(c, &job, 1, 0, 0));
	EXPECT_EQ(-EIO, waitset_arm(c->fd, set, &wait, 1, &armed));
	EXPECT_EQ(0, armed);
	close(set);

	ASSERT_EQ(0, cluster_create(&other, c->fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_HARDWARE));
	EXPECT_EQ(0, exec_one(&other, i_init(A, 1)));
	EXPECT_EQ(0, cluster_destroy(&other));
}

TEST_F(poison, traps_each_operation_and_loses_the_cluster)
{
	const struct drm_vsm_insn insns[] = {
		i_arrive(A), i_expect_tx(A, 16), i_complete_tx(A, 16), i_test_parity(A, 1),
		i_try_parity(A, 1, 0), i_try_parity(A, 0, LONG_HINT), i_sink(i_arrive(A)),
	};
	size_t i;

	for (i = 0; i < ITEMS(insns); i++) {
		struct drm_vsm_insn stream[] = { i_init(A, 4), insns[i], i_pending_count(0) };
		struct cluster c;
		uint32_t retired;

		ASSERT_EQ(0, cluster_create(&c, self->c.fd, VSM_LAYOUT_SM_90,
					    DRM_VSM_POLICY_HARDWARE));
		ASSERT_EQ(0, exec_one(&c, stream[0]));
		poison(&c);
		EXPECT_EQ(-EPROTO, exec_stream(&c, 0, stream + 1, 2, &retired));
		EXPECT_EQ(0, retired);
		EXPECT_EQ(DRM_VSM_FAULT_POISONED, stream[1].fault);
		EXPECT_EQ(POISONED_WORD, stream[1].result);
		EXPECT_EQ(POISONED_WORD, word(&c, A));
		EXPECT_TRUE(insn_untouched(&stream[2]));
		expect_lost(_metadata, &c, &self->b);
		EXPECT_EQ(0, cluster_destroy(&c));
	}
}

TEST_F(poison, traps_the_arming_of_a_wait)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 0);
	int set = waitset_create(self->c.fd, 0);
	uint32_t armed;

	poison(&self->c);
	EXPECT_EQ(-EPROTO, waitset_arm(self->c.fd, set, &wait, 1, &armed));
	EXPECT_EQ(0, armed);
	EXPECT_EQ(DRM_VSM_FAULT_POISONED, wait.fault);
	close(set);
	expect_lost(_metadata, &self->c, &self->b);
}

TEST_F(poison, traps_the_completion_of_a_copy)
{
	struct drm_vsm_insn job = i_g2s(AT(0, 0x100), A, 16, self->b.handle, 0);
	uint32_t out;

	poison(&self->c);
	ASSERT_EQ(0, drmSyncobjCreate(self->c.fd, 0, &out));
	ASSERT_EQ(0, submit_sync(&self->c, &job, 1, 0, out));
	EXPECT_EQ(0, syncobj_wait(self->c.fd, out));
	expect_lost(_metadata, &self->c, &self->b);
}

TEST_F(poison, ends_whoever_waits_anywhere_in_the_cluster)
{
	struct drm_vsm_insn sleep = i_try_parity(AT(0, 0x200), 0, LONG_HINT);
	struct drm_vsm_wait waits[] = {
		wait_parity(&self->c, A, 0, -1, 1), wait_parity(&self->c, AT(0, 0x200), 0, -1, 2),
	};
	int set = waitset_create(self->c.fd, 0);
	struct exec_thread t;
	struct drm_vsm_wait_record record;
	struct drm_vsm_insn arrive = i_arrive(A);
	int i;

	ASSERT_EQ(0, exec_one(&self->c, i_init(AT(0, 0x200), 1)));
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, waits, 2, NULL));
	ASSERT_EQ(0, exec_thread_start(&t, &self->c, &sleep, 1));
	ASSERT_TRUE(exec_thread_suspended(&t));

	poison(&self->c);
	EXPECT_EQ(-EPROTO, exec_stream(&self->c, 0, &arrive, 1, NULL));
	EXPECT_EQ(-EIO, exec_thread_join(&t));
	EXPECT_EQ(0, t.args.retired);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(1, waitset_read(set, &record));
		EXPECT_EQ(DRM_VSM_WAIT_CLUSTER_LOST, record.status);
	}
	/* The set and the device live on. */
	EXPECT_EQ(0, poll_events(set));
	close(set);
	expect_lost(_metadata, &self->c, &self->b);
}

TEST_HARNESS_MAIN
