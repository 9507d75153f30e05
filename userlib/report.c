// SPDX-License-Identifier: MIT
/* The beginning of a sentence about a fault: the instruction, and the place that it works on. */
#include <string.h>

#include "report.h"
#include "vsm_ops.h"

uint16_t vsm_report_traits(const struct drm_vsm_insn *insn)
{
	uint32_t takes = vsm_op_takes(insn->op), traits = vsm_op_traits(insn->op);
	uint16_t all = 0;

	all |= takes & VSM_TAKES_COPY ? COPY : 0;
	all |= takes & VSM_TAKES_TENSOR ? TENSOR : 0;
	all |= takes & VSM_TAKES_STORE ? STORE : 0;
	all |= traits & VSM_OP_TO_BUFFER ? FROM : 0;
	all |= takes & VSM_TAKES_NO_WINDOW ? NO_ADDR : 0;
	all |= takes & VSM_TAKES_SHARED ? SHARED : 0;
	all |= takes & (VSM_TAKES_ADDR | VSM_TAKES_MBAR) ? MBAR : 0;
	all |= takes & VSM_TAKES_WARP ? WARP : 0;
	all |= takes & VSM_TAKES_BARRIER ? NAMED : 0;
	all |= traits & VSM_OP_CLUSTER ? CLUSTER : 0;
	return all;
}

void vsm_put_place(struct vsm_report *r, uint32_t addr)
{
	put(r, "CTA %u + 0x%x", rank_of(addr), offset_of(addr));
}

/* Write the place that @addr names. A multicast names it in several CTAs. */
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

/* Write a number and its noun: "no arrival", "1 arrival" or "2 arrivals". */
void vsm_put_number(struct vsm_report *r, int64_t number, const char *noun)
{
	if (number)
		put(r, "%lld %s%s", (long long)number, noun, number == 1 ? "" : "s");
	else
		put(r, "no %s", noun);
}

/*
 * Write the name of the operation with its modifiers, without the prefix "mbarrier." unless @full.
 */
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

/* Begin a sentence about a copy: its name, size, and address in shared memory. */
void vsm_about_copy(struct vsm_report *r)
{
	put_what(r);
	if (!(r->traits & NO_ADDR)) {
		put(r, r->traits & FROM ? " from " : " to ");
		put_places(r, r->c->addr);
	}
	put(r, ": ");
}

/* Begin a sentence about an operation on an mbarrier, or about the mbarrier of a copy. */
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

/* Begin a sentence about a warp operation or a barrier. */
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
	else if (r->traits & RENDEZVOUS)
		vsm_about_rendezvous(r);
	else
		vsm_about_mbarrier(r);
}
