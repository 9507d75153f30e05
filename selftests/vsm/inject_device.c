// SPDX-License-Identifier: GPL-2.0-only
/* Rules of injection for a whole device, and the loss of the device. */
#include <setjmp.h>
#include <signal.h>

#include "driver.h"
#include "inject.h"
#include "model.h"
#include "prime.h"
#include "users.h"

#define A AT(0, 0x40)

FIXTURE(inject_device)
{
	struct cluster c;
	int fd;
	struct drm_vsm_insn arrive;
};

FIXTURE_SETUP(inject_device)
{
	self->fd = vsm_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, inject_device_remove(self->fd, 0));
	ASSERT_EQ(0, cluster_create(&self->c, self->fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 100)));
	self->arrive = i_sink(i_arrive(A));
}

FIXTURE_TEARDOWN(inject_device)
{
	inject_device_remove(self->fd, 0);
	cluster_destroy(&self->c);
	close(self->fd);
}

TEST_F(inject_device, has_64_rules_that_can_be_read)
{
	const struct drm_vsm_inject_rule rules[] = {
		R(EXEC, ERROR, .error = ENOMEM),
		R(JOB, FAULT, .flags = DRM_VSM_INJECT_SPARE | DRM_VSM_INJECT_CHANNEL,
		  .first = 16, .client = 5),
		R(COPY, LOSE, .every = 2, .times = 3, .probability = 7, .cluster = 6),
		R(COPY, FLIP, .seed = 9, .arg = ~0ULL),
	};
	struct drm_vsm_inject_rule rule, last = {};
	uint32_t i;

	for (i = 0; i < ITEMS(rules); i++)
		ASSERT_LT(0, inject_device(self->fd, rules[i]));
	for (i = 0; i < ITEMS(rules); i++) {
		rule = inject_device_read(self->fd, last.rule + 1);
		ASSERT_LT(last.rule, rule.rule);
		last = rule;
		rule.rule = 0;
		rule.flags &= ~DRM_VSM_INJECT_OF_DEVICE;
		EXPECT_EQ(0, memcmp(&rule, &rules[i], sizeof(rule))) TH_LOG("rule %u", i);
	}
	EXPECT_EQ(0, inject_device_remove(self->fd, last.rule));
	EXPECT_EQ(-ENOENT, inject_device_remove(self->fd, last.rule));
	EXPECT_EQ(0, inject_device_read(self->fd, last.rule).rule);
	for (i = ITEMS(rules) - 1; i < 64; i++)
		ASSERT_LT(0, inject_device(self->fd, R(JOB, HANG, .first = 1000000)));
	EXPECT_EQ(-ENOSPC, inject_device(self->fd, R(JOB, HANG)));
	/* The client has none of them. */
	EXPECT_EQ(-ENOENT, inject_remove(self->fd, last.rule + 1));
	EXPECT_EQ(0, inject_remove(self->fd, 0));
	EXPECT_NE(0, inject_device_read(self->fd, 0).rule);
	EXPECT_EQ(0, inject_device_remove(self->fd, 0));
	EXPECT_EQ(0, inject_device_read(self->fd, 0).rule);
}

TEST_F(inject_device, a_rule_outlives_the_file_that_has_given_it)
{
	int other = vsm_open();

	ASSERT_LT(0, inject_device(other, R(EXEC, ERROR, .error = ENODATA)));
	close(other);
	EXPECT_EQ(-ENODATA, exec_one(&self->c, i_arrive(A)));
}

TEST_F(inject_device, a_rule_is_for_all_clients_those_that_come_too)
{
	int other;
	struct cluster c;

	ASSERT_LT(0, inject_device(self->fd, R(EXEC, ERROR, .error = ENODATA)));
	EXPECT_EQ(-ENODATA, exec_one(&self->c, i_arrive(A)));
	other = vsm_open();
	ASSERT_EQ(0, cluster_share(&c, other, &self->c));
	EXPECT_EQ(-ENODATA, exec_one(&c, i_arrive(A)));
	ASSERT_EQ(0, inject_device_remove(self->fd, 0));
	EXPECT_EQ(0, exec_one(&c, i_arrive(A)));
	munmap(c.map, c.size);
	close(other);
}

TEST_F(inject_device, a_rule_can_be_for_one_client_and_for_one_cluster)
{
	struct drm_vsm_object_info info;
	int i, other = vsm_open();
	struct cluster c;

	ASSERT_EQ(0, cluster_create(&c, other, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 100)));
	info = (struct drm_vsm_object_info){ .handle = c.handle };
	ASSERT_EQ(0, vsm_ioctl(other, DRM_IOCTL_VSM_OBJECT_INFO, &info));
	for (i = 0; i < 2; i++) {
		struct drm_vsm_inject_rule rule = R(EXEC, ERROR, .error = ENODATA);

		if (i)
			rule.cluster = info.number;
		else
			rule.client = info.client;
		ASSERT_LT(0, inject_device(self->fd, rule));
		EXPECT_EQ(0, exec_one(&self->c, i_arrive(A)));
		EXPECT_EQ(-ENODATA, exec_one(&c, i_arrive(A)));
		ASSERT_EQ(0, inject_device_remove(self->fd, 0));
	}
	EXPECT_EQ(0, cluster_destroy(&c));
	close(other);
}

TEST_F(inject_device, rules_of_the_client_come_first)
{
	ASSERT_LT(0, inject_device(self->fd, R(EXEC, ERROR, .error = ENODATA)));
	ASSERT_LT(0, inject(self->fd, R(EXEC, ERROR, .error = ENOMEM, .times = 1)));
	EXPECT_EQ(-ENOMEM, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(-ENODATA, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(2, inject_device_read(self->fd, 0).matched);
	EXPECT_EQ(1, inject_device_read(self->fd, 0).fired);
}

TEST_F(inject_device, a_job_hangs_until_the_rule_of_the_device_is_removed)
{
	int file;

	ASSERT_LT(0, inject_device(self->fd, R(JOB, HANG)));
	file = job_start(&self->c, 0, &self->arrive, 1, 0);
	while (inject_device_read(self->fd, 0).fired != 1)
		sched_yield();
	EXPECT_EQ(0, sync_file_status(file));
	ASSERT_EQ(0, inject_device_remove(self->fd, 0));
	EXPECT_EQ(1, job_end(file));
}

/* Waits until the device that the fixture has opened is gone. */
static bool is_lost(int fd)
{
	struct pollfd event = { .fd = fd };

	return poll(&event, 1, AMPLE / 1000000) == 1 && event.revents & POLLHUP;
}

TEST_F(inject_device, a_call_loses_the_device)
{
	uint32_t i;

	for (i = DRM_VSM_INJECT_EXEC; i <= DRM_VSM_INJECT_IMPORT; i++) {
		struct drm_vsm_inject_rule rule = {
			.where = i, .what = DRM_VSM_INJECT_LOSE_DEVICE,
		};
		int fd = vsm_open(), set, dmabuf, ret;
		struct drm_vsm_wait wait;
		uint32_t handle;
		struct cluster c;

		ASSERT_LE(0, fd);
		set = waitset_create(fd, 0);
		ASSERT_EQ(0, cluster_create(&c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
		ASSERT_EQ(0, exec_one(&c, i_init(A, 100)));
		dmabuf = dmabuf_of(fd, c.handle);
		wait = wait_parity(&c, A, 0, -1, 0);
		ASSERT_LT(0, inject_device(fd, rule));
		ret = i == DRM_VSM_INJECT_EXEC ? exec_one(&c, i_arrive(A)) :
		      i == DRM_VSM_INJECT_SUBMIT ? submit_sync(&c, &self->arrive, 1, 0, 0) :
		      i == DRM_VSM_INJECT_ARM ? waitset_arm(fd, set, &wait, 1, NULL) :
		      i == DRM_VSM_INJECT_ALLOC ? allocate(fd, 4096) :
			       handle_of(fd, dmabuf, &handle);
		EXPECT_EQ(-ENODEV, ret) TH_LOG("place %u", i);
		EXPECT_TRUE(is_lost(fd)) TH_LOG("place %u", i);
		EXPECT_GT(0, vsm_open());
		EXPECT_EQ(0, device_bind());
		munmap(c.map, c.size);
		close(dmabuf);
		close(set);
		close(fd);
	}
}

static sigjmp_buf away;

static void jump(int signum)
{
	siglongjmp(away, signum);
}

TEST_F(inject_device, a_page_loses_the_device)
{
	struct sigaction action = { .sa_handler = jump };
	struct buffer b;
	int signum;

	ASSERT_EQ(0, sigaction(SIGBUS, &action, NULL));
	ASSERT_EQ(0, buffer_create(&b, self->fd, 0x1000));
	ASSERT_LT(0, inject_device(self->fd, R(MMAP, LOSE_DEVICE, .times = 1)));
	signum = sigsetjmp(away, 1);
	if (!signum)
		*(volatile unsigned char *)b.map;
	EXPECT_EQ(SIGBUS, signum);
	EXPECT_TRUE(is_lost(self->fd));
	EXPECT_EQ(0, device_bind());
	munmap(b.map, b.size);
}

TEST_F(inject_device, a_job_loses_the_device_which_comes_back)
{
	uint32_t i;

	for (i = DRM_VSM_INJECT_FENCE; i <= DRM_VSM_INJECT_COMPLETE; i++) {
		struct drm_vsm_inject_rule rule = {
			.where = i, .what = DRM_VSM_INJECT_LOSE_DEVICE,
			.flags = DRM_VSM_INJECT_RETURN,
		};
		int fd = vsm_open(), file, back;
		struct drm_vsm_insn load[2];
		struct hold hold;
		struct cluster c;
		struct buffer b;

		ASSERT_LE(0, fd);
		if (hold_init(&hold) == -ENODEV)
			SKIP(return, "needs vgem");
		ASSERT_EQ(0, cluster_create(&c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
		ASSERT_EQ(0, buffer_create(&b, fd, 0x1000));
		ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
		load[0] = i_expect_tx(A, 16);
		load[1] = i_g2s(AT(0, 0x400), A, 16, b.handle, 0);
		ASSERT_LT(0, inject_device(fd, rule));
		/* The fence is exported before the job runs: later there is no device. */
		file = job_start(&c, 0, load, 2, syncobj_import(fd, hold.file));
		EXPECT_EQ(0, hold_release(&hold));
		EXPECT_EQ(-ENODEV, job_end(file)) TH_LOG("place %u", i);
		EXPECT_TRUE(is_lost(fd));
		/* What was mapped stays. The device that comes back has no rules. */
		*(volatile unsigned char *)c.map;
		do
			back = vsm_open();
		while (back < 0);
		EXPECT_EQ(0, inject_device_read(back, 0).rule);
		close(back);
		munmap(c.map, c.size);
		munmap(b.map, b.size);
		close(fd);
	}
}

/* A thread that waits until a rule of the device has fired twice */
struct watcher {
	int fd;
	uint32_t rule;
	atomic_int tid;
	int ret;
	uint64_t fired;
	pthread_t thread;
};

static void *watcher_main(void *arg)
{
	struct watcher *w = arg;
	struct drm_vsm_inject_query query = {
		.rule = w->rule, .flags = DRM_VSM_INJECT_OF_DEVICE, .fired = 2,
		.deadline = now_ns() + AMPLE,
	};

	atomic_store(&w->tid, get_tid());
	w->ret = vsm_ioctl(w->fd, DRM_IOCTL_VSM_INJECT_QUERY, &query);
	w->fired = query.info.fired;
	return w;
}

/* Gives the device a rule, and starts a thread that waits for it. Returns when it waits. */
static int watch(struct watcher *w, int fd)
{
	int ret = inject_device(fd, R(EXEC, ERROR, .error = ENODATA));

	if (ret < 0)
		return ret;
	*w = (struct watcher){ .fd = fd, .rule = ret };
	ret = -pthread_create(&w->thread, NULL, watcher_main, w);
	if (ret)
		return ret;
	return wait_until_thread_blocked(&w->tid, SYS_ioctl) ? 0 : -ETIME;
}

TEST_F(inject_device, a_test_waits_until_a_rule_of_the_device_has_fired)
{
	struct drm_vsm_inject_query query = { .flags = DRM_VSM_INJECT_OF_DEVICE, .fired = 3 };
	struct watcher w;

	ASSERT_EQ(0, watch(&w, self->fd));
	EXPECT_EQ(-ENODATA, exec_one(&self->c, self->arrive));
	EXPECT_EQ(-ENODATA, exec_one(&self->c, self->arrive));
	pthread_join(w.thread, NULL);
	EXPECT_EQ(0, w.ret);
	EXPECT_EQ(2, w.fired);
	query.rule = w.rule;
	EXPECT_EQ(-ETIMEDOUT, vsm_ioctl(self->fd, DRM_IOCTL_VSM_INJECT_QUERY, &query));
	EXPECT_EQ(DRM_VSM_INJECT_EXEC, query.info.where);
	EXPECT_EQ(ENODATA, query.info.error);
	/* It is not a rule of the client. */
	query.flags = 0;
	EXPECT_EQ(-ENOENT, vsm_ioctl(self->fd, DRM_IOCTL_VSM_INJECT_QUERY, &query));
}

TEST_F(inject_device, who_waits_for_a_rule_that_is_removed_gets_an_error)
{
	struct watcher w;

	ASSERT_EQ(0, watch(&w, self->fd));
	EXPECT_EQ(0, inject_device_remove(self->fd, w.rule));
	pthread_join(w.thread, NULL);
	EXPECT_EQ(-ENOENT, w.ret);
}

TEST_F(inject_device, who_waits_for_a_rule_of_a_device_that_is_lost_gets_an_error)
{
	struct watcher w;

	ASSERT_EQ(0, watch(&w, self->fd));
	ASSERT_EQ(0, device_unbind());
	pthread_join(w.thread, NULL);
	EXPECT_EQ(-ENODEV, w.ret);
	EXPECT_EQ(0, device_bind());
}

static int query_plainly(void *arg)
{
	struct drm_vsm_inject_query query = {
		.flags = DRM_VSM_INJECT_OF_DEVICE | DRM_VSM_INJECT_NEXT,
	};

	return -vsm_ioctl(*(int *)arg, DRM_IOCTL_VSM_INJECT_QUERY, &query);
}

static int add_plainly(void *arg)
{
	return -inject_device(*(int *)arg, R(JOB, HANG));
}

static int remove_plainly(void *arg)
{
	return -inject_device_remove(*(int *)arg, 0);
}

TEST_F(inject_device, only_root_may_use_rules_of_a_device)
{
	EXPECT_EQ(EPERM, as_user(ALICE, query_plainly, &self->fd));
	EXPECT_EQ(EPERM, as_user(ALICE, add_plainly, &self->fd));
	EXPECT_EQ(EPERM, as_user(ALICE, remove_plainly, &self->fd));
	EXPECT_EQ(ENOENT, query_plainly(&self->fd));
}

/* The unplug takes all pages out of mappings, and they are touched for the first time again. */
TEST_F(inject_device, what_is_mapped_stays_whatever_rules_there_were)
{
	volatile unsigned char *map = self->c.map;

	*map;
	ASSERT_LT(0, inject(self->fd, R(MMAP, ERROR, .error = EFAULT)));
	ASSERT_EQ(0, device_unbind());
	EXPECT_EQ(0, *map);
	EXPECT_EQ(0, device_bind());
}

TEST_F(inject_device, a_lost_device_ends_waits_for_rules_and_calls_that_hang)
{
	struct drm_vsm_insn insn = i_arrive(A);
	int rule = inject(self->fd, R(EXEC, HANG));
	struct exec_thread thread;

	ASSERT_EQ(0, exec_thread_start(&thread, &self->c, &insn, 1));
	ASSERT_EQ(0, inject_wait(self->fd, rule, 1, AMPLE));
	ASSERT_EQ(0, device_unbind());
	EXPECT_EQ(-ENODEV, exec_thread_join(&thread));
	EXPECT_EQ(0, device_bind());
}

TEST_F(inject_device, no_rule_fires_when_the_device_is_gone)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 0);
	int dmabuf = dmabuf_of(self->fd, self->c.handle), set = waitset_create(self->fd, 0);
	uint32_t handle;

	ASSERT_LT(0, inject(self->fd, R(EXEC, ERROR, .error = ENODATA)));
	ASSERT_LT(0, inject(self->fd, R(SUBMIT, ERROR, .error = ENODATA)));
	ASSERT_LT(0, inject(self->fd, R(ARM, ERROR, .error = ENODATA)));
	ASSERT_LT(0, inject(self->fd, R(ALLOC, ERROR, .error = ENODATA)));
	ASSERT_LT(0, inject(self->fd, R(IMPORT, ERROR, .error = ENODATA)));
	ASSERT_EQ(0, device_unbind());
	EXPECT_EQ(-ENODEV, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(-ENODEV, submit_sync(&self->c, &self->arrive, 1, 0, 0));
	EXPECT_EQ(-ENODEV, waitset_arm(self->fd, set, &wait, 1, NULL));
	EXPECT_EQ(-ENODEV, allocate(self->fd, 4096));
	EXPECT_EQ(-ENODEV, handle_of(self->fd, dmabuf, &handle));
	EXPECT_EQ(0, device_bind());
	close(dmabuf);
	close(set);
}

TEST_HARNESS_MAIN
