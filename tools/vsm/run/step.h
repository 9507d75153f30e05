/* SPDX-License-Identifier: MIT */
/* Executes one statement on one device thread. */
#ifndef _RUN_STEP_H_
#define _RUN_STEP_H_

#include <stdatomic.h>
#include <stdint.h>
#include <vsm.h>

#include "run/outcome.h"
#include "scenario/scenario.h"

/* --- the flight recorder -------------------------------------------------- */

/* Events of a scenario that the device keeps. */
#define RECORD_EVENTS 65536

/* Events of a scenario, in memory that two processes share */
struct recording {
	uint64_t count;	/* number of @events */
	uint64_t lost;	/* number of events before them that the device has not kept */
	struct drm_vsm_trace_event events[RECORD_EVENTS];
};

/* Returns memory that this process shares with the processes that it will start. */
struct recording *recording_create(void);
void recording_free(struct recording *recording);
/* Forgets all events. */
void recording_clear(struct recording *recording);
/* Reads the events of a cluster, which was created with RECORD_EVENTS of them. */
int recording_read(struct recording *recording, struct vsm_cluster *cluster);

/* --- the cluster, its buffers and tensor maps ----------------------------- */

/* Objects of a scenario */
struct objects {
	const struct scenario *scenario;
	struct vsm_device *device;
	/* The cluster has a flight recorder, and events name the lines of the scenario */
	bool records;
	struct vsm_cluster *cluster;
	/* Buffers in the order of their statements; NULL before the statement */
	struct vsm_buffer **buffers;
	struct drm_vsm_tensor_map *maps;	/* tensor maps in the order of their statements */
};

/*
 * objects_create() creates the cluster, and allocates the arrays of buffers and maps. The other two
 * functions create one object. All three return 0 or a negative errno.
 */
int objects_create(struct objects *objects);
int create_buffer(struct objects *objects, unsigned int index);
int create_tensor_map(struct objects *objects, const struct tensor *tensor, const char **reason);

/* Returns the address at which this process has mapped a place. */
void *memory_at(const struct objects *objects, const struct place *place);
#define PLACE_SIZE 16
/* Returns the name of a place's buffer, or writes "CTA RANK" to @text and returns @text. */
const char *memory_name(const struct objects *objects, const struct place *place,
			char text[PLACE_SIZE]);
/* Executes a fill statement. */
void fill_memory(const struct objects *objects, const struct statement *fill);

/* --- registers and operands ----------------------------------------------- */

struct events;
struct jobs;

/**
 * struct thread - A device thread
 * @objects: Objects that the instructions of the thread use
 * @events: Gets a record of each asynchronous instruction of the thread
 * @jobs: Gets each job that the thread submits
 * @place: CTA and number of the thread
 * @line: Line of the statement that the thread executes
 * @no_limit: A try_wait without suspendTimeHint suspends until its phase completes
 * @registers: Values of the thread's registers
 * @tried: The thread's last SYNCS.PHASECHK.TRANS64.TRYWAIT, as it was executed; @tried.op is 0 if
 * the thread has executed none
 * @executing: The host thread is in a call of the device, or just before or after it; while this is
 * set, it can sleep only in the device
 */
struct thread {
	const struct objects *objects;
	struct events *events;
	struct jobs *jobs;
	struct scenario_thread place;
	unsigned int line;
	bool no_limit;
	uint64_t *registers;
	struct drm_vsm_insn tried;
	atomic_bool executing;
};

uint64_t operand_value(const struct thread *t, const struct operand *operand);
/* Returns the address of an operand: an offset in a buffer, or a cluster shared address. */
uint64_t operand_address(const struct thread *t, const struct operand *operand);
/* Returns the result of a PRMT instruction. */
uint32_t permuted(const struct thread *t, const struct instruction *insn);
/* Writes the result of an instruction to its destination registers. */
void set_destination(struct thread *t, const struct instruction *insn, uint64_t value);

void step(struct thread *t, const struct statement *statement, struct outcome *outcome);

#endif
