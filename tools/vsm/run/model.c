// SPDX-License-Identifier: MIT
/*
 * The device's model of time, in debugfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "run/state.h"

static const char *const files[] = {
	[MODEL_LATENCY] = "latency_ns",
	[MODEL_BANDWIDTH] = "bandwidth",
	[MODEL_SHUFFLE] = "shuffle_seed",
	[MODEL_SPLIT] = "split_bytes",
	[MODEL_TIMEOUT] = "job_timeout_ms",
};

/* Open a file of the device that the scenario runs on, or return a negative errno. */
static int open_file(struct play *p, unsigned int key, int flags)
{
	struct stat stat;
	char path[80];
	int fd;

	if (fstat(vsm_device_fd(p->device), &stat))
		return -errno;
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/vsm_copy/%s", minor(stat.st_rdev),
		 files[key]);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int read_value(struct play *p, unsigned int key, uint64_t *value)
{
	int fd = open_file(p, key, O_RDONLY);
	char text[32];
	ssize_t size;

	if (fd < 0)
		return fd;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size <= 0)
		return -EIO;
	text[size] = '\0';
	*value = strtoull(text, NULL, 0);
	return 0;
}

static int write_value(struct play *p, unsigned int key, uint64_t value)
{
	int fd = open_file(p, key, O_WRONLY);
	int err = 0;

	if (fd < 0)
		return fd;
	if (dprintf(fd, "%" PRIu64 "\n", value) < 0)
		err = -errno;
	close(fd);
	return err;
}

static int set(struct play *p, unsigned int key, uint64_t value)
{
	int err;

	if (!(p->model.given & 1U << key)) {
		err = read_value(p, key, &p->model.values[key]);
		if (err)
			return err;
		p->model.given |= 1U << key;
	}
	return write_value(p, key, value);
}

bool model_set(struct play *p, unsigned int line, const struct model *model)
{
	unsigned int key;
	int err;

	for (key = 0; key < MODEL_KEYS; key++) {
		if (!(model->given & 1U << key))
			continue;
		err = set(p, key, model->values[key]);
		if (err)
			return play_fail(p, line, "expected to set %s in debugfs as root, seen %s",
					 files[key], errno_name(-err));
	}
	return true;
}

void model_restore(struct play *p)
{
	unsigned int key;

	for (key = 0; key < MODEL_KEYS; key++)
		if (p->model.given & 1U << key)
			write_value(p, key, p->model.values[key]);
}
