// SPDX-License-Identifier: GPL-2.0-only
/*
 * Priorities of channels: a channel gives way to channels of a higher priority, of its own client
 * and of others, but is never delayed for ever.
 */
#include "channel.h"
#include "fdinfo.h"
#include "model.h"
#include "users.h"

#define A AT(0, 0x40)		/* counts arrivals */
#define DATA 0x1000
#define SIZE 0x8000
#define COPIES 2048
#define LOAD ((uint64_t)COPIES * SIZE)
#define LOADS 8

/* A client with a channel */
struct party {
	struct cluster c;
	struct buffer b;
	struct drm_vsm_insn *load;
	int channel;
};

FIXTURE(priority) { struct party p[2]; };

static int priority_create(int fd, int32_t priority)
{
	struct drm_vsm_channel_create args = { .priority = priority };
	int ret = vsm_ioctl(fd, DRM_IOCTL_VSM_CHANNEL_CREATE, &args);

	return ret ? ret : (int)args.channel;
}

static int party_open(struct party *p)
{
	int i, ret = cluster_make_open(&p->c, .ctas = 1, .threads = 32, .smem_bytes = DATA + SIZE,
				       .policy = DRM_VSM_POLICY_HARDWARE);

	if (!ret)
		ret = buffer_create(&p->b, p->c.fd, SIZE);
	if (!ret)
		ret = exec_one(&p->c, i_init(A, 1000));
	p->load = calloc(COPIES, sizeof(*p->load));
	for (i = 0; i < COPIES; i++)
		p->load[i] = i_s2g(AT(0, DATA), SIZE, p->b.handle, 0);
	return ret;
}

static void party_close(struct party *p)
{
	munmap(p->b.map, p->b.size);
	cluster_close(&p->c);
	free(p->load);
}

FIXTURE_SETUP(priority)
{
	int i;

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, party_open(&self->p[i]));
	model_reset(self->p[0].c.fd);
}

FIXTURE_TEARDOWN(priority)
{
	int i;

	for (i = 0; i < 2; i++)
		party_close(&self->p[i]);
}

static uint64_t moved(const struct party *p)
{
	struct usage u;

	return usage_read(p->c.fd, &u) ? POISON : u.moved;
}

/* Queues some jobs, each of which copies LOAD bytes. Returns the fence of the last one. */
static int load_start(struct party *p, int jobs, uint32_t in)
{
	int file = -1;

	while (jobs--) {
		close(file);
		file = job_start(&p->c, p->channel, p->load, COPIES, in);
	}
	return file;
}

TEST_F(priority, malformed_arguments_are_refused)
{
	static const int32_t wrong[] = { -2, 2, INT32_MIN, INT32_MAX };
	int i, fd = self->p[0].c.fd;

	for (i = 0; i < ITEMS(wrong); i++)
		EXPECT_EQ(-EINVAL, priority_create(fd, wrong[i]));
	for (i = -1; i <= 1; i++)
		EXPECT_EQ(i + 2, priority_create(fd, i));
}

TEST_F(priority, a_high_one_needs_a_privilege)
{
	int fd = self->p[0].c.fd;
	pid_t pid = fork_child();

	if (!pid) {
		if (!become_plain(ALICE))
			_exit(1);
		if (priority_create(fd, DRM_VSM_PRIORITY_HIGH) != -EACCES)
			_exit(2);
		if (priority_create(fd, DRM_VSM_PRIORITY_NORMAL) < 0 ||
		    priority_create(fd, DRM_VSM_PRIORITY_LOW) < 0)
			_exit(3);
		_exit(0);
	}
	EXPECT_EQ(0, child_status(pid));
	EXPECT_LT(0, priority_create(fd, DRM_VSM_PRIORITY_HIGH));
}

/*
 * Two loads begin at the same time. When the first has ended, at most half of the second has. The
 * kernel notes when each job ended: this task may learn of it much later.
 */
static void race(struct __test_metadata *_metadata, struct party *first, int32_t high,
		 struct party *second, int32_t low)
{
	uint64_t before = moved(second), ended;
	uint32_t in = syncobj_create(first->c.fd), waits;
	int i, hold, file, early = 0, files[LOADS];

	first->channel = priority_create(first->c.fd, high);
	second->channel = priority_create(second->c.fd, low);
	ASSERT_LT(0, first->channel);
	ASSERT_LT(0, second->channel);
	hold = job_hold_create(first->c.fd, in, 0, 0);
	ASSERT_LT(0, hold);
	file = syncobj_export(first->c.fd, in);
	waits = syncobj_import(second->c.fd, file);
	close(file);
	for (i = 0; i < LOADS; i++)
		files[i] = load_start(second, 1, waits);
	file = load_start(first, LOADS, in);
	EXPECT_EQ(0, job_hold_release(first->c.fd, hold, 0));
	EXPECT_EQ(1, sync_file_wait(file));
	ended = sync_file_time(file);
	close(file);
	for (i = 0; i < LOADS; i++) {
		EXPECT_EQ(1, sync_file_wait(files[i]));
		early += sync_file_time(files[i]) < ended;
		close(files[i]);
	}
	EXPECT_GE(LOADS / 2, early);
	channel_destroy(first->c.fd, first->channel);
	channel_destroy(second->c.fd, second->channel);
	EXPECT_EQ(LOADS * LOAD, moved(second) - before);
}

TEST_F(priority, normal_ones_give_way_to_high_ones)
{
	race(_metadata, &self->p[0], DRM_VSM_PRIORITY_HIGH, &self->p[1], DRM_VSM_PRIORITY_NORMAL);
}

TEST_F(priority, low_ones_give_way_to_normal_ones)
{
	race(_metadata, &self->p[1], DRM_VSM_PRIORITY_NORMAL, &self->p[0], DRM_VSM_PRIORITY_LOW);
}

TEST_F(priority, low_ones_give_way_to_high_ones)
{
	race(_metadata, &self->p[0], DRM_VSM_PRIORITY_HIGH, &self->p[1], DRM_VSM_PRIORITY_LOW);
}

/* Jobs of a lower priority end while a channel of a higher priority always has something to do. */
TEST_F(priority, nobody_is_delayed_for_ever)
{
	struct party *high = &self->p[0], *low = &self->p[1];
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	int i, load;

	high->channel = priority_create(high->c.fd, DRM_VSM_PRIORITY_HIGH);
	low->channel = priority_create(low->c.fd, DRM_VSM_PRIORITY_LOW);
	load = load_start(high, 100, 0);
	ASSERT_LE(0, load);
	while (!moved(high))
		sched_yield();
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(1, job_end(job_start(&low->c, low->channel, &arrive, 1, 0)));
		/* Channel 0 has normal priority. */
		EXPECT_EQ(1, job_end(job_start(&low->c, 0, &arrive, 1, 0)));
	}
	EXPECT_EQ(0, sync_file_status(load));
	EXPECT_EQ(0, channel_destroy(high->c.fd, high->channel));
	EXPECT_EQ(-ECANCELED, job_end(load));
}

/* A channel that waits for its turn can be destroyed, and its client can be closed. */
TEST_F(priority, a_channel_that_gives_way_stops_at_once)
{
	struct party *high = &self->p[0], low;
	int i, load, files[3];

	high->channel = priority_create(high->c.fd, DRM_VSM_PRIORITY_HIGH);
	load = load_start(high, 100, 0);
	while (!moved(high))
		sched_yield();
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, party_open(&low));
		low.channel = 0;
		files[0] = load_start(&low, 3, 0);
		low.channel = priority_create(low.c.fd, DRM_VSM_PRIORITY_LOW);
		files[1] = load_start(&low, 3, 0);
		low.channel = priority_create(low.c.fd, DRM_VSM_PRIORITY_NORMAL);
		files[2] = load_start(&low, 3, 0);
		EXPECT_EQ(0, channel_destroy(low.c.fd, low.channel));
		EXPECT_EQ(-ECANCELED, job_end(files[2]));
		party_close(&low);
		EXPECT_EQ(-ECANCELED, job_end(files[1]));
		EXPECT_EQ(-ECANCELED, job_end(files[0]));
	}
	EXPECT_EQ(0, sync_file_status(load));
	EXPECT_EQ(0, channel_destroy(high->c.fd, high->channel));
	close(load);
	/* Nobody gives way any more: not to a channel that has been destroyed, either. */
	race(_metadata, &self->p[0], DRM_VSM_PRIORITY_NORMAL, &self->p[1], DRM_VSM_PRIORITY_LOW);
}

TEST_HARNESS_MAIN
