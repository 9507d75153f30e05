/* SPDX-License-Identifier: MIT */
/*
 * The order that a seed chooses for what a scenario leaves open: when threads begin an instruction
 * that is started with & or for a range, and when copies complete.
 *
 * Without a seed, none of these functions does anything, except order_start(), which lets all
 * threads of a statement begin at once.
 */
#ifndef _RUN_ORDER_H_
#define _RUN_ORDER_H_

#include "run/state.h"

/* Begins the order of a scenario, whose cluster exists. */
void order_begin(struct state *state);
/* Lets threads begin or copies complete before a statement, if the seed wants it. */
void order_turn(struct state *state);
/* Starts the instruction of a statement on its threads. */
void order_start(struct state *state, const struct statement *statement);
/* Does all that the threads of a statement may need in order to retire. */
void order_need(struct state *state, const struct statement *statement);
/* Lets the threads of a statement begin. */
void order_begin_threads(struct state *state, const struct statement *statement);
/* Does all that the scenario has left open. */
void order_need_all(struct state *state);
/* Executes hold or release. Returns 0 or a negative errno. */
int order_hold(struct state *state, bool hold);

#endif
