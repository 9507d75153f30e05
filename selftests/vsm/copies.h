/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for copies that threads or jobs issue, and for the expected contents of memory.
 */
#ifndef VSM_TEST_COPIES_H
#define VSM_TEST_COPIES_H

#include "async.h"
#include "fence.h"

#define MBAR	0x80	/* offset of the mbarrier in each window; its count is 1 */
#define DATA	0x400
#define SMEM	4096
#define CTAS	4

/* Memory that copies use, and its expected contents */
struct copies {
	struct cluster c;	/* cluster of four CTAs */
	struct buffer b;	/* buffer of 16 KiB */
	bool job;		/* copies are issued by jobs, not by threads */
	unsigned char *windows;	/* expected contents of the windows; END is not compared */
	unsigned char *global;	/* expected contents of the buffer */
};

static inline void fill(void *to, size_t size, uint64_t seed)
{
	unsigned char *p = to;
	size_t i;

	for (i = 0; i < size; i++)
		p[i] = random_next(&seed);
}

static inline int copies_init(struct copies *s, bool job)
{
	int rank, ret, fd = vsm_open();

	s->job = job;
	ret = cluster_create(&s->c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT);
	if (!ret)
		ret = buffer_create(&s->b, fd, 0x4000);
	if (ret)
		return ret;
	fill(s->c.map, s->c.size, 1);
	fill(s->b.map, s->b.size, 2);
	for (rank = 0; !ret && rank < CTAS; rank++) {
		struct drm_vsm_insn insns[] = {
			i_init(AT(rank, MBAR), 1), i_init(AT(rank, MBAR + 8), 1), i_fence(),
		};

		ret = exec_stream(&s->c, rank, insns, 3, NULL);
	}
	s->windows = malloc(s->c.size);
	s->global = malloc(s->b.size);
	memcpy(s->windows, s->c.map, s->c.size);
	memcpy(s->global, s->b.map, s->b.size);
	return ret;
}

static inline int copies_fini(struct copies *s)
{
	int ret;

	free(s->windows);
	free(s->global);
	munmap(s->b.map, s->b.size);
	ret = cluster_destroy(&s->c);
	close(s->c.fd);
	return ret;
}

/* Returns a pointer to the expected contents of a shared::cluster address. */
static inline void *expected(const struct copies *s, uint32_t addr)
{
	return s->windows + (addr >> 24) * s->c.stride + (addr & 0xffffff);
}

/* Compares all memory with its expected contents. */
static inline bool as_expected(const struct copies *s)
{
	memcpy(expected(s, END), cluster_mem(&s->c, END), 8);
	return !memcmp(s->windows, s->c.map, s->c.size) &&
	       !memcmp(s->global, s->b.map, s->b.size);
}

/* Issues an instruction that has no result, and waits until it has completed. */
static inline int copy_run(const struct copies *s, uint32_t cta, struct drm_vsm_insn insn)
{
	uint64_t result;
	int ret;

	if (s->job) {
		ret = job_status(&s->c, cta, insn);
		return ret == 1 ? 0 : ret ? ret : -ETIME;
	}
	ret = exec_at(&s->c, cta, insn, &result);
	if (!ret && result)
		return -EBADMSG;
	return ret ? ret : async_finish(&s->c);
}

/*
 * Runs a copy with copy_run(), and checks that it completes exactly @bytes bytes, and no arrival,
 * in each window of @mask.
 */
static inline int copy_complete(const struct copies *s, uint32_t cta, struct drm_vsm_insn insn,
				uint32_t mask, uint32_t bytes)
{
	uint32_t rank;
	int ret = 0;

	for (rank = 0; !ret && rank < CTAS; rank++)
		if (mask >> rank & 1)
			ret = exec_at(&s->c, rank, i_arrive_expect_tx(AT(rank, MBAR), bytes + 1),
				      NULL);
	if (!ret)
		ret = copy_run(s, cta, insn);
	for (rank = 0; !ret && rank < CTAS; rank++) {
		uint64_t *word_after = expected(s, AT(rank, MBAR));
		uint64_t parity = *word_after >> 63;

		if (!(mask >> rank & 1))
			continue;
		if (word(&s->c, AT(rank, MBAR)) != word_of(VSM_LAYOUT_SM_90, 0, 1, 1, parity))
			return -EBADE;
		ret = exec_at(&s->c, rank, i_complete_tx(AT(rank, MBAR), 1), NULL);
		if (!ret)
			ret = exec_look(&s->c, AT(rank, MBAR));
		*word_after = word_of(VSM_LAYOUT_SM_90, 1, 0, 1, !parity);
	}
	return ret;
}

/*
 * Issues an instruction that must fault and change nothing. Returns its fault, and stores the
 * reported instruction in @reported. If it is in a job, either SUBMIT refuses it or the job ends
 * with the fault.
 */
static inline int copy_fault(const struct copies *s, uint32_t cta, struct drm_vsm_insn insn,
			     struct drm_vsm_insn *reported)
{
	struct drm_vsm_submit args = submit_args(&s->c, &insn, 1);
	struct drm_vsm_event_fault event;
	struct drm_vsm_sync sync = { .flags = DRM_VSM_SYNC_SIGNAL };
	uint32_t retired;
	int ret;

	insn_poison(&insn, 1);
	if (!s->job) {
		ret = exec_stream(&s->c, cta, &insn, 1, &retired);
		*reported = insn;
		if (ret != -EPROTO)
			return ret ? ret : -EISCONN;
		ret = fault_read(s->c.fd, &event);
		return ret != 1 || retired || event.source != DRM_VSM_SOURCE_EXEC ||
		       memcmp(&event.insn, reported, sizeof(*reported)) ? -EBADMSG
								    : (int)insn.fault;
	}

	sync.handle = syncobj_create(s->c.fd);
	args.cta = cta;
	args.syncs = (uintptr_t)&sync;
	args.sync_stride = sizeof(sync);
	args.sync_count = 1;
	ret = vsm_submit(s->c.fd, &args);
	if (!ret) {
		ret = syncobj_status(s->c.fd, sync.handle);
		if (ret == -EIO && !insn_untouched(&insn))
			ret = -EBADMSG;
	} else if (ret == -EPROTO && args.refused) {
		ret = -EBADMSG;
	}
	syncobj_destroy(s->c.fd, sync.handle);
	if (ret != -EPROTO && ret != -EIO)
		return ret == 1 ? -EISCONN : ret;
	if (fault_read(s->c.fd, &event) != 1 ||
	    event.source != (ret == -EIO ? DRM_VSM_SOURCE_JOB : DRM_VSM_SOURCE_SUBMIT))
		return -EBADMSG;
	*reported = event.insn;
	return event.insn.fault;
}

#endif
