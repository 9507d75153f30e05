// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conflicts between operations in flight. An operation that is issued while another one is in
 * flight is not ordered after it. The new one must therefore not write bytes that the other one
 * reads or writes, and must not read bytes that the other one writes. Reductions are atomic, and
 * several of them may use the same bytes.
 *
 * Most operations use bytes that no other operation uses. Two ranges show that at once: one around
 * all bytes that are read, and one around all bytes that are written. The list is searched only for
 * uses that overlap these ranges.
 */
#include <linux/minmax.h>

#include "core/vsm_core.h"
#include "object/vsm_hazard.h"

/* The most uses in the list of an object. Further operations are checked, but not added. */
#define VSM_MAX_HAZARDS	1024

/* The range from the first byte that is added to the last one begins as this. */
#define VSM_EMPTY_SPAN	((struct vsm_span) { .start = U64_MAX, .end = 0 })

void vsm_hazards_init(struct vsm_hazards *set)
{
	spin_lock_init(&set->lock);
	INIT_HLIST_HEAD(&set->list);
	set->read = VSM_EMPTY_SPAN;
	set->written = VSM_EMPTY_SPAN;
}

static bool vsm_span_overlaps(const struct vsm_span *span, u64 start, u64 end)
{
	return start < span->end && span->start < end;
}

static void vsm_span_add(struct vsm_span *span, u64 start, u64 end)
{
	span->start = min(span->start, start);
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

/* The bytes overlap a range around others: look whether they overlap these. */
static noinline enum drm_vsm_fault vsm_hazards_search(const struct vsm_hazards *set, u64 start,
						      u64 end, enum vsm_use use)
{
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	const struct vsm_hazard *hazard;

	lockdep_assert_held(&set->lock);
	hlist_for_each_entry(hazard, &set->list, link) {
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
 * @use: What the operation does with the bytes
 * @report: Rules that are only reported, a mask of DRM_VSM_RULE()
 *
 * Return: %DRM_VSM_FAULT_NONE, or the rule that the operation breaks. If that rule is not in
 * @report, the use has not been entered.
 */
enum drm_vsm_fault vsm_hazard_enter(struct vsm_hazards *set, struct vsm_hazard *hazard,
				    u64 start, u64 size, enum vsm_use use, u64 report)
{
	u64 end = start + size;
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;

	if (!size)
		return DRM_VSM_FAULT_NONE;
	spin_lock(&set->lock);
	if (vsm_span_overlaps(&set->written, start, end) ||
	    (use != VSM_USE_READ && vsm_span_overlaps(&set->read, start, end)))
		fault = vsm_hazards_search(set, start, end, use);
	if ((!fault || report & DRM_VSM_RULE(fault)) && set->count < VSM_MAX_HAZARDS) {
		hazard->set = set;
		hazard->start = start;
		hazard->end = end;
		hazard->use = use;
		hlist_add_head(&hazard->link, &set->list);
		set->count++;
		vsm_span_add(use == VSM_USE_READ ? &set->read : &set->written, start, end);
	}
	spin_unlock(&set->lock);
	return fault;
}

/**
 * vsm_hazard_leave - An operation no longer uses its bytes
 * @hazard: The operation's hazard, entered or not
 */
void vsm_hazard_leave(struct vsm_hazard *hazard)
{
	struct vsm_hazards *set = hazard->set;

	if (!set)
		return;
	spin_lock(&set->lock);
	__hlist_del(&hazard->link);
	if (!--set->count) {
		set->read = VSM_EMPTY_SPAN;
		set->written = VSM_EMPTY_SPAN;
	}
	spin_unlock(&set->lock);
	hazard->set = NULL;
}
