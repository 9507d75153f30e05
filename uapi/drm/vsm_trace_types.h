/* SPDX-License-Identifier: MIT */
/*
 * The table of events, in the order of enum drm_vsm_trace. Code that needs a list of all events
 * includes this file. The file is not installed.
 *
 * Define VSM_TRACE(NAME, name) before you include this file:
 *
 *	NAME	end of DRM_VSM_TRACE_NAME
 *	name	the same in lower case; the tracepoint is vsm:vsm_name
 */
VSM_TRACE(INSN, insn)
VSM_TRACE(PHASE, phase)
VSM_TRACE(SUSPEND, suspend)
VSM_TRACE(RESUME, resume)
VSM_TRACE(WAIT_ARM, wait_arm)
VSM_TRACE(WAIT_END, wait_end)
VSM_TRACE(ARRIVE, arrive)
VSM_TRACE(RELEASE, release)
VSM_TRACE(COPY_ISSUE, copy_issue)
VSM_TRACE(COPY_BEGIN, copy_begin)
VSM_TRACE(COPY_DELIVER, copy_deliver)
VSM_TRACE(COPY_END, copy_end)
VSM_TRACE(COMMIT, commit)
VSM_TRACE(JOB_QUEUE, job_queue)
VSM_TRACE(JOB_BEGIN, job_begin)
VSM_TRACE(JOB_END, job_end)
VSM_TRACE(CHANNEL_RESET, channel_reset)
VSM_TRACE(CLUSTER_LOST, cluster_lost)
VSM_TRACE(DEVICE_LOST, device_lost)
VSM_TRACE(FAULT, fault)
VSM_TRACE(CLUSTER_CREATE, cluster_create)
#undef VSM_TRACE
