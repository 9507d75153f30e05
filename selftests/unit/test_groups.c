// SPDX-License-Identifier: MIT
/*
 * Numbers of groups of asynchronous operations: which groups a wait waits for. A model counts the
 * groups behind the oldest operation in flight.
 */
#include "unit.h"

#include "vsm_core.h"

/* The numbers of groups and the counts at which a counter of 31, 32 or 33 bits would wrap. */
static const __u64 marks[] = {
	0, 1, 2, 3, 7, (1ULL << 31) - 2, (1ULL << 31) - 1, 1ULL << 31, (1ULL << 31) + 1,
	(1ULL << 32) - 2, (1ULL << 32) - 1, 1ULL << 32, (1ULL << 32) + 1, 1ULL << 33, 1ULL << 62,
};

/*
 * The oldest operation is in group @first, and @committed groups have been committed. A wait that
 * allows @newest incomplete groups is complete if @first is not committed, or is one of the newest.
 */
static void check(__u64 first, __u64 committed, __u32 newest)
{
	const bool done = first > committed || committed - first < newest;

	if (vsm_group_is_done(first, vsm_group_last(committed, newest)) != done)
		fail_msg("group %llu of %llu, all but %u: not %d", first, committed, newest, done);
}

TEST(a_wait_is_for_all_groups_but_the_newest)
{
	size_t i, j, k;

	for (i = 0; i < ARRAY_SIZE(marks); i++)
		for (j = 0; j < ARRAY_SIZE(marks); j++)
			for (k = 0; k < ARRAY_SIZE(marks) && marks[k] <= ~0U; k++)
				/* There is no operation in a group behind the next one. */
				if (marks[i] <= marks[j])
					check(marks[i] + 1, marks[j], marks[k]);
}

TEST(an_operation_in_flight_stays_behind_any_number_of_commits)
{
	__u64 seed = unit_seed(), first;
	int i;

	for (i = 0; i < 100000; i++) {
		first = 1 + unit_below(&seed, 1000);
		check(first, first + unit_below(&seed, 1U << 31) * (1ULL << unit_below(&seed, 8)),
		      unit_below(&seed, 4));
		check(first, first + unit_below(&seed, 1000), unit_below(&seed, 1000));
		check(first, first + unit_below(&seed, 1000), ~unit_below(&seed, 4));
	}
}

/* Also with the largest count a wait does not wait for groups that do not exist. */
TEST(a_wait_for_more_groups_than_there_are_is_complete)
{
	assert_int_equal(vsm_group_last(0, ~0U), 0);
	assert_int_equal(vsm_group_last(~0U, ~0U), 0);
	assert_int_equal(vsm_group_last(1ULL << 32, ~0U), 1);
	assert_true(vsm_group_is_done(1, vsm_group_last(5, (1U << 31) + 1)));
}
