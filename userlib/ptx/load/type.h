/* SPDX-License-Identifier: MIT */
/*
 * Fundamental types and state spaces of PTX (PTX ISA, sections 5.1 and 5.2).
 */
#ifndef _PTX_LOAD_TYPE_H_
#define _PTX_LOAD_TYPE_H_

#include <stdbool.h>
#include <stdint.h>

/** enum ptx_type - Fundamental types, and the packed types of two elements */
enum ptx_type {
	TYPE_NONE,
	TYPE_PRED,
	TYPE_B8,
	TYPE_B16,
	TYPE_B32,
	TYPE_B64,
	TYPE_B128,
	TYPE_U8,
	TYPE_U16,
	TYPE_U32,
	TYPE_U64,
	TYPE_S8,
	TYPE_S16,
	TYPE_S32,
	TYPE_S64,
	TYPE_F16,
	TYPE_F16X2,
	TYPE_BF16,
	TYPE_BF16X2,
	TYPE_TF32,
	TYPE_F32,
	TYPE_F64,
	TYPES,
};

/** enum ptx_space - State spaces */
enum ptx_space {
	SPACE_GENERIC,
	SPACE_REG,
	SPACE_GLOBAL,
	SPACE_SHARED,		/* .shared and .shared::cta */
	SPACE_SHARED_CLUSTER,
	SPACE_LOCAL,
	SPACE_CONST,
	SPACE_PARAM,		/* .param, .param::entry and .param::func */
};

/* Bytes of a value of the type in memory; 0 for TYPE_NONE and TYPE_PRED. */
unsigned int ptx_type_size(enum ptx_type type);
bool ptx_type_is_signed(enum ptx_type type);
bool ptx_type_is_float(enum ptx_type type);
/* The type that PTX writes as .@name; TYPE_NONE if there is none. */
enum ptx_type ptx_type_named(const char *name, unsigned int length);
/* The name without its dot. */
const char *ptx_type_name(enum ptx_type type);

#endif
