// SPDX-License-Identifier: GPL-2.0-only
/*
 * DRM_VSM_WAIT_INSN: a wait set executes a rendezvous for threads that no task executes, and a
 * record brings the result.
 */
#include <sys/epoll.h>

#include "driver.h"
#include "rendezvous.h"

#define A AT(0, 0x40)
#define MS 1000000
#define THREADS 64

FIXTURE(armed)
{
	struct cluster c;	/* two CTAs of two warps; also enforces the optional rules */
	int set;
};

FIXTURE_SETUP(armed)
{
	ASSERT_EQ(0, rv_create_enforcing(&self->c, 2, THREADS, DRM_VSM_POLICY_STRICT,
					 ON_REQUEST));
	self->set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->set);
}

FIXTURE_TEARDOWN(armed)
{
	close(self->set);
	rv_destroy(&self->c);
}

/*
 * Arms an instruction of a thread of CTA 0 with a deadline. Stores the id in @id, unless that is
 * NULL.
 */
static int arm_until(const struct cluster *c, int set, uint32_t thread, struct drm_vsm_insn insn,
		     int64_t deadline, uint64_t *id)
{
	struct drm_vsm_wait wait = wait_insn(c, 0, thread, 0, &insn);
	int ret;

	/* The result of arming must not depend on the instruction's outputs. */
	insn_poison(&insn, 1);
	wait.deadline = deadline;
	ret = waitset_arm(c->fd, set, &wait, 1, NULL);
	if (id)
		*id = wait.id;
	return ret ? ret : wait.fault;
}

static int arm(const struct cluster *c, int set, uint32_t thread, struct drm_vsm_insn insn)
{
	return arm_until(c, set, thread, insn, -1, NULL);
}

/* Arms an instruction that must be refused. Returns its fault, or a negative errno. */
static int arm_fault(const struct cluster *c, int set, uint32_t thread, struct drm_vsm_insn insn)
{
	struct drm_vsm_wait wait = wait_insn(c, 0, thread, 0, &insn);
	int ret = waitset_arm(c->fd, set, &wait, 1, NULL);

	if (ret != -EPROTO)
		return ret ? ret : -EISCONN;
	return wait.id ? -EBADMSG : (int)wait.fault;
}

#define ARM(thread, insn)	ASSERT_EQ(0, arm(&self->c, self->set, thread, insn))

static void expect_record(struct __test_metadata *_metadata, int set, uint64_t data,
			  uint32_t status, uint64_t result)
{
	struct drm_vsm_wait_record record;

	ASSERT_EQ(1, waitset_read(set, &record));
	EXPECT_EQ(data, record.user_data);
	EXPECT_EQ(status, record.status);
	EXPECT_EQ(0, record.pad);
	EXPECT_EQ(result, record.result);
}

#define EXPECT_RECORD(data, status, result) \
	expect_record(_metadata, self->set, data, DRM_VSM_WAIT_##status, result)

static void expect_no_record(struct __test_metadata *_metadata, int set)
{
	struct drm_vsm_wait_record record;

	EXPECT_EQ(-EAGAIN, waitset_read(set, &record));
}

#define EXPECT_NO_RECORD() expect_no_record(_metadata, self->set)

/* Reads @count records. Stores the result of thread n of CTA 0 in @results[n]. */
static void collect(struct __test_metadata *_metadata, int set, uint64_t *results, int count)
{
	while (count--) {
		struct drm_vsm_wait_record record;

		ASSERT_EQ(1, waitset_read(set, &record));
		ASSERT_EQ(DRM_VSM_WAIT_COMPLETE, record.status);
		results[record.user_data] = record.result;
	}
	expect_no_record(_metadata, set);
}

/* --- completion of armed instructions ---------------------------------------- */

TEST_F(armed, each_instruction_gives_a_record_with_its_result)
{
	const struct rv_kind *m;
	struct cluster c;
	int i;

	for (m = rv_kinds(); m->name; m++) {
		ASSERT_EQ(0, small_cluster_create(&c, m, DRM_VSM_POLICY_STRICT));
		ASSERT_EQ(0, arm(&c, self->set, 0, m->insn)) TH_LOG("%s", m->name);
		EXPECT_NO_RECORD();
		/* Arm the instructions of the other threads too, each in a wait set of its own. */
		for (i = 0; i < MAX_OTHERS && m->others[i].insn.op; i++) {
			const struct participant *g = &m->others[i];
			struct drm_vsm_wait wait = wait_insn(&c, g->cta, g->thread, 0, &g->insn);
			int set = waitset_create(c.fd, 0);

			EXPECT_NO_RECORD();
			ASSERT_EQ(0, waitset_arm(c.fd, set, &wait, 1, NULL));
			close(set);
		}
		expect_record(_metadata, self->set, 0, DRM_VSM_WAIT_COMPLETE, m->result);
		EXPECT_NO_RECORD();
		rv_destroy(&c);
	}
}

TEST_F(armed, a_warp_executes_a_rendezvous_without_a_task)
{
	struct drm_vsm_insn insns[LANES];
	struct drm_vsm_wait waits[LANES];
	uint64_t results[LANES];
	uint32_t i, armed;

	for (i = 0; i < LANES; i++) {
		insns[i] = i_match_any(i % 3, ALL_LANES);
		waits[i] = wait_insn(&self->c, 0, i, 0, &insns[i]);
	}
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, waits, LANES, &armed));
	EXPECT_EQ(LANES, armed);
	collect(_metadata, self->set, results, LANES);
	for (i = 0; i < LANES; i++)
		EXPECT_EQ((i % 3 == 2 ? 0x24924924U : i % 3 ? 0x92492492U : 0x49249249U),
			  results[i]);
	/* Now each thread can execute another instruction. */
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, waits, LANES, &armed));
	collect(_metadata, self->set, results, LANES);
}

TEST_F(armed, a_wait_that_is_complete_at_once_ends_at_once)
{
	ARM(5, i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_S32, 77, 1 << 5));
	EXPECT_EQ(POLLIN, poll_events(self->set));
	EXPECT_RECORD(5, COMPLETE, 77);
	/* If a rendezvous is complete and the deadline has passed, the wait completes. */
	ASSERT_EQ(0, arm_until(&self->c, self->set, 5, i_elect(1 << 5), 1, NULL));
	EXPECT_RECORD(5, COMPLETE, PRED | 5);
	EXPECT_NO_RECORD();
}

TEST_F(armed, records_come_in_the_order_of_completion)
{
	uint64_t result;
	uint32_t i;

	for (i = 0; i < 8; i++)
		ARM(2 * i, i_vote(DRM_VSM_MODE_BALLOT, true, 3U << 2 * i));
	for (i = 0; i < 8; i++) {
		uint32_t lane = 2 * (5 * i % 8);

		ASSERT_EQ(0, play_one(&self->c, 0, lane + 1, 0,
				      i_vote(DRM_VSM_MODE_BALLOT, false, 3U << lane), &result));
		EXPECT_EQ(1U << lane, result);
	}
	for (i = 0; i < 8; i++) {
		uint32_t lane = 2 * (5 * i % 8);

		EXPECT_RECORD(lane, COMPLETE, 1U << lane);
	}
	EXPECT_NO_RECORD();
}

TEST_F(armed, tasks_and_armed_waits_share_a_rendezvous)
{
	struct drm_vsm_insn insns[LANES];
	struct tasks crowd = { 0 };
	uint64_t results[LANES];
	uint32_t i;

	for (i = 0; i < LANES; i++) {
		insns[i] = i_redux(DRM_VSM_RED_XOR, DRM_VSM_TYPE_B32, 1U << i, ALL_LANES);
		if (i % 2)
			ARM(i, insns[i]);
	}
	ASSERT_EQ(0, tasks_add_lanes(&crowd, &self->c, 0, 0, 0x55555555, insns));
	EXPECT_EQ(0, tasks_join(&crowd));
	collect(_metadata, self->set, results, LANES / 2);
	for (i = 0; i < LANES; i++)
		EXPECT_EQ(ALL_LANES, i % 2 ? results[i] : insns[i].result);
}

TEST_F(armed, the_instruction_is_only_read)
{
	struct drm_vsm_insn *insn = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_vsm_wait wait = wait_insn(&self->c, 0, 3, 0, insn);

	*insn = i_match_all(5, 1 << 3);
	insn_poison(insn, 1);
	ASSERT_EQ(0, mprotect(insn, 4096, PROT_READ));
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	EXPECT_TRUE(insn_untouched(insn));
	EXPECT_RECORD(3, COMPLETE, PRED | 1 << 3);
	/* The driver reads the instruction only during the call that arms it. */
	wait.addr = DRM_VSM_WAIT_THREAD(0, 4);
	wait.user_data = 4;
	ASSERT_EQ(0, mprotect(insn, 4096, PROT_READ | PROT_WRITE));
	*insn = i_match_all(5, 3 << 3);
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	munmap(insn, 4096);
	ASSERT_EQ(0, play_one(&self->c, 0, 3, 0, i_match_all(5, 3 << 3), NULL));
	EXPECT_RECORD(4, COMPLETE, PRED | 3 << 3);
}

TEST_F(armed, a_whole_warp_can_be_armed)
{
	struct drm_vsm_insn insn = i_barrier_red(DRM_VSM_RED_POPC, 4, true);
	struct drm_vsm_wait waits[] = {
		wait_insn(&self->c, 0, 9, DRM_VSM_WAIT_WARP, &insn),
		wait_insn(&self->c, 0, 63, DRM_VSM_WAIT_WARP, &insn),
	};
	uint64_t results[THREADS];

	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, waits, 1, NULL));
	EXPECT_NO_RECORD();
	EXPECT_FAULT(THREAD_SUSPENDED, play_fault(&self->c, 0, 8, 0, i_warp_sync(1 << 8), NULL));
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, waits + 1, 1, NULL));
	collect(_metadata, self->set, results, 2);
	EXPECT_EQ(64, results[9]);
	EXPECT_EQ(64, results[63]);
	/* Each record has the result of the thread for which the instruction was armed. */
	insn = i_elect(ALL_LANES);
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, waits, 2, NULL));
	EXPECT_RECORD(9, COMPLETE, 0);
	EXPECT_RECORD(63, COMPLETE, 0);
	waits[0] = wait_insn(&self->c, 0, 0, DRM_VSM_WAIT_WARP, &insn);
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, waits, 1, NULL));
	EXPECT_RECORD(0, COMPLETE, PRED);
}

TEST_F(armed, epoll_and_a_blocking_read_wake)
{
	int i, ep = epoll_create1(EPOLL_CLOEXEC), blocking = waitset_create(self->c.fd, 0);
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	struct drm_vsm_insn insn = i_vote(DRM_VSM_MODE_ANY, true, 3);
	pid_t pid;
	int status;

	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->set, &event));
	for (i = 0; i < 3; i++) {
		ARM(0, insn);
		EXPECT_EQ(0, epoll_wait(ep, &event, 1, 0));
		ASSERT_EQ(0, play_one(&self->c, 0, 1, 0, insn, NULL));
		EXPECT_EQ(1, epoll_wait(ep, &event, 1, 0));
		EXPECT_EQ(EPOLLIN, event.events);
		EXPECT_EQ(0, epoll_wait(ep, &event, 1, 0));
		if (i)
			EXPECT_RECORD(0, COMPLETE, 1);
	}
	ASSERT_EQ(0, arm(&self->c, blocking, 0, insn));
	pid = fork_child();
	if (!pid) {
		struct drm_vsm_wait_record record;

		_exit(waitset_read(blocking, &record) != 1 || record.result != 1);
	}
	ASSERT_TRUE(wait_until_blocked(pid, pid, SYS_read));
	ASSERT_EQ(0, play_one(&self->c, 0, 1, 0, insn, NULL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
	close(blocking);
	close(ep);
}

/* --- waits that end before the rendezvous ------------------------------------- */

enum {
	END_EXPIRES,
	END_EXPIRED_BEFORE,
	END_CANCELLED,
	END_CLOSED,
	ENDS,
};

/* Arms an instruction of thread 0, and ends the wait before the rendezvous is complete. */
static void arm_and_end(struct __test_metadata *_metadata, const struct cluster *c,
			struct drm_vsm_insn insn, int end)
{
	const int64_t deadlines[ENDS] = { now_ns() + 3 * MS, 1, now_ns() + 100 * SECOND, -1 };
	int set = waitset_create(c->fd, 0);
	uint64_t id;

	ASSERT_EQ(0, arm_until(c, set, 0, insn, deadlines[end], &id));
	if (end == END_CANCELLED)
		ASSERT_EQ(0, waitset_cancel(c->fd, set, id));
	if (end == END_EXPIRES || end == END_EXPIRED_BEFORE)
		expect_record(_metadata, set, 0, DRM_VSM_WAIT_EXPIRED, 0);
	close(set);
}

TEST_F(armed, the_thread_stays_in_its_instruction_when_its_wait_ends)
{
	const struct rv_kind *m;
	struct cluster c;
	int end, by_exec, after;
	uint64_t result;

	for (end = 0; end < ENDS; end++) {
		for (m = rv_kinds(); m->name; m++) {
			by_exec = (m - rv_kinds()) % 2;
			after = (m - rv_kinds()) / 2 % 2;
			ASSERT_EQ(0, small_cluster_create(&c, m, DRM_VSM_POLICY_STRICT));
			arm_and_end(_metadata, &c, m->insn, end);
			/*
			 * The instruction can be armed again, and its second wait can end in the
			 * same way.
			 */
			arm_and_end(_metadata, &c, m->insn, (end + 1) % ENDS);
			EXPECT_EQ(DRM_VSM_FAULT_THREAD_SUSPENDED,
				  play_fault(&c, 0, 0, 0, i_warp_sync(1), NULL));
			if (after)
				ASSERT_EQ(0, others_execute(&c, m)) TH_LOG("%s", m->name);
			if (!by_exec)
				ASSERT_EQ(0, arm(&c, self->set, 0, m->insn)) TH_LOG("%s", m->name);
			if (!after) {
				EXPECT_NO_RECORD();
				ASSERT_EQ(0, others_execute(&c, m)) TH_LOG("%s", m->name);
			}
			if (by_exec) {
				ASSERT_EQ(0, play_one(&c, 0, 0, 0, m->insn, &result));
				EXPECT_EQ(m->result, result) TH_LOG("%s", m->name);
			} else {
				EXPECT_RECORD(0, COMPLETE, m->result);
			}
			EXPECT_NO_RECORD();
			rv_destroy(&c);
		}
	}
}

/* As the test of this name in waitset.c, for waits in a rendezvous. */
TEST_F(armed, waits_expire_in_order_and_not_before_their_deadlines)
{
	int i, set = waitset_create(self->c.fd, 0);
	struct drm_vsm_wait_record record;
	bool in_time = false;
	int64_t start, gap;

	pin(0);
	for (gap = 10 * MS; !in_time; gap *= 2) {
		start = now_ns();
		for (i = 3; i > 0; i--)
			ASSERT_EQ(0, arm_until(&self->c, set, i, i_warp_sync(1 | 1 << i),
					       start + i * gap, NULL));
		in_time = now_ns() < start + gap;
		for (i = 1; i <= 3; i++) {
			ASSERT_EQ(1, waitset_read(set, &record));
			EXPECT_LE(start + (int64_t)record.user_data * gap, now_ns());
			EXPECT_EQ(DRM_VSM_WAIT_EXPIRED, record.status);
			EXPECT_EQ(0, record.result);
			if (in_time)
				EXPECT_EQ(i, record.user_data);
		}
	}
	close(set);
}

/* The result comes in a record, or is kept for the thread's next EXEC. */
TEST_F(armed, cancelling_and_expiry_race_with_completion)
{
	int i, rounds = repeat(2000), cancelled = 0, expired = 0;

	for (i = 0; i < rounds; i++) {
		struct drm_vsm_insn insn = i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, i, 3);
		bool by_time = i % 2;
		/* Some deadlines are late, because the machine may be slow. */
		int64_t off = i % 50 == 49 ? 1000000000 : i % 50 * 2000;
		struct drm_vsm_wait_record record;
		struct drm_vsm_insn other = insn;
		struct exec_thread t;
		uint64_t id, result;
		bool mine = false;

		ASSERT_EQ(0, arm_until(&self->c, self->set, 0, insn,
				       by_time ? now_ns() + off : -1, &id));
		if (by_time) {
			ASSERT_EQ(0, play_one(&self->c, 0, 1, 0, other, NULL));
			ASSERT_EQ(1, waitset_read(self->set, &record));
			mine = record.status == DRM_VSM_WAIT_COMPLETE;
			ASSERT_TRUE(mine || record.status == DRM_VSM_WAIT_EXPIRED);
			expired += !mine;
		} else {
			ASSERT_EQ(0, exec_thread_run(&t, &self->c,
						     play_args(&self->c, 0, 1, 0, &other, 1)));
			while (i % 3 && !atomic_load(&t.tid))
				sched_yield();
			mine = waitset_cancel(self->c.fd, self->set, id) == -ENOENT;
			ASSERT_EQ(0, rv_join(&t));
			if (mine)
				ASSERT_EQ(1, waitset_read(self->set, &record));
			cancelled += !mine;
		}
		if (mine) {
			ASSERT_EQ(id, record.id);
			ASSERT_EQ(2 * i, record.result);
			EXPECT_EQ(0, play_one(&self->c, 0, 0, 0, i_warp_sync(1), NULL));
		} else {
			ASSERT_EQ(0, play_one(&self->c, 0, 0, 0, insn, &result));
			ASSERT_EQ(2 * i, result);
		}
		EXPECT_NO_RECORD();
	}
	EXPECT_LT(0, expired);
	EXPECT_GT(rounds / 2, expired);
	EXPECT_LT(0, cancelled);
}

TEST_F(armed, an_armed_thread_cannot_be_played_by_others)
{
	struct drm_vsm_insn insn = i_warp_sync(3);
	int other = waitset_create(self->c.fd, 0);
	struct drm_vsm_event_fault event;

	ARM(0, insn);
	EXPECT_FAULT(THREAD_SUSPENDED, play_fault(&self->c, 0, 0, 0, insn, NULL));
	EXPECT_FAULT(THREAD_SUSPENDED, play_fault(&self->c, 0, 0, 0, i_exit(), NULL));
	fault_drain(self->c.fd);
	EXPECT_FAULT(THREAD_SUSPENDED, arm_fault(&self->c, other, 0, insn));
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(DRM_VSM_SOURCE_ARM, event.source);
	EXPECT_FAULT(THREAD_SUSPENDED, arm_fault(&self->c, self->set, 0, i_elect(1)));
	EXPECT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, play_one(&self->c, 0, 1, 0, insn, NULL));
	EXPECT_RECORD(0, COMPLETE, 0);
	/* The thread can execute its next instruction before the record is read. */
	ARM(0, i_elect(1));
	EXPECT_EQ(0, play_one(&self->c, 0, 0, 0, i_exit(), NULL));
	EXPECT_RECORD(0, COMPLETE, PRED);
	fault_drain(self->c.fd);
	close(other);
}

/* --- waits that are refused --------------------------------------------------- */

#define EXPECT_REFUSED(error, ...) \
	do { \
		struct drm_vsm_insn insn = i_warp_sync(2); \
		struct drm_vsm_wait wait = wait_insn(&self->c, 0, 1, 0, &insn); \
		__VA_ARGS__; \
		EXPECT_EQ(error, waitset_arm(self->c.fd, self->set, &wait, 1, NULL)); \
		EXPECT_NO_RECORD(); \
	} while (0)

TEST_F(armed, malformed_waits_are_refused)
{
	unsigned char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_vsm_insn *edge = (void *)(pages + 4096 - 8);
	struct buffer b;
	uint32_t op;

	ASSERT_EQ(0, buffer_create(&b, self->c.fd, 4096));
	EXPECT_REFUSED(-EINVAL, wait.flags |= DRM_VSM_WAIT_PARITY);
	EXPECT_REFUSED(-EINVAL, wait.flags = DRM_VSM_WAIT_WARP);
	EXPECT_REFUSED(-EINVAL, wait.flags = DRM_VSM_WAIT_WARP | DRM_VSM_WAIT_PARITY);
	EXPECT_REFUSED(-EINVAL, wait.flags |= 1 << 5);
	EXPECT_REFUSED(-EINVAL, wait.flags |= 1U << 31);
	EXPECT_REFUSED(-EINVAL, wait.addr = DRM_VSM_WAIT_THREAD(2, 1));
	EXPECT_REFUSED(-EINVAL, wait.addr = DRM_VSM_WAIT_THREAD(0, THREADS));
	EXPECT_REFUSED(-EINVAL, wait.addr = DRM_VSM_WAIT_THREAD(0, 0xffff));
	EXPECT_REFUSED(-EINVAL, wait.addr = DRM_VSM_WAIT_THREAD(0xffff, 0));
	EXPECT_REFUSED(-EINVAL, wait.state += 4);
	EXPECT_REFUSED(-EINVAL, wait.state += 1);
	EXPECT_REFUSED(-EFAULT, wait.state = 0);
	EXPECT_REFUSED(-EFAULT, wait.state = 0xffff888000000000);
	EXPECT_REFUSED(-ENOENT, wait.cluster = 0);
	EXPECT_REFUSED(-ENOENT, wait.cluster = b.handle);
	EXPECT_REFUSED(-EINVAL, insn.u.warp.pad = 1);
	EXPECT_REFUSED(-EINVAL, insn.u.warp.a = 1);
	EXPECT_REFUSED(-EINVAL, insn.u.warp.reserved[1] = 1);
	EXPECT_REFUSED(-EINVAL, insn.mods = DRM_VSM_MOD_ALIGNED);
	EXPECT_REFUSED(-EINVAL, insn.red = 1);
	EXPECT_REFUSED(-EINVAL, insn.space = 1);
	/* Of the other operations, only a try_wait and waits for groups can be armed. */
	for (op = 0; op < DRM_VSM_OP_MATCH_SYNC; op++)
		if (op != OP(MBARRIER_TRY_WAIT) && op != OP(CP_ASYNC_WAIT_GROUP) &&
		    op != OP(CP_ASYNC_WAIT_ALL) && op != OP(CP_ASYNC_BULK_WAIT_GROUP))
			EXPECT_REFUSED(-EINVAL, insn = (struct drm_vsm_insn){ .op = op });
	EXPECT_REFUSED(-EINVAL, insn = i_exit());
	EXPECT_REFUSED(-EINVAL, insn = i_order(DRM_VSM_SEM_SC, DRM_VSM_SCOPE_SYS));
	EXPECT_REFUSED(-EINVAL, insn.op = OPERATIONS);
	EXPECT_REFUSED(-EINVAL, insn.op = 0xffff);
	EXPECT_REFUSED(-EINVAL, insn = i_init(A, 1));
	EXPECT_REFUSED(-EINVAL, insn = i_arrive(A));
	EXPECT_REFUSED(-EINVAL, insn = i_commit());
	EXPECT_REFUSED(-EINVAL, insn = i_fence());
	ASSERT_EQ(0, mprotect(pages + 4096, 4096, PROT_NONE));
	EXPECT_REFUSED(-EFAULT, wait.state = (uintptr_t)edge);
	/* The refused calls have changed nothing for the thread. */
	EXPECT_EQ(0, play_one(&self->c, 0, 1, 0, i_warp_sync(2), NULL));
	EXPECT_EQ(0, poll_events(self->c.fd));
	munmap(b.map, b.size);
}

TEST_F(armed, what_the_layout_lacks_is_not_supported)
{
	const struct drm_vsm_insn lacks[] = { i_elect(1), i_cluster_arrive(), i_cluster_wait() };
	struct drm_vsm_insn insn = i_match_any(1, 1);
	struct drm_vsm_wait wait;
	struct cluster c;
	size_t i;

	ASSERT_EQ(0, cluster_create(&c, self->c.fd, VSM_LAYOUT_SM_80, DRM_VSM_POLICY_STRICT));
	for (i = 0; i < ITEMS(lacks); i++) {
		wait = wait_insn(&c, 0, 0, 0, &lacks[i]);
		EXPECT_EQ(-EOPNOTSUPP, waitset_arm(c.fd, self->set, &wait, 1, NULL));
	}
	wait = wait_insn(&c, 0, 0, 0, &insn);
	EXPECT_EQ(0, waitset_arm(c.fd, self->set, &wait, 1, NULL));
	EXPECT_RECORD(0, COMPLETE, 1);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* If a wait is refused, the waits before it in the array are armed. */
TEST_F(armed, misuse_is_refused_and_reported)
{
	const struct {
		struct drm_vsm_insn insn;
		uint32_t fault;
	} bad[] = {
		{ i_match_any(1, 1), DRM_VSM_FAULT_NOT_IN_MASK },
		{ i_match_any(1, 0), DRM_VSM_FAULT_NOT_IN_MASK },
		{ i_shfl(DRM_VSM_MODE_IDX, 0, 4, 0x1f, 2), DRM_VSM_FAULT_SHFL_SOURCE },
		{ i_barrier_sync(16), DRM_VSM_FAULT_BARRIER_ID },
		{ i_barrier_sync_n(0, 80), DRM_VSM_FAULT_BARRIER_COUNT },
		{ i_barrier_arrive(0, 33), DRM_VSM_FAULT_BARRIER_COUNT },
		{ i_cluster_wait(), DRM_VSM_FAULT_CLUSTER_NOT_ARRIVED },
		{ i_warp_sync(6), DRM_VSM_FAULT_WARP_MISMATCH },
		{ i_barrier_sync(0), DRM_VSM_FAULT_PARTIAL_WARP },
	};
	struct drm_vsm_insn before = i_elect(1), waits_for_1 = i_warp_sync(0xe);
	struct drm_vsm_event_fault event;
	uint64_t results[THREADS];
	uint32_t i, armed;

	/* Lanes 2 and 3 wait for lane 1. This is why the last two instructions are refused. */
	ARM(3, waits_for_1);
	ARM(2, waits_for_1);
	for (i = 0; i < ITEMS(bad); i++) {
		struct drm_vsm_wait waits[] = {
			wait_insn(&self->c, 0, 0, 0, &before),
			wait_insn(&self->c, 0, 1, 0, &bad[i].insn),
			wait_insn(&self->c, 0, 0, 0, &before),
		};

		EXPECT_EQ(-EPROTO, waitset_arm(self->c.fd, self->set, waits, 3, &armed));
		EXPECT_EQ(1, armed);
		EXPECT_EQ(bad[i].fault, waits[1].fault) TH_LOG("case %u", i);
		EXPECT_EQ(0, waits[1].id);
		EXPECT_EQ(POISON32, waits[2].fault);
		EXPECT_RECORD(0, COMPLETE, PRED);
		ASSERT_EQ(1, fault_read(self->c.fd, &event));
		EXPECT_EQ(DRM_VSM_SOURCE_ARM, event.source);
		EXPECT_EQ(self->c.handle, event.cluster);
		EXPECT_EQ(0, event.cta);
		EXPECT_EQ(1, event.thread);
		EXPECT_EQ(bad[i].insn.op, event.insn.op);
		EXPECT_EQ(bad[i].fault, event.insn.fault);
	}
	/* None of the refused instructions has made lane 1 arrive. */
	ASSERT_EQ(0, play_one(&self->c, 0, 1, 0, waits_for_1, NULL));
	collect(_metadata, self->set, results, 2);
}

/* --- faults that end a wait ------------------------------------------------------- */

TEST_F(armed, a_source_that_exits_is_a_fault)
{
	struct drm_vsm_event_fault event;
	uint32_t i;

	for (i = 0; i < 3; i++)
		ARM(i, i_shfl(DRM_VSM_MODE_IDX, i, i == 1 ? 3 : 0, 0x1f, 0xf));
	EXPECT_NO_RECORD();
	ASSERT_EQ(0, play_one(&self->c, 0, 3, 0, i_exit(), NULL));
	for (i = 0; i < 3; i++) {
		struct drm_vsm_wait_record record;

		ASSERT_EQ(1, waitset_read(self->set, &record));
		if (record.user_data == 1) {
			EXPECT_EQ(DRM_VSM_WAIT_FAULT, record.status);
			EXPECT_EQ(DRM_VSM_FAULT_SHFL_SOURCE, record.result);
			continue;
		}
		EXPECT_EQ(DRM_VSM_WAIT_COMPLETE, record.status);
		EXPECT_EQ(PRED, record.result);
	}
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(DRM_VSM_SOURCE_ARM, event.source);
	EXPECT_EQ(1, event.thread);
	EXPECT_EQ(DRM_VSM_FAULT_SHFL_SOURCE, event.insn.fault);
	EXPECT_EQ(3, event.insn.info);
	EXPECT_EQ(0, poll_events(self->c.fd));
	/* Now the thread can execute another instruction. */
	EXPECT_EQ(0, play_one(&self->c, 0, 1, 0, i_warp_sync(2), NULL));
}

/* The thread is armed again after its source has exited. This call is refused with the fault. */
TEST_F(armed, a_source_that_exits_after_the_wait_has_ended_is_a_fault)
{
	struct drm_vsm_insn insn = i_shfl(DRM_VSM_MODE_IDX, 1, 1, 0x1f, 3);
	uint64_t id;

	ASSERT_EQ(0, arm_until(&self->c, self->set, 0, insn, -1, &id));
	ASSERT_EQ(0, waitset_cancel(self->c.fd, self->set, id));
	ASSERT_EQ(0, play_one(&self->c, 0, 1, 0, i_exit(), NULL));
	EXPECT_FAULT(SHFL_SOURCE, arm_fault(&self->c, self->set, 0, insn));
	EXPECT_NO_RECORD();
	fault_drain(self->c.fd);
	EXPECT_EQ(0, play_one(&self->c, 0, 0, 0, i_warp_sync(1), NULL));
}

TEST_F(armed, the_event_goes_to_the_client_that_armed_it)
{
	struct drm_vsm_event_fault event;
	struct cluster other;

	ASSERT_EQ(0, cluster_share(&other, vsm_open(), &self->c));
	ARM(0, i_shfl(DRM_VSM_MODE_IDX, 1, 1, 0x1f, 3));
	ASSERT_EQ(0, play_one(&other, 0, 1, 0, i_exit(), NULL));
	EXPECT_RECORD(0, FAULT, DRM_VSM_FAULT_SHFL_SOURCE);
	EXPECT_EQ(0, poll_events(other.fd));
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(self->c.handle, event.cluster);
	rv_destroy(&other);
}

TEST_F(armed, a_source_that_exits_is_no_fault_unless_that_is_enforced)
{
	const uint64_t rule = DRM_VSM_RULE(DRM_VSM_FAULT_SHFL_SOURCE);
	int reports;

	for (reports = 0; reports < 2; reports++) {
		struct drm_vsm_event_fault event;
		struct cluster c;
		int i, set;

		ASSERT_EQ(0, cluster_make_open(&c, .ctas = 1, .threads = 4, .smem_bytes = 4096,
					       .report = reports ? rule : 0));
		set = waitset_create(c.fd, DRM_VSM_WAITSET_NONBLOCK);
		/* This instruction is armed before the source exits. */
		ASSERT_EQ(0, arm(&c, set, 0, i_shfl(DRM_VSM_MODE_IDX, 5, 1, 0x1f, 3)));
		ASSERT_EQ(0, play_one(&c, 0, 1, 0, i_exit(), NULL));
		expect_record(_metadata, set, 0, DRM_VSM_WAIT_COMPLETE, PRED | 5);
		/* This instruction is armed after the source has exited. */
		ASSERT_EQ(0, arm(&c, set, 0, i_shfl(DRM_VSM_MODE_IDX, 6, 1, 0x1f, 3)));
		expect_record(_metadata, set, 0, DRM_VSM_WAIT_COMPLETE, PRED | 6);
		for (i = 0; i < 2 * reports; i++) {
			ASSERT_EQ(1, fault_read(c.fd, &event));
			EXPECT_EQ(DRM_VSM_SOURCE_ARM, event.source);
			EXPECT_EQ(c.handle, event.cluster);
			EXPECT_EQ(0, event.thread);
			EXPECT_EQ(DRM_VSM_FAULT_SHFL_SOURCE, event.insn.fault);
			EXPECT_EQ(1, event.insn.info);
			EXPECT_EQ(5 + i, event.insn.u.warp.a);
			EXPECT_EQ(0, event.insn.result);
			EXPECT_EQ(DRM_VSM_EVENT_REPORTED, event.flags);
		}
		EXPECT_EQ(0, poll_events(c.fd));
		close(set);
		rv_destroy(&c);
	}
}

/* --- length of records -------------------------------------------------------- */

TEST_F(armed, a_record_is_as_long_as_was_asked_for)
{
	static const uint32_t strides[] = { 24, 32, 40, 256 };
	static const uint32_t refused[] = { 0, 8, 16, 23, 28, 33, 36, 264, 0x80000020 };
	unsigned char bytes[3 * 256];
	uint32_t i, j, n;

	for (i = 0; i < ITEMS(refused); i++) {
		struct drm_vsm_waitset_create args = { .record_stride = refused[i] };

		EXPECT_EQ(-EINVAL, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_CREATE, &args));
	}
	for (i = 0; i < ITEMS(strides); i++) {
		struct drm_vsm_waitset_create args = { .record_stride = strides[i] };

		ASSERT_EQ(0, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_CREATE, &args));
		for (n = 0; n < 2; n++)
			ASSERT_EQ(0, arm(&self->c, args.fd, 10 + n, i_elect(1 << (10 + n))));
		memset(bytes, 0xa5, sizeof(bytes));
		ASSERT_EQ(2 * strides[i], read(args.fd, bytes, 3 * strides[i]));
		for (n = 0; n < 2; n++) {
			struct drm_vsm_wait_record *record = (void *)(bytes + n * strides[i]);

			EXPECT_EQ(10 + n, record->user_data);
			EXPECT_EQ(DRM_VSM_WAIT_COMPLETE, record->status);
			EXPECT_EQ(0, record->pad);
			if (strides[i] > 24)
				EXPECT_EQ(PRED | (10 + n), record->result);
			for (j = sizeof(*record); j < strides[i]; j++)
				EXPECT_EQ(0, bytes[n * strides[i] + j]);
		}
		EXPECT_EQ(0xa5, bytes[2 * strides[i]]);
		close(args.fd);
	}
}

/* The driver reuses waits that have ended. A record must not show the result of an earlier wait. */
TEST_F(armed, a_wait_for_a_phase_has_no_result)
{
	struct drm_vsm_wait wait;
	int i;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	for (i = 0; i < 4; i++) {
		ARM(0, i_match_any(7, 1));
		EXPECT_RECORD(0, COMPLETE, 1);
		wait = wait_parity(&self->c, A, 1, -1, 3);
		ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
		EXPECT_RECORD(3, COMPLETE, 0);
		ASSERT_EQ(0, arm_until(&self->c, self->set, 0, i_warp_sync(3), 1, NULL));
		while (!poll_events(self->set))
			sched_yield();
		EXPECT_RECORD(0, EXPIRED, 0);
		ASSERT_EQ(0, play_one(&self->c, 0, 1, 0, i_warp_sync(3), NULL));
		ARM(0, i_warp_sync(3));
		EXPECT_RECORD(0, COMPLETE, 0);
	}
}

/* --- lifetime of armed instructions --------------------------------------------- */

TEST_F(armed, it_outlives_the_handle_and_the_file)
{
	struct drm_vsm_insn insn = i_shfl(DRM_VSM_MODE_IDX, 1, 1, 0x1f, 3);
	struct cluster other;

	ARM(0, i_redux(DRM_VSM_RED_MAX, DRM_VSM_TYPE_S32, -5, 3));
	ARM(32, insn);
	ASSERT_EQ(0, cluster_share(&other, vsm_open(), &self->c));
	rv_destroy(&self->c);
	self->c = other;
	ASSERT_EQ(0, play_one(&other, 0, 1, 0, i_redux(DRM_VSM_RED_MAX, DRM_VSM_TYPE_S32, -9, 3),
			      NULL));
	EXPECT_RECORD(0, COMPLETE, (uint32_t)-5);
	/* No client gets the event: the file that armed the instruction is closed. */
	ASSERT_EQ(0, play_one(&other, 0, 33, 0, i_exit(), NULL));
	EXPECT_RECORD(32, FAULT, DRM_VSM_FAULT_SHFL_SOURCE);
	EXPECT_EQ(0, poll_events(other.fd));
}

TEST_F(armed, it_goes_with_the_set)
{
	int i, set, rounds = repeat(200);

	for (i = 0; i < rounds; i++) {
		struct cluster c;
		uint32_t thread;

		ASSERT_EQ(0, rv_create(&c, 1, 32, DRM_VSM_POLICY_STRICT));
		set = waitset_create(c.fd, 0);
		for (thread = 0; thread < 8; thread++)
			ASSERT_EQ(0, arm_until(&c, set, thread, i_warp_sync(0x1ff),
					       thread % 2 ? -1 : now_ns() + i * 1000, NULL));
		/* The set and the cluster may end in either order. */
		if (i % 2)
			close(set);
		if (i % 4 > 1)
			ASSERT_EQ(0, play_one(&c, 0, 8, 0, i_warp_sync(0x1ff), NULL));
		rv_destroy(&c);
		if (i % 2 == 0)
			close(set);
	}
}

TEST_F(armed, the_loss_of_the_cluster_ends_all)
{
	uint32_t i, lost = 0, complete = 0;
	struct cluster c;

	ASSERT_EQ(0, rv_create(&c, 1, 64, DRM_VSM_POLICY_HARDWARE));
	for (i = 0; i < 63; i++)
		ASSERT_EQ(0, arm_until(&c, self->set, i, i_barrier_sync(0),
				       i % 2 ? -1 : now_ns() + 1000 * SECOND, NULL));
	ASSERT_EQ(0, arm(&c, self->set, 63, i_elect(1U << 31)));
	atomic_store(word_at(&c, 8), VSM_SM_90_POISON);
	EXPECT_EQ(-EPROTO, exec_one(&c, i_test_parity(8, 0)));
	for (i = 0; i < 64; i++) {
		struct drm_vsm_wait_record record;

		ASSERT_EQ(1, waitset_read(self->set, &record));
		lost += record.status == DRM_VSM_WAIT_CLUSTER_LOST && !record.result;
		complete += record.status == DRM_VSM_WAIT_COMPLETE && record.result == (PRED | 31);
	}
	EXPECT_EQ(63, lost);
	EXPECT_EQ(1, complete);
	EXPECT_NO_RECORD();
	EXPECT_EQ(-EIO, arm(&c, self->set, 0, i_barrier_sync(0)));
	rv_destroy(&c);
}

/* --- many armed instructions ---------------------------------------------------- */

TEST_F(armed, a_thousand_threads_execute_a_barrier)
{
	enum { MANY = 1024 };
	static struct drm_vsm_insn insns[MANY];
	static struct drm_vsm_wait waits[MANY];
	static struct drm_vsm_wait_record records[MANY];
	int round, rounds = repeat(40);
	uint64_t seed = 11;
	struct cluster c;
	uint32_t i;

	ASSERT_EQ(0, rv_create(&c, 1, MANY, DRM_VSM_POLICY_STRICT));
	for (round = 0; round < rounds; round++) {
		uint32_t trues = 0, armed;

		for (i = 0; i < MANY; i++) {
			bool pred = random_next(&seed) % 2;

			trues += pred;
			insns[i] = i_barrier_red(DRM_VSM_RED_POPC, round % 16, pred);
			waits[i] = wait_insn(&c, 0, i, 0, &insns[i]);
		}
		/* Arm all threads except the last three. */
		ASSERT_EQ(0, waitset_arm(c.fd, self->set, waits, MANY - 3, &armed));
		ASSERT_EQ(MANY - 3, armed);
		EXPECT_NO_RECORD();
		ASSERT_EQ(0, waitset_arm(c.fd, self->set, waits + MANY - 3, 3, NULL));
		ASSERT_EQ(sizeof(records), read(self->set, records, sizeof(records)));
		for (i = 0; i < MANY; i++) {
			ASSERT_EQ(DRM_VSM_WAIT_COMPLETE, records[i].status);
			ASSERT_EQ(trues, records[i].result);
			ASSERT_EQ(waits[records[i].user_data].id, records[i].id);
			waits[records[i].user_data].id = 0;
		}
		EXPECT_NO_RECORD();
	}
	rv_destroy(&c);
}

TEST_F(armed, they_are_limited_as_all_waits_are)
{
	uint32_t i, part, done, left, limit = vsm_info(self->c.fd).client_waits;
	struct drm_vsm_wait *waits = calloc(4096, sizeof(*waits));
	int set = waitset_create(self->c.fd, 0);
	uint64_t id;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	for (i = 0; i < 4096; i++)
		waits[i] = wait_parity(&self->c, A, 0, -1, i);
	for (done = 0; done < limit - 2; done += part) {
		part = limit - 2 - done < 4096 ? limit - 2 - done : 4096;
		ASSERT_EQ(0, waitset_arm(self->c.fd, set, waits, part, NULL));
	}
	ASSERT_EQ(0, arm_until(&self->c, self->set, 0, i_warp_sync(0xf), -1, &id));
	ARM(1, i_warp_sync(0xf));
	EXPECT_EQ(-ENOSPC, arm(&self->c, self->set, 2, i_warp_sync(0xf)));
	/* The refused call has not made its thread arrive. */
	EXPECT_EQ(0, play_one(&self->c, 0, 2, 0, i_warp_sync(4), NULL));
	ASSERT_EQ(0, waitset_cancel(self->c.fd, self->set, id));
	ARM(2, i_warp_sync(0xf));
	ASSERT_EQ(0, play_one(&self->c, 0, 3, 0, i_warp_sync(0xf), NULL));
	/* A wait counts against the limit until its record is read. */
	EXPECT_EQ(-ENOSPC, arm(&self->c, self->set, 0, i_warp_sync(0xf)));
	for (left = 0; poll_events(self->set) == POLLIN; left++) {
		struct drm_vsm_wait_record record;

		ASSERT_EQ(1, waitset_read(self->set, &record));
	}
	EXPECT_EQ(2, left);
	ARM(0, i_warp_sync(0xf));
	EXPECT_RECORD(0, COMPLETE, 0);
	close(set);
	free(waits);
}

/* --- unbinding the device ------------------------------------------------------- */

FIXTURE(unbound)
{
	struct cluster c;
	int set;
};

FIXTURE_SETUP(unbound)
{
	ASSERT_EQ(0, rv_create(&self->c, 2, THREADS, DRM_VSM_POLICY_STRICT));
	self->set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->set);
}

FIXTURE_TEARDOWN(unbound)
{
	munmap(self->c.map, self->c.size);
	close(self->c.fd);
	close(self->set);
	EXPECT_EQ(0, device_bind());
}

TEST_F(unbound, the_loss_of_the_device_ends_all)
{
	struct drm_vsm_wait_record record;
	uint32_t i, lost = 0;

	for (i = 0; i < THREADS - 1; i++)
		ASSERT_EQ(0, arm_until(&self->c, self->set, i, i_barrier_sync(0),
				       i % 2 ? -1 : now_ns() + 1000 * SECOND, NULL));
	ASSERT_EQ(0, device_unbind());
	EXPECT_EQ(POLLIN | POLLHUP, poll_events(self->set));
	for (i = 0; i < THREADS - 1; i++) {
		ASSERT_EQ(1, waitset_read(self->set, &record));
		lost += record.status == DRM_VSM_WAIT_DEVICE_LOST && !record.result;
	}
	EXPECT_EQ(THREADS - 1, lost);
	EXPECT_EQ(-ENODEV, waitset_read(self->set, &record));
	EXPECT_EQ(-ENODEV, arm(&self->c, self->set, 0, i_barrier_sync(0)));
}

TEST_HARNESS_MAIN
