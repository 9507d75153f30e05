// SPDX-License-Identifier: MIT
// Each CTA of a cluster adds up its tiles, and the first CTA reads the sums from the windows of the
// others. The programmer let the others return when their sums are written, and thought that a
// barrier which the first CTA executes alone waits for them. It does: the threads that have exited
// count as arrived. But then their windows are gone.
#include "../pipeline.cuh"

#define STAGES 2
#define TILE_WORDS 128
#define TILE_BYTES (4 * TILE_WORDS)

KERNEL early_return(const u32 *in, u32 *out, u32 tiles)
{
	__shared__ __align__(128) u32 data[STAGES][TILE_WORDS];
	__shared__ u64 full[STAGES], empty[STAGES];
	__shared__ u32 sums[32];
	u32 t = threadIdx.x, rank = cluster_ctarank();

	in += rank * tiles * TILE_WORDS;
	if (t == 0)
		pipe_init(shared_address(full), 1, shared_address(empty), 1, STAGES);
	__syncthreads();

	if (t >= 32) {
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
		u32 sum = 0;

#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			mbarrier_wait(shared_address(&full[state.slot]), state.phase);
			for (u32 k = 0; k < TILE_WORDS; k += 32)
				sum += data[state.slot][k + t];
			bar_warp_sync(~0u);
			if (laneid() == 0)
				mbarrier_arrive(shared_address(&empty[state.slot]));
			state.next(STAGES);
		}
		sums[t] = sum;
	}
	if (rank)	// BUG: the first CTA has not read the sums yet
		return;
	bar_warp_sync(~0u);
	barrier_cluster();
	if (t < 32) {
		u32 sum = sums[t];

		for (u32 r = 1; r < cluster_nctarank(); r++)
			// REPORT: the threads of CTA r have exited
			sum += ld_shared_cluster(mapa(shared_address(&sums[t]), r));
		out[t] = sum;
	}
}
