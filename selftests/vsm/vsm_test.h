/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all tests share: wrappers of the ABI, clusters and buffers, and tasks that execute streams.
 *
 * Calls return 0 or a negative errno, and are not repeated after a signal. Outputs are poisoned
 * before a call, because a missing output is then noticed.
 */
#ifndef VSM_TEST_H
#define VSM_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <drm/vsm_drm.h>
#include <xf86drm.h>

#include <kselftest_harness.h>

#include "../insn.h"
#include "../random.h"

/*
 * Seconds after which a test counts as hanging. This is far more than a test needs on an emulated,
 * busy machine. tools/test ends a program earlier, except in kernels with debugging checks.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 1800

#define SECOND		1000000000LL
#define AMPLE_MS	600000		/* time limit for events that must happen */
#define AMPLE		(AMPLE_MS * 1000000LL)
#define LONG_HINT	4000000000U	/* 4 s; a hint is at most 4.29 s */
#define ITEMS(array)	(sizeof(array) / sizeof((array)[0]))

static inline int vsm_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

static inline int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

/*
 * Returns how often a test repeats its work: @count times on a stock kernel, a twentieth of that on
 * a kernel with lockdep. If VSM_TEST_SHARE is n, it is one nth.
 */
static inline int repeat(int count)
{
	const char *text = getenv("VSM_TEST_SHARE");
	int share = text ? atoi(text) : 0;

	if (share < 1)
		share = access("/proc/lockdep", F_OK) ? 1 : 20;
	return (count + share - 1) / share;
}

/* Writes a text into a file. A regular file has no other content afterwards. */
static inline int write_file(const char *path, const char *text)
{
	int ret, fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

/* --- device and objects --------------------------------------------------- */

static inline bool vsm_is_ours(int fd)
{
	char name[8] = "";
	struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };

	return !vsm_ioctl(fd, DRM_IOCTL_VERSION, &version) && !strcmp(name, "vsm");
}

/* Opens a render node of the device with this index. Returns -ENODEV if there is none. */
static inline int vsm_open_index(unsigned int index)
{
	int minor;

	for (minor = 128; minor < 192; minor++) {
		struct drm_vsm_device_info info;
		char path[32];
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", minor);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (vsm_is_ours(fd) && !vsm_ioctl(fd, DRM_IOCTL_VSM_DEVICE_INFO, &info) &&
		    info.index == index)
			return fd;
		close(fd);
	}
	return -ENODEV;
}

static inline int vsm_open(void)
{
	return vsm_open_index(0);
}

/* Like vsm_open(), as another user with a share of his own. The caller must be root. */
static inline int vsm_open_as(unsigned int uid)
{
	int fd;

	/* Only the real user id of this task changes. The task keeps its capabilities. */
	if (syscall(SYS_setresuid, uid, -1, -1))
		return -errno;
	fd = vsm_open();
	return syscall(SYS_setresuid, 0, -1, -1) ? -EBADMSG : fd;
}

static inline struct drm_vsm_device_info vsm_info(int fd)
{
	struct drm_vsm_device_info info;

	memset(&info, 0xa5, sizeof(info));
	if (vsm_ioctl(fd, DRM_IOCTL_VSM_DEVICE_INFO, &info))
		memset(&info, 0, sizeof(info));
	return info;
}

static inline int gem_close(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return vsm_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

/* A cluster and its mapping */
struct cluster {
	int fd;			/* DRM file descriptor that the handle belongs to */
	uint32_t handle;
	uint32_t stride;	/* bytes from one window to the next */
	uint64_t size;		/* bytes of the mapping */
	unsigned char *map;	/* the mapping */
};

/* Handles signals that must only interrupt a call. */
static inline void nothing(int signum)
{
}

static inline int catch_signal(int signum, void (*handler)(int signum), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	return sigaction(signum, &action, NULL);
}

#define RULE(name) DRM_VSM_RULE(DRM_VSM_FAULT_##name)

/* Rules of rendezvous that clusters enforce only on request. */
#define ON_REQUEST (RULE(SHFL_SOURCE) | RULE(BARRIER_OVERFLOW))

/* Rules that a cluster may report instead of enforcing them. */
#define REPORTABLE \
	(RULE(INIT_OVER_LIVE) | RULE(BAD_COUNT) | RULE(INVAL_IN_USE) | RULE(ARRIVAL_OVERFLOW) | \
	 RULE(NOCOMPLETE_COMPLETES) | RULE(DROP_TO_ZERO) | RULE(TX_RANGE) | \
	 RULE(TX_OVERDELIVERY) | RULE(PHASE_UNOBSERVED) | RULE(STALE_TOKEN) | \
	 RULE(NOT_A_PENDING_TOKEN) | RULE(INIT_NOT_FENCED) | RULE(WRITE_OVER_LIVE) | \
	 RULE(LATE_COMPLETION) | RULE(PENDING_RANGE) | RULE(BAD_PARITY) | RULE(READ_OVER_LIVE) | \
	 RULE(COPY_OVERLAP) | RULE(COPY_INCOMPLETE) | RULE(CLUSTER_ARRIVED) | \
	 RULE(CLUSTER_NOT_ARRIVED) | ON_REQUEST)

static inline int cluster_create_args(struct cluster *c, int fd,
				      struct drm_vsm_cluster_create *args)
{
	int ret;

	args->handle = POISON32;
	args->window_stride = POISON32;
	args->size = POISON;
	args->mmap_offset = POISON;
	ret = vsm_ioctl(fd, DRM_IOCTL_VSM_CLUSTER_CREATE, args);
	if (ret)
		return ret;
	c->fd = fd;
	c->handle = args->handle;
	c->stride = args->window_stride;
	c->size = args->size;
	c->map = mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, args->mmap_offset);
	if (c->map == MAP_FAILED) {
		ret = -errno;
		gem_close(fd, c->handle);
		return ret;
	}
	return 0;
}

/* Creates a cluster with the given members of struct drm_vsm_cluster_create. */
#define cluster_make(c, fd, ...) \
	cluster_create_args(c, fd, &(struct drm_vsm_cluster_create){ __VA_ARGS__ })

/* Creates a cluster of four CTAs of 64 threads, with a window of 4 KiB each. */
static inline int cluster_create(struct cluster *c, int fd, uint32_t layout, uint32_t policy)
{
	struct drm_vsm_cluster_create args = {
		.ctas = 4, .threads = 64, .smem_bytes = 4096, .layout = layout, .policy = policy,
	};

	return cluster_create_args(c, fd, &args);
}

static inline int cluster_destroy(struct cluster *c)
{
	munmap(c->map, c->size);
	return gem_close(c->fd, c->handle);
}

/* Creates a cluster on a new DRM file descriptor, which cluster_close() closes. */
static inline int cluster_open(struct cluster *c, struct drm_vsm_cluster_create *args)
{
	int ret, fd = vsm_open();

	if (fd < 0)
		return fd;
	ret = cluster_create_args(c, fd, args);
	if (ret)
		close(fd);
	return ret;
}

/* Like cluster_make(), but on a new DRM file descriptor. */
#define cluster_make_open(c, ...) \
	cluster_open(c, &(struct drm_vsm_cluster_create){ __VA_ARGS__ })

static inline int cluster_close(struct cluster *c)
{
	int ret = cluster_destroy(c);

	close(c->fd);
	return ret;
}

/* Like cluster_create(), but on a new DRM file descriptor, which cluster_close() closes. */
static inline int cluster_open_plain(struct cluster *c, uint32_t layout, uint32_t policy)
{
	int ret, fd = vsm_open();

	if (fd < 0)
		return fd;
	ret = cluster_create(c, fd, layout, policy);
	if (ret)
		close(fd);
	return ret;
}

/*
 * Imports a cluster into another DRM file and maps it through that file. A mapping through the
 * first file would keep the first file open.
 */
static inline int cluster_share(struct cluster *to, int fd, const struct cluster *from)
{
	struct drm_vsm_object_info info = { .mmap_offset = POISON };
	int dmabuf, ret;

	*to = *from;
	to->fd = fd;
	if (drmPrimeHandleToFD(from->fd, from->handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf))
		return -errno;
	ret = drmPrimeFDToHandle(fd, dmabuf, &to->handle) ? -errno : 0;
	close(dmabuf);
	info.handle = to->handle;
	if (!ret)
		ret = vsm_ioctl(fd, DRM_IOCTL_VSM_OBJECT_INFO, &info);
	if (ret)
		return ret;
	to->map = mmap(NULL, to->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, info.mmap_offset);
	return to->map == MAP_FAILED ? -errno : 0;
}

/* Returns the number of a cluster on its device. */
static inline uint32_t cluster_number(const struct cluster *c)
{
	struct drm_vsm_object_info info = { .handle = c->handle };

	return vsm_ioctl(c->fd, DRM_IOCTL_VSM_OBJECT_INFO, &info) ? 0 : info.number;
}

/* Returns a pointer to the memory at a shared::cluster address. */
static inline void *cluster_mem(const struct cluster *c, uint32_t addr)
{
	return c->map + (addr >> 24) * c->stride + (addr & 0xffffff);
}

static inline _Atomic uint64_t *word_at(const struct cluster *c, uint32_t addr)
{
	return cluster_mem(c, addr);
}

static inline uint64_t word(const struct cluster *c, uint32_t addr)
{
	return atomic_load(word_at(c, addr));
}

struct buffer {
	int fd;
	uint32_t handle;
	uint64_t size;
	unsigned char *map;
};

static inline int buffer_create(struct buffer *b, int fd, uint64_t size)
{
	struct drm_vsm_buffer_create args = {
		.size = size, .handle = POISON32, .mmap_offset = POISON,
	};
	int ret = vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args);

	if (ret)
		return ret;
	b->fd = fd;
	b->handle = args.handle;
	b->size = args.size;
	b->map = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, args.mmap_offset);
	return b->map == MAP_FAILED ? -errno : 0;
}

/* --- EXEC ----------------------------------------------------------------- */

static inline struct drm_vsm_exec exec_args(const struct cluster *c, struct drm_vsm_insn *insns,
					    uint32_t count)
{
	return (struct drm_vsm_exec){
		.cluster = c->handle,
		.insns = (uintptr_t)insns,
		.stride = sizeof(struct drm_vsm_insn),
		.count = count,
	};
}

/*
 * Makes the arguments of EXEC for a stream of a thread, or of its warp if @flags has
 * DRM_VSM_EXEC_WARP.
 */
static inline struct drm_vsm_exec play_args(const struct cluster *c, uint32_t cta, uint32_t thread,
					    uint32_t flags, struct drm_vsm_insn *insns,
					    uint32_t count)
{
	struct drm_vsm_exec args = exec_args(c, insns, count);

	args.cta = cta;
	args.thread = thread;
	args.flags = flags;
	return args;
}

static inline int vsm_exec(int fd, struct drm_vsm_exec *args)
{
	return vsm_ioctl(fd, DRM_IOCTL_VSM_EXEC, args);
}

/*
 * Executes a stream as thread 0 of a CTA. Stores the number of retired instructions in @retired,
 * unless that is NULL.
 */
static inline int exec_stream(const struct cluster *c, uint32_t cta, struct drm_vsm_insn *insns,
			      uint32_t count, uint32_t *retired)
{
	struct drm_vsm_exec args = exec_args(c, insns, count);
	int ret;

	args.cta = cta;
	insn_poison(insns, count);
	ret = vsm_exec(c->fd, &args);
	if (retired)
		*retired = args.retired;
	return ret;
}

/* Executes one instruction as thread 0 of a CTA. Sets @result if it returns 0. */
static inline int exec_at(const struct cluster *c, uint32_t cta, struct drm_vsm_insn insn,
			  uint64_t *result)
{
	uint32_t retired;
	int ret = exec_stream(c, cta, &insn, 1, &retired);

	if (!ret && (retired != 1 || insn.fault || insn.info))
		return -EBADMSG;
	if (ret && retired)
		return -EBADMSG;
	if (result)
		*result = insn.result;
	return ret;
}

static inline int exec_one(const struct cluster *c, struct drm_vsm_insn insn)
{
	return exec_at(c, 0, insn, NULL);
}

/* Executes an instruction that must succeed. Returns its result, or POISON if it fails. */
static inline uint64_t exec_result(const struct cluster *c, struct drm_vsm_insn insn)
{
	uint64_t result = POISON;

	return exec_at(c, 0, insn, &result) ? POISON : result;
}

/*
 * Executes an instruction that must be refused, change nothing and return the word as it was.
 * Returns its fault, or a negative errno. Stores the info of the fault in @info; if that is NULL,
 * the info must be 0.
 */
static inline int exec_fault(const struct cluster *c, uint32_t cta, struct drm_vsm_insn insn,
			     uint32_t *info)
{
	uint64_t before = word(c, insn.u.mbarrier.addr);
	uint32_t retired;
	int ret = exec_stream(c, cta, &insn, 1, &retired);

	if (info)
		*info = insn.info;
	if (ret != -EPROTO)
		return ret ? ret : -EISCONN;
	if (retired || !insn.fault || (!info && insn.info) || insn.result != before ||
	    word(c, insn.u.mbarrier.addr) != before)
		return -EBADMSG;
	return insn.fault;
}

/* Expects a refusal for this rule from exec_fault() and its like. */
#define EXPECT_FAULT(rule, ...) EXPECT_EQ(DRM_VSM_FAULT_##rule, __VA_ARGS__)

/* Observes the previous phase if it is complete: the next arrive is then legal. */
static inline int exec_look(const struct cluster *c, uint32_t addr)
{
	struct drm_vsm_insn look[] = { i_test_parity(addr, 0), i_test_parity(addr, 1) };

	return exec_stream(c, addr >> 24, look, 2, NULL);
}

static inline int cluster_hold(const struct cluster *c, uint32_t flags)
{
	struct drm_vsm_cluster_hold args = { .cluster = c->handle, .flags = flags };

	return vsm_ioctl(c->fd, DRM_IOCTL_VSM_CLUSTER_HOLD, &args);
}

/* --- fault events ---------------------------------------------------------- */

static inline short poll_events(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? -1 : p.revents;
}

/* Length of a fault event without flags. */
#define FAULT_EVENT offsetof(struct drm_vsm_event_fault, flags)

/* Waits for the next fault event of a DRM file and reads it. Returns 1 or a negative errno. */
static inline int fault_read(int fd, struct drm_vsm_event_fault *event)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t size;

	memset(event, 0xa5, sizeof(*event));
	if (poll(&p, 1, AMPLE_MS) != 1)
		return -ETIME;
	size = read(fd, event, sizeof(*event));
	if (size < 0)
		return -errno;
	if (size == FAULT_EVENT)
		event->flags = 0;
	else if (size != sizeof(*event) || !event->flags || event->pad)
		return -EBADMSG;
	return event->base.type == DRM_VSM_EVENT_FAULT && event->base.length == size ? 1
										     : -EBADMSG;
}

/* Discards all events that have not been read. */
static inline void fault_drain(int fd)
{
	char events[4096];

	while (poll_events(fd) == POLLIN && read(fd, events, sizeof(events)) > 0)
		;
}

/* --- SUBMIT --------------------------------------------------------------- */

static inline struct drm_vsm_submit submit_args(const struct cluster *c, struct drm_vsm_insn *insns,
						uint32_t count)
{
	return (struct drm_vsm_submit){
		.cluster = c->handle,
		.insns = (uintptr_t)insns,
		.stride = sizeof(struct drm_vsm_insn),
		.count = count,
		.refused = POISON32,
	};
}

static inline int vsm_submit(int fd, struct drm_vsm_submit *args)
{
	return vsm_ioctl(fd, DRM_IOCTL_VSM_SUBMIT, args);
}

/* Submits a job that waits for the syncobj @in and signals the syncobj @out. 0 stands for none. */
static inline int submit_sync(const struct cluster *c, struct drm_vsm_insn *insns, uint32_t count,
			      uint32_t in, uint32_t out)
{
	struct drm_vsm_submit args = submit_args(c, insns, count);
	struct drm_vsm_sync syncs[2];
	uint32_t n = 0;

	if (in)
		syncs[n++] = (struct drm_vsm_sync){ .handle = in, .flags = DRM_VSM_SYNC_WAIT };
	if (out)
		syncs[n++] = (struct drm_vsm_sync){ .handle = out, .flags = DRM_VSM_SYNC_SIGNAL };
	args.syncs = (uintptr_t)syncs;
	args.sync_stride = sizeof(syncs[0]);
	args.sync_count = n;
	return vsm_submit(c->fd, &args);
}

/* Waits until a syncobj's fence has signalled, with or without an error. */
static inline int syncobj_wait(int fd, uint32_t handle)
{
	return drmSyncobjWait(fd, &handle, 1, now_ns() + AMPLE,
			      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, NULL);
}

/* --- wait sets ------------------------------------------------------------ */

static inline int waitset_create(int fd, uint32_t flags)
{
	struct drm_vsm_waitset_create args = {
		.flags = flags, .record_stride = sizeof(struct drm_vsm_wait_record), .fd = -1,
	};
	int ret = vsm_ioctl(fd, DRM_IOCTL_VSM_WAITSET_CREATE, &args);

	return ret ? ret : args.fd;
}

static inline struct drm_vsm_wait wait_parity(const struct cluster *c, uint32_t addr,
					      uint32_t parity, int64_t deadline, uint64_t data)
{
	return (struct drm_vsm_wait){
		.cluster = c->handle, .addr = addr, .state = parity, .deadline = deadline,
		.user_data = data, .flags = DRM_VSM_WAIT_PARITY, .id = POISON, .fault = POISON32,
	};
}

/* Makes a wait for an instruction of a thread. The user_data of its record names the thread. */
static inline struct drm_vsm_wait wait_insn(const struct cluster *c, uint32_t cta, uint32_t thread,
					    uint32_t flags, const struct drm_vsm_insn *insn)
{
	return (struct drm_vsm_wait){
		.cluster = c->handle, .addr = DRM_VSM_WAIT_THREAD(cta, thread),
		.state = (uintptr_t)insn, .deadline = -1,
		.user_data = DRM_VSM_WAIT_THREAD(cta, thread),
		.flags = DRM_VSM_WAIT_INSN | flags, .id = POISON, .fault = POISON32,
	};
}

/* Arms waits. Stores the number of armed waits in @armed, unless that is NULL. */
static inline int waitset_arm(int fd, int set, struct drm_vsm_wait *waits, uint32_t count,
			      uint32_t *armed)
{
	struct drm_vsm_waitset_arm args = {
		.waits = (uintptr_t)waits, .stride = sizeof(*waits), .count = count, .fd = set,
	};
	int ret = vsm_ioctl(fd, DRM_IOCTL_VSM_WAITSET_ARM, &args);

	if (armed)
		*armed = args.armed;
	return ret;
}

static inline int waitset_cancel(int fd, int set, uint64_t id)
{
	struct drm_vsm_waitset_cancel args = { .id = id, .fd = set };

	return vsm_ioctl(fd, DRM_IOCTL_VSM_WAITSET_CANCEL, &args);
}

/* Reads one record. Returns 1 or a negative errno. */
static inline int waitset_read(int set, struct drm_vsm_wait_record *record)
{
	ssize_t size;

	memset(record, 0xa5, sizeof(*record));
	size = read(set, record, sizeof(*record));
	if (size < 0)
		return -errno;
	return size == sizeof(*record) ? 1 : -EBADMSG;
}

/*
 * Reads a record, which need not be there yet. Returns 1 if it has these user_data, status and
 * result, or a negative errno.
 */
static inline int record_is(int set, uint64_t data, uint32_t status, uint64_t result)
{
	struct pollfd p = { .fd = set, .events = POLLIN };
	struct drm_vsm_wait_record record;
	int ret;

	if (poll(&p, 1, AMPLE_MS) != 1)
		return -ETIME;
	ret = waitset_read(set, &record);
	if (ret != 1)
		return ret;
	return record.user_data == data && record.status == status && record.result == result &&
	       !record.pad ? 1 : -EBADMSG;
}

/* --- tasks and processes of a test ---------------------------------------- */

static inline pid_t get_tid(void)
{
	return syscall(SYS_gettid);
}

/*
 * Spins until a task of this process or of a child sleeps in that system call. The task may still
 * check its condition once more. Callers may therefore rely only on the fact that it has entered
 * the call.
 */
static inline bool wait_until_blocked(pid_t pid, pid_t tid, long nr)
{
	int64_t limit = now_ns() + AMPLE;

	while (now_ns() < limit) {
		char path[64], text[256];
		char *end;
		ssize_t size;
		int fd;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return false;
		size = read(fd, text, sizeof(text) - 1);
		close(fd);
		if (size > 0) {
			text[size] = 0;
			if (strtol(text, &end, 10) == nr && end != text)
				return true;
		}
		sched_yield();
	}
	return false;
}

static inline bool wait_until_thread_blocked(atomic_int *tid, long nr)
{
	while (!atomic_load(tid))
		sched_yield();
	return wait_until_blocked(getpid(), atomic_load(tid), nr);
}

/* A task that executes a stream */
struct exec_thread {
	const struct cluster *cluster;
	struct drm_vsm_exec args;	/* arguments of EXEC */
	atomic_int tid;			/* task id, 0 until the task runs */
	int ret;			/* return value of EXEC */
	atomic_bool done;		/* EXEC has returned */
	pthread_t thread;
};

static inline void *exec_thread_main(void *arg)
{
	struct exec_thread *t = arg;

	atomic_store(&t->tid, get_tid());
	t->ret = vsm_exec(t->cluster->fd, &t->args);
	atomic_store(&t->done, true);
	return NULL;
}

/* Starts a task that executes a stream with these arguments. */
static inline int exec_thread_run(struct exec_thread *t, const struct cluster *c,
				  struct drm_vsm_exec args)
{
	memset(t, 0, sizeof(*t));
	t->cluster = c;
	t->args = args;
	insn_poison((struct drm_vsm_insn *)(uintptr_t)args.insns, args.count);
	return pthread_create(&t->thread, NULL, exec_thread_main, t);
}

/* Starts a task that executes a stream as thread 0 of CTA 0. */
static inline int exec_thread_start(struct exec_thread *t, const struct cluster *c,
				    struct drm_vsm_insn *insns, uint32_t count)
{
	return exec_thread_run(t, c, exec_args(c, insns, count));
}

static inline bool exec_thread_suspended(struct exec_thread *t)
{
	return wait_until_thread_blocked(&t->tid, SYS_ioctl);
}

static inline int exec_thread_join(struct exec_thread *t)
{
	pthread_join(t->thread, NULL);
	return t->ret;
}

/* Starts a task that executes a stream as a thread, and waits until the task is suspended. */
static inline bool suspend_as(struct exec_thread *t, const struct cluster *c, uint32_t cta,
			      uint32_t thread, uint32_t flags, struct drm_vsm_insn *insns,
			      uint32_t count)
{
	return !exec_thread_run(t, c, play_args(c, cta, thread, flags, insns, count)) &&
	       exec_thread_suspended(t);
}

/* Pins the calling task to the processor @nth of those that it may use. */
static inline void pin(unsigned int nth)
{
	cpu_set_t all, one;
	int cpu, seen = 0;

	sched_getaffinity(0, sizeof(all), &all);
	nth %= CPU_COUNT(&all);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && (unsigned int)seen++ == nth)
			break;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* Like fork(), but the child is killed when its parent ends. */
static inline pid_t fork_child(void)
{
	pid_t pid = fork();

	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* Returns the status with which a child has ended. */
static inline int child_status(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
