// SPDX-License-Identifier: MIT
/*
 * Checks expectations. The message of a failure has the expected value and the value that was
 * found.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "run/deadline.h"
#include "run/expect.h"

/*
 * Reports that the expectation @s fails. The text has the expected and the found value. The macro's
 * value is false.
 */
#define FAIL(st, s, ...) report_failure(&(st)->report, (s)->line, __VA_ARGS__)

static bool expect_suspended(struct state *st, const struct statement *s, struct host *host,
			     int64_t deadline)
{
	char seen[OUTCOME_SIZE];

	if (host_suspended(host, deadline))
		return true;
	if (host_busy(host))
		return FAIL(st, s, "expected %u.%u suspended, seen running for %u s",
			    host->thread.place.cta, host->thread.place.thread, TIME_LIMIT);
	return FAIL(st, s, "expected %u.%u suspended, seen retired: %s", host->thread.place.cta,
		    host->thread.place.thread, state_outcome_text(st, &host->outcome, seen));
}

/* @index is the index of the thread in the statement. */
static bool expect_register(struct state *st, const struct statement *s, unsigned int index)
{
	const struct host *host = &st->hosts[s->threads[index]];
	uint64_t value = s->values ? s->values[index] : s->value;
	uint64_t seen = host->thread.registers[s->reg];

	return seen == value ||
	       FAIL(st, s,
		    "expected %u.%u %s == %" PRIu64 " (0x%" PRIx64 "), seen %" PRIu64
		    " (0x%" PRIx64 ")",
		    host->thread.place.cta, host->thread.place.thread,
		    st->scenario->registers.names[s->reg], value, value, seen, seen);
}

/* Describes a word and its fields in @text. */
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

static bool expect_word(struct state *st, const struct statement *s)
{
	enum vsm_layout layout = st->scenario->config.layout;
	char expected[128], found[128], name[PLACE_SIZE];
	uint64_t seen;

	seen = __atomic_load_n((uint64_t *)memory_at(&st->objects, &s->at), __ATOMIC_SEQ_CST);
	return seen == s->value ||
	       FAIL(st, s, "expected word at %s + 0x%" PRIx64 " == %s, seen %s",
		    memory_name(&st->objects, &s->at, name), s->at.offset,
		    word_text(layout, s->value, expected), word_text(layout, seen, found));
}

/* Compares bytes. The message of a failure has the first byte that differs. */
static bool expect_equal(struct state *st, const struct statement *s, const uint8_t *expected)
{
	const uint8_t *seen = memory_at(&st->objects, &s->at);
	uint64_t different = 0, first = 0, i;
	char name[PLACE_SIZE];

	for (i = 0; i < s->length; i++) {
		if (expected[i] == seen[i])
			continue;
		if (!different++)
			first = i;
	}
	return !different ||
	       FAIL(st, s, "expected byte 0x%02x at %s + 0x%" PRIx64 ", seen 0x%02x; %" PRIu64
		    " of %" PRIu64 " bytes differ", expected[first],
		    memory_name(&st->objects, &s->at, name), s->at.offset + first, seen[first],
		    different, s->length);
}

static bool outcome_is_fault(struct state *st, const struct statement *s, struct outcome *outcome)
{
	char seen[OUTCOME_SIZE], of[OF_SIZE];

	outcome->expected = true;
	return (outcome->err == -EPROTO && outcome->insn.fault == s->value) ||
	       FAIL(st, s, "expected fault %s%s, seen %s", vsm_fault_name(s->value),
		    outcome_of(outcome, of), state_outcome_text(st, outcome, seen));
}

static bool expect_later_fault(struct state *st, const struct statement *s)
{
	struct drm_vsm_event_fault event;
	struct outcome later = { };

	if (!events_next(&st->events, EVENT_FAULT, &event))
		return FAIL(st, s, "expected fault %s, seen none within %u s",
			    vsm_fault_name(s->value), TIME_LIMIT);
	jobs_expect(&st->jobs, &event);
	later.err = -EPROTO;
	later.insn = event.insn;
	later.cta = event.cta;
	return outcome_is_fault(st, s, &later);
}

static bool expect_fault(struct state *st, const struct statement *s)
{
	const struct outcome *unchecked;
	struct outcome *outcome;
	unsigned int i = 0;
	bool good = true;

	if (!state_wait_last(st, s->line))
		return false;
	do
		unchecked = state_next_outcome(st, &i);
	while (unchecked && (!unchecked->err || unchecked->expected));
	if (!unchecked && events_issued(&st->events))
		return expect_later_fault(st, s);
	i = 0;
	while ((outcome = state_next_outcome(st, &i)))
		good &= outcome_is_fault(st, s, outcome);
	return good;
}

static bool expect_report(struct state *st, const struct statement *s)
{
	struct drm_vsm_event_fault event;

	if (!state_wait_last(st, s->line))
		return false;
	if (!events_next(&st->events, EVENT_REPORT, &event))
		return FAIL(st, s, "expected a report of %s, seen none within %u s",
			    vsm_fault_name(s->value), TIME_LIMIT);
	return event.insn.fault == s->value ||
	       FAIL(st, s, "expected a report of %s, seen one of %s", vsm_fault_name(s->value),
		    vsm_fault_name(event.insn.fault));
}

static bool expect_errno(struct state *st, const struct statement *s)
{
	char seen[OUTCOME_SIZE], of[OF_SIZE];
	const struct outcome *outcome;
	unsigned int i = 0;
	bool good = true;

	if (!state_wait_last(st, s->line))
		return false;
	while ((outcome = state_next_outcome(st, &i)))
		if (outcome->err != -(int)s->value)
			good = FAIL(st, s, "expected errno %s%s, seen %s", errno_name(s->value),
				    outcome_of(outcome, of), state_outcome_text(st, outcome, seen));
	return good;
}

static const char *status_text(int status)
{
	return status ? errno_name(-status) : "0";
}

static bool expect_job(struct state *st, const struct statement *s)
{
	const struct scenario_thread *t = &st->scenario->threads[s->threads[0]];
	int expected = -(int)s->value;
	int seen = jobs_status(&st->jobs, s->threads[0]);

	if (seen == -ETIME)
		return FAIL(st, s,
			    "expected the job of %u.%u to end, seen that it has not within %u s",
			    t->cta, t->thread, TIME_LIMIT);
	return seen == expected ||
	       FAIL(st, s, "expected job %u.%u == %s%s, seen %s%s", t->cta, t->thread,
		    expected ? "-" : "", status_text(expected), seen ? "-" : "", status_text(seen));
}

/* Checks an expectation about a register or a suspension for each of its threads. */
static bool expect_each(struct state *st, const struct statement *s)
{
	int64_t deadline = deadline_from_now();
	bool good = true;
	unsigned int i;

	for (i = 0; i < s->thread_count; i++) {
		if (s->kind == EXPECT_REGISTER)
			good &= expect_register(st, s, i);
		else
			good &= expect_suspended(st, s, &st->hosts[s->threads[i]], deadline);
	}
	return good;
}

bool expect(struct state *st, const struct statement *s)
{
	st->report.checked++;
	switch (s->kind) {
	case EXPECT_SUSPENDED:
	case EXPECT_REGISTER:
		return expect_each(st, s);
	case EXPECT_WORD:
		return expect_word(st, s);
	case EXPECT_DATA:
		return expect_equal(st, s, memory_at(&st->objects, &s->other));
	case EXPECT_BYTES:
		return expect_equal(st, s, s->bytes);
	case EXPECT_FAULT:
		return expect_fault(st, s);
	case EXPECT_REPORT:
		return expect_report(st, s);
	case EXPECT_JOB:
		return expect_job(st, s);
	default:
		return expect_errno(st, s);
	}
}
