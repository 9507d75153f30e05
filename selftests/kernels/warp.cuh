/* SPDX-License-Identifier: MIT */
/* The operations of a warp, loads and stores with an order, atomics, small floats */
#ifndef VSM_WARP_CUH
#define VSM_WARP_CUH

#include "base.cuh"

/* ---- Operations of a warp: PTX 9.7.9.6, 9.7.13 ---- */

/* True in one thread of the warp */
PTX bool elect_sync(void)
{
	u32 elected = 0;

	asm volatile("{\n\t"
		     ".reg .b32 %%rx;\n\t"
		     ".reg .pred %%px;\n\t"
		     "elect.sync %%rx|%%px, 0xffffffff;\n\t"
		     "@%%px mov.s32 %0, 1;\n\t"
		     "}" : "+r"(elected));
	return elected;
}

#define VSM_SHFL(name, mode, clamp)							\
	PTX u32 name(u32 mask, u32 value, u32 lane)					\
	{										\
		u32 result;								\
											\
		asm volatile("shfl.sync." mode ".b32 %0, %1, %2, " clamp ", %3;"	\
			     : "=r"(result) : "r"(value), "r"(lane), "r"(mask));	\
		return result;								\
	}

VSM_SHFL(shfl_idx, "idx", "0x1f")
VSM_SHFL(shfl_up, "up", "0")
VSM_SHFL(shfl_down, "down", "0x1f")
VSM_SHFL(shfl_bfly, "bfly", "0x1f")

PTX float shfl_bfly(u32 mask, float value, u32 lane)
{
	return __builtin_bit_cast(float, shfl_bfly(mask, __builtin_bit_cast(u32, value), lane));
}

#define VSM_VOTE(name, mode)								\
	PTX bool name(u32 mask, bool pred)						\
	{										\
		u32 result;								\
											\
		asm volatile("{\n\t"							\
			     ".reg .pred p, q;\n\t"					\
			     "setp.ne.u32 p, %1, 0;\n\t"				\
			     "vote.sync." mode ".pred q, p, %2;\n\t"			\
			     "selp.b32 %0, 1, 0, q;\n\t"				\
			     "}" : "=r"(result) : "r"((u32)pred), "r"(mask));		\
		return result;								\
	}

VSM_VOTE(vote_all, "all")
VSM_VOTE(vote_any, "any")
VSM_VOTE(vote_uni, "uni")

PTX u32 vote_ballot(u32 mask, bool pred)
{
	u32 result;

	asm volatile("{\n\t"
		     ".reg .pred p;\n\t"
		     "setp.ne.u32 p, %1, 0;\n\t"
		     "vote.sync.ballot.b32 %0, p, %2;\n\t"
		     "}" : "=r"(result) : "r"((u32)pred), "r"(mask));
	return result;
}

PTX u32 match_any(u32 mask, u32 value)
{
	u32 result;

	asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));
	return result;
}

PTX u32 match_all(u32 mask, u64 value, bool *all)
{
	u32 result, pred;

	asm volatile("{\n\t"
		     ".reg .pred p;\n\t"
		     "match.all.sync.b64 %0|p, %2, %3;\n\t"
		     "selp.b32 %1, 1, 0, p;\n\t"
		     "}" : "=r"(result), "=r"(pred) : "l"(value), "r"(mask));
	*all = pred;
	return result;
}

PTX u32 redux_add(u32 mask, u32 value)
{
	u32 result;

	asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));
	return result;
}

PTX s32 redux_min(u32 mask, s32 value)
{
	s32 result;

	asm volatile("redux.sync.min.s32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));
	return result;
}

PTX u32 redux_xor(u32 mask, u32 value)
{
	u32 result;

	asm volatile("redux.sync.xor.b32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));
	return result;
}

PTX u32 activemask(void)
{
	u32 mask;

	asm volatile("activemask.b32 %0;" : "=r"(mask) :: "memory");
	return mask;
}

template<int N> PTX void setmaxnreg_inc(void)
{
	asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(N));
}

template<int N> PTX void setmaxnreg_dec(void)
{
	asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(N));
}

PTX void nanosleep(u32 nanoseconds)
{
	asm volatile("nanosleep.u32 %0;" :: "r"(nanoseconds) : "memory");
}

VSM_PLAIN(griddepcontrol_wait, "griddepcontrol.wait;")
VSM_PLAIN(griddepcontrol_launch_dependents, "griddepcontrol.launch_dependents;")

/* ---- Loads, stores and atomics with an order: PTX 9.7.9, 9.7.13.5 ---- */

PTX u32 ld_acquire_gpu(const u32 *p)
{
	u32 value;

	asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
	return value;
}

PTX u32 ld_relaxed_gpu(const u32 *p)
{
	u32 value;

	asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
	return value;
}

PTX void st_release_gpu(u32 *p, u32 value)
{
	asm volatile("st.release.gpu.u32 [%0], %1;" :: "l"(p), "r"(value) : "memory");
}

PTX u32 atom_cas_acquire_gpu(u32 *p, u32 compare, u32 value)
{
	u32 old;

	asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], %2, %3;"
		     : "=r"(old) : "l"(p), "r"(compare), "r"(value) : "memory");
	return old;
}

PTX u32 atom_exch_release_gpu(u32 *p, u32 value)
{
	u32 old;

	asm volatile("atom.release.gpu.exch.b32 %0, [%1], %2;"
		     : "=r"(old) : "l"(p), "r"(value) : "memory");
	return old;
}

PTX u32 atom_add_acq_rel_gpu(u32 *p, u32 value)
{
	u32 old;

	asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], %2;"
		     : "=r"(old) : "l"(p), "r"(value) : "memory");
	return old;
}

PTX void red_release_gpu_add(u32 *p, u32 value)
{
	asm volatile("red.release.gpu.add.u32 [%0], %1;" :: "l"(p), "r"(value) : "memory");
}

PTX u32 ld_shared_cluster(u32 address)
{
	u32 value;

	asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
	return value;
}

PTX void st_shared_cluster(u32 address, u32 value)
{
	asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(address), "r"(value) : "memory");
}

/* ---- Small floats and functions ---- */

PTX float f16_to_f32(u16 value)
{
	float result;

	asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value));
	return result;
}

PTX u16 f32_to_f16(float value)
{
	u16 result;

	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(value));
	return result;
}

PTX float bf16_to_f32(u16 value)
{
	return __builtin_bit_cast(float, (u32)value << 16);
}

PTX u16 f32_to_bf16(float value)
{
	u16 result;

	asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result) : "f"(value));
	return result;
}

PTX float ex2_approx(float value)
{
	float result;

	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
	return result;
}

#endif /* VSM_WARP_CUH */
