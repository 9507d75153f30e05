/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client that uses everything at once: tasks that make calls of all kinds until the device is
 * gone.
 */
#ifndef VSM_TEST_LOAD_H
#define VSM_TEST_LOAD_H

#include "async.h"
#include "channel.h"

#define KINDS 7
#define WORKERS (2 * KINDS)

struct load;

/* A task of the client */
struct worker {
	struct load *load;	/* what all tasks use */
	uint64_t seed;		/* seed of its random numbers */
	int kind;		/* what it does */
	int file;		/* fence of the last job that it has submitted, or -1 */
	int error;		/* why it has ended */
	pthread_t thread;
};

/* The client */
struct load {
	struct cluster c;	/* cluster on which the tasks work */
	struct buffer b;	/* buffer for copies */
	int set;
	int dmabuf;		/* dma-buf of @b */
	int zero;		/* source of zeros */
	uint32_t in;		/* syncobj whose fence has signalled; all jobs wait for it */
	bool under_rules;	/* calls may fail in any way */
	atomic_int running;	/* number of tasks that have begun */
	struct worker workers[WORKERS];
};

/* Touches a page that may be refused: that is an error of read(), and no signal. */
static inline int touch(const struct load *l, void *page)
{
	return read(l->zero, page, 1) == 1 ? 0 : -errno;
}

static inline int work_once(struct worker *w)
{
	struct load *l = w->load;
	struct cluster *c = &l->c;
	uint32_t addr = AT(0, 0x200 + 8 * (w->kind / KINDS)), handle, buffer = l->b.handle;
	struct drm_vsm_wait wait = wait_parity(c, addr, 0, now_ns() + 1000000, 0);
	struct drm_vsm_insn stream[] = { i_arrive(addr), i_try_parity(addr, 0, 100000),
					 i_arrive(addr) };
	/* Most copies of different tasks use different addresses. */
	uint32_t to = 0x400 + random_next(&w->seed) % 128 * 16;
	struct drm_vsm_insn job[] = { i_s2g(0xc00, 1024, buffer, 0), i_sink(i_arrive(addr)),
				      i_expect_tx(addr, 16), i_g2s(to, addr, 16, buffer, 2048) };
	struct drm_vsm_insn async[] = { i_cp_async(to, 16, buffer, 1024), i_cp_arrive(addr),
					i_noinc(i_cp_arrive(addr)), i_commit(), i_wait_group(3),
					i_s2g(to ^ 16, 16, buffer, to) };
	struct cluster other;
	int ret;

	switch (w->kind % KINDS) {
	case 0:
		return exec_stream(c, 0, stream, 3, NULL);
	case 1:
		ret = job_start(c, 0, job, ITEMS(job), l->in);
		if (ret < 0)
			return ret;
		close(w->file);
		w->file = ret;
		return 0;
	case 2:
		return waitset_arm(c->fd, l->set, &wait, 1, NULL);
	case 3:
		ret = exec_stream(c, 0, async, ITEMS(async), NULL);
		return ret ? ret : cluster_hold(c, random_next(&w->seed) % 2);
	case 4:
		ret = exec_one(c, i_init(addr, 1));
		return ret == -EPROTO ? 0 : ret;
	case 5:
		return drmPrimeFDToHandle(c->fd, l->dmabuf, &handle) ? -errno : 0;
	default:
		ret = cluster_create(&other, c->fd, 0, 0);
		if (ret)
			return ret;
		ret = touch(l, other.map);
		return cluster_destroy(&other) ? : ret;
	}
}

static inline void *work(void *arg)
{
	struct worker *w = arg;

	atomic_fetch_add(&w->load->running, 1);
	/* A phase that no wait observes causes EPROTO. */
	do
		w->error = work_once(w);
	while (!w->error || w->error == -ENOSPC || w->error == -EPROTO ||
	       (w->load->under_rules && w->error != -ENODEV));
	return NULL;
}

/* Opens the device and makes what the tasks use. */
static inline int load_open(struct load *l)
{
	int i, ret = cluster_create(&l->c, vsm_open(), VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT);

	if (!ret)
		ret = buffer_create(&l->b, l->c.fd, 4096);
	for (i = 0; i < 2 && !ret; i++)
		ret = exec_one(&l->c, i_init(AT(0, 0x200 + 8 * i), 600000));
	if (ret)
		return ret;
	l->set = waitset_create(l->c.fd, 0);
	l->zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (drmPrimeHandleToFD(l->c.fd, l->b.handle, DRM_CLOEXEC | DRM_RDWR, &l->dmabuf) ||
	    drmSyncobjCreate(l->c.fd, DRM_SYNCOBJ_CREATE_SIGNALED, &l->in))
		return -errno;
	return l->set < 0 ? l->set : 0;
}

/* Starts the tasks, and waits until all of them have begun. */
static inline int load_start(struct load *l)
{
	int i, ret = 0;

	for (i = 0; i < WORKERS && !ret; i++) {
		l->workers[i] = (struct worker){ .load = l, .kind = i, .file = -1 };
		ret = pthread_create(&l->workers[i].thread, NULL, work, &l->workers[i]);
	}
	while (!ret && atomic_load(&l->running) < WORKERS)
		sched_yield();
	return ret;
}

static inline void load_close(struct load *l)
{
	munmap(l->b.map, l->b.size);
	munmap(l->c.map, l->c.size);
	close(l->dmabuf);
	close(l->zero);
	close(l->set);
	close(l->c.fd);
}

/*
 * Waits until all tasks have ended because the device is gone, and closes everything. Each of them
 * has got ENODEV, and the fence of every job has signalled.
 */
static inline void load_expect_enodev(struct __test_metadata *_metadata, struct load *l)
{
	int i;

	for (i = 0; i < WORKERS; i++) {
		struct worker *w = &l->workers[i];

		pthread_join(w->thread, NULL);
		EXPECT_EQ(-ENODEV, w->error) TH_LOG("task %d", i);
		if (w->file >= 0)
			EXPECT_NE(0, sync_file_status(w->file)) TH_LOG("task %d", i);
		close(w->file);
	}
	load_close(l);
}

#endif
