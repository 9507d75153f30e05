// SPDX-License-Identifier: MIT
// The CTAs of a cluster each copy one half of every tile to both of them, and each computes the
// number of its trips. The programmer let the first CTA take one more when the number of tiles is
// odd. In that trip the half of the other CTA never comes: the consumer of the first CTA waits for
// its bytes for ever, and the other CTA waits at the barrier of the cluster.
#include "../pipeline.cuh"

#define STAGES 2
#define HALF_WORDS 128
#define HALF_BYTES (4 * HALF_WORDS)

KERNEL trip_counts(const u32 *in, u32 *out, u32 tiles)
{
	__shared__ __align__(128) u32 data[STAGES][2 * HALF_WORDS];
	__shared__ u64 full[STAGES], empty[STAGES];
	u32 t = threadIdx.x, rank = cluster_ctarank();
	u32 trips = (tiles + 1 - rank) / 2;	// BUG, not named: differs between the CTAs

	if (t == 0)
		pipe_init(shared_address(full), 1, shared_address(empty), 2, STAGES);
	barrier_cluster();

	if (t >= 32) {
		if (elect_sync()) {
			pipe_state state = { 0, 1 };

#pragma unroll 1
			for (u32 i = 0; i < trips; i++) {
				u32 bar = shared_address(&full[state.slot]);

				mbarrier_wait_cluster(shared_address(&empty[state.slot]),
						      state.phase);
				mbarrier_arrive_expect_tx(bar, 2 * HALF_BYTES);
				cp_async_bulk_g2s_multicast(
					shared_address(&data[state.slot][rank * HALF_WORDS]),
					in + (2 * i + rank) * HALF_WORDS, HALF_BYTES, bar, 3);
				state.next(STAGES);
			}
		}
	} else {
		pipe_state state = { 0, 0 };
		u32 sum = 0;

#pragma unroll 1
		for (u32 i = 0; i < trips; i++) {
			// REPORT: half the bytes are missing
			mbarrier_wait(shared_address(&full[state.slot]), state.phase);
			for (u32 k = 0; k < 2 * HALF_WORDS; k += 32)
				sum += data[state.slot][k + t];
			bar_warp_sync(~0u);
			mbarrier_arrive_remote(shared_address(&empty[state.slot]), laneid(),
					       laneid() < 2);
			state.next(STAGES);
		}
		out[rank * 32 + t] = sum;
	}
	bar_warp_sync(~0u);
	barrier_cluster();
}
