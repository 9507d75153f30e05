// SPDX-License-Identifier: GPL-2.0-only
/*
 * The forms of the instructions: which modifiers, qualifiers and operands each
 * operation takes, and which addresses. Nothing here looks at memory.
 */
#include "vsm_core.h"

/* Operands of a form; operands that it lacks must be 0. */
#define ADDR	(1 << 0)
#define COUNT	(1 << 1)
#define TX	(1 << 2)
#define PARITY	(1 << 3)
#define HINT	(1 << 4)
#define STATE	(1 << 5)
#define COPY	(1 << 6)
#define MBAR	(1 << 7)

#define SEM(x)	(1 << DRM_VSM_SEM_##x)
#define MOD(x)	DRM_VSM_MOD_##x

/**
 * struct vsm_form - What an operation takes
 * @mods: Modifiers allowed
 * @operands: Operands without modifiers
 * @sems: .sem qualifiers allowed
 * @remote: Works on another CTA's window
 * @sm_80: Exists in layout sm_80
 * @queue: May be in a job: cannot suspend and leaves no result
 */
struct vsm_form {
	__u16 mods;
	__u8 operands;
	__u8 sems;
	bool remote;
	bool sm_80;
	bool queue;
};

#define ARRIVE_MODS (MOD(COUNT) | MOD(EXPECT_TX) | MOD(NOCOMPLETE) | MOD(SINK))

/* PTX 9.7.13.15.9 to .17 and cp.async.bulk; "requires sm_90" as PTX's target notes say. */
static const struct vsm_form forms[] = {
	[DRM_VSM_OP_MBARRIER_INIT] = {
		.operands = ADDR | COUNT, .sm_80 = true,
	},
	[DRM_VSM_OP_MBARRIER_INVAL] = {
		.operands = ADDR, .sm_80 = true,
	},
	[DRM_VSM_OP_MBARRIER_ARRIVE] = {
		.operands = ADDR, .mods = ARRIVE_MODS, .sems = SEM(RELEASE) | SEM(RELAXED),
		.remote = true, .sm_80 = true, .queue = true,
	},
	[DRM_VSM_OP_MBARRIER_ARRIVE_DROP] = {
		.operands = ADDR, .mods = ARRIVE_MODS, .sems = SEM(RELEASE) | SEM(RELAXED),
		.remote = true, .sm_80 = true, .queue = true,
	},
	[DRM_VSM_OP_MBARRIER_EXPECT_TX] = {
		.operands = ADDR | TX, .sems = SEM(RELAXED), .remote = true, .queue = true,
	},
	[DRM_VSM_OP_MBARRIER_COMPLETE_TX] = {
		.operands = ADDR | TX, .sems = SEM(RELAXED), .remote = true, .queue = true,
	},
	[DRM_VSM_OP_MBARRIER_TEST_WAIT] = {
		.operands = ADDR | STATE, .mods = MOD(PARITY),
		.sems = SEM(ACQUIRE) | SEM(RELAXED), .sm_80 = true,
	},
	[DRM_VSM_OP_MBARRIER_TRY_WAIT] = {
		.operands = ADDR | STATE, .mods = MOD(PARITY) | MOD(HINT),
		.sems = SEM(ACQUIRE) | SEM(RELAXED),
	},
	[DRM_VSM_OP_MBARRIER_PENDING_COUNT] = {
		.operands = STATE, .sm_80 = true,
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_G2S] = {
		.operands = COPY | MBAR, .remote = true, .queue = true,
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_S2G] = {
		.operands = COPY, .queue = true,
	},
};

static const struct vsm_form *vsm_form(const struct drm_vsm_insn *insn)
{
	if (insn->op >= sizeof(forms) / sizeof(forms[0]) || !forms[insn->op].operands)
		return NULL;
	return &forms[insn->op];
}

/**
 * vsm_geometry_valid - Can a cluster have this shape?
 * @geo: Geometry that user space asks for
 */
bool vsm_geometry_valid(const struct vsm_geometry *geo)
{
	return geo->ctas >= 1 && geo->ctas <= VSM_MAX_CTAS &&
	       geo->threads >= 1 && geo->threads <= VSM_MAX_THREADS &&
	       geo->smem_bytes >= 16 && geo->smem_bytes <= VSM_MAX_SMEM &&
	       geo->smem_bytes % 16 == 0 &&
	       (geo->layout == VSM_LAYOUT_SM_90 || geo->layout == VSM_LAYOUT_SM_80);
}

/**
 * vsm_addr_check - Is a range of cluster shared memory there and aligned?
 * @geo: Geometry of the cluster
 * @addr: Cluster shared address
 * @size: Bytes
 * @align: Alignment, a power of two
 */
enum drm_vsm_fault vsm_addr_check(const struct vsm_geometry *geo, __u32 addr,
				  __u32 size, __u32 align)
{
	if (addr & (align - 1))
		return DRM_VSM_FAULT_MISALIGNED;
	if (vsm_addr_rank(addr) >= geo->ctas || size > geo->smem_bytes ||
	    vsm_addr_offset(addr) > geo->smem_bytes - size)
		return DRM_VSM_FAULT_OUT_OF_WINDOW;
	return DRM_VSM_FAULT_NONE;
}

static bool vsm_mbarrier_operands_clean(const struct drm_vsm_mbarrier_operands *o, int takes)
{
	return (takes & ADDR || !o->addr) && (takes & COUNT || !o->count) &&
	       (takes & TX || !o->tx_count) && (takes & PARITY || !o->parity) &&
	       (takes & HINT || !o->hint_ns) && (takes & STATE || !o->state) &&
	       !o->pad && !o->reserved;
}

static enum drm_vsm_fault vsm_order_check(const struct vsm_form *form,
					  const struct drm_vsm_insn *insn)
{
	if (!insn->sem && !insn->scope)
		return DRM_VSM_FAULT_NONE;
	if (!insn->sem || !insn->scope || !(form->sems & 1 << insn->sem))
		return DRM_VSM_FAULT_BAD_ORDER;
	if (insn->mods & MOD(NOCOMPLETE) &&
	    (insn->sem != DRM_VSM_SEM_RELEASE || insn->scope != DRM_VSM_SCOPE_CTA))
		return DRM_VSM_FAULT_BAD_ORDER;
	return DRM_VSM_FAULT_NONE;
}

/* An address in a space that the instruction may name there. */
static enum drm_vsm_fault vsm_space_check(const struct vsm_form *form, __u32 cta,
					  const struct drm_vsm_insn *insn, __u32 addr)
{
	bool local = vsm_addr_rank(addr) == cta;

	if (insn->space == DRM_VSM_SPACE_SHARED_CTA && !local && form->remote)
		return DRM_VSM_FAULT_OUT_OF_WINDOW;
	if (insn->space != DRM_VSM_SPACE_SHARED_CLUSTER && local)
		return DRM_VSM_FAULT_NONE;
	/* PTX 9.7.13.15.8: what .shared::cluster supports; none returns a value. */
	if (!form->remote || insn->mods & MOD(NOCOMPLETE) ||
	    (form->mods & MOD(SINK) && !(insn->mods & MOD(SINK))))
		return DRM_VSM_FAULT_REMOTE_FORBIDDEN;
	return DRM_VSM_FAULT_NONE;
}

static int vsm_mbarrier_insn_check(const struct vsm_geometry *geo, __u32 cta,
				   const struct vsm_form *form,
				   const struct drm_vsm_insn *insn, enum drm_vsm_fault *fault)
{
	const struct drm_vsm_mbarrier_operands *o = &insn->u.mbarrier;
	int takes = form->operands;

	if (insn->mods & MOD(COUNT))
		takes |= COUNT;
	if (insn->mods & MOD(EXPECT_TX))
		takes |= TX;
	if (insn->mods & MOD(PARITY))
		takes ^= STATE | PARITY;
	if (insn->mods & MOD(HINT))
		takes |= HINT;
	if (!vsm_mbarrier_operands_clean(o, takes))
		return -EINVAL;
	if (insn->mods & MOD(COUNT) ? !!(insn->mods & MOD(EXPECT_TX))
				    : !!(insn->mods & MOD(NOCOMPLETE)))
		return -EINVAL;

	if (geo->layout == VSM_LAYOUT_SM_80 &&
	    (!form->sm_80 || insn->mods & MOD(EXPECT_TX) ||
	     (insn->mods & (MOD(COUNT) | MOD(NOCOMPLETE))) == MOD(COUNT) ||
	     insn->space == DRM_VSM_SPACE_SHARED_CLUSTER ||
	     insn->scope == DRM_VSM_SCOPE_CLUSTER || insn->sem == DRM_VSM_SEM_RELAXED))
		return -EOPNOTSUPP;

	*fault = vsm_order_check(form, insn);
	if (!*fault && takes & ADDR)
		*fault = vsm_addr_check(geo, o->addr, sizeof(__u64), sizeof(__u64));
	if (!*fault && takes & ADDR)
		*fault = vsm_space_check(form, cta, insn, o->addr);
	if (!*fault && takes & COUNT && geo->strict &&
	    (!o->count || o->count > VSM_MBARRIER_MAX_COUNT))
		*fault = DRM_VSM_FAULT_BAD_COUNT;
	return *fault ? -EPROTO : 0;
}

static int vsm_copy_insn_check(const struct vsm_geometry *geo, __u32 cta,
			       const struct vsm_form *form,
			       const struct drm_vsm_insn *insn, enum drm_vsm_fault *fault)
{
	const struct drm_vsm_copy_operands *o = &insn->u.copy;

	if (o->reserved[0] || o->reserved[1] || (!(form->operands & MBAR) && o->mbar))
		return -EINVAL;
	if (geo->layout == VSM_LAYOUT_SM_80)
		return -EOPNOTSUPP;

	*fault = vsm_order_check(form, insn);
	if (!*fault && o->size % 16)
		*fault = DRM_VSM_FAULT_COPY_SIZE;
	if (!*fault && o->offset % 16)
		*fault = DRM_VSM_FAULT_MISALIGNED;
	if (!*fault)
		*fault = vsm_addr_check(geo, o->addr, o->size, 16);
	if (!*fault)
		*fault = vsm_space_check(form, cta, insn, o->addr);
	if (!*fault && form->operands & MBAR) {
		*fault = vsm_addr_check(geo, o->mbar, sizeof(__u64), sizeof(__u64));
		if (!*fault && vsm_addr_rank(o->mbar) != vsm_addr_rank(o->addr))
			*fault = DRM_VSM_FAULT_COPY_MBARRIER;
	}
	return *fault ? -EPROTO : 0;
}

/**
 * vsm_insn_check - Check all of an instruction that does not depend on memory
 * @geo: Geometry of the cluster
 * @cta: Rank of the executing thread's CTA
 * @insn: The instruction; any bit pattern
 * @fault: Why it is misuse (out), &DRM_VSM_FAULT_NONE if it is not
 *
 * An instruction that PTX cannot spell is malformed; one that it can spell and
 * leaves undefined is misuse.
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP, or -EPROTO and @fault.
 */
int vsm_insn_check(const struct vsm_geometry *geo, __u32 cta,
		   const struct drm_vsm_insn *insn, enum drm_vsm_fault *fault)
{
	const struct vsm_form *form = vsm_form(insn);

	*fault = DRM_VSM_FAULT_NONE;
	if (!form || insn->mods & ~form->mods || insn->pad ||
	    insn->space > DRM_VSM_SPACE_SHARED_CLUSTER ||
	    insn->sem > DRM_VSM_SEM_RELEASE || insn->scope > DRM_VSM_SCOPE_CLUSTER)
		return -EINVAL;
	if (form->operands & COPY)
		return vsm_copy_insn_check(geo, cta, form, insn, fault);
	return vsm_mbarrier_insn_check(geo, cta, form, insn, fault);
}

/**
 * vsm_insn_can_queue - May the instruction be part of a job?
 * @insn: A checked instruction
 */
bool vsm_insn_can_queue(const struct drm_vsm_insn *insn)
{
	const struct vsm_form *form = vsm_form(insn);

	return form->queue && (!(form->mods & MOD(SINK)) || insn->mods & MOD(SINK));
}

/**
 * vsm_insn_is_copy - Does the instruction move data?
 * @insn: A checked instruction
 */
bool vsm_insn_is_copy(const struct drm_vsm_insn *insn)
{
	return vsm_form(insn)->operands & COPY;
}
