// SPDX-License-Identifier: MIT
/* vsm ps: says who waits for what in the clusters of all processes. */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base.h"
#include "command.h"
#include "ps_cluster.h"

/* Grows when a member of the JSON changes its meaning or goes away. */
#define PS_JSON_VERSION 1

/**
 * struct ps - What the user wants to see
 * @why: Say what can end each wait
 * @json: Print JSON
 * @watch: Print the clusters again and again
 * @interval: Seconds between two times; 0 if the user has given none
 * @iterations: How often; 0 for no end
 * @number: Number of the only cluster, or 0 for all
 * @out: Where texts go
 * @clusters: Where JSON of clusters goes
 * @found: Number of clusters that were shown
 */
struct ps {
	bool why;
	bool json;
	bool watch;
	double interval;
	unsigned long iterations;
	uint32_t number;
	FILE *out;
	struct json_object *clusters;
	uint32_t found;
};

/* --- devices ------------------------------------------------------------------------ */

static void show(struct ps *ps, const struct ps_cluster *cluster)
{
	if (ps->json) {
		ps_add_json(ps->clusters, cluster);
	} else {
		if (ps->found)
			putc('\n', ps->out);
		ps_write_text(ps->out, cluster, ps->why);
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

/* --- output ------------------------------------------------------------------------- */

static int show_json(struct ps *ps)
{
	struct json_object *json = must(json_object_new_object());
	int status;

	json_add_number(json, "version", PS_JSON_VERSION);
	ps->clusters = json_add_array(json, "clusters");
	status = show_all(ps);
	json_write(stdout, json, ps->watch);
	return status;
}

/* Writes the clusters over what is on the terminal, in one piece: it does not flicker. */
static int show_in_place(struct ps *ps)
{
	char *text = NULL, *line, *end;
	size_t size;
	int status;

	ps->out = must(open_memstream(&text, &size));
	status = show_all(ps);
	must(fclose(ps->out) ? NULL : text);
	printf("\033[H");
	for (line = text; (end = strchr(line, '\n')); line = end + 1)
		printf("%.*s\033[K\n", (int)(end - line), line);
	printf("\033[J");
	free(text);
	return status;
}

static int show_once(struct ps *ps)
{
	ps->found = 0;
	ps->out = stdout;
	if (ps->json)
		return show_json(ps);
	return ps->watch && isatty(STDOUT_FILENO) ? show_in_place(ps) : show_all(ps);
}

static int watch(struct ps *ps)
{
	const double seconds = ps->interval ? ps->interval : 1;
	const struct timespec interval = {
		.tv_sec = seconds,
		.tv_nsec = (seconds - (time_t)seconds) * 1e9,
	};
	unsigned long shown = 0;
	int status;

	do {
		if (shown) {
			nanosleep(&interval, NULL);
			if (!ps->json && !isatty(STDOUT_FILENO))
				putchar('\n');
		}
		status = show_once(ps);
		/* Whoever reads it wants to have it now. main() reports the error. */
		if (fflush(stdout))
			break;
	} while (!status && ++shown != ps->iterations);
	return status;
}

/* --- arguments ---------------------------------------------------------------------- */

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

static int parse_interval(const char *text, double *interval)
{
	char *end;

	*interval = strtod(text, &end);
	if (end == text || *end || !(*interval >= 0.1 && *interval <= 3600))
		return misused("ps: -d: '%s' is not a number of seconds from 0.1 to 3600", text);
	return EXIT_OK;
}

static int parse_iterations(const char *text, unsigned long *iterations)
{
	char *end;

	errno = 0;
	*iterations = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || !*iterations)
		return misused("ps: -n: '%s' is not how often", text);
	return EXIT_OK;
}

static int parse(struct args *args, struct ps *ps)
{
	int status = EXIT_OK;

	while (!status && args_next(args)) {
		switch (args->option) {
		case OPT_WHY:
			ps->why = true;
			break;
		case OPT_JSON:
			ps->json = true;
			break;
		case OPT_WATCH:
			ps->watch = true;
			break;
		case OPT_INTERVAL:
			status = parse_interval(args->value, &ps->interval);
			break;
		default:
			status = parse_iterations(args->value, &ps->iterations);
		}
	}
	if (status || args->ended)
		return status ?: args->status;
	if ((ps->interval || ps->iterations) && !ps->watch)
		return misused("ps: -d and -n need --watch");
	return args->count ? parse_number(args->operands[0], &ps->number) : EXIT_OK;
}

int command_ps(struct args *args)
{
	struct ps ps = { };
	int status;

	/* Names of processes are printed as far as the terminal shows their characters. */
	setlocale(LC_CTYPE, "");
	status = parse(args, &ps);
	if (status || args->ended)
		return status;
	return ps.watch ? watch(&ps) : show_once(&ps);
}
