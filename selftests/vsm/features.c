// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices that lack a feature: it is missing in the device info, and what belongs to it is not
 * supported.
 */
#include "configfs.h"
#include "fence.h"
#include "lanes.h"

#define A AT(0, 0x40)
#define NAME "lacking"

FIXTURE(features)
{
};

FIXTURE_SETUP(features)
{
	if (!folders_mount())
		SKIP(return, "the kernel has no configfs");
	folders_clear();
	ASSERT_EQ(0, folder_make(NAME));
}

FIXTURE_TEARDOWN(features)
{
	folders_clear();
}

struct without {
	int fd;
	struct cluster c;
	struct buffer b;
};

static int try_mbarrier(struct without *w)
{
	return exec_one(&w->c, i_init(A, 1));
}

static int try_waitset(struct without *w)
{
	int set = waitset_create(w->fd, 0);

	if (set < 0)
		return set;
	close(set);
	return 0;
}

/* The set is of no importance: without the feature there is none. */
static int try_arm(struct without *w)
{
	struct drm_vsm_wait wait = wait_parity(&w->c, A, 0, -1, 0);
	int ret = waitset_arm(w->fd, -1, &wait, 1, NULL);

	return ret == -EBADF ? 0 : ret;
}

static int try_cancel(struct without *w)
{
	int ret = waitset_cancel(w->fd, -1, 0);

	return ret == -EBADF ? 0 : ret;
}

/* Arms a wait with these flags, for a rendezvous or, with @insn, another instruction. */
static int try_wait_flags(struct without *w, uint32_t flags, struct drm_vsm_insn insn)
{
	int ret, set = waitset_create(w->fd, 0);
	struct drm_vsm_wait wait = {
		.cluster = w->c.handle,
		.addr = DRM_VSM_WAIT_THREAD(0, 0),
		.state = (uintptr_t)&insn,
		.flags = DRM_VSM_WAIT_INSN | flags,
		.lanes = flags & DRM_VSM_WAIT_LANES ? 1 : 0,
		.deadline = -1,
	};

	ret = waitset_arm(w->fd, set, &wait, 1, NULL);
	close(set);
	return ret;
}

static int try_armed_rendezvous(struct without *w)
{
	return try_wait_flags(w, 0, i_cluster_arrive());
}

static int try_armed_try_wait(struct without *w)
{
	return try_wait_flags(w, 0, i_try_parity(A, 0, 0));
}

static int try_armed_group(struct without *w)
{
	return try_wait_flags(w, 0, i_wait_group(0));
}

static int try_no_limit(struct without *w)
{
	return try_wait_flags(w, DRM_VSM_WAIT_NO_LIMIT, i_try_parity(A, 1, 0));
}

static int try_wait_lanes(struct without *w)
{
	return try_wait_flags(w, DRM_VSM_WAIT_LANES, i_try_parity(A, 1, 0));
}

static int try_bulk_copy(struct without *w)
{
	return exec_one(&w->c, i_g2s(AT(0, 0x100), A, 16, w->b.handle, 0));
}

static int try_submit(struct without *w)
{
	struct drm_vsm_insn insn = i_s2g(AT(0, 0x100), 16, w->b.handle, 0);

	return submit_sync(&w->c, &insn, 1, 0, 0);
}

static int try_cp_async(struct without *w)
{
	return exec_one(&w->c, i_cp_async(AT(0, 0x200), 4, w->b.handle, 0));
}

static int try_init_fence(struct without *w)
{
	return exec_one(&w->c, i_fence());
}

static int try_hold(struct without *w)
{
	return cluster_hold(&w->c, 0);
}

static int try_copy(struct without *w)
{
	return exec_one(&w->c, i_commit());
}

static int try_channels(struct without *w)
{
	struct drm_vsm_channel_create args = {};

	return vsm_ioctl(w->fd, DRM_IOCTL_VSM_CHANNEL_CREATE, &args);
}

/* There is no such channel. */
static int try_destroy(struct without *w)
{
	struct drm_vsm_channel_destroy args = { .channel = 5 };
	int ret = vsm_ioctl(w->fd, DRM_IOCTL_VSM_CHANNEL_DESTROY, &args);

	return ret == -ENOENT ? 0 : ret;
}

static int submit_point(struct without *w, uint32_t flags, uint32_t handle)
{
	struct drm_vsm_insn insn = i_s2g(AT(0, 0x100), 16, w->b.handle, 0);
	struct drm_vsm_submit args = submit_args(&w->c, &insn, 1);
	struct drm_vsm_sync sync = { .handle = handle, .flags = flags, .point = 1 };

	args.syncs = (uintptr_t)&sync;
	args.sync_count = 1;
	args.sync_stride = sizeof(sync);
	return vsm_submit(w->fd, &args);
}

static int try_timeline(struct without *w)
{
	return submit_point(w, DRM_VSM_SYNC_SIGNAL, syncobj_create(w->fd));
}

static int try_timeline_wait(struct without *w)
{
	uint32_t handle = syncobj_create(w->fd);
	uint64_t point = 1;

	if (drmSyncobjTimelineSignal(w->fd, &handle, &point, 1))
		return -errno;
	return submit_point(w, DRM_VSM_SYNC_WAIT, handle);
}

static int try_job_hold(struct without *w)
{
	struct drm_vsm_hold_create args = { .handle = syncobj_create(w->fd) };

	return vsm_ioctl(w->fd, DRM_IOCTL_VSM_HOLD_CREATE, &args);
}

static int try_hold_point(struct without *w)
{
	struct drm_vsm_hold_create args = { .handle = syncobj_create(w->fd), .point = 1 };

	return vsm_ioctl(w->fd, DRM_IOCTL_VSM_HOLD_CREATE, &args);
}

static int try_priority(struct without *w)
{
	struct drm_vsm_channel_create args = { .priority = DRM_VSM_PRIORITY_LOW };

	return vsm_ioctl(w->fd, DRM_IOCTL_VSM_CHANNEL_CREATE, &args);
}

static int try_group(struct without *w)
{
	struct drm_vsm_channel_create args = { .group = 1 };

	return vsm_ioctl(w->fd, DRM_IOCTL_VSM_CHANNEL_CREATE, &args);
}

/* There is no such hold. */
static int try_release(struct without *w)
{
	struct drm_vsm_hold_release args = { .hold = 1 };
	int ret = vsm_ioctl(w->fd, DRM_IOCTL_VSM_HOLD_RELEASE, &args);

	return ret == -ENOENT ? 0 : ret;
}

static int try_rendezvous(struct without *w)
{
	return exec_one(&w->c, i_exit());
}

static int try_rules(struct without *w)
{
	struct cluster c;
	int ret = cluster_make(&c, w->fd, .ctas = 1, .threads = 1, .smem_bytes = 16,
			       .report = RULE(COPY_OVERLAP));

	return ret ? ret : cluster_destroy(&c);
}

static int try_fence(struct without *w)
{
	return exec_one(&w->c, i_order(DRM_VSM_SEM_SC, DRM_VSM_SCOPE_CTA));
}

static int try_lanes(struct without *w)
{
	struct drm_vsm_insn insn = i_sink(i_arrive(A));
	struct drm_vsm_exec args = play_args(&w->c, 0, 0, DRM_VSM_EXEC_LANES, &insn, 1);

	args.lanes = 1;
	return vsm_exec(w->fd, &args);
}

static int try_drain(struct without *w)
{
	return cluster_hold(&w->c, DRM_VSM_DRAIN);
}

static int try_state(struct without *w)
{
	struct drm_vsm_cluster_state args = {
		.handle = w->c.handle, .stride = sizeof(struct drm_vsm_state_entry),
	};

	return vsm_ioctl(w->fd, DRM_IOCTL_VSM_CLUSTER_STATE, &args);
}

static int try_trace(struct without *w)
{
	struct cluster c;
	int ret = cluster_make(&c, w->fd, .ctas = 1, .threads = 1, .smem_bytes = 16,
			       .trace_events = 8);

	return ret ? ret : cluster_destroy(&c);
}

/* The cluster has no flight recorder. */
static int try_read(struct without *w)
{
	struct drm_vsm_trace_read args = {
		.cluster = w->c.handle, .stride = sizeof(struct drm_vsm_trace_event),
	};
	int ret = vsm_ioctl(w->fd, DRM_IOCTL_VSM_TRACE_READ, &args);

	return ret == -ENOENT ? 0 : ret;
}

static int try_reset(struct without *w)
{
	struct drm_vsm_channel_status args = {};

	return vsm_ioctl(w->fd, DRM_IOCTL_VSM_CHANNEL_STATUS, &args);
}

/* There is no such rule. */
static int try_query(struct without *w)
{
	struct drm_vsm_inject_query args = { .rule = 1 };
	int ret = vsm_ioctl(w->fd, DRM_IOCTL_VSM_INJECT_QUERY, &args);

	return ret == -ENOENT ? 0 : ret;
}

static int try_inject(struct without *w)
{
	struct drm_vsm_inject_rule args = {
		.where = DRM_VSM_INJECT_JOB, .what = DRM_VSM_INJECT_HANG, .first = 2,
	};

	return vsm_ioctl(w->fd, DRM_IOCTL_VSM_INJECT_ADD, &args);
}

static int try_remove(struct without *w)
{
	struct drm_vsm_inject_remove args = {};

	return vsm_ioctl(w->fd, DRM_IOCTL_VSM_INJECT_REMOVE, &args);
}

static const struct attempt {
	const char *feature;
	uint64_t bit;
	int (*try)(struct without *w);
} attempts[] = {
	{ "mbarrier", DRM_VSM_FEATURE_MBARRIER, try_mbarrier },
	{ "waitset", DRM_VSM_FEATURE_WAITSET, try_waitset },
	{ "waitset", DRM_VSM_FEATURE_WAITSET, try_arm },
	{ "waitset", DRM_VSM_FEATURE_WAITSET, try_cancel },
	{ "bulk-copy", DRM_VSM_FEATURE_BULK_COPY, try_bulk_copy },
	{ "bulk-copy", DRM_VSM_FEATURE_BULK_COPY, try_submit },
	{ "cp-async", DRM_VSM_FEATURE_CP_ASYNC, try_cp_async },
	{ "cp-async", DRM_VSM_FEATURE_CP_ASYNC, try_init_fence },
	{ "cp-async", DRM_VSM_FEATURE_CP_ASYNC, try_hold },
	{ "copy", DRM_VSM_FEATURE_COPY, try_copy },
	{ "channels", DRM_VSM_FEATURE_CHANNELS, try_channels },
	{ "channels", DRM_VSM_FEATURE_CHANNELS, try_destroy },
	{ "channels", DRM_VSM_FEATURE_CHANNELS, try_timeline },
	{ "channels", DRM_VSM_FEATURE_CHANNELS, try_timeline_wait },
	{ "channels", DRM_VSM_FEATURE_CHANNELS, try_hold_point },
	{ "rendezvous", DRM_VSM_FEATURE_RENDEZVOUS, try_rendezvous },
	{ "rendezvous", DRM_VSM_FEATURE_RENDEZVOUS, try_armed_rendezvous },
	{ "rules", DRM_VSM_FEATURE_RULES, try_rules },
	{ "fence", DRM_VSM_FEATURE_FENCE, try_fence },
	{ "lanes", DRM_VSM_FEATURE_LANES, try_lanes },
	{ "lanes", DRM_VSM_FEATURE_LANES, try_armed_try_wait },
	{ "lanes", DRM_VSM_FEATURE_LANES, try_armed_group },
	{ "lanes", DRM_VSM_FEATURE_LANES, try_no_limit },
	{ "lanes", DRM_VSM_FEATURE_LANES, try_wait_lanes },
	{ "drain", DRM_VSM_FEATURE_DRAIN, try_drain },
	{ "state", DRM_VSM_FEATURE_STATE, try_state },
	{ "trace", DRM_VSM_FEATURE_TRACE, try_trace },
	{ "trace", DRM_VSM_FEATURE_TRACE, try_read },
	{ "inject", DRM_VSM_FEATURE_INJECT, try_query },
	{ "inject", DRM_VSM_FEATURE_INJECT, try_inject },
	{ "inject", DRM_VSM_FEATURE_INJECT, try_remove },
	{ "reset", DRM_VSM_FEATURE_RESET, try_reset },
	{ "hold", DRM_VSM_FEATURE_HOLD, try_job_hold },
	{ "hold", DRM_VSM_FEATURE_HOLD, try_release },
	{ "priority", DRM_VSM_FEATURE_PRIORITY, try_priority },
	{ "group", DRM_VSM_FEATURE_GROUP, try_group },
};

static void with_device(struct __test_metadata *_metadata, const struct attempt *a, bool without)
{
	struct without w;
	char text[64];

	snprintf(text, sizeof(text), "%c%s", without ? '-' : '+', a->feature);
	ASSERT_EQ(0, option_write(NAME, "features", text));
	ASSERT_EQ(0, option_write(NAME, "enabled", "1"));
	w.fd = folder_open(NAME);
	ASSERT_LE(0, w.fd);
	EXPECT_EQ(without ? 0 : a->bit, vsm_info(w.fd).features & a->bit);
	ASSERT_EQ(0, cluster_create(&w.c, w.fd, 0, 0));
	ASSERT_EQ(0, buffer_create(&w.b, w.fd, 4096));
	if (a->bit != DRM_VSM_FEATURE_MBARRIER)
		ASSERT_EQ(0, exec_one(&w.c, i_init(A, 1)));
	EXPECT_EQ(without ? -EOPNOTSUPP : 0, a->try(&w));
	munmap(w.b.map, w.b.size);
	EXPECT_EQ(0, cluster_destroy(&w.c));
	close(w.fd);
	ASSERT_EQ(0, option_write(NAME, "enabled", "0"));
}

TEST_F(features, a_feature_that_is_off_is_not_supported)
{
	int i;

	for (i = 0; i < ITEMS(attempts); i++) {
		with_device(_metadata, &attempts[i], true);
		with_device(_metadata, &attempts[i], false);
	}
}

static int enable(void)
{
	int ret = option_write(NAME, "enabled", "1");

	return ret ? ret : folder_open(NAME);
}

TEST_F(features, without_faults_there_are_no_events)
{
	struct drm_vsm_event_fault event;
	struct cluster c;

	ASSERT_EQ(0, option_write(NAME, "features", "-faults"));
	ASSERT_EQ(0, cluster_create(&c, enable(), 0, 0));
	EXPECT_EQ(-EPROTO, exec_one(&c, i_arrive(A)));
	EXPECT_EQ(0, poll_events(c.fd));
	EXPECT_EQ(0, cluster_close(&c));
	ASSERT_EQ(0, option_write(NAME, "enabled", "0"));
	ASSERT_EQ(0, option_write(NAME, "features", "+faults"));
	ASSERT_EQ(0, cluster_create(&c, enable(), 0, 0));
	EXPECT_EQ(-EPROTO, exec_one(&c, i_arrive(A)));
	EXPECT_TRUE(poll_events(c.fd) & POLLIN);
	EXPECT_EQ(1, fault_read(c.fd, &event));
	EXPECT_EQ(0, cluster_close(&c));
}

TEST_F(features, without_channels_there_is_no_number_of_them)
{
	int fd;

	ASSERT_EQ(0, option_write(NAME, "features", "-channels"));
	fd = enable();
	EXPECT_EQ(0, vsm_info(fd).max_channels);
	close(fd);
}

TEST_HARNESS_MAIN
