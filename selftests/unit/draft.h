/* SPDX-License-Identifier: MIT */
/*
 * A draft is an instruction that the generator, or the plan of a misuse, may turn into a step of
 * the program.
 */
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

/* An instruction on an object, in the form of the device and in that of the model */
struct draft {
	struct generator_object *o;	/* the object */
	struct model_op op;		/* the operation in the form of the model */
	struct drm_vsm_insn insn;	/* the instruction in the form of the device */
	__u16 cta;			/* CTA of the executing thread */
	__u16 thread;			/* the executing thread */
	int token;			/* index in generator.tokens of its state operand, or -1 */
	__u64 twist;			/* bits to be flipped in that token */
};

static inline __u32 draw(struct generator *g, __u64 bound)
{
	return unit_below(&g->rng, bound);
}

static inline __u16 draft_rank(const struct generator_object *o)
{
	return o->addr >> VSM_SHARED_RANK_SHIFT;
}

/* How many of the pending arrivals are not meant for asynchronous operations in flight. */
static inline long long draft_free(const struct generator_object *o)
{
	return o->m.pending - o->m.inflight;
}

/* Each of these drafts an operation on an object, without qualifiers, by a thread of its CTA. */
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

/* Draft a random operation other than init, or a random wait. The operation may break rules. */
struct draft draft_any(struct generator *g, struct generator_object *o);
struct draft draft_any_wait(struct generator *g, struct generator_object *o);

/* Changes the draft so that a thread of another CTA executes the instruction. */
void draft_remote(struct generator *g, struct draft *d);

/* Adds random qualifiers that the operation takes. */
void draft_qualify(struct generator *g, struct draft *d);

/* Is the draft legal, and can every operation in flight complete at any time after it? */
bool draft_legal(const struct draft *d);

/* Makes the draft a step of the program. The draft may break at most one rule. */
void draft_deliver(struct generator *g, const struct draft *d);

/* Makes the draft a step if it breaks the rule @fault and no other. Otherwise returns false. */
bool draft_misuse(struct generator *g, const struct draft *d, __u32 fault);

/*
 * Makes a step that the device must refuse with @fault and the result @word. This function does
 * not use the model. It returns true, so that a plan can return its result.
 */
bool draft_refuse(struct generator *g, const struct draft *d, __u32 fault, __u64 word);

/* Adds an empty step with that action to the program. */
struct generator_step *draft_step(struct generator *g, enum generator_action action);

/* Adds a step in which the nth operation in flight completes, or in which all complete. */
void draft_complete(struct generator *g, unsigned int nth);
void draft_release(struct generator *g);

/* Add a step in which the thread executes fence.mbarrier_init, or fence.sem.scope. */
void draft_fence(struct generator *g, __u16 cta, __u16 thread);
void draft_order(struct generator *g, __u16 cta, __u16 thread, __u8 sem, __u8 scope);

/* A cp.async from a random place in the buffer to a block that never holds an object. */
struct drm_vsm_insn draft_copy(struct generator *g, __u16 cta);

/* A random object that is live, or that is not live if @live is false. NULL if there is none. */
struct generator_object *draft_object(struct generator *g, bool live);

#endif
