// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injection: the rules of a client or a device, which rule fires, and what a call makes of that.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/sched.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "base/vsm_client.h"
#include "vsm_drv.h"

/* --- rules ----------------------------------------------------------------------- */

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

/* Check a rule. Returns the name of the first field that is wrong, or NULL. */
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

/*
 * Add a rule.
 * @rule: Rule that has been checked; gets its number
 *
 * Returns 0, or -ENOSPC if there are %VSM_MAX_RULES.
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

/*
 * Copy a rule with its counters.
 * @next: Take the rule with the lowest number that is not below @number
 * @copy: The copy (out)
 *
 * Returns false if there is no such rule.
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

static bool vsm_rules_have(struct vsm_rules *rules, u32 number)
{
	bool have;

	spin_lock(&rules->lock);
	have = vsm_rules_find(rules, number, false);
	spin_unlock(&rules->lock);
	return have;
}

/* Mask of BIT(where) of all rules. */
static u32 vsm_rules_places(struct vsm_rules *rules)
{
	struct vsm_rule *rule;
	u32 places = 0;

	spin_lock(&rules->lock);
	list_for_each_entry(rule, &rules->list, link)
		places |= BIT(rule->info.where);
	spin_unlock(&rules->lock);
	return places;
}

/* --- rules that fire ------------------------------------------------------------- */

/*
 * Injection: which rule fires, and what a call makes of that. Jobs (vsm_job.c) and operations
 * (vsm_op.c) make something else of it.
 *
 * &vsm_client.injects says for which places the client or its device has rules, so that a place
 * without a rule costs one test. A rule that is added while something happens may miss it.
 */

/* Longest delay. A longer one would overflow, and a test does not wait for it. */
#define VSM_INJECT_MAX_NS	(3600 * (u64)NSEC_PER_SEC)

/*
 * The rules of the client or of its device have changed. The caller holds
 * &vsm_device.clients_lock, so that a change cannot be overwritten by an older one.
 */
void vsm_client_renew_injects(struct vsm_client *client)
{
	lockdep_assert_held(&client->vdev->clients_lock);
	WRITE_ONCE(client->injects, vsm_rules_places(&client->rules) |
				    vsm_rules_places(&client->vdev->rules));
	/* A call may hang because of a rule that has gone. */
	wake_up_all(&client->rules.changed);
}

/* A random number: the n-th one of a seed (the finaliser of SplitMix64, which is public domain). */
static u64 vsm_draw(u64 seed, u64 n)
{
	u64 x = seed + n * 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static bool vsm_rule_matches(const struct vsm_rule *rule, const struct vsm_inject_at *at)
{
	return rule->info.where == at->where &&
	       !(at->no_flip && rule->info.what == DRM_VSM_INJECT_FLIP) &&
	       (!(rule->info.flags & DRM_VSM_INJECT_CHANNEL) ||
		rule->info.channel == at->channel) &&
	       (!rule->object || rule->object == at->cluster || rule->object == at->bo) &&
	       (!rule->info.client || rule->info.client == at->client->number) &&
	       (!rule->info.cluster || rule->info.cluster == at->number);
}

/* Is it the rule's turn at this match, its @n-th? */
static bool vsm_rule_has_turn(const struct drm_vsm_inject_rule *info, u64 n)
{
	u64 first = info->first ?: 1;

	return n >= first && !((n - first) % (info->every ?: 1)) &&
	       (!info->times || info->fired < info->times) &&
	       (!info->probability || vsm_draw(info->seed, n) % 1000000 < info->probability);
}

/*
 * Count the match in all rules that match. The first one whose turn it is fires, unless one has
 * fired before.
 */
static bool vsm_rules_fire(struct vsm_rules *rules, const struct vsm_inject_at *at,
			   struct vsm_injection *injection)
{
	struct vsm_rule *rule;
	bool fired = false;

	spin_lock(&rules->lock);
	list_for_each_entry(rule, &rules->list, link) {
		struct drm_vsm_inject_rule *info = &rule->info;

		if (!vsm_rule_matches(rule, at))
			continue;
		info->matched++;
		if (injection->rule || !vsm_rule_has_turn(info, info->matched))
			continue;
		info->fired++;
		fired = true;
		*injection = (struct vsm_injection) {
			.rule = info->rule,
			.what = info->what,
			.flags = info->flags,
			.error = info->error,
			.arg = info->arg,
		};
		if (info->what == DRM_VSM_INJECT_FLIP && info->arg == U64_MAX)
			injection->arg = vsm_draw(~info->seed, info->matched);
	}
	spin_unlock(&rules->lock);
	if (fired)
		wake_up_all(&rules->changed);
	return fired;
}

/*
 * Ask for the end of the device. The work has a reference on it. The file that does this has one
 * too, so the one that is put here is not the last.
 */
static void vsm_device_lose(struct vsm_device *vdev, bool returns)
{
	WRITE_ONCE(vdev->wedged, true);
	if (returns)
		WRITE_ONCE(vdev->lose_returns, true);
	drm_dev_get(&vdev->drm);
	if (!queue_work(vdev->lose_wq, &vdev->lose_work))
		drm_dev_put(&vdev->drm);
}

/*
 * Does a rule fire now?
 * @injection: What the rule does (out)
 *
 * The caller has asked vsm_injects() first.
 *
 * Context: the caller holds no lock that comes after &vsm_rules.lock. This allocates nothing.
 * Returns true if a rule has fired. It is for the caller to do what @injection says, except that
 * the end of the device has been asked for; the caller waits for that.
 */
bool vsm_inject(const struct vsm_inject_at *at, struct vsm_injection *injection)
{
	struct vsm_device *vdev = at->client->vdev;

	*injection = (struct vsm_injection) {};
	if (!at->foreign)
		vsm_rules_fire(&at->client->rules, at, injection);
	if (vsm_rules_fire(&vdev->rules, at, injection))
		injection->rule |= VSM_RULE_OF_DEVICE;
	if (!injection->rule)
		return false;
	drm_dbg_driver(&vdev->drm, "rule %u of %s %u fires: where %u what %u\n",
		       injection->rule & ~VSM_RULE_OF_DEVICE,
		       injection->rule & VSM_RULE_OF_DEVICE ? "the device, for client" : "client",
		       at->client->number, at->where, injection->what);
	if (injection->what == DRM_VSM_INJECT_LOSE_DEVICE)
		vsm_device_lose(vdev, injection->flags & DRM_VSM_INJECT_RETURN);
	return true;
}

/* Does a hang last? It ends when its rule is removed. Every other injection lasts. */
bool vsm_injection_lasts(struct vsm_client *client, const struct vsm_injection *injection)
{
	u32 number = injection->rule & ~VSM_RULE_OF_DEVICE;

	return injection->what != DRM_VSM_INJECT_HANG ||
	       vsm_rules_have(injection->rule & VSM_RULE_OF_DEVICE ? &client->vdev->rules
								    : &client->rules, number);
}

/* Until when does a channel stand still? Returns time (CLOCK_MONOTONIC, ns). */
s64 vsm_injection_until(const struct vsm_injection *injection, u32 bytes)
{
	u64 ns = injection->arg;

	if (injection->what == DRM_VSM_INJECT_SLOW)
		ns = div64_u64(bytes * (u64)NSEC_PER_SEC, injection->arg);
	else if (injection->what == DRM_VSM_INJECT_HANG ||
		 injection->what == DRM_VSM_INJECT_LOSE_DEVICE)
		ns = VSM_INJECT_MAX_NS;
	return ktime_get_ns() + min_t(u64, ns, VSM_INJECT_MAX_NS);
}

static int vsm_inject_sleep(struct vsm_client *client, const struct vsm_injection *injection)
{
	struct vsm_device *vdev = client->vdev;
	u64 ns = min_t(u64, injection->arg, VSM_INJECT_MAX_NS);
	int ret;

	if (injection->what == DRM_VSM_INJECT_DELAY)
		ret = wait_event_interruptible_hrtimeout(client->rules.changed,
							 READ_ONCE(vdev->lost), ns_to_ktime(ns));
	else
		ret = wait_event_interruptible(client->rules.changed,
					       READ_ONCE(vdev->lost) ||
					       !vsm_injection_lasts(client, injection));
	return READ_ONCE(vdev->lost) ? -ENODEV : ret == -ETIME ? 0 : ret;
}

/*
 * Does a rule fire for a call? Then sleep as it says, or fail.
 * @injection: What the rule does (out)
 *
 * Returns 0 if the call goes on; the error of the rule; -EIO if the caller has to kill the
 * cluster; -ENODEV, or -ERESTARTSYS.
 */
int vsm_inject_call(const struct vsm_inject_at *at, struct vsm_injection *injection)
{
	if (!vsm_inject(at, injection))
		return 0;
	if (injection->what == DRM_VSM_INJECT_ERROR)
		return -injection->error;
	if (injection->what == DRM_VSM_INJECT_LOSE_CLUSTER)
		return -EIO;
	return vsm_inject_sleep(at->client, injection);
}
