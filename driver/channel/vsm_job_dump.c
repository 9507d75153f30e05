// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dump of a guilty job. It shows the job's own instructions, and of the cluster's memory only
 * the words of mbarriers that issued instructions name.
 */
#include "channel/vsm_job_dump.h"
#include "channel/vsm_jobs.h"
#include "channel/vsm_work.h"
#include "object/vsm_dump.h"

/* Does the instruction name an mbarrier? */
static bool vsm_job_op_mbarrier(const struct vsm_op *op, u32 *addr)
{
	if (op->moves & VSM_TAKES_MBAR) {
		*addr = op->insn.u.copy.mbar;
		return true;
	}
	*addr = op->insn.u.mbarrier.addr;
	return vsm_insn_is_mbarrier(&op->insn);
}

/**
 * vsm_job_dump - Make a dump of a guilty job
 * @job: Job whose fence has signalled; the channel's work calls this
 *
 * A large job is not shown as a whole, but from some instructions before the first one that it has
 * not issued.
 */
void vsm_job_dump(const struct vsm_job *job)
{
	u32 count = min_t(u32, job->count, VSM_DUMP_INSNS);
	struct vsm_cluster *cluster = job->bo->cluster;
	struct drm_vsm_insn *insns;
	struct drm_vsm_dump *dump;
	u32 i, addr;

	dump = vsm_dump_begin(cluster, job->origin.client,
			      job->reset ? DRM_VSM_DUMP_RESET : DRM_VSM_DUMP_FAULT, count);
	if (!dump)
		return;
	dump->channel = READ_ONCE(job->jobs->work->channel);
	dump->error = job->error;
	dump->job = job->number;
	dump->site = job->origin.site;
	dump->cta = job->origin.cta;
	dump->thread = job->origin.thread;
	dump->issued = job->next;
	dump->first = min(job->count - count, job->next - min(job->next, count - count / 8));
	dump->insns.count = count;
	dump->insns.total = job->count;
	insns = vsm_dump_at(dump, &dump->insns);
	for (i = 0; i < count; i++) {
		const struct vsm_op *op = &job->ops[dump->first + i].op;

		insns[i] = op->insn;
		if (dump->first + i < job->next && vsm_job_op_mbarrier(op, &addr))
			vsm_dump_add_word(dump, cluster, vsm_cluster_index(cluster, addr));
	}
	vsm_dump_end(cluster, dump);
}
