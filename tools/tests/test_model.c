// SPDX-License-Identifier: MIT
/*
 * Tests what vsm top computes from samples: rates, counts of clusters and channels, and whether
 * anything happens in a cluster.
 */
#include <math.h>

#include "test_top.h"
#include "top/past.h"

#define EPSILON 0.000000001

/* --- rates --------------------------------------------------------------------------- */

static void the_first_sample_has_no_rates(void **state)
{
	struct sample sample = { .time = SECOND, .devices = 1 };
	struct model model = { };

	(void)state;
	add_client(&sample, 1, SECOND)->info.moved = 100;
	update(&model, &sample);
	assert_int_equal(model.client_count, 1);
	assert_true(isnan(model.clients[0].bytes));
	assert_true(isnan(model.clients[0].busy));
	assert_true(isnan(model.channels[0].bytes));
	assert_int_equal(model.clients[0].info.moved, 100);
	model_free(&model);
}

static void rates_are_those_since_the_sample_before(void **state)
{
	struct sample sample = { };
	struct model model = { };
	struct client *client;

	(void)state;
	client = add_client(&sample, 1, SECOND);
	client->info.channels = 5;
	client->info.capacity = 2;
	client->info.busy = SECOND;
	client->info.moved = 1000;
	client->info.channel_moved[2] = 400;
	client->info.phases = 7;
	client->info.faults = 1;
	update(&model, &sample);
	client = add_client(&sample, 1, 3 * SECOND);
	client->info.channels = 5;
	client->info.capacity = 2;
	client->info.busy = 3 * SECOND;
	client->info.moved = 5000;
	client->info.channel_moved[2] = 500;
	client->info.phases = 8;
	client->info.faults = 1;
	update(&model, &sample);
	/* Two channels were busy for 2 s of 4. */
	assert_float_equal(model.clients[0].busy, 0.5, EPSILON);
	assert_float_equal(model.clients[0].bytes, 2000, EPSILON);
	assert_float_equal(model.clients[0].phases, 0.5, EPSILON);
	assert_float_equal(model.clients[0].faults, 0, EPSILON);
	assert_int_equal(model.channel_count, 2);
	assert_int_equal(model.channels[1].row.id, 2);
	assert_float_equal(model.channels[1].bytes, 50, EPSILON);
	assert_int_equal(model.channels[1].moved, 500);
	model_free(&model);
}

static void clients_are_found_again_by_their_number(void **state)
{
	struct sample sample = { };
	struct model model = { };

	(void)state;
	add_client(&sample, 3, SECOND)->info.moved = 10;
	add_client(&sample, 7, SECOND)->info.moved = 10;
	update(&model, &sample);
	/* Client 3 has ended, and client 8 is new. */
	add_client(&sample, 7, 2 * SECOND)->info.moved = 30;
	add_client(&sample, 8, 2 * SECOND)->info.moved = 30;
	update(&model, &sample);
	assert_float_equal(model.clients[0].bytes, 20, EPSILON);
	assert_true(isnan(model.clients[1].bytes));
	model_free(&model);
}

static void a_counter_that_falls_has_no_rate(void **state)
{
	struct sample sample = { };
	struct model model = { };

	(void)state;
	add_client(&sample, 1, SECOND)->info.phases = 10;
	update(&model, &sample);
	add_client(&sample, 1, 2 * SECOND)->info.phases = 9;
	update(&model, &sample);
	assert_true(isnan(model.clients[0].phases));
	assert_float_equal(model.clients[0].bytes, 0, EPSILON);
	model_free(&model);
}

static void two_samples_at_one_time_have_no_rates(void **state)
{
	struct sample sample = { };
	struct model model = { };

	(void)state;
	add_client(&sample, 1, SECOND);
	update(&model, &sample);
	add_client(&sample, 1, SECOND)->info.moved = 9;
	update(&model, &sample);
	assert_true(isnan(model.clients[0].bytes));
	model_free(&model);
}

static void nothing_is_busier_than_all_the_time(void **state)
{
	struct sample sample = { };
	struct model model = { };

	(void)state;
	add_client(&sample, 1, SECOND);
	update(&model, &sample);
	add_client(&sample, 1, 2 * SECOND)->info.busy = SECOND + 1000;
	update(&model, &sample);
	assert_float_equal(model.clients[0].busy, 1, 0);
	model_free(&model);
}

/* --- clusters ------------------------------------------------------------------------ */

static void threads_are_counted_by_what_they_do(void **state)
{
	struct sample sample = { };
	struct model model = { };
	struct ps_cluster *cluster = add_cluster(&sample, 4, 9 * SECOND, 64, 4);
	const struct cluster_row *row;

	(void)state;
	set_wait(&cluster->entries[0], 0x3, 64, 8 * SECOND);
	set_wait(&cluster->entries[1], 0x4, 64, 6 * SECOND);
	cluster->entries[1].flags = DRM_VSM_STATE_ARMED;
	/* A wait that was armed for no thread. */
	set_wait(&cluster->entries[2], 1, 72, 7 * SECOND);
	cluster->entries[2].flags = DRM_VSM_STATE_ARMED;
	cluster->entries[2].lanes = 0;
	cluster->entries[3] = (struct drm_vsm_state_entry){
		.kind = DRM_VSM_STATE_RENDEZVOUS, .flags = DRM_VSM_STATE_SUSPENDED,
		.thread = 32, .lanes = 0x70, .since = 8 * SECOND,
	};
	cluster->state.live = 60;
	update(&model, &sample);
	row = &model.clusters[0];
	assert_int_equal(row->row.id, 4);
	assert_int_equal(row->row.client, 1);
	assert_string_equal(row->row.comm, "test");
	assert_int_equal(row->threads, 64);
	assert_int_equal(row->waiting, 6);
	assert_int_equal(row->armed, 2);
	assert_int_equal(row->meeting, 3);
	assert_int_equal(row->exited, 4);
	assert_int_equal(row->oldest, 3 * SECOND);
	assert_int_equal(row->status, STATUS_NONE);
	model_free(&model);
}

static void a_cluster_that_does_nothing_has_no_oldest_wait(void **state)
{
	struct sample sample = { };
	struct model model = { };

	(void)state;
	add_cluster(&sample, 1, SECOND, 32, 0);
	update(&model, &sample);
	assert_int_equal(model.clusters[0].oldest, -1);
	assert_int_equal(model.clusters[0].status, STATUS_NONE);
	model_free(&model);
}

static void a_cluster_can_be_held_or_lost(void **state)
{
	struct sample sample = { };
	struct model model = { };

	(void)state;
	add_cluster(&sample, 1, SECOND, 32, 0)->state.status = DRM_VSM_STATE_CLUSTER_HELD;
	add_cluster(&sample, 2, SECOND, 32, 0)->state.status = DRM_VSM_STATE_CLUSTER_HELD |
							       DRM_VSM_STATE_LOST;
	update(&model, &sample);
	assert_int_equal(model.clusters[0].status, STATUS_HELD);
	assert_int_equal(model.clusters[1].status, STATUS_LOST);
	model_free(&model);
}

/* A sample at @time in which @lanes of a cluster of 2 threads wait since @since. */
static enum status status_at(struct model *model, int64_t time, uint32_t lanes, int64_t since,
			     uint64_t phases)
{
	struct sample sample = { .time = time };
	struct ps_cluster *cluster;

	cluster = add_cluster(&sample, 1, time, 2, lanes ? 1 : 0);
	if (lanes)
		set_wait(&cluster->entries[0], lanes, 64, since);
	add_client(&sample, 1, time)->info.phases = phases;
	update(model, &sample);
	return model->clusters[0].status;
}

static void a_deadlock_needs_two_equal_samples(void **state)
{
	struct model model = { };

	(void)state;
	assert_int_equal(status_at(&model, 1 * SECOND, 3, SECOND, 0), STATUS_NONE);
	assert_int_equal(status_at(&model, 2 * SECOND, 3, SECOND, 0), STATUS_DEADLOCK);
	/* The threads wait again, and for the same phase. */
	assert_int_equal(status_at(&model, 3 * SECOND, 3, 2 * SECOND, 0), STATUS_DEADLOCK);
	/* A phase has completed meanwhile. */
	assert_int_equal(status_at(&model, 4 * SECOND, 3, 4 * SECOND, 1), STATUS_NONE);
	assert_int_equal(status_at(&model, 5 * SECOND, 3, 4 * SECOND, 1), STATUS_DEADLOCK);
	/* One of the two runs. */
	assert_int_equal(status_at(&model, 6 * SECOND, 1, 4 * SECOND, 1), STATUS_NONE);
	model_free(&model);
}

static void a_cluster_is_stuck_after_some_time(void **state)
{
	struct model model = { };

	(void)state;
	assert_int_equal(status_at(&model, 1 * SECOND, 1, SECOND, 0), STATUS_NONE);
	assert_int_equal(status_at(&model, 1 * SECOND + PAST_STUCK - 1, 1, SECOND, 0),
			 STATUS_NONE);
	assert_int_equal(status_at(&model, 1 * SECOND + PAST_STUCK, 1, SECOND, 0), STATUS_STUCK);
	/* Progress begins the time again. */
	assert_int_equal(status_at(&model, 7 * SECOND, 1, SECOND, 1), STATUS_NONE);
	assert_int_equal(status_at(&model, 11 * SECOND, 1, SECOND, 1), STATUS_NONE);
	assert_int_equal(status_at(&model, 12 * SECOND, 1, SECOND, 1), STATUS_STUCK);
	model_free(&model);
}

static void a_cluster_without_waits_is_never_stuck(void **state)
{
	struct model model = { };

	(void)state;
	assert_int_equal(status_at(&model, 1 * SECOND, 0, 0, 0), STATUS_NONE);
	assert_int_equal(status_at(&model, 100 * SECOND, 0, 0, 0), STATUS_NONE);
	model_free(&model);
}

static void copies_in_flight_are_no_deadlock(void **state)
{
	struct model model = { };
	int64_t time;

	(void)state;
	for (time = SECOND; time < 4 * SECOND; time += SECOND) {
		struct sample sample = { .time = time };
		struct ps_cluster *cluster = add_cluster(&sample, 1, time, 2, 2);

		set_wait(&cluster->entries[0], 3, 64, SECOND);
		cluster->entries[1] = (struct drm_vsm_state_entry){
			.kind = DRM_VSM_STATE_OPERATION, .client = 1,
		};
		update(&model, &sample);
		assert_int_equal(model.clusters[0].status, STATUS_NONE);
	}
	model_free(&model);
}

static void a_list_that_is_not_complete_is_no_deadlock(void **state)
{
	struct model model = { };
	int64_t time;

	(void)state;
	for (time = SECOND; time < 4 * SECOND; time += SECOND) {
		struct sample sample = { .time = time };
		struct ps_cluster *cluster = add_cluster(&sample, 1, time, 2, 1);

		set_wait(&cluster->entries[0], 3, 64, SECOND);
		cluster->state.status = DRM_VSM_STATE_MORE;
		update(&model, &sample);
		assert_int_equal(model.clusters[0].status, STATUS_NONE);
	}
	model_free(&model);
}

static void another_cluster_has_another_past(void **state)
{
	struct sample sample = { };
	struct model model = { };
	struct ps_cluster *cluster;

	(void)state;
	cluster = add_cluster(&sample, 1, SECOND, 2, 1);
	set_wait(&cluster->entries[0], 3, 64, SECOND);
	update(&model, &sample);
	cluster = add_cluster(&sample, 2, 2 * SECOND, 2, 1);
	set_wait(&cluster->entries[0], 3, 64, SECOND);
	update(&model, &sample);
	assert_int_equal(model.clusters[0].status, STATUS_NONE);
	model_free(&model);
}

/* --- channels ------------------------------------------------------------------------ */

static void channels_have_jobs_and_operations(void **state)
{
	struct sample sample = { };
	struct model model = { };
	struct ps_cluster *cluster = add_cluster(&sample, 1, SECOND, 32, 5);
	struct drm_vsm_state_entry *entries = cluster->entries;
	uint32_t i;

	(void)state;
	add_client(&sample, 1, SECOND)->info.channels = 3;
	for (i = 0; i < 5; i++) {
		entries[i].kind = i < 3 ? DRM_VSM_STATE_JOB : DRM_VSM_STATE_OPERATION;
		entries[i].client = 1;
	}
	entries[0].id = 1;
	entries[0].missing = 2;
	strcpy(entries[0].name, "vgem queue");
	entries[1].id = 1;
	entries[1].missing = 1;
	strcpy(entries[1].name, "other");
	entries[2].flags = DRM_VSM_STATE_RUNNING;
	entries[3].flags = DRM_VSM_STATE_HELD;
	update(&model, &sample);
	assert_int_equal(model.channel_count, 2);
	assert_int_equal(model.channels[0].jobs, 1);
	assert_true(model.channels[0].running);
	assert_int_equal(model.channels[0].operations, 2);
	assert_int_equal(model.channels[0].held, 1);
	assert_int_equal(model.channels[1].jobs, 2);
	assert_int_equal(model.channels[1].fences, 2);
	assert_string_equal(model.channels[1].fence, "vgem queue");
	assert_false(model.channels[1].running);
	model_free(&model);
}

static void channels_of_clients_without_fdinfo_are_shown(void **state)
{
	struct sample sample = { };
	struct model model = { };
	struct ps_cluster *cluster = add_cluster(&sample, 1, SECOND, 32, 3);

	(void)state;
	cluster->entries[0].kind = DRM_VSM_STATE_JOB;
	cluster->entries[0].client = 1;
	cluster->entries[0].pid = 9;
	cluster->entries[0].id = 4;
	cluster->entries[1] = cluster->entries[0];
	/* This client is hidden from the caller. */
	cluster->entries[2].kind = DRM_VSM_STATE_JOB;
	update(&model, &sample);
	assert_int_equal(model.channel_count, 1);
	assert_int_equal(model.channels[0].row.id, 4);
	assert_int_equal(model.channels[0].row.pid, 9);
	assert_string_equal(model.channels[0].row.comm, "test");
	assert_int_equal(model.channels[0].jobs, 2);
	assert_true(isnan(model.channels[0].bytes));
	assert_true(model.channels[0].moved == UINT64_MAX);
	model_free(&model);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_sample_has_no_rates),
		cmocka_unit_test(rates_are_those_since_the_sample_before),
		cmocka_unit_test(clients_are_found_again_by_their_number),
		cmocka_unit_test(a_counter_that_falls_has_no_rate),
		cmocka_unit_test(two_samples_at_one_time_have_no_rates),
		cmocka_unit_test(nothing_is_busier_than_all_the_time),
		cmocka_unit_test(threads_are_counted_by_what_they_do),
		cmocka_unit_test(a_cluster_that_does_nothing_has_no_oldest_wait),
		cmocka_unit_test(a_cluster_can_be_held_or_lost),
		cmocka_unit_test(a_deadlock_needs_two_equal_samples),
		cmocka_unit_test(a_cluster_is_stuck_after_some_time),
		cmocka_unit_test(a_cluster_without_waits_is_never_stuck),
		cmocka_unit_test(copies_in_flight_are_no_deadlock),
		cmocka_unit_test(a_list_that_is_not_complete_is_no_deadlock),
		cmocka_unit_test(another_cluster_has_another_past),
		cmocka_unit_test(channels_have_jobs_and_operations),
		cmocka_unit_test(channels_of_clients_without_fdinfo_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
