// SPDX-License-Identifier: MIT
/*
 * The operations that the benchmark counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../measure.h"
#include "client.h"

#define WINDOWS	(64 << 10)	/* bytes of all windows of a cluster that is created in a turn */

static uint32_t mbar_at(const struct client *client, enum mbar mbar)
{
	return client->base + mbar * MBAR_STRIDE;
}

/* The window behind the mbarriers of the client, where its copies go. */
static uint32_t data_at(const struct client *client)
{
	return client->base + MBARS * MBAR_STRIDE;
}

static void call(struct client *client, unsigned long request, void *args, const char *what)
{
	if (ioctl(client->fd, request, args))
		die(what, errno);
}

static void set_stream(struct client *client, unsigned int count)
{
	client->exec = (struct drm_vsm_exec) {
		.cluster = vsm_cluster_handle(client->cluster),
		.insns = (uintptr_t)client->insns,
		.stride = sizeof(*client->insns),
		.count = count,
		.thread = client->first_thread,
	};
}

static void exec(struct client *client)
{
	client->exec.retired = 0;
	call(client, DRM_IOCTL_VSM_EXEC, &client->exec, "EXEC");
}

/* The same, if the last instruction is a try_wait, which is repeated until it is True. */
static void exec_until_true(struct client *client, struct drm_vsm_exec *args,
			    const struct drm_vsm_insn *insns)
{
	args->deadline = 0;
	for (args->retired = 0;; args->retired = args->count - 1) {
		call(client, DRM_IOCTL_VSM_EXEC, args, "EXEC");
		if (insns[args->count - 1].result)
			return;
	}
}

static void begin_arrives(struct client *client, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		client->insns[i] = vsm_prep_mbarrier_arrive(mbar_at(client, STILL), 0);
	set_stream(client, count);
}

static void begin_one(struct client *client, unsigned int turns)
{
	(void)turns;
	begin_arrives(client, 1);
}

static void begin_stream(struct client *client, unsigned int turns)
{
	(void)turns;
	begin_arrives(client, STREAM);
}

/* --- two tasks ----------------------------------------------------------------------- */

/* Turn i: the left task ends phase i of RIGHT and waits for phase i of LEFT. */
static void set_hand(struct client *client, struct drm_vsm_insn *insns, enum mbar arrive,
		     enum mbar await, unsigned int phase)
{
	insns[0] = vsm_prep_mbarrier_arrive(mbar_at(client, arrive), 0);
	insns[1] = vsm_prep_mbarrier_try_wait_parity(mbar_at(client, await), phase & 1, 0);
}

static void *play_right(void *arg)
{
	struct client *client = arg;
	struct drm_vsm_insn insns[2];
	struct drm_vsm_exec args = client->exec;
	unsigned int i;

	args.insns = (uintptr_t)insns;
	args.thread++;
	for (i = 0; i < client->other_turns; i++) {
		set_hand(client, insns, LEFT, RIGHT, client->other_phase + i);
		args.insns = (uintptr_t)&insns[1];
		args.count = 1;
		exec_until_true(client, &args, &insns[1]);
		args.insns = (uintptr_t)&insns[0];
		args.retired = 0;
		call(client, DRM_IOCTL_VSM_EXEC, &args, "EXEC");
	}
	return NULL;
}

static void begin_round_trip(struct client *client, unsigned int turns)
{
	set_stream(client, 2);
	client->other_turns = turns;
	client->other_phase = client->phases[LEFT];
	if (pthread_create(&client->other, NULL, play_right, client))
		die("pthread_create", EAGAIN);
}

static void round_trip(struct client *client)
{
	exec_until_true(client, &client->exec, client->insns);
}

static void prepare_round_trip(struct client *client)
{
	set_hand(client, client->insns, RIGHT, LEFT, client->phases[LEFT]++);
}

static void end_round_trip(struct client *client)
{
	pthread_join(client->other, NULL);
}

/* --- a wait set ----------------------------------------------------------------------- */

static void begin_wait(struct client *client, unsigned int turns)
{
	(void)turns;
	client->insns[0] = vsm_prep_mbarrier_arrive(mbar_at(client, WAITED), 0);
	set_stream(client, 1);
}

static void arm_arrive_read(struct client *client)
{
	struct drm_vsm_wait wait = {
		.cluster = vsm_cluster_handle(client->cluster),
		.addr = mbar_at(client, WAITED),
		.state = client->phases[WAITED]++ & 1,
		.deadline = VSM_NEVER,
		.flags = DRM_VSM_WAIT_PARITY,
	};
	struct drm_vsm_waitset_arm args = {
		.waits = (uintptr_t)&wait,
		.stride = sizeof(wait),
		.count = 1,
		.fd = client->set,
	};
	struct drm_vsm_wait_record record;

	call(client, DRM_IOCTL_VSM_WAITSET_ARM, &args, "WAITSET_ARM");
	exec(client);
	if (read(client->set, &record, sizeof(record)) != sizeof(record) || record.status)
		die("read", errno);
}

/* --- copies ---------------------------------------------------------------------------- */

static void set_copy(struct client *client, uint32_t size)
{
	uint32_t mbar = mbar_at(client, COPIED);

	client->insns[0] = vsm_prep_mbarrier_arrive_expect_tx(mbar, size, VSM_SINK);
	client->insns[1] = vsm_prep_cp_async_bulk_g2s(data_at(client),
						      vsm_buffer_handle(client->buffer), 0, size,
						      mbar);
	client->insns[2] = vsm_prep_mbarrier_try_wait_parity(mbar, client->phases[COPIED]++ & 1, 0);
	set_stream(client, 3);
}

static void prepare_copy(struct client *client)
{
	set_copy(client, COPY);
}

static void copy(struct client *client)
{
	exec_until_true(client, &client->exec, client->insns);
}

static void submit_copy(struct client *client)
{
	struct drm_vsm_submit args = {
		.cluster = vsm_cluster_handle(client->cluster),
		.insns = (uintptr_t)client->insns,
		.stride = sizeof(*client->insns),
		.count = 2,
	};

	call(client, DRM_IOCTL_VSM_SUBMIT, &args, "SUBMIT");
	client->exec.insns = (uintptr_t)&client->insns[2];
	client->exec.count = 1;
	exec_until_true(client, &client->exec, &client->insns[2]);
}

static void prepare_large_copy(struct client *client)
{
	set_copy(client, JOB);
}

/* --- a rendezvous ------------------------------------------------------------------------ */

static void begin_warp(struct client *client, unsigned int turns)
{
	unsigned int i;

	(void)turns;
	for (i = 0; i < LANES; i++)
		client->insns[i] = vsm_prep_bar_warp_sync(~0U);
	set_stream(client, LANES);
	client->exec.flags = DRM_VSM_EXEC_LANES;
	client->exec.lanes = ~0U;
}

/* --- objects -------------------------------------------------------------------------------- */

/* Without the mapping of the windows, which costs by the page. */
static void create_destroy(struct client *client)
{
	struct drm_vsm_cluster_create args = {
		.ctas = client->config.ctas,
		.threads = client->config.threads,
		.smem_bytes = WINDOWS / client->config.ctas,
		.layout = client->config.layout,
		.policy = client->config.policy,
	};
	struct drm_gem_close gem_close = {};

	call(client, DRM_IOCTL_VSM_CLUSTER_CREATE, &args, "CLUSTER_CREATE");
	gem_close.handle = args.handle;
	call(client, DRM_IOCTL_GEM_CLOSE, &gem_close, "GEM_CLOSE");
}

static void begin_open(struct client *client, unsigned int turns)
{
	char link[40];

	(void)turns;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", client->fd);
	memset(client->node, 0, sizeof(client->node));
	if (readlink(link, client->node, sizeof(client->node) - 1) < 0)
		die(link, errno);
}

static void open_close(struct client *client)
{
	int fd = open(client->node, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die(client->node, errno);
	close(fd);
}

/*
 * In the hardware policy, an arrive on a poisoned word loses the cluster. The worker that then ends
 * the waits of the cluster counts too: destroying the cluster waits for it.
 */
static void prepare_loss(struct client *client)
{
	struct vsm_cluster_config config = client->config;
	struct vsm_thread thread;
	int ret;

	config.policy = DRM_VSM_POLICY_HARDWARE;
	config.smem_bytes = WINDOWS / config.ctas;
	client->lost = create_cluster(client->device, &config);
	thread = vsm_thread_at(client->lost, 0, 0);
	ret = vsm_execute(&thread, vsm_prep_mbarrier_init(0, 1, 0), NULL);
	if (ret)
		die("mbarrier.init", -ret);
	*(uint64_t *)vsm_cluster_window(client->lost, 0) |= VSM_SM_90_POISON;
	client->insns[0] = vsm_prep_mbarrier_arrive(0, 0);
	set_stream(client, 1);
	client->exec.thread = 0;
	client->exec.cluster = vsm_cluster_handle(client->lost);
}

static void lose(struct client *client)
{
	if (!ioctl(client->fd, DRM_IOCTL_VSM_EXEC, &client->exec) || errno != EPROTO)
		die("the cluster is not lost", errno);
	vsm_cluster_destroy(client->lost);
}

const struct operation operations[] = {
	{ .name = "EXEC of one arrive", .begin = begin_one, .turn = exec },
	{ .name = "EXEC of 64 arrives", .begin = begin_stream, .turn = exec },
	{ .name = "round trip of two tasks by try_wait", .begin = begin_round_trip,
	  .prepare = prepare_round_trip, .turn = round_trip, .end = end_round_trip },
	{ .name = "arm a wait, arrive, read", .begin = begin_wait, .turn = arm_arrive_read },
	{ .name = "EXEC of a copy of 1 KiB, wait", .prepare = prepare_copy, .turn = copy },
	{ .name = "SUBMIT of a copy of 1 KiB, wait", .prepare = prepare_copy, .turn = submit_copy },
	{ .name = "SUBMIT of a copy of 64 KiB, wait", .prepare = prepare_large_copy,
	  .turn = submit_copy, .large = true },
	{ .name = "bar.warp.sync of 32 lanes", .begin = begin_warp, .turn = exec },
	{ .name = "create and destroy a cluster", .turn = create_destroy },
	{ .name = "lose and destroy a cluster", .prepare = prepare_loss, .turn = lose,
	  .reuses = true },
	{ .name = "open and close the device", .begin = begin_open, .turn = open_close },
};

const unsigned int operation_count = sizeof(operations) / sizeof(operations[0]);
