/* SPDX-License-Identifier: MIT */
/*
 * A vsm device made of files, for tests of the library without a driver: libdrm's
 * functions are wrapped (ld --wrap) and note what they were called with.
 *
 * A device node is a file that says "DRIVER INDEX ABI_MAJOR".
 */
#ifndef _VSM_MOCK_H_
#define _VSM_MOCK_H_

/* cmocka.h wants them before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vsm.h>
#include <xf86drm.h>

#define MOCK_INSNS 4
#define MOCK_HANDLES 16
#define MOCK_NODES 8

/*
 * struct mock - What the next calls do, and what the last ones were given
 * @fail_request: ioctl that fails
 * @fail_errno: With what
 * @calls: drmIoctl() calls
 * @exec: Argument of the last EXEC, as it came
 * @submit: Argument of the last SUBMIT, as it came
 * @insns: Its instructions
 * @retire: Instructions that an EXEC retires, if not all
 * @results: Results of the instructions that EXECs retire, one after the other
 * @next_result: Which is next
 * @fault: Of the instruction that EXEC or SUBMIT refuses
 * @syncs: Fences of the last SUBMIT
 * @cluster_create: Argument of the last CLUSTER_CREATE, as it came
 * @hold: Argument of the last CLUSTER_HOLD
 * @arm: Argument of the last WAITSET_ARM, as it came
 * @cancel: Argument of the last WAITSET_CANCEL
 * @waitset_create: Argument of the last WAITSET_CREATE, as it came
 * @arm_limit: Waits that a WAITSET_ARM arms, if not all
 * @waits: Where records for the wait set are to be written
 * @handles: How each GEM handle stands
 * @open_handles: Those that are open
 * @sync_timeout: Timeout of the last drmSyncobjWait()
 * @sync_wait: What drmSyncobjWait() returns
 * @sync_statuses: What the exported sync_files say, one after the other
 * @next_status: Which is next
 * @events: The device's file descriptor once mock_events() has been called, else -1:
 *	a socket on which each packet is an event
 * @event_errno: With what the next read() of it fails, if not 0
 * @event_blocks: Times that a read() of it would have blocked
 * @nodes: Device nodes for drmGetDevices2()
 * @bustypes: Their buses
 * @node_count: How many
 */
struct mock {
	unsigned long fail_request;
	int fail_errno;
	int calls;
	struct drm_vsm_exec exec;
	struct drm_vsm_submit submit;
	struct drm_vsm_insn insns[MOCK_INSNS];
	uint32_t retire;
	uint64_t results[MOCK_INSNS];
	unsigned int next_result;
	uint32_t fault;
	struct drm_vsm_sync syncs[MOCK_INSNS];
	struct drm_vsm_cluster_create cluster_create;
	struct drm_vsm_cluster_hold hold;
	struct drm_vsm_waitset_arm arm;
	struct drm_vsm_waitset_cancel cancel;
	struct drm_vsm_waitset_create waitset_create;
	uint32_t arm_limit;
	int waits;
	struct {
		uint32_t kind;
		int open;
	} handles[MOCK_HANDLES];
	int open_handles;
	int64_t sync_timeout;
	int sync_wait;
	int sync_statuses[MOCK_INSNS];
	unsigned int next_status;
	int events;
	int event_errno;
	int event_blocks;
	char nodes[MOCK_NODES][64];
	int bustypes[MOCK_NODES];
	int node_count;
};

extern struct mock mock;

/* The prototypes that ld --wrap implies. */
ssize_t __wrap_read(int fd, void *buffer, size_t size);
ssize_t __real_read(int fd, void *buffer, size_t size);
int __wrap_drmIoctl(int fd, unsigned long request, void *arg);
drmVersionPtr __wrap_drmGetVersion(int fd);
void __wrap_drmFreeVersion(drmVersionPtr version);
int __wrap_drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int max);
void __wrap_drmFreeDevices(drmDevicePtr devices[], int count);
int __wrap_drmPrimeFDToHandle(int fd, int prime_fd, uint32_t *handle);
int __wrap_drmPrimeHandleToFD(int fd, uint32_t handle, uint32_t flags, int *prime_fd);
int __wrap_drmCloseBufferHandle(int fd, uint32_t handle);
int __wrap_drmSyncobjWait(int fd, uint32_t *handles, unsigned int count, int64_t timeout,
			  unsigned int flags, uint32_t *first);
int __wrap_drmSyncobjExportSyncFile(int fd, uint32_t handle, int *sync_file);

/* Write a node, or add it to what drmGetDevices2() finds as well. */
void mock_node(const char *path, const char *driver, uint32_t index, uint32_t abi_major);
void mock_add_node(int bustype, const char *driver, uint32_t index, uint32_t abi_major);

/* Let the device have events; returns where to write them, one at a time. */
int mock_events(void);

/* cmocka fixtures: a device; a device and a cluster of 2 CTAs. */
extern struct vsm_device *device;
extern struct vsm_cluster *cluster;
int mock_setup(void **state);
int mock_teardown(void **state);
int mock_setup_cluster(void **state);
int mock_teardown_cluster(void **state);

#endif
