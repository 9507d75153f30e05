// SPDX-License-Identifier: MIT
/* Gives files to the fuzzer's function, where there is no libFuzzer; prints TAP. */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

int main(int argc, char **argv)
{
	static unsigned char data[4096];
	const char *name;
	size_t size;
	FILE *file;
	int i;

	printf("1..%d\n", argc - 1);
	for (i = 1; i < argc; i++) {
		name = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
		file = fopen(argv[i], "rb");
		if (!file) {
			printf("not ok %d - %s\n", i, name);
			return 1;
		}
		size = fread(data, 1, sizeof(data), file);
		fclose(file);
		/* A crash must not take the line before it along. */
		fflush(stdout);
		LLVMFuzzerTestOneInput(data, size);
		printf("ok %d - %s\n", i, name);
	}
	/* An empty corpus tests nothing. */
	return argc < 2;
}
