// SPDX-License-Identifier: MIT
/*
 * Waits for the end of launches, shows their progress on a terminal, and ends them at a signal.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base.h"
#include "launch/wait.h"

#define MS ((int64_t)1000000)

/* Time between two looks for a signal. */
#define SLICE (50 * MS)
/* Age of the command at the first line of progress, and time between two lines. */
#define FIRST_LINE (2000 * MS)
#define NEXT_LINE (500 * MS)

static volatile sig_atomic_t caught;

static void note_signal(int number)
{
	caught = number;
}

void catch_signals(void)
{
	const struct sigaction action = { .sa_handler = note_signal, .sa_flags = SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

int caught_signal(void)
{
	return caught;
}

void progress_begin(struct progress *progress)
{
	progress->shown = isatty(STDERR_FILENO);
	progress->since = time_now();
	progress->next = progress->since + FIRST_LINE;
}

void progress_clear(struct progress *progress)
{
	if (progress->visible)
		fputs("\r\033[K", stderr);
	progress->visible = false;
}

static void show(struct progress *progress, const struct vsm_ptx_result *result)
{
	int64_t now = time_now();

	if (!progress->shown || now < progress->next)
		return;
	progress->next = now + NEXT_LINE;
	progress_clear(progress);
	fprintf(stderr, "%" PRId64 " s, ", (now - progress->since) / (1000 * MS));
	if (progress->last_seed)
		fprintf(stderr, "seed %" PRIu64 " of %" PRIu64 ", ", progress->seed,
			progress->last_seed);
	fprintf(stderr, "the kernel runs");
	if (result->thread_insns)
		fprintf(stderr, ", %.3g million instructions of threads",
			result->thread_insns / 1e6);
	progress->visible = true;
}

void await_launch(struct vsm_ptx_launch *launch, struct vsm_ptx_result *result,
		  struct progress *progress)
{
	bool cancelled = false;

	while (vsm_ptx_launch_wait(launch, time_now() + SLICE, result)) {
		if (caught && !cancelled) {
			cancelled = true;
			vsm_ptx_launch_cancel(launch);
		}
		show(progress, result);
	}
	progress_clear(progress);
}
