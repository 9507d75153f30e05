// SPDX-License-Identifier: MIT
#include <string.h>

#include "../insn.h"
#include "generator.h"
#include "misuse.h"

static __u32 draw_init_count(struct generator *g)
{
	static const __u32 counts[] = { 1, 1, 2, 2, 3, 4, 8, 32, MODEL_MAX - 1, MODEL_MAX };

	switch (draw(g, 8)) {
	case 0:
		return 1 + draw(g, MODEL_MAX);
	case 1:
		return 1 + draw(g, 64);
	default:
		return counts[draw(g, sizeof(counts) / sizeof(counts[0]))];
	}
}

/* Adds a random fence. The layout sm_80 has fewer .sem and .scope. */
static void order(struct generator *g)
{
	static const __u8 sems[] = {
		DRM_VSM_SEM_DEFAULT, DRM_VSM_SEM_ACQ_REL, DRM_VSM_SEM_SC,
		DRM_VSM_SEM_ACQUIRE, DRM_VSM_SEM_RELEASE,
	};
	static const __u8 scopes[] = {
		DRM_VSM_SCOPE_CTA, DRM_VSM_SCOPE_GPU, DRM_VSM_SCOPE_SYS, DRM_VSM_SCOPE_CLUSTER,
	};
	bool sm_90 = g->config.sm == 90;

	draft_order(g, draw(g, g->config.ctas), draw(g, g->config.threads),
		    sems[draw(g, sm_90 ? 5 : 3)], scopes[draw(g, sm_90 ? 4 : 3)]);
}

static bool fence(struct generator *g)
{
	struct generator_object *o = draft_object(g, true);

	if (!draw(g, 4)) {
		order(g);
		return true;
	}
	if (g->config.sm == 80)
		return false;
	if (o && o->m.initialiser != MODEL_VISIBLE && draw(g, 8))
		draft_fence(g, draft_rank(o), o->m.initialiser);
	else
		draft_fence(g, draw(g, g->config.ctas), draw(g, g->config.threads));
	return true;
}

static bool pending_count(struct generator *g)
{
	unsigned int first = draw(g, GENERATOR_TOKENS), i;

	for (i = 0; i < GENERATOR_TOKENS; i++) {
		int token = (first + i) % GENERATOR_TOKENS;
		struct generator_step *s;

		if (!g->has_token[token] || !g->tokens[token].no_complete)
			continue;
		s = draft_step(g, GENERATOR_INSN);
		s->cta = draw(g, g->config.ctas);
		s->thread = draw(g, g->config.threads);
		s->insn.op = OP(MBARRIER_PENDING_COUNT);
		s->token = token;
		s->result = g->tokens[token].pending;
		return true;
	}
	return false;
}

/*
 * Reserves the 16 bytes that a copy writes, until the copy has completed. Returns false if another
 * copy has reserved them.
 */
static bool reserve(struct generator *g, __u32 addr)
{
	unsigned int i;

	addr -= addr % 16;
	for (i = 0; i < g->copying; i++)
		if (g->copies[i] == addr)
			return false;
	if (g->copying == GENERATOR_COPIES)
		return false;
	g->copies[g->copying++] = addr;
	return true;
}

static bool copy(struct generator *g)
{
	__u16 cta = draw(g, g->config.ctas);
	struct generator_step *s;
	struct drm_vsm_insn insn;

	if (!g->config.buffer_bytes)
		return false;
	insn = draft_copy(g, cta);
	if (g->config.held && !reserve(g, insn.u.copy.addr))
		return false;
	s = draft_step(g, GENERATOR_INSN);
	s->cta = cta;
	s->thread = draw(g, g->config.threads);
	s->insn = insn;
	return true;
}

static bool completion(struct generator *g)
{
	if (!g->flying)
		return false;
	if (g->config.held)
		draft_release(g);
	else
		draft_complete(g, draw(g, g->flying));
	return true;
}

static bool operation(struct generator *g)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];
	struct draft d;

	if (!o->m.live)
		d = draft_init(g, o, draw_init_count(g));
	else if (!o->m.observed && draw(g, 2))
		d = draft_any_wait(g, o);
	else
		d = draft_any(g, o);
	if (!draft_legal(&d) || (d.op.kind == MODEL_ISSUE && g->flying == GENERATOR_ASYNCS))
		return false;
	draft_qualify(g, &d);
	draft_deliver(g, &d);
	return true;
}

static bool legal_step(struct generator *g)
{
	switch (draw(g, 64)) {
	case 0:
	case 1:
		return fence(g);
	case 2:
	case 3:
		return pending_count(g);
	case 4:
		return copy(g);
	case 5:
	case 6:
	case 7:
	case 8:
	case 9:
	case 10:
		return completion(g);
	default:
		return operation(g);
	}
}

const struct generator_step *generator_next(struct generator *g)
{
	if (g->given == g->made) {
		g->given = 0;
		g->made = 0;
		/* Until the misuse is possible, the program continues with legal steps. */
		if (g->misuse && g->misuse->plan(g))
			g->misuse = NULL;
		else
			while (!legal_step(g))
				;
	}
	return &g->steps[g->given++];
}

const struct generator_misuse *generator_misuse(unsigned int nth)
{
	static const struct generator_misuse *const tables[] = {
		misuse_forms, misuse_lives, misuse_counts, misuse_phases, misuse_traps,
	};
	unsigned int table, i;

	for (table = 0; table < sizeof(tables) / sizeof(tables[0]); table++)
		for (i = 0; tables[table][i].name; i++)
			if (!nth--)
				return &tables[table][i];
	return NULL;
}

bool generator_allows(const struct generator_config *config,
		      const struct generator_misuse *misuse)
{
	unsigned int has = config->sm == 90 ? GENERATOR_NEEDS_SM_90 : GENERATOR_NEEDS_SM_80;

	if (config->ctas > 1)
		has |= GENERATOR_NEEDS_CTAS;
	if (config->buffer_bytes)
		has |= GENERATOR_NEEDS_BUFFER;
	if (config->hardware)
		has |= GENERATOR_NEEDS_HARDWARE;
	has |= config->letter ? GENERATOR_NEEDS_LETTER : GENERATOR_NEEDS_NO_LETTER;
	return !(misuse->needs & ~has) &&
	       config->hardware == !!(misuse->needs & GENERATOR_NEEDS_HARDWARE);
}

bool generator_plant(struct generator *g, const struct generator_misuse *misuse)
{
	if (!generator_allows(&g->config, misuse))
		return false;
	g->misuse = misuse;
	return true;
}

static bool taken(const struct generator *g, unsigned int n, __u32 addr)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (g->objects[i].addr == addr)
			return true;
	return false;
}

void generator_init(struct generator *g, const struct generator_config *config)
{
	unsigned int i;

	memset(g, 0, sizeof(*g));
	g->config = *config;
	g->rng = config->seed;
	for (i = 0; i < config->objects; i++) {
		__u32 addr, offset;

		do {
			offset = draw(g, config->smem_bytes / 64) * 64 +
				 draw(g, DRAFT_OBJECTS) * 16 + draw(g, 2) * 8;
			addr = vsm_shared_addr(draw(g, config->ctas), offset);
		} while (taken(g, i, addr));
		g->objects[i].addr = addr;
		g->objects[i].m.sm = config->sm;
		g->objects[i].m.letter = config->letter;
	}
}
