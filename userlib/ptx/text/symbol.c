// SPDX-License-Identifier: MIT
/*
 * Finds the name that a variable has in the source.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text/symbol.h"

/*
 * In C++ the name of a variable in a function is "_ZZ", the name and type of the function, "E", and
 * the name with its length before it; "_" and a number may follow. The name of the function may
 * contain the same pattern, so the last one counts.
 */
struct span symbol_name(const char *symbol)
{
	size_t at = strncmp(symbol, "_ZZ", 3) ? 0 : strlen(symbol);

	while (at-- > 1) {
		unsigned long length, rest;
		char *name;

		if (symbol[at - 1] != 'E' || !isdigit((unsigned char)symbol[at]))
			continue;
		length = strtoul(symbol + at, &name, 10);
		rest = strlen(name);
		if (length && (rest == length || (rest > length && name[length] == '_')))
			return (struct span){ .text = name, .length = length };
	}
	return (struct span){ .text = symbol, .length = strlen(symbol) };
}
