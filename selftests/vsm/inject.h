/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for rules of injection.
 */
#ifndef VSM_TEST_INJECT_H
#define VSM_TEST_INJECT_H

#include "channel.h"
#include "model.h"

/* A rule for WHERE and WHAT; other fields may follow. */
#define R(where_, what_, ...) ((struct drm_vsm_inject_rule){		\
	.where = DRM_VSM_INJECT_##where_, .what = DRM_VSM_INJECT_##what_, __VA_ARGS__ })

/* Adds a rule. Returns its number or a negative errno. */
static inline int inject(int fd, struct drm_vsm_inject_rule rule)
{
	int ret = vsm_ioctl(fd, DRM_IOCTL_VSM_INJECT_ADD, &rule);

	return ret ? ret : (int)rule.rule;
}

/* Adds a rule to those of the device. Returns its number or a negative errno. */
static inline int inject_device(int fd, struct drm_vsm_inject_rule rule)
{
	rule.flags |= DRM_VSM_INJECT_OF_DEVICE;
	return inject(fd, rule);
}

/* Removes a rule, or with 0 all rules. */
static inline int inject_remove(int fd, uint32_t rule)
{
	struct drm_vsm_inject_remove args = { .rule = rule };

	return vsm_ioctl(fd, DRM_IOCTL_VSM_INJECT_REMOVE, &args);
}

/* Removes a rule of the device, or with 0 all of them. */
static inline int inject_device_remove(int fd, uint32_t rule)
{
	struct drm_vsm_inject_remove args = { .rule = rule, .flags = DRM_VSM_INJECT_OF_DEVICE };

	return vsm_ioctl(fd, DRM_IOCTL_VSM_INJECT_REMOVE, &args);
}

/* Reads a rule of the device, or the first one after it. A lack of rules reads as the number 0. */
static inline struct drm_vsm_inject_rule inject_device_read(int fd, uint32_t rule)
{
	struct drm_vsm_inject_query query = {
		.rule = rule, .flags = DRM_VSM_INJECT_OF_DEVICE | DRM_VSM_INJECT_NEXT,
	};

	if (vsm_ioctl(fd, DRM_IOCTL_VSM_INJECT_QUERY, &query))
		return (struct drm_vsm_inject_rule){ .matched = POISON, .fired = POISON };
	return query.info;
}

/* Reads a rule with its counters. */
static inline struct drm_vsm_inject_rule inject_read(int fd, uint32_t rule)
{
	struct drm_vsm_inject_query query = { .rule = rule };

	if (vsm_ioctl(fd, DRM_IOCTL_VSM_INJECT_QUERY, &query))
		return (struct drm_vsm_inject_rule){ .matched = POISON, .fired = POISON };
	return query.info;
}

static inline uint64_t inject_fired(int fd, uint32_t rule)
{
	return inject_read(fd, rule).fired;
}

static inline uint64_t inject_matched(int fd, uint32_t rule)
{
	return inject_read(fd, rule).matched;
}

/* Waits until a rule has fired @fired times, for at most @ns. */
static inline int inject_wait(int fd, uint32_t rule, uint64_t fired, int64_t ns)
{
	struct drm_vsm_inject_query query = {
		.rule = rule, .fired = fired, .deadline = now_ns() + ns,
	};

	return vsm_ioctl(fd, DRM_IOCTL_VSM_INJECT_QUERY, &query);
}

/* Returns a random rule that is valid, except that it may make no sense where it looks. */
static inline struct drm_vsm_inject_rule random_rule(uint64_t *seed)
{
	static const uint32_t errors[] = { EINVAL, ENOENT, ENOMEM, ENOSPC, EIO, EINTR, ENODEV };
	uint64_t r = random_next(seed);
	struct drm_vsm_inject_rule rule = {
		.where = r % (DRM_VSM_INJECT_COMPLETE + 1),
		.what = (r >> 8) % DRM_VSM_INJECT_LOSE_DEVICE,
		.first = (r >> 16) % 4,
		.every = (r >> 20) % 4,
		.times = 1 + (r >> 24) % 4,
		.probability = (r >> 28) % 4 ? 0 : 500000,
		.seed = r >> 32,
	};

	switch (rule.what) {
	case DRM_VSM_INJECT_FLIP:
		rule.arg = r >> 40;
		rule.error = (r >> 32) % 2 ? EIO : 0;
		break;
	case DRM_VSM_INJECT_ERROR:
		rule.error = errors[(r >> 32) % ITEMS(errors)];
		break;
	case DRM_VSM_INJECT_SLOW:	/* bytes per second */
		rule.arg = 100000000;
		break;
	case DRM_VSM_INJECT_DELAY:
	case DRM_VSM_INJECT_EARLY:	/* ns */
		rule.arg = 1 + (r >> 40) % 1000000;
		break;
	case DRM_VSM_INJECT_SPLIT:
	case DRM_VSM_INJECT_SHORT:
		rule.arg = 1 + (r >> 40) % 64;
		break;
	}
	return rule;
}

#endif
