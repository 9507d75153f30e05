/* SPDX-License-Identifier: MIT */
/*
 * The devices of this machine, with those that are ordered but not enabled.
 */
#ifndef _DEVICE_FOUND_H_
#define _DEVICE_FOUND_H_

#include <stddef.h>

/**
 * struct found - A device
 * @name: Name of its folder in configfs, or NULL if it has none
 * @number: N of vsm.N, or -1 if it is not enabled
 * @node: Path of its render node, or NULL if it has none
 */
struct found {
	char *name;
	int number;
	char *node;
};

/*
 * Finds all devices: first those that are enabled, by number, then the others, by name. Returns
 * them, and sets @count.
 */
struct found *found_list(size_t *count);
void found_free(struct found *list, size_t count);

/* Returns the path of the render node of vsm.@number, which the caller frees, or NULL. */
char *found_node(int number);
/* Returns N of "vsm.N", or -1. */
int found_number(const char *device);

#endif
