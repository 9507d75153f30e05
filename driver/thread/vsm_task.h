/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Suspension of the task that calls EXEC.
 */
#ifndef _VSM_TASK_H_
#define _VSM_TASK_H_

#include <drm/vsm_drm.h>

struct vsm_stream;

int vsm_task_try_wait(struct vsm_stream *stream, struct drm_vsm_exec *args,
		      struct drm_vsm_insn *insn);
int vsm_task_rendezvous(struct vsm_stream *stream, const struct drm_vsm_exec *args,
			struct drm_vsm_insn *insn);

#endif
