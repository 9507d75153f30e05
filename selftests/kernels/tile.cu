// SPDX-License-Identifier: MIT
// The smallest kernel with an mbarrier: one thread copies 256 numbers to shared memory, and all
// threads wait for the copy. Each thread doubles a number. The kernel announces @announced bytes,
// which is a mistake unless they are the 1024 bytes of the copy.
#include "vsm.cuh"

KERNEL tile(const float *in, float *out, u32 announced)
{
	__shared__ __align__(128) float data[256];
	__shared__ u64 full;
	u32 bar = shared_address(&full), t = threadIdx.x;

	if (t == 0) {
		mbarrier_init(bar, 1);
		fence_mbarrier_init();
	}
	__syncthreads();
	if (t == 0) {
		mbarrier_arrive_expect_tx(bar, announced);
		cp_async_bulk_g2s(shared_address(data), in, sizeof(data), bar);
	}
	mbarrier_wait(bar, 0);
	out[t] = 2 * data[t];
}

KERNEL check(const float *in, const float *out)
{
	CHECK_F32("out", threadIdx.x, out[threadIdx.x], 2 * in[threadIdx.x]);
}
