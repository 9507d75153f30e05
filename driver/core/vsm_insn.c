// SPDX-License-Identifier: GPL-2.0-only
/*
 * The forms of the instructions: which modifiers, qualifiers and operands each
 * operation takes, and which addresses. Nothing here looks at memory.
 */
#include "vsm_core.h"

#define ADDR	VSM_TAKES_ADDR
#define COUNT	VSM_TAKES_COUNT
#define TX	VSM_TAKES_TX
#define PARITY	VSM_TAKES_PARITY
#define HINT	VSM_TAKES_HINT
#define STATE	VSM_TAKES_STATE
#define COPY	VSM_TAKES_COPY
#define MBAR	VSM_TAKES_MBAR
#define ELEMENT	VSM_TAKES_ELEMENT
#define SRC	VSM_TAKES_SRC_SIZE
#define NOTHING	VSM_TAKES_NOTHING
#define SEM(x)	(1 << DRM_VSM_SEM_##x)
#define MOD(x)	DRM_VSM_MOD_##x

/**
 * struct vsm_op_form - A form of an operation
 * @mods: Its modifiers
 * @takes: Its operands
 */
struct vsm_op_form {
	__u16 mods;
	__u16 takes;
};

/**
 * struct vsm_op - What holds for all forms of an operation
 * @sems: .sem qualifiers allowed
 * @remote: Works on another CTA's window
 * @value: Returns a value, which a remote form cannot
 * @sm_80: Exists in layout sm_80
 * @queue: May be in a job: cannot suspend and leaves no result
 * @forms: All forms; the rest is zeros
 */
struct vsm_op {
	__u8 sems;
	bool remote;
	bool value;
	bool sm_80;
	bool queue;
	struct vsm_op_form forms[8];
};

#define ARRIVE_FORMS {							\
	{ 0, ADDR },							\
	{ MOD(COUNT), ADDR | COUNT },					\
	{ MOD(EXPECT_TX), ADDR | TX },					\
	{ MOD(NOCOMPLETE) | MOD(COUNT), ADDR | COUNT },			\
	{ MOD(SINK), ADDR },						\
	{ MOD(SINK) | MOD(COUNT), ADDR | COUNT },			\
	{ MOD(SINK) | MOD(EXPECT_TX), ADDR | TX },			\
	{ MOD(SINK) | MOD(NOCOMPLETE) | MOD(COUNT), ADDR | COUNT },	\
}

/*
 * All forms there are: PTX 9.7.13.15.9 to .17, fence.mbarrier_init, cp.async and
 * cp.async.bulk. Layout sm_80 has what PTX's target notes do not reserve for sm_90.
 */
static const struct vsm_op ops[] = {
	[DRM_VSM_OP_MBARRIER_INIT] = {
		.sm_80 = true,
		.forms = { { 0, ADDR | COUNT } },
	},
	[DRM_VSM_OP_MBARRIER_INVAL] = {
		.sm_80 = true,
		.forms = { { 0, ADDR } },
	},
	[DRM_VSM_OP_MBARRIER_ARRIVE] = {
		.sems = SEM(RELEASE) | SEM(RELAXED),
		.remote = true, .value = true, .sm_80 = true, .queue = true,
		.forms = ARRIVE_FORMS,
	},
	[DRM_VSM_OP_MBARRIER_ARRIVE_DROP] = {
		.sems = SEM(RELEASE) | SEM(RELAXED),
		.remote = true, .value = true, .sm_80 = true, .queue = true,
		.forms = ARRIVE_FORMS,
	},
	[DRM_VSM_OP_MBARRIER_EXPECT_TX] = {
		.sems = SEM(RELAXED), .remote = true, .queue = true,
		.forms = { { 0, ADDR | TX } },
	},
	[DRM_VSM_OP_MBARRIER_COMPLETE_TX] = {
		.sems = SEM(RELAXED), .remote = true, .queue = true,
		.forms = { { 0, ADDR | TX } },
	},
	[DRM_VSM_OP_MBARRIER_TEST_WAIT] = {
		.sems = SEM(ACQUIRE) | SEM(RELAXED), .sm_80 = true,
		.forms = {
			{ 0, ADDR | STATE },
			{ MOD(PARITY), ADDR | PARITY },
		},
	},
	[DRM_VSM_OP_MBARRIER_TRY_WAIT] = {
		.sems = SEM(ACQUIRE) | SEM(RELAXED),
		.forms = {
			{ 0, ADDR | STATE },
			{ MOD(PARITY), ADDR | PARITY },
			{ MOD(HINT), ADDR | STATE | HINT },
			{ MOD(HINT) | MOD(PARITY), ADDR | PARITY | HINT },
		},
	},
	[DRM_VSM_OP_MBARRIER_PENDING_COUNT] = {
		.sm_80 = true,
		.forms = { { 0, STATE } },
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_G2S] = {
		.remote = true, .queue = true,
		.forms = { { 0, COPY | MBAR } },
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_S2G] = {
		.queue = true,
		.forms = { { 0, COPY } },
	},
	[DRM_VSM_OP_FENCE_MBARRIER_INIT] = {
		.sems = SEM(RELEASE),
		.forms = { { 0, NOTHING } },
	},
	[DRM_VSM_OP_CP_ASYNC] = {
		.sm_80 = true,
		.forms = {
			{ 0, COPY | ELEMENT },
			{ MOD(CG), COPY | ELEMENT },
			{ MOD(SRC_SIZE), COPY | ELEMENT | SRC },
			{ MOD(SRC_SIZE) | MOD(CG), COPY | ELEMENT | SRC },
		},
	},
	[DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE] = {
		.sm_80 = true,
		.forms = {
			{ 0, ADDR },
			{ MOD(NOINC), ADDR },
		},
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

static int vsm_op_takes(const struct vsm_op *op, __u16 mods)
{
	size_t i;

	/* The zeros at the end are no form for anything but 0, which comes first. */
	for (i = 0; i < sizeof(op->forms) / sizeof(op->forms[0]); i++)
		if (op->forms[i].mods == mods)
			return op->forms[i].takes;
	return 0;
}

/* Are there qualifiers, or is there a reduction? */
static inline bool vsm_quals(const struct drm_vsm_insn *insn)
{
	return insn->space | insn->sem | insn->scope | insn->red;
}

/* Do the qualifiers have values that PTX can spell? */
static bool vsm_quals_valid(const struct drm_vsm_insn *insn, int takes)
{
	/* fence.mbarrier_init is spelled in one way. */
	if (takes & NOTHING && (insn->sem != DRM_VSM_SEM_RELEASE ||
				insn->scope != DRM_VSM_SCOPE_CLUSTER))
		return false;
	return insn->space <= DRM_VSM_SPACE_SHARED_CLUSTER &&
	       insn->sem <= DRM_VSM_SEM_RELEASE && insn->scope <= DRM_VSM_SCOPE_CLUSTER &&
	       !insn->red && (takes & (ADDR | COPY) || !insn->space);
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
enum drm_vsm_fault vsm_remote_check(const struct vsm_geometry *geo,
				    const struct drm_vsm_insn *insn)
{
	const struct vsm_op *op = &ops[insn->op];

	if (insn->space == DRM_VSM_SPACE_SHARED_CTA && op->remote)
		return DRM_VSM_FAULT_OUT_OF_WINDOW;
	/* PTX 9.7.13.15.8: what .shared::cluster supports; none returns a value. */
	if (!op->remote || geo->layout == VSM_LAYOUT_SM_80 || insn->mods & MOD(NOCOMPLETE) ||
	    (op->value && !(insn->mods & MOD(SINK))))
		return DRM_VSM_FAULT_REMOTE_FORBIDDEN;
	return DRM_VSM_FAULT_NONE;
}

/**
 * vsm_insn_decode - Find the form of an instruction
 * @geo: Geometry of the cluster
 * @insn: The instruction; any bit pattern
 * @form: Its form (out)
 */
void vsm_insn_decode(const struct vsm_geometry *geo, const struct drm_vsm_insn *insn,
		     struct vsm_form *form)
{
	const struct vsm_op *op;

	form->head = vsm_insn_head(insn);
	form->takes = 0;
	form->error = 0;
	form->fault = DRM_VSM_FAULT_NONE;
	if (insn->op >= sizeof(ops) / sizeof(ops[0]))
		return;
	op = &ops[insn->op];
	form->takes = vsm_op_takes(op, insn->mods);
	if (form->takes && (insn->op >= DRM_VSM_OP_CP_ASYNC_BULK_G2S || vsm_insn_publishes(insn)))
		form->takes |= VSM_FORM_RARE;
	if (geo->layout == VSM_LAYOUT_SM_90 && !vsm_quals(insn) && !(form->takes & NOTHING))
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

static enum drm_vsm_fault vsm_copy_check(const struct vsm_geometry *geo, __u32 cta,
					 const struct vsm_form *form,
					 const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_copy_operands *o = &insn->u.copy;
	__u32 align = form->takes & ELEMENT ? o->size : 16;
	enum drm_vsm_fault fault;

	if (o->size % align || o->src_size > o->size)
		return DRM_VSM_FAULT_COPY_SIZE;
	if (o->offset % align)
		return DRM_VSM_FAULT_MISALIGNED;
	fault = vsm_addr_check(geo, o->addr, o->size, align);
	if (!fault)
		fault = vsm_space_check(geo, cta, insn, o->addr);
	if (fault || !(form->takes & MBAR))
		return fault;
	fault = vsm_addr_check(geo, o->mbar, sizeof(__u64), sizeof(__u64));
	if (!fault && vsm_addr_rank(o->mbar) != vsm_addr_rank(o->addr))
		fault = DRM_VSM_FAULT_COPY_MBARRIER;
	return fault;
}

/* vsm_operands_check() for copies. */
int vsm_copy_operands_check(const struct vsm_geometry *geo, __u32 cta,
			    const struct vsm_form *form, const struct drm_vsm_insn *insn,
			    enum drm_vsm_fault *fault)
{
	const struct drm_vsm_copy_operands *o = &insn->u.copy;

	if (o->pad || o->reserved || (o->mbar && !(form->takes & MBAR)) ||
	    (o->src_size && !(form->takes & SRC)))
		return -EINVAL;
	/* cp-size is a constant of the instruction, which PTX cannot spell otherwise. */
	if (form->takes & ELEMENT && o->size != 16 &&
	    (insn->mods & MOD(CG) || (o->size != 4 && o->size != 8)))
		return -EINVAL;
	if (form->error && !form->fault)
		return form->error;
	*fault = form->fault ? form->fault : vsm_copy_check(geo, cta, form, insn);
	return *fault ? -EPROTO : 0;
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

/**
 * vsm_insn_is_async - Is the instruction asynchronous to the thread that issues it?
 * @insn: A checked instruction
 */
bool vsm_insn_is_async(const struct drm_vsm_insn *insn)
{
	return insn->op == DRM_VSM_OP_CP_ASYNC ||
	       insn->op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE;
}

/**
 * vsm_insn_publishes - Does the instruction publish all inits of its CTA to the cluster?
 * @insn: An instruction
 *
 * As fence.mbarrier_init publishes those of its thread; a release of .cluster scope
 * orders whatever is known to its thread.
 */
bool vsm_insn_publishes(const struct drm_vsm_insn *insn)
{
	return insn->sem == DRM_VSM_SEM_RELEASE && insn->scope == DRM_VSM_SCOPE_CLUSTER &&
	       insn->op != DRM_VSM_OP_FENCE_MBARRIER_INIT;
}
