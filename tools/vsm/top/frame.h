/* SPDX-License-Identifier: MIT */
/*
 * What is on the terminal, as lines. Nothing here writes to a terminal.
 */
#ifndef _TOP_FRAME_H_
#define _TOP_FRAME_H_

#include "top/view.h"

enum style {
	STYLE_PLAIN,
	STYLE_SUMMARY,
	STYLE_TITLES,
	STYLE_FOCUS,	/* titles of the table that keys act on */
	STYLE_CHOSEN,
	STYLE_ALARM,
	STYLE_FAINT,
};

/**
 * struct line - A line of the terminal
 * @style: How it looks
 * @text: Printable text of at most as many columns as the terminal has; NULL if it is empty
 * @first: First column of the part that stands out
 * @last: The column behind this part
 */
struct line {
	enum style style;
	char *text;
	unsigned int first;
	unsigned int last;
};

/**
 * struct frame - What is on the terminal
 * @rows: Rows of the terminal
 * @columns: Columns of the terminal
 * @lines: @rows lines
 */
struct frame {
	unsigned int rows;
	unsigned int columns;
	struct line *lines;
};

/* Makes a frame. @when: time of day. frame_free() frees it. */
void frame_make(struct frame *frame, unsigned int rows, unsigned int columns, struct view *view,
		const struct model *model, const struct sample *sample, const char *when);
void frame_free(struct frame *frame);

/*
 * Shares @rows rows among the tables, which have @counts rows, and each a line of titles. Sets
 * @heights to the number of rows of each table without its titles, or to -1 if it is not visible.
 */
void frame_share(unsigned int rows, enum table focus, const size_t counts[TABLES],
		 int heights[TABLES]);

#endif
