// SPDX-License-Identifier: MIT
// The second part of the kernel uses the shared memory of the first for its own mbarriers and
// tiles. All threads have left the first part, but the programmer thought that an init is enough to
// begin a new object. The old one is still valid: it needs an inval first.
#include "../pipeline.cuh"

#define CONSUMERS 64
#define STAGES 2
#define TILE_WORDS (2 * CONSUMERS)
#define TILE_BYTES (4 * TILE_WORDS)

union __align__(128) storage {
	struct {
		u32 data[STAGES][TILE_WORDS];
		u64 full[STAGES], empty[STAGES];
	} load;
	struct {
		u32 sums[STAGES * TILE_WORDS];
		u64 done;
	} exchange;
};

KERNEL no_inval(const u32 *in, u32 *out, u32 tiles)
{
	__shared__ storage shared;
	u32 full = shared_address(shared.load.full), empty = shared_address(shared.load.empty);
	u32 done = shared_address(&shared.exchange.done);
	u32 t = threadIdx.x, sum = 0;

	if (t == 0)
		pipe_init(full, 1, empty, CONSUMERS / 32, STAGES);
	__syncthreads();

	if (t >= CONSUMERS) {
		if (elect_sync()) {
			pipe_state state = { 0, 1 };

#pragma unroll 1
			for (u32 i = 0; i < tiles; i++) {
				u32 bar = full + 8 * state.slot;

				mbarrier_wait(empty + 8 * state.slot, state.phase);
				mbarrier_arrive_expect_tx(bar, TILE_BYTES);
				cp_async_bulk_g2s(shared_address(shared.load.data[state.slot]),
						  in + i * TILE_WORDS, TILE_BYTES, bar);
				state.next(STAGES);
			}
		}
	} else {
		pipe_state state = { 0, 0 };

#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			mbarrier_wait(full + 8 * state.slot, state.phase);
			sum += shared.load.data[state.slot][t] +
			       shared.load.data[state.slot][CONSUMERS + t];
			bar_warp_sync(~0u);
			if (laneid() == 0)
				mbarrier_arrive(empty + 8 * state.slot);
			state.next(STAGES);
		}
	}
	bar_warp_sync(~0u);
	__syncthreads();

	if (t == 0)
		mbarrier_init(done, CONSUMERS);		// BUG: full[0] is still valid here
	__syncthreads();
	if (t < CONSUMERS) {
		shared.exchange.sums[t] = sum;
		mbarrier_arrive(done);
		mbarrier_wait(done, 0);
		out[t] = shared.exchange.sums[CONSUMERS - 1 - t];
	}
}
