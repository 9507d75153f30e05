/* SPDX-License-Identifier: MIT */
/*
 * The table of faults, in the order of their codes (enum drm_vsm_fault). There is no other list of
 * them except that enumeration. Code that needs a list of all faults includes this file. The file
 * is not installed.
 *
 * Define VSM_FAULT(NAME, name, enforced) before you include this file:
 *
 *	NAME		end of DRM_VSM_FAULT_NAME
 *	name		the same in lower case
 *	enforced	ALWAYS		the rule is always enforced: a cluster cannot only report it
 *			REPORTABLE	the rule is enforced, if the policy checks it, unless it is
 *					in &drm_vsm_cluster_create.report. The kernel can execute an
 *					instruction that breaks it, and stays safe
 *			ON_REQUEST	the rule, or the strict form of it that PTX has, is enforced
 *					only if it is in &drm_vsm_cluster_create.enforce. It can be
 *					in &drm_vsm_cluster_create.report, too
 */
VSM_FAULT(MISALIGNED, misaligned, ALWAYS)
VSM_FAULT(OUT_OF_WINDOW, out_of_window, ALWAYS)
VSM_FAULT(NOT_AN_MBARRIER, not_an_mbarrier, ALWAYS)
VSM_FAULT(INIT_OVER_LIVE, init_over_live, REPORTABLE)
VSM_FAULT(BAD_COUNT, bad_count, REPORTABLE)
VSM_FAULT(INVAL_IN_USE, inval_in_use, REPORTABLE)
VSM_FAULT(ARRIVAL_OVERFLOW, arrival_overflow, REPORTABLE)
VSM_FAULT(NOCOMPLETE_COMPLETES, nocomplete_completes, REPORTABLE)
VSM_FAULT(DROP_TO_ZERO, drop_to_zero, REPORTABLE)
VSM_FAULT(TX_RANGE, tx_range, REPORTABLE)
VSM_FAULT(TX_OVERDELIVERY, tx_overdelivery, REPORTABLE)
VSM_FAULT(REMOTE_FORBIDDEN, remote_forbidden, ALWAYS)
VSM_FAULT(BAD_ORDER, bad_order, ALWAYS)
VSM_FAULT(POISONED, poisoned, ALWAYS)
VSM_FAULT(PHASE_UNOBSERVED, phase_unobserved, ON_REQUEST)
VSM_FAULT(STALE_TOKEN, stale_token, REPORTABLE)
VSM_FAULT(NOT_A_PENDING_TOKEN, not_a_pending_token, REPORTABLE)
VSM_FAULT(INIT_NOT_FENCED, init_not_fenced, REPORTABLE)
VSM_FAULT(WRITE_OVER_LIVE, write_over_live, REPORTABLE)
VSM_FAULT(LATE_COMPLETION, late_completion, REPORTABLE)
VSM_FAULT(DEADLOCK, deadlock, ALWAYS)
VSM_FAULT(PENDING_RANGE, pending_range, REPORTABLE)
VSM_FAULT(BAD_PARITY, bad_parity, REPORTABLE)
VSM_FAULT(READ_OVER_LIVE, read_over_live, REPORTABLE)
VSM_FAULT(PLAIN_ACCESS, plain_access, ALWAYS)
VSM_FAULT(COPY_SIZE, copy_size, ALWAYS)
VSM_FAULT(COPY_BOUNDS, copy_bounds, ALWAYS)
VSM_FAULT(COPY_MBARRIER, copy_mbarrier, ALWAYS)
VSM_FAULT(COPY_OVERLAP, copy_overlap, REPORTABLE)
VSM_FAULT(COPY_INCOMPLETE, copy_incomplete, REPORTABLE)
VSM_FAULT(TENSOR_MAP, tensor_map, ALWAYS)
VSM_FAULT(NOT_IN_MASK, not_in_mask, ALWAYS)
VSM_FAULT(WARP_MISMATCH, warp_mismatch, ALWAYS)
VSM_FAULT(SHFL_SOURCE, shfl_source, ON_REQUEST)
VSM_FAULT(PARTIAL_WARP, partial_warp, ALWAYS)
VSM_FAULT(BARRIER_ID, barrier_id, ALWAYS)
VSM_FAULT(BARRIER_COUNT, barrier_count, ALWAYS)
VSM_FAULT(BARRIER_MISMATCH, barrier_mismatch, ALWAYS)
VSM_FAULT(BARRIER_OVERFLOW, barrier_overflow, ON_REQUEST)
VSM_FAULT(BARRIER_MIXED, barrier_mixed, ALWAYS)
VSM_FAULT(CLUSTER_ARRIVED, cluster_arrived, REPORTABLE)
VSM_FAULT(CLUSTER_NOT_ARRIVED, cluster_not_arrived, REPORTABLE)
VSM_FAULT(THREAD_EXITED, thread_exited, ALWAYS)
VSM_FAULT(THREAD_SUSPENDED, thread_suspended, ALWAYS)

#undef VSM_FAULT
