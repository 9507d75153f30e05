// SPDX-License-Identifier: GPL-2.0-only
/* Rules of injection: which are valid, when they fire, and what calls make of them. */
#include <setjmp.h>
#include <signal.h>

#include "inject.h"
#include "prime.h"

#define A AT(0, 0x40)

FIXTURE(inject)
{
	struct cluster c;
	struct buffer b;
	int fd;
};

FIXTURE_SETUP(inject)
{
	self->fd = vsm_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, cluster_create(&self->c, self->fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->fd, 0x10000));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 100)));
}

FIXTURE_TEARDOWN(inject)
{
	EXPECT_EQ(0, inject_remove(self->fd, 0));
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_destroy(&self->c));
	close(self->fd);
}

/* Which action is possible where, one letter for each place in the order of their numbers. */
static const char * const possible[] = {
	[DRM_VSM_INJECT_ERROR] = "xxxxxxxxxx",
	[DRM_VSM_INJECT_FAULT] = "      xxxx",
	[DRM_VSM_INJECT_HANG] = "xxxxx xxxx",
	[DRM_VSM_INJECT_DELAY] = "xxxxx xxxx",
	[DRM_VSM_INJECT_SLOW] = "        x ",
	[DRM_VSM_INJECT_LOSE] = "        xx",
	[DRM_VSM_INJECT_TWICE] = "         x",
	[DRM_VSM_INJECT_SPLIT] = "         x",
	[DRM_VSM_INJECT_SHORT] = "         x",
	[DRM_VSM_INJECT_EARLY] = "         x",
	[DRM_VSM_INJECT_FLIP] = "        x ",
	[DRM_VSM_INJECT_LOSE_CLUSTER] = "xx    xxxx",
	[DRM_VSM_INJECT_LOSE_DEVICE] = "pppppppppp",
};

/* A rule with what the action needs. */
static struct drm_vsm_inject_rule rule_of(uint32_t where, uint32_t what)
{
	struct drm_vsm_inject_rule rule = { .where = where, .what = what, .first = 1ULL << 40 };

	if (what == DRM_VSM_INJECT_ERROR)
		rule.error = ENOMEM;
	if (what == DRM_VSM_INJECT_DELAY || what == DRM_VSM_INJECT_SLOW ||
	    what == DRM_VSM_INJECT_SPLIT || what == DRM_VSM_INJECT_SHORT)
		rule.arg = 1;
	return rule;
}

TEST_F(inject, a_rule_makes_sense_in_some_places)
{
	uint32_t where, what;

	for (what = 0; what <= ITEMS(possible); what++) {
		for (where = 0; where <= DRM_VSM_INJECT_COMPLETE + 1; where++) {
			bool exists = what < ITEMS(possible) && where <= DRM_VSM_INJECT_COMPLETE;
			char letter = exists ? possible[what][where] : ' ';
			int rule = inject(self->fd, rule_of(where, what));

			EXPECT_EQ(letter == 'x' ? 0 : letter == 'p' ? -EPERM : -EINVAL,
				  rule > 0 ? 0 : rule)
				TH_LOG("where %u what %u", where, what);
			EXPECT_EQ(0, inject_remove(self->fd, 0));
		}
	}
}

TEST_F(inject, refuses_fields_that_are_wrong)
{
	const struct drm_vsm_inject_rule wrong[] = {
		R(JOB, ERROR),
		R(JOB, ERROR, .error = EAGAIN),
		R(JOB, ERROR, .error = EINTR),
		R(JOB, ERROR, .error = EHWPOISON + 1),
		R(JOB, ERROR, .error = EIO, .arg = 1),
		R(JOB, FAULT, .error = EIO),
		R(JOB, HANG, .arg = 1),
		R(JOB, DELAY),
		R(COPY, SLOW),
		R(COMPLETE, SPLIT),
		R(COMPLETE, SHORT),
		R(COPY, LOSE, .arg = 1),
		R(COPY, FLIP, .error = EAGAIN),
		R(JOB, HANG, .flags = 1 << 5),
		R(JOB, HANG, .flags = DRM_VSM_INJECT_SPARE),
		R(JOB, HANG, .flags = DRM_VSM_INJECT_RETURN),
		R(JOB, HANG, .channel = 1),
		R(JOB, HANG, .object = self->c.handle),
		R(ALLOC, HANG, .flags = DRM_VSM_INJECT_OBJECT, .object = self->c.handle),
		R(ARM, HANG, .flags = DRM_VSM_INJECT_CHANNEL),
		R(EXEC, HANG, .flags = DRM_VSM_INJECT_CHANNEL),
		R(JOB, HANG, .probability = 1000001),
		R(JOB, HANG, .rule = 1),
		R(JOB, HANG, .matched = 1),
		R(JOB, HANG, .fired = 1),
		R(JOB, HANG, .client = 1),
		R(JOB, HANG, .cluster = 1),
		R(JOB, HANG, .flags = DRM_VSM_INJECT_OF_DEVICE | DRM_VSM_INJECT_OBJECT,
		  .object = self->c.handle),
		R(JOB, HANG, .flags = DRM_VSM_INJECT_OF_DEVICE, .channel = 1),
		R(EXEC, HANG, .flags = DRM_VSM_INJECT_OF_DEVICE | DRM_VSM_INJECT_CHANNEL),
	};
	struct drm_vsm_inject_query query = { .flags = 4 };
	struct drm_vsm_inject_remove remove = { .flags = 1 };
	uint32_t i;

	for (i = 0; i < ITEMS(wrong); i++)
		EXPECT_EQ(-EINVAL, inject(self->fd, wrong[i])) TH_LOG("rule %u", i);
	EXPECT_EQ(-ENOENT, inject(self->fd, R(JOB, HANG, .flags = DRM_VSM_INJECT_OBJECT,
					      .object = 77)));
	EXPECT_EQ(-EINVAL, vsm_ioctl(self->fd, DRM_IOCTL_VSM_INJECT_QUERY, &query));
	query = (struct drm_vsm_inject_query){ .deadline = -1 };
	EXPECT_EQ(-EINVAL, vsm_ioctl(self->fd, DRM_IOCTL_VSM_INJECT_QUERY, &query));
	EXPECT_EQ(-EINVAL, vsm_ioctl(self->fd, DRM_IOCTL_VSM_INJECT_REMOVE, &remove));
	EXPECT_EQ(-ENOENT, inject_remove(self->fd, 1));
	EXPECT_EQ(0, inject_remove(self->fd, 0));
}

TEST_F(inject, a_client_has_64_rules_and_can_list_them)
{
	struct drm_vsm_inject_query query = { .flags = DRM_VSM_INJECT_NEXT };
	int i, rules[64];

	for (i = 0; i < 64; i++) {
		rules[i] = inject(self->fd, R(JOB, DELAY, .arg = i + 1, .seed = 3 * i));
		ASSERT_LT(i ? rules[i - 1] : 0, rules[i]);
	}
	EXPECT_EQ(-ENOSPC, inject(self->fd, R(JOB, HANG)));
	for (i = 0; i < 64; i++) {
		ASSERT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_INJECT_QUERY, &query));
		EXPECT_EQ(rules[i], query.info.rule);
		EXPECT_EQ(i + 1, query.info.arg);
		EXPECT_EQ(3 * i, query.info.seed);
		EXPECT_EQ(DRM_VSM_INJECT_DELAY, query.info.what);
		EXPECT_EQ(DRM_VSM_INJECT_JOB, query.info.where);
		query.rule = query.info.rule + 1;
	}
	EXPECT_EQ(-ENOENT, vsm_ioctl(self->fd, DRM_IOCTL_VSM_INJECT_QUERY, &query));
	EXPECT_EQ(0, inject_remove(self->fd, rules[5]));
	EXPECT_EQ(-ENOENT, inject_remove(self->fd, rules[5]));
	EXPECT_LT(rules[63], inject(self->fd, R(JOB, HANG)));
	EXPECT_EQ(0, inject_remove(self->fd, 0));
	EXPECT_EQ(-ENOENT, inject_remove(self->fd, rules[0]));
}

/* Which of 16 allocations fail. */
static uint32_t failures(int fd)
{
	uint32_t i, failed = 0;

	for (i = 0; i < 16; i++) {
		struct drm_vsm_buffer_create args = { .size = 4096 };
		int ret = vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args);

		if (ret == -ENOMEM)
			failed |= 1 << i;
		else if (!ret)
			gem_close(fd, args.handle);
	}
	return failed;
}

TEST_F(inject, first_every_and_times_say_when)
{
	const struct {
		uint64_t first, every, times;
		uint32_t fails;
	} cases[] = {
		{ 0, 0, 0, 0xffff }, { 1, 1, 0, 0xffff }, { 3, 0, 0, 0xfffc }, { 3, 0, 1, 0x0004 },
		{ 4, 4, 0, 0x8888 }, { 1, 4, 0, 0x1111 }, { 2, 5, 2, 0x0042 }, { 17, 1, 0, 0 },
		{ 16, ~0ULL, 0, 0x8000 },
	};
	uint32_t i;

	for (i = 0; i < ITEMS(cases); i++) {
		int rule = inject(self->fd, R(ALLOC, ERROR, .error = ENOMEM,
					      .first = cases[i].first, .every = cases[i].every,
					      .times = cases[i].times));

		ASSERT_LT(0, rule);
		EXPECT_EQ(cases[i].fails, failures(self->fd)) TH_LOG("case %u", i);
		EXPECT_EQ(16, inject_matched(self->fd, rule));
		EXPECT_EQ(__builtin_popcount(cases[i].fails), inject_fired(self->fd, rule));
		EXPECT_EQ(0, inject_remove(self->fd, rule));
	}
}

TEST_F(inject, the_same_seed_gives_the_same_failures)
{
	uint32_t seed, round, before = 0, differ = 0, all = 0;

	for (seed = 1; seed <= 16; seed++) {
		uint32_t failed[2];

		for (round = 0; round < 2; round++) {
			int rule = inject(self->fd, R(ALLOC, ERROR, .error = ENOMEM, .seed = seed,
						      .probability = 500000));

			failed[round] = failures(self->fd);
			EXPECT_EQ(0, inject_remove(self->fd, rule));
		}
		EXPECT_EQ(failed[0], failed[1]);
		differ += failed[0] != before;
		before = failed[0];
		all += __builtin_popcount(failed[0]);
	}
	EXPECT_EQ(16, differ);
	/* 256 draws of one half */
	EXPECT_LT(96, all);
	EXPECT_GT(160, all);
}

TEST_F(inject, the_oldest_rule_whose_turn_it_is_fires)
{
	int first = inject(self->fd, R(ALLOC, ERROR, .error = ENOSPC, .first = 2, .times = 1));
	int second = inject(self->fd, R(ALLOC, ERROR, .error = ENOMEM));

	EXPECT_EQ(0xfffd, failures(self->fd));
	EXPECT_EQ(16, inject_matched(self->fd, first));
	EXPECT_EQ(16, inject_matched(self->fd, second));
	EXPECT_EQ(1, inject_fired(self->fd, first));
	EXPECT_EQ(15, inject_fired(self->fd, second));
}

TEST_F(inject, a_rule_is_for_its_client_only)
{
	int other = vsm_open();

	ASSERT_LT(0, inject(self->fd, R(ALLOC, ERROR, .error = ENOMEM)));
	EXPECT_EQ(0, failures(other));
	EXPECT_EQ(0xffff, failures(self->fd));
	close(other);
}

TEST_F(inject, exec_fails_and_has_done_nothing)
{
	struct drm_vsm_insn insn = i_arrive(A);
	struct drm_vsm_exec args = exec_args(&self->c, &insn, 1);
	uint64_t before = word(&self->c, A);

	ASSERT_LT(0, inject(self->fd, R(EXEC, ERROR, .error = ENODATA, .times = 1)));
	EXPECT_EQ(-ENODATA, vsm_exec(self->fd, &args));
	EXPECT_EQ(0, args.retired);
	EXPECT_EQ(before, word(&self->c, A));
	EXPECT_EQ(0, vsm_exec(self->fd, &args));
	EXPECT_NE(before, word(&self->c, A));
}

TEST_F(inject, every_call_can_fail)
{
	struct drm_vsm_insn insn = i_sink(i_arrive(A));
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 0);
	int dmabuf, set = waitset_create(self->fd, 0);
	struct cluster c;
	uint32_t handle;

	dmabuf = dmabuf_of(self->fd, self->b.handle);
	ASSERT_LE(0, dmabuf);
	ASSERT_LT(0, inject(self->fd, R(SUBMIT, ERROR, .error = ENOMEM, .times = 1)));
	EXPECT_EQ(-ENOMEM, submit_sync(&self->c, &insn, 1, 0, 0));
	EXPECT_EQ(0, submit_sync(&self->c, &insn, 1, 0, 0));
	ASSERT_LT(0, inject(self->fd, R(ARM, ERROR, .error = ENOSPC, .times = 1)));
	EXPECT_EQ(-ENOSPC, waitset_arm(self->fd, set, &wait, 1, NULL));
	EXPECT_EQ(0, waitset_arm(self->fd, set, &wait, 1, NULL));
	ASSERT_LT(0, inject(self->fd, R(ALLOC, ERROR, .error = ENOMEM, .times = 1)));
	EXPECT_EQ(-ENOMEM, cluster_create(&c, self->fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_LT(0, inject(self->fd, R(IMPORT, ERROR, .error = EACCES, .times = 1)));
	EXPECT_EQ(-EACCES, handle_of(self->fd, dmabuf, &handle));
	EXPECT_EQ(0, handle_of(self->fd, dmabuf, &handle));
	close(dmabuf);
	close(set);
}

TEST_F(inject, a_call_is_delayed)
{
	int64_t start = now_ns();

	ASSERT_LT(0, inject(self->fd, R(EXEC, DELAY, .arg = 20 * SECOND / 1000, .times = 1)));
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_LE(start + 20 * SECOND / 1000, now_ns());
}

TEST_F(inject, a_call_hangs_until_its_rule_is_removed)
{
	struct drm_vsm_insn insn = i_arrive(A);
	int rule = inject(self->fd, R(EXEC, HANG));
	struct exec_thread thread;

	ASSERT_EQ(0, exec_thread_start(&thread, &self->c, &insn, 1));
	ASSERT_EQ(0, inject_wait(self->fd, rule, 1, AMPLE));
	ASSERT_TRUE(exec_thread_suspended(&thread));
	EXPECT_EQ(0, inject_remove(self->fd, rule));
	EXPECT_EQ(0, exec_thread_join(&thread));
	EXPECT_EQ(1, thread.args.retired);
}

TEST_F(inject, a_signal_ends_a_call_that_hangs)
{
	struct sigaction action = { .sa_handler = nothing };
	struct drm_vsm_insn insn = i_arrive(A);
	int rule = inject(self->fd, R(EXEC, HANG));
	struct exec_thread thread;

	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	ASSERT_EQ(0, exec_thread_start(&thread, &self->c, &insn, 1));
	ASSERT_EQ(0, inject_wait(self->fd, rule, 1, AMPLE));
	ASSERT_TRUE(exec_thread_suspended(&thread));
	ASSERT_EQ(0, pthread_kill(thread.thread, SIGUSR1));
	EXPECT_EQ(-EINTR, exec_thread_join(&thread));
	EXPECT_EQ(0, thread.args.retired);
}

TEST_F(inject, a_call_loses_its_cluster)
{
	ASSERT_LT(0, inject(self->fd, R(EXEC, LOSE_CLUSTER, .times = 1)));
	EXPECT_EQ(-EIO, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(-EIO, exec_one(&self->c, i_try_parity(A, 0, 0)));
}

TEST_F(inject, a_rule_can_be_for_one_cluster)
{
	struct cluster other;

	ASSERT_EQ(0, cluster_create(&other, self->fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_LT(0, inject(self->fd, R(EXEC, ERROR, .error = ENOMEM,
					.flags = DRM_VSM_INJECT_OBJECT, .object = other.handle)));
	EXPECT_EQ(-ENOMEM, exec_one(&other, i_init(A, 1)));
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(0, cluster_destroy(&other));
}

static sigjmp_buf away;

static void jump(int signum)
{
	siglongjmp(away, signum);
}

/* Touches a byte. Returns the signal that this causes, or 0. */
static int touch(volatile unsigned char *p)
{
	int signum = sigsetjmp(away, 1);

	if (!signum)
		*p;
	return signum;
}

TEST_F(inject, a_page_of_a_mapping_is_refused)
{
	struct sigaction action = { .sa_handler = jump };
	struct buffer other;

	ASSERT_EQ(0, sigaction(SIGBUS, &action, NULL));
	ASSERT_EQ(0, buffer_create(&other, self->fd, 0x2000));
	ASSERT_LT(0, inject(self->fd, R(MMAP, ERROR, .error = EFAULT, .times = 1,
					.flags = DRM_VSM_INJECT_OBJECT, .object = other.handle)));
	EXPECT_EQ(0, touch(self->b.map));
	EXPECT_EQ(SIGBUS, touch(other.map));
	EXPECT_EQ(0, touch(other.map));
	EXPECT_EQ(0, touch(other.map + 0x1000));
	munmap(other.map, other.size);
}

/* Whoever maps a dma-buf trusts it: only root can fail that. */
TEST_F(inject, a_page_of_a_dma_buf_is_not_refused)
{
	int dmabuf = dmabuf_of(self->fd, self->b.handle), other = vsm_open();
	struct sigaction action = { .sa_handler = jump };
	struct buffer same;
	void *map;

	ASSERT_EQ(0, sigaction(SIGBUS, &action, NULL));
	map = mmap(NULL, 0x1000, PROT_READ, MAP_SHARED, dmabuf, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, import_from(&same, other, self->fd, self->b.handle));
	ASSERT_LT(0, inject(self->fd, R(MMAP, ERROR, .error = EFAULT)));
	EXPECT_EQ(0, touch(map));
	EXPECT_EQ(0, touch(same.map));
	EXPECT_EQ(SIGBUS, touch(self->b.map));
	munmap(map, 0x1000);
	EXPECT_EQ(0, drop(&same));
	close(other);
	close(dmabuf);
}

TEST_F(inject, a_test_can_wait_until_a_rule_fires)
{
	int rule = inject(self->fd, R(ALLOC, ERROR, .error = ENOMEM));

	EXPECT_EQ(-ETIMEDOUT, inject_wait(self->fd, rule, 1, 0));
	EXPECT_EQ(-ETIMEDOUT, inject_wait(self->fd, rule, 1, SECOND / 1000));
	EXPECT_EQ(-ENOENT, inject_wait(self->fd, rule + 1, 1, 0));
	EXPECT_EQ(0xffff, failures(self->fd));
	EXPECT_EQ(0, inject_wait(self->fd, rule, 16, 0));
	EXPECT_EQ(-ETIMEDOUT, inject_wait(self->fd, rule, 17, 0));
}

struct waiter {
	int fd;
	int rule;
	atomic_int tid;
	int ret;
};

static void *wait_for_rule(void *arg)
{
	struct waiter *w = arg;

	atomic_store(&w->tid, get_tid());
	w->ret = inject_wait(w->fd, w->rule, 1, AMPLE);
	return NULL;
}

TEST_F(inject, a_wait_ends_with_its_rule)
{
	struct waiter w = { .fd = self->fd };
	pthread_t thread;
	int round;

	for (round = 0; round < 2; round++) {
		w.rule = inject(self->fd, R(ALLOC, ERROR, .error = ENOMEM));
		atomic_store(&w.tid, 0);
		ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_rule, &w));
		ASSERT_TRUE(wait_until_thread_blocked(&w.tid, SYS_ioctl));
		EXPECT_EQ(round ? 0 : 0xffff,
			  round ? inject_remove(self->fd, w.rule) : failures(self->fd));
		pthread_join(thread, NULL);
		EXPECT_EQ(round ? -ENOENT : 0, w.ret);
		EXPECT_EQ(0, inject_remove(self->fd, 0));
	}
}

TEST_HARNESS_MAIN
