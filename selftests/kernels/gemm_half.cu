// SPDX-License-Identifier: MIT
// Matrix products of 16-bit floats, C = A * transposed B, as tensor cores take their operands: the
// rows of A and of B lie along K. The loads use 128-byte swizzle. A first kernel rounds f32 to bf16
// or f16 (cvt.rn, PTX 9.7.9.21); the consumers widen to f32 and use fma.
#include "pipeline.cuh"

#define CONSUMERS 128
#define STAGES 2
#define TILE 64
#define TILE_K 64		// 128 bytes, one row of the swizzle

struct bf16 {
	static __device__ u16 from(float v) { return f32_to_bf16(v); }
	static __device__ float low(u32 pair) { return __builtin_bit_cast(float, pair << 16); }
	static __device__ float high(u32 pair)
	{
		return __builtin_bit_cast(float, pair & 0xffff0000);
	}
};

struct f16 {
	static __device__ u16 from(float v) { return f32_to_f16(v); }
	static __device__ float low(u32 pair) { return f16_to_f32(pair); }
	static __device__ float high(u32 pair) { return f16_to_f32(pair >> 16); }
};

struct stage {
	uint4 a[TILE][TILE_K / 8];
	uint4 b[TILE][TILE_K / 8];
};

template<typename HALF>
static __device__ __attribute__((always_inline))
void widen(float *out, uint4 v)
{
	out[0] = HALF::low(v.x);
	out[1] = HALF::high(v.x);
	out[2] = HALF::low(v.y);
	out[3] = HALF::high(v.y);
	out[4] = HALF::low(v.z);
	out[5] = HALF::high(v.z);
	out[6] = HALF::low(v.w);
	out[7] = HALF::high(v.w);
}

template<typename HALF>
static __device__ __attribute__((always_inline))
void run(u64 map_a, u64 map_b, float *c, u32 n, u32 k)
{
	__shared__ __align__(1024) stage tiles[STAGES];
	__shared__ u64 full[STAGES], empty[STAGES];
	u32 t = threadIdx.x, row = blockIdx.y * TILE, column = blockIdx.x * TILE;

	if (t == 0)
		pipe_init(shared_address(full), 1, shared_address(empty), CONSUMERS, STAGES);
	__syncthreads();

	if (t >= CONSUMERS) {
		if (t == CONSUMERS) {
			pipe_state state = { 0, 1 };

#pragma unroll 1
			for (u32 at = 0; at < k; at += TILE_K) {
				u32 bar = shared_address(&full[state.slot]);

				mbarrier_wait(shared_address(&empty[state.slot]), state.phase);
				mbarrier_arrive_expect_tx(bar, sizeof(stage));
				cp_async_bulk_tensor_2d(shared_address(tiles[state.slot].a), map_a,
							at, row, bar);
				cp_async_bulk_tensor_2d(shared_address(tiles[state.slot].b), map_b,
							at, column, bar);
				state.next(STAGES);
			}
		}
		return;
	}

	// A thread has 8 rows that follow each other, and 4 columns at a distance of 16.
	u32 x = t % 16, y = t / 16 * 8;
	float sum[8][4] = {};
	pipe_state state = { 0, 0 };

#pragma unroll 1
	for (u32 at = 0; at < k; at += TILE_K) {
		const stage &s = tiles[state.slot];

		mbarrier_wait(shared_address(&full[state.slot]), state.phase);
#pragma unroll 1
		for (u32 chunk = 0; chunk < TILE_K / 8; chunk++) {
			float w[4][8];

			// The swizzle: the number of a 16-byte chunk xor the row's number
#pragma unroll
			for (u32 j = 0; j < 4; j++)
				widen<HALF>(w[j], s.b[x + 16 * j][chunk ^ (x & 7)]);
#pragma unroll
			for (u32 r = 0; r < 8; r++) {
				float v[8];

				widen<HALF>(v, s.a[y + r][chunk ^ r]);
#pragma unroll
				for (u32 i = 0; i < 8; i++) {
#pragma unroll
					for (u32 j = 0; j < 4; j++)
						sum[r][j] = __builtin_fmaf(v[i], w[j][i],
									   sum[r][j]);
				}
			}
		}
		mbarrier_arrive(shared_address(&empty[state.slot]));
		state.next(STAGES);
	}
#pragma unroll
	for (u32 r = 0; r < 8; r++) {
#pragma unroll
		for (u32 j = 0; j < 4; j++)
			c[(row + y + r) * n + column + x + 16 * j] = sum[r][j];
	}
}

KERNEL __launch_bounds__(CONSUMERS + 32, 1)
gemm_bf16(const tensor_map a, const tensor_map b, float *c, u32 n, u32 k)
{
	run<bf16>(TENSOR_MAP(gemm_bf16, 0, a), TENSOR_MAP(gemm_bf16, 1, b), c, n, k);
}

KERNEL __launch_bounds__(CONSUMERS + 32, 1)
gemm_f16(const tensor_map a, const tensor_map b, float *c, u32 n, u32 k)
{
	run<f16>(TENSOR_MAP(gemm_f16, 0, a), TENSOR_MAP(gemm_f16, 1, b), c, n, k);
}

KERNEL to_bf16(const float *in, u16 *out)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = bf16::from(in[i]);
}

KERNEL to_f16(const float *in, u16 *out)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = f16::from(in[i]);
}

template<typename HALF>
static __device__ __attribute__((always_inline))
void compare(const uint4 *a, const uint4 *b, const float *c, u32 n, u32 k)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	a += i / n * (k / 8);
	b += i % n * (k / 8);
#pragma unroll 1
	for (u32 at = 0; at < k / 8; at++) {
		float v[8], w[8];

		widen<HALF>(v, a[at]);
		widen<HALF>(w, b[at]);
#pragma unroll
		for (u32 e = 0; e < 8; e++)
			sum = __builtin_fmaf(v[e], w[e], sum);
	}
	CHECK_F32("c", i, c[i], sum);
}

KERNEL check_bf16(const uint4 *a, const uint4 *b, const float *c, u32 n, u32 k)
{
	compare<bf16>(a, b, c, n, k);
}

KERNEL check_f16(const uint4 *a, const uint4 *b, const float *c, u32 n, u32 k)
{
	compare<f16>(a, b, c, n, k);
}

// The rounded value must be within half a unit of the last place of the f32 value.
KERNEL check_rounding(const float *in, const u16 *bf, const u16 *f)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;

	CHECK_NEAR("bf16", i, bf16_to_f32(bf[i]), in[i], __builtin_fabsf(in[i]) / 256);
	CHECK_NEAR("f16", i, f16_to_f32(f[i]), in[i], __builtin_fabsf(in[i]) / 2048 + 0x1p-25f);
}
