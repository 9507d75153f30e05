// SPDX-License-Identifier: MIT
/*
 * vsm-bench-ptx: how many instructions of threads libvsm-ptx executes in a second, in one thread of
 * the host. The kernels need no device.
 *
 * Only the time counts in which a processor runs this program: other load disturbs the figures
 * little. The program gets the path of bench/alu.ptx.
 */
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include "kernel.h"
#include "measure.h"
#include "report.h"

#define THREADS	256
#define RUNS	5		/* the best counts: other load only makes a run slower */
#define FIRST	20000		/* turns of the run that says how many turns take LENGTH */
#define LENGTH	0.3e9		/* nanoseconds */
#define TARGET	50e6

/* Millions: the figures are printed without decimals. */
#define UNIT	1e6

struct params {
	uint64_t out;
	uint32_t turns;
};

/* Without the bytes that C adds at the end. */
#define PARAMS_SIZE	(offsetof(struct params, turns) + sizeof(uint32_t))

/* The nanoseconds in which a processor has run this program. */
static double busy(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/*
 * Runs @turns turns, and sets @took to the nanoseconds. Returns the instructions of threads in a
 * second.
 */
static double rate_of(struct kernel *kernel, struct params *params, uint32_t turns, double *took)
{
	static const struct vsm_ptx_config config = {
		.block = { THREADS },
		.host_threads = 1,
	};
	struct vsm_ptx_result result;
	double start = busy();

	params->turns = turns;
	result = run_kernel(kernel, &config, params, PARAMS_SIZE);
	*took = busy() - start;
	return result.thread_insns / (*took / 1e9);
}

static void rate_row(const char *what, const char *path, const char *name)
{
	struct kernel kernel = open_kernel(NULL, path, name);
	struct params params = { .out = kernel_memory(&kernel, THREADS * 4) };
	double best = 0, rate, took;
	uint32_t turns;
	int i;

	rate_of(&kernel, &params, FIRST, &took);
	turns = FIRST * (LENGTH / took) + 1;
	for (i = 0; i < RUNS; i++) {
		rate = rate_of(&kernel, &params, turns, &took);
		if (rate > best)
			best = rate;
	}
	print_rate(what, best / UNIT, TARGET / UNIT);
	close_kernel(&kernel);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: vsm-bench-ptx FILE\n");
		return 1;
	}
	print_head("native, 1000000 thread insns a second", "vsm", "aim");
	rate_row("PTX, a loop of integers / aim", argv[1], "integers");
	rate_row("PTX, a loop of f32 fma / aim", argv[1], "floats");
	rate_row("PTX, a loop in shared memory / aim", argv[1], "shared");
	return 0;
}
