// SPDX-License-Identifier: MIT
/* Tests vsm_event_read(), with a simulated device whose read() behaves like drm_read(). */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include "mock.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>

#define OTHER_TYPE 0x80000001
#define MS 1000000LL
#define KEPT 42
/* Bytes of an event without flags. */
#define PLAIN offsetof(struct drm_vsm_event_fault, flags)

static int events_to;

static int setup(void **state)
{
	if (mock_setup(state))
		return -1;
	events_to = mock_events();
	return 0;
}

static int teardown(void **state)
{
	int blocks = mock.event_blocks;

	close(events_to);
	return mock_teardown(state) || blocks ? -1 : 0;
}

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Send an event of any type and length. Most bytes of its fault are @number. */
static void send_event(uint32_t type, uint32_t length, uint32_t number)
{
	union {
		struct drm_vsm_event_fault fault;
		char bytes[4096];
	} event;

	memset(&event, 0xee, sizeof(event));
	memset(&event.fault, number, sizeof(event.fault));
	event.fault.base.type = type;
	event.fault.base.length = length;
	event.fault.cluster = number;
	assert_int_equal(send(events_to, &event, length, 0), length);
}

static void send_fault(uint32_t number)
{
	send_event(DRM_VSM_EVENT_FAULT, PLAIN, number);
}

static void assert_event_of(const struct drm_vsm_event_fault *event, uint32_t number, size_t length)
{
	struct drm_vsm_event_fault expected;

	memset(&expected, 0, sizeof(expected));
	if (length > sizeof(expected))
		length = sizeof(expected);
	memset(&expected, number, length);
	expected.base.type = DRM_VSM_EVENT_FAULT;
	expected.base.length = length;
	expected.cluster = number;
	assert_memory_equal(event, &expected, sizeof(expected));
}

static void assert_event(const struct drm_vsm_event_fault *event, uint32_t number)
{
	assert_event_of(event, number, PLAIN);
}

static bool readable(void)
{
	struct pollfd fd = { .fd = vsm_device_fd(device), .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

TEST(test_read)
{
	struct drm_vsm_event_fault events[4];

	send_fault(1);
	send_fault(2);
	send_fault(3);
	assert_int_equal(vsm_event_read(device, events, 2, 0), 2);
	assert_event(&events[0], 1);
	assert_event(&events[1], 2);
	/* poll() still reports the events that did not fit. */
	assert_true(readable());
	assert_int_equal(vsm_event_read(device, events, 4, VSM_NEVER), 1);
	assert_event(&events[0], 3);
	assert_false(readable());
	assert_int_equal(vsm_event_read(device, events, 4, 0), 0);
	assert_int_equal(vsm_event_read(device, events, 0, 0), -EINVAL);
}

TEST(test_many)
{
	static struct drm_vsm_event_fault events[KEPT + 8];
	int i;

	for (i = 0; i < KEPT; i++)
		send_fault(i);
	assert_int_equal(vsm_event_read(device, events, 0xffffffff, 0), KEPT);
	for (i = 0; i < KEPT; i++)
		assert_event(&events[i], i);
}

/* Events of other types are skipped. */
TEST(test_other_types)
{
	struct drm_vsm_event_fault events[4];

	send_event(OTHER_TYPE, sizeof(struct drm_event), 1);
	send_event(OTHER_TYPE, 200, 2);
	send_fault(3);
	send_event(OTHER_TYPE, 4096, 4);
	send_fault(5);
	send_event(OTHER_TYPE, 96, 6);
	assert_int_equal(vsm_event_read(device, events, 1, 0), 1);
	assert_event(&events[0], 3);
	assert_int_equal(vsm_event_read(device, events, 4, 0), 1);
	assert_event(&events[0], 5);
	assert_int_equal(vsm_event_read(device, events, 4, 0), 0);
	assert_false(readable());

	send_event(OTHER_TYPE, 96, 7);
	assert_int_equal(vsm_event_read(device, events, 4, now() + 5 * MS), 0);
	assert_false(readable());
}

/*
 * Events with flags, and events of a later version, are longer: the first buffer of the library may
 * be too small for them.
 */
TEST(test_longer_events)
{
	const uint32_t lengths[] = { 104, 112, 191, 192, 193, 1000, 4032, 4033, 4095, 4096 };
	struct drm_vsm_event_fault events[4];
	unsigned int i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		send_event(DRM_VSM_EVENT_FAULT, lengths[i], 1);
		send_fault(2);
		send_event(DRM_VSM_EVENT_FAULT, lengths[i], 3);
		memset(events, 0x5a, sizeof(events));
		assert_int_equal(vsm_event_read(device, events, 1, 0), 1);
		assert_event_of(&events[0], 1, lengths[i]);
		assert_int_equal(events[1].cluster, 0x5a5a5a5a);
		assert_int_equal(vsm_event_read(device, events, 1, 0), 1);
		assert_event(&events[0], 2);
		assert_int_equal(vsm_event_read(device, events, 1, 0), 1);
		assert_event_of(&events[0], 3, lengths[i]);
		assert_false(readable());
	}
}

/* An event that ends before the flags would begin is no fault event. */
TEST(test_short_event)
{
	struct drm_vsm_event_fault event;

	send_event(DRM_VSM_EVENT_FAULT, 88, 1);
	send_fault(2);
	assert_int_equal(vsm_event_read(device, &event, 1, 0), 1);
	assert_event(&event, 2);
}

/* An event with a wrong length ends the read, but does not crash the program. */
TEST(test_bad_length)
{
	struct drm_vsm_event_fault event = { .base.type = DRM_VSM_EVENT_FAULT };
	struct drm_vsm_event_fault got;
	const uint32_t lengths[] = { 0, 7, sizeof(event) + 1, 0xffffffff };
	unsigned int i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		event.base.length = lengths[i];
		assert_int_equal(send(events_to, &event, sizeof(event), 0), sizeof(event));
		assert_int_equal(vsm_event_read(device, &got, 1, 0), 0);
	}
}

TEST(test_deadline)
{
	struct drm_vsm_event_fault event;
	int64_t start = now();

	assert_int_equal(vsm_event_read(device, &event, 1, start + 20 * MS), 0);
	assert_true(now() >= start + 20 * MS);
	assert_int_equal(vsm_event_read(device, &event, 1, 1), 0);
	/* The function reads an event that is already there, whatever the deadline is. */
	send_fault(1);
	assert_int_equal(vsm_event_read(device, &event, 1, 1), 1);
}

TEST(test_interrupted_read)
{
	struct drm_vsm_event_fault event;

	send_fault(1);
	mock.event_errno = EINTR;
	assert_int_equal(vsm_event_read(device, &event, 1, 0), 1);
	assert_event(&event, 1);
	/* The file is non-blocking, and another reader has taken the event after poll(). */
	send_fault(2);
	mock.event_errno = EAGAIN;
	assert_int_equal(vsm_event_read(device, &event, 1, VSM_NEVER), 1);
	assert_event(&event, 2);
}

TEST(test_error)
{
	struct drm_vsm_event_fault event;

	send_fault(1);
	mock.event_errno = EIO;
	assert_int_equal(vsm_event_read(device, &event, 1, VSM_NEVER), -EIO);
	assert_int_equal(vsm_event_read(device, &event, 1, VSM_NEVER), 1);
}

TEST(test_hang_up)
{
	int fds[2];

	struct drm_vsm_event_fault event;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(dup2(fds[0], vsm_device_fd(device)), vsm_device_fd(device));
	close(fds[0]);
	close(fds[1]);
	mock.events = -1;
	assert_int_equal(vsm_event_read(device, &event, 1, VSM_NEVER), -ENODEV);
}

/* If poll() reports an event, but read() returns nothing, the function still ends. */
TEST(test_end_of_file)
{
	struct drm_vsm_event_fault event;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_int_equal(dup2(null, vsm_device_fd(device)), vsm_device_fd(device));
	close(null);
	mock.events = -1;
	assert_int_equal(vsm_event_read(device, &event, 1, VSM_NEVER), -EIO);
}

static _Atomic int signals;

static void on_signal(int sig)
{
	signals++;
}

static void *send_later(void *reader)
{
	int i;

	/* Signals do not end the wait of the reader. */
	for (i = 0; i < 20; i++) {
		usleep(1000);
		pthread_kill(*(pthread_t *)reader, SIGUSR1);
	}
	send_fault(10);
	return NULL;
}

TEST(test_blocks)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct drm_vsm_event_fault event;
	pthread_t self = pthread_self();
	pthread_t other;

	sigaction(SIGUSR1, &action, NULL);
	signals = 0;
	assert_int_equal(pthread_create(&other, NULL, send_later, &self), 0);
	assert_int_equal(vsm_event_read(device, &event, 1, VSM_NEVER), 1);
	assert_event(&event, 10);
	assert_true(signals > 0);
	pthread_join(other, NULL);
}

static void *read_one(void *event)
{
	vsm_event_read(device, event, 1, VSM_NEVER);
	pthread_testcancel();
	return NULL;
}

/* After a thread is cancelled in read(), other threads can still read. */
TEST(test_cancelled)
{
	static struct drm_vsm_event_fault events[2];
	pthread_t reader, other;
	struct timespec limit;
	void *end;

	mock.event_hold = true;
	send_fault(1);
	assert_int_equal(pthread_create(&reader, NULL, read_one, &events[0]), 0);
	while (!mock.event_held)
		usleep(100);
	assert_int_equal(pthread_cancel(reader), 0);
	mock.event_hold = false;
	assert_int_equal(pthread_join(reader, &end), 0);
	assert_ptr_equal(end, PTHREAD_CANCELED);
	/* The cancelled reader has the event that it took from the queue. */
	assert_event(&events[0], 1);

	send_fault(2);
	assert_int_equal(pthread_create(&other, NULL, read_one, &events[1]), 0);
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 60;
	assert_int_equal(pthread_timedjoin_np(other, NULL, &limit), 0);
	assert_event(&events[1], 2);
}

#define READERS 4
#define SENT 400
#define STOP 250

static _Atomic int seen[STOP];

static void *read_until_stop(void *max)
{
	struct drm_vsm_event_fault events[8];
	int count, i;

	for (;;) {
		count = vsm_event_read(device, events, (uintptr_t)max, VSM_NEVER);
		if (count <= 0)
			return "failed";
		for (i = 0; i < count; i++) {
			if (events[i].cluster == STOP)
				return count == 1 ? NULL : "more behind the stop";
			seen[events[i].cluster]++;
		}
	}
}

/*
 * All readers wake up for one event. One of them gets it. No reader blocks in read() (teardown
 * checks that), and a reader that does not wait is not delayed by the others.
 */
TEST(test_readers)
{
	struct drm_vsm_event_fault event;
	pthread_t readers[READERS];
	void *failure;
	int i, left;

	memset(seen, 0, sizeof(seen));
	for (i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, read_until_stop,
						(void *)(uintptr_t)(i % 2 ? 1 : 8)), 0);
	for (i = 0; i < SENT; i++) {
		send_fault(i % 100);
		if (i % 8 == 0)
			usleep(200);
	}
	do {
		usleep(1000);
		left = SENT;
		for (i = 0; i < 100; i++)
			left -= seen[i];
	} while (left > 0);
	assert_int_equal(vsm_event_read(device, &event, 1, 0), 0);

	for (i = 0; i < READERS; i++) {
		send_fault(STOP);
		while (readable())
			usleep(100);
	}
	for (i = 0; i < READERS; i++) {
		pthread_join(readers[i], &failure);
		assert_null(failure);
	}
	for (i = 0; i < 100; i++)
		assert_int_equal(seen[i], SENT / 100);
}

TEST_MAIN()
