/* SPDX-License-Identifier: MIT */
/* The order of the modifiers of an opcode. */
#ifndef _LOAD_ORDER_H_
#define _LOAD_ORDER_H_

#include "load/module.h"

/*
 * Brings the modifiers of an opcode into the order of the PTX ISA. Returns whether any part has a
 * new place. &ptx_insn.opcode stays as it is.
 */
bool ptx_order_parts(struct ptx_insn *insn);

#endif
