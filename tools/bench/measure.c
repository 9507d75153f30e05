// SPDX-License-Identifier: MIT
/*
 * Taking times.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "count/mark.h"
#include "measure.h"

void die(const char *what, int error)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(error));
	exit(1);
}

double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *took, unsigned int count)
{
	qsort(took, count, sizeof(*took), compare);
	return took[count / 2];
}

double measure(void (*body)(unsigned int n), unsigned int n)
{
	static unsigned int number;
	double took[REPEATS];
	char text[64];
	int i;

	body(n / 4 + 1);
	for (i = 0; i < REPEATS; i++) {
		double start = now();

		mark_begin();
		body(n);
		mark_end();
		took[i] = (now() - start) / n;
	}
	snprintf(text, sizeof(text), "measurement %u of %u turns", ++number, n);
	mark_row(text);
	return median(took, REPEATS);
}
