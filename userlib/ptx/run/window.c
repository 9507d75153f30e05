// SPDX-License-Identifier: MIT
/*
 * Executes cvta, mapa, getctarank and isspacep: conversions of addresses.
 */
#include "run/address.h"
#include "run/fault.h"
#include "run/state.h"
#include "run/window.h"

/* The address in the window of another CTA. @a may be in any window of the cluster. */
static uint32_t mapped(uint32_t a, uint32_t rank)
{
	/* A rank that does not exist stays one, so that an access with the address is a fault. */
	return (rank < 0x100 ? rank : 0xff) << PTX_RANK_SHIFT | ptx_offset_of(a);
}

static bool map_address(struct ptx_warp *warp, const struct ptx_group *group,
			const struct ptx_step *step, uint32_t mask)
{
	const struct ptx_regs *regs = &group->frame->regs;
	const uint64_t *a = ptx_row(regs, step->src[0]), *rank = ptx_row(regs, step->src[1]);
	uint64_t *d = ptx_row(regs, step->dst);

	PTX_FOR_LANES(lane, mask) {
		uint64_t address = a[lane] - step->imm;

		if (address >> PTX_RANK_SHIFT >= ptx_launch_of(warp)->cluster_ctas) {
			ptx_fail(warp, group, lane,
				 "mapa of 0x%llx, which is no %saddress in the shared memory of the cluster",
				 (unsigned long long)a[lane], step->imm ? "generic " : "");
			return false;
		}
		d[lane] = step->imm + mapped(address, rank[lane]);
	}
	return true;
}

bool ptx_window_convert(struct ptx_warp *warp, struct ptx_group *group,
			const struct ptx_step *step, uint32_t mask)
{
	const struct ptx_regs *regs = &group->frame->regs;
	const uint64_t *a = ptx_row(regs, step->src[0]);
	uint64_t *d;

	if (step->dst == PTX_NO_ROW)
		return true;
	d = ptx_row(regs, step->dst);
	switch (step->kind) {
	case STEP_CVTA:
		PTX_FOR_LANES(lane, mask)
			d[lane] = a[lane] + step->imm;
		return true;
	case STEP_MAPA:
		return map_address(warp, group, step, mask);
	default: /* STEP_GETCTARANK */
		PTX_FOR_LANES(lane, mask)
			d[lane] = ptx_rank_of(a[lane] - step->imm);
		return true;
	}
}

void ptx_window_test(struct ptx_warp *warp, struct ptx_regs *regs, const struct ptx_step *step,
		     uint32_t mask)
{
	const uint64_t *a = ptx_row(regs, step->src[0]);
	uint32_t lanes = 0;

	PTX_FOR_LANES(lane, mask) {
		enum ptx_space space = ptx_space_of(a[lane]);
		bool own = ptx_rank_of(a[lane] - PTX_SHARED_BASE) == warp->cta->rank;
		bool is;

		if (step->imm == SPACE_SHARED_CLUSTER)
			is = space == SPACE_SHARED;
		else if (step->imm == SPACE_SHARED)
			is = space == SPACE_SHARED && own;
		else
			is = space == (enum ptx_space)step->imm;
		lanes |= (uint32_t)is << lane;
	}
	ptx_set_pred(regs, step->dst, mask, lanes);
}
