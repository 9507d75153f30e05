/* SPDX-License-Identifier: MIT */
/*
 * The fixture of the tests on a device: a device, a cluster of 2 CTAs, a buffer of two pages, and
 * thread 0 of CTA 0.
 */
#ifndef _VSM_ON_DEVICE_FIXTURE_H_
#define _VSM_ON_DEVICE_FIXTURE_H_

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <vsm.h>

#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include "testing.h"

#define MBAR 64
#define MBAR2 128
#define DATA 1024

extern const struct vsm_cluster_config shape;	/* shape of @cluster */
extern struct vsm_device *device;
extern struct vsm_cluster *cluster;
extern struct vsm_buffer *buffer;
extern struct vsm_thread thread;

/* cmocka fixtures, which create and destroy these objects. */
int setup(void **state);
int teardown(void **state);

/* Execute an instruction whose result does not matter. */
static inline int run(struct vsm_thread *t, struct drm_vsm_insn insn)
{
	return vsm_execute(t, insn, NULL);
}

/* Execute an instruction, which must succeed. */
#define must_run(t, insn)	assert_int_equal(run(t, insn), 0)

/* Execute an instruction, which must succeed, and return its result. */
#define result_of(t, insn)						\
	({								\
		uint64_t result_ = 0xdead;				\
									\
		assert_int_equal(vsm_execute(t, insn, &result_), 0);	\
		result_;						\
	})
#define assert_result(t, insn, result)	assert_int_equal(result_of(t, insn), result)

/* Execute an instruction, which the device must refuse with a fault. */
#define must_fault(t, insn, code)					\
	do {								\
		assert_int_equal(run(t, insn), -EPROTO);		\
		assert_int_equal((t)->refused.fault, code);		\
	} while (0)

/* The time @ms milliseconds from now, CLOCK_MONOTONIC in ns. */
int64_t after_ms(int64_t ms);

#endif
