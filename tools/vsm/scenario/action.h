/* SPDX-License-Identifier: MIT */
/*
 * Parses the statements that threads execute: instructions, jobs, join, hold and release.
 */
#ifndef _SCENARIO_ACTION_H_
#define _SCENARIO_ACTION_H_

#include "scenario/parser.h"

/*
 * CTA.THREAD: INSTRUCTION. CTA.FIRST-LAST in place of CTA.THREAD: several threads.
 * CTA.THREAD*: the warp of the thread. & in place of the colon: the scenario does not wait.
 * >: the instruction goes into a job.
 */
bool parse_run(struct parser *p, struct cursor *c);
/* submit CTA.THREAD [channel=N] */
bool parse_submit(struct parser *p, struct cursor *c);
/* join CTA.THREAD or CTA.FIRST-LAST */
bool parse_join(struct parser *p, struct cursor *c);
bool parse_hold(struct parser *p, struct cursor *c);
bool parse_release(struct parser *p, struct cursor *c);

#endif
