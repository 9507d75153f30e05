// SPDX-License-Identifier: MIT
/*
 * vsm ps: says who waits for what in the clusters of all processes.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "command.h"
#include "ps_cluster.h"

/* The most entries that a device lists. */
#define MAX_ENTRIES 131072

/**
 * struct ps - What the user wants to see
 * @why: Say what can end each wait
 * @json: Where JSON is written to, or NULL
 * @number: Number of the only cluster, or 0 for all
 * @found: Number of clusters that were shown
 */
struct ps {
	bool why;
	struct json *json;
	uint32_t number;
	uint32_t found;
};

/* --- sorting ------------------------------------------------------------------------ */

static bool is_wait(const struct drm_vsm_state_entry *entry)
{
	return entry->kind == DRM_VSM_STATE_PHASE || entry->kind == DRM_VSM_STATE_RENDEZVOUS ||
	       (entry->kind == DRM_VSM_STATE_GROUPS &&
		entry->flags & (DRM_VSM_STATE_SUSPENDED | DRM_VSM_STATE_ARMED));
}

/* Do two entries wait for the same thing? */
static bool is_same(const struct drm_vsm_state_entry *a, const struct drm_vsm_state_entry *b)
{
	if (a->kind != b->kind || a->flags != b->flags || a->cta != b->cta || a->pid != b->pid ||
	    a->client != b->client || !a->lanes != !b->lanes ||
	    memcmp(&a->insn, &b->insn, offsetof(struct drm_vsm_insn, result)))
		return false;
	/* The lanes of a warp operation wait for each other, and not for those of other warps. */
	return a->kind != DRM_VSM_STATE_RENDEZVOUS || a->flags & DRM_VSM_STATE_ACROSS ||
	       a->thread / 32 == b->thread / 32;
}

static int compare_waits(const void *a, const void *b)
{
	const struct ps_wait *x = a, *y = b;

	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static void add_wait(struct ps_cluster *cluster, const struct drm_vsm_state_entry *entry)
{
	struct ps_wait *wait = cluster->waits;

	while (wait < cluster->waits + cluster->wait_count && !is_same(wait->entry, entry))
		wait++;
	if (wait == cluster->waits + cluster->wait_count) {
		*wait = (struct ps_wait){ .entry = entry, .since = entry->since };
		cluster->wait_count++;
	}
	wait->count++;
	if (entry->since < wait->since)
		wait->since = entry->since;
	wait->lanes[entry->thread / 32 % PS_WARPS] |= entry->lanes;
}

/* Marks the threads of a mask as those of a wait, or as exited. */
static void mark(struct ps_cluster *cluster, uint32_t cta, uint32_t warp, uint32_t lanes, int as)
{
	uint32_t lane, thread;

	for (lane = 0; lane < 32; lane++) {
		thread = warp * 32 + lane;
		if (lanes >> lane & 1 && cta < cluster->state.ctas &&
		    thread < cluster->state.threads)
			cluster->threads[cta * cluster->state.threads + thread] = as;
	}
}

static void ps_sort(struct ps_cluster *cluster)
{
	uint32_t threads = cluster->state.ctas * cluster->state.threads, i, warp;
	const struct drm_vsm_state_entry *entry;

	cluster->waits = must(calloc(cluster->state.count + 1, sizeof(*cluster->waits)));
	cluster->threads = must(calloc(threads + 1, sizeof(*cluster->threads)));
	for (i = 0; i < threads; i++)
		cluster->threads[i] = PS_RUNS;
	for (i = 0; i < cluster->state.count; i++) {
		entry = &cluster->entries[i];
		if (is_wait(entry))
			add_wait(cluster, entry);
		if (entry->kind == DRM_VSM_STATE_EXITED)
			mark(cluster, entry->cta, entry->thread / 32, entry->lanes, PS_EXITED);
	}
	qsort(cluster->waits, cluster->wait_count, sizeof(*cluster->waits), compare_waits);
	for (i = 0; i < cluster->wait_count; i++)
		for (warp = 0; warp < PS_WARPS; warp++)
			mark(cluster, cluster->waits[i].entry->cta, warp,
			     cluster->waits[i].lanes[warp], i);
}

/* --- devices ------------------------------------------------------------------------ */

/*
 * Reads the next cluster from @number on, or that cluster only, with all of its entries. Returns 0
 * or a negative errno.
 */
static int read_cluster(struct vsm_device *device, uint32_t number, uint32_t flag,
			struct ps_cluster *cluster)
{
	uint32_t max = 64;
	int err;

	for (;;) {
		free(cluster->entries);
		cluster->entries = must(calloc(max, sizeof(*cluster->entries)));
		err = vsm_device_state(device, number, flag, &cluster->state, cluster->entries,
				       max);
		if (err || cluster->state.total <= max || max == MAX_ENTRIES)
			return err;
		/* More waits may begin until the next call. */
		max = cluster->state.total + cluster->state.total / 8;
		if (max > MAX_ENTRIES)
			max = MAX_ENTRIES;
	}
}

static void show(struct ps *ps, struct ps_cluster *cluster)
{
	ps_sort(cluster);
	if (ps->json) {
		ps_write_json(ps->json, cluster);
	} else {
		if (ps->found)
			putchar('\n');
		ps_write_text(stdout, cluster, ps->why);
	}
	ps->found++;
	free(cluster->waits);
	free(cluster->threads);
}

static int show_device(struct ps *ps, uint32_t index, struct vsm_device *device)
{
	uint32_t flag = ps->number ? DRM_VSM_STATE_NUMBER : DRM_VSM_STATE_NEXT;
	struct ps_cluster cluster = { .device = index };
	uint32_t number = ps->number;
	int err;

	while (!(err = read_cluster(device, number, flag, &cluster))) {
		show(ps, &cluster);
		number = cluster.state.number + 1;
		if (ps->number || !number)
			break;
	}
	free(cluster.entries);
	return err == -ENOENT ? 0 : err;
}

static int show_index(struct ps *ps, uint32_t index)
{
	struct vsm_device *device;
	int err;

	err = vsm_device_open_index(index, &device);
	if (!err) {
		err = show_device(ps, index, device);
		vsm_device_close(device);
	}
	if (err == -EOPNOTSUPP)
		return failed("ps: device %u: the driver is older than uAPI 0.7", index);
	return err ? failed("ps: device %u: %s", index, strerror(-err)) : EXIT_OK;
}

static int show_all(struct ps *ps)
{
	/* DRM has no more minors. */
	uint32_t indices[64];
	int status = EXIT_OK;
	int count, i;

	count = vsm_device_list(indices, ARRAY_SIZE(indices));
	if (count <= 0)
		return failed_to_open("ps", count, false);
	for (i = 0; i < count && i < (int)ARRAY_SIZE(indices); i++)
		if (show_index(ps, indices[i]))
			status = EXIT_FAILED;
	if (status == EXIT_OK && ps->number && !ps->found)
		return failed("ps: there is no cluster %u, or it is another user's", ps->number);
	return status;
}

static int parse_number(const char *text, uint32_t *number)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || !value || value > UINT32_MAX)
		return misused("ps: '%s' is not the number of a cluster", text);
	*number = value;
	return EXIT_OK;
}

int command_ps(int argc, char **argv)
{
	static const struct option options[] = {
		{ "why", no_argument, NULL, 'w' },
		{ "json", no_argument, NULL, 'j' },
		{ }
	};
	struct ps ps = { };
	struct json json;
	bool as_json = false;
	int option, status;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'w')
			ps.why = true;
		else if (option == 'j')
			as_json = true;
		else
			return misused("ps: no option '%s'; try 'vsm help'", argv[optind - 1]);
	}
	if (optind < argc) {
		status = parse_number(argv[optind], &ps.number);
		if (status)
			return status;
	}
	if (optind + 1 < argc)
		return misused("ps: takes one CLUSTER, and not '%s' too", argv[optind + 1]);
	if (!as_json)
		return show_all(&ps);

	json_begin(&json, stdout);
	json_object(&json, NULL);
	json_array(&json, "clusters");
	ps.json = &json;
	status = show_all(&ps);
	json_end(&json);
	json_end(&json);
	putchar('\n');
	return status;
}
