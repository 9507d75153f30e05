/* SPDX-License-Identifier: MIT */
/* Parts of reports of faults and hangs. */
#ifndef _REPORT_PARTS_H_
#define _REPORT_PARTS_H_

#include <stdio.h>

#include "run/hang.h"
#include "vsm_syntax.h"

/*
 * Writes "SOURCE:LINE, FILE.ptx:LINE: opcode" of a step, and ends the line. If the step belongs to
 * an inlined function, SOURCE:LINE is the outermost call, and a line with the inner ones follows.
 */
void ptx_report_place(FILE *out, const struct vsm_ptx_launch *launch, int64_t step);
/*
 * Writes "SOURCE:LINE, PTX line LINE" of a step, or "PTX line LINE (OPCODE)". In an inlined
 * function: "SOURCE:LINE (inlined FILE:LINE), PTX line LINE".
 */
void ptx_report_line(FILE *out, const struct vsm_ptx_launch *launch, int64_t step);
/*
 * Writes "warps 1 to 3 of CTA (0,0,0)" or "lane 0 of warp 2 of CTA (0,0,0)". Returns whether that
 * is one warp or one lane: a verb behind it then has an s.
 */
bool ptx_report_threads(FILE *out, const struct ptx_cluster *cluster, uint32_t rank,
			const uint32_t lanes[PTX_LANES]);
/* The same for lanes of one warp. */
bool ptx_report_lanes(FILE *out, const struct ptx_cluster *cluster, uint32_t rank, uint32_t warp,
		      uint32_t lanes);
/*
 * Writes where a generic address is, in brackets: " (flags+4)", " (words+8 in CTA (0,0,0))" or
 * " (local memory)". Writes nothing if it is in memory without a name.
 */
void ptx_report_memory(FILE *out, const struct ptx_cluster *cluster, uint64_t address);

/*
 * Writes where lanes of a warp have exited: "has exited at ..., after the branch at ...".
 * @one: What is written before is one warp or one lane
 */
void ptx_report_exit(FILE *out, const struct ptx_cluster *cluster, uint32_t rank, uint32_t warp,
		     bool one);
/* Have two warps of a CTA exited at the same place, after the same branch? */
bool ptx_report_exit_is_alike(const struct ptx_cluster *cluster, uint32_t rank, uint32_t x,
			      uint32_t y);
/*
 * Writes where the threads of a CTA have exited: lines "warp 1 of CTA ... has exited at ...", which
 * begin with @before.
 */
void ptx_report_gone(FILE *out, const struct ptx_cluster *cluster, uint32_t rank,
		     const char *before);
/*
 * Writes what threads have done: the kinds of notes in the mask @kinds. A line is
 * "    arrived: 1 arrival of lane 0 of warp 2 of CTA (0,0,0) at ...".
 */
void ptx_report_notes(FILE *out, const struct ptx_cluster *cluster, const struct ptx_phase *phase,
		      unsigned int kinds);
/* Writes who has initialised the mbarrier, and where. */
void ptx_report_init(FILE *out, const struct ptx_cluster *cluster,
		     const struct ptx_object *object);
/* Writes "phase 3 of full[1] in CTA (0,0,0)". */
void ptx_report_phase(FILE *out, const struct ptx_cluster *cluster, uint32_t address,
		      const struct ptx_phase *phase);

/* Writes who waits where, and what for. */
void ptx_report_hang(FILE *out, struct vsm_ptx_launch *launch);
/* Writes what the history knows about a fault: nothing for most that the device has not found. */
void ptx_report_context(FILE *out, const struct vsm_ptx_launch *launch);

#endif
