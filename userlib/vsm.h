/* SPDX-License-Identifier: MIT */
/*
 * libvsm: the C library of vsm, an accelerator without hardware.
 */
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
 * Three prefixes tell where an mbarrier operation happens:
 *
 * - ``vsm_mbarrier_arrive()`` (vsm_mbarrier.h) computes: a word value in, a word
 *   value out. No device.
 * - ``vsm_prep_mbarrier_arrive()`` (vsm_insn.h) builds the instruction, for
 *   vsm_exec() and vsm_submit().
 * - ``vsm_thread_mbarrier_arrive()`` (here) executes it, as a device thread.
 *
 * Rules that hold for every function here:
 *
 * - It returns 0 or a negative error number, unless it says otherwise. Results
 *   go through pointers, which come last and are left alone on an error.
 * - It may be called from several threads at once on the same objects, but for
 *   the function that ends an object, which must be the last call on it.
 * - An object belongs to the caller until its destroy or close function. The
 *   device must outlive the clusters, buffers and wait sets made from it.
 * - The end functions take NULL and do nothing.
 * - No function returns -EINTR: calls are repeated as drmIoctl() does it, and the
 *   time limit of a suspended instruction runs on. To react to signals, use
 *   poll() on vsm_waitset_fd().
 * - A thread may be cancelled (pthread_cancel()) in a call that waits. No lock or file descriptor
 *   of the library is left behind.
 * - Nothing is printed, no thread is started, there is no global state.
 *
 * Structures grow at their end, and a program and the library that it runs with may know
 * different lengths. The functions whose names end in ``_sized`` therefore take the size of the
 * caller's structure, or the stride of the caller's array. The functions of the plain names are
 * inline and pass the sizes of the header that the program was compiled with:
 *
 * - The library fills the caller's structure as far as both know it, and sets what only the
 *   caller knows to 0.
 * - What only the library knows counts as 0 where it reads a structure. What only the caller knows
 *   must be 0 there, or the call returns -E2BIG.
 * - Array elements begin @stride bytes apart. A stride is at least the size that the element had
 *   in its first version, else the call returns -EINVAL.
 *
 * &struct vsm_thread carries its sizes itself. &struct drm_vsm_tensor_map never grows.
 *
 * The errors that the device returns are those in vsm_drm.h, negated; functions
 * name the ones that they add.
 *
 * Fences are DRM syncobjs, binary ones and timelines: vsm_syncobj_create() makes one,
 * vsm_syncobj_wait() tells how a job ended, and all else of libdrm works on
 * vsm_device_fd().
 */

/**
 * define VSM_VERSION - Version of the library that this header belongs to
 */
#define VSM_VERSION "0.2.0"

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
 * @path: A device node, such as /dev/dri/renderD128; NULL for the vsm device
 *	with the lowest instance number
 * @device: The device (out); vsm_device_close() ends it
 *
 * The file descriptor is close-on-exec.
 *
 * Return: 0, -ENODEV if there is no vsm device or @path is something else's,
 * -EACCES if the caller may not open it (or, without @path, another platform
 * device that might be one), -EPROTONOSUPPORT if the driver's
 * %DRM_VSM_ABI_MAJOR is not the library's, -ENOMEM, or what open() says of @path.
 */
int vsm_device_open(const char *path, struct vsm_device **device);

/**
 * vsm_device_open_index - Open a device by its instance number
 * @index: &drm_vsm_device_info.index
 * @device: The device (out)
 *
 * Return: As vsm_device_open().
 */
int vsm_device_open_index(uint32_t index, struct vsm_device **device);

/**
 * vsm_device_open_fd - Use a file descriptor that is open already
 * @fd: A vsm device; it is duplicated and remains the caller's
 * @device: The device (out)
 *
 * The duplicate shares its GEM handles with @fd. Let one of them own a handle:
 * an object that both import has one handle, which the first to close it closes
 * for both. They share their events as well, see vsm_event_read().
 *
 * Return: As vsm_device_open(), or -EBADF.
 */
int vsm_device_open_fd(int fd, struct vsm_device **device);

/**
 * vsm_device_list - Which vsm devices are there?
 * @indices: Instance numbers (out), ascending, for vsm_device_open_index(); may be
 *	NULL if @max is 0
 * @max: Elements of @indices
 *
 * Return: Number of devices, which may be above @max; 0 if there is none; -EACCES,
 * -EPROTONOSUPPORT, -EMFILE or -ENFILE, as vsm_device_open() says, if that is why there
 * is none; -ENOMEM.
 */
int vsm_device_list(uint32_t *indices, uint32_t max);

/**
 * vsm_device_close - Close a device
 * @device: Device, or NULL; destroy what was made from it first
 */
void vsm_device_close(struct vsm_device *device);

/**
 * vsm_device_fd - The DRM file descriptor, for libdrm
 * @device: Device
 *
 * Return: The file descriptor; it remains the device's.
 */
int vsm_device_fd(const struct vsm_device *device);

/**
 * vsm_device_info_sized - Version, features and limits
 * @device: Device
 * @info: The answer (out)
 * @size: Bytes of @info
 *
 * Return: 0 or -ENODEV.
 */
int vsm_device_info_sized(const struct vsm_device *device, struct drm_vsm_device_info *info,
			  size_t size);

/**
 * vsm_device_info - Version, features and limits
 * @device: Device
 * @info: The answer (out)
 *
 * Return: 0 or -ENODEV.
 */
static inline int vsm_device_info(const struct vsm_device *device,
				  struct drm_vsm_device_info *info)
{
	return vsm_device_info_sized(device, info, sizeof(*info));
}

/**
 * vsm_event_read_sized - Read what misuse there was
 * @device: Device
 * @events: Events (out), in the order in which the misuses happened
 * @stride: Bytes from one event to the next
 * @max: Events that fit, at least 1
 * @deadline: Until when to wait for the first
 *
 * Return: As vsm_event_read(); -EINVAL if @stride is below 96.
 */
int vsm_event_read_sized(struct vsm_device *device, struct drm_vsm_event_fault *events,
			 uint32_t stride, uint32_t max, int64_t deadline);

/**
 * vsm_event_read - Read what misuse there was
 * @device: Device
 * @events: Events (out), in the order in which the misuses happened
 * @max: Events that fit, at least 1; no more than 42 come at once
 * @deadline: Until when to wait for the first: absolute CLOCK_MONOTONIC in ns, or
 *	VSM_NEVER; 0 does not block
 *
 * Also tells of what no call returns: of jobs, and of asynchronous operations as they
 * complete. Events of a later version of the device are shortened to the structure.
 * &drm_event.length says how many bytes of the structure the device filled; the rest is 0. Events
 * of other types are skipped.
 *
 * poll() on vsm_device_fd() says POLLIN while there are events. When several threads
 * call this, each event goes to one of them. Nobody else may read the file descriptor
 * meanwhile, nor its duplicates (vsm_device_open_fd()): the call might then block
 * beyond @deadline, and events may be lost. O_NONBLOCK is the caller's to set or not.
 *
 * Where the device may go away, have a deadline: DRM wakes nobody who waits for events.
 *
 * Return: Number of events; 0 if @deadline passed first; -EINVAL if @max is 0; or what
 * poll() or read() says.
 */
static inline int vsm_event_read(struct vsm_device *device, struct drm_vsm_event_fault *events,
				 uint32_t max, int64_t deadline)
{
	return vsm_event_read_sized(device, events, sizeof(*events), max, deadline);
}

/**
 * struct vsm_cluster_config - Shape of a cluster
 * @ctas: CTAs, 1 to &drm_vsm_device_info.max_ctas
 * @threads: Threads of each CTA, 1 to &drm_vsm_device_info.max_threads
 * @smem_bytes: Bytes of each CTA's window, a multiple of 16 up to
 *	&drm_vsm_device_info.max_smem
 * @layout: Layout of the mbarrier word
 * @policy: What happens on misuse
 * @report: Rules that are reported and not enforced, a mask of DRM_VSM_RULE()
 * @enforce: Rules that are enforced and would not be without that, likewise
 */
struct vsm_cluster_config {
	uint32_t ctas;
	uint32_t threads;
	uint32_t smem_bytes;
	enum vsm_layout layout;
	enum drm_vsm_policy policy;
	uint64_t report;
	uint64_t enforce;
};

/**
 * vsm_cluster_create_sized - Create a cluster and map its windows
 * @device: Device
 * @config: Shape
 * @size: Bytes of @config
 * @cluster: The cluster (out); vsm_cluster_destroy() ends it
 *
 * Return: As vsm_cluster_create(); -E2BIG if @config asks for what the library does not know.
 */
int vsm_cluster_create_sized(struct vsm_device *device, const struct vsm_cluster_config *config,
			     size_t size, struct vsm_cluster **cluster);

/**
 * vsm_cluster_create - Create a cluster and map its windows
 * @device: Device
 * @config: Shape
 * @cluster: The cluster (out); vsm_cluster_destroy() ends it
 *
 * Return: 0, -EINVAL (the shape, or a rule that cannot be in its mask), -EOPNOTSUPP (a mask, which
 * the device does not know), -ENOSPC or -ENOMEM.
 */
static inline int vsm_cluster_create(struct vsm_device *device,
				     const struct vsm_cluster_config *config,
				     struct vsm_cluster **cluster)
{
	return vsm_cluster_create_sized(device, config, sizeof(*config), cluster);
}

/**
 * vsm_cluster_import - Open a cluster that another process shares
 * @device: Device, the one that the cluster was created on
 * @dmabuf: A dma-buf from vsm_cluster_export(); it remains the caller's
 * @cluster: The cluster (out); vsm_cluster_destroy() ends it
 *
 * A cluster that the device has already is given again: as often as it was
 * given, vsm_cluster_destroy() must be called.
 *
 * Return: 0, -EBADF or -EINVAL if @dmabuf is no dma-buf, -ENOENT if it is no
 * cluster of this device, -ENOMEM.
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
 * The device keeps it for as long as jobs, armed waits or others use it.
 */
void vsm_cluster_destroy(struct vsm_cluster *cluster);

/**
 * vsm_cluster_handle - GEM handle of a cluster
 * @cluster: Cluster
 *
 * Return: The handle; it remains the cluster's.
 */
uint32_t vsm_cluster_handle(const struct vsm_cluster *cluster);

/**
 * vsm_cluster_get_config_sized - Shape of a cluster
 * @cluster: Cluster
 * @config: As at its creation (out)
 * @size: Bytes of @config
 */
void vsm_cluster_get_config_sized(const struct vsm_cluster *cluster,
				  struct vsm_cluster_config *config, size_t size);

/**
 * vsm_cluster_get_config - Shape of a cluster
 * @cluster: Cluster
 * @config: As at its creation (out)
 */
static inline void vsm_cluster_get_config(const struct vsm_cluster *cluster,
					  struct vsm_cluster_config *config)
{
	vsm_cluster_get_config_sized(cluster, config, sizeof(*config));
}

/**
 * vsm_cluster_window - A CTA's shared memory
 * @cluster: Cluster
 * @cta: Rank of the CTA
 *
 * Offset o here is cluster shared address vsm_shared_addr(@cta, o). The
 * mbarrier words in it change at any time; read them with atomic loads.
 *
 * Return: &vsm_cluster_config.smem_bytes bytes, valid until
 * vsm_cluster_destroy(); NULL if there is no such CTA.
 */
void *vsm_cluster_window(const struct vsm_cluster *cluster, uint32_t cta);

/**
 * vsm_cluster_hold - Keep asynchronous operations in flight, or let them happen
 * @cluster: Cluster
 * @hold: true to hold, false to release
 *
 * While it is held, the copies, st.async, red.async and cp.async.mbarrier.arrive that
 * threads issue on the cluster stay in flight. On release they happen, in the order in
 * which they were issued or as the device is told to shuffle. Jobs of vsm_submit() are
 * not held. vsm_cluster_destroy() releases.
 *
 * Return: 0, or an error of the device.
 */
int vsm_cluster_hold(struct vsm_cluster *cluster, bool hold);

/**
 * vsm_buffer_create - Create a buffer and map it
 * @device: Device
 * @size: Bytes, more than 0; rounded up to whole pages
 * @buffer: The buffer (out); vsm_buffer_destroy() ends it
 *
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int vsm_buffer_create(struct vsm_device *device, uint64_t size, struct vsm_buffer **buffer);

/**
 * vsm_buffer_import - Open a buffer that another process or driver shares
 * @device: Device
 * @dmabuf: A dma-buf; it remains the caller's
 * @buffer: The buffer (out); vsm_buffer_destroy() ends it
 *
 * A buffer that the device has already is given again: as often as it was given,
 * vsm_buffer_destroy() must be called.
 *
 * Return: 0, -EBADF or -EINVAL if @dmabuf is no dma-buf, -ENOENT if it is a
 * cluster, -ENOMEM, or what the driver says of a foreign dma-buf.
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
 * The device keeps it for as long as jobs or others use it.
 */
void vsm_buffer_destroy(struct vsm_buffer *buffer);

/**
 * vsm_buffer_handle - GEM handle of a buffer
 * @buffer: Buffer
 *
 * Return: The handle, for vsm_prep_cp_async_bulk_g2s() and its like; it remains
 * the buffer's.
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
 * vsm_buffer_map - A buffer's memory
 * @buffer: Buffer
 *
 * Return: vsm_buffer_size() bytes, valid until vsm_buffer_destroy(); NULL for an
 * imported buffer whose owner does not let it be mapped.
 */
void *vsm_buffer_map(const struct vsm_buffer *buffer);

/**
 * struct vsm_thread - A device thread, in whose name instructions are executed
 * @size: Bytes of this structure as the caller knows it
 * @fault_size: Bytes of a &struct drm_vsm_insn as the caller knows it
 * @cluster: Cluster
 * @cta: Rank of the CTA in the cluster
 * @thread: Thread in the CTA; its warp is @thread / 32
 * @exec_flags: Mask of &enum drm_vsm_exec_flags, for all that is executed as this
 *	thread; vsm_submit() takes none, vsm_wait_insn() %DRM_VSM_EXEC_WARP
 * @fault: Where a refused instruction is copied to when a call returns -EPROTO,
 *	with &drm_vsm_insn.fault saying why and &drm_vsm_insn.result holding the
 *	word, for vsm_fault_message(); NULL if it is not wanted
 *
 * A plain value: make it where it is needed, with vsm_thread_at() or vsm_warp_at(), which set the
 * sizes. Without them every call returns -EINVAL. A thread that has a @fault should not be used by
 * several threads at once.
 */
struct vsm_thread {
	uint32_t size;
	uint32_t fault_size;
	struct vsm_cluster *cluster;
	uint16_t cta;
	uint16_t thread;
	uint32_t exec_flags;
	struct drm_vsm_insn *fault;
};

/**
 * vsm_thread_at - Name a device thread
 * @cluster: Cluster
 * @cta: Rank of the CTA
 * @thread: Thread in the CTA
 *
 * Return: The thread, without a place for faults and without flags.
 */
static inline struct vsm_thread vsm_thread_at(struct vsm_cluster *cluster, uint16_t cta,
					      uint16_t thread)
{
	struct vsm_thread t;

	t.size = sizeof(t);
	t.fault_size = sizeof(*t.fault);
	t.cluster = cluster;
	t.cta = cta;
	t.thread = thread;
	t.exec_flags = 0;
	t.fault = 0;
	return t;
}

/**
 * vsm_warp_at - Name a warp, whose threads execute together
 * @cluster: Cluster
 * @cta: Rank of the CTA
 * @warp: Warp in the CTA
 *
 * One caller is all threads of the warp that have not exited (%DRM_VSM_EXEC_WARP): what threads
 * meet in they execute with the same operands, in one call, and the result is that of lane 0.
 * All else lane 0 executes alone. To have another lane's result, or where lane 0 has exited,
 * change &vsm_thread.thread.
 *
 * Return: Lane 0 of the warp, without a place for faults.
 */
static inline struct vsm_thread vsm_warp_at(struct vsm_cluster *cluster, uint16_t cta,
					    uint16_t warp)
{
	struct vsm_thread t = vsm_thread_at(cluster, cta, (uint16_t)(warp * 32));

	t.exec_flags = DRM_VSM_EXEC_WARP;
	return t;
}

/**
 * vsm_exec_sized - Execute instructions as one device thread
 * @thread: Device thread
 * @insns: Instructions
 * @stride: Bytes from one instruction to the next, a multiple of 8
 * @count: Instructions
 * @retired: Instructions retired (in, out)
 *
 * Return: As vsm_exec(); -EINVAL if @stride is below 64.
 */
int vsm_exec_sized(const struct vsm_thread *thread, struct drm_vsm_insn *insns, uint32_t stride,
		   uint32_t count, uint32_t *retired);

/**
 * vsm_exec - Execute instructions as one device thread
 * @thread: Device thread
 * @insns: Instructions; their results are written as they retire
 * @count: Instructions, up to &drm_vsm_device_info.max_exec
 * @retired: Instructions retired (in, out): execution begins there. Written on
 *	an error as well. NULL begins with the first, and is for streams without
 *	a try_wait before the end
 *
 * Suspends the caller where an instruction suspends. Returns 0 early, with
 * *@retired below @count, after a try_wait whose time limit passed: that try_wait
 * is the last one retired and its result is 0. Calling again goes on behind it.
 *
 * Return: 0; -EPROTO if the instruction at *@retired was refused, its
 * &drm_vsm_insn.fault says why; or another error of the device. On an error the
 * instruction at *@retired has changed nothing.
 */
static inline int vsm_exec(const struct vsm_thread *thread, struct drm_vsm_insn *insns,
			   uint32_t count, uint32_t *retired)
{
	return vsm_exec_sized(thread, insns, sizeof(*insns), count, retired);
}

/**
 * vsm_channel_submit_sized - Queue instructions on a copy channel
 * @thread: Device thread that the instructions belong to
 * @channel: Channel from vsm_channel_create(), or 0
 * @insns: Instructions that cannot suspend
 * @stride: Bytes from one instruction to the next, a multiple of 8
 * @count: Instructions
 * @syncs: Fences to wait for and to signal
 * @sync_stride: Bytes from one fence to the next, a multiple of 8
 * @sync_count: Fences
 * @refused: Index of the refused instruction (out)
 *
 * Return: As vsm_channel_submit(); -EINVAL if @stride is below 64 or @sync_stride below 16.
 */
int vsm_channel_submit_sized(const struct vsm_thread *thread, uint32_t channel,
			     struct drm_vsm_insn *insns, uint32_t stride, uint32_t count,
			     const struct drm_vsm_sync *syncs, uint32_t sync_stride,
			     uint32_t sync_count, uint32_t *refused);

/**
 * vsm_submit - Queue instructions on the client's first copy channel
 * @thread: Device thread that the instructions belong to
 * @insns: Instructions that cannot suspend; not needed any more after the call
 * @count: Instructions, 1 to &drm_vsm_device_info.max_submit
 * @syncs: Fences to wait for and to signal; may be NULL if @sync_count is 0
 * @sync_count: Fences, up to &drm_vsm_device_info.max_syncs
 * @refused: Index of the refused instruction (out, on -EPROTO and -EOPNOTSUPP);
 *	may be NULL
 *
 * Does not wait. What depends on an mbarrier word is checked as the job runs: a
 * job that faults ends there, vsm_event_read() tells of it, and vsm_syncobj_wait() on one
 * of its out-fences says -EIO.
 *
 * The channel, 0, is there without vsm_channel_create() and runs jobs in order.
 *
 * Return: 0, or an error of the device, and nothing is queued.
 */
static inline int vsm_submit(const struct vsm_thread *thread, struct drm_vsm_insn *insns,
			     uint32_t count, const struct drm_vsm_sync *syncs,
			     uint32_t sync_count, uint32_t *refused)
{
	return vsm_channel_submit_sized(thread, 0, insns, sizeof(*insns), count, syncs,
					sizeof(*syncs), sync_count, refused);
}

/**
 * vsm_channel_create - Create a copy channel
 * @device: Device
 * @flags: Mask of &enum drm_vsm_channel_flags
 * @channel: The channel (out), never 0; vsm_channel_destroy() ends it, or
 *	vsm_device_close()
 *
 * A channel runs one job at a time, several take turns.
 *
 * Return: 0, -EINVAL (@flags), -ENOSPC if there are &drm_vsm_device_info.max_channels,
 * -ENOMEM.
 */
int vsm_channel_create(const struct vsm_device *device, uint32_t flags, uint32_t *channel);

/**
 * vsm_channel_destroy - Destroy a copy channel
 * @device: Device
 * @channel: Channel, not 0
 *
 * Its jobs are cancelled: their fences say -ECANCELED.
 *
 * Return: 0, -EINVAL if @channel is 0, -ENOENT if there is no such channel.
 */
int vsm_channel_destroy(const struct vsm_device *device, uint32_t channel);

/**
 * vsm_channel_submit - Queue instructions on a copy channel
 * @thread: Device thread that the instructions belong to
 * @channel: Channel from vsm_channel_create(), or 0
 * @insns: As vsm_submit(), and those below
 * @count: Instructions
 * @syncs: Fences
 * @sync_count: Fences
 * @refused: Index of the refused instruction (out)
 *
 * Return: As vsm_submit(); -ENOENT if there is no such channel.
 */
static inline int vsm_channel_submit(const struct vsm_thread *thread, uint32_t channel,
				     struct drm_vsm_insn *insns, uint32_t count,
				     const struct drm_vsm_sync *syncs, uint32_t sync_count,
				     uint32_t *refused)
{
	return vsm_channel_submit_sized(thread, channel, insns, sizeof(*insns), count, syncs,
					sizeof(*syncs), sync_count, refused);
}

/**
 * vsm_sync_wait - A fence that a job waits for
 * @syncobj: DRM syncobj
 * @point: Point of a timeline, or 0: the syncobj is binary
 *
 * Return: An element for vsm_submit() and vsm_channel_submit().
 */
static inline struct drm_vsm_sync vsm_sync_wait(uint32_t syncobj, uint64_t point)
{
	struct drm_vsm_sync sync;

	sync.handle = syncobj;
	sync.flags = DRM_VSM_SYNC_WAIT;
	sync.point = point;
	return sync;
}

/**
 * vsm_sync_signal - A syncobj that gets a job's fence
 * @syncobj: DRM syncobj
 * @point: Point of a timeline, above those that it has; or 0: the syncobj is binary
 *
 * Return: An element for vsm_submit() and vsm_channel_submit().
 */
static inline struct drm_vsm_sync vsm_sync_signal(uint32_t syncobj, uint64_t point)
{
	struct drm_vsm_sync sync;

	sync.handle = syncobj;
	sync.flags = DRM_VSM_SYNC_SIGNAL;
	sync.point = point;
	return sync;
}

/**
 * vsm_syncobj_create - Create a DRM syncobj
 * @device: Device
 * @syncobj: The syncobj, without a fence (out); vsm_syncobj_destroy() ends it, or
 *	vsm_device_close()
 *
 * One that is given points is a timeline, one that is not is binary.
 *
 * Return: 0 or -ENOMEM.
 */
int vsm_syncobj_create(const struct vsm_device *device, uint32_t *syncobj);

/**
 * vsm_syncobj_destroy - Destroy a DRM syncobj
 * @device: Device that it belongs to
 * @syncobj: Syncobj
 *
 * Its fences are left alone.
 *
 * Return: 0, or -EINVAL if there is no such syncobj.
 */
int vsm_syncobj_destroy(const struct vsm_device *device, uint32_t syncobj);

/**
 * vsm_syncobj_wait - Wait for a job's fence and say how the job ended
 * @device: Device that the syncobj belongs to
 * @syncobj: A binary DRM syncobj that vsm_submit() was told to signal
 * @deadline: Absolute CLOCK_MONOTONIC in ns, or VSM_NEVER; 0 does not block
 *
 * Waits for the fence that the syncobj has now. drmSyncobjWait() tells only that a job
 * ended.
 *
 * Return: 0 if the job is done; -ETIME if @deadline passed first; -EIO if it was ended by
 * a fault or the cluster is lost, -ETIMEDOUT, -ECANCELED or -ENODEV as
 * &struct drm_vsm_submit has it; -EINVAL if the syncobj has no fence, -ENOENT if there is
 * no such syncobj.
 */
int vsm_syncobj_wait(const struct vsm_device *device, uint32_t syncobj, int64_t deadline);

/**
 * vsm_syncobj_timeline_wait - Wait for a point of a timeline and say how its job ended
 * @device: Device that the syncobj belongs to
 * @syncobj: A DRM syncobj
 * @point: Point, which need not be there yet
 * @deadline: Absolute CLOCK_MONOTONIC in ns, or VSM_NEVER; 0 does not block
 *
 * The kernel forgets how a point ended once it has signalled and a later point is there:
 * the answer is 0 then. To know of each, wait for each before adding the next, or read
 * vsm_event_read().
 *
 * Return: As vsm_syncobj_wait(), but for -EINVAL: a point that is not there yet is waited
 * for as well. -EOPNOTSUPP if the driver has no timelines.
 */
int vsm_syncobj_timeline_wait(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
			      int64_t deadline);

/**
 * vsm_syncobj_status - How does a fence stand?
 * @device: Device that the syncobj belongs to
 * @syncobj: DRM syncobj
 * @point: Point of a timeline, or 0: the syncobj is binary
 * @status: 1 if it has signalled, 0 if not yet, or the negative error number that its job
 *	ended with (out)
 *
 * Does not block. Of a point that is over the same is known as
 * vsm_syncobj_timeline_wait() says.
 *
 * Return: 0; -EINVAL if the syncobj has no fence, or not that point; -ENOENT if there is
 * no such syncobj; -EMFILE, -ENFILE or -ENOMEM.
 */
int vsm_syncobj_status(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
		       int *status);

/**
 * vsm_syncobj_export_sync_file - A fence as a sync_file, for other drivers and for poll()
 * @device: Device that the syncobj belongs to
 * @syncobj: DRM syncobj
 * @point: Point of a timeline, or 0: the syncobj is binary
 * @sync_file: The sync_file, close-on-exec (out); the caller closes it
 *
 * Return: As vsm_syncobj_status().
 */
int vsm_syncobj_export_sync_file(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
				 int *sync_file);

/**
 * vsm_syncobj_import_sync_file - Give a syncobj the fence of a sync_file
 * @device: Device that the syncobj belongs to
 * @syncobj: DRM syncobj
 * @point: Point of a timeline, above those that it has; or 0: the syncobj is binary
 * @sync_file: A sync_file, from any driver; it remains the caller's
 *
 * A point takes what has not signalled: of a fence that has, it does not keep the error.
 *
 * Return: 0, -EINVAL or -EBADF if @sync_file is none, -ENOENT if there is no such syncobj,
 * -ENOMEM.
 */
int vsm_syncobj_import_sync_file(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
				 int sync_file);

/**
 * vsm_fault_name - Name of a fault code
 * @fault: &enum drm_vsm_fault
 *
 * Return: A constant string such as "ARRIVAL_OVERFLOW"; "NONE" for 0, "UNKNOWN"
 * for a code that the library does not know.
 */
const char *vsm_fault_name(uint32_t fault);

/**
 * vsm_fault_message_sized - What was wrong, and what to change
 * @layout: Layout of the cluster
 * @cta: CTA of the thread that executed @insn
 * @insn: A refused instruction
 * @insn_size: Bytes of @insn
 * @text: One sentence (out)
 * @size: Bytes of @text
 *
 * Return: As vsm_fault_message().
 */
int vsm_fault_message_sized(enum vsm_layout layout, uint32_t cta, const struct drm_vsm_insn *insn,
			    size_t insn_size, char *text, size_t size);

/**
 * vsm_fault_message - What was wrong, and what to change
 * @layout: Layout of the cluster
 * @cta: CTA of the thread that executed @insn
 * @insn: A refused instruction: &drm_vsm_insn.fault, &drm_vsm_insn.result and
 *	&drm_vsm_insn.info are what the device wrote; any bit pattern
 * @text: One sentence (out), without a full stop, always terminated; may be NULL if
 *	@size is 0
 * @size: Bytes of @text
 *
 * Such as "arrive of 2 on the mbarrier at CTA 0 + 0x40: 1 arrival is pending; arrive
 * with no more, or init it with a higher count". For people: later versions may word it
 * differently, programs look at the code.
 *
 * Return: Length of the whole sentence, as snprintf().
 */
static inline int vsm_fault_message(enum vsm_layout layout, uint32_t cta,
				    const struct drm_vsm_insn *insn, char *text, size_t size)
{
	return vsm_fault_message_sized(layout, cta, insn, sizeof(*insn), text, size);
}

/**
 * vsm_insn_describe_sized - An instruction in PTX's spelling
 * @insn: The instruction
 * @insn_size: Bytes of @insn
 * @text: The spelling (out)
 * @size: Bytes of @text
 *
 * Return: As vsm_insn_describe().
 */
int vsm_insn_describe_sized(const struct drm_vsm_insn *insn, size_t insn_size, char *text,
			    size_t size);

/**
 * vsm_insn_describe - An instruction in PTX's spelling
 * @insn: The instruction; any bit pattern
 * @text: The spelling (out), always terminated; may be NULL if @size is 0
 * @size: Bytes of @text
 *
 * Such as "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [0x1000040],
 * 1024". Addresses are cluster shared addresses, "[buffer 3 + 0x100]" is an offset in the
 * buffer with that handle, "[map 0x7f60, {0, 16}]" are coordinates in the tensor whose map
 * is there. A destination register is left out: the instruction does not
 * name it. Of PTX's spellings of a named barrier the one that says all is chosen: bar.sync
 * is "barrier.cta.sync.aligned". What has no spelling is shown as a number: "op 77",
 * ".sem(9)", ".mods(0x8000)".
 *
 * Return: Length of the whole spelling, as snprintf().
 */
static inline int vsm_insn_describe(const struct drm_vsm_insn *insn, char *text, size_t size)
{
	return vsm_insn_describe_sized(insn, sizeof(*insn), text, size);
}

/*
 * One function for each PTX operation. They execute one instruction with
 * vsm_exec(), and take what the constructor of the same name in vsm_insn.h takes:
 * addr is a cluster shared address (vsm_shared_addr(), vsm_mapa()), qual a mask of
 * enum vsm_qual with 0 for what PTX defaults to.
 */

/**
 * vsm_thread_mbarrier_init - mbarrier.init (PTX 9.7.13.15.9)
 * @thread: Device thread
 * @addr: Where the object begins, in the thread's own CTA
 * @count: Expected arrivals, 1 to %VSM_MBARRIER_MAX_COUNT
 * @qual: .space
 *
 * Return: 0, -EPROTO on misuse, or another error of vsm_exec().
 */
int vsm_thread_mbarrier_init(const struct vsm_thread *thread, uint32_t addr, uint32_t count,
			     unsigned int qual);

/**
 * vsm_thread_mbarrier_inval - mbarrier.inval (PTX 9.7.13.15.10)
 * @thread: Device thread
 * @addr: mbarrier object
 * @qual: .space
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_mbarrier_inval(const struct vsm_thread *thread, uint32_t addr, unsigned int qual);

/**
 * vsm_thread_mbarrier_expect_tx - mbarrier.expect_tx (PTX 9.7.13.15.11)
 * @thread: Device thread
 * @addr: mbarrier object, in any CTA
 * @tx_count: Transactions (bytes) to expect
 * @qual: .sem.scope, .space
 *
 * Return: As vsm_thread_mbarrier_init(); -EOPNOTSUPP in layout sm_80.
 */
int vsm_thread_mbarrier_expect_tx(const struct vsm_thread *thread, uint32_t addr,
				  uint32_t tx_count, unsigned int qual);

/**
 * vsm_thread_mbarrier_complete_tx - mbarrier.complete_tx (PTX 9.7.13.15.12)
 * @thread: Device thread
 * @addr: mbarrier object, in any CTA
 * @tx_count: Transactions (bytes) that are complete
 * @qual: .sem.scope, .space
 *
 * Return: As vsm_thread_mbarrier_init(); -EOPNOTSUPP in layout sm_80.
 */
int vsm_thread_mbarrier_complete_tx(const struct vsm_thread *thread, uint32_t addr,
				    uint32_t tx_count, unsigned int qual);

/**
 * vsm_thread_mbarrier_arrive - mbarrier.arrive (PTX 9.7.13.15.13)
 * @thread: Device thread
 * @addr: mbarrier object; in another CTA only without @state
 * @qual: .sem.scope, .space
 * @state: State token of the phase arrived at (out); NULL is the sink _
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_mbarrier_arrive(const struct vsm_thread *thread, uint32_t addr, unsigned int qual,
			       uint64_t *state);

/**
 * vsm_thread_mbarrier_arrive_count - mbarrier.arrive with a count (PTX 9.7.13.15.13)
 * @thread: Device thread
 * @addr: mbarrier object; in another CTA only without @state
 * @count: Arrivals, 1 to %VSM_MBARRIER_MAX_COUNT
 * @qual: .sem.scope, .space
 * @state: State token (out); NULL is the sink _
 *
 * Return: As vsm_thread_mbarrier_init(); -EOPNOTSUPP in layout sm_80.
 */
int vsm_thread_mbarrier_arrive_count(const struct vsm_thread *thread, uint32_t addr,
				     uint32_t count, unsigned int qual, uint64_t *state);

/**
 * vsm_thread_mbarrier_arrive_expect_tx - mbarrier.arrive.expect_tx (PTX 9.7.13.15.13)
 * @thread: Device thread
 * @addr: mbarrier object; in another CTA only without @state
 * @tx_count: Transactions (bytes) to expect, before the one arrival
 * @qual: .sem.scope, .space
 * @state: State token (out); NULL is the sink _
 *
 * Return: As vsm_thread_mbarrier_init(); -EOPNOTSUPP in layout sm_80.
 */
int vsm_thread_mbarrier_arrive_expect_tx(const struct vsm_thread *thread, uint32_t addr,
					 uint32_t tx_count, unsigned int qual, uint64_t *state);

/**
 * vsm_thread_mbarrier_arrive_nocomplete - mbarrier.arrive.noComplete (PTX 9.7.13.15.13)
 * @thread: Device thread
 * @addr: mbarrier object, in the thread's own CTA
 * @count: Arrivals that do not complete the phase
 * @qual: .release.cta or neither, .space
 * @state: State token (out), for vsm_thread_mbarrier_pending_count(); NULL is the
 *	sink _
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_mbarrier_arrive_nocomplete(const struct vsm_thread *thread, uint32_t addr,
					  uint32_t count, unsigned int qual, uint64_t *state);

/**
 * vsm_thread_mbarrier_arrive_drop - mbarrier.arrive_drop (PTX 9.7.13.15.14)
 * @thread: Device thread
 * @addr: mbarrier object; in another CTA only without @state
 * @qual: .sem.scope, .space
 * @state: State token (out); NULL is the sink _
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_mbarrier_arrive_drop(const struct vsm_thread *thread, uint32_t addr,
				    unsigned int qual, uint64_t *state);

/**
 * vsm_thread_mbarrier_arrive_drop_count - mbarrier.arrive_drop with a count (PTX 9.7.13.15.14)
 * @thread: Device thread
 * @addr: mbarrier object; in another CTA only without @state
 * @count: Arrivals, which no later phase expects any more
 * @qual: .sem.scope, .space
 * @state: State token (out); NULL is the sink _
 *
 * Return: As vsm_thread_mbarrier_init(); -EOPNOTSUPP in layout sm_80.
 */
int vsm_thread_mbarrier_arrive_drop_count(const struct vsm_thread *thread, uint32_t addr,
					  uint32_t count, unsigned int qual, uint64_t *state);

/**
 * vsm_thread_mbarrier_arrive_drop_expect_tx - mbarrier.arrive_drop.expect_tx (PTX 9.7.13.15.14)
 * @thread: Device thread
 * @addr: mbarrier object; in another CTA only without @state
 * @tx_count: Transactions (bytes) to expect, before the one arrival
 * @qual: .sem.scope, .space
 * @state: State token (out); NULL is the sink _
 *
 * Return: As vsm_thread_mbarrier_init(); -EOPNOTSUPP in layout sm_80.
 */
int vsm_thread_mbarrier_arrive_drop_expect_tx(const struct vsm_thread *thread, uint32_t addr,
					      uint32_t tx_count, unsigned int qual,
					      uint64_t *state);

/**
 * vsm_thread_mbarrier_arrive_drop_nocomplete - mbarrier.arrive_drop.noComplete (PTX 9.7.13.15.14)
 * @thread: Device thread
 * @addr: mbarrier object, in the thread's own CTA
 * @count: Arrivals that do not complete the phase, and which no later phase expects
 *	any more
 * @qual: .release.cta or neither, .space
 * @state: State token (out), for vsm_thread_mbarrier_pending_count(); NULL is the
 *	sink _
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_mbarrier_arrive_drop_nocomplete(const struct vsm_thread *thread, uint32_t addr,
					       uint32_t count, unsigned int qual,
					       uint64_t *state);

/**
 * vsm_thread_mbarrier_test_wait - mbarrier.test_wait (PTX 9.7.13.15.16)
 * @thread: Device thread
 * @addr: mbarrier object, in the thread's own CTA
 * @state: Token of an arrive in the current or the immediately preceding phase
 * @qual: .sem.scope, .space
 * @complete: waitComplete (out)
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_mbarrier_test_wait(const struct vsm_thread *thread, uint32_t addr, uint64_t state,
				  unsigned int qual, bool *complete);

/**
 * vsm_thread_mbarrier_test_wait_parity - mbarrier.test_wait.parity (PTX 9.7.13.15.16)
 * @thread: Device thread
 * @addr: mbarrier object, in the thread's own CTA
 * @parity: phaseParity of the current or the immediately preceding phase, 0 or 1
 * @qual: .sem.scope, .space
 * @complete: waitComplete (out)
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_mbarrier_test_wait_parity(const struct vsm_thread *thread, uint32_t addr,
					 uint32_t parity, unsigned int qual, bool *complete);

/**
 * vsm_thread_mbarrier_try_wait - mbarrier.try_wait (PTX 9.7.13.15.16)
 * @thread: Device thread
 * @addr: mbarrier object, in the thread's own CTA
 * @state: Token of an arrive in the current or the immediately preceding phase
 * @qual: .sem.scope, .space
 * @complete: waitComplete (out); false if the device's time limit
 *	(&drm_vsm_device_info.try_wait_limit_ns) passed first
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_mbarrier_try_wait(const struct vsm_thread *thread, uint32_t addr, uint64_t state,
				 unsigned int qual, bool *complete);

/**
 * vsm_thread_mbarrier_try_wait_hint - mbarrier.try_wait, suspendTimeHint (PTX 9.7.13.15.16)
 * @thread: Device thread
 * @addr: mbarrier object, in the thread's own CTA
 * @state: Token of an arrive in the current or the immediately preceding phase
 * @hint_ns: suspendTimeHint: the time limit in ns, instead of the device's
 * @qual: .sem.scope, .space
 * @complete: waitComplete (out); false if the time limit passed first
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_mbarrier_try_wait_hint(const struct vsm_thread *thread, uint32_t addr,
				      uint64_t state, uint32_t hint_ns, unsigned int qual,
				      bool *complete);

/**
 * vsm_thread_mbarrier_try_wait_parity - mbarrier.try_wait.parity (PTX 9.7.13.15.16)
 * @thread: Device thread
 * @addr: mbarrier object, in the thread's own CTA
 * @parity: phaseParity of the current or the immediately preceding phase, 0 or 1
 * @qual: .sem.scope, .space
 * @complete: waitComplete (out); false if the device's time limit passed first
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_mbarrier_try_wait_parity(const struct vsm_thread *thread, uint32_t addr,
					uint32_t parity, unsigned int qual, bool *complete);

/**
 * vsm_thread_mbarrier_try_wait_parity_hint - mbarrier.try_wait.parity, suspendTimeHint
 * @thread: Device thread
 * @addr: mbarrier object, in the thread's own CTA
 * @parity: phaseParity of the current or the immediately preceding phase, 0 or 1
 * @hint_ns: suspendTimeHint: the time limit in ns, instead of the device's
 * @qual: .sem.scope, .space
 * @complete: waitComplete (out); false if the time limit passed first
 *
 * PTX 9.7.13.15.16.
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_mbarrier_try_wait_parity_hint(const struct vsm_thread *thread, uint32_t addr,
					     uint32_t parity, uint32_t hint_ns,
					     unsigned int qual, bool *complete);

/**
 * vsm_thread_mbarrier_wait - Suspend until the phase completes (NVVM mbarrier.wait)
 * @thread: Device thread
 * @addr: mbarrier object, in the thread's own CTA
 * @state: Token of an arrive in the current or the immediately preceding phase
 * @qual: .sem.scope, .space
 *
 * A try_wait that has no time limit (%DRM_VSM_EXEC_NO_LIMIT). Signal handlers run
 * without ending it.
 *
 * For programs in which all who could complete the phase are threads of the cluster,
 * copies that are in flight, or armed waits: where every thread of the cluster is
 * suspended like this and there is none of those, the device takes it that nobody will,
 * and ends them with %DRM_VSM_FAULT_DEADLOCK. To wait for somebody whom the device does
 * not see, such as a program that is yet to submit a copy, repeat
 * vsm_thread_mbarrier_try_wait().
 *
 * Return: 0 when the phase is complete; -EPROTO on misuse and on a deadlock; or another
 * error of vsm_exec().
 */
int vsm_thread_mbarrier_wait(const struct vsm_thread *thread, uint32_t addr, uint64_t state,
			     unsigned int qual);

/**
 * vsm_thread_mbarrier_wait_parity - Suspend until the phase of a parity completes (NVVM
 * mbarrier.wait.parity)
 * @thread: Device thread
 * @addr: mbarrier object, in the thread's own CTA
 * @parity: phaseParity of the current or the immediately preceding phase, 0 or 1
 * @qual: .sem.scope, .space
 *
 * To be used where vsm_thread_mbarrier_wait() can be, and ends as that does.
 *
 * Return: As vsm_thread_mbarrier_wait().
 */
int vsm_thread_mbarrier_wait_parity(const struct vsm_thread *thread, uint32_t addr,
				    uint32_t parity, unsigned int qual);

/**
 * vsm_thread_mbarrier_pending_count - mbarrier.pending_count (PTX 9.7.13.15.17)
 * @thread: Device thread
 * @state: Token of a .noComplete arrive or arrive_drop
 * @count: Arrivals that were pending before that arrive (out)
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_mbarrier_pending_count(const struct vsm_thread *thread, uint64_t state,
				      uint32_t *count);

/**
 * vsm_thread_fence_mbarrier_init - fence.mbarrier_init.release.cluster (PTX 9.7.13.4)
 * @thread: Device thread
 *
 * After mbarrier.init by this thread, before other CTAs' threads use the objects.
 *
 * Return: 0 or an error of vsm_exec(); -EOPNOTSUPP in layout sm_80.
 */
int vsm_thread_fence_mbarrier_init(const struct vsm_thread *thread);

/**
 * vsm_thread_fence - fence{.sem}.scope (PTX 9.7.13.4)
 * @thread: Device thread
 * @qual: As vsm_prep_fence()
 *
 * To be executed before a store or an atomic operation with .release of .cluster or a wider scope,
 * which the calling task does in the place of the thread.
 *
 * Return: 0 or an error of vsm_exec(); -EOPNOTSUPP for what layout sm_80 does not have.
 */
int vsm_thread_fence(const struct vsm_thread *thread, unsigned int qual);

/**
 * vsm_thread_cp_async - cp.async, global to shared (PTX cp.async)
 * @thread: Device thread
 * @addr: Destination, in the thread's own CTA, a multiple of @size
 * @buffer: Source
 * @offset: Byte offset in @buffer, a multiple of @size
 * @size: Bytes: 4, 8 or 16; 16 with VSM_CG
 * @qual: VSM_CG, .space
 *
 * Asynchronous: returns when the copy is in flight. It is complete when an arrive of
 * vsm_thread_cp_async_mbarrier_arrive() after it is, or when
 * vsm_thread_cp_async_wait_group() or vsm_thread_cp_async_wait_all() returns. What is
 * refused only then is told by vsm_event_read() alone.
 *
 * Return: As vsm_thread_mbarrier_init(); -ENOSPC if the client has too much in flight.
 */
int vsm_thread_cp_async(const struct vsm_thread *thread, uint32_t addr,
			const struct vsm_buffer *buffer, uint64_t offset, uint32_t size,
			unsigned int qual);

/**
 * vsm_thread_cp_async_src_size - cp.async, the rest filled with zeros (PTX cp.async)
 * @thread: Device thread
 * @addr: Destination, in the thread's own CTA, a multiple of @size
 * @buffer: Source
 * @offset: Byte offset in @buffer, a multiple of @size
 * @size: Bytes to write: 4, 8 or 16; 16 with VSM_CG
 * @src_size: Bytes to copy, 0 to @size; the rest is filled with zeros
 * @qual: VSM_CG, .space
 *
 * As vsm_thread_cp_async().
 *
 * Return: As vsm_thread_cp_async().
 */
int vsm_thread_cp_async_src_size(const struct vsm_thread *thread, uint32_t addr,
				 const struct vsm_buffer *buffer, uint64_t offset, uint32_t size,
				 uint32_t src_size, unsigned int qual);

/**
 * vsm_thread_cp_async_mbarrier_arrive - cp.async.mbarrier.arrive (PTX 9.7.13.15.15)
 * @thread: Device thread
 * @addr: mbarrier object, in the thread's own CTA
 * @qual: .space
 *
 * An arrive-on when every cp.async that the thread issued before is complete; the phase
 * expects it from now on. Asynchronous, as vsm_thread_cp_async().
 *
 * Return: As vsm_thread_cp_async().
 */
int vsm_thread_cp_async_mbarrier_arrive(const struct vsm_thread *thread, uint32_t addr,
					unsigned int qual);

/**
 * vsm_thread_cp_async_mbarrier_arrive_noinc - cp.async.mbarrier.arrive.noinc (PTX 9.7.13.15.15)
 * @thread: Device thread
 * @addr: mbarrier object, in the thread's own CTA
 * @qual: .space
 *
 * As vsm_thread_cp_async_mbarrier_arrive(), but one of the arrivals that the object was
 * initialised with.
 *
 * Return: As vsm_thread_cp_async().
 */
int vsm_thread_cp_async_mbarrier_arrive_noinc(const struct vsm_thread *thread, uint32_t addr,
					      unsigned int qual);

/**
 * vsm_thread_cp_async_commit_group - cp.async.commit_group
 * @thread: Device thread
 *
 * Makes a group of every cp.async that the thread issued before and that is in none; of
 * none at all, an empty group.
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_cp_async_commit_group(const struct vsm_thread *thread);

/**
 * vsm_thread_cp_async_wait_group - cp.async.wait_group
 * @thread: Device thread
 * @groups: The thread's most recent groups, which may still be in flight; 0 waits for all
 *
 * Suspends until all groups of the thread but the last @groups are complete. Signal
 * handlers run without ending it.
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_cp_async_wait_group(const struct vsm_thread *thread, uint32_t groups);

/**
 * vsm_thread_cp_async_wait_all - cp.async.wait_all
 * @thread: Device thread
 *
 * Suspends until every cp.async that the thread issued before is complete, in a group or
 * not.
 *
 * Return: As vsm_thread_mbarrier_init().
 */
int vsm_thread_cp_async_wait_all(const struct vsm_thread *thread);

/**
 * vsm_thread_cp_async_bulk_g2s - cp.async.bulk, global to shared (PTX cp.async.bulk)
 * @thread: Device thread
 * @addr: Destination, in any CTA, a multiple of 16
 * @buffer: Source
 * @offset: Byte offset in @buffer, a multiple of 16
 * @size: Bytes, a multiple of 16
 * @mbar: mbarrier object on which complete-tx of @size is performed, in the CTA of @addr
 *
 * Asynchronous: returns when the copy is in flight. It is complete when the phase of
 * @mbar is that expects its bytes. What is refused only then is told by vsm_event_read()
 * alone.
 *
 * Return: As vsm_thread_cp_async(); -EOPNOTSUPP in layout sm_80.
 */
int vsm_thread_cp_async_bulk_g2s(const struct vsm_thread *thread, uint32_t addr,
				 const struct vsm_buffer *buffer, uint64_t offset, uint32_t size,
				 uint32_t mbar);

/**
 * vsm_thread_cp_async_bulk_g2s_multicast - cp.async.bulk.multicast::cluster (PTX cp.async.bulk)
 * @thread: Device thread
 * @addr: Destination: its offset counts, in the window of each CTA of @cta_mask
 * @buffer: Source
 * @offset: Byte offset in @buffer, a multiple of 16
 * @size: Bytes, a multiple of 16
 * @mbar: mbarrier object; each CTA of @cta_mask has one at its offset
 * @cta_mask: Bit n is the CTA of rank n
 *
 * As vsm_thread_cp_async_bulk_g2s(), to several CTAs at once.
 *
 * Return: As vsm_thread_cp_async_bulk_g2s().
 */
int vsm_thread_cp_async_bulk_g2s_multicast(const struct vsm_thread *thread, uint32_t addr,
					   const struct vsm_buffer *buffer, uint64_t offset,
					   uint32_t size, uint32_t mbar, uint16_t cta_mask);

/**
 * vsm_thread_cp_async_bulk_s2g - cp.async.bulk, shared to global (PTX cp.async.bulk)
 * @thread: Device thread
 * @buffer: Destination
 * @offset: Byte offset in @buffer, a multiple of 16
 * @addr: Source, in the thread's own CTA, a multiple of 16
 * @size: Bytes, a multiple of 16
 *
 * Asynchronous: returns when the copy is in flight. It is complete when
 * vsm_thread_cp_async_bulk_wait_group() for its group returns.
 *
 * Return: As vsm_thread_cp_async_bulk_g2s().
 */
int vsm_thread_cp_async_bulk_s2g(const struct vsm_thread *thread, const struct vsm_buffer *buffer,
				 uint64_t offset, uint32_t addr, uint32_t size);

/**
 * vsm_thread_cp_async_bulk_s2g_mask - cp.async.bulk.cp_mask (PTX cp.async.bulk)
 * @thread: Device thread
 * @buffer: Destination
 * @offset: Byte offset in @buffer, a multiple of 16
 * @addr: Source, in the thread's own CTA, a multiple of 16
 * @size: Bytes, a multiple of 16
 * @byte_mask: Bit n says whether byte n of each 16 is copied
 *
 * As vsm_thread_cp_async_bulk_s2g(), but for the bytes left out.
 *
 * Return: As vsm_thread_cp_async_bulk_g2s().
 */
int vsm_thread_cp_async_bulk_s2g_mask(const struct vsm_thread *thread,
				      const struct vsm_buffer *buffer, uint64_t offset,
				      uint32_t addr, uint32_t size, uint16_t byte_mask);

/**
 * vsm_thread_cp_async_bulk_s2s - cp.async.bulk, shared to shared (PTX cp.async.bulk)
 * @thread: Device thread
 * @dst: Destination, in any CTA, a multiple of 16
 * @src: Source, in the thread's own CTA, a multiple of 16
 * @size: Bytes, a multiple of 16
 * @mbar: mbarrier object on which complete-tx of @size is performed, in the CTA of @dst
 *
 * As vsm_thread_cp_async_bulk_g2s().
 *
 * Return: As vsm_thread_cp_async_bulk_g2s().
 */
int vsm_thread_cp_async_bulk_s2s(const struct vsm_thread *thread, uint32_t dst, uint32_t src,
				 uint32_t size, uint32_t mbar);

/**
 * vsm_thread_cp_async_bulk_prefetch - cp.async.bulk.prefetch
 * @thread: Device thread
 * @buffer: Source
 * @offset: Byte offset in @buffer, a multiple of 16
 * @size: Bytes, a multiple of 16
 *
 * Is checked, and has no effect.
 *
 * Return: As vsm_thread_cp_async_bulk_g2s().
 */
int vsm_thread_cp_async_bulk_prefetch(const struct vsm_thread *thread,
				      const struct vsm_buffer *buffer, uint64_t offset,
				      uint32_t size);

/**
 * vsm_thread_cp_async_bulk_commit_group - cp.async.bulk.commit_group
 * @thread: Device thread
 *
 * Makes a bulk group of every copy and reduction to global memory, of tensors or not, that
 * the thread issued before and that is in none; of none at all, an empty group.
 *
 * Return: As vsm_thread_mbarrier_init(); -EOPNOTSUPP in layout sm_80.
 */
int vsm_thread_cp_async_bulk_commit_group(const struct vsm_thread *thread);

/**
 * vsm_thread_cp_async_bulk_wait_group - cp.async.bulk.wait_group
 * @thread: Device thread
 * @groups: The thread's most recent bulk groups, which may still be in flight; 0 waits for
 *	all
 *
 * Suspends until all bulk groups of the thread but the last @groups are complete. Signal
 * handlers run without ending it.
 *
 * Return: As vsm_thread_cp_async_bulk_commit_group().
 */
int vsm_thread_cp_async_bulk_wait_group(const struct vsm_thread *thread, uint32_t groups);

/**
 * vsm_thread_cp_async_bulk_wait_group_read - cp.async.bulk.wait_group.read
 * @thread: Device thread
 * @groups: As vsm_thread_cp_async_bulk_wait_group()
 *
 * As vsm_thread_cp_async_bulk_wait_group(), but only until the groups have read their
 * sources, which may be written to again.
 *
 * Return: As vsm_thread_cp_async_bulk_commit_group().
 */
int vsm_thread_cp_async_bulk_wait_group_read(const struct vsm_thread *thread, uint32_t groups);

/**
 * vsm_thread_cp_reduce_async_bulk_s2g - cp.reduce.async.bulk, shared to global
 * @thread: Device thread
 * @op: .redOp
 * @type: .type; which there are, vsm_prep_cp_reduce_async_bulk_s2g() tells
 * @buffer: Destination
 * @offset: Byte offset in @buffer, a multiple of 16
 * @addr: Source, in the thread's own CTA, a multiple of 16
 * @size: Bytes, a multiple of 16
 *
 * As vsm_thread_cp_async_bulk_s2g(), but each element of the destination becomes what @op
 * makes of it and of the one in the source.
 *
 * Return: As vsm_thread_cp_async_bulk_g2s().
 */
int vsm_thread_cp_reduce_async_bulk_s2g(const struct vsm_thread *thread, enum drm_vsm_red op,
					enum drm_vsm_type type, const struct vsm_buffer *buffer,
					uint64_t offset, uint32_t addr, uint32_t size);

/**
 * vsm_thread_cp_reduce_async_bulk_s2s - cp.reduce.async.bulk, shared to shared
 * @thread: Device thread
 * @op: .redOp
 * @type: .type; which there are, vsm_prep_cp_reduce_async_bulk_s2s() tells
 * @dst: Destination, in any CTA, a multiple of 16
 * @src: Source, in the thread's own CTA, a multiple of 16
 * @size: Bytes, a multiple of 16
 * @mbar: mbarrier object on which complete-tx of @size is performed, in the CTA of @dst
 *
 * As vsm_thread_cp_async_bulk_s2s(), but reduces.
 *
 * Return: As vsm_thread_cp_async_bulk_g2s().
 */
int vsm_thread_cp_reduce_async_bulk_s2s(const struct vsm_thread *thread, enum drm_vsm_red op,
					enum drm_vsm_type type, uint32_t dst, uint32_t src,
					uint32_t size, uint32_t mbar);

/**
 * vsm_thread_cp_async_bulk_tensor_g2s - cp.async.bulk.tensor, global to shared
 * @thread: Device thread
 * @dims: Dimensions of the tensor, 1 to 5
 * @addr: Destination, in any CTA, a multiple of 128
 * @map: Tensor map, at a multiple of 64; not needed any more after the call
 * @coords: tensorCoords, @dims of them, innermost first: where the box begins
 * @mbar: mbarrier object on which complete-tx is performed, in the CTA of @addr
 *
 * PTX cp.async.bulk.tensor. As vsm_thread_cp_async_bulk_g2s().
 *
 * Return: As vsm_thread_cp_async_bulk_g2s(); -ENOENT if the map's buffer is none, -EFAULT.
 */
int vsm_thread_cp_async_bulk_tensor_g2s(const struct vsm_thread *thread, unsigned int dims,
					uint32_t addr, const struct drm_vsm_tensor_map *map,
					const int32_t *coords, uint32_t mbar);

/**
 * vsm_thread_cp_async_bulk_tensor_g2s_multicast - cp.async.bulk.tensor.multicast::cluster
 * @thread: Device thread
 * @dims: Dimensions of the tensor, 1 to 5
 * @addr: Destination: its offset counts, in the window of each CTA of @cta_mask
 * @map: Tensor map, at a multiple of 64; not needed any more after the call
 * @coords: tensorCoords, @dims of them, innermost first: where the box begins
 * @mbar: mbarrier object; each CTA of @cta_mask has one at its offset
 * @cta_mask: Bit n is the CTA of rank n
 *
 * PTX cp.async.bulk.tensor. As vsm_thread_cp_async_bulk_g2s_multicast().
 *
 * Return: As vsm_thread_cp_async_bulk_tensor_g2s().
 */
int vsm_thread_cp_async_bulk_tensor_g2s_multicast(const struct vsm_thread *thread,
						  unsigned int dims, uint32_t addr,
						  const struct drm_vsm_tensor_map *map,
						  const int32_t *coords, uint32_t mbar,
						  uint16_t cta_mask);

/**
 * vsm_thread_cp_async_bulk_tensor_g2s_im2col - cp.async.bulk.tensor.im2col, global to shared
 * @thread: Device thread
 * @dims: Dimensions of the tensor, 3 to 5
 * @addr: Destination, in any CTA, a multiple of 128
 * @map: Tensor map of an im2col tensor; not needed any more after the call
 * @coords: tensorCoords, @dims of them, innermost first: the first channel and pixel
 * @mbar: mbarrier object on which complete-tx is performed, in the CTA of @addr
 * @offsets: im2colOffsets, @dims - 2 of them, innermost first
 *
 * PTX cp.async.bulk.tensor. As vsm_thread_cp_async_bulk_g2s().
 *
 * Return: As vsm_thread_cp_async_bulk_tensor_g2s().
 */
int vsm_thread_cp_async_bulk_tensor_g2s_im2col(const struct vsm_thread *thread, unsigned int dims,
					       uint32_t addr, const struct drm_vsm_tensor_map *map,
					       const int32_t *coords, uint32_t mbar,
					       const uint16_t *offsets);

/**
 * vsm_thread_cp_async_bulk_tensor_g2s_im2col_multicast - cp.async.bulk.tensor.im2col
 * .multicast::cluster
 * @thread: Device thread
 * @dims: Dimensions of the tensor, 3 to 5
 * @addr: Destination: its offset counts, in the window of each CTA of @cta_mask
 * @map: Tensor map of an im2col tensor; not needed any more after the call
 * @coords: tensorCoords, @dims of them, innermost first: the first channel and pixel
 * @mbar: mbarrier object; each CTA of @cta_mask has one at its offset
 * @offsets: im2colOffsets, @dims - 2 of them, innermost first
 * @cta_mask: Bit n is the CTA of rank n
 *
 * PTX cp.async.bulk.tensor. As vsm_thread_cp_async_bulk_g2s_multicast().
 *
 * Return: As vsm_thread_cp_async_bulk_tensor_g2s().
 */
int vsm_thread_cp_async_bulk_tensor_g2s_im2col_multicast(const struct vsm_thread *thread,
							 unsigned int dims, uint32_t addr,
							 const struct drm_vsm_tensor_map *map,
							 const int32_t *coords, uint32_t mbar,
							 const uint16_t *offsets,
							 uint16_t cta_mask);

/**
 * vsm_thread_cp_async_bulk_tensor_s2g - cp.async.bulk.tensor, shared to global
 * @thread: Device thread
 * @dims: Dimensions of the tensor, 1 to 5
 * @map: Tensor map, at a multiple of 64; not needed any more after the call
 * @coords: tensorCoords, @dims of them, innermost first: where the box begins
 * @addr: Source, in the thread's own CTA, a multiple of 128
 *
 * PTX cp.async.bulk.tensor. As vsm_thread_cp_async_bulk_s2g().
 *
 * Return: As vsm_thread_cp_async_bulk_tensor_g2s().
 */
int vsm_thread_cp_async_bulk_tensor_s2g(const struct vsm_thread *thread, unsigned int dims,
					const struct drm_vsm_tensor_map *map,
					const int32_t *coords, uint32_t addr);

/**
 * vsm_thread_cp_async_bulk_tensor_s2g_im2col - cp.async.bulk.tensor.im2col_no_offs
 * @thread: Device thread
 * @dims: Dimensions of the tensor, 3 to 5
 * @map: Tensor map of an im2col tensor; not needed any more after the call
 * @coords: tensorCoords, @dims of them, innermost first: the first channel and pixel
 * @addr: Source, in the thread's own CTA, a multiple of 128
 *
 * PTX cp.async.bulk.tensor. As vsm_thread_cp_async_bulk_s2g().
 *
 * Return: As vsm_thread_cp_async_bulk_tensor_g2s().
 */
int vsm_thread_cp_async_bulk_tensor_s2g_im2col(const struct vsm_thread *thread, unsigned int dims,
					       const struct drm_vsm_tensor_map *map,
					       const int32_t *coords, uint32_t addr);

/**
 * vsm_thread_cp_reduce_async_bulk_tensor - cp.reduce.async.bulk.tensor, shared to global
 * @thread: Device thread
 * @op: .redOp; the tensor map has the type
 * @dims: Dimensions of the tensor, 1 to 5
 * @map: Tensor map, at a multiple of 64; not needed any more after the call
 * @coords: tensorCoords, @dims of them, innermost first: where the box begins
 * @addr: Source, in the thread's own CTA, a multiple of 128
 *
 * PTX cp.reduce.async.bulk.tensor. As vsm_thread_cp_reduce_async_bulk_s2g().
 *
 * Return: As vsm_thread_cp_async_bulk_tensor_g2s().
 */
int vsm_thread_cp_reduce_async_bulk_tensor(const struct vsm_thread *thread, enum drm_vsm_red op,
					   unsigned int dims, const struct drm_vsm_tensor_map *map,
					   const int32_t *coords, uint32_t addr);

/**
 * vsm_thread_cp_reduce_async_bulk_tensor_im2col - cp.reduce.async.bulk.tensor.im2col_no_offs
 * @thread: Device thread
 * @op: .redOp; the tensor map has the type
 * @dims: Dimensions of the tensor, 3 to 5
 * @map: Tensor map of an im2col tensor; not needed any more after the call
 * @coords: tensorCoords, @dims of them, innermost first: the first channel and pixel
 * @addr: Source, in the thread's own CTA, a multiple of 128
 *
 * PTX cp.reduce.async.bulk.tensor. As vsm_thread_cp_reduce_async_bulk_s2g().
 *
 * Return: As vsm_thread_cp_async_bulk_tensor_g2s().
 */
int vsm_thread_cp_reduce_async_bulk_tensor_im2col(const struct vsm_thread *thread,
						  enum drm_vsm_red op, unsigned int dims,
						  const struct drm_vsm_tensor_map *map,
						  const int32_t *coords, uint32_t addr);

/**
 * vsm_thread_cp_async_bulk_prefetch_tensor - cp.async.bulk.prefetch.tensor
 * @thread: Device thread
 * @dims: Dimensions of the tensor, 1 to 5
 * @map: Tensor map, at a multiple of 64; not needed any more after the call
 * @coords: tensorCoords, @dims of them, innermost first: where the box begins
 *
 * PTX cp.async.bulk.prefetch.tensor. Is checked, and has no effect.
 *
 * Return: As vsm_thread_cp_async_bulk_tensor_g2s().
 */
int vsm_thread_cp_async_bulk_prefetch_tensor(const struct vsm_thread *thread, unsigned int dims,
					     const struct drm_vsm_tensor_map *map,
					     const int32_t *coords);

/**
 * vsm_thread_cp_async_bulk_prefetch_tensor_im2col - cp.async.bulk.prefetch.tensor.im2col
 * @thread: Device thread
 * @dims: Dimensions of the tensor, 3 to 5
 * @map: Tensor map of an im2col tensor; not needed any more after the call
 * @coords: tensorCoords, @dims of them, innermost first: the first channel and pixel
 * @offsets: im2colOffsets, @dims - 2 of them, innermost first
 *
 * PTX cp.async.bulk.prefetch.tensor. Is checked, and has no effect.
 *
 * Return: As vsm_thread_cp_async_bulk_tensor_g2s().
 */
int vsm_thread_cp_async_bulk_prefetch_tensor_im2col(const struct vsm_thread *thread,
						    unsigned int dims,
						    const struct drm_vsm_tensor_map *map,
						    const int32_t *coords,
						    const uint16_t *offsets);

/**
 * vsm_thread_st_async - st.async
 * @thread: Device thread
 * @size: Bytes: 4, 8 or 16
 * @addr: Destination, in any CTA, a multiple of @size
 * @value: @size bytes
 * @mbar: mbarrier object on which complete-tx of @size is performed, in the CTA of @addr
 * @qual: .space
 *
 * Asynchronous, as vsm_thread_cp_async_bulk_g2s().
 *
 * Return: As vsm_thread_cp_async_bulk_g2s().
 */
int vsm_thread_st_async(const struct vsm_thread *thread, uint32_t size, uint32_t addr,
			const void *value, uint32_t mbar, unsigned int qual);

/**
 * vsm_thread_red_async - red.async
 * @thread: Device thread
 * @op: .op
 * @type: .type; which there are, vsm_prep_red_async() tells
 * @addr: Destination, in any CTA, a multiple of the type's size
 * @value: Operand, of which as many low bits count as @type has
 * @mbar: mbarrier object on which complete-tx of the type's size is performed, in the CTA
 *	of @addr
 * @qual: .space
 *
 * Asynchronous, as vsm_thread_cp_async_bulk_g2s().
 *
 * Return: As vsm_thread_cp_async_bulk_g2s().
 */
int vsm_thread_red_async(const struct vsm_thread *thread, enum drm_vsm_red op,
			 enum drm_vsm_type type, uint32_t addr, uint64_t value, uint32_t mbar,
			 unsigned int qual);

/*
 * What threads meet in. Each of these suspends the caller until the others have come, without
 * a time limit; signal handlers run without ending it. Where all threads of a cluster are
 * suspended without a time limit or have exited, with nothing in flight and no wait armed, the
 * device ends them with %DRM_VSM_FAULT_DEADLOCK. vsm_wait_insn() waits without a thread.
 */

/**
 * vsm_thread_match_any_sync_b32 - match.any.sync.b32 (PTX 9.7.13.10)
 * @thread: Device thread
 * @a: Value to compare
 * @membermask: Lanes that take part, bit 0 being lane 0, that of @thread among them
 * @d: Mask of the threads that have the same @a (out)
 *
 * Return: 0, -EPROTO on misuse and on a deadlock, or another error of vsm_exec().
 */
int vsm_thread_match_any_sync_b32(const struct vsm_thread *thread, uint32_t a,
				  uint32_t membermask, uint32_t *d);

/**
 * vsm_thread_match_any_sync_b64 - match.any.sync.b64 (PTX 9.7.13.10)
 * @thread: Device thread
 * @a: Value to compare
 * @membermask: Lanes that take part
 * @d: Mask of the threads that have the same @a (out)
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_match_any_sync_b64(const struct vsm_thread *thread, uint64_t a,
				  uint32_t membermask, uint32_t *d);

/**
 * vsm_thread_match_all_sync_b32 - match.all.sync.b32 (PTX 9.7.13.10)
 * @thread: Device thread
 * @a: Value to compare
 * @membermask: Lanes that take part
 * @d: Mask of the threads of @membermask that have not exited if all have the same @a,
 *	else 0 (out); NULL is the sink _
 * @p: Have all the same @a? (out); NULL is the sink _
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_match_all_sync_b32(const struct vsm_thread *thread, uint32_t a,
				  uint32_t membermask, uint32_t *d, bool *p);

/**
 * vsm_thread_match_all_sync_b64 - match.all.sync.b64 (PTX 9.7.13.10)
 * @thread: Device thread
 * @a: Value to compare
 * @membermask: Lanes that take part
 * @d: As vsm_thread_match_all_sync_b32()
 * @p: As vsm_thread_match_all_sync_b32()
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_match_all_sync_b64(const struct vsm_thread *thread, uint64_t a,
				  uint32_t membermask, uint32_t *d, bool *p);

/**
 * vsm_thread_bar_warp_sync - bar.warp.sync (PTX 9.7.13.2)
 * @thread: Device thread
 * @membermask: Lanes that take part
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_bar_warp_sync(const struct vsm_thread *thread, uint32_t membermask);

/**
 * vsm_thread_elect_sync - elect.sync (PTX 9.7.13.14)
 * @thread: Device thread
 * @membermask: Lanes that take part
 * @d: Lane elected: the lowest that has not exited (out); NULL is the sink _
 * @p: Is that @thread? (out); NULL is the sink _
 *
 * Return: As vsm_thread_match_any_sync_b32(); -EOPNOTSUPP in layout sm_80.
 */
int vsm_thread_elect_sync(const struct vsm_thread *thread, uint32_t membermask, uint32_t *d,
			  bool *p);

/**
 * vsm_thread_vote_sync - vote.sync.all, .any or .uni (PTX 9.7.13.9)
 * @thread: Device thread
 * @mode: %DRM_VSM_MODE_ALL, %DRM_VSM_MODE_ANY or %DRM_VSM_MODE_UNI
 * @a: Predicate
 * @membermask: Lanes that take part
 * @p: Is @a true for all, or for one, or the same for all? (out)
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_vote_sync(const struct vsm_thread *thread, enum drm_vsm_mode mode, bool a,
			 uint32_t membermask, bool *p);

/**
 * vsm_thread_vote_sync_ballot - vote.sync.ballot (PTX 9.7.13.9)
 * @thread: Device thread
 * @a: Predicate
 * @membermask: Lanes that take part
 * @d: Mask of the threads whose @a is true (out)
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_vote_sync_ballot(const struct vsm_thread *thread, bool a, uint32_t membermask,
				uint32_t *d);

/**
 * vsm_thread_shfl_sync - shfl.sync (PTX 9.7.9.6)
 * @thread: Device thread
 * @mode: %DRM_VSM_MODE_UP, %DRM_VSM_MODE_DOWN, %DRM_VSM_MODE_BFLY or %DRM_VSM_MODE_IDX
 * @a: Value for the others
 * @b: Lane (.idx), mask (.bfly) or offset, of which bits 4:0 count
 * @c: Clamp value in bits 4:0, segment mask in bits 12:8
 * @membermask: Lanes that take part
 * @d: The source lane's @a; the thread's own if that lane is out of range or does not take part
 *	(out); NULL is the sink _
 * @p: Is the source lane in range? (out); NULL is the sink _
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_shfl_sync(const struct vsm_thread *thread, enum drm_vsm_mode mode, uint32_t a,
			 uint32_t b, uint32_t c, uint32_t membermask, uint32_t *d, bool *p);

/**
 * vsm_thread_redux_sync - redux.sync (PTX 9.7.13.12)
 * @thread: Device thread
 * @op: .op
 * @type: .type; which there are, vsm_prep_redux_sync() tells
 * @src: Value to reduce
 * @membermask: Lanes that take part
 * @dst: What @op makes of all @src (out)
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_redux_sync(const struct vsm_thread *thread, enum drm_vsm_red op,
			  enum drm_vsm_type type, uint32_t src, uint32_t membermask,
			  uint32_t *dst);

/**
 * vsm_thread_barrier_sync - barrier.cta.sync of all threads of the CTA (PTX 9.7.13.1)
 * @thread: Device thread
 * @barrier: Named barrier of its CTA, 0 to 15; no mbarrier
 * @qual: VSM_ALIGNED or 0
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_barrier_sync(const struct vsm_thread *thread, uint32_t barrier, unsigned int qual);

/**
 * vsm_thread_barrier_sync_count - barrier.cta.sync with a count (PTX 9.7.13.1)
 * @thread: Device thread
 * @barrier: Named barrier, 0 to 15
 * @count: Threads whose arrival completes the barrier, a multiple of 32 above 0. Each arrival of
 *	a warp counts as 32 threads, also if the same warp arrives again
 * @qual: VSM_ALIGNED or 0
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_barrier_sync_count(const struct vsm_thread *thread, uint32_t barrier,
				  uint32_t count, unsigned int qual);

/**
 * vsm_thread_barrier_arrive - barrier.cta.arrive (PTX 9.7.13.1)
 * @thread: Device thread
 * @barrier: Named barrier, 0 to 15
 * @count: As vsm_thread_barrier_sync_count(); this arrival is one of them
 * @qual: VSM_ALIGNED or 0
 *
 * Suspends until the threads of the warp have executed it, and does not wait for other warps.
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_barrier_arrive(const struct vsm_thread *thread, uint32_t barrier, uint32_t count,
			      unsigned int qual);

/**
 * vsm_thread_barrier_red - barrier.cta.red.and or .or of all threads of the CTA (PTX 9.7.13.1)
 * @thread: Device thread
 * @op: %DRM_VSM_RED_AND or %DRM_VSM_RED_OR
 * @barrier: Named barrier, 0 to 15
 * @pred: Predicate of the thread
 * @qual: VSM_ALIGNED or 0
 * @p: What @op makes of the predicates (out)
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_barrier_red(const struct vsm_thread *thread, enum drm_vsm_red op, uint32_t barrier,
			   bool pred, unsigned int qual, bool *p);

/**
 * vsm_thread_barrier_red_count - barrier.cta.red.and or .or with a count (PTX 9.7.13.1)
 * @thread: Device thread
 * @op: %DRM_VSM_RED_AND or %DRM_VSM_RED_OR
 * @barrier: Named barrier, 0 to 15
 * @count: As vsm_thread_barrier_sync_count()
 * @pred: Predicate of the thread
 * @qual: VSM_ALIGNED or 0
 * @p: What @op makes of the predicates (out)
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_barrier_red_count(const struct vsm_thread *thread, enum drm_vsm_red op,
				 uint32_t barrier, uint32_t count, bool pred, unsigned int qual,
				 bool *p);

/**
 * vsm_thread_barrier_red_popc - barrier.cta.red.popc of all threads of the CTA (PTX 9.7.13.1)
 * @thread: Device thread
 * @barrier: Named barrier, 0 to 15
 * @pred: Predicate of the thread
 * @qual: VSM_ALIGNED or 0
 * @d: Threads whose predicate is true (out)
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_barrier_red_popc(const struct vsm_thread *thread, uint32_t barrier, bool pred,
				unsigned int qual, uint32_t *d);

/**
 * vsm_thread_barrier_red_popc_count - barrier.cta.red.popc with a count (PTX 9.7.13.1)
 * @thread: Device thread
 * @barrier: Named barrier, 0 to 15
 * @count: As vsm_thread_barrier_sync_count()
 * @pred: Predicate of the thread
 * @qual: VSM_ALIGNED or 0
 * @d: Threads whose predicate is true (out)
 *
 * Return: As vsm_thread_match_any_sync_b32().
 */
int vsm_thread_barrier_red_popc_count(const struct vsm_thread *thread, uint32_t barrier,
				      uint32_t count, bool pred, unsigned int qual, uint32_t *d);

/**
 * vsm_thread_barrier_cluster_arrive - barrier.cluster.arrive (PTX 9.7.13.3)
 * @thread: Device thread
 * @qual: VSM_RELEASE, which is the default, or VSM_RELAXED; VSM_ALIGNED
 *
 * Suspends until the threads of the warp have executed it, and does not wait for other warps.
 * With .release it fences the mbarrier.init of the CTA, as
 * vsm_prep_barrier_cluster_arrive() tells.
 *
 * Return: As vsm_thread_match_any_sync_b32(); -EOPNOTSUPP in layout sm_80.
 */
int vsm_thread_barrier_cluster_arrive(const struct vsm_thread *thread, unsigned int qual);

/**
 * vsm_thread_barrier_cluster_wait - barrier.cluster.wait (PTX 9.7.13.3)
 * @thread: Device thread, which has arrived
 * @qual: VSM_ACQUIRE, which is the default; VSM_ALIGNED
 *
 * Suspends until all threads of the cluster that have not exited have arrived.
 *
 * Return: As vsm_thread_barrier_cluster_arrive().
 */
int vsm_thread_barrier_cluster_wait(const struct vsm_thread *thread, unsigned int qual);

/**
 * vsm_thread_exit - exit (PTX 9.7.12.7)
 * @thread: Device thread; with %DRM_VSM_EXEC_WARP all of its warp
 *
 * Does not suspend. Whoever waits for the thread alone goes on; whatever is executed as the
 * thread from now on is misuse. A thread that has arrived where others meet, and was
 * cancelled there, no longer takes part.
 *
 * Return: 0, -EPROTO if the thread has exited already, or another error of vsm_exec().
 */
int vsm_thread_exit(const struct vsm_thread *thread);

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
 * @set: Wait set, or NULL; waits that are armed end without a record
 */
void vsm_waitset_destroy(struct vsm_waitset *set);

/**
 * vsm_waitset_fd - The file descriptor of a wait set, for poll() and epoll
 * @set: Wait set
 *
 * POLLIN says that there are records, POLLHUP that the device is gone.
 *
 * Return: The file descriptor, which is non-blocking; it remains the wait set's.
 */
int vsm_waitset_fd(const struct vsm_waitset *set);

/**
 * vsm_wait_state - A wait for the phase of a state token
 * @cluster: Cluster
 * @addr: mbarrier object, in any CTA
 * @state: Token of an arrive in the current or the immediately preceding phase
 * @deadline: Absolute CLOCK_MONOTONIC in ns, or VSM_NEVER
 * @user_data: Comes back in the record
 *
 * Return: An element for vsm_waitset_arm().
 */
static inline struct drm_vsm_wait vsm_wait_state(const struct vsm_cluster *cluster, uint32_t addr,
						 uint64_t state, int64_t deadline,
						 uint64_t user_data)
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
 * vsm_wait_parity - A wait for a phase named by its parity
 * @cluster: Cluster
 * @addr: mbarrier object, in any CTA
 * @parity: phaseParity of the current or the immediately preceding phase, 0 or 1
 * @deadline: Absolute CLOCK_MONOTONIC in ns, or VSM_NEVER
 * @user_data: Comes back in the record
 *
 * Return: An element for vsm_waitset_arm().
 */
static inline struct drm_vsm_wait vsm_wait_parity(const struct vsm_cluster *cluster, uint32_t addr,
						  uint32_t parity, int64_t deadline,
						  uint64_t user_data)
{
	struct drm_vsm_wait wait = vsm_wait_state(cluster, addr, parity, deadline, user_data);

	wait.flags = DRM_VSM_WAIT_PARITY;
	return wait;
}

/**
 * vsm_wait_insn - A wait for an instruction that a thread executes
 * @thread: Device thread, or warp of vsm_warp_at(); its &vsm_thread.fault is not used
 * @insn: What threads meet in, from vsm_prep_match_any_sync_b32() to
 *	vsm_prep_barrier_cluster_wait(); not written, and needed until vsm_waitset_arm() returns
 * @deadline: Absolute CLOCK_MONOTONIC in ns, or VSM_NEVER
 * @user_data: Comes back in the record
 *
 * When it is armed the thread has arrived, so that one caller can play many threads. The
 * record says how the instruction ended: %DRM_VSM_WAIT_COMPLETE with its result in
 * &drm_vsm_wait_record.result, or %DRM_VSM_WAIT_FAULT with the &enum drm_vsm_fault there.
 *
 * A wait that is cancelled or expires leaves the thread in the instruction: it has arrived,
 * and goes on when the same is armed or executed again.
 *
 * Return: An element for vsm_waitset_arm().
 */
static inline struct drm_vsm_wait vsm_wait_insn(const struct vsm_thread *thread,
						const struct drm_vsm_insn *insn, int64_t deadline,
						uint64_t user_data)
{
	struct drm_vsm_wait wait = vsm_wait_state(thread->cluster,
						  DRM_VSM_WAIT_THREAD(thread->cta, thread->thread),
						  (uintptr_t)insn, deadline, user_data);

	wait.flags = DRM_VSM_WAIT_INSN;
	if (thread->exec_flags & DRM_VSM_EXEC_WARP)
		wait.flags |= DRM_VSM_WAIT_WARP;
	return wait;
}

/**
 * vsm_waitset_arm_sized - Arm waits
 * @set: Wait set
 * @waits: Waits
 * @stride: Bytes from one wait to the next, a multiple of 8
 * @count: Waits
 * @armed: Waits armed (in, out)
 *
 * Return: As vsm_waitset_arm(); -EINVAL if @stride is below 48.
 */
int vsm_waitset_arm_sized(struct vsm_waitset *set, struct drm_vsm_wait *waits, uint32_t stride,
			  uint32_t count, uint32_t *armed);

/**
 * vsm_waitset_arm - Arm waits
 * @set: Wait set
 * @waits: Waits, from vsm_wait_state(), vsm_wait_parity() or vsm_wait_insn();
 *	&drm_vsm_wait.id is written
 * @count: Waits, up to &drm_vsm_device_info.max_exec
 * @armed: Waits armed (in, out): arming begins there. Written on an error as
 *	well. NULL begins with the first
 *
 * Does not block. A wait that is complete already gives its record at once.
 *
 * Return: 0; -EPROTO if the wait at *@armed is a misuse, its
 * &drm_vsm_wait.fault says which; -ENOSPC if the client has too many; or another
 * error of the device. On an error the waits before *@armed are armed.
 */
static inline int vsm_waitset_arm(struct vsm_waitset *set, struct drm_vsm_wait *waits,
				  uint32_t count, uint32_t *armed)
{
	return vsm_waitset_arm_sized(set, waits, sizeof(*waits), count, armed);
}

/**
 * vsm_waitset_cancel - Cancel an armed wait
 * @set: Wait set
 * @id: &drm_vsm_wait.id
 *
 * Return: 0 if the wait is gone and gives no record; -ENOENT if it has ended, and
 * its record is there to be read or was read.
 */
int vsm_waitset_cancel(struct vsm_waitset *set, uint64_t id);

/**
 * vsm_waitset_read_sized - Read how waits ended
 * @set: Wait set
 * @records: Records (out)
 * @stride: Bytes from one record to the next
 * @max: Records that fit, at least 1
 * @deadline: Until when to wait for the first
 *
 * Return: As vsm_waitset_read(); -EINVAL if @stride is below 24.
 */
int vsm_waitset_read_sized(struct vsm_waitset *set, struct drm_vsm_wait_record *records,
			   uint32_t stride, uint32_t max, int64_t deadline);

/**
 * vsm_waitset_read - Read how waits ended
 * @set: Wait set
 * @records: Records (out), in the order in which the waits ended
 * @max: Records that fit, at least 1
 * @deadline: Until when to wait for the first: absolute CLOCK_MONOTONIC in ns, or
 *	VSM_NEVER; 0 does not block
 *
 * When several threads read, each record goes to one of them.
 *
 * Return: Number of records; 0 if @deadline passed first; -ENODEV if the device is
 * gone and every record has been read; -EINVAL if @max is 0.
 */
static inline int vsm_waitset_read(struct vsm_waitset *set, struct drm_vsm_wait_record *records,
				   uint32_t max, int64_t deadline)
{
	return vsm_waitset_read_sized(set, records, sizeof(*records), max, deadline);
}

/**
 * vsm_tensor_map_encode_tiled - Make a tensor map for .tile
 * @map: The map (out), at a multiple of 64
 * @type: Type of the elements
 * @rank: Dimensions, 1 to 5
 * @buffer: Buffer that the tensor is in
 * @offset: Byte offset of its first element there, a multiple of 16, of 32 with
 *	%DRM_VSM_TENSOR_INTERLEAVE_32B
 * @global_dim: Elements of each dimension, innermost first, 1 to 2^32
 * @global_strides: Bytes from one element to the next of each dimension but the innermost,
 *	a multiple of 16 as @offset is, below 2^40; not read if @rank is 1
 * @box_dim: Elements of the box in each dimension, 1 to 256. Without interleave the first
 *	makes a multiple of 16 bytes, no more than the swizzle is wide
 * @element_strides: Every how many-th element of each dimension is copied, 1 to 8. The
 *	first counts only with interleave
 * @interleave: Interleaved layout, of 3 dimensions or more
 * @swizzle: Swizzle in shared memory, of 32 bytes with %DRM_VSM_TENSOR_INTERLEAVE_32B
 * @l2_promotion: CUtensorMapL2promotion, 0 to 3, without effect
 * @fill: What elements out of bounds are in shared memory
 *
 * As cuTensorMapEncodeTiled(), with @buffer and @offset for globalAddress. A map refers to
 * the buffer by its handle, so it is for the device that the buffer belongs to.
 *
 * vsm_tensor_map_bytes() of the map is what a copy completes on its mbarrier, and
 * vsm_tensor_map_window() the shared memory that it needs.
 *
 * Return: 0, or -EINVAL if a rule is broken or the tensor leaves the buffer.
 */
int vsm_tensor_map_encode_tiled(struct drm_vsm_tensor_map *map, enum drm_vsm_tensor_type type,
				uint32_t rank, const struct vsm_buffer *buffer, uint64_t offset,
				const uint64_t *global_dim, const uint64_t *global_strides,
				const uint32_t *box_dim, const uint32_t *element_strides,
				enum drm_vsm_tensor_interleave interleave,
				enum drm_vsm_tensor_swizzle swizzle, uint32_t l2_promotion,
				enum drm_vsm_tensor_fill fill);

/**
 * vsm_tensor_map_encode_im2col - Make a tensor map for .im2col
 * @map: The map (out), at a multiple of 64
 * @type: Type of the elements
 * @rank: Dimensions, 3 to 5: channels, pixels, images
 * @buffer: Buffer that the tensor is in
 * @offset: As of vsm_tensor_map_encode_tiled()
 * @global_dim: Likewise
 * @global_strides: Likewise
 * @pixel_box_lower_corner: First pixel of the bounding box in each dimension of an image,
 *	innermost first, counted from the image's first: of 16, 8 or 5 bits for 3, 4 or 5
 *	dimensions
 * @pixel_box_upper_corner: Last pixel, counted from the image's last
 * @channels_per_pixel: 1 to 256; without interleave a multiple of 16 bytes, no more than the
 *	swizzle is wide
 * @pixels_per_column: 1 to 1024
 * @element_strides: As of vsm_tensor_map_encode_tiled(), as is the rest
 * @interleave: Interleaved layout
 * @swizzle: Swizzle in shared memory
 * @l2_promotion: CUtensorMapL2promotion, 0 to 3, without effect
 * @fill: What elements out of bounds are in shared memory
 *
 * As cuTensorMapEncodeIm2col(), with @buffer and @offset for globalAddress.
 *
 * Return: 0, or -EINVAL if a rule is broken or the tensor leaves the buffer.
 */
int vsm_tensor_map_encode_im2col(struct drm_vsm_tensor_map *map, enum drm_vsm_tensor_type type,
				 uint32_t rank, const struct vsm_buffer *buffer, uint64_t offset,
				 const uint64_t *global_dim, const uint64_t *global_strides,
				 const int *pixel_box_lower_corner,
				 const int *pixel_box_upper_corner, uint32_t channels_per_pixel,
				 uint32_t pixels_per_column, const uint32_t *element_strides,
				 enum drm_vsm_tensor_interleave interleave,
				 enum drm_vsm_tensor_swizzle swizzle, uint32_t l2_promotion,
				 enum drm_vsm_tensor_fill fill);

/**
 * vsm_tensor_error_text - What is wrong with a tensor map
 * @error: &enum drm_vsm_tensor_error: what vsm_tensor_map_check() says, or the
 *	&drm_vsm_insn.info of %DRM_VSM_FAULT_TENSOR_MAP
 *
 * Return: A constant string, such as "an element stride is not 1 to 8".
 */
const char *vsm_tensor_error_text(uint32_t error);

#if defined(__cplusplus)
}
#endif

#endif
