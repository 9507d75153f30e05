// SPDX-License-Identifier: MIT
/*
 * Running a scenario, statement by statement.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/state.h"

bool play_fail(struct play *p, unsigned int line, const char *format, ...)
{
	va_list args;

	p->failures++;
	printf("# %s:%u: ", p->scenario->path, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	return false;
}

int64_t play_deadline(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec + PATIENCE) * 1000000000LL + now.tv_nsec;
}

/* Is there an expectation of what a statement comes to, among those behind it? */
static bool outcome_expected(const struct play *p, size_t index)
{
	const struct scenario *s = p->scenario;

	while (++index < s->count && s->statements[index].kind >= EXPECT_SUSPENDED)
		if (s->statements[index].kind == EXPECT_FAULT ||
		    s->statements[index].kind == EXPECT_ERRNO)
			return true;
	return false;
}

static bool refused(struct play *p, const struct outcome *outcome, unsigned int line)
{
	char seen[OUTCOME_SIZE], of[OF_SIZE];

	return play_fail(p, line, "expected no fault%s, seen %s", outcome_of(outcome, of),
			 outcome_text(p, outcome, seen));
}

static bool not_retired(struct play *p, const struct actor *actor, unsigned int line)
{
	return play_fail(p, line, "expected %u.%u to retire, seen that it has not within %u s",
			 actor->place.cta, actor->place.thread, PATIENCE);
}

bool play_wait(struct play *p, const struct statement *statement, unsigned int line)
{
	int64_t deadline = play_deadline();
	bool good = true;
	unsigned int i;

	for (i = 0; i < statement->thread_count; i++) {
		struct actor *actor = &p->actors[statement->threads[i]];

		if (!actor_wait(actor, deadline))
			good = not_retired(p, actor, line);
	}
	return good;
}

/*
 * A statement's threads have done it, or do so now. Return whether the scenario goes on.
 * Who was refused is told even where others wait for it in vain.
 */
static bool settle(struct play *p, size_t index)
{
	const struct statement *s = &p->scenario->statements[index];
	bool expected = outcome_expected(p, index);
	bool good = play_wait(p, s, s->line);
	unsigned int i;

	p->last = s;
	p->started = false;
	for (i = 0; i < s->thread_count; i++) {
		struct actor *actor = &p->actors[s->threads[i]];
		unsigned int line = actor->line ? actor->line : s->line;

		actor->line = 0;
		if (actor_busy(actor))
			continue;
		p->last_line = actor->outcome.line ? actor->outcome.line : line;
		if (actor->outcome.err && !(good && expected))
			good = refused(p, &actor->outcome, p->last_line);
	}
	return good;
}

static bool run_instruction(struct play *p, size_t index)
{
	const struct statement *s = &p->scenario->statements[index];
	unsigned int i;

	for (i = 0; i < s->thread_count; i++) {
		p->actors[s->threads[i]].line = s->line;
		actor_start(&p->actors[s->threads[i]], s);
	}
	if (!s->starts)
		return settle(p, index);
	p->last = s;
	p->last_line = s->line;
	p->started = true;
	return true;
}

static bool run_hold(struct play *p, size_t index, bool hold)
{
	const struct statement *s = &p->scenario->statements[index];

	memset(&p->own, 0, sizeof(p->own));
	p->own.err = vsm_cluster_hold(p->cluster, hold);
	p->last = s;
	p->last_line = s->line;
	p->started = false;
	return !p->own.err || outcome_expected(p, index) || refused(p, &p->own, s->line);
}

static bool run_buffer(struct play *p, const struct statement *s)
{
	const struct scenario_buffer *buffer = &p->scenario->buffers[s->buffer];
	int err = vsm_buffer_create(p->device, buffer->size, &p->buffers[s->buffer]);

	return !err || play_fail(p, s->line, "expected a buffer, seen %s", errno_name(-err));
}

static void run_fill(struct play *p, const struct statement *s)
{
	const struct place *at = &s->at;
	uint8_t *to = at->buffer >= 0 ? vsm_buffer_map(p->buffers[at->buffer])
				      : vsm_cluster_window(p->cluster, at->rank);
	uint64_t i;

	for (i = 0; i < s->length; i++)
		to[at->offset + i] = s->iota ? i : s->value;
}

static bool run_tensormap(struct play *p, const struct statement *s)
{
	const struct tensor *t = s->tensor;
	const struct vsm_buffer *buffer = p->buffers[t->buffer];
	struct drm_vsm_tensor_map *map = &p->maps[t->map];
	int err;

	if (t->mode == DRM_VSM_TENSOR_TILED)
		err = vsm_tensor_map_encode_tiled(map, t->type, t->rank, buffer, t->offset, t->dims,
						  t->strides, t->box, t->element_strides,
						  t->interleave, t->swizzle, 0, t->fill);
	else
		err = vsm_tensor_map_encode_im2col(map, t->type, t->rank, buffer, t->offset,
						   t->dims, t->strides, t->lower, t->upper,
						   t->channels, t->pixels, t->element_strides,
						   t->interleave, t->swizzle, 0, t->fill);
	return !err || play_fail(p, s->line, "expected a tensor map, seen %s", errno_name(-err));
}

/* Return whether the scenario goes on. */
static bool run_statement(struct play *p, size_t index)
{
	const struct statement *s = &p->scenario->statements[index];

	if (s->kind >= EXPECT_SUSPENDED) {
		/* More may be seen behind what was not as expected. */
		expect(p, s);
		return true;
	}
	events_drain(p);
	switch (s->kind) {
	case STATEMENT_BUFFER:
		return run_buffer(p, s);
	case STATEMENT_FILL:
		run_fill(p, s);
		return true;
	case STATEMENT_TENSORMAP:
		return run_tensormap(p, s);
	case STATEMENT_MODEL:
		return model_set(p, s->line, &s->model);
	case STATEMENT_RUN:
	case STATEMENT_SUBMIT:
		return run_instruction(p, index);
	case STATEMENT_JOIN:
		return settle(p, index);
	default:
		return run_hold(p, index, s->kind == STATEMENT_HOLD);
	}
}

/*
 * Whoever has not been joined. Where the scenario has come to its end early, only those that
 * have retired by themselves: one that was refused may be what others wait for in vain.
 */
static void join_all(struct play *p, bool early)
{
	int64_t deadline = early ? 0 : play_deadline();
	size_t i;

	for (i = 0; i < p->scenario->thread_count; i++) {
		struct actor *actor = &p->actors[i];

		if (!actor->line)
			continue;
		if (actor_wait(actor, deadline)) {
			if (actor->outcome.err && !actor->outcome.told)
				refused(p, &actor->outcome, actor->line);
		} else if (!early) {
			not_retired(p, actor, actor->line);
		}
	}
}

static bool prepare(struct play *p)
{
	const struct scenario *s = p->scenario;
	int err;

	err = vsm_cluster_create(p->device, &s->config, &p->cluster);
	if (err)
		return play_fail(p, s->cluster_line, "expected a cluster, seen %s",
				 errno_name(-err));
	p->buffers = calloc(s->buffer_count + 1, sizeof(*p->buffers));
	p->maps = aligned_alloc(64, (s->map_count + 1) * sizeof(*p->maps));
	err = p->buffers && p->maps ? actors_create(p) : -ENOMEM;
	return !err || play_fail(p, s->cluster_line, "expected %zu threads, seen %s",
				 s->thread_count, errno_name(-err));
}

bool play_scenario(struct vsm_device *device, const struct scenario *scenario, bool no_limit)
{
	struct play p = {
		.scenario = scenario,
		.device = device,
		.no_limit = no_limit,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.last_line = scenario->cluster_line,
	};
	size_t i = 0;

	if (!prepare(&p))
		return false;
	while (i < scenario->count && run_statement(&p, i))
		i++;
	join_all(&p, i < scenario->count);
	if (i == scenario->count)
		jobs_wait(&p);
	events_drain(&p);
	events_report(&p);
	model_restore(&p);
	if (!p.checked && !p.failures)
		play_fail(&p, p.last_line, "expected at least one expectation, seen none");
	return !p.failures;
}
