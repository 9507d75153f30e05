/* SPDX-License-Identifier: MIT */
/*
 * Conversions of addresses.
 */
#ifndef _PTX_RUN_WINDOW_H_
#define _PTX_RUN_WINDOW_H_

#include "run/warp.h"

/* Executes cvta, mapa or getctarank. Returns false after a fault. */
bool ptx_window_convert(struct ptx_warp *warp, struct ptx_group *group,
			const struct ptx_step *step, uint32_t mask);
/* Executes isspacep. */
void ptx_window_test(struct ptx_warp *warp, struct ptx_regs *regs, const struct ptx_step *step,
		     uint32_t mask);

#endif
