// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a queue has on the device: its timeline, its channel and its cluster of two CTAs. Each slot
 * has an mbarrier and a place for data in both windows.
 *
 * The mbarriers never complete a phase. They count the bytes of copies: a word that is not as it
 * was at first says that a copy has completed with too few or too many bytes.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <xf86drm.h>

#include "stack.h"

#define BUILD_TRIES 200
#define DATA 1024
#define WINDOW (DATA + SLOTS * COPIES * BLOCK)

uint32_t slot_word(uint32_t slot)
{
	return slot * 8;
}

uint32_t slot_data(uint32_t slot)
{
	return DATA + slot * COPIES * BLOCK;
}

bool slot_is_idle(struct queue *queue, uint32_t slot)
{
	uint64_t idle = vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1);
	uint32_t cta;

	for (cta = 0; cta < 2; cta++)
		if (*(volatile uint64_t *)(queue->map + (uint64_t)cta * queue->stride +
					   slot_word(slot)) != idle)
			return false;
	return true;
}

/* Execute instructions. A failure that does not last is repeated. */
static int execute(struct queue *queue, uint32_t cta, struct drm_vsm_insn *insns, uint32_t count)
{
	struct drm_vsm_exec args = {
		.cluster = queue->cluster, .cta = cta, .insns = (uintptr_t)insns,
		.stride = sizeof(*insns), .count = count,
	};
	int i, ret = -EINVAL;

	for (i = 0; i < BUILD_TRIES; i++) {
		ret = stack_call(queue->stack->fd, DRM_IOCTL_VSM_EXEC, &args);
		if (!ret || ret == -EIO || ret == -ENODEV || ret == -EPROTO)
			break;
	}
	return ret;
}

static int slot_init(struct queue *queue, uint32_t slot, bool again)
{
	uint32_t cta, address;
	int ret = 0;

	for (cta = 0; cta < 2 && !ret; cta++) {
		address = cta << VSM_SHARED_RANK_SHIFT | slot_word(slot);
		struct drm_vsm_insn insns[] = {
			{ .op = DRM_VSM_OP_MBARRIER_INVAL, .u.mbarrier.addr = address },
			{ .op = DRM_VSM_OP_MBARRIER_INIT,
			  .u.mbarrier = { .addr = address, .count = 1 } },
			{ .op = DRM_VSM_OP_FENCE_MBARRIER_INIT, .sem = DRM_VSM_SEM_RELEASE,
			  .scope = DRM_VSM_SCOPE_CLUSTER },
		};

		ret = execute(queue, cta, insns + !again, 3 - !again);
	}
	return ret;
}

/* Make the words of a slot new, after they have become wrong. */
int slot_reset(struct queue *queue, uint32_t slot)
{
	return slot_init(queue, slot, true);
}

void queue_drop_cluster(struct queue *queue)
{
	if (!queue->cluster)
		return;
	munmap(queue->map, queue->size);
	drmCloseBufferHandle(queue->stack->fd, queue->cluster);
	queue->cluster = 0;
}

static int cluster_build(struct queue *queue)
{
	struct drm_vsm_cluster_create args = {
		.ctas = 2, .threads = 1, .smem_bytes = WINDOW, .layout = VSM_LAYOUT_SM_90,
		.policy = DRM_VSM_POLICY_STRICT,
	};
	int ret = stack_call(queue->stack->fd, DRM_IOCTL_VSM_CLUSTER_CREATE, &args);
	uint32_t slot;

	if (ret)
		return ret;
	queue->map = map_object(queue->stack->fd, args.mmap_offset, args.size);
	if (!queue->map) {
		drmCloseBufferHandle(queue->stack->fd, args.handle);
		return -EFAULT;
	}
	queue->cluster = args.handle;
	queue->stride = args.window_stride;
	queue->size = args.size;
	for (slot = 0; slot < SLOTS && !ret; slot++)
		ret = slot_init(queue, slot, false);
	if (ret)
		queue_drop_cluster(queue);
	return ret;
}

/* Two queues each are a context: when one of them is reset, so is the other. */
static int channel_build(struct queue *queue)
{
	struct drm_vsm_channel_create args = {
		.group = 1 + (queue - queue->stack->queues) / 2,
	};
	int ret = stack_call(queue->stack->fd, DRM_IOCTL_VSM_CHANNEL_CREATE, &args);

	if (!ret)
		queue->channel = args.channel;
	return ret;
}

/* Replace the channel after a reset, or to cancel what it runs. */
int queue_new_channel(struct queue *queue)
{
	struct drm_vsm_channel_destroy args = { .channel = queue->channel };

	if (queue->channel)
		stack_call(queue->stack->fd, DRM_IOCTL_VSM_CHANNEL_DESTROY, &args);
	queue->channel = 0;
	return channel_build(queue);
}

static int syncobjs_build(struct queue *queue)
{
	int ret = drmSyncobjCreate(queue->stack->fd, 0, &queue->timeline);
	uint32_t i;

	for (i = 0; i < SLOTS * STAGES && !ret; i++)
		ret = drmSyncobjCreate(queue->stack->fd, 0,
				       &queue->fences[i / STAGES][i % STAGES]);
	return ret ? -errno : 0;
}

/* Create what is missing. Failures that do not last are repeated. */
int queue_build(struct queue *queue)
{
	int i, ret = 0;

	for (i = 0; i < BUILD_TRIES; i++) {
		if (!queue->timeline)
			ret = syncobjs_build(queue);
		if (!ret && !queue->channel)
			ret = channel_build(queue);
		if (!ret && !queue->cluster)
			ret = cluster_build(queue);
		if (!ret || ret == -ENODEV)
			break;
		ret = i < BUILD_TRIES - 1 ? 0 : ret;
	}
	queue->ready = !ret;
	return ret;
}

/* The device is gone, and everything that the queue had there. */
void queue_forget(struct queue *queue)
{
	if (queue->cluster)
		munmap(queue->map, queue->size);
	queue->cluster = 0;
	queue->channel = 0;
	queue->timeline = 0;
	queue->point = 0;
	queue->ready = false;
}
