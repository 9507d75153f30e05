/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of atomic operations.
 */
#ifndef _PTX_RUN_ATOM_VALUE_H_
#define _PTX_RUN_ATOM_VALUE_H_

#include "code/steps.h"

/*
 * The value that an atomic operation stores in place of @old. @b and @c are its operands. With
 * @flush, subnormal operands and results of add.f32 become zeros.
 */
uint64_t ptx_atom_value(const struct ptx_access *access, uint64_t old, uint64_t b, uint64_t c,
			bool flush);

#endif
