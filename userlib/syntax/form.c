// SPDX-License-Identifier: MIT
/*
 * The table of operations. A row has the syntax of an operation in the PTX ISA (mbarriers:
 * 9.7.13.15.9 to .17; asynchronous copies: 9.7.9; rendezvous: 9.7.13.1 to .14, 9.7.9.6 and
 * 9.7.12.7; fence, mapa, mov, add, ld, st) and the forms of the operation in all languages.
 *
 * The PTX of a form has neither the type of an mbarrier operation nor optional qualifiers.
 * {.shared} at the end of an NVVM name stands for two names: the name with .shared takes addresses
 * in .shared::cta. A name in CamelCase is the class of a Tile IR operation whose spelling is not
 * published. Scenarios accept the machine instructions that have operands in this table:
 *
 *	Rd, URd, Pd	destination; the first of two registers if the destination has 64 bits
 *	Rs, URs		source
 *	[a]		address
 *	RZ		no operand: sm_90 writes RZ, the register that is always zero
 *
 * Documentation/ops.py reads this file.
 *
 * To add an operation, add a row. If it has an operand of a new kind, add a role (enum ptx_role).
 * For scenarios, also add a row to roles[] in tools/vsm/insn/insn.c, and a case in
 * tools/vsm/run/step.c, where the kind gets its field of the instruction. If the operation has a
 * new qualifier, add it to opcode.c. If vsm lacked the operation until now, remove it from
 * lacking.c, and from the list in Documentation/scenarios.rst.
 */
#include "vsm_syntax.h"

/* --- macros for rows ------------------------------------------------------ */

/*
 * Operations with the same syntax have a macro that sets the members of struct ptx_op, in most
 * cases all except the forms.
 */

#define MOD(name)	DRM_VSM_MOD_##name
#define SEM(name)	BIT(DRM_VSM_SEM_##name)
#define SCOPE(name)	BIT(DRM_VSM_SCOPE_##name)

#define ARRIVE_SEMS	(SEM(RELEASE) | SEM(RELAXED))
#define WAIT_SEMS	(SEM(ACQUIRE) | SEM(RELAXED))
#define SCOPES		(SCOPE(CTA) | SCOPE(CLUSTER))
#define ALL_SCOPES	(SCOPES | SCOPE(GPU) | SCOPE(SYS))
#define OWN		BIT(DRM_VSM_SPACE_SHARED_CTA)
#define CLUSTER		BIT(DRM_VSM_SPACE_SHARED_CLUSTER)
#define GLOBAL		BIT(PTX_SPACE_GLOBAL)

#define INTEGERS	(BIT(PTX_S64 + 1) - 1)
#define BITS(width)	(BIT(PTX_B##width) | BIT(PTX_U##width) | BIT(PTX_S##width))

#define QUALS(sems, scopes, spaces)						\
	{									\
		[PTX_SEM] = (sems), [PTX_SCOPE] = (scopes),			\
		[PTX_SPACE] = (spaces), [PTX_TYPE] = BIT(PTX_B64),		\
	}

/* Operations on mbarriers have the type .b64. The last arguments are the roles of the operands. */
#define MBARRIER(name_, op_, mods_, quals_, syntax_, needs_, ...)		\
	.name = name_,								\
	.syntax = syntax_,							\
	.op = DRM_VSM_OP_##op_,							\
	.mods = mods_,								\
	.quals = quals_,							\
	.required = BIT(PTX_TYPE),						\
	.roles = { __VA_ARGS__ },						\
	.needs = needs_

#define ARRIVE(name_, op_)							\
	MBARRIER(name_, op_, 0, QUALS(ARRIVE_SEMS, SCOPES, OWN | CLUSTER),	\
		 "{.sem.scope}{.space}.b64 state, [addr]{, count}",		\
		 2, PTX_STATE_OUT, PTX_SHARED, PTX_COUNT)
#define ARRIVE_EXPECT_TX(name_, op_)						\
	MBARRIER(name_, op_, MOD(EXPECT_TX),					\
		 QUALS(ARRIVE_SEMS, SCOPES, OWN | CLUSTER),			\
		 "{.sem.scope}{.space}.b64 state, [addr], txCount",		\
		 3, PTX_STATE_OUT, PTX_SHARED, PTX_TX_COUNT)
#define ARRIVE_NOCOMPLETE(name_, op_)						\
	MBARRIER(name_, op_, MOD(NOCOMPLETE), QUALS(SEM(RELEASE), SCOPE(CTA), OWN), \
		 "{.release.cta}{.shared{::cta}}.b64 state, [addr], count",	\
		 3, PTX_STATE_OUT, PTX_SHARED, PTX_COUNT)
#define TX(name_, op_)								\
	MBARRIER(name_, op_, 0, QUALS(SEM(RELAXED), SCOPES, OWN | CLUSTER),	\
		 "{.sem.scope}{.space}.b64 [addr], txCount",			\
		 2, PTX_SHARED, PTX_TX_COUNT)
#define WAIT(name_, op_, mods_, syntax_, ...)					\
	MBARRIER(name_, op_, mods_, QUALS(WAIT_SEMS, SCOPES, OWN),		\
		 "{.sem.scope}{.shared{::cta}}.b64 waitComplete, [addr], " syntax_, \
		 3, PTX_COMPLETE_OUT, PTX_SHARED, __VA_ARGS__)

/* The machine instructions of a try_wait with suspendTimeHint. */
#define TRY_WITH_HINT								\
	"SYNCS.PHASECHK.TRANS64.TRYWAIT, NANOSLEEP.SYNCS, SYNCS.PHASECHK.TRANS64"

#define CP_ASYNC_ARRIVE(name_, mods_)						\
	.name = name_, .op = DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE, .mods = mods_, \
	.action = PTX_ISSUE,							\
	.syntax = "{.shared{::cta}}.b64 [addr]",				\
	.quals = QUALS(0, 0, OWN), .required = BIT(PTX_TYPE),			\
	.roles = { PTX_SHARED }, .needs = 1

/*
 * PTX restricts what these fences order to objects in shared memory (section 9.7.13.4). vsm orders
 * everything.
 */
#define RESTRICTED_FENCE(name_, sem_)						\
	.name = name_, .op = DRM_VSM_OP_FENCE, .sem = DRM_VSM_SEM_##sem_,	\
	.syntax = ".cluster", .quals = { [PTX_SCOPE] = SCOPE(CLUSTER) },	\
	.required = BIT(PTX_SCOPE)

#define PREFETCH_SIZES							\
	(BIT(PTX_PREFETCH_64B) | BIT(PTX_PREFETCH_128B) | BIT(PTX_PREFETCH_256B))
#define CP_ASYNC(name_, mods_, size_)						\
	.name = name_, .op = DRM_VSM_OP_CP_ASYNC, .mods = mods_,		\
	.space = DRM_VSM_SPACE_SHARED_CTA, .action = PTX_ISSUE,			\
	.syntax = "{.L2::cache_hint}{.L2::prefetch_size} [dst], [src], " size_		\
		  "{, src-size}{, cache-policy}",				\
	.quals = { [PTX_CACHE_HINT] = BIT(0), [PTX_PREFETCH] = PREFETCH_SIZES },		\
	.roles = { PTX_SHARED, PTX_GLOBAL, PTX_CP_SIZE, PTX_SRC_SIZE, PTX_POLICY }, \
	.needs = 3

/* Parts of the syntax and of the forms of bulk copies. */
#define TX_BYTES	".mbarrier::complete_tx::bytes"
#define MULTICAST	".multicast::cluster"
#define BULK		" [dstMem], [srcMem], size"
#define TENSOR_TO_CTA	" [dstMem], [tensorMap, tensorCoords], [mbar]{, im2colOffsets}"
#define TENSOR_TO_GLOBAL " [tensorMap, tensorCoords], [srcMem]"
#define MAP_2D		"[tensorMap, {c0, c1}]"
#define MAP_3D		"[tensorMap, {c0, c1, c2}]"

/* How a copy completes: on an mbarrier or in a bulk group. */
#define BY_MBARRIER								\
	[PTX_COMPLETION] = BIT(PTX_COMPLETION_MBARRIER)
#define BY_GROUP								\
	[PTX_COMPLETION] = BIT(PTX_COMPLETION_GROUP), [PTX_CACHE_HINT] = BIT(0)

/* commit_group, wait_group, wait_all: @role_ is the role of the operand, or PTX_NOTHING. */
#define GROUPS(name_, op_, mods_, syntax_, role_)				\
	.name = name_, .op = DRM_VSM_OP_##op_, .mods = mods_,			\
	.syntax = syntax_, .roles = { role_ }, .needs = (role_) != PTX_NOTHING

#define REDUCTIONS								\
	(BIT(DRM_VSM_RED_ADD) | BIT(DRM_VSM_RED_MIN) | BIT(DRM_VSM_RED_MAX) |	\
	 BIT(DRM_VSM_RED_INC) | BIT(DRM_VSM_RED_DEC) | BIT(DRM_VSM_RED_AND) |	\
	 BIT(DRM_VSM_RED_OR) | BIT(DRM_VSM_RED_XOR))

/* Types that each reduction takes in shared memory. */
static const uint32_t shared_types[] = {
	[DRM_VSM_RED_ADD] = BIT(PTX_U32) | BIT(PTX_S32) | BIT(PTX_U64),
	[DRM_VSM_RED_MIN] = BIT(PTX_U32) | BIT(PTX_S32),
	[DRM_VSM_RED_MAX] = BIT(PTX_U32) | BIT(PTX_S32),
	[DRM_VSM_RED_INC] = BIT(PTX_U32),
	[DRM_VSM_RED_DEC] = BIT(PTX_U32),
	[DRM_VSM_RED_AND] = BIT(PTX_B32),
	[DRM_VSM_RED_OR] = BIT(PTX_B32),
	[DRM_VSM_RED_XOR] = BIT(PTX_B32),
};

#define SHARED_TYPES	(BIT(PTX_B32) | BIT(PTX_U32) | BIT(PTX_S32) | BIT(PTX_U64))

#define HALVES		(BIT(PTX_F16) | BIT(PTX_BF16))
#define MIN_MAX_TYPES								\
	(BIT(PTX_U32) | BIT(PTX_S32) | BIT(PTX_U64) | BIT(PTX_S64) | HALVES)

/* Types that each reduction takes in global memory. */
static const uint32_t global_types[] = {
	[DRM_VSM_RED_ADD] = BIT(PTX_U32) | BIT(PTX_S32) | BIT(PTX_U64) | BIT(PTX_F32) |
			    BIT(PTX_F64) | HALVES,
	[DRM_VSM_RED_MIN] = MIN_MAX_TYPES,
	[DRM_VSM_RED_MAX] = MIN_MAX_TYPES,
	[DRM_VSM_RED_INC] = BIT(PTX_U32),
	[DRM_VSM_RED_DEC] = BIT(PTX_U32),
	[DRM_VSM_RED_AND] = BIT(PTX_B32) | BIT(PTX_B64),
	[DRM_VSM_RED_OR] = BIT(PTX_B32) | BIT(PTX_B64),
	[DRM_VSM_RED_XOR] = BIT(PTX_B32) | BIT(PTX_B64),
};

#define GLOBAL_TYPES								\
	(BITS(32) | BITS(64) | BIT(PTX_F32) | BIT(PTX_F64) | HALVES)

/* Tensor copies have a row for each number of dimensions. im2col needs three or more dimensions. */
#define TILE		BIT(PTX_MODE_TILE)
#define IM2COL		(TILE | BIT(PTX_MODE_IM2COL))
#define NO_OFFS		(TILE | BIT(PTX_MODE_IM2COL_NO_OFFS))

#define TENSOR_LOAD(dims_, modes)						\
	.name = "cp.async.bulk.tensor." #dims_ "d.shared::cluster.global",	\
	.op = DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S, .action = PTX_ISSUE,		\
	.space = DRM_VSM_SPACE_SHARED_CLUSTER, .dims = dims_,			\
	.syntax = "{.load_mode}" TX_BYTES "{.multicast::cluster}{.L2::cache_hint}" \
		  TENSOR_TO_CTA "{, ctaMask}{, cache-policy}",			\
	.quals = {								\
		BY_MBARRIER, [PTX_MODE] = modes, [PTX_MULTICAST] = BIT(0),	\
		[PTX_NEWER] = BIT(PTX_NEWER_LOAD) | BIT(PTX_NEWER_GROUP),	\
		[PTX_CACHE_HINT] = BIT(0),					\
	},									\
	.required = BIT(PTX_COMPLETION),					\
	.roles = { PTX_SHARED, PTX_TENSOR, PTX_MBAR, PTX_OFFSET,		\
		   PTX_CTA_MASK, PTX_POLICY },					\
	.needs = 3
#define TENSOR_LOAD_OWN(dims_, modes)						\
	.name = "cp.async.bulk.tensor." #dims_ "d.shared::cta.global",		\
	.op = DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S, .action = PTX_ISSUE,		\
	.space = DRM_VSM_SPACE_SHARED_CTA, .dims = dims_,			\
	.syntax = "{.load_mode}" TX_BYTES "{.L2::cache_hint}"			\
		  TENSOR_TO_CTA "{, cache-policy}",				\
	.quals = {								\
		BY_MBARRIER, [PTX_MODE] = modes,				\
		[PTX_NEWER] = BIT(PTX_NEWER_LOAD) | BIT(PTX_NEWER_GROUP),	\
		[PTX_CACHE_HINT] = BIT(0),					\
	},									\
	.required = BIT(PTX_COMPLETION),					\
	.roles = { PTX_SHARED, PTX_TENSOR, PTX_MBAR, PTX_OFFSET, PTX_POLICY },	\
	.needs = 3
#define TENSOR_STORE(dims_, modes)						\
	.name = "cp.async.bulk.tensor." #dims_ "d.global.shared::cta",		\
	.op = DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_S2G, .action = PTX_ISSUE,		\
	.space = DRM_VSM_SPACE_SHARED_CTA, .dims = dims_,			\
	.syntax = "{.load_mode}.bulk_group{.L2::cache_hint}"			\
		  TENSOR_TO_GLOBAL "{, cache-policy}",				\
	.quals = {								\
		BY_GROUP, [PTX_MODE] = modes,					\
		[PTX_NEWER] = BIT(PTX_NEWER_STORE),				\
	},									\
	.required = BIT(PTX_COMPLETION),					\
	.roles = { PTX_TENSOR, PTX_SHARED, PTX_POLICY },			\
	.needs = 2
#define TENSOR_REDUCE(dims_, modes)						\
	.name = "cp.reduce.async.bulk.tensor." #dims_ "d.global.shared::cta",	\
	.op = DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR, .action = PTX_ISSUE,	\
	.space = DRM_VSM_SPACE_SHARED_CTA, .dims = dims_,			\
	.syntax = ".redOp{.load_mode}.bulk_group{.L2::cache_hint}"		\
		  TENSOR_TO_GLOBAL "{, cache-policy}",				\
	.quals = { BY_GROUP, [PTX_MODE] = modes, [PTX_REDUCTION] = REDUCTIONS }, \
	.required = BIT(PTX_COMPLETION) | BIT(PTX_REDUCTION),			\
	.roles = { PTX_TENSOR, PTX_SHARED, PTX_POLICY },			\
	.needs = 2
#define TENSOR_PREFETCH(dims_, modes)						\
	.name = "cp.async.bulk.prefetch.tensor." #dims_ "d.L2.global",		\
	.op = DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR, .action = PTX_ISSUE,	\
	.dims = dims_,								\
	.syntax = "{.load_mode}{.L2::cache_hint} "				\
		  "[tensorMap, tensorCoords]{, im2colOffsets}{, cache-policy}",	\
	.quals = {								\
		[PTX_MODE] = modes, [PTX_NEWER] = BIT(PTX_NEWER_LOAD),		\
		[PTX_CACHE_HINT] = BIT(0),					\
	},									\
	.roles = { PTX_TENSOR, PTX_OFFSET, PTX_POLICY },			\
	.needs = 1

/* Types that each reduction of redux.sync takes. */
static const uint32_t redux_types[] = {
	[DRM_VSM_RED_ADD] = BIT(PTX_U32) | BIT(PTX_S32),
	[DRM_VSM_RED_MIN] = BIT(PTX_U32) | BIT(PTX_S32),
	[DRM_VSM_RED_MAX] = BIT(PTX_U32) | BIT(PTX_S32),
	[DRM_VSM_RED_AND] = BIT(PTX_B32),
	[DRM_VSM_RED_OR] = BIT(PTX_B32),
	[DRM_VSM_RED_XOR] = BIT(PTX_B32),
};

/* Types of the result of each reduction of barrier.red. */
static const uint32_t barrier_types[] = {
	[DRM_VSM_RED_POPC] = BIT(PTX_U32),
	[DRM_VSM_RED_AND] = BIT(PTX_PRED),
	[DRM_VSM_RED_OR] = BIT(PTX_PRED),
};

#define BARRIER_REDUCTIONS							\
	(BIT(DRM_VSM_RED_POPC) | BIT(DRM_VSM_RED_AND) | BIT(DRM_VSM_RED_OR))

/* Rendezvous of the lanes of a membermask, which is the last operand. */
#define MATCH(mode_, name_, out, syntax_)					\
	.name = name_, .op = DRM_VSM_OP_MATCH_SYNC, .mode = DRM_VSM_MODE_##mode_, \
	.syntax = ".type " syntax_ ", a, membermask",				\
	.quals = { [PTX_TYPE] = BIT(PTX_B32) | BIT(PTX_B64) },			\
	.required = BIT(PTX_TYPE),						\
	.roles = { out, PTX_VALUE, PTX_MEMBERMASK }, .needs = 3
#define VOTE(mode_, name_, type, suffix, lib_)					\
	.name = name_, .op = DRM_VSM_OP_VOTE_SYNC, .mode = DRM_VSM_MODE_##mode_, \
	.syntax = suffix " d, {!}a, membermask",				\
	.quals = { [PTX_TYPE] = BIT(type) }, .required = BIT(PTX_TYPE),		\
	.roles = { PTX_VALUE_OUT, PTX_VOTE, PTX_MEMBERMASK }, .needs = 3,	\
	.forms = {								\
		{ 0, suffix " d, {!}a, membermask", "nvvm.vote.sync", "VOTE", lib_ }, \
	}
#define SHFL(mode_, name_)							\
	.name = name_, .op = DRM_VSM_OP_SHFL_SYNC, .mode = DRM_VSM_MODE_##mode_, \
	.syntax = ".b32 d[|p], a, b, c, membermask",				\
	.quals = { [PTX_TYPE] = BIT(PTX_B32) }, .required = BIT(PTX_TYPE),	\
	.roles = { PTX_SHFL_OUT, PTX_VALUE, PTX_LANE, PTX_CLAMP, PTX_MEMBERMASK }, \
	.needs = 5,								\
	.forms = {								\
		{ 0, ".b32 d[|p], a, b, c, membermask", "nvvm.shfl.sync", "SHFL", \
		  "shfl_sync" },						\
	}

/*
 * Named barriers. barrier and barrier.cta are two names of the same operation. bar is short for
 * barrier with .aligned.
 */
#define BARRIER(name_, op_, mods_, aligned, syntax_, needs_)			\
	.name = name_, .op = DRM_VSM_OP_BARRIER_##op_, .mods = mods_,		\
	.syntax = syntax_, .quals = { [PTX_ALIGNED] = aligned },		\
	.roles = { PTX_BARRIER, PTX_THREADS }, .needs = needs_
#define BARRIER_RED(name_, mods_, aligned, syntax_)				\
	.name = name_, .op = DRM_VSM_OP_BARRIER_RED, .mods = mods_,		\
	.syntax = syntax_ ".type d, a{, b}, {!}c",				\
	.quals = {								\
		[PTX_REDUCTION] = BARRIER_REDUCTIONS, [PTX_ALIGNED] = aligned,	\
		[PTX_TYPE] = BIT(PTX_U32) | BIT(PTX_PRED),			\
	},									\
	.required = BIT(PTX_REDUCTION) | BIT(PTX_TYPE),				\
	.types = barrier_types,							\
	.roles = { PTX_VALUE_OUT, PTX_BARRIER, PTX_PREDICATE, PTX_THREADS },	\
	.needs = 3
#define BAR_SYNC(name_)		BARRIER(name_, SYNC, MOD(ALIGNED), 0, " a{, b}", 1)
#define BAR_ARRIVE(name_)	BARRIER(name_, ARRIVE, MOD(ALIGNED), 0, " a, b", 2)
#define BAR_RED(name_)		BARRIER_RED(name_, MOD(ALIGNED), 0, ".op")
#define CTA_SYNC(name_)		BARRIER(name_, SYNC, 0, BIT(0), "{.aligned} a{, b}", 1)
#define CTA_ARRIVE(name_)	BARRIER(name_, ARRIVE, 0, BIT(0), "{.aligned} a, b", 2)
#define CTA_RED(name_)		BARRIER_RED(name_, 0, BIT(0), ".op{.aligned}")

/* --- the table ------------------------------------------------------------ */

const struct ptx_op ptx_ops[] = {
	{
		MBARRIER("mbarrier.init", MBARRIER_INIT, 0, QUALS(0, 0, OWN),
			 "{.shared{::cta}}.b64 [addr], count", 2, PTX_SHARED, PTX_COUNT),
		.forms = {
			{ 0, " [addr], count", "nvvm.mbarrier.init{.shared}",
			  "SYNCS.EXCH.64 URd, [a], URs", "mbarrier_init" },
		},
	}, {
		MBARRIER("mbarrier.inval", MBARRIER_INVAL, 0, QUALS(0, 0, OWN),
			 "{.shared{::cta}}.b64 [addr]", 1, PTX_SHARED),
		.forms = {
			{ 0, " [addr]", "nvvm.mbarrier.inval{.shared}", "SYNCS.CCTL.IV [a]",
			  "mbarrier_inval" },
		},
	}, {
		ARRIVE("mbarrier.arrive", MBARRIER_ARRIVE),
		.forms = {
			{ 0, " state, [addr]", "nvvm.mbarrier.arrive{.shared}",
			  "SYNCS.ARRIVE.TRANS64.A1T0 Rd, [a], RZ", "mbarrier_arrive" },
			{ MOD(COUNT), " state, [addr], count", "",
			  "SYNCS.ARRIVE.TRANS64.ART0 Rd, [a], Rs", "mbarrier_arrive_count" },
			{ MOD(SINK), " _, [addr]", "",
			  "SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [a], RZ",
			  "mbarrier_arrive, VSM_SINK" },
		},
	}, {
		ARRIVE_EXPECT_TX("mbarrier.arrive.expect_tx", MBARRIER_ARRIVE),
		.forms = {
			{ MOD(EXPECT_TX), " state, [addr], txCount",
			  "nvvm.mbarrier.arrive.expect_tx{.shared}",
			  "SYNCS.ARRIVE.TRANS64 Rd, [a], Rs", "mbarrier_arrive_expect_tx" },
		},
	}, {
		ARRIVE_NOCOMPLETE("mbarrier.arrive.noComplete", MBARRIER_ARRIVE),
		.forms = {
			{ MOD(COUNT) | MOD(NOCOMPLETE), " state, [addr], count",
			  "nvvm.mbarrier.arrive.nocomplete{.shared}",
			  "SYNCS.ARRIVE.TRANS64.TMASK.ART0 Rd, [a], Rs",
			  "mbarrier_arrive_nocomplete" },
		},
	}, {
		ARRIVE("mbarrier.arrive_drop", MBARRIER_ARRIVE_DROP),
		.forms = {
			{ 0, " state, [addr]", "", "SYNCS.ARRIVE.TRANS64.OPTOUT.A1T0 Rd, [a], RZ",
			  "mbarrier_arrive_drop" },
			{ MOD(COUNT), " state, [addr], count", "",
			  "SYNCS.ARRIVE.TRANS64.OPTOUT.ART0 Rd, [a], Rs",
			  "mbarrier_arrive_drop_count" },
		},
	}, {
		ARRIVE_EXPECT_TX("mbarrier.arrive_drop.expect_tx", MBARRIER_ARRIVE_DROP),
		.forms = {
			{ MOD(EXPECT_TX), " state, [addr], txCount", "",
			  "SYNCS.ARRIVE.TRANS64.OPTOUT Rd, [a], Rs",
			  "mbarrier_arrive_drop_expect_tx" },
		},
	}, {
		ARRIVE_NOCOMPLETE("mbarrier.arrive_drop.noComplete", MBARRIER_ARRIVE_DROP),
		.forms = {
			{ MOD(COUNT) | MOD(NOCOMPLETE), " state, [addr], count", "",
			  "SYNCS.ARRIVE.TRANS64.OPTOUT.TMASK.ART0 Rd, [a], Rs",
			  "mbarrier_arrive_drop_nocomplete" },
		},
	}, {
		TX("mbarrier.expect_tx", MBARRIER_EXPECT_TX),
		.forms = {
			{ 0, " [addr], txCount",
			  "nvvm.mbarrier.txn, MBarrierTransactionCTASpaceOp",
			  "SYNCS.ARRIVE.TRANS64.RED.A0TR RZ, [a], Rs", "mbarrier_expect_tx" },
		},
	}, {
		TX("mbarrier.complete_tx", MBARRIER_COMPLETE_TX),
		.forms = {
			{ 0, " [addr], txCount", "", "SYNCS.ARRIVE.TRANS64.RED.A0TX RZ, [a], Rs",
			  "mbarrier_complete_tx" },
		},
	}, {
		WAIT("mbarrier.test_wait", MBARRIER_TEST_WAIT, 0, "state", PTX_STATE),
		.forms = {
			{ 0, " waitComplete, [addr], state", "nvvm.mbarrier.test.wait{.shared}",
			  "SYNCS.PHASECHK.TRANS64 Pd, [a], Rs", "mbarrier_test_wait" },
		},
	}, {
		WAIT("mbarrier.test_wait.parity", MBARRIER_TEST_WAIT, MOD(PARITY), "phaseParity",
		     PTX_PARITY),
		.forms = {
			{ MOD(PARITY), " waitComplete, [addr], phaseParity", "",
			  "SYNCS.PHASECHK.TRANS64 Pd, [a], Rs", "mbarrier_test_wait_parity" },
		},
	}, {
		WAIT("mbarrier.try_wait", MBARRIER_TRY_WAIT, 0, "state{, suspendTimeHint}",
		     PTX_STATE, PTX_HINT),
		.forms = {
			{ 0, " waitComplete, [addr], state", "",
			  "SYNCS.PHASECHK.TRANS64.TRYWAIT Pd, [a], Rs", "mbarrier_try_wait" },
			{ MOD(HINT), " waitComplete, [addr], state, suspendTimeHint",
			  "MBarrierTryWaitTimeLimitOp", TRY_WITH_HINT, "mbarrier_try_wait_hint" },
			{ 0, " waitComplete, [addr], state; in a loop", "nvvm.mbarrier.wait", "",
			  "vsm_await_phase" },
		},
	}, {
		WAIT("mbarrier.try_wait.parity", MBARRIER_TRY_WAIT, MOD(PARITY),
		     "phaseParity{, suspendTimeHint}", PTX_PARITY, PTX_HINT),
		.forms = {
			{ MOD(PARITY), " waitComplete, [addr], phaseParity", "",
			  "SYNCS.PHASECHK.TRANS64.TRYWAIT Pd, [a], Rs",
			  "mbarrier_try_wait_parity" },
			{ MOD(HINT) | MOD(PARITY),
			  " waitComplete, [addr], phaseParity, suspendTimeHint",
			  "nvvm.mbarrier.try_wait.parity{.shared}, MBarrierTryWaitParityTimeLimitOp",
			  TRY_WITH_HINT, "mbarrier_try_wait_parity_hint" },
			{ MOD(PARITY), " waitComplete, [addr], phaseParity; in a loop",
			  "nvvm.mbarrier.wait.parity", "", "vsm_await_parity" },
		},
	}, {
		MBARRIER("mbarrier.pending_count", MBARRIER_PENDING_COUNT, 0, QUALS(0, 0, 0),
			 ".b64 count, state", 2, PTX_COUNT_OUT, PTX_STATE),
		.forms = { { 0, " count, state", "", "", "mbarrier_pending_count" } },
	}, {
		CP_ASYNC_ARRIVE("cp.async.mbarrier.arrive", 0),
		.forms = {
			{ 0, " [addr]", "",
			  "SYNCS.ARRIVE.TRANS64.RED.A0T1, ARRIVES.LDGSTSBAR.64.TRANSCNT",
			  "cp_async_mbarrier_arrive" },
		},
	}, {
		CP_ASYNC_ARRIVE("cp.async.mbarrier.arrive.noinc", MOD(NOINC)),
		.forms = {
			{ MOD(NOINC), " [addr]", "", "ARRIVES.LDGSTSBAR.64.ARVCNT [a]",
			  "cp_async_mbarrier_arrive_noinc" },
		},
	}, {
		.name = "fence.mbarrier_init", .op = DRM_VSM_OP_FENCE_MBARRIER_INIT,
		.syntax = ".release.cluster",
		.quals = { [PTX_SEM] = SEM(RELEASE), [PTX_SCOPE] = SCOPE(CLUSTER) },
		.required = BIT(PTX_SEM) | BIT(PTX_SCOPE),
		.forms = {
			{ 0, ".release.cluster", "nvvm.fence.mbarrier.init", "",
			  "fence_mbarrier_init" },
		},
	}, {
		.name = "fence", .op = DRM_VSM_OP_FENCE,
		.syntax = "{.sem}.scope",
		.quals = {
			[PTX_SEM] = SEM(SC) | SEM(ACQ_REL) | SEM(ACQUIRE) | SEM(RELEASE),
			[PTX_SCOPE] = ALL_SCOPES,
		},
		.required = BIT(PTX_SCOPE),
		.forms = { { 0, "", "llvm.fence", "MEMBAR", "fence" } },
	},
	{ RESTRICTED_FENCE("fence.acquire.sync_restrict::shared::cluster", ACQUIRE) },
	{ RESTRICTED_FENCE("fence.release.sync_restrict::shared::cta", RELEASE) },
	{
		CP_ASYNC("cp.async.ca.shared::cta.global", 0, "cp-size"),
		.forms = {
			{ 0, " [dst], [src], cp-size", "", "LDGSTS", "cp_async" },
			{ MOD(SRC_SIZE), " [dst], [src], cp-size, src-size", "", "LDGSTS",
			  "cp_async_src_size" },
		},
	}, {
		CP_ASYNC("cp.async.cg.shared::cta.global", MOD(CG), "16"),
		.forms = {
			{ MOD(CG), " [dst], [src], 16", "", "LDGSTS", "cp_async, VSM_CG" },
			{ MOD(CG) | MOD(SRC_SIZE), " [dst], [src], 16, src-size", "", "LDGSTS",
			  "cp_async_src_size, VSM_CG" },
		},
	}, {
		GROUPS("cp.async.commit_group", CP_ASYNC_COMMIT_GROUP, 0, "", PTX_NOTHING),
		.forms = { { 0, "", "", "LDGDEPBAR", "cp_async_commit_group" } },
	}, {
		GROUPS("cp.async.wait_group", CP_ASYNC_WAIT_GROUP, 0, " N", PTX_IN_FLIGHT),
		.forms = { { 0, " N", "", "DEPBAR", "cp_async_wait_group" } },
	}, {
		GROUPS("cp.async.wait_all", CP_ASYNC_WAIT_ALL, 0, "", PTX_NOTHING),
		.forms = { { 0, "", "", "LDGDEPBAR, DEPBAR", "cp_async_wait_all" } },
	}, {
		.name = "cp.async.bulk.shared::cluster.global",
		.op = DRM_VSM_OP_CP_ASYNC_BULK_G2S, .action = PTX_ISSUE,
		.space = DRM_VSM_SPACE_SHARED_CLUSTER,
		.syntax = TX_BYTES "{.multicast::cluster}{.L2::cache_hint}"
			  BULK ", [mbar]{, ctaMask}{, cache-policy}",
		.quals = { BY_MBARRIER, [PTX_MULTICAST] = BIT(0), [PTX_CACHE_HINT] = BIT(0) },
		.required = BIT(PTX_COMPLETION),
		.roles = { PTX_SHARED, PTX_GLOBAL, PTX_SIZE, PTX_MBAR, PTX_CTA_MASK, PTX_POLICY },
		.needs = 4,
		.forms = {
			{ 0, TX_BYTES BULK ", [mbar]", "", "UBLKCP.S.G", "cp_async_bulk_g2s" },
			{ MOD(MULTICAST), TX_BYTES MULTICAST BULK ", [mbar], ctaMask", "",
			  "UBLKCP", "cp_async_bulk_g2s_multicast" },
		},
	}, {
		.name = "cp.async.bulk.shared::cta.global",
		.op = DRM_VSM_OP_CP_ASYNC_BULK_G2S, .action = PTX_ISSUE,
		.space = DRM_VSM_SPACE_SHARED_CTA,
		.syntax = TX_BYTES "{.L2::cache_hint}" BULK ", [mbar]{, cache-policy}",
		.quals = { BY_MBARRIER, [PTX_CACHE_HINT] = BIT(0) },
		.required = BIT(PTX_COMPLETION),
		.roles = { PTX_SHARED, PTX_GLOBAL, PTX_SIZE, PTX_MBAR, PTX_POLICY },
		.needs = 4,
	}, {
		.name = "cp.async.bulk.shared::cluster.shared::cta",
		.op = DRM_VSM_OP_CP_ASYNC_BULK_S2S, .action = PTX_ISSUE,
		.space = DRM_VSM_SPACE_SHARED_CLUSTER,
		.syntax = TX_BYTES BULK ", [mbar]",
		.quals = { BY_MBARRIER }, .required = BIT(PTX_COMPLETION),
		.roles = { PTX_SHARED, PTX_SOURCE, PTX_SIZE, PTX_MBAR }, .needs = 4,
		.forms = {
			{ 0, TX_BYTES BULK ", [mbar]", "", "UBLKCP", "cp_async_bulk_s2s" },
		},
	}, {
		.name = "cp.async.bulk.global.shared::cta",
		.op = DRM_VSM_OP_CP_ASYNC_BULK_S2G, .action = PTX_ISSUE,
		.space = DRM_VSM_SPACE_SHARED_CTA,
		.syntax = ".bulk_group{.L2::cache_hint}{.cp_mask}"
			  BULK "{, cache-policy}{, byteMask}",
		.quals = { BY_GROUP, [PTX_CP_MASK] = BIT(0) }, .required = BIT(PTX_COMPLETION),
		.roles = { PTX_GLOBAL, PTX_SHARED, PTX_SIZE, PTX_POLICY, PTX_BYTE_MASK },
		.needs = 3,
		.forms = {
			{ 0, ".bulk_group" BULK, "", "UBLKCP.G.S", "cp_async_bulk_s2g" },
			{ MOD(CP_MASK), ".bulk_group.cp_mask" BULK ", byteMask", "", "",
			  "cp_async_bulk_s2g_mask" },
		},
	}, {
		.name = "cp.async.bulk.prefetch.L2.global",
		.op = DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH, .action = PTX_ISSUE,
		.syntax = "{.L2::cache_hint} [srcMem], size{, cache-policy}",
		.quals = { [PTX_CACHE_HINT] = BIT(0) },
		.roles = { PTX_GLOBAL, PTX_SIZE, PTX_POLICY }, .needs = 2,
		.forms = { { 0, " [srcMem], size", "", "UBLKPF", "cp_async_bulk_prefetch" } },
	}, {
		.name = "cp.reduce.async.bulk.global.shared::cta",
		.op = DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2G, .action = PTX_ISSUE,
		.space = DRM_VSM_SPACE_SHARED_CTA,
		.syntax = ".bulk_group{.L2::cache_hint}.redOp{.noftz}.type"
			  BULK "{, cache-policy}",
		.quals = {
			BY_GROUP, [PTX_REDUCTION] = REDUCTIONS, [PTX_NOFTZ] = BIT(0),
			[PTX_TYPE] = GLOBAL_TYPES,
		},
		.required = BIT(PTX_COMPLETION) | BIT(PTX_REDUCTION) | BIT(PTX_TYPE),
		.types = global_types,
		.roles = { PTX_GLOBAL, PTX_SHARED, PTX_SIZE, PTX_POLICY }, .needs = 3,
		.forms = {
			{ 0, ".bulk_group.redOp.type" BULK, "", "UBLKRED",
			  "cp_reduce_async_bulk_s2g" },
		},
	}, {
		.name = "cp.reduce.async.bulk.shared::cluster.shared::cta",
		.op = DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2S, .action = PTX_ISSUE,
		.space = DRM_VSM_SPACE_SHARED_CLUSTER,
		.syntax = TX_BYTES ".redOp.type" BULK ", [mbar]",
		.quals = {
			BY_MBARRIER, [PTX_REDUCTION] = REDUCTIONS, [PTX_TYPE] = SHARED_TYPES,
		},
		.required = BIT(PTX_COMPLETION) | BIT(PTX_REDUCTION) | BIT(PTX_TYPE),
		.types = shared_types,
		.roles = { PTX_SHARED, PTX_SOURCE, PTX_SIZE, PTX_MBAR }, .needs = 4,
		.forms = {
			{ 0, TX_BYTES ".redOp.type" BULK ", [mbar]", "", "UBLKRED",
			  "cp_reduce_async_bulk_s2s" },
		},
	}, {
		GROUPS("cp.async.bulk.commit_group", CP_ASYNC_BULK_COMMIT_GROUP, 0, "",
		       PTX_NOTHING),
		.forms = { { 0, "", "", "UTMACMDFLUSH", "cp_async_bulk_commit_group" } },
	}, {
		GROUPS("cp.async.bulk.wait_group", CP_ASYNC_BULK_WAIT_GROUP, 0, "{.read} N",
		       PTX_IN_FLIGHT),
		.forms = { { 0, " N", "", "DEPBAR", "cp_async_bulk_wait_group" } },
	}, {
		GROUPS("cp.async.bulk.wait_group.read", CP_ASYNC_BULK_WAIT_GROUP, MOD(READ), " N",
		       PTX_IN_FLIGHT),
		.forms = { { MOD(READ), " N", "", "DEPBAR", "cp_async_bulk_wait_group_read" } },
	},
	{ TENSOR_LOAD(1, TILE) },
	{
		TENSOR_LOAD(2, TILE),
		.forms = {
			{ 0, TX_BYTES " [dstMem], " MAP_2D ", [mbar]", "", "UTMALDG",
			  "cp_async_bulk_tensor_g2s" },
			{ MOD(MULTICAST),
			  TX_BYTES MULTICAST " [dstMem], " MAP_2D ", [mbar], ctaMask",
			  "", "UTMALDG", "cp_async_bulk_tensor_g2s_multicast" },
		},
	}, {
		TENSOR_LOAD(3, IM2COL),
		.forms = {
			{ MOD(IM2COL), ".im2col" TX_BYTES " [dstMem], " MAP_3D ", [mbar], {o0}",
			  "", "UTMALDG", "cp_async_bulk_tensor_g2s_im2col" },
			{ MOD(IM2COL) | MOD(MULTICAST),
			  ".im2col" TX_BYTES MULTICAST " [dstMem], " MAP_3D
			  ", [mbar], {o0}, ctaMask",
			  "", "UTMALDG", "cp_async_bulk_tensor_g2s_im2col_multicast" },
		},
	},
	{ TENSOR_LOAD(4, IM2COL) },
	{ TENSOR_LOAD(5, IM2COL) },
	{ TENSOR_LOAD_OWN(1, TILE) },
	{ TENSOR_LOAD_OWN(2, TILE) },
	{ TENSOR_LOAD_OWN(3, IM2COL) },
	{ TENSOR_LOAD_OWN(4, IM2COL) },
	{ TENSOR_LOAD_OWN(5, IM2COL) },
	{ TENSOR_STORE(1, TILE) },
	{
		TENSOR_STORE(2, TILE),
		.forms = {
			{ 0, ".bulk_group " MAP_2D ", [srcMem]", "", "UTMASTG",
			  "cp_async_bulk_tensor_s2g" },
		},
	}, {
		TENSOR_STORE(3, NO_OFFS),
		.forms = {
			{ MOD(IM2COL), ".im2col_no_offs.bulk_group " MAP_3D ", [srcMem]", "",
			  "UTMASTG", "cp_async_bulk_tensor_s2g_im2col" },
		},
	},
	{ TENSOR_STORE(4, NO_OFFS) },
	{ TENSOR_STORE(5, NO_OFFS) },
	{ TENSOR_REDUCE(1, TILE) },
	{
		TENSOR_REDUCE(2, TILE),
		.forms = {
			{ 0, ".redOp.bulk_group " MAP_2D ", [srcMem]", "", "UTMAREDG",
			  "cp_reduce_async_bulk_tensor" },
		},
	}, {
		TENSOR_REDUCE(3, NO_OFFS),
		.forms = {
			{ MOD(IM2COL), ".redOp.im2col_no_offs.bulk_group " MAP_3D ", [srcMem]", "",
			  "UTMAREDG", "cp_reduce_async_bulk_tensor_im2col" },
		},
	},
	{ TENSOR_REDUCE(4, NO_OFFS) },
	{ TENSOR_REDUCE(5, NO_OFFS) },
	{ TENSOR_PREFETCH(1, TILE) },
	{
		TENSOR_PREFETCH(2, TILE),
		.forms = { { 0, " " MAP_2D, "", "UTMAPF", "cp_async_bulk_prefetch_tensor" } },
	}, {
		TENSOR_PREFETCH(3, IM2COL),
		.forms = {
			{ MOD(IM2COL), ".im2col " MAP_3D ", {o0}", "", "UTMAPF",
			  "cp_async_bulk_prefetch_tensor_im2col" },
		},
	},
	{ TENSOR_PREFETCH(4, IM2COL) },
	{ TENSOR_PREFETCH(5, IM2COL) },
	{
		.name = "st.async", .op = DRM_VSM_OP_ST_ASYNC, .action = PTX_ISSUE,
		.syntax = "{.weak|.cluster}{.shared::cluster}" TX_BYTES
			  "{.vec}.type [a], b, [mbar]",
		.quals = {
			BY_MBARRIER, [PTX_SEM] = BIT(PTX_SEM_WEAK),
			[PTX_SCOPE] = SCOPE(CLUSTER), [PTX_SPACE] = CLUSTER,
			[PTX_VECTOR] = BIT(2) | BIT(4),
			[PTX_TYPE] = BITS(32) | BITS(64) | BIT(PTX_F32) | BIT(PTX_F64),
		},
		.required = BIT(PTX_COMPLETION) | BIT(PTX_TYPE),
		.roles = { PTX_SHARED, PTX_VALUE, PTX_MBAR }, .needs = 3,
		.forms = {
			{ 0, ".weak.shared::cluster" TX_BYTES ".type [a], b, [mbar]", "", "STAS",
			  "st_async" },
		},
	}, {
		.name = "red.async", .op = DRM_VSM_OP_RED_ASYNC, .action = PTX_ISSUE,
		.syntax = ".relaxed.cluster{.shared::cluster}" TX_BYTES ".op.type [a], b, [mbar]",
		.quals = {
			BY_MBARRIER, [PTX_SEM] = SEM(RELAXED), [PTX_SCOPE] = SCOPE(CLUSTER),
			[PTX_SPACE] = CLUSTER, [PTX_REDUCTION] = REDUCTIONS,
			[PTX_TYPE] = SHARED_TYPES,
		},
		.required = BIT(PTX_SEM) | BIT(PTX_SCOPE) | BIT(PTX_COMPLETION) |
			    BIT(PTX_REDUCTION) | BIT(PTX_TYPE),
		.types = shared_types,
		.roles = { PTX_SHARED, PTX_VALUE, PTX_MBAR }, .needs = 3,
		.forms = {
			{ 0, ".relaxed.cluster.shared::cluster" TX_BYTES ".op.type [a], b, [mbar]",
			  "", "REDAS", "red_async" },
		},
	}, {
		.name = "bar.warp.sync", .op = DRM_VSM_OP_BAR_WARP_SYNC,
		.syntax = " membermask", .roles = { PTX_MEMBERMASK }, .needs = 1,
		.forms = {
			{ 0, " membermask", "nvvm.bar.warp.sync", "WARPSYNC", "bar_warp_sync" },
		},
	},
	{ BAR_SYNC("bar.sync") },
	{ BAR_ARRIVE("bar.arrive") },
	{ BAR_RED("bar.red") },
	{ BAR_SYNC("bar.cta.sync") },
	{ BAR_ARRIVE("bar.cta.arrive") },
	{ BAR_RED("bar.cta.red") },
	{ CTA_SYNC("barrier.sync") },
	{ CTA_ARRIVE("barrier.arrive") },
	{ CTA_RED("barrier.red") },
	{
		CTA_SYNC("barrier.cta.sync"),
		.forms = {
			{ 0, " a", "nvvm.barrier", "BAR", "barrier_sync" },
			{ MOD(COUNT), " a, b", "nvvm.barrier", "BAR", "barrier_sync_count" },
			{ MOD(ALIGNED), ".aligned a", "nvvm.barrier", "BAR",
			  "barrier_sync, VSM_ALIGNED" },
		},
	}, {
		CTA_ARRIVE("barrier.cta.arrive"),
		.forms = {
			{ MOD(COUNT), " a, b", "nvvm.barrier.arrive", "BAR", "barrier_arrive" },
		},
	}, {
		CTA_RED("barrier.cta.red"),
		.forms = {
			{ 0, ".op.pred p, a, {!}c", "nvvm.barrier.reduction", "BAR, B2R",
			  "barrier_red" },
			{ MOD(COUNT), ".op.pred p, a, b, {!}c", "nvvm.barrier.reduction",
			  "BAR, B2R", "barrier_red_count" },
			{ 0, ".popc.u32 d, a, {!}c", "nvvm.barrier.reduction", "BAR, B2R",
			  "barrier_red_popc" },
			{ MOD(COUNT), ".popc.u32 d, a, b, {!}c", "nvvm.barrier.reduction",
			  "BAR, B2R", "barrier_red_popc_count" },
		},
	}, {
		.name = "barrier.cluster.arrive", .op = DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE,
		.syntax = "{.sem}{.aligned}",
		.quals = { [PTX_SEM] = ARRIVE_SEMS, [PTX_ALIGNED] = BIT(0) },
		.forms = {
			{ 0, "", "nvvm.cluster.arrive", "UCGABAR_ARV", "barrier_cluster_arrive" },
			{ 0, ".relaxed", "nvvm.cluster.arrive.relaxed", "UCGABAR_ARV",
			  "barrier_cluster_arrive, VSM_RELAXED" },
		},
	}, {
		.name = "barrier.cluster.wait", .op = DRM_VSM_OP_BARRIER_CLUSTER_WAIT,
		.syntax = "{.acquire}{.aligned}",
		.quals = { [PTX_SEM] = SEM(ACQUIRE), [PTX_ALIGNED] = BIT(0) },
		.forms = {
			{ 0, "", "nvvm.cluster.wait", "UCGABAR_WAIT", "barrier_cluster_wait" },
		},
	}, {
		MATCH(ANY, "match.any.sync", PTX_MASK_OUT, "d"),
		.forms = {
			{ 0, ".b32 d, a, membermask", "nvvm.match.sync", "MATCH",
			  "match_any_sync_b32" },
			{ 0, ".b64 d, a, membermask", "nvvm.match.sync", "MATCH",
			  "match_any_sync_b64" },
		},
	}, {
		MATCH(ALL, "match.all.sync", PTX_MATCH_OUT, "d[|p]"),
		.forms = {
			{ 0, ".b32 d[|p], a, membermask", "nvvm.match.sync", "MATCH",
			  "match_all_sync_b32" },
			{ 0, ".b64 d[|p], a, membermask", "nvvm.match.sync", "MATCH",
			  "match_all_sync_b64" },
		},
	},
	{ VOTE(ALL, "vote.sync.all", PTX_PRED, ".pred", "vote_sync") },
	{ VOTE(ANY, "vote.sync.any", PTX_PRED, ".pred", "vote_sync") },
	{ VOTE(UNI, "vote.sync.uni", PTX_PRED, ".pred", "vote_sync") },
	{ VOTE(BALLOT, "vote.sync.ballot", PTX_B32, ".b32", "vote_sync_ballot") },
	{ SHFL(UP, "shfl.sync.up") },
	{ SHFL(DOWN, "shfl.sync.down") },
	{ SHFL(BFLY, "shfl.sync.bfly") },
	{ SHFL(IDX, "shfl.sync.idx") },
	{
		.name = "redux.sync", .op = DRM_VSM_OP_REDUX_SYNC,
		.syntax = ".op.type dst, src, membermask",
		.quals = {
			[PTX_REDUCTION] = BIT(DRM_VSM_RED_ADD) | BIT(DRM_VSM_RED_MIN) |
					  BIT(DRM_VSM_RED_MAX) | BIT(DRM_VSM_RED_AND) |
					  BIT(DRM_VSM_RED_OR) | BIT(DRM_VSM_RED_XOR),
			[PTX_TYPE] = BIT(PTX_U32) | BIT(PTX_S32) | BIT(PTX_B32),
		},
		.required = BIT(PTX_REDUCTION) | BIT(PTX_TYPE),
		.types = redux_types,
		.roles = { PTX_MASK_OUT, PTX_VALUE, PTX_MEMBERMASK }, .needs = 3,
		.forms = {
			{ 0, ".op.type dst, src, membermask", "nvvm.redux.sync", "REDUX",
			  "redux_sync" },
		},
	}, {
		.name = "elect.sync", .op = DRM_VSM_OP_ELECT_SYNC,
		.syntax = " d|p, membermask",
		.roles = { PTX_ELECT_OUT, PTX_MEMBERMASK }, .needs = 2,
		.forms = {
			{ 0, " d|p, membermask", "nvvm.elect.sync", "ELECT", "elect_sync" },
		},
	}, {
		.name = "exit", .op = DRM_VSM_OP_EXIT, .syntax = "",
		.forms = { { 0, "", "nvvm.exit", "EXIT", "exit" } },
	}, {
		.name = "mapa", .action = PTX_MAPA,
		.syntax = "{.shared::cluster}.u32 d, a, b",
		.quals = { [PTX_SPACE] = CLUSTER, [PTX_TYPE] = BIT(PTX_U32) | BIT(PTX_U64) },
		.required = BIT(PTX_TYPE),
		.roles = { PTX_VALUE_OUT, PTX_VALUE, PTX_RANK }, .needs = 3,
		.forms = {
			{ 0, ".shared::cluster.u32 d, a, b", "nvvm.mapa", "PRMT", "vsm_mapa" },
		},
	}, {
		.name = "mov", .action = PTX_MOV,
		.syntax = ".type d, a",
		.quals = { [PTX_TYPE] = BIT(PTX_PRED) | BITS(32) | BITS(64) },
		.required = BIT(PTX_TYPE),
		.roles = { PTX_VALUE_OUT, PTX_VALUE }, .needs = 2,
	}, {
		.name = "add", .action = PTX_ADD,
		.syntax = ".type d, a, b",
		.quals = {
			[PTX_TYPE] = BIT(PTX_U32) | BIT(PTX_S32) | BIT(PTX_U64) | BIT(PTX_S64),
		},
		.required = BIT(PTX_TYPE),
		.roles = { PTX_VALUE_OUT, PTX_VALUE, PTX_VALUE }, .needs = 3,
	}, {
		.name = "ld", .action = PTX_LD,
		.syntax = "{.weak|.volatile|.relaxed.scope|.acquire.scope}.space.type d, [a]",
		.quals = {
			[PTX_SEM] = WAIT_SEMS | BIT(PTX_SEM_WEAK) | BIT(PTX_SEM_VOLATILE),
			[PTX_SCOPE] = ALL_SCOPES,
			[PTX_SPACE] = OWN | CLUSTER | GLOBAL,
			[PTX_TYPE] = INTEGERS,
		},
		.required = BIT(PTX_SPACE) | BIT(PTX_TYPE),
		.roles = { PTX_VALUE_OUT, PTX_MEMORY }, .needs = 2,
	}, {
		.name = "st", .action = PTX_ST,
		.syntax = "{.weak|.volatile|.relaxed.scope|.release.scope}.space.type [a], b",
		.quals = {
			[PTX_SEM] = ARRIVE_SEMS | BIT(PTX_SEM_WEAK) | BIT(PTX_SEM_VOLATILE),
			[PTX_SCOPE] = ALL_SCOPES,
			[PTX_SPACE] = OWN | CLUSTER | GLOBAL,
			[PTX_TYPE] = INTEGERS,
		},
		.required = BIT(PTX_SPACE) | BIT(PTX_TYPE),
		.roles = { PTX_MEMORY, PTX_VALUE }, .needs = 2,
	},
};

const unsigned int ptx_op_count = ARRAY_SIZE(ptx_ops);
