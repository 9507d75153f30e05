// SPDX-License-Identifier: MIT
/*
 * The state of a scenario that runs: its threads, and the outcome of its last statement.
 */
#include "run/deadline.h"
#include "run/state.h"

bool state_create(struct state *st)
{
	const struct scenario *s = st->scenario;
	const struct thread thread = {
		.objects = &st->objects,
		.events = &st->events,
		.jobs = &st->jobs,
		.no_limit = st->no_limit,
	};
	int err;

	err = objects_create(&st->objects);
	if (err)
		return report_failure(&st->report, s->cluster_line,
				      "expected a cluster, seen %s", errno_name(-err));
	err = hosts_create(&thread, &st->hosts);
	return !err || report_failure(&st->report, s->cluster_line,
				      "expected %zu threads, seen %s", s->thread_count,
				      errno_name(-err));
}

void state_set_last(struct state *st, const struct statement *statement, bool started)
{
	st->last = statement;
	st->started = started;
}

const char *state_outcome_text(const struct state *st, const struct outcome *outcome,
			       char text[OUTCOME_SIZE])
{
	return outcome_text(outcome, st->scenario->config.layout, text);
}

bool report_refused(struct state *st, const struct outcome *outcome, unsigned int line)
{
	char seen[OUTCOME_SIZE], of[OF_SIZE];

	return report_failure(&st->report, line, "expected no fault%s, seen %s",
			      outcome_of(outcome, of), state_outcome_text(st, outcome, seen));
}

bool report_unfinished(struct state *st, const struct host *host, unsigned int line)
{
	return report_failure(&st->report, line,
			      "expected %u.%u to retire, seen that it has not within %u s",
			      host->thread.place.cta, host->thread.place.thread, TIME_LIMIT);
}

bool state_wait(struct state *st, const struct statement *statement, unsigned int line)
{
	int64_t deadline = deadline_from_now();
	bool good = true;
	unsigned int i;

	for (i = 0; i < statement->thread_count; i++) {
		struct host *host = &st->hosts[statement->threads[i]];

		if (!host_wait(host, deadline))
			good = report_unfinished(st, host, line);
	}
	return good;
}

bool state_wait_last(struct state *st, unsigned int line)
{
	unsigned int i;

	if (!st->started)
		return true;
	if (!state_wait(st, st->last, line))
		return false;
	st->started = false;
	for (i = 0; i < st->last->thread_count; i++)
		st->hosts[st->last->threads[i]].line = 0;
	return true;
}

struct outcome *state_next_outcome(struct state *st, unsigned int *index)
{
	const struct statement *last = st->last;
	unsigned int i = (*index)++;

	if (!last->thread_count)
		return i ? NULL : &st->own;
	return i < last->thread_count ? &st->hosts[last->threads[i]].outcome : NULL;
}
