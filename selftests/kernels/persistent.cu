// SPDX-License-Identifier: MIT
// A persistent kernel: few CTAs work on many tiles. One thread takes the number of the next tile
// from an atomic counter and passes it to the consumers through a ring of two slots, which has
// full and empty mbarriers as the ring of the data has. The tiles have 1 to 4 blocks each. The
// phases of both rings therefore go on from tile to tile and must not be computed from the loop's
// index. Before it returns, the producer waits until all stages are empty.
#include "pipeline.cuh"

#define CONSUMERS 128
#define STAGES 3
#define SLOTS 2
#define BLOCK_WORDS (4 * CONSUMERS)
#define BLOCK_BYTES (4 * BLOCK_WORDS)
#define MAX_BLOCKS 4

static __device__ u32 blocks_of(u32 tile)
{
	return 1 + tile % MAX_BLOCKS;
}

static __device__ u32 add(u32 sum, uint4 v, u32 block)
{
	return (sum << 1 | sum >> 31) + v.x + v.y * 3 + (v.z ^ v.w) + block;
}

KERNEL __launch_bounds__(CONSUMERS + 32)
persistent(const u32 *in, u32 *out, u32 *counter, u32 tiles)
{
	__shared__ __align__(128) uint4 data[STAGES][CONSUMERS];
	__shared__ u64 full[STAGES], empty[STAGES], tile_full[SLOTS], tile_empty[SLOTS];
	__shared__ u32 tile_number[SLOTS];
	u32 t = threadIdx.x;

	if (t == 0) {
		pipe_init(shared_address(full), 1, shared_address(empty), CONSUMERS / 32, STAGES);
		pipe_init(shared_address(tile_full), 1, shared_address(tile_empty), CONSUMERS / 32,
			  SLOTS);
	}
	__syncthreads();

	if (t / 32 == CONSUMERS / 32) {
		if (t % 32 == 0) {
			pipe_state stage = { 0, 1 }, slot = { 0, 1 };
			u32 tile;

			do {
				tile = __nvvm_atom_add_gen_i((int *)counter, 1);
				mbarrier_wait(shared_address(&tile_empty[slot.slot]), slot.phase);
				tile_number[slot.slot] = tile;
				mbarrier_arrive(shared_address(&tile_full[slot.slot]));
				slot.next(SLOTS);
				if (tile >= tiles)
					break;

				const u32 *from = in + tile * MAX_BLOCKS * BLOCK_WORDS;

#pragma unroll 1
				for (u32 b = 0; b < blocks_of(tile); b++) {
					u32 bar = shared_address(&full[stage.slot]);

					mbarrier_wait(shared_address(&empty[stage.slot]),
						      stage.phase);
					mbarrier_arrive_expect_tx(bar, BLOCK_BYTES);
					cp_async_bulk_g2s(shared_address(data[stage.slot]),
							  from + b * BLOCK_WORDS, BLOCK_BYTES, bar);
					stage.next(STAGES);
				}
			} while (1);

			// The tail: a stage that was never used passes at once.
#pragma unroll 1
			for (u32 s = 0; s < STAGES; s++) {
				mbarrier_wait(shared_address(&empty[stage.slot]), stage.phase);
				stage.next(STAGES);
			}
		}
		return;
	}

	pipe_state stage = { 0, 0 }, slot = { 0, 0 };

	do {
		mbarrier_wait(shared_address(&tile_full[slot.slot]), slot.phase);

		u32 tile = tile_number[slot.slot], sum = 0;

		bar_warp_sync(~0u);
		if (t % 32 == 0)
			mbarrier_arrive(shared_address(&tile_empty[slot.slot]));
		slot.next(SLOTS);
		if (tile >= tiles)
			break;

#pragma unroll 1
		for (u32 b = 0; b < blocks_of(tile); b++) {
			mbarrier_wait(shared_address(&full[stage.slot]), stage.phase);
			sum = add(sum, data[stage.slot][t], b);
			bar_warp_sync(~0u);
			if (t % 32 == 0)
				mbarrier_arrive(shared_address(&empty[stage.slot]));
			stage.next(STAGES);
		}
		out[tile * CONSUMERS + t] = sum;
	} while (1);
}

KERNEL check(const uint4 *in, const u32 *out, u32 tiles)
{
	u32 t = threadIdx.x;

	for (u32 tile = 0; tile < tiles; tile++) {
		u32 sum = 0;

		for (u32 b = 0; b < blocks_of(tile); b++)
			sum = add(sum, in[(tile * MAX_BLOCKS + b) * CONSUMERS + t], b);
		CHECK_U32("out", tile * CONSUMERS + t, out[tile * CONSUMERS + t], sum);
	}
}
