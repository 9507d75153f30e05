// SPDX-License-Identifier: MIT
// A leader gives two sibling warps a factor for each tile, and arrives on the mbarrier "ready" when
// it has written one. There are two slots, so that the leader may be a tile ahead. The programmer
// gave each slot its own full and empty mbarrier, but all factors the same one. The leader arrives
// for the second factor while the siblings still wait for the first tile. They can no longer see
// the first phase of "ready", because after the second its parity is the same again.
#include "../pipeline.cuh"

#define SIBLINGS 64
#define SLOTS 2
#define TILE_WORDS (4 * SIBLINGS)
#define TILE_BYTES (4 * TILE_WORDS)

KERNEL leader_early(const u32 *in, u32 *out, u32 tiles)
{
	__shared__ __align__(128) u32 data[SLOTS][TILE_WORDS];
	__shared__ u64 full[SLOTS], empty[SLOTS], ready;
	__shared__ u32 factor[SLOTS];
	u32 t = threadIdx.x;

	if (t == 0) {
		mbarrier_init(shared_address(&ready), 1);
		pipe_init(shared_address(full), 1, shared_address(empty), SIBLINGS / 32, SLOTS);
	}
	__syncthreads();

	if (t >= SIBLINGS) {
		if (elect_sync()) {
			pipe_state state = { 0, 1 };

			// In round i: the factor of tile i, and the copy of tile i - 1
#pragma unroll 1
			for (u32 i = 0; i <= tiles; i++) {
				u32 last = (i - 1) % SLOTS, bar = shared_address(&full[last]);

				if (i < tiles) {
					mbarrier_wait(shared_address(&empty[state.slot]),
						      state.phase);
					factor[state.slot] = in[i] + 1;
					// BUG: the siblings may not have seen the phase before
					mbarrier_arrive(shared_address(&ready));
				}
				if (i > 0) {
					mbarrier_arrive_expect_tx(bar, TILE_BYTES);
					cp_async_bulk_g2s(shared_address(data[last]),
							  in + (i - 1) * TILE_WORDS, TILE_BYTES,
							  bar);
				}
				state.next(SLOTS);
			}
		}
	} else {
		pipe_state state = { 0, 0 };
		u32 sum = 0;

#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			u32 part = 0;

			mbarrier_wait(shared_address(&full[state.slot]), state.phase);
			for (u32 k = 0; k < TILE_WORDS / SIBLINGS; k++)
				part += data[state.slot][k * SIBLINGS + t];
			mbarrier_wait(shared_address(&ready), i & 1);
			sum += part * factor[state.slot];
			bar_warp_sync(~0u);
			if (laneid() == 0)
				mbarrier_arrive(shared_address(&empty[state.slot]));
			state.next(SLOTS);
		}
		out[t] = sum;
	}
}
