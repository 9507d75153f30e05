// SPDX-License-Identifier: MIT
/*
 * Which instruction it is that a sentence is about: what it does, and where.
 */
#include <string.h>

#include "report.h"

static const uint16_t traits_of_op[] = {
	[DRM_VSM_OP_MBARRIER_INIT] = MBAR,
	[DRM_VSM_OP_MBARRIER_INVAL] = MBAR,
	[DRM_VSM_OP_MBARRIER_ARRIVE] = MBAR,
	[DRM_VSM_OP_MBARRIER_ARRIVE_DROP] = MBAR,
	[DRM_VSM_OP_MBARRIER_EXPECT_TX] = MBAR,
	[DRM_VSM_OP_MBARRIER_COMPLETE_TX] = MBAR,
	[DRM_VSM_OP_MBARRIER_TEST_WAIT] = MBAR,
	[DRM_VSM_OP_MBARRIER_TRY_WAIT] = MBAR,
	[DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE] = MBAR,
	[DRM_VSM_OP_CP_ASYNC] = COPY,
	[DRM_VSM_OP_CP_ASYNC_BULK_G2S] = COPY | MBAR,
	[DRM_VSM_OP_CP_ASYNC_BULK_S2G] = COPY | FROM,
	[DRM_VSM_OP_CP_ASYNC_BULK_S2S] = COPY | SHARED | MBAR,
	[DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH] = COPY | NOWHERE,
	[DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2G] = COPY | FROM,
	[DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2S] = COPY | SHARED | MBAR,
	[DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S] = TENSOR | MBAR,
	[DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_S2G] = TENSOR | FROM,
	[DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR] = TENSOR | FROM,
	[DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR] = TENSOR | NOWHERE,
	[DRM_VSM_OP_ST_ASYNC] = STORE | MBAR,
	[DRM_VSM_OP_RED_ASYNC] = STORE | MBAR,
	[DRM_VSM_OP_MATCH_SYNC] = WARP,
	[DRM_VSM_OP_BAR_WARP_SYNC] = WARP,
	[DRM_VSM_OP_ELECT_SYNC] = WARP,
	[DRM_VSM_OP_VOTE_SYNC] = WARP,
	[DRM_VSM_OP_SHFL_SYNC] = WARP,
	[DRM_VSM_OP_REDUX_SYNC] = WARP,
	[DRM_VSM_OP_BARRIER_SYNC] = NAMED,
	[DRM_VSM_OP_BARRIER_ARRIVE] = NAMED,
	[DRM_VSM_OP_BARRIER_RED] = NAMED,
	[DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE] = CLUSTER,
	[DRM_VSM_OP_BARRIER_CLUSTER_WAIT] = CLUSTER,
};

uint16_t vsm_report_traits(const struct drm_vsm_insn *insn)
{
	if (insn->op >= sizeof(traits_of_op) / sizeof(traits_of_op[0]))
		return 0;
	return traits_of_op[insn->op];
}

void vsm_put_place(struct vsm_report *r, uint32_t addr)
{
	put(r, "CTA %u + 0x%x", rank_of(addr), offset_of(addr));
}

/* Where an operand of the instruction is, which may be in several CTAs at once. */
static void put_places(struct vsm_report *r, uint32_t addr)
{
	uint32_t mask = cta_mask(r);
	const char *separator = "";
	uint32_t rank;

	if (!is_multicast(r)) {
		vsm_put_place(r, addr);
		return;
	}
	put(r, !mask ? "no CTA" : mask & (mask - 1) ? "CTAs " : "CTA ");
	for (rank = 0; mask >> rank; rank++) {
		if (mask >> rank & 1) {
			put(r, "%s%u", separator, rank);
			separator = ", ";
		}
	}
	put(r, " + 0x%x", offset_of(addr));
}

/* "no arrival", "1 arrival", "2 arrivals" */
void vsm_put_number(struct vsm_report *r, int64_t number, const char *noun)
{
	if (number)
		put(r, "%lld %s%s", (long long)number, noun, number == 1 ? "" : "s");
	else
		put(r, "no %s", noun);
}

/* The name with its modifiers; everybody knows whose arrive it is. */
void vsm_put_name(struct vsm_report *r, bool full)
{
	vsm_insn_put_name(&r->text, r->insn, full ? "" : "mbarrier.");
	vsm_insn_put_mods(&r->text, r->insn);
}

static void put_what(struct vsm_report *r)
{
	const struct drm_vsm_insn *insn = r->insn;

	vsm_put_name(r, false);
	if (r->traits & TENSOR) {
		put(r, " of ");
		vsm_put_number(r, insn->red >> 4, "dimension");
	} else if (r->traits & MOVES) {
		put(r, " of ");
		vsm_put_number(r, r->c->size, "byte");
	} else if (insn->op == DRM_VSM_OP_MBARRIER_INIT ||
		   (is_arrive(insn) && insn->mods & DRM_VSM_MOD_COUNT)) {
		put(r, " of %u", r->o->count);
	} else if (insn->op == DRM_VSM_OP_MBARRIER_EXPECT_TX ||
		   insn->op == DRM_VSM_OP_MBARRIER_COMPLETE_TX ||
		   (is_arrive(insn) && insn->mods & DRM_VSM_MOD_EXPECT_TX)) {
		put(r, " of %u", r->o->tx_count);
	}
}

/* Begin a sentence about a copy's bytes. */
void vsm_about_copy(struct vsm_report *r)
{
	put_what(r);
	if (!(r->traits & NOWHERE)) {
		put(r, r->traits & FROM ? " from " : " to ");
		put_places(r, r->c->addr);
	}
	put(r, ": ");
}

/* Begin a sentence about an mbarrier. */
void vsm_about_mbarrier(struct vsm_report *r)
{
	put_what(r);
	if (r->insn->op == DRM_VSM_OP_MBARRIER_PENDING_COUNT) {
		put(r, " of the token 0x%llx", (unsigned long long)r->o->state);
	} else if (r->traits & MBAR) {
		put(r, r->insn->op == DRM_VSM_OP_MBARRIER_INVAL ? " of" : " on");
		put(r, " the mbarrier%s at ", is_multicast(r) ? "s" : "");
		put_places(r, mbarrier_of(r));
	}
	put(r, ": ");
}

/* Begin a sentence about threads that meet. */
void vsm_about_rendezvous(struct vsm_report *r)
{
	const struct drm_vsm_insn *insn = r->insn;

	vsm_put_name(r, false);
	if (r->traits & WARP) {
		put(r, " with membermask 0x%x", insn->u.warp.membermask);
	} else if (r->traits & NAMED) {
		if (insn->mods & DRM_VSM_MOD_COUNT)
			put(r, " of %u threads", insn->u.barrier.count);
		put(r, " at named barrier %u of CTA %u", insn->u.barrier.barrier, r->cta);
	}
	put(r, ": ");
}

/* Begin a sentence about any instruction. */
void vsm_about(struct vsm_report *r)
{
	if (r->traits & MOVES)
		vsm_about_copy(r);
	else if (r->traits & MEETS)
		vsm_about_rendezvous(r);
	else
		vsm_about_mbarrier(r);
}
