// SPDX-License-Identifier: MIT
/*
 * Runs plans: all steps once, or for each of several seeds.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "colour.h"
#include "launch/run.h"
#include "launch/session.h"
#include "results/output.h"

/* --- what steps print ----------------------------------------------------- */

/**
 * struct capture - What the steps of a session print
 * @text: The text
 * @size: Bytes of @text
 */
struct capture {
	char *text;
	size_t size;
};

static void capture_begin(struct session *s, struct capture *capture)
{
	s->out = must(open_memstream(&capture->text, &capture->size));
}

static void capture_end(struct session *s)
{
	if (fclose(s->out))
		must(NULL);
	s->out = stdout;
}

/* Prints lines as comments of TAP. */
static void print_comments(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		printf("# %.*s\n", (int)length, text);
		text += length + (text[length] == '\n');
	}
}

/* --- results -------------------------------------------------------------- */

/**
 * struct run - A run of a plan
 * @session: Session, of which there is one after the other for each seed
 * @results: Results of the launches
 * @file: The only file in @results
 * @silent: Standard output is only for results
 * @first_seed: The first of several seeds
 * @text: What the last launch and the outputs after it have printed, for its result
 * @text_size: Bytes of @text
 */
struct run {
	struct session session;
	struct results results;
	struct result_file *file;
	bool silent;
	uint64_t first_seed;
	char *text;
	size_t text_size;
};

/* Gives what the last launch has printed to its result. */
static void end_result(struct run *run)
{
	struct session *s = &run->session;
	char *zero;

	if (!s->printed)
		return;
	if (fclose(s->printed))
		must(NULL);
	s->printed = NULL;
	while ((zero = memchr(run->text, '\0', run->text_size)))
		*zero = ' ';
	if (run->text_size)
		s->result->output = run->text;
	else
		free(run->text);
}

/* Begins the result of a launch, the @number-th of the plan. With another seed, begins it again. */
static void begin_result(struct run *run, const struct plan_step *step, unsigned int number)
{
	struct session *s = &run->session;

	end_result(run);
	if (number <= run->file->count) {
		s->result = run->file->results[number - 1];
		result_restart(s->result);
	} else {
		s->result = result_add(run->file, session_kernel(s, &step->launch), step->line);
	}
	s->result->seed = s->seed;
	if (outputs_any(&s->options->outputs))
		s->printed = must(open_memstream(&run->text, &run->text_size));
}

static void skip_result(struct run *run, const struct plan_step *step, unsigned int number)
{
	begin_result(run, step, number);
	run->session.result->verdict = VERDICT_SKIP;
	run->session.result->reason = must(strdup("an earlier launch has not ended as expected"));
}

/* --- one session ---------------------------------------------------------- */

static void print_result(const struct session *s, const struct plan_step *step, unsigned int number,
			 bool good, const char *comment)
{
	printf("%s %u - %s", colour_result(good), number, s->plan->path);
	if (s->plan->from_file)
		printf(":%u", step->line);
	printf(" %s%s\n", session_kernel(s, &step->launch), comment);
	fflush(stdout);
}

static bool run_launch(struct run *run, const struct plan_step *step, unsigned int number)
{
	struct session *s = &run->session;
	int64_t begin;
	bool good;

	begin_result(run, step, number);
	begin = time_now();
	good = session_launch(s, step);
	s->result->ns += time_now() - begin;
	s->result->runs += !!s->seed;
	if (!good && s->result->verdict != VERDICT_FAIL)
		result_fail(s->result, step->line, "the launch failed");
	return good;
}

/* Runs a launch and prints its result as TAP. */
static bool launch_with_result(struct run *run, const struct plan_step *step, unsigned int number)
{
	struct session *s = &run->session;
	struct capture capture;
	bool good;

	capture_begin(s, &capture);
	good = run_launch(run, step, number);
	capture_end(s);
	print_comments(capture.text);
	free(capture.text);
	print_result(s, step, number, good, "");
	return good;
}

static bool output_as_comment(struct session *s, const struct plan_step *step)
{
	struct capture capture;
	bool good;

	capture_begin(s, &capture);
	good = session_output(s, step);
	capture_end(s);
	print_comments(capture.text);
	free(capture.text);
	return good;
}

/*
 * Runs the steps up to the first launch that does not end as expected, and the outputs that follow
 * this launch. With @tap prints the result of each launch as TAP.
 */
static bool run_steps(struct run *run, bool tap)
{
	struct session *s = &run->session;
	const struct plan *plan = s->plan;
	unsigned int number = 0;
	bool good = true, failed = false;
	size_t i;

	for (i = 0; i < plan->step_count && !s->broken && !caught_signal(); i++) {
		const struct plan_step *step = &plan->steps[i];

		if (step->kind == STEP_OUTPUT) {
			good &= tap ? output_as_comment(s, step) : session_output(s, step);
			continue;
		}
		if (failed)
			break;
		number++;
		failed = !(tap ? launch_with_result : run_launch)(run, step, number);
		good &= !failed;
	}
	for (; i < plan->step_count; i++) {
		if (plan->steps[i].kind != STEP_LAUNCH)
			continue;
		skip_result(run, &plan->steps[i], ++number);
		if (tap)
			print_result(s, &plan->steps[i], number, false, " (did not run)");
	}
	end_result(run);
	return good && !s->broken && !caught_signal();
}

/* Runs the session with its seed. Returns the exit status. */
static int run_session(struct run *run, bool tap)
{
	struct session *s = &run->session;
	int status;

	s->result = NULL;
	gather_begin(s->timeline, s->plan->path);
	status = session_begin(s);
	if (!status) {
		if (tap)
			printf("TAP version 13\n1..%u\n", s->plan->launch_count);
		if (!run_steps(run, tap))
			status = EXIT_FAILED;
	} else if (status == EXIT_FAILED) {
		result_fail(result_add(run->file, NULL, 0), 0,
			    "the launches could not begin; standard error has the reason");
	}
	session_end(s);
	return status;
}

static int run_once(struct run *run)
{
	struct session *s = &run->session;
	struct capture capture;
	int status;

	s->out = stdout;
	s->seed = s->options->seeds.first;
	if (!run->silent)
		return run_session(run, s->options->tap);
	capture_begin(s, &capture);
	status = run_session(run, false);
	capture_end(s);
	free(capture.text);
	return status;
}

/* --- several seeds -------------------------------------------------------- */

static void print_seed(const struct run *run, int status, const char *printed)
{
	const struct session *s = &run->session;
	uint64_t last = s->options->seeds.last, step = shard_step(&s->options->shard);

	if (s->options->tap && s->seed == run->first_seed)
		printf("TAP version 13\n1..%" PRIu64 "\n", (last - s->seed) / step + 1);
	if (status && s->options->tap)
		print_comments(printed);
	else if (status)
		printf("seed %" PRIu64 " (--seed %" PRIu64 " repeats it):\n%s", s->seed, s->seed,
		       printed);
	if (s->options->tap)
		printf("%s %" PRIu64 " - seed %" PRIu64 "\n", colour_result(!status),
		       (s->seed - run->first_seed) / step + 1, s->seed);
	fflush(stdout);
}

static int run_seed(struct run *run, uint64_t seed)
{
	struct session *s = &run->session;
	struct capture capture = { };
	int status;

	s->seed = seed;
	s->progress.seed = seed;
	capture_begin(s, &capture);
	status = run_session(run, false);
	capture_end(s);
	/* A malformed module is no test. */
	if (status != EXIT_USAGE && !run->silent)
		print_seed(run, status, capture.text);
	free(capture.text);
	return status;
}

static int run_seeds(struct run *run)
{
	const struct run_options *options = run->session.options;
	uint64_t first = run->first_seed, last = options->seeds.last, seed;
	uint64_t step = shard_step(&options->shard), count = (last - first) / step + 1;
	int status = EXIT_OK;

	run->session.progress.last_seed = last;
	for (seed = first; seed <= last && !status; seed += step)
		status = run_seed(run, seed);
	if (status == EXIT_USAGE || run->silent)
		return status;
	if (!options->tap && !status)
		printf("%" PRIu64 " seed%s, from %" PRIu64 " to %" PRIu64
		       ": everything ended as expected\n", count, count == 1 ? "" : "s", first,
		       first + (count - 1) * step);
	for (; options->tap && seed <= last; seed += step)
		printf("%s %" PRIu64 " - seed %" PRIu64 " # SKIP an earlier seed has failed\n",
		       colour_result(true), (seed - first) / step + 1, seed);
	return status;
}

/* --- the device ----------------------------------------------------------- */

/* A number that decides to which part (--shard) the launches of a file belong. */
static uint64_t path_number(const char *path)
{
	return hash_bytes(HASH_BEGIN, path, strlen(path));
}

/* What all parts of the launches have in common. */
static struct whole whole_of(const struct plan *plan, const struct seeds *seeds)
{
	struct whole whole = { .seeds = *seeds };
	size_t i;

	for (i = 0; i < plan->step_count; i++)
		if (plan->steps[i].kind == STEP_LAUNCH)
			whole_add(&whole, plan->path, plan->steps[i].launch.kernel,
				  plan->steps[i].line);
	return whole;
}

/* No launch and no seed belongs to the part. */
static int run_nothing(const struct run *run)
{
	const struct run_options *options = run->session.options;

	if (!run->silent && options->tap)
		puts("TAP version 13\n1..0 # SKIP no launch belongs to this part");
	else if (!run->silent)
		printf("%s: no launch belongs to part %u of %u\n", run->session.plan->path,
		       options->shard.index, options->shard.count);
	return EXIT_OK;
}

static int run_and_write(struct run *run, struct outputs *outputs)
{
	struct session *s = &run->session;
	int status;

	run->file = results_add_file(&run->results, s->plan->path);
	status = outputs_open(outputs, "launch");
	if (status)
		return status;
	progress_begin(&s->progress);
	if (!shard_has(&s->options->shard, &s->options->seeds, path_number(s->plan->path),
		       &run->first_seed))
		status = run_nothing(run);
	else if (s->options->seeds.last)
		status = run_seeds(run);
	else
		status = run_once(run);
	progress_clear(&s->progress);
	if (status == EXIT_USAGE)
		return status;
	if (outputs_write(outputs, &run->results) || gather_write(s->timeline, "launch"))
		return EXIT_FAILED;
	return status;
}

int plan_run(struct plan *plan, struct run_options *options)
{
	struct run run = {
		.session = { .plan = plan, .options = options, .timeline = &options->timeline },
		.results = {
			.command = "launch",
			.shard = options->shard,
			.whole = whole_of(plan, &options->seeds),
		},
		.silent = outputs_silent(&options->outputs),
	};
	int status, err;

	err = vsm_device_open(options->device, &run.session.device);
	/* A kernel without instructions for the device needs none. */
	if (err && options->device)
		return failed("launch: %s: %s", options->device, strerror(-err));
	run.session.device_error = err;
	if (err)
		run.session.device = NULL;
	catch_signals();
	status = run_and_write(&run, &options->outputs);
	results_free(&run.results);
	vsm_device_close(run.session.device);
	if (caught_signal()) {
		fflush(stdout);
		signal(caught_signal(), SIG_DFL);
		raise(caught_signal());
	}
	return status;
}
