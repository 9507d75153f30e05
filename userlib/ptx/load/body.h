/* SPDX-License-Identifier: MIT */
/*
 * Bodies of functions.
 */
#ifndef _PTX_LOAD_BODY_H_
#define _PTX_LOAD_BODY_H_

#include "load/state.h"

/* Reads the body of a function behind its brace, up to and with the closing brace. */
bool ptx_body(struct ptx_parser *p, struct ptx_function *function);

#endif
