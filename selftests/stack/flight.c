// SPDX-License-Identifier: GPL-2.0-only
/* A job in flight: how it is submitted, and how it has ended. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/sync_file.h>
#include <xf86drm.h>

#include "stack.h"

/* The instructions of a stage, which is executed by CTA 0, or by CTA 1 when it stores. */
static uint32_t stage_insns(const struct job *job, uint32_t stage, struct drm_vsm_insn *insns)
{
	uint32_t i, n = 0, cta = stage ? 1 : 0, data = slot_data(job->slot);
	uint32_t base = cta << VSM_SHARED_RANK_SHIFT;

	memset(insns, 0, (COPIES + 1) * sizeof(*insns));
	if (stage < 2)
		insns[n++] = (struct drm_vsm_insn){
			.op = DRM_VSM_OP_MBARRIER_EXPECT_TX,
			.u.mbarrier = { .addr = base | slot_word(job->slot),
					.tx_count = job->count * BLOCK },
		};
	for (i = 0; i < job->count; i++, n++) {
		struct drm_vsm_copy_operands *copy = &insns[n].u.copy;
		const struct block *block = stage ? job->to[i] : job->from[i];

		copy->addr = base | (data + i * BLOCK);
		copy->size = BLOCK;
		if (stage < 2)
			copy->mbar = base | slot_word(job->slot);
		if (stage != 1) {
			copy->buffer = block->slab->handle;
			copy->offset = block->index * BLOCK;
		} else {
			copy->src = data + i * BLOCK;
		}
		insns[n].op = stage == 0 ? DRM_VSM_OP_CP_ASYNC_BULK_G2S :
			      stage == 1 ? DRM_VSM_OP_CP_ASYNC_BULK_S2S :
					   DRM_VSM_OP_CP_ASYNC_BULK_S2G;
	}
	return n;
}

/* The fences of a stage: the stage before it, or the jobs of other queues that come before. */
static uint32_t stage_syncs(struct queue *queue, struct job *job, uint32_t stage,
			    struct drm_vsm_sync *syncs)
{
	uint32_t i, n = 0;

	if (stage)
		syncs[n++] = (struct drm_vsm_sync){
			.handle = queue->fences[job->slot][stage - 1], .flags = DRM_VSM_SYNC_WAIT,
		};
	for (i = 0; i < job->dep_count && !stage; i++)
		if (job->deps[i]->state == JOB_FLYING && job->deps[i]->queue != queue)
			syncs[n++] = (struct drm_vsm_sync){
				.handle = job->deps[i]->queue->timeline,
				.flags = DRM_VSM_SYNC_WAIT, .point = job->deps[i]->point,
			};
	syncs[n++] = (struct drm_vsm_sync){
		.handle = queue->fences[job->slot][stage], .flags = DRM_VSM_SYNC_SIGNAL,
	};
	if (stage == STAGES - 1)
		syncs[n++] = (struct drm_vsm_sync){
			.handle = queue->timeline, .flags = DRM_VSM_SYNC_SIGNAL,
			.point = job->point,
		};
	return n;
}

/* Submit the stages of a job. Some of them may be in flight even if this fails. */
int job_launch(struct queue *queue, struct job *job)
{
	struct drm_vsm_insn insns[COPIES + 1];
	struct drm_vsm_sync syncs[DEPS + 2];
	int ret = 0;

	for (job->stages = 0; job->stages < STAGES; job->stages++) {
		struct drm_vsm_submit args = {
			.cluster = queue->cluster, .cta = job->stages == 2,
			.insns = (uintptr_t)insns, .stride = sizeof(*insns),
			.count = stage_insns(job, job->stages, insns),
			.syncs = (uintptr_t)syncs, .sync_stride = sizeof(*syncs),
			.channel = queue->channel, .site = job->id,
		};

		pthread_mutex_lock(&queue->stack->lock);
		args.sync_count = stage_syncs(queue, job, job->stages, syncs);
		pthread_mutex_unlock(&queue->stack->lock);
		ret = stack_call(queue->stack->fd, DRM_IOCTL_VSM_SUBMIT, &args);
		if (ret)
			break;
	}
	return ret;
}

/* Wait until all stages that are in flight have ended. */
int job_wait_fences(struct queue *queue, const struct job *job)
{
	if (!job->stages)
		return 0;
	if (job->stages == STAGES) {
		uint64_t point = job->point;

		return drmSyncobjTimelineWait(queue->stack->fd, &queue->timeline, &point, 1,
					      stack_now() + PATIENCE, 0, NULL);
	}
	return drmSyncobjWait(queue->stack->fd, queue->fences[job->slot], job->stages,
			      stack_now() + PATIENCE, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, NULL);
}

/* The first error of the fences of a job whose stages have all ended; 0 if there is none. */
int job_error(struct queue *queue, const struct job *job)
{
	uint32_t i;

	for (i = 0; i < job->stages; i++) {
		struct sync_file_info info = {};
		int file, ret;

		if (drmSyncobjExportSyncFile(queue->stack->fd, queue->fences[job->slot][i], &file))
			return -errno;
		ret = ioctl(file, SYNC_IOC_FILE_INFO, &info) ? -errno : info.status;
		close(file);
		if (ret != 1)
			return ret ? ret : -ETIME;
	}
	return 0;
}

/* Do the words and the bytes say that all copies were right? */
bool job_is_right(struct queue *queue, const struct job *job)
{
	uint32_t i;

	if (!slot_is_idle(queue, job->slot))
		return false;
	for (i = 0; i < job->count; i++)
		if (block_sum(job->to[i]) != job->to[i]->sum)
			return false;
	return true;
}
