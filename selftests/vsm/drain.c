// SPDX-License-Identifier: GPL-2.0-only
/*
 * DRM_VSM_DRAIN while operations stay in flight: a latency of an hour keeps them there. A drain
 * waits for them, and nothing but its end, a signal or the end of the device wakes it.
 */
#include "channel.h"
#include "driver.h"
#include "model.h"

#define DATA	0x400

FIXTURE(drain)
{
	struct cluster c;
	struct buffer b;
};

FIXTURE_SETUP(drain)
{
	ASSERT_EQ(0, cluster_open_plain(&self->c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, 4096));
	memset(self->b.map, 0x77, 4096);
	if (model_reset(self->c.fd))
		SKIP(return, "the kernel has no debugfs");
}

FIXTURE_TEARDOWN(drain)
{
	model_reset(self->c.fd);
	munmap(self->b.map, self->b.size);
	cluster_close(&self->c);
}

/* Issues a copy that does not end within the test. */
static int issue_slow(const struct cluster *c, const struct buffer *b)
{
	int ret = model_set(c->fd, "latency_ns", NEVER);

	return ret ? ret : exec_one(c, i_cp_async(DATA, 16, b->handle, 0));
}

/* A task that drains */
struct drainer {
	const struct cluster *c;
	atomic_int tid;	/* task id, 0 until the task runs */
	int ret;	/* what the drain returned */
	pthread_t task;
};

static void *drain(void *arg)
{
	struct drainer *d = arg;

	atomic_store(&d->tid, get_tid());
	d->ret = cluster_hold(d->c, DRM_VSM_DRAIN);
	return NULL;
}

/* Starts a drain. Returns whether it waits. */
static bool drain_starts(struct drainer *d, const struct cluster *c)
{
	*d = (struct drainer){ .c = c, .ret = 1 };
	return !pthread_create(&d->task, NULL, drain, d) &&
	       wait_until_thread_blocked(&d->tid, SYS_ioctl);
}

TEST_F(drain, a_signal_interrupts_it)
{
	struct sigaction action = { .sa_handler = nothing };
	struct drainer d;

	sigaction(SIGALRM, &action, NULL);
	ASSERT_EQ(0, issue_slow(&self->c, &self->b));
	ASSERT_TRUE(drain_starts(&d, &self->c));
	pthread_kill(d.task, SIGALRM);
	pthread_join(d.task, NULL);
	EXPECT_EQ(-EINTR, d.ret);
	EXPECT_EQ(0, *(unsigned char *)cluster_mem(&self->c, DATA));
}

/*
 * The cluster is released, even if the drain is interrupted: a drain of another cluster waits for
 * the copy only after that.
 */
TEST_F(drain, releases_before_it_waits)
{
	struct sigaction action = { .sa_handler = nothing };
	struct cluster other;
	struct drainer d;

	sigaction(SIGALRM, &action, NULL);
	ASSERT_EQ(0, cluster_create(&other, self->c.fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, issue_slow(&self->c, &self->b));
	ASSERT_EQ(0, cluster_hold(&other, DRM_VSM_DRAIN));
	ASSERT_TRUE(drain_starts(&d, &self->c));
	pthread_kill(d.task, SIGALRM);
	pthread_join(d.task, NULL);
	EXPECT_EQ(-EINTR, d.ret);
	ASSERT_TRUE(drain_starts(&d, &other));
	pthread_kill(d.task, SIGALRM);
	pthread_join(d.task, NULL);
	EXPECT_EQ(-EINTR, d.ret);
	EXPECT_EQ(0, cluster_destroy(&other));
}

TEST_F(drain, ends_with_the_device)
{
	struct drainer d[2];

	ASSERT_EQ(0, issue_slow(&self->c, &self->b));
	ASSERT_TRUE(drain_starts(&d[0], &self->c));
	ASSERT_TRUE(drain_starts(&d[1], &self->c));
	ASSERT_EQ(0, device_unbind());
	pthread_join(d[0].task, NULL);
	pthread_join(d[1].task, NULL);
	EXPECT_TRUE(!d[0].ret || d[0].ret == -ENODEV);
	EXPECT_TRUE(!d[1].ret || d[1].ret == -ENODEV);
	EXPECT_EQ(0, *(unsigned char *)cluster_mem(&self->c, DATA));
	ASSERT_EQ(0, device_bind());
}

TEST_F(drain, a_task_that_drains_can_be_killed)
{
	int status;
	pid_t pid = fork_child();

	if (!pid) {
		struct cluster c;
		struct buffer b;

		if (cluster_open_plain(&c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT) ||
		    buffer_create(&b, c.fd, 4096) || issue_slow(&c, &b))
			_exit(1);
		_exit(cluster_hold(&c, DRM_VSM_DRAIN) ? 2 : 3);
	}
	ASSERT_TRUE(wait_until_blocked(pid, pid, SYS_ioctl));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
}

/* The operations of other clients, and those of jobs, are not waited for. */
TEST_F(drain, does_not_wait_for_others)
{
	struct drm_vsm_insn job = i_g2s(DATA, 0, 16, self->b.handle, 0);
	struct cluster other;
	struct buffer b;

	ASSERT_EQ(0, cluster_open_plain(&other, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&b, other.fd, 4096));
	ASSERT_EQ(0, issue_slow(&other, &b));
	ASSERT_EQ(0, exec_one(&self->c, i_init(0, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive_expect_tx(0, 16)));
	ASSERT_EQ(0, submit_on(&self->c, 0, &job, 1, NULL, 0));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_DRAIN));
	EXPECT_EQ(0, word(&self->c, 0) >> 63);
	EXPECT_EQ(0, *(unsigned char *)cluster_mem(&self->c, DATA));
	munmap(b.map, b.size);
	EXPECT_EQ(0, cluster_close(&other));
}

/* A task that issues copies, and holds and releases its cluster */
struct issuer {
	const struct cluster *c;
	const struct buffer *b;
	int n;		/* number of the task, which copies to bytes of its own */
	int error;	/* error of the task */
	pthread_t task;
};

static void *issue(void *arg)
{
	struct issuer *t = arg;
	struct drm_vsm_insn insns[8];
	struct drm_vsm_exec args;
	int i, j;

	for (i = 0; i < repeat(500) && !t->error; i++) {
		for (j = 0; j < 8; j++)
			insns[j] = i ? i_prefetch(16, t->b->handle, 0)
				     : i_cp_async(DATA + 128 * t->n + 16 * j, 16, t->b->handle, 0);
		args = play_args(t->c, 0, t->n, 0, insns, 8);
		t->error = vsm_exec(t->c->fd, &args);
		if (!t->error && i % 4 == t->n)
			t->error = cluster_hold(t->c, i % 8 < 4 ? DRM_VSM_HOLD : 0);
		if (!t->error && i % 2)
			t->error = cluster_hold(t->c, DRM_VSM_DRAIN);
	}
	return NULL;
}

/* Tasks of one client hold, release and drain the same cluster. Every drain ends. */
TEST_F(drain, ends_while_others_issue_and_hold)
{
	struct issuer tasks[4];
	int i;

	for (i = 0; i < 4; i++) {
		tasks[i] = (struct issuer){ .c = &self->c, .b = &self->b, .n = i };
		ASSERT_EQ(0, pthread_create(&tasks[i].task, NULL, issue, &tasks[i]));
	}
	for (i = 0; i < 4; i++) {
		pthread_join(tasks[i].task, NULL);
		EXPECT_EQ(0, tasks[i].error);
	}
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_DRAIN));
	for (i = 0; i < 512; i++)
		ASSERT_EQ(0x77, ((unsigned char *)cluster_mem(&self->c, DATA))[i]);
}

TEST_HARNESS_MAIN
