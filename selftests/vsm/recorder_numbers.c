// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a flight recorder says of numbers, causes and times, and that an event says the same however
 * it is stored.
 */
#include "async.h"
#include "channel.h"
#include "fence.h"
#include "lanes.h"
#include "recorder.h"

#define A AT(0, 0x80)
#define B AT(0, 0x90)
#define DATA AT(0, 0x400)

FIXTURE(numbers)
{
	struct cluster c;
	struct buffer b;
	struct events e;
};

FIXTURE_SETUP(numbers)
{
	struct drm_vsm_cluster_create args = {
		.ctas = 2, .threads = 64, .smem_bytes = 4096, .trace_events = MAX_EVENTS,
	};

	ASSERT_EQ(0, cluster_open(&self->c, &args));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, 4096));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	memset(&self->e, 0, sizeof(self->e));
	ASSERT_EQ(0, events_read(&self->c, &self->e));
}

FIXTURE_TEARDOWN(numbers)
{
	if (_metadata->exit_code == KSFT_FAIL)
		events_print(&self->e);
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_close(&self->c));
}

#define EVENT(name, nth) event_find(&self->e, DRM_VSM_TRACE_##name, nth)
#define COUNT(name) event_count(&self->e, DRM_VSM_TRACE_##name)
#define READ() ASSERT_EQ(0, events_read(&self->c, &self->e))

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
TEST_F(numbers, of_a_cluster_do_not_count_what_others_do)
{
	struct drm_vsm_cluster_create args = {
		.ctas = 1, .threads = 32, .smem_bytes = 4096, .trace_events = 64,
	};
	struct cluster plain, recorded;

	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	READ();
	EXPECT_EQ(1, EVENT(PHASE, 0).id);
	ASSERT_EQ(0, cluster_open_plain(&plain, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, cluster_open(&recorded, &args));
	EXPECT_EQ(0, use_numbers(&plain));
	EXPECT_EQ(0, use_numbers(&recorded));
	ASSERT_EQ(0, exec_look(&self->c, A));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	READ();
	EXPECT_EQ(2, EVENT(PHASE, 0).id);
	EXPECT_EQ(0, cluster_close(&plain));
	EXPECT_EQ(0, cluster_close(&recorded));
}

TEST_F(numbers, are_unique_in_a_cluster)
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
TEST_F(numbers, an_init_that_ends_waits_is_no_phase)
{
	struct drm_vsm_cluster_create args = {
		.ctas = 1, .threads = 32, .smem_bytes = 4096, .trace_events = 64,
		.policy = DRM_VSM_POLICY_HARDWARE,
	};
	int set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	unsigned int i, waits;
	struct cluster c;

	ASSERT_LE(0, set);
	for (waits = 1; waits <= 3; waits++) {
		ASSERT_EQ(0, cluster_create_args(&c, self->c.fd, &args));
		ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
		for (i = 0; i < waits; i++) {
			struct drm_vsm_wait wait = wait_parity(&c, A, 0, -1, i);

			ASSERT_EQ(0, waitset_arm(c.fd, set, &wait, 1, NULL));
		}
		ASSERT_EQ(0, exec_one(&c, i_arrive(A)));
		for (i = 0; i < waits; i++) {
			struct drm_vsm_wait wait = wait_parity(&c, A, 1, -1, i);

			ASSERT_EQ(0, waitset_arm(c.fd, set, &wait, 1, NULL));
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
	close(set);
}

/* --- lanes ------------------------------------------------------------------------- */

TEST_F(numbers, lanes_that_meet_at_different_barriers_are_different_arrivals)
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

/* The values that lanes bring do not make them meet elsewhere. */
TEST_F(numbers, lanes_that_bring_different_values_arrive_together)
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
TEST_F(numbers, a_lane_that_is_refused_does_not_arrive)
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

TEST_F(numbers, the_issue_of_an_arrive_tells_how_it_changes_the_word)
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
TEST_F(numbers, each_instruction_of_a_call_says_the_same)
{
	struct drm_vsm_insn insns[] = { i_arrive(B), i_arrive(B), i_arrive(B) };
	struct drm_vsm_exec args = exec_args(&self->c, insns, ITEMS(insns));
	uint32_t i;

	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 100)));
	READ();
	args.cta = 0;
	args.thread = 37;
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

/* An event takes the place of an older one, of which nothing shows. */
TEST_F(numbers, an_event_shows_nothing_of_an_older_one)
{
	struct drm_vsm_cluster_create args = {
		.ctas = 1, .threads = 32, .smem_bytes = 4096, .trace_events = 64,
	};
	struct drm_vsm_insn insns[128];
	struct cluster c;
	uint32_t i;

	ASSERT_EQ(0, cluster_create_args(&c, self->c.fd, &args));
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
TEST_F(numbers, few_instructions_of_a_call_share_a_time)
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

/* What happens after a suspension does not have a time from before it. */
TEST_F(numbers, times_go_on_after_a_suspension)
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
	EXPECT_LE(EVENT(SUSPEND, 0).time + 1000000, EVENT(RESUME, 0).time);
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
		args = exec_args(writer->c, insns, ITEMS(insns));
		args.thread = writer->thread;
		args.site = writer->thread;
		writer->ret = vsm_exec(writer->c->fd, &args);
	}
	return NULL;
}

/* Whoever reads finds whole events in the order of their times, also while several tasks record. */
TEST_F(numbers, times_never_decrease_while_tasks_record_and_read)
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
