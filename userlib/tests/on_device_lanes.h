/* SPDX-License-Identifier: MIT */
/*
 * Tests of vsm_exec_lanes() and of waits for lanes on a device.
 */
#ifndef _VSM_ON_DEVICE_LANES_H_
#define _VSM_ON_DEVICE_LANES_H_

#include "on_device_fixture.h"

extern const struct CMUnitTest lanes_tests[];
extern const size_t lanes_test_count;

#endif
