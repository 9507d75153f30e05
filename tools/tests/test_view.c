// SPDX-License-Identifier: MIT
/*
 * Tests how keys change what vsm top shows.
 */
#include <locale.h>
#include <math.h>

#include "test_scene.h"

/* --- keys ---------------------------------------------------------------------------- */

/* The client in the first row. */
static uint32_t first_client(struct scene *scene)
{
	struct rows rows;
	uint32_t client;

	rows_sort(&rows, &scene->model, TABLE_CLIENTS, scene->view.orders[TABLE_CLIENTS]);
	client = rows.rows[0]->client;
	rows_free(&rows);
	return client;
}

static void keys_change_the_order(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(first_client(scene), 1);
	press(scene, "r");
	assert_int_equal(first_client(scene), 2);
	/* By faults, and then by the command, in which an escape comes before letters. */
	press(scene, ">>>");
	assert_int_equal(first_client(scene), 2);
	press(scene, ">r");
	assert_int_equal(first_client(scene), 1);
	/* From the last column to the first one, and back. */
	press(scene, ">");
	assert_int_equal(scene->view.orders[TABLE_CLIENTS].column, 0);
	assert_int_equal(first_client(scene), 1);
	view_key(&scene->view, INPUT_LEFT);
	assert_int_equal(scene->view.orders[TABLE_CLIENTS].column, 9);
	assert_int_equal(first_client(scene), 2);
}

static void rates_that_are_not_known_come_last(void **state)
{
	struct scene *scene = *state;
	struct rows rows;

	scene->model.clients[0].bytes = NAN;
	assert_int_equal(first_client(scene), 3);
	press(scene, "r");
	assert_int_equal(first_client(scene), 2);
	rows_sort(&rows, &scene->model, TABLE_CLIENTS, scene->view.orders[TABLE_CLIENTS]);
	assert_int_equal(rows.rows[2]->client, 1);
	rows_free(&rows);
}

static void the_chosen_row_stays_chosen(void **state)
{
	struct scene *scene = *state;

	press_and_draw(scene, INPUT_DOWN);
	assert_int_equal(scene->view.rows[TABLE_CLIENTS].client, 3);
	press_and_draw(scene, 'r');
	assert_int_equal(scene->view.rows[TABLE_CLIENTS].client, 3);
	scene->model.clients[2].bytes = 1e9;
	press_and_draw(scene, 'r');
	assert_int_equal(scene->view.rows[TABLE_CLIENTS].client, 3);
	assert_int_equal(scene->view.lists[TABLE_CLIENTS].at, 0);
	press_and_draw(scene, INPUT_END);
	assert_int_equal(scene->view.rows[TABLE_CLIENTS].client, 2);
	press_and_draw(scene, INPUT_DOWN);
	assert_int_equal(scene->view.rows[TABLE_CLIENTS].client, 2);
	press_and_draw(scene, INPUT_UP);
	assert_int_equal(scene->view.rows[TABLE_CLIENTS].client, 1);
	press_and_draw(scene, INPUT_HOME);
	press_and_draw(scene, INPUT_UP);
	assert_int_equal(scene->view.rows[TABLE_CLIENTS].client, 3);
}

static void without_a_choice_it_is_the_first_row(void **state)
{
	struct scene *scene = *state;

	free(draw(scene, 24, 80));
	assert_int_equal(scene->view.rows[TABLE_CLIENTS].client, 1);
	press_and_draw(scene, 'r');
	assert_int_equal(scene->view.rows[TABLE_CLIENTS].client, 2);
}

static void a_chosen_row_that_ends_leaves_the_one_below(void **state)
{
	struct scene *scene = *state;

	press_and_draw(scene, INPUT_END);
	scene->model.client_count = 1;
	free(draw(scene, 24, 80));
	assert_int_equal(scene->view.rows[TABLE_CLIENTS].client, 1);
	scene->model.client_count = 0;
	free(draw(scene, 24, 80));
	assert_int_equal(scene->view.rows[TABLE_CLIENTS].client, 0);
}

static void the_chosen_row_is_visible(void **state)
{
	struct scene *scene = *state;
	struct list *list = &scene->view.lists[TABLE_CHANNELS];

	press(scene, "3");
	free(draw(scene, 6, 80));
	assert_int_equal(list->height, 3);
	view_key(&scene->view, INPUT_END);
	free(draw(scene, 6, 80));
	assert_int_equal(list->first, 1);
	view_key(&scene->view, INPUT_PAGE_UP);
	free(draw(scene, 6, 80));
	assert_int_equal(list->at, 1);
	assert_int_equal(list->first, 1);
	view_key(&scene->view, INPUT_PAGE_UP);
	EXPECT_FRAME(scene, 6, 20,
		     "vsm top 12:00:00 eve\nCHANNEL DEV 1-3 of 4\n      0   0     101\n"
		     "      0   0     102\n      1   0     102\nq end  h help  Tab t\n");
}

static void tab_goes_round_the_tables(void **state)
{
	struct scene *scene = *state;

	view_key(&scene->view, INPUT_TAB);
	assert_int_equal(scene->view.focus, TABLE_CLUSTERS);
	view_key(&scene->view, INPUT_TAB);
	view_key(&scene->view, INPUT_TAB);
	assert_int_equal(scene->view.focus, TABLE_CLIENTS);
	view_key(&scene->view, INPUT_BACK_TAB);
	assert_int_equal(scene->view.focus, TABLE_CHANNELS);
}

static void help_goes_back_to_where_it_came_from(void **state)
{
	struct scene *scene = *state;

	press_and_draw(scene, INPUT_ENTER);
	free(draw(scene, 24, 80));
	press_and_draw(scene, INPUT_ENTER);
	assert_int_equal(scene->view.page, PAGE_REPORT);
	press(scene, "?h");
	assert_int_equal(scene->view.page, PAGE_HELP);
	press(scene, "q");
	assert_int_equal(scene->view.page, PAGE_REPORT);
	view_key(&scene->view, INPUT_ESCAPE);
	assert_int_equal(scene->view.page, PAGE_TABLES);
	view_key(&scene->view, INPUT_ESCAPE);
	assert_false(scene->view.quit);
	press(scene, "q");
	assert_true(scene->view.quit);
}

static void an_interval_is_typed(void **state)
{
	struct scene *scene = *state;

	press(scene, "dq2x.");
	EXPECT_FRAME(scene, 2, 60, "vsm top 12:00:00 every 1 s: 1 device, 3 clients, 3 clusters\n"
		     "seconds between samples (0.1 to 3600): 2._\n");
	view_key(&scene->view, INPUT_BACKSPACE);
	view_key(&scene->view, INPUT_BACKSPACE);
	view_key(&scene->view, INPUT_BACKSPACE);
	press(scene, "0.50000000");
	view_key(&scene->view, INPUT_ENTER);
	assert_float_equal(scene->view.interval, 0.5, 0);
	assert_false(scene->view.quit);
	press(scene, "d0");
	view_key(&scene->view, INPUT_ENTER);
	assert_float_equal(scene->view.interval, 0.5, 0);
	press(scene, "d7");
	view_key(&scene->view, INPUT_ESCAPE);
	assert_float_equal(scene->view.interval, 0.5, 0);
	press(scene, "p");
	assert_true(scene->view.paused);
	EXPECT_FRAME(scene, 1, 25, "vsm top 12:00:00 PAUSED:\n");
}

static void an_interval_is_a_number_in_its_limits(void **state)
{
	static const char *const bad[] = {
		"", ".", "x", "1x", "-1", "0", "0.09", "3601", "inf", "nan", "0x1", "1e2", " 1",
		"1.2.3",
	};
	double interval = 7;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(view_interval(bad[i], &interval));
	assert_float_equal(interval, 7, 0);
	assert_true(view_interval("0.1", &interval));
	assert_float_equal(interval, 0.1, 0);
	assert_true(view_interval("3600", &interval));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		SCENE_TEST(keys_change_the_order),
		SCENE_TEST(rates_that_are_not_known_come_last),
		SCENE_TEST(the_chosen_row_stays_chosen),
		SCENE_TEST(without_a_choice_it_is_the_first_row),
		SCENE_TEST(a_chosen_row_that_ends_leaves_the_one_below),
		SCENE_TEST(the_chosen_row_is_visible),
		SCENE_TEST(tab_goes_round_the_tables),
		SCENE_TEST(help_goes_back_to_where_it_came_from),
		SCENE_TEST(an_interval_is_typed),
		SCENE_TEST(an_interval_is_a_number_in_its_limits),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
