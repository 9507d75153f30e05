/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for EXEC with DRM_VSM_EXEC_LANES.
 */
#ifndef VSM_TEST_LANES_H
#define VSM_TEST_LANES_H

#include "rendezvous.h"

/* Makes the arguments of a call in which the lanes of @mask execute one instruction each. */
static inline struct drm_vsm_exec lanes_args(const struct cluster *c, uint32_t first, uint32_t mask,
					     struct drm_vsm_insn *insns)
{
	struct drm_vsm_exec args = play_args(c, 0, first, DRM_VSM_EXEC_LANES, insns,
					     __builtin_popcount(mask));

	args.lanes = mask;
	return args;
}

/*
 * The lanes of @mask in the warp of thread @first execute one instruction each. Stores the mask of
 * the suspended lanes in @suspended, unless that is NULL; then none may be suspended. Returns 0 if
 * all instructions have retired.
 */
static inline int exec_lanes(const struct cluster *c, uint32_t first, uint32_t mask,
			     struct drm_vsm_insn *insns, uint32_t *suspended)
{
	struct drm_vsm_exec args = lanes_args(c, first, mask, insns);
	int ret;

	insn_poison(insns, args.count);
	ret = vsm_exec(c->fd, &args);
	if (suspended)
		*suspended = args.suspended;
	else if (!ret && args.suspended)
		return -EISCONN;
	return !ret && !stream_retired(&args) ? -EBADMSG : ret;
}

/* All lanes of @mask execute the same instruction. Stores their results in @results if not NULL. */
static inline int exec_same(const struct cluster *c, uint32_t first, uint32_t mask,
			    struct drm_vsm_insn insn, uint64_t *results, uint32_t *suspended)
{
	struct drm_vsm_insn insns[LANES];
	int i, ret;

	for (i = 0; i < LANES; i++)
		insns[i] = insn;
	ret = exec_lanes(c, first, mask, insns, suspended);
	for (i = 0; results && i < __builtin_popcount(mask); i++)
		results[i] = insns[i].result;
	return ret;
}

/* --- wait sets ------------------------------------------------------------------------ */

/*
 * Makes a wait for an instruction of lanes of the warp of thread @first. Its user_data is the
 * number of that thread.
 */
static inline struct drm_vsm_wait wait_lanes(const struct cluster *c, uint32_t first, uint32_t mask,
					     uint32_t flags, const struct drm_vsm_insn *insn)
{
	return (struct drm_vsm_wait){
		.cluster = c->handle, .addr = DRM_VSM_WAIT_THREAD(0, first),
		.state = (uintptr_t)insn, .deadline = -1, .user_data = first,
		.flags = DRM_VSM_WAIT_INSN | DRM_VSM_WAIT_LANES | flags, .lanes = mask,
		.id = POISON, .fault = POISON32,
	};
}

/* Arms a wait of lanes. Returns 0, a fault, or a negative errno. */
static inline int arm_lanes(const struct cluster *c, int set, uint32_t first, uint32_t mask,
			    uint32_t flags, struct drm_vsm_insn insn)
{
	struct drm_vsm_wait wait = wait_lanes(c, first, mask, flags, &insn);
	int ret = waitset_arm(c->fd, set, &wait, 1, NULL);

	if (ret == -EPROTO)
		return wait.id ? -EBADMSG : (int)wait.fault;
	return ret ? ret : !wait.id || wait.id == POISON || wait.fault ? -EBADMSG : 0;
}

/* Returns whether no wait of the set has ended. */
static inline bool no_record(int set)
{
	return poll_events(set) == 0;
}

#endif
