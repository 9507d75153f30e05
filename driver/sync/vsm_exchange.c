// SPDX-License-Identifier: GPL-2.0-only
/*
 * The exchange of a word for its next value, and the completion of phases. vsm_engine.c says which
 * order the exchange gives.
 *
 * A phase completes while the bucket of the word is locked. The shadow enters the next phase before
 * the word does, the events are recorded, and then the waiters of the phase are woken.
 */
#include "sync/vsm_engine_record.h"
#include "sync/vsm_exchange.h"
#include "sync/vsm_park.h"
#include "sync/vsm_shadow_table.h"

/*
 * Record an operation that has completed a phase, and the phase. The waiters of the phase have not
 * been woken: their events come later, and name the phase.
 */
static void vsm_engine_record(const struct vsm_cluster *cluster, struct vsm_bucket *bucket,
			      const struct vsm_shadow *shadow, const struct vsm_origin *origin,
			      const struct drm_vsm_insn *insn, u32 index, u64 old, u64 next)
{
	u32 serial = shadow ? vsm_shadow_serial(shadow, old) : 0;

	vsm_record_insn(origin, insn, old, next);
	bucket->cause = vsm_record_phase(origin, cluster, index, old, next, serial);
}

/*
 * vsm_engine_complete_locked(), inline for the callers in this file. If @origin is NULL, nothing is
 * recorded.
 */
static __always_inline bool
vsm_engine_complete_inline(struct vsm_cluster *cluster, struct vsm_bucket *bucket,
			   struct vsm_shadow *shadow, const struct vsm_origin *origin,
			   const struct drm_vsm_insn *insn, u32 index, u64 old, u64 next,
			   const struct vsm_release *release, struct vsm_wakes *wakes)
{
	u64 *p = vsm_cluster_word(cluster, index);
	u32 raised = 0;
	u8 observed = 0;
	bool done;

	lockdep_assert_held(&bucket->lock);
	if (shadow) {
		observed = shadow->observed;
		raised = shadow->raised;
		vsm_shadow_advance(shadow);
	}
	/*
	 * The exchange is a release. Pairs with the acquire of the word: a thread that reads the
	 * new phase finds the shadow in that phase.
	 */
	done = vsm_engine_exchange_release(cluster, p, old, next, release);
	if (done) {
		atomic64_inc(&cluster->phases);
		if (origin)
			vsm_engine_record(cluster, bucket, shadow, origin, insn, index, old, next);
		vsm_park_wake(bucket, cluster, index, next, shadow, wakes);
		if (origin)
			bucket->cause = 0;
	} else if (shadow) {
		vsm_shadow_retreat(shadow, observed, raised);
	}
	return done;
}

/**
 * vsm_engine_complete_locked - Exchange the word for that of the next phase
 * @cluster: Cluster
 * @bucket: Bucket of the word, which is locked (vsm_park.c says why)
 * @shadow: Shadow of the object, or NULL
 * @origin: Thread or asynchronous operation that executes @insn
 * @insn: The instruction, with its result
 * @index: Index of the word
 * @old: Value of the word that was read
 * @next: Value of the word in its next phase
 * @release: Inits to make visible, or NULL
 * @wakes: Gets the readers that the caller wakes after it has dropped its locks (out)
 *
 * The caller unlocks the bucket with vsm_park_unlock().
 *
 * Return: Whether the word was exchanged.
 */
bool vsm_engine_complete_locked(struct vsm_cluster *cluster, struct vsm_bucket *bucket,
				struct vsm_shadow *shadow, const struct vsm_origin *origin,
				const struct drm_vsm_insn *insn, u32 index, u64 old, u64 next,
				const struct vsm_release *release, struct vsm_wakes *wakes)
{
	return vsm_engine_complete_inline(cluster, bucket, shadow,
					  vsm_is_recording() ? origin : NULL, insn, index, old,
					  next, release, wakes);
}

bool vsm_engine_complete(struct vsm_cluster *cluster, struct vsm_shadow *shadow, u32 index,
			 u64 old, u64 next, const struct vsm_release *release)
{
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	struct vsm_wakes wakes = {};
	bool done;

	spin_lock(&bucket->lock);
	done = vsm_engine_complete_inline(cluster, bucket, shadow, NULL, NULL, index, old, next,
					  release, &wakes);
	vsm_park_unlock(bucket, &wakes);
	return done;
}

/* vsm_engine_complete(), and record the operation and the phase. */
noinline bool vsm_engine_complete_recording(struct vsm_cluster *cluster, struct vsm_shadow *shadow,
					    const struct drm_vsm_insn *insn,
					    const struct vsm_origin *origin, u32 index, u64 old,
					    u64 next, const struct vsm_release *release)
{
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	struct vsm_wakes wakes = {};
	bool done;

	spin_lock(&bucket->lock);
	done = vsm_engine_complete_inline(cluster, bucket, shadow, origin, insn, index, old, next,
					  release, &wakes);
	vsm_park_unlock(bucket, &wakes);
	return done;
}
