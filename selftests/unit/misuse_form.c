// SPDX-License-Identifier: MIT
/* Misuse that the device finds without looking at the object: addresses, qualifiers, operands. */
#include "misuse.h"

static struct draft copy_draft(struct generator *g)
{
	struct draft d = { .token = -1 };

	d.cta = draw(g, g->config.ctas);
	d.thread = draw(g, g->config.threads);
	d.insn = draft_copy(g, d.cta);
	return d;
}

static struct draft bulk_draft(struct generator *g)
{
	struct draft d = { .token = -1 };
	__u16 rank = draw(g, g->config.ctas);

	d.cta = rank;
	d.thread = draw(g, g->config.threads);
	d.insn.op = draw(g, 2) ? OP(CP_ASYNC_BULK_G2S) : OP(CP_ASYNC_BULK_S2G);
	d.insn.u.copy.addr = vsm_shared_addr(rank, 48);
	d.insn.u.copy.size = 16;
	d.insn.u.copy.offset = 16 * draw(g, 64);
	if (d.insn.op == OP(CP_ASYNC_BULK_G2S))
		d.insn.u.copy.mbar = vsm_shared_addr(rank, 8 * draw(g, 4));
	return d;
}

/* --- addresses ------------------------------------------------------------- */

static bool misaligned(struct generator *g)
{
	struct draft d = misuse_anything(g);

	d.insn.u.mbarrier.addr += 1 + draw(g, 7);
	return draft_refuse(g, &d, FAULT(MISALIGNED), 0);
}

static bool misaligned_copy(struct generator *g)
{
	struct draft d = copy_draft(g);

	if (draw(g, 2))
		d.insn.u.copy.addr += 1 + draw(g, d.insn.u.copy.size - 1);
	else
		d.insn.u.copy.offset += 1 + draw(g, d.insn.u.copy.size - 1);
	return draft_refuse(g, &d, FAULT(MISALIGNED), 0);
}

static bool misaligned_bulk_copy(struct generator *g)
{
	struct draft d = bulk_draft(g);

	switch (draw(g, 3)) {
	case 0:
		d.insn.u.copy.addr += 1 + draw(g, 15);
		break;
	case 1:
		d.insn.u.copy.offset += 1 + draw(g, 15);
		break;
	default:
		d.insn.op = OP(CP_ASYNC_BULK_G2S);
		d.insn.u.copy.mbar = vsm_shared_addr(d.cta, 1 + draw(g, 7));
		break;
	}
	return draft_refuse(g, &d, FAULT(MISALIGNED), 0);
}

static bool past_the_window(struct generator *g)
{
	struct draft d = misuse_anything(g);
	__u32 words = ((1 << VSM_SHARED_RANK_SHIFT) - g->config.smem_bytes) / 8;
	__u32 past = draw(g, 2) ? 0 : draw(g, words);

	d.insn.u.mbarrier.addr = vsm_shared_addr(draft_rank(d.o), g->config.smem_bytes + past * 8);
	return draft_refuse(g, &d, FAULT(OUT_OF_WINDOW), 0);
}

static bool in_no_cta(struct generator *g)
{
	struct draft d = misuse_anything(g);
	__u32 rank = draw(g, 2) ? g->config.ctas
				: g->config.ctas + draw(g, 256 - g->config.ctas);

	d.insn.u.mbarrier.addr = vsm_mapa(d.insn.u.mbarrier.addr, rank);
	return draft_refuse(g, &d, FAULT(OUT_OF_WINDOW), 0);
}

static bool spelled_shared_cta(struct generator *g)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];
	struct draft d = draw(g, 2) ? draft_tx(g, o, OP(MBARRIER_EXPECT_TX), draw(g, 64))
				    : draft_arrive(g, o, misuse_arrive_op(g), 0, 0, 0);

	draft_remote(g, &d);
	d.insn.space = DRM_VSM_SPACE_SHARED_CTA;
	return draft_refuse(g, &d, FAULT(OUT_OF_WINDOW), 0);
}

static bool copy_past_the_window(struct generator *g)
{
	struct draft d = misuse_sm_90(g) && draw(g, 2) ? bulk_draft(g) : copy_draft(g);

	d.insn.u.copy.addr = vsm_shared_addr(d.cta, g->config.smem_bytes + 16 * draw(g, 64));
	return draft_refuse(g, &d, FAULT(OUT_OF_WINDOW), 0);
}

/* --- forms ----------------------------------------------------------------- */

static bool remote_operation(struct generator *g)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];
	struct draft d;

	switch (draw(g, 4)) {
	case 0:
		d = draft_init(g, o, 1);
		break;
	case 1:
		d = draft_inval(g, o);
		break;
	case 2:
		d = draft_wait_parity(g, o, OP(MBARRIER_TEST_WAIT), draw(g, 2));
		break;
	default:
		d = draft_issue(g, o, draw(g, 2));
		break;
	}
	draft_remote(g, &d);
	return draft_refuse(g, &d, FAULT(REMOTE_FORBIDDEN), 0);
}

static bool remote_result(struct generator *g)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];
	struct draft d = draft_arrive(g, o, misuse_arrive_op(g), 0, 0, 0);

	draft_remote(g, &d);
	if (draw(g, 2)) {
		d.insn.mods = 0;
	} else {
		d.insn.mods = NC | (draw(g, 2) ? MOD(SINK) : 0);
		d.insn.u.mbarrier.count = 1;
	}
	if (misuse_sm_90(g) && draw(g, 2))
		d.insn.space = DRM_VSM_SPACE_SHARED_CLUSTER;
	return draft_refuse(g, &d, FAULT(REMOTE_FORBIDDEN), 0);
}

/* The form takes only objects in the thread's own window, but the space is .shared::cluster. */
static bool spelled_shared_cluster(struct generator *g)
{
	struct draft d = draft_any(g, &g->objects[draw(g, g->config.objects)]);

	if (d.op.remote || d.insn.op == OP(MBARRIER_EXPECT_TX) ||
	    d.insn.op == OP(MBARRIER_COMPLETE_TX))
		return false;
	d.insn.mods &= ~MOD(SINK);
	d.insn.space = DRM_VSM_SPACE_SHARED_CLUSTER;
	return draft_refuse(g, &d, FAULT(REMOTE_FORBIDDEN), 0);
}

static bool remote_copy(struct generator *g)
{
	struct draft d = copy_draft(g);

	d.cta = (d.cta + 1) % g->config.ctas;
	d.insn.space = DRM_VSM_SPACE_GENERIC;
	return draft_refuse(g, &d, FAULT(REMOTE_FORBIDDEN), 0);
}

static bool half_an_order(struct generator *g)
{
	struct draft d = draft_any(g, &g->objects[draw(g, g->config.objects)]);

	if (draw(g, 2))
		d.insn.sem = DRM_VSM_SEM_ACQUIRE + draw(g, 2);
	else
		d.insn.scope = DRM_VSM_SCOPE_CTA;
	return draft_refuse(g, &d, FAULT(BAD_ORDER), 0);
}

static bool wrong_order(struct generator *g)
{
	struct draft d = draft_any(g, &g->objects[draw(g, g->config.objects)]);

	d.insn.scope = DRM_VSM_SCOPE_CTA;
	switch (d.insn.op) {
	case OP(MBARRIER_ARRIVE):
	case OP(MBARRIER_ARRIVE_DROP):
		d.insn.sem = DRM_VSM_SEM_ACQUIRE;
		break;
	case OP(MBARRIER_TEST_WAIT):
	case OP(MBARRIER_TRY_WAIT):
		d.insn.sem = DRM_VSM_SEM_RELEASE;
		break;
	default:
		d.insn.sem = DRM_VSM_SEM_ACQUIRE + draw(g, 2);
		break;
	}
	return draft_refuse(g, &d, FAULT(BAD_ORDER), 0);
}

static bool nocomplete_order(struct generator *g)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];
	struct draft d = draft_arrive(g, o, misuse_arrive_op(g), NC, 1, 0);

	d.insn.sem = draw(g, 2) ? DRM_VSM_SEM_RELAXED : DRM_VSM_SEM_RELEASE;
	d.insn.scope = d.insn.sem == DRM_VSM_SEM_RELEASE || draw(g, 2) ? DRM_VSM_SCOPE_CLUSTER
								       : DRM_VSM_SCOPE_CTA;
	return draft_refuse(g, &d, FAULT(BAD_ORDER), 0);
}

static __u32 bad_count(struct generator *g)
{
	static const __u32 counts[] = { 0, MODEL_MAX + 1, 0x80000000, 0xffffffff };

	return draw(g, 2) ? counts[draw(g, 4)] : MODEL_MAX + 1 + draw(g, 1U << 31);
}

static bool init_count(struct generator *g)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];
	struct draft d = draft_init(g, o, bad_count(g));

	return draft_refuse(g, &d, FAULT(BAD_COUNT), 0);
}

static bool arrive_count(struct generator *g)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];
	__u16 mods = misuse_sm_90(g) && draw(g, 2) ? MOD(COUNT) : NC;
	struct draft d = draft_arrive(g, o, misuse_arrive_op(g), mods, bad_count(g), 0);

	return draft_refuse(g, &d, FAULT(BAD_COUNT), 0);
}

static bool wait_parity(struct generator *g)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];
	__u16 op = misuse_sm_90(g) && draw(g, 2) ? OP(MBARRIER_TRY_WAIT) : OP(MBARRIER_TEST_WAIT);
	__u32 parity = draw(g, 2) ? 2 + draw(g, 2) : 2 + draw(g, 0xfffffffe);
	struct draft d = draft_wait_parity(g, o, op, parity);

	return draft_refuse(g, &d, FAULT(BAD_PARITY), 0);
}

static bool copy_size(struct generator *g)
{
	struct draft d = copy_draft(g);

	d.insn.mods |= MOD(SRC_SIZE);
	d.insn.u.copy.src_size = d.insn.u.copy.size + 1 + draw(g, draw(g, 2) ? 4 : 1U << 31);
	return draft_refuse(g, &d, FAULT(COPY_SIZE), 0);
}

static bool bulk_copy_size(struct generator *g)
{
	struct draft d = bulk_draft(g);

	d.insn.u.copy.size += 1 + draw(g, 15);
	return draft_refuse(g, &d, FAULT(COPY_SIZE), 0);
}

static bool bulk_copy_mbarrier(struct generator *g)
{
	struct draft d = bulk_draft(g);

	d.insn.op = OP(CP_ASYNC_BULK_G2S);
	d.insn.u.copy.mbar = vsm_shared_addr((d.cta + 1) % g->config.ctas, 8 * draw(g, 4));
	return draft_refuse(g, &d, FAULT(COPY_MBARRIER), 0);
}

const struct generator_misuse misuse_forms[] = {
	WAY(MISALIGNED, ANY, "an address that is no multiple of 8", misaligned),
	WAY(MISALIGNED, BUFFER, "a cp.async that is not aligned to its size", misaligned_copy),
	WAY(MISALIGNED, SM_90, "a bulk copy that is not aligned", misaligned_bulk_copy),
	WAY(OUT_OF_WINDOW, ANY, "an address past the window", past_the_window),
	WAY(OUT_OF_WINDOW, ANY, "an address in no CTA", in_no_cta),
	WAY(OUT_OF_WINDOW, SM_90 | CTAS, ".shared::cta in another CTA", spelled_shared_cta),
	WAY(OUT_OF_WINDOW, BUFFER, "a copy past the window", copy_past_the_window),
	WAY(BAD_COUNT, ANY, "init with a bad count", init_count),
	WAY(BAD_COUNT, ANY, "an arrive with a bad count", arrive_count),
	WAY(BAD_PARITY, ANY, "a wait for a parity above 1", wait_parity),
	WAY(REMOTE_FORBIDDEN, CTAS, "remote, with a local form", remote_operation),
	WAY(REMOTE_FORBIDDEN, CTAS, "a remote arrive with a result", remote_result),
	WAY(REMOTE_FORBIDDEN, SM_90, ".shared::cluster with a local form", spelled_shared_cluster),
	WAY(REMOTE_FORBIDDEN, CTAS | BUFFER, "cp.async to another CTA", remote_copy),
	WAY(BAD_ORDER, ANY, ".sem without .scope or .scope without .sem", half_an_order),
	WAY(BAD_ORDER, ANY, "a .sem that it does not take", wrong_order),
	WAY(BAD_ORDER, SM_90, ".noComplete with more than .release.cta", nocomplete_order),
	WAY(COPY_SIZE, BUFFER, "cp.async whose src-size is above its size", copy_size),
	WAY(COPY_SIZE, SM_90, "a bulk copy of no multiple of 16", bulk_copy_size),
	WAY(COPY_MBARRIER, SM_90 | CTAS, "a bulk copy that signals elsewhere", bulk_copy_mbarrier),
	{ .name = NULL },
};
