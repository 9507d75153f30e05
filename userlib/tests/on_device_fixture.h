/* SPDX-License-Identifier: MIT */
/*
 * The fixture of the tests on a device: a device, a cluster of 2 CTAs, a buffer of two pages, and
 * thread 0 of CTA 0.
 */
#ifndef _VSM_ON_DEVICE_FIXTURE_H_
#define _VSM_ON_DEVICE_FIXTURE_H_

/* cmocka.h needs these headers, but does not include them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <vsm.h>

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

/* The time @ms milliseconds from now, CLOCK_MONOTONIC in ns. */
int64_t after_ms(int64_t ms);

/* The tests of copies, of vsm_exec_lanes() and waits for lanes, and of rendezvous. */
extern const struct CMUnitTest copy_tests[], lanes_tests[], rendezvous_tests[];
extern const size_t copy_test_count, lanes_test_count, rendezvous_test_count;

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
