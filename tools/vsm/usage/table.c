// SPDX-License-Identifier: MIT
/* The table of commands: see usage/usage.h. */
#include <stddef.h>

#include "command.h"
#include "device/folder.h"
#include "usage/usage.h"

#define ENDINGS ".html .svg .pftrace .txt .trace"

/* --- options that several commands have ----------------------------------- */

#define JSON_OPTION \
	{ .id = OPT_JSON, .name = "json", \
	  .value = { "FILE", KIND_FILE, ".json", .optional = true }, \
	  .help = "Write the results as JSON. They go to FILE, or to standard output in place\n" \
		  "of everything else." }

#define JUNIT_OPTION \
	{ .id = OPT_JUNIT, .name = "junit", \
	  .value = { "FILE", KIND_FILE, ".xml", .optional = true }, \
	  .help = "Write the results as JUnit XML. They go to FILE, or to standard output in\n" \
		  "place of everything else." }

#define COLOR_OPTION \
	{ .id = OPT_COLOR, .name = "color", .value = { "WHEN", KIND_WORD, "auto always never" }, \
	  .help = "Use colours: auto, always or never. By default only a terminal gets\n" \
		  "colours, unless NO_COLOR is set or TERM is dumb." }

#define TIMELINE_OPTION \
	{ .id = OPT_TIMELINE, .name = "timeline", .value = { "FILE", KIND_FILE, ENDINGS }, \
	  .help = "Record what happens on the device, and write it to FILE. Its ending says\n" \
		  "the format: .html, .svg, .pftrace, .txt or .trace." }

#define VM_OPTION \
	{ .id = OPT_VM, .name = "vm", \
	  .value = { "KERNEL", KIND_TEXT, "6.1 6.12", .optional = true }, \
	  .help = "Run this command in a virtual machine that has the device. It runs the\n" \
		  "first stock kernel, or KERNEL, as vsm-vm takes it. Files that the\n" \
		  "command writes come back." }

#define SHARD_OPTION(text) \
	{ .id = OPT_SHARD, .name = "shard", .value = { "I/N", KIND_TEXT }, .help = text }

#define OUTPUT_OPTION(text, is_required) \
	{ .id = OPT_OUTPUT, .name = "output", .letter = 'o', .required = is_required, \
	  .value = { "OUT", KIND_FILE, ENDINGS }, .help = text }

/* --- options of each command ---------------------------------------------- */

static const struct option_use info_options[] = {
	{ .id = OPT_JSON, .name = "json",
	  .help = "Print an object in JSON, with an array devices." },
	{ }
};

static const struct option_use decode_options[] = {
	{ .id = OPT_LAYOUT, .name = "layout", .value = { "LAYOUT", KIND_WORD, "sm_90 sm_80" },
	  .help = "Layout of the words: sm_90 (Hopper and newer, the default) or sm_80\n"
		  "(Ampere)." },
	{ }
};

static const struct option_use run_options[] = {
	{ .id = OPT_CHECK, .name = "check",
	  .help = "Only parse and verify the files, and print errors on standard error. The\n"
		  "command checks that there is an mbarrier where an operation needs one, that\n"
		  "its address is in a window that the operation can reach, and that arrivals\n"
		  "and bytes balance. It checks only operations whose addresses, counts and\n"
		  "bytes are constants. No device is needed." },
	{ .id = OPT_OBJECTS, .name = "objects",
	  .help = "With --check, also print each mbarrier and its kind. A kind is ordinary,\n"
		  "transaction (it counts bytes) or cluster (another CTA works on it)." },
	{ .id = OPT_NO_LIMIT, .name = "no-limit",
	  .help = "Let mbarrier.try_wait without suspendTimeHint wait until its phase\n"
		  "completes. Without this option, it ends when the time limit of the device\n"
		  "has passed. The device can find a DEADLOCK only if all waits are without a\n"
		  "time limit." },
	{ .id = OPT_JOBS, .name = "jobs", .letter = 'j', .value = { "N", KIND_TEXT },
	  .help = "Run up to N tests at the same time. The results are the same, and come in\n"
		  "the same order. A test that sets the model of the device runs alone." },
	{ .id = OPT_SEED, .name = "seed", .value = { "N", KIND_TEXT },
	  .help = "Run each test in an order that depends only on the seed N. The seed decides\n"
		  "when threads begin an instruction that was started with & or for a range,\n"
		  "when copies complete, and, for root, the order of copies that complete\n"
		  "together." },
	{ .id = OPT_SEEDS, .name = "seeds", .value = { "A..B", KIND_TEXT },
	  .help = "Run each test with each of these seeds, up to the first that fails. That\n"
		  "seed is printed." },
	SHARD_OPTION("Run only the I-th of N parts, such as 2/5. All N parts together run each\n"
		     "test once, or with --seeds each test once with each seed. The order of the\n"
		     "files makes no difference."),
	JSON_OPTION,
	JUNIT_OPTION,
	TIMELINE_OPTION,
	COLOR_OPTION,
	VM_OPTION,
	{ }
};

static const struct option_use launch_options[] = {
	{ .id = OPT_LIST, .name = "list",
	  .help = "Print the kernels of the module, their parameters and what they require, and\n"
		  "run nothing. No device is needed." },
	{ .id = OPT_GRID, .name = "grid", .value = { "X,Y,Z", KIND_TEXT },
	  .help = "CTAs of the grid. Y and Z may be left out, here and below. The default is\n"
		  "what the kernel requires, or 1." },
	{ .id = OPT_BLOCK, .name = "block", .value = { "X,Y,Z", KIND_TEXT },
	  .help = "Threads of each CTA. The default is what the kernel requires, or 1." },
	{ .id = OPT_CLUSTER, .name = "cluster", .value = { "X,Y,Z", KIND_TEXT },
	  .help = "CTAs of each cluster. The default is what the kernel requires, or 1." },
	{ .id = OPT_SMEM, .name = "smem", .value = { "BYTES", KIND_TEXT },
	  .help = "Dynamic shared memory of each CTA. All sizes may end with K, M or G." },
	{ .id = OPT_COOPERATIVE, .name = "cooperative",
	  .help = "Run all CTAs at the same time, so that they can wait for each other\n"
		  "(grid groups of cooperative groups)." },
	{ .id = OPT_ARG, .name = "arg", .value = { "ARGUMENT", KIND_TEXT }, .repeated = true,
	  .help = "The next argument of the kernel. It is a number, a buffer or a tensor map." },
	{ .id = OPT_SEED, .name = "seed", .value = { "N", KIND_TEXT },
	  .help = "Run everything in one thread, in an order that depends only on the seed N." },
	{ .id = OPT_SEEDS, .name = "seeds", .value = { "A..B", KIND_TEXT },
	  .help = "Run everything once for each of these seeds, up to the first that fails.\n"
		  "That seed is printed." },
	SHARD_OPTION("Run only the I-th of N parts, such as 2/5. With --seeds, each seed belongs\n"
		     "to one part. Without it, each file belongs to one part."),
	{ .id = OPT_TIME_LIMIT, .name = "time-limit", .value = { "TIME", KIND_TEXT },
	  .help = "End each launch with a hang report after this time, such as 10s or 500ms." },
	{ .id = OPT_POLICY, .name = "policy", .value = { "POLICY", KIND_WORD, "strict hardware" },
	  .help = "What the device does about misuse: strict or hardware." },
	{ .id = OPT_ENFORCE, .name = "enforce", .value = { "RULE,...", KIND_TEXT },
	  .help = "Enforce these rules, too: BAD_PARITY, PHASE_UNOBSERVED, SHFL_SOURCE,\n"
		  "BARRIER_OVERFLOW." },
	{ .id = OPT_DEVICE, .name = "device", .value = { "PATH", KIND_FILE, "" },
	  .help = "The device. The default is the one with the lowest number." },
	{ .id = OPT_TAP, .name = "tap",
	  .help = "Print results as TAP. There is a test for each launch, or with --seeds for\n"
		  "each seed." },
	JSON_OPTION,
	JUNIT_OPTION,
	TIMELINE_OPTION,
	{ .id = OPT_STATS, .name = "stats",
	  .help = "Print counts of instructions and of calls of the device." },
	COLOR_OPTION,
	VM_OPTION,
	{ }
};

static const struct option_use record_options[] = {
	OUTPUT_OPTION("The file to write, in a format of trace export. The default is\n"
		      "vsm.trace.",
		      false),
	{ .id = OPT_BUFFER, .name = "buffer", .value = { "SIZE", KIND_TEXT },
	  .help = "Size of the kernel's buffer for each processor, such as 64K. The default is\n"
		  "4M. Events that do not fit are lost, the oldest ones first." },
	{ .id = OPT_EVENTS, .name = "events", .value = { "N", KIND_TEXT },
	  .help = "Keep the last N events. The default is 1000000." },
	{ .id = OPT_QUIET, .name = "quiet",
	  .help = "Do not print how many events the trace has." },
	{ .id = OPT_DEVICE, .name = "device", .value = { "N", KIND_TEXT },
	  .help = "Number of the device. The default is the first one." },
	VM_OPTION,
	{ }
};

static const struct option_use export_options[] = {
	OUTPUT_OPTION("The file to write. Its ending says the format.", true),
	{ .id = OPT_FROM, .name = "from", .value = { "TIME", KIND_TEXT },
	  .help = "Begin a picture with this time, since the first event. TIME is a number of\n"
		  "ns, or a number with ns, us, ms or s." },
	{ .id = OPT_TO, .name = "to", .value = { "TIME", KIND_TEXT },
	  .help = "End a picture with this time, since the first event." },
	{ }
};

static const struct option_use ps_options[] = {
	{ .id = OPT_WHY, .name = "why",
	  .help = "Also print what can end each wait. These are the copies in flight, and the\n"
		  "threads that are missing or that may arrive, with what they do now." },
	{ .id = OPT_JSON, .name = "json",
	  .help = "Print an object in JSON, with an array clusters. Each cluster has an array\n"
		  "entries." },
	{ .id = OPT_WATCH, .name = "watch", .letter = 'w',
	  .help = "Print the clusters again and again, on a terminal in the same place." },
	{ .id = OPT_INTERVAL, .name = "interval", .letter = 'd', .value = { "SECONDS", KIND_TEXT },
	  .help = "Seconds between two times, from 0.1 to 3600. The default is 1." },
	{ .id = OPT_ITERATIONS, .name = "iterations", .letter = 'n', .value = { "N", KIND_TEXT },
	  .help = "End after N times." },
	{ }
};

static const struct option_use dump_options[] = {
	{ .id = OPT_JSON, .name = "json",
	  .help = "Print an object in JSON." },
	{ }
};

static const struct option_use list_options[] = {
	{ .id = OPT_JSON, .name = "json",
	  .help = "Print an object in JSON, with an array devices." },
	{ }
};

static const struct option_use merge_options[] = {
	JSON_OPTION,
	JUNIT_OPTION,
	COLOR_OPTION,
	{ }
};

static const struct option_use create_options[] = {
	{ .id = OPT_DISABLED, .name = "disabled",
	  .help = "Do not enable the device. It exists after vsm device set NAME enabled=1." },
	{ }
};

/* --- commands ------------------------------------------------------------- */

#define TRACE_FILE \
	{ "FILE", KIND_FILE, ".trace .txt", "A trace, in its binary or text form." }

static const struct command trace_commands[] = {
	{ .name = "record", .run = command_record, .options = record_options,
	  .summary = "Run a command, and record what happens on the device meanwhile.",
	  .operands = { { "COMMAND", KIND_COMMAND, NULL, "The command, with its arguments.",
			  .repeated = true } },
	  .details =
		  "The command needs the rights of root. It ends with the status of COMMAND.\n" },
	{ .name = "show", .run = command_trace_show,
	  .summary = "Print the events of a trace, one on each line.",
	  .operands = { TRACE_FILE } },
	{ .name = "export", .run = command_trace_export, .options = export_options,
	  .summary = "Write a trace in another format.",
	  .operands = { TRACE_FILE },
	  .details =
		  "OUT ends in .pftrace (Perfetto), .html (a page for browsers), .svg (a\n"
		  "picture), .txt (text form of a trace) or .trace. --from and --to need .svg.\n" },
	{ }
};

static const struct command results_commands[] = {
	{ .name = "merge", .run = command_merge, .options = merge_options,
	  .summary = "Merge the results of the parts of a run, and print them as KTAP.",
	  .operands = { { "FILE", KIND_FILE, ".json",
			  "Results that vsm run or vsm launch has written with --json.",
			  .repeated = true } },
	  .details =
		  "A part of which no FILE has the results counts as a test that failed.\n" },
	{ }
};

#define DEVICE_NAME { "NAME", KIND_DEVICE, NULL, "Name of the device." }

#define DEVICE_FILE \
	{ "FILE", KIND_FILE, ".conf", "A file with a line for each device.", .repeated = true }

static const struct command device_commands[] = {
	{ .name = "list", .run = command_device_list, .options = list_options,
	  .summary = "List the devices, and those that are not enabled.",
	  .details =
		  "The state of a device is on, off (not enabled) or unbound (it has no\n"
		  "driver).\n" },
	{ .name = "create", .run = command_device_create, .options = create_options,
	  .summary = "Make a device, and print its render node.",
	  .operands = { { "NAME", KIND_TEXT, NULL, "Name of the new device." },
			{ "OPTION=VALUE", KIND_TEXT, PRESET_OPERANDS, "An option, or a preset.",
			  .optional = true, .repeated = true } },
	  .details =
		  "The options are set in this order. vsm device show prints those of a device.\n"
		  "Commas separate names in a list. +NAME and -NAME change a list:\n"
		  "features=-lanes,-drain. A preset stands for times measured on such a\n"
		  "GPU:\n"
		  " " PRESET_OPERANDS "\n"
		  "Needs the rights of root.\n" },
	{ .name = "set", .run = command_device_set,
	  .summary = "Change options of a device.",
	  .operands = { DEVICE_NAME,
			{ "OPTION=VALUE", KIND_TEXT, "enabled=0 enabled=1" PRESET_OPERANDS,
			  "An option, or a preset.", .repeated = true } },
	  .details =
		  "The options are set in this order, up to the first that is refused. enabled=0\n"
		  "unplugs the device, and enabled=1 makes it exist. Needs the rights of root.\n" },
	{ .name = "show", .run = command_device_show,
	  .summary = "Print the options of a device, as create takes them.",
	  .operands = { DEVICE_NAME },
	  .details =
		  "vsm device create NEW $(vsm device show NAME) makes another one like it.\n" },
	{ .name = "remove", .run = command_device_remove,
	  .summary = "Remove devices, also those that are in use.",
	  .operands = { { "NAME", KIND_DEVICE, NULL, "Name of a device.", .repeated = true } },
	  .details =
		  "This is a hot-unplug: programs that use the device get ENODEV.\n"
		  "Needs the rights of root.\n" },
	{ .name = "load", .run = command_device_load,
	  .summary = "Make the devices that files name.",
	  .operands = { DEVICE_FILE },
	  .details =
		  "Each line of a file has the operands of vsm device create: NAME [--disabled]\n"
		  "[OPTION=VALUE]... A word that begins with # starts a comment. - is standard\n"
		  "input. If a device cannot be made, those before it are removed again.\n"
		  "Needs the rights of root.\n" },
	{ .name = "unload", .run = command_device_unload,
	  .summary = "Remove the devices that files name.",
	  .operands = { DEVICE_FILE },
	  .details =
		  "The files are those of vsm device load. A device that does not exist is left\n"
		  "out. This is a hot-unplug, as with vsm device remove. Needs the rights of\n"
		  "root.\n" },
	{ }
};

static const struct command commands[] = {
	{ .name = "info", .run = command_info, .options = info_options,
	  .summary = "List the vsm devices and what they can do." },
	{ .name = "decode", .run = command_decode, .options = decode_options,
	  .summary = "Show the fields of mbarrier words or of state tokens.",
	  .operands = { { "WORD", KIND_TEXT, NULL, "A word: decimal, or hexadecimal after 0x.",
			  .repeated = true } } },
	{ .name = "run", .run = command_run, .options = run_options,
	  .summary = "Run scenario files and print the results as KTAP, JSON or JUnit XML.",
	  .operands = { { "FILE[:TEST]", KIND_FILE, ".vsm",
			  "A scenario file, or one test of it. A folder stands for all files *.vsm\n"
			  "below it, and - for standard input.", .repeated = true } } },
	{ .name = "launch", .run = command_launch, .options = launch_options,
	  .summary = "Run kernels of a PTX module, as the options or a launch file say.",
	  .operands = { { "FILE", KIND_FILE, ".launch .ptx",
			  "A launch file, a PTX module, or - for standard input." },
			{ "KERNEL", KIND_TEXT, NULL,
			  "Kernel of the PTX module. It may be left out if there is only one.",
			  .optional = true } },
	  .details =
		  "A launch file says itself what --grid, --block, --cluster, --smem,\n"
		  "--cooperative and --arg say.\n"
		  "ARGUMENT is one of:\n"
		  "  i32:8, f32:1.5, ...                a number\n"
		  "  buf:SIZE[:FILL][:in=FILE][:out=FILE][:print=N[,TYPE]]\n"
		  "                                     a new buffer; FILL is zero, iota, iotaf,\n"
		  "                                     random[=SEED] or randomf[=SEED]\n"
		  "  tensor:TYPE:dims=N,...:box=N,...   a tensor map; man vsm lists other keys\n" },
	{ .name = "results", .commands = results_commands,
	  .summary = "Work with the results of vsm run and vsm launch." },
	{ .name = "ops", .run = command_ops,
	  .summary = "Say what operations there are, in PTX, NVVM, machine code and libvsm.",
	  .operands = { { "NAME", KIND_TEXT, NULL, "Print only operations with NAME in a name.",
			  .optional = true } } },
	{ .name = "trace", .commands = trace_commands,
	  .summary = "Record and show what happens on the device." },
	{ .name = "ps", .run = command_ps, .options = ps_options,
	  .summary = "Say who waits for what in running programs.",
	  .operands = { { "CLUSTER", KIND_TEXT, NULL, "Print only the cluster with this number.",
			  .optional = true } } },
	{ .name = "dump", .run = command_dump, .options = dump_options,
	  .summary = "Print a dump that the device has made of a failure.",
	  .operands = { { "FILE", KIND_FILE, "", "The dump, or - for standard input." } } },
	{ .name = "device", .commands = device_commands,
	  .summary = "List, make, change and remove devices." },
	{ .name = "help", .run = command_help,
	  .summary = "Print this text, or the help of a command.",
	  .operands = { { "COMMAND", KIND_SUBCOMMAND, NULL, "A command, such as trace record.",
			  .optional = true, .repeated = true } } },
	{ .name = "fill", .run = command_fill, .hidden = true,
	  .summary = "Put what this table says into the file on standard input." },
	{ }
};

const struct command vsm_commands = {
	.name = "vsm",
	.summary = "The command line of vsm, an accelerator without hardware.",
	.commands = commands,
	.details =
		  "vsm --version prints the version.\n"
		   "Exit status: 0; 1 if it failed; 2 if it was called wrongly.\n",
};
