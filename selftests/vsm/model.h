/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for the device's model of time, whose settings are in debugfs.
 */
#ifndef VSM_TEST_MODEL_H
#define VSM_TEST_MODEL_H

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "vsm_test.h"

#define DEBUGFS		"/sys/kernel/debug/"
#define NEVER		(3600 * SECOND)		/* an hour, as a latency */
#define JOB_TIMEOUT_MS	30000			/* the default of a device */

/* Opens a file of the device that @fd has open. Returns a descriptor or a negative errno. */
static inline int debugfs_open(int fd, const char *name, int flags)
{
	char path[96];
	struct stat st;
	int file;

	if (access(DEBUGFS "dri", X_OK))
		mount("debugfs", DEBUGFS, "debugfs", 0, NULL);
	if (fstat(fd, &st))
		return -errno;
	snprintf(path, sizeof(path), DEBUGFS "dri/%u/%s", minor(st.st_rdev), name);
	file = open(path, flags | O_CLOEXEC);
	return file < 0 ? -errno : file;
}

/* Opens a setting of the model of time in the same way. */
static inline int model_open(int fd, const char *name, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "vsm_copy/%s", name);
	return debugfs_open(fd, path, flags);
}

static inline int model_set(int fd, const char *name, uint64_t value)
{
	char text[24];
	int size = snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	int ret, file = model_open(fd, name, O_WRONLY);

	if (file < 0)
		return file;
	ret = write(file, text, size) == size ? 0 : -errno;
	close(file);
	return ret;
}

/* Returns a setting, or POISON if it cannot be read. */
static inline uint64_t model_get(int fd, const char *name)
{
	int file = model_open(fd, name, O_RDONLY);
	char text[24] = "";
	ssize_t size;

	if (file < 0)
		return POISON;
	size = read(file, text, sizeof(text) - 1);
	close(file);
	return size > 0 ? strtoull(text, NULL, 10) : POISON;
}

/* Sets all settings to their defaults. Returns -ENOENT if the kernel has no debugfs. */
static inline int model_reset(int fd)
{
	static const char * const off[] = {
		"latency_ns", "bandwidth", "shuffle_seed", "split_bytes",
	};
	int ret = model_set(fd, "job_timeout_ms", JOB_TIMEOUT_MS);
	size_t i;

	for (i = 0; i < ITEMS(off) && !ret; i++)
		ret = model_set(fd, off[i], 0);
	return ret;
}

#endif
