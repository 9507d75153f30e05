/* SPDX-License-Identifier: MIT */
/*
 * Threads for which others wait.
 */
#ifndef _PTX_RUN_MISSING_H_
#define _PTX_RUN_MISSING_H_

#include "run/stop.h"

/* Finds what the threads of a stop wait for, and who is missing. */
void ptx_missing_find(struct ptx_hang *hang, struct ptx_stop *stop);

#endif
