// SPDX-License-Identifier: MIT
/* The ABI of this build, row by row, and the ioctl numbers. */
#include "unit.h"

#include <drm/vsm_tensor.h>

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
	enum { ROW_SIZE, ROW_OFFSET, ROW_VALUE, ROW_IOCTL } kind;
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
#define IOCTL(constant, number) { ROW_IOCTL, #constant, constant, number, 0, 0 },
#define FIXED SIZE
#define PAD OFFSET
#define LEAST VALUE
#include "abi_table.h"
};

TEST(sizes_offsets_and_values_are_the_table_s)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];

		if (r->seen != r->wanted || r->seen_size != r->wanted_size)
			fail_msg("%s is %llu, not %llu; its size %llu, not %llu", r->name, r->seen,
				 r->wanted, r->seen_size, r->wanted_size);
	}
}

TEST(structures_are_alike_for_32_and_64_bits)
{
	size_t i;

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
TEST(structures_have_no_hole)
{
	__u64 whole = 0, end = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		/* This one goes to no kernel, and has a hole behind its last member. */
		if (!strcmp(rows[i].name, "vsm_mbarrier_fields"))
			break;
		if (rows[i].kind == ROW_SIZE) {
			assert_int_equal(end, whole);
			whole = rows[i].wanted;
			end = 0;
		} else if (rows[i].kind == ROW_OFFSET && !strstr(rows[i].name, ".u.")) {
			assert_int_equal(rows[i].wanted, end);
			end += rows[i].wanted_size;
		}
	}
	assert_true(whole);
	assert_int_equal(end, whole);
}

TEST(ioctls_are_the_driver_s_and_differ)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		__u64 number = rows[i].wanted;

		if (rows[i].kind != ROW_IOCTL)
			continue;
		if (_IOC_TYPE(number) != 'd' || _IOC_NR(number) < DRM_COMMAND_BASE ||
		    _IOC_NR(number) >= DRM_COMMAND_END)
			fail_msg("%s is %#llx", rows[i].name, number);
		for (j = 0; j < i; j++)
			if (rows[j].kind == ROW_IOCTL)
				assert_int_not_equal(_IOC_NR(number), _IOC_NR(rows[j].wanted));
	}
}
