// SPDX-License-Identifier: MIT
// All CTAs of a cooperative launch wait for each other, as grid_group::sync() of cooperative groups
// does: %envreg1 and %envreg2 are the address of a size and a counter. CTA 0 adds what makes bit 31 of
// the counter change when the last CTA has arrived. A launch that is not cooperative has no address.
#include "vsm.cuh"

PTX u32 *grid_counter(void)
{
	u32 upper, lower;

	asm volatile("mov.u32 %0, %%envreg1;" : "=r"(upper));
	asm volatile("mov.u32 %0, %%envreg2;" : "=r"(lower));
	if (!(upper | lower))
		__builtin_trap();
	return (u32 *)((u64)upper << 32 | lower) + 1;
}

static __device__ void grid_sync(void)
{
	u32 *counter = grid_counter();

	__syncthreads();
	if (threadIdx.x == 0) {
		u32 old = atom_add_acq_rel_gpu(counter, blockIdx.x ? 1 : 0x80000001 - gridDim.x);

		while (!((ld_acquire_gpu(counter) ^ old) >> 31))
			;
	}
	__syncthreads();
}

// Each CTA adds its word to those of all other CTAs in each round.
KERNEL grid(u32 *words, u32 rounds)
{
	for (u32 round = 0; round < rounds; round++) {
		u32 *from = words + round * gridDim.x, sum = 1;

		if (threadIdx.x == 0) {
			for (u32 i = 0; i < gridDim.x; i++)
				sum += from[i];
			from[gridDim.x + blockIdx.x] = sum;
		}
		grid_sync();
	}
}

KERNEL check(const u32 *words, u32 ctas, u32 rounds)
{
	for (u32 round = 1, want = 1; round <= rounds; round++, want = want * ctas + 1)
		for (u32 i = 0; i < ctas; i++)
			CHECK_U32("word", round * ctas + i, words[round * ctas + i], want);
}
