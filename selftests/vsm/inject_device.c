// SPDX-License-Identifier: GPL-2.0-only
/* Rules of injection for a whole device, in debugfs, and the loss of the device. */
#include <setjmp.h>
#include <signal.h>

#include "driver.h"
#include "inject.h"
#include "model.h"
#include "prime.h"
#include "users.h"

#define A AT(0, 0x40)

static const char *rules_read(int fd)
{
	static char text[16384];
	int size, file = rules_open(fd, O_RDONLY);

	size = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
	close(file);
	text[size < 0 ? 0 : size] = 0;
	return text;
}

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
	if (rules_write(self->fd, "clear") == -ENOENT)
		SKIP(return, "needs debugfs");
	ASSERT_EQ(0, cluster_create(&self->c, self->fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 100)));
	self->arrive = i_sink(i_arrive(A));
}

FIXTURE_TEARDOWN(inject_device)
{
	rules_write(self->fd, "clear");
	cluster_destroy(&self->c);
	close(self->fd);
}

TEST_F(inject_device, reads_back_what_was_written)
{
	char expected[160];
	unsigned int rule;

	ASSERT_EQ(0, rules_write(self->fd, "exec error error=12"));
	ASSERT_EQ(1, sscanf(rules_read(self->fd), "%u ", &rule));
	ASSERT_EQ(0, rules_write(self->fd, " job  fault spare first=0x10  client=5 channel=0\n"));
	ASSERT_EQ(0, rules_write(self->fd, "copy lose every=2 times=3 probability=7 cluster=6"));
	ASSERT_EQ(0, rules_write(self->fd, "copy flip seed=9 arg=18446744073709551615"));
	snprintf(expected, sizeof(expected), "%u exec error error=12 matched=0 fired=0\n", rule);
	EXPECT_EQ(0, strncmp(rules_read(self->fd), expected, strlen(expected)))
		TH_LOG("%s", rules_read(self->fd));
	snprintf(expected, sizeof(expected),
		 "\n%u job fault first=16 client=5 channel=0 spare matched=0 fired=0\n", rule + 1);
	EXPECT_NE(NULL, strstr(rules_read(self->fd), expected));
	snprintf(expected, sizeof(expected),
		 "\n%u copy lose every=2 times=3 probability=7 cluster=6 matched=0 fired=0\n",
		 rule + 2);
	EXPECT_NE(NULL, strstr(rules_read(self->fd), expected));
	snprintf(expected, sizeof(expected),
		 "\n%u copy flip arg=18446744073709551615 seed=9 matched=0 fired=0\n", rule + 3);
	EXPECT_NE(NULL, strstr(rules_read(self->fd), expected));
	snprintf(expected, sizeof(expected), "remove %u", rule);
	EXPECT_EQ(0, rules_write(self->fd, expected));
	EXPECT_EQ(-ENOENT, rules_write(self->fd, expected));
	EXPECT_EQ(0, rules_write(self->fd, "clear"));
	EXPECT_STREQ("", rules_read(self->fd));
}

TEST_F(inject_device, refuses_what_it_does_not_understand)
{
	const char * const wrong[] = {
		"", " ", "exec", "exec ", "nowhere error error=5", "exec nothing", "exec fault",
		"exec error", "exec error error=11", "exec error error=", "exec error error=x",
		"exec error error=5 unknown=1", "exec error error=5 spare", "exec error error=5 x",
		"job error error=4294967296", "job hang channel=4294967296", "remove", "remove x",
		"remove 0", "clear all", "job delay", "EXEC error error=5", "job hang object=1",
	};
	char *much = malloc(600);
	uint32_t i;

	for (i = 0; i < ITEMS(wrong); i++)
		EXPECT_GT(0, rules_write(self->fd, wrong[i])) TH_LOG("line %u", i);
	memset(much, ' ', 599);
	much[599] = 0;
	EXPECT_EQ(-E2BIG, rules_write(self->fd, much));
	free(much);
	EXPECT_STREQ("", rules_read(self->fd));
	for (i = 0; i < 64; i++)
		ASSERT_EQ(0, rules_write(self->fd, "job hang first=1000000"));
	EXPECT_EQ(-ENOSPC, rules_write(self->fd, "job hang"));
}

TEST_F(inject_device, a_rule_is_for_all_clients_those_that_come_too)
{
	int other;
	struct cluster c;

	ASSERT_EQ(0, rules_write(self->fd, "exec error error=61"));
	EXPECT_EQ(-ENODATA, exec_one(&self->c, i_arrive(A)));
	other = vsm_open();
	ASSERT_EQ(0, cluster_share(&c, other, &self->c));
	EXPECT_EQ(-ENODATA, exec_one(&c, i_arrive(A)));
	ASSERT_EQ(0, rules_write(self->fd, "clear"));
	EXPECT_EQ(0, exec_one(&c, i_arrive(A)));
	munmap(c.map, c.size);
	close(other);
}

TEST_F(inject_device, a_rule_can_be_for_one_client_and_for_one_cluster)
{
	struct drm_vsm_object_info info;
	char line[64];
	int i, other = vsm_open();
	struct cluster c;

	ASSERT_EQ(0, cluster_create(&c, other, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 100)));
	info = (struct drm_vsm_object_info){ .handle = c.handle };
	ASSERT_EQ(0, vsm_ioctl(other, DRM_IOCTL_VSM_OBJECT_INFO, &info));
	for (i = 0; i < 2; i++) {
		snprintf(line, sizeof(line), "exec error error=61 %s=%u",
			 i ? "cluster" : "client", i ? info.number : info.client);
		ASSERT_EQ(0, rules_write(self->fd, line));
		EXPECT_EQ(0, exec_one(&self->c, i_arrive(A)));
		EXPECT_EQ(-ENODATA, exec_one(&c, i_arrive(A)));
		ASSERT_EQ(0, rules_write(self->fd, "clear"));
	}
	EXPECT_EQ(0, cluster_destroy(&c));
	close(other);
}

TEST_F(inject_device, rules_of_the_client_come_first)
{
	ASSERT_EQ(0, rules_write(self->fd, "exec error error=61"));
	ASSERT_LT(0, inject(self->fd, R(EXEC, ERROR, .error = ENOMEM, .times = 1)));
	EXPECT_EQ(-ENOMEM, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(-ENODATA, exec_one(&self->c, i_arrive(A)));
	EXPECT_NE(NULL, strstr(rules_read(self->fd), "matched=2 fired=1\n"));
}

TEST_F(inject_device, a_job_hangs_until_the_rule_of_the_device_is_removed)
{
	int file;

	ASSERT_EQ(0, rules_write(self->fd, "job hang"));
	file = job_start(&self->c, 0, &self->arrive, 1, 0);
	while (!strstr(rules_read(self->fd), "fired=1\n"))
		sched_yield();
	EXPECT_EQ(0, sync_file_status(file));
	ASSERT_EQ(0, rules_write(self->fd, "clear"));
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
	static const char * const places[] = { "exec", "submit", "arm", "alloc", "import" };
	uint32_t i;

	for (i = 0; i < ITEMS(places); i++) {
		struct drm_vsm_buffer_create create = { .size = 4096 };
		int fd = vsm_open(), set, dmabuf, ret;
		struct drm_vsm_wait wait;
		uint32_t handle;
		struct cluster c;
		char line[64];

		ASSERT_LE(0, fd);
		set = waitset_create(fd, 0);
		ASSERT_EQ(0, cluster_create(&c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
		ASSERT_EQ(0, exec_one(&c, i_init(A, 100)));
		dmabuf = dmabuf_of(fd, c.handle);
		wait = wait_parity(&c, A, 0, -1, 0);
		snprintf(line, sizeof(line), "%s lose-device", places[i]);
		ASSERT_EQ(0, rules_write(fd, line));
		ret = i == 0 ? exec_one(&c, i_arrive(A)) :
		      i == 1 ? submit_sync(&c, &self->arrive, 1, 0, 0) :
		      i == 2 ? waitset_arm(fd, set, &wait, 1, NULL) :
		      i == 3 ? vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &create) :
			       handle_of(fd, dmabuf, &handle);
		EXPECT_EQ(-ENODEV, ret) TH_LOG("%s", line);
		EXPECT_TRUE(is_lost(fd)) TH_LOG("%s", line);
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
	ASSERT_EQ(0, rules_write(self->fd, "mmap lose-device times=1"));
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
	const char * const lines[] = {
		"fence lose-device return", "job lose-device return", "copy lose-device return",
		"complete lose-device return",
	};
	uint32_t i;

	for (i = 0; i < ITEMS(lines); i++) {
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
		ASSERT_EQ(0, rules_write(fd, lines[i]));
		/* The fence is exported before the job runs: later there is no device. */
		file = job_start(&c, 0, load, 2, syncobj_import(fd, hold.file));
		EXPECT_EQ(0, hold_release(&hold));
		EXPECT_EQ(-ENODEV, job_end(file)) TH_LOG("line %u", i);
		EXPECT_TRUE(is_lost(fd));
		/* What was mapped stays. The device that comes back has no rules. */
		*(volatile unsigned char *)c.map;
		do
			back = vsm_open();
		while (back < 0);
		EXPECT_STREQ("", rules_read(back));
		close(back);
		munmap(c.map, c.size);
		munmap(b.map, b.size);
		close(fd);
	}
}

/**
 * struct watcher - A thread that waits until a rule of the device has fired twice
 */
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
	struct drm_vsm_inject_query first = {
		.flags = DRM_VSM_INJECT_OF_DEVICE | DRM_VSM_INJECT_NEXT,
	};
	int ret = rules_write(fd, "exec error error=61");

	if (!ret)
		ret = vsm_ioctl(fd, DRM_IOCTL_VSM_INJECT_QUERY, &first);
	*w = (struct watcher){ .fd = fd, .rule = first.info.rule };
	if (!ret)
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
	char line[32];

	ASSERT_EQ(0, watch(&w, self->fd));
	snprintf(line, sizeof(line), "remove %u", w.rule);
	EXPECT_EQ(0, rules_write(self->fd, line));
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

TEST_F(inject_device, only_root_reads_rules_of_a_device)
{
	EXPECT_EQ(EPERM, as_user(ALICE, query_plainly, &self->fd));
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
