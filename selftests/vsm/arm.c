// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of WAITSET_ARM: which arguments it refuses, how many waits a client may have, and which
 * files and processes may use a wait set. waitset.c tests how waits end.
 */
#include "vsm_test.h"

#define A AT(0, 0x40)
#define PAGE 4096

FIXTURE(arm)
{
	struct cluster c;
	int set;
};

FIXTURE_SETUP(arm)
{
	ASSERT_EQ(0, cluster_open_plain(&self->c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	self->set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->set);
}

FIXTURE_TEARDOWN(arm)
{
	close(self->set);
	EXPECT_EQ(0, cluster_close(&self->c));
}

static int read_all(int set, struct drm_vsm_wait_record *records, int max)
{
	ssize_t size = read(set, records, max * sizeof(struct drm_vsm_wait_record));

	return size < 0 ? -errno : (int)(size / sizeof(struct drm_vsm_wait_record));
}

#define EXPECT_REFUSED(error, ...) \
	do { \
		struct drm_vsm_wait refused_wait = wait_parity(&self->c, A, 1, -1, 0); \
		struct drm_vsm_waitset_arm refused = { \
			.waits = (uintptr_t)&refused_wait, \
			.stride = sizeof(struct drm_vsm_wait), \
			.count = 1, \
			.fd = self->set, \
		}; \
		__VA_ARGS__; \
		EXPECT_EQ(error, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_ARM, &refused)); \
		EXPECT_EQ(0, poll_events(self->set)); \
	} while (0)

TEST_F(arm, malformed_arguments_are_refused)
{
	struct drm_vsm_device_info info = vsm_info(self->c.fd);
	struct buffer b;

	ASSERT_EQ(0, buffer_create(&b, self->c.fd, PAGE));
	EXPECT_REFUSED(-EINVAL, refused.flags = 1);
	EXPECT_REFUSED(-EINVAL, refused.pad = 1);
	EXPECT_REFUSED(-EINVAL, refused.stride = 0);
	EXPECT_REFUSED(-EINVAL, refused.stride = 40);
	EXPECT_REFUSED(-EINVAL, refused.stride = 52);
	EXPECT_REFUSED(-EINVAL, refused.armed = 2);
	EXPECT_REFUSED(-E2BIG, refused.count = info.max_exec + 1);
	EXPECT_REFUSED(-E2BIG, refused.count = 0xffffffff);
	EXPECT_REFUSED(-EBADF, refused.fd = -1);
	EXPECT_REFUSED(-EBADF, refused.fd = 0x7fffffff);
	EXPECT_REFUSED(-EBADF, refused.fd = self->c.fd);
	EXPECT_REFUSED(-EINVAL, refused.waits += 4);
	EXPECT_REFUSED(-EFAULT, refused.waits = 0);
	EXPECT_REFUSED(-EFAULT, refused.waits = 0xffff888000000000);
	EXPECT_REFUSED(-EINVAL, refused_wait.flags = 2);
	EXPECT_REFUSED(-EINVAL, refused_wait.flags = 1U << 31);
	EXPECT_REFUSED(-ENOENT, refused_wait.cluster = 0);
	EXPECT_REFUSED(-ENOENT, refused_wait.cluster = b.handle);
	EXPECT_REFUSED(-EPROTO, refused_wait.addr = A + 8);
	EXPECT_REFUSED(0, refused.count = 0);
}

TEST_F(arm, misuse_is_named)
{
	static const struct {
		uint32_t addr, fault;
		uint64_t parity;
	} bad[] = {
		{ A + 4, DRM_VSM_FAULT_MISALIGNED },
		{ A + 1, DRM_VSM_FAULT_MISALIGNED },
		{ AT(4, 0), DRM_VSM_FAULT_OUT_OF_WINDOW },
		{ AT(0, 4096), DRM_VSM_FAULT_OUT_OF_WINDOW },
		{ AT(0, 0xfffff8), DRM_VSM_FAULT_OUT_OF_WINDOW },
		{ A + 8, DRM_VSM_FAULT_NOT_AN_MBARRIER },
		{ A, DRM_VSM_FAULT_BAD_PARITY, 2 },
		{ A, DRM_VSM_FAULT_BAD_PARITY, 1ULL << 32 },
	};
	uint32_t armed;
	size_t i;

	for (i = 0; i < ITEMS(bad); i++) {
		struct drm_vsm_wait waits[] = {
			wait_parity(&self->c, A, 1, -1, i),
			wait_parity(&self->c, bad[i].addr, 0, -1, 0),
			wait_parity(&self->c, A, 1, -1, 100),
		};
		struct drm_vsm_wait_record records[4];

		waits[1].state = bad[i].parity;
		EXPECT_EQ(-EPROTO, waitset_arm(self->c.fd, self->set, waits, 3, &armed));
		EXPECT_EQ(1, armed);
		EXPECT_EQ(0, waits[0].fault);
		EXPECT_EQ(bad[i].fault, waits[1].fault);
		/* The driver does not look at the waits after the faulty one. */
		EXPECT_EQ(POISON32, waits[2].fault);
		EXPECT_EQ(POISON, waits[2].id);
		ASSERT_EQ(1, read_all(self->set, records, 4));
		EXPECT_EQ(i, records[0].user_data);
	}
}

TEST_F(arm, a_scribbled_word_is_noticed)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 0);

	atomic_fetch_or(word_at(&self->c, A), 1);
	EXPECT_EQ(-EPROTO, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	EXPECT_EQ(DRM_VSM_FAULT_NOT_AN_MBARRIER, wait.fault);
}

TEST_F(arm, goes_on_where_it_stopped)
{
	unsigned char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	enum { STRIDE = 64, PER_PAGE = PAGE / STRIDE };
	struct drm_vsm_waitset_arm args = {
		.waits = (uintptr_t)pages, .stride = STRIDE, .count = 2 * PER_PAGE, .fd = self->set,
	};
	struct drm_vsm_wait_record records[2 * PER_PAGE + 1];
	int i;

	memset(pages, 0x5a, 2 * PAGE);
	for (i = 0; i < 2 * PER_PAGE; i++)
		*(struct drm_vsm_wait *)(pages + i * STRIDE) = wait_parity(&self->c, A, 1, -1, i);
	ASSERT_EQ(0, mprotect(pages + PAGE, PAGE, PROT_NONE));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(-EFAULT, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_ARM, &args));
		EXPECT_EQ(PER_PAGE, args.armed);
	}
	/* The driver arms no wait whose id it cannot write back. */
	ASSERT_EQ(0, mprotect(pages + PAGE, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_ARM, &args));
	EXPECT_EQ(PER_PAGE, args.armed);
	ASSERT_EQ(0, mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_ARM, &args));
	EXPECT_EQ(2 * PER_PAGE, args.armed);

	EXPECT_EQ(2 * PER_PAGE, read_all(self->set, records, ITEMS(records)));
	for (i = 0; i < 2 * PER_PAGE; i++) {
		struct drm_vsm_wait *wait = (struct drm_vsm_wait *)(pages + i * STRIDE);
		int j;

		EXPECT_EQ(i, records[i].user_data);
		EXPECT_EQ(wait->id, records[i].id);
		EXPECT_EQ(0, wait->fault);
		for (j = sizeof(struct drm_vsm_wait); j < STRIDE; j++)
			EXPECT_EQ(0x5a, pages[i * STRIDE + j]);
	}
}

TEST_F(arm, both_layouts_and_all_windows_can_be_waited_on)
{
	uint32_t layout, rank;

	for (layout = VSM_LAYOUT_SM_90; layout <= VSM_LAYOUT_SM_80; layout++) {
		struct cluster c;
		struct drm_vsm_wait_record record;

		ASSERT_EQ(0, cluster_create(&c, self->c.fd, layout, DRM_VSM_POLICY_STRICT));
		for (rank = 0; rank < 4; rank++) {
			struct drm_vsm_wait wait = wait_parity(&c, AT(rank, 4088), 0, -1, rank);

			ASSERT_EQ(0, exec_at(&c, rank, i_init(AT(rank, 4088), 1), NULL));
			ASSERT_EQ(0, waitset_arm(c.fd, self->set, &wait, 1, NULL));
			EXPECT_EQ(0, poll_events(self->set));
			ASSERT_EQ(0, exec_at(&c, rank, i_arrive(AT(rank, 4088)), NULL));
			ASSERT_EQ(1, waitset_read(self->set, &record));
			EXPECT_EQ(rank, record.user_data);
		}
		EXPECT_EQ(0, cluster_destroy(&c));
	}
}

TEST_F(arm, every_set_and_every_wait_on_a_word_gets_its_record)
{
	int sets[3], i, j;

	for (i = 0; i < 3; i++) {
		struct drm_vsm_wait waits[4];

		sets[i] = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
		for (j = 0; j < 4; j++)
			waits[j] = wait_parity(&self->c, A, 0, -1, 10 * i + j);
		ASSERT_EQ(0, waitset_arm(self->c.fd, sets[i], waits, 4, NULL));
		for (j = 0; j < 4; j++) {
			int k;

			for (k = 0; k < j; k++)
				EXPECT_NE(waits[k].id, waits[j].id);
		}
	}
	close(sets[1]);		/* the waits of this set are still armed */
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	for (i = 0; i < 3; i += 2) {
		struct drm_vsm_wait_record records[5];
		unsigned int seen = 0;

		/* The four waits ended at the same time. Their records may come in any order. */
		ASSERT_EQ(4, read_all(sets[i], records, 5));
		for (j = 0; j < 4; j++)
			seen |= 1 << (records[j].user_data - 10 * i);
		EXPECT_EQ(0xf, seen);
	}
	close(sets[0]);
	close(sets[2]);
}

TEST_F(arm, a_set_is_inherited)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 5);
	struct drm_vsm_wait_record record;
	int status;
	pid_t pid;

	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	pid = fork_child();
	if (!pid) {
		struct pollfd p = { .fd = self->set, .events = POLLIN };

		_exit(poll(&p, 1, -1) != 1 || waitset_read(self->set, &record) != 1 ||
		      record.user_data != 5);
	}
	ASSERT_TRUE(wait_until_blocked(pid, pid, SYS_poll));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
	EXPECT_EQ(-EAGAIN, waitset_read(self->set, &record));
}

TEST_F(arm, a_set_outlives_the_file_that_made_it)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 5);
	struct cluster other;
	struct drm_vsm_wait_record record;

	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	ASSERT_EQ(0, cluster_share(&other, vsm_open(), &self->c));
	ASSERT_EQ(0, cluster_destroy(&self->c));
	ASSERT_EQ(0, close(self->c.fd));
	self->c = other;

	EXPECT_EQ(0, poll_events(self->set));
	ASSERT_EQ(0, exec_one(&other, i_arrive(A)));
	ASSERT_EQ(1, waitset_read(self->set, &record));
	EXPECT_EQ(5, record.user_data);

	/* Another open file of the device may arm waits in this set. */
	wait = wait_parity(&other, A, 1, -1, 6);
	ASSERT_EQ(0, waitset_arm(other.fd, self->set, &wait, 1, NULL));
	EXPECT_EQ(0, waitset_cancel(other.fd, self->set, wait.id));
}

/* An armed wait keeps its cluster alive. */
TEST_F(arm, a_wait_outlives_its_cluster_s_handle)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, now_ns() + 50000000, 5);
	struct pollfd p = { .fd = self->set, .events = POLLIN };
	struct cluster c;
	struct drm_vsm_wait_record record;

	ASSERT_EQ(0, cluster_create(&c, self->c.fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	wait.cluster = c.handle;
	ASSERT_EQ(0, waitset_arm(c.fd, self->set, &wait, 1, NULL));
	ASSERT_EQ(0, cluster_destroy(&c));
	ASSERT_EQ(1, poll(&p, 1, -1));
	ASSERT_EQ(1, waitset_read(self->set, &record));
	EXPECT_EQ(DRM_VSM_WAIT_EXPIRED, record.status);
}

/* --- many waits ----------------------------------------------------------- */

/* Creates a cluster of 16 CTAs and initialises at least @count of its words as mbarriers. */
static int many_words(struct cluster *c, int fd, uint32_t count)
{
	struct drm_vsm_insn *insns = calloc(8192, sizeof(struct drm_vsm_insn));
	uint32_t rank, i;
	int ret = cluster_make(c, fd, .ctas = 16, .threads = 32, .smem_bytes = 65536);

	for (rank = 0; !ret && 8192 * rank < count; rank++) {
		for (i = 0; i < 8192; i++)
			insns[i] = i_init(AT(rank, 8 * i), 1);
		ret = exec_stream(c, rank, insns, 8192, NULL);
	}
	free(insns);
	return ret;
}

static uint32_t many_addr(uint32_t n)
{
	return AT(n / 8192, 8 * (n % 8192));
}

/*
 * Arms @count waits for @words words in as few calls as possible. Returns how many waits were
 * armed.
 */
static uint32_t arm_many(const struct cluster *c, int set, uint32_t count, uint32_t words, int *ret)
{
	uint32_t i, part, done = 0, most = vsm_info(c->fd).max_exec;
	struct drm_vsm_wait *waits = calloc(most, sizeof(struct drm_vsm_wait));

	*ret = 0;
	while (done < count && !*ret) {
		part = count - done < most ? count - done : most;
		for (i = 0; i < part; i++)
			waits[i] = wait_parity(c, many_addr((done + i) % words), 0, -1, done + i);
		*ret = waitset_arm(c->fd, set, waits, part, &part);
		done += part;
	}
	free(waits);
	return done;
}

TEST_F(arm, a_hundred_thousand_waits_end_one_by_one)
{
	enum { COUNT = 100000 };
	struct cluster c;
	uint64_t seed = 5;
	struct drm_vsm_wait_record record;
	int i, ret;

	ASSERT_EQ(0, many_words(&c, self->c.fd, COUNT));
	ASSERT_EQ(COUNT, arm_many(&c, self->set, COUNT, COUNT, &ret));
	EXPECT_EQ(0, poll_events(self->set));
	for (i = 0; i < 1000; i++) {
		uint32_t n = random_next(&seed) % COUNT;
		bool again = word(&c, many_addr(n)) >> 63;

		ASSERT_EQ(0, exec_at(&c, n / 8192, i_arrive(many_addr(n)), NULL));
		if (again) {
			/* The only wait on this word ended when phase 0 completed. */
			EXPECT_EQ(-EAGAIN, waitset_read(self->set, &record));
			ASSERT_EQ(0, exec_look(&c, many_addr(n)));
			ASSERT_EQ(0, exec_at(&c, n / 8192, i_arrive(many_addr(n)), NULL));
			ASSERT_EQ(0, exec_look(&c, many_addr(n)));
			continue;
		}
		ASSERT_EQ(1, waitset_read(self->set, &record));
		ASSERT_EQ(n, record.user_data);
		ASSERT_EQ(-EAGAIN, waitset_read(self->set, &record));
	}
	/* Closing the set ends its other waits. No waiter is left, so inval succeeds. */
	close(self->set);
	for (i = 0; i < COUNT; i += 97)
		ASSERT_EQ(0, exec_at(&c, i / 8192, i_inval(many_addr(i)), NULL));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(arm, waits_are_limited_and_free_again_once_read_or_gone)
{
	uint32_t limit = vsm_info(self->c.fd).client_waits;
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 0);
	struct cluster c;
	struct drm_vsm_wait_record *records = calloc(limit, sizeof(struct drm_vsm_wait_record));
	int ret, spare = waitset_create(self->c.fd, 0);

	ASSERT_EQ(0, many_words(&c, self->c.fd, 131072));
	ASSERT_EQ(limit, arm_many(&c, self->set, limit + 1, 131072, &ret));
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_EQ(-ENOSPC, waitset_arm(self->c.fd, spare, &wait, 1, NULL));

	/* A wait that has ended counts against the limit until its record is read. */
	ASSERT_EQ(0, exec_one(&c, i_arrive(many_addr(0))));
	EXPECT_EQ(-ENOSPC, waitset_arm(self->c.fd, spare, &wait, 1, NULL));
	ASSERT_LE(1, read_all(self->set, records, limit));
	EXPECT_EQ(0, waitset_arm(self->c.fd, spare, &wait, 1, NULL));
	EXPECT_EQ(0, waitset_cancel(self->c.fd, spare, wait.id));
	EXPECT_EQ(0, waitset_arm(self->c.fd, spare, &wait, 1, NULL));

	/* Closing the sets frees all their waits. */
	close(self->set);
	close(spare);
	self->set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_EQ(limit, arm_many(&c, self->set, limit, 131072, &ret));
	EXPECT_EQ(0, ret);
	EXPECT_EQ(0, cluster_destroy(&c));
	free(records);
}

TEST_HARNESS_MAIN
