/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the constructors of instructions. */
#ifndef _VSM_INSN_TEST_H_
#define _VSM_INSN_TEST_H_

#include "mock.h"

#define ADDR 0x01000040

static inline void assert_insn(struct drm_vsm_insn insn, const struct drm_vsm_insn *wanted)
{
	assert_memory_equal(&insn, wanted, sizeof(insn));
}

#endif
