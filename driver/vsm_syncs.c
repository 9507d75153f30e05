// SPDX-License-Identifier: GPL-2.0-only
/*
 * The SYNCS engine: performs mbarrier operations on words in the aperture.
 *
 * The word is the truth. User space has it mapped and may write it at any time,
 * so it is changed by compare-and-exchange only, every bit pattern is acceptable
 * and the kernel's own safety depends on none.
 *
 * Ordering: a release operation orders what its thread did before against
 * whoever acquires the word afterwards: the exchange is a release and a wait's
 * load of the word an acquire. A suspended waiter gets the same from the
 * bucket's lock, under which its phase has completed. Relaxed forms ask for
 * nothing, except that the complete-tx of a copy must not be seen before the
 * copy's data; the copy engine says release for it.
 */
#include <linux/bits.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "core/vsm_step.h"
#include "vsm_drv.h"

/*
 * An exchange fails only because somebody else wrote the word in between. A
 * cluster in which that happens so often without end is not synchronising: it is
 * ended, rather than a worker of the kernel's held up for ever.
 */
#define VSM_CAS_TRIES		BIT(20)
#define VSM_CAS_TRIES_AT_ONCE	BIT(10)

static inline bool vsm_syncs_live(const struct vsm_cluster *cluster, u32 index)
{
	/* Pairs with the cmpxchg_release() in vsm_syncs_make_live(). */
	const unsigned long *live = smp_load_acquire(&cluster->live);

	return live && test_bit(index, live);
}

/* The map of valid objects, made by the first init. */
static unsigned long *vsm_syncs_make_live(struct vsm_cluster *cluster)
{
	/* Pairs with the cmpxchg_release() below. */
	unsigned long *live = smp_load_acquire(&cluster->live);
	unsigned long *other;
	size_t bits;

	if (live)
		return live;
	bits = (size_t)cluster->geo.ctas * cluster->window_stride / sizeof(u64);
	live = kvcalloc(BITS_TO_LONGS(bits), sizeof(*live), GFP_KERNEL_ACCOUNT);
	if (!live)
		return NULL;
	other = cmpxchg_release(&cluster->live, NULL, live);
	if (other) {
		kvfree(live);
		return other;
	}
	return live;
}

/**
 * vsm_syncs_check - May the word be operated on?
 * @cluster: Cluster
 * @index: Index of the word
 * @word: Its value
 */
enum drm_vsm_fault vsm_syncs_check(const struct vsm_cluster *cluster, u32 index, u64 word)
{
	if (cluster->geo.strict && !vsm_syncs_live(cluster, index))
		return DRM_VSM_FAULT_NOT_AN_MBARRIER;
	return vsm_word_check(&cluster->geo, word);
}

/**
 * vsm_syncs_lose - End a cluster: every wait on it, and whatever comes later
 * @cluster: Cluster
 */
void vsm_syncs_lose(struct vsm_cluster *cluster)
{
	WRITE_ONCE(cluster->lost, true);
	vsm_park_lose(cluster->vdev, cluster, -EIO);
}

static enum drm_vsm_fault vsm_syncs_init(struct vsm_cluster *cluster, u32 index, u32 count,
					 u64 *word)
{
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	u64 *p = vsm_cluster_word(cluster, index);
	u64 next = vsm_mbarrier_init(cluster->geo.layout, count);
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;

	spin_lock_bh(&bucket->lock);
	if (cluster->geo.strict && test_and_set_bit(index, cluster->live)) {
		*word = READ_ONCE(*p);
		fault = DRM_VSM_FAULT_INIT_OVER_LIVE;
	} else {
		xchg(p, next);
		vsm_park_wake(bucket, cluster, index, next);
	}
	spin_unlock_bh(&bucket->lock);
	return fault;
}

static enum drm_vsm_fault vsm_syncs_inval(struct vsm_cluster *cluster, u32 index, u64 *word)
{
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;

	if (!cluster->geo.strict)
		return DRM_VSM_FAULT_NONE;

	spin_lock_bh(&bucket->lock);
	if (!vsm_syncs_live(cluster, index))
		fault = DRM_VSM_FAULT_NOT_AN_MBARRIER;
	else if (vsm_park_occupied(bucket, cluster, index))
		fault = DRM_VSM_FAULT_INVAL_IN_USE;
	else
		clear_bit(index, cluster->live);
	spin_unlock_bh(&bucket->lock);
	*word = READ_ONCE(*vsm_cluster_word(cluster, index));
	return fault;
}

/* Exchange the word; on failure *old is what it was instead. */
static inline bool vsm_syncs_exchange(struct vsm_cluster *cluster, u32 index,
				      u64 *old, u64 next, bool release)
{
	u64 *p = vsm_cluster_word(cluster, index);
	struct vsm_bucket *bucket;
	bool done;

	if (!((*old ^ next) & VSM_MBARRIER_PHASE))
		return release ? try_cmpxchg_release(p, old, next)
			       : try_cmpxchg_relaxed(p, old, next);

	/* A phase completes: see vsm_park.c for why the bucket is locked. */
	bucket = vsm_park_bucket(cluster, index);
	spin_lock_bh(&bucket->lock);
	done = try_cmpxchg_release(p, old, next);
	if (done)
		vsm_park_wake(bucket, cluster, index, next);
	spin_unlock_bh(&bucket->lock);
	return done;
}

/* All operations that are a step from one value of the word to the next. */
static int vsm_syncs_step(struct vsm_cluster *cluster, const struct drm_vsm_insn *insn,
			  u32 thread, u32 index, u64 *result, enum drm_vsm_fault *fault)
{
	bool release = insn->sem != DRM_VSM_SEM_RELAXED;
	/* Pairs with the exchange that completes a phase, for a wait that finds it so. */
	u64 old = smp_load_acquire(vsm_cluster_word(cluster, index));
	unsigned int tries = 0;
	u64 next;

	for (;;) {
		if (cluster->geo.strict && !vsm_syncs_live(cluster, index))
			*fault = DRM_VSM_FAULT_NOT_AN_MBARRIER;
		else
			*fault = vsm_mbarrier_step(&cluster->geo, insn, thread, old, &next,
						   result);
		if (unlikely(*fault)) {
			*result = old;
			if (*fault == DRM_VSM_FAULT_POISONED)
				vsm_syncs_lose(cluster);
			return -EPROTO;
		}
		if (next == old || vsm_syncs_exchange(cluster, index, &old, next, release))
			return 0;
		if (++tries % VSM_CAS_TRIES_AT_ONCE)
			continue;
		if (tries == VSM_CAS_TRIES) {
			vsm_syncs_lose(cluster);
			return -EIO;
		}
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
}

/**
 * vsm_syncs_run - Perform an mbarrier operation
 * @cluster: Cluster
 * @insn: A checked mbarrier instruction
 * @thread: Executing thread in its CTA
 * @result: The instruction's result (out); for a try_wait that would suspend 0
 * @fault: Why it is misuse (out, with -EPROTO)
 *
 * Context: may sleep.
 *
 * Return: 0; -EPROTO, the word being unchanged and in @result; -EIO, -ENOMEM, or
 * -EINTR if the task is being killed.
 */
int vsm_syncs_run(struct vsm_cluster *cluster, const struct drm_vsm_insn *insn, u32 thread,
		  u64 *result, enum drm_vsm_fault *fault)
{
	u32 index;

	if (unlikely(READ_ONCE(cluster->lost)))
		return -EIO;

	index = vsm_cluster_index(cluster, insn->u.mbarrier.addr);
	switch (insn->op) {
	case DRM_VSM_OP_MBARRIER_PENDING_COUNT:
		*result = vsm_mbarrier_pending_count(cluster->geo.layout, insn->u.mbarrier.state);
		return 0;
	case DRM_VSM_OP_MBARRIER_INIT:
		if (cluster->geo.strict && !vsm_syncs_make_live(cluster))
			return -ENOMEM;
		*result = 0;
		*fault = vsm_syncs_init(cluster, index, insn->u.mbarrier.count, result);
		return *fault ? -EPROTO : 0;
	case DRM_VSM_OP_MBARRIER_INVAL:
		*fault = vsm_syncs_inval(cluster, index, result);
		if (*fault)
			return -EPROTO;
		*result = 0;
		return 0;
	default:
		return vsm_syncs_step(cluster, insn, thread, index, result, fault);
	}
}
