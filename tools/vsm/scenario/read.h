/* SPDX-License-Identifier: MIT */
/*
 * Reads a scenario: parses the whole file before anything runs.
 */
#ifndef _SCENARIO_READ_H_
#define _SCENARIO_READ_H_

#include "scenario/scenario.h"

/* Look at @error_count of the result. @path must stay valid. */
struct scenario *scenario_read(const char *path);

#endif
