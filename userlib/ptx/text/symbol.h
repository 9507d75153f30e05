/* SPDX-License-Identifier: MIT */
/*
 * Finds the name that a variable has in the source.
 */
#ifndef _PTX_TEXT_SYMBOL_H_
#define _PTX_TEXT_SYMBOL_H_

#include "text/lex.h"

/* The part of a name in PTX that is the name in the source. */
struct span symbol_name(const char *symbol);

#endif
