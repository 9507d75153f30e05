// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flight recorder of a cluster: which events there are, and what they say. The numbers of
 * events tie what an operation does to what it causes. An event says the same however it is stored.
 */
#include "async.h"
#include "channel.h"
#include "fence.h"
#include "lanes.h"
#include "missing_page.h"
#include "recorder.h"

#define PAGE 4096
#define A AT(0, 0x80)
#define B AT(0, 0x90)
#define DATA AT(0, 0x400)

FIXTURE(recorder)
{
	struct cluster c;
	struct buffer b;
	struct events e;
	int set;
};

FIXTURE_SETUP(recorder)
{
	ASSERT_EQ(0, cluster_make_open(&self->c, .ctas = 2, .threads = 64, .smem_bytes = 4096,
				       .trace_events = MAX_EVENTS));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, 4096));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(END, 1)));
	self->set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->set);
	memset(&self->e, 0, sizeof(self->e));
	ASSERT_EQ(0, events_read(&self->c, &self->e));
}

FIXTURE_TEARDOWN(recorder)
{
	if (_metadata->exit_code == KSFT_FAIL)
		events_print(&self->e);
	close(self->set);
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_close(&self->c));
}

/* The events of a type, in order. They are of thread 0.0 unless the test says otherwise. */
#define EVENT(name, nth) event_find(&self->e, DRM_VSM_TRACE_##name, nth)
#define COUNT(name) event_count(&self->e, DRM_VSM_TRACE_##name)
#define READ() ASSERT_EQ(0, events_read(&self->c, &self->e))

static int exec_with(const struct cluster *c, struct drm_vsm_insn insn, uint16_t cta,
		     uint16_t thread, uint32_t flags, uint32_t site)
{
	struct drm_vsm_exec args = play_args(c, cta, thread, flags, &insn, 1);

	args.site = site;
	return vsm_exec(c->fd, &args);
}

/* --- mbarriers --------------------------------------------------------------------- */

TEST_F(recorder, an_instruction_tells_who_what_and_the_word)
{
	int64_t before = now_ns();
	uint64_t old = word(&self->c, A);
	struct drm_vsm_trace_event e;

	ASSERT_EQ(0, exec_with(&self->c, i_expect_tx(A, 48), 0, 33, 0, 7));
	READ();
	ASSERT_EQ(1, self->e.count);
	e = EVENT(INSN, 0);
	EXPECT_LE(before, e.time);
	EXPECT_GE(now_ns(), e.time);
	EXPECT_EQ(DRM_VSM_OP_MBARRIER_EXPECT_TX, e.op);
	EXPECT_EQ(A, e.addr);
	EXPECT_EQ(0, e.cta);
	EXPECT_EQ(33, e.thread);
	EXPECT_EQ(2, e.lanes);
	EXPECT_EQ(7, e.site);
	EXPECT_EQ(old, e.word);
	EXPECT_EQ(word(&self->c, A), e.next);
	EXPECT_NE(old, e.next);
	EXPECT_EQ(0, e.id | e.cause | e.error | e.fault | e.pad);
	EXPECT_NE(0, e.cluster);
	EXPECT_NE(0, e.client);
}

TEST_F(recorder, the_numbers_of_cluster_and_client_are_those_of_the_object)
{
	struct drm_vsm_object_info info = { .handle = self->c.handle };

	ASSERT_EQ(0, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_OBJECT_INFO, &info));
	ASSERT_EQ(0, exec_one(&self->c, i_expect_tx(A, 16)));
	READ();
	EXPECT_EQ(info.number, EVENT(INSN, 0).cluster);
	EXPECT_EQ(info.client, EVENT(INSN, 0).client);
}

TEST_F(recorder, every_mbarrier_operation_is_an_event_with_its_result)
{
	struct drm_vsm_insn insns[] = {
		i_init(B, 2), i_arrive(B), i_test_parity(B, 0), i_expect_tx(B, 16),
		i_complete_tx(B, 16), i_fence(), i_inval(B),
	};
	uint32_t i;

	ASSERT_EQ(0, exec_stream(&self->c, 0, insns, ITEMS(insns), NULL));
	READ();
	ASSERT_EQ(ITEMS(insns), self->e.count);
	for (i = 0; i < ITEMS(insns); i++) {
		EXPECT_EQ(DRM_VSM_TRACE_INSN, self->e.at[i].type) TH_LOG("event %u", i);
		EXPECT_EQ(insns[i].op, self->e.at[i].op) TH_LOG("event %u", i);
		EXPECT_EQ(insns[i].result, self->e.at[i].value) TH_LOG("event %u", i);
	}
}

TEST_F(recorder, a_phase_follows_the_instruction_that_completes_it)
{
	uint64_t old = word(&self->c, A);
	struct drm_vsm_trace_event e;

	ASSERT_EQ(0, exec_with(&self->c, i_arrive(A), 0, 5, 0, 9));
	READ();
	ASSERT_EQ(2, self->e.count);
	EXPECT_EQ(DRM_VSM_TRACE_INSN, self->e.at[0].type);
	e = self->e.at[1];
	EXPECT_EQ(DRM_VSM_TRACE_PHASE, e.type);
	EXPECT_NE(0, e.id);
	EXPECT_EQ(0, e.cause);
	EXPECT_EQ(A, e.addr);
	EXPECT_EQ(5, e.thread);
	EXPECT_EQ(9, e.site);
	EXPECT_EQ(old, e.word);
	EXPECT_EQ(word(&self->c, A), e.next);
	EXPECT_NE(0, e.serial);
	EXPECT_EQ(0, e.serial & 1);
	/* The next phase has the next number. */
	ASSERT_EQ(0, exec_look(&self->c, A));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	READ();
	EXPECT_EQ(e.serial + 1, EVENT(PHASE, 0).serial);
	EXPECT_LT(e.id, EVENT(PHASE, 0).id);
}

/* The hardware policy knows no objects, and therefore no serial numbers. */
TEST_F(recorder, a_phase_under_the_hardware_policy_has_no_serial_number)
{
	struct cluster c;

	ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 1, .threads = 32, .smem_bytes = 4096,
				  .trace_events = 64, .policy = DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&c, i_arrive(A)));
	self->e.next = 0;
	EXPECT_EQ(0, events_read(&c, &self->e));
	EXPECT_EQ(1, COUNT(PHASE));
	EXPECT_EQ(0, EVENT(PHASE, 0).serial);
	EXPECT_NE(0, EVENT(PHASE, 0).id);
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(recorder, a_refused_instruction_is_a_fault)
{
	struct drm_vsm_trace_event e;

	ASSERT_EQ(-EPROTO, exec_with(&self->c, i_init(A, 3), 0, 40, 0, 11));
	READ();
	ASSERT_EQ(1, self->e.count);
	e = self->e.at[0];
	EXPECT_EQ(DRM_VSM_TRACE_FAULT, e.type);
	EXPECT_EQ(DRM_VSM_FAULT_INIT_OVER_LIVE, e.fault);
	EXPECT_EQ(-EPROTO, e.error);
	EXPECT_EQ(DRM_VSM_SOURCE_EXEC, e.source);
	EXPECT_EQ(DRM_VSM_OP_MBARRIER_INIT, e.op);
	EXPECT_EQ(A, e.addr);
	EXPECT_EQ(40, e.thread);
	EXPECT_EQ(11, e.site);
	EXPECT_EQ(word(&self->c, A), e.word);
}

/* --- waits ------------------------------------------------------------------------- */

/* Starts a task that executes an instruction as a thread, and waits until it is suspended. */
static int wait_start(struct exec_thread *t, const struct cluster *c, struct events *e,
		      uint32_t thread, uint32_t flags, struct drm_vsm_insn *insn)
{
	struct drm_vsm_exec args = play_args(c, 0, thread, flags, insn, 1);

	args.site = 3;
	return exec_thread_run(t, c, args) ?: events_await(c, e, DRM_VSM_TRACE_SUSPEND);
}

TEST_F(recorder, a_suspension_ends_with_the_phase_that_it_waited_for)
{
	struct drm_vsm_insn wait = i_try_parity(A, 0, LONG_HINT);
	struct drm_vsm_trace_event suspend, phase, resume;
	uint64_t start = self->e.next;
	struct exec_thread t;

	ASSERT_EQ(0, wait_start(&t, &self->c, &self->e, 34, 0, &wait));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(0, exec_thread_join(&t));
	self->e.next = start;
	READ();
	suspend = EVENT(SUSPEND, 0);
	phase = EVENT(PHASE, 0);
	resume = EVENT(RESUME, 0);
	EXPECT_EQ(34, suspend.thread);
	EXPECT_EQ(4, suspend.lanes);
	EXPECT_EQ(3, suspend.site);
	EXPECT_EQ(A, suspend.addr);
	EXPECT_EQ(DRM_VSM_OP_MBARRIER_TRY_WAIT, suspend.op);
	EXPECT_EQ(0, suspend.value);
	EXPECT_EQ(phase.serial, suspend.serial);
	EXPECT_EQ(phase.word, suspend.word);
	EXPECT_NE(0, suspend.id);
	EXPECT_EQ(suspend.id, resume.id);
	EXPECT_EQ(phase.id, resume.cause);
	EXPECT_EQ(0, resume.error);
	EXPECT_EQ(34, resume.thread);
	EXPECT_EQ(A, resume.addr);
	/* How long it took. */
	EXPECT_LE(phase.time - suspend.time, resume.value);
	EXPECT_GE(resume.time - suspend.time, resume.value);
}

TEST_F(recorder, a_time_limit_is_the_end_of_a_suspension)
{
	ASSERT_EQ(0, exec_one(&self->c, i_try_parity(A, 0, 1000)));
	READ();
	EXPECT_EQ(1, COUNT(SUSPEND));
	EXPECT_EQ(EVENT(SUSPEND, 0).id, EVENT(RESUME, 0).id);
	EXPECT_EQ(-ETIMEDOUT, EVENT(RESUME, 0).error);
	EXPECT_EQ(0, EVENT(RESUME, 0).cause);
	EXPECT_LE(1000, EVENT(RESUME, 0).value);
}

TEST_F(recorder, an_armed_wait_ends_with_its_phase)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 77);
	struct drm_vsm_trace_event armed, ended;

	wait.site = 5;
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	READ();
	armed = EVENT(WAIT_ARM, 0);
	ended = EVENT(WAIT_END, 0);
	EXPECT_EQ(A, armed.addr);
	EXPECT_EQ(5, armed.site);
	EXPECT_NE(0, armed.id);
	EXPECT_EQ(armed.id, ended.id);
	EXPECT_EQ(EVENT(PHASE, 0).id, ended.cause);
	EXPECT_EQ(0, ended.error);
}

TEST_F(recorder, a_wait_that_is_complete_when_it_is_armed_is_no_event)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 1, -1, 77);

	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	READ();
	EXPECT_EQ(0, COUNT(WAIT_ARM));
	EXPECT_EQ(0, COUNT(WAIT_END));
}

TEST_F(recorder, cancelling_a_wait_ends_it)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 77);

	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	ASSERT_EQ(0, waitset_cancel(self->c.fd, self->set, wait.id));
	READ();
	EXPECT_EQ(EVENT(WAIT_ARM, 0).id, EVENT(WAIT_END, 0).id);
	EXPECT_EQ(-ECANCELED, EVENT(WAIT_END, 0).error);
	EXPECT_EQ(0, EVENT(WAIT_END, 0).cause);
}

/* More waits than a batch ends at once: all of them name the phase. */
TEST_F(recorder, all_waits_for_a_phase_name_it)
{
	unsigned int i, ended = 0;
	uint64_t phase = 0;
	struct cluster c;

	ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 1, .threads = 32, .smem_bytes = 4096,
				  .trace_events = 2048));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	for (i = 0; i < 400; i++) {
		struct drm_vsm_wait wait = wait_parity(&c, A, 0, -1, i);

		ASSERT_EQ(0, waitset_arm(c.fd, self->set, &wait, 1, NULL));
	}
	ASSERT_EQ(0, exec_one(&c, i_arrive(A)));
	self->e.next = 0;
	do {
		ASSERT_EQ(0, events_read(&c, &self->e));
		ASSERT_EQ(0, self->e.lost);
		if (COUNT(PHASE))
			phase = EVENT(PHASE, 0).id;
		for (i = 0; i < COUNT(WAIT_END); i++)
			EXPECT_EQ(phase, EVENT(WAIT_END, i).cause) TH_LOG("%u", ended + i);
		ended += COUNT(WAIT_END);
	} while (self->e.count);
	EXPECT_EQ(400, ended);
	EXPECT_NE(0, phase);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* --- lanes ------------------------------------------------------------------------- */

TEST_F(recorder, lanes_that_arrive_together_are_one_event)
{
	uint32_t i;

	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 5)));
	ASSERT_EQ(0, exec_same(&self->c, 32, 0x35, i_arrive(B), NULL, NULL));
	READ();
	ASSERT_EQ(2, self->e.count);
	EXPECT_EQ(0x35, self->e.at[1].lanes);
	EXPECT_EQ(32, self->e.at[1].thread);
	EXPECT_EQ(DRM_VSM_OP_MBARRIER_ARRIVE, self->e.at[1].op);
	/* A wait reads the word once for all of them. */
	ASSERT_EQ(0, exec_same(&self->c, 32, 0x6, i_test_parity(B, 0), NULL, NULL));
	READ();
	ASSERT_EQ(1, self->e.count);
	EXPECT_EQ(6, self->e.at[0].lanes);
	EXPECT_EQ(33, self->e.at[0].thread);
	/* Other operations are executed lane by lane. */
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x7, i_expect_tx(B, 16), NULL, NULL));
	READ();
	ASSERT_EQ(3, self->e.count);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(1 << i, self->e.at[i].lanes);
}

/* --- rendezvous -------------------------------------------------------------------- */

TEST_F(recorder, the_last_arrival_releases_and_resumes_the_others)
{
	struct drm_vsm_insn sync = i_barrier_sync_n(3, 64);
	struct drm_vsm_trace_event suspend, last, resume;
	uint64_t start = self->e.next;
	struct exec_thread t;

	ASSERT_EQ(0, wait_start(&t, &self->c, &self->e, 0, DRM_VSM_EXEC_WARP, &sync));
	ASSERT_EQ(0, exec_with(&self->c, i_barrier_sync_n(3, 64), 0, 32, DRM_VSM_EXEC_WARP, 8));
	EXPECT_EQ(0, exec_thread_join(&t));
	self->e.next = start;
	READ();
	ASSERT_EQ(5, self->e.count);
	EXPECT_EQ(DRM_VSM_TRACE_ARRIVE, self->e.at[0].type);
	EXPECT_EQ(0xffffffff, self->e.at[0].lanes);
	EXPECT_EQ(3, self->e.at[0].addr);
	EXPECT_EQ(64, self->e.at[0].value);
	suspend = EVENT(SUSPEND, 0);
	last = EVENT(ARRIVE, 1);
	resume = EVENT(RESUME, 0);
	EXPECT_EQ(32, last.thread);
	EXPECT_EQ(8, last.site);
	EXPECT_EQ(1, COUNT(RELEASE));
	EXPECT_EQ(last.id, EVENT(RELEASE, 0).id);
	EXPECT_EQ(suspend.id, resume.id);
	EXPECT_EQ(last.id, resume.cause);
	EXPECT_EQ(0, resume.thread);
	EXPECT_EQ(3, resume.addr);
	EXPECT_EQ(DRM_VSM_OP_BARRIER_SYNC, resume.op);
}

TEST_F(recorder, lanes_arrive_in_one_event_and_not_again_for_their_results)
{
	uint32_t suspended;

	ASSERT_EQ(0, exec_same(&self->c, 0, 0xf, i_warp_sync(0x1f), NULL, &suspended));
	EXPECT_EQ(0xf, suspended);
	READ();
	ASSERT_EQ(1, self->e.count);
	EXPECT_EQ(DRM_VSM_TRACE_ARRIVE, self->e.at[0].type);
	EXPECT_EQ(0xf, self->e.at[0].lanes);
	EXPECT_EQ(0x1f, self->e.at[0].value);
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, 0xf, 0, i_warp_sync(0x1f)));
	READ();
	ASSERT_EQ(1, self->e.count);
	EXPECT_EQ(DRM_VSM_TRACE_WAIT_ARM, self->e.at[0].type);
	EXPECT_EQ(0xf, self->e.at[0].lanes);
	ASSERT_EQ(0, exec_with(&self->c, i_warp_sync(0x1f), 0, 4, 0, 0));
	READ();
	EXPECT_EQ(1, COUNT(ARRIVE));
	EXPECT_EQ(1, COUNT(RELEASE));
	EXPECT_EQ(1, COUNT(WAIT_END));
	EXPECT_EQ(EVENT(ARRIVE, 0).id, EVENT(WAIT_END, 0).cause);
	ASSERT_EQ(0, exec_same(&self->c, 0, 0xe, i_warp_sync(0x1f), NULL, NULL));
	READ();
	EXPECT_EQ(0, COUNT(ARRIVE));
}

TEST_F(recorder, an_exit_is_an_arrival)
{
	ASSERT_EQ(0, exec_with(&self->c, i_exit(), 1, 2, 0, 0));
	READ();
	ASSERT_EQ(1, self->e.count);
	EXPECT_EQ(DRM_VSM_TRACE_ARRIVE, self->e.at[0].type);
	EXPECT_EQ(DRM_VSM_OP_EXIT, self->e.at[0].op);
	EXPECT_EQ(1, self->e.at[0].cta);
	EXPECT_EQ(2, self->e.at[0].thread);
	EXPECT_EQ(4, self->e.at[0].lanes);
}

TEST_F(recorder, each_lane_that_exits_is_named)
{
	uint32_t i;

	ASSERT_EQ(0, exec_same(&self->c, 32, 0x6, i_exit(), NULL, NULL));
	READ();
	ASSERT_EQ(2, self->e.count);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(DRM_VSM_OP_EXIT, self->e.at[i].op);
		EXPECT_EQ(33 + i, self->e.at[i].thread);
		EXPECT_EQ(2 << i, self->e.at[i].lanes);
	}
}

/* --- copies ------------------------------------------------------------------------ */

TEST_F(recorder, numbers_lead_from_the_issue_of_a_copy_to_the_wake_up)
{
	struct drm_vsm_insn bulk[] = {
		i_expect_tx(A, 64), i_g2s(DATA, A, 64, self->b.handle, 128), i_arrive(A),
		i_try_parity(A, 0, LONG_HINT),
	};
	struct drm_vsm_trace_event issue, begin, deliver, end, phase;

	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_stream(&self->c, 0, bulk, 3, NULL));
	READ();
	issue = EVENT(COPY_ISSUE, 0);
	EXPECT_NE(0, issue.id);
	EXPECT_EQ(0, issue.cause);
	EXPECT_EQ(DATA, issue.addr);
	EXPECT_EQ(A, issue.mbar);
	EXPECT_EQ(64, issue.size);
	EXPECT_EQ(self->b.handle, issue.buffer);
	EXPECT_EQ(128, issue.value);
	EXPECT_EQ(DRM_VSM_OP_CP_ASYNC_BULK_G2S, issue.op);
	EXPECT_EQ(0, COUNT(COPY_BEGIN));

	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	ASSERT_EQ(0, await_phase(&self->c, A, 0));
	ASSERT_EQ(0, events_await(&self->c, &self->e, DRM_VSM_TRACE_COPY_END));
	begin = EVENT(COPY_BEGIN, 0);
	deliver = EVENT(COPY_DELIVER, 0);
	phase = EVENT(PHASE, 0);
	end = EVENT(COPY_END, 0);
	EXPECT_EQ(issue.id, begin.id);
	EXPECT_EQ(0, begin.channel);
	EXPECT_EQ(issue.id, deliver.id);
	EXPECT_EQ(A, deliver.mbar);
	EXPECT_EQ(64, deliver.size);
	EXPECT_NE(deliver.word, deliver.next);
	EXPECT_EQ(issue.id, phase.cause);
	EXPECT_EQ(deliver.word, phase.word);
	EXPECT_EQ(deliver.next, phase.next);
	EXPECT_EQ(issue.id, end.id);
	EXPECT_EQ(0, end.error);
	EXPECT_LE(begin.time, deliver.time);
	EXPECT_LE(deliver.time, end.time);
	/* The instructions of the thread are no deliveries. */
	EXPECT_EQ(1, COUNT(COPY_DELIVER));
}

TEST_F(recorder, a_multicast_delivers_to_each_cta)
{
	ASSERT_EQ(0, exec_at(&self->c, 1, i_init(AT(1, 0x80), 1), NULL));
	ASSERT_EQ(0, exec_at(&self->c, 1, i_fence(), NULL));
	ASSERT_EQ(0, exec_one(&self->c, i_expect_tx(A, 64)));
	ASSERT_EQ(0, exec_at(&self->c, 1, i_expect_tx(AT(1, 0x80), 64), NULL));
	READ();
	ASSERT_EQ(0, exec_one(&self->c, i_multicast(i_g2s(DATA, A, 64, self->b.handle, 0), 3)));
	ASSERT_EQ(0, events_await(&self->c, &self->e, DRM_VSM_TRACE_COPY_END));
	ASSERT_EQ(2, COUNT(COPY_DELIVER));
	EXPECT_EQ(A, EVENT(COPY_DELIVER, 0).mbar);
	EXPECT_EQ(AT(1, 0x80), EVENT(COPY_DELIVER, 1).mbar);
	EXPECT_EQ(EVENT(COPY_ISSUE, 0).id, EVENT(COPY_DELIVER, 1).id);
	EXPECT_EQ(0, EVENT(COPY_END, 0).error);
}

/* The operation on the mbarrier is an arrive or, without .noinc, a complete_tx of 1. */
TEST_F(recorder, an_asynchronous_arrive_is_delivered_without_modifiers_of_its_own)
{
	int noinc;

	for (noinc = 0; noinc < 2; noinc++) {
		uint32_t addr = DATA + 8 * noinc;
		struct drm_vsm_insn arrive = i_cp_arrive(addr);

		ASSERT_EQ(0, exec_one(&self->c, i_init(addr, 4)));
		READ();
		ASSERT_EQ(0, exec_one(&self->c, noinc ? i_noinc(arrive) : arrive));
		ASSERT_EQ(0, events_await(&self->c, &self->e, DRM_VSM_TRACE_COPY_END));
		ASSERT_EQ(1, COUNT(COPY_DELIVER));
		EXPECT_EQ(noinc ? DRM_VSM_OP_MBARRIER_ARRIVE : DRM_VSM_OP_MBARRIER_COMPLETE_TX,
			  EVENT(COPY_DELIVER, 0).op);
		EXPECT_EQ(noinc ? DRM_VSM_MOD_SINK : 0, EVENT(COPY_DELIVER, 0).mods);
	}
}

TEST_F(recorder, a_group_is_committed_and_its_last_copy_ends_the_wait)
{
	struct drm_vsm_insn group[] = { i_cp_async(DATA, 16, self->b.handle, 0), i_commit() };
	struct drm_vsm_insn wait = i_wait_group(0);
	uint64_t start = self->e.next;
	struct exec_thread t;

	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_stream(&self->c, 0, group, ITEMS(group), NULL));
	ASSERT_EQ(0, wait_start(&t, &self->c, &self->e, 0, 0, &wait));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	EXPECT_EQ(0, exec_thread_join(&t));
	self->e.next = start;
	READ();
	EXPECT_EQ(1, COUNT(COMMIT));
	EXPECT_EQ(1, EVENT(COMMIT, 0).value);
	EXPECT_EQ(EVENT(SUSPEND, 0).id, EVENT(RESUME, 0).id);
	EXPECT_EQ(EVENT(COPY_ISSUE, 0).id, EVENT(RESUME, 0).cause);
	EXPECT_EQ(DRM_VSM_OP_CP_ASYNC_WAIT_GROUP, EVENT(RESUME, 0).op);
	/* A wait for groups that are complete suspends nothing. */
	ASSERT_EQ(0, exec_one(&self->c, i_wait_group(0)));
	READ();
	ASSERT_EQ(1, self->e.count);
	EXPECT_EQ(DRM_VSM_TRACE_INSN, self->e.at[0].type);
}

TEST_F(recorder, an_armed_wait_for_groups_ends_with_the_last_copy)
{
	struct drm_vsm_insn group[] = { i_cp_async(DATA, 16, self->b.handle, 0), i_commit() };
	uint64_t start = self->e.next;

	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_stream(&self->c, 0, group, ITEMS(group), NULL));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, 1, 0, i_wait_group(0)));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	ASSERT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 0));
	self->e.next = start;
	READ();
	EXPECT_EQ(EVENT(WAIT_ARM, 0).id, EVENT(WAIT_END, 0).id);
	EXPECT_NE(0, EVENT(WAIT_ARM, 0).id);
	EXPECT_EQ(EVENT(COPY_ISSUE, 0).id, EVENT(WAIT_END, 0).cause);
}

/* --- jobs -------------------------------------------------------------------------- */

TEST_F(recorder, a_job_is_queued_begins_and_ends_around_its_copies)
{
	struct drm_vsm_trace_event queue, issue;

	ASSERT_EQ(0, exec_one(&self->c, i_expect_tx(A, 32)));
	READ();
	ASSERT_EQ(1, job_status(&self->c, 1, i_s2g(AT(1, 0x400), 16, self->b.handle, 0)));
	ASSERT_EQ(0, events_await(&self->c, &self->e, DRM_VSM_TRACE_JOB_END));
	queue = EVENT(JOB_QUEUE, 0);
	issue = EVENT(COPY_ISSUE, 0);
	EXPECT_NE(0, queue.id);
	EXPECT_EQ(1, queue.value);
	EXPECT_EQ(1, queue.cta);
	EXPECT_EQ(queue.id, EVENT(JOB_BEGIN, 0).id);
	EXPECT_EQ(queue.id, issue.cause);
	EXPECT_NE(queue.id, issue.id);
	EXPECT_EQ(issue.id, EVENT(COPY_END, 0).id);
	EXPECT_EQ(0, COUNT(COPY_DELIVER));
	EXPECT_EQ(queue.id, EVENT(JOB_END, 0).id);
	EXPECT_EQ(0, EVENT(JOB_END, 0).error);
}

TEST_F(recorder, a_job_that_faults_ends_with_an_error)
{
	ASSERT_EQ(-EIO, job_status(&self->c, 0, i_complete_tx(AT(0, 0x300), 16)));
	ASSERT_EQ(0, events_await(&self->c, &self->e, DRM_VSM_TRACE_JOB_END));
	EXPECT_EQ(DRM_VSM_FAULT_NOT_AN_MBARRIER, EVENT(FAULT, 0).fault);
	EXPECT_EQ(DRM_VSM_SOURCE_JOB, EVENT(FAULT, 0).source);
	EXPECT_EQ(-EIO, EVENT(JOB_END, 0).error);
}

/* --- loss -------------------------------------------------------------------------- */

TEST_F(recorder, a_trap_loses_the_cluster_once)
{
	struct cluster c;

	ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 1, .threads = 32, .smem_bytes = 4096,
				  .trace_events = 64, .policy = DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 4)));
	atomic_fetch_or(word_at(&c, A), VSM_SM_90_POISON);
	EXPECT_EQ(-EPROTO, exec_one(&c, i_arrive(A)));
	EXPECT_EQ(-EIO, exec_one(&c, i_arrive(A)));
	self->e.next = 0;
	ASSERT_EQ(0, events_read(&c, &self->e));
	EXPECT_EQ(1, COUNT(CLUSTER_LOST));
	EXPECT_EQ(1, COUNT(FAULT));
	EXPECT_EQ(DRM_VSM_TRACE_CLUSTER_LOST, self->e.at[self->e.count - 1].type);
	EXPECT_EQ(DRM_VSM_FAULT_POISONED, EVENT(FAULT, 0).fault);
	EXPECT_EQ(EVENT(FAULT, 0).cluster, EVENT(CLUSTER_LOST, 0).cluster);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* --- reading ----------------------------------------------------------------------- */

TEST_F(recorder, the_last_events_stay_and_the_others_are_counted)
{
	uint64_t start = self->e.next;
	uint32_t i;

	for (i = 0; i < MAX_EVENTS + 10; i++)
		ASSERT_EQ(0, exec_with(&self->c, i_fence(), 0, 0, 0, 100 + i));
	READ();
	EXPECT_EQ(MAX_EVENTS, self->e.count);
	EXPECT_EQ(10, self->e.lost);
	EXPECT_EQ(start + MAX_EVENTS + 10, self->e.next);
	for (i = 0; i < self->e.count; i++)
		ASSERT_EQ(110 + i, self->e.at[i].site);
	/* Reading takes nothing away. */
	self->e.next = 0;
	READ();
	EXPECT_EQ(MAX_EVENTS, self->e.count);
	EXPECT_EQ(start + 10, self->e.lost);
	READ();
	EXPECT_EQ(0, self->e.count);
	EXPECT_EQ(0, self->e.lost);
}

TEST_F(recorder, a_read_takes_as_many_events_as_fit_at_their_stride)
{
	struct {
		struct drm_vsm_trace_event event;
		uint64_t more;
	} out[3];
	struct drm_vsm_trace_read args = {
		.cluster = self->c.handle, .stride = sizeof(out[0]), .count = 2,
		.events = (uintptr_t)out, .next = self->e.next,
	};
	uint32_t i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, exec_with(&self->c, i_fence(), 0, 0, 0, 100 + i));
	memset(out, 0xa5, sizeof(out));
	ASSERT_EQ(0, trace_read_args(&self->c, &args));
	EXPECT_EQ(2, args.count);
	EXPECT_EQ(self->e.next + 2, args.next);
	EXPECT_EQ(100, out[0].event.site);
	EXPECT_EQ(101, out[1].event.site);
	EXPECT_EQ(POISON, out[0].more);
	EXPECT_EQ(POISON32, out[2].event.site);
	ASSERT_EQ(0, trace_read_args(&self->c, &args));
	EXPECT_EQ(1, args.count);
	EXPECT_EQ(102, out[0].event.site);
}

/* Records so many events, while a read stores others, that all older ones are lost. */
struct overwriter {
	const struct cluster *c;
	int fd;		/* of a missing page */
	int ret;
};

static void *overwriter_main(void *arg)
{
	struct overwriter *o = arg;
	uint32_t i;

	o->ret = missing_page_await(o->fd);
	for (i = 0; i < MAX_EVENTS && !o->ret; i++)
		o->ret = exec_with(o->c, i_fence(), 0, 0, 0, 1000 + i);
	close(o->fd);
	return NULL;
}

TEST_F(recorder, events_lost_during_a_read_are_left_for_the_next)
{
	/* The driver copies 8 events in one go: those of a page. The second page is missing. */
	const uint32_t stride = PAGE / 8;
	struct overwriter o = { .c = &self->c };
	struct drm_vsm_trace_read args = {
		.cluster = self->c.handle, .stride = stride, .count = 24, .next = self->e.next,
	};
	pthread_t thread;
	uint32_t i;
	char *out;

	out = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, out);
	o.fd = missing_page_make(out + PAGE);
	if (o.fd == -ENOSYS || o.fd == -EPERM)
		SKIP(return, "needs userfaultfd");
	ASSERT_LE(0, o.fd);
	args.events = (uintptr_t)out;
	for (i = 0; i < args.count; i++)
		ASSERT_EQ(0, exec_with(&self->c, i_fence(), 0, 0, 0, 100 + i));
	ASSERT_EQ(0, pthread_create(&thread, NULL, overwriter_main, &o));
	ASSERT_EQ(0, trace_read_args(&self->c, &args));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, o.ret);
	/* The second batch had been taken before it could be stored. */
	EXPECT_EQ(16, args.count);
	EXPECT_EQ(0, args.lost);
	EXPECT_EQ(self->e.next + 16, args.next);
	for (i = 0; i < 16; i++)
		EXPECT_EQ(100 + i, ((struct drm_vsm_trace_event *)(out + i * stride))->site);
	self->e.next = args.next;
	READ();
	EXPECT_EQ(8, self->e.lost);
	EXPECT_EQ(MAX_EVENTS, self->e.count);
	EXPECT_EQ(1000, self->e.at[0].site);
	munmap(out, 3 * PAGE);
}

TEST_F(recorder, a_read_that_cannot_store_changes_nothing)
{
	struct drm_vsm_trace_read args = {
		.cluster = self->c.handle, .stride = sizeof(struct drm_vsm_trace_event),
		.count = 1, .events = 8,
	};

	EXPECT_EQ(-EFAULT, trace_read_args(&self->c, &args));
	self->e.next = 0;
	READ();
	EXPECT_EQ(2, self->e.count);
}

TEST_F(recorder, a_cluster_without_a_flight_recorder_has_no_events)
{
	struct cluster c;

	ASSERT_EQ(0, cluster_create(&c, self->c.fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	self->e.next = 0;
	EXPECT_EQ(-ENOENT, events_read(&c, &self->e));
	EXPECT_EQ(0, cluster_destroy(&c));
	EXPECT_EQ(-ENOENT, events_read(&c, &self->e));
}

TEST_F(recorder, each_cluster_records_its_own_events)
{
	struct cluster c;
	uint32_t i;

	ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 1, .threads = 32, .smem_bytes = 4096,
				  .trace_events = 1));
	/* The smallest flight recorder keeps 64 events. */
	for (i = 0; i < 70; i++)
		ASSERT_EQ(0, exec_one(&c, i_fence()));
	READ();
	EXPECT_EQ(0, self->e.count);
	self->e.next = 0;
	ASSERT_EQ(0, events_read(&c, &self->e));
	EXPECT_EQ(64, self->e.count);
	EXPECT_EQ(6, self->e.lost);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* The client is charged for the events, and the memory comes back with the cluster. */
TEST_F(recorder, the_memory_of_a_flight_recorder_is_limited)
{
	struct drm_vsm_cluster_create args = {
		.ctas = 1, .threads = 32, .smem_bytes = 16, .trace_events = 1 << 20,
	};
	struct cluster c[64];
	int i, n, ret = 0;

	for (n = 0; n < ITEMS(c) && !ret; n++)
		ret = cluster_create_args(&c[n], self->c.fd, &args);
	if (!ret)
		SKIP(return, "the device has memory for 64 flight recorders");
	EXPECT_TRUE(ret == -ENOSPC || ret == -ENOMEM);
	for (i = 0; i < n - 1; i++)
		EXPECT_EQ(0, cluster_destroy(&c[i]));
	ASSERT_EQ(0, cluster_create_args(&c[0], self->c.fd, &args));
	EXPECT_EQ(0, cluster_destroy(&c[0]));
}

/* --- numbers ----------------------------------------------------------------------- */

/* A copy, a phase, arrivals, a wait and a job: each of them would take numbers of the device. */
static int use_numbers(const struct cluster *c)
{
	struct drm_vsm_insn insns[] = {
		i_init(A, 1), i_expect_tx(A, 16), i_g2s(DATA, A, 16, 0, 0), i_arrive(A),
		i_try_parity(A, 0, LONG_HINT), i_warp_sync(1),
	};
	struct buffer b;
	int ret = buffer_create(&b, c->fd, 4096);

	if (ret)
		return ret;
	insns[2] = i_g2s(DATA, A, 16, b.handle, 0);
	ret = exec_stream(c, 0, insns, ITEMS(insns), NULL);
	if (!ret && job_status(c, 0, i_s2g(0x800, 16, b.handle, 0)) != 1)
		ret = -EBADMSG;
	munmap(b.map, b.size);
	return ret;
}

/* The owner of a flight recorder cannot count what others do on the device. */
TEST_F(recorder, numbers_of_a_cluster_do_not_count_what_others_do)
{
	struct cluster plain, recorded;

	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	READ();
	EXPECT_EQ(1, EVENT(PHASE, 0).id);
	ASSERT_EQ(0, cluster_open_plain(&plain, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, cluster_make_open(&recorded, .ctas = 1, .threads = 32, .smem_bytes = 4096,
				       .trace_events = 64));
	EXPECT_EQ(0, use_numbers(&plain));
	EXPECT_EQ(0, use_numbers(&recorded));
	ASSERT_EQ(0, exec_look(&self->c, A));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	READ();
	EXPECT_EQ(2, EVENT(PHASE, 0).id);
	EXPECT_EQ(0, cluster_close(&plain));
	EXPECT_EQ(0, cluster_close(&recorded));
}

TEST_F(recorder, numbers_are_unique_in_a_cluster)
{
	uint64_t ids[MAX_EVENTS], next = 0;
	uint32_t i, j, n = 0;

	ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
	ASSERT_EQ(0, use_numbers(&self->c));
	ASSERT_EQ(0, use_numbers(&self->c) == -EPROTO ? 0 : -EBADMSG);
	self->e.next = 0;
	READ();
	for (i = 0; i < self->e.count; i++) {
		const struct drm_vsm_trace_event *e = &self->e.at[i];

		/* These events begin something. */
		if (e->type != DRM_VSM_TRACE_COPY_ISSUE && e->type != DRM_VSM_TRACE_PHASE &&
		    e->type != DRM_VSM_TRACE_ARRIVE && e->type != DRM_VSM_TRACE_SUSPEND &&
		    e->type != DRM_VSM_TRACE_JOB_QUEUE)
			continue;
		EXPECT_NE(0, e->id);
		for (j = 0; j < n; j++)
			EXPECT_NE(ids[j], e->id);
		ids[n++] = e->id;
		next = next > e->id ? next : e->id;
	}
	EXPECT_LE(5, n);
	EXPECT_EQ(n, next);
}

/* --- causes ------------------------------------------------------------------------ */

/*
 * Under the hardware policy, mbarrier.init over an object wakes those who wait for a phase that is
 * complete according to the new word. No phase has woken them: the last one that did on this word
 * is not the cause.
 */
TEST_F(recorder, an_init_that_ends_waits_is_no_phase)
{
	unsigned int i, waits;
	struct cluster c;

	for (waits = 1; waits <= 3; waits++) {
		ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 1, .threads = 32,
					  .smem_bytes = 4096, .trace_events = 64,
					  .policy = DRM_VSM_POLICY_HARDWARE));
		ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
		for (i = 0; i < waits; i++) {
			struct drm_vsm_wait wait = wait_parity(&c, A, 0, -1, i);

			ASSERT_EQ(0, waitset_arm(c.fd, self->set, &wait, 1, NULL));
		}
		ASSERT_EQ(0, exec_one(&c, i_arrive(A)));
		for (i = 0; i < waits; i++) {
			struct drm_vsm_wait wait = wait_parity(&c, A, 1, -1, i);

			ASSERT_EQ(0, waitset_arm(c.fd, self->set, &wait, 1, NULL));
		}
		ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
		self->e.next = 0;
		ASSERT_EQ(0, events_read(&c, &self->e));
		ASSERT_EQ(1, COUNT(PHASE));
		ASSERT_EQ(2 * waits, COUNT(WAIT_END));
		for (i = 0; i < waits; i++) {
			EXPECT_EQ(EVENT(PHASE, 0).id, EVENT(WAIT_END, i).cause)
				TH_LOG("%u of %u", i, waits);
			EXPECT_EQ(0, EVENT(WAIT_END, waits + i).cause)
				TH_LOG("%u of %u", i, waits);
		}
		EXPECT_EQ(0, cluster_destroy(&c));
	}
}

/* --- lanes ------------------------------------------------------------------------- */

TEST_F(recorder, lanes_that_meet_at_different_barriers_are_different_arrivals)
{
	struct drm_vsm_insn insns[] = {
		i_warp_sync(3), i_warp_sync(3), i_warp_sync(0x1c), i_warp_sync(0x1c),
	};
	struct drm_vsm_trace_event first, second;
	uint32_t suspended;

	ASSERT_EQ(0, exec_lanes(&self->c, 32, 0xf, insns, &suspended));
	EXPECT_EQ(0xc, suspended);
	READ();
	ASSERT_EQ(3, self->e.count);
	first = EVENT(ARRIVE, 0);
	second = EVENT(ARRIVE, 1);
	EXPECT_EQ(3, first.lanes);
	EXPECT_EQ(3, first.value);
	EXPECT_EQ(32, first.thread);
	EXPECT_EQ(0xc, second.lanes);
	EXPECT_EQ(0x1c, second.value);
	EXPECT_EQ(34, second.thread);
	EXPECT_LT(first.id, second.id);
	/* Only the first two have met. */
	EXPECT_EQ(1, COUNT(RELEASE));
	EXPECT_EQ(first.id, EVENT(RELEASE, 0).id);
}

TEST_F(recorder, lanes_that_bring_different_values_arrive_together)
{
	struct drm_vsm_insn insns[] = {
		i_match_any(7, 7), i_match_any(8, 7),
		i_match_any(7, 7),
	};

	ASSERT_EQ(0, exec_lanes(&self->c, 0, 7, insns, NULL));
	READ();
	ASSERT_EQ(2, self->e.count);
	EXPECT_EQ(7, EVENT(ARRIVE, 0).lanes);
	EXPECT_EQ(EVENT(ARRIVE, 0).id, EVENT(RELEASE, 0).id);
}

/* A lane that is refused has not arrived, and those before it have. */
TEST_F(recorder, a_lane_that_is_refused_does_not_arrive)
{
	struct drm_vsm_insn insns[] = { i_warp_sync(7), i_warp_sync(7), i_warp_sync(3) };
	uint32_t suspended;

	ASSERT_EQ(-EPROTO, exec_lanes(&self->c, 0, 7, insns, &suspended));
	READ();
	EXPECT_EQ(1, COUNT(ARRIVE));
	EXPECT_EQ(3, EVENT(ARRIVE, 0).lanes);
	EXPECT_EQ(1, COUNT(FAULT));
	EXPECT_EQ(2, EVENT(FAULT, 0).thread);
}

/* --- asynchronous arrives ---------------------------------------------------------- */

TEST_F(recorder, the_issue_of_an_arrive_tells_how_it_changes_the_word)
{
	uint64_t old;

	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 2)));
	READ();
	old = word(&self->c, B);
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_arrive(B)));
	READ();
	ASSERT_EQ(2, self->e.count);
	EXPECT_EQ(DRM_VSM_TRACE_INSN, self->e.at[0].type);
	EXPECT_EQ(DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE, self->e.at[0].op);
	EXPECT_EQ(B, self->e.at[0].addr);
	EXPECT_EQ(old, self->e.at[0].word);
	EXPECT_EQ(word(&self->c, B), self->e.at[0].next);
	EXPECT_NE(old, self->e.at[0].next);
	EXPECT_EQ(DRM_VSM_TRACE_COPY_ISSUE, self->e.at[1].type);
	/* With .noinc the word stays. */
	ASSERT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(B))));
	READ();
	ASSERT_EQ(1, self->e.count);
	EXPECT_EQ(DRM_VSM_TRACE_COPY_ISSUE, self->e.at[0].type);
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
}

/* --- how events are stored --------------------------------------------------------- */

/* Two events of the same instruction, whose word and time may differ. */
static void events_compare(struct __test_metadata *_metadata,
			   const struct drm_vsm_trace_event *x,
			   const struct drm_vsm_trace_event *y)
{
	struct drm_vsm_trace_event a = *x, b = *y;

	EXPECT_EQ(a.next, b.word);
	a.time = b.time;
	a.word = b.word;
	a.next = b.next;
	a.value = b.value;
	EXPECT_EQ(0, memcmp(&a, &b, sizeof(a)));
}

/* The second instruction of a call is stored in another form than the first. */
TEST_F(recorder, each_instruction_of_a_call_says_the_same)
{
	struct drm_vsm_insn insns[] = { i_arrive(B), i_arrive(B), i_arrive(B) };
	struct drm_vsm_exec args = play_args(&self->c, 0, 37, 0, insns, ITEMS(insns));
	uint32_t i;

	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 100)));
	READ();
	args.site = 19;
	ASSERT_EQ(0, vsm_exec(self->c.fd, &args));
	READ();
	ASSERT_EQ(3, self->e.count);
	EXPECT_EQ(1 << 5, self->e.at[0].lanes);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(insns[i].result, self->e.at[i].value);
		if (i)
			events_compare(_metadata, &self->e.at[i - 1], &self->e.at[i]);
	}
	/* Lanes execute it together: in two calls of lanes, and in one. */
	ASSERT_EQ(0, exec_same(&self->c, 32, 0x6, i_arrive(B), NULL, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 32, 0x6, i_arrive(B), NULL, NULL));
	READ();
	ASSERT_EQ(2, self->e.count);
	EXPECT_EQ(6, self->e.at[0].lanes);
	EXPECT_EQ(33, self->e.at[0].thread);
	events_compare(_metadata, &self->e.at[0], &self->e.at[1]);
}

TEST_F(recorder, an_event_shows_nothing_of_an_older_one)
{
	struct drm_vsm_insn insns[128];
	struct cluster c;
	uint32_t i;

	ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 1, .threads = 32, .smem_bytes = 4096,
				  .trace_events = 64));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	/* These events use all fields that others have. */
	for (i = 0; i < 16; i++) {
		ASSERT_EQ(0, exec_one(&c, i_try_parity(A, i & 1, 1)));
		ASSERT_EQ(-EPROTO, exec_one(&c, i_init(A, 3)));
		ASSERT_EQ(0, exec_one(&c, i_expect_tx(A, 16)));
		ASSERT_EQ(0, exec_one(&c, i_g2s(DATA, A, 16, self->b.handle, 128)));
		ASSERT_EQ(0, exec_one(&c, i_arrive(A)));
		ASSERT_EQ(0, await_phase(&c, A, i & 1));
	}
	for (i = 0; i < ITEMS(insns); i++)
		insns[i] = i_fence();
	ASSERT_EQ(0, exec_stream(&c, 0, insns, ITEMS(insns), NULL));
	self->e.next = 0;
	ASSERT_EQ(0, events_read(&c, &self->e));
	ASSERT_EQ(64, self->e.count);
	for (i = 0; i < 64; i++) {
		const struct drm_vsm_trace_event *e = &self->e.at[i];
		struct drm_vsm_trace_event fence = {
			.time = e->time, .cluster = e->cluster, .client = e->client, .lanes = 1,
			.op = insns[0].op, .type = DRM_VSM_TRACE_INSN,
		};

		EXPECT_EQ(0, memcmp(&fence, e, sizeof(fence))) TH_LOG("event %u", i);
		EXPECT_NE(0, e->cluster);
	}
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* --- times ------------------------------------------------------------------------- */

/* In one call, up to 16 instructions have one time. No call has the time of an older one. */
TEST_F(recorder, few_instructions_of_a_call_share_a_time)
{
	struct drm_vsm_insn insns[100];
	uint32_t i, same = 0;
	int64_t before;

	for (i = 0; i < ITEMS(insns); i++)
		insns[i] = i_fence();
	for (i = 0; i < 3; i++) {
		before = now_ns();
		ASSERT_EQ(0, exec_one(&self->c, i_fence()));
		READ();
		EXPECT_LE(before, self->e.at[0].time);
	}
	before = now_ns();
	ASSERT_EQ(0, exec_stream(&self->c, 0, insns, ITEMS(insns), NULL));
	READ();
	ASSERT_EQ(ITEMS(insns), self->e.count);
	EXPECT_LE(before, self->e.at[0].time);
	EXPECT_GE(now_ns(), self->e.at[99].time);
	for (i = 1; i < self->e.count; i++) {
		ASSERT_LE(self->e.at[i - 1].time, self->e.at[i].time);
		same = self->e.at[i - 1].time == self->e.at[i].time ? same + 1 : 0;
		ASSERT_GT(16, same) TH_LOG("event %u", i);
	}
}

TEST_F(recorder, times_go_on_after_a_suspension)
{
	struct drm_vsm_insn insns[] = {
		i_fence(), i_fence(), i_try_parity(A, 0, 1000000), i_fence(), i_fence(),
	};
	struct drm_vsm_exec args = exec_args(&self->c, insns, ITEMS(insns));

	/* A try_wait whose time is up ends the call. The next call goes on behind it. */
	ASSERT_EQ(0, vsm_exec(self->c.fd, &args));
	ASSERT_EQ(3, args.retired);
	ASSERT_EQ(0, vsm_exec(self->c.fd, &args));
	READ();
	/* fence, fence, try_wait, SUSPEND, RESUME, fence, fence */
	ASSERT_EQ(7, self->e.count);
	/* The time limit begins behind the second fence, before SUSPEND is recorded. */
	EXPECT_LE(self->e.at[1].time + 1000000, EVENT(RESUME, 0).time);
	EXPECT_LE(EVENT(SUSPEND, 0).time, EVENT(RESUME, 0).time);
	EXPECT_LE(EVENT(RESUME, 0).time, self->e.at[5].time);
	EXPECT_LE(self->e.at[1].time, EVENT(SUSPEND, 0).time);
}

struct writer {
	const struct cluster *c;
	uint16_t thread;
	int ret;
};

static void *record_all(void *arg)
{
	struct writer *writer = arg;
	struct drm_vsm_insn insns[32];
	struct drm_vsm_exec args;
	uint32_t i;

	for (i = 0; i < ITEMS(insns); i++)
		insns[i] = i_fence();
	for (i = 0; i < repeat(2000) && !writer->ret; i++) {
		args = play_args(writer->c, 0, writer->thread, 0, insns, ITEMS(insns));
		args.site = writer->thread;
		writer->ret = vsm_exec(writer->c->fd, &args);
	}
	return NULL;
}

TEST_F(recorder, times_never_decrease_while_tasks_record_and_read)
{
	struct writer writers[3] = {
		{ .c = &self->c, .thread = 1 }, { .c = &self->c, .thread = 2 },
		{ .c = &self->c, .thread = 63 },
	};
	pthread_t threads[3];
	uint64_t time = 0, next = self->e.next;
	uint32_t i, read;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, record_all, &writers[i]));
	for (read = 0; read < repeat(2000); read++) {
		READ();
		for (i = 0; i < self->e.count; i++) {
			ASSERT_LE(time, self->e.at[i].time);
			ASSERT_EQ(DRM_VSM_TRACE_INSN, self->e.at[i].type);
			ASSERT_EQ(self->e.at[i].site, self->e.at[i].thread);
			ASSERT_EQ(1U << self->e.at[i].thread % 32, self->e.at[i].lanes);
			time = self->e.at[i].time;
		}
	}
	for (i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, writers[i].ret);
	}
	READ();
	EXPECT_EQ(next + 3 * 32 * repeat(2000), self->e.next);
}

TEST_HARNESS_MAIN
