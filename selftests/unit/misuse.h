/* SPDX-License-Identifier: MIT */
/*
 * Ways to misuse an mbarrier. A plan makes legal steps and then the misuse. It returns false if the
 * misuse is not possible yet. The generator then calls it again after the next step.
 */
#ifndef VSM_UNIT_MISUSE_H
#define VSM_UNIT_MISUSE_H

#include <stddef.h>

#include "../insn.h"
#include "draft.h"

#define ARRIVE	OP(MBARRIER_ARRIVE)
#define DROP	OP(MBARRIER_ARRIVE_DROP)
#define NC	(MOD(COUNT) | MOD(NOCOMPLETE))

/* A row of a misuse table. @needs is ANY or a mask of the values below. */
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

/* These make a legal step that prepares a misuse. They return false if it is not legal. */
bool misuse_lead(struct generator *g, const struct draft *d);
bool misuse_lead_inval(struct generator *g, struct generator_object *o);
bool misuse_lead_arrive(struct generator *g, struct generator_object *o, __u16 mods, __u32 count);

/* Make the misuse with random qualifiers. misuse_from_anywhere() also draws the CTA. */
bool misuse_qualified(struct generator *g, struct draft *d, __u32 fault);
bool misuse_from_anywhere(struct generator *g, struct draft *d, __u32 fault);

/* Makes a wait that observes the previous phase. */
void misuse_lead_observe(struct generator *g, struct generator_object *o);

/* Completes the phase in progress with legal steps. Returns false if an arrival is in flight. */
bool misuse_lead_complete(struct generator *g, struct generator_object *o);

/* Initialises an object. First invalidates a live one; returns NULL if that is not legal. */
struct generator_object *misuse_fresh(struct generator *g, __u32 count);

/* Returns a live object. Makes it observed, so that arrivals are legal. */
struct generator_object *misuse_arrivable(struct generator *g);

/* Returns a random instruction with an address and random legal qualifiers. */
struct draft misuse_anything(struct generator *g);

/* Returns the address of a word that never holds an object. */
__u32 misuse_nowhere(struct generator *g, __u16 rank);

#endif
