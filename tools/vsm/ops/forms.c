// SPDX-License-Identifier: MIT
/*
 * The forms of the operations in all languages.
 *
 * PTX stands without type and without qualifiers that may be left out. {.shared} behind an
 * operation of NVVM means that the form for addresses in .shared::cta has the same name and
 * .shared. The names in CamelCase are those of the operations of Tile IR whose spelling is not
 * published. A machine form that has operands can be executed in a scenario (sass/):
 *
 *	Rd, URd, Pd	destination; for a state, or a word, the first of two registers
 *	Rs, URs		source
 *	[a]		address
 *	RZ		the register without a value
 */
#include <string.h>

#include "base.h"
#include "ops/forms.h"
#include "ptx/opcode.h"

#define MOD(name)	DRM_VSM_MOD_##name
#define FORM(op_, mods_, ptx_, nvvm_, machine_, lib_)				\
	{									\
		.op = DRM_VSM_OP_##op_, .mods = mods_, .ptx = ptx_, .nvvm = nvvm_, \
		.machine = machine_, .lib = lib_,				\
	}

#define TX	".mbarrier::complete_tx::bytes"
#define MULTICAST ".multicast::cluster"
#define BULK	"[dstMem], [srcMem], size"
#define MAP_2D	"[tensorMap, {c0, c1}]"
#define MAP_3D	"[tensorMap, {c0, c1, c2}]"

const struct op_form op_forms[] = {
	FORM(MBARRIER_INIT, 0, "mbarrier.init [addr], count", "nvvm.mbarrier.init{.shared}",
	     "SYNCS.EXCH.64 URd, [a], URs", "mbarrier_init"),
	FORM(MBARRIER_INVAL, 0, "mbarrier.inval [addr]", "nvvm.mbarrier.inval{.shared}",
	     "SYNCS.CCTL.IV [a]", "mbarrier_inval"),
	FORM(FENCE_MBARRIER_INIT, 0, "fence.mbarrier_init.release.cluster",
	     "nvvm.fence.mbarrier.init", "", "fence_mbarrier_init"),
	FORM(FENCE, 0, "fence", "llvm.fence", "MEMBAR", "fence"),
	FORM(MBARRIER_ARRIVE, 0, "mbarrier.arrive state, [addr]", "nvvm.mbarrier.arrive{.shared}",
	     "SYNCS.ARRIVE.TRANS64.A1T0 Rd, [a], RZ", "mbarrier_arrive"),
	FORM(MBARRIER_ARRIVE, MOD(COUNT), "mbarrier.arrive state, [addr], count", "",
	     "SYNCS.ARRIVE.TRANS64.ART0 Rd, [a], Rs", "mbarrier_arrive_count"),
	FORM(MBARRIER_ARRIVE, MOD(EXPECT_TX), "mbarrier.arrive.expect_tx state, [addr], txCount",
	     "nvvm.mbarrier.arrive.expect_tx{.shared}", "SYNCS.ARRIVE.TRANS64 Rd, [a], Rs",
	     "mbarrier_arrive_expect_tx"),
	FORM(MBARRIER_ARRIVE, MOD(COUNT) | MOD(NOCOMPLETE),
	     "mbarrier.arrive.noComplete state, [addr], count",
	     "nvvm.mbarrier.arrive.nocomplete{.shared}",
	     "SYNCS.ARRIVE.TRANS64.TMASK.ART0 Rd, [a], Rs", "mbarrier_arrive_nocomplete"),
	FORM(MBARRIER_ARRIVE_DROP, 0, "mbarrier.arrive_drop state, [addr]", "",
	     "SYNCS.ARRIVE.TRANS64.OPTOUT.A1T0 Rd, [a], RZ", "mbarrier_arrive_drop"),
	FORM(MBARRIER_ARRIVE_DROP, MOD(COUNT), "mbarrier.arrive_drop state, [addr], count", "",
	     "SYNCS.ARRIVE.TRANS64.OPTOUT.ART0 Rd, [a], Rs", "mbarrier_arrive_drop_count"),
	FORM(MBARRIER_ARRIVE_DROP, MOD(EXPECT_TX),
	     "mbarrier.arrive_drop.expect_tx state, [addr], txCount", "",
	     "SYNCS.ARRIVE.TRANS64.OPTOUT Rd, [a], Rs", "mbarrier_arrive_drop_expect_tx"),
	FORM(MBARRIER_ARRIVE_DROP, MOD(COUNT) | MOD(NOCOMPLETE),
	     "mbarrier.arrive_drop.noComplete state, [addr], count", "",
	     "SYNCS.ARRIVE.TRANS64.OPTOUT.TMASK.ART0 Rd, [a], Rs",
	     "mbarrier_arrive_drop_nocomplete"),
	FORM(MBARRIER_ARRIVE, MOD(SINK), "mbarrier.arrive _, [addr]", "",
	     "SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [a], RZ", "mbarrier_arrive, VSM_SINK"),
	FORM(MBARRIER_EXPECT_TX, 0, "mbarrier.expect_tx [addr], txCount",
	     "nvvm.mbarrier.txn, MBarrierTransactionCTASpaceOp",
	     "SYNCS.ARRIVE.TRANS64.RED.A0TR RZ, [a], Rs", "mbarrier_expect_tx"),
	FORM(MBARRIER_COMPLETE_TX, 0, "mbarrier.complete_tx [addr], txCount", "",
	     "SYNCS.ARRIVE.TRANS64.RED.A0TX RZ, [a], Rs", "mbarrier_complete_tx"),
	FORM(MBARRIER_TEST_WAIT, 0, "mbarrier.test_wait waitComplete, [addr], state",
	     "nvvm.mbarrier.test.wait{.shared}", "SYNCS.PHASECHK.TRANS64 Pd, [a], Rs",
	     "mbarrier_test_wait"),
	FORM(MBARRIER_TEST_WAIT, MOD(PARITY),
	     "mbarrier.test_wait.parity waitComplete, [addr], phaseParity", "",
	     "SYNCS.PHASECHK.TRANS64 Pd, [a], Rs", "mbarrier_test_wait_parity"),
	FORM(MBARRIER_TRY_WAIT, 0, "mbarrier.try_wait waitComplete, [addr], state", "",
	     "SYNCS.PHASECHK.TRANS64.TRYWAIT Pd, [a], Rs", "mbarrier_try_wait"),
	FORM(MBARRIER_TRY_WAIT, MOD(HINT),
	     "mbarrier.try_wait waitComplete, [addr], state, suspendTimeHint",
	     "MBarrierTryWaitTimeLimitOp",
	     "SYNCS.PHASECHK.TRANS64.TRYWAIT, NANOSLEEP.SYNCS, SYNCS.PHASECHK.TRANS64",
	     "mbarrier_try_wait_hint"),
	FORM(MBARRIER_TRY_WAIT, MOD(PARITY),
	     "mbarrier.try_wait.parity waitComplete, [addr], phaseParity", "",
	     "SYNCS.PHASECHK.TRANS64.TRYWAIT Pd, [a], Rs", "mbarrier_try_wait_parity"),
	FORM(MBARRIER_TRY_WAIT, MOD(HINT) | MOD(PARITY),
	     "mbarrier.try_wait.parity waitComplete, [addr], phaseParity, suspendTimeHint",
	     "nvvm.mbarrier.try_wait.parity{.shared}, MBarrierTryWaitParityTimeLimitOp",
	     "SYNCS.PHASECHK.TRANS64.TRYWAIT, NANOSLEEP.SYNCS, SYNCS.PHASECHK.TRANS64",
	     "mbarrier_try_wait_parity_hint"),
	FORM(MBARRIER_TRY_WAIT, 0, "mbarrier.try_wait waitComplete, [addr], state; in a loop",
	     "nvvm.mbarrier.wait", "", "vsm_await_phase"),
	FORM(MBARRIER_TRY_WAIT, MOD(PARITY),
	     "mbarrier.try_wait.parity waitComplete, [addr], phaseParity; in a loop",
	     "nvvm.mbarrier.wait.parity", "", "vsm_await_parity"),
	FORM(MBARRIER_PENDING_COUNT, 0, "mbarrier.pending_count count, state", "", "",
	     "mbarrier_pending_count"),
	FORM(CP_ASYNC_MBARRIER_ARRIVE, 0, "cp.async.mbarrier.arrive [addr]", "",
	     "SYNCS.ARRIVE.TRANS64.RED.A0T1, ARRIVES.LDGSTSBAR.64.TRANSCNT",
	     "cp_async_mbarrier_arrive"),
	FORM(CP_ASYNC_MBARRIER_ARRIVE, MOD(NOINC), "cp.async.mbarrier.arrive.noinc [addr]", "",
	     "ARRIVES.LDGSTSBAR.64.ARVCNT [a]", "cp_async_mbarrier_arrive_noinc"),
	FORM(CP_ASYNC, 0, "cp.async.ca.shared.global [dst], [src], cp-size", "", "LDGSTS",
	     "cp_async"),
	FORM(CP_ASYNC, MOD(SRC_SIZE), "cp.async.ca.shared.global [dst], [src], cp-size, src-size",
	     "", "LDGSTS", "cp_async_src_size"),
	FORM(CP_ASYNC, MOD(CG), "cp.async.cg.shared.global [dst], [src], 16", "", "LDGSTS",
	     "cp_async, VSM_CG"),
	FORM(CP_ASYNC, MOD(CG) | MOD(SRC_SIZE),
	     "cp.async.cg.shared.global [dst], [src], 16, src-size", "", "LDGSTS",
	     "cp_async_src_size, VSM_CG"),
	FORM(CP_ASYNC_COMMIT_GROUP, 0, "cp.async.commit_group", "", "LDGDEPBAR",
	     "cp_async_commit_group"),
	FORM(CP_ASYNC_WAIT_GROUP, 0, "cp.async.wait_group N", "", "DEPBAR", "cp_async_wait_group"),
	FORM(CP_ASYNC_WAIT_ALL, 0, "cp.async.wait_all", "", "LDGDEPBAR, DEPBAR",
	     "cp_async_wait_all"),
	FORM(CP_ASYNC_BULK_G2S, 0, "cp.async.bulk.shared::cluster.global" TX " " BULK ", [mbar]",
	     "", "UBLKCP.S.G", "cp_async_bulk_g2s"),
	FORM(CP_ASYNC_BULK_G2S, MOD(MULTICAST),
	     "cp.async.bulk.shared::cluster.global" TX MULTICAST
	     " " BULK ", [mbar], ctaMask",
	     "", "UBLKCP", "cp_async_bulk_g2s_multicast"),
	FORM(CP_ASYNC_BULK_S2G, 0,
	     "cp.async.bulk.global.shared::cta.bulk_group [dstMem], [srcMem], size", "",
	     "UBLKCP.G.S", "cp_async_bulk_s2g"),
	FORM(CP_ASYNC_BULK_S2G, MOD(CP_MASK),
	     "cp.async.bulk.global.shared::cta.bulk_group.cp_mask " BULK ", byteMask", "", "",
	     "cp_async_bulk_s2g_mask"),
	FORM(CP_ASYNC_BULK_S2S, 0,
	     "cp.async.bulk.shared::cluster.shared::cta" TX " " BULK ", [mbar]", "", "UBLKCP",
	     "cp_async_bulk_s2s"),
	FORM(CP_ASYNC_BULK_PREFETCH, 0, "cp.async.bulk.prefetch.L2.global [srcMem], size", "",
	     "UBLKPF", "cp_async_bulk_prefetch"),
	FORM(CP_REDUCE_ASYNC_BULK_S2G, 0,
	     "cp.reduce.async.bulk.global.shared::cta.bulk_group.redOp.type " BULK, "", "UBLKRED",
	     "cp_reduce_async_bulk_s2g"),
	FORM(CP_REDUCE_ASYNC_BULK_S2S, 0,
	     "cp.reduce.async.bulk.shared::cluster.shared::cta" TX ".redOp.type " BULK ", [mbar]",
	     "", "UBLKRED", "cp_reduce_async_bulk_s2s"),
	FORM(CP_ASYNC_BULK_COMMIT_GROUP, 0, "cp.async.bulk.commit_group", "", "UTMACMDFLUSH",
	     "cp_async_bulk_commit_group"),
	FORM(CP_ASYNC_BULK_WAIT_GROUP, 0, "cp.async.bulk.wait_group N", "", "DEPBAR",
	     "cp_async_bulk_wait_group"),
	FORM(CP_ASYNC_BULK_WAIT_GROUP, MOD(READ), "cp.async.bulk.wait_group.read N", "", "DEPBAR",
	     "cp_async_bulk_wait_group_read"),
	FORM(CP_ASYNC_BULK_TENSOR_G2S, 0,
	     "cp.async.bulk.tensor.2d.shared::cluster.global" TX " [dstMem], " MAP_2D ", [mbar]",
	     "", "UTMALDG", "cp_async_bulk_tensor_g2s"),
	FORM(CP_ASYNC_BULK_TENSOR_G2S, MOD(MULTICAST),
	     "cp.async.bulk.tensor.2d.shared::cluster.global" TX MULTICAST
	     " [dstMem], " MAP_2D ", [mbar], ctaMask",
	     "", "UTMALDG", "cp_async_bulk_tensor_g2s_multicast"),
	FORM(CP_ASYNC_BULK_TENSOR_G2S, MOD(IM2COL),
	     "cp.async.bulk.tensor.3d.shared::cluster.global.im2col" TX " [dstMem], "
	     MAP_3D ", [mbar], {o0}",
	     "", "UTMALDG", "cp_async_bulk_tensor_g2s_im2col"),
	FORM(CP_ASYNC_BULK_TENSOR_G2S, MOD(IM2COL) | MOD(MULTICAST),
	     "cp.async.bulk.tensor.3d.shared::cluster.global.im2col" TX MULTICAST
	     " [dstMem], " MAP_3D ", [mbar], {o0}, ctaMask",
	     "", "UTMALDG", "cp_async_bulk_tensor_g2s_im2col_multicast"),
	FORM(CP_ASYNC_BULK_TENSOR_S2G, 0,
	     "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group " MAP_2D ", [srcMem]", "",
	     "UTMASTG", "cp_async_bulk_tensor_s2g"),
	FORM(CP_ASYNC_BULK_TENSOR_S2G, MOD(IM2COL),
	     "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group "
	     MAP_3D ", [srcMem]",
	     "", "UTMASTG", "cp_async_bulk_tensor_s2g_im2col"),
	FORM(CP_REDUCE_ASYNC_BULK_TENSOR, 0,
	     "cp.reduce.async.bulk.tensor.2d.global.shared::cta.redOp.bulk_group "
	     MAP_2D ", [srcMem]",
	     "", "UTMAREDG", "cp_reduce_async_bulk_tensor"),
	FORM(CP_REDUCE_ASYNC_BULK_TENSOR, MOD(IM2COL),
	     "cp.reduce.async.bulk.tensor.3d.global.shared::cta.redOp.im2col_no_offs.bulk_group "
	     MAP_3D ", [srcMem]",
	     "", "UTMAREDG", "cp_reduce_async_bulk_tensor_im2col"),
	FORM(CP_ASYNC_BULK_PREFETCH_TENSOR, 0,
	     "cp.async.bulk.prefetch.tensor.2d.L2.global " MAP_2D, "", "UTMAPF",
	     "cp_async_bulk_prefetch_tensor"),
	FORM(CP_ASYNC_BULK_PREFETCH_TENSOR, MOD(IM2COL),
	     "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col " MAP_3D ", {o0}", "", "UTMAPF",
	     "cp_async_bulk_prefetch_tensor_im2col"),
	FORM(ST_ASYNC, 0, "st.async.weak.shared::cluster" TX ".type [a], b, [mbar]", "", "STAS",
	     "st_async"),
	FORM(RED_ASYNC, 0,
	     "red.async.relaxed.cluster.shared::cluster" TX ".op.type [a], b, [mbar]", "", "REDAS",
	     "red_async"),
	FORM(MATCH_SYNC, 0, "match.any.sync.b32 d, a, membermask", "nvvm.match.sync", "MATCH",
	     "match_any_sync_b32"),
	FORM(MATCH_SYNC, 0, "match.any.sync.b64 d, a, membermask", "nvvm.match.sync", "MATCH",
	     "match_any_sync_b64"),
	FORM(MATCH_SYNC, 0, "match.all.sync.b32 d[|p], a, membermask", "nvvm.match.sync", "MATCH",
	     "match_all_sync_b32"),
	FORM(MATCH_SYNC, 0, "match.all.sync.b64 d[|p], a, membermask", "nvvm.match.sync", "MATCH",
	     "match_all_sync_b64"),
	FORM(BAR_WARP_SYNC, 0, "bar.warp.sync membermask", "nvvm.bar.warp.sync", "WARPSYNC",
	     "bar_warp_sync"),
	FORM(ELECT_SYNC, 0, "elect.sync d|p, membermask", "nvvm.elect.sync", "ELECT",
	     "elect_sync"),
	FORM(VOTE_SYNC, 0, "vote.sync.mode.pred d, {!}a, membermask", "nvvm.vote.sync", "VOTE",
	     "vote_sync"),
	FORM(VOTE_SYNC, 0, "vote.sync.ballot.b32 d, {!}a, membermask", "nvvm.vote.sync", "VOTE",
	     "vote_sync_ballot"),
	FORM(SHFL_SYNC, 0, "shfl.sync.mode.b32 d[|p], a, b, c, membermask", "nvvm.shfl.sync",
	     "SHFL", "shfl_sync"),
	FORM(REDUX_SYNC, 0, "redux.sync.op.type dst, src, membermask", "nvvm.redux.sync", "REDUX",
	     "redux_sync"),
	FORM(BARRIER_SYNC, 0, "barrier.cta.sync a", "nvvm.barrier", "BAR", "barrier_sync"),
	FORM(BARRIER_SYNC, MOD(COUNT), "barrier.cta.sync a, b", "nvvm.barrier", "BAR",
	     "barrier_sync_count"),
	FORM(BARRIER_ARRIVE, MOD(COUNT), "barrier.cta.arrive a, b", "nvvm.barrier.arrive", "BAR",
	     "barrier_arrive"),
	FORM(BARRIER_RED, 0, "barrier.cta.red.op.pred p, a, {!}c", "nvvm.barrier.reduction",
	     "BAR, B2R", "barrier_red"),
	FORM(BARRIER_RED, MOD(COUNT), "barrier.cta.red.op.pred p, a, b, {!}c",
	     "nvvm.barrier.reduction", "BAR, B2R", "barrier_red_count"),
	FORM(BARRIER_RED, 0, "barrier.cta.red.popc.u32 d, a, {!}c", "nvvm.barrier.reduction",
	     "BAR, B2R", "barrier_red_popc"),
	FORM(BARRIER_RED, MOD(COUNT), "barrier.cta.red.popc.u32 d, a, b, {!}c",
	     "nvvm.barrier.reduction", "BAR, B2R", "barrier_red_popc_count"),
	FORM(BARRIER_SYNC, MOD(ALIGNED), "barrier.cta.sync.aligned a", "nvvm.barrier", "BAR",
	     "barrier_sync, VSM_ALIGNED"),
	FORM(BARRIER_CLUSTER_ARRIVE, 0, "barrier.cluster.arrive", "nvvm.cluster.arrive",
	     "UCGABAR_ARV", "barrier_cluster_arrive"),
	FORM(BARRIER_CLUSTER_ARRIVE, 0, "barrier.cluster.arrive.relaxed",
	     "nvvm.cluster.arrive.relaxed", "UCGABAR_ARV", "barrier_cluster_arrive, VSM_RELAXED"),
	FORM(BARRIER_CLUSTER_WAIT, 0, "barrier.cluster.wait", "nvvm.cluster.wait", "UCGABAR_WAIT",
	     "barrier_cluster_wait"),
	FORM(EXIT, 0, "exit", "nvvm.exit", "EXIT", "exit"),
	{
		.ptx = "mapa.shared::cluster.u32 d, a, b", .nvvm = "nvvm.mapa", .machine = "PRMT",
		.lib = "vsm_mapa",
	},
};

const unsigned int op_form_count = ARRAY_SIZE(op_forms);

/* The next name of a list, up to its comma or its operands. Moves @list behind the comma. */
static struct span next_name(const char **list)
{
	struct span name = { .text = *list, .length = strcspn(*list, ", ") };

	*list += name.length;
	if (**list == ' ')
		*list += strlen(*list);
	*list += strspn(*list, ", ");
	return name;
}

/* "a{.shared}" means "a" and "a.shared". */
static bool is_name(struct span name, struct span listed)
{
	struct span shared = { .text = "{.shared}", .length = 9 };

	if (listed.length > shared.length &&
	    !memcmp(listed.text + listed.length - shared.length, shared.text, shared.length)) {
		listed.length -= shared.length;
		if (name.length == listed.length + 7 &&
		    !memcmp(name.text + listed.length, ".shared", 7))
			name.length -= 7;
	}
	return name.length == listed.length && !memcmp(name.text, listed.text, name.length);
}

static void try_name(struct form_hint *hint, struct span name)
{
	char text[QUOTE_SIZE];

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(name.text, "{, "), name.text);
	nearest_try(&hint->nearest, text);
	if (hint->nearest.name != text)
		return;
	memcpy(hint->name, text, sizeof(text));
	hint->nearest.name = hint->name;
}

static bool is_listed(struct span name, const char *list, struct form_hint *hint)
{
	while (*list) {
		struct span listed = next_name(&list);

		if (is_name(name, listed))
			return true;
		try_name(hint, listed);
	}
	return false;
}

const struct op_form *form_of_nvvm(struct span name, struct form_hint *hint)
{
	unsigned int i;

	*hint = (struct form_hint){ .nearest.word = name };
	for (i = 0; i < op_form_count; i++)
		if (is_listed(name, op_forms[i].nvvm, hint))
			return &op_forms[i];
	return NULL;
}

const struct op_form *form_of_machine(struct span name, struct form_hint *hint)
{
	unsigned int i;

	*hint = (struct form_hint){ .nearest.word = name };
	for (i = 0; i < op_form_count; i++)
		if (is_listed(name, op_forms[i].machine, hint))
			return &op_forms[i];
	return NULL;
}

const char *form_machine_operands(const struct op_form *form)
{
	const char *machine = form->machine + strcspn(form->machine, ", ");

	return *machine == ' ' ? machine + 1 : NULL;
}

bool form_opcode(const char *ptx, const char *qualifiers, struct instruction *insn)
{
	bool typed = !strncmp(ptx, "mbarrier.", 9) || !strncmp(ptx, "cp.async.mbarrier.", 18);
	/* What does not parse is reported nowhere. */
	struct errors errors = { .count = MAX_ERRORS };
	struct ptx_order order = { };
	struct cursor c = { .errors = &errors };
	char opcode[128];
	int length;

	length = snprintf(opcode, sizeof(opcode), "%.*s%s%s", (int)strcspn(ptx, " "), ptx,
			  qualifiers, typed ? ".b64" : "");
	if (length >= (int)sizeof(opcode))
		return false;
	c.start = opcode;
	c.at = opcode;
	c.end = opcode + length;
	memset(insn->quals, 0, sizeof(insn->quals));
	insn->given = 0;
	return ptx_parse_opcode(&c, insn, &order) && !order.where && c.at == c.end;
}
