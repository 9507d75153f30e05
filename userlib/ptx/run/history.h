/* SPDX-License-Identifier: MIT */
/* What the threads of a cluster have done to its mbarriers and barriers: reports tell it. */
#ifndef _RUN_HISTORY_H_
#define _RUN_HISTORY_H_

#include "code/device.h"
#include "run/state.h"

/* --- targets -------------------------------------------------------------- */

/* The mbarrier that an instruction works on. Returns false if there is none. */
bool ptx_insn_mbarrier(const struct drm_vsm_insn *insn, uint32_t *address);
/* Does an instruction announce bytes, or copy some whose completion is on an mbarrier? */
bool ptx_insn_fills(const struct drm_vsm_insn *insn);

/* --- mbarriers ------------------------------------------------------------ */

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

/* What lanes of a warp have done with one step */
struct ptx_note {
	uint8_t kind;		/* enum ptx_note_kind */
	uint8_t rank;		/* rank of the CTA of the lanes */
	uint16_t warp;		/* their warp */
	uint32_t lanes;		/* mask of the lanes */
	uint32_t step;
	uint32_t times;		/* number of times that a lane has executed the step */
	uint64_t amount;	/* arrivals or bytes, together */
	/* Where a copy writes: cluster shared address; the lowest one of several copies */
	uint32_t address;
};

/* Notes that a phase has room for. */
#define PTX_NOTES 64

/* What has happened in a phase of an mbarrier */
struct ptx_phase {
	uint64_t number;	/* number of the phase since the mbarrier was initialised, from 0 */
	uint64_t expected;			/* arrivals that the phase expects */
	uint64_t arrived;			/* arrivals */
	uint64_t announced;			/* bytes that were announced */
	uint64_t issued;			/* bytes of copies, and of mbarrier.complete_tx */
	bool observed;				/* a wait has found the phase complete */
	uint32_t lost;				/* number of times that a note did not fit */
	uint32_t count;				/* number of notes */
	struct ptx_note notes[PTX_NOTES];	/* notes, in order */
};

/* An mbarrier */
struct ptx_object {
	uint32_t address;		/* its cluster shared address */
	bool live;	/* it has been initialised, and not been invalidated since */
	struct ptx_note init;		/* who has initialised it; the amount is the count */
	struct ptx_note inval;		/* who has invalidated it; valid if not @live */
	uint64_t expected;		/* arrivals that the next phase expects */
	uint64_t arrived;		/* arrivals since it was initialised */
	unsigned int current;		/* index of the phase in progress in @phases */
	struct ptx_phase phases[2];	/* the phase in progress, and the one before */
};

/* Largest number of mbarriers that the history of a cluster has. */
#define PTX_OBJECTS 512
#define PTX_OBJECT_SLOTS (2 * PTX_OBJECTS)

/** struct ptx_objects - A hash table of the mbarriers of a cluster, and their number */
struct ptx_objects {
	struct ptx_object *slots[PTX_OBJECT_SLOTS];
	uint32_t count;
};

/* The word at a cluster shared address. Returns false if the address is in no window. */
bool ptx_object_word(const struct ptx_cluster *cluster, uint32_t address, uint64_t *word);
/* Compares an mbarrier with its word, whose phase may have been completed by a copy. */
void ptx_object_sync(const struct ptx_cluster *cluster, struct ptx_object *object);

static inline struct ptx_phase *ptx_object_phase(struct ptx_object *object)
{
	return &object->phases[object->current];
}

/* The phase before the one in progress. It is valid unless that is phase 0. */
static inline struct ptx_phase *ptx_object_before(struct ptx_object *object)
{
	return &object->phases[!object->current];
}

/* The lanes of a warp that have arrived in a phase. */
uint32_t ptx_phase_arrived(const struct ptx_phase *phase, uint32_t rank, uint32_t warp);

/* --- history -------------------------------------------------------------- */

/* A named barrier of a CTA, since it was last complete */
struct ptx_barrier {
	uint32_t count;		/* number of threads that completes it; 0 if nobody has arrived */
	uint32_t arrived;	/* threads that have arrived: 32 for each arrival of a warp */
	uint32_t note_count;	/* number of notes */
	uint32_t round;		/* how often it was complete */
	/* Arrivals; the amount is the count that the instruction has given, or 0 */
	struct ptx_note notes[PTX_LANES];
};

#define PTX_NAMED_BARRIERS 16

/* How lanes of a warp have exited last */
struct ptx_exit {
	int64_t step;	/* the step in which they have exited; -1 if none have */
	int64_t branch;	/* the branch that has decided that they exit; -1 if it is not known */
};

/**
 * struct ptx_history - What has happened in a cluster
 * @objects: Its mbarriers
 * @barriers: PTX_NAMED_BARRIERS for each CTA
 * @arrived: For each warp of each CTA: lanes that have arrived at the barrier of the cluster and
 *	have not begun to wait there
 * @arrive_steps: For each warp of each CTA the step in which lanes have last arrived there
 * @rounds: For each warp of each CTA the round of the named barrier where it has arrived last to
 *	wait
 * @exits: For each warp of each CTA how lanes have exited last
 * @executed: A bit for each step: the device has executed it for a thread of the cluster
 */
struct ptx_history {
	struct ptx_objects objects;
	struct ptx_barrier *barriers;
	uint32_t *arrived;
	uint32_t *arrive_steps;
	uint32_t *rounds;
	struct ptx_exit *exits;
	uint8_t *executed;
};

/* Creates the history of a cluster. Returns NULL if there is no memory. */
struct ptx_history *ptx_history_create(struct vsm_ptx_launch *launch);
void ptx_history_destroy(struct vsm_ptx_launch *launch, struct ptx_history *history);
/*
 * Bytes of a history without its mbarriers. The caller charges them to the launch; mbarriers are
 * charged when they are initialised.
 */
uint64_t ptx_history_bytes(const struct vsm_ptx_launch *launch);

/* How lanes of a warp have exited last. */
struct ptx_exit ptx_history_exit(const struct ptx_cluster *cluster, uint32_t rank, uint32_t warp);
/* Has the device executed a step for a thread of the cluster? */
bool ptx_history_executed(const struct ptx_cluster *cluster, uint32_t step);
/* The mbarrier at a cluster shared address; NULL if none was ever initialised there. */
struct ptx_object *ptx_history_object(const struct ptx_cluster *cluster, uint32_t address);

/* --- notes of mbarriers --------------------------------------------------- */

/* Lanes that were suspended in a wait for a phase have found it complete. */
void ptx_note_waited(const struct ptx_warp *warp, uint32_t step, uint32_t mask,
		     const struct drm_vsm_insn *insn);

/* --- notes ---------------------------------------------------------------- */

/*
 * Called before and after the device executes the instructions of @mask. After a fault, @mask has
 * only the lanes whose instructions were executed.
 */
void ptx_note_before(const struct ptx_warp *warp, uint32_t mask,
		     const struct drm_vsm_insn *insns);
void ptx_note_after(const struct ptx_warp *warp, uint32_t step, uint32_t mask,
		    const struct drm_vsm_insn *insns);
/* A warp goes on after an instruction that has let it wait. */
void ptx_note_passed(const struct ptx_warp *warp, const struct drm_vsm_insn *insn);
/* Lanes of a warp exit. @branch is that of their group. */
void ptx_note_exit(const struct ptx_warp *warp, uint32_t step, uint32_t branch);

#endif
