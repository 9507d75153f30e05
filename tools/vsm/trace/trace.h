/* SPDX-License-Identifier: MIT */
/*
 * A trace: events of the device, and what is needed to name what they are about. It keeps its parts
 * in order, and says in words what an event says.
 */
#ifndef _TRACE_H_
#define _TRACE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <vsm.h>
#include <vsm_trace.h>

/* --- a trace -------------------------------------------------------------- */

/* A file may have this number of sites, of names and of clusters. */
#define TRACE_MAX_PARTS 65536

/* A cluster that events are about */
struct trace_cluster {
	uint32_t number;	/* number of the cluster on the device */
	uint32_t ctas;
	uint32_t threads;	/* threads of each CTA */
	uint32_t layout;	/* enum vsm_layout */
	uint32_t policy;	/* enum drm_vsm_policy */
};

/* A place in a program */
struct trace_site {
	uint32_t site;	/* drm_vsm_trace_event.site; never 0 */
	char *text;	/* the place, such as "pipeline.cu:37, pipeline.ptx:112" */
	/* The instruction there, such as "mbarrier.try_wait.parity.shared::cta.b64"; or "" */
	char *insn;
};

/* Name of a range of shared memory */
struct trace_name {
	uint32_t cluster;	/* number of the cluster; 0 for all clusters of the trace */
	uint32_t offset;	/* where it begins in the window of each CTA */
	uint32_t size;		/* bytes */
	uint32_t stride;	/* bytes of an element, if it is an array; else 0 */
	char *text;		/* the name, such as "full" */
};

/* A trace */
struct trace {
	char *title;				/* what was recorded, such as a command line */
	struct drm_vsm_trace_event *events;	/* events, in the order of their times */
	size_t count;				/* number of @events */
	uint64_t lost;	/* number of events that were overwritten before they were read */
	struct trace_cluster *clusters;	/* clusters that are known, in the order of their numbers */
	size_t cluster_count;			/* number of @clusters */
	struct trace_site *sites;		/* places, in the order of their numbers */
	size_t site_count;			/* number of @sites */
	struct trace_name *names;		/* names of shared memory */
	size_t name_count;			/* number of @names */
	/* What was found in the end, such as the report of a hang, in lines; or "" */
	char *note;
};

void trace_init(struct trace *trace, const char *title);
void trace_free(struct trace *trace);
/*
 * These functions copy what they add. They return 0 or -ENOMEM. Of two clusters, or two sites, with
 * the same number, the trace keeps the first.
 */
int trace_add_events(struct trace *trace, const struct drm_vsm_trace_event *events, size_t count);
int trace_add_cluster(struct trace *trace, const struct trace_cluster *cluster);
int trace_add_site(struct trace *trace, uint32_t site, const char *text, const char *insn);
int trace_add_name(struct trace *trace, const struct trace_name *name);
int trace_set_note(struct trace *trace, const char *note);
/* Puts the events into the order of their times. Call it after the last event has been added. */
void trace_sort(struct trace *trace);

/* Returns a cluster, or NULL. */
const struct trace_cluster *trace_find_cluster(const struct trace *trace, uint32_t number);
/* Returns the text of a site, or NULL. */
const struct trace_site *trace_find_site(const struct trace *trace, uint32_t site);
/* Writes "full[1]" or "0x1040" for an address in the window of a CTA. */
void trace_print_address(FILE *out, const struct trace *trace, uint32_t cluster, uint32_t addr);

/* --- one event in words --------------------------------------------------- */

/* Types and operations that are not in the lists have the numbers up to these. */
#define EVENT_TYPES (DRM_VSM_TRACE_CLUSTER_CREATE + 1)
#define EVENT_OPS (DRM_VSM_OP_FENCE + 1)

/* Name of a type in the text form, such as "copy_issue"; NULL if there is none. */
const char *event_type_name(unsigned int type);
/* Name of an operation in the text form, such as "mbarrier_arrive"; NULL if there is none. */
const char *event_op_name(unsigned int op);

/* Writes the operation as PTX does, with few qualifiers: "mbarrier.arrive.expect_tx". */
void event_print_op(FILE *out, const struct drm_vsm_trace_event *event);
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
