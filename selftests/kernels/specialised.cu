// SPDX-License-Identifier: MIT
// A warp-specialised pipeline as CUTLASS builds it: the first warpgroup gives its registers away
// (setmaxnreg, PTX 9.7.19.5) and one elected thread of it copies tiles; two warpgroups take more
// registers and consume, each its half of a tile. The number of stages is a parameter, and the
// stages lie in dynamic shared memory. One lane of each consumer warp arrives on empty.
#include "pipeline.cuh"

#define CONSUMERS 256
#define TILE_WORDS (4 * CONSUMERS)
#define TILE_BYTES (4 * TILE_WORDS)

static __device__ u32 digest(uint4 v, u32 tile)
{
	return (v.x ^ v.y) * 7 + (v.z & v.w) + tile;
}

KERNEL __launch_bounds__(CONSUMERS + 128, 1)
specialised(const u32 *in, u32 *out, u32 tiles, u32 stages)
{
	extern __shared__ __align__(128) uint4 data[];
	__shared__ u64 full[8], empty[8];
	u32 warpgroup = threadIdx.x / 128;

	in += blockIdx.x * tiles * TILE_WORDS;
	out += blockIdx.x * tiles * CONSUMERS;
	if (threadIdx.x == 0)
		pipe_init(shared_address(full), 1, shared_address(empty), CONSUMERS / 32, stages);
	__syncthreads();

	if (warpgroup == 0) {
		setmaxnreg_dec<40>();
		if (threadIdx.x / 32 == 0 && elect_sync()) {
			pipe_state state = { 0, 1 };

#pragma unroll 1
			for (u32 i = 0; i < tiles; i++) {
				u32 bar = shared_address(&full[state.slot]);

				mbarrier_wait(shared_address(&empty[state.slot]), state.phase);
				mbarrier_arrive_expect_tx(bar, TILE_BYTES);
				cp_async_bulk_g2s(shared_address(&data[state.slot * CONSUMERS]),
						  in + i * TILE_WORDS, TILE_BYTES, bar);
				state.next(stages);
			}
		}
	} else {
		u32 t = threadIdx.x - 128;
		pipe_state state = { 0, 0 };

		setmaxnreg_inc<232>();
#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			mbarrier_wait(shared_address(&full[state.slot]), state.phase);

			uint4 v = data[state.slot * CONSUMERS + t];

			bar_warp_sync(~0u);
			if (laneid() == 0)
				mbarrier_arrive(shared_address(&empty[state.slot]));
			out[i * CONSUMERS + t] = digest(v, i);
			state.next(stages);
		}
	}
}

KERNEL check(const uint4 *in, const u32 *out, u32 tiles)
{
	for (u32 i = 0; i < tiles; i++) {
		u32 word = (blockIdx.x * tiles + i) * CONSUMERS + threadIdx.x;

		CHECK_U32("out", word, out[word], digest(in[word], i));
	}
}
