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

#define MODS	64
#define SEM(x)	(1 << DRM_VSM_SEM_##x)
#define MOD(x)	DRM_VSM_MOD_##x

/**
 * struct vsm_op - What holds for all forms of an operation
 * @sems: .sem qualifiers allowed
 * @remote: Works on another CTA's window
 * @value: Returns a value, which a remote form cannot
 * @sm_80: Exists in layout sm_80
 * @queue: May be in a job: cannot suspend and leaves no result
 * @takes: The operands of each form, by modifiers; 0 where there is no such form
 */
struct vsm_op {
	__u8 sems;
	bool remote;
	bool value;
	bool sm_80;
	bool queue;
	__u16 takes[MODS];
};

#define ARRIVE_FORMS {								\
	[0]						= ADDR,			\
	[MOD(COUNT)]					= ADDR | COUNT,		\
	[MOD(EXPECT_TX)]				= ADDR | TX,		\
	[MOD(NOCOMPLETE) | MOD(COUNT)]			= ADDR | COUNT,		\
	[MOD(SINK)]					= ADDR,			\
	[MOD(SINK) | MOD(COUNT)]			= ADDR | COUNT,		\
	[MOD(SINK) | MOD(EXPECT_TX)]			= ADDR | TX,		\
	[MOD(SINK) | MOD(NOCOMPLETE) | MOD(COUNT)]	= ADDR | COUNT,		\
}

/*
 * All forms there are: PTX 9.7.13.15.9 to .17 and cp.async.bulk. Layout sm_80 has
 * what PTX's target notes do not reserve for sm_90.
 */
static const struct vsm_op ops[] = {
	[DRM_VSM_OP_MBARRIER_INIT] = {
		.sm_80 = true,
		.takes = { [0] = ADDR | COUNT },
	},
	[DRM_VSM_OP_MBARRIER_INVAL] = {
		.sm_80 = true,
		.takes = { [0] = ADDR },
	},
	[DRM_VSM_OP_MBARRIER_ARRIVE] = {
		.sems = SEM(RELEASE) | SEM(RELAXED),
		.remote = true, .value = true, .sm_80 = true, .queue = true,
		.takes = ARRIVE_FORMS,
	},
	[DRM_VSM_OP_MBARRIER_ARRIVE_DROP] = {
		.sems = SEM(RELEASE) | SEM(RELAXED),
		.remote = true, .value = true, .sm_80 = true, .queue = true,
		.takes = ARRIVE_FORMS,
	},
	[DRM_VSM_OP_MBARRIER_EXPECT_TX] = {
		.sems = SEM(RELAXED), .remote = true, .queue = true,
		.takes = { [0] = ADDR | TX },
	},
	[DRM_VSM_OP_MBARRIER_COMPLETE_TX] = {
		.sems = SEM(RELAXED), .remote = true, .queue = true,
		.takes = { [0] = ADDR | TX },
	},
	[DRM_VSM_OP_MBARRIER_TEST_WAIT] = {
		.sems = SEM(ACQUIRE) | SEM(RELAXED), .sm_80 = true,
		.takes = {
			[0]		= ADDR | STATE,
			[MOD(PARITY)]	= ADDR | PARITY,
		},
	},
	[DRM_VSM_OP_MBARRIER_TRY_WAIT] = {
		.sems = SEM(ACQUIRE) | SEM(RELAXED),
		.takes = {
			[0]				= ADDR | STATE,
			[MOD(PARITY)]			= ADDR | PARITY,
			[MOD(HINT)]			= ADDR | STATE | HINT,
			[MOD(HINT) | MOD(PARITY)]	= ADDR | PARITY | HINT,
		},
	},
	[DRM_VSM_OP_MBARRIER_PENDING_COUNT] = {
		.sm_80 = true,
		.takes = { [0] = STATE },
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_G2S] = {
		.remote = true, .queue = true,
		.takes = { [0] = COPY | MBAR },
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_S2G] = {
		.queue = true,
		.takes = { [0] = COPY },
	},
};

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

	__builtin_memcpy(&quals, (const char *)insn + offsetof(struct drm_vsm_insn, space),
			 sizeof(quals));
	return quals;
}

/* Do the qualifiers have values that PTX can spell? */
static bool vsm_quals_valid(const struct drm_vsm_insn *insn, int takes)
{
	return insn->space <= DRM_VSM_SPACE_SHARED_CLUSTER &&
	       insn->sem <= DRM_VSM_SEM_RELEASE && insn->scope <= DRM_VSM_SCOPE_CLUSTER &&
	       !insn->pad && (takes & (ADDR | COPY) || !insn->space);
}

static inline bool vsm_mbarrier_operands_clean(const struct drm_vsm_mbarrier_operands *o,
					       int takes)
{
	return !((takes & ADDR ? 0 : o->addr) | (takes & COUNT ? 0 : o->count) |
		 (takes & TX ? 0 : o->tx_count) | (takes & PARITY ? 0 : o->parity) |
		 (takes & HINT ? 0 : o->hint_ns) | (takes & STATE ? 0 : o->state) |
		 o->pad | o->reserved);
}

static bool vsm_sm_80_has(const struct vsm_op *op, const struct drm_vsm_insn *insn)
{
	return op->sm_80 && !(insn->mods & MOD(EXPECT_TX)) &&
	       (insn->mods & (MOD(COUNT) | MOD(NOCOMPLETE))) != MOD(COUNT) &&
	       insn->space != DRM_VSM_SPACE_SHARED_CLUSTER &&
	       insn->scope != DRM_VSM_SCOPE_CLUSTER && insn->sem != DRM_VSM_SEM_RELAXED;
}

static enum drm_vsm_fault vsm_order_check(const struct vsm_op *op,
					  const struct drm_vsm_insn *insn)
{
	if (!insn->sem && !insn->scope)
		return DRM_VSM_FAULT_NONE;
	if (!insn->sem || !insn->scope || !(op->sems & 1 << insn->sem))
		return DRM_VSM_FAULT_BAD_ORDER;
	if (insn->mods & MOD(NOCOMPLETE) &&
	    (insn->sem != DRM_VSM_SEM_RELEASE || insn->scope != DRM_VSM_SCOPE_CTA))
		return DRM_VSM_FAULT_BAD_ORDER;
	return DRM_VSM_FAULT_NONE;
}

/* An address in another CTA's window, or spelled as if it might be. */
static enum drm_vsm_fault vsm_remote_check(const struct vsm_geometry *geo,
					   const struct vsm_op *op,
					   const struct drm_vsm_insn *insn)
{
	if (insn->space == DRM_VSM_SPACE_SHARED_CTA && op->remote)
		return DRM_VSM_FAULT_OUT_OF_WINDOW;
	/* PTX 9.7.13.15.8: what .shared::cluster supports; none returns a value. */
	if (!op->remote || geo->layout == VSM_LAYOUT_SM_80 || insn->mods & MOD(NOCOMPLETE) ||
	    (op->value && !(insn->mods & MOD(SINK))))
		return DRM_VSM_FAULT_REMOTE_FORBIDDEN;
	return DRM_VSM_FAULT_NONE;
}

static inline enum drm_vsm_fault vsm_space_check(const struct vsm_geometry *geo, __u32 cta,
						 const struct vsm_op *op,
						 const struct drm_vsm_insn *insn, __u32 addr)
{
	if (vsm_addr_rank(addr) == cta && insn->space != DRM_VSM_SPACE_SHARED_CLUSTER)
		return DRM_VSM_FAULT_NONE;
	return vsm_remote_check(geo, op, insn);
}

static inline enum drm_vsm_fault vsm_mbarrier_insn_check(const struct vsm_geometry *geo, __u32 cta,
							 const struct vsm_op *op,
							 const struct drm_vsm_insn *insn, int takes)
{
	const struct drm_vsm_mbarrier_operands *o = &insn->u.mbarrier;
	enum drm_vsm_fault fault;

	if (takes & ADDR) {
		fault = vsm_addr_check(geo, o->addr, sizeof(__u64), sizeof(__u64));
		if (!fault)
			fault = vsm_space_check(geo, cta, op, insn, o->addr);
		if (fault)
			return fault;
	}
	if (takes & COUNT && geo->strict && (!o->count || o->count > VSM_MBARRIER_MAX_COUNT))
		return DRM_VSM_FAULT_BAD_COUNT;
	return DRM_VSM_FAULT_NONE;
}

static enum drm_vsm_fault vsm_copy_check(const struct vsm_geometry *geo, __u32 cta,
					 const struct vsm_op *op,
					 const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_copy_operands *o = &insn->u.copy;
	enum drm_vsm_fault fault = vsm_order_check(op, insn);

	if (fault)
		return fault;
	if (o->size % 16)
		return DRM_VSM_FAULT_COPY_SIZE;
	if (o->offset % 16)
		return DRM_VSM_FAULT_MISALIGNED;
	fault = vsm_addr_check(geo, o->addr, o->size, 16);
	if (!fault)
		fault = vsm_space_check(geo, cta, op, insn, o->addr);
	if (fault || insn->op == DRM_VSM_OP_CP_ASYNC_BULK_S2G)
		return fault;
	fault = vsm_addr_check(geo, o->mbar, sizeof(__u64), sizeof(__u64));
	if (!fault && vsm_addr_rank(o->mbar) != vsm_addr_rank(o->addr))
		fault = DRM_VSM_FAULT_COPY_MBARRIER;
	return fault;
}

static int vsm_copy_insn_check(const struct vsm_geometry *geo, __u32 cta,
			       const struct vsm_op *op, const struct drm_vsm_insn *insn,
			       int takes, enum drm_vsm_fault *fault)
{
	const struct drm_vsm_copy_operands *o = &insn->u.copy;

	if (o->reserved[0] || o->reserved[1] || (o->mbar && !(takes & MBAR)))
		return -EINVAL;
	if (geo->layout == VSM_LAYOUT_SM_80)
		return -EOPNOTSUPP;
	*fault = vsm_copy_check(geo, cta, op, insn);
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
	__u32 quals = vsm_quals(insn);
	enum drm_vsm_fault f = DRM_VSM_FAULT_NONE;
	const struct vsm_op *op;
	int takes;

	if (insn->op >= sizeof(ops) / sizeof(ops[0]) || insn->mods >= MODS)
		return -EINVAL;
	op = &ops[insn->op];
	takes = op->takes[insn->mods];
	if (!takes || (quals && !vsm_quals_valid(insn, takes)))
		return -EINVAL;
	if (takes & COPY)
		return vsm_copy_insn_check(geo, cta, op, insn, takes, fault);
	if (!vsm_mbarrier_operands_clean(&insn->u.mbarrier, takes))
		return -EINVAL;
	if (geo->layout == VSM_LAYOUT_SM_80 && !vsm_sm_80_has(op, insn))
		return -EOPNOTSUPP;

	if (quals)
		f = vsm_order_check(op, insn);
	if (!f)
		f = vsm_mbarrier_insn_check(geo, cta, op, insn, takes);
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
	const struct vsm_op *op = &ops[insn->op];

	return op->queue && (!op->value || insn->mods & MOD(SINK));
}
