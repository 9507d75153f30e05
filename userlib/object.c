// SPDX-License-Identifier: MIT
/*
 * GEM objects: handles, mappings, sharing.
 *
 * If a client imports an object that it already has, the kernel returns the same handle and does
 * not count this. Therefore the library counts how often it has returned the object, and closes the
 * handle only after the last vsm_object_put().
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <xf86drm.h>

#include "internal.h"

static struct vsm_object *find_handle(const struct vsm_device *device, uint32_t handle)
{
	struct vsm_object *object = device->objects;

	while (object && object->info.handle != handle)
		object = object->next;
	return object;
}

static int map_object(struct vsm_object *object)
{
	void *map;

	/* A 32-bit program cannot map an object that is larger than its address space. */
	if (object->info.size > SIZE_MAX)
		return -ENOMEM;
	map = mmap(NULL, object->info.size, PROT_READ | PROT_WRITE, MAP_SHARED,
		   object->device->fd, object->info.mmap_offset);
	if (map == MAP_FAILED)
		return -errno;
	object->map = map;
	return 0;
}

static void free_object(struct vsm_object *object)
{
	if (object->map)
		munmap(object->map, object->info.size);
	free(object);
}

static int new_object(struct vsm_device *device, const struct drm_vsm_object_info *info,
		      struct vsm_object **object)
{
	struct vsm_object *obj = calloc(1, sizeof(*obj));

	if (!obj)
		return -ENOMEM;
	obj->device = device;
	obj->refs = 1;
	obj->info = *info;
	*object = obj;
	return 0;
}

static void add_object(struct vsm_object *object)
{
	object->next = object->device->objects;
	object->device->objects = object;
}

/* On an error, this function closes the handle in @info. */
int vsm_object_create(struct vsm_device *device, const struct drm_vsm_object_info *info,
		      struct vsm_object **object)
{
	struct vsm_object *obj;
	int err;

	err = new_object(device, info, &obj);
	if (err)
		goto close_handle;
	err = map_object(obj);
	if (err)
		goto free;

	pthread_mutex_lock(&device->lock);
	add_object(obj);
	pthread_mutex_unlock(&device->lock);
	*object = obj;
	return 0;

free:
	free_object(obj);
close_handle:
	drmCloseBufferHandle(device->fd, info->handle);
	return err;
}

static int import_handle(struct vsm_device *device, uint32_t handle, enum drm_vsm_object kind,
			 struct vsm_object **object)
{
	struct drm_vsm_object_info info = { .handle = handle };
	struct vsm_object *obj;
	int err;

	err = vsm_ioctl(device->fd, DRM_IOCTL_VSM_OBJECT_INFO, &info);
	if (err)
		return err;
	if (info.kind != kind)
		return -ENOENT;

	err = new_object(device, &info, &obj);
	if (err)
		return err;
	/* A buffer of another driver may refuse to be mapped. Copies can use it nevertheless. */
	err = map_object(obj);
	if (err && (kind != DRM_VSM_OBJECT_BUFFER || err == -ENOMEM)) {
		free_object(obj);
		return err;
	}
	add_object(obj);
	*object = obj;
	return 0;
}

int vsm_object_import(struct vsm_device *device, int dmabuf, enum drm_vsm_object kind,
		      struct vsm_object **object)
{
	struct vsm_object *obj;
	uint32_t handle;
	int err = 0;

	pthread_mutex_lock(&device->lock);
	if (drmPrimeFDToHandle(device->fd, dmabuf, &handle)) {
		err = -errno;
		goto unlock;
	}

	obj = find_handle(device, handle);
	if (!obj) {
		err = import_handle(device, handle, kind, object);
		if (err)
			drmCloseBufferHandle(device->fd, handle);
	} else if (obj->info.kind != kind) {
		err = -ENOENT;
	} else {
		obj->refs++;
		*object = obj;
	}
unlock:
	pthread_mutex_unlock(&device->lock);
	return err;
}

int vsm_object_export(const struct vsm_object *object, int *dmabuf)
{
	int fd;

	if (drmPrimeHandleToFD(object->device->fd, object->info.handle, DRM_CLOEXEC | DRM_RDWR,
			       &fd))
		return -errno;
	*dmabuf = fd;
	return 0;
}

void vsm_object_put(struct vsm_object *object)
{
	struct vsm_device *device = object->device;
	struct vsm_object **link = &device->objects;

	pthread_mutex_lock(&device->lock);
	if (--object->refs) {
		pthread_mutex_unlock(&device->lock);
		return;
	}
	while (*link != object)
		link = &(*link)->next;
	*link = object->next;
	drmCloseBufferHandle(device->fd, object->info.handle);
	pthread_mutex_unlock(&device->lock);
	free_object(object);
}
