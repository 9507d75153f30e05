/* SPDX-License-Identifier: MIT */
/*
 * Records in the history what the threads of a cluster execute on the device.
 */
#ifndef _PTX_RUN_NOTE_H_
#define _PTX_RUN_NOTE_H_

#include "run/history.h"

/*
 * Called before and after the device executes the instructions of @mask. After a fault, @mask has
 * only the lanes whose instructions were executed.
 */
void ptx_note_before(const struct ptx_warp *warp, uint32_t mask,
		     const struct drm_vsm_insn *insns);
void ptx_note_after(const struct ptx_warp *warp, uint32_t step, uint32_t mask,
		    const struct drm_vsm_insn *insns);
/* Lanes of a warp exit. @branch is that of their group. */
void ptx_note_exit(const struct ptx_warp *warp, uint32_t step, uint32_t branch);

#endif
