// SPDX-License-Identifier: MIT
/*
 * Fuzzes rendezvous: the input describes a small cluster and what its threads do. The core and the
 * model execute it. An action is four bytes; after EXECUTE_RAW the bytes of an instruction follow.
 */
#include <string.h>

#include "fuzz.h"
#include "core.h"
#include "rendezvous_check.h"

/* The layout of an action. */
struct input {
	const unsigned char *data;
	size_t size;
};

static bool take_bytes(struct input *in, void *to, size_t size)
{
	if (in->size < size)
		return false;
	memcpy(to, in->data, size);
	in->data += size;
	in->size -= size;
	return true;
}

struct action {
	unsigned char verb;
	unsigned char thread;
	unsigned char op;
	unsigned char operands;
};

enum verb {
	EXECUTE,
	EXECUTE_CONVERGED,
	EXECUTE_RAW,
	RESUME,
	TAKE,
	WITHDRAW,
	WATCH,
	INTERRUPT,
	VERBS,
};

/* Makes an instruction that is likely to be the same rendezvous as that of another thread. */
static struct drm_vsm_insn made(const struct action *a)
{
	static const __u32 masks[] = { 1, 2, 3, 5, 6, 7, 0xe, 0xf, 0x1f, 0x30, 0xff, 0x8000000f,
				       0xfffffffc, 0x55555555, 0xaaaaaaaa, ~0U };
	static const __u8 redux[] = {
		RED(ADD, U32),
		RED(MIN, S32),
		RED(MAX, U32),
		RED(XOR, B32),
	};
	const __u8 value = a->operands >> 4, how = a->op / 12;
	struct drm_vsm_insn insn = { .op = OP(MATCH_SYNC) + a->op % 12 };

	if (rv_is_warp_op(insn.op)) {
		insn.u.warp.membermask = masks[a->operands % 16];
		insn.u.warp.a = value;
	} else if (insn.op <= OP(BARRIER_RED)) {
		insn.u.barrier.barrier = how & 1;
		insn.u.barrier.count = (a->operands & 3) * VSM_WARP_SIZE;
		insn.mods = insn.u.barrier.count ? MOD(COUNT) : 0;
	}
	switch (insn.op) {
	case OP(MATCH_SYNC):
		insn.red = DRM_VSM_MODE(DRM_VSM_MODE_ANY + how % 2,
					how & 2 ? DRM_VSM_TYPE_B64 : DRM_VSM_TYPE_B32);
		insn.u.warp.a = how & 2 ? (__u64)value << 32 : value;
		break;
	case OP(BAR_WARP_SYNC):
	case OP(ELECT_SYNC):
		insn.u.warp.a = 0;
		break;
	case OP(VOTE_SYNC):
		insn.red = DRM_VSM_MODE_ANY + how % 4;
		insn.u.warp.a = value & 1;
		break;
	case OP(SHFL_SYNC):
		insn.red = DRM_VSM_MODE_UP + how % 4;
		insn.u.warp.b = value;
		insn.u.warp.c = how & 4 ? 0x1c1f : 0x1f;
		break;
	case OP(REDUX_SYNC):
		insn.red = redux[how % 4];
		insn.u.warp.a = (__u32)(value - 8);
		break;
	case OP(BARRIER_RED):
		insn.red = how & 2 ? DRM_VSM_RED_POPC : DRM_VSM_RED_AND;
		insn.u.barrier.pred = value & 1;
		break;
	case OP(BARRIER_CLUSTER_ARRIVE):
		insn.sem = how & 1 ? DRM_VSM_SEM_RELAXED : DRM_VSM_SEM_DEFAULT;
		break;
	}
	return insn;
}

static void execute(struct rv_check *c, unsigned int cta, unsigned int thread, bool converged,
		    struct drm_vsm_insn insn)
{
	enum drm_vsm_fault fault;

	if (!check_insn(&c->geo, cta, &insn, &fault) && vsm_insn_is_rendezvous(&insn))
		rv_check_execute(c, cta, thread, converged, &insn);
}

/*
 * Performs an action of the thread or of its task. A task takes a result only if the thread has
 * one, and withdraws the thread only if it has none.
 */
static void act(struct rv_check *c, const struct action *a, struct input *in)
{
	const unsigned int who = a->thread % (c->geo.ctas * c->geo.threads);
	const unsigned int cta = who / c->geo.threads, thread = who % c->geo.threads;
	const struct rv_thread *t = rv_thread(&c->model, cta, thread);
	const bool led = rv_check_is_led(c, cta, thread);
	struct drm_vsm_insn insn = made(a);

	switch (a->verb % VERBS) {
	case EXECUTE:
	case EXECUTE_CONVERGED:
		execute(c, cta, thread, a->verb % VERBS == EXECUTE_CONVERGED, insn);
		break;
	case EXECUTE_RAW:
		if (take_bytes(in, &insn, offsetof(struct drm_vsm_insn, result)))
			execute(c, cta, thread, a->op & 1, insn);
		break;
	case RESUME:
		if (t->state == RV_INSIDE || t->state == RV_RELEASED)
			execute(c, cta, thread, t->converged, t->insn);
		break;
	case TAKE:
		if (t->state == RV_RELEASED)
			rv_check_take(c, cta, thread, &insn);
		break;
	case WITHDRAW:
		if (t->state == RV_INSIDE)
			rv_check_withdraw(c, cta, thread);
		break;
	case WATCH:
		if (t->state == RV_INSIDE && !led)
			rv_check_watch(c, cta, thread, true);
		break;
	case INTERRUPT:
		if ((t->state == RV_INSIDE || t->state == RV_RELEASED) && !led)
			rv_check_watch(c, cta, thread, false);
		break;
	}
}

void fuzz_rendezvous(const unsigned char *data, size_t size)
{
	struct vsm_geometry geo = unit_geometry(90, true);
	struct input in = { data, size };
	unsigned char shape[2];
	struct action action;
	struct rv_check c;

	if (!take_bytes(&in, shape, sizeof(shape)))
		return;
	geo.ctas = 1 + shape[0] % 3;
	geo.threads = 1 + shape[1] % 100;
	rv_check_create(&c, &geo);
	while (take_bytes(&in, &action, sizeof(action))) {
		act(&c, &action, &in);
		CHECK(!c.wrong[0]);
	}
	rv_check_all(&c);
	CHECK(!c.wrong[0]);
	rv_check_destroy(&c);
}
