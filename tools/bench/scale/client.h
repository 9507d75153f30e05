/* SPDX-License-Identifier: MIT */
/*
 * Clients of the device, each with a file, a cluster, a buffer and a wait set, and the operations
 * that the benchmark counts.
 */
#ifndef _CLIENT_H_
#define _CLIENT_H_

#include <pthread.h>
#include <stdbool.h>
#include <vsm.h>

#define STREAM	64	/* instructions in a stream */
#define LANES	32	/* threads of a warp */
#define COPY	1024	/* bytes of a small copy */
#define JOB	(64 << 10)	/* bytes of a large copy */

/* Number of mbarriers of a client, and the distance between two of them. */
enum mbar { STILL, LEFT, RIGHT, COPIED, WAITED, MBARS };
#define MBAR_STRIDE	128
#define WINDOW		(MBARS * MBAR_STRIDE + JOB)

struct client {
	struct vsm_device *device;
	int fd;				/* of the device */
	struct vsm_cluster *cluster;
	struct vsm_buffer *buffer;
	int set;			/* wait set */
	uint32_t base;			/* address of the first mbarrier */
	uint32_t first_thread;		/* of the cluster, for this client */
	struct vsm_cluster_config config;

	/* What operations keep between their turns. */
	unsigned int phases[MBARS];
	struct drm_vsm_insn insns[STREAM];
	struct drm_vsm_exec exec;
	pthread_t other;
	unsigned int other_turns, other_phase;
	struct vsm_cluster *lost;
	char node[64];
};

/* Configuration of a cluster of @threads threads, of which a CTA has at most 1024. */
struct vsm_cluster_config config_of(uint32_t threads);

/* Creates a cluster. Exits if that fails. */
struct vsm_cluster *create_cluster(struct vsm_device *device,
				   const struct vsm_cluster_config *config);

/* Opens the device for a user of its own. */
void open_as(uint32_t user, struct vsm_device **device);

/* Opens a client with a cluster, as user @user. */
void open_client(struct client *client, uint32_t user, uint32_t threads);

/* Makes a client that uses the file of @with, and its cluster, or a cluster of its own. */
void join_client(struct client *client, const struct client *with, bool own_cluster);

/* An operation. Only @turn is counted. All functions but @turn may be NULL. */
struct operation {
	const char *name;
	void (*begin)(struct client *client, unsigned int turns);
	void (*prepare)(struct client *client);
	void (*turn)(struct client *client);
	void (*end)(struct client *client);
	bool large;	/* needs the whole window, and cannot share a client with another task */
	bool reuses;	/* frees pages that the other task gets next: shared lines mean nothing */
};

extern const struct operation operations[];
extern const unsigned int operation_count;

#endif
