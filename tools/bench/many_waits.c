// SPDX-License-Identifier: MIT
/* Measures the completion of an armed wait of a wait set, with and without other armed waits. */
#include <stdlib.h>
#include <sys/param.h>

#include "device.h"
#include "rows.h"

/* The other waits are for the words of a cluster of their own, which the device shares. */
#define OTHER_CTAS	4
#define CTA_WORDS	(WINDOW / 8)
/* The most waits that a call arms. */
#define MAX_EXEC	65536

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
	for (i = 0; i < count; i += MIN(count - i, MAX_EXEC)) {
		args = arm_of(other_set, others + i, MIN(count - i, MAX_EXEC));
		arm(&args);
	}

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

/* Initialises an mbarrier in each of @count words, and makes a wait for its first phase. */
static void make_others(struct vsm_cluster *owner, struct drm_vsm_wait *others, unsigned int count)
{
	unsigned int i;
	int ret;

	for (i = 0; i < count; i++) {
		unsigned int cta = i / CTA_WORDS;
		struct vsm_thread thread = vsm_thread_at(owner, cta, 0);
		uint32_t addr = vsm_mapa(i % CTA_WORDS * 8, cta);

		ret = vsm_execute(&thread, vsm_prep_mbarrier_init(addr, 1, 0), NULL);
		if (ret)
			die("mbarrier.init", -ret);
		others[i] = (struct drm_vsm_wait) {
			.cluster = vsm_cluster_handle(owner),
			.addr = addr,
			.deadline = VSM_NEVER,
			.flags = DRM_VSM_WAIT_PARITY,
		};
	}
}

double complete_among(unsigned int count)
{
	struct drm_vsm_wait *others = calloc(count + 1, sizeof(*others));
	struct vsm_cluster *owner = create_cluster(DRM_VSM_POLICY_STRICT, OTHER_CTAS);
	double took[REPEATS];
	unsigned int i;

	if (!others)
		die("calloc", ENOMEM);
	for (i = 0; i < STREAM; i++)
		init_mbar(SINGLES + i, 1);
	make_others(owner, others, count);
	for (i = 0; i < REPEATS; i++)
		took[i] = complete_once(i, others, count);
	free(others);
	vsm_cluster_destroy(owner);
	return median(took, REPEATS);
}
