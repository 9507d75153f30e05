/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shadow of an mbarrier object: what the strict policy knows of the object in addition to its
 * word. This file also has the state tokens with which a program refers to a phase of the object.
 *
 * Phases have serial numbers. vsm_serial() chooses the number of an object's first phase so that
 * the ranges of different objects stay apart. Each completion takes the next number. A number
 * therefore identifies both the object and the phase. The lowest bit of the number is the parity of
 * the phase.
 *
 * PTX and silicon leave the low word of a state token opaque. Here it carries the number of the
 * phase:
 *
 *	bit 31		0
 *	bit 30		a .noComplete returned the token
 *	bits 29:0	serial number
 *
 * There is one exception: a .noComplete token in layout sm_80, from whose low word programs read
 * the pending count. Its low word is equal to its high word, where bit 30 is set too.
 */
#ifndef _VSM_SHADOW_H_
#define _VSM_SHADOW_H_

#include "vsm_core.h"

#define VSM_SERIAL_MASK		((1U << 30) - 1)
#define VSM_TOKEN_NOCOMPLETE	(1ULL << 30)
#define VSM_TOKEN_RESERVED	(1ULL << 31)

/* Value of &vsm_shadow.initialiser if the init is visible to the whole cluster. */
#define VSM_VISIBLE		0xffff

/**
 * struct vsm_inits - The inits of a CTA, and which of them are visible to the cluster
 * @last: Number of inits so far; a new init gets its own number by adding 1
 * @visible: Highest number such that the inits up to it are visible to the cluster
 *
 * A thread knows of all inits up to @last. One number is therefore enough to make them visible,
 * however many inits there are. Both numbers only grow, and 64 bits never overflow.
 */
struct vsm_inits {
	__u64 last;
	__u64 visible;
};

/* Count a new init and return its number. */
static inline __u64 vsm_inits_add(struct vsm_inits *inits)
{
	WRITE_ONCE(inits->last, inits->last + 1);
	return inits->last;
}

/*
 * The number up to which a release by the CTA would make inits visible now; 0 if a release would
 * change nothing.
 */
static inline __u64 vsm_inits_pending(const struct vsm_inits *inits)
{
	__u64 last = READ_ONCE(inits->last);

	return last > READ_ONCE(inits->visible) ? last : 0;
}

static inline void vsm_inits_make_visible(struct vsm_inits *inits, __u64 number)
{
	if (number > inits->visible)
		WRITE_ONCE(inits->visible, number);
}

/**
 * struct vsm_shadow - What is known of an object
 * @serial: Serial number of the phase in progress
 * @bound: Asynchronous operations in flight that are to complete on this object, or on an earlier
 *	object of the same word that ended while they were in flight
 * @raised: Operations of @bound that count as pending arrivals of the phase in progress and are
 *	added to the tx-count for that (layout sm_90)
 * @initialiser: Thread that initialised the object; %VSM_VISIBLE once the init is found to be
 *	visible to the cluster
 * @live: There is an object
 * @observed: A wait returned True for the phase before the one in progress, or there is no phase
 *	before it
 * @state: @initialiser, @live and @observed, read together
 * @init: Number of the object's init among the inits of its CTA (&struct vsm_inits)
 *
 * All zeros means that there is no object. Every field is changed with the word's bucket locked.
 * Every field except @init is also read without the lock.
 *
 * Reading without the lock is right for a program that keeps PTX's rules. Everything that an
 * operation relies on (completion of the earlier phases, their observation, the fence) happened
 * before the operation began, and the phase that the operation belongs to cannot end without the
 * operation. Only @raised may change independently of the word. Code that would refuse an operation
 * because of @raised therefore reads both again with the bucket locked.
 */
struct vsm_shadow {
	__u32 serial;
	__u32 bound;
	__u32 raised;
	union {
		struct {
			__u16 initialiser;
			__u8 live;
			__u8 observed;
		};
		__u32 state;
	};
	__u64 init;
};

/*
 * &vsm_shadow.state of an object that is visible and observed: any operation may be performed on
 * it.
 */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define VSM_SHADOW_READY	(1U << 24 | 1U << 16 | VSM_VISIBLE)
#else
#define VSM_SHADOW_READY	((__u32)VSM_VISIBLE << 16 | 1U << 8 | 1U)
#endif

/**
 * vsm_serial - First serial number of an object
 * @nth: Number of objects that the cluster had before
 *
 * The numbers are multiples of a constant whose ratio to 2^30, like the golden ratio, is hard to
 * approximate by fractions. The first n of them are therefore at least 2^30 / 4n apart: an object
 * can have that many phases before it uses the numbers of another one.
 */
static inline __u32 vsm_serial(__u32 nth)
{
	return nth * 0x27aafffeU & VSM_SERIAL_MASK & ~1U;
}

/*
 * Begin an object.
 * @serial: Serial number of the object's first phase
 * @thread: Thread that initialises the object; %VSM_VISIBLE if no other CTA has to see the init
 * @init: Number of the init; not used if @thread is %VSM_VISIBLE
 */
static inline void vsm_shadow_init(struct vsm_shadow *shadow, __u32 serial, __u32 thread,
				   __u64 init)
{
	shadow->init = init;
	WRITE_ONCE(shadow->serial, serial);
	WRITE_ONCE(shadow->raised, 0);
	WRITE_ONCE(shadow->initialiser, thread);
	WRITE_ONCE(shadow->observed, 1);
	WRITE_ONCE(shadow->live, 1);
}

/*
 * Mark the init of an object as visible if it is.
 * @fenced: Number up to which a fence has made the inits of the object's initialiser visible
 */
static inline void vsm_shadow_set_visible(struct vsm_shadow *shadow, const struct vsm_inits *inits,
					  __u64 fenced)
{
	if (shadow->init <= inits->visible || shadow->init <= fenced)
		WRITE_ONCE(shadow->initialiser, VSM_VISIBLE);
}

/*
 * A phase is about to complete. No wait has returned True for it yet. Unless rules are only
 * reported, @raised is already 0: raised arrivals count in the tx-count and keep the phase open.
 */
static inline void vsm_shadow_advance(struct vsm_shadow *shadow)
{
	WRITE_ONCE(shadow->serial, (shadow->serial + 1) & VSM_SERIAL_MASK);
	WRITE_ONCE(shadow->raised, 0);
	WRITE_ONCE(shadow->observed, 0);
}

/*
 * Undo vsm_shadow_advance(): the phase did not complete after all. Readers still see the word in
 * the old phase. @observed and @raised are the values from before vsm_shadow_advance().
 */
static inline void vsm_shadow_retreat(struct vsm_shadow *shadow, __u8 observed, __u32 raised)
{
	WRITE_ONCE(shadow->serial, (shadow->serial - 1) & VSM_SERIAL_MASK);
	WRITE_ONCE(shadow->raised, raised);
	WRITE_ONCE(shadow->observed, observed);
}

static inline void vsm_shadow_observe(struct vsm_shadow *shadow)
{
	if (!READ_ONCE(shadow->observed))
		WRITE_ONCE(shadow->observed, 1);
}

/* Is phase @serial of the object in progress? */
static inline bool vsm_shadow_in_phase(const struct vsm_shadow *shadow, __u32 serial)
{
	return shadow->live && shadow->serial == serial;
}

/*
 * Bind an asynchronous operation to the object. @raised: it counts as a pending arrival. Whether
 * its issue has changed the word makes no difference: on a poisoned word it has not.
 */
static inline void vsm_shadow_bind(enum vsm_layout layout, struct vsm_shadow *shadow, bool raised)
{
	WRITE_ONCE(shadow->bound, shadow->bound + 1);
	if (raised && layout == VSM_LAYOUT_SM_90)
		WRITE_ONCE(shadow->raised, shadow->raised + 1);
}

/*
 * End the binding of an asynchronous operation.
 * @shadow: Shadow of the word that the operation was bound to
 * @serial: Serial number of the phase that the operation was bound to
 * @raised: The operation counts as a pending arrival
 *
 * If INVAL_IN_USE or INIT_OVER_LIVE is only reported, an operation may outlast its object.
 * &vsm_shadow.bound still counts such an operation, &vsm_shadow.raised does not.
 *
 * Returns whether the operation counted in &vsm_shadow.raised. Passing this to vsm_shadow_bind()
 * undoes the call.
 */
static inline bool vsm_shadow_unbind(enum vsm_layout layout, struct vsm_shadow *shadow,
				     __u32 serial, bool raised)
{
	bool lowered = raised && layout == VSM_LAYOUT_SM_90 && vsm_shadow_in_phase(shadow, serial);

	WRITE_ONCE(shadow->bound, shadow->bound - 1);
	WRITE_ONCE(shadow->raised, shadow->raised - lowered);
	return lowered;
}

/* Serial number of the phase that @word is in. The serial number in the shadow may be one ahead. */
static inline __u32 vsm_shadow_serial(const struct vsm_shadow *shadow, __u64 word)
{
	__u32 serial = READ_ONCE(shadow->serial);

	return (serial - ((serial ^ vsm_mbarrier_phase(word)) & 1)) & VSM_SERIAL_MASK;
}

/* Make the state token of an arrive in the strict policy. */
static inline __u64 vsm_token(enum vsm_layout layout, const struct vsm_shadow *shadow,
			      __u64 old, bool nocomplete)
{
	__u64 high = old & 0xffffffff00000000ULL;

	if (!nocomplete)
		return high | vsm_shadow_serial(shadow, old);
	if (layout == VSM_LAYOUT_SM_80)
		return high | high >> 32;
	return high | VSM_TOKEN_NOCOMPLETE | vsm_shadow_serial(shadow, old);
}

/*
 * May a program wait on this token?
 * @shadow: Shadow of the object that the program waits on
 * @state: The token, any bit pattern
 *
 * A .noComplete token of layout sm_80 has no space for a serial number, and is always accepted.
 */
static inline enum drm_vsm_fault vsm_token_check(enum vsm_layout layout,
						 const struct vsm_shadow *shadow, __u64 state)
{
	__u32 age = (READ_ONCE(shadow->serial) - (__u32)state) & VSM_SERIAL_MASK;

	if (layout == VSM_LAYOUT_SM_80 && (__u32)state == state >> 32 &&
	    state & VSM_TOKEN_NOCOMPLETE)
		return DRM_VSM_FAULT_NONE;
	if (state & VSM_TOKEN_RESERVED || age > 1 || (state & 1) != vsm_mbarrier_phase(state) ||
	    (layout == VSM_LAYOUT_SM_80 && state & VSM_TOKEN_NOCOMPLETE))
		return DRM_VSM_FAULT_STALE_TOKEN;
	return DRM_VSM_FAULT_NONE;
}

/*
 * May a program ask for the pending count of this token?
 * @state: The token, any bit pattern
 * @broken: Mask that gets the rule if the cluster only reports it, or NULL
 */
static inline enum drm_vsm_fault vsm_pending_token_check(const struct vsm_geometry *geo,
							 __u64 state, __u64 *broken)
{
	if (!geo->strict)
		return DRM_VSM_FAULT_NONE;
	if ((!(state & VSM_TOKEN_NOCOMPLETE) ||
	     (geo->layout == VSM_LAYOUT_SM_80 ? (__u32)state != state >> 32
					      : !!(state & VSM_TOKEN_RESERVED))) &&
	    vsm_rule_refuses(geo, broken, DRM_VSM_FAULT_NOT_A_PENDING_TOKEN))
		return DRM_VSM_FAULT_NOT_A_PENDING_TOKEN;
	return DRM_VSM_FAULT_NONE;
}

/* The state of a valid object. */
static inline enum drm_vsm_mbarrier_state
vsm_object_state(enum vsm_layout layout, const struct vsm_shadow *shadow, __u64 word)
{
	if (!shadow->observed)
		return DRM_VSM_MBARRIER_UNOBSERVED;
	if (shadow->bound || vsm_mbarrier_tx(layout, word) ||
	    vsm_mbarrier_pending(layout, word) != vsm_mbarrier_expected(layout, word))
		return DRM_VSM_MBARRIER_IN_PROGRESS;
	return DRM_VSM_MBARRIER_IDLE;
}

#endif
