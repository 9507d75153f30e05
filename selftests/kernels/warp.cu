// SPDX-License-Identifier: MIT
// The operations of a warp: shfl.sync (PTX 9.7.9.6), vote.sync, match.sync, redux.sync, activemask
// (9.7.13.9 to 9.7.13.12), elect.sync and bar.warp.sync, with full and with partial masks. Row r of
// @out has one word for each lane.
#include "vsm.cuh"

enum {
	IDX, UP, DOWN, BFLY, BALLOT, ALL, ANY, UNI, MATCH_ANY, MATCH_ALL, ADD, MIN, XOR, ELECT,
	HALF, ACTIVE, SCAN, ROWS,
};

KERNEL warp(const u32 *in, u32 *out)
{
	u32 lane = laneid(), v = in[threadIdx.x];
	bool all;

	out += threadIdx.x / 32 * ROWS * 32 + lane;
	out[IDX * 32] = shfl_idx(~0u, v, (lane * 7 + 3) & 31);
	out[UP * 32] = shfl_up(~0u, v, 5);
	out[DOWN * 32] = shfl_down(~0u, v, 9);
	out[BFLY * 32] = shfl_bfly(~0u, v, 21);
	out[BALLOT * 32] = vote_ballot(~0u, v & 1);
	out[ALL * 32] = vote_all(~0u, v != in[0]);
	out[ANY * 32] = vote_any(~0u, v == in[0]);
	out[UNI * 32] = vote_uni(~0u, v & 2);
	out[MATCH_ANY * 32] = match_any(~0u, v & 3);
	out[MATCH_ALL * 32] = match_all(~0u, threadIdx.x < 32 ? v : 7, &all) ^ (u32)all;
	out[ADD * 32] = redux_add(~0u, v);
	out[MIN * 32] = redux_min(~0u, v);
	out[XOR * 32] = redux_xor(~0u, v);

	// Exactly one lane is elected; which one is not specified.
	out[ELECT * 32] = __builtin_popcount(vote_ballot(~0u, elect_sync()));

	// The two halves of the warp go different ways, each with its own mask.
	if (lane < 16) {
		out[HALF * 32] = shfl_bfly(0xffff, v, 1) + redux_add(0xffff, v & 0xff);
		bar_warp_sync(0xffff);
	} else {
		out[HALF * 32] = vote_ballot(0xffff0000, v & 4);
		bar_warp_sync(0xffff0000);
	}
	bar_warp_sync(~0u);

	// The lanes that are active here contain the lane itself, and only lanes of the branch.
	u32 odd = vote_ballot(~0u, v & 1);

	if (v & 1)
		out[ACTIVE * 32] = (activemask() & ~odd) == 0 && (activemask() >> lane & 1);
	else
		out[ACTIVE * 32] = 1;
	bar_warp_sync(~0u);

	// An inclusive scan
#pragma unroll
	for (u32 d = 1; d < 32; d *= 2) {
		u32 below = shfl_up(~0u, v, d);

		if (lane >= d)
			v += below;
	}
	out[SCAN * 32] = v;
}

static __device__ u32 expected(const u32 *in, u32 first, u32 warp, u32 row, u32 lane)
{
	u32 v = in[lane], ballot1 = 0, ballot2 = 0, ballot4 = 0, same = 0, any = 0, all = 1;
	u32 add = 0, exor = 0, half = 0, scan = 0;
	s32 min = in[0];

	for (u32 i = 0; i < 32; i++) {
		ballot1 |= (in[i] & 1) << i;
		ballot2 |= (in[i] >> 1 & 1) << i;
		ballot4 |= (in[i] >> 2 & 1) << i;
		same |= (u32)((in[i] & 3) == (v & 3)) << i;
		all &= in[i] != first;
		any |= in[i] == first;
		add += in[i];
		exor ^= in[i];
		min = (s32)in[i] < min ? (s32)in[i] : min;
		half += i < 16 ? in[i] & 0xff : 0;
		scan += i <= lane ? in[i] : 0;
	}
	switch (row) {
	case IDX:
		return in[(lane * 7 + 3) & 31];
	case UP:
		return lane < 5 ? v : in[lane - 5];
	case DOWN:
		return lane + 9 > 31 ? v : in[lane + 9];
	case BFLY:
		return in[lane ^ 21];
	case BALLOT:
		return ballot1;
	case ALL:
		return all;
	case ANY:
		return any;
	case UNI:
		return ballot2 == 0 || ballot2 == ~0u;
	case MATCH_ANY:
		return same;
	case MATCH_ALL:
		return warp == 0 ? 0 : 0xfffffffe;
	case ADD:
		return add;
	case MIN:
		return min;
	case XOR:
		return exor;
	case ELECT:
	case ACTIVE:
		return 1;
	case HALF:
		return lane < 16 ? in[lane ^ 1] + half : ballot4 & 0xffff0000;
	default:
		return scan;
	}
}

// One CTA of one warp for each row of @out
KERNEL check(const u32 *in, const u32 *out)
{
	u32 warp = blockIdx.x / ROWS, row = blockIdx.x % ROWS, lane = threadIdx.x;

	CHECK_U32("out", blockIdx.x * 32 + lane, out[blockIdx.x * 32 + lane],
		  expected(in + warp * 32, in[0], warp, row, lane));
}
