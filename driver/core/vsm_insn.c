// SPDX-License-Identifier: GPL-2.0-only
/*
 * The check of an instruction: its form (which modifiers and operands its operation takes, in which
 * layout), and its operands.
 */
#include "vsm_core.h"
#include "vsm_rendezvous.h"

/* --- operands -------------------------------------------------------------------- */

/*
 * Checks of the operands of all instructions that are not mbarrier operations: copies, tensor
 * copies, stores, warp operations and barriers. No function here reads the cluster's memory.
 */

/* The mbarrier of a copy has to be in the window that the copy writes to. */
static enum drm_vsm_fault vsm_copy_mbar_check(const struct vsm_geometry *geo, __u32 addr,
					      __u32 mbar)
{
	enum drm_vsm_fault fault = vsm_addr_check(geo, mbar, sizeof(__u64), sizeof(__u64));

	if (!fault && vsm_addr_rank(mbar) != vsm_addr_rank(addr))
		fault = DRM_VSM_FAULT_COPY_MBARRIER;
	return fault;
}

/* Do all CTAs of a multicast copy exist? */
static enum drm_vsm_fault vsm_multicast_check(const struct vsm_geometry *geo,
					      const struct drm_vsm_insn *insn, __u16 mask)
{
	if (insn->mods & DRM_VSM_MOD_MULTICAST && (!mask || mask >> geo->ctas))
		return DRM_VSM_FAULT_OUT_OF_WINDOW;
	return DRM_VSM_FAULT_NONE;
}

static __always_inline enum drm_vsm_fault vsm_copy_check(const struct vsm_geometry *geo, __u32 cta,
							 int takes,
							 const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_copy_operands *o = &insn->u.copy;
	__u32 align = takes & VSM_TAKES_ELEMENT ? o->size : 16; /* 4, 8 or 16 */
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;

	if (o->size & (align - 1) || o->src_size > o->size)
		return DRM_VSM_FAULT_COPY_SIZE;
	if (o->offset & (align - 1))
		return DRM_VSM_FAULT_MISALIGNED;
	if (takes & VSM_TAKES_NO_WINDOW)
		return DRM_VSM_FAULT_NONE;
	if (takes & VSM_TAKES_SHARED) {
		fault = vsm_addr_check(geo, o->src, o->size, align);
		if (!fault && vsm_addr_rank(o->src) != cta)
			fault = DRM_VSM_FAULT_REMOTE_FORBIDDEN;
	}
	if (!fault)
		fault = vsm_addr_check(geo, o->addr, o->size, align);
	if (!fault)
		fault = vsm_space_check(geo, cta, insn, o->addr);
	if (!fault && takes & VSM_TAKES_MBAR)
		fault = vsm_copy_mbar_check(geo, o->addr, o->mbar);
	return fault ? fault : vsm_multicast_check(geo, insn, o->mask);
}

static __always_inline bool vsm_copy_operands_clean(int takes, const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_copy_operands *o = &insn->u.copy;

	if ((takes & VSM_TAKES_MBAR ? 0 : o->mbar) |
	    (takes & VSM_TAKES_SRC_SIZE ? 0 : o->src_size) |
	    (takes & VSM_TAKES_MASK ? 0 : o->mask) |
	    (takes & VSM_TAKES_NO_WINDOW ? o->addr : 0) |
	    (takes & VSM_TAKES_SHARED ? o->buffer | o->offset : o->src) | o->pad | o->reserved)
		return false;
	/* cp-size is part of the instruction. PTX cannot spell other sizes. */
	return !(takes & VSM_TAKES_ELEMENT) || o->size == 16 ||
	       (!(insn->mods & DRM_VSM_MOD_CG) && (o->size == 4 || o->size == 8));
}

/*
 * The result of vsm_other_operands_check() for operands that break the rule @found, or none. The
 * form comes first.
 */
static __always_inline int vsm_form_result(const struct vsm_form *form, enum drm_vsm_fault found,
					   enum drm_vsm_fault *fault)
{
	*fault = form->error ? form->fault : found;
	return form->error ? form->error : found ? -EPROTO : 0;
}

/*
 * Check the operands of a copy for vsm_other_operands_check(). @takes is &vsm_form.takes, as a
 * constant where possible.
 */
static __always_inline int vsm_copy_operands_check(const struct vsm_geometry *geo, __u32 cta,
						   const struct vsm_form *form, int takes,
						   const struct drm_vsm_insn *insn,
						   enum drm_vsm_fault *fault)
{
	if (!vsm_copy_operands_clean(takes, insn))
		return -EINVAL;
	return vsm_form_result(form, vsm_copy_check(geo, cta, takes, insn), fault);
}

/* The size in the window depends on the tensor map. It is checked later. */
static enum drm_vsm_fault vsm_tensor_operands_check(const struct vsm_geometry *geo, __u32 cta,
						    const struct vsm_form *form,
						    const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_tensor_operands *o = &insn->u.tensor;
	enum drm_vsm_fault fault;

	if (o->map % 64)
		return DRM_VSM_FAULT_MISALIGNED;
	if (form->takes & VSM_TAKES_NO_WINDOW)
		return DRM_VSM_FAULT_NONE;
	fault = vsm_addr_check(geo, o->addr, 0, 128);
	if (!fault)
		fault = vsm_space_check(geo, cta, insn, o->addr);
	if (!fault && form->takes & VSM_TAKES_MBAR)
		fault = vsm_copy_mbar_check(geo, o->addr, o->mbar);
	return fault ? fault : vsm_multicast_check(geo, insn, o->mask);
}

static bool vsm_tensor_operands_clean(const struct vsm_form *form, const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_tensor_operands *o = &insn->u.tensor;
	int i, dims = insn->red >> 4, takes = form->takes;
	__s32 beyond = 0;

	for (i = dims; i < 5; i++)
		beyond |= o->coords[i];
	/* Five dimensions take three offsets of five bits each. */
	if (dims == 5 && o->offsets >> 15)
		return false;
	return !(beyond | (takes & VSM_TAKES_MBAR ? 0 : o->mbar) |
		 (takes & VSM_TAKES_MASK ? 0 : o->mask) |
		 (takes & VSM_TAKES_OFFSETS ? 0 : o->offsets) |
		 (takes & VSM_TAKES_NO_WINDOW ? o->addr : 0));
}

static enum drm_vsm_fault vsm_store_check(const struct vsm_geometry *geo, __u32 cta,
					  const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_store_operands *o = &insn->u.store;
	enum drm_vsm_fault fault = vsm_addr_check(geo, o->addr, o->size, o->size);

	if (!fault)
		fault = vsm_space_check(geo, cta, insn, o->addr);
	return fault ? fault : vsm_copy_mbar_check(geo, o->addr, o->mbar);
}

/* The size is that of the type. PTX cannot spell another size. */
static bool vsm_store_operands_clean(const struct vsm_form *form, const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_store_operands *o = &insn->u.store;

	if (form->takes & VSM_TAKES_RED ? o->size != vsm_reduce_size(insn->red)
			      : o->size != 4 && o->size != 8 && o->size != 16)
		return false;
	return !(o->pad | o->reserved | (o->size < 16 ? o->value[1] : 0) |
		 (o->size < 8 ? o->value[0] >> 32 : 0));
}

static enum drm_vsm_fault vsm_barrier_operands_check(const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_barrier_operands *o = &insn->u.barrier;

	if (o->barrier >= VSM_BARRIERS)
		return DRM_VSM_FAULT_BARRIER_ID;
	/* A count may be larger than the number of threads of the CTA: a warp may arrive again. */
	if (insn->mods & DRM_VSM_MOD_COUNT && (!o->count || o->count % VSM_WARP_SIZE))
		return DRM_VSM_FAULT_BARRIER_COUNT;
	return DRM_VSM_FAULT_NONE;
}

static bool vsm_barrier_operands_clean(const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_barrier_operands *o = &insn->u.barrier;

	return o->pred <= (insn->op == DRM_VSM_OP_BARRIER_RED) &&
	       !((insn->mods & DRM_VSM_MOD_COUNT ? 0 : o->count) | o->pad |
		 o->reserved[0] | o->reserved[1] | o->reserved[2]);
}

/* &vsm_form.takes of a cp.async.bulk from global to shared memory without a modifier */
#define VSM_BULK_G2S_TAKES	(VSM_TAKES_COPY | VSM_TAKES_MBAR | VSM_FORM_RARE)

/* Check operands of %VSM_TAKES_OTHER for vsm_operands_check(). @fault is none before the call. */
int vsm_other_operands_check(const struct vsm_geometry *geo, __u32 cta,
			     const struct vsm_form *form, const struct drm_vsm_insn *insn,
			     enum drm_vsm_fault *fault)
{
	enum drm_vsm_fault found = DRM_VSM_FAULT_NONE;

	/* Most copies have this form. As a constant, it makes tests for other operands vanish. */
	if (form->takes == VSM_BULK_G2S_TAKES)
		return vsm_copy_operands_check(geo, cta, form, VSM_BULK_G2S_TAKES, insn, fault);
	if (form->takes & VSM_TAKES_COPY)
		return vsm_copy_operands_check(geo, cta, form, form->takes, insn, fault);

	if (form->takes & VSM_TAKES_WARP) {
		if (!vsm_warp_operands_clean(insn))
			return -EINVAL;
	} else if (form->takes & VSM_TAKES_BARRIER) {
		if (!vsm_barrier_operands_clean(insn))
			return -EINVAL;
		found = vsm_barrier_operands_check(insn);
	} else if (form->takes & VSM_TAKES_TENSOR) {
		if (!vsm_tensor_operands_clean(form, insn))
			return -EINVAL;
		found = vsm_tensor_operands_check(geo, cta, form, insn);
	} else {
		if (!vsm_store_operands_clean(form, insn))
			return -EINVAL;
		found = vsm_store_check(geo, cta, insn);
	}
	return vsm_form_result(form, found, fault);
}

/* --- forms ----------------------------------------------------------------------- */

/*
 * The forms of instructions: the modifiers, qualifiers and operands that each operation takes. No
 * function here reads the cluster's memory.
 */

#define MOD(x)	DRM_VSM_MOD_##x

/**
 * struct vsm_op_form - One form of an operation
 * @mods: Modifiers of this form
 * @takes: Operands of this form
 */
struct vsm_op_form {
	__u16 mods;
	__u32 takes;
};

/**
 * struct vsm_op_info - An operation
 * @sems: Mask of the .sem qualifiers that the operation takes
 * @traits: Mask of VSM_OP_*
 * @forms: All forms of the operation; unused entries are zeros
 */
struct vsm_op_info {
	__u8 sems;
	__u32 traits;
	struct vsm_op_form forms[8];
};

#define VSM_OP(NAME, sems_, traits_) \
	[DRM_VSM_OP_##NAME] = { .sems = sems_, .traits = traits_, .forms = {
#define VSM_FORM(mods, takes) { mods, takes },
#define VSM_OP_END } },
static const struct vsm_op_info ops[] = {
#include <drm/vsm_ops.h>
};

/* Mask of all operands that forms take. &vsm_form.takes and &vsm_op.moves have other bits too. */
enum {
	VSM_ALL_TAKES = 0
#define VSM_OP(NAME, sems, traits)
#define VSM_FORM(mods, takes) | (takes)
#include <drm/vsm_ops.h>
};

static_assert(!(VSM_ALL_TAKES & VSM_FORM_RARE), "VSM_FORM_RARE is an operand");
static_assert(!(VSM_ALL_TAKES & VSM_OP_MOVES), "VSM_OP_MOVES contains an operand");
static_assert(!(VSM_FORM_RARE & VSM_OP_MOVES), "VSM_OP_MOVES contains VSM_FORM_RARE");

/* The order of the operations that vsm_insn_is_rendezvous() and vsm_insn_is_mbarrier() rely on. */
#define VSM_MISPLACED(op, traits) \
	(((traits) & VSM_OP_WAIT_SET ? 1 : 0) != \
	 (((op) >= DRM_VSM_OP_MATCH_SYNC && (op) < DRM_VSM_OP_EXIT) || \
	  (op) == DRM_VSM_OP_MBARRIER_TRY_WAIT || (op) == DRM_VSM_OP_CP_ASYNC_WAIT_GROUP || \
	  (op) == DRM_VSM_OP_CP_ASYNC_WAIT_ALL || (op) == DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP))
enum {
	VSM_MISPLACED_OPS = 0
#define VSM_OP(NAME, sems, traits) + VSM_MISPLACED(DRM_VSM_OP_##NAME, traits)
#include <drm/vsm_ops.h>
};

static_assert(!VSM_MISPLACED_OPS, "rendezvous are from MATCH_SYNC to EXIT, or other ops are armed");
static_assert(DRM_VSM_OP_MBARRIER_INIT == 1 &&
	      DRM_VSM_OP_MBARRIER_PENDING_COUNT + 1 == DRM_VSM_OP_CP_ASYNC_BULK_G2S,
	      "mbarrier operations come first");

/*
 * The row of the operation. A processor may execute this speculatively, before the operation is
 * checked.
 */
static const struct vsm_op_info *vsm_insn_op(const struct drm_vsm_insn *insn)
{
	return &ops[array_index_nospec(insn->op, sizeof(ops) / sizeof(ops[0]))];
}

/**
 * vsm_geometry_invalid - Check the geometry of a new cluster
 * @geo: Geometry that user space asks for
 *
 * Return: NULL if the geometry is valid, or the name of a field that is wrong.
 */
const char *vsm_geometry_invalid(const struct vsm_geometry *geo)
{
	if (geo->ctas < 1 || geo->ctas > VSM_MAX_CTAS)
		return "ctas";
	if (geo->threads < 1 || geo->threads > VSM_MAX_THREADS)
		return "threads";
	if (geo->smem_bytes < 16 || geo->smem_bytes > VSM_MAX_SMEM || geo->smem_bytes % 16)
		return "smem_bytes";
	if (geo->layout != VSM_LAYOUT_SM_90 && geo->layout != VSM_LAYOUT_SM_80)
		return "layout";
	if (geo->report & ~vsm_rules_report())
		return "report";
	return geo->enforce & ~vsm_rules_enforce() ? "enforce" : NULL;
}

static __u32 vsm_insn_takes(const struct vsm_op_info *op, __u16 mods)
{
	size_t i;

	/*
	 * An unused entry matches only @mods 0, and its operands, 0, mean that there is no such
	 * form. A form with mods 0 is before the unused entries, and is found first.
	 */
	for (i = 0; i < sizeof(op->forms) / sizeof(op->forms[0]); i++)
		if (op->forms[i].mods == mods)
			return op->forms[i].takes;
	return 0;
}

/* Does the instruction have a qualifier, or anything in red? */
static inline bool vsm_quals(const struct drm_vsm_insn *insn)
{
	return insn->space | insn->sem | insn->scope | insn->red;
}

/* Is red a reduction, a mode or a number of dimensions that the operation takes? */
static bool vsm_red_valid(const struct drm_vsm_insn *insn, __u32 takes)
{
	__u8 op = insn->red & 0xf, dims = insn->red >> 4;

	if (takes & VSM_TAKES_TENSOR)
		return dims >= (insn->mods & MOD(IM2COL) ? 3 : 1) && dims <= 5 &&
		       op <= DRM_VSM_RED_XOR && !!op == !!(takes & VSM_TAKES_RED);
	if (!(takes & VSM_TAKES_RED))
		return !insn->red;
	if (takes & (VSM_TAKES_WARP | VSM_TAKES_BARRIER))
		return vsm_mode_valid(insn);
	if (takes & VSM_TAKES_STORE)
		return vsm_reduce_valid(insn->red, VSM_REDUCE_RED_ASYNC);
	return vsm_reduce_valid(insn->red, takes & VSM_TAKES_SHARED ? VSM_REDUCE_SHARED
								    : VSM_REDUCE_GLOBAL);
}

/* Do .sem and .scope have values that PTX can spell? */
static bool vsm_order_valid(const struct drm_vsm_insn *insn)
{
	switch (insn->op) {
	case DRM_VSM_OP_FENCE:
		return insn->sem != DRM_VSM_SEM_RELAXED && insn->sem <= DRM_VSM_SEM_SC &&
		       insn->scope && insn->scope <= DRM_VSM_SCOPE_SYS;
	case DRM_VSM_OP_FENCE_MBARRIER_INIT:
		return insn->sem == DRM_VSM_SEM_RELEASE && insn->scope == DRM_VSM_SCOPE_CLUSTER;
	default:
		return insn->sem <= DRM_VSM_SEM_RELEASE && insn->scope <= DRM_VSM_SCOPE_CLUSTER;
	}
}

/* Do all qualifiers have values that PTX can spell with this operation? */
static bool vsm_quals_valid(const struct drm_vsm_insn *insn, __u32 takes)
{
	if (insn->space && (!(takes & (VSM_TAKES_ADDR | VSM_TAKES_ASYNC)) ||
			    takes & VSM_TAKES_NO_WINDOW))
		return false;
	return insn->space <= DRM_VSM_SPACE_SHARED_CLUSTER && vsm_order_valid(insn) &&
	       vsm_red_valid(insn, takes);
}

/* Does layout sm_80 have the instruction? It does unless PTX's target notes require sm_90. */
static bool vsm_sm_80_has(const struct vsm_op_info *op, const struct drm_vsm_insn *insn)
{
	if (vsm_insn_is_rendezvous(insn))
		return op->traits & VSM_OP_SM_80;
	/* PTX: fence.acquire and fence.release need sm_90, and so does scope .cluster. */
	if (insn->op == DRM_VSM_OP_FENCE)
		return insn->scope != DRM_VSM_SCOPE_CLUSTER &&
		       insn->sem != DRM_VSM_SEM_ACQUIRE && insn->sem != DRM_VSM_SEM_RELEASE;
	return op->traits & VSM_OP_SM_80 && !(insn->mods & MOD(EXPECT_TX)) &&
	       (insn->mods & (MOD(COUNT) | MOD(NOCOMPLETE))) != MOD(COUNT) &&
	       insn->space != DRM_VSM_SPACE_SHARED_CLUSTER &&
	       insn->scope != DRM_VSM_SCOPE_CLUSTER && insn->sem != DRM_VSM_SEM_RELAXED;
}

static enum drm_vsm_fault vsm_order_check(const struct vsm_op_info *op,
					  const struct drm_vsm_insn *insn)
{
	/* The qualifiers of a fence have passed vsm_order_valid(), which allows no wrong pair. */
	if ((!insn->sem && !insn->scope) || vsm_insn_is_fence(insn))
		return DRM_VSM_FAULT_NONE;
	if (!insn->sem || !insn->scope != !!(op->traits & VSM_OP_CLUSTER) ||
	    !(op->sems & 1 << insn->sem))
		return DRM_VSM_FAULT_BAD_ORDER;
	if (insn->mods & MOD(NOCOMPLETE) &&
	    (insn->sem != DRM_VSM_SEM_RELEASE || insn->scope != DRM_VSM_SCOPE_CTA))
		return DRM_VSM_FAULT_BAD_ORDER;
	return DRM_VSM_FAULT_NONE;
}

/* Check an address that is in another CTA's window, or that is spelled .shared::cluster. */
enum drm_vsm_fault vsm_remote_check(const struct vsm_geometry *geo,
				    const struct drm_vsm_insn *insn)
{
	const struct vsm_op_info *op = vsm_insn_op(insn);

	if (insn->space == DRM_VSM_SPACE_SHARED_CTA && op->traits & VSM_OP_REMOTE)
		return DRM_VSM_FAULT_OUT_OF_WINDOW;
	/*
	 * PTX 9.7.13.15.8 lists the operations on .shared::cluster. None of them returns a value.
	 */
	if (!(op->traits & VSM_OP_REMOTE) || geo->layout == VSM_LAYOUT_SM_80 ||
	    insn->mods & MOD(NOCOMPLETE) ||
	    (op->traits & VSM_OP_VALUE && !(insn->mods & MOD(SINK))))
		return DRM_VSM_FAULT_REMOTE_FORBIDDEN;
	return DRM_VSM_FAULT_NONE;
}

/* The feature that a device with this operation has, &enum drm_vsm_feature. */
static __u64 vsm_insn_feature(const struct drm_vsm_insn *insn)
{
	switch (insn->op) {
	case DRM_VSM_OP_FENCE:
		return DRM_VSM_FEATURE_FENCE;
	case DRM_VSM_OP_CP_ASYNC:
	case DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE:
	case DRM_VSM_OP_FENCE_MBARRIER_INIT:
		return DRM_VSM_FEATURE_CP_ASYNC;
	case DRM_VSM_OP_CP_ASYNC_BULK_G2S:
	case DRM_VSM_OP_CP_ASYNC_BULK_S2G:
		return DRM_VSM_FEATURE_BULK_COPY;
	default:
		return vsm_insn_is_mbarrier(insn) ? DRM_VSM_FEATURE_MBARRIER :
		       vsm_insn_is_rendezvous(insn) ? DRM_VSM_FEATURE_RENDEZVOUS :
						      DRM_VSM_FEATURE_COPY;
	}
}

/*
 * Find the form of an instruction.
 * @insn: The instruction, any bit pattern
 */
void vsm_insn_decode(const struct vsm_geometry *geo, const struct drm_vsm_insn *insn,
		     struct vsm_form *form)
{
	const struct vsm_op_info *op;

	form->head = vsm_insn_head(insn);
	form->takes = 0;
	form->error = 0;
	form->fault = DRM_VSM_FAULT_NONE;
	if (insn->op >= sizeof(ops) / sizeof(ops[0]))
		return;
	op = vsm_insn_op(insn);
	form->takes = vsm_insn_takes(op, insn->mods);
	if (form->takes &&
	    (!vsm_insn_is_mbarrier(insn) || vsm_insn_makes_visible(insn)))
		form->takes |= VSM_FORM_RARE;
	if (vsm_insn_feature(insn) & geo->lacks) {
		form->error = -EOPNOTSUPP;
		return;
	}
	if (geo->layout == VSM_LAYOUT_SM_90 && !vsm_quals(insn) &&
	    !(form->takes & (VSM_TAKES_NOTHING | VSM_TAKES_TENSOR | VSM_TAKES_RED)))
		return;

	if (!vsm_quals_valid(insn, form->takes)) {
		form->takes = 0;
		return;
	}
	if (geo->layout == VSM_LAYOUT_SM_80 && !vsm_sm_80_has(op, insn)) {
		form->error = -EOPNOTSUPP;
		return;
	}
	form->fault = vsm_order_check(op, insn);
	if (form->fault)
		form->error = -EPROTO;
}

/* May the instruction be part of a job? */
bool vsm_insn_can_queue(const struct drm_vsm_insn *insn)
{
	const struct vsm_op_info *op = vsm_insn_op(insn);

	return op->traits & VSM_OP_JOB && (!(op->traits & VSM_OP_VALUE) || insn->mods & MOD(SINK));
}

/**
 * vsm_insn_can_arm - Can a wait set arm the instruction itself?
 * @insn: An instruction, which need not be a valid one
 */
bool vsm_insn_can_arm(const struct drm_vsm_insn *insn)
{
	return insn->op < sizeof(ops) / sizeof(ops[0]) &&
	       vsm_insn_op(insn)->traits & VSM_OP_WAIT_SET;
}

/* Is the instruction an asynchronous operation that may be part of a job? */
bool vsm_insn_is_job_op(const struct drm_vsm_insn *insn)
{
	return !(~vsm_insn_op(insn)->traits & (VSM_OP_ASYNC | VSM_OP_JOB));
}

/*
 * Does the instruction make all inits of its CTA visible to the cluster?
 *
 * A release of scope .cluster or wider does: it orders everything that its thread knows of.
 * fence.mbarrier_init does not: only the inits of its own thread become visible.
 */
bool vsm_insn_makes_visible(const struct drm_vsm_insn *insn)
{
	if (insn->op == DRM_VSM_OP_FENCE)
		return insn->sem != DRM_VSM_SEM_ACQUIRE && insn->scope >= DRM_VSM_SCOPE_CLUSTER;
	return insn->sem == DRM_VSM_SEM_RELEASE && insn->scope == DRM_VSM_SCOPE_CLUSTER &&
	       insn->op != DRM_VSM_OP_FENCE_MBARRIER_INIT;
}
