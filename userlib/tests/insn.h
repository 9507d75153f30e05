/* SPDX-License-Identifier: MIT */
/*
 * What the tests of instructions share: a constructor fills the instruction, and the
 * operation executes just that instruction as the thread.
 */
#ifndef _VSM_INSN_TEST_H_
#define _VSM_INSN_TEST_H_

#include "mock.h"

#define ADDR 0x01000040

static struct drm_vsm_insn refused;

static inline struct vsm_thread thread(void)
{
	struct vsm_thread t = vsm_thread_at(cluster, 1, 33);

	t.fault = &refused;
	return t;
}

static inline void assert_executed_with(int err, const struct drm_vsm_insn *insn, uint32_t flags)
{
	assert_int_equal(err, 0);
	assert_int_equal(mock.exec.cluster, vsm_cluster_handle(cluster));
	assert_int_equal(mock.exec.cta, 1);
	assert_int_equal(mock.exec.thread, 33);
	assert_int_equal(mock.exec.count, 1);
	assert_int_equal(mock.exec.retired, 0);
	assert_int_equal(mock.exec.flags, flags);
	assert_int_equal(mock.exec.deadline, 0);
	assert_memory_equal(&mock.insns[0], insn, sizeof(*insn));
}

static inline void assert_executed(int err, const struct drm_vsm_insn *insn)
{
	assert_executed_with(err, insn, 0);
}

static inline void assert_insn(struct drm_vsm_insn insn, const struct drm_vsm_insn *wanted)
{
	assert_memory_equal(&insn, wanted, sizeof(insn));
}

#endif
