// SPDX-License-Identifier: MIT
/* Taking times, and the table of results. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"

static FILE *tsv;

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
	double took[REPEATS];
	int i;

	body(n / 4 + 1);
	for (i = 0; i < REPEATS; i++) {
		double start = now();

		body(n);
		took[i] = (now() - start) / n;
	}
	return median(took, REPEATS);
}

void report_open(const char *path)
{
	tsv = fopen(path, "w");
	if (!tsv)
		die(path, errno);
}

void report_close(void)
{
	if (tsv && fclose(tsv))
		die("--out", errno);
	tsv = NULL;
}

void print_head(const char *title, const char *ours, const char *peer)
{
	printf("%-38s %10s %10s %8s  %-9s\n", title, ours, peer, "ratio", "target");
}

static void print_ratio(const char *what, double ours, double peer, double ratio, double target,
			bool at_least)
{
	bool pass = at_least ? ratio >= target : ratio <= target;

	printf("%-38s %10.0f %10.0f %8.3f  %s %-6.3g %s\n", what, ours, peer, ratio,
	       at_least ? ">=" : "<=", target, pass ? "PASS" : "over");
	fflush(stdout);
	if (tsv)
		fprintf(tsv, "%s\t%.1f\t%.1f\t%.4f\t%s\t%.4g\t%s\n", what, ours, peer, ratio,
			at_least ? "min" : "max", target, pass ? "pass" : "over");
}

void print_row(const char *what, double ours, double peer, double target, bool at_least)
{
	print_ratio(what, ours, peer, at_least ? peer / ours : ours / peer, target, at_least);
}

void print_rate(const char *what, double ours, double aim)
{
	print_ratio(what, ours, aim, ours / aim, 1, true);
}
