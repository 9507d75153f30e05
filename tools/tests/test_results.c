// SPDX-License-Identifier: MIT
/* Tests how results are collected, and exactly how they are written as JSON and as JUnit XML. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vsm.h>

#include "tests/testing.h"
#include "results/format.h"

/* Bytes that XML forbids, bytes that are no UTF-8, and all that must be escaped. */
#define HOSTILE "\x01<a&\"'>\xff\x7f\r\n\t\xef\xbf\xbf]]>\xe2\x82\xac"

/* Attributes of XML. */
#define SUMS(tests, failures, skipped, time) \
	" tests=\"" tests "\" failures=\"" failures "\" errors=\"0\" skipped=\"" skipped "\"" \
	TIME(time)
#define FILE_IS(file) " classname=\"" file "\" file=\"" file "\""
#define TIME(time) " time=\"" time "\""

#define R "\xef\xbf\xbd"
#define EURO "\xe2\x82\xac"
#define HOSTILE_JSON "\\u0001<a&\\\"'>" R "\177\\r\\n\\t\xef\xbf\xbf]]>" EURO
#define MESSAGE "expected the end of all threads, seen fault TRAP at k.ptx:20"

/* Removes spaces and new lines: versions of json-c write different ones. */
static void remove_spaces(char *text)
{
	const char *at;

	for (at = text; *at; at++)
		if (*at != ' ' && *at != '\n')
			*text++ = *at;
	*text = '\0';
}

static void writes(void (*write)(FILE *out, const struct results *results), struct results *results,
		   const char *expected)
{
	char *text, *copy = strdup(expected);
	size_t size;
	FILE *out;

	assert_non_null(copy);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	write(out, results);
	assert_int_equal(fclose(out), 0);
	if (write == results_as_json) {
		remove_spaces(text);
		remove_spaces(copy);
	}
	assert_string_equal(text, copy);
	free(text);
	free(copy);
	results_free(results);
}

static struct result *only_result(struct results *results, const char *path, const char *name)
{
	*results = (struct results){ .command = "run" };
	return result_add(results_add_file(results, path), name, 0);
}

TEST(json_of_no_file)
{
	struct results results = { .command = "run" };

	writes(results_as_json, &results, "{\n"
	       "  \"version\": 1,\n"
	       "  \"vsm\": \"" VSM_VERSION "\",\n"
	       "  \"command\": \"run\",\n"
	       "  \"shard\": null,\n"
	       "  \"whole\": null,\n"
	       "  \"result\": \"pass\",\n"
	       "  \"duration_ns\": 0,\n"
	       "  \"counts\": {\n"
	       "    \"pass\": 0,\n"
	       "    \"fail\": 0,\n"
	       "    \"skip\": 0\n"
	       "  },\n"
	       "  \"files\": []\n"
	       "}\n");
}

TEST(json_of_a_part_has_the_whole)
{
	struct results results = {
		.command = "launch",
		.shard = { .index = 2, .count = 3 },
		.whole = { .tests = 4, .hash = UINT64_MAX, .seeds = { .first = 5 } },
	};

	writes(results_as_json, &results, "{\n"
	       "  \"version\": 1,\n"
	       "  \"vsm\": \"" VSM_VERSION "\",\n"
	       "  \"command\": \"launch\",\n"
	       "  \"shard\": \"2/3\",\n"
	       "  \"whole\": {\n"
	       "    \"tests\": 4,\n"
	       "    \"hash\": \"0xffffffffffffffff\",\n"
	       "    \"first_seed\": 5,\n"
	       "    \"last_seed\": null\n"
	       "  },\n"
	       "  \"result\": \"pass\",\n"
	       "  \"duration_ns\": 0,\n"
	       "  \"counts\": {\n"
	       "    \"pass\": 0,\n"
	       "    \"fail\": 0,\n"
	       "    \"skip\": 0\n"
	       "  },\n"
	       "  \"files\": []\n"
	       "}\n");
}

/* Every change of a test, of their number or order, or of the seeds makes another whole. */
TEST(a_whole_is_its_tests_and_seeds)
{
	struct whole other[9] = { }, whole = { }, same = { };
	unsigned int i;

	whole_add(&whole, "a", "t", 1);
	whole_add(&whole, "b", NULL, 2);
	whole_add(&same, "a", "t", 1);
	whole_add(&same, "b", NULL, 2);
	assert_true(whole_same(&whole, &same));
	whole_add(&other[0], "a", "t", 1);
	whole_add(&other[1], "a", "t", 1);
	whole_add(&other[1], "b", NULL, 3);
	whole_add(&other[2], "a", "t", 1);
	whole_add(&other[2], "b", "t", 2);
	whole_add(&other[3], "a", "u", 1);
	whole_add(&other[3], "b", NULL, 2);
	whole_add(&other[4], "b", NULL, 2);
	whole_add(&other[4], "a", "t", 1);
	whole_add(&other[5], "c", "t", 1);
	whole_add(&other[5], "b", NULL, 2);
	other[6] = whole;
	whole_add(&other[6], "b", NULL, 2);
	other[7] = whole;
	other[7].seeds.first = 1;
	other[8] = whole;
	other[8].seeds.last = 1;
	for (i = 0; i < 9; i++)
		assert_false(whole_same(&whole, &other[i]));
}

TEST(json_has_all_of_a_failure)
{
	struct results results;
	struct result *result = only_result(&results, HOSTILE, "t");

	result->line = 3;
	result->ns = 12345678901;
	result->seed = UINT64_MAX;
	result->runs = 4;
	result->report = strdup("a\nb\n");
	result->output = strdup(HOSTILE);
	result_fail(result, 7, "expected no fault, seen fault BAD_COUNT: 0, not 1")->column = 9;
	writes(results_as_json, &results, "{\n"
	       "  \"version\": 1,\n"
	       "  \"vsm\": \"" VSM_VERSION "\",\n"
	       "  \"command\": \"run\",\n"
	       "  \"shard\": null,\n"
	       "  \"whole\": null,\n"
	       "  \"result\": \"fail\",\n"
	       "  \"duration_ns\": 12345678901,\n"
	       "  \"counts\": {\n"
	       "    \"pass\": 0,\n"
	       "    \"fail\": 1,\n"
	       "    \"skip\": 0\n"
	       "  },\n"
	       "  \"files\": [\n"
	       "    {\n"
	       "      \"file\": \"" HOSTILE_JSON "\",\n"
	       "      \"result\": \"fail\",\n"
	       "      \"duration_ns\": 12345678901,\n"
	       "      \"counts\": {\n"
	       "        \"pass\": 0,\n"
	       "        \"fail\": 1,\n"
	       "        \"skip\": 0\n"
	       "      },\n"
	       "      \"tests\": [\n"
	       "        {\n"
	       "          \"name\": \"t\",\n"
	       "          \"line\": 3,\n"
	       "          \"result\": \"fail\",\n"
	       "          \"reason\": null,\n"
	       "          \"duration_ns\": 12345678901,\n"
	       "          \"seed\": 18446744073709551615,\n"
	       "          \"seeds\": 4,\n"
	       "          \"report\": \"a\\nb\\n\",\n"
	       "          \"output\": \"" HOSTILE_JSON "\",\n"
	       "          \"failures\": [\n"
	       "            {\n"
	       "              \"line\": 7,\n"
	       "              \"column\": 9,\n"
	       "              \"expected\": \"no fault\",\n"
	       "              \"seen\": \"fault BAD_COUNT: 0, not 1\",\n"
	       "              \"fault\": \"BAD_COUNT\",\n"
	       "              \"message\": \"expected no fault, seen fault BAD_COUNT: 0, not 1\"\n"
	       "            }\n"
	       "          ]\n"
	       "        }\n"
	       "      ]\n"
	       "    }\n"
	       "  ]\n"
	       "}\n");
}

TEST(junit_escapes_what_xml_forbids)
{
	struct results results;
	struct result *result = only_result(&results, "<f>", HOSTILE);

	result->output = strdup(HOSTILE);
	writes(results_as_junit, &results,
	       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	       "<testsuites name=\"vsm run\"" SUMS("1", "0", "0", "0.000000") ">\n"
	       "  <testsuite name=\"&#60;f&#62;\"" SUMS("1", "0", "0", "0.000000") ">\n"
	       "    <testcase name=\"" R "&#60;a&#38;&#34;'&#62;" R "\x7f&#13;&#10;&#9;" R "]]&#62;"
	       EURO "\"" FILE_IS("&#60;f&#62;") TIME("0.000000") ">\n"
	       "      <system-out>" R "&#60;a&#38;&#34;'&#62;" R "\x7f&#13;\n\t"
	       R "]]&#62;" EURO "</system-out>\n"
	       "    </testcase>\n"
	       "  </testsuite>\n"
	       "</testsuites>\n");
}

TEST(junit_has_failures_and_skipped_tests)
{
	struct results results = { .command = "launch" };
	struct result_file *file = results_add_file(&results, "a.launch");
	struct result *result = result_add(file, "k", 1);

	result->ns = 1500000999;
	result->seed = 7;
	result->report = strdup("TRAP at k.ptx:20\n");
	result_fail(result, 2, MESSAGE);
	result_fail(result, 0, "more")->column = 3;
	result = result_add(file, "k", 4);
	result->verdict = VERDICT_SKIP;
	result->reason = strdup("why & how");
	result_add(file, NULL, 0);
	writes(results_as_junit, &results,
	       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	       "<testsuites name=\"vsm launch\"" SUMS("3", "1", "1", "1.500000") ">\n"
	       "  <testsuite name=\"a.launch\"" SUMS("3", "1", "1", "1.500000") ">\n"
	       "    <testcase name=\"k (line 1)\"" FILE_IS("a.launch") " line=\"1\""
	       TIME("1.500000") ">\n"
	       "      <failure message=\"" MESSAGE "\" type=\"TRAP\">TRAP at k.ptx:20\n"
	       "a.launch:2: " MESSAGE "\n"
	       "a.launch:3: more\n"
	       "--seed 7 repeats it\n"
	       "</failure>\n"
	       "    </testcase>\n"
	       "    <testcase name=\"k (line 4)\"" FILE_IS("a.launch") " line=\"4\""
	       TIME("0.000000") ">\n"
	       "      <skipped message=\"why &#38; how\"/>\n"
	       "    </testcase>\n"
	       "    <testcase name=\"a.launch\"" FILE_IS("a.launch") TIME("0.000000") ">\n"
	       "    </testcase>\n"
	       "  </testsuite>\n"
	       "</testsuites>\n");
}

static void assert_failure(const struct failure *failure, unsigned int line, unsigned int column,
			   const char *message)
{
	assert_int_equal(failure->line, line);
	assert_int_equal(failure->column, column);
	assert_string_equal(failure->message, message);
}

TEST(errors_of_a_file_are_taken_apart)
{
	struct results results;
	struct result *result = only_result(&results, "a:1.vsm", NULL);

	result_fail_lines(result, "a:1.vsm", "a:1.vsm:4:24: one: two\na:1.vsm:5: three\n"
			  "a:1.vsm: too many errors\nelsewhere:6: four");
	assert_int_equal(result->verdict, VERDICT_FAIL);
	assert_int_equal(result->failure_count, 4);
	assert_failure(&result->failures[0], 4, 24, "one: two");
	assert_failure(&result->failures[1], 5, 0, "three");
	assert_failure(&result->failures[2], 0, 0, "too many errors");
	assert_failure(&result->failures[3], 0, 0, "elsewhere:6: four");
	results_free(&results);
}

TEST(only_messages_of_the_form_are_taken_apart)
{
	struct results results;
	struct result *result = only_result(&results, "a", NULL);
	struct failure *failure;

	failure = result_fail(result, 1, "expected a report with \"x\"");
	assert_null(failure->expected);
	assert_null(failure->seen);
	failure = result_fail(result, 1, "ended by signal 9, seen");
	assert_null(failure->expected);
	failure = result_fail(result, 1, "expected fault A, seen success");
	assert_string_equal(failure->expected, "fault A");
	assert_string_equal(failure->seen, "success");
	assert_null(failure->fault);
	results_free(&results);
}

TEST(a_restarted_result_keeps_only_its_durations)
{
	struct results results;
	struct result *result = only_result(&results, "a", "t");

	result->ns = 5;
	result->runs = 2;
	result->report = strdup("r");
	result->output = strdup("o");
	result_fail(result, 1, "expected a, seen b");
	result_restart(result);
	assert_int_equal(result->verdict, VERDICT_PASS);
	assert_int_equal(result->failure_count, 0);
	assert_null(result->report);
	assert_null(result->output);
	assert_string_equal(result->name, "t");
	assert_int_equal(result->ns, 5);
	assert_int_equal(result->runs, 2);
	results_free(&results);
}

TEST_MAIN()
