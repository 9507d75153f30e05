// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of ioctls: which features they need, and how arguments of newer programs are checked.
 * DEVICE_INFO.
 */
#include <linux/fs.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>

#include "base/vsm_client.h"
#include "base/vsm_fault.h"
#include "base/vsm_fence.h"
#include "base/vsm_uaccess.h"
#include "channel/vsm_channel.h"
#include "core/vsm_core.h"
#include "thread/vsm_thread.h"
#include "vsm_drv.h"
#include "vsm_ioctl.h"

static int vsm_device_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	const struct vsm_quotas *quotas = vdev->quotas;

	*(struct drm_vsm_device_info *)data = (struct drm_vsm_device_info) {
		.abi_major = DRM_VSM_ABI_MAJOR,
		.abi_minor = DRM_VSM_ABI_MINOR,
		.features = vdev->features,
		.max_ctas = VSM_MAX_CTAS,
		.max_threads = VSM_MAX_THREADS,
		.max_smem = VSM_MAX_SMEM,
		.max_exec = VSM_MAX_EXEC,
		.max_submit = VSM_MAX_SUBMIT,
		.max_syncs = VSM_MAX_SYNCS,
		.client_clusters = quotas->client_limit[VSM_RES_CLUSTERS],
		.client_waits = quotas->client_limit[VSM_RES_WAITS],
		.client_jobs = quotas->client_limit[VSM_RES_JOBS],
		.index = vdev->index,
		.client_bytes = quotas->client_limit[VSM_RES_BYTES],
		.device_bytes = quotas->max_bytes,
		.try_wait_limit_ns = READ_ONCE(vdev->model.try_wait_limit_ns),
		.max_channels = vsm_device_has(vdev, DRM_VSM_FEATURE_CHANNELS) ?
				vdev->max_channels : 0,
	};
	return 0;
}

const struct drm_ioctl_desc vsm_ioctls[VSM_IOCTLS] = {
	DRM_IOCTL_DEF_DRV(VSM_DEVICE_INFO, vsm_device_info_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_CLUSTER_CREATE, vsm_cluster_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_BUFFER_CREATE, vsm_buffer_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_OBJECT_INFO, vsm_object_info_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_EXEC, vsm_exec_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_SUBMIT, vsm_submit_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_WAITSET_CREATE, vsm_waitset_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_WAITSET_ARM, vsm_waitset_arm_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_WAITSET_CANCEL, vsm_waitset_cancel_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_CLUSTER_HOLD, vsm_cluster_hold_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_CHANNEL_CREATE, vsm_channel_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_CHANNEL_DESTROY, vsm_channel_destroy_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_CLUSTER_STATE, vsm_cluster_state_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_TRACE_READ, vsm_trace_read_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_INJECT_ADD, vsm_inject_add_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_INJECT_QUERY, vsm_inject_query_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_INJECT_REMOVE, vsm_inject_remove_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_CHANNEL_STATUS, vsm_channel_status_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_HOLD_CREATE, vsm_hold_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(VSM_HOLD_RELEASE, vsm_hold_release_ioctl, DRM_RENDER_ALLOW),
};

/* The feature without which a device does not have the ioctl */
static const u64 vsm_ioctl_needs[ARRAY_SIZE(vsm_ioctls)] = {
	[DRM_VSM_SUBMIT] = DRM_VSM_FEATURE_BULK_COPY,
	[DRM_VSM_WAITSET_CREATE] = DRM_VSM_FEATURE_WAITSET,
	[DRM_VSM_WAITSET_ARM] = DRM_VSM_FEATURE_WAITSET,
	[DRM_VSM_WAITSET_CANCEL] = DRM_VSM_FEATURE_WAITSET,
	[DRM_VSM_CLUSTER_HOLD] = DRM_VSM_FEATURE_CP_ASYNC,
	[DRM_VSM_CHANNEL_CREATE] = DRM_VSM_FEATURE_CHANNELS,
	[DRM_VSM_CHANNEL_DESTROY] = DRM_VSM_FEATURE_CHANNELS,
	[DRM_VSM_CLUSTER_STATE] = DRM_VSM_FEATURE_STATE,
	[DRM_VSM_TRACE_READ] = DRM_VSM_FEATURE_TRACE,
	[DRM_VSM_INJECT_ADD] = DRM_VSM_FEATURE_INJECT,
	[DRM_VSM_INJECT_QUERY] = DRM_VSM_FEATURE_INJECT,
	[DRM_VSM_INJECT_REMOVE] = DRM_VSM_FEATURE_INJECT,
	[DRM_VSM_CHANNEL_STATUS] = DRM_VSM_FEATURE_RESET,
	[DRM_VSM_HOLD_CREATE] = DRM_VSM_FEATURE_HOLD,
	[DRM_VSM_HOLD_RELEASE] = DRM_VSM_FEATURE_HOLD,
};

/*
 * The argument of a newer program may be longer than the structure that the device knows. Then the
 * unknown bytes must be 0: otherwise the program asks for something that the device cannot do. They
 * are taken out of @cmd, so that no result is written there. drm_ioctl() does not check that, and
 * does not know which ioctls a device lacks.
 */
static int vsm_ioctl_check(struct file *filp, unsigned int *cmd, unsigned long arg)
{
	unsigned int nr = _IOC_NR(*cmd) - DRM_COMMAND_BASE;
	struct drm_file *file = filp->private_data;
	struct vsm_device *vdev = to_vsm_device(file->minor->dev);
	unsigned int known;
	int ret;

	if (_IOC_TYPE(*cmd) == DRM_IOCTL_BASE &&
	    _IOC_NR(*cmd) == _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE)) {
		/* drm_ioctl() would see this only after a rule has fired. */
		if (READ_ONCE(vdev->lost))
			return -ENODEV;
		return vsm_client_inject(file->driver_priv, DRM_VSM_INJECT_IMPORT);
	}
	if (_IOC_TYPE(*cmd) != DRM_IOCTL_BASE || nr >= ARRAY_SIZE(vsm_ioctls))
		return 0;
	nr = array_index_nospec(nr, ARRAY_SIZE(vsm_ioctls));
	if (!vsm_device_has(vdev, vsm_ioctl_needs[nr]))
		return -EOPNOTSUPP;
	known = _IOC_SIZE(vsm_ioctls[nr].cmd);
	if (!(*cmd & vsm_ioctls[nr].cmd & IOC_IN) || _IOC_SIZE(*cmd) <= known)
		return 0;
	ret = check_zeroed_user(u64_to_user_ptr((u64)arg + known), _IOC_SIZE(*cmd) - known);
	if (ret < 0)
		return ret;
	if (!ret)
		return vsm_invalid(&vdev->drm, vsm_ioctls[nr].name,
				   "argument: bytes behind the known ones are not 0");
	*cmd = (*cmd & ~IOCSIZE_MASK) | known << IOCSIZE_SHIFT;
	return 0;
}

long vsm_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	return vsm_ioctl_check(filp, &cmd, arg) ?: drm_ioctl(filp, cmd, arg);
}

#ifdef CONFIG_COMPAT
long vsm_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	return vsm_ioctl_check(filp, &cmd, arg) ?: drm_compat_ioctl(filp, cmd, arg);
}
#endif
