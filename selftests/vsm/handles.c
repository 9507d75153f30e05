// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles of clusters that are closed while tasks execute instructions by them. A call has a
 * reference on the cluster only until it ends.
 */
#include "vsm_test.h"

#define A AT(0, 0x40)
#define TASKS 2

FIXTURE(handles)
{
	int fd;
	uint32_t limit;		/* clusters of a client */
};

FIXTURE_SETUP(handles)
{
	self->fd = vsm_open();
	ASSERT_LE(0, self->fd);
	self->limit = vsm_info(self->fd).client_clusters;
}

FIXTURE_TEARDOWN(handles)
{
	close(self->fd);
}

static int create(int fd, uint32_t *handle)
{
	struct drm_vsm_cluster_create args = { .ctas = 1, .threads = 1, .smem_bytes = 256 };
	int ret = vsm_ioctl(fd, DRM_IOCTL_VSM_CLUSTER_CREATE, &args);

	*handle = args.handle;
	return ret;
}

static int execute(int fd, uint32_t handle, struct drm_vsm_insn insn)
{
	struct cluster c = { .fd = fd, .handle = handle };

	return exec_one(&c, insn);
}

/* How many clusters can the client create now? */
static uint32_t clusters_left(int fd, uint32_t limit)
{
	uint32_t *handles = calloc(limit + 1, sizeof(*handles)), count = 0, i;

	while (count <= limit && !create(fd, &handles[count]))
		count++;
	for (i = 0; i < count; i++)
		gem_close(fd, handles[i]);
	free(handles);
	return count;
}

TEST_F(handles, a_cluster_is_freed_when_its_handle_is_closed)
{
	uint32_t i, handle, rounds = repeat(2 * self->limit);

	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, create(self->fd, &handle));
		ASSERT_EQ(0, execute(self->fd, handle, i_init(A, 1)));
		ASSERT_EQ(0, gem_close(self->fd, handle));
		ASSERT_EQ(-ENOENT, execute(self->fd, handle, i_arrive(A)));
	}
	EXPECT_EQ(self->limit, clusters_left(self->fd, self->limit));
}

TEST_F(handles, a_handle_that_is_used_again_names_the_new_cluster)
{
	uint32_t old, new;

	ASSERT_EQ(0, create(self->fd, &old));
	ASSERT_EQ(0, execute(self->fd, old, i_init(A, 2)));
	ASSERT_EQ(0, execute(self->fd, old, i_arrive(A)));
	ASSERT_EQ(0, gem_close(self->fd, old));
	ASSERT_EQ(0, create(self->fd, &new));
	ASSERT_EQ(old, new);
	/* There is no mbarrier in the new cluster. */
	EXPECT_EQ(-EPROTO, execute(self->fd, new, i_arrive(A)));
	EXPECT_EQ(0, execute(self->fd, new, i_init(A, 2)));
}

/* Calls find the right cluster among many, and none by another client's handle. */
TEST_F(handles, many_clusters_are_found_in_turn)
{
	uint32_t handles[16], i, round;
	int other = vsm_open();

	for (i = 0; i < ARRAY_SIZE(handles); i++) {
		ASSERT_EQ(0, create(self->fd, &handles[i]));
		ASSERT_EQ(0, execute(self->fd, handles[i], i_init(A, 100 + i)));
	}
	for (round = 0; round < 3; round++)
		for (i = 0; i < ARRAY_SIZE(handles); i++) {
			struct cluster c = { .fd = self->fd, .handle = handles[i] };
			uint64_t state = exec_result(&c, i_arrive(A));

			EXPECT_EQ(100 + i - round,
				  vsm_mbarrier_pending(VSM_LAYOUT_SM_90, state));
			EXPECT_EQ(-ENOENT, execute(other, handles[i], i_arrive(A)));
			EXPECT_EQ(-ENOENT, execute(self->fd, 1000 + i, i_arrive(A)));
		}
	for (i = 0; i < ARRAY_SIZE(handles); i++)
		ASSERT_EQ(0, gem_close(self->fd, handles[i]));
	EXPECT_EQ(self->limit, clusters_left(self->fd, self->limit));
	close(other);
}

/* A handle of another client names the same cluster by another number, or by the same. */
TEST_F(handles, a_shared_cluster_is_freed_after_both_handles)
{
	uint32_t i, handle, theirs, rounds = repeat(2 * self->limit);
	int other = vsm_open(), dmabuf;

	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, create(self->fd, &handle));
		ASSERT_EQ(0, drmPrimeHandleToFD(self->fd, handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
		ASSERT_EQ(0, drmPrimeFDToHandle(other, dmabuf, &theirs));
		close(dmabuf);
		ASSERT_EQ(0, execute(self->fd, handle, i_init(A, 8)));
		ASSERT_EQ(0, execute(other, theirs, i_arrive(A)));
		ASSERT_EQ(0, gem_close(self->fd, handle));
		ASSERT_EQ(-ENOENT, execute(self->fd, handle, i_arrive(A)));
		ASSERT_EQ(0, execute(other, theirs, i_arrive(A)));
		ASSERT_EQ(0, gem_close(other, theirs));
		ASSERT_EQ(-ENOENT, execute(other, theirs, i_arrive(A)));
	}
	EXPECT_EQ(self->limit, clusters_left(self->fd, self->limit));
	close(other);
}

struct task {
	pthread_t thread;
	int fd;
	unsigned int number;
	atomic_uint *handle;
	atomic_bool *over;
	atomic_uint done;	/* executed instructions */
	int error;		/* unexpected result of one of them */
};

static void *execute_for_ever(void *arg)
{
	struct task *task = arg;

	pin(task->number);
	while (!atomic_load(task->over)) {
		int ret = execute(task->fd, atomic_load(task->handle), i_fence());

		if (!ret)
			atomic_fetch_add(&task->done, 1);
		else if (ret != -ENOENT)
			task->error = ret;
	}
	return NULL;
}

TEST_F(handles, a_cluster_is_freed_when_its_handle_is_closed_in_use)
{
	atomic_uint handle = 0;
	atomic_bool over = false;
	struct task tasks[TASKS] = {};
	uint32_t mine, before;
	unsigned int i, round, rounds = repeat(2 * self->limit);

	for (i = 0; i < TASKS; i++) {
		tasks[i] = (struct task) {
			.fd = self->fd, .number = i, .handle = &handle, .over = &over,
		};
		ASSERT_EQ(0, pthread_create(&tasks[i].thread, NULL, execute_for_ever, &tasks[i]));
	}
	for (round = 0; round < rounds; round++) {
		ASSERT_EQ(0, create(self->fd, &mine));
		before = atomic_load(&tasks[round % TASKS].done);
		atomic_store(&handle, mine);
		while (atomic_load(&tasks[round % TASKS].done) == before)
			sched_yield();
		ASSERT_EQ(0, gem_close(self->fd, mine));
		ASSERT_EQ(-ENOENT, execute(self->fd, mine, i_fence()));
	}
	atomic_store(&over, true);
	for (i = 0; i < TASKS; i++) {
		pthread_join(tasks[i].thread, NULL);
		EXPECT_EQ(0, tasks[i].error);
	}
	EXPECT_EQ(self->limit, clusters_left(self->fd, self->limit));
}

TEST_HARNESS_MAIN
