// SPDX-License-Identifier: MIT
/* Gives each input of a corpus file (see corpus.py) to the fuzzer's function; prints TAP. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

static unsigned char input[4096];

/* The bytes of a number in hex, in @input; -1 if it is none or too long. */
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

/* Reads the next line that is no comment. */
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
	/* The plan comes first: other programs print their TAP before and behind. */
	while (next_line(file))
		count++;
	printf("1..%d\n", count);
	rewind(file);
	for (count = 0; next_line(file);) {
		line[strcspn(line, "\n")] = 0;
		name = strtok(line, " ");
		hex = strtok(NULL, "");
		size = name && hex ? decode(hex) : -1;
		/* A crash must not lose the line that was printed before it. */
		fflush(stdout);
		if (size > 0)
			LLVMFuzzerTestOneInput(input, size);
		failed += size <= 0;
		printf("%s %d - %s\n", size > 0 ? "ok" : "not ok", ++count,
		       name ? name : "(blank)");
	}
	fclose(file);
	/* An empty corpus tests nothing. */
	return failed || !count;
}
