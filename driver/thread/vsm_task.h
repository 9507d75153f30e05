/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Suspension of the task that calls EXEC.
 */
#ifndef _VSM_TASK_H_
#define _VSM_TASK_H_

#include <drm/vsm_drm.h>

struct vsm_state;
struct vsm_stream;
struct vsm_waiter;

int vsm_task_try_wait(struct vsm_stream *stream, struct drm_vsm_exec *args,
		      struct drm_vsm_insn *insn);
int vsm_task_rendezvous(struct vsm_stream *stream, const struct drm_vsm_exec *args,
			struct drm_vsm_insn *insn);
bool vsm_task_describe(const struct vsm_state *state, const struct vsm_waiter *waiter,
		       struct drm_vsm_state_entry *entry);

#endif
