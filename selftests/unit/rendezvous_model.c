// SPDX-License-Identifier: MIT
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "rendezvous_model.h"
#include "rendezvous_warp.h"

void rv_create(struct rv_model *m, unsigned int ctas, unsigned int threads)
{
	unsigned int i, j;

	*m = (struct rv_model) { .ctas = ctas, .threads = threads };
	m->cta = calloc(ctas, sizeof(*m->cta));
	m->given = calloc(ctas * threads, sizeof(*m->given));
	if (!m->cta || !m->given)
		abort();
	for (i = 0; i < ctas; i++) {
		m->cta[i].threads = calloc(threads, sizeof(*m->cta[i].threads));
		if (!m->cta[i].threads)
			abort();
		for (j = 0; j < threads; j++)
			m->cta[i].threads[j].lead = j % RV_LANES;
	}
}

void rv_destroy(struct rv_model *m)
{
	unsigned int i, j;

	for (i = 0; i < m->ctas; i++) {
		for (j = 0; j < RV_BARRIERS; j++)
			free(m->cta[i].barriers[j].arrivals);
		free(m->cta[i].threads);
	}
	free(m->cta);
	free(m->given);
}

/* --- which lane waits for which ------------------------------------------------ */

/*
 * Are both instructions the same operation, with the same qualifiers and the same mask or barrier?
 */
static bool same_rendezvous(const struct drm_vsm_insn *a, const struct drm_vsm_insn *b)
{
	if (a->op != b->op || a->mods != b->mods || a->sem != b->sem || a->red != b->red)
		return false;
	if (rv_is_warp_op(a->op))
		return a->u.warp.membermask == b->u.warp.membermask;
	if (is_named(a->op))
		return a->u.barrier.barrier == b->u.barrier.barrier &&
		       a->u.barrier.count == b->u.barrier.count;
	return true;
}

/* Must the lane still execute @insn before @insn can complete? */
static bool missing(const struct party *w, const struct drm_vsm_insn *insn, unsigned int lane)
{
	const struct rv_thread *t = lane_of(w, lane);

	return lives(w, lane) && names(insn, lane) &&
	       (t->state != RV_INSIDE || !same_rendezvous(&t->insn, insn));
}

static bool all_there(const struct party *w, const struct drm_vsm_insn *insn)
{
	unsigned int i;

	for (i = 0; i < w->lanes; i++)
		if (missing(w, insn, i))
			return false;
	return true;
}

/* Does the lane wait, directly or through other lanes, for a thread in @insn? */
static bool waits_for(const struct party *w, unsigned int lane, const struct drm_vsm_insn *insn,
		      bool *visited)
{
	const struct rv_thread *t = lane_of(w, lane);
	unsigned int i;

	if (visited[lane] || t->state != RV_INSIDE)
		return false;
	visited[lane] = true;
	for (i = 0; i < w->lanes; i++) {
		const struct rv_thread *other = lane_of(w, i);

		if (!missing(w, &t->insn, i))
			continue;
		if (other->state == RV_INSIDE && same_rendezvous(&other->insn, insn))
			return true;
		if (waits_for(w, i, insn, visited))
			return true;
	}
	return false;
}

/*
 * Returns the lowest lane that @insn waits for and that itself waits for a thread in @insn, or -1.
 */
static int circle(const struct party *w, const struct drm_vsm_insn *insn)
{
	unsigned int i;

	for (i = 0; i < w->lanes; i++) {
		bool visited[RV_LANES] = { false };

		if (missing(w, insn, i) && waits_for(w, i, insn, visited))
			return i;
	}
	return -1;
}

/* --- named barriers -------------------------------------------------------- */

static unsigned int count_of(const struct rv_model *m, const struct drm_vsm_insn *insn)
{
	return insn->mods & DRM_VSM_MOD_COUNT ? insn->u.barrier.count : warps_of(m) * RV_LANES;
}

static struct rv_generation *generation_of(const struct party *w, const struct drm_vsm_insn *insn)
{
	return &w->m->cta[w->cta].barriers[insn->u.barrier.barrier];
}

struct rv_arrival *rv_waits_at(struct rv_model *m, unsigned int cta, unsigned int thread,
			       unsigned int barrier)
{
	const struct rv_generation *g = &m->cta[cta].barriers[barrier];
	unsigned int i;

	for (i = 0; i < g->number; i++)
		if (g->arrivals[i].warp == thread / RV_LANES && g->arrivals[i].waits)
			return &g->arrivals[i];
	return NULL;
}

static struct rv_arrival *waits_at(const struct party *w, const struct drm_vsm_insn *insn)
{
	return rv_waits_at(w->m, w->cta, w->first, insn->u.barrier.barrier);
}

static void forget(struct rv_generation *g, const struct rv_arrival *a)
{
	const unsigned int i = a - g->arrivals;

	g->number--;
	memmove(&g->arrivals[i], &g->arrivals[i + 1], (g->number - i) * sizeof(*a));
}

/* Returns the rule that forbids the warp to arrive, or FAULT(NONE). */
static enum drm_vsm_fault arrival_fault(const struct party *w, const struct drm_vsm_insn *insn,
					__u32 *info)
{
	const struct rv_generation *g = generation_of(w, insn);
	unsigned int i;

	for (i = 0; i < g->number; i++)
		if (w->m->once && g->arrivals[i].warp == w->first / RV_LANES)
			return FAULT(BARRIER_OVERFLOW);
	for (i = 0; i < g->number; i++)
		if (g->arrivals[i].red != insn->red)
			return FAULT(BARRIER_MIXED);
	for (i = 0; i < g->number; i++) {
		if (g->arrivals[i].count != count_of(w->m, insn)) {
			*info = g->arrivals[i].count;
			return FAULT(BARRIER_MISMATCH);
		}
	}
	return FAULT(NONE);
}

static void arrive(const struct party *w, const struct drm_vsm_insn *insn)
{
	struct rv_generation *g = generation_of(w, insn);
	struct rv_arrival *a;
	unsigned int i;

	for (i = 0; i < g->number; i++)
		w->m->again |= g->arrivals[i].warp == w->first / RV_LANES;
	g->arrivals = realloc(g->arrivals, (g->number + 1) * sizeof(*a));
	if (!g->arrivals)
		abort();
	a = &g->arrivals[g->number++];
	*a = (struct rv_arrival) {
		.warp = w->first / RV_LANES,
		.waits = insn->op != OP(BARRIER_ARRIVE),
		.for_all = !(insn->mods & DRM_VSM_MOD_COUNT),
		.count = count_of(w->m, insn),
		.red = insn->red,
	};
	for (i = 0; i < w->lanes; i++) {
		if (!lives(w, i))
			continue;
		a->threads++;
		a->trues += lane_of(w, i)->insn.u.barrier.pred;
		if (!a->waits)
			rv_give(w, i, 0, FAULT(NONE), 0);
	}
}

static bool has_arrived(const struct rv_generation *g, unsigned int warp)
{
	unsigned int i;

	for (i = 0; i < g->number; i++)
		if (g->arrivals[i].warp == warp)
			return true;
	return false;
}

/*
 * PTX 9.7.13.1: each arrival counts as 32 threads. As recorded on an H100, exits release a barrier
 * only if a warp waits there without a count. That barrier waits for one arrival of each warp.
 */
static bool barrier_complete(struct rv_model *m, unsigned int cta,
			     const struct rv_generation *g)
{
	bool for_all = false;
	unsigned int i;

	if (!g->number)
		return false;
	if ((unsigned long long)g->number * RV_LANES >= g->arrivals[0].count)
		return true;
	for (i = 0; i < g->number; i++)
		for_all |= g->arrivals[i].waits && g->arrivals[i].for_all;
	for (i = 0; i < warps_of(m); i++) {
		const struct party w = warp_of(m, cta, i * RV_LANES);

		if (warp_lives(&w) && !has_arrived(g, i))
			return false;
	}
	return for_all;
}

static void finish_barrier(struct rv_model *m, unsigned int cta, unsigned int barrier)
{
	struct rv_generation *g = &m->cta[cta].barriers[barrier];
	unsigned int i, j, threads = 0, trues = 0;
	__u64 result = 0;

	for (i = 0; i < g->number; i++) {
		threads += g->arrivals[i].threads;
		trues += g->arrivals[i].trues;
	}
	switch (g->arrivals[0].red) {
	case DRM_VSM_RED_POPC:
		result = trues;
		break;
	case DRM_VSM_RED_AND:
		result = trues == threads;
		break;
	case DRM_VSM_RED_OR:
		result = trues > 0;
		break;
	}
	for (i = 0; i < g->number; i++) {
		const struct party w = warp_of(m, cta, g->arrivals[i].warp * RV_LANES);

		for (j = 0; g->arrivals[i].waits && j < w.lanes; j++)
			if (lives(&w, j))
				rv_give(&w, j, result, FAULT(NONE), 0);
	}
	g->number = 0;
}

/* --- steps ----------------------------------------------------------------- */

/* Called when all threads of the warp that take part have executed the instruction. */
static void gather(const struct party *w, const struct drm_vsm_insn *insn)
{
	enum drm_vsm_fault fault = FAULT(NONE);
	__u32 info = 0;
	unsigned int i;

	if (rv_is_warp_op(insn->op)) {
		rv_finish_warp_op(w, insn);
	} else if (is_named(insn->op)) {
		/* The warp has already arrived, and waits for other warps. */
		if (waits_at(w, insn))
			return;
		fault = arrival_fault(w, insn, &info);
		if (!fault)
			arrive(w, insn);
	}
	for (i = 0; i < w->lanes; i++) {
		if (!lives(w, i) || !(fault || insn->op == OP(BARRIER_CLUSTER_ARRIVE)))
			continue;
		if (!fault)
			lane_of(w, i)->cluster = RV_ARRIVED;
		/* .release is the default. */
		if (!fault && insn->sem != DRM_VSM_SEM_RELAXED)
			w->m->released = true;
		rv_give(w, i, 0, fault, info);
	}
}

static bool all_arrived(struct rv_model *m)
{
	unsigned int cta, i, arrived = 0;

	for (cta = 0; cta < m->ctas; cta++) {
		for (i = 0; i < m->threads; i++) {
			const struct rv_thread *t = rv_thread(m, cta, i);

			if (t->state != RV_EXITED && t->cluster != RV_ARRIVED)
				return false;
			arrived += t->state != RV_EXITED;
		}
	}
	return arrived;
}

/*
 * Releases the threads of a warp that wait at the barrier of the cluster, if its phase is complete.
 */
static void pass_cluster(const struct party *w)
{
	unsigned int i;

	for (i = 0; i < w->lanes; i++) {
		const struct rv_thread *t = lane_of(w, i);

		if (t->state == RV_INSIDE && t->insn.op == OP(BARRIER_CLUSTER_WAIT) &&
		    t->cluster == RV_COMPLETE && all_there(w, &t->insn))
			break;
	}
	for (; i < w->lanes; i++) {
		if (!lives(w, i))
			continue;
		lane_of(w, i)->cluster = RV_NOT_ARRIVED;
		rv_give(w, i, 0, FAULT(NONE), 0);
	}
}

static void complete_cluster(struct rv_model *m)
{
	unsigned int cta, i;

	m->phases++;
	for (cta = 0; cta < m->ctas; cta++)
		for (i = 0; i < m->threads; i++)
			if (rv_thread(m, cta, i)->cluster == RV_ARRIVED)
				rv_thread(m, cta, i)->cluster = RV_COMPLETE;
	for (cta = 0; cta < m->ctas; cta++) {
		for (i = 0; i < warps_of(m); i++) {
			const struct party w = warp_of(m, cta, i * RV_LANES);

			pass_cluster(&w);
		}
	}
}

/* Releases all threads that can be released after a thread of the warp has executed @why. */
static void settle(const struct party *w, const struct drm_vsm_insn *why)
{
	unsigned int i;

	for (i = 0; i < w->lanes; i++) {
		const struct rv_thread *t = lane_of(w, i);
		const struct drm_vsm_insn insn = t->insn;

		/*
		 * A thread that executes an instruction can complete only that instruction. A
		 * thread that exits can complete any instruction of its warp.
		 */
		if (t->state == RV_INSIDE &&
		    (why->op == OP(EXIT) || same_rendezvous(&insn, why)) && all_there(w, &insn))
			gather(w, &insn);
	}
	for (i = 0; i < RV_BARRIERS; i++)
		if (barrier_complete(w->m, w->cta, &w->m->cta[w->cta].barriers[i]))
			finish_barrier(w->m, w->cta, i);
	if (why->op < OP(BARRIER_CLUSTER_ARRIVE))
		return;
	pass_cluster(w);
	if (all_arrived(w->m))
		complete_cluster(w->m);
}

/* All threads for which lane @lead executes the instruction leave it. */
static void leave(const struct party *w, unsigned int lead)
{
	unsigned int i;

	for (i = 0; i < w->lanes; i++) {
		struct rv_thread *t = lane_of(w, i);

		if (t->lead != lead || t->state == RV_EXITED)
			continue;
		t->state = RV_RUNNING;
		t->watched = false;
		t->lead = i;
	}
}

void rv_withdraw(struct rv_model *m, unsigned int cta, unsigned int thread)
{
	const struct party w = warp_of(m, cta, thread);
	const struct rv_thread *t = rv_thread(m, cta, thread);

	if (is_named(t->insn.op) && waits_at(&w, &t->insn))
		forget(generation_of(&w, &t->insn), waits_at(&w, &t->insn));
	leave(&w, t->lead);
}

void rv_take(struct rv_model *m, unsigned int cta, unsigned int thread)
{
	const struct party w = warp_of(m, cta, thread);

	leave(&w, thread % RV_LANES);
}

/*
 * An exiting thread leaves its instruction, and its vote no longer counts. The arrival of its warp
 * still counts.
 */
static enum drm_vsm_fault exit_lanes(const struct party *w, const bool *set,
				     const struct drm_vsm_insn *insn)
{
	unsigned int i, j;

	for (i = 0; i < w->lanes; i++) {
		const struct rv_thread *t = lane_of(w, i);

		if (!set[i] || t->state != RV_INSIDE)
			continue;
		if (lane_of(w, t->lead)->watched)
			return FAULT(THREAD_SUSPENDED);
		/* If one lane executes for several threads, they exit together or not at all. */
		for (j = 0; j < w->lanes; j++)
			if (!set[j] && lane_of(w, j)->state == RV_INSIDE &&
			    lane_of(w, j)->lead == t->lead)
				return FAULT(THREAD_SUSPENDED);
	}
	for (i = 0; i < w->lanes; i++) {
		const struct rv_thread *t = lane_of(w, i);
		struct rv_arrival *a = NULL;

		if (!set[i])
			continue;
		if (t->state == RV_INSIDE && is_named(t->insn.op))
			a = waits_at(w, &t->insn);
		leave(w, t->lead);
		if (a) {
			a->waits = false;
			a->threads = 0;
			a->trues = 0;
			for (j = 0; j < w->lanes; j++) {
				if (lane_of(w, j)->state != RV_INSIDE)
					continue;
				a->waits = true;
				a->threads++;
				a->trues += lane_of(w, j)->insn.u.barrier.pred;
			}
		}
		lane_of(w, i)->state = RV_EXITED;
	}
	settle(w, insn);
	return FAULT(NONE);
}

enum drm_vsm_fault rv_execute(struct rv_model *m, unsigned int cta, unsigned int thread,
			      bool converged, const struct drm_vsm_insn *insn, __u32 *info)
{
	const struct party w = warp_of(m, cta, thread);
	const unsigned int lane = thread % RV_LANES;
	struct rv_thread *t = lane_of(&w, lane);
	enum drm_vsm_fault fault = FAULT(NONE);
	bool set[RV_LANES] = { false };
	unsigned int i;
	int other;

	*info = 0;
	m->givens = 0;
	m->released = false;
	m->again = false;
	if (t->state == RV_EXITED)
		return FAULT(THREAD_EXITED);
	for (i = 0; i < w.lanes; i++)
		set[i] = i == lane || (converged && rv_takes_part(&w, insn, i));
	if (insn->op == OP(EXIT))
		return exit_lanes(&w, set, insn);
	if (t->state != RV_RUNNING) {
		if (t->lead == lane && !t->watched && t->converged == converged &&
		    !memcmp(&t->insn, insn, offsetof(struct drm_vsm_insn, result)))
			return FAULT(NONE);
		return FAULT(THREAD_SUSPENDED);
	}
	for (i = 0; i < w.lanes; i++)
		if (set[i] && lane_of(&w, i)->state != RV_RUNNING)
			return FAULT(THREAD_SUSPENDED);

	if (!names(insn, lane))
		return FAULT(NOT_IN_MASK);
	if (m->sources && rv_source_missing(&w, lane, insn, info))
		return FAULT(SHFL_SOURCE);
	*info = 0;
	for (i = 0; i < w.lanes; i++) {
		const enum rv_cluster cluster = lane_of(&w, i)->cluster;

		if (set[i] && insn->op == OP(BARRIER_CLUSTER_ARRIVE) && cluster != RV_NOT_ARRIVED)
			return FAULT(CLUSTER_ARRIVED);
		if (set[i] && insn->op == OP(BARRIER_CLUSTER_WAIT) && cluster == RV_NOT_ARRIVED)
			return FAULT(CLUSTER_NOT_ARRIVED);
	}

	/*
	 * The threads enter the instruction before the check for misuse. leave() undoes this if it
	 * is misuse.
	 */
	for (i = 0; i < w.lanes; i++) {
		if (!set[i])
			continue;
		lane_of(&w, i)->insn = *insn;
		lane_of(&w, i)->state = RV_INSIDE;
		lane_of(&w, i)->lead = lane;
		lane_of(&w, i)->converged = converged;
	}
	other = circle(&w, insn);
	if (other >= 0) {
		fault = rv_is_warp_op(insn->op) ? FAULT(WARP_MISMATCH) : FAULT(PARTIAL_WARP);
		*info = other;
	} else if (is_named(insn->op) && all_there(&w, insn)) {
		fault = arrival_fault(&w, insn, info);
	}
	if (fault) {
		leave(&w, lane);
		return fault;
	}
	settle(&w, insn);
	return FAULT(NONE);
}
