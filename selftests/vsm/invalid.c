// SPDX-License-Identifier: GPL-2.0-only
/*
 * A malformed request fails with EINVAL. If drm.debug enables the drivers' messages, the kernel log
 * names the reason.
 */
#include "inject.h"

/* Each request below is a valid request with one field overwritten. */
#pragma GCC diagnostic ignored "-Woverride-init"

#define DEBUG "/sys/module/drm/parameters/debug"

/* A request, and the reason that the log must name. */
struct request {
	unsigned long nr;
	const char *name;
	const char *reason;
	union {
		struct drm_vsm_cluster_create cluster;
		struct drm_vsm_buffer_create buffer;
		struct drm_vsm_exec exec;
		struct drm_vsm_submit submit;
		struct drm_vsm_waitset_create waitset;
		struct drm_vsm_waitset_arm arm;
		struct drm_vsm_waitset_cancel cancel;
		struct drm_vsm_cluster_hold hold;
		struct drm_vsm_trace_read trace;
		struct drm_vsm_channel_create channel;
		struct drm_vsm_channel_destroy unchannel;
		struct drm_vsm_channel_status status;
		struct drm_vsm_hold_create job_hold;
		struct drm_vsm_hold_release release;
		struct drm_vsm_inject_rule rule;
		struct drm_vsm_inject_query query;
		struct drm_vsm_inject_remove remove;
	} u;
};

FIXTURE(invalid)
{
	struct cluster c;
	int log;
	char debug[32];
	struct drm_vsm_insn insn;
	struct drm_vsm_wait wait;
	struct drm_vsm_sync sync;
};

static int debug_write(const char *value)
{
	int fd = open(DEBUG, O_WRONLY | O_CLOEXEC);
	int ret = fd < 0 ? -1 : (int)write(fd, value, strlen(value));

	if (fd >= 0)
		close(fd);
	return ret;
}

FIXTURE_SETUP(invalid)
{
	int fd = open(DEBUG, O_RDONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	ASSERT_LT(0, read(fd, self->debug, sizeof(self->debug) - 1));
	close(fd);
	ASSERT_LT(0, debug_write("2"));
	self->log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->log);
	fd = vsm_open();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cluster_create(&self->c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	self->insn.op = 0xffff;
}

FIXTURE_TEARDOWN(invalid)
{
	EXPECT_LT(0, debug_write(self->debug));
	close(self->log);
	EXPECT_EQ(0, cluster_close(&self->c));
}

/* Returns the last reason that was logged since the previous call, or "" if there is none. */
static const char *logged(int log)
{
	static char line[1024];
	const char *reason = "";
	static char found[1024];
	ssize_t length;

	while ((length = read(log, line, sizeof(line) - 1)) > 0) {
		char *text, *end;

		line[length] = 0;
		text = strstr(line, ": invalid ");
		if (!text || !strstr(line, "[vsm]"))
			continue;
		/* The reason begins with the name of the request. */
		while (text > line && text[-1] != ' ')
			text--;
		end = strchr(text, '\n');
		if (end)
			*end = 0;
		reason = strcpy(found, text);
	}
	return reason;
}

#define REQUEST(name, why, member, ...) { \
	DRM_IOCTL_VSM_##name, #name, why, { .member = __VA_ARGS__ } }

/* These make a valid request and then overwrite the given fields. */
#define EXEC(...) ((struct drm_vsm_exec) { \
	.cluster = c, .stride = 64, .count = 1, .insns = insn, __VA_ARGS__ })
#define SUBMIT(...) ((struct drm_vsm_submit) { \
	.cluster = c, .stride = 64, .count = 1, .insns = insn, __VA_ARGS__ })
#define ARM(...) ((struct drm_vsm_waitset_arm) { \
	.fd = set, .stride = 48, .count = 1, .waits = wait, __VA_ARGS__ })
#define TRACE(...) ((struct drm_vsm_trace_read) { \
	.cluster = traced.handle, .stride = 112, .count = 1, __VA_ARGS__ })
#define CLUSTER(...) ((struct drm_vsm_cluster_create) { \
	.ctas = 1, .threads = 32, .smem_bytes = 1024, .layout = VSM_LAYOUT_SM_90, __VA_ARGS__ })

TEST_F(invalid, the_log_names_the_field)
{
	uint64_t insn = (uintptr_t)&self->insn, wait = (uintptr_t)&self->wait;
	int set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	uint32_t c = self->c.handle;
	struct cluster traced = {};
	int created = cluster_make(&traced, self->c.fd, .ctas = 1, .threads = 32,
				   .smem_bytes = 1024, .trace_events = 1);
	const struct request requests[] = {
		REQUEST(CLUSTER_CREATE, "flags", cluster, CLUSTER(.flags = 1)),
		REQUEST(CLUSTER_CREATE, "pad", cluster, CLUSTER(.pad = 1)),
		REQUEST(CLUSTER_CREATE, "trace_events",
			cluster, CLUSTER(.trace_events = (1 << 20) + 1)),
		REQUEST(CLUSTER_CREATE, "policy", cluster, CLUSTER(.policy = 9)),
		REQUEST(CLUSTER_CREATE, "ctas", cluster, CLUSTER(.ctas = 17)),
		REQUEST(CLUSTER_CREATE, "threads", cluster, CLUSTER(.threads = 0)),
		REQUEST(CLUSTER_CREATE, "smem_bytes", cluster, CLUSTER(.smem_bytes = 8)),
		REQUEST(CLUSTER_CREATE, "layout", cluster, CLUSTER(.layout = 9)),
		REQUEST(CLUSTER_CREATE, "report", cluster, CLUSTER(.report = 1)),
		REQUEST(CLUSTER_CREATE, "enforce", cluster, CLUSTER(.enforce = 1)),
		REQUEST(BUFFER_CREATE, "flags", buffer, { .size = 1, .flags = 1 }),
		REQUEST(BUFFER_CREATE, "size", buffer, { .size = 0 }),
		REQUEST(EXEC, "flags", exec, EXEC(.flags = 0x80)),
		REQUEST(EXEC, "stride", exec, EXEC(.stride = 68)),
		REQUEST(EXEC, "insns: not a multiple of 8", exec, EXEC(.insns = 4)),
		REQUEST(EXEC, "retired: above count", exec, EXEC(.retired = 2)),
		REQUEST(EXEC, "pad", exec, EXEC(.pad = 1)),
		REQUEST(EXEC, "deadline", exec, EXEC(.deadline = -1)),
		REQUEST(EXEC, "cta", exec, EXEC(.cta = 16)),
		REQUEST(EXEC, "thread", exec, EXEC(.thread = 1024)),
		REQUEST(EXEC, "instruction 0: op 65535 mods 0x0 red 0x0", exec, EXEC()),
		REQUEST(SUBMIT, "flags", submit, SUBMIT(.flags = 1)),
		REQUEST(SUBMIT, "count", submit, SUBMIT(.count = 0)),
		REQUEST(SUBMIT, "stride", submit, SUBMIT(.stride = 8)),
		REQUEST(SUBMIT, "insns: not a multiple of 8", submit, SUBMIT(.insns = 4)),
		REQUEST(SUBMIT, "sync_stride",
			submit, SUBMIT(.sync_count = 1, .sync_stride = 12)),
		REQUEST(SUBMIT, "cta", submit, SUBMIT(.cta = 16)),
		REQUEST(SUBMIT, "thread", submit, SUBMIT(.thread = 1024)),
		REQUEST(SUBMIT, "instruction 0: op 65535 mods 0x0 red 0x0", submit, SUBMIT()),
		REQUEST(WAITSET_CREATE, "flags",
			waitset, { .record_stride = 32, .flags = 0x80 }),
		REQUEST(WAITSET_CREATE, "pad",
			waitset, { .record_stride = 32, .pad = 1 }),
		REQUEST(WAITSET_CREATE, "record_stride",
			waitset, { .record_stride = 4 }),
		REQUEST(WAITSET_ARM, "flags", arm, ARM(.flags = 1)),
		REQUEST(WAITSET_ARM, "pad", arm, ARM(.pad = 1)),
		REQUEST(WAITSET_ARM, "stride", arm, ARM(.stride = 40)),
		REQUEST(WAITSET_ARM, "waits: not a multiple of 8", arm, ARM(.waits = 4)),
		REQUEST(WAITSET_ARM, "armed: above count", arm, ARM(.armed = 2)),
		REQUEST(WAITSET_CANCEL, "flags", cancel, { .fd = set, .flags = 1 }),
		REQUEST(CLUSTER_HOLD, "flags", hold, { .cluster = c, .flags = 0x80 }),
		REQUEST(CHANNEL_CREATE, "flags", channel, { .flags = 0x80 }),
		REQUEST(CHANNEL_CREATE, "priority", channel, { .priority = 2 }),
		REQUEST(CHANNEL_DESTROY, "flags",
			unchannel, { .channel = 1, .flags = 1 }),
		REQUEST(CHANNEL_DESTROY, "channel", unchannel, { .channel = 0 }),
		REQUEST(INJECT_ADD, "where", rule, { .where = 99 }),
		REQUEST(INJECT_ADD, "what: not there", rule,
			{ .where = DRM_VSM_INJECT_EXEC, .what = DRM_VSM_INJECT_TWICE }),
		REQUEST(INJECT_QUERY, "flags", query, { .flags = 4 }),
		REQUEST(INJECT_QUERY, "deadline", query, { .deadline = -1 }),
		REQUEST(INJECT_REMOVE, "flags", remove, { .flags = 1 }),
		REQUEST(CHANNEL_STATUS, "flags", status, { .flags = 2 }),
		REQUEST(HOLD_CREATE, "flags", job_hold, { .flags = 1 }),
		REQUEST(HOLD_CREATE, "pad", job_hold, { .pad = 1 }),
		REQUEST(HOLD_RELEASE, "error", release, { .error = EAGAIN }),
		REQUEST(TRACE_READ, "flags", trace, TRACE(.flags = 1)),
		REQUEST(TRACE_READ, "stride", trace, TRACE(.stride = 104)),
		REQUEST(TRACE_READ, "stride", trace, TRACE(.stride = 116)),
		REQUEST(TRACE_READ, "events: not a multiple of 8", trace, TRACE(.events = 4)),
		REQUEST(TRACE_READ, "next: above the number of events", trace, TRACE(.next = 1)),
	};
	size_t i;

	ASSERT_LE(0, set);
	ASSERT_EQ(0, created);
	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		struct request r = requests[i];
		char expected[96];

		logged(self->log);
		EXPECT_EQ(-1, ioctl(self->c.fd, r.nr, &r.u));
		EXPECT_EQ(EINVAL, errno);
		snprintf(expected, sizeof(expected), "%s: invalid %s", r.name, r.reason);
		EXPECT_STREQ(expected, logged(self->log));
	}
	EXPECT_EQ(0, cluster_destroy(&traced));
	close(set);
}

TEST_F(invalid, the_log_names_what_a_request_points_to)
{
	int set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	struct drm_vsm_waitset_arm arm = {
		.fd = set, .stride = sizeof(self->wait), .count = 1,
		.waits = (uintptr_t)&self->wait,
	};
	struct drm_vsm_insn nop = i_arrive(AT(0, 0));
	struct drm_vsm_submit submit = {
		.cluster = self->c.handle, .stride = sizeof(nop), .count = 1,
		.insns = (uintptr_t)&nop, .sync_count = 1, .sync_stride = sizeof(self->sync),
		.syncs = (uintptr_t)&self->sync,
	};

	ASSERT_LE(0, set);
	self->wait.cluster = self->c.handle;
	self->wait.flags = 0x80;
	EXPECT_EQ(-1, ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_ARM, &arm));
	EXPECT_STREQ("WAITSET_ARM: invalid flags or lanes of a wait", logged(self->log));

	self->wait.flags = DRM_VSM_WAIT_INSN;
	self->wait.state = 4;
	EXPECT_EQ(-1, ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_ARM, &arm));
	EXPECT_STREQ("WAITSET_ARM: invalid state", logged(self->log));
	self->wait.state = (uintptr_t)&self->insn;
	self->wait.addr = 16 << 16;
	EXPECT_EQ(-1, ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_ARM, &arm));
	EXPECT_STREQ("WAITSET_ARM: invalid addr", logged(self->log));
	self->wait.addr = 0;
	EXPECT_EQ(-1, ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_ARM, &arm));
	EXPECT_STREQ("WAITSET_ARM: invalid state: no instruction to arm", logged(self->log));
	self->insn.op = DRM_VSM_OP_BAR_WARP_SYNC;
	self->insn.mods = 0x8000;
	EXPECT_EQ(-1, ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_ARM, &arm));
	EXPECT_NE(NULL, strstr(logged(self->log), "WAITSET_ARM: invalid instruction 0: "));

	nop.mods = DRM_VSM_MOD_SINK;
	self->sync.flags = 0x80;
	EXPECT_EQ(-1, ioctl(self->c.fd, DRM_IOCTL_VSM_SUBMIT, &submit));
	EXPECT_STREQ("SUBMIT: invalid flags of a sync", logged(self->log));
	close(set);
}

TEST_F(invalid, the_log_names_an_argument_that_is_too_long)
{
	struct {
		struct drm_vsm_buffer_create known;
		uint64_t more;
	} longer = { .known.size = 4096, .more = 1 };

	EXPECT_EQ(-1, ioctl(self->c.fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_VSM_BUFFER_CREATE,
						 longer), &longer));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_NE(NULL, strstr(logged(self->log),
			       "argument: bytes behind the known ones are not 0"));
}

TEST_F(invalid, the_log_is_silent_without_the_messages_of_drivers)
{
	struct drm_vsm_buffer_create buffer = { .size = 0 };

	ASSERT_LT(0, debug_write("0"));
	logged(self->log);
	EXPECT_EQ(-1, ioctl(self->c.fd, DRM_IOCTL_VSM_BUFFER_CREATE, &buffer));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_STREQ("", logged(self->log));
}

TEST_HARNESS_MAIN
