/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for fences: their status, and a fence of another driver (sw_sync or vgem) that stays
 * unsignalled until the test releases it. Such a fence holds jobs back.
 */
#ifndef VSM_TEST_FENCE_H
#define VSM_TEST_FENCE_H

#include <linux/dma-buf.h>
#include <linux/sync_file.h>

#include "vsm_test.h"

/* From include/uapi/drm/vgem_drm.h of the kernel: libdrm does not have this header. */
struct drm_vgem_fence_attach {
	__u32 handle;
	__u32 flags;
#define VGEM_FENCE_WRITE 0x1
	__u32 out_fence;
	__u32 pad;
};

struct drm_vgem_fence_signal {
	__u32 fence;
	__u32 flags;
};

#define DRM_IOCTL_VGEM_FENCE_ATTACH \
	DRM_IOWR(DRM_COMMAND_BASE + 0x1, struct drm_vgem_fence_attach)
#define DRM_IOCTL_VGEM_FENCE_SIGNAL \
	DRM_IOW(DRM_COMMAND_BASE + 0x2, struct drm_vgem_fence_signal)

/* Returns 1 if the fence has signalled, 0 if not, or the negative errno that it ended with. */
static inline int sync_file_status(int fd)
{
	struct sync_file_info info = { .num_fences = 0 };

	return ioctl(fd, SYNC_IOC_FILE_INFO, &info) ? -EBADMSG : info.status;
}

/* Waits for a sync_file's fence and returns sync_file_status(). */
static inline int sync_file_wait(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, AMPLE_MS) == 1 ? sync_file_status(fd) : -ETIME;
}

/* Returns when the only fence of a sync_file signalled (CLOCK_MONOTONIC, ns). */
static inline uint64_t sync_file_time(int fd)
{
	struct sync_fence_info fence = {};
	struct sync_file_info info = {
		.num_fences = 1, .sync_fence_info = (uintptr_t)&fence,
	};

	return ioctl(fd, SYNC_IOC_FILE_INFO, &info) ? POISON : fence.timestamp_ns;
}

static inline uint32_t syncobj_create(int fd)
{
	uint32_t handle = 0;

	return drmSyncobjCreate(fd, 0, &handle) ? 0 : handle;
}

/*
 * Destroys a syncobj, unless @handle is 0. Linux 7.2 would accept 0, and would later return it as a
 * new handle.
 */
static inline void syncobj_destroy(int fd, uint32_t handle)
{
	if (handle)
		drmSyncobjDestroy(fd, handle);
}

/* Returns the fence of a syncobj as a sync_file, or a negative errno. */
static inline int syncobj_export(int fd, uint32_t handle)
{
	int file = -1;

	return drmSyncobjExportSyncFile(fd, handle, &file) ? -errno : file;
}

static inline uint32_t syncobj_import(int fd, int file)
{
	uint32_t handle = syncobj_create(fd);

	return handle && !drmSyncobjImportSyncFile(fd, handle, file) ? handle : 0;
}

/* Waits for the fence of a syncobj and returns its status. */
static inline int syncobj_status(int fd, uint32_t handle)
{
	int ret, file = syncobj_export(fd, handle);

	if (file < 0)
		return file;
	ret = sync_file_wait(file);
	close(file);
	return ret;
}

/*
 * Runs a job of one instruction as thread 0 of a CTA. Returns the status of its fence, or the error
 * of SUBMIT.
 */
static inline int job_status(const struct cluster *c, uint32_t cta, struct drm_vsm_insn insn)
{
	struct drm_vsm_submit args = submit_args(c, &insn, 1);
	struct drm_vsm_sync sync = {
		.handle = syncobj_create(c->fd), .flags = DRM_VSM_SYNC_SIGNAL,
	};
	int ret;

	args.cta = cta;
	args.syncs = (uintptr_t)&sync;
	args.sync_stride = sizeof(sync);
	args.sync_count = 1;
	ret = vsm_submit(c->fd, &args);
	if (!ret)
		ret = syncobj_status(c->fd, sync.handle);
	syncobj_destroy(c->fd, sync.handle);
	return ret;
}

#define SW_SYNC "/sys/kernel/debug/sync/sw_sync"

/* From drivers/dma-buf/sw_sync.c: no header of the kernel has these definitions. */
struct sw_sync_create_fence_data {
	__u32 value;
	char name[32];
	__s32 fence;
};

#define SW_SYNC_IOC_CREATE_FENCE _IOWR('W', 0, struct sw_sync_create_fence_data)
#define SW_SYNC_IOC_INC _IOW('W', 1, __u32)

/* A fence that stays unsignalled until hold_release() */
struct hold {
	int fd;		/* vgem device, or a timeline of sw_sync */
	uint32_t fence;	/* handle of the fence in vgem, or 0 for a fence of sw_sync */
	int file;	/* the fence as a sync_file */
};

static inline int vgem_open(void)
{
	int minor;

	for (minor = 0; minor < 64; minor++) {
		char path[32], name[8] = "";
		struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/card%d", minor);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!vsm_ioctl(fd, DRM_IOCTL_VERSION, &version) && !strcmp(name, "vgem"))
			return fd;
		close(fd);
	}
	return -ENODEV;
}

/*
 * Makes an unsignalled fence. Returns -ENODEV if the kernel has neither sw_sync nor vgem. Stock
 * kernels have only vgem, which signals the fence by itself after ten seconds. Debug kernels are
 * slow and therefore use sw_sync, which has no such limit.
 */
static inline int hold_init(struct hold *hold)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 1, .bpp = 32 };
	struct drm_vgem_fence_attach attach = { .flags = VGEM_FENCE_WRITE };
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_READ, .fd = -1 };
	struct sw_sync_create_fence_data sw = { .value = 1 };
	int dmabuf;

	*hold = (struct hold){ .fd = open(SW_SYNC, O_RDWR | O_CLOEXEC), .file = -1 };
	if (hold->fd >= 0) {
		if (vsm_ioctl(hold->fd, SW_SYNC_IOC_CREATE_FENCE, &sw))
			return -EBADMSG;
		hold->file = sw.fence;
		return 0;
	}
	hold->fd = vgem_open();
	if (hold->fd < 0)
		return hold->fd;
	if (vsm_ioctl(hold->fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb) ||
	    drmPrimeHandleToFD(hold->fd, dumb.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf))
		return -EBADMSG;
	attach.handle = dumb.handle;
	if (vsm_ioctl(hold->fd, DRM_IOCTL_VGEM_FENCE_ATTACH, &attach) ||
	    vsm_ioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export))
		return -EBADMSG;
	close(dmabuf);
	hold->fence = attach.out_fence;
	hold->file = export.fd;
	return 0;
}

static inline int hold_release(struct hold *hold)
{
	struct drm_vgem_fence_signal signal = { .fence = hold->fence };
	__u32 once = 1;
	int ret = hold->fence ? vsm_ioctl(hold->fd, DRM_IOCTL_VGEM_FENCE_SIGNAL, &signal)
			      : vsm_ioctl(hold->fd, SW_SYNC_IOC_INC, &once);

	close(hold->file);
	close(hold->fd);
	return ret;
}

#endif
