// SPDX-License-Identifier: MIT
/* Sentences about faults of rendezvous: what the device found, and what to change. */
#include "report.h"

void vsm_put_not_in_mask(struct vsm_report *r)
{
	vsm_about(r);
	put(r, "the thread that executes it is not in the mask");
	advise(r, "set its bit, or let only the lanes of the mask execute it");
}

void vsm_put_warp_mismatch(struct vsm_report *r)
{
	vsm_about(r);
	put(r, "lane %u waits for this thread in another instruction, ", r->insn->info);
	put(r, "or with other qualifiers or another membermask");
	advise(r, "let all lanes of a membermask execute the same instruction with that mask");
}

void vsm_put_shfl_source(struct vsm_report *r)
{
	uint32_t lane = r->insn->info;

	vsm_about(r);
	put(r, "it reads lane %u, which ", lane);
	if (lane < 32 && r->insn->u.warp.membermask >> lane & 1) {
		put(r, "has exited");
		advise(r, "let that lane execute it before it exits, or read another lane");
	} else {
		put(r, "is not in the mask");
		advise(r, "set its bit and let it execute the same instruction, ");
		put(r, "or read another lane");
	}
}

void vsm_put_partial_warp(struct vsm_report *r)
{
	vsm_about(r);
	put(r, "it waits for all threads of the warp, but lane %u waits for this thread ",
	    r->insn->info);
	put(r, "in another instruction");
	advise(r, "let all threads of the warp execute the same barrier instruction");
}

void vsm_put_barrier_id(struct vsm_report *r)
{
	vsm_about(r);
	put(r, "a CTA has the named barriers 0 to 15");
}

void vsm_put_barrier_count(struct vsm_report *r)
{
	vsm_about(r);
	put(r, "the count must be a multiple of 32, the size of a warp, and must not be 0");
}

void vsm_put_barrier_mismatch(struct vsm_report *r)
{
	vsm_about(r);
	put(r, "the warps that have arrived expect %u threads", r->insn->info);
	advise(r, "let all warps at this barrier use the same count");
}

void vsm_put_barrier_overflow(struct vsm_report *r)
{
	vsm_about(r);
	put(r, "the warp has arrived already, and the barrier is not complete");
	advise(r, "wait by .sync before the warp arrives again, or use another barrier");
}

void vsm_put_barrier_mixed(struct vsm_report *r)
{
	vsm_about(r);
	if (r->insn->op == DRM_VSM_OP_BARRIER_RED)
		put(r, "warps have arrived by .sync or .arrive, or by another reduction");
	else
		put(r, "warps have arrived by .red");
	advise(r, "let all warps at this barrier execute the same reduction, or none");
}

void vsm_put_cluster_arrived(struct vsm_report *r)
{
	vsm_about(r);
	put(r, "the thread has arrived already");
	advise(r, "let it execute barrier.cluster.wait before it arrives again");
}

void vsm_put_cluster_not_arrived(struct vsm_report *r)
{
	vsm_about(r);
	put(r, "the thread has not arrived");
	advise(r, "let it execute barrier.cluster.arrive first");
}

void vsm_put_thread_exited(struct vsm_report *r)
{
	vsm_about(r);
	put(r, "the thread has exited");
	advise(r, "let exit be the last instruction of the thread, or use another thread");
}

void vsm_put_thread_suspended(struct vsm_report *r)
{
	vsm_about(r);
	put(r, "the thread is suspended in another instruction");
	advise(r, "continue that instruction first, or let only one task execute as the thread");
}
