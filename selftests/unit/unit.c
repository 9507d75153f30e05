// SPDX-License-Identifier: MIT
/* The main() of every unit test program. */
#define _GNU_SOURCE
#include <errno.h>

#include "unit.h"

static struct CMUnitTest tests[64];
static size_t test_count;

void unit_add(const char *name, CMUnitTestFunction function)
{
	if (test_count == ARRAY_SIZE(tests))
		abort();
	tests[test_count++] = (struct CMUnitTest) { .name = name, .test_func = function };
}

int main(void)
{
	const char *program = program_invocation_short_name;

	if (!strncmp(program, "test_", 5))
		program += 5;
	return _cmocka_run_group_tests(program, tests, test_count, NULL, NULL);
}
