/* SPDX-License-Identifier: MIT */
/* Parts of the sentences about refused instructions. */
#ifndef _VSM_REPORT_H_
#define _VSM_REPORT_H_

#include <stddef.h>

#include "internal.h"

/* Traits of an operation. */
#define COPY	(1 << 0)	/* moves data, and has the operands of a copy */
#define TENSOR	(1 << 1)	/* moves data, and has the operands of a tensor copy */
#define STORE	(1 << 2)	/* moves data, and has the operands of a store */
#define FROM	(1 << 3)	/* reads at its address; without this bit it writes there */
#define NO_ADDR	(1 << 4)	/* has no address in shared memory */
#define SHARED	(1 << 5)	/* its source is in shared memory, too */
#define MBAR	(1 << 6)	/* works on an mbarrier, or completes on one */
#define WARP	(1 << 7)	/* waits for the threads of a membermask */
#define NAMED	(1 << 8)	/* waits for threads of the CTA at a named barrier */
#define CLUSTER	(1 << 9)	/* waits for the threads of the cluster */
#define MOVES	(COPY | TENSOR | STORE)
#define RENDEZVOUS	(WARP | NAMED | CLUSTER)

/*
 * Copies, tensor copies and stores have these operands at the same offset. Code can therefore read
 * them from &vsm_report.c, whichever of the three the instruction is.
 */
#define SAME(field, other) \
	_Static_assert(offsetof(struct drm_vsm_copy_operands, field) == \
		       offsetof(struct drm_vsm_##other##_operands, field), #field)
SAME(addr, tensor);
SAME(mbar, tensor);
SAME(addr, store);
SAME(mbar, store);
SAME(size, store);

/*
 * struct vsm_report - A sentence about a refused instruction, and the facts that it is made from
 * @text: Text that the sentence is written to
 * @insn: The refused instruction
 * @traits: Traits of its operation, a mask
 * @o: Operands of the instruction if it does not move data
 * @c: Operands of the instruction if it moves data
 * @t: Operands of the instruction if it is a tensor copy
 * @layout: Layout of the cluster
 * @cta: CTA of the thread
 * @word: Fields of the mbarrier word that the device found
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

/* Write the second part of the sentence, after a semicolon: what to change. */
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

/* The address of the data in shared memory; the mbarrier if the instruction moves no data. */
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

/* Functions vsm_put_...(): each writes the sentence about one fault. */
#define VSM_FAULT(NAME, name, enforced) void vsm_put_##name(struct vsm_report *r);
#include "vsm_faults.h"

#endif
