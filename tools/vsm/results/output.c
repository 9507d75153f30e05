// SPDX-License-Identifier: MIT
/*
 * The options --json[=FILE] and --junit[=FILE]: where results are written to.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "results/as_json.h"
#include "results/as_junit.h"
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

int outputs_open(struct outputs *outputs, const char *command)
{
	unsigned int i;
	char *path;

	for (i = 0; i < FORMATS; i++) {
		if (!outputs->given[i])
			continue;
		if (!outputs->paths[i]) {
			outputs->files[i] = stdout;
			continue;
		}
		path = vm_output_path(outputs->paths[i], VM_OUTPUT_RESULTS + i);
		outputs->files[i] = path ? fopen(path, "we") : NULL;
		free(path);
		if (!outputs->files[i])
			return misused("%s: %s: %s", command, outputs->paths[i], strerror(errno));
	}
	return EXIT_OK;
}

int outputs_write(struct outputs *outputs, const struct results *results)
{
	int status = EXIT_OK;
	unsigned int i;

	for (i = 0; i < FORMATS; i++) {
		FILE *file = outputs->files[i];
		bool bad;

		if (!file)
			continue;
		formats[i].write(file, results);
		/* main() looks for errors of standard output. */
		if (file == stdout)
			continue;
		bad = ferror(file);
		if (fclose(file) || bad)
			status = failed("%s: %s cannot be written", results->command,
					outputs->paths[i]);
	}
	return status;
}
