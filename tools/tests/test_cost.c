// SPDX-License-Identifier: MIT
/*
 * Tests that the cost of a timeline grows with the number of events, and hardly faster: the test
 * counts basic blocks that are executed, and not time.
 */
#include <stdlib.h>
#include <vsm.h>

#include "tests/testing.h"
#include "trace/timeline.h"

#define EVENTS 20000
#define WARPS 400

static uint64_t blocks;

/* The compiler calls this in each basic block of the counted objects. */
void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

/* Makes the events of a kind of traces; @i is the number of the event, of @count. */
typedef struct drm_vsm_trace_event (*event_function)(size_t i, size_t count);

/* Warps that wait for mbarriers and wake up, as in a pipeline. */
static struct drm_vsm_trace_event waiting_warps(size_t i, size_t count)
{
	size_t warp = i / 3 % WARPS;
	struct drm_vsm_trace_event event = {
		.time = i, .cluster = 1, .lanes = 1, .cta = warp / 32, .thread = warp % 32 * 32,
		.addr = warp / 32 << 24 | 8 * (warp % 4), .op = DRM_VSM_OP_MBARRIER_TRY_WAIT,
	};

	switch (i % 3) {
	case 0:
		event.type = DRM_VSM_TRACE_SUSPEND;
		event.id = i + 1;
		break;
	case 1:
		event.type = DRM_VSM_TRACE_PHASE;
		event.id = i + 1;
		event.word = (uint64_t)(i / 3 / WARPS & 1) << 63;
		event.next = event.word ^ 1ULL << 63;
		break;
	default:
		event.type = DRM_VSM_TRACE_RESUME;
		event.id = i - 1;
		event.cause = i;
	}
	return event;
}

/* Copies that are all in flight at the same time. */
static struct drm_vsm_trace_event overlapping_copies(size_t i, size_t count)
{
	size_t half = count / 2;

	return (struct drm_vsm_trace_event){
		.time = i, .client = 1, .op = DRM_VSM_OP_CP_ASYNC_BULK_G2S,
		.type = i < half ? DRM_VSM_TRACE_COPY_BEGIN : DRM_VSM_TRACE_COPY_END,
		.id = 1 + (i < half ? i : (i - half) * 7919 % half),
	};
}

/* Waits of a warp that never end, each on a line of its own. */
static struct drm_vsm_trace_event open_waits(size_t i, size_t count)
{
	return (struct drm_vsm_trace_event){
		.time = i, .cluster = 1, .lanes = 1, .id = i + 1, .type = DRM_VSM_TRACE_SUSPEND,
		.op = DRM_VSM_OP_BAR_WARP_SYNC,
	};
}

/* Clusters and mbarriers that each have one event, in the reverse order of time. */
static struct drm_vsm_trace_event many_tracks(size_t i, size_t count)
{
	return (struct drm_vsm_trace_event){
		.time = count - i, .cluster = 1 + i / 4, .lanes = 1, .addr = 8 * (i % 4),
		.type = DRM_VSM_TRACE_INSN, .op = DRM_VSM_OP_MBARRIER_ARRIVE,
		.word = 1, .next = 2,
	};
}

static uint64_t cost(event_function make, size_t count)
{
	struct trace_cluster cluster = { .ctas = 16, .threads = 1024 };
	struct drm_vsm_trace_event event;
	struct timeline timeline;
	struct trace trace;
	size_t i;

	blocks = 0;
	trace_init(&trace, "");
	for (i = 0; i < count; i++) {
		event = make(i, count);
		assert_int_equal(trace_add_events(&trace, &event, 1), 0);
		cluster.number = event.cluster;
		assert_int_equal(trace_add_cluster(&trace, &cluster), 0);
	}
	trace_sort(&trace);
	timeline_make(&timeline, &trace);
	assert_true(timeline.slice_count >= count / 3);
	timeline_free(&timeline);
	trace_free(&trace);
	return blocks;
}

/* With the logarithm of sorting, five times the events cost less than seven times as much. */
static void check(event_function make)
{
	uint64_t few = cost(make, EVENTS), many = cost(make, 5 * EVENTS);

	assert_true(few > EVENTS);
	if (many > 7 * few)
		fail_msg("%llu blocks for %d events, %llu for %d", (unsigned long long)few, EVENTS,
			 (unsigned long long)many, 5 * EVENTS);
}

TEST(the_cost_of_waits_is_linear)
{
	check(waiting_warps);
}

TEST(the_cost_of_copies_that_overlap_is_linear)
{
	check(overlapping_copies);
}

TEST(the_cost_of_waits_that_overlap_is_linear)
{
	check(open_waits);
}

TEST(the_cost_of_tracks_is_linear)
{
	check(many_tracks);
}

TEST_MAIN()
