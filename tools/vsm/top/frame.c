// SPDX-License-Identifier: MIT
/*
 * What is on the terminal, as lines.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "text.h"
#include "top/batch.h"
#include "top/frame.h"
#include "top/report.h"

static const char help[] =
	"vsm top shows what the devices do. Rates are those since the sample before.\n"
	"\n"
	"Keys\n"
	"  Tab, 1 2 3         choose a table: clients, clusters, channels\n"
	"  Up Down PgUp PgDn  choose a row; Home End: the first, the last\n"
	"  Enter              look in: what vsm ps --why says\n"
	"  < > or Left Right  sort by the column before, or after\n"
	"  r                  reverse the order\n"
	"  p                  pause, or go on\n"
	"  d                  set the interval\n"
	"  Esc, q             go back; q ends the program\n"
	"\n"
	"Clients\n"
	"  MEMORY    memory of all its objects\n"
	"  COPY%     how busy its channels of the copy engine are\n"
	"  BYTES/S   bytes that its copies move\n"
	"  PHASES/S  phases that complete in its clusters\n"
	"  FAULTS/S  faults; FAULTS: all since it began\n"
	"\n"
	"Clusters\n"
	"  WAIT      threads that wait; ARMED: waits in wait sets\n"
	"  MEET      threads that wait in a rendezvous; EXIT: that have exited\n"
	"  OLDEST    how long the oldest wait has lasted\n"
	"  STATUS    DEADLOCK: no thread runs, and nothing is in flight\n"
	"            stuck: threads wait, and nothing has happened for 5 s\n"
	"            lost: a trap has killed it; held: its copies are held\n"
	"\n"
	"Channels\n"
	"  JOBS      jobs that are queued or run; OPS: operations in flight\n"
	"  WAITS FOR fences of its first job, or the release of held copies\n";

/* --- lines --------------------------------------------------------------------------- */

/* Sets a line of the frame, cut to the width of the terminal. @text may be any text. */
static void put(struct frame *frame, unsigned int row, enum style style, const char *text)
{
	size_t size = strlen(text) + 1;
	struct line *line;

	if (row >= frame->rows)
		return;
	line = &frame->lines[row];
	free(line->text);
	line->style = style;
	line->text = must(malloc(size));
	make_printable(line->text, size, text, frame->columns);
	for (size = strlen(line->text); size && line->text[size - 1] == ' '; size--)
		line->text[size - 1] = '\0';
}

static void put_format(struct frame *frame, unsigned int row, enum style style, const char *format,
		       ...) __attribute__((format(printf, 4, 5)));

static void put_format(struct frame *frame, unsigned int row, enum style style, const char *format,
		       ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		must(NULL);
	va_end(args);
	put(frame, row, style, text);
	free(text);
}

/* --- tables -------------------------------------------------------------------------- */

void frame_share(unsigned int rows, enum table focus, const size_t counts[TABLES],
		 int heights[TABLES])
{
	unsigned int left, given;
	enum table table;

	if (rows < 2 * TABLES) {
		for (table = 0; table < TABLES; table++)
			heights[table] = table == focus && rows ? (int)rows - 1 : -1;
		return;
	}
	/* A table without rows has a row that says so. */
	for (table = 0; table < TABLES; table++)
		heights[table] = 1;
	left = rows - 2 * TABLES;
	/* The table that keys act on grows twice as fast as the others. */
	do {
		given = 0;
		for (table = 0; table < TABLES; table++)
			if (given < left && heights[table] < (long)counts[table]) {
				heights[table]++;
				given++;
			}
		if (given < left && heights[focus] < (long)counts[focus]) {
			heights[focus]++;
			given++;
		}
		left -= given;
	} while (given && left);
}

/* The titles of a table, and behind them which of its rows are visible if not all are. */
static void put_titles(struct frame *frame, unsigned int row, const struct view *view,
		       const struct rows *rows)
{
	const struct list *list = &view->lists[rows->table];
	char titles[256] = "", range[64] = "";
	size_t last = list->first + list->height;
	FILE *out = must(fmemopen(titles, sizeof(titles), "w"));
	struct line *line;
	int width;

	table_titles(out, rows->table);
	fclose(out);
	if (list->height < rows->count)
		snprintf(range, sizeof(range), " %zu-%zu of %zu", list->first + 1, last,
			 rows->count);
	/* Without a range the titles need not fill the line. */
	width = *range ? (int)frame->columns - (int)strlen(range) : (int)strlen(titles);
	if (width < 0)
		width = 0;
	put_format(frame, row, view->focus == rows->table ? STYLE_FOCUS : STYLE_TITLES,
		   "%-*.*s%s", width, width, titles, range);
	line = &frame->lines[row];
	table_place(rows->table, view->orders[rows->table].column, &line->first, &line->last);
}

static void put_row(struct frame *frame, unsigned int row, const struct view *view,
		    const struct rows *rows, size_t index)
{
	enum style style = STYLE_PLAIN;
	size_t size;
	char *text;
	FILE *out = must(open_memstream(&text, &size));

	table_row(out, rows->table, rows->rows[index]);
	fclose(out);
	if (view->focus == rows->table && index == view->lists[rows->table].at)
		style = STYLE_CHOSEN;
	else if (table_alarms(rows->table, rows->rows[index]))
		style = STYLE_ALARM;
	put(frame, row, style, text);
	free(text);
}

static unsigned int put_table(struct frame *frame, unsigned int row, struct view *view,
			      const struct rows *rows, int height)
{
	size_t first, i;

	view_follow(view, rows, height);
	first = view->lists[rows->table].first;
	put_titles(frame, row++, view, rows);
	if (!rows->count)
		put_format(frame, row, STYLE_FAINT, "no %ss", table_noun(rows->table));
	for (i = first; i < rows->count && i < first + height; i++)
		put_row(frame, row + (i - first), view, rows, i);
	return row + height;
}

static void put_tables(struct frame *frame, unsigned int first, unsigned int height,
		       struct view *view, const struct model *model)
{
	struct rows rows[TABLES];
	size_t counts[TABLES];
	int heights[TABLES];
	enum table table;

	for (table = 0; table < TABLES; table++) {
		rows_sort(&rows[table], model, table, view->orders[table]);
		counts[table] = rows[table].count;
	}
	frame_share(height, view->focus, counts, heights);
	for (table = 0; table < TABLES; table++) {
		if (heights[table] >= 0)
			first = put_table(frame, first, view, &rows[table], heights[table]);
		rows_free(&rows[table]);
	}
}

/* --- texts --------------------------------------------------------------------------- */

static void put_text(struct frame *frame, unsigned int first, unsigned int height,
		     struct view *view, const char *string)
{
	struct text text;
	unsigned int i;

	text_break(&text, string, frame->columns);
	view_scroll(view, text.count, height);
	for (i = 0; i < height && view->text.first + i < text.count; i++)
		put(frame, first + i, STYLE_PLAIN, text.lines[view->text.first + i]);
	text_free(&text);
}

static void put_report(struct frame *frame, unsigned int first, unsigned int height,
		       struct view *view, const struct model *model, const struct sample *sample)
{
	size_t size;
	char *text;
	FILE *out = must(open_memstream(&text, &size));

	report_write(out, model, sample, view->subject_table, &view->subject);
	fclose(out);
	put_text(frame, first, height, view, text);
	free(text);
}

/* --- all ----------------------------------------------------------------------------- */

static void put_summary(struct frame *frame, const struct view *view, const struct model *model,
			const char *when)
{
	size_t size;
	char *text;
	FILE *out = must(open_memstream(&text, &size));

	fprintf(out, "vsm top %s ", when);
	if (view->paused)
		fputs("PAUSED", out);
	else
		fprintf(out, "every %g s", view->interval);
	fputs(": ", out);
	batch_summary(out, model);
	fclose(out);
	put(frame, 0, STYLE_SUMMARY, text);
	free(text);
}

static void put_hints(struct frame *frame, const struct view *view)
{
	static const char tables[] =
		"q end  h help  Tab table  Enter look in  <> sort  r reverse  p pause  d interval";
	static const char *const hints[] = {
		[PAGE_TABLES] = tables,
		[PAGE_REPORT] = "Esc back  h help  Up Down scroll  p pause  d interval",
		[PAGE_HELP] = "Esc back  Up Down scroll",
	};

	if (view->typing)
		put_format(frame, frame->rows - 1, STYLE_SUMMARY,
			   "seconds between samples (%g to %g): %s_", VIEW_MIN_INTERVAL,
			   VIEW_MAX_INTERVAL, view->typed);
	else
		put(frame, frame->rows - 1, STYLE_FAINT, hints[view->page]);
}

void frame_make(struct frame *frame, unsigned int rows, unsigned int columns, struct view *view,
		const struct model *model, const struct sample *sample, const char *when)
{
	/* A line for the summary, and one for the hints if there is room. */
	unsigned int hints = rows >= 4 || (view->typing && rows >= 2) ? 1 : 0;
	unsigned int height = rows > 1 ? rows - 1 - hints : 0;

	*frame = (struct frame){ .rows = rows, .columns = columns };
	frame->lines = must(calloc(rows + 1, sizeof(*frame->lines)));
	if (!rows || !columns)
		return;
	put_summary(frame, view, model, when);
	if (view->page == PAGE_TABLES)
		put_tables(frame, 1, height, view, model);
	else if (view->page == PAGE_REPORT)
		put_report(frame, 1, height, view, model, sample);
	else
		put_text(frame, 1, height, view, help);
	if (hints)
		put_hints(frame, view);
}

void frame_free(struct frame *frame)
{
	unsigned int i;

	for (i = 0; i < frame->rows; i++)
		free(frame->lines[i].text);
	free(frame->lines);
	*frame = (struct frame){ };
}
