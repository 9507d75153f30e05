// SPDX-License-Identifier: MIT
/*
 * vsm launch: runs kernels of PTX modules, as the command line or a launch file says.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "colour.h"
#include "command.h"
#include "file.h"
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

enum {
	OPT_GRID = 1, OPT_BLOCK, OPT_CLUSTER, OPT_SMEM, OPT_ARG, OPT_SEED, OPT_SEEDS, OPT_LIMIT,
	OPT_POLICY, OPT_DEVICE, OPT_TAP, OPT_JSON, OPT_JUNIT, OPT_COLOR, OPT_TIMELINE, OPT_STATS,
	OPT_LIST, OPT_VM, OPT_HELP,
};

static const struct option options[] = {
	{ "grid", required_argument, NULL, OPT_GRID },
	{ "block", required_argument, NULL, OPT_BLOCK },
	{ "cluster", required_argument, NULL, OPT_CLUSTER },
	{ "smem", required_argument, NULL, OPT_SMEM },
	{ "arg", required_argument, NULL, OPT_ARG },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "seeds", required_argument, NULL, OPT_SEEDS },
	{ "time-limit", required_argument, NULL, OPT_LIMIT },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "device", required_argument, NULL, OPT_DEVICE },
	{ "tap", no_argument, NULL, OPT_TAP },
	{ "json", optional_argument, NULL, OPT_JSON },
	{ "junit", optional_argument, NULL, OPT_JUNIT },
	{ "color", required_argument, NULL, OPT_COLOR },
	{ "timeline", required_argument, NULL, OPT_TIMELINE },
	{ "stats", no_argument, NULL, OPT_STATS },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "vm", optional_argument, NULL, OPT_VM },
	{ "help", no_argument, NULL, OPT_HELP },
	{ }
};

static const char help_text[] =
	"usage: vsm launch [OPTION...] FILE.ptx [KERNEL] [--arg ARGUMENT]...\n"
	"       vsm launch [OPTION...] FILE.launch\n"
	"\n"
	"  --list              print the kernels of the module, and run nothing\n"
	"  --seed N            run everything in an order that depends only on N\n"
	"  --seeds A..B        run everything for each seed, up to the first that fails\n"
	"  --time-limit TIME   end each launch after this time, such as 10s or 500ms\n"
	"  --policy POLICY     strict or hardware\n"
	"  --device PATH       the device, if it is not the first one\n"
	"  --tap               print results as TAP\n"
	"  --json[=FILE]       write results as JSON\n"
	"  --junit[=FILE]      write results as JUnit XML\n"
	"  --color WHEN        colours: always, never or auto\n"
	"  --timeline FILE     write what happened on the device: .html, .svg, .pftrace, ...\n"
	"  --stats             print counts of instructions and of calls of the device\n"
	"  --vm[=KERNEL]       run this command in a virtual machine that has the device\n"
	"\n"
	"For a kernel of FILE.ptx:\n"
	"  --grid X,Y,Z        CTAs of the grid\n"
	"  --block X,Y,Z       threads of each CTA\n"
	"  --cluster X,Y,Z     CTAs of each cluster\n"
	"  --smem BYTES        dynamic shared memory of each CTA\n"
	"  --arg ARGUMENT      the next argument of the kernel:\n"
	"      i32:8, f32:1.5, ...                a number\n"
	"      buf:SIZE[:FILL][:in=FILE][:out=FILE][:print=N[,TYPE]]\n"
	"                                         a new buffer; FILL is zero, iota, iotaf,\n"
	"                                         random[=SEED] or randomf[=SEED]\n"
	"      tensor:TYPE:dims=N,...:box=N,...   a tensor map; vsm.1 lists its other keys\n"
	"\n"
	"Sizes may end with K, M or G. FILE may be - for standard input.\n"
	"Exit status: 0; 1 after a fault, a hang or a refusal; 2 if the command line or a file is\n"
	"wrong.\n";

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
 * @help: --help
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
	bool help;
	bool vm;
	const char *vm_kernel;
};

/* --- options -------------------------------------------------------------- */

static bool parse_value(struct cursor *c, int option, struct command_line *line)
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
	case OPT_LIMIT:
		return need_time(c, "a time limit", &line->run.time_limit_ns);
	default:
		line->run.policy_given = true;
		return need_policy(c, &line->run.policy);
	}
}

/* Parses the value of an option. Errors are written to standard error. */
static bool parse_option(const char *name, int option, const char *value, struct command_line *line)
{
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
	good = parse_value(&c, option, line) && need_end(&c);
	free(path);
	return good;
}

static const char *option_name(int option)
{
	unsigned int i;

	for (i = 0; options[i].val != option; i++)
		;
	return options[i].name;
}

static int take_option(struct command_line *line, int option)
{
	switch (option) {
	case OPT_DEVICE:
		line->run.device = optarg;
		break;
	case OPT_TAP:
		line->run.tap = true;
		break;
	case OPT_JSON:
		outputs_take(&line->run.outputs, FORMAT_JSON, optarg);
		break;
	case OPT_JUNIT:
		outputs_take(&line->run.outputs, FORMAT_JUNIT, optarg);
		break;
	case OPT_COLOR:
		return colour_option("launch", optarg);
	case OPT_SEED:
		return seed_option("launch", optarg, &line->run.seeds);
	case OPT_SEEDS:
		return seeds_option("launch", optarg, &line->run.seeds);
	case OPT_TIMELINE:
		return gather_option(&line->run.timeline, "launch", optarg);
	case OPT_STATS:
		line->run.stats = true;
		break;
	case OPT_LIST:
		line->list = true;
		break;
	case OPT_HELP:
		line->help = true;
		break;
	case OPT_VM:
		line->vm = !vm_inside();
		line->vm_kernel = optarg;
		break;
	case OPT_ARG:
		line->launch_option = "arg";
		if (line->arg_count == MAX_ARGS)
			return misused("launch: more than %u arguments", MAX_ARGS);
		line->args[line->arg_count++] = optarg;
		break;
	default:
		if (option <= OPT_SMEM)
			line->launch_option = option_name(option);
		return parse_option(option_name(option), option, optarg, line) ? EXIT_OK
									       : EXIT_USAGE;
	}
	return EXIT_OK;
}

static int parse_command_line(struct command_line *line, int argc, char **argv)
{
	int option, status;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == '?')
			return misused("launch: no option '%s'; try 'vsm launch --help'",
				       argv[optind - 1]);
		if (option == ':')
			return misused("launch: %s needs a value", argv[optind - 1]);
		status = take_option(line, option);
		if (status)
			return status;
	}
	if (line->help)
		return EXIT_OK;
	if (optind == argc)
		return misused("launch: no FILE; try 'vsm launch --help'");
	line->path = argv[optind++];
	if (optind < argc)
		line->kernel = argv[optind++];
	if (optind < argc)
		return misused("launch: runs one kernel, not also '%s'", argv[optind]);
	return outputs_check(&line->run.outputs, "launch", line->run.tap ? "--tap" : NULL);
}

/* --- plans ---------------------------------------------------------------- */

static int read_module(struct plan *plan)
{
	if (!plan->text)
		plan->text = read_file_or_input(plan->module, MAX_FILE, &plan->text_size);
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
	text = read_file_or_input(line->path, MAX_FILE, &size);
	if (!text)
		return misused("launch: %s: %s", line->path, strerror(errno));
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

int command_launch(int argc, char **argv)
{
	/* getopt_long() changes the order of @argv. */
	char **given = must(calloc(argc + 1, sizeof(*given)));
	struct command_line line = { };
	struct plan *plan = NULL;
	int status;

	memcpy(given, argv, argc * sizeof(*given));
	status = parse_command_line(&line, argc, argv);
	if (line.help && !status) {
		fputs(help_text, stdout);
		free(given);
		return EXIT_OK;
	}
	/* A plan from standard input can be read only once. */
	if (!status && (!line.vm || strcmp(line.path, "-"))) {
		plan = plan_create(strcmp(line.path, "-") ? line.path : "standard input");
		status = make_plan(plan, &line);
	}
	if (!status && line.list) {
		status = plan_list(plan);
	} else if (!status && line.vm) {
		colour_pass_on();
		status = vm_run(line.vm_kernel, argc, given);
	} else if (!status) {
		status = plan_run(plan, &line.run);
	}
	plan_free(plan);
	free(given);
	return status;
}
