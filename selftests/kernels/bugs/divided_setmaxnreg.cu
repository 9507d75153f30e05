// SPDX-License-Identifier: MIT
// A warpgroup gives registers back before it works. Half of the lanes of the first warp wait for a
// phase before that. The programmer forgot that all lanes of a warp execute setmaxnreg together:
// the lane that completes the phase waits there for the half that waits for the phase.
// The launch bounds are part of the mistake: without a bound of the registers, ptxas ignores
// setmaxnreg. An H100 was recorded to finish the kernel then, with the right result.
#include "../vsm.cuh"

KERNEL __launch_bounds__(128, 1) divided_setmaxnreg(u32 *out)
{
	__shared__ u64 ready;
	u32 t = threadIdx.x;

	if (t == 0)
		mbarrier_init(shared_address(&ready), 1);
	__syncthreads();

	if (t < 32 && t >= 16)
		mbarrier_wait(shared_address(&ready), 0);
	// BUG: lane 0 has to arrive before this
	setmaxnreg_dec<40>();
	if (t == 0)
		mbarrier_arrive(shared_address(&ready));
	out[t] = t;
}
