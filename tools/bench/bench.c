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

#include "copy.h"
#include "many_waits.h"
#include "device.h"
#include "exec.h"
#include "pingpong.h"
#include "pipeline.h"
#include "rendezvous.h"
#include "report.h"

#define OTHER_WAITS		100000
#define PIPELINE_MIB		64

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

/* Runs the measurement @what in a cluster with a flight recorder, and returns its result. */
static double recorded(double (*what)(void))
{
	struct vsm_cluster *plain = open_recorded();
	double took = what();

	close_recorded(plain);
	return took;
}

/* Runs the measurement @what while another cluster has a flight recorder. Returns its result. */
static double beside_recorded(double (*what)(void))
{
	struct vsm_cluster *plain = open_recorded(), *other = cluster;
	double took;

	cluster = plain;
	took = what();
	cluster = other;
	close_recorded(plain);
	return took;
}

static void print_table(void)
{
	double one = exec_of_one(), version = exec_version(), stream = exec_of_stream();

	print_head("", "vsm", "peer");
	print_row("EXEC of one arrive / VERSION ioctl", one, version, 0.7, false);
	print_row("an arrive of 64 / VERSION ioctl", stream, version, 0.1, false);
	print_row("an arrive of 64 / EXEC of one", stream, one, 1. / 6, false);
	print_row("32 arrives of a warp / EXEC of one", exec_of_warp(), one, 3, false);
	print_row("an arrive of 64, strict / hardware", stream, unchecked(exec_of_stream), 1.2,
		  false);
	print_row("EXEC of one arrive, strict / hardware", one, unchecked(exec_of_one), 1.25,
		  false);
	print_row("try_wait / futex round trip", ping_pong_mbarrier(), ping_pong_futex(), 1.0,
		  false);
	print_row("wait set / eventfd, poll, round trip", ping_pong_waitset(true),
		  ping_pong_eventfd(true), 1.0, false);
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
	/* These rows are the last ones: a flight recorder has an effect on all of them. */
	print_row("an arrive of 64, others recorded / not", beside_recorded(exec_of_stream), stream,
		  1.1, false);
	print_row("an arrive of 64, recorded / VERSION", recorded(exec_of_stream), version, 0.16,
		  false);
}

static void print_details(void)
{
	exec_details();
	print_detail("arm, arrive, read: no sleep", arm_arrive_read());
	print_detail("wait set without poll, round trip", ping_pong_waitset(false));
	print_detail("eventfd without poll, round trip", ping_pong_eventfd(false));
	print_detail("SUBMIT, a piece of 16 bytes", copy_by_submit_little());
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "detail", no_argument, NULL, 'd' },
		{ "pipeline", required_argument, NULL, 'k' },
		{ "mib", required_argument, NULL, 'm' },
		{ "out", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	struct utsname uts;
	bool detail = false;
	unsigned int mib = PIPELINE_MIB;
	const char *pipeline = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'd':
			detail = true;
			break;
		case 'k':
			pipeline = optarg;
			break;
		case 'm':
			mib = atoi(optarg);
			break;
		case 'o':
			report_open(optarg);
			break;
		default:
			fprintf(option == 'h' ? stdout : stderr,
				"usage: vsm-bench [--detail] [--out FILE]\n"
				"       vsm-bench --pipeline PTX [--mib N] [--out FILE]\n");
			return option != 'h';
		}
	}
	if (mib < 1 || mib > 1024) {
		fprintf(stderr, "vsm-bench: --mib takes 1 to 1024\n");
		return 1;
	}

	open_device();
	uname(&uts);
	printf("Linux %s, nanoseconds (instructions, where those are counted)\n", uts.release);
	if (pipeline)
		pipeline_rows(pipeline, mib);
	else
		print_table();
	if (detail)
		print_details();
	report_close();
	close_device();
	return 0;
}
