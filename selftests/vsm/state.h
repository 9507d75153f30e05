/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads what a cluster is doing.
 */
#ifndef VSM_TEST_STATE_H
#define VSM_TEST_STATE_H

#include "vsm_test.h"

#define MAX_ENTRIES 4096

/* The state of a cluster */
struct listing {
	struct drm_vsm_cluster_state args;	/* argument of the ioctl */
	struct drm_vsm_state_entry entries[MAX_ENTRIES];
};

/* Fills in an argument that asks for at most @count entries. */
static inline void state_prepare(struct listing *l, uint32_t handle, uint32_t number,
				 uint32_t flags, uint32_t count)
{
	memset(l, 0xa5, sizeof(*l));
	l->args.handle = handle;
	l->args.number = number;
	l->args.flags = flags;
	l->args.entries = (uintptr_t)l->entries;
	l->args.stride = sizeof(l->entries[0]);
	l->args.count = count;
}

static inline int state_call(struct listing *l, int fd)
{
	return vsm_ioctl(fd, DRM_IOCTL_VSM_CLUSTER_STATE, &l->args);
}

/* Reads the state of a cluster by its handle. */
static inline int state_read(struct listing *l, const struct cluster *c)
{
	state_prepare(l, c->handle, 0, 0, MAX_ENTRIES);
	return state_call(l, c->fd);
}

/* Reads the state of the cluster with a number, or of the next one. */
static inline int state_by_number(struct listing *l, int fd, uint32_t number, uint32_t flag)
{
	state_prepare(l, 0, number, flag, MAX_ENTRIES);
	return state_call(l, fd);
}

/* Returns the entry number @n of a kind, from 0, or NULL if there are fewer. */
static inline struct drm_vsm_state_entry *state_entry(struct listing *l, uint32_t kind, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < l->args.count; i++)
		if (l->entries[i].kind == kind && !n--)
			return &l->entries[i];
	return NULL;
}

/* Sets @e to an entry, which must be there. */
#define FIND_ENTRY(e, kind, n) \
	ASSERT_NE(NULL, e = state_entry(self->l, DRM_VSM_STATE_##kind, n))

/* The number of entries of a kind. */
static inline uint32_t state_count(struct listing *l, uint32_t kind)
{
	uint32_t n = 0;

	while (state_entry(l, kind, n))
		n++;
	return n;
}

#endif
