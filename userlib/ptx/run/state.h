/* SPDX-License-Identifier: MIT */
/* What launches and their workers are doing, and what went wrong first. */
#ifndef _PTX_RUN_STATE_H_
#define _PTX_RUN_STATE_H_

#include "run/memory.h"
#include "run/warp.h"

/* Waits that are armed with one call. */
#define PTX_ARMS 64
/* The value of &ptx_worker.due if no wait has a time limit. */
#define PTX_NEVER_DUE UINT64_MAX

/* Elements of a batch */
#define PTX_BATCH 32

/* An instruction of lanes that the device gets with the next batch */
struct ptx_batched {
	struct ptx_warp *warp;
	struct ptx_group *group;	/* group of the lanes; NULL if they exit */
	bool fetch;	/* the lanes have executed it, and only get their results */
	uint32_t pc;			/* its step */
	uint32_t lanes;			/* mask of the lanes */
	struct vsm_thread thread;	/* first thread of the warp */
	struct drm_vsm_insn insns[PTX_LANES];	/* one for each of @lanes */
};

/* A thread of the host that runs clusters */
struct ptx_worker {
	struct vsm_ptx_launch *launch;
	pthread_t thread;
	bool started;	/* the thread has been created, and has to be joined */
	struct vsm_waitset *set;		/* wait set; NULL if the kernel needs no device */
	struct ptx_cluster *clusters;		/* clusters that it runs */
	uint32_t cluster_count;			/* their number */
	uint32_t limit;	/* largest number of clusters that it runs at the same time */
	uint64_t index;	/* number of the cluster that it has started last, or starts next */
	bool postponed;	/* it starts the cluster @index when there is memory */
	uint64_t ended;	/* vsm_ptx_launch.ended_clusters when it last tried to start a cluster */
	struct ptx_warp *first;			/* first warp that can run */
	struct ptx_warp *last;			/* last warp that can run */
	uint32_t runnable;			/* number of warps that can run */
	struct drm_vsm_wait arms[PTX_ARMS];	/* waits that have not been armed */
	struct ptx_group *arm_groups[PTX_ARMS];	/* the groups that wait */
	uint32_t arm_count;			/* number of elements of @arms */
	struct ptx_batched *batch;	/* PTX_BATCH elements; NULL if the kernel needs no device */
	uint32_t batch_count;		/* number of elements of @batch that are used */
	bool batch_seen;		/* there were some when the worker looked last */
	uint32_t armed;	/* number of waits that are armed and have not ended */
	uint64_t random;			/* state of the generator that chooses the order */
	uint64_t clock;	/* time with a seed: steps of the slices that warps have run */
	/* With a seed: no time limit of a wait passes earlier; PTX_NEVER_DUE if there is none */
	uint64_t due;
	uint64_t calls;				/* calls of the device */
	uint64_t steps;				/* steps of warps that have ended */
	uint64_t lane_steps;			/* steps of lanes of warps that have ended */
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

/* What went wrong first in a launch */
struct ptx_fault {
	enum ptx_failure failure;	/* enum ptx_failure */
	int error;			/* negative error number */
	int64_t step;			/* step, or -1 */
	uint32_t ctaid[3];		/* its CTA: the special register ctaid */
	uint32_t rank;			/* rank of the CTA in its cluster */
	uint32_t warp;
	uint32_t lane;
	uint32_t lanes;			/* lanes that executed the step */
	struct drm_vsm_insn insn;	/* instruction that the device refused */
	char text[480];			/* what was wrong, for FAILURE_PROGRAM */
	uint32_t gone;	/* 1 + the rank of a CTA whose threads have exited too early, or 0 */
};

/* A launch */
struct vsm_ptx_launch {
	struct vsm_ptx_module *module;
	struct ptx_program *program;
	struct vsm_ptx_config config;	/* configuration, with all defaults filled in */
	uint8_t *params;		/* parameters, at a multiple of 64 bytes */
	uint32_t param_bytes;		/* bytes of @params */
	struct ptx_memory *memory;	/* allocations when the launch began */
	/* Address of the memory in which grid groups wait, for a cooperative launch; otherwise 0 */
	uint64_t workspace;
	uint32_t window_bytes;		/* bytes of shared memory of a CTA */
	bool explicit_cluster;		/* the caller or the kernel says how large clusters are */
	uint32_t cluster_ctas;		/* CTAs of a cluster */
	uint64_t cluster_count;		/* clusters of the grid */
	uint64_t next_cluster;		/* number of the next cluster that begins (atomic) */
	/* Largest number of bytes for clusters, registers and local memory */
	uint64_t memory_limit;
	uint64_t memory_used;		/* bytes that are used for them (atomic) */
	int stop;			/* workers shall stop (atomic) */
	int wake;	/* an eventfd that becomes readable when workers shall stop */
	int64_t deadline;		/* when the time limit passes; VSM_NEVER if there is none */
	pthread_mutex_t lock;		/* protects the members below */
	pthread_cond_t ended;		/* signalled when @running becomes 0 */
	/* Signalled when a worker need not wait for memory any more (schedule.c) */
	pthread_cond_t room;
	uint32_t starting;		/* clusters that workers are creating */
	uint64_t live_clusters;		/* clusters that run */
	uint64_t ended_clusters;	/* clusters that have ended (also read without the lock) */
	uint32_t running;		/* workers that run */
	bool cancelled;			/* vsm_ptx_launch_cancel() was called */
	struct ptx_fault fault;		/* the first fault */
	pthread_mutex_t print_lock;	/* held while vsm_ptx_config.print runs */
	pthread_mutex_t trace_lock;	/* held while vsm_ptx_config.trace runs */
	struct ptx_worker *workers;
	uint32_t worker_count;		/* their number */
	struct ptx_hang *hang;	/* why the launch hangs (hang.h); NULL until somebody asks for it */
	char *report;			/* text of the report; NULL until somebody asks for it */
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

/* Has the kernel dynamic shared memory, but not the launch? */
static inline bool ptx_lacks_smem(const struct vsm_ptx_launch *launch)
{
	return launch->program->dynamic && !launch->config.smem_bytes;
}

#define PTX_LACKS_SMEM \
	"the kernel uses dynamic shared memory, and the launch gives it none: set its smem"

#endif
