/* SPDX-License-Identifier: MIT */
/*
 * Parses expectations.
 */
#ifndef _SCENARIO_EXPECT_H_
#define _SCENARIO_EXPECT_H_

#include "scenario/parser.h"

/* Parses an expect statement behind its first word. */
bool parse_expect(struct parser *p, struct cursor *c);

#endif
