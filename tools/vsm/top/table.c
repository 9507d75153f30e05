// SPDX-License-Identifier: MIT
/*
 * The tables of vsm top: their columns, how a cell reads, and the order of rows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "text.h"
#include "top/amount.h"
#include "top/table.h"

/**
 * struct cell - A cell
 * @number: By what it is sorted, if the column is no text; NAN comes last
 * @text: What is shown
 */
struct cell {
	double number;
	char text[80];
};

enum sorting {
	DOWNWARDS,
	UPWARDS,
	TEXT,
};

/**
 * struct column - A column
 * @title: What is above it
 * @width: Its width. 0 is the rest of the line
 * @left: Cells stand at the left
 * @sorting: How it is sorted
 * @fill: Sets a cell
 */
struct column {
	const char *title;
	unsigned int width;
	bool left;
	enum sorting sorting;
	void (*fill)(const struct row *row, struct cell *cell);
};

/* --- cells of all tables -------------------------------------------------------------- */

static void fill_count(struct cell *cell, uint64_t count)
{
	cell->number = count;
	snprintf(cell->text, sizeof(cell->text), "%llu", (unsigned long long)count);
}

static void fill_amount(struct cell *cell, double amount)
{
	cell->number = amount;
	amount_write(cell->text, sizeof(cell->text), amount);
}

/* A text is made printable when it is written. */
static void fill_text(struct cell *cell, const char *text, size_t size)
{
	snprintf(cell->text, sizeof(cell->text), "%.*s", (int)strnlen(text, size), text);
}

static void fill_device(const struct row *row, struct cell *cell)
{
	fill_count(cell, row->device);
}

static void fill_client(const struct row *row, struct cell *cell)
{
	fill_count(cell, row->client);
}

static void fill_id(const struct row *row, struct cell *cell)
{
	fill_count(cell, row->id);
}

static void fill_pid(const struct row *row, struct cell *cell)
{
	fill_count(cell, row->pid);
	if (!row->pid)
		strcpy(cell->text, "-");
}

static void fill_comm(const struct row *row, struct cell *cell)
{
	fill_text(cell, *row->comm ? row->comm : "-", sizeof(row->comm));
}

/* --- clients ------------------------------------------------------------------------- */

static const struct client_row *as_client(const struct row *row)
{
	return (const struct client_row *)row;
}

static void fill_memory(const struct row *row, struct cell *cell)
{
	cell->number = as_client(row)->info.total;
	amount_write_memory(cell->text, sizeof(cell->text), as_client(row)->info.total);
}

static void fill_busy(const struct row *row, struct cell *cell)
{
	cell->number = as_client(row)->busy;
	if (isnan(cell->number))
		strcpy(cell->text, "-");
	else
		snprintf(cell->text, sizeof(cell->text), "%.0f", 100 * cell->number);
}

static void fill_bytes(const struct row *row, struct cell *cell)
{
	fill_amount(cell, as_client(row)->bytes);
}

static void fill_phases(const struct row *row, struct cell *cell)
{
	fill_amount(cell, as_client(row)->phases);
}

static void fill_faults(const struct row *row, struct cell *cell)
{
	fill_amount(cell, as_client(row)->faults);
}

static void fill_all_faults(const struct row *row, struct cell *cell)
{
	fill_amount(cell, as_client(row)->info.faults);
}

/* --- clusters ------------------------------------------------------------------------ */

static const struct cluster_row *as_cluster(const struct row *row)
{
	return (const struct cluster_row *)row;
}

static void fill_threads(const struct row *row, struct cell *cell)
{
	fill_count(cell, as_cluster(row)->threads);
}

static void fill_waiting(const struct row *row, struct cell *cell)
{
	fill_count(cell, as_cluster(row)->waiting);
}

static void fill_armed(const struct row *row, struct cell *cell)
{
	fill_count(cell, as_cluster(row)->armed);
}

static void fill_meeting(const struct row *row, struct cell *cell)
{
	fill_count(cell, as_cluster(row)->meeting);
}

static void fill_exited(const struct row *row, struct cell *cell)
{
	fill_count(cell, as_cluster(row)->exited);
}

static void fill_oldest(const struct row *row, struct cell *cell)
{
	int64_t oldest = as_cluster(row)->oldest;

	cell->number = oldest < 0 ? NAN : (double)oldest;
	amount_write_time(cell->text, sizeof(cell->text), oldest);
}

static void fill_status(const struct row *row, struct cell *cell)
{
	enum status status = as_cluster(row)->status;

	cell->number = status;
	snprintf(cell->text, sizeof(cell->text), "%s", status_name(status));
}

/* --- channels ------------------------------------------------------------------------ */

static const struct channel_row *as_channel(const struct row *row)
{
	return (const struct channel_row *)row;
}

static void fill_jobs(const struct row *row, struct cell *cell)
{
	fill_count(cell, as_channel(row)->jobs);
}

static void fill_operations(const struct row *row, struct cell *cell)
{
	fill_count(cell, as_channel(row)->operations);
}

static void fill_bytes_of_channel(const struct row *row, struct cell *cell)
{
	fill_amount(cell, as_channel(row)->bytes);
}

/* What the channel waits for. An operation that is held waits for the program. */
static void fill_waits(const struct row *row, struct cell *cell)
{
	const struct channel_row *channel = as_channel(row);

	if (channel->fences && !channel->running)
		snprintf(cell->text, sizeof(cell->text), "%u fence%s%s%.*s", channel->fences,
			 channel->fences == 1 ? "" : "s", channel->fence[0] ? ": " : "",
			 (int)sizeof(channel->fence), channel->fence);
	else if (channel->held)
		snprintf(cell->text, sizeof(cell->text), "release of %u held", channel->held);
}

/* --- tables -------------------------------------------------------------------------- */

static const struct column client_columns[] = {
	{ "CLIENT", 6, false, UPWARDS, fill_client },
	{ "DEV", 3, false, UPWARDS, fill_device },
	{ "PID", 7, false, UPWARDS, fill_pid },
	{ "MEMORY", 7, false, DOWNWARDS, fill_memory },
	{ "COPY%", 5, false, DOWNWARDS, fill_busy },
	{ "BYTES/S", 7, false, DOWNWARDS, fill_bytes },
	{ "PHASES/S", 8, false, DOWNWARDS, fill_phases },
	{ "FAULTS/S", 8, false, DOWNWARDS, fill_faults },
	{ "FAULTS", 6, false, DOWNWARDS, fill_all_faults },
	{ "COMMAND", 0, true, TEXT, fill_comm },
};

static const struct column cluster_columns[] = {
	{ "CLUSTER", 7, false, UPWARDS, fill_id },
	{ "DEV", 3, false, UPWARDS, fill_device },
	{ "PID", 7, false, UPWARDS, fill_pid },
	{ "THREADS", 7, false, DOWNWARDS, fill_threads },
	{ "WAIT", 5, false, DOWNWARDS, fill_waiting },
	{ "ARMED", 6, false, DOWNWARDS, fill_armed },
	{ "MEET", 5, false, DOWNWARDS, fill_meeting },
	{ "EXIT", 5, false, DOWNWARDS, fill_exited },
	{ "OLDEST", 6, false, DOWNWARDS, fill_oldest },
	{ "STATUS", 8, true, DOWNWARDS, fill_status },
	{ "COMMAND", 0, true, TEXT, fill_comm },
};

static const struct column channel_columns[] = {
	{ "CHANNEL", 7, false, UPWARDS, fill_id },
	{ "DEV", 3, false, UPWARDS, fill_device },
	{ "PID", 7, false, UPWARDS, fill_pid },
	{ "CLIENT", 6, false, UPWARDS, fill_client },
	{ "JOBS", 4, false, DOWNWARDS, fill_jobs },
	{ "OPS", 5, false, DOWNWARDS, fill_operations },
	{ "BYTES/S", 7, false, DOWNWARDS, fill_bytes_of_channel },
	{ "COMMAND", 12, true, TEXT, fill_comm },
	{ "WAITS FOR", 0, true, TEXT, fill_waits },
};

static const struct {
	const char *noun;
	const struct column *columns;
	unsigned int count;
	unsigned int order;
} tables[] = {
	[TABLE_CLIENTS] = { "client", client_columns, ARRAY_SIZE(client_columns), 5 },
	[TABLE_CLUSTERS] = { "cluster", cluster_columns, ARRAY_SIZE(cluster_columns), 8 },
	[TABLE_CHANNELS] = { "channel", channel_columns, ARRAY_SIZE(channel_columns), 6 },
};

const char *table_noun(enum table table)
{
	return tables[table].noun;
}

unsigned int table_columns(enum table table)
{
	return tables[table].count;
}

struct order table_order(enum table table)
{
	return (struct order){ .column = tables[table].order };
}

/* --- order --------------------------------------------------------------------------- */

/**
 * struct sorted - A row that is being sorted
 * @row: The row
 * @cell: Its cell in the column by which it is sorted
 * @sign: -1 if the order is reversed, else 1
 * @sorting: How the column is sorted
 */
struct sorted {
	const struct row *row;
	struct cell cell;
	int sign;
	enum sorting sorting;
};

static int compare_ids(const struct row *a, const struct row *b)
{
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->client != b->client)
		return a->client < b->client ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* What is not known, and an empty text, stand last in both orders. */
static int compare_cells(const struct sorted *a, const struct sorted *b)
{
	const struct cell *x = &a->cell, *y = &b->cell;
	bool none_x, none_y;
	int result;

	if (a->sorting == TEXT) {
		none_x = !*x->text;
		none_y = !*y->text;
		result = strcmp(x->text, y->text);
	} else {
		none_x = isnan(x->number);
		none_y = isnan(y->number);
		result = x->number < y->number ? -1 : x->number > y->number;
		if (a->sorting == DOWNWARDS)
			result = -result;
	}
	if (none_x || none_y)
		return none_x - none_y;
	return a->sign * result;
}

static int compare_rows(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	return compare_cells(x, y) ?: compare_ids(x->row, y->row);
}

static const struct row *row_at(const struct model *model, enum table table, size_t index)
{
	switch (table) {
	case TABLE_CLIENTS:
		return &model->clients[index].row;
	case TABLE_CLUSTERS:
		return &model->clusters[index].row;
	default:
		return &model->channels[index].row;
	}
}

static size_t count_rows(const struct model *model, enum table table)
{
	switch (table) {
	case TABLE_CLIENTS:
		return model->client_count;
	case TABLE_CLUSTERS:
		return model->cluster_count;
	default:
		return model->channel_count;
	}
}

void rows_sort(struct rows *rows, const struct model *model, enum table table, struct order order)
{
	const struct column *column = &tables[table].columns[order.column];
	size_t count = count_rows(model, table), i;
	struct sorted *sorted = must(calloc(count + 1, sizeof(*sorted)));

	for (i = 0; i < count; i++) {
		sorted[i].row = row_at(model, table, i);
		sorted[i].sign = order.reverse ? -1 : 1;
		sorted[i].sorting = column->sorting;
		column->fill(sorted[i].row, &sorted[i].cell);
	}
	qsort(sorted, count, sizeof(*sorted), compare_rows);
	rows->table = table;
	rows->count = count;
	rows->rows = must(calloc(count + 1, sizeof(*rows->rows)));
	for (i = 0; i < count; i++)
		rows->rows[i] = sorted[i].row;
	free(sorted);
}

void rows_free(struct rows *rows)
{
	free(rows->rows);
	rows->rows = NULL;
	rows->count = 0;
}

/* --- lines --------------------------------------------------------------------------- */

/*
 * Writes a cell in its width. A text that is too long is cut. @spaces is the number of spaces that
 * have to come before it, and that have to come after it. So no line ends with a space.
 */
static void write_cell(FILE *out, const struct column *column, const char *text, int *spaces)
{
	char printable[sizeof(((struct cell *)NULL)->text)];
	int left = make_printable(printable, sizeof(printable), text, column->width);

	left = column->width ? (int)column->width - left : 0;
	if (*printable)
		fprintf(out, "%*s%s", *spaces + (column->left ? 0 : left), "", printable);
	*spaces = (*printable ? 1 : *spaces + 1) + (column->left || !*printable ? left : 0);
}

void table_titles(FILE *out, enum table table)
{
	int spaces = 0;
	unsigned int i;

	for (i = 0; i < tables[table].count; i++)
		write_cell(out, &tables[table].columns[i], tables[table].columns[i].title, &spaces);
}

void table_row(FILE *out, enum table table, const struct row *row)
{
	struct cell cell;
	int spaces = 0;
	unsigned int i;

	for (i = 0; i < tables[table].count; i++) {
		cell = (struct cell){ };
		tables[table].columns[i].fill(row, &cell);
		write_cell(out, &tables[table].columns[i], cell.text, &spaces);
	}
}

void table_place(enum table table, unsigned int column, unsigned int *first, unsigned int *last)
{
	const struct column *columns = tables[table].columns;
	unsigned int i;

	*first = 0;
	for (i = 0; i < column; i++)
		*first += columns[i].width + 1;
	*last = *first + (columns[i].width ? columns[i].width : strlen(columns[i].title));
}

bool table_alarms(enum table table, const struct row *row)
{
	return table == TABLE_CLUSTERS && as_cluster(row)->status >= STATUS_STUCK;
}
