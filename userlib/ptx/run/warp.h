/* SPDX-License-Identifier: MIT */
/*
 * What runs: launches, clusters, CTAs, warps, and groups of lanes.
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
#include "run/module.h"
#include "vsm_ptx.h"

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
	GROUP_WAITS,		/* it is armed in the wait set, or will be */
};

/**
 * struct ptx_group - Lanes that execute together
 * @warp: Their warp
 * @state: &enum ptx_state
 * @lanes: Mask of the lanes
 * @pc: Number of the next step, or of the one in which the group waits
 * @frame: Frame of these lanes
 * @turn: When the group has run last: &ptx_warp.turns
 * @insn: The instruction in which the group waits, of the lowest lane
 * @id: Number of the wait in the wait set
 * @timed: The wait has a time limit: the instruction may end with False
 * @due: With a seed: when the time limit passes, in steps of &ptx_worker.clock
 */
struct ptx_group {
	struct ptx_warp *warp;
	enum ptx_state state;
	uint32_t lanes;
	uint32_t pc;
	struct ptx_frame *frame;
	uint64_t turn;
	struct drm_vsm_insn insn;
	uint64_t id;
	bool timed;
	uint64_t due;
};

/** struct ptx_issue - An asynchronous operation that a lane has issued */
struct ptx_issue {
	uint32_t step;
	uint16_t thread;
	struct drm_vsm_insn insn;
};

/* Asynchronous operations of a warp that are remembered, to find the line of a late fault. */
#define PTX_ISSUES 64

/**
 * struct ptx_warp - A warp
 * @cta: Its CTA
 * @number: Number in the CTA
 * @lanes: Lanes that exist and have not exited
 * @queued: It is in the worker's queue of warps that can run
 * @next: Next warp in that queue
 * @turns: Number of times that a group was chosen
 * @slices: Number of times that the warp was run
 * @groups: Groups
 * @rows: Rows of FILE_WARP
 * @local: Local memory: @local_bytes for each lane, one lane after the other
 * @local_bytes: Bytes of local memory for each lane
 * @last: The allocation that was accessed last
 * @issues: The last asynchronous operations
 * @issued: Number of asynchronous operations
 * @steps: Steps that the warp has executed
 * @now: Steps up to the one that is being executed
 * @slice_end: &ptx_worker.clock when the budget of steps is used up
 * @time: &ptx_worker.clock at the step that is being executed
 * @lane_steps: Steps that lanes have executed
 */
struct ptx_warp {
	struct ptx_cta *cta;
	uint32_t number;
	uint32_t lanes;
	bool queued;
	struct ptx_warp *next;
	uint64_t turns;
	uint64_t slices;
	struct ptx_group groups[PTX_LANES];
	uint64_t *rows;
	uint8_t *local;
	uint64_t local_bytes;
	const struct ptx_allocation *last;
	struct ptx_issue *issues;
	uint64_t issued;
	uint64_t steps;
	uint64_t now;
	uint64_t slice_end;
	uint64_t time;
	uint64_t lane_steps;
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
};

/**
 * struct ptx_cluster - A cluster that runs
 * @worker: Worker that runs it
 * @launch: Its launch
 * @next: Next cluster of the worker
 * @remembered: Next cluster of the context (event.h)
 * @index: Number of the cluster in the grid
 * @device: The cluster of the device; NULL if the kernel needs no device
 * @windows: Memory of the windows if there is no @device
 * @live: Threads that have not exited
 * @issued: Asynchronous operations have been issued since the device was last drained
 * @history: What has happened to its mbarriers and barriers (history.h); NULL without @device
 * @ctas: CTAs
 */
struct ptx_cluster {
	struct ptx_worker *worker;
	struct vsm_ptx_launch *launch;
	struct ptx_cluster *next;
	struct ptx_cluster *remembered;
	uint64_t index;
	struct vsm_cluster *device;
	uint8_t *windows;
	uint32_t live;
	bool issued;
	struct ptx_history *history;
	struct ptx_cta ctas[];
};

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
 * @cta: Its CTA: number in the grid
 * @ctaid: Its CTA
 * @rank: Rank of the CTA in its cluster
 * @warp: Warp
 * @lane: Lane
 * @lanes: Lanes that executed the step
 * @insn: Instruction that the device refused
 * @text: What was wrong, for FAILURE_PROGRAM
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
 * @room: Signalled when a worker need not wait for memory any more (start.c)
 * @starting: Clusters that workers are creating
 * @live_clusters: Clusters that run
 * @ended_clusters: Clusters that have ended (also read without the lock)
 * @running: Workers that run
 * @cancelled: vsm_ptx_launch_cancel() was called
 * @fault: The first fault
 * @print_lock: Held while &vsm_ptx_config.print runs
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

static inline struct vsm_ptx_launch *ptx_launch_of(const struct ptx_warp *warp)
{
	return warp->cta->cluster->launch;
}

static inline struct ptx_worker *ptx_worker_of(const struct ptx_warp *warp)
{
	return warp->cta->cluster->worker;
}

static inline bool ptx_launch_stops(struct vsm_ptx_launch *launch)
{
	return __atomic_load_n(&launch->stop, __ATOMIC_RELAXED);
}

/* Bytes of the machine's memory that a launch may use. */
uint64_t ptx_memory_limit(void);

/* Counts bytes that a launch uses. Returns false if there are not so many. */
static inline bool ptx_charge(struct vsm_ptx_launch *launch, uint64_t bytes)
{
	uint64_t used = __atomic_add_fetch(&launch->memory_used, bytes, __ATOMIC_RELAXED);

	if (used <= launch->memory_limit)
		return true;
	__atomic_sub_fetch(&launch->memory_used, bytes, __ATOMIC_RELAXED);
	return false;
}

static inline void ptx_uncharge(struct vsm_ptx_launch *launch, uint64_t bytes)
{
	__atomic_sub_fetch(&launch->memory_used, bytes, __ATOMIC_RELAXED);
}

/* --- fault.c ---------------------------------------------------------------------- */

/*
 * Records a fault of the group at its step, and stops the launch. Only the first fault of a launch
 * is kept.
 */
void ptx_fail(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
	      const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same for an instruction that the device has refused, or for an error of the device. */
void ptx_fail_device(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		     int error, const struct drm_vsm_insn *insn);
/* The device has found that no thread of the cluster can go on. */
void ptx_fail_deadlock(struct ptx_warp *warp, const struct ptx_group *group);
void ptx_fail_launch(struct vsm_ptx_launch *launch, const struct ptx_fault *fault);
/* Records an error of the device or of the host that has no place in the program. */
void ptx_fail_worker(struct ptx_worker *worker, int error);
/* Makes the workers of a launch stop. */
void ptx_launch_stop(struct vsm_ptx_launch *launch);

/* --- group.c: groups and frames ----------------------------------------------------- */

/* The frame of the kernel, with all registers 0. NULL if there is no memory. */
struct ptx_frame *ptx_frame_create(struct ptx_warp *warp, struct ptx_frame *parent,
				   const struct ptx_body *body);
/* Takes lanes out of a frame, and frees frames that no lane is in. */
void ptx_frame_leave(struct ptx_frame *frame, uint32_t lanes);
/*
 * Moves some lanes of a group to a group of their own, which is runnable and at the same step.
 * There is always room: a warp has not more groups than lanes.
 */
struct ptx_group *ptx_group_split(struct ptx_warp *warp, struct ptx_group *group, uint32_t lanes);
/*
 * The group that runs next, or NULL if none can. Groups at the same step of the same frame become
 * one. If @longest, it is the group that has not run for the longest time; otherwise the one with
 * the lowest step.
 */
struct ptx_group *ptx_group_pick(struct ptx_warp *warp, bool longest);
/* The lanes call a function, or return from one. Return false after a fault. */
bool ptx_group_call(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_body *body,
		    const struct ptx_call *call);
void ptx_group_return(struct ptx_warp *warp, struct ptx_group *group);

/* --- address.c: addresses ------------------------------------------------------------ */

/**
 * struct ptx_pointer - Where an address leads
 * @host: The bytes; NULL if the access is not allowed
 * @allocation: The allocation; NULL if the address is in another space
 */
struct ptx_pointer {
	uint8_t *host;
	const struct ptx_allocation *allocation;
};

/*
 * Finds @size bytes at an address in a state space, for a lane. Records a fault and returns NULL if
 * the access is not allowed.
 */
uint8_t *ptx_resolve(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		     enum ptx_space space, uint64_t address, uint64_t size, bool write);
/*
 * May the warp still access the window of the CTA with this rank? Records a fault if the threads of
 * that CTA have exited: the multiprocessor may already have given its shared memory to another CTA.
 * A rank that does not exist is no fault here.
 */
bool ptx_window_lives(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		      uint32_t rank);
/*
 * The sum of a base address and an offset. Shared and local memory have addresses of 32 bits, which
 * wrap: compilers add an offset to a base that is below the variable.
 */
static inline uint64_t ptx_add_offset(enum ptx_space space, uint64_t base, uint64_t offset)
{
	bool narrow = space == SPACE_SHARED || space == SPACE_SHARED_CLUSTER ||
		      space == SPACE_LOCAL;

	return narrow && !(base >> 32) ? (uint32_t)(base + offset) : base + offset;
}

/* The generic address of an address in a state space. */
uint64_t ptx_generic(const struct ptx_warp *warp, enum ptx_space space, uint64_t address);
/* The state space of a generic address: SPACE_GENERIC if it is in none. */
enum ptx_space ptx_space_of(uint64_t generic);

/* --- access.c, device.c, operand.c, tensormap.c, print.c: steps --------------------- */

/* Each executes a step for the lanes in @mask. Returns false after a fault. */
bool ptx_load(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	      uint32_t mask);
bool ptx_store(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	       uint32_t mask);
bool ptx_atom(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	      uint32_t mask);
bool ptx_replace(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		 uint32_t mask);
/*
 * The bytes that a tensor copy moves, for the map at this address of the host. The kernel may have
 * changed the map since the device has checked it: 0 if it is no map any more.
 */
uint64_t ptx_tensor_bytes(uint64_t address);
/*
 * The device has found no buffer for the map at this address of the host. Returns whether it has
 * recorded a fault: tensormap.replace has written an address that is in no allocation.
 */
bool ptx_fail_map(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		  uint64_t address);
bool ptx_copy_map(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		  uint32_t mask);
bool ptx_print(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	       uint32_t mask);
bool ptx_assert(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		uint32_t mask);
/* The instruction of a step that the device executes: STEP_DEVICE, and STEP_SETMAXNREG. */
const struct ptx_device_op *ptx_device_op(const struct ptx_step *step);
/* Does the instruction begin an asynchronous operation? */
bool ptx_device_is_async(const struct drm_vsm_insn *insn);
/*
 * Makes the instructions of the lanes in @mask for a step of the device, in order. Returns false
 * after a fault.
 */
bool ptx_device_encode(struct ptx_warp *warp, const struct ptx_group *group,
		       const struct ptx_device_op *op, uint32_t mask, struct drm_vsm_insn *insns);
/*
 * Executes a step of the device. Lanes that have executed it are in @group afterwards, at the next
 * step; those that are suspended are in a group of their own, which waits. If all are suspended,
 * @group waits.
 */
bool ptx_device(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		uint32_t mask);
/* The lanes exit. */
bool ptx_exit(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask);
/* Publishes the inits of the CTA before a release at cluster scope. */
bool ptx_publish(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask);
/* A wait has ended. */
void ptx_device_resume(struct ptx_worker *worker, struct ptx_group *group,
		       const struct drm_vsm_wait_record *record);
/*
 * With a seed: ends the waits of the worker whose time limits have passed. Returns whether there
 * were any.
 */
bool ptx_device_expire(struct ptx_worker *worker);
/* Arms the waits that have been collected. Returns 0 or a negative error number. */
int ptx_device_arm(struct ptx_worker *worker);

/* --- execute.c, cluster.c, queue.c, records.c, schedule.c ----------------------------- */

/*
 * Runs a warp for up to @budget steps. Returns how many it has used: an access with a memory order
 * uses more than one, and nanosleep all that are left.
 */
uint32_t ptx_warp_run(struct ptx_warp *warp, uint32_t budget);
/* Can a group of the warp run? */
bool ptx_warp_is_runnable(const struct ptx_warp *warp);

struct ptx_cluster *ptx_cluster_create(struct ptx_worker *worker, uint64_t index, int *error);
void ptx_cluster_destroy(struct ptx_cluster *cluster);

/* Puts a warp at the end of the queue of its worker, if it is not there. */
void ptx_worker_queue(struct ptx_worker *worker, struct ptx_warp *warp);
/* Takes the first warp from the queue, or with a seed any warp. NULL if the queue is empty. */
struct ptx_warp *ptx_worker_dequeue(struct ptx_worker *worker);
/* A number below @limit, for the order that a seed chooses. */
uint32_t ptx_random_below(struct ptx_worker *worker, uint32_t limit);
/* Arms the waits that have been collected, and resumes groups whose waits have ended. */
bool ptx_worker_look(struct ptx_worker *worker);
/* The function of a worker's thread. */
void *ptx_worker_run(void *worker);

#endif
