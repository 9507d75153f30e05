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
#include "object/vsm_hazard.h"

/* The range from the first byte that is added to the last one begins as this. */
#define VSM_EMPTY_SPAN	((struct vsm_span) { .start = U64_MAX, .end = 0 })

void vsm_hazards_init(struct vsm_hazards *set)
{
	spin_lock_init(&set->lock);
	INIT_HLIST_HEAD(&set->list);
	set->read = VSM_EMPTY_SPAN;
	set->written = VSM_EMPTY_SPAN;
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

/* The bytes overlap one of the ranges around all uses: compare them with each use. */
enum drm_vsm_fault vsm_hazards_search(const struct vsm_hazards *set,
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
 * vsm_hazards_leave - Operations no longer use their bytes
 * @hazards: Hazards of the operations, entered or not. Neighbours in this array that are in the
 *	list of the same object leave it under one lock
 * @count: Number of hazards; few, because the lock is held for all neighbours
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
			struct vsm_hazard *hazard = *hazards;

			hazard->set = NULL;
			__hlist_del(&hazard->link);
			set->count--;
		} while (++hazards < end && (*hazards)->set == set);
		if (!set->count) {
			set->read = VSM_EMPTY_SPAN;
			set->written = VSM_EMPTY_SPAN;
		}
		spin_unlock(&set->lock);
	}
}
