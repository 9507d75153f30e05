// SPDX-License-Identifier: GPL-2.0-only
/*
 * vsm, an accelerator without hardware: the module, its parameters and the devices that it begins
 * with.
 */
#include <linux/bits.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>

#include <drm/vsm_drm.h>

#include "base/vsm_fence.h"
#include "channel/vsm_channel.h"
#include "vsm_compat.h"
#include "vsm_configfs.h"
#include "vsm_device.h"

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
		.try_wait_limit_ns = min_t(u64, try_wait_limit_ns, KTIME_MAX / 2),
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
