// SPDX-License-Identifier: GPL-2.0-only
/*
 * What /proc/PID/fdinfo shows of a client: who it is, for how long the copy engine was busy for it,
 * and its memory.
 */
#include "channel.h"
#include "fdinfo.h"
#include "model.h"
#include "prime.h"

#define MANY 200		/* more objects than the driver looks at in one batch */

FIXTURE(fdinfo)
{
	struct cluster c;
	struct buffer b;
	int fd;
};

FIXTURE_SETUP(fdinfo)
{
	self->fd = vsm_open();
	/* The previous test may have left the device unbound. */
	if (self->fd == -ENODEV && !device_bind())
		self->fd = vsm_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, make_cluster(&self->c, self->fd));
	ASSERT_EQ(0, buffer_create(&self->b, self->fd, 16 * PAGE));
}

FIXTURE_TEARDOWN(fdinfo)
{
	munmap(self->b.map, self->b.size);
	munmap(self->c.map, self->c.size);
	model_reset(self->fd);
	close(self->fd);
	device_bind();
}

/* --- who it is ---------------------------------------------------------------- */

TEST_F(fdinfo, has_each_key_once)
{
	struct usage u;

	ASSERT_EQ(0, usage_read(self->fd, &u));
	EXPECT_STREQ("vsm", u.driver);
	EXPECT_NE(0, u.id);
	EXPECT_EQ(1, u.channels);
	EXPECT_EQ(self->c.size + self->b.size, u.total);
	EXPECT_EQ(0, u.shared);
	EXPECT_EQ(u.total, u.resident);
	EXPECT_EQ(0, u.active);
}

TEST_F(fdinfo, the_id_is_that_of_the_client)
{
	uint64_t id = usage_of(self->fd, id);
	int other = vsm_open(), copy = dup(self->fd);

	ASSERT_LE(0, other);
	ASSERT_LE(0, copy);
	EXPECT_EQ(id, usage_of(copy, id));
	EXPECT_NE(id, usage_of(other, id));
	EXPECT_NE(POISON, usage_of(other, id));
	close(other);
	EXPECT_EQ(id, usage_of(self->fd, id));
	close(copy);
}

TEST_F(prime, clients_of_two_devices_have_different_ids)
{
	uint64_t ids[64];
	int i, j, fds[64];

	for (i = 0; i < 64; i++) {
		fds[i] = vsm_open_index(i % 2);
		ASSERT_LE(0, fds[i]);
		ids[i] = usage_of(fds[i], id);
		ASSERT_NE(POISON, ids[i]);
		for (j = 0; j < i; j++)
			EXPECT_NE(ids[j], ids[i]);
	}
	for (i = 0; i < 64; i++)
		close(fds[i]);
}

/* --- the copy engine ------------------------------------------------------------ */

TEST_F(fdinfo, capacity_is_the_number_of_channels)
{
	int first = channel_create(self->fd, 0), second = channel_create(self->fd, 0);

	ASSERT_LT(0, first);
	ASSERT_LT(0, second);
	EXPECT_EQ(3, usage_of(self->fd, channels));
	EXPECT_EQ(0, channel_destroy(self->fd, first));
	EXPECT_EQ(2, usage_of(self->fd, channels));
	EXPECT_EQ(0, channel_destroy(self->fd, second));
	EXPECT_EQ(1, usage_of(self->fd, channels));
}

TEST_F(fdinfo, copies_make_the_engine_busy)
{
	int64_t start = now_ns();
	uint64_t before = usage_of(self->fd, busy), after;
	int i;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(1, copy_in(&self->c, self->b.handle, 0));
		after = usage_of(self->fd, busy);
		ASSERT_NE(POISON, after);
		EXPECT_LT(before, after);
		before = after;
	}
	EXPECT_GE(now_ns() - start, after);
	/* Copies of threads count as well. */
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(AT(0, DATA), 16, self->b.handle, 0)));
	ASSERT_EQ(0, async_finish(&self->c));
	EXPECT_LT(before, usage_of(self->fd, busy));
}

TEST_F(fdinfo, the_engine_of_another_client_is_not_busy)
{
	int other = vsm_open();

	ASSERT_LE(0, other);
	ASSERT_EQ(1, copy_in(&self->c, self->b.handle, 0));
	EXPECT_EQ(0, usage_of(other, busy));
	close(other);
}

TEST_F(fdinfo, the_engine_is_not_busy_without_an_operation)
{
	uint64_t busy;

	ASSERT_EQ(1, copy_in(&self->c, self->b.handle, 0));
	busy = busy_when_idle(self->fd);
	poll(NULL, 0, 50);
	EXPECT_EQ(busy, usage_of(self->fd, busy));

	/* A held operation has not begun. */
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(AT(0, DATA), 16, self->b.handle, 0)));
	poll(NULL, 0, 50);
	EXPECT_EQ(busy, usage_of(self->fd, busy));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_LT(busy, usage_of(self->fd, busy));
}

TEST_F(fdinfo, the_engine_is_not_busy_while_a_job_waits_for_a_fence)
{
	struct drm_vsm_insn insn = i_s2g(AT(0, DATA), 16, self->b.handle, 0);
	struct hold hold;
	uint64_t busy;
	int file;

	if (hold_init(&hold))
		SKIP(return, "needs sw_sync or vgem");
	file = job_start(&self->c, 0, &insn, 1, syncobj_import(self->fd, hold.file));
	ASSERT_LE(0, file);
	busy = busy_when_idle(self->fd);
	poll(NULL, 0, 50);
	EXPECT_EQ(busy, usage_of(self->fd, busy));
	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(1, job_end(file));
	EXPECT_LT(busy, usage_of(self->fd, busy));
}

TEST_F(fdinfo, the_engine_is_busy_until_an_operation_is_due)
{
	int64_t start = now_ns(), limit = start + AMPLE;
	uint64_t busy;
	int i;

	if (model_set(self->fd, "latency_ns", NEVER))
		SKIP(return, "needs debugfs");
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(AT(0, DATA), 16, self->b.handle, 0)));
	/* It is never due, so all growth after the first is for the wait. */
	for (i = 0; i < 100; i++) {
		busy = usage_of(self->fd, busy);
		while (usage_of(self->fd, busy) <= busy)
			ASSERT_GT(limit, now_ns());
	}
	EXPECT_GE(now_ns() - start, busy);
	EXPECT_EQ(self->c.size + self->b.size, usage_of(self->fd, active));
}

TEST_F(fdinfo, the_time_of_the_model_counts_in_full)
{
	const uint64_t latency = 30000000;
	uint64_t busy = usage_of(self->fd, busy);
	int64_t start = now_ns();

	if (model_set(self->fd, "latency_ns", latency))
		SKIP(return, "needs debugfs");
	EXPECT_EQ(1, job_status(&self->c, 0, i_s2g(AT(0, DATA), 16, self->b.handle, 0)));
	EXPECT_LE(busy + latency, usage_of(self->fd, busy));
	EXPECT_GE(busy + now_ns() - start, usage_of(self->fd, busy));
}

TEST_F(fdinfo, destroyed_channels_still_count)
{
	const uint64_t latency = 30000000;
	struct drm_vsm_insn insn = i_s2g(AT(0, DATA), 16, self->b.handle, 0);
	int i, channel, file;
	uint64_t busy = 0;

	if (model_set(self->fd, "latency_ns", latency))
		SKIP(return, "needs debugfs");
	for (i = 0; i < 3; i++) {
		channel = channel_create(self->fd, 0);
		ASSERT_LT(0, channel);
		file = job_start(&self->c, channel, &insn, 1, 0);
		ASSERT_LE(0, file);
		EXPECT_EQ(1, job_end(file));
		busy += latency;
		EXPECT_LE(busy, usage_of(self->fd, busy));
		EXPECT_EQ(0, channel_destroy(self->fd, channel));
		EXPECT_LE(busy, usage_of(self->fd, busy));
	}
}

TEST_F(fdinfo, bytes_are_those_of_executed_operations)
{
	struct drm_vsm_insn insn = i_s2g(AT(0, DATA), SIZE, self->b.handle, 0);
	int i, channel, file;
	uint64_t moved = 0;

	EXPECT_EQ(0, usage_of(self->fd, moved));
	for (i = 0; i < 3; i++) {
		channel = channel_create(self->fd, 0);
		ASSERT_LT(0, channel);
		file = job_start(&self->c, channel, &insn, 1, 0);
		ASSERT_LE(0, file);
		EXPECT_EQ(1, job_end(file));
		busy_when_idle(self->fd);
		moved += SIZE;
		EXPECT_EQ(moved, usage_of(self->fd, moved));
		EXPECT_EQ(SIZE, moved_on(self->fd, channel));
		EXPECT_EQ(0, moved_on(self->fd, 0));
		EXPECT_EQ(0, channel_destroy(self->fd, channel));
		EXPECT_EQ(moved, usage_of(self->fd, moved));
		EXPECT_EQ(POISON, moved_on(self->fd, channel));
	}
}

/* --- phases and faults ------------------------------------------------------------ */

TEST_F(fdinfo, phases_count_when_they_complete)
{
	int i;

	EXPECT_EQ(0, usage_of(self->fd, phases));
	for (i = 1; i <= 5; i++) {
		EXPECT_EQ(0, exec_one(&self->c, i_sink(i_arrive(A))));
		EXPECT_EQ(i, usage_of(self->fd, phases));
		EXPECT_EQ(0, exec_look(&self->c, A));
	}
	/* A copy completes a phase, too. */
	ASSERT_EQ(1, copy_in(&self->c, self->b.handle, 0));
	EXPECT_EQ(6, usage_of(self->fd, phases));
}

TEST_F(fdinfo, faults_are_those_of_the_client)
{
	int other = vsm_open();

	ASSERT_LE(0, other);
	EXPECT_EQ(0, usage_of(self->fd, faults));
	EXPECT_FAULT(INIT_OVER_LIVE, exec_fault(&self->c, 0, i_init(A, 1), NULL));
	EXPECT_EQ(1, usage_of(self->fd, faults));
	EXPECT_EQ(0, usage_of(other, faults));
	close(other);
}

/* --- memory --------------------------------------------------------------------- */

TEST_F(fdinfo, memory_follows_creation_and_closing)
{
	uint64_t total = usage_of(self->fd, total), resident = usage_of(self->fd, resident);
	struct drm_vsm_buffer_create args = { .size = 3 * PAGE - 1 };
	unsigned char *map;

	ASSERT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	EXPECT_EQ(total + 3 * PAGE, usage_of(self->fd, total));
	/* A buffer has no pages until it is mapped or copied. */
	EXPECT_EQ(resident, usage_of(self->fd, resident));
	map = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, args.mmap_offset);
	ASSERT_NE(MAP_FAILED, map);
	map[0] = 1;
	EXPECT_EQ(resident + 3 * PAGE, usage_of(self->fd, resident));
	munmap(map, 3 * PAGE);
	EXPECT_EQ(0, gem_close(self->fd, args.handle));
	EXPECT_EQ(total, usage_of(self->fd, total));
	EXPECT_EQ(resident, usage_of(self->fd, resident));
	EXPECT_EQ(0, usage_of(self->fd, shared));
}

TEST_F(fdinfo, memory_of_every_object_counts)
{
	uint64_t total = usage_of(self->fd, total);
	uint32_t handles[MANY];
	int i;

	for (i = 0; i < MANY; i++) {
		struct drm_vsm_buffer_create args = { .size = PAGE };

		ASSERT_EQ(0, vsm_ioctl(self->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
		handles[i] = args.handle;
		total += PAGE;
		EXPECT_EQ(total, usage_of(self->fd, total));
	}
	for (i = 0; i < MANY; i += 2) {
		EXPECT_EQ(0, gem_close(self->fd, handles[i]));
		total -= PAGE;
		EXPECT_EQ(total, usage_of(self->fd, total));
	}
}

TEST_F(fdinfo, shared_memory_is_that_of_exported_objects)
{
	uint64_t total = usage_of(self->fd, total);
	int other = vsm_open(), dmabuf;
	uint32_t handle;

	ASSERT_LE(0, other);
	EXPECT_EQ(0, usage_of(other, total));
	dmabuf = dmabuf_of(self->fd, self->b.handle);
	ASSERT_LE(0, dmabuf);
	EXPECT_EQ(self->b.size, usage_of(self->fd, shared));
	ASSERT_EQ(0, handle_of(other, dmabuf, &handle));
	close(dmabuf);
	/* Each of the two clients has all of it. */
	EXPECT_EQ(self->b.size, usage_of(other, total));
	EXPECT_EQ(self->b.size, usage_of(other, shared));
	EXPECT_EQ(self->b.size, usage_of(other, resident));
	EXPECT_EQ(self->b.size, usage_of(self->fd, shared));
	EXPECT_EQ(total, usage_of(self->fd, total));
	EXPECT_EQ(0, gem_close(other, handle));
	EXPECT_EQ(0, usage_of(other, total));
	EXPECT_EQ(0, usage_of(other, shared));
	EXPECT_EQ(total, usage_of(self->fd, total));
	close(other);
}

TEST_F(prime, imports_count_for_the_importer)
{
	uint64_t total = usage_of(self->second.fd, total);
	struct buffer b, imported;

	ASSERT_EQ(0, buffer_create(&b, self->c.fd, 4 * PAGE));
	ASSERT_EQ(0, import_from(&imported, self->second.fd, b.fd, b.handle));
	EXPECT_EQ(total + b.size, usage_of(self->second.fd, total));
	EXPECT_EQ(total + b.size, usage_of(self->second.fd, resident));
	EXPECT_EQ(b.size, usage_of(self->second.fd, shared));
	EXPECT_EQ(b.size, usage_of(self->c.fd, shared));
	EXPECT_EQ(0, drop(&imported));
	EXPECT_EQ(total, usage_of(self->second.fd, total));
	EXPECT_EQ(0, usage_of(self->second.fd, shared));
	EXPECT_EQ(0, drop(&b));
}

TEST_F(fdinfo, a_held_operation_makes_its_objects_active)
{
	struct cluster shared;
	struct buffer other;
	int fd = vsm_open();

	ASSERT_EQ(0, buffer_create(&other, self->fd, 4 * PAGE));
	ASSERT_EQ(0, cluster_share(&shared, fd, &self->c));
	EXPECT_EQ(0, usage_of(self->fd, active));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(AT(0, DATA), 16, self->b.handle, 0)));
	EXPECT_EQ(self->c.size + self->b.size, usage_of(self->fd, active));
	/* The cluster is active for the other client, too; this client's buffer is not. */
	EXPECT_EQ(self->c.size, usage_of(fd, active));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_TRUE(becomes_inactive(self->fd));
	EXPECT_TRUE(becomes_inactive(fd));
	munmap(other.map, other.size);
	munmap(shared.map, shared.size);
	close(fd);
}

TEST_F(fdinfo, a_job_makes_its_objects_active_until_it_ends)
{
	struct drm_vsm_insn insn = i_s2g(AT(0, DATA), 16, self->b.handle, 0);
	struct hold hold;
	int file;

	if (hold_init(&hold))
		SKIP(return, "needs sw_sync or vgem");
	file = job_start(&self->c, 0, &insn, 1, syncobj_import(self->fd, hold.file));
	ASSERT_LE(0, file);
	EXPECT_EQ(self->c.size + self->b.size, usage_of(self->fd, active));
	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(1, job_end(file));
	EXPECT_TRUE(becomes_inactive(self->fd));
}

/* --- races and the end ------------------------------------------------------------ */

struct churn {
	int fd;
	atomic_int victim;	/* a descriptor that is opened and closed all the time */
	atomic_bool stop;
	int ret;
};

/* Creates and closes many handles again and again. */
static void *churn_handles(void *arg)
{
	struct churn *churn = arg;
	uint32_t handles[MANY];
	int i, count;

	while (!atomic_load(&churn->stop) && !churn->ret) {
		for (count = 0; count < MANY && !churn->ret; count++) {
			struct drm_vsm_buffer_create args = { .size = PAGE };

			churn->ret = vsm_ioctl(churn->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args);
			handles[count] = args.handle;
		}
		for (i = 0; i < count && !churn->ret; i++)
			churn->ret = gem_close(churn->fd, handles[i]);
	}
	return NULL;
}

TEST_F(fdinfo, may_be_read_while_handles_are_closed)
{
	uint64_t total = usage_of(self->fd, total), most = 0;
	struct churn churn = { .fd = self->fd };
	int i, n = repeat(2000);
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, churn_handles, &churn));
	for (i = 0; i < n || !most; i++) {
		uint64_t now = usage_of(self->fd, total);

		ASSERT_LE(total, now);
		ASSERT_GE(total + MANY * PAGE, now);
		most |= now - total;
	}
	atomic_store(&churn.stop, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, churn.ret);
	EXPECT_EQ(total, usage_of(self->fd, total));
}

/* Creates, uses and destroys channels again and again. */
static void *churn_channels(void *arg)
{
	struct churn *churn = arg;

	while (!atomic_load(&churn->stop) && !churn->ret) {
		int channel = channel_create(churn->fd, 0);

		churn->ret = channel < 0 ? channel : channel_destroy(churn->fd, channel);
	}
	return NULL;
}

TEST_F(fdinfo, the_busy_time_never_decreases)
{
	struct drm_vsm_insn insn = i_s2g(AT(0, DATA), SIZE, self->b.handle, 0);
	struct churn churn = { .fd = self->fd };
	uint64_t before = 0, after;
	int i, n = repeat(2000);
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, churn_channels, &churn));
	for (i = 0; i < n; i++) {
		if (i % 8 == 0)
			ASSERT_EQ(0, submit_sync(&self->c, &insn, 1, 0, 0));
		after = usage_of(self->fd, busy);
		ASSERT_NE(POISON, after);
		ASSERT_LE(before, after);
		before = after;
	}
	EXPECT_LT(0, before);
	atomic_store(&churn.stop, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, churn.ret);
}

/* Opens a client and closes it again and again. */
static void *churn_clients(void *arg)
{
	struct churn *churn = arg;

	while (!atomic_load(&churn->stop) && !churn->ret) {
		struct drm_vsm_buffer_create args = { .size = PAGE };
		int fd = vsm_open();

		if (fd < 0) {
			churn->ret = fd;
			break;
		}
		atomic_store(&churn->victim, fd);
		churn->ret = vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args);
		close(fd);
	}
	return NULL;
}

TEST_F(fdinfo, may_be_read_while_the_client_is_closed)
{
	struct churn churn = { .victim = self->fd };
	int i, n = repeat(2000), seen = 0;
	pthread_t thread;
	struct usage u;

	ASSERT_EQ(0, pthread_create(&thread, NULL, churn_clients, &churn));
	for (i = 0; i < n || !seen; i++) {
		int fd = atomic_load(&churn.victim);
		int ret = usage_read(fd, &u);

		/* The descriptor may already be that of another file. */
		if (ret == -ENOENT || ret == -ENODATA)
			continue;
		ASSERT_EQ(0, ret);
		if (fd != self->fd)
			seen++;
	}
	atomic_store(&churn.stop, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, churn.ret);
}

TEST_F(fdinfo, stays_after_the_device_is_unplugged)
{
	struct usage before, after;

	ASSERT_EQ(1, copy_in(&self->c, self->b.handle, 0));
	EXPECT_TRUE(becomes_inactive(self->fd));
	ASSERT_EQ(0, usage_read(self->fd, &before));
	ASSERT_EQ(0, device_unbind());
	ASSERT_EQ(0, usage_read(self->fd, &after));
	EXPECT_STREQ("vsm", after.driver);
	EXPECT_EQ(before.id, after.id);
	EXPECT_LE(before.busy, after.busy);
	EXPECT_EQ(1, after.channels);
	EXPECT_EQ(before.total, after.total);
	EXPECT_EQ(before.resident, after.resident);
	EXPECT_EQ(0, after.active);
}

static void *unplug(void *arg)
{
	struct churn *churn = arg;

	churn->ret = device_unbind();
	atomic_store(&churn->stop, true);
	return NULL;
}

TEST_F(fdinfo, may_be_read_while_the_device_is_unplugged)
{
	uint64_t total = usage_of(self->fd, total), busy = 0;
	struct churn churn = {};
	pthread_t thread;
	struct usage u;

	if (model_set(self->fd, "latency_ns", NEVER))
		SKIP(return, "needs debugfs");
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(AT(0, DATA), 16, self->b.handle, 0)));
	ASSERT_EQ(0, pthread_create(&thread, NULL, unplug, &churn));
	do {
		ASSERT_EQ(0, usage_read(self->fd, &u));
		ASSERT_EQ(total, u.total);
		ASSERT_LE(busy, u.busy);
		busy = u.busy;
	} while (!atomic_load(&churn.stop));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, churn.ret);
	/* The operation has been dropped. */
	EXPECT_TRUE(becomes_inactive(self->fd));
	busy = busy_when_idle(self->fd);
	EXPECT_EQ(busy, usage_of(self->fd, busy));
}

TEST_HARNESS_MAIN
