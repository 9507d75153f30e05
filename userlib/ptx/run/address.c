// SPDX-License-Identifier: MIT
/*
 * Addresses: finds the memory behind them, and says what is wrong with those that lead nowhere.
 */
#include <stdio.h>
#include <string.h>

#include "run/address.h"
#include "run/fault.h"
#include "run/state.h"

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
		return found(span, offset, launch->window_bytes,
			     warp->cta->cluster->ctas[rank].window);
	snprintf(what, sizeof(what), "the shared memory of CTA %u", rank);
	return fail_window(warp, group, lane, what, offset, size, launch->window_bytes, write);
}

bool ptx_fail_read_only(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
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
