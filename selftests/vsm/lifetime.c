// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module cannot be unloaded while anything of it is in use. A successful unload therefore shows
 * that nothing is left over. This program must run last.
 */
#include <sys/mount.h>

#include "driver.h"
#include "fence.h"

#define A AT(0, 0x40)
#define PAGE 4096
#define EVENTS "/sys/kernel/tracing/events/vsm/enable"

FIXTURE(module) { int fd; };

FIXTURE_SETUP(module)
{
	if (!getenv("VSM_MODULE"))
		SKIP(return, "VSM_MODULE does not name the module to load again");
	/* The previous test may have left the module unloaded. */
	self->fd = vsm_open();
	if (self->fd < 0) {
		module_unload();
		module_load("");
	} else {
		close(self->fd);
	}
}

FIXTURE_TEARDOWN(module)
{
	self->fd = vsm_open();
	EXPECT_LE(0, self->fd);
	close(self->fd);
}

static bool unloads_and_loads(struct __test_metadata *_metadata)
{
	int i, ret;

	/* The driver puts references of files and fences a moment after the close: try again. */
	for (i = 0; i < 1000; i++) {
		ret = module_unload();
		if (ret != -EAGAIN && ret != -EBUSY)
			break;
		sched_yield();
		poll(NULL, 0, 1);
	}
	EXPECT_EQ(0, ret);
	EXPECT_EQ(-ENODEV, vsm_open());
	EXPECT_EQ(0, module_load(""));
	return !ret;
}

TEST_F(module, loads_again_and_again)
{
	int i;

	for (i = 0; i < 20; i++) {
		struct cluster c;

		ASSERT_TRUE(unloads_and_loads(_metadata));
		ASSERT_EQ(0, cluster_create(&c, vsm_open(), 0, 0));
		ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
		ASSERT_EQ(0, cluster_destroy(&c));
		close(c.fd);
	}
}

/*
 * An enabled tracepoint does not keep the module. The kernel disables it while the module goes,
 * after the module's own end.
 */
TEST_F(module, goes_while_a_tracepoint_is_enabled)
{
	struct cluster c;
	int i;

	if (access(EVENTS, W_OK))
		mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	if (access(EVENTS, W_OK))
		SKIP(return, "the kernel has no tracefs");
	/* trace.c says why. */
	write_file("/sys/kernel/tracing/options/record-cmd", "0");
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, write_file(EVENTS, "1"));
		/* With and without a cluster whose flight recorder has just gone. */
		if (i) {
			ASSERT_EQ(0, cluster_make_open(&c, .ctas = 1, .threads = 1,
						       .smem_bytes = 16, .trace_events = 64));
			ASSERT_EQ(0, exec_one(&c, i_init(0, 1)));
			ASSERT_EQ(0, cluster_close(&c));
		}
		ASSERT_TRUE(unloads_and_loads(_metadata));
	}
	EXPECT_EQ(0, write_file(EVENTS, "0"));
}

TEST_F(module, stays_while_anything_is_in_use)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	int set, dmabuf, file = -1;
	struct drm_vsm_wait wait;
	struct cluster c;
	struct buffer b;
	struct hold hold;
	uint32_t in, out;
	bool held;

	held = !hold_init(&hold);
	ASSERT_EQ(0, cluster_create(&c, vsm_open(), 0, 0));
	EXPECT_EQ(-EAGAIN, module_unload());
	ASSERT_EQ(0, exec_one(&c, i_init(A, 100)));
	ASSERT_EQ(0, buffer_create(&b, c.fd, PAGE));
	set = waitset_create(c.fd, 0);
	wait = wait_parity(&c, A, 0, -1, 0);
	ASSERT_EQ(0, waitset_arm(c.fd, set, &wait, 1, NULL));
	ASSERT_EQ(0, drmPrimeHandleToFD(c.fd, c.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	if (held) {
		in = syncobj_import(c.fd, hold.file);
		out = syncobj_create(c.fd);
		ASSERT_EQ(0, submit_sync(&c, &arrive, 1, in, out));
		file = syncobj_export(c.fd, out);
	}

	munmap(c.map, c.size);
	close(c.fd);
	EXPECT_EQ(-EAGAIN, module_unload());	/* in use: mapping, set, dma-buf, fence */
	b.map[0] = 1;
	munmap(b.map, b.size);
	EXPECT_EQ(-EAGAIN, module_unload());	/* in use: set, dma-buf, fence */
	close(set);
	EXPECT_EQ(-EAGAIN, module_unload());	/* in use: dma-buf, fence */
	close(dmabuf);
	if (held) {
		EXPECT_EQ(-EAGAIN, module_unload());	/* in use: fence */
		EXPECT_EQ(-ECANCELED, sync_file_wait(file));
		close(file);
		hold_release(&hold);
	}
	ASSERT_TRUE(unloads_and_loads(_metadata));
}

static void *close_file(void *file)
{
	close(*(int *)file);
	return NULL;
}

/* One task puts the last reference to a fence while another unloads the module. */
TEST_F(module, goes_as_its_last_fence_does)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	int i, ret, rounds = repeat(40);

	for (i = 0; i < rounds; i++) {
		pthread_t closer;
		struct cluster c;
		uint32_t out;
		int file;

		ASSERT_EQ(0, cluster_create(&c, vsm_open(), 0, 0));
		ASSERT_EQ(0, exec_one(&c, i_init(A, 100)));
		out = syncobj_create(c.fd);
		ASSERT_EQ(0, submit_sync(&c, &arrive, 1, 0, out));
		file = syncobj_export(c.fd, out);
		ASSERT_LE(0, file);
		EXPECT_EQ(1, sync_file_wait(file));
		munmap(c.map, c.size);
		close(c.fd);
		EXPECT_EQ(-EAGAIN, module_unload());
		ASSERT_EQ(0, pthread_create(&closer, NULL, close_file, &file));
		do
			ret = module_unload();
		while (ret == -EAGAIN || ret == -EBUSY);
		EXPECT_EQ(0, ret);
		pthread_join(closer, NULL);
		ASSERT_EQ(0, module_load(""));
	}
}

TEST_F(module, stays_while_a_set_is_open)
{
	int fd = vsm_open(), set = waitset_create(fd, 0);

	close(fd);
	EXPECT_EQ(-EAGAIN, module_unload());
	EXPECT_EQ(0, poll_events(set));
	close(set);
	ASSERT_TRUE(unloads_and_loads(_metadata));
}

/* Runs in a child process. Uses all parts of the driver at once until the child is killed. */
static void busy_child(int ready)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A)), wait = i_try_parity(A, 0, LONG_HINT);
	struct drm_vsm_insn untimed = i_try_parity_unlimited(A, 0);
	struct exec_thread t[6];
	struct cluster c, held;
	struct drm_vsm_exec args;
	struct hold hold;
	struct buffer b = { .fd = -1 };
	int i, set;

	cluster_create(&c, vsm_open(), 0, 0);
	exec_one(&c, i_init(A, 0xfffff));
	set = waitset_create(c.fd, 0);
	for (i = 0; i < 100; i++) {
		struct drm_vsm_wait armed =
			wait_parity(&c, A, 0, i % 2 ? -1 : now_ns() + i * 100000, i);

		waitset_arm(c.fd, set, &armed, 1, NULL);
	}
	if (!hold_init(&hold))
		submit_sync(&c, &arrive, 1, syncobj_import(c.fd, hold.file), 0);
	for (i = 0; i < 4; i++)
		exec_thread_start(&t[i], &c, &wait, 1);
	args = play_args(&c, 0, 0, DRM_VSM_EXEC_NO_LIMIT, &untimed, 1);
	for (; i < 6; i++) {
		args.thread = i;
		exec_thread_run(&t[i], &c, args);
	}
	for (i = 0; i < 6; i++)
		exec_thread_suspended(&t[i]);
	/* Issue operations that stay in flight, and cause events that no task reads. */
	buffer_create(&b, c.fd, PAGE);
	cluster_create(&held, c.fd, 0, 0);
	exec_one(&held, i_init(A, 0xfffff));
	cluster_hold(&held, DRM_VSM_HOLD);
	for (i = 0; i < 1000; i++) {
		exec_one(&held, i_cp_async(0x400, 16, b.handle, 0));
		exec_one(&held, i_noinc(i_cp_arrive(A)));
		exec_one(&held, i_init(A, 1));
	}
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (i = 0;; i++) {
		submit_sync(&c, &arrive, 1, 0, 0);
		exec_one(&c, i_test_parity(A, 0));
		exec_one(&c, i_cp_arrive(A));
		if (i % 16)
			continue;
		cluster_destroy(&c);
		cluster_create(&c, c.fd, 0, 0);
		exec_one(&c, i_init(A, 0xfffff));
	}
}

TEST_F(module, goes_after_its_users_were_killed)
{
	int i, status, ready[2];
	char byte;

	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	for (i = 0; i < 5; i++) {
		pid_t pid = fork_child();

		if (!pid)
			busy_child(ready[1]);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		ASSERT_TRUE(unloads_and_loads(_metadata));
	}
}

TEST_F(module, goes_after_its_device_was_lost_in_use)
{
	struct drm_vsm_insn wait = i_try_parity(A, 0, LONG_HINT);
	struct drm_vsm_wait armed;
	struct exec_thread t;
	struct cluster c;
	int set;

	ASSERT_EQ(0, cluster_create(&c, vsm_open(), 0, 0));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	ASSERT_EQ(0, cluster_hold(&c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&c, i_noinc(i_cp_arrive(A))));
	ASSERT_EQ(-EPROTO, exec_one(&c, i_init(A, 1)));
	set = waitset_create(c.fd, 0);
	armed = wait_parity(&c, A, 0, -1, 0);
	ASSERT_EQ(0, waitset_arm(c.fd, set, &armed, 1, NULL));
	ASSERT_TRUE(suspend_as(&t, &c, 0, 0, 0, &wait, 1));
	ASSERT_EQ(0, device_unbind());
	EXPECT_EQ(-ENODEV, exec_thread_join(&t));
	EXPECT_EQ(-EAGAIN, module_unload());
	munmap(c.map, c.size);
	close(c.fd);
	close(set);
	ASSERT_TRUE(unloads_and_loads(_metadata));
}

/* --- parameters of the module --------------------------------------------- */

FIXTURE(parameter)
{
};

FIXTURE_SETUP(parameter)
{
	if (!getenv("VSM_MODULE"))
		SKIP(return, "VSM_MODULE does not name the module to load again");
	while (module_unload() == -EAGAIN)
		sched_yield();
}

FIXTURE_TEARDOWN(parameter)
{
	while (module_unload() == -EAGAIN)
		sched_yield();
	EXPECT_EQ(0, module_load(""));
}

TEST_F(parameter, devices_beyond_64_are_refused)
{
	EXPECT_EQ(-EINVAL, module_load("devices=65"));
	EXPECT_EQ(-ENODEV, vsm_open());
	EXPECT_EQ(0, module_load("devices=0"));
	EXPECT_EQ(-ENODEV, vsm_open());
	EXPECT_EQ(0, module_unload());
	EXPECT_EQ(0, module_load("devices=16"));
}

TEST_F(parameter, two_devices_have_nothing_in_common)
{
	struct cluster first, second;
	struct drm_vsm_wait wait;
	uint32_t handle;
	int set, dmabuf;

	ASSERT_EQ(0, module_load("devices=2"));
	ASSERT_EQ(-ENODEV, vsm_open_index(2));
	ASSERT_EQ(0, cluster_create(&first, vsm_open_index(0), 0, 0));
	ASSERT_EQ(0, cluster_create(&second, vsm_open_index(1), 0, 0));
	EXPECT_EQ(0, vsm_info(first.fd).index);
	EXPECT_EQ(1, vsm_info(second.fd).index);
	ASSERT_EQ(0, exec_one(&first, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&second, i_init(A, 1)));

	/* A wait set works only with the device that made it. */
	set = waitset_create(first.fd, DRM_VSM_WAITSET_NONBLOCK);
	wait = wait_parity(&second, A, 0, -1, 1);
	EXPECT_EQ(-EINVAL, waitset_arm(second.fd, set, &wait, 1, NULL));
	wait = wait_parity(&first, A, 0, -1, 2);
	EXPECT_EQ(0, waitset_arm(first.fd, set, &wait, 1, NULL));
	EXPECT_EQ(-EINVAL, waitset_cancel(second.fd, set, wait.id));

	/* A cluster of another device cannot execute instructions after its import. */
	ASSERT_EQ(0, drmPrimeHandleToFD(first.fd, first.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	if (!drmPrimeFDToHandle(second.fd, dmabuf, &handle)) {
		struct drm_vsm_insn arrive = i_arrive(A);
		struct drm_vsm_exec args = exec_args(&second, &arrive, 1);

		args.cluster = handle;
		EXPECT_EQ(-ENOENT, vsm_exec(second.fd, &args));
	}
	close(dmabuf);

	/* Unbinding one device does not affect the other. */
	ASSERT_EQ(0, device_unbind());
	EXPECT_EQ(POLLIN | POLLHUP, poll_events(set));
	EXPECT_EQ(-ENODEV, exec_one(&first, i_arrive(A)));
	EXPECT_EQ(0, exec_one(&second, i_arrive(A)));
	munmap(first.map, first.size);
	cluster_destroy(&second);
	close(first.fd);
	close(second.fd);
	close(set);
}

TEST_F(parameter, max_bytes_limits_the_device_and_half_of_it_a_client)
{
	struct drm_vsm_buffer_create args = { .size = 512 * 1024 + PAGE };
	int fd;

	ASSERT_EQ(0, module_load("max_bytes=1048576"));
	fd = vsm_open();
	EXPECT_EQ(1048576, vsm_info(fd).device_bytes);
	EXPECT_EQ(524288, vsm_info(fd).client_bytes);
	EXPECT_EQ(-ENOSPC, vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	args.size = 512 * 1024;
	EXPECT_EQ(0, vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	args.size = PAGE;
	EXPECT_EQ(-ENOSPC, vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	close(fd);
}

TEST_F(parameter, try_wait_limit_is_the_device_s)
{
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct drm_vsm_exec args;
	struct cluster c;
	int64_t start;

	ASSERT_EQ(0, module_load("try_wait_limit_ns=50000000"));
	ASSERT_EQ(0, cluster_create(&c, vsm_open(), 0, 0));
	EXPECT_EQ(50000000, vsm_info(c.fd).try_wait_limit_ns);
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	start = now_ns();
	args = exec_args(&c, &wait, 1);
	EXPECT_EQ(0, vsm_exec(c.fd, &args));
	EXPECT_LE(start + 50000000, now_ns());
	EXPECT_EQ(0, cluster_close(&c));

	while (module_unload() == -EAGAIN)
		sched_yield();
	ASSERT_EQ(0, module_load("try_wait_limit_ns=0"));
	ASSERT_EQ(0, cluster_create(&c, vsm_open(), 0, 0));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	args = exec_args(&c, &wait, 1);
	EXPECT_EQ(0, vsm_exec(c.fd, &args));
	EXPECT_EQ(1, args.retired);
	EXPECT_EQ(0, cluster_close(&c));
}

TEST_HARNESS_MAIN
