/* SPDX-License-Identifier: MIT */
/*
 * Checks expectations. A failure says what was expected and what was seen.
 */
#ifndef _RUN_EXPECT_H_
#define _RUN_EXPECT_H_

#include "run/state.h"

bool expect(struct state *st, const struct statement *s);

#endif
