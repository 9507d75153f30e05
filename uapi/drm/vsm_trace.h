/* SPDX-License-Identifier: MIT */
/*
 * Events: what the device reports about its work. The tracepoints of the driver and the flight
 * recorder of a cluster give the same events with the same fields.
 */
#ifndef _UAPI_VSM_TRACE_H_
#define _UAPI_VSM_TRACE_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * enum drm_vsm_trace - What an event says
 * @DRM_VSM_TRACE_INSN: A thread has executed an mbarrier operation, a fence, or a wait for groups
 *	that were complete. A try_wait whose phase is not complete makes this event with the result
 *	0 before it suspends
 * @DRM_VSM_TRACE_PHASE: A phase of an mbarrier has completed
 * @DRM_VSM_TRACE_SUSPEND: A task has suspended the threads that it plays: in a try_wait, in a
 *	rendezvous, or in a wait for groups
 * @DRM_VSM_TRACE_RESUME: A suspension has ended
 * @DRM_VSM_TRACE_WAIT_ARM: A wait has been armed in a wait set
 * @DRM_VSM_TRACE_WAIT_END: An armed wait has ended
 * @DRM_VSM_TRACE_ARRIVE: A thread has executed a rendezvous (a warp operation or a barrier), or has
 *	exited
 * @DRM_VSM_TRACE_RELEASE: The arrival with the same id has completed a rendezvous, which releases
 *	threads
 * @DRM_VSM_TRACE_COPY_ISSUE: An asynchronous operation has been issued
 * @DRM_VSM_TRACE_COPY_BEGIN: The channel has begun to perform the operation
 * @DRM_VSM_TRACE_COPY_DELIVER: The operation has completed bytes on an mbarrier; one event for each
 *	complete-tx or arrive
 * @DRM_VSM_TRACE_COPY_END: The operation has ended or has been dropped
 * @DRM_VSM_TRACE_COMMIT: A thread has committed a group
 * @DRM_VSM_TRACE_JOB_QUEUE: A job has been queued on a channel
 * @DRM_VSM_TRACE_JOB_BEGIN: The channel has begun to run the job
 * @DRM_VSM_TRACE_JOB_END: The job has ended, and its fence has signalled
 * @DRM_VSM_TRACE_CHANNEL_RESET: A channel was reset while it ran this job, because of this job or
 *	with its group: the channel drops the job's operations
 * @DRM_VSM_TRACE_CLUSTER_LOST: A trap has killed the cluster
 * @DRM_VSM_TRACE_DEVICE_LOST: The device has been unplugged (only a tracepoint)
 * @DRM_VSM_TRACE_FAULT: An instruction has broken a rule
 * @DRM_VSM_TRACE_CLUSTER_CREATE: A cluster has been created. Only a tracepoint shows it: a flight
 *	recorder belongs to a cluster whose shape its reader knows
 */
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

/**
 * struct drm_vsm_trace_event - An event
 * @time: When it happened (CLOCK_MONOTONIC, ns). The times in a flight recorder never decrease.
 *	There, an INSN may have the time of the event before it, if the same call recorded that one;
 *	at most 15 INSN in a row do
 * @id: Number of the copy, phase, wait, arrival or job that the event is about; else 0. All events
 *	about it have the same number. Numbers are unique in the cluster and increase. What began
 *	while nobody looked has the number 0
 * @cause: Number of what brought the event about. PHASE: the copy whose delivery completed the
 *	phase, or 0 if the thread did. RESUME and WAIT_END: the phase, arrival or copy that ended
 *	the wait, or 0. COPY_ISSUE: the job that the copy belongs to, or 0
 * @word: The mbarrier word before the event (INSN, PHASE, COPY_DELIVER), or as it was found
 *	(SUSPEND, WAIT_ARM, FAULT); else 0. FAULT: &drm_vsm_insn.result
 * @next: The mbarrier word after the event (INSN, PHASE, COPY_DELIVER); else 0
 * @value: INSN: the result; if several lanes execute the instruction together, that of the lowest
 *	one. SUSPEND and WAIT_ARM: the state token or the parity of the phase that
 *	the thread waits for; or the membermask of a warp operation; or the count of a named
 *	barrier; or the number of groups that may stay incomplete. RESUME and WAIT_END: how long the
 *	wait took, in ns; 0 if it began while nobody looked. ARRIVE and RELEASE: the membermask, or
 *	the count of a named barrier, or 0. COPY_ISSUE, COPY_BEGIN and COPY_END: offset in the
 *	buffer. COPY_DELIVER: the result of the mbarrier operation. COMMIT: number of the group.
 *	JOB_QUEUE: number of instructions
 * @cluster: Number of the cluster on the device; 0 if the event is about no cluster
 * @client: Number of the client on the device; 0 if the event is about no client, or if it is the
 *	client of another user (&struct drm_vsm_trace_read)
 * @addr: Cluster shared address of the mbarrier; or of the bytes of a copy, or 0; or number of the
 *	barrier (ARRIVE, RELEASE, and the waits for it)
 * @mbar: Cluster shared address of the mbarrier of a copy
 * @size: Bytes of a copy, or of this delivery (COPY_DELIVER). CLUSTER_CREATE:
 *	&drm_vsm_cluster_create.smem_bytes
 * @lanes: Mask of the lanes of the warp of @thread that the event is about; 0 if it is about no
 *	thread
 * @buffer: The client's handle of the buffer of a copy; 0 if it has none, or is a tensor copy
 * @channel: Number of the client's channel (COPY_BEGIN, JOB_*, CHANNEL_RESET)
 * @serial: Serial number of the phase (PHASE: the one that completed). 0 if the cluster has the
 *	hardware policy
 * @error: Negative error code with which a wait, copy or job ended; FAULT: -EPROTO if the
 *	instruction was refused, 0 if the rule is only reported; else 0
 * @site: Number that the caller has given to the instruction (&drm_vsm_exec.site), or 0
 * @info: &drm_vsm_insn.info (FAULT). CLUSTER_CREATE: &drm_vsm_cluster_create.policy
 * @source: &enum drm_vsm_source (FAULT)
 * @fault: &enum drm_vsm_fault (FAULT; COPY_END of a copy that faulted), or 0
 * @mods: &drm_vsm_insn.mods. CLUSTER_CREATE: &drm_vsm_cluster_create.layout
 * @op: &enum drm_vsm_op of the instruction, or 0. COPY_DELIVER: the mbarrier operation that the
 *	copy performs
 * @type: &enum drm_vsm_trace
 * @cta: Rank of the CTA of the thread; of a PHASE or COPY_DELIVER, of the thread that executed or
 *	issued the operation; of the mbarrier if a wait is armed for no thread. CLUSTER_CREATE:
 *	number of CTAs
 * @thread: The thread in its CTA; the lowest one of @lanes, 0 without one. CLUSTER_CREATE: threads
 *	of each CTA
 * @pad: 0
 */
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

#if defined(__cplusplus)
}
#endif

#endif
