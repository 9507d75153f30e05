/* SPDX-License-Identifier: MIT */
/*
 * Tests of copies on a device.
 */
#ifndef _VSM_ON_DEVICE_COPY_H_
#define _VSM_ON_DEVICE_COPY_H_

#include "on_device_fixture.h"

extern const struct CMUnitTest copy_tests[];
extern const size_t copy_test_count;

#endif
