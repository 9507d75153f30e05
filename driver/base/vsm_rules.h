/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules of injection that a client or a device has.
 */
#ifndef _VSM_RULES_H_
#define _VSM_RULES_H_

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include <drm/vsm_drm.h>

/* Rules that a client, or a device, may have */
#define VSM_MAX_RULES	64

/**
 * struct vsm_rule - A rule
 * @link: In &vsm_rules.list
 * @info: The rule, as user space sees it
 * @object: What &drm_vsm_inject_rule.object names: a &struct vsm_cluster or a &struct vsm_bo, or
 *	NULL for any
 * @bo: The GEM object of @object, with a reference that whoever removes the rule puts
 */
struct vsm_rule {
	struct list_head link;
	struct drm_vsm_inject_rule info;
	const void *object;
	struct vsm_bo *bo;
};

/**
 * struct vsm_rules - The rules of a client or of a device
 * @lock: Protects @list, the counters of the rules, @count and @last
 * @list: The rules, in the order of their numbers
 * @count: Number of rules
 * @last: Number of the rule that was added last
 * @changed: Tasks that wait until a rule fires or is removed, or until the device is lost
 */
struct vsm_rules {
	spinlock_t lock; /* list, count, last */
	struct list_head list;
	u32 count;
	u32 last;
	wait_queue_head_t changed;
};

void vsm_rules_init(struct vsm_rules *rules);
const char *vsm_rule_invalid(const struct drm_vsm_inject_rule *info);
int vsm_rules_add(struct vsm_rules *rules, struct vsm_rule *rule);
struct vsm_rule *vsm_rules_remove(struct vsm_rules *rules, u32 number);
bool vsm_rules_read(struct vsm_rules *rules, u32 number, bool next, struct vsm_rule *copy);
bool vsm_rules_have(struct vsm_rules *rules, u32 number);
u32 vsm_rules_places(struct vsm_rules *rules);

#endif
