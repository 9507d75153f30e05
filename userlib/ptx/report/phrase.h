/* SPDX-License-Identifier: MIT */
/*
 * Parts of sentences about threads that wait. The reports of kernels and "vsm ps" have them in
 * common.
 */
#ifndef _PTX_REPORT_PHRASE_H_
#define _PTX_REPORT_PHRASE_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "vsm.h"

#define PHRASE_WARPS 32

/* The number of announced bytes is not known. */
#define PHRASE_UNKNOWN UINT64_MAX

/* Writes "3 arrivals": the number, and the noun with an s if it is not 1. */
void ptx_phrase_count(FILE *out, uint64_t count, const char *noun);

/*
 * Writes "lane 3 of warp 1" or "warps 0 to 2". @lanes has the lanes of each warp that are named,
 * and @all the lanes that each warp has. Returns true if the text names one warp or one lane.
 */
bool ptx_phrase_threads(FILE *out, const uint32_t lanes[PHRASE_WARPS],
			const uint32_t all[PHRASE_WARPS]);

/*
 * Writes what a phase lacks: "1 arrival of 2 is missing; 16 bytes of 32 announced are missing".
 * @announced: The bytes that were announced for the phase, or %PHRASE_UNKNOWN
 */
void ptx_phrase_lack(FILE *out, const struct vsm_mbarrier_fields *fields, uint64_t expected,
		     uint64_t announced);

/* Writes "word 0x...: phase parity 0, pending 1, expected 2, tx-count 0". */
void ptx_phrase_word(FILE *out, uint64_t word, const struct vsm_mbarrier_fields *fields);

/* Writes "barrier 3, which needs 96 threads". */
void ptx_phrase_barrier(FILE *out, uint32_t number, uint32_t needs);

/* Writes "64 threads have arrived, 32 are missing". */
void ptx_phrase_arrived(FILE *out, uint32_t arrived, uint32_t needs);

#endif
