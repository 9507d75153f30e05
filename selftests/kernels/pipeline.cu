// SPDX-License-Identifier: MIT
// A pipeline of bulk copies (PTX 9.7.9.25.4.1) with a full and an empty mbarrier for each stage
// (9.7.13.15). All threads of the CTA consume, and thread 0 also produces: it refills a stage as
// soon as all threads have left it. There is a kernel for 2, 3, 4 and 8 stages.
#include "pipeline.cuh"

#define THREADS 128
#define TILE_WORDS (4 * THREADS)
#define TILE_BYTES (4 * TILE_WORDS)

// What a thread makes of its four words of a tile
static __device__ u32 digest(uint4 v, u32 tile)
{
	return v.x + 3 * v.y + 5 * v.z + (v.w ^ tile);
}

template<int STAGES>
static __device__ __attribute__((always_inline)) void run(const u32 *in, u32 *out, u32 tiles)
{
	__shared__ __align__(128) uint4 data[STAGES][THREADS];
	__shared__ u64 full[STAGES], empty[STAGES];
	u32 t = threadIdx.x;

	in += blockIdx.x * tiles * TILE_WORDS;
	out += blockIdx.x * tiles * THREADS;
	if (t == 0)
		pipe_init(shared_address(full), 1, shared_address(empty), THREADS, STAGES);
	__syncthreads();

	// Fill all stages.
	if (t == 0) {
#pragma unroll 1
		for (u32 s = 0; s < STAGES && s < tiles; s++) {
			mbarrier_arrive_expect_tx(shared_address(&full[s]), TILE_BYTES);
			cp_async_bulk_g2s(shared_address(data[s]), in + s * TILE_WORDS, TILE_BYTES,
					  shared_address(&full[s]));
		}
	}

	pipe_state state = { 0, 0 };

#pragma unroll 1
	for (u32 i = 0; i < tiles; i++) {
		u32 bar = shared_address(&full[state.slot]);

		mbarrier_wait(bar, state.phase);
		out[i * THREADS + t] = digest(data[state.slot][t], i);
		mbarrier_arrive(shared_address(&empty[state.slot]));

		if (t == 0 && i + STAGES < tiles) {
			mbarrier_wait(shared_address(&empty[state.slot]), state.phase);
			mbarrier_arrive_expect_tx(bar, TILE_BYTES);
			cp_async_bulk_g2s(shared_address(data[state.slot]),
					  in + (i + STAGES) * TILE_WORDS, TILE_BYTES, bar);
		}
		state.next(STAGES);
	}
}

#define PIPELINE(stages)								\
	KERNEL __launch_bounds__(THREADS)						\
	pipeline_##stages(const u32 *in, u32 *out, u32 tiles)				\
	{										\
		run<stages>(in, out, tiles);						\
	}

PIPELINE(2)
PIPELINE(3)
PIPELINE(4)
PIPELINE(8)

KERNEL check(const uint4 *in, const u32 *out, u32 tiles)
{
	for (u32 i = 0; i < tiles; i++) {
		u32 word = (blockIdx.x * tiles + i) * THREADS + threadIdx.x;

		CHECK_U32("out", word, out[word], digest(in[word], i));
	}
}
