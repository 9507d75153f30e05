// SPDX-License-Identifier: MIT
/*
 * What a worker reads from the device: the records of waits that have ended.
 */
#include <errno.h>
#include <poll.h>

#include "run/clock.h"
#include "run/device.h"
#include "run/event.h"
#include "run/fault.h"
#include "run/records.h"

#define RECORDS 64

bool ptx_records_read(struct ptx_worker *worker)
{
	struct drm_vsm_wait_record records[RECORDS];
	int count, i;

	do {
		worker->calls++;
		count = vsm_waitset_read(worker->set, records, RECORDS, 0);
		if (count < 0) {
			ptx_fail_worker(worker, count);
			return false;
		}
		worker->armed -= count;
		for (i = 0; i < count; i++) {
			uintptr_t group = records[i].user_data;

			ptx_device_resume(worker, (struct ptx_group *)group, &records[i]);
		}
	} while (count == RECORDS);
	return true;
}

bool ptx_worker_look(struct ptx_worker *worker)
{
	return !ptx_device_arm(worker) && ptx_records_read(worker);
}

bool ptx_records_wait(struct ptx_worker *worker)
{
	struct vsm_ptx_launch *launch = worker->launch;
	struct pollfd fds[] = {
		{ .fd = launch->wake, .events = POLLIN },
		{ .fd = vsm_waitset_fd(worker->set), .events = POLLIN },
		{ .fd = vsm_device_fd(launch->module->context->device), .events = POLLIN },
	};
	struct timespec left, *limit = NULL;

	if (launch->deadline >= 0) {
		int64_t ns = launch->deadline - ptx_now_ns();

		if (ns < 0)
			ns = 0;
		left = (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
		limit = &left;
	}
	worker->calls++;
	if (ppoll(fds, 3, limit, NULL) < 0 && errno != EINTR) {
		ptx_fail_worker(worker, -errno);
		return false;
	}
	if (fds[2].revents)
		ptx_event_read(launch->module->context);
	return ptx_records_read(worker);
}
