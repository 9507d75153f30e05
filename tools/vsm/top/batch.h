/* SPDX-License-Identifier: MIT */
/*
 * What vsm top writes without a terminal.
 */
#ifndef _TOP_BATCH_H_
#define _TOP_BATCH_H_

#include <stdio.h>

#include "top/model.h"

/*
 * Writes what could not be read, and "1 device, 2 clients, 3 clusters (1 stuck), 40 waiting", which
 * are threads. Has no end of line.
 */
void batch_summary(FILE *out, const struct model *model);
/* Writes all tables as text. @when: date and time. */
void batch_text(FILE *out, const struct model *model, const char *when);
/* Writes everything as a JSON object on one line. */
void batch_json(FILE *out, const struct model *model, const char *when);

#endif
