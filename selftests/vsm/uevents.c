// SPDX-License-Identifier: GPL-2.0-only
/* The uevents of resets and of a lost device, as udev and monitors receive them. */
#include <linux/netlink.h>
#include <sys/socket.h>

#include "driver.h"
#include "inject.h"

#define B AT(0, 0x48)		/* counts the bytes of a job */
#define DATA 0x400

FIXTURE(uevents)
{
	int socket;
	struct cluster c;
	struct buffer b;
	int fd;
	int channel;
	struct drm_vsm_insn load[2];
};

FIXTURE_SETUP(uevents)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int size = 1 << 20;

	ASSERT_EQ(0, device_renew());
	self->fd = vsm_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, cluster_create(&self->c, self->fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->fd, 0x1000));
	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 1)));
	self->channel = channel_create(self->fd, 0);
	self->load[0] = i_expect_tx(B, 256);
	self->load[1] = i_g2s(DATA, B, 256, self->b.handle, 0);
	self->socket = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	ASSERT_LE(0, self->socket);
	setsockopt(self->socket, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	ASSERT_EQ(0, bind(self->socket, (struct sockaddr *)&addr, sizeof(addr)));
	if (model_reset(self->fd))
		SKIP(return, "needs debugfs");
}

FIXTURE_TEARDOWN(uevents)
{
	device_bind();
	model_reset(self->fd);
	munmap(self->b.map, self->b.size);
	cluster_destroy(&self->c);
	close(self->fd);
	close(self->socket);
}

/*
 * struct uevent - A received uevent
 * @size: Bytes of @text
 * @text: Strings, each with a zero at its end
 */
struct uevent {
	size_t size;
	char text[4096];
};

/* The value of a variable, or NULL. */
static const char *variable(const struct uevent *event, const char *name)
{
	const char *s, *end = event->text + event->size;
	size_t length = strlen(name);

	for (s = event->text; s < end; s += strlen(s) + 1)
		if (!strncmp(s, name, length) && s[length] == '=')
			return s + length + 1;
	return NULL;
}

static long long number(const struct uevent *event, const char *name)
{
	const char *value = variable(event, name);

	return value ? strtoll(value, NULL, 10) : -1;
}

/* Receives the next uevent that has the variable. Returns false if it does not come in time. */
static bool receive(int socket, const char *name, int milliseconds, struct uevent *event)
{
	struct pollfd poller = { .fd = socket, .events = POLLIN };
	int64_t until = now_ns() + milliseconds * (SECOND / 1000);
	ssize_t size;

	do {
		size = recv(socket, event->text, sizeof(event->text) - 1, MSG_DONTWAIT);
		event->size = size < 0 ? 0 : size;
		event->text[event->size] = 0;
		if (size > 0 && variable(event, name))
			return true;
		if (size < 0 && poll(&poller, 1, 100) < 0)
			return false;
	} while (size > 0 || now_ns() < until);
	return false;
}

/* Resets the channel. Returns the status of the guilty job. */
static int reset(const struct cluster *c, unsigned int channel, struct drm_vsm_insn load[2],
		 unsigned int site)
{
	int ret = model_set(c->fd, "latency_ns", NEVER);

	if (!ret)
		ret = model_set(c->fd, "job_timeout_ms", 1);
	return ret ? ret : job_end(job_start_site(c, channel, load, 2, site));
}

TEST_F(uevents, a_reset_says_whose_channel_it_was)
{
	struct drm_vsm_channel_status status;
	struct uevent event;

	EXPECT_EQ(-ETIMEDOUT, reset(&self->c, self->channel, self->load, 71));
	ASSERT_TRUE(receive(self->socket, "RESET", 10000, &event));
	ASSERT_EQ(0, channel_status(self->fd, self->channel, 0, &status));
	EXPECT_STREQ("channel", variable(&event, "RESET"));
	EXPECT_STREQ("change", variable(&event, "ACTION"));
	EXPECT_STREQ("drm", variable(&event, "SUBSYSTEM"));
	EXPECT_STREQ("drm_minor", variable(&event, "DEVTYPE"));
	EXPECT_EQ(self->channel, number(&event, "CHANNEL"));
	EXPECT_EQ(0, number(&event, "GROUP"));
	EXPECT_EQ(getpid(), number(&event, "PID"));
	EXPECT_EQ(-ETIMEDOUT, number(&event, "ERROR"));
	EXPECT_EQ(status.guilty_job, number(&event, "JOB"));
	EXPECT_EQ(71, number(&event, "SITE"));
	EXPECT_LT(0, number(&event, "CLIENT"));
	EXPECT_LE(0, number(&event, "MISSED"));
}

TEST_F(uevents, a_reset_of_a_group_is_one_event)
{
	int guilty = channel_create_grouped(self->fd, 12, 0);
	struct uevent event;

	ASSERT_LT(0, guilty);
	ASSERT_LT(0, channel_create_grouped(self->fd, 12, 0));
	EXPECT_EQ(-ETIMEDOUT, reset(&self->c, guilty, self->load, 0));
	ASSERT_TRUE(receive(self->socket, "RESET", 10000, &event));
	EXPECT_EQ(guilty, number(&event, "CHANNEL"));
	EXPECT_EQ(12, number(&event, "GROUP"));
	/* The next event is that of the next reset. */
	EXPECT_EQ(-ETIMEDOUT, reset(&self->c, self->channel, self->load, 8));
	ASSERT_TRUE(receive(self->socket, "RESET", 10000, &event));
	EXPECT_EQ(8, number(&event, "SITE"));
	EXPECT_EQ(0, number(&event, "MISSED"));
}

/*
 * Events that were sent and events that were left out are together as many as the resets. Many
 * channels are reset at once: there are more resets in a second than events, even on a slow
 * machine.
 */
TEST_F(uevents, a_program_that_resets_all_the_time_floods_nobody)
{
	enum { CHANNELS = 12 };
	struct drm_vsm_insn load[2] = { i_expect_tx(B, 16), };
	int i, channels[CHANNELS], files[CHANNELS], resets = 0, events = 0;
	long long missed = 0, first = -1;
	int64_t start = now_ns();
	struct uevent event;

	ASSERT_EQ(0, model_set(self->fd, "latency_ns", NEVER));
	ASSERT_EQ(0, model_set(self->fd, "job_timeout_ms", 1));
	for (i = 0; i < CHANNELS; i++)
		ASSERT_LT(0, channels[i] = channel_create(self->fd, 0));
	while (!missed && resets < 2000) {
		for (i = 0; i < CHANNELS; i++) {
			load[1] = i_g2s(DATA + 16 * i, B, 16, self->b.handle, 0);
			files[i] = job_start(&self->c, channels[i], load, 2, 0);
			ASSERT_LE(0, files[i]);
		}
		for (i = 0; i < CHANNELS; i++)
			EXPECT_EQ(-ETIMEDOUT, job_end(files[i]));
		resets += CHANNELS;
		while (receive(self->socket, "RESET", 0, &event)) {
			events++;
			/* Those that another test has left out are said first. */
			if (first < 0)
				first = number(&event, "MISSED");
			else
				missed += number(&event, "MISSED");
		}
	}
	ASSERT_LT(0, missed) TH_LOG("%d resets, %d events", resets, events);
	/* The last event may still be on its way, and what it leaves out too. */
	EXPECT_GE(resets, events + missed);
	EXPECT_LE(resets, events + missed + 20);
	/* At most 10 in each second that has begun. */
	EXPECT_GE(10 * ((now_ns() - start) / SECOND + 2), events);
}

TEST_F(uevents, a_fault_is_no_reset)
{
	struct drm_vsm_insn fault = i_sink(i_arrive(AT(0, 0x60)));
	struct uevent event;
	int tries = 0;

	EXPECT_EQ(-EIO, job_end(job_start_site(&self->c, 0, &fault, 1, 5)));
	/* The next event is that of the reset behind it, unless it is left out. */
	do {
		EXPECT_EQ(-ETIMEDOUT, reset(&self->c, 0, self->load, 6));
	} while (!receive(self->socket, "RESET", 100, &event) && ++tries < 100);
	EXPECT_EQ(6, number(&event, "SITE"));
}

TEST_F(uevents, a_lost_device_is_wedged_and_can_be_bound_again)
{
	struct uevent event;

	ASSERT_LT(0, inject_device(self->fd, R(EXEC, LOSE_DEVICE)));
	EXPECT_EQ(-ENODEV, exec_one(&self->c, i_arrive(AT(0, 0x40))));
	ASSERT_TRUE(receive(self->socket, "WEDGED", 10000, &event));
	EXPECT_STREQ("rebind", variable(&event, "WEDGED"));
	EXPECT_STREQ("change", variable(&event, "ACTION"));
	EXPECT_STREQ("drm", variable(&event, "SUBSYSTEM"));
	ASSERT_EQ(0, device_bind());
	self->fd = vsm_open();
	EXPECT_LE(0, self->fd);
}

TEST_F(uevents, a_device_that_root_unbinds_is_not_wedged)
{
	struct uevent event;

	ASSERT_EQ(0, device_unbind());
	ASSERT_EQ(0, device_bind());
	self->fd = vsm_open();
	EXPECT_LE(0, self->fd);
	/* Events come in order: that of the next loss is the first one. */
	ASSERT_LT(0, inject_device(self->fd, R(ALLOC, LOSE_DEVICE,
					       .flags = DRM_VSM_INJECT_RETURN)));
	EXPECT_EQ(-ENODEV, allocate(self->fd, 4096));
	ASSERT_TRUE(receive(self->socket, "WEDGED", 10000, &event));
	EXPECT_FALSE(receive(self->socket, "WEDGED", 100, &event));
	do
		self->fd = vsm_open();
	while (self->fd < 0);
}

/* Resets and unplugs race: events of a node that is gone would crash. */
TEST_F(uevents, a_device_may_go_while_channels_are_reset)
{
	int i, j, rounds = repeat(10);

	for (i = 0; i < rounds; i++) {
		struct cluster c;
		struct buffer b;
		int files[8], fd = i ? vsm_open() : self->fd;
		struct drm_vsm_insn load[2] = { self->load[0], self->load[1] };

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, cluster_create(&c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
		ASSERT_EQ(0, buffer_create(&b, fd, 0x1000));
		ASSERT_EQ(0, exec_one(&c, i_init(B, 1)));
		load[1] = i_g2s(DATA, B, 256, b.handle, 0);
		ASSERT_EQ(0, model_set(fd, "latency_ns", NEVER));
		ASSERT_EQ(0, model_set(fd, "job_timeout_ms", 1));
		for (j = 0; j < 8; j++)
			files[j] = job_start(&c, j ? channel_create(fd, 0) : 0, load, 2, 0);
		ASSERT_EQ(0, device_unbind());
		for (j = 0; j < 8; j++)
			EXPECT_GT(0, job_end(files[j]));
		munmap(b.map, b.size);
		cluster_destroy(&c);
		if (i)
			close(fd);
		ASSERT_EQ(0, device_bind());
	}
}

TEST_HARNESS_MAIN
