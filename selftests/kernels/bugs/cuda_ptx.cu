// SPDX-License-Identifier: MIT
// The mbarrier expects all threads of the CTA, and the last warp returns without an arrival. All
// others wait for ever in a function of <cuda/ptx>. The report names the lines of this file where
// it is inlined. nvcc compiles this file, because clang 19 does not write where it has inlined
// functions.
#include <cuda/ptx>

static __device__ __forceinline__ void arrive_and_wait(uint64_t *bar)
{
	uint64_t token = cuda::ptx::mbarrier_arrive(bar);

	while (!cuda::ptx::mbarrier_try_wait(bar, token))
		;
}

static __device__ __forceinline__ void exchange(uint64_t *bar, unsigned *words)
{
	words[threadIdx.x] = threadIdx.x;
	arrive_and_wait(bar);
}

extern "C" __global__ void cuda_ptx(unsigned *out, unsigned threads)
{
	__shared__ unsigned words[128];
	__shared__ uint64_t bar;
	unsigned t = threadIdx.x;

	if (t == 0)
		cuda::ptx::mbarrier_init(&bar, blockDim.x);
	__syncthreads();
	if (t >= threads)		// BUG: no arrival
		return;
	exchange(&bar, words);		// REPORT: 32 arrivals are missing
	out[t] = words[t ^ 1];
}
