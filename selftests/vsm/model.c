// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model of time: when copies complete, in which order, and in how many steps. The tests check
 * that no copy completes too early. They do not check that a copy completes in time.
 */
#include "async.h"
#include "channel.h"
#include "driver.h"
#include "model.h"

#define MBAR(i) AT(0, 8 * (i))
#define COPIES 64
#define DATA 0x400
#define SMEM 0x10000

FIXTURE(model)
{
	struct cluster c;
	struct buffer b;
};

static int make(struct cluster *c, struct buffer *b)
{
	struct drm_vsm_cluster_create args = { .ctas = 1, .threads = 64, .smem_bytes = SMEM };
	int i, ret = cluster_create_args(c, vsm_open(), &args);

	if (!ret)
		ret = buffer_create(b, c->fd, SMEM);
	for (i = 0; i < COPIES && !ret; i++)
		ret = exec_one(c, i_init(MBAR(i), 1));
	for (i = 0; i < SMEM && !ret; i++)
		b->map[i] = i * 11 + i / 256 + 1;
	return ret;
}

static void unmake(struct cluster *c, struct buffer *b)
{
	munmap(b->map, b->size);
	cluster_destroy(c);
	close(c->fd);
}

FIXTURE_SETUP(model)
{
	ASSERT_EQ(0, make(&self->c, &self->b));
	if (model_reset(self->c.fd))
		SKIP(return, "needs debugfs");
}

FIXTURE_TEARDOWN(model)
{
	model_reset(self->c.fd);
	unmake(&self->c, &self->b);
}

/* How copies are issued: by EXEC if this is -1, otherwise by jobs on this channel. */
static const int ways[] = { -1, 0 };

/* Issues copies. Returns the fence of the job as a sync_file, 0 for EXEC, or a negative errno. */
static int issue(const struct cluster *c, int way, struct drm_vsm_insn *insns, uint32_t count)
{
	return way < 0 ? exec_stream(c, 0, insns, count, NULL)
		       : job_start(c, way, insns, count, 0);
}

/*
 * Makes @count copies of @size bytes. Each has an mbarrier, a source and a destination of its own.
 */
static void load_many(struct drm_vsm_insn *insns, int count, uint32_t size, uint32_t buffer)
{
	int i;

	for (i = 0; i < count; i++)
		insns[i] = i_g2s(DATA + size * i, MBAR(i), size, buffer, size * i);
}

static int expect_many(const struct cluster *c, int count, uint32_t size)
{
	int i, ret = 0;

	for (i = 0; i < count && !ret; i++)
		ret = exec_one(c, i_arrive_expect_tx(MBAR(i), size));
	return ret;
}

static bool complete(const struct cluster *c, uint32_t addr, uint32_t parity)
{
	return word(c, addr) >> 63 != parity;
}

/* --- settings of the model ------------------------------------------------ */

TEST_F(model, settings_are_what_was_set_and_a_new_device_has_none)
{
	static const struct {
		const char *name;
		uint64_t first;
		uint64_t value;
	} settings[] = {
		{ "latency_ns", 0, 1ULL << 40 },
		{ "bandwidth", 0, 5ULL << 33 },
		{ "shuffle_seed", 0, 0xfedcba9876543210 },
		{ "split_bytes", 0, 0xffffffff },
		{ "job_timeout_ms", JOB_TIMEOUT_MS, 0xfffffffe },
	};
	size_t i;
	int fd;

	for (i = 0; i < ITEMS(settings); i++) {
		EXPECT_EQ(settings[i].first, model_get(self->c.fd, settings[i].name));
		EXPECT_EQ(0, model_set(self->c.fd, settings[i].name, settings[i].value));
	}
	for (i = 0; i < ITEMS(settings); i++)
		EXPECT_EQ(settings[i].value, model_get(self->c.fd, settings[i].name));
	ASSERT_EQ(0, device_unbind());
	ASSERT_EQ(0, device_bind());
	fd = vsm_open();
	for (i = 0; i < ITEMS(settings); i++)
		EXPECT_EQ(settings[i].first, model_get(fd, settings[i].name));
	close(fd);
}

/* --- latency and bandwidth ------------------------------------------------ */

TEST_F(model, nothing_is_complete_before_its_latency)
{
	const int64_t latency = 20000000;
	int i, round, file;

	ASSERT_EQ(0, model_set(self->c.fd, "latency_ns", latency));
	for (round = 0; round < 4; round++) {
		for (i = 0; i < ITEMS(ways); i++) {
			struct drm_vsm_insn copy = i_g2s(DATA, MBAR(0), 16, self->b.handle, 0);
			uint32_t parity = word(&self->c, MBAR(0)) >> 63;
			unsigned char *data = cluster_mem(&self->c, DATA);
			int64_t start = now_ns();

			memset(data, 0, 16);
			ASSERT_EQ(0, expect_many(&self->c, 1, 16));
			file = issue(&self->c, ways[i], &copy, 1);
			ASSERT_LE(0, file);
			while (!complete(&self->c, MBAR(0), parity) && !data[15])
				;
			EXPECT_LE(start + latency, now_ns());
			ASSERT_EQ(0, await_phase(&self->c, MBAR(0), parity));
			EXPECT_EQ(0, memcmp(data, self->b.map, 16));
			if (ways[i] >= 0)
				EXPECT_EQ(1, job_end(file));
		}
	}
}

/*
 * A job that only stores completes no mbarrier. The job's fence shows when the stores have
 * completed.
 */
TEST_F(model, a_store_and_a_group_take_their_latency)
{
	struct drm_vsm_insn insns[] = {
		i_s2g(DATA, 16, self->b.handle, 0), i_bulk_commit(), i_bulk_wait(0),
	};
	const int64_t latency = 20000000;
	int64_t start;

	memset(cluster_mem(&self->c, DATA), 0x3b, 16);
	ASSERT_EQ(0, model_set(self->c.fd, "latency_ns", latency));
	start = now_ns();
	EXPECT_EQ(1, job_end(job_start(&self->c, 0, insns, 1, 0)));
	EXPECT_LE(start + latency, now_ns());
	EXPECT_EQ(0x3b, self->b.map[15]);
	self->b.map[15] = 0;
	start = now_ns();
	ASSERT_EQ(0, exec_stream(&self->c, 0, insns, 3, NULL));
	EXPECT_LE(start + latency, now_ns());
	EXPECT_EQ(0x3b, self->b.map[15]);
}

TEST_F(model, what_is_not_due_does_not_happen)
{
	int channel = channel_create(self->c.fd, 0), file;
	struct drm_vsm_insn copies[2], arrive = i_sink(i_arrive(MBAR(9)));

	load_many(copies, 2, 16, self->b.handle);
	ASSERT_EQ(0, expect_many(&self->c, 2, 16));
	ASSERT_EQ(0, model_set(self->c.fd, "latency_ns", NEVER));
	ASSERT_EQ(0, issue(&self->c, -1, &copies[0], 1));
	file = issue(&self->c, channel, &copies[1], 1);
	/* A job without copies does not wait for copies in flight. */
	EXPECT_EQ(1, job_end(job_start(&self->c, 0, &arrive, 1, 0)));
	EXPECT_EQ(0, sync_file_status(file));
	EXPECT_FALSE(complete(&self->c, MBAR(0), 0));
	EXPECT_FALSE(complete(&self->c, MBAR(1), 0));
	EXPECT_EQ(0, *(uint64_t *)cluster_mem(&self->c, DATA));
	EXPECT_EQ(0, *(uint64_t *)cluster_mem(&self->c, DATA + 16));
	EXPECT_EQ(0, channel_destroy(self->c.fd, channel));
	EXPECT_EQ(-ECANCELED, job_end(file));
}

TEST_F(model, bytes_take_the_time_that_the_bandwidth_says)
{
	enum { COUNT = 8, SIZE = 4096, BANDWIDTH = 2000000 };
	const int64_t each = SIZE * SECOND / BANDWIDTH, latency = 3000000;
	struct drm_vsm_insn copies[COUNT];
	int i, way, file;

	load_many(copies, COUNT, SIZE, self->b.handle);
	ASSERT_EQ(0, model_set(self->c.fd, "bandwidth", BANDWIDTH));
	ASSERT_EQ(0, model_set(self->c.fd, "latency_ns", latency));
	for (way = 0; way < ITEMS(ways); way++) {
		int64_t start;

		memset(cluster_mem(&self->c, DATA), 0, COUNT * SIZE);
		ASSERT_EQ(0, expect_many(&self->c, COUNT, SIZE));
		start = now_ns();
		file = issue(&self->c, ways[way], copies, COUNT);
		/* The copies complete one after the other. The latency passes only once. */
		for (i = 0; i < COUNT; i++) {
			ASSERT_EQ(0, await_phase(&self->c, MBAR(i), way));
			EXPECT_LE(start + (i + 1) * each + latency, now_ns());
		}
		EXPECT_EQ(0, memcmp(cluster_mem(&self->c, DATA), self->b.map, COUNT * SIZE));
		if (ways[way] >= 0)
			EXPECT_EQ(1, job_end(file));
	}
}

/* --- copies that complete in parts ---------------------------------------- */

/*
 * Watches the tx-count of a copy in flight until the phase completes. Returns how many different
 * values between @size and 0 were seen, or -1 if one of them was wrong.
 */
static int watch(const struct cluster *c, uint32_t size, uint32_t split, uint32_t parity)
{
	int seen = 0, last = size;

	while (true) {
		uint64_t now = word(c, MBAR(0));
		int tx = vsm_mbarrier_tx(VSM_LAYOUT_SM_90, now);

		if (now >> 63 != parity)
			return tx ? -1 : seen;
		if (tx == last)
			continue;
		if (tx > last || tx <= 0 || (size - tx) % split)
			return -1;
		last = tx;
		seen++;
	}
}

TEST_F(model, bytes_come_in_splits)
{
	static const uint32_t splits[] = { 1, 3 };
	enum { SIZE = 0x8000 };
	struct drm_vsm_insn copy = i_g2s(DATA, MBAR(0), SIZE, self->b.handle, 0);
	int set = waitset_create(self->c.fd, 0), way, round, file, steps, seen;
	struct drm_vsm_wait_record record;
	uint32_t i, parity = 0;

	/* The latency gives the test time to return from the ioctl and to watch the word. */
	ASSERT_EQ(0, model_set(self->c.fd, "latency_ns", 2000000));
	for (i = 0; i < 2 * ITEMS(splits); i++) {
		uint32_t split = splits[i / 2];

		way = ways[i % 2];
		seen = 0;
		ASSERT_EQ(0, model_set(self->c.fd, "split_bytes", split));
		for (round = 0; round < 300 && !seen; round++, parity ^= 1) {
			struct drm_vsm_wait wait = wait_parity(&self->c, MBAR(0), parity, -1, i);

			memset(cluster_mem(&self->c, DATA), 0, SIZE);
			ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
			ASSERT_EQ(0, expect_many(&self->c, 1, SIZE));
			file = issue(&self->c, way, &copy, 1);
			steps = watch(&self->c, SIZE, split, parity);
			ASSERT_LE(0, steps) TH_LOG("split of %u", split);
			seen += steps;
			/* The phase has completed once, with all data. */
			EXPECT_EQ(1, waitset_read(set, &record));
			EXPECT_EQ(word_of(VSM_LAYOUT_SM_90, 1, 0, 1, !parity),
				  word(&self->c, MBAR(0)));
			EXPECT_EQ(0, memcmp(cluster_mem(&self->c, DATA), self->b.map, SIZE));
			if (way >= 0)
				EXPECT_EQ(1, job_end(file));
			ASSERT_EQ(0, exec_look(&self->c, MBAR(0)));
		}
		EXPECT_LT(0, seen) TH_LOG("split of %u", split);
	}
	close(set);
}

/*
 * A copy brings more bytes than are expected. If the expected bytes end where a split ends, the
 * phase completes there and the next split is late. Otherwise the split with the first surplus byte
 * is refused.
 */
TEST_F(model, every_split_is_a_complete_tx)
{
	static const struct {
		uint32_t split;
		uint32_t expected;
		uint32_t left;
		uint32_t fault;
	} cases[] = {
		{ 0, 96, 96, DRM_VSM_FAULT_TX_OVERDELIVERY },
		{ 256, 96, 96, DRM_VSM_FAULT_TX_OVERDELIVERY },
		{ 48, 100, 4, DRM_VSM_FAULT_TX_OVERDELIVERY },
		{ 48, 96, 0, DRM_VSM_FAULT_LATE_COMPLETION },
		{ 100, 200, 0, DRM_VSM_FAULT_LATE_COMPLETION },
		{ 1, 255, 0, DRM_VSM_FAULT_LATE_COMPLETION },
	};
	struct drm_vsm_insn copy = i_g2s(DATA, 0, 256, self->b.handle, 0), found;
	uint32_t i;

	for (i = 0; i < ITEMS(cases); i++) {
		copy.u.copy.mbar = MBAR(i);
		ASSERT_EQ(0, model_set(self->c.fd, "split_bytes", cases[i].split));
		ASSERT_EQ(0, exec_one(&self->c, i_arrive_expect_tx(MBAR(i), cases[i].expected)));
		ASSERT_EQ(0, exec_one(&self->c, copy));
		EXPECT_EQ(cases[i].fault, async_fault(&self->c, &found)) TH_LOG("case %u", i);
		EXPECT_EQ(!cases[i].left, complete(&self->c, MBAR(i), 0));
		if (cases[i].left)
			EXPECT_EQ(cases[i].left, vsm_mbarrier_tx(VSM_LAYOUT_SM_90,
								 word(&self->c, MBAR(i))));
	}
}

TEST_F(model, a_split_above_the_size_changes_nothing)
{
	struct drm_vsm_insn copies[COPIES];

	load_many(copies, COPIES, 16, self->b.handle);
	ASSERT_EQ(0, model_set(self->c.fd, "split_bytes", 17));
	ASSERT_EQ(0, expect_many(&self->c, COPIES, 16));
	EXPECT_EQ(1, job_end(job_start(&self->c, 0, copies, COPIES, 0)));
	EXPECT_TRUE(complete(&self->c, MBAR(COPIES - 1), 0));
	EXPECT_EQ(0, memcmp(cluster_mem(&self->c, DATA), self->b.map, COPIES * 16));
}

/* --- copies that complete in random order --------------------------------- */

/*
 * Lets a new client issue copies together, and stores in @order the order in which they complete.
 * Stores 0 or a negative errno in @ret.
 */
static void order_of(int way, uint64_t seed, uint8_t order[COPIES], int *ret)
{
	struct drm_vsm_insn copies[COPIES];
	struct drm_vsm_wait waits[COPIES];
	struct drm_vsm_wait_record record;
	struct cluster c;
	struct buffer b;
	int i, set, file;

	*ret = make(&c, &b);
	if (*ret)
		return;
	set = waitset_create(c.fd, 0);
	for (i = 0; i < COPIES; i++)
		waits[i] = wait_parity(&c, MBAR(i), 0, -1, i);
	load_many(copies, COPIES, 16, b.handle);
	*ret = model_set(c.fd, "shuffle_seed", seed);
	if (!*ret)
		*ret = waitset_arm(c.fd, set, waits, COPIES, NULL);
	if (!*ret)
		*ret = expect_many(&c, COPIES, 16);
	file = *ret ? -1 : issue(&c, way, copies, COPIES);
	if (file < 0)
		*ret = *ret ? *ret : file;
	for (i = 0; i < COPIES && !*ret; i++) {
		if (waitset_read(set, &record) != 1 || record.status)
			*ret = -EBADMSG;
		order[i] = record.user_data;
	}
	if (!*ret && memcmp(cluster_mem(&c, DATA), b.map, COPIES * 16))
		*ret = -EUCLEAN;
	if (file > 0)
		close(file);
	close(set);
	unmake(&c, &b);
}

static bool is_permutation(const uint8_t order[COPIES])
{
	uint64_t seen = 0;
	int i;

	for (i = 0; i < COPIES; i++)
		seen |= 1ULL << order[i];
	return seen == ~0ULL;
}

static bool is_ascending(const uint8_t order[COPIES])
{
	int i;

	for (i = 0; i < COPIES; i++)
		if (order[i] != i)
			return false;
	return true;
}

TEST_F(model, a_seed_stands_for_an_order)
{
	static const uint64_t seeds[] = { 1, 2, 3, 1ULL << 63, ~0ULL };
	uint8_t orders[ITEMS(seeds)][COPIES], again[COPIES];
	int i, j, way, ret;

	for (way = 0; way < ITEMS(ways); way++) {
		for (i = 0; i < ITEMS(seeds); i++) {
			order_of(ways[way], seeds[i], orders[i], &ret);
			ASSERT_EQ(0, ret);
			EXPECT_TRUE(is_permutation(orders[i]));
			EXPECT_FALSE(is_ascending(orders[i]));
			order_of(ways[way], seeds[i], again, &ret);
			ASSERT_EQ(0, ret);
			EXPECT_EQ(0, memcmp(orders[i], again, COPIES));
			for (j = 0; j < i; j++)
				EXPECT_NE(0, memcmp(orders[i], orders[j], COPIES));
		}
		order_of(ways[way], 0, again, &ret);
		ASSERT_EQ(0, ret);
		EXPECT_TRUE(is_ascending(again));
	}
}

/* With the same seed, the client's next copies complete in another order. */
TEST_F(model, an_order_is_not_repeated)
{
	struct drm_vsm_wait_record record;
	struct drm_vsm_insn copies[COPIES];
	struct drm_vsm_wait waits[COPIES];
	uint8_t orders[2][COPIES];
	int i, round, set = waitset_create(self->c.fd, 0);

	load_many(copies, COPIES, 16, self->b.handle);
	ASSERT_EQ(0, model_set(self->c.fd, "shuffle_seed", 77));
	for (round = 0; round < 2; round++) {
		for (i = 0; i < COPIES; i++)
			waits[i] = wait_parity(&self->c, MBAR(i), round, -1, i);
		ASSERT_EQ(0, waitset_arm(self->c.fd, set, waits, COPIES, NULL));
		ASSERT_EQ(0, expect_many(&self->c, COPIES, 16));
		ASSERT_EQ(0, issue(&self->c, -1, copies, COPIES));
		for (i = 0; i < COPIES; i++) {
			ASSERT_EQ(1, waitset_read(set, &record));
			orders[round][i] = record.user_data;
		}
		EXPECT_TRUE(is_permutation(orders[round]));
	}
	EXPECT_NE(0, memcmp(orders[0], orders[1], COPIES));
	close(set);
}

/* The arrive completes after all copies that its thread issued before it, shuffled or not. */
TEST_F(model, cp_async_mbarrier_arrive_stays_behind_its_copies)
{
	enum { HALF = 8 };
	uint32_t i, half, seed, seeds = repeat(40);
	struct drm_vsm_insn insns[2 * (HALF + 1)];
	unsigned char *data = cluster_mem(&self->c, DATA);

	for (i = 0; i < ITEMS(insns); i++) {
		half = i / (HALF + 1);
		insns[i] = i % (HALF + 1) == HALF ? i_noinc(i_cp_arrive(MBAR(half)))
			: i_cp_async(DATA + 16 * i, 16, self->b.handle, 16 * i);
	}
	/*
	 * Each copy takes half a millisecond. The check would therefore find a copy that completes
	 * after the arrive.
	 */
	ASSERT_EQ(0, model_set(self->c.fd, "bandwidth", 32000));
	for (seed = 0; seed < seeds; seed++) {
		memset(data, 0, 16 * ITEMS(insns));
		ASSERT_EQ(0, model_set(self->c.fd, "shuffle_seed", seed + 1));
		ASSERT_EQ(0, exec_stream(&self->c, 0, insns, ITEMS(insns), NULL));
		for (half = 0; half < 2; half++) {
			ASSERT_EQ(0, await_phase(&self->c, MBAR(half), seed % 2));
			i = half * 16 * (HALF + 1);
			EXPECT_EQ(0, memcmp(data + i, self->b.map + i, 16 * HALF));
		}
	}
}

TEST_HARNESS_MAIN
