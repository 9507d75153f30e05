// SPDX-License-Identifier: MIT
/* Copying structures of which the caller and the library may know different sizes. */
#include <errno.h>
#include <string.h>

#include "internal.h"

/*
 * No structure may end with padding: programs leave padding uninitialised, and a member that a
 * later version adds would be in its place.
 */
#define ENDS_WITH(type, member)							\
	_Static_assert(offsetof(struct type, member) + sizeof(((struct type *)0)->member) == \
		       sizeof(struct type), #type " has no padding at its end")
ENDS_WITH(vsm_channel_config, pad);
ENDS_WITH(vsm_cluster_config, pad);
ENDS_WITH(vsm_tensor_config, pixels);
ENDS_WITH(vsm_thread, site);

/* Copy a structure. If @to is larger, its other bytes become 0. If @from is larger, cut it off. */
void vsm_struct_copy(void *to, size_t to_size, const void *from, size_t from_size)
{
	size_t known = to_size < from_size ? to_size : from_size;

	memcpy(to, from, known);
	memset((char *)to + known, 0, to_size - known);
}

/* Check that all bytes of @from beyond @known are 0: the library cannot do what they ask for. */
int vsm_struct_check(const void *from, size_t from_size, size_t known)
{
	const char *bytes = from;
	size_t i;

	for (i = known; i < from_size; i++)
		if (bytes[i])
			return -E2BIG;
	return 0;
}

int vsm_struct_get(void *to, size_t to_size, const void *from, size_t from_size)
{
	int err = vsm_struct_check(from, from_size, to_size);

	if (!err)
		vsm_struct_copy(to, to_size, from, from_size);
	return err;
}
