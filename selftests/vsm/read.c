// SPDX-License-Identifier: GPL-2.0-only
/*
 * read() of events: bad buffers, short buffers, no event. These are the cases that IGT's drm_read
 * tries with events of a display; here each event is that of a misuse.
 */
#include <signal.h>

#include "vsm_test.h"

#define NOTHING AT(0, 0x200)	/* no mbarrier */
#define EVENT FAULT_EVENT
#define SHORT 4			/* bytes, fewer than a struct drm_event has */

FIXTURE(read)
{
	struct cluster c;
	int fd;		/* a second descriptor of the client */
};

FIXTURE_VARIANT(read) { int flags; };

FIXTURE_VARIANT_ADD(read, block) { .flags = 0 };
FIXTURE_VARIANT_ADD(read, nonblock) { .flags = O_NONBLOCK };

FIXTURE_SETUP(read)
{
	ASSERT_EQ(0, catch_signal(SIGUSR1, nothing, 0));
	ASSERT_EQ(0, cluster_open_plain(&self->c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	self->fd = dup(self->c.fd);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, variant->flags));
	EXPECT_EQ(0, poll_events(self->fd));
}

FIXTURE_TEARDOWN(read)
{
	EXPECT_EQ(0, poll_events(self->fd));
	close(self->fd);
	EXPECT_EQ(0, cluster_close(&self->c));
}

/* Causes an event. Its instruction has @number as tx-count. */
static int generate(const struct cluster *c, uint32_t number)
{
	return exec_one(c, i_complete_tx(NOTHING, number)) == -EPROTO ? 0 : -EINVAL;
}

static uint32_t number_of(const void *event)
{
	struct drm_vsm_insn insn;

	memcpy(&insn, (const char *)event + offsetof(struct drm_vsm_event_fault, insn),
	       sizeof(insn));
	return insn.u.mbarrier.tx_count;
}

/* An address that no user may have fails at once: the read does not wait for an event. */
TEST_F(read, an_invalid_buffer_is_refused_without_an_event)
{
	EXPECT_EQ(-1, read(self->fd, (void *)-1, 4096));
	EXPECT_EQ(EFAULT, errno);
}

TEST_F(read, an_invalid_buffer_takes_no_event)
{
	char buffer[EVENT];

	ASSERT_EQ(0, generate(&self->c, 7));
	EXPECT_EQ(-1, read(self->fd, (void *)-1, 4096));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(POLLIN, poll_events(self->fd));
	ASSERT_EQ(EVENT, read(self->fd, buffer, sizeof(buffer)));
	EXPECT_EQ(7, number_of(buffer));
}

/* The pages of the buffer do not exist until the read writes the event there. */
TEST_F(read, an_event_can_be_read_into_memory_of_the_device)
{
	struct buffer b;

	ASSERT_EQ(0, buffer_create(&b, self->c.fd, 4096));
	ASSERT_EQ(0, generate(&self->c, 1));
	ASSERT_EQ(EVENT, read(self->fd, b.map, b.size));
	EXPECT_EQ(1, number_of(b.map));
	munmap(b.map, b.size);
	ASSERT_EQ(0, generate(&self->c, 2));
	ASSERT_EQ(EVENT, read(self->fd, cluster_mem(&self->c, 0), 4096));
	EXPECT_EQ(2, number_of(cluster_mem(&self->c, 0)));
}

/* Three events, and a buffer whose second page does not exist: the first event is read. */
TEST_F(read, an_event_that_can_only_be_written_in_part_stays)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	char buffer[3 * EVENT];
	int i;

	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, munmap(map + page, page));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, generate(&self->c, i));
	ASSERT_EQ(EVENT, read(self->fd, map + page - EVENT - 50, 3 * EVENT));
	EXPECT_EQ(0, number_of(map + page - EVENT - 50));
	ASSERT_EQ(2 * EVENT, read(self->fd, buffer, sizeof(buffer)));
	EXPECT_EQ(1, number_of(buffer));
	EXPECT_EQ(2, number_of(buffer + EVENT));
	munmap(map, page);
}

/* A task that reads until it is told to end */
struct reader {
	int fd;		/* where it reads */
	atomic_int tid;	/* its task id, 0 until it runs */
	size_t size;	/* bytes of its buffer */
	int ret;	/* what read() has returned */
	int error;	/* errno of that */
	pthread_t thread;
};

static void *reader_main(void *arg)
{
	struct reader *r = arg;
	char buffer[2 * EVENT];

	atomic_store(&r->tid, get_tid());
	r->ret = read(r->fd, buffer, r->size);
	r->error = r->ret < 0 ? errno : 0;
	return NULL;
}

TEST_F(read, without_an_event_ends_as_the_descriptor_asks)
{
	struct reader r = { .fd = self->fd, .size = 2 * EVENT };

	ASSERT_EQ(0, pthread_create(&r.thread, NULL, reader_main, &r));
	if (!variant->flags) {
		ASSERT_TRUE(wait_until_thread_blocked(&r.tid, SYS_read));
		pthread_kill(r.thread, SIGUSR1);
	}
	pthread_join(r.thread, NULL);
	EXPECT_EQ(-1, r.ret);
	EXPECT_EQ(variant->flags ? EAGAIN : EINTR, r.error);
}

TEST_F(read, a_short_buffer_takes_no_event)
{
	char buffer[2 * EVENT];
	int i;

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, generate(&self->c, i));
	EXPECT_EQ(POLLIN, poll_events(self->fd));
	EXPECT_EQ(0, read(self->fd, buffer, SHORT));
	EXPECT_EQ(0, read(self->fd, buffer, EVENT - 1));
	for (i = 0; i < 2; i++) {
		memset(buffer, 0x5a, sizeof(buffer));
		ASSERT_EQ(EVENT, read(self->fd, buffer, 2 * EVENT - 1));
		EXPECT_EQ(i, number_of(buffer));
		EXPECT_EQ(0x5a, buffer[EVENT]);
	}
}

/* Readers that cannot take the event wake each other, so that none sleeps while there is one. */
TEST_F(read, an_event_wakes_all_readers_with_short_buffers)
{
	struct reader readers[4];
	char buffer[EVENT];
	int i, round, rounds = variant->flags ? 1 : repeat(50);

	for (round = 0; round < rounds; round++) {
		if (variant->flags)
			ASSERT_EQ(0, generate(&self->c, round));
		for (i = 0; i < ITEMS(readers); i++) {
			readers[i] = (struct reader){ .fd = self->fd, .size = 1 + i, .ret = -1 };
			ASSERT_EQ(0, pthread_create(&readers[i].thread, NULL, reader_main,
						    &readers[i]));
		}
		for (i = 0; i < ITEMS(readers) && !variant->flags; i++)
			ASSERT_TRUE(wait_until_thread_blocked(&readers[i].tid, SYS_read));
		if (!variant->flags)
			ASSERT_EQ(0, generate(&self->c, round));
		for (i = 0; i < ITEMS(readers); i++) {
			pthread_join(readers[i].thread, NULL);
			EXPECT_EQ(0, readers[i].ret);
		}
		ASSERT_EQ(EVENT, read(self->fd, buffer, sizeof(buffer)));
		EXPECT_EQ(round, number_of(buffer));
		EXPECT_EQ(0, poll_events(self->fd));
	}
}

TEST_HARNESS_MAIN
