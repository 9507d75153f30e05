// SPDX-License-Identifier: GPL-2.0-only
/* Random rules of injection. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "failures.h"

#define DEBUGFS "/sys/kernel/debug/"
#define JOB_MS "100"

enum { LOUD, SILENT, HARMLESS };

#define KIND(where, what, type, error, arg) \
	{ DRM_VSM_INJECT_##where, DRM_VSM_INJECT_##what, type, error, arg, #where " " #what }

static const struct {
	uint32_t where, what;
	int type;
	bool error;
	uint32_t arg;
	const char *name;
} kinds[] = {
	/* Each round has one of the first two, and one of the next two. */
	KIND(COPY, DELAY, HARMLESS, false, 2000),
	KIND(COPY, SLOW, HARMLESS, false, 1 << 30),
	KIND(COMPLETE, SPLIT, HARMLESS, false, 256),
	KIND(COMPLETE, EARLY, HARMLESS, false, 2000),
	KIND(FENCE, DELAY, HARMLESS, false, 2000),
	KIND(JOB, DELAY, HARMLESS, false, 2000),
	KIND(SUBMIT, DELAY, HARMLESS, false, 2000),
	KIND(EXEC, DELAY, HARMLESS, false, 2000),
	KIND(SUBMIT, ERROR, LOUD, true, 0),
	KIND(EXEC, ERROR, LOUD, true, 0),
	KIND(ALLOC, ERROR, LOUD, true, 0),
	KIND(MMAP, ERROR, LOUD, true, 0),
	KIND(FENCE, ERROR, LOUD, true, 0),
	KIND(JOB, ERROR, LOUD, true, 0),
	KIND(COPY, ERROR, LOUD, true, 0),
	KIND(COMPLETE, ERROR, LOUD, true, 0),
	KIND(COPY, FLIP, LOUD, true, UINT32_MAX),
	KIND(FENCE, FAULT, LOUD, false, 0),
	KIND(JOB, FAULT, LOUD, false, 0),
	KIND(COPY, FAULT, LOUD, false, 0),
	KIND(COMPLETE, FAULT, LOUD, false, 0),
	KIND(EXEC, LOSE_CLUSTER, LOUD, false, 0),
	KIND(SUBMIT, LOSE_CLUSTER, LOUD, false, 0),
	KIND(JOB, LOSE_CLUSTER, LOUD, false, 0),
	KIND(COPY, LOSE_CLUSTER, LOUD, false, 0),
	KIND(COMPLETE, LOSE_CLUSTER, LOUD, false, 0),
	KIND(JOB, HANG, LOUD, false, 0),
	KIND(COPY, HANG, LOUD, false, 0),
	KIND(COMPLETE, HANG, LOUD, false, 0),
	KIND(COPY, LOSE, SILENT, false, 0),
	KIND(COPY, FLIP, SILENT, false, UINT32_MAX),
	KIND(COMPLETE, LOSE, SILENT, false, 0),
	KIND(COMPLETE, TWICE, SILENT, false, 0),
	KIND(COMPLETE, SHORT, SILENT, false, BLOCK),
};

const uint32_t kind_count = sizeof(kinds) / sizeof(kinds[0]);

/* The next random number of a seed (SplitMix64, which is public domain). */
uint64_t draw(uint64_t *seed)
{
	uint64_t x = *seed += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

const char *kind_name(uint32_t kind)
{
	return kinds[kind].name;
}

bool kind_is_silent(uint32_t kind)
{
	return kinds[kind].type == SILENT;
}

/* Write to a file of the device in debugfs. Returns a negative errno if it is not there. */
int device_write(struct stack *stack, const char *file, const char *text)
{
	char path[96];
	struct stat st;
	int fd, ret;

	if (access(DEBUGFS "dri", X_OK))
		mount("debugfs", DEBUGFS, "debugfs", 0, NULL);
	pthread_mutex_lock(&stack->lock);
	ret = fstat(stack->fd, &st);
	pthread_mutex_unlock(&stack->lock);
	snprintf(path, sizeof(path), DEBUGFS "dri/%u/%s", minor(st.st_rdev), file);
	fd = ret ? -1 : open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

struct drm_vsm_inject_rule rule_of_kind(uint32_t kind, uint64_t *seed)
{
	static const uint32_t errors[] = { ENOMEM, ENOSPC, EIO, EBUSY, EINTR, ETIMEDOUT, EPERM };
	struct drm_vsm_inject_rule rule = {
		.where = kinds[kind].where, .what = kinds[kind].what, .seed = draw(seed),
	};

	if (kinds[kind].error)
		rule.error = errors[draw(seed) % 7];
	if (kinds[kind].arg)
		rule.arg = 1 + draw(seed) % kinds[kind].arg;
	if (rule.what == DRM_VSM_INJECT_SLOW)
		rule.arg += 1 << 28;
	if (rule.what == DRM_VSM_INJECT_HANG)
		rule.times = 1;
	if (rule.what == DRM_VSM_INJECT_FAULT && draw(seed) & 1)
		rule.flags = DRM_VSM_INJECT_SPARE;
	return rule;
}

/*
 * Add the rules of a round: six that fire seldom, and two that delay copies and complete them in
 * another way, which fire often. Without the time limit of debugfs nothing hangs.
 *
 * When a device is lost, the kernel removes its pages from all mappings. A rule for mappings would
 * match when somebody touches them again. Therefore a round in which the device is @lost has none.
 */
void failures_begin(struct failures *failures, struct stack *stack, bool lost, uint64_t *seed)
{
	bool limit = !device_write(stack, "vsm_copy/job_timeout_ms", JOB_MS);
	uint32_t i;

	pthread_mutex_lock(&stack->lock);
	failures->reopened = stack->reopened;
	failures->count = 0;
	for (i = 0; i < RULES; i++) {
		uint32_t kind = i < 6 ? draw(seed) % kind_count : (i - 6) * 2 + draw(seed) % 2;
		struct drm_vsm_inject_rule rule = rule_of_kind(kind, seed);

		rule.probability = i >= 6 ? 900000 : 2000 + draw(seed) % 30000;
		if (rule.where == DRM_VSM_INJECT_ALLOC || rule.where == DRM_VSM_INJECT_MMAP)
			rule.probability = 300000;
		if ((rule.what == DRM_VSM_INJECT_HANG && (!limit || draw(seed) % 4)) ||
		    (rule.where == DRM_VSM_INJECT_MMAP && lost) ||
		    stack_call(stack->fd, DRM_IOCTL_VSM_INJECT_ADD, &rule))
			continue;
		rule.arg = kind;
		failures->rules[failures->count++] = rule;
	}
	pthread_mutex_unlock(&stack->lock);
}

/* Count and remove the rules of a round. */
void failures_end(struct failures *failures, struct stack *stack)
{
	struct drm_vsm_inject_remove all = {};
	uint32_t i;

	pthread_mutex_lock(&stack->lock);
	for (i = 0; i < failures->count && failures->reopened == stack->reopened; i++) {
		struct drm_vsm_inject_query query = { .rule = failures->rules[i].rule };

		if (stack_call(stack->fd, DRM_IOCTL_VSM_INJECT_QUERY, &query))
			continue;
		failures->fired += query.info.fired;
		failures->kinds[failures->rules[i].arg] += query.info.fired;
	}
	stack_call(stack->fd, DRM_IOCTL_VSM_INJECT_REMOVE, &all);
	pthread_mutex_unlock(&stack->lock);
}

void failures_print(const struct failures *failures)
{
	uint32_t i;

	for (i = 0; i < kind_count; i++)
		printf("# %-22s %8" PRIu64 "\n", kinds[i].name, failures->kinds[i]);
}
