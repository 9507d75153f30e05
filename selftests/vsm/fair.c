// SPDX-License-Identifier: GPL-2.0-only
/*
 * Channels take turns, whosever they are: nobody is kept from the copy engine by somebody
 * who has much to copy. Jobs are counted, not time.
 */
#include <sys/resource.h>

#include "channel.h"

#define A AT(0, 0x40)
#define SIZE 0x8000
#define JOBS 128
#define COPIES 128	/* of each job: 512 MiB in all */

FIXTURE(fair)
{
	struct cluster small;		/* of another client */
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
	EXPECT_EQ(0, cluster_destroy(&self->small));
	close(self->small.fd);
}

/**
 * struct flood - A client that copies much
 * @c: Its cluster
 * @b: Where to
 * @files: Fences of its jobs
 * @jobs: How many
 */
struct flood {
	struct cluster c;
	struct buffer b;
	int files[256];
	int jobs;
};

/* Queues jobs of so many copies behind a fence, on as many channels; 0, or an error. */
static int flood_start(struct flood *f, int channels, int jobs, int copies, int fence)
{
	struct drm_vsm_cluster_create args = {
		.ctas = 1, .threads = 1, .smem_bytes = SIZE, .policy = DRM_VSM_POLICY_HARDWARE,
	};
	struct drm_vsm_insn *insns = calloc(copies, sizeof(*insns));
	int i, ret, names[16] = { 0 };
	uint32_t in;

	ret = cluster_create_args(&f->c, vsm_open(), &args);
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

/* Waits for all of it; how many jobs did not end as they should. */
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

/* A job that comes when the flood has begun does not wait for it. */
static void overtake(struct __test_metadata *_metadata, const struct cluster *small,
		     struct hold *hold, int channels)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct flood f;

	ASSERT_EQ(0, flood_start(&f, channels, JOBS, COPIES, hold->file));
	EXPECT_EQ(JOBS, flood_unfinished(&f));
	ASSERT_EQ(0, hold_release(hold));
	EXPECT_EQ(1, job_end(job_start(small, 0, &arrive, 1, 0)));
	EXPECT_LT(JOBS / 2, flood_unfinished(&f));
	EXPECT_EQ(0, flood_end(&f));
}

TEST_F(fair, a_small_job_does_not_wait_for_another_client_s_flood)
{
	overtake(_metadata, &self->small, &self->hold, 1);
}

TEST_F(fair, nor_for_one_on_many_channels)
{
	overtake(_metadata, &self->small, &self->hold, 16);
}

TEST_F(fair, nor_for_the_same_client_s_on_another_channel)
{
	struct drm_vsm_insn store;
	struct flood f;
	int channel;

	ASSERT_EQ(0, flood_start(&f, 1, JOBS, COPIES, self->hold.file));
	channel = channel_create(f.c.fd, 0);
	store = i_s2g(0, 16, f.b.handle, 0);
	ASSERT_EQ(0, hold_release(&self->hold));
	EXPECT_EQ(1, job_end(job_start(&f.c, channel, &store, 1, 0)));
	EXPECT_LT(JOBS / 2, flood_unfinished(&f));
	EXPECT_EQ(0, flood_end(&f));
}

/* The copies of a thread pass its client's first channel, as jobs there do; others' do not. */
TEST_F(fair, nor_do_a_thread_s_copies)
{
	struct drm_vsm_insn insns[3];
	struct buffer b;
	struct flood f;

	ASSERT_EQ(0, flood_start(&f, 1, JOBS, COPIES, self->hold.file));
	ASSERT_EQ(0, buffer_create(&b, self->small.fd, 4096));
	insns[0] = i_s2g(0x400, 16, b.handle, 0);
	insns[1] = i_bulk_commit();
	insns[2] = i_bulk_wait(0);
	ASSERT_EQ(0, hold_release(&self->hold));
	EXPECT_EQ(0, exec_stream(&self->small, 0, insns, 3, NULL));
	EXPECT_LT(JOBS / 2, flood_unfinished(&f));
	EXPECT_EQ(0, flood_end(&f));
	munmap(b.map, b.size);
}

TEST_F(fair, all_of_sixty_four_clients_get_done)
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

TEST_HARNESS_MAIN
