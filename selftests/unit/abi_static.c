// SPDX-License-Identifier: MIT
/*
 * ABI_TABLE, which is abi_table.h or the table of a released version (ABI_RELEASED), checked by the
 * compiler: for other dialects and for the 32-bit ABI, where nothing can be run. The array of
 * a wrong row has a negative size.
 */
#include <stddef.h>

#include <drm/vsm_drm.h>
#include <drm/vsm_tensor.h>

#define NAME_(line) row_##line
#define NAME(line) NAME_(line)
#define ROW(holds) extern char NAME(__LINE__)[(holds) ? 1 : -1]

#define FIXED(type, bytes) ROW(sizeof(struct type) == (bytes) && (bytes) % 8 == 0);
#define OFFSET(type, member, bytes, size) \
	ROW(offsetof(struct type, member) == (bytes) && \
	    sizeof(((struct type *)0)->member) == (size) && \
	    (bytes) % ((size) > 8 ? 8 : (size)) == 0);
#define VALUE(constant, number) ROW((constant) == (number));

#ifdef ABI_RELEASED
#define IOC_SIZES ((unsigned long)_IOC_SIZEMASK << _IOC_SIZESHIFT)
#define SIZE(type, bytes) ROW(sizeof(struct type) >= (bytes));
#define PAD(...)
#define LEAST(constant, number) ROW((constant) >= (number));
#define IOCTL(constant, number) \
	ROW((((constant) ^ (number)) & ~IOC_SIZES) == 0 && \
	    _IOC_SIZE(constant) >= _IOC_SIZE(number));
#else
#define SIZE FIXED
#define PAD OFFSET
#define LEAST VALUE
#define IOCTL VALUE
#endif

#include ABI_TABLE
