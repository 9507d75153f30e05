// SPDX-License-Identifier: MIT
/*
 * The time of the kernel's workers, from /proc.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"
#include "workers.h"

/* Reads the first line of /proc/@task/@name. Returns false if the task has ended. */
static bool read_line(const char *task, const char *name, char *line, int size)
{
	char path[300];
	FILE *file;
	bool good;

	snprintf(path, sizeof(path), "/proc/%s/%s", task, name);
	file = fopen(path, "r");
	if (!file)
		return false;
	good = fgets(line, size, file);
	fclose(file);
	return good;
}

double workers_ran(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	double ran, sum = 0;
	char line[128];

	if (!proc)
		die("/proc", errno);
	while ((entry = readdir(proc))) {
		if (!isdigit(entry->d_name[0]) ||
		    !read_line(entry->d_name, "comm", line, sizeof(line)) ||
		    strncmp(line, "kworker/u", 9) ||
		    !read_line(entry->d_name, "schedstat", line, sizeof(line)))
			continue;
		if (sscanf(line, "%lf", &ran) == 1)
			sum += ran;
	}
	closedir(proc);
	return sum;
}
