// SPDX-License-Identifier: MIT
/*
 * Folders in configfs. Each folder is a device that root has ordered, and its files are the options
 * of the device.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base.h"
#include "folder.h"
#include "printable.h"

#define CONFIGFS "/sys/kernel/config"
#define FOLDERS CONFIGFS "/vsm"
/* What statfs() calls the type of configfs */
#define CONFIGFS_MAGIC 0x62656570
/* A file of configfs has at most one page. */
#define MAX_VALUE 4096

/* Prints why there is no folder for the devices. */
static void report_missing(const char *command, int err)
{
	struct statfs fs;

	if (err != ENOENT)
		failed("device %s: " FOLDERS ": %s", command, strerror(err));
	else if (access("/sys/module/vsm", F_OK))
		failed("device %s: the module is not loaded (modprobe vsm)", command);
	else if (statfs(CONFIGFS, &fs))
		failed("device %s: the kernel has no configfs (modprobe configfs)", command);
	else if (fs.f_type != CONFIGFS_MAGIC)
		failed("device %s: configfs is not mounted (mount -t configfs none " CONFIGFS ")",
		       command);
	else
		failed("device %s: this module was built without configfs", command);
}

int folders_open_quietly(void)
{
	return open(FOLDERS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int folders_open(const char *command)
{
	int fd = folders_open_quietly();

	if (fd < 0)
		report_missing(command, errno);
	return fd;
}

int folder_open(const char *command, int folders, const char *name)
{
	int fd = openat(folders, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char shown[SHOWN_BYTES];
	int err = errno;

	if (fd >= 0)
		return fd;
	make_printable(shown, sizeof(shown), name, 0);
	if (err == ENOENT || err == ENAMETOOLONG)
		failed("device %s: there is no device '%s'; try 'vsm device list'", command, shown);
	else
		failed("device %s: '%s': %s", command, shown, strerror(err));
	return -1;
}

bool option_exists(int folder, const char *option)
{
	struct stat stat;

	/* The kernel writes "device", and nobody else may. */
	return !strchr(option, '/') && !fstatat(folder, option, &stat, 0) &&
	       S_ISREG(stat.st_mode) && (stat.st_mode & 0200);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **options_list(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	char **names = NULL;
	size_t count = 0;

	while (dir && (entry = readdir(dir)) != NULL) {
		if (!strcmp(entry->d_name, "enabled") || !option_exists(folder, entry->d_name))
			continue;
		names = grow(names, count, sizeof(*names));
		names[count++] = must(strdup(entry->d_name));
	}
	if (dir)
		closedir(dir);
	if (count)
		qsort(names, count, sizeof(*names), compare);
	names = grow(names, count, sizeof(*names));
	names[count] = NULL;
	return names;
}

void options_free(char **names)
{
	size_t i;

	for (i = 0; names[i]; i++)
		free(names[i]);
	free(names);
}

char *option_read(int folder, const char *option)
{
	int fd = openat(folder, option, O_RDONLY | O_CLOEXEC), err;
	char text[MAX_VALUE + 1];
	ssize_t size;

	if (fd < 0)
		return NULL;
	size = read(fd, text, MAX_VALUE);
	err = errno;
	close(fd);
	if (size < 0) {
		errno = err;
		return NULL;
	}
	if (size && text[size - 1] == '\n')
		size--;
	text[size] = '\0';
	return must(strdup(text));
}

int option_write(int folder, const char *option, const char *value)
{
	int fd = openat(folder, option, O_WRONLY | O_CLOEXEC), err = 0;
	char *line;
	int size;

	if (fd < 0)
		return -errno;
	/* The line feed is there because configfs ignores a write of nothing. */
	size = asprintf(&line, "%s\n", value);
	must(size < 0 ? NULL : line);
	/* configfs takes the text of each write, and would cut one that is too long. */
	if (size >= MAX_VALUE)
		err = -EINVAL;
	else if (write(fd, line, size) < 0)
		err = -errno;
	free(line);
	close(fd);
	return err;
}
