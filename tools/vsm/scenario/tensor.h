/* SPDX-License-Identifier: MIT */
/*
 * Parses tensor maps.
 */
#ifndef _SCENARIO_TENSOR_H_
#define _SCENARIO_TENSOR_H_

#include "scenario/parser.h"

/* Parses "tensormap NAME BUFFER[+OFFSET] KEY=VALUE..." behind the first word. */
bool parse_tensormap(struct parser *p, struct cursor *c);

#endif
