// SPDX-License-Identifier: MIT
/*
 * Sets the device's model of time through debugfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base.h"
#include "run/model.h"

static const char *const files[] = {
	[MODEL_LATENCY] = "latency_ns",
	[MODEL_BANDWIDTH] = "bandwidth",
	[MODEL_SHUFFLE] = "shuffle_seed",
	[MODEL_SPLIT] = "split_bytes",
	[MODEL_TIMEOUT] = "job_timeout_ms",
};

/* Opens the device's debugfs file of a parameter. Returns a descriptor or a negative errno. */
static int open_file(const struct vsm_device *device, unsigned int key, int flags)
{
	struct stat stat;
	char path[80];
	int fd;

	if (fstat(vsm_device_fd(device), &stat))
		return -errno;
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/vsm_copy/%s", minor(stat.st_rdev),
		 files[key]);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int read_value(const struct vsm_device *device, unsigned int key, uint64_t *value)
{
	int fd = open_file(device, key, O_RDONLY);
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

static int write_value(const struct vsm_device *device, unsigned int key, uint64_t value)
{
	int fd = open_file(device, key, O_WRONLY);
	int err = 0;

	if (fd < 0)
		return fd;
	if (dprintf(fd, "%" PRIu64 "\n", value) < 0)
		err = -errno;
	close(fd);
	return err;
}

int model_set(const struct vsm_device *device, const struct model *model, struct model *saved,
	      const char **file)
{
	unsigned int key;
	int err = 0;

	for (key = 0; key < MODEL_KEYS && !err; key++) {
		if (!(model->given & BIT(key)))
			continue;
		*file = files[key];
		if (!(saved->given & BIT(key)))
			err = read_value(device, key, &saved->values[key]);
		if (err)
			break;
		saved->given |= BIT(key);
		err = write_value(device, key, model->values[key]);
	}
	return err;
}

bool model_writable(const struct vsm_device *device)
{
	int fd = open_file(device, MODEL_SHUFFLE, O_WRONLY);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void model_restore(const struct vsm_device *device, const struct model *saved)
{
	unsigned int key;

	for (key = 0; key < MODEL_KEYS; key++)
		if (saved->given & BIT(key))
			write_value(device, key, saved->values[key]);
}
