/* SPDX-License-Identifier: MIT */
/*
 * Functions and kernels.
 */
#ifndef _PTX_LOAD_FUNCTION_H_
#define _PTX_LOAD_FUNCTION_H_

#include "load/state.h"

/* Reads a function or kernel. The token is .func or .entry. */
bool ptx_function(struct ptx_parser *p);

#endif
