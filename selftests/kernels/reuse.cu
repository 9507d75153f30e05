// SPDX-License-Identifier: MIT
// Memory that holds mbarriers at one time and data at another. Before each change of use the
// objects are invalidated (mbarrier.inval, PTX 9.7.13.15.10), when nobody waits on them and no copy
// completes on them any more. In between, ordinary stores and a bulk copy write over the memory.
// Then it gets mbarriers again, with other counts.
#include "vsm.cuh"

#define THREADS 64
#define WORDS 256

KERNEL __launch_bounds__(THREADS)
reuse(const u32 *in, u32 *out, u32 rounds)
{
	__shared__ __align__(128) union {
		u64 bars[8];
		u32 words[WORDS];
	} memory;
	__shared__ __align__(128) u32 tile[WORDS];
	__shared__ u64 fixed;
	u32 t = threadIdx.x, sum = 0;

	if (t == 0)
		mbarrier_init(shared_address(&fixed), 1);

#pragma unroll 1
	for (u32 round = 0; round < rounds; round++) {
		// 1: eight mbarriers. The first counts bytes, the others count arrivals of 1 to
		// 64 threads, and one more arrival in each round.
		if (t == 0) {
			mbarrier_init(shared_address(&memory.bars[0]), 1);
			for (u32 i = 1; i < 8; i++)
				mbarrier_init(shared_address(&memory.bars[i]),
					      (8 * i + round) % THREADS + 1);
			fence_mbarrier_init();
			fence_proxy_async();
		}
		__syncthreads();
		if (t == 0) {
			mbarrier_arrive_expect_tx(shared_address(&memory.bars[0]), 4 * WORDS);
			cp_async_bulk_g2s(shared_address(tile), in + round * WORDS, 4 * WORDS,
					  shared_address(&memory.bars[0]));
		}
		for (u32 i = 1; i < 8; i++)
			if (t <= (8 * i + round) % THREADS)
				mbarrier_arrive(shared_address(&memory.bars[i]));
		for (u32 i = 0; i < 8; i++)
			mbarrier_wait(shared_address(&memory.bars[i]), 0);
		for (u32 i = t; i < WORDS; i += THREADS)
			sum += tile[i];

		// 2: words in the same memory
		__syncthreads();
		if (t < 8)
			mbarrier_inval(shared_address(&memory.bars[t]));
		__syncthreads();
		for (u32 i = t; i < WORDS; i += THREADS)
			memory.words[i] = i * round;
		__syncthreads();
		sum += memory.words[t ^ 1] * 3;

		// 3: a copy to the same memory
		fence_proxy_async_shared();
		__syncthreads();
		if (t == 0) {
			mbarrier_arrive_expect_tx(shared_address(&fixed), 4 * WORDS);
			cp_async_bulk_g2s(shared_address(memory.words), in + round * WORDS + 64,
					  4 * WORDS, shared_address(&fixed));
		}
		mbarrier_wait(shared_address(&fixed), round & 1);
		sum += memory.words[t] * 5;
		__syncthreads();
	}
	if (t == 0)
		mbarrier_inval(shared_address(&fixed));
	out[t] = sum;
}

KERNEL check(const u32 *in, const u32 *out, u32 rounds)
{
	u32 t = threadIdx.x, sum = 0;

	for (u32 round = 0; round < rounds; round++) {
		for (u32 i = t; i < WORDS; i += THREADS)
			sum += in[round * WORDS + i];
		sum += (t ^ 1) * round * 3 + in[round * WORDS + 64 + t] * 5;
	}
	CHECK_U32("out", t, out[t], sum);
}
