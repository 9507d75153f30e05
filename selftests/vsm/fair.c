// SPDX-License-Identifier: GPL-2.0-only
/*
 * Channels take turns, also channels of different clients. A client with many copies therefore does
 * not keep other clients from the copy engine. The tests count the jobs that end before the small
 * job. They compare the times of fences, not durations.
 */
#include <sched.h>
#include <sys/resource.h>

#include "channel.h"
#include "driver.h"
#include "model.h"
#include "recorder.h"
#include "scribble.h"

#define A AT(0, 0x40)
#define SIZE 0x8000
#define JOBS 128
#define COPIES 128	/* copies of each job; all jobs copy 512 MiB */

FIXTURE(fair)
{
	struct cluster small;		/* the cluster of another client */
	struct hold hold;
};

FIXTURE_SETUP(fair)
{
	ASSERT_EQ(0, cluster_create(&self->small, vsm_open(), VSM_LAYOUT_SM_90,
				    DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->small, i_init(A, 1000000)));
	if (hold_init(&self->hold) == -ENODEV)
		SKIP(return, "needs vgem");
}

FIXTURE_TEARDOWN(fair)
{
	EXPECT_EQ(0, cluster_close(&self->small));
}

/* A client with many copies */
struct flood {
	struct cluster c;	/* cluster of the client */
	struct buffer b;	/* target of the copies */
	int files[256];		/* fences of the client's jobs */
	int jobs;		/* number of jobs */
};

/*
 * Queues @jobs jobs on @channels channels. Each job has @copies copies and waits for @fence.
 * Returns 0 or a negative errno.
 */
static int flood_start(struct flood *f, int channels, int jobs, int copies, int fence)
{
	struct drm_vsm_insn *insns = calloc(copies, sizeof(*insns));
	int i, ret, names[16] = { 0 };
	uint32_t in;

	ret = cluster_make(&f->c, vsm_open(), .ctas = 1, .threads = 1, .smem_bytes = SIZE,
			   .policy = DRM_VSM_POLICY_HARDWARE);
	if (!ret)
		ret = buffer_create(&f->b, f->c.fd, SIZE);
	in = ret ? 0 : syncobj_import(f->c.fd, fence);
	for (i = 0; i < copies && !ret; i++)
		insns[i] = i_s2g(0, SIZE, f->b.handle, 0);
	for (i = 1; i < channels && !ret; i++) {
		names[i] = channel_create(f->c.fd, 0);
		ret = names[i] < 0 ? names[i] : 0;
	}
	for (f->jobs = 0; f->jobs < jobs && !ret; f->jobs++) {
		f->files[f->jobs] = job_start(&f->c, names[f->jobs % channels], insns, copies, in);
		ret = f->files[f->jobs] < 0 ? f->files[f->jobs] : 0;
	}
	free(insns);
	return ret;
}

static int flood_unfinished(const struct flood *f)
{
	int i, n = 0;

	for (i = 0; i < f->jobs; i++)
		n += !sync_file_status(f->files[i]);
	return n;
}

/* Waits for all jobs. Returns how many ended between two times. A failed job does not count. */
static int flood_ended(const struct flood *f, uint64_t from, uint64_t to)
{
	uint64_t ended;
	int i, n = 0;

	for (i = 0; i < f->jobs; i++) {
		ended = sync_file_wait(f->files[i]) == 1 ? sync_file_time(f->files[i]) : 0;
		n += ended > from && ended < to;
	}
	return n;
}

/* Waits for all jobs. Returns how many of them did not succeed. */
static int flood_end(struct flood *f)
{
	int i, bad = 0;

	for (i = 0; i < f->jobs; i++)
		bad += job_end(f->files[i]) != 1;
	munmap(f->b.map, f->b.size);
	bad += !!cluster_destroy(&f->c);
	close(f->c.fd);
	return bad;
}

/*
 * Waits for the fence of a small job that was submitted before @submitted. Returns the number of
 * the flood's jobs that ended first, or a negative errno. The times are those of the fences: a busy
 * machine may submit the job late, and may wake this task late.
 */
static int overtaken_by(const struct flood *f, int small, uint64_t submitted)
{
	int ret = small < 0 ? small : sync_file_wait(small);

	if (ret == 1)
		ret = flood_ended(f, submitted, sync_file_time(small));
	else if (!ret)
		ret = -EBADMSG;
	close(small);
	return ret;
}

/* A job submitted after the flood has begun does not wait for the whole flood. */
static void overtake(struct __test_metadata *_metadata, const struct cluster *small,
		     struct hold *hold, int channels)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct flood f;
	int job, ret;

	ASSERT_EQ(0, flood_start(&f, channels, JOBS, COPIES, hold->file));
	EXPECT_EQ(JOBS, flood_unfinished(&f));
	ASSERT_EQ(0, hold_release(hold));
	job = job_start(small, 0, &arrive, 1, 0);
	ret = overtaken_by(&f, job, now_ns());
	EXPECT_LE(0, ret);
	EXPECT_GT(JOBS / 2, ret);
	EXPECT_EQ(0, flood_end(&f));
}

TEST_F(fair, a_small_job_does_not_wait_for_another_client_s_flood)
{
	overtake(_metadata, &self->small, &self->hold, 1);
}

TEST_F(fair, a_small_job_does_not_wait_for_a_flood_on_many_channels)
{
	overtake(_metadata, &self->small, &self->hold, 16);
}

TEST_F(fair, a_small_job_does_not_wait_for_the_same_client_s_flood_on_another_channel)
{
	struct drm_vsm_insn store;
	int channel, job, ret;
	struct flood f;

	ASSERT_EQ(0, flood_start(&f, 1, JOBS, COPIES, self->hold.file));
	channel = channel_create(f.c.fd, 0);
	store = i_s2g(0, 16, f.b.handle, 0);
	ASSERT_EQ(0, hold_release(&self->hold));
	job = job_start(&f.c, channel, &store, 1, 0);
	ret = overtaken_by(&f, job, now_ns());
	EXPECT_LE(0, ret);
	EXPECT_GT(JOBS / 2, ret);
	EXPECT_EQ(0, flood_end(&f));
}

/* Copies of a thread use channel 0 of its client and do not wait for other clients' channels. */
TEST_F(fair, a_thread_s_copies_do_not_wait_for_another_client_s_flood)
{
	struct events events = {};
	struct drm_vsm_insn store;
	struct cluster c;
	struct buffer b;
	struct flood f;

	ASSERT_EQ(0, flood_start(&f, 1, JOBS, COPIES, self->hold.file));
	ASSERT_EQ(0, cluster_make_open(&c, .ctas = 1, .threads = 1, .smem_bytes = 4096,
				       .trace_events = 64));
	ASSERT_EQ(0, buffer_create(&b, c.fd, 4096));
	store = i_s2g(0x400, 16, b.handle, 0);
	ASSERT_EQ(0, hold_release(&self->hold));
	EXPECT_EQ(0, exec_one(&c, store));
	EXPECT_EQ(0, events_await(&c, &events, DRM_VSM_TRACE_COPY_END));
	EXPECT_GT(JOBS / 2,
		  flood_ended(&f, event_find(&events, DRM_VSM_TRACE_COPY_ISSUE, 0).time,
			      event_find(&events, DRM_VSM_TRACE_COPY_END, 0).time));
	EXPECT_EQ(0, flood_end(&f));
	munmap(b.map, b.size);
	EXPECT_EQ(0, cluster_close(&c));
}

TEST_F(fair, all_of_sixty_four_clients_complete)
{
	enum { CLIENTS = 64, EACH = 8 };
	struct flood *f = calloc(CLIENTS, sizeof(*f));
	struct rlimit limit = { 2048, 2048 };
	int i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	for (i = 0; i < CLIENTS; i++)
		ASSERT_EQ(0, flood_start(&f[i], 1, EACH, 4, self->hold.file));
	for (i = 0; i < CLIENTS; i++)
		EXPECT_EQ(EACH, flood_unfinished(&f[i]));
	ASSERT_EQ(0, hold_release(&self->hold));
	for (i = 0; i < CLIENTS; i++)
		EXPECT_EQ(0, flood_end(&f[i])) TH_LOG("client %d", i);
	free(f);
}

/*
 * Only the time in which a job itself executes counts against its timeout. Here 256 channels take
 * turns, and each job has a small part of the time.
 */
TEST_F(fair, a_job_is_not_late_because_others_have_had_their_turns)
{
	enum { CLIENTS = 16, CHANNELS = 16, EACH = 8, MINE = 80, TIMEOUT_MS = 200 };
	struct flood *f = calloc(CLIENTS, sizeof(*f)), mine;
	struct rlimit limit = { 4096, 4096 };
	int i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	if (model_reset(self->small.fd))
		SKIP(return, "needs debugfs");
	/*
	 * The driver reads the clock once or twice for each copy. A copy takes a millisecond at
	 * most.
	 */
	ASSERT_EQ(0, model_set(self->small.fd, "job_timeout_ms", TIMEOUT_MS));
	for (i = 0; i < CLIENTS; i++)
		ASSERT_EQ(0, flood_start(&f[i], CHANNELS, CHANNELS * EACH, 16, self->hold.file));
	ASSERT_EQ(0, flood_start(&mine, 1, 1, MINE, self->hold.file));
	ASSERT_EQ(0, hold_release(&self->hold));
	EXPECT_EQ(0, flood_end(&mine));
	for (i = 0; i < CLIENTS; i++)
		EXPECT_EQ(0, flood_end(&f[i])) TH_LOG("client %d", i);
	EXPECT_EQ(0, model_reset(self->small.fd));
	free(f);
}

/* --- words that a scribbler writes ------------------------------------------------- */

/*
 * While a task writes a word all the time, jobs can hardly change it. This must not keep a worker
 * busy: other channels must have their turns between the attempts. Each scribbler has a processor
 * of its own. An attempt therefore succeeds only while all of them are interrupted.
 */
TEST_F(fair, a_small_job_does_not_wait_for_jobs_whose_words_are_scribbled_on)
{
	enum { COUNT = 4096, EACH = 8 };
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct drm_vsm_insn *insns = calloc(COUNT, sizeof(*insns));
	int i, j, mine, files[SCRIBBLED][EACH], later = 0;
	struct cluster c[SCRIBBLED];
	struct scribbler s = { 0 };
	uint64_t ended;
	uint32_t in;
	char old[64];

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || workers_mask("1", old, sizeof(old)))
		SKIP(return, "needs a second processor for the scribbler");
	for (i = 0; i < COUNT; i++)
		insns[i] = arrive;
	for (i = 0; i < SCRIBBLED; i++) {
		ASSERT_EQ(0, cluster_create(&c[i], vsm_open(), VSM_LAYOUT_SM_90,
					    DRM_VSM_POLICY_HARDWARE));
		ASSERT_EQ(0, exec_one(&c[i], i_init(A, SCRIBBLED_COUNT)));
		s.words[s.used++] = word_at(&c[i], A);
		in = syncobj_import(c[i].fd, self->hold.file);
		for (j = 0; j < EACH; j++)
			ASSERT_LE(0, files[i][j] = job_start(&c[i], 0, insns, COUNT, in));
	}
	in = syncobj_import(self->small.fd, self->hold.file);
	ASSERT_LE(0, mine = job_start(&self->small, 0, &arrive, 1, in));

	ASSERT_EQ(0, scribbler_start(&s));
	ASSERT_EQ(0, hold_release(&self->hold));
	EXPECT_EQ(1, sync_file_wait(mine));
	ended = sync_file_time(mine);
	close(mine);

	scribbler_end(&s);
	/* All jobs end. A scribbler may have caused its cluster to be marked lost. */
	for (i = 0; i < SCRIBBLED; i++) {
		for (j = 0; j < EACH; j++) {
			int ret = sync_file_wait(files[i][j]);

			EXPECT_TRUE(ret == 1 || ret == -EIO) TH_LOG("%d", ret);
			later += sync_file_time(files[i][j]) > ended;
			close(files[i][j]);
		}
		cluster_close(&c[i]);
	}
	/* The times are those of the fences: a busy machine may wake this task late. */
	EXPECT_LT(SCRIBBLED * EACH / 2, later);
	EXPECT_EQ(0, workers_mask(old, NULL, 0));
	free(insns);
}

/* A thread that waits again whenever its wait ended with DEADLOCK */
struct stubborn {
	struct cluster c;
	pthread_t task;		/* task that executes the thread */
	atomic_bool stop;	/* set when the task shall end after the next DEADLOCK */
	int file;		/* fence of the cluster's job */
	int ret;		/* result of the last EXEC */
};

static void *stubborn_main(void *arg)
{
	struct stubborn *s = arg;
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct drm_vsm_exec args = exec_args(&s->c, &wait, 1);

	do {
		args.retired = 0;
		args.flags = DRM_VSM_EXEC_NO_LIMIT;
		s->ret = vsm_exec(s->c.fd, &args);
	} while (s->ret == -EPROTO && !atomic_load(&s->stop));
	return NULL;
}

/*
 * A worker ends the last job of a cluster and finds the deadlock. The thread then waits again, and
 * deadlocks again. If a worker had to end all these waits, it would never be free for another job.
 */
TEST_F(fair, a_small_job_does_not_wait_for_clusters_that_deadlock)
{
	int i, mine, count = 4 * sysconf(_SC_NPROCESSORS_ONLN);
	struct stubborn *all = calloc(count, sizeof(*all));
	struct drm_vsm_insn arrive = i_sink(i_arrive(A)), other = i_sink(i_arrive(AT(0, 0x80)));
	uint32_t in;

	ASSERT_NE(NULL, all);
	for (i = 0; i < count; i++) {
		ASSERT_EQ(0, cluster_make_open(&all[i].c, .ctas = 1, .threads = 1,
					       .smem_bytes = 4096));
		ASSERT_EQ(0, exec_one(&all[i].c, i_init(A, 1)));
		ASSERT_EQ(0, exec_one(&all[i].c, i_init(AT(0, 0x80), 2)));
		in = syncobj_import(all[i].c.fd, self->hold.file);
		ASSERT_LE(0, all[i].file = job_start(&all[i].c, 0, &other, 1, in));
		ASSERT_EQ(0, pthread_create(&all[i].task, NULL, stubborn_main, &all[i]));
	}
	ASSERT_EQ(0, hold_release(&self->hold));
	for (i = 0; i < count; i++)
		EXPECT_EQ(1, job_end(all[i].file));
	/* The workers must be able to execute another job now. */
	ASSERT_LE(0, mine = job_start(&self->small, 0, &arrive, 1, 0));
	EXPECT_EQ(1, job_end(mine));
	for (i = 0; i < count; i++) {
		atomic_store(&all[i].stop, true);
		ASSERT_EQ(0, pthread_join(all[i].task, NULL));
		EXPECT_EQ(-EPROTO, all[i].ret);
		cluster_close(&all[i].c);
	}
	free(all);
}

TEST_HARNESS_MAIN
