/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The exchange of a word for its next value.
 */
#ifndef _VSM_EXCHANGE_H_
#define _VSM_EXCHANGE_H_

#include "base/vsm_fault.h"
#include "object/vsm_cluster.h"

struct vsm_bucket;
struct vsm_wakes;

/**
 * struct vsm_release - Inits that an operation makes visible if it is performed
 * @cta: Rank of the CTA that did the inits
 * @number: The inits of the CTA up to this number become visible (vsm_shadow_pending())
 */
struct vsm_release {
	u32 cta;
	u64 number;
};

bool vsm_engine_complete_locked(struct vsm_cluster *cluster, struct vsm_bucket *bucket,
				struct vsm_shadow *shadow, const struct vsm_origin *origin,
				const struct drm_vsm_insn *insn, u32 index, u64 old, u64 next,
				const struct vsm_release *release, struct vsm_wakes *wakes);
bool vsm_engine_complete(struct vsm_cluster *cluster, struct vsm_shadow *shadow, u32 index,
			 u64 old, u64 next, const struct vsm_release *release);
bool vsm_engine_complete_recording(struct vsm_cluster *cluster, struct vsm_shadow *shadow,
				   const struct drm_vsm_insn *insn,
				   const struct vsm_origin *origin, u32 index, u64 old, u64 next,
				   const struct vsm_release *release);

/*
 * Exchange the word with release semantics, and make inits visible if that succeeds. Both happen
 * under @visible_lock. A thread that acquires the word afterwards, and finds an init that is not
 * visible, takes the same lock in vsm_shadow_update() and then finds the init visible. No thread
 * finds it visible before the exchange.
 */
static inline bool vsm_engine_exchange_release(struct vsm_cluster *cluster, u64 *p, u64 old,
					       u64 next, const struct vsm_release *release)
{
	bool done;

	if (likely(!release))
		return cmpxchg_release(p, old, next) == old;
	spin_lock(&cluster->visible_lock);
	done = cmpxchg_release(p, old, next) == old;
	if (done)
		vsm_inits_make_visible(&cluster->visible[release->cta].inits, release->number);
	spin_unlock(&cluster->visible_lock);
	return done;
}

/* Exchange the word for the result of an operation; false if it is no longer @old. */
static __always_inline bool vsm_engine_exchange(struct vsm_cluster *cluster,
						struct vsm_shadow *shadow,
						const struct drm_vsm_insn *insn,
						const struct vsm_origin *origin, u32 index,
						u64 old, u64 next,
						const struct vsm_release *release)
{
	u64 *p = vsm_cluster_word(cluster, index);
	bool done;

	if ((old ^ next) & VSM_MBARRIER_PHASE) {
		if (vsm_is_recording())
			return vsm_engine_complete_recording(cluster, shadow, insn, origin, index,
							     old, next, release);
		return vsm_engine_complete(cluster, shadow, index, old, next, release);
	}
	if (insn->sem == DRM_VSM_SEM_RELAXED)
		done = cmpxchg_relaxed(p, old, next) == old;
	else
		done = vsm_engine_exchange_release(cluster, p, old, next, release);
	if (vsm_is_recording() && done)
		vsm_record_insn(origin, insn, old, next);
	return done;
}

#endif
