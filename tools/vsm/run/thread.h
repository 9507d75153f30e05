/* SPDX-License-Identifier: MIT */
/*
 * The registers of a device thread, and the values of operands.
 */
#ifndef _RUN_THREAD_H_
#define _RUN_THREAD_H_

#include <stdatomic.h>

#include "run/objects.h"
#include "run/outcome.h"

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
/*
 * Sets @addr to the address of an operand in shared memory. Returns 0, or -EFAULT if the address
 * has more than 32 bits.
 */
int operand_shared_address(const struct thread *t, const struct operand *operand,
			   struct outcome *outcome, uint32_t *addr);
/* Returns the result of a PRMT instruction. */
uint32_t permuted(const struct thread *t, const struct instruction *insn);
/* Writes the result of an instruction to its destination registers. */
void set_destination(struct thread *t, const struct instruction *insn, uint64_t value);

#endif
