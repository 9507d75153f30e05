// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists who waits in a cluster, and for what. A lock is held only for a bucket, a CTA or a thread.
 * The parts of the list are therefore not from the same moment.
 */
#include <linux/err.h>
#include <linux/sched/signal.h>

#include "core/vsm_place.h"
#include "sync/vsm_group.h"
#include "sync/vsm_park.h"
#include "sync/vsm_rendezvous_site.h"
#include "sync/vsm_rendezvous_wait.h"
#include "sync/vsm_sync_state.h"
#include "vsm_drv.h"

/* --- waiters for phases ----------------------------------------------------------- */

/* Words of a cluster that share a bucket, with the parity of the phase that is waited for. */
#define VSM_STATE_RINGS	256

/* The most words of a cluster that share a bucket and are listed. */
struct vsm_ring_list {
	u32 count;
	u32 rings[VSM_STATE_RINGS];
};

static u32 vsm_index_addr(const struct vsm_cluster *cluster, u32 index)
{
	u32 words = cluster->window_stride / sizeof(u64);

	return index / words << VSM_SHARED_RANK_SHIFT | index % words * sizeof(u64);
}

static void vsm_phase_waiter_list(const struct vsm_phase_waiter *waiter, struct vsm_state *state)
{
	struct drm_vsm_state_entry *entry = vsm_state_add(state, DRM_VSM_STATE_PHASE);
	const struct vsm_cluster *cluster = waiter->base.cluster;
	struct drm_vsm_insn *insn = &entry->insn;

	insn->op = DRM_VSM_OP_MBARRIER_TRY_WAIT;
	insn->u.mbarrier.addr = vsm_index_addr(cluster, waiter->index);
	if (waiter->by_parity) {
		insn->mods = DRM_VSM_MOD_PARITY;
		insn->u.mbarrier.parity = vsm_mbarrier_phase(waiter->state);
	} else {
		insn->u.mbarrier.state = waiter->state;
	}
	entry->word = READ_ONCE(*vsm_cluster_word(cluster, waiter->index));
	state->describe(state, &waiter->base, entry);
}

/* Which words of the cluster have waiters in this bucket? */
static void vsm_bucket_rings(struct vsm_bucket *bucket, const struct vsm_cluster *cluster,
			     struct vsm_ring_list *list, struct vsm_state *state)
{
	struct vsm_phase_waiter *first;

	list->count = 0;
	spin_lock(&bucket->lock);
	hlist_for_each_entry(first, &bucket->words, node) {
		if (first->base.cluster != cluster)
			continue;
		if (list->count == VSM_STATE_RINGS) {
			state->more = true;
			break;
		}
		list->rings[list->count++] = first->index << 1 | vsm_mbarrier_phase(first->state);
	}
	spin_unlock(&bucket->lock);
}

static void vsm_ring_list(struct vsm_bucket *bucket, const struct vsm_cluster *cluster, u32 ring,
			  struct vsm_state *state)
{
	struct vsm_phase_waiter *first, *waiter;
	unsigned int count = 0;

	spin_lock(&bucket->lock);
	first = vsm_park_find(bucket, cluster, ring >> 1, ring & 1);
	if (first) {
		vsm_phase_waiter_list(first, state);
		list_for_each_entry(waiter, &first->peers, peers) {
			if (++count == VSM_STATE_BATCH) {
				state->more = true;
				break;
			}
			vsm_phase_waiter_list(waiter, state);
		}
	}
	spin_unlock(&bucket->lock);
}

/**
 * vsm_park_list - List the waiters for phases of a cluster's words
 * @cluster: Cluster
 * @state: List to add them to
 *
 * Return: 0, -ENOMEM, or -ERESTARTSYS if a signal has come.
 */
int vsm_park_list(struct vsm_cluster *cluster, struct vsm_state *state)
{
	struct vsm_ring_list *list = kmalloc(sizeof(*list), GFP_KERNEL_ACCOUNT);
	struct vsm_bucket *bucket;
	int ret = 0;
	u32 i, j;

	if (!list)
		return -ENOMEM;
	for (i = 0; (bucket = vsm_park_next_bucket(cluster->vdev, cluster, &i)); i++) {
		/* A waiter that parks at this moment need not be listed. */
		if (data_race(hlist_empty(&bucket->words)))
			continue;
		vsm_bucket_rings(bucket, cluster, list, state);
		for (j = 0; j < list->count; j++) {
			vsm_ring_list(bucket, cluster, list->rings[j], state);
			cond_resched();
		}
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			break;
		}
	}
	kfree(list);
	return ret;
}

/* --- threads in a rendezvous ------------------------------------------------------ */

/*
 * The waiter for a lane, or NULL. An armed wait for several lanes is attached to the lowest of
 * them.
 */
static const struct vsm_rendezvous_waiter *vsm_lane_waiter(struct vsm_warp *warp, u32 number)
{
	const struct vsm_rendezvous_waiter *waiter = warp->lanes[number].waiter;
	u32 i;

	for (i = 0; i < number && !waiter; i++) {
		waiter = warp->lanes[i].waiter;
		if (waiter && !(waiter->lanes >> number & 1))
			waiter = NULL;
	}
	return waiter;
}

/* List the lanes that execute an instruction together. */
static void vsm_lane_list(struct vsm_warp *warp, const struct vsm_lane *lane, u32 exist,
			  bool across, struct drm_vsm_state_entry *entry, struct vsm_state *state)
{
	const struct vsm_rendezvous_waiter *waiter = vsm_lane_waiter(warp, lane - warp->lanes);
	u32 members = vsm_is_warp_op(&lane->insn) ? lane->insn.u.warp.membermask : ~0U;

	/* Values that threads bring to a rendezvous are left out: they may be of another user. */
	memcpy(&entry->insn, &lane->insn, offsetof(struct drm_vsm_insn, u));
	if (vsm_is_warp_op(&lane->insn)) {
		entry->insn.u.warp.membermask = lane->insn.u.warp.membermask;
	} else {
		entry->insn.u.barrier.barrier = lane->insn.u.barrier.barrier;
		entry->insn.u.barrier.count = lane->insn.u.barrier.count;
	}
	entry->lanes = lane->set;
	entry->mask = members & exist;
	if (across)
		entry->flags |= DRM_VSM_STATE_ACROSS;
	else
		entry->missing = entry->mask & ~warp->exited & ~warp->lanes[lane->first].present;
	if (waiter)
		state->describe(state, &waiter->base, entry);
	else
		entry->flags |= DRM_VSM_STATE_LEFT;
}

static void vsm_warp_list(struct vsm_cluster *cluster, struct vsm_warp *warp, u32 cta, u32 first,
			  struct vsm_state *state)
{
	u32 exist = vsm_cluster_lanes(cluster, first);
	u32 lanes = warp->waiting | warp->arrived;
	struct drm_vsm_state_entry *entry;
	struct vsm_lane *lane;

	if (warp->exited & exist) {
		entry = vsm_state_add(state, DRM_VSM_STATE_EXITED);
		entry->cta = cta;
		entry->thread = first;
		entry->lanes = warp->exited & exist;
	}
	if (warp->cluster_arrived) {
		entry = vsm_state_add(state, DRM_VSM_STATE_CLUSTER_ARRIVED);
		entry->cta = cta;
		entry->thread = first;
		entry->lanes = warp->cluster_arrived;
		if (warp->phase != cluster->rendezvous->rv.phase)
			entry->flags |= DRM_VSM_STATE_COMPLETE;
	}
	while ((lane = vsm_next_lead(warp, &lanes))) {
		u32 number = lane - warp->lanes;

		entry = vsm_state_add(state, DRM_VSM_STATE_RENDEZVOUS);
		entry->cta = cta;
		entry->thread = first + number;
		vsm_lane_list(warp, lane, exist, warp->arrived >> number & 1, entry, state);
	}
}

static void vsm_barrier_list(const struct vsm_cta *cta, u32 rank, u32 number,
			     struct vsm_state *state)
{
	const struct vsm_barrier *barrier = &cta->barriers[number];
	struct drm_vsm_state_entry *entry;

	if (!barrier->count)
		return;
	entry = vsm_state_add(state, DRM_VSM_STATE_BARRIER);
	entry->cta = rank;
	entry->id = number;
	entry->mask = barrier->waiting;
	entry->passed = barrier->passed;
	entry->missing = cta->live & ~barrier->waiting & ~barrier->passed;
	entry->count = barrier->arrivals;
	entry->total = barrier->count;
}

/**
 * vsm_rendezvous_list - List the threads of a cluster that are in a rendezvous, and its barriers
 * @cluster: Cluster
 * @state: List to add them to
 */
void vsm_rendezvous_list(struct vsm_cluster *cluster, struct vsm_state *state)
{
	struct vsm_cluster_rendezvous *site = vsm_rendezvous_find(cluster);
	u32 rank, i, warps = vsm_geometry_warps(&cluster->geo);
	struct drm_vsm_state_entry *entry;

	if (!site)
		return;
	for (rank = 0; rank < cluster->geo.ctas; rank++) {
		struct vsm_cta *cta = &site->rv.ctas[rank];

		spin_lock(&site->lock);
		if (!rank && site->rv.arrived) {
			entry = vsm_state_add(state, DRM_VSM_STATE_CLUSTER_BARRIER);
			entry->count = site->rv.arrived;
			entry->total = site->rv.live;
		}
		for (i = 0; i < VSM_BARRIERS; i++)
			vsm_barrier_list(cta, rank, i, state);
		for (i = 0; i < warps; i++)
			vsm_warp_list(cluster, &cta->warps[i], rank, i * VSM_WARP_SIZE, state);
		spin_unlock(&site->lock);
		cond_resched();
	}
}

/* --- groups ----------------------------------------------------------------------- */

/* The task that waits first for groups of a thread. */
static void vsm_group_list_task(struct vsm_group_queue *queue, struct drm_vsm_state_entry *entry,
				const struct vsm_state *state)
{
	const struct vsm_group_task *first;

	if (!wq_has_sleeper(&queue->wait))
		return;
	spin_lock_irq(&queue->wait.lock);
	first = list_first_entry_or_null(&queue->wait.head, struct vsm_group_task, entry.entry);
	if (first) {
		entry->flags |= DRM_VSM_STATE_SUSPENDED;
		vsm_state_set_task(state, entry, first->client, first->entry.private);
	}
	spin_unlock_irq(&queue->wait.lock);
}

static void vsm_group_list_thread(struct vsm_cluster *cluster, struct vsm_groups *groups,
				  enum vsm_group_kind kind, u32 cta, u32 thread,
				  struct vsm_state *state)
{
	struct vsm_group_queue *queue = &groups->queues[kind];
	struct drm_vsm_state_entry *entry;
	struct vsm_group_op *first;

	spin_lock(&groups->lock);
	first = list_first_entry_or_null(&queue->pending, struct vsm_group_op, link);
	if (first) {
		entry = vsm_state_add(state, DRM_VSM_STATE_GROUPS);
		entry->cta = cta;
		entry->thread = thread;
		entry->lanes = groups->lane;
		entry->id = kind;
		entry->count = first->group > queue->committed
			? 0 : queue->committed - first->group + 1;
		entry->insn.op = kind == VSM_GROUP_BULK ? DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP
							: DRM_VSM_OP_CP_ASYNC_WAIT_GROUP;
		if (groups->waiter && vsm_group_kind_of(groups->waiter->insn) == kind) {
			memcpy(&entry->insn, groups->waiter->insn,
			       offsetof(struct drm_vsm_insn, result));
			state->describe(state, &groups->waiter->base, entry);
		} else {
			vsm_group_list_task(queue, entry, state);
		}
	}
	spin_unlock(&groups->lock);
}

/**
 * vsm_group_list - List the threads of a cluster that have groups which are not complete
 * @cluster: Cluster
 * @state: List to add them to
 */
void vsm_group_list(struct vsm_cluster *cluster, struct vsm_state *state)
{
	struct vsm_groups *groups;
	unsigned int kind;
	unsigned long i;

	xa_for_each(&cluster->groups, i, groups) {
		/* An armed wait stays while both locks are held. */
		spin_lock(&cluster->vdev->group_waits_lock);
		for (kind = 0; kind < VSM_GROUP_KINDS; kind++)
			vsm_group_list_thread(cluster, groups, kind, i / VSM_MAX_THREADS,
					      i % VSM_MAX_THREADS, state);
		spin_unlock(&cluster->vdev->group_waits_lock);
		cond_resched();
	}
}
