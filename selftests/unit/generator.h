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
 *			if s->fault is set, it must be refused with that fault and s->info;
 *			its result must be s->result. But if s->slot >= 0, the result is a
 *			token, and s->result is only the high word of it:
 *			tokens[s->slot] = insn.result;
 *			...
 *		}
 *		the word at s->addr must be s->word
 *	}
 *
 * generator_plant() orders a misuse. The program makes legal steps until the misuse is
 * possible, and continues after it. A misuse of the hardware policy kills the cluster and
 * ends the program (&generator.over).
 *
 * The configuration and the calls of generator_plant() determine the whole program.
 */
#ifndef VSM_UNIT_GENERATOR_H
#define VSM_UNIT_GENERATOR_H

#include "program.h"

/* Returns the misuse with number @nth, counted from 0; NULL if there are not so many. */
const struct generator_misuse *generator_misuse(unsigned int nth);

/* Begins a program, in a cluster whose windows are zeros. */
void generator_init(struct generator *g, const struct generator_config *config);

/* Returns the next step. It is valid until the next call. */
const struct generator_step *generator_next(struct generator *g);

/* Does the configuration have what the misuse needs? */
bool generator_allows(const struct generator_config *config,
		      const struct generator_misuse *misuse);

/* Orders a misuse. Returns false if the configuration does not allow it. */
bool generator_plant(struct generator *g, const struct generator_misuse *misuse);

/* Has an ordered misuse not been planted yet, or have some of its steps not been returned? */
static inline bool generator_busy(const struct generator *g)
{
	return g->misuse || g->given < g->made;
}

#endif
