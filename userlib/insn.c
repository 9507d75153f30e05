// SPDX-License-Identifier: MIT
/*
 * Instructions in PTX's spelling.
 */
#include "internal.h"

/*
 * struct spelling - How an operation is spelled
 * @name: Without modifiers and qualifiers
 * @mods: Modifiers that it takes
 * @type: .type, or what stands in its place behind the state space
 */
struct spelling {
	const char *name;
	uint16_t mods;
	const char *type;
};

#define ARRIVE_MODS (DRM_VSM_MOD_COUNT | DRM_VSM_MOD_EXPECT_TX | DRM_VSM_MOD_NOCOMPLETE | \
		     DRM_VSM_MOD_SINK)

static const struct spelling spellings[] = {
	[DRM_VSM_OP_MBARRIER_INIT] = { "mbarrier.init", 0, ".b64" },
	[DRM_VSM_OP_MBARRIER_INVAL] = { "mbarrier.inval", 0, ".b64" },
	[DRM_VSM_OP_MBARRIER_ARRIVE] = { "mbarrier.arrive", ARRIVE_MODS, ".b64" },
	[DRM_VSM_OP_MBARRIER_ARRIVE_DROP] = { "mbarrier.arrive_drop", ARRIVE_MODS, ".b64" },
	[DRM_VSM_OP_MBARRIER_EXPECT_TX] = { "mbarrier.expect_tx", 0, ".b64" },
	[DRM_VSM_OP_MBARRIER_COMPLETE_TX] = { "mbarrier.complete_tx", 0, ".b64" },
	[DRM_VSM_OP_MBARRIER_TEST_WAIT] = { "mbarrier.test_wait", DRM_VSM_MOD_PARITY, ".b64" },
	[DRM_VSM_OP_MBARRIER_TRY_WAIT] = {
		"mbarrier.try_wait", DRM_VSM_MOD_PARITY | DRM_VSM_MOD_HINT, ".b64"
	},
	[DRM_VSM_OP_MBARRIER_PENDING_COUNT] = { "mbarrier.pending_count", 0, ".b64" },
	[DRM_VSM_OP_CP_ASYNC_BULK_G2S] = {
		"cp.async.bulk", 0, ".global.mbarrier::complete_tx::bytes"
	},
	[DRM_VSM_OP_CP_ASYNC_BULK_S2G] = { "cp.async.bulk", 0, "" },
	[DRM_VSM_OP_FENCE_MBARRIER_INIT] = { "fence.mbarrier_init", 0, "" },
	[DRM_VSM_OP_CP_ASYNC] = {
		"cp.async", DRM_VSM_MOD_SRC_SIZE | DRM_VSM_MOD_CG, ".global"
	},
	[DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE] = {
		"cp.async.mbarrier.arrive", DRM_VSM_MOD_NOINC, ".b64"
	},
};

/* Modifiers that are spelled; the others show in the operands. */
static const struct {
	uint16_t mod;
	const char *text;
} mod_texts[] = {
	{ DRM_VSM_MOD_EXPECT_TX, ".expect_tx" },
	{ DRM_VSM_MOD_NOCOMPLETE, ".noComplete" },
	{ DRM_VSM_MOD_PARITY, ".parity" },
	{ DRM_VSM_MOD_NOINC, ".noinc" },
};

static const char *const sem_texts[] = { "", ".relaxed", ".acquire", ".release" };
static const char *const scope_texts[] = { "", ".cta", ".cluster" };
static const char *const space_texts[] = { "", ".shared::cta", ".shared::cluster" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct spelling *find_spelling(const struct drm_vsm_insn *insn)
{
	if (insn->op >= COUNT(spellings) || !spellings[insn->op].name)
		return NULL;
	return &spellings[insn->op];
}

/* The operation without modifiers, NULL if there is none. */
const char *vsm_insn_name(const struct drm_vsm_insn *insn)
{
	const struct spelling *spelling = find_spelling(insn);

	return spelling ? spelling->name : NULL;
}

/* Put the modifiers that are spelled; returns those that the operation does not take. */
uint16_t vsm_insn_put_mods(struct vsm_text *text, const struct drm_vsm_insn *insn)
{
	const struct spelling *spelling = find_spelling(insn);
	uint16_t mods = spelling ? insn->mods & spelling->mods : 0;
	size_t i;

	for (i = 0; i < COUNT(mod_texts); i++)
		if (mods & mod_texts[i].mod)
			vsm_text_put(text, "%s", mod_texts[i].text);
	return insn->mods & ~mods;
}

static void put_qualifier(struct vsm_text *text, const char *const *texts, size_t count,
			  const char *group, uint8_t value)
{
	if (value < count)
		vsm_text_put(text, "%s", texts[value]);
	else
		vsm_text_put(text, ".%s(%u)", group, value);
}

static void put_space(struct vsm_text *text, const struct drm_vsm_insn *insn)
{
	/* A copy spells the space of its window; the instruction may leave it open. */
	if (!insn->space && insn->op == DRM_VSM_OP_CP_ASYNC)
		vsm_text_put(text, ".shared");
	else if (!insn->space && insn->op == DRM_VSM_OP_CP_ASYNC_BULK_G2S)
		vsm_text_put(text, ".shared::cluster");
	else if (!insn->space && insn->op == DRM_VSM_OP_CP_ASYNC_BULK_S2G)
		vsm_text_put(text, ".shared::cta");
	else
		put_qualifier(text, space_texts, COUNT(space_texts), "space", insn->space);
}

static void put_head(struct vsm_text *text, const struct drm_vsm_insn *insn,
		     const struct spelling *spelling)
{
	uint16_t others;

	vsm_text_put(text, "%s", spelling->name);
	others = vsm_insn_put_mods(text, insn);
	if (insn->op == DRM_VSM_OP_CP_ASYNC)
		vsm_text_put(text, insn->mods & DRM_VSM_MOD_CG ? ".cg" : ".ca");
	if (others)
		vsm_text_put(text, ".mods(0x%x)", others);
	put_qualifier(text, sem_texts, COUNT(sem_texts), "sem", insn->sem);
	put_qualifier(text, scope_texts, COUNT(scope_texts), "scope", insn->scope);
	if (insn->op == DRM_VSM_OP_CP_ASYNC_BULK_S2G)
		vsm_text_put(text, ".global");
	put_space(text, insn);
	vsm_text_put(text, "%s", spelling->type);
}

static void put_wait(struct vsm_text *text, const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_mbarrier_operands *o = &insn->u.mbarrier;

	if (insn->mods & DRM_VSM_MOD_PARITY)
		vsm_text_put(text, " [0x%x], %u", o->addr, o->parity);
	else
		vsm_text_put(text, " [0x%x], 0x%llx", o->addr, (unsigned long long)o->state);
}

static void put_operands(struct vsm_text *text, const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_mbarrier_operands *o = &insn->u.mbarrier;
	const struct drm_vsm_copy_operands *c = &insn->u.copy;
	unsigned long long offset = c->offset;

	switch ((enum drm_vsm_op)insn->op) {
	case DRM_VSM_OP_MBARRIER_INIT:
		vsm_text_put(text, " [0x%x], %u", o->addr, o->count);
		break;
	case DRM_VSM_OP_MBARRIER_INVAL:
	case DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE:
		vsm_text_put(text, " [0x%x]", o->addr);
		break;
	case DRM_VSM_OP_MBARRIER_ARRIVE:
	case DRM_VSM_OP_MBARRIER_ARRIVE_DROP:
		vsm_text_put(text, " %s[0x%x]", insn->mods & DRM_VSM_MOD_SINK ? "_, " : "",
			     o->addr);
		if (insn->mods & DRM_VSM_MOD_COUNT)
			vsm_text_put(text, ", %u", o->count);
		if (insn->mods & DRM_VSM_MOD_EXPECT_TX)
			vsm_text_put(text, ", %u", o->tx_count);
		break;
	case DRM_VSM_OP_MBARRIER_EXPECT_TX:
	case DRM_VSM_OP_MBARRIER_COMPLETE_TX:
		vsm_text_put(text, " [0x%x], %u", o->addr, o->tx_count);
		break;
	case DRM_VSM_OP_MBARRIER_TEST_WAIT:
		put_wait(text, insn);
		break;
	case DRM_VSM_OP_MBARRIER_TRY_WAIT:
		put_wait(text, insn);
		if (insn->mods & DRM_VSM_MOD_HINT)
			vsm_text_put(text, ", %u", o->hint_ns);
		break;
	case DRM_VSM_OP_MBARRIER_PENDING_COUNT:
		vsm_text_put(text, " 0x%llx", (unsigned long long)o->state);
		break;
	case DRM_VSM_OP_CP_ASYNC_BULK_G2S:
		vsm_text_put(text, " [0x%x], [buffer %u + 0x%llx], %u, [0x%x]", c->addr,
			     c->buffer, offset, c->size, c->mbar);
		break;
	case DRM_VSM_OP_CP_ASYNC_BULK_S2G:
		vsm_text_put(text, " [buffer %u + 0x%llx], [0x%x], %u", c->buffer, offset,
			     c->addr, c->size);
		break;
	case DRM_VSM_OP_CP_ASYNC:
		vsm_text_put(text, " [0x%x], [buffer %u + 0x%llx], %u", c->addr, c->buffer,
			     offset, c->size);
		if (insn->mods & DRM_VSM_MOD_SRC_SIZE)
			vsm_text_put(text, ", %u", c->src_size);
		break;
	case DRM_VSM_OP_FENCE_MBARRIER_INIT:
		break;
	}
}

int vsm_insn_describe(const struct drm_vsm_insn *insn, char *text, size_t size)
{
	const struct spelling *spelling = find_spelling(insn);
	struct vsm_text out;

	vsm_text_begin(&out, text, size);
	if (spelling) {
		put_head(&out, insn, spelling);
		put_operands(&out, insn);
	} else {
		vsm_text_put(&out, "op %u", insn->op);
	}
	return (int)out.length;
}
