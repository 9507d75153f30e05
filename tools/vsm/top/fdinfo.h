/* SPDX-License-Identifier: MIT */
/*
 * Reads what /proc/PID/fdinfo shows of a client of vsm.
 */
#ifndef _TOP_FDINFO_H_
#define _TOP_FDINFO_H_

#include <stdbool.h>
#include <stdint.h>

/* The most channels that a client can have. */
#define FDINFO_CHANNELS 16

/**
 * struct fdinfo - What fdinfo shows of a client
 * @device: Instance number of its device
 * @client: Number of the client
 * @busy: Time in which its channels were busy, in ns, summed up
 * @capacity: Number of its channels
 * @total: Bytes of its memory
 * @shared: Bytes that other clients also have
 * @resident: Bytes that take pages
 * @active: Bytes that operations in flight use
 * @moved: Bytes that its copies have moved
 * @phases: Phases that have completed in the clusters for which it has a handle
 * @faults: Faults that it has caused
 * @channels: Mask of its channels
 * @channel_moved: Bytes that each channel has moved
 */
struct fdinfo {
	uint32_t device;
	uint32_t client;
	uint64_t busy;
	uint64_t capacity;
	uint64_t total;
	uint64_t shared;
	uint64_t resident;
	uint64_t active;
	uint64_t moved;
	uint64_t phases;
	uint64_t faults;
	uint32_t channels;
	uint64_t channel_moved[FDINFO_CHANNELS];
};

/*
 * Reads the text of a file in fdinfo. Keys that are not known are ignored, and keys that are
 * missing have the value 0. Returns false if the file is not one of vsm.
 */
bool fdinfo_parse(const char *text, struct fdinfo *info);

#endif
