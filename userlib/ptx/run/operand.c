// SPDX-License-Identifier: MIT
/*
 * Makes the instructions of a step for the device: one for each lane, with the values of its
 * operands.
 */
#include <string.h>

#include "run/address.h"
#include "run/fault.h"
#include "run/operand.h"
#include "run/state.h"
#include "run/tensormap.h"
#include "vsm_ops.h"
#include "vsm_syntax.h"

bool ptx_device_is_async(const struct drm_vsm_insn *insn)
{
	return ptx_op_traits(insn->op) & VSM_OP_ASYNC;
}

static void set_field(struct drm_vsm_insn *insn, const struct ptx_binding *binding,
		      uint64_t value)
{
	memcpy((char *)insn + binding->field, &value, binding->size);
}

static uint64_t address_of(const struct ptx_group *group, const struct ptx_binding *binding,
			   uint32_t lane)
{
	uint64_t base = 0, offset = binding->offset;

	if (binding->row != PTX_NO_ROW)
		base = ptx_row(&group->frame->regs, binding->row)[lane];
	if (binding->framed)
		offset += group->frame->local_base;
	return ptx_add_offset(binding->space, base, offset);
}

/* The device gets a cluster shared address, and says itself if it is outside the window. */
static bool set_shared(struct ptx_warp *warp, const struct ptx_group *group,
		       const struct ptx_binding *binding, uint32_t lane,
		       struct drm_vsm_insn *insn)
{
	uint64_t generic = ptx_generic(warp, binding->space, address_of(group, binding, lane));

	if (ptx_space_of(generic) != SPACE_SHARED) {
		ptx_fail(warp, group, lane, "0x%llx is no address in shared memory",
			 (unsigned long long)generic);
		return false;
	}
	set_field(insn, binding, generic - PTX_SHARED_BASE);
	return ptx_window_lives(warp, group, lane, ptx_rank_of(generic - PTX_SHARED_BASE));
}

/* The bytes of global memory that a copy accesses. */
static uint64_t global_bytes(const struct drm_vsm_insn *insn)
{
	return insn->mods & DRM_VSM_MOD_SRC_SIZE ? insn->u.copy.src_size : insn->u.copy.size;
}

/* All other operands have been set. */
static bool set_global(struct ptx_warp *warp, const struct ptx_group *group,
		       const struct ptx_binding *binding, uint32_t lane,
		       struct drm_vsm_insn *insn)
{
	bool write = ptx_op_traits(insn->op) & VSM_OP_TO_BUFFER;
	uint64_t bytes = global_bytes(insn), address = address_of(group, binding, lane);
	const struct ptx_memory *memory = ptx_launch_of(warp)->memory;
	const struct ptx_allocation *at = warp->last;

	if (!at || address - at->address >= at->size)
		at = ptx_memory_find(memory, address);
	/* A copy that reads nothing may have any address. */
	if (!at && !bytes && memory->count) {
		at = &memory->items[0];
		address = at->address;
	}
	if (!at || (write && at->read_only)) {
		if (ptx_resolve(warp, group, lane, SPACE_GLOBAL, address, bytes, write))
			ptx_fail(warp, group, lane, "0x%llx is no address in global memory",
				 (unsigned long long)address);
		return false;
	}
	warp->last = at;
	/* The device checks the size, and names the fault of a copy that is too long. */
	insn->u.copy.buffer = at->handle;
	set_field(insn, binding, address - at->address);
	return true;
}

static bool set_map(struct ptx_warp *warp, const struct ptx_group *group,
		    const struct ptx_binding *binding, uint32_t lane, struct drm_vsm_insn *insn)
{
	uint64_t address = address_of(group, binding, lane);
	uint8_t *host;

	if (address % 64) {
		ptx_fail(warp, group, lane, "the tensor map at 0x%llx is not at a multiple of 64",
			 (unsigned long long)address);
		return false;
	}
	host = ptx_resolve(warp, group, lane, SPACE_GENERIC, address,
			   sizeof(struct drm_vsm_tensor_map), false);
	if (!host)
		return false;
	set_field(insn, binding, (uintptr_t)host);
	return !(ptx_op_traits(insn->op) & VSM_OP_TO_BUFFER) ||
	       ptx_may_write_map(warp, group, lane, (uintptr_t)host);
}

static bool set_operand(struct ptx_warp *warp, const struct ptx_group *group,
			const struct ptx_binding *binding, uint32_t lane,
			struct drm_vsm_insn *insn)
{
	const struct ptx_regs *regs = &group->frame->regs;
	uint64_t value;

	switch (binding->kind) {
	case BIND_SHARED:
		return set_shared(warp, group, binding, lane, insn);
	case BIND_GLOBAL:
		return set_global(warp, group, binding, lane, insn);
	case BIND_MAP:
		return set_map(warp, group, binding, lane, insn);
	case BIND_PRED:
		set_field(insn, binding, ptx_pred(regs, binding->row) >> lane & 1);
		return true;
	case BIND_IGNORE_SRC:
		value = ptx_pred(regs, binding->row) >> lane & 1;
		set_field(insn, binding, value ? 0 : insn->u.copy.size);
		return true;
	case BIND_BITS:
		value = ptx_row(regs, binding->row)[lane] & ((1ULL << binding->bits) - 1);
		insn->u.tensor.offsets |= value << binding->shift;
		return true;
	default: /* BIND_VALUE */
		set_field(insn, binding, ptx_row(regs, binding->row)[lane]);
		return true;
	}
}

bool ptx_device_encode(struct ptx_warp *warp, const struct ptx_group *group,
		       const struct ptx_device_op *op, uint32_t mask, struct drm_vsm_insn *insns)
{
	while (mask) {
		uint32_t lane = __builtin_ctz(mask);
		unsigned int i;

		*insns = op->insn;
		for (i = 0; i < op->count; i++)
			if (!set_operand(warp, group, &op->bindings[i], lane, insns))
				return false;
		insns++;
		mask &= mask - 1;
	}
	return true;
}
