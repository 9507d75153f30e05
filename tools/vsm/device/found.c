// SPDX-License-Identifier: MIT
/*
 * The devices of this machine, with those that are ordered but not enabled.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "folder.h"
#include "found.h"

#define DEVICES "/sys/bus/platform/devices"

/**
 * struct list - A list that is being made
 * @found: The devices
 * @count: Number of devices
 */
struct list {
	struct found *found;
	size_t count;
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

static int compare(const void *left, const void *right)
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
		qsort(list.found, list.count, sizeof(*list.found), compare);
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
