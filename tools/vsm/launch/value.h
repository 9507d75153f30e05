/* SPDX-License-Identifier: MIT */
/*
 * Values in launch files and on the command line: sizes, dimensions, times, typed numbers.
 */
#ifndef _LAUNCH_VALUE_H_
#define _LAUNCH_VALUE_H_

#include <stdio.h>

#include "text/lex.h"

/** enum value_kind - What the bits of a value mean */
enum value_kind {
	VALUE_UNSIGNED,
	VALUE_SIGNED,
	VALUE_BITS,
	VALUE_FLOAT,
};

/**
 * struct value_type - A type of numbers
 * @name: Name
 * @bytes: Bytes
 * @kind: What the bits mean
 */
struct value_type {
	const char *name;
	unsigned int bytes;
	enum value_kind kind;
};

/* Returns the type of this name; NULL if there is none. */
const struct value_type *value_type_find(struct span name);
/* Reads the name of a type. */
bool need_value_type(struct cursor *c, const struct value_type **type);
/* Reads a number of this type. Sets @bits to its bits. */
bool need_value(struct cursor *c, const struct value_type *type, uint64_t *bits);
/* Prints the number of this type at @at. */
void print_value(FILE *out, const struct value_type *type, const void *at);

/* Reads a number that may end with K, M or G, which stand for 2^10, 2^20 and 2^30. */
bool need_bytes(struct cursor *c, const char *what, uint64_t max, uint64_t *bytes);
/* Reads X, X,Y or X,Y,Z, which must not be 0. The others become 1. */
bool need_dimensions(struct cursor *c, const char *what, uint32_t dimensions[3]);
/* Reads a time with its unit, such as 10s. Sets @ns to nanoseconds. */
bool need_time(struct cursor *c, const char *what, uint64_t *ns);
/* Reads strict or hardware. */
bool need_policy(struct cursor *c, unsigned int *policy);
/*
 * Reads the name of a file: all characters up to @stop, or up to a space if @stop is 0. Sets @name
 * to a copy, which the caller frees.
 */
bool need_file(struct cursor *c, char stop, char **name);

#endif
