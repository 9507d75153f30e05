// SPDX-License-Identifier: MIT
/*
 * The time that ends an armed wait of a wait set, alone and while others are armed.
 */
#include <stdlib.h>

#include "many_waits.h"
#include "device.h"

/*
 * The time of one arrive that completes a phase, and of one read() of its record. The @count other
 * waits are armed later: a search that starts at the newest wait would pass them first.
 */
static double complete_once(unsigned int phase, struct drm_vsm_wait *others, unsigned int count)
{
	struct drm_vsm_wait waits[STREAM];
	struct drm_vsm_insn insns[STREAM];
	struct drm_vsm_waitset_arm args;
	struct drm_vsm_exec exec_args;
	int set = open_waitset();
	int other_set = open_waitset();
	unsigned int i;
	double start, took;

	for (i = 0; i < STREAM; i++) {
		waits[i] = wait_of(SINGLES + i, phase & 1);
		insns[i] = vsm_prep_mbarrier_arrive(MBAR(SINGLES + i), 0);
	}
	args = arm_of(set, waits, STREAM);
	arm(&args);
	args = arm_of(other_set, others, count);
	arm(&args);

	start = now();
	for (i = 0; i < STREAM; i++) {
		exec_args = exec_of(&insns[i], 1);
		exec(&exec_args);
		read_record(set);
	}
	took = (now() - start) / STREAM;
	close(other_set);
	close(set);
	return took;
}

double complete_among(unsigned int count)
{
	struct drm_vsm_wait *others = calloc(count + 1, sizeof(*others));
	double took[REPEATS];
	unsigned int i;

	if (!others)
		die("calloc", ENOMEM);
	for (i = 0; i < STREAM; i++)
		init_mbar(SINGLES + i, 1);
	for (i = 0; i < count; i++) {
		init_mbar(OTHERS + i, 1);
		others[i] = wait_of(OTHERS + i, 0);
	}
	for (i = 0; i < REPEATS; i++)
		took[i] = complete_once(i, others, count);
	free(others);
	return median(took, REPEATS);
}

static int solo_set;
static unsigned int solo;	/* phases of the mbarrier SINGLES that are complete */

static void do_arm_arrive_read(unsigned int n)
{
	struct drm_vsm_insn insn = vsm_prep_mbarrier_arrive(MBAR(SINGLES), 0);
	struct drm_vsm_exec exec_args = exec_of(&insn, 1);
	struct drm_vsm_wait wait = wait_of(SINGLES, 0);
	struct drm_vsm_waitset_arm arm_args = arm_of(solo_set, &wait, 1);

	while (n--) {
		wait.state = solo++ & 1;
		arm(&arm_args);
		exec(&exec_args);
		read_record(solo_set);
	}
}

double arm_arrive_read(void)
{
	double took;

	init_mbar(SINGLES, 1);
	solo_set = open_waitset();
	took = measure(do_arm_arrive_read, 1000);
	close(solo_set);
	return took;
}
