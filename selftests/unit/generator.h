/* SPDX-License-Identifier: MIT */
/*
 * Random programs on the mbarriers of a cluster, and what PTX says of each step:
 * results, tokens, words, and the fault where a misuse has been planted. Needs
 * nothing but the uapi headers and the model, so that it drives the core on the
 * host and the device through its ioctls alike.
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
 *			a token, of which s->result tells the high word only:
 *			tokens[s->slot] = insn.result;
 *			...
 *		}
 *		the word at s->addr must be s->word
 *	}
 *
 * By generator_plant() the next misuse is ordered. It comes as soon as the program
 * is where it is possible, after steps that lead there and are legal; the program
 * goes on unharmed after it. A planted misuse of the hardware policy loses the
 * cluster: the program is over with it (&generator.over).
 *
 * A program is told entirely by its configuration and by when what is planted.
 */
#ifndef VSM_UNIT_GENERATOR_H
#define VSM_UNIT_GENERATOR_H

#include "program.h"

/* All ways there are, from 0; NULL past the last. */
const struct generator_misuse *generator_misuse(unsigned int nth);

/* Begins a program, in a cluster whose windows are zeros. */
void generator_init(struct generator *g, const struct generator_config *config);

/* The next step; good until the next call. */
const struct generator_step *generator_next(struct generator *g);

/* Is there such a misuse in that configuration? */
bool generator_allows(const struct generator_config *config,
		      const struct generator_misuse *misuse);

/* Orders a misuse; false if the configuration does not allow it. */
bool generator_plant(struct generator *g, const struct generator_misuse *misuse);

/* Is a misuse, or what follows from it, still to come? */
static inline bool generator_busy(const struct generator *g)
{
	return g->misuse || g->given < g->made;
}

#endif
