/* SPDX-License-Identifier: MIT */
/*
 * User-space interface of vsm, an accelerator without hardware.
 */
#ifndef _UAPI_VSM_DRM_H_
#define _UAPI_VSM_DRM_H_

#include "drm.h"
#include "vsm_mbarrier.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: Introduction
 *
 * One instruction set, three ways to run it. DRM_IOCTL_VSM_EXEC runs a stream
 * of instructions as one device thread and suspends the caller where an
 * instruction suspends. DRM_IOCTL_VSM_SUBMIT queues a stream that cannot
 * suspend on a copy channel, between in-fences and out-fences. A wait set arms
 * waits without blocking; its file descriptor becomes readable as they complete.
 *
 * Rules that hold for every structure here:
 *
 * - Its size is a multiple of 8 bytes and it is the same for 32-bit and 64-bit
 *   callers.
 * - Flags that are not defined, and pads, must be 0.
 * - It may grow at its end, but for operands and tensor maps. An ioctl argument
 *   may be shorter than the kernel's: what it lacks is 0. An ioctl argument that
 *   is longer must be 0 past what the kernel knows (EINVAL).
 * - Arrays carry their stride. A stride is a multiple of 8 and at least the size
 *   that the element had in its first version: 64 bytes for instructions, 48 for
 *   waits, 16 for syncs. Bytes past what the kernel knows are neither read nor
 *   written. Arrays of instructions and of waits begin at a multiple of 8.
 * - Handles are GEM handles of the file descriptor that the ioctl is called on.
 * - Times are absolute CLOCK_MONOTONIC nanoseconds, but for suspendTimeHint,
 *   which is relative as in PTX.
 *
 * Errors that any ioctl here may return:
 *
 * =========== ===============================================================
 * EINVAL      Malformed: unknown operation or flag, pad not 0, bad stride
 * EFAULT      A pointer does not point to accessible memory
 * ENOENT      No such handle, or the handle is of the wrong kind
 * E2BIG       A count is above its limit
 * ENOMEM      Out of memory
 * ENOSPC      A limit of this client, of its user or of the device is reached
 * EOPNOTSUPP  The operation does not exist in the cluster's layout, or not yet
 *             in this version of the device (see &struct drm_vsm_device_info);
 *             or the buffer of a copy is an imported dma-buf that the kernel
 *             cannot map, or that is not coherent memory
 * EPROTO      Misuse: the instruction was refused, its fault record says why
 * EIO         The cluster is lost
 * ENODEV      The device is gone
 * EINTR       A signal arrived; repeat the call with the same argument
 * =========== ===============================================================
 *
 * EAGAIN is never returned by an ioctl: libdrm would repeat the call for ever.
 */

/**
 * define DRM_VSM_ABI_MAJOR - Changes when an old program would misbehave
 */
#define DRM_VSM_ABI_MAJOR 0
/**
 * define DRM_VSM_ABI_MINOR - Grows with every addition; the first version is 1
 */
#define DRM_VSM_ABI_MINOR 5

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

/**
 * enum drm_vsm_feature - Bits of &drm_vsm_device_info.features
 * @DRM_VSM_FEATURE_MBARRIER: The mbarrier operations of ABI 0.1: all but
 *	cp.async.mbarrier.arrive and fence.mbarrier_init
 * @DRM_VSM_FEATURE_WAITSET: Wait sets
 * @DRM_VSM_FEATURE_BULK_COPY: SUBMIT with cp.async.bulk global to shared::cluster
 *	and shared::cta to global, binary syncobjs
 * @DRM_VSM_FEATURE_CP_ASYNC: cp.async, cp.async.mbarrier.arrive and
 *	fence.mbarrier_init; &struct drm_vsm_cluster_hold
 * @DRM_VSM_FEATURE_FAULTS: Every misuse of the mbarrier table is named, and
 *	&struct drm_vsm_event_fault tells of it
 * @DRM_VSM_FEATURE_COPY: Every copy of &enum drm_vsm_op, from EXEC too, with groups,
 *	reductions and tensor maps
 * @DRM_VSM_FEATURE_CHANNELS: Channels, timeline syncobjs, &drm_vsm_device_info.max_channels
 * @DRM_VSM_FEATURE_RENDEZVOUS: What threads of a warp, a CTA and a cluster meet at, and
 *	exit; %DRM_VSM_EXEC_WARP, %DRM_VSM_WAIT_INSN
 * @DRM_VSM_FEATURE_RULES: &drm_vsm_cluster_create.report and
 *	&drm_vsm_cluster_create.enforce, %DRM_VSM_EVENT_REPORTED
 * @DRM_VSM_FEATURE_FENCE: %DRM_VSM_OP_FENCE
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
};

/**
 * struct drm_vsm_device_info - Version, features and limits (out)
 * @abi_major: %DRM_VSM_ABI_MAJOR of the driver
 * @abi_minor: %DRM_VSM_ABI_MINOR of the driver
 * @features: Mask of &enum drm_vsm_feature
 * @max_ctas: CTAs of a cluster
 * @max_threads: Threads of a CTA
 * @max_smem: Bytes of a CTA's window
 * @max_exec: Instructions of one EXEC, and waits of one WAITSET_ARM
 * @max_submit: Instructions of one SUBMIT
 * @max_syncs: Fences of one SUBMIT
 * @client_clusters: Clusters that one client may hold
 * @client_waits: Armed or unread waits that one client may hold
 * @client_jobs: Jobs that one client may have in flight, with 2^18 instructions in all
 * @index: Instance number of the device, from 0
 * @client_bytes: Bytes that one client may hold: of clusters and what is known of the
 *	objects in them, of buffers, and of what it has in flight or armed
 * @device_bytes: The same for all clients together; those of one user may hold half of
 *	what those of other users leave
 * @try_wait_limit_ns: Time limit of a try_wait without suspendTimeHint, in ns
 * @max_channels: Channels that one client may have, its first among them
 * @pad: 0
 *
 * All clients of a user together may hold four times @client_clusters, @client_waits and
 * @client_jobs, whatever other users hold. The user is the real user id of who opens the
 * device; users of a user namespace count as the one who has made it, unless that is root.
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
 * @DRM_VSM_POLICY_STRICT: Refuse it with EPROTO and leave the word alone
 * @DRM_VSM_POLICY_HARDWARE: Check only what silicon checks
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
 * @handle: GEM handle (out); closed with DRM_IOCTL_GEM_CLOSE, shared with PRIME
 * @window_stride: Bytes from one CTA's window to the next in the mapping (out)
 * @size: Bytes of the mapping (out)
 * @mmap_offset: Offset for mmap() of the DRM file descriptor (out)
 * @report: Rules that are reported and not enforced, a mask of DRM_VSM_RULE()
 * @enforce: Rules that are enforced and would not be without that, likewise
 *
 * The windows start as zeros. User space may write anything into its mapping at
 * any time.
 *
 * An instruction that breaks a rule of @report is executed as the hardware policy
 * executes it, and succeeds. The rule is counted, and a fault event and the tracepoint tell
 * of it, with %DRM_VSM_EVENT_REPORTED. The other rules are checked nevertheless. A rule may
 * be in both masks: then it is looked for as @enforce says, and reported. A rule that
 * the policy does not check makes no difference.
 *
 * Errors: EINVAL (also for a rule that cannot be reported, or is enforced as it is), ENOSPC
 * (memory or number of clusters), ENOMEM.
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
};

/**
 * struct drm_vsm_buffer_create - Create a buffer: global memory
 * @size: Bytes, more than 0 (in); rounded up to whole pages (out)
 * @flags: Must be 0
 * @handle: GEM handle (out)
 * @mmap_offset: Offset for mmap() of the DRM file descriptor (out)
 *
 * The buffer starts as zeros. Errors: EINVAL, ENOSPC, ENOMEM.
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
 * struct drm_vsm_object_info - What a handle stands for
 * @handle: GEM handle (in)
 * @kind: &enum drm_vsm_object (out)
 * @size: Bytes of the mapping (out)
 * @mmap_offset: Offset for mmap() of the DRM file descriptor (out)
 * @ctas: As at creation of a cluster (out), 0 for a buffer, as are all below
 * @threads: As at creation (out)
 * @smem_bytes: As at creation (out)
 * @window_stride: As at creation (out)
 * @layout: As at creation (out)
 * @policy: As at creation (out)
 * @report: As at creation (out)
 * @enforce: As at creation (out)
 *
 * For a handle that came through PRIME from another process. Errors: ENOENT.
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
};

/**
 * enum drm_vsm_op - Operation of an instruction
 * @DRM_VSM_OP_MBARRIER_INIT: mbarrier.init: addr, count
 * @DRM_VSM_OP_MBARRIER_INVAL: mbarrier.inval: addr
 * @DRM_VSM_OP_MBARRIER_ARRIVE: mbarrier.arrive: addr, and count or tx_count by
 *	modifier; the result is a state token, 0 with %DRM_VSM_MOD_SINK
 * @DRM_VSM_OP_MBARRIER_ARRIVE_DROP: mbarrier.arrive_drop: likewise
 * @DRM_VSM_OP_MBARRIER_EXPECT_TX: mbarrier.expect_tx: addr, tx_count
 * @DRM_VSM_OP_MBARRIER_COMPLETE_TX: mbarrier.complete_tx: addr, tx_count
 * @DRM_VSM_OP_MBARRIER_TEST_WAIT: mbarrier.test_wait: addr, state (or parity with
 *	%DRM_VSM_MOD_PARITY); the result is waitComplete, 0 or 1
 * @DRM_VSM_OP_MBARRIER_TRY_WAIT: mbarrier.try_wait: likewise, and hint_ns with
 *	%DRM_VSM_MOD_HINT; may suspend
 * @DRM_VSM_OP_MBARRIER_PENDING_COUNT: mbarrier.pending_count: state; the result is
 *	the count
 * @DRM_VSM_OP_CP_ASYNC_BULK_G2S: cp.async.bulk.shared::cluster.global
 *	.mbarrier::complete_tx::bytes: copy operands, mask with %DRM_VSM_MOD_MULTICAST
 * @DRM_VSM_OP_CP_ASYNC_BULK_S2G: cp.async.bulk.global.shared::cta.bulk_group: copy
 *	operands without mbar, mask with %DRM_VSM_MOD_CP_MASK
 * @DRM_VSM_OP_FENCE_MBARRIER_INIT: fence.mbarrier_init.release.cluster: no operands;
 *	&drm_vsm_insn.sem and &drm_vsm_insn.scope must say .release.cluster
 * @DRM_VSM_OP_CP_ASYNC: cp.async.ca or .cg .shared.global: copy operands without
 *	mbar; size is 4, 8 or 16 (16 with %DRM_VSM_MOD_CG); with %DRM_VSM_MOD_SRC_SIZE
 *	src_size bytes are copied and the rest is filled with zeros. Asynchronous;
 *	EXEC only
 * @DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE: cp.async.mbarrier.arrive: addr. An arrive-on
 *	when all cp.async that the thread issued before are complete; EXEC only
 * @DRM_VSM_OP_CP_ASYNC_COMMIT_GROUP: cp.async.commit_group: no operands; EXEC only
 * @DRM_VSM_OP_CP_ASYNC_WAIT_GROUP: cp.async.wait_group: count, which may be 0: groups
 *	that may still be in flight; may suspend, EXEC only
 * @DRM_VSM_OP_CP_ASYNC_WAIT_ALL: cp.async.wait_all: no operands; may suspend, EXEC only
 * @DRM_VSM_OP_CP_ASYNC_BULK_S2S: cp.async.bulk.shared::cluster.shared::cta
 *	.mbarrier::complete_tx::bytes: copy operands with src instead of a buffer
 * @DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH: cp.async.bulk.prefetch.L2.global: size, buffer
 *	and offset. Checked, and without effect
 * @DRM_VSM_OP_CP_ASYNC_BULK_COMMIT_GROUP: cp.async.bulk.commit_group: no operands; EXEC
 *	only
 * @DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP: cp.async.bulk.wait_group{.read}: count, which
 *	may be 0; may suspend, EXEC only
 * @DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2G: cp.reduce.async.bulk.global.shared::cta
 *	.bulk_group: copy operands without mbar; &drm_vsm_insn.red
 * @DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2S: cp.reduce.async.bulk.shared::cluster.shared::cta
 *	.mbarrier::complete_tx::bytes: copy operands with src instead of a buffer;
 *	&drm_vsm_insn.red
 * @DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S: cp.async.bulk.tensor.dim.shared::cluster.global
 *	.mbarrier::complete_tx::bytes: tensor operands, mask with %DRM_VSM_MOD_MULTICAST
 * @DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_S2G: cp.async.bulk.tensor.dim.global.shared::cta
 *	.bulk_group: tensor operands without mbar
 * @DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR: cp.reduce.async.bulk.tensor.dim.global
 *	.shared::cta.redOp.bulk_group: tensor operands without mbar
 * @DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR: cp.async.bulk.prefetch.tensor.dim.L2.global:
 *	tensor operands without addr and mbar. Checked, and without effect
 * @DRM_VSM_OP_ST_ASYNC: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes:
 *	store operands, size 4, 8 or 16
 * @DRM_VSM_OP_RED_ASYNC: red.async.relaxed.cluster.shared::cluster
 *	.mbarrier::complete_tx::bytes: store operands, size as the type's;
 *	&drm_vsm_insn.red
 * @DRM_VSM_OP_MATCH_SYNC: match.any.sync and match.all.sync: warp operands, a;
 *	&drm_vsm_insn.red is DRM_VSM_MODE(mode, type) of %DRM_VSM_MODE_ANY or
 *	%DRM_VSM_MODE_ALL and %DRM_VSM_TYPE_B32 or %DRM_VSM_TYPE_B64. The result is d, and
 *	%DRM_VSM_RESULT_PRED if p (.all)
 * @DRM_VSM_OP_BAR_WARP_SYNC: bar.warp.sync: warp operands
 * @DRM_VSM_OP_ELECT_SYNC: elect.sync: warp operands. The result is d, and
 *	%DRM_VSM_RESULT_PRED if p. The lowest lane that has not exited is elected
 * @DRM_VSM_OP_VOTE_SYNC: vote.sync: warp operands, a; &drm_vsm_insn.red is %DRM_VSM_MODE_ALL,
 *	%DRM_VSM_MODE_ANY, %DRM_VSM_MODE_UNI or %DRM_VSM_MODE_BALLOT. The result is d
 * @DRM_VSM_OP_SHFL_SYNC: shfl.sync: warp operands, a, b and c; &drm_vsm_insn.red is
 *	%DRM_VSM_MODE_UP, %DRM_VSM_MODE_DOWN, %DRM_VSM_MODE_BFLY or %DRM_VSM_MODE_IDX. The
 *	result is d, and %DRM_VSM_RESULT_PRED if p
 * @DRM_VSM_OP_REDUX_SYNC: redux.sync: warp operands, a; &drm_vsm_insn.red is DRM_VSM_RED()
 *	of .add, .min or .max and .u32 or .s32, or of .and, .or or .xor and .b32. The
 *	result is dst
 * @DRM_VSM_OP_BARRIER_SYNC: barrier.cta.sync: barrier operands
 * @DRM_VSM_OP_BARRIER_ARRIVE: barrier.cta.arrive: barrier operands, always
 *	%DRM_VSM_MOD_COUNT. Suspends until the threads of the warp have executed it
 * @DRM_VSM_OP_BARRIER_RED: barrier.cta.red: barrier operands, pred; &drm_vsm_insn.red is
 *	%DRM_VSM_RED_POPC, %DRM_VSM_RED_AND or %DRM_VSM_RED_OR. The result is d, or p
 * @DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE: barrier.cluster.arrive: no operands; .release or
 *	.relaxed, without a scope. Suspends until the threads of the warp have executed it
 * @DRM_VSM_OP_BARRIER_CLUSTER_WAIT: barrier.cluster.wait: no operands; .acquire, without a
 *	scope
 * @DRM_VSM_OP_EXIT: exit: no operands. The thread is gone for as long as there is the cluster.
 *	If a signal has interrupted it where threads meet, it leaves that;
 *	%DRM_VSM_FAULT_THREAD_SUSPENDED while a task or an armed wait is there for it, or if
 *	it is there with its converged warp and the others do not exit
 * @DRM_VSM_OP_FENCE: fence{.sem}.scope: no operands. &drm_vsm_insn.sem is .sc, .acq_rel
 *	(the default), .acquire or .release, &drm_vsm_insn.scope must be given. A memory
 *	barrier for the calling task. If it releases at .cluster or a wider scope it publishes
 *	the mbarrier.init of its CTA to the cluster. Whoever plays a thread executes it before
 *	that thread's store or atomic operation with .release of such a scope, as the device
 *	sees neither
 *
 * From %DRM_VSM_OP_MATCH_SYNC to %DRM_VSM_OP_EXIT they are for EXEC and, but for exit, for wait
 * sets (%DRM_VSM_WAIT_INSN). All but exit suspend until those that they meet with have come.
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
 * @DRM_VSM_MOD_COUNT: The count operand is given (arrive, arrive_drop; barrier.cta);
 *	without it the count is 1, or all threads of the CTA
 * @DRM_VSM_MOD_EXPECT_TX: .expect_tx (arrive, arrive_drop), not with COUNT
 * @DRM_VSM_MOD_NOCOMPLETE: .noComplete (arrive, arrive_drop), only with COUNT
 * @DRM_VSM_MOD_SINK: Destination _ (arrive, arrive_drop)
 * @DRM_VSM_MOD_PARITY: .parity (test_wait, try_wait)
 * @DRM_VSM_MOD_HINT: The suspendTimeHint operand is given (try_wait)
 * @DRM_VSM_MOD_NOINC: .noinc (cp.async.mbarrier.arrive)
 * @DRM_VSM_MOD_SRC_SIZE: The src-size operand is given (cp.async)
 * @DRM_VSM_MOD_CG: .cg (cp.async); without it .ca
 * @DRM_VSM_MOD_MULTICAST: .multicast::cluster (bulk and tensor, global to shared)
 * @DRM_VSM_MOD_CP_MASK: .cp_mask (bulk, shared to global)
 * @DRM_VSM_MOD_IM2COL: .im2col, or .im2col_no_offs of stores and reductions (tensor);
 *	without it .tile
 * @DRM_VSM_MOD_READ: .read (cp.async.bulk.wait_group)
 * @DRM_VSM_MOD_ALIGNED: .aligned (barrier.cta, which bar is short for with it;
 *	barrier.cluster)
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
 * @DRM_VSM_RED_ADD: .add, modulo 2^n; of .f16 and .bf16 .add.noftz
 * @DRM_VSM_RED_MIN: .min
 * @DRM_VSM_RED_MAX: .max
 * @DRM_VSM_RED_INC: .inc: 0 where the old value is at least the operand, else one more
 * @DRM_VSM_RED_DEC: .dec: the operand where the old value is 0 or above it, else one less
 * @DRM_VSM_RED_AND: .and
 * @DRM_VSM_RED_OR: .or
 * @DRM_VSM_RED_XOR: .xor
 * @DRM_VSM_RED_POPC: .popc (barrier.cta.red)
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
 * @DRM_VSM_MODE_ANY: .any (match.sync, vote.sync)
 * @DRM_VSM_MODE_ALL: .all (match.sync, vote.sync)
 * @DRM_VSM_MODE_UNI: .uni (vote.sync)
 * @DRM_VSM_MODE_BALLOT: .ballot (vote.sync)
 * @DRM_VSM_MODE_UP: .up (shfl.sync)
 * @DRM_VSM_MODE_DOWN: .down (shfl.sync)
 * @DRM_VSM_MODE_BFLY: .bfly (shfl.sync)
 * @DRM_VSM_MODE_IDX: .idx (shfl.sync)
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
 * @DRM_VSM_TYPE_B32: .b32
 * @DRM_VSM_TYPE_U32: .u32
 * @DRM_VSM_TYPE_S32: .s32
 * @DRM_VSM_TYPE_B64: .b64
 * @DRM_VSM_TYPE_U64: .u64
 * @DRM_VSM_TYPE_S64: .s64
 * @DRM_VSM_TYPE_F16: .f16
 * @DRM_VSM_TYPE_BF16: .bf16
 * @DRM_VSM_TYPE_F32: .f32
 * @DRM_VSM_TYPE_F64: .f64
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

/* &drm_vsm_insn.red of a reduction, and of a tensor copy (op 0 where it does not reduce). */
#define DRM_VSM_RED(op, type)		((op) | (type) << 4)
#define DRM_VSM_RED_DIMS(op, dims)	((op) | (dims) << 4)
/* And of match.sync. */
#define DRM_VSM_MODE(mode, type)	((mode) | (type) << 4)

/**
 * define DRM_VSM_RESULT_PRED - Predicate in a result, beside the 32 bits of d
 */
#define DRM_VSM_RESULT_PRED		(1ULL << 32)

/**
 * enum drm_vsm_space - State space that the instruction spells
 * @DRM_VSM_SPACE_GENERIC: None: the address decides
 * @DRM_VSM_SPACE_SHARED_CTA: .shared::cta: the executing CTA's window
 * @DRM_VSM_SPACE_SHARED_CLUSTER: .shared::cluster: any CTA's window
 */
enum drm_vsm_space {
	DRM_VSM_SPACE_GENERIC = 0,
	DRM_VSM_SPACE_SHARED_CTA = 1,
	DRM_VSM_SPACE_SHARED_CLUSTER = 2,
};

/**
 * enum drm_vsm_sem - .sem qualifier; given together with .scope or not at all, but for
 *	barrier.cluster, which has no .scope, and fence, whose .sem may be missing
 * @DRM_VSM_SEM_DEFAULT: None: release for arrives, acquire for waits, acq_rel for fence
 * @DRM_VSM_SEM_RELAXED: .relaxed
 * @DRM_VSM_SEM_ACQUIRE: .acquire
 * @DRM_VSM_SEM_RELEASE: .release
 * @DRM_VSM_SEM_ACQ_REL: .acq_rel (fence)
 * @DRM_VSM_SEM_SC: .sc (fence)
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
 * @DRM_VSM_SCOPE_DEFAULT: None: .cta
 * @DRM_VSM_SCOPE_CTA: .cta
 * @DRM_VSM_SCOPE_CLUSTER: .cluster
 * @DRM_VSM_SCOPE_GPU: .gpu (fence)
 * @DRM_VSM_SCOPE_SYS: .sys (fence)
 */
enum drm_vsm_scope {
	DRM_VSM_SCOPE_DEFAULT = 0,
	DRM_VSM_SCOPE_CTA = 1,
	DRM_VSM_SCOPE_CLUSTER = 2,
	DRM_VSM_SCOPE_GPU = 3,
	DRM_VSM_SCOPE_SYS = 4,
};

/**
 * enum drm_vsm_fault - Misuse that an instruction was refused for
 * @DRM_VSM_FAULT_NONE: No misuse
 * @DRM_VSM_FAULT_MISALIGNED: Address not a multiple of 8 (of a copy: of 16, or of its
 *	size)
 * @DRM_VSM_FAULT_OUT_OF_WINDOW: No such CTA rank, past the end of its window, or an
 *	operation that works on other CTAs' windows spelled .shared::cta there
 * @DRM_VSM_FAULT_NOT_AN_MBARRIER: No valid object there
 * @DRM_VSM_FAULT_INIT_OVER_LIVE: init of a valid object without inval; info is
 *	&enum drm_vsm_mbarrier_state
 * @DRM_VSM_FAULT_BAD_COUNT: Count of an init or an arrive outside 1 to 2^20 - 1
 * @DRM_VSM_FAULT_INVAL_IN_USE: inval with a wait suspended or armed on the object
 *	(info 0), or with info asynchronous operations bound to it
 * @DRM_VSM_FAULT_ARRIVAL_OVERFLOW: More arrivals than are pending
 * @DRM_VSM_FAULT_NOCOMPLETE_COMPLETES: .noComplete with a count above pending, or
 *	equal to it while no transaction is pending
 * @DRM_VSM_FAULT_DROP_TO_ZERO: A drop that leaves no expected arrivals
 * @DRM_VSM_FAULT_TX_RANGE: tx-count outside +-(2^20 - 1) after the operation
 * @DRM_VSM_FAULT_TX_OVERDELIVERY: No arrival pending and tx-count below 0
 * @DRM_VSM_FAULT_REMOTE_FORBIDDEN: The operation, or its result, does not exist
 *	for another CTA's window
 * @DRM_VSM_FAULT_BAD_ORDER: .sem or .scope that the operation does not take, or
 *	one without the other
 * @DRM_VSM_FAULT_POISONED: The word's poison bit is set, or an arrive-on found that no
 *	arrival was expected (hardware policy, or after a reported breach): a trap, the
 *	cluster is lost
 * @DRM_VSM_FAULT_PHASE_UNOBSERVED: Operation that would complete a phase before any wait
 *	returned True for the phase before it; with it in &drm_vsm_cluster_create.enforce any
 *	arrive-on in such a phase
 * @DRM_VSM_FAULT_STALE_TOKEN: Wait on a token from before the immediately preceding
 *	phase, or not from this object
 * @DRM_VSM_FAULT_NOT_A_PENDING_TOKEN: pending_count of a token that no .noComplete
 *	returned
 * @DRM_VSM_FAULT_INIT_NOT_FENCED: Remote operation on an object whose init was followed
 *	neither by fence.mbarrier_init of the thread that initialised it nor by a release of
 *	.cluster or a wider scope in its CTA: an arrive, a fence, or barrier.cluster.arrive in a
 *	phase that is complete
 * @DRM_VSM_FAULT_WRITE_OVER_LIVE: A copy that writes to a valid object; info is the
 *	cluster shared address of the first such
 * @DRM_VSM_FAULT_LATE_COMPLETION: The completion of an asynchronous operation, which
 *	was bound to a phase that is complete or to an object that is gone
 * @DRM_VSM_FAULT_DEADLOCK: Every thread of the cluster is suspended without a time
 *	limit and nothing is in flight that could wake one; info is their number
 * @DRM_VSM_FAULT_PENDING_RANGE: cp.async.mbarrier.arrive lifts pending above 2^20 - 1
 * @DRM_VSM_FAULT_BAD_PARITY: A wait for a parity above 1
 * @DRM_VSM_FAULT_READ_OVER_LIVE: A copy that reads a valid object as data; info is the
 *	cluster shared address of the first such
 * @DRM_VSM_FAULT_COPY_SIZE: Size of a bulk copy is not a multiple of 16, or src_size
 *	of a cp.async is above its size
 * @DRM_VSM_FAULT_COPY_BOUNDS: A copy leaves its buffer
 * @DRM_VSM_FAULT_COPY_MBARRIER: A copy's mbarrier is in another CTA's window than
 *	its destination
 * @DRM_VSM_FAULT_COPY_OVERLAP: A copy writes where another one in flight reads or
 *	writes. Reductions may meet each other
 * @DRM_VSM_FAULT_COPY_INCOMPLETE: A copy reads what another one in flight writes
 * @DRM_VSM_FAULT_TENSOR_MAP: The tensor map is none, or not one for the instruction;
 *	info is &enum drm_vsm_tensor_error
 * @DRM_VSM_FAULT_NOT_IN_MASK: The executing thread is not in its membermask
 * @DRM_VSM_FAULT_WARP_MISMATCH: A thread of the membermask waits for this one too, but in
 *	another instruction, with other qualifiers or with another membermask; info is its
 *	lane
 * @DRM_VSM_FAULT_SHFL_SOURCE: shfl.sync from a lane that is not in the membermask or has
 *	exited; info is the lane. Only clusters that enforce this rule refuse it
 * @DRM_VSM_FAULT_PARTIAL_WARP: A barrier waits for all threads of the warp, one of which
 *	waits for this one in another instruction; info is its lane
 * @DRM_VSM_FAULT_BARRIER_ID: Barrier above 15
 * @DRM_VSM_FAULT_BARRIER_COUNT: Count of a barrier that is 0 or not a multiple of 32
 * @DRM_VSM_FAULT_BARRIER_MISMATCH: Another count than that of the warps that have arrived;
 *	info is theirs
 * @DRM_VSM_FAULT_BARRIER_OVERFLOW: The warp has arrived already, and the barrier is not
 *	complete. Only clusters that enforce this rule refuse it
 * @DRM_VSM_FAULT_BARRIER_MIXED: .red at a barrier where warps have arrived by .sync or .arrive,
 *	or by another reduction, or the other way round
 * @DRM_VSM_FAULT_CLUSTER_ARRIVED: barrier.cluster.arrive of a thread that has arrived and not
 *	waited
 * @DRM_VSM_FAULT_CLUSTER_NOT_ARRIVED: barrier.cluster.wait of a thread that has not arrived
 * @DRM_VSM_FAULT_THREAD_EXITED: The thread has exited
 * @DRM_VSM_FAULT_THREAD_SUSPENDED: The thread is suspended in another instruction: in another
 *	task or an armed wait, or a signal interrupted it
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
 * The bit of a fault in masks of rules: codes below 0x100 from bit 1 on, those from 0x101 on from
 * bit 33 on, those from 0x201 on from bit 41 on.
 */
#define DRM_VSM_RULE(fault) \
	(1ULL << ((fault) < 0x100 ? (fault) : \
		  ((fault) < 0x200 ? 32 : 40) + ((fault) & 0xff)))

/**
 * enum drm_vsm_mbarrier_state - What a valid object was doing
 * @DRM_VSM_MBARRIER_IDLE: Nothing that its counts tell of: all expected arrivals are
 *	pending and no transaction is
 * @DRM_VSM_MBARRIER_IN_PROGRESS: A phase was in progress
 * @DRM_VSM_MBARRIER_UNOBSERVED: A phase had completed and no wait had returned True for it
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
 * @tx_count: Transactions (bytes)
 * @parity: phaseParity, 0 or 1; in the hardware policy bit 0 counts
 * @hint_ns: suspendTimeHint in ns: time limit instead of the device's. Time is
 *	never up early; limits of more than two timer ticks (8 ms with HZ=250) may
 *	be an eighth longer, and two ticks
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
 * @addr: Cluster shared address of the window's side, of the destination if both sides
 *	are windows; a multiple of 16 (cp.async: of @size)
 * @mbar: Cluster shared address of the mbarrier on which complete-tx is performed
 *	(destination in shared memory only), in the same CTA's window as @addr
 * @size: Bytes, a multiple of 16; 4, 8 or 16 for cp.async
 * @buffer: GEM handle of the buffer on the other side
 * @offset: Byte offset in the buffer, a multiple of 16 (cp.async: of @size)
 * @src_size: Bytes to copy, up to @size (cp.async with %DRM_VSM_MOD_SRC_SIZE)
 * @mask: ctaMask, a bit for each CTA whose window gets the data, and whose mbarrier the
 *	complete-tx, at the offsets in @addr and @mbar (%DRM_VSM_MOD_MULTICAST), not 0; or
 *	byteMask, a bit for each byte of 16 that is copied (%DRM_VSM_MOD_CP_MASK)
 * @pad: Must be 0
 * @src: Cluster shared address of the source in the executing CTA's window, a multiple
 *	of 16 (shared to shared)
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
 * @addr: Cluster shared address of the window's side, a multiple of 128
 * @mbar: Cluster shared address of the mbarrier on which complete-tx is performed
 *	(global to shared only), in the same CTA's window as @addr
 * @map: Pointer to the &struct drm_vsm_tensor_map, a multiple of 64. It is read when
 *	the instruction is issued
 * @coords: tensorCoords, innermost first: of the box's first element (.tile), of the
 *	first channel and pixel (.im2col). The rest must be 0
 * @mask: ctaMask (%DRM_VSM_MOD_MULTICAST)
 * @offsets: im2colOffsets (.im2col loads and prefetches), innermost first: of three
 *	dimensions one of 16 bits, of four two of 8 bits, of five three of 5 bits
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
 * @addr: Cluster shared address, a multiple of @size
 * @mbar: Cluster shared address of the mbarrier on which complete-tx is performed, in
 *	the same CTA's window as @addr
 * @size: Bytes
 * @pad: Must be 0
 * @value: The value; bytes past @size must be 0
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
 * @membermask: Lanes that take part, bit 0 being lane 0; those that the warp lacks count as
 *	exited
 * @b: Lane or offset (shfl.sync), of which bits 4:0 count
 * @c: Clamp value in bits 4:0, segment mask in bits 12:8 (shfl.sync), the others don't count
 * @pad: Must be 0
 * @a: Value (match.sync, shfl.sync, redux.sync; 32 bits but for match.sync.b64), or
 *	predicate 0 or 1 (vote.sync)
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
 * @pred: Predicate 0 or 1 (barrier.cta.red)
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
 * @red: Of reductions &enum drm_vsm_red and &enum drm_vsm_type (DRM_VSM_RED()), of
 *	tensor copies &enum drm_vsm_red or 0, and the number of dimensions
 *	(DRM_VSM_RED_DIMS()), of warp operations &enum drm_vsm_mode and &enum drm_vsm_type
 *	(DRM_VSM_MODE()); else 0
 * @u: Operands
 * @u.mbarrier: Operands of mbarrier operations, and of waits for groups
 * @u.copy: Operands of copies
 * @u.tensor: Operands of tensor copies
 * @u.store: Operands of st.async and red.async
 * @u.warp: Operands of warp operations
 * @u.barrier: Operands of barrier.cta
 * @result: Result (out). Where @fault is set: the mbarrier word as it was found, or 0
 *	where no word was looked at. A refused instruction leaves the word so
 * @fault: &enum drm_vsm_fault (out): the rule that the instruction broke
 * @info: What @fault says it is, else 0 (out)
 *
 * @result, @fault and @info are not read. EXEC writes them when the instruction
 * retires or is refused, SUBMIT only when it is refused.
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
 * enum drm_vsm_tensor_type - Type of a tensor's elements, as CUtensorMapDataType
 * @DRM_VSM_TENSOR_UINT8: 1 byte
 * @DRM_VSM_TENSOR_UINT16: 2 bytes
 * @DRM_VSM_TENSOR_UINT32: 4 bytes
 * @DRM_VSM_TENSOR_INT32: 4 bytes
 * @DRM_VSM_TENSOR_UINT64: 8 bytes
 * @DRM_VSM_TENSOR_INT64: 8 bytes
 * @DRM_VSM_TENSOR_FLOAT16: 2 bytes
 * @DRM_VSM_TENSOR_FLOAT32: 4 bytes
 * @DRM_VSM_TENSOR_FLOAT64: 8 bytes
 * @DRM_VSM_TENSOR_BFLOAT16: 2 bytes
 * @DRM_VSM_TENSOR_FLOAT32_FTZ: 4 bytes
 * @DRM_VSM_TENSOR_TFLOAT32: 4 bytes
 * @DRM_VSM_TENSOR_TFLOAT32_FTZ: 4 bytes
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
 * @DRM_VSM_TENSOR_TILED: .tile
 * @DRM_VSM_TENSOR_IM2COL: .im2col
 */
enum drm_vsm_tensor_mode {
	DRM_VSM_TENSOR_TILED = 1,
	DRM_VSM_TENSOR_IM2COL = 2,
};

/**
 * enum drm_vsm_tensor_interleave - Interleaved layout, as CUtensorMapInterleave
 * @DRM_VSM_TENSOR_INTERLEAVE_NONE: None
 * @DRM_VSM_TENSOR_INTERLEAVE_16B: NC/8HWC8 for two-byte elements
 * @DRM_VSM_TENSOR_INTERLEAVE_32B: NC/16HWC16 for two-byte elements
 */
enum drm_vsm_tensor_interleave {
	DRM_VSM_TENSOR_INTERLEAVE_NONE = 0,
	DRM_VSM_TENSOR_INTERLEAVE_16B = 1,
	DRM_VSM_TENSOR_INTERLEAVE_32B = 2,
};

/**
 * enum drm_vsm_tensor_swizzle - Swizzle in shared memory, as CUtensorMapSwizzle
 * @DRM_VSM_TENSOR_SWIZZLE_NONE: None
 * @DRM_VSM_TENSOR_SWIZZLE_32B: 16-byte chunks within 32 bytes
 * @DRM_VSM_TENSOR_SWIZZLE_64B: 16-byte chunks within 64 bytes
 * @DRM_VSM_TENSOR_SWIZZLE_128B: 16-byte chunks within 128 bytes
 */
enum drm_vsm_tensor_swizzle {
	DRM_VSM_TENSOR_SWIZZLE_NONE = 0,
	DRM_VSM_TENSOR_SWIZZLE_32B = 1,
	DRM_VSM_TENSOR_SWIZZLE_64B = 2,
	DRM_VSM_TENSOR_SWIZZLE_128B = 3,
};

/**
 * enum drm_vsm_tensor_fill - Elements out of bounds, as CUtensorMapFloatOOBfill
 * @DRM_VSM_TENSOR_FILL_ZERO: Zero
 * @DRM_VSM_TENSOR_FILL_NAN: The NaN that FMAs take for zero; floating-point types only
 */
enum drm_vsm_tensor_fill {
	DRM_VSM_TENSOR_FILL_ZERO = 0,
	DRM_VSM_TENSOR_FILL_NAN = 1,
};

/**
 * struct drm_vsm_tensor_map - A tensor map: a tensor in a buffer and the box that is
 * copied of it
 * @type: &enum drm_vsm_tensor_type
 * @rank: Dimensions, 1 to 5
 * @mode: &enum drm_vsm_tensor_mode
 * @interleave: &enum drm_vsm_tensor_interleave
 * @swizzle: &enum drm_vsm_tensor_swizzle
 * @fill: &enum drm_vsm_tensor_fill
 * @l2_promotion: CUtensorMapL2promotion, 0 to 3, without effect
 * @pad: Must be 0
 * @buffer: GEM handle of the buffer
 * @channels: Channels of a pixel (.im2col)
 * @pixels: Pixels of a column (.im2col)
 * @offset: Byte offset of the tensor in the buffer
 * @size: Elements of each dimension, innermost first
 * @stride: Bytes from one element to the next of each dimension but the innermost
 * @box: Elements of the box in each dimension (.tile)
 * @lower: Lower corner of the bounding box (.im2col), innermost dimension first
 * @upper: Upper corner, likewise
 * @element_stride: Every how many-th element of each dimension is copied
 * @reserved: Must be 0
 *
 * Made by vsm_tensor_map_encode_tiled() and vsm_tensor_map_encode_im2col() of libvsm;
 * &enum drm_vsm_tensor_error tells what the values have to be. What the rank or the mode
 * does not take must be 0.
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
 * @DRM_VSM_EXEC_NO_LIMIT: A try_wait without suspendTimeHint suspends until its phase
 *	completes. Where all threads of a cluster are suspended so, with nothing in
 *	flight on it and no wait armed, nobody can wake one any more:
 *	%DRM_VSM_FAULT_DEADLOCK ends them all. Of tasks that play one thread the first
 *	to suspend stands for it. Threads that have exited do not count, and what suspends
 *	in a rendezvous always does so without a limit
 * @DRM_VSM_EXEC_WARP: The caller is the whole warp of the thread, converged. Instructions from
 *	%DRM_VSM_OP_MATCH_SYNC to %DRM_VSM_OP_EXIT are executed by all its threads that have not
 *	exited (warp operations: by those of the membermask) with the same operands, and the
 *	result is that of the thread; other instructions by the thread alone, as after
 *	elect.sync, while the others wait for it. After a signal the same thread goes on, with
 *	this flag, or exits with it
 */
enum drm_vsm_exec_flags {
	DRM_VSM_EXEC_NO_LIMIT = 1 << 0,
	DRM_VSM_EXEC_WARP = 1 << 1,
};

/**
 * struct drm_vsm_exec - Run instructions as one device thread
 * @cluster: Handle of the cluster
 * @cta: Rank of the CTA
 * @thread: Thread in the CTA
 * @insns: Pointer to the first &struct drm_vsm_insn
 * @stride: Bytes from one instruction to the next
 * @count: Instructions, up to &drm_vsm_device_info.max_exec
 * @retired: Instructions retired (in, out): execution begins there and the
 *	kernel counts on, so that the same structure continues a stream
 * @flags: Mask of &enum drm_vsm_exec_flags
 * @deadline: When the time limit of a suspended try_wait passes (in, out), INT64_MAX if
 *	it has none; 0 if none is suspended. The caller sets it to 0 for a new stream, and
 *	does not change it between calls
 *
 * Returns 0 when all instructions are retired, and also when a try_wait has
 * answered False because its time limit passed: that try_wait is retired, it is
 * the last one that is, and its result is 0. The program decides, as the branch
 * after a try_wait does: call again to go on, or set @retired back to repeat it.
 *
 * A thread that a signal interrupts in a rendezvous has arrived there, and stays so: the
 * others do not wait for it to come back. The same call, or another EXEC or armed wait with
 * the same instruction, waits on. Until then the thread can execute no other instruction
 * from %DRM_VSM_OP_MATCH_SYNC to %DRM_VSM_OP_BARRIER_CLUSTER_WAIT. A thread that has exited
 * executes nothing, by EXEC, SUBMIT or WAITSET_ARM.
 *
 * Copies, st.async, red.async and cp.async.mbarrier.arrive are retired when they are
 * issued; they happen later, and what they refuse then is told by an event alone. Each
 * in flight counts as an instruction of a job does.
 *
 * On an error the instructions before @retired are retired and the one at
 * @retired has changed nothing. After EINTR the same call continues: nothing is
 * lost or repeated, and the time limit of a suspended try_wait runs on. If this
 * structure itself cannot be written, the call fails with EFAULT, and @retired does not
 * tell how far the stream got.
 *
 * Errors: EPROTO (the instruction at @retired holds the fault), EOPNOTSUPP, EIO,
 * ENODEV, ENOENT, EINVAL, E2BIG, ENOSPC, ENOMEM, EFAULT, EINTR.
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
};

/**
 * enum drm_vsm_sync_flags - Flags of a &struct drm_vsm_sync
 * @DRM_VSM_SYNC_WAIT: In-fence: the job starts when it has signalled
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
 * @point: Point of a timeline syncobj, or 0: the syncobj is binary
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
 * @channel: Channel: 0, which every client has and which runs jobs in order, or one from
 *	DRM_IOCTL_VSM_CHANNEL_CREATE
 * @flags: Must be 0
 * @refused: Index of the refused instruction (out, with EPROTO or EOPNOTSUPP)
 * @pad: Must be 0
 *
 * A job may have: all copies except cp.async; st.async and red.async; expect_tx, complete_tx
 * and fence; arrives with %DRM_VSM_MOD_SINK. What does not depend on the mbarrier word is
 * checked here and refuses the whole job; what does is checked as the job runs.
 *
 * A job begins when its in-fences have signalled and those before it in its channel
 * have ended (of an out-of-order channel: when no other is running). It issues its
 * instructions in order; its copies are asynchronous to them and to each other. It ends,
 * and its fence signals, when all are complete. The fence's error is
 *
 * - EIO if an instruction of the job faulted, which an event tells of, or the cluster
 *   is lost: the instructions behind it have not been issued;
 * - ETIMEDOUT if the job took longer than the device's limit: its channel is reset,
 *   which drops the copies of the job that are in flight;
 * - ECANCELED if it waited in a channel that was reset, or had not ended when its
 *   channel was destroyed or its client closed;
 * - ENODEV if the device went;
 * - that of an in-fence that had failed: the job has not run.
 *
 * The data of a copy is written before its complete-tx can be seen.
 *
 * Errors: EPROTO, EOPNOTSUPP, ENOENT, EINVAL, E2BIG, ENOSPC, ENOMEM, EFAULT,
 * EIO, ENODEV.
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
	__u32 pad;
};

/**
 * enum drm_vsm_channel_flags - Flags of a channel
 * @DRM_VSM_CHANNEL_OUT_OF_ORDER: A job may overtake those whose in-fences have not
 *	signalled
 */
enum drm_vsm_channel_flags {
	DRM_VSM_CHANNEL_OUT_OF_ORDER = 1 << 0,
};

/**
 * struct drm_vsm_channel_create - Create a copy channel
 * @flags: Mask of &enum drm_vsm_channel_flags
 * @channel: The channel (out), never 0
 *
 * A channel runs one job at a time. Channels run beside each other and take turns,
 * whosever they are. Errors: EINVAL, ENOSPC, ENOMEM.
 */
struct drm_vsm_channel_create {
	__u32 flags;
	__u32 channel;
};

/**
 * struct drm_vsm_channel_destroy - Destroy a copy channel
 * @channel: The channel, not 0
 * @flags: Must be 0
 *
 * Its jobs are cancelled. Errors: EINVAL, ENOENT.
 */
struct drm_vsm_channel_destroy {
	__u32 channel;
	__u32 flags;
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
 * @record_stride: Bytes that each record takes in read(): a multiple of 8 from 24, which
 *	leaves the result out, to 256
 * @fd: The file descriptor, close-on-exec (out)
 * @pad: Must be 0
 *
 * The file descriptor is readable when a wait has ended. read() returns as many
 * whole records as fit, in the order in which the waits ended; it blocks while
 * there is none, or returns EAGAIN with O_NONBLOCK, EINVAL if no record fits.
 * poll() says POLLIN while there are records and POLLHUP once the device is
 * gone; read() returns ENODEV when it is gone and no record is left.
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
 * @DRM_VSM_WAIT_PARITY: @state is a phaseParity as in &struct drm_vsm_mbarrier_operands, not
 *	a token
 * @DRM_VSM_WAIT_INSN: The wait is an instruction that a thread executes, from
 *	%DRM_VSM_OP_MATCH_SYNC to %DRM_VSM_OP_BARRIER_CLUSTER_WAIT: @addr is its
 *	DRM_VSM_WAIT_THREAD(), @state the pointer to its &struct drm_vsm_insn, of which 64
 *	bytes are read and none written
 * @DRM_VSM_WAIT_WARP: And the whole warp executes it, as with %DRM_VSM_EXEC_WARP
 */
enum drm_vsm_wait_flags {
	DRM_VSM_WAIT_PARITY = 1 << 0,
	DRM_VSM_WAIT_INSN = 1 << 1,
	DRM_VSM_WAIT_WARP = 1 << 2,
};

/* &drm_vsm_wait.addr with DRM_VSM_WAIT_INSN. */
#define DRM_VSM_WAIT_THREAD(cta, thread)	((__u32)(cta) << 16 | (thread))

/**
 * struct drm_vsm_wait - A wait to arm
 * @cluster: Handle of the cluster
 * @addr: Cluster shared address of the mbarrier, or the thread
 * @state: State token, or phaseParity, or pointer to the instruction
 * @deadline: When the wait expires, absolute CLOCK_MONOTONIC in ns; negative
 *	means never; one that has passed expires at once
 * @user_data: Comes back in the record
 * @id: Names the wait in this set, until its record is read (out); 0 if it was not
 *	armed
 * @flags: Mask of &enum drm_vsm_wait_flags
 * @fault: &enum drm_vsm_fault (out): why the wait was refused
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
};

/**
 * struct drm_vsm_waitset_arm - Arm waits
 * @waits: Pointer to the first &struct drm_vsm_wait
 * @stride: Bytes from one wait to the next
 * @count: Waits, up to &drm_vsm_device_info.max_exec
 * @fd: Wait set, of the same device
 * @armed: Waits armed (in, out): arming begins there and the kernel counts on
 * @flags: Must be 0
 * @pad: Must be 0
 *
 * A wait that is complete already is armed and ends at once. On an error the
 * waits before @armed are armed.
 *
 * A thread whose instruction is armed (%DRM_VSM_WAIT_INSN) has arrived. Where the wait ends by
 * its deadline, by WAITSET_CANCEL or with the wait set, the thread stays where it is, as
 * after a signal in EXEC, and the instruction can be armed again or go on in EXEC.
 *
 * Errors: EPROTO (the wait at @armed holds the fault), EOPNOTSUPP, EBADF, EINVAL, ENOENT,
 * E2BIG, ENOSPC, ENOMEM, EFAULT, EIO, ENODEV, EINTR.
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
 * Returns 0 if the wait was still armed: it is gone and gives no record. ENOENT
 * if there is no such wait, or it has ended and its record is there to be read.
 * EBADF if @fd is not a wait set.
 */
struct drm_vsm_waitset_cancel {
	__u64 id;
	__s32 fd;
	__u32 flags;
};

/**
 * enum drm_vsm_wait_status - How a wait ended
 * @DRM_VSM_WAIT_COMPLETE: The phase completed
 * @DRM_VSM_WAIT_EXPIRED: The deadline passed first
 * @DRM_VSM_WAIT_CLUSTER_LOST: The cluster was lost (EIO)
 * @DRM_VSM_WAIT_DEVICE_LOST: The device was lost (ENODEV)
 * @DRM_VSM_WAIT_FAULT: The instruction was refused as it completed; the result is
 *	&enum drm_vsm_fault, and an event tells of it
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
 * @id: &drm_vsm_wait.id; no other wait of the set ever gets it
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
 * @DRM_VSM_HOLD: Hold; without it, release
 */
enum drm_vsm_hold_flags {
	DRM_VSM_HOLD = 1 << 0,
};

/**
 * struct drm_vsm_cluster_hold - Keep asynchronous operations in flight
 * @cluster: Handle of the cluster
 * @flags: Mask of &enum drm_vsm_hold_flags
 *
 * While a cluster is held, the asynchronous operations that threads issue on it (EXEC)
 * stay in flight: nothing of them happens. On release they happen, those of each client
 * in the order in which they were issued, or as the device is told to shuffle. A test
 * that wants to see what its program does before they are complete, or after, needs no
 * luck. Closing a handle of the cluster releases it. Jobs are not held. When a
 * client closes its file, what is not held is still performed, for at most one second, and
 * what another client holds is dropped.
 *
 * Errors: ENOENT, EINVAL.
 */
struct drm_vsm_cluster_hold {
	__u32 cluster;
	__u32 flags;
};

/**
 * DOC: Fault events
 *
 * Every misuse is also told of as a DRM event: poll() says that the DRM file
 * descriptor of the client that caused it is readable, and read() returns one or more
 * whole events, each a &struct drm_event with its length, as of any DRM driver. A
 * client that does not read them loses nothing but events: 4096 bytes of them are
 * kept, and the next that fits says how many did not. Once the device is gone poll()
 * says POLLHUP and read() of a client without events returns ENODEV.
 */

/**
 * define DRM_VSM_EVENT_FAULT - Type of a &struct drm_vsm_event_fault
 */
#define DRM_VSM_EVENT_FAULT 0x80000000

/**
 * enum drm_vsm_event_flags - Flags of a &struct drm_vsm_event_fault
 * @DRM_VSM_EVENT_REPORTED: The cluster only reports the rule: it has not refused the
 *	instruction
 */
enum drm_vsm_event_flags {
	DRM_VSM_EVENT_REPORTED = 1 << 0,
};

/**
 * enum drm_vsm_source - Where an instruction ran
 * @DRM_VSM_SOURCE_EXEC: EXEC; the call returned EPROTO, unless the event is
 *	%DRM_VSM_EVENT_REPORTED
 * @DRM_VSM_SOURCE_SUBMIT: SUBMIT refused it; the call returned EPROTO, with the same exception
 * @DRM_VSM_SOURCE_JOB: A job; its fence carries EIO, with the same exception
 * @DRM_VSM_SOURCE_ASYNC: An asynchronous operation as it completed; the instruction
 *	is the one that issued it
 * @DRM_VSM_SOURCE_ARM: WAITSET_ARM refused it, or it was refused as it completed; the
 *	instruction is the try_wait that the wait stands for, or what was armed
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
 * @base: Type %DRM_VSM_EVENT_FAULT, length of the event: it may end before @flags, which is 0
 *	then
 * @time: CLOCK_MONOTONIC in ns
 * @cluster: Handle of the cluster, as the call named it
 * @cta: CTA of the thread; of a wait that was to be armed the CTA of its address
 * @thread: Thread in the CTA; of a wait that was to be armed 0
 * @source: &enum drm_vsm_source
 * @lost: Events that did not fit since the last one that did
 * @insn: The instruction; &drm_vsm_insn.fault, &drm_vsm_insn.result (the word) and
 *	&drm_vsm_insn.info tell why it is misuse
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

#if defined(__cplusplus)
}
#endif

#endif
