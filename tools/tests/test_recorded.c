// SPDX-License-Identifier: MIT
/*
 * Tests the timeline of a trace that vsm trace record has made on a device: tests/recorded.txt. Run
 * it in the folder of tools.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"
#include "trace/timeline.h"
#include "trace/file.h"

#define RECORDED "tests/recorded.txt"

struct recorded {
	struct trace trace;
	struct timeline timeline;
	/* For each slice: does a flow lead to it, or from it? */
	bool *caused;
	bool *causes;
};

static int set_up(void **state)
{
	struct recorded *r = calloc(1, sizeof(*r));
	size_t i;

	assert_non_null(r);
	assert_true(trace_read(&r->trace, RECORDED));
	timeline_make(&r->timeline, &r->trace);
	r->caused = calloc(r->timeline.slice_count, 1);
	r->causes = calloc(r->timeline.slice_count, 1);
	for (i = 0; i < r->timeline.flow_count; i++) {
		r->causes[r->timeline.flows[i].from] = true;
		r->caused[r->timeline.flows[i].to] = true;
	}
	*state = r;
	return 0;
}

static int tear_down(void **state)
{
	struct recorded *r = *state;

	timeline_free(&r->timeline);
	trace_free(&r->trace);
	free(r->caused);
	free(r->causes);
	free(r);
	return 0;
}

static size_t count(const struct recorded *r, enum slice_kind kind, bool bad)
{
	size_t i, found = 0;

	for (i = 0; i < r->timeline.slice_count; i++)
		found += r->timeline.slices[i].kind == kind && r->timeline.slices[i].bad >= bad;
	return found;
}

TEST(every_copy_comes_from_its_issue)
{
	struct recorded *r = *state;
	size_t i;

	for (i = 0; i < r->timeline.slice_count; i++) {
		if (r->timeline.slices[i].kind == SLICE_COPY)
			assert_true(r->caused[i]);
		if (r->timeline.slices[i].kind == SLICE_ISSUE)
			assert_true(r->causes[i]);
	}
	assert_int_equal(53, count(r, SLICE_COPY, false));
	assert_int_equal(53, count(r, SLICE_ISSUE, false));
}

/* Waits end by a phase or an arrival, except one: nothing can end it, and it ends with an error. */
TEST(every_wait_and_phase_has_what_ended_it)
{
	struct recorded *r = *state;
	size_t i;

	for (i = 0; i < r->timeline.slice_count; i++) {
		const struct slice *slice = &r->timeline.slices[i];

		if (slice->kind == SLICE_WAIT) {
			assert_false(slice->open);
			assert_int_equal(slice->bad, !r->caused[i]);
		}
		if (slice->kind == SLICE_PHASE && !slice->open)
			assert_true(r->caused[i]);
	}
	assert_int_equal(9, count(r, SLICE_WAIT, false));
	assert_int_equal(1, count(r, SLICE_WAIT, true));
}

TEST(jobs_and_faults_are_there)
{
	struct recorded *r = *state;

	assert_int_equal(10, count(r, SLICE_JOB, false));
	assert_int_equal(4, count(r, SLICE_JOB, true));
	assert_int_equal(10, count(r, SLICE_QUEUE, false));
	assert_int_equal(4, count(r, SLICE_FAULT, true));
	assert_int_equal(1, count(r, SLICE_LOST, true));
}

static bool has_words(const struct drm_vsm_trace_event *event, uint32_t *addr)
{
	return (event->type == DRM_VSM_TRACE_INSN || event->type == DRM_VSM_TRACE_PHASE ||
		event->type == DRM_VSM_TRACE_COPY_DELIVER) && event_has_mbarrier(event, addr);
}

/* Returns the event before that changed the same mbarrier, or NULL. */
static const struct drm_vsm_trace_event *before(const struct trace *trace, size_t i)
{
	const struct drm_vsm_trace_event *event = &trace->events[i], *other;
	uint32_t addr, at;

	assert_true(has_words(event, &addr));
	while (i--) {
		other = &trace->events[i];
		if (other->cluster == event->cluster && has_words(other, &at) && at == addr)
			return other;
		/* The issue of this operation changes the word, and does not say how. */
		if (other->cluster == event->cluster && other->addr == addr &&
		    other->op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE)
			return NULL;
	}
	return NULL;
}

/* The order of the events of an mbarrier is that in which they changed it. */
TEST(words_continue_from_event_to_event)
{
	const struct recorded *r = *state;
	const struct drm_vsm_trace_event *event, *last;
	size_t i, phases = 0, others = 0;
	uint32_t addr;

	for (i = 0; i < r->trace.count; i++) {
		event = &r->trace.events[i];
		last = has_words(event, &addr) ? before(&r->trace, i) : NULL;
		if (!last || event->op == DRM_VSM_OP_MBARRIER_INIT)
			continue;
		if (event->type == DRM_VSM_TRACE_PHASE) {
			/* The event says what the one before has done. */
			assert_int_equal(event->word, last->word);
			assert_int_equal(event->next, last->next);
			phases++;
		} else {
			assert_int_equal(event->word, last->next);
			others++;
		}
	}
	assert_int_equal(14, phases);
	assert_true(others > 50);
}

int main(void)
{
	return testing_run(set_up, tear_down);
}
