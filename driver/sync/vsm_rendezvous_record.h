/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of rendezvous. The callers ask vsm_is_recording() before all but vsm_arrivals_begin().
 */
#ifndef _VSM_RENDEZVOUS_RECORD_H_
#define _VSM_RENDEZVOUS_RECORD_H_

#include "base/vsm_fault.h"
#include "sync/vsm_rendezvous_site.h"
#include "sync/vsm_waiter.h"

void vsm_arrivals_number(struct vsm_cluster_rendezvous *site);
void vsm_arrivals_add(struct vsm_cluster_rendezvous *site, u32 cta, u32 thread);
void vsm_arrivals_record(struct vsm_cluster_rendezvous *site, const struct vsm_origin *origin,
			 const struct drm_vsm_insn *insn);
void vsm_arrivals_split(struct vsm_cluster_rendezvous *site, const struct vsm_origin *origin,
			const struct drm_vsm_insn *insn, const struct drm_vsm_insn *next);
void vsm_record_rendezvous(struct vsm_waiter *waiter, const struct drm_vsm_insn *insn);
void vsm_record_rendezvous_result(const struct vsm_cluster_rendezvous *site,
				  const struct vsm_lane *lane, struct vsm_waiter *waiter,
				  const struct drm_vsm_insn *insn);
void vsm_record_rendezvous_end(struct vsm_waiter *waiter, const struct drm_vsm_insn *insn,
			       int error);

/*
 * Threads of a warp are going to arrive. If somebody looks, this gives their arrival a number: that
 * of its event, and the cause of what it brings about.
 */
static inline void vsm_arrivals_begin(struct vsm_cluster_rendezvous *site)
{
	lockdep_assert_held(&site->lock);
	site->rv.cause = 0;
	if (vsm_is_recording())
		vsm_arrivals_number(site);
}

#endif
