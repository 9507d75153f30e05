/* SPDX-License-Identifier: MIT */
/*
 * Reports of faults and hangs.
 */
#ifndef _PTX_REPORT_REPORT_H_
#define _PTX_REPORT_REPORT_H_

#include <stdio.h>

#include "run/warp.h"

/* Writes "SOURCE:LINE, FILE.ptx:LINE: opcode" of a step. */
void ptx_report_place(FILE *out, const struct vsm_ptx_launch *launch, int64_t step);
/* Writes who waits where, and what for. */
void ptx_report_hang(FILE *out, const struct vsm_ptx_launch *launch);

#endif
