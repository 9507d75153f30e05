/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for tests that run under every rule: all rules that make sense, except those that lose
 * the device.
 */
#ifndef VSM_TEST_INJECT_ALL_H
#define VSM_TEST_INJECT_ALL_H

#include "inject.h"

#define RULES_MAX	64		/* of a client and of a device */
#define RULE_ERROR	ENODATA		/* of rules; nothing else in the tests fails with it */

enum {
	HAS_CHANNEL = 0,
	HAS_OBJECT = 0,
	TAKES_ERROR = 1 << 0,
	TAKES_ARG = 1 << 1,
	MAY_TAKE_ERROR = 1 << 2,
	MAY_TAKE_ARG = 1 << 3,
	TAKES_SPARE = 1 << 4,
	TAKES_RETURN = 1 << 5,
};

/* Masks of places */
enum {
	AT_EXEC = 1 << DRM_VSM_INJECT_EXEC,
	AT_SUBMIT = 1 << DRM_VSM_INJECT_SUBMIT,
	AT_CALL = AT_EXEC | AT_SUBMIT | 1 << DRM_VSM_INJECT_ARM | 1 << DRM_VSM_INJECT_ALLOC |
		  1 << DRM_VSM_INJECT_IMPORT,
	AT_MMAP = 1 << DRM_VSM_INJECT_MMAP,
	AT_JOB = 1 << DRM_VSM_INJECT_FENCE | 1 << DRM_VSM_INJECT_JOB,
	AT_COPY = 1 << DRM_VSM_INJECT_COPY,
	AT_COMPLETE = 1 << DRM_VSM_INJECT_COMPLETE,
	AT_OP = AT_COPY | AT_COMPLETE,
};

/* The tables are in the order of the enumerations. */
#define VSM_INJECT_WHERE(NAME, name, has)	name,
static const char * const wheres[] = {
#include <drm/vsm_inject_table.h>
};

#define VSM_INJECT_WHAT(NAME, name, takes, at)	{ name, takes, at },
static const struct {
	const char *name;
	uint32_t takes;
	uint32_t at;
} whats[] = {
#include <drm/vsm_inject_table.h>
};

/* Does a rule make a call sleep? */
static inline bool rule_stops_call(const struct drm_vsm_inject_rule *rule)
{
	return 1 << rule->where & AT_CALL && (rule->what == DRM_VSM_INJECT_HANG ||
					      rule->what == DRM_VSM_INJECT_DELAY);
}

/* Sets what a rule may have besides a place and an action. Delays take @ns. */
static inline void rule_complete(struct drm_vsm_inject_rule *rule, uint64_t ns)
{
	if (whats[rule->what].takes & TAKES_ERROR)
		rule->error = RULE_ERROR;
	switch (rule->what) {
	case DRM_VSM_INJECT_DELAY:
	case DRM_VSM_INJECT_EARLY:
		rule->arg = ns;
		break;
	case DRM_VSM_INJECT_SLOW:	/* 64 KiB take about @ns */
		rule->arg = 65536 * SECOND / ns + 1;
		break;
	case DRM_VSM_INJECT_SPLIT:
	case DRM_VSM_INJECT_SHORT:
		rule->arg = 10;
		break;
	case DRM_VSM_INJECT_FLIP:
		rule->arg = ~0ULL;
		break;
	}
}

/*
 * Stores a rule for each place and each action that makes sense there, and two rules if the action
 * has two forms. Returns how many there are.
 */
static inline uint32_t all_rules(struct drm_vsm_inject_rule rules[RULES_MAX], uint64_t ns)
{
	uint32_t where, what, count = 0;

	for (where = 0; where < ITEMS(wheres); where++) {
		for (what = 0; what < ITEMS(whats); what++) {
			struct drm_vsm_inject_rule rule = { .where = where, .what = what };

			if (what == DRM_VSM_INJECT_LOSE_DEVICE || !(whats[what].at & 1 << where))
				continue;
			rule_complete(&rule, ns);
			rules[count++] = rule;
			if (whats[what].takes & TAKES_SPARE)
				rule.flags = DRM_VSM_INJECT_SPARE;
			else if (whats[what].takes & MAY_TAKE_ERROR)
				rule.error = RULE_ERROR;
			else
				continue;
			rules[count++] = rule;
		}
	}
	return count;
}

/*
 * Reads how often each rule of the device has fired. Returns the number of rules.
 */
static inline int rules_fired(int fd, uint64_t fired[RULES_MAX])
{
	struct drm_vsm_inject_rule rule = {};
	int count;

	for (count = 0; count < RULES_MAX; count++) {
		rule = inject_device_read(fd, rule.rule + 1);
		if (!rule.rule)
			break;
		fired[count] = rule.fired;
	}
	return count;
}

/*
 * Returns which share of the combinations a test tries: one in @stock, or one in @debug with a
 * kernel that has lockdep. If VSM_TEST_SHARE is 1, the test tries all; if it is more, fewer.
 */
static inline uint32_t rules_share(uint32_t stock, uint32_t debug)
{
	const char *text = getenv("VSM_TEST_SHARE");
	uint32_t usual = access("/proc/lockdep", F_OK) ? stock : debug;
	int share = text ? atoi(text) : 0;

	return share == 1 || share > (int)usual ? (uint32_t)share : usual;
}

/* VSM_TEST_SEED, or a seed that differs from run to run. It is the same for all tests of a run. */
static uint64_t rules_seed;

static __attribute__((constructor)) void set_rules_seed(void)
{
	const char *text = getenv("VSM_TEST_SEED");

	rules_seed = text ? strtoull(text, NULL, 0) : (uint64_t)now_ns() % 1000000;
}

#endif
