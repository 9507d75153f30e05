// SPDX-License-Identifier: MIT
/*
 * Measures one tile of a pipeline of bulk copies in PTX, which libvsm-ptx runs in one thread of the
 * host.
 *
 * The figures are differences of a long and a short run, so that they do not contain the beginning
 * and the end of the kernel.
 */
#include <sys/resource.h>

#include "device.h"
#include "kernel.h"
#include "pipeline.h"
#include "report.h"

#define THREADS		384
#define STAGES		4
#define TILE		4096		/* bytes */
#define SHORT		32		/* tiles */
#define LONG		544

struct params {
	uint64_t in, out;
	uint32_t tiles, stages;
};

/*
 * @did: What the kernel did
 * @took: Nanoseconds, or instructions
 * @user: Those in the library. The kernel divides the time of the program by what it sees at each
 *	tick, and so @user and @system are less exact than @took.
 * @system: Those in system calls
 */
struct cost {
	struct vsm_ptx_result did;
	double took, user, system;
};

static double ns_of(struct timeval time)
{
	return time.tv_sec * 1e9 + time.tv_usec * 1e3;
}

static struct cost run_tiles(struct kernel *kernel, struct params *params, uint32_t tiles)
{
	static const struct vsm_ptx_config config = {
		.block = { THREADS },
		.smem_bytes = STAGES * TILE,
		.host_threads = 1,
	};
	struct rusage before, after;
	struct cost cost;
	double start;

	params->tiles = tiles;
	getrusage(RUSAGE_SELF, &before);
	start = now();
	cost.did = run_kernel(kernel, &config, params, sizeof(*params));
	cost.took = now() - start;
	getrusage(RUSAGE_SELF, &after);
	cost.user = ns_of(after.ru_utime) - ns_of(before.ru_utime);
	cost.system = ns_of(after.ru_stime) - ns_of(before.ru_stime);
	return cost;
}

static double per_tile(double many, double few)
{
	return (many - few) / (LONG - SHORT);
}

void pipeline_rows(const char *path)
{
	struct kernel kernel = open_kernel(device, path, "specialised");
	struct params params = {
		.in = kernel_memory(&kernel, LONG * TILE),
		.out = kernel_memory(&kernel, LONG * TILE / 4),
		.stages = STAGES,
	};
	struct cost few, many;

	/* The first run also makes the kernel map the pages. */
	run_tiles(&kernel, &params, LONG);
	few = run_tiles(&kernel, &params, SHORT);
	many = run_tiles(&kernel, &params, LONG);
	print_detail("tile of a pipeline in PTX", per_tile(many.took, few.took));
	print_detail("of it in the library, roughly", per_tile(many.user, few.user));
	print_detail("of it in system calls, roughly", per_tile(many.system, few.system));
	print_detail("its instructions of threads in PTX",
		     per_tile(many.did.thread_insns, few.did.thread_insns));
	print_detail("its instructions of warps in PTX",
		     per_tile(many.did.warp_insns, few.did.warp_insns));
	print_detail("its calls of the device",
		     per_tile(many.did.device_calls, few.did.device_calls));
	close_kernel(&kernel);
}
