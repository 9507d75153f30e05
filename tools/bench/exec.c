// SPDX-License-Identifier: MIT
/* Measures one EXEC of one instruction, and each instruction of a longer EXEC. */
#include "device.h"
#include "rows.h"

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

static void do_exec1(unsigned int n)
{
	do_arrives(n, 1);
}

static void do_exec64(unsigned int n)
{
	do_arrives(n, STREAM);
}

double exec_of_one(void)
{
	return measure(do_exec1, 2000);
}

double exec_of_stream(void)
{
	return measure(do_exec64, 200) / STREAM;
}

double exec_version(void)
{
	return measure(do_version, 2000);
}
