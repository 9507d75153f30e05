// SPDX-License-Identifier: MIT
/* Runs kernels in a context without a device. */
#include <stdio.h>

#include "run_kernel.h"

/* An allocation that the machine cannot make is an error, not the end of the test. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

/* The length of the text before the last brace, if that is the end of a function; or 0. */
static size_t before_end(const char *text)
{
	const char *brace = strrchr(text, '}'), *at = brace;

	while (at > text && strchr(" \t\n", at[-1]))
		at--;
	return at > text && strchr(";:}", at[-1]) ? (size_t)(brace - text) : 0;
}

/* Adds the head, and a ret at the end of the last function. */
static char *whole_module(const char *text)
{
	size_t length = before_end(text);
	char *whole;

	assert_true(asprintf(&whole, "%s%.*s%s%s", RUN_HEAD, (int)length, text,
			     length ? "ret; " : "", text + length) > 0);
	return whole;
}

static int load(struct run *run, const char *text, char **messages)
{
	char *whole = whole_module(text);
	int err = vsm_ptx_module_load(run->context, "test.ptx", whole, strlen(whole),
				      &run->module, messages);

	free(whole);
	return err;
}

void run_load(struct run *run, const char *text)
{
	char *messages = NULL;

	vsm_ptx_module_unload(run->module);
	run->module = NULL;
	memset(run->words, 0, RUN_WORDS * sizeof(*run->words));
	run->printed[0] = 0;
	if (load(run, text, &messages))
		fail_msg("%s\n%s", messages, text);
}

void run_load_fails(struct run *run, const char *text, const char *message)
{
	struct vsm_ptx_module *module = run->module;
	char *messages = NULL;

	assert_int_equal(load(run, text, &messages), -EINVAL);
	run->module = module;
	if (!messages || !strstr(messages, message))
		fail_msg("\"%s\" is not in: %s", message, messages);
	free(messages);
}

void run_open(struct run *run, const char *text)
{
	memset(run, 0, sizeof(*run));
	assert_int_equal(vsm_ptx_context_create(NULL, &run->context), 0);
	assert_int_equal(vsm_ptx_memory_alloc(run->context, RUN_WORDS * sizeof(*run->words),
					      &run->out), 0);
	run->words = vsm_ptx_memory_map(run->context, run->out,
					RUN_WORDS * sizeof(*run->words));
	assert_non_null(run->words);
	if (text)
		run_load(run, text);
}

void run_close(struct run *run)
{
	vsm_ptx_module_unload(run->module);
	vsm_ptx_context_destroy(run->context);
}

static void print(void *data, const char *text, size_t length)
{
	struct run *run = data;
	size_t used = strlen(run->printed);

	assert_true(used + length < sizeof(run->printed));
	memcpy(run->printed + used, text, length);
	run->printed[used + length] = 0;
}

int run_start(struct run *run, const char *kernel, struct vsm_ptx_launch **launch,
	      char **messages)
{
	uint64_t params[9] = { run->out };
	struct vsm_ptx_kernel info;
	uint32_t index;

	memcpy(params + 1, run->params, sizeof(run->params));
	assert_int_equal(vsm_ptx_kernel_find(run->module, kernel, &index), 0);
	assert_int_equal(vsm_ptx_kernel_info(run->module, index, &info), 0);
	run->config.print = print;
	run->config.print_data = run;
	return vsm_ptx_launch(run->module, index, &run->config, params,
			      info.param_size ? 8 * (1 + run->param_count) : 0, launch, messages);
}

void run_kernel(struct run *run, const char *kernel)
{
	struct vsm_ptx_launch *launch;
	char *messages = NULL;

	if (run_start(run, kernel, &launch, &messages))
		fail_msg("%s", messages);
	assert_int_equal(vsm_ptx_launch_wait(launch, VSM_NEVER, &run->result), 0);
	snprintf(run->report, sizeof(run->report), "%s", vsm_ptx_launch_report(launch));
	vsm_ptx_launch_destroy(launch);
}

void run_done(struct run *run, uint32_t threads)
{
	if (threads)
		run->config.block[0] = threads;
	run_kernel(run, "k");
	if (run->result.outcome != VSM_PTX_DONE)
		fail_msg("outcome %d: %s", run->result.outcome, run->report);
	assert_string_equal(run->report, "");
	assert_int_equal(run->result.line, 0);
}

void run_text(struct run *run, const char *text, uint32_t threads)
{
	run_load(run, text);
	run_done(run, threads);
}

void run_fault(struct run *run, const char *text, uint32_t threads, const char *message)
{
	run_load(run, text);
	if (threads)
		run->config.block[0] = threads;
	run_kernel(run, "k");
	if (run->result.outcome != VSM_PTX_FAULT || !strstr(run->report, message))
		fail_msg("outcome %d, \"%s\" is not in: %s", run->result.outcome, message,
			 run->report);
	assert_int_not_equal(run->result.line, 0);
	assert_non_null(strstr(run->report, "kernel k, CTA ("));
	assert_non_null(strstr(run->report, "test.ptx:"));
}

void run_refused(struct run *run, int error, const char *message)
{
	struct vsm_ptx_launch *launch = NULL;
	char *messages = NULL;
	int err = run_start(run, "k", &launch, &messages);

	if (!err)
		vsm_ptx_launch_destroy(launch);
	assert_int_equal(err, error);
	assert_null(launch);
	if (!messages || !strstr(messages, message))
		fail_msg("\"%s\" is not in: %s", message, messages);
	free(messages);
	/* A caller may pass no place for the messages. */
	assert_int_equal(run_start(run, "k", &launch, NULL), error);
}
