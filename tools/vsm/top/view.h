/* SPDX-License-Identifier: MIT */
/*
 * What the user of vsm top has chosen to see, and how keys change it. Nothing here reads a device
 * or a terminal.
 */
#ifndef _TOP_VIEW_H_
#define _TOP_VIEW_H_

#include <stdbool.h>

#include "top/table.h"

/* The interval between samples, in seconds. */
#define VIEW_INTERVAL 1.0
#define VIEW_MIN_INTERVAL 0.1
#define VIEW_MAX_INTERVAL 3600.0

/* Keys that are no characters. */
enum input {
	INPUT_UP = 256,
	INPUT_DOWN,
	INPUT_LEFT,
	INPUT_RIGHT,
	INPUT_PAGE_UP,
	INPUT_PAGE_DOWN,
	INPUT_HOME,
	INPUT_END,
	INPUT_ENTER,
	INPUT_ESCAPE,
	INPUT_TAB,
	INPUT_BACK_TAB,
	INPUT_BACKSPACE,
};

enum page {
	PAGE_TABLES,
	PAGE_REPORT,
	PAGE_HELP,
};

/**
 * struct list - The part of a table or of a text that is visible
 * @at: Index of the chosen row
 * @first: Index of the first visible row or line
 * @height: Number of rows or lines that were visible last
 */
struct list {
	size_t at;
	size_t first;
	size_t height;
};

/**
 * struct view - What the user has chosen to see
 * @page: The page that is shown
 * @before: The page to which the help goes back
 * @focus: The table that keys act on
 * @orders: How each table is sorted
 * @lists: What is visible of each table
 * @chosen: The user has chosen a row of the table. It stays chosen when the order changes
 * @moved: The user has moved the choice, to the index @at
 * @rows: The chosen row of each table; @client is 0 if the table was empty
 * @subject: What the report is about
 * @subject_table: The table from which @subject comes
 * @text: What is visible of the report or of the help
 * @paused: No new samples are taken
 * @quit: The user wants to end the program
 * @interval: Seconds between samples
 * @typing: The user is typing an interval
 * @typed: What was typed
 */
struct view {
	enum page page;
	enum page before;
	enum table focus;
	struct order orders[TABLES];
	struct list lists[TABLES];
	bool chosen[TABLES];
	bool moved[TABLES];
	struct row rows[TABLES];
	struct row subject;
	enum table subject_table;
	struct list text;
	bool paused;
	bool quit;
	double interval;
	bool typing;
	char typed[8];
};

void view_begin(struct view *view, double interval);
/* Acts on a key: a character or &enum input. */
void view_key(struct view *view, int key);
/*
 * Finds the chosen row among the rows of a table, which were sorted again, and makes it visible.
 * @height: number of rows that are visible
 */
void view_follow(struct view *view, const struct rows *rows, size_t height);
/* Moves the visible part of a text of @lines lines, of which @height are visible, into it. */
void view_scroll(struct view *view, size_t lines, size_t height);
/* Reads an interval. Returns false if it is none that is allowed. */
bool view_interval(const char *text, double *interval);

#endif
