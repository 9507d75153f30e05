// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules that a cluster only reports. Each breach sends an event, and the operation does what it
 * does under the hardware policy: it is performed, or it traps. An operation that breaks an
 * enforced rule as well is refused.
 */
#include "async.h"
#include "fdinfo.h"
#include "fence.h"
#include "rendezvous.h"

#define A AT(0, 0x80)
#define B AT(0, 0x100)
#define REMOTE AT(1, 0x80)

FIXTURE(report)
{
	struct cluster c;
	struct cluster hardware;
	struct buffer b;
};

static int cluster_of(struct cluster *c, int fd, uint32_t policy, uint64_t report)
{
	return cluster_make(c, fd, .ctas = 4, .threads = 64, .smem_bytes = 4096, .policy = policy,
			    .report = report);
}

FIXTURE_SETUP(report)
{
	int fd = vsm_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cluster_of(&self->c, fd, DRM_VSM_POLICY_STRICT, REPORTABLE));
	ASSERT_EQ(0, cluster_of(&self->hardware, fd, DRM_VSM_POLICY_HARDWARE, 0));
	ASSERT_EQ(0, buffer_create(&self->b, fd, 4096));
	ASSERT_EQ(0, exec_one(&self->c, i_init(END, 1)));
}

FIXTURE_TEARDOWN(report)
{
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_destroy(&self->hardware));
	EXPECT_EQ(0, cluster_close(&self->c));
}

/* Expects that the next event reports a breach of this rule. */
#define EXPECT_REPORT(from, rule, word_then, info_then) do { \
	struct drm_vsm_event_fault told; \
	ASSERT_EQ(1, fault_read(self->c.fd, &told)); \
	EXPECT_EQ(DRM_VSM_FAULT_##rule, told.insn.fault); \
	EXPECT_EQ(DRM_VSM_EVENT_REPORTED, told.flags); \
	EXPECT_EQ(from, told.source); \
	EXPECT_EQ(word_then, told.insn.result); \
	EXPECT_EQ(info_then, told.insn.info); \
	EXPECT_EQ(self->c.handle, told.cluster); \
} while (0)

#define EXPECT_NO_EVENT() EXPECT_EQ(0, poll_events(self->c.fd))

/* Executes the instruction in both clusters and compares their words and results afterwards. */
#define BOTH(cta, ...) do { \
	uint64_t result[2]; \
	ASSERT_EQ(0, exec_at(&self->c, cta, __VA_ARGS__, &result[0])); \
	ASSERT_EQ(0, exec_at(&self->hardware, cta, __VA_ARGS__, &result[1])); \
	EXPECT_EQ(result[0] >> 32, result[1] >> 32); \
	EXPECT_EQ(word(&self->c, A), word(&self->hardware, A)); \
	EXPECT_EQ(word(&self->c, REMOTE), word(&self->hardware, REMOTE)); \
} while (0)

/* Like BOTH(). The instruction must cause one event, which reports a breach of this rule. */
#define BOTH_REPORT(rule, info, ...) do { \
	uint64_t before = word(&self->c, A); \
	BOTH(0, __VA_ARGS__); \
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, rule, before, info); \
	EXPECT_NO_EVENT(); \
} while (0)

TEST_F(report, words_are_those_of_the_hardware_policy)
{
	BOTH(0, i_init(A, 2));
	BOTH_REPORT(NOCOMPLETE_COMPLETES, 0, i_arrive_nocomplete(A, 2));
	BOTH_REPORT(PHASE_UNOBSERVED, 0, i_arrive_n(A, 2));
	BOTH(0, i_test_parity(A, 1));
	BOTH_REPORT(INIT_OVER_LIVE, DRM_VSM_MBARRIER_IDLE, i_init(A, 1));
	BOTH(0, i_arrive_expect_tx(A, 16));
	BOTH_REPORT(TX_OVERDELIVERY, 0, i_complete_tx(A, 32));
	BOTH(0, i_expect_tx(A, 16));
	BOTH_REPORT(INIT_OVER_LIVE, DRM_VSM_MBARRIER_UNOBSERVED, i_init(A, 1));
	BOTH_REPORT(DROP_TO_ZERO, 0, i_drop(i_arrive(A)));
	/* Because the phase expects no arrivals, it is complete as soon as it begins. */
	BOTH_REPORT(PHASE_UNOBSERVED, 0, i_complete_tx(A, 0));
	BOTH_REPORT(INIT_OVER_LIVE, DRM_VSM_MBARRIER_UNOBSERVED, i_init(A, 5));
	BOTH_REPORT(INIT_OVER_LIVE, DRM_VSM_MBARRIER_IDLE, i_init(A, 5));
}

/* The arrive also makes the init visible to the cluster. */
TEST_F(report, an_arrive_that_releases_is_reported_too)
{
	struct drm_vsm_insn arrive = i_drop(i_arrive_n(A, 2));

	arrive.sem = DRM_VSM_SEM_RELEASE;
	arrive.scope = DRM_VSM_SCOPE_CLUSTER;
	BOTH(0, i_init(A, 2));
	BOTH_REPORT(DROP_TO_ZERO, 0, arrive);
}

/*
 * What traps under the hardware policy traps here, and is refused for the rule that is reported.
 * The breach of this rule is not reported as well, and counts once.
 */
TEST_F(report, what_silicon_traps_on_is_a_trap)
{
	const struct {
		struct drm_vsm_insn insn;
		unsigned int rule;
		uint64_t word;	/* stored to the mbarrier, or 0 */
	} traps[] = {
		{ i_arrive_n(A, 3), DRM_VSM_FAULT_ARRIVAL_OVERFLOW },
		{ i_arrive_nocomplete(A, 3), DRM_VSM_FAULT_ARRIVAL_OVERFLOW },
		{ i_arrive_n(A, 1 << 20), DRM_VSM_FAULT_BAD_COUNT },
		{ i_drop(i_arrive_n(A, 1 << 20)), DRM_VSM_FAULT_BAD_COUNT },
		{ i_expect_tx(A, 1 << 20), DRM_VSM_FAULT_TX_RANGE },
		{ i_arrive_expect_tx(A, 1 << 21), DRM_VSM_FAULT_TX_RANGE },
		{ i_complete_tx(A, 1 << 20), DRM_VSM_FAULT_TX_RANGE },
		/* Two arrivals are pending, and one is expected. */
		{ i_drop(i_arrive_n(A, 2)), DRM_VSM_FAULT_DROP_TO_ZERO,
		  vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1) - (1ULL << VSM_SM_90_PENDING_SHIFT) },
	};
	struct drm_vsm_event_fault event = { 0 };
	unsigned int i, policy, others;
	uint64_t before;

	for (i = 0; i < 2 * ITEMS(traps); i++) {
		struct drm_vsm_insn insn = traps[i / 2].insn;
		struct cluster c;

		policy = i % 2 ? DRM_VSM_POLICY_HARDWARE : DRM_VSM_POLICY_STRICT;
		ASSERT_EQ(0, cluster_of(&c, self->c.fd, policy, i % 2 ? 0 : REPORTABLE));
		ASSERT_EQ(0, exec_one(&c, i_init(A, 2)));
		if (traps[i / 2].word)
			atomic_store(word_at(&c, A), traps[i / 2].word);
		before = usage_of(c.fd, faults);
		EXPECT_EQ(traps[i / 2].rule, exec_fault(&c, 0, insn, NULL)) TH_LOG("trap %u", i);
		/* The instruction may break other rules, too. The refusal comes last. */
		for (others = 0;; others++) {
			ASSERT_EQ(1, fault_read(c.fd, &event));
			if (!event.flags)
				break;
			EXPECT_NE(traps[i / 2].rule, event.insn.fault) TH_LOG("trap %u", i);
		}
		EXPECT_EQ(traps[i / 2].rule, event.insn.fault);
		EXPECT_EQ(before + others + 1, usage_of(c.fd, faults));
		EXPECT_EQ(-EIO, exec_one(&c, i_test_parity(A, 0)));
		fault_drain(c.fd);
		EXPECT_EQ(0, cluster_destroy(&c));
	}
}

/* The arrive of a cp.async.mbarrier.arrive poisons the word. The next operation traps. */
TEST_F(report, an_asynchronous_arrive_poisons_the_word)
{
	struct cluster *clusters[] = { &self->c, &self->hardware };
	int i;

	ASSERT_EQ(0, exec_one(&self->hardware, i_init(END, 1)));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, exec_one(clusters[i], i_init(A, 1)));
		ASSERT_EQ(0, exec_one(clusters[i], i_arrive_expect_tx(A, 16)));
		ASSERT_EQ(0, exec_one(clusters[i], i_noinc(i_cp_arrive(A))));
		ASSERT_EQ(0, async_finish(clusters[i]));
		EXPECT_TRUE(word(clusters[i], A) & VSM_SM_90_POISON);
		fault_drain(self->c.fd);
		EXPECT_FAULT(POISONED, exec_fault(clusters[i], 0, i_test_parity(A, 0), NULL));
		EXPECT_EQ(-EIO, exec_one(clusters[i], i_test_parity(A, 0)));
	}
}

/* The issue of an arrive does not change a poisoned word, but its end is counted all the same. */
TEST_F(report, an_arrive_in_flight_on_a_poisoned_word_leaves_no_trace)
{
	struct cluster c;

	ASSERT_EQ(0, cluster_of(&c, self->c.fd, DRM_VSM_POLICY_STRICT, RULE(ARRIVAL_OVERFLOW)));
	ASSERT_EQ(0, exec_one(&c, i_init(END, 1)));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&c, i_arrive_expect_tx(A, 16)));
	ASSERT_EQ(0, exec_one(&c, i_noinc(i_cp_arrive(A))));
	ASSERT_EQ(0, async_finish(&c));
	ASSERT_EQ(0, exec_one(&c, i_cp_arrive(A)));
	ASSERT_EQ(0, async_finish(&c));
	EXPECT_TRUE(word(&c, A) & VSM_SM_90_POISON);
	atomic_store(word_at(&c, A), vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1));
	EXPECT_EQ(0, exec_one(&c, i_arrive(A)));
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* A trap ends a multicast, and is what the event names, although another CTA has refused before. */
TEST_F(report, a_multicast_ends_with_a_trap)
{
	struct drm_vsm_insn copy = i_multicast(i_g2s(0x400, A, 16, self->b.handle, 0), 7);
	struct drm_vsm_event_fault event;
	struct cluster c;
	uint32_t cta;

	ASSERT_EQ(0, cluster_of(&c, self->c.fd, DRM_VSM_POLICY_STRICT, RULE(TX_RANGE)));
	for (cta = 0; cta < 3; cta++) {
		ASSERT_EQ(0, exec_at(&c, cta, i_init(AT(cta, 0x80), 1), NULL));
		ASSERT_EQ(0, exec_at(&c, cta, i_fence(), NULL));
	}
	ASSERT_EQ(0, exec_at(&c, 1, i_complete_tx(REMOTE, VSM_MBARRIER_MAX_TX), NULL));
	ASSERT_EQ(0, cluster_hold(&c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&c, copy));
	ASSERT_EQ(0, exec_one(&c, i_arrive(A)));
	ASSERT_EQ(0, cluster_hold(&c, DRM_VSM_DRAIN));
	ASSERT_EQ(1, fault_read(c.fd, &event));
	EXPECT_EQ(DRM_VSM_FAULT_TX_RANGE, event.insn.fault);
	EXPECT_NO_EVENT();
	EXPECT_EQ(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1), word(&c, AT(2, 0x80)));
	EXPECT_EQ(-EIO, exec_one(&c, i_arrive(A)));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(report, bad_counts_are_reported_for_their_operand_alone)
{
	uint32_t i;
	const struct drm_vsm_insn insns[] = {
		i_init(A, 0), i_init(A, 1 << 20), i_init(A, (1 << 20) + 3), i_arrive_n(A, 0),
		i_drop(i_arrive_n(A, 0)),
	};

	for (i = 0; i < ITEMS(insns); i++) {
		BOTH(0, i_init(A, 3));
		fault_drain(self->c.fd);
		BOTH(0, insns[i]);
		EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, BAD_COUNT, 0, 0);
		fault_drain(self->c.fd);
	}
	/* After an init with count 0 the driver knows the object: it accepts a wait. */
	BOTH(0, i_init(A, 0));
	fault_drain(self->c.fd);
	BOTH(0, i_test_parity(A, 0));
	EXPECT_NO_EVENT();
}

TEST_F(report, tokens_are_taken_as_silicon_takes_them)
{
	uint64_t tokens[3], pending;
	int i;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	for (i = 0; i < 3; i++) {
		tokens[i] = exec_result(&self->c, i_arrive(A));
		ASSERT_EQ(0, exec_look(&self->c, A));
	}
	EXPECT_NO_EVENT();
	/* Phase 3 is in progress. Phase 1 has the same parity; phases 0 and 2 have the other. */
	EXPECT_EQ(1, exec_result(&self->c, i_test_wait(A, tokens[0])));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, STALE_TOKEN, word(&self->c, A), 0);
	EXPECT_EQ(0, exec_result(&self->c, i_test_wait(A, tokens[1])));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, STALE_TOKEN, word(&self->c, A), 0);
	EXPECT_EQ(1, exec_result(&self->c, i_test_wait(A, tokens[2])));
	EXPECT_NO_EVENT();
	/* A wait that suspends its thread is reported only once. */
	EXPECT_EQ(0, exec_result(&self->c, i_try_wait(A, tokens[1], 1000)));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, STALE_TOKEN, word(&self->c, A), 0);
	EXPECT_NO_EVENT();

	pending = exec_result(&self->c, i_pending_count(tokens[2]));
	EXPECT_EQ(1, pending);
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, NOT_A_PENDING_TOKEN, 0, 0);
	EXPECT_NO_EVENT();
}

/*
 * The driver takes a stale token for the newest phase of the same parity. The wait observes that
 * phase.
 */
TEST_F(report, a_stale_token_that_answers_true_observes)
{
	uint64_t token;
	int i;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	token = exec_result(&self->c, i_arrive(A));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, exec_look(&self->c, A));
		ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	}
	EXPECT_EQ(1, exec_result(&self->c, i_test_wait(A, token)));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, STALE_TOKEN, word(&self->c, A), 0);
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_NO_EVENT();
}

TEST_F(report, a_suspended_wait_with_a_stale_token_is_woken)
{
	struct drm_vsm_insn wait;
	struct exec_thread t;
	uint64_t token;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	token = exec_result(&self->c, i_arrive(A));
	ASSERT_EQ(0, exec_look(&self->c, A));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(0, exec_look(&self->c, A));
	/* The driver takes the stale token for phase 2, which has the same parity. */
	wait = i_try_wait(A, token, LONG_HINT);
	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, 0, &wait, 1));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(0, exec_thread_join(&t));
	EXPECT_EQ(1, wait.result);
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, STALE_TOKEN,
		      vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1), 0);
	EXPECT_NO_EVENT();
}

/*
 * Only bit 0 of a parity counts. This holds for waits that answer at once, that suspend, and that
 * are armed.
 */
TEST_F(report, parities_are_taken_as_silicon_takes_them)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 4, -1, 7);
	int set = waitset_create(self->c.fd, 0);
	struct drm_vsm_insn suspends = i_try_parity(A, 6, LONG_HINT);
	struct exec_thread t;

	BOTH(0, i_init(A, 1));
	BOTH(0, i_test_parity(A, 3));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, BAD_PARITY, 0, 0);
	EXPECT_EQ(0, exec_result(&self->c, i_test_parity(A, 2)));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, BAD_PARITY, 0, 0);
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	EXPECT_EQ(0, wait.fault);
	EXPECT_REPORT(DRM_VSM_SOURCE_ARM, BAD_PARITY, 0, 0);
	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, 0, &suspends, 1));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, BAD_PARITY, 0, 0);
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(0, exec_thread_join(&t));
	EXPECT_EQ(1, suspends.result);
	ASSERT_EQ(1, record_is(set, 7, DRM_VSM_WAIT_COMPLETE, 0));
	EXPECT_NO_EVENT();
	close(set);
}

/* A wait that breaks the rule is reported once, even if signals interrupt it several times. */
TEST_F(report, a_wait_with_a_bad_parity_is_reported_once)
{
	struct drm_vsm_insn waits[] = {
		i_try_parity(A, 2, LONG_HINT), i_try_parity_unlimited(A, 2),
	};
	struct exec_thread t;
	int i, j;

	ASSERT_EQ(0, catch_signal(SIGUSR1, nothing, 0));
	for (i = 0; i < 4; i++) {
		struct drm_vsm_insn *wait = &waits[i / 2];
		struct drm_vsm_exec args = exec_args(&self->c, wait, 1);

		args.flags = i / 2 ? DRM_VSM_EXEC_NO_LIMIT : 0;
		ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
		for (j = 0; j < 3; j++) {
			ASSERT_EQ(0, exec_thread_run(&t, &self->c, args));
			ASSERT_TRUE(exec_thread_suspended(&t));
			if (!j)
				EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, BAD_PARITY, 0, 0);
			EXPECT_NO_EVENT();
			if (j == 2)
				break;
			pthread_kill(t.thread, SIGUSR1);
			ASSERT_EQ(-EINTR, exec_thread_join(&t));
			args = t.args;
		}
		ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
		ASSERT_EQ(0, exec_thread_join(&t));
		EXPECT_EQ(1, wait->result);
		EXPECT_EQ(0, t.args.deadline);
		EXPECT_NO_EVENT();
		ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
	}
}

TEST_F(report, an_armed_wait_with_a_stale_token_is_armed)
{
	struct drm_vsm_wait wait = { .cluster = self->c.handle, .addr = A, .deadline = -1 };
	int set = waitset_create(self->c.fd, 0);

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	wait.state = 0x1234;
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	EXPECT_EQ(0, wait.fault);
	EXPECT_REPORT(DRM_VSM_SOURCE_ARM, STALE_TOKEN, word(&self->c, A), 0);
	EXPECT_EQ(0, poll_events(set));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(1, record_is(set, 0, DRM_VSM_WAIT_COMPLETE, 0));
	/* A stale token can also be armed if the wait completes at once. */
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	ASSERT_EQ(1, record_is(set, 0, DRM_VSM_WAIT_COMPLETE, 0));
	EXPECT_REPORT(DRM_VSM_SOURCE_ARM, STALE_TOKEN, word(&self->c, A), 0);
	EXPECT_NO_EVENT();
	close(set);
}

TEST_F(report, an_init_that_is_not_fenced_takes_remote_arrivals)
{
	uint64_t before;

	BOTH(1, i_init(REMOTE, 2));
	before = word(&self->c, REMOTE);
	BOTH(0, i_sink(i_arrive(REMOTE)));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, INIT_NOT_FENCED, before, 0);
	EXPECT_NO_EVENT();
	BOTH(1, i_arrive(REMOTE));
	BOTH(1, i_fence());
	BOTH(1, i_test_parity(REMOTE, 0));
	BOTH(0, i_sink(i_arrive(REMOTE)));
	EXPECT_NO_EVENT();
}

/* In layout sm_90 an arrival that is in flight counts as a transaction. */
TEST_F(report, an_arrival_in_flight_may_be_one_too_many)
{
	uint64_t before = vsm_mbarrier_init(VSM_LAYOUT_SM_90, VSM_MBARRIER_MAX_COUNT);

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, VSM_MBARRIER_MAX_COUNT)));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_arrive(A)));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, PENDING_RANGE, before, 0);
	EXPECT_EQ(vsm_mbarrier_expect_tx(before, 1), word(&self->c, A));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(before, word(&self->c, A));
	EXPECT_NO_EVENT();
}

/* --- refusals in spite of a reported rule ----------------------------------------- */

TEST_F(report, a_reported_rule_hides_no_other)
{
	struct drm_vsm_event_fault event;
	struct cluster c;

	ASSERT_EQ(0, cluster_of(&c, self->c.fd, DRM_VSM_POLICY_STRICT, RULE(NOCOMPLETE_COMPLETES)));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 2)));
	EXPECT_FAULT(ARRIVAL_OVERFLOW, exec_fault(&c, 0, i_arrive_nocomplete(A, 3), NULL));
	ASSERT_EQ(1, fault_read(c.fd, &event));
	EXPECT_EQ(DRM_VSM_FAULT_NOCOMPLETE_COMPLETES, event.insn.fault);
	EXPECT_EQ(DRM_VSM_EVENT_REPORTED, event.flags);
	ASSERT_EQ(1, fault_read(c.fd, &event));
	EXPECT_EQ(DRM_VSM_FAULT_ARRIVAL_OVERFLOW, event.insn.fault);
	EXPECT_EQ(0, event.flags);
	/* The first arrive breaks a reported rule, the second one an enforced rule. */
	ASSERT_EQ(0, exec_one(&c, i_arrive_nocomplete(A, 2)));
	ASSERT_EQ(1, fault_read(c.fd, &event));
	EXPECT_EQ(DRM_VSM_FAULT_NOCOMPLETE_COMPLETES, event.insn.fault);
	EXPECT_FAULT(PHASE_UNOBSERVED, exec_fault(&c, 0, i_arrive_n(A, 2), NULL));
	ASSERT_EQ(1, fault_read(c.fd, &event));
	EXPECT_EQ(0, event.flags);
	EXPECT_EQ(0, poll_events(c.fd));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(report, no_other_rule_can_be_reported)
{
	const uint64_t enforced = RULE(PHASE_UNOBSERVED) | ON_REQUEST;
	uint64_t rule;

	for (rule = 1; rule; rule <<= 1) {
		struct drm_vsm_cluster_create args = {
			.ctas = 1, .threads = 1, .smem_bytes = 16, .report = rule,
		};
		struct cluster c;
		int ret = cluster_create_args(&c, self->c.fd, &args);

		EXPECT_EQ(rule & REPORTABLE ? 0 : -EINVAL, ret) TH_LOG("report %llx", rule + 0ULL);
		if (!ret)
			EXPECT_EQ(0, cluster_destroy(&c));
		args.report = 0;
		args.enforce = rule;
		ret = cluster_create_args(&c, self->c.fd, &args);
		EXPECT_EQ(rule & enforced ? 0 : -EINVAL, ret) TH_LOG("enforce %llx", rule + 0ULL);
		if (!ret)
			EXPECT_EQ(0, cluster_destroy(&c));
	}
}

TEST_F(report, what_cannot_be_done_is_refused)
{
	EXPECT_FAULT(NOT_AN_MBARRIER, exec_fault(&self->c, 0, i_arrive(A), NULL));
	EXPECT_FAULT(MISALIGNED, exec_fault(&self->c, 0, i_arrive(B + 4), NULL));
	EXPECT_FAULT(REMOTE_FORBIDDEN, exec_fault(&self->c, 0, i_arrive(REMOTE), NULL));
	EXPECT_FAULT(NOT_AN_MBARRIER, exec_fault(&self->c, 0, i_inval(A), NULL));
}

/* In a phase that expects no arrivals every arrive traps, also in a job. */
TEST_F(report, an_arrive_in_a_phase_that_expects_none_is_a_trap)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));

	BOTH(0, i_init(A, 0));
	BOTH(0, i_test_parity(A, 0));
	EXPECT_FAULT(ARRIVAL_OVERFLOW, exec_fault(&self->hardware, 0, arrive, NULL));
	EXPECT_EQ(-EIO, job_status(&self->c, 0, arrive));
	EXPECT_EQ(-EIO, exec_one(&self->c, i_test_parity(A, 0)));
}

/* --- inval and init of an object in use ------------------------------------------- */

TEST_F(report, an_inval_leaves_the_waiters_to_the_next_init)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 7);
	int set = waitset_create(self->c.fd, 0);

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, INVAL_IN_USE, word(&self->c, A), 0);
	EXPECT_FAULT(NOT_AN_MBARRIER, exec_fault(&self->c, 0, i_arrive(A), NULL));
	fault_drain(self->c.fd);
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	EXPECT_EQ(0, poll_events(set));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(1, record_is(set, 7, DRM_VSM_WAIT_COMPLETE, 0));
	EXPECT_NO_EVENT();
	close(set);
}

/*
 * An object ends while operations on it are in flight. When they complete, the word holds a new
 * object or none.
 */
TEST_F(report, an_object_may_end_under_what_is_in_flight)
{
	uint64_t before;
	int again;

	for (again = 0; again < 2; again++) {
		ASSERT_EQ(0, exec_one(&self->c, i_init(A, 2)));
		ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&self->c, i_cp_arrive(A)));
		ASSERT_EQ(0, exec_one(&self->c, i_g2s(0x400, A, 16, self->b.handle, 0)));
		ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
		EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, INVAL_IN_USE, word(&self->c, A), 2);
		if (again) {
			ASSERT_EQ(0, exec_one(&self->c, i_init(A, 2)));
			/*
			 * The operations are bound to the old object, but inval counts them for the
			 * new one.
			 */
			ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
			EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, INVAL_IN_USE, word(&self->c, A), 2);
			ASSERT_EQ(0, exec_one(&self->c, i_init(A, 2)));
		}
		before = word(&self->c, A);
		ASSERT_EQ(0, async_release(&self->c));
		EXPECT_REPORT(DRM_VSM_SOURCE_ASYNC, LATE_COMPLETION, before, 0);
		if (again) {
			/*
			 * The new object does not expect the old object's arrive and sixteen bytes.
			 */
			EXPECT_REPORT(DRM_VSM_SOURCE_ASYNC, LATE_COMPLETION,
				      vsm_mbarrier_complete_tx(before, 1), 0);
			EXPECT_EQ(vsm_mbarrier_complete_tx(before, 17), word(&self->c, A));
		} else {
			fault_drain(self->c.fd);
			EXPECT_EQ(before, word(&self->c, A));
			continue;
		}
		ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
		EXPECT_NO_EVENT();
	}
}

TEST_F(report, an_init_over_an_object_forgets_what_was_raised)
{
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_arrive(A)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, INIT_OVER_LIVE,
		      vsm_mbarrier_expect_tx(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1), 1),
		      DRM_VSM_MBARRIER_IN_PROGRESS);
	/* The arrival in flight does not belong to this phase. */
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_NO_EVENT();
	ASSERT_EQ(0, exec_look(&self->c, A));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_REPORT(DRM_VSM_SOURCE_ASYNC, LATE_COMPLETION,
		      vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1) | VSM_MBARRIER_PHASE, 0);
	EXPECT_NO_EVENT();
	ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
	EXPECT_NO_EVENT();
}

/* --- reports of jobs and copies --------------------------------------------------- */

TEST_F(report, a_job_continues_after_a_reported_operation)
{
	struct drm_vsm_insn insns[] = {
		i_sink(i_arrive_expect_tx(A, 16)), i_complete_tx(A, 32), i_expect_tx(A, 16),
		i_sink(i_arrive_n(A, 0)), i_sink(i_drop(i_arrive(A))),
	};
	uint32_t out = syncobj_create(self->c.fd);
	uint64_t before;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	before = word(&self->c, A);
	ASSERT_EQ(0, submit_sync(&self->c, insns, ITEMS(insns), 0, out));
	ASSERT_EQ(1, syncobj_status(self->c.fd, out));
	/* The bad operand is reported by SUBMIT. */
	EXPECT_REPORT(DRM_VSM_SOURCE_SUBMIT, BAD_COUNT, 0, 0);
	EXPECT_REPORT(DRM_VSM_SOURCE_JOB, TX_OVERDELIVERY,
		      vsm_mbarrier_arrive(VSM_LAYOUT_SM_90, before, 1, 0, 16), 0);
	EXPECT_REPORT(DRM_VSM_SOURCE_JOB, DROP_TO_ZERO, before ^ VSM_MBARRIER_PHASE, 0);
	EXPECT_REPORT(DRM_VSM_SOURCE_JOB, PHASE_UNOBSERVED, before ^ VSM_MBARRIER_PHASE, 0);
	EXPECT_NO_EVENT();
	EXPECT_EQ(0, word(&self->c, A));
	drmSyncobjDestroy(self->c.fd, out);
}

TEST_F(report, copies_write_over_objects_and_each_other)
{
	uint64_t words[4] = { 0x1111, 0x2222, 0x3333, 0x4444 };

	memcpy(self->b.map, words, sizeof(words));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 1)));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(A, 8, self->b.handle, 0)));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, WRITE_OVER_LIVE, word(&self->c, A), A);
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(A, 8, self->b.handle, 8)));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, WRITE_OVER_LIVE, word(&self->c, A), A);
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, COPY_OVERLAP, 0, 0);
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(0x600, 8, self->b.handle, 24)));
	EXPECT_NO_EVENT();
	ASSERT_EQ(0, exec_one(&self->c, i_s2g(0x600, 16, self->b.handle, 64)));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, COPY_INCOMPLETE, 0, 0);
	/* An object begins while a copy to its word is in flight. The copy is reported once. */
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(AT(0, 0x200), 8, self->b.handle, 16)));
	EXPECT_NO_EVENT();
	ASSERT_EQ(0, exec_one(&self->c, i_init(AT(0, 0x200), 1)));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	ASSERT_EQ(0, exec_one(&self->c, i_wait_all()));
	EXPECT_REPORT(DRM_VSM_SOURCE_ASYNC, WRITE_OVER_LIVE,
		      vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1), AT(0, 0x200));
	EXPECT_NO_EVENT();
	EXPECT_EQ(0x2222, word(&self->c, A));
	EXPECT_EQ(0x3333, word(&self->c, AT(0, 0x200)));
	/* A new object works, whatever bytes the copies have written to its word. */
	EXPECT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	fault_drain(self->c.fd);
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_NO_EVENT();
}

TEST_F(report, stores_read_objects_as_data)
{
	const uint64_t *to = (const uint64_t *)self->b.map;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_s2g(A, 16, self->b.handle, 64)));
	EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, READ_OVER_LIVE, word(&self->c, A), A);
	ASSERT_EQ(0, async_finish(&self->c));
	EXPECT_EQ(word(&self->c, A), to[8]);
	/* An object begins while a store that reads its word is in flight. */
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_s2g(0x600, 16, self->b.handle, 128)));
	EXPECT_NO_EVENT();
	ASSERT_EQ(0, exec_one(&self->c, i_init(0x608, 3)));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_REPORT(DRM_VSM_SOURCE_ASYNC, READ_OVER_LIVE, word(&self->c, 0x608), 0x608);
	EXPECT_EQ(word(&self->c, 0x608), to[17]);
	EXPECT_NO_EVENT();
}

TEST_F(report, bytes_that_come_late_count_in_the_phase_that_they_find)
{
	uint64_t before;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_g2s(0x400, A, 16, self->b.handle, 0)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(0, exec_look(&self->c, A));
	before = word(&self->c, A);
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_REPORT(DRM_VSM_SOURCE_ASYNC, LATE_COMPLETION, before, 0);
	EXPECT_EQ(vsm_mbarrier_complete_tx(before, 16), word(&self->c, A));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive_expect_tx(A, 16)));
	EXPECT_NO_EVENT();
	EXPECT_EQ(1, exec_result(&self->c, i_test_parity(A, 1)));
}

TEST_F(report, bytes_complete_a_phase_behind_one_that_nobody_observed)
{
	uint64_t before;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_g2s(0x400, A, 16, self->b.handle, 0)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive_expect_tx(A, 16)));
	EXPECT_NO_EVENT();
	before = word(&self->c, A);
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_REPORT(DRM_VSM_SOURCE_ASYNC, PHASE_UNOBSERVED, before, 0);
	EXPECT_EQ(vsm_mbarrier_complete_tx(before, 16), word(&self->c, A));
	EXPECT_NO_EVENT();
}

/* The device checks PHASE_UNOBSERVED exactly as PTX states it, and only reports its breaches. */
TEST_F(report, a_rule_may_be_reported_to_its_letter)
{
	struct drm_vsm_event_fault event;
	struct cluster c;

	ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 1, .threads = 1, .smem_bytes = 4096,
				  .report = RULE(PHASE_UNOBSERVED),
				  .enforce = RULE(PHASE_UNOBSERVED)));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 2)));
	ASSERT_EQ(0, exec_one(&c, i_arrive_n(A, 2)));
	EXPECT_NO_EVENT();
	ASSERT_EQ(0, exec_one(&c, i_arrive(A)));
	ASSERT_EQ(1, fault_read(c.fd, &event));
	EXPECT_EQ(DRM_VSM_FAULT_PHASE_UNOBSERVED, event.insn.fault);
	EXPECT_EQ(DRM_VSM_EVENT_REPORTED, event.flags);
	EXPECT_NO_EVENT();
	EXPECT_EQ(0, cluster_destroy(&c));
}

/*
 * As on an H100, a wait without an arrive passes, and a second arrive adds nothing: cases 26, 45
 * and 46 of selftests/golden/h100/cases.xz. Four CTAs execute all of them.
 */
TEST_F(report, of_the_barrier_of_the_cluster)
{
	const struct drm_vsm_insn wait = i_cluster_wait(), arrive = i_cluster_arrive();
	struct cluster *const clusters[] = { &self->c, &self->hardware };
	uint32_t cta, warp, i;

	for (i = 0; i < 8; i++) {
		cta = i / 2;
		warp = i % 2 * 32;
		ASSERT_EQ(0, play_one(&self->c, cta, warp, DRM_VSM_EXEC_WARP, wait, NULL));
		EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, CLUSTER_NOT_ARRIVED, 0, 0);
		ASSERT_EQ(0, play_one(&self->c, cta, warp, DRM_VSM_EXEC_WARP, arrive, NULL));
		EXPECT_NO_EVENT();
		ASSERT_EQ(0, play_one(&self->c, cta, warp, DRM_VSM_EXEC_WARP, arrive, NULL));
		EXPECT_REPORT(DRM_VSM_SOURCE_EXEC, CLUSTER_ARRIVED, 0, 0);
		ASSERT_EQ(0, play_one(&self->hardware, cta, warp, DRM_VSM_EXEC_WARP, wait, NULL));
		ASSERT_EQ(0, play_one(&self->hardware, cta, warp, DRM_VSM_EXEC_WARP, arrive, NULL));
		ASSERT_EQ(0, play_one(&self->hardware, cta, warp, DRM_VSM_EXEC_WARP, arrive, NULL));
		EXPECT_NO_EVENT();
	}
	/* The phase is complete, once. */
	for (i = 0; i < 16; i++)
		ASSERT_EQ(0, play_one(clusters[i % 2], i / 4, i / 2 % 2 * 32, DRM_VSM_EXEC_WARP,
				      wait, NULL));
	EXPECT_NO_EVENT();
}

/* --- length of the event ---------------------------------------------------------- */

/*
 * An event with flags is longer than an event without. If the buffer is too short for an event,
 * read() returns no part of it.
 */
TEST_F(report, an_event_with_flags_is_whole_or_not_read)
{
	struct drm_vsm_event_fault events[3];

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(-EPROTO, exec_one(&self->c, i_arrive(B)));
	EXPECT_GE(0, read(self->c.fd, events, FAULT_EVENT));
	EXPECT_EQ(POLLIN, poll_events(self->c.fd));
	ASSERT_EQ(sizeof(events[0]) + FAULT_EVENT, read(self->c.fd, events, sizeof(events)));
	EXPECT_EQ(sizeof(events[0]), events[0].base.length);
	EXPECT_EQ(DRM_VSM_EVENT_REPORTED, events[0].flags);
	EXPECT_EQ(0, events[0].pad);
	EXPECT_EQ(FAULT_EVENT, events[1].base.length);
	EXPECT_EQ(DRM_VSM_FAULT_NOT_AN_MBARRIER, events[1].insn.fault);
	EXPECT_NO_EVENT();
}

TEST_HARNESS_MAIN
