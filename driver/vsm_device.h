/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A device: what it is asked to be, its life, and how it is lost. Devices in configfs.
 */
#ifndef _VSM_DEVICE_H_
#define _VSM_DEVICE_H_

#include <linux/types.h>

#include <drm/vsm_drm.h>

#include "base/vsm_client.h"
#include "vsm_drv.h"

struct platform_device;

/* --- options --------------------------------------------------------------------- */

/*
 * What a device is asked to be. It is the platform data of the device, so a device that is bound
 * again is the same as before.
 */

/* Mask of all features, &enum drm_vsm_feature */
static inline u64 vsm_features_all(void)
{
#define VSM_FEATURE(NAME, name)	| DRM_VSM_FEATURE_##NAME
	return 0
#include <drm/vsm_features.h>
	;
}

/* Bytes of a device's name, with the zero at its end */
#define VSM_NAME_BYTES	64

/**
 * struct vsm_options - What a device is asked to be
 * @name: Name of the device's folder in configfs; empty if it has none
 * @max_bytes: Bytes that all clients together may use
 * @client_limit: Limits of each client; the one of bytes is not used
 * @features: Features that the device has, &enum drm_vsm_feature
 * @policies: Mask of BIT(policy) of each &enum drm_vsm_policy that a cluster may have
 * @max_channels: Channels of a client, with channel 0
 * @model: The model of time
 * @error: Result of the last probe; -ENODEV before the first one
 */
struct vsm_options {
	char name[VSM_NAME_BYTES];
	u64 max_bytes;
	u64 client_limit[VSM_RES_COUNT];
	u64 features;
	u64 policies;
	u32 max_channels;
	struct vsm_model model;
	int error;
};

/* --- devices --------------------------------------------------------------------- */

/* The most devices that there can be at a time. */
#define VSM_MAX_DEVICES	64

struct platform_device *vsm_device_add(const struct vsm_options *options);
void vsm_device_remove(struct platform_device *pdev);
void vsm_device_set_model(struct platform_device *pdev, const struct vsm_model *model);

/* --- configfs -------------------------------------------------------------------- */

#if IS_ENABLED(CONFIG_CONFIGFS_FS)
int vsm_configfs_init(const struct vsm_options *defaults);
void vsm_configfs_exit(void);
#else
static inline int vsm_configfs_init(const struct vsm_options *defaults)
{
	return 0;
}

static inline void vsm_configfs_exit(void)
{
}
#endif

#endif
