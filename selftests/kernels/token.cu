// SPDX-License-Identifier: MIT
// What cuda::barrier compiles to: arrive returns a token, and the thread waits for the phase of its
// token (PTX 9.7.13.15.13, 9.7.13.15.16). Between the two it does other work. The kernels also show
// the double buffer of the CUDA C++ Programming Guide, arrive_and_drop, an arrival for a whole
// warp, and the count that a .noComplete token contains.
#include "vsm.cuh"

#define THREADS 128

// cuda::barrier::wait(): test a few times, then suspend, and sleep between the attempts.
static __device__ __attribute__((always_inline, nodebug)) void wait(u32 bar, u64 token)
{
	for (u32 i = 0; i < 4; i++)
		if (mbarrier_test_wait(bar, token))
			return;
	while (!mbarrier_try_wait(bar, token))
		nanosleep(100);
}

// In each step a thread publishes a word, works on its own for a while, and reads the word of
// another thread.
KERNEL __launch_bounds__(THREADS)
split(const u32 *in, u32 *out, u32 steps)
{
	__shared__ u64 barrier;
	__shared__ u32 words[2][THREADS];
	u32 t = threadIdx.x, bar = shared_address(&barrier), v = in[t];

	if (t == 0)
		mbarrier_init(bar, THREADS);
	__syncthreads();

#pragma unroll 1
	for (u32 step = 0; step < steps; step++) {
		words[step & 1][t] = v;

		u64 token = mbarrier_arrive_token(bar);
		u32 own = v;

#pragma unroll 1
		for (u32 i = 0; i < 5; i++)
			own = own * 69069 + 1;
		wait(bar, token);
		v = own ^ words[step & 1][(t + 37) % THREADS];
	}
	out[t] = v;
}

KERNEL check_split(const u32 *in, const u32 *out, u32 *scratch, u32 steps)
{
	u32 *now = scratch, *next = scratch + THREADS;

	for (u32 t = 0; t < THREADS; t++)
		now[t] = in[t];
	for (u32 step = 0; step < steps; step++) {
		for (u32 t = 0; t < THREADS; t++) {
			u32 own = now[t];

			for (u32 i = 0; i < 5; i++)
				own = own * 69069 + 1;
			next[t] = own ^ now[(t + 37) % THREADS];
		}
		u32 *swap = now;

		now = next;
		next = swap;
	}
	for (u32 t = 0; t < THREADS; t++)
		CHECK_U32("split", t, out[t], now[t]);
}

// The first half of the threads produces, the second half consumes. ready says that a buffer may
// be filled, filled says that it is full. All threads arrive on both.
KERNEL __launch_bounds__(THREADS)
double_buffer(const u32 *in, u32 *out, u32 tiles)
{
	__shared__ u64 ready[2], filled[2];
	__shared__ u32 buffer[2][THREADS / 2];
	u32 t = threadIdx.x % (THREADS / 2);

	if (threadIdx.x < 4)
		mbarrier_init(shared_address(threadIdx.x < 2 ? &ready[threadIdx.x] :
					     &filled[threadIdx.x - 2]), THREADS);
	__syncthreads();

	if (threadIdx.x < THREADS / 2) {
#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			u32 bar = shared_address(&ready[i & 1]);

			wait(bar, mbarrier_arrive_token(bar));
			buffer[i & 1][t] = in[i * (THREADS / 2) + t] + i;
			mbarrier_arrive_token(shared_address(&filled[i & 1]));
		}
	} else {
		mbarrier_arrive_token(shared_address(&ready[0]));
		mbarrier_arrive_token(shared_address(&ready[1]));
#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			u32 bar = shared_address(&filled[i & 1]);

			wait(bar, mbarrier_arrive_token(bar));
			out[i * (THREADS / 2) + t] = buffer[i & 1][THREADS / 2 - 1 - t];
			mbarrier_arrive_token(shared_address(&ready[i & 1]));
		}
	}
}

KERNEL check_double_buffer(const u32 *in, const u32 *out, u32 tiles)
{
	u32 t = threadIdx.x;

	for (u32 i = 0; i < tiles; i++)
		CHECK_U32("double_buffer", i * blockDim.x + t, out[i * blockDim.x + t],
			  in[i * blockDim.x + blockDim.x - 1 - t] + i);
}

// Warp w leaves after w + 1 steps: its threads drop out of the barrier, and the others do not wait
// for them any more. In each step a thread counts the threads that are still there.
KERNEL __launch_bounds__(THREADS)
drop(u32 *out)
{
	__shared__ u64 barrier;
	__shared__ u32 present[2][THREADS];
	u32 t = threadIdx.x, bar = shared_address(&barrier), steps = t / 32 + 1;

	if (t == 0)
		mbarrier_init(bar, THREADS);
	present[0][t] = 0;
	present[1][t] = 0;
	__syncthreads();

#pragma unroll 1
	for (u32 step = 0; step < steps; step++) {
		u32 there = 0;

		present[step & 1][t] = step + 1;
		wait(bar, mbarrier_arrive_token(bar));
		for (u32 i = 0; i < THREADS; i++)
			there += present[step & 1][i] == step + 1;
		out[step * THREADS + t] = there;
	}
	// Somebody must stay, because a barrier cannot expect 0 arrivals.
	if (t / 32 < THREADS / 32 - 1)
		mbarrier_arrive_drop(bar);
}

KERNEL check_drop(const u32 *out)
{
	u32 t = threadIdx.x;

	for (u32 step = 0; step < THREADS / 32; step++)
		CHECK_U32("drop", step * THREADS + t, out[step * THREADS + t],
			  t / 32 >= step ? THREADS - 32 * step : 0);
}

// One lane arrives for the 32 threads of its warp.
KERNEL __launch_bounds__(THREADS)
leader(u32 *out)
{
	__shared__ u64 barrier;
	__shared__ u32 words[THREADS];
	u32 t = threadIdx.x, bar = shared_address(&barrier);

	if (t == 0)
		mbarrier_init(bar, THREADS);
	words[t] = t * t;
	__syncthreads();
	words[t] += 1;
	bar_warp_sync(~0u);
	if (laneid() == 0)
		mbarrier_arrive(bar, 32);
	mbarrier_wait(bar, 0);
	out[t] = words[THREADS - 1 - t];
}

// Tokens of .noComplete say how many arrivals were pending before them.
KERNEL pending(u32 *out)
{
	__shared__ u64 barrier;
	u32 bar = shared_address(&barrier);

	mbarrier_init(bar, 5);
	out[0] = mbarrier_pending_count(mbarrier_arrive_noComplete(bar, 2));
	out[1] = mbarrier_pending_count(mbarrier_arrive_noComplete(bar, 1));

	u64 token = mbarrier_arrive_token(bar, 2);

	out[2] = mbarrier_test_wait(bar, token);
	out[3] = mbarrier_test_wait_parity(bar, 0);
	out[4] = mbarrier_test_wait_parity(bar, 1);
}

KERNEL check_leader(const u32 *out, const u32 *pending)
{
	const u32 expected[5] = { 5, 3, 1, 1, 0 };
	u32 other = THREADS - 1 - threadIdx.x;

	CHECK_U32("leader", threadIdx.x, out[threadIdx.x], other * other + 1);
	if (threadIdx.x < 5)
		CHECK_U32("pending", threadIdx.x, pending[threadIdx.x], expected[threadIdx.x]);
}
