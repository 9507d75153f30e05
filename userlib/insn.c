// SPDX-License-Identifier: MIT
/* Spelling instructions as PTX does. */
#include <string.h>

#include "internal.h"

/*
 * struct spelling - How an operation is spelled
 * @traits: Properties of the operation, a mask of VSM_OP_*
 * @name: PTX's name of the operation
 * @rest: Text that PTX has after the name, the modifiers and .sem.scope
 * @mods: Modifiers of all forms of the operation
 *
 * vsm_ops.h explains what a $ with a letter in @name and @rest stands for.
 */
struct spelling {
	uint32_t traits;
	const char *name;
	const char *rest;
	uint16_t mods;
};

#define VSM_OP(NAME, sems, traits) \
	[DRM_VSM_OP_##NAME] = { traits,
#define VSM_PTX(name, rest) name, rest, 0
#define VSM_FORM(mods, takes) | (mods)
#define VSM_OP_END },
static const struct spelling spellings[] = {
#include "vsm_ops.h"
};

#define VSM_OP(NAME, sems, traits) \
	[DRM_VSM_OP_##NAME] = { 0
#define VSM_FORM(mods, takes) | (takes)
#define VSM_OP_END },
/* Operands of all forms of an operation. */
static const struct {
	uint32_t takes;
} operands[] = {
#include "vsm_ops.h"
};

uint32_t vsm_op_traits(unsigned int op)
{
	return op < sizeof(spellings) / sizeof(spellings[0]) ? spellings[op].traits : 0;
}

uint32_t vsm_op_takes(unsigned int op)
{
	return op < sizeof(operands) / sizeof(operands[0]) ? operands[op].takes : 0;
}

/* Modifiers that PTX has after the name. */
static const struct {
	uint16_t mod;
	const char *text;
} mod_texts[] = {
	{ DRM_VSM_MOD_EXPECT_TX, ".expect_tx" },
	{ DRM_VSM_MOD_NOCOMPLETE, ".noComplete" },
	{ DRM_VSM_MOD_PARITY, ".parity" },
	{ DRM_VSM_MOD_NOINC, ".noinc" },
	{ DRM_VSM_MOD_READ, ".read" },
};

static const char *const sem_texts[] = {
	"", ".relaxed", ".acquire", ".release", ".acq_rel", ".sc",
};

static const char *const scope_texts[] = { "", ".cta", ".cluster", ".gpu", ".sys" };
static const char *const space_texts[] = { "", ".shared::cta", ".shared::cluster" };
static const char *const dim_texts[] = { NULL, ".1d", ".2d", ".3d", ".4d", ".5d" };

static const char *const op_texts[] = {
	[DRM_VSM_RED_ADD] = ".add", [DRM_VSM_RED_MIN] = ".min", [DRM_VSM_RED_MAX] = ".max",
	[DRM_VSM_RED_INC] = ".inc", [DRM_VSM_RED_DEC] = ".dec", [DRM_VSM_RED_AND] = ".and",
	[DRM_VSM_RED_OR] = ".or", [DRM_VSM_RED_XOR] = ".xor", [DRM_VSM_RED_POPC] = ".popc",
};

static const char *const mode_texts[] = {
	[DRM_VSM_MODE_ANY] = ".any", [DRM_VSM_MODE_ALL] = ".all", [DRM_VSM_MODE_UNI] = ".uni",
	[DRM_VSM_MODE_BALLOT] = ".ballot", [DRM_VSM_MODE_UP] = ".up",
	[DRM_VSM_MODE_DOWN] = ".down", [DRM_VSM_MODE_BFLY] = ".bfly",
	[DRM_VSM_MODE_IDX] = ".idx",
};

static const char *const type_texts[] = {
	[DRM_VSM_TYPE_B32] = ".b32", [DRM_VSM_TYPE_U32] = ".u32", [DRM_VSM_TYPE_S32] = ".s32",
	[DRM_VSM_TYPE_B64] = ".b64", [DRM_VSM_TYPE_U64] = ".u64", [DRM_VSM_TYPE_S64] = ".s64",
	[DRM_VSM_TYPE_F16] = ".f16", [DRM_VSM_TYPE_BF16] = ".bf16", [DRM_VSM_TYPE_F32] = ".f32",
	[DRM_VSM_TYPE_F64] = ".f64",
};

/* The type that is spelled for st.async. The instruction contains only the size. */
static const char *const size_texts[] = { [4] = ".b32", [8] = ".b64", [16] = ".v2.b64" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct spelling *find_spelling(const struct drm_vsm_insn *insn)
{
	if (insn->op >= COUNT(spellings) || !spellings[insn->op].name)
		return NULL;
	return &spellings[insn->op];
}

/*
 * Write the modifiers that PTX spells after the name. Return those that the operation does not
 * take.
 */
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
			  const char *group, uint32_t value)
{
	if (value < count && texts[value])
		vsm_text_put(text, "%s", texts[value]);
	else
		vsm_text_put(text, ".%s(%u)", group, value);
}

#define PUT_QUALIFIER(text, group, value) \
	put_qualifier(text, group##_texts, COUNT(group##_texts), #group, value)

static bool is_half_add(uint8_t red)
{
	return red == DRM_VSM_RED(DRM_VSM_RED_ADD, DRM_VSM_TYPE_F16) ||
	       red == DRM_VSM_RED(DRM_VSM_RED_ADD, DRM_VSM_TYPE_BF16);
}

/* Type of the result of vote.sync and barrier.cta.red. */
static const char *answer_type(const struct drm_vsm_insn *insn)
{
	if (insn->op == DRM_VSM_OP_VOTE_SYNC && (insn->red & 0xf) == DRM_VSM_MODE_BALLOT)
		return ".b32";
	if (insn->op == DRM_VSM_OP_BARRIER_RED && (insn->red & 0xf) == DRM_VSM_RED_POPC)
		return ".u32";
	return ".pred";
}

/* Write the text that a $ with this letter stands for. */
static void put_part(struct vsm_text *text, const struct drm_vsm_insn *insn,
		     const struct spelling *spelling, char letter)
{
	uint16_t mods = insn->mods & spelling->mods;
	bool im2col = mods & DRM_VSM_MOD_IM2COL;

	switch (letter) {
	case 's':
		PUT_QUALIFIER(text, space, insn->space);
		break;
	case 'd':
		PUT_QUALIFIER(text, dim, insn->red >> 4);
		break;
	case 'o':
		PUT_QUALIFIER(text, op, insn->red & 0xf);
		break;
	case 'q':
		PUT_QUALIFIER(text, mode, insn->red & 0xf);
		break;
	case 'p':
		vsm_text_put(text, "%s", answer_type(insn));
		break;
	case 'a':
		vsm_text_put(text, "%s", mods & DRM_VSM_MOD_ALIGNED ? ".aligned" : "");
		break;
	case 't':
		if (is_half_add(insn->red))
			vsm_text_put(text, ".noftz");
		PUT_QUALIFIER(text, type, insn->red >> 4);
		break;
	case 'v':
		PUT_QUALIFIER(text, size, insn->u.store.size);
		break;
	case 'c':
		vsm_text_put(text, ".mbarrier::complete_tx::bytes");
		break;
	case 'i':
		vsm_text_put(text, "%s", im2col ? ".im2col" : "");
		break;
	case 'n':
		vsm_text_put(text, "%s", im2col ? ".im2col_no_offs" : "");
		break;
	case 'm':
		if (mods & DRM_VSM_MOD_MULTICAST)
			vsm_text_put(text, ".multicast::cluster");
		if (mods & DRM_VSM_MOD_CP_MASK)
			vsm_text_put(text, ".cp_mask");
		break;
	}
}

/* Write @parts, and replace each $ with a letter by the text that it stands for. */
static void put_parts(struct vsm_text *text, const struct drm_vsm_insn *insn,
		      const struct spelling *spelling, const char *parts)
{
	const char *c;

	for (c = parts; *c; c++) {
		if (*c == '$')
			put_part(text, insn, spelling, *++c);
		else if (*c == '{' && insn->space)
			c = strchr(c, '}');
		else if (*c != '{' && *c != '}')
			vsm_text_put(text, "%c", *c);
	}
}

/*
 * Write the name of the operation, without modifiers. If the name begins with @prefix, leave that
 * out.
 */
void vsm_insn_put_name(struct vsm_text *text, const struct drm_vsm_insn *insn, const char *prefix)
{
	const struct spelling *spelling = find_spelling(insn);
	const char *name;

	if (!spelling) {
		vsm_text_put(text, "op %u", insn->op);
		return;
	}
	name = spelling->name;
	if (!strncmp(name, prefix, strlen(prefix)))
		name += strlen(prefix);
	put_parts(text, insn, spelling, name);
}

static bool has_part(const struct spelling *spelling, const char *part)
{
	return strstr(spelling->name, part) || strstr(spelling->rest, part);
}

/* Bits of &drm_vsm_insn.red that the operation does not take. */
static uint8_t unknown_red(const struct drm_vsm_insn *insn, const struct spelling *spelling)
{
	uint8_t known = 0;

	if (has_part(spelling, "$o") || has_part(spelling, "$q"))
		known |= 0x0f;
	if (has_part(spelling, "$t") || has_part(spelling, "$d"))
		known |= 0xf0;
	return insn->red & ~known;
}

static void put_head(struct vsm_text *text, const struct drm_vsm_insn *insn,
		     const struct spelling *spelling)
{
	uint16_t others;
	uint8_t red;

	vsm_insn_put_name(text, insn, "");
	others = vsm_insn_put_mods(text, insn);
	if (insn->op == DRM_VSM_OP_CP_ASYNC)
		vsm_text_put(text, insn->mods & DRM_VSM_MOD_CG ? ".cg" : ".ca");
	if (others)
		vsm_text_put(text, ".mods(0x%x)", others);
	red = unknown_red(insn, spelling);
	if (red)
		vsm_text_put(text, ".red(0x%x)", red);
	PUT_QUALIFIER(text, sem, insn->sem);
	PUT_QUALIFIER(text, scope, insn->scope);
	put_parts(text, insn, spelling, spelling->rest);
}

static void put_buffer(struct vsm_text *text, const struct drm_vsm_copy_operands *c)
{
	vsm_text_put(text, "[buffer %u + 0x%llx]", c->buffer, (unsigned long long)c->offset);
}

/* Write the operand [tensorMap, tensorCoords]. */
static void put_tensor(struct vsm_text *text, const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_tensor_operands *t = &insn->u.tensor;
	unsigned int dims = insn->red >> 4;
	unsigned int i;

	vsm_text_put(text, "[map 0x%llx, {", (unsigned long long)t->map);
	for (i = 0; i < dims && i < COUNT(t->coords); i++)
		vsm_text_put(text, "%s%d", i ? ", " : "", t->coords[i]);
	vsm_text_put(text, "}]");
}

static void put_offsets(struct vsm_text *text, const struct drm_vsm_insn *insn)
{
	unsigned int dims = insn->red >> 4;
	unsigned int bits = dims == 3 ? 16 : dims == 4 ? 8 : 5;
	unsigned int i;

	if (!(insn->mods & DRM_VSM_MOD_IM2COL))
		return;
	vsm_text_put(text, ", {");
	for (i = 0; i + 2 < dims && i < 3; i++)
		vsm_text_put(text, "%s%u", i ? ", " : "",
			     insn->u.tensor.offsets >> i * bits & ((1U << bits) - 1));
	vsm_text_put(text, "}");
}

static void put_value(struct vsm_text *text, const struct drm_vsm_store_operands *s)
{
	unsigned long long low = s->value[0], high = s->value[1];

	if (s->size > 8 || high)
		vsm_text_put(text, "{0x%llx, 0x%llx}", low, high);
	else
		vsm_text_put(text, "0x%llx", low);
}

static void put_warp(struct vsm_text *text, const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_warp_operands *w = &insn->u.warp;
	unsigned long long a = w->a;

	switch ((enum drm_vsm_op)insn->op) {
	case DRM_VSM_OP_MATCH_SYNC:
	case DRM_VSM_OP_REDUX_SYNC:
		vsm_text_put(text, " 0x%llx,", a);
		break;
	case DRM_VSM_OP_VOTE_SYNC:
		vsm_text_put(text, " %llu,", a);
		break;
	case DRM_VSM_OP_SHFL_SYNC:
		vsm_text_put(text, " 0x%llx, %u, 0x%x,", a, w->b, w->c);
		break;
	default:
		break;
	}
	vsm_text_put(text, " 0x%x", w->membermask);
}

static void put_barrier(struct vsm_text *text, const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_barrier_operands *b = &insn->u.barrier;

	vsm_text_put(text, " %u", b->barrier);
	if (insn->mods & DRM_VSM_MOD_COUNT)
		vsm_text_put(text, ", %u", b->count);
	if (insn->op == DRM_VSM_OP_BARRIER_RED)
		vsm_text_put(text, ", %u", b->pred);
}

/*
 * Does the instruction have the operand that belongs to modifier @mod? If the operation does not
 * know the modifier, it always has the operand.
 */
static bool is_given(const struct drm_vsm_insn *insn, const struct spelling *spelling,
		     uint16_t mod)
{
	return !(spelling->mods & mod) || insn->mods & mod;
}

static void put_mbarrier(struct vsm_text *text, const struct drm_vsm_insn *insn,
			 const struct spelling *spelling)
{
	const struct drm_vsm_mbarrier_operands *o = &insn->u.mbarrier;
	bool parity = insn->mods & spelling->mods & DRM_VSM_MOD_PARITY;
	uint32_t takes = operands[insn->op].takes;
	const char *separator = " ";

	if (insn->mods & spelling->mods & DRM_VSM_MOD_SINK) {
		vsm_text_put(text, " _");
		separator = ", ";
	}
	if (takes & VSM_TAKES_ADDR) {
		vsm_text_put(text, "%s[0x%x]", separator, o->addr);
		separator = ", ";
	}
	if (takes & (VSM_TAKES_COUNT | VSM_TAKES_GROUPS) &&
	    is_given(insn, spelling, DRM_VSM_MOD_COUNT))
		vsm_text_put(text, "%s%u", separator, o->count);
	if (takes & VSM_TAKES_TX && is_given(insn, spelling, DRM_VSM_MOD_EXPECT_TX))
		vsm_text_put(text, "%s%u", separator, o->tx_count);
	if (takes & VSM_TAKES_STATE && !parity)
		vsm_text_put(text, "%s0x%llx", separator, (unsigned long long)o->state);
	if (parity)
		vsm_text_put(text, "%s%u", separator, o->parity);
	if (insn->mods & spelling->mods & DRM_VSM_MOD_HINT)
		vsm_text_put(text, "%s%u", separator, o->hint_ns);
}

static void put_copy(struct vsm_text *text, const struct drm_vsm_insn *insn,
		     const struct spelling *spelling)
{
	const struct drm_vsm_copy_operands *c = &insn->u.copy;
	uint32_t takes = operands[insn->op].takes;
	uint16_t mods = insn->mods & spelling->mods;

	vsm_text_put(text, " ");
	if (takes & VSM_TAKES_NO_WINDOW) {
		put_buffer(text, c);
	} else if (spelling->traits & VSM_OP_TO_BUFFER) {
		put_buffer(text, c);
		vsm_text_put(text, ", [0x%x]", c->addr);
	} else {
		vsm_text_put(text, "[0x%x], ", c->addr);
		if (takes & VSM_TAKES_SHARED)
			vsm_text_put(text, "[0x%x]", c->src);
		else
			put_buffer(text, c);
	}
	vsm_text_put(text, ", %u", c->size);
	if (mods & DRM_VSM_MOD_SRC_SIZE)
		vsm_text_put(text, ", %u", c->src_size);
	if (takes & VSM_TAKES_MBAR)
		vsm_text_put(text, ", [0x%x]", c->mbar);
	if (mods & (DRM_VSM_MOD_MULTICAST | DRM_VSM_MOD_CP_MASK))
		vsm_text_put(text, ", 0x%x", c->mask);
}

static void put_tensor_copy(struct vsm_text *text, const struct drm_vsm_insn *insn,
			    const struct spelling *spelling)
{
	const struct drm_vsm_tensor_operands *t = &insn->u.tensor;
	uint32_t takes = operands[insn->op].takes;

	vsm_text_put(text, " ");
	if (spelling->traits & VSM_OP_TO_WINDOW)
		vsm_text_put(text, "[0x%x], ", t->addr);
	put_tensor(text, insn);
	if (spelling->traits & VSM_OP_TO_BUFFER)
		vsm_text_put(text, ", [0x%x]", t->addr);
	if (takes & VSM_TAKES_MBAR)
		vsm_text_put(text, ", [0x%x]", t->mbar);
	if (takes & VSM_TAKES_OFFSETS)
		put_offsets(text, insn);
	if (insn->mods & spelling->mods & DRM_VSM_MOD_MULTICAST)
		vsm_text_put(text, ", 0x%x", t->mask);
}

static void put_store(struct vsm_text *text, const struct drm_vsm_store_operands *s)
{
	vsm_text_put(text, " [0x%x], ", s->addr);
	put_value(text, s);
	vsm_text_put(text, ", [0x%x]", s->mbar);
}

static void put_operands(struct vsm_text *text, const struct drm_vsm_insn *insn,
			 const struct spelling *spelling)
{
	uint32_t takes = operands[insn->op].takes;

	if (takes & VSM_TAKES_COPY)
		put_copy(text, insn, spelling);
	else if (takes & VSM_TAKES_TENSOR)
		put_tensor_copy(text, insn, spelling);
	else if (takes & VSM_TAKES_STORE)
		put_store(text, &insn->u.store);
	else if (takes & VSM_TAKES_WARP)
		put_warp(text, insn);
	else if (takes & VSM_TAKES_BARRIER)
		put_barrier(text, insn);
	else
		put_mbarrier(text, insn, spelling);
}

int vsm_insn_describe(const struct drm_vsm_insn *insn, char *text, size_t size)
{
	const struct spelling *spelling = find_spelling(insn);
	struct vsm_text out;

	vsm_text_begin(&out, text, size);
	if (spelling) {
		put_head(&out, insn, spelling);
		put_operands(&out, insn, spelling);
	} else {
		vsm_text_put(&out, "op %u", insn->op);
	}
	return (int)out.length;
}
