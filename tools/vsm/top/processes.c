// SPDX-License-Identifier: MIT
/*
 * Finds the clients of vsm among the files of all processes.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"
#include "top/processes.h"

/**
 * struct scan - A search for clients
 * @major: Major number of the devices to look at
 * @clients: Clients that were found; a client is there for each of its files
 * @count: Number of @clients
 */
struct scan {
	unsigned int major;
	struct client *clients;
	size_t count;
};

/* Reads the beginning of a file. Returns false if that fails, for example because it is gone. */
static bool read_file(int folder, const char *path, char *text, size_t size)
{
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t length = 0;
	ssize_t done;

	if (fd < 0)
		return false;
	do {
		done = read(fd, text + length, size - 1 - length);
		length += done > 0 ? done : 0;
	} while (done > 0);
	close(fd);
	text[length] = '\0';
	return !done;
}

/*
 * Is the file a device with the major number? The file may be on a file system whose server does
 * not answer. AT_STATX_DONT_SYNC does not wait for it.
 */
static bool is_device(const struct scan *scan, int folder, const char *fd)
{
	struct statx info;

	return !statx(folder, fd, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE, &info) &&
	       S_ISCHR(info.stx_mode) && info.stx_rdev_major == scan->major;
}

static void add_client(struct scan *scan, int process, uint32_t pid, const char *text)
{
	struct client *client;

	scan->clients = grow(scan->clients, scan->count, sizeof(*scan->clients));
	client = &scan->clients[scan->count];
	*client = (struct client){ .time = time_now(), .pid = pid };
	if (!fdinfo_parse(text, &client->info))
		return;
	if (!read_file(process, "comm", client->comm, sizeof(client->comm)))
		client->comm[0] = '\0';
	client->comm[strcspn(client->comm, "\n")] = '\0';
	scan->count++;
}

static void scan_process(struct scan *scan, int process, uint32_t pid)
{
	char path[32 + sizeof(((struct dirent *)NULL)->d_name)], text[8192];
	int folder = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *entry;
	DIR *dir;

	dir = folder >= 0 ? fdopendir(folder) : NULL;
	if (!dir) {
		if (folder >= 0)
			close(folder);
		return;
	}
	while ((entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !is_device(scan, folder, entry->d_name))
			continue;
		snprintf(path, sizeof(path), "fdinfo/%s", entry->d_name);
		if (read_file(process, path, text, sizeof(text)))
			add_client(scan, process, pid, text);
	}
	closedir(dir);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int client_compare(const void *a, const void *b)
{
	const struct fdinfo *x = &((const struct client *)a)->info;
	const struct fdinfo *y = &((const struct client *)b)->info;

	return compare_numbers((uint64_t)x->device << 32 | x->client,
			       (uint64_t)y->device << 32 | y->client);
}

static int compare_files(const void *a, const void *b)
{
	const struct client *x = a, *y = b;

	return client_compare(a, b) ?: compare_numbers(x->pid, y->pid);
}

/* A client has several files if one was duplicated, inherited or passed on. Keeps the first. */
static void keep_one(struct scan *scan)
{
	size_t from, to = 0;

	if (!scan->count)
		return;
	qsort(scan->clients, scan->count, sizeof(*scan->clients), compare_files);
	for (from = 0; from < scan->count; from++)
		if (!to || client_compare(&scan->clients[to - 1], &scan->clients[from]))
			scan->clients[to++] = scan->clients[from];
	scan->count = to;
}

size_t processes_read(const char *proc, unsigned int major, uint32_t except,
		      struct client **clients)
{
	struct scan scan = { .major = major };
	DIR *dir = opendir(proc);
	struct dirent *entry;
	uint32_t pid;
	int process;

	while (dir && (entry = readdir(dir))) {
		pid = strtoul(entry->d_name, NULL, 10);
		if (!pid || pid == except)
			continue;
		process = openat(dirfd(dir), entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (process < 0)
			continue;
		scan_process(&scan, process, pid);
		close(process);
	}
	if (dir)
		closedir(dir);
	keep_one(&scan);
	*clients = scan.clients;
	return scan.count;
}
