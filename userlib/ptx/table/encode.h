/* SPDX-License-Identifier: MIT */
/*
 * What the operands of an instruction are, and where the device's instruction has them.
 */
#ifndef _PTX_TABLE_ENCODE_H_
#define _PTX_TABLE_ENCODE_H_

#include <stdbool.h>

#include "table/opcode.h"

/**
 * struct ptx_field - A field of &struct drm_vsm_insn
 * @offset: Offset of the field in bytes
 * @size: Size of the field in bytes; 0 if the operation has no field for the operand
 */
struct ptx_field {
	uint8_t offset;
	uint8_t size;
};

/* The traits of an &enum drm_vsm_op: a mask of VSM_OP_ASYNC and the like (vsm_ops.h). */
uint32_t ptx_op_traits(unsigned int op);
/* Does the operation, an &enum drm_vsm_op, take the operands of st.async? */
bool ptx_op_stores(unsigned int op);

/*
 * Returns the name of the qualifier that requires an operand with this role; NULL if there is none.
 * Sets @given to true if the opcode has the qualifier.
 */
const char *ptx_required_by(const struct ptx_opcode *opcode, uint8_t role, bool *given);

/*
 * Finds the roles of @count operands. They depend on the qualifiers and, if an operand is optional,
 * on @count. Returns 0, the number of operands that are too many, or the negative number of those
 * that are missing. The first missing one has the role @assigned[@count].
 */
int ptx_assign_roles(const struct ptx_opcode *opcode, unsigned int count,
		     uint8_t assigned[PTX_OPERANDS]);

/* Returns the mask of the &enum drm_vsm_mod that the opcode sets. */
uint16_t ptx_opcode_mods(const struct ptx_opcode *opcode);
/* Returns the &enum drm_vsm_mod that says that an operand has this role; 0 if there is none. */
uint16_t ptx_role_mod(unsigned int op, uint8_t role);

/* Sets what the opcode says: all fields of @insn except the operands and the modifiers. */
void ptx_encode_opcode(const struct ptx_opcode *opcode, struct drm_vsm_insn *insn);
/* Returns the field of the operand. The elements of a vector are in it one behind the other. */
struct ptx_field ptx_field_of(unsigned int op, uint8_t role);

#endif
