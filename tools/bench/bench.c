// SPDX-License-Identifier: MIT
/*
 * What vsm costs, against peers in the same boot: system calls that do the same.
 *
 * Meant for a guest whose instructions are counted (tools/vm/run --icount):
 * there a nanosecond is an instruction and the figures are the same every time.
 * Set-up goes through libvsm, what is measured calls the kernel by itself.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "bench.h"

#define COUNT		((1 << 20) - 1)	/* of an mbarrier whose phase does not complete */
#define CROWD		10000
#define WINDOW		(227 << 10)
#define THREADS		256		/* 8 warps */

struct vsm_cluster *cluster;
struct vsm_buffer *buffer;
int fd;

static struct vsm_device *device;
static struct vsm_cluster *hardware;	/* as cluster, in the hardware policy */
static FILE *tsv;

void die(const char *what, int error)
{
	fprintf(stderr, "vsm-bench: %s: %s\n", what, strerror(error));
	exit(1);
}

double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *took)
{
	qsort(took, REPEATS, sizeof(*took), compare);
	return took[REPEATS / 2];
}

/* Nanoseconds per turn of @body(n), which makes n turns. */
double measure(void (*body)(unsigned int n), unsigned int n)
{
	double took[REPEATS];
	int i;

	body(n / 4 + 1);
	for (i = 0; i < REPEATS; i++) {
		double start = now();

		body(n);
		took[i] = (now() - start) / n;
	}
	return median(took);
}

static void print_row(const char *what, double ours, double peer, double target, bool at_least)
{
	double ratio = at_least ? peer / ours : ours / peer;
	bool pass = at_least ? ratio >= target : ratio <= target;

	printf("%-38s %10.0f %10.0f %8.3f  %s %-6.3g %s\n", what, ours, peer, ratio,
	       at_least ? ">=" : "<=", target, pass ? "PASS" : "over");
	fflush(stdout);
	if (tsv)
		fprintf(tsv, "%s\t%.1f\t%.1f\t%.4f\t%s\t%.4g\t%s\n", what, ours, peer, ratio,
			at_least ? "min" : "max", target, pass ? "pass" : "over");
}

void print_detail(const char *what, double ours)
{
	printf("  %-36s %10.0f\n", what, ours);
	fflush(stdout);
	if (tsv)
		fprintf(tsv, "%s\t%.1f\t\t\t\t\t\n", what, ours);
}

/* The same in the hardware policy. */
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

	printf("%-38s %10s %10s %8s  %-9s\n", "", "vsm", "peer", "ratio", "target");
	print_row("EXEC of one arrive / VERSION ioctl", one, version, 1.2, false);
	/* A sixth of what one may cost, and a sixth of what it does cost, which is less. */
	print_row("an arrive of 64 / VERSION ioctl", stream, version, 1.2 / 6, false);
	print_row("an arrive of 64 / EXEC of one", stream, one, 1. / 6, false);
	print_row("an arrive of 64, strict / hardware", stream, unchecked(exec_of_stream), 1.25,
		  false);
	print_row("EXEC of one arrive, strict / hardware", one, unchecked(exec_of_one), 1.25,
		  false);
	print_row("try_wait / futex round trip", ping_pong_mbarrier(), ping_pong_futex(), 1.0,
		  false);
	print_row("wait set / eventfd, poll, round trip", ping_pong_waitset(true),
		  ping_pong_eventfd(true), 1.3, false);
	print_row("match.sync of 32 tasks / pthread_barrier", meet_by_match(32),
		  meet_by_pthread(32), 1.5, false);
	print_row("barrier of 8 warps / pthread_barrier", meet_by_barrier(8), meet_by_pthread(8),
		  1.2, false);
	print_row("64 MiB by SUBMIT / memcpy, 32 KiB", copy_by_submit(), copy_by_memcpy(), 0.95,
		  true);
	print_row("a 1 KiB copy of 64 / memcpy + arrive", copy_stream(), memcpy_stream() + stream,
		  2.5, false);
	print_row("complete 1 wait, 10000 others / none", complete_in_crowd(CROWD),
		  complete_in_crowd(0), 1.1, false);
}

/* Wall time: for a machine with two CPUs and nothing else to do. */
static void print_parallel(void)
{
	double one, pair;

	copy_by_two_clients(&one, &pair);
	printf("%-38s %10s %10s %8s  %-9s\n", "", "of two", "alone", "ratio", "target");
	print_row("2 GiB of a client, of two / alone", pair, one, 1.7, true);
}

static void print_details(void)
{
	exec_details();
	print_detail("arm, arrive, read: no sleep", arm_arrive_read());
	print_detail("wait set without poll, round trip", ping_pong_waitset(false));
	print_detail("eventfd without poll, round trip", ping_pong_eventfd(false));
	print_detail("SUBMIT, a piece of 16 bytes", copy_by_submit_little());
}

void init_mbar(unsigned int mbar, uint32_t count)
{
	struct vsm_thread thread = vsm_thread_at(cluster, 0, 0);
	int ret;

	vsm_thread_mbarrier_inval(&thread, MBAR(mbar), 0);
	ret = vsm_thread_mbarrier_init(&thread, MBAR(mbar), count, 0);
	if (ret)
		die("mbarrier.init", -ret);
}

int open_waitset(void)
{
	struct drm_vsm_waitset_create create = {
		.record_stride = sizeof(struct drm_vsm_wait_record),
	};

	call(DRM_IOCTL_VSM_WAITSET_CREATE, &create, "WAITSET_CREATE");
	return create.fd;
}

static struct vsm_cluster *create_cluster(enum drm_vsm_policy policy)
{
	struct vsm_cluster_config config = {
		.ctas = 1,
		.threads = THREADS,
		.smem_bytes = WINDOW,
		.layout = VSM_LAYOUT_SM_90,
		.policy = policy,
	};
	struct vsm_cluster *created;
	int ret;

	ret = vsm_cluster_create(device, &config, &created);
	if (ret)
		die("vsm_cluster_create", -ret);
	memset(vsm_cluster_window(created, 0), 0, WINDOW);
	return created;
}

static void set_up(void)
{
	int ret;

	ret = vsm_device_open(NULL, &device);
	if (ret)
		die("no vsm device", -ret);
	fd = vsm_device_fd(device);
	ret = vsm_buffer_create(device, (uint64_t)PIECES * PIECE, &buffer);
	if (ret)
		die("vsm_buffer_create", -ret);
	memset(vsm_buffer_map(buffer), 0x5a, (size_t)PIECES * PIECE);
	cluster = create_cluster(DRM_VSM_POLICY_HARDWARE);
	init_mbar(STILL, COUNT);
	hardware = cluster;
	cluster = create_cluster(DRM_VSM_POLICY_STRICT);
	init_mbar(STILL, COUNT);
	init_mbar(COPIED, 1);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "detail", no_argument, NULL, 'd' },
		{ "parallel", no_argument, NULL, 'p' },
		{ "out", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	struct utsname uts;
	bool detail = false, parallel = false;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'd':
			detail = true;
			break;
		case 'p':
			parallel = true;
			break;
		case 'o':
			tsv = fopen(optarg, "w");
			if (!tsv)
				die(optarg, errno);
			break;
		default:
			fprintf(option == 'h' ? stdout : stderr,
				"usage: vsm-bench [--detail | --parallel] [--out FILE]\n");
			return option != 'h';
		}
	}

	set_up();
	uname(&uts);
	printf("Linux %s, nanoseconds (instructions, where those are counted)\n", uts.release);
	if (parallel)
		print_parallel();
	else
		print_table();
	if (detail)
		print_details();
	if (tsv && fclose(tsv))
		die("--out", errno);
	vsm_buffer_destroy(buffer);
	vsm_cluster_destroy(cluster);
	vsm_cluster_destroy(hardware);
	vsm_device_close(device);
	return 0;
}
