// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user-mode driver of a foreign kind, under random failures: every byte of its results is right,
 * or it reports an error, and nothing hangs.
 *
 * Usage: stack [FAILURES [SEED]]. A failed round prints its seed: "stack 1 SEED" repeats it.
 * VSM_TEST_FAILURES replaces the default of FAILURES. Delays are no failures, and do not count.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "failures.h"

#define TARGET 100000
#define SOURCES 8
#define JOBS 60
#define ALLOC_TRIES 5000
#define ROUNDS 20		/* one of so many rounds loses the device */

/* Jobs and what they should do */
struct round {
	unsigned char data[SOURCES][BLOCK];	/* bytes of the sources */
	struct block *sources[SOURCES];		/* blocks with these bytes */
	struct job jobs[JOBS];
	/* Number of the source whose bytes each destination should get */
	uint32_t source[JOBS][COPIES];
	uint32_t failed;			/* jobs that have ended with an error */
};

static struct block *get(struct stack *stack)
{
	struct block *block = NULL;
	int i;

	/* While the device is lost, nothing can be allocated. */
	for (i = 0; i < ALLOC_TRIES && !block; i++) {
		block = block_get(stack);
		if (!block)
			usleep(1000);
	}
	return block;
}

/* Fill in a job: its sources are those of the round, or results of up to two jobs before it. */
static bool job_fill(struct stack *stack, struct round *round, uint32_t number, uint64_t *seed)
{
	struct job *job = &round->jobs[number];
	uint32_t i, deps[DEPS] = {};

	*job = (struct job){};
	while (number && job->dep_count < DEPS && draw(seed) & 1) {
		uint32_t before = number < 8 ? draw(seed) % number :
					       number - 1 - draw(seed) % 8;

		deps[job->dep_count] = before;
		job->deps[job->dep_count++] = &round->jobs[before];
	}
	for (i = 0; i < 1 + draw(seed) % COPIES && i < COPIES; i++) {
		uint32_t source = draw(seed) % SOURCES;

		job->from[i] = round->sources[source];
		if (job->dep_count && draw(seed) % 4) {
			uint32_t dep = deps[draw(seed) % job->dep_count];
			uint32_t copy = draw(seed) % round->jobs[dep].count;

			job->from[i] = round->jobs[dep].to[copy];
			source = round->source[dep][copy];
		}
		round->source[number][i] = source;
		job->to[i] = get(stack);
		if (!job->to[i])
			return false;
		job->count++;
	}
	return true;
}

/* Check a job. Returns 0 if its bytes are right, or if it has failed with an error. */
static int job_check(struct stack *stack, struct round *round, uint32_t number)
{
	struct job *job = &round->jobs[number];
	int ret = job_wait(stack, job, 3 * PATIENCE);
	uint32_t i;

	if (job->state != JOB_DONE) {
		printf("# job %u hangs\n", number);
		return -ETIMEDOUT;
	}
	round->failed += !!ret;
	for (i = 0; i < job->count && !ret; i++)
		if (!block_is(stack, job->to[i], round->data[round->source[number][i]])) {
			printf("# job %u: wrong bytes in copy %u\n", number, i);
			return -EBADMSG;
		}
	return 0;
}

static int round_run(struct stack *stack, struct round *round, uint32_t jobs, uint64_t *seed)
{
	uint32_t i, n, made = 0, sources = 0;
	int ret = -ENOMEM;

	round->failed = 0;
	for (; sources < SOURCES; sources++) {
		for (n = 0; n < BLOCK; n++)
			round->data[sources][n] = draw(seed);
		round->sources[sources] = get(stack);
		if (!round->sources[sources])
			goto out;
		block_fill(stack, round->sources[sources], round->data[sources]);
	}
	ret = 0;
	for (; made < jobs && !ret; made++) {
		if (!job_fill(stack, round, made, seed)) {
			ret = -ENOMEM;
			break;
		}
		job_submit(stack, &round->jobs[made], draw(seed) % QUEUES);
	}
	for (i = 0; i < made; i++) {
		n = job_check(stack, round, i);
		if (n == (uint32_t)-ETIMEDOUT)
			return -ETIMEDOUT;
		ret = n ? (int)n : ret;
	}
out:
	for (i = 0; i < made; i++)
		for (n = 0; n < round->jobs[i].count; n++)
			block_put(stack, round->jobs[i].to[n]);
	for (i = 0; i < sources; i++)
		block_put(stack, round->sources[i]);
	return ret;
}

static int test_random(struct stack *stack, uint64_t target, uint64_t first_seed)
{
	static struct failures failures;
	static struct round round;
	uint64_t seed, rounds, jobs = 0, failed = 0;
	int64_t start = stack_now();
	int ret = 0;

	for (rounds = 0; failures.fired < target && !ret; rounds++) {
		bool lost;

		seed = first_seed + rounds;
		lost = seed % ROUNDS == 2;
		/* The rules of the round are lost with the device, and not counted. */
		if (lost)
			ret = failures_lose_device(stack);
		failures_begin(&failures, stack, lost, &seed);
		ret = round_run(stack, &round, JOBS, &seed);
		failures_end(&failures, stack);
		jobs += JOBS;
		failed += round.failed;
		if (!(rounds % 4))
			bufmgr_trim(stack);
	}
	if (ret || stack->hung)
		printf("# repeat: stack 1 %" PRIu64 ", error %d\n", first_seed + rounds - 1, ret);
	failures_print(&failures);
	printf("# %" PRIu64 " failures and %" PRIu64 " delays in %" PRIu64 " rounds and %" PRId64
	       " ms\n", failures.fired, failures.delays, rounds, (stack_now() - start) / 1000000);
	printf("# %" PRIu64 " jobs, %" PRIu64 " with errors; %" PRIu64 " retries, %" PRIu64
	       " corruptions noticed\n", jobs, failed, stack->retries, stack->noticed);
	printf("# %" PRIu64 " channels, %" PRIu64 " clusters, %" PRIu64 " devices created again; %"
	       PRIu64 " deadlines missed\n", stack->resets, stack->clusters, stack->reopened,
	       stack->hung);
	return ret || stack->hung || failed * 2 > jobs ||
	       (rounds >= ROUNDS && !stack->reopened);
}

/* A rule corrupts one operation. The stack notices it, and repairs the result. */
static int test_silent(struct stack *stack, uint64_t seed)
{
	static struct round round;
	uint32_t kind, i;
	int ret = 0;

	for (kind = 0; kind < kind_count; kind++) {
		for (i = 0; i < 10 && kind_is_silent(kind); i++) {
			struct drm_vsm_inject_rule rule = rule_of_kind(kind, &seed);
			struct drm_vsm_inject_query query = {};
			struct drm_vsm_inject_remove all = {};
			uint64_t noticed = stack->noticed;
			int error;

			rule.times = 1;
			if (rule.what == DRM_VSM_INJECT_SHORT && !rule.arg)
				rule.arg = 1;
			error = stack_call(stack->fd, DRM_IOCTL_VSM_INJECT_ADD, &rule);
			query.rule = rule.rule;
			error = error ? error : round_run(stack, &round, 1, &seed);
			stack_call(stack->fd, DRM_IOCTL_VSM_INJECT_QUERY, &query);
			stack_call(stack->fd, DRM_IOCTL_VSM_INJECT_REMOVE, &all);
			if (!error && !round.failed && query.info.fired == 1 &&
			    stack->noticed == noticed + 1)
				continue;
			printf("# %s: error %d, failed %u, fired %" PRIu64 ", noticed %" PRIu64
			       "\n", kind_name(kind), error, round.failed,
			       (uint64_t)query.info.fired, stack->noticed - noticed);
			ret = 1;
		}
	}
	return ret;
}

static int result(int number, int failed, const char *name)
{
	printf("%sok %d %s\n", failed ? "not " : "", number, name);
	return failed;
}

int main(int argc, char **argv)
{
	const char *text = argc > 1 ? argv[1] : getenv("VSM_TEST_FAILURES");
	uint64_t target = text ? strtoull(text, NULL, 0) : TARGET;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	const char *share = getenv("VSM_TEST_SHARE");
	struct stack stack;
	int failed;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 2 && (share || !access("/proc/lockdep", F_OK)))
		target /= share && atoi(share) > 0 ? atoi(share) : 20;
	if (stack_start(&stack)) {
		printf("TAP version 13\n1..0 # SKIP no device\n");
		return 4;
	}
	printf("TAP version 13\n1..2\n");
	failed = result(1, test_silent(&stack, seed), "stack.notices_silent_corruption");
	failed |= result(2, test_random(&stack, target, seed), "stack.survives_random_failures");
	/* The default of a device, for the tests that run later. */
	device_write(&stack, "vsm_copy/job_timeout_ms", "30000");
	if (!failed)
		stack_end(&stack);
	return failed;
}
