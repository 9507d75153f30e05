/* SPDX-License-Identifier: MIT */
/*
 * Structures whose size a caller gives, because it may be older or newer than this library.
 */
#ifndef _PTX_RUN_SIZED_H_
#define _PTX_RUN_SIZED_H_

#include <stddef.h>
#include <string.h>

/*
 * Copies the structure @from into that of a caller. A shorter one gets the members that it has; in
 * a longer one, the members that this library does not know are 0.
 */
static inline void ptx_struct_copy(void *to, size_t to_size, const void *from, size_t from_size)
{
	memset(to, 0, to_size);
	memcpy(to, from, to_size < from_size ? to_size : from_size);
}

#endif
