// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules of injection that a client or a device has: which ones are valid, and the list of them.
 */
#include <linux/bits.h>
#include <linux/errno.h>

#include "base/vsm_rules.h"

enum {
	TAKES_ERROR = BIT(0),
	MAY_TAKE_ERROR = BIT(1),
	TAKES_ARG = BIT(2),
	MAY_TAKE_ARG = BIT(3),
	TAKES_SPARE = BIT(4),
	TAKES_RETURN = BIT(5),
	HAS_CHANNEL = DRM_VSM_INJECT_CHANNEL,
	HAS_OBJECT = DRM_VSM_INJECT_OBJECT,
};

enum {
	AT_EXEC = BIT(DRM_VSM_INJECT_EXEC),
	AT_SUBMIT = BIT(DRM_VSM_INJECT_SUBMIT),
	AT_CALL = AT_EXEC | AT_SUBMIT | BIT(DRM_VSM_INJECT_ARM) | BIT(DRM_VSM_INJECT_ALLOC) |
		  BIT(DRM_VSM_INJECT_IMPORT),
	AT_MMAP = BIT(DRM_VSM_INJECT_MMAP),
	AT_JOB = BIT(DRM_VSM_INJECT_FENCE) | BIT(DRM_VSM_INJECT_JOB),
	AT_COPY = BIT(DRM_VSM_INJECT_COPY),
	AT_COMPLETE = BIT(DRM_VSM_INJECT_COMPLETE),
	AT_OP = AT_COPY | AT_COMPLETE,
};

/* The tables are in the order of the enumerations. */
#define VSM_INJECT_WHERE(NAME, name, has)	has,
static const u32 vsm_where_has[] = {
#include <drm/vsm_inject_table.h>
};

#define VSM_INJECT_WHAT(NAME, name, takes, at)	{ takes, at },
static const struct {
	u32 takes;
	u32 at;
} vsm_whats[] = {
#include <drm/vsm_inject_table.h>
};

static_assert(ARRAY_SIZE(vsm_where_has) == DRM_VSM_INJECT_COMPLETE + 1);
static_assert(ARRAY_SIZE(vsm_whats) == DRM_VSM_INJECT_LOSE_DEVICE + 1);

void vsm_rules_init(struct vsm_rules *rules)
{
	spin_lock_init(&rules->lock);
	INIT_LIST_HEAD(&rules->list);
	init_waitqueue_head(&rules->changed);
}

static bool vsm_number_is_wrong(u64 number, u32 takes, u32 must, u32 may)
{
	return number ? !(takes & (must | may)) : takes & must;
}

/**
 * vsm_rule_invalid - Check a rule
 * @info: Rule from user space
 *
 * Return: The name of the first field that is wrong, or NULL.
 */
const char *vsm_rule_invalid(const struct drm_vsm_inject_rule *info)
{
	u32 takes, flags;

	if (info->where >= ARRAY_SIZE(vsm_where_has))
		return "where";
	if (info->what >= ARRAY_SIZE(vsm_whats))
		return "what";
	if (!(vsm_whats[info->what].at & BIT(info->where)))
		return "what: not there";
	takes = vsm_whats[info->what].takes;
	if (info->flags & DRM_VSM_INJECT_OF_DEVICE)
		flags = DRM_VSM_INJECT_OF_DEVICE |
			(vsm_where_has[info->where] & ~DRM_VSM_INJECT_OBJECT);
	else
		flags = vsm_where_has[info->where];
	flags |= (takes & TAKES_SPARE ? DRM_VSM_INJECT_SPARE : 0) |
		(takes & TAKES_RETURN ? DRM_VSM_INJECT_RETURN : 0);
	if (info->flags & ~flags)
		return "flags";
	if (info->channel && !(info->flags & DRM_VSM_INJECT_CHANNEL))
		return "channel";
	if (info->object && !(info->flags & DRM_VSM_INJECT_OBJECT))
		return "object";
	if (info->client && !(info->flags & DRM_VSM_INJECT_OF_DEVICE))
		return "client";
	if (info->cluster && !(info->flags & DRM_VSM_INJECT_OF_DEVICE))
		return "cluster";
	if (vsm_number_is_wrong(info->error, takes, TAKES_ERROR, MAY_TAKE_ERROR) ||
	    info->error == EAGAIN || info->error == EINTR || info->error > EHWPOISON)
		return "error";
	if (vsm_number_is_wrong(info->arg, takes, TAKES_ARG, MAY_TAKE_ARG))
		return "arg";
	if (info->probability > 1000000)
		return "probability";
	return info->rule || info->matched || info->fired ? "a result that is not 0" : NULL;
}

/**
 * vsm_rules_add - Add a rule
 * @rules: Rules
 * @rule: Rule that has been checked; gets its number
 *
 * Return: 0, or -ENOSPC if there are %VSM_MAX_RULES.
 */
int vsm_rules_add(struct vsm_rules *rules, struct vsm_rule *rule)
{
	int ret = 0;

	spin_lock(&rules->lock);
	if (rules->count < VSM_MAX_RULES && rules->last < S32_MAX) {
		rules->count++;
		rule->info.rule = ++rules->last;
		list_add_tail(&rule->link, &rules->list);
	} else {
		ret = -ENOSPC;
	}
	spin_unlock(&rules->lock);
	return ret;
}

/* The rule with a number or, with @next, the first one that is not below it. */
static struct vsm_rule *vsm_rules_find(struct vsm_rules *rules, u32 number, bool next)
{
	struct vsm_rule *rule;

	lockdep_assert_held(&rules->lock);
	list_for_each_entry(rule, &rules->list, link)
		if (rule->info.rule == number || (next && rule->info.rule > number))
			return rule;
	return NULL;
}

/**
 * vsm_rules_remove - Remove a rule
 * @rules: Rules
 * @number: Number of the rule, or 0 for the first one
 *
 * What waits because of the rule looks again after a wake-up, which is for the caller to do.
 *
 * Return: The rule, which is the caller's now; or NULL if there is none.
 */
struct vsm_rule *vsm_rules_remove(struct vsm_rules *rules, u32 number)
{
	struct vsm_rule *rule;

	spin_lock(&rules->lock);
	rule = vsm_rules_find(rules, number, !number);
	if (rule) {
		list_del(&rule->link);
		rules->count--;
	}
	spin_unlock(&rules->lock);
	return rule;
}

/**
 * vsm_rules_read - Copy a rule with its counters
 * @rules: Rules
 * @number: Number of the rule
 * @next: Take the rule with the lowest number that is not below @number
 * @copy: The copy (out)
 *
 * Return: false if there is no such rule.
 */
bool vsm_rules_read(struct vsm_rules *rules, u32 number, bool next, struct vsm_rule *copy)
{
	struct vsm_rule *rule;

	spin_lock(&rules->lock);
	rule = vsm_rules_find(rules, number, next);
	if (rule)
		*copy = *rule;
	spin_unlock(&rules->lock);
	return rule;
}

bool vsm_rules_have(struct vsm_rules *rules, u32 number)
{
	bool have;

	spin_lock(&rules->lock);
	have = vsm_rules_find(rules, number, false);
	spin_unlock(&rules->lock);
	return have;
}

/* Mask of BIT(where) of all rules. */
u32 vsm_rules_places(struct vsm_rules *rules)
{
	struct vsm_rule *rule;
	u32 places = 0;

	spin_lock(&rules->lock);
	list_for_each_entry(rule, &rules->list, link)
		places |= BIT(rule->info.where);
	spin_unlock(&rules->lock);
	return places;
}
