// SPDX-License-Identifier: MIT
/* Creating, sharing and mapping buffers. */
#include "internal.h"

int vsm_buffer_create(struct vsm_device *device, uint64_t size, struct vsm_buffer **buffer)
{
	struct drm_vsm_buffer_create args = { .size = size };
	struct drm_vsm_object_info info;
	struct vsm_object *object;
	int err;

	err = vsm_ioctl(device->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args);
	if (err)
		return err;

	info = (struct drm_vsm_object_info) {
		.handle = args.handle,
		.kind = DRM_VSM_OBJECT_BUFFER,
		.size = args.size,
		.mmap_offset = args.mmap_offset,
	};
	err = vsm_object_create(device, &info, &object);
	if (!err)
		*buffer = (struct vsm_buffer *)object;
	return err;
}

int vsm_buffer_import(struct vsm_device *device, int dmabuf, struct vsm_buffer **buffer)
{
	struct vsm_object *object;
	int err;

	err = vsm_object_import(device, dmabuf, DRM_VSM_OBJECT_BUFFER, &object);
	if (!err)
		*buffer = (struct vsm_buffer *)object;
	return err;
}

int vsm_buffer_export(struct vsm_buffer *buffer, int *dmabuf)
{
	return vsm_object_export(&buffer->object, dmabuf);
}

void vsm_buffer_destroy(struct vsm_buffer *buffer)
{
	if (buffer)
		vsm_object_put(&buffer->object);
}

uint32_t vsm_buffer_handle(const struct vsm_buffer *buffer)
{
	return buffer->object.info.handle;
}

uint64_t vsm_buffer_size(const struct vsm_buffer *buffer)
{
	return buffer->object.info.size;
}

void *vsm_buffer_map(const struct vsm_buffer *buffer)
{
	return buffer->object.map;
}
