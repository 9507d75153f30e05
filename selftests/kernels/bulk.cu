// SPDX-License-Identifier: MIT
// Bulk copies and reductions other than loads: from window to window in a cluster, from a window to
// global memory with bulk groups (PTX 9.7.9.25.4.1), reductions to another CTA's window and to
// global memory (9.7.9.25.4.2), and prefetch (9.7.9.25.4.3).
#include "vsm.cuh"

#define THREADS 128
#define BYTES (16 * THREADS)

// A block goes from global memory to a window, to the next CTA's window and to global memory.
KERNEL __launch_bounds__(THREADS)
pass_on(const uint4 *in, uint4 *out)
{
	__shared__ __align__(128) uint4 outbox[THREADS], inbox[THREADS];
	__shared__ u64 loaded, received;
	u32 right = (cluster_ctarank() + 1) % cluster_nctarank();

	if (threadIdx.x == 0) {
		cp_async_bulk_prefetch(in + blockIdx.x * THREADS, BYTES);
		mbarrier_init(shared_address(&loaded), 1);
		mbarrier_init(shared_address(&received), 1);
		fence_mbarrier_init();
		mbarrier_arrive_expect_tx(shared_address(&received), BYTES);
	}
	barrier_cluster();
	if (threadIdx.x == 0) {
		mbarrier_arrive_expect_tx(shared_address(&loaded), BYTES);
		cp_async_bulk_g2s(shared_address(outbox), in + blockIdx.x * THREADS, BYTES,
				  shared_address(&loaded));
		mbarrier_wait(shared_address(&loaded), 0);
		cp_async_bulk_s2s(mapa(shared_address(inbox), right), shared_address(outbox), BYTES,
				  mapa(shared_address(&received), right));
		mbarrier_wait_cluster(shared_address(&received), 0);

		// In two halves, each a bulk group
		cp_async_bulk_s2g(out + blockIdx.x * THREADS, shared_address(inbox), BYTES / 2);
		cp_async_bulk_commit_group();
		cp_async_bulk_s2g(out + blockIdx.x * THREADS + THREADS / 2,
				  shared_address(&inbox[THREADS / 2]), BYTES / 2);
		cp_async_bulk_commit_group();
		cp_async_bulk_wait_group<1>();
		cp_async_bulk_wait_group<0>();
	}
	// The copy from the outbox is complete when the neighbour has it.
	barrier_cluster();
}

// All CTAs add their words to those of CTA 0.
KERNEL __launch_bounds__(THREADS)
gather(const uint4 *in, uint4 *out)
{
	__shared__ __align__(128) uint4 own[THREADS], sum[THREADS];
	__shared__ u64 done;
	u32 t = threadIdx.x, rank = cluster_ctarank();

	own[t] = in[blockIdx.x * THREADS + t];
	sum[t] = uint4 { t, 0, 0, 0 };
	fence_proxy_async();
	if (rank == 0 && t == 0) {
		mbarrier_init(shared_address(&done), 1);
		fence_mbarrier_init();
		mbarrier_arrive_expect_tx(shared_address(&done), cluster_nctarank() * BYTES);
	}
	barrier_cluster();
	if (t == 0)
		cp_reduce_async_bulk_s2s_add_u32(mapa(shared_address(sum), 0), shared_address(own),
						 BYTES, mapa(shared_address(&done), 0));
	if (rank == 0) {
		mbarrier_wait_cluster(shared_address(&done), 0);
		out[blockIdx.x / cluster_nctarank() * THREADS + t] = sum[t];
	}
	barrier_cluster();
}

// All CTAs of the grid add to the same words in global memory.
KERNEL __launch_bounds__(THREADS)
scatter(const uint4 *in, u32 *integers, float *floats)
{
	__shared__ __align__(128) uint4 words[THREADS];
	__shared__ __align__(128) float values[THREADS];
	u32 t = threadIdx.x;

	words[t] = in[blockIdx.x * THREADS + t];
	values[t] = (float)(t * (blockIdx.x + 1));
	fence_proxy_async_shared();
	__syncthreads();
	if (t == 0) {
		cp_reduce_async_bulk_s2g_add_u32(integers, shared_address(words), BYTES);
		cp_reduce_async_bulk_s2g_add_f32(floats, shared_address(values), sizeof(values));
		cp_async_bulk_commit_group();
		cp_async_bulk_wait_group<0>();
	}
}

KERNEL check_pass_on(const u32 *in, const u32 *out, u32 ctas)
{
	u32 from = blockIdx.x / ctas * ctas + (blockIdx.x % ctas + ctas - 1) % ctas;

	in += from * 4 * THREADS;
	out += blockIdx.x * 4 * THREADS;
	for (u32 i = threadIdx.x; i < 4 * THREADS; i += THREADS)
		CHECK_U32("pass_on", i, out[i], in[i]);
}

KERNEL check_sums(const u32 *in, const u32 *gathered, const u32 *integers, const float *floats,
		  u32 ctas)
{
	for (u32 i = threadIdx.x; i < 4 * THREADS; i += THREADS) {
		u32 sum = 0;

		for (u32 cta = 0; cta < ctas; cta++)
			sum += in[cta * 4 * THREADS + i];
		CHECK_U32("integers", i, integers[i], sum);
		CHECK_U32("gathered", i, gathered[i], sum + (i % 4 == 0 ? i / 4 : 0));
	}
	CHECK_F32("floats", threadIdx.x, floats[threadIdx.x],
		  (float)(threadIdx.x * ctas * (ctas + 1) / 2));
}
