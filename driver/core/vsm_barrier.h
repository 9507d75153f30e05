/* SPDX-License-Identifier: GPL-2.0-only */
/* The named barriers of a CTA and the barrier of the cluster (vsm_barrier.c). */
#ifndef _VSM_BARRIER_H_
#define _VSM_BARRIER_H_

#include "vsm_place.h"

enum drm_vsm_fault vsm_barrier_may_arrive(const struct vsm_place *place,
					  const struct drm_vsm_insn *insn, __u32 *info);
void vsm_barrier_check(struct vsm_rendezvous *rv, struct vsm_cta *cta,
		       struct vsm_barrier *barrier);
void vsm_barrier_arrive(const struct vsm_place *place, __u32 present,
			const struct drm_vsm_insn *insn);
void vsm_barrier_unvote(struct vsm_warp *warp, __u32 lanes, struct vsm_barrier *barrier);
void vsm_barrier_unwait(const struct vsm_place *place, struct vsm_barrier *barrier);
void vsm_barrier_unarrive(const struct vsm_place *place, __u32 lanes,
			  struct vsm_barrier *barrier);
void vsm_cluster_barrier_check(struct vsm_rendezvous *rv);
enum drm_vsm_fault vsm_cluster_barrier_may(const struct vsm_warp *warp, __u32 lanes,
					   const struct drm_vsm_insn *insn);
void vsm_cluster_barrier_arrive(const struct vsm_place *place, __u32 present,
				const struct drm_vsm_insn *insn);
void vsm_cluster_barrier_wait(const struct vsm_place *place, __u32 present);

#endif
