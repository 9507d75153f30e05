// SPDX-License-Identifier: MIT
/*
 * One row for each form of an operation: what the PTX ISA's syntax allows there
 * (9.7.13.15.9 to .17; cp.async, cp.async.bulk, fence, mapa, mov, ld, st).
 */
#include "command.h"
#include "ptx.h"

#define BIT(value)	(1U << (value))
#define SEM(name)	BIT(DRM_VSM_SEM_##name)
#define SCOPE(name)	BIT(DRM_VSM_SCOPE_##name)

#define ARRIVE_SEMS	(SEM(RELEASE) | SEM(RELAXED))
#define WAIT_SEMS	(SEM(ACQUIRE) | SEM(RELAXED))
#define SCOPES		(SCOPE(CTA) | SCOPE(CLUSTER))
#define ALL_SCOPES	(SCOPES | BIT(PTX_SCOPE_GPU) | BIT(PTX_SCOPE_SYS))
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

/* An operation on an mbarrier, all of which are .b64: its operands are the roles. */
#define MBARRIER(name_, op_, mods_, quals_, syntax_, needs_, ...)		\
	{									\
		.name = name_,							\
		.syntax = syntax_,						\
		.op = DRM_VSM_OP_##op_,						\
		.mods = mods_,							\
		.quals = quals_,						\
		.required = BIT(PTX_TYPE),					\
		.roles = { __VA_ARGS__ },					\
		.needs = needs_,						\
	}

#define ARRIVE(name_, op_)							\
	MBARRIER(name_, op_, 0, QUALS(ARRIVE_SEMS, SCOPES, OWN | CLUSTER),	\
		 "{.sem.scope}{.space}.b64 state, [addr]{, count}",		\
		 2, PTX_STATE_OUT, PTX_SHARED, PTX_COUNT)
#define ARRIVE_EXPECT_TX(name_, op_)						\
	MBARRIER(name_, op_, DRM_VSM_MOD_EXPECT_TX,				\
		 QUALS(ARRIVE_SEMS, SCOPES, OWN | CLUSTER),			\
		 "{.sem.scope}{.space}.b64 state, [addr], txCount",		\
		 3, PTX_STATE_OUT, PTX_SHARED, PTX_TX_COUNT)
#define ARRIVE_NOCOMPLETE(name_, op_)						\
	MBARRIER(name_, op_, DRM_VSM_MOD_NOCOMPLETE, QUALS(SEM(RELEASE), SCOPE(CTA), OWN), \
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

#define CP_ASYNC(name_, mods_, size_)						\
	{									\
		.name = name_, .op = DRM_VSM_OP_CP_ASYNC, .mods = mods_,	\
		.space = DRM_VSM_SPACE_SHARED_CTA,				\
		.syntax = "{.L2::cache_hint}{.L2::128B} [dst], [src], " size_	\
			  "{, src-size}{, cache-policy}",			\
		.quals = { [PTX_CACHE_HINT] = BIT(0), [PTX_PREFETCH] = 7 },	\
		.roles = { PTX_SHARED, PTX_GLOBAL, PTX_CP_SIZE, PTX_SRC_SIZE, PTX_POLICY }, \
		.needs = 3,							\
	}

#define BULK_G2S(name_, space_)						\
	{									\
		.name = name_, .op = DRM_VSM_OP_CP_ASYNC_BULK_G2S, .space = space_, \
		.action = PTX_SUBMIT,						\
		.syntax = ".mbarrier::complete_tx::bytes{.L2::cache_hint} "	\
			  "[dstMem], [srcMem], size, [mbar]{, cache-policy}",	\
		.quals = {							\
			[PTX_COMPLETION] = BIT(PTX_COMPLETION_MBARRIER),	\
			[PTX_CACHE_HINT] = BIT(0),				\
		},								\
		.required = BIT(PTX_COMPLETION),				\
		.roles = { PTX_SHARED, PTX_GLOBAL, PTX_SIZE, PTX_MBAR, PTX_POLICY }, \
		.needs = 4,							\
	}

#define LACKING(name_)	{ .name = name_, .action = PTX_LACKING, .syntax = "" }

const struct ptx_op ptx_ops[] = {
	MBARRIER("mbarrier.init", MBARRIER_INIT, 0, QUALS(0, 0, OWN),
		 "{.shared{::cta}}.b64 [addr], count", 2, PTX_SHARED, PTX_COUNT),
	MBARRIER("mbarrier.inval", MBARRIER_INVAL, 0, QUALS(0, 0, OWN),
		 "{.shared{::cta}}.b64 [addr]", 1, PTX_SHARED),
	TX("mbarrier.expect_tx", MBARRIER_EXPECT_TX),
	TX("mbarrier.complete_tx", MBARRIER_COMPLETE_TX),
	ARRIVE("mbarrier.arrive", MBARRIER_ARRIVE),
	ARRIVE_EXPECT_TX("mbarrier.arrive.expect_tx", MBARRIER_ARRIVE),
	ARRIVE_NOCOMPLETE("mbarrier.arrive.noComplete", MBARRIER_ARRIVE),
	ARRIVE("mbarrier.arrive_drop", MBARRIER_ARRIVE_DROP),
	ARRIVE_EXPECT_TX("mbarrier.arrive_drop.expect_tx", MBARRIER_ARRIVE_DROP),
	ARRIVE_NOCOMPLETE("mbarrier.arrive_drop.noComplete", MBARRIER_ARRIVE_DROP),
	WAIT("mbarrier.test_wait", MBARRIER_TEST_WAIT, 0, "state", PTX_STATE),
	WAIT("mbarrier.test_wait.parity", MBARRIER_TEST_WAIT, DRM_VSM_MOD_PARITY,
	     "phaseParity", PTX_PARITY),
	WAIT("mbarrier.try_wait", MBARRIER_TRY_WAIT, 0, "state{, suspendTimeHint}",
	     PTX_STATE, PTX_HINT),
	WAIT("mbarrier.try_wait.parity", MBARRIER_TRY_WAIT, DRM_VSM_MOD_PARITY,
	     "phaseParity{, suspendTimeHint}", PTX_PARITY, PTX_HINT),
	MBARRIER("mbarrier.pending_count", MBARRIER_PENDING_COUNT, 0, QUALS(0, 0, 0),
		 ".b64 count, state", 2, PTX_COUNT_OUT, PTX_STATE),
	MBARRIER("cp.async.mbarrier.arrive", CP_ASYNC_MBARRIER_ARRIVE, 0, QUALS(0, 0, OWN),
		 "{.shared{::cta}}.b64 [addr]", 1, PTX_SHARED),
	MBARRIER("cp.async.mbarrier.arrive.noinc", CP_ASYNC_MBARRIER_ARRIVE, DRM_VSM_MOD_NOINC,
		 QUALS(0, 0, OWN), "{.shared{::cta}}.b64 [addr]", 1, PTX_SHARED),
	{
		.name = "fence.mbarrier_init", .op = DRM_VSM_OP_FENCE_MBARRIER_INIT,
		.syntax = ".release.cluster",
		.quals = { [PTX_SEM] = SEM(RELEASE), [PTX_SCOPE] = SCOPE(CLUSTER) },
		.required = BIT(PTX_SEM) | BIT(PTX_SCOPE),
	},
	CP_ASYNC("cp.async.ca.shared::cta.global", 0, "cp-size"),
	CP_ASYNC("cp.async.cg.shared::cta.global", DRM_VSM_MOD_CG, "16"),
	BULK_G2S("cp.async.bulk.shared::cluster.global", DRM_VSM_SPACE_SHARED_CLUSTER),
	BULK_G2S("cp.async.bulk.shared::cta.global", DRM_VSM_SPACE_SHARED_CTA),
	{
		.name = "cp.async.bulk.global.shared::cta", .op = DRM_VSM_OP_CP_ASYNC_BULK_S2G,
		.space = DRM_VSM_SPACE_SHARED_CTA,
		.action = PTX_SUBMIT,
		.syntax = ".bulk_group{.L2::cache_hint} [dstMem], [srcMem], size{, cache-policy}",
		.quals = {
			[PTX_COMPLETION] = BIT(PTX_COMPLETION_GROUP),
			[PTX_CACHE_HINT] = BIT(0),
		},
		.roles = { PTX_GLOBAL, PTX_SHARED, PTX_SIZE, PTX_POLICY }, .needs = 3,
	}, {
		.name = "mapa", .action = PTX_MAPA,
		.syntax = "{.shared::cluster}.u32 d, a, b",
		.quals = { [PTX_SPACE] = CLUSTER, [PTX_TYPE] = BIT(PTX_U32) | BIT(PTX_U64) },
		.required = BIT(PTX_TYPE),
		.roles = { PTX_VALUE_OUT, PTX_VALUE, PTX_RANK }, .needs = 3,
	}, {
		.name = "mov", .action = PTX_MOV,
		.syntax = ".type d, a",
		.quals = { [PTX_TYPE] = BIT(PTX_PRED) | BITS(32) | BITS(64) },
		.required = BIT(PTX_TYPE),
		.roles = { PTX_VALUE_OUT, PTX_VALUE }, .needs = 2,
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
	LACKING("cp.async.bulk.shared::cluster.shared::cta"),
	LACKING("cp.async.bulk.tensor"),
	LACKING("cp.async.bulk.prefetch"),
	LACKING("cp.async.bulk.commit_group"),
	LACKING("cp.async.bulk.wait_group"),
	LACKING("cp.async.commit_group"),
	LACKING("cp.async.wait_group"),
	LACKING("cp.async.wait_all"),
	LACKING("cp.reduce.async.bulk"),
	LACKING("st.async"),
	LACKING("red.async"),
	LACKING("bar"),
	LACKING("barrier"),
	LACKING("match.sync"),
};

const unsigned int ptx_op_count = ARRAY_SIZE(ptx_ops);
