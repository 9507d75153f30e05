/* SPDX-License-Identifier: MIT */
#ifndef _VSM_INTERNAL_H_
#define _VSM_INTERNAL_H_

/* The library exports what vsm.h declares, and hides all other functions. */
#pragma GCC visibility push(default)
#include "vsm.h"
#pragma GCC visibility pop

#include <pthread.h>

/*
 * struct vsm_device - An open vsm device
 * @fd: DRM file descriptor
 * @info: Answer of DEVICE_INFO when the device was opened; constant
 * @lock: Protects @objects. A thread holds it while it imports an object and adds it to the list,
 *	and while it closes the handle of an object and removes it
 * @objects: Clusters and buffers
 * @event_lock: A thread holds it while it polls for events and reads them
 */
struct vsm_device {
	int fd;
	struct drm_vsm_device_info info;
	pthread_mutex_t lock;
	struct vsm_object *objects;
	pthread_mutex_t event_lock;
};

/*
 * struct vsm_object - A GEM object, cluster or buffer
 * @device: Device that it belongs to
 * @next: Next object in &vsm_device.objects, protected by &vsm_device.lock
 * @refs: Number of times that the pointer was returned and not yet put, protected by
 *	&vsm_device.lock: a second import returns the same object
 * @map: The mapping, NULL if there is none
 * @info: Handle, size and shape; constant
 */
struct vsm_object {
	struct vsm_device *device;
	struct vsm_object *next;
	uint32_t refs;
	void *map;
	struct drm_vsm_object_info info;
};

struct vsm_cluster {
	struct vsm_object object;
};

struct vsm_buffer {
	struct vsm_object object;
};

/*
 * struct vsm_text - A text that is being written
 * @to: Memory for the text, terminated after each vsm_text_put()
 * @size: Bytes of @to
 * @length: Length of the whole text, even if it does not fit
 */
struct vsm_text {
	char *to;
	size_t size;
	size_t length;
};

/* Facts about a refusal (EINVAL), for vsm_insn_malformed(). */
#define VSM_REFUSED_IN_JOB (1 << 0)
#define VSM_REFUSED_SURELY (1 << 1) /* only the instruction can be malformed */
#define VSM_EXEC_FLAGS (DRM_VSM_EXEC_NO_LIMIT | DRM_VSM_EXEC_WARP)

int vsm_ioctl(int fd, unsigned long request, void *arg);
int64_t vsm_time_left(int64_t deadline);
int vsm_poll(int fd, int64_t deadline);

int vsm_thread_check(const struct vsm_thread *thread);
void vsm_thread_remember(struct vsm_thread *thread, int err, const struct drm_vsm_insn *insns,
			 uint32_t count, uint32_t index, uint32_t how);

void vsm_text_begin(struct vsm_text *text, char *to, size_t size);
void vsm_text_put(struct vsm_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void vsm_insn_put_name(struct vsm_text *text, const struct drm_vsm_insn *insn,
		       const char *prefix);
uint16_t vsm_insn_put_mods(struct vsm_text *text, const struct drm_vsm_insn *insn);

/*
 * Properties of an operation (VSM_OP_*), and operands of all its forms; 0 for an unknown operation.
 */
uint32_t vsm_op_traits(unsigned int op);
uint32_t vsm_op_takes(unsigned int op);

const char *vsm_insn_malformed(const struct drm_vsm_insn *insn, uint32_t how);
const char *vsm_insn_unsupported(const struct drm_vsm_insn *insn, enum vsm_layout layout);

int vsm_device_open_path(const char *path, struct vsm_device **device);

int vsm_object_create(struct vsm_device *device, const struct drm_vsm_object_info *info,
		      struct vsm_object **object);
int vsm_object_import(struct vsm_device *device, int dmabuf, enum drm_vsm_object kind,
		      struct vsm_object **object);
int vsm_object_export(const struct vsm_object *object, int *dmabuf);
void vsm_object_put(struct vsm_object *object);

#endif
