// SPDX-License-Identifier: MIT
// Stream-K in a cluster: the blocks of all tiles are divided evenly among the CTAs, and a tile may
// begin in one CTA and end in another. The CTA that has the first block of a tile owns the tile.
// The other CTAs add their part to words in the owner's window with red.async (PTX 9.7.13.7), which
// completes its bytes on the owner's mbarrier. The owner expects 4 bytes from each thread of each
// CTA that helps it.
#include "vsm.cuh"

#define THREADS 128

// A thread's part of one block
static __device__ u32 part(const u32 *in, u32 unit, u32 t)
{
	const u32 *words = in + unit * 8 * THREADS + t;
	u32 sum = 0;

	for (u32 i = 0; i < 8; i++)
		sum += words[i * THREADS] * (i + 1);
	return sum;
}

KERNEL __launch_bounds__(THREADS)
streamk(const u32 *in, u32 *out, u32 tiles, u32 blocks, u32 rounds)
{
	__shared__ u32 acc[THREADS];
	__shared__ u64 done;
	u32 t = threadIdx.x, rank = cluster_ctarank(), ctas = cluster_nctarank();
	u32 units = tiles * blocks, first = units * rank / ctas, end = units * (rank + 1) / ctas;
	u32 bar = shared_address(&done);

	if (t == 0) {
		mbarrier_init(bar, 1);
		fence_mbarrier_init();
	}

#pragma unroll 1
	for (u32 round = 0; round < rounds; round++) {
		// The barrier also keeps the rounds apart: nobody adds to words that are not 0 yet.
		acc[t] = 0;
		barrier_cluster();

#pragma unroll 1
		for (u32 unit = first; unit < end;) {
			u32 tile = unit / blocks, begin = tile * blocks, stop = begin + blocks;
			u32 sum = 0;

#pragma unroll 1
			for (u32 i = unit; i < stop && i < end; i++)
				sum += part(in, round * units + i, t);
			if (unit != begin) {
				// Add to what the owner of the tile has.
				u32 owner = 0;

				while (units * (owner + 1) / ctas <= begin)
					owner++;
				red_async_add(mapa(shared_address(&acc[t]), owner), sum,
					      mapa(bar, owner));
			} else {
				u32 helpers = 0;

				for (u32 r = rank + 1; r < ctas && units * r / ctas < stop; r++)
					helpers++;
				if (helpers) {
					if (t == 0)
						mbarrier_arrive_expect_tx(bar,
									  helpers * 4 * THREADS);
					mbarrier_wait_cluster(bar, round & 1);
					sum += acc[t];
				}
				out[(round * tiles + tile) * THREADS + t] = sum;
			}
			unit = stop;
		}
	}
	// Every owner has waited for its helpers' additions: no window is used any more.
}

KERNEL check(const u32 *in, const u32 *out, u32 blocks)
{
	u32 t = threadIdx.x, sum = 0;

	for (u32 b = 0; b < blocks; b++)
		sum += part(in, blockIdx.x * blocks + b, t);
	CHECK_U32("out", blockIdx.x * THREADS + t, out[blockIdx.x * THREADS + t], sum);
}
