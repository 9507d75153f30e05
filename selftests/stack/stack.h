/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small user-mode driver for vsm, written as the drivers of GPUs are written: a manager of
 * buffers, queues with a worker thread each, timelines, handling of resets and of a lost device. It
 * uses libdrm and the uAPI headers only.
 *
 * A job copies blocks from global memory to shared memory, from one window to the other, and back
 * to global memory. Every block has a checksum, which the stack follows from copy to copy and
 * compares with the bytes in memory when a job has ended.
 *
 * &stack.lock protects everything that has no other comment. The workers drop it around ioctls.
 */
#ifndef STACK_H
#define STACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <drm/vsm_drm.h>

#define BLOCK		512u			/* bytes of a block */
#define BLOCKS		128u			/* blocks of a big buffer */
#define COPIES		4u			/* most copies of a job */
#define STAGES		3u			/* load, move, store */
#define SLOTS		4u			/* jobs of a queue in flight */
#define QUEUES		4u
#define DEPS		2u
#define TRIES		20			/* how often a job is tried */
#define PATIENCE	10000000000LL		/* ns for which the stack waits for a job */

/* A big buffer, from which the stack hands out blocks */
struct slab {
	struct slab *next;	/* next buffer of the stack */
	uint32_t handle;	/* GEM handle */
	unsigned char *map;	/* mapping */
	bool used[BLOCKS];	/* one for each block that is in use */
	uint32_t count;		/* number of these blocks */
};

/* A block of global memory */
struct block {
	struct slab *slab;	/* its buffer */
	uint32_t index;		/* its place there */
	uint64_t sum;		/* checksum that its bytes should have */
};

enum job_state { JOB_QUEUED, JOB_FLYING, JOB_DONE };

/**
 * struct job - Copies that a queue performs together
 * @next: Next job of a list of the queue
 * @queue: Queue
 * @state: How far the job is
 * @result: 0 or a negative errno, when it is done
 * @id: Number of the job, its site in calls of SUBMIT
 * @attempt: How often the job has been submitted
 * @tries: How often an attempt has failed because of this job
 * @refusal: Error of the last call of SUBMIT that has failed
 * @slot: Slot while the job is in flight
 * @stages: Stages that are in flight
 * @point: Point of the queue's timeline for the last one
 * @count: Number of copies
 * @from: Sources of the copies
 * @to: Destinations of the copies
 * @dep_count: Number of jobs that must end before
 * @deps: These jobs
 * @dep_attempt: The attempts that the job in flight has seen
 */
struct job {
	struct job *next;
	struct queue *queue;
	enum job_state state;
	int result;
	uint32_t id;
	uint32_t attempt;
	int tries;
	int refusal;
	uint32_t slot;
	uint32_t stages;
	uint64_t point;
	uint32_t count;
	struct block *from[COPIES], *to[COPIES];
	uint32_t dep_count;
	struct job *deps[DEPS];
	uint32_t dep_attempt[DEPS];
};

/**
 * struct queue - A channel, a cluster and a timeline
 * @stack: Stack
 * @thread: Worker
 * @pending: Jobs to submit
 * @flying: Jobs in flight, oldest first
 * @flights: Number of jobs in flight
 * @busy: Mask of slots in use
 * @ready: The objects of the device exist
 * @channel: Channel
 * @cluster: Handle of the cluster, or 0
 * @map: Mapping of the cluster
 * @stride: Bytes from one window to the next
 * @size: Bytes of the mapping
 * @timeline: Timeline syncobj
 * @point: Last point of the timeline that a job has got
 * @fences: Syncobjs with the fence of each stage
 */
struct queue {
	struct stack *stack;
	pthread_t thread;
	struct job *pending, *flying;
	uint32_t flights;
	uint32_t busy;
	bool ready;
	uint32_t channel;
	uint32_t cluster;
	unsigned char *map;
	uint32_t stride;
	uint64_t size;
	uint32_t timeline;
	uint64_t point;
	uint32_t fences[SLOTS][STAGES];
};

/**
 * struct stack - The open device
 * @fd: DRM file descriptor. The workers use it without the lock, because it changes only while all
 *	of them are parked
 * @lock: Lock
 * @changed: Something has changed that a worker may wait for
 * @ended: The job in @awaited has ended
 * @awaited: Job for which the user of the stack waits
 * @lost: The device is lost, and the workers park
 * @dead: The device does not come back: all jobs fail
 * @stop: The workers end
 * @parked: Workers that are parked
 * @slabs: Big buffers
 * @ids: Last number of a job
 * @queues: Queues
 * @noticed: Attempts whose bytes or words were wrong
 * @retries: Attempts after the first one of a job
 * @resets: Channels that were created again
 * @clusters: Clusters that were created again
 * @reopened: How often the device was opened again
 * @hung: Waits that ended because of a deadline
 */
struct stack {
	int fd;
	pthread_mutex_t lock;
	pthread_cond_t changed, ended;
	const struct job *awaited;
	bool lost, dead, stop;
	uint32_t parked;
	struct slab *slabs;
	uint32_t ids;
	struct queue queues[QUEUES];
	uint64_t noticed, retries, resets, clusters, reopened, hung;
};

/* device.c */
int64_t stack_now(void);
int stack_call(int fd, unsigned long request, void *arg);
int stack_open_device(void);
int stack_start(struct stack *stack);
void stack_end(struct stack *stack);
void stack_park(struct stack *stack);

/* bufmgr.c */
void *map_object(int fd, uint64_t offset, uint64_t size);
struct block *block_get(struct stack *stack);
void block_put(struct stack *stack, struct block *block);
void block_fill(struct stack *stack, struct block *block, const void *bytes);
bool block_is(struct stack *stack, const struct block *block, const void *bytes);
uint64_t block_sum(const struct block *block);
void bufmgr_trim(struct stack *stack);
int bufmgr_restore(struct stack *stack, int fd);

/* objects.c */
int queue_build(struct queue *queue);
void queue_forget(struct queue *queue);
int queue_new_channel(struct queue *queue);
void queue_drop_cluster(struct queue *queue);
bool slot_is_idle(struct queue *queue, uint32_t slot);
int slot_reset(struct queue *queue, uint32_t slot);
uint32_t slot_word(uint32_t slot);
uint32_t slot_data(uint32_t slot);

/* flight.c */
int job_launch(struct queue *queue, struct job *job);
int job_wait_fences(struct queue *queue, const struct job *job);
int job_error(struct queue *queue, const struct job *job);
bool job_is_right(struct queue *queue, const struct job *job);

/* queue.c */
void *queue_worker(void *arg);
void job_submit(struct stack *stack, struct job *job, uint32_t queue);
int job_wait(struct stack *stack, struct job *job, int64_t ns);

#endif
