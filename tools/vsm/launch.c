// SPDX-License-Identifier: MIT
/*
 * vsm launch: runs kernels of PTX modules, as the command line or a launch file says.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "colour.h"
#include "command.h"
#include "launch/list.h"
#include "launch/option.h"
#include "launch/read.h"
#include "launch/run.h"
#include "seeds.h"
#include "vm.h"

/* Larger files are refused, because files like /dev/zero have no end. */
#define MAX_FILE (256 << 20)

/* Greatest number of arguments of a kernel on the command line. */
#define MAX_ARGS 256

/**
 * struct command_line - What the command line says
 * @path: Launch file or PTX file
 * @kernel: Kernel, or NULL
 * @config: Configuration of the launch of a PTX file
 * @launch_option: An option that a launch file does not allow, or NULL
 * @args: Values of --arg
 * @arg_count: Number of @args
 * @run: How to run the plan
 * @list: --list
 * @vm: --vm
 * @vm_kernel: Its value, or NULL
 */
struct command_line {
	const char *path;
	const char *kernel;
	struct vsm_ptx_config config;
	const char *launch_option;
	const char *args[MAX_ARGS];
	unsigned int arg_count;
	struct run_options run;
	bool list;
	bool vm;
	const char *vm_kernel;
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
	case OPT_TIME_LIMIT:
		return parse_option("time-limit", args, line);
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
