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

static bool vsm_span_overlaps(const struct vsm_span *span, const struct vsm_hazard *hazard)
{
	return hazard->start < span->end && span->start < hazard->end;
}

static void vsm_span_add(struct vsm_span *span, const struct vsm_hazard *hazard)
{
	span->start = min(span->start, hazard->start);
	span->end = max(span->end, hazard->end);
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
static noinline enum drm_vsm_fault vsm_hazards_search(const struct vsm_hazards *set,
						      const struct vsm_hazard *hazard)
{
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	const struct vsm_hazard *other;

	lockdep_assert_held(&set->lock);
	hlist_for_each_entry(other, &set->list, link) {
		if (hazard->start < other->end && other->start < hazard->end)
			fault = vsm_hazard_check_use(other, hazard->use);
		if (fault)
			break;
	}
	return fault;
}

/**
 * vsm_hazard_enter - An operation begins to use bytes of an object
 * @set: The object's hazards
 * @hazard: The operation's hazard, which has @start, @end and @use, and no @set
 * @report: Rules that are only reported, a mask of DRM_VSM_RULE()
 *
 * Return: %DRM_VSM_FAULT_NONE, or the rule that the operation breaks. If that rule is not in
 * @report, the use has not been entered.
 */
enum drm_vsm_fault vsm_hazard_enter(struct vsm_hazards *set, struct vsm_hazard *hazard, u64 report)
{
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;

	if (hazard->start == hazard->end)
		return DRM_VSM_FAULT_NONE;
	spin_lock(&set->lock);
	if (vsm_span_overlaps(&set->written, hazard) ||
	    (hazard->use != VSM_USE_READ && vsm_span_overlaps(&set->read, hazard)))
		fault = vsm_hazards_search(set, hazard);
	if ((!fault || report & DRM_VSM_RULE(fault)) && set->count < VSM_MAX_HAZARDS) {
		hazard->set = set;
		hlist_add_head(&hazard->link, &set->list);
		set->count++;
		vsm_span_add(hazard->use == VSM_USE_READ ? &set->read : &set->written, hazard);
	}
	spin_unlock(&set->lock);
	return fault;
}

/**
 * vsm_hazards_leave - Operations no longer use their bytes
 * @hazards: Hazards of the operations, entered or not. Neighbours of the same object leave under
 *	one lock
 * @count: Number of hazards; few, because the lock is held meanwhile
 */
void vsm_hazards_leave(struct vsm_hazard *const *hazards, u32 count)
{
	struct vsm_hazard *const *end = hazards + count;

	while (hazards < end) {
		struct vsm_hazards *set = (*hazards)->set;

		if (!set) {
			hazards++;
			continue;
		}
		spin_lock(&set->lock);
		do {
			(*hazards)->set = NULL;
			__hlist_del(&(*hazards)->link);
			set->count--;
			hazards++;
		} while (hazards < end && (*hazards)->set == set);
		if (!set->count) {
			set->read = VSM_EMPTY_SPAN;
			set->written = VSM_EMPTY_SPAN;
		}
		spin_unlock(&set->lock);
	}
}
