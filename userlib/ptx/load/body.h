/* SPDX-License-Identifier: MIT */
/*
 * Functions: heads, parameters and performance directives (PTX ISA, sections 11.2 to 11.4), scopes,
 * labels, declarations and instructions.
 */
#ifndef _LOAD_BODY_H_
#define _LOAD_BODY_H_

#include "load/parser.h"

/* --- heads ---------------------------------------------------------------- */

/*
 * Reads from the return parameters to the performance directives. *@word is the name of the
 * function.
 */
bool ptx_head(struct ptx_parser *p, struct ptx_function *function, struct ptx_word **word);
/* Do parameters and results agree? */
bool ptx_function_agrees(const struct ptx_function *a, const struct ptx_function *b);

/* --- bodies --------------------------------------------------------------- */

/* Reads the body of a function behind its brace, up to and with the closing brace. */
bool ptx_body(struct ptx_parser *p, struct ptx_function *function);

#endif
