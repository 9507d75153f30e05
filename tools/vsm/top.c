// SPDX-License-Identifier: MIT
/*
 * vsm top: shows clients, clusters and channels while they run.
 */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base.h"
#include "colour.h"
#include "command.h"
#include "top/batch.h"
#include "top/live.h"

/**
 * struct options - How vsm top was called
 * @interval: Seconds between samples
 * @iterations: Number of samples to show, or 0 for no limit
 * @batch: Write text instead of using the terminal
 * @json: Write JSON
 */
struct options {
	double interval;
	unsigned long iterations;
	bool batch;
	bool json;
};

static void sleep_for(double seconds)
{
	struct timespec left = {
		.tv_sec = seconds, .tv_nsec = fmod(seconds, 1) * 1e9,
	};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/* The rates of the first sample are not known. Therefore it is not written. */
static int run_batch(const struct options *options, struct model *model, struct sample *sample)
{
	unsigned long written = 0;
	char when[32];
	struct tm local;
	time_t now;
	int count;

	while (!options->iterations || written < options->iterations) {
		sleep_for(options->interval);
		sample_free(sample);
		count = sample_read(sample);
		if (count <= 0)
			return failed_to_open("top", count, false);
		model_update(model, sample);
		now = time(NULL);
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S%z", localtime_r(&now, &local));
		if (options->json)
			batch_json(stdout, model, when);
		else
			batch_text(stdout, model, when);
		written++;
		if (!options->json && written != options->iterations)
			putchar('\n');
		/* Whoever reads it wants to have it now. main() reports the error. */
		if (fflush(stdout))
			break;
	}
	return EXIT_OK;
}

static int run(const struct options *options)
{
	struct sample sample;
	struct model model = { };
	struct view view;
	int count, status;

	count = sample_read(&sample);
	if (count <= 0) {
		sample_free(&sample);
		return failed_to_open("top", count, false);
	}
	model_update(&model, &sample);
	view_begin(&view, options->interval);
	if (options->batch)
		status = run_batch(options, &model, &sample);
	else
		status = live_run(&view, &model, &sample, options->iterations);
	model_free(&model);
	sample_free(&sample);
	return status;
}

static int parse_count(const char *text, unsigned long *count)
{
	char *end;

	errno = 0;
	*count = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || !*count)
		return misused("top: -n: '%s' is not a number of samples", text);
	return EXIT_OK;
}

static int parse_interval(const char *text, double *interval)
{
	if (view_interval(text, interval))
		return EXIT_OK;
	return misused("top: -d: '%s' is not a number of seconds from %g to %g", text,
		       VIEW_MIN_INTERVAL, VIEW_MAX_INTERVAL);
}

static int parse(struct args *args, struct options *options)
{
	int status = EXIT_OK;

	while (!status && args_next(args)) {
		switch (args->option) {
		case OPT_BATCH:
			options->batch = true;
			break;
		case OPT_JSON:
			options->batch = true;
			options->json = true;
			break;
		case OPT_COLOR:
			colour_option(args->choice);
			break;
		case OPT_ITERATIONS:
			status = parse_count(args->value, &options->iterations);
			break;
		default:
			status = parse_interval(args->value, &options->interval);
		}
	}
	return status;
}

int command_top(struct args *args)
{
	struct options options = { .interval = VIEW_INTERVAL };
	int status;

	/* Names of processes are shown as far as the terminal shows their characters. */
	setlocale(LC_CTYPE, "");
	status = parse(args, &options);
	if (status || args->ended)
		return status ?: args->status;
	return run(&options);
}
