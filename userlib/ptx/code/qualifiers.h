/* SPDX-License-Identifier: MIT */
/*
 * Qualifiers of ld, st, atom and red.
 */
#ifndef _PTX_CODE_QUALIFIERS_H_
#define _PTX_CODE_QUALIFIERS_H_

#include "code/build.h"

/**
 * struct ptx_parts - The parts of an opcode that are not read yet
 * @insn: The instruction
 * @at: First part that is not read
 * @has: Mask of the groups of which the opcode has a qualifier
 * @twice: The opcode has two qualifiers of a group
 * @is_volatile: The order is .volatile
 * @is_sys: The scope is .sys
 * @noftz: There is a .noftz
 */
struct ptx_parts {
	const struct ptx_insn *insn;
	unsigned int at;
	uint32_t has;
	bool twice;
	bool is_volatile;
	bool is_sys;
	bool noftz;
};

/* Takes the next part if it is @text. */
bool ptx_take_part(struct ptx_parts *parts, const char *text);
/* Takes the part if it is one of @names, a list that ends with NULL. Returns its index or -1. */
int ptx_take_one(struct ptx_parts *parts, const char *const *names);

/*
 * Takes .sem, .scope, .space, qualifiers of caches and .vec, in any order, as compilers differ in
 * it. libcu++ even writes them behind the operation: atom.add.acquire.cta.u32.
 */
void ptx_take_qualifiers(struct ptx_parts *parts, struct ptx_access *access);

/* Check that the qualifiers go together. They add an error if not. */
bool ptx_check_load_store(struct ptx_builder *b, const struct ptx_parts *parts, bool load,
			  const struct ptx_access *access);
/* @result: It is atom, not red. */
bool ptx_check_atom(struct ptx_builder *b, const struct ptx_parts *parts, bool result,
		    const struct ptx_access *access);
/* Checks that there are @count operands, and behind them the policy that .L2::cache_hint needs. */
bool ptx_check_count(struct ptx_builder *b, const struct ptx_parts *parts, unsigned int count);

#endif
