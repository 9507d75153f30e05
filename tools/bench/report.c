// SPDX-License-Identifier: MIT
/*
 * The table of results, on standard output and as a file of tab-separated values.
 */
#include <errno.h>
#include <stdio.h>

#include "measure.h"
#include "report.h"

static FILE *tsv;

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

void print_detail(const char *what, double ours)
{
	printf("  %-36s %10.0f\n", what, ours);
	fflush(stdout);
	if (tsv)
		fprintf(tsv, "%s\t%.1f\t\t\t\t\t\n", what, ours);
}
