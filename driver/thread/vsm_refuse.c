// SPDX-License-Identifier: GPL-2.0-only
/*
 * What EXEC does with an instruction that breaks a rule or cannot change its word.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "base/vsm_uaccess.h"
#include "sync/vsm_engine.h"
#include "thread/vsm_refuse.h"
#include "thread/vsm_stream.h"

/**
 * vsm_exec_report - Perform an mbarrier operation that breaks rules which are only reported
 * @stream: Stream of instructions
 * @args: Arguments of EXEC
 * @insn: The instruction; gets its results
 *
 * Return: 0, or a negative error code if the operation also breaks an enforced rule.
 */
int vsm_exec_report(struct vsm_stream *stream, const struct drm_vsm_exec *args,
		    struct drm_vsm_insn *insn)
{
	struct vsm_report operands = {}, report = {};
	int ret;

	/*
	 * A rule that an operand breaks is reported once. It is not reported again when a try_wait
	 * is repeated after a signal.
	 */
	if (insn->fault && (insn->op != DRM_VSM_OP_MBARRIER_TRY_WAIT || !args->deadline))
		operands.rules = DRM_VSM_RULE(insn->fault);
	insn->fault = DRM_VSM_FAULT_NONE;
	ret = vsm_engine_run_reporting(stream->bo->cluster, insn, &stream->origin, &report);
	/*
	 * Nothing was done, and the caller executes the instruction once more. Nothing is reported
	 * in this case: otherwise a broken rule would be reported twice.
	 */
	if (ret == -EBUSY)
		return ret;
	vsm_fault_report(&stream->origin, DRM_VSM_SOURCE_EXEC, insn, &operands);
	vsm_fault_report(&stream->origin, DRM_VSM_SOURCE_EXEC, insn, &report);
	return ret;
}

/**
 * vsm_exec_refuse - Record the fault of an instruction, and return the instruction to user space
 * @stream: Stream of instructions
 * @args: Arguments of EXEC; the instruction is the one at @retired
 * @insn: The instruction with its fault
 *
 * Return: -EPROTO, or -EFAULT if the fault cannot be stored.
 */
int vsm_exec_refuse(struct vsm_stream *stream, const struct drm_vsm_exec *args,
		    const struct drm_vsm_insn *insn)
{
	u64 uptr = args->insns + (u64)args->retired * args->stride;

	vsm_fault_record(&stream->origin, DRM_VSM_SOURCE_EXEC, insn);
	return vsm_insn_store(uptr, insn) ? -EFAULT : -EPROTO;
}

/**
 * vsm_exec_give_way - Let other tasks run before an instruction tries again to change its word
 * @cluster: Cluster
 * @args: Arguments of EXEC; the instruction is the one at @retired
 * @busy: Counts how often an instruction has failed so in a row; zeros before the first call
 *
 * Return: 0, or -EINTR if a fatal signal came.
 */
int vsm_exec_give_way(struct vsm_cluster *cluster, const struct drm_vsm_exec *args,
		      struct vsm_exec_busy *busy)
{
	if (busy->at != args->retired)
		*busy = (struct vsm_exec_busy) { .at = args->retired };
	vsm_engine_count_busy(cluster, &busy->count);
	if (fatal_signal_pending(current))
		return -EINTR;
	cond_resched();
	return 0;
}
