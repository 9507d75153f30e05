/* SPDX-License-Identifier: (GPL-2.0-only OR MIT) */
/*
 * Instructions as the unit tests and the kselftests write them: one constructor for each
 * operation, and functions that add an operand to an instruction. This is the only place
 * where the tests spell an instruction field by field. It is written by hand from the uapi
 * header, and does not depend on the driver or the library.
 */
#ifndef VSM_SELFTESTS_INSN_H
#define VSM_SELFTESTS_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include <drm/vsm_drm.h>

#define VSM_OP(NAME, sems, traits) OPERATION_##NAME,
enum {
	NO_OPERATION,
#include <drm/vsm_ops.h>
	OPERATIONS,	/* number of the last operation + 1 */
};

#define OP(x)		DRM_VSM_OP_##x
#define MOD(x)		DRM_VSM_MOD_##x
#define FAULT(x)	DRM_VSM_FAULT_##x
#define MODE(x)		DRM_VSM_MODE_##x
#define RED(op, type)	DRM_VSM_RED(DRM_VSM_RED_##op, DRM_VSM_TYPE_##type)
#define PRED		DRM_VSM_RESULT_PRED

/* Tests write this value to all outputs before a call. */
#define POISON		0xa5a5a5a5a5a5a5a5ULL
#define POISON32	0xa5a5a5a5U

/* The shared::cluster address of a byte in the window of a CTA. */
#define AT(rank, offset) ((uint32_t)(rank) << 24 | (uint32_t)(offset))

#define MBARRIER(opcode, ...) \
	((struct drm_vsm_insn){ .op = DRM_VSM_OP_MBARRIER_##opcode, .u.mbarrier = { __VA_ARGS__ } })

static inline struct drm_vsm_insn i_init(uint32_t addr, uint32_t count)
{
	return MBARRIER(INIT, .addr = addr, .count = count);
}

static inline struct drm_vsm_insn i_inval(uint32_t addr)
{
	return MBARRIER(INVAL, .addr = addr);
}

static inline struct drm_vsm_insn i_arrive(uint32_t addr)
{
	return MBARRIER(ARRIVE, .addr = addr);
}

static inline struct drm_vsm_insn i_arrive_n(uint32_t addr, uint32_t count)
{
	struct drm_vsm_insn i = MBARRIER(ARRIVE, .addr = addr, .count = count);

	i.mods = DRM_VSM_MOD_COUNT;
	return i;
}

static inline struct drm_vsm_insn i_arrive_nocomplete(uint32_t addr, uint32_t count)
{
	struct drm_vsm_insn i = i_arrive_n(addr, count);

	i.mods |= DRM_VSM_MOD_NOCOMPLETE;
	return i;
}

static inline struct drm_vsm_insn i_arrive_expect_tx(uint32_t addr, uint32_t tx)
{
	struct drm_vsm_insn i = MBARRIER(ARRIVE, .addr = addr, .tx_count = tx);

	i.mods = DRM_VSM_MOD_EXPECT_TX;
	return i;
}

/* Turns an i_arrive*() into the arrive_drop with the same operands. */
static inline struct drm_vsm_insn i_drop(struct drm_vsm_insn i)
{
	i.op = DRM_VSM_OP_MBARRIER_ARRIVE_DROP;
	return i;
}

/* Gives an arrive the destination _, which an arrive on another CTA's object must have. */
static inline struct drm_vsm_insn i_sink(struct drm_vsm_insn i)
{
	i.mods |= DRM_VSM_MOD_SINK;
	return i;
}

static inline struct drm_vsm_insn i_expect_tx(uint32_t addr, uint32_t tx)
{
	return MBARRIER(EXPECT_TX, .addr = addr, .tx_count = tx);
}

static inline struct drm_vsm_insn i_complete_tx(uint32_t addr, uint32_t tx)
{
	return MBARRIER(COMPLETE_TX, .addr = addr, .tx_count = tx);
}

static inline struct drm_vsm_insn i_test_wait(uint32_t addr, uint64_t state)
{
	return MBARRIER(TEST_WAIT, .addr = addr, .state = state);
}

static inline struct drm_vsm_insn i_test_parity(uint32_t addr, uint32_t parity)
{
	struct drm_vsm_insn i = MBARRIER(TEST_WAIT, .addr = addr, .parity = parity);

	i.mods = DRM_VSM_MOD_PARITY;
	return i;
}

static inline struct drm_vsm_insn i_try_wait(uint32_t addr, uint64_t state, uint32_t hint)
{
	struct drm_vsm_insn i = MBARRIER(TRY_WAIT, .addr = addr, .state = state, .hint_ns = hint);

	i.mods = DRM_VSM_MOD_HINT;
	return i;
}

static inline struct drm_vsm_insn i_try_parity(uint32_t addr, uint32_t parity, uint32_t hint)
{
	struct drm_vsm_insn i = MBARRIER(TRY_WAIT, .addr = addr, .parity = parity, .hint_ns = hint);

	i.mods = DRM_VSM_MOD_PARITY | DRM_VSM_MOD_HINT;
	return i;
}

/* A try_wait without suspendTimeHint. The device limits its time unless EXEC forbids that. */
static inline struct drm_vsm_insn i_try_parity_unlimited(uint32_t addr, uint32_t parity)
{
	struct drm_vsm_insn i = MBARRIER(TRY_WAIT, .addr = addr, .parity = parity);

	i.mods = DRM_VSM_MOD_PARITY;
	return i;
}

static inline struct drm_vsm_insn i_pending_count(uint64_t state)
{
	return MBARRIER(PENDING_COUNT, .state = state);
}

static inline struct drm_vsm_insn i_g2s(uint32_t addr, uint32_t mbar, uint32_t size,
					uint32_t buffer, uint64_t offset)
{
	return (struct drm_vsm_insn){
		.op = DRM_VSM_OP_CP_ASYNC_BULK_G2S,
		.u.copy = { .addr = addr, .mbar = mbar, .size = size, .buffer = buffer,
			    .offset = offset },
	};
}

static inline struct drm_vsm_insn i_s2g(uint32_t addr, uint32_t size, uint32_t buffer,
					uint64_t offset)
{
	return (struct drm_vsm_insn){
		.op = DRM_VSM_OP_CP_ASYNC_BULK_S2G,
		.u.copy = { .addr = addr, .size = size, .buffer = buffer, .offset = offset },
	};
}

static inline struct drm_vsm_insn i_fence(void)
{
	return (struct drm_vsm_insn){
		.op = DRM_VSM_OP_FENCE_MBARRIER_INIT,
		.sem = DRM_VSM_SEM_RELEASE, .scope = DRM_VSM_SCOPE_CLUSTER,
	};
}

/* fence{.sem}.scope */
static inline struct drm_vsm_insn i_order(uint8_t sem, uint8_t scope)
{
	return (struct drm_vsm_insn){ .op = DRM_VSM_OP_FENCE, .sem = sem, .scope = scope };
}

static inline struct drm_vsm_insn i_cp_async(uint32_t addr, uint32_t size, uint32_t buffer,
					     uint64_t offset)
{
	return (struct drm_vsm_insn){
		.op = DRM_VSM_OP_CP_ASYNC,
		.u.copy = { .addr = addr, .size = size, .buffer = buffer, .offset = offset },
	};
}

/* Adds a src-size to a cp.async. */
static inline struct drm_vsm_insn i_src_size(struct drm_vsm_insn i, uint32_t src_size)
{
	i.mods |= DRM_VSM_MOD_SRC_SIZE;
	i.u.copy.src_size = src_size;
	return i;
}

/* cp.async.mbarrier.arrive */
static inline struct drm_vsm_insn i_cp_arrive(uint32_t addr)
{
	return (struct drm_vsm_insn){
		.op = DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE, .u.mbarrier.addr = addr,
	};
}

static inline struct drm_vsm_insn i_noinc(struct drm_vsm_insn i)
{
	i.mods |= DRM_VSM_MOD_NOINC;
	return i;
}

/* --- bulk and tensor copies, st.async and red.async ----------------------------- */

static inline struct drm_vsm_insn i_s2s(uint32_t addr, uint32_t mbar, uint32_t size, uint32_t src)
{
	return (struct drm_vsm_insn){
		.op = DRM_VSM_OP_CP_ASYNC_BULK_S2S,
		.u.copy = { .addr = addr, .mbar = mbar, .size = size, .src = src },
	};
}

static inline struct drm_vsm_insn i_prefetch(uint32_t size, uint32_t buffer, uint64_t offset)
{
	return (struct drm_vsm_insn){
		.op = DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH,
		.u.copy = { .size = size, .buffer = buffer, .offset = offset },
	};
}

static inline struct drm_vsm_insn i_st_async(uint32_t addr, uint32_t mbar, uint32_t size,
					     uint64_t value)
{
	return (struct drm_vsm_insn){
		.op = DRM_VSM_OP_ST_ASYNC,
		.u.store = { .addr = addr, .mbar = mbar, .size = size, .value = { value } },
	};
}

static inline struct drm_vsm_insn i_red_async(uint8_t red, uint32_t addr, uint32_t mbar,
					      uint32_t size, uint64_t value)
{
	struct drm_vsm_insn i = i_st_async(addr, mbar, size, value);

	i.op = DRM_VSM_OP_RED_ASYNC;
	i.red = red;
	return i;
}

/* Usage: i_tensor(operation, map, .addr = ..., .coords = { ... }) */
#define i_tensor(opcode, tensor_map, ...) \
	((struct drm_vsm_insn){ \
		.op = DRM_VSM_OP_CP_ASYNC_BULK_##opcode, \
		.red = DRM_VSM_RED_DIMS(0, (tensor_map)->rank), \
		.mods = (tensor_map)->mode == DRM_VSM_TENSOR_IM2COL ? DRM_VSM_MOD_IM2COL : 0, \
		.u.tensor = { .map = (uintptr_t)(tensor_map), __VA_ARGS__ }, \
	})

/*
 * Turns an i_s2g(), i_s2s() or i_tensor(TENSOR_S2G) into a reduction. @red is RED(); for a tensor
 * it is only the operation.
 */
static inline struct drm_vsm_insn i_reduce(struct drm_vsm_insn i, uint8_t red)
{
	i.op = i.op == DRM_VSM_OP_CP_ASYNC_BULK_S2G ? DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2G :
	       i.op == DRM_VSM_OP_CP_ASYNC_BULK_S2S ? DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2S :
						      DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR;
	i.red |= red;
	return i;
}

static inline bool insn_is_tensor(const struct drm_vsm_insn *i)
{
	return i->op >= DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S &&
	       i->op <= DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR;
}

/* Turns a bulk or tensor load into a multicast to the CTAs in @mask. */
static inline struct drm_vsm_insn i_multicast(struct drm_vsm_insn i, uint16_t mask)
{
	i.mods |= DRM_VSM_MOD_MULTICAST;
	if (insn_is_tensor(&i))
		i.u.tensor.mask = mask;
	else
		i.u.copy.mask = mask;
	return i;
}

static inline struct drm_vsm_insn i_cp_mask(struct drm_vsm_insn i, uint16_t mask)
{
	i.mods |= DRM_VSM_MOD_CP_MASK;
	i.u.copy.mask = mask;
	return i;
}

static inline struct drm_vsm_insn i_commit(void)
{
	return (struct drm_vsm_insn){ .op = DRM_VSM_OP_CP_ASYNC_COMMIT_GROUP };
}

static inline struct drm_vsm_insn i_wait_group(uint32_t count)
{
	return (struct drm_vsm_insn){
		.op = DRM_VSM_OP_CP_ASYNC_WAIT_GROUP, .u.mbarrier.count = count,
	};
}

static inline struct drm_vsm_insn i_wait_all(void)
{
	return (struct drm_vsm_insn){ .op = DRM_VSM_OP_CP_ASYNC_WAIT_ALL };
}

static inline struct drm_vsm_insn i_bulk_commit(void)
{
	return (struct drm_vsm_insn){ .op = DRM_VSM_OP_CP_ASYNC_BULK_COMMIT_GROUP };
}

static inline struct drm_vsm_insn i_bulk_wait(uint32_t count)
{
	return (struct drm_vsm_insn){
		.op = DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP, .u.mbarrier.count = count,
	};
}

static inline struct drm_vsm_insn i_bulk_wait_read(uint32_t count)
{
	struct drm_vsm_insn i = i_bulk_wait(count);

	i.mods = DRM_VSM_MOD_READ;
	return i;
}

/* The word with these counts, computed without the code under test. */
static inline uint64_t word_of(uint32_t layout, uint32_t pending, int tx, uint32_t expected,
			       uint64_t phase)
{
	if (layout == VSM_LAYOUT_SM_80)
		return phase << 63 | (-(uint64_t)pending & 0x7fffffff) << 32 |
		       (-(uint64_t)expected & 0x3fffffff);
	return phase << 63 | (-(uint64_t)pending & 0xfffff) << 43 |
	       (-(uint64_t)tx & 0x1fffff) << 21 | (-(uint64_t)expected & 0xfffff) << 1;
}

static inline void insn_poison(struct drm_vsm_insn *insns, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		insns[i].result = POISON;
		insns[i].fault = POISON32;
		insns[i].info = POISON32;
	}
}

/* Do the outputs still hold the poison, so that the call has not written them? */
static inline bool insn_untouched(const struct drm_vsm_insn *insn)
{
	return insn->result == POISON && insn->fault == POISON32 && insn->info == POISON32;
}

/* --- instructions of a rendezvous -------------------------------------------- */

#define WARP_OP(opcode, mode, ...) \
	((struct drm_vsm_insn){ .op = DRM_VSM_OP_##opcode, .red = (mode), \
				.u.warp = { __VA_ARGS__ } })

static inline struct drm_vsm_insn i_match(enum drm_vsm_mode mode, enum drm_vsm_type type,
					  uint64_t a, uint32_t mask)
{
	return WARP_OP(MATCH_SYNC, DRM_VSM_MODE(mode, type), .membermask = mask, .a = a);
}

static inline struct drm_vsm_insn i_match_any(uint32_t a, uint32_t mask)
{
	return i_match(DRM_VSM_MODE_ANY, DRM_VSM_TYPE_B32, a, mask);
}

static inline struct drm_vsm_insn i_match_all(uint32_t a, uint32_t mask)
{
	return i_match(DRM_VSM_MODE_ALL, DRM_VSM_TYPE_B32, a, mask);
}

static inline struct drm_vsm_insn i_warp_sync(uint32_t mask)
{
	return WARP_OP(BAR_WARP_SYNC, 0, .membermask = mask);
}

static inline struct drm_vsm_insn i_elect(uint32_t mask)
{
	return WARP_OP(ELECT_SYNC, 0, .membermask = mask);
}

static inline struct drm_vsm_insn i_vote(enum drm_vsm_mode mode, bool a, uint32_t mask)
{
	return WARP_OP(VOTE_SYNC, mode, .membermask = mask, .a = a);
}

static inline struct drm_vsm_insn i_shfl(enum drm_vsm_mode mode, uint32_t a, uint32_t b,
					 uint32_t c, uint32_t mask)
{
	return WARP_OP(SHFL_SYNC, mode, .membermask = mask, .a = a, .b = b, .c = c);
}

static inline struct drm_vsm_insn i_redux(enum drm_vsm_red op, enum drm_vsm_type type,
					  uint32_t a, uint32_t mask)
{
	return WARP_OP(REDUX_SYNC, DRM_VSM_RED(op, type), .membermask = mask, .a = a);
}

#define BARRIER(opcode, modifiers, ...) \
	((struct drm_vsm_insn){ .op = DRM_VSM_OP_BARRIER_##opcode, .mods = (modifiers), \
				.u.barrier = { __VA_ARGS__ } })

static inline struct drm_vsm_insn i_barrier_sync(uint32_t barrier)
{
	return BARRIER(SYNC, 0, .barrier = barrier);
}

static inline struct drm_vsm_insn i_barrier_sync_n(uint32_t barrier, uint32_t count)
{
	return BARRIER(SYNC, DRM_VSM_MOD_COUNT, .barrier = barrier, .count = count);
}

static inline struct drm_vsm_insn i_barrier_arrive(uint32_t barrier, uint32_t count)
{
	return BARRIER(ARRIVE, DRM_VSM_MOD_COUNT, .barrier = barrier, .count = count);
}

static inline struct drm_vsm_insn i_barrier_red(enum drm_vsm_red op, uint32_t barrier, bool pred)
{
	struct drm_vsm_insn i = BARRIER(RED, 0, .barrier = barrier, .pred = pred);

	i.red = op;
	return i;
}

static inline struct drm_vsm_insn i_barrier_red_n(enum drm_vsm_red op, uint32_t barrier,
						  uint32_t count, bool pred)
{
	struct drm_vsm_insn i = i_barrier_red(op, barrier, pred);

	i.mods = DRM_VSM_MOD_COUNT;
	i.u.barrier.count = count;
	return i;
}

/* .aligned */
static inline struct drm_vsm_insn i_aligned(struct drm_vsm_insn i)
{
	i.mods |= DRM_VSM_MOD_ALIGNED;
	return i;
}

static inline struct drm_vsm_insn i_cluster_arrive(void)
{
	return BARRIER(CLUSTER_ARRIVE, 0, 0);
}

static inline struct drm_vsm_insn i_cluster_arrive_relaxed(void)
{
	struct drm_vsm_insn i = i_cluster_arrive();

	i.sem = DRM_VSM_SEM_RELAXED;
	return i;
}

static inline struct drm_vsm_insn i_cluster_wait(void)
{
	return BARRIER(CLUSTER_WAIT, 0, 0);
}

static inline struct drm_vsm_insn i_exit(void)
{
	return (struct drm_vsm_insn){ .op = DRM_VSM_OP_EXIT };
}

#endif
