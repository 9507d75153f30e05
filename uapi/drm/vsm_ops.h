/* SPDX-License-Identifier: MIT */
/*
 * The table of operations and their forms, in the order of enum drm_vsm_op. vsm_drm.h describes
 * what each operation does. Code that needs a list of the operations includes this file. The file
 * is not installed.
 *
 * Define VSM_OP before you include this file, and those of the other three macros that you need. If
 * VSM_OP is not defined, the file defines only the constants.
 *
 *	VSM_OP(NAME, sems, traits)	begins an operation:
 *		NAME	end of DRM_VSM_OP_NAME; in lower case it is the name in the library
 *		sems	.sem qualifiers that it takes: 0 or SEMS(...)
 *		traits	properties of the operation: 0 or TRAITS(...) of VSM_OP_... below
 *	VSM_PTX(name, rest)		says how the library writes the operation in PTX
 *					(userlib/syntax/form.c has the grammar that reads it):
 *		name	text before the modifiers and .sem.scope
 *		rest	text after the modifiers and .sem.scope
 *	VSM_FORM(mods, takes)		describes one form of the operation:
 *		mods	modifiers that the form has: 0 or MODS(...) of DRM_VSM_MOD_...
 *		takes	operands that the form takes: TAKES(...) of VSM_TAKES_... below
 *	VSM_OP_END			ends the operation
 *
 * In name and rest, a $ with a letter stands for a part that depends on the instruction:
 *
 *	$s	state space; $s{.space} stands for .space if the instruction has no state space
 *	$o	reduction operation
 *	$t	type of a reduction or of match.sync
 *	$q	mode of a warp operation
 *	$d	number of dimensions
 *	$i, $n	.im2col of a load, .im2col_no_offs of a store
 *	$m	.multicast::cluster or .cp_mask
 *	$c	.mbarrier::complete_tx::bytes
 *	$v	type of a stored value
 *	$p	type of the result
 *	$a	.aligned
 */
#ifndef _UAPI_VSM_OPS_H_
#define _UAPI_VSM_OPS_H_

/* Traits of an operation. EXEC can execute every operation, whatever its traits. */
#define VSM_OP_JOB		(1 << 0) /* a job may contain it; with VALUE only if SINK is set */
#define VSM_OP_WAIT_SET		(1 << 1) /* a wait set can arm the instruction itself */
#define VSM_OP_SUSPENDS		(1 << 2) /* may suspend (a barrier's arrive waits for its warp) */
#define VSM_OP_ASYNC		(1 << 3) /* it is asynchronous to the thread that issues it */
#define VSM_OP_SM_80		(1 << 4) /* it exists in layout sm_80 */
#define VSM_OP_REMOTE		(1 << 5) /* it may work on another CTA's window */
#define VSM_OP_VALUE		(1 << 6) /* without SINK it returns a value, and cannot be remote */
#define VSM_OP_CLUSTER		(1 << 7) /* barrier.cluster, whose .sem has no .scope */
/*
 * Source and destination of the bytes that the operation moves. These bits differ from all
 * VSM_TAKES_*, because the driver keeps both in one mask.
 */
#define VSM_OP_FROM_BUFFER	(1 << 24)
#define VSM_OP_FROM_WINDOW	(1 << 25)
#define VSM_OP_TO_BUFFER	(1 << 26)
#define VSM_OP_TO_WINDOW	(1 << 27)
#define VSM_OP_MOVES		(0xf << 24)

/* Operands of a form. All other operands must be 0. */
#define VSM_TAKES_ADDR		(1 << 0)
#define VSM_TAKES_COUNT		(1 << 1)
#define VSM_TAKES_TX		(1 << 2)
#define VSM_TAKES_PARITY	(1 << 3)
#define VSM_TAKES_HINT		(1 << 4)
#define VSM_TAKES_STATE		(1 << 5)
#define VSM_TAKES_COPY		(1 << 6) /* struct drm_vsm_copy_operands */
#define VSM_TAKES_MBAR		(1 << 7) /* the mbarrier on which a copy performs complete-tx */
#define VSM_TAKES_ELEMENT	(1 << 8) /* the copy has 4, 8 or 16 bytes */
#define VSM_TAKES_SRC_SIZE	(1 << 9)
#define VSM_TAKES_NOTHING	(1 << 10)
#define VSM_TAKES_GROUPS	(1 << 11) /* a number of groups, which may be 0 */
#define VSM_TAKES_SHARED	(1 << 12) /* the source is in a window instead of a buffer */
#define VSM_TAKES_MASK		(1 << 13)
#define VSM_TAKES_TENSOR	(1 << 14) /* struct drm_vsm_tensor_operands */
#define VSM_TAKES_STORE		(1 << 15) /* struct drm_vsm_store_operands */
#define VSM_TAKES_RED		(1 << 16) /* a reduction or a mode */
#define VSM_TAKES_OFFSETS	(1 << 17)
#define VSM_TAKES_NO_WINDOW	(1 << 18) /* a prefetch, which has no window address */
#define VSM_TAKES_WARP		(1 << 19) /* struct drm_vsm_warp_operands */
#define VSM_TAKES_BARRIER	(1 << 20) /* struct drm_vsm_barrier_operands */

#define VSM_SEM_RELAXED		(1 << DRM_VSM_SEM_RELAXED)
#define VSM_SEM_ACQUIRE		(1 << DRM_VSM_SEM_ACQUIRE)
#define VSM_SEM_RELEASE		(1 << DRM_VSM_SEM_RELEASE)
#define VSM_SEM_ACQ_REL		(1 << DRM_VSM_SEM_ACQ_REL)
#define VSM_SEM_SC		(1 << DRM_VSM_SEM_SC)

/*
 * VSM_OR(prefix_, A, B) is (prefix_A | prefix_B); it takes up to six names. The ## prevents the
 * preprocessor from expanding a name that is a macro elsewhere, like READ in the kernel.
 */
#define VSM_OR_1(p, a)			(p##a)
#define VSM_OR_2(p, a, b)		(p##a | p##b)
#define VSM_OR_3(p, a, b, c)		(p##a | p##b | p##c)
#define VSM_OR_4(p, a, b, c, d)		(p##a | p##b | p##c | p##d)
#define VSM_OR_5(p, a, b, c, d, e)	(p##a | p##b | p##c | p##d | p##e)
#define VSM_OR_6(p, a, b, c, d, e, f)	(p##a | p##b | p##c | p##d | p##e | p##f)
#define VSM_OR_N(p, a, b, c, d, e, f, n, ...) VSM_OR_##n
#define VSM_OR(p, ...)	VSM_OR_N(p, ##__VA_ARGS__, 6, 5, 4, 3, 2, 1, 0)(p, ##__VA_ARGS__)

#endif

#ifdef VSM_OP

#ifndef VSM_PTX
#define VSM_PTX(name, rest)
#endif
#ifndef VSM_FORM
#define VSM_FORM(mods, takes)
#endif
#ifndef VSM_OP_END
#define VSM_OP_END
#endif

#define SEMS(...)	VSM_OR(VSM_SEM_, ##__VA_ARGS__)
#define TRAITS(...)	VSM_OR(VSM_OP_, ##__VA_ARGS__)
#define MODS(...)	VSM_OR(DRM_VSM_MOD_, ##__VA_ARGS__)
#define TAKES(...)	VSM_OR(VSM_TAKES_, ##__VA_ARGS__)

/* mbarrier operations: PTX ISA, sections 9.7.13.15.9 to 9.7.13.15.17 */

VSM_OP(MBARRIER_INIT, 0, TRAITS(SM_80))
	VSM_PTX("mbarrier.init", "$s.b64")
	VSM_FORM(0, TAKES(ADDR, COUNT))
VSM_OP_END

VSM_OP(MBARRIER_INVAL, 0, TRAITS(SM_80))
	VSM_PTX("mbarrier.inval", "$s.b64")
	VSM_FORM(0, TAKES(ADDR))
VSM_OP_END

VSM_OP(MBARRIER_ARRIVE, SEMS(RELEASE, RELAXED), TRAITS(JOB, SM_80, REMOTE, VALUE))
	VSM_PTX("mbarrier.arrive", "$s.b64")
	VSM_FORM(0, TAKES(ADDR))
	VSM_FORM(MODS(COUNT), TAKES(ADDR, COUNT))
	VSM_FORM(MODS(EXPECT_TX), TAKES(ADDR, TX))
	VSM_FORM(MODS(NOCOMPLETE, COUNT), TAKES(ADDR, COUNT))
	VSM_FORM(MODS(SINK), TAKES(ADDR))
	VSM_FORM(MODS(SINK, COUNT), TAKES(ADDR, COUNT))
	VSM_FORM(MODS(SINK, EXPECT_TX), TAKES(ADDR, TX))
	VSM_FORM(MODS(SINK, NOCOMPLETE, COUNT), TAKES(ADDR, COUNT))
VSM_OP_END

VSM_OP(MBARRIER_ARRIVE_DROP, SEMS(RELEASE, RELAXED), TRAITS(JOB, SM_80, REMOTE, VALUE))
	VSM_PTX("mbarrier.arrive_drop", "$s.b64")
	VSM_FORM(0, TAKES(ADDR))
	VSM_FORM(MODS(COUNT), TAKES(ADDR, COUNT))
	VSM_FORM(MODS(EXPECT_TX), TAKES(ADDR, TX))
	VSM_FORM(MODS(NOCOMPLETE, COUNT), TAKES(ADDR, COUNT))
	VSM_FORM(MODS(SINK), TAKES(ADDR))
	VSM_FORM(MODS(SINK, COUNT), TAKES(ADDR, COUNT))
	VSM_FORM(MODS(SINK, EXPECT_TX), TAKES(ADDR, TX))
	VSM_FORM(MODS(SINK, NOCOMPLETE, COUNT), TAKES(ADDR, COUNT))
VSM_OP_END

VSM_OP(MBARRIER_EXPECT_TX, SEMS(RELAXED), TRAITS(JOB, REMOTE))
	VSM_PTX("mbarrier.expect_tx", "$s.b64")
	VSM_FORM(0, TAKES(ADDR, TX))
VSM_OP_END

VSM_OP(MBARRIER_COMPLETE_TX, SEMS(RELAXED), TRAITS(JOB, REMOTE))
	VSM_PTX("mbarrier.complete_tx", "$s.b64")
	VSM_FORM(0, TAKES(ADDR, TX))
VSM_OP_END

VSM_OP(MBARRIER_TEST_WAIT, SEMS(ACQUIRE, RELAXED), TRAITS(SM_80))
	VSM_PTX("mbarrier.test_wait", "$s.b64")
	VSM_FORM(0, TAKES(ADDR, STATE))
	VSM_FORM(MODS(PARITY), TAKES(ADDR, PARITY))
VSM_OP_END

VSM_OP(MBARRIER_TRY_WAIT, SEMS(ACQUIRE, RELAXED), TRAITS(WAIT_SET, SUSPENDS))
	VSM_PTX("mbarrier.try_wait", "$s.b64")
	VSM_FORM(0, TAKES(ADDR, STATE))
	VSM_FORM(MODS(PARITY), TAKES(ADDR, PARITY))
	VSM_FORM(MODS(HINT), TAKES(ADDR, STATE, HINT))
	VSM_FORM(MODS(HINT, PARITY), TAKES(ADDR, PARITY, HINT))
VSM_OP_END

VSM_OP(MBARRIER_PENDING_COUNT, 0, TRAITS(SM_80))
	VSM_PTX("mbarrier.pending_count", "$s.b64")
	VSM_FORM(0, TAKES(STATE))
VSM_OP_END

/* Copies, their groups, and fence.mbarrier_init: PTX ISA, sections 9.7.9.25 and 9.7.13.4 */

VSM_OP(CP_ASYNC_BULK_G2S, 0, TRAITS(JOB, ASYNC, REMOTE, FROM_BUFFER, TO_WINDOW))
	VSM_PTX("cp.async.bulk", "$s{.shared::cluster}.global$c$m")
	VSM_FORM(0, TAKES(COPY, MBAR))
	VSM_FORM(MODS(MULTICAST), TAKES(COPY, MBAR, MASK))
VSM_OP_END

VSM_OP(CP_ASYNC_BULK_S2G, 0, TRAITS(JOB, ASYNC, FROM_WINDOW, TO_BUFFER))
	VSM_PTX("cp.async.bulk", ".global$s{.shared::cta}.bulk_group$m")
	VSM_FORM(0, TAKES(COPY))
	VSM_FORM(MODS(CP_MASK), TAKES(COPY, MASK))
VSM_OP_END

VSM_OP(FENCE_MBARRIER_INIT, SEMS(RELEASE), 0)
	VSM_PTX("fence.mbarrier_init", "$s")
	VSM_FORM(0, TAKES(NOTHING))
VSM_OP_END

VSM_OP(CP_ASYNC, 0, TRAITS(ASYNC, SM_80, FROM_BUFFER, TO_WINDOW))
	VSM_PTX("cp.async", "$s{.shared}.global")
	VSM_FORM(0, TAKES(COPY, ELEMENT))
	VSM_FORM(MODS(CG), TAKES(COPY, ELEMENT))
	VSM_FORM(MODS(SRC_SIZE), TAKES(COPY, ELEMENT, SRC_SIZE))
	VSM_FORM(MODS(SRC_SIZE, CG), TAKES(COPY, ELEMENT, SRC_SIZE))
VSM_OP_END

VSM_OP(CP_ASYNC_MBARRIER_ARRIVE, 0, TRAITS(ASYNC, SM_80))
	VSM_PTX("cp.async.mbarrier.arrive", "$s.b64")
	VSM_FORM(0, TAKES(ADDR))
	VSM_FORM(MODS(NOINC), TAKES(ADDR))
VSM_OP_END

VSM_OP(CP_ASYNC_COMMIT_GROUP, 0, TRAITS(SM_80))
	VSM_PTX("cp.async.commit_group", "$s")
	VSM_FORM(0, TAKES(NOTHING))
VSM_OP_END

VSM_OP(CP_ASYNC_WAIT_GROUP, 0, TRAITS(WAIT_SET, SUSPENDS, SM_80))
	VSM_PTX("cp.async.wait_group", "$s")
	VSM_FORM(0, TAKES(GROUPS))
VSM_OP_END

VSM_OP(CP_ASYNC_WAIT_ALL, 0, TRAITS(WAIT_SET, SUSPENDS, SM_80))
	VSM_PTX("cp.async.wait_all", "$s")
	VSM_FORM(0, TAKES(NOTHING))
VSM_OP_END

VSM_OP(CP_ASYNC_BULK_S2S, 0, TRAITS(JOB, ASYNC, REMOTE, FROM_WINDOW, TO_WINDOW))
	VSM_PTX("cp.async.bulk", "$s{.shared::cluster}.shared::cta$c")
	VSM_FORM(0, TAKES(COPY, MBAR, SHARED))
VSM_OP_END

VSM_OP(CP_ASYNC_BULK_PREFETCH, 0, TRAITS(JOB, ASYNC, FROM_BUFFER))
	VSM_PTX("cp.async.bulk.prefetch", ".L2.global$s")
	VSM_FORM(0, TAKES(COPY, NO_WINDOW))
VSM_OP_END

VSM_OP(CP_ASYNC_BULK_COMMIT_GROUP, 0, 0)
	VSM_PTX("cp.async.bulk.commit_group", "$s")
	VSM_FORM(0, TAKES(NOTHING))
VSM_OP_END

VSM_OP(CP_ASYNC_BULK_WAIT_GROUP, 0, TRAITS(WAIT_SET, SUSPENDS))
	VSM_PTX("cp.async.bulk.wait_group", "$s")
	VSM_FORM(0, TAKES(GROUPS))
	VSM_FORM(MODS(READ), TAKES(GROUPS))
VSM_OP_END

VSM_OP(CP_REDUCE_ASYNC_BULK_S2G, 0, TRAITS(JOB, ASYNC, FROM_WINDOW, TO_BUFFER))
	VSM_PTX("cp.reduce.async.bulk", ".global$s{.shared::cta}.bulk_group$o$t")
	VSM_FORM(0, TAKES(COPY, RED))
VSM_OP_END

VSM_OP(CP_REDUCE_ASYNC_BULK_S2S, 0, TRAITS(JOB, ASYNC, REMOTE, FROM_WINDOW, TO_WINDOW))
	VSM_PTX("cp.reduce.async.bulk", "$s{.shared::cluster}.shared::cta$c$o$t")
	VSM_FORM(0, TAKES(COPY, MBAR, SHARED, RED))
VSM_OP_END

VSM_OP(CP_ASYNC_BULK_TENSOR_G2S, 0, TRAITS(JOB, ASYNC, REMOTE, FROM_BUFFER, TO_WINDOW))
	VSM_PTX("cp.async.bulk.tensor", "$d$s{.shared::cluster}.global$i$c$m")
	VSM_FORM(0, TAKES(TENSOR, MBAR))
	VSM_FORM(MODS(MULTICAST), TAKES(TENSOR, MBAR, MASK))
	VSM_FORM(MODS(IM2COL), TAKES(TENSOR, MBAR, OFFSETS))
	VSM_FORM(MODS(IM2COL, MULTICAST), TAKES(TENSOR, MBAR, MASK, OFFSETS))
VSM_OP_END

VSM_OP(CP_ASYNC_BULK_TENSOR_S2G, 0, TRAITS(JOB, ASYNC, FROM_WINDOW, TO_BUFFER))
	VSM_PTX("cp.async.bulk.tensor", "$d.global$s{.shared::cta}$n.bulk_group")
	VSM_FORM(0, TAKES(TENSOR))
	VSM_FORM(MODS(IM2COL), TAKES(TENSOR))
VSM_OP_END

VSM_OP(CP_REDUCE_ASYNC_BULK_TENSOR, 0, TRAITS(JOB, ASYNC, FROM_WINDOW, TO_BUFFER))
	VSM_PTX("cp.reduce.async.bulk.tensor", "$d.global$s{.shared::cta}$o$n.bulk_group")
	VSM_FORM(0, TAKES(TENSOR, RED))
	VSM_FORM(MODS(IM2COL), TAKES(TENSOR, RED))
VSM_OP_END

VSM_OP(CP_ASYNC_BULK_PREFETCH_TENSOR, 0, TRAITS(JOB, ASYNC, FROM_BUFFER))
	VSM_PTX("cp.async.bulk.prefetch.tensor", "$d.L2.global$s$i")
	VSM_FORM(0, TAKES(TENSOR, NO_WINDOW))
	VSM_FORM(MODS(IM2COL), TAKES(TENSOR, NO_WINDOW, OFFSETS))
VSM_OP_END

/* st.async and red.async: PTX ISA, sections 9.7.9.12 and 9.7.13.7 */

VSM_OP(ST_ASYNC, 0, TRAITS(JOB, ASYNC, REMOTE, TO_WINDOW))
	VSM_PTX("st.async", ".weak$s{.shared::cluster}$c$v")
	VSM_FORM(0, TAKES(STORE, MBAR))
VSM_OP_END

VSM_OP(RED_ASYNC, 0, TRAITS(JOB, ASYNC, REMOTE, TO_WINDOW))
	VSM_PTX("red.async", ".relaxed.cluster$s{.shared::cluster}$c$o$t")
	VSM_FORM(0, TAKES(STORE, MBAR, RED))
VSM_OP_END

/*
 * Warp operations: PTX ISA, sections 9.7.13.2, 9.7.13.9, 9.7.13.10, 9.7.13.12, 9.7.13.14, 9.7.9.6
 */

VSM_OP(MATCH_SYNC, 0, TRAITS(WAIT_SET, SUSPENDS, SM_80))
	VSM_PTX("match$q.sync", "$t$s")
	VSM_FORM(0, TAKES(WARP, RED))
VSM_OP_END

VSM_OP(BAR_WARP_SYNC, 0, TRAITS(WAIT_SET, SUSPENDS, SM_80))
	VSM_PTX("bar.warp.sync", "$s")
	VSM_FORM(0, TAKES(WARP))
VSM_OP_END

VSM_OP(ELECT_SYNC, 0, TRAITS(WAIT_SET, SUSPENDS))
	VSM_PTX("elect.sync", "$s")
	VSM_FORM(0, TAKES(WARP))
VSM_OP_END

VSM_OP(VOTE_SYNC, 0, TRAITS(WAIT_SET, SUSPENDS, SM_80))
	VSM_PTX("vote.sync$q", "$p$s")
	VSM_FORM(0, TAKES(WARP, RED))
VSM_OP_END

VSM_OP(SHFL_SYNC, 0, TRAITS(WAIT_SET, SUSPENDS, SM_80))
	VSM_PTX("shfl.sync$q", ".b32$s")
	VSM_FORM(0, TAKES(WARP, RED))
VSM_OP_END

VSM_OP(REDUX_SYNC, 0, TRAITS(WAIT_SET, SUSPENDS, SM_80))
	VSM_PTX("redux.sync$o", "$t$s")
	VSM_FORM(0, TAKES(WARP, RED))
VSM_OP_END

/* Barriers of a CTA and of the cluster, and exit: PTX ISA, sections 9.7.13.1, 9.7.13.3, 9.7.12.7 */

VSM_OP(BARRIER_SYNC, 0, TRAITS(WAIT_SET, SUSPENDS, SM_80))
	VSM_PTX("barrier.cta.sync", "$a$s")
	VSM_FORM(MODS(ALIGNED, COUNT), TAKES(BARRIER))
	VSM_FORM(MODS(ALIGNED), TAKES(BARRIER))
	VSM_FORM(MODS(COUNT), TAKES(BARRIER))
	VSM_FORM(0, TAKES(BARRIER))
VSM_OP_END

VSM_OP(BARRIER_ARRIVE, 0, TRAITS(WAIT_SET, SUSPENDS, SM_80))
	VSM_PTX("barrier.cta.arrive", "$a$s")
	VSM_FORM(MODS(ALIGNED, COUNT), TAKES(BARRIER))
	VSM_FORM(MODS(COUNT), TAKES(BARRIER))
VSM_OP_END

VSM_OP(BARRIER_RED, 0, TRAITS(WAIT_SET, SUSPENDS, SM_80))
	VSM_PTX("barrier.cta.red$o", "$a$p$s")
	VSM_FORM(MODS(ALIGNED, COUNT), TAKES(BARRIER, RED))
	VSM_FORM(MODS(ALIGNED), TAKES(BARRIER, RED))
	VSM_FORM(MODS(COUNT), TAKES(BARRIER, RED))
	VSM_FORM(0, TAKES(BARRIER, RED))
VSM_OP_END

VSM_OP(BARRIER_CLUSTER_ARRIVE, SEMS(RELEASE, RELAXED), TRAITS(WAIT_SET, SUSPENDS, CLUSTER))
	VSM_PTX("barrier.cluster.arrive", "$a$s")
	VSM_FORM(0, TAKES(NOTHING))
	VSM_FORM(MODS(ALIGNED), TAKES(NOTHING))
VSM_OP_END

VSM_OP(BARRIER_CLUSTER_WAIT, SEMS(ACQUIRE), TRAITS(WAIT_SET, SUSPENDS, CLUSTER))
	VSM_PTX("barrier.cluster.wait", "$a$s")
	VSM_FORM(0, TAKES(NOTHING))
	VSM_FORM(MODS(ALIGNED), TAKES(NOTHING))
VSM_OP_END

VSM_OP(EXIT, 0, TRAITS(SM_80))
	VSM_PTX("exit", "$s")
	VSM_FORM(0, TAKES(NOTHING))
VSM_OP_END

/* fence: PTX ISA, section 9.7.13.4 */

VSM_OP(FENCE, SEMS(ACQUIRE, RELEASE, ACQ_REL, SC), TRAITS(JOB, SM_80))
	VSM_PTX("fence", "$s")
	VSM_FORM(0, TAKES(NOTHING))
VSM_OP_END

#undef SEMS
#undef TRAITS
#undef MODS
#undef TAKES
#undef VSM_OP
#undef VSM_PTX
#undef VSM_FORM
#undef VSM_OP_END

#endif
