/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of mbarriers. The callers ask vsm_is_recording() before.
 */
#ifndef _VSM_ENGINE_RECORD_H_
#define _VSM_ENGINE_RECORD_H_

#include "base/vsm_fault.h"
#include "object/vsm_cluster.h"
#include "sync/vsm_waiter.h"

u64 vsm_record_phase(const struct vsm_origin *origin, const struct vsm_cluster *cluster, u32 index,
		     u64 old, u64 next, u32 serial);
void vsm_record_phase_wait(struct vsm_waiter *waiter, u32 index, bool by_parity, u64 state,
			   u64 word);
void vsm_record_phase_wait_end(struct vsm_waiter *waiter, u32 index, bool by_parity, int error);

#endif
