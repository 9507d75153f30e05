/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Priorities: channels give way to channels of a higher priority.
 */
#ifndef _VSM_PRIORITY_H_
#define _VSM_PRIORITY_H_

#include "channel/vsm_work.h"

void vsm_priorities_init(struct vsm_device *vdev);
void vsm_priority_set(struct vsm_work *work, s32 priority);
bool vsm_priority_gives_way(struct vsm_work *work);
void vsm_priority_ends(struct vsm_work *work);
void vsm_priority_leave(struct vsm_work *work);

#endif
