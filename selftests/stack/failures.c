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

/*
 * What a kind does to the job that it meets: it makes the job late (HARMLESS), the stack sees an
 * error and tries again (LOUD), the job ends with an error that the stack reports (GUILTY), or the
 * results are wrong without an error (SILENT).
 */
enum { HARMLESS, LOUD, GUILTY, SILENT };

#define KIND(where, what, type, error, arg) \
	{ DRM_VSM_INJECT_##where, DRM_VSM_INJECT_##what, type, error, arg, #where " " #what }

static const struct {
	uint32_t where, what;
	int type;
	bool error;
	uint32_t arg;
	const char *name;
} kinds[] = {
	/* Each round has one of the first two, one of the next two, and one of the next four. */
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
	KIND(JOB, ERROR, GUILTY, true, 0),
	KIND(COPY, ERROR, GUILTY, true, 0),
	KIND(COMPLETE, ERROR, GUILTY, true, 0),
	KIND(COPY, FLIP, GUILTY, true, UINT32_MAX),
	KIND(FENCE, FAULT, GUILTY, false, 0),
	KIND(JOB, FAULT, GUILTY, false, 0),
	KIND(COPY, FAULT, GUILTY, false, 0),
	KIND(COMPLETE, FAULT, GUILTY, false, 0),
	KIND(EXEC, LOSE_CLUSTER, LOUD, false, 0),
	KIND(SUBMIT, LOSE_CLUSTER, LOUD, false, 0),
	KIND(JOB, LOSE_CLUSTER, LOUD, false, 0),
	KIND(COPY, LOSE_CLUSTER, LOUD, false, 0),
	KIND(COMPLETE, LOSE_CLUSTER, LOUD, false, 0),
	KIND(JOB, HANG, GUILTY, false, 0),
	KIND(COPY, HANG, GUILTY, false, 0),
	KIND(COMPLETE, HANG, GUILTY, false, 0),
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
 * The kind of a rule of a round: any kind of failure that no rule before has, and then one of each
 * group of delays. Two rules of MMAP would refuse so many pages that no buffer could be mapped.
 */
static uint32_t draw_kind(uint32_t number, uint64_t *taken, uint64_t *seed)
{
	static const uint32_t groups[DELAYS][2] = { { 0, 2 }, { 2, 2 }, { 4, 4 } };
	uint32_t kind;

	if (number >= FAILURES)
		return groups[number - FAILURES][0] + draw(seed) % groups[number - FAILURES][1];
	do {
		kind = draw(seed) % kind_count;
	} while (kinds[kind].type == HARMLESS || *taken & 1ull << kind);
	*taken |= 1ull << kind;
	return kind;
}

/*
 * How often a rule fires, in millionths. Guilty jobs are rare, because they fail, and so do jobs
 * that need their results. Lost clusters are rare, because each of them costs much time.
 */
static uint32_t draw_probability(uint32_t kind, uint64_t *seed)
{
	static const uint32_t most[] = {
		[HARMLESS] = 50000, [LOUD] = 200000, [GUILTY] = 40000, [SILENT] = 150000,
	};

	if (kinds[kind].where == DRM_VSM_INJECT_ALLOC || kinds[kind].where == DRM_VSM_INJECT_MMAP)
		return 300000;
	if (kinds[kind].what == DRM_VSM_INJECT_LOSE_CLUSTER)
		return 2000 + draw(seed) % 15000;
	return 2000 + draw(seed) % most[kinds[kind].type];
}

/*
 * Add the rules of a round: failures of different kinds, and after them delays, which therefore
 * never keep a failure from happening. Without the time limit of debugfs nothing hangs.
 *
 * When a device is lost, the kernel removes its pages from all mappings. A rule for mappings would
 * match when somebody touches them again. Therefore a round in which the device is @lost has none.
 */
void failures_begin(struct failures *failures, struct stack *stack, bool lost, uint64_t *seed)
{
	bool limit = !device_write(stack, "vsm_copy/job_timeout_ms", JOB_MS);
	uint64_t taken = 0;
	uint32_t i;

	pthread_mutex_lock(&stack->lock);
	failures->reopened = stack->reopened;
	failures->count = 0;
	for (i = 0; i < FAILURES + DELAYS; i++) {
		uint32_t kind = draw_kind(i, &taken, seed);
		struct drm_vsm_inject_rule rule = rule_of_kind(kind, seed);

		rule.probability = draw_probability(kind, seed);
		if ((rule.what == DRM_VSM_INJECT_HANG && (!limit || draw(seed) % 4)) ||
		    (rule.where == DRM_VSM_INJECT_MMAP && lost) ||
		    stack_call(stack->fd, DRM_IOCTL_VSM_INJECT_ADD, &rule))
			continue;
		rule.arg = kind;
		failures->rules[failures->count++] = rule;
	}
	pthread_mutex_unlock(&stack->lock);
}

/* Give the device a rule: it is lost at a job, and comes back. Only root may do that. */
int failures_lose_device(struct stack *stack)
{
	struct drm_vsm_inject_rule rule = {
		.where = DRM_VSM_INJECT_JOB, .what = DRM_VSM_INJECT_LOSE_DEVICE,
		.flags = DRM_VSM_INJECT_OF_DEVICE | DRM_VSM_INJECT_RETURN, .first = 30, .times = 1,
	};
	int ret;

	pthread_mutex_lock(&stack->lock);
	ret = stack_call(stack->fd, DRM_IOCTL_VSM_INJECT_ADD, &rule);
	pthread_mutex_unlock(&stack->lock);
	return ret;
}

/* Count and remove the rules of a round. */
void failures_end(struct failures *failures, struct stack *stack)
{
	struct drm_vsm_inject_remove all = {};
	uint32_t i;

	pthread_mutex_lock(&stack->lock);
	for (i = 0; i < failures->count && failures->reopened == stack->reopened; i++) {
		struct drm_vsm_inject_query query = { .rule = failures->rules[i].rule };
		uint32_t kind = failures->rules[i].arg;

		if (stack_call(stack->fd, DRM_IOCTL_VSM_INJECT_QUERY, &query))
			continue;
		if (kinds[kind].type == HARMLESS)
			failures->delays += query.info.fired;
		else
			failures->fired += query.info.fired;
		failures->kinds[kind] += query.info.fired;
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
