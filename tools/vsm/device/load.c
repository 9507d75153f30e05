// SPDX-License-Identifier: MIT
/*
 * vsm device load and unload: makes and removes the devices that files name. A line of a file has
 * the operands of vsm device create.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions.h"
#include "base.h"
#include "change.h"
#include "folder.h"
#include "printable.h"

#define FILE_LIMIT 0x100000
#define SPACE " \t\r"

/**
 * struct order - A line of a file
 * @where: What a message about the line begins with: the subcommand, the file and the line
 * @words: The name of the device and its options
 * @count: Number of @words
 * @disabled: The line has --disabled
 */
struct order {
	char *where;
	char **words;
	int count;
	bool disabled;
};

struct orders {
	struct order *first;
	size_t count;
	/* The contents of the files, in which the words are */
	char **texts;
	size_t text_count;
};

/* Adds the words of a line to @orders. A "#" at the beginning of a word starts a comment. */
static int add_line(struct orders *orders, const char *command, const char *file, size_t number,
		    char *line)
{
	char shown[SHOWN_BYTES], *word, *rest;
	struct order order = {};
	int status = EXIT_OK, size;

	make_printable(shown, sizeof(shown), file, 0);
	size = asprintf(&order.where, "%s: %s:%zu", command, shown, number);
	must(size < 0 ? NULL : order.where);
	for (word = strtok_r(line, SPACE, &rest); word && *word != '#' && !status;
	     word = strtok_r(NULL, SPACE, &rest)) {
		if (!strcmp(word, "--disabled")) {
			order.disabled = true;
		} else if (*word == '-') {
			make_printable(shown, sizeof(shown), word, 0);
			status = misused("device %s: no option '%s'", order.where, shown);
		} else {
			order.words = grow(order.words, order.count, sizeof(*order.words));
			order.words[order.count++] = word;
		}
	}
	if (!status && order.count)
		status = device_check(order.where, order.count, order.words);
	else if (!status && order.disabled)
		status = misused("device %s: expected the NAME of a device", order.where);
	if (!status && order.count) {
		orders->first = grow(orders->first, orders->count, sizeof(order));
		orders->first[orders->count++] = order;
		return EXIT_OK;
	}
	free(order.words);
	free(order.where);
	return status;
}

static int read_orders(struct orders *orders, const char *command, const char *file)
{
	char shown[SHOWN_BYTES], *text, *line, *rest;
	int status = EXIT_OK;
	size_t size, number;

	text = file_read_or_input(file, FILE_LIMIT, &size);
	if (!text) {
		make_printable(shown, sizeof(shown), file, 0);
		return failed("device %s: %s: %s", command, shown, strerror(errno));
	}
	orders->texts = grow(orders->texts, orders->text_count, sizeof(*orders->texts));
	orders->texts[orders->text_count++] = text;
	if (strlen(text) != size) {
		make_printable(shown, sizeof(shown), file, 0);
		return misused("device %s: %s: this is not a text file", command, shown);
	}
	rest = text;
	for (number = 1; (line = strsep(&rest, "\n")) && !status; number++)
		status = add_line(orders, command, file, number, line);
	return status;
}

/* Reads all files before anything is done with the devices. */
static int read_all(struct orders *orders, const char *command, int count, char **files)
{
	int status = EXIT_OK, i;

	for (i = 0; i < count && !status; i++)
		status = read_orders(orders, command, files[i]);
	return status;
}

static void free_orders(struct orders *orders)
{
	size_t i;

	for (i = 0; i < orders->count; i++) {
		free(orders->first[i].where);
		free(orders->first[i].words);
	}
	for (i = 0; i < orders->text_count; i++)
		free(orders->texts[i]);
	free(orders->first);
	free(orders->texts);
}

/* Makes all devices. If one cannot be made, removes those before it. */
static int make_all(int folders, const struct orders *orders)
{
	int status = EXIT_OK;
	size_t made;

	for (made = 0; made < orders->count; made++) {
		const struct order *order = &orders->first[made];

		status = device_make(order->where, folders, order->count, order->words,
				     order->disabled);
		if (status)
			break;
	}
	while (status && made-- > 0)
		device_remove(orders->first[made].where, folders, orders->first[made].words[0]);
	return status;
}

int action_load(int count, char **files)
{
	struct orders orders = {};
	int status, folders;

	status = read_all(&orders, "load", count, files);
	if (!status && orders.count) {
		folders = folders_open("load");
		status = folders < 0 ? EXIT_FAILED : make_all(folders, &orders);
		if (folders >= 0)
			close(folders);
	}
	free_orders(&orders);
	return status;
}

int action_unload(int count, char **files)
{
	struct orders orders = {};
	int status, folders;
	size_t i;

	status = read_all(&orders, "unload", count, files);
	if (!status && orders.count) {
		folders = folders_open("unload");
		if (folders < 0)
			status = EXIT_FAILED;
		for (i = orders.count; i-- > 0 && folders >= 0;) {
			const struct order *order = &orders.first[i];

			/* Somebody may have removed the device already. */
			if (!faccessat(folders, order->words[0], F_OK, 0) &&
			    device_remove(order->where, folders, order->words[0]))
				status = EXIT_FAILED;
		}
		if (folders >= 0)
			close(folders);
	}
	free_orders(&orders);
	return status;
}
