/* SPDX-License-Identifier: MIT */
/* The attributes of CUDA C, types, special registers, addresses and kernel parameters */
#ifndef VSM_BASE_CUH
#define VSM_BASE_CUH

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define __noinline__ __attribute__((noinline))

/* A kernel whose name in the PTX is its name in the source */
#define KERNEL extern "C" __global__ void
#define PTX static __device__ inline __attribute__((always_inline, nodebug))

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;

struct __align__(8) float2 { float x, y; };
struct __align__(16) float4 { float x, y, z, w; };
struct __align__(8) uint2 { u32 x, y; };
struct __align__(16) uint4 { u32 x, y, z, w; };

/* A function for an instruction without operands */
#define VSM_PLAIN(name, text) PTX void name(void) { asm volatile(text ::: "memory"); }

/* ---- Special registers ---- */

#define VSM_SPECIAL(field, reg)								\
	__declspec(property(get = get_##field)) u32 field;				\
	static __device__ inline __attribute__((always_inline, nodebug))		\
	u32 get_##field(void)								\
	{										\
		return __nvvm_read_ptx_sreg_##reg##_##field();				\
	}
#define VSM_SPECIALS(name, reg)								\
	struct vsm_##reg {								\
		VSM_SPECIAL(x, reg)							\
		VSM_SPECIAL(y, reg)							\
		VSM_SPECIAL(z, reg)							\
	};										\
	extern const __device__ vsm_##reg name

VSM_SPECIALS(threadIdx, tid);
VSM_SPECIALS(blockDim, ntid);
VSM_SPECIALS(blockIdx, ctaid);
VSM_SPECIALS(gridDim, nctaid);

#define VSM_SREG(name, sreg)								\
	PTX u32 name(void)								\
	{										\
		u32 value;								\
											\
		asm volatile("mov.u32 %0, %%" sreg ";" : "=r"(value));			\
		return value;								\
	}

VSM_SREG(laneid, "laneid")
VSM_SREG(lanemask_lt, "lanemask_lt")
VSM_SREG(lanemask_ge, "lanemask_ge")
VSM_SREG(smid, "smid")
VSM_SREG(clusterid_x, "clusterid.x")
VSM_SREG(nclusterid_x, "nclusterid.x")
VSM_SREG(cluster_ctaid_x, "cluster_ctaid.x")
VSM_SREG(cluster_nctaid_x, "cluster_nctaid.x")
VSM_SREG(cluster_ctarank, "cluster_ctarank")
VSM_SREG(cluster_nctarank, "cluster_nctarank")
VSM_SREG(dynamic_smem_size, "dynamic_smem_size")

PTX u64 clock64(void)
{
	u64 value;

	asm volatile("mov.u64 %0, %%clock64;" : "=l"(value) :: "memory");
	return value;
}

PTX u64 globaltimer(void)
{
	u64 value;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value) :: "memory");
	return value;
}

/* ---- Addresses and parameters ---- */

/* The address of @p, a pointer to shared memory, within the CTA's window */
PTX u32 shared_address(const void *p)
{
	return (u32)(u64)(__attribute__((address_space(3))) const void *)p;
}

/* The shared::cluster address of what is at @address in the window of CTA @rank */
PTX u32 mapa(u32 address, u32 rank)
{
	u32 remote;

	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
		     : "=r"(remote) : "r"(address), "r"(rank));
	return remote;
}

/* The generic address of what is at @p, a pointer to shared memory, in the window of CTA @rank */
template<typename T> PTX T *mapa_generic(T *p, u32 rank)
{
	u64 remote;

	asm volatile("mapa.u64 %0, %1, %2;" : "=l"(remote) : "l"(p), "r"(rank));
	return (T *)remote;
}

/* A tensor map, as a kernel gets it by value. TENSOR_MAP() says where it is. */
struct __align__(64) tensor_map { u64 opaque[16]; };

/*
 * The address of @map, which is parameter number @index of @kernel. CUDA calls such a parameter a
 * __grid_constant__. clang 19 does not know that attribute; without this macro it copies the
 * map to local memory, where no tensor copy can use it.
 */
#define TENSOR_MAP(kernel, index, map) ({						\
	u64 tensor_map_;								\
	(void)sizeof(map);								\
	asm volatile("{\n\t"								\
		     ".reg .b64 t;\n\t"							\
		     "mov.b64 t, " #kernel "_param_" #index ";\n\t"			\
		     "cvta.param.u64 %0, t;\n\t"					\
		     "}" : "=l"(tensor_map_));						\
	tensor_map_; })

#endif /* VSM_BASE_CUH */
