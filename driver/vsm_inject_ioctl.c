// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules of injection: the ioctls for them, and failures injected into calls.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "base/vsm_client.h"
#include "base/vsm_fault.h"
#include "channel/vsm_channel.h"
#include "object/vsm_bo.h"
#include "object/vsm_cluster.h"
#include "sync/vsm_waiter.h"
#include "vsm_drv.h"
#include "vsm_ioctl.h"

/* --- failures of calls ----------------------------------------------------------- */

int vsm_client_inject_slow(struct vsm_client *client, enum drm_vsm_inject_where where)
{
	const struct vsm_inject_at at = { .client = client, .where = where };
	struct vsm_injection injection;

	return vsm_inject_call(&at, &injection);
}

int vsm_cluster_inject_slow(struct vsm_client *client, enum drm_vsm_inject_where where,
			    struct vsm_bo *bo, u32 channel)
{
	const struct vsm_inject_at at = {
		.client = client,
		.where = where,
		.channel = channel,
		.number = bo->cluster->number,
		.cluster = bo->cluster,
	};
	struct vsm_injection injection;
	int ret = vsm_inject_call(&at, &injection);

	if (ret && injection.what == DRM_VSM_INJECT_LOSE_CLUSTER)
		vsm_cluster_kill(bo->cluster);
	return ret;
}

/* --- ioctls ---------------------------------------------------------------------- */

/*
 * The ioctls for rules of injection: a client gives rules for what it does itself, and root gives
 * rules for all clients of the device.
 *
 * Rules change under &vsm_device.clients_lock, so that &vsm_client.injects always says what they
 * are.
 */

static void vsm_rule_free(struct vsm_rule *rule)
{
	vsm_bo_put(rule->bo);
	kfree(rule);
}

/* Free all rules. Nothing can match them any more. */
void vsm_rules_free(struct vsm_rules *rules)
{
	struct vsm_rule *rule;

	while ((rule = vsm_rules_remove(rules, 0)) != NULL)
		vsm_rule_free(rule);
}

/* The rules that the flags of a call are for, or -EPERM as a pointer. */
static struct vsm_rules *vsm_rules_of(struct vsm_client *client, u32 flags)
{
	if (!(flags & DRM_VSM_INJECT_OF_DEVICE))
		return &client->rules;
	return capable(CAP_SYS_ADMIN) ? &client->vdev->rules : ERR_PTR(-EPERM);
}

static void vsm_client_apply_rules(struct vsm_client *client)
{
	vsm_client_renew_injects(client);
	vsm_channels_queue(client);
}

/* The rules of the client or of the device have changed. What hangs because of them looks again. */
static void vsm_rules_apply(struct vsm_client *client, struct vsm_rules *rules)
{
	struct vsm_device *vdev = client->vdev;

	lockdep_assert_held(&vdev->clients_lock);
	if (rules == &client->rules) {
		vsm_client_apply_rules(client);
		return;
	}
	list_for_each_entry(client, &vdev->clients, link)
		vsm_client_apply_rules(client);
	wake_up_all(&rules->changed);
}

int vsm_inject_add_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_inject_rule *info = data;
	const char *field = vsm_rule_invalid(info);
	struct vsm_rules *rules;
	struct vsm_rule *rule;
	int ret;

	if (field)
		return vsm_invalid(drm, "INJECT_ADD", field);
	rules = vsm_rules_of(client, info->flags);
	if (IS_ERR(rules))
		return PTR_ERR(rules);
	/* The device is not this client's. */
	if (info->what == DRM_VSM_INJECT_LOSE_DEVICE && rules == &client->rules)
		return -EPERM;
	rule = kzalloc(sizeof(*rule), GFP_KERNEL_ACCOUNT);
	if (!rule)
		return -ENOMEM;
	rule->info = *info;
	if (info->flags & DRM_VSM_INJECT_OBJECT) {
		rule->bo = vsm_bo_lookup(file, info->object);
		if (!rule->bo) {
			kfree(rule);
			return -ENOENT;
		}
		rule->object = rule->bo->cluster ? (void *)rule->bo->cluster : rule->bo;
	}
	mutex_lock(&vdev->clients_lock);
	ret = vsm_rules_add(rules, rule);
	if (!ret) {
		/* Another task may remove the rule as soon as the lock is dropped. */
		info->rule = rule->info.rule;
		vsm_rules_apply(client, rules);
	}
	mutex_unlock(&vdev->clients_lock);
	if (ret)
		vsm_rule_free(rule);
	return ret;
}

static bool vsm_rule_has_fired(struct vsm_rules *rules, u32 number, u64 fired,
			       struct vsm_rule *copy, bool *gone)
{
	*gone = !vsm_rules_read(rules, number, false, copy);
	return *gone || copy->info.fired >= fired;
}

/* Wait until a rule has fired often enough. The copy is as new as the result. */
static int vsm_rule_wait(const struct vsm_device *vdev, struct vsm_rules *rules,
			 const struct drm_vsm_inject_query *query, struct vsm_rule *copy)
{
	ktime_t left = ktime_sub(ns_to_ktime(query->deadline), ktime_get());
	u32 number = copy->info.rule;
	bool gone = false;
	int ret;

	if (vsm_rule_has_fired(rules, number, query->fired, copy, &gone))
		return gone ? -ENOENT : 0;
	if (ktime_compare(left, 0) <= 0)
		return -ETIMEDOUT;
	ret = wait_event_interruptible_hrtimeout(rules->changed,
						 READ_ONCE(vdev->lost) ||
						 vsm_rule_has_fired(rules, number, query->fired,
								    copy, &gone), left);
	if (gone)
		return -ENOENT;
	if (copy->info.fired >= query->fired)
		return 0;
	if (READ_ONCE(vdev->lost))
		return -ENODEV;
	return ret == -ETIME ? -ETIMEDOUT : ret;
}

int vsm_inject_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_inject_query *query = data;
	struct vsm_rules *rules;
	struct vsm_rule copy;
	int ret = 0;

	if (query->flags & ~(DRM_VSM_INJECT_NEXT | DRM_VSM_INJECT_OF_DEVICE))
		return vsm_invalid(drm, "INJECT_QUERY", "flags");
	if (query->deadline < 0)
		return vsm_invalid(drm, "INJECT_QUERY", "deadline");
	rules = vsm_rules_of(client, query->flags);
	if (IS_ERR(rules))
		return PTR_ERR(rules);
	if (!vsm_rules_read(rules, query->rule, query->flags & DRM_VSM_INJECT_NEXT, &copy))
		return -ENOENT;
	if (query->fired)
		ret = vsm_rule_wait(vdev, rules, query, &copy);
	query->info = copy.info;
	return ret;
}

int vsm_inject_remove_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_inject_remove *args = data;
	struct vsm_rules *rules;
	/* Other tasks may add rules meanwhile. */
	u32 most = VSM_MAX_RULES;
	struct vsm_rule *rule;

	if (args->flags & ~DRM_VSM_INJECT_OF_DEVICE)
		return vsm_invalid(drm, "INJECT_REMOVE", "flags");
	rules = vsm_rules_of(client, args->flags);
	if (IS_ERR(rules))
		return PTR_ERR(rules);
	do {
		mutex_lock(&vdev->clients_lock);
		rule = vsm_rules_remove(rules, args->rule);
		vsm_rules_apply(client, rules);
		mutex_unlock(&vdev->clients_lock);
		if (rule)
			vsm_rule_free(rule);
	} while (rule && !args->rule && --most);
	return rule || !args->rule ? 0 : -ENOENT;
}
