// SPDX-License-Identifier: MIT
/* Executes scenarios statement by statement, each in a process of its own. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "run/execute.h"
#include "run/order.h"
#include "run/outcome.h"
#include "run/step.h"

/* --- expectations --------------------------------------------------------- */

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
		length += snprintf(text + length, 128 - length, ", tx-count %d", f.tx);
	snprintf(text + length, 128 - length, "%s)", ptx_word_marks(&f));
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

static bool expect(struct state *st, const struct statement *s)
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

/* --- statements ----------------------------------------------------------- */

/* How a scenario is executed */
struct execution {
	bool no_limit;	/* a try_wait without suspendTimeHint suspends until its phase completes */
	uint64_t seed;			/* seed of the order; 0 for none */
	struct recording *recording;	/* gets the events, or NULL */
};

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

/*
 * Executes a scenario. Writes failures to @out as &struct report says. Returns whether there were
 * none. The caller must end the process afterwards, because threads may still be suspended.
 */
static bool execute_scenario(struct vsm_device *device, const struct scenario *scenario,
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

/* --- processes ------------------------------------------------------------ */

/*
 * Runs a scenario in a process of its own.
 *
 * The process writes failures to a pipe, as &struct report says.
 */

static void run_child(const struct scenario *scenario, const struct execution *how,
		      FILE *out)
{
	struct report report = { .out = out };
	struct vsm_device *device;
	bool good = false;
	int err;

	err = vsm_device_open(NULL, &device);
	if (err)
		report_failure(&report, 0, "the device cannot be opened: %s", strerror(-err));
	else
		good = execute_scenario(device, scenario, how, out);
	if (fflush(out))
		good = false;
	_exit(good ? EXIT_OK : EXIT_FAILED);
}

/* Takes the failures apart. If the process was killed, the last text may have no end. */
static void read_failures(const struct child *child, struct result *result)
{
	const char *at = child->text, *end = child->text + child->size;

	while (at < end) {
		const char *message = memchr(at, '\0', end - at);

		if (!message++ || !memchr(message, '\0', end - message))
			break;
		result_fail(result, strtoul(at, NULL, 10), message);
		at = message + strlen(message) + 1;
	}
}

static void fail_format(struct result *result, const char *format, int number)
{
	char text[64];

	snprintf(text, sizeof(text), format, number);
	result_fail(result, 0, text);
}

/* Waits for the process. A status other than 0 is a failure, even if nothing says why. */
static void await_child(pid_t pid, struct result *result)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		result_fail(result, 0, strerror(errno));
	else if (WIFSIGNALED(status))
		fail_format(result, "ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) && !result->failure_count)
		fail_format(result, "ended with status %d", WEXITSTATUS(status));
}

/*
 * Starts to run a scenario in a process of its own. When the process ends, its suspended threads
 * end too, and a crash does not affect other tests. Returns 0 or a negative errno.
 */
static int child_start(struct child *child, const struct scenario *scenario,
		       const struct execution *how)
{
	int ends[2];

	*child = (struct child){ .begin = time_now() };
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	fflush(stdout);
	child->pid = fork();
	if (!child->pid) {
		close(ends[0]);
		run_child(scenario, how, must(fdopen(ends[1], "w")));
	}
	if (child->pid < 0) {
		int err = -errno;

		close(ends[0]);
		close(ends[1]);
		return err;
	}
	close(ends[1]);
	child->fd = ends[0];
	return 0;
}

/* Reads what the process has written. Waits for it if necessary. Returns false at its end. */
static bool child_read(struct child *child)
{
	ssize_t more;

	child->text = must(realloc(child->text, child->size + 4096));
	do
		more = read(child->fd, child->text + child->size, 4096);
	while (more < 0 && errno == EINTR);
	if (more > 0)
		child->size += more;
	return more > 0;
}

/* After that end, adds the failures and the duration to @result. */
static void child_finish(struct child *child, struct result *result)
{
	close(child->fd);
	read_failures(child, result);
	await_child(child->pid, result);
	free(child->text);
	result->ns += time_now() - child->begin;
}

/* --- processes at the same time ------------------------------------------- */

/* Tests that have started and not been passed on, for each job. Their events are in memory. */
#define AHEAD 4

/* Does the test need the device for itself? */
static bool is_alone(const struct pool *pool, const struct pool_test *test)
{
	size_t i;

	if (test->seed && pool->shuffles)
		return true;
	for (i = 0; i < test->scenario->count; i++)
		if (test->scenario->statements[i].kind == STATEMENT_MODEL)
			return true;
	return false;
}

/* Starts a run of the test, with its seed. */
static void start(const struct pool *pool, struct pool_test *test)
{
	struct execution how = {
		.no_limit = pool->no_limit,
		.seed = test->seed,
		.recording = test->recording,
	};
	int err;

	if (how.recording)
		recording_clear(how.recording);
	result_restart(test->result);
	test->result->seed = test->seed;
	test->result->runs += !!test->seed;
	err = child_start(&test->child, test->scenario, &how);
	test->running = !err;
	test->ended = err;
	if (err)
		result_fail(test->result, 0, strerror(-err));
}

static void begin(const struct pool *pool, struct pool_test *test)
{
	if (pool->record)
		test->recording = recording_create();
	if (!test->scenario->error_count) {
		start(pool, test);
		return;
	}
	result_fail_lines(test->result, test->scenario->path, test->scenario->errors);
	test->ended = true;
}

/* A run has ended. Begins the next one, if there is one. */
static void end(const struct pool *pool, struct pool_test *test)
{
	child_finish(&test->child, test->result);
	test->running = false;
	if (test->result->verdict == VERDICT_PASS && test->seed &&
	    test->last - test->seed >= test->step) {
		test->seed += test->step;
		start(pool, test);
	} else {
		test->ended = true;
	}
}

/* Reads from all tests from @first to @last that run. Waits until one of them has written. */
static void await(struct pool *pool, size_t first, size_t last, size_t running)
{
	struct pollfd *fds = must(calloc(running, sizeof(*fds)));
	size_t i, count = 0;

	for (i = first; i < last; i++)
		if (pool->tests[i].running)
			fds[count++] = (struct pollfd){ pool->tests[i].child.fd, POLLIN, 0 };
	if (poll(fds, count, -1) > 0) {
		count = 0;
		for (i = first; i < last; i++) {
			struct pool_test *test = &pool->tests[i];

			if (test->running && fds[count++].revents && !child_read(&test->child))
				end(pool, test);
		}
	}
	free(fds);
}

void pool_run(struct pool *pool)
{
	size_t done = 0, next = 0, running, i;
	bool alone;

	while (done < pool->count) {
		running = 0;
		alone = false;
		for (i = done; i < next; i++) {
			running += pool->tests[i].running;
			alone |= pool->tests[i].running && is_alone(pool, &pool->tests[i]);
		}
		if (next < pool->count && running < pool->jobs && !alone &&
		    next - done < AHEAD * pool->jobs &&
		    !(running && is_alone(pool, &pool->tests[next])))
			begin(pool, &pool->tests[next++]);
		else if (running)
			await(pool, done, next, running);
		for (; done < next && pool->tests[done].ended; done++) {
			pool->done(pool->data, &pool->tests[done]);
			recording_free(pool->tests[done].recording);
		}
	}
}
