/* SPDX-License-Identifier: MIT */
/*
 * What an instruction of the device does to an mbarrier.
 */
#ifndef _PTX_RUN_TARGET_H_
#define _PTX_RUN_TARGET_H_

#include "code/device.h"

/* The mbarrier that an instruction works on. Returns false if there is none. */
bool ptx_insn_mbarrier(const struct drm_vsm_insn *insn, uint32_t *address);
/* The bytes that a copy delivers, and the cluster shared address that it writes them to. */
uint64_t ptx_insn_bytes(const struct drm_vsm_insn *insn);
uint32_t ptx_insn_destination(const struct drm_vsm_insn *insn);
/*
 * A mask of the CTAs whose mbarriers an instruction works on. Usually that is only the CTA of
 * @address, but a copy with .multicast has several.
 */
uint32_t ptx_insn_ranks(const struct drm_vsm_insn *insn, uint32_t address);

#endif
