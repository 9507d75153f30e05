// SPDX-License-Identifier: MIT
// Non-bulk copies (PTX 9.7.9.25.3): a pipeline with commit and wait groups, as kernels for Ampere
// write it; the same with mbarriers that the copies arrive on, with and without .noinc
// (9.7.13.15.17); copies of 4, 8 and 16 bytes, and copies that fill the rest with zeros.
#include "pipeline.cuh"

#define THREADS 128
#define STAGES 4

// A thread uses what the thread at the other end has copied.
static __device__ u32 digest(uint4 v, u32 tile)
{
	return v.x * 9 + v.y + (v.z ^ v.w) - tile;
}

KERNEL __launch_bounds__(THREADS)
groups(const uint4 *in, u32 *out, u32 tiles)
{
	__shared__ uint4 data[STAGES][THREADS];
	u32 t = threadIdx.x, other = THREADS - 1 - t;

#pragma unroll
	for (u32 s = 0; s < STAGES - 1; s++) {
		if (s < tiles)
			cp_async_16(shared_address(&data[s][t]), &in[s * THREADS + t]);
		cp_async_commit_group();
	}
#pragma unroll 1
	for (u32 i = 0; i < tiles; i++) {
		u32 ahead = i + STAGES - 1;

		// The thread's own copies of tile i are done. Behind the barrier those of all
		// threads are, and all threads have left the stage that is filled next.
		cp_async_wait_group<STAGES - 2>();
		__syncthreads();
		if (ahead < tiles)
			cp_async_16(shared_address(&data[ahead % STAGES][t]),
				    &in[ahead * THREADS + t]);
		cp_async_commit_group();
		out[i * THREADS + t] = digest(data[i % STAGES][other], i);
	}
}

// Warps 0 to 3 copy, warps 4 to 7 consume. With @INC an arrival of the thread itself is counted,
// and the copies add one of their own; without it only the copies arrive.
template<bool INC>
static __device__ __attribute__((always_inline))
void run_mbarriers(const uint4 *in, u32 *out, u32 tiles)
{
	__shared__ uint4 data[STAGES][THREADS];
	__shared__ u64 full[STAGES], empty[STAGES];
	u32 t = threadIdx.x % THREADS;

	if (threadIdx.x == 0)
		pipe_init(shared_address(full), THREADS, shared_address(empty), THREADS, STAGES);
	__syncthreads();

	if (threadIdx.x < THREADS) {
		pipe_state state = { 0, 1 };

#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			u32 bar = shared_address(&full[state.slot]);

			mbarrier_wait(shared_address(&empty[state.slot]), state.phase);
			cp_async_8(shared_address(&data[state.slot][t]), &in[i * THREADS + t]);
			cp_async_4(shared_address(&data[state.slot][t].z), &in[i * THREADS + t].z);
			cp_async_4(shared_address(&data[state.slot][t].w), &in[i * THREADS + t].w);
			if (INC) {
				cp_async_mbarrier_arrive(bar);
				mbarrier_arrive(bar);
			} else {
				cp_async_mbarrier_arrive_noinc(bar);
			}
			state.next(STAGES);
		}
		cp_async_wait_all();
	} else {
		pipe_state state = { 0, 0 };

#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			mbarrier_wait(shared_address(&full[state.slot]), state.phase);
			out[i * THREADS + t] = digest(data[state.slot][THREADS - 1 - t], i);
			mbarrier_arrive(shared_address(&empty[state.slot]));
			state.next(STAGES);
		}
	}
}

KERNEL __launch_bounds__(2 * THREADS)
mbarriers(const uint4 *in, u32 *out, u32 tiles)
{
	run_mbarriers<true>(in, out, tiles);
}

KERNEL __launch_bounds__(2 * THREADS)
mbarriers_noinc(const uint4 *in, u32 *out, u32 tiles)
{
	run_mbarriers<false>(in, out, tiles);
}

// Thread t copies t % 17 bytes and has the rest filled with zeros.
KERNEL __launch_bounds__(THREADS)
zero_fill(const uint4 *in, u32 *out)
{
	__shared__ uint4 data[THREADS];
	u32 t = threadIdx.x;

	cp_async_16(shared_address(&data[t]), &in[t], t % 17);
	cp_async_wait_all();
	__syncthreads();
	out[t] = digest(data[THREADS - 1 - t], 0);
}

KERNEL check(const uint4 *in, const u32 *out, u32 tiles)
{
	u32 t = threadIdx.x;

	for (u32 i = 0; i < tiles; i++)
		CHECK_U32("out", i * THREADS + t, out[i * THREADS + t],
			  digest(in[i * THREADS + THREADS - 1 - t], i));
}

KERNEL check_zero_fill(const u8 *in, const u32 *out)
{
	u32 t = threadIdx.x, other = THREADS - 1 - t, words[4] = {};

	for (u32 b = 0; b < other % 17; b++)
		words[b / 4] |= (u32)in[other * 16 + b] << 8 * (b % 4);
	CHECK_U32("out", t, out[t], digest(uint4 { words[0], words[1], words[2], words[3] }, 0));
}
