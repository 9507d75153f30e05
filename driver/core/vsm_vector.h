/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moving rows of 128 bytes, whose 16-byte chunks are swizzled, with the vector registers of the
 * processor.
 */
#ifndef _VSM_VECTOR_H_
#define _VSM_VECTOR_H_

#include "vsm_core.h"

#define VSM_VECTOR_ROW	128	/* bytes */

/**
 * struct vsm_vector_rows - Rows to move
 * @to: First row of the destination
 * @from: First row of the source
 * @to_stride: Bytes from one row of the destination to the next
 * @from_stride: Bytes from one row of the source to the next
 * @at: Offset in the window of the first row, a multiple of %VSM_VECTOR_ROW. The bits from 7 up
 *	select the pattern of the swizzle. The next row is %VSM_VECTOR_ROW further.
 * @count: Number of rows
 */
struct vsm_vector_rows {
	void *to;
	const void *from;
	__u64 to_stride;
	__u64 from_stride;
	__u32 at;
	__u32 count;
};

bool vsm_vector_move(const struct vsm_vector_rows *rows);

#endif
