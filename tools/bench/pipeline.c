// SPDX-License-Identifier: MIT
/*
 * Measures a pipeline of bulk copies in PTX, which libvsm-ptx runs in one thread of the host.
 *
 * The figures are differences of a long and a short run, so that they do not contain the beginning
 * and the end of the kernel.
 */
#include <string.h>
#include <sys/resource.h>

#include "device.h"
#include "kernel.h"
#include "measure.h"
#include "pipeline.h"
#include "report.h"
#include "workers.h"

#define THREADS		384
#define STAGES		4
#define TILE		4096		/* bytes */
#define SHORT		32		/* tiles */

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
 * @copying: Those in the kernel's workers, which execute the copies. The scheduler measures them
 */
struct cost {
	struct vsm_ptx_result did;
	double took, user, system, copying;
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
	cost.copying = workers_ran();
	getrusage(RUSAGE_SELF, &before);
	start = now();
	cost.did = run_kernel(kernel, &config, params, sizeof(*params));
	cost.took = now() - start;
	getrusage(RUSAGE_SELF, &after);
	cost.copying = workers_ran() - cost.copying;
	cost.user = ns_of(after.ru_utime) - ns_of(before.ru_utime);
	cost.system = ns_of(after.ru_stime) - ns_of(before.ru_stime);
	return cost;
}

/* Prints which part of the time is in the library, in system calls and in copying. */
static void print_shares(const struct cost *many, const struct cost *few)
{
	double percent = (many->took - few->took) / 100;

	print_detail("percent of it in the library, roughly", (many->user - few->user) / percent);
	print_detail("percent in system calls, roughly", (many->system - few->system) / percent);
	print_detail("percent in copying", (many->copying - few->copying) / percent);
}

/* Returns the address of @size bytes of device memory. The kernel has mapped all of its pages. */
static uint64_t touched_memory(struct kernel *kernel, uint64_t size)
{
	uint64_t address = kernel_memory(kernel, size);

	memset(vsm_ptx_memory_map(kernel->context, address, size), 0x5a, size);
	return address;
}

void pipeline_rows(const char *path, unsigned int mib)
{
	uint32_t tiles = ((uint64_t)mib << 20) / TILE;
	uint32_t all = SHORT + tiles;
	struct kernel kernel = open_kernel(device, path, "specialised");
	struct params params = {
		.in = touched_memory(&kernel, (uint64_t)all * TILE),
		.out = touched_memory(&kernel, (uint64_t)all * TILE / 4),
		.stages = STAGES,
	};
	struct cost few, many;
	double took;

	run_tiles(&kernel, &params, SHORT);
	few = run_tiles(&kernel, &params, SHORT);
	many = run_tiles(&kernel, &params, all);
	took = many.took - few.took;
	print_detail("a pipeline in PTX, KiB a second", mib * 1024 / (took / 1e9));
	print_detail("tile of 4 KiB", took / tiles);
	print_shares(&many, &few);
	print_detail("its instructions of threads in PTX",
		     (double)(many.did.thread_insns - few.did.thread_insns) / tiles);
	print_detail("its instructions of warps in PTX",
		     (double)(many.did.warp_insns - few.did.warp_insns) / tiles);
	print_detail("its calls of the device",
		     (double)(many.did.device_calls - few.did.device_calls) / tiles);
	close_kernel(&kernel);
}
