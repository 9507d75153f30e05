/* SPDX-License-Identifier: MIT */
/*
 * Expectations about how a launch ends.
 */
#ifndef _LAUNCH_EXPECT_H_
#define _LAUNCH_EXPECT_H_

#include "launch/plan.h"
#include "results/results.h"

/**
 * struct ending - How a launch ended
 * @refused: It was refused. Only @report is valid
 * @result: Result of the launch
 * @report: Report, or why it was refused
 */
struct ending {
	bool refused;
	struct vsm_ptx_result result;
	const char *report;
};

/* Reads an expectation behind the word expect, and adds it to @expect. */
bool parse_launch_expect(struct cursor *c, struct plan_expect *expect);
/*
 * Compares how a launch of a kernel in the PTX file @module ended with what was expected. Writes
 * what differs to @out, if that is not NULL, where @where begins each line, and to @result. Returns
 * whether nothing differs.
 */
bool check_expect(FILE *out, const char *where, const struct plan_expect *expect,
		  const struct ending *ending, const char *module, struct result *result);

#endif
