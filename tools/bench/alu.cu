// SPDX-License-Identifier: MIT
// Loops for vsm-bench-ptx, of arithmetic and of shared memory. None of them needs a device.
// selftests/kernels/Makefile compiles this file.
#include "../../selftests/kernels/base.cuh"

#define THREADS 256

// Products, sums, shifts and exclusive ors of integers
KERNEL __launch_bounds__(THREADS)
integers(u32 *out, u32 turns)
{
	u32 a = threadIdx.x, b = 12345;

	for (u32 i = 0; i < turns; i++) {
		a = a * 1664525 + 1013904223;
		b ^= a >> 7;
		b += a;
		a ^= b << 3;
	}
	out[threadIdx.x] = a ^ b;
}

// Fused multiply-adds of f32. The values stay small and normal.
KERNEL __launch_bounds__(THREADS)
floats(float *out, u32 turns)
{
	float a = threadIdx.x, b = 1;

	for (u32 i = 0; i < turns; i++) {
		a = __builtin_fmaf(a, 0.5f, 1);
		b = __builtin_fmaf(b, 0.25f, a);
	}
	out[threadIdx.x] = a + b;
}

// A load and a store in each turn. volatile keeps both in the loop. Nobody needs the sums, which
// depend on the order of the warps.
KERNEL __launch_bounds__(THREADS)
shared(u32 *out, u32 turns)
{
	static __shared__ volatile u32 words[THREADS];
	u32 sum = 0;

	words[threadIdx.x] = threadIdx.x;
	for (u32 i = 0; i < turns; i++) {
		sum += words[(threadIdx.x + i) % THREADS];
		words[threadIdx.x] = sum;
	}
	out[threadIdx.x] = sum;
}
