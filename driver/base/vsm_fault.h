/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What user space is told about errors: malformed requests, misuse, and events for udev.
 */
#ifndef _VSM_FAULT_H_
#define _VSM_FAULT_H_

#include <linux/types.h>

#include <drm/vsm_drm.h>

#include "base/vsm_trace.h"

struct dentry;
struct drm_device;
struct drm_vsm_insn;

/* --- malformed requests ---------------------------------------------------------- */

int vsm_invalid(const struct drm_device *drm, const char *request, const char *field);
int vsm_invalid_insn(const struct drm_device *drm, const char *request, u32 index,
		     const struct drm_vsm_insn *insn);

/* --- misuse ---------------------------------------------------------------------- */

/**
 * struct vsm_report - Rules that an instruction breaks and that its cluster only reports
 * @rules: Mask of DRM_VSM_RULE()
 * @word: The mbarrier word that was found, or 0
 * @info: &drm_vsm_insn.info of the rule in @rules that has one
 */
struct vsm_report {
	u64 rules;
	u64 word;
	u32 info;
};

int vsm_faults_init(struct vsm_device *vdev);
void vsm_faults_debugfs_init(struct vsm_device *vdev, struct dentry *root);
void vsm_fault_init(struct vsm_client *client);
void vsm_fault_count(struct vsm_device *vdev, enum drm_vsm_fault fault);
void vsm_fault_announce(const struct vsm_origin *origin, enum drm_vsm_source source,
			const struct drm_vsm_insn *insn);
void vsm_fault_announce_locked(const struct vsm_origin *origin, enum drm_vsm_source source,
			       const struct drm_vsm_insn *insn, struct vsm_wakes *wakes);
void vsm_fault_report(const struct vsm_origin *origin, enum drm_vsm_source source,
		      const struct drm_vsm_insn *insn, const struct vsm_report *report);
void vsm_fault_report_locked(const struct vsm_origin *origin, enum drm_vsm_source source,
			     const struct drm_vsm_insn *insn, const struct vsm_report *report,
			     struct vsm_wakes *wakes);

/* --- events for udev ------------------------------------------------------------- */

/**
 * struct vsm_reset_uevent - A channel was reset
 * @client: Number of the client
 * @pid: Process that opened the client, in the first PID namespace
 * @channel: Number of the channel
 * @group: Number of the group that was reset with the channel, or 0
 * @error: Error of the guilty job, as a negative errno
 * @job: Number of the guilty job in its channel
 * @site: Site of the guilty job
 * @missed: How many resets before this one were not sent
 */
struct vsm_reset_uevent {
	u32 client;
	int pid;
	u32 channel;
	u32 group;
	int error;
	u64 job;
	u32 site;
	u64 missed;
};

int vsm_uevents_init(struct vsm_device *vdev);
void vsm_uevent_reset(struct vsm_device *vdev, const struct vsm_reset_uevent *uevent);
void vsm_uevent_lost(struct vsm_device *vdev);

#endif
