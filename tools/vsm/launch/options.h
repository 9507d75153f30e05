/* SPDX-License-Identifier: MIT */
/*
 * How plans are run.
 */
#ifndef _LAUNCH_OPTIONS_H_
#define _LAUNCH_OPTIONS_H_

#include <stdbool.h>
#include <stdint.h>

#include "results/output.h"
#include "seeds.h"
#include "shard.h"
#include "trace/export.h"

/**
 * struct run_options - How a plan is run
 * @device: Path of the device; NULL for the first one
 * @seeds: Seeds
 * @shard: Part of the seeds, or of the launches
 * @time_limit_ns: Time limit of launches without one; 0 for none
 * @policy_given: @policy is the policy of launches without one
 * @policy: &enum drm_vsm_policy
 * @tap: Print TAP
 * @stats: Print counts for each launch
 * @outputs: --json and --junit
 * @timeline: --timeline
 */
struct run_options {
	const char *device;
	struct seeds seeds;
	struct shard shard;
	uint64_t time_limit_ns;
	bool policy_given;
	unsigned int policy;
	bool tap;
	bool stats;
	struct outputs outputs;
	struct gather timeline;
};

#endif
