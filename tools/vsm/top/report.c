// SPDX-License-Identifier: MIT
/*
 * What vsm top says about one client, cluster or channel.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "text.h"
#include "top/amount.h"
#include "top/report.h"
#include "vsm_syntax.h"

/* With more waits, the search for what can end them could take longer than a sample. */
#define MAX_WHY 64

void report_name(char *name, size_t size, enum table table, const struct row *row)
{
	if (table == TABLE_CHANNELS)
		snprintf(name, size, "channel %u of client %u of device %u", row->id, row->client,
			 row->device);
	else
		snprintf(name, size, "%s %u of device %u", table_noun(table),
			 table == TABLE_CLIENTS ? row->client : row->id, row->device);
}

static bool is_row(const struct row *a, const struct row *b)
{
	return a->device == b->device && a->client == b->client && a->id == b->id;
}

/* --- what is counted ------------------------------------------------------------------ */

static void write_memory(FILE *out, const char *what, uint64_t bytes)
{
	char amount[16];

	amount_write_memory(amount, sizeof(amount), bytes);
	fprintf(out, "%s %s", amount, what);
}

static void write_client(FILE *out, const struct client_row *client)
{
	const struct fdinfo *info = &client->info;

	fprintf(out, "client %u of device %u, by process %u (", info->client, info->device,
		client->row.pid);
	write_printable(out, client->row.comm, sizeof(client->row.comm));
	fputs(")\n  memory: ", out);
	write_memory(out, "in all, ", info->total);
	write_memory(out, "shared, ", info->shared);
	write_memory(out, "resident, ", info->resident);
	write_memory(out, "active\n", info->active);
	fputs("  copy engine: ", out);
	ptx_phrase_count(out, info->capacity, "channel");
	fprintf(out, ", busy for %.1f s, ", info->busy / 1e9);
	ptx_phrase_count(out, info->moved, "byte");
	fputs(" moved\n  ", out);
	ptx_phrase_count(out, info->phases, "phase");
	fputs(" completed, ", out);
	ptx_phrase_count(out, info->faults, "fault");
	fputs("\n", out);
}

static void write_channel(FILE *out, const struct channel_row *channel)
{
	fprintf(out, "channel %u: ", channel->row.id);
	ptx_phrase_count(out, channel->jobs, "job");
	fputs(", ", out);
	ptx_phrase_count(out, channel->operations, "operation");
	fprintf(out, " in flight, %u of them held\n", channel->held);
}

/* Returns false if the row does not exist any more. */
static bool write_counts(FILE *out, const struct model *model, enum table table,
			 const struct row *row)
{
	bool found = false;
	size_t i;

	for (i = 0; i < model->client_count; i++) {
		const struct client_row *client = &model->clients[i];

		if (client->row.device != row->device || client->row.client != row->client)
			continue;
		found = table == TABLE_CLIENTS;
		if (table != TABLE_CLUSTERS)
			write_client(out, client);
	}
	for (i = 0; table == TABLE_CHANNELS && i < model->channel_count; i++)
		if (is_row(&model->channels[i].row, row)) {
			write_channel(out, &model->channels[i]);
			found = true;
		}
	for (i = 0; table == TABLE_CLUSTERS && i < model->cluster_count; i++)
		found |= is_row(&model->clusters[i].row, row);
	return found;
}

/* --- clusters ------------------------------------------------------------------------ */

/* Has the client of a row anything to do with a cluster? */
static bool concerns(const struct ps_cluster *cluster, enum table table, const struct row *row)
{
	uint32_t i;

	if (cluster->device != row->device)
		return false;
	if (table == TABLE_CLUSTERS)
		return cluster->state.number == row->id;
	if (cluster->state.client == row->client)
		return true;
	for (i = 0; i < cluster->state.count; i++)
		if (cluster->entries[i].client == row->client)
			return true;
	return false;
}

void report_write(FILE *out, const struct model *model, const struct sample *sample,
		  enum table table, const struct row *row)
{
	const struct ps_cluster *cluster;
	char name[80];
	size_t i;

	if (!write_counts(out, model, table, row)) {
		report_name(name, sizeof(name), table, row);
		fprintf(out, "%s is gone\n", name);
		return;
	}
	for (i = 0; i < sample->cluster_count; i++) {
		cluster = &sample->clusters[i];
		if (!concerns(cluster, table, row))
			continue;
		if (table != TABLE_CLUSTERS)
			fputs("\n", out);
		ps_write_text(out, cluster, cluster->wait_count <= MAX_WHY);
	}
}

/* --- lines --------------------------------------------------------------------------- */

/* How many bytes of @line fit into @width columns, which is a whole number of words if possible. */
static size_t fitting(const char *line, size_t width, bool *fits)
{
	char *buffer = must(malloc(strlen(line) + 1));
	size_t columns, length;

	columns = make_printable(buffer, strlen(line) + 1, line, width);
	length = strlen(buffer);
	*fits = length == strlen(line);
	if (!*fits && columns) {
		while (length && line[length] != ' ')
			length--;
		/* Spaces at the beginning are no words. */
		if (length <= strspn(line, " "))
			length = strlen(buffer);
	}
	free(buffer);
	return length;
}

static void add_line(struct text *text, int indent, const char *line, size_t length)
{
	text->lines = grow(text->lines, text->count, sizeof(*text->lines));
	if (asprintf(&text->lines[text->count++], "%*s%.*s", indent, "", (int)length, line) < 0)
		must(NULL);
}

/* Breaks a printable line. */
static void break_line(struct text *text, const char *line, size_t width)
{
	size_t indent = strspn(line, " ") + 4, length;
	bool first = true, fits;

	if (indent + 8 > width)
		indent = 0;
	do {
		length = fitting(line, first ? width : width - indent, &fits);
		add_line(text, first ? 0 : indent, line, length);
		line += length;
		line += strspn(line, " ");
		first = false;
	} while (!fits);
}

void text_break(struct text *text, const char *string, size_t width)
{
	const char *end;
	char *line, *printable;

	*text = (struct text){ };
	while (*string) {
		end = strchrnul(string, '\n');
		line = must(strndup(string, end - string));
		printable = must(malloc(strlen(line) + 1));
		make_printable(printable, strlen(line) + 1, line, 0);
		break_line(text, printable, width ? width : 1);
		free(printable);
		free(line);
		string = *end ? end + 1 : end;
	}
}

void text_free(struct text *text)
{
	size_t i;

	for (i = 0; i < text->count; i++)
		free(text->lines[i]);
	free(text->lines);
	*text = (struct text){ };
}
