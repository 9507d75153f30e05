/* SPDX-License-Identifier: MIT */
/*
 * Initialisers of variables.
 */
#ifndef _PTX_LOAD_INIT_H_
#define _PTX_LOAD_INIT_H_

#include "load/state.h"

/* Reads the initialiser of a variable, behind the =. */
bool ptx_init(struct ptx_parser *p, struct ptx_variable *var, const uint64_t *dims,
	      unsigned int dim_count);

#endif
