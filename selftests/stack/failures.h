/* SPDX-License-Identifier: GPL-2.0-only */
/* Random rules of injection for the device of the stack. */
#ifndef FAILURES_H
#define FAILURES_H

#include "stack.h"

#define FAILURES 6	/* rules of a round that make something fail */
#define DELAYS 3	/* rules of a round that only make something late */

/* The rules of a round */
struct failures {
	uint64_t reopened;	/* stack->reopened when they were added: later they are gone */
	uint32_t count;		/* number of rules */
	struct drm_vsm_inject_rule rules[FAILURES + DELAYS];
	uint64_t fired;		/* how often a rule has made something fail, in all rounds */
	uint64_t delays;	/* how often one has only delayed or split something, likewise */
	uint64_t kinds[64];	/* how often the rules of each kind have fired, in all rounds */
};

extern const uint32_t kind_count;
uint64_t draw(uint64_t *seed);
const char *kind_name(uint32_t kind);
struct drm_vsm_inject_rule rule_of_kind(uint32_t kind, uint64_t *seed);
bool kind_is_silent(uint32_t kind);
void failures_begin(struct failures *failures, struct stack *stack, bool lost, uint64_t *seed);
void failures_end(struct failures *failures, struct stack *stack);
void failures_print(const struct failures *failures);
int device_write(struct stack *stack, const char *file, const char *text);
int failures_lose_device(struct stack *stack);

#endif
