# SPDX-License-Identifier: MIT
# userlib/python/generate.py has written this file from the headers of vsm. Do not change it.
"""The structures that the device and the library fill.

Masks and codes are numbers: :mod:`vsm.enums` has their names."""

from dataclasses import dataclass
from typing import Any, Optional, Tuple

from ._base import Instruction


@dataclass(frozen=True)
class DeviceInfo:
    """Version, features and limits (out)

    :param abi_major: ``DRM_VSM_ABI_MAJOR`` of the driver

    :param abi_minor: ``DRM_VSM_ABI_MINOR`` of the driver

    :param features: Mask of ``drm_vsm_feature``

    :param max_ctas: CTAs that a cluster may have

    :param max_threads: Threads that a CTA may have

    :param max_smem: Bytes that a CTA's window may have

    :param max_exec: Instructions that one EXEC may have, and waits that one WAITSET_ARM may have

    :param max_submit: Instructions that one SUBMIT may have

    :param max_syncs: Fences that one SUBMIT may have

    :param client_clusters: Clusters that one client may have

    :param client_waits: Waits that one client may have armed or unread

    :param client_jobs: Jobs that one client may have in flight, together with its holds. The total
        number of the jobs' instructions is at most 2^18

    :param index: Instance number of the device, from 0

    :param client_bytes: Bytes of memory that one client may use for clusters, for the driver's
        records of their mbarrier objects and threads, for buffers, for operations in flight and for
        armed waits

    :param device_bytes: Bytes of memory that all clients together may use. The clients of one user
        may use at most half of the bytes that the clients of other users do not use

    :param try_wait_limit_ns: Time limit of a try_wait without suspendTimeHint, in ns

    :param max_channels: Channels that one client may have, including its first
    """

    abi_major: int
    abi_minor: int
    features: int
    max_ctas: int
    max_threads: int
    max_smem: int
    max_exec: int
    max_submit: int
    max_syncs: int
    client_clusters: int
    client_waits: int
    client_jobs: int
    index: int
    client_bytes: int
    device_bytes: int
    try_wait_limit_ns: int
    max_channels: int


@dataclass(frozen=True)
class Shape:
    """Shape of a cluster

    :param ctas: CTAs, 1 to ``drm_vsm_device_info.max_ctas``

    :param threads: Threads of each CTA, 1 to ``drm_vsm_device_info.max_threads``

    :param smem_bytes: Bytes of each CTA's window, a multiple of 16 up to
        ``drm_vsm_device_info.max_smem``

    :param layout: Layout of the mbarrier word

    :param policy: What the device does about misuse

    :param report: Rules that are reported instead of enforced, a mask of DRM_VSM_RULE()

    :param enforce: Rules that are enforced only because they are in this mask of DRM_VSM_RULE()

    :param trace_events: Number of the last events that the flight recorder keeps, up to 2^20, for
        vsm_trace_read(); 0 for no flight recorder. vsm_cluster_shape() sets it to 0
    """

    ctas: int
    threads: int
    smem_bytes: int
    layout: int
    policy: int
    report: int
    enforce: int
    trace_events: int


@dataclass(frozen=True)
class MbarrierFields:
    """The fields of an mbarrier word

    :param pending: Arrivals that the phase in progress still waits for

    :param expected: Arrivals that the next phase will wait for

    :param tx: Transactions (bytes) announced and not yet complete; negative if more have completed
        than were announced; always 0 in layout sm_80

    :param phase: Parity of the phase in progress, 0 or 1

    :param poison: Not 0 if the next operation on the word traps (sm_90)

    :param reserved: Not 0 if the word has a bit set that no operation ever sets
    """

    pending: int
    expected: int
    tx: int
    phase: int
    poison: int
    reserved: int


@dataclass(frozen=True)
class EventFault:
    """A misuse

    :param time: CLOCK_MONOTONIC in ns

    :param cluster: Handle of the cluster, as given in the call

    :param cta: CTA of the thread. For a wait on an mbarrier that WAITSET_ARM refused, the CTA of
        its address

    :param thread: Thread in the CTA. For a wait on an mbarrier that WAITSET_ARM refused, 0

    :param source: ``drm_vsm_source``

    :param lost: Number of events that did not fit since the last event that did

    :param insn: The instruction. ``drm_vsm_insn.fault``, ``drm_vsm_insn.result`` (the word) and
        ``drm_vsm_insn.info`` say why it is misuse

    :param flags: Mask of ``drm_vsm_event_flags``
    """

    time: int
    cluster: int
    cta: int
    thread: int
    source: int
    lost: int
    insn: Instruction[Any]
    flags: int


@dataclass(frozen=True)
class TraceEvent:
    """An event

    :param time: When it happened (CLOCK_MONOTONIC, ns). The times in a flight recorder never
        decrease. There, an INSN may have the time of the event before it, if the same call recorded
        that one; at most 15 INSN in a row do

    :param id: Number of the copy, phase, wait, arrival or job that the event is about; else 0. All
        events about it have the same number. Numbers are unique in the cluster and increase. What
        began while nobody looked has the number 0

    :param cause: Number of what brought the event about. PHASE: the copy whose delivery completed
        the phase, or 0 if the thread did. RESUME and WAIT_END: the phase, arrival or copy that
        ended the wait, or 0. COPY_ISSUE: the job that the copy belongs to, or 0

    :param word: The mbarrier word before the event (INSN, PHASE, COPY_DELIVER), or as it was found
        (SUSPEND, WAIT_ARM, FAULT); else 0

    :param next: The mbarrier word after the event (INSN, PHASE, COPY_DELIVER); else 0

    :param value: INSN: the result; if several lanes execute the instruction together, that of the
        lowest one. SUSPEND and WAIT_ARM: the state token or the parity of the phase that the thread
        waits for; or the membermask of a warp operation; or the count of a named barrier; or the
        number of groups that may stay incomplete. RESUME and WAIT_END: how long the wait took, in
        ns; 0 if it began while nobody looked. ARRIVE and RELEASE: the membermask, or the count of a
        named barrier, or 0. COPY_ISSUE, COPY_BEGIN and COPY_END: offset in the buffer.
        COPY_DELIVER: the result of the mbarrier operation. COMMIT: number of the group. JOB_QUEUE:
        number of instructions

    :param cluster: Number of the cluster on the device; 0 if the event is about no cluster

    :param client: Number of the client on the device; 0 if the event is about no client, or if it
        is the client of another user (``drm_vsm_trace_read``)

    :param addr: Cluster shared address of the mbarrier; or of the bytes of a copy, or 0; or number
        of the barrier (ARRIVE, RELEASE, and the waits for it)

    :param mbar: Cluster shared address of the mbarrier of a copy

    :param size: Bytes of a copy, or of this delivery (COPY_DELIVER). CLUSTER_CREATE:
        ``drm_vsm_cluster_create.smem_bytes``

    :param lanes: Mask of the lanes of the warp of ``thread`` that the event is about; 0 if it is
        about no thread

    :param buffer: The client's handle of the buffer of a copy; 0 if it has none, or is a tensor
        copy

    :param channel: Number of the client's channel (COPY_BEGIN, JOB_*, CHANNEL_RESET)

    :param serial: Serial number of the phase (PHASE: the one that completed). 0 if the cluster has
        the hardware policy

    :param error: Negative error code with which a wait, copy or job ended; FAULT: -EPROTO if the
        instruction was refused, 0 if the rule is only reported; else 0

    :param site: Number that the caller has given to the instruction (``drm_vsm_exec.site``), or 0

    :param info: ``drm_vsm_insn.info`` (FAULT). CLUSTER_CREATE: ``drm_vsm_cluster_create.policy``

    :param source: ``drm_vsm_source`` (FAULT)

    :param fault: ``drm_vsm_fault`` (FAULT; COPY_END of a copy that faulted), or 0

    :param mods: ``drm_vsm_insn.mods.`` CLUSTER_CREATE: ``drm_vsm_cluster_create.layout``

    :param op: ``drm_vsm_op`` of the instruction, or 0. COPY_DELIVER: the mbarrier operation that
        the copy performs

    :param type: ``drm_vsm_trace``

    :param cta: Rank of the CTA of the thread; of a PHASE or COPY_DELIVER, of the thread that
        executed or issued the operation; of the mbarrier if a wait is armed for no thread.
        CLUSTER_CREATE: number of CTAs

    :param thread: The thread in its CTA; the lowest one of ``lanes``, 0 without one.
        CLUSTER_CREATE: threads of each CTA
    """

    time: int
    id: int
    cause: int
    word: int
    next: int
    value: int
    cluster: int
    client: int
    addr: int
    mbar: int
    size: int
    lanes: int
    buffer: int
    channel: int
    serial: int
    error: int
    site: int
    info: int
    source: int
    fault: int
    mods: int
    op: int
    type: int
    cta: int
    thread: int


@dataclass(frozen=True)
class StateEntry:
    """A part of a cluster's state (out)

    :param kind: ``drm_vsm_state``

    :param flags: Mask of ``drm_vsm_state_entry_flags``

    :param client: Number of the client that waits, or that has issued the operation or the job. 0
        if there is none, or if it is the client of another user

    :param pid: Process of the task that is suspended, or else the process that has opened the
        client; in the caller's PID namespace. 0 if there is none, if it has ended, if it is not in
        this namespace, or if it is the process of another user

    :param tid: Task that is suspended, in the caller's PID namespace; else 0

    :param cta: CTA of the threads, or of a named barrier

    :param thread: The lowest of the threads; 0 for barriers

    :param lanes: The threads, as a mask of lanes of their warp. 0 if a wait was armed for no thread

    :param missing: RENDEZVOUS: lanes that have to take part and have not arrived. BARRIER: warps of
        the CTA that have not exited and have not arrived. JOB: number of in-fences that the channel
        has not found signalled

    :param since: When the wait began, or 0 if there is none (CLOCK_MONOTONIC, ns). It is known to a
        tick

    :param deadline: When the wait expires, or when the operation is due (CLOCK_MONOTONIC, ns); -1
        if there is no such time

    :param word: PHASE: the mbarrier word now

    :param user_data: ``drm_vsm_wait.user_data`` of an armed wait of the same user; else 0

    :param mask: RENDEZVOUS: lanes that take part in the instruction. BARRIER: warps that wait
        there. OPERATION: CTAs to whose mbarriers the operation is bound

    :param passed: BARRIER: warps that have arrived without waiting

    :param count: BARRIER and CLUSTER_BARRIER: threads that have arrived. GROUPS: committed groups
        that are not complete. OPERATION: bytes that it still has to complete on an mbarrier. JOB:
        instructions that have been issued

    :param total: BARRIER and CLUSTER_BARRIER: threads that have to arrive. OPERATION: bytes that it
        completes on each mbarrier. JOB: instructions

    :param id: BARRIER: number of the named barrier. OPERATION and JOB: channel. GROUPS: 0 for
        cp.async, 1 for bulk copies

    :param name: JOB: driver and timeline of the in-fence that the job waits for, as text that ends
        with a 0; else empty

    :param insn: PHASE: the try_wait, or the try_wait that is equivalent to an armed wait.
        RENDEZVOUS and OPERATION: the instruction. GROUPS: the wait for groups, or only its
        operation if no wait is armed. Its results are 0. The values that threads bring to a
        RENDEZVOUS are left out. The operands of an OPERATION of another user are left out, except
        for its addresses in the cluster and the size of a copy or store
    """

    kind: int
    flags: int
    client: int
    pid: int
    tid: int
    cta: int
    thread: int
    lanes: int
    missing: int
    since: int
    deadline: int
    word: int
    user_data: int
    mask: int
    passed: int
    count: int
    total: int
    id: int
    name: str
    insn: Instruction[Any]


@dataclass(frozen=True)
class ClusterState:
    """What a cluster is doing

    :param handle: Handle of the cluster, or 0 with a flag (in)

    :param number: Number of the cluster (in with a flag, out)

    :param flags: Mask of ``drm_vsm_state_flags`` (in)

    :param status: Mask of ``drm_vsm_state_status`` (out)

    :param entries: Pointer to an array of ``drm_vsm_state_entry``, a multiple of 8, which is filled
        (in)

    :param stride: Bytes of an element of ``entries``, at least 184 (in). Bytes behind those that
        the kernel knows are not written

    :param count: Length of ``entries``, at most 131072 (in); number of entries that were written
        (out)

    :param total: Number of entries that there were (out). If it is larger than ``count``, call
        again with a longer array

    :param client: Number of the client that has created the cluster; 0 if it is the client of
        another user (out)

    :param pid: Process that has opened this client, in the caller's PID namespace; 0 if it has
        ended, if it is not in this namespace, or if ``client`` is 0 (out)

    :param ctas: ``drm_vsm_cluster_create.ctas`` (out)

    :param threads: ``drm_vsm_cluster_create.threads`` (out)

    :param smem_bytes: ``drm_vsm_cluster_create.smem_bytes`` (out)

    :param layout: ``drm_vsm_cluster_create.layout`` (out)

    :param policy: ``drm_vsm_cluster_create.policy`` (out)

    :param live: Threads that have not exited (out)

    :param suspended: Threads that are suspended without a time limit, or have exited (out)

    :param time: When the call began to collect the entries (CLOCK_MONOTONIC, ns) (out)

    :param comm: Name of the process that has opened the client, as text that ends with a 0; empty
        if ``client`` is 0 (out)
    """

    handle: int
    number: int
    flags: int
    status: int
    entries: int
    stride: int
    count: int
    total: int
    client: int
    pid: int
    ctas: int
    threads: int
    smem_bytes: int
    layout: int
    policy: int
    live: int
    suspended: int
    time: int
    comm: str


@dataclass(frozen=True)
class ChannelStatus:
    """Find out what has happened to the jobs of a channel

    :param channel: Channel of the caller; 0 is one, too

    :param flags: Mask of ``drm_vsm_channel_status_flags``

    :param status: ``drm_vsm_reset_status``: the worst since the last query with
        ``DRM_VSM_CHANNEL_STATUS_CLEAR`` (out). GUILTY is worse than UNKNOWN, and UNKNOWN is worse
        than INNOCENT

    :param error: Error of the last job that counts in ``guilty``, ``innocent`` or ``unknown``, as a
        negative errno; 0 if there was none (out)

    :param resets: How often the channel was reset, alone or with its group (out)

    :param device_resets: How often any channel of the device was reset, for any client (out)

    :param guilty: Jobs of the channel that were guilty (out)

    :param innocent: Jobs of the channel that ended with an error and were innocent (out)

    :param unknown: Jobs of the channel that ended because their cluster was lost (out)

    :param guilty_job: Number of the last guilty job, 0 if there was none (out). The jobs of a
        channel have numbers from 1 on, in the order in which SUBMIT accepted them

    :param guilty_site: ``drm_vsm_submit.site`` of that job (out)

    :param guilty_error: Error of that job, as a negative errno (out)
    """

    channel: int
    flags: int
    status: int
    error: int
    resets: int
    device_resets: int
    guilty: int
    innocent: int
    unknown: int
    guilty_job: int
    guilty_site: int
    guilty_error: int


@dataclass(frozen=True)
class InjectRule:
    """A rule

    :param rule: Number of the rule, from 1 (out)

    :param where: ``drm_vsm_inject_where``

    :param what: ``drm_vsm_inject_what``

    :param flags: Mask of ``drm_vsm_inject_flags``

    :param channel: With ``DRM_VSM_INJECT_CHANNEL``, the channel; else 0

    :param object: With ``DRM_VSM_INJECT_OBJECT``, the handle of a cluster or of a buffer; else 0.
        The object exists at least as long as the rule. Imports, allocations and calls of
        WAITSET_ARM have no object. Only SUBMIT, jobs, their in-fences and operations have a
        channel. A rule of the device cannot name an object

    :param error: An errno from 1 to 133 for ``DRM_VSM_INJECT_ERROR``, and perhaps for
        ``DRM_VSM_INJECT_FLIP``; else 0. It is neither EAGAIN nor EINTR, because libdrm would repeat
        the call for ever

    :param probability: Millionths: with what probability the rule fires when its turn has come; 0
        stands for always

    :param arg: As ``what`` says, else 0

    :param first: Number of the match, from 1, at which the turn of the rule comes first; 0 stands
        for 1

    :param every: Its turn comes again at each ``every``-th match after that one; 0 stands for 1

    :param times: How often the rule fires at most; 0 stands for no limit

    :param seed: What random numbers begin from. The n-th match of a rule has the same random number
        whenever a rule has this seed

    :param matched: How often the rule matched (out)

    :param fired: How often it fired (out)

    :param client: With ``DRM_VSM_INJECT_OF_DEVICE``, the number of the client that the rule is for,
        or 0 for all clients; else 0

    :param cluster: With ``DRM_VSM_INJECT_OF_DEVICE``, the number of the cluster that the rule is
        for, or 0 for all clusters; else 0
    """

    rule: int
    where: int
    what: int
    flags: int
    channel: int
    object: int
    error: int
    probability: int
    arg: int
    first: int
    every: int
    times: int
    seed: int
    matched: int
    fired: int
    client: int
    cluster: int


@dataclass(frozen=True)
class LaunchResult:
    """What a launch did

    :param outcome: How it ended

    :param fault: ``drm_vsm_fault`` if the device refused an instruction; otherwise 0

    :param error: Negative error number if ``outcome`` is VSM_PTX_ERROR

    :param line: Line in the PTX text of the instruction at fault, or of the first wait of a hang;
        or 0

    :param source_line: Line in the source, from .loc; or 0. If this line is in an inlined function:
        the line of the outermost call

    :param source_file: Name of the source, which belongs to the launch; NULL if it is not known

    :param thread_insns: Instructions that threads have executed: one for each lane

    :param warp_insns: Instructions that warps have executed

    :param device_calls: Calls of the device (ioctl, read, poll)

    :param inlined_file: If the instruction belongs to an inlined function, the source with its
        line, as ``source_file``; otherwise NULL

    :param inlined_line: The line in that source; otherwise 0
    """

    outcome: int
    fault: int
    error: int
    line: int
    source_line: int
    source_file: Optional[str]
    thread_insns: int
    warp_insns: int
    device_calls: int
    inlined_file: Optional[str]
    inlined_line: int


@dataclass(frozen=True)
class KernelInfo:
    """What a module says about a kernel

    :param name: Name in PTX

    :param param_count: Number of parameters

    :param param_size: Bytes of all parameters

    :param smem_bytes: Bytes of shared memory that it declares

    :param maxntid: .maxntid, 0 if not given

    :param reqntid: .reqntid, 0 if not given

    :param reqnctapercluster: .reqnctapercluster, 0 if not given
    """

    name: str
    param_count: int
    param_size: int
    smem_bytes: int
    maxntid: Tuple[int, ...]
    reqntid: Tuple[int, ...]
    reqnctapercluster: Tuple[int, ...]


@dataclass(frozen=True)
class Param:
    """A parameter of a kernel

    :param name: Name in PTX

    :param type: Type in PTX without its dot, such as "u64" or "b8"

    :param offset: Byte offset in the parameters

    :param size: Bytes

    :param align: Alignment in bytes
    """

    name: str
    type: str
    offset: int
    size: int
    align: int
