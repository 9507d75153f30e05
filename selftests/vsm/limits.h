/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers that count how much of a limited resource a client can still get. They take all of it and
 * give it back. If a failed call still counts against the limit, the number is too small.
 */
#ifndef VSM_TEST_LIMITS_H
#define VSM_TEST_LIMITS_H

#include "channel.h"
#include "model.h"

#define MAX_JOB 4096		/* instructions */
#define CLIENT_INSNS (1 << 18)	/* in flight */

static inline uint32_t clusters_left(int fd)
{
	struct drm_vsm_cluster_create args = { .ctas = 1, .threads = 1, .smem_bytes = 16 };
	uint32_t i, n = 0, handles[2048];

	while (n < ITEMS(handles) && !vsm_ioctl(fd, DRM_IOCTL_VSM_CLUSTER_CREATE, &args))
		handles[n++] = args.handle;
	for (i = 0; i < n; i++)
		gem_close(fd, handles[i]);
	return n;
}

/*
 * Returns how many jobs of @count instructions a client can still queue while no job completes. If
 * @count is 1, the limit of jobs applies; if it is MAX_JOB, the limit of instructions.
 */
static inline uint32_t jobs_left(const struct cluster *c, uint32_t buffer, uint32_t count)
{
	struct drm_vsm_insn *insns = calloc(count, sizeof(*insns));
	int channel = channel_create(c->fd, 0);
	uint32_t i, n = 0;

	for (i = 0; i < count; i++)
		insns[i] = i_s2g(AT(0, 0x100), 16, buffer, 0);
	if (!model_set(c->fd, "latency_ns", NEVER) && !model_set(c->fd, "job_timeout_ms", 0))
		while (!submit_on(c, channel, insns, count, NULL, 0))
			n++;
	channel_destroy(c->fd, channel);
	model_reset(c->fd);
	free(insns);
	return n;
}

#endif
