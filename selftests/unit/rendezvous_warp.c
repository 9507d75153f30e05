// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "rendezvous_warp.h"

unsigned int rv_shfl_source(unsigned int mode, unsigned int lane, __u32 b, __u32 c, bool *pred)
{
	const int bval = b % 32, cval = c % 32, segmask = c / 256 % 32;
	const int max_lane = ((int)lane & segmask) | (cval & ~segmask & 31);
	const int min_lane = (int)lane & segmask;
	int j = 0;

	switch (mode) {
	case DRM_VSM_MODE_UP:
		j = (int)lane - bval;
		*pred = j >= max_lane;
		break;
	case DRM_VSM_MODE_DOWN:
		j = (int)lane + bval;
		*pred = j <= max_lane;
		break;
	case DRM_VSM_MODE_BFLY:
		j = (int)lane ^ bval;
		*pred = j <= max_lane;
		break;
	case DRM_VSM_MODE_IDX:
		j = min_lane | (bval & ~segmask & 31);
		*pred = j <= max_lane;
		break;
	default:
		abort();
	}
	return *pred ? j : (int)lane;
}

bool rv_source_missing(const struct party *w, unsigned int lane, const struct drm_vsm_insn *insn,
		       __u32 *info)
{
	bool pred;

	if (insn->op != OP(SHFL_SYNC))
		return false;
	*info = rv_shfl_source(insn->red, lane, insn->u.warp.b, insn->u.warp.c, &pred);
	return !names(insn, *info) || !lives(w, *info);
}

bool rv_takes_part(const struct party *w, const struct drm_vsm_insn *insn, unsigned int lane)
{
	return lives(w, lane) && names(insn, lane);
}

static __u64 match(const struct party *w, unsigned int lane, const struct drm_vsm_insn *insn)
{
	const bool wide = insn->red / 16 == DRM_VSM_TYPE_B64;
	__u32 mine = 0, all = 0;
	unsigned int i;

	for (i = 0; i < w->lanes; i++) {
		const __u64 a = lane_of(w, i)->insn.u.warp.a;
		const __u64 b = lane_of(w, lane)->insn.u.warp.a;

		if (!rv_takes_part(w, insn, i))
			continue;
		all += 1U << i;
		if (wide ? a == b : (__u32)a == (__u32)b)
			mine += 1U << i;
	}
	if (insn->red % 16 == DRM_VSM_MODE_ANY)
		return mine;
	return mine == all ? DRM_VSM_RESULT_PRED + all : 0;
}

static __u64 vote(const struct party *w, const struct drm_vsm_insn *insn)
{
	unsigned int i, yes = 0, no = 0;
	__u32 ballot = 0;

	for (i = 0; i < w->lanes; i++) {
		if (!rv_takes_part(w, insn, i))
			continue;
		if (lane_of(w, i)->insn.u.warp.a) {
			yes++;
			ballot += 1U << i;
		} else {
			no++;
		}
	}
	switch (insn->red) {
	case DRM_VSM_MODE_ALL:
		return !no;
	case DRM_VSM_MODE_ANY:
		return !!yes;
	case DRM_VSM_MODE_UNI:
		return !yes || !no;
	default:
		return ballot;
	}
}

static __u64 elect(const struct party *w, unsigned int lane, const struct drm_vsm_insn *insn)
{
	unsigned int i;

	for (i = 0; !rv_takes_part(w, insn, i); i++)
		;
	return i == lane ? DRM_VSM_RESULT_PRED + i : i;
}

static __u64 redux(const struct party *w, const struct drm_vsm_insn *insn)
{
	const bool is_signed = insn->red / 16 == DRM_VSM_TYPE_S32;
	long long sum = 0, least = 0, most = 0;
	__u32 ands = 0, ors = 0, xors = 0;
	bool first = true;
	unsigned int i;

	for (i = 0; i < w->lanes; i++) {
		const __u32 bits = lane_of(w, i)->insn.u.warp.a;
		const long long value = is_signed ? (long long)(__s32)bits : (long long)bits;

		if (!rv_takes_part(w, insn, i))
			continue;
		sum += value;
		least = first || value < least ? value : least;
		most = first || value > most ? value : most;
		ands = first ? bits : ands & bits;
		ors |= bits;
		xors ^= bits;
		first = false;
	}
	switch (insn->red % 16) {
	case DRM_VSM_RED_ADD:
		return (__u32)sum;
	case DRM_VSM_RED_MIN:
		return (__u32)least;
	case DRM_VSM_RED_MAX:
		return (__u32)most;
	case DRM_VSM_RED_AND:
		return ands;
	case DRM_VSM_RED_OR:
		return ors;
	default:
		return xors;
	}
}

/* If another lane executes the instruction for this lane, this lane gets no result of its own. */
void rv_give(const struct party *w, unsigned int lane, __u64 result, enum drm_vsm_fault fault,
	     __u32 info)
{
	struct rv_model *m = w->m;
	struct rv_thread *t = lane_of(w, lane);

	if (t->lead != lane) {
		t->lead = lane;
		t->state = RV_RUNNING;
		return;
	}
	t->state = RV_RELEASED;
	m->given[m->givens].cta = w->cta;
	m->given[m->givens].thread = w->first + lane;
	m->givens++;
	t->insn.result = result;
	t->insn.fault = fault;
	t->insn.info = info;
}

void rv_finish_warp_op(const struct party *w, const struct drm_vsm_insn *insn)
{
	__u64 results[RV_LANES] = { 0 };
	bool bad[RV_LANES] = { false };
	__u32 info[RV_LANES] = { 0 };
	unsigned int i, from;

	for (i = 0; i < w->lanes; i++) {
		bool pred;

		if (!rv_takes_part(w, insn, i))
			continue;
		switch (insn->op) {
		case OP(MATCH_SYNC):
			results[i] = match(w, i, insn);
			break;
		case OP(VOTE_SYNC):
			results[i] = vote(w, insn);
			break;
		case OP(ELECT_SYNC):
			results[i] = elect(w, i, insn);
			break;
		case OP(REDUX_SYNC):
			results[i] = redux(w, insn);
			break;
		case OP(SHFL_SYNC):
			bad[i] = rv_source_missing(w, i, &lane_of(w, i)->insn, &info[i]);
			if (bad[i] && w->m->sources)
				break;
			from = rv_shfl_source(insn->red, i, lane_of(w, i)->insn.u.warp.b,
					      lane_of(w, i)->insn.u.warp.c, &pred);
			results[i] = (__u32)lane_of(w, bad[i] ? i : from)->insn.u.warp.a;
			results[i] += pred ? DRM_VSM_RESULT_PRED : 0;
			if (!bad[i])
				info[i] = 0;
			break;
		}
	}
	for (i = 0; i < w->lanes; i++)
		if (rv_takes_part(w, insn, i))
			rv_give(w, i, results[i], bad[i] ? FAULT(SHFL_SOURCE) : FAULT(NONE),
				info[i]);
}
