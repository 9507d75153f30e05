// SPDX-License-Identifier: MIT
// The second CTA of a cluster sends rows to the first, which tells it which slots are empty. The
// programmer knew that a barrier of the cluster must stand between init and the first arrive of the
// other CTA. But a relaxed barrier orders nothing, and fence.mbarrier_init is missing: the init may
// not be visible to the other CTA.
#include "../pipeline.cuh"

#define SLOTS 2
#define ROW_WORDS 32

KERNEL unfenced_init(const u32 *in, u32 *out, u32 rows)
{
	__shared__ u32 row[SLOTS][ROW_WORDS];
	__shared__ u64 full[SLOTS], empty[SLOTS];
	u32 t = threadIdx.x;

	if (t == 0)
		for (u32 s = 0; s < SLOTS; s++) {
			// BUG: no fence.mbarrier_init follows
			mbarrier_init(shared_address(&full[s]), ROW_WORDS);
			mbarrier_init(shared_address(&empty[s]), 1);
		}
	bar_warp_sync(~0u);
	barrier_cluster_arrive_relaxed();
	barrier_cluster_wait();

	if (cluster_ctarank() == 1) {
		pipe_state state = { 0, 1 };

#pragma unroll 1
		for (u32 i = 0; i < rows; i++) {
			mbarrier_wait_cluster(shared_address(&empty[state.slot]), state.phase);
			st_shared_cluster(mapa(shared_address(&row[state.slot][t]), 0),
					  in[i * ROW_WORDS + t] * 3);
			// REPORT: the init of CTA 0 may not be visible here
			mbarrier_arrive_remote(shared_address(&full[state.slot]), 0);
			state.next(SLOTS);
		}
	} else {
		pipe_state state = { 0, 0 };

#pragma unroll 1
		for (u32 i = 0; i < rows; i++) {
			mbarrier_wait_cluster(shared_address(&full[state.slot]), state.phase);
			out[i * ROW_WORDS + t] = row[state.slot][t];
			bar_warp_sync(~0u);
			mbarrier_arrive_remote(shared_address(&empty[state.slot]), 1, t == 0);
			state.next(SLOTS);
		}
	}
	bar_warp_sync(~0u);
	barrier_cluster();
}
