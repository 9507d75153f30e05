// SPDX-License-Identifier: MIT
/*
 * Numbers in few characters.
 */
#include <math.h>
#include <stdio.h>

#include "top/amount.h"

/*
 * Writes a number that is at least 0 with a prefix. Below 10 there is one digit behind the point.
 */
static void write_scaled(char *text, size_t size, double amount, double base, const char *suffix)
{
	static const char prefixes[] = "kMGTPEZ";
	unsigned int i = 0;

	if (amount < base - 0.5) {
		snprintf(text, size, amount && amount < 9.95 && amount != floor(amount) ?
			 "%.1f" : "%.0f", amount);
		return;
	}
	for (amount /= base; amount >= base - 0.5 && prefixes[i + 1]; i++)
		amount /= base;
	snprintf(text, size, amount < 9.95 ? "%.1f%c%s" : "%.0f%c%s", amount, prefixes[i], suffix);
}

void amount_write(char *text, size_t size, double amount)
{
	if (isnan(amount))
		snprintf(text, size, "-");
	else
		write_scaled(text, size, amount, 1000, "");
}

void amount_write_memory(char *text, size_t size, uint64_t bytes)
{
	write_scaled(text, size, bytes, 1024, "i");
	/* The prefix of 1024 is Ki. */
	for (; *text; text++)
		if (*text == 'k')
			*text = 'K';
}

void amount_write_time(char *text, size_t size, int64_t ns)
{
	double seconds = ns / 1e9;

	if (ns < 0)
		snprintf(text, size, "-");
	else if (seconds < 0.9995)
		snprintf(text, size, "%.0fms", seconds * 1e3);
	else if (seconds < 99.95)
		snprintf(text, size, "%.1fs", seconds);
	else if (seconds < 100 * 60)
		snprintf(text, size, "%.0fm", floor(seconds / 60));
	else if (seconds < 100 * 3600)
		snprintf(text, size, "%.0fh", floor(seconds / 3600));
	else
		snprintf(text, size, "%.0fd", floor(seconds / 86400));
}
