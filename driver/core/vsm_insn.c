// SPDX-License-Identifier: GPL-2.0-only
/*
 * The forms of instructions: the modifiers, qualifiers and operands that each operation takes. No
 * function here reads the cluster's memory.
 */
#include "vsm_core.h"
#include "vsm_reduce.h"
#include "vsm_rendezvous.h"

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
#define GROUPS	VSM_TAKES_GROUPS
#define SHARED	VSM_TAKES_SHARED
#define MASK	VSM_TAKES_MASK
#define TENSOR	VSM_TAKES_TENSOR
#define STORE	VSM_TAKES_STORE
#define RED	VSM_TAKES_RED
#define OFFSETS	VSM_TAKES_OFFSETS
#define NOWHERE	VSM_TAKES_NO_WINDOW
#define WARP	VSM_TAKES_WARP
#define BARRIER	VSM_TAKES_BARRIER
#define SEM(x)	(1 << DRM_VSM_SEM_##x)
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
 * struct vsm_op_info - Properties that all forms of an operation share
 * @sems: Mask of the .sem qualifiers that the operation takes
 * @remote: The operation may work on another CTA's window
 * @value: The operation returns a value; such a form cannot be remote
 * @sm_80: The operation exists in layout sm_80
 * @queue: The operation may be in a job, because it cannot suspend and leaves no result
 * @scopeless: The operation takes .sem without .scope
 * @async: The operation is asynchronous to the thread that issues it
 * @forms: All forms of the operation; unused entries are zeros
 */
struct vsm_op_info {
	__u8 sems;
	bool remote;
	bool value;
	bool sm_80;
	bool queue;
	bool scopeless;
	bool async;
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
 * All forms: PTX 9.7.13.15.9 to .17, fence (9.7.13.4), 9.7.9.25, the asynchronous copies, st.async
 * (9.7.9.12), red.async (9.7.13.7), and the rendezvous and exit (vsm_rendezvous.h). Layout sm_80
 * has the forms that PTX's target notes do not reserve for sm_90.
 */
static const struct vsm_op_info ops[] = {
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
		.remote = true, .queue = true, .async = true,
		.forms = {
			{ 0, COPY | MBAR },
			{ MOD(MULTICAST), COPY | MBAR | MASK },
		},
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_S2G] = {
		.queue = true, .async = true,
		.forms = {
			{ 0, COPY },
			{ MOD(CP_MASK), COPY | MASK },
		},
	},
	[DRM_VSM_OP_FENCE_MBARRIER_INIT] = {
		.sems = SEM(RELEASE),
		.forms = { { 0, NOTHING } },
	},
	[DRM_VSM_OP_CP_ASYNC] = {
		.sm_80 = true, .async = true,
		.forms = {
			{ 0, COPY | ELEMENT },
			{ MOD(CG), COPY | ELEMENT },
			{ MOD(SRC_SIZE), COPY | ELEMENT | SRC },
			{ MOD(SRC_SIZE) | MOD(CG), COPY | ELEMENT | SRC },
		},
	},
	[DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE] = {
		.sm_80 = true, .async = true,
		.forms = {
			{ 0, ADDR },
			{ MOD(NOINC), ADDR },
		},
	},
	[DRM_VSM_OP_CP_ASYNC_COMMIT_GROUP] = {
		.sm_80 = true,
		.forms = { { 0, NOTHING } },
	},
	[DRM_VSM_OP_CP_ASYNC_WAIT_GROUP] = {
		.sm_80 = true,
		.forms = { { 0, GROUPS } },
	},
	[DRM_VSM_OP_CP_ASYNC_WAIT_ALL] = {
		.sm_80 = true,
		.forms = { { 0, NOTHING } },
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_S2S] = {
		.remote = true, .queue = true, .async = true,
		.forms = { { 0, COPY | MBAR | SHARED } },
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH] = {
		.queue = true, .async = true,
		.forms = { { 0, COPY | NOWHERE } },
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_COMMIT_GROUP] = {
		.forms = { { 0, NOTHING } },
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP] = {
		.forms = {
			{ 0, GROUPS },
			{ MOD(READ), GROUPS },
		},
	},
	[DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2G] = {
		.queue = true, .async = true,
		.forms = { { 0, COPY | RED } },
	},
	[DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2S] = {
		.remote = true, .queue = true, .async = true,
		.forms = { { 0, COPY | MBAR | SHARED | RED } },
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S] = {
		.remote = true, .queue = true, .async = true,
		.forms = {
			{ 0, TENSOR | MBAR },
			{ MOD(MULTICAST), TENSOR | MBAR | MASK },
			{ MOD(IM2COL), TENSOR | MBAR | OFFSETS },
			{ MOD(IM2COL) | MOD(MULTICAST), TENSOR | MBAR | MASK | OFFSETS },
		},
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_S2G] = {
		.queue = true, .async = true,
		.forms = {
			{ 0, TENSOR },
			{ MOD(IM2COL), TENSOR },
		},
	},
	[DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR] = {
		.queue = true, .async = true,
		.forms = {
			{ 0, TENSOR | RED },
			{ MOD(IM2COL), TENSOR | RED },
		},
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR] = {
		.queue = true, .async = true,
		.forms = {
			{ 0, TENSOR | NOWHERE },
			{ MOD(IM2COL), TENSOR | NOWHERE | OFFSETS },
		},
	},
	[DRM_VSM_OP_ST_ASYNC] = {
		.remote = true, .queue = true, .async = true,
		.forms = { { 0, STORE } },
	},
	[DRM_VSM_OP_RED_ASYNC] = {
		.remote = true, .queue = true, .async = true,
		.forms = { { 0, STORE | RED } },
	},
	[DRM_VSM_OP_MATCH_SYNC] = {
		.sm_80 = true,
		.forms = { { 0, WARP | RED } },
	},
	[DRM_VSM_OP_BAR_WARP_SYNC] = {
		.sm_80 = true,
		.forms = { { 0, WARP } },
	},
	[DRM_VSM_OP_ELECT_SYNC] = {
		.forms = { { 0, WARP } },
	},
	[DRM_VSM_OP_VOTE_SYNC] = {
		.sm_80 = true,
		.forms = { { 0, WARP | RED } },
	},
	[DRM_VSM_OP_SHFL_SYNC] = {
		.sm_80 = true,
		.forms = { { 0, WARP | RED } },
	},
	[DRM_VSM_OP_REDUX_SYNC] = {
		.sm_80 = true,
		.forms = { { 0, WARP | RED } },
	},
	[DRM_VSM_OP_BARRIER_SYNC] = {
		.sm_80 = true,
		.forms = {
			{ MOD(ALIGNED) | MOD(COUNT), BARRIER },
			{ MOD(ALIGNED), BARRIER },
			{ MOD(COUNT), BARRIER },
			{ 0, BARRIER },
		},
	},
	[DRM_VSM_OP_BARRIER_ARRIVE] = {
		.sm_80 = true,
		.forms = {
			{ MOD(ALIGNED) | MOD(COUNT), BARRIER },
			{ MOD(COUNT), BARRIER },
		},
	},
	[DRM_VSM_OP_BARRIER_RED] = {
		.sm_80 = true,
		.forms = {
			{ MOD(ALIGNED) | MOD(COUNT), BARRIER | RED },
			{ MOD(ALIGNED), BARRIER | RED },
			{ MOD(COUNT), BARRIER | RED },
			{ 0, BARRIER | RED },
		},
	},
	[DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE] = {
		.sems = SEM(RELEASE) | SEM(RELAXED), .scopeless = true,
		.forms = {
			{ 0, NOTHING },
			{ MOD(ALIGNED), NOTHING },
		},
	},
	[DRM_VSM_OP_BARRIER_CLUSTER_WAIT] = {
		.sems = SEM(ACQUIRE), .scopeless = true,
		.forms = {
			{ 0, NOTHING },
			{ MOD(ALIGNED), NOTHING },
		},
	},
	[DRM_VSM_OP_EXIT] = {
		.sm_80 = true,
		.forms = { { 0, NOTHING } },
	},
	[DRM_VSM_OP_FENCE] = {
		.sm_80 = true, .queue = true,
		.forms = { { 0, NOTHING } },
	},
};

/* A processor may execute this speculatively, before the operation is checked. */
static const struct vsm_op_info *vsm_insn_op(const struct drm_vsm_insn *insn)
{
	return &ops[array_index_nospec(insn->op, sizeof(ops) / sizeof(ops[0]))];
}

/**
 * vsm_geometry_invalid - Can a cluster not have this geometry?
 * @geo: Geometry that user space asks for
 *
 * Return: NULL if it can, or the name of the field that is wrong.
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
	 * form. A form with mods 0 stands before the unused entries and is found first.
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

	if (takes & TENSOR)
		return dims >= (insn->mods & MOD(IM2COL) ? 3 : 1) && dims <= 5 &&
		       op <= DRM_VSM_RED_XOR && !!op == !!(takes & RED);
	if (!(takes & RED))
		return !insn->red;
	if (takes & (WARP | BARRIER))
		return vsm_mode_valid(insn);
	if (takes & STORE)
		return vsm_reduce_valid(insn->red, VSM_REDUCE_RED_ASYNC);
	return vsm_reduce_valid(insn->red, takes & SHARED ? VSM_REDUCE_SHARED : VSM_REDUCE_GLOBAL);
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
	if (insn->space && (!(takes & (ADDR | VSM_TAKES_ASYNC)) || takes & NOWHERE))
		return false;
	return insn->space <= DRM_VSM_SPACE_SHARED_CLUSTER && vsm_order_valid(insn) &&
	       vsm_red_valid(insn, takes);
}

static bool vsm_sm_80_has(const struct vsm_op_info *op, const struct drm_vsm_insn *insn)
{
	if (vsm_insn_meets(insn))
		return op->sm_80;
	/* PTX: fence.acquire and fence.release need sm_90, and so does scope .cluster. */
	if (insn->op == DRM_VSM_OP_FENCE)
		return insn->scope != DRM_VSM_SCOPE_CLUSTER &&
		       insn->sem != DRM_VSM_SEM_ACQUIRE && insn->sem != DRM_VSM_SEM_RELEASE;
	return op->sm_80 && !(insn->mods & MOD(EXPECT_TX)) &&
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
	if (!insn->sem || !insn->scope != op->scopeless || !(op->sems & 1 << insn->sem))
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

	if (insn->space == DRM_VSM_SPACE_SHARED_CTA && op->remote)
		return DRM_VSM_FAULT_OUT_OF_WINDOW;
	/*
	 * PTX 9.7.13.15.8 lists the operations on .shared::cluster. None of them returns a value.
	 */
	if (!op->remote || geo->layout == VSM_LAYOUT_SM_80 || insn->mods & MOD(NOCOMPLETE) ||
	    (op->value && !(insn->mods & MOD(SINK))))
		return DRM_VSM_FAULT_REMOTE_FORBIDDEN;
	return DRM_VSM_FAULT_NONE;
}

/**
 * vsm_insn_decode - Find the form of an instruction
 * @geo: Geometry of the cluster
 * @insn: The instruction, any bit pattern
 * @form: Gets the form
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
	if (form->takes && (insn->op >= DRM_VSM_OP_CP_ASYNC_BULK_G2S || vsm_insn_publishes(insn)))
		form->takes |= VSM_FORM_RARE;
	if (geo->layout == VSM_LAYOUT_SM_90 && !vsm_quals(insn) &&
	    !(form->takes & (NOTHING | TENSOR | RED)))
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

/**
 * vsm_insn_can_queue - May the instruction be part of a job?
 * @insn: A checked instruction
 */
bool vsm_insn_can_queue(const struct drm_vsm_insn *insn)
{
	const struct vsm_op_info *op = vsm_insn_op(insn);

	return op->queue && (!op->value || insn->mods & MOD(SINK));
}

/**
 * vsm_insn_is_async - Is the instruction asynchronous to the thread that issues it?
 * @insn: A checked instruction
 */
bool vsm_insn_is_async(const struct drm_vsm_insn *insn)
{
	return vsm_insn_op(insn)->async;
}

/**
 * vsm_insn_is_copy - Is the instruction an asynchronous operation that may be part of a job?
 * @insn: A checked instruction
 */
bool vsm_insn_is_copy(const struct drm_vsm_insn *insn)
{
	return vsm_insn_op(insn)->async && vsm_insn_op(insn)->queue;
}

/**
 * vsm_insn_publishes - Does the instruction make all inits of its CTA visible to the cluster?
 * @insn: A checked instruction
 *
 * A release of scope .cluster or wider does: it orders everything that its thread knows of.
 * fence.mbarrier_init does not: it publishes only the inits of its own thread.
 */
bool vsm_insn_publishes(const struct drm_vsm_insn *insn)
{
	if (insn->op == DRM_VSM_OP_FENCE)
		return insn->sem != DRM_VSM_SEM_ACQUIRE && insn->scope >= DRM_VSM_SCOPE_CLUSTER;
	return insn->sem == DRM_VSM_SEM_RELEASE && insn->scope == DRM_VSM_SCOPE_CLUSTER &&
	       insn->op != DRM_VSM_OP_FENCE_MBARRIER_INIT;
}
