/* SPDX-License-Identifier: MIT */
/*
 * Writes and prints the contents of buffers.
 */
#ifndef _LAUNCH_OUTPUT_H_
#define _LAUNCH_OUTPUT_H_

#include "launch/plan.h"

/* Prints elements at @memory to @out. @name is the name of the buffer. */
void print_output(FILE *out, const struct plan_output *output, const char *name,
		  const void *memory);
/*
 * Writes @size bytes to the file of the output. In a virtual machine that `vsm launch --vm` has
 * started, leaves them where the caller of the virtual machine finds them; @number is different for
 * each output. Returns 0 or a negative errno.
 */
int write_output(const struct plan_output *output, size_t number, const void *memory,
		 uint64_t size);

#endif
