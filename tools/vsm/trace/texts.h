/* SPDX-License-Identifier: MIT */
/*
 * A list of texts in which each text is only once.
 */
#ifndef _TRACE_TEXTS_H_
#define _TRACE_TEXTS_H_

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
 * struct texts - A list of texts
 * @list: The texts
 * @count: Number of texts
 * @slots: Hash table: number of a text plus 1, or 0
 * @slot_count: Size of @slots: a power of two, at least twice @count; or 0
 */
struct texts {
	struct text *list;
	size_t count;
	size_t *slots;
	size_t slot_count;
};

/* Returns the number of a text, which is added if it is new. Begin with a list of zeros. */
size_t texts_add(struct texts *texts, const char *bytes, size_t size);
void texts_free(struct texts *texts);

#endif
