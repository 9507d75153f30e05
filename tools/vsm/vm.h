/* SPDX-License-Identifier: MIT */
/* Runs commands in a virtual machine that has the device (--vm). */
#ifndef _VM_H_
#define _VM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Does this program run in the virtual machine of tools/vm/run? Then it ignores --vm. */
bool vm_inside(void);
/*
 * Runs `vsm @argv...` with tools/vm/run, with the kernel of this name or, if it is NULL, with the
 * default one. The files that vm_expect() has named come back. Returns the exit status. @argv[0] is
 * the name of the command.
 */
int vm_run(const char *kernel, int argc, char *const *argv);
/* Does the same for a command that runs another program, and returns the status of that. */
int vm_run_program(const char *kernel, int argc, char *const *argv);
/* Numbers from here on are for files of results. Outputs of launches have smaller numbers. */
#define VM_OUTPUT_RESULTS (SIZE_MAX - 15)
/* Number of a trace, or of what is made of it. */
#define VM_OUTPUT_TRACE (SIZE_MAX - 16)
/* Says that vm_run() runs a command that may write this file, with vm_output_path(). */
void vm_expect(const char *path, size_t number);
/*
 * Returns the path under which to write the file @path, which the caller frees. It is a different
 * path in a virtual machine that vm_run() has started. @number is different for each file of a
 * command. The new path has the same ending.
 */
char *vm_output_path(const char *path, size_t number);

#endif
