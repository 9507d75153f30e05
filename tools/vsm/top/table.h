/* SPDX-License-Identifier: MIT */
/*
 * The tables of vsm top: their columns, how a cell reads, and the order of rows.
 */
#ifndef _TOP_TABLE_H_
#define _TOP_TABLE_H_

#include <stdbool.h>
#include <stdio.h>

#include "top/model.h"

enum table {
	TABLE_CLIENTS,
	TABLE_CLUSTERS,
	TABLE_CHANNELS,
	TABLES,
};

/**
 * struct order - The order of the rows of a table
 * @column: Index of the column by which they are sorted
 * @reverse: The order is not the usual one of the column, which is: texts and ids upwards, and
 *	all other numbers downwards
 */
struct order {
	unsigned int column;
	bool reverse;
};

/**
 * struct rows - The rows of a table, in their order
 * @table: Which table
 * @rows: The rows
 * @count: Number of @rows
 */
struct rows {
	enum table table;
	const struct row **rows;
	size_t count;
};

/* "client", "cluster" or "channel". */
const char *table_noun(enum table table);
unsigned int table_columns(enum table table);
/* The order in which a table is at first. */
struct order table_order(enum table table);

/* Takes the rows of a table, sorts them. rows_free() frees them. */
void rows_sort(struct rows *rows, const struct model *model, enum table table, struct order order);
void rows_free(struct rows *rows);

/* These two write a line, without the end of line. */
void table_titles(FILE *out, enum table table);
void table_row(FILE *out, enum table table, const struct row *row);
/* Says where the title of a column begins, and before which place it ends. */
void table_place(enum table table, unsigned int column, unsigned int *first, unsigned int *last);
/* Is the row one of a cluster that makes no progress, or is lost? */
bool table_alarms(enum table table, const struct row *row);

#endif
