/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _VSM_DEVICE_H_
#define _VSM_DEVICE_H_

#include "base/vsm_options.h"

struct platform_device;

/* The most devices that there can be at a time. */
#define VSM_MAX_DEVICES	64

int vsm_devices_init(void);
void vsm_devices_exit(void);
struct platform_device *vsm_device_add(const struct vsm_options *options);
void vsm_device_remove(struct platform_device *pdev);
void vsm_device_set_model(struct platform_device *pdev, const struct vsm_model *model);

#endif
