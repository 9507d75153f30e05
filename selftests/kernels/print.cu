// SPDX-License-Identifier: MIT
// printf() from a kernel: clang writes the arguments to local memory and calls vprintf. The
// expected output is in print.out. An assert() that holds prints nothing.
#include "vsm.cuh"

KERNEL print(u32 n, float x, const u32 *words)
{
	printf("no argument, 100%%\n");
	for (u32 i = 0; i < n; i++)
		printf("line %u of %d: %08x %c|%5d|%-5d|\n", i, (int)n, words[i], 'a' + (int)i,
		       -(int)i, (int)i);
	printf("floats %.3f %g %e\n", x, (double)x * 4, x);
	printf("long %llu %lld %llx, string <%s>\n", ~0ull, -5ll, 0x123456789abcdefull, "text");
	assert(n == 3);
}
