/* SPDX-License-Identifier: MIT */
/* A session: a context with the module and the buffers of a plan, in which its steps run. */
#ifndef _LAUNCH_SESSION_H_
#define _LAUNCH_SESSION_H_

#include <stdbool.h>
#include <stdint.h>
#include <vsm_ptx.h>

#include "launch/plan.h"
#include "results/output.h"
#include "shard.h"
#include "trace/export.h"

/* --- waiting -------------------------------------------------------------- */

/* What is shown on standard error while launches run */
struct progress {
	bool shown;		/* standard error is a terminal */
	bool visible;		/* a line is visible there */
	int64_t since;		/* CLOCK_MONOTONIC in ns when the command began */
	int64_t next;		/* CLOCK_MONOTONIC in ns of the next line */
	uint64_t seed;		/* seed that runs */
	uint64_t last_seed;	/* last seed to run; 0 if there is only one */
};

void progress_begin(struct progress *progress);
/* Removes the line. */
void progress_clear(struct progress *progress);

/* Lets SIGINT and SIGTERM end launches. A second signal ends the program at once. */
void catch_signals(void);
/* Returns the signal that has arrived, or 0. */
int caught_signal(void);

/* --- options -------------------------------------------------------------- */

/* How a plan is run */
struct run_options {
	const char *device;	/* path of the device; NULL for the first one */
	struct seeds seeds;
	struct shard shard;	/* part of the seeds, or of the launches */
	uint64_t time_limit_ns;	/* time limit of launches without one; 0 for none */
	bool policy_given;	/* @policy is the policy of launches without one */
	unsigned int policy;	/* enum drm_vsm_policy */
	uint64_t enforce;	/* rules that all launches enforce (DRM_VSM_RULE()) */
	bool tap;		/* print TAP */
	bool stats;		/* print counts for each launch */
	struct outputs outputs;	/* --json and --junit */
	struct gather timeline;	/* --timeline */
};

/**
 * struct session - A context with the module and the buffers of a plan
 * @plan: Plan
 * @options: How the plan is run
 * @device: Device; NULL if there is none
 * @device_error: Why there is no device: a negative errno
 * @broken: Something failed that no launch is expected to do, and was reported
 * @seed: Seed of this session; 0 if there is none
 * @out: Stream for all that the steps print
 * @result: Result of the last launch; NULL before the first one
 * @timeline: Gets the events of the launches
 * @printed: Stream for what this launch and the outputs after it print, for @result; NULL if nobody
 *	wants it
 * @progress: Progress
 * @context: Context
 * @module: Module
 * @addresses: Address of each buffer
 */
struct session {
	struct plan *plan;
	const struct run_options *options;
	struct vsm_device *device;
	int device_error;
	bool broken;
	uint64_t seed;
	FILE *out;
	struct result *result;
	struct gather *timeline;
	FILE *printed;
	struct progress progress;
	struct vsm_ptx_context *context;
	struct vsm_ptx_module *module;
	uint64_t *addresses;
};

/*
 * Creates the context, loads the module, compares the plan with it, and creates the buffers.
 * Reports errors on standard error. Returns the exit status. session_end() follows in any case.
 */
int session_begin(struct session *session);
void session_end(struct session *session);

/*
 * Runs a launch. Returns whether it ended as expected. Otherwise says why on @session->out and in
 * @session->result.
 */
bool session_launch(struct session *session, const struct plan_step *step);
/* Writes or prints a buffer. Returns whether that was possible. */
bool session_output(struct session *session, const struct plan_step *step);
/* Returns the name of the kernel of a launch. */
const char *session_kernel(const struct session *session, const struct plan_launch *launch);

#endif
