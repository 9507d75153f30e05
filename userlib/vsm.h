/* SPDX-License-Identifier: MIT */
/* libvsm: the C library of vsm, an accelerator without hardware. */
#ifndef _VSM_H_
#define _VSM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vsm_drm.h"
#include "vsm_insn.h"
#include "vsm_tensor.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: libvsm
 *
 * Names:
 *
 * - Functions whose names begin with ``vsm_prep_`` (vsm_insn.h) return an instruction. They do not
 *   execute it.
 * - ``vsm_execute()`` executes one instruction as a device thread. ``vsm_exec()`` executes a stream
 *   of instructions, and ``vsm_submit()`` queues a stream as a job.
 * - Functions whose names begin with ``vsm_mbarrier_`` (vsm_mbarrier.h) compute the new value of an
 *   mbarrier word. They need no device.
 * - ``vsm_<object>_<field>(object)`` returns a property of an object, and cannot fail.
 *
 * Handles:
 *
 * - Devices, clusters, buffers and wait sets are objects of the library, and functions take
 *   pointers to them.
 * - An instruction contains the GEM handle of a buffer. The constructors of instructions therefore
 *   take the handle that vsm_buffer_handle() returns.
 * - Channels and DRM syncobjs are numbers, as in the uAPI and in libdrm.
 *
 * Rules for every function of this header:
 *
 * - It returns 0 or a negative error number, unless its description says something else. It writes
 *   results through pointers, which are its last arguments, and leaves them unchanged on an error.
 * - Several threads may call it at the same time for the same objects. The function that ends an
 *   object must be the last call for that object. A &struct vsm_thread belongs to one calling
 *   thread at a time.
 * - An object belongs to the caller until its destroy or close function. The device must outlive
 *   the clusters, buffers and wait sets made from it.
 * - The destroy and close functions take NULL and then do nothing.
 * - No function returns -EINTR: the library repeats the call as drmIoctl() does, and the time limit
 *   of a suspended instruction keeps running. To react to signals, use poll() on vsm_waitset_fd().
 * - A thread may be cancelled (pthread_cancel()) in a call that waits. The call then leaves no lock
 *   and no file descriptor behind.
 * - The library prints nothing, starts no thread and has no global state.
 *
 * Before version 1.0, a new version may change a structure. The library then gets another SONAME,
 * and programs must be compiled again.
 *
 * A function may return any error that vsm_drm.h lists for its ioctl, as a negative number. The
 * description of a function names the errors that it returns in addition.
 */

/**
 * define VSM_VERSION - Version of the library that this header belongs to
 */
#define VSM_VERSION "0.5.0"

/**
 * define VSM_NEVER - Deadline that does not pass
 */
#define VSM_NEVER ((int64_t)-1)

/** struct vsm_device - An open vsm device (opaque) */
struct vsm_device;
/** struct vsm_cluster - A cluster of CTAs and their windows (opaque) */
struct vsm_cluster;
/** struct vsm_buffer - A buffer in global memory (opaque) */
struct vsm_buffer;
/** struct vsm_waitset - A wait set (opaque) */
struct vsm_waitset;

/**
 * vsm_device_open - Open a device
 * @path: Device node, such as /dev/dri/renderD128. NULL opens the vsm device with the lowest
 *	instance number
 * @device: The device (out); vsm_device_close() ends it
 *
 * The file descriptor of the device is close-on-exec.
 *
 * Return: 0; -ENODEV if there is no vsm device, or if @path is another device; -EACCES if the
 * caller may not open the device (if @path is NULL, also if it may not open another platform device
 * that might be a vsm device); -EPROTONOSUPPORT if the driver and the library have different
 * %DRM_VSM_ABI_MAJOR; -ENOMEM; or an error of open() for @path.
 */
int vsm_device_open(const char *path, struct vsm_device **device);

/**
 * vsm_device_open_index - Open a device by its instance number
 * @index: &drm_vsm_device_info.index
 * @device: The device (out)
 *
 * Return: 0; -ENODEV if there is no vsm device with this number; -EACCES if the caller may not open
 * the device, or may not open another platform device that might be this device; -EPROTONOSUPPORT
 * if the driver and the library have different %DRM_VSM_ABI_MAJOR; -EMFILE, -ENFILE or -ENOMEM.
 */
int vsm_device_open_index(uint32_t index, struct vsm_device **device);

/**
 * vsm_device_open_fd - Use a file descriptor that is already open
 * @fd: File descriptor of a vsm device. The library duplicates it; @fd remains the caller's
 * @device: The device (out)
 *
 * The duplicate and @fd have the same GEM handles. If the library and the owner of @fd both import
 * an object, they get the same handle, and the first to close it closes it for both. Therefore only
 * one of the two may import an object. The duplicate and @fd also share their events, see
 * vsm_event_read().
 *
 * Return: 0; -EBADF if @fd is not a file descriptor; -ENODEV if it is not a vsm device;
 * -EPROTONOSUPPORT if the driver and the library have different %DRM_VSM_ABI_MAJOR; -EMFILE or
 * -ENOMEM.
 */
int vsm_device_open_fd(int fd, struct vsm_device **device);

/**
 * vsm_device_list - List the vsm devices of the machine
 * @indices: Instance numbers (out), ascending, for vsm_device_open_index(). May be NULL if @max is
 *	0
 * @max: Elements of @indices
 *
 * Return: The number of devices, which may be above @max; 0 if there is none. If the function found
 * none because it could not open a device: -EACCES, -EPROTONOSUPPORT, -EMFILE or -ENFILE. -ENOMEM
 * if memory runs out.
 */
int vsm_device_list(uint32_t *indices, uint32_t max);

/**
 * vsm_device_close - Close a device
 * @device: Device, or NULL. Destroy the objects made from it first
 */
void vsm_device_close(struct vsm_device *device);

/**
 * vsm_device_fd - The DRM file descriptor of a device, for libdrm
 * @device: Device
 *
 * Return: The file descriptor. Do not close it: vsm_device_close() does.
 */
int vsm_device_fd(const struct vsm_device *device);

/**
 * vsm_device_info - Version, features and limits of a device
 * @device: Device
 *
 * Return: The answer that the device gave when it was opened. It does not change.
 */
struct drm_vsm_device_info vsm_device_info(const struct vsm_device *device);

/**
 * vsm_event_read - Read reports of misuse
 * @device: Device
 * @events: Events (out), in the order in which the misuses happened
 * @max: Events that fit, at least 1. One call reads at most 42
 * @deadline: Time until which to wait for the first event: absolute CLOCK_MONOTONIC in ns, or
 *	VSM_NEVER. 0 does not block
 *
 * There is an event for every misuse. No call returns the misuse of jobs, and of asynchronous
 * operations when they complete: only events report it. &drm_event.length is the number of bytes
 * that the device filled; the rest of the structure is 0. If a later version of the device sends
 * longer events, the function shortens them to the size of the structure. It skips events of other
 * types.
 *
 * poll() on vsm_device_fd() returns POLLIN while there are events. If several threads call this
 * function, each event goes to one of them. During the call, no other code may read the file
 * descriptor or its duplicates (vsm_device_open_fd()): otherwise the call might block beyond
 * @deadline, and events may be lost. The caller may set or clear O_NONBLOCK.
 *
 * Use a deadline if the device may be removed: DRM does not then wake threads that wait for events.
 *
 * Return: The number of events; 0 if @deadline passed first; -EINVAL if @max is 0; or an error of
 * poll() or read().
 */
int vsm_event_read(struct vsm_device *device, struct drm_vsm_event_fault *events, uint32_t max,
		   int64_t deadline);

/**
 * struct vsm_cluster_config - Shape of a cluster
 * @ctas: CTAs, 1 to &drm_vsm_device_info.max_ctas
 * @threads: Threads of each CTA, 1 to &drm_vsm_device_info.max_threads
 * @smem_bytes: Bytes of each CTA's window, a multiple of 16 up to &drm_vsm_device_info.max_smem
 * @layout: Layout of the mbarrier word
 * @policy: What the device does about misuse
 * @report: Rules that are reported instead of enforced, a mask of DRM_VSM_RULE()
 * @enforce: Rules that are enforced only because they are in this mask of DRM_VSM_RULE()
 * @trace_events: Number of the last events that the flight recorder keeps, up to 2^20, for
 *	vsm_trace_read(); 0 for no flight recorder. vsm_cluster_shape() sets it to 0
 * @pad: 0
 */
struct vsm_cluster_config {
	uint32_t ctas;
	uint32_t threads;
	uint32_t smem_bytes;
	enum vsm_layout layout;
	enum drm_vsm_policy policy;
	uint64_t report;
	uint64_t enforce;
	uint32_t trace_events;
	uint32_t pad;
};

/**
 * vsm_cluster_create - Create a cluster and map its windows
 * @device: Device
 * @config: Shape
 * @cluster: The cluster (out); vsm_cluster_destroy() ends it
 *
 * Return: 0; -EINVAL if the shape is wrong, or if a mask contains a rule that it must not contain;
 * -EOPNOTSUPP if a mask or the flight recorder is not 0 and the device does not know it; -ENOSPC or
 * -ENOMEM.
 */
int vsm_cluster_create(struct vsm_device *device, const struct vsm_cluster_config *config,
		       struct vsm_cluster **cluster);

/**
 * vsm_cluster_import - Open a cluster that another process shares
 * @device: The device that the cluster was created on
 * @dmabuf: A dma-buf from vsm_cluster_export(). The function does not close it
 * @cluster: The cluster (out); vsm_cluster_destroy() ends it
 *
 * If the device already has the cluster, the same pointer is returned again. Call
 * vsm_cluster_destroy() as often as the pointer was returned.
 *
 * Return: 0; -EBADF or -EINVAL if @dmabuf is not a dma-buf; -ENOENT if it is not a cluster of this
 * device; -ENOMEM.
 */
int vsm_cluster_import(struct vsm_device *device, int dmabuf, struct vsm_cluster **cluster);

/**
 * vsm_cluster_export - Share a cluster with another process
 * @cluster: Cluster
 * @dmabuf: A dma-buf file descriptor, close-on-exec (out); the caller closes it
 *
 * Return: 0, -EMFILE or -ENOMEM.
 */
int vsm_cluster_export(struct vsm_cluster *cluster, int *dmabuf);

/**
 * vsm_cluster_destroy - Unmap and close a cluster
 * @cluster: Cluster, or NULL
 *
 * The device keeps the cluster while jobs, armed waits or other processes use it.
 */
void vsm_cluster_destroy(struct vsm_cluster *cluster);

/**
 * vsm_cluster_handle - GEM handle of a cluster
 * @cluster: Cluster
 *
 * Return: The handle. Do not close it: vsm_cluster_destroy() does.
 */
uint32_t vsm_cluster_handle(const struct vsm_cluster *cluster);

/**
 * vsm_cluster_shape - Shape of a cluster
 * @cluster: Cluster
 *
 * Return: The shape that the cluster was created with.
 */
struct vsm_cluster_config vsm_cluster_shape(const struct vsm_cluster *cluster);

/**
 * vsm_cluster_window - Shared memory of a CTA
 * @cluster: Cluster
 * @cta: Rank of the CTA
 *
 * Byte o of the window has the cluster shared address vsm_shared_addr(@cta, o). The device may
 * change the mbarrier words in the window at any time: read them with atomic loads.
 *
 * Return: &vsm_cluster_config.smem_bytes bytes, valid until vsm_cluster_destroy(); NULL if there is
 * no such CTA.
 */
void *vsm_cluster_window(const struct vsm_cluster *cluster, uint32_t cta);

/**
 * vsm_cluster_hold - Hold asynchronous operations in flight, or release them
 * @cluster: Cluster
 * @hold: true to hold, false to release
 *
 * While a cluster is held, the copies, st.async, red.async and cp.async.mbarrier.arrive that
 * threads issue on it stay in flight. After the release they execute in the order in which they
 * were issued, or in the shuffled order that the device is configured for. Jobs of vsm_submit() are
 * not held. vsm_cluster_destroy() releases the operations.
 *
 * Return: 0, or an error of the device.
 */
int vsm_cluster_hold(struct vsm_cluster *cluster, bool hold);

/**
 * vsm_cluster_drain - Release asynchronous operations, and wait until they have ended
 * @cluster: Cluster, held or not
 *
 * Waits until none of the operations is in flight that threads have issued through the same device
 * object, except those on other clusters that are held. The records of all waits that these
 * operations have ended can then be read.
 *
 * Return: 0; -EINVAL if the device does not have %DRM_VSM_FEATURE_DRAIN; or another error of the
 * device.
 */
int vsm_cluster_drain(struct vsm_cluster *cluster);

/**
 * vsm_cluster_state - What a cluster is doing
 * @cluster: Cluster
 * @state: The cluster as a whole (out). &drm_vsm_cluster_state.count says how many entries were
 *	written, and &drm_vsm_cluster_state.total how many there were
 * @entries: Who waits and for what, which threads are in a rendezvous, which operations are in
 *	flight, and which jobs there are (out); NULL if @max is 0
 * @max: Entries that fit, at most 131072
 *
 * The entries are no snapshot unless nothing moves: the device collects them in parts. If @state
 * has a total above @max, call again with a longer array. The function changes nothing and wakes
 * nobody.
 *
 * Return: 0; -EOPNOTSUPP if the device does not have %DRM_VSM_FEATURE_STATE; -E2BIG if @max is too
 * large; -ENOSPC or -ENOMEM if the device has no memory for the list; or another error of the
 * device. On an error @state is not written.
 */
int vsm_cluster_state(struct vsm_cluster *cluster, struct drm_vsm_cluster_state *state,
		      struct drm_vsm_state_entry *entries, uint32_t max);

/**
 * vsm_device_state - What a cluster of the device is doing
 * @device: Device
 * @number: Number of the cluster
 * @flag: %DRM_VSM_STATE_NUMBER for the cluster with this number; %DRM_VSM_STATE_NEXT for the
 *	cluster with the lowest number that is at least @number
 * @state: The cluster as a whole (out)
 * @entries: What vsm_cluster_state() writes (out); NULL if @max is 0
 * @max: Entries that fit, at most 131072
 *
 * Finds clusters of other processes: those of the same user, and all if the caller has CAP_PERFMON
 * or CAP_SYS_ADMIN. To go through all of them, begin with the number 0 and %DRM_VSM_STATE_NEXT, and
 * continue with &drm_vsm_cluster_state.number plus 1 until the function returns -ENOENT.
 *
 * Return: 0; -ENOENT if there is no such cluster, or the caller may not see it; -EINVAL if @flag is
 * neither of the two; or an error of vsm_cluster_state(). On an error @state is not written.
 */
int vsm_device_state(struct vsm_device *device, uint32_t number, uint32_t flag,
		     struct drm_vsm_cluster_state *state, struct drm_vsm_state_entry *entries,
		     uint32_t max);

/**
 * vsm_state_name - Name of a kind of entry
 * @kind: &drm_vsm_state_entry.kind
 *
 * Return: A constant text such as "phase" or "cluster-barrier"; NULL if @kind is unknown.
 */
const char *vsm_state_name(enum drm_vsm_state kind);

/**
 * vsm_trace_read - Read events of a cluster's flight recorder
 * @cluster: Cluster that was created with &vsm_cluster_config.trace_events
 * @events: Events (out), in the order in which they were recorded
 * @max: Events that fit
 * @next: Number of the first event that is wanted, from 0; gets the number with which the next call
 *	continues
 * @lost: Number of events that were overwritten before they were read, and that are missing before
 *	the first event (out); or NULL
 *
 * Reading takes no event away. Several threads and processes can read the same flight recorder.
 *
 * Return: The number of events, which is 0 if there are no more; -ENOENT if the cluster has no
 * flight recorder; -EINVAL if @next is above the number of events; -EOPNOTSUPP if the
 * device has no flight recorders.
 */
int vsm_trace_read(struct vsm_cluster *cluster, struct drm_vsm_trace_event *events, uint32_t max,
		   uint64_t *next, uint64_t *lost);

/**
 * vsm_buffer_create - Create a buffer and map it
 * @device: Device
 * @size: Bytes, more than 0. The device rounds up to whole pages
 * @buffer: The buffer (out); vsm_buffer_destroy() ends it
 *
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int vsm_buffer_create(struct vsm_device *device, uint64_t size, struct vsm_buffer **buffer);

/**
 * vsm_buffer_import - Open a buffer that another process or driver shares
 * @device: Device
 * @dmabuf: A dma-buf. The function does not close it
 * @buffer: The buffer (out); vsm_buffer_destroy() ends it
 *
 * If the device already has the buffer, the same pointer is returned again. Call
 * vsm_buffer_destroy() as often as the pointer was returned.
 *
 * Return: 0; -EBADF or -EINVAL if @dmabuf is not a dma-buf; -ENOENT if it is a cluster; -ENOMEM; or
 * an error of the driver that the dma-buf comes from.
 */
int vsm_buffer_import(struct vsm_device *device, int dmabuf, struct vsm_buffer **buffer);

/**
 * vsm_buffer_export - Share a buffer with another process or driver
 * @buffer: Buffer
 * @dmabuf: A dma-buf file descriptor, close-on-exec (out); the caller closes it
 *
 * Return: 0, -EMFILE or -ENOMEM.
 */
int vsm_buffer_export(struct vsm_buffer *buffer, int *dmabuf);

/**
 * vsm_buffer_destroy - Unmap and close a buffer
 * @buffer: Buffer, or NULL
 *
 * The device keeps the buffer while jobs or other processes use it.
 */
void vsm_buffer_destroy(struct vsm_buffer *buffer);

/**
 * vsm_buffer_handle - GEM handle of a buffer
 * @buffer: Buffer
 *
 * Return: The handle, for the constructors of instructions, such as vsm_prep_cp_async_bulk_g2s().
 * Do not close it: vsm_buffer_destroy() does.
 */
uint32_t vsm_buffer_handle(const struct vsm_buffer *buffer);

/**
 * vsm_buffer_size - Size of a buffer
 * @buffer: Buffer
 *
 * Return: Bytes, a multiple of the page size.
 */
uint64_t vsm_buffer_size(const struct vsm_buffer *buffer);

/**
 * vsm_buffer_map - Memory of a buffer
 * @buffer: Buffer
 *
 * Return: vsm_buffer_size() bytes, valid until vsm_buffer_destroy(); NULL for an imported buffer
 * that its owner does not let others map.
 */
void *vsm_buffer_map(const struct vsm_buffer *buffer);

/**
 * struct vsm_thread - A device thread: the caller executes instructions as this thread
 * @size: Bytes of this structure
 * @error: Error that the last failed call with this structure returned, or 0 if no call has failed
 * @cluster: Cluster
 * @cta: Rank of the CTA in the cluster
 * @thread: Thread in the CTA; its warp is @thread / 32
 * @exec_flags: Mask of %DRM_VSM_EXEC_NO_LIMIT and %DRM_VSM_EXEC_WARP for every instruction executed
 *	as this thread. vsm_submit() ignores them; vsm_waitset_prep_insn() uses only
 *	%DRM_VSM_EXEC_WARP; for vsm_exec_lanes() they must be 0
 * @refused: The instruction that the device refused in the last failed call, if it is known. After
 *	-EPROTO, &drm_vsm_insn.fault is the broken rule and &drm_vsm_insn.result is the mbarrier
 *	word
 * @retired: Number of instructions that were retired when the last call of vsm_exec() or
 *	vsm_exec_lanes() ended. After an error the instruction with this index is the one that
 *	failed
 * @site: Number for the events of what is executed as this thread (&drm_vsm_trace_event.site),
 *	such as a place in the program; 0 if there is none. It must be 0 if the device does not have
 *	%DRM_VSM_FEATURE_TRACE
 *
 * The structure only names a thread: make one where you need it, with vsm_thread_at() or
 * vsm_warp_at(). These functions set @size; if @size is wrong, every call returns -EINVAL. A call
 * that fails writes @error and @refused, and vsm_thread_strerror() makes a sentence of them.
 * Therefore each calling thread needs a structure of its own, even if two calling threads execute
 * as the same device thread.
 */
struct vsm_thread {
	uint32_t size;
	int32_t error;
	struct vsm_cluster *cluster;
	uint16_t cta;
	uint16_t thread;
	uint32_t exec_flags;
	struct drm_vsm_insn refused;
	uint32_t retired;
	uint32_t site;
};

/**
 * vsm_thread_at - Name a device thread
 * @cluster: Cluster
 * @cta: Rank of the CTA
 * @thread: Thread in the CTA
 *
 * Return: The thread, without flags.
 */
static inline struct vsm_thread vsm_thread_at(struct vsm_cluster *cluster, uint16_t cta,
					      uint16_t thread)
{
	struct vsm_thread t;

	memset(&t, 0, sizeof(t));
	t.size = sizeof(t);
	t.cluster = cluster;
	t.cta = cta;
	t.thread = thread;
	return t;
}

/**
 * vsm_warp_at - Name a warp whose threads execute together
 * @cluster: Cluster
 * @cta: Rank of the CTA
 * @warp: Warp in the CTA
 *
 * The caller executes as all threads of the warp that have not exited (%DRM_VSM_EXEC_WARP). One
 * call executes a warp operation or a barrier in all of them, with the same operands, and returns
 * the result of lane 0. Lane 0 executes all other instructions alone. To get the result of another
 * lane, or if lane 0 has exited, set &vsm_thread.thread to the thread of another lane.
 *
 * Return: The thread in lane 0 of the warp, with %DRM_VSM_EXEC_WARP set.
 */
static inline struct vsm_thread vsm_warp_at(struct vsm_cluster *cluster, uint16_t cta,
					    uint16_t warp)
{
	struct vsm_thread t = vsm_thread_at(cluster, cta, (uint16_t)(warp * 32));

	t.exec_flags = DRM_VSM_EXEC_WARP;
	return t;
}

/**
 * vsm_exec - Execute a stream of instructions as one device thread
 * @thread: Device thread
 * @insns: Instructions; the device writes their results when they retire
 * @count: Number of instructions, up to &drm_vsm_device_info.max_exec
 * @retired: Number of instructions that are retired (in, out). Execution begins at this index. The
 *	function writes the number on an error as well. NULL begins with the first instruction; use
 *	it only if no instruction except the last is a try_wait
 *
 * The call blocks while an instruction suspends. If the time limit of a try_wait passes, the call
 * returns 0, and *@retired may be below @count: that try_wait is the last retired instruction, and
 * its result is 0. The next call continues with the instruction after it.
 *
 * Return: 0; -EPROTO if the instruction at *@retired broke the rule in its &drm_vsm_insn.fault; or
 * another error of the device. On an error the instruction at *@retired has changed nothing.
 */
int vsm_exec(struct vsm_thread *thread, struct drm_vsm_insn *insns, uint32_t count,
	     uint32_t *retired);

/**
 * vsm_exec_lanes - Execute one instruction of each of several lanes of a warp
 * @thread: First thread of the warp, from vsm_thread_at(). &vsm_thread.exec_flags must be 0
 * @lanes: Mask of the lanes, not 0. Bit i stands for the thread &vsm_thread.thread + i
 * @insns: One instruction for each lane, in the order of the lanes: the instruction of the lowest
 *	lane is the first. They may differ only in their operands. The device writes their results
 * @suspended: Mask of the lanes that are suspended (out, also on an error). May be NULL
 *
 * The call does not block. The lanes execute their instructions in order. A try_wait does not
 * suspend: its result is 0 if its phase is not complete. A lane whose warp operation, barrier or
 * wait for groups is not complete is in *@suspended. To get the result of such a lane, execute the
 * same instruction again, or arm it with vsm_waitset_prep_lanes().
 *
 * On an error, &vsm_thread.retired is the number of lanes that have executed their instructions:
 * those of the first so many instructions. To go on behind a refused instruction, call the function
 * again with the lanes and the instructions after it.
 *
 * Return: 0; -EPROTO if the instruction at &vsm_thread.retired broke the rule in its
 * &drm_vsm_insn.fault; -EINVAL if the device does not have %DRM_VSM_FEATURE_LANES, a lane does not
 * exist, or the instructions differ in more than their operands; or another error of the device.
 */
int vsm_exec_lanes(struct vsm_thread *thread, uint32_t lanes, struct drm_vsm_insn *insns,
		   uint32_t *suspended);

/**
 * struct vsm_lanes_call - A call of vsm_exec_lanes() in a batch
 * @thread: First thread of the warp. Each call of a batch needs a structure of its own
 * @insns: One instruction for each lane
 * @lanes: Mask of the lanes
 * @suspended: Mask of the lanes that are suspended (out)
 */
struct vsm_lanes_call {
	struct vsm_thread *thread;
	struct drm_vsm_insn *insns;
	uint32_t lanes;
	uint32_t suspended;
};

/**
 * vsm_exec_batch - Execute several calls of vsm_exec_lanes() in one call of the device
 * @calls: The calls, of any warps of the clusters of one device. They are executed in order, until
 *	one fails
 * @count: Number of calls. More than 32 take more than one call of the device
 * @done: Number of calls that have ended without an error (out, also on an error). May be NULL
 *
 * A lane that was suspended in an early call may have been woken by a later one: it stays in
 * &vsm_lanes_call.suspended until it executes its instruction again.
 *
 * Return: 0, or the error of the call at *@done: see vsm_exec_lanes().
 */
int vsm_exec_batch(struct vsm_lanes_call *calls, uint32_t count, uint32_t *done);

/**
 * vsm_execute - Execute one instruction as a device thread
 * @thread: Device thread
 * @insn: The instruction, from one of the constructors ``vsm_prep_...()``
 * @result: Result of the instruction (out); the description of the constructor says what it is.
 *	NULL if the caller does not need it
 *
 * The call blocks while the instruction suspends.
 *
 * Return: 0; -EPROTO if the instruction broke a rule, see &vsm_thread.refused; -EOPNOTSUPP if the
 * instruction does not exist in the layout of the cluster; or another error of the device.
 */
static inline int vsm_execute(struct vsm_thread *thread, struct drm_vsm_insn insn, uint64_t *result)
{
	int err = vsm_exec(thread, &insn, 1, 0);

	if (!err && result)
		*result = insn.result;
	return err;
}

/**
 * vsm_result_value - Get d from the result of an instruction with destination d|p
 * @result: Result of match.all, elect or shfl
 *
 * Return: d.
 */
static inline uint32_t vsm_result_value(uint64_t result)
{
	return (uint32_t)result;
}

/**
 * vsm_result_pred - Get p from the result of an instruction with destination d|p
 * @result: Result of match.all, elect or shfl
 *
 * Return: p.
 */
static inline bool vsm_result_pred(uint64_t result)
{
	return (result & DRM_VSM_RESULT_PRED) != 0;
}

/**
 * vsm_await_phase - Wait until the phase of a state token is complete
 * @thread: Device thread
 * @addr: Cluster shared address of the mbarrier object, in the thread's own CTA
 * @state: Token of an arrive in the current or the immediately preceding phase
 * @qual: Mask of any of: VSM_ACQUIRE or VSM_RELAXED, with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA
 * @deadline: Absolute CLOCK_MONOTONIC in ns, or VSM_NEVER. 0 does not block
 *
 * Executes mbarrier.try_wait until it returns True. With VSM_NEVER the device knows that the thread
 * waits without a time limit: if no thread can be woken any more, the call returns -EPROTO with
 * %DRM_VSM_FAULT_DEADLOCK.
 *
 * Return: 0 if the phase is complete; -ETIME if @deadline passed first; -EPROTO on misuse; or
 * another error of vsm_exec().
 */
int vsm_await_phase(struct vsm_thread *thread, uint32_t addr, uint64_t state, unsigned int qual,
		    int64_t deadline);

/**
 * vsm_await_parity - Wait until the phase with a parity is complete
 * @thread: Device thread
 * @addr: Cluster shared address of the mbarrier object, in the thread's own CTA
 * @parity: phaseParity of the current or the immediately preceding phase, 0 or 1
 * @qual: Mask of any of: VSM_ACQUIRE or VSM_RELAXED, with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA
 * @deadline: Absolute CLOCK_MONOTONIC in ns, or VSM_NEVER. 0 does not block
 *
 * Executes mbarrier.try_wait.parity until it returns True. With VSM_NEVER the device knows that the
 * thread waits without a time limit: if no thread can be woken any more, the call returns -EPROTO
 * with %DRM_VSM_FAULT_DEADLOCK.
 *
 * Return: 0 if the phase is complete; -ETIME if @deadline passed first; -EPROTO on misuse; or
 * another error of vsm_exec().
 */
int vsm_await_parity(struct vsm_thread *thread, uint32_t addr, uint32_t parity, unsigned int qual,
		     int64_t deadline);

/**
 * vsm_channel_create - Create a copy channel
 * @device: Device
 * @flags: Mask of &enum drm_vsm_channel_flags
 * @channel: The channel (out), never 0; vsm_channel_destroy() or vsm_device_close() ends it
 *
 * A channel runs one job at a time. Several channels run in parallel if processors are free, and
 * take turns otherwise.
 *
 * Return: 0; -EINVAL if @flags is wrong; -ENOSPC if the client already has
 * &drm_vsm_device_info.max_channels channels; -ENOMEM.
 */
int vsm_channel_create(const struct vsm_device *device, uint32_t flags, uint32_t *channel);

/**
 * struct vsm_channel_config - What kind of channel to create
 * @flags: Mask of &enum drm_vsm_channel_flags
 * @priority: &enum drm_vsm_priority. While a channel of the device has something to do, channels of
 *	lower priorities give way to it: they run for 1 ms in every 10 ms
 * @group: Number of the group of channels of @device that are reset together, chosen by the caller;
 *	0 for no group
 * @pad: 0
 */
struct vsm_channel_config {
	uint32_t flags;
	int32_t priority;
	uint32_t group;
	uint32_t pad;
};

/**
 * vsm_channel_create_as - Create a copy channel with a priority, or in a group
 * @device: Device
 * @config: What kind of channel. vsm_channel_create() creates channels whose other members are 0
 * @channel: The channel (out), never 0; vsm_channel_destroy() or vsm_device_close() ends it
 *
 * Return: 0; -EACCES if the priority is high and the caller lacks CAP_SYS_NICE; -EINVAL if a member
 * is wrong; -EOPNOTSUPP if the device lacks priorities or groups, or is older than they are;
 * -ENOSPC if the client already has &drm_vsm_device_info.max_channels channels; -ENOMEM.
 */
int vsm_channel_create_as(const struct vsm_device *device, const struct vsm_channel_config *config,
			  uint32_t *channel);

/**
 * vsm_channel_destroy - Destroy a copy channel
 * @device: Device
 * @channel: Channel, not 0
 *
 * Cancels the jobs of the channel. Their fences then have the error -ECANCELED.
 *
 * Return: 0, -EINVAL if @channel is 0, -ENOENT if there is no such channel.
 */
int vsm_channel_destroy(const struct vsm_device *device, uint32_t channel);

/**
 * vsm_channel_status - Find out what has happened to the jobs of a channel
 * @device: Device
 * @channel: Channel from vsm_channel_create(), or 0 for the client's first channel
 * @flags: Mask of &enum drm_vsm_channel_status_flags
 * @status: The answer (out): whether a job of the channel was guilty of a failure, or suffered from
 *	one, and how often
 *
 * Return: 0; -EINVAL if @flags is wrong; -ENOENT if there is no such channel; -ENODEV if the device
 * is gone; -EOPNOTSUPP if the device does not have %DRM_VSM_FEATURE_RESET.
 */
int vsm_channel_status(const struct vsm_device *device, uint32_t channel, uint32_t flags,
		       struct drm_vsm_channel_status *status);

/**
 * vsm_inject_add - Add a rule that makes something fail
 * @device: Device
 * @rule: What is to happen, where and when. Members that are an answer must be 0
 * @number: Number of the rule (out); vsm_inject_remove() or vsm_device_close() removes it
 *
 * Return: 0; -EINVAL if the rule makes no sense; -ENOENT if there is no such object; -ENOSPC if the
 * client has too many rules; -EPERM if only root may add such a rule; -EOPNOTSUPP if the device
 * does not have %DRM_VSM_FEATURE_INJECT; -ENODEV or -ENOMEM.
 */
int vsm_inject_add(const struct vsm_device *device, const struct drm_vsm_inject_rule *rule,
		   uint32_t *number);

/**
 * vsm_inject_query - Read a rule
 * @device: Device
 * @number: Number of the rule
 * @flags: Mask of &enum drm_vsm_inject_query_flags and %DRM_VSM_INJECT_OF_DEVICE
 * @rule: The rule and its counters (out)
 *
 * Return: 0; -EINVAL if @flags is wrong; -ENOENT if there is no such rule; -EPERM for a rule of the
 * device without CAP_SYS_ADMIN; -EOPNOTSUPP if the device does not have %DRM_VSM_FEATURE_INJECT;
 * -ENODEV.
 */
int vsm_inject_query(const struct vsm_device *device, uint32_t number, uint32_t flags,
		     struct drm_vsm_inject_rule *rule);

/**
 * vsm_inject_wait - Wait until a rule has fired
 * @device: Device
 * @number: Number of the rule
 * @flags: 0, or %DRM_VSM_INJECT_OF_DEVICE for a rule of the device
 * @fired: How often it must have fired since it was added
 * @deadline: Absolute CLOCK_MONOTONIC in ns, or VSM_NEVER. 0 does not block
 *
 * Return: 0; -ETIMEDOUT if @deadline passed first; -ENOENT if there is no such rule, or if it is
 * removed meanwhile; -EPERM for a rule of the device without CAP_SYS_ADMIN; -EINVAL if @flags or
 * @deadline is wrong; -EOPNOTSUPP if the device does not have %DRM_VSM_FEATURE_INJECT; -ENODEV.
 */
int vsm_inject_wait(const struct vsm_device *device, uint32_t number, uint32_t flags,
		    uint64_t fired, int64_t deadline);

/**
 * vsm_inject_remove - Remove a rule
 * @device: Device
 * @number: Number of the rule, or 0 for all rules of the program or of the device
 * @flags: 0, or %DRM_VSM_INJECT_OF_DEVICE for rules of the device
 *
 * What hangs because of the rule goes on.
 *
 * Return: 0; -EINVAL if @flags is wrong; -ENOENT if there is no such rule; -EPERM for rules of the
 * device without CAP_SYS_ADMIN; -EOPNOTSUPP if the device does not have %DRM_VSM_FEATURE_INJECT;
 * -ENODEV.
 */
int vsm_inject_remove(const struct vsm_device *device, uint32_t number, uint32_t flags);

/**
 * vsm_channel_submit - Queue instructions on a copy channel
 * @thread: Device thread that the instructions belong to
 * @channel: Channel from vsm_channel_create(), or 0 for the client's first channel
 * @insns: Instructions that cannot suspend
 * @count: Number of instructions
 * @syncs: Fences to wait for and to signal, from vsm_sync_in() and vsm_sync_out(). May be NULL if
 *	@sync_count is 0
 * @sync_count: Number of fences, up to &drm_vsm_device_info.max_syncs
 * @refused: Index of the refused instruction (out, on -EPROTO and -EOPNOTSUPP). May be NULL
 *
 * The call does not wait for the job. The device checks the mbarrier words when the job runs. A job
 * ends at its first fault: vsm_event_read() then reports the fault, and vsm_syncobj_wait() on an
 * out-fence of the job returns -EIO.
 *
 * Return: 0; -ENOENT if there is no such channel; or another error of the device. On an error
 * nothing is queued.
 */
int vsm_channel_submit(struct vsm_thread *thread, uint32_t channel, struct drm_vsm_insn *insns,
		       uint32_t count, const struct drm_vsm_sync *syncs, uint32_t sync_count,
		       uint32_t *refused);

/**
 * vsm_submit - Queue instructions on the client's first copy channel
 * @thread: Device thread that the instructions belong to
 * @insns: Instructions that cannot suspend. The caller may free them after the call
 * @count: Number of instructions, 1 to &drm_vsm_device_info.max_submit
 * @syncs: Fences to wait for and to signal, from vsm_sync_in() and vsm_sync_out(). May be NULL if
 *	@sync_count is 0
 * @sync_count: Number of fences, up to &drm_vsm_device_info.max_syncs
 * @refused: Index of the refused instruction (out, on -EPROTO and -EOPNOTSUPP). May be NULL
 *
 * The call does not wait for the job. The device checks the mbarrier words when the job runs. A job
 * ends at its first fault: vsm_event_read() then reports the fault, and vsm_syncobj_wait() on an
 * out-fence of the job returns -EIO.
 *
 * The first channel, 0, exists without vsm_channel_create() and runs its jobs in order.
 *
 * Return: 0, or an error of the device. On an error nothing is queued.
 */
static inline int vsm_submit(struct vsm_thread *thread, struct drm_vsm_insn *insns, uint32_t count,
			     const struct drm_vsm_sync *syncs, uint32_t sync_count,
			     uint32_t *refused)
{
	return vsm_channel_submit(thread, 0, insns, count, syncs, sync_count, refused);
}

/**
 * vsm_sync_in - Make an in-fence: the job waits for it before it starts
 * @syncobj: DRM syncobj
 * @point: Point of a timeline, or 0 for a binary syncobj
 *
 * Return: An element for vsm_submit() and vsm_channel_submit().
 */
static inline struct drm_vsm_sync vsm_sync_in(uint32_t syncobj, uint64_t point)
{
	struct drm_vsm_sync sync;

	sync.handle = syncobj;
	sync.flags = DRM_VSM_SYNC_WAIT;
	sync.point = point;
	return sync;
}

/**
 * vsm_sync_out - Make an out-fence: the syncobj gets the fence of the job
 * @syncobj: DRM syncobj
 * @point: Point of a timeline, above the points that it has, or 0 for a binary syncobj
 *
 * Return: An element for vsm_submit() and vsm_channel_submit().
 */
static inline struct drm_vsm_sync vsm_sync_out(uint32_t syncobj, uint64_t point)
{
	struct drm_vsm_sync sync = vsm_sync_in(syncobj, point);

	sync.flags = DRM_VSM_SYNC_SIGNAL;
	return sync;
}

/**
 * vsm_syncobj_create - Create a DRM syncobj
 * @device: Device
 * @syncobj: The syncobj, without a fence (out); vsm_syncobj_destroy() or vsm_device_close() ends it
 *
 * The caller decides by its use what the syncobj is: a timeline if its fences have points, a binary
 * syncobj if they do not.
 *
 * Return: 0 or -ENOMEM.
 */
int vsm_syncobj_create(const struct vsm_device *device, uint32_t *syncobj);

/**
 * vsm_syncobj_destroy - Destroy a DRM syncobj
 * @device: Device that it belongs to
 * @syncobj: Syncobj
 *
 * Return: 0, or -EINVAL if there is no such syncobj.
 */
int vsm_syncobj_destroy(const struct vsm_device *device, uint32_t syncobj);

/**
 * vsm_syncobj_wait - Wait for the fence of a job, and say how the job ended
 * @device: Device that the syncobj belongs to
 * @syncobj: DRM syncobj
 * @point: Point of a timeline, which need not exist yet, or 0 for the fence that a binary syncobj
 *	has now
 * @deadline: Absolute CLOCK_MONOTONIC in ns, or VSM_NEVER. 0 does not block
 *
 * drmSyncobjWait() reports only that a job ended. This function also reports how it ended.
 *
 * When a point has signalled and a later point exists, the kernel forgets the error of the earlier
 * point, and this function returns 0 for it. To get the error of every job, wait for each point
 * before you add the next one, or use vsm_event_read().
 *
 * Return: 0 if the job is done; -ETIME if @deadline passed first; -EIO if a fault ended the job or
 * the cluster is lost; -ETIMEDOUT if the job took too long; -ECANCELED if the job was cancelled;
 * -ENODEV if the device was removed; -EINVAL if a binary syncobj has no fence; -ENOENT if there is
 * no such syncobj; -EOPNOTSUPP if the driver has no timelines.
 */
int vsm_syncobj_wait(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
		     int64_t deadline);

/**
 * vsm_syncobj_status - State of a fence
 * @device: Device that the syncobj belongs to
 * @syncobj: DRM syncobj
 * @point: Point of a timeline, or 0 for a binary syncobj
 * @status: 1 if the fence has signalled, 0 if it has not, or the negative error number that its job
 *	ended with (out)
 *
 * The call does not block. When a point has signalled and a later point exists, the kernel forgets
 * the error of the earlier point: its @status is then 1.
 *
 * Return: 0; -EINVAL if the syncobj has no fence, or does not have that point; -ENOENT if there is
 * no such syncobj; -EMFILE, -ENFILE or -ENOMEM.
 */
int vsm_syncobj_status(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
		       int *status);

/**
 * vsm_syncobj_export_sync_file - Make a sync_file of a fence, for other drivers and for poll()
 * @device: Device that the syncobj belongs to
 * @syncobj: DRM syncobj
 * @point: Point of a timeline, or 0 for a binary syncobj
 * @sync_file: The sync_file, close-on-exec (out); the caller closes it
 *
 * Return: 0; -EINVAL if the syncobj has no fence, or does not have that point; -ENOENT if there is
 * no such syncobj; -EMFILE, -ENFILE or -ENOMEM.
 */
int vsm_syncobj_export_sync_file(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
				 int *sync_file);

/**
 * vsm_syncobj_import_sync_file - Give a syncobj the fence of a sync_file
 * @device: Device that the syncobj belongs to
 * @syncobj: DRM syncobj
 * @point: Point of a timeline, above the points that it has, or 0 for a binary syncobj
 * @sync_file: A sync_file of any driver. The function does not close it
 *
 * If the fence has already signalled and @point is not 0, the error of the fence is lost.
 *
 * Return: 0; -EINVAL or -EBADF if @sync_file is not a sync_file; -ENOENT if there is no such
 * syncobj; -ENOMEM.
 */
int vsm_syncobj_import_sync_file(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
				 int sync_file);

/**
 * vsm_hold_create - Give a syncobj a fence that the program holds
 * @device: Device that the syncobj belongs to
 * @syncobj: DRM syncobj
 * @point: Point of a timeline, above the points that it has, or 0 for a binary syncobj
 * @deadline: When the hold ends at the latest, absolute CLOCK_MONOTONIC in ns; 0 or a later time
 *	for %DRM_VSM_HOLD_NS from now
 * @hold: The hold (out), never 0; vsm_hold_release() or vsm_device_close() ends it
 *
 * Jobs that wait for the fence begin when the hold ends. A program can therefore choose in which
 * order the jobs of several channels begin. At @deadline the fence signals with the error
 * -ETIMEDOUT, and when the device is closed with -ECANCELED.
 *
 * Return: 0; -ENOENT if there is no such syncobj; -ENOSPC if the client has
 * &drm_vsm_device_info.client_jobs jobs and holds; -EOPNOTSUPP or -EINVAL if the device has no
 * holds; -ENODEV or -ENOMEM.
 */
int vsm_hold_create(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
		    int64_t deadline, uint32_t *hold);

/**
 * vsm_hold_release - Signal the fence of a hold
 * @device: Device
 * @hold: Hold from vsm_hold_create(). It is gone afterwards
 * @error: Positive error number of the fence, up to 133, but not EINTR or EAGAIN; 0 for none
 *
 * Return: 0 if the fence has signalled with @error; -ETIMEDOUT if it had signalled already, because
 * the deadline was over; -ENOENT if there is no such hold; -EINVAL if @error is wrong; -ENODEV.
 */
int vsm_hold_release(const struct vsm_device *device, uint32_t hold, uint32_t error);

/**
 * vsm_fault_name - Name of a fault code
 * @fault: &enum drm_vsm_fault
 *
 * Return: A constant string such as "ARRIVAL_OVERFLOW"; "NONE" for 0; "UNKNOWN" for a code that the
 * library does not know.
 */
const char *vsm_fault_name(uint32_t fault);

/**
 * vsm_fault_message - Say what was wrong, and what to change
 * @layout: Layout of the cluster
 * @cta: CTA of the thread that executed @insn
 * @insn: A refused instruction with the &drm_vsm_insn.fault, &drm_vsm_insn.result and
 *	&drm_vsm_insn.info that the device wrote. Any bit pattern is allowed
 * @text: One sentence (out), without a full stop, always terminated. May be NULL if @size is 0
 * @size: Bytes of @text
 *
 * An example is "arrive of 2 on the mbarrier at CTA 0 + 0x40: 1 arrival is pending; arrive with a
 * lower count, or init it with a higher count". The sentence is for people: later versions may word
 * it differently. A program must use &drm_vsm_insn.fault instead. For the last error of a thread,
 * use vsm_thread_strerror().
 *
 * Return: Length of the whole sentence, which may be longer than @text, as with snprintf().
 */
int vsm_fault_message(enum vsm_layout layout, uint32_t cta, const struct drm_vsm_insn *insn,
		      char *text, size_t size);

/**
 * vsm_thread_strerror - Say why the last failed call of a thread failed
 * @thread: Device thread
 * @text: One sentence (out), without a full stop, always terminated. May be NULL if @size is 0
 * @size: Bytes of @text
 *
 * If &vsm_thread.error is -EPROTO, the sentence is that of vsm_fault_message() for the instruction
 * in &vsm_thread.refused. Calls that succeed leave both members unchanged, so the sentence is about
 * the last call that failed. If @thread does not come from vsm_thread_at() or vsm_warp_at(), the
 * sentence says that.
 *
 * Return: Length of the whole sentence, which may be longer than @text, as with snprintf().
 */
int vsm_thread_strerror(const struct vsm_thread *thread, char *text, size_t size);

/**
 * vsm_insn_describe - Spell an instruction as PTX does
 * @insn: The instruction. Any bit pattern is allowed
 * @text: The spelling (out), always terminated. May be NULL if @size is 0
 * @size: Bytes of @text
 *
 * An example is "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [0x1000040],
 * 1024". Addresses are cluster shared addresses. "[buffer 3 + 0x100]" is offset 0x100 in the buffer
 * with handle 3. "[map 0x7f60, {0, 16}]" means coordinates {0, 16} in the tensor whose map is at
 * address 0x7f60. Destination registers are left out, because the instruction does not name them.
 * If PTX has several spellings, the text has the longest: "barrier.cta.sync.aligned" for bar.sync.
 * Values that PTX cannot spell are written as numbers: "op 77", ".sem(9)", ".mods(0x8000)".
 *
 * Return: Length of the whole spelling, which may be longer than @text, as with snprintf().
 */
int vsm_insn_describe(const struct drm_vsm_insn *insn, char *text, size_t size);

/**
 * vsm_waitset_create - Create a wait set
 * @device: Device
 * @set: The wait set (out); vsm_waitset_destroy() ends it
 *
 * Return: 0, -ENOMEM, -EMFILE or -ENFILE.
 */
int vsm_waitset_create(struct vsm_device *device, struct vsm_waitset **set);

/**
 * vsm_waitset_destroy - Close a wait set
 * @set: Wait set, or NULL. Its armed waits end without a record
 */
void vsm_waitset_destroy(struct vsm_waitset *set);

/**
 * vsm_waitset_fd - The file descriptor of a wait set, for poll() and epoll
 * @set: Wait set
 *
 * poll() returns POLLIN while there are records, and POLLHUP if the device is gone.
 *
 * Return: The file descriptor, which is non-blocking. Do not close it: vsm_waitset_destroy() does.
 */
int vsm_waitset_fd(const struct vsm_waitset *set);

/**
 * vsm_waitset_prep_state - Make a wait for the phase of a state token
 * @cluster: Cluster
 * @addr: Cluster shared address of the mbarrier object, in any CTA
 * @state: Token of an arrive in the current or the immediately preceding phase
 * @deadline: Absolute CLOCK_MONOTONIC in ns, or VSM_NEVER
 * @user_data: Number that the record of this wait contains
 *
 * Return: An element for vsm_waitset_arm().
 */
static inline struct drm_vsm_wait vsm_waitset_prep_state(const struct vsm_cluster *cluster,
							 uint32_t addr, uint64_t state,
							 int64_t deadline, uint64_t user_data)
{
	struct drm_vsm_wait wait;

	memset(&wait, 0, sizeof(wait));
	wait.cluster = vsm_cluster_handle(cluster);
	wait.addr = addr;
	wait.state = state;
	wait.deadline = deadline;
	wait.user_data = user_data;
	return wait;
}

/**
 * vsm_waitset_prep_parity - Make a wait for the phase with a parity
 * @cluster: Cluster
 * @addr: Cluster shared address of the mbarrier object, in any CTA
 * @parity: phaseParity of the current or the immediately preceding phase, 0 or 1
 * @deadline: Absolute CLOCK_MONOTONIC in ns, or VSM_NEVER
 * @user_data: Number that the record of this wait contains
 *
 * Return: An element for vsm_waitset_arm().
 */
static inline struct drm_vsm_wait vsm_waitset_prep_parity(const struct vsm_cluster *cluster,
							  uint32_t addr, uint32_t parity,
							  int64_t deadline, uint64_t user_data)
{
	struct drm_vsm_wait wait =
		vsm_waitset_prep_state(cluster, addr, parity, deadline, user_data);

	wait.flags = DRM_VSM_WAIT_PARITY;
	return wait;
}

/**
 * vsm_waitset_prep_insn - Make a wait for an instruction that a thread executes
 * @thread: Device thread of vsm_thread_at(), or the warp of vsm_warp_at()
 * @insn: Warp operation or barrier, from vsm_prep_match_any_sync_b32() to
 *	vsm_prep_barrier_cluster_wait(); a try_wait or a wait for groups if the device has
 *	%DRM_VSM_FEATURE_LANES. The instruction is not changed, and must stay valid until
 *	vsm_waitset_arm() returns
 * @deadline: Absolute CLOCK_MONOTONIC in ns, or VSM_NEVER
 * @user_data: Number that the record of this wait contains
 *
 * The thread arrives when the wait is armed, and the caller does not block. One caller can
 * therefore execute such instructions for many threads. The record contains how the instruction
 * ended: %DRM_VSM_WAIT_COMPLETE with its result in &drm_vsm_wait_record.result, or
 * %DRM_VSM_WAIT_FAULT with the &enum drm_vsm_fault in &drm_vsm_wait_record.result.
 *
 * If the wait is cancelled or expires, the thread stays in the instruction: it has arrived, and
 * continues when the same instruction is armed or executed again.
 *
 * Return: An element for vsm_waitset_arm().
 */
static inline struct drm_vsm_wait vsm_waitset_prep_insn(const struct vsm_thread *thread,
							const struct drm_vsm_insn *insn,
							int64_t deadline, uint64_t user_data)
{
	uint32_t place = DRM_VSM_WAIT_THREAD(thread->cta, thread->thread);
	struct drm_vsm_wait wait = vsm_waitset_prep_state(thread->cluster, place, (uintptr_t)insn,
							  deadline, user_data);

	wait.flags = DRM_VSM_WAIT_INSN;
	if (thread->exec_flags & DRM_VSM_EXEC_WARP)
		wait.flags |= DRM_VSM_WAIT_WARP;
	wait.site = thread->site;
	return wait;
}

/**
 * vsm_waitset_prep_lanes - Make a wait for lanes of a warp that wait in one instruction
 * @warp: First thread of the warp, from vsm_thread_at()
 * @lanes: Mask of the lanes, not 0
 * @insn: Instruction with which all lanes wait: mbarrier.try_wait, cp.async.wait_group,
 *	cp.async.wait_all or cp.async.bulk.wait_group; or the warp operation or barrier in which
 *	vsm_exec_lanes() has left the lanes, as the lowest lane has executed it. The instruction is
 *	not changed, and must stay valid until vsm_waitset_arm() returns
 * @flags: %DRM_VSM_WAIT_NO_LIMIT if the lanes are suspended without a time limit and may be part of
 *	a deadlock; @deadline must then be VSM_NEVER. Else 0
 * @deadline: Absolute CLOCK_MONOTONIC in ns, or VSM_NEVER
 * @user_data: Number that the record of this wait contains
 *
 * There is one record for all lanes. If its status is %DRM_VSM_WAIT_COMPLETE, the try_wait has
 * returned True, or the groups of all lanes are complete. In a warp operation or barrier the record
 * has the result of the lowest lane; the other lanes get theirs with vsm_exec_lanes(). If the lanes
 * are part of a deadlock, the status is %DRM_VSM_WAIT_FAULT, and the result is
 * %DRM_VSM_FAULT_DEADLOCK.
 *
 * Return: An element for vsm_waitset_arm(), which returns -EINVAL if the device does not have
 * %DRM_VSM_FEATURE_LANES.
 */
static inline struct drm_vsm_wait vsm_waitset_prep_lanes(const struct vsm_thread *warp,
							 uint32_t lanes,
							 const struct drm_vsm_insn *insn,
							 unsigned int flags, int64_t deadline,
							 uint64_t user_data)
{
	struct drm_vsm_wait wait = vsm_waitset_prep_insn(warp, insn, deadline, user_data);

	wait.flags |= DRM_VSM_WAIT_LANES | flags;
	wait.lanes = lanes;
	return wait;
}

/**
 * vsm_waitset_arm - Arm waits
 * @set: Wait set
 * @waits: Waits, from vsm_waitset_prep_state(), vsm_waitset_prep_parity(), vsm_waitset_prep_insn()
 *	or vsm_waitset_prep_lanes(). The function writes &drm_vsm_wait.id
 * @count: Number of waits, up to &drm_vsm_device_info.max_exec
 * @armed: Number of waits that are armed (in, out). Arming begins at this index. The function
 *	writes the number on an error as well. NULL begins with the first wait
 *
 * The call does not block. If a wait is already complete, its record can be read at once.
 *
 * Return: 0; -EPROTO if the wait at *@armed broke the rule in its &drm_vsm_wait.fault; -ENOSPC if
 * the client has too many waits; or another error of the device. On an error the waits before
 * *@armed are armed.
 */
int vsm_waitset_arm(struct vsm_waitset *set, struct drm_vsm_wait *waits, uint32_t count,
		    uint32_t *armed);

/**
 * vsm_waitset_cancel - Cancel an armed wait
 * @set: Wait set
 * @id: &drm_vsm_wait.id
 *
 * Return: 0 if the wait is cancelled: it has no record. -ENOENT if the wait had already ended: its
 * record can be read, or was read.
 */
int vsm_waitset_cancel(struct vsm_waitset *set, uint64_t id);

/**
 * vsm_waitset_read - Read how waits ended
 * @set: Wait set
 * @records: Records (out), in the order in which the waits ended
 * @max: Records that fit, at least 1
 * @deadline: Time until which to wait for the first record: absolute CLOCK_MONOTONIC in ns, or
 *	VSM_NEVER. 0 does not block
 *
 * If several threads read, each record goes to one of them.
 *
 * Return: The number of records; 0 if @deadline passed first; -ENODEV if the device is gone and
 * every record has been read; -EINVAL if @max is 0.
 */
int vsm_waitset_read(struct vsm_waitset *set, struct drm_vsm_wait_record *records, uint32_t max,
		     int64_t deadline);

/**
 * struct vsm_tensor_config - A tensor in a buffer, and the part of it that a copy moves
 * @buffer: Buffer that the tensor is in
 * @offset: Byte offset of the first element in the buffer, a multiple of 16, or of 32 with
 *	%DRM_VSM_TENSOR_INTERLEAVE_32B
 * @type: Type of the elements
 * @rank: Number of dimensions, 1 to 5; 3 to 5 with .im2col (channels, pixels, images) or interleave
 * @size: Elements of each dimension, innermost first, 1 to 2^32
 * @stride: Bytes from one element to the next in each dimension except the innermost: a multiple of
 *	16, or of 32 with %DRM_VSM_TENSOR_INTERLEAVE_32B, below 2^40
 * @element_stride: Distance of the copied elements in each dimension, 1 to 8: 1 copies every
 *	element, 2 every second one. In the innermost dimension it has an effect only with
 *	interleave
 * @interleave: Interleaved layout, with 3 dimensions or more
 * @swizzle: Swizzle in shared memory
 * @fill: Value that a load writes to shared memory for elements out of bounds
 * @l2_promotion: CUtensorMapL2promotion, 0 to 3. It has no effect
 * @box: Elements of the box in each dimension, 1 to 256 (.tile). The innermost dimension is a
 *	multiple of 16 bytes. Without interleave it is not longer than the width of the swizzle
 * @lower: First pixel of the bounding box in each dimension of an image (.im2col), innermost first,
 *	relative to the first pixel of the image. A signed number of 16 bits with 3 dimensions, of 8
 *	bits with 4, of 5 bits with 5
 * @upper: Last pixel of the bounding box in each dimension of an image (.im2col), innermost first,
 *	relative to the last pixel of the image. A signed number of 16 bits with 3 dimensions, of 8
 *	bits with 4, of 5 bits with 5
 * @channels: Channels of a pixel (.im2col), 1 to 256. The channels of a pixel are a multiple of 16
 *	bytes. Without interleave they are not longer than the width of the swizzle
 * @pixels: Pixels of a column (.im2col), 1 to 1024
 *
 * Members and elements that the rank or the mode does not use must be 0.
 */
struct vsm_tensor_config {
	const struct vsm_buffer *buffer;
	uint64_t offset;
	enum drm_vsm_tensor_type type;
	uint32_t rank;
	uint64_t size[VSM_TENSOR_MAX_RANK];
	uint64_t stride[VSM_TENSOR_MAX_RANK - 1];
	uint32_t element_stride[VSM_TENSOR_MAX_RANK];
	enum drm_vsm_tensor_interleave interleave;
	enum drm_vsm_tensor_swizzle swizzle;
	enum drm_vsm_tensor_fill fill;
	uint32_t l2_promotion;
	uint32_t box[VSM_TENSOR_MAX_RANK];
	int32_t lower[VSM_TENSOR_MAX_RANK - 2];
	int32_t upper[VSM_TENSOR_MAX_RANK - 2];
	uint32_t channels;
	uint32_t pixels;
};

/**
 * vsm_tensor_map_encode_tiled - Make a tensor map for .tile
 * @map: The map (out), at a multiple of 64 bytes
 * @config: The tensor
 * @reason: Why @config is refused (out, on -EINVAL): a constant string, such as "an element stride
 *	is not 1 to 8". May be NULL
 *
 * The function corresponds to cuTensorMapEncodeTiled(), with a buffer and an offset instead of
 * globalAddress. A map contains the handle of the buffer, and is valid only on the device of the
 * buffer.
 *
 * A copy with the map performs complete-tx of vsm_tensor_map_bytes() bytes on its mbarrier, and
 * needs vsm_tensor_map_window() bytes of shared memory.
 *
 * Return: 0, or -EINVAL if @config breaks a rule, if the tensor leaves the buffer, or if @map is
 * not aligned.
 */
int vsm_tensor_map_encode_tiled(struct drm_vsm_tensor_map *map,
				const struct vsm_tensor_config *config, const char **reason);

/**
 * vsm_tensor_map_encode_im2col - Make a tensor map for .im2col
 * @map: The map (out), at a multiple of 64 bytes
 * @config: The tensor
 * @reason: Why @config is refused (out, on -EINVAL): a constant string, such as "an element stride
 *	is not 1 to 8". May be NULL
 *
 * The function corresponds to cuTensorMapEncodeIm2col(), with a buffer and an offset instead of
 * globalAddress. A map contains the handle of the buffer, and is valid only on the device of the
 * buffer.
 *
 * A copy with the map performs complete-tx of vsm_tensor_map_bytes() bytes on its mbarrier, and
 * needs vsm_tensor_map_window() bytes of shared memory.
 *
 * Return: 0, or -EINVAL if @config breaks a rule, if the tensor leaves the buffer, or if @map is
 * not aligned.
 */
int vsm_tensor_map_encode_im2col(struct drm_vsm_tensor_map *map,
				 const struct vsm_tensor_config *config, const char **reason);

/**
 * vsm_tensor_map_to_cuda - Make the CUtensorMap of a tensor map
 * @map: Tensor map. Its buffer and its offset have no effect
 * @address: Address of the tensor, globalAddress of cuTensorMapEncodeTiled()
 * @cuda: 128 bytes: the CUtensorMap (out)
 *
 * The bytes are those of CUDA's encoders. Kernels of vsm_ptx_launch() take them.
 *
 * Return: 0, or -EINVAL if vsm_tensor_map_check() refuses @map, or if @address is not a multiple of
 * 16, or of 32 with %DRM_VSM_TENSOR_INTERLEAVE_32B.
 */
int vsm_tensor_map_to_cuda(const struct drm_vsm_tensor_map *map, uint64_t address, void *cuda);

/**
 * vsm_tensor_map_from_cuda - Read a CUtensorMap
 * @cuda: 128 bytes: the CUtensorMap
 * @map: Tensor map (out). Its buffer is 0, and its offset is the address of the tensor: set both
 *
 * Return: 0, or -EINVAL if no encoder of CUDA makes these bytes. @map then has what the fields say:
 * vsm_tensor_map_check() tells which rule they break, if they break one.
 */
int vsm_tensor_map_from_cuda(const void *cuda, struct drm_vsm_tensor_map *map);

/**
 * vsm_tensor_error_text - Say what is wrong with a tensor map
 * @error: &enum drm_vsm_tensor_error: the result of vsm_tensor_map_check(), or the
 *	&drm_vsm_insn.info of %DRM_VSM_FAULT_TENSOR_MAP
 *
 * Return: A constant string, such as "an element stride is not 1 to 8".
 */
const char *vsm_tensor_error_text(uint32_t error);

#if defined(__cplusplus)
}
#endif

#endif
