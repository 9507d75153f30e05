/* SPDX-License-Identifier: MIT */
/*
 * One event: the names of its fields, and what it says in words.
 */
#ifndef _TRACE_EVENT_H_
#define _TRACE_EVENT_H_

#include <vsm.h>

#include "trace/trace.h"

/* Types and operations that are not in the lists have the numbers up to these. */
#define EVENT_TYPES (DRM_VSM_TRACE_CLUSTER_CREATE + 1)
#define EVENT_OPS (DRM_VSM_OP_FENCE + 1)

/* Name of a type in the text form, such as "copy_issue"; NULL if there is none. */
const char *event_type_name(unsigned int type);
/* Name of an operation in the text form, such as "mbarrier_arrive"; NULL if there is none. */
const char *event_op_name(unsigned int op);

/* Writes the operation as PTX does, with few qualifiers: "mbarrier.arrive.expect_tx". */
void event_print_op(FILE *out, const struct drm_vsm_trace_event *event);
/* Writes lanes: "lane 3", "lanes 0-15", "lanes 0xa". */
void event_print_lanes(FILE *out, uint32_t lanes);
/* Writes an address, and its CTA if that is not @cta: "full[1]", "full[1] of CTA 2". */
void event_print_address(FILE *out, const struct trace *trace,
			 const struct drm_vsm_trace_event *event, uint32_t addr, uint32_t cta);
/* Writes what the event says, on one line without a newline. */
void event_print(FILE *out, const struct trace *trace, const struct drm_vsm_trace_event *event);
/* Writes details of the event as lines "NAME: VALUE". */
void event_print_details(FILE *out, const struct trace *trace,
			 const struct drm_vsm_trace_event *event);

/* Name of the error of an event, such as "EPROTO". */
const char *event_error_name(int32_t error);

/* Is the operation one of an mbarrier, with its address in &drm_vsm_trace_event.addr? */
bool event_op_has_mbarrier(unsigned int op);
/* Does the operation work on a named barrier, with its number in &drm_vsm_trace_event.addr? */
bool event_op_has_barrier(unsigned int op);
/* Is @addr the address of an mbarrier? The event may be of any type. */
bool event_has_mbarrier(const struct drm_vsm_trace_event *event, uint32_t *addr);
/* Layout of the words of a cluster; sm_90 if the trace does not have the cluster. */
enum vsm_layout event_layout(const struct trace *trace, uint32_t cluster);

#endif
