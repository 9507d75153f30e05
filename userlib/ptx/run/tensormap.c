// SPDX-License-Identifier: MIT
/*
 * Executes tensormap.replace and tensormap.cp_fenceproxy.
 */
#include <string.h>

#include "run/address.h"
#include "run/fault.h"
#include "run/state.h"
#include "run/tensormap.h"

#define MAX_RANK 5

static uint8_t *map_of(struct ptx_warp *warp, struct ptx_group *group,
		       const struct ptx_access *access, uint32_t lane, bool write)
{
	uint64_t address = 0, offset = access->offset;

	if (access->address != PTX_NO_ROW)
		address = ptx_row(&group->frame->regs, access->address)[lane];
	if (access->framed)
		offset += group->frame->local_base;
	address = ptx_add_offset(access->space, address, offset);
	if (address % 128) {
		ptx_fail(warp, group, lane, "the tensor map at 0x%llx is not at a multiple of 128",
			 (unsigned long long)address);
		return NULL;
	}
	return ptx_resolve(warp, group, lane, access->space, address,
			   sizeof(struct drm_vsm_tensor_map), write);
}

/* PTX numbers the types as CUtensorMapDataType does, except for these. */
static uint8_t type_of(uint64_t value)
{
	static const uint8_t types[] = {
		[8] = DRM_VSM_TENSOR_FLOAT32_FTZ,
		[9] = DRM_VSM_TENSOR_FLOAT64,
		[10] = DRM_VSM_TENSOR_BFLOAT16,
	};

	return value >= 8 && value <= 10 ? types[value] : value;
}

/* An address in no allocation is in buffer 0, which does not exist: a copy must not use it. */
static void set_address(const struct ptx_warp *warp, uint64_t address,
			struct drm_vsm_tensor_map *map)
{
	const struct ptx_allocation *at = ptx_memory_find(ptx_launch_of(warp)->memory, address);

	map->buffer = at ? at->handle : 0;
	map->offset = at ? address - at->address : address;
}

bool ptx_fail_map(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		  uint64_t address)
{
	struct drm_vsm_tensor_map map;

	/* Look at a copy, which does not change. */
	memcpy(&map, (const void *)(uintptr_t)address, sizeof(map));
	if (map.buffer)
		return false;
	ptx_fail(warp, group, lane,
		 "the tensor begins at 0x%llx, which is in no allocation: tensormap.replace has written this address into its map",
		 (unsigned long long)map.offset);
	return true;
}

bool ptx_may_write_map(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		       uint64_t address)
{
	const struct ptx_allocation *at;
	struct drm_vsm_tensor_map map;

	/* Look at a copy, which does not change. */
	memcpy(&map, (const void *)(uintptr_t)address, sizeof(map));
	at = ptx_memory_read_only(ptx_launch_of(warp)->memory, map.buffer);
	return !at || ptx_fail_read_only(warp, group, lane, at);
}

/* The device checks the map when a copy uses it, and names what is wrong. */
static bool set_field(struct ptx_warp *warp, struct ptx_group *group, uint32_t lane,
		      const struct ptx_step *step, uint64_t value, uint32_t ord,
		      struct drm_vsm_tensor_map *map)
{
	if (ord >= MAX_RANK || (step->imm == REPLACE_STRIDE && ord >= MAX_RANK - 1)) {
		ptx_fail(warp, group, lane, "a tensor map has no dimension %u", ord);
		return false;
	}
	switch (step->imm) {
	case REPLACE_ADDRESS:
		set_address(warp, value, map);
		break;
	case REPLACE_RANK:
		map->rank = value + 1;
		break;
	case REPLACE_BOX:
		map->box[ord] = value;
		break;
	case REPLACE_SIZE:
		map->size[ord] = (uint32_t)value;
		break;
	case REPLACE_STRIDE:
		map->stride[ord] = value;
		break;
	case REPLACE_ELEMENT_STRIDE:
		map->element_stride[ord] = value;
		break;
	case REPLACE_TYPE:
		map->type = type_of(value);
		break;
	case REPLACE_INTERLEAVE:
		map->interleave = value;
		break;
	case REPLACE_SWIZZLE:
		map->swizzle = value;
		break;
	default: /* REPLACE_FILL */
		map->fill = value;
		break;
	}
	return true;
}

bool ptx_replace(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		 uint32_t mask)
{
	const struct ptx_regs *regs = &group->frame->regs;

	for (; mask; mask &= mask - 1) {
		uint32_t lane = __builtin_ctz(mask), ord = 0;
		uint8_t *host = map_of(warp, group, step->extra, lane, true);
		struct drm_vsm_tensor_map map;

		if (!host)
			return false;
		if (step->src[1] != PTX_NO_ROW)
			ord = ptx_row(regs, step->src[1])[lane];
		memcpy(&map, host, sizeof(map));
		if (!set_field(warp, group, lane, step, ptx_row(regs, step->src[0])[lane], ord,
			       &map))
			return false;
		memcpy(host, &map, sizeof(map));
	}
	return true;
}

/* All lanes copy the same map: once is enough. */
bool ptx_copy_map(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		  uint32_t mask)
{
	const struct ptx_access *access = step->extra;
	uint32_t lane = __builtin_ctz(mask);
	uint8_t *from = map_of(warp, group, &access[1], lane, false), *to;

	if (!from)
		return false;
	to = map_of(warp, group, &access[0], lane, true);
	if (!to)
		return false;
	memcpy(to, from, sizeof(struct drm_vsm_tensor_map));
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return true;
}

uint64_t ptx_tensor_bytes(uint64_t address)
{
	struct drm_vsm_tensor_map map;
	unsigned int d;

	/* Look at a copy, which does not change. */
	memcpy(&map, (const void *)(uintptr_t)address, sizeof(map));
	if (!map.rank || map.rank > 5 || map.type > DRM_VSM_TENSOR_TFLOAT32_FTZ)
		return 0;
	for (d = 0; d < map.rank; d++)
		if (!map.element_stride[d])
			return 0;
	return vsm_tensor_map_bytes(&map);
}
