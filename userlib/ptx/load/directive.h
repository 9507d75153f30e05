/* SPDX-License-Identifier: MIT */
/*
 * Directives that may stand in a module and in a function, and unknown ones.
 */
#ifndef _PTX_LOAD_DIRECTIVE_H_
#define _PTX_LOAD_DIRECTIVE_H_

#include "load/state.h"

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
/* Skips braces and what is between them. The token is the opening one. */
bool ptx_skip_braces(struct ptx_parser *p);
/* Skips what stands in parentheses, behind .attribute. */
bool ptx_skip_parentheses(struct ptx_parser *p);
/* Reports that the token is no directive, or one that cannot stand here. Returns false. */
bool ptx_unknown_directive(struct ptx_parser *p, const char *where);

#endif
