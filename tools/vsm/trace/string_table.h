/* SPDX-License-Identifier: MIT */
/*
 * A list of texts in which each text is only once.
 */
#ifndef _TRACE_STRING_TABLE_H_
#define _TRACE_STRING_TABLE_H_

#include <stddef.h>

/**
 * struct text - A text of the list
 * @bytes: The text
 * @size: Bytes of the text
 */
struct text {
	char *bytes;
	size_t size;
};

/**
 * struct string_table - A list of texts
 * @list: The texts
 * @count: Number of texts
 * @slots: Hash table: number of a text plus 1, or 0
 * @slot_count: Size of @slots: a power of two, at least twice @count; or 0
 */
struct string_table {
	struct text *list;
	size_t count;
	size_t *slots;
	size_t slot_count;
};

/* Returns the number of a text, which is added if it is new. Begin with a list of zeros. */
size_t string_table_add(struct string_table *table, const char *bytes, size_t size);
void string_table_free(struct string_table *table);

#endif
