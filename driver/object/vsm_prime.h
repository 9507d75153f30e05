/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Imports: dma-bufs of other exporters as objects.
 */
#ifndef _VSM_PRIME_H_
#define _VSM_PRIME_H_

struct dma_buf;
struct drm_device;
struct drm_gem_object;
struct iosys_map;
struct vm_area_struct;

struct drm_gem_object *vsm_prime_import(struct drm_device *drm, struct dma_buf *dmabuf);
int vsm_prime_vmap(struct drm_gem_object *obj, struct iosys_map *map);
void vsm_prime_vunmap(struct drm_gem_object *obj, struct iosys_map *map);
int vsm_prime_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma);

#endif
