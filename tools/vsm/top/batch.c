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
static void write_rate(struct json_object *json, const char *key, double rate)
{
	if (isnan(rate))
		json_add_null(json, key);
	else
		json_add_real(json, key, rate);
}

static void write_row(struct json_object *json, const struct row *row, const char *id)
{
	json_add_number(json, "device", row->device);
	json_add_number(json, "client", row->client);
	if (id)
		json_add_number(json, id, row->id);
	json_add_number(json, "pid", row->pid);
	json_add_bytes(json, "comm", row->comm, strnlen(row->comm, sizeof(row->comm)));
}

static void write_client(struct json_object *list, const struct client_row *client)
{
	struct json_object *json = json_add_object(list, NULL);
	const struct fdinfo *info = &client->info;

	write_row(json, &client->row, NULL);
	json_add_number(json, "total_bytes", info->total);
	json_add_number(json, "shared_bytes", info->shared);
	json_add_number(json, "resident_bytes", info->resident);
	json_add_number(json, "active_bytes", info->active);
	json_add_number(json, "channels", info->capacity);
	json_add_number(json, "busy_ns", info->busy);
	json_add_number(json, "moved_bytes", info->moved);
	json_add_number(json, "phases", info->phases);
	json_add_number(json, "faults", info->faults);
	write_rate(json, "busy", client->busy);
	write_rate(json, "bytes_per_s", client->bytes);
	write_rate(json, "phases_per_s", client->phases);
	write_rate(json, "faults_per_s", client->faults);
}

static void write_cluster(struct json_object *list, const struct cluster_row *cluster)
{
	struct json_object *json = json_add_object(list, NULL);

	write_row(json, &cluster->row, "cluster");
	json_add_number(json, "threads", cluster->threads);
	json_add_number(json, "waiting", cluster->waiting);
	json_add_number(json, "armed", cluster->armed);
	json_add_number(json, "meeting", cluster->meeting);
	json_add_number(json, "exited", cluster->exited);
	if (cluster->oldest < 0)
		json_add_null(json, "oldest_ns");
	else
		json_add_signed(json, "oldest_ns", cluster->oldest);
	json_add_string(json, "status",
			cluster->status == STATUS_NONE ? NULL : status_name(cluster->status));
}

static void write_channel(struct json_object *list, const struct channel_row *channel)
{
	struct json_object *json = json_add_object(list, NULL);

	write_row(json, &channel->row, "channel");
	json_add_number(json, "jobs", channel->jobs);
	json_add_number(json, "operations", channel->operations);
	json_add_number(json, "held", channel->held);
	json_add_number(json, "missing_fences", channel->running ? 0 : channel->fences);
	if (channel->fence[0])
		json_add_bytes(json, "fence", channel->fence,
			       strnlen(channel->fence, sizeof(channel->fence)));
	else
		json_add_null(json, "fence");
	if (channel->moved == UINT64_MAX)
		json_add_null(json, "moved_bytes");
	else
		json_add_number(json, "moved_bytes", channel->moved);
	write_rate(json, "bytes_per_s", channel->bytes);
}

void batch_json(FILE *out, const struct model *model, const char *when)
{
	struct json_object *json = must(json_object_new_object()), *list;
	size_t i;

	json_add_string(json, "time", when);
	json_add_number(json, "devices", model->devices);
	json_add_string(json, "problem", model->problem[0] ? model->problem : NULL);
	list = json_add_array(json, "clients");
	for (i = 0; i < model->client_count; i++)
		write_client(list, &model->clients[i]);
	list = json_add_array(json, "clusters");
	for (i = 0; i < model->cluster_count; i++)
		write_cluster(list, &model->clusters[i]);
	list = json_add_array(json, "channels");
	for (i = 0; i < model->channel_count; i++)
		write_channel(list, &model->channels[i]);
	json_write(out, json, true);
}
