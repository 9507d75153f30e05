// SPDX-License-Identifier: MIT
// The producer and the consumers begin with the same state. The programmer forgot that nothing has to
// be emptied before the first round: the producer waits for arrivals that come only after it has
// filled the stage.
#include "../pipeline.cuh"

#define CONSUMERS 64
#define STAGES 2
#define TILE_WORDS CONSUMERS
#define TILE_BYTES (4 * TILE_WORDS)

KERNEL start_parity(const u32 *in, u32 *out, u32 tiles)
{
	__shared__ __align__(128) u32 data[STAGES][TILE_WORDS];
	__shared__ u64 full[STAGES], empty[STAGES];
	pipe_state state = { 0, 0 };
	u32 t = threadIdx.x;

	if (t == 0)
		pipe_init(shared_address(full), 1, shared_address(empty), CONSUMERS, STAGES);
	__syncthreads();
#pragma unroll 1
	for (u32 i = 0; i < tiles; i++, state.next(STAGES)) {
		u32 bar = shared_address(&full[state.slot]);

		if (t < CONSUMERS) {
			mbarrier_wait(bar, state.phase);
			out[i * CONSUMERS + t] = data[state.slot][t];
			mbarrier_arrive(shared_address(&empty[state.slot]));
		} else if (t == CONSUMERS) {
			// BUG: the parity of the first round should be 1
			mbarrier_wait(shared_address(&empty[state.slot]), state.phase);
			mbarrier_arrive_expect_tx(bar, TILE_BYTES);
			cp_async_bulk_g2s(shared_address(data[state.slot]), in + i * TILE_WORDS,
					  TILE_BYTES, bar);
		}
	}
}
