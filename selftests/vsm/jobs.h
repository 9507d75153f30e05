/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tests of jobs need: a client with a cluster, a buffer and a channel, one job that arrives on
 * an mbarrier, and one that copies bytes and completes on another.
 */
#ifndef VSM_TEST_JOBS_H
#define VSM_TEST_JOBS_H

#include "async.h"
#include "channel.h"
#include "model.h"

#define A AT(0, 0x40)		/* counts arrivals */
#define B AT(0, 0x48)		/* counts the bytes of copies */
#define DATA AT(0, 0x400)	/* where the copies write */
#define SIZE 256
#define ARRIVALS 1000000
#define TIMEOUT_MS 20
#define LAYOUT VSM_LAYOUT_SM_90

/* The client */
struct jobs {
	struct cluster c;
	struct buffer b;		/* buffer, with no two bytes alike in each 256 */
	int fd;
	int channel;			/* a channel besides the first one */
	struct drm_vsm_insn arrive;	/* job that arrives on A */
	/* Job that copies SIZE bytes from the buffer to DATA, and completes on B */
	struct drm_vsm_insn load[2];
};

static inline int jobs_open(struct jobs *j)
{
	int i, ret;

	j->fd = vsm_open();
	if (j->fd < 0)
		return j->fd;
	ret = cluster_create(&j->c, j->fd, LAYOUT, DRM_VSM_POLICY_STRICT);
	if (!ret)
		ret = buffer_create(&j->b, j->fd, 0x10000);
	for (i = 0; i < 0x1000 && !ret; i++)
		j->b.map[i] = i * 7 + 1;
	if (!ret)
		ret = exec_one(&j->c, i_init(A, ARRIVALS));
	if (!ret)
		ret = exec_one(&j->c, i_init(B, 1));
	if (!ret)
		ret = exec_one(&j->c, i_init(END, 1));
	if (ret)
		return ret;
	j->channel = channel_create(j->fd, 0);
	j->arrive = i_sink(i_arrive(A));
	j->load[0] = i_expect_tx(B, SIZE);
	j->load[1] = i_g2s(DATA, B, SIZE, j->b.handle, 0);
	return j->channel < 0 ? j->channel : 0;
}

static inline int jobs_close(struct jobs *j)
{
	int ret;

	munmap(j->b.map, j->b.size);
	ret = cluster_destroy(&j->c);
	close(j->fd);
	return ret;
}

/* Starts a job on the channel. Returns its fence as job_start() does. */
static inline int start_load(struct jobs *j)
{
	return job_start(&j->c, j->channel, j->load, 2, 0);
}

static inline int start_arrive(struct jobs *j)
{
	return job_start(&j->c, j->channel, &j->arrive, 1, 0);
}

static inline uint32_t arrived(const struct jobs *j)
{
	return ARRIVALS - vsm_mbarrier_pending(LAYOUT, word(&j->c, A));
}

/* The bytes that the mbarrier still waits for */
static inline int64_t missing(const struct jobs *j)
{
	return vsm_mbarrier_tx(LAYOUT, word(&j->c, B));
}

#endif
