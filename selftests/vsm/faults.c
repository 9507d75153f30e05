// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fault events: the client that caused a misuse gets an event for it, in addition to the errors
 * that calls return.
 */
#include <sys/epoll.h>

#include "async.h"
#include "fence.h"

#define A AT(0, 0x80)
#define NOTHING AT(0, 0x200)	/* no mbarrier */
#define SPACE 4096		/* bytes that the ABI reserves for a client's events */
#define EVENT sizeof(struct plain_event)

/* A fault event without flags, as programs written for ABI 0.4 read it. */
struct plain_event {
	struct drm_event base;
	__s64 time;
	__u32 cluster;
	__u16 cta;
	__u16 thread;
	__u32 source;
	__u32 lost;
	struct drm_vsm_insn insn;
};

FIXTURE(faults)
{
	struct cluster c;
	struct buffer b;
};

FIXTURE_SETUP(faults)
{
	ASSERT_EQ(0, cluster_open_plain(&self->c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, 4096));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(END, 1)));
	EXPECT_EQ(0, poll_events(self->c.fd));
}

FIXTURE_TEARDOWN(faults)
{
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_close(&self->c));
}

/* Causes a fault. @number is the tx-count in its event. */
static int misuse(const struct cluster *c, uint32_t number)
{
	struct drm_vsm_insn insn = i_complete_tx(NOTHING, number);

	return exec_stream(c, 0, &insn, 1, NULL);
}

/* --- traps ---------------------------------------------------------------- */

/* A reader that hears at once that a trap has lost the cluster can read why, and so can a task. */
TEST_F(faults, the_event_of_a_trap_comes_before_the_loss)
{
	int set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	int i, rounds = repeat(200);

	for (i = 0; i < rounds; i++) {
		struct drm_vsm_insn copy = i_g2s(0x400, NOTHING, 16, self->b.handle, 0);
		struct drm_vsm_insn sleep = i_try_parity_unlimited(A, 0);
		struct drm_vsm_wait_record record;
		struct drm_vsm_event_fault event;
		struct drm_vsm_wait wait;
		struct exec_thread t;
		struct cluster c;

		ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 1, .threads = 2,
					  .smem_bytes = 4096, .policy = DRM_VSM_POLICY_HARDWARE));
		ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
		ASSERT_EQ(0, exec_one(&c, i_complete_tx(NOTHING, VSM_MBARRIER_MAX_TX)));
		wait = wait_parity(&c, A, 0, -1, 7);
		ASSERT_EQ(0, waitset_arm(c.fd, set, &wait, 1, NULL));
		ASSERT_TRUE(suspend_as(&t, &c, 0, 1, DRM_VSM_EXEC_NO_LIMIT, &sleep, 1));
		ASSERT_EQ(0, exec_one(&c, copy));
		while (waitset_read(set, &record) == -EAGAIN)
			;
		EXPECT_EQ(POLLIN, poll_events(c.fd)) TH_LOG("round %d", i);
		EXPECT_EQ(DRM_VSM_WAIT_CLUSTER_LOST, record.status);
		EXPECT_EQ(-EIO, exec_thread_join(&t));
		ASSERT_EQ(1, fault_read(c.fd, &event));
		EXPECT_EQ(DRM_VSM_FAULT_TX_RANGE, event.insn.fault);
		EXPECT_EQ(DRM_VSM_SOURCE_ASYNC, event.source);
		ASSERT_EQ(0, cluster_destroy(&c));
	}
	close(set);
}

/* --- events of each source ------------------------------------------------ */

/* Fields that an event must have */
struct wanted {
	uint32_t cta, thread;		/* thread that executed the instruction */
	uint32_t source;		/* where it was executed */
	struct drm_vsm_insn insn;	/* the instruction, with word, fault and info */
};

static void expect_event(struct __test_metadata *_metadata, const struct cluster *c,
			 int64_t begin, struct wanted wanted)
{
	struct drm_vsm_event_fault e;

	ASSERT_EQ(1, fault_read(c->fd, &e));
	EXPECT_EQ(DRM_VSM_EVENT_FAULT, e.base.type);
	EXPECT_EQ(EVENT, e.base.length);
	EXPECT_LE(begin, e.time);
	EXPECT_GE(now_ns(), e.time);
	EXPECT_EQ(c->handle, e.cluster);
	EXPECT_EQ(wanted.cta, e.cta);
	EXPECT_EQ(wanted.thread, e.thread);
	EXPECT_EQ(wanted.source, e.source);
	EXPECT_EQ(0, e.lost);
	EXPECT_EQ(0, memcmp(&wanted.insn, &e.insn, sizeof(e.insn)))
		TH_LOG("op %u mods %u addr %x word %llx fault %u info %u", e.insn.op, e.insn.mods,
		       e.insn.u.mbarrier.addr, e.insn.result, e.insn.fault, e.insn.info);
	EXPECT_EQ(0, poll_events(c->fd));
}

#define EXPECT_EVENT(...) \
	expect_event(_metadata, &self->c, begin, (struct wanted){ __VA_ARGS__ })

/* Returns an instruction with the outputs that its event must report. */
static struct drm_vsm_insn as(struct drm_vsm_insn insn, uint32_t fault, uint64_t word,
			      uint32_t info)
{
	insn.fault = fault;
	insn.result = word;
	insn.info = info;
	return insn;
}

TEST_F(faults, exec_reports_the_instruction_as_it_was_refused)
{
	struct drm_vsm_insn insns[] = {
		i_test_parity(AT(2, 8), 0), i_drop(i_arrive_expect_tx(AT(2, 8), 48)),
	};
	struct drm_vsm_exec args = exec_args(&self->c, insns, 2);
	int64_t begin = now_ns();

	ASSERT_EQ(0, exec_at(&self->c, 2, i_init(AT(2, 8), 1), NULL));
	insns[1].sem = DRM_VSM_SEM_RELEASE;
	insns[1].scope = DRM_VSM_SCOPE_CLUSTER;
	insns[1].space = DRM_VSM_SPACE_SHARED_CTA;
	args.cta = 2;
	args.thread = 37;
	insn_poison(insns, 2);
	ASSERT_EQ(-EPROTO, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(DRM_VSM_FAULT_DROP_TO_ZERO, insns[1].fault);
	EXPECT_EVENT(2, 37, DRM_VSM_SOURCE_EXEC, insns[1]);

	/* The first event has info besides the word; the other two have no word. */
	insns[0] = i_init(AT(2, 8), 9);
	args.retired = 0;
	begin = now_ns();
	ASSERT_EQ(-EPROTO, vsm_exec(self->c.fd, &args));
	EXPECT_EVENT(2, 37, DRM_VSM_SOURCE_EXEC,
		     as(i_init(AT(2, 8), 9), DRM_VSM_FAULT_INIT_OVER_LIVE, 0x7ffff800001ffffe,
			DRM_VSM_MBARRIER_IDLE));
	ASSERT_EQ(-EPROTO, exec_one(&self->c, i_pending_count(0x1234)));
	EXPECT_EVENT(0, 0, DRM_VSM_SOURCE_EXEC,
		     as(i_pending_count(0x1234), DRM_VSM_FAULT_NOT_A_PENDING_TOKEN, 0, 0));
	ASSERT_EQ(-EPROTO, exec_one(&self->c, i_arrive(AT(9, 8))));
	EXPECT_EVENT(0, 0, DRM_VSM_SOURCE_EXEC,
		     as(i_arrive(AT(9, 8)), DRM_VSM_FAULT_OUT_OF_WINDOW, 0, 0));
}

TEST_F(faults, a_wait_that_is_refused_before_it_suspends_is_reported_once)
{
	struct drm_vsm_insn wait = i_try_wait(A, 77, LONG_HINT);
	int64_t begin = now_ns();

	ASSERT_EQ(-EPROTO, exec_one(&self->c, wait));
	EXPECT_EVENT(0, 0, DRM_VSM_SOURCE_EXEC,
		     as(wait, DRM_VSM_FAULT_STALE_TOKEN, 0x7ffff800001ffffe, 0));
}

TEST_F(faults, submit_reports_what_it_refuses_before_the_job_runs)
{
	struct drm_vsm_insn insns[] = {
		i_sink(i_arrive(A)), i_g2s(0x400, A, 24, self->b.handle, 16),
	};
	struct drm_vsm_submit args = submit_args(&self->c, insns, 2);
	int64_t begin = now_ns();

	args.cta = 3;
	args.thread = 11;
	insn_poison(insns, 2);
	ASSERT_EQ(-EPROTO, vsm_submit(self->c.fd, &args));
	EXPECT_EQ(DRM_VSM_FAULT_COPY_SIZE, insns[1].fault);
	EXPECT_EVENT(3, 11, DRM_VSM_SOURCE_SUBMIT, insns[1]);
}

TEST_F(faults, a_job_reports_the_instruction_that_ended_it)
{
	struct drm_vsm_insn copy = i_g2s(0x400, NOTHING, 32, self->b.handle, 16);
	struct drm_vsm_insn insns[] = { i_sink(i_arrive(A)), i_expect_tx(A, 1 << 20) };
	struct drm_vsm_submit args = submit_args(&self->c, insns, 2);
	int64_t begin = now_ns();

	args.thread = 11;
	ASSERT_EQ(0, vsm_submit(self->c.fd, &args));
	EXPECT_EVENT(0, 11, DRM_VSM_SOURCE_JOB,
		     as(insns[1], DRM_VSM_FAULT_TX_RANGE, 0xfffff800001ffffe, 0));
	/* Issue a copy that would complete on a word that is no mbarrier. */
	begin = now_ns();
	ASSERT_EQ(-EIO, job_status(&self->c, 0, copy));
	EXPECT_EVENT(0, 0, DRM_VSM_SOURCE_JOB, as(copy, DRM_VSM_FAULT_NOT_AN_MBARRIER, 0, 0));
	/* Issue a copy that would write over an mbarrier. */
	ASSERT_EQ(0, exec_one(&self->c, i_init(0x418, 3)));
	copy.u.copy.mbar = A;
	ASSERT_EQ(-EIO, job_status(&self->c, 0, copy));
	EXPECT_EVENT(0, 0, DRM_VSM_SOURCE_JOB,
		     as(copy, DRM_VSM_FAULT_WRITE_OVER_LIVE, 0x7fffe800001ffffa, 0x418));
}

TEST_F(faults, an_asynchronous_completion_reports_the_instruction_that_issued_it)
{
	struct drm_vsm_insn insns[] = {
		i_cp_async(0x410, 8, self->b.handle, 8), i_noinc(i_cp_arrive(A)),
	};
	struct drm_vsm_exec args = exec_args(&self->c, insns, 2);
	struct plain_event events[2];
	int64_t begin;

	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	args.thread = 63;
	ASSERT_EQ(0, vsm_exec(self->c.fd, &args));
	ASSERT_EQ(0, exec_one(&self->c, i_init(0x410, 3)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(0, poll_events(self->c.fd));
	begin = now_ns();
	ASSERT_EQ(0, async_release(&self->c));
	/* One read returns both events in order. */
	ASSERT_EQ(sizeof(events), read(self->c.fd, events, sizeof(events)));
	EXPECT_EQ(DRM_VSM_FAULT_WRITE_OVER_LIVE, events[0].insn.fault);
	EXPECT_EQ(DRM_VSM_FAULT_LATE_COMPLETION, events[1].insn.fault);
	EXPECT_EQ(63, events[0].thread);
	EXPECT_EQ(63, events[1].thread);

	/* Check all fields of a single event. */
	ASSERT_EQ(0, exec_look(&self->c, A));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	args.retired = 1;
	ASSERT_EQ(0, vsm_exec(self->c.fd, &args));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EVENT(0, 63, DRM_VSM_SOURCE_ASYNC,
		     as(i_noinc(i_cp_arrive(A)), DRM_VSM_FAULT_LATE_COMPLETION,
			0x7ffff800001ffffe, 0));
}

TEST_F(faults, arming_reports_the_try_wait_that_it_stands_for)
{
	struct drm_vsm_wait waits[] = {
		wait_parity(&self->c, AT(3, 0x40), 1, -1, 1),
		{ .cluster = self->c.handle, .addr = A, .state = 0x1122, .deadline = -1 },
		wait_parity(&self->c, AT(4, 0), 0, -1, 1),
	};
	struct drm_vsm_insn by_token = MBARRIER(TRY_WAIT, .addr = A, .state = 0x1122);
	int set = waitset_create(self->c.fd, 0);
	int64_t begin = now_ns();

	EXPECT_EQ(-EPROTO, waitset_arm(self->c.fd, set, &waits[0], 1, NULL));
	EXPECT_EVENT(3, 0, DRM_VSM_SOURCE_ARM,
		     as(i_try_parity_unlimited(AT(3, 0x40), 1), DRM_VSM_FAULT_NOT_AN_MBARRIER,
			0, 0));
	EXPECT_EQ(-EPROTO, waitset_arm(self->c.fd, set, &waits[1], 1, NULL));
	EXPECT_EVENT(0, 0, DRM_VSM_SOURCE_ARM,
		     as(by_token, DRM_VSM_FAULT_STALE_TOKEN, 0x7ffff800001ffffe, 0));
	EXPECT_EQ(-EPROTO, waitset_arm(self->c.fd, set, &waits[2], 1, NULL));
	EXPECT_EVENT(4, 0, DRM_VSM_SOURCE_ARM,
		     as(i_try_parity_unlimited(AT(4, 0), 0), DRM_VSM_FAULT_OUT_OF_WINDOW, 0, 0));
	close(set);
}

TEST_F(faults, what_is_no_misuse_has_no_event)
{
	struct drm_vsm_insn malformed = i_arrive(A);
	struct cluster sm_80;

	malformed.red = 1;
	EXPECT_EQ(-EINVAL, exec_one(&self->c, malformed));
	ASSERT_EQ(0, cluster_create(&sm_80, self->c.fd, VSM_LAYOUT_SM_80, DRM_VSM_POLICY_STRICT));
	EXPECT_EQ(-EOPNOTSUPP, exec_one(&sm_80, i_g2s(0x400, A, 16, self->b.handle, 0)));
	EXPECT_EQ(0, cluster_destroy(&sm_80));
	EXPECT_EQ(-ENOENT, exec_one(&self->c, i_cp_async(0x400, 16, 0, 0)));
	EXPECT_EQ(0, exec_one(&self->c, i_try_parity(A, 0, 1000)));
	EXPECT_EQ(0, poll_events(self->c.fd));
}

/* --- poll() and read() ---------------------------------------------------- */

TEST_F(faults, are_read_in_order_as_many_whole_ones_as_fit)
{
	struct plain_event events[20];
	int i;

	for (i = 0; i < 20; i++)
		ASSERT_EQ(-EPROTO, misuse(&self->c, i));
	EXPECT_EQ(POLLIN, poll_events(self->c.fd));
	/* A read with space for less than one event loses no event. */
	EXPECT_GE(0, read(self->c.fd, events, EVENT - 1));
	EXPECT_EQ(POLLIN, poll_events(self->c.fd));
	ASSERT_EQ(EVENT, read(self->c.fd, events, 2 * EVENT - 1));
	ASSERT_EQ(19 * EVENT, read(self->c.fd, events + 1, 19 * EVENT));
	for (i = 0; i < 20; i++) {
		EXPECT_EQ(i, events[i].insn.u.mbarrier.tx_count);
		EXPECT_TRUE(!i || events[i - 1].time <= events[i].time);
	}
	EXPECT_EQ(0, poll_events(self->c.fd));
	ASSERT_EQ(0, fcntl(self->c.fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-1, read(self->c.fd, events, EVENT));
	EXPECT_EQ(EAGAIN, errno);
}

struct reader {
	int fd;
	atomic_int tid;
	int ret;
	struct plain_event event;
	pthread_t thread;
};

static void *reader_main(void *arg)
{
	struct reader *r = arg;

	atomic_store(&r->tid, get_tid());
	r->ret = read(r->fd, &r->event, sizeof(r->event));
	return NULL;
}

TEST_F(faults, a_blocked_reader_is_woken)
{
	struct reader r = { .fd = self->c.fd };
	int i;

	for (i = 0; i < 20; i++) {
		atomic_store(&r.tid, 0);
		ASSERT_EQ(0, pthread_create(&r.thread, NULL, reader_main, &r));
		ASSERT_TRUE(wait_until_thread_blocked(&r.tid, SYS_read));
		/* In odd rounds this task causes the event, in even rounds a worker does. */
		ASSERT_EQ(i % 2 ? -EPROTO : -EIO,
			  i % 2 ? misuse(&self->c, i)
				: job_status(&self->c, 0, i_complete_tx(NOTHING, i)));
		pthread_join(r.thread, NULL);
		ASSERT_EQ(EVENT, r.ret);
		EXPECT_EQ(i, r.event.insn.u.mbarrier.tx_count);
	}
}

/* While one reader has the event, another reader may find none. It must be woken. */
TEST_F(faults, an_event_that_a_reader_puts_back_wakes_readers_again)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	struct drm_vsm_event_fault again;
	void *nowhere = mmap(NULL, EVENT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int epoll = epoll_create1(0);

	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, self->c.fd, &event));
	ASSERT_EQ(-EPROTO, misuse(&self->c, 1));
	EXPECT_EQ(1, epoll_wait(epoll, &event, 1, 0));
	EXPECT_EQ(0, epoll_wait(epoll, &event, 1, 0));
	EXPECT_EQ(-1, read(self->c.fd, nowhere, EVENT));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(1, epoll_wait(epoll, &event, 1, 0));
	EXPECT_EQ(1, fault_read(self->c.fd, &again));
	EXPECT_EQ(0, epoll_wait(epoll, &event, 1, 0));
	close(epoll);
	munmap(nowhere, EVENT);
}

TEST_F(faults, what_does_not_fit_is_counted_in_the_next_that_does)
{
	enum { FIT = SPACE / EVENT };
	struct plain_event events[FIT + 1];
	struct drm_vsm_event_fault event;
	int i, round;

	for (round = 1; round <= 3; round++) {
		for (i = 0; i < FIT + 10 * round; i++)
			ASSERT_EQ(-EPROTO, misuse(&self->c, i));
		ASSERT_EQ(FIT * EVENT, read(self->c.fd, events, sizeof(events)));
		for (i = 0; i < FIT; i++) {
			EXPECT_EQ(i, events[i].insn.u.mbarrier.tx_count);
			EXPECT_EQ(0, events[i].lost);
		}
		EXPECT_EQ(0, poll_events(self->c.fd));
		/* The number of lost events is reported once. */
		for (i = 0; i < 2; i++) {
			ASSERT_EQ(-EPROTO, misuse(&self->c, 777));
			ASSERT_EQ(1, fault_read(self->c.fd, &event));
			EXPECT_EQ(i ? 0 : 10 * round, event.lost);
		}
	}
	/*
	 * The read makes space for one event. The event of the next fault takes it, and counts the
	 * five events that were lost before.
	 */
	for (i = 0; i < FIT + 5; i++)
		ASSERT_EQ(-EPROTO, misuse(&self->c, i));
	ASSERT_EQ(EVENT, read(self->c.fd, events, EVENT));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(-EPROTO, misuse(&self->c, 1000 + i));
	ASSERT_EQ(FIT * EVENT, read(self->c.fd, events, sizeof(events)));
	EXPECT_EQ(5, events[FIT - 1].lost);
	EXPECT_EQ(1000, events[FIT - 1].insn.u.mbarrier.tx_count);
	ASSERT_EQ(-EPROTO, misuse(&self->c, 0));
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(2, event.lost);
}

TEST_F(faults, go_to_the_client_that_caused_them)
{
	struct drm_vsm_wait wait;
	struct cluster other;
	struct drm_vsm_event_fault event;
	int set;

	/* The other client has another handle for the same cluster. */
	other.fd = vsm_open();
	ASSERT_EQ(0, cluster_create(&other, other.fd, 0, 0));
	ASSERT_EQ(0, cluster_share(&other, other.fd, &self->c));
	EXPECT_NE(self->c.handle, other.handle);
	ASSERT_EQ(-EPROTO, misuse(&other, 5));
	EXPECT_EQ(0, poll_events(self->c.fd));
	ASSERT_EQ(1, fault_read(other.fd, &event));
	EXPECT_EQ(other.handle, event.cluster);
	ASSERT_EQ(-EPROTO, misuse(&self->c, 6));
	EXPECT_EQ(0, poll_events(other.fd));
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(self->c.handle, event.cluster);

	/*
	 * Events go to the client that submitted the job or issued the copy, not to the one that
	 * released the cluster.
	 */
	ASSERT_EQ(-EIO, job_status(&other, 0, i_complete_tx(NOTHING, 1)));
	ASSERT_EQ(1, fault_read(other.fd, &event));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&other, i_noinc(i_cp_arrive(A))));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	ASSERT_EQ(1, fault_read(other.fd, &event));
	EXPECT_EQ(DRM_VSM_FAULT_LATE_COMPLETION, event.insn.fault);
	EXPECT_EQ(other.handle, event.cluster);

	/*
	 * The event goes to the client that arms the wait, even if another client created the wait
	 * set.
	 */
	set = waitset_create(self->c.fd, 0);
	wait = wait_parity(&other, NOTHING, 0, -1, 0);
	EXPECT_EQ(-EPROTO, waitset_arm(other.fd, set, &wait, 1, NULL));
	EXPECT_EQ(POLLIN, poll_events(other.fd));
	EXPECT_EQ(0, poll_events(self->c.fd));
	close(set);
	munmap(other.map, other.size);
	close(other.fd);
}

/* --- closing the client --------------------------------------------------- */

TEST_F(faults, a_client_may_close_with_events_unread)
{
	int i, j;

	for (i = 0; i < 50; i++) {
		struct cluster c;

		ASSERT_EQ(0, cluster_create(&c, vsm_open(), VSM_LAYOUT_SM_90,
					    DRM_VSM_POLICY_STRICT));
		for (j = 0; j < i; j++)
			ASSERT_EQ(-EPROTO, misuse(&c, j));
		munmap(c.map, c.size);
		close(c.fd);
	}
}

/* Jobs and copies fault while their client closes. */
TEST_F(faults, a_client_may_close_while_it_causes_them)
{
	int i, j, rounds = repeat(300);

	for (i = 0; i < rounds; i++) {
		struct drm_vsm_insn job[] = { i_expect_tx(A, 0), i_complete_tx(NOTHING, 1) };
		struct cluster c;
		struct buffer b;

		ASSERT_EQ(0, cluster_create(&c, vsm_open(), VSM_LAYOUT_SM_90,
					    DRM_VSM_POLICY_STRICT));
		ASSERT_EQ(0, buffer_create(&b, c.fd, 4096));
		ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
		ASSERT_EQ(0, cluster_hold(&c, DRM_VSM_HOLD));
		for (j = 0; j < 20; j++) {
			uint32_t at = 0x400 + 8 * j;

			ASSERT_EQ(0, exec_one(&c, i_cp_async(at, 8, b.handle, 0)));
			ASSERT_EQ(0, exec_one(&c, i_init(at, 1)));
		}
		if (i % 3)
			ASSERT_EQ(0, cluster_hold(&c, 0));
		for (j = 0; j < 10; j++)
			ASSERT_EQ(0, submit_sync(&c, job, 2, 0, 0));
		if (i % 5 == 0)
			poll(NULL, 0, 1);
		munmap(b.map, b.size);
		munmap(c.map, c.size);
		close(c.fd);
	}
}

struct causer {
	const struct cluster *c;
	int count;
	int errors;
	pthread_t thread;
};

static void *causer_main(void *arg)
{
	struct causer *causer = arg;
	int i;

	for (i = 0; i < causer->count; i++)
		if (misuse(causer->c, i) != -EPROTO)
			causer->errors++;
	return NULL;
}

TEST_F(faults, of_many_threads_are_each_reported_or_counted)
{
	enum { THREADS = 4 };
	struct causer causers[THREADS];
	struct drm_vsm_event_fault event;
	int i, count = repeat(5000), reported = 0, running = THREADS;

	for (i = 0; i < THREADS; i++) {
		causers[i] = (struct causer){ .c = &self->c, .count = count };
		ASSERT_EQ(0, pthread_create(&causers[i].thread, NULL, causer_main, &causers[i]));
	}
	while (running || poll_events(self->c.fd) == POLLIN) {
		if (poll_events(self->c.fd) == POLLIN) {
			ASSERT_EQ(1, fault_read(self->c.fd, &event));
			reported += 1 + event.lost;
			continue;
		}
		if (!pthread_tryjoin_np(causers[running - 1].thread, NULL))
			running--;
		sched_yield();
	}
	/* The last events may have been lost: the next event counts them. */
	ASSERT_EQ(-EPROTO, misuse(&self->c, 0));
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(THREADS * count, reported + event.lost);
	for (i = 0; i < THREADS; i++)
		EXPECT_EQ(0, causers[i].errors);
}

TEST_HARNESS_MAIN
