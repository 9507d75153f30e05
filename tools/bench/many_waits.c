// SPDX-License-Identifier: MIT
/*
 * Measures the completion of an armed wait of a wait set, with and without other armed waits.
 */
#include <stdlib.h>

#include "many_waits.h"
#include "device.h"

/*
 * Measures one arrive that completes a phase and one read() of the record. The @count other waits
 * are armed later than the measured ones: if the driver searched all waits from the newest one on,
 * it would have to pass the other waits, and the time would grow with @count.
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
static unsigned int solo;	/* number of completed phases of SINGLES */

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
