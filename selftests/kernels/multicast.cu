// SPDX-License-Identifier: MIT
// Multicast in a cluster (PTX 9.7.9.25.4.1): each CTA copies its slice of a tile to the windows of
// all CTAs of the cluster. A full mbarrier expects the bytes of all slices. A stage is empty when
// the consumers of all CTAs have left it: their warps arrive on the empty mbarriers of all CTAs
// (mapa, and mbarrier.arrive on shared::cluster). It works for clusters of any size up to 8.
#include "pipeline.cuh"

#define CONSUMERS 128
#define WARPS (CONSUMERS / 32)
#define STAGES 3
#define TILE_WORDS (8 * CONSUMERS)
#define TILE_BYTES (4 * TILE_WORDS)

static __device__ u32 digest(u32 sum, u32 tile, u32 rank)
{
	return sum * (rank + 1) + tile;
}

KERNEL __launch_bounds__(CONSUMERS + 32)
multicast(const u32 *in, u32 *out, u32 tiles)
{
	__shared__ __align__(128) u32 data[STAGES][TILE_WORDS];
	__shared__ u64 full[STAGES], empty[STAGES];
	u32 t = threadIdx.x, rank = cluster_ctarank(), ctas = cluster_nctarank();

	in += clusterid_x() * tiles * TILE_WORDS;
	out += blockIdx.x * tiles * CONSUMERS;
	if (t == 0)
		pipe_init(shared_address(full), 1, shared_address(empty), WARPS * ctas, STAGES);
	barrier_cluster();

	if (t / 32 == WARPS) {
		if (elect_sync()) {
			u32 slice = TILE_WORDS / ctas;
			u16 mask = (1 << ctas) - 1;
			pipe_state state = { 0, 1 };

#pragma unroll 1
			for (u32 i = 0; i < tiles; i++) {
				u32 bar = shared_address(&full[state.slot]);

				mbarrier_wait_cluster(shared_address(&empty[state.slot]),
						      state.phase);
				mbarrier_arrive_expect_tx(bar, TILE_BYTES);
				cp_async_bulk_g2s_multicast(
					shared_address(&data[state.slot][rank * slice]),
					in + i * TILE_WORDS + rank * slice, slice * 4, bar, mask);
				state.next(STAGES);
			}
		}
	} else {
		pipe_state state = { 0, 0 };

#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			u32 sum = 0;

			mbarrier_wait(shared_address(&full[state.slot]), state.phase);
			for (u32 k = 0; k < TILE_WORDS / CONSUMERS; k++)
				sum += data[state.slot][k * CONSUMERS + t];
			bar_warp_sync(~0u);

			// Lane r tells CTA r.
			mbarrier_arrive_remote(shared_address(&empty[state.slot]), laneid(),
					       laneid() < ctas);
			out[i * CONSUMERS + t] = digest(sum, i, rank);
			state.next(STAGES);
		}
	}
	// No CTA may exit while another one still arrives in its window.
	barrier_cluster();
}

// One CTA for each CTA of the kernel
KERNEL check(const u32 *in, const u32 *out, u32 tiles, u32 ctas)
{
	u32 t = threadIdx.x;

	in += blockIdx.x / ctas * tiles * TILE_WORDS;
	out += blockIdx.x * tiles * CONSUMERS;
	for (u32 i = 0; i < tiles; i++) {
		u32 sum = 0;

		for (u32 k = 0; k < TILE_WORDS / CONSUMERS; k++)
			sum += in[i * TILE_WORDS + k * CONSUMERS + t];
		CHECK_U32("out", i * CONSUMERS + t, out[i * CONSUMERS + t],
			  digest(sum, i, blockIdx.x % ctas));
	}
}
