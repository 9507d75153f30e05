// SPDX-License-Identifier: MIT
/* Checks of abi.tbl as a whole. abi_static.c compares each row with the headers. */
#include "unit.h"

#include <drm/vsm_dump.h>
#include <drm/vsm_tensor.h>

/* A row of abi.tbl */
static const struct row {
	enum { ROW_SIZE, ROW_OFFSET, ROW_VALUE, ROW_IOCTL } kind; /* kind of the row */
	const char *type;	/* structure, if the row is about its size or a member */
	const char *name;	/* name of the member, the constant or the ioctl */
	/* Size of the structure, offset of the member, or number of the constant or ioctl */
	__u64 number;
	__u64 size;		/* size of the member */
} rows[] = {
#define SIZE(type, bytes) { ROW_SIZE, #type, "", bytes, 0 },
#define OFFSET(type, member, bytes, size) { ROW_OFFSET, #type, #member, bytes, size },
#define VALUE(constant, number) { ROW_VALUE, "", #constant, number, 0 },
#define IOCTL(constant, number) { ROW_IOCTL, "", #constant, number, 0 },
#include "abi.tbl"
};

/* Returns the row of the member at offset @at. Members of the union have no part in this. */
static const struct row *find_member(const char *type, __u64 at)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].kind == ROW_OFFSET && rows[i].number == at &&
		    !strcmp(rows[i].type, type) && strncmp(rows[i].name, "u.", 2))
			return &rows[i];
	return NULL;
}

/* If the members in the table leave no hole in a structure, none is missing in the table. */
TEST(structures_have_no_hole)
{
	const struct row *member;
	__u64 end;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		/* No ioctl uses this structure. It has padding behind its last member. */
		if (rows[i].kind != ROW_SIZE || !strcmp(rows[i].type, "vsm_mbarrier_fields"))
			continue;
		for (end = 0; (member = find_member(rows[i].type, end)); end += member->size)
			;
		if (end != rows[i].number)
			fail_msg("%s has no member at %llu", rows[i].type, end);
	}
}

TEST(ioctls_are_the_driver_s_and_differ)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		__u64 number = rows[i].number;

		if (rows[i].kind != ROW_IOCTL)
			continue;
		if (_IOC_TYPE(number) != 'd' || _IOC_NR(number) < DRM_COMMAND_BASE ||
		    _IOC_NR(number) >= DRM_COMMAND_END)
			fail_msg("%s is %#llx", rows[i].name, number);
		for (j = 0; j < i; j++)
			if (rows[j].kind == ROW_IOCTL)
				assert_int_not_equal(_IOC_NR(number), _IOC_NR(rows[j].number));
	}
}
