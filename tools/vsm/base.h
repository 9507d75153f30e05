/* SPDX-License-Identifier: MIT */
/* Functions that all commands use: messages, exit statuses, names, memory, whole files. */
#ifndef _BASE_H_
#define _BASE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vsm_syntax.h"

/* Exit statuses. */
#define EXIT_OK 0
#define EXIT_FAILED 1
#define EXIT_USAGE 2

/* These two print "vsm: " and a message on standard error, and return the exit status. */
int failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int misused(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * Prints why @command cannot open a device. @err is a negative errno, or 0 if there is no device.
 * @vm: the command has an option --vm. Returns the exit status.
 */
int failed_to_open(const char *command, int err, bool vm);

/* Prints a line: two spaces, @name, padded to @width columns, and the text. */
void print_field(int width, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns the name of a file without its folders. */
const char *base_name(const char *path);

/* CLOCK_MONOTONIC in ns. */
int64_t time_now(void);

/* Returns @memory. Ends the program if it is NULL. */
void *must(void *memory);
/*
 * Makes place for one more element in @array, which has @count elements of @size bytes each.
 * Returns the array, which may have moved. Ends the program if there is no memory. @array must be
 * NULL or come from this function.
 */
void *grow(void *array, size_t count, size_t size);

/*
 * Returns the contents of a file, followed by a 0, and sets @size to their size. If the file cannot
 * be read or is larger than @limit, sets errno and returns NULL.
 */
char *file_read(const char *path, size_t limit, size_t *size);
/* Does the same, but reads standard input if @path is "-". */
char *file_read_or_input(const char *path, size_t limit, size_t *size);

#endif
