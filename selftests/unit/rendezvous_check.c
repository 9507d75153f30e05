// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../insn.h"
#include "rendezvous_check.h"

#define SMALL		16384

void rv_check_create(struct rv_check *c, const struct vsm_geometry *geo)
{
	*c = (struct rv_check) { .geo = *geo, .size = vsm_rendezvous_size(geo) };
	c->rv = calloc(1, c->size);
	c->before = c->size <= SMALL ? malloc(c->size) : NULL;
	c->woken = calloc(geo->ctas, geo->threads);
	if (!c->rv || (c->size <= SMALL && !c->before) || !c->woken)
		abort();
	vsm_rendezvous_init(c->rv, geo);
	rv_create(&c->model, geo->ctas, geo->threads);
	c->model.once = geo->enforce & DRM_VSM_RULE(FAULT(BARRIER_OVERFLOW));
	c->model.sources = geo->enforce & DRM_VSM_RULE(FAULT(SHFL_SOURCE));
}

void rv_check_destroy(struct rv_check *c)
{
	rv_destroy(&c->model);
	free(c->rv);
	free(c->before);
	free(c->woken);
}

static void same(struct rv_check *c, unsigned int cta, unsigned int thread, const char *what,
		 unsigned long long seen, unsigned long long wanted)
{
	if (seen == wanted || c->wrong[0])
		return;
	snprintf(c->wrong, sizeof(c->wrong), "CTA %u, thread %u: %s %#llx, not %#llx", cta, thread,
		 what, seen, wanted);
}

/* Compares what the core says of a thread with the model. */
static void check_thread(struct rv_check *c, unsigned int cta, unsigned int thread)
{
	const struct rv_thread *t = rv_thread(&c->model, cta, thread);
	const struct vsm_warp *warp = vsm_rendezvous_warp(c->rv, cta, thread);
	const unsigned int lane = thread % VSM_WARP_SIZE;

	same(c, cta, thread, "exited", vsm_rendezvous_exited(c->rv, cta, thread),
	     t->state == RV_EXITED);
	same(c, cta, thread, "released", vsm_rendezvous_is_released(c->rv, cta, thread),
	     t->state == RV_RELEASED);
	same(c, cta, thread, "suspended", (warp->waiting | warp->arrived) >> lane & 1,
	     t->state == RV_INSIDE);
	if (t->state == RV_EXITED)
		return;
	same(c, cta, thread, "arrived at the barrier of the cluster",
	     warp->cluster_arrived >> lane & 1, t->cluster != RV_NOT_ARRIVED);
	if (t->state == RV_INSIDE && t->lead == lane)
		same(c, cta, thread, "has a waiter",
		     !!vsm_rendezvous_lane(c->rv, cta, thread)->waiter, t->watched);
}

static void check_barrier(struct rv_check *c, unsigned int cta, unsigned int i)
{
	const struct vsm_barrier *barrier = &c->rv->ctas[cta].barriers[i];
	const struct rv_generation *g = &c->model.cta[cta].barriers[i];
	unsigned int w;

	for (w = 0; w < vsm_geometry_warps(&c->geo); w++)
		same(c, cta, w * VSM_WARP_SIZE, "waits at a barrier", barrier->waiting >> w & 1,
		     !!rv_waits_at(&c->model, cta, w * VSM_WARP_SIZE, i));
	same(c, cta, i, "arrivals at the barrier", barrier->arrivals, g->number * VSM_WARP_SIZE);
	same(c, cta, i, "count of the barrier", barrier->count,
	     g->number ? g->arrivals[0].count : 0);
}

void rv_check_all(struct rv_check *c)
{
	unsigned int cta, i;

	for (cta = 0; cta < c->geo.ctas; cta++) {
		for (i = 0; i < c->geo.threads; i++)
			check_thread(c, cta, i);
		for (i = 0; i < VSM_BARRIERS; i++)
			check_barrier(c, cta, i);
	}
	same(c, 0, 0, "phases of the cluster", c->rv->phase, c->model.phases);
}

static unsigned char *woken(struct rv_check *c, unsigned int cta, unsigned int thread)
{
	return &c->woken[cta * c->geo.threads + thread];
}

/* The core must report each released thread that has a waiter exactly once, and no other thread. */
static void check_released(struct rv_check *c)
{
	struct vsm_lane *lane;
	unsigned int i, wanted = 0, seen = 0;

	for (; (lane = vsm_rendezvous_next(c->rv)); seen++) {
		unsigned char *w = lane->waiter;

		if (!w) {
			same(c, 0, 0, "told of a thread with a waiter", 0, 1);
			return;
		}
		(*w)++;
	}
	for (i = 0; i < c->model.givens; i++) {
		const unsigned int cta = c->model.given[i].cta, thread = c->model.given[i].thread;

		check_thread(c, cta, thread);
		if (!rv_thread(&c->model, cta, thread)->watched)
			continue;
		wanted++;
		same(c, cta, thread, "told so often", *woken(c, cta, thread), 1);
		*woken(c, cta, thread) = 0;
	}
	same(c, 0, 0, "told of so many", seen, wanted);
}

static bool fault_has_info(enum drm_vsm_fault fault)
{
	return fault == FAULT(WARP_MISMATCH) || fault == FAULT(PARTIAL_WARP) ||
	       fault == FAULT(SHFL_SOURCE) || fault == FAULT(BARRIER_MISMATCH);
}

enum drm_vsm_fault rv_check_execute(struct rv_check *c, unsigned int cta, unsigned int thread,
				    bool converged, struct drm_vsm_insn *insn)
{
	enum drm_vsm_fault fault, wanted;
	__u32 info;

	insn->result = POISON;
	insn->fault = 0;
	insn->info = 0;
	wanted = rv_execute(&c->model, cta, thread, converged, insn, &info);
	if (c->before)
		memcpy(c->before, c->rv, c->size);
	fault = vsm_rendezvous_execute(c->rv, cta, thread, converged, insn);
	same(c, cta, thread, "fault", fault, wanted);
	same(c, cta, thread, "noted", c->rv->noted,
	     c->model.again ? FAULT(BARRIER_OVERFLOW) : FAULT(NONE));
	c->rv->noted = FAULT(NONE);
	if (fault_has_info(wanted))
		same(c, cta, thread, "info", insn->info, info);
	else
		same(c, cta, thread, "info of no meaning", insn->info, 0);
	if (fault && c->before)
		same(c, cta, thread, "changed by what was refused",
		     !!memcmp(c->before, c->rv, c->size), false);
	same(c, cta, thread, "released to the cluster", c->rv->release, c->model.released);
	c->rv->release = false;
	if (c->wrong[0])
		return fault;
	check_released(c);
	check_thread(c, cta, thread);
	if (++c->steps % 64 == 0)
		rv_check_all(c);
	return fault;
}

void rv_check_take(struct rv_check *c, unsigned int cta, unsigned int thread,
		   struct drm_vsm_insn *insn)
{
	const struct drm_vsm_insn wanted = rv_thread(&c->model, cta, thread)->insn;

	insn->result = POISON;
	vsm_rendezvous_take(c->rv, cta, thread, insn);
	same(c, cta, thread, "fault of the result", insn->fault, wanted.fault);
	same(c, cta, thread, "result", insn->result, wanted.result);
	if (fault_has_info(wanted.fault))
		same(c, cta, thread, "info of the result", insn->info, wanted.info);
	rv_take(&c->model, cta, thread);
	check_thread(c, cta, thread);
}

void rv_check_withdraw(struct rv_check *c, unsigned int cta, unsigned int thread)
{
	vsm_rendezvous_withdraw(c->rv, cta, thread);
	rv_withdraw(&c->model, cta, thread);
	same(c, cta, thread, "told of one by a withdrawal", !!vsm_rendezvous_next(c->rv), false);
	check_thread(c, cta, thread);
}

void rv_check_watch(struct rv_check *c, unsigned int cta, unsigned int thread, bool watched)
{
	vsm_rendezvous_lane(c->rv, cta, thread)->waiter = watched ? woken(c, cta, thread) : NULL;
	rv_thread(&c->model, cta, thread)->watched = watched;
}
