// SPDX-License-Identifier: MIT
/*
 * What vsm top writes without a terminal.
 */
#include <math.h>
#include <string.h>

#include "base.h"
#include "json.h"
#include "text.h"
#include "top/batch.h"
#include "top/table.h"
#include "vsm_syntax.h"

/* --- text ---------------------------------------------------------------------------- */

void batch_summary(FILE *out, const struct model *model)
{
	size_t alarms = 0, waiting = 0, i;

	for (i = 0; i < model->cluster_count; i++) {
		waiting += model->clusters[i].waiting;
		alarms += table_alarms(TABLE_CLUSTERS, &model->clusters[i].row);
	}
	if (model->problem[0]) {
		write_printable(out, model->problem, sizeof(model->problem));
		fputs("; ", out);
	}
	ptx_phrase_count(out, model->devices, "device");
	fputs(", ", out);
	ptx_phrase_count(out, model->client_count, "client");
	fputs(", ", out);
	ptx_phrase_count(out, model->cluster_count, "cluster");
	if (alarms)
		fprintf(out, " (%zu stuck)", alarms);
	fprintf(out, ", %zu waiting", waiting);
}

void batch_text(FILE *out, const struct model *model, const char *when)
{
	enum table table;
	struct rows rows;
	size_t i;

	fprintf(out, "vsm top %s: ", when);
	batch_summary(out, model);
	putc('\n', out);
	for (table = 0; table < TABLES; table++) {
		table_titles(out, table);
		putc('\n', out);
		rows_sort(&rows, model, table, table_order(table));
		for (i = 0; i < rows.count; i++) {
			table_row(out, table, rows.rows[i]);
			putc('\n', out);
		}
		rows_free(&rows);
	}
}

/* --- JSON ---------------------------------------------------------------------------- */

/* A rate with three digits behind the point; null if it is not known. */
static void write_rate(struct json *json, const char *key, double rate)
{
	if (isnan(rate))
		json_null(json, key);
	else
		json_real(json, key, rate);
}

static void write_row(struct json *json, const struct row *row, const char *id)
{
	json_number(json, "device", row->device);
	json_number(json, "client", row->client);
	if (id)
		json_number(json, id, row->id);
	json_number(json, "pid", row->pid);
	json_bytes(json, "comm", row->comm, strnlen(row->comm, sizeof(row->comm)));
}

static void write_client(struct json *json, const struct client_row *client)
{
	const struct fdinfo *info = &client->info;

	json_object(json, NULL);
	write_row(json, &client->row, NULL);
	json_number(json, "total_bytes", info->total);
	json_number(json, "shared_bytes", info->shared);
	json_number(json, "resident_bytes", info->resident);
	json_number(json, "active_bytes", info->active);
	json_number(json, "channels", info->capacity);
	json_number(json, "busy_ns", info->busy);
	json_number(json, "moved_bytes", info->moved);
	json_number(json, "phases", info->phases);
	json_number(json, "faults", info->faults);
	write_rate(json, "busy", client->busy);
	write_rate(json, "bytes_per_s", client->bytes);
	write_rate(json, "phases_per_s", client->phases);
	write_rate(json, "faults_per_s", client->faults);
	json_end(json);
}

static void write_cluster(struct json *json, const struct cluster_row *cluster)
{
	json_object(json, NULL);
	write_row(json, &cluster->row, "cluster");
	json_number(json, "threads", cluster->threads);
	json_number(json, "waiting", cluster->waiting);
	json_number(json, "armed", cluster->armed);
	json_number(json, "meeting", cluster->meeting);
	json_number(json, "exited", cluster->exited);
	if (cluster->oldest < 0)
		json_null(json, "oldest_ns");
	else
		json_signed(json, "oldest_ns", cluster->oldest);
	json_string(json, "status",
		    cluster->status == STATUS_NONE ? NULL : status_name(cluster->status));
	json_end(json);
}

static void write_channel(struct json *json, const struct channel_row *channel)
{
	json_object(json, NULL);
	write_row(json, &channel->row, "channel");
	json_number(json, "jobs", channel->jobs);
	json_number(json, "operations", channel->operations);
	json_number(json, "held", channel->held);
	json_number(json, "missing_fences", channel->running ? 0 : channel->fences);
	if (channel->fence[0])
		json_bytes(json, "fence", channel->fence,
			   strnlen(channel->fence, sizeof(channel->fence)));
	else
		json_null(json, "fence");
	if (channel->moved == UINT64_MAX)
		json_null(json, "moved_bytes");
	else
		json_number(json, "moved_bytes", channel->moved);
	write_rate(json, "bytes_per_s", channel->bytes);
	json_end(json);
}

void batch_json(FILE *out, const struct model *model, const char *when)
{
	struct json json;
	size_t i;

	json_begin(&json, out);
	json.one_line = true;
	json_object(&json, NULL);
	json_string(&json, "time", when);
	json_number(&json, "devices", model->devices);
	json_string(&json, "problem", model->problem[0] ? model->problem : NULL);
	json_array(&json, "clients");
	for (i = 0; i < model->client_count; i++)
		write_client(&json, &model->clients[i]);
	json_end(&json);
	json_array(&json, "clusters");
	for (i = 0; i < model->cluster_count; i++)
		write_cluster(&json, &model->clusters[i]);
	json_end(&json);
	json_array(&json, "channels");
	for (i = 0; i < model->channel_count; i++)
		write_channel(&json, &model->channels[i]);
	json_end(&json);
	json_end(&json);
}
