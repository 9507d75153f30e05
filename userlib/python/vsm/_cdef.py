# SPDX-License-Identifier: MIT
# userlib/python/generate.py has written this file from the headers of vsm. Do not change it.
"""What libvsm-ffi and libvsm-ptx declare, for cffi."""

VERSION = "0.5.0"
SONAME = "libvsm.so.2"
FFI_SONAME = "libvsm-ffi.so.3"
PTX_SONAME = "libvsm-ptx.so.0"
SOURCE = """
typedef uint8_t __u8;
typedef int8_t __s8;
typedef uint16_t __u16;
typedef int16_t __s16;
typedef uint32_t __u32;
typedef int32_t __s32;
typedef uint64_t __u64;
typedef int64_t __s64;
#define VSM_MBARRIER_MAX_COUNT 1048575
#define VSM_MBARRIER_MAX_TX 1048575
#define VSM_MBARRIER_PHASE_SHIFT 63
#define VSM_MBARRIER_PHASE -9223372036854775808
#define VSM_SM_90_PENDING_SHIFT 43
#define VSM_SM_90_PENDING_BITS 20
#define VSM_SM_90_POISON 4398046511104
#define VSM_SM_90_TX_SHIFT 21
#define VSM_SM_90_TX_BITS 21
#define VSM_SM_90_EXPECTED_SHIFT 1
#define VSM_SM_90_EXPECTED_BITS 20
#define VSM_SM_90_RESERVED 1
#define VSM_SM_90_INCOMPLETE 9223367638806167552
#define VSM_SM_80_PENDING_SHIFT 32
#define VSM_SM_80_PENDING_BITS 31
#define VSM_SM_80_EXPECTED_SHIFT 0
#define VSM_SM_80_EXPECTED_BITS 30
#define VSM_SM_80_RESERVED 3221225472
#define VSM_SHARED_RANK_SHIFT 24
#define DRM_VSM_ABI_MAJOR 0
#define DRM_VSM_ABI_MINOR 9
#define DRM_VSM_DEVICE_INFO 0
#define DRM_VSM_CLUSTER_CREATE 1
#define DRM_VSM_BUFFER_CREATE 2
#define DRM_VSM_OBJECT_INFO 3
#define DRM_VSM_EXEC 4
#define DRM_VSM_SUBMIT 5
#define DRM_VSM_WAITSET_CREATE 6
#define DRM_VSM_WAITSET_ARM 7
#define DRM_VSM_WAITSET_CANCEL 8
#define DRM_VSM_CLUSTER_HOLD 9
#define DRM_VSM_CHANNEL_CREATE 10
#define DRM_VSM_CHANNEL_DESTROY 11
#define DRM_VSM_CLUSTER_STATE 12
#define DRM_VSM_TRACE_READ 13
#define DRM_VSM_INJECT_ADD 14
#define DRM_VSM_INJECT_QUERY 15
#define DRM_VSM_INJECT_REMOVE 16
#define DRM_VSM_CHANNEL_STATUS 17
#define DRM_VSM_HOLD_CREATE 18
#define DRM_VSM_HOLD_RELEASE 19
#define DRM_VSM_RESULT_PRED 4294967296
#define DRM_VSM_HOLD_NS 10000000000
#define DRM_VSM_EVENT_FAULT 2147483648
#define DRM_IOCTL_VSM_DEVICE_INFO 2153276480
#define DRM_IOCTL_VSM_CLUSTER_CREATE 3225969729
#define DRM_IOCTL_VSM_BUFFER_CREATE 3222824002
#define DRM_IOCTL_VSM_OBJECT_INFO 3225969731
#define DRM_IOCTL_VSM_EXEC 3224921156
#define DRM_IOCTL_VSM_SUBMIT 3224921157
#define DRM_IOCTL_VSM_WAITSET_CREATE 3222299718
#define DRM_IOCTL_VSM_WAITSET_ARM 3223348295
#define DRM_IOCTL_VSM_WAITSET_CANCEL 1074816072
#define DRM_IOCTL_VSM_CLUSTER_HOLD 1074291785
#define DRM_IOCTL_VSM_CHANNEL_CREATE 3222299722
#define DRM_IOCTL_VSM_CHANNEL_DESTROY 1074291787
#define DRM_IOCTL_VSM_CLUSTER_STATE 3227542604
#define DRM_IOCTL_VSM_TRACE_READ 3223872589
#define DRM_IOCTL_VSM_INJECT_ADD 3227542606
#define DRM_IOCTL_VSM_INJECT_QUERY 3229115471
#define DRM_IOCTL_VSM_INJECT_REMOVE 1074291792
#define DRM_IOCTL_VSM_CHANNEL_STATUS 3225969745
#define DRM_IOCTL_VSM_HOLD_CREATE 3223348306
#define DRM_IOCTL_VSM_HOLD_RELEASE 1074291795
#define VSM_TENSOR_MAX_RANK 5
#define VSM_QUAL_BAD 255
#define VSM_NEVER -1
struct vsm_insn_words { uint64_t word[8]; };
struct drm_event {
 __u32 type;
 __u32 length;
};
enum drm_vsm_inject_where {
 DRM_VSM_INJECT_EXEC = 0,
 DRM_VSM_INJECT_SUBMIT = 1,
 DRM_VSM_INJECT_ARM = 2,
 DRM_VSM_INJECT_ALLOC = 3,
 DRM_VSM_INJECT_IMPORT = 4,
 DRM_VSM_INJECT_MMAP = 5,
 DRM_VSM_INJECT_FENCE = 6,
 DRM_VSM_INJECT_JOB = 7,
 DRM_VSM_INJECT_COPY = 8,
 DRM_VSM_INJECT_COMPLETE = 9,
};
enum drm_vsm_inject_what {
 DRM_VSM_INJECT_ERROR = 0,
 DRM_VSM_INJECT_FAULT = 1,
 DRM_VSM_INJECT_HANG = 2,
 DRM_VSM_INJECT_DELAY = 3,
 DRM_VSM_INJECT_SLOW = 4,
 DRM_VSM_INJECT_LOSE = 5,
 DRM_VSM_INJECT_TWICE = 6,
 DRM_VSM_INJECT_SPLIT = 7,
 DRM_VSM_INJECT_SHORT = 8,
 DRM_VSM_INJECT_EARLY = 9,
 DRM_VSM_INJECT_FLIP = 10,
 DRM_VSM_INJECT_LOSE_CLUSTER = 11,
 DRM_VSM_INJECT_LOSE_DEVICE = 12,
};
enum drm_vsm_inject_flags {
 DRM_VSM_INJECT_CHANNEL = 1 << 0,
 DRM_VSM_INJECT_OBJECT = 1 << 1,
 DRM_VSM_INJECT_SPARE = 1 << 2,
 DRM_VSM_INJECT_RETURN = 1 << 3,
 DRM_VSM_INJECT_OF_DEVICE = 1 << 4,
};
struct drm_vsm_inject_rule {
 __u32 rule;
 __u32 where;
 __u32 what;
 __u32 flags;
 __u32 channel;
 __u32 object;
 __u32 error;
 __u32 probability;
 __u64 arg;
 __u64 first;
 __u64 every;
 __u64 times;
 __u64 seed;
 __u64 matched;
 __u64 fired;
 __u32 client;
 __u32 cluster;
};
enum drm_vsm_inject_query_flags {
 DRM_VSM_INJECT_NEXT = 1 << 0,
};
struct drm_vsm_inject_query {
 __u32 rule;
 __u32 flags;
 __u64 fired;
 __s64 deadline;
 struct drm_vsm_inject_rule info;
};
struct drm_vsm_inject_remove {
 __u32 rule;
 __u32 flags;
};
enum vsm_layout {
 VSM_LAYOUT_SM_90 = 0,
 VSM_LAYOUT_SM_80 = 1,
};
struct vsm_mbarrier_fields {
 __u32 pending;
 __u32 expected;
 __s32 tx;
 __u8 phase;
 __u8 poison;
 __u8 reserved;
};
__u32 vsm_mbarrier_phase(__u64 word);
__u32 vsm_mbarrier_pending(enum vsm_layout layout, __u64 word);
__u32 vsm_mbarrier_expected(enum vsm_layout layout, __u64 word);
__s32 vsm_mbarrier_tx(enum vsm_layout layout, __u64 word);
struct vsm_mbarrier_fields vsm_mbarrier_decode(enum vsm_layout layout, __u64 word);
__u64 vsm_mbarrier_complete_phase(enum vsm_layout layout, __u64 word);
__u64 vsm_mbarrier_init(enum vsm_layout layout, __u32 count);
__u64 vsm_mbarrier_expect_tx(__u64 word, __u32 tx);
__u64 vsm_mbarrier_arrive(enum vsm_layout layout, __u64 word, __u32 count,
     __u32 drop, __u32 tx);
__u64 vsm_mbarrier_complete_tx(__u64 word, __u32 tx);
__u64 vsm_mbarrier_state(enum vsm_layout layout, __u64 old);
__u64 vsm_mbarrier_state_nocomplete(enum vsm_layout layout, __u64 old,
        __u32 lane_mask);
__u32 vsm_mbarrier_pending_count(enum vsm_layout layout, __u64 state);
int vsm_mbarrier_wait(__u64 word, __u64 state);
__u64 vsm_mbarrier_parity(__u32 parity);
__u32 vsm_shared_addr(__u32 rank, __u32 offset);
__u32 vsm_mapa(__u32 addr, __u32 rank);
enum drm_vsm_trace {
 DRM_VSM_TRACE_INSN = 1,
 DRM_VSM_TRACE_PHASE = 2,
 DRM_VSM_TRACE_SUSPEND = 3,
 DRM_VSM_TRACE_RESUME = 4,
 DRM_VSM_TRACE_WAIT_ARM = 5,
 DRM_VSM_TRACE_WAIT_END = 6,
 DRM_VSM_TRACE_ARRIVE = 7,
 DRM_VSM_TRACE_RELEASE = 8,
 DRM_VSM_TRACE_COPY_ISSUE = 9,
 DRM_VSM_TRACE_COPY_BEGIN = 10,
 DRM_VSM_TRACE_COPY_DELIVER = 11,
 DRM_VSM_TRACE_COPY_END = 12,
 DRM_VSM_TRACE_COMMIT = 13,
 DRM_VSM_TRACE_JOB_QUEUE = 14,
 DRM_VSM_TRACE_JOB_BEGIN = 15,
 DRM_VSM_TRACE_JOB_END = 16,
 DRM_VSM_TRACE_CHANNEL_RESET = 17,
 DRM_VSM_TRACE_CLUSTER_LOST = 18,
 DRM_VSM_TRACE_DEVICE_LOST = 19,
 DRM_VSM_TRACE_FAULT = 20,
 DRM_VSM_TRACE_CLUSTER_CREATE = 21,
};
struct drm_vsm_trace_event {
 __u64 time;
 __u64 id;
 __u64 cause;
 __u64 word;
 __u64 next;
 __u64 value;
 __u32 cluster;
 __u32 client;
 __u32 addr;
 __u32 mbar;
 __u32 size;
 __u32 lanes;
 __u32 buffer;
 __u32 channel;
 __u32 serial;
 __s32 error;
 __u32 site;
 __u32 info;
 __u16 source;
 __u16 fault;
 __u16 mods;
 __u16 op;
 __u16 type;
 __u16 cta;
 __u16 thread;
 __u16 pad;
};
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
enum drm_vsm_policy {
 DRM_VSM_POLICY_STRICT = 0,
 DRM_VSM_POLICY_HARDWARE = 1,
};
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
struct drm_vsm_buffer_create {
 __u64 size;
 __u32 flags;
 __u32 handle;
 __u64 mmap_offset;
};
enum drm_vsm_object {
 DRM_VSM_OBJECT_CLUSTER = 1,
 DRM_VSM_OBJECT_BUFFER = 2,
};
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
enum drm_vsm_space {
 DRM_VSM_SPACE_GENERIC = 0,
 DRM_VSM_SPACE_SHARED_CTA = 1,
 DRM_VSM_SPACE_SHARED_CLUSTER = 2,
};
enum drm_vsm_sem {
 DRM_VSM_SEM_DEFAULT = 0,
 DRM_VSM_SEM_RELAXED = 1,
 DRM_VSM_SEM_ACQUIRE = 2,
 DRM_VSM_SEM_RELEASE = 3,
 DRM_VSM_SEM_ACQ_REL = 4,
 DRM_VSM_SEM_SC = 5,
};
enum drm_vsm_scope {
 DRM_VSM_SCOPE_DEFAULT = 0,
 DRM_VSM_SCOPE_CTA = 1,
 DRM_VSM_SCOPE_CLUSTER = 2,
 DRM_VSM_SCOPE_GPU = 3,
 DRM_VSM_SCOPE_SYS = 4,
};
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
enum drm_vsm_mbarrier_state {
 DRM_VSM_MBARRIER_IDLE = 0,
 DRM_VSM_MBARRIER_IN_PROGRESS = 1,
 DRM_VSM_MBARRIER_UNOBSERVED = 2,
};
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
struct drm_vsm_tensor_operands {
 __u32 addr;
 __u32 mbar;
 __u64 map;
 __s32 coords[5];
 __u16 mask;
 __u16 offsets;
};
struct drm_vsm_store_operands {
 __u32 addr;
 __u32 mbar;
 __u32 size;
 __u32 pad;
 __u64 value[2];
 __u64 reserved;
};
struct drm_vsm_warp_operands {
 __u32 membermask;
 __u32 b;
 __u32 c;
 __u32 pad;
 __u64 a;
 __u64 reserved[2];
};
struct drm_vsm_barrier_operands {
 __u32 barrier;
 __u32 count;
 __u32 pred;
 __u32 pad;
 __u64 reserved[3];
};
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
enum drm_vsm_tensor_mode {
 DRM_VSM_TENSOR_TILED = 1,
 DRM_VSM_TENSOR_IM2COL = 2,
};
enum drm_vsm_tensor_interleave {
 DRM_VSM_TENSOR_INTERLEAVE_NONE = 0,
 DRM_VSM_TENSOR_INTERLEAVE_16B = 1,
 DRM_VSM_TENSOR_INTERLEAVE_32B = 2,
};
enum drm_vsm_tensor_swizzle {
 DRM_VSM_TENSOR_SWIZZLE_NONE = 0,
 DRM_VSM_TENSOR_SWIZZLE_32B = 1,
 DRM_VSM_TENSOR_SWIZZLE_64B = 2,
 DRM_VSM_TENSOR_SWIZZLE_128B = 3,
};
enum drm_vsm_tensor_fill {
 DRM_VSM_TENSOR_FILL_ZERO = 0,
 DRM_VSM_TENSOR_FILL_NAN = 1,
};
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
enum drm_vsm_exec_flags {
 DRM_VSM_EXEC_NO_LIMIT = 1 << 0,
 DRM_VSM_EXEC_WARP = 1 << 1,
 DRM_VSM_EXEC_LANES = 1 << 2,
};
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
enum drm_vsm_sync_flags {
 DRM_VSM_SYNC_WAIT = 1 << 0,
 DRM_VSM_SYNC_SIGNAL = 1 << 1,
};
struct drm_vsm_sync {
 __u32 handle;
 __u32 flags;
 __u64 point;
};
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
enum drm_vsm_channel_flags {
 DRM_VSM_CHANNEL_OUT_OF_ORDER = 1 << 0,
};
enum drm_vsm_priority {
 DRM_VSM_PRIORITY_LOW = -1,
 DRM_VSM_PRIORITY_NORMAL = 0,
 DRM_VSM_PRIORITY_HIGH = 1,
};
struct drm_vsm_channel_create {
 __u32 flags;
 __u32 channel;
 __s32 priority;
 __u32 group;
};
struct drm_vsm_channel_destroy {
 __u32 channel;
 __u32 flags;
};
enum drm_vsm_reset_status {
 DRM_VSM_RESET_NONE = 0,
 DRM_VSM_RESET_INNOCENT = 1,
 DRM_VSM_RESET_GUILTY = 2,
 DRM_VSM_RESET_UNKNOWN = 3,
};
enum drm_vsm_channel_status_flags {
 DRM_VSM_CHANNEL_STATUS_CLEAR = 1 << 0,
};
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
struct drm_vsm_hold_create {
 __u32 handle;
 __u32 flags;
 __u64 point;
 __s64 deadline;
 __u32 hold;
 __u32 pad;
};
struct drm_vsm_hold_release {
 __u32 hold;
 __u32 error;
};
enum drm_vsm_waitset_flags {
 DRM_VSM_WAITSET_NONBLOCK = 1 << 0,
};
struct drm_vsm_waitset_create {
 __u32 flags;
 __u32 record_stride;
 __s32 fd;
 __u32 pad;
};
enum drm_vsm_wait_flags {
 DRM_VSM_WAIT_PARITY = 1 << 0,
 DRM_VSM_WAIT_INSN = 1 << 1,
 DRM_VSM_WAIT_WARP = 1 << 2,
 DRM_VSM_WAIT_LANES = 1 << 3,
 DRM_VSM_WAIT_NO_LIMIT = 1 << 4,
};
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
struct drm_vsm_waitset_arm {
 __u64 waits;
 __u32 stride;
 __u32 count;
 __s32 fd;
 __u32 armed;
 __u32 flags;
 __u32 pad;
};
struct drm_vsm_waitset_cancel {
 __u64 id;
 __s32 fd;
 __u32 flags;
};
enum drm_vsm_wait_status {
 DRM_VSM_WAIT_COMPLETE = 0,
 DRM_VSM_WAIT_EXPIRED = 1,
 DRM_VSM_WAIT_CLUSTER_LOST = 2,
 DRM_VSM_WAIT_DEVICE_LOST = 3,
 DRM_VSM_WAIT_FAULT = 4,
};
struct drm_vsm_wait_record {
 __u64 user_data;
 __u64 id;
 __u32 status;
 __u32 pad;
 __u64 result;
};
enum drm_vsm_hold_flags {
 DRM_VSM_HOLD = 1 << 0,
 DRM_VSM_DRAIN = 1 << 1,
};
struct drm_vsm_cluster_hold {
 __u32 cluster;
 __u32 flags;
};
enum drm_vsm_event_flags {
 DRM_VSM_EVENT_REPORTED = 1 << 0,
};
enum drm_vsm_source {
 DRM_VSM_SOURCE_EXEC = 0,
 DRM_VSM_SOURCE_SUBMIT = 1,
 DRM_VSM_SOURCE_JOB = 2,
 DRM_VSM_SOURCE_ASYNC = 3,
 DRM_VSM_SOURCE_ARM = 4,
};
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
enum drm_vsm_state_flags {
 DRM_VSM_STATE_NUMBER = 1 << 0,
 DRM_VSM_STATE_NEXT = 1 << 1,
};
enum drm_vsm_state_status {
 DRM_VSM_STATE_LOST = 1 << 0,
 DRM_VSM_STATE_CLUSTER_HELD = 1 << 1,
 DRM_VSM_STATE_MORE = 1 << 2,
};
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
struct drm_vsm_trace_read {
 __u32 cluster;
 __u32 stride;
 __u64 events;
 __u32 count;
 __u32 flags;
 __u64 next;
 __u64 lost;
};
enum vsm_qual {
 VSM_RELAXED = 1 << 0,
 VSM_ACQUIRE = 1 << 1,
 VSM_RELEASE = 1 << 2,
 VSM_ACQ_REL = 1 << 3,
 VSM_CTA = 1 << 4,
 VSM_CLUSTER = 1 << 5,
 VSM_GPU = 1 << 6,
 VSM_SYS = 1 << 7,
 VSM_SHARED_CTA = 1 << 8,
 VSM_SHARED_CLUSTER = 1 << 9,
 VSM_SC = 1 << 10,
 VSM_SINK = 1 << 12,
 VSM_CG = 1 << 13,
 VSM_ALIGNED = 1 << 14,
};
struct vsm_insn_words vsm_prep_mbarrier_init(uint32_t addr, uint32_t count,
        unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_inval(uint32_t addr, unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_expect_tx(uint32_t addr, uint32_t tx_count,
             unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_complete_tx(uint32_t addr, uint32_t tx_count,
        unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_arrive(uint32_t addr, unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_arrive_count(uint32_t addr, uint32_t count,
         unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_arrive_expect_tx(uint32_t addr,
             uint32_t tx_count,
             unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_arrive_nocomplete(uint32_t addr, uint32_t count,
              unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_arrive_drop(uint32_t addr, unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_arrive_drop_count(uint32_t addr, uint32_t count,
              unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_arrive_drop_expect_tx(uint32_t addr,
           uint32_t tx_count,
           unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_arrive_drop_nocomplete(uint32_t addr,
            uint32_t count,
            unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_test_wait(uint32_t addr, uint64_t state,
             unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_test_wait_parity(uint32_t addr, uint32_t parity,
             unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_try_wait(uint32_t addr, uint64_t state,
            unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_try_wait_hint(uint32_t addr, uint64_t state,
          uint32_t hint_ns,
          unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_try_wait_parity(uint32_t addr, uint32_t parity,
            unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_try_wait_parity_hint(uint32_t addr,
          uint32_t parity,
          uint32_t hint_ns,
          unsigned int qual);
struct vsm_insn_words vsm_prep_mbarrier_pending_count(uint64_t state);
struct vsm_insn_words vsm_prep_fence_mbarrier_init(void);
struct vsm_insn_words vsm_prep_fence(unsigned int qual);
struct vsm_insn_words vsm_prep_cp_async_mbarrier_arrive(uint32_t addr,
            unsigned int qual);
struct vsm_insn_words vsm_prep_cp_async_mbarrier_arrive_noinc(uint32_t addr,
           unsigned int qual);
struct vsm_insn_words vsm_prep_cp_async(uint32_t addr, uint32_t buffer, uint64_t offset,
          uint32_t size, unsigned int qual);
struct vsm_insn_words vsm_prep_cp_async_src_size(uint32_t addr, uint32_t buffer,
            uint64_t offset, uint32_t size,
            uint32_t src_size, unsigned int qual);
struct vsm_insn_words vsm_prep_cp_async_commit_group(void);
struct vsm_insn_words vsm_prep_cp_async_wait_group(uint32_t groups);
struct vsm_insn_words vsm_prep_cp_async_wait_all(void);
struct vsm_insn_words vsm_prep_cp_async_bulk_g2s(uint32_t addr, uint32_t buffer,
            uint64_t offset, uint32_t size,
            uint32_t mbar);
struct vsm_insn_words vsm_prep_cp_async_bulk_g2s_multicast(uint32_t addr,
               uint32_t buffer,
               uint64_t offset,
               uint32_t size, uint32_t mbar,
               uint16_t cta_mask);
struct vsm_insn_words vsm_prep_cp_async_bulk_s2g(uint32_t buffer, uint64_t offset,
            uint32_t addr, uint32_t size);
struct vsm_insn_words vsm_prep_cp_async_bulk_s2g_mask(uint32_t buffer, uint64_t offset,
          uint32_t addr, uint32_t size,
          uint16_t byte_mask);
struct vsm_insn_words vsm_prep_cp_async_bulk_s2s(uint32_t dst, uint32_t src,
            uint32_t size, uint32_t mbar);
struct vsm_insn_words vsm_prep_cp_async_bulk_prefetch(uint32_t buffer, uint64_t offset,
          uint32_t size);
struct vsm_insn_words vsm_prep_cp_async_bulk_commit_group(void);
struct vsm_insn_words vsm_prep_cp_async_bulk_wait_group(uint32_t groups);
struct vsm_insn_words vsm_prep_cp_async_bulk_wait_group_read(uint32_t groups);
struct vsm_insn_words vsm_prep_cp_reduce_async_bulk_s2g(enum drm_vsm_red op,
            enum drm_vsm_type type,
            uint32_t buffer,
            uint64_t offset, uint32_t addr,
            uint32_t size);
struct vsm_insn_words vsm_prep_cp_reduce_async_bulk_s2s(enum drm_vsm_red op,
            enum drm_vsm_type type,
            uint32_t dst, uint32_t src,
            uint32_t size, uint32_t mbar);
struct vsm_insn_words vsm_prep_cp_async_bulk_tensor_g2s(unsigned int dims, uint32_t addr,
      const struct drm_vsm_tensor_map *map, const int32_t *coords,
      uint32_t mbar);
struct vsm_insn_words vsm_prep_cp_async_bulk_tensor_g2s_multicast(unsigned int dims, uint32_t addr,
         const struct drm_vsm_tensor_map *map,
         const int32_t *coords, uint32_t mbar, uint16_t cta_mask);
struct vsm_insn_words vsm_prep_cp_async_bulk_tensor_g2s_im2col(unsigned int dims, uint32_t addr,
      const struct drm_vsm_tensor_map *map,
      const int32_t *coords, uint32_t mbar,
      const uint16_t *offsets);
struct vsm_insn_words vsm_prep_cp_async_bulk_tensor_g2s_im2col_multicast(unsigned int dims, uint32_t addr,
         const struct drm_vsm_tensor_map *map,
         const int32_t *coords, uint32_t mbar,
         const uint16_t *offsets, uint16_t cta_mask);
struct vsm_insn_words vsm_prep_cp_async_bulk_tensor_s2g(unsigned int dims, const struct drm_vsm_tensor_map *map,
      const int32_t *coords, uint32_t addr);
struct vsm_insn_words vsm_prep_cp_async_bulk_tensor_s2g_im2col(unsigned int dims, const struct drm_vsm_tensor_map *map,
      const int32_t *coords, uint32_t addr);
struct vsm_insn_words vsm_prep_cp_reduce_async_bulk_tensor(enum drm_vsm_red op, unsigned int dims,
         const struct drm_vsm_tensor_map *map, const int32_t *coords,
         uint32_t addr);
struct vsm_insn_words vsm_prep_cp_reduce_async_bulk_tensor_im2col(enum drm_vsm_red op, unsigned int dims,
         const struct drm_vsm_tensor_map *map,
         const int32_t *coords, uint32_t addr);
struct vsm_insn_words vsm_prep_cp_async_bulk_prefetch_tensor(unsigned int dims, const struct drm_vsm_tensor_map *map,
           const int32_t *coords);
struct vsm_insn_words vsm_prep_cp_async_bulk_prefetch_tensor_im2col(unsigned int dims,
           const struct drm_vsm_tensor_map *map,
           const int32_t *coords, const uint16_t *offsets);
struct vsm_insn_words vsm_prep_st_async(uint32_t size, uint32_t addr, const void *value,
          uint32_t mbar, unsigned int qual);
struct vsm_insn_words vsm_prep_red_async(enum drm_vsm_red op, enum drm_vsm_type type,
           uint32_t addr, uint64_t value, uint32_t mbar,
           unsigned int qual);
struct vsm_insn_words vsm_prep_match_any_sync_b32(uint32_t a, uint32_t membermask);
struct vsm_insn_words vsm_prep_match_any_sync_b64(uint64_t a, uint32_t membermask);
struct vsm_insn_words vsm_prep_match_all_sync_b32(uint32_t a, uint32_t membermask);
struct vsm_insn_words vsm_prep_match_all_sync_b64(uint64_t a, uint32_t membermask);
struct vsm_insn_words vsm_prep_bar_warp_sync(uint32_t membermask);
struct vsm_insn_words vsm_prep_elect_sync(uint32_t membermask);
struct vsm_insn_words vsm_prep_vote_sync(enum drm_vsm_mode mode, 
                                                                            bool 
                                                                                 a,
           uint32_t membermask);
struct vsm_insn_words vsm_prep_vote_sync_ballot(
                                                           bool 
                                                                a, uint32_t membermask);
struct vsm_insn_words vsm_prep_shfl_sync(enum drm_vsm_mode mode, uint32_t a, uint32_t b,
           uint32_t c, uint32_t membermask);
struct vsm_insn_words vsm_prep_redux_sync(enum drm_vsm_red op, enum drm_vsm_type type,
            uint32_t src, uint32_t membermask);
struct vsm_insn_words vsm_prep_barrier_sync(uint32_t barrier, unsigned int qual);
struct vsm_insn_words vsm_prep_barrier_sync_count(uint32_t barrier, uint32_t count,
             unsigned int qual);
struct vsm_insn_words vsm_prep_barrier_arrive(uint32_t barrier, uint32_t count,
         unsigned int qual);
struct vsm_insn_words vsm_prep_barrier_red(enum drm_vsm_red op, uint32_t barrier,
            bool 
                 pred, unsigned int qual);
struct vsm_insn_words vsm_prep_barrier_red_count(enum drm_vsm_red op, uint32_t barrier,
            uint32_t count, 
                           bool 
                                pred,
            unsigned int qual);
struct vsm_insn_words vsm_prep_barrier_red_popc(uint32_t barrier, 
                                                                             bool 
                                                                                  pred,
           unsigned int qual);
struct vsm_insn_words vsm_prep_barrier_red_popc_count(uint32_t barrier, uint32_t count,
         bool 
              pred, unsigned int qual);
struct vsm_insn_words vsm_prep_barrier_cluster_arrive(unsigned int qual);
struct vsm_insn_words vsm_prep_barrier_cluster_wait(unsigned int qual);
struct vsm_insn_words vsm_prep_exit(void);
enum drm_vsm_tensor_error {
 DRM_VSM_TENSOR_OK = 0,
 DRM_VSM_TENSOR_TYPE = 1,
 DRM_VSM_TENSOR_MODE = 2,
 DRM_VSM_TENSOR_RANK = 3,
 DRM_VSM_TENSOR_INTERLEAVE = 4,
 DRM_VSM_TENSOR_SWIZZLE = 5,
 DRM_VSM_TENSOR_FILL = 6,
 DRM_VSM_TENSOR_L2_PROMOTION = 7,
 DRM_VSM_TENSOR_RESERVED = 8,
 DRM_VSM_TENSOR_OFFSET = 9,
 DRM_VSM_TENSOR_SIZE = 10,
 DRM_VSM_TENSOR_STRIDE = 11,
 DRM_VSM_TENSOR_BOX = 12,
 DRM_VSM_TENSOR_BOX_BYTES = 13,
 DRM_VSM_TENSOR_BOX_SWIZZLE = 14,
 DRM_VSM_TENSOR_ELEMENT_STRIDE = 15,
 DRM_VSM_TENSOR_CORNER = 16,
 DRM_VSM_TENSOR_NO_PIXEL = 17,
 DRM_VSM_TENSOR_CHANNELS = 18,
 DRM_VSM_TENSOR_PIXELS = 19,
 DRM_VSM_TENSOR_DIMS = 20,
 DRM_VSM_TENSOR_LOAD_MODE = 21,
 DRM_VSM_TENSOR_OFFSETS = 22,
 DRM_VSM_TENSOR_REDUCTION = 23,
 DRM_VSM_TENSOR_ALIGNMENT = 24,
 DRM_VSM_TENSOR_OUTSIDE = 25,
};
__u32 vsm_tensor_type_size(__u32 type);
__u32 vsm_tensor_slice_bytes(const struct drm_vsm_tensor_map *map);
__u32 vsm_tensor_swizzle_bytes(const struct drm_vsm_tensor_map *map);
__u32 vsm_tensor_map_count(const struct drm_vsm_tensor_map *map, __u32 d);
__u32 vsm_tensor_map_row(const struct drm_vsm_tensor_map *map);
__u64 vsm_tensor_map_rows(const struct drm_vsm_tensor_map *map);
__u64 vsm_tensor_map_bytes(const struct drm_vsm_tensor_map *map);
__u64 vsm_tensor_map_window(const struct drm_vsm_tensor_map *map);
__u64 vsm_tensor_span(__u64 count, __u64 stride);
__u64 vsm_tensor_slice_stride(const struct drm_vsm_tensor_map *map);
__u64 vsm_tensor_map_extent(const struct drm_vsm_tensor_map *map);
int vsm_tensor_type_is_float(__u32 type);
enum drm_vsm_tensor_error
vsm_tensor_map_check_head(const struct drm_vsm_tensor_map *map);
enum drm_vsm_tensor_error
vsm_tensor_map_check_reserved(const struct drm_vsm_tensor_map *map);
enum drm_vsm_tensor_error
vsm_tensor_map_check_tensor(const struct drm_vsm_tensor_map *map);
enum drm_vsm_tensor_error
vsm_tensor_map_check_box(const struct drm_vsm_tensor_map *map);
enum drm_vsm_tensor_error
vsm_tensor_map_check_im2col(const struct drm_vsm_tensor_map *map);
enum drm_vsm_tensor_error
vsm_tensor_map_check(const struct drm_vsm_tensor_map *map);
struct vsm_device;
struct vsm_cluster;
struct vsm_buffer;
struct vsm_waitset;
int vsm_device_open(const char *path, struct vsm_device **device);
int vsm_device_open_index(uint32_t index, struct vsm_device **device);
int vsm_device_open_fd(int fd, struct vsm_device **device);
int vsm_device_list(uint32_t *indices, uint32_t max);
void vsm_device_close(struct vsm_device *device);
int vsm_device_fd(const struct vsm_device *device);
void vsm_device_info_sized(const struct vsm_device *device, struct drm_vsm_device_info *info,
      size_t size);
struct drm_vsm_device_info vsm_device_info(const struct vsm_device *device);
int vsm_event_read_sized(struct vsm_device *device, struct drm_vsm_event_fault *events,
    uint32_t stride, uint32_t max, int64_t deadline);
int vsm_event_read(struct vsm_device *device, struct drm_vsm_event_fault *events,
     uint32_t max, int64_t deadline);
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
int vsm_cluster_create_sized(struct vsm_device *device, const struct vsm_cluster_config *config,
        size_t size, struct vsm_cluster **cluster);
int vsm_cluster_create(struct vsm_device *device,
         const struct vsm_cluster_config *config,
         struct vsm_cluster **cluster);
int vsm_cluster_import(struct vsm_device *device, int dmabuf, struct vsm_cluster **cluster);
int vsm_cluster_export(struct vsm_cluster *cluster, int *dmabuf);
void vsm_cluster_destroy(struct vsm_cluster *cluster);
uint32_t vsm_cluster_handle(const struct vsm_cluster *cluster);
void vsm_cluster_shape_sized(const struct vsm_cluster *cluster, struct vsm_cluster_config *config,
        size_t size);
struct vsm_cluster_config vsm_cluster_shape(const struct vsm_cluster *cluster);
void *vsm_cluster_window(const struct vsm_cluster *cluster, uint32_t cta);
int vsm_cluster_hold(struct vsm_cluster *cluster, 
                                                 bool 
                                                      hold);
int vsm_cluster_drain(struct vsm_cluster *cluster);
int vsm_cluster_state_sized(struct vsm_cluster *cluster, struct drm_vsm_cluster_state *state,
       size_t size, struct drm_vsm_state_entry *entries, uint32_t stride,
       uint32_t max);
int vsm_cluster_state(struct vsm_cluster *cluster,
        struct drm_vsm_cluster_state *state,
        struct drm_vsm_state_entry *entries, uint32_t max);
int vsm_device_state_sized(struct vsm_device *device, uint32_t number, uint32_t flag,
      struct drm_vsm_cluster_state *state, size_t size,
      struct drm_vsm_state_entry *entries, uint32_t stride, uint32_t max);
int vsm_device_state(struct vsm_device *device, uint32_t number, uint32_t flag,
       struct drm_vsm_cluster_state *state,
       struct drm_vsm_state_entry *entries, uint32_t max);
const char *vsm_state_name(enum drm_vsm_state kind);
int vsm_trace_read_sized(struct vsm_cluster *cluster, struct drm_vsm_trace_event *events,
    uint32_t stride, uint32_t max, uint64_t *next, uint64_t *lost);
int vsm_trace_read(struct vsm_cluster *cluster, struct drm_vsm_trace_event *events,
     uint32_t max, uint64_t *next, uint64_t *lost);
int vsm_buffer_create(struct vsm_device *device, uint64_t size, struct vsm_buffer **buffer);
int vsm_buffer_import(struct vsm_device *device, int dmabuf, struct vsm_buffer **buffer);
int vsm_buffer_export(struct vsm_buffer *buffer, int *dmabuf);
void vsm_buffer_destroy(struct vsm_buffer *buffer);
uint32_t vsm_buffer_handle(const struct vsm_buffer *buffer);
uint64_t vsm_buffer_size(const struct vsm_buffer *buffer);
void *vsm_buffer_map(const struct vsm_buffer *buffer);
struct vsm_thread {
 uint32_t size;
 int32_t error;
 struct vsm_cluster *cluster;
 uint16_t cta;
 uint16_t thread;
 uint32_t exec_flags;
 struct drm_vsm_insn refused;
 uint64_t reserved[8];
 uint32_t retired;
 uint32_t site;
};
int vsm_exec_sized(struct vsm_thread *thread, struct drm_vsm_insn *insns, uint32_t stride,
     uint32_t count, uint32_t *retired);
int vsm_exec(struct vsm_thread *thread, struct drm_vsm_insn *insns, uint32_t count,
      uint32_t *retired);
int vsm_exec_lanes_sized(struct vsm_thread *thread, uint32_t lanes, struct drm_vsm_insn *insns,
    uint32_t stride, uint32_t *suspended);
int vsm_exec_lanes(struct vsm_thread *thread, uint32_t lanes,
     struct drm_vsm_insn *insns, uint32_t *suspended);
uint32_t vsm_result_value(uint64_t result);
             bool 
                  vsm_result_pred(uint64_t result);
int vsm_await_phase(struct vsm_thread *thread, uint32_t addr, uint64_t state, unsigned int qual,
      int64_t deadline);
int vsm_await_parity(struct vsm_thread *thread, uint32_t addr, uint32_t parity, unsigned int qual,
       int64_t deadline);
int vsm_channel_create(const struct vsm_device *device, uint32_t flags, uint32_t *channel);
struct vsm_channel_config {
 uint32_t flags;
 int32_t priority;
 uint32_t group;
 uint32_t pad;
};
int vsm_channel_create_as_sized(const struct vsm_device *device,
    const struct vsm_channel_config *config, size_t size,
    uint32_t *channel);
int vsm_channel_create_as(const struct vsm_device *device,
     const struct vsm_channel_config *config, uint32_t *channel);
int vsm_channel_destroy(const struct vsm_device *device, uint32_t channel);
int vsm_channel_status_sized(const struct vsm_device *device, uint32_t channel, uint32_t flags,
        struct drm_vsm_channel_status *status, size_t size);
int vsm_channel_status(const struct vsm_device *device, uint32_t channel,
         uint32_t flags, struct drm_vsm_channel_status *status);
int vsm_inject_add_sized(const struct vsm_device *device, const struct drm_vsm_inject_rule *rule,
    size_t size, uint32_t *number);
int vsm_inject_add(const struct vsm_device *device,
     const struct drm_vsm_inject_rule *rule, uint32_t *number);
int vsm_inject_query_sized(const struct vsm_device *device, uint32_t number, uint32_t flags,
      struct drm_vsm_inject_rule *rule, size_t size);
int vsm_inject_query(const struct vsm_device *device, uint32_t number, uint32_t flags,
       struct drm_vsm_inject_rule *rule);
int vsm_inject_wait(const struct vsm_device *device, uint32_t number, uint32_t flags,
      uint64_t fired, int64_t deadline);
int vsm_inject_remove(const struct vsm_device *device, uint32_t number, uint32_t flags);
int vsm_channel_submit_sized(struct vsm_thread *thread, uint32_t channel,
        struct drm_vsm_insn *insns, uint32_t stride, uint32_t count,
        const struct drm_vsm_sync *syncs, uint32_t sync_stride,
        uint32_t sync_count, uint32_t *refused);
int vsm_channel_submit(struct vsm_thread *thread, uint32_t channel,
         struct drm_vsm_insn *insns, uint32_t count,
         const struct drm_vsm_sync *syncs, uint32_t sync_count,
         uint32_t *refused);
int vsm_submit(struct vsm_thread *thread, struct drm_vsm_insn *insns, uint32_t count,
        const struct drm_vsm_sync *syncs, uint32_t sync_count,
        uint32_t *refused);
struct drm_vsm_sync vsm_sync_in(uint32_t syncobj, uint64_t point);
struct drm_vsm_sync vsm_sync_out(uint32_t syncobj, uint64_t point);
int vsm_syncobj_create(const struct vsm_device *device, uint32_t *syncobj);
int vsm_syncobj_destroy(const struct vsm_device *device, uint32_t syncobj);
int vsm_syncobj_wait(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
       int64_t deadline);
int vsm_syncobj_status(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
         int *status);
int vsm_syncobj_export_sync_file(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
     int *sync_file);
int vsm_syncobj_import_sync_file(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
     int sync_file);
int vsm_hold_create(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
      int64_t deadline, uint32_t *hold);
int vsm_hold_release(const struct vsm_device *device, uint32_t hold, uint32_t error);
const char *vsm_fault_name(uint32_t fault);
int vsm_fault_message_sized(enum vsm_layout layout, uint32_t cta, const struct drm_vsm_insn *insn,
       size_t insn_size, char *text, size_t size);
int vsm_fault_message(enum vsm_layout layout, uint32_t cta,
        const struct drm_vsm_insn *insn, char *text, size_t size);
int vsm_thread_strerror(const struct vsm_thread *thread, char *text, size_t size);
int vsm_insn_describe_sized(const struct drm_vsm_insn *insn, size_t insn_size, char *text,
       size_t size);
int vsm_insn_describe(const struct drm_vsm_insn *insn, char *text, size_t size);
int vsm_waitset_create(struct vsm_device *device, struct vsm_waitset **set);
void vsm_waitset_destroy(struct vsm_waitset *set);
int vsm_waitset_fd(const struct vsm_waitset *set);
struct drm_vsm_wait vsm_waitset_prep_state(const struct vsm_cluster *cluster,
        uint32_t addr, uint64_t state,
        int64_t deadline, uint64_t user_data);
struct drm_vsm_wait vsm_waitset_prep_parity(const struct vsm_cluster *cluster,
         uint32_t addr, uint32_t parity,
         int64_t deadline, uint64_t user_data);
struct drm_vsm_wait vsm_waitset_prep_insn(const struct vsm_thread *thread,
       const struct drm_vsm_insn *insn,
       int64_t deadline, uint64_t user_data);
struct drm_vsm_wait vsm_waitset_prep_lanes(const struct vsm_thread *warp,
        uint32_t lanes,
        const struct drm_vsm_insn *insn,
        unsigned int flags, int64_t deadline,
        uint64_t user_data);
int vsm_waitset_arm_sized(struct vsm_waitset *set, struct drm_vsm_wait *waits, uint32_t stride,
     uint32_t count, uint32_t *armed);
int vsm_waitset_arm(struct vsm_waitset *set, struct drm_vsm_wait *waits,
      uint32_t count, uint32_t *armed);
int vsm_waitset_cancel(struct vsm_waitset *set, uint64_t id);
int vsm_waitset_read_sized(struct vsm_waitset *set, struct drm_vsm_wait_record *records,
      uint32_t stride, uint32_t max, int64_t deadline);
int vsm_waitset_read(struct vsm_waitset *set, struct drm_vsm_wait_record *records,
       uint32_t max, int64_t deadline);
struct vsm_tensor_config {
 const struct vsm_buffer *buffer;
 uint64_t offset;
 enum drm_vsm_tensor_type type;
 uint32_t rank;
 uint64_t size[5];
 uint64_t stride[5 - 1];
 uint32_t element_stride[5];
 enum drm_vsm_tensor_interleave interleave;
 enum drm_vsm_tensor_swizzle swizzle;
 enum drm_vsm_tensor_fill fill;
 uint32_t l2_promotion;
 uint32_t box[5];
 int32_t lower[5 - 2];
 int32_t upper[5 - 2];
 uint32_t channels;
 uint32_t pixels;
};
int vsm_tensor_map_encode_sized(struct drm_vsm_tensor_map *map, enum drm_vsm_tensor_mode mode,
    const struct vsm_tensor_config *config, size_t size,
    const char **reason);
int vsm_tensor_map_encode_tiled(struct drm_vsm_tensor_map *map,
           const struct vsm_tensor_config *config,
           const char **reason);
int vsm_tensor_map_encode_im2col(struct drm_vsm_tensor_map *map,
            const struct vsm_tensor_config *config,
            const char **reason);
const char *vsm_tensor_error_text(uint32_t error);
struct vsm_ptx_context;
struct vsm_ptx_module;
struct vsm_ptx_launch;
int vsm_ptx_context_create(struct vsm_device *device, struct vsm_ptx_context **context);
void vsm_ptx_context_destroy(struct vsm_ptx_context *context);
int vsm_ptx_memory_alloc(struct vsm_ptx_context *context, uint64_t size, uint64_t *address);
int vsm_ptx_memory_import(struct vsm_ptx_context *context, struct vsm_buffer *buffer,
     uint64_t *address);
int vsm_ptx_memory_free(struct vsm_ptx_context *context, uint64_t address);
void *vsm_ptx_memory_map(struct vsm_ptx_context *context, uint64_t address, uint64_t size);
const struct vsm_buffer *vsm_ptx_memory_buffer(struct vsm_ptx_context *context, uint64_t address,
            uint64_t *offset);
int vsm_ptx_module_load(struct vsm_ptx_context *context, const char *path, const char *text,
   size_t size, struct vsm_ptx_module **module, char **messages);
void vsm_ptx_module_unload(struct vsm_ptx_module *module);
int vsm_ptx_module_variable(const struct vsm_ptx_module *module, const char *name,
       uint64_t *address, uint64_t *size);
struct vsm_ptx_param {
 const char *name;
 const char *type;
 uint32_t offset;
 uint32_t size;
 uint32_t align;
};
struct vsm_ptx_kernel {
 const char *name;
 uint32_t param_count;
 uint32_t param_size;
 uint32_t smem_bytes;
bool 
     dynamic_smem;
 uint32_t maxntid[3];
 uint32_t reqntid[3];
 uint32_t reqnctapercluster[3];
};
uint32_t vsm_ptx_kernel_count(const struct vsm_ptx_module *module);
int vsm_ptx_kernel_info_sized(const struct vsm_ptx_module *module, uint32_t index,
         struct vsm_ptx_kernel *kernel, size_t size);
int vsm_ptx_kernel_find(const struct vsm_ptx_module *module, const char *name, uint32_t *index);
int vsm_ptx_kernel_param_sized(const struct vsm_ptx_module *module, uint32_t kernel,
          uint32_t index, struct vsm_ptx_param *param, size_t size);
struct vsm_ptx_config {
 uint32_t grid[3];
 uint32_t block[3];
 uint32_t cluster[3];
 uint32_t smem_bytes;
 enum drm_vsm_policy policy;
 uint64_t seed;
 uint32_t host_threads;
 uint32_t resident;
 uint64_t time_limit_ns;
 uint64_t stack_bytes;
 void (*print)(void *data, const char *text, size_t length);
 void *print_data;
 void (*trace)(void *data, const struct drm_vsm_trace_event *events, uint32_t count,
        uint64_t lost);
 void *trace_data;
};
int vsm_ptx_launch_sized(struct vsm_ptx_module *module, uint32_t kernel,
    const struct vsm_ptx_config *config, size_t config_size,
    const void *params, size_t params_size, struct vsm_ptx_launch **launch,
    char **messages);
enum vsm_ptx_outcome {
 VSM_PTX_RUNNING,
 VSM_PTX_DONE,
 VSM_PTX_FAULT,
 VSM_PTX_HANG,
 VSM_PTX_CANCELLED,
 VSM_PTX_ERROR,
};
struct vsm_ptx_result {
 enum vsm_ptx_outcome outcome;
 uint32_t fault;
 int32_t error;
 uint32_t line;
 uint32_t source_line;
 const char *source_file;
 uint64_t thread_insns;
 uint64_t warp_insns;
 uint64_t device_calls;
 const char *inlined_file;
 uint32_t inlined_line;
};
int vsm_ptx_launch_wait_sized(struct vsm_ptx_launch *launch, int64_t deadline,
         struct vsm_ptx_result *result, size_t size);
void vsm_ptx_launch_cancel(struct vsm_ptx_launch *launch);
const char *vsm_ptx_launch_report(const struct vsm_ptx_launch *launch);
void vsm_ptx_launch_shape_sized(const struct vsm_ptx_launch *launch,
    struct vsm_cluster_config *shape, size_t size);
struct vsm_ptx_site {
 uint32_t line;
 uint32_t source_line;
 const char *source_file;
 const char *inlined_file;
 uint32_t inlined_line;
 uint32_t insn_length;
 const char *insn;
};
int vsm_ptx_launch_site_sized(const struct vsm_ptx_launch *launch, uint32_t number,
         struct vsm_ptx_site *site, size_t size);
struct vsm_ptx_shared {
 uint32_t offset;
 uint32_t size;
 uint32_t stride;
 uint32_t name_length;
 const char *name;
};
int vsm_ptx_launch_shared_sized(const struct vsm_ptx_launch *launch, uint32_t index,
    struct vsm_ptx_shared *shared, size_t size);
void vsm_ptx_launch_destroy(struct vsm_ptx_launch *launch);
"""
