// SPDX-License-Identifier: GPL-2.0-only
/*
 * vsm, an accelerator without hardware: module, devices, ioctl table, unplug.
 */
#include <linux/bits.h>
#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_managed.h>

#include "base/vsm_deadline.h"
#include "base/vsm_fault.h"
#include "base/vsm_fence.h"
#include "base/vsm_invalid.h"
#include "base/vsm_quota.h"
#include "base/vsm_uaccess.h"
#include "channel/vsm_channel.h"
#include "core/vsm_core.h"
#include "object/vsm_bo.h"
#include "object/vsm_prime.h"
#include "sync/vsm_kill.h"
#include "sync/vsm_park.h"
#include "thread/vsm_hold.h"
#include "vsm_compat.h"
#include "vsm_drv.h"
#include "vsm_exec.h"
#include "vsm_fdinfo.h"
#include "vsm_file.h"
#include "vsm_gem.h"
#include "vsm_state.h"
#include "vsm_submit.h"
#include "vsm_trace_read.h"
#include "vsm_waitset.h"

#define VSM_MAX_DEVICES		64
#define VSM_JOB_TIMEOUT_MS	30000

static unsigned int devices = 1;
module_param(devices, uint, 0444);
MODULE_PARM_DESC(devices, "Number of devices (1 to 64, default 1)");

static unsigned long try_wait_limit_ns = 10 * NSEC_PER_MSEC;
module_param(try_wait_limit_ns, ulong, 0444);
MODULE_PARM_DESC(try_wait_limit_ns,
		 "Time limit of a try_wait without suspendTimeHint in ns (default 10 ms)");

static unsigned long max_bytes;
module_param(max_bytes, ulong, 0444);
MODULE_PARM_DESC(max_bytes,
		 "Bytes of all clients per device (default half of memory, shared out); a user may hold half of what other users leave");

static int vsm_device_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	const struct vsm_quotas *quotas = vdev->quotas;

	*(struct drm_vsm_device_info *)data = (struct drm_vsm_device_info) {
		.abi_major = DRM_VSM_ABI_MAJOR,
		.abi_minor = DRM_VSM_ABI_MINOR,
		.features = DRM_VSM_FEATURE_MBARRIER | DRM_VSM_FEATURE_WAITSET |
			    DRM_VSM_FEATURE_BULK_COPY | DRM_VSM_FEATURE_CP_ASYNC |
			    DRM_VSM_FEATURE_FAULTS | DRM_VSM_FEATURE_COPY |
			    DRM_VSM_FEATURE_CHANNELS | DRM_VSM_FEATURE_RENDEZVOUS |
			    DRM_VSM_FEATURE_RULES | DRM_VSM_FEATURE_FENCE |
			    DRM_VSM_FEATURE_LANES | DRM_VSM_FEATURE_DRAIN |
			    DRM_VSM_FEATURE_STATE | DRM_VSM_FEATURE_TRACE,
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
		.try_wait_limit_ns = vdev->try_wait_limit_ns,
		.max_channels = VSM_MAX_CHANNELS,
	};
	return 0;
}

static const struct drm_ioctl_desc vsm_ioctls[] = {
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
};

/*
 * The argument of a newer program may be longer than the structure that this driver knows. Then the
 * unknown bytes must be 0: otherwise the program asks for something that this driver cannot do.
 * drm_ioctl() does not check that.
 */
static int vsm_ioctl_check(struct file *filp, unsigned int cmd, unsigned long arg)
{
	unsigned int nr = _IOC_NR(cmd) - DRM_COMMAND_BASE;
	unsigned int known;
	int ret;

	if (_IOC_TYPE(cmd) != DRM_IOCTL_BASE || nr >= ARRAY_SIZE(vsm_ioctls))
		return 0;
	nr = array_index_nospec(nr, ARRAY_SIZE(vsm_ioctls));
	known = _IOC_SIZE(vsm_ioctls[nr].cmd);
	if (!(cmd & vsm_ioctls[nr].cmd & IOC_IN) || _IOC_SIZE(cmd) <= known)
		return 0;
	ret = check_zeroed_user(u64_to_user_ptr((u64)arg + known), _IOC_SIZE(cmd) - known);
	if (ret < 0)
		return ret;
	if (ret)
		return 0;
	return vsm_invalid(((struct drm_file *)filp->private_data)->minor->dev, vsm_ioctls[nr].name,
			   "argument: bytes behind the known ones are not 0");
}

/*
 * The numbers of EXEC before ABI 0.6, in which the argument had no @lanes and no @suspended, and
 * before ABI 0.7, in which it had no @site.
 */
#define VSM_IOCTL_EXEC(size)	_IOC(_IOC_DIR(DRM_IOCTL_VSM_EXEC), DRM_IOCTL_BASE, \
				     _IOC_NR(DRM_IOCTL_VSM_EXEC), size)
#define VSM_EXEC_0_1		40
#define VSM_EXEC_0_6		48

static_assert(offsetof(struct drm_vsm_exec, lanes) == VSM_EXEC_0_1);
static_assert(offsetof(struct drm_vsm_exec, site) == VSM_EXEC_0_6);

/* EXEC of a program that knows only the first @size bytes of the argument. */
static long vsm_exec_old(struct drm_file *file, unsigned long arg, size_t size)
{
	struct drm_device *drm = file->minor->dev;
	struct drm_vsm_exec args = {};
	int ret;

	if (READ_ONCE(to_vsm_device(drm)->lost))
		return -ENODEV;
	if (vsm_load(&args, arg, size))
		return -EFAULT;
	ret = vsm_exec_ioctl(drm, &args, file);
	return vsm_exec_store(arg, &args, size) ?: ret;
}

/*
 * EXEC and WAITSET_ARM are handled here, and not by drm_ioctl(): they are so short that drm_ioctl()
 * would be half of their cost. For an argument of the size known here, or of an older size of EXEC,
 * drm_ioctl() would do nothing else.
 */
static long vsm_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct drm_file *file = filp->private_data;
	struct drm_device *drm = file->minor->dev;
	bool lost = READ_ONCE(to_vsm_device(drm)->lost);
	union {
		struct drm_vsm_exec exec;
		struct drm_vsm_waitset_arm arm;
	} args __uninitialized;	/* vsm_load() writes it before anything reads it */
	int ret;

	switch (cmd) {
	case DRM_IOCTL_VSM_EXEC:
		if (lost)
			return -ENODEV;
		if (vsm_load(&args.exec, arg, sizeof(args.exec)))
			return -EFAULT;
		ret = vsm_exec_ioctl(drm, &args.exec, file);
		return vsm_exec_store(arg, &args.exec, sizeof(args.exec)) ?: ret;
	case VSM_IOCTL_EXEC(VSM_EXEC_0_1):
		return vsm_exec_old(file, arg, VSM_EXEC_0_1);
	case VSM_IOCTL_EXEC(VSM_EXEC_0_6):
		return vsm_exec_old(file, arg, VSM_EXEC_0_6);
	case DRM_IOCTL_VSM_WAITSET_ARM:
		if (lost)
			return -ENODEV;
		if (vsm_load(&args.arm, arg, sizeof(args.arm)))
			return -EFAULT;
		ret = vsm_waitset_arm_ioctl(drm, &args.arm, file);
		return vsm_arm_store(arg, &args.arm) ?: ret;
	default:
		return vsm_ioctl_check(filp, cmd, arg) ?: drm_ioctl(filp, cmd, arg);
	}
}

#ifdef CONFIG_COMPAT
static long vsm_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	return vsm_ioctl_check(filp, cmd, arg) ?: drm_compat_ioctl(filp, cmd, arg);
}
#else
#define vsm_compat_ioctl NULL
#endif

static const struct file_operations vsm_fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.release = vsm_file_release,
	.unlocked_ioctl = vsm_ioctl,
	.compat_ioctl = vsm_compat_ioctl,
	.poll = vsm_file_poll,
	.read = vsm_file_read,
	.llseek = noop_llseek,
	.mmap = drm_gem_mmap,
	.show_fdinfo = vsm_fdinfo_show,
	VSM_FOP_FLAGS
};

/*
 * The model of time is set through debugfs, and not through configfs, because it belongs to a
 * device that exists already. It is there for tests and is no stable interface.
 */
static void vsm_debugfs_init(struct drm_minor *minor)
{
	struct vsm_device *vdev = to_vsm_device(minor->dev);
	struct dentry *copy = debugfs_create_dir("vsm_copy", minor->debugfs_root);

	vsm_faults_debugfs_init(vdev, minor->debugfs_root);
	vsm_state_debugfs_init(vdev, minor->debugfs_root);
	debugfs_create_u64("latency_ns", 0600, copy, &vdev->model.latency_ns);
	debugfs_create_u64("bandwidth", 0600, copy, &vdev->model.bandwidth);
	debugfs_create_u64("shuffle_seed", 0600, copy, &vdev->model.shuffle_seed);
	debugfs_create_u32("split_bytes", 0600, copy, &vdev->model.split_bytes);
	debugfs_create_u32("job_timeout_ms", 0600, copy, &vdev->model.job_timeout_ms);
}

static const struct drm_driver vsm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_RENDER | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE,
	.open = vsm_file_open,
	.postclose = vsm_file_postclose,
	.gem_create_object = vsm_gem_create_object,
	.gem_prime_import = vsm_prime_import,
	.gem_prime_import_sg_table = drm_gem_shmem_prime_import_sg_table,
	.debugfs_init = vsm_debugfs_init,
	.ioctls = vsm_ioctls,
	.num_ioctls = ARRAY_SIZE(vsm_ioctls),
	.fops = &vsm_fops,
	.name = "vsm",
	.desc = "Virtual shared memory accelerator",
	.major = DRM_VSM_ABI_MAJOR,
	.minor = DRM_VSM_ABI_MINOR,
	VSM_DRIVER_DATE
	VSM_PRIME_OPS
};

static void vsm_device_destroy_wq(struct drm_device *drm, void *wq)
{
	destroy_workqueue(wq);
}

/* The device is unbound, which is its hot-unplug. All waits end with an error. */
static void vsm_device_unplug(void *data)
{
	struct vsm_device *vdev = data;

	drm_dev_unplug(&vdev->drm);
	vsm_device_kill_waits(vdev);
	vsm_waitset_kill(vdev);
	vsm_files_unplug(vdev);
}

static int vsm_probe(struct platform_device *pdev)
{
	struct vsm_device *vdev;
	int ret;

	vdev = devm_drm_dev_alloc(&pdev->dev, &vsm_driver, struct vsm_device, drm);
	if (IS_ERR(vdev))
		return PTR_ERR(vdev);

	/* Exporters map their pages for this device, which can reach all of them. */
	ret = dma_coerce_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		return ret;

	vdev->index = pdev->id;
	vdev->try_wait_limit_ns = min_t(u64, try_wait_limit_ns, KTIME_MAX / 2);
	vdev->model.job_timeout_ms = VSM_JOB_TIMEOUT_MS;
	INIT_LIST_HEAD(&vdev->clients);
	INIT_LIST_HEAD(&vdev->rendezvous);
	INIT_LIST_HEAD(&vdev->waitsets);
	INIT_LIST_HEAD(&vdev->group_waits);
	spin_lock_init(&vdev->group_waits_lock);
	spin_lock_init(&vdev->waitsets_lock);
	spin_lock_init(&vdev->hold_lock);
	vsm_clients_init(vdev);
	vsm_bos_init(vdev);
	ret = drmm_mutex_init(&vdev->drm, &vdev->clients_lock) ?:
	      drmm_mutex_init(&vdev->drm, &vdev->rendezvous_lock) ?:
	      vsm_quotas_init(vdev, max_bytes ?: (u64)totalram_pages() * PAGE_SIZE / 2 / devices) ?:
	      vsm_faults_init(vdev) ?:
	      vsm_park_init(vdev) ?:
	      vsm_deadlines_init(vdev);
	if (ret)
		return ret;
	/*
	 * WQ_MEM_RECLAIM: fences are signalled on this workqueue, and reclaim may wait for them. As
	 * many channels should run at once as there are CPUs; the others wait in the queue for
	 * their turn. The limit is twice that number, because a channel that runs and is queued
	 * again counts twice.
	 */
	vdev->wq = alloc_workqueue("vsm%u", WQ_UNBOUND | WQ_MEM_RECLAIM, 2 * num_online_cpus(),
				   vdev->index);
	if (!vdev->wq)
		return -ENOMEM;
	ret = drmm_add_action_or_reset(&vdev->drm, vsm_device_destroy_wq, vdev->wq);
	if (ret)
		return ret;

	ret = drm_dev_register(&vdev->drm, 0);
	if (ret)
		return ret;
	return devm_add_action_or_reset(&pdev->dev, vsm_device_unplug, vdev);
}

static struct platform_driver vsm_platform_driver = {
	.probe = vsm_probe,
	.driver = {
		.name = "vsm",
	},
};

static struct platform_device *vsm_pdevs[VSM_MAX_DEVICES];

static void vsm_unregister_devices(void)
{
	unsigned int i;

	for (i = 0; i < VSM_MAX_DEVICES; i++)
		platform_device_unregister(vsm_pdevs[i]);
}

static int __init vsm_init(void)
{
	unsigned int i;
	int ret;

	if (!devices || devices > VSM_MAX_DEVICES)
		return -EINVAL;

	ret = platform_driver_register(&vsm_platform_driver);
	if (ret)
		return ret;
	for (i = 0; i < devices; i++) {
		struct platform_device *pdev = platform_device_register_simple("vsm", i, NULL, 0);

		if (IS_ERR(pdev)) {
			vsm_unregister_devices();
			platform_driver_unregister(&vsm_platform_driver);
			return PTR_ERR(pdev);
		}
		vsm_pdevs[i] = pdev;
	}
	return 0;
}

static void __exit vsm_exit(void)
{
	vsm_unregister_devices();
	platform_driver_unregister(&vsm_platform_driver);
	vsm_fence_exit();
}

module_init(vsm_init);
module_exit(vsm_exit);

MODULE_DESCRIPTION("Virtual shared memory accelerator");
MODULE_LICENSE("GPL");
VSM_IMPORT_NS(DMA_BUF);
