// SPDX-License-Identifier: MIT
/* Tests timelines: what slices, flows and samples events make; and what holds for any events. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"
#include "../../selftests/random.h"
#include "trace/file.h"
#include "trace/timeline.h"

/* --- timelines as text ---------------------------------------------------- */

static const char *const kinds[] = {
	[SLICE_INSN] = "insn", [SLICE_WAIT] = "wait", [SLICE_ARRIVE] = "arrive",
	[SLICE_PHASE] = "phase", [SLICE_ISSUE] = "issue", [SLICE_COPY] = "copy",
	[SLICE_JOB] = "job", [SLICE_QUEUE] = "queue", [SLICE_FAULT] = "fault",
	[SLICE_LOST] = "lost",
};

static void print_track(FILE *out, const struct track *track)
{
	switch (track->kind) {
	case TRACK_WARP:
	case TRACK_MBARRIER:
		fprintf(out, "%u.%u %s", track->cluster, track->cta, track->name);
		break;
	default:
		fprintf(out, "client %u %s line %u", track->client, track->name, track->line);
	}
}

/* Writes each track with its slices: START-END [KIND] NAME, and what it comes from. */
static char *print_timeline(const struct timeline *timeline)
{
	size_t size, i, j, k;
	char *text;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; i < timeline->track_count; i++) {
		print_track(out, &timeline->tracks[i]);
		fputc('\n', out);
		for (j = 0; j < timeline->slice_count; j++) {
			const struct slice *s = &timeline->slices[j];

			if (s->track != i)
				continue;
			fprintf(out, "  #%zu %" PRIu64, j, s->start);
			if (s->open)
				fputs("-", out);
			else if (s->end != s->start)
				fprintf(out, "-%" PRIu64, s->end);
			fprintf(out, " [%s] %s", kinds[s->kind], s->name);
			if (s->line)
				fprintf(out, " line %u", s->line);
			if (s->bad)
				fputs(" bad", out);
			for (k = 0; k < timeline->flow_count; k++) {
				const struct flow *flow = &timeline->flows[k];

				if (flow->to == j)
					fprintf(out, " %s #%zu", flow->at_end ? "ended by" : "from",
						flow->from);
			}
			fputc('\n', out);
		}
		for (j = 0; j < timeline->sample_count; j++)
			if (timeline->samples[j].track == i)
				fprintf(out, "  %" PRIu64 ": pending %" PRId64 " tx %" PRId64 "\n",
					timeline->samples[j].time, timeline->samples[j].pending,
					timeline->samples[j].tx);
	}
	fclose(out);
	return text;
}

/* Tests the timeline of events in text. */
static void check(const char *events, const char *expected)
{
	struct timeline timeline;
	struct trace trace;
	char *text, *found;

	assert_true(asprintf(&text, "vsm trace 1\n%s", events) > 0);
	trace_init(&trace, "");
	assert_true(trace_read_text(&trace, "events", text, strlen(text)));
	trace_sort(&trace);
	timeline_make(&timeline, &trace);
	found = print_timeline(&timeline);
	assert_string_equal(found, expected);
	free(found);
	free(text);
	timeline_free(&timeline);
	trace_free(&trace);
}

/* Words: init(1), the same with 16 bytes pending after the arrival, and in the next phase. */
#define INIT1	"0x7ffff800001ffffe"
#define TX16	"0x000003fffe1ffffe"
#define NEXT1	"0xfffff800001ffffe"
/* Words: init(2), one arrival pending, and in the next phase. */
#define INIT2	"0x7ffff000001ffffc"
#define ONE2	"0x7ffff800001ffffc"
#define NEXT2	"0xfffff000001ffffc"
#define T0	"cluster=1 thread=0 lanes=1 "
#define T32	"cluster=1 thread=32 lanes=1 "
#define NAME	"name \"full\" offset=0x1000 size=16 stride=8\n"
#define FULL1	"addr=0x1008 "
#define G2S	"op=cp_async_bulk_g2s size=16 addr=0x2000 "

TEST(a_copy_completes_a_phase_and_wakes_a_thread)
{
	check(NAME
	      "100 insn " T0 "op=mbarrier_init " FULL1 "next=" INIT1 "\n"
	      "110 insn " T0 "op=mbarrier_arrive mods=2 " FULL1 "word=" INIT1 " next=" TX16 "\n"
	      "120 copy_issue id=1 client=2 " T0 G2S "mbar=0x1008\n"
	      "125 insn " T32 "op=mbarrier_try_wait " FULL1 "word=" TX16 " next=" TX16 "\n"
	      "126 suspend id=2 " T32 "op=mbarrier_try_wait mods=0x10 " FULL1 "word=" TX16 "\n"
	      "130 copy_begin id=1 cluster=1 client=2 channel=3 op=cp_async_bulk_g2s\n"
	      "150 copy_deliver id=1 client=2 " T0 G2S "mbar=0x1008 word=" TX16 " next=" NEXT1 "\n"
	      "151 phase id=3 cause=1 " T0 "op=cp_async_bulk_g2s " FULL1 "word=" TX16 " next=" NEXT1
	      " serial=1\n"
	      "152 copy_end id=1 cluster=1 client=2 op=cp_async_bulk_g2s\n"
	      "160 resume id=2 cause=3 value=34 " T32 "op=mbarrier_try_wait " FULL1 "\n",
	      "1.0 warp 0\n"
	      "  #0 0 [insn] init full[1]\n"
	      "  #1 10 [insn] arrive.expect_tx full[1]\n"
	      "  #3 20 [issue] cp.async.bulk 0x2000 16 B\n"
	      "1.0 warp 1\n"
	      "  #4 25 [insn] try_wait full[1]\n"
	      "  #5 26-60 [wait] try_wait full[1] ended by #2\n"
	      "1.0 full[1]\n"
	      "  #2 10-51 [phase] phase 0 ended by #6\n"
	      "  0: pending 1 tx 0\n"
	      "  10: pending 0 tx 16\n"
	      "  50: pending 1 tx 0\n"
	      "client 2 channel 3 line 0\n"
	      "  #6 30-52 [copy] cp.async.bulk 0x2000 16 B from #3\n");
}

TEST(the_last_arrival_completes_a_phase)
{
	check("100 insn " T0 "op=mbarrier_init next=" INIT2 "\n"
	      "110 insn " T0 "op=mbarrier_arrive word=" INIT2 " next=" ONE2 "\n"
	      "120 insn " T32 "op=mbarrier_arrive word=" ONE2 " next=" NEXT2 "\n"
	      "121 phase id=1 " T32 "op=mbarrier_arrive word=" ONE2 " next=" NEXT2 " serial=7\n"
	      "130 insn " T0 "op=mbarrier_arrive word=" NEXT2 " next=0xfffff800001ffffc\n",
	      "1.0 warp 0\n"
	      "  #0 0 [insn] init 0x0\n"
	      "  #1 10 [insn] arrive 0x0\n"
	      "  #4 30 [insn] arrive 0x0\n"
	      "1.0 warp 1\n"
	      "  #3 20 [insn] arrive 0x0\n"
	      "1.0 0x0\n"
	      "  #2 10-21 [phase] phase 0 ended by #3\n"
	      "  #5 30- [phase] phase 1\n"
	      "  0: pending 2 tx 0\n"
	      "  10: pending 1 tx 0\n"
	      "  20: pending 2 tx 0\n"
	      "  30: pending 1 tx 0\n");
}

TEST(the_phase_may_be_told_before_its_arrival)
{
	check("100 phase id=1 " T0 "op=mbarrier_arrive word=" INIT1 " next=" NEXT1 " serial=1\n"
	      "101 insn " T0 "op=mbarrier_arrive word=" INIT1 " next=" NEXT1 "\n",
	      "1.0 warp 0\n"
	      "  #1 0 [insn] arrive 0x0\n"
	      "1.0 0x0\n"
	      "  #0 0 [phase] phase with serial 1 ended by #1\n"
	      "  0: pending 1 tx 0\n");
}

TEST(a_phase_whose_completion_is_lost_ends)
{
	check("lost 1\n"
	      "100 insn " T0 "op=mbarrier_arrive word=" INIT2 " next=" ONE2 "\n"
	      "130 insn " T0 "op=mbarrier_arrive word=" NEXT2 " next=0xfffff800001ffffc\n",
	      "1.0 warp 0\n"
	      "  #0 0 [insn] arrive 0x0\n"
	      "  #2 30 [insn] arrive 0x0\n"
	      "1.0 0x0\n"
	      "  #1 0-30 [phase] phase of parity 0\n"
	      "  #3 30- [phase] phase of parity 1\n"
	      "  0: pending 1 tx 0\n");
}

/* The completion of the first phase comes late; with events lost, numbers would be wrong. */
TEST(phases_are_counted_since_the_init)
{
	const char *events =
		"0 insn " T0 "op=mbarrier_init next=" INIT1 "\n"
		"10 insn " T0 "op=mbarrier_arrive word=" INIT1 " next=" NEXT1 "\n"
		"20 insn " T0 "op=mbarrier_arrive word=" NEXT1 " next=" INIT1 "\n"
		"25 phase id=1 " T0 "op=mbarrier_arrive word=" NEXT1 " next=" INIT1 " serial=78\n"
		"30 insn " T0 "op=mbarrier_arrive word=" INIT1 " next=" NEXT1 "\n"
		"35 phase id=2 " T0 "op=mbarrier_arrive word=" INIT1 " next=" NEXT1 " serial=79\n";
	char lost[1000];

	check(events, "1.0 warp 0\n"
	      "  #0 0 [insn] init 0x0\n"
	      "  #1 10 [insn] arrive 0x0\n"
	      "  #3 20 [insn] arrive 0x0\n"
	      "  #5 30 [insn] arrive 0x0\n"
	      "1.0 0x0\n"
	      "  #2 10-20 [phase] phase 0\n"
	      "  #4 20-25 [phase] phase 1 ended by #3\n"
	      "  #6 30-35 [phase] phase 2 ended by #5\n"
	      "  0: pending 1 tx 0\n");
	snprintf(lost, sizeof(lost), "lost 1\n%s", events);
	check(lost, "1.0 warp 0\n"
	      "  #0 0 [insn] init 0x0\n"
	      "  #1 10 [insn] arrive 0x0\n"
	      "  #3 20 [insn] arrive 0x0\n"
	      "  #5 30 [insn] arrive 0x0\n"
	      "1.0 0x0\n"
	      "  #2 10-20 [phase] phase of parity 0\n"
	      "  #4 20-25 [phase] phase with serial 78 ended by #3\n"
	      "  #6 30-35 [phase] phase with serial 79 ended by #5\n"
	      "  0: pending 1 tx 0\n");
}

TEST(a_wait_that_never_ends_is_bad_with_its_phase)
{
	check("100 suspend id=1 " T0 "op=mbarrier_try_wait word=" INIT1 "\n"
	      "120 insn " T32 "op=mbarrier_arrive addr=8 word=" INIT2 " next=" ONE2 "\n",
	      "1.0 warp 0\n"
	      "  #0 0- [wait] try_wait 0x0 bad\n"
	      "1.0 warp 1\n"
	      "  #2 20 [insn] arrive 0x8\n"
	      "1.0 0x0\n"
	      "  #1 0- [phase] phase of parity 0 bad\n"
	      "  0: pending 1 tx 0\n"
	      "1.0 0x8\n"
	      "  #3 20- [phase] phase of parity 0\n"
	      "  20: pending 1 tx 0\n");
}

TEST(waits_that_began_before_have_their_time)
{
	check("100 fault " T32 "op=fence fault=BAD_ORDER error=-71\n"
	      "130 resume value=20 " T0 "op=mbarrier_try_wait\n"
	      "140 resume value=500 " T0 "op=mbarrier_try_wait error=-5\n"
	      "150 resume id=77 value=3 " T0 "op=barrier_sync addr=1\n",
	      "1.0 warp 0\n"
	      "  #1 0-40 [wait] try_wait 0x0 bad\n"
	      "  #2 10-30 [wait] try_wait 0x0 line 1\n"
	      "  #3 47-50 [wait] barrier.cta.sync 1\n"
	      "1.0 warp 1\n"
	      "  #0 0 [fault] fence: BAD_ORDER bad\n");
}

TEST(a_thread_that_goes_on_has_resumed)
{
	const char *events =
		"100 suspend id=1 " T0 "op=cp_async_wait_all\n"
		"120 suspend id=2 cluster=1 lanes=2 thread=1 op=cp_async_wait_all\n"
		"130 insn " T0 "op=fence\n";
	char *lost;

	check(events,
	      "1.0 warp 0\n"
	      "  #0 0- [wait] cp.async.wait_all bad\n"
	      "  #1 20- [wait] cp.async.wait_all line 1 bad\n"
	      "  #2 30 [insn] fence line 2\n");
	assert_true(asprintf(&lost, "lost 3\n%s", events) > 0);
	check(lost,
	      "1.0 warp 0\n"
	      "  #0 0-30 [wait] cp.async.wait_all\n"
	      "  #1 20- [wait] cp.async.wait_all line 1 bad\n"
	      "  #2 30 [insn] fence\n");
	free(lost);
}

TEST(the_last_thread_ends_the_waits_of_a_rendezvous)
{
	check("100 arrive id=1 " T0 "op=barrier_sync addr=2\n"
	      "101 suspend id=2 " T0 "op=barrier_sync addr=2\n"
	      "110 arrive id=3 " T32 "op=barrier_sync addr=2\n"
	      "111 release id=3 " T32 "op=barrier_sync addr=2\n"
	      "120 resume id=2 cause=3 value=19 " T0 "op=barrier_sync addr=2\n",
	      "1.0 warp 0\n"
	      "  #0 0 [arrive] barrier.cta.sync 2\n"
	      "  #1 1-20 [wait] barrier.cta.sync 2 ended by #2\n"
	      "1.0 warp 1\n"
	      "  #2 10 [arrive] barrier.cta.sync 2\n");
}

/* The same numbers mean other things in another cluster. */
TEST(numbers_are_those_of_a_cluster)
{
	check("100 arrive id=1 " T0 "op=barrier_sync addr=2\n"
	      "101 suspend id=2 " T0 "op=barrier_sync addr=2\n"
	      "102 arrive id=1 cluster=2 thread=0 lanes=1 op=barrier_sync addr=5\n"
	      "103 suspend id=2 cluster=2 thread=0 lanes=1 op=barrier_sync addr=5\n"
	      "110 arrive id=3 " T32 "op=barrier_sync addr=2\n"
	      "112 arrive id=3 cluster=2 thread=32 lanes=1 op=barrier_sync addr=5\n"
	      "120 resume id=2 cause=3 value=19 " T0 "op=barrier_sync addr=2\n"
	      "130 resume id=2 cause=3 value=27 cluster=2 lanes=1 op=barrier_sync addr=5\n",
	      "1.0 warp 0\n"
	      "  #0 0 [arrive] barrier.cta.sync 2\n"
	      "  #1 1-20 [wait] barrier.cta.sync 2 ended by #4\n"
	      "1.0 warp 1\n"
	      "  #4 10 [arrive] barrier.cta.sync 2\n"
	      "2.0 warp 0\n"
	      "  #2 2 [arrive] barrier.cta.sync 5\n"
	      "  #3 3-30 [wait] barrier.cta.sync 5 ended by #5\n"
	      "2.0 warp 1\n"
	      "  #5 12 [arrive] barrier.cta.sync 5\n");
}

TEST(armed_waits_are_on_the_track_of_the_mbarrier)
{
	check("100 wait_arm id=1 cluster=1 op=mbarrier_try_wait word=" INIT2 "\n"
	      "110 insn " T0 "op=mbarrier_arrive word=" INIT2 " next=" ONE2 "\n"
	      "120 wait_end id=1 cluster=1 value=20 error=-19 op=mbarrier_try_wait\n",
	      "1.0 warp 0\n"
	      "  #2 10 [insn] arrive 0x0\n"
	      "1.0 0x0\n"
	      "  #0 0-20 [wait] try_wait 0x0 line 1 bad\n"
	      "  #1 0- [phase] phase of parity 0\n"
	      "  0: pending 2 tx 0\n"
	      "  10: pending 1 tx 0\n");
}

TEST(jobs_and_their_copies_are_on_channels)
{
	check("100 job_queue id=1 client=2 channel=1 value=3\n"
	      "105 job_queue id=2 client=2 channel=1 value=3\n"
	      "110 job_begin id=1 client=2 channel=1\n"
	      "111 copy_issue id=3 cause=1 client=2 op=cp_async_bulk_g2s size=32\n"
	      "112 copy_issue id=4 cause=1 client=2 op=cp_async_bulk_g2s size=64\n"
	      "120 copy_begin id=3 client=2 channel=1 op=cp_async_bulk_g2s\n"
	      "121 copy_begin id=4 client=2 channel=1 op=cp_async_bulk_g2s\n"
	      "130 copy_end id=4 client=2\n"
	      "140 channel_reset client=2 channel=1\n"
	      "141 copy_end id=3 client=2 error=-62\n"
	      "145 job_end id=1 client=2 channel=1 error=-62\n"
	      "150 job_end id=2 client=2 channel=1 error=-125\n"
	      "160 job_end client=2 channel=1\n"
	      "170 copy_end client=2 op=cp_async_bulk_g2s\n",
	      "client 2 channel 0 line 0\n"
	      "  #7 70 [copy] cp.async.bulk\n"
	      "client 2 channel 1 line 0\n"
	      "  #3 20-41 [copy] cp.async.bulk 32 B bad from #2\n"
	      "client 2 channel 1 line 1\n"
	      "  #4 21-30 [copy] cp.async.bulk 64 B from #2\n"
	      "client 2 jobs of channel 1 line 0\n"
	      "  #0 0-10 [queue] queued job 1\n"
	      "  #2 10-45 [job] job 1 bad\n"
	      "  #5 40 [lost] channel reset line 1 bad\n"
	      "  #6 60 [job] job\n"
	      "client 2 jobs of channel 1 line 1\n"
	      "  #1 5-50 [queue] queued job 2 bad\n");
}

TEST(loss_is_on_all_warps)
{
	check("100 insn " T0 "op=fence\n"
	      "110 insn cluster=2 lanes=1 op=fence\n"
	      "120 cluster_lost cluster=2\n"
	      "130 device_lost\n",
	      "1.0 warp 0\n"
	      "  #0 0 [insn] fence\n"
	      "  #3 30 [lost] device lost bad\n"
	      "2.0 warp 0\n"
	      "  #1 10 [insn] fence\n"
	      "  #2 20 [lost] cluster lost bad\n"
	      "  #4 30 [lost] device lost bad\n");
}

TEST(sm_80_words_have_other_fields)
{
	check("cluster 1 ctas=1 threads=64 layout=sm_80 policy=strict\n"
	      "100 insn " T0 "op=mbarrier_init next=0x7ffffffe3ffffffe\n"
	      "110 insn " T0 "op=mbarrier_arrive word=0x7ffffffe3ffffffe next=0x7fffffff3ffffffe\n",
	      "1.0 warp 0\n"
	      "  #0 0 [insn] init 0x0\n"
	      "  #1 10 [insn] arrive 0x0\n"
	      "1.0 0x0\n"
	      "  #2 10- [phase] phase 0\n"
	      "  0: pending 2 tx 0\n"
	      "  10: pending 1 tx 0\n");
}

TEST(an_empty_trace_has_no_tracks)
{
	check("title \"nothing\"\n", "");
}

/* --- any events ----------------------------------------------------------- */

static uint64_t seed;

static uint64_t below(uint64_t limit)
{
	return random_next(&seed) % limit;
}

static struct drm_vsm_trace_event random_event(uint64_t *time)
{
	static const uint64_t words[] = {
		0x7ffff800001ffffe, 0x000003fffe1ffffe, 0xfffff800001ffffe, 0x7ffff000001ffffc,
		0xfffff000001ffffc, 0, ~0ULL,
	};
	struct drm_vsm_trace_event event = {
		.time = *time += below(3) ? below(50) : 0,
		.type = below(DRM_VSM_TRACE_FAULT + 2),
		.op = below(4) ? below(10) : below(50),
		.id = below(4) ? below(30) : below(3),
		.cause = below(2) ? below(30) : 0,
		.word = words[below(7)],
		.next = words[below(7)],
		.value = below(8) ? below(100) : random_next(&seed),
		.cluster = below(3),
		.client = below(2),
		.channel = below(2),
		.cta = below(2),
		.thread = below(3) * 32,
		.lanes = below(4) ? 1U << below(32) : below(3) ? random_next(&seed) : 0,
		.addr = below(3) * 8 | below(2) << 24,
		.mbar = below(3) * 8,
		.size = below(2) * 16,
		.serial = below(5),
		.error = below(6) ? 0 : below(2) ? -71 : INT32_MIN,
		.mods = below(16),
	};

	if (!below(50)) {
		event.op = random_next(&seed);
		event.mods = random_next(&seed);
		event.fault = random_next(&seed);
		event.addr = random_next(&seed);
		event.cta = random_next(&seed);
		event.thread = random_next(&seed);
	}
	return event;
}

static void random_trace(struct trace *trace, size_t count)
{
	const struct trace_cluster cluster = { 1, 2, 96, 1, 0 };
	struct drm_vsm_trace_event event;
	uint64_t time = below(2) ? 1000 : UINT64_MAX - 50 * count;
	size_t i;

	trace_init(trace, "");
	assert_int_equal(trace_add_cluster(trace, &cluster), 0);
	trace->lost = below(2);
	for (i = 0; i < count; i++) {
		event = random_event(&time);
		assert_int_equal(trace_add_events(trace, &event, 1), 0);
	}
	trace_sort(trace);
}

static void check_tracks(const struct timeline *timeline)
{
	size_t i;

	for (i = 0; i < timeline->track_count; i++) {
		const struct track *a = &timeline->tracks[i], *b = a + 1;
		bool channel = a->kind >= TRACK_COPY;

		assert_non_null(a->name);
		if (channel)
			assert_int_equal(a->cluster, 0);
		if (i + 1 == timeline->track_count)
			continue;
		assert_true(channel <= (b->kind >= TRACK_COPY));
		if (a->kind / TRACK_COPY == b->kind / TRACK_COPY)
			assert_true(a->cluster < b->cluster ||
				    (a->cluster == b->cluster && a->kind <= b->kind));
	}
}

/* Slices of one line do not overlap, and their times, tracks and events exist. */
static void check_slices(const struct timeline *timeline)
{
	struct map last = { };
	size_t i;

	for (i = 0; i < timeline->slice_count; i++) {
		const struct slice *s = &timeline->slices[i];
		size_t before;

		assert_true(s->track < timeline->track_count);
		assert_true(s->start <= s->end);
		assert_true(s->end <= timeline->length);
		assert_true(s->event < timeline->trace->count);
		assert_true(s->end_event == NO_EVENT || s->end_event < timeline->trace->count);
		assert_non_null(s->name);
		if (s->open)
			assert_true(s->end == timeline->length && s->end_event == NO_EVENT);
		if (i)
			assert_true(timeline->slices[i - 1].start <= s->start);
		before = map_get(&last, s->track, s->line);
		if (before != MAP_NONE)
			assert_true(timeline->slices[before].end <= s->start);
		map_set(&last, s->track, s->line, i);
		/* The lines above are in use. */
		if (s->line && timeline->tracks[s->track].kind == TRACK_WARP)
			assert_true(map_get(&last, s->track, s->line - 1) != MAP_NONE);
	}
	map_free(&last);
}

static void check_flows(const struct timeline *timeline)
{
	size_t i;

	for (i = 0; i < timeline->flow_count; i++) {
		assert_true(timeline->flows[i].from < timeline->slice_count);
		assert_true(timeline->flows[i].to < timeline->slice_count);
	}
	for (i = 0; i < timeline->sample_count; i++) {
		const struct sample *sample = &timeline->samples[i];

		assert_true(sample->track < timeline->track_count);
		assert_int_equal(timeline->tracks[sample->track].kind, TRACK_MBARRIER);
		assert_true(sample->time <= timeline->length);
		if (i)
			assert_true(timeline->samples[i - 1].time <= sample->time);
	}
}

static void print_all(const struct timeline *timeline)
{
	size_t i;
	FILE *out = fopen("/dev/null", "w");

	assert_non_null(out);
	for (i = 0; i < timeline->slice_count; i++)
		timeline_print_slice(out, timeline, i);
	fclose(out);
}

TEST(timelines_of_any_events_are_sound)
{
	struct timeline timeline;
	struct trace trace;
	unsigned int i;

	for (i = 0; i < 300; i++) {
		seed = i;
		random_trace(&trace, below(i < 200 ? 100 : 3000));
		timeline_make(&timeline, &trace);
		check_tracks(&timeline);
		check_slices(&timeline);
		check_flows(&timeline);
		print_all(&timeline);
		timeline_free(&timeline);
		trace_free(&trace);
	}
}

TEST(details_have_names)
{
	static const char events[] =
		"vsm trace 1\n" NAME
		"cluster 1 ctas=1 threads=64 layout=sm_90 policy=strict\n"
		"site 5 \"kernel.cu:7\" \"mbarrier.try_wait.parity.shared::cta.b64\"\n"
		"100 insn " T0 "op=mbarrier_init " FULL1 "next=" INIT1 "\n"
		"110 suspend id=1 " T0 "op=mbarrier_try_wait " FULL1 "word=" INIT1 " site=5\n"
		"1350 resume id=1 cause=7 value=1240 " T0 "op=mbarrier_try_wait error=-4\n";
	struct timeline timeline;
	struct trace trace;
	size_t size, i;
	char *text;
	FILE *out = open_memstream(&text, &size);

	trace_init(&trace, "");
	assert_true(trace_read_text(&trace, "events", events, strlen(events)));
	timeline_make(&timeline, &trace);
	for (i = 0; i < timeline.slice_count; i++)
		if (timeline.slices[i].kind == SLICE_WAIT)
			timeline_print_slice(out, &timeline, i);
	fclose(out);
	assert_string_equal(text,
			    "time: 0.010 us\n"
			    "took: 1.240 us\n"
			    "ended by: 7\n"
			    "error: EINTR\n"
			    "operation: mbarrier.try_wait\n"
			    "thread: cluster 1, CTA 0, warp 0, lane 0\n"
			    "mbarrier: full[1] (CTA 0 + 0x1008)\n"
			    "found: parity 0, pending 1 (0x7ffff800001ffffe)\n"
			    "number: 1\n"
			    "place: kernel.cu:7\n"
			    "instruction: mbarrier.try_wait.parity.shared::cta.b64\n");
	free(text);
	timeline_free(&timeline);
	trace_free(&trace);
}

TEST_MAIN()
