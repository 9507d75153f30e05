// SPDX-License-Identifier: MIT
/*
 * Why the device refuses an instruction: it is malformed (-EINVAL), or the device cannot execute it
 * here (-EOPNOTSUPP). The forms are those of the table of operations.
 */
#include "internal.h"
#include "vsm_ops.h"

/* A form of an operation: the modifiers that it must have, and the operands that it takes. */
struct form {
	uint16_t mods;
	uint32_t takes;
};

/*
 * struct operation - An operation
 * @traits: Mask of VSM_OP_*
 * @forms: All forms of the operation; unused entries are zeros
 */
struct operation {
	uint32_t traits;
	struct form forms[8];
};

#define VSM_OP(NAME, sems, traits_) \
	[DRM_VSM_OP_##NAME] = { .traits = traits_, .forms = {
#define VSM_FORM(mods, takes) { mods, takes },
#define VSM_OP_END } },
static const struct operation operations[] = {
#include "vsm_ops.h"
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Operands of the form with the instruction's modifiers; 0 if there is no such form. */
static uint32_t operands_of(const struct operation *operation, const struct drm_vsm_insn *insn)
{
	size_t i;

	for (i = 0; i < COUNT(operation->forms); i++)
		if (operation->forms[i].takes && operation->forms[i].mods == insn->mods)
			return operation->forms[i].takes;
	return 0;
}

/*
 * @reason if @condition is true, else NULL. a ?: b ?: c returns the first reason that is not NULL.
 */
#define WRONG(condition, reason) ((condition) ? (reason) : NULL)

/* Return @reason if the form does not take the operand, and the operand is not 0. */
static const char *unless(bool taken, uint64_t operand, const char *reason)
{
	return WRONG(!taken && operand, reason);
}

#define UNUSED(takes, operand) \
	unless(takes, insn->u.operand, "u." #operand " must be 0 in this form")

static const char *wrong_order(const struct drm_vsm_insn *insn)
{
	const bool fence = insn->op == DRM_VSM_OP_FENCE;

	if (insn->op == DRM_VSM_OP_FENCE_MBARRIER_INIT)
		return WRONG(insn->sem != DRM_VSM_SEM_RELEASE ||
			     insn->scope != DRM_VSM_SCOPE_CLUSTER, "it must have .release.cluster");
	return WRONG(insn->sem > DRM_VSM_SEM_SC, "there is no such .sem, or there are two") ?:
	       WRONG(insn->scope > DRM_VSM_SCOPE_SYS,
		     "there is no such .scope, or there are two") ?:
	       WRONG(fence && !insn->scope, "it needs a .scope") ?:
	       WRONG(fence && insn->sem == DRM_VSM_SEM_RELAXED, "it does not take .relaxed") ?:
	       WRONG(!fence && insn->sem > DRM_VSM_SEM_RELEASE, "only fence takes this .sem") ?:
	       WRONG(!fence && insn->scope > DRM_VSM_SCOPE_CLUSTER,
		     "only fence takes this .scope");
}

static const char *wrong_space(const struct drm_vsm_insn *insn, uint32_t takes)
{
	const uint32_t address = VSM_TAKES_ADDR | VSM_TAKES_COPY | VSM_TAKES_TENSOR |
				 VSM_TAKES_STORE;

	return WRONG(insn->space > DRM_VSM_SPACE_SHARED_CLUSTER,
		     "there is no such state space, or there are two") ?:
	       WRONG(insn->space && (!(takes & address) || takes & VSM_TAKES_NO_WINDOW),
		     "it has no address in shared memory, and takes no state space");
}

static const char *wrong_red(const struct drm_vsm_insn *insn, uint32_t takes)
{
	const unsigned int op = insn->red & 0xf, dims = insn->red >> 4;
	const bool reduces = takes & VSM_TAKES_RED;

	if (!(takes & VSM_TAKES_TENSOR))
		return WRONG(insn->red && !reduces, "it takes no reduction, mode or type");
	return WRONG(dims < 1 || dims > 5, "a tensor has 1 to 5 dimensions") ?:
	       WRONG(dims < 3 && insn->mods & DRM_VSM_MOD_IM2COL,
		     "an im2col tensor has 3 to 5 dimensions") ?:
	       WRONG(reduces && (!op || op > DRM_VSM_RED_XOR), "there is no such reduction") ?:
	       WRONG(!reduces && op, "it is not a reduction");
}

static const char *wrong_mbarrier(const struct drm_vsm_insn *insn, uint32_t takes)
{
	return UNUSED(takes & VSM_TAKES_ADDR, mbarrier.addr) ?:
	       UNUSED(takes & (VSM_TAKES_COUNT | VSM_TAKES_GROUPS), mbarrier.count) ?:
	       UNUSED(takes & VSM_TAKES_TX, mbarrier.tx_count) ?:
	       UNUSED(takes & VSM_TAKES_PARITY, mbarrier.parity) ?:
	       UNUSED(takes & VSM_TAKES_HINT, mbarrier.hint_ns) ?:
	       UNUSED(takes & VSM_TAKES_STATE, mbarrier.state) ?:
	       UNUSED(false, mbarrier.pad) ?:
	       UNUSED(false, mbarrier.reserved);
}

static const char *wrong_copy(const struct drm_vsm_insn *insn, uint32_t takes)
{
	const struct drm_vsm_copy_operands *o = &insn->u.copy;
	const bool element = takes & VSM_TAKES_ELEMENT && o->size != 16;

	return UNUSED(!(takes & VSM_TAKES_NO_WINDOW), copy.addr) ?:
	       UNUSED(takes & VSM_TAKES_MBAR, copy.mbar) ?:
	       UNUSED(takes & VSM_TAKES_SRC_SIZE, copy.src_size) ?:
	       UNUSED(takes & VSM_TAKES_MASK, copy.mask) ?:
	       UNUSED(takes & VSM_TAKES_SHARED, copy.src) ?:
	       UNUSED(!(takes & VSM_TAKES_SHARED), copy.buffer) ?:
	       UNUSED(!(takes & VSM_TAKES_SHARED), copy.offset) ?:
	       UNUSED(false, copy.pad) ?:
	       UNUSED(false, copy.reserved) ?:
	       WRONG(element && insn->mods & DRM_VSM_MOD_CG, "cp.async.cg copies 16 bytes") ?:
	       WRONG(element && o->size != 4 && o->size != 8, "cp.async copies 4, 8 or 16 bytes");
}

static const char *wrong_tensor(const struct drm_vsm_insn *insn, uint32_t takes)
{
	const struct drm_vsm_tensor_operands *o = &insn->u.tensor;
	unsigned int i, dims = insn->red >> 4;
	int32_t beyond = 0;

	for (i = dims; i < COUNT(o->coords); i++)
		beyond |= o->coords[i];
	return UNUSED(!(takes & VSM_TAKES_NO_WINDOW), tensor.addr) ?:
	       UNUSED(takes & VSM_TAKES_MBAR, tensor.mbar) ?:
	       UNUSED(takes & VSM_TAKES_MASK, tensor.mask) ?:
	       UNUSED(takes & VSM_TAKES_OFFSETS, tensor.offsets) ?:
	       WRONG(beyond, "coords must be 0 beyond the dimensions") ?:
	       WRONG(dims == 5 && o->offsets >> 15,
		     "an im2col offset of 5 dimensions has 5 bits");
}

static const char *wrong_store(const struct drm_vsm_insn *insn, uint32_t takes)
{
	const struct drm_vsm_store_operands *o = &insn->u.store;
	const uint32_t typed = __vsm_red_size((enum drm_vsm_type)(insn->red >> 4));

	return UNUSED(false, store.pad) ?:
	       UNUSED(false, store.reserved) ?:
	       WRONG(takes & VSM_TAKES_RED && o->size != typed, "size does not fit the type") ?:
	       WRONG(o->size != 4 && o->size != 8 && o->size != 16,
		     "size is not 4, 8 or 16 bytes") ?:
	       WRONG((o->size < 16 && o->value[1]) || (o->size < 8 && o->value[0] >> 32),
		     "value must be 0 beyond size");
}

static const char *wrong_warp(const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_warp_operands *o = &insn->u.warp;
	const bool shfl = insn->op == DRM_VSM_OP_SHFL_SYNC;
	const bool none = insn->op == DRM_VSM_OP_BAR_WARP_SYNC ||
			  insn->op == DRM_VSM_OP_ELECT_SYNC;
	const bool wide = insn->op == DRM_VSM_OP_MATCH_SYNC &&
			  insn->red >> 4 == DRM_VSM_TYPE_B64;

	return UNUSED(shfl, warp.b) ?:
	       UNUSED(shfl, warp.c) ?:
	       UNUSED(false, warp.pad) ?:
	       UNUSED(false, warp.reserved[0]) ?:
	       UNUSED(false, warp.reserved[1]) ?:
	       UNUSED(!none, warp.a) ?:
	       WRONG(insn->op == DRM_VSM_OP_VOTE_SYNC && o->a > 1, "a is a predicate, 0 or 1") ?:
	       WRONG(!wide && o->a >> 32, "a has 32 bits");
}

static const char *wrong_barrier(const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_barrier_operands *o = &insn->u.barrier;

	return UNUSED(insn->mods & DRM_VSM_MOD_COUNT, barrier.count) ?:
	       UNUSED(insn->op == DRM_VSM_OP_BARRIER_RED, barrier.pred) ?:
	       UNUSED(false, barrier.pad) ?:
	       UNUSED(false, barrier.reserved[0]) ?:
	       UNUSED(false, barrier.reserved[1]) ?:
	       UNUSED(false, barrier.reserved[2]) ?:
	       WRONG(o->pred > 1, "pred is 0 or 1");
}

static const char *wrong_operands(const struct drm_vsm_insn *insn, uint32_t takes)
{
	if (takes & VSM_TAKES_COPY)
		return wrong_copy(insn, takes);
	if (takes & VSM_TAKES_TENSOR)
		return wrong_tensor(insn, takes);
	if (takes & VSM_TAKES_STORE)
		return wrong_store(insn, takes);
	if (takes & VSM_TAKES_WARP)
		return wrong_warp(insn);
	if (takes & VSM_TAKES_BARRIER)
		return wrong_barrier(insn);
	return wrong_mbarrier(insn, takes);
}

/* Why a job cannot contain an instruction that EXEC could execute, or NULL. */
static const char *wrong_in_job(const struct operation *operation, const struct drm_vsm_insn *insn)
{
	return WRONG(!(operation->traits & VSM_OP_JOB), "a job cannot contain it") ?:
	       WRONG(operation->traits & VSM_OP_VALUE && !(insn->mods & DRM_VSM_MOD_SINK),
		     "a job can contain it only with the sink _");
}

/*
 * Why the device refuses @insn as malformed, or NULL if the library cannot find the reason. @how is
 * a mask of VSM_REFUSED_*.
 */
const char *vsm_insn_malformed(const struct drm_vsm_insn *insn, uint32_t how)
{
	const struct operation *operation;
	const char *reason;
	uint32_t takes;

	if (insn->op >= COUNT(operations))
		return "there is no such operation";
	operation = &operations[insn->op];
	takes = operands_of(operation, insn);
	if (!takes)
		return "the operation does not exist with these modifiers";
	reason = wrong_space(insn, takes) ?: wrong_order(insn) ?: wrong_red(insn, takes) ?:
		 wrong_operands(insn, takes);
	if (!reason && how & VSM_REFUSED_IN_JOB)
		reason = wrong_in_job(operation, insn);
	/*
	 * The library has no table of the reductions, modes and types that each operation takes. If
	 * the device refused this instruction and everything else is right, one of them must be
	 * wrong.
	 */
	if (!reason && how & VSM_REFUSED_SURELY && takes & VSM_TAKES_RED &&
	    !(takes & VSM_TAKES_TENSOR))
		reason = "it does not take this reduction, mode or type";
	return reason;
}

/* Why the device cannot execute @insn in a cluster of this layout. */
const char *vsm_insn_unsupported(const struct drm_vsm_insn *insn, enum vsm_layout layout)
{
	const uint32_t buffers = VSM_OP_FROM_BUFFER | VSM_OP_TO_BUFFER;
	uint32_t traits = insn->op < COUNT(operations) ? operations[insn->op].traits : 0;
	/* The only copy between shared memory and a buffer that sm_80 has is cp.async. */
	const bool has = traits & VSM_OP_SM_80 && traits & buffers && !insn->sem && !insn->scope &&
			 insn->space != DRM_VSM_SPACE_SHARED_CLUSTER;

	if (layout == VSM_LAYOUT_SM_80 && !has)
		return "this needs sm_90, and the layout of the cluster is sm_80";
	if (traits & buffers)
		return "the device cannot map the imported buffer, or its memory is not coherent";
	return "the device does not support this";
}
