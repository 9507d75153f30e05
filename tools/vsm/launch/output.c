// SPDX-License-Identifier: MIT
/*
 * Writes and prints the contents of buffers.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base.h"
#include "launch/output.h"
#include "vm.h"

#define PER_LINE 8

void print_output(FILE *out, const struct plan_output *output, const char *name,
		  const void *memory)
{
	const char *at = memory;
	uint64_t i;

	for (i = 0; i < output->count; i++, at += output->type->bytes) {
		if (i % PER_LINE == 0)
			fprintf(out, "%s%s[%" PRIu64 "]:", i ? "\n" : "", name, i);
		fputc(' ', out);
		print_value(out, output->type, at);
	}
	fputc('\n', out);
}

int write_output(const struct plan_output *output, size_t number, const void *memory, uint64_t size)
{
	char *path = vm_output_path(output->file, number);
	FILE *file = fopen(path, "we");
	int err = 0;

	free(path);
	if (!file)
		return -errno;
	errno = 0;
	if (fwrite(memory, 1, size, file) != size)
		err = -errno ?: -EIO;
	if (fclose(file) && !err)
		err = -errno ?: -EIO;
	return err;
}
