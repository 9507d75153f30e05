/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions of EXEC that are not simply executed: they break a rule, or cannot change their
 * word.
 */
#ifndef _VSM_REFUSE_H_
#define _VSM_REFUSE_H_

#include <drm/vsm_drm.h>

struct vsm_cluster;
struct vsm_stream;

/**
 * struct vsm_exec_busy - An instruction that cannot change its word, because others keep writing it
 * @at: Number of the instruction in the stream
 * @count: How often in a row the instruction has failed
 */
struct vsm_exec_busy {
	u32 at;
	u16 count;
};

int vsm_exec_report(struct vsm_stream *stream, const struct drm_vsm_exec *args,
		    struct drm_vsm_insn *insn);
int vsm_exec_refuse(struct vsm_stream *stream, const struct drm_vsm_exec *args,
		    const struct drm_vsm_insn *insn);
int vsm_exec_give_way(struct vsm_cluster *cluster, const struct drm_vsm_exec *args,
		      struct vsm_exec_busy *busy);

#endif
