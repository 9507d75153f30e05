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

/* Copies that a queue performs together */
struct job {
	struct job *next;	/* next job of a list of the queue */
	struct queue *queue;
	enum job_state state;	/* how far the job is */
	int result;		/* 0 or a negative errno, when it is done */
	uint32_t id;		/* number of the job, its site in calls of SUBMIT */
	uint32_t attempt;	/* how often the job has been submitted */
	int tries;		/* how often an attempt has failed because of this job */
	int refusal;		/* error of the last call of SUBMIT that has failed */
	uint32_t slot;		/* slot while the job is in flight */
	uint32_t stages;	/* stages that are in flight */
	uint64_t point;		/* point of the queue's timeline for the last one */
	uint32_t count;		/* number of copies */
	struct block *from[COPIES], *to[COPIES];	/* sources, destinations of the copies */
	uint32_t dep_count;	/* number of jobs that must end before */
	struct job *deps[DEPS];	/* these jobs */
	uint32_t dep_attempt[DEPS];	/* the attempts that the job in flight has seen */
};

/* A channel, a cluster and a timeline */
struct queue {
	struct stack *stack;
	pthread_t thread;	/* worker */
	struct job *pending;	/* jobs to submit */
	struct job *flying;	/* jobs in flight, oldest first */
	uint32_t flights;	/* number of jobs in flight */
	uint32_t busy;		/* mask of slots in use */
	bool ready;		/* the objects of the device exist */
	uint32_t channel;
	uint32_t cluster;	/* handle of the cluster, or 0 */
	unsigned char *map;	/* mapping of the cluster */
	uint32_t stride;	/* bytes from one window to the next */
	uint64_t size;		/* bytes of the mapping */
	uint32_t timeline;	/* timeline syncobj */
	uint64_t point;		/* last point of the timeline that a job has got */
	uint32_t fences[SLOTS][STAGES];	/* syncobjs with the fence of each stage */
};

/* The open device */
struct stack {
	/*
	 * DRM file descriptor. The workers use it without the lock, because it changes only while
	 * all of them are parked.
	 */
	int fd;
	pthread_mutex_t lock;
	pthread_cond_t changed;	/* something has changed that a worker may wait for */
	pthread_cond_t ended;	/* the job in @awaited has ended */
	const struct job *awaited;	/* job for which the user of the stack waits */
	bool lost;		/* the device is lost, and the workers park */
	bool dead;		/* the device does not come back: all jobs fail */
	bool stop;		/* the workers end */
	uint32_t parked;	/* workers that are parked */
	struct slab *slabs;	/* big buffers */
	uint32_t ids;		/* last number of a job */
	struct queue queues[QUEUES];
	uint64_t noticed;	/* attempts whose bytes or words were wrong */
	uint64_t retries;	/* attempts after the first one of a job */
	uint64_t resets;	/* channels that were created again */
	uint64_t clusters;	/* clusters that were created again */
	uint64_t reopened;	/* how often the device was opened again */
	uint64_t hung;		/* waits that ended because of a deadline */
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
