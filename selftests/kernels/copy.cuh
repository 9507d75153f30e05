/* SPDX-License-Identifier: MIT */
/* The asynchronous copies, stores and reductions */
#ifndef VSM_COPY_CUH
#define VSM_COPY_CUH

#include "base.cuh"

/* ---- Non-bulk copies: PTX 9.7.9.25.3 ---- */

PTX void cp_async_16(u32 dst, const void *src)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(dst), "l"(src) : "memory");
}

/* Copy @bytes bytes and fill up to 16 with zeros */
PTX void cp_async_16(u32 dst, const void *src, u32 bytes)
{
	asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;"
		     :: "r"(dst), "l"(src), "r"(bytes) : "memory");
}

PTX void cp_async_8(u32 dst, const void *src)
{
	asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" :: "r"(dst), "l"(src) : "memory");
}

PTX void cp_async_4(u32 dst, const void *src)
{
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(dst), "l"(src) : "memory");
}

VSM_PLAIN(cp_async_commit_group, "cp.async.commit_group;")
VSM_PLAIN(cp_async_wait_all, "cp.async.wait_all;")

template<int N> PTX void cp_async_wait_group(void)
{
	asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory");
}

PTX void cp_async_mbarrier_arrive(u32 bar)
{
	asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" :: "r"(bar) : "memory");
}

/* libcu++ writes no state space, and the assembler accepts that */
PTX void cp_async_mbarrier_arrive_noinc(u32 bar)
{
	asm volatile("cp.async.mbarrier.arrive.noinc.b64 [%0];" :: "r"(bar) : "memory");
}

/* ---- Bulk copies: PTX 9.7.9.25.4 ---- */

PTX void cp_async_bulk_g2s(u32 dst, const void *src, u32 bytes, u32 bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
		     "[%0], [%1], %2, [%3];"
		     :: "r"(dst), "l"(src), "r"(bytes), "r"(bar) : "memory");
}

/* Copy to the same place in the windows of all CTAs of @mask */
PTX void cp_async_bulk_g2s_multicast(u32 dst, const void *src, u32 bytes, u32 bar, u16 mask)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
		     ".multicast::cluster [%0], [%1], %2, [%3], %4;"
		     :: "r"(dst), "l"(src), "r"(bytes), "r"(bar), "h"(mask) : "memory");
}

PTX void cp_async_bulk_s2g(void *dst, u32 src, u32 bytes)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
		     :: "l"(dst), "r"(src), "r"(bytes) : "memory");
}

/* @dst and @bar are in one CTA's window, which may be another CTA's */
PTX void cp_async_bulk_s2s(u32 dst, u32 src, u32 bytes, u32 bar)
{
	asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
		     "[%0], [%1], %2, [%3];"
		     :: "r"(dst), "r"(src), "r"(bytes), "r"(bar) : "memory");
}

PTX void cp_reduce_async_bulk_s2g_add_u32(void *dst, u32 src, u32 bytes)
{
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;"
		     :: "l"(dst), "r"(src), "r"(bytes) : "memory");
}

PTX void cp_reduce_async_bulk_s2g_add_f32(void *dst, u32 src, u32 bytes)
{
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;"
		     :: "l"(dst), "r"(src), "r"(bytes) : "memory");
}

PTX void cp_reduce_async_bulk_s2s_add_u32(u32 dst, u32 src, u32 bytes, u32 bar)
{
	asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta"
		     ".mbarrier::complete_tx::bytes.add.u32 [%0], [%1], %2, [%3];"
		     :: "r"(dst), "r"(src), "r"(bytes), "r"(bar) : "memory");
}

PTX void cp_async_bulk_prefetch(const void *src, u32 bytes)
{
	asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
		     :: "l"(src), "r"(bytes) : "memory");
}

VSM_PLAIN(cp_async_bulk_commit_group, "cp.async.bulk.commit_group;")

template<int N> PTX void cp_async_bulk_wait_group(void)
{
	asm volatile("cp.async.bulk.wait_group %0;" :: "n"(N) : "memory");
}

template<int N> PTX void cp_async_bulk_wait_group_read(void)
{
	asm volatile("cp.async.bulk.wait_group.read %0;" :: "n"(N) : "memory");
}

/* ---- Tensor copies: PTX 9.7.9.25.5 ---- */

PTX void prefetch_tensormap(u64 map)
{
	asm volatile("prefetch.tensormap [%0];" :: "l"(map) : "memory");
}

PTX void cp_async_bulk_tensor_1d(u32 dst, u64 map, s32 x, u32 bar)
{
	asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
		     "[%0], [%1, {%2}], [%3];"
		     :: "r"(dst), "l"(map), "r"(x), "r"(bar) : "memory");
}

PTX void cp_async_bulk_tensor_2d(u32 dst, u64 map, s32 x, s32 y, u32 bar)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
		     "[%0], [%1, {%2, %3}], [%4];"
		     :: "r"(dst), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
}

PTX void cp_async_bulk_tensor_3d(u32 dst, u64 map, s32 x, s32 y, s32 z, u32 bar)
{
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
		     "[%0], [%1, {%2, %3, %4}], [%5];"
		     :: "r"(dst), "l"(map), "r"(x), "r"(y), "r"(z), "r"(bar) : "memory");
}

PTX void cp_async_bulk_tensor_2d_multicast(u32 dst, u64 map, s32 x, s32 y, u32 bar, u16 mask)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
		     ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
		     :: "r"(dst), "l"(map), "r"(x), "r"(y), "r"(bar), "h"(mask) : "memory");
}

/* The same load with a cache hint from createpolicy() */
PTX void cp_async_bulk_tensor_2d_hint(u32 dst, u64 map, s32 x, s32 y, u32 bar, u64 policy)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
		     ".L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;"
		     :: "r"(dst), "l"(map), "r"(x), "r"(y), "r"(bar), "l"(policy) : "memory");
}

PTX void cp_async_bulk_tensor_2d_s2g(u64 map, s32 x, s32 y, u32 src)
{
	asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
		     :: "l"(map), "r"(x), "r"(y), "r"(src) : "memory");
}

PTX void cp_reduce_async_bulk_tensor_2d_add(u64 map, s32 x, s32 y, u32 src)
{
	asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group "
		     "[%0, {%1, %2}], [%3];"
		     :: "l"(map), "r"(x), "r"(y), "r"(src) : "memory");
}

PTX void cp_async_bulk_prefetch_tensor_2d(u64 map, s32 x, s32 y)
{
	asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {%1, %2}];"
		     :: "l"(map), "r"(x), "r"(y) : "memory");
}

/* Change a tensor map in shared memory. The next three functions are for one thread. */
PTX void tensormap_replace_address(u32 map, const void *address)
{
	asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;"
		     :: "r"(map), "l"(address) : "memory");
}

template<int N> PTX void tensormap_replace_dim(u32 map, u32 elements)
{
	asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], %1, %2;"
		     :: "r"(map), "n"(N), "r"(elements) : "memory");
}

template<int N> PTX void tensormap_replace_stride(u32 map, u64 bytes)
{
	asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], %1, %2;"
		     :: "r"(map), "n"(N), "l"(bytes) : "memory");
}

/* Copy a map from shared to global memory. All threads of a warp execute it. */
PTX void tensormap_cp_fenceproxy(u64 global, u32 map)
{
	asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic"
		     ".release.gpu.sync.aligned [%0], [%1], 128;"
		     :: "l"(global), "r"(map) : "memory");
}

PTX void fence_proxy_tensormap_acquire(u64 map)
{
	asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;"
		     :: "l"(map) : "memory");
}

PTX u64 createpolicy_evict_first(void)
{
	u64 policy;

	asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
	return policy;
}

/* ---- Asynchronous stores and reductions: PTX 9.7.9.12, 9.7.13.7 ---- */

PTX void st_async(u32 dst, u32 value, u32 bar)
{
	asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
		     :: "r"(dst), "r"(value), "r"(bar) : "memory");
}

PTX void st_async(u32 dst, uint4 v, u32 bar)
{
	asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
		     "[%0], {%1, %2, %3, %4}, [%5];"
		     :: "r"(dst), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "r"(bar) : "memory");
}

PTX void red_async_add(u32 dst, u32 value, u32 bar)
{
	asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes"
		     ".add.u32 [%0], %1, [%2];" :: "r"(dst), "r"(value), "r"(bar) : "memory");
}

PTX void red_async_max(u32 dst, s32 value, u32 bar)
{
	asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes"
		     ".max.s32 [%0], %1, [%2];" :: "r"(dst), "r"(value), "r"(bar) : "memory");
}

#endif /* VSM_COPY_CUH */
