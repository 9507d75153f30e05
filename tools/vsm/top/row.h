/* SPDX-License-Identifier: MIT */
/*
 * The rows that vsm top shows.
 */
#ifndef _TOP_ROW_H_
#define _TOP_ROW_H_

#include <stdbool.h>
#include <stdint.h>

#include "top/fdinfo.h"

enum status {
	STATUS_NONE,
	STATUS_HELD,
	STATUS_STUCK,
	STATUS_DEADLOCK,
	STATUS_LOST,
};

/**
 * struct row - What rows of all tables have
 * @device: Instance number of the device
 * @client: Number of the client; for a cluster the client that has created it
 * @id: Number of the cluster or of the channel; 0 for a client
 * @pid: The process, or 0 if it is not known
 * @comm: Name of the process, as the process has set it
 */
struct row {
	uint32_t device;
	uint32_t client;
	uint32_t id;
	uint32_t pid;
	char comm[64];
};

/**
 * struct client_row - A client. A rate is NAN if it is not known
 * @row: Which client
 * @info: What fdinfo shows
 * @busy: Part of the time in which its channels were busy, from 0 to 1
 * @bytes: Bytes that were moved, a second
 * @phases: Phases that completed, a second
 * @faults: Faults, a second
 */
struct client_row {
	struct row row;
	struct fdinfo info;
	double busy;
	double bytes;
	double phases;
	double faults;
};

/**
 * struct cluster_row - A cluster
 * @row: Which cluster
 * @threads: Number of its threads
 * @waiting: Threads that wait, in a call or with an armed wait
 * @armed: Waits that are armed
 * @meeting: How many of @waiting are in a rendezvous
 * @exited: Threads that have exited
 * @oldest: How long the oldest wait has lasted (ns), or -1 if there is no wait
 * @status: The worst that is known about it
 */
struct cluster_row {
	struct row row;
	uint32_t threads;
	uint32_t waiting;
	uint32_t armed;
	uint32_t meeting;
	uint32_t exited;
	int64_t oldest;
	enum status status;
};

/**
 * struct channel_row - A channel of the copy engine
 * @row: Which channel
 * @jobs: Jobs that are queued or run
 * @operations: Copies and other operations in flight
 * @held: How many of @operations are held
 * @fences: Fences that its first job waits for
 * @running: A job runs
 * @fence: Driver and timeline of the fence
 * @moved: Bytes that it has moved, or UINT64_MAX if that is not known
 * @bytes: Bytes that it has moved, a second, or NAN
 */
struct channel_row {
	struct row row;
	uint32_t jobs;
	uint32_t operations;
	uint32_t held;
	uint32_t fences;
	bool running;
	char fence[32];
	uint64_t moved;
	double bytes;
};

/* "stuck" and such; "" for %STATUS_NONE. */
const char *status_name(enum status status);

#endif
