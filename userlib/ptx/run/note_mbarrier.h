/* SPDX-License-Identifier: MIT */
/*
 * Records what the threads of a cluster do to its mbarriers.
 */
#ifndef _PTX_RUN_NOTE_MBARRIER_H_
#define _PTX_RUN_NOTE_MBARRIER_H_

#include "run/object.h"

/* Lanes of a warp have executed an instruction with the same operands, which works on @address. */
void ptx_note_mbarrier(const struct ptx_warp *warp, uint32_t step, uint32_t lanes,
		       const struct drm_vsm_insn *insn, uint32_t address);
/* Lanes that were suspended in a wait for a phase have found it complete. */
void ptx_note_waited(const struct ptx_warp *warp, uint32_t step, uint32_t mask,
		     const struct drm_vsm_insn *insn);

#endif
