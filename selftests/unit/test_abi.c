// SPDX-License-Identifier: MIT
/* The ABI of this build, row by row, and the ioctl numbers. */
#include "unit.h"

/**
 * struct row - A row of abi_table.h
 * @kind: What it is about
 * @name: Its first arguments, as written
 * @seen: Size, offset or value in this build
 * @wanted: The same as the table has it
 * @seen_size: Size of a member in this build
 * @wanted_size: The same as the table has it
 */
static const struct row {
	enum { ROW_SIZE, ROW_OFFSET, ROW_VALUE } kind;
	const char *name;
	__u64 seen;
	__u64 wanted;
	__u64 seen_size;
	__u64 wanted_size;
} rows[] = {
#define SIZE(type, bytes) { ROW_SIZE, #type, sizeof(struct type), bytes, 0, 0 },
#define OFFSET(type, member, bytes, size) \
	{ ROW_OFFSET, #type "." #member, offsetof(struct type, member), bytes, \
	  sizeof(((struct type *)0)->member), size },
#define VALUE(constant, number) { ROW_VALUE, #constant, constant, number, 0, 0 },
#include "abi_table.h"
};

static void sizes_offsets_and_values_are_the_table_s(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];

		if (r->seen != r->wanted || r->seen_size != r->wanted_size)
			fail_msg("%s is %llu, not %llu; its size %llu, not %llu", r->name, r->seen,
				 r->wanted, r->seen_size, r->wanted_size);
	}
}

static void structures_are_alike_for_32_and_64_bits(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].kind == ROW_SIZE)
			assert_int_equal(rows[i].seen % 8, 0);
		/* Aligned to its own size: no ABI pads in front of it. */
		if (rows[i].kind == ROW_OFFSET)
			assert_int_equal(rows[i].seen %
					 (rows[i].seen_size > 8 ? 8 : rows[i].seen_size), 0);
	}
}

/* The members of each structure follow each other, so that the table has them all. */
static void structures_have_no_hole(void **state)
{
	__u64 whole = 0, end = 0;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].kind == ROW_SIZE) {
			assert_int_equal(end, whole);
			whole = rows[i].wanted;
			end = 0;
		} else if (rows[i].kind == ROW_OFFSET && !strstr(rows[i].name, ".u.")) {
			assert_int_equal(rows[i].wanted, end);
			end += rows[i].wanted_size;
		}
	}
	assert_int_equal(end, whole);
}

#define R _IOC_READ
#define W _IOC_WRITE

static const struct {
	const char *name;
	unsigned long number;
	unsigned int dir;
	unsigned int nr;
	unsigned int size;
} ioctls[] = {
	{ "DEVICE_INFO", DRM_IOCTL_VSM_DEVICE_INFO, R, 0x40, 88 },
	{ "CLUSTER_CREATE", DRM_IOCTL_VSM_CLUSTER_CREATE, R | W, 0x41, 48 },
	{ "BUFFER_CREATE", DRM_IOCTL_VSM_BUFFER_CREATE, R | W, 0x42, 24 },
	{ "OBJECT_INFO", DRM_IOCTL_VSM_OBJECT_INFO, R | W, 0x43, 48 },
	{ "EXEC", DRM_IOCTL_VSM_EXEC, R | W, 0x44, 40 },
	{ "SUBMIT", DRM_IOCTL_VSM_SUBMIT, R | W, 0x45, 56 },
	{ "WAITSET_CREATE", DRM_IOCTL_VSM_WAITSET_CREATE, R | W, 0x46, 16 },
	{ "WAITSET_ARM", DRM_IOCTL_VSM_WAITSET_ARM, R | W, 0x47, 32 },
	{ "WAITSET_CANCEL", DRM_IOCTL_VSM_WAITSET_CANCEL, W, 0x48, 16 },
	{ "CLUSTER_HOLD", DRM_IOCTL_VSM_CLUSTER_HOLD, W, 0x49, 8 },
	{ "CHANNEL_CREATE", DRM_IOCTL_VSM_CHANNEL_CREATE, R | W, 0x4a, 8 },
	{ "CHANNEL_DESTROY", DRM_IOCTL_VSM_CHANNEL_DESTROY, W, 0x4b, 8 },
};

static void ioctls_have_their_numbers(void **state)
{
	size_t i, j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(ioctls); i++) {
		unsigned long number = ioctls[i].number;

		if (_IOC_TYPE(number) != 'd' || _IOC_DIR(number) != ioctls[i].dir ||
		    _IOC_NR(number) != ioctls[i].nr || _IOC_SIZE(number) != ioctls[i].size)
			fail_msg("%s is %#lx", ioctls[i].name, number);
		for (j = 0; j < i; j++)
			assert_int_not_equal(_IOC_NR(number), _IOC_NR(ioctls[j].number));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_offsets_and_values_are_the_table_s),
		cmocka_unit_test(structures_are_alike_for_32_and_64_bits),
		cmocka_unit_test(structures_have_no_hole),
		cmocka_unit_test(ioctls_have_their_numbers),
	};

	return cmocka_run_group_tests_name("abi", tests, NULL, NULL);
}
