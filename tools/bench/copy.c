// SPDX-License-Identifier: MIT
/*
 * Times of bulk copies, and of memcpy() of the same pieces: jobs with large pieces, and an EXEC
 * with a stream of small pieces.
 *
 * With --icount, "rep movsb" counts as one instruction for each byte, and a loop of wide moves as
 * far fewer. The ratio therefore also depends on which of the two libc and the kernel use.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "rows.h"

#define CTAS	16
#define JOB	(CTAS * SLOTS)	/* pieces of a job; no two of them share a place in a window */
#define SMALL	1024		/* bytes of each piece of the stream */

/* A client with a cluster of its own, whose windows together hold the pieces of one job. */
struct copier {
	struct vsm_device *device;
	struct vsm_cluster *cluster;
	struct vsm_buffer *buffer;
	unsigned int phases;	/* number of completed phases of each mbarrier COPIED */
	long shmem;		/* KiB of shared memory in the system before */
};

static struct copier copier;

/* KiB of shared memory in the system, which contains all windows and buffers. */
static long shmem_kib(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128];
	long kib = -1;

	while (file && kib < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "Shmem: %ld", &kib);
	if (kib < 0)
		die("/proc/meminfo", errno);
	fclose(file);
	return kib;
}

static void open_copier(struct copier *c)
{
	struct vsm_cluster_config config = {
		.ctas = CTAS,
		.threads = 1,
		.smem_bytes = MBAR(SINGLES),
		.layout = VSM_LAYOUT_SM_90,
	};
	unsigned int cta;
	int ret;

	c->shmem = shmem_kib();
	ret = vsm_device_open(NULL, &c->device);
	if (!ret)
		ret = vsm_cluster_create(c->device, &config, &c->cluster);
	if (!ret)
		ret = vsm_buffer_create(c->device, (uint64_t)PIECES * PIECE, &c->buffer);
	for (cta = 0; cta < CTAS && !ret; cta++) {
		struct vsm_thread thread = vsm_thread_at(c->cluster, cta, 0);

		memset(vsm_cluster_window(c->cluster, cta), 0, config.smem_bytes);
		ret = vsm_execute(&thread,
				  vsm_prep_mbarrier_init(vsm_shared_addr(cta, MBAR(COPIED)), 1, 0),
				  NULL);
		if (!ret)
			ret = vsm_execute(&thread, vsm_prep_fence_mbarrier_init(), NULL);
	}
	if (ret)
		die("a client of its own", -ret);
	memset(vsm_buffer_map(c->buffer), 0x5a, (size_t)PIECES * PIECE);
}

static void close_copier(struct copier *c)
{
	vsm_buffer_destroy(c->buffer);
	vsm_cluster_destroy(c->cluster);
	vsm_device_close(c->device);
	/*
	 * The kernel frees the buffer in the background, which the next row must not measure. The
	 * kernel's count of shared memory may be off by some pages of each processor.
	 */
	while (shmem_kib() > c->shmem + 1024)
		usleep(1000);
}

static void submit(struct copier *c, struct drm_vsm_insn *insns, unsigned int count)
{
	struct drm_vsm_submit args = {
		.cluster = vsm_cluster_handle(c->cluster),
		.insns = (uintptr_t)insns,
		.stride = sizeof(*insns),
		.count = count,
	};

	if (ioctl(vsm_device_fd(c->device), DRM_IOCTL_VSM_SUBMIT, &args))
		die("SUBMIT", errno);
}

static void copy_job(struct copier *c, unsigned int first, bool last)
{
	struct drm_vsm_insn insns[JOB + 2 * CTAS];
	unsigned int i, n = 0;

	for (i = 0; i < JOB; i++) {
		unsigned int cta = i / SLOTS, slot = i % SLOTS;
		uint32_t mbar = vsm_shared_addr(cta, MBAR(COPIED));

		if (!slot)
			insns[n++] = vsm_prep_mbarrier_expect_tx(mbar, SLOTS * PIECE, 0);
		insns[n++] = vsm_prep_cp_async_bulk_g2s(vsm_shared_addr(cta, slot * PIECE),
							vsm_buffer_handle(c->buffer),
							(uint64_t)(first + i) * PIECE, PIECE, mbar);
		if (last && slot == SLOTS - 1)
			insns[n++] = vsm_prep_mbarrier_arrive(mbar, VSM_SINK);
	}
	submit(c, insns, n);
}

/* Waits until all copies are complete: each CTA has an mbarrier whose phase then completes. */
static void await_copies(struct copier *c)
{
	unsigned int cta;

	for (cta = 0; cta < CTAS; cta++) {
		struct vsm_thread thread = vsm_thread_at(c->cluster, cta, 0);
		int ret = vsm_await_parity(&thread, vsm_shared_addr(cta, MBAR(COPIED)),
					   c->phases & 1, 0, VSM_NEVER);
		if (ret)
			die("wait", -ret);
	}
	c->phases++;
}

static void do_copy(unsigned int n)
{
	unsigned int i;

	for (i = 0; i + JOB <= n; i += JOB)
		copy_job(&copier, i, i + 2 * JOB > n);
	await_copies(&copier);
}

static void do_memcpy(unsigned int n)
{
	const unsigned char *from = vsm_buffer_map(copier.buffer);
	unsigned int i;

	for (i = 0; i < n; i++) {
		unsigned char *to = vsm_cluster_window(copier.cluster, i % JOB / SLOTS);

		memcpy(to + i % SLOTS * PIECE, from + (size_t)i * PIECE, PIECE);
	}
}

static double with_copier(void (*body)(unsigned int n))
{
	double took;

	open_copier(&copier);
	took = measure(body, PIECES);
	close_copier(&copier);
	memset(&copier, 0, sizeof(copier));
	return took;
}

double copy_by_submit(void)
{
	return with_copier(do_copy);
}

double copy_by_memcpy(void)
{
	return with_copier(do_memcpy);
}

/* --- a stream of small copies ----------------------------------------------------- */

static unsigned int streamed;	/* number of completed phases of COPIED */

static void do_stream(unsigned int n)
{
	struct drm_vsm_insn insns[STREAM + 2];
	struct drm_vsm_exec args = exec_of(insns, STREAM + 2);
	unsigned int i;

	insns[0] = vsm_prep_mbarrier_arrive_expect_tx(MBAR(COPIED), STREAM * SMALL, VSM_SINK);
	for (i = 0; i < STREAM; i++)
		insns[1 + i] = vsm_prep_cp_async_bulk_g2s(i * SMALL, vsm_buffer_handle(buffer),
							  i * SMALL, SMALL, MBAR(COPIED));
	while (n--) {
		insns[STREAM + 1] = vsm_prep_mbarrier_try_wait_parity(MBAR(COPIED),
								      streamed++ & 1, 0);
		args.retired = 0;
		exec_until_true(&args, insns);
	}
}

static void do_memcpy_stream(unsigned int n)
{
	unsigned char *to = vsm_cluster_window(cluster, 0);
	const unsigned char *from = vsm_buffer_map(buffer);
	unsigned int i;

	while (n--)
		for (i = 0; i < STREAM; i++)
			memcpy(to + i * SMALL, from + i * SMALL, SMALL);
}

double copy_stream(void)
{
	return measure(do_stream, 100) / STREAM;
}

double memcpy_stream(void)
{
	return measure(do_memcpy_stream, 100) / STREAM;
}
