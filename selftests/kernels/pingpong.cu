// SPDX-License-Identifier: MIT
// Ping-pong: two consumer groups take turns. While one is in its main loop, the other finishes its
// tile. Named barriers keep the order (bar.sync and bar.arrive with numbers, PTX 9.7.13.1): a
// group enters its main loop when the other one has left its own. Both groups consume from one
// ring of stages; each skips the blocks of the other group's tiles.
#include "pipeline.cuh"

#define GROUP 128
#define STAGES 4
#define BLOCKS 3		// blocks of a tile; not a divisor of STAGES
#define BLOCK_BYTES (4 * GROUP)
#define ORDER_BARRIER 1		// and 2, one for each group

static __device__ u32 finish(u32 sum, u32 tile)
{
	u32 v = sum ^ tile;

#pragma unroll 1
	for (u32 i = 0; i < 8; i++)
		v = v * 1664525 + 1013904223;
	return v;
}

KERNEL __launch_bounds__(3 * GROUP, 1)
pingpong(const u32 *in, u32 *out, u32 tiles)
{
	__shared__ __align__(128) u32 data[STAGES][GROUP];
	__shared__ u64 full[STAGES], empty[STAGES];
	u32 role = threadIdx.x / GROUP, t = threadIdx.x % GROUP;

	in += blockIdx.x * tiles * BLOCKS * GROUP;
	out += blockIdx.x * tiles * GROUP;
	if (threadIdx.x == 0)
		pipe_init(shared_address(full), 1, shared_address(empty), GROUP / 32, STAGES);
	__syncthreads();

	if (role == 0) {
		setmaxnreg_dec<40>();
		if (t == 0) {
			pipe_state state = { 0, 1 };

#pragma unroll 1
			for (u32 i = 0; i < tiles * BLOCKS; i++) {
				u32 bar = shared_address(&full[state.slot]);

				mbarrier_wait(shared_address(&empty[state.slot]), state.phase);
				mbarrier_arrive_expect_tx(bar, BLOCK_BYTES);
				cp_async_bulk_g2s(shared_address(data[state.slot]), in + i * GROUP,
						  BLOCK_BYTES, bar);
				state.next(STAGES);
			}
		}
		return;
	}

	u32 group = role - 1;
	pipe_state state = { 0, 0 };

	setmaxnreg_inc<232>();
	if (group == 1) {
		// Group 0 begins.
		bar_arrive(ORDER_BARRIER, 2 * GROUP);
		for (u32 b = 0; b < BLOCKS; b++)
			state.next(STAGES);
	}
#pragma unroll 1
	for (u32 tile = group; tile < tiles; tile += 2) {
		u32 sum = 0;

		bar_sync(ORDER_BARRIER + group, 2 * GROUP);
#pragma unroll 1
		for (u32 b = 0; b < BLOCKS; b++) {
			mbarrier_wait(shared_address(&full[state.slot]), state.phase);
			sum = sum * 31 + data[state.slot][t];
			bar_warp_sync(~0u);
			if (laneid() == 0)
				mbarrier_arrive(shared_address(&empty[state.slot]));
			state.next(STAGES);
		}
		// After the last tile nobody waits for this.
		if (tile + 1 < tiles)
			bar_arrive(ORDER_BARRIER + (group ^ 1), 2 * GROUP);

		out[tile * GROUP + t] = finish(sum, tile);
		for (u32 b = 0; b < BLOCKS; b++)
			state.next(STAGES);
	}
}

KERNEL check(const u32 *in, const u32 *out, u32 tiles)
{
	u32 t = threadIdx.x;

	in += blockIdx.x * tiles * BLOCKS * GROUP;
	out += blockIdx.x * tiles * GROUP;
	for (u32 tile = 0; tile < tiles; tile++) {
		u32 sum = 0;

		for (u32 b = 0; b < BLOCKS; b++)
			sum = sum * 31 + in[(tile * BLOCKS + b) * GROUP + t];
		CHECK_U32("out", tile * GROUP + t, out[tile * GROUP + t], finish(sum, tile));
	}
}
