// SPDX-License-Identifier: MIT
// The consumers use three tiles at a time: they release a tile when they have the second one after
// it. That needs three stages. The programmer saved shared memory and took two. The consumers wait
// for the third tile before they release the first, and the producer has no other stage for it.
#include "../pipeline.cuh"

#define CONSUMERS 64
#define STAGES 2
#define TILE_WORDS CONSUMERS
#define TILE_BYTES (4 * TILE_WORDS)

KERNEL late_release(const u32 *in, u32 *out, u32 tiles)
{
	__shared__ __align__(128) u32 data[STAGES][TILE_WORDS];
	__shared__ u64 full[STAGES], empty[STAGES];
	u32 t = threadIdx.x;

	if (t == 0)
		pipe_init(shared_address(full), 1, shared_address(empty), CONSUMERS / 32, STAGES);
	__syncthreads();

	if (t >= CONSUMERS) {
		if (elect_sync()) {
			pipe_state state = { 0, 1 };

#pragma unroll 1
			for (u32 i = 0; i < tiles; i++) {
				u32 bar = shared_address(&full[state.slot]);

				mbarrier_wait(shared_address(&empty[state.slot]), state.phase);
				mbarrier_arrive_expect_tx(bar, TILE_BYTES);
				cp_async_bulk_g2s(shared_address(data[state.slot]),
						  in + i * TILE_WORDS, TILE_BYTES, bar);
				state.next(STAGES);
			}
		}
	} else {
		pipe_state state = { 0, 0 };

#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			u32 before = (i - 2) % STAGES;

			// BUG: waits for tile i, whose stage the arrive below has not yet released
			mbarrier_wait(shared_address(&full[state.slot]), state.phase);
			if (i >= 2) {
				out[i * CONSUMERS + t] = data[before][t] - data[state.slot][t];
				bar_warp_sync(~0u);
				if (laneid() == 0)
					mbarrier_arrive(shared_address(&empty[before]));
			}
			state.next(STAGES);
		}
	}
}
