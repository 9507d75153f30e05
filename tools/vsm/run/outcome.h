/* SPDX-License-Identifier: MIT */
/*
 * The outcome of a statement on one thread.
 */
#ifndef _RUN_OUTCOME_H_
#define _RUN_OUTCOME_H_

#include <stdbool.h>
#include <vsm.h>

/**
 * struct outcome - Outcome of a statement
 * @err: 0 or a negative errno
 * @insn: The instruction, in which the device has written its result or its fault
 * @cta: CTA of the thread that executed the statement
 * @thread: Number of the thread
 * @several: Several threads executed the statement
 * @note: Reason of @err, if the error is not from the device
 * @expected: An expectation has used the fault
 * @line: Line of the refused instruction if it is not the line of the statement, else 0
 */
struct outcome {
	int err;
	struct drm_vsm_insn insn;
	uint16_t cta;
	uint16_t thread;
	bool several;
	char note[96];
	bool expected;
	unsigned int line;
};

/* Writes the note of an outcome. Returns @err. */
int refuse(struct outcome *outcome, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#define OF_SIZE 24
/* Writes " of CTA.THREAD" if several threads executed the statement, or nothing. */
const char *outcome_of(const struct outcome *outcome, char text[OF_SIZE]);

#define OUTCOME_SIZE 512
/* Writes a description of an outcome to @text. Returns @text. */
const char *outcome_text(const struct outcome *outcome, enum vsm_layout layout,
			 char text[OUTCOME_SIZE]);

#endif
