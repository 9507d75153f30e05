// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of mbarriers: phases, and waits for phases. vsm_record.c has those of instructions.
 */
#include "sync/vsm_engine_record.h"
#include "sync/vsm_shadow_table.h"

/**
 * vsm_record_phase - Record that a phase has completed
 * @origin: The thread or the asynchronous operation that completed it
 * @cluster: Cluster
 * @index: Index of the word, whose bucket is locked
 * @old: The word before
 * @next: The word in its new phase
 * @serial: Serial number of the phase that completed, or 0
 *
 * Return: Number of the event; 0 if nobody looks.
 */
noinline u64 vsm_record_phase(const struct vsm_origin *origin, const struct vsm_cluster *cluster,
			      u32 index, u64 old, u64 next, u32 serial)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(origin->recorder))
		return 0;
	event = vsm_event_of(origin, DRM_VSM_TRACE_PHASE);
	event.id = vsm_record_number(origin->recorder);
	event.cause = vsm_number_shown(origin->copy);
	event.word = old;
	event.next = next;
	event.addr = vsm_cluster_addr(cluster, index);
	event.serial = serial;
	vsm_record(origin->recorder, &event);
	return event.id;
}

/* The event that a wait for a phase begins or ends. */
static struct drm_vsm_trace_event vsm_phase_wait_event(const struct vsm_waiter *waiter, u32 index,
						       bool by_parity)
{
	struct drm_vsm_trace_event event = vsm_waiter_event(waiter);

	event.addr = vsm_cluster_addr(waiter->cluster, index);
	event.op = DRM_VSM_OP_MBARRIER_TRY_WAIT;
	event.mods = by_parity ? DRM_VSM_MOD_PARITY : 0;
	return event;
}

/**
 * vsm_record_phase_wait - Record that a wait for a phase begins
 * @waiter: The waiter, which parks while the bucket of the word is locked
 * @index: Index of the word
 * @by_parity: The program named the phase by its parity
 * @state: Token of the phase
 * @word: The word
 */
noinline void vsm_record_phase_wait(struct vsm_waiter *waiter, u32 index, bool by_parity,
				    u64 state, u64 word)
{
	const struct vsm_shadow *shadow = vsm_shadow_find_strict(waiter->cluster, index);
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(waiter->origin->recorder))
		return;
	event = vsm_phase_wait_event(waiter, index, by_parity);
	event.word = word;
	event.value = by_parity ? vsm_mbarrier_phase(state) : state;
	event.serial = shadow ? vsm_shadow_serial(shadow, word) : 0;
	vsm_record_wait(waiter, &event);
}

/**
 * vsm_record_phase_wait_end - Record that a wait for a phase has ended
 * @waiter: The waiter, which has left the parking lot
 * @index: Index of the word
 * @by_parity: The program named the phase by its parity
 * @error: Error with which the wait ends, or 0
 */
noinline void vsm_record_phase_wait_end(struct vsm_waiter *waiter, u32 index, bool by_parity,
					int error)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(waiter->origin->recorder))
		return;
	event = vsm_phase_wait_event(waiter, index, by_parity);
	vsm_record_wait_end(waiter, &event, error);
}
