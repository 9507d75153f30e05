/* SPDX-License-Identifier: MIT */
/*
 * A device thread: its place and its registers.
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
 * @objects: Objects that its instructions use
 * @events: Receives its asynchronous instructions
 * @jobs: Receives its jobs
 * @place: CTA and number
 * @no_limit: A try_wait without suspendTimeHint suspends until its phase completes
 * @registers: Values of the registers
 * @tried: Its last SYNCS.PHASECHK.TRANS64.TRYWAIT, as it was executed; @tried.op is 0 if there is
 *	none
 * @executing: The host thread is in the device or about to enter it. It sleeps nowhere else
 *	while this is set
 */
struct thread {
	const struct objects *objects;
	struct events *events;
	struct jobs *jobs;
	struct scenario_thread place;
	bool no_limit;
	uint64_t *registers;
	struct drm_vsm_insn tried;
	atomic_bool executing;
};

uint64_t operand_value(const struct thread *t, const struct operand *operand);
/* An address in a buffer, or in shared memory with the CTA in its high bits. */
uint64_t operand_address(const struct thread *t, const struct operand *operand);
/* The same for shared memory; an address of more than 32 bits is refused. */
int operand_shared_address(const struct thread *t, const struct operand *operand,
			   struct outcome *outcome, uint32_t *addr);
/* Result of PRMT. */
uint32_t permuted(const struct thread *t, const struct instruction *insn);
/* Writes the result of an instruction to its destination registers. */
void set_destination(struct thread *t, const struct instruction *insn, uint64_t value);

#endif
