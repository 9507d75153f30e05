// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wait sets for lanes of a warp, and with a try_wait or a wait for groups as instruction.
 */
#include "driver.h"
#include "lanes.h"

#define MBAR	0x40
#define LOST	0x80	/* an mbarrier whose use loses a cluster of the hardware policy */

FIXTURE(lanes_set)
{
	struct cluster c;
	struct buffer b;
	int set;
};

FIXTURE_SETUP(lanes_set)
{
	ASSERT_EQ(0, rv_create(&self->c, 2, 80, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, 4096));
	self->set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->set);
	ASSERT_EQ(0, exec_one(&self->c, i_init(MBAR, 1)));
}

FIXTURE_TEARDOWN(lanes_set)
{
	close(self->set);
	munmap(self->b.map, self->b.size);
	rv_destroy(&self->c);
}

TEST_F(lanes_set, the_device_has_the_feature)
{
	struct drm_vsm_device_info info = vsm_info(self->c.fd);

	EXPECT_TRUE(info.features & DRM_VSM_FEATURE_LANES);
	EXPECT_LE(6, info.abi_minor);
}

/* --- malformed waits ------------------------------------------------------------------ */

#define EXPECT_REFUSED(error, ...) \
	do { \
		struct drm_vsm_insn insn = i_try_parity_unlimited(MBAR, 0); \
		struct drm_vsm_wait wait = wait_lanes(&self->c, 0, 0x3, 0, &insn); \
		__VA_ARGS__; \
		EXPECT_EQ(error, waitset_arm(self->c.fd, self->set, &wait, 1, NULL)); \
		EXPECT_TRUE(no_record(self->set)); \
	} while (0)

TEST_F(lanes_set, malformed_waits_are_refused)
{
	EXPECT_REFUSED(-EINVAL, wait.flags = DRM_VSM_WAIT_LANES);
	EXPECT_REFUSED(-EINVAL, wait.flags = DRM_VSM_WAIT_LANES | DRM_VSM_WAIT_PARITY);
	EXPECT_REFUSED(-EINVAL, wait.flags |= DRM_VSM_WAIT_WARP);
	EXPECT_REFUSED(-EINVAL, wait.flags &= ~DRM_VSM_WAIT_LANES);
	EXPECT_REFUSED(-EINVAL, wait.flags |= 1 << 5);
	EXPECT_REFUSED(-EINVAL, wait.flags |= DRM_VSM_WAIT_NO_LIMIT; wait.deadline = 0);
	EXPECT_REFUSED(-EINVAL, wait.flags = DRM_VSM_WAIT_NO_LIMIT; wait.lanes = 0);
	EXPECT_REFUSED(-EINVAL, wait.lanes = 0);
	EXPECT_REFUSED(-EINVAL, wait.addr = DRM_VSM_WAIT_THREAD(0, 1));
	EXPECT_REFUSED(-EINVAL, wait.addr = DRM_VSM_WAIT_THREAD(0, 96));
	EXPECT_REFUSED(-EINVAL, wait.addr = DRM_VSM_WAIT_THREAD(2, 0));
	EXPECT_REFUSED(-EINVAL, wait.addr = DRM_VSM_WAIT_THREAD(0, 64); wait.lanes = 0x10000);
	EXPECT_REFUSED(-EINVAL, wait.state += 4);
	EXPECT_REFUSED(-EFAULT, wait.state = 8);
	EXPECT_REFUSED(-EINVAL, insn = i_exit());
	EXPECT_REFUSED(-EINVAL, insn = i_test_parity(MBAR, 0));
	EXPECT_REFUSED(-EINVAL, insn = i_arrive(MBAR));
	EXPECT_REFUSED(-EINVAL, insn = i_commit());
	EXPECT_REFUSED(-EINVAL, insn.red = 1);
	EXPECT_REFUSED(-EINVAL, insn.u.mbarrier.count = 1);
}

/*
 * An old program has waits of 48 bytes, and no lanes and no site. The bytes behind a wait are its
 * own.
 */
TEST_F(lanes_set, a_short_wait_has_no_lanes)
{
	struct drm_vsm_insn insn = i_try_parity_unlimited(MBAR, 0);
	struct drm_vsm_wait wait = wait_lanes(&self->c, 0, 0x3, 0, &insn);
	struct drm_vsm_waitset_arm args = {
		.waits = (uintptr_t)&wait, .stride = 48, .count = 1, .fd = self->set,
	};

	EXPECT_EQ(-EINVAL, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_ARM, &args));
	wait.flags = DRM_VSM_WAIT_INSN;
	wait.site = POISON32;
	EXPECT_EQ(0, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_ARM, &args));
	EXPECT_EQ(POISON32, wait.site);
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(MBAR)));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 1));
}

/* --- try_wait -------------------------------------------------------------------------- */

TEST_F(lanes_set, a_try_wait_has_one_record_for_all_lanes)
{
	uint64_t token;

	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 32, ALL_LANES, 0,
			       i_try_parity_unlimited(MBAR, 0)));
	EXPECT_TRUE(no_record(self->set));
	token = exec_result(&self->c, i_arrive(MBAR));
	EXPECT_EQ(1, record_is(self->set, 32, DRM_VSM_WAIT_COMPLETE, 1));
	EXPECT_TRUE(no_record(self->set));
	/* It is complete already, by token and by parity. */
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, 0xf0, 0, i_try_wait(MBAR, token, 5)));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 1));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 64, 0x1, 0, i_try_parity(MBAR, 0, 5)));
	EXPECT_EQ(1, record_is(self->set, 64, DRM_VSM_WAIT_COMPLETE, 1));
}

/* The deadline of the wait is the time limit, and suspendTimeHint is not. */
TEST_F(lanes_set, a_try_wait_expires_at_the_deadline)
{
	struct drm_vsm_insn insn = i_try_parity(MBAR, 0, 0);
	struct drm_vsm_wait wait = wait_lanes(&self->c, 0, 0x3, 0, &insn);

	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	poll(NULL, 0, 5);
	EXPECT_TRUE(no_record(self->set));
	EXPECT_EQ(0, waitset_cancel(self->c.fd, self->set, wait.id));
	insn = i_try_parity(MBAR, 0, LONG_HINT);
	wait.deadline = now_ns() + 1000000;
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_EXPIRED, 0));
	wait.deadline = 0;
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_EXPIRED, 0));
}

TEST_F(lanes_set, misuse_of_a_try_wait_names_the_lowest_lane)
{
	struct drm_vsm_event_fault event;

	EXPECT_EQ(FAULT(NOT_AN_MBARRIER), arm_lanes(&self->c, self->set, 32, 0x30, 0,
						    i_try_parity_unlimited(MBAR + 8, 0)));
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(DRM_VSM_SOURCE_ARM, event.source);
	EXPECT_EQ(36, event.thread);
	EXPECT_EQ(OP(MBARRIER_TRY_WAIT), event.insn.op);
	EXPECT_EQ(FAULT(NOT_AN_MBARRIER), event.insn.fault);
	EXPECT_EQ(FAULT(STALE_TOKEN), arm_lanes(&self->c, self->set, 0, 0x1, 0,
						i_try_wait(MBAR, 0x1234, 5)));
	EXPECT_EQ(FAULT(BAD_PARITY), arm_lanes(&self->c, self->set, 0, 0x1, 0,
					       i_try_parity(MBAR, 2, 5)));
	EXPECT_EQ(FAULT(MISALIGNED), arm_lanes(&self->c, self->set, 0, 0x1, 0,
					       i_try_parity(MBAR + 4, 0, 5)));
	EXPECT_EQ(FAULT(REMOTE_FORBIDDEN), arm_lanes(&self->c, self->set, 0, 0x1, 0,
						     i_try_parity(AT(1, MBAR), 0, 5)));
	EXPECT_TRUE(no_record(self->set));
}

TEST_F(lanes_set, a_cluster_may_only_report_misuse_of_a_try_wait)
{
	struct drm_vsm_event_fault event;
	struct cluster c;

	ASSERT_EQ(0, cluster_make_open(&c, .ctas = 1, .threads = 32, .smem_bytes = 1024,
				       .report = REPORTABLE));
	ASSERT_EQ(0, exec_one(&c, i_init(MBAR, 1)));
	ASSERT_EQ(0, arm_lanes(&c, self->set, 0, 0x8, 0, i_try_parity(MBAR, 2, 5)));
	ASSERT_EQ(1, fault_read(c.fd, &event));
	EXPECT_EQ(FAULT(BAD_PARITY), event.insn.fault);
	EXPECT_EQ(DRM_VSM_EVENT_REPORTED, event.flags);
	EXPECT_EQ(3, event.thread);
	ASSERT_EQ(0, arm_lanes(&c, self->set, 0, 0x8, 0, i_try_wait(MBAR, 0x40, 5)));
	ASSERT_EQ(1, fault_read(c.fd, &event));
	EXPECT_EQ(FAULT(STALE_TOKEN), event.insn.fault);
	EXPECT_EQ(DRM_VSM_EVENT_REPORTED, event.flags);
	ASSERT_EQ(0, exec_one(&c, i_arrive(MBAR)));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 1));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 1));
	cluster_close(&c);
}

TEST_F(lanes_set, a_lane_that_has_exited_waits_for_nothing)
{
	ASSERT_EQ(0, exec_same(&self->c, 32, 0x2, i_exit(), NULL, NULL));
	EXPECT_EQ(FAULT(THREAD_EXITED), arm_lanes(&self->c, self->set, 32, 0x3, 0,
						  i_try_parity(MBAR, 0, 5)));
	EXPECT_EQ(FAULT(THREAD_EXITED), arm_lanes(&self->c, self->set, 32, 0x3, 0,
						  i_wait_all()));
	EXPECT_EQ(0, arm_lanes(&self->c, self->set, 32, 0x1, 0, i_wait_all()));
	EXPECT_EQ(1, record_is(self->set, 32, DRM_VSM_WAIT_COMPLETE, 0));
}

/* --- groups ------------------------------------------------------------------------------ */

/* Lanes of a warp have a copy each in flight. */
static int issue(const struct cluster *c, const struct buffer *b, uint32_t first, uint32_t mask)
{
	struct drm_vsm_insn insns[LANES];
	int i, ret;

	for (i = 0; i < LANES; i++)
		insns[i] = i_cp_async(0x400 + 16 * i, 16, b->handle, 16 * i);
	ret = cluster_hold(c, DRM_VSM_HOLD);
	ret = ret ?: exec_lanes(c, first, mask, insns, NULL);
	return ret ?: exec_same(c, first, mask, i_commit(), NULL, NULL);
}

/* The wait ends when the groups of all lanes are complete. */
TEST_F(lanes_set, a_wait_for_groups_ends_with_the_last_lane)
{
	ASSERT_EQ(0, issue(&self->c, &self->b, 0, 0xff));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, ALL_LANES, 0, i_wait_group(1)));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 0));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, 0xff00, 0, i_wait_group(0)));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 0));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, ALL_LANES, 0, i_wait_group(0)));
	EXPECT_TRUE(no_record(self->set));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 0));
	EXPECT_TRUE(no_record(self->set));
}

/* No thread has so many groups: such a wait ends at once. */
TEST_F(lanes_set, a_wait_for_groups_may_allow_any_number)
{
	static const uint32_t counts[] = { 1, ~0U >> 1, 1U << 31, (1U << 31) + 1, ~0U };
	size_t i;

	ASSERT_EQ(0, issue(&self->c, &self->b, 0, 0xff));
	for (i = 0; i < ITEMS(counts); i++) {
		ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, ALL_LANES, 0,
				       i_wait_group(counts[i])));
		EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 0));
	}
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
}

TEST_F(lanes_set, wait_all_and_bulk_groups_can_be_armed)
{
	struct drm_vsm_insn insn = i_s2g(0, 16, self->b.handle, 1024);

	ASSERT_EQ(0, issue(&self->c, &self->b, 0, 0x3));
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0x4, &insn, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x4, i_bulk_commit(), NULL, NULL));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, 0x3, 0, i_wait_all()));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, 0x4, 0, i_bulk_wait(0)));
	EXPECT_TRUE(no_record(self->set));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 0));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 0));
}

/* A thread has one armed wait for groups at a time. The refused wait changes nothing. */
TEST_F(lanes_set, a_second_wait_for_groups_is_refused)
{
	struct drm_vsm_insn insn = i_wait_group(0);
	struct drm_vsm_wait wait = wait_lanes(&self->c, 0, 0x3, 0, &insn);

	ASSERT_EQ(0, issue(&self->c, &self->b, 0, 0xf));
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	EXPECT_EQ(FAULT(THREAD_SUSPENDED), arm_lanes(&self->c, self->set, 0, 0x6, 0,
						     i_wait_group(0)));
	EXPECT_EQ(0, waitset_cancel(self->c.fd, self->set, wait.id));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, 0x6, 0, i_wait_all()));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, 0x1, 0, i_wait_group(0)));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 0));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 0));
}

TEST_F(lanes_set, a_wait_for_groups_expires)
{
	struct drm_vsm_insn insn = i_wait_all();
	struct drm_vsm_wait wait = wait_lanes(&self->c, 0, 0x3, 0, &insn);

	ASSERT_EQ(0, issue(&self->c, &self->b, 0, 0x2));
	wait.deadline = now_ns() + 1000000;
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_EXPIRED, 0));
	wait.deadline = -1;
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 0));
}

/* Nobody ends a wait whose set is closed. */
TEST_F(lanes_set, a_set_is_closed_with_a_wait_for_groups)
{
	int set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	int i;

	ASSERT_LE(0, set);
	ASSERT_EQ(0, issue(&self->c, &self->b, 0, ALL_LANES));
	ASSERT_EQ(0, arm_lanes(&self->c, set, 0, ALL_LANES, 0, i_wait_group(0)));
	close(set);
	for (i = 0; i < 100; i++)
		sched_yield();
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, ALL_LANES, 0, i_wait_group(0)));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 0));
}

/* The cluster is lost by a trap: all waits end. */
TEST_F(lanes_set, waits_end_with_the_cluster)
{
	struct cluster c;

	ASSERT_EQ(0, rv_create(&c, 1, 64, DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, buffer_create(&self->b, c.fd, 4096));
	ASSERT_EQ(0, exec_one(&c, i_init(MBAR, 1)));
	ASSERT_EQ(0, issue(&c, &self->b, 0, 0x3));
	ASSERT_EQ(0, exec_same(&c, 32, 0x3, i_warp_sync(0x7), NULL, &(uint32_t){ 0 }));
	ASSERT_EQ(0, arm_lanes(&c, self->set, 0, 0x3, 0, i_wait_group(0)));
	ASSERT_EQ(0, arm_lanes(&c, self->set, 32, 0x3, 0, i_warp_sync(0x7)));
	ASSERT_EQ(0, arm_lanes(&c, self->set, 32, 0x30, 0, i_try_parity(MBAR, 0, 5)));
	atomic_store(word_at(&c, LOST), 1ULL << 42);
	ASSERT_EQ(-EPROTO, exec_one(&c, i_arrive(LOST)));
	EXPECT_EQ(1, record_is(self->set, 32, DRM_VSM_WAIT_CLUSTER_LOST, 0));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_CLUSTER_LOST, 0));
	EXPECT_EQ(1, record_is(self->set, 32, DRM_VSM_WAIT_CLUSTER_LOST, 0));
	EXPECT_EQ(-EIO, arm_lanes(&c, self->set, 0, 0x3, 0, i_wait_group(0)));
	EXPECT_EQ(-EIO, exec_same(&c, 0, 0x3, i_wait_group(0), NULL, NULL));
	EXPECT_EQ(-EIO, exec_same(&c, 0, 0x3, i_arrive(MBAR), NULL, NULL));
	EXPECT_EQ(-EIO, exec_same(&c, 0, 0x3, i_warp_sync(0x3), NULL, NULL));
	rv_destroy(&c);
}

TEST_F(lanes_set, waits_end_with_the_device)
{
	ASSERT_EQ(0, issue(&self->c, &self->b, 0, 0x3));
	ASSERT_EQ(0, exec_same(&self->c, 32, 0x3, i_warp_sync(0x7), NULL, &(uint32_t){ 0 }));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, 0x3, 0, i_wait_group(0)));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 32, 0x3, 0, i_warp_sync(0x7)));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 64, 0x30, 0, i_try_parity(MBAR, 0, 5)));
	ASSERT_EQ(0, device_unbind());
	EXPECT_EQ(1, record_is(self->set, 64, DRM_VSM_WAIT_DEVICE_LOST, 0));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_DEVICE_LOST, 0));
	EXPECT_EQ(1, record_is(self->set, 32, DRM_VSM_WAIT_DEVICE_LOST, 0));
	ASSERT_EQ(0, device_bind());
}

/* --- rendezvous ---------------------------------------------------------------------------- */

/* The record has the result of the lowest lane. The other lanes execute the instruction again. */
TEST_F(lanes_set, lanes_wait_for_the_rest_of_their_warp)
{
	struct drm_vsm_insn insns[LANES];
	uint32_t suspended;
	int i;

	for (i = 0; i < LANES; i++)
		insns[i] = i_shfl(MODE(BFLY), 100 + i, 1, 31, ALL_LANES);
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0xfffffff0, &insns[4], &suspended));
	ASSERT_EQ(0xfffffff0, suspended);
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, 0xfffffff0, 0, insns[4]));
	EXPECT_TRUE(no_record(self->set));
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0xf, insns, NULL));
	EXPECT_EQ(101 | PRED, insns[0].result);
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 105 | PRED));
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0xffffffe0, &insns[5], NULL));
	for (i = 5; i < LANES; i++)
		EXPECT_EQ((100 + (i ^ 1)) | PRED, insns[i].result);
	EXPECT_TRUE(no_record(self->set));
}

TEST_F(lanes_set, a_warp_waits_for_the_others_at_a_barrier)
{
	ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_barrier_sync(0), NULL, &(uint32_t){ 0 }));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, ALL_LANES, 0, i_barrier_sync(0)));
	ASSERT_EQ(0, exec_same(&self->c, 32, ALL_LANES, i_barrier_sync(0), NULL, &(uint32_t){ 0 }));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 32, ALL_LANES, 0, i_barrier_sync(0)));
	EXPECT_TRUE(no_record(self->set));
	ASSERT_EQ(0, exec_same(&self->c, 64, 0xffff, i_barrier_sync(0), NULL, NULL));
	EXPECT_EQ(1, record_is(self->set, 32, DRM_VSM_WAIT_COMPLETE, 0));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 0));
	/* The lowest lane has left the barrier, and the others leave it now. */
	ASSERT_EQ(0, exec_same(&self->c, 0, ~1U, i_barrier_sync(0), NULL, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_warp_sync(ALL_LANES), NULL, NULL));
}

/* The result may be ready when the wait is armed. */
TEST_F(lanes_set, a_rendezvous_may_be_complete_already)
{
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x3, i_warp_sync(0x7), NULL, &(uint32_t){ 0 }));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x4, i_warp_sync(0x7), NULL, NULL));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, 0x3, 0, i_warp_sync(0x7)));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 0));
	/* The lowest lane is out of the instruction. */
	EXPECT_EQ(-EINVAL, arm_lanes(&self->c, self->set, 0, 0x3, 0, i_warp_sync(0x7)));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x2, i_warp_sync(0x7), NULL, NULL));
}

TEST_F(lanes_set, the_lanes_must_be_in_the_rendezvous)
{
	EXPECT_EQ(-EINVAL, arm_lanes(&self->c, self->set, 0, 0x1, 0, i_warp_sync(0x7)));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x1, i_warp_sync(0x7), NULL, &(uint32_t){ 0 }));
	EXPECT_EQ(-EINVAL, arm_lanes(&self->c, self->set, 0, 0x3, 0, i_warp_sync(0x7)));
	EXPECT_EQ(-EINVAL, arm_lanes(&self->c, self->set, 0, 0x1, 0, i_warp_sync(0xf)));
	EXPECT_EQ(-EINVAL, arm_lanes(&self->c, self->set, 0, 0x1, 0, i_barrier_sync(0)));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x10, i_warp_sync(0x30), NULL, &(uint32_t){ 0 }));
	EXPECT_EQ(-EINVAL, arm_lanes(&self->c, self->set, 0, 0x11, 0, i_warp_sync(0x7)));
	EXPECT_EQ(0, arm_lanes(&self->c, self->set, 0, 0x1, 0, i_warp_sync(0x7)));
	EXPECT_EQ(FAULT(THREAD_SUSPENDED), arm_lanes(&self->c, self->set, 0, 0x1, 0,
						     i_warp_sync(0x7)));
}

/* A converged warp has executed the instruction together. It continues as a warp. */
TEST_F(lanes_set, lanes_of_a_converged_warp_are_not_armed)
{
	struct drm_vsm_insn insn = i_barrier_sync(0);
	struct drm_vsm_wait wait = wait_lanes(&self->c, 0, 0, 0, &insn);

	wait.flags = DRM_VSM_WAIT_INSN | DRM_VSM_WAIT_WARP;
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	ASSERT_EQ(0, waitset_cancel(self->c.fd, self->set, wait.id));
	EXPECT_EQ(-EINVAL, arm_lanes(&self->c, self->set, 0, 0x1, 0, i_barrier_sync(0)));
}

TEST_HARNESS_MAIN
