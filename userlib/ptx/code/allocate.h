/* SPDX-License-Identifier: MIT */
/* Assigns rows to registers. */
#ifndef _PTX_CODE_ALLOCATE_H_
#define _PTX_CODE_ALLOCATE_H_

#include "load/module.h"

/**
 * ptx_allocate - Assign rows to the registers of a function
 * @function: Function
 * @slots: For each register its row; for a predicate, its number among the predicates (out)
 * @rows: Number of rows (out)
 * @preds: Number of predicates (out)
 *
 * Compilers give every value a register of its own. Registers whose values are never needed at the
 * same time share a row, so that a frame stays small. Lanes that are at different places of the
 * function cannot disturb each other, because each has its own element of a row.
 *
 * Return: whether there was enough memory.
 */
bool ptx_allocate(const struct ptx_function *function, uint32_t *slots, uint32_t *rows,
		  uint32_t *preds);

/*
 * Is the first operand a destination? This is asked before the instruction is decoded. A register
 * that is taken for a destination, but is read, may share a row with another one that is live.
 */
bool ptx_writes_first(const struct ptx_insn *insn);

#endif
