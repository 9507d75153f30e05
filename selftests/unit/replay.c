// SPDX-License-Identifier: MIT
/* Runs the fuzzer's function once for each input of a corpus file (see corpus.py). Prints TAP. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

static unsigned char input[4096];

/*
 * Converts hex digits to bytes in @input. Returns their number, or -1 if @hex is not valid or too
 * long.
 */
static int decode(const char *hex)
{
	unsigned int byte;
	size_t size = 0;

	for (; *hex; hex += 2, size++) {
		if (size == sizeof(input) || !isxdigit(hex[0]) || !isxdigit(hex[1]) ||
		    sscanf(hex, "%2x", &byte) != 1)
			return -1;
		input[size] = byte;
	}
	return size;
}

static char line[2 * sizeof(input) + 100];

/* Reads the next line that is not a comment. */
static bool next_line(FILE *file)
{
	while (fgets(line, sizeof(line), file))
		if (line[0] != '#')
			return true;
	return false;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	int size, count = 0, failed = 0;
	char *name, *hex;

	if (!file) {
		printf("Bail out! no corpus file\n");
		return 1;
	}
	/* Print the plan first, because the output of several test programs is concatenated. */
	while (next_line(file))
		count++;
	printf("1..%d\n", count);
	rewind(file);
	for (count = 0; next_line(file);) {
		line[strcspn(line, "\n")] = 0;
		name = strtok(line, " ");
		hex = strtok(NULL, "");
		size = name && hex ? decode(hex) : -1;
		/* Flush before the call, because it may crash. */
		fflush(stdout);
		if (size > 0)
			LLVMFuzzerTestOneInput(input, size);
		failed += size <= 0;
		printf("%s %d - %s\n", size > 0 ? "ok" : "not ok", ++count,
		       name ? name : "(blank)");
	}
	fclose(file);
	/* Fail if the corpus is empty: nothing was tested then. */
	return failed || !count;
}
