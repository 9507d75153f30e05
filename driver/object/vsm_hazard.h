/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes of an object that operations in flight use.
 */
#ifndef _VSM_HAZARD_H_
#define _VSM_HAZARD_H_

#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>

#include <drm/vsm_drm.h>

#include "core/vsm_core.h"

/* The most uses in the list of an object. Further operations are checked, but not added. */
#define VSM_MAX_HAZARDS	1024

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
enum drm_vsm_fault vsm_hazards_search(const struct vsm_hazards *set,
				      const struct vsm_hazard *hazard);
void vsm_hazards_leave(struct vsm_hazard *const *hazards, u32 count);

static inline bool vsm_span_overlaps(const struct vsm_span *span, u64 start, u64 end)
{
	return start < span->end && span->start < end;
}

static inline void vsm_span_add(struct vsm_span *span, u64 start, u64 end)
{
	span->start = min(span->start, start);
	span->end = max(span->end, end);
}

/**
 * vsm_hazard_enter - An operation begins to use bytes of an object
 * @set: The object's hazards
 * @hazard: The operation's hazard; its @set is NULL
 * @start: First byte
 * @size: Bytes
 * @use: What the operation does with the bytes
 * @report: Rules that are only reported, a mask of DRM_VSM_RULE()
 *
 * Return: %DRM_VSM_FAULT_NONE, or the rule that the operation breaks. If that rule is not in
 * @report, the use has not been entered.
 */
static inline enum drm_vsm_fault vsm_hazard_enter(struct vsm_hazards *set,
						  struct vsm_hazard *hazard, u64 start, u64 size,
						  enum vsm_use use, u64 report)
{
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	u64 end = start + size;

	if (!size)
		return DRM_VSM_FAULT_NONE;
	hazard->start = start;
	hazard->end = end;
	hazard->use = use;
	spin_lock(&set->lock);
	if (vsm_span_overlaps(&set->written, start, end) ||
	    (use != VSM_USE_READ && vsm_span_overlaps(&set->read, start, end)))
		fault = vsm_hazards_search(set, hazard);
	if (likely(!fault || report & DRM_VSM_RULE(fault)) && set->count < VSM_MAX_HAZARDS) {
		hazard->set = set;
		hlist_add_head(&hazard->link, &set->list);
		set->count++;
		vsm_span_add(use == VSM_USE_READ ? &set->read : &set->written, start, end);
	}
	spin_unlock(&set->lock);
	return fault;
}

static inline void vsm_hazard_leave(struct vsm_hazard *hazard)
{
	vsm_hazards_leave(&hazard, 1);
}

#endif
