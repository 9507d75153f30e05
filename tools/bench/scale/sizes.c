// SPDX-License-Identifier: MIT
/*
 * The cost of operations against the size of what they do not use: threads of their cluster, waits
 * that are armed elsewhere, other clusters, other clients.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../measure.h"
#include "client.h"
#include "sizes.h"
#include "turns.h"

#define TURNS		31
#define FEW_TURNS	5
#define THREADS		256
#define WAITS		131072		/* waits of a client */
#define BATCH		65536		/* waits of one WAITSET_ARM */
#define OTHERS		64		/* clients */
#define SIZES		6		/* of a kind */

static struct client client;
static unsigned int turns = TURNS;

static void run_operations(const char *kind, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < operation_count; i++) {
		double took = run_turns(&operations[i], &client, turns, false);

		end_row(kind, size, operations[i].name, took);
	}
}

static void close_client(void)
{
	vsm_buffer_destroy(client.buffer);
	close(client.set);
	vsm_cluster_destroy(client.cluster);
	vsm_device_close(client.device);
}

static void with_threads(const char *kind, unsigned int size)
{
	open_client(&client, 0, size);
	run_operations(kind, size);
	close_client();
}

/* Arms @count waits in a wait set, for the phases of mbarriers that stay incomplete. */
static void arm_waits(struct vsm_device *device, struct vsm_cluster *cluster, int set,
		      unsigned int count)
{
	struct drm_vsm_wait *waits = calloc(count, sizeof(*waits));
	struct drm_vsm_waitset_arm args = {
		.waits = (uintptr_t)waits,
		.stride = sizeof(*waits),
		.count = count,
		.fd = set,
	};
	unsigned int i;

	if (!waits)
		die("calloc", ENOMEM);
	for (i = 0; i < count; i++)
		waits[i] = (struct drm_vsm_wait) {
			.cluster = vsm_cluster_handle(cluster),
			.addr = STILL,
			.deadline = VSM_NEVER,
			.flags = DRM_VSM_WAIT_PARITY,
		};
	if (ioctl(vsm_device_fd(device), DRM_IOCTL_VSM_WAITSET_ARM, &args))
		die("WAITSET_ARM", errno);
	free(waits);
}

static void arm_all(struct client *with, unsigned int count)
{
	unsigned int part;

	for (; count; count -= part) {
		part = count < BATCH ? count : BATCH;
		arm_waits(with->device, with->cluster, with->set, part);
	}
}

/* The waits of a cluster of the same client. */
static void with_own_waits(const char *kind, unsigned int size)
{
	struct client other;

	open_client(&client, 0, THREADS);
	join_client(&other, &client, true);
	arm_all(&other, size);
	run_operations(kind, size);
	close(other.set);
	vsm_buffer_destroy(other.buffer);
	vsm_cluster_destroy(other.cluster);
	close_client();
}

/* Waits of other clients, of which each belongs to another user. */
static void with_waits(const char *kind, unsigned int size)
{
	static struct client others[OTHERS];
	unsigned int n = 0, left = size;

	open_client(&client, 0, THREADS);
	while (left) {
		unsigned int part = left < WAITS ? left : WAITS;

		open_client(&others[n], n + 1, THREADS);
		arm_all(&others[n++], part);
		left -= part;
	}
	run_operations(kind, size);
	close_client();
	while (n--) {
		client = others[n];
		close_client();
	}
}

static void with_clusters(const char *kind, unsigned int size)
{
	struct vsm_cluster_config config = { .ctas = 1, .threads = LANES, .smem_bytes = 1024,
					     .layout = VSM_LAYOUT_SM_90 };
	struct vsm_cluster **others = calloc(size, sizeof(*others));
	unsigned int i;

	if (!others)
		die("calloc", ENOMEM);
	open_client(&client, 0, THREADS);
	for (i = 0; i + 1 < size; i++)
		others[i] = create_cluster(client.device, &config);
	run_operations(kind, size);
	for (i = 0; i + 1 < size; i++)
		vsm_cluster_destroy(others[i]);
	free(others);
	close_client();
}

static void with_clients(const char *kind, unsigned int size)
{
	static struct client others[OTHERS];
	unsigned int n;

	open_client(&client, 0, THREADS);
	for (n = 0; n + 1 < size; n++)
		open_client(&others[n], n + 1, THREADS);
	run_operations(kind, size);
	close_client();
	while (n--) {
		client = others[n];
		close_client();
	}
}

static const struct {
	const char *kind;
	void (*with)(const char *kind, unsigned int size);
	unsigned int sizes[SIZES];
} loads[] = {
	{ "threads of the cluster", with_threads, { 32, 256, 1024, 4096, 16384 } },
	{ "waits of another cluster", with_own_waits, { 1, 10, 100, 1000, 10000, 100000 } },
	{ "waits of other clients", with_waits, { 1, 100, 10000, 100000, 1000000 } },
	{ "clusters of the client", with_clusters, { 1, 4, 16, 64, 256, 1000 } },
	{ "clients", with_clients, { 1, 4, 16, 64 } },
};

void size_rows(bool few)
{
	unsigned int i, j;

	turns = few ? FEW_TURNS : TURNS;
	for (i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		for (j = 0; j < (few ? 1 : SIZES) && loads[i].sizes[j]; j++)
			loads[i].with(loads[i].kind, loads[i].sizes[j]);
}
