// SPDX-License-Identifier: MIT
/*
 * vsm-bench: the cost of vsm's system calls, compared with other system calls that do the same
 * work.
 *
 * Run it in a virtual machine that counts instructions (tools/vm/run --icount). One nanosecond is
 * then one instruction, and every run gives the same figures. libvsm creates the objects; the
 * measured calls go to the kernel directly.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "device.h"
#include "rows.h"

#define OTHER_WAITS	100000

/* Runs the measurement @what in the cluster of the hardware policy, and returns its result. */
static double unchecked(double (*what)(void))
{
	struct vsm_cluster *strict = cluster;
	double took;

	cluster = hardware;
	took = what();
	cluster = strict;
	return took;
}

static void print_table(void)
{
	double one = exec_of_one(), version = exec_version(), stream = exec_of_stream();

	print_head("", "vsm", "peer");
	print_row("EXEC of one arrive / VERSION ioctl", one, version, 1.4, false);
	print_row("an arrive of 64 / VERSION ioctl", stream, version, 0.25, false);
	print_row("an arrive of 64, strict / hardware", stream, unchecked(exec_of_stream), 1.2,
		  false);
	print_row("try_wait / futex round trip", ping_pong_mbarrier(), ping_pong_futex(), 1.0,
		  false);
	print_row("wait set / eventfd, poll, round trip", ping_pong_waitset(),
		  ping_pong_eventfd(), 1.0, false);
	print_row("match.sync of 32 tasks / pthread_barrier", phase_of_match(32),
		  phase_of_pthread(32), 1.0, false);
	print_row("barrier of 8 warps / pthread_barrier", phase_of_barrier(8), phase_of_pthread(8),
		  1.0, false);
	print_row("64 MiB by SUBMIT / memcpy, 32 KiB", copy_by_submit(), copy_by_memcpy(), 0.95,
		  true);
	print_row("a 1 KiB copy of 64 / memcpy + arrive", copy_stream(), memcpy_stream() + stream,
		  2.5, false);
	print_row("complete 1 wait, 100000 others / none", complete_among(OTHER_WAITS),
		  complete_among(0), 1.1, false);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "out", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	struct utsname uts;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'o') {
			report_open(optarg);
			continue;
		}
		fprintf(option == 'h' ? stdout : stderr, "usage: vsm-bench [--out FILE]\n");
		return option != 'h';
	}

	open_device();
	uname(&uts);
	printf("Linux %s, nanoseconds (instructions, where those are counted)\n", uts.release);
	print_table();
	report_close();
	close_device();
	return 0;
}
