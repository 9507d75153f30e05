// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations in flight that get in each other's way. An operation that is issued while another one
 * is in flight is not ordered behind it. So it must not write bytes that the other reads or
 * writes, nor read bytes that the other writes. Reductions are atomic and may use the same bytes.
 *
 * Most operations use bytes of their own. A range around all bytes that are read, and one around
 * all that are written, show that at once. Only uses within these ranges are looked up in the list.
 */
#include <linux/minmax.h>

#include "core/vsm_core.h"
#include "object/vsm_hazard.h"

/* Uses of an object that are kept; further operations are checked, but not kept. */
#define VSM_MAX_HAZARDS	1024

void vsm_hazards_init(struct vsm_hazards *set)
{
	spin_lock_init(&set->lock);
	INIT_LIST_HEAD(&set->list);
}

static bool vsm_span_overlaps(const struct vsm_span *span, u64 start, u64 end)
{
	return start < span->end && span->start < end;
}

static void vsm_span_add(struct vsm_span *span, u64 start, u64 end)
{
	/* An empty range is all zeros. */
	span->start = span->end ? min(span->start, start) : start;
	span->end = max(span->end, end);
}

static enum drm_vsm_fault vsm_hazard_check_use(const struct vsm_hazard *hazard, enum vsm_use use)
{
	if (use == VSM_USE_READ)
		return hazard->use == VSM_USE_READ ? DRM_VSM_FAULT_NONE
						   : DRM_VSM_FAULT_COPY_INCOMPLETE;
	if (use == VSM_USE_REDUCE && hazard->use == VSM_USE_REDUCE)
		return DRM_VSM_FAULT_NONE;
	return DRM_VSM_FAULT_COPY_OVERLAP;
}

static enum drm_vsm_fault vsm_hazards_check(const struct vsm_hazards *set, u64 start, u64 end,
					    enum vsm_use use)
{
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	const struct vsm_hazard *hazard;

	lockdep_assert_held(&set->lock);
	if (!vsm_span_overlaps(&set->written, start, end) &&
	    (use == VSM_USE_READ || !vsm_span_overlaps(&set->read, start, end)))
		return DRM_VSM_FAULT_NONE;
	list_for_each_entry(hazard, &set->list, link) {
		if (start < hazard->end && hazard->start < end)
			fault = vsm_hazard_check_use(hazard, use);
		if (fault)
			break;
	}
	return fault;
}

/**
 * vsm_hazard_enter - An operation begins to use bytes of an object
 * @set: The object's hazards
 * @hazard: The operation's hazard, all zeros
 * @start: First byte
 * @size: Bytes
 * @use: What the operation does with them
 * @report: Rules that are only reported, a mask of DRM_VSM_RULE()
 *
 * Return: %DRM_VSM_FAULT_NONE, or the rule that the operation breaks. Unless that rule is in
 * @report, the operation does not use the bytes.
 */
enum drm_vsm_fault vsm_hazard_enter(struct vsm_hazards *set, struct vsm_hazard *hazard,
				    u64 start, u64 size, enum vsm_use use, u64 report)
{
	u64 end = start + size;
	enum drm_vsm_fault fault;

	if (!size)
		return DRM_VSM_FAULT_NONE;
	spin_lock(&set->lock);
	fault = vsm_hazards_check(set, start, end, use);
	if ((!fault || report & DRM_VSM_RULE(fault)) && set->count < VSM_MAX_HAZARDS) {
		hazard->set = set;
		hazard->start = start;
		hazard->end = end;
		hazard->use = use;
		list_add_tail(&hazard->link, &set->list);
		set->count++;
		vsm_span_add(use == VSM_USE_READ ? &set->read : &set->written, start, end);
	}
	spin_unlock(&set->lock);
	return fault;
}

/**
 * vsm_hazard_leave - An operation no longer uses its bytes
 * @hazard: The operation's hazard, whether it has entered or not
 */
void vsm_hazard_leave(struct vsm_hazard *hazard)
{
	struct vsm_hazards *set = hazard->set;

	if (!set)
		return;
	spin_lock(&set->lock);
	list_del(&hazard->link);
	if (!--set->count) {
		set->read = (struct vsm_span) {};
		set->written = (struct vsm_span) {};
	}
	spin_unlock(&set->lock);
	hazard->set = NULL;
}
