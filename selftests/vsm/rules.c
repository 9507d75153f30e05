// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules that depend on the history of an object: phases that no wait has observed, and tokens that
 * are too old or belong to another object. A program that keeps the rules never gets these faults.
 */
#include "fence.h"

#define A AT(0, 0x80)
#define B AT(0, 0x100)
#define C AT(2, 0x180)

FIXTURE(rules)
{
	struct cluster c;
	bool sm_80;
	uint32_t parity;	/* parity of A's phase in progress */
};

FIXTURE_VARIANT(rules) { uint32_t layout; };
FIXTURE_VARIANT_ADD(rules, sm_90) { .layout = VSM_LAYOUT_SM_90 };
FIXTURE_VARIANT_ADD(rules, sm_80) { .layout = VSM_LAYOUT_SM_80 };

FIXTURE_SETUP(rules)
{
	ASSERT_EQ(0, cluster_open_plain(&self->c, variant->layout, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 3)));
	ASSERT_EQ(0, exec_at(&self->c, 2, i_init(C, 3), NULL));
	self->sm_80 = variant->layout == VSM_LAYOUT_SM_80;
	if (!self->sm_80)
		ASSERT_EQ(0, exec_one(&self->c, i_fence()));
	self->parity = 0;
}

FIXTURE_TEARDOWN(rules)
{
	EXPECT_EQ(0, cluster_close(&self->c));
}

/* Completes the next phase of A without a wait that observes it. */
#define COMPLETE() ASSERT_EQ(0, (self->parity ^= 1, exec_one(&self->c, i_arrive(A))))

#define EXPECT_UNOBSERVED() \
	EXPECT_FAULT(PHASE_UNOBSERVED, exec_fault(&self->c, 0, i_arrive(A), NULL))

/* --- PHASE_UNOBSERVED ----------------------------------------------------- */

/*
 * Creates a second cluster with an object at B. It enforces PHASE_UNOBSERVED exactly as PTX states
 * it.
 */
static int letter_open(struct cluster *c, const struct cluster *like, uint32_t layout)
{
	int ret = cluster_make(c, like->fd, .ctas = 4, .threads = 64, .smem_bytes = 4096,
			       .layout = layout,
			       .enforce = DRM_VSM_RULE(DRM_VSM_FAULT_PHASE_UNOBSERVED));

	ret = ret ? ret : exec_one(c, i_init(B, 3));
	return ret || layout == VSM_LAYOUT_SM_80 ? ret : exec_one(c, i_fence());
}

TEST_F(rules, an_unobserved_phase_refuses_every_arrive_on_if_that_is_enforced)
{
	const struct drm_vsm_insn both[] = {
		i_arrive(B), i_arrive_nocomplete(B, 1), i_drop(i_arrive(B)),
		i_drop(i_arrive_nocomplete(B, 2)), i_sink(i_arrive(B)),
		i_sink(i_arrive_nocomplete(B, 1)), i_cp_arrive(B), i_noinc(i_cp_arrive(B)),
	};
	const struct drm_vsm_insn newer[] = {
		i_arrive_n(B, 2), i_arrive_n(B, 3), i_arrive_expect_tx(B, 16),
		i_drop(i_arrive_n(B, 2)), i_drop(i_arrive_expect_tx(B, 0)),
		i_sink(i_arrive_n(B, 1)), i_sink(i_arrive_expect_tx(B, 16)),
	};
	struct cluster c;
	size_t i;

	ASSERT_EQ(0, letter_open(&c, &self->c, variant->layout));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, exec_one(&c, i_arrive(B)));
	for (i = 0; i < ITEMS(both); i++)
		EXPECT_FAULT(PHASE_UNOBSERVED, exec_fault(&c, 0, both[i], NULL))
			TH_LOG("%zu", i);
	for (i = 0; i < ITEMS(newer) && !self->sm_80; i++)
		EXPECT_FAULT(PHASE_UNOBSERVED, exec_fault(&c, 0, newer[i], NULL))
			TH_LOG("newer %zu", i);
	/* Also try an arrive of another CTA and an arrive in a job. */
	if (!self->sm_80)
		EXPECT_FAULT(PHASE_UNOBSERVED, exec_fault(&c, 1, i_sink(i_arrive(B)), NULL));
	EXPECT_EQ(-EIO, job_status(&c, 0, i_sink(i_arrive(B))));

	/* None of the refused arrives has counted, and the program can continue. */
	EXPECT_EQ(vsm_mbarrier_init(variant->layout, 3) | VSM_MBARRIER_PHASE, word(&c, B));
	ASSERT_EQ(1, exec_result(&c, i_test_parity(B, 0)));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, exec_one(&c, i_arrive(B)));
	EXPECT_EQ(vsm_mbarrier_init(variant->layout, 3), word(&c, B));
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* Each form of arrive is refused if it makes the last pending arrival. */
TEST_F(rules, what_would_complete_a_phase_is_refused_while_the_one_before_is_unobserved)
{
	const struct drm_vsm_insn both[] = {
		i_arrive(B), i_drop(i_arrive(B)), i_sink(i_arrive(B)), i_sink(i_drop(i_arrive(B))),
	};
	const struct drm_vsm_insn newer[] = {
		i_arrive_n(B, 1), i_drop(i_arrive_n(B, 1)), i_arrive_expect_tx(B, 0),
		i_sink(i_arrive_n(B, 1)),
	};
	size_t i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, exec_one(&self->c, i_arrive(B)));
	/* Arrivals before the last one are accepted. */
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(B)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive_nocomplete(B, 1)));
	for (i = 0; i < ITEMS(both); i++)
		EXPECT_FAULT(PHASE_UNOBSERVED, exec_fault(&self->c, 0, both[i], NULL))
			TH_LOG("%zu", i);
	for (i = 0; i < ITEMS(newer) && !self->sm_80; i++)
		EXPECT_FAULT(PHASE_UNOBSERVED, exec_fault(&self->c, 0, newer[i], NULL))
			TH_LOG("newer %zu", i);
	EXPECT_EQ(-EIO, job_status(&self->c, 0, i_sink(i_arrive(B))));
	if (!self->sm_80)
		EXPECT_FAULT(PHASE_UNOBSERVED, exec_fault(&self->c, 1, i_sink(i_arrive(B)), NULL));
	ASSERT_EQ(1, exec_result(&self->c, i_test_parity(B, 0)));
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(B)));
	EXPECT_EQ(vsm_mbarrier_init(variant->layout, 3), word(&self->c, B));
}

/* complete-tx, a copy, and the arrival of a cp.async can also complete a phase. */
TEST_F(rules, whatever_completes_a_phase_is_refused_while_the_one_before_is_unobserved)
{
	struct drm_vsm_event_fault event;
	struct buffer b;

	ASSERT_EQ(0, exec_one(&self->c, i_arrive_nocomplete(B, 2)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(B)));
	fault_drain(self->c.fd);
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(B))));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive_nocomplete(B, 2)));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(DRM_VSM_FAULT_PHASE_UNOBSERVED, event.insn.fault);
	EXPECT_EQ(DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE, event.insn.op);
	EXPECT_EQ(DRM_VSM_SOURCE_ASYNC, event.source);
	EXPECT_EQ(event.insn.result, word(&self->c, B));
	if (self->sm_80)
		return;

	ASSERT_EQ(0, buffer_create(&b, self->c.fd, 4096));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive_expect_tx(B, 32)));
	EXPECT_FAULT(PHASE_UNOBSERVED, exec_fault(&self->c, 0, i_complete_tx(B, 32), NULL));
	EXPECT_EQ(-EIO, job_status(&self->c, 0, i_complete_tx(B, 32)));
	EXPECT_EQ(-EIO, job_status(&self->c, 0, i_g2s(AT(0, 0x400), B, 32, b.handle, 0)));
	/* Half of the bytes does not complete the phase. */
	EXPECT_EQ(1, job_status(&self->c, 0, i_g2s(AT(0, 0x400), B, 16, b.handle, 0)));
	ASSERT_EQ(1, exec_result(&self->c, i_test_parity(B, 0)));
	EXPECT_EQ(1, job_status(&self->c, 0, i_g2s(AT(0, 0x400), B, 16, b.handle, 0)));
	EXPECT_EQ(vsm_mbarrier_init(variant->layout, 3), word(&self->c, B));
	munmap(b.map, b.size);
}

TEST_F(rules, what_is_not_an_arrive_on_needs_no_observation)
{
	uint64_t token = exec_result(&self->c, i_arrive_nocomplete(B, 2));

	ASSERT_EQ(0, exec_one(&self->c, i_arrive(B)));
	EXPECT_EQ(2 + 1, exec_result(&self->c, i_pending_count(token)));
	EXPECT_EQ(0, exec_result(&self->c, i_test_parity(B, 1)));
	if (!self->sm_80) {
		EXPECT_EQ(0, exec_one(&self->c, i_expect_tx(B, 32)));
		EXPECT_EQ(0, exec_one(&self->c, i_complete_tx(B, 32)));
		EXPECT_EQ(0, exec_at(&self->c, 1, i_expect_tx(B, 32), NULL));
		EXPECT_EQ(0, exec_at(&self->c, 1, i_complete_tx(B, 32), NULL));
		EXPECT_EQ(1, job_status(&self->c, 0, i_expect_tx(B, 0)));
	}
	/* None of these operations is an observation. */
	ASSERT_EQ(0, exec_one(&self->c, i_arrive_nocomplete(B, 2)));
	EXPECT_FAULT(PHASE_UNOBSERVED, exec_fault(&self->c, 0, i_arrive(B), NULL));
	EXPECT_EQ(0, exec_one(&self->c, i_inval(B)));
	/* A new object has no phase before its first one. */
	EXPECT_EQ(0, exec_one(&self->c, i_init(B, 3)));
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(B)));
}

static struct drm_vsm_insn ordered(struct drm_vsm_insn insn, uint8_t sem, uint8_t scope)
{
	insn.sem = sem;
	insn.scope = scope;
	return insn;
}

TEST_F(rules, every_wait_that_answers_true_observes)
{
	struct drm_vsm_wait_record record;
	int i, count = self->sm_80 ? 3 : 12, set = waitset_create(self->c.fd, 0);

	for (i = 0; i < count; i++) {
		uint32_t p = self->parity;
		uint64_t token = exec_result(&self->c, i_arrive(A));
		struct drm_vsm_insn by_token = MBARRIER(TRY_WAIT, .addr = A, .state = token);
		const struct drm_vsm_insn waits[] = {
			i_test_wait(A, token),
			i_test_parity(A, p),
			ordered(i_test_parity(A, p), DRM_VSM_SEM_ACQUIRE,
				DRM_VSM_SCOPE_CTA),
			ordered(i_test_wait(A, token), DRM_VSM_SEM_RELAXED, DRM_VSM_SCOPE_CTA),
			ordered(i_test_wait(A, token), DRM_VSM_SEM_ACQUIRE,
				DRM_VSM_SCOPE_CLUSTER),
			i_try_wait(A, token, 0),
			i_try_wait(A, token, LONG_HINT),
			i_try_parity(A, p, 0),
			i_try_parity(A, p, LONG_HINT),
			by_token,
			i_try_parity_unlimited(A, p),
			ordered(i_try_parity(A, p, 0), DRM_VSM_SEM_RELAXED, DRM_VSM_SCOPE_CLUSTER),
		};

		self->parity ^= 1;
		EXPECT_UNOBSERVED() TH_LOG("%d", i);
		ASSERT_EQ(1, exec_result(&self->c, waits[i])) TH_LOG("%d", i);
	}
	/*
	 * A wait that is complete when it is armed observes the phase. Its record need not be read.
	 */
	for (i = 0; i < 2; i++) {
		struct drm_vsm_wait wait = wait_parity(&self->c, A, self->parity, i - 1, 0);
		uint64_t token = exec_result(&self->c, i_arrive(A));

		self->parity ^= 1;
		if (i) {
			wait.flags = 0;
			wait.state = token;
		}
		EXPECT_UNOBSERVED();
		ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	}
	COMPLETE();
	EXPECT_EQ(1, waitset_read(set, &record));
	close(set);
}

TEST_F(rules, a_wait_that_does_not_answer_true_observes_nothing)
{
	uint64_t current, past = exec_result(&self->c, i_arrive(B));
	int set = waitset_create(self->c.fd, 0), i;
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 1, -1, 0);
	struct drm_vsm_wait_record record;

	COMPLETE();
	EXPECT_EQ(0, exec_result(&self->c, i_test_parity(A, 1)));
	EXPECT_UNOBSERVED();
	if (!self->sm_80) {
		EXPECT_EQ(0, exec_result(&self->c, i_try_parity(A, 1, 0)));
		EXPECT_EQ(0, exec_result(&self->c, i_try_parity(A, 1, 1000000)));
		EXPECT_UNOBSERVED();
	}
	/* A wait that is refused. */
	EXPECT_FAULT(STALE_TOKEN, exec_fault(&self->c, 0, i_test_wait(A, past), NULL));
	EXPECT_UNOBSERVED();
	/* Waits that are cancelled or expire, or whose set is closed, do not observe the phase. */
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	ASSERT_EQ(0, waitset_cancel(self->c.fd, set, wait.id));
	EXPECT_UNOBSERVED();
	wait.deadline = now_ns();
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	ASSERT_EQ(1, waitset_read(set, &record));
	EXPECT_EQ(DRM_VSM_WAIT_EXPIRED, record.status);
	EXPECT_UNOBSERVED();
	wait.deadline = -1;
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	close(set);
	EXPECT_UNOBSERVED();

	/* Waits with current tokens observe every phase. */
	ASSERT_EQ(0, exec_look(&self->c, A));
	for (i = 0; i < 3; i++) {
		current = exec_result(&self->c, i_arrive(A));
		ASSERT_EQ(1, exec_result(&self->c, i_test_wait(A, current)));
	}
}

/* Only the wait of the woken thread observes the phase. */
TEST_F(rules, the_wake_up_of_a_sleeper_observes)
{
	struct drm_vsm_insn wait;
	struct exec_thread t;
	int i;

	if (self->sm_80)
		SKIP(return, "sm_80 has no try_wait");
	for (i = 0; i < 100; i++) {
		wait = i_try_parity(A, i % 2, LONG_HINT);
		ASSERT_EQ(0, exec_thread_start(&t, &self->c, &wait, 1));
		if (i % 3)
			ASSERT_TRUE(exec_thread_suspended(&t));
		ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
		ASSERT_EQ(0, exec_thread_join(&t));
		ASSERT_EQ(1, wait.result);
	}
	for (i = 0; i < 100; i++) {
		uint64_t token = exec_result(&self->c, i_arrive(B));

		wait = i_try_wait(B, token, LONG_HINT);
		ASSERT_EQ(0, exec_thread_start(&t, &self->c, &wait, 1));
		if (i % 3)
			ASSERT_TRUE(exec_thread_suspended(&t));
		ASSERT_EQ(0, exec_one(&self->c, i_arrive_n(B, 2)));
		ASSERT_EQ(0, exec_thread_join(&t));
		ASSERT_EQ(1, wait.result);
	}
}

TEST_F(rules, the_completion_of_an_armed_wait_observes)
{
	struct drm_vsm_wait_record record;
	int i, set = waitset_create(self->c.fd, 0);

	for (i = 0; i < 50; i++) {
		struct drm_vsm_wait wait = wait_parity(&self->c, A, i % 2, -1, i);

		ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
		ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	}
	/* The arrives were accepted although no record has been read. */
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(1, waitset_read(set, &record));
		EXPECT_EQ(i, record.user_data);
	}
	close(set);
}

/* First a job's arrive completes a phase, then a job's complete-tx. */
TEST_F(rules, a_phase_that_a_job_completes_must_be_observed)
{
	if (self->sm_80)
		SKIP(return, "sm_80 has no tx-count");
	ASSERT_EQ(1, job_status(&self->c, 0, i_sink(i_arrive(A))));
	EXPECT_UNOBSERVED();
	ASSERT_EQ(1, exec_result(&self->c, i_test_parity(A, 0)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive_expect_tx(A, 64)));
	/* This phase is not complete. A second arrival is therefore one too many. */
	EXPECT_FAULT(ARRIVAL_OVERFLOW, exec_fault(&self->c, 0, i_arrive(A), NULL));
	ASSERT_EQ(1, job_status(&self->c, 0, i_complete_tx(A, 64)));
	EXPECT_UNOBSERVED();
	ASSERT_EQ(1, exec_result(&self->c, i_test_parity(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
}

TEST_F(rules, one_observation_is_enough_for_all_arrivals_of_the_next_phase)
{
	struct cluster c;
	int phase, i;

	ASSERT_EQ(0, letter_open(&c, &self->c, variant->layout));
	for (phase = 0; phase < 20; phase++) {
		for (i = 0; i < 3; i++)
			ASSERT_EQ(0, exec_one(&c, i_arrive(B)));
		EXPECT_FAULT(PHASE_UNOBSERVED, exec_fault(&c, 0, i_arrive(B), NULL));
		ASSERT_EQ(0, exec_look(&c, B));
	}
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* --- STALE_TOKEN ---------------------------------------------------------- */

#define EXPECT_STALE(addr, token) do { \
	EXPECT_EQ(DRM_VSM_FAULT_STALE_TOKEN, \
		  exec_fault(&self->c, (addr) >> 24, i_test_wait(addr, token), NULL)); \
	if (!self->sm_80) { \
		EXPECT_EQ(DRM_VSM_FAULT_STALE_TOKEN, \
			  exec_fault(&self->c, (addr) >> 24, i_try_wait(addr, token, 0), NULL)); \
		EXPECT_EQ(DRM_VSM_FAULT_STALE_TOKEN, \
			  exec_fault(&self->c, (addr) >> 24, \
				     i_try_wait(addr, token, LONG_HINT), NULL)); \
	} \
	EXPECT_FAULT(STALE_TOKEN, arm_fault(&self->c, addr, token)); \
} while (0)

/* Arms a wait. Returns its fault, or 0 if it was armed. */
static int arm_fault(const struct cluster *c, uint32_t addr, uint64_t token)
{
	struct drm_vsm_wait wait = {
		.cluster = c->handle, .addr = addr, .state = token, .deadline = -1,
	};
	int set = waitset_create(c->fd, 0);
	int ret = waitset_arm(c->fd, set, &wait, 1, NULL);

	close(set);
	return ret == -EPROTO ? (int)wait.fault : ret;
}

TEST_F(rules, a_token_is_good_for_its_phase_and_the_next_and_stale_after_that)
{
	uint64_t tokens[8][3];
	int phase, i, old;

	for (phase = 0; phase < 8; phase++) {
		for (i = 0; i < 3; i++) {
			tokens[phase][i] = exec_result(&self->c, i_arrive(B));
			if (i < 2)
				EXPECT_EQ(0, exec_result(&self->c,
							 i_test_wait(B, tokens[phase][i])));
			/* A token of the previous phase is valid until this phase completes. */
			if (i < 2 && phase)
				EXPECT_EQ(1, exec_result(&self->c,
							 i_test_wait(B, tokens[phase - 1][i])));
		}
		for (i = 0; i < 3; i++) {
			EXPECT_EQ(1, exec_result(&self->c, i_test_wait(B, tokens[phase][i])));
			EXPECT_EQ(0, arm_fault(&self->c, B, tokens[phase][i]));
		}
		for (old = 0; old < phase; old++)
			EXPECT_STALE(B, tokens[old][phase % 3]);
	}
	/* The refused waits have changed nothing. */
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(B)));
}

TEST_F(rules, a_token_of_another_object_is_stale)
{
	uint64_t a = exec_result(&self->c, i_arrive(A)), b = exec_result(&self->c, i_arrive(B));
	uint64_t c;

	ASSERT_EQ(0, exec_at(&self->c, 2, i_arrive(C), &c));
	EXPECT_STALE(A, b);
	EXPECT_STALE(A, c);
	EXPECT_STALE(B, a);
	EXPECT_STALE(B, c);	/* c and b have the same high half */
	EXPECT_STALE(C, a);
	EXPECT_STALE(C, b);
	EXPECT_EQ(1, exec_result(&self->c, i_test_wait(A, a)));
	EXPECT_EQ(0, exec_result(&self->c, i_test_wait(B, b)));
}

TEST_F(rules, a_token_of_an_object_that_was_at_the_same_place_is_stale)
{
	uint64_t tokens[200];
	int i, j;

	for (i = 0; i < 200; i++) {
		tokens[i] = exec_result(&self->c, i_arrive(B));
		EXPECT_EQ(0, exec_result(&self->c, i_test_wait(B, tokens[i])));
		/* Let some objects pass a few phases before they end. */
		for (j = 0; j < i % 7; j++) {
			ASSERT_EQ(0, exec_one(&self->c, i_arrive(B)));
			ASSERT_EQ(0, exec_look(&self->c, B));
		}
		ASSERT_EQ(0, exec_one(&self->c, i_inval(B)));
		EXPECT_EQ(DRM_VSM_FAULT_NOT_AN_MBARRIER,
			  exec_fault(&self->c, 0, i_test_wait(B, tokens[i]), NULL));
		ASSERT_EQ(0, exec_one(&self->c, i_init(B, 3)));
	}
	for (i = 0; i < 200; i++)
		EXPECT_FAULT(STALE_TOKEN, exec_fault(&self->c, 0, i_test_wait(B, tokens[i]), NULL));
}

TEST_HARNESS_MAIN
