/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stages of a job and of a thread's copies at which a client or the device ends. A child is the
 * client. Its parent has the same objects, and ends the child or the device.
 */
#ifndef VSM_TEST_STAGES_H
#define VSM_TEST_STAGES_H

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

/* What parent and child share */
struct scene {
	struct cluster c;		/* Cluster. The child has its own handle of it. */
	struct buffer b;		/* Buffer. The child has its own handle of it. */
	struct hold hold;		/* fence that the parent signals */
	enum how how;			/* how the stage ends */
	struct exec_thread waiter;	/* the child's suspended thread */
	struct drm_vsm_insn insns[4];	/* the stream of @waiter */
	/*
	 * Syncobj of the child for which its jobs wait, and whose fence has signalled; 0 for none.
	 */
	uint32_t in;
	/*
	 * Returns whether something keeps the child from coming further, which then need not reach
	 * the stage. It is NULL if nothing does that.
	 */
	bool (*is_stopped)(const struct scene *s);
	struct {
		atomic_int file;
		atomic_int ret;
	/*
	 * Memory that both processes see. It has the child's descriptor of the job's sync_file, or
	 * -1, and the return value of the child's EXEC.
	 */
	} *told;
};

static inline bool is_stopped(const struct scene *s)
{
	return s->is_stopped && s->is_stopped(s);
}

/*
 * Makes copies take so long that they are in flight when the stage ends. If the client stays, they
 * must complete soon.
 */
static inline int slow(const struct scene *s)
{
	bool soon = s->how == HANDLES;

	return model_set(s->c.fd, "latency_ns", soon ? 100000000 : NEVER);
}

/* Starts a job, and stores the descriptor of its fence for the parent. */
static inline int start(struct scene *s, uint32_t channel, struct drm_vsm_insn *insns,
			uint32_t count, uint32_t in)
{
	s->told->file = job_start(&s->c, channel, insns, count, in);
	return s->told->file < 0 ? s->told->file : 0;
}

static inline uint32_t load(const struct scene *s, struct drm_vsm_insn *insns)
{
	insns[0] = i_expect_tx(B, SIZE);
	insns[1] = i_g2s(TARGET, B, SIZE, s->b.handle, 0);
	return 2;
}

static inline void await_tx(const struct scene *s, uint32_t addr, int tx)
{
	while (vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word(&s->c, addr)) != tx && !is_stopped(s))
		sched_yield();
}

/* --- stages of a job ------------------------------------------------------ */

static inline int job_blocked(struct scene *s)
{
	load(s, s->insns);
	return start(s, 0, s->insns, 2, syncobj_import(s->c.fd, s->hold.file));
}

static inline int job_overtaken(struct scene *s)
{
	int channel = channel_create(s->c.fd, DRM_VSM_CHANNEL_OUT_OF_ORDER);
	struct drm_vsm_insn arrive = i_sink(i_arrive(C));
	int ret, file;

	load(s, s->insns);
	ret = start(s, channel, s->insns, 2, syncobj_import(s->c.fd, s->hold.file));
	if (ret)
		return ret;
	file = job_start(&s->c, channel, &arrive, 1, s->in);
	while (file >= 0 && !sync_file_status(file) && !is_stopped(s))
		sched_yield();
	ret = file < 0 ? file : sync_file_status(file);
	close(file);
	return ret == 1 ? 0 : -EBADMSG;
}

static inline int job_in_flight(struct scene *s)
{
	int ret = slow(s);

	load(s, s->insns);
	if (!ret)
		ret = start(s, channel_create(s->c.fd, 0), s->insns, 2, s->in);
	if (!ret)
		await_tx(s, B, SIZE);
	return ret;
}

static inline int job_queued_behind_one_in_flight(struct scene *s)
{
	struct drm_vsm_insn first[] = {
		i_expect_tx(FIRST, 16), i_g2s(0x400, FIRST, 16, s->b.handle, 0),
	};
	int ret = slow(s);

	if (!ret)
		ret = submit_on(&s->c, 0, first, 2, NULL, 0);
	load(s, s->insns);
	if (!ret)
		ret = start(s, 0, s->insns, 2, s->in);
	if (!ret)
		await_tx(s, FIRST, 16);
	return ret;
}

/* The first copy of the job is complete, but not the second one. */
static inline int job_half_done(struct scene *s)
{
	int64_t limit = now_ns() + AMPLE;
	int ret = model_set(s->c.fd, "bandwidth", s->how == HANDLES ? 400000 : 1600);

	s->insns[0] = i_g2s(0x400, FIRST, 16, s->b.handle, SIZE);
	load(s, s->insns + 1);
	if (!ret)
		ret = start(s, 0, s->insns, 3, s->in);
	if (!ret)
		await_tx(s, B, SIZE);
	while (!ret && !*(uint64_t *)cluster_mem(&s->c, 0x400) && !is_stopped(s))
		ret = now_ns() > limit ? -ETIME : 0;
	return ret;
}

/* The job has faulted while its copy is in flight. */
static inline int job_faulted(struct scene *s)
{
	struct drm_vsm_event_fault event;
	int ret = slow(s);

	load(s, s->insns);
	s->insns[2] = i_complete_tx(NOTHING, 16);
	if (!ret)
		ret = start(s, 0, s->insns, 3, s->in);
	while (!ret && !poll_events(s->c.fd)) {
		if (is_stopped(s))
			return -EBADMSG;
		sched_yield();
	}
	return ret || fault_read(s->c.fd, &event) == 1 ? ret : -EBADMSG;
}

/* --- stages of a thread's copies ------------------------------------------ */

static inline int batch_in_flight(struct scene *s)
{
	int ret = slow(s);

	load(s, s->insns);
	return ret ? ret : exec_stream(&s->c, 0, s->insns, 2, NULL);
}

static inline int batch_held(struct scene *s)
{
	int ret = cluster_hold(&s->c, DRM_VSM_HOLD);

	load(s, s->insns);
	return ret ? ret : exec_stream(&s->c, 0, s->insns, 2, NULL);
}

/*
 * A thread waits for its store, which is held until the handle is closed or the parent releases the
 * cluster. If the client is killed or the device is unbound, the store is not held but slow.
 */
static inline int suspended(struct scene *s)
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

/* What happens at the end of a stage, for each way to end it */
static const struct outcome {
	int ends[HOWS];		/* status of the job's fence, 0 if there is none */
	bool happens[HOWS];	/* whether the copy happens */
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

/* Returns the reference count of the module, or -1 if it cannot be read. */
static inline long module_refs(void)
{
	FILE *file = fopen("/sys/module/vsm/refcnt", "r");
	long refs = -1;

	if (!file || fscanf(file, "%ld", &refs) != 1)
		refs = -1;
	if (file)
		fclose(file);
	return refs;
}

static inline int make(struct scene *s)
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
	atomic_store(&s->told->file, -1);
	atomic_store(&s->told->ret, 1);
	return ret ? ret : hold_init(&s->hold);
}

static inline void unmake(struct scene *s)
{
	munmap(s->told, 4096);
	munmap(s->b.map, s->b.size);
	munmap(s->c.map, s->c.size);
	close(s->c.fd);
}

/*
 * Runs in the child, which becomes another client with the same objects. Stores a dma-buf of the
 * buffer in @dmabuf.
 */
static inline int become_client(struct scene *s, int *dmabuf)
{
	struct cluster theirs = s->c;
	int ret = cluster_share(&s->c, vsm_open(), &theirs);

	if (!ret)
		ret = drmPrimeHandleToFD(theirs.fd, s->b.handle, DRM_CLOEXEC | DRM_RDWR, dmabuf);
	if (!ret)
		ret = drmPrimeFDToHandle(s->c.fd, *dmabuf, &s->b.handle);
	return ret;
}

/* Ends what the child of this stage has, unless its parent does that. */
static inline int close_client(struct scene *s)
{
	int ret = 0;

	if (s->how == CLOSE || s->how == HANDLES)
		munmap(s->c.map, s->c.size);
	if (s->how == HANDLES)
		ret = gem_close(s->c.fd, s->c.handle) ? : gem_close(s->c.fd, s->b.handle);
	if (s->how == CLOSE)
		close(s->c.fd);
	return ret;
}

/* Duplicates a descriptor of another process into this one. */
static inline int fd_of(pid_t pid, int fd)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0);
	int ret = pidfd < 0 ? -1 : syscall(SYS_pidfd_getfd, pidfd, fd, 0);

	if (pidfd >= 0)
		close(pidfd);
	return ret;
}

static inline bool happened(const struct scene *s, const struct stage *stage)
{
	const void *to = stage->stores ? s->b.map + STORED : cluster_mem(&s->c, TARGET);

	return !memcmp(to, s->b.map, SIZE);
}

/*
 * Waits until the copy has happened. The bytes of a load may be compared only after the mbarrier
 * has counted them.
 */
static inline bool comes_to_happen(const struct scene *s, const struct stage *stage)
{
	int64_t limit = now_ns() + AMPLE;

	while (vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word(&s->c, B)) && now_ns() < limit)
		sched_yield();
	return happened(s, stage);
}

/* The driver puts references of files and fences a moment after they are closed. */
static inline bool is_unused(long refs)
{
	int64_t limit = now_ns() + AMPLE;

	while (module_refs() != refs && now_ns() < limit)
		sched_yield();
	return module_refs() == refs;
}

/* Returns whether a new client's job with a copy completes. */
static inline bool device_works(void)
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

/*
 * Binds the device if the previous test has left it unbound, and opens it. Stores the reference
 * count of the module in @refs. Returns what the kernel lacks, or NULL.
 */
static inline const char *stages_begin(long *refs)
{
	struct hold hold;
	int fd = vsm_open();
	int ret;

	if (fd == -ENODEV && !device_bind())
		fd = vsm_open();
	ret = model_reset(fd);
	close(fd);
	if (ret)
		return "debugfs";
	if (hold_init(&hold) == -ENODEV)
		return "vgem";
	hold_release(&hold);
	*refs = module_refs();
	return NULL;
}

static inline void stages_end(void)
{
	int fd = vsm_open();

	if (fd == -ENODEV && !device_bind())
		fd = vsm_open();
	model_reset(fd);
	close(fd);
}

#endif
