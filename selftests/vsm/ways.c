// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model of time by the way that bytes take: loads, stores, and operations between windows. The
 * tests check which operations a setting delays, and that none of them completes too early.
 */
#include "channel.h"
#include "configfs.h"

#define NAME "ways"
#define HOUR "3600000000000"
#define SIZE 64

FIXTURE(ways)
{
	struct cluster c;
	struct buffer b;
};

FIXTURE_SETUP(ways)
{
	int i;

	if (!folders_mount())
		SKIP(return, "the kernel has no configfs");
	folders_clear();
	ASSERT_EQ(0, folder_make(NAME));
	ASSERT_EQ(0, option_write(NAME, "job_timeout_ms", "0"));
	ASSERT_EQ(0, option_write(NAME, "enabled", "1"));
	ASSERT_EQ(0, cluster_make(&self->c, folder_open(NAME), .ctas = 2, .threads = 32,
				  .smem_bytes = 4096, .policy = DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, 4096));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, exec_at(&self->c, i, i_init(AT(i, 0), 1), NULL));
	ASSERT_EQ(0, exec_one(&self->c, i_init(AT(0, 8), 1)));
}

FIXTURE_TEARDOWN(ways)
{
	munmap(self->b.map, self->b.size);
	cluster_close(&self->c);
	folders_clear();
}

enum way { LOAD, STORE, REMOTE, LOCAL, WAYS };

static struct drm_vsm_insn insn_of(enum way way, uint32_t buffer)
{
	switch (way) {
	case LOAD:
		return i_g2s(AT(0, 0x100), AT(0, 0), SIZE, buffer, 0);
	case STORE:
		return i_s2g(AT(0, 0x200), SIZE, buffer, 0x400);
	case REMOTE:
		return i_s2s(AT(1, 0x300), AT(1, 0), SIZE, AT(0, 0x400));
	default:
		return i_s2s(AT(0, 0x300), AT(0, 0), SIZE, AT(0, 0x400));
	}
}

/* Submits @count operations of a way as one job of a channel. Returns its fence. */
static int start(const struct cluster *c, int channel, enum way way, int count, uint32_t buffer)
{
	struct drm_vsm_insn insns[8];
	int i;

	for (i = 0; i < count; i++)
		insns[i] = insn_of(way, buffer);
	return job_start(c, channel, insns, count, 0);
}

/* Does a job of operations of one kind end, although others of the device take an hour? */
static bool ends(const struct cluster *c, enum way kind, int count, uint32_t buffer, bool expected)
{
	int channel = channel_create(c->fd, 0), file = start(c, channel, kind, count, buffer);
	struct drm_vsm_insn arrive = i_sink(i_arrive(AT(0, 8)));
	bool right;

	if (expected) {
		right = job_end(file) == 1;
		channel_destroy(c->fd, channel);
	} else {
		/* A job without copies does not wait for those in flight. */
		right = job_end(job_start(c, 0, &arrive, 1, 0)) == 1 && !sync_file_status(file);
		channel_destroy(c->fd, channel);
		right &= job_end(file) == -ECANCELED;
	}
	return right;
}

TEST_F(ways, each_setting_delays_its_own_way)
{
	static const struct {
		const char *name;
		const char *value;
		bool ends[WAYS];	/* one operation */
	} settings[] = {
		{ "load_latency_ns", HOUR, { false, true, true, true } },
		{ "load_bandwidth", "1", { false, true, true, true } },
		{ "load_next_ns", HOUR, { true, true, true, true } },
		{ "store_latency_ns", HOUR, { true, false, true, true } },
		{ "store_bandwidth", "1", { true, false, true, true } },
		{ "remote_latency_ns", HOUR, { true, true, false, true } },
		{ "local_latency_ns", HOUR, { true, true, true, false } },
		{ "latency_ns", HOUR, { false, false, false, false } },
	};
	enum way way;
	int i;

	for (i = 0; i < ITEMS(settings); i++) {
		EXPECT_TRUE(option_is(NAME, settings[i].name, "0"));
		ASSERT_EQ(0, option_write(NAME, settings[i].name, settings[i].value));
		for (way = 0; way < WAYS; way++)
			EXPECT_TRUE(ends(&self->c, way, 1, self->b.handle,
					 settings[i].ends[way]))
				TH_LOG("%s, way %d", settings[i].name, way);
		ASSERT_EQ(0, option_write(NAME, settings[i].name, "0"));
		EXPECT_TRUE(ends(&self->c, LOAD, 2, self->b.handle, true));
	}
}

/* Only what was launched together counts: each job is a batch of its own. */
TEST_F(ways, a_load_pays_for_those_before_it_in_the_batch)
{
	enum { NEXT = 3000000, COUNT = 5 };
	int64_t begin;

	ASSERT_EQ(0, option_write(NAME, "load_next_ns", HOUR));
	EXPECT_TRUE(ends(&self->c, LOAD, 1, self->b.handle, true));
	EXPECT_TRUE(ends(&self->c, LOAD, 1, self->b.handle, true));
	EXPECT_TRUE(ends(&self->c, LOAD, 2, self->b.handle, false));
	EXPECT_TRUE(ends(&self->c, STORE, 2, self->b.handle, true));
	EXPECT_TRUE(ends(&self->c, REMOTE, 2, self->b.handle, true));
	ASSERT_EQ(0, option_write(NAME, "load_next_ns", "3000000"));
	begin = now_ns();
	EXPECT_EQ(1, job_end(start(&self->c, 0, LOAD, COUNT, self->b.handle)));
	EXPECT_LE(begin + (COUNT - 1) * NEXT, now_ns());
}

TEST_F(ways, latencies_and_bandwidths_add_up)
{
	int64_t begin;

	ASSERT_EQ(0, option_write(NAME, "latency_ns", "4000000"));
	ASSERT_EQ(0, option_write(NAME, "load_latency_ns", "5000000"));
	ASSERT_EQ(0, option_write(NAME, "bandwidth", "64000"));
	ASSERT_EQ(0, option_write(NAME, "load_bandwidth", "32000"));
	begin = now_ns();
	EXPECT_EQ(1, job_end(start(&self->c, 0, LOAD, 3, self->b.handle)));
	EXPECT_LE(begin + 4000000 + 5000000 + 3 * (1000000 + 2000000), now_ns());
	ASSERT_EQ(0, option_write(NAME, "store_latency_ns", "6000000"));
	ASSERT_EQ(0, option_write(NAME, "store_bandwidth", "16000"));
	begin = now_ns();
	EXPECT_EQ(1, job_end(start(&self->c, 0, STORE, 2, self->b.handle)));
	EXPECT_LE(begin + 4000000 + 6000000 + 2 * (1000000 + 4000000), now_ns());
}

TEST_F(ways, the_largest_values_are_an_hour)
{
	static const char * const names[] = {
		"load_latency_ns", "load_next_ns", "store_latency_ns", "remote_latency_ns",
		"local_latency_ns",
	};
	int i;

	ASSERT_EQ(0, option_write(NAME, "load_bandwidth", "0xffffffffffffffff"));
	EXPECT_TRUE(ends(&self->c, LOAD, 1, self->b.handle, true));
	for (i = 0; i < ITEMS(names); i++) {
		ASSERT_EQ(0, option_write(NAME, names[i], "0x3fffffffffffffff"));
		EXPECT_EQ(-ERANGE, option_write(NAME, names[i], "0x4000000000000000"));
	}
	EXPECT_TRUE(ends(&self->c, LOAD, 8, self->b.handle, false));
	EXPECT_TRUE(ends(&self->c, STORE, 8, self->b.handle, false));
	EXPECT_TRUE(ends(&self->c, REMOTE, 8, self->b.handle, false));
	EXPECT_TRUE(ends(&self->c, LOCAL, 8, self->b.handle, false));
}

TEST_HARNESS_MAIN
