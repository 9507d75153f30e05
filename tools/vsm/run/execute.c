// SPDX-License-Identifier: MIT
/*
 * Executes a scenario statement by statement.
 */
#include <string.h>

#include "run/deadline.h"
#include "run/execute.h"
#include "run/expect.h"
#include "run/model.h"
#include "run/order.h"

/* Returns whether an expectation after a statement allows the device to refuse the statement. */
static bool outcome_expected(const struct state *st, size_t index)
{
	const struct scenario *s = st->scenario;

	while (++index < s->count && s->statements[index].kind >= EXPECT_SUSPENDED)
		if (s->statements[index].kind == EXPECT_FAULT ||
		    s->statements[index].kind == EXPECT_ERRNO)
			return true;
	return false;
}

/*
 * Waits for the threads of a statement. Returns whether the scenario continues. Reports refused
 * threads even if other threads have not finished: these may wait for a refused thread.
 */
static bool finish(struct state *st, size_t index)
{
	const struct statement *s = &st->scenario->statements[index];
	bool expected = outcome_expected(st, index);
	bool good = state_wait(st, s, s->line);
	unsigned int i;

	state_set_last(st, s, false);
	for (i = 0; i < s->thread_count; i++) {
		struct host *host = &st->hosts[s->threads[i]];
		unsigned int line = host->line ? host->line : s->line;

		host->line = 0;
		if (host_busy(host))
			continue;
		st->report.line = host->outcome.line ? host->outcome.line : line;
		if (host->outcome.err && !(good && expected))
			good = report_refused(st, &host->outcome, st->report.line);
	}
	return good;
}

static bool run_instruction(struct state *st, size_t index)
{
	const struct statement *s = &st->scenario->statements[index];

	order_start(st, s);
	if (!s->starts)
		return finish(st, index);
	state_set_last(st, s, true);
	st->report.line = s->line;
	return true;
}

static bool run_hold(struct state *st, size_t index, bool hold)
{
	const struct statement *s = &st->scenario->statements[index];

	memset(&st->own, 0, sizeof(st->own));
	st->own.err = order_hold(st, hold);
	state_set_last(st, s, false);
	st->report.line = s->line;
	return !st->own.err || outcome_expected(st, index) || report_refused(st, &st->own, s->line);
}

static bool run_buffer(struct state *st, const struct statement *s)
{
	int err = create_buffer(&st->objects, s->buffer);

	return !err || report_failure(&st->report, s->line, "expected a buffer, seen %s",
				      errno_name(-err));
}

static bool run_tensormap(struct state *st, const struct statement *s)
{
	const char *reason;
	int err = create_tensor_map(&st->objects, s->tensor, &reason);

	return !err || report_failure(&st->report, s->line, "expected a tensor map, seen %s: %s",
				      errno_name(-err), reason);
}

static bool run_model(struct state *st, const struct statement *s)
{
	const char *file;
	int err = model_set(st->objects.device, &s->model, &st->model, &file);

	return !err || report_failure(&st->report, s->line,
				      "expected to set %s in debugfs as root, seen %s", file,
				      errno_name(-err));
}

/* An expectation of the end of an instruction or a copy needs all that may lead to it. */
static void prepare_expect(struct state *st, const struct statement *s)
{
	switch (s->kind) {
	case EXPECT_SUSPENDED:
		order_begin_threads(st, s);
		break;
	case EXPECT_FAULT:
	case EXPECT_REPORT:
	case EXPECT_ERRNO:
	case EXPECT_JOB:
		order_need_all(st);
		break;
	default:
		break;
	}
}

/* Executes a statement. Returns whether the scenario continues. */
static bool run_statement(struct state *st, size_t index)
{
	const struct statement *s = &st->scenario->statements[index];

	if (s->kind >= EXPECT_SUSPENDED) {
		prepare_expect(st, s);
		/* The scenario continues even if the expectation fails. */
		expect(st, s);
		return true;
	}
	order_turn(st);
	events_drain(&st->events);
	switch (s->kind) {
	case STATEMENT_BUFFER:
		return run_buffer(st, s);
	case STATEMENT_FILL:
		fill_memory(&st->objects, s);
		return true;
	case STATEMENT_TENSORMAP:
		return run_tensormap(st, s);
	case STATEMENT_MODEL:
		return run_model(st, s);
	case STATEMENT_RUN:
	case STATEMENT_SUBMIT:
		return run_instruction(st, index);
	case STATEMENT_JOIN:
		order_need(st, s);
		return finish(st, index);
	default:
		return run_hold(st, index, s->kind == STATEMENT_HOLD);
	}
}

/*
 * Joins all remaining threads. If the scenario has ended early (@early), does not wait for threads
 * that are suspended, because they may wait for a thread that was refused.
 */
static void join_all(struct state *st, bool early)
{
	int64_t deadline = early ? 0 : deadline_from_now();
	size_t i;

	for (i = 0; i < st->scenario->thread_count; i++) {
		struct host *host = &st->hosts[i];

		if (!host->line)
			continue;
		if (host_wait(host, deadline)) {
			if (host->outcome.err && !host->outcome.expected)
				report_refused(st, &host->outcome, host->line);
		} else if (!early) {
			report_unfinished(st, host, host->line);
		}
	}
}

static void read_events(struct state *st, struct recording *recording)
{
	int err = recording_read(recording, st->objects.cluster);

	if (err)
		report_failure(&st->report, 0, "its events cannot be read: %s", errno_name(-err));
}

bool execute_scenario(struct vsm_device *device, const struct scenario *scenario,
		      const struct execution *how, FILE *out)
{
	struct state st = {
		.scenario = scenario,
		.no_limit = how->no_limit,
		.order.seed = how->seed,
		.report = {
			.out = out,
			.line = scenario->cluster_line,
		},
		.objects = { .scenario = scenario, .device = device, .records = how->recording },
		.events = {
			.device = device,
			.report = &st.report,
			.lock = PTHREAD_MUTEX_INITIALIZER,
		},
		.jobs = {
			.device = device,
			.report = &st.report,
			.lock = PTHREAD_MUTEX_INITIALIZER,
		},
	};
	size_t i = 0;

	if (!state_create(&st))
		return false;
	order_begin(&st);
	while (i < scenario->count && run_statement(&st, i))
		i++;
	order_need_all(&st);
	join_all(&st, i < scenario->count);
	if (i == scenario->count)
		jobs_wait(&st.jobs, &st.events);
	events_drain(&st.events);
	events_report(&st.events, scenario->config.layout);
	model_restore(device, &st.model);
	if (how->recording)
		read_events(&st, how->recording);
	if (!st.report.checked && !st.report.failures)
		report_failure(&st.report, st.report.line,
			       "expected at least one expectation, seen none");
	return !st.report.failures;
}
