// SPDX-License-Identifier: MIT
// The loop of an attention kernel: for each block of keys a product Q * K, an online softmax with
// ex2.approx (PTX 9.7.3.21), and a product with V. A producer warp loads Q once, and the blocks of
// K and V through two rings, each with mbarriers of its own: the second product of a block waits
// only for V. The tensors have three dimensions; the third one is the head. A thread has one query.
#include "pipeline.cuh"

#define QUERIES 64
#define KEYS 16			// of a block
#define DIM 32
#define STAGES 2

struct block {
	float4 rows[KEYS][DIM / 4];
};

KERNEL __launch_bounds__(QUERIES + 32, 1)
attention(const tensor_map q, const tensor_map k, const tensor_map v, float4 *out, u32 keys,
	  float scale)
{
	__shared__ __align__(1024) float4 queries[QUERIES][DIM / 4];
	__shared__ __align__(128) block k_tiles[STAGES], v_tiles[STAGES];
	__shared__ u64 q_full, k_full[STAGES], k_empty[STAGES], v_full[STAGES], v_empty[STAGES];
	u64 map_q = TENSOR_MAP(attention, 0, q), map_k = TENSOR_MAP(attention, 1, k);
	u64 map_v = TENSOR_MAP(attention, 2, v);
	u32 t = threadIdx.x, head = blockIdx.x;

	if (t == 0) {
		mbarrier_init(shared_address(&q_full), 1);
		pipe_init(shared_address(k_full), 1, shared_address(k_empty), QUERIES / 32, STAGES);
		pipe_init(shared_address(v_full), 1, shared_address(v_empty), QUERIES / 32, STAGES);
	}
	__syncthreads();

	if (t >= QUERIES) {
		if (elect_sync()) {
			pipe_state state = { 0, 1 };

			mbarrier_arrive_expect_tx(shared_address(&q_full), sizeof(queries));
			cp_async_bulk_tensor_3d(shared_address(queries), map_q, 0, 0, head,
						shared_address(&q_full));
#pragma unroll 1
			for (u32 at = 0; at < keys; at += KEYS) {
				u32 bar = shared_address(&k_full[state.slot]);

				mbarrier_wait(shared_address(&k_empty[state.slot]), state.phase);
				mbarrier_arrive_expect_tx(bar, sizeof(block));
				cp_async_bulk_tensor_3d(shared_address(&k_tiles[state.slot]), map_k,
							0, at, head, bar);

				bar = shared_address(&v_full[state.slot]);
				mbarrier_wait(shared_address(&v_empty[state.slot]), state.phase);
				mbarrier_arrive_expect_tx(bar, sizeof(block));
				cp_async_bulk_tensor_3d(shared_address(&v_tiles[state.slot]), map_v,
							0, at, head, bar);
				state.next(STAGES);
			}
		}
		return;
	}

	float4 own[DIM / 4], o[DIM / 4] = {};
	float largest = -__builtin_inff(), total = 0;
	pipe_state state = { 0, 0 };

	// 128-byte swizzle: the number of a 16-byte chunk xor the row's number
	mbarrier_wait(shared_address(&q_full), 0);
#pragma unroll
	for (u32 i = 0; i < DIM / 4; i++)
		own[i] = queries[t][i ^ (t & 7)];

#pragma unroll 1
	for (u32 at = 0; at < keys; at += KEYS) {
		float s[KEYS], before = largest;

		mbarrier_wait(shared_address(&k_full[state.slot]), state.phase);
#pragma unroll
		for (u32 j = 0; j < KEYS; j++) {
			s[j] = 0;
#pragma unroll
			for (u32 i = 0; i < DIM / 4; i++) {
				float4 key = k_tiles[state.slot].rows[j][i];

				s[j] = __builtin_fmaf(own[i].x, key.x, s[j]);
				s[j] = __builtin_fmaf(own[i].y, key.y, s[j]);
				s[j] = __builtin_fmaf(own[i].z, key.z, s[j]);
				s[j] = __builtin_fmaf(own[i].w, key.w, s[j]);
			}
		}
		bar_warp_sync(~0u);
		if (laneid() == 0)
			mbarrier_arrive(shared_address(&k_empty[state.slot]));

#pragma unroll
		for (u32 j = 0; j < KEYS; j++) {
			s[j] *= scale;
			largest = __builtin_fmaxf(largest, s[j]);
		}

		// What has been added up so far is scaled to the new maximum.
		float correction = ex2_approx(before - largest);

		total *= correction;
#pragma unroll
		for (u32 i = 0; i < DIM / 4; i++) {
			o[i].x *= correction;
			o[i].y *= correction;
			o[i].z *= correction;
			o[i].w *= correction;
		}

		mbarrier_wait(shared_address(&v_full[state.slot]), state.phase);
#pragma unroll
		for (u32 j = 0; j < KEYS; j++) {
			float p = ex2_approx(s[j] - largest);

			total += p;
#pragma unroll
			for (u32 i = 0; i < DIM / 4; i++) {
				float4 value = v_tiles[state.slot].rows[j][i];

				o[i].x = __builtin_fmaf(p, value.x, o[i].x);
				o[i].y = __builtin_fmaf(p, value.y, o[i].y);
				o[i].z = __builtin_fmaf(p, value.z, o[i].z);
				o[i].w = __builtin_fmaf(p, value.w, o[i].w);
			}
		}
		bar_warp_sync(~0u);
		if (laneid() == 0)
			mbarrier_arrive(shared_address(&v_empty[state.slot]));
		state.next(STAGES);
	}

	float one = 1.0f / total;

	out += (head * QUERIES + t) * (DIM / 4);
#pragma unroll
	for (u32 i = 0; i < DIM / 4; i++)
		out[i] = float4 { o[i].x * one, o[i].y * one, o[i].z * one, o[i].w * one };
}

// 2 to the power of @x, at most 0: a polynomial for the fraction, the exponent's bits for the rest
static __device__ float power_of_two(float x)
{
	if (x < -120.0f)
		return 0.0f;

	s32 whole = (s32)x - 1;
	float f = x - (float)whole;		// 0 < f <= 1
	float y = f - 0.5f, e = 1.0f, sum = 1.0f;

	// The series of e to the power of z converges fast for z below 0.35.
	for (u32 i = 1; i < 10; i++) {
		e *= y * 0.693147180559945f / (float)i;
		sum += e;
	}
	return sum * 1.4142135623731f * __builtin_bit_cast(float, (whole + 127) << 23);
}

// One CTA for each head, one thread for each query, and the softmax in two passes
KERNEL check(const float4 *q, const float4 *k, const float *v, const float *out, u32 keys,
	     float scale)
{
	float largest = -__builtin_inff(), total = 0, o[DIM] = {};
	u32 query = blockIdx.x * QUERIES + threadIdx.x;

	q += query * (DIM / 4);
	k += blockIdx.x * keys * (DIM / 4);
	v += blockIdx.x * keys * DIM;
	for (u32 pass = 0; pass < 2; pass++) {
#pragma unroll 1
		for (u32 j = 0; j < keys; j++) {
			float s = 0, p;

			for (u32 i = 0; i < DIM / 4; i++) {
				float4 x = q[i], y = k[j * (DIM / 4) + i];

				s += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
			}
			s *= scale;
			if (pass == 0) {
				largest = s > largest ? s : largest;
				continue;
			}
			p = power_of_two(s - largest);
			total += p;
			for (u32 i = 0; i < DIM; i++)
				o[i] += p * v[j * DIM + i];
		}
	}
	for (u32 i = 0; i < DIM; i++)
		CHECK_NEAR("out", query * DIM + i, out[query * DIM + i], o[i] / total, 1e-5f);
}
