/* SPDX-License-Identifier: MIT */
/* Reads results that were written as JSON. */
#ifndef _RESULTS_READ_H_
#define _RESULTS_READ_H_

#include "results/results.h"

/*
 * Reads the document at @path into @results, which the caller frees. Sets @hash to the hash of its
 * bytes. Returns NULL, or what is wrong with the document.
 */
const char *results_read(struct results *results, const char *path, uint64_t *hash);

#endif
