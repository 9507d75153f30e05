/* SPDX-License-Identifier: MIT */
/* Drafts of steps, which the generator and the plans of misuse deliver. */
#ifndef VSM_UNIT_DRAFT_H
#define VSM_UNIT_DRAFT_H

#include "program.h"
#include "random.h"

/*
 * A window is divided into blocks of 16 bytes. In each group of four blocks, the first two hold
 * objects, the third stays empty, and cp.async writes the fourth.
 */
#define DRAFT_OBJECTS	2
#define DRAFT_NOTHING	2
#define DRAFT_COPIES	3

/**
 * struct draft - An instruction on an object, both as the device and as the model has it
 * @o: The object
 * @op: The operation
 * @insn: The instruction
 * @cta: CTA of the executing thread
 * @thread: The thread
 * @token: Slot of its state operand, or -1
 * @twist: &generator_step.twist
 */
struct draft {
	struct generator_object *o;
	struct model_op op;
	struct drm_vsm_insn insn;
	__u16 cta;
	__u16 thread;
	int token;
	__u64 twist;
};

static inline __u32 draw(struct generator *g, __u64 bound)
{
	return unit_below(&g->rng, bound);
}

static inline __u16 draft_rank(const struct generator_object *o)
{
	return o->addr >> VSM_SHARED_RANK_SHIFT;
}

/* Pending arrivals that are not reserved for asynchronous operations in flight. */
static inline long long draft_free(const struct generator_object *o)
{
	return o->m.pending - o->m.inflight;
}

/* Operations on an object, by a thread of its CTA, without qualifiers. */
struct draft draft_init(struct generator *g, struct generator_object *o, __u32 count);
struct draft draft_inval(struct generator *g, struct generator_object *o);
struct draft draft_arrive(struct generator *g, struct generator_object *o, __u16 op, __u16 mods,
			  __u32 count, __u32 tx);
struct draft draft_tx(struct generator *g, struct generator_object *o, __u16 op, __u32 tx);
struct draft draft_wait_parity(struct generator *g, struct generator_object *o, __u16 op,
			       __u32 parity);
struct draft draft_wait_token(struct generator *g, struct generator_object *o, __u16 op,
			      int token);
struct draft draft_issue(struct generator *g, struct generator_object *o, bool noinc);

/* Any of these that has an address, legal in its form. */
struct draft draft_any(struct generator *g, struct generator_object *o);
struct draft draft_any_wait(struct generator *g, struct generator_object *o);

/* Changes the draft: a thread of another CTA executes the instruction. */
void draft_remote(struct generator *g, struct draft *d);

/* Qualifiers that the operation takes. */
void draft_qualify(struct generator *g, struct draft *d);

/* Is the draft legal, and can every operation in flight complete at any time after it? */
bool draft_legal(const struct draft *d);

/* Makes the step, which may break one rule at most. */
void draft_deliver(struct generator *g, const struct draft *d);

/* Makes the step if it breaks this rule and no other. */
bool draft_misuse(struct generator *g, const struct draft *d, __u32 fault);

/*
 * Makes a step that the device must refuse with @fault and the result @word. The model is not
 * asked. Returns true, because a plan of a misuse returns that.
 */
bool draft_refuse(struct generator *g, const struct draft *d, __u32 fault, __u64 word);

/* An empty step with that action. */
struct generator_step *draft_step(struct generator *g, enum generator_action action);

/* draft_complete(): the nth operation in flight completes. draft_release(): all complete. */
void draft_complete(struct generator *g, unsigned int nth);
void draft_release(struct generator *g);

/* draft_fence(): a step of fence.mbarrier_init. draft_order(): a step of fence. */
void draft_fence(struct generator *g, __u16 cta, __u16 thread);
void draft_order(struct generator *g, __u16 cta, __u16 thread, __u8 sem, __u8 scope);

/* A copy from anywhere in the buffer to a block that no object is in. */
struct drm_vsm_insn draft_copy(struct generator *g, __u16 cta);

/* A random object that is live, or one that is not if @live is false. NULL if there is none. */
struct generator_object *draft_object(struct generator *g, bool live);

#endif
