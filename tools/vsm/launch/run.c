// SPDX-License-Identifier: MIT
/*
 * Runs plans: all steps once, or for each of several seeds.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "launch/run.h"
#include "launch/session.h"

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

/* --- one session ---------------------------------------------------------- */

static void print_result(const struct session *s, const struct plan_step *step, unsigned int number,
			 bool good, const char *comment)
{
	const struct plan_launch *launch = &step->launch;
	struct vsm_ptx_kernel kernel = { .name = "?" };

	vsm_ptx_kernel_info(s->module, launch->index, &kernel);
	printf("%s %u - %s", good ? "ok" : "not ok", number, s->plan->path);
	if (s->plan->from_file)
		printf(":%u", step->line);
	printf(" %s%s\n", kernel.name, comment);
	fflush(stdout);
}

/* Runs a launch and prints its result as TAP. */
static bool launch_with_result(struct session *s, const struct plan_step *step, unsigned int number)
{
	struct capture capture;
	bool good;

	capture_begin(s, &capture);
	good = session_launch(s, step);
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
 * this launch. With @results prints the result of each launch as TAP.
 */
static bool run_steps(struct session *s, bool results)
{
	const struct plan *plan = s->plan;
	unsigned int number = 0;
	bool good = true, failed = false;
	size_t i;

	for (i = 0; i < plan->step_count && !s->broken && !caught_signal(); i++) {
		const struct plan_step *step = &plan->steps[i];

		if (step->kind == STEP_OUTPUT) {
			good &= results ? output_as_comment(s, step) : session_output(s, step);
			continue;
		}
		if (failed)
			break;
		number++;
		failed = !(results ? launch_with_result(s, step, number) : session_launch(s, step));
		good &= !failed;
	}
	for (; results && i < plan->step_count; i++)
		if (plan->steps[i].kind == STEP_LAUNCH)
			print_result(s, &plan->steps[i], ++number, false, " (did not run)");
	return good && !s->broken && !caught_signal();
}

static int run_once(struct session *s)
{
	int status;

	s->out = stdout;
	s->seed = s->options->seed;
	status = session_begin(s);
	if (!status) {
		if (s->options->tap)
			printf("TAP version 13\n1..%u\n", s->plan->launch_count);
		if (!run_steps(s, s->options->tap))
			status = EXIT_FAILED;
	}
	session_end(s);
	return status;
}

/* --- several seeds -------------------------------------------------------- */

static int run_seed(struct session *s, uint64_t seed)
{
	uint64_t first = s->options->seed;
	struct capture capture = { };
	int status;

	s->seed = seed;
	s->progress.seed = seed;
	capture_begin(s, &capture);
	status = session_begin(s);
	if (!status && !run_steps(s, false))
		status = EXIT_FAILED;
	session_end(s);
	capture_end(s);
	/* A malformed module is no test. */
	if (status == EXIT_USAGE)
		goto out;
	if (s->options->tap && seed == first)
		printf("TAP version 13\n1..%" PRIu64 "\n", s->options->last_seed - first + 1);
	if (status && s->options->tap)
		print_comments(capture.text);
	else if (status)
		printf("seed %" PRIu64 " (--seed %" PRIu64 " repeats it):\n%s", seed, seed,
		       capture.text);
	if (s->options->tap)
		printf("%s %" PRIu64 " - seed %" PRIu64 "\n", status ? "not ok" : "ok",
		       seed - first + 1, seed);
	fflush(stdout);
out:
	free(capture.text);
	return status;
}

static int run_seeds(struct session *s)
{
	uint64_t first = s->options->seed, last = s->options->last_seed, seed;
	int status = EXIT_OK;

	s->progress.last_seed = last;
	for (seed = first; seed <= last && !status; seed++)
		status = run_seed(s, seed);
	if (status == EXIT_USAGE)
		return status;
	if (!s->options->tap && !status)
		printf("%" PRIu64 " seed%s, from %" PRIu64 " to %" PRIu64
		       ": everything ended as expected\n", last - first + 1,
		       first == last ? "" : "s", first, last);
	for (; s->options->tap && seed <= last; seed++)
		printf("ok %" PRIu64 " - seed %" PRIu64 " # SKIP an earlier seed has failed\n",
		       seed - first + 1, seed);
	return status;
}

/* --- the device ----------------------------------------------------------- */

int plan_run(struct plan *plan, const struct run_options *options)
{
	struct session session = { .plan = plan, .options = options };
	int status, err;

	err = vsm_device_open(options->device, &session.device);
	/* A kernel without instructions for the device needs none. */
	if (err && options->device)
		return failed("launch: %s: %s", options->device, strerror(-err));
	session.device_error = err;
	if (err)
		session.device = NULL;
	catch_signals();
	progress_begin(&session.progress);
	status = options->last_seed ? run_seeds(&session) : run_once(&session);
	progress_clear(&session.progress);
	vsm_device_close(session.device);
	if (caught_signal()) {
		fflush(stdout);
		signal(caught_signal(), SIG_DFL);
		raise(caught_signal());
	}
	return status;
}
