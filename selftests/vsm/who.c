// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state and the events of a cluster name exactly the threads that they are about: those that
 * wait, and those that are refused.
 */
#include "async.h"
#include "fence.h"
#include "lanes.h"
#include "recorder.h"
#include "state.h"

#define A AT(0, 0x80)
#define FAR (1LL << 60)
#define NO_MBARRIER AT(1, 0x300)
#define DATA AT(0, 0x400)
#define FIRST 32		/* first thread of the second warp */

FIXTURE(who)
{
	struct cluster c;
	struct buffer b;
	struct events e;
	struct listing *l;
	int set;
};

static int who_open(struct cluster *c, uint64_t report)
{
	int ret = cluster_make_open(c, .ctas = 2, .threads = 64, .smem_bytes = 4096,
				    .trace_events = MAX_EVENTS, .report = report);

	return ret ? : exec_one(c, i_init(A, 1)) ? : exec_one(c, i_init(END, 1));
}

FIXTURE_SETUP(who)
{
	self->l = malloc(sizeof(*self->l));
	ASSERT_NE(NULL, self->l);
	ASSERT_EQ(0, who_open(&self->c, 0));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, 4096));
	self->set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->set);
	memset(&self->e, 0, sizeof(self->e));
	ASSERT_EQ(0, events_read(&self->c, &self->e));
}

FIXTURE_TEARDOWN(who)
{
	if (_metadata->exit_code == KSFT_FAIL)
		events_print(&self->e);
	close(self->set);
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_close(&self->c));
	free(self->l);
}

#define EVENT(name, nth) event_find(&self->e, DRM_VSM_TRACE_##name, nth)
#define COUNT(name) event_count(&self->e, DRM_VSM_TRACE_##name)
#define READ() ASSERT_EQ(0, events_read(&self->c, &self->e))

/* --- armed waits for a phase -------------------------------------------------------- */

TEST_F(who, an_armed_wait_for_a_phase_is_about_no_thread)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 7);
	struct drm_vsm_trace_event e;

	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	wait = wait_parity(&self->c, NO_MBARRIER, 0, -1, 7);
	ASSERT_EQ(-EPROTO, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	READ();
	e = EVENT(WAIT_ARM, 0);
	EXPECT_EQ(A, e.addr);
	EXPECT_EQ(0, e.lanes | e.thread);
	e = EVENT(WAIT_END, 0);
	EXPECT_EQ(A, e.addr);
	EXPECT_EQ(0, e.lanes | e.thread);
	e = EVENT(FAULT, 0);
	EXPECT_EQ(NO_MBARRIER, e.addr);
	EXPECT_EQ(1, e.cta);
	EXPECT_EQ(0, e.lanes | e.thread);
}

TEST_F(who, an_armed_wait_for_a_phase_names_the_lanes_that_wait)
{
	struct drm_vsm_insn insn = i_try_parity(A, 0, 0);
	struct drm_vsm_wait wait = wait_lanes(&self->c, FIRST, 0x60, 0, &insn);
	struct drm_vsm_state_entry *e;

	wait.deadline = FAR;
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	FIND_ENTRY(e, PHASE, 0);
	EXPECT_EQ(37, e->thread);
	EXPECT_EQ(0x60, e->lanes);
	READ();
	EXPECT_EQ(37, EVENT(WAIT_ARM, 0).thread);
	EXPECT_EQ(0x60, EVENT(WAIT_ARM, 0).lanes);
}

/* --- groups -------------------------------------------------------------------------- */

/*
 * Issues copy @n of a thread as a group of cp.async or of bulk copies. The group stays in flight.
 * Copies with different numbers use different bytes.
 */
static int hold_group(const struct cluster *c, const struct buffer *b, uint32_t thread, bool bulk,
		      uint32_t n)
{
	struct drm_vsm_insn insns[] = {
		bulk ? i_s2g(AT(0, 0x800 + 16 * n), 16, b->handle, 1024 + 16 * n) :
		       i_cp_async(DATA + 16 * n, 16, b->handle, 16 * n),
		bulk ? i_bulk_commit() : i_commit(),
	};
	struct drm_vsm_exec args = play_args(c, 0, thread, 0, insns, 2);

	return cluster_hold(c, DRM_VSM_HOLD) ? : vsm_exec(c->fd, &args);
}

TEST_F(who, an_armed_wait_for_groups_names_its_threads)
{
	struct drm_vsm_insn insn = i_wait_group(0);
	struct drm_vsm_wait wait = wait_insn(&self->c, 0, 37, 0, &insn);
	uint32_t i, lanes[] = { 1 << 5, 1 << 5, 0x60 };

	for (i = 0; i < ITEMS(lanes); i++) {
		ASSERT_EQ(0, hold_group(&self->c, &self->b, 37, false, 2 * i));
		ASSERT_EQ(0, hold_group(&self->c, &self->b, 38, false, 2 * i + 1));
		if (i == 1)
			wait = wait_insn(&self->c, 0, 37, DRM_VSM_WAIT_WARP, &insn);
		if (i == 2)
			wait = wait_lanes(&self->c, FIRST, 0x60, 0, &insn);
		ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
		ASSERT_EQ(0, cluster_hold(&self->c, 0));
		ASSERT_EQ(1, record_is(self->set, wait.user_data, DRM_VSM_WAIT_COMPLETE, 0));
		READ();
		EXPECT_EQ(37, EVENT(WAIT_ARM, 0).thread) TH_LOG("%u", i);
		EXPECT_EQ(lanes[i], EVENT(WAIT_ARM, 0).lanes) TH_LOG("%u", i);
		EXPECT_EQ(37, EVENT(WAIT_END, 0).thread) TH_LOG("%u", i);
		EXPECT_EQ(lanes[i], EVENT(WAIT_END, 0).lanes) TH_LOG("%u", i);
	}
}

TEST_F(who, a_task_that_waits_for_one_kind_of_groups_does_not_wait_for_the_other)
{
	struct drm_vsm_insn wait = i_wait_group(0);
	struct drm_vsm_state_entry *e;
	struct exec_thread t;
	int i;

	ASSERT_EQ(0, hold_group(&self->c, &self->b, 5, false, 0));
	ASSERT_EQ(0, hold_group(&self->c, &self->b, 5, true, 0));
	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 5, 0, &wait, 1));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	ASSERT_EQ(2, state_count(self->l, DRM_VSM_STATE_GROUPS));
	for (i = 0; i < 2; i++) {
		e = state_entry(self->l, DRM_VSM_STATE_GROUPS, i);
		EXPECT_EQ(5, e->thread);
		EXPECT_EQ(1, e->count);
		EXPECT_EQ(e->id ? 0 : DRM_VSM_STATE_SUSPENDED, e->flags);
		EXPECT_EQ(e->id ? 0 : getpid(), e->pid);
		EXPECT_EQ(e->id ? 0 : self->l->args.client, e->client);
		EXPECT_EQ(e->id ? 0 : atomic_load(&t.tid), e->tid);
	}
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	EXPECT_EQ(0, exec_thread_join(&t));
}

/* A bulk copy ends while a task wakes up whose cp.async has ended. */
TEST_F(who, the_end_of_a_wait_for_groups_names_a_copy_of_its_kind)
{
	int i, round, rounds = repeat(40);

	for (round = 0; round < rounds; round++) {
		struct drm_vsm_insn wait = i_wait_group(0);
		struct exec_thread t;
		uint64_t id;

		ASSERT_EQ(0, hold_group(&self->c, &self->b, 5, false, 0));
		READ();
		ASSERT_EQ(1, COUNT(COPY_ISSUE));
		id = EVENT(COPY_ISSUE, 0).id;
		for (i = 0; i < 20; i++)
			ASSERT_EQ(0, hold_group(&self->c, &self->b, 5, true, i));
		ASSERT_TRUE(suspend_as(&t, &self->c, 0, 5, 0, &wait, 1));
		READ();
		ASSERT_EQ(0, cluster_hold(&self->c, 0));
		ASSERT_EQ(0, exec_thread_join(&t));
		ASSERT_EQ(0, events_await(&self->c, &self->e, DRM_VSM_TRACE_RESUME));
		ASSERT_EQ(id, EVENT(RESUME, 0).cause);
		ASSERT_EQ(0, play_one(&self->c, 0, 5, 0, i_bulk_wait(0), NULL));
		READ();
	}
}

/* --- refused lanes ------------------------------------------------------------------ */

TEST_F(who, a_refused_wait_of_lanes_is_one_of_the_first_lane)
{
	EXPECT_EQ(-EPROTO, exec_same(&self->c, FIRST, 0xf0, i_test_parity(NO_MBARRIER, 0), NULL,
				     NULL));
	READ();
	EXPECT_EQ(1, COUNT(FAULT));
	EXPECT_EQ(0, COUNT(INSN));
	EXPECT_EQ(36, EVENT(FAULT, 0).thread);
	EXPECT_EQ(0x10, EVENT(FAULT, 0).lanes);
}

TEST_F(who, lanes_that_break_a_rule_which_is_reported_are_events_of_their_own)
{
	uint32_t i, results = 0;

	cluster_close(&self->c);
	ASSERT_EQ(0, who_open(&self->c, RULE(BAD_PARITY)));
	self->e.next = 0;
	READ();
	ASSERT_EQ(0, exec_same(&self->c, FIRST, 0xf0, i_test_parity(A, 2), NULL, NULL));
	READ();
	EXPECT_EQ(4, COUNT(FAULT));
	EXPECT_EQ(4, COUNT(INSN));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(36 + i, EVENT(FAULT, i).thread);
		EXPECT_EQ(0x10 << i, EVENT(FAULT, i).lanes);
		results |= EVENT(INSN, i).lanes;
	}
	EXPECT_EQ(0xf0, results);
}

TEST_F(who, an_armed_wait_that_is_refused_names_the_lane_that_breaks_the_rule)
{
	struct drm_vsm_insn exit = i_exit();
	struct drm_vsm_exec args = play_args(&self->c, 0, 38, 0, &exit, 1);

	ASSERT_EQ(0, vsm_exec(self->c.fd, &args));
	READ();
	EXPECT_EQ(DRM_VSM_FAULT_THREAD_EXITED,
		  arm_lanes(&self->c, self->set, FIRST, 0xf0, 0, i_try_parity(A, 0, 0)));
	READ();
	EXPECT_EQ(1, COUNT(FAULT));
	EXPECT_EQ(38, EVENT(FAULT, 0).thread);
	EXPECT_EQ(0x40, EVENT(FAULT, 0).lanes);
}

TEST_F(who, a_refused_wait_for_groups_names_the_lanes_that_wait_already)
{
	uint32_t thread;

	for (thread = 36; thread < 40; thread++)
		ASSERT_EQ(0, hold_group(&self->c, &self->b, thread, false, thread - 36));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, FIRST, 0x60, 0, i_wait_group(0)));
	READ();
	EXPECT_EQ(DRM_VSM_FAULT_THREAD_SUSPENDED,
		  arm_lanes(&self->c, self->set, FIRST, 0xf0, 0, i_wait_group(0)));
	READ();
	EXPECT_EQ(1, COUNT(FAULT));
	EXPECT_EQ(37, EVENT(FAULT, 0).thread);
	EXPECT_EQ(0x60, EVENT(FAULT, 0).lanes);
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
}

/* --- rendezvous --------------------------------------------------------------------- */

TEST_F(who, all_lanes_of_an_armed_wait_are_listed_as_armed)
{
	struct drm_vsm_insn sync = i_warp_sync(0xf);
	struct drm_vsm_state_entry *e;
	struct drm_vsm_wait wait;
	uint32_t i, suspended;

	ASSERT_EQ(0, exec_same(&self->c, FIRST, 0x7, sync, NULL, &suspended));
	ASSERT_EQ(0x7, suspended);
	wait = wait_lanes(&self->c, FIRST, 0x6, 0, &sync);
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	ASSERT_EQ(3, state_count(self->l, DRM_VSM_STATE_RENDEZVOUS));
	for (i = 0; i < 3; i++) {
		e = state_entry(self->l, DRM_VSM_STATE_RENDEZVOUS, i);
		EXPECT_EQ(FIRST + i, e->thread);
		EXPECT_EQ(1 << i, e->lanes);
		EXPECT_EQ(8, e->missing);
		/* Nobody waits for lane 0. */
		EXPECT_EQ(i ? DRM_VSM_STATE_ARMED : DRM_VSM_STATE_LEFT, e->flags);
		EXPECT_EQ(i ? FIRST : 0, e->user_data);
		EXPECT_EQ(i ? self->l->args.client : 0, e->client);
		EXPECT_EQ(!i, !e->since);
	}
}

/* --- loss --------------------------------------------------------------------------- */

struct killer {
	const struct cluster *c;
	pthread_barrier_t *start;
	pthread_t thread;
};

static void *kill_cluster(void *arg)
{
	struct killer *k = arg;

	pthread_barrier_wait(k->start);
	exec_one(k->c, i_arrive(A));
	return NULL;
}

TEST_F(who, a_cluster_is_lost_once_however_many_tasks_kill_it)
{
	int i, round, rounds = repeat(300);
	struct killer killers[4];
	pthread_barrier_t start;

	ASSERT_EQ(0, pthread_barrier_init(&start, NULL, ITEMS(killers)));
	for (round = 0; round < rounds; round++) {
		struct cluster c;

		ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 1, .threads = 32,
					  .smem_bytes = 4096, .trace_events = 64,
					  .policy = DRM_VSM_POLICY_HARDWARE));
		ASSERT_EQ(0, exec_one(&c, i_init(A, 4)));
		atomic_fetch_or(word_at(&c, A), VSM_SM_90_POISON);
		for (i = 0; i < ITEMS(killers); i++) {
			killers[i] = (struct killer){ .c = &c, .start = &start };
			ASSERT_EQ(0, pthread_create(&killers[i].thread, NULL, kill_cluster,
						    &killers[i]));
		}
		for (i = 0; i < ITEMS(killers); i++)
			pthread_join(killers[i].thread, NULL);
		self->e.next = 0;
		ASSERT_EQ(0, events_read(&c, &self->e));
		ASSERT_EQ(1, COUNT(CLUSTER_LOST)) TH_LOG("round %d", round);
		ASSERT_EQ(0, cluster_destroy(&c));
	}
	pthread_barrier_destroy(&start);
}

TEST_HARNESS_MAIN
