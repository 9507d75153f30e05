/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Priorities: channels give way to channels of a higher priority.
 */
#ifndef _VSM_TURNS_H_
#define _VSM_TURNS_H_

#include "channel/vsm_work.h"

void vsm_turns_init(struct vsm_device *vdev);
void vsm_turns_set_priority(struct vsm_work *work, s32 priority);
bool vsm_turn_waits(struct vsm_work *work);
void vsm_turn_ends(struct vsm_work *work);
void vsm_turn_leave(struct vsm_work *work);

#endif
