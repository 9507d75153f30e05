// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client or the device ends at each stage of a job and of a thread's copies. Every fence signals,
 * no reference is left, and the device still works.
 */
#include "async.h"
#include "channel.h"
#include "driver.h"
#include "model.h"

#define B AT(0, 0x40)		/* counts the bytes of a copy */
#define FIRST AT(0, 0x48)	/* counts the bytes of a copy that completes earlier */
#define C AT(0, 0x50)		/* counts arrivals */
#define NOTHING AT(0, 0x80)	/* no object */
#define SMEM 0x20000
#define TARGET 0x1000		/* of loads, in the window */
#define SOURCE 0x10000		/* of stores */
#define SIZE 0xc000
#define STORED 0x10000		/* in the buffer */

/* How a stage ends. */
enum how {
	CLOSE,		/* the client unmaps and closes everything */
	KILL,		/* the client is killed */
	UNBIND,		/* the device is unbound */
	HANDLES,	/* the client unmaps its memory and closes its handles, but lives on */
	HOWS,
};

/**
 * struct scene - What parent and child share
 * @c: Cluster. The child has its own handle of it.
 * @b: Buffer. The child has its own handle of it.
 * @hold: Fence that the parent signals
 * @how: How the stage ends
 * @waiter: The child's suspended thread
 * @insns: The stream of @waiter
 * @told: Memory that both processes see. It has the child's descriptor of the job's sync_file and
 * the return value of the child's EXEC.
 */
struct scene {
	struct cluster c;
	struct buffer b;
	struct hold hold;
	enum how how;
	struct exec_thread waiter;
	struct drm_vsm_insn insns[4];
	struct {
		int file;
		atomic_int ret;
	} *told;
};

/*
 * Makes copies take so long that they are in flight when the stage ends. If the client stays, they
 * must complete soon.
 */
static int slow(const struct scene *s)
{
	bool soon = s->how == HANDLES;

	return model_set(s->c.fd, "latency_ns", soon ? 100000000 : NEVER);
}

/* Starts a job, and stores the descriptor of its fence for the parent. */
static int start(struct scene *s, uint32_t channel, struct drm_vsm_insn *insns, uint32_t count,
		 uint32_t in)
{
	s->told->file = job_start(&s->c, channel, insns, count, in);
	return s->told->file < 0 ? s->told->file : 0;
}

static uint32_t load(const struct scene *s, struct drm_vsm_insn *insns)
{
	insns[0] = i_expect_tx(B, SIZE);
	insns[1] = i_g2s(TARGET, B, SIZE, s->b.handle, 0);
	return 2;
}

static void await_tx(const struct cluster *c, uint32_t addr, int tx)
{
	while (vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word(c, addr)) != tx)
		sched_yield();
}

/* --- stages of a job ------------------------------------------------------ */

static int job_blocked(struct scene *s)
{
	load(s, s->insns);
	return start(s, 0, s->insns, 2, syncobj_import(s->c.fd, s->hold.file));
}

static int job_overtaken(struct scene *s)
{
	int channel = channel_create(s->c.fd, DRM_VSM_CHANNEL_OUT_OF_ORDER);
	struct drm_vsm_insn arrive = i_sink(i_arrive(C));
	int ret;

	load(s, s->insns);
	ret = start(s, channel, s->insns, 2, syncobj_import(s->c.fd, s->hold.file));
	if (ret)
		return ret;
	return job_end(job_start(&s->c, channel, &arrive, 1, 0)) == 1 ? 0 : -EBADMSG;
}

static int job_in_flight(struct scene *s)
{
	int ret = slow(s);

	load(s, s->insns);
	if (!ret)
		ret = start(s, channel_create(s->c.fd, 0), s->insns, 2, 0);
	if (!ret)
		await_tx(&s->c, B, SIZE);
	return ret;
}

static int job_queued_behind_one_in_flight(struct scene *s)
{
	struct drm_vsm_insn first[] = {
		i_expect_tx(FIRST, 16), i_g2s(0x400, FIRST, 16, s->b.handle, 0),
	};
	int ret = slow(s);

	if (!ret)
		ret = submit_on(&s->c, 0, first, 2, NULL, 0);
	load(s, s->insns);
	if (!ret)
		ret = start(s, 0, s->insns, 2, 0);
	if (!ret)
		await_tx(&s->c, FIRST, 16);
	return ret;
}

/* The first copy of the job is complete, but not the second one. */
static int job_half_done(struct scene *s)
{
	int64_t limit = now_ns() + AMPLE;
	int ret = model_set(s->c.fd, "bandwidth", s->how == HANDLES ? 400000 : 1600);

	s->insns[0] = i_g2s(0x400, FIRST, 16, s->b.handle, SIZE);
	load(s, s->insns + 1);
	if (!ret)
		ret = start(s, 0, s->insns, 3, 0);
	if (!ret)
		await_tx(&s->c, B, SIZE);
	while (!ret && !*(uint64_t *)cluster_mem(&s->c, 0x400))
		ret = now_ns() > limit ? -ETIME : 0;
	return ret;
}

/* The job has faulted while its copy is in flight. */
static int job_faulted(struct scene *s)
{
	struct drm_vsm_event_fault event;
	int ret = slow(s);

	load(s, s->insns);
	s->insns[2] = i_complete_tx(NOTHING, 16);
	if (!ret)
		ret = start(s, 0, s->insns, 3, 0);
	return ret || fault_read(s->c.fd, &event) == 1 ? ret : -EBADMSG;
}

/* --- stages of a thread's copies ------------------------------------------ */

static int batch_in_flight(struct scene *s)
{
	int ret = slow(s);

	load(s, s->insns);
	return ret ? ret : exec_stream(&s->c, 0, s->insns, 2, NULL);
}

static int batch_held(struct scene *s)
{
	int ret = cluster_hold(&s->c, DRM_VSM_HOLD);

	load(s, s->insns);
	return ret ? ret : exec_stream(&s->c, 0, s->insns, 2, NULL);
}

/*
 * A thread waits for its store, which is held until the handle is closed or the parent releases the
 * cluster. If the client is killed or the device is unbound, the store is not held but slow.
 */
static int suspended(struct scene *s)
{
	int ret = s->how == KILL || s->how == UNBIND ? slow(s)
						     : cluster_hold(&s->c, DRM_VSM_HOLD);

	s->insns[0] = i_s2g(SOURCE, SIZE, s->b.handle, STORED);
	s->insns[1] = i_bulk_commit();
	s->insns[2] = i_bulk_wait(0);
	if (!ret)
		ret = exec_thread_start(&s->waiter, &s->c, s->insns, 3);
	return ret || exec_thread_suspended(&s->waiter) ? ret : -ETIME;
}

/**
 * struct outcome - What happens at the end of a stage, for each way to end it
 * @ends: Status of the job's fence, 0 if there is none
 * @happens: Whether the copy happens
 */
static const struct outcome {
	int ends[HOWS];
	bool happens[HOWS];
} cancelled = {
	{ -ECANCELED, -ECANCELED, -ENODEV, 1 }, { false, false, false, true },
}, fails = {
	{ -EIO, -EIO, -EIO, -EIO }, { false, false, false, true },
}, still_happens = {
	{ 0 }, { true, true, false, true },
};

static const struct stage {
	const char *name;
	int (*start)(struct scene *s);
	const struct outcome *outcome;
	bool waits;		/* its job waits for the parent's fence */
	bool stores;		/* a thread is suspended until its store is complete */
} stages[] = {
	{ "a job blocked", job_blocked, &cancelled, true },
	{ "a job overtaken", job_overtaken, &cancelled, true },
	{ "a job in flight", job_in_flight, &cancelled },
	{ "a job queued", job_queued_behind_one_in_flight, &cancelled },
	{ "a job half done", job_half_done, &cancelled },
	{ "a job that has faulted", job_faulted, &fails },
	{ "a batch in flight", batch_in_flight, &still_happens },
	{ "a batch held", batch_held, &still_happens },
	{ "a thread suspended", suspended, &still_happens, false, true },
};

/* --- parent and child ----------------------------------------------------- */

FIXTURE(stages)
{
	long refs;
};

/* Returns the reference count of the module, or -1 if it cannot be read. */
static long module_refs(void)
{
	FILE *file = fopen("/sys/module/vsm/refcnt", "r");
	long refs = -1;

	if (!file || fscanf(file, "%ld", &refs) != 1)
		refs = -1;
	if (file)
		fclose(file);
	return refs;
}

FIXTURE_SETUP(stages)
{
	struct hold hold;
	int fd = vsm_open();

	/* The previous test may have left the device unbound. */
	if (fd == -ENODEV && !device_bind())
		fd = vsm_open();
	ASSERT_LE(0, fd);
	if (model_reset(fd))
		SKIP(return, "needs debugfs");
	close(fd);
	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	hold_release(&hold);
	self->refs = module_refs();
	ASSERT_LE(0, self->refs);
}

FIXTURE_TEARDOWN(stages)
{
	int fd = vsm_open();

	if (fd == -ENODEV && !device_bind())
		fd = vsm_open();
	model_reset(fd);
	close(fd);
}

static int make(struct scene *s)
{
	struct drm_vsm_cluster_create args = { .ctas = 1, .threads = 64, .smem_bytes = SMEM };
	int i, ret = cluster_create_args(&s->c, vsm_open(), &args);

	if (!ret)
		ret = buffer_create(&s->b, s->c.fd, STORED + SIZE);
	if (!ret)
		ret = exec_one(&s->c, i_init(B, 1));
	if (!ret)
		ret = exec_one(&s->c, i_init(FIRST, 1));
	if (!ret)
		ret = exec_one(&s->c, i_init(C, 100));
	for (i = 0; i < STORED && !ret; i++)
		s->b.map[i] = i * 11 + i / 256 + 1;
	if (!ret)
		memcpy(cluster_mem(&s->c, SOURCE), s->b.map, SIZE);
	s->told = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return ret ? ret : hold_init(&s->hold);
}

static void unmake(struct scene *s)
{
	munmap(s->told, 4096);
	munmap(s->b.map, s->b.size);
	munmap(s->c.map, s->c.size);
	close(s->c.fd);
}

/*
 * Runs in the child, which is another client with the same objects. It writes a byte when the stage
 * has begun.
 */
static void act(struct scene *s, const struct stage *stage, int ready)
{
	struct cluster theirs = s->c;
	int dmabuf, ret;

	ret = cluster_share(&s->c, vsm_open(), &theirs);
	if (!ret)
		ret = drmPrimeHandleToFD(theirs.fd, s->b.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf);
	if (!ret)
		ret = drmPrimeFDToHandle(s->c.fd, dmabuf, &s->b.handle);
	close(dmabuf);
	if (!ret)
		ret = stage->start(s);
	if (ret)
		_exit(1);
	if (s->how == CLOSE || s->how == HANDLES)
		munmap(s->c.map, s->c.size);
	if (s->how == HANDLES && (gem_close(s->c.fd, s->c.handle) ||
				  gem_close(s->c.fd, s->b.handle)))
		_exit(1);
	if (s->how == CLOSE)
		close(s->c.fd);
	if (write(ready, "", 1) != 1)
		_exit(1);
	if (stage->stores)
		atomic_store(&s->told->ret, exec_thread_join(&s->waiter));
	while (true)
		pause();
}

/* Duplicates a descriptor of another process into this one. */
static int fd_of(pid_t pid, int fd)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0);
	int ret = pidfd < 0 ? -1 : syscall(SYS_pidfd_getfd, pidfd, fd, 0);

	if (pidfd >= 0)
		close(pidfd);
	return ret;
}

static bool happened(const struct scene *s, const struct stage *stage)
{
	const void *to = stage->stores ? s->b.map + STORED : cluster_mem(&s->c, TARGET);

	return !memcmp(to, s->b.map, SIZE);
}

/*
 * Waits until the copy has happened. The bytes of a load may be compared only after the mbarrier
 * has counted them.
 */
static bool comes_to_happen(const struct scene *s, const struct stage *stage)
{
	int64_t limit = now_ns() + AMPLE;

	while (vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word(&s->c, B)) && now_ns() < limit)
		sched_yield();
	return happened(s, stage);
}

static void bring_about(struct __test_metadata *_metadata, struct scene *s,
			const struct stage *stage, pid_t pid)
{
	const int64_t limit = now_ns() + AMPLE;
	const bool happens = stage->outcome->happens[s->how];
	const int ends = stage->outcome->ends[s->how];
	int status, file = -1;

	if (ends) {
		file = fd_of(pid, s->told->file);
		ASSERT_LE(0, file);
	}
	if (s->how == KILL) {
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
	} else if (s->how == UNBIND) {
		ASSERT_EQ(0, device_unbind());
	} else if (s->how == CLOSE && stage->stores) {
		/*
		 * The suspended call keeps the file open. The store therefore still happens when it
		 * is released.
		 */
		EXPECT_FALSE(happened(s, stage));
		EXPECT_EQ(0, cluster_hold(&s->c, 0));
	} else if (s->how == HANDLES && stage->waits) {
		EXPECT_EQ(0, sync_file_status(file));
		EXPECT_EQ(0, hold_release(&s->hold));
	}
	if (file >= 0)
		EXPECT_EQ(ends, job_end(file)) TH_LOG("%s", stage->name);
	if (stage->stores && s->how != KILL) {
		while (atomic_load(&s->told->ret) > 0 && now_ns() < limit)
			sched_yield();
		EXPECT_EQ(s->how == UNBIND ? -ENODEV : 0, atomic_load(&s->told->ret));
	}
	EXPECT_EQ(happens, happens ? comes_to_happen(s, stage) : happened(s, stage))
		TH_LOG("%s", stage->name);
	if (s->how != HANDLES || !stage->waits)
		hold_release(&s->hold);
	if (s->how != KILL) {
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
	}
	/* The parent's fence has signalled in the meantime. This has changed nothing. */
	EXPECT_EQ(happens, happened(s, stage));
}

/* The driver puts references of files and fences a moment after they are closed. */
static bool is_unused(long refs)
{
	int64_t limit = now_ns() + AMPLE;

	while (module_refs() != refs && now_ns() < limit)
		sched_yield();
	return module_refs() == refs;
}

/* Returns whether a new client's job with a copy completes. */
static bool device_works(void)
{
	struct scene s = { .how = HANDLES };
	bool works;

	if (make(&s))
		return false;
	load(&s, s.insns);
	works = !model_reset(s.c.fd) && job_end(job_start(&s.c, 0, s.insns, 2, 0)) == 1 &&
		happened(&s, &stages[0]);
	memset(cluster_mem(&s.c, TARGET), 0, SIZE);
	works = works && !exec_stream(&s.c, 0, s.insns, 2, NULL) && comes_to_happen(&s, &stages[0]);
	hold_release(&s.hold);
	unmake(&s);
	return works;
}

static void play(struct __test_metadata *_metadata, enum how how, long refs)
{
	size_t i;

	for (i = 0; i < ITEMS(stages); i++) {
		struct scene s = { .how = how };
		int ready[2];
		char byte;
		pid_t pid;

		ASSERT_EQ(0, make(&s));
		atomic_store(&s.told->ret, 1);
		ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
		pid = fork_child();
		if (!pid)
			act(&s, &stages[i], ready[1]);
		close(ready[1]);
		ASSERT_EQ(1, read(ready[0], &byte, 1)) TH_LOG("%s", stages[i].name);
		close(ready[0]);
		bring_about(_metadata, &s, &stages[i], pid);
		unmake(&s);
		EXPECT_TRUE(is_unused(refs)) TH_LOG("%s", stages[i].name);
		if (how == UNBIND)
			ASSERT_EQ(0, device_bind());
		EXPECT_TRUE(device_works()) TH_LOG("%s", stages[i].name);
	}
}

TEST_F(stages, at_each_the_client_may_close)
{
	play(_metadata, CLOSE, self->refs);
}

TEST_F(stages, at_each_the_client_may_be_killed)
{
	play(_metadata, KILL, self->refs);
}

TEST_F(stages, at_each_the_device_may_go)
{
	play(_metadata, UNBIND, self->refs);
}

TEST_F(stages, at_each_memory_and_handles_may_go)
{
	play(_metadata, HANDLES, self->refs);
}

TEST_HARNESS_MAIN
