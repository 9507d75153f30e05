/* SPDX-License-Identifier: MIT */
/*
 * Values of registers during the check of a scenario. A value is known if constants determine it.
 */
#ifndef _CHECK_VALUE_H_
#define _CHECK_VALUE_H_

#include "run/thread.h"
#include "scenario/scenario.h"

/**
 * struct value_thread - Registers of a device thread
 * @thread: The device thread, whose registers have the values
 * @known: For each register, whether its value is known
 */
struct value_thread {
	struct thread thread;
	bool *known;
};

/* Creates the registers of each thread of the scenario. No value is known at first. */
struct value_thread *values_create(const struct scenario *s);
void values_free(const struct scenario *s, struct value_thread *threads);

bool value_known(const struct value_thread *t, const struct operand *operand);
/*
 * Returns whether it is known if the instruction executes: it has no guard, or the guard's value is
 * known.
 */
bool value_decides(const struct value_thread *t, const struct instruction *insn);
/* Returns whether it is known that the guard of an instruction skips it. */
bool value_skips(const struct value_thread *t, const struct instruction *insn);
/* Updates the registers as the instruction would. A result of the device is not known. */
void value_step(struct value_thread *t, const struct instruction *insn);

#endif
