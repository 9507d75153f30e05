// SPDX-License-Identifier: MIT
/*
 * Tests what vsm ps does with clusters that no test on the device has: very many waits, and names
 * of processes that are hostile.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"
#include "ps_cluster.h"
#include "text.h"

#define MANY 131072

/* @columns: number of columns of @expected */
static void expect_printable(const char *text, size_t size, const char *expected, size_t columns)
{
	char *written, buffer[32];
	size_t length;
	FILE *out = open_memstream(&written, &length);

	assert_non_null(out);
	write_printable(out, text, size);
	fclose(out);
	assert_string_equal(written, expected);
	free(written);

	text = strndup(text, size);
	assert_non_null(text);
	assert_int_equal(make_printable(buffer, sizeof(buffer), text, 0), columns);
	assert_string_equal(buffer, expected);
	free((char *)text);
}

TEST(control_characters_are_replaced)
{
	expect_printable("a b~", 4, "a b~", 4);
	expect_printable("\033[2Jx\r\n\t\177", 10, "?[2Jx????", 9);
	expect_printable("\302\233[m", 4, "?[m", 3);
}

TEST(a_text_ends_with_a_zero_or_its_size)
{
	expect_printable("abc\0def", 7, "abc", 3);
	expect_printable("abcdef", 4, "abcd", 4);
	expect_printable("", 4, "", 0);
}

TEST(characters_of_one_column_stay)
{
	expect_printable("\303\251t\303\251", 5, "\303\251t\303\251", 3);
}

TEST(other_characters_are_replaced)
{
	/* A wide character, a combining one, and one that changes the direction of the text. */
	expect_printable("\345\255\227e\314\201\342\200\256x", 10, "?e??x", 5);
	/* A byte that begins no character, and a character that is cut off. */
	expect_printable("\377x\303", 3, "?x?", 3);
}

TEST(a_text_is_cut_between_characters)
{
	char buffer[4];

	assert_int_equal(make_printable(buffer, sizeof(buffer), "abcdef", 2), 2);
	assert_string_equal(buffer, "ab");
	assert_int_equal(make_printable(buffer, sizeof(buffer), "abcdef", 9), 3);
	assert_string_equal(buffer, "abc");
	assert_int_equal(make_printable(buffer, sizeof(buffer), "ab\303\251", 9), 2);
	assert_string_equal(buffer, "ab");
}

static char *text_of(struct ps_cluster *cluster)
{
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	ps_sort(cluster);
	ps_write_text(out, cluster, false);
	fclose(out);
	return text;
}

TEST(a_report_has_no_escape_codes)
{
	struct drm_vsm_state_entry entry = {
		.kind = DRM_VSM_STATE_JOB,
		.missing = 1,
		.name = "x\033]0;y\a",
	};
	struct ps_cluster cluster = {
		.state = {
			.number = 1, .pid = 7, .ctas = 1, .threads = 32, .live = 32,
			.count = 1, .total = 1, .comm = "\033[31mred",
		},
		.entries = &entry,
	};
	char *text;

	text = text_of(&cluster);
	assert_string_equal(text,
			    "cluster 1 of device 0, by process 7 (?[31mred): 1 CTAs of 32 threads\n"
			    "  job on channel 0: waits for 1 fence (x?]0;y?)\n");
	free(text);
	free(cluster.waits);
	free(cluster.threads);
}

TEST(a_cluster_in_which_threads_have_only_exited_is_idle)
{
	struct drm_vsm_state_entry entry = { .kind = DRM_VSM_STATE_EXITED, .lanes = 1 };
	struct ps_cluster cluster = {
		.state = {
			.number = 1, .ctas = 1, .threads = 32, .live = 31, .count = 1, .total = 1,
		},
		.entries = &entry,
	};
	char *text;

	text = text_of(&cluster);
	assert_string_equal(text, "cluster 1 of device 0: 1 CTAs of 32 threads, 1 exited\n"
			    "  nothing waits, and nothing is in flight\n");
	free(text);
	free(cluster.waits);
	free(cluster.threads);
}

TEST(very_many_waits_are_sorted)
{
	struct ps_cluster cluster = {
		.state = { .ctas = 16, .threads = 1024, .count = MANY, .total = MANY },
	};
	uint32_t i;

	cluster.entries = calloc(MANY, sizeof(*cluster.entries));
	assert_non_null(cluster.entries);
	/* Two waits for each word. */
	for (i = 0; i < MANY; i++) {
		cluster.entries[i].kind = DRM_VSM_STATE_PHASE;
		cluster.entries[i].flags = DRM_VSM_STATE_ARMED;
		cluster.entries[i].since = MANY - i;
		cluster.entries[i].insn.u.mbarrier.addr = i / 2 * 8;
	}
	ps_sort(&cluster);
	assert_int_equal(cluster.wait_count, MANY / 2);
	for (i = 0; i < MANY / 2; i++) {
		assert_int_equal(cluster.waits[i].count, 2);
		assert_int_equal(cluster.waits[i].since, 2 * i + 1);
	}
	ps_free(&cluster);
}

TEST(waits_that_differ_are_not_one)
{
	struct drm_vsm_state_entry entries[8];
	struct ps_cluster cluster = {
		.state = { .ctas = 2, .threads = 64, .count = 8, .total = 8 },
		.entries = entries,
	};
	uint32_t i;

	memset(entries, 0, sizeof(entries));
	for (i = 0; i < 8; i++) {
		entries[i].kind = DRM_VSM_STATE_RENDEZVOUS;
		entries[i].flags = DRM_VSM_STATE_SUSPENDED;
		entries[i].lanes = 1;
	}
	entries[1].cta = 1;
	entries[2].thread = 32;
	entries[3].pid = 9;
	entries[4].client = 9;
	entries[5].flags = DRM_VSM_STATE_ARMED;
	entries[6].insn.op = 1;
	ps_sort(&cluster);
	assert_int_equal(cluster.wait_count, 7);
	assert_int_equal(cluster.waits[0].count, 2);
	assert_ptr_equal(cluster.waits[0].entry, &entries[0]);
	free(cluster.waits);
	free(cluster.threads);
}

int main(void)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	return testing_run(NULL, NULL);
}
