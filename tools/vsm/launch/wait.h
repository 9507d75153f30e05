/* SPDX-License-Identifier: MIT */
/*
 * Waits for the end of launches, shows their progress on a terminal, and ends them at a signal.
 */
#ifndef _LAUNCH_WAIT_H_
#define _LAUNCH_WAIT_H_

#include <vsm_ptx.h>

/**
 * struct progress - What is shown on standard error while launches run
 * @shown: Standard error is a terminal
 * @visible: A line is visible there
 * @since: CLOCK_MONOTONIC in ns when the command began
 * @next: CLOCK_MONOTONIC in ns of the next line
 * @seed: Seed that runs
 * @last_seed: Last seed to run; 0 if there is only one
 */
struct progress {
	bool shown;
	bool visible;
	int64_t since;
	int64_t next;
	uint64_t seed;
	uint64_t last_seed;
};

void progress_begin(struct progress *progress);
/* Removes the line. */
void progress_clear(struct progress *progress);

/* Lets SIGINT and SIGTERM end launches. A second signal ends the program at once. */
void catch_signals(void);
/* Returns the signal that has arrived, or 0. */
int caught_signal(void);

/* Waits until the launch has ended. Cancels it if a signal arrives. */
void await_launch(struct vsm_ptx_launch *launch, struct vsm_ptx_result *result,
		  struct progress *progress);

#endif
