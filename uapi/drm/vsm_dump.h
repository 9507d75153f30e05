/* SPDX-License-Identifier: MIT */
/*
 * The dump that the device makes of a failure, in /sys/class/devcoredump/devcdN/data.
 *
 * A dump begins with struct drm_vsm_dump. It is made of structures of this interface, whose numbers
 * never change: a dump can be read by a program that was built before or after the driver. All
 * numbers have the byte order of the machine.
 */
#ifndef _UAPI_VSM_DUMP_H_
#define _UAPI_VSM_DUMP_H_

#include "vsm_drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * define DRM_VSM_DUMP_MAGIC - The first eight bytes of a dump, which spell "VSMDUMP"
 */
#define DRM_VSM_DUMP_MAGIC 0x504d55444d5356ULL

/**
 * enum drm_vsm_dump_reason - Why a dump was made
 * @DRM_VSM_DUMP_FAULT: An instruction of a job faulted
 * @DRM_VSM_DUMP_RESET: A job took too long, or was made to fail, and its channel was reset
 * @DRM_VSM_DUMP_CLUSTER_LOST: A cluster was lost
 */
enum drm_vsm_dump_reason {
	DRM_VSM_DUMP_FAULT = 1,
	DRM_VSM_DUMP_RESET = 2,
	DRM_VSM_DUMP_CLUSTER_LOST = 3,
};

/**
 * struct drm_vsm_dump_part - Where an array is in a dump
 * @offset: Bytes from the begin of the dump
 * @stride: Bytes from one element to the next
 * @count: Number of elements in the dump
 * @total: Number of elements that there were
 */
struct drm_vsm_dump_part {
	__u32 offset;
	__u32 stride;
	__u32 count;
	__u32 total;
};

/**
 * struct drm_vsm_dump_word - An mbarrier word
 * @word: The word after the failure
 * @addr: Its cluster shared address
 * @pad: 0
 */
struct drm_vsm_dump_word {
	__u64 word;
	__u32 addr;
	__u32 pad;
};

/**
 * struct drm_vsm_dump - The begin of a dump
 * @magic: %DRM_VSM_DUMP_MAGIC
 * @size: Bytes of this structure
 * @reason: &enum drm_vsm_dump_reason
 * @time: When the dump was made (CLOCK_MONOTONIC, ns)
 * @missed: Dumps that were given up since the last one that was not: they came too soon after
 *	another one, or there was no memory
 * @abi_major: %DRM_VSM_ABI_MAJOR of the driver
 * @abi_minor: %DRM_VSM_ABI_MINOR of the driver
 * @device: &drm_vsm_device_info.index
 * @cluster: Number of the cluster on the device
 * @client: Number of the client that submitted the job; of the cluster's creator if a cluster was
 *	lost
 * @pid: Process that opened this client, in the first PID namespace
 * @comm: Name of this process when it opened the client
 * @ctas: &drm_vsm_cluster_create.ctas
 * @threads: &drm_vsm_cluster_create.threads
 * @smem_bytes: &drm_vsm_cluster_create.smem_bytes
 * @layout: &drm_vsm_cluster_create.layout
 * @policy: &drm_vsm_cluster_create.policy
 * @lost: 1 if the cluster is lost
 * @channel: Channel of the job
 * @error: Error of the job's fence, as a negative errno
 * @job: Number of the job in its channel, as in &drm_vsm_channel_status.guilty_job; 0 if the dump
 *	is not about a job
 * @site: &drm_vsm_submit.site of the job
 * @cta: &drm_vsm_submit.cta of the job
 * @thread: &drm_vsm_submit.thread of the job
 * @issued: How many instructions the job has issued
 * @first: Index in the job of the first instruction in the dump
 * @insns: Instructions of the job, &struct drm_vsm_insn, with their results and faults
 * @words: Words, &struct drm_vsm_dump_word: those that issued instructions of the job name as their
 *	mbarrier; those of live objects if a cluster was lost
 * @events: Last events of the cluster's flight recorder, &struct drm_vsm_trace_event
 */
struct drm_vsm_dump {
	__u64 magic;
	__u32 size;
	__u32 reason;
	__u64 time;
	__u64 missed;
	__u32 abi_major;
	__u32 abi_minor;
	__u32 device;
	__u32 cluster;
	__u32 client;
	__u32 pid;
	char comm[16];
	__u32 ctas;
	__u32 threads;
	__u32 smem_bytes;
	__u32 layout;
	__u32 policy;
	__u32 lost;
	__u32 channel;
	__s32 error;
	__u64 job;
	__u32 site;
	__u16 cta;
	__u16 thread;
	__u32 issued;
	__u32 first;
	struct drm_vsm_dump_part insns;
	struct drm_vsm_dump_part words;
	struct drm_vsm_dump_part events;
};

#if defined(__cplusplus)
}
#endif

#endif
