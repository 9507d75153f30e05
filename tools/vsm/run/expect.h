/* SPDX-License-Identifier: MIT */
/*
 * Checks expectations. The message of a failure has the expected value and the value that was
 * found.
 */
#ifndef _RUN_EXPECT_H_
#define _RUN_EXPECT_H_

#include "run/state.h"

bool expect(struct state *st, const struct statement *s);

#endif
