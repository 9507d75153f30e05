// SPDX-License-Identifier: MIT
/* Tests wait sets: creating, arming, cancelling and reading. */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include "mock.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

static struct vsm_waitset *set;

static int setup(void **state)
{
	if (mock_setup_cluster(state))
		return -1;
	return vsm_waitset_create(device, &set);
}

static int teardown(void **state)
{
	vsm_waitset_destroy(set);
	close(mock.waits);
	return mock_teardown_cluster(state);
}

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void end_wait(uint64_t user_data)
{
	struct drm_vsm_wait_record record = {
		.user_data = user_data, .id = user_data + 1, .result = ~user_data,
	};

	assert_int_equal(write(mock.waits, &record, sizeof(record)), sizeof(record));
}

TEST(test_create)
{
	assert_int_equal(mock.waitset_create.flags, DRM_VSM_WAITSET_NONBLOCK);
	assert_int_equal(mock.waitset_create.record_stride, sizeof(struct drm_vsm_wait_record));
	assert_int_equal(mock.waitset_create.pad, 0);
	assert_true(fcntl(vsm_waitset_fd(set), F_GETFL) & O_NONBLOCK);
	vsm_waitset_destroy(NULL);
}

TEST(test_create_error)
{
	struct vsm_waitset *none;

	mock.fail_request = DRM_IOCTL_VSM_WAITSET_CREATE;
	mock.fail_errno = EMFILE;
	assert_int_equal(vsm_waitset_create(device, &none), -EMFILE);
}

TEST(test_wait_constructors)
{
	const uint64_t token = 0x7fff000000000000ULL;
	struct drm_vsm_wait wait;

	wait = vsm_waitset_prep_state(cluster, 0x40, token, 1000, 77);
	assert_int_equal(wait.cluster, vsm_cluster_handle(cluster));
	assert_int_equal(wait.addr, 0x40);
	assert_true(wait.state == token);
	assert_int_equal(wait.deadline, 1000);
	assert_int_equal(wait.user_data, 77);
	assert_int_equal(wait.flags, 0);
	assert_int_equal(wait.fault, 0);

	wait = vsm_waitset_prep_parity(cluster, 0x40, 1, VSM_NEVER, 78);
	assert_int_equal(wait.state, 1);
	assert_true(wait.deadline < 0);
	assert_int_equal(wait.user_data, 78);
	assert_int_equal(wait.flags, DRM_VSM_WAIT_PARITY);
}

TEST(test_wait_insn)
{
	struct drm_vsm_insn insn = vsm_prep_bar_warp_sync(3);
	struct vsm_thread t = vsm_thread_at(cluster, 1, 33);
	struct drm_vsm_wait wait;

	t.exec_flags = DRM_VSM_EXEC_NO_LIMIT;
	wait = vsm_waitset_prep_insn(&t, &insn, 1000, 77);
	assert_int_equal(wait.cluster, vsm_cluster_handle(cluster));
	assert_int_equal(wait.addr, 1 << 16 | 33);
	assert_true(wait.state == (uintptr_t)&insn);
	assert_int_equal(wait.deadline, 1000);
	assert_int_equal(wait.user_data, 77);
	assert_int_equal(wait.flags, DRM_VSM_WAIT_INSN);

	t = vsm_warp_at(cluster, 0, 2);
	wait = vsm_waitset_prep_insn(&t, &insn, VSM_NEVER, 78);
	assert_int_equal(wait.addr, 64);
	assert_true(wait.deadline < 0);
	assert_int_equal(wait.flags, DRM_VSM_WAIT_INSN | DRM_VSM_WAIT_WARP);
}

TEST(test_prep_lanes)
{
	const struct drm_vsm_insn insn = vsm_prep_mbarrier_try_wait_parity(8, 1, 0);
	struct vsm_thread t = vsm_thread_at(cluster, 1, 32);
	struct drm_vsm_wait wait;

	wait = vsm_waitset_prep_lanes(&t, 0xf0, &insn, DRM_VSM_WAIT_NO_LIMIT, VSM_NEVER, 77);
	assert_int_equal(wait.cluster, vsm_cluster_handle(cluster));
	assert_int_equal(wait.addr, 1 << 16 | 32);
	assert_true(wait.state == (uintptr_t)&insn);
	assert_true(wait.deadline < 0);
	assert_int_equal(wait.user_data, 77);
	assert_int_equal(wait.flags,
			 DRM_VSM_WAIT_INSN | DRM_VSM_WAIT_LANES | DRM_VSM_WAIT_NO_LIMIT);
	assert_int_equal(wait.lanes, 0xf0);
	assert_int_equal(wait.site, 0);
	wait = vsm_waitset_prep_lanes(&t, 0x1, &insn, 0, 1000, 78);
	assert_int_equal(wait.deadline, 1000);
	assert_int_equal(wait.flags, DRM_VSM_WAIT_INSN | DRM_VSM_WAIT_LANES);
}

TEST(test_arm)
{
	struct drm_vsm_wait waits[3];
	uint32_t armed = 0;
	unsigned int i;

	for (i = 0; i < 3; i++)
		waits[i] = vsm_waitset_prep_parity(cluster, 8 * i, 0, VSM_NEVER, i);
	assert_int_equal(vsm_waitset_arm(set, waits, 3, &armed), 0);
	assert_int_equal(armed, 3);
	assert_int_equal(mock.arm.fd, vsm_waitset_fd(set));
	assert_int_equal(mock.arm.count, 3);
	assert_int_equal(mock.arm.flags, 0);
	assert_int_equal(mock.arm.pad, 0);
	assert_int_equal(waits[2].id, 102);
	assert_int_equal(vsm_waitset_arm(set, waits, 1, NULL), 0);
	assert_int_equal(mock.arm.armed, 0);
}

TEST(test_arm_error)
{
	struct drm_vsm_wait waits[3];
	uint32_t armed = 0;

	memset(waits, 0, sizeof(waits));
	mock.arm_limit = 2;
	assert_int_equal(vsm_waitset_arm(set, waits, 3, &armed), -ENOSPC);
	assert_int_equal(armed, 2);
	/* Another call arms the other waits. */
	mock.arm_limit = 1;
	assert_int_equal(vsm_waitset_arm(set, waits, 3, &armed), 0);
	assert_int_equal(mock.arm.armed, 2);
	assert_int_equal(armed, 3);
}

TEST(test_cancel)
{
	assert_int_equal(vsm_waitset_cancel(set, 1ULL << 40), 0);
	assert_int_equal(mock.cancel.id, 1ULL << 40);
	assert_int_equal(mock.cancel.fd, vsm_waitset_fd(set));
	assert_int_equal(mock.cancel.flags, 0);
	mock.fail_request = DRM_IOCTL_VSM_WAITSET_CANCEL;
	mock.fail_errno = ENOENT;
	assert_int_equal(vsm_waitset_cancel(set, 5), -ENOENT);
}

TEST(test_read)
{
	/*
	 * Not on the stack: the array would be shorter than @max says, and some kernels refuse a
	 * read whose range extends beyond the end of user space.
	 */
	static struct drm_vsm_wait_record records[4];

	end_wait(10);
	end_wait(20);
	end_wait(30);
	assert_int_equal(vsm_waitset_read(set, records, 2, 0), 2);
	assert_int_equal(records[0].user_data, 10);
	assert_true(records[0].result == ~10ULL);
	assert_int_equal(records[1].id, 21);
	assert_int_equal(vsm_waitset_read(set, records, 0xffffffff, VSM_NEVER), 1);
	assert_int_equal(records[0].user_data, 30);
	assert_int_equal(vsm_waitset_read(set, records, 4, 0), 0);
	assert_int_equal(vsm_waitset_read(set, records, 0, 0), -EINVAL);
}

TEST(test_read_deadline)
{
	struct drm_vsm_wait_record record;
	int64_t start = now();

	assert_int_equal(vsm_waitset_read(set, &record, 1, start + 20000000), 0);
	assert_true(now() >= start + 20000000);
	assert_int_equal(vsm_waitset_read(set, &record, 1, 1), 0);
}

TEST(test_read_error)
{
	struct drm_vsm_wait_record record;
	int fd = vsm_waitset_fd(set);
	int directory = open("/", O_RDONLY);

	assert_int_equal(dup2(directory, fd), fd);
	close(directory);
	assert_int_equal(vsm_waitset_read(set, &record, 1, VSM_NEVER), -EISDIR);
}

static _Atomic int signals;

static void on_signal(int sig)
{
	signals++;
}

static void *end_wait_later(void *reader)
{
	int i;

	/* Signals do not end the wait of the reader. */
	for (i = 0; i < 20; i++) {
		usleep(1000);
		pthread_kill(*(pthread_t *)reader, SIGUSR1);
	}
	end_wait(10);
	return NULL;
}

TEST(test_read_blocks)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct drm_vsm_wait_record record;
	pthread_t self = pthread_self();
	pthread_t other;

	sigaction(SIGUSR1, &action, NULL);
	signals = 0;
	assert_int_equal(pthread_create(&other, NULL, end_wait_later, &self), 0);
	assert_int_equal(vsm_waitset_read(set, &record, 1, VSM_NEVER), 1);
	assert_int_equal(record.user_data, 10);
	assert_true(signals > 0);
	pthread_join(other, NULL);
}

TEST_MAIN()
