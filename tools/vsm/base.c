// SPDX-License-Identifier: MIT
/* Functions that all commands use: messages, exit statuses, names, memory, whole files. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vsm.h>

#include "base.h"

static void complain(const char *format, va_list args)
{
	fflush(stdout);
	fputs("vsm: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

int failed(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(format, args);
	va_end(args);
	return EXIT_FAILED;
}

int misused(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(format, args);
	va_end(args);
	return EXIT_USAGE;
}

int failed_to_open(const char *command, int err, bool vm)
{
	switch (err) {
	case 0:
	case -ENODEV:
		return failed("%s: no vsm device; is the module loaded (modprobe vsm)?%s", command,
			      vm ? " --vm runs this command in a virtual machine that has it" : "");
	case -EPROTONOSUPPORT:
		return failed("%s: the driver's ABI is not version %d, which this program knows",
			      command, DRM_VSM_ABI_MAJOR);
	default:
		return failed("%s: %s", command, strerror(-err));
	}
}

void print_field(int width, const char *name, const char *format, ...)
{
	va_list args;

	printf("  %-*s", width, name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int64_t time_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void *must(void *memory)
{
	if (!memory)
		exit(failed("%s", strerror(ENOMEM)));
	return memory;
}

void *grow(void *array, size_t count, size_t size)
{
	/*
	 * The size of the array is the smallest power of two that holds @count elements. The array
	 * is therefore full only if @count is a power of two.
	 */
	if (count & (count - 1))
		return array;
	return must(reallocarray(array, count ? 2 * count : 1, size));
}

static char *read_stream(FILE *file, size_t limit, size_t *size)
{
	size_t capacity = 1 << 16, used = 0, more;
	char *text = must(malloc(capacity + 1));
	int err;

	errno = 0;
	while ((more = fread(text + used, 1, capacity - used, file)) > 0) {
		used += more;
		if (used > limit)
			break;
		if (used == capacity)
			text = must(realloc(text, (capacity *= 2) + 1));
	}
	err = ferror(file) ? errno : used > limit ? EFBIG : 0;
	if (err) {
		free(text);
		errno = err;
		return NULL;
	}
	text[used] = '\0';
	*size = used;
	return must(realloc(text, used + 1));
}

char *file_read(const char *path, size_t limit, size_t *size)
{
	FILE *file = fopen(path, "re");
	char *text;
	int err;

	if (!file)
		return NULL;
	text = read_stream(file, limit, size);
	err = errno;
	fclose(file);
	errno = err;
	return text;
}

char *file_read_or_input(const char *path, size_t limit, size_t *size)
{
	return strcmp(path, "-") ? file_read(path, limit, size) : read_stream(stdin, limit, size);
}
