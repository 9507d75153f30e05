// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks of the operands of all instructions that are not mbarrier operations: copies, tensor
 * copies, stores, warp operations and barriers. No function here reads the cluster's memory.
 */
#include "vsm_core.h"
#include "vsm_reduce.h"
#include "vsm_rendezvous.h"

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
