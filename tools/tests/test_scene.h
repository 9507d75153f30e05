/* SPDX-License-Identifier: MIT */
/*
 * A model for the tests of what vsm top shows.
 */
#ifndef _TEST_SCENE_H_
#define _TEST_SCENE_H_

#include "test_top.h"
#include "top/frame.h"

/**
 * struct scene - A model with 3 clients, 3 clusters and 4 channels, and its sample
 */
struct scene {
	struct sample sample;
	struct model model;
	struct view view;
};

static inline void fill(struct sample *sample, int64_t time)
{
	struct ps_cluster *cluster;
	struct client *client;
	size_t i;

	*sample = (struct sample){ .time = time, .devices = 1 };
	client = add_client(sample, 1, time);
	client->info.moved = time / SECOND * 20000000;
	client->info.channel_moved[0] = time / SECOND * 20000000;
	client->info.busy = time / 4;
	client->info.total = 424 << 10;
	client->info.phases = time / SECOND * 1221;
	client = add_client(sample, 2, time);
	client->info.channels = 3;
	client->info.faults = 3;
	strcpy(client->comm, "\033[31mred");
	client = add_client(sample, 3, time);
	client->info.channels = 1;
	client->info.moved = time / SECOND * 100;
	strcpy(client->comm, "a-name-that-is-long");

	cluster = add_cluster(sample, 7, time, 2, 1);
	cluster->state.client = 2;
	set_wait(&cluster->entries[0], 3, 64, SECOND);
	cluster = add_cluster(sample, 8, time, 32, 2);
	set_wait(&cluster->entries[0], 1, 64, time - 20000000);
	cluster->entries[1] = (struct drm_vsm_state_entry){
		.kind = DRM_VSM_STATE_JOB, .client = 1, .missing = 1, .name = "vgem q",
	};
	add_cluster(sample, 9, time, 32, 0);
	for (i = 0; i < sample->cluster_count; i++)
		ps_sort(&sample->clusters[i]);
}

static inline int begin(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	assert_non_null(scene);
	fill(&scene->sample, 4 * SECOND);
	model_update(&scene->model, &scene->sample);
	sample_free(&scene->sample);
	fill(&scene->sample, 6 * SECOND);
	model_update(&scene->model, &scene->sample);
	view_begin(&scene->view, 1);
	*state = scene;
	return 0;
}

static inline int end(void **state)
{
	struct scene *scene = *state;

	sample_free(&scene->sample);
	model_free(&scene->model);
	free(scene);
	return 0;
}

/* The text of a frame. The caller frees it. Checks that no line is too long for the terminal. */
static inline char *draw(struct scene *scene, unsigned int rows, unsigned int columns)
{
	struct frame frame;
	unsigned int i;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	frame_make(&frame, rows, columns, &scene->view, &scene->model, &scene->sample, "12:00:00");
	assert_int_equal(frame.rows, rows);
	for (i = 0; i < rows; i++) {
		const char *line = frame.lines[i].text ? frame.lines[i].text : "";

		assert_true(strlen(line) <= columns);
		fprintf(out, "%s\n", line);
	}
	frame_free(&frame);
	fclose(out);
	return text;
}

#define EXPECT_FRAME(scene, rows, columns, expected) do { \
	char *frame_ = draw(scene, rows, columns); \
	assert_string_equal(frame_, expected); \
	free(frame_); \
} while (0)

static inline void press(struct scene *scene, const char *keys)
{
	for (; *keys; keys++)
		view_key(&scene->view, *keys);
}

/* Presses a key, and draws, because keys act on what was drawn last. */
static inline void press_and_draw(struct scene *scene, int key)
{
	view_key(&scene->view, key);
	free(draw(scene, 24, 80));
}

#define SUMMARY "1 device, 3 clients, 3 clusters (1 stuck), 3 waiting"

/* A test that begins with a scene. */
#define SCENE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
