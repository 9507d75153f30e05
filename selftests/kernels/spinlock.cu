// SPDX-License-Identifier: MIT
// Atomic operations on global memory (PTX 9.7.13.5) and locks made of them. All threads of a warp
// compete for the lock: a lane that has it must run on while the other lanes spin. One thread
// waits for a flag that another CTA sets with st.release.
#include "vsm.cuh"

struct counters {
	u32 lock, value, tickets, serving, value2, flag, message, seen;
};

__device__ u32 cleared = ~0u;

KERNEL spinlock(counters *c, u32 times)
{
#pragma unroll 1
	for (u32 i = 0; i < times; i++) {
		bool done = false;

		// The lock is taken and released in the loop's body: no lane waits for a lane that
		// has left the loop.
		while (!done) {
			if (atom_cas_acquire_gpu(&c->lock, 0, 1) == 0) {
				u32 v = *(volatile u32 *)&c->value;

				*(volatile u32 *)&c->value = v + 1;
				atom_exch_release_gpu(&c->lock, 0);
				done = true;
			}
		}
	}
	// A lock with tickets: threads get it in the order of their tickets. Here the lanes leave
	// the loop one at a time and release the lock behind it.
	u32 ticket = atom_add_acq_rel_gpu(&c->tickets, 1);

	while (ld_acquire_gpu(&c->serving) != ticket)
		nanosleep(20);
	c->value2 = *(volatile u32 *)&c->value2 * 3 + 1;
	red_release_gpu_add(&c->serving, 1);
}

// CTA 0 waits for CTA 1.
KERNEL message(counters *c)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 1) {
		*(volatile u32 *)&c->message = 4711;
		st_release_gpu(&c->flag, 1);
	} else {
		while (ld_acquire_gpu(&c->flag) == 0)
			;
		c->seen = *(volatile u32 *)&c->message;
	}
}

#define ATOM(type, name, order, suffix, reg)						\
	PTX type name(type *p, type v)							\
	{										\
		type old;								\
											\
		asm volatile("atom." order suffix " %0, [%1], %2;"			\
			     : "=" reg(old) : "l"(p), reg(v) : "memory");		\
		return old;								\
	}

ATOM(u32, atom_inc, "global.inc", ".u32", "r")
ATOM(u32, atom_dec, "global.dec", ".u32", "r")
ATOM(u32, atom_and, "global.and", ".b32", "r")
ATOM(u32, atom_or, "relaxed.cta.global.or", ".b32", "r")
ATOM(u32, atom_xor, "relaxed.gpu.global.xor", ".b32", "r")
ATOM(s32, atom_min, "global.min", ".s32", "r")
ATOM(u64, atom_max, "global.max", ".u64", "l")
ATOM(u64, atom_add64, "acq_rel.sys.global.add", ".u64", "l")
ATOM(float, atom_addf, "global.add", ".f32", "f")

// The same operations of all threads on the same words; the sum does not depend on the order.
KERNEL atomics(u32 *w, u64 *d, float *f, u32 *tickets)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;

	atom_inc(&w[0], 9);
	atom_dec(&w[1], 6);
	atom_and(&cleared, ~(1u << i % 24));
	atom_or(&w[2], 1u << i % 16);
	atom_xor(&w[3], i);
	atom_min((s32 *)&w[4], 50 - (s32)i);
	atom_max(&d[0], (u64)i << 33);
	atom_add64(&d[1], (u64)i << 31);
	atom_addf(f, 0.5f);
	__nvvm_atom_add_gen_f(f + 1, 0.25f);

	// Each value of the counter is returned once.
	tickets[__nvvm_atom_add_gen_i((int *)&w[5], 1)] += 1;

	// A shared counter, added to the global one
	__shared__ u32 count;

	if (threadIdx.x == 0)
		count = 0;
	__syncthreads();
	__nvvm_atom_add_gen_i((int *)&count, 2);
	__syncthreads();
	if (threadIdx.x == 0)
		__nvvm_atom_add_gen_i((int *)&w[6], count);
}

KERNEL check(const counters *c, const u32 *w, const u64 *d, const float *f, const u32 *tickets,
	     u32 threads, u32 times)
{
	u32 value2 = 0, inc = 0, dec = 0, exor = 0;
	u64 sum = 0;

	for (u32 i = 0; i < threads; i++) {
		value2 = value2 * 3 + 1;
		inc = inc >= 9 ? 0 : inc + 1;
		dec = dec == 0 || dec > 6 ? 6 : dec - 1;
		exor ^= i;
		sum += (u64)i << 31;
		CHECK_U32("tickets", i, tickets[i], 1);
	}
	CHECK_U32("value", 0, c->value, threads * times);
	CHECK_U32("value2", 0, c->value2, value2);
	CHECK_U32("seen", 0, c->seen, 4711);
	CHECK_U32("inc", 0, w[0], inc);
	CHECK_U32("dec", 0, w[1], dec);
	CHECK_U32("and", 0, cleared, 0xff000000);
	CHECK_U32("or", 0, w[2], 0xffff);
	CHECK_U32("xor", 0, w[3], exor);
	CHECK_U32("min", 0, w[4], 51 - threads);
	CHECK_U32("max", 0, d[0] >> 33, threads - 1);
	CHECK_U32("add64 low", 0, (u32)d[1], (u32)sum);
	CHECK_U32("add64 high", 0, d[1] >> 32, sum >> 32);
	CHECK_F32("float", 0, f[0], 0.5f * threads);
	CHECK_F32("float", 1, f[1], 0.25f * threads);
	CHECK_U32("counter", 0, w[5], threads);
	CHECK_U32("shared", 0, w[6], 2 * threads);
}
