// SPDX-License-Identifier: MIT
/*
 * Addresses: finds the memory behind them, and says what is wrong with those that lead nowhere.
 * Executes the steps that only need that.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_map.h"
#include "run/address.h"
#include "run/group.h"
#include "run/heap.h"
#include "run/state.h"

/* --- addresses ------------------------------------------------------------ */

#define WINDOW_END	(1ULL << 32)

uint64_t ptx_generic(const struct ptx_warp *warp, enum ptx_space space, uint64_t address)
{
	switch (space) {
	case SPACE_SHARED:
		/* An address without a rank is in the window of the own CTA. */
		if (!(address >> PTX_RANK_SHIFT))
			address |= (uint64_t)warp->cta->rank << PTX_RANK_SHIFT;
		return PTX_SHARED_BASE + address;
	case SPACE_SHARED_CLUSTER:
		return PTX_SHARED_BASE + address;
	case SPACE_LOCAL:
		return PTX_LOCAL_BASE + address;
	case SPACE_PARAM:
		return PTX_PARAM_BASE + address;
	default:
		return address;
	}
}

enum ptx_space ptx_space_of(uint64_t generic)
{
	if (generic >= PTX_GLOBAL_BASE)
		return SPACE_GLOBAL;
	switch (generic >> 32) {
	case PTX_SHARED_BASE >> 32:
		return SPACE_SHARED;
	case PTX_LOCAL_BASE >> 32:
		return SPACE_LOCAL;
	case PTX_PARAM_BASE >> 32:
		return SPACE_PARAM;
	default:
		return SPACE_GENERIC;
	}
}

/* --- messages ----------------------------------------------------------------------- */

static void describe_allocation(const struct ptx_allocation *allocation, uint64_t address,
				char *text, size_t size)
{
	uint64_t end = allocation->address + allocation->size;
	const char *name = allocation->name ? allocation->name : "an allocation";

	if (address >= end)
		snprintf(text, size, "%llu bytes behind the end of %s of %llu bytes at 0x%llx",
			 (unsigned long long)(address - end), name,
			 (unsigned long long)allocation->size,
			 (unsigned long long)allocation->address);
	else if (address < allocation->address)
		snprintf(text, size, "%llu bytes before %s of %llu bytes at 0x%llx",
			 (unsigned long long)(allocation->address - address), name,
			 (unsigned long long)allocation->size,
			 (unsigned long long)allocation->address);
	else
		snprintf(text, size, "it reaches over the end of %s of %llu bytes at 0x%llx", name,
			 (unsigned long long)allocation->size,
			 (unsigned long long)allocation->address);
}

static uint8_t *fail_global(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
			    uint64_t address, uint64_t size, bool write)
{
	const struct ptx_memory *memory = ptx_launch_of(warp)->memory;
	const struct ptx_allocation *nearest = ptx_memory_nearest(memory, address);
	char place[200] = "there is no allocation";

	if (nearest)
		describe_allocation(nearest, address, place, sizeof(place));
	ptx_fail(warp, group, lane, "%s of %llu bytes at 0x%llx, which is in no allocation: %s",
		 write ? "write" : "read", (unsigned long long)size, (unsigned long long)address,
		 place);
	return NULL;
}

static bool is_local(const struct ptx_variable *var)
{
	return var->space == SPACE_LOCAL || var->space == SPACE_PARAM;
}

/* Is the first variable, which may be NULL, before the second one? */
static bool is_before(const struct ptx_variable *a, const struct ptx_variable *b)
{
	return !a || a->address + a->size <= b->address + b->size;
}

/* The variable with the highest address in the local memory of a frame; NULL if there is none. */
static const struct ptx_variable *last_local(const struct ptx_frame *frame)
{
	const struct ptx_function *function = frame->body->function;
	const struct ptx_variable *last = NULL;
	unsigned int i;

	/* The parameters of a kernel are not in local memory. */
	for (i = 0; !function->entry && i < function->param_count; i++)
		if (is_local(&function->params[i]) && is_before(last, &function->params[i]))
			last = &function->params[i];
	for (i = 0; i < function->return_count; i++)
		if (is_local(&function->returns[i]) && is_before(last, &function->returns[i]))
			last = &function->returns[i];
	for (i = 0; i < function->local_count; i++)
		if (is_local(function->locals[i]) && is_before(last, function->locals[i]))
			last = function->locals[i];
	return last;
}

/* Behind the end of the frame, the last variable of the stack is the nearest one. */
static uint8_t *fail_local(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
			   uint64_t address, uint64_t size, uint64_t limit, bool write)
{
	const struct ptx_frame *frame = group->frame;
	const struct ptx_variable *var = last_local(frame);
	char place[200] = "no variable is there";

	while (!var && frame->parent) {
		frame = frame->parent;
		var = last_local(frame);
	}
	if (var)
		describe_allocation(&(struct ptx_allocation){
			.address = frame->local_base + var->address, .size = var->size,
			.name = var->name,
		}, address, place, sizeof(place));
	ptx_fail(warp, group, lane,
		 "%s of %llu bytes at 0x%llx of local memory, which has %llu bytes: %s",
		 write ? "write" : "read", (unsigned long long)size, (unsigned long long)address,
		 (unsigned long long)limit, place);
	return NULL;
}

static uint8_t *fail_window(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
			    const char *what, uint64_t address, uint64_t size, uint64_t limit,
			    bool write)
{
	ptx_fail(warp, group, lane, "%s of %llu bytes at 0x%llx of %s, which has %llu bytes",
		 write ? "write" : "read", (unsigned long long)size, (unsigned long long)address,
		 what, (unsigned long long)limit);
	return NULL;
}

/* --- spaces ------------------------------------------------------------------------- */

/*
 * The address that @span begins with is at @offset of a piece of memory of @bytes. Makes @span all
 * of that piece.
 */
static uint8_t *found(struct ptx_span *span, uint64_t offset, uint64_t bytes, uint8_t *host)
{
	span->first -= offset;
	span->bytes = bytes;
	span->host = host;
	return host + offset;
}

bool ptx_window_lives(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		      uint32_t rank)
{
	const struct ptx_cta *ctas = warp->cta->cluster->ctas;

	if (rank >= ptx_launch_of(warp)->cluster_ctas || ctas[rank].live)
		return true;
	ptx_fail_gone(warp, group, lane, rank);
	return false;
}

/* --- valid mbarriers ---------------------------------------------------------------- */

uint32_t ptx_valid_words(const struct vsm_ptx_launch *launch)
{
	return launch->window_bytes / 512 + 1;
}

static bool is_valid(const struct ptx_valid *valid, uint32_t word)
{
	return valid->words[word / 64] >> word % 64 & 1;
}

void ptx_valid_set(struct ptx_cluster *cluster, uint32_t address, bool value)
{
	struct ptx_valid *valid = &cluster->ctas[ptx_rank_of(address)].valid;
	uint32_t word = ptx_offset_of(address) / 8;

	if (!valid->words || ptx_offset_of(address) >= cluster->launch->window_bytes)
		return;
	valid->words[word / 64] &= ~(1ULL << word % 64);
	valid->words[word / 64] |= (uint64_t)value << word % 64;
	valid->first = 0;
	valid->end = 0;
}

/* Makes the range as large as possible that contains the words from @first up to @end. */
static void find_range(const struct vsm_ptx_launch *launch, struct ptx_valid *valid,
		       uint32_t first, uint32_t end)
{
	uint32_t words = ptx_valid_words(launch) * 64;

	while (first && !is_valid(valid, first - 1))
		first -= first % 64 == 0 && !valid->words[first / 64 - 1] ? 64 : 1;
	while (end < words && !is_valid(valid, end))
		end += end % 64 == 0 && !valid->words[end / 64] ? 64 : 1;
	valid->first = 8 * first;
	valid->end = 8 * end < launch->window_bytes ? 8 * end : launch->window_bytes;
}

/*
 * Finds a range of the window that contains @size bytes at @offset and no valid mbarrier: sets it
 * in @valid and returns -1. If an mbarrier is there, returns its offset.
 */
static int64_t find_valid(const struct vsm_ptx_launch *launch, struct ptx_valid *valid,
			  uint32_t offset, uint32_t size)
{
	uint32_t first = offset / 8, end = (offset + size + 7) / 8, i;

	for (i = first; i < end; i++)
		if (is_valid(valid, i))
			return 8 * i;
	find_range(launch, valid, first, end);
	return -1;
}

/*
 * The memory of the window at @offset, unless a valid mbarrier is there. @span gets the addresses
 * around it.
 */
static uint8_t *find_data(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
			  uint32_t rank, uint32_t offset, uint64_t size, struct ptx_span *span)
{
	struct ptx_cta *cta = &warp->cta->cluster->ctas[rank];
	struct ptx_valid *valid = &cta->valid;
	int64_t mbarrier = -1;

	if (!valid->words)
		return found(span, offset, ptx_launch_of(warp)->window_bytes, cta->window);
	/* Mostly the range that was found last has the address. */
	if (offset < valid->first || offset + size > valid->end)
		mbarrier = find_valid(ptx_launch_of(warp), valid, offset, size);
	if (mbarrier < 0)
		return found(span, offset - valid->first, valid->end - valid->first,
			     cta->window + valid->first);
	ptx_fail_device(warp, group, lane, -EPROTO, &(struct drm_vsm_insn){
		.fault = DRM_VSM_FAULT_PLAIN_ACCESS, .info = vsm_mapa(mbarrier, rank),
	});
	return NULL;
}

static uint8_t *resolve_shared(struct ptx_warp *warp, const struct ptx_group *group,
			       uint32_t lane, uint32_t address, uint64_t size, bool write,
			       struct ptx_span *span)
{
	const struct vsm_ptx_launch *launch = ptx_launch_of(warp);
	uint32_t rank = ptx_rank_of(address), offset = ptx_offset_of(address);
	char what[48];

	if (rank >= launch->cluster_ctas) {
		ptx_fail(warp, group, lane,
			 "%s at 0x%x of shared memory: there is no CTA %u in the cluster",
			 write ? "write" : "read", address, rank);
		return NULL;
	}
	if (!ptx_window_lives(warp, group, lane, rank))
		return NULL;
	if (offset < launch->window_bytes && size <= launch->window_bytes - offset)
		return find_data(warp, group, lane, rank, offset, size, span);
	snprintf(what, sizeof(what), "the shared memory of CTA %u", rank);
	if (ptx_lacks_smem(launch)) {
		ptx_fail(warp, group, lane, "%s of %llu bytes at 0x%x of %s: %s",
			 write ? "write" : "read", (unsigned long long)size, offset, what,
			 PTX_LACKS_SMEM);
		return NULL;
	}
	return fail_window(warp, group, lane, what, offset, size, launch->window_bytes, write);
}

/* Records the fault that a kernel writes to constant memory. Returns false. */
static bool ptx_fail_read_only(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
			       const struct ptx_allocation *allocation)
{
	ptx_fail(warp, group, lane, "write to %s, which is in constant memory",
		 allocation->name ? allocation->name : "constant memory");
	return false;
}

static uint8_t *resolve_global(struct ptx_warp *warp, const struct ptx_group *group,
			       uint32_t lane, uint64_t address, uint64_t size, bool write,
			       struct ptx_span *span)
{
	const struct ptx_allocation *last = warp->last;

	if (!last || address - last->address >= last->size) {
		last = ptx_memory_find(ptx_launch_of(warp)->memory, address);
		if (!last)
			return fail_global(warp, group, lane, address, size, write);
		warp->last = last;
	}
	if (size > last->size - (address - last->address))
		return fail_global(warp, group, lane, address, size, write);
	if (write && last->read_only && !ptx_fail_read_only(warp, group, lane, last))
		return NULL;
	return found(span, address - last->address, last->size, last->host);
}

/* The local memory of a lane ends with the frame: behind it is only what functions have left. */
static uint8_t *resolve_local(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
			      uint64_t address, uint64_t size, bool write,
			      struct ptx_span *span)
{
	uint64_t limit = group->frame->local_base + group->frame->body->local_end;

	if (address < limit && size <= limit - address) {
		span->pitch = warp->local_bytes;
		return found(span, address, limit, warp->local) + lane * warp->local_bytes;
	}
	return fail_local(warp, group, lane, address, size, limit, write);
}

/* Is the address in the state space of the instruction? Fails if it is not. */
static bool in_space(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		     enum ptx_space space, uint64_t address)
{
	static const char *const names[] = {
		[SPACE_SHARED] = "shared memory",
		[SPACE_LOCAL] = "local memory",
		[SPACE_PARAM] = "the parameters",
	};
	enum ptx_space found = ptx_space_of(address);

	switch (space) {
	case SPACE_GLOBAL:
	case SPACE_CONST:
		if (found != SPACE_SHARED && found != SPACE_LOCAL && found != SPACE_PARAM)
			return true;
		ptx_fail(warp, group, lane, "0x%llx is in %s, and not in %s",
			 (unsigned long long)address, names[found],
			 space == SPACE_GLOBAL ? ".global" : ".const");
		return false;
	case SPACE_SHARED:
	case SPACE_SHARED_CLUSTER:
	case SPACE_LOCAL:
	case SPACE_PARAM:
		if (address >= WINDOW_END) {
			ptx_fail(warp, group, lane, "0x%llx is no address in %s",
				 (unsigned long long)address,
				 names[space == SPACE_SHARED_CLUSTER ? SPACE_SHARED : space]);
			return false;
		}
		if (space != SPACE_SHARED || !ptx_rank_of(address) ||
		    ptx_rank_of(address) == warp->cta->rank)
			return true;
		ptx_fail(warp, group, lane,
			 "0x%llx is in the window of another CTA, and not in .shared::cta",
			 (unsigned long long)address);
		return false;
	default:
		return true;
	}
}

uint8_t *ptx_resolve_span(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
			  enum ptx_space space, uint64_t address, uint64_t size, bool write,
			  struct ptx_span *span)
{
	const struct vsm_ptx_launch *launch = ptx_launch_of(warp);
	uint64_t generic = ptx_generic(warp, space, address);

	*span = (struct ptx_span){ .first = address };
	if (!in_space(warp, group, lane, space, address))
		return NULL;
	switch (ptx_space_of(generic)) {
	case SPACE_SHARED:
		return resolve_shared(warp, group, lane, generic, size, write, span);
	case SPACE_LOCAL:
		return resolve_local(warp, group, lane, generic - PTX_LOCAL_BASE, size, write,
				     span);
	case SPACE_PARAM:
		address = generic - PTX_PARAM_BASE;
		if (write) {
			ptx_fail(warp, group, lane, "write to a parameter of the kernel");
			return NULL;
		}
		if (address < launch->param_bytes && size <= launch->param_bytes - address)
			return found(span, address, launch->param_bytes, launch->params);
		return fail_window(warp, group, lane, "the parameters", address, size,
				   launch->param_bytes, write);
	case SPACE_GLOBAL:
		return resolve_global(warp, group, lane, generic, size, write, span);
	default:
		return fail_global(warp, group, lane, generic, size, write);
	}
}

uint8_t *ptx_resolve(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		     enum ptx_space space, uint64_t address, uint64_t size, bool write)
{
	struct ptx_span span;

	return ptx_resolve_span(warp, group, lane, space, address, size, write, &span);
}

/* --- conversions ---------------------------------------------------------- */

/* The address in the window of another CTA. @a may be in any window of the cluster. */
static uint32_t mapped(uint32_t a, uint32_t rank)
{
	/* A rank that does not exist stays one, so that an access with the address is a fault. */
	return (rank < 0x100 ? rank : 0xff) << PTX_RANK_SHIFT | ptx_offset_of(a);
}

static bool map_address(struct ptx_warp *warp, const struct ptx_group *group,
			const struct ptx_step *step, uint32_t mask)
{
	const struct ptx_regs *regs = &group->frame->regs;
	const uint64_t *a = ptx_row(regs, step->src[0]), *rank = ptx_row(regs, step->src[1]);
	uint64_t *d = ptx_row(regs, step->dst);

	PTX_FOR_LANES(lane, mask) {
		uint64_t address = a[lane] - step->imm;

		if (address >> PTX_RANK_SHIFT >= ptx_launch_of(warp)->cluster_ctas) {
			ptx_fail(warp, group, lane,
				 "mapa of 0x%llx, which is no %saddress in the shared memory of the cluster",
				 (unsigned long long)a[lane], step->imm ? "generic " : "");
			return false;
		}
		d[lane] = step->imm + mapped(address, rank[lane]);
	}
	return true;
}

bool ptx_window_convert(struct ptx_warp *warp, struct ptx_group *group,
			const struct ptx_step *step, uint32_t mask)
{
	const struct ptx_regs *regs = &group->frame->regs;
	const uint64_t *a = ptx_row(regs, step->src[0]);
	uint64_t *d;

	if (step->dst == PTX_NO_ROW)
		return true;
	d = ptx_row(regs, step->dst);
	switch (step->kind) {
	case STEP_CVTA:
		PTX_FOR_LANES(lane, mask)
			d[lane] = a[lane] + step->imm;
		return true;
	case STEP_MAPA:
		return map_address(warp, group, step, mask);
	default: /* STEP_GETCTARANK */
		PTX_FOR_LANES(lane, mask)
			d[lane] = ptx_rank_of(a[lane] - step->imm);
		return true;
	}
}

void ptx_window_test(struct ptx_warp *warp, struct ptx_regs *regs, const struct ptx_step *step,
		     uint32_t mask)
{
	const uint64_t *a = ptx_row(regs, step->src[0]);
	uint32_t lanes = 0;

	PTX_FOR_LANES(lane, mask) {
		enum ptx_space space = ptx_space_of(a[lane]);
		bool own = ptx_rank_of(a[lane] - PTX_SHARED_BASE) == warp->cta->rank;
		bool is;

		if (step->imm == SPACE_SHARED_CLUSTER)
			is = space == SPACE_SHARED;
		else if (step->imm == SPACE_SHARED)
			is = space == SPACE_SHARED && own;
		else
			is = space == (enum ptx_space)step->imm;
		lanes |= (uint32_t)is << lane;
	}
	ptx_set_pred(regs, step->dst, mask, lanes);
}

/* --- tensor maps ---------------------------------------------------------- */

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
	return ptx_resolve(warp, group, lane, access->space, address, CUDA_MAP_BYTES, write);
}

bool ptx_map_read(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		  uint64_t address, bool write, struct drm_vsm_tensor_map *map)
{
	const struct ptx_allocation *at;
	uint8_t cuda[CUDA_MAP_BYTES], *host;

	if (address % 64) {
		ptx_fail(warp, group, lane, "the tensor map at 0x%llx is not at a multiple of 64",
			 (unsigned long long)address);
		return false;
	}
	host = ptx_resolve(warp, group, lane, SPACE_GENERIC, address, sizeof(cuda), false);
	if (!host)
		return false;
	/* Read a copy, which does not change. */
	memcpy(cuda, host, sizeof(cuda));
	cuda_map_decode(cuda, map);
	/* A tensor in no allocation is in buffer 0, which does not exist. */
	at = ptx_memory_find(ptx_launch_of(warp)->memory, map->offset);
	if (!at)
		return true;
	map->buffer = at->handle;
	map->offset -= at->address;
	return !write || !at->read_only || ptx_fail_read_only(warp, group, lane, at);
}

bool ptx_fail_map(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		  const struct drm_vsm_tensor_map *map)
{
	if (map->buffer)
		return false;
	ptx_fail(warp, group, lane,
		 "the tensor map says that the tensor begins at 0x%llx, which is in no allocation",
		 (unsigned long long)map->offset);
	return true;
}

/* PTX numbers the types up to bf16 as the field does. tf32 and tf32.ftz come behind them. */
#define PTX_LAST_FORMAT	10

/*
 * Changes the bits that code of NVIDIA's assembler changes. The fields that follow from others stay
 * as they are: ptx_map_read() does not look at them. The device checks the map when a copy uses it,
 * and names what is wrong.
 */
static bool set_field(struct ptx_warp *warp, struct ptx_group *group, uint32_t lane,
		      const struct ptx_step *step, uint64_t value, uint32_t ord, uint8_t *cuda)
{
	if (ord >= VSM_TENSOR_MAX_RANK ||
	    (step->imm == REPLACE_STRIDE && ord + 1 >= VSM_TENSOR_MAX_RANK)) {
		ptx_fail(warp, group, lane, "a tensor map has no dimension %u", ord);
		return false;
	}
	switch (step->imm) {
	case REPLACE_ADDRESS:
		cuda_put(cuda, CUDA_ADDRESS, 0, value);
		break;
	case REPLACE_RANK:
		cuda_put(cuda, CUDA_RANK, 0, value);
		break;
	case REPLACE_BOX:
		cuda_put(cuda, CUDA_BOX, ord, value - 1);
		break;
	case REPLACE_SIZE:
		cuda_put(cuda, CUDA_SIZE, ord, value - 1);
		break;
	case REPLACE_STRIDE:
		cuda_put_stride(cuda, ord, value);
		break;
	case REPLACE_ELEMENT_STRIDE:
		cuda_put(cuda, CUDA_ELEMENT_STRIDE, ord, value - 1);
		break;
	case REPLACE_TYPE:
		/* tf32 and tf32.ftz set the bit TF32. No type clears it. */
		if (value > PTX_LAST_FORMAT)
			cuda_put(cuda, CUDA_TF32, 0, 1);
		cuda_put(cuda, CUDA_FORMAT, 0, value > PTX_LAST_FORMAT ? value - 4 : value);
		break;
	case REPLACE_INTERLEAVE:
		cuda_put(cuda, CUDA_INTERLEAVE, 0, value);
		break;
	case REPLACE_SWIZZLE:
		cuda_put(cuda, CUDA_SWIZZLE, 0, value);
		break;
	default: /* REPLACE_FILL */
		cuda_put(cuda, CUDA_FILL, 0, value);
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

		if (!host)
			return false;
		if (step->src[1] != PTX_NO_ROW)
			ord = ptx_row(regs, step->src[1])[lane];
		if (!set_field(warp, group, lane, step, ptx_row(regs, step->src[0])[lane], ord,
			       host))
			return false;
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
	memcpy(to, from, CUDA_MAP_BYTES);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return true;
}

uint64_t ptx_tensor_bytes(const struct drm_vsm_tensor_map *map)
{
	return vsm_tensor_map_check(map) ? 0 : vsm_tensor_map_bytes(map);
}

/* --- functions of the system ---------------------------------------------- */

/* The arguments of the call are in the local memory of the caller's frame. */
static uint64_t argument(const struct ptx_warp *warp, const struct ptx_group *group,
			 const struct ptx_call *call, unsigned int i, uint32_t lane)
{
	const struct ptx_transfer *transfer = &call->transfers[i];
	uint64_t value = 0;

	memcpy(&value, warp->local + lane * warp->local_bytes + group->frame->local_base +
		       transfer->from,
	       transfer->size < sizeof(value) ? transfer->size : sizeof(value));
	return value;
}

static void return_value(const struct ptx_warp *warp, const struct ptx_group *group,
			 const struct ptx_call *call, uint32_t lane, uint64_t value)
{
	const struct ptx_transfer *transfer;

	if (call->transfer_count == call->arg_count)
		return;
	transfer = &call->transfers[call->arg_count];
	memcpy(warp->local + lane * warp->local_bytes + group->frame->local_base + transfer->from,
	       &value, transfer->size < sizeof(value) ? transfer->size : sizeof(value));
}

/* Largest length of a string that a kernel may pass. */
#define MAX_TEXT 4096

/* Copies a string of the kernel. Returns false after a fault. */
static bool copy_text(struct ptx_warp *warp, struct ptx_group *group, uint32_t lane,
		      uint64_t address, char text[MAX_TEXT])
{
	unsigned int i;

	for (i = 0; i < MAX_TEXT - 1; i++) {
		const uint8_t *host = ptx_resolve(warp, group, lane, SPACE_GENERIC, address + i,
						  1, false);

		if (!host)
			return false;
		text[i] = *host;
		if (!text[i])
			return true;
	}
	text[i] = 0;
	return true;
}

/** struct specifier - A conversion specification of a format: "%-8.3lld" */
struct specifier {
	char text[24];
	char conversion;
	bool is_long;
};

/* Digits of a width or precision. */
#define MAX_DIGITS 3

/* Reads the specification at @format, which is behind the %. Returns what is behind it. */
static const char *read_specifier(const char *format, struct specifier *specifier)
{
	unsigned int length = 1, digits = 0;

	*specifier = (struct specifier){ .text = "%" };
	for (; *format && strchr("-+ #0123456789.", *format); format++) {
		digits = *format >= '0' && *format <= '9' ? digits + 1 : 0;
		/* Text that no one needs is cut: digits of widths that are too large, and signs. */
		if (length < 12 && digits <= MAX_DIGITS)
			specifier->text[length++] = *format;
	}
	while (*format && strchr("hljztL", *format))
		specifier->is_long |= *format++ != 'h';
	specifier->conversion = *format;
	if (!*format)
		return format;
	if (strchr("diouxX", *format)) {
		specifier->text[length++] = 'l';
		specifier->text[length++] = 'l';
	}
	specifier->text[length++] = *format;
	specifier->text[length] = 0;
	return format + 1;
}

/** struct arguments - The arguments of vprintf, in memory of the kernel */
struct arguments {
	struct ptx_warp *warp;
	struct ptx_group *group;
	uint32_t lane;
	uint64_t address;
};

/* Each argument is at a multiple of its size. */
static bool take_argument(struct arguments *arguments, unsigned int size, uint64_t *value)
{
	uint8_t *host;

	arguments->address = (arguments->address + size - 1) & ~(uint64_t)(size - 1);
	host = ptx_resolve(arguments->warp, arguments->group, arguments->lane, SPACE_GENERIC,
			   arguments->address, size, false);
	if (!host)
		return false;
	*value = 0;
	memcpy(value, host, size);
	arguments->address += size;
	return true;
}

static bool print_one(FILE *out, const struct specifier *s, struct arguments *arguments)
{
	char text[MAX_TEXT];
	uint64_t value;
	double number;

	switch (s->conversion) {
	case 'd':
	case 'i':
		if (!take_argument(arguments, s->is_long ? 8 : 4, &value))
			return false;
		fprintf(out, s->text, s->is_long ? (long long)value : (long long)(int32_t)value);
		return true;
	case 'o':
	case 'u':
	case 'x':
	case 'X':
		if (!take_argument(arguments, s->is_long ? 8 : 4, &value))
			return false;
		fprintf(out, s->text, (unsigned long long)value);
		return true;
	case 'c':
		if (!take_argument(arguments, 4, &value))
			return false;
		fprintf(out, s->text, (int)value);
		return true;
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		if (!take_argument(arguments, 8, &value))
			return false;
		memcpy(&number, &value, sizeof(number));
		fprintf(out, s->text, number);
		return true;
	case 's':
		if (!take_argument(arguments, 8, &value) ||
		    !copy_text(arguments->warp, arguments->group, arguments->lane, value, text))
			return false;
		fprintf(out, s->text, text);
		return true;
	case 'p':
		if (!take_argument(arguments, 8, &value))
			return false;
		fprintf(out, "0x%llx", (unsigned long long)value);
		return true;
	default:
		/* An unknown conversion is printed as it is, as CUDA does. */
		fputs(s->text, out);
		return true;
	}
}

static bool format_text(FILE *out, const char *format, struct arguments *arguments,
			int32_t *count)
{
	*count = 0;
	while (*format) {
		struct specifier specifier;

		if (*format != '%') {
			fputc(*format++, out);
		} else if (format[1] == '%') {
			fputc('%', out);
			format += 2;
		} else {
			format = read_specifier(format + 1, &specifier);
			if (!print_one(out, &specifier, arguments))
				return false;
			++*count;
		}
	}
	return true;
}

static bool print_lane(struct ptx_warp *warp, struct ptx_group *group,
		       const struct ptx_call *call, uint32_t lane)
{
	struct vsm_ptx_launch *launch = ptx_launch_of(warp);
	struct arguments arguments = { .warp = warp, .group = group, .lane = lane };
	char format[MAX_TEXT], *text = NULL;
	int32_t count = 0;
	size_t length;
	bool good;
	FILE *out;

	if (!copy_text(warp, group, lane, argument(warp, group, call, 0, lane), format))
		return false;
	arguments.address = argument(warp, group, call, 1, lane);
	out = open_memstream(&text, &length);
	if (!out) {
		ptx_fail_device(warp, group, lane, -ENOMEM, NULL);
		return false;
	}
	good = format_text(out, format, &arguments, &count);
	if (fclose(out) && good) {
		ptx_fail_device(warp, group, lane, -ENOMEM, NULL);
		good = false;
	}
	if (good && launch->config.print) {
		pthread_mutex_lock(&launch->print_lock);
		launch->config.print(launch->config.print_data, text, length);
		pthread_mutex_unlock(&launch->print_lock);
	}
	free(text);
	return_value(warp, group, call, lane, count);
	return good;
}

bool ptx_print(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	       uint32_t mask)
{
	for (; mask; mask &= mask - 1)
		if (!print_lane(warp, group, step->extra, __builtin_ctz(mask)))
			return false;
	return true;
}

/* __assertfail(message, file, line, function, size of a character) */
bool ptx_assert(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		uint32_t mask)
{
	const struct ptx_call *call = step->extra;
	uint32_t lane = __builtin_ctz(mask);
	char message[MAX_TEXT], file[MAX_TEXT], function[MAX_TEXT];

	if (!copy_text(warp, group, lane, argument(warp, group, call, 0, lane), message) ||
	    !copy_text(warp, group, lane, argument(warp, group, call, 1, lane), file) ||
	    !copy_text(warp, group, lane, argument(warp, group, call, 3, lane), function))
		return false;
	ptx_fail(warp, group, lane, "assertion \"%.200s\" in %.100s of %.100s:%u is false",
		 message, function, file, (uint32_t)argument(warp, group, call, 2, lane));
	return false;
}

void ptx_malloc(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		uint32_t mask)
{
	struct ptx_heap *heap = ptx_launch_of(warp)->module->context->heap;

	for (; mask; mask &= mask - 1) {
		uint32_t lane = __builtin_ctz(mask);
		uint64_t size = argument(warp, group, step->extra, 0, lane);

		return_value(warp, group, step->extra, lane, ptx_heap_alloc(heap, size));
	}
}

bool ptx_free(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	      uint32_t mask)
{
	struct ptx_heap *heap = ptx_launch_of(warp)->module->context->heap;

	for (; mask; mask &= mask - 1) {
		uint32_t lane = __builtin_ctz(mask);
		uint64_t address = argument(warp, group, step->extra, 0, lane);

		if (address && !ptx_heap_free(heap, address)) {
			ptx_fail(warp, group, lane,
				 "free of 0x%llx: malloc has not returned this address, or it has been freed already",
				 (unsigned long long)address);
			return false;
		}
	}
	return true;
}
