// SPDX-License-Identifier: MIT
/*
 * vsm: finds the command that the user named, and calls its function.
 */
#include <stdio.h>
#include <string.h>
#include <vsm.h>

#include "base.h"
#include "command.h"

static int command_help(int argc, char **argv);

static const struct command {
	const char *name;
	const char *operands;
	const char *summary;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "info", "[--json]", "list the vsm devices and what they can do", command_info },
	{ "decode", "[--layout sm_80|sm_90] WORD...", "show the fields of words or state tokens",
	  command_decode },
	{ "run", "[--check [--objects]] [--no-limit] [--seed N | --seeds A..B]\n"
	  "          [--json[=FILE]] [--junit[=FILE]] [--color=WHEN] [--timeline=FILE]\n"
	  "          [--vm[=KERNEL]] FILE[:TEST]...",
	  "run scenario files and print the results as KTAP, JSON or JUnit XML",
	  command_run },
	{ "launch", "[OPTION...] FILE.launch | FILE.ptx [KERNEL] [--arg ARGUMENT]...",
	  "run kernels of a PTX module; try vsm launch --help", command_launch },
	{ "ops", "[NAME]", "say what operations there are, in PTX, NVVM, machine code and libvsm",
	  command_ops },
	{ "trace", "record [-o OUT] -- COMMAND... | show FILE | export FILE -o OUT",
	  "record and show what happens on the device; try vsm trace --help",
	  command_trace },
	{ "ps", "[--why] [--json] [CLUSTER]", "say who waits for what in running programs",
	  command_ps },
	{ "dump", "[--json] FILE", "print a dump that the device has made of a failure",
	  command_dump },
	{ "top", "[-d SECONDS] [-n N] [--batch] [--json] [--color=WHEN]",
	  "show clients, clusters and channels while they run", command_top },
	{ "device", "list | create NAME [OPTION=VALUE]... | set | show | remove",
	  "list, make, change and remove devices; try vsm device --help", command_device },
	{ "help", "", "print this text", command_help },
};

static int command_help(int argc, char **argv)
{
	unsigned int i;

	if (argc > 1)
		return misused("help: takes no operand '%s'", argv[1]);

	puts("usage: vsm COMMAND ...\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		printf("  vsm %s%s%s\n", commands[i].name, *commands[i].operands ? " " : "",
		       commands[i].operands);
		printf("      %s\n", commands[i].summary);
	}
	puts("  vsm --version");
	puts("\nExit status: 0; 1 if it failed; 2 if it was called wrongly.");
	return EXIT_OK;
}

static int run(int argc, char **argv)
{
	unsigned int i;

	if (argc < 2)
		return misused("no command; try 'vsm help'");
	if (!strcmp(argv[1], "--version")) {
		puts("vsm " VSM_VERSION);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		argv[1] = "help";
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	}
	return misused("no command '%s'; try 'vsm help'", argv[1]);
}

int main(int argc, char **argv)
{
	int status = run(argc, argv);

	if (fflush(stdout) || ferror(stdout))
		return failed("cannot write standard output");
	return status;
}
