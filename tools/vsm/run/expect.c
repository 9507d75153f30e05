// SPDX-License-Identifier: MIT
/*
 * Expectations: what was expected, what is seen.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/state.h"

const char *outcome_of(const struct outcome *outcome, char text[OF_SIZE])
{
	text[0] = '\0';
	if (outcome->several)
		snprintf(text, OF_SIZE, " of %u.%u", outcome->cta, outcome->thread);
	return text;
}

const char *outcome_text(const struct play *p, const struct outcome *outcome,
			 char text[OUTCOME_SIZE])
{
	char message[OUTCOME_SIZE - 64];

	if (!outcome->err) {
		snprintf(text, OUTCOME_SIZE, "success");
	} else if (outcome->note[0]) {
		snprintf(text, OUTCOME_SIZE, "%s: %s", errno_name(-outcome->err), outcome->note);
	} else if (outcome->err == -EPROTO && outcome->insn.fault) {
		vsm_fault_message(p->scenario->config.layout, outcome->cta, &outcome->insn,
				  message, sizeof(message));
		snprintf(text, OUTCOME_SIZE, "fault %s: %s", vsm_fault_name(outcome->insn.fault),
			 message);
	} else {
		snprintf(text, OUTCOME_SIZE, "errno %s", errno_name(-outcome->err));
	}
	return text;
}

static bool expect_suspended(struct play *p, const struct statement *s, struct actor *actor,
			     int64_t deadline)
{
	char seen[OUTCOME_SIZE];

	if (actor_suspended(actor, deadline))
		return true;
	if (actor_busy(actor))
		return play_fail(p, s->line, "expected %u.%u suspended, seen running for %u s",
				 actor->place.cta, actor->place.thread, PATIENCE);
	return play_fail(p, s->line, "expected %u.%u suspended, seen retired: %s",
			 actor->place.cta, actor->place.thread,
			 outcome_text(p, &actor->outcome, seen));
}

/* @index: Which of the threads it is. */
static bool expect_register(struct play *p, const struct statement *s, unsigned int index)
{
	const struct actor *actor = &p->actors[s->threads[index]];
	uint64_t value = s->values ? s->values[index] : s->value;
	uint64_t seen = actor->registers[s->reg];

	return seen == value ||
	       play_fail(p, s->line,
			 "expected %u.%u %%%s == %" PRIu64 " (0x%" PRIx64 "), seen %" PRIu64
			 " (0x%" PRIx64 ")", actor->place.cta, actor->place.thread,
			 p->scenario->registers[s->reg], value, value, seen, seen);
}

/* A word and what it means. */
static const char *word_text(enum vsm_layout layout, uint64_t word, char text[128])
{
	struct vsm_mbarrier_fields f = vsm_mbarrier_decode(layout, word);
	int length;

	length = snprintf(text, 128, "0x%016" PRIx64 " (phase %u, pending %u, expected %u", word,
			  f.phase, f.pending, f.expected);
	if (layout == VSM_LAYOUT_SM_90)
		length += snprintf(text + length, 128 - length, ", tx-count %d%s", f.tx,
				   f.poison ? ", poison" : "");
	snprintf(text + length, 128 - length, "%s)", f.reserved ? ", reserved bits" : "");
	return text;
}

/* What is at a place; @what is its name. */
static char *memory_at(struct play *p, const struct place *place, const char **what)
{
	static _Thread_local char cta[16];

	if (place->buffer >= 0) {
		*what = p->scenario->buffers[place->buffer].name;
		return (char *)vsm_buffer_map(p->buffers[place->buffer]) + place->offset;
	}
	snprintf(cta, sizeof(cta), "CTA %u", place->rank);
	*what = cta;
	return (char *)vsm_cluster_window(p->cluster, place->rank) + place->offset;
}

static bool expect_word(struct play *p, const struct statement *s)
{
	enum vsm_layout layout = p->scenario->config.layout;
	char expected[128], found[128];
	const char *what;
	uint64_t seen;

	seen = __atomic_load_n((uint64_t *)memory_at(p, &s->at, &what), __ATOMIC_SEQ_CST);
	return seen == s->value ||
	       play_fail(p, s->line, "expected word at %s + 0x%" PRIx64 " == %s, seen %s", what,
			 s->at.offset, word_text(layout, s->value, expected),
			 word_text(layout, seen, found));
}

/* Compare bytes, say where they begin to differ. */
static bool expect_equal(struct play *p, const struct statement *s, const char *expected)
{
	uint64_t different = 0, first = 0, i;
	const char *what;
	const char *seen = memory_at(p, &s->at, &what);

	for (i = 0; i < s->length; i++) {
		if (expected[i] == seen[i])
			continue;
		if (!different++)
			first = i;
	}
	return !different ||
	       play_fail(p, s->line, "expected byte 0x%02x at %s + 0x%" PRIx64
			 ", seen 0x%02x; %" PRIu64 " of %" PRIu64 " bytes differ",
			 (uint8_t)expected[first], what, s->at.offset + first,
			 (uint8_t)seen[first], different, s->length);
}

static bool expect_data(struct play *p, const struct statement *s)
{
	const char *what;

	return expect_equal(p, s, memory_at(p, &s->other, &what));
}

/* A statement that was only started is waited for: its outcome is asked for. */
static bool last_retired(struct play *p, const struct statement *s)
{
	unsigned int i;

	if (!p->started)
		return true;
	if (!play_wait(p, p->last, s->line))
		return false;
	p->started = false;
	for (i = 0; i < p->last->thread_count; i++)
		p->actors[p->last->threads[i]].line = 0;
	return true;
}

/* The next outcome of the last statement, or NULL; hold and release have one of their own. */
static struct outcome *next_outcome(struct play *p, unsigned int *index)
{
	const struct statement *last = p->last;
	unsigned int i = (*index)++;

	if (!last->thread_count)
		return i ? NULL : &p->own;
	return i < last->thread_count ? &p->actors[last->threads[i]].outcome : NULL;
}

static bool outcome_is_fault(struct play *p, const struct statement *s, struct outcome *outcome)
{
	char seen[OUTCOME_SIZE], of[OF_SIZE];

	outcome->told = true;
	return (outcome->err == -EPROTO && outcome->insn.fault == s->value) ||
	       play_fail(p, s->line, "expected fault %s%s, seen %s", vsm_fault_name(s->value),
			 outcome_of(outcome, of), outcome_text(p, outcome, seen));
}

static bool expect_later_fault(struct play *p, const struct statement *s)
{
	struct drm_vsm_event_fault event;
	struct outcome later = { };

	if (!events_next(p, &event))
		return play_fail(p, s->line, "expected fault %s, seen none within %u s",
				 vsm_fault_name(s->value), PATIENCE);
	later.err = -EPROTO;
	later.insn = event.insn;
	later.cta = event.cta;
	return outcome_is_fault(p, s, &later);
}

static bool expect_fault(struct play *p, const struct statement *s)
{
	const struct outcome *untold;
	struct outcome *outcome;
	unsigned int i = 0;
	bool good = true;

	if (!last_retired(p, s))
		return false;
	do
		untold = next_outcome(p, &i);
	while (untold && (!untold->err || untold->told));
	if (!untold && async_any(p))
		return expect_later_fault(p, s);
	i = 0;
	while ((outcome = next_outcome(p, &i)))
		good &= outcome_is_fault(p, s, outcome);
	return good;
}

static bool expect_report(struct play *p, const struct statement *s)
{
	struct drm_vsm_event_fault event;

	if (!last_retired(p, s))
		return false;
	if (!reports_next(p, &event))
		return play_fail(p, s->line, "expected a report of %s, seen none within %u s",
				 vsm_fault_name(s->value), PATIENCE);
	return event.insn.fault == s->value ||
	       play_fail(p, s->line, "expected a report of %s, seen one of %s",
			 vsm_fault_name(s->value), vsm_fault_name(event.insn.fault));
}

static bool expect_errno(struct play *p, const struct statement *s)
{
	char seen[OUTCOME_SIZE], of[OF_SIZE];
	const struct outcome *outcome;
	unsigned int i = 0;
	bool good = true;

	if (!last_retired(p, s))
		return false;
	while ((outcome = next_outcome(p, &i)))
		if (outcome->err != -(int)s->value)
			good = play_fail(p, s->line, "expected errno %s%s, seen %s",
					 errno_name(s->value), outcome_of(outcome, of),
					 outcome_text(p, outcome, seen));
	return good;
}

static const char *status_text(int status)
{
	return status ? errno_name(-status) : "0";
}

static bool expect_job(struct play *p, const struct statement *s)
{
	const struct scenario_thread *t = &p->scenario->threads[s->threads[0]];
	int expected = -(int)s->value;
	int seen = job_status(p, s->threads[0]);

	if (seen == -ETIME)
		return play_fail(p, s->line,
				 "expected the job of %u.%u to end, seen that it has not within %u s",
				 t->cta, t->thread, PATIENCE);
	return seen == expected ||
	       play_fail(p, s->line, "expected job %u.%u == %s%s, seen %s%s", t->cta, t->thread,
			 expected ? "-" : "", status_text(expected), seen ? "-" : "",
			 status_text(seen));
}

/* What is expected of each of several threads. */
static bool expect_each(struct play *p, const struct statement *s)
{
	int64_t deadline = play_deadline();
	bool good = true;
	unsigned int i;

	for (i = 0; i < s->thread_count; i++) {
		if (s->kind == EXPECT_REGISTER)
			good &= expect_register(p, s, i);
		else
			good &= expect_suspended(p, s, &p->actors[s->threads[i]], deadline);
	}
	return good;
}

bool expect(struct play *p, const struct statement *s)
{
	p->checked++;
	switch (s->kind) {
	case EXPECT_SUSPENDED:
	case EXPECT_REGISTER:
		return expect_each(p, s);
	case EXPECT_WORD:
		return expect_word(p, s);
	case EXPECT_DATA:
		return expect_data(p, s);
	case EXPECT_BYTES:
		return expect_equal(p, s, (const char *)s->bytes);
	case EXPECT_FAULT:
		return expect_fault(p, s);
	case EXPECT_REPORT:
		return expect_report(p, s);
	case EXPECT_JOB:
		return expect_job(p, s);
	default:
		return expect_errno(p, s);
	}
}
