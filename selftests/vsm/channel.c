// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copy channels: their numbers, the order of jobs within a channel and between channels, and how
 * jobs end when their channel is destroyed.
 */
#include "channel.h"
#include "model.h"

#define A AT(0, 0x40)		/* counts arrivals */
#define B AT(0, 0x48)		/* waits for bytes */
#define DATA 0x400
#define ARRIVALS 1000000

FIXTURE(channel)
{
	struct cluster c;
	struct buffer b;
	struct drm_vsm_insn arrive;
	struct drm_vsm_insn load[2];
};

FIXTURE_SETUP(channel)
{
	int i, fd = vsm_open();

	ASSERT_LE(0, fd);
	model_reset(fd);
	ASSERT_EQ(0, cluster_create(&self->c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, fd, 0x10000));
	for (i = 0; i < 0x1000; i++)
		self->b.map[i] = i * 7 + 1;
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, ARRIVALS)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 1)));
	self->arrive = i_sink(i_arrive(A));
	self->load[0] = i_expect_tx(B, 256);
	self->load[1] = i_g2s(DATA, B, 256, self->b.handle, 0);
}

FIXTURE_TEARDOWN(channel)
{
	model_reset(self->c.fd);
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_close(&self->c));
}

static uint32_t arrived(const struct cluster *c)
{
	return ARRIVALS - vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(c, A));
}

/* --- numbers of channels -------------------------------------------------- */

TEST_F(channel, malformed_arguments_are_refused)
{
	struct drm_vsm_channel_destroy args = { .flags = 1 };
	int fd = self->c.fd, channel = channel_create(fd, 0);

	ASSERT_LT(0, channel);
	EXPECT_EQ(-EINVAL, channel_create(fd, 2));
	EXPECT_EQ(-EINVAL, channel_create(fd, 1U << 31));
	args.channel = channel;
	EXPECT_EQ(-EINVAL, vsm_ioctl(fd, DRM_IOCTL_VSM_CHANNEL_DESTROY, &args));
	EXPECT_EQ(-EINVAL, channel_destroy(fd, 0));
	EXPECT_EQ(-ENOENT, channel_destroy(fd, channel + 1));
	EXPECT_EQ(-ENOENT, channel_destroy(fd, ~0U));
	/* The refused calls have not changed the channel. */
	EXPECT_EQ(1, job_end(job_start(&self->c, channel, &self->arrive, 1, 0)));
	EXPECT_EQ(0, channel_destroy(fd, channel));
	EXPECT_EQ(-ENOENT, channel_destroy(fd, channel));
	EXPECT_EQ(-ENOENT, job_start(&self->c, channel, &self->arrive, 1, 0));
	EXPECT_EQ(-ENOENT, job_start(&self->c, ~0U, &self->arrive, 1, 0));
	EXPECT_EQ(1, arrived(&self->c));
}

TEST_F(channel, a_client_has_as_many_as_the_limit_says)
{
	int i, channels[64], max = vsm_info(self->c.fd).max_channels, other = vsm_open();

	ASSERT_LT(2, max);
	ASSERT_GE(64, max);
	/* Channel 0 always exists and counts against the limit. */
	for (i = 1; i < max; i++) {
		channels[i] = channel_create(self->c.fd, i % 2);
		ASSERT_LT(0, channels[i]);
	}
	EXPECT_EQ(-ENOSPC, channel_create(self->c.fd, 0));
	EXPECT_EQ(-ENOSPC, channel_create(self->c.fd, DRM_VSM_CHANNEL_OUT_OF_ORDER));
	EXPECT_LT(0, channel_create(other, 0));
	for (i = 1; i < max; i++)
		EXPECT_EQ(1, job_end(job_start(&self->c, channels[i], &self->arrive, 1, 0)));
	EXPECT_EQ(max - 1, arrived(&self->c));
	/* The number of the destroyed channel is the only free one. */
	for (i = 1; i < max; i++) {
		EXPECT_EQ(0, channel_destroy(self->c.fd, channels[i]));
		EXPECT_EQ(channels[i], channel_create(self->c.fd, 0));
	}
	EXPECT_EQ(1, job_end(job_start(&self->c, channels[1], &self->arrive, 1, 0)));
	close(other);
}

TEST_F(channel, numbers_are_those_of_the_file)
{
	int other = vsm_open(), channel = channel_create(other, 0);

	ASSERT_LT(0, channel);
	EXPECT_EQ(-ENOENT, job_start(&self->c, channel, &self->arrive, 1, 0));
	EXPECT_EQ(-ENOENT, channel_destroy(self->c.fd, channel));
	EXPECT_EQ(0, channel_destroy(other, channel));
	close(other);
}

/* --- order of jobs -------------------------------------------------------- */

/* Each job copies the data that the job before it has written. */
static int pass_on(const struct cluster *c, const struct buffer *b, uint32_t channel, int rounds)
{
	int i, file, ret = 1;

	for (i = 0; i < rounds && ret == 1; i++) {
		struct drm_vsm_insn job[] = {
			i_s2g(DATA + i * 16, 16, b->handle, 32 * i),
			i_expect_tx(B, 16),
			i_g2s(DATA + i * 16 + 16, B, 16, b->handle, 32 * i),
		};

		/* These are two jobs because copies within one job do not wait for each other. */
		file = job_start(c, channel, job, 1, 0);
		if (file >= 0)
			close(file);
		file = job_start(c, channel, job + 1, 2, 0);
		if (i == rounds - 1)
			ret = job_end(file);
		else
			close(file);
	}
	return ret;
}

TEST_F(channel, jobs_of_a_channel_run_in_order)
{
	unsigned char *window = cluster_mem(&self->c, DATA);
	enum { ROUNDS = 150 };
	uint32_t flags;
	int channel;

	for (flags = 0; flags < 2; flags++) {
		channel = channel_create(self->c.fd, flags);
		memset(window, 0x11 + flags, 16);
		ASSERT_EQ(1, pass_on(&self->c, &self->b, channel, ROUNDS));
		EXPECT_EQ(0, memcmp(window, window + 16 * ROUNDS, 16));
	}
}

/*
 * If a job began before the previous one was complete, its copies would fault under the strict
 * policy.
 */
TEST_F(channel, a_job_begins_when_the_one_before_is_complete)
{
	struct drm_vsm_insn store = i_s2g(DATA, 256, self->b.handle, 0x1000);
	int i, files[4], channel;
	uint32_t flags;

	if (model_set(self->c.fd, "latency_ns", 5000000))
		SKIP(return, "needs debugfs");
	for (flags = 0; flags < 2; flags++) {
		channel = channel_create(self->c.fd, flags);
		for (i = 0; i < 4; i++)
			files[i] = i % 2 ? job_start(&self->c, channel, &store, 1, 0)
					 : job_start(&self->c, channel, self->load, 2, 0);
		for (i = 0; i < 4; i++)
			EXPECT_EQ(1, job_end(files[i]));
		EXPECT_EQ(0, memcmp(self->b.map, self->b.map + 0x1000, 256));
		memset(self->b.map + 0x1000, 0, 256);
	}
}

TEST_F(channel, a_job_that_waits_holds_back_those_behind_it_if_in_order)
{
	int i, channel = channel_create(self->c.fd, 0), files[4];
	struct hold hold;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	for (i = 0; i < 4; i++)
		files[i] = job_start(&self->c, channel, &self->arrive, 1,
				     i ? 0 : syncobj_import(self->c.fd, hold.file));
	/* A job of another channel completes while the first job waits. */
	EXPECT_EQ(1, job_end(job_start(&self->c, 0, &self->arrive, 1, 0)));
	EXPECT_EQ(1, arrived(&self->c));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, sync_file_status(files[i]));
	EXPECT_EQ(0, hold_release(&hold));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(1, job_end(files[i]));
	EXPECT_EQ(5, arrived(&self->c));
}

TEST_F(channel, a_job_that_waits_is_overtaken_if_out_of_order)
{
	int i, channel = channel_create(self->c.fd, DRM_VSM_CHANNEL_OUT_OF_ORDER), files[6];
	struct hold hold[2];

	if (hold_init(&hold[0]) == -ENODEV || hold_init(&hold[1]))
		SKIP(return, "needs vgem");
	/* Jobs 0 and 3 wait, each for a fence of its own. */
	for (i = 0; i < 6; i++)
		files[i] = job_start(&self->c, channel, &self->arrive, 1,
				     i % 3 ? 0 : syncobj_import(self->c.fd, hold[i / 3].file));
	for (i = 0; i < 6; i++)
		if (i % 3)
			EXPECT_EQ(1, sync_file_wait(files[i]));
	EXPECT_EQ(0, sync_file_status(files[0]));
	EXPECT_EQ(0, sync_file_status(files[3]));
	EXPECT_EQ(4, arrived(&self->c));
	EXPECT_EQ(0, hold_release(&hold[1]));
	EXPECT_EQ(1, sync_file_wait(files[3]));
	EXPECT_EQ(0, sync_file_status(files[0]));
	EXPECT_EQ(0, hold_release(&hold[0]));
	for (i = 0; i < 6; i++)
		EXPECT_EQ(1, job_end(files[i]));
	EXPECT_EQ(6, arrived(&self->c));
}

TEST_F(channel, channels_run_beside_each_other)
{
	int i, file, channels[3];

	if (model_set(self->c.fd, "latency_ns", NEVER))
		SKIP(return, "needs debugfs");
	for (i = 0; i < 3; i++)
		channels[i] = i ? channel_create(self->c.fd, i - 1) : 0;
	file = job_start(&self->c, channels[1], self->load, 2, 0);
	/* The tx-count shows that the job has begun. */
	while (!vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word(&self->c, B)))
		sched_yield();
	for (i = 0; i < 3; i++)
		if (i != 1)
			EXPECT_EQ(1, job_end(job_start(&self->c, channels[i], &self->arrive, 1,
						       0)));
	EXPECT_EQ(0, sync_file_status(file));
	EXPECT_EQ(0, channel_destroy(self->c.fd, channels[1]));
	EXPECT_EQ(-ECANCELED, job_end(file));
}

/* --- destroying channels -------------------------------------------------- */

TEST_F(channel, destroying_one_cancels_its_jobs_and_no_others)
{
	int i, channel, files[8], other;
	uint32_t in, flags;
	struct hold hold;

	for (flags = 0; flags < 2; flags++) {
		if (hold_init(&hold) == -ENODEV)
			SKIP(return, "needs vgem");
		in = syncobj_import(self->c.fd, hold.file);
		channel = channel_create(self->c.fd, flags);
		for (i = 0; i < 8; i++)
			files[i] = job_start(&self->c, channel, &self->arrive, 1, in);
		other = job_start(&self->c, 0, &self->arrive, 1, in);
		EXPECT_EQ(0, channel_destroy(self->c.fd, channel));
		/* All jobs of the channel have ended when channel_destroy() returns. */
		for (i = 0; i < 8; i++) {
			EXPECT_EQ(-ECANCELED, sync_file_status(files[i]));
			close(files[i]);
		}
		EXPECT_EQ(0, sync_file_status(other));
		EXPECT_EQ(0, hold_release(&hold));
		EXPECT_EQ(1, job_end(other));
		EXPECT_EQ(1 + flags, arrived(&self->c));
	}
}

TEST_F(channel, destroying_one_drops_copies_in_flight)
{
	int i, channel, files[3];

	if (model_set(self->c.fd, "latency_ns", NEVER))
		SKIP(return, "needs debugfs");
	channel = channel_create(self->c.fd, 0);
	for (i = 0; i < 3; i++)
		files[i] = job_start(&self->c, channel, self->load, 2, 0);
	while (!vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word(&self->c, B)))
		sched_yield();
	EXPECT_EQ(0, channel_destroy(self->c.fd, channel));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-ECANCELED, sync_file_status(files[i]));
		close(files[i]);
	}
	EXPECT_EQ(0, *(uint64_t *)cluster_mem(&self->c, DATA));
	/* No copy is still bound to B, and none is still in flight to DATA. */
	EXPECT_EQ(0, exec_one(&self->c, i_inval(B)));
	EXPECT_EQ(0, exec_one(&self->c, i_init(B, 1)));
	EXPECT_EQ(0, model_set(self->c.fd, "latency_ns", 0));
	EXPECT_EQ(1, job_end(job_start(&self->c, 0, self->load, 2, 0)));
	EXPECT_EQ(0, memcmp(self->b.map, cluster_mem(&self->c, DATA), 256));
}

TEST_F(channel, closing_the_client_cancels_the_jobs_of_all)
{
	int i, max, files[64];
	struct cluster mine;
	struct hold hold;
	uint32_t in;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, cluster_share(&mine, vsm_open(), &self->c));
	in = syncobj_import(mine.fd, hold.file);
	max = vsm_info(mine.fd).max_channels;
	for (i = 0; i < max; i++)
		files[i] = job_start(&mine, i ? channel_create(mine.fd, i % 2) : 0, &self->arrive,
				     1, in);
	munmap(mine.map, mine.size);
	close(mine.fd);
	for (i = 0; i < max; i++)
		EXPECT_EQ(-ECANCELED, job_end(files[i]));
	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(0, arrived(&self->c));
}

/* A thread that submits while its channel is destroyed and created again */
struct submitter {
	const struct cluster *c;
	atomic_int *channel;	/* number of the latest channel */
	atomic_bool *stop;	/* set when the thread shall end */
	int done;		/* number of jobs that completed */
	int submitted;		/* number of jobs submitted */
	int bad;		/* first unexpected result, or 0 */
	pthread_t thread;
};

static void *submit_all_along(void *arg)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct submitter *s = arg;

	while (!atomic_load(s->stop) && !s->bad) {
		int ret = job_start(s->c, atomic_load(s->channel), &arrive, 1, 0);

		if (ret == -ENOENT)
			continue;
		s->submitted++;
		ret = ret < 0 ? ret : job_end(ret);
		s->done += ret == 1;
		if (ret != 1 && ret != -ECANCELED)
			s->bad = ret;
	}
	return NULL;
}

TEST_F(channel, a_submit_that_races_with_destroy_is_refused_or_its_fence_signals)
{
	int i, rounds = repeat(2000), done = 0, submitted = 0;
	atomic_int channel = channel_create(self->c.fd, 0);
	struct submitter submitters[3];
	atomic_bool stop = false;

	for (i = 0; i < 3; i++) {
		submitters[i] = (struct submitter){
			.c = &self->c, .channel = &channel, .stop = &stop,
		};
		ASSERT_EQ(0, pthread_create(&submitters[i].thread, NULL, submit_all_along,
					    &submitters[i]));
	}
	for (i = 0; i < rounds; i++) {
		EXPECT_EQ(0, channel_destroy(self->c.fd, atomic_load(&channel)));
		atomic_store(&channel, channel_create(self->c.fd, i % 2));
		EXPECT_LT(0, atomic_load(&channel));
		sched_yield();
	}
	atomic_store(&stop, true);
	for (i = 0; i < 3; i++) {
		pthread_join(submitters[i].thread, NULL);
		EXPECT_EQ(0, submitters[i].bad);
		done += submitters[i].done;
		submitted += submitters[i].submitted;
	}
	EXPECT_LT(0, done);
	/* A job may have arrived before it was cancelled. */
	EXPECT_LE(done, arrived(&self->c));
	EXPECT_GE(submitted, arrived(&self->c));
}

struct destroyer {
	int fd;
	int channel;
	pthread_barrier_t *start;
	int ret;
	pthread_t thread;
};

static void *destroy_once(void *arg)
{
	struct destroyer *d = arg;

	pthread_barrier_wait(d->start);
	d->ret = channel_destroy(d->fd, d->channel);
	return NULL;
}

TEST_F(channel, only_one_of_two_concurrent_destroys_succeeds)
{
	int i, round, rounds = repeat(500);
	struct destroyer d[2];
	pthread_barrier_t start;

	pthread_barrier_init(&start, NULL, 2);
	for (round = 0; round < rounds; round++) {
		int channel = channel_create(self->c.fd, 0);
		int file = job_start(&self->c, channel, &self->arrive, 1, 0);

		for (i = 0; i < 2; i++) {
			d[i] = (struct destroyer){ self->c.fd, channel, &start };
			ASSERT_EQ(0, pthread_create(&d[i].thread, NULL, destroy_once, &d[i]));
		}
		for (i = 0; i < 2; i++)
			pthread_join(d[i].thread, NULL);
		EXPECT_EQ(-ENOENT, d[0].ret + d[1].ret);
		i = job_end(file);
		EXPECT_TRUE(i == 1 || i == -ECANCELED);
	}
	pthread_barrier_destroy(&start);
}

TEST_HARNESS_MAIN
