// SPDX-License-Identifier: MIT
/* Devices and their folders in configfs. */
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
#include "device/folder.h"
#include "text.h"

/* --- folders of configfs -------------------------------------------------- */

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

/* Does the same, but prints nothing. */
static int folders_open_quietly(void)
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

/* --- devices that exist --------------------------------------------------- */

#define DEVICES "/sys/bus/platform/devices"

/* A list that is being made */
struct list {
	struct found *found;	/* the devices */
	size_t count;		/* number of devices */
};

int found_number(const char *device)
{
	char again[32];
	int number;

	if (sscanf(device, "vsm.%d", &number) != 1 || number < 0)
		return -1;
	snprintf(again, sizeof(again), "vsm.%d", number);
	return strcmp(device, again) ? -1 : number;
}

char *found_node(int number)
{
	struct dirent *entry;
	char path[64], *node = NULL;
	DIR *dir;

	snprintf(path, sizeof(path), DEVICES "/vsm.%d/drm", number);
	dir = opendir(path);
	if (!dir)
		return NULL;
	while (!node && (entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, "renderD", 7))
			continue;
		if (asprintf(&node, "/dev/dri/%s", entry->d_name) < 0)
			node = must(NULL);
	}
	closedir(dir);
	return node;
}

/* Returns the name of the folder of vsm.@number; NULL if it has none, or no driver. */
static char *read_name(int number)
{
	char path[64], *name;
	size_t size;

	snprintf(path, sizeof(path), DEVICES "/vsm.%d/name", number);
	name = file_read(path, 4096, &size);
	if (!name)
		return NULL;
	if (size && name[size - 1] == '\n')
		name[size - 1] = '\0';
	if (*name)
		return name;
	free(name);
	return NULL;
}

static void add(struct list *list, char *name, int number)
{
	list->found = grow(list->found, list->count, sizeof(*list->found));
	list->found[list->count++] = (struct found){ .name = name, .number = number };
}

static void add_folders(struct list *list)
{
	int folders = folders_open_quietly();
	DIR *dir = folders < 0 ? NULL : fdopendir(folders);
	struct dirent *entry;
	char *device, *path;

	while (dir && (entry = readdir(dir)) != NULL) {
		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, ".."))
			continue;
		if (asprintf(&path, "%s/device", entry->d_name) < 0)
			path = must(NULL);
		device = option_read(folders, path);
		free(path);
		/* Without the file, the folder was removed meanwhile. */
		if (device)
			add(list, must(strdup(entry->d_name)), found_number(device));
		free(device);
	}
	if (dir)
		closedir(dir);
}

static void add_device(struct list *list, int number)
{
	char *name = NULL;
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->found[i].number == number)
			return;
	name = read_name(number);
	/* The folder may have been enabled after it was read. */
	for (i = 0; name && i < list->count; i++) {
		if (list->found[i].number < 0 && !strcmp(list->found[i].name, name)) {
			list->found[i].number = number;
			free(name);
			return;
		}
	}
	add(list, name, number);
}

static void add_devices(struct list *list)
{
	DIR *dir = opendir(DEVICES);
	struct dirent *entry;
	int number;

	while (dir && (entry = readdir(dir)) != NULL) {
		number = found_number(entry->d_name);
		if (number >= 0)
			add_device(list, number);
	}
	if (dir)
		closedir(dir);
}

static int compare_found(const void *left, const void *right)
{
	const struct found *a = left, *b = right;

	if (a->number < 0 && b->number < 0)
		return strcmp(a->name, b->name);
	if (a->number < 0 || b->number < 0)
		return a->number < 0 ? 1 : -1;
	return a->number - b->number;
}

struct found *found_list(size_t *count)
{
	struct list list = { };
	size_t i;

	add_folders(&list);
	add_devices(&list);
	for (i = 0; i < list.count; i++)
		if (list.found[i].number >= 0)
			list.found[i].node = found_node(list.found[i].number);
	if (list.count)
		qsort(list.found, list.count, sizeof(*list.found), compare_found);
	*count = list.count;
	return list.found;
}

void found_free(struct found *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		free(list[i].name);
		free(list[i].node);
	}
	free(list);
}

/* --- presets -------------------------------------------------------------- */

/* From selftests/golden/h100/timing.tsv; tools/tests/preset.sh computes the same numbers. */
static const char *const h100[] = {
	"try_wait_limit_ns=3968",
	"latency_ns=0",
	"bandwidth=0",
	"load_latency_ns=214",
	"load_bandwidth=210000000000",
	"load_next_ns=28",
	"store_latency_ns=21",
	"store_bandwidth=63300000000",
	"remote_latency_ns=160",
	"local_latency_ns=0",
	NULL
};

static const struct {
	const char *name;
	const char *const *operands;
} presets[] = {
#define PRESET(name) { #name, name },
	EACH_PRESET(PRESET)
};

const char *const *preset_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(presets); i++)
		if (!strcmp(presets[i].name, name))
			return presets[i].operands;
	return NULL;
}
