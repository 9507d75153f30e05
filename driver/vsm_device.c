// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device from probe to unplug or loss, the platform driver, and the module with its parameters.
 */
#include <linux/bits.h>
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/idr.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_managed.h>
#include <drm/vsm_drm.h>

#include "base/vsm_client.h"
#include "base/vsm_fault.h"
#include "base/vsm_fence.h"
#include "channel/vsm_channel.h"
#include "core/vsm_core.h"
#include "object/vsm_bo.h"
#include "object/vsm_cluster.h"
#include "sync/vsm_waiter.h"
#include "vsm_compat.h"
#include "vsm_device.h"
#include "vsm_drv.h"
#include "vsm_ioctl.h"
#include "vsm_wait.h"

/* --- loss ------------------------------------------------------------------------ */

/*
 * The loss of a device because a rule of injection says so. A work unplugs the device: a channel
 * cannot do that itself, because the unplug waits for it.
 */

static struct workqueue_struct *vsm_lose_wq;

static void vsm_device_lose_work(struct work_struct *work)
{
	struct vsm_device *vdev = container_of(work, struct vsm_device, lose_work);
	struct device *dev = get_device(vdev->drm.dev);

	/* Somebody else may have unplugged it, and may even have bound it again. */
	if (!READ_ONCE(vdev->lost)) {
		device_release_driver(dev);
		if (READ_ONCE(vdev->lose_returns) && device_attach(dev) < 0)
			dev_err(dev, "the device does not come back\n");
	}
	drm_dev_put(&vdev->drm);
	put_device(dev);
}

/* --- devices --------------------------------------------------------------------- */

#define VSM_PLATFORM_NAME	"vsm"

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

/* The model of time of a device that has no folder in configfs. This is no stable interface. */
static void vsm_debugfs_init(struct drm_minor *minor)
{
	struct vsm_device *vdev = to_vsm_device(minor->dev);
	struct dentry *copy = debugfs_create_dir("vsm_copy", minor->debugfs_root);

	vsm_faults_debugfs_init(vdev, minor->debugfs_root);
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
	.num_ioctls = VSM_IOCTLS,
	.fops = &vsm_fops,
	.name = "vsm",
	.desc = "Virtual shared memory accelerator",
	.major = DRM_VSM_ABI_MAJOR,
	.minor = DRM_VSM_ABI_MINOR,
	VSM_DRIVER_DATE
	VSM_PRIME_OPS
};

static void vsm_device_free_rules(struct drm_device *drm, void *rules)
{
	vsm_rules_free(rules);
}

static void vsm_device_destroy_wq(struct drm_device *drm, void *wq)
{
	destroy_workqueue(wq);
}

/* The device is unbound, which is its hot-unplug. All waits end with an error. */
static void vsm_device_unplug(void *data)
{
	struct vsm_device *vdev = data;

	vsm_uevent_lost(vdev);
	vsm_dumps_stop(vdev);
	drm_dev_unplug(&vdev->drm);
	vsm_device_kill_waits(vdev);
	vsm_waitset_kill(vdev);
	vsm_files_unplug(vdev);
}

static int vsm_device_register(struct platform_device *pdev, const struct vsm_options *options)
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
	vdev->features = options->features;
	vdev->policies = options->policies;
	vdev->max_channels = options->max_channels;
	vdev->model = options->model;
	vsm_rules_init(&vdev->rules);
	INIT_WORK(&vdev->lose_work, vsm_device_lose_work);
	vdev->lose_wq = vsm_lose_wq;
	INIT_LIST_HEAD(&vdev->clients);
	INIT_LIST_HEAD(&vdev->rendezvous);
	INIT_LIST_HEAD(&vdev->waitsets);
	INIT_LIST_HEAD(&vdev->group_waits);
	spin_lock_init(&vdev->group_waits_lock);
	spin_lock_init(&vdev->waitsets_lock);
	spin_lock_init(&vdev->hold_lock);
	vsm_clients_init(vdev);
	vsm_priorities_init(vdev);
	vsm_bos_init(vdev);
	ret = drmm_mutex_init(&vdev->drm, &vdev->clients_lock) ?:
	      drmm_mutex_init(&vdev->drm, &vdev->rendezvous_lock) ?:
	      drmm_add_action_or_reset(&vdev->drm, vsm_device_free_rules, &vdev->rules) ?:
	      vsm_quotas_init(vdev, options->max_bytes, options->client_limit) ?:
	      vsm_faults_init(vdev) ?:
	      vsm_uevents_init(vdev) ?:
	      vsm_dumps_init(vdev) ?:
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
	platform_set_drvdata(pdev, vdev);
	return devm_add_action_or_reset(&pdev->dev, vsm_device_unplug, vdev);
}

static int vsm_probe(struct platform_device *pdev)
{
	struct vsm_options *options = dev_get_platdata(&pdev->dev);

	/* Somebody may bind any platform device to this driver (driver_override). */
	if (strcmp(pdev->name, VSM_PLATFORM_NAME) || !options)
		return -ENODEV;
	options->error = vsm_device_register(pdev, options);
	return options->error;
}

static struct platform_driver vsm_platform_driver = {
	.probe = vsm_probe,
	.driver = {
		.name = VSM_PLATFORM_NAME,
		/* vsm_device_add() returns the result of the probe. */
		.probe_type = PROBE_FORCE_SYNCHRONOUS,
	},
};

static DEFINE_IDA(vsm_indexes);

static int vsm_devices_init(void)
{
	int ret;

	vsm_lose_wq = alloc_workqueue("vsm_lose", WQ_UNBOUND, 0);
	if (!vsm_lose_wq)
		return -ENOMEM;
	ret = platform_driver_register(&vsm_platform_driver);
	if (ret)
		destroy_workqueue(vsm_lose_wq);
	return ret;
}

static void vsm_devices_exit(void)
{
	/* No device is left, and no file is open. A work may still be at its end: wait for it. */
	destroy_workqueue(vsm_lose_wq);
	platform_driver_unregister(&vsm_platform_driver);
}

/*
 * Is the device bound to this driver? Root may bind another one (driver_override) or none. The
 * caller holds the device's lock, which keeps that so.
 */
static bool vsm_device_is_bound(const struct platform_device *pdev)
{
	return pdev->dev.driver == &vsm_platform_driver.driver;
}

static ssize_t name_show(struct device *dev, struct device_attribute *attr, char *page)
{
	const struct vsm_options *options = dev_get_platdata(dev);

	return sysfs_emit(page, "%s\n", options->name);
}
static DEVICE_ATTR_RO(name);

static struct attribute *vsm_device_attrs[] = { &dev_attr_name.attr, NULL };
ATTRIBUTE_GROUPS(vsm_device);

/*
 * libdrm takes platform devices with the same MODALIAS for one device, and then lists only one of
 * them. It looks for this variable first.
 */
static int vsm_device_uevent(VSM_UEVENT_CONST struct device *dev, struct kobj_uevent_env *env)
{
	return add_uevent_var(env, "OF_FULLNAME=/%s", dev_name(dev));
}

/*
 * The name is an attribute of the device's type. One of the driver would be added after the probe;
 * but udev reads the name as soon as it hears of the render node, which is during the probe.
 */
static const struct device_type vsm_device_type = {
	.groups = vsm_device_groups,
	.uevent = vsm_device_uevent,
};

/**
 * vsm_device_add - Add a device
 * @options: What the device is; copied
 *
 * Return: The device, for vsm_device_remove(); or as a pointer -ENOSPC if there are
 * %VSM_MAX_DEVICES already, -ENODEV if the kernel does not bind it (drivers_autoprobe), -ENOMEM, or
 * another error of the driver core.
 */
struct platform_device *vsm_device_add(const struct vsm_options *options)
{
	struct platform_device *pdev;
	struct vsm_options *copy;
	int index, ret;

	index = ida_alloc_max(&vsm_indexes, VSM_MAX_DEVICES - 1, GFP_KERNEL);
	if (index < 0)
		return ERR_PTR(index);
	pdev = platform_device_alloc(VSM_PLATFORM_NAME, index);
	ret = pdev ? platform_device_add_data(pdev, options, sizeof(*options)) : -ENOMEM;
	if (!ret) {
		pdev->dev.type = &vsm_device_type;
		ret = platform_device_add(pdev);
	}
	if (ret) {
		platform_device_put(pdev);
		ida_free(&vsm_indexes, index);
		return ERR_PTR(ret);
	}
	copy = dev_get_platdata(&pdev->dev);
	device_lock(&pdev->dev);
	ret = copy->error ?: vsm_device_is_bound(pdev) ? 0 : -ENODEV;
	device_unlock(&pdev->dev);
	if (!ret)
		return pdev;
	vsm_device_remove(pdev);
	return ERR_PTR(ret);
}

/**
 * vsm_device_remove - Remove a device, as a hot-unplug
 * @pdev: Device from vsm_device_add()
 */
void vsm_device_remove(struct platform_device *pdev)
{
	int index = pdev->id;

	platform_device_unregister(pdev);
	ida_free(&vsm_indexes, index);
}

/*
 * Change the timing of a device, for operations that are issued later.
 * @pdev: Device from vsm_device_add()
 */
void vsm_device_set_model(struct platform_device *pdev, const struct vsm_model *model)
{
	struct vsm_options *options = dev_get_platdata(&pdev->dev);
	struct vsm_device *vdev;

	device_lock(&pdev->dev);
	options->model = *model;
	vdev = vsm_device_is_bound(pdev) ? platform_get_drvdata(pdev) : NULL;
	if (vdev) {
#define VSM_MODEL_SET(type, name, max)	WRITE_ONCE(vdev->model.name, model->name);
		EACH_NUMBER(VSM_MODEL_SET)
	}
	device_unlock(&pdev->dev);
}

/* --- the module ------------------------------------------------------------------ */

#define VSM_JOB_TIMEOUT_MS	30000

static unsigned int devices = 1;
module_param(devices, uint, 0444);
MODULE_PARM_DESC(devices,
		 "Number of devices that exist from the beginning (0 to 64, default 1)");

static unsigned long try_wait_limit_ns = 10 * NSEC_PER_MSEC;
module_param(try_wait_limit_ns, ulong, 0444);
MODULE_PARM_DESC(try_wait_limit_ns,
		 "Time limit of a try_wait without suspendTimeHint in ns (default 10 ms)");

static unsigned long max_bytes;
module_param(max_bytes, ulong, 0444);
MODULE_PARM_DESC(max_bytes,
		 "Bytes of all clients per device (default half of memory, shared out); a user may hold half of what other users leave");

static struct platform_device *vsm_pdevs[VSM_MAX_DEVICES];

/* A device as the parameters of the module ask for it. */
static void vsm_options_init(struct vsm_options *options)
{
	*options = (struct vsm_options) {
		.max_bytes = max_bytes ?:
			     (u64)totalram_pages() * PAGE_SIZE / 2 / (devices ?: 1),
		.client_limit = {
			[VSM_RES_CLUSTERS] = VSM_CLIENT_CLUSTERS,
			[VSM_RES_WAITS] = VSM_CLIENT_WAITS,
			[VSM_RES_JOBS] = VSM_CLIENT_JOBS,
			[VSM_RES_INSNS] = VSM_CLIENT_INSNS,
		},
		.model.try_wait_limit_ns = min_t(u64, try_wait_limit_ns, KTIME_MAX / 2),
		.features = vsm_features_all(),
		.policies = BIT(DRM_VSM_POLICY_STRICT) | BIT(DRM_VSM_POLICY_HARDWARE),
		.max_channels = VSM_MAX_CHANNELS,
		.model.job_timeout_ms = VSM_JOB_TIMEOUT_MS,
		.error = -ENODEV,
	};
}

static void vsm_remove_devices(void)
{
	unsigned int i;

	for (i = 0; i < VSM_MAX_DEVICES; i++)
		if (vsm_pdevs[i])
			vsm_device_remove(vsm_pdevs[i]);
}

/*
 * This comes last and does not fail. A module whose init fails goes although it is in use, and
 * programs may already have opened a device, or have made a folder in configfs.
 */
static void vsm_add_devices(const struct vsm_options *options)
{
	unsigned int i;

	for (i = 0; i < devices; i++) {
		struct platform_device *pdev = vsm_device_add(options);

		if (IS_ERR(pdev)) {
			pr_err("vsm: only %u of %u devices: error %ld\n", i, devices,
			       PTR_ERR(pdev));
			return;
		}
		vsm_pdevs[i] = pdev;
	}
}

static int __init vsm_init(void)
{
	struct vsm_options options;
	int ret;

	if (devices > VSM_MAX_DEVICES)
		return -EINVAL;
	vsm_options_init(&options);
	ret = vsm_devices_init();
	if (ret)
		return ret;
	ret = vsm_configfs_init(&options);
	if (ret) {
		vsm_devices_exit();
		return ret;
	}
	vsm_add_devices(&options);
	return 0;
}

static void __exit vsm_exit(void)
{
	vsm_configfs_exit();
	vsm_remove_devices();
	vsm_devices_exit();
	vsm_fence_exit();
}

module_init(vsm_init);
module_exit(vsm_exit);

MODULE_DESCRIPTION("Virtual shared memory accelerator");
MODULE_LICENSE("GPL");
VSM_IMPORT_NS(DMA_BUF);
