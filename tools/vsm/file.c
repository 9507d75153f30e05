// SPDX-License-Identifier: MIT
/*
 * Reads whole files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "file.h"

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

char *read_file(const char *path, size_t limit, size_t *size)
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

char *read_file_or_input(const char *path, size_t limit, size_t *size)
{
	return strcmp(path, "-") ? read_file(path, limit, size) : read_stream(stdin, limit, size);
}
