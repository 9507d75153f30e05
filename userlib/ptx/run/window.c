// SPDX-License-Identifier: MIT
/*
 * Executes cvta, mapa, getctarank and isspacep: conversions of addresses.
 */
#include "run/address.h"
#include "run/window.h"

void ptx_window_convert(struct ptx_regs *regs, const struct ptx_step *step, uint32_t mask)
{
	const uint64_t *a = ptx_row(regs, step->src[0]);
	uint64_t *d;

	if (step->dst == PTX_NO_ROW)
		return;
	d = ptx_row(regs, step->dst);
	switch (step->kind) {
	case STEP_CVTA:
		PTX_FOR_LANES(lane, mask)
			d[lane] = a[lane] + step->imm;
		break;
	case STEP_MAPA: {
		const uint64_t *rank = ptx_row(regs, step->src[1]);

		PTX_FOR_LANES(lane, mask)
			d[lane] = step->imm + ((uint32_t)rank[lane] << PTX_RANK_SHIFT |
					       (a[lane] & ((1u << PTX_RANK_SHIFT) - 1)));
		break;
	}
	default: /* STEP_GETCTARANK */
		PTX_FOR_LANES(lane, mask)
			d[lane] = (uint32_t)(a[lane] - step->imm) >> PTX_RANK_SHIFT;
		break;
	}
}

void ptx_window_test(struct ptx_warp *warp, struct ptx_regs *regs, const struct ptx_step *step,
		     uint32_t mask)
{
	const uint64_t *a = ptx_row(regs, step->src[0]);
	uint32_t lanes = 0;

	PTX_FOR_LANES(lane, mask) {
		enum ptx_space space = ptx_space_of(a[lane]);
		bool own = (uint32_t)(a[lane] - PTX_SHARED_BASE) >> PTX_RANK_SHIFT ==
			   warp->cta->rank;
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
