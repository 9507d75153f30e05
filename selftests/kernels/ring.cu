// SPDX-License-Identifier: MIT
// A ring over a cluster: in each step each CTA sends a value of each thread to its right neighbour
// with st.async (PTX 9.7.9.12), which completes its bytes on the neighbour's full mbarrier. There
// are two slots. The receiver says that a slot is free again by an arrive on the sender's empty
// mbarrier. After one round each CTA has added up the values of all CTAs.
#include "pipeline.cuh"

#define THREADS 128
#define SLOTS 2

static __device__ u32 weight(u32 step)
{
	return 2 * step + 1;
}

KERNEL __launch_bounds__(THREADS)
ring(const u32 *in, u32 *out, u32 steps)
{
	__shared__ u32 box[SLOTS][THREADS];
	__shared__ u64 full[SLOTS], empty[SLOTS];
	u32 t = threadIdx.x, rank = cluster_ctarank(), ctas = cluster_nctarank();
	u32 right = rank + 1 == ctas ? 0 : rank + 1, left = rank == 0 ? ctas - 1 : rank - 1;
	u32 v = in[blockIdx.x * THREADS + t], sum = v;
	pipe_state state = { 0, 0 };

	if (t == 0) {
		pipe_init(shared_address(full), 1, shared_address(empty), THREADS / 32, SLOTS);
		for (u32 s = 0; s < SLOTS && s < steps; s++)
			mbarrier_arrive_expect_tx(shared_address(&full[s]), 4 * THREADS);
	}
	barrier_cluster();

#pragma unroll 1
	for (u32 step = 0; step < steps; step++) {
		u32 full_bar = shared_address(&full[state.slot]);
		u32 empty_bar = shared_address(&empty[state.slot]);

		// The right neighbour has read what was sent to this slot before.
		mbarrier_wait_cluster(empty_bar, state.phase ^ 1);
		st_async(mapa(shared_address(&box[state.slot][t]), right), v,
			 mapa(full_bar, right));

		mbarrier_wait_cluster(full_bar, state.phase);
		v = box[state.slot][t];
		sum += v * weight(step);

		// The slot's next phase begins. It cannot complete before all warps have arrived.
		if (t == 0 && step + SLOTS < steps)
			mbarrier_arrive_expect_tx(full_bar, 4 * THREADS);
		bar_warp_sync(~0u);
		if (laneid() == 0)
			mbarrier_arrive_remote(empty_bar, left);
		state.next(SLOTS);
	}
	out[blockIdx.x * THREADS + t] = sum;
	barrier_cluster();
}

// The same in vectors: each CTA writes a row of 16-byte values into the next CTA's window, once.
KERNEL __launch_bounds__(THREADS)
shift(const uint4 *in, uint4 *out)
{
	__shared__ uint4 box[THREADS];
	__shared__ u64 full;
	u32 t = threadIdx.x, right = (cluster_ctarank() + 1) % cluster_nctarank();

	if (t == 0) {
		mbarrier_init(shared_address(&full), 1);
		fence_mbarrier_init();
		mbarrier_arrive_expect_tx(shared_address(&full), 16 * THREADS);
	}
	barrier_cluster();
	st_async(mapa(shared_address(&box[t]), right), in[blockIdx.x * THREADS + t],
		 mapa(shared_address(&full), right));
	mbarrier_wait_cluster(shared_address(&full), 0);
	out[blockIdx.x * THREADS + t] = box[t];
	barrier_cluster();
}

KERNEL check(const u32 *in, const u32 *out, u32 steps, u32 ctas)
{
	u32 t = threadIdx.x, cluster = blockIdx.x / ctas, rank = blockIdx.x % ctas;
	u32 sum = in[blockIdx.x * THREADS + t];

	for (u32 step = 0; step < steps; step++) {
		u32 from = (rank + ctas * steps - step - 1) % ctas;

		sum += in[(cluster * ctas + from) * THREADS + t] * weight(step);
	}
	CHECK_U32("out", blockIdx.x * THREADS + t, out[blockIdx.x * THREADS + t], sum);
}

KERNEL check_shift(const u32 *in, const u32 *out, u32 ctas)
{
	u32 cluster = blockIdx.x / ctas, from = (blockIdx.x % ctas + ctas - 1) % ctas;

	in += (cluster * ctas + from) * 4 * THREADS;
	out += blockIdx.x * 4 * THREADS;
	for (u32 i = threadIdx.x; i < 4 * THREADS; i += THREADS)
		CHECK_U32("shifted", i, out[i], in[i]);
}
