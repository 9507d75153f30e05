/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loss of a device because a rule of injection says so.
 */
#ifndef _VSM_LOSE_H_
#define _VSM_LOSE_H_

struct vsm_device;

int vsm_lose_init(void);
void vsm_lose_exit(void);
void vsm_device_init_lose(struct vsm_device *vdev);

#endif
