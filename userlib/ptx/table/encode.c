// SPDX-License-Identifier: MIT
/*
 * What the operands of an instruction are, and where the device's instruction has them.
 */
#include <stddef.h>
#include <string.h>

#include "table/encode.h"
#include "text/macros.h"

/* --- operands --------------------------------------------------------------------- */

const char *ptx_required_by(const struct ptx_opcode *opcode, uint8_t role, bool *given)
{
	switch (role) {
	case PTX_POLICY:
		*given = opcode->given & BIT(PTX_CACHE_HINT);
		return ".L2::cache_hint";
	case PTX_CTA_MASK:
		*given = opcode->given & BIT(PTX_MULTICAST);
		return ".multicast::cluster";
	case PTX_BYTE_MASK:
		*given = opcode->given & BIT(PTX_CP_MASK);
		return ".cp_mask";
	case PTX_OFFSET:
		*given = opcode->quals[PTX_MODE] == PTX_MODE_IM2COL;
		return ".im2col";
	default:
		return NULL;
	}
}

int ptx_assign_roles(const struct ptx_opcode *opcode, unsigned int count,
		     uint8_t assigned[PTX_OPERANDS])
{
	const struct ptx_op *op = opcode->op;
	unsigned int wanted = 0, optional = 0;
	unsigned int i;

	for (i = 0; i < PTX_OPERANDS && op->roles[i]; i++) {
		bool given = false;

		if (ptx_required_by(opcode, op->roles[i], &given) ? given : i < op->needs)
			assigned[wanted++] = op->roles[i];
		else if (!ptx_required_by(opcode, op->roles[i], &given))
			optional = 1;
	}
	if (count < wanted || count > wanted + optional)
		return (int)count - (int)(count < wanted ? wanted : wanted + optional);
	if (count == wanted)
		return 0;
	/* The instruction has the optional operand, behind those that all instructions have. */
	memmove(assigned + op->needs + 1, assigned + op->needs, wanted - op->needs);
	assigned[op->needs] = op->roles[op->needs];
	/* Exception: the optional count of barrier.red is before the predicate. */
	if (assigned[op->needs] == PTX_THREADS && assigned[op->needs - 1] == PTX_PREDICATE) {
		assigned[op->needs - 1] = PTX_THREADS;
		assigned[op->needs] = PTX_PREDICATE;
	}
	return 0;
}

/* --- modifiers -------------------------------------------------------------------- */

uint16_t ptx_opcode_mods(const struct ptx_opcode *opcode)
{
	uint16_t mods = opcode->op->mods;

	if (opcode->given & BIT(PTX_MULTICAST))
		mods |= DRM_VSM_MOD_MULTICAST;
	if (opcode->given & BIT(PTX_CP_MASK))
		mods |= DRM_VSM_MOD_CP_MASK;
	if (opcode->given & BIT(PTX_ALIGNED))
		mods |= DRM_VSM_MOD_ALIGNED;
	if (opcode->quals[PTX_MODE] != PTX_MODE_TILE)
		mods |= DRM_VSM_MOD_IM2COL;
	return mods;
}

uint16_t ptx_role_mod(unsigned int op, uint8_t role)
{
	switch (role) {
	case PTX_HINT:
		return DRM_VSM_MOD_HINT;
	case PTX_SRC_SIZE:
		return DRM_VSM_MOD_SRC_SIZE;
	case PTX_THREADS:
		return DRM_VSM_MOD_COUNT;
	case PTX_COUNT:
		return op == DRM_VSM_OP_MBARRIER_INIT ? 0 : DRM_VSM_MOD_COUNT;
	default:
		return 0;
	}
}

/* --- the device's instruction ----------------------------------------------------- */

/* The traits of each operation, and the operands of all its forms together. */
#define VSM_OP(NAME, sems, traits) \
	[DRM_VSM_OP_##NAME] = { (traits), 0
#define VSM_FORM(mods, takes) | (takes)
#define VSM_OP_END },
static const struct { uint32_t traits, takes; } ops[] = {
#include "vsm_ops.h"
};

uint32_t ptx_op_traits(unsigned int op)
{
	return ops[op].traits;
}

bool ptx_op_stores(unsigned int op)
{
	return ops[op].takes & VSM_TAKES_STORE;
}

static unsigned int device_type(unsigned int type)
{
	static const uint8_t types[] = {
		[PTX_B32] = DRM_VSM_TYPE_B32,
		[PTX_U32] = DRM_VSM_TYPE_U32,
		[PTX_S32] = DRM_VSM_TYPE_S32,
		[PTX_B64] = DRM_VSM_TYPE_B64,
		[PTX_U64] = DRM_VSM_TYPE_U64,
		[PTX_S64] = DRM_VSM_TYPE_S64,
		[PTX_F16] = DRM_VSM_TYPE_F16,
		[PTX_F32] = DRM_VSM_TYPE_F32,
		[PTX_F64] = DRM_VSM_TYPE_F64,
		[PTX_BF16] = DRM_VSM_TYPE_BF16,
	};

	return types[type];
}

/*
 * Returns the field red, which has the reduction, the mode and the type. Each kind of operation
 * encodes them in its own way.
 */
static unsigned int device_red(const struct ptx_opcode *opcode)
{
	const struct ptx_op *op = opcode->op;
	unsigned int type = device_type(opcode->quals[PTX_TYPE]);

	if (op->dims)
		return DRM_VSM_RED_DIMS(opcode->quals[PTX_REDUCTION], op->dims);
	if (op->op == DRM_VSM_OP_MATCH_SYNC)
		return DRM_VSM_MODE(op->mode, type);
	if (op->mode)
		return op->mode;
	if (op->op == DRM_VSM_OP_BARRIER_RED)
		return opcode->quals[PTX_REDUCTION];
	return op->types ? DRM_VSM_RED(opcode->quals[PTX_REDUCTION], type) : 0;
}

void ptx_encode_opcode(const struct ptx_opcode *opcode, struct drm_vsm_insn *insn)
{
	insn->op = opcode->op->op;
	insn->space = opcode->quals[PTX_SPACE];
	/* st.async and red.async have only one order: their fields sem and scope must be 0. */
	if (!ptx_op_stores(insn->op)) {
		insn->sem = opcode->quals[PTX_SEM];
		insn->scope = opcode->quals[PTX_SCOPE];
	}
	insn->red = device_red(opcode);
}

#define FIELD(member) \
	{ offsetof(struct drm_vsm_insn, u.member), \
	  sizeof(((struct drm_vsm_insn *)0)->u.member) }

/* The field of an operand, for the structure of operands that the operation takes. */
static const struct {
	uint32_t takes;
	uint8_t role;
	struct ptx_field field;
} fields[] = {
	{ VSM_TAKES_COPY, PTX_SHARED, FIELD(copy.addr) },
	{ VSM_TAKES_COPY, PTX_SOURCE, FIELD(copy.src) },
	{ VSM_TAKES_COPY, PTX_MBAR, FIELD(copy.mbar) },
	{ VSM_TAKES_COPY, PTX_GLOBAL, FIELD(copy.offset) },
	{ VSM_TAKES_COPY, PTX_SIZE, FIELD(copy.size) },
	{ VSM_TAKES_COPY, PTX_CP_SIZE, FIELD(copy.size) },
	{ VSM_TAKES_COPY, PTX_SRC_SIZE, FIELD(copy.src_size) },
	{ VSM_TAKES_COPY, PTX_CTA_MASK, FIELD(copy.mask) },
	{ VSM_TAKES_COPY, PTX_BYTE_MASK, FIELD(copy.mask) },
	{ VSM_TAKES_TENSOR, PTX_SHARED, FIELD(tensor.addr) },
	{ VSM_TAKES_TENSOR, PTX_MBAR, FIELD(tensor.mbar) },
	{ VSM_TAKES_TENSOR, PTX_MAP, FIELD(tensor.map) },
	{ VSM_TAKES_TENSOR, PTX_COORD, FIELD(tensor.coords[0]) },
	{ VSM_TAKES_TENSOR, PTX_OFFSET, FIELD(tensor.offsets) },
	{ VSM_TAKES_TENSOR, PTX_CTA_MASK, FIELD(tensor.mask) },
	{ VSM_TAKES_STORE, PTX_SHARED, FIELD(store.addr) },
	{ VSM_TAKES_STORE, PTX_MBAR, FIELD(store.mbar) },
	{ VSM_TAKES_STORE, PTX_VALUE, FIELD(store.value) },
	{ VSM_TAKES_WARP, PTX_VALUE, FIELD(warp.a) },
	{ VSM_TAKES_WARP, PTX_VOTE, FIELD(warp.a) },
	{ VSM_TAKES_WARP, PTX_LANE, FIELD(warp.b) },
	{ VSM_TAKES_WARP, PTX_CLAMP, FIELD(warp.c) },
	{ VSM_TAKES_WARP, PTX_MEMBERMASK, FIELD(warp.membermask) },
	{ VSM_TAKES_BARRIER, PTX_BARRIER, FIELD(barrier.barrier) },
	{ VSM_TAKES_BARRIER, PTX_THREADS, FIELD(barrier.count) },
	{ VSM_TAKES_BARRIER, PTX_PREDICATE, FIELD(barrier.pred) },
	{ 0, PTX_SHARED, FIELD(mbarrier.addr) },
	{ 0, PTX_COUNT, FIELD(mbarrier.count) },
	{ 0, PTX_IN_FLIGHT, FIELD(mbarrier.count) },
	{ 0, PTX_TX_COUNT, FIELD(mbarrier.tx_count) },
	{ 0, PTX_STATE, FIELD(mbarrier.state) },
	{ 0, PTX_PARITY, FIELD(mbarrier.parity) },
	{ 0, PTX_HINT, FIELD(mbarrier.hint_ns) },
};

#define STRUCTURES	(VSM_TAKES_COPY | VSM_TAKES_TENSOR | VSM_TAKES_STORE | VSM_TAKES_WARP | \
			 VSM_TAKES_BARRIER)

struct ptx_field ptx_field_of(unsigned int op, uint8_t role)
{
	uint32_t takes = ops[op].takes & STRUCTURES;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].takes == takes && fields[i].role == role)
			return fields[i].field;
	return (struct ptx_field){ };
}
