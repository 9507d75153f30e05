// SPDX-License-Identifier: MIT
/*
 * What the user of vsm top has chosen to see, and how keys change it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "top/view.h"

void view_begin(struct view *view, double interval)
{
	enum table table;

	*view = (struct view){ .interval = interval };
	for (table = 0; table < TABLES; table++)
		view->orders[table] = table_order(table);
}

/* --- choice and scrolling ------------------------------------------------------------ */

static bool is_row(const struct row *a, const struct row *b)
{
	return a->device == b->device && a->client == b->client && a->id == b->id;
}

static void make_visible(struct list *list, size_t count, size_t height)
{
	list->height = height;
	if (list->at < list->first)
		list->first = list->at;
	if (height && list->at >= list->first + height)
		list->first = list->at - height + 1;
	/* No empty space below the last row. */
	if (list->first + height > count)
		list->first = count > height ? count - height : 0;
}

void view_follow(struct view *view, const struct rows *rows, size_t height)
{
	struct list *list = &view->lists[rows->table];
	struct row *row = &view->rows[rows->table];
	size_t i;

	if (!view->chosen[rows->table])
		list->at = 0;
	for (i = 0; view->chosen[rows->table] && !view->moved[rows->table] && i < rows->count; i++)
		if (is_row(rows->rows[i], row))
			list->at = i;
	if (list->at >= rows->count)
		list->at = rows->count ? rows->count - 1 : 0;
	view->moved[rows->table] = false;
	*row = rows->count ? *rows->rows[list->at] : (struct row){ };
	make_visible(list, rows->count, height);
}

void view_scroll(struct view *view, size_t lines, size_t height)
{
	view->text.height = height;
	if (view->text.first + height > lines)
		view->text.first = lines > height ? lines - height : 0;
}

/* Where a key for moving moves to; the end of the list is not known here. */
static bool move(int key, size_t *at, size_t height)
{
	size_t page = height > 1 ? height - 1 : 1;

	switch (key) {
	case INPUT_UP:
	case 'k':
		*at -= *at ? 1 : 0;
		return true;
	case INPUT_DOWN:
	case 'j':
		*at += 1;
		return true;
	case INPUT_PAGE_UP:
		*at -= *at < page ? *at : page;
		return true;
	case INPUT_PAGE_DOWN:
		*at += page;
		return true;
	case INPUT_HOME:
		*at = 0;
		return true;
	case INPUT_END:
		*at = SIZE_MAX / 2;
		return true;
	}
	return false;
}

/* --- the interval -------------------------------------------------------------------- */

bool view_interval(const char *text, double *interval)
{
	double seconds;
	char *end;

	/* strtod() also reads texts such as "inf" and "0x1". */
	if (!*text || text[strspn(text, "0123456789.")])
		return false;
	seconds = strtod(text, &end);
	if (*end || !(seconds >= VIEW_MIN_INTERVAL && seconds <= VIEW_MAX_INTERVAL))
		return false;
	*interval = seconds;
	return true;
}

/* An interval that is not allowed changes nothing. */
static void type_key(struct view *view, int key)
{
	size_t length = strlen(view->typed);

	switch (key) {
	case INPUT_ENTER:
		view_interval(view->typed, &view->interval);
		view->typing = false;
		return;
	case INPUT_ESCAPE:
		view->typing = false;
		return;
	case INPUT_BACKSPACE:
		if (length)
			view->typed[length - 1] = '\0';
		return;
	}
	if (key < 256 && (isdigit(key) || key == '.') && length + 1 < sizeof(view->typed)) {
		view->typed[length] = key;
		view->typed[length + 1] = '\0';
	}
}

/* --- keys ---------------------------------------------------------------------------- */

static void next_column(struct order *order, enum table table, bool forwards)
{
	unsigned int columns = table_columns(table);

	order->column = (order->column + (forwards ? 1 : columns - 1)) % columns;
	order->reverse = false;
}

static void look_in(struct view *view)
{
	if (!view->rows[view->focus].client)
		return;
	view->subject = view->rows[view->focus];
	view->subject_table = view->focus;
	view->page = PAGE_REPORT;
	view->text = (struct list){ };
}

static void tables_key(struct view *view, int key)
{
	struct list *list = &view->lists[view->focus];

	switch (key) {
	case 'q':
		view->quit = true;
		return;
	case INPUT_TAB:
		view->focus = (view->focus + 1) % TABLES;
		return;
	case INPUT_BACK_TAB:
		view->focus = (view->focus + TABLES - 1) % TABLES;
		return;
	case '1':
	case '2':
	case '3':
		view->focus = key - '1';
		return;
	case '<':
	case INPUT_LEFT:
	case '>':
	case INPUT_RIGHT:
		next_column(&view->orders[view->focus], view->focus,
			    key == '>' || key == INPUT_RIGHT);
		return;
	case 'r':
		view->orders[view->focus].reverse ^= true;
		return;
	case INPUT_ENTER:
		look_in(view);
		return;
	}
	if (move(key, &list->at, list->height)) {
		view->chosen[view->focus] = true;
		view->moved[view->focus] = true;
	}
}

static void text_key(struct view *view, int key)
{
	switch (key) {
	case 'q':
	case INPUT_ESCAPE:
	case INPUT_LEFT:
	case INPUT_BACKSPACE:
		view->page = view->page == PAGE_HELP ? view->before : PAGE_TABLES;
		view->text = (struct list){ };
		return;
	}
	move(key, &view->text.first, view->text.height);
}

void view_key(struct view *view, int key)
{
	if (view->typing) {
		type_key(view, key);
		return;
	}
	switch (key) {
	case 'h':
	case '?':
		if (view->page != PAGE_HELP)
			view->before = view->page;
		view->page = PAGE_HELP;
		view->text = (struct list){ };
		return;
	case 'p':
	case ' ':
		view->paused ^= true;
		return;
	case 'd':
		view->typing = true;
		view->typed[0] = '\0';
		return;
	}
	if (view->page == PAGE_TABLES)
		tables_key(view, key);
	else
		text_key(view, key);
}
