// SPDX-License-Identifier: MIT
// A sum over an array: a tree in shared memory with bar.sync (PTX 9.7.13.1), then shfl.sync within
// the last warp (9.7.9.6). The CTA that finishes last adds the sums of all CTAs. It knows from an
// atomic counter that it is the last, and a fence orders its loads (9.7.13.4).
#include "vsm.cuh"

__device__ u32 finished;

KERNEL reduce(const u32 *in, u32 *sums, u32 *total, u32 words_per_cta)
{
	__shared__ u32 part[256];
	__shared__ bool last;
	u32 t = threadIdx.x, sum = 0;

	for (u32 i = t; i < words_per_cta; i += 256)
		sum += in[blockIdx.x * words_per_cta + i];
	part[t] = sum;
	__syncthreads();

#pragma unroll 1
	for (u32 half = 128; half >= 32; half /= 2) {
		if (t < half)
			part[t] += part[t + half];
		__syncthreads();
	}
	if (t < 32) {
		sum = part[t];
		for (u32 half = 16; half; half /= 2)
			sum += shfl_down(~0u, sum, half);
		if (t == 0) {
			sums[blockIdx.x] = sum;
			membar_gl();
			last = __nvvm_atom_add_gen_i((int *)&finished, 1) == (int)gridDim.x - 1;
		}
	}
	__syncthreads();

	if (last && t == 0) {
		membar_gl();
		sum = 0;
		for (u32 i = 0; i < gridDim.x; i++)
			sum += *(volatile u32 *)&sums[i];
		*total = sum;
	}
}

KERNEL check(const u32 *in, const u32 *sums, const u32 *total, u32 ctas, u32 words_per_cta)
{
	u32 all = 0;

	for (u32 cta = 0; cta < ctas; cta++) {
		u32 sum = 0;

#pragma unroll 1
		for (u32 i = 0; i < words_per_cta; i++)
			sum += in[cta * words_per_cta + i];
		CHECK_U32("sums", cta, sums[cta], sum);
		all += sum;
	}
	CHECK_U32("total", 0, *total, all);
}
