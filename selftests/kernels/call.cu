// SPDX-License-Identifier: MIT
// Functions that are called (PTX 9.7.12.5): parameters and results of several sizes, structures by
// value, results through a pointer to local memory, recursion with a depth of its own for each
// lane, and two functions that call each other.
#include "vsm.cuh"

struct range {
	u32 first;
	u64 step;
	u8 count;
};

struct result {
	u64 sum;
	u32 last;
};

static __device__ __noinline__ result sum_of(range r)
{
	result out = { 0, r.first };

#pragma unroll 1
	for (u8 i = 0; i < r.count; i++) {
		out.sum += out.last;
		out.last += (u32)r.step;
	}
	return out;
}

static __device__ __noinline__ u32 fibonacci(u32 n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static __device__ __noinline__ void halves(float v, double *low, float *high)
{
	*low = v * 0.5;
	*high = v * 1.5f;
}

static __device__ __noinline__ bool is_odd(u32 n);

static __device__ __noinline__ bool is_even(u32 n)
{
	return n == 0 ? true : is_odd(n - 1);
}

static __device__ __noinline__ bool is_odd(u32 n)
{
	volatile u32 keep = n;		// keeps the call from becoming a loop

	return keep == 0 ? false : is_even(keep - 1) && keep == n;
}

KERNEL call(u32 *fib, u64 *sums, u32 *lasts, float *floats, u32 *even)
{
	u32 i = threadIdx.x;
	result r = sum_of(range { i, i * 3, (u8)(i & 7) });
	double low;
	float high;

	fib[i] = fibonacci(i % 11);
	sums[i] = r.sum;
	lasts[i] = r.last;
	halves((float)i, &low, &high);
	floats[i] = (float)low + high;
	even[i] = is_even(i % 19);
}

KERNEL check(const u32 *fib, const u64 *sums, const u32 *lasts, const float *floats,
	     const u32 *even)
{
	u32 i = threadIdx.x, a = 0, b = 1, last = i;
	u64 sum = 0;

	for (u32 k = 0; k < i % 11; k++) {
		u32 next = a + b;

		a = b;
		b = next;
	}
	for (u32 k = 0; k < (i & 7); k++) {
		sum += last;
		last += i * 3;
	}
	CHECK_U32("fib", i, fib[i], a);
	CHECK_U32("sums", i, (u32)sums[i], (u32)sum);
	CHECK_U32("lasts", i, lasts[i], last);
	CHECK_F32("floats", i, floats[i], (float)i * 2);
	CHECK_U32("even", i, even[i], i % 19 % 2 == 0);
}
