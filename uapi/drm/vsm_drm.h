/* SPDX-License-Identifier: MIT */
/*
 * User-space interface of vsm, an accelerator without hardware.
 */
#ifndef _UAPI_VSM_DRM_H_
#define _UAPI_VSM_DRM_H_

#include "drm.h"
#include "vsm_inject.h"
#include "vsm_mbarrier.h"
#include "vsm_trace.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: Introduction
 *
 * The device has one instruction set and three ways to execute instructions. DRM_IOCTL_VSM_EXEC
 * runs a stream of instructions as one device thread; the caller sleeps while an instruction is
 * suspended. DRM_IOCTL_VSM_SUBMIT queues a stream that cannot suspend on a copy channel, between
 * in-fences and out-fences. A wait set arms waits, for a phase of an mbarrier or for an
 * instruction, without blocking; its file descriptor becomes readable when a wait ends.
 *
 * These rules hold for every structure here:
 *
 * - Its size is a multiple of 8 bytes and is the same for 32-bit and 64-bit callers.
 * - Undefined flags and pads must be 0.
 * - Later versions may add fields at its end, except for operands and tensor maps. The kernel takes
 *   fields that are missing at the end of an ioctl argument as 0. If an ioctl argument is longer
 *   than the structure that the kernel knows, the additional bytes must be 0 (else EINVAL).
 * - Arrays carry their stride. A stride is a multiple of 8 and at least the size of the element in
 *   its first version: 64 bytes for instructions, 48 for waits, 16 for syncs. If an element is
 *   longer than the structure that the kernel knows, the kernel neither reads nor writes the
 *   additional bytes. Arrays of instructions and of waits begin at a multiple of 8.
 * - Handles are GEM handles of the file descriptor on which the ioctl is called.
 * - Times are absolute CLOCK_MONOTONIC nanoseconds. Only suspendTimeHint is relative, as in PTX.
 *
 * Errors that any ioctl here may return:
 *
 * =========== ===============================================================
 * EINVAL      Malformed: unknown operation or flag, pad not 0, bad stride
 * EFAULT      A pointer does not point to accessible memory
 * ENOENT      There is no such handle, or the handle is of another kind
 * E2BIG       A count is above its limit
 * ENOMEM      Out of memory
 * ENOSPC      A limit of this client, of its user or of the device is reached
 * EOPNOTSUPP  The operation does not exist in the cluster's layout, or not yet
 *             in this version of the device (see &struct drm_vsm_device_info);
 *             or the buffer of a copy is an imported dma-buf that the kernel
 *             cannot map, or whose memory is not coherent
 * EPROTO      Misuse: the instruction was refused; its fault says why
 * EIO         The cluster is lost
 * ENODEV      The device is gone
 * EINTR       A signal arrived; repeat the call with the same argument
 * =========== ===============================================================
 *
 * No ioctl ever returns EAGAIN, because libdrm would repeat the call for ever.
 */

/**
 * define DRM_VSM_ABI_MAJOR - Major version; it changes when an old program would misbehave
 */
#define DRM_VSM_ABI_MAJOR 0
/**
 * define DRM_VSM_ABI_MINOR - Minor version; every addition increments it
 */
#define DRM_VSM_ABI_MINOR 9

/* Driver ioctl numbers, relative to DRM_COMMAND_BASE. */
#define DRM_VSM_DEVICE_INFO	0x00
#define DRM_VSM_CLUSTER_CREATE	0x01
#define DRM_VSM_BUFFER_CREATE	0x02
#define DRM_VSM_OBJECT_INFO	0x03
#define DRM_VSM_EXEC		0x04
#define DRM_VSM_SUBMIT		0x05
#define DRM_VSM_WAITSET_CREATE	0x06
#define DRM_VSM_WAITSET_ARM	0x07
#define DRM_VSM_WAITSET_CANCEL	0x08
#define DRM_VSM_CLUSTER_HOLD	0x09
#define DRM_VSM_CHANNEL_CREATE	0x0a
#define DRM_VSM_CHANNEL_DESTROY	0x0b
#define DRM_VSM_CLUSTER_STATE	0x0c
#define DRM_VSM_TRACE_READ	0x0d
#define DRM_VSM_INJECT_ADD	0x0e
#define DRM_VSM_INJECT_QUERY	0x0f
#define DRM_VSM_INJECT_REMOVE	0x10
#define DRM_VSM_CHANNEL_STATUS	0x11
#define DRM_VSM_HOLD_CREATE	0x12
#define DRM_VSM_HOLD_RELEASE	0x13

/**
 * enum drm_vsm_feature - Bits of &drm_vsm_device_info.features
 * @DRM_VSM_FEATURE_MBARRIER: The mbarrier operations of ABI 0.1, which are all except
 *	cp.async.mbarrier.arrive and fence.mbarrier_init
 * @DRM_VSM_FEATURE_WAITSET: Wait sets
 * @DRM_VSM_FEATURE_BULK_COPY: SUBMIT with binary syncobjs, and cp.async.bulk in it, from global to
 *	shared::cluster and from shared::cta to global
 * @DRM_VSM_FEATURE_CP_ASYNC: cp.async, cp.async.mbarrier.arrive and fence.mbarrier_init; &struct
 *	drm_vsm_cluster_hold
 * @DRM_VSM_FEATURE_FAULTS: A fault code for every misuse in the table of mbarrier rules, and
 *	&struct drm_vsm_event_fault, which reports it
 * @DRM_VSM_FEATURE_COPY: All copies of &enum drm_vsm_op, with groups, reductions and tensor maps;
 *	EXEC can execute all of them
 * @DRM_VSM_FEATURE_CHANNELS: Channels, timeline syncobjs and &drm_vsm_device_info.max_channels
 * @DRM_VSM_FEATURE_RENDEZVOUS: Warp operations, the barriers of a CTA and of the cluster, and exit;
 *	%DRM_VSM_EXEC_WARP and %DRM_VSM_WAIT_INSN
 * @DRM_VSM_FEATURE_RULES: &drm_vsm_cluster_create.report, &drm_vsm_cluster_create.enforce and
 *	%DRM_VSM_EVENT_REPORTED
 * @DRM_VSM_FEATURE_FENCE: %DRM_VSM_OP_FENCE
 * @DRM_VSM_FEATURE_LANES: %DRM_VSM_EXEC_LANES, %DRM_VSM_WAIT_LANES and %DRM_VSM_WAIT_NO_LIMIT; with
 *	%DRM_VSM_WAIT_INSN also a try_wait and waits for groups
 * @DRM_VSM_FEATURE_DRAIN: %DRM_VSM_DRAIN
 * @DRM_VSM_FEATURE_STATE: &struct drm_vsm_cluster_state
 * @DRM_VSM_FEATURE_TRACE: &drm_vsm_cluster_create.trace_events, &struct drm_vsm_trace_read and the
 *	sites of instructions
 * @DRM_VSM_FEATURE_INJECT: &struct drm_vsm_inject_rule
 * @DRM_VSM_FEATURE_RESET: &struct drm_vsm_channel_status
 * @DRM_VSM_FEATURE_HOLD: &struct drm_vsm_hold_create and &struct drm_vsm_hold_release
 * @DRM_VSM_FEATURE_PRIORITY: &drm_vsm_channel_create.priority
 * @DRM_VSM_FEATURE_GROUP: &drm_vsm_channel_create.group
 *
 * Root can make devices that lack features. What belongs to such a feature, an ioctl, an operation,
 * a flag or a field that must be 0 without it, then fails with EOPNOTSUPP, if the call is not
 * invalid for another reason. An operation belongs to the first feature above that names it, in
 * EXEC too. Without %DRM_VSM_FEATURE_FAULTS a misuse still fails with EPROTO, but sends no event.
 * The site of an instruction and %DRM_VSM_EXEC_WARP are accepted without their features.
 */
enum drm_vsm_feature {
	DRM_VSM_FEATURE_MBARRIER = 1 << 0,
	DRM_VSM_FEATURE_WAITSET = 1 << 1,
	DRM_VSM_FEATURE_BULK_COPY = 1 << 2,
	DRM_VSM_FEATURE_CP_ASYNC = 1 << 3,
	DRM_VSM_FEATURE_FAULTS = 1 << 4,
	DRM_VSM_FEATURE_COPY = 1 << 5,
	DRM_VSM_FEATURE_CHANNELS = 1 << 6,
	DRM_VSM_FEATURE_RENDEZVOUS = 1 << 7,
	DRM_VSM_FEATURE_RULES = 1 << 8,
	DRM_VSM_FEATURE_FENCE = 1 << 9,
	DRM_VSM_FEATURE_LANES = 1 << 10,
	DRM_VSM_FEATURE_DRAIN = 1 << 11,
	DRM_VSM_FEATURE_STATE = 1 << 12,
	DRM_VSM_FEATURE_TRACE = 1 << 13,
	DRM_VSM_FEATURE_INJECT = 1 << 14,
	DRM_VSM_FEATURE_RESET = 1 << 15,
	DRM_VSM_FEATURE_HOLD = 1 << 16,
	DRM_VSM_FEATURE_PRIORITY = 1 << 17,
	DRM_VSM_FEATURE_GROUP = 1 << 18,
};

/**
 * struct drm_vsm_device_info - Version, features and limits (out)
 * @abi_major: %DRM_VSM_ABI_MAJOR of the driver
 * @abi_minor: %DRM_VSM_ABI_MINOR of the driver
 * @features: Mask of &enum drm_vsm_feature
 * @max_ctas: CTAs that a cluster may have
 * @max_threads: Threads that a CTA may have
 * @max_smem: Bytes that a CTA's window may have
 * @max_exec: Instructions that one EXEC may have, and waits that one WAITSET_ARM may have
 * @max_submit: Instructions that one SUBMIT may have
 * @max_syncs: Fences that one SUBMIT may have
 * @client_clusters: Clusters that one client may have
 * @client_waits: Waits that one client may have armed or unread
 * @client_jobs: Jobs that one client may have in flight, together with its holds. The total number
 *	of the jobs' instructions is at most 2^18
 * @index: Instance number of the device, from 0
 * @client_bytes: Bytes of memory that one client may use for clusters, for the driver's records of
 *	their mbarrier objects and threads, for buffers, for operations in flight and for armed
 *	waits
 * @device_bytes: Bytes of memory that all clients together may use. The clients of one user may use
 *	at most half of the bytes that the clients of other users do not use
 * @try_wait_limit_ns: Time limit of a try_wait without suspendTimeHint, in ns; root may change it
 * @max_channels: Channels that one client may have, including its first
 * @pad: 0
 *
 * All clients of one user together may have four times @client_clusters, @client_waits and
 * @client_jobs. This does not depend on other users. The user is the real user id of the process
 * that opens the device.
 */
struct drm_vsm_device_info {
	__u32 abi_major;
	__u32 abi_minor;
	__u64 features;
	__u32 max_ctas;
	__u32 max_threads;
	__u32 max_smem;
	__u32 max_exec;
	__u32 max_submit;
	__u32 max_syncs;
	__u32 client_clusters;
	__u32 client_waits;
	__u32 client_jobs;
	__u32 index;
	__u64 client_bytes;
	__u64 device_bytes;
	__u64 try_wait_limit_ns;
	__u32 max_channels;
	__u32 pad;
};

/**
 * enum drm_vsm_policy - What a cluster does about misuse
 * @DRM_VSM_POLICY_STRICT: Refuse misuse with EPROTO and do not change the word
 * @DRM_VSM_POLICY_HARDWARE: Refuse what the device cannot carry out, and misuse on which an H100
 *	traps: a trap loses the cluster
 */
enum drm_vsm_policy {
	DRM_VSM_POLICY_STRICT = 0,
	DRM_VSM_POLICY_HARDWARE = 1,
};

/**
 * struct drm_vsm_cluster_create - Create a cluster: CTAs and their windows
 * @ctas: CTAs, 1 to &drm_vsm_device_info.max_ctas
 * @threads: Threads of each CTA, 1 to &drm_vsm_device_info.max_threads
 * @smem_bytes: Bytes of each CTA's shared memory window, a multiple of 16 up to
 *	&drm_vsm_device_info.max_smem
 * @layout: &enum vsm_layout
 * @policy: &enum drm_vsm_policy
 * @flags: Must be 0
 * @handle: GEM handle (out). DRM_IOCTL_GEM_CLOSE closes it; PRIME can share it
 * @window_stride: Bytes from one CTA's window to the next in the mapping (out)
 * @size: Bytes of the mapping (out)
 * @mmap_offset: Offset for mmap() of the DRM file descriptor (out)
 * @report: Rules that are reported instead of enforced, a mask of DRM_VSM_RULE()
 * @enforce: Rules that are enforced only because they are in this mask of DRM_VSM_RULE()
 * @trace_events: Number of the last events that the cluster's flight recorder keeps, up to 2^20; 0
 *	for no flight recorder. The kernel rounds it up to a power of two, and to at least 64. The
 *	client is charged for the memory: one &struct drm_vsm_trace_event for each
 * @pad: Must be 0
 *
 * All bytes of the windows are 0 at first. User space may write anything into its mapping at any
 * time.
 *
 * An instruction that breaks a rule of @report does what it does under the hardware policy. It is
 * executed: the device counts the breach, and reports it by a fault event with
 * %DRM_VSM_EVENT_REPORTED and by a tracepoint. Or it traps: it fails with EPROTO, the cluster is
 * lost, and there is one event without this flag. The device still enforces all other rules. If a
 * rule is in both masks, it is checked in the form that @enforce selects, and only reported. A rule
 * that the policy does not check has no effect in either mask; but @report also reports
 * CLUSTER_ARRIVED and CLUSTER_NOT_ARRIVED in the hardware policy.
 *
 * Errors: EINVAL (also for a rule that cannot be reported, or that is enforced anyway), EOPNOTSUPP
 * (the device lacks the policy or a feature), ENOSPC (memory or number of clusters), ENOMEM.
 */
struct drm_vsm_cluster_create {
	__u32 ctas;
	__u32 threads;
	__u32 smem_bytes;
	__u32 layout;
	__u32 policy;
	__u32 flags;
	__u32 handle;
	__u32 window_stride;
	__u64 size;
	__u64 mmap_offset;
	__u64 report;
	__u64 enforce;
	__u32 trace_events;
	__u32 pad;
};

/**
 * struct drm_vsm_buffer_create - Create a buffer: global memory
 * @size: Bytes, more than 0 (in); the kernel rounds them up to whole pages (out)
 * @flags: Must be 0
 * @handle: GEM handle (out)
 * @mmap_offset: Offset for mmap() of the DRM file descriptor (out)
 *
 * All bytes of the buffer are 0 at first.
 *
 * Errors: EINVAL, ENOSPC, ENOMEM.
 */
struct drm_vsm_buffer_create {
	__u64 size;
	__u32 flags;
	__u32 handle;
	__u64 mmap_offset;
};

/**
 * enum drm_vsm_object - Kind of a GEM object
 * @DRM_VSM_OBJECT_CLUSTER: A cluster
 * @DRM_VSM_OBJECT_BUFFER: A buffer
 */
enum drm_vsm_object {
	DRM_VSM_OBJECT_CLUSTER = 1,
	DRM_VSM_OBJECT_BUFFER = 2,
};

/**
 * struct drm_vsm_object_info - The object that a handle names
 * @handle: GEM handle (in)
 * @kind: &enum drm_vsm_object (out)
 * @size: Bytes of the mapping (out)
 * @mmap_offset: Offset for mmap() of the DRM file descriptor (out)
 * @ctas: &drm_vsm_cluster_create.ctas of a cluster, 0 for a buffer (out)
 * @threads: &drm_vsm_cluster_create.threads of a cluster, 0 for a buffer (out)
 * @smem_bytes: &drm_vsm_cluster_create.smem_bytes of a cluster, 0 for a buffer (out)
 * @window_stride: &drm_vsm_cluster_create.window_stride of a cluster, 0 for a buffer (out)
 * @layout: &drm_vsm_cluster_create.layout of a cluster, 0 for a buffer (out)
 * @policy: &drm_vsm_cluster_create.policy of a cluster, 0 for a buffer (out)
 * @report: &drm_vsm_cluster_create.report of a cluster, 0 for a buffer (out)
 * @enforce: &drm_vsm_cluster_create.enforce of a cluster, 0 for a buffer (out)
 * @number: Number of a cluster, from 1; 0 for a buffer (out). It is unique among the clusters of
 *	the device, and the same for all processes that have a handle. The device uses the number
 *	again only after all other numbers
 * @client: Number of the client that is charged for the object, from 1 (out). A client is an open
 *	DRM file. Its number is unique among the clients of the device. 0 while another task is
 *	still importing the object
 *
 * A process that has imported a handle with PRIME needs this ioctl to learn what it imported.
 *
 * Errors: ENOENT.
 */
struct drm_vsm_object_info {
	__u32 handle;
	__u32 kind;
	__u64 size;
	__u64 mmap_offset;
	__u32 ctas;
	__u32 threads;
	__u32 smem_bytes;
	__u32 window_stride;
	__u32 layout;
	__u32 policy;
	__u64 report;
	__u64 enforce;
	__u32 number;
	__u32 client;
};

/**
 * enum drm_vsm_op - Operation of an instruction
 * @DRM_VSM_OP_MBARRIER_INIT: mbarrier.init; takes addr and count
 * @DRM_VSM_OP_MBARRIER_INVAL: mbarrier.inval; takes addr
 * @DRM_VSM_OP_MBARRIER_ARRIVE: mbarrier.arrive; takes addr, and count or tx_count if its modifier
 *	is set. The result is a state token, or 0 with %DRM_VSM_MOD_SINK
 * @DRM_VSM_OP_MBARRIER_ARRIVE_DROP: mbarrier.arrive_drop; takes addr, and count or tx_count if its
 *	modifier is set. The result is a state token, or 0 with %DRM_VSM_MOD_SINK
 * @DRM_VSM_OP_MBARRIER_EXPECT_TX: mbarrier.expect_tx; takes addr and tx_count
 * @DRM_VSM_OP_MBARRIER_COMPLETE_TX: mbarrier.complete_tx; takes addr and tx_count
 * @DRM_VSM_OP_MBARRIER_TEST_WAIT: mbarrier.test_wait; takes addr, and state (or parity with
 *	%DRM_VSM_MOD_PARITY). The result is waitComplete (0 or 1)
 * @DRM_VSM_OP_MBARRIER_TRY_WAIT: mbarrier.try_wait; takes addr, state (or parity with
 *	%DRM_VSM_MOD_PARITY), and hint_ns with %DRM_VSM_MOD_HINT. May suspend. The result is
 *	waitComplete (0 or 1)
 * @DRM_VSM_OP_MBARRIER_PENDING_COUNT: mbarrier.pending_count; takes state. The result is the count
 * @DRM_VSM_OP_CP_ASYNC_BULK_G2S: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes;
 *	takes copy operands, and mask with %DRM_VSM_MOD_MULTICAST
 * @DRM_VSM_OP_CP_ASYNC_BULK_S2G: cp.async.bulk.global.shared::cta.bulk_group; takes copy operands
 *	without mbar, and mask with %DRM_VSM_MOD_CP_MASK
 * @DRM_VSM_OP_FENCE_MBARRIER_INIT: fence.mbarrier_init.release.cluster; takes no operands.
 *	&drm_vsm_insn.sem and &drm_vsm_insn.scope must say .release.cluster
 * @DRM_VSM_OP_CP_ASYNC: cp.async.ca.shared.global or cp.async.cg.shared.global; takes copy operands
 *	without mbar. The size is 4, 8 or 16 (16 with %DRM_VSM_MOD_CG). With %DRM_VSM_MOD_SRC_SIZE
 *	src_size bytes are copied and the rest is filled with zeros. Asynchronous; EXEC only
 * @DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE: cp.async.mbarrier.arrive; takes addr. It performs an
 *	arrive-on when all earlier cp.async of the thread are complete. EXEC only
 * @DRM_VSM_OP_CP_ASYNC_COMMIT_GROUP: cp.async.commit_group; takes no operands. EXEC only
 * @DRM_VSM_OP_CP_ASYNC_WAIT_GROUP: cp.async.wait_group; takes count, the number of groups that may
 *	still be in flight (0 is allowed). May suspend; EXEC only
 * @DRM_VSM_OP_CP_ASYNC_WAIT_ALL: cp.async.wait_all; takes no operands. May suspend; EXEC only
 * @DRM_VSM_OP_CP_ASYNC_BULK_S2S:
 *	cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes; takes copy operands
 *	with src instead of a buffer
 * @DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH: cp.async.bulk.prefetch.L2.global; takes size, buffer and
 *	offset. The operands are checked; there is no other effect
 * @DRM_VSM_OP_CP_ASYNC_BULK_COMMIT_GROUP: cp.async.bulk.commit_group; takes no operands. EXEC only
 * @DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP: cp.async.bulk.wait_group{.read}; takes count, the number of
 *	groups that may still be in flight (0 is allowed). May suspend; EXEC only
 * @DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2G: cp.reduce.async.bulk.global.shared::cta.bulk_group; takes
 *	copy operands without mbar, and &drm_vsm_insn.red
 * @DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2S:
 *	cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes; takes copy
 *	operands with src instead of a buffer, and &drm_vsm_insn.red
 * @DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S:
 *	cp.async.bulk.tensor.dim.shared::cluster.global.mbarrier::complete_tx::bytes; takes tensor
 *	operands, and mask with %DRM_VSM_MOD_MULTICAST
 * @DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_S2G: cp.async.bulk.tensor.dim.global.shared::cta.bulk_group;
 *	takes tensor operands without mbar
 * @DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
 *	cp.reduce.async.bulk.tensor.dim.global.shared::cta.redOp.bulk_group; takes tensor operands
 *	without mbar
 * @DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR: cp.async.bulk.prefetch.tensor.dim.L2.global; takes
 *	tensor operands without addr and mbar. The operands are checked; there is no other effect
 * @DRM_VSM_OP_ST_ASYNC: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes; takes store
 *	operands. The size is 4, 8 or 16
 * @DRM_VSM_OP_RED_ASYNC: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes;
 *	takes store operands and &drm_vsm_insn.red. The size is that of the type
 * @DRM_VSM_OP_MATCH_SYNC: match.any.sync and match.all.sync; takes warp operands with a.
 *	&drm_vsm_insn.red is DRM_VSM_MODE(mode, type), with mode %DRM_VSM_MODE_ANY or
 *	%DRM_VSM_MODE_ALL, and type %DRM_VSM_TYPE_B32 or %DRM_VSM_TYPE_B64. The result is d, plus
 *	%DRM_VSM_RESULT_PRED if p is true (.all)
 * @DRM_VSM_OP_BAR_WARP_SYNC: bar.warp.sync; takes warp operands
 * @DRM_VSM_OP_ELECT_SYNC: elect.sync; takes warp operands. The result is d, plus
 *	%DRM_VSM_RESULT_PRED if p is true. The lowest lane that has not exited is elected
 * @DRM_VSM_OP_VOTE_SYNC: vote.sync; takes warp operands with a. &drm_vsm_insn.red is
 *	%DRM_VSM_MODE_ALL, %DRM_VSM_MODE_ANY, %DRM_VSM_MODE_UNI or %DRM_VSM_MODE_BALLOT. The result
 *	is d
 * @DRM_VSM_OP_SHFL_SYNC: shfl.sync; takes warp operands with a, b and c. &drm_vsm_insn.red is
 *	%DRM_VSM_MODE_UP, %DRM_VSM_MODE_DOWN, %DRM_VSM_MODE_BFLY or %DRM_VSM_MODE_IDX. The result is
 *	d, plus %DRM_VSM_RESULT_PRED if p is true
 * @DRM_VSM_OP_REDUX_SYNC: redux.sync; takes warp operands with a. &drm_vsm_insn.red is
 *	DRM_VSM_RED(op, type): .add, .min or .max with type .u32 or .s32; .and, .or or .xor with
 *	type .b32. The result is dst
 * @DRM_VSM_OP_BARRIER_SYNC: barrier.cta.sync; takes barrier operands
 * @DRM_VSM_OP_BARRIER_ARRIVE: barrier.cta.arrive; takes barrier operands, always with
 *	%DRM_VSM_MOD_COUNT. It suspends only until all threads of the warp have executed it
 * @DRM_VSM_OP_BARRIER_RED: barrier.cta.red; takes barrier operands with pred. &drm_vsm_insn.red is
 *	%DRM_VSM_RED_POPC, %DRM_VSM_RED_AND or %DRM_VSM_RED_OR. The result is d, or p
 * @DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE: barrier.cluster.arrive; takes no operands. .sem is .release
 *	or .relaxed, without a scope. It suspends only until all threads of the warp have executed
 *	it
 * @DRM_VSM_OP_BARRIER_CLUSTER_WAIT: barrier.cluster.wait; takes no operands. .sem is .acquire,
 *	without a scope
 * @DRM_VSM_OP_EXIT: exit; takes no operands. The thread can execute nothing afterwards, as long as
 *	the cluster exists. If a signal has interrupted the thread in a rendezvous, exit removes it
 *	from the rendezvous. exit is refused with %DRM_VSM_FAULT_THREAD_SUSPENDED in two cases:
 *	another task or an armed wait still waits in a rendezvous as this thread; or the thread has
 *	arrived in a rendezvous together with its converged warp, and not all threads of the warp
 *	exit together
 * @DRM_VSM_OP_FENCE: fence{.sem}.scope; takes no operands. &drm_vsm_insn.sem is .sc, .acq_rel (the
 *	default), .acquire or .release; &drm_vsm_insn.scope must be given. The fence is a memory
 *	barrier for the calling task. If the scope is .cluster or wider and .sem is not .acquire,
 *	the fence also makes the inits (mbarrier.init) of its CTA visible to the cluster. The device
 *	does not see a thread's stores and atomic operations. Before one of them that has .release
 *	and scope .cluster or wider, the program must therefore execute this fence
 *
 * Operations from %DRM_VSM_OP_MATCH_SYNC to %DRM_VSM_OP_EXIT can be executed by EXEC and, except
 * exit, by wait sets (%DRM_VSM_WAIT_INSN). All of them except exit suspend until the threads that
 * they wait for have executed them.
 */
enum drm_vsm_op {
	DRM_VSM_OP_MBARRIER_INIT = 1,
	DRM_VSM_OP_MBARRIER_INVAL = 2,
	DRM_VSM_OP_MBARRIER_ARRIVE = 3,
	DRM_VSM_OP_MBARRIER_ARRIVE_DROP = 4,
	DRM_VSM_OP_MBARRIER_EXPECT_TX = 5,
	DRM_VSM_OP_MBARRIER_COMPLETE_TX = 6,
	DRM_VSM_OP_MBARRIER_TEST_WAIT = 7,
	DRM_VSM_OP_MBARRIER_TRY_WAIT = 8,
	DRM_VSM_OP_MBARRIER_PENDING_COUNT = 9,
	DRM_VSM_OP_CP_ASYNC_BULK_G2S = 10,
	DRM_VSM_OP_CP_ASYNC_BULK_S2G = 11,
	DRM_VSM_OP_FENCE_MBARRIER_INIT = 12,
	DRM_VSM_OP_CP_ASYNC = 13,
	DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE = 14,
	DRM_VSM_OP_CP_ASYNC_COMMIT_GROUP = 15,
	DRM_VSM_OP_CP_ASYNC_WAIT_GROUP = 16,
	DRM_VSM_OP_CP_ASYNC_WAIT_ALL = 17,
	DRM_VSM_OP_CP_ASYNC_BULK_S2S = 18,
	DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH = 19,
	DRM_VSM_OP_CP_ASYNC_BULK_COMMIT_GROUP = 20,
	DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP = 21,
	DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2G = 22,
	DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2S = 23,
	DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S = 24,
	DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_S2G = 25,
	DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR = 26,
	DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR = 27,
	DRM_VSM_OP_ST_ASYNC = 28,
	DRM_VSM_OP_RED_ASYNC = 29,
	DRM_VSM_OP_MATCH_SYNC = 30,
	DRM_VSM_OP_BAR_WARP_SYNC = 31,
	DRM_VSM_OP_ELECT_SYNC = 32,
	DRM_VSM_OP_VOTE_SYNC = 33,
	DRM_VSM_OP_SHFL_SYNC = 34,
	DRM_VSM_OP_REDUX_SYNC = 35,
	DRM_VSM_OP_BARRIER_SYNC = 36,
	DRM_VSM_OP_BARRIER_ARRIVE = 37,
	DRM_VSM_OP_BARRIER_RED = 38,
	DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE = 39,
	DRM_VSM_OP_BARRIER_CLUSTER_WAIT = 40,
	DRM_VSM_OP_EXIT = 41,
	DRM_VSM_OP_FENCE = 42,
};

/**
 * enum drm_vsm_mod - Modifiers of an instruction, a mask
 * @DRM_VSM_MOD_COUNT: The count operand is given (arrive, arrive_drop, barrier.cta). Without it the
 *	count is 1 (arrive, arrive_drop) or all threads of the CTA (barrier.cta)
 * @DRM_VSM_MOD_EXPECT_TX: The instruction has .expect_tx (arrive, arrive_drop), not together with
 *	COUNT
 * @DRM_VSM_MOD_NOCOMPLETE: The instruction has .noComplete (arrive, arrive_drop), only together
 *	with COUNT
 * @DRM_VSM_MOD_SINK: The destination is _ (arrive, arrive_drop)
 * @DRM_VSM_MOD_PARITY: The instruction has .parity (test_wait, try_wait)
 * @DRM_VSM_MOD_HINT: The suspendTimeHint operand is given (try_wait)
 * @DRM_VSM_MOD_NOINC: The instruction has .noinc (cp.async.mbarrier.arrive)
 * @DRM_VSM_MOD_SRC_SIZE: The src-size operand is given (cp.async)
 * @DRM_VSM_MOD_CG: The instruction has .cg; without this bit it has .ca (cp.async)
 * @DRM_VSM_MOD_MULTICAST: The instruction has .multicast::cluster (bulk and tensor copies, global
 *	to shared)
 * @DRM_VSM_MOD_CP_MASK: The instruction has .cp_mask (bulk copies, shared to global)
 * @DRM_VSM_MOD_IM2COL: The instruction has .im2col, or .im2col_no_offs if it is a store or
 *	reduction; without this bit it has .tile (tensor copies)
 * @DRM_VSM_MOD_READ: The instruction has .read (cp.async.bulk.wait_group)
 * @DRM_VSM_MOD_ALIGNED: The instruction has .aligned (barrier.cta, barrier.cluster). PTX's bar is
 *	barrier.cta with .aligned
 */
enum drm_vsm_mod {
	DRM_VSM_MOD_COUNT = 1 << 0,
	DRM_VSM_MOD_EXPECT_TX = 1 << 1,
	DRM_VSM_MOD_NOCOMPLETE = 1 << 2,
	DRM_VSM_MOD_SINK = 1 << 3,
	DRM_VSM_MOD_PARITY = 1 << 4,
	DRM_VSM_MOD_HINT = 1 << 5,
	DRM_VSM_MOD_NOINC = 1 << 6,
	DRM_VSM_MOD_SRC_SIZE = 1 << 7,
	DRM_VSM_MOD_CG = 1 << 8,
	DRM_VSM_MOD_MULTICAST = 1 << 9,
	DRM_VSM_MOD_CP_MASK = 1 << 10,
	DRM_VSM_MOD_IM2COL = 1 << 11,
	DRM_VSM_MOD_READ = 1 << 12,
	DRM_VSM_MOD_ALIGNED = 1 << 13,
};

/**
 * enum drm_vsm_red - Reduction operation, in bits 3:0 of &drm_vsm_insn.red
 * @DRM_VSM_RED_ADD: .add, the sum (of integers of n bits modulo 2^n); .add.noftz for .f16 and .bf16
 * @DRM_VSM_RED_MIN: .min, the minimum
 * @DRM_VSM_RED_MAX: .max, the maximum
 * @DRM_VSM_RED_INC: .inc; the new value is 0 if the old value is at least the operand, else the old
 *	value plus 1
 * @DRM_VSM_RED_DEC: .dec; the new value is the operand if the old value is 0 or above the operand,
 *	else the old value minus 1
 * @DRM_VSM_RED_AND: .and, the bitwise AND
 * @DRM_VSM_RED_OR: .or, the bitwise OR
 * @DRM_VSM_RED_XOR: .xor, the bitwise XOR
 * @DRM_VSM_RED_POPC: .popc, the number of predicates that are true (barrier.cta.red)
 */
enum drm_vsm_red {
	DRM_VSM_RED_ADD = 1,
	DRM_VSM_RED_MIN = 2,
	DRM_VSM_RED_MAX = 3,
	DRM_VSM_RED_INC = 4,
	DRM_VSM_RED_DEC = 5,
	DRM_VSM_RED_AND = 6,
	DRM_VSM_RED_OR = 7,
	DRM_VSM_RED_XOR = 8,
	DRM_VSM_RED_POPC = 9,
};

/**
 * enum drm_vsm_mode - Mode of a warp operation, in bits 3:0 of &drm_vsm_insn.red
 * @DRM_VSM_MODE_ANY: Mode .any of match.sync and of vote.sync
 * @DRM_VSM_MODE_ALL: Mode .all of match.sync and of vote.sync
 * @DRM_VSM_MODE_UNI: Mode .uni of vote.sync
 * @DRM_VSM_MODE_BALLOT: Mode .ballot of vote.sync
 * @DRM_VSM_MODE_UP: Mode .up of shfl.sync
 * @DRM_VSM_MODE_DOWN: Mode .down of shfl.sync
 * @DRM_VSM_MODE_BFLY: Mode .bfly of shfl.sync
 * @DRM_VSM_MODE_IDX: Mode .idx of shfl.sync
 */
enum drm_vsm_mode {
	DRM_VSM_MODE_ANY = 1,
	DRM_VSM_MODE_ALL = 2,
	DRM_VSM_MODE_UNI = 3,
	DRM_VSM_MODE_BALLOT = 4,
	DRM_VSM_MODE_UP = 5,
	DRM_VSM_MODE_DOWN = 6,
	DRM_VSM_MODE_BFLY = 7,
	DRM_VSM_MODE_IDX = 8,
};

/**
 * enum drm_vsm_type - Type of an operand, in bits 7:4 of &drm_vsm_insn.red
 * @DRM_VSM_TYPE_B32: Type .b32
 * @DRM_VSM_TYPE_U32: Type .u32
 * @DRM_VSM_TYPE_S32: Type .s32
 * @DRM_VSM_TYPE_B64: Type .b64
 * @DRM_VSM_TYPE_U64: Type .u64
 * @DRM_VSM_TYPE_S64: Type .s64
 * @DRM_VSM_TYPE_F16: Type .f16
 * @DRM_VSM_TYPE_BF16: Type .bf16
 * @DRM_VSM_TYPE_F32: Type .f32
 * @DRM_VSM_TYPE_F64: Type .f64
 */
enum drm_vsm_type {
	DRM_VSM_TYPE_B32 = 1,
	DRM_VSM_TYPE_U32 = 2,
	DRM_VSM_TYPE_S32 = 3,
	DRM_VSM_TYPE_B64 = 4,
	DRM_VSM_TYPE_U64 = 5,
	DRM_VSM_TYPE_S64 = 6,
	DRM_VSM_TYPE_F16 = 7,
	DRM_VSM_TYPE_BF16 = 8,
	DRM_VSM_TYPE_F32 = 9,
	DRM_VSM_TYPE_F64 = 10,
};

/*
 * Values of &drm_vsm_insn.red: DRM_VSM_RED() for a reduction, DRM_VSM_RED_DIMS() for a tensor copy
 * (with @op 0 if the copy does not reduce).
 */
#define DRM_VSM_RED(op, type)		((op) | (type) << 4)
#define DRM_VSM_RED_DIMS(op, dims)	((op) | (dims) << 4)
/* Value of &drm_vsm_insn.red for match.sync. */
#define DRM_VSM_MODE(mode, type)	((mode) | (type) << 4)

/**
 * define DRM_VSM_RESULT_PRED - Bit for the predicate in a result, above the 32 bits of d
 */
#define DRM_VSM_RESULT_PRED		(1ULL << 32)

/**
 * enum drm_vsm_space - State-space qualifier of an instruction
 * @DRM_VSM_SPACE_GENERIC: No qualifier (generic addressing): the address determines the window
 * @DRM_VSM_SPACE_SHARED_CTA: .shared::cta, the window of the executing CTA
 * @DRM_VSM_SPACE_SHARED_CLUSTER: .shared::cluster, the window of any CTA
 */
enum drm_vsm_space {
	DRM_VSM_SPACE_GENERIC = 0,
	DRM_VSM_SPACE_SHARED_CTA = 1,
	DRM_VSM_SPACE_SHARED_CLUSTER = 2,
};

/**
 * enum drm_vsm_sem - .sem qualifier
 * @DRM_VSM_SEM_DEFAULT: No .sem: PTX takes .release for arrives, .acquire for waits, .acq_rel for
 *	fence
 * @DRM_VSM_SEM_RELAXED: .sem is .relaxed
 * @DRM_VSM_SEM_ACQUIRE: .sem is .acquire
 * @DRM_VSM_SEM_RELEASE: .sem is .release
 * @DRM_VSM_SEM_ACQ_REL: .sem is .acq_rel (fence)
 * @DRM_VSM_SEM_SC: .sem is .sc (fence)
 *
 * .sem and .scope are given together or not at all, with two exceptions: barrier.cluster has no
 * .scope, and fence may have .scope without .sem.
 */
enum drm_vsm_sem {
	DRM_VSM_SEM_DEFAULT = 0,
	DRM_VSM_SEM_RELAXED = 1,
	DRM_VSM_SEM_ACQUIRE = 2,
	DRM_VSM_SEM_RELEASE = 3,
	DRM_VSM_SEM_ACQ_REL = 4,
	DRM_VSM_SEM_SC = 5,
};

/**
 * enum drm_vsm_scope - .scope qualifier
 * @DRM_VSM_SCOPE_DEFAULT: No .scope, which means .cta
 * @DRM_VSM_SCOPE_CTA: .scope is .cta
 * @DRM_VSM_SCOPE_CLUSTER: .scope is .cluster
 * @DRM_VSM_SCOPE_GPU: .scope is .gpu (fence)
 * @DRM_VSM_SCOPE_SYS: .scope is .sys (fence)
 */
enum drm_vsm_scope {
	DRM_VSM_SCOPE_DEFAULT = 0,
	DRM_VSM_SCOPE_CTA = 1,
	DRM_VSM_SCOPE_CLUSTER = 2,
	DRM_VSM_SCOPE_GPU = 3,
	DRM_VSM_SCOPE_SYS = 4,
};

/**
 * enum drm_vsm_fault - Misuse for which an instruction was refused
 * @DRM_VSM_FAULT_NONE: No misuse
 * @DRM_VSM_FAULT_MISALIGNED: The address is not a multiple of 8 (for a copy: of 16, or of its size)
 * @DRM_VSM_FAULT_OUT_OF_WINDOW: There is no such CTA rank, or the address is past the end of the
 *	window. Or the instruction has .shared::cta, but the address is in the window of another CTA
 *	(only for operations that can work on other CTAs' windows)
 * @DRM_VSM_FAULT_NOT_AN_MBARRIER: There is no valid object at the address
 * @DRM_VSM_FAULT_INIT_OVER_LIVE: The object at the address of the init is still valid: it needs an
 *	inval before. info is &enum drm_vsm_mbarrier_state
 * @DRM_VSM_FAULT_BAD_COUNT: The count of an init or an arrive is not 1 to 2^20 - 1
 * @DRM_VSM_FAULT_INVAL_IN_USE: The object of the inval is in use: a wait is suspended or armed on
 *	it (info is 0), or asynchronous operations are bound to it (info is their number)
 * @DRM_VSM_FAULT_ARRIVAL_OVERFLOW: The count of the arrive is above the number of pending arrivals
 * @DRM_VSM_FAULT_NOCOMPLETE_COMPLETES: The .noComplete arrive would complete the phase: its count
 *	is above the number of pending arrivals, or equal to it while no transaction is pending
 * @DRM_VSM_FAULT_DROP_TO_ZERO: The drop would leave no expected arrivals
 * @DRM_VSM_FAULT_TX_RANGE: The tx-count would be outside +-(2^20 - 1) after the operation, or the
 *	operand is above 2^20 - 1
 * @DRM_VSM_FAULT_TX_OVERDELIVERY: The tx-count would be below 0 while no arrival is pending
 * @DRM_VSM_FAULT_REMOTE_FORBIDDEN: The operation cannot work on another CTA's window, or cannot
 *	return a result from there
 * @DRM_VSM_FAULT_BAD_ORDER: The operation does not take this .sem or .scope, or one is given
 *	without the other
 * @DRM_VSM_FAULT_POISONED: The word's poison bit is set. The operation traps: the cluster is lost
 * @DRM_VSM_FAULT_PHASE_UNOBSERVED: The operation would complete a phase before any wait returned
 *	True for the phase before it. If this rule is in &drm_vsm_cluster_create.enforce, every
 *	arrive-on in such a phase is refused, even if it does not complete the phase
 * @DRM_VSM_FAULT_STALE_TOKEN: The token of the wait is older than the immediately preceding phase,
 *	or belongs to another object
 * @DRM_VSM_FAULT_NOT_A_PENDING_TOKEN: The token of the pending_count was not returned by a
 *	.noComplete arrive
 * @DRM_VSM_FAULT_INIT_NOT_FENCED: The operation works on an object of another CTA whose init is not
 *	visible to the cluster. A later fence.mbarrier_init of the thread that executed the init
 *	makes it visible. So does a later release at scope .cluster or wider by any thread of its
 *	CTA: an arrive, a fence, or a barrier.cluster.arrive (when the phase of the barrier is
 *	complete)
 * @DRM_VSM_FAULT_WRITE_OVER_LIVE: The copy writes to a valid object; info is the cluster shared
 *	address of the first such object
 * @DRM_VSM_FAULT_LATE_COMPLETION: An asynchronous operation completed too late: the phase that it
 *	was bound to is already complete, or the object is no longer valid
 * @DRM_VSM_FAULT_DEADLOCK: Every thread of the cluster is suspended without a time limit, and
 *	nothing in flight could wake one; info is the number of threads. For a named barrier, the
 *	lower half of result is the number of threads that have arrived there. If all warps of the
 *	CTA that have not exited have arrived, the upper half is the mask of the warps that have
 *	exited without an arrival, else 0
 * @DRM_VSM_FAULT_PENDING_RANGE: cp.async.mbarrier.arrive would raise pending above 2^20 - 1
 * @DRM_VSM_FAULT_BAD_PARITY: The parity of the wait is above 1
 * @DRM_VSM_FAULT_READ_OVER_LIVE: The copy reads a valid object as data; info is the cluster shared
 *	address of the first such object
 * @DRM_VSM_FAULT_PLAIN_ACCESS: A load, a store or an atomic operation of a thread accesses a valid
 *	object; info is the cluster shared address of the first such object. The device does not see
 *	these accesses: libraries that execute kernels find them
 * @DRM_VSM_FAULT_COPY_SIZE: The size of a bulk copy is not a multiple of 16, or src_size of a
 *	cp.async is above its size
 * @DRM_VSM_FAULT_COPY_BOUNDS: The copy reaches outside its buffer
 * @DRM_VSM_FAULT_COPY_MBARRIER: The copy's mbarrier is in another CTA's window than its destination
 * @DRM_VSM_FAULT_COPY_OVERLAP: The copy writes bytes that another copy in flight reads or writes.
 *	Two reductions may overlap
 * @DRM_VSM_FAULT_COPY_INCOMPLETE: The copy reads bytes that another copy in flight writes
 * @DRM_VSM_FAULT_TENSOR_MAP: The tensor map is not valid, or does not fit the instruction; info is
 *	&enum drm_vsm_tensor_error
 * @DRM_VSM_FAULT_NOT_IN_MASK: The executing thread is not in its membermask
 * @DRM_VSM_FAULT_WARP_MISMATCH: Another thread of the membermask waits for this thread in a
 *	different instruction, or with different qualifiers or a different membermask; info is the
 *	lane of that thread
 * @DRM_VSM_FAULT_SHFL_SOURCE: The source lane of the shfl.sync is not in the membermask or has
 *	exited; info is that lane. Checked only if this rule is in &drm_vsm_cluster_create.enforce
 * @DRM_VSM_FAULT_PARTIAL_WARP: The barrier waits for all threads of the warp, but one of them waits
 *	for this thread in a different instruction; info is the lane of that thread
 * @DRM_VSM_FAULT_BARRIER_ID: The barrier's number is above 15
 * @DRM_VSM_FAULT_BARRIER_COUNT: The count of a barrier is 0 or not a multiple of 32
 * @DRM_VSM_FAULT_BARRIER_MISMATCH: The count differs from the count of the warps that have arrived;
 *	info is their count
 * @DRM_VSM_FAULT_BARRIER_OVERFLOW: The warp arrives again before the barrier is complete. Checked
 *	only if this rule is in &drm_vsm_cluster_create.enforce
 * @DRM_VSM_FAULT_BARRIER_MIXED: Warps have arrived at the barrier by another operation: by .sync,
 *	.arrive or a different .red if the instruction is .red; by .red if the instruction is .sync
 *	or .arrive
 * @DRM_VSM_FAULT_CLUSTER_ARRIVED: The thread executes barrier.cluster.arrive again without a
 *	barrier.cluster.wait between
 * @DRM_VSM_FAULT_CLUSTER_NOT_ARRIVED: The thread executes barrier.cluster.wait without having
 *	executed barrier.cluster.arrive
 * @DRM_VSM_FAULT_THREAD_EXITED: The thread has exited
 * @DRM_VSM_FAULT_THREAD_SUSPENDED: The thread is still in another rendezvous: another task or an
 *	armed wait waits in it as this thread, or a signal or %DRM_VSM_EXEC_LANES has left it there.
 *	Or a wait for groups is to be armed, and one of the thread is armed already
 */
enum drm_vsm_fault {
	DRM_VSM_FAULT_NONE = 0,
	DRM_VSM_FAULT_MISALIGNED = 1,
	DRM_VSM_FAULT_OUT_OF_WINDOW = 2,
	DRM_VSM_FAULT_NOT_AN_MBARRIER = 3,
	DRM_VSM_FAULT_INIT_OVER_LIVE = 4,
	DRM_VSM_FAULT_BAD_COUNT = 5,
	DRM_VSM_FAULT_INVAL_IN_USE = 6,
	DRM_VSM_FAULT_ARRIVAL_OVERFLOW = 7,
	DRM_VSM_FAULT_NOCOMPLETE_COMPLETES = 8,
	DRM_VSM_FAULT_DROP_TO_ZERO = 9,
	DRM_VSM_FAULT_TX_RANGE = 10,
	DRM_VSM_FAULT_TX_OVERDELIVERY = 11,
	DRM_VSM_FAULT_REMOTE_FORBIDDEN = 12,
	DRM_VSM_FAULT_BAD_ORDER = 13,
	DRM_VSM_FAULT_POISONED = 14,
	DRM_VSM_FAULT_PHASE_UNOBSERVED = 15,
	DRM_VSM_FAULT_STALE_TOKEN = 16,
	DRM_VSM_FAULT_NOT_A_PENDING_TOKEN = 17,
	DRM_VSM_FAULT_INIT_NOT_FENCED = 18,
	DRM_VSM_FAULT_WRITE_OVER_LIVE = 19,
	DRM_VSM_FAULT_LATE_COMPLETION = 20,
	DRM_VSM_FAULT_DEADLOCK = 21,
	DRM_VSM_FAULT_PENDING_RANGE = 22,
	DRM_VSM_FAULT_BAD_PARITY = 23,
	DRM_VSM_FAULT_READ_OVER_LIVE = 24,
	DRM_VSM_FAULT_PLAIN_ACCESS = 25,
	DRM_VSM_FAULT_COPY_SIZE = 0x101,
	DRM_VSM_FAULT_COPY_BOUNDS = 0x102,
	DRM_VSM_FAULT_COPY_MBARRIER = 0x103,
	DRM_VSM_FAULT_COPY_OVERLAP = 0x104,
	DRM_VSM_FAULT_COPY_INCOMPLETE = 0x105,
	DRM_VSM_FAULT_TENSOR_MAP = 0x106,
	DRM_VSM_FAULT_NOT_IN_MASK = 0x201,
	DRM_VSM_FAULT_WARP_MISMATCH = 0x202,
	DRM_VSM_FAULT_SHFL_SOURCE = 0x203,
	DRM_VSM_FAULT_PARTIAL_WARP = 0x204,
	DRM_VSM_FAULT_BARRIER_ID = 0x205,
	DRM_VSM_FAULT_BARRIER_COUNT = 0x206,
	DRM_VSM_FAULT_BARRIER_MISMATCH = 0x207,
	DRM_VSM_FAULT_BARRIER_OVERFLOW = 0x208,
	DRM_VSM_FAULT_BARRIER_MIXED = 0x209,
	DRM_VSM_FAULT_CLUSTER_ARRIVED = 0x20a,
	DRM_VSM_FAULT_CLUSTER_NOT_ARRIVED = 0x20b,
	DRM_VSM_FAULT_THREAD_EXITED = 0x20c,
	DRM_VSM_FAULT_THREAD_SUSPENDED = 0x20d,
};

/*
 * The bit of a fault in masks of rules. Codes below 0x100 begin at bit 1, codes from 0x101 at bit
 * 33, and codes from 0x201 at bit 41.
 */
#define DRM_VSM_RULE(fault) \
	(1ULL << ((fault) < 0x100 ? (fault) : \
		  ((fault) < 0x200 ? 32 : 40) + ((fault) & 0xff)))

/**
 * enum drm_vsm_mbarrier_state - State of a valid object
 * @DRM_VSM_MBARRIER_IDLE: The counts show no activity: all expected arrivals are pending, and no
 *	transaction is
 * @DRM_VSM_MBARRIER_IN_PROGRESS: A phase is in progress
 * @DRM_VSM_MBARRIER_UNOBSERVED: A phase has completed, and no wait has returned True for it
 */
enum drm_vsm_mbarrier_state {
	DRM_VSM_MBARRIER_IDLE = 0,
	DRM_VSM_MBARRIER_IN_PROGRESS = 1,
	DRM_VSM_MBARRIER_UNOBSERVED = 2,
};

/**
 * struct drm_vsm_mbarrier_operands - Operands of an mbarrier operation
 * @addr: Cluster shared address, rank << 24 | offset
 * @count: Arrivals, 1 to 2^20 - 1
 * @tx_count: Transactions (bytes), 0 to 2^20 - 1
 * @parity: phaseParity, 0 or 1; the hardware policy looks at bit 0 only
 * @hint_ns: suspendTimeHint in ns: replaces the time limit of the device. The wait never ends
 *	before the limit. If the limit is more than two timer ticks (8 ms with HZ=250), the wait may
 *	end late, by up to an eighth of the limit plus two ticks
 * @pad: Must be 0
 * @state: State token of an arrive
 * @reserved: Must be 0
 *
 * Operands that the instruction does not take must be 0.
 */
struct drm_vsm_mbarrier_operands {
	__u32 addr;
	__u32 count;
	__u32 tx_count;
	__u32 parity;
	__u32 hint_ns;
	__u32 pad;
	__u64 state;
	__u64 reserved;
};

/**
 * struct drm_vsm_copy_operands - Operands of a copy
 * @addr: Cluster shared address of the destination or source in a window, a multiple of 16 (for
 *	cp.async: of @size). If both are in windows, it is the address of the destination
 * @mbar: Cluster shared address of the mbarrier on which complete-tx is performed (only if the
 *	destination is in shared memory), in the same CTA's window as @addr
 * @size: Bytes, a multiple of 16; 4, 8 or 16 for cp.async
 * @buffer: GEM handle of the buffer that the copy reads or writes
 * @offset: Byte offset in the buffer, a multiple of 16 (for cp.async: of @size)
 * @src_size: Bytes to copy, up to @size (cp.async with %DRM_VSM_MOD_SRC_SIZE)
 * @mask: With %DRM_VSM_MOD_MULTICAST the ctaMask, not 0: each CTA whose bit is set gets the data at
 *	the offset of @addr and the complete-tx on its mbarrier at the offset of @mbar. With
 *	%DRM_VSM_MOD_CP_MASK the byteMask: byte i of every 16 bytes is copied if bit i is set
 * @pad: Must be 0
 * @src: Cluster shared address of the source in the executing CTA's window, a multiple of 16
 *	(shared to shared)
 * @reserved: Must be 0
 *
 * Operands that the instruction does not take must be 0.
 */
struct drm_vsm_copy_operands {
	__u32 addr;
	__u32 mbar;
	__u32 size;
	__u32 buffer;
	__u64 offset;
	__u32 src_size;
	__u16 mask;
	__u16 pad;
	__u32 src;
	__u32 reserved;
};

/**
 * struct drm_vsm_tensor_operands - Operands of a tensor copy
 * @addr: Cluster shared address of the box in shared memory, a multiple of 128
 * @mbar: Cluster shared address of the mbarrier on which complete-tx is performed (global to shared
 *	only), in the same CTA's window as @addr
 * @map: Pointer to the &struct drm_vsm_tensor_map, a multiple of 64. The map is read when the
 *	instruction is issued
 * @coords: tensorCoords, innermost first: the first element of the box (.tile), or the first
 *	channel and pixel (.im2col). Coordinates past the last dimension must be 0
 * @mask: ctaMask (%DRM_VSM_MOD_MULTICAST)
 * @offsets: im2colOffsets (.im2col loads and prefetches), innermost first, from bit 0: with three
 *	dimensions one offset of 16 bits, with four dimensions two of 8 bits, with five dimensions
 *	three of 5 bits
 *
 * Operands that the instruction does not take must be 0.
 */
struct drm_vsm_tensor_operands {
	__u32 addr;
	__u32 mbar;
	__u64 map;
	__s32 coords[5];
	__u16 mask;
	__u16 offsets;
};

/**
 * struct drm_vsm_store_operands - Operands of st.async and red.async
 * @addr: Cluster shared address of the destination, a multiple of @size
 * @mbar: Cluster shared address of the mbarrier on which complete-tx is performed, in the same
 *	CTA's window as @addr
 * @size: Bytes to store
 * @pad: Must be 0
 * @value: The value to store, or the operand of the reduction; bytes past @size must be 0
 * @reserved: Must be 0
 */
struct drm_vsm_store_operands {
	__u32 addr;
	__u32 mbar;
	__u32 size;
	__u32 pad;
	__u64 value[2];
	__u64 reserved;
};

/**
 * struct drm_vsm_warp_operands - Operands of a warp operation
 * @membermask: Mask of the lanes that take part, with lane 0 in bit 0. Lanes that do not exist in
 *	the warp count as exited
 * @b: Lane (.idx), mask (.bfly) or offset (.up, .down) of shfl.sync; only bits 4:0 are used
 * @c: Clamp value in bits 4:0 and segment mask in bits 12:8 (shfl.sync); other bits are not used
 * @pad: Must be 0
 * @a: Value (match.sync, shfl.sync, redux.sync) of 32 bits, or of 64 bits for match.sync.b64; or
 *	predicate, 0 or 1 (vote.sync)
 * @reserved: Must be 0
 *
 * Operands that the instruction does not take must be 0.
 */
struct drm_vsm_warp_operands {
	__u32 membermask;
	__u32 b;
	__u32 c;
	__u32 pad;
	__u64 a;
	__u64 reserved[2];
};

/**
 * struct drm_vsm_barrier_operands - Operands of barrier.cta
 * @barrier: Named barrier, 0 to 15
 * @count: Threads whose arrival completes the barrier, a multiple of 32 above 0
 *	(%DRM_VSM_MOD_COUNT). Each arrival of a warp counts as 32 threads
 * @pred: Predicate, 0 or 1 (barrier.cta.red)
 * @pad: Must be 0
 * @reserved: Must be 0
 *
 * Operands that the instruction does not take must be 0.
 */
struct drm_vsm_barrier_operands {
	__u32 barrier;
	__u32 count;
	__u32 pred;
	__u32 pad;
	__u64 reserved[3];
};

/**
 * struct drm_vsm_insn - An instruction
 * @op: &enum drm_vsm_op
 * @mods: Mask of &enum drm_vsm_mod
 * @space: &enum drm_vsm_space
 * @sem: &enum drm_vsm_sem
 * @scope: &enum drm_vsm_scope
 * @red: DRM_VSM_RED() for reductions, but only &enum drm_vsm_red for barrier.cta.red;
 *	DRM_VSM_RED_DIMS() for tensor copies; DRM_VSM_MODE() for match.sync; &enum drm_vsm_mode for
 *	vote.sync and shfl.sync; otherwise 0
 * @u: Operands
 * @u.mbarrier: Operands of mbarrier operations, and of waits for groups
 * @u.copy: Operands of copies
 * @u.tensor: Operands of tensor copies
 * @u.store: Operands of st.async and red.async
 * @u.warp: Operands of warp operations
 * @u.barrier: Operands of barrier.cta
 * @result: Result (out). If @fault is set, it is instead the mbarrier word that the instruction
 *	found, or 0 if the instruction read no word. A refused instruction does not change the word
 * @fault: &enum drm_vsm_fault (out): the rule that the instruction broke
 * @info: Number that explains @fault: &enum drm_vsm_fault says what it is; otherwise 0 (out)
 *
 * The kernel does not read @result, @fault and @info. EXEC writes them when the instruction retires
 * or is refused, SUBMIT only when it is refused.
 */
struct drm_vsm_insn {
	__u16 op;
	__u16 mods;
	__u8 space;
	__u8 sem;
	__u8 scope;
	__u8 red;
	union {
		struct drm_vsm_mbarrier_operands mbarrier;
		struct drm_vsm_copy_operands copy;
		struct drm_vsm_tensor_operands tensor;
		struct drm_vsm_store_operands store;
		struct drm_vsm_warp_operands warp;
		struct drm_vsm_barrier_operands barrier;
	} u;
	__u64 result;
	__u32 fault;
	__u32 info;
};

/**
 * enum drm_vsm_tensor_type - Type of a tensor's elements, numbered as in CUtensorMapDataType
 * @DRM_VSM_TENSOR_UINT8: Unsigned integers of 1 byte
 * @DRM_VSM_TENSOR_UINT16: Unsigned integers of 2 bytes
 * @DRM_VSM_TENSOR_UINT32: Unsigned integers of 4 bytes
 * @DRM_VSM_TENSOR_INT32: Signed integers of 4 bytes
 * @DRM_VSM_TENSOR_UINT64: Unsigned integers of 8 bytes
 * @DRM_VSM_TENSOR_INT64: Signed integers of 8 bytes
 * @DRM_VSM_TENSOR_FLOAT16: Half precision, 2 bytes
 * @DRM_VSM_TENSOR_FLOAT32: Single precision, 4 bytes
 * @DRM_VSM_TENSOR_FLOAT64: Double precision, 8 bytes
 * @DRM_VSM_TENSOR_BFLOAT16: bfloat16, 2 bytes
 * @DRM_VSM_TENSOR_FLOAT32_FTZ: Single precision, 4 bytes; the device treats it like FLOAT32
 * @DRM_VSM_TENSOR_TFLOAT32: TensorFloat-32, 4 bytes; loads round the elements
 * @DRM_VSM_TENSOR_TFLOAT32_FTZ: TensorFloat-32, 4 bytes; the device treats it like TFLOAT32
 */
enum drm_vsm_tensor_type {
	DRM_VSM_TENSOR_UINT8 = 0,
	DRM_VSM_TENSOR_UINT16 = 1,
	DRM_VSM_TENSOR_UINT32 = 2,
	DRM_VSM_TENSOR_INT32 = 3,
	DRM_VSM_TENSOR_UINT64 = 4,
	DRM_VSM_TENSOR_INT64 = 5,
	DRM_VSM_TENSOR_FLOAT16 = 6,
	DRM_VSM_TENSOR_FLOAT32 = 7,
	DRM_VSM_TENSOR_FLOAT64 = 8,
	DRM_VSM_TENSOR_BFLOAT16 = 9,
	DRM_VSM_TENSOR_FLOAT32_FTZ = 10,
	DRM_VSM_TENSOR_TFLOAT32 = 11,
	DRM_VSM_TENSOR_TFLOAT32_FTZ = 12,
};

/**
 * enum drm_vsm_tensor_mode - How a tensor map is accessed
 * @DRM_VSM_TENSOR_TILED: Only instructions with .tile can use the map
 * @DRM_VSM_TENSOR_IM2COL: Only instructions with .im2col or .im2col_no_offs can use the map
 */
enum drm_vsm_tensor_mode {
	DRM_VSM_TENSOR_TILED = 1,
	DRM_VSM_TENSOR_IM2COL = 2,
};

/**
 * enum drm_vsm_tensor_interleave - Interleaved layout, numbered as in CUtensorMapInterleave
 * @DRM_VSM_TENSOR_INTERLEAVE_NONE: Not interleaved
 * @DRM_VSM_TENSOR_INTERLEAVE_16B: NC/8HWC8 for two-byte elements
 * @DRM_VSM_TENSOR_INTERLEAVE_32B: NC/16HWC16 for two-byte elements
 *
 * With interleave the dimensions of a map are W, H, D, the slices of 16 or 32 bytes, and N. A map
 * with four dimensions lacks D, and a map with three lacks D and H.
 */
enum drm_vsm_tensor_interleave {
	DRM_VSM_TENSOR_INTERLEAVE_NONE = 0,
	DRM_VSM_TENSOR_INTERLEAVE_16B = 1,
	DRM_VSM_TENSOR_INTERLEAVE_32B = 2,
};

/**
 * enum drm_vsm_tensor_swizzle - Swizzle in shared memory, numbered as in CUtensorMapSwizzle
 * @DRM_VSM_TENSOR_SWIZZLE_NONE: No swizzle
 * @DRM_VSM_TENSOR_SWIZZLE_32B: Permutes the 16-byte chunks of every 32 bytes
 * @DRM_VSM_TENSOR_SWIZZLE_64B: Permutes the 16-byte chunks of every 64 bytes
 * @DRM_VSM_TENSOR_SWIZZLE_128B: Permutes the 16-byte chunks of every 128 bytes
 */
enum drm_vsm_tensor_swizzle {
	DRM_VSM_TENSOR_SWIZZLE_NONE = 0,
	DRM_VSM_TENSOR_SWIZZLE_32B = 1,
	DRM_VSM_TENSOR_SWIZZLE_64B = 2,
	DRM_VSM_TENSOR_SWIZZLE_128B = 3,
};

/**
 * enum drm_vsm_tensor_fill - Value of elements out of bounds, numbered as in
 * CUtensorMapFloatOOBfill
 * @DRM_VSM_TENSOR_FILL_ZERO: Zero
 * @DRM_VSM_TENSOR_FILL_NAN: A NaN that fused multiply-adds treat as zero; floating-point types only
 */
enum drm_vsm_tensor_fill {
	DRM_VSM_TENSOR_FILL_ZERO = 0,
	DRM_VSM_TENSOR_FILL_NAN = 1,
};

/**
 * struct drm_vsm_tensor_map - A tensor map: a tensor in a buffer, and the box of it that is copied
 * @type: &enum drm_vsm_tensor_type
 * @rank: Dimensions, 1 to 5
 * @mode: &enum drm_vsm_tensor_mode
 * @interleave: &enum drm_vsm_tensor_interleave
 * @swizzle: &enum drm_vsm_tensor_swizzle
 * @fill: &enum drm_vsm_tensor_fill
 * @l2_promotion: CUtensorMapL2promotion, 0 to 3; it has no effect
 * @pad: Must be 0
 * @buffer: GEM handle of the buffer
 * @channels: Channels of a pixel (.im2col)
 * @pixels: Pixels of a column (.im2col)
 * @offset: Byte offset of the tensor in the buffer
 * @size: Elements of each dimension, innermost first
 * @stride: Bytes from one element to the next in each dimension except the innermost
 * @box: Elements of the box in each dimension (.tile)
 * @lower: Lower corner of the bounding box (.im2col), innermost dimension first
 * @upper: Upper corner of the bounding box (.im2col), innermost dimension first
 * @element_stride: Distance of the copied elements in each dimension: 1 copies every element, 2
 *	every second one
 * @reserved: Must be 0
 *
 * vsm_tensor_map_encode_tiled() and vsm_tensor_map_encode_im2col() of libvsm make tensor maps.
 * &enum drm_vsm_tensor_error says which values are valid. Fields that the rank or the mode does not
 * use must be 0.
 */
struct drm_vsm_tensor_map {
	__u8 type;
	__u8 rank;
	__u8 mode;
	__u8 interleave;
	__u8 swizzle;
	__u8 fill;
	__u8 l2_promotion;
	__u8 pad;
	__u32 buffer;
	__u16 channels;
	__u16 pixels;
	__u64 offset;
	__u64 size[5];
	__u64 stride[4];
	__u16 box[5];
	__s16 lower[3];
	__s16 upper[3];
	__u8 element_stride[5];
	__u8 reserved[5];
};

/**
 * enum drm_vsm_exec_flags - Flags of an EXEC
 * @DRM_VSM_EXEC_NO_LIMIT: A try_wait without suspendTimeHint suspends until its phase completes; a
 *	rendezvous always suspends without a time limit. The device detects deadlocks: if all
 *	threads of a cluster that have not exited are suspended without a time limit, nothing is in
 *	flight on the cluster and no wait is armed without %DRM_VSM_WAIT_NO_LIMIT, then no thread
 *	can be woken any more, and all these waits end with %DRM_VSM_FAULT_DEADLOCK. If several
 *	tasks execute as one thread, the thread counts as suspended while at least one of them is
 * @DRM_VSM_EXEC_WARP: The caller executes as the thread's whole, converged warp. An instruction
 *	from %DRM_VSM_OP_MATCH_SYNC to %DRM_VSM_OP_EXIT is executed, with the same operands, by all
 *	threads of the warp that have not exited (a warp operation only by those of the membermask).
 *	The caller gets the result of its own thread. Any other instruction is executed by this
 *	thread alone, as after elect.sync; the other threads of the warp do nothing. After a signal,
 *	the same thread must continue the instruction, or exit, with this flag set
 * @DRM_VSM_EXEC_LANES: Several threads of one warp, the lanes in &drm_vsm_exec.lanes, execute one
 *	instruction each, and the call does not suspend. Not together with the other flags
 * @DRM_VSM_EXEC_BATCH: The call is a batch: several calls with %DRM_VSM_EXEC_LANES, of any warps
 *	and clusters. Not together with the other flags
 */
enum drm_vsm_exec_flags {
	DRM_VSM_EXEC_NO_LIMIT = 1 << 0,
	DRM_VSM_EXEC_WARP = 1 << 1,
	DRM_VSM_EXEC_LANES = 1 << 2,
	DRM_VSM_EXEC_BATCH = 1 << 3,
};

/**
 * struct drm_vsm_exec - Run instructions as one device thread
 * @cluster: Handle of the cluster
 * @cta: Rank of the CTA
 * @thread: Thread in the CTA
 * @insns: Pointer to the first &struct drm_vsm_insn
 * @stride: Bytes from one instruction to the next
 * @count: Instructions, up to &drm_vsm_device_info.max_exec
 * @retired: Number of instructions that are retired (in, out). Execution begins at this index, and
 *	the kernel adds the instructions that it retires. The same structure can therefore continue
 *	a stream
 * @flags: Mask of &enum drm_vsm_exec_flags
 * @deadline: Absolute time at which the limit of a suspended try_wait passes; INT64_MAX if it has
 *	no limit; 0 if no try_wait is suspended (in, out). The caller sets it to 0 for a new stream,
 *	and does not change it between calls
 * @lanes: Mask of the lanes that execute the instructions, with %DRM_VSM_EXEC_LANES; else 0
 * @suspended: Mask of the lanes that are suspended, with %DRM_VSM_EXEC_LANES; else 0 (in, out). The
 *	caller sets it to 0 for new instructions. The kernel sets or clears the bits of the lanes
 *	whose instructions it retires
 * @site: Number for the events of the instructions (&drm_vsm_trace_event.site), such as a place in
 *	a program; 0 if there is none
 * @pad: Must be 0
 *
 * Returns 0 when all instructions are retired. It also returns 0 when a try_wait has returned False
 * because its time limit passed: that try_wait is then the last retired instruction, and its result
 * is 0. The program then decides what to do next, like the branch after a try_wait in a kernel: it
 * calls again to continue, or it sets @retired back to repeat the try_wait.
 *
 * If a signal interrupts a thread in a rendezvous, the thread has still arrived: the other threads
 * do not wait for it to return. The same call continues the wait of the thread; another EXEC or an
 * armed wait with the same instruction continues it too. Until then the thread can execute no other
 * instruction from %DRM_VSM_OP_MATCH_SYNC to %DRM_VSM_OP_BARRIER_CLUSTER_WAIT. A thread that has
 * exited can execute nothing by EXEC, SUBMIT or WAITSET_ARM.
 *
 * Copies, st.async, red.async and cp.async.mbarrier.arrive retire when they are issued and execute
 * later. No call returns misuse that is found then: only an event reports it. While such an
 * operation is in flight, it counts towards the same limits as an instruction of a job.
 *
 * With %DRM_VSM_EXEC_LANES, @thread is the first thread of a warp. The lane of bit i in @lanes is
 * the thread @thread + i. The lowest lane executes the first instruction, the next lane the second
 * one, and so on; @count must be the number of lanes. The first 8 bytes of all instructions must be
 * equal (operation, modifiers and qualifiers), @deadline must be 0, and the lanes must exist; else
 * the call returns EINVAL. The instructions are executed in order, each with its own operands and
 * result, as if each lane had called EXEC with one instruction. @retired counts them as usual: if
 * one is refused, those before it are retired, those after it are not executed, and the same call
 * continues. There are these differences, because no lane suspends the caller:
 *
 * - A try_wait is a test_wait: its result is 0 if the phase is not complete.
 * - A lane that executes an instruction from %DRM_VSM_OP_MATCH_SYNC to
 *   %DRM_VSM_OP_BARRIER_CLUSTER_WAIT arrives, and the next lane follows. If an instruction is
 *   complete after the last lane has arrived, it has its result. The lanes of the other
 *   instructions have arrived, are retired too, and are suspended: @suspended has their bits. They
 *   continue as after a signal: when a lane executes the same instruction again, it gets the result
 *   or is still suspended; and %DRM_VSM_WAIT_LANES arms a wait for it. If an instruction is refused
 *   when it completes, the call returns EPROTO, and @retired is the index of that instruction. The
 *   lanes after it get their results when the caller continues behind it.
 * - A wait for groups that are not complete has no effect, is retired, and its lane is suspended:
 *   @suspended has its bit. Execute the instruction again later, or arm it. A cp.async.wait_all
 *   commits a group when it completes.
 *
 * The call never waits for a thread. As always, if a limit for operations in flight is reached, the
 * issue of another one waits until one has ended.
 *
 * With %DRM_VSM_EXEC_BATCH, @insns points to an array of &struct drm_vsm_exec, a multiple of 8;
 * @stride is the bytes from one to the next, a multiple of 8; and @count is their number, up to
 * &drm_vsm_device_info.max_exec. Each must have the flag %DRM_VSM_EXEC_LANES. They are executed in
 * order, as if the caller had made one call for each, until one fails. @retired counts those that
 * have ended without an error (in, out), the error is that of the one at @retired, and the same
 * call continues with it. The kernel writes each of them when it ends, also after an error.
 * @cluster, @cta, @thread, @deadline, @lanes, @suspended and @site must be 0.
 *
 * On an error the instructions before @retired are retired, and the one at @retired has changed
 * nothing. After EINTR the same call continues the stream: nothing is lost or repeated, and the
 * time limit of a suspended try_wait keeps running. If the kernel cannot write this structure, the
 * call fails with EFAULT, and @retired does not say how far the stream got.
 *
 * Errors: EPROTO (the instruction at @retired holds the fault), EOPNOTSUPP, EIO, ENODEV, ENOENT,
 * EINVAL, E2BIG, ENOSPC, ENOMEM, EFAULT, EINTR.
 */
struct drm_vsm_exec {
	__u32 cluster;
	__u16 cta;
	__u16 thread;
	__u64 insns;
	__u32 stride;
	__u32 count;
	__u32 retired;
	__u32 flags;
	__s64 deadline;
	__u32 lanes;
	__u32 suspended;
	__u32 site;
	__u32 pad;
};

/**
 * enum drm_vsm_sync_flags - Flags of a &struct drm_vsm_sync
 * @DRM_VSM_SYNC_WAIT: In-fence: the job starts when this fence has signalled
 * @DRM_VSM_SYNC_SIGNAL: Out-fence: the syncobj gets the job's fence
 */
enum drm_vsm_sync_flags {
	DRM_VSM_SYNC_WAIT = 1 << 0,
	DRM_VSM_SYNC_SIGNAL = 1 << 1,
};

/**
 * struct drm_vsm_sync - A fence of a job
 * @handle: DRM syncobj
 * @flags: DRM_VSM_SYNC_WAIT or DRM_VSM_SYNC_SIGNAL
 * @point: Point of a timeline syncobj, or 0 for a binary syncobj
 */
struct drm_vsm_sync {
	__u32 handle;
	__u32 flags;
	__u64 point;
};

/**
 * struct drm_vsm_submit - Queue a job on a copy channel
 * @cluster: Handle of the cluster
 * @cta: Rank of the CTA that the instructions belong to
 * @thread: Thread in the CTA
 * @insns: Pointer to the first &struct drm_vsm_insn
 * @stride: Bytes from one instruction to the next
 * @count: Instructions, 1 to &drm_vsm_device_info.max_submit
 * @syncs: Pointer to the first &struct drm_vsm_sync
 * @sync_stride: Bytes from one sync to the next
 * @sync_count: Syncs, up to &drm_vsm_device_info.max_syncs
 * @channel: Channel from DRM_IOCTL_VSM_CHANNEL_CREATE, or 0: channel 0 exists for every client and
 *	runs jobs in order
 * @flags: Must be 0
 * @refused: Index of the refused instruction (out, with EPROTO or EOPNOTSUPP)
 * @site: Number for the events of the job (&drm_vsm_trace_event.site), or 0
 *
 * A job may contain: all copies except cp.async; st.async and red.async; expect_tx, complete_tx and
 * fence; arrives with %DRM_VSM_MOD_SINK. Rules that do not depend on the mbarrier word are checked
 * here, and a breach refuses the whole job. All other rules are checked while the job runs.
 *
 * A job begins when its in-fences have signalled and the jobs before it in its channel have ended.
 * In an out-of-order channel it begins when its in-fences have signalled and no other job of the
 * channel is running. A job issues its instructions in order. Its copies are asynchronous to its
 * other instructions and to each other. The job ends, and its fence signals, when all of its copies
 * are complete. The fence's error is
 *
 * - EIO if the cluster is lost, or if an instruction of the job faulted: an event reports the
 *   fault, and the instructions after it have not been issued;
 * - ETIMEDOUT if the job took longer than the device's limit: its channel is reset, and those of
 *   its copies that are in flight are dropped;
 * - ECANCELED if the job waited in a channel that was reset, if another channel of the same group
 *   was reset, or if its channel was destroyed or its client closed before the job ended;
 * - ENODEV if the device was removed;
 * - the error of an in-fence if the in-fence failed: the job has not run.
 *
 * A copy writes its data before its complete-tx becomes visible.
 *
 * Errors: EPROTO, EOPNOTSUPP, ENOENT, EINVAL, E2BIG, ENOSPC, ENOMEM, EFAULT, EIO, ENODEV.
 */
struct drm_vsm_submit {
	__u32 cluster;
	__u16 cta;
	__u16 thread;
	__u64 insns;
	__u32 stride;
	__u32 count;
	__u64 syncs;
	__u32 sync_stride;
	__u32 sync_count;
	__u32 channel;
	__u32 flags;
	__u32 refused;
	__u32 site;
};

/**
 * enum drm_vsm_channel_flags - Flags of a channel
 * @DRM_VSM_CHANNEL_OUT_OF_ORDER: A job may overtake jobs whose in-fences have not signalled
 */
enum drm_vsm_channel_flags {
	DRM_VSM_CHANNEL_OUT_OF_ORDER = 1 << 0,
};

/**
 * enum drm_vsm_priority - Priority of a channel
 * @DRM_VSM_PRIORITY_LOW: The channel gives way to channels of normal and of high priority
 * @DRM_VSM_PRIORITY_NORMAL: The channel gives way to channels of high priority
 * @DRM_VSM_PRIORITY_HIGH: The channel gives way to no other; needs CAP_SYS_NICE
 */
enum drm_vsm_priority {
	DRM_VSM_PRIORITY_LOW = -1,
	DRM_VSM_PRIORITY_NORMAL = 0,
	DRM_VSM_PRIORITY_HIGH = 1,
};

/**
 * struct drm_vsm_channel_create - Create a copy channel
 * @flags: Mask of &enum drm_vsm_channel_flags
 * @channel: The channel (out), never 0
 * @priority: &enum drm_vsm_priority. Channel 0 has normal priority
 * @group: Number of the group of channels to which the channel belongs, any number that the client
 *	chooses; 0 for no group. Channel 0 has none
 *
 * A channel runs one job at a time. The channels of all clients run concurrently if processors are
 * free, and take turns otherwise. A channel gives way while any channel of the device that has a
 * higher priority has something to do: it then runs for one turn of 1 ms in every 10 ms, even if
 * processors are free. It is never delayed for ever. A channel has nothing to do while its jobs
 * wait for their in-fences, or until an operation is due.
 *
 * Channels of one client with the same @group are reset together, like the queues of a context of a
 * graphics API: when a guilty job resets one of them, the running and the waiting jobs of the
 * others end with ECANCELED (&struct drm_vsm_channel_status). Other channels of the client go on.
 * In all else, a group has no effect: its channels run concurrently, and each is destroyed alone.
 *
 * Errors: EINVAL, EOPNOTSUPP (the device lacks priorities or groups), EACCES (a high priority
 * without CAP_SYS_NICE), ENOSPC, ENOMEM.
 */
struct drm_vsm_channel_create {
	__u32 flags;
	__u32 channel;
	__s32 priority;
	__u32 group;
};

/**
 * struct drm_vsm_channel_destroy - Destroy a copy channel
 * @channel: The channel, not 0
 * @flags: Must be 0
 *
 * The jobs of the channel are cancelled.
 *
 * Errors: EINVAL, ENOENT.
 */
struct drm_vsm_channel_destroy {
	__u32 channel;
	__u32 flags;
};

/**
 * enum drm_vsm_reset_status - What has happened to the jobs of a channel
 * @DRM_VSM_RESET_NONE: No job has failed
 * @DRM_VSM_RESET_INNOCENT: A job ended with an error because of another one: it waited in a channel
 *	that was reset, another channel of the group was reset, or one of its in-fences failed
 * @DRM_VSM_RESET_GUILTY: A job took too long, one of its instructions was misuse, or a rule of
 *	injection made it fail
 * @DRM_VSM_RESET_UNKNOWN: A job ended with an error because its cluster was lost. Any job or thread
 *	of any client that uses the cluster may be the reason
 */
enum drm_vsm_reset_status {
	DRM_VSM_RESET_NONE = 0,
	DRM_VSM_RESET_INNOCENT = 1,
	DRM_VSM_RESET_GUILTY = 2,
	DRM_VSM_RESET_UNKNOWN = 3,
};

/**
 * enum drm_vsm_channel_status_flags - Flags of a query for the status of a channel
 * @DRM_VSM_CHANNEL_STATUS_CLEAR: Set the status to %DRM_VSM_RESET_NONE after it has been read
 */
enum drm_vsm_channel_status_flags {
	DRM_VSM_CHANNEL_STATUS_CLEAR = 1 << 0,
};

/**
 * struct drm_vsm_channel_status - Find out what has happened to the jobs of a channel
 * @channel: Channel of the caller; 0 is one, too
 * @flags: Mask of &enum drm_vsm_channel_status_flags
 * @status: &enum drm_vsm_reset_status: the worst since the last query with
 *	%DRM_VSM_CHANNEL_STATUS_CLEAR (out). GUILTY is worse than UNKNOWN, and UNKNOWN is worse than
 *	INNOCENT
 * @error: Error of the last job that counts in @guilty, @innocent or @unknown, as a negative errno;
 *	0 if there was none (out)
 * @resets: How often the channel was reset, alone or with its group (out)
 * @device_resets: How often any channel of the device was reset, for any client (out)
 * @guilty: Jobs of the channel that were guilty (out)
 * @innocent: Jobs of the channel that ended with an error and were innocent (out)
 * @unknown: Jobs of the channel that ended because their cluster was lost (out)
 * @guilty_job: Number of the last guilty job, 0 if there was none (out). The jobs of a channel have
 *	numbers from 1 on, in the order in which SUBMIT accepted them
 * @guilty_site: &drm_vsm_submit.site of that job (out)
 * @guilty_error: Error of that job, as a negative errno (out)
 *
 * A guilty job resets its channel if it takes too long, or if a rule makes it fault
 * (%DRM_VSM_INJECT_FAULT). A job whose instruction is misuse is guilty, too, but its channel is not
 * reset, and the jobs behind it run.
 *
 * The counts never decrease. A job counts before its fence signals. It does not count if it ends
 * because its channel is destroyed, its client is closed or the device is unplugged. All output is
 * from one moment, except @device_resets, which is read afterwards.
 *
 * Errors: EINVAL, ENOENT, ENODEV.
 */
struct drm_vsm_channel_status {
	__u32 channel;
	__u32 flags;
	__u32 status;
	__s32 error;
	__u64 resets;
	__u64 device_resets;
	__u64 guilty;
	__u64 innocent;
	__u64 unknown;
	__u64 guilty_job;
	__u32 guilty_site;
	__s32 guilty_error;
};

/**
 * define DRM_VSM_HOLD_NS - Longest time for which a hold lasts, in ns
 */
#define DRM_VSM_HOLD_NS 10000000000LL

/**
 * struct drm_vsm_hold_create - Create a hold: a fence that signals when the program says so
 * @handle: DRM syncobj that gets the fence
 * @flags: Must be 0
 * @point: Point of a timeline syncobj, or 0 for a binary syncobj
 * @deadline: When the hold ends at the latest, or 0 for %DRM_VSM_HOLD_NS from now. A later time
 *	counts as %DRM_VSM_HOLD_NS from now; with a time in the past the hold ends at once
 * @hold: The hold (out), never 0
 * @pad: Must be 0
 *
 * Every job that has the fence as an in-fence waits until the hold ends. The order in which a
 * program ends its holds is therefore the order in which the jobs of different channels begin. The
 * fence may also be passed to other drivers, as a sync_file or in a shared syncobj.
 *
 * A fence must signal within a finite time, because other programs and the kernel may wait for it.
 * The fence of a hold signals when the first of these happens:
 *
 * - DRM_IOCTL_VSM_HOLD_RELEASE, with the error that the program chose or without an error;
 * - @deadline is over: with the error ETIMEDOUT;
 * - the file is closed: with ECANCELED. A file that several processes have, for example after
 *   fork(), is closed when the last one has closed it;
 * - the device is removed: with ENODEV.
 *
 * A hold counts as one of the client's jobs (&drm_vsm_device_info.client_jobs) until it is
 * released, also after its deadline.
 *
 * Errors: EINVAL, EOPNOTSUPP (a point without %DRM_VSM_FEATURE_CHANNELS), ENOENT (no such syncobj),
 * ENOSPC, ENOMEM, ENODEV.
 */
struct drm_vsm_hold_create {
	__u32 handle;
	__u32 flags;
	__u64 point;
	__s64 deadline;
	__u32 hold;
	__u32 pad;
};

/**
 * struct drm_vsm_hold_release - Release a hold: its fence signals
 * @hold: Hold from DRM_IOCTL_VSM_HOLD_CREATE
 * @error: Error of the fence: 0 for none, or an errno from 1 to 133, but not EINTR or EAGAIN
 *
 * If this succeeds, the fence has signalled with @error. If it fails with ETIMEDOUT, the fence had
 * already signalled with the error ETIMEDOUT, because the hold's deadline was over. In both cases
 * the hold is gone, and its number may become that of a later hold. When several threads release a
 * hold, only one of them does not get ENOENT.
 *
 * Errors: EINVAL, ENOENT (no such hold, or it has been released), ETIMEDOUT, ENODEV.
 */
struct drm_vsm_hold_release {
	__u32 hold;
	__u32 error;
};

/**
 * enum drm_vsm_waitset_flags - Flags of a wait set
 * @DRM_VSM_WAITSET_NONBLOCK: Set O_NONBLOCK on the new file descriptor
 */
enum drm_vsm_waitset_flags {
	DRM_VSM_WAITSET_NONBLOCK = 1 << 0,
};

/**
 * struct drm_vsm_waitset_create - Create a wait set
 * @flags: Mask of &enum drm_vsm_waitset_flags
 * @record_stride: Bytes from one record to the next in the data of read(), a multiple of 8 from 24
 *	to 256. With 24 the records have no result
 * @fd: File descriptor, close-on-exec (out)
 * @pad: Must be 0
 *
 * The file descriptor is readable when a wait has ended. read() returns as many whole records as
 * fit, in the order in which the waits ended. If there is no record, read() blocks, or with
 * O_NONBLOCK returns EAGAIN. It returns EINVAL if no record fits. When the device is gone and no
 * record is left, it returns ENODEV. poll() returns POLLIN while there are records, and POLLHUP
 * once the device is gone.
 *
 * Errors: EINVAL, ENOMEM, EMFILE, ENFILE.
 */
struct drm_vsm_waitset_create {
	__u32 flags;
	__u32 record_stride;
	__s32 fd;
	__u32 pad;
};

/**
 * enum drm_vsm_wait_flags - Flags of a &struct drm_vsm_wait
 * @DRM_VSM_WAIT_PARITY: &drm_vsm_wait.state is a phaseParity, 0 or 1, instead of a token
 * @DRM_VSM_WAIT_INSN: The wait is an instruction that a thread executes: one from
 *	%DRM_VSM_OP_MATCH_SYNC to %DRM_VSM_OP_BARRIER_CLUSTER_WAIT, %DRM_VSM_OP_MBARRIER_TRY_WAIT,
 *	%DRM_VSM_OP_CP_ASYNC_WAIT_GROUP, %DRM_VSM_OP_CP_ASYNC_WAIT_ALL or
 *	%DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP. &drm_vsm_wait.addr is DRM_VSM_WAIT_THREAD() of the
 *	thread. &drm_vsm_wait.state is the pointer to the &struct drm_vsm_insn, of which the kernel
 *	reads 64 bytes and writes none. The suspendTimeHint of a try_wait has no effect:
 *	&drm_vsm_wait.deadline is the time limit
 * @DRM_VSM_WAIT_WARP: The whole warp executes the instruction, as with %DRM_VSM_EXEC_WARP; only
 *	together with %DRM_VSM_WAIT_INSN
 * @DRM_VSM_WAIT_LANES: The lanes in &drm_vsm_wait.lanes wait in the instruction, which has the same
 *	operands for all of them, and one record says that the wait has ended. &drm_vsm_wait.addr is
 *	DRM_VSM_WAIT_THREAD() of the first thread of their warp. Only together with
 *	%DRM_VSM_WAIT_INSN, and not with %DRM_VSM_WAIT_WARP
 * @DRM_VSM_WAIT_NO_LIMIT: The threads of the wait count as suspended without a time limit, as with
 *	%DRM_VSM_EXEC_NO_LIMIT, and may be part of a deadlock. The wait then ends with
 *	%DRM_VSM_WAIT_FAULT and the result %DRM_VSM_FAULT_DEADLOCK. Without this flag, no deadlock
 *	is found on the cluster while the wait is armed. Only together with %DRM_VSM_WAIT_INSN and
 *	a negative deadline. If several such waits are armed for a thread, the thread counts as
 *	suspended until the last of them ends
 */
enum drm_vsm_wait_flags {
	DRM_VSM_WAIT_PARITY = 1 << 0,
	DRM_VSM_WAIT_INSN = 1 << 1,
	DRM_VSM_WAIT_WARP = 1 << 2,
	DRM_VSM_WAIT_LANES = 1 << 3,
	DRM_VSM_WAIT_NO_LIMIT = 1 << 4,
};

/* The value that &drm_vsm_wait.addr must have with DRM_VSM_WAIT_INSN. */
#define DRM_VSM_WAIT_THREAD(cta, thread)	((__u32)(cta) << 16 | (thread))

/**
 * struct drm_vsm_wait - A wait to arm
 * @cluster: Handle of the cluster
 * @addr: Cluster shared address of the mbarrier; with %DRM_VSM_WAIT_INSN the thread
 * @state: State token; with %DRM_VSM_WAIT_PARITY the phaseParity; with %DRM_VSM_WAIT_INSN the
 *	pointer to the instruction
 * @deadline: Time when the wait expires, absolute CLOCK_MONOTONIC in ns. A negative value means
 *	that it never expires. A time in the past means that it expires at once
 * @user_data: Value that comes back in the record
 * @id: Number that names the wait in this set until its record is read, 0 if the wait was not armed
 *	(out)
 * @flags: Mask of &enum drm_vsm_wait_flags
 * @fault: &enum drm_vsm_fault (out): the rule for which the wait was refused
 * @lanes: Mask of the lanes that wait, with %DRM_VSM_WAIT_LANES; else 0
 * @site: Number for the events of the wait (&drm_vsm_trace_event.site), or 0
 *
 * With %DRM_VSM_WAIT_LANES and a rendezvous, the lanes must be in the instruction already
 * (%DRM_VSM_EXEC_LANES), all in the same one, else WAITSET_ARM fails with EINVAL. The instruction
 * is that of the lowest lane. When it completes, the record has the result of the lowest lane. The
 * other lanes get theirs with %DRM_VSM_EXEC_LANES.
 *
 * The result of a try_wait is 1, and that of a wait for groups is 0. A wait of several lanes for
 * groups ends when it has ended for all of them. While such a wait is armed, no other wait for
 * groups can be armed for these threads (%DRM_VSM_FAULT_THREAD_SUSPENDED).
 */
struct drm_vsm_wait {
	__u32 cluster;
	__u32 addr;
	__u64 state;
	__s64 deadline;
	__u64 user_data;
	__u64 id;
	__u32 flags;
	__u32 fault;
	__u32 lanes;
	__u32 site;
};

/**
 * struct drm_vsm_waitset_arm - Arm waits
 * @waits: Pointer to the first &struct drm_vsm_wait
 * @stride: Bytes from one wait to the next
 * @count: Waits, up to &drm_vsm_device_info.max_exec
 * @fd: Wait set of the same device
 * @armed: Number of waits that are armed (in, out). Arming begins at this index, and the kernel
 *	adds the waits that it arms
 * @flags: Must be 0
 * @pad: Must be 0
 *
 * A wait that is already complete is armed too, and ends at once. On an error the waits before
 * @armed are armed.
 *
 * A thread whose rendezvous is armed (%DRM_VSM_WAIT_INSN) has arrived. If the wait expires, is
 * cancelled or ends with the wait set, the thread has still arrived, as after a signal in EXEC. It
 * continues when the same instruction is armed again, or executed by EXEC. A wait that ends with
 * %DRM_VSM_FAULT_DEADLOCK has had no effect: its threads have not arrived.
 *
 * Errors: EPROTO (the wait at @armed holds the fault), EOPNOTSUPP, EBADF, EINVAL, ENOENT, E2BIG,
 * ENOSPC, ENOMEM, EFAULT, EIO, ENODEV, EINTR.
 */
struct drm_vsm_waitset_arm {
	__u64 waits;
	__u32 stride;
	__u32 count;
	__s32 fd;
	__u32 armed;
	__u32 flags;
	__u32 pad;
};

/**
 * struct drm_vsm_waitset_cancel - Cancel an armed wait
 * @id: &drm_vsm_wait.id
 * @fd: Wait set
 * @flags: Must be 0
 *
 * Returns 0 if the wait was still armed: it is removed and has no record. Returns ENOENT if there
 * is no such wait, or if the wait has ended and its record can be read. Returns EBADF if @fd is not
 * a wait set.
 */
struct drm_vsm_waitset_cancel {
	__u64 id;
	__s32 fd;
	__u32 flags;
};

/**
 * enum drm_vsm_wait_status - How a wait ended
 * @DRM_VSM_WAIT_COMPLETE: The phase or the instruction completed
 * @DRM_VSM_WAIT_EXPIRED: The deadline passed first
 * @DRM_VSM_WAIT_CLUSTER_LOST: The cluster was lost (EIO)
 * @DRM_VSM_WAIT_DEVICE_LOST: The device was lost (ENODEV)
 * @DRM_VSM_WAIT_FAULT: The instruction was refused when it completed, or because of a deadlock. The
 *	result is &enum drm_vsm_fault, and an event reports it
 */
enum drm_vsm_wait_status {
	DRM_VSM_WAIT_COMPLETE = 0,
	DRM_VSM_WAIT_EXPIRED = 1,
	DRM_VSM_WAIT_CLUSTER_LOST = 2,
	DRM_VSM_WAIT_DEVICE_LOST = 3,
	DRM_VSM_WAIT_FAULT = 4,
};

/**
 * struct drm_vsm_wait_record - What read() of a wait set returns
 * @user_data: &drm_vsm_wait.user_data
 * @id: &drm_vsm_wait.id; no other wait of the set ever gets the same id
 * @status: &enum drm_vsm_wait_status
 * @pad: 0
 * @result: Result of the instruction (%DRM_VSM_WAIT_INSN), else 0
 */
struct drm_vsm_wait_record {
	__u64 user_data;
	__u64 id;
	__u32 status;
	__u32 pad;
	__u64 result;
};

/**
 * enum drm_vsm_hold_flags - Flags of a &struct drm_vsm_cluster_hold
 * @DRM_VSM_HOLD: Hold the operations; without this flag, release them
 * @DRM_VSM_DRAIN: After the release, wait until none of the operations that threads of this client
 *	have issued with EXEC is in flight, except those on clusters that are held. Not together
 *	with %DRM_VSM_HOLD
 */
enum drm_vsm_hold_flags {
	DRM_VSM_HOLD = 1 << 0,
	DRM_VSM_DRAIN = 1 << 1,
};

/**
 * struct drm_vsm_cluster_hold - Keep asynchronous operations in flight
 * @cluster: Handle of the cluster
 * @flags: Mask of &enum drm_vsm_hold_flags
 *
 * While a client holds a cluster, the asynchronous operations that threads issue on it with EXEC
 * stay in flight and have no effect. After the release they are performed: the operations of each
 * client in the order in which they were issued, or in a shuffled order if the device is configured
 * for that. A test can therefore observe its program before and after the operations complete,
 * without depending on timing. Closing a handle of the cluster releases it. Jobs are not held. When
 * a client closes its file, its operations that are not held still get up to one second to be
 * performed. Its operations that another client holds are dropped.
 *
 * With %DRM_VSM_DRAIN, the records of all waits that these operations have ended can be read when
 * the call returns. A program that holds its clusters and releases them with this flag chooses
 * itself when operations complete, and no result depends on timing. If a signal interrupts the
 * wait, the operations have been released.
 *
 * Errors: ENOENT, EINVAL, EINTR.
 */
struct drm_vsm_cluster_hold {
	__u32 cluster;
	__u32 flags;
};

/**
 * DOC: Fault events
 *
 * Every misuse is also reported by a DRM event. The DRM file descriptor of the client that caused
 * the misuse becomes readable for poll(). If the misuse is a trap, the event comes before anything
 * fails because the cluster is lost. read() returns one or more whole events, each a &struct
 * drm_event with its length, as for any DRM driver. A client need not read its events. The kernel
 * keeps 4096 bytes of events for it and drops further events; the next event that fits contains the
 * number of dropped events. Once the device is gone, poll() returns POLLHUP, and read() returns
 * ENODEV if the client has no events left.
 */

/**
 * define DRM_VSM_EVENT_FAULT - Type of a &struct drm_vsm_event_fault
 */
#define DRM_VSM_EVENT_FAULT 0x80000000

/**
 * enum drm_vsm_event_flags - Flags of a &struct drm_vsm_event_fault
 * @DRM_VSM_EVENT_REPORTED: The cluster only reports the rule and has not refused the instruction
 *	because of it. A trap has no such event, unless SUBMIT has checked the instruction before
 */
enum drm_vsm_event_flags {
	DRM_VSM_EVENT_REPORTED = 1 << 0,
};

/**
 * enum drm_vsm_source - Where an instruction ran
 * @DRM_VSM_SOURCE_EXEC: EXEC executed the instruction. The call returned EPROTO, unless the event
 *	has %DRM_VSM_EVENT_REPORTED
 * @DRM_VSM_SOURCE_SUBMIT: SUBMIT checked the instruction. The call returned EPROTO, unless the
 *	event has %DRM_VSM_EVENT_REPORTED
 * @DRM_VSM_SOURCE_JOB: A job executed the instruction. Its fence carries EIO, unless the event has
 *	%DRM_VSM_EVENT_REPORTED
 * @DRM_VSM_SOURCE_ASYNC: An asynchronous operation broke the rule when it completed. The
 *	instruction is the one that issued it
 * @DRM_VSM_SOURCE_ARM: WAITSET_ARM refused the wait, or the armed instruction broke the rule when
 *	it completed. The instruction is the armed instruction; for a wait on an mbarrier it is the
 *	equivalent try_wait
 */
enum drm_vsm_source {
	DRM_VSM_SOURCE_EXEC = 0,
	DRM_VSM_SOURCE_SUBMIT = 1,
	DRM_VSM_SOURCE_JOB = 2,
	DRM_VSM_SOURCE_ASYNC = 3,
	DRM_VSM_SOURCE_ARM = 4,
};

/**
 * struct drm_vsm_event_fault - A misuse
 * @base: Type %DRM_VSM_EVENT_FAULT, and length of the event. If the event ends before @flags, take
 *	@flags as 0
 * @time: CLOCK_MONOTONIC in ns
 * @cluster: Handle of the cluster, as given in the call
 * @cta: CTA of the thread. For a wait on an mbarrier that WAITSET_ARM refused, the CTA of its
 *	address
 * @thread: Thread in the CTA. For a wait on an mbarrier that WAITSET_ARM refused, 0
 * @source: &enum drm_vsm_source
 * @lost: Number of events that did not fit since the last event that did
 * @insn: The instruction. &drm_vsm_insn.fault, &drm_vsm_insn.result (the word) and
 *	&drm_vsm_insn.info say why it is misuse
 * @flags: Mask of &enum drm_vsm_event_flags
 * @pad: 0
 */
struct drm_vsm_event_fault {
	struct drm_event base;
	__s64 time;
	__u32 cluster;
	__u16 cta;
	__u16 thread;
	__u32 source;
	__u32 lost;
	struct drm_vsm_insn insn;
	__u32 flags;
	__u32 pad;
};

/**
 * enum drm_vsm_state - What an entry of a cluster's state describes
 * @DRM_VSM_STATE_PHASE: A task or an armed wait that waits for a phase of an mbarrier
 * @DRM_VSM_STATE_RENDEZVOUS: Threads that are in a warp operation or in a barrier
 * @DRM_VSM_STATE_BARRIER: A named barrier at which a warp has arrived
 * @DRM_VSM_STATE_CLUSTER_BARRIER: The barrier of the cluster, at which a thread has arrived
 * @DRM_VSM_STATE_CLUSTER_ARRIVED: Threads of a warp that have arrived at the barrier of the cluster
 *	and have not waited since
 * @DRM_VSM_STATE_EXITED: Threads of a warp that have exited
 * @DRM_VSM_STATE_GROUPS: A thread with groups of asynchronous operations that are not complete
 * @DRM_VSM_STATE_OPERATION: An asynchronous operation that is in flight
 * @DRM_VSM_STATE_JOB: A job
 */
enum drm_vsm_state {
	DRM_VSM_STATE_PHASE = 1,
	DRM_VSM_STATE_RENDEZVOUS = 2,
	DRM_VSM_STATE_BARRIER = 3,
	DRM_VSM_STATE_CLUSTER_BARRIER = 4,
	DRM_VSM_STATE_CLUSTER_ARRIVED = 5,
	DRM_VSM_STATE_EXITED = 6,
	DRM_VSM_STATE_GROUPS = 7,
	DRM_VSM_STATE_OPERATION = 8,
	DRM_VSM_STATE_JOB = 9,
};

/**
 * enum drm_vsm_state_entry_flags - Flags of &struct drm_vsm_state_entry
 * @DRM_VSM_STATE_SUSPENDED: A task is suspended
 * @DRM_VSM_STATE_ARMED: A wait is armed in a wait set
 * @DRM_VSM_STATE_NO_LIMIT: The threads count as suspended without a time limit
 * @DRM_VSM_STATE_LEFT: No task and no armed wait waits for these threads now: a signal has come, or
 *	the wait was cancelled. They are still in the instruction
 * @DRM_VSM_STATE_ACROSS: The warp has arrived at the barrier, and waits for other warps
 * @DRM_VSM_STATE_COMPLETE: The phase of the cluster's barrier at which the threads have arrived is
 *	complete
 * @DRM_VSM_STATE_HELD: The operation is held (&struct drm_vsm_cluster_hold)
 * @DRM_VSM_STATE_RUNNING: The channel runs the job
 */
enum drm_vsm_state_entry_flags {
	DRM_VSM_STATE_SUSPENDED = 1 << 0,
	DRM_VSM_STATE_ARMED = 1 << 1,
	DRM_VSM_STATE_NO_LIMIT = 1 << 2,
	DRM_VSM_STATE_LEFT = 1 << 3,
	DRM_VSM_STATE_ACROSS = 1 << 4,
	DRM_VSM_STATE_COMPLETE = 1 << 5,
	DRM_VSM_STATE_HELD = 1 << 6,
	DRM_VSM_STATE_RUNNING = 1 << 7,
};

/**
 * struct drm_vsm_state_entry - A part of a cluster's state (out)
 * @kind: &enum drm_vsm_state
 * @flags: Mask of &enum drm_vsm_state_entry_flags
 * @client: Number of the client that waits, or that has issued the operation or the job. 0 if there
 *	is none, or if it is the client of another user
 * @pid: Process of the task that is suspended, or else the process that has opened the client; in
 *	the caller's PID namespace. 0 if there is none, if it has ended, if it is not in this
 *	namespace, or if it is the process of another user
 * @tid: Task that is suspended, in the caller's PID namespace; else 0
 * @cta: CTA of the threads, or of a named barrier
 * @thread: The lowest of the threads; 0 for barriers
 * @lanes: The threads, as a mask of lanes of their warp. 0 if a wait was armed for no thread
 * @missing: RENDEZVOUS: lanes that have to take part and have not arrived. BARRIER: warps of the
 *	CTA that have not exited and have not arrived. JOB: number of in-fences that the channel has
 *	not found signalled
 * @since: When the wait began, or 0 if there is none (CLOCK_MONOTONIC, ns). It is known to a tick
 * @deadline: When the wait expires, or when the operation is due (CLOCK_MONOTONIC, ns); -1 if there
 *	is no such time
 * @word: PHASE: the mbarrier word now
 * @user_data: &drm_vsm_wait.user_data of an armed wait of the same user; else 0
 * @mask: RENDEZVOUS: lanes that take part in the instruction. BARRIER: warps that wait there.
 *	OPERATION: CTAs to whose mbarriers the operation is bound
 * @passed: BARRIER: warps that have arrived without waiting
 * @count: BARRIER and CLUSTER_BARRIER: threads that have arrived. GROUPS: committed groups that are
 *	not complete. OPERATION: bytes that it still has to complete on an mbarrier. JOB:
 *	instructions that have been issued
 * @total: BARRIER and CLUSTER_BARRIER: threads that have to arrive. OPERATION: bytes that it
 *	completes on each mbarrier. JOB: instructions
 * @id: BARRIER: number of the named barrier. OPERATION and JOB: channel. GROUPS: 0 for cp.async, 1
 *	for bulk copies
 * @pad: 0
 * @name: JOB: driver and timeline of the in-fence that the job waits for, as text that ends with a
 *	0; else empty
 * @insn: PHASE: the try_wait, or the try_wait that is equivalent to an armed wait. RENDEZVOUS and
 *	OPERATION: the instruction. GROUPS: the wait for groups, or only its operation if no wait is
 *	armed. Its results are 0. The values that threads bring to a RENDEZVOUS are left out. The
 *	operands of an OPERATION of another user are left out, except for its addresses in the
 *	cluster and the size of a copy or store
 */
struct drm_vsm_state_entry {
	__u32 kind;
	__u32 flags;
	__u32 client;
	__u32 pid;
	__u32 tid;
	__u16 cta;
	__u16 thread;
	__u32 lanes;
	__u32 missing;
	__s64 since;
	__s64 deadline;
	__u64 word;
	__u64 user_data;
	__u32 mask;
	__u32 passed;
	__u32 count;
	__u32 total;
	__u32 id;
	__u32 pad;
	char name[32];
	struct drm_vsm_insn insn;
};

/**
 * enum drm_vsm_state_flags - Which cluster CLUSTER_STATE describes; at most one flag
 * @DRM_VSM_STATE_NUMBER: The cluster with the number @number
 * @DRM_VSM_STATE_NEXT: Of the clusters that the caller may see, the one with the lowest number that
 *	is at least @number
 *
 * Without a flag it is the cluster of @handle.
 */
enum drm_vsm_state_flags {
	DRM_VSM_STATE_NUMBER = 1 << 0,
	DRM_VSM_STATE_NEXT = 1 << 1,
};

/**
 * enum drm_vsm_state_status - Status of a cluster
 * @DRM_VSM_STATE_LOST: A trap has killed the cluster
 * @DRM_VSM_STATE_CLUSTER_HELD: The cluster is held
 * @DRM_VSM_STATE_MORE: Some entries are neither listed nor counted: waits for the same phase of one
 *	word from the 1025th on, or operations behind the first 1024 that a channel will perform
 *	or that are held
 */
enum drm_vsm_state_status {
	DRM_VSM_STATE_LOST = 1 << 0,
	DRM_VSM_STATE_CLUSTER_HELD = 1 << 1,
	DRM_VSM_STATE_MORE = 1 << 2,
};

/**
 * struct drm_vsm_cluster_state - What a cluster is doing
 * @handle: Handle of the cluster, or 0 with a flag (in)
 * @number: Number of the cluster (in with a flag, out)
 * @flags: Mask of &enum drm_vsm_state_flags (in)
 * @status: Mask of &enum drm_vsm_state_status (out)
 * @entries: Pointer to an array of &struct drm_vsm_state_entry, a multiple of 8, which is filled
 *	(in)
 * @stride: Bytes of an element of @entries, at least 184 (in). Bytes behind those that the kernel
 *	knows are not written
 * @count: Length of @entries, at most 131072 (in); number of entries that were written (out)
 * @total: Number of entries that there were (out). If it is larger than @count, call again with a
 *	longer array
 * @client: Number of the client that has created the cluster; 0 if it is the client of another user
 *	(out)
 * @pid: Process that has opened this client, in the caller's PID namespace; 0 if it has ended, if
 *	it is not in this namespace, or if @client is 0 (out)
 * @ctas: &drm_vsm_cluster_create.ctas (out)
 * @threads: &drm_vsm_cluster_create.threads (out)
 * @smem_bytes: &drm_vsm_cluster_create.smem_bytes (out)
 * @layout: &drm_vsm_cluster_create.layout (out)
 * @policy: &drm_vsm_cluster_create.policy (out)
 * @live: Threads that have not exited (out)
 * @suspended: Threads that are suspended without a time limit, or have exited (out)
 * @time: When the call began to collect the entries (CLOCK_MONOTONIC, ns) (out)
 * @comm: Name of the process that has opened the client, as text that ends with a 0; empty if
 *	@client is 0 (out)
 *
 * The entries are no snapshot: the kernel collects them in parts, each under its own lock, while
 * the threads go on. A thread that moves on meanwhile may be listed twice or not at all. In a
 * cluster in which nothing moves, such as one that hangs, the list is exact.
 *
 * Everybody who has a handle of the cluster may read its state. By its number, a caller finds the
 * clusters that clients of the same user have created. A client is of the same user as the caller
 * if the same user has opened both DRM files in the same user namespace. A task with CAP_PERFMON or
 * CAP_SYS_ADMIN in the user namespace of a client sees what belongs to that client, as if it were
 * of the same user.
 *
 * Errors: EINVAL, EFAULT, ENOENT (also if the caller may not see the cluster), E2BIG, ENOMEM,
 * ENOSPC, EINTR. After an error only @handle, @number, @flags, @entries, @stride and @count are
 * valid, and are unchanged.
 */
struct drm_vsm_cluster_state {
	__u32 handle;
	__u32 number;
	__u32 flags;
	__u32 status;
	__u64 entries;
	__u32 stride;
	__u32 count;
	__u32 total;
	__u32 client;
	__u32 pid;
	__u32 ctas;
	__u32 threads;
	__u32 smem_bytes;
	__u32 layout;
	__u32 policy;
	__u32 live;
	__u32 suspended;
	__s64 time;
	char comm[16];
};

/**
 * struct drm_vsm_trace_read - Read events of a cluster's flight recorder
 * @cluster: Handle of the cluster
 * @stride: Bytes from one event to the next in @events: a multiple of 8, at least 112. Of a smaller
 *	or larger &struct drm_vsm_trace_event, the bytes that both know are written
 * @events: Pointer to the first &struct drm_vsm_trace_event, a multiple of 8
 * @count: Events that @events has space for (in); events that were written (out)
 * @flags: Must be 0
 * @next: Number of the first event that the caller wants, from 0 (in); number of the event after
 *	the last one that was written (out). The same structure can therefore continue
 * @lost: Number of events between @next and the first one that was written: they have been
 *	overwritten (out)
 *
 * Events are read in the order in which they were recorded. Two events of different processors may
 * be recorded in another order than their times say. Reading takes no event away.
 *
 * The call writes the events that there are when it begins, and does not wait for more.
 *
 * In the events of a client of another user (&struct drm_vsm_cluster_state says which clients these
 * are), @client, @buffer and @site are 0, and so is the offset in @value of events of copies.
 *
 * Errors: EINVAL (also if there is no event with the number @next - 1 yet), ENOENT (also if the
 * cluster has no flight recorder), EFAULT, EINTR.
 */
struct drm_vsm_trace_read {
	__u32 cluster;
	__u32 stride;
	__u64 events;
	__u32 count;
	__u32 flags;
	__u64 next;
	__u64 lost;
};

#define DRM_IOCTL_VSM_DEVICE_INFO \
	DRM_IOR(DRM_COMMAND_BASE + DRM_VSM_DEVICE_INFO, struct drm_vsm_device_info)
#define DRM_IOCTL_VSM_CLUSTER_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_CLUSTER_CREATE, struct drm_vsm_cluster_create)
#define DRM_IOCTL_VSM_BUFFER_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_BUFFER_CREATE, struct drm_vsm_buffer_create)
#define DRM_IOCTL_VSM_OBJECT_INFO \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_OBJECT_INFO, struct drm_vsm_object_info)
#define DRM_IOCTL_VSM_EXEC \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_EXEC, struct drm_vsm_exec)
#define DRM_IOCTL_VSM_SUBMIT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_SUBMIT, struct drm_vsm_submit)
#define DRM_IOCTL_VSM_WAITSET_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_WAITSET_CREATE, struct drm_vsm_waitset_create)
#define DRM_IOCTL_VSM_WAITSET_ARM \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_WAITSET_ARM, struct drm_vsm_waitset_arm)
#define DRM_IOCTL_VSM_WAITSET_CANCEL \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSM_WAITSET_CANCEL, struct drm_vsm_waitset_cancel)
#define DRM_IOCTL_VSM_CLUSTER_HOLD \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSM_CLUSTER_HOLD, struct drm_vsm_cluster_hold)
#define DRM_IOCTL_VSM_CHANNEL_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_CHANNEL_CREATE, struct drm_vsm_channel_create)
#define DRM_IOCTL_VSM_CHANNEL_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSM_CHANNEL_DESTROY, struct drm_vsm_channel_destroy)
#define DRM_IOCTL_VSM_CLUSTER_STATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_CLUSTER_STATE, struct drm_vsm_cluster_state)
#define DRM_IOCTL_VSM_TRACE_READ \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_TRACE_READ, struct drm_vsm_trace_read)
#define DRM_IOCTL_VSM_INJECT_ADD \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_INJECT_ADD, struct drm_vsm_inject_rule)
#define DRM_IOCTL_VSM_INJECT_QUERY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_INJECT_QUERY, struct drm_vsm_inject_query)
#define DRM_IOCTL_VSM_INJECT_REMOVE \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSM_INJECT_REMOVE, struct drm_vsm_inject_remove)
#define DRM_IOCTL_VSM_CHANNEL_STATUS \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_CHANNEL_STATUS, struct drm_vsm_channel_status)
#define DRM_IOCTL_VSM_HOLD_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_HOLD_CREATE, struct drm_vsm_hold_create)
#define DRM_IOCTL_VSM_HOLD_RELEASE \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSM_HOLD_RELEASE, struct drm_vsm_hold_release)

#if defined(__cplusplus)
}
#endif

#endif
