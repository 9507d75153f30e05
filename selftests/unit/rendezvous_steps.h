/* SPDX-License-Identifier: MIT */
/*
 * For tests of single rules of the rendezvous: a cluster in the core, and lists of steps that its
 * threads do.
 */
#ifndef VSM_UNIT_RENDEZVOUS_STEPS_H
#define VSM_UNIT_RENDEZVOUS_STEPS_H

#include <vsm_rendezvous.h>

#include "unit.h"

#define EVERYONE	0xffffffffU

/* A cluster */
struct rv_test {
	struct vsm_geometry geo;	/* shape of the cluster */
	struct vsm_rendezvous *rv;	/* state of the core */
	__u32 info;			/* drm_vsm_insn.info of the last fault */
};

static inline void rv_begin(struct rv_test *m, __u32 ctas, __u32 threads)
{
	m->geo = unit_geometry(90, true);
	m->geo.ctas = ctas;
	m->geo.threads = threads;
	m->rv = calloc(1, vsm_rendezvous_size(&m->geo));
	assert_non_null(m->rv);
	vsm_rendezvous_init(m->rv, &m->geo);
}

static inline void rv_end(struct rv_test *m)
{
	assert_null(vsm_rendezvous_next(m->rv));
	free(m->rv);
}

static inline enum drm_vsm_fault rv_go_as(struct rv_test *m, __u32 cta, __u32 thread,
					  bool converged, struct drm_vsm_insn insn)
{
	enum drm_vsm_fault fault;

	assert_int_equal(check_insn(&m->geo, cta, &insn, &fault), 0);
	insn.result = POISON;
	fault = vsm_rendezvous_execute(m->rv, cta, thread, converged, &insn);
	m->info = insn.info;
	return fault;
}

/* Is the thread in an instruction, and has no result yet? */
static inline bool rv_waits(struct rv_test *m, __u32 cta, __u32 thread)
{
	const struct vsm_warp *warp = vsm_rendezvous_warp(m->rv, cta, thread);

	return (warp->waiting | warp->arrived) >> thread % VSM_WARP_SIZE & 1;
}

/* The thread takes its result, and must have one. Returns the fault code if @fault is set. */
static inline __u64 rv_taken(struct rv_test *m, __u32 cta, __u32 thread, bool fault)
{
	struct drm_vsm_insn insn = { .result = POISON, .fault = ~0U, .info = ~0U };

	if (!vsm_rendezvous_is_released(m->rv, cta, thread))
		fail_msg("CTA %u, thread %u has no result", cta, thread);
	vsm_rendezvous_take(m->rv, cta, thread, &insn);
	assert_false(vsm_rendezvous_is_released(m->rv, cta, thread));
	assert_int_equal(!!insn.fault, fault);
	m->info = insn.info;
	return fault ? insn.fault : insn.result;
}

static inline __u64 rv_result(struct rv_test *m, __u32 thread)
{
	return rv_taken(m, 0, thread, false);
}

/* A warp operation with its mode or its operation and type. */
struct kind {
	__u16 op;
	__u8 red;
};

#define KIND(op, red)		((struct kind) { OP(op), red })
#define MATCH(mode, type)	KIND(MATCH_SYNC, DRM_VSM_MODE(MODE(mode), DRM_VSM_TYPE_##type))
#define VOTE(mode)		KIND(VOTE_SYNC, MODE(mode))
#define SHFL(mode)		KIND(SHFL_SYNC, MODE(mode))
#define REDUX(op, type)		KIND(REDUX_SYNC, RED(op, type))
#define ELECT			KIND(ELECT_SYNC, 0)
#define BAR			KIND(BAR_WARP_SYNC, 0)

static inline struct drm_vsm_insn with(struct kind kind, __u32 mask, __u64 a)
{
	return (struct drm_vsm_insn) {
		.op = kind.op, .red = kind.red, .u.warp = { .membermask = mask, .a = a },
	};
}

/* --- steps ----------------------------------------------------------------- */

enum step_verb {
	STEP_END,
	STEP_GOES,
	STEP_WAITS,
	STEP_ENDS,
	STEP_DOES,
	STEP_WRONG,
	STEP_GIVES,
	STEP_FAULTS,
	STEP_TAKES,
	STEP_GIVES_OWN,
	STEP_EXITS,
	STEP_LEAVES,
	STEP_STILL,
	STEP_FREE,
	STEP_ENFORCES,
};

/* A step of one thread, or of several threads one after the other */
struct step {
	enum step_verb verb;	/* what the thread does, or the state that is expected of it */
	__u32 first;	/* first thread of those that do the step, as IN() returns it */
	__u32 last;			/* last thread of those that do the step */
	bool converged;	/* the thread executes the instruction for its converged warp */
	struct drm_vsm_insn insn;	/* the instruction that the thread executes */
	/* The result or the fault that is expected, or the rules that are enforced */
	__u64 value;
	bool has_info;			/* the fault is expected with @info */
	__u32 info;			/* info of the expected fault */
};

/* A thread of a CTA. A thread of CTA 0 is also its own number, without IN(). */
#define IN(cta, thread)		((cta) << 16 | (thread))

/* The thread executes the instruction. */
#define GOES(who, i)		{ .verb = STEP_GOES, .first = who, .last = who, .insn = i }
/* The threads execute the instruction, each must be accepted, and all wait. */
#define ALL_WAIT(from, to, i)	{ .verb = STEP_WAITS, .first = from, .last = to, .insn = i }
#define WAITS(who, i)		ALL_WAIT(who, who, i)
/* The thread executes the instruction and has its result at once. It does not take it. */
#define ENDS(who, i)		{ .verb = STEP_ENDS, .first = who, .last = who, .insn = i }
/* The thread executes the instruction and takes its result, which must be 0. */
#define DOES(who, i)		{ .verb = STEP_DOES, .first = who, .last = who, .insn = i }
/* The instruction of the thread is refused. */
#define WRONG(who, i, fault) \
	{ .verb = STEP_WRONG, .first = who, .last = who, .insn = i, .value = fault }
#define WRONG_WITH(who, i, fault, about) \
	{ .verb = STEP_WRONG, .first = who, .last = who, .insn = i, .value = fault, \
	  .has_info = true, .info = about }
/* The thread executes the instruction for its converged warp. */
#define TOGETHER(who, i) \
	{ .verb = STEP_GOES, .first = who, .last = who, .converged = true, .insn = i }
#define TOGETHER_WRONG(who, i, fault) \
	{ .verb = STEP_WRONG, .first = who, .last = who, .converged = true, .insn = i, \
	  .value = fault }
/* The thread takes its result: a given value, any value (TAKES), or a fault. */
#define ALL_GIVE(from, to, result) \
	{ .verb = STEP_GIVES, .first = from, .last = to, .value = result }
#define GIVES(who, result)	ALL_GIVE(who, who, result)
#define FAULTS_WITH(who, fault, about) \
	{ .verb = STEP_FAULTS, .first = who, .last = who, .value = fault, .has_info = true, \
	  .info = about }
#define TAKES(who)		{ .verb = STEP_TAKES, .first = who, .last = who }
#define FAULTS(who, fault) \
	{ .verb = STEP_FAULTS, .first = who, .last = who, .value = fault }
/* The thread takes its own value: the lane @source, which it reads, does not take part. */
#define GIVES_OWN(who, source, result) \
	{ .verb = STEP_GIVES_OWN, .first = who, .last = who, .value = result, .info = source }
/* The thread exits, withdraws, must still wait (STILL), or must not wait (FREE). */
#define EXITS(who)		{ .verb = STEP_EXITS, .first = who, .last = who }
#define LEAVES(who)		{ .verb = STEP_LEAVES, .first = who, .last = who }
#define STILL(who)		{ .verb = STEP_STILL, .first = who, .last = who }
#define FREE(who)		{ .verb = STEP_FREE, .first = who, .last = who }

/* From now on the cluster enforces the rule. */
#define ENFORCES(rule)		{ .verb = STEP_ENFORCES, .value = DRM_VSM_RULE(FAULT(rule)) }

static inline bool rv_gives_own(struct rv_test *m, const struct step *s, __u32 cta, __u32 thread)
{
	struct drm_vsm_insn insn = { .result = POISON };

	assert_true(vsm_rendezvous_is_released(m->rv, cta, thread));
	vsm_rendezvous_take(m->rv, cta, thread, &insn);
	return insn.fault == FAULT(SHFL_SOURCE) && insn.info == s->info &&
	       insn.result == (PRED | s->value);
}

/* Does the step for one thread. Returns false if the thread is not as the step expects. */
static inline bool rv_step(struct rv_test *m, const struct step *s, __u32 cta, __u32 thread)
{
	const bool goes = s->verb >= STEP_GOES && s->verb <= STEP_WRONG;
	enum drm_vsm_fault fault = FAULT(NONE);

	if (goes)
		fault = rv_go_as(m, cta, thread, s->converged, s->insn);
	if (goes && s->verb != STEP_WRONG && fault)
		return false;
	switch (s->verb) {
	case STEP_WAITS:
	case STEP_STILL:
		return rv_waits(m, cta, thread);
	case STEP_FREE:
		return !rv_waits(m, cta, thread);
	case STEP_ENDS:
		return vsm_rendezvous_is_released(m->rv, cta, thread);
	case STEP_DOES:
		return !rv_taken(m, cta, thread, false);
	case STEP_WRONG:
		return fault == s->value && (!s->has_info || m->info == s->info);
	case STEP_GIVES:
		return rv_taken(m, cta, thread, false) == s->value;
	case STEP_FAULTS:
		return rv_taken(m, cta, thread, true) == s->value &&
		       (!s->has_info || m->info == s->info);
	case STEP_TAKES:
		rv_taken(m, cta, thread, false);
		return true;
	case STEP_GIVES_OWN:
		return rv_gives_own(m, s, cta, thread);
	case STEP_EXITS:
		return !rv_go_as(m, cta, thread, false, i_exit()) &&
		       vsm_rendezvous_exited(m->rv, cta, thread);
	case STEP_LEAVES:
		vsm_rendezvous_withdraw(m->rv, cta, thread);
		return true;
	case STEP_ENFORCES:
		m->rv->geo.enforce = s->value;
		return true;
	default:
		return true;
	}
}

static inline void rv_play(struct rv_test *m, const struct step *steps, int line)
{
	const struct step *s;
	__u32 who;

	for (s = steps; s->verb; s++)
		for (who = s->first; who <= s->last; who++)
			if (!rv_step(m, s, who >> 16, who & 0xffff))
				fail_msg("line %d, step %zu: CTA %u, thread %u is not as expected",
					 line, s - steps + 1, who >> 16, who & 0xffff);
}

/* play() does the steps one after the other. scene() does them in a new cluster. */
#define play(m, ...) \
	rv_play(m, (const struct step[]) { __VA_ARGS__, { .verb = STEP_END } }, __LINE__)
#define scene(ctas, threads, ...) do {		\
	rv_begin(&m, ctas, threads);		\
	play(&m, __VA_ARGS__);			\
	rv_end(&m);				\
} while (0)

#endif
