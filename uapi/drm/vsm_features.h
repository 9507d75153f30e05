/* SPDX-License-Identifier: MIT */
/*
 * The table of features, in the order of enum drm_vsm_feature, which says what each one is. Define
 * VSM_FEATURE(NAME, name, since) before you include this file; name is what the tools and configfs
 * call DRM_VSM_FEATURE_NAME, and since is the first minor version of the ABI that has the feature.
 * The file is not installed.
 */
VSM_FEATURE(MBARRIER, "mbarrier", 1)
VSM_FEATURE(WAITSET, "waitset", 1)
VSM_FEATURE(BULK_COPY, "bulk-copy", 1)
VSM_FEATURE(CP_ASYNC, "cp-async", 2)
VSM_FEATURE(FAULTS, "faults", 2)
VSM_FEATURE(COPY, "copy", 3)
VSM_FEATURE(CHANNELS, "channels", 3)
VSM_FEATURE(RENDEZVOUS, "rendezvous", 4)
VSM_FEATURE(RULES, "rules", 5)
VSM_FEATURE(FENCE, "fence", 5)
VSM_FEATURE(LANES, "lanes", 6)
VSM_FEATURE(DRAIN, "drain", 6)
VSM_FEATURE(STATE, "state", 7)
VSM_FEATURE(TRACE, "trace", 7)
VSM_FEATURE(INJECT, "inject", 8)
VSM_FEATURE(RESET, "reset", 8)
VSM_FEATURE(HOLD, "hold", 8)
VSM_FEATURE(PRIORITY, "priority", 8)
VSM_FEATURE(GROUP, "group", 9)
#undef VSM_FEATURE
