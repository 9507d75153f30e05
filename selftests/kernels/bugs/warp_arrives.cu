// SPDX-License-Identifier: MIT
// The programmer let only one lane issue the copy, and forgot that all lanes of the warp execute
// the arrive above it. The mbarrier expects one arrival: the second lane arrives when none is
// pending. At that time the phase cannot be complete, because the copy has not been issued.
#include "../pipeline.cuh"

#define CONSUMERS 64
#define STAGES 2
#define TILE_WORDS (4 * CONSUMERS)
#define TILE_BYTES (4 * TILE_WORDS)

KERNEL warp_arrives(const u32 *in, u32 *out, u32 tiles)
{
	__shared__ __align__(128) u32 data[STAGES][TILE_WORDS];
	__shared__ u64 full[STAGES], empty[STAGES];
	u32 t = threadIdx.x;

	if (t == 0)
		pipe_init(shared_address(full), 1, shared_address(empty), CONSUMERS / 32, STAGES);
	__syncthreads();

	if (t >= CONSUMERS) {
		pipe_state state = { 0, 1 };

#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			u32 bar = shared_address(&full[state.slot]);

			mbarrier_wait(shared_address(&empty[state.slot]), state.phase);
			mbarrier_arrive_expect_tx(bar, TILE_BYTES);	// BUG: in all 32 lanes
			bar_warp_sync(~0u);
			if (elect_sync())
				cp_async_bulk_g2s(shared_address(data[state.slot]),
						  in + i * TILE_WORDS, TILE_BYTES, bar);
			state.next(STAGES);
		}
	} else {
		pipe_state state = { 0, 0 };
		u32 sum = 0;

#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			mbarrier_wait(shared_address(&full[state.slot]), state.phase);
			for (u32 k = 0; k < TILE_WORDS / CONSUMERS; k++)
				sum += data[state.slot][k * CONSUMERS + t];
			bar_warp_sync(~0u);
			if (laneid() == 0)
				mbarrier_arrive(shared_address(&empty[state.slot]));
			state.next(STAGES);
		}
		out[t] = sum;
	}
}
