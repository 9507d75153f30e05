// SPDX-License-Identifier: MIT
/* The options --json[=FILE] and --junit[=FILE]: where results are written to. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"
#include "results/format.h"
#include "results/output.h"
#include "vm.h"

static const struct {
	const char *option;
	void (*write)(FILE *out, const struct results *results);
} formats[FORMATS] = {
	[FORMAT_JSON] = { "--json", results_as_json },
	[FORMAT_JUNIT] = { "--junit", results_as_junit },
};

void outputs_take(struct outputs *outputs, enum format format, const char *path)
{
	outputs->given[format] = true;
	outputs->paths[format] = path;
}

bool outputs_any(const struct outputs *outputs)
{
	unsigned int i;

	for (i = 0; i < FORMATS; i++)
		if (outputs->given[i])
			return true;
	return false;
}

bool outputs_silent(const struct outputs *outputs)
{
	unsigned int i;

	for (i = 0; i < FORMATS; i++)
		if (outputs->given[i] && !outputs->paths[i])
			return true;
	return false;
}

int outputs_check(const struct outputs *outputs, const char *command, const char *other)
{
	unsigned int i;

	for (i = 0; i < FORMATS; i++) {
		if (!outputs->given[i] || outputs->paths[i])
			continue;
		if (other)
			return misused("%s: %s and %s both print to standard output; use %s=FILE",
				       command, other, formats[i].option, formats[i].option);
		other = formats[i].option;
	}
	return EXIT_OK;
}

/*
 * Finds out whether a file can be written. A file keeps its contents until there are results: only
 * what is no regular file, such as a pipe, is left open, and returned in @opened.
 */
static int try_file(const char *path, FILE **opened)
{
	struct stat info;
	bool existed;
	int fd;

	existed = !lstat(path, &info);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &info) && !S_ISREG(info.st_mode)) {
		*opened = must(fdopen(fd, "w"));
		return 0;
	}
	close(fd);
	if (!existed)
		unlink(path);
	return 0;
}

int outputs_open(struct outputs *outputs, const char *command)
{
	unsigned int i;
	char *path;
	int err;

	for (i = 0; i < FORMATS; i++) {
		if (!outputs->given[i] || !outputs->paths[i])
			continue;
		path = vm_output_path(outputs->paths[i], VM_OUTPUT_RESULTS + i);
		err = try_file(path, &outputs->files[i]);
		free(path);
		if (err)
			return misused("%s: %s: %s", command, outputs->paths[i], strerror(-err));
	}
	return EXIT_OK;
}

void outputs_expect(const struct outputs *outputs)
{
	unsigned int i;

	for (i = 0; i < FORMATS; i++)
		if (outputs->given[i] && outputs->paths[i])
			vm_expect(outputs->paths[i], VM_OUTPUT_RESULTS + i);
}

static FILE *open_file(const struct outputs *outputs, enum format format)
{
	FILE *file;
	char *path;

	if (outputs->files[format])
		return outputs->files[format];
	path = vm_output_path(outputs->paths[format], VM_OUTPUT_RESULTS + format);
	file = fopen(path, "we");
	free(path);
	return file;
}

int outputs_write(struct outputs *outputs, const struct results *results)
{
	int status = EXIT_OK;
	unsigned int i;

	for (i = 0; i < FORMATS; i++) {
		FILE *file;
		bool bad;

		if (!outputs->given[i])
			continue;
		if (!outputs->paths[i]) {
			/* main() looks for errors of standard output. */
			formats[i].write(stdout, results);
			continue;
		}
		file = open_file(outputs, i);
		bad = !file;
		if (file) {
			formats[i].write(file, results);
			bad = ferror(file);
			bad |= fclose(file);
		}
		if (bad)
			status = failed("%s: %s cannot be written", results->command,
					outputs->paths[i]);
	}
	return status;
}
