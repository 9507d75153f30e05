/* SPDX-License-Identifier: MIT */
/*
 * How a sentence about a refused instruction begins, and the parts that others have.
 */
#ifndef _VSM_REPORT_H_
#define _VSM_REPORT_H_

#include <stddef.h>

#include "internal.h"

/* What an operation is. */
#define COPY	(1 << 0)	/* It moves data, and has the operands of a copy, */
#define TENSOR	(1 << 1)	/* of a tensor copy, */
#define STORE	(1 << 2)	/* or of a store; */
#define FROM	(1 << 3)	/* reads at its address, or else writes there, */
#define NOWHERE	(1 << 4)	/* or has none; */
#define SHARED	(1 << 5)	/* its source is in a window. */
#define MBAR	(1 << 6)	/* It is performed, or complete, on an mbarrier. */
#define WARP	(1 << 7)	/* The threads of a membermask meet in it, */
#define NAMED	(1 << 8)	/* or those of a CTA at a named barrier, */
#define CLUSTER	(1 << 9)	/* or those of the cluster at its barrier. */
#define MOVES	(COPY | TENSOR | STORE)
#define MEETS	(WARP | NAMED | CLUSTER)

/* What all that move data have is in the same place, so that one name does. */
#define SAME(field, other) \
	_Static_assert(offsetof(struct drm_vsm_copy_operands, field) == \
		       offsetof(struct drm_vsm_##other##_operands, field), #field)
SAME(addr, tensor);
SAME(mbar, tensor);
SAME(addr, store);
SAME(mbar, store);
SAME(size, store);

/*
 * struct vsm_report - What a sentence is made from
 * @text: Where it goes
 * @insn: The refused instruction
 * @traits: What its operation is
 * @o: Its operands, if it moves no data
 * @c: Its operands, if it moves data
 * @t: Its operands, if it is a tensor copy
 * @layout: Layout of the cluster
 * @cta: CTA of the thread
 * @word: The mbarrier word, taken apart
 */
struct vsm_report {
	struct vsm_text text;
	const struct drm_vsm_insn *insn;
	uint16_t traits;
	const struct drm_vsm_mbarrier_operands *o;
	const struct drm_vsm_copy_operands *c;
	const struct drm_vsm_tensor_operands *t;
	enum vsm_layout layout;
	uint32_t cta;
	struct vsm_mbarrier_fields word;
};

#define put(r, ...) vsm_text_put(&(r)->text, __VA_ARGS__)

/* A sentence says what was found, and behind a semicolon what to change. */
static inline void advise(struct vsm_report *r, const char *what)
{
	put(r, "; %s", what);
}

static inline uint32_t rank_of(uint32_t addr)
{
	return addr >> VSM_SHARED_RANK_SHIFT;
}

static inline bool is_arrive(const struct drm_vsm_insn *insn)
{
	return insn->op == DRM_VSM_OP_MBARRIER_ARRIVE ||
	       insn->op == DRM_VSM_OP_MBARRIER_ARRIVE_DROP;
}

/* Where it begins in shared memory, or the mbarrier of what moves no data. */
static inline uint32_t addr_of(const struct vsm_report *r)
{
	return r->traits & MOVES ? r->c->addr : r->o->addr;
}

static inline uint32_t mbarrier_of(const struct vsm_report *r)
{
	return r->traits & MOVES ? r->c->mbar : r->o->addr;
}

static inline uint16_t cta_mask(const struct vsm_report *r)
{
	return r->traits & TENSOR ? r->t->mask : r->c->mask;
}

static inline bool is_multicast(const struct vsm_report *r)
{
	return (r->insn->op == DRM_VSM_OP_CP_ASYNC_BULK_G2S ||
		r->insn->op == DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S) &&
	       r->insn->mods & DRM_VSM_MOD_MULTICAST;
}

static inline uint32_t offset_of(uint32_t addr)
{
	return addr & ((1U << VSM_SHARED_RANK_SHIFT) - 1);
}

uint16_t vsm_report_traits(const struct drm_vsm_insn *insn);

void vsm_put_place(struct vsm_report *r, uint32_t addr);
void vsm_put_number(struct vsm_report *r, int64_t number, const char *noun);
void vsm_put_name(struct vsm_report *r, bool full);

void vsm_about_copy(struct vsm_report *r);
void vsm_about_mbarrier(struct vsm_report *r);
void vsm_about_rendezvous(struct vsm_report *r);
void vsm_about(struct vsm_report *r);

/* Each puts the sentence of a fault. */
#define VSM_FAULT(NAME, name, enforced) void vsm_put_##name(struct vsm_report *r);
#include "vsm_faults.h"

#endif
