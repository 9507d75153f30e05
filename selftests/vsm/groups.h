/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for groups of cp.async and of bulk copies, and for threads that wait for them.
 */
#ifndef VSM_TEST_GROUPS_H
#define VSM_TEST_GROUPS_H

#include "async.h"
#include "driver.h"

#define DATA	0x400
#define PAGE	4096
#define OUT	4096	/* offset in the buffer where bulk copies write */

enum kind { CP_ASYNC, BULK, BULK_READ };

/* The kind of groups, and the memory that their copies use */
struct groups {
	struct cluster c;	/* cluster of four CTAs */
	struct buffer b;
	enum kind kind;		/* kind of the copies, and of the wait for their groups */
};

static inline unsigned char window_byte(uint32_t i)
{
	return i * 5 + (i >> 8) + 1;
}

static inline unsigned char buffer_byte(uint32_t i)
{
	return i * 7 + (i >> 8) + 1;
}

static inline int groups_init(struct groups *g, uint32_t layout, uint32_t policy)
{
	int i, rank, ret, fd = vsm_open();

	/* The previous test may have left the device unbound. */
	if (fd == -ENODEV && !device_bind())
		fd = vsm_open();
	ret = cluster_create(&g->c, fd, layout, policy);
	if (!ret)
		ret = buffer_create(&g->b, fd, 2 * PAGE);
	if (!ret)
		ret = exec_one(&g->c, i_init(END, 1));
	if (ret)
		return ret;
	for (i = 0; i < PAGE; i++)
		g->b.map[i] = buffer_byte(i);
	for (rank = 0; rank < 4; rank++)
		for (i = 0; i < 2048; i++)
			*(unsigned char *)cluster_mem(&g->c, AT(rank, DATA + i)) = window_byte(i);
	return 0;
}

static inline void groups_fini(struct groups *g)
{
	munmap(g->b.map, g->b.size);
	munmap(g->c.map, g->c.size);
	close(g->c.fd);
}

/* Makes copy @n of a CTA. No two copies of a CTA use the same bytes. */
static inline struct drm_vsm_insn copy_of(const struct groups *g, uint32_t cta, uint32_t n)
{
	if (g->kind == CP_ASYNC)
		return i_cp_async(AT(cta, DATA + 16 * n), 16, g->b.handle, 16 * n);
	return i_s2g(AT(cta, DATA + 16 * n), 16, g->b.handle, OUT + 16 * n);
}

static inline bool has_happened(const struct groups *g, uint32_t cta, uint32_t n)
{
	const unsigned char *to = g->kind == CP_ASYNC ? cluster_mem(&g->c, AT(cta, DATA + 16 * n))
						      : g->b.map + OUT + 16 * n;
	uint32_t i;

	for (i = 16 * n; i < 16 * n + 16; i++)
		if (*to++ != (g->kind == CP_ASYNC ? buffer_byte(i) : window_byte(i)))
			return false;
	return true;
}

static inline struct drm_vsm_insn commit_of(const struct groups *g)
{
	return g->kind == CP_ASYNC ? i_commit() : i_bulk_commit();
}

static inline struct drm_vsm_insn wait_of(const struct groups *g, uint32_t count)
{
	return g->kind == CP_ASYNC ? i_wait_group(count) :
	       g->kind == BULK ? i_bulk_wait(count) : i_bulk_wait_read(count);
}

/*
 * Executes a stream as the given thread. Returns 0 if the whole stream has retired and all results
 * are 0.
 */
static inline int exec_as(const struct cluster *c, uint32_t cta, uint32_t thread,
			  struct drm_vsm_insn *insns, uint32_t count)
{
	struct drm_vsm_exec args = exec_args(c, insns, count);
	uint32_t i;
	int ret;

	args.cta = cta;
	args.thread = thread;
	insn_poison(insns, count);
	ret = vsm_exec(c->fd, &args);
	for (i = 0; !ret && i < count; i++)
		if (insns[i].result || insns[i].fault || insns[i].info)
			ret = -EBADMSG;
	return !ret && args.retired != count ? -EBADMSG : ret;
}

static inline int exec_one_as(const struct cluster *c, uint32_t cta, uint32_t thread,
			      struct drm_vsm_insn insn)
{
	return exec_as(c, cta, thread, &insn, 1);
}

/* Issues @count groups of one copy each, beginning with copy @first. */
static inline int issue_groups(const struct groups *g, uint32_t cta, uint32_t thread,
			       uint32_t first, uint32_t count)
{
	int ret = 0;

	for (; !ret && count; count--, first++) {
		struct drm_vsm_insn insns[] = { copy_of(g, cta, first), commit_of(g) };

		ret = exec_as(&g->c, cta, thread, insns, 2);
	}
	return ret;
}

/*
 * A thread that waits for groups and then uses the bytes of a copy. If the copy were still in
 * flight, this use would be refused.
 */
struct waiter {
	struct drm_vsm_insn insns[2];	/* its stream */
	struct exec_thread t;		/* the task */
};

static inline int waiter_start(struct waiter *w, const struct groups *g, uint32_t cta,
			       uint32_t thread, struct drm_vsm_insn wait, uint32_t n)
{
	struct drm_vsm_exec args = exec_args(&g->c, w->insns, 2);

	w->insns[0] = wait;
	w->insns[1] = i_cp_async(AT(cta, DATA + 16 * n), 16, g->b.handle, 16 * n);
	args.cta = cta;
	args.thread = thread;
	return exec_thread_run(&w->t, &g->c, args);
}

/* Returns whether the thread is suspended and stays suspended. */
static inline bool waiter_suspended(struct waiter *w)
{
	int i;

	if (!exec_thread_suspended(&w->t))
		return false;
	for (i = 0; i < 20; i++)
		sched_yield();
	return !atomic_load(&w->t.done);
}

/* Joins the thread and returns the error of its stream, or 0. */
static inline int waiter_join(struct waiter *w)
{
	int ret = exec_thread_join(&w->t);

	return !ret && (w->t.args.retired != 2 || w->insns[0].result || w->insns[0].fault) ?
	       -EBADMSG : ret;
}

#endif
