// SPDX-License-Identifier: MIT
/*
 * What an instruction of the device does to an mbarrier.
 */
#include "run/target.h"
#include "run/tensormap.h"

bool ptx_insn_mbarrier(const struct drm_vsm_insn *insn, uint32_t *address)
{
	switch (insn->op) {
	case DRM_VSM_OP_MBARRIER_INIT:
	case DRM_VSM_OP_MBARRIER_INVAL:
	case DRM_VSM_OP_MBARRIER_ARRIVE:
	case DRM_VSM_OP_MBARRIER_ARRIVE_DROP:
	case DRM_VSM_OP_MBARRIER_EXPECT_TX:
	case DRM_VSM_OP_MBARRIER_COMPLETE_TX:
	case DRM_VSM_OP_MBARRIER_TEST_WAIT:
	case DRM_VSM_OP_MBARRIER_TRY_WAIT:
	case DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE:
		*address = insn->u.mbarrier.addr;
		return true;
	case DRM_VSM_OP_CP_ASYNC_BULK_G2S:
	case DRM_VSM_OP_CP_ASYNC_BULK_S2S:
	case DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2S:
		*address = insn->u.copy.mbar;
		return true;
	case DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S:
		*address = insn->u.tensor.mbar;
		return true;
	case DRM_VSM_OP_ST_ASYNC:
	case DRM_VSM_OP_RED_ASYNC:
		*address = insn->u.store.mbar;
		return true;
	default:
		return false;
	}
}

uint64_t ptx_insn_bytes(const struct drm_vsm_insn *insn)
{
	switch (insn->op) {
	case DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S:
		return ptx_tensor_bytes(insn->u.tensor.map);
	case DRM_VSM_OP_ST_ASYNC:
	case DRM_VSM_OP_RED_ASYNC:
		return insn->u.store.size;
	default:
		return insn->u.copy.size;
	}
}

uint32_t ptx_insn_destination(const struct drm_vsm_insn *insn)
{
	switch (insn->op) {
	case DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S:
		return insn->u.tensor.addr;
	case DRM_VSM_OP_ST_ASYNC:
	case DRM_VSM_OP_RED_ASYNC:
		return insn->u.store.addr;
	default:
		return insn->u.copy.addr;
	}
}

uint32_t ptx_insn_ranks(const struct drm_vsm_insn *insn, uint32_t address)
{
	if (!(insn->mods & DRM_VSM_MOD_MULTICAST))
		return 1u << (ptx_rank_of(address) & 31);
	return insn->op == DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S ? insn->u.tensor.mask
							       : insn->u.copy.mask;
}
