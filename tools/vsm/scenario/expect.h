/* SPDX-License-Identifier: MIT */
/*
 * Parses expectations.
 */
#ifndef _SCENARIO_EXPECT_H_
#define _SCENARIO_EXPECT_H_

#include "scenario/parser.h"

/* The rest of an expect statement. */
bool parse_expect(struct parser *p, struct cursor *c);

#endif
