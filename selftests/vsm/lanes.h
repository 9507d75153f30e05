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

#endif
