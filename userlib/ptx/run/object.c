// SPDX-License-Identifier: MIT
/*
 * The records of mbarriers.
 *
 * The record of an mbarrier follows its word. A phase is known to be complete when the parity in
 * the word has changed, or when an arrive succeeds although all expected arrivals have come.
 */
#include <stdlib.h>

#include "run/limit.h"
#include "run/object.h"

/* --- the table ---------------------------------------------------------------------- */

static uint32_t slot_of(uint32_t address)
{
	return (address >> 3) * 0x9e3779b1u >> 22;
}

/* The slot of an address: that of its mbarrier, or a free one. There is always a free slot. */
static uint32_t find_slot(const struct ptx_objects *objects, uint32_t address)
{
	uint32_t at = slot_of(address) % PTX_OBJECT_SLOTS;

	while (objects->slots[at] && objects->slots[at]->address != address)
		at = (at + 1) % PTX_OBJECT_SLOTS;
	return at;
}

struct ptx_object *ptx_objects_find(const struct ptx_objects *objects, uint32_t address)
{
	return objects->slots[find_slot(objects, address)];
}

struct ptx_object *ptx_objects_add(struct ptx_objects *objects, struct vsm_ptx_launch *launch,
				   uint32_t address)
{
	struct ptx_object **slot = &objects->slots[find_slot(objects, address)];

	if (*slot || objects->count == PTX_OBJECTS || !ptx_charge(launch, sizeof(**slot)))
		return *slot;
	*slot = calloc(1, sizeof(**slot));
	if (*slot) {
		(*slot)->address = address;
		objects->count++;
	} else {
		ptx_uncharge(launch, sizeof(**slot));
	}
	return *slot;
}

void ptx_objects_free(struct ptx_objects *objects, struct vsm_ptx_launch *launch)
{
	uint32_t i;

	ptx_uncharge(launch, objects->count * sizeof(struct ptx_object));
	for (i = 0; i < PTX_OBJECT_SLOTS; i++)
		free(objects->slots[i]);
}

/* --- phases ------------------------------------------------------------------------- */

bool ptx_object_word(const struct ptx_cluster *cluster, uint32_t address, uint64_t *word)
{
	const struct vsm_ptx_launch *launch = cluster->launch;
	uint32_t rank = ptx_rank_of(address), offset = ptx_offset_of(address);

	if (rank >= launch->cluster_ctas || offset % 8 || offset + 8 > launch->window_bytes)
		return false;
	*word = __atomic_load_n((const uint64_t *)(cluster->ctas[rank].window + offset),
				__ATOMIC_RELAXED);
	return true;
}

void ptx_object_begin_phase(struct ptx_object *object)
{
	uint64_t number = ptx_object_phase(object)->number + 1;
	struct ptx_phase *phase;

	object->current = !object->current;
	phase = ptx_object_phase(object);
	phase->number = number;
	phase->expected = object->expected;
	phase->arrived = 0;
	phase->announced = 0;
	phase->issued = 0;
	phase->observed = false;
	phase->lost = 0;
	phase->count = 0;
}

void ptx_object_sync(const struct ptx_cluster *cluster, struct ptx_object *object)
{
	uint64_t word;

	if (object->live && ptx_object_word(cluster, object->address, &word) &&
	    vsm_mbarrier_phase(word) != (ptx_object_phase(object)->number & 1))
		ptx_object_begin_phase(object);
}

struct ptx_note ptx_note_of(const struct ptx_warp *warp, uint32_t step, uint32_t lanes,
			    enum ptx_note_kind kind, uint64_t amount)
{
	return (struct ptx_note){
		.kind = kind, .rank = warp->cta->rank, .warp = warp->number,
		.lanes = lanes, .step = step, .times = __builtin_popcount(lanes),
		.amount = amount,
	};
}

void ptx_phase_add(struct ptx_phase *phase, const struct ptx_note *note)
{
	uint32_t i;

	for (i = phase->count; i--;) {
		struct ptx_note *other = &phase->notes[i];

		if (other->step != note->step || other->warp != note->warp ||
		    other->rank != note->rank || other->kind != note->kind)
			continue;
		other->lanes |= note->lanes;
		other->times += note->times;
		other->amount += note->amount;
		if (note->address < other->address)
			other->address = note->address;
		return;
	}
	if (phase->count == PTX_NOTES)
		phase->lost++;
	else
		phase->notes[phase->count++] = *note;
}
