// SPDX-License-Identifier: MIT
// The consumers of a pipeline wait until the phase bit of the mbarrier changes. The programmer read
// the word, to save an instruction: but an mbarrier is opaque. On an H100 a load reads old memory
// there until inval, and such a loop never ends.
#include "../pipeline.cuh"

#define CONSUMERS 64
#define TILE_WORDS (2 * CONSUMERS)
#define TILE_BYTES (4 * TILE_WORDS)

PTX u64 phase_bit(u32 bar)
{
	u64 word;

	asm volatile("ld.volatile.shared.b64 %0, [%1];" : "=l"(word) : "r"(bar) : "memory");
	return word >> 63;
}

KERNEL word_polled(const u32 *in, u32 *out)
{
	__shared__ __align__(128) u32 data[TILE_WORDS];
	__shared__ u64 full;
	u32 bar = shared_address(&full), t = threadIdx.x;

	if (t == 0)
		mbarrier_init(bar, 1);
	__syncthreads();

	if (t == 0) {
		mbarrier_arrive_expect_tx(bar, TILE_BYTES);
		cp_async_bulk_g2s(shared_address(data), in, TILE_BYTES, bar);
	}
	while (!phase_bit(bar))		// BUG: use try_wait
		;
	out[t] = data[t] + data[CONSUMERS + t];
}
