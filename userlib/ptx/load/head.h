/* SPDX-License-Identifier: MIT */
/*
 * Heads of functions and kernels.
 */
#ifndef _PTX_LOAD_HEAD_H_
#define _PTX_LOAD_HEAD_H_

#include "load/state.h"

/*
 * Reads from the return parameters to the performance directives. *@word is the name of the
 * function.
 */
bool ptx_head(struct ptx_parser *p, struct ptx_function *function, struct ptx_word **word);
/* Reads what follows .callprototype. The result has the name and place of the label. */
struct ptx_function *ptx_prototype(struct ptx_parser *p, const char *name,
				   const struct ptx_token *place);
/* Do parameters and results agree? */
bool ptx_function_agrees(const struct ptx_function *a, const struct ptx_function *b);

#endif
