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
 * - It may grow at its end. ioctl arguments are extended with zeros by the DRM
 *   core, arrays carry their stride. A stride is a multiple of 8 and at least
 *   the size of the element as defined here; bytes past what the kernel knows
 *   are neither read nor written. Arrays of instructions and of waits begin at a
 *   multiple of 8.
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
 * ENOSPC      A limit of this client or of the device is reached
 * EOPNOTSUPP  The operation does not exist in the cluster's layout, or not yet
 *             in this version of the device (see &struct drm_vsm_device_info)
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
#define DRM_VSM_ABI_MINOR 2

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
 */
enum drm_vsm_feature {
	DRM_VSM_FEATURE_MBARRIER = 1 << 0,
	DRM_VSM_FEATURE_WAITSET = 1 << 1,
	DRM_VSM_FEATURE_BULK_COPY = 1 << 2,
	DRM_VSM_FEATURE_CP_ASYNC = 1 << 3,
	DRM_VSM_FEATURE_FAULTS = 1 << 4,
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
 * @client_bytes: Bytes of clusters, of what is known of the objects in them, and of
 *	buffers that one client may hold
 * @device_bytes: The same for all clients together
 * @try_wait_limit_ns: Time limit of a try_wait without suspendTimeHint, in ns
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
 *
 * The windows start as zeros. User space may write anything into its mapping at
 * any time.
 *
 * Errors: EINVAL, ENOSPC (memory or number of clusters), ENOMEM.
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
 *	.mbarrier::complete_tx::bytes: copy operands; SUBMIT only
 * @DRM_VSM_OP_CP_ASYNC_BULK_S2G: cp.async.bulk.global.shared::cta: copy operands
 *	without mbar; complete when its job is; SUBMIT only
 * @DRM_VSM_OP_FENCE_MBARRIER_INIT: fence.mbarrier_init.release.cluster: no operands;
 *	&drm_vsm_insn.sem and &drm_vsm_insn.scope must say .release.cluster
 * @DRM_VSM_OP_CP_ASYNC: cp.async.ca or .cg .shared.global: copy operands without
 *	mbar; size is 4, 8 or 16 (16 with %DRM_VSM_MOD_CG); with %DRM_VSM_MOD_SRC_SIZE
 *	src_size bytes are copied and the rest is filled with zeros. Asynchronous;
 *	EXEC only
 * @DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE: cp.async.mbarrier.arrive: addr. An arrive-on
 *	when all cp.async that the thread issued before are complete; EXEC only
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
};

/**
 * enum drm_vsm_mod - Modifiers of an instruction, a mask
 * @DRM_VSM_MOD_COUNT: The count operand is given (arrive, arrive_drop); without
 *	it the count is 1
 * @DRM_VSM_MOD_EXPECT_TX: .expect_tx (arrive, arrive_drop), not with COUNT
 * @DRM_VSM_MOD_NOCOMPLETE: .noComplete (arrive, arrive_drop), only with COUNT
 * @DRM_VSM_MOD_SINK: Destination _ (arrive, arrive_drop)
 * @DRM_VSM_MOD_PARITY: .parity (test_wait, try_wait)
 * @DRM_VSM_MOD_HINT: The suspendTimeHint operand is given (try_wait)
 * @DRM_VSM_MOD_NOINC: .noinc (cp.async.mbarrier.arrive)
 * @DRM_VSM_MOD_SRC_SIZE: The src-size operand is given (cp.async)
 * @DRM_VSM_MOD_CG: .cg (cp.async); without it .ca
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
};

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
 * enum drm_vsm_sem - .sem qualifier; given together with .scope or not at all
 * @DRM_VSM_SEM_DEFAULT: None: release for arrives, acquire for waits
 * @DRM_VSM_SEM_RELAXED: .relaxed
 * @DRM_VSM_SEM_ACQUIRE: .acquire
 * @DRM_VSM_SEM_RELEASE: .release
 */
enum drm_vsm_sem {
	DRM_VSM_SEM_DEFAULT = 0,
	DRM_VSM_SEM_RELAXED = 1,
	DRM_VSM_SEM_ACQUIRE = 2,
	DRM_VSM_SEM_RELEASE = 3,
};

/**
 * enum drm_vsm_scope - .scope qualifier
 * @DRM_VSM_SCOPE_DEFAULT: None: .cta
 * @DRM_VSM_SCOPE_CTA: .cta
 * @DRM_VSM_SCOPE_CLUSTER: .cluster
 */
enum drm_vsm_scope {
	DRM_VSM_SCOPE_DEFAULT = 0,
	DRM_VSM_SCOPE_CTA = 1,
	DRM_VSM_SCOPE_CLUSTER = 2,
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
 *	arrival was expected (hardware policy): a trap, the cluster is lost
 * @DRM_VSM_FAULT_PHASE_UNOBSERVED: arrive-on in a phase before any wait returned True
 *	for the phase before it
 * @DRM_VSM_FAULT_STALE_TOKEN: Wait on a token from before the immediately preceding
 *	phase, or not from this object
 * @DRM_VSM_FAULT_NOT_A_PENDING_TOKEN: pending_count of a token that no .noComplete
 *	returned
 * @DRM_VSM_FAULT_INIT_NOT_FENCED: Remote operation on an object whose init was followed
 *	neither by fence.mbarrier_init of the thread that initialised it nor by an
 *	arrive.release.cluster in its CTA
 * @DRM_VSM_FAULT_WRITE_OVER_LIVE: A copy that writes to a valid object; info is the
 *	cluster shared address of the first such
 * @DRM_VSM_FAULT_LATE_COMPLETION: The completion of an asynchronous operation, which
 *	was bound to a phase that is complete or to an object that is gone
 * @DRM_VSM_FAULT_DEADLOCK: Every thread of the cluster is suspended without a time
 *	limit and nothing is in flight that could wake one; info is their number
 * @DRM_VSM_FAULT_PENDING_RANGE: cp.async.mbarrier.arrive lifts pending above 2^20 - 1
 * @DRM_VSM_FAULT_COPY_SIZE: Size of a bulk copy is not a multiple of 16, or src_size
 *	of a cp.async is above its size
 * @DRM_VSM_FAULT_COPY_BOUNDS: A copy leaves its buffer
 * @DRM_VSM_FAULT_COPY_MBARRIER: A copy's mbarrier is in another CTA's window than
 *	its destination
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
	DRM_VSM_FAULT_COPY_SIZE = 0x101,
	DRM_VSM_FAULT_COPY_BOUNDS = 0x102,
	DRM_VSM_FAULT_COPY_MBARRIER = 0x103,
};

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
 * @parity: phaseParity, of which bit 0 counts
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
 * @addr: Cluster shared address of the window's side, a multiple of 16 (cp.async: of
 *	@size)
 * @mbar: Cluster shared address of the mbarrier on which complete-tx is performed
 *	(global to shared only), in the same CTA's window as @addr
 * @size: Bytes, a multiple of 16; 4, 8 or 16 for cp.async
 * @buffer: GEM handle of the buffer on the other side
 * @offset: Byte offset in the buffer, a multiple of 16 (cp.async: of @size)
 * @src_size: Bytes to copy, up to @size (cp.async with %DRM_VSM_MOD_SRC_SIZE)
 * @pad: Must be 0
 * @reserved: Must be 0
 */
struct drm_vsm_copy_operands {
	__u32 addr;
	__u32 mbar;
	__u32 size;
	__u32 buffer;
	__u64 offset;
	__u32 src_size;
	__u32 pad;
	__u64 reserved;
};

/**
 * struct drm_vsm_insn - An instruction
 * @op: &enum drm_vsm_op
 * @mods: Mask of &enum drm_vsm_mod
 * @space: &enum drm_vsm_space
 * @sem: &enum drm_vsm_sem
 * @scope: &enum drm_vsm_scope
 * @pad: Must be 0
 * @u: Operands
 * @u.mbarrier: Operands of mbarrier operations
 * @u.copy: Operands of copies
 * @result: Result (out). Where @fault is set: the mbarrier word as it was found
 *	and left, or 0 where no word was looked at
 * @fault: &enum drm_vsm_fault (out): why the instruction was refused
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
	__u8 pad;
	union {
		struct drm_vsm_mbarrier_operands mbarrier;
		struct drm_vsm_copy_operands copy;
	} u;
	__u64 result;
	__u32 fault;
	__u32 info;
};

/**
 * enum drm_vsm_exec_flags - Flags of an EXEC
 * @DRM_VSM_EXEC_NO_LIMIT: A try_wait without suspendTimeHint suspends until its phase
 *	completes. Where all threads of a cluster are suspended so, with nothing in
 *	flight on it and no wait armed, nobody can wake one any more:
 *	%DRM_VSM_FAULT_DEADLOCK ends them all. Of tasks that play one thread the first
 *	to suspend stands for it
 */
enum drm_vsm_exec_flags {
	DRM_VSM_EXEC_NO_LIMIT = 1 << 0,
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
 * @deadline: When the suspended instruction's time limit passes (in, out), 0 if
 *	none is suspended or it has no limit. Set to 0 for a new stream and otherwise
 *	left alone
 *
 * Returns 0 when all instructions are retired, and also when a try_wait has
 * answered False because its time limit passed: that try_wait is retired, it is
 * the last one that is, and its result is 0. The program decides, as the branch
 * after a try_wait does: call again to go on, or set @retired back to repeat it.
 *
 * cp.async and cp.async.mbarrier.arrive are retired when they are issued; they happen
 * later, and what they refuse then is told by an event alone. Each in flight counts
 * as an instruction of a job does.
 *
 * On an error the instructions before @retired are retired and the one at
 * @retired has changed nothing. After EINTR the same call continues: nothing is
 * lost or repeated, and the time limit of a suspended try_wait runs on.
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
 * @point: Timeline point; must be 0 in this version (binary syncobjs)
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
 * @channel: Must be 0: the client's own channel, which runs jobs in order
 * @flags: Must be 0
 * @refused: Index of the refused instruction (out, with EPROTO or EOPNOTSUPP)
 * @pad: Must be 0
 *
 * Copies, expect_tx, complete_tx and arrives with %DRM_VSM_MOD_SINK may be in a
 * job. What does not depend on the mbarrier word is checked here and refuses the
 * whole job; what does is checked as the job runs, and a job that faults ends
 * there, its fence carrying EPROTO. A job whose in-fence has failed does not run
 * and its fence carries that error. Fences of a job that is cancelled because
 * its client closes carry ECANCELED, because the device goes ENODEV.
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
 * enum drm_vsm_waitset_flags - Flags of a wait set
 * @DRM_VSM_WAITSET_NONBLOCK: Set O_NONBLOCK on the new file descriptor
 */
enum drm_vsm_waitset_flags {
	DRM_VSM_WAITSET_NONBLOCK = 1 << 0,
};

/**
 * struct drm_vsm_waitset_create - Create a wait set
 * @flags: Mask of &enum drm_vsm_waitset_flags
 * @record_stride: Bytes that each record takes in read(): a multiple of 8, from
 *	the size of &struct drm_vsm_wait_record to 256
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
 * @DRM_VSM_WAIT_PARITY: @state is a phaseParity, of which bit 0 counts, not a token
 */
enum drm_vsm_wait_flags {
	DRM_VSM_WAIT_PARITY = 1 << 0,
};

/**
 * struct drm_vsm_wait - A wait to arm
 * @cluster: Handle of the cluster
 * @addr: Cluster shared address of the mbarrier
 * @state: State token, or phaseParity
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
 * Errors: EPROTO (the wait at @armed holds the fault), EBADF, EINVAL, ENOENT,
 * E2BIG, ENOSPC, ENOMEM, EFAULT, EIO, ENODEV.
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
 */
enum drm_vsm_wait_status {
	DRM_VSM_WAIT_COMPLETE = 0,
	DRM_VSM_WAIT_EXPIRED = 1,
	DRM_VSM_WAIT_CLUSTER_LOST = 2,
	DRM_VSM_WAIT_DEVICE_LOST = 3,
};

/**
 * struct drm_vsm_wait_record - What read() of a wait set returns
 * @user_data: &drm_vsm_wait.user_data
 * @id: &drm_vsm_wait.id; free for another wait from now on
 * @status: &enum drm_vsm_wait_status
 * @pad: 0
 */
struct drm_vsm_wait_record {
	__u64 user_data;
	__u64 id;
	__u32 status;
	__u32 pad;
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
 * While a cluster is held, cp.async and cp.async.mbarrier.arrive that threads issue
 * on it stay in flight: nothing of them happens. On release they happen, those of each
 * client in the order in which they were issued. A test that wants to see what its
 * program does before they are complete, or after, needs no luck. Closing a handle of
 * the cluster releases it. Jobs are not held. Of a client that closes what is not held
 * happens yet, what another client holds is dropped.
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
 * enum drm_vsm_source - Where an instruction ran
 * @DRM_VSM_SOURCE_EXEC: EXEC; the call returned EPROTO
 * @DRM_VSM_SOURCE_SUBMIT: SUBMIT refused it; the call returned EPROTO
 * @DRM_VSM_SOURCE_JOB: A job; its fence carries EPROTO
 * @DRM_VSM_SOURCE_ASYNC: An asynchronous operation as it completed; the instruction
 *	is the one that issued it
 * @DRM_VSM_SOURCE_ARM: WAITSET_ARM refused it; the instruction is the try_wait that
 *	the wait stands for
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
 * @base: Type %DRM_VSM_EVENT_FAULT, length of the event
 * @time: CLOCK_MONOTONIC in ns
 * @cluster: Handle of the cluster, as the call named it
 * @cta: CTA of the thread; of a wait that was to be armed the CTA of its address
 * @thread: Thread in the CTA; of a wait that was to be armed 0
 * @source: &enum drm_vsm_source
 * @lost: Events that did not fit since the last one that did
 * @insn: The instruction; &drm_vsm_insn.fault, &drm_vsm_insn.result (the word) and
 *	&drm_vsm_insn.info tell why it is misuse
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

#if defined(__cplusplus)
}
#endif

#endif
