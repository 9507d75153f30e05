# SPDX-License-Identifier: MIT
# userlib/python/generate.py has written this file from the headers of vsm. Do not change it.
"""The enumerations of the headers. Each member has the name that C has after the prefix."""

import enum

__all__ = [
    "InjectWhere", "InjectWhat", "InjectFlags", "InjectQueryFlags", "Layout", "TraceType",
    "Feature", "Policy", "ObjectKind", "Op", "Mod", "Red", "Mode", "Type", "Space", "Sem", "Scope",
    "FaultCode", "MbarrierState", "TensorType", "TensorMode", "TensorInterleave", "TensorSwizzle",
    "TensorFill", "ExecFlags", "SyncFlags", "ChannelFlags", "Priority", "ResetStatus",
    "ChannelStatusFlags", "WaitsetFlags", "WaitFlags", "WaitStatus", "HoldFlags", "EventFlags",
    "FaultSource", "StateKind", "StateEntryFlags", "StateFlags", "StateStatus", "Qual",
    "TensorError", "PtxOutcome"
]


class InjectWhere(enum.IntEnum):
    """Where a rule looks"""

    EXEC = 0
    SUBMIT = 1
    ARM = 2
    ALLOC = 3
    IMPORT = 4
    MMAP = 5
    FENCE = 6
    JOB = 7
    COPY = 8
    COMPLETE = 9


class InjectWhat(enum.IntEnum):
    """What happens when a rule fires"""

    ERROR = 0
    FAULT = 1
    HANG = 2
    DELAY = 3
    SLOW = 4
    LOSE = 5
    TWICE = 6
    SPLIT = 7
    SHORT = 8
    EARLY = 9
    FLIP = 10
    LOSE_CLUSTER = 11
    LOSE_DEVICE = 12


class InjectFlags(enum.IntFlag):
    """Flags of a rule"""

    CHANNEL = 0x1
    OBJECT = 0x2
    SPARE = 0x4
    RETURN = 0x8
    OF_DEVICE = 0x10


class InjectQueryFlags(enum.IntFlag):
    """Flags of a query"""

    NEXT = 0x1


class Layout(enum.IntEnum):
    """Layout of the mbarrier words of a cluster, named after a GPU generation"""

    SM_90 = 0
    SM_80 = 1


class TraceType(enum.IntEnum):
    """What an event says"""

    INSN = 1
    PHASE = 2
    SUSPEND = 3
    RESUME = 4
    WAIT_ARM = 5
    WAIT_END = 6
    ARRIVE = 7
    RELEASE = 8
    COPY_ISSUE = 9
    COPY_BEGIN = 10
    COPY_DELIVER = 11
    COPY_END = 12
    COMMIT = 13
    JOB_QUEUE = 14
    JOB_BEGIN = 15
    JOB_END = 16
    CHANNEL_RESET = 17
    CLUSTER_LOST = 18
    DEVICE_LOST = 19
    FAULT = 20
    CLUSTER_CREATE = 21


class Feature(enum.IntFlag):
    """Bits of &drm_vsm_device_info.features"""

    MBARRIER = 0x1
    WAITSET = 0x2
    BULK_COPY = 0x4
    CP_ASYNC = 0x8
    FAULTS = 0x10
    COPY = 0x20
    CHANNELS = 0x40
    RENDEZVOUS = 0x80
    RULES = 0x100
    FENCE = 0x200
    LANES = 0x400
    DRAIN = 0x800
    STATE = 0x1000
    TRACE = 0x2000
    INJECT = 0x4000
    RESET = 0x8000
    HOLD = 0x10000
    PRIORITY = 0x20000
    GROUP = 0x40000


class Policy(enum.IntEnum):
    """What a cluster does about misuse"""

    STRICT = 0
    HARDWARE = 1


class ObjectKind(enum.IntEnum):
    """Kind of a GEM object"""

    CLUSTER = 1
    BUFFER = 2


class Op(enum.IntEnum):
    """Operation of an instruction"""

    MBARRIER_INIT = 1
    MBARRIER_INVAL = 2
    MBARRIER_ARRIVE = 3
    MBARRIER_ARRIVE_DROP = 4
    MBARRIER_EXPECT_TX = 5
    MBARRIER_COMPLETE_TX = 6
    MBARRIER_TEST_WAIT = 7
    MBARRIER_TRY_WAIT = 8
    MBARRIER_PENDING_COUNT = 9
    CP_ASYNC_BULK_G2S = 10
    CP_ASYNC_BULK_S2G = 11
    FENCE_MBARRIER_INIT = 12
    CP_ASYNC = 13
    CP_ASYNC_MBARRIER_ARRIVE = 14
    CP_ASYNC_COMMIT_GROUP = 15
    CP_ASYNC_WAIT_GROUP = 16
    CP_ASYNC_WAIT_ALL = 17
    CP_ASYNC_BULK_S2S = 18
    CP_ASYNC_BULK_PREFETCH = 19
    CP_ASYNC_BULK_COMMIT_GROUP = 20
    CP_ASYNC_BULK_WAIT_GROUP = 21
    CP_REDUCE_ASYNC_BULK_S2G = 22
    CP_REDUCE_ASYNC_BULK_S2S = 23
    CP_ASYNC_BULK_TENSOR_G2S = 24
    CP_ASYNC_BULK_TENSOR_S2G = 25
    CP_REDUCE_ASYNC_BULK_TENSOR = 26
    CP_ASYNC_BULK_PREFETCH_TENSOR = 27
    ST_ASYNC = 28
    RED_ASYNC = 29
    MATCH_SYNC = 30
    BAR_WARP_SYNC = 31
    ELECT_SYNC = 32
    VOTE_SYNC = 33
    SHFL_SYNC = 34
    REDUX_SYNC = 35
    BARRIER_SYNC = 36
    BARRIER_ARRIVE = 37
    BARRIER_RED = 38
    BARRIER_CLUSTER_ARRIVE = 39
    BARRIER_CLUSTER_WAIT = 40
    EXIT = 41
    FENCE = 42


class Mod(enum.IntFlag):
    """Modifiers of an instruction, a mask"""

    COUNT = 0x1
    EXPECT_TX = 0x2
    NOCOMPLETE = 0x4
    SINK = 0x8
    PARITY = 0x10
    HINT = 0x20
    NOINC = 0x40
    SRC_SIZE = 0x80
    CG = 0x100
    MULTICAST = 0x200
    CP_MASK = 0x400
    IM2COL = 0x800
    READ = 0x1000
    ALIGNED = 0x2000


class Red(enum.IntEnum):
    """Reduction operation, in bits 3:0 of &drm_vsm_insn.red"""

    ADD = 1
    MIN = 2
    MAX = 3
    INC = 4
    DEC = 5
    AND = 6
    OR = 7
    XOR = 8
    POPC = 9


class Mode(enum.IntEnum):
    """Mode of a warp operation, in bits 3:0 of &drm_vsm_insn.red"""

    ANY = 1
    ALL = 2
    UNI = 3
    BALLOT = 4
    UP = 5
    DOWN = 6
    BFLY = 7
    IDX = 8


class Type(enum.IntEnum):
    """Type of an operand, in bits 7:4 of &drm_vsm_insn.red"""

    B32 = 1
    U32 = 2
    S32 = 3
    B64 = 4
    U64 = 5
    S64 = 6
    F16 = 7
    BF16 = 8
    F32 = 9
    F64 = 10


class Space(enum.IntEnum):
    """State-space qualifier of an instruction"""

    GENERIC = 0
    SHARED_CTA = 1
    SHARED_CLUSTER = 2


class Sem(enum.IntEnum):
    """.sem qualifier"""

    DEFAULT = 0
    RELAXED = 1
    ACQUIRE = 2
    RELEASE = 3
    ACQ_REL = 4
    SC = 5


class Scope(enum.IntEnum):
    """.scope qualifier"""

    DEFAULT = 0
    CTA = 1
    CLUSTER = 2
    GPU = 3
    SYS = 4


class FaultCode(enum.IntEnum):
    """Misuse for which an instruction was refused"""

    NONE = 0
    MISALIGNED = 1
    OUT_OF_WINDOW = 2
    NOT_AN_MBARRIER = 3
    INIT_OVER_LIVE = 4
    BAD_COUNT = 5
    INVAL_IN_USE = 6
    ARRIVAL_OVERFLOW = 7
    NOCOMPLETE_COMPLETES = 8
    DROP_TO_ZERO = 9
    TX_RANGE = 10
    TX_OVERDELIVERY = 11
    REMOTE_FORBIDDEN = 12
    BAD_ORDER = 13
    POISONED = 14
    PHASE_UNOBSERVED = 15
    STALE_TOKEN = 16
    NOT_A_PENDING_TOKEN = 17
    INIT_NOT_FENCED = 18
    WRITE_OVER_LIVE = 19
    LATE_COMPLETION = 20
    DEADLOCK = 21
    PENDING_RANGE = 22
    BAD_PARITY = 23
    READ_OVER_LIVE = 24
    COPY_SIZE = 257
    COPY_BOUNDS = 258
    COPY_MBARRIER = 259
    COPY_OVERLAP = 260
    COPY_INCOMPLETE = 261
    TENSOR_MAP = 262
    NOT_IN_MASK = 513
    WARP_MISMATCH = 514
    SHFL_SOURCE = 515
    PARTIAL_WARP = 516
    BARRIER_ID = 517
    BARRIER_COUNT = 518
    BARRIER_MISMATCH = 519
    BARRIER_OVERFLOW = 520
    BARRIER_MIXED = 521
    CLUSTER_ARRIVED = 522
    CLUSTER_NOT_ARRIVED = 523
    THREAD_EXITED = 524
    THREAD_SUSPENDED = 525


class MbarrierState(enum.IntEnum):
    """State of a valid object"""

    IDLE = 0
    IN_PROGRESS = 1
    UNOBSERVED = 2


class TensorType(enum.IntEnum):
    """Type of a tensor's elements, numbered as in CUtensorMapDataType"""

    UINT8 = 0
    UINT16 = 1
    UINT32 = 2
    INT32 = 3
    UINT64 = 4
    INT64 = 5
    FLOAT16 = 6
    FLOAT32 = 7
    FLOAT64 = 8
    BFLOAT16 = 9
    FLOAT32_FTZ = 10
    TFLOAT32 = 11
    TFLOAT32_FTZ = 12


class TensorMode(enum.IntEnum):
    """How a tensor map is accessed"""

    TILED = 1
    IM2COL = 2


class TensorInterleave(enum.IntEnum):
    """Interleaved layout, numbered as in CUtensorMapInterleave"""

    NONE = 0
    B16 = 1
    B32 = 2


class TensorSwizzle(enum.IntEnum):
    """Swizzle in shared memory, numbered as in CUtensorMapSwizzle"""

    NONE = 0
    B32 = 1
    B64 = 2
    B128 = 3


class TensorFill(enum.IntEnum):
    """Value of elements out of bounds, numbered as in CUtensorMapFloatOOBfill"""

    ZERO = 0
    NAN = 1


class ExecFlags(enum.IntFlag):
    """Flags of an EXEC"""

    NO_LIMIT = 0x1
    WARP = 0x2
    LANES = 0x4


class SyncFlags(enum.IntFlag):
    """Flags of a &struct drm_vsm_sync"""

    WAIT = 0x1
    SIGNAL = 0x2


class ChannelFlags(enum.IntFlag):
    """Flags of a channel"""

    OUT_OF_ORDER = 0x1


class Priority(enum.IntEnum):
    """Priority of a channel"""

    LOW = -1
    NORMAL = 0
    HIGH = 1


class ResetStatus(enum.IntEnum):
    """What has happened to the jobs of a channel"""

    NONE = 0
    INNOCENT = 1
    GUILTY = 2
    UNKNOWN = 3


class ChannelStatusFlags(enum.IntFlag):
    """Flags of a query for the status of a channel"""

    STATUS_CLEAR = 0x1


class WaitsetFlags(enum.IntFlag):
    """Flags of a wait set"""

    NONBLOCK = 0x1


class WaitFlags(enum.IntFlag):
    """Flags of a &struct drm_vsm_wait"""

    PARITY = 0x1
    INSN = 0x2
    WARP = 0x4
    LANES = 0x8
    NO_LIMIT = 0x10


class WaitStatus(enum.IntEnum):
    """How a wait ended"""

    COMPLETE = 0
    EXPIRED = 1
    CLUSTER_LOST = 2
    DEVICE_LOST = 3
    FAULT = 4


class HoldFlags(enum.IntFlag):
    """Flags of a &struct drm_vsm_cluster_hold"""

    HOLD = 0x1
    DRAIN = 0x2


class EventFlags(enum.IntFlag):
    """Flags of a &struct drm_vsm_event_fault"""

    REPORTED = 0x1


class FaultSource(enum.IntEnum):
    """Where an instruction ran"""

    EXEC = 0
    SUBMIT = 1
    JOB = 2
    ASYNC = 3
    ARM = 4


class StateKind(enum.IntEnum):
    """What an entry of a cluster's state describes"""

    PHASE = 1
    RENDEZVOUS = 2
    BARRIER = 3
    CLUSTER_BARRIER = 4
    CLUSTER_ARRIVED = 5
    EXITED = 6
    GROUPS = 7
    OPERATION = 8
    JOB = 9


class StateEntryFlags(enum.IntFlag):
    """Flags of &struct drm_vsm_state_entry"""

    SUSPENDED = 0x1
    ARMED = 0x2
    NO_LIMIT = 0x4
    LEFT = 0x8
    ACROSS = 0x10
    COMPLETE = 0x20
    HELD = 0x40
    RUNNING = 0x80


class StateFlags(enum.IntFlag):
    """Which cluster CLUSTER_STATE describes; at most one flag"""

    NUMBER = 0x1
    NEXT = 0x2


class StateStatus(enum.IntFlag):
    """Status of a cluster"""

    LOST = 0x1
    CLUSTER_HELD = 0x2
    MORE = 0x4


class Qual(enum.IntFlag):
    """Qualifiers of an instruction, a mask"""

    RELAXED = 0x1
    ACQUIRE = 0x2
    RELEASE = 0x4
    ACQ_REL = 0x8
    CTA = 0x10
    CLUSTER = 0x20
    GPU = 0x40
    SYS = 0x80
    SHARED_CTA = 0x100
    SHARED_CLUSTER = 0x200
    SC = 0x400
    SINK = 0x1000
    CG = 0x2000
    ALIGNED = 0x4000


class TensorError(enum.IntEnum):
    """Rule that a tensor map, or an instruction with it, breaks"""

    OK = 0
    TYPE = 1
    MODE = 2
    RANK = 3
    INTERLEAVE = 4
    SWIZZLE = 5
    FILL = 6
    L2_PROMOTION = 7
    RESERVED = 8
    OFFSET = 9
    SIZE = 10
    STRIDE = 11
    BOX = 12
    BOX_BYTES = 13
    BOX_SWIZZLE = 14
    ELEMENT_STRIDE = 15
    CORNER = 16
    NO_PIXEL = 17
    CHANNELS = 18
    PIXELS = 19
    DIMS = 20
    LOAD_MODE = 21
    OFFSETS = 22
    REDUCTION = 23
    ALIGNMENT = 24
    OUTSIDE = 25


class PtxOutcome(enum.IntEnum):
    """How a launch has ended"""

    RUNNING = 0
    DONE = 1
    FAULT = 2
    HANG = 3
    CANCELLED = 4
    ERROR = 5
