// SPDX-License-Identifier: MIT
/*
 * The words, results and traps of mbarrier operations in the hardware policy against those of an
 * H100 (selftests/golden/README.rst).
 */
#include "device.h"
#include "unit.h"

/* An operation as it was recorded, and its instruction */
struct recorded_op {
	const char *name;
	struct drm_vsm_insn insn;
};

#define RECORDED(name_, op_, mods_) { .name = name_, .insn = { .op = OP(op_), .mods = mods_ } }

static const struct recorded_op recorded_ops[] = {
	RECORDED("init", MBARRIER_INIT, 0),
	RECORDED("inval", MBARRIER_INVAL, 0),
	RECORDED("arrive", MBARRIER_ARRIVE, 0),
	RECORDED("arrive.n", MBARRIER_ARRIVE, MOD(COUNT)),
	RECORDED("arrive.expect_tx", MBARRIER_ARRIVE, MOD(EXPECT_TX)),
	RECORDED("arrive.noComplete", MBARRIER_ARRIVE, MOD(COUNT) | MOD(NOCOMPLETE)),
	RECORDED("arrive_drop", MBARRIER_ARRIVE_DROP, 0),
	RECORDED("arrive_drop.n", MBARRIER_ARRIVE_DROP, MOD(COUNT)),
	RECORDED("arrive_drop.expect_tx", MBARRIER_ARRIVE_DROP, MOD(EXPECT_TX)),
	RECORDED("arrive_drop.noComplete", MBARRIER_ARRIVE_DROP, MOD(COUNT) | MOD(NOCOMPLETE)),
	RECORDED("expect_tx", MBARRIER_EXPECT_TX, 0),
	RECORDED("complete_tx", MBARRIER_COMPLETE_TX, 0),
	RECORDED("cp.async.mbarrier.arrive", CP_ASYNC_MBARRIER_ARRIVE, 0),
	RECORDED("cp.async.mbarrier.arrive.noinc", CP_ASYNC_MBARRIER_ARRIVE, MOD(NOINC)),
	RECORDED("test_wait", MBARRIER_TEST_WAIT, 0),
	RECORDED("test_wait.parity", MBARRIER_TEST_WAIT, MOD(PARITY)),
	RECORDED("try_wait.parity", MBARRIER_TRY_WAIT, MOD(PARITY)),
};

static struct device dev;

static void power_up(void)
{
	struct vsm_geometry geo = unit_geometry(90, false);

	device_create(&dev, &geo);
}

static struct drm_vsm_insn make_insn(const char *name, __u32 operand, __u64 token)
{
	struct drm_vsm_insn insn;
	size_t i;

	for (i = 0; strcmp(recorded_ops[i].name, name); i++)
		assert_true(i + 1 < ARRAY_SIZE(recorded_ops));
	insn = recorded_ops[i].insn;
	if (insn.mods & MOD(PARITY))
		insn.u.mbarrier.parity = operand;
	else if (insn.op == OP(MBARRIER_TEST_WAIT))
		insn.u.mbarrier.state = token;
	else if (insn.op == OP(MBARRIER_INIT) || insn.mods & MOD(COUNT))
		insn.u.mbarrier.count = operand;
	else if (insn.op == OP(MBARRIER_EXPECT_TX) || insn.op == OP(MBARRIER_COMPLETE_TX) ||
		 insn.mods & MOD(EXPECT_TX))
		insn.u.mbarrier.tx_count = operand;
	return insn;
}

/* Performs an operation to its end. Returns false if it traps. */
static bool perform(const char *name, __u32 operand, __u64 token, __u64 *result)
{
	struct drm_vsm_insn insn = make_insn(name, operand, token);
	int ret = device_exec(&dev, 0, 0, &insn, 0);

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
