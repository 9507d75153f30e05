/* SPDX-License-Identifier: MIT */
/*
 * Macros for rows of the table of operations in form.c. Operations with the same syntax have a
 * macro that sets the members of struct ptx_op, in most cases all except the forms.
 * Only form.c includes this file.
 */
#ifndef _PTX_TABLE_SYNTAX_H_
#define _PTX_TABLE_SYNTAX_H_

#include "text/macros.h"

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

#endif
