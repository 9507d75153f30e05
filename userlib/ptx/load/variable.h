/* SPDX-License-Identifier: MIT */
/*
 * Variables and registers: their declarations (PTX ISA, section 5.4) and initialisers, and the
 * directives that may stand in a module and in a function.
 */
#ifndef _LOAD_VARIABLE_H_
#define _LOAD_VARIABLE_H_

#include "load/parser.h"

/* --- directives ----------------------------------------------------------- */

/** enum ptx_linkage - Linkage of a symbol */
enum ptx_linkage {
	LINKAGE_NONE,
	LINKAGE_EXTERN,
	LINKAGE_VISIBLE,
	LINKAGE_WEAK,
	LINKAGE_COMMON,
};

/* Reads .loc, .file, .pragma or .section. Returns false if the token is none of these. */
bool ptx_common_directive(struct ptx_parser *p, bool *ok);
/* Reads .visible and the like, if the token is one. */
enum ptx_linkage ptx_linkage(struct ptx_parser *p);
/* Skips what stands in parentheses, behind .attribute. */
bool ptx_skip_parentheses(struct ptx_parser *p);
/* Reports that the token is no directive, or one that cannot stand here. Returns false. */
bool ptx_unknown_directive(struct ptx_parser *p, const char *where);

/* --- declarations --------------------------------------------------------- */

/* What stands before the names in a declaration */
struct ptx_declaration {
	enum ptx_linkage linkage;
	enum ptx_space space;	/* state space */
	enum ptx_type type;
	unsigned int vector;	/* number of components; 1 for a scalar */
	uint32_t align;		/* .align, or 0 */
	bool pointer;		/* .ptr was given */
	bool opaque;		/* .texref, .samplerref or .surfref */
	uint32_t pointee_align;	/* .align behind .ptr */
};

/* The state space that a directive such as .global names; SPACE_GENERIC if it names none. */
enum ptx_space ptx_space_named(const struct ptx_token *token);
/* Reads what stands between the state space and the names. */
bool ptx_declaration(struct ptx_parser *p, struct ptx_declaration *declaration);
/*
 * Reads the dimensions behind a name and sets size and alignment. @dims and @dim_count get the
 * dimensions, those of a vector included; the first is 0 if it is not given.
 */
bool ptx_variable_shape(struct ptx_parser *p, const struct ptx_declaration *declaration,
			struct ptx_variable *var, uint64_t *dims, unsigned int *dim_count);
/* Reads the declaration of variables. The token is the state space. */
bool ptx_variables(struct ptx_parser *p, enum ptx_linkage linkage);
/* Reads the declaration of registers. The token is .reg. */
bool ptx_registers(struct ptx_parser *p);
/* Adds a register, @width of them for a vector, and returns the index of the first; or -1. */
int32_t ptx_register_add(struct ptx_parser *p, const char *name, enum ptx_type type,
			 unsigned int width);

#endif
