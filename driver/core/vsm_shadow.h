/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the strict policy knows of an mbarrier object beside its word, and the
 * tokens by which a program refers to a phase of it.
 *
 * Phases have serial numbers. An object's first is drawn so that the ranges of
 * different objects stay apart (vsm_serial()), and each completion takes the
 * next one, so a number tells both the object and the phase. The lowest bit is
 * the phase's parity.
 *
 * The low word of a state token, which PTX and silicon leave opaque, carries the
 * number of its phase:
 *
 *	bit 31		0
 *	bit 30		a .noComplete returned the token
 *	bits 29:0	serial number
 *
 * but for .noComplete in layout sm_80, where programs read the pending count from
 * the low word: there it is the high word once more, of which bit 30 is set too.
 */
#ifndef _VSM_SHADOW_H_
#define _VSM_SHADOW_H_

#include "vsm_core.h"

#define VSM_SERIAL_MASK		((1U << 30) - 1)
#define VSM_TOKEN_NOCOMPLETE	(1ULL << 30)
#define VSM_TOKEN_RESERVED	(1ULL << 31)

/* In place of the thread that initialised an object: the init is known to be published. */
#define VSM_FENCED		0xffff

/**
 * struct vsm_inits - The inits of a CTA, and which of them the cluster knows
 * @last: How many there have been; the number of an init is what it makes of this
 * @published: Inits up to this number are published to the cluster
 *
 * The inits that a thread knows of are those up to @last. So a thread publishes all of them by
 * one number, however many there are. Both only grow, and never come to their end.
 */
struct vsm_inits {
	__u64 last;
	__u64 published;
};

/* The number of a new init. */
static inline __u64 vsm_inits_add(struct vsm_inits *inits)
{
	WRITE_ONCE(inits->last, inits->last + 1);
	return inits->last;
}

/* The number up to which a release by the CTA would publish now; 0 if it would publish nothing. */
static inline __u64 vsm_inits_unpublished(const struct vsm_inits *inits)
{
	__u64 last = READ_ONCE(inits->last);

	return last > READ_ONCE(inits->published) ? last : 0;
}

static inline void vsm_inits_publish(struct vsm_inits *inits, __u64 number)
{
	if (number > inits->published)
		WRITE_ONCE(inits->published, number);
}

/**
 * struct vsm_shadow - What is known of an object
 * @serial: Of the phase in progress
 * @bound: Asynchronous operations in flight that are to complete on the object, or on one that
 *	was at its place before and ended in spite of them
 * @raised: Those among them that count as pending arrivals of the phase in progress and stand
 *	in the tx-count for that (layout sm_90)
 * @unfenced: Thread that initialised the object, until the init is found to be published to
 *	the cluster: %VSM_FENCED from then on
 * @live: There is an object
 * @observed: A wait returned True for the phase before the one in progress, or there
 *	is none before it
 * @state: The last three in one
 * @init: Number of the object's init among those of its CTA (&struct vsm_inits)
 *
 * All zeros is no object. Everything changes with the word's bucket locked. Everything but @init is
 * read without.
 *
 * A program that keeps PTX's rules reads what it needs here: whatever an operation
 * relies on (the completion of the phases before, their observation, the fence)
 * happened before the operation began, and the phase that the operation belongs to
 * cannot end without it. @raised alone may change beside the word: who would refuse an
 * operation for it looks at both once more with the bucket locked.
 */
struct vsm_shadow {
	__u32 serial;
	__u32 bound;
	__u32 raised;
	union {
		struct {
			__u16 unfenced;
			__u8 live;
			__u8 observed;
		};
		__u32 state;
	};
	__u64 init;
};

/* &vsm_shadow.state of an object that any operation may be performed on. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define VSM_SHADOW_READY	(1U << 24 | 1U << 16 | VSM_FENCED)
#else
#define VSM_SHADOW_READY	((__u32)VSM_FENCED << 16 | 1U << 8 | 1U)
#endif

/**
 * vsm_serial - First serial number of an object
 * @nth: How many objects the cluster had before
 *
 * Multiples of a number whose fractions of 2^30 are hard to approximate, as the golden
 * ratio is: the first n are at least 2^30 / 4n apart from each other, that many phases.
 */
static inline __u32 vsm_serial(__u32 nth)
{
	return nth * 0x27aafffeU & VSM_SERIAL_MASK & ~1U;
}

/**
 * vsm_shadow_init - An object begins
 * @shadow: Of its word
 * @serial: Its first phase
 * @thread: Thread that initialises it; %VSM_FENCED if there is nobody to publish it to
 * @init: Number of the init, if there is
 */
static inline void vsm_shadow_init(struct vsm_shadow *shadow, __u32 serial, __u32 thread,
				   __u64 init)
{
	shadow->init = init;
	WRITE_ONCE(shadow->serial, serial);
	WRITE_ONCE(shadow->raised, 0);
	WRITE_ONCE(shadow->unfenced, thread);
	WRITE_ONCE(shadow->observed, 1);
	WRITE_ONCE(shadow->live, 1);
}

/**
 * vsm_shadow_settle - Look whether the init of an object has been published
 * @shadow: Of the object
 * @inits: Of its CTA
 * @fenced: Inits of the thread that initialised it are published up to this number
 */
static inline void vsm_shadow_settle(struct vsm_shadow *shadow, const struct vsm_inits *inits,
				     __u64 fenced)
{
	if (shadow->init <= inits->published || shadow->init <= fenced)
		WRITE_ONCE(shadow->unfenced, VSM_FENCED);
}

/*
 * A phase is about to complete. The waits for it have not seen it yet. No arrival is raised, as
 * long as no rule is only reported: what stands in the tx-count keeps the phase open.
 */
static inline void vsm_shadow_advance(struct vsm_shadow *shadow)
{
	WRITE_ONCE(shadow->serial, (shadow->serial + 1) & VSM_SERIAL_MASK);
	WRITE_ONCE(shadow->raised, 0);
	WRITE_ONCE(shadow->observed, 0);
}

/*
 * It did not complete after all: the word is still in the phase before, for all to see. The rest
 * is as it was before vsm_shadow_advance().
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

/* Bind an asynchronous operation to the object; @raised: it counts in &vsm_shadow.raised. */
static inline void vsm_shadow_bind(struct vsm_shadow *shadow, bool raised)
{
	WRITE_ONCE(shadow->bound, shadow->bound + 1);
	WRITE_ONCE(shadow->raised, shadow->raised + raised);
}

/**
 * vsm_shadow_unbind - An asynchronous operation ends
 * @layout: Layout of the cluster
 * @shadow: Of its object, or of what is at the object's place now
 * @serial: Phase that it was bound to
 * @raised: It counts as a pending arrival
 *
 * An operation may outlast its object if INVAL_IN_USE or INIT_OVER_LIVE is only reported: @bound
 * goes on counting it, &vsm_shadow.raised does not.
 *
 * Return: Whether it counted in &vsm_shadow.raised: vsm_shadow_bind() with that undoes this.
 */
static inline bool vsm_shadow_unbind(enum vsm_layout layout, struct vsm_shadow *shadow,
				     __u32 serial, bool raised)
{
	bool lowered = raised && layout == VSM_LAYOUT_SM_90 && vsm_shadow_in_phase(shadow, serial);

	WRITE_ONCE(shadow->bound, shadow->bound - 1);
	WRITE_ONCE(shadow->raised, shadow->raised - lowered);
	return lowered;
}

/* Serial number of the phase that @word is in, which the shadow's may be ahead of by one. */
static inline __u32 vsm_shadow_serial(const struct vsm_shadow *shadow, __u64 word)
{
	__u32 serial = READ_ONCE(shadow->serial);

	return (serial - ((serial ^ vsm_mbarrier_phase(word)) & 1)) & VSM_SERIAL_MASK;
}

/**
 * vsm_token - The state token of an arrive, strict policy
 * @layout: Layout of @old
 * @shadow: Of the object
 * @old: Word before the arrive
 * @nocomplete: The arrive was a .noComplete
 */
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

/**
 * vsm_token_check - May a program wait on this token?
 * @layout: Layout of the cluster
 * @shadow: Of the object that it waits on
 * @state: The token, any bit pattern
 *
 * A .noComplete token of layout sm_80 has no room for a serial number.
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

/**
 * vsm_pending_token_check - May a program ask for the pending count of this token?
 * @geo: Geometry of the cluster
 * @state: The token, any bit pattern
 * @broken: As for vsm_rule_refuses()
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

/* What a valid object is doing. */
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
