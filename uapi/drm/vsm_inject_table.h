/* SPDX-License-Identifier: MIT */
/*
 * The tables of injection: where a rule looks, and what it does where. Define
 * VSM_INJECT_WHERE(NAME, name, has) or VSM_INJECT_WHAT(NAME, name, takes, at) before you include
 * this file. The file is not installed.
 *
 *	NAME	end of DRM_VSM_INJECT_NAME, in the order of the enumeration
 *	name	what the manual and the tests call it
 *	has	what a rule can choose there: HAS_CHANNEL, HAS_OBJECT
 *	takes	fields and flags that are for it: TAKES_ERROR and TAKES_ARG, which must not be 0,
 *		MAY_TAKE_ERROR, MAY_TAKE_ARG, TAKES_SPARE, TAKES_RETURN
 *	at	where it makes sense: AT_CALL (exec, submit, arm, alloc, import), AT_EXEC,
 *		AT_SUBMIT, AT_MMAP, AT_JOB (fence, job), AT_OP (copy, complete), AT_COPY,
 *		AT_COMPLETE
 */
#ifndef VSM_INJECT_WHERE
#define VSM_INJECT_WHERE(NAME, name, has)
#endif
#ifndef VSM_INJECT_WHAT
#define VSM_INJECT_WHAT(NAME, name, takes, at)
#endif
VSM_INJECT_WHERE(EXEC, "exec", HAS_OBJECT)
VSM_INJECT_WHERE(SUBMIT, "submit", HAS_CHANNEL | HAS_OBJECT)
VSM_INJECT_WHERE(ARM, "arm", 0)
VSM_INJECT_WHERE(ALLOC, "alloc", 0)
VSM_INJECT_WHERE(IMPORT, "import", 0)
VSM_INJECT_WHERE(MMAP, "mmap", HAS_OBJECT)
VSM_INJECT_WHERE(FENCE, "fence", HAS_CHANNEL | HAS_OBJECT)
VSM_INJECT_WHERE(JOB, "job", HAS_CHANNEL | HAS_OBJECT)
VSM_INJECT_WHERE(COPY, "copy", HAS_CHANNEL | HAS_OBJECT)
VSM_INJECT_WHERE(COMPLETE, "complete", HAS_CHANNEL | HAS_OBJECT)
VSM_INJECT_WHAT(ERROR, "error", TAKES_ERROR, AT_CALL | AT_MMAP | AT_JOB | AT_OP)
VSM_INJECT_WHAT(FAULT, "fault", TAKES_SPARE, AT_JOB | AT_OP)
VSM_INJECT_WHAT(HANG, "hang", 0, AT_CALL | AT_JOB | AT_OP)
VSM_INJECT_WHAT(DELAY, "delay", TAKES_ARG, AT_CALL | AT_JOB | AT_OP)
VSM_INJECT_WHAT(SLOW, "slow", TAKES_ARG, AT_COPY)
VSM_INJECT_WHAT(LOSE, "lose", 0, AT_OP)
VSM_INJECT_WHAT(TWICE, "twice", 0, AT_COMPLETE)
VSM_INJECT_WHAT(SPLIT, "split", TAKES_ARG, AT_COMPLETE)
VSM_INJECT_WHAT(SHORT, "short", TAKES_ARG, AT_COMPLETE)
VSM_INJECT_WHAT(EARLY, "early", MAY_TAKE_ARG, AT_COMPLETE)
VSM_INJECT_WHAT(FLIP, "flip", MAY_TAKE_ERROR | MAY_TAKE_ARG, AT_COPY)
VSM_INJECT_WHAT(LOSE_CLUSTER, "lose-cluster", 0, AT_EXEC | AT_SUBMIT | AT_JOB | AT_OP)
VSM_INJECT_WHAT(LOSE_DEVICE, "lose-device", TAKES_RETURN, AT_CALL | AT_MMAP | AT_JOB | AT_OP)
#undef VSM_INJECT_WHERE
#undef VSM_INJECT_WHAT
