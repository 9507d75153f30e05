// SPDX-License-Identifier: MIT
/*
 * Tests what vsm top shows of its model: numbers, tables, reports, on terminals of all sizes.
 */
#include <locale.h>
#include <math.h>

#include "test_scene.h"
#include "top/amount.h"
#include "top/batch.h"
#include "top/report.h"

/* --- numbers ------------------------------------------------------------------------- */

static void amounts_are_short(void **state)
{
	static const struct {
		double amount;
		const char *expected;
	} cases[] = {
		{ 0, "0" }, { 7, "7" }, { 0.5, "0.5" }, { 12.3, "12" }, { 999, "999" },
		{ 999.6, "1.0k" }, { 1000, "1.0k" }, { 1250, "1.2k" }, { 9960, "10k" },
		{ 20e6, "20M" }, { 999.6e6, "1.0G" }, { 1.5e12, "1.5T" }, { 1e21, "1.0Z" },
		{ 1e25, "10000Z" }, { NAN, "-" },
	};
	char text[32];
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		amount_write(text, sizeof(text), cases[i].amount);
		assert_string_equal(text, cases[i].expected);
	}
}

static void memory_has_powers_of_1024(void **state)
{
	char text[32];

	(void)state;
	amount_write_memory(text, sizeof(text), 1000);
	assert_string_equal(text, "1000");
	amount_write_memory(text, sizeof(text), 424 << 10);
	assert_string_equal(text, "424Ki");
	amount_write_memory(text, sizeof(text), UINT64_C(3) << 29);
	assert_string_equal(text, "1.5Gi");
	amount_write_memory(text, sizeof(text), UINT64_MAX);
	assert_string_equal(text, "16Ei");
}

static void times_are_short(void **state)
{
	static const struct {
		int64_t ns;
		const char *expected;
	} cases[] = {
		{ -1, "-" }, { 0, "0ms" }, { 20000000, "20ms" }, { 999600000, "1.0s" },
		{ 5200000000, "5.2s" }, { 100 * SECOND, "1m" }, { 5999 * SECOND, "99m" },
		{ 6000 * SECOND, "1h" }, { 359999 * SECOND, "99h" }, { INT64_MAX, "106751d" },
	};
	char text[32];
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		amount_write_time(text, sizeof(text), cases[i].ns);
		assert_string_equal(text, cases[i].expected);
	}
}

/* --- text ---------------------------------------------------------------------------- */

#define CLIENT_TITLES \
	"CLIENT DEV     PID  MEMORY COPY% BYTES/S PHASES/S FAULTS/S FAULTS COMMAND\n"
#define CLIENT_1 "     1   0     101   424Ki    25     20M     1.2k        0      0 test\n"
#define CLIENT_2 "     2   0     102       0     0       0        0        0      3 ?[31mred\n"
#define CLIENT_3 \
	"     3   0     103       0     0     100        0        0      0 a-name-that-is"
#define CLUSTER_TITLES \
	"CLUSTER DEV     PID THREADS  WAIT  ARMED  MEET  EXIT OLDEST STATUS   COMMAND\n"
#define CLUSTER_7 \
	"      7   0     101       2     2      0     0     0   5.0s DEADLOCK test\n"
#define CLUSTER_8 \
	"      8   0     101      32     1      0     0     0   20ms          test\n"
#define CLUSTER_9 \
	"      9   0     101      32     0      0     0     0      -          test\n"
#define CHANNEL_TITLES "CHANNEL DEV     PID CLIENT JOBS   OPS BYTES/S COMMAND      WAITS FOR\n"
#define CHANNELS \
	"      0   0     101      1    1     0     20M test         1 fence: vgem q\n" \
	"      0   0     102      2    0     0       0 ?[31mred\n" \
	"      1   0     102      2    0     0       0 ?[31mred\n" \
	"      0   0     103      3    0     0       0 a-name-that-\n"

static void text_has_all_tables(void **state)
{
	struct scene *scene = *state;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	batch_text(out, &scene->model, "noon");
	fclose(out);
	assert_string_equal(text,
			    "vsm top noon: " SUMMARY "\n"
			    CLIENT_TITLES CLIENT_1 CLIENT_3 "-long\n" CLIENT_2
			    CLUSTER_TITLES CLUSTER_7 CLUSTER_8 CLUSTER_9
			    CHANNEL_TITLES CHANNELS);
	free(text);
}

static void json_is_one_line(void **state)
{
	struct scene *scene = *state;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	batch_json(out, &scene->model, "noon");
	fclose(out);
	assert_ptr_equal(strchr(text, '\n'), text + size - 1);
	assert_non_null(strstr(text, "\"bytes_per_s\": 20000000.000, \"phases_per_s\": 1221.000"));
	assert_non_null(strstr(text, "\"comm\": \"\\u001b[31mred\""));
	assert_non_null(strstr(text, "\"oldest_ns\": 5000000000, \"status\": \"DEADLOCK\""));
	assert_non_null(strstr(text, "\"oldest_ns\": null, \"status\": null"));
	assert_non_null(strstr(text, "\"missing_fences\": 1, \"fence\": \"vgem q\""));
	free(text);
}

static void what_is_not_known_is_a_dash_and_null(void **state)
{
	struct scene *scene = *state;
	size_t size;
	char *text;
	FILE *out;

	model_free(&scene->model);
	model_update(&scene->model, &scene->sample);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	batch_text(out, &scene->model, "noon");
	batch_json(out, &scene->model, "noon");
	fclose(out);
	assert_non_null(strstr(text, "  424Ki     -       -        -        -      0 test\n"));
	assert_non_null(strstr(text, "\"busy\": null, \"bytes_per_s\": null"));
	free(text);
}

/* --- frames -------------------------------------------------------------------------- */

#define HINTS "q end  h help  Tab table  Enter look in  <> sort  r reverse  p pause  d interval"

static void a_terminal_of_80_columns_has_all_tables(void **state)
{
	EXPECT_FRAME(*state, 24, 80,
		     "vsm top 12:00:00 every 1 s: " SUMMARY "\n"
		     CLIENT_TITLES CLIENT_1 CLIENT_3 "\n" CLIENT_2
		     CLUSTER_TITLES CLUSTER_7 CLUSTER_8 CLUSTER_9
		     CHANNEL_TITLES CHANNELS
		     "\n\n\n\n\n\n\n\n\n" HINTS "\n");
}

#define CUT_CLIENT_TITLES \
	"CLIENT DEV     PID  MEMORY COPY% BYTES/S PHASES/S FAULTS/S FAULTS COMMA 1-2 of 3\n"
#define CUT_CLUSTER_TITLES \
	"CLUSTER DEV     PID THREADS  WAIT  ARMED  MEET  EXIT OLDEST STATUS   CO 1-2 of 3\n"
#define CUT_CHANNEL_TITLES \
	"CHANNEL DEV     PID CLIENT JOBS   OPS BYTES/S COMMAND      WAITS FOR    1-2 of 4\n"

static void titles_say_which_rows_are_visible(void **state)
{
	EXPECT_FRAME(*state, 11, 80,
		     "vsm top 12:00:00 every 1 s: " SUMMARY "\n"
		     CUT_CLIENT_TITLES CLIENT_1 CLIENT_3 "\n"
		     CUT_CLUSTER_TITLES CLUSTER_7 CLUSTER_8
		     CUT_CHANNEL_TITLES
		     "      0   0     101      1    1     0     20M test         1 fence: vgem q\n"
		     "      0   0     102      2    0     0       0 ?[31mred\n"
		     HINTS "\n");
}

static void a_small_terminal_has_one_table(void **state)
{
	struct scene *scene = *state;

	press(scene, "2");
	EXPECT_FRAME(scene, 6, 30,
		     "vsm top 12:00:00 every 1 s: 1\n"
		     "CLUSTER DEV     PID THREADS  W\n"
		     "      7   0     101       2\n"
		     "      8   0     101      32\n"
		     "      9   0     101      32\n"
		     "q end  h help  Tab table  Ente\n");
	EXPECT_FRAME(scene, 3, 10, "vsm top 12\nC 1-1 of 3\n      7\n");
	EXPECT_FRAME(scene, 1, 1, "v\n");
}

static void every_size_and_every_page_can_be_drawn(void **state)
{
	static const char pages[] = "123h";
	struct scene *scene = *state;
	unsigned int page, rows, columns;

	for (page = 0; pages[page]; page++) {
		view_key(&scene->view, pages[page]);
		for (rows = 0; rows < 30; rows++)
			for (columns = 1; columns < 90; columns++)
				free(draw(scene, rows, columns));
	}
	view_key(&scene->view, 'q');
	view_key(&scene->view, INPUT_ENTER);
	for (rows = 0; rows < 30; rows++)
		for (columns = 1; columns < 90; columns++)
			free(draw(scene, rows, columns));
	/* A terminal that does not know its size. */
	free(draw(scene, 0, 0));
}

#define NO_DEVICE \
	"vsm top 12:00:00 every 1 s: no vsm device; 0 devices, 0 clients, 0 clusters, 0 w\n"

static void empty_tables_say_so(void **state)
{
	struct scene *scene = *state;

	sample_free(&scene->sample);
	strcpy(scene->sample.problem, "no vsm device");
	model_update(&scene->model, &scene->sample);
	EXPECT_FRAME(scene, 8, 80,
		     NO_DEVICE
		     CLIENT_TITLES "no clients\n" CLUSTER_TITLES "no clusters\n" CHANNEL_TITLES
		     "no channels\n" HINTS "\n");
	/* There is nothing to look into. */
	press_and_draw(scene, INPUT_ENTER);
	assert_int_equal(scene->view.page, PAGE_TABLES);
}

static void rows_are_shared_among_tables(void **state)
{
	size_t counts[TABLES] = { 100, 100, 100 };
	int heights[TABLES];

	(void)state;
	/* 18 rows without titles: the table that keys act on grows twice as fast. */
	frame_share(21, TABLE_CLUSTERS, counts, heights);
	assert_int_equal(heights[0], 5);
	assert_int_equal(heights[1], 8);
	assert_int_equal(heights[2], 5);
	/* A table gets no more than it has. */
	counts[TABLE_CLUSTERS] = 2;
	frame_share(21, TABLE_CLUSTERS, counts, heights);
	assert_int_equal(heights[0], 8);
	assert_int_equal(heights[1], 2);
	assert_int_equal(heights[2], 8);
	counts[TABLE_CLIENTS] = 0;
	counts[TABLE_CHANNELS] = 1;
	frame_share(21, TABLE_CLUSTERS, counts, heights);
	assert_int_equal(heights[0], 1);
	assert_int_equal(heights[1], 2);
	assert_int_equal(heights[2], 1);
	frame_share(5, TABLE_CHANNELS, counts, heights);
	assert_int_equal(heights[0], -1);
	assert_int_equal(heights[1], -1);
	assert_int_equal(heights[2], 4);
	frame_share(0, TABLE_CHANNELS, counts, heights);
	assert_int_equal(heights[2], -1);
}

/* --- reports ------------------------------------------------------------------------- */

static void enter_shows_the_report_of_a_cluster(void **state)
{
	struct scene *scene = *state;

	press_and_draw(scene, '2');
	view_key(&scene->view, INPUT_ENTER);
	EXPECT_FRAME(scene, 13, 60,
		     "vsm top 12:00:00 every 1 s: 1 device, 3 clients, 3 clusters\n"
		     "cluster 7 of device 0, by process 101 (test): 1 CTAs of 2\n"
		     "    threads\n"
		     "  2 threads: warp 0 of CTA 0 waits for the phase of parity 0\n"
		     "      of the mbarrier in CTA 0 (offset 64)\n"
		     "    suspended for 5.0 s, by process 101\n"
		     "    all arrivals have come; no bytes are missing\n"
		     "    word 0x0000000000000000: phase parity 0, pending 0,\n"
		     "        expected 0, tx-count 0\n"
		     "    no thread runs, and nothing is in flight: nothing in\n"
		     "        this cluster can end this wait\n"
		     "\n"
		     "Esc back  h help  Up Down scroll  p pause  d interval\n");
	press(scene, "q");
	assert_int_equal(scene->view.page, PAGE_TABLES);
	assert_false(scene->view.quit);
}

static void a_report_scrolls_to_its_end(void **state)
{
	struct scene *scene = *state;

	press_and_draw(scene, '2');
	view_key(&scene->view, INPUT_ENTER);
	free(draw(scene, 5, 60));
	view_key(&scene->view, INPUT_END);
	EXPECT_FRAME(scene, 5, 60,
		     "vsm top 12:00:00 every 1 s: 1 device, 3 clients, 3 clusters\n"
		     "        expected 0, tx-count 0\n"
		     "    no thread runs, and nothing is in flight: nothing in\n"
		     "        this cluster can end this wait\n"
		     "Esc back  h help  Up Down scroll  p pause  d interval\n");
	view_key(&scene->view, INPUT_UP);
	free(draw(scene, 5, 60));
	assert_int_equal(scene->view.text.first, 6);
}

static void enter_shows_a_client_with_its_clusters(void **state)
{
	struct scene *scene = *state;

	free(draw(scene, 24, 80));
	view_key(&scene->view, INPUT_ENTER);
	EXPECT_FRAME(scene, 8, 80,
		     "vsm top 12:00:00 every 1 s: " SUMMARY "\n"
		     "client 1 of device 0, by process 101 (test)\n"
		     "  memory: 424Ki in all, 0 shared, 0 resident, 0 active\n"
		     "  copy engine: 1 channel, busy for 1.5 s, 120000000 bytes moved\n"
		     "  7326 phases completed, 0 faults\n"
		     "\n"
		     "cluster 7 of device 0, by process 101 (test): 1 CTAs of 2 threads\n"
		     "Esc back  h help  Up Down scroll  p pause  d interval\n");
}

static void enter_shows_a_channel_with_its_client(void **state)
{
	struct scene *scene = *state;

	press_and_draw(scene, '3');
	view_key(&scene->view, INPUT_ENTER);
	EXPECT_FRAME(scene, 8, 80,
		     "vsm top 12:00:00 every 1 s: " SUMMARY "\n"
		     "client 1 of device 0, by process 101 (test)\n"
		     "  memory: 424Ki in all, 0 shared, 0 resident, 0 active\n"
		     "  copy engine: 1 channel, busy for 1.5 s, 120000000 bytes moved\n"
		     "  7326 phases completed, 0 faults\n"
		     "channel 0: 1 job, 0 operations in flight, 0 of them held\n"
		     "\n"
		     "Esc back  h help  Up Down scroll  p pause  d interval\n");
}

static void what_has_gone_is_named(void **state)
{
	struct scene *scene = *state;

	press_and_draw(scene, '2');
	press_and_draw(scene, INPUT_ENTER);
	sample_free(&scene->sample);
	model_update(&scene->model, &scene->sample);
	EXPECT_FRAME(scene, 3, 30,
		     "vsm top 12:00:00 every 1 s: 0\ncluster 7 of device 0 is gone\n\n");
	press(scene, "q1");
	scene->view.subject_table = TABLE_CHANNELS;
	scene->view.page = PAGE_REPORT;
	scene->view.subject.id = 3;
	EXPECT_FRAME(scene, 2, 60,
		     "vsm top 12:00:00 every 1 s: 0 devices, 0 clients, 0 clusters\n"
		     "channel 3 of client 2 of device 0 is gone\n");
}

/* --- lines --------------------------------------------------------------------------- */

static void lines_are_broken_between_words(void **state)
{
	struct text text;

	(void)state;
	text_break(&text, "one two three four five\n\n  longwordlongwordlongword\nend", 16);
	assert_int_equal(text.count, 6);
	assert_string_equal(text.lines[0], "one two three");
	assert_string_equal(text.lines[1], "    four five");
	assert_string_equal(text.lines[2], "");
	assert_string_equal(text.lines[3], "  longwordlongwo");
	assert_string_equal(text.lines[4], "      rdlongword");
	assert_string_equal(text.lines[5], "end");
	text_free(&text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(amounts_are_short),
		cmocka_unit_test(memory_has_powers_of_1024),
		cmocka_unit_test(times_are_short),
		SCENE_TEST(text_has_all_tables),
		SCENE_TEST(json_is_one_line),
		SCENE_TEST(what_is_not_known_is_a_dash_and_null),
		SCENE_TEST(a_terminal_of_80_columns_has_all_tables),
		SCENE_TEST(titles_say_which_rows_are_visible),
		SCENE_TEST(a_small_terminal_has_one_table),
		SCENE_TEST(every_size_and_every_page_can_be_drawn),
		SCENE_TEST(empty_tables_say_so),
		cmocka_unit_test(rows_are_shared_among_tables),
		SCENE_TEST(enter_shows_the_report_of_a_cluster),
		SCENE_TEST(a_report_scrolls_to_its_end),
		SCENE_TEST(enter_shows_a_client_with_its_clusters),
		SCENE_TEST(enter_shows_a_channel_with_its_client),
		SCENE_TEST(what_has_gone_is_named),
		cmocka_unit_test(lines_are_broken_between_words),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
