/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A call is repeated: first its first allocation fails, then its second, until no allocation fails.
 * Each time it must return a documented errno and leave nothing behind. Copies from and to user
 * space are made to fail in the same way. Needs a kernel with FAILSLAB and fail-nth.
 *
 * The module is loaded with two devices of LIMIT bytes, a whole number of pages. This lets
 * nothing_is_charged() detect a single byte that stays charged.
 */
#ifndef VSM_TEST_FAILNTH_H
#define VSM_TEST_FAILNTH_H

#include "async.h"
#include "channel.h"
#include "driver.h"

#define A AT(0, 0x40)
#define WAITS 68
#define FAULTS "/sys/kernel/debug/"
#define LIMIT (512ULL << 20)
#define PARAMS "devices=2 max_bytes=536870912"

/* State that the calls use */
struct world {
	struct cluster c;
	struct buffer b;
	int set;		/* a wait set */
	uint32_t out;		/* a syncobj */
	struct cluster other;	/* a cluster for a step */
	struct buffer fresh;	/* a buffer for a step */
	struct drm_vsm_wait waits[WAITS]; /* waits for a step */
	uint32_t armed;		/* number of @waits that are armed */
	uint32_t free;		/* the handle that a step will get */
	int made;		/* file descriptor or handle that a step has made */
	int foreign;		/* a dma-buf of another driver */
	struct drm_vsm_insn insn;	/* instruction for a step */
	struct drm_vsm_tensor_map map __attribute__((aligned(64))); /* tensor map of @fresh */
	uint32_t timeline;	/* a timeline syncobj */
	uint64_t point;		/* the last point that a job should signal */
	uint64_t signalled;	/* the last point that is known to be signalled */
	char path[64];		/* path of the device file */
	uint32_t events;	/* fault events that a step causes */
};

FIXTURE(failnth)
{
	struct world w;
	int nth;
};

static inline void fault_write(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		fprintf(stderr, "# %s: %s\n", file, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* Returns the bytes of the module's first device, or 0 if there is none. */
static inline uint64_t module_bytes(void)
{
	int fd = vsm_open();
	uint64_t bytes = fd < 0 ? 0 : vsm_info(fd).device_bytes;

	close(fd);
	return bytes;
}

FIXTURE_SETUP(failnth)
{
	int fd;

	self->nth = -1;
	if (access("/proc/self/fail-nth", W_OK))
		SKIP(return, "the kernel cannot make allocations fail");
	if (access(FAULTS "failslab/times", W_OK))
		SKIP(return, "the kernel has no FAILSLAB");
	if (!getenv("VSM_MODULE"))
		SKIP(return, "VSM_MODULE does not name the module to load again");
	if (module_bytes() != LIMIT)
		ASSERT_EQ(0, module_reload(PARAMS));
	self->nth = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->nth);
	/* GFP_KERNEL allocations fail, too, and no failure logs a stack trace. */
	fault_write(FAULTS "failslab/ignore-gfp-wait", "N");
	fault_write(FAULTS "failslab/verbose", "0");
	fault_write(FAULTS "fail_page_alloc/ignore-gfp-wait", "N");
	fault_write(FAULTS "fail_page_alloc/verbose", "0");
	fault_write(FAULTS "fail_page_alloc/min-order", "0");
	fault_write(FAULTS "fail_usercopy/verbose", "0");

	fd = vsm_open();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cluster_create(&self->w.c, fd, 0, 0));
	ASSERT_EQ(0, buffer_create(&self->w.b, fd, 4096));
	ASSERT_EQ(0, exec_one(&self->w.c, i_init(A, 0xfffff)));
	/* Lower the pending count: cp.async.mbarrier.arrive then has space to raise it. */
	ASSERT_EQ(0, exec_one(&self->w.c, i_arrive(A)));
	ASSERT_EQ(0, exec_one(&self->w.c, i_init(END, 1)));
	self->w.set = waitset_create(fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->w.set);
	self->w.out = syncobj_create(fd);
	ASSERT_NE(0, self->w.out);
}

FIXTURE_TEARDOWN(failnth)
{
	if (self->nth < 0)
		return;
	/* No failed call has left anything behind. */
	EXPECT_EQ(0, exec_one(&self->w.c, i_arrive(A)));
	close(self->w.set);
	EXPECT_EQ(0, exec_one(&self->w.c, i_inval(A)));
	munmap(self->w.b.map, self->w.b.size);
	EXPECT_EQ(0, cluster_destroy(&self->w.c));
	close(self->w.c.fd);
	close(self->nth);
	EXPECT_TRUE(nothing_is_charged(LIMIT));
}

/*
 * Loads the module without parameters for the programs that follow. Runs only in the first process,
 * because the processes of the tests end with _exit().
 */
static void __attribute__((destructor)) restore_module(void)
{
	if (module_bytes() == LIMIT && module_reload(""))
		fprintf(stderr, "# the module does not load again\n");
}

/* The kernel's shmem returns ENOSPC when it has no memory for an inode. */
static inline bool expected(int ret)
{
	return !ret || ret == -ENOMEM || ret == -EFAULT || ret == -ENOSPC;
}

/* Makes the nth allocation after this call fail. */
static inline int fail_begin(int file, int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", nth);

	return pwrite(file, text, n, 0) == n ? 0 : -errno;
}

/* Ends the injection. Returns whether an allocation has failed. */
static inline bool fail_end(int file)
{
	char text[16] = "";
	ssize_t n = pread(file, text, sizeof(text) - 1, 0);
	bool failed = n > 0 && !atoi(text);

	return pwrite(file, "0", 1, 0) == 1 && failed;
}

/* A call, its preparation and its check */
struct step {
	int (*before)(struct world *w);	/* prepares the call, or NULL */
	int (*call)(struct world *w);	/* makes the call and returns 0 or a negative errno */
	/* Checks and removes what the call has made, or NULL; returns 0 if all is well */
	int (*after)(struct world *w, int ret);
};

static inline void sweep(struct __test_metadata *_metadata, struct world *w, int nth,
			 struct step step)
{
	bool failed = true;
	int i, ret;

	for (i = 1; failed && i < 1000; i++) {
		w->made = -1;
		ASSERT_EQ(0, step.before ? step.before(w) : 0);
		ASSERT_EQ(0, fail_begin(nth, i));
		ret = step.call(w);
		failed = fail_end(nth);
		EXPECT_TRUE(expected(ret)) TH_LOG("failure %d: %d", i, ret);
		ASSERT_EQ(0, step.after ? step.after(w, ret) : 0) TH_LOG("failure %d: %d", i, ret);
	}
	/* All allocations have failed in turn, and the last call succeeded. */
	EXPECT_FALSE(failed);
	EXPECT_EQ(0, ret);
	TH_LOG("%d points of failure", i - 2);
}

#define SWEEP(...) sweep(_metadata, &self->w, self->nth, (struct step){ __VA_ARGS__ })

/*
 * After EFAULT the call has done its work if its argument could be read, but could not be written
 * back.
 */
static inline bool may_have_worked(int ret)
{
	return ret == -EFAULT;
}

/* The number of waits that WAITSET_ARM has armed: it writes the id of each. */
static inline uint32_t waits_with_id(const struct world *w)
{
	uint32_t n = 0;

	while (n < WAITS && w->waits[n].id)
		n++;
	return n;
}

static inline int close_made(struct world *w, int ret)
{
	return ret ? 0 : close(w->made);
}

static inline int close_handle(struct world *w, int ret)
{
	return ret ? 0 : gem_close(w->c.fd, w->made);
}

/*
 * After EFAULT the file may have a handle that the caller did not get: the lowest free one. Closes
 * it.
 */
static inline int close_unreturned_too(struct world *w, int ret)
{
	int close = gem_close(w->c.fd, ret ? w->free : w->made);

	return ret == -EFAULT || (ret && close == -EINVAL) ? 0 : close;
}

/* --- calls that several programs use ---------------------------------------------- */

/*
 * Resolves the link before allocations fail, because procfs returns ENOENT when it has no memory.
 */
static inline int prepare_path(struct world *w)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", w->c.fd);
	n = readlink(link, w->path, sizeof(w->path) - 1);
	w->path[n < 0 ? 0 : n] = '\0';
	return n < 0 ? -errno : 0;
}

static inline int call_open(struct world *w)
{
	w->made = open(w->path, O_RDWR | O_CLOEXEC);
	return w->made < 0 ? -errno : 0;
}

static inline int make_cluster(struct world *w)
{
	return cluster_create(&w->other, w->c.fd, 0, 0);
}

static inline int call_arm(struct world *w)
{
	int i;

	/* Clear the ids: waits_with_id() counts those that this call writes. */
	for (i = 0; i < WAITS; i++)
		w->waits[i].id = 0;
	return waitset_arm(w->c.fd, w->made, w->waits, WAITS, &w->armed);
}

#endif
