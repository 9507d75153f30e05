/* SPDX-License-Identifier: MIT */
/*
 * Injection of failures: rules say where, when and what.
 */
#ifndef _UAPI_VSM_INJECT_H_
#define _UAPI_VSM_INJECT_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * enum drm_vsm_inject_where - Where a rule looks
 * @DRM_VSM_INJECT_EXEC: A valid call of EXEC begins; it has executed nothing
 * @DRM_VSM_INJECT_SUBMIT: A valid call of SUBMIT begins
 * @DRM_VSM_INJECT_ARM: A valid call of WAITSET_ARM begins
 * @DRM_VSM_INJECT_ALLOC: A cluster or a buffer is about to be created
 * @DRM_VSM_INJECT_IMPORT: A handle for a dma-buf is about to be made
 * @DRM_VSM_INJECT_MMAP: A program touches a page of a mapping for the first time. A rule of a
 *	client is for what was mapped through its file descriptor; rules of the device are for
 *	mappings of a dma-buf, too
 * @DRM_VSM_INJECT_FENCE: The in-fences of a job have signalled; the job has at least one
 * @DRM_VSM_INJECT_JOB: A job is about to begin. A job for which a rule of %DRM_VSM_INJECT_FENCE has
 *	fired does not count
 * @DRM_VSM_INJECT_COPY: A channel is about to perform an asynchronous operation of a job or of a
 *	thread, except cp.async.mbarrier.arrive
 * @DRM_VSM_INJECT_COMPLETE: An asynchronous operation is about to complete on its mbarrier, or on
 *	those of a multicast
 */
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

/**
 * enum drm_vsm_inject_what - What happens when a rule fires
 * @DRM_VSM_INJECT_ERROR: A failure with &drm_vsm_inject_rule.error. A call fails with it, and has
 *	done nothing. A job ends with it. An operation ends without moving a byte, or, at
 *	%DRM_VSM_INJECT_COMPLETE, without completing; if a job has issued it, the job ends with the
 *	error. At %DRM_VSM_INJECT_MMAP it is a SIGBUS, whatever the error is
 * @DRM_VSM_INJECT_FAULT: A fault as a GPU has it: the job ends with EIO, and its channel is reset.
 *	Unless the rule has %DRM_VSM_INJECT_SPARE, the jobs that wait in the channel end with
 *	ECANCELED, and so do all jobs of the other channels of its group. If a thread has issued the
 *	operation, its cluster is lost
 * @DRM_VSM_INJECT_HANG: Nothing happens any more: until the rule is removed, until the time limit
 *	of the job, until the job is cancelled, or until a signal ends the call. The operation of a
 *	thread hangs for at most an hour; jobs with copies on the same channel then wait behind it
 * @DRM_VSM_INJECT_DELAY: The call, job or operation goes on @arg ns later, at most an hour. A
 *	channel performs nothing meanwhile. On a device without a time limit for jobs a job that a
 *	rule stalls, in whatever way, has a limit of 30 seconds
 * @DRM_VSM_INJECT_SLOW: The operation takes as long as its bytes take at @arg bytes per second
 * @DRM_VSM_INJECT_LOSE: An operation is lost: it moves no bytes, does not complete on its mbarrier,
 *	and nobody hears of it. At %DRM_VSM_INJECT_COMPLETE it has moved its bytes
 * @DRM_VSM_INJECT_TWICE: The operation completes twice
 * @DRM_VSM_INJECT_SPLIT: The operation completes in pieces of @arg bytes, but at most in 1024
 * @DRM_VSM_INJECT_SHORT: The operation completes @arg bytes too few, but not less than none
 * @DRM_VSM_INJECT_EARLY: The operation completes before it moves its bytes, which it does @arg ns
 *	later
 * @DRM_VSM_INJECT_FLIP: After the bytes have been moved, bit number @arg of the first byte that
 *	they were moved to is inverted, counted from its lowest bit and across all bytes of the
 *	operation, modulo their number; with @arg 2^64 - 1 the seed chooses the bit. With an
 *	&drm_vsm_inject_rule.error it is detected: the job ends with the error. A tensor copy to
 *	global memory and a prefetch do not match
 * @DRM_VSM_INJECT_LOSE_CLUSTER: The cluster is lost
 * @DRM_VSM_INJECT_LOSE_DEVICE: The device is unplugged, with %DRM_VSM_INJECT_RETURN it comes back
 *	at once. Only a rule of the device can do that
 *
 * What does not make sense in a place is refused with EINVAL; the manual has the table.
 */
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

/**
 * enum drm_vsm_inject_flags - Flags of a rule
 * @DRM_VSM_INJECT_CHANNEL: The rule looks only at &drm_vsm_inject_rule.channel
 * @DRM_VSM_INJECT_OBJECT: The rule looks only at &drm_vsm_inject_rule.object
 * @DRM_VSM_INJECT_SPARE: A job that faults cancels no other job: those that wait in its channel
 *	run, and the other channels of its group are not reset
 * @DRM_VSM_INJECT_RETURN: A lost device comes back
 * @DRM_VSM_INJECT_OF_DEVICE: The rule is one of the device: it is for all clients, also for those
 *	that come later, and stays until it is removed or until the device is lost. Needs
 *	CAP_SYS_ADMIN. &drm_vsm_inject_query and &drm_vsm_inject_remove have this flag, too
 */
enum drm_vsm_inject_flags {
	DRM_VSM_INJECT_CHANNEL = 1 << 0,
	DRM_VSM_INJECT_OBJECT = 1 << 1,
	DRM_VSM_INJECT_SPARE = 1 << 2,
	DRM_VSM_INJECT_RETURN = 1 << 3,
	DRM_VSM_INJECT_OF_DEVICE = 1 << 4,
};

/**
 * struct drm_vsm_inject_rule - A rule
 * @rule: Number of the rule, from 1 (out)
 * @where: &enum drm_vsm_inject_where
 * @what: &enum drm_vsm_inject_what
 * @flags: Mask of &enum drm_vsm_inject_flags
 * @channel: With %DRM_VSM_INJECT_CHANNEL, the channel; else 0
 * @object: With %DRM_VSM_INJECT_OBJECT, the handle of a cluster or of a buffer; else 0. The object
 *	exists at least as long as the rule. Imports, allocations and calls of WAITSET_ARM have no
 *	object. Only SUBMIT, jobs, their in-fences and operations have a channel. A rule of the
 *	device cannot name an object
 * @error: An errno from 1 to 133 for %DRM_VSM_INJECT_ERROR, and perhaps for %DRM_VSM_INJECT_FLIP;
 *	else 0. It is neither EAGAIN nor EINTR, because libdrm would repeat the call for ever
 * @probability: Millionths: with what probability the rule fires when its turn has come; 0 stands
 *	for always
 * @arg: As @what says, else 0
 * @first: Number of the match, from 1, at which the turn of the rule comes first; 0 stands for 1
 * @every: Its turn comes again at each @every-th match after that one; 0 stands for 1
 * @times: How often the rule fires at most; 0 stands for no limit
 * @seed: What random numbers begin from. The n-th match of a rule has the same random number
 *	whenever a rule has this seed
 * @matched: How often the rule matched (out)
 * @fired: How often it fired (out)
 * @client: With %DRM_VSM_INJECT_OF_DEVICE, the number of the client that the rule is for, or 0 for
 *	all clients; else 0
 * @cluster: With %DRM_VSM_INJECT_OF_DEVICE, the number of the cluster that the rule is for, or 0
 *	for all clusters; else 0
 *
 * A rule of a client matches what this client does: its calls, its jobs, and the operations that
 * its threads issue. All rules that match count the match. At most one fires: the oldest rule of
 * the client that can, or if none can, the oldest rule of the device that can. A rule cannot fire
 * if its turn has not come, if its draw fails, or if it has fired @times times.
 *
 * Errors: EINVAL, EPERM (a rule of the device, without CAP_SYS_ADMIN; or the loss of the device by
 * a rule of a client), ENOENT (the object), ENOSPC (64 rules), ENOMEM.
 */
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

/**
 * enum drm_vsm_inject_query_flags - Flags of a query
 * @DRM_VSM_INJECT_NEXT: Take the rule with the lowest number that is not below
 *	&drm_vsm_inject_query.rule. With this flag a list of rules can be read
 */
enum drm_vsm_inject_query_flags {
	DRM_VSM_INJECT_NEXT = 1 << 0,
};

/**
 * struct drm_vsm_inject_query - Read a rule, or wait until it has fired
 * @rule: Number of the rule
 * @flags: Mask of &enum drm_vsm_inject_query_flags and %DRM_VSM_INJECT_OF_DEVICE
 * @fired: Wait until the rule has fired this often; 0 does not wait
 * @deadline: When to stop waiting (CLOCK_MONOTONIC, ns)
 * @info: The rule (out), with what was given to DRM_IOCTL_VSM_INJECT_ADD and its counters. It is
 *	also written with ETIMEDOUT
 *
 * Errors: ENOENT (also if the rule is removed meanwhile), EINVAL, EPERM (a rule of the device,
 * without CAP_SYS_ADMIN), ETIMEDOUT, EINTR, ENODEV.
 */
struct drm_vsm_inject_query {
	__u32 rule;
	__u32 flags;
	__u64 fired;
	__s64 deadline;
	struct drm_vsm_inject_rule info;
};

/**
 * struct drm_vsm_inject_remove - Remove a rule
 * @rule: Number of the rule, or 0 for all rules of the client or of the device
 * @flags: 0, or %DRM_VSM_INJECT_OF_DEVICE for rules of the device
 *
 * What hangs because of the rule goes on.
 *
 * Errors: ENOENT, EINVAL, EPERM (rules of the device, without CAP_SYS_ADMIN).
 */
struct drm_vsm_inject_remove {
	__u32 rule;
	__u32 flags;
};

#if defined(__cplusplus)
}
#endif

#endif
