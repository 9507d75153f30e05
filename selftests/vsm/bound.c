// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asynchronous operations between issue and completion: which mbarriers they are bound to, how the
 * mbarriers may change meanwhile, how many operations may be in flight, and which handles and
 * clients may be closed before they complete. The driver refuses a copy over an object when it is
 * issued, or drops it when it executes if the object has begun in between.
 */
#include "async.h"
#include "fence.h"

#define A AT(0, 0x80)
#define DATA 0x400
#define PAGE 4096

FIXTURE(bound)
{
	struct cluster c;
	struct buffer b;
	uint32_t layout;
	bool sm_80;
};

FIXTURE_VARIANT(bound) { uint32_t layout; };
FIXTURE_VARIANT_ADD(bound, sm_90) { .layout = VSM_LAYOUT_SM_90 };
FIXTURE_VARIANT_ADD(bound, sm_80) { .layout = VSM_LAYOUT_SM_80 };

FIXTURE_SETUP(bound)
{
	self->layout = variant->layout;
	self->sm_80 = variant->layout == VSM_LAYOUT_SM_80;
	ASSERT_EQ(0, cluster_open_plain(&self->c, self->layout, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, PAGE));
	memset(self->b.map, 0x3c, PAGE);
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(END, 1)));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
}

FIXTURE_TEARDOWN(bound)
{
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_close(&self->c));
}

/* --- mbarriers that operations are bound to -------------------------------- */

TEST_F(bound, inval_is_refused_with_their_number_until_they_are_complete)
{
	uint32_t i, info;

	for (i = 1; i <= 4; i++) {
		/* The driver counts arrives with and without .noinc. */
		ASSERT_EQ(0, exec_one(&self->c, i == 4 ? i_noinc(i_cp_arrive(A)) : i_cp_arrive(A)));
		EXPECT_FAULT(INVAL_IN_USE, exec_fault(&self->c, 0, i_inval(A), &info));
		EXPECT_EQ(i, info);
	}
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(word_of(self->layout, 1, 0, 1, 1), word(&self->c, A));
	EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
	/* A cp.async is bound to no mbarrier. */
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(DATA, 16, self->b.handle, 0)));
	EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
	EXPECT_EQ(-EPROTO, exec_one(&self->c, i_cp_arrive(A)));
	EXPECT_EQ(0, async_release(&self->c));
}

TEST_F(bound, inval_is_refused_while_a_bulk_copy_is_in_flight_on_the_object)
{
	uint32_t info, i;

	if (self->sm_80)
		SKIP(return, "sm_80 has no bulk copies");
	ASSERT_EQ(0, exec_one(&self->c, i_arrive_expect_tx(A, 48)));
	for (i = 1; i <= 3; i++) {
		ASSERT_EQ(0, exec_one(&self->c, i_g2s(DATA + 16 * i, A, 16, self->b.handle, 0)));
		EXPECT_FAULT(INVAL_IN_USE, exec_fault(&self->c, 0, i_inval(A), &info));
		EXPECT_EQ(i, info);
	}
	EXPECT_EQ(word_of(self->layout, 0, 48, 1, 0), word(&self->c, A));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(word_of(self->layout, 1, 0, 1, 1), word(&self->c, A));
	EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
}

/* No thread expects the copy's bytes. The phase therefore completes before the copy. */
TEST_F(bound, a_bulk_copy_after_its_phase_is_late)
{
	const uint64_t after = word_of(self->layout, 1, 0, 1, 1);
	struct drm_vsm_insn insn;

	if (self->sm_80)
		SKIP(return, "sm_80 has no bulk copies");
	ASSERT_EQ(0, exec_one(&self->c, i_g2s(DATA, A, 16, self->b.handle, 0)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(after, word(&self->c, A));
	ASSERT_EQ(0, exec_look(&self->c, A));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(DRM_VSM_FAULT_LATE_COMPLETION, async_fault(&self->c, &insn));
	EXPECT_EQ(DRM_VSM_OP_CP_ASYNC_BULK_G2S, insn.op);
	EXPECT_EQ(after, insn.result);
	EXPECT_EQ(after, word(&self->c, A));
	EXPECT_EQ(0, poll_events(self->c.fd));
	EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
}

/* Another arrive completes the phase before the asynchronous arrive does. */
TEST_F(bound, a_completion_after_its_phase_is_late)
{
	struct drm_vsm_insn insn, forms[] = { i_noinc(i_cp_arrive(A)), i_cp_arrive(A) };
	int i, j;

	for (i = 0; i < (self->sm_80 ? 2 : 1); i++) {
		uint64_t after = word_of(self->layout, 1, 0, 1, 1);

		ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
		ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
		ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&self->c, forms[i]));
		for (j = 0; j <= i; j++)
			ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
		ASSERT_EQ(after, word(&self->c, A));
		ASSERT_EQ(0, exec_look(&self->c, A));
		ASSERT_EQ(0, async_release(&self->c));

		EXPECT_EQ(DRM_VSM_FAULT_LATE_COMPLETION, async_fault(&self->c, &insn));
		EXPECT_EQ(after, insn.result);
		EXPECT_EQ(0, insn.info);
		EXPECT_EQ(after, word(&self->c, A));
		EXPECT_EQ(0, poll_events(self->c.fd));
	}
	/*
	 * The first asynchronous arrive is several phases late. The second one is in time and
	 * counts.
	 */
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(A))));
	for (j = 0; j < 5; j++) {
		ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
		ASSERT_EQ(0, exec_look(&self->c, A));
	}
	ASSERT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(A))));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(DRM_VSM_FAULT_LATE_COMPLETION, async_fault(&self->c, &insn));
	EXPECT_EQ(0, poll_events(self->c.fd));
	EXPECT_EQ(word_of(self->layout, 1, 0, 1, 1), word(&self->c, A));
	ASSERT_EQ(0, exec_look(&self->c, A));
	/* The late arrive is no longer bound to the mbarrier. */
	EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
}

TEST_F(bound, a_completion_reports_the_fault_that_it_finds)
{
	struct drm_vsm_insn insn;

	/*
	 * The arrive_expect_tx is the only arrival that the phase expects. When the asynchronous
	 * arrive completes, the phase waits only for bytes.
	 */
	if (!self->sm_80) {
		ASSERT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(A))));
		ASSERT_EQ(0, exec_one(&self->c, i_arrive_expect_tx(A, 16)));
		ASSERT_EQ(0, async_release(&self->c));
		EXPECT_EQ(DRM_VSM_FAULT_ARRIVAL_OVERFLOW, async_fault(&self->c, &insn));
		/* pending 0, tx-count 16, expected 1 */
		EXPECT_EQ(0x000003fffe1ffffe, insn.result);
		EXPECT_EQ(0x000003fffe1ffffe, word(&self->c, A));
		ASSERT_EQ(0, exec_one(&self->c, i_complete_tx(A, 16)));
		ASSERT_EQ(0, exec_look(&self->c, A));
		ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	}
	/* The program has overwritten the word. */
	ASSERT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(A))));
	atomic_fetch_or(word_at(&self->c, A), self->sm_80 ? 1ULL << 30 : 1);
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(DRM_VSM_FAULT_NOT_AN_MBARRIER, async_fault(&self->c, &insn));
	EXPECT_EQ(word(&self->c, A), insn.result);
	EXPECT_EQ(0, poll_events(self->c.fd));
}

TEST_F(bound, pending_counts_have_their_limit)
{
	struct drm_vsm_insn arrive = i_cp_arrive(A);

	ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 0xfffff)));
	EXPECT_FAULT(PENDING_RANGE, exec_fault(&self->c, 0, arrive, NULL));
	/* An arrive with .noinc does not add to the pending count. */
	EXPECT_EQ(0, exec_one(&self->c, i_noinc(arrive)));
	ASSERT_EQ(0, async_release(&self->c));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	/* The pending count is one below its limit: one arrive fits, a second one does not. */
	EXPECT_EQ(0, exec_one(&self->c, arrive));
	EXPECT_FAULT(PENDING_RANGE, exec_fault(&self->c, 0, arrive, NULL));
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(0, exec_one(&self->c, arrive));
	EXPECT_FAULT(PENDING_RANGE, exec_fault(&self->c, 0, arrive, NULL));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(word_of(self->layout, 0xffffd, 0, 0xfffff, 0), word(&self->c, A));
	EXPECT_EQ(0, exec_one(&self->c, arrive));
	ASSERT_EQ(0, async_release(&self->c));
	/* Read the events of the arrives refused above. */
	fault_drain(self->c.fd);
}

TEST_F(bound, an_arrive_in_flight_is_a_transaction_that_the_tx_count_must_hold)
{
	if (self->sm_80)
		SKIP(return, "sm_80 has no tx-count");
	ASSERT_EQ(0, exec_one(&self->c, i_expect_tx(A, 0xffffe)));
	EXPECT_EQ(0, exec_one(&self->c, i_cp_arrive(A)));
	EXPECT_FAULT(TX_RANGE, exec_fault(&self->c, 0, i_cp_arrive(A), NULL));
	EXPECT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(A))));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(word_of(self->layout, 0, 0xffffe, 1, 0), word(&self->c, A));
}

/* The sm_80 layout has no tx-count: an arrive in flight counts there as a pending arrival. */
TEST_F(bound, an_arrive_in_flight_is_no_byte_that_complete_tx_may_bring)
{
	const struct drm_vsm_insn one = i_complete_tx(A, 1);

	if (self->sm_80)
		SKIP(return, "sm_80 has no tx-count");
	ASSERT_EQ(0, exec_one(&self->c, i_cp_arrive(A)));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_FAULT(TX_OVERDELIVERY, exec_fault(&self->c, 0, one, NULL));
	EXPECT_EQ(word_of(self->layout, 0, 1, 1, 0), word(&self->c, A));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(word_of(self->layout, 1, 0, 1, 1), word(&self->c, A));
	ASSERT_EQ(0, exec_look(&self->c, A));
	/*
	 * complete_tx may come before the expect_tx of its bytes. The bytes do not replace the
	 * arrive in flight: the phase still needs the expect_tx.
	 */
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_arrive(A)));
	ASSERT_EQ(0, exec_one(&self->c, one));
	EXPECT_FAULT(TX_OVERDELIVERY, exec_fault(&self->c, 0, i_arrive(A), NULL));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive_expect_tx(A, 1)));
	EXPECT_EQ(word_of(self->layout, 0, 1, 1, 1), word(&self->c, A));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(word_of(self->layout, 1, 0, 1, 0), word(&self->c, A));
}

/* --- clusters that are held ----------------------------------------------- */

TEST_F(bound, malformed_holds_are_refused)
{
	struct drm_vsm_cluster_hold args = { .cluster = self->c.handle };
	int i, other = vsm_open();

	for (i = 2; i < 32; i++) {
		args.flags = 1U << i;
		EXPECT_EQ(-EINVAL, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_CLUSTER_HOLD, &args));
	}
	args.flags = 0;
	EXPECT_EQ(-ENOENT, vsm_ioctl(other, DRM_IOCTL_VSM_CLUSTER_HOLD, &args));
	for (i = 0; i < 2; i++) {
		args.flags = i ? DRM_VSM_HOLD : 0;
		args.cluster = 0;
		EXPECT_EQ(-ENOENT, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_CLUSTER_HOLD, &args));
		args.cluster = 0xffffffff;
		EXPECT_EQ(-ENOENT, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_CLUSTER_HOLD, &args));
		args.cluster = self->b.handle;
		EXPECT_EQ(-ENOENT, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_CLUSTER_HOLD, &args));
	}
	close(other);
}

TEST_F(bound, a_hold_is_one_cluster_s_and_not_counted)
{
	struct cluster free;
	int i;

	ASSERT_EQ(0, cluster_create(&free, self->c.fd, self->layout, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&free, i_init(END, 1)));
	EXPECT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	EXPECT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(DATA, 8, self->b.handle, 0)));
	/* The same client issues a copy in another cluster, which is not held. */
	ASSERT_EQ(0, exec_one(&free, i_cp_async(DATA, 8, self->b.handle, 0)));
	ASSERT_EQ(0, async_release(&free));
	EXPECT_EQ(0x3c3c3c3c3c3c3c3c, word(&free, DATA));
	EXPECT_EQ(0, word(&self->c, DATA));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(0x3c3c3c3c3c3c3c3c, word(&self->c, DATA));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, async_release(&self->c));
	EXPECT_EQ(0, cluster_destroy(&free));
}

TEST_F(bound, jobs_are_not_held)
{
	if (!self->sm_80) {
		ASSERT_EQ(0, exec_one(&self->c, i_expect_tx(A, 16)));
		EXPECT_EQ(1, job_status(&self->c, 0, i_g2s(DATA, A, 16, self->b.handle, 0)));
	}
	EXPECT_EQ(1, job_status(&self->c, 0, i_sink(i_arrive(A))));
	EXPECT_EQ(word_of(self->layout, 1, 0, 1, 1), word(&self->c, A));
}

/* --- limits of operations in flight --------------------------------------- */

/* Issues up to @count arrives with .noinc. Returns how many were issued. */
static uint32_t issue(const struct cluster *c, uint32_t count, int *ret)
{
	uint32_t i, retired = 0, done = 0, part = 1 << 16;
	struct drm_vsm_insn *insns = calloc(part, sizeof(*insns));

	for (i = 0; i < part; i++)
		insns[i] = i_noinc(i_cp_arrive(A));
	*ret = 0;
	while (done < count && !*ret) {
		*ret = exec_stream(c, 0, insns, count - done < part ? count - done : part,
				   &retired);
		done += retired;
	}
	free(insns);
	return done;
}

TEST_F(bound, what_is_in_flight_is_limited_and_free_again_once_it_has_happened)
{
	enum { LIMIT = 1 << 18 };
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct cluster other;
	uint32_t info;
	int ret;

	if (self->sm_80)
		SKIP(return, "takes long, and has nothing to do with the layout");
	ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 0xfffff)));
	EXPECT_EQ(LIMIT, issue(&self->c, LIMIT + 10, &ret));
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_EQ(-ENOSPC, exec_one(&self->c, i_cp_async(DATA, 4, self->b.handle, 0)));
	EXPECT_EQ(-ENOSPC, exec_one(&self->c, i_cp_arrive(A)));
	/* Instructions of jobs count against the same limit. */
	EXPECT_EQ(-ENOSPC, submit_sync(&self->c, &arrive, 1, 0, 0));
	EXPECT_EQ(word_of(self->layout, 0xfffff, 0, 0xfffff, 0), word(&self->c, A));
	EXPECT_FAULT(INVAL_IN_USE, exec_fault(&self->c, 0, i_inval(A), &info));
	EXPECT_EQ(LIMIT, info);

	/* The limit is per client. */
	ASSERT_EQ(0, cluster_create(&other, vsm_open(), self->layout, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&other, i_init(A, 1)));
	EXPECT_EQ(0, exec_one(&other, i_noinc(i_cp_arrive(A))));
	EXPECT_EQ(0, cluster_close(&other));

	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	/* After the release, a call that finds no space waits until operations complete. */
	EXPECT_EQ(0, exec_one(&self->c, i_cp_async(DATA, 4, self->b.handle, 0)));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(word_of(self->layout, 0xfffff - LIMIT, 0, 0xfffff, 0), word(&self->c, A));
	EXPECT_EQ(1, job_status(&self->c, 0, arrive));
	EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
}

/* --- closing handles and clients ------------------------------------------- */

TEST_F(bound, a_buffer_s_handle_may_be_closed_behind_a_copy)
{
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(DATA, 8, self->b.handle, 0)));
	ASSERT_EQ(0, gem_close(self->b.fd, self->b.handle));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(0x3c3c3c3c3c3c3c3c, word(&self->c, DATA));
}

/* Closing the last handle drops the operations in flight and reports no fault. */
TEST_F(bound, a_cluster_s_handle_may_be_closed_behind_operations)
{
	struct cluster c;
	int i, j;

	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, cluster_create(&c, self->c.fd, self->layout, DRM_VSM_POLICY_STRICT));
		ASSERT_EQ(0, exec_one(&c, i_init(A, 100)));
		if (i % 2)
			ASSERT_EQ(0, cluster_hold(&c, DRM_VSM_HOLD));
		for (j = 0; j < 20; j++) {
			ASSERT_EQ(0, exec_one(&c, i_cp_async(DATA + 16 * j, 16, self->b.handle,
							     0)));
			ASSERT_EQ(0, exec_one(&c, i_cp_arrive(A)));
		}
		ASSERT_EQ(0, cluster_destroy(&c));
	}
	EXPECT_EQ(0, poll_events(self->c.fd));
}

TEST_F(bound, closing_one_client_s_handle_releases_the_cluster_for_the_others)
{
	struct cluster other;
	int holder;

	for (holder = 0; holder < 2; holder++) {
		uint64_t parity = word(&self->c, A) >> 63;

		ASSERT_EQ(0, cluster_share(&other, vsm_open(), &self->c));
		ASSERT_EQ(0, cluster_hold(holder ? &other : &self->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(A))));
		EXPECT_EQ(parity, word(&self->c, A) >> 63);
		ASSERT_EQ(0, cluster_destroy(&other));
		ASSERT_EQ(0, await_phase(&self->c, A, parity));
		close(other.fd);
	}
}

/* After the close, each operation has either completed or been dropped. None is still bound. */
TEST_F(bound, a_client_may_close_behind_its_operations)
{
	struct cluster other;
	struct buffer b;
	uint32_t done;
	int i, ret;

	ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, exec_one(&self->c, i_init(A, 0xfffff)));
		ASSERT_EQ(0, cluster_share(&other, vsm_open(), &self->c));
		ASSERT_EQ(0, buffer_create(&b, other.fd, PAGE));
		if (i % 2)
			ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&other, i_cp_async(DATA, 16, b.handle, 0)));
		done = issue(&other, 5000, &ret);
		ASSERT_EQ(5000, done);
		munmap(b.map, b.size);
		munmap(other.map, other.size);
		close(other.fd);
		done = 0xfffff - vsm_mbarrier_pending(self->layout, word(&self->c, A));
		EXPECT_GE(5000, done);
		EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
		for (ret = 0; ret < 10; ret++)
			sched_yield();
		EXPECT_EQ(done, 0xfffff - vsm_mbarrier_pending(self->layout, word(&self->c, A)));
		EXPECT_EQ(0, poll_events(self->c.fd));
	}
}

/* The client is killed while it issues operations. The cluster is held in every second round. */
TEST_F(bound, a_client_may_be_killed_behind_its_operations)
{
	struct drm_vsm_insn insns[64];
	int i, j, dmabuf, status;

	ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
	ASSERT_EQ(0, drmPrimeHandleToFD(self->c.fd, self->c.handle, DRM_CLOEXEC | DRM_RDWR,
					&dmabuf));
	for (i = 0; i < 10; i++) {
		struct cluster c = { .fd = -1 };
		int ready[2];
		char byte;
		pid_t pid;

		ASSERT_EQ(0, exec_one(&self->c, i_init(A, 0xfffff)));
		ASSERT_EQ(0, cluster_hold(&self->c, i % 2 ? DRM_VSM_HOLD : 0));
		ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
		pid = fork_child();
		if (!pid) {
			c.fd = vsm_open();
			for (j = 0; j < 64; j++)
				insns[j] = i_noinc(i_cp_arrive(A));
			if (drmPrimeFDToHandle(c.fd, dmabuf, &c.handle))
				_exit(1);
			for (j = 0; j < 100 * (i + 1); j++) {
				if (exec_stream(&c, 0, insns, 64, NULL) ||
				    (j == 10 && write(ready[1], "", 1) != 1))
					_exit(2);
			}
			pause();
		}
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
		close(ready[0]);
		close(ready[1]);
	}
	close(dmabuf);
}

/* --- copies that would write over an object ---------------------------------- */

/*
 * If @overlap, the copies write over the eight bytes at 0x410; otherwise they write next to them.
 */
static uint32_t writes(struct drm_vsm_insn *out, uint32_t buffer, bool overlap)
{
	const struct drm_vsm_insn over[] = {
		i_cp_async(0x410, 4, buffer, 0), i_cp_async(0x414, 4, buffer, 0),
		i_cp_async(0x410, 8, buffer, 0), i_cp_async(0x410, 16, buffer, 0),
		i_src_size(i_cp_async(0x410, 16, buffer, 0), 0),
	};
	const struct drm_vsm_insn beside[] = {
		i_cp_async(0x40c, 4, buffer, 0), i_cp_async(0x418, 4, buffer, 0),
		i_cp_async(0x408, 8, buffer, 0), i_cp_async(0x418, 8, buffer, 0),
		i_cp_async(0x400, 16, buffer, 0), i_cp_async(0x420, 16, buffer, 0),
	};

	memcpy(out, overlap ? over : beside, overlap ? sizeof(over) : sizeof(beside));
	return overlap ? ITEMS(over) : ITEMS(beside);
}

/*
 * Like exec_fault(), for a copy over the object at 0x410. The object may lie in any part of the
 * copy.
 */
static int write_fault(const struct cluster *c, struct drm_vsm_insn insn)
{
	unsigned char before[64];
	uint64_t old = word(c, 0x410);
	int ret;

	memcpy(before, cluster_mem(c, DATA), sizeof(before));
	ret = exec_stream(c, 0, &insn, 1, NULL);
	if (ret != -EPROTO)
		return ret ? ret : -EISCONN;
	if (insn.result != old || insn.info != 0x410 ||
	    memcmp(before, cluster_mem(c, DATA), sizeof(before)))
		return -EBADMSG;
	return insn.fault;
}

TEST_F(bound, a_copy_over_an_object_is_refused_as_it_is_issued)
{
	struct drm_vsm_insn insns[6];
	uint32_t i, n;

	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	ASSERT_EQ(0, exec_one(&self->c, i_init(0x410, 5)));
	n = writes(insns, self->b.handle, true);
	for (i = 0; i < n; i++)
		EXPECT_EQ(DRM_VSM_FAULT_WRITE_OVER_LIVE, write_fault(&self->c, insns[i]))
			TH_LOG("%u", i);
	/* The copy has sixteen bytes, and the object is in the second half. */
	ASSERT_EQ(0, exec_one(&self->c, i_init(0x438, 1)));
	insns[0] = i_cp_async(0x430, 16, self->b.handle, 0);
	EXPECT_EQ(-EPROTO, exec_stream(&self->c, 0, insns, 1, NULL));
	EXPECT_EQ(0x438, insns[0].info);
	EXPECT_EQ(word(&self->c, 0x438), insns[0].result);
	fault_drain(self->c.fd);

	n = writes(insns, self->b.handle, false);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(0, exec_one(&self->c, insns[i]));
		ASSERT_EQ(0, async_finish(&self->c));
	}
	EXPECT_EQ(word_of(self->layout, 5, 0, 5, 0), word(&self->c, 0x410));
	/* After the inval, the bytes at 0x410 are plain memory again. */
	ASSERT_EQ(0, exec_one(&self->c, i_inval(0x410)));
	n = writes(insns, self->b.handle, true);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(0, exec_one(&self->c, insns[i]));
		ASSERT_EQ(0, async_finish(&self->c));
	}
	EXPECT_EQ(0, poll_events(self->c.fd));
}

TEST_F(bound, a_copy_over_an_object_that_began_meanwhile_does_not_happen)
{
	struct drm_vsm_insn insns[6], insn;
	uint32_t i, n = writes(insns, self->b.handle, true);

	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&self->c, insns[i]));
		ASSERT_EQ(0, exec_one(&self->c, i_init(0x410, 5)));
		ASSERT_EQ(0, exec_one(&self->c, i_arrive(0x410)));
		ASSERT_EQ(0, async_release(&self->c));
		EXPECT_EQ(DRM_VSM_FAULT_WRITE_OVER_LIVE, async_fault(&self->c, &insn));
		EXPECT_EQ(0x410, insn.info);
		EXPECT_EQ(word_of(self->layout, 4, 0, 5, 0), insn.result);
		EXPECT_EQ(word_of(self->layout, 4, 0, 5, 0), word(&self->c, 0x410));
		EXPECT_EQ(0, word(&self->c, 0x418));
		ASSERT_EQ(0, exec_one(&self->c, i_inval(0x410)));
	}
	/* Later copies still happen when an earlier one is refused. */
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, insns[0]));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(DATA, 8, self->b.handle, 0)));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_arrive(A)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(0x410, 5)));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(0x3c3c3c3c3c3c3c3c, word(&self->c, DATA));
	EXPECT_EQ(word_of(self->layout, 1, 0, 1, 0), word(&self->c, A));
}

TEST_F(bound, a_thread_s_bulk_copy_is_refused_as_it_is_issued_or_does_not_happen)
{
	const struct drm_vsm_insn copies[] = {
		i_g2s(0x410, A, 16, self->b.handle, 0), i_g2s(0x400, A, 32, self->b.handle, 0),
		i_s2s(0x400, A, 32, 0x800), i_st_async(0x410, A, 8, 0x3c),
	};
	struct drm_vsm_insn insn;
	size_t i;

	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	if (self->sm_80)
		SKIP(return, "sm_80 has no bulk copies");
	ASSERT_EQ(0, exec_one(&self->c, i_fence()));
	for (i = 0; i < ITEMS(copies); i++) {
		ASSERT_EQ(0, exec_one(&self->c, i_init(0x410, 5)));
		ASSERT_EQ(0, exec_one(&self->c, i_fence()));
		EXPECT_EQ(DRM_VSM_FAULT_WRITE_OVER_LIVE, write_fault(&self->c, copies[i]));
		ASSERT_EQ(0, exec_one(&self->c, i_inval(0x410)));
		fault_drain(self->c.fd);

		ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&self->c, copies[i]));
		ASSERT_EQ(0, exec_one(&self->c, i_init(0x410, 5)));
		ASSERT_EQ(0, async_release(&self->c));
		EXPECT_EQ(DRM_VSM_FAULT_WRITE_OVER_LIVE, async_fault(&self->c, &insn));
		EXPECT_EQ(0x410, insn.info);
		EXPECT_EQ(word_of(self->layout, 5, 0, 5, 0), word(&self->c, 0x410));
		EXPECT_EQ(0, word(&self->c, 0x400));
		ASSERT_EQ(0, exec_one(&self->c, i_inval(0x410)));
	}
	/* The copies are no longer pending on the mbarrier, and have not changed it. */
	EXPECT_EQ(word_of(self->layout, 1, 0, 1, 0), word(&self->c, A));
	EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
}

TEST_F(bound, a_bulk_copy_over_an_object_fails_its_job)
{
	uint64_t before;
	int rank;

	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	if (self->sm_80)
		SKIP(return, "sm_80 has no bulk copies");
	ASSERT_EQ(0, exec_one(&self->c, i_expect_tx(A, 256)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(0x410, 5)));
	before = word(&self->c, A);
	EXPECT_EQ(-EIO, job_status(&self->c, 0, i_g2s(0x400, A, 32, self->b.handle, 0)));
	EXPECT_EQ(-EIO, job_status(&self->c, 0, i_g2s(0x410, A, 16, self->b.handle, 0)));
	EXPECT_EQ(-EIO, job_status(&self->c, 0, i_g2s(0x300, A, 1024, self->b.handle, 0)));
	/* The copy would write over the mbarrier on which it has to complete. */
	EXPECT_EQ(-EIO, job_status(&self->c, 0, i_g2s(A, A, 16, self->b.handle, 0)));
	EXPECT_EQ(before, word(&self->c, A));
	EXPECT_EQ(0, word(&self->c, 0x400));
	EXPECT_EQ(word_of(self->layout, 5, 0, 5, 0), word(&self->c, 0x410));
	/* Copies next to the object complete. A store that would read the object fails too. */
	EXPECT_EQ(1, job_status(&self->c, 0, i_g2s(0x400, A, 16, self->b.handle, 0)));
	EXPECT_EQ(1, job_status(&self->c, 0, i_g2s(0x420, A, 240, self->b.handle, 0)));
	EXPECT_EQ(1, job_status(&self->c, 0, i_s2g(0x300, 256, self->b.handle, 0)));
	EXPECT_EQ(-EIO, job_status(&self->c, 0, i_s2g(0x300, 1024, self->b.handle, 0)));
	EXPECT_EQ(word_of(self->layout, 1, 0, 1, 0), word(&self->c, A));

	/* The driver checks the objects of every window. */
	for (rank = 0; rank < 4; rank++) {
		if (rank)
			ASSERT_EQ(0, exec_at(&self->c, rank, i_init(AT(rank, A), 1), NULL));
		ASSERT_EQ(0, exec_at(&self->c, rank, i_init(AT(rank, 0xff0), 1), NULL));
		ASSERT_EQ(0, exec_at(&self->c, rank, i_fence(), NULL));
		EXPECT_EQ(-EIO, job_status(&self->c, 0, i_g2s(AT(rank, 0xfe0), AT(rank, A), 32,
							      self->b.handle, 0)));
	}
}

TEST_F(bound, hardware_writes_over_anything)
{
	struct cluster c;

	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	ASSERT_EQ(0, cluster_create(&c, self->c.fd, self->layout, DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, exec_one(&c, i_init(DATA, 5)));
	ASSERT_EQ(0, exec_one(&c, i_init(END, 1)));
	EXPECT_EQ(0, exec_one(&c, i_cp_async(DATA, 8, self->b.handle, 0)));
	ASSERT_EQ(0, async_release(&c));
	EXPECT_EQ(0x3c3c3c3c3c3c3c3c, word(&c, DATA));
	EXPECT_EQ(0, poll_events(c.fd));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_HARNESS_MAIN
