// SPDX-License-Identifier: MIT
/*
 * vsm ps: says who waits for what in the clusters of all processes.
 */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "command.h"
#include "ps_cluster.h"

/* Grows when a member of the JSON changes its meaning or goes away. */
#define PS_JSON_VERSION 1

/**
 * struct ps - What the user wants to see
 * @why: Say what can end each wait
 * @clusters: JSON of the clusters, or NULL
 * @number: Number of the only cluster, or 0 for all
 * @found: Number of clusters that were shown
 */
struct ps {
	bool why;
	struct json_object *clusters;
	uint32_t number;
	uint32_t found;
};

/* --- devices ------------------------------------------------------------------------ */

static void show(struct ps *ps, const struct ps_cluster *cluster)
{
	if (ps->clusters) {
		ps_add_json(ps->clusters, cluster);
	} else {
		if (ps->found)
			putchar('\n');
		ps_write_text(stdout, cluster, ps->why);
	}
	ps->found++;
}

static int show_device(struct ps *ps, uint32_t index, struct vsm_device *device)
{
	uint32_t flag = ps->number ? DRM_VSM_STATE_NUMBER : DRM_VSM_STATE_NEXT;
	struct ps_cluster cluster = { .device = index };
	uint32_t number = ps->number;
	int err;

	while (!(err = ps_read(device, number, flag, &cluster))) {
		show(ps, &cluster);
		number = cluster.state.number + 1;
		ps_free(&cluster);
		if (ps->number || !number)
			break;
	}
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

int command_ps(struct args *args)
{
	struct ps ps = { };
	struct json_object *json;
	bool as_json = false;
	int status;

	/* Names of processes are printed as far as the terminal shows their characters. */
	setlocale(LC_CTYPE, "");
	while (args_next(args)) {
		if (args->option == OPT_WHY)
			ps.why = true;
		else
			as_json = true;
	}
	if (args->ended)
		return args->status;
	if (args->count) {
		status = parse_number(args->operands[0], &ps.number);
		if (status)
			return status;
	}
	if (!as_json)
		return show_all(&ps);

	json = must(json_object_new_object());
	json_add_number(json, "version", PS_JSON_VERSION);
	ps.clusters = json_add_array(json, "clusters");
	status = show_all(&ps);
	json_write(stdout, json, false);
	return status;
}
