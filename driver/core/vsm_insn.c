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
	return insn->op < sizeof(forms) / sizeof(forms[0]) ? &forms[insn->op] : &forms[0];
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

/* All four bytes of qualifiers and padding, to see whether there are any. */
static inline __u32 vsm_quals(const struct drm_vsm_insn *insn)
{
	__u32 quals;

	__builtin_memcpy(&quals, &insn->space, sizeof(quals));
	return quals;
}

/* Do the qualifiers have values that PTX can spell? */
static bool vsm_quals_valid(const struct vsm_form *form, const struct drm_vsm_insn *insn)
{
	return insn->space <= DRM_VSM_SPACE_SHARED_CLUSTER &&
	       insn->sem <= DRM_VSM_SEM_RELEASE && insn->scope <= DRM_VSM_SCOPE_CLUSTER &&
	       !insn->pad && (form->operands & (ADDR | COPY) || !insn->space);
}

/* The operands that a form takes with its modifiers, 0 if PTX cannot combine them. */
static int vsm_mods_takes(const struct vsm_form *form, __u16 mods)
{
	int takes = form->operands;

	if (mods & ~form->mods || mods & (mods & MOD(COUNT) ? MOD(EXPECT_TX) : MOD(NOCOMPLETE)))
		return 0;
	if (mods & MOD(COUNT))
		takes |= COUNT;
	if (mods & MOD(EXPECT_TX))
		takes |= TX;
	if (mods & MOD(PARITY))
		takes ^= STATE | PARITY;
	if (mods & MOD(HINT))
		takes |= HINT;
	return takes;
}

static bool vsm_mbarrier_operands_clean(const struct drm_vsm_mbarrier_operands *o, int takes)
{
	return !((takes & ADDR ? 0 : o->addr) | (takes & COUNT ? 0 : o->count) |
		 (takes & TX ? 0 : o->tx_count) | (takes & PARITY ? 0 : o->parity) |
		 (takes & HINT ? 0 : o->hint_ns) | (takes & STATE ? 0 : o->state) |
		 o->pad | o->reserved);
}

static bool vsm_sm_80_has(const struct vsm_form *form, const struct drm_vsm_insn *insn)
{
	return form->sm_80 && !(insn->mods & MOD(EXPECT_TX)) &&
	       (insn->mods & (MOD(COUNT) | MOD(NOCOMPLETE))) != MOD(COUNT) &&
	       insn->space != DRM_VSM_SPACE_SHARED_CLUSTER &&
	       insn->scope != DRM_VSM_SCOPE_CLUSTER && insn->sem != DRM_VSM_SEM_RELAXED;
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

/* An address in another CTA's window, or spelled as if it might be. */
static enum drm_vsm_fault vsm_remote_check(const struct vsm_geometry *geo,
					   const struct vsm_form *form,
					   const struct drm_vsm_insn *insn)
{
	if (insn->space == DRM_VSM_SPACE_SHARED_CTA && form->remote)
		return DRM_VSM_FAULT_OUT_OF_WINDOW;
	/* PTX 9.7.13.15.8: what .shared::cluster supports; none returns a value. */
	if (!form->remote || geo->layout == VSM_LAYOUT_SM_80 || insn->mods & MOD(NOCOMPLETE) ||
	    (form->mods & MOD(SINK) && !(insn->mods & MOD(SINK))))
		return DRM_VSM_FAULT_REMOTE_FORBIDDEN;
	return DRM_VSM_FAULT_NONE;
}

static inline enum drm_vsm_fault vsm_space_check(const struct vsm_geometry *geo, __u32 cta,
						 const struct vsm_form *form,
						 const struct drm_vsm_insn *insn, __u32 addr)
{
	if (vsm_addr_rank(addr) == cta && insn->space != DRM_VSM_SPACE_SHARED_CLUSTER)
		return DRM_VSM_FAULT_NONE;
	return vsm_remote_check(geo, form, insn);
}

static inline enum drm_vsm_fault vsm_mbarrier_insn_check(const struct vsm_geometry *geo, __u32 cta,
							 const struct vsm_form *form,
							 const struct drm_vsm_insn *insn, int takes)
{
	const struct drm_vsm_mbarrier_operands *o = &insn->u.mbarrier;
	enum drm_vsm_fault fault;

	if (takes & ADDR) {
		fault = vsm_addr_check(geo, o->addr, sizeof(__u64), sizeof(__u64));
		if (!fault)
			fault = vsm_space_check(geo, cta, form, insn, o->addr);
		if (fault)
			return fault;
	}
	if (takes & COUNT && geo->strict && (!o->count || o->count > VSM_MBARRIER_MAX_COUNT))
		return DRM_VSM_FAULT_BAD_COUNT;
	return DRM_VSM_FAULT_NONE;
}

static enum drm_vsm_fault vsm_copy_check(const struct vsm_geometry *geo, __u32 cta,
					 const struct vsm_form *form,
					 const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_copy_operands *o = &insn->u.copy;
	enum drm_vsm_fault fault = vsm_order_check(form, insn);

	if (fault)
		return fault;
	if (o->size % 16)
		return DRM_VSM_FAULT_COPY_SIZE;
	if (o->offset % 16)
		return DRM_VSM_FAULT_MISALIGNED;
	fault = vsm_addr_check(geo, o->addr, o->size, 16);
	if (!fault)
		fault = vsm_space_check(geo, cta, form, insn, o->addr);
	if (fault || !(form->operands & MBAR))
		return fault;
	fault = vsm_addr_check(geo, o->mbar, sizeof(__u64), sizeof(__u64));
	if (!fault && vsm_addr_rank(o->mbar) != vsm_addr_rank(o->addr))
		fault = DRM_VSM_FAULT_COPY_MBARRIER;
	return fault;
}

static int vsm_copy_insn_check(const struct vsm_geometry *geo, __u32 cta,
			       const struct vsm_form *form,
			       const struct drm_vsm_insn *insn, enum drm_vsm_fault *fault)
{
	const struct drm_vsm_copy_operands *o = &insn->u.copy;

	if (o->reserved[0] || o->reserved[1] || (o->mbar && !(form->operands & MBAR)))
		return -EINVAL;
	if (geo->layout == VSM_LAYOUT_SM_80)
		return -EOPNOTSUPP;
	*fault = vsm_copy_check(geo, cta, form, insn);
	return *fault ? -EPROTO : 0;
}

/**
 * vsm_insn_check - Check all of an instruction that does not depend on memory
 * @geo: Geometry of the cluster
 * @cta: Rank of the executing thread's CTA
 * @insn: The instruction; any bit pattern
 * @fault: Why it is misuse (out, with -EPROTO)
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
	/* Most instructions spell neither modifiers nor qualifiers. */
	__u32 quals = vsm_quals(insn);
	int takes = insn->mods ? vsm_mods_takes(form, insn->mods) : form->operands;
	enum drm_vsm_fault f = DRM_VSM_FAULT_NONE;

	if (!takes || (quals && !vsm_quals_valid(form, insn)))
		return -EINVAL;
	if (takes & COPY)
		return vsm_copy_insn_check(geo, cta, form, insn, fault);
	if (!vsm_mbarrier_operands_clean(&insn->u.mbarrier, takes))
		return -EINVAL;
	if (geo->layout == VSM_LAYOUT_SM_80 && !vsm_sm_80_has(form, insn))
		return -EOPNOTSUPP;

	if (quals)
		f = vsm_order_check(form, insn);
	if (!f)
		f = vsm_mbarrier_insn_check(geo, cta, form, insn, takes);
	if (!f)
		return 0;
	*fault = f;
	return -EPROTO;
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
