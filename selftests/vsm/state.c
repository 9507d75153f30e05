// SPDX-License-Identifier: GPL-2.0-only
/*
 * CLUSTER_STATE lists who waits in a cluster and for what, and what is in flight.
 */
#include "async.h"
#include "channel.h"
#include "groups.h"
#include "model.h"
#include "rendezvous.h"
#include "state.h"

#define A AT(0, 0x40)
#define B AT(1, 0x48)
#define FAR (1LL << 60)

FIXTURE(state)
{
	struct cluster c;
	struct listing *l;
	uint32_t client;
};

FIXTURE_SETUP(state)
{
	struct drm_vsm_object_info info = {};

	self->l = malloc(sizeof(*self->l));
	ASSERT_NE(NULL, self->l);
	ASSERT_EQ(0, rv_create(&self->c, 2, 64, DRM_VSM_POLICY_STRICT));
	info.handle = self->c.handle;
	ASSERT_EQ(0, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_OBJECT_INFO, &info));
	self->client = info.client;
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 3)));
	ASSERT_EQ(0, exec_at(&self->c, 1, i_init(B, 1), NULL));
	ASSERT_EQ(0, exec_one(&self->c, i_fence()));
	ASSERT_EQ(0, exec_at(&self->c, 1, i_fence(), NULL));
}

/* The time of the last tick */
static int64_t last_tick_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

FIXTURE_TEARDOWN(state)
{
	rv_destroy(&self->c);
	free(self->l);
}

TEST_F(state, a_cluster_that_does_nothing_has_no_entries)
{
	struct drm_vsm_cluster_state *s = &self->l->args;
	int64_t before = now_ns();

	ASSERT_EQ(0, state_read(self->l, &self->c));
	EXPECT_EQ(0, s->count | s->total | s->status | s->suspended | s->flags);
	EXPECT_EQ(cluster_number(&self->c), s->number);
	EXPECT_EQ(self->c.handle, s->handle);
	EXPECT_EQ(self->client, s->client);
	EXPECT_EQ(getpid(), s->pid);
	EXPECT_EQ(2, s->ctas);
	EXPECT_EQ(64, s->threads);
	EXPECT_EQ(4096, s->smem_bytes);
	EXPECT_EQ(VSM_LAYOUT_SM_90, s->layout);
	EXPECT_EQ(DRM_VSM_POLICY_STRICT, s->policy);
	EXPECT_EQ(128, s->live);
	EXPECT_LE(before, s->time);
	EXPECT_GE(now_ns(), s->time);
	EXPECT_STREQ("state", s->comm);
	/* Entries that there are not are not written. */
	EXPECT_EQ(0xa5a5a5a5, self->l->entries[0].kind);
}

TEST_F(state, a_suspended_task_is_listed_with_its_word_and_its_wait)
{
	struct drm_vsm_insn wait = i_try_parity(A, 0, LONG_HINT);
	struct drm_vsm_state_entry *e;
	int64_t ticked = last_tick_ns(), after;
	struct exec_thread t;

	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 33, 0, &wait, 1));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	after = now_ns();
	ASSERT_EQ(1, self->l->args.total);
	ASSERT_EQ(1, self->l->args.count);
	EXPECT_EQ(0, self->l->args.suspended);
	e = &self->l->entries[0];
	EXPECT_EQ(DRM_VSM_STATE_PHASE, e->kind);
	EXPECT_EQ(DRM_VSM_STATE_SUSPENDED, e->flags);
	EXPECT_EQ(self->client, e->client);
	EXPECT_EQ(getpid(), e->pid);
	EXPECT_EQ(atomic_load(&t.tid), e->tid);
	EXPECT_EQ(0, e->cta);
	EXPECT_EQ(33, e->thread);
	EXPECT_EQ(2, e->lanes);
	EXPECT_EQ(word(&self->c, A), e->word);
	EXPECT_EQ(DRM_VSM_OP_MBARRIER_TRY_WAIT, e->insn.op);
	EXPECT_EQ(DRM_VSM_MOD_PARITY, e->insn.mods);
	EXPECT_EQ(A, e->insn.u.mbarrier.addr);
	EXPECT_EQ(0, e->insn.u.mbarrier.parity);
	/*
	 * The beginning of the wait is known to a tick, which is at most 10 ms. On a busy machine
	 * ticks are late, and last_tick_ns() is late by as much.
	 */
	EXPECT_LE(ticked - 20000000, e->since);
	EXPECT_GE(after, e->since);
	EXPECT_LT(self->l->args.time, e->deadline);
	EXPECT_EQ(0, e->user_data | e->mask | e->passed | e->missing | e->count | e->total);
	EXPECT_EQ(0, e->id | e->pad | e->name[0] | e->insn.result | e->insn.fault);

	ASSERT_EQ(0, exec_one(&self->c, i_arrive_n(A, 2)));
	EXPECT_EQ(0, exec_thread_join(&t));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	EXPECT_EQ(0, self->l->args.total);
}

TEST_F(state, a_task_without_a_limit_counts_as_suspended)
{
	struct drm_vsm_insn wait = i_try_parity_unlimited(B, 0);
	struct drm_vsm_state_entry *e;
	struct exec_thread t;

	ASSERT_TRUE(suspend_as(&t, &self->c, 1, 32, DRM_VSM_EXEC_NO_LIMIT | DRM_VSM_EXEC_WARP,
			       &wait, 1));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	ASSERT_EQ(1, self->l->args.total);
	EXPECT_EQ(32, self->l->args.suspended);
	e = &self->l->entries[0];
	EXPECT_EQ(DRM_VSM_STATE_SUSPENDED | DRM_VSM_STATE_NO_LIMIT, e->flags);
	EXPECT_EQ(1, e->cta);
	EXPECT_EQ(32, e->thread);
	EXPECT_EQ(ALL_LANES, e->lanes);
	EXPECT_EQ(-1, e->deadline);
	EXPECT_EQ(B, e->insn.u.mbarrier.addr);
	ASSERT_EQ(0, exec_at(&self->c, 1, i_arrive(B), NULL));
	EXPECT_EQ(0, exec_thread_join(&t));
}

TEST_F(state, armed_waits_are_listed_with_their_user_data)
{
	uint64_t token = exec_result(&self->c, i_arrive(A));
	int set = waitset_create(self->c.fd, 0);
	struct drm_vsm_wait waits[] = {
		wait_parity(&self->c, B, 0, -1, 77),
		{ .cluster = self->c.handle, .addr = A, .state = token, .deadline = FAR,
		  .user_data = 78 },
	};
	struct drm_vsm_state_entry *e;
	uint32_t i;

	ASSERT_LE(0, set);
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, waits, 2, NULL));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	ASSERT_EQ(2, self->l->args.total);
	for (i = 0; i < 2; i++) {
		e = &self->l->entries[i];
		EXPECT_EQ(DRM_VSM_STATE_PHASE, e->kind);
		EXPECT_EQ(DRM_VSM_STATE_ARMED, e->flags);
		EXPECT_EQ(self->client, e->client);
		EXPECT_EQ(getpid(), e->pid);
		EXPECT_EQ(0, e->tid | e->lanes);
		EXPECT_NE(0, e->since);
		if (e->user_data == 78) {
			EXPECT_EQ(A, e->insn.u.mbarrier.addr);
			EXPECT_EQ(token, e->insn.u.mbarrier.state);
			EXPECT_EQ(0, e->insn.mods);
			EXPECT_EQ(FAR, e->deadline);
		} else {
			EXPECT_EQ(77, e->user_data);
			EXPECT_EQ(B, e->insn.u.mbarrier.addr);
			EXPECT_EQ(-1, e->deadline);
		}
	}
	ASSERT_EQ(0, waitset_cancel(self->c.fd, set, waits[0].id));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	EXPECT_EQ(1, self->l->args.total);
	close(set);
	ASSERT_EQ(0, state_read(self->l, &self->c));
	EXPECT_EQ(0, self->l->args.total);
}

TEST_F(state, threads_in_a_warp_operation_are_listed_with_those_that_are_missing)
{
	struct drm_vsm_insn sync = i_warp_sync(0xff);
	struct drm_vsm_state_entry *e;
	struct exec_thread t;
	uint64_t lane;

	ASSERT_EQ(0, play_one(&self->c, 0, 7, 0, i_exit(), NULL));
	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 2, 0, &sync, 1));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	ASSERT_EQ(2, self->l->args.total);
	EXPECT_EQ(127, self->l->args.live);
	EXPECT_EQ(2, self->l->args.suspended);
	FIND_ENTRY(e, EXITED, 0);
	EXPECT_EQ(0, e->cta | e->thread);
	EXPECT_EQ(1 << 7, e->lanes);
	FIND_ENTRY(e, RENDEZVOUS, 0);
	EXPECT_EQ(DRM_VSM_STATE_SUSPENDED, e->flags);
	EXPECT_EQ(0, e->cta);
	EXPECT_EQ(2, e->thread);
	EXPECT_EQ(4, e->lanes);
	EXPECT_EQ(0xff, e->mask);
	EXPECT_EQ(0x7b, e->missing);
	EXPECT_EQ(DRM_VSM_OP_BAR_WARP_SYNC, e->insn.op);
	EXPECT_EQ(0xff, e->insn.u.warp.membermask);
	EXPECT_EQ(atomic_load(&t.tid), e->tid);
	EXPECT_NE(0, e->since);
	for (lane = 0; lane < 7; lane++)
		if (lane != 2)
			ASSERT_EQ(0, play_one(&self->c, 0, lane, 0, i_exit(), NULL));
	EXPECT_EQ(0, rv_join(&t));
}

TEST_F(state, a_wait_that_was_cancelled_leaves_its_threads_in_the_instruction)
{
	struct drm_vsm_insn sync = i_warp_sync(3);
	int set = waitset_create(self->c.fd, 0);
	struct drm_vsm_wait wait = wait_insn(&self->c, 0, 1, 0, &sync);
	struct drm_vsm_state_entry *e;

	ASSERT_LE(0, set);
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	FIND_ENTRY(e, RENDEZVOUS, 0);
	EXPECT_EQ(DRM_VSM_STATE_ARMED, e->flags);
	EXPECT_EQ(1, e->user_data);
	EXPECT_EQ(1, e->missing);
	ASSERT_EQ(0, waitset_cancel(self->c.fd, set, wait.id));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	FIND_ENTRY(e, RENDEZVOUS, 0);
	EXPECT_EQ(DRM_VSM_STATE_LEFT, e->flags);
	EXPECT_EQ(2, e->lanes);
	EXPECT_EQ(1, e->missing);
	EXPECT_EQ(0, e->client | e->pid | e->tid);
	EXPECT_EQ(0, e->since);
	close(set);
}

TEST_F(state, barriers_are_listed_with_the_warps_that_have_arrived)
{
	struct drm_vsm_insn sync = i_barrier_sync_n(3, 96);
	struct drm_vsm_state_entry *e;
	struct exec_thread t;

	ASSERT_EQ(0, play_one(&self->c, 1, 0, DRM_VSM_EXEC_WARP, i_barrier_arrive(3, 96), NULL));
	ASSERT_TRUE(suspend_as(&t, &self->c, 1, 32, DRM_VSM_EXEC_WARP, &sync, 1));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	ASSERT_EQ(2, self->l->args.total);
	FIND_ENTRY(e, BARRIER, 0);
	EXPECT_EQ(1, e->cta);
	EXPECT_EQ(3, e->id);
	EXPECT_EQ(64, e->count);
	EXPECT_EQ(96, e->total);
	EXPECT_EQ(2, e->mask);
	EXPECT_EQ(1, e->passed);
	EXPECT_EQ(0, e->missing);
	FIND_ENTRY(e, RENDEZVOUS, 0);
	EXPECT_EQ(DRM_VSM_STATE_SUSPENDED | DRM_VSM_STATE_ACROSS, e->flags);
	EXPECT_EQ(32, e->thread);
	EXPECT_EQ(ALL_LANES, e->lanes);
	EXPECT_EQ(0, e->missing);
	EXPECT_EQ(3, e->insn.u.barrier.barrier);
	ASSERT_EQ(0, play_one(&self->c, 1, 0, DRM_VSM_EXEC_WARP, i_barrier_arrive(3, 96), NULL));
	EXPECT_EQ(0, rv_join(&t));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	EXPECT_EQ(0, state_count(self->l, DRM_VSM_STATE_BARRIER));
}

TEST_F(state, the_barrier_of_the_cluster_is_listed_with_its_threads)
{
	struct drm_vsm_insn wait = i_cluster_wait();
	struct drm_vsm_state_entry *e;
	struct exec_thread t;
	uint32_t warp;

	ASSERT_EQ(0, play_one(&self->c, 1, 0, DRM_VSM_EXEC_WARP, i_cluster_arrive(), NULL));
	ASSERT_TRUE(suspend_as(&t, &self->c, 1, 0, DRM_VSM_EXEC_WARP, &wait, 1));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	ASSERT_EQ(3, self->l->args.total);
	FIND_ENTRY(e, CLUSTER_BARRIER, 0);
	EXPECT_EQ(32, e->count);
	EXPECT_EQ(128, e->total);
	FIND_ENTRY(e, CLUSTER_ARRIVED, 0);
	EXPECT_EQ(1, e->cta);
	EXPECT_EQ(ALL_LANES, e->lanes);
	EXPECT_EQ(0, e->flags);
	FIND_ENTRY(e, RENDEZVOUS, 0);
	EXPECT_EQ(DRM_VSM_STATE_SUSPENDED | DRM_VSM_STATE_ACROSS, e->flags);
	EXPECT_EQ(DRM_VSM_OP_BARRIER_CLUSTER_WAIT, e->insn.op);
	for (warp = 0; warp < 4; warp++)
		if (warp != 2)
			ASSERT_EQ(0, play_one(&self->c, warp / 2, warp % 2 * 32, DRM_VSM_EXEC_WARP,
					      i_cluster_arrive(), NULL));
	EXPECT_EQ(0, rv_join(&t));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	EXPECT_EQ(0, state_count(self->l, DRM_VSM_STATE_CLUSTER_BARRIER));
	ASSERT_EQ(3, state_count(self->l, DRM_VSM_STATE_CLUSTER_ARRIVED));
	EXPECT_EQ(DRM_VSM_STATE_COMPLETE,
		  state_entry(self->l, DRM_VSM_STATE_CLUSTER_ARRIVED, 0)->flags);
}

TEST_F(state, held_operations_and_groups_are_listed)
{
	struct drm_vsm_state_entry *e;
	struct exec_thread t;
	struct groups g = { .kind = CP_ASYNC };
	struct drm_vsm_insn wait;

	ASSERT_EQ(0, groups_init(&g, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	wait = wait_of(&g, 1);
	ASSERT_EQ(0, cluster_hold(&g.c, DRM_VSM_HOLD));
	ASSERT_EQ(0, issue_groups(&g, 0, 5, 0, 2));
	ASSERT_TRUE(suspend_as(&t, &g.c, 0, 5, 0, &wait, 1));
	ASSERT_EQ(0, state_read(self->l, &g.c));
	EXPECT_EQ(DRM_VSM_STATE_CLUSTER_HELD, self->l->args.status);
	ASSERT_EQ(3, self->l->args.total);
	FIND_ENTRY(e, GROUPS, 0);
	EXPECT_EQ(DRM_VSM_STATE_SUSPENDED, e->flags);
	EXPECT_EQ(5, e->thread);
	EXPECT_EQ(1 << 5, e->lanes);
	EXPECT_EQ(2, e->count);
	EXPECT_EQ(getpid(), e->pid);
	EXPECT_EQ(atomic_load(&t.tid), e->tid);
	FIND_ENTRY(e, OPERATION, 0);
	EXPECT_EQ(DRM_VSM_STATE_HELD, e->flags);
	EXPECT_EQ(5, e->thread);
	EXPECT_EQ(16, e->count);
	EXPECT_EQ(16, e->total);
	EXPECT_EQ(copy_of(&g, 0, 0).op, e->insn.op);
	EXPECT_EQ(copy_of(&g, 0, 0).u.copy.addr, e->insn.u.copy.addr);
	EXPECT_EQ(0, e->mask);
	ASSERT_EQ(0, cluster_hold(&g.c, 0));
	EXPECT_EQ(0, exec_thread_join(&t));
	groups_fini(&g);
}

TEST_F(state, operations_that_are_not_due_and_their_mbarriers_are_listed)
{
	struct drm_vsm_state_entry *e;
	struct buffer b;

	ASSERT_EQ(0, buffer_create(&b, self->c.fd, 4096));
	ASSERT_EQ(0, model_set(self->c.fd, "latency_ns", 3600000000000));
	ASSERT_EQ(0, exec_at(&self->c, 1, i_arrive_expect_tx(B, 64), NULL));
	ASSERT_EQ(0, exec_at(&self->c, 1, i_g2s(AT(1, 0x100), B, 64, b.handle, 0), NULL));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	ASSERT_EQ(1, self->l->args.total);
	e = &self->l->entries[0];
	EXPECT_EQ(DRM_VSM_STATE_OPERATION, e->kind);
	EXPECT_EQ(0, e->flags);
	EXPECT_EQ(self->client, e->client);
	EXPECT_EQ(1, e->cta);
	EXPECT_EQ(B, e->insn.u.copy.mbar);
	EXPECT_EQ(2, e->mask);
	EXPECT_EQ(64, e->count);
	EXPECT_EQ(64, e->total);
	EXPECT_EQ(0, e->id);
	EXPECT_LT(self->l->args.time, e->deadline);
	ASSERT_EQ(0, model_reset(self->c.fd));
	munmap(b.map, b.size);
}

/* Operations of a client get the memory of those that have ended. */
TEST_F(state, arrives_in_flight_have_no_bytes_after_copies_that_had)
{
	struct drm_vsm_state_entry *e;
	struct buffer b;
	uint32_t i;

	ASSERT_EQ(0, buffer_create(&b, self->c.fd, 4096));
	ASSERT_EQ(0, exec_one(&self->c, i_init(END, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive_expect_tx(A, 8 * 16)));
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, exec_one(&self->c,
				      i_g2s(AT(0, 0x100 + 16 * i), A, 16, b.handle, 0)));
	ASSERT_EQ(0, async_finish(&self->c));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, exec_one(&self->c, i_cp_arrive(A)));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	ASSERT_EQ(8, state_count(self->l, DRM_VSM_STATE_OPERATION));
	for (i = 0; i < 8; i++) {
		FIND_ENTRY(e, OPERATION, i);
		EXPECT_EQ(DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE, e->insn.op);
		EXPECT_EQ(DRM_VSM_STATE_HELD, e->flags);
		EXPECT_EQ(0, e->count);
		EXPECT_EQ(0, e->total);
	}
	ASSERT_EQ(0, async_release(&self->c));
	munmap(b.map, b.size);
}

TEST_F(state, jobs_are_listed_with_the_fence_that_they_wait_for)
{
	int channel = channel_create(self->c.fd, 0);
	struct drm_vsm_insn arrive[] = { i_sink(i_arrive(A)), i_sink(i_arrive(A)) };
	struct drm_vsm_state_entry *e;
	struct hold hold;
	uint32_t in;
	int file;

	ASSERT_LT(0, channel);
	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	in = syncobj_import(self->c.fd, hold.file);
	file = job_start(&self->c, channel, arrive, 2, in);
	ASSERT_LE(0, file);
	/* The work of the channel looks at the fence soon, and the fence then gets a name here. */
	do {
		ASSERT_EQ(0, state_read(self->l, &self->c));
		FIND_ENTRY(e, JOB, 0);
	} while (!e->name[0]);
	EXPECT_EQ(1, self->l->args.total);
	EXPECT_EQ(0, e->flags);
	EXPECT_EQ(self->client, e->client);
	EXPECT_EQ(channel, e->id);
	EXPECT_EQ(0, e->count);
	EXPECT_EQ(2, e->total);
	EXPECT_EQ(1, e->missing);
	EXPECT_TRUE(!strncmp(e->name, "vgem ", 5) || !strncmp(e->name, "sw_sync ", 8));
	ASSERT_EQ(0, hold_release(&hold));
	EXPECT_EQ(1, job_end(file));
	syncobj_destroy(self->c.fd, in);
	ASSERT_EQ(0, state_read(self->l, &self->c));
	EXPECT_EQ(0, state_count(self->l, DRM_VSM_STATE_JOB));
}

TEST_F(state, a_short_array_gets_the_first_entries_and_the_total_says_how_many_there_are)
{
	int set = waitset_create(self->c.fd, 0);
	struct drm_vsm_wait waits[100];
	uint32_t i;

	ASSERT_LE(0, set);
	for (i = 0; i < 1100; i++) {
		waits[i % 100] = wait_parity(&self->c, B, 0, -1, i);
		if (i % 100 == 99)
			ASSERT_EQ(0, waitset_arm(self->c.fd, set, waits, 100, NULL));
	}
	state_prepare(self->l, self->c.handle, 0, 0, 10);
	ASSERT_EQ(0, state_call(self->l, self->c.fd));
	EXPECT_EQ(10, self->l->args.count);
	EXPECT_EQ(1024, self->l->args.total);
	EXPECT_EQ(DRM_VSM_STATE_MORE, self->l->args.status);
	EXPECT_EQ(0, self->l->entries[0].user_data);
	EXPECT_EQ(9, self->l->entries[9].user_data);
	EXPECT_EQ(0xa5a5a5a5, self->l->entries[10].kind);

	/* A stride above the size of an entry leaves the bytes behind each entry alone. */
	state_prepare(self->l, self->c.handle, 0, 0, 3);
	self->l->args.stride = 2 * sizeof(self->l->entries[0]);
	ASSERT_EQ(0, state_call(self->l, self->c.fd));
	EXPECT_EQ(1, self->l->entries[2].user_data);
	EXPECT_EQ(2, self->l->entries[4].user_data);
	EXPECT_EQ(0xa5a5a5a5, self->l->entries[1].kind);
	EXPECT_EQ(0xa5a5a5a5, self->l->entries[3].kind);

	/* No array at all: only the numbers. */
	state_prepare(self->l, self->c.handle, 0, 0, 0);
	self->l->args.entries = 0;
	ASSERT_EQ(0, state_call(self->l, self->c.fd));
	EXPECT_EQ(0, self->l->args.count);
	EXPECT_EQ(1024, self->l->args.total);
	close(set);
}

TEST_F(state, a_lost_cluster_says_so)
{
	struct drm_vsm_insn wait = i_try_parity(AT(0, 0x80), 0, LONG_HINT);
	struct exec_thread t;

	rv_destroy(&self->c);
	ASSERT_EQ(0, rv_create(&self->c, 2, 64, DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 3)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(AT(0, 0x80), 1)));
	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 1, 0, &wait, 1));
	/* In the hardware policy an operation on a poisoned word traps. */
	atomic_store(word_at(&self->c, A), 0x7fffe000001ffff8 | 1ULL << 42);
	EXPECT_EQ(-EPROTO, exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(-EIO, exec_thread_join(&t));
	ASSERT_EQ(0, state_read(self->l, &self->c));
	EXPECT_EQ(DRM_VSM_STATE_LOST, self->l->args.status);
	EXPECT_EQ(0, self->l->args.total);
}

TEST_F(state, wrong_arguments_are_refused_and_change_nothing)
{
	const struct {
		int ret;
		uint32_t handle, number, flags, stride, count;
		uint64_t entries;
	} calls[] = {
		{ -EINVAL, 1, 0, 1 << 2, 184, 0, 0 },
		{ -EINVAL, 0, 1, 3, 184, 0, 0 },
		{ -EINVAL, 1, 1, DRM_VSM_STATE_NUMBER, 184, 0, 0 },
		{ -EINVAL, 1, 1, DRM_VSM_STATE_NEXT, 184, 0, 0 },
		{ -EINVAL, 1, 0, 0, 0, 0, 0 },
		{ -EINVAL, 1, 0, 0, 176, 0, 0 },
		{ -EINVAL, 1, 0, 0, 188, 0, 0 },
		{ -EINVAL, 1, 0, 0, 184, 0, 4 },
		{ -E2BIG, 1, 0, 0, 184, 131073, 0 },
		{ -ENOENT, 0, 0, 0, 184, 0, 0 },
		{ -ENOENT, 999, 0, 0, 184, 0, 0 },
		{ -ENOENT, 0, 0, DRM_VSM_STATE_NUMBER, 184, 0, 0 },
		{ -ENOENT, 0, 0xffffffff, DRM_VSM_STATE_NUMBER, 184, 0, 0 },
		{ -ENOENT, 0, 0xffffffff, DRM_VSM_STATE_NEXT, 184, 0, 0 },
		{ -EFAULT, 1, 0, 0, 184, 1, 8 },
		{ -EFAULT, 1, 0, 0, 192, 1, 8 },
	};
	int set = waitset_create(self->c.fd, 0);
	struct drm_vsm_wait wait = wait_parity(&self->c, B, 0, -1, 0);
	size_t i;

	ASSERT_EQ(1, self->c.handle);
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	for (i = 0; i < ITEMS(calls); i++) {
		struct drm_vsm_cluster_state args, before;

		memset(&args, 0xa5, sizeof(args));
		args.handle = calls[i].handle;
		args.number = calls[i].number;
		args.flags = calls[i].flags;
		args.stride = calls[i].stride;
		args.count = calls[i].count;
		args.entries = calls[i].entries;
		before = args;
		EXPECT_EQ(calls[i].ret, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_CLUSTER_STATE, &args))
			TH_LOG("%zu", i);
		EXPECT_EQ(0, memcmp(&before, &args, sizeof(args))) TH_LOG("%zu", i);
	}
	close(set);
}

TEST_HARNESS_MAIN
