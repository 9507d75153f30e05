// SPDX-License-Identifier: MIT
/*
 * The compiler compares the headers with abi.tbl: for this machine, for other dialects of C, and
 * for the 32-bit ABI, whose programs this machine may not be able to run. A wrong row declares an
 * array of negative size.
 */
#include <stddef.h>

#include <drm/vsm_drm.h>
#include <drm/vsm_dump.h>
#include <drm/vsm_tensor.h>

#define NAME_(line) row_##line
#define NAME(line) NAME_(line)
#define ROW(holds) extern char NAME(__LINE__)[(holds) ? 1 : -1]

#define SIZE(type, bytes) ROW(sizeof(struct type) == (bytes) && (bytes) % 8 == 0);
/* Each member is aligned to its own size, so that no ABI adds padding before it. */
#define OFFSET(type, member, bytes, size) \
	ROW(offsetof(struct type, member) == (bytes) && \
	    sizeof(((struct type *)0)->member) == (size) && \
	    (bytes) % ((size) > 8 ? 8 : (size)) == 0);
/* A constant may be negative. */
#define VALUE(constant, number) ROW((__u64)(constant) == (__u64)(number));
#define IOCTL VALUE

#include "abi.tbl"
