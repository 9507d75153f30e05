/* SPDX-License-Identifier: MIT */
/*
 * Parses the statements that threads execute: instructions, jobs, join, hold and release.
 */
#ifndef _SCENARIO_ACTION_H_
#define _SCENARIO_ACTION_H_

#include "scenario/parser.h"

/*
 * Parses an instruction and the threads that execute it:
 *
 *	CTA.THREAD: INSTRUCTION		one thread
 *	CTA.FIRST-LAST: INSTRUCTION	several threads
 *	CTA.THREAD*: INSTRUCTION	the converged warp of the thread
 *	CTA.THREAD& INSTRUCTION		the scenario does not wait for the end of the instruction
 *	CTA.THREAD> INSTRUCTION		the instruction becomes part of the thread's next job
 */
bool parse_run(struct parser *p, struct cursor *c);
/* Parses "submit CTA.THREAD [channel=N]" behind the first word. */
bool parse_submit(struct parser *p, struct cursor *c);
/* Parses "join CTA.THREAD" or "join CTA.FIRST-LAST" behind the first word. */
bool parse_join(struct parser *p, struct cursor *c);
bool parse_hold(struct parser *p, struct cursor *c);
bool parse_release(struct parser *p, struct cursor *c);

#endif
