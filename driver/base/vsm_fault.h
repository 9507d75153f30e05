/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of misuse: counters, the tracepoint and events.
 */
#ifndef _VSM_FAULT_H_
#define _VSM_FAULT_H_

#include <drm/vsm_drm.h>

#include "base/vsm_record.h"

struct dentry;

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
void vsm_fault_record(const struct vsm_origin *origin, enum drm_vsm_source source,
		      const struct drm_vsm_insn *insn);
void vsm_fault_record_locked(const struct vsm_origin *origin, enum drm_vsm_source source,
			     const struct drm_vsm_insn *insn, struct vsm_wakes *wakes);
void vsm_fault_report(const struct vsm_origin *origin, enum drm_vsm_source source,
		      const struct drm_vsm_insn *insn, const struct vsm_report *report);
void vsm_fault_report_locked(const struct vsm_origin *origin, enum drm_vsm_source source,
			     const struct drm_vsm_insn *insn, const struct vsm_report *report,
			     struct vsm_wakes *wakes);

#endif
