/* SPDX-License-Identifier: MIT */
/*
 * Tests of rendezvous on a device.
 */
#ifndef _VSM_ON_DEVICE_RENDEZVOUS_H_
#define _VSM_ON_DEVICE_RENDEZVOUS_H_

#include "on_device_fixture.h"

extern const struct CMUnitTest rendezvous_tests[];
extern const size_t rendezvous_test_count;

#endif
