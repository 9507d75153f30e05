// SPDX-License-Identifier: MIT
// The state spaces (PTX 5.1) and generic addresses: constants, variables with initialisers and with
// pointers to other variables, local arrays, static and dynamic shared memory; loads and stores of
// 1 to 16 bytes, signed and unsigned, volatile, with cache operators, and through pointers of which
// only the thread knows where they point (isspacep, cvta).
#include "vsm.cuh"

__constant__ u32 primes[8] = { 2, 3, 5, 7, 11, 13, 17, 19 };
__constant__ signed char steps[4] = { -1, 2, -3, 4 };
__device__ u16 halves[5] = { 1, 20, 300, 4000, 50000 };
__device__ float origin[2] = { 0.5f, -1.25f };
__device__ double precise = 0.1;

struct node {
	const node *next;
	const u16 *half;
	u32 value;
};

extern __device__ node third;
__device__ node first = { &third, &halves[1], 100 };
__device__ node second = { nullptr, &halves[4], 300 };
__device__ node third = { &second, &halves[3], 200 };

struct __align__(4) mixed {
	u8 a;
	signed char b;
	short c;
	u16 d;
	u8 e[3];
};

static __device__ u32 walk(const node *n)
{
	u32 sum = 0;

#pragma unroll 1
	for (; n; n = n->next)
		sum = sum * 2 + n->value + *n->half;
	return sum;
}

// Where the pointer leads differs between the lanes.
static __device__ __noinline__ u32 through(u32 *p)
{
	return *p + (__nvvm_isspacep_shared(p) ? 1000 : __nvvm_isspacep_local(p) ? 2000 :
		     __nvvm_isspacep_global(p) ? 3000 : 4000);
}

KERNEL memory(u32 *out, mixed *records, uint4 *vectors, u32 dynamic_words)
{
	extern __shared__ u32 dynamic[];
	__shared__ u32 fixed[64];
	u32 t = threadIdx.x, local[9];

	// A local array with an index that only the thread knows
#pragma unroll 1
	for (u32 i = 0; i < 9; i++)
		local[i * (t | 1) % 9] = i + t;
	fixed[t] = 10 * t;
	for (u32 i = t; i < dynamic_words; i += blockDim.x)
		dynamic[i] = 7 * i;
	__syncthreads();

	u32 *place = t % 3 == 0 ? &fixed[t ^ 1] : t % 3 == 1 ? &local[0] : &out[256 + t];

	out[t] = through(place);
	out[64 + t] = primes[t % 8] + steps[t % 4] + walk(&first) + halves[t % 5];
	out[128 + t] = dynamic[dynamic_words - 1 - t];
	out[192 + t] = (u32)(s32)(origin[t & 1] * 8) + (u32)(precise * 1000 * t);

	mixed *r = &records[t];

	r->a = t;
	r->b = -(s32)t;
	r->c = -3 * (s32)t;
	*(volatile u16 *)&r->d = 1000 * t;
	for (u32 i = 0; i < 3; i++)
		r->e[i] = r->b + r->c + r->d + i;

	uint4 v;
	u32 first, last;

	asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
		     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(&vectors[t]));
	asm volatile("ld.global.cv.u32 %0, [%1];" : "=r"(first) : "l"(&vectors[t].x));
	asm volatile("ld.volatile.global.v2.u32 {_, %0}, [%1];" : "=r"(last) : "l"(&vectors[t].z));
	asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};"
		     :: "l"(&vectors[64 + t].x), "r"(v.w), "r"(v.z) : "memory");
	*(float2 *)&vectors[64 + t].z = float2 { (float)first, (float)(last & 0xffff) };
}

KERNEL check(const u32 *out, const u8 *bytes, const u32 *vectors, u32 dynamic_words)
{
	u32 t = threadIdx.x, local0 = t, sum = 0;
	const u32 prime[8] = { 2, 3, 5, 7, 11, 13, 17, 19 }, half[5] = { 1, 20, 300, 4000, 50000 };
	const s32 step[4] = { -1, 2, -3, 4 };

	for (u32 i = 0; i < 9; i++)
		if (i * (t | 1) % 9 == 0)
			local0 = i + t;
	CHECK_U32("through", t, out[t], t % 3 == 0 ? 10 * (t ^ 1) + 1000 :
		  t % 3 == 1 ? local0 + 2000 : 3000);

	sum = ((100 + 20) * 2 + 200 + 4000) * 2 + 300 + 50000;
	CHECK_U32("constants", t, out[64 + t], prime[t % 8] + step[t % 4] + sum + half[t % 5]);
	CHECK_U32("dynamic", t, out[128 + t], 7 * (dynamic_words - 1 - t));
	CHECK_U32("floats", t, out[192 + t], (t & 1 ? -10 : 4) + t * 100);

	bytes += 12 * t;
	CHECK_U32("a", t, bytes[0], t);
	CHECK_U32("b", t, bytes[1], -t & 0xff);
	CHECK_U32("c", t, bytes[2] | bytes[3] << 8, -3 * t & 0xffff);
	CHECK_U32("d", t, bytes[4] | bytes[5] << 8, 1000 * t & 0xffff);
	for (u32 i = 0; i < 3; i++)
		CHECK_U32("e", t, bytes[6 + i], (-4 * t + 1000 * t + i) & 0xff);

	const u32 *v = vectors + 4 * t, *w = vectors + 4 * (64 + t);

	CHECK_U32("x", t, w[0], v[3]);
	CHECK_U32("y", t, w[1], v[2]);
	CHECK_F32("z", t, __builtin_bit_cast(float, w[2]), (float)v[0]);
	CHECK_F32("w", t, __builtin_bit_cast(float, w[3]), (float)(v[3] & 0xffff));
}
