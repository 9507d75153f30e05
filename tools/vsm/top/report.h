/* SPDX-License-Identifier: MIT */
/*
 * What vsm top says about one client, cluster or channel.
 */
#ifndef _TOP_REPORT_H_
#define _TOP_REPORT_H_

#include "top/sample.h"
#include "top/table.h"

/**
 * struct text - Lines of a text
 * @lines: The lines, each of which is printable and ends with a 0
 * @count: Number of @lines
 */
struct text {
	char **lines;
	size_t count;
};

/* Names a row: "cluster 7 of device 0". The text is in @name. */
void report_name(char *name, size_t size, enum table table, const struct row *row);
/*
 * Writes what is known about a row of a table: what is counted, and what "vsm ps --why" says of its
 * cluster, or of all clusters in which its client has created anything or waits.
 */
void report_write(FILE *out, const struct model *model, const struct sample *sample,
		  enum table table, const struct row *row);

/*
 * Breaks @string into lines of at most @width columns. The rest of a line that is too long is
 * indented. text_free() frees the lines.
 */
void text_break(struct text *text, const char *string, size_t width);
void text_free(struct text *text);

#endif
