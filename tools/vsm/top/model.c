// SPDX-License-Identifier: MIT
/*
 * What vsm top shows: clients and channels, and all of a sample. past.c looks at the clusters.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "top/model.h"
#include "top/past.h"

/* --- rates --------------------------------------------------------------------------- */

/*
 * How much a counter has grown, a second. A counter falls if it is a sum over objects, and one of
 * them has gone: then nothing is known.
 */
static double rate(uint64_t old, uint64_t new, int64_t ns)
{
	return new < old || ns <= 0 ? NAN : (new - old) * 1e9 / ns;
}

static struct client *find_client(struct client *clients, size_t count, uint32_t device,
				  uint32_t number)
{
	struct client key = { .info = { .device = device, .client = number } };

	return count ? bsearch(&key, clients, count, sizeof(*clients), client_compare) : NULL;
}

static struct client *find_old(const struct model *model, uint32_t device, uint32_t number)
{
	return find_client(model->old_clients, model->old_client_count, device, number);
}

/* --- clients ------------------------------------------------------------------------- */

static void set_client_row(struct client_row *row, const struct client *client,
			   const struct client *old)
{
	const struct fdinfo *new = &client->info;
	int64_t ns = old ? client->time - old->time : 0;
	const struct fdinfo *before = old ? &old->info : new;
	uint64_t capacity = new->capacity ? new->capacity : 1;

	row->row = (struct row){
		.device = new->device, .client = new->client, .pid = client->pid,
	};
	memcpy(row->row.comm, client->comm, sizeof(row->row.comm));
	row->info = *new;
	row->busy = rate(before->busy, new->busy, ns) / 1e9 / capacity;
	/* The clock of the engine and that of this program are read one after the other. */
	if (row->busy > 1)
		row->busy = 1;
	row->bytes = rate(before->moved, new->moved, ns);
	row->phases = rate(before->phases, new->phases, ns);
	row->faults = rate(before->faults, new->faults, ns);
}

static void add_clients(struct model *model, const struct sample *sample)
{
	const struct client *client;
	size_t i;

	model->clients = must(calloc(sample->client_count + 1, sizeof(*model->clients)));
	for (i = 0; i < sample->client_count; i++) {
		client = &sample->clients[i];
		set_client_row(&model->clients[i], client,
			       find_old(model, client->info.device, client->info.client));
	}
	model->client_count = sample->client_count;
}

/* --- channels ------------------------------------------------------------------------ */

static struct channel_row *add_channel(struct model *model, const struct row *of, uint32_t id)
{
	struct channel_row *row;

	model->channels = grow(model->channels, model->channel_count, sizeof(*model->channels));
	row = &model->channels[model->channel_count++];
	*row = (struct channel_row){ .row = *of, .moved = UINT64_MAX, .bytes = NAN };
	row->row.id = id;
	return row;
}

static void add_channels(struct model *model, const struct sample *sample)
{
	const struct client *client, *old;
	struct channel_row *row;
	size_t i;
	uint32_t id;

	for (i = 0; i < sample->client_count; i++) {
		client = &sample->clients[i];
		old = find_old(model, client->info.device, client->info.client);
		for (id = 0; id < FDINFO_CHANNELS; id++) {
			if (!(client->info.channels >> id & 1))
				continue;
			row = add_channel(model, &model->clients[i].row, id);
			row->moved = client->info.channel_moved[id];
			if (old && old->info.channels >> id & 1)
				row->bytes = rate(old->info.channel_moved[id], row->moved,
						  client->time - old->time);
		}
	}
}

/* The channel of an entry. Its client may be one whose files the caller may not see. */
static struct channel_row *channel_of(struct model *model, const struct ps_cluster *cluster,
				      const struct drm_vsm_state_entry *entry)
{
	struct row row = {
		.device = cluster->device, .client = entry->client, .pid = entry->pid,
	};
	size_t i;

	for (i = 0; i < model->channel_count; i++)
		if (model->channels[i].row.device == cluster->device &&
		    model->channels[i].row.client == entry->client &&
		    model->channels[i].row.id == entry->id)
			return &model->channels[i];
	if (entry->client == cluster->state.client)
		memcpy(row.comm, cluster->state.comm, sizeof(cluster->state.comm));
	return add_channel(model, &row, entry->id);
}

static void count_job(struct channel_row *row, const struct drm_vsm_state_entry *entry)
{
	row->jobs++;
	if (entry->flags & DRM_VSM_STATE_RUNNING)
		row->running = true;
	/* Jobs are listed in their order. Only the first one waits for its fences. */
	if (row->fences || !entry->missing)
		return;
	row->fences = entry->missing;
	memcpy(row->fence, entry->name, sizeof(row->fence));
}

static void count_entries(struct model *model, const struct ps_cluster *cluster)
{
	const struct drm_vsm_state_entry *entry;
	struct channel_row *row;
	uint32_t i;

	for (i = 0; i < cluster->state.count; i++) {
		entry = &cluster->entries[i];
		/* A client that the caller may not see is 0. */
		if (!entry->client || (entry->kind != DRM_VSM_STATE_JOB &&
				       entry->kind != DRM_VSM_STATE_OPERATION))
			continue;
		row = channel_of(model, cluster, entry);
		if (entry->kind == DRM_VSM_STATE_JOB) {
			count_job(row, entry);
		} else {
			row->operations++;
			row->held += entry->flags & DRM_VSM_STATE_HELD ? 1 : 0;
		}
	}
}

/* --- all ----------------------------------------------------------------------------- */

/* Have bytes been moved, or phases been completed, by a client whose files are visible? */
static bool has_progress(const struct model *model, const struct sample *sample,
			 const struct ps_cluster *cluster)
{
	const struct client *new = find_client(sample->clients, sample->client_count,
					       cluster->device, cluster->state.client);
	const struct client *old = find_old(model, cluster->device, cluster->state.client);

	return new && old && (new->info.moved != old->info.moved ||
			      new->info.phases != old->info.phases);
}

static void add_clusters(struct model *model, const struct sample *sample)
{
	struct past *pasts = must(calloc(sample->cluster_count + 1, sizeof(*pasts)));
	const struct ps_cluster *cluster;
	size_t i;

	model->clusters = must(calloc(sample->cluster_count + 1, sizeof(*model->clusters)));
	for (i = 0; i < sample->cluster_count; i++) {
		cluster = &sample->clusters[i];
		past_look(&pasts[i], cluster, has_progress(model, sample, cluster),
			  past_find(model->pasts, model->past_count, cluster));
		past_set_row(&pasts[i], cluster, &model->clusters[i]);
		count_entries(model, cluster);
	}
	model->cluster_count = sample->cluster_count;
	free(model->pasts);
	model->pasts = pasts;
	model->past_count = sample->cluster_count;
}

static void free_rows(struct model *model)
{
	free(model->clients);
	free(model->clusters);
	free(model->channels);
	model->channels = NULL;
	model->channel_count = 0;
}

void model_update(struct model *model, const struct sample *sample)
{
	free_rows(model);
	model->time = sample->time;
	model->devices = sample->devices;
	memcpy(model->problem, sample->problem, sizeof(model->problem));
	add_clients(model, sample);
	add_channels(model, sample);
	add_clusters(model, sample);

	free(model->old_clients);
	model->old_clients = must(calloc(sample->client_count + 1, sizeof(*sample->clients)));
	if (sample->client_count)
		memcpy(model->old_clients, sample->clients,
		       sample->client_count * sizeof(*sample->clients));
	model->old_client_count = sample->client_count;
}

void model_free(struct model *model)
{
	free_rows(model);
	free(model->old_clients);
	free(model->pasts);
	*model = (struct model){ };
}
