// SPDX-License-Identifier: MIT
/* The names of lanes and warps in reports. */
#include <string.h>

#include "testing.h"
#include "vsm_syntax.h"

TEST(lanes_are_named_by_their_numbers)
{
	static const struct {
		uint32_t mask;
		const char *text;
	} cases[] = {
		{ 0x00000001, "lane 0" },
		{ 0x80000000, "lane 31" },
		{ 0x00000003, "lanes 0 and 1" },
		{ 0x00000007, "lanes 0 to 2" },
		{ 0xffffffff, "lanes 0 to 31" },
		{ 0x0000ffff, "lanes 0 to 15" },
		{ 0xfffffffe, "lanes 1 to 31" },
		{ 0x0000008f, "lanes 0 to 3 and 7" },
		{ 0xe0000089, "lanes 0, 3, 7 and 29 to 31" },
		{ 0xc0000000, "lanes 30 and 31" },
	};
	char text[BITS_SIZE];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(bits_text(text, "lane", cases[i].mask), cases[i].text);
}

TEST(the_longest_text_has_space)
{
	char text[BITS_SIZE];

	/* Two lanes of three: runs of two lanes are named one by one. */
	bits_text(text, "lane", 0xdb6db6db);
	assert_string_equal(text, "lanes 0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16, 18, 19, 21, 22, "
				  "24, 25, 27, 28, 30 and 31");
	assert_true(strlen(text) < BITS_SIZE - 1);
}

TEST_MAIN()
