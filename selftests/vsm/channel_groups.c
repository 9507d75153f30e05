// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of channels: channels with the same number are reset together, and a reset spares all
 * others.
 */
#include <pthread.h>
#include <sys/ioctl.h>

#include "inject.h"
#include "jobs.h"

#define NONE AT(0, 0x60)	/* not initialised */
#define GROUP 7
#define MEMBERS 3
#define QUEUED 2

FIXTURE(channel_groups)
{
	struct jobs j;
	int members[MEMBERS];	/* channels of the group */
	struct drm_vsm_insn fault;
};

FIXTURE_SETUP(channel_groups)
{
	int i;

	ASSERT_EQ(0, jobs_open(&self->j));
	for (i = 0; i < MEMBERS; i++) {
		self->members[i] = channel_create_grouped(self->j.fd, GROUP, 0);
		ASSERT_LT(0, self->members[i]);
	}
	self->fault = i_sink(i_arrive(NONE));
}

FIXTURE_TEARDOWN(channel_groups)
{
	EXPECT_EQ(0, inject_remove(self->j.fd, 0));
	model_reset(self->j.fd);
	EXPECT_EQ(0, jobs_close(&self->j));
}

/* Injects a failure into the jobs of a channel. Returns the number of the rule. */
static int fail_jobs(int fd, uint32_t what, uint32_t channel, uint32_t flags)
{
	return inject(fd, (struct drm_vsm_inject_rule){
		.where = DRM_VSM_INJECT_JOB, .what = what, .channel = channel,
		.flags = DRM_VSM_INJECT_CHANNEL | flags,
	});
}

/* A channel with one job that runs and does not end, and QUEUED jobs behind it */
struct busy {
	int channel;
	int rule;		/* rule because of which the first job does not end */
	int files[1 + QUEUED];	/* fences of the jobs */
};

/* Fills a channel. With @copies, a copy of its first job is in flight; else it did nothing yet. */
static int fill(struct busy *l, const struct cluster *c, int channel, struct drm_vsm_insn *insns,
		uint32_t count, bool copies)
{
	int i;

	l->channel = channel;
	l->rule = inject(c->fd, (struct drm_vsm_inject_rule){
		.where = copies ? DRM_VSM_INJECT_COPY : DRM_VSM_INJECT_JOB,
		.what = DRM_VSM_INJECT_HANG, .flags = DRM_VSM_INJECT_CHANNEL, .channel = channel,
	});
	if (l->rule < 0)
		return l->rule;
	for (i = 0; i <= QUEUED; i++) {
		l->files[i] = job_start(c, channel, insns, count, 0);
		if (l->files[i] < 0)
			return l->files[i];
	}
	return inject_wait(c->fd, l->rule, 1, AMPLE);
}

/* Lets the jobs of a channel go on. Returns 0 if each of them ends with @status. */
static int finish(const struct busy *l, int fd, int status)
{
	int i, ret = inject_remove(fd, l->rule);

	for (i = 0; i <= QUEUED; i++)
		if (job_end(l->files[i]) != status)
			ret = -EBADMSG;
	return ret;
}

static bool signalled(int file)
{
	struct pollfd poller = { .fd = file, .events = POLLIN };

	return poll(&poller, 1, 0) == 1;
}

/* Waits for the jobs, without removing the rule. Returns 0 if each of them ended with @status. */
static int all_ended(const struct busy *l, int status)
{
	int i, ret = 0;

	for (i = 0; i <= QUEUED; i++)
		if (job_end(l->files[i]) != status)
			ret = -EBADMSG;
	return ret;
}

TEST_F(channel_groups, a_fault_cancels_the_jobs_of_the_group_and_of_nobody_else)
{
	int others[] = {
		0, channel_create(self->j.fd, 0), channel_create_grouped(self->j.fd, GROUP + 1, 0),
	};
	struct drm_vsm_channel_status before, status;
	struct busy busy[MEMBERS - 1], spared[ITEMS(others)];
	int i;

	ASSERT_EQ(0, channel_status(self->j.fd, 0, 0, &before));
	/* One with a copy in flight, one that has executed nothing */
	ASSERT_EQ(0, fill(&busy[0], &self->j.c, self->members[1], self->j.load, 2, true));
	ASSERT_EQ(0, fill(&busy[1], &self->j.c, self->members[2], &self->j.arrive, 1, false));
	for (i = 0; i < ITEMS(others); i++)
		ASSERT_EQ(0, fill(&spared[i], &self->j.c, others[i], &self->j.arrive, 1, false));
	ASSERT_LT(0, fail_jobs(self->j.fd, DRM_VSM_INJECT_FAULT, self->members[0], 0));

	EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, self->members[0], &self->j.arrive, 1, 0)));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, reset_status(self->j.fd, self->members[0], 0));
	for (i = 0; i < MEMBERS - 1; i++) {
		EXPECT_EQ(0, all_ended(&busy[i], -ECANCELED));
		ASSERT_EQ(0, channel_status(self->j.fd, busy[i].channel, 0, &status));
		EXPECT_EQ(DRM_VSM_RESET_INNOCENT, status.status);
		EXPECT_EQ(1, status.resets);
		EXPECT_EQ(0, status.guilty);
		EXPECT_EQ(1 + QUEUED, status.innocent);
		EXPECT_EQ(-ECANCELED, status.error);
	}
	EXPECT_EQ(before.device_resets + MEMBERS, status.device_resets);
	for (i = 0; i < ITEMS(others); i++) {
		EXPECT_FALSE(signalled(spared[i].files[0]));
		EXPECT_EQ(0, finish(&spared[i], self->j.fd, 1));
		ASSERT_EQ(0, channel_status(self->j.fd, others[i], 0, &status));
		EXPECT_EQ(DRM_VSM_RESET_NONE, status.status);
		EXPECT_EQ(0, status.resets);
	}
	/* The copy that was in flight has completed nothing. */
	EXPECT_EQ(SIZE, missing(&self->j));
	/* The channels go on. */
	EXPECT_EQ(0, inject_remove(self->j.fd, 0));
	for (i = 0; i < MEMBERS; i++)
		EXPECT_EQ(1, job_end(job_start(&self->j.c, self->members[i], &self->j.arrive, 1,
					       0)));
}

TEST_F(channel_groups, a_late_job_cancels_the_jobs_of_the_group)
{
	struct busy busy[2];
	int i, file;

	if (model_set(self->j.fd, "job_timeout_ms", 0))
		SKIP(return, "needs debugfs");
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, fill(&busy[i], &self->j.c, self->members[i], self->j.load, 2, i));
	/* The limit is for jobs that begin from now on. */
	ASSERT_EQ(0, model_set(self->j.fd, "job_timeout_ms", TIMEOUT_MS));
	ASSERT_LT(0, fail_jobs(self->j.fd, DRM_VSM_INJECT_HANG, self->members[2], 0));
	file = job_start(&self->j.c, self->members[2], &self->j.arrive, 1, 0);
	EXPECT_EQ(-ETIMEDOUT, job_end(file));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, all_ended(&busy[i], -ECANCELED));
}

/* A job that has failed and waits for its copies ends at once, with its own error. */
TEST_F(channel_groups, a_job_that_has_failed_already_keeps_its_error)
{
	struct drm_vsm_insn insns[] = { self->j.load[0], self->j.load[1], self->fault };
	struct drm_vsm_channel_status status;
	int rule, file;

	rule = inject(self->j.fd, R(COPY, HANG, .flags = DRM_VSM_INJECT_CHANNEL,
				    .channel = self->members[1]));
	ASSERT_LT(0, rule);
	file = job_start(&self->j.c, self->members[1], insns, 3, 0);
	ASSERT_EQ(0, inject_wait(self->j.fd, rule, 1, AMPLE));
	ASSERT_LT(0, fail_jobs(self->j.fd, DRM_VSM_INJECT_FAULT, self->members[0], 0));
	EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, self->members[0], &self->j.arrive, 1, 0)));
	EXPECT_EQ(-EIO, job_end(file));
	ASSERT_EQ(0, channel_status(self->j.fd, self->members[1], 0, &status));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, status.status);
	EXPECT_EQ(1, status.guilty);
	EXPECT_EQ(1, status.resets);
}

TEST_F(channel_groups, a_channel_without_a_job_counts_the_reset)
{
	struct drm_vsm_channel_status status;

	ASSERT_LT(0, fail_jobs(self->j.fd, DRM_VSM_INJECT_FAULT, self->members[0], 0));
	EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, self->members[0], &self->j.arrive, 1, 0)));
	ASSERT_EQ(0, channel_status(self->j.fd, self->members[1], 0, &status));
	EXPECT_EQ(DRM_VSM_RESET_NONE, status.status);
	EXPECT_EQ(1, status.resets);
}

TEST_F(channel_groups, a_job_that_waits_for_a_fence_is_cancelled)
{
	uint32_t in = syncobj_create(self->j.fd);
	int hold = job_hold_create(self->j.fd, in, 0, 0), i, files[2];

	ASSERT_LT(0, hold);
	for (i = 0; i < 2; i++)
		files[i] = job_start(&self->j.c, self->members[i], &self->j.arrive, 1, in);
	ASSERT_LT(0, fail_jobs(self->j.fd, DRM_VSM_INJECT_FAULT, self->members[2], 0));
	EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, self->members[2], &self->j.arrive, 1, 0)));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(-ECANCELED, job_end(files[i]));
	EXPECT_EQ(0, job_hold_release(self->j.fd, hold, 0));
	EXPECT_EQ(0, arrived(&self->j));
	syncobj_destroy(self->j.fd, in);
}

TEST_F(channel_groups, a_channel_out_of_order_is_reset_with_its_group)
{
	int channel = channel_create_grouped(self->j.fd, GROUP, DRM_VSM_CHANNEL_OUT_OF_ORDER);
	struct busy l;

	ASSERT_LT(0, channel);
	ASSERT_EQ(0, fill(&l, &self->j.c, channel, self->j.load, 2, true));
	ASSERT_LT(0, fail_jobs(self->j.fd, DRM_VSM_INJECT_FAULT, self->members[0], 0));
	EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, self->members[0], &self->j.arrive, 1, 0)));
	EXPECT_EQ(0, all_ended(&l, -ECANCELED));
}

TEST_F(channel_groups, misuse_and_a_reset_that_spares_others_do_not_concern_the_group)
{
	struct busy l;
	int rule;

	ASSERT_EQ(0, fill(&l, &self->j.c, self->members[1], &self->j.arrive, 1, false));
	/* Misuse */
	EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, self->members[0], &self->fault, 1, 0)));
	/* A reset that spares the jobs behind */
	rule = fail_jobs(self->j.fd, DRM_VSM_INJECT_FAULT, self->members[0], DRM_VSM_INJECT_SPARE);
	ASSERT_LT(0, rule);
	EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, self->members[0], &self->j.arrive, 1, 0)));
	EXPECT_FALSE(signalled(l.files[0]));
	EXPECT_EQ(0, finish(&l, self->j.fd, 1));
	EXPECT_EQ(DRM_VSM_RESET_NONE, reset_status(self->j.fd, self->members[1], 0));
}

TEST_F(channel_groups, to_destroy_a_channel_spares_its_group)
{
	struct busy l, gone;
	int channel;

	ASSERT_EQ(0, fill(&l, &self->j.c, self->members[1], &self->j.arrive, 1, false));
	ASSERT_EQ(0, fill(&gone, &self->j.c, self->members[0], &self->j.arrive, 1, false));
	ASSERT_EQ(0, channel_destroy(self->j.fd, self->members[0]));
	EXPECT_EQ(0, all_ended(&gone, -ECANCELED));
	EXPECT_FALSE(signalled(l.files[0]));
	/* A new channel joins those that still exist. */
	channel = channel_create_grouped(self->j.fd, GROUP, 0);
	ASSERT_LT(0, channel);
	ASSERT_EQ(0, inject_remove(self->j.fd, gone.rule));
	ASSERT_LT(0, fail_jobs(self->j.fd, DRM_VSM_INJECT_FAULT, channel, 0));
	EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, channel, &self->j.arrive, 1, 0)));
	EXPECT_EQ(0, all_ended(&l, -ECANCELED));
}

TEST_F(channel_groups, a_number_is_free_again_when_its_channels_are_gone)
{
	struct drm_vsm_channel_status status;
	int i, channel;

	for (i = 0; i < MEMBERS; i++)
		ASSERT_EQ(0, channel_destroy(self->j.fd, self->members[i]));
	channel = channel_create_grouped(self->j.fd, GROUP, 0);
	ASSERT_LT(0, channel);
	ASSERT_LT(0, fail_jobs(self->j.fd, DRM_VSM_INJECT_FAULT, channel, 0));
	EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, channel, &self->j.arrive, 1, 0)));
	ASSERT_EQ(0, channel_status(self->j.fd, channel, 0, &status));
	EXPECT_EQ(1, status.resets);
}

TEST_F(channel_groups, the_numbers_of_another_client_are_others)
{
	struct cluster c;
	struct busy l;

	ASSERT_EQ(0, cluster_open_plain(&c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&c, i_init(A, ARRIVALS)));
	ASSERT_EQ(0, fill(&l, &c, channel_create_grouped(c.fd, GROUP, 0), &self->j.arrive, 1,
			  false));
	ASSERT_LT(0, fail_jobs(self->j.fd, DRM_VSM_INJECT_FAULT, self->members[0], 0));
	EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, self->members[0], &self->j.arrive, 1, 0)));
	EXPECT_FALSE(signalled(l.files[0]));
	EXPECT_EQ(0, finish(&l, c.fd, 1));
	EXPECT_EQ(0, cluster_close(&c));
}

TEST_F(channel_groups, any_number_names_a_group)
{
	static const uint32_t numbers[] = { 1, 0x80000000, UINT32_MAX };
	int i, channel;

	for (i = 0; i < ITEMS(numbers); i++) {
		channel = channel_create_grouped(self->j.fd, numbers[i], 0);
		EXPECT_LT(0, channel);
		EXPECT_EQ(0, channel_destroy(self->j.fd, channel));
	}
}

TEST_F(channel_groups, a_channel_too_many_joins_no_group)
{
	uint32_t i, limit = vsm_info(self->j.fd).max_channels;

	for (i = 2 + MEMBERS; i < limit; i++)
		ASSERT_LT(0, channel_create_grouped(self->j.fd, GROUP, 0));
	EXPECT_EQ(-ENOSPC, channel_create_grouped(self->j.fd, GROUP, 0));
	EXPECT_EQ(-ENOSPC, channel_create_grouped(self->j.fd, GROUP + 1, 0));
	EXPECT_EQ(0, channel_destroy(self->j.fd, self->members[0]));
	EXPECT_EQ(self->members[0], channel_create_grouped(self->j.fd, GROUP, 0));
}

/* A thread that submits jobs to a channel of the group, which fails now and then */
struct queue {
	const struct cluster *c;
	int channel;
	int rounds;	/* number of jobs */
	bool renew;	/* destroy the channel and create it again now and then */
	int ended[3];	/* jobs that ended well, with EIO and with ECANCELED */
	int wrong;	/* another result, or 0 */
	pthread_t thread;
};

static void *queue_main(void *arg)
{
	struct queue *q = arg;
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	int i, n, ret, files[4];

	for (i = 0; i < q->rounds && !q->wrong; i++) {
		for (n = 0; n < ITEMS(files); n++)
			files[n] = job_start(q->c, q->channel, &arrive, 1, 0);
		if (q->renew && i % 8 == 7) {
			ret = channel_destroy(q->c->fd, q->channel);
			q->channel = channel_create_grouped(q->c->fd, GROUP, 0);
			if (ret || q->channel < 0)
				q->wrong = ret ? ret : q->channel;
		}
		for (n = 0; n < ITEMS(files); n++) {
			ret = job_end(files[n]);
			if (ret != 1 && ret != -EIO && ret != -ECANCELED)
				q->wrong = ret;
			else
				q->ended[ret == 1 ? 0 : ret == -EIO ? 1 : 2]++;
		}
	}
	return q;
}

/* Several channels of a group fail at once, while one of them goes and comes. */
TEST_F(channel_groups, resets_of_the_same_group_race)
{
	struct drm_vsm_channel_status status;
	struct queue queues[MEMBERS];
	int i, ended[3] = {};

	ASSERT_LT(0, inject(self->j.fd, R(JOB, FAULT, .probability = 200000, .seed = 5)));
	ASSERT_LT(0, inject(self->j.fd, R(JOB, DELAY, .arg = 20000, .probability = 300000)));
	for (i = 0; i < MEMBERS; i++) {
		queues[i] = (struct queue){
			.c = &self->j.c, .channel = self->members[i], .rounds = repeat(100),
			.renew = !i,
		};
		ASSERT_EQ(0, pthread_create(&queues[i].thread, NULL, queue_main, &queues[i]));
	}
	for (i = 0; i < MEMBERS; i++) {
		pthread_join(queues[i].thread, NULL);
		EXPECT_EQ(0, queues[i].wrong);
		ended[0] += queues[i].ended[0];
		ended[1] += queues[i].ended[1];
		ended[2] += queues[i].ended[2];
	}
	/* The channel that stays counts what has happened to its jobs, and no other job. */
	ASSERT_EQ(0, channel_status(self->j.fd, self->members[1], 0, &status));
	EXPECT_EQ(queues[1].ended[1], status.guilty);
	EXPECT_EQ(queues[1].ended[2], status.innocent);
	EXPECT_LE(status.guilty, status.resets);
	EXPECT_LT(0, ended[0]);
	EXPECT_LT(0, ended[1]);
	EXPECT_LT(0, ended[2]);
	/* Each job that ended well has arrived, and those that were cancelled may have. */
	EXPECT_LE(ended[0], arrived(&self->j));
	EXPECT_GE(ended[0] + ended[2], arrived(&self->j));
}

TEST_HARNESS_MAIN
