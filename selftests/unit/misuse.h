/* SPDX-License-Identifier: MIT */
/*
 * Ways to misuse an mbarrier. A plan makes legal steps and then the misuse; or it returns
 * false because the misuse is not possible yet, and is called again after the next step.
 */
#ifndef VSM_UNIT_MISUSE_H
#define VSM_UNIT_MISUSE_H

#include <stddef.h>

#include "../insn.h"
#include "draft.h"

#define ARRIVE	OP(MBARRIER_ARRIVE)
#define DROP	OP(MBARRIER_ARRIVE_DROP)
#define NC	(MOD(COUNT) | MOD(NOCOMPLETE))

/* A row of a table of misuse, and what the configuration may need for it. */
#define WAY(fault, needs, name, plan) { FAULT(fault), needs, name, plan }
#define ANY	0
#define SM_90	GENERATOR_NEEDS_SM_90
#define SM_80	GENERATOR_NEEDS_SM_80
#define CTAS	GENERATOR_NEEDS_CTAS
#define BUFFER	GENERATOR_NEEDS_BUFFER
#define LETTER	GENERATOR_NEEDS_LETTER
#define NO_LETTER GENERATOR_NEEDS_NO_LETTER
#define TRAP	(GENERATOR_NEEDS_SM_90 | GENERATOR_NEEDS_HARDWARE)

extern const struct generator_misuse misuse_forms[];
extern const struct generator_misuse misuse_lives[];
extern const struct generator_misuse misuse_counts[];
extern const struct generator_misuse misuse_phases[];
extern const struct generator_misuse misuse_traps[];

static inline bool misuse_sm_90(const struct generator *g)
{
	return g->config.sm == 90;
}

static inline __u16 misuse_arrive_op(struct generator *g)
{
	return draw(g, 2) ? ARRIVE : DROP;
}

static inline struct generator_object *misuse_live(struct generator *g)
{
	return draft_object(g, true);
}

/* Makes the step if it is legal. Otherwise returns false and makes none. */
bool misuse_lead(struct generator *g, const struct draft *d);
bool misuse_lead_inval(struct generator *g, struct generator_object *o);
bool misuse_lead_arrive(struct generator *g, struct generator_object *o, __u16 mods, __u32 count);

/* Makes the misuse with random qualifiers; misuse_from_anywhere() by a thread of any CTA. */
bool misuse_qualified(struct generator *g, struct draft *d, __u32 fault);
bool misuse_from_anywhere(struct generator *g, struct draft *d, __u32 fault);

/* Has a wait for the phase before return True. */
void misuse_lead_observe(struct generator *g, struct generator_object *o);

/* Ends the phase in progress as a program would; false if something is in flight. */
bool misuse_lead_complete(struct generator *g, struct generator_object *o);

/* A new object of that count, in place of another if need be; NULL if it cannot be. */
struct generator_object *misuse_fresh(struct generator *g, __u32 count);

/* A live object whose phase is observed, so that it takes arrivals. */
struct generator_object *misuse_arrivable(struct generator *g);

/* A random instruction that has an address and a legal form. */
struct draft misuse_anything(struct generator *g);

/* The address of a word that no object has ever been in. */
__u32 misuse_nowhere(struct generator *g, __u16 rank);

#endif
