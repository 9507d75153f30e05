// SPDX-License-Identifier: MIT
/*
 * Names the lanes or warps of a mask.
 */
#include <stdio.h>

#include "text/bits.h"

/* Takes the lowest run of bits from a mask. A run of two bits counts as two runs. */
static void take_run(uint32_t *mask, unsigned int *first, unsigned int *last)
{
	*first = __builtin_ctz(*mask);
	*last = *first;
	while (*last < 31 && *mask >> (*last + 1) & 1)
		(*last)++;
	if (*last == *first + 1)
		*last = *first;
	*mask &= *last == 31 ? 0 : ~0u << (*last + 1);
}

const char *bits_text(char text[BITS_SIZE], const char *noun, uint32_t mask)
{
	const char *before = "";
	size_t length = snprintf(text, BITS_SIZE, "%s%s ", noun, mask & (mask - 1) ? "s" : "");

	while (mask && length < BITS_SIZE) {
		unsigned int first, last;

		take_run(&mask, &first, &last);
		length += snprintf(text + length, BITS_SIZE - length, "%s%u", before, first);
		if (last > first && length < BITS_SIZE)
			length += snprintf(text + length, BITS_SIZE - length, " to %u", last);
		before = ", ";
		if (mask) {
			uint32_t rest = mask;
			unsigned int a, b;

			take_run(&rest, &a, &b);
			if (!rest)
				before = " and ";
		}
	}
	return text;
}
