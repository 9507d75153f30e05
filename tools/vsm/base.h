/* SPDX-License-Identifier: MIT */
/*
 * What all commands use: messages, exit statuses, memory.
 */
#ifndef _BASE_H_
#define _BASE_H_

#include <stddef.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define BIT(number)	(1U << (number))

/* Exit statuses. */
#define EXIT_OK 0
#define EXIT_FAILED 1
#define EXIT_USAGE 2

/* Print a message on standard error, after "vsm: ". Return the exit status. */
int failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int misused(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The command @command cannot open a device: 0 (there is none) or a negative errno. */
int failed_to_open(const char *command, int err);

/* Prints a line: two spaces, @name in @width columns, the text. */
void print_field(int width, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns @memory. Ends the program if it is NULL. */
void *must(void *memory);
/*
 * Returns @array, of @count elements of @size bytes each, with room for one more. Ends the
 * program when there is no memory. Only this function may have allocated the array.
 */
void *grow(void *array, size_t count, size_t size);

#endif
