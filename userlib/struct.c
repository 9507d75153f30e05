// SPDX-License-Identifier: MIT
/*
 * Structures of which the caller and the library know different lengths.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"

/*
 * Bytes that only pad a structure are not set by programs. A later version may put a member there.
 */
#define ENDS_WITH(type, member)							\
	_Static_assert(offsetof(struct type, member) + sizeof(((struct type *)0)->member) == \
		       sizeof(struct type), #type " has no padding at its end")
ENDS_WITH(vsm_cluster_config, enforce);
ENDS_WITH(vsm_thread, fault);

/* What @from lacks is 0 in @to. What @to lacks is left out. */
void vsm_struct_copy(void *to, size_t to_size, const void *from, size_t from_size)
{
	size_t known = to_size < from_size ? to_size : from_size;

	memcpy(to, from, known);
	memset((char *)to + known, 0, to_size - known);
}

/* The same, but that what @to lacks must be 0: it would ask for what the library does not do. */
int vsm_struct_get(void *to, size_t to_size, const void *from, size_t from_size)
{
	const char *bytes = from;
	size_t i;

	for (i = to_size; i < from_size; i++)
		if (bytes[i])
			return -E2BIG;
	vsm_struct_copy(to, to_size, from, from_size);
	return 0;
}
