/* SPDX-License-Identifier: MIT */
/*
 * A picture of a part of a timeline, as SVG: where everything is, and the elements of SVG.
 */
#ifndef _TRACE_PICTURE_H_
#define _TRACE_PICTURE_H_

#include "trace/timeline.h"

/* Sizes in pixels. */
#define PICTURE_WIDTH	1000
#define GUTTER		150
#define RIGHT		(PICTURE_WIDTH - 12)
#define TOP		42
#define HEADER		22
#define LINE		20
#define BAR		16
#define GAP		5
#define CURVE		20

/* A picture with more tracks would not be readable. */
#define MAX_ROWS	60

/**
 * struct row - A track of the picture
 * @track: Index of the track
 * @lines: Number of its lines
 * @header: Whether the name of its group stands above it
 * @curves: Whether it has curves of pending arrivals and of the tx-count
 * @y: Where it begins, below the header
 * @height: Its height, without the header
 */
struct row {
	size_t track;
	uint32_t lines;
	bool header;
	bool curves;
	int y;
	int height;
};

/**
 * struct picture - A picture
 * @out: Where it is written to
 * @timeline: What it shows
 * @from: Begin of the time that it shows, in ns since the start of the timeline
 * @to: End of that time, later than @from
 * @rows: Tracks that have something in that time
 * @row_count: Number of @rows
 * @left_out: Number of tracks for which there is no place
 * @row_of: For each track, its row plus 1, or 0
 * @height: Height of the picture without its legend
 * @kinds: Mask of the kinds of slices that the picture has
 */
struct picture {
	FILE *out;
	const struct timeline *timeline;
	uint64_t from;
	uint64_t to;
	struct row rows[MAX_ROWS];
	size_t row_count;
	size_t left_out;
	size_t *row_of;
	int height;
	unsigned int kinds;
};

/* Chooses the rows and computes their places. */
void picture_layout(struct picture *picture);
/* Returns the place of a time, which may be outside of the picture. */
double picture_x(const struct picture *picture, uint64_t time);
/* Is any part of the slice in the time of the picture? */
bool picture_shows(const struct picture *picture, const struct slice *slice);
/* Returns the upper end of the bar of a slice. Its track must have a row. */
int picture_bar(const struct picture *picture, const struct slice *slice);

/* Writes a rectangle. @class is the class of CSS. */
void picture_rect(const struct picture *picture, const char *class, double x, double y,
		  double width, double height);
/* Writes a text, which is shortened to @width pixels. Writes nothing if it does not fit at all. */
void picture_text(const struct picture *picture, const char *class, double x, double y,
		  double width, const char *text);
/* Returns the width that a text needs at most. */
double picture_text_width(const char *text);
/* Writes a time such as "12.5 µs", with the digits that a difference of @step needs. */
void picture_time(char *text, size_t size, uint64_t time, uint64_t step);

#endif
