// SPDX-License-Identifier: MIT
/* vsm launch: runs kernels of PTX modules, as the command line or a launch file says. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "colour.h"
#include "command.h"
#include "launch/plan.h"
#include "launch/session.h"
#include "results/output.h"
#include "shard.h"
#include "vm.h"

/* --- --list --------------------------------------------------------------- */

#define WIDTH 9

static void print_dimensions(const char *name, const char *what, const uint32_t dimensions[3])
{
	if (dimensions[0])
		print_field(WIDTH, name, "%s%u,%u,%u", what, dimensions[0], dimensions[1] ?: 1,
			    dimensions[2] ?: 1);
}

static void print_param(unsigned int number, const struct vsm_ptx_param *param)
{
	char name[16];

	snprintf(name, sizeof(name), "arg %u", number);
	print_field(WIDTH, name, "%-4s %4u byte%s %s", param->type, param->size,
		    param->size == 1 ? ", " : "s,", param->name);
}

static void print_kernel(struct vsm_ptx_module *module, uint32_t index)
{
	struct vsm_ptx_kernel kernel;
	char *reasons;
	struct vsm_ptx_param param;
	uint32_t i;

	if (vsm_ptx_kernel_info(module, index, &kernel))
		return;
	puts(kernel.name);
	for (i = 0; !vsm_ptx_kernel_param(module, index, i, &param); i++)
		print_param(i + 1, &param);
	if (kernel.smem_bytes || kernel.dynamic_smem)
		print_field(WIDTH, "smem", "%u bytes%s", kernel.smem_bytes,
			    kernel.dynamic_smem ? ", and dynamic shared memory" : "");
	print_dimensions("block", "", kernel.reqntid);
	print_dimensions("block", "up to ", kernel.maxntid);
	print_dimensions("cluster", "", kernel.reqnctapercluster);
	vsm_ptx_kernel_check(module, index, &reasons);
	if (reasons)
		print_field(WIDTH, "refused", "%.*s", (int)strcspn(reasons, "\n"), reasons);
	free(reasons);
}

/* Prints the kernels of the plan's module. Returns the exit status. */
static int plan_list(const struct plan *plan)
{
	struct vsm_ptx_context *context;
	struct vsm_ptx_module *module = NULL;
	char *messages = NULL;
	int status = EXIT_OK, err;
	uint32_t i;

	err = vsm_ptx_context_create(NULL, &context);
	if (err)
		return failed("launch: %s", strerror(-err));
	err = vsm_ptx_module_load(context, plan->module, plan->text, plan->text_size, &module,
				  &messages);
	if (err == -EINVAL) {
		fputs(messages ?: "", stderr);
		status = EXIT_USAGE;
	} else if (err) {
		status = failed("launch: %s: %s", plan->module, strerror(-err));
	} else {
		for (i = 0; i < vsm_ptx_kernel_count(module); i++)
			print_kernel(module, i);
	}
	free(messages);
	vsm_ptx_module_unload(module);
	vsm_ptx_context_destroy(context);
	return status;
}

/* --- what steps print ----------------------------------------------------- */

/* What the steps of a session print */
struct capture {
	char *text;
	size_t size;	/* bytes of @text */
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

/* A run of a plan */
struct run {
	struct session session;	/* session, of which there is one after the other for each seed */
	struct results results;		/* results of the launches */
	struct result_file *file;	/* the only file in @results */
	bool silent;			/* standard output is only for results */
	uint64_t first_seed;		/* the first of several seeds */
	/* What the last launch and the outputs after it have printed, for its result */
	char *text;
	size_t text_size;		/* bytes of @text */
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

/* Runs the plan. Returns the exit status. If a signal has ended a launch, dies of the signal. */
static int plan_run(struct plan *plan, struct run_options *options)
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

/* --- the command ---------------------------------------------------------- */

/* Larger files are refused, because files like /dev/zero have no end. */
#define MAX_FILE (256 << 20)

/* Greatest number of arguments of a kernel on the command line. */
#define MAX_ARGS 256

/* What the command line says */
struct command_line {
	const char *path;		/* launch file or PTX file */
	const char *kernel;		/* kernel, or NULL */
	struct vsm_ptx_config config;	/* configuration of the launch of a PTX file */
	const char *launch_option;	/* an option that a launch file does not allow, or NULL */
	const char *args[MAX_ARGS];	/* values of --arg */
	unsigned int arg_count;		/* number of @args */
	struct run_options run;		/* how to run the plan */
	bool list;			/* --list */
	bool vm;			/* --vm */
	const char *vm_kernel;		/* its value, or NULL */
};

/* --- options -------------------------------------------------------------- */

static bool parse_value(struct cursor *c, enum option_id option, struct command_line *line)
{
	struct vsm_ptx_config *config = &line->config;
	uint64_t smem;

	switch (option) {
	case OPT_GRID:
		return need_dimensions(c, "grid", config->grid);
	case OPT_BLOCK:
		return need_dimensions(c, "block", config->block);
	case OPT_CLUSTER:
		return need_dimensions(c, "cluster", config->cluster);
	case OPT_SMEM:
		if (!need_bytes(c, "smem", UINT32_MAX, &smem))
			return false;
		config->smem_bytes = smem;
		return true;
	case OPT_ENFORCE:
		return need_rules(c, &line->run.enforce);
	default:
		return need_time(c, "a time limit", &line->run.time_limit_ns);
	}
}

/* Parses the value of an option. Errors are written to standard error. */
static int parse_option(const char *name, const struct args *args, struct command_line *line)
{
	const char *value = args->value;
	struct errors errors = { .out = stderr };
	struct cursor c = {
		.errors = &errors,
		.start = value,
		.at = value,
		.end = value + strlen(value),
	};
	bool good;
	char *path;

	if (asprintf(&path, "vsm: launch: --%s %s", name, value) < 0)
		must(NULL);
	errors.path = path;
	good = parse_value(&c, args->option, line) && need_end(&c);
	free(path);
	return good ? EXIT_OK : EXIT_USAGE;
}

static int take_option(struct command_line *line, const struct args *args)
{
	switch (args->option) {
	case OPT_DEVICE:
		line->run.device = args->value;
		break;
	case OPT_TAP:
		line->run.tap = true;
		break;
	case OPT_JSON:
		outputs_take(&line->run.outputs, FORMAT_JSON, args->value);
		break;
	case OPT_JUNIT:
		outputs_take(&line->run.outputs, FORMAT_JUNIT, args->value);
		break;
	case OPT_COLOR:
		colour_option(args->choice);
		break;
	case OPT_POLICY:
		line->run.policy_given = true;
		line->run.policy = args->choice ? DRM_VSM_POLICY_HARDWARE : DRM_VSM_POLICY_STRICT;
		break;
	case OPT_SEED:
		return seed_option("launch", args->value, &line->run.seeds);
	case OPT_SEEDS:
		return seeds_option("launch", args->value, &line->run.seeds);
	case OPT_SHARD:
		return shard_option("launch", args->value, &line->run.shard);
	case OPT_TIMELINE:
		return gather_option(&line->run.timeline, "launch", args->value);
	case OPT_STATS:
		line->run.stats = true;
		break;
	case OPT_LIST:
		line->list = true;
		break;
	case OPT_VM:
		line->vm = !vm_inside();
		line->vm_kernel = args->value;
		break;
	case OPT_ENFORCE:
		return parse_option("enforce", args, line);
	case OPT_TIME_LIMIT:
		return parse_option("time-limit", args, line);
	case OPT_COOPERATIVE:
		line->launch_option = "cooperative";
		line->config.cooperative = true;
		break;
	case OPT_ARG:
		line->launch_option = "arg";
		if (line->arg_count == MAX_ARGS)
			return misused("launch: more than %u arguments", MAX_ARGS);
		line->args[line->arg_count++] = args->value;
		break;
	default:
		line->launch_option = args->option == OPT_GRID ? "grid" :
				      args->option == OPT_BLOCK ? "block" :
				      args->option == OPT_CLUSTER ? "cluster" : "smem";
		return parse_option(line->launch_option, args, line);
	}
	return EXIT_OK;
}

static int parse_command_line(struct command_line *line, struct args *args)
{
	int status;

	while (args_next(args)) {
		status = take_option(line, args);
		if (status)
			return status;
	}
	if (args->ended)
		return args->status;
	line->path = args->operands[0];
	if (args->count > 1)
		line->kernel = args->operands[1];
	return outputs_check(&line->run.outputs, "launch", line->run.tap ? "--tap" : NULL);
}

/* --- plans ---------------------------------------------------------------- */

static int read_module(struct plan *plan)
{
	if (!plan->text)
		plan->text = file_read_or_input(plan->module, MAX_FILE, &plan->text_size);
	return plan->text ? EXIT_OK : misused("launch: %s: %s", plan->module, strerror(errno));
}

/* Makes a plan of the command line. */
static int plan_command_line(struct plan *plan, const struct command_line *line)
{
	struct plan_launch *launch = &plan_add_step(plan, STEP_LAUNCH, 0)->launch;
	unsigned int i;

	launch->config = line->config;
	if (line->kernel)
		launch->kernel = must(strdup(line->kernel));
	for (i = 0; i < line->arg_count; i++)
		if (!parse_option_arg(plan, i + 1, line->args[i]))
			return EXIT_USAGE;
	return EXIT_OK;
}

static int plan_launch_file(struct plan *plan, const struct command_line *line, const char *text,
			    size_t size)
{
	struct errors errors = { .path = plan->path, .out = stderr };

	if (line->kernel || line->launch_option)
		return misused("launch: a launch file says itself what %s%s is",
			       line->kernel ? "the kernel" : "--",
			       line->kernel ? "" : line->launch_option);
	read_launch_file(plan, text, size, &errors);
	return errors.count ? EXIT_USAGE : EXIT_OK;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length >= strlen(end) && !strcmp(text + length - strlen(end), end);
}

/* PTX begins with a comment or a directive, and a launch file with neither. */
static bool is_ptx(const char *text)
{
	text += strspn(text, " \t\r\n");
	return *text == '.' || *text == '/';
}

/* Standard input can be read only once. The command in the virtual machine gets the same text. */
static int repeat_input(const char *text, size_t size)
{
	FILE *file = tmpfile();
	int status = EXIT_OK;

	if (!file || fwrite(text, 1, size, file) != size || fflush(file) ||
	    lseek(fileno(file), 0, SEEK_SET) || dup2(fileno(file), STDIN_FILENO) < 0)
		status = failed("launch: standard input: %s", strerror(errno));
	if (file)
		fclose(file);
	return status;
}

static int make_plan(struct plan *plan, const struct command_line *line)
{
	bool input = !strcmp(line->path, "-");
	size_t size = 0;
	int status;
	char *text;

	if (!input && !ends_with(line->path, ".launch")) {
		plan->module = must(strdup(line->path));
		return plan_command_line(plan, line) ?: read_module(plan);
	}
	text = file_read_or_input(line->path, MAX_FILE, &size);
	if (!text)
		return misused("launch: %s: %s", line->path, strerror(errno));
	if (input && line->vm) {
		status = repeat_input(text, size);
		if (status) {
			free(text);
			return status;
		}
	}
	if (input && is_ptx(text)) {
		plan->module = must(strdup(plan->path));
		plan->text = text;
		plan->text_size = size;
		return plan_command_line(plan, line);
	}
	status = plan_launch_file(plan, line, text, size) ?: read_module(plan);
	free(text);
	return status;
}

/* The files that may come back from a virtual machine. */
static void expect_files(const struct plan *plan, const struct run_options *options)
{
	size_t i;

	for (i = 0; i < plan->step_count; i++) {
		const struct plan_step *step = &plan->steps[i];

		if (step->kind == STEP_OUTPUT && step->output.file)
			vm_expect(step->output.file, i);
	}
	outputs_expect(&options->outputs);
	gather_expect(&options->timeline);
}

int command_launch(struct args *args)
{
	struct command_line line = { };
	struct plan *plan;
	int status;

	status = parse_command_line(&line, args);
	if (status || args->ended)
		return status;
	plan = plan_create(strcmp(line.path, "-") ? line.path : "standard input");
	status = make_plan(plan, &line);
	if (!status && line.list) {
		status = plan_list(plan);
	} else if (!status && line.vm) {
		colour_pass_on();
		expect_files(plan, &line.run);
		status = vm_run(line.vm_kernel, args->argc, args->argv);
	} else if (!status) {
		status = plan_run(plan, &line.run);
	}
	plan_free(plan);
	return status;
}
