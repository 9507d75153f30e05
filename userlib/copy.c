// SPDX-License-Identifier: MIT
/*
 * One function for each copy of PTX, and for waiting for groups of them.
 */
#include "internal.h"

static int issue(const struct vsm_thread *thread, struct drm_vsm_insn insn)
{
	return vsm_execute(thread, insn, NULL);
}

int vsm_thread_cp_async(const struct vsm_thread *thread, uint32_t addr,
			const struct vsm_buffer *buffer, uint64_t offset, uint32_t size,
			unsigned int qual)
{
	return issue(thread, vsm_prep_cp_async(addr, vsm_buffer_handle(buffer), offset, size,
					       qual));
}

int vsm_thread_cp_async_src_size(const struct vsm_thread *thread, uint32_t addr,
				 const struct vsm_buffer *buffer, uint64_t offset, uint32_t size,
				 uint32_t src_size, unsigned int qual)
{
	return issue(thread, vsm_prep_cp_async_src_size(addr, vsm_buffer_handle(buffer), offset,
							size, src_size, qual));
}

int vsm_thread_cp_async_commit_group(const struct vsm_thread *thread)
{
	return issue(thread, vsm_prep_cp_async_commit_group());
}

int vsm_thread_cp_async_wait_group(const struct vsm_thread *thread, uint32_t groups)
{
	return issue(thread, vsm_prep_cp_async_wait_group(groups));
}

int vsm_thread_cp_async_wait_all(const struct vsm_thread *thread)
{
	return issue(thread, vsm_prep_cp_async_wait_all());
}

int vsm_thread_cp_async_bulk_g2s(const struct vsm_thread *thread, uint32_t addr,
				 const struct vsm_buffer *buffer, uint64_t offset, uint32_t size,
				 uint32_t mbar)
{
	return issue(thread, vsm_prep_cp_async_bulk_g2s(addr, vsm_buffer_handle(buffer), offset,
							size, mbar));
}

int vsm_thread_cp_async_bulk_g2s_multicast(const struct vsm_thread *thread, uint32_t addr,
					   const struct vsm_buffer *buffer, uint64_t offset,
					   uint32_t size, uint32_t mbar, uint16_t cta_mask)
{
	return issue(thread, vsm_prep_cp_async_bulk_g2s_multicast(addr, vsm_buffer_handle(buffer),
								  offset, size, mbar, cta_mask));
}

int vsm_thread_cp_async_bulk_s2g(const struct vsm_thread *thread, const struct vsm_buffer *buffer,
				 uint64_t offset, uint32_t addr, uint32_t size)
{
	return issue(thread, vsm_prep_cp_async_bulk_s2g(vsm_buffer_handle(buffer), offset, addr,
							size));
}

int vsm_thread_cp_async_bulk_s2g_mask(const struct vsm_thread *thread,
				      const struct vsm_buffer *buffer, uint64_t offset,
				      uint32_t addr, uint32_t size, uint16_t byte_mask)
{
	return issue(thread, vsm_prep_cp_async_bulk_s2g_mask(vsm_buffer_handle(buffer), offset,
							     addr, size, byte_mask));
}

int vsm_thread_cp_async_bulk_s2s(const struct vsm_thread *thread, uint32_t dst, uint32_t src,
				 uint32_t size, uint32_t mbar)
{
	return issue(thread, vsm_prep_cp_async_bulk_s2s(dst, src, size, mbar));
}

int vsm_thread_cp_async_bulk_prefetch(const struct vsm_thread *thread,
				      const struct vsm_buffer *buffer, uint64_t offset,
				      uint32_t size)
{
	return issue(thread, vsm_prep_cp_async_bulk_prefetch(vsm_buffer_handle(buffer), offset,
							     size));
}

int vsm_thread_cp_async_bulk_commit_group(const struct vsm_thread *thread)
{
	return issue(thread, vsm_prep_cp_async_bulk_commit_group());
}

int vsm_thread_cp_async_bulk_wait_group(const struct vsm_thread *thread, uint32_t groups)
{
	return issue(thread, vsm_prep_cp_async_bulk_wait_group(groups));
}

int vsm_thread_cp_async_bulk_wait_group_read(const struct vsm_thread *thread, uint32_t groups)
{
	return issue(thread, vsm_prep_cp_async_bulk_wait_group_read(groups));
}

int vsm_thread_cp_reduce_async_bulk_s2g(const struct vsm_thread *thread, enum drm_vsm_red op,
					enum drm_vsm_type type, const struct vsm_buffer *buffer,
					uint64_t offset, uint32_t addr, uint32_t size)
{
	return issue(thread, vsm_prep_cp_reduce_async_bulk_s2g(op, type, vsm_buffer_handle(buffer),
							       offset, addr, size));
}

int vsm_thread_cp_reduce_async_bulk_s2s(const struct vsm_thread *thread, enum drm_vsm_red op,
					enum drm_vsm_type type, uint32_t dst, uint32_t src,
					uint32_t size, uint32_t mbar)
{
	return issue(thread, vsm_prep_cp_reduce_async_bulk_s2s(op, type, dst, src, size, mbar));
}

int vsm_thread_cp_async_bulk_tensor_g2s(const struct vsm_thread *thread, unsigned int dims,
					uint32_t addr, const struct drm_vsm_tensor_map *map,
					const int32_t *coords, uint32_t mbar)
{
	return issue(thread, vsm_prep_cp_async_bulk_tensor_g2s(dims, addr, map, coords, mbar));
}

int vsm_thread_cp_async_bulk_tensor_g2s_multicast(const struct vsm_thread *thread,
						  unsigned int dims, uint32_t addr,
						  const struct drm_vsm_tensor_map *map,
						  const int32_t *coords, uint32_t mbar,
						  uint16_t cta_mask)
{
	return issue(thread, vsm_prep_cp_async_bulk_tensor_g2s_multicast(dims, addr, map, coords,
									 mbar, cta_mask));
}

int vsm_thread_cp_async_bulk_tensor_g2s_im2col(const struct vsm_thread *thread, unsigned int dims,
					       uint32_t addr, const struct drm_vsm_tensor_map *map,
					       const int32_t *coords, uint32_t mbar,
					       const uint16_t *offsets)
{
	return issue(thread, vsm_prep_cp_async_bulk_tensor_g2s_im2col(dims, addr, map, coords, mbar,
								      offsets));
}

int vsm_thread_cp_async_bulk_tensor_g2s_im2col_multicast(const struct vsm_thread *thread,
							 unsigned int dims, uint32_t addr,
							 const struct drm_vsm_tensor_map *map,
							 const int32_t *coords, uint32_t mbar,
							 const uint16_t *offsets, uint16_t cta_mask)
{
	return issue(thread, vsm_prep_cp_async_bulk_tensor_g2s_im2col_multicast(dims, addr, map,
										coords, mbar,
										offsets, cta_mask));
}

int vsm_thread_cp_async_bulk_tensor_s2g(const struct vsm_thread *thread, unsigned int dims,
					const struct drm_vsm_tensor_map *map,
					const int32_t *coords, uint32_t addr)
{
	return issue(thread, vsm_prep_cp_async_bulk_tensor_s2g(dims, map, coords, addr));
}

int vsm_thread_cp_async_bulk_tensor_s2g_im2col(const struct vsm_thread *thread, unsigned int dims,
					       const struct drm_vsm_tensor_map *map,
					       const int32_t *coords, uint32_t addr)
{
	return issue(thread, vsm_prep_cp_async_bulk_tensor_s2g_im2col(dims, map, coords, addr));
}

int vsm_thread_cp_reduce_async_bulk_tensor(const struct vsm_thread *thread, enum drm_vsm_red op,
					   unsigned int dims, const struct drm_vsm_tensor_map *map,
					   const int32_t *coords, uint32_t addr)
{
	return issue(thread, vsm_prep_cp_reduce_async_bulk_tensor(op, dims, map, coords, addr));
}

int vsm_thread_cp_reduce_async_bulk_tensor_im2col(const struct vsm_thread *thread,
						  enum drm_vsm_red op, unsigned int dims,
						  const struct drm_vsm_tensor_map *map,
						  const int32_t *coords, uint32_t addr)
{
	return issue(thread, vsm_prep_cp_reduce_async_bulk_tensor_im2col(op, dims, map, coords,
									 addr));
}

int vsm_thread_cp_async_bulk_prefetch_tensor(const struct vsm_thread *thread, unsigned int dims,
					     const struct drm_vsm_tensor_map *map,
					     const int32_t *coords)
{
	return issue(thread, vsm_prep_cp_async_bulk_prefetch_tensor(dims, map, coords));
}

int vsm_thread_cp_async_bulk_prefetch_tensor_im2col(const struct vsm_thread *thread,
						    unsigned int dims,
						    const struct drm_vsm_tensor_map *map,
						    const int32_t *coords, const uint16_t *offsets)
{
	return issue(thread, vsm_prep_cp_async_bulk_prefetch_tensor_im2col(dims, map, coords,
									   offsets));
}

int vsm_thread_st_async(const struct vsm_thread *thread, uint32_t size, uint32_t addr,
			const void *value, uint32_t mbar, unsigned int qual)
{
	return issue(thread, vsm_prep_st_async(size, addr, value, mbar, qual));
}

int vsm_thread_red_async(const struct vsm_thread *thread, enum drm_vsm_red op,
			 enum drm_vsm_type type, uint32_t addr, uint64_t value, uint32_t mbar,
			 unsigned int qual)
{
	return issue(thread, vsm_prep_red_async(op, type, addr, value, mbar, qual));
}
