/* SPDX-License-Identifier: MIT */
/*
 * The names of what CLUSTER_STATE lists: a table of enum drm_vsm_state, and one of enum
 * drm_vsm_state_entry_flags in the order of the bits. Code that needs such a list includes this
 * file. The file is not installed.
 *
 * Define one of these two before you include this file:
 *
 *	VSM_STATE(NAME, name)		DRM_VSM_STATE_NAME is a kind of entry
 *	VSM_STATE_FLAG(NAME, name)	DRM_VSM_STATE_NAME is a flag of an entry
 */
#ifndef VSM_STATE
#define VSM_STATE(NAME, name)
#endif
#ifndef VSM_STATE_FLAG
#define VSM_STATE_FLAG(NAME, name)
#endif
VSM_STATE(PHASE, "phase")
VSM_STATE(RENDEZVOUS, "rendezvous")
VSM_STATE(BARRIER, "barrier")
VSM_STATE(CLUSTER_BARRIER, "cluster-barrier")
VSM_STATE(CLUSTER_ARRIVED, "cluster-arrived")
VSM_STATE(EXITED, "exited")
VSM_STATE(GROUPS, "groups")
VSM_STATE(OPERATION, "operation")
VSM_STATE(JOB, "job")
VSM_STATE_FLAG(SUSPENDED, "suspended")
VSM_STATE_FLAG(ARMED, "armed")
VSM_STATE_FLAG(NO_LIMIT, "no-limit")
VSM_STATE_FLAG(LEFT, "left")
VSM_STATE_FLAG(ACROSS, "across")
VSM_STATE_FLAG(COMPLETE, "complete")
VSM_STATE_FLAG(HELD, "held")
VSM_STATE_FLAG(RUNNING, "running")
#undef VSM_STATE
#undef VSM_STATE_FLAG
