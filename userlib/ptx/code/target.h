/* SPDX-License-Identifier: MIT */
/* What older targets and versions of PTX do not have. */
#ifndef _CODE_TARGET_H_
#define _CODE_TARGET_H_

#include "code/decoder.h"

/*
 * Do the .target and the .version of the module have the instruction? If not, it adds an error and
 * returns false.
 */
bool ptx_check_target(struct ptx_decoder *d, const struct ptx_insn *insn);

#endif
