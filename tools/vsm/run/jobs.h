/* SPDX-License-Identifier: MIT */
/*
 * Jobs on copy channels.
 */
#ifndef _RUN_JOBS_H_
#define _RUN_JOBS_H_

#include "run/events.h"

/**
 * struct job - A job on a copy channel
 * @statement: Statement that submitted it
 * @place: Thread that submitted it
 * @syncobj: Syncobj that gets the fence of the job
 * @expected: An expectation has used the status or a fault of the job
 * @err: Status of the job at the end of the scenario
 */
struct job {
	const struct statement *statement;
	struct scenario_thread place;
	uint32_t syncobj;
	bool expected;
	int err;
};

/**
 * struct jobs - All jobs of a scenario
 * @device: The device
 * @report: Receives failures
 * @lock: Protects the following fields
 * @channels: Number of each channel in the device; 0 if the channel does not exist yet
 * @jobs: Jobs in the order of submission
 * @count: Number of jobs
 */
struct jobs {
	struct vsm_device *device;
	struct report *report;
	pthread_mutex_t lock;
	uint32_t channels[SCENARIO_CHANNELS];
	struct job *jobs;
	size_t count;
};

/*
 * Sets @number to the number that a channel of the scenario has in the device. Creates the
 * channel if necessary. Returns 0 or a negative errno.
 */
int jobs_channel(struct jobs *jobs, unsigned int channel, uint32_t *number);
/* Adds a submitted job, which owns the syncobj from now on. Returns 0 or -ENOMEM. */
int jobs_add(struct jobs *jobs, const struct statement *statement, struct scenario_thread place,
	     uint32_t syncobj);
/*
 * Returns the status of the last job of a thread: 0 or a negative errno. It is -ETIME if the job
 * does not end within the time limit, and -ENOENT if the device has refused all jobs of the thread.
 */
int jobs_status(struct jobs *jobs, unsigned int thread);
/*
 * Notes that an expectation has used a fault. If it is the fault of a job, the status of the job is
 * then expected.
 */
void jobs_expect(struct jobs *jobs, const struct drm_vsm_event_fault *event);
/* Waits for all jobs. Reports each job that failed although no expectation allows it. */
void jobs_wait(struct jobs *jobs, struct events *events);

#endif
