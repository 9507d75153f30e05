// SPDX-License-Identifier: MIT
// Lanes of a warp go different ways and meet again: if and else, loops with a trip count of their
// own for each lane, break and continue, a switch, and lanes that return early (PTX 9.7.12). A
// CTA of the check has one thread, so that nothing diverges there.
#include "vsm.cuh"

static __device__ u32 steps_to_one(u32 n)
{
	u32 steps = 0;

#pragma unroll 1
	while (n > 1) {
		if (n & 1)
			n = 3 * n + 1;
		else
			n /= 2;
		steps++;
	}
	return steps;
}

static __device__ u32 shape(u32 i)
{
	u32 v = i;

	switch (i % 7) {
	case 0:
		v = steps_to_one(i + 1);
		break;
	case 1:
		v *= 5;
		// fallthrough
	case 2:
		v ^= 0x55;
		break;
	case 3:
		for (u32 k = 0; k < i; k++) {
			if (k % 3 == 1)
				continue;
			if (k * k > i)
				break;
			v += k;
		}
		break;
	case 5:
		v = i < 64 ? i / 3 : i / 5;
		break;
	default:
		v = ~i;
	}
	return v;
}

// In each warp, lanes whose number in the grid has low bits 3 return without a second value.
KERNEL diverge(u32 *first, u32 *second)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;

	first[i] = shape(i);
	if ((i & 3) == 3)
		return;

	// A warp-wide operation of the remaining lanes, behind the early return
	u32 mask = 0x77777777;

	bar_warp_sync(mask);
	second[i] = vote_ballot(mask, first[i] & 1) + steps_to_one(i + 27);
}

KERNEL check(const u32 *first, const u32 *second)
{
	for (u32 i = blockIdx.x * 32; i < blockIdx.x * 32 + 32; i++) {
		u32 ballot = 0;

		CHECK_U32("first", i, first[i], shape(i));
		for (u32 lane = 0; lane < 32; lane++)
			if ((lane & 3) != 3)
				ballot |= (shape((i & ~31u) + lane) & 1) << lane;
		CHECK_U32("second", i, second[i], (i & 3) == 3 ? 0 : ballot + steps_to_one(i + 27));
	}
}
