/* SPDX-License-Identifier: MIT */
/*
 * Finds the clients of vsm among the files of all processes.
 */
#ifndef _TOP_PROCESSES_H_
#define _TOP_PROCESSES_H_

#include <stddef.h>
#include <stdint.h>

#include "top/fdinfo.h"

/* The character devices of DRM. */
#define DRM_MAJOR 226

/**
 * struct client - A client, and a process that has it open
 * @time: When it was read (CLOCK_MONOTONIC, ns)
 * @pid: The process with the lowest number
 * @comm: Name of this process
 * @info: What fdinfo shows
 */
struct client {
	int64_t time;
	uint32_t pid;
	char comm[64];
	struct fdinfo info;
};

/*
 * Reads the clients of all processes whose files the caller may see, except those of the process
 * @except. @proc is "/proc", and @major the major number of the devices to look at. A process may
 * end, or close a file, while it is read. Stores the clients in @clients, in the order of devices
 * and clients, each once. The caller frees them. Returns their number.
 */
size_t processes_read(const char *proc, unsigned int major, uint32_t except,
		      struct client **clients);

/* Compares two clients by device and number, for qsort() and bsearch(). */
int client_compare(const void *a, const void *b);

#endif
