// SPDX-License-Identifier: MIT
/*
 * One function for each mbarrier operation of PTX.
 */
#include "internal.h"

static int arrive(const struct vsm_thread *thread, struct drm_vsm_insn insn, uint64_t *state)
{
	if (!state)
		insn.mods |= DRM_VSM_MOD_SINK;
	return vsm_execute(thread, insn, state);
}

static int check_phase(const struct vsm_thread *thread, struct drm_vsm_insn insn, bool *complete)
{
	uint64_t result;
	int err = vsm_execute(thread, insn, &result);

	if (!err)
		*complete = result;
	return err;
}

static int wait_for_phase(const struct vsm_thread *thread, struct drm_vsm_insn try_wait)
{
	struct vsm_thread unlimited;
	bool complete;
	int err;

	err = vsm_thread_get(&unlimited, thread);
	if (err)
		return err;
	unlimited.exec_flags |= DRM_VSM_EXEC_NO_LIMIT;
	do {
		err = check_phase(&unlimited, try_wait, &complete);
	} while (!err && !complete);
	return err;
}

int vsm_thread_mbarrier_init(const struct vsm_thread *thread, uint32_t addr, uint32_t count,
			     unsigned int qual)
{
	return vsm_execute(thread, vsm_prep_mbarrier_init(addr, count, qual), NULL);
}

int vsm_thread_mbarrier_inval(const struct vsm_thread *thread, uint32_t addr, unsigned int qual)
{
	return vsm_execute(thread, vsm_prep_mbarrier_inval(addr, qual), NULL);
}

int vsm_thread_mbarrier_expect_tx(const struct vsm_thread *thread, uint32_t addr,
				  uint32_t tx_count, unsigned int qual)
{
	return vsm_execute(thread, vsm_prep_mbarrier_expect_tx(addr, tx_count, qual), NULL);
}

int vsm_thread_mbarrier_complete_tx(const struct vsm_thread *thread, uint32_t addr,
				    uint32_t tx_count, unsigned int qual)
{
	return vsm_execute(thread, vsm_prep_mbarrier_complete_tx(addr, tx_count, qual), NULL);
}

int vsm_thread_mbarrier_arrive(const struct vsm_thread *thread, uint32_t addr, unsigned int qual,
			       uint64_t *state)
{
	return arrive(thread, vsm_prep_mbarrier_arrive(addr, qual), state);
}

int vsm_thread_mbarrier_arrive_count(const struct vsm_thread *thread, uint32_t addr,
				     uint32_t count, unsigned int qual, uint64_t *state)
{
	return arrive(thread, vsm_prep_mbarrier_arrive_count(addr, count, qual), state);
}

int vsm_thread_mbarrier_arrive_expect_tx(const struct vsm_thread *thread, uint32_t addr,
					 uint32_t tx_count, unsigned int qual, uint64_t *state)
{
	return arrive(thread, vsm_prep_mbarrier_arrive_expect_tx(addr, tx_count, qual), state);
}

int vsm_thread_mbarrier_arrive_nocomplete(const struct vsm_thread *thread, uint32_t addr,
					  uint32_t count, unsigned int qual, uint64_t *state)
{
	return arrive(thread, vsm_prep_mbarrier_arrive_nocomplete(addr, count, qual), state);
}

int vsm_thread_mbarrier_arrive_drop(const struct vsm_thread *thread, uint32_t addr,
				    unsigned int qual, uint64_t *state)
{
	return arrive(thread, vsm_prep_mbarrier_arrive_drop(addr, qual), state);
}

int vsm_thread_mbarrier_arrive_drop_count(const struct vsm_thread *thread, uint32_t addr,
					  uint32_t count, unsigned int qual, uint64_t *state)
{
	return arrive(thread, vsm_prep_mbarrier_arrive_drop_count(addr, count, qual), state);
}

int vsm_thread_mbarrier_arrive_drop_expect_tx(const struct vsm_thread *thread, uint32_t addr,
					      uint32_t tx_count, unsigned int qual,
					      uint64_t *state)
{
	return arrive(thread, vsm_prep_mbarrier_arrive_drop_expect_tx(addr, tx_count, qual),
		      state);
}

int vsm_thread_mbarrier_arrive_drop_nocomplete(const struct vsm_thread *thread, uint32_t addr,
					       uint32_t count, unsigned int qual,
					       uint64_t *state)
{
	return arrive(thread, vsm_prep_mbarrier_arrive_drop_nocomplete(addr, count, qual), state);
}

int vsm_thread_mbarrier_test_wait(const struct vsm_thread *thread, uint32_t addr, uint64_t state,
				  unsigned int qual, bool *complete)
{
	return check_phase(thread, vsm_prep_mbarrier_test_wait(addr, state, qual), complete);
}

int vsm_thread_mbarrier_test_wait_parity(const struct vsm_thread *thread, uint32_t addr,
					 uint32_t parity, unsigned int qual, bool *complete)
{
	return check_phase(thread, vsm_prep_mbarrier_test_wait_parity(addr, parity, qual),
			   complete);
}

int vsm_thread_mbarrier_try_wait(const struct vsm_thread *thread, uint32_t addr, uint64_t state,
				 unsigned int qual, bool *complete)
{
	return check_phase(thread, vsm_prep_mbarrier_try_wait(addr, state, qual), complete);
}

int vsm_thread_mbarrier_try_wait_hint(const struct vsm_thread *thread, uint32_t addr,
				      uint64_t state, uint32_t hint_ns, unsigned int qual,
				      bool *complete)
{
	return check_phase(thread, vsm_prep_mbarrier_try_wait_hint(addr, state, hint_ns, qual),
			   complete);
}

int vsm_thread_mbarrier_try_wait_parity(const struct vsm_thread *thread, uint32_t addr,
					uint32_t parity, unsigned int qual, bool *complete)
{
	return check_phase(thread, vsm_prep_mbarrier_try_wait_parity(addr, parity, qual),
			   complete);
}

int vsm_thread_mbarrier_try_wait_parity_hint(const struct vsm_thread *thread, uint32_t addr,
					     uint32_t parity, uint32_t hint_ns,
					     unsigned int qual, bool *complete)
{
	return check_phase(thread,
			   vsm_prep_mbarrier_try_wait_parity_hint(addr, parity, hint_ns, qual),
			   complete);
}

int vsm_thread_mbarrier_wait(const struct vsm_thread *thread, uint32_t addr, uint64_t state,
			     unsigned int qual)
{
	return wait_for_phase(thread, vsm_prep_mbarrier_try_wait(addr, state, qual));
}

int vsm_thread_mbarrier_wait_parity(const struct vsm_thread *thread, uint32_t addr,
				    uint32_t parity, unsigned int qual)
{
	return wait_for_phase(thread, vsm_prep_mbarrier_try_wait_parity(addr, parity, qual));
}

int vsm_thread_mbarrier_pending_count(const struct vsm_thread *thread, uint64_t state,
				      uint32_t *count)
{
	uint64_t result;
	int err = vsm_execute(thread, vsm_prep_mbarrier_pending_count(state), &result);

	if (!err)
		*count = (uint32_t)result;
	return err;
}

int vsm_thread_fence_mbarrier_init(const struct vsm_thread *thread)
{
	return vsm_execute(thread, vsm_prep_fence_mbarrier_init(), NULL);
}

int vsm_thread_fence(const struct vsm_thread *thread, unsigned int qual)
{
	return vsm_execute(thread, vsm_prep_fence(qual), NULL);
}

int vsm_thread_cp_async_mbarrier_arrive(const struct vsm_thread *thread, uint32_t addr,
					unsigned int qual)
{
	return vsm_execute(thread, vsm_prep_cp_async_mbarrier_arrive(addr, qual), NULL);
}

int vsm_thread_cp_async_mbarrier_arrive_noinc(const struct vsm_thread *thread, uint32_t addr,
					      unsigned int qual)
{
	return vsm_execute(thread, vsm_prep_cp_async_mbarrier_arrive_noinc(addr, qual), NULL);
}
