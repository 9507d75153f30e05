/* SPDX-License-Identifier: MIT */
/*
 * What launches and their workers are doing, and what went wrong first.
 */
#ifndef _PTX_RUN_STATE_H_
#define _PTX_RUN_STATE_H_

#include "run/memory.h"
#include "run/warp.h"

/* Waits that are armed with one call. */
#define PTX_ARMS 64
/* The value of &ptx_worker.due if no wait has a time limit. */
#define PTX_NEVER_DUE UINT64_MAX

/**
 * struct ptx_worker - A thread of the host that runs clusters
 * @launch: Launch
 * @thread: The thread
 * @started: The thread has been created, and has to be joined
 * @set: Wait set; NULL if the kernel needs no device
 * @clusters: Clusters that it runs
 * @cluster_count: Their number
 * @limit: Largest number of clusters that it runs at the same time
 * @index: Number of the cluster that it has started last, or starts next
 * @postponed: It starts the cluster @index when there is memory
 * @ended: &vsm_ptx_launch.ended_clusters when it last tried to start a cluster
 * @first: First warp that can run
 * @last: Last warp that can run
 * @runnable: Number of warps that can run
 * @arms: Waits that have not been armed
 * @arm_groups: The groups that wait
 * @arm_count: Number of elements of @arms
 * @armed: Number of waits that are armed and have not ended
 * @random: State of the generator that chooses the order
 * @clock: Time with a seed: steps of the slices that warps have run
 * @due: With a seed: no time limit of a wait passes earlier; PTX_NEVER_DUE if there is none
 * @calls: Calls of the device
 * @steps: Steps of warps that have ended
 * @lane_steps: Steps of lanes of warps that have ended
 */
struct ptx_worker {
	struct vsm_ptx_launch *launch;
	pthread_t thread;
	bool started;
	struct vsm_waitset *set;
	struct ptx_cluster *clusters;
	uint32_t cluster_count;
	uint32_t limit;
	uint64_t index;
	bool postponed;
	uint64_t ended;
	struct ptx_warp *first;
	struct ptx_warp *last;
	uint32_t runnable;
	struct drm_vsm_wait arms[PTX_ARMS];
	struct ptx_group *arm_groups[PTX_ARMS];
	uint32_t arm_count;
	uint32_t armed;
	uint64_t random;
	uint64_t clock;
	uint64_t due;
	uint64_t calls;
	uint64_t steps;
	uint64_t lane_steps;
};

/** enum ptx_failure - Why a launch has failed */
enum ptx_failure {
	FAILURE_NONE,
	FAILURE_DEVICE,		/* the device has refused an instruction */
	FAILURE_ASYNC,		/* an asynchronous operation broke a rule when it completed */
	FAILURE_PROGRAM,	/* a bad access, trap, division, ... : the text says it */
	FAILURE_DEADLOCK,
	FAILURE_TIME,
	FAILURE_ERROR,		/* an error of the device or of the host */
};

/**
 * struct ptx_fault - What went wrong first in a launch
 * @failure: &enum ptx_failure
 * @error: Negative error number
 * @step: Step, or -1
 * @ctaid: Its CTA: the special register ctaid
 * @rank: Rank of the CTA in its cluster
 * @warp: Warp
 * @lane: Lane
 * @lanes: Lanes that executed the step
 * @insn: Instruction that the device refused
 * @text: What was wrong, for FAILURE_PROGRAM
 * @gone: 1 + the rank of a CTA whose threads have exited too early, or 0
 */
struct ptx_fault {
	enum ptx_failure failure;
	int error;
	int64_t step;
	uint32_t ctaid[3];
	uint32_t rank;
	uint32_t warp;
	uint32_t lane;
	uint32_t lanes;
	struct drm_vsm_insn insn;
	char text[480];
	uint32_t gone;
};

/**
 * struct vsm_ptx_launch - A launch
 * @module: Module
 * @program: Program
 * @config: Configuration, with all defaults filled in
 * @params: Parameters, at a multiple of 64 bytes
 * @param_bytes: Bytes of @params
 * @memory: Allocations when the launch began
 * @window_bytes: Bytes of shared memory of a CTA
 * @explicit_cluster: The caller or the kernel says how large clusters are
 * @cluster_ctas: CTAs of a cluster
 * @cluster_count: Clusters of the grid
 * @next_cluster: Number of the next cluster that begins (atomic)
 * @memory_limit: Largest number of bytes for clusters, registers and local memory
 * @memory_used: Bytes that are used for them (atomic)
 * @stop: Workers shall stop (atomic)
 * @wake: An eventfd that becomes readable when workers shall stop
 * @deadline: When the time limit passes; VSM_NEVER if there is none
 * @lock: Protects the members below
 * @ended: Signalled when @running becomes 0
 * @room: Signalled when a worker need not wait for memory any more (schedule.c)
 * @starting: Clusters that workers are creating
 * @live_clusters: Clusters that run
 * @ended_clusters: Clusters that have ended (also read without the lock)
 * @running: Workers that run
 * @cancelled: vsm_ptx_launch_cancel() was called
 * @fault: The first fault
 * @print_lock: Held while &vsm_ptx_config.print runs
 * @trace_lock: Held while &vsm_ptx_config.trace runs
 * @workers: Workers
 * @worker_count: Their number
 * @hang: Why the launch hangs (hang.h); NULL until somebody asks for it
 * @report: Text of the report; NULL until somebody asks for it
 */
struct vsm_ptx_launch {
	struct vsm_ptx_module *module;
	struct ptx_program *program;
	struct vsm_ptx_config config;
	uint8_t *params;
	uint32_t param_bytes;
	struct ptx_memory *memory;
	uint32_t window_bytes;
	bool explicit_cluster;
	uint32_t cluster_ctas;
	uint64_t cluster_count;
	uint64_t next_cluster;
	uint64_t memory_limit;
	uint64_t memory_used;
	int stop;
	int wake;
	int64_t deadline;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	pthread_cond_t room;
	uint32_t starting;
	uint64_t live_clusters;
	uint64_t ended_clusters;
	uint32_t running;
	bool cancelled;
	struct ptx_fault fault;
	pthread_mutex_t print_lock;
	pthread_mutex_t trace_lock;
	struct ptx_worker *workers;
	uint32_t worker_count;
	struct ptx_hang *hang;
	char *report;
};

static inline uint32_t ptx_block_threads(const struct vsm_ptx_launch *launch)
{
	const uint32_t *block = launch->config.block;

	return block[0] * block[1] * block[2];
}

static inline uint32_t ptx_block_warps(const struct vsm_ptx_launch *launch)
{
	return (ptx_block_threads(launch) + PTX_LANES - 1) / PTX_LANES;
}

static inline bool ptx_launch_stops(struct vsm_ptx_launch *launch)
{
	return __atomic_load_n(&launch->stop, __ATOMIC_RELAXED);
}

#endif
