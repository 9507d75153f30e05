/* SPDX-License-Identifier: MIT */
/*
 * The table of features, in the order of enum drm_vsm_feature, which says what each one is. Define
 * VSM_FEATURE(NAME, name) before you include this file; name is what the tools and configfs call
 * DRM_VSM_FEATURE_NAME. The file is not installed.
 */
VSM_FEATURE(MBARRIER, "mbarrier")
VSM_FEATURE(WAITSET, "waitset")
VSM_FEATURE(BULK_COPY, "bulk-copy")
VSM_FEATURE(CP_ASYNC, "cp-async")
VSM_FEATURE(FAULTS, "faults")
VSM_FEATURE(COPY, "copy")
VSM_FEATURE(CHANNELS, "channels")
VSM_FEATURE(RENDEZVOUS, "rendezvous")
VSM_FEATURE(RULES, "rules")
VSM_FEATURE(FENCE, "fence")
VSM_FEATURE(LANES, "lanes")
VSM_FEATURE(DRAIN, "drain")
VSM_FEATURE(STATE, "state")
VSM_FEATURE(TRACE, "trace")
VSM_FEATURE(INJECT, "inject")
VSM_FEATURE(RESET, "reset")
VSM_FEATURE(HOLD, "hold")
VSM_FEATURE(PRIORITY, "priority")
VSM_FEATURE(GROUP, "group")
#undef VSM_FEATURE
