/* SPDX-License-Identifier: MIT */
/*
 * A session: a context with the module and the buffers of a plan, in which its steps run.
 */
#ifndef _LAUNCH_SESSION_H_
#define _LAUNCH_SESSION_H_

#include "launch/options.h"
#include "launch/plan.h"
#include "launch/wait.h"

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
