// SPDX-License-Identifier: MIT
/*
 * Faults of threads that meet, and of those that are not there to meet, in words.
 */
#include "report.h"

static void not_in_mask(struct vsm_report *r)
{
	put(r, "the thread that executes it is not in the mask");
	advise(r, "set its bit, or let the lanes of the mask alone execute it");
}

static void warp_mismatch(struct vsm_report *r)
{
	put(r, "lane %u waits for this thread in another instruction, ", r->insn->info);
	put(r, "or with other qualifiers or another membermask");
	advise(r, "let all lanes of a membermask execute the same with the same membermask");
}

static void shfl_source(struct vsm_report *r)
{
	uint32_t lane = r->insn->info;

	put(r, "it reads lane %u, which ", lane);
	if (lane < 32 && r->insn->u.warp.membermask >> lane & 1) {
		put(r, "has exited");
		advise(r, "let that lane execute it before it exits, or read another");
	} else {
		put(r, "is not in the mask");
		advise(r, "set its bit and let it execute the same, or read another lane");
	}
}

static void partial_warp(struct vsm_report *r)
{
	put(r, "it waits for all threads of the warp, and lane %u waits for this one in another ",
	    r->insn->info);
	put(r, "instruction");
	advise(r, "let all threads of the warp execute the same barrier instruction");
}

static void barrier_id(struct vsm_report *r)
{
	put(r, "a CTA has the named barriers 0 to 15");
}

static void barrier_count(struct vsm_report *r)
{
	put(r, "the count must be a multiple of 32, the threads of a warp, and not 0");
}

static void barrier_mismatch(struct vsm_report *r)
{
	put(r, "the warps that have arrived expect %u threads", r->insn->info);
	advise(r, "let all that meet there give the same count");
}

static void barrier_overflow(struct vsm_report *r)
{
	put(r, "the warp has arrived already, and the barrier is not complete");
	advise(r, "wait by .sync before the warp arrives again, or use another barrier");
}

static void barrier_mixed(struct vsm_report *r)
{
	if (r->insn->op == DRM_VSM_OP_BARRIER_RED)
		put(r, "warps have arrived by .sync or .arrive, or by another reduction");
	else
		put(r, "warps have arrived by .red");
	advise(r, "let all that meet there execute the same reduction, or none");
}

static void cluster_arrived(struct vsm_report *r)
{
	put(r, "the thread has arrived already");
	advise(r, "let it execute barrier.cluster.wait before it arrives again");
}

static void cluster_not_arrived(struct vsm_report *r)
{
	put(r, "the thread has not arrived");
	advise(r, "let it execute barrier.cluster.arrive first");
}

static void thread_exited(struct vsm_report *r)
{
	put(r, "the thread has exited");
	advise(r, "let exit be the last that it executes, or use another thread");
}

static void thread_suspended(struct vsm_report *r)
{
	put(r, "the thread is suspended in another instruction");
	advise(r, "execute that again until it ends, or let one task alone play the thread");
}

void vsm_put_rendezvous(struct vsm_report *r)
{
	vsm_about(r);
	switch (r->insn->fault) {
	case DRM_VSM_FAULT_NOT_IN_MASK: return not_in_mask(r);
	case DRM_VSM_FAULT_WARP_MISMATCH: return warp_mismatch(r);
	case DRM_VSM_FAULT_SHFL_SOURCE: return shfl_source(r);
	case DRM_VSM_FAULT_PARTIAL_WARP: return partial_warp(r);
	case DRM_VSM_FAULT_BARRIER_ID: return barrier_id(r);
	case DRM_VSM_FAULT_BARRIER_COUNT: return barrier_count(r);
	case DRM_VSM_FAULT_BARRIER_MISMATCH: return barrier_mismatch(r);
	case DRM_VSM_FAULT_BARRIER_OVERFLOW: return barrier_overflow(r);
	case DRM_VSM_FAULT_BARRIER_MIXED: return barrier_mixed(r);
	case DRM_VSM_FAULT_CLUSTER_ARRIVED: return cluster_arrived(r);
	case DRM_VSM_FAULT_CLUSTER_NOT_ARRIVED: return cluster_not_arrived(r);
	case DRM_VSM_FAULT_THREAD_EXITED: return thread_exited(r);
	case DRM_VSM_FAULT_THREAD_SUSPENDED: return thread_suspended(r);
	}
}
