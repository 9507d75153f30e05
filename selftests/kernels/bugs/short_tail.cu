// SPDX-License-Identifier: MIT
// The rows may end within the last tile. The producer copies only the words that exist, and the
// programmer forgot to announce as few bytes: the consumers wait for the rest of the tile for ever.
// Another warp polls a flag until they have ended, and then writes the result. The device finds no
// deadlock, because this warp runs. The launch needs a time limit.
#include "../pipeline.cuh"

#define CONSUMERS 64
#define STAGES 2
#define TILE_WORDS CONSUMERS
#define TILE_BYTES (4 * TILE_WORDS)

KERNEL short_tail(const u32 *in, u32 *out, u32 words)
{
	__shared__ __align__(128) u32 data[STAGES][TILE_WORDS];
	__shared__ u64 full[STAGES], empty[STAGES];
	__shared__ u32 sums[CONSUMERS];
	__shared__ volatile u32 ended;
	u32 t = threadIdx.x, tiles = (words + TILE_WORDS - 1) / TILE_WORDS;

	if (t == 0) {
		pipe_init(shared_address(full), 1, shared_address(empty), CONSUMERS / 32, STAGES);
		ended = 0;
	}
	__syncthreads();

	if (t >= CONSUMERS + 32) {
		while (ended < CONSUMERS)
			;
		fence_acq_rel_cta();
		out[t % 32] = sums[t % 32] + sums[t % 32 + 32];
	} else if (t >= CONSUMERS) {
		if (elect_sync()) {
			pipe_state state = { 0, 1 };

#pragma unroll 1
			for (u32 i = 0; i < tiles; i++) {
				u32 bar = shared_address(&full[state.slot]), left = words - i * TILE_WORDS;
				u32 bytes = left < TILE_WORDS ? 4 * left : TILE_BYTES;

				mbarrier_wait(shared_address(&empty[state.slot]), state.phase);
				mbarrier_arrive_expect_tx(bar, TILE_BYTES);	// BUG: must be bytes
				cp_async_bulk_g2s(shared_address(data[state.slot]),
						  in + i * TILE_WORDS, bytes, bar);
				state.next(STAGES);
			}
		}
	} else {
		pipe_state state = { 0, 0 };
		u32 sum = 0;

#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			// REPORT: bytes are missing
			mbarrier_wait(shared_address(&full[state.slot]), state.phase);
			if (i * TILE_WORDS + t < words)
				sum += data[state.slot][t];
			bar_warp_sync(~0u);
			if (laneid() == 0)
				mbarrier_arrive(shared_address(&empty[state.slot]));
			state.next(STAGES);
		}
		sums[t] = sum;
		fence_acq_rel_cta();
		__nvvm_atom_add_gen_i((int *)&ended, 1);
	}
}
