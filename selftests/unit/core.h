/* SPDX-License-Identifier: MIT */
/* Functions for the tests and fuzzers of the core: geometries, shadows, the model's operations. */
#ifndef VSM_UNIT_CORE_H
#define VSM_UNIT_CORE_H

#include <vsm_core.h>
#include <vsm_step.h>

#include "../insn.h"
#include "model.h"

static inline enum vsm_layout unit_layout(int sm)
{
	return sm == 80 ? VSM_LAYOUT_SM_80 : VSM_LAYOUT_SM_90;
}

static inline struct vsm_geometry unit_geometry(int sm, bool strict)
{
	return (struct vsm_geometry) {
		.ctas = 4,
		.threads = 1024,
		.smem_bytes = 4096,
		.layout = unit_layout(sm),
		.strict = strict,
	};
}

/* The shadow of a valid object whose word is @word. */
static inline struct vsm_shadow unit_shadow(__u64 word)
{
	return (struct vsm_shadow) {
		.serial = 0x100 | (__u32)(word >> 63),
		.initialiser = VSM_VISIBLE,
		.live = 1,
		.observed = 1,
	};
}

/* Does an H100 trap on what breaks this rule? */
static inline bool is_trap(enum drm_vsm_fault fault)
{
	return fault == DRM_VSM_FAULT_POISONED || fault == DRM_VSM_FAULT_BAD_COUNT ||
	       fault == DRM_VSM_FAULT_ARRIVAL_OVERFLOW || fault == DRM_VSM_FAULT_DROP_TO_ZERO ||
	       fault == DRM_VSM_FAULT_TX_RANGE;
}

static inline struct drm_vsm_insn unit_insn(const struct model_op *op)
{
	static const __u16 ops[] = {
		[MODEL_ARRIVE] = OP(MBARRIER_ARRIVE),
		[MODEL_ARRIVE_DROP] = OP(MBARRIER_ARRIVE_DROP),
		[MODEL_EXPECT_TX] = OP(MBARRIER_EXPECT_TX),
		[MODEL_COMPLETE_TX] = OP(MBARRIER_COMPLETE_TX),
	};
	struct drm_vsm_insn insn = { .op = ops[op->kind] };

	if (op->counted)
		insn.mods |= MOD(COUNT);
	if (op->expect_tx)
		insn.mods |= MOD(EXPECT_TX);
	if (op->no_complete)
		insn.mods |= MOD(NOCOMPLETE);
	insn.u.mbarrier.count = op->count;
	insn.u.mbarrier.tx_count = op->tx;
	return insn;
}

/*
 * Returns the verdict of vsm_insn_check(). The check runs twice: the second run finds the form of
 * the instruction in its cache, and must give the same verdict. If it does not, the result is 99,
 * which no test expects.
 */
static inline int check_insn(const struct vsm_geometry *geo, __u32 cta,
			     const struct drm_vsm_insn *insn, enum drm_vsm_fault *fault)
{
	struct vsm_form form = { 0 };
	enum drm_vsm_fault again = DRM_VSM_FAULT_NONE;
	int rc;

	*fault = DRM_VSM_FAULT_NONE;
	rc = vsm_insn_check(geo, cta, &form, insn, fault);
	if (vsm_insn_check(geo, cta, &form, insn, &again) != rc || again != *fault)
		return 99;
	return rc;
}

/*
 * Converts an instruction into an operation of the model. Returns false if the instruction is not
 * about an object. The caller fills in the token and the thread that initialises.
 */
static inline bool unit_model_op(const struct drm_vsm_insn *insn, struct model_op *op)
{
	*op = (struct model_op) { .thread = MODEL_VISIBLE };
	switch (insn->op) {
	case OP(MBARRIER_INIT):
		op->kind = MODEL_INIT;
		break;
	case OP(MBARRIER_INVAL):
		op->kind = MODEL_INVAL;
		break;
	case OP(MBARRIER_TEST_WAIT):
	case OP(MBARRIER_TRY_WAIT):
		op->kind = MODEL_WAIT;
		break;
	case OP(CP_ASYNC_MBARRIER_ARRIVE):
		op->kind = MODEL_ISSUE;
		break;
	case OP(MBARRIER_ARRIVE):
		op->kind = MODEL_ARRIVE;
		break;
	case OP(MBARRIER_ARRIVE_DROP):
		op->kind = MODEL_ARRIVE_DROP;
		break;
	case OP(MBARRIER_EXPECT_TX):
		op->kind = MODEL_EXPECT_TX;
		break;
	case OP(MBARRIER_COMPLETE_TX):
		op->kind = MODEL_COMPLETE_TX;
		break;
	default:
		return false;
	}
	op->counted = insn->mods & MOD(COUNT);
	op->expect_tx = insn->mods & MOD(EXPECT_TX);
	op->no_complete = insn->mods & MOD(NOCOMPLETE);
	op->count = insn->u.mbarrier.count;
	op->tx = insn->u.mbarrier.tx_count;
	op->noinc = insn->mods & MOD(NOINC);
	op->by_parity = insn->mods & MOD(PARITY);
	op->parity = insn->u.mbarrier.parity;
	return true;
}

#endif
