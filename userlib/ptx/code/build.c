// SPDX-License-Identifier: MIT
/*
 * A program while it is being built: its memory and its rows.
 */
#include <stdlib.h>

#include "code/build.h"

void *ptx_grow(void *array, uint32_t count, size_t size)
{
	/* The space doubles whenever the number of elements is a power of two. */
	if (count & (count - 1))
		return array;
	return realloc(array, (count ? 2 * (size_t)count : 1) * size);
}

void *ptx_extra_alloc(struct ptx_builder *b, size_t size)
{
	struct ptx_extra *extra = calloc(1, sizeof(*extra) + size);

	if (!extra) {
		b->failed = true;
		return NULL;
	}
	extra->next = b->program->extras;
	b->program->extras = extra;
	return extra->data;
}

uint32_t ptx_frame_row(struct ptx_builder *b)
{
	return PTX_ROW(FILE_FRAME, b->body->rows++);
}
