// SPDX-License-Identifier: MIT
// A warp that spins, beside threads whose waits end by time or whose copies break a rule
#include "vsm.cuh"

#define WORDS 64

// The first thread waits for a phase that nobody completes, until the time limit of the wait has
// passed. The second warp spins meanwhile.
KERNEL time_limit(u32 *out, u32 hint)
{
	__shared__ u64 bar;
	__shared__ volatile u32 spins, over;
	u32 t = threadIdx.x;

	if (t == 0) {
		mbarrier_init(shared_address(&bar), 1);
		spins = 0;
		over = 0;
	}
	__syncthreads();

	if (t == 0) {
		while (!spins)
			;
		out[0] = mbarrier_try_wait_parity(shared_address(&bar), 0, hint);
		over = 1;
	} else if (t >= 32) {
		spins = 1;
		while (!over)
			;
		out[t] = 1;
	}
}

KERNEL check_time_limit(const u32 *out)
{
	u32 t = threadIdx.x;

	CHECK_U32("out", t, out[t], t >= 32);
}

// The first warp has the longest time limit. With a seed, the others therefore go on before it.
KERNEL limits(u32 *out, u32 hint)
{
	__shared__ u64 bar;
	__shared__ u32 ended;
	u32 t = threadIdx.x;

	if (t == 0) {
		mbarrier_init(shared_address(&bar), 1);
		ended = 0;
	}
	__syncthreads();

	if (t % 32 == 0) {
		mbarrier_try_wait_parity(shared_address(&bar), 0, (blockDim.x - t) * hint);
		out[t / 32] = __nvvm_atom_add_gen_i((int *)&ended, 1);
	}
}

// The copy completes more bytes than were announced. The second warp spins for ever, so that no
// wait makes the worker look for faults.
KERNEL fault(const u32 *in)
{
	__shared__ __align__(128) u32 data[WORDS];
	__shared__ u64 bar;
	__shared__ volatile u32 never;
	u32 t = threadIdx.x;

	if (t == 0) {
		mbarrier_init(shared_address(&bar), 1);
		never = 0;
	}
	__syncthreads();

	if (t == 0) {
		mbarrier_arrive_expect_tx(shared_address(&bar), sizeof(data) / 2);
		cp_async_bulk_g2s(shared_address(data), in, sizeof(data), shared_address(&bar));
	} else if (t >= 32) {
		while (!never)
			;
	}
}

// Half of the lanes of the first warp come to setmaxnreg later than the others.
KERNEL registers(u32 *out)
{
	__shared__ u64 ready;
	u32 t = threadIdx.x;

	if (t == 0)
		mbarrier_init(shared_address(&ready), 1);
	__syncthreads();

	if (t >= 16 && t < 32)
		mbarrier_wait(shared_address(&ready), 0);
	if (t == 32)
		mbarrier_arrive(shared_address(&ready));
	setmaxnreg_dec<40>();
	out[t] = t;
}

KERNEL check_registers(const u32 *out)
{
	CHECK_U32("out", threadIdx.x, out[threadIdx.x], threadIdx.x);
}

// The lanes that wait return instead, while the others are in setmaxnreg.
KERNEL half_returns(void)
{
	__shared__ u64 ready;
	u32 t = threadIdx.x;

	if (t == 0)
		mbarrier_init(shared_address(&ready), 1);
	__syncthreads();

	if (t >= 16 && t < 32) {
		mbarrier_wait(shared_address(&ready), 0);
		return;
	}
	if (t == 32) {
		nanosleep(1000);
		mbarrier_arrive(shared_address(&ready));
	}
	setmaxnreg_dec<40>();
}

// Half of a warp is in setmaxnreg while the other half is in bar.warp.sync for all lanes, and then
// the other way round. With @late != 0 the half in bar.warp.sync comes last, otherwise first.
KERNEL half_syncs(u32 late)
{
	__shared__ u64 ready;
	u32 t = threadIdx.x;

	if (t == 0)
		mbarrier_init(shared_address(&ready), 1);
	__syncthreads();

	if (t >= 16 && t < 32) {
		if (late)
			mbarrier_wait(shared_address(&ready), 0);
		// These lanes wait only for each other.
		bar_warp_sync(0xffff0000);
		bar_warp_sync(~0u);
		setmaxnreg_dec<40>();
	} else {
		if (t == 32) {
			for (u32 i = 0; i < 50; i++)
				nanosleep(1000);
			mbarrier_arrive(shared_address(&ready));
		}
		setmaxnreg_dec<40>();
		bar_warp_sync(~0u);
	}
}

// Lanes 1 to 15 are suspended until lane 0 comes. Lanes 16 to 31 execute the same instruction, are
// not suspended, and let lane 0 go on.
KERNEL lanes_below(u32 *out)
{
	__shared__ volatile u32 done;
	u32 t = threadIdx.x;

	if (t == 0) {
		done = 0;
		bar_warp_sync(~0u);
		while (!done)
			;
		out[0] = match_any(0xffff, 0);
	} else {
		bar_warp_sync(~0u);
		out[t] = match_any(t < 16 ? 0xffff : 0xffff0000, t / 2);
		if (t >= 16)
			done = 1;
	}
}

KERNEL check_lanes_below(const u32 *out)
{
	u32 t = threadIdx.x;

	CHECK_U32("out", t, out[t], 3u << (t & ~1));
}

// The halves of a warp go to different barriers. Each barrier is for all lanes of the warp.
KERNEL half_at_barrier(void)
{
	u32 t = threadIdx.x;

	if (t < 48)
		bar_sync(1, 64);
	else
		bar_sync(2, 64);
}
