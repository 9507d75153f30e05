// SPDX-License-Identifier: MIT
// When the pipeline has ended, the kernel copies a table to its shared memory. The table is longer
// than the tiles, and reaches the memory of the mbarriers. The programmer thought that an mbarrier
// which nobody uses any more is plain memory. It is that only after an inval.
#include "../pipeline.cuh"

#define CONSUMERS 64
#define STAGES 2
#define TILE_WORDS (2 * CONSUMERS)
#define TILE_BYTES (4 * TILE_WORDS)
#define TABLE_WORDS (STAGES * TILE_WORDS + 8)

union __align__(128) storage {
	struct {
		u32 data[STAGES][TILE_WORDS];
		u64 full[STAGES], empty[STAGES];
	} load;
	u32 table[TABLE_WORDS];
};

KERNEL no_inval_copy(const u32 *in, const u32 *table, u32 *out, u32 tiles)
{
	__shared__ storage shared;
	__shared__ u64 loaded;
	u32 full = shared_address(shared.load.full), empty = shared_address(shared.load.empty);
	u32 t = threadIdx.x, sum = 0;

	if (t == 0) {
		mbarrier_init(shared_address(&loaded), 1);
		pipe_init(full, 1, empty, CONSUMERS / 32, STAGES);
	}
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

	if (t == 0) {
		mbarrier_arrive_expect_tx(shared_address(&loaded), 4 * TABLE_WORDS);
		// BUG: the mbarriers are still valid
		cp_async_bulk_g2s(shared_address(shared.table), table, 4 * TABLE_WORDS,
				  shared_address(&loaded));
	}
	bar_warp_sync(~0u);
	if (t < CONSUMERS) {
		mbarrier_wait(shared_address(&loaded), 0);
		out[t] = sum + shared.table[sum % TABLE_WORDS];
	}
}
