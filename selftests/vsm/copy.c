// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs of the copy engine: data, completion, and order by fences. submit.c tests what SUBMIT
 * refuses.
 */
#include "fence.h"

#define A AT(0, 0)		/* mbarrier */
#define DATA 0x1000		/* offset of data in a window */
#define SMEM 0x8000

FIXTURE(copy)
{
	struct cluster c;
	struct buffer b;
	uint32_t out;
};

static int make_cluster(struct cluster *c, int fd)
{
	return cluster_make(c, fd, .ctas = 4, .threads = 64, .smem_bytes = SMEM);
}

FIXTURE_SETUP(copy)
{
	int fd = vsm_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, make_cluster(&self->c, fd));
	ASSERT_EQ(0, buffer_create(&self->b, fd, 0x10000));
	self->out = syncobj_create(fd);
	ASSERT_NE(0, self->out);
}

FIXTURE_TEARDOWN(copy)
{
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_close(&self->c));
}

static void fill(unsigned char *p, size_t size, uint64_t seed)
{
	size_t i;

	for (i = 0; i < size; i++)
		p[i] = random_next(&seed);
}

static uint32_t phase(const struct cluster *c, uint32_t addr)
{
	return word(c, addr) >> 63;
}

/* Runs a job and returns the status of its fence. */
static int run(const struct cluster *c, struct drm_vsm_insn *insns, uint32_t count, uint32_t out)
{
	int ret = submit_sync(c, insns, count, 0, out);

	return ret ? ret : syncobj_status(c->fd, out);
}

static const uint32_t sizes[] = { 16, 32, 48, 1024, 4096, 4112, 0x7000 };

TEST_F(copy, global_to_shared_moves_the_bytes_and_completes_the_phase)
{
	unsigned char *before = malloc(SMEM);
	uint32_t rank, i;

	fill(self->b.map, self->b.size, 1);
	for (rank = 0; rank < 4; rank++) {
		unsigned char *window = cluster_mem(&self->c, AT(rank, 0));
		uint32_t mbar = AT(rank, 0x100);

		ASSERT_EQ(0, exec_at(&self->c, rank, i_init(mbar, 1), NULL));
		ASSERT_EQ(0, exec_at(&self->c, rank, i_fence(), NULL));
		for (i = 0; i < ITEMS(sizes); i++) {
			uint64_t offset = 16 * i * (rank + 1);
			/*
			 * The job belongs to CTA 0. Its shared::cluster addresses still reach any
			 * window.
			 */
			struct drm_vsm_insn insn =
				i_g2s(AT(rank, DATA), mbar, sizes[i], self->b.handle, offset);

			memcpy(before, window, SMEM);
			ASSERT_EQ(0, exec_at(&self->c, rank,
					     i_arrive_expect_tx(mbar, sizes[i]), NULL));
			ASSERT_EQ(i % 2, phase(&self->c, mbar));
			ASSERT_EQ(1, run(&self->c, &insn, 1, self->out));
			EXPECT_EQ(!(i % 2), phase(&self->c, mbar));
			ASSERT_EQ(0, exec_look(&self->c, mbar));
			EXPECT_EQ(0, memcmp(window + DATA, self->b.map + offset, sizes[i]));
			EXPECT_EQ(0, memcmp(window + DATA + sizes[i], before + DATA + sizes[i],
					    SMEM - DATA - sizes[i]));
			EXPECT_EQ(0, memcmp(window + 0x108, before + 0x108, DATA - 0x108));
		}
	}
	free(before);
}

TEST_F(copy, shared_to_global_moves_the_bytes)
{
	unsigned char *before = malloc(self->b.size);
	uint32_t rank, i;

	for (rank = 0; rank < 4; rank++) {
		unsigned char *window = cluster_mem(&self->c, AT(rank, 0));

		fill(window, SMEM, rank);
		for (i = 0; i < ITEMS(sizes); i++) {
			uint64_t offset = 16 * i * (rank + 1);
			struct drm_vsm_insn insn =
				i_s2g(AT(rank, DATA), sizes[i], self->b.handle, offset);
			struct drm_vsm_submit args = submit_args(&self->c, &insn, 1);
			struct drm_vsm_sync sync = {
				.handle = self->out, .flags = DRM_VSM_SYNC_SIGNAL,
			};

			args.cta = rank;
			args.syncs = (uintptr_t)&sync;
			args.sync_count = 1;
			args.sync_stride = sizeof(sync);
			fill(self->b.map, self->b.size, 9);
			memcpy(before, self->b.map, self->b.size);
			ASSERT_EQ(0, vsm_submit(self->c.fd, &args));
			ASSERT_EQ(1, syncobj_status(self->c.fd, self->out));
			memcpy(before + offset, window + DATA, sizes[i]);
			EXPECT_EQ(0, memcmp(before, self->b.map, self->b.size));
		}
	}
	free(before);
}

TEST_F(copy, the_ends_of_window_and_buffer_can_be_reached)
{
	struct drm_vsm_insn out = i_s2g(AT(0, SMEM - 16), 16, self->b.handle, self->b.size - 16);
	struct drm_vsm_insn in = i_g2s(AT(0, SMEM - 32), A, 16, self->b.handle, self->b.size - 16);

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive_expect_tx(A, 16)));
	fill(cluster_mem(&self->c, AT(0, SMEM - 16)), 16, 3);
	ASSERT_EQ(1, run(&self->c, &out, 1, self->out));
	ASSERT_EQ(1, run(&self->c, &in, 1, self->out));
	EXPECT_EQ(0, memcmp(self->b.map + self->b.size - 16,
			    cluster_mem(&self->c, AT(0, SMEM - 16)), 16));
	EXPECT_EQ(0, memcmp(cluster_mem(&self->c, AT(0, SMEM - 32)),
			    cluster_mem(&self->c, AT(0, SMEM - 16)), 16));
}

/* The consumer reads the data as soon as its try_wait returns True. */
TEST_F(copy, data_is_there_when_the_phase_is)
{
	enum { SIZE = 1024 };
	uint64_t *source = (uint64_t *)self->b.map;
	volatile uint64_t *target = cluster_mem(&self->c, DATA);
	int i, j, slept = 0, rounds = repeat(10000);

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	for (i = 0; i < rounds; i++) {
		struct drm_vsm_insn copy = i_g2s(DATA, A, SIZE, self->b.handle, 0);
		struct drm_vsm_insn wait[] = { i_arrive_expect_tx(A, SIZE),
					       i_try_parity(A, i % 2, LONG_HINT) };

		for (j = 0; j < SIZE / 8; j++)
			source[j] = (uint64_t)i << 32 | j;
		ASSERT_EQ(0, submit_sync(&self->c, &copy, 1, 0, 0));
		slept += phase(&self->c, A) == i % 2;
		ASSERT_EQ(0, exec_stream(&self->c, 0, wait, 2, NULL)) TH_LOG("round %d", i);
		ASSERT_EQ(1, wait[1].result);
		/* Check the last bytes first because copies write them last. */
		for (j = SIZE / 8 - 1; j >= 0; j--)
			ASSERT_EQ((uint64_t)i << 32 | j, target[j]);
	}
	EXPECT_LT(0, slept);
}

TEST_F(copy, a_job_s_operations_wake_waiters)
{
	struct drm_vsm_insn jobs[][2] = {
		{ i_sink(i_arrive(A)) },
		{ i_expect_tx(A, 64), i_sink(i_arrive(A)) },
		{ i_complete_tx(A, 64) },
		{ i_sink(i_arrive_expect_tx(A, 16)), i_complete_tx(A, 16) },
		{ i_sink(i_arrive_n(A, 1)) },
		{ i_drop(i_sink(i_arrive(A))) },
	};
	static const int counts[] = { 1, 2, 1, 2, 1, 1 };
	/* The current phase after the job, counted from 0. */
	static const int after[] = { 1, 1, 2, 3, 4, 4 };
	int i, set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	int before = 0;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	for (i = 0; i < 6; i++) {
		struct drm_vsm_wait armed = wait_parity(&self->c, A, before % 2, -1, i);
		struct drm_vsm_insn wait = i_try_parity(A, before % 2, LONG_HINT);
		struct exec_thread t;
		struct drm_vsm_wait_record record;

		if (after[i] > before) {
			ASSERT_EQ(0, waitset_arm(self->c.fd, set, &armed, 1, NULL));
			ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, 0, &wait, 1));
		}
		/*
		 * The last job would drop the expected count to 0. Its fence therefore signals
		 * -EIO.
		 */
		ASSERT_EQ(i == 5 ? -EIO : 1, run(&self->c, jobs[i], counts[i], self->out));
		EXPECT_EQ(after[i] % 2, phase(&self->c, A));
		if (after[i] > before) {
			EXPECT_EQ(0, exec_thread_join(&t));
			EXPECT_EQ(1, wait.result);
			EXPECT_EQ(1, waitset_read(set, &record));
			EXPECT_EQ(i, record.user_data);
		}
		before = after[i];
	}
	close(set);
}

TEST_F(copy, the_longest_job_runs_to_its_end)
{
	uint32_t i, count = vsm_info(self->c.fd).max_submit;
	struct drm_vsm_insn *insns = calloc(count, sizeof(struct drm_vsm_insn));
	struct buffer b;

	ASSERT_LE(4096, count);
	ASSERT_EQ(0, buffer_create(&b, self->c.fd, 16 * count));
	fill(cluster_mem(&self->c, DATA), 4096, 4);
	for (i = 0; i < count; i++)
		insns[i] = i_s2g(DATA + 16 * (i % 256), 16, b.handle, 16 * i);
	ASSERT_EQ(1, run(&self->c, insns, count, self->out));
	for (i = 0; i < count; i += 256)
		EXPECT_EQ(0, memcmp(cluster_mem(&self->c, DATA), b.map + 16 * i, 4096));
	munmap(b.map, b.size);
	free(insns);
}

TEST_F(copy, jobs_of_a_channel_run_in_order)
{
	enum { ROUNDS = 500 };
	unsigned char *window = cluster_mem(&self->c, DATA);
	int i;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	fill(window, 16, 7);
	/* Each job copies the data that the job before it has written. */
	for (i = 0; i < ROUNDS; i++) {
		struct drm_vsm_insn out = i_s2g(DATA + i * 16, 16, self->b.handle, 32 * i);
		struct drm_vsm_insn in[] = {
			i_expect_tx(A, 16),
			i_g2s(DATA + i * 16 + 16, A, 16, self->b.handle, 32 * i),
		};

		ASSERT_EQ(0, submit_sync(&self->c, &out, 1, 0, 0));
		ASSERT_EQ(0, submit_sync(&self->c, in, 2, 0, i == ROUNDS - 1 ? self->out : 0));
	}
	ASSERT_EQ(1, syncobj_status(self->c.fd, self->out));
	EXPECT_EQ(0, memcmp(window, window + 16 * ROUNDS, 16));
	EXPECT_EQ(0, phase(&self->c, A));
}

/* --- fences of jobs ------------------------------------------------------- */

TEST_F(copy, a_job_waits_for_its_in_fence_and_so_do_those_behind_it)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	uint32_t in, between;
	struct hold hold;
	int i;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	in = syncobj_import(self->c.fd, hold.file);
	between = syncobj_create(self->c.fd);
	ASSERT_NE(0, in);
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 2)));
	ASSERT_EQ(0, submit_sync(&self->c, &arrive, 1, in, between));
	ASSERT_EQ(0, submit_sync(&self->c, &arrive, 1, 0, self->out));
	for (i = 0; i < 100; i++)
		sched_yield();
	/* pending 2, tx-count 0, expected 2 */
	EXPECT_EQ(0x7ffff000001ffffc, word(&self->c, A));
	i = syncobj_export(self->c.fd, between);
	EXPECT_EQ(0, sync_file_status(i));
	ASSERT_EQ(0, hold_release(&hold));
	EXPECT_EQ(1, sync_file_wait(i));
	EXPECT_EQ(1, syncobj_status(self->c.fd, self->out));
	EXPECT_EQ(1, phase(&self->c, A));
	close(i);
}

TEST_F(copy, other_channels_run_past_a_held_one)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct cluster other;
	struct hold hold;
	uint32_t in, out;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	in = syncobj_import(self->c.fd, hold.file);
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, submit_sync(&self->c, &arrive, 1, in, self->out));

	ASSERT_EQ(0, make_cluster(&other, vsm_open()));
	ASSERT_EQ(0, exec_one(&other, i_init(A, 1)));
	out = syncobj_create(other.fd);
	EXPECT_EQ(1, run(&other, &arrive, 1, out));
	EXPECT_EQ(0, phase(&self->c, A));
	ASSERT_EQ(0, hold_release(&hold));
	EXPECT_EQ(1, syncobj_status(self->c.fd, self->out));
	EXPECT_EQ(0, cluster_close(&other));
}

/* Two clients pass data to each other. Only sync_files order their jobs. */
TEST_F(copy, a_job_waits_for_another_client_s)
{
	struct cluster other;
	struct buffer b;
	int i, dmabuf, file = -1;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, make_cluster(&other, vsm_open()));
	ASSERT_EQ(0, exec_one(&other, i_init(A, 1)));
	ASSERT_EQ(0, drmPrimeHandleToFD(self->c.fd, self->b.handle, DRM_CLOEXEC | DRM_RDWR,
					&dmabuf));
	ASSERT_EQ(0, drmPrimeFDToHandle(other.fd, dmabuf, &b.handle));
	fill(self->b.map, 16, 11);
	for (i = 0; i < 200; i++) {
		const struct cluster *c = i % 2 ? &other : &self->c;
		uint32_t buffer = i % 2 ? b.handle : self->b.handle;
		struct drm_vsm_insn take[] = {
			i_expect_tx(A, 16), i_g2s(DATA, A, 16, buffer, 16 * i),
		};
		struct drm_vsm_insn pass = i_s2g(DATA, 16, buffer, 16 * i + 16);
		uint32_t in = i ? syncobj_import(c->fd, file) : 0, out = syncobj_create(c->fd);

		ASSERT_EQ(0, submit_sync(c, take, 2, in, 0));
		ASSERT_EQ(0, submit_sync(c, &pass, 1, 0, out));
		close(file);
		file = syncobj_export(c->fd, out);
		ASSERT_LE(0, file);
		syncobj_destroy(c->fd, out);
		syncobj_destroy(c->fd, in);
	}
	EXPECT_EQ(1, sync_file_wait(file));
	EXPECT_EQ(0, memcmp(self->b.map, self->b.map + 16 * 200, 16));
	close(file);
	close(dmabuf);
	EXPECT_EQ(0, cluster_close(&other));
}

TEST_F(copy, as_many_fences_as_the_limit_says_are_taken)
{
	uint32_t i, n = vsm_info(self->c.fd).max_syncs;
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct drm_vsm_submit args = submit_args(&self->c, &arrive, 1);
	struct { struct drm_vsm_sync sync; uint64_t more; } *syncs = calloc(n, sizeof(*syncs));

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1000)));
	ASSERT_EQ(0, submit_sync(&self->c, &arrive, 1, 0, self->out));
	/*
	 * The job waits for the first job's fence in half of the syncs, and signals the other half.
	 */
	for (i = 0; i < n; i++) {
		syncs[i].sync.handle = i % 2 ? syncobj_create(self->c.fd) : self->out;
		syncs[i].sync.flags = i % 2 ? DRM_VSM_SYNC_SIGNAL : DRM_VSM_SYNC_WAIT;
		syncs[i].more = ~0ULL;
	}
	args.syncs = (uintptr_t)syncs;
	args.sync_count = n;
	args.sync_stride = sizeof(syncs[0]);
	ASSERT_EQ(0, vsm_submit(self->c.fd, &args));
	for (i = 1; i < n; i += 2)
		EXPECT_EQ(1, syncobj_status(self->c.fd, syncs[i].sync.handle));
	free(syncs);
}

TEST_F(copy, a_job_that_faults_ends_there_with_eio_and_fails_those_that_wait_for_it)
{
	struct drm_vsm_insn job[] = { i_sink(i_arrive(A)), i_complete_tx(A + 8, 16),
				      i_sink(i_arrive(A)) };
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	uint32_t second = syncobj_create(self->c.fd), third = syncobj_create(self->c.fd);

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 9)));
	insn_poison(job, 3);
	ASSERT_EQ(0, submit_sync(&self->c, job, 3, 0, self->out));
	ASSERT_EQ(0, submit_sync(&self->c, &arrive, 1, self->out, second));
	ASSERT_EQ(0, submit_sync(&self->c, &arrive, 1, 0, third));
	EXPECT_EQ(-EIO, syncobj_status(self->c.fd, self->out));
	EXPECT_EQ(-EIO, syncobj_status(self->c.fd, second));
	EXPECT_EQ(1, syncobj_status(self->c.fd, third));	/* the channel still works */
	/*
	 * The first and the third job each arrived once, and the second job did not: 7 are pending.
	 */
	EXPECT_EQ(7, vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(&self->c, A)));
	/* The driver does not write results into the instructions of a job. */
	EXPECT_TRUE(insn_untouched(&job[1]));
}

TEST_F(copy, a_foreign_fence_that_fails_fails_the_job)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct hold hold;
	uint32_t in;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	in = syncobj_import(self->c.fd, hold.file);
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, submit_sync(&self->c, &arrive, 1, in, self->out));
	/*
	 * The test never signals the fence. The driver that made it ends it when the file is closed
	 * or after a timeout, perhaps with an error.
	 */
	EXPECT_LT(-1, sync_file_status(hold.file));
	close(hold.fd);
	EXPECT_NE(0, syncobj_status(self->c.fd, self->out));
	EXPECT_EQ(sync_file_status(hold.file) == 1, phase(&self->c, A));
	EXPECT_EQ(sync_file_status(hold.file), syncobj_status(self->c.fd, self->out));
}

TEST_F(copy, handles_may_be_closed_behind_queued_jobs)
{
	struct cluster c;
	struct buffer b;
	struct hold hold;
	struct drm_vsm_insn take[] = { i_expect_tx(A, 16), i_g2s(DATA, A, 16, 0, 0) };
	struct drm_vsm_insn give = i_s2g(DATA, 16, 0, 32);
	uint32_t in;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	in = syncobj_import(self->c.fd, hold.file);
	ASSERT_EQ(0, make_cluster(&c, self->c.fd));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	ASSERT_EQ(0, buffer_create(&b, self->c.fd, 4096));
	take[1].u.copy.buffer = b.handle;
	give.u.copy.buffer = b.handle;
	fill(b.map, 16, 21);
	ASSERT_EQ(0, submit_sync(&c, take, 2, in, 0));
	ASSERT_EQ(0, submit_sync(&c, &give, 1, 0, self->out));
	ASSERT_EQ(0, cluster_destroy(&c));
	ASSERT_EQ(0, gem_close(b.fd, b.handle));
	ASSERT_EQ(0, hold_release(&hold));
	EXPECT_EQ(1, syncobj_status(self->c.fd, self->out));
	EXPECT_EQ(0, memcmp(b.map, b.map + 32, 16));
	munmap(b.map, b.size);
}

TEST_F(copy, closing_the_client_cancels_its_jobs)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct cluster mine, other;
	struct hold hold;
	int i, files[10];
	uint32_t in;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, make_cluster(&other, vsm_open()));
	ASSERT_EQ(0, cluster_share(&mine, self->c.fd, &other));
	ASSERT_EQ(0, exec_one(&other, i_init(A, 100)));
	in = syncobj_import(other.fd, hold.file);
	for (i = 0; i < 10; i++) {
		uint32_t out = syncobj_create(other.fd);

		ASSERT_EQ(0, submit_sync(&other, &arrive, 1, i % 2 ? 0 : in, out));
		files[i] = syncobj_export(other.fd, out);
		EXPECT_EQ(0, sync_file_status(files[i]));
	}
	munmap(other.map, other.size);
	close(other.fd);
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(-ECANCELED, sync_file_wait(files[i]));
		close(files[i]);
	}
	EXPECT_EQ(100, vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(&mine, A)));
	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(100, vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(&mine, A)));
	EXPECT_EQ(0, cluster_destroy(&mine));
}

TEST_HARNESS_MAIN
