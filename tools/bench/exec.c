// SPDX-License-Identifier: MIT
/*
 * Measures one EXEC of one instruction, and each instruction of a longer EXEC.
 */
#include <fcntl.h>
#include <sys/syscall.h>

#include "device.h"
#include "exec.h"
#include "report.h"

#define LANES 32	/* threads of a warp */

static void do_getppid(unsigned int n)
{
	while (n--)
		syscall(SYS_getppid);
}

static void do_clock(unsigned int n)
{
	while (n--)
		now();
}

static void do_enotty(unsigned int n)
{
	int file = open("/dev/null", O_RDWR | O_CLOEXEC);

	while (n--)
		ioctl(file, DRM_IOCTL_VERSION, NULL);
	close(file);
}

static void do_einval(unsigned int n)
{
	while (n--)
		ioctl(fd, DRM_IOCTL_VSM_EXEC + (0x20 << _IOC_NRSHIFT), NULL);
}

static void do_version(unsigned int n)
{
	struct drm_version version = {};

	while (n--)
		call(DRM_IOCTL_VERSION, &version, "VERSION");
}

static void do_arrives(unsigned int n, unsigned int count)
{
	struct drm_vsm_insn insns[STREAM];
	struct drm_vsm_exec args = exec_of(insns, count);
	unsigned int i;

	for (i = 0; i < count; i++)
		insns[i] = vsm_prep_mbarrier_arrive(MBAR(STILL), 0);
	while (n--)
		exec(&args);
}

static void do_exec0(unsigned int n)
{
	do_arrives(n, 0);
}

static void do_exec1(unsigned int n)
{
	do_arrives(n, 1);
}

static void do_exec2(unsigned int n)
{
	do_arrives(n, 2);
}

static void do_exec64(unsigned int n)
{
	do_arrives(n, STREAM);
}

/* Executes @insn in all lanes of a warp, in one call. */
static void do_lanes(unsigned int n, struct drm_vsm_insn insn)
{
	struct drm_vsm_insn insns[LANES];
	struct drm_vsm_exec args = exec_of(insns, LANES);
	unsigned int i;

	for (i = 0; i < LANES; i++)
		insns[i] = insn;
	args.flags = DRM_VSM_EXEC_LANES;
	args.lanes = ~0U;
	while (n--)
		exec(&args);
}

static void do_warp_arrives(unsigned int n)
{
	do_lanes(n, vsm_prep_mbarrier_arrive(MBAR(STILL), 0));
}

static void do_warp_expects(unsigned int n)
{
	do_lanes(n, vsm_prep_mbarrier_expect_tx(MBAR(STILL), 0, 0));
}

static void do_warp_try_waits(unsigned int n)
{
	do_lanes(n, vsm_prep_mbarrier_try_wait_parity(MBAR(STILL), 0, 0));
}

static void do_warp_shfls(unsigned int n)
{
	do_lanes(n, vsm_prep_shfl_sync(DRM_VSM_MODE_IDX, 7, 3, 31, ~0U));
}

static void do_warp_votes(unsigned int n)
{
	do_lanes(n, vsm_prep_vote_sync_ballot(true, ~0U));
}

static void do_test_wait(unsigned int n)
{
	struct drm_vsm_insn insn = vsm_prep_mbarrier_test_wait_parity(MBAR(STILL), 0, 0);
	struct drm_vsm_exec args = exec_of(&insn, 1);

	while (n--)
		exec(&args);
}

static void do_library(unsigned int n)
{
	struct vsm_thread thread = vsm_thread_at(cluster, 0, 0);
	uint64_t state;

	while (n--)
		vsm_execute(&thread, vsm_prep_mbarrier_arrive(MBAR(STILL), 0), &state);
}

double exec_of_one(void)
{
	return measure(do_exec1, 2000);
}

double exec_of_stream(void)
{
	return measure(do_exec64, 200) / STREAM;
}

double exec_of_warp(void)
{
	return measure(do_warp_arrives, 500);
}

double exec_version(void)
{
	return measure(do_version, 2000);
}

void exec_details(void)
{
	print_detail("clock_gettime", measure(do_clock, 2000));
	print_detail("getppid", measure(do_getppid, 2000));
	print_detail("ioctl of /dev/null: ENOTTY", measure(do_enotty, 2000));
	print_detail("unknown ioctl of vsm: EINVAL", measure(do_einval, 2000));
	print_detail("DRM_IOCTL_VERSION", measure(do_version, 2000));
	print_detail("EXEC of nothing", measure(do_exec0, 2000));
	print_detail("EXEC of 1 test_wait", measure(do_test_wait, 2000));
	print_detail("EXEC of 1 arrive", measure(do_exec1, 2000));
	print_detail("EXEC of 2 arrives", measure(do_exec2, 2000));
	print_detail("EXEC of 64 arrives", measure(do_exec64, 200));
	print_detail("EXEC of 32 lanes: arrive", measure(do_warp_arrives, 200));
	print_detail("EXEC of 32 lanes: expect_tx", measure(do_warp_expects, 200));
	print_detail("EXEC of 32 lanes: try_wait", measure(do_warp_try_waits, 200));
	print_detail("EXEC of 32 lanes: shfl.sync", measure(do_warp_shfls, 200));
	print_detail("EXEC of 32 lanes: vote.sync", measure(do_warp_votes, 200));
	print_detail("vsm_execute()", measure(do_library, 2000));
}
