/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Injection: what the rules make of a moment.
 */
#ifndef _VSM_INJECT_H_
#define _VSM_INJECT_H_

#include <linux/bits.h>

#include "base/vsm_client.h"
#include "base/vsm_rules.h"

/**
 * struct vsm_inject_at - A moment at which rules may match
 * @client: Client that does it
 * @where: &enum drm_vsm_inject_where
 * @channel: Channel, if there is one
 * @number: Number of @cluster, or 0
 * @cluster: Its &struct vsm_cluster, or NULL
 * @bo: Its buffer, or the object of its mapping, or NULL
 * @foreign: No rule of the client matches, only rules of the device
 * @no_flip: No rule of %DRM_VSM_INJECT_FLIP matches
 */
struct vsm_inject_at {
	struct vsm_client *client;
	enum drm_vsm_inject_where where;
	u32 channel;
	u32 number;
	const void *cluster;
	const void *bo;
	bool foreign;
	bool no_flip;
};

/**
 * struct vsm_injection - What a rule that has fired does
 * @rule: Number of the rule, with VSM_RULE_OF_DEVICE if it is one of the device; 0 if none has
 *	fired
 * @what: &enum drm_vsm_inject_what
 * @flags: &drm_vsm_inject_rule.flags
 * @error: &drm_vsm_inject_rule.error
 * @arg: &drm_vsm_inject_rule.arg; or, if the seed chooses it, what the seed has chosen
 */
struct vsm_injection {
	u32 rule;
	u8 what;
	u8 flags;
	u16 error;
	u64 arg;
};

#define VSM_RULE_OF_DEVICE	0x80000000

/* Is there a rule for one of these places, a mask of BIT(where)? */
static inline bool vsm_injects(const struct vsm_client *client, u32 places)
{
	return unlikely(READ_ONCE(client->injects) & places);
}

/* Does the channel stand still because of this? */
static inline bool vsm_injection_stalls(const struct vsm_injection *injection)
{
	return injection->what == DRM_VSM_INJECT_HANG ||
	       injection->what == DRM_VSM_INJECT_DELAY ||
	       injection->what == DRM_VSM_INJECT_SLOW ||
	       injection->what == DRM_VSM_INJECT_LOSE_DEVICE;
}

void vsm_client_renew_injects(struct vsm_client *client);
bool vsm_inject(const struct vsm_inject_at *at, struct vsm_injection *injection);
bool vsm_injection_lasts(struct vsm_client *client, const struct vsm_injection *injection);
s64 vsm_injection_until(const struct vsm_injection *injection, u32 bytes);
int vsm_inject_call(const struct vsm_inject_at *at, struct vsm_injection *injection);

#endif
