// SPDX-License-Identifier: MIT
/* vsm: finds the command that the user named, and calls its function. */
#include <stdio.h>
#include <string.h>
#include <vsm.h>

#include "base.h"
#include "usage/args.h"
#include "usage/usage.h"

static int run(int argc, char **argv)
{
	struct args args;
	int status;

	if (argc > 1 && !strcmp(argv[1], "--version")) {
		puts("vsm " VSM_VERSION);
		return EXIT_OK;
	}
	args_begin(&args, &vsm_commands, argc, argv);
	status = args.ended ? args.status : args.command->run(&args);
	args_free(&args);
	return status;
}

int main(int argc, char **argv)
{
	int status = run(argc, argv);

	if (fflush(stdout) || ferror(stdout))
		return failed("cannot write standard output");
	return status;
}
