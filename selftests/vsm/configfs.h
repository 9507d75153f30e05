/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Devices that are made at run time through configfs.
 */
#ifndef VSM_TEST_CONFIGFS_H
#define VSM_TEST_CONFIGFS_H

#include <dirent.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "driver.h"

#define FOLDERS "/sys/kernel/config/vsm"

static inline int folder_make(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), FOLDERS "/%s", name);
	return mkdir(path, 0755) ? -errno : 0;
}

static inline int folder_remove(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), FOLDERS "/%s", name);
	return rmdir(path) ? -errno : 0;
}

static inline int option_write(const char *name, const char *option, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), FOLDERS "/%s/%s", name, option);
	return write_file(path, text);
}

/* Reads a file without its line feed. Returns 0 or a negative errno. */
static inline int line_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, text, size - 1);
	close(fd);
	if (len < 0)
		return -errno;
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

static inline int option_read(const char *name, const char *option, char *text, size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), FOLDERS "/%s/%s", name, option);
	return line_read(path, text, size);
}

static inline bool option_is(const char *name, const char *option, const char *expected)
{
	char text[512];

	return !option_read(name, option, text, sizeof(text)) && !strcmp(text, expected);
}

/* Opens the enabled device of a folder. Returns a file descriptor or a negative errno. */
static inline int folder_open(const char *name)
{
	unsigned int index;
	char text[32];
	int ret;

	ret = option_read(name, "device", text, sizeof(text));
	if (ret)
		return ret;
	return sscanf(text, "vsm.%u", &index) == 1 ? vsm_open_index(index) : -ENODEV;
}

/* Mounts configfs if that is necessary. Returns whether there is one. */
static inline bool folders_mount(void)
{
	if (access("/sys/kernel/config", F_OK))
		return false;
	if (access(FOLDERS, F_OK))
		mount("configfs", "/sys/kernel/config", "configfs", 0, NULL);
	return true;
}

static inline void folders_clear(void)
{
	struct dirent *entry;
	DIR *dir = opendir(FOLDERS);

	if (!dir)
		return;
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			folder_remove(entry->d_name);
	closedir(dir);
}

#endif
