/* SPDX-License-Identifier: MIT */
/* Parses operations of NVVM, in the textual form of MLIR. */
#ifndef _INSN_NVVM_H_
#define _INSN_NVVM_H_

#include "insn/insn.h"

/* Does an operation of NVVM, or of another dialect of MLIR, begin at the cursor? */
bool nvvm_begins(const struct cursor *c);
/* Parses the rest of the line. */
bool nvvm_parse(struct cursor *c, struct instruction *insn, const struct ptx_names *names);

#endif
