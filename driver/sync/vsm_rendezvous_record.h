/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of rendezvous. The callers ask vsm_is_recording() before.
 */
#ifndef _VSM_RENDEZVOUS_RECORD_H_
#define _VSM_RENDEZVOUS_RECORD_H_

#include "base/vsm_fault.h"
#include "sync/vsm_rendezvous_site.h"
#include "sync/vsm_waiter.h"

void vsm_record_arrive(struct vsm_cluster_rendezvous *site, const struct vsm_origin *origin,
		       const struct drm_vsm_insn *insn);
void vsm_record_rendezvous(struct vsm_waiter *waiter, const struct drm_vsm_insn *insn);
void vsm_record_rendezvous_end(struct vsm_waiter *waiter, const struct drm_vsm_insn *insn,
			       int error);

#endif
