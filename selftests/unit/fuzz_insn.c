// SPDX-License-Identifier: MIT
/*
 * Fuzzes one instruction: the cluster, the instruction and the word may have any value. In the
 * strict policy an accepted instruction must do the same as the model. Nothing may crash.
 */
#include <string.h>

#include "fuzz.h"
#include "core.h"
#include "rendezvous_check.h"

/* The layout of an input. A shorter input is filled up with zeros. */
struct input {
	__u32 ctas;
	__u32 threads;
	__u32 smem_bytes;
	__u32 layout;
	__u32 cta;
	__u32 thread;
	__u32 strict;
	__u32 pad;
	__u64 word;
	struct drm_vsm_insn insn;
	struct vsm_shadow shadow;	/* bits to flip in a valid shadow */
};

static int checked(const struct vsm_geometry *geo, __u32 cta, const struct drm_vsm_insn *insn,
		   enum drm_vsm_fault *fault)
{
	const struct drm_vsm_insn before = *insn;
	int rc;

	*fault = DRM_VSM_FAULT_NONE;
	rc = check_insn(geo, cta, insn, fault);
	CHECK(rc == 0 || rc == -EINVAL || rc == -EOPNOTSUPP || rc == -EPROTO);
	CHECK((rc == -EPROTO) == (*fault != DRM_VSM_FAULT_NONE));
	CHECK(!memcmp(&before, insn, sizeof(before)));
	return rc;
}

/* If the checks accept an instruction, its address must be aligned and in the cluster. */
static void check_address(const struct vsm_geometry *geo, const struct drm_vsm_insn *insn)
{
	__u32 addr, bytes, align = 16;

	switch (insn->op) {
	case OP(MBARRIER_INIT) ... OP(MBARRIER_TRY_WAIT):
	case OP(CP_ASYNC_MBARRIER_ARRIVE):
		addr = insn->u.mbarrier.addr;
		bytes = 8;
		align = 8;
		break;
	case OP(CP_ASYNC):
		align = insn->u.copy.size;
		/* fallthrough */
	case OP(CP_ASYNC_BULK_G2S):
	case OP(CP_ASYNC_BULK_S2G):
	case OP(CP_ASYNC_BULK_S2S):
	case OP(CP_REDUCE_ASYNC_BULK_S2G):
	case OP(CP_REDUCE_ASYNC_BULK_S2S):
		addr = insn->u.copy.addr;
		bytes = insn->u.copy.size;
		CHECK(bytes % align == 0 && insn->u.copy.offset % align == 0);
		break;
	case OP(CP_ASYNC_BULK_TENSOR_G2S):
	case OP(CP_ASYNC_BULK_TENSOR_S2G):
	case OP(CP_REDUCE_ASYNC_BULK_TENSOR):
		addr = insn->u.tensor.addr;
		bytes = 0;
		align = 128;
		break;
	case OP(ST_ASYNC):
	case OP(RED_ASYNC):
		addr = insn->u.store.addr;
		bytes = insn->u.store.size;
		align = bytes;
		break;
	default:
		return;
	}
	CHECK(addr % align == 0);
	CHECK(addr / (1 << 24) < geo->ctas);
	CHECK((__u64)(addr % (1 << 24)) + bytes <= geo->smem_bytes);
}

/*
 * Executes an instruction that has passed the checks. The core and the model must agree. The model
 * has the strict policy's rules; in the other one, a wait at the barrier of a cluster needs no
 * arrive.
 */
static void check_rendezvous(const struct vsm_geometry *geo, __u32 cta, __u32 thread,
			     bool converged, const struct drm_vsm_insn *insn)
{
	struct rv_check c;
	struct drm_vsm_insn mine = *insn;

	rv_check_create(&c, geo);
	if (!geo->strict && insn->op == OP(BARRIER_CLUSTER_WAIT)) {
		CHECK(!vsm_rendezvous_execute(c.rv, cta, thread, converged, &mine));
	} else {
		rv_check_execute(&c, cta, thread, converged, &mine);
		if (rv_check_state(&c, cta, thread) == RV_RELEASED)
			rv_check_take(&c, cta, thread, &mine);
		rv_check_all(&c);
		CHECK(!c.wrong[0]);
	}
	rv_check_destroy(&c);
}

static void check_strict(int sm, const struct drm_vsm_insn *insn, __u64 word, __u64 next,
			 __u64 result, enum drm_vsm_fault fault)
{
	struct model m;
	struct model_op op;
	long long phase;
	bool completed;

	if (!model_decode(&m, sm, word)) {
		CHECK(fault == DRM_VSM_FAULT_NOT_AN_MBARRIER);
		return;
	}
	CHECK(fault != DRM_VSM_FAULT_NOT_AN_MBARRIER && fault != DRM_VSM_FAULT_POISONED);
	if (!unit_model_op(insn, &op))
		return;
	if (op.kind == MODEL_WAIT && !op.by_parity) {
		/*
		 * The model knows no token here: the input chose any 64 bits as the state operand.
		 */
		CHECK(!fault || fault == FAULT(STALE_TOKEN));
		CHECK(fault || (next == word && result == (word ^ insn->u.mbarrier.state) >> 63));
		return;
	}
	/* The strict policy defines nothing for a word that no program can reach. */
	if (!model_legal(&m))
		return;
	if (fault) {
		CHECK(model_faults(&m, &op) >> fault & 1);
		return;
	}
	CHECK(!model_faults(&m, &op));
	if (op.kind == MODEL_WAIT)
		CHECK(result == model_answer(&m, &op));
	phase = m.phase;
	completed = model_apply(&m, &op);
	CHECK(completed == (m.phase != phase));
	CHECK(completed == ((word ^ next) >> 63));
	CHECK(model_encode(&m) == next);
	CHECK(model_legal(&m));
	if ((op.kind == MODEL_ARRIVE || op.kind == MODEL_ARRIVE_DROP) && !(insn->mods & MOD(SINK)))
		CHECK(result >> 32 == word >> 32);
	else
		CHECK(op.kind == MODEL_WAIT || !result);
}

void fuzz_insn(const unsigned char *data, size_t size)
{
	struct input in = { 0 };
	struct vsm_geometry geo;
	enum drm_vsm_fault fault;
	struct vsm_shadow shadow;
	__u64 next, result;

	memcpy(&in, data, size < sizeof(in) ? size : sizeof(in));
	geo = (struct vsm_geometry) {
		.ctas = in.ctas,
		.threads = in.threads,
		.smem_bytes = in.smem_bytes,
		.layout = in.layout,
		.strict = in.strict & 1,
	};
	/*
	 * The checks must not crash even with an invalid geometry. The code below needs a valid
	 * one.
	 */
	if (vsm_geometry_invalid(&geo)) {
		checked(&geo, in.cta, &in.insn, &fault);
		geo.ctas = in.ctas % VSM_MAX_CTAS + 1;
		geo.threads = in.threads % VSM_MAX_THREADS + 1;
		geo.smem_bytes = (in.smem_bytes % (VSM_MAX_SMEM / 16) + 1) * 16;
		geo.layout = in.layout % 2 ? VSM_LAYOUT_SM_80 : VSM_LAYOUT_SM_90;
		CHECK(!vsm_geometry_invalid(&geo));
	}
	if (checked(&geo, in.cta % geo.ctas, &in.insn, &fault))
		return;
	check_address(&geo, &in.insn);
	vsm_insn_can_queue(&in.insn);
	if (vsm_insn_is_rendezvous(&in.insn)) {
		check_rendezvous(&geo, in.cta % geo.ctas, in.thread % geo.threads, in.strict & 2,
				 &in.insn);
		return;
	}
	if (in.insn.op != OP(CP_ASYNC_MBARRIER_ARRIVE) &&
	    (in.insn.op < OP(MBARRIER_ARRIVE) || in.insn.op > OP(MBARRIER_TRY_WAIT)))
		return;

	shadow = unit_shadow(in.word);
	shadow.serial ^= in.shadow.serial & VSM_SERIAL_MASK;
	shadow.bound ^= in.shadow.bound;
	shadow.raised ^= in.shadow.raised;
	shadow.state ^= in.shadow.state;
	next = in.word;
	fault = vsm_mbarrier_step(&geo, &shadow, &in.insn, in.cta % geo.ctas,
				  in.thread % geo.threads, in.word, &next, &result, NULL);
	if (fault)
		CHECK(next == in.word);
	if (memcmp(&in.shadow, &(struct vsm_shadow) { 0 }, sizeof(in.shadow)))
		return;
	if (geo.strict)
		check_strict(geo.layout == VSM_LAYOUT_SM_80 ? 80 : 90, &in.insn, in.word, next,
			     result, fault);
	else if (geo.layout == VSM_LAYOUT_SM_80 || in.insn.op == OP(CP_ASYNC_MBARRIER_ARRIVE))
		CHECK(!fault);
	else if (in.word >> 42 & 1)
		CHECK(fault == FAULT(POISONED));
	else
		CHECK(!fault || (is_trap(fault) && fault != FAULT(POISONED)));
}
