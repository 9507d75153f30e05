// SPDX-License-Identifier: MIT
/*
 * The words, results and traps of mbarrier operations in the hardware policy against those of an
 * H100 (selftests/golden/README.rst).
 */
#include "../recorded.h"
#include "device.h"
#include "unit.h"

static struct device dev;

static void power_up(void)
{
	struct vsm_geometry geo = unit_geometry(90, false);

	device_create(&dev, &geo);
}

/* Performs an operation to its end. Returns false if it traps. */
static bool perform(const char *name, __u32 operand, __u64 token, __u64 *result)
{
	struct drm_vsm_insn insn;
	int ret;

	assert_true(recorded_insn(&insn, 0, name, operand, token));
	ret = device_exec(&dev, 0, 0, &insn, 0);
	if (!ret && insn.op == OP(CP_ASYNC_MBARRIER_ARRIVE))
		ret = device_complete(&dev, 0, &insn);
	*result = insn.result;
	assert_int_equal(ret, dev.lost ? -EPROTO : 0);
	return !ret;
}

static FILE *open_recording(const char *name)
{
	char command[512];
	FILE *file;

	snprintf(command, sizeof(command), "xz -dc \"$(dirname '%s')\"/../golden/h100/%s.xz",
		 __FILE__, name);
	file = popen(command, "r");
	assert_non_null(file);
	return file;
}

TEST(programs_are_those_of_an_h100)
{
	unsigned long long token, word, result, seen;
	FILE *file = open_recording("words");
	unsigned int operand, waits[2], i, steps;
	char name[40];

	power_up();
	for (steps = 0; fscanf(file, "%39s %x %llx %u %u %llx", name, &operand, &token, &waits[0],
			       &waits[1], &word) == 6; steps++) {
		bool done = perform(name, operand, 0, &result);

		seen = *device_word(&dev, 0);
		if (!done || seen != word || result != token)
			fail_msg("step %u: %s %#x: %016llx %016llx instead of %016llx %016llx",
				 steps, name, operand, seen, result, word, token);
		for (i = 0; i < 2; i++) {
			assert_true(perform("test_wait.parity", i, 0, &result));
			assert_int_equal(result, waits[i]);
		}
	}
	assert_int_equal(pclose(file), 0);
	assert_int_equal(steps, 81928);
	device_destroy(&dev);
}

TEST(transitions_and_traps_are_those_of_an_h100)
{
	FILE *file = open_recording("transitions");
	char name[40], after[20], expected[20];
	unsigned int operand, rows, traps = 0;
	unsigned long long before, token;
	__u64 result;

	for (rows = 0; fscanf(file, "%39s %x %llx %llx %19s %19s", name, &operand, &before, &token,
			      after, expected) == 6; rows++) {
		char word[20] = "trap", got[20] = "-";

		power_up();
		*device_word(&dev, 0) = before;
		if (perform(name, operand, token, &result)) {
			snprintf(word, sizeof(word), "%016llx",
				 (unsigned long long)*device_word(&dev, 0));
			snprintf(got, sizeof(got), "%016llx", (unsigned long long)result);
		} else {
			assert_int_equal(*device_word(&dev, 0), before);
			traps++;
		}
		if (strcmp(word, after) || strcmp(got, expected))
			fail_msg("row %u: %s %#x of %016llx: %s and %s instead of %s and %s", rows,
				 name, operand, before, word, got, after, expected);
		device_destroy(&dev);
	}
	assert_int_equal(pclose(file), 0);
	assert_int_equal(rows, 10237);
	assert_int_equal(traps, 93);
}
