/* SPDX-License-Identifier: MIT */
/*
 * Random programs on the mbarriers of a cluster. For each step the generator says what PTX
 * expects: result, token, word, and the fault if a misuse has been planted. It needs only
 * the uapi headers and the model, and therefore tests both the core on the host and the
 * device through its ioctls.
 *
 *	generator_init(&g, &config);
 *	for (;;) {
 *		const struct generator_step *s = generator_next(&g);
 *
 *		switch (s->action) {
 *		case GENERATOR_INSN:
 *			insn = s->insn;
 *			if (s->token >= 0)
 *				insn.u.mbarrier.state = tokens[s->token] ^ s->twist;
 *			if (it is a copy)
 *				insn.u.copy.buffer = a buffer of config.buffer_bytes;
 *			execute insn as thread s->thread of CTA s->cta;
 *			it must be refused if s->fault, with that fault and s->info;
 *			it must result in s->result, but if s->slot >= 0 it has returned
 *			a token, and s->result is only its high word:
 *			tokens[s->slot] = insn.result;
 *			...
 *		}
 *		the word at s->addr must be s->word
 *	}
 *
 * generator_plant() orders a misuse. The program makes legal steps until the misuse is
 * possible, and goes on after it. A planted misuse of the hardware policy kills the cluster:
 * the program has ended (&generator.over).
 *
 * The configuration and the calls of generator_plant() determine a program entirely.
 */
#ifndef VSM_UNIT_GENERATOR_H
#define VSM_UNIT_GENERATOR_H

#include "program.h"

/* The nth misuse that exists, from 0; NULL past the last. */
const struct generator_misuse *generator_misuse(unsigned int nth);

/* Begins a program, in a cluster whose windows are zeros. */
void generator_init(struct generator *g, const struct generator_config *config);

/* The next step; valid until the next call. */
const struct generator_step *generator_next(struct generator *g);

/* Is the misuse possible in that configuration? */
bool generator_allows(const struct generator_config *config,
		      const struct generator_misuse *misuse);

/* Orders a misuse; false if the configuration does not allow it. */
bool generator_plant(struct generator *g, const struct generator_misuse *misuse);

/* Is a misuse, or a step that belongs to it, still to come? */
static inline bool generator_busy(const struct generator *g)
{
	return g->misuse || g->given < g->made;
}

#endif
