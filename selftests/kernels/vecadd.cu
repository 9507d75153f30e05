// SPDX-License-Identifier: MIT
// The smallest real kernel: each thread adds one pair of elements. It shows the special registers
// (PTX 10), ld.param, ld.global and st.global. The last CTA has threads without an element.
#include "vsm.cuh"

KERNEL vecadd(const float *a, const float *b, float *c, u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

// One warp. Elements from @n to @total must still be 0.
KERNEL check(const float *a, const float *b, const float *c, u32 n, u32 total)
{
	for (u32 i = threadIdx.x; i < n; i += 32)
		CHECK_F32("c", i, c[i], a[i] + b[i]);
	for (u32 i = n + threadIdx.x; i < total; i += 32)
		CHECK_F32("c", i, c[i], 0.0f);
}
