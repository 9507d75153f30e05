// SPDX-License-Identifier: MIT
/*
 * Events of the device: asynchronous operations that broke a rule when they completed.
 */
#include <errno.h>
#include <string.h>

#include "run/event.h"
#include "run/fault.h"

#define EVENTS 16

static bool same_operation(const struct drm_vsm_insn *x, const struct drm_vsm_insn *y)
{
	return !memcmp(x, y, offsetof(struct drm_vsm_insn, result));
}

/*
 * The step that issued the operation of an event; -1 if it is not remembered. The worker of the
 * cluster may write to the list at the same time: a wrong line is then possible, but nothing worse,
 * because the number of the step is checked.
 */
static int64_t find_step(const struct ptx_warp *warp, uint32_t thread,
			 const struct drm_vsm_insn *insn)
{
	unsigned int i;

	for (i = 0; warp->issues && i < PTX_ISSUES; i++)
		if (warp->issues[i].thread == thread &&
		    same_operation(&warp->issues[i].insn, insn) &&
		    warp->issues[i].step < ptx_launch_of(warp)->program->step_count)
			return warp->issues[i].step;
	return -1;
}

static void report(struct ptx_cluster *cluster, const struct drm_vsm_event_fault *event)
{
	struct ptx_fault fault = {
		.failure = FAILURE_ASYNC,
		.error = -EPROTO,
		.step = -1,
		.rank = event->cta,
		.warp = event->thread / PTX_LANES,
		.lane = event->thread % PTX_LANES,
		.lanes = 1u << event->thread % PTX_LANES,
		.insn = event->insn,
	};

	if (event->cta >= cluster->launch->cluster_ctas ||
	    fault.warp >= ptx_block_warps(cluster->launch))
		return;
	memcpy(fault.ctaid, cluster->ctas[event->cta].ctaid, sizeof(fault.ctaid));
	fault.step = find_step(&cluster->ctas[event->cta].warps[fault.warp], event->thread,
			       &event->insn);
	ptx_fail_launch(cluster->launch, &fault);
}

static void report_one(struct vsm_ptx_context *context, const struct drm_vsm_event_fault *event)
{
	struct ptx_cluster *cluster;

	/* The call that executed an instruction has reported all other faults. */
	if (event->source != DRM_VSM_SOURCE_ASYNC || event->flags & DRM_VSM_EVENT_REPORTED)
		return;
	for (cluster = context->clusters; cluster; cluster = cluster->remembered)
		if (vsm_cluster_handle(cluster->device) == event->cluster)
			break;
	if (cluster)
		report(cluster, event);
}

void ptx_event_read(struct vsm_ptx_context *context)
{
	struct drm_vsm_event_fault events[EVENTS];
	int count, i;

	pthread_mutex_lock(&context->lock);
	/* A call may return fewer events than there are, even if it has space for them. */
	do {
		count = vsm_event_read(context->device, events, EVENTS, 0);
		for (i = 0; i < count; i++)
			report_one(context, &events[i]);
	} while (count > 0);
	pthread_mutex_unlock(&context->lock);
}

void ptx_cluster_drain(struct ptx_cluster *cluster)
{
	int err;

	if (!cluster->issued)
		return;
	cluster->issued = false;
	cluster->worker->calls++;
	err = vsm_cluster_drain(cluster->device);
	if (err)
		ptx_fail_worker(cluster->worker, err);
	ptx_event_read(cluster->launch->module->context);
}

void ptx_event_remember(struct ptx_cluster *cluster)
{
	struct vsm_ptx_context *context = cluster->launch->module->context;

	if (!cluster->device)
		return;
	pthread_mutex_lock(&context->lock);
	cluster->remembered = context->clusters;
	context->clusters = cluster;
	pthread_mutex_unlock(&context->lock);
}

void ptx_event_forget(struct ptx_cluster *cluster)
{
	struct vsm_ptx_context *context = cluster->launch->module->context;
	struct ptx_cluster **link = &context->clusters;

	if (!cluster->device)
		return;
	pthread_mutex_lock(&context->lock);
	while (*link != cluster)
		link = &(*link)->remembered;
	*link = cluster->remembered;
	pthread_mutex_unlock(&context->lock);
}
