/* SPDX-License-Identifier: MIT */
/*
 * What runs in a cluster: CTAs, warps, and groups of lanes.
 *
 * The lanes of a warp are in groups. All lanes of a group are at the same step of the same frame,
 * and execute it together. A branch that only some lanes take splits a group; groups that come to
 * the same step of the same frame become one. Each lane therefore has a program counter of its own,
 * as PTX says, and lanes that could execute together mostly do.
 *
 * A cluster belongs to one worker, which is a thread of the host. Therefore nothing in a cluster
 * needs a lock.
 */
#ifndef _PTX_RUN_WARP_H_
#define _PTX_RUN_WARP_H_

#include "code/device.h"
#include "run/memory.h"
#include "vsm_ptx.h"

struct ptx_history;
struct ptx_worker;

/**
 * struct ptx_frame - Registers and local memory of a function that is being executed
 * @regs: Rows and predicates
 * @parent: Frame of the caller; NULL for the kernel
 * @body: The function
 * @call: The call that made the frame; NULL for the kernel
 * @return_to: Step behind the call
 * @local_base: Where its local memory begins in the local memory of each lane
 * @stack: Bytes of stack that this frame and its callers use
 * @lanes: Lanes that are in this frame or in one that it has called
 * @launch: Launch
 * @bytes: Bytes of the frame itself
 * @rows: Memory of @regs
 */
struct ptx_frame {
	struct ptx_regs regs;
	struct ptx_frame *parent;
	const struct ptx_body *body;
	const struct ptx_call *call;
	uint32_t return_to;
	uint64_t local_base;
	uint64_t stack;
	uint32_t lanes;
	struct vsm_ptx_launch *launch;
	uint64_t bytes;
	uint64_t rows[] __attribute__((aligned(64)));
};

/** enum ptx_state - What a group does */
enum ptx_state {
	GROUP_FREE,		/* the entry of the array is not used */
	GROUP_RUNNABLE,
	GROUP_WAITS,		/* it is armed in the wait set, or in a batch, or will be armed */
};

/** enum ptx_look_kind - What lanes have looked at last */
enum ptx_look_kind {
	LOOK_NONE,		/* nothing, or the device has executed something else since */
	LOOK_READ,		/* they have read memory */
	LOOK_TEST,		/* they have tested a phase, which was not complete */
};

/**
 * struct ptx_look - What lanes of a group have looked at last
 * @kind: &enum ptx_look_kind
 * @lanes: LOOK_READ: one of the lanes; LOOK_TEST: all of them. Lanes that have left the group do
 *	not count
 * @step: The step
 * @size: LOOK_READ: bytes
 * @address: LOOK_READ: generic address that this lane has read
 * @value: LOOK_READ: the value there
 *
 * The report of a launch that runs for too long needs it: a loop that never ends mostly waits for
 * something that it looks at. For LOOK_TEST, &ptx_group.insn is the instruction.
 */
struct ptx_look {
	enum ptx_look_kind kind;
	uint32_t lanes;
	uint32_t step;
	uint32_t size;
	uint64_t address;
	uint64_t value;
};

/* Lanes that execute together */
struct ptx_group {
	struct ptx_warp *warp;		/* their warp */
	enum ptx_state state;		/* enum ptx_state */
	uint32_t lanes;			/* mask of the lanes */
	uint32_t pc;	/* number of the next step, or of the one in which the group waits */
	/*
	 * 1 + the last step in which they decided where to go: a branch with a condition. 0 if
	 * there was none, or not the same for all of them.
	 */
	uint32_t branch;
	struct ptx_frame *frame;	/* frame of these lanes */
	uint64_t turn;			/* when the group has run last: ptx_warp.turns */
	/* The instruction in which the group waits, of the lowest lane */
	struct drm_vsm_insn insn;
	uint64_t id;			/* number of the wait in the wait set */
	bool timed;	/* the wait has a time limit: the instruction may end with False */
	uint64_t due;	/* with a seed: when the time limit passes, in steps of ptx_worker.clock */
	struct ptx_look look;		/* what the lanes have looked at last */
};

/** struct ptx_issue - An asynchronous operation that a lane has issued */
struct ptx_issue {
	uint32_t step;
	uint16_t thread;
	struct drm_vsm_insn insn;
};

/* Asynchronous operations of a warp that are remembered, to find the line of a late fault. */
#define PTX_ISSUES 64

/* A warp */
struct ptx_warp {
	struct ptx_cta *cta;
	uint32_t number;			/* number in the CTA */
	uint32_t lanes;				/* lanes that exist and have not exited */
	/* Lanes whose last wait has PTX_STEP_REPEATS_LATER, and has not returned True */
	uint32_t repeating;
	bool queued;	/* it is in the worker's queue of warps that can run */
	struct ptx_warp *next;			/* next warp in that queue */
	uint64_t turns;				/* number of times that a group was chosen */
	uint64_t slices;			/* number of times that the warp was run */
	struct ptx_group groups[PTX_LANES];
	uint64_t *rows;				/* rows of FILE_WARP */
	uint8_t *local;	/* local memory: @local_bytes for each lane, one lane after the other */
	uint64_t local_bytes;			/* bytes of local memory for each lane */
	const struct ptx_allocation *last;	/* the allocation that was accessed last */
	struct ptx_issue *issues;		/* the last asynchronous operations */
	uint64_t issued;			/* number of asynchronous operations */
	uint64_t steps;				/* steps that the warp has executed */
	uint64_t now;				/* steps up to the one that is being executed */
	uint64_t slice_end;	/* ptx_worker.clock when the budget of steps is used up */
	uint64_t time;	/* ptx_worker.clock at the step that is being executed */
	uint64_t lane_steps;			/* steps that lanes have executed */
};

/**
 * struct ptx_valid - The words of a window at which mbarriers are valid
 * @words: A bit for each word of 8 bytes; NULL without a device, and in the hardware policy
 * @first: First offset of a range without such words: the one that was found last
 * @end: Offset behind this range
 */
struct ptx_valid {
	uint64_t *words;
	uint32_t first;
	uint32_t end;
};

/** struct ptx_cta - A CTA */
struct ptx_cta {
	struct ptx_cluster *cluster;
	uint32_t rank;
	uint32_t ctaid[3];
	uint8_t *window;
	struct ptx_warp *warps;
	uint32_t live;		/* threads that have not exited */
	bool unpublished;	/* it has inits that the cluster may not see yet */
	struct ptx_valid valid;	/* where its mbarriers are, which threads must not access as data */
};

/* A cluster that runs */
struct ptx_cluster {
	struct ptx_worker *worker;	/* worker that runs it */
	struct vsm_ptx_launch *launch;
	struct ptx_cluster *next;	/* next cluster of the worker */
	struct ptx_cluster *remembered;	/* next cluster of the context (execute.h) */
	uint64_t index;			/* number of the cluster in the grid */
	/* The cluster of the device; NULL if the kernel needs no device */
	struct vsm_cluster *device;
	uint8_t *windows;		/* memory of the windows if there is no @device */
	uint32_t live;			/* threads that have not exited */
	/* Asynchronous operations have been issued since the device was last drained */
	bool issued;
	/* Instructions that lanes have executed since its events were read (device.h) */
	uint32_t traced;
	uint64_t trace_next;		/* number of the next event */
	/* What has happened to its mbarriers and barriers (history.h); NULL without @device */
	struct ptx_history *history;
	struct ptx_cta ctas[];
};

static inline struct vsm_ptx_launch *ptx_launch_of(const struct ptx_warp *warp)
{
	return warp->cta->cluster->launch;
}

static inline struct ptx_worker *ptx_worker_of(const struct ptx_warp *warp)
{
	return warp->cta->cluster->worker;
}

/* For each lane in a mask. */
#define PTX_FOR_LANES(lane, mask) \
	for (uint32_t lane##_left = (mask), lane; \
	     lane##_left && (lane = __builtin_ctz(lane##_left), true); \
	     lane##_left &= lane##_left - 1)

/* The @n lowest lanes of a mask. */
static inline uint32_t ptx_first_lanes(uint32_t mask, uint32_t n)
{
	uint32_t left = mask;

	while (n-- && left)
		left &= left - 1;
	return mask & ~left;
}

#endif
