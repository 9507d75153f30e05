// SPDX-License-Identifier: MIT
// cuda::barrier::arrive_and_wait() as libcu++ has it: the thread tests the phase of its token some
// times, and then sleeps between the attempts, the longer the more time has passed. The programmer
// forgot that all threads of the block have to arrive. With a @limit the thread gives up after many
// seconds: then this is no wait, and only the time limit of the launch ends it.
#include "../vsm.cuh"

#define THREADS 64

template<s64 limit = 0> PTX void arrive_and_wait(u32 bar)
{
	u64 token = mbarrier_arrive_token(bar), start = globaltimer();

	for (int count = 0;;) {
		if (mbarrier_test_wait(bar, token))
			return;
		if (count < 16) {
			count++;
			continue;
		}

		s64 elapsed = globaltimer() - start, step = elapsed / 4;

		if (limit && elapsed > limit)
			return;

		if (step >= 1000000)
			nanosleep(1000000);
		else if (step >= 10000)
			nanosleep(step);
	}
}

KERNEL __launch_bounds__(THREADS)
polled_barrier(const u32 *in, u32 *out, u32 count)
{
	__shared__ u64 barrier;
	__shared__ u32 words[THREADS];
	u32 t = threadIdx.x, bar = shared_address(&barrier);

	if (t == 0)
		mbarrier_init(bar, THREADS);
	__syncthreads();

	// BUG: these threads have to arrive
	if (t >= count)
		return;
	words[t] = in[t];
	arrive_and_wait(bar); // REPORT
	out[t] = words[(t + 1) % count];
}

KERNEL __launch_bounds__(THREADS)
gives_up(u32 count)
{
	__shared__ u64 barrier;
	u32 t = threadIdx.x, bar = shared_address(&barrier);

	if (t == 0)
		mbarrier_init(bar, THREADS);
	__syncthreads();
	if (t < count)
		arrive_and_wait<1000000000000>(bar);
}

static __device__ __noinline__ bool is_complete(u32 bar, u32 parity)
{
	return mbarrier_test_wait_parity(bar, parity); // REPORT
}

// A function has the wait, and the loop computes its operands each time.
KERNEL __launch_bounds__(THREADS)
polled_by_call(u32 count)
{
	__shared__ u64 barriers[2];
	u32 t = threadIdx.x, bar = shared_address(barriers);

	if (t < 2)
		mbarrier_init(bar + 8 * t, THREADS / 2);
	__syncthreads();
	// BUG: these threads have to arrive
	if (t >= count)
		return;
	mbarrier_arrive(bar + 8 * (t % 2));
	while (!is_complete(bar + 8 * (t % 2), 0))
		;
}
