/* SPDX-License-Identifier: MIT */
/*
 * A simulated vsm device, for tests of the library without a driver. ld --wrap replaces libdrm's
 * functions by functions that record their arguments.
 *
 * A device node is a file that contains "DRIVER INDEX ABI_MAJOR".
 */
#ifndef _VSM_MOCK_H_
#define _VSM_MOCK_H_

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vsm.h>
#include <xf86drm.h>

#include "testing.h"

#define MOCK_INSNS 4
#define MOCK_HANDLES 16
#define MOCK_NODES 8
#define MOCK_HOLD 6	/* hold that HOLD_CREATE returns */
#define MOCK_RULE 8	/* rule that INJECT_ADD returns */
#define MOCK_CHANNEL 5	/* channel that CHANNEL_CREATE returns */
#define MOCK_SYNCOBJ 20	/* syncobj that drmSyncobjCreate() returns */

/*
 * struct mock - Orders for the next calls, and arguments of the last calls
 * @fail_request: Number of the ioctl that fails
 * @fail_errno: Error number with which that ioctl fails
 * @refused: Index that a failing SUBMIT writes to &drm_vsm_submit.refused
 * @calls: Number of calls of drmIoctl()
 * @exec: Argument of the last EXEC, as the library passed it
 * @submit: Argument of the last SUBMIT, as the library passed it
 * @insns: Instructions of the last EXEC or SUBMIT
 * @retire: Number of instructions that an EXEC retires; 0 for all
 * @results: Results of instructions, in the order in which the calls of EXEC retire them
 * @next_result: Index in @results of the next result
 * @fault: Fault that EXEC or SUBMIT writes to the refused instruction
 * @syncs: Fences of the last SUBMIT
 * @cluster_create: Argument of the last CLUSTER_CREATE, as the library passed it
 * @trace: Last argument of TRACE_READ
 * @hold: Argument of the last CLUSTER_HOLD
 * @state: Argument of the last CLUSTER_STATE
 * @arm: Argument of the last WAITSET_ARM, as the library passed it
 * @cancel: Argument of the last WAITSET_CANCEL
 * @waitset_create: Argument of the last WAITSET_CREATE, as the library passed it
 * @arm_limit: Number of waits that a WAITSET_ARM arms; 0 for all
 * @waits: File descriptor: tests write the records of the wait set to it
 * @handles: State of each GEM handle
 * @open_handles: Number of handles that are open
 * @channel_create: Argument of the last CHANNEL_CREATE, as the library passed it
 * @channel_destroy: Argument of the last CHANNEL_DESTROY
 * @channel_status: Argument of the last CHANNEL_STATUS, as the library passed it
 * @hold_create: Argument of the last HOLD_CREATE, as the library passed it
 * @hold_release: Argument of the last HOLD_RELEASE
 * @rule: Argument of the last INJECT_ADD, as the library passed it
 * @query: Argument of the last INJECT_QUERY, as the library passed it
 * @rule_remove: Argument of the last INJECT_REMOVE
 * @open_syncobjs: Number of syncobjs that were created and not destroyed
 * @timeline: Arguments of the last drmSyncobjTimelineWait()
 * @timeline_result: Result of drmSyncobjTimelineWait()
 * @transfer: Arguments of the last drmSyncobjTransfer()
 * @exported: Syncobj of the last drmSyncobjExportSyncFile()
 * @imported: Syncobj of the last drmSyncobjImportSyncFile()
 * @imported_file: Sync_file of the last drmSyncobjImportSyncFile()
 * @exported_file: Sync_file of the last drmSyncobjExportSyncFile()
 * @sync_pending: True if exported sync_files have not signalled
 * @sync_status: Status of the fences in exported sync_files
 * @fences: Number of fences in a sync_file; 0 means 1
 * @events: File descriptor of the device after mock_events(), else -1. It is a socket; each packet
 *	is an event
 * @event_errno: Error with which the next read() of @events fails; 0 for none
 * @event_hold: While this is true, a read() of @events waits, as a cancellation point
 * @event_held: True if a read() waits because of @event_hold
 * @event_blocks: Number of times that a read() of @events would have blocked
 * @open_interrupts: Number of calls of open() that fail with EINTR before one succeeds
 * @devices_errno: Error with which one call of drmGetDevices2() fails; 0 for none
 * @devices_fails: Number of the call of drmGetDevices2() that fails
 * @nodes: Device nodes for drmGetDevices2()
 * @bustypes: Buses of these nodes
 * @node_count: Number of these nodes
 * @no_rules: The device has ABI 0.4, which does not know masks of rules
 * @no_lanes: The device has ABI 0.5, which knows neither lanes nor CLUSTER_STATE
 * @no_trace: The device has ABI 0.6, which does not know flight recorders
 * @no_reset: The device has ABI 0.7, which knows neither CHANNEL_STATUS nor rules
 * @suspended: Mask of lanes that an EXEC for lanes writes
 */
struct mock {
	unsigned long fail_request;
	int fail_errno;
	uint32_t refused;
	int calls;
	struct drm_vsm_exec exec, batch;
	struct drm_vsm_submit submit;
	struct drm_vsm_insn insns[MOCK_INSNS];
	uint32_t retire;
	uint64_t results[MOCK_INSNS];
	unsigned int next_result;
	uint32_t fault;
	struct drm_vsm_sync syncs[MOCK_INSNS];
	struct drm_vsm_cluster_create cluster_create;
	struct drm_vsm_cluster_hold hold;
	struct drm_vsm_cluster_state state;
	struct drm_vsm_trace_read trace;
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
	struct drm_vsm_channel_create channel_create;
	struct drm_vsm_channel_destroy channel_destroy;
	struct drm_vsm_channel_status channel_status;
	struct drm_vsm_hold_create hold_create;
	struct drm_vsm_hold_release hold_release;
	struct drm_vsm_inject_rule rule;
	struct drm_vsm_inject_query query;
	struct drm_vsm_inject_remove rule_remove;
	int open_syncobjs;
	struct {
		uint32_t handle;
		uint64_t point;
		int64_t timeout;
		unsigned int flags;
	} timeline;
	int timeline_result;
	struct drm_syncobj_transfer transfer;
	uint32_t exported;
	atomic_int exported_file;
	uint32_t imported;
	int imported_file;
	bool sync_pending;
	int sync_status;
	uint32_t fences;
	int events;
	int event_errno;
	atomic_bool event_hold;
	atomic_bool event_held;
	int event_blocks;
	int open_interrupts;
	int devices_errno;
	int devices_fails;
	char nodes[MOCK_NODES][64];
	int bustypes[MOCK_NODES];
	int node_count;
	bool no_rules;
	bool no_trace;
	bool no_reset;
	bool no_lanes;
	uint32_t suspended;
};

extern struct mock mock;

/* Prototypes of the functions that ld --wrap substitutes. */
int __wrap_open64(const char *path, int flags, ...);
int __real_open64(const char *path, int flags, ...);
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
int __wrap_drmSyncobjCreate(int fd, uint32_t flags, uint32_t *handle);
int __wrap_drmSyncobjDestroy(int fd, uint32_t handle);
int __wrap_drmSyncobjTimelineWait(int fd, uint32_t *handles, uint64_t *points, unsigned int count,
				  int64_t timeout, unsigned int flags, uint32_t *first);
int __wrap_drmSyncobjTransfer(int fd, uint32_t to, uint64_t to_point, uint32_t from,
			      uint64_t from_point, uint32_t flags);
int __wrap_drmSyncobjExportSyncFile(int fd, uint32_t handle, int *sync_file);
int __wrap_drmSyncobjImportSyncFile(int fd, uint32_t handle, int sync_file);

/* mock_node() writes a node. mock_add_node() also lets drmGetDevices2() find it. */
void mock_node(const char *path, const char *driver, uint32_t index, uint32_t abi_major);
void mock_add_node(int bustype, const char *driver, uint32_t index, uint32_t abi_major);

/* Give the device events. Returns the file descriptor to which a test writes each event. */
int mock_events(void);

/* cmocka fixtures: the first has a device, the second a device and a cluster of 2 CTAs. */
extern struct vsm_device *device;
extern struct vsm_cluster *cluster;
int mock_setup(void **state);
int mock_teardown(void **state);
int mock_setup_cluster(void **state);
int mock_teardown_cluster(void **state);

#endif
