// SPDX-License-Identifier: GPL-2.0-only
/*
 * An inval of an mbarrier that has a waiter is refused, and a poisoned word traps. programs.c tests
 * every other misuse of an mbarrier. scenarios/hardware.vsm shows misuse under the hardware policy.
 */
#include "vsm_test.h"

#define A AT(0, 0x80)

FIXTURE(misuse) { struct cluster c; };

FIXTURE_SETUP(misuse)
{
	ASSERT_EQ(0, cluster_open_plain(&self->c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
}

FIXTURE_TEARDOWN(misuse)
{
	EXPECT_EQ(0, cluster_close(&self->c));
}

TEST_F(misuse, inval_under_a_waiter_is_refused)
{
	struct drm_vsm_insn wait = i_try_parity(A, 0, LONG_HINT);
	struct drm_vsm_wait armed = wait_parity(&self->c, A, 0, -1, 1);
	struct drm_vsm_insn inval = i_inval(A);
	struct exec_thread t;
	int set;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	set = waitset_create(self->c.fd, 0);
	ASSERT_LE(0, set);
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &armed, 1, NULL));
	EXPECT_EQ(-EPROTO, exec_stream(&self->c, 0, &inval, 1, NULL));
	EXPECT_EQ(DRM_VSM_FAULT_INVAL_IN_USE, inval.fault);
	EXPECT_EQ(0x7ffff800001ffffe, inval.result);
	EXPECT_EQ(0, inval.info);
	ASSERT_EQ(0, waitset_cancel(self->c.fd, set, armed.id));

	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, 0, &wait, 1));
	do {	/* Repeat this: the task may not have parked when the first inval executes. */
		int ret = exec_stream(&self->c, 0, &inval, 1, NULL);

		ASSERT_TRUE(ret == -EPROTO || !ret);
		if (!ret) {
			ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
			inval.fault = 0;
		}
	} while (inval.fault != DRM_VSM_FAULT_INVAL_IN_USE && !atomic_load(&t.done));
	EXPECT_EQ(DRM_VSM_FAULT_INVAL_IN_USE, inval.fault);
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(0, exec_thread_join(&t));
	EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
	close(set);
}

/* --- poisoned words ------------------------------------------------------- */

FIXTURE(poison)
{
	struct cluster c;
	struct buffer b;
};

FIXTURE_SETUP(poison)
{
	ASSERT_EQ(0, cluster_open_plain(&self->c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, 4096));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 4)));
}

FIXTURE_TEARDOWN(poison)
{
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_close(&self->c));
}

#define POISONED_WORD (0x7fffe000001ffff8 | 1ULL << 42)

static void poison(const struct cluster *c)
{
	atomic_store(word_at(c, A), POISONED_WORD);
}

/* Expects that all calls on the cluster fail with EIO, and that another cluster works. */
static void expect_lost(struct __test_metadata *_metadata, const struct cluster *c,
			const struct buffer *b)
{
	struct drm_vsm_insn job = i_s2g(0, 16, b->handle, 0);
	struct drm_vsm_wait wait = wait_parity(c, AT(0, 8), 0, -1, 0);
	int set = waitset_create(c->fd, 0);
	struct cluster other;
	uint32_t armed = 7;

	EXPECT_EQ(-EIO, exec_one(c, i_init(AT(0, 8), 1)));
	EXPECT_EQ(-EIO, exec_one(c, i_test_parity(AT(0, 8), 1)));
	EXPECT_EQ(-EIO, exec_at(c, 1, i_arrive(AT(1, 8)), NULL));
	EXPECT_EQ(-EIO, submit_sync(c, &job, 1, 0, 0));
	EXPECT_EQ(-EIO, waitset_arm(c->fd, set, &wait, 1, &armed));
	EXPECT_EQ(0, armed);
	close(set);

	ASSERT_EQ(0, cluster_create(&other, c->fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_HARDWARE));
	EXPECT_EQ(0, exec_one(&other, i_init(A, 1)));
	EXPECT_EQ(0, cluster_destroy(&other));
}

TEST_F(poison, traps_each_operation_and_marks_the_cluster_lost)
{
	const struct drm_vsm_insn insns[] = {
		i_arrive(A), i_expect_tx(A, 16), i_complete_tx(A, 16), i_test_parity(A, 1),
		i_try_parity(A, 1, 0), i_try_parity(A, 0, LONG_HINT), i_sink(i_arrive(A)),
	};
	size_t i;

	for (i = 0; i < ITEMS(insns); i++) {
		struct drm_vsm_insn stream[] = { i_init(A, 4), insns[i], i_pending_count(0) };
		struct cluster c;
		uint32_t retired;

		ASSERT_EQ(0, cluster_create(&c, self->c.fd, VSM_LAYOUT_SM_90,
					    DRM_VSM_POLICY_HARDWARE));
		ASSERT_EQ(0, exec_one(&c, stream[0]));
		poison(&c);
		EXPECT_EQ(-EPROTO, exec_stream(&c, 0, stream + 1, 2, &retired));
		EXPECT_EQ(0, retired);
		EXPECT_EQ(DRM_VSM_FAULT_POISONED, stream[1].fault);
		EXPECT_EQ(POISONED_WORD, stream[1].result);
		EXPECT_EQ(POISONED_WORD, word(&c, A));
		EXPECT_TRUE(insn_untouched(&stream[2]));
		expect_lost(_metadata, &c, &self->b);
		EXPECT_EQ(0, cluster_destroy(&c));
	}
}

TEST_F(poison, traps_the_arming_of_a_wait)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 0);
	int set = waitset_create(self->c.fd, 0);
	uint32_t armed;

	poison(&self->c);
	EXPECT_EQ(-EPROTO, waitset_arm(self->c.fd, set, &wait, 1, &armed));
	EXPECT_EQ(0, armed);
	EXPECT_EQ(DRM_VSM_FAULT_POISONED, wait.fault);
	close(set);
	expect_lost(_metadata, &self->c, &self->b);
}

TEST_F(poison, traps_the_completion_of_a_copy)
{
	struct drm_vsm_insn job = i_g2s(AT(0, 0x100), A, 16, self->b.handle, 0);
	uint32_t out;

	poison(&self->c);
	ASSERT_EQ(0, drmSyncobjCreate(self->c.fd, 0, &out));
	ASSERT_EQ(0, submit_sync(&self->c, &job, 1, 0, out));
	EXPECT_EQ(0, syncobj_wait(self->c.fd, out));
	expect_lost(_metadata, &self->c, &self->b);
}

TEST_F(poison, ends_all_waits_of_the_cluster)
{
	struct drm_vsm_insn sleep = i_try_parity(AT(0, 0x200), 0, LONG_HINT);
	struct drm_vsm_wait waits[] = {
		wait_parity(&self->c, A, 0, -1, 1), wait_parity(&self->c, AT(0, 0x200), 0, -1, 2),
	};
	int set = waitset_create(self->c.fd, 0);
	struct exec_thread t;
	struct drm_vsm_wait_record record;
	struct drm_vsm_insn arrive = i_arrive(A);
	int i;

	ASSERT_EQ(0, exec_one(&self->c, i_init(AT(0, 0x200), 1)));
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, waits, 2, NULL));
	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, 0, &sleep, 1));

	poison(&self->c);
	EXPECT_EQ(-EPROTO, exec_stream(&self->c, 0, &arrive, 1, NULL));
	EXPECT_EQ(-EIO, exec_thread_join(&t));
	EXPECT_EQ(0, t.args.retired);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(1, waitset_read(set, &record));
		EXPECT_EQ(DRM_VSM_WAIT_CLUSTER_LOST, record.status);
	}
	/* The wait set and the device still work. */
	EXPECT_EQ(0, poll_events(set));
	close(set);
	expect_lost(_metadata, &self->c, &self->b);
}

TEST_HARNESS_MAIN
