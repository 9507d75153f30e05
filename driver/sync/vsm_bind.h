/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bindings of asynchronous operations to phases of mbarriers.
 */
#ifndef _VSM_BIND_H_
#define _VSM_BIND_H_

#include "base/vsm_fault.h"
#include "object/vsm_cluster.h"

/**
 * struct vsm_binding - Phase in which an asynchronous operation has to complete
 * @addr: Checked address of the mbarrier
 * @raised: The operation is a pending arrival of the phase (cp.async.mbarrier.arrive without
 *	.noinc)
 * @serial: Serial number of the phase
 */
struct vsm_binding {
	u32 addr;
	bool raised;
	u32 serial;
};

enum drm_vsm_fault vsm_binding_enter(struct vsm_cluster *cluster, struct vsm_binding *binding);
int vsm_binding_arrive(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
		       const struct vsm_origin *origin, struct vsm_binding *binding,
		       struct vsm_report *report);
void vsm_binding_drop(struct vsm_cluster *cluster, const struct vsm_binding *binding);
int vsm_binding_complete(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			 const struct vsm_origin *origin, const struct vsm_binding *binding,
			 struct vsm_report *report);
bool vsm_binding_complete_run(struct vsm_cluster *cluster, const struct vsm_binding *binding,
			      u32 count, u32 tx, const struct vsm_origin *origin);

#endif
