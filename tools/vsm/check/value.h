/* SPDX-License-Identifier: MIT */
/*
 * Values of registers that are known before a scenario runs: those that constants determine.
 */
#ifndef _CHECK_VALUE_H_
#define _CHECK_VALUE_H_

#include "run/thread.h"
#include "scenario/scenario.h"

/**
 * struct value_thread - Registers of a device thread
 * @thread: The thread with the values
 * @known: Which values are known
 */
struct value_thread {
	struct thread thread;
	bool *known;
};

/* One for each thread of the scenario. */
struct value_thread *values_create(const struct scenario *s);
void values_free(const struct scenario *s, struct value_thread *threads);

bool value_known(const struct value_thread *t, const struct operand *operand);
/* Is the guard of an instruction known, if it has one? */
bool value_decides(const struct value_thread *t, const struct instruction *insn);
/* Is it known that an instruction has no effect? */
bool value_skips(const struct value_thread *t, const struct instruction *insn);
/* Executes an instruction as far as registers are concerned. */
void value_step(struct value_thread *t, const struct instruction *insn);

#endif
