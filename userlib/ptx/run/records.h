/* SPDX-License-Identifier: MIT */
/*
 * What a worker reads from the device: the records of waits that have ended.
 */
#ifndef _PTX_RUN_RECORDS_H_
#define _PTX_RUN_RECORDS_H_

#include "run/state.h"

/* Resumes the groups whose waits have ended. Does not block. Returns false on an error. */
bool ptx_records_read(struct ptx_worker *worker);
/* The same, but sleeps until a wait ends, something is reported, or the launch shall stop. */
bool ptx_records_wait(struct ptx_worker *worker);
/*
 * Arms the waits that have been collected, and resumes groups whose waits have ended. Returns false
 * on an error.
 */
bool ptx_worker_look(struct ptx_worker *worker);

#endif
