// SPDX-License-Identifier: MIT
/* Events of the device: which of them end a launch. */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include "mock.h"

#include <sys/eventfd.h>
#include <sys/socket.h>

#include "hang_state.h"
#include "run/device.h"
#include "run/group.h"

static struct vsm_ptx_context context;
static struct state *launched;
static int events_to;

static int setup(void **state)
{
	if (mock_setup_cluster(state))
		return -1;
	events_to = mock_events();
	context = (struct vsm_ptx_context){ .device = device };
	pthread_mutex_init(&context.lock, NULL);
	launched = state_create();
	launched->loaded.context = &context;
	launched->launch.fault.failure = FAILURE_NONE;
	launched->launch.wake = eventfd(0, EFD_NONBLOCK);
	pthread_mutex_init(&launched->launch.lock, NULL);
	pthread_cond_init(&launched->launch.room, NULL);
	launched->cluster->device = cluster;
	ptx_event_remember(launched->cluster);
	return 0;
}

static int teardown(void **state)
{
	ptx_event_forget(launched->cluster);
	assert_null(context.clusters);
	close(launched->launch.wake);
	state_destroy(launched);
	close(events_to);
	return mock_teardown_cluster(state);
}

static void send_event(struct drm_vsm_event_fault event)
{
	event.base.type = DRM_VSM_EVENT_FAULT;
	event.base.length = sizeof(event);
	assert_int_equal(send(events_to, &event, sizeof(event), 0), sizeof(event));
}

/* A fault of a copy that a thread of the cluster has issued. */
static struct drm_vsm_event_fault event_of(uint32_t thread)
{
	return (struct drm_vsm_event_fault){
		.cluster = vsm_cluster_handle(cluster), .cta = 1, .thread = thread,
		.source = DRM_VSM_SOURCE_ASYNC,
		.insn = { .op = DRM_VSM_OP_CP_ASYNC_BULK_G2S,
			  .fault = DRM_VSM_FAULT_TX_OVERDELIVERY },
	};
}

TEST(the_fault_of_a_copy_ends_the_launch)
{
	const struct ptx_fault *fault = &launched->launch.fault;

	send_event(event_of(70));
	ptx_event_read(&context);
	assert_int_equal(fault->failure, FAILURE_ASYNC);
	assert_int_equal(fault->insn.fault, DRM_VSM_FAULT_TX_OVERDELIVERY);
	assert_int_equal(fault->ctaid[0], 1);
	assert_int_equal(fault->warp, 2);
	assert_int_equal(fault->lane, 6);
	assert_true(ptx_launch_stops(&launched->launch));
}

/* Copies that differ only in their tensor maps look alike: the newest one is named. */
TEST(the_fault_of_a_copy_has_the_line_of_the_newest_copy_that_is_alike)
{
	struct ptx_issue issues[PTX_ISSUES] = { };
	struct drm_vsm_event_fault event = event_of(70);
	struct ptx_warp *warp = &launched->warps[1][2];
	const struct ptx_issue other = { .step = 7, .thread = 71, .insn = event.insn };
	/* The list was full, and has begun again: the newest is the third. */
	const unsigned int at[] = { PTX_ISSUES - 1, 0, 2 }, steps[] = { 3, 4, 5 };
	unsigned int i;

	for (i = 0; i < 3; i++)
		issues[at[i]] = (struct ptx_issue){
			.step = steps[i], .thread = 70, .insn = event.insn,
		};
	issues[1] = other;
	warp->issues = issues;
	warp->issued = PTX_ISSUES + 3;
	send_event(event);
	ptx_event_read(&context);
	warp->issues = NULL;
	assert_int_equal(launched->launch.fault.failure, FAILURE_ASYNC);
	assert_int_equal(launched->launch.fault.step, 5);
}

/* A wait ends because the cluster is lost. The event says for which rule the copy has trapped. */
TEST(a_trap_ends_the_launch_before_the_loss_of_its_cluster)
{
	const struct drm_vsm_wait_record lost = { .status = DRM_VSM_WAIT_CLUSTER_LOST };
	const struct ptx_fault *fault = &launched->launch.fault;
	struct ptx_group group = { .warp = &launched->warps[0][1], .lanes = 1 };

	launched->worker.launch = &launched->launch;
	send_event(event_of(70));
	ptx_device_resume(&launched->worker, &group, &lost);
	assert_int_equal(fault->failure, FAILURE_ASYNC);
	assert_int_equal(fault->insn.fault, DRM_VSM_FAULT_TX_OVERDELIVERY);
	launched->launch.fault.failure = FAILURE_NONE;
	ptx_device_resume(&launched->worker, &group, &lost);
	assert_int_equal(fault->failure, FAILURE_ERROR);
	assert_int_equal(fault->error, -EIO);
}

TEST(other_events_do_not_end_it)
{
	struct drm_vsm_event_fault event = event_of(0);

	event.cluster += 1;
	send_event(event);
	event = event_of(0);
	event.flags = DRM_VSM_EVENT_REPORTED;
	send_event(event);
	event = event_of(0);
	event.source = DRM_VSM_SOURCE_ASYNC + 1;
	send_event(event);
	/* The cluster has 2 CTAs of 128 threads. */
	send_event(event_of(128));
	event = event_of(0);
	event.cta = 2;
	send_event(event);
	ptx_event_read(&context);
	assert_int_equal(launched->launch.fault.failure, FAILURE_NONE);
	assert_false(ptx_launch_stops(&launched->launch));
}

TEST(one_call_reads_all_events)
{
	static const unsigned int counts[] = { 15, 16, 17, 31, 32, 33, 100 };
	unsigned int i, j;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct drm_vsm_event_fault other = event_of(0);

		other.cluster += 1;
		for (j = 0; j < counts[i]; j++)
			send_event(other);
		send_event(event_of(i));
		launched->launch.fault.failure = FAILURE_NONE;
		ptx_event_read(&context);
		assert_int_equal(launched->launch.fault.failure, FAILURE_ASYNC);
		assert_int_equal(launched->launch.fault.lane, i);
	}
}

TEST_MAIN()
