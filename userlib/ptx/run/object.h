/* SPDX-License-Identifier: MIT */
/*
 * The record of an mbarrier: who has arrived, who has announced bytes, which copies deliver them.
 *
 * An mbarrier has a record of its phase in progress and of the phase before. A record has limited
 * size: it counts what does not fit.
 */
#ifndef _PTX_RUN_OBJECT_H_
#define _PTX_RUN_OBJECT_H_

#include "run/state.h"

/**
 * enum ptx_note_kind - What threads have done
 * @NOTE_ARRIVE: They have arrived; the amount is the number of arrivals
 * @NOTE_ARRIVE_ASYNC: They arrive when their copies of cp.async are complete
 * @NOTE_EXPECT: They have announced bytes
 * @NOTE_COPY: They have issued copies, st.async or red.async, which deliver bytes
 * @NOTE_COMPLETE: They have completed bytes with mbarrier.complete_tx
 * @NOTE_WAIT: They have waited until the phase was complete
 */
enum ptx_note_kind {
	NOTE_ARRIVE,
	NOTE_ARRIVE_ASYNC,
	NOTE_EXPECT,
	NOTE_COPY,
	NOTE_COMPLETE,
	NOTE_WAIT,
};

/**
 * struct ptx_note - What lanes of a warp have done with one step
 * @kind: &enum ptx_note_kind
 * @rank: Rank of the CTA of the lanes
 * @warp: Their warp
 * @lanes: Mask of the lanes
 * @step: The step
 * @times: Number of times that a lane has executed the step
 * @amount: Arrivals or bytes, together
 * @address: Where a copy writes: cluster shared address; the lowest one of several copies
 */
struct ptx_note {
	uint8_t kind;
	uint8_t rank;
	uint16_t warp;
	uint32_t lanes;
	uint32_t step;
	uint32_t times;
	uint64_t amount;
	uint32_t address;
};

/* Notes that a phase has room for. */
#define PTX_NOTES 64

/**
 * struct ptx_phase - What has happened in a phase of an mbarrier
 * @number: Number of the phase since the mbarrier was initialised, from 0
 * @expected: Arrivals that the phase expects
 * @arrived: Arrivals
 * @announced: Bytes that were announced
 * @issued: Bytes of copies, and of mbarrier.complete_tx
 * @observed: A wait has found the phase complete
 * @lost: Number of times that a note did not fit
 * @count: Number of notes
 * @notes: Notes, in order
 */
struct ptx_phase {
	uint64_t number;
	uint64_t expected;
	uint64_t arrived;
	uint64_t announced;
	uint64_t issued;
	bool observed;
	uint32_t lost;
	uint32_t count;
	struct ptx_note notes[PTX_NOTES];
};

/**
 * struct ptx_object - An mbarrier
 * @address: Its cluster shared address
 * @live: It has been initialised, and not been invalidated since
 * @init: Who has initialised it; the amount is the count
 * @inval: Who has invalidated it; valid if not @live
 * @expected: Arrivals that the next phase expects
 * @arrived: Arrivals since it was initialised
 * @current: Index of the phase in progress in @phases
 * @phases: The phase in progress, and the one before
 */
struct ptx_object {
	uint32_t address;
	bool live;
	struct ptx_note init;
	struct ptx_note inval;
	uint64_t expected;
	uint64_t arrived;
	unsigned int current;
	struct ptx_phase phases[2];
};

/* Largest number of mbarriers that the history of a cluster has. */
#define PTX_OBJECTS 512
#define PTX_OBJECT_SLOTS (2 * PTX_OBJECTS)

/** struct ptx_objects - A hash table of the mbarriers of a cluster, and their number */
struct ptx_objects {
	struct ptx_object *slots[PTX_OBJECT_SLOTS];
	uint32_t count;
};

/* The mbarrier at a cluster shared address; NULL if none was ever initialised there. */
struct ptx_object *ptx_objects_find(const struct ptx_objects *objects, uint32_t address);
/* The same, or a new one. Its memory is charged to the launch. NULL if there is none for it. */
struct ptx_object *ptx_objects_add(struct ptx_objects *objects, struct vsm_ptx_launch *launch,
				   uint32_t address);
void ptx_objects_free(struct ptx_objects *objects, struct vsm_ptx_launch *launch);

/* The word at a cluster shared address. Returns false if the address is in no window. */
bool ptx_object_word(const struct ptx_cluster *cluster, uint32_t address, uint64_t *word);
/* The phase in progress becomes the one before, and a new one begins. */
void ptx_object_begin_phase(struct ptx_object *object);
/* Compares an mbarrier with its word, whose phase may have been completed by a copy. */
void ptx_object_sync(const struct ptx_cluster *cluster, struct ptx_object *object);
/* A note of what lanes have done once each. */
struct ptx_note ptx_note_of(const struct ptx_warp *warp, uint32_t step, uint32_t lanes,
			    enum ptx_note_kind kind, uint64_t amount);
/* Adds a note. It becomes part of one that the same warp has made with the same step. */
void ptx_phase_add(struct ptx_phase *phase, const struct ptx_note *note);

static inline struct ptx_phase *ptx_object_phase(struct ptx_object *object)
{
	return &object->phases[object->current];
}

/* The phase before the one in progress. It is valid unless that is phase 0. */
static inline struct ptx_phase *ptx_object_before(struct ptx_object *object)
{
	return &object->phases[!object->current];
}

#endif
