/* SPDX-License-Identifier: MIT */
/*
 * Tests with cmocka: TEST() defines a test, and TEST_MAIN() runs the tests of the program in the
 * order of their definition.
 *
 * A file defines TEST_SETUP and TEST_TEARDOWN before it includes this header if its tests have a
 * fixture. TEST_WITH() defines a test with another fixture.
 */
#ifndef _VSM_TESTING_H_
#define _VSM_TESTING_H_

/* cmocka.h needs these headers, but does not include them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

#ifndef TEST_SETUP
#define TEST_SETUP	NULL
#endif
#ifndef TEST_TEARDOWN
#define TEST_TEARDOWN	NULL
#endif

/* The list of the program, which may have several files. */
__attribute__((weak)) struct CMUnitTest testing_list[64];
__attribute__((weak)) size_t testing_count;

static inline void testing_add(struct CMUnitTest test)
{
	if (testing_count == sizeof(testing_list) / sizeof(testing_list[0]))
		abort();
	testing_list[testing_count++] = test;
}

/* Run all tests between two functions, which may be NULL. */
static inline int testing_run(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	return _cmocka_run_group_tests(program_invocation_short_name, testing_list, testing_count,
				       setup, teardown);
}

#define TEST_WITH(test, setup, teardown)						\
static void test(void **state);								\
static __attribute__((constructor)) void test##_add(void)				\
{											\
	testing_add((struct CMUnitTest)							\
		    cmocka_unit_test_setup_teardown(test, setup, teardown));		\
}											\
static void test(void **state)

#define TEST(test)	TEST_WITH(test, TEST_SETUP, TEST_TEARDOWN)

#define TEST_MAIN()									\
int main(void)										\
{											\
	exit(testing_run(NULL, NULL));							\
}

#endif
