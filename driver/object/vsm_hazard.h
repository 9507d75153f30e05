/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes of an object that operations in flight use.
 */
#ifndef _VSM_HAZARD_H_
#define _VSM_HAZARD_H_

#include <linux/list.h>
#include <linux/spinlock.h>

#include <drm/vsm_drm.h>

/* What an operation in flight does with bytes. */
enum vsm_use {
	VSM_USE_READ,
	VSM_USE_WRITE,
	VSM_USE_REDUCE,
};

/**
 * struct vsm_hazard - Bytes of an object that an operation in flight uses
 * @link: In &vsm_hazards.list
 * @set: Hazards of the object; NULL if the operation is not entered there
 * @start: First byte
 * @end: First byte behind the range
 * @use: What the operation does with the bytes
 */
struct vsm_hazard {
	struct hlist_node link;
	struct vsm_hazards *set;
	u64 start;
	u64 end;
	enum vsm_use use;
};

/**
 * struct vsm_hazards - All uses of an object by operations in flight
 * @lock: Protects all other fields
 * @list: The uses
 * @count: Number of uses in @list
 * @read: A range that holds all bytes that are read
 * @written: A range that holds all bytes that are written or reduced
 */
struct vsm_hazards {
	spinlock_t lock; /* all other fields */
	struct hlist_head list;
	u32 count;
	struct vsm_span {
		u64 start;
		u64 end;
	} read, written;
};

void vsm_hazards_init(struct vsm_hazards *set);
enum drm_vsm_fault vsm_hazard_enter(struct vsm_hazards *set, struct vsm_hazard *hazard, u64 report);
void vsm_hazards_leave(struct vsm_hazard *const *hazards, u32 count);

static inline void vsm_hazard_leave(struct vsm_hazard *hazard)
{
	vsm_hazards_leave(&hazard, 1);
}

#endif
