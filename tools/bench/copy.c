// SPDX-License-Identifier: MIT
/*
 * Bulk copies through jobs, in pieces, and memcpy() of the same pieces.
 *
 * Where instructions are counted, a rep movsb counts as many as it moves bytes and
 * a loop of wide moves counts few, so the ratio tells which of them libc and the
 * kernel chose as well. What a job adds to the moving is what a piece of 16 bytes
 * costs (--detail).
 */
#include <string.h>

#include "bench.h"

#define JOB	64		/* pieces a job */
#define EXPECT	16		/* pieces an expect_tx: the tx-count goes to 2^20 - 1 */

static unsigned int copied;	/* phases of the mbarrier COPIED that are complete */

static void copy_job(unsigned int first, uint32_t size, bool last)
{
	struct drm_vsm_insn insns[JOB + JOB / EXPECT + 1];
	struct drm_vsm_submit args = {
		.cluster = vsm_cluster_handle(cluster),
		.insns = (uintptr_t)insns,
		.stride = sizeof(*insns),
	};
	unsigned int i, n = 0;

	for (i = 0; i < JOB; i++) {
		if (i % EXPECT == 0)
			insns[n++] = vsm_insn_mbarrier_expect_tx(MBAR(COPIED), EXPECT * size, 0);
		insns[n++] = vsm_insn_cp_async_bulk_g2s(i % SLOTS * PIECE,
							vsm_buffer_handle(buffer),
							(uint64_t)(first + i) * PIECE, size,
							MBAR(COPIED));
	}
	if (last)
		insns[n++] = vsm_insn_mbarrier_arrive(MBAR(COPIED), VSM_SINK);
	args.count = n;
	call(DRM_IOCTL_VSM_SUBMIT, &args, "SUBMIT");
}

/* @n pieces; the phase of the one mbarrier completes when all have come. */
static void copy(unsigned int n, uint32_t size)
{
	struct drm_vsm_insn insn = vsm_insn_mbarrier_try_wait_parity(MBAR(COPIED), copied & 1, 0);
	struct drm_vsm_exec args = exec_of(&insn, 1);
	unsigned int i;

	for (i = 0; i + JOB <= n; i += JOB)
		copy_job(i, size, i + 2 * JOB > n);
	exec_until_true(&args, &insn);
	copied++;
}

static void do_copy(unsigned int n)
{
	copy(n, PIECE);
}

static void do_copy_little(unsigned int n)
{
	copy(n, 16);
}

static void do_memcpy(unsigned int n)
{
	unsigned char *to = vsm_cluster_window(cluster, 0);
	const unsigned char *from = vsm_buffer_map(buffer);
	unsigned int i;

	for (i = 0; i < n; i++)
		memcpy(to + i % SLOTS * PIECE, from + (size_t)i * PIECE, PIECE);
}

double copy_by_submit(void)
{
	return measure(do_copy, PIECES);
}

double copy_by_memcpy(void)
{
	return measure(do_memcpy, PIECES);
}

double copy_by_submit_little(void)
{
	return measure(do_copy_little, PIECES);
}
