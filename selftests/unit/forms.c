// SPDX-License-Identifier: MIT
#include "forms.h"

#define C	MOD(COUNT)
#define X	MOD(EXPECT_TX)
#define N	MOD(NOCOMPLETE)
#define S	MOD(SINK)
#define P	MOD(PARITY)
#define H	MOD(HINT)
#define I	MOD(IM2COL)
#define M	MOD(MULTICAST)
#define AL	MOD(ALIGNED)

#define ARRIVE	OP(MBARRIER_ARRIVE)
#define DROP	OP(MBARRIER_ARRIVE_DROP)
#define TEST_W	OP(MBARRIER_TEST_WAIT)
#define TRY_W	OP(MBARRIER_TRY_WAIT)

#define WORD(ptx, op, mods, operands, order, flags, sm) \
	{ ptx, op, mods, KIND_MBARRIER, operands, RED_NONE, ORDER_##order, flags, sm }
#define GROUP(ptx, op, mods, operands, sm) \
	{ ptx, OP(op), mods, KIND_GROUP, operands, RED_NONE, ORDER_NONE, 0, sm }
#define COPY(ptx, op, mods, operands, red, flags, sm) \
	{ ptx, OP(op), mods, KIND_COPY, operands, RED_##red, ORDER_NONE, flags, sm }
#define TENSOR(ptx, op, mods, operands, red, flags) \
	{ ptx, OP(op), mods, KIND_TENSOR, operands, RED_##red, ORDER_NONE, (flags) | F_JOB, 90 }
#define STORE(ptx, op, red) \
	{ ptx, OP(op), 0, KIND_STORE, O_ADDR | O_MBAR, RED_##red, ORDER_NONE, F_REMOTE | F_JOB, 90 }
#define WARP(ptx, op, operands, red, sm) \
	{ ptx, OP(op), 0, KIND_WARP, operands, RED_##red, ORDER_NONE, 0, sm }
#define BAR(ptx, op, mods, operands, red) \
	{ ptx, OP(op), mods, KIND_BARRIER, operands, RED_##red, ORDER_NONE, 0, 80 }
#define CLUSTER(ptx, op, mods) \
	{ ptx, OP(BARRIER_##op), mods, KIND_NONE, 0, RED_NONE, ORDER_##op, 0, 90 }

#define FAR	(F_REMOTE | F_JOB)
#define AND_COUNT (O_ADDR | O_COUNT)
#define AND_TX	(O_ADDR | O_TX)
#define LOAD	(O_ADDR | O_BUFFER | O_MBAR)
#define CLS	"cp.async.bulk.shared::cluster.global"
#define TLS	"cp.async.bulk.tensor.shared::cluster.global"
#define MC	".multicast::cluster"

/*
 * The rows follow PTX 9.7.13.15.9 to .17, 9.7.9.25, 9.7.13.7, st.async, 9.7.9.6, 9.7.12.7, 9.7.13.1
 * to .3, .9, .10, .12 and .14, with their target notes. A buffer is .global memory. In
 * mbarrier.arrive the destination _ is optional with .shared::cta and mandatory with
 * .shared::cluster. Therefore a row with another destination takes only local addresses.
 */
const struct form forms[] = {
	WORD("init [addr], count", OP(MBARRIER_INIT), 0, AND_COUNT, NONE, 0, 80),
	WORD("inval [addr]", OP(MBARRIER_INVAL), 0, O_ADDR, NONE, 0, 80),
	WORD("expect_tx [addr], txCount", OP(MBARRIER_EXPECT_TX), 0, AND_TX, TX, FAR, 90),
	WORD("complete_tx [addr], txCount", OP(MBARRIER_COMPLETE_TX), 0, AND_TX, TX, FAR, 90),
	WORD("arrive state, [addr]", ARRIVE, 0, O_ADDR, ARRIVE, 0, 80),
	WORD("arrive state, [addr], count", ARRIVE, C, AND_COUNT, ARRIVE, 0, 90),
	WORD("arrive _, [addr]", ARRIVE, S, O_ADDR, ARRIVE, FAR, 80),
	WORD("arrive _, [addr], count", ARRIVE, C | S, AND_COUNT, ARRIVE, FAR, 90),
	WORD("arrive.expect_tx state, [addr], txCount", ARRIVE, X, AND_TX, ARRIVE, 0, 90),
	WORD("arrive.expect_tx _, [addr], txCount", ARRIVE, X | S, AND_TX, ARRIVE, FAR, 90),
	WORD("arrive.noComplete state, [addr], count", ARRIVE, C | N, AND_COUNT, NOCOMPLETE, 0, 80),
	WORD("arrive.noComplete _, [addr], count", ARRIVE, C | N | S, AND_COUNT, NOCOMPLETE, F_JOB,
	     80),
	WORD("arrive_drop state, [addr]", DROP, 0, O_ADDR, ARRIVE, 0, 80),
	WORD("arrive_drop state, [addr], count", DROP, C, AND_COUNT, ARRIVE, 0, 90),
	WORD("arrive_drop _, [addr]", DROP, S, O_ADDR, ARRIVE, FAR, 80),
	WORD("arrive_drop _, [addr], count", DROP, C | S, AND_COUNT, ARRIVE, FAR, 90),
	WORD("arrive_drop.expect_tx state, [addr], tx_count", DROP, X, AND_TX, ARRIVE, 0, 90),
	WORD("arrive_drop.expect_tx _, [addr], tx_count", DROP, X | S, AND_TX, ARRIVE, FAR, 90),
	WORD("arrive_drop.noComplete state, [addr], count", DROP, C | N, AND_COUNT, NOCOMPLETE, 0,
	     80),
	WORD("arrive_drop.noComplete _, [addr], count", DROP, C | N | S, AND_COUNT, NOCOMPLETE,
	     F_JOB, 80),
	WORD("test_wait waitComplete, [addr], state", TEST_W, 0, O_ADDR | O_STATE, WAIT, 0, 80),
	WORD("test_wait.parity waitComplete, [addr], phaseParity", TEST_W, P, O_ADDR | O_PARITY,
	     WAIT, 0, 80),
	WORD("try_wait waitComplete, [addr], state", TRY_W, 0, O_ADDR | O_STATE, WAIT, 0, 90),
	WORD("try_wait waitComplete, [addr], state, hint", TRY_W, H, O_ADDR | O_STATE | O_HINT,
	     WAIT, 0, 90),
	WORD("try_wait.parity waitComplete, [addr], phaseParity", TRY_W, P, O_ADDR | O_PARITY, WAIT,
	     0, 90),
	WORD("try_wait.parity waitComplete, [addr], phaseParity, hint", TRY_W, P | H,
	     O_ADDR | O_PARITY | O_HINT, WAIT, 0, 90),
	WORD("pending_count count, state", OP(MBARRIER_PENDING_COUNT), 0, O_STATE, NONE, 0, 80),
	WORD("cp.async.mbarrier.arrive [addr]", OP(CP_ASYNC_MBARRIER_ARRIVE), 0, O_ADDR, NONE, 0,
	     80),
	WORD("cp.async.mbarrier.arrive.noinc [addr]", OP(CP_ASYNC_MBARRIER_ARRIVE), MOD(NOINC),
	     O_ADDR, NONE, 0, 80),

	COPY("cp.async.ca [dst], [src], cp-size", CP_ASYNC, 0, O_ADDR | O_BUFFER, NONE, 0, 80),
	COPY("cp.async.cg [dst], [src], 16", CP_ASYNC, MOD(CG), O_ADDR | O_BUFFER, NONE, 0, 80),
	COPY("cp.async.ca [dst], [src], cp-size, src-size", CP_ASYNC, MOD(SRC_SIZE),
	     O_ADDR | O_BUFFER | O_SRC_SIZE, NONE, 0, 80),
	COPY("cp.async.cg [dst], [src], 16, src-size", CP_ASYNC, MOD(CG) | MOD(SRC_SIZE),
	     O_ADDR | O_BUFFER | O_SRC_SIZE, NONE, 0, 80),
	GROUP("cp.async.commit_group", CP_ASYNC_COMMIT_GROUP, 0, 0, 80),
	GROUP("cp.async.wait_group N", CP_ASYNC_WAIT_GROUP, 0, O_COUNT, 80),
	GROUP("cp.async.wait_all", CP_ASYNC_WAIT_ALL, 0, 0, 80),
	COPY(CLS, CP_ASYNC_BULK_G2S, 0, LOAD, NONE, FAR, 90),
	COPY(CLS MC, CP_ASYNC_BULK_G2S, M, LOAD | O_MASK, NONE, FAR, 90),
	COPY("cp.async.bulk.global.shared::cta", CP_ASYNC_BULK_S2G, 0, O_ADDR | O_BUFFER, NONE,
	     F_JOB, 90),
	COPY("cp.async.bulk.global.shared::cta.cp_mask", CP_ASYNC_BULK_S2G, MOD(CP_MASK),
	     O_ADDR | O_BUFFER | O_MASK, NONE, F_JOB, 90),
	COPY("cp.async.bulk.shared::cluster.shared::cta", CP_ASYNC_BULK_S2S, 0,
	     O_ADDR | O_SRC | O_MBAR, NONE, FAR, 90),
	COPY("cp.async.bulk.prefetch.L2.global", CP_ASYNC_BULK_PREFETCH, 0, O_BUFFER, NONE, F_JOB,
	     90),
	GROUP("cp.async.bulk.commit_group", CP_ASYNC_BULK_COMMIT_GROUP, 0, 0, 90),
	GROUP("cp.async.bulk.wait_group N", CP_ASYNC_BULK_WAIT_GROUP, 0, O_COUNT, 90),
	GROUP("cp.async.bulk.wait_group.read N", CP_ASYNC_BULK_WAIT_GROUP, MOD(READ), O_COUNT, 90),
	COPY("cp.reduce.async.bulk.global.shared::cta", CP_REDUCE_ASYNC_BULK_S2G, 0,
	     O_ADDR | O_BUFFER, GLOBAL, F_JOB, 90),
	COPY("cp.reduce.async.bulk.shared::cluster.shared::cta", CP_REDUCE_ASYNC_BULK_S2S, 0,
	     O_ADDR | O_SRC | O_MBAR, SHARED, FAR, 90),
	TENSOR(TLS ".tile", CP_ASYNC_BULK_TENSOR_G2S, 0, O_ADDR | O_MBAR, DIMS, F_REMOTE),
	TENSOR(TLS ".tile" MC, CP_ASYNC_BULK_TENSOR_G2S, M, O_ADDR | O_MBAR | O_MASK, DIMS,
	       F_REMOTE),
	TENSOR(TLS ".im2col", CP_ASYNC_BULK_TENSOR_G2S, I, O_ADDR | O_MBAR | O_OFFSETS, DIMS,
	       F_REMOTE),
	TENSOR(TLS ".im2col" MC, CP_ASYNC_BULK_TENSOR_G2S, I | M,
	       O_ADDR | O_MBAR | O_MASK | O_OFFSETS, DIMS, F_REMOTE),
	TENSOR("cp.async.bulk.tensor.global.shared::cta.tile", CP_ASYNC_BULK_TENSOR_S2G, 0, O_ADDR,
	       DIMS, 0),
	TENSOR("cp.async.bulk.tensor.global.shared::cta.im2col_no_offs", CP_ASYNC_BULK_TENSOR_S2G,
	       I, O_ADDR, DIMS, 0),
	TENSOR("cp.reduce.async.bulk.tensor.global.shared::cta.tile", CP_REDUCE_ASYNC_BULK_TENSOR,
	       0, O_ADDR, OP_DIMS, 0),
	TENSOR("cp.reduce.async.bulk.tensor.global.shared::cta.im2col_no_offs",
	       CP_REDUCE_ASYNC_BULK_TENSOR, I, O_ADDR, OP_DIMS, 0),
	TENSOR("cp.async.bulk.prefetch.tensor.L2.global.tile", CP_ASYNC_BULK_PREFETCH_TENSOR, 0, 0,
	       DIMS, 0),
	TENSOR("cp.async.bulk.prefetch.tensor.L2.global.im2col", CP_ASYNC_BULK_PREFETCH_TENSOR, I,
	       O_OFFSETS, DIMS, 0),
	STORE("st.async.weak.shared::cluster", ST_ASYNC, NONE),
	STORE("red.async.relaxed.cluster.shared::cluster", RED_ASYNC, ASYNC),

	WARP("match.{any,all}.sync.{b32,b64} d|p, a, membermask", MATCH_SYNC, O_A, MATCH, 80),
	WARP("bar.warp.sync membermask", BAR_WARP_SYNC, 0, NONE, 80),
	WARP("elect.sync d|p, membermask", ELECT_SYNC, 0, NONE, 90),
	WARP("vote.sync.{all,any,uni,ballot} d, a, membermask", VOTE_SYNC, O_A, VOTE, 80),
	WARP("shfl.sync.{up,down,bfly,idx}.b32 d|p, a, b, c, membermask", SHFL_SYNC, O_A | O_BC,
	     SHFL, 80),
	WARP("redux.sync dst, src, membermask", REDUX_SYNC, O_A, REDUX, 80),
	BAR("barrier.cta.sync a", BARRIER_SYNC, 0, 0, NONE),
	BAR("barrier.cta.sync a, b", BARRIER_SYNC, C, O_COUNT, NONE),
	BAR("barrier.cta.sync.aligned a", BARRIER_SYNC, AL, 0, NONE),
	BAR("barrier.cta.sync.aligned a, b", BARRIER_SYNC, C | AL, O_COUNT, NONE),
	BAR("barrier.cta.arrive a, b", BARRIER_ARRIVE, C, O_COUNT, NONE),
	BAR("barrier.cta.arrive.aligned a, b", BARRIER_ARRIVE, C | AL, O_COUNT, NONE),
	BAR("barrier.cta.red.{popc,and,or} d, a, c", BARRIER_RED, 0, O_PRED, BARRIER),
	BAR("barrier.cta.red.{popc,and,or} d, a, b, c", BARRIER_RED, C, O_COUNT | O_PRED, BARRIER),
	BAR("barrier.cta.red.{popc,and,or}.aligned d, a, c", BARRIER_RED, AL, O_PRED, BARRIER),
	BAR("barrier.cta.red.{popc,and,or}.aligned d, a, b, c", BARRIER_RED, C | AL,
	    O_COUNT | O_PRED, BARRIER),
	CLUSTER("barrier.cluster.arrive", CLUSTER_ARRIVE, 0),
	CLUSTER("barrier.cluster.arrive.aligned", CLUSTER_ARRIVE, AL),
	CLUSTER("barrier.cluster.wait", CLUSTER_WAIT, 0),
	CLUSTER("barrier.cluster.wait.aligned", CLUSTER_WAIT, AL),
	{ "exit", OP(EXIT), 0, KIND_NONE, 0, RED_NONE, ORDER_NONE, 0, 80 },
	{ 0 },
};

const struct form *form_find(__u16 op, __u16 mods)
{
	const struct form *f;

	for_each_form(f)
		if (f->op == op && f->mods == mods)
			return f;
	return NULL;
}

/*
 * The values that each &form.red allows. form_takes_red() computes those that are not in this
 * table.
 */
static const __u8 reds[][10] = {
	[RED_MATCH] = { DRM_VSM_MODE(MODE(ANY), DRM_VSM_TYPE_B32),
			DRM_VSM_MODE(MODE(ALL), DRM_VSM_TYPE_B32),
			DRM_VSM_MODE(MODE(ANY), DRM_VSM_TYPE_B64),
			DRM_VSM_MODE(MODE(ALL), DRM_VSM_TYPE_B64) },
	[RED_VOTE] = { MODE(ALL), MODE(ANY), MODE(UNI), MODE(BALLOT) },
	[RED_SHFL] = { MODE(UP), MODE(DOWN), MODE(BFLY), MODE(IDX) },
	[RED_REDUX] = { RED(ADD, U32), RED(MIN, U32), RED(MAX, U32), RED(ADD, S32), RED(MIN, S32),
			RED(MAX, S32), RED(AND, B32), RED(OR, B32), RED(XOR, B32) },
	[RED_BARRIER] = { DRM_VSM_RED_POPC, DRM_VSM_RED_AND, DRM_VSM_RED_OR },
};

bool form_takes_red(const struct form *f, __u8 red)
{
	const int op = red & 0xf, dims = red >> 4;

	switch (f->red) {
	case RED_NONE:
		return !red;
	case RED_GLOBAL:
		return vsm_reduce_valid(red, VSM_REDUCE_GLOBAL);
	case RED_SHARED:
		return vsm_reduce_valid(red, VSM_REDUCE_SHARED);
	case RED_ASYNC:
		return vsm_reduce_valid(red, VSM_REDUCE_RED_ASYNC);
	case RED_DIMS:
		return !op && dims >= form_first_dims(f) && dims <= 5;
	case RED_OP_DIMS:
		return op >= DRM_VSM_RED_ADD && op <= DRM_VSM_RED_XOR &&
		       dims >= form_first_dims(f) && dims <= 5;
	default:
		return red && memchr(reds[f->red], red, sizeof(reds[0]));
	}
}

static __u8 good_red(const struct form *f)
{
	switch (f->red) {
	case RED_NONE:
		return 0;
	case RED_GLOBAL:
	case RED_SHARED:
	case RED_ASYNC:
		return RED(ADD, U32);
	case RED_DIMS:
		return DRM_VSM_RED_DIMS(0, 3);
	case RED_OP_DIMS:
		return DRM_VSM_RED_DIMS(DRM_VSM_RED_MIN, 3);
	default:
		return reds[f->red][0];
	}
}

struct drm_vsm_insn form_insn(const struct form *f)
{
	struct drm_vsm_insn insn = { .op = f->op, .mods = f->mods, .red = good_red(f) };
	const int o = f->operands;

	switch (f->kind) {
	case KIND_MBARRIER:
	case KIND_GROUP:
		insn.u.mbarrier.addr = o & O_ADDR ? LOCAL : 0;
		insn.u.mbarrier.count = o & O_COUNT ? 1 : 0;
		insn.u.mbarrier.tx_count = o & O_TX ? 16 : 0;
		insn.u.mbarrier.parity = o & O_PARITY ? 1 : 0;
		insn.u.mbarrier.hint_ns = o & O_HINT ? 1000 : 0;
		insn.u.mbarrier.state = o & O_STATE ? 1ULL << 63 : 0;
		break;
	case KIND_COPY:
		insn.u.copy.addr = o & O_ADDR ? LOCAL : 0;
		insn.u.copy.mbar = o & O_MBAR ? LOCAL + 8 : 0;
		insn.u.copy.size = f->op == OP(CP_ASYNC) ? 16 : 64;
		insn.u.copy.buffer = o & O_BUFFER ? 7 : 0;
		insn.u.copy.offset = o & O_BUFFER ? 32 : 0;
		insn.u.copy.src_size = o & O_SRC_SIZE ? 5 : 0;
		insn.u.copy.mask = o & O_MASK ? 0xa : 0;
		insn.u.copy.src = o & O_SRC ? LOCAL + 0x400 : 0;
		break;
	case KIND_TENSOR:
		insn.u.tensor.addr = o & O_ADDR ? LOCAL : 0;
		insn.u.tensor.mbar = o & O_MBAR ? LOCAL + 8 : 0;
		insn.u.tensor.map = 0x7fff12345640;
		insn.u.tensor.coords[0] = 3;
		insn.u.tensor.mask = o & O_MASK ? 0xa : 0;
		insn.u.tensor.offsets = o & O_OFFSETS ? 1 : 0;
		break;
	case KIND_STORE:
		insn.u.store.addr = LOCAL;
		insn.u.store.mbar = LOCAL + 8;
		insn.u.store.size = 4;
		insn.u.store.value[0] = 5;
		break;
	case KIND_WARP:
		insn.u.warp.membermask = 0xff;
		insn.u.warp.a = o & O_A ? 1 : 0;
		insn.u.warp.b = o & O_BC ? 1 : 0;
		insn.u.warp.c = o & O_BC ? 0x1f : 0;
		break;
	case KIND_BARRIER:
		insn.u.barrier.barrier = 15;
		insn.u.barrier.count = o & O_COUNT ? 64 : 0;
		insn.u.barrier.pred = o & O_PRED ? 1 : 0;
		break;
	default:
		break;
	}
	return insn;
}

int check_in(const struct vsm_geometry *geo, const struct drm_vsm_insn *insn)
{
	const enum drm_vsm_fault unset = 0x7777;
	enum drm_vsm_fault fault = unset;
	int rc = check_insn(geo, CTA, insn, &fault);

	if (rc == -EPROTO) {
		assert_true(fault != FAULT(NONE) && fault != unset);
		return fault;
	}
	assert_true(rc == 0 || rc == -EINVAL || rc == -EOPNOTSUPP);
	assert_true(fault == FAULT(NONE) || fault == unset);
	return rc;
}

void expect_everywhere(const struct form *f, const struct drm_vsm_insn *insn, int wanted)
{
	/* Operations of warps and barriers take no qualifier on either target. */
	const bool lacks = f->sm == 90 ||
			   (f->kind < KIND_WARP && (insn->sem == DRM_VSM_SEM_RELAXED ||
						    insn->scope == DRM_VSM_SCOPE_CLUSTER ||
						    insn->space == DRM_VSM_SPACE_SHARED_CLUSTER));
	int strict;

	for (strict = 0; strict < 2; strict++) {
		struct vsm_geometry sm_90 = unit_geometry(90, strict);
		struct vsm_geometry sm_80 = unit_geometry(80, strict);

		expect(f->ptx, check_in(&sm_90, insn), wanted);
		expect(f->ptx, check_in(&sm_80, insn),
		       lacks && wanted != -EINVAL ? -EOPNOTSUPP : wanted);
	}
}
