// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injection: which rule fires, and what a call makes of that. Jobs (vsm_job.c) and operations
 * (vsm_op_inject.c) make something else of it.
 *
 * &vsm_client.injects says for which places the client or its device has rules, so that a place
 * without a rule costs one test. A rule that is added while something happens may miss it.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/sched.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "base/vsm_inject.h"
#include "vsm_drv.h"

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

/**
 * vsm_inject - Does a rule fire now?
 * @at: What is happening
 * @injection: What the rule does (out)
 *
 * The caller has asked vsm_injects() first.
 *
 * Context: the caller holds no lock that comes after &vsm_rules.lock. This allocates nothing.
 *
 * Return: true if a rule has fired. It is for the caller to do what @injection says, except that
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

/**
 * vsm_injection_until - Until when does a channel stand still?
 * @injection: An injection that delays something
 * @bytes: Bytes of the operation
 *
 * Return: Time (CLOCK_MONOTONIC, ns).
 */
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

/**
 * vsm_inject_call - Does a rule fire for a call? Then sleep as it says, or fail
 * @at: What is happening
 * @injection: What the rule does (out)
 *
 * Return: 0 if the call goes on; the error of the rule; -EIO if the caller has to kill the cluster;
 * -ENODEV, or -ERESTARTSYS.
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
