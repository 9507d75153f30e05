/* SPDX-License-Identifier: MIT */
/* Every unit test program includes this header. */
#ifndef VSM_UNIT_H
#define VSM_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core.h"
#include "random.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

void unit_add(const char *name, CMUnitTestFunction function);

/*
 * Defines a test. main() in unit.c runs the tests of the program in the order of their definition.
 */
#define TEST(test)						\
static void test(void **state);					\
static __attribute__((constructor)) void test##_add(void)	\
{								\
	unit_add(#test, test);					\
}								\
static void test(void **state __attribute__((unused)))

/* Tests print the seed when they fail. VSM_TEST_SEED then repeats the run. */
static inline __u64 unit_seed(void)
{
	const char *seed = getenv("VSM_TEST_SEED");

	return seed ? strtoull(seed, NULL, 0) : 0x76736d2d756e6974ULL;
}

#endif
