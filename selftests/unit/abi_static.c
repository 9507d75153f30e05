// SPDX-License-Identifier: MIT
/*
 * abi_table.h, checked by the compiler: for other dialects and for the 32-bit
 * ABI, where nothing can be run. The array of a wrong row has a negative size.
 */
#include <stddef.h>

#include <drm/vsm_drm.h>

#define NAME_(line) row_##line
#define NAME(line) NAME_(line)
#define ROW(holds) extern char NAME(__LINE__)[(holds) ? 1 : -1]

#define SIZE(type, bytes) ROW(sizeof(struct type) == (bytes) && (bytes) % 8 == 0);
#define OFFSET(type, member, bytes, size) \
	ROW(offsetof(struct type, member) == (bytes) && \
	    sizeof(((struct type *)0)->member) == (size) && \
	    (bytes) % ((size) > 8 ? 8 : (size)) == 0);
#define VALUE(constant, number) ROW((constant) == (number));

#include "abi_table.h"
