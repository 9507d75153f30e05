/* SPDX-License-Identifier: MIT */
/* Threads that meet, for tests of single rules: a cluster, instructions, and what they say. */
#ifndef VSM_UNIT_MEET_H
#define VSM_UNIT_MEET_H

#include <vsm_rendezvous.h>

#include "unit.h"

#define EVERYONE	0xffffffffU

/**
 * struct meet - A cluster
 * @geo: Its shape
 * @rv: The core's
 * @info: Info of the last fault
 */
struct meet {
	struct vsm_geometry geo;
	struct vsm_rendezvous *rv;
	__u32 info;
};

static inline void meet_begin(struct meet *m, __u32 ctas, __u32 threads)
{
	m->geo = unit_geometry(90, true);
	m->geo.ctas = ctas;
	m->geo.threads = threads;
	m->rv = calloc(1, vsm_rendezvous_size(&m->geo));
	assert_non_null(m->rv);
	vsm_rendezvous_init(m->rv, &m->geo);
}

static inline void meet_end(struct meet *m)
{
	assert_null(vsm_rendezvous_next(m->rv));
	free(m->rv);
}

static inline enum drm_vsm_fault meet_go_as(struct meet *m, __u32 cta, __u32 thread, bool converged,
					    struct drm_vsm_insn insn)
{
	enum drm_vsm_fault fault;

	assert_int_equal(check_insn(&m->geo, cta, &insn, &fault), 0);
	insn.result = POISON;
	fault = vsm_rendezvous_execute(m->rv, cta, thread, converged, &insn);
	m->info = insn.info;
	return fault;
}

static inline enum drm_vsm_fault meet_go(struct meet *m, __u32 thread, struct drm_vsm_insn insn)
{
	return meet_go_as(m, 0, thread, false, insn);
}

/* The thread is in an instruction, whose result is not there. */
static inline bool meet_waits(struct meet *m, __u32 cta, __u32 thread)
{
	const struct vsm_warp *warp = vsm_rendezvous_warp(m->rv, cta, thread);

	return (warp->waiting | warp->arrived) >> thread % VSM_WARP_SIZE & 1;
}

/* The result of a thread that has one: a fault's number if @fault is set. */
static inline __u64 meet_taken(struct meet *m, __u32 cta, __u32 thread, bool fault)
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

static inline __u64 meet_result(struct meet *m, __u32 thread)
{
	return meet_taken(m, 0, thread, false);
}

#define go_and_wait(m, thread, insn) do {					\
	assert_int_equal(meet_go(m, thread, insn), FAULT(NONE));		\
	assert_true(meet_waits(m, 0, thread));					\
} while (0)

#define go_and_end(m, thread, insn) do {					\
	assert_int_equal(meet_go(m, thread, insn), FAULT(NONE));		\
	assert_true(vsm_rendezvous_is_released((m)->rv, 0, thread));		\
} while (0)

#define go_wrong(m, thread, insn, fault) \
	assert_int_equal(meet_go(m, thread, insn), fault)

#define go_wrong_with(m, thread, insn, fault, about) do {			\
	go_wrong(m, thread, insn, fault);					\
	assert_int_equal((m)->info, about);					\
} while (0)

/* Threads @first to @last of CTA 0 execute it, and wait for more. */
static inline void meet_all_wait(struct meet *m, __u32 first, __u32 last, struct drm_vsm_insn insn)
{
	__u32 i;

	for (i = first; i <= last; i++)
		go_and_wait(m, i, insn);
}

static inline void meet_all_end(struct meet *m, __u32 first, __u32 last, __u64 result)
{
	__u32 i;

	for (i = first; i <= last; i++)
		assert_int_equal(meet_result(m, i), result);
}

static inline void meet_exit(struct meet *m, __u32 thread)
{
	assert_int_equal(meet_go(m, thread, i_exit()), FAULT(NONE));
	assert_true(vsm_rendezvous_exited(m->rv, 0, thread));
}

#endif
