// SPDX-License-Identifier: MIT
/*
 * vsm-bench-scale: what operations of vsm cost beside other tasks, and with larger sizes.
 *
 *	vsm-bench-scale --shared	cache lines that two tasks share, on two processors
 *	vsm-bench-scale [--few]		costs against sizes
 *
 * tools/bench/scaling runs it with the plugin that counts (../count/plugin.c). Without the plugin,
 * the program prints only nanoseconds, which are instructions if the guest counts those.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "shared.h"
#include "sizes.h"

int main(int argc, char **argv)
{
	const char *option = argc > 1 ? argv[1] : "";

	if (argc == 2 && !strcmp(option, "--shared")) {
		shared_rows();
	} else if (argc == 1 || (argc == 2 && !strcmp(option, "--few"))) {
		size_rows(argc == 2);
	} else {
		fprintf(stderr, "usage: vsm-bench-scale [--shared | --few]\n");
		return 1;
	}
	return 0;
}
