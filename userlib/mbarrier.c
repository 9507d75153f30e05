// SPDX-License-Identifier: MIT
/*
 * One function for each mbarrier operation of PTX, and for cp.async.
 */
#include "internal.h"

static int execute(const struct vsm_thread *thread, struct drm_vsm_insn insn, uint64_t *result)
{
	int err = vsm_exec(thread, &insn, 1, NULL);

	if (!err && result)
		*result = insn.result;
	return err;
}

static int arrive(const struct vsm_thread *thread, struct drm_vsm_insn insn, uint64_t *state)
{
	if (!state)
		insn.mods |= DRM_VSM_MOD_SINK;
	return execute(thread, insn, state);
}

static int check_phase(const struct vsm_thread *thread, struct drm_vsm_insn insn, bool *complete)
{
	uint64_t result;
	int err = execute(thread, insn, &result);

	if (!err)
		*complete = result;
	return err;
}

static int wait_for_phase(const struct vsm_thread *thread, struct drm_vsm_insn try_wait)
{
	struct vsm_thread unlimited = *thread;
	bool complete;
	int err;

	unlimited.exec_flags |= DRM_VSM_EXEC_NO_LIMIT;
	do {
		err = check_phase(&unlimited, try_wait, &complete);
	} while (!err && !complete);
	return err;
}

int vsm_thread_mbarrier_init(const struct vsm_thread *thread, uint32_t addr, uint32_t count,
			     unsigned int qual)
{
	return execute(thread, vsm_insn_mbarrier_init(addr, count, qual), NULL);
}

int vsm_thread_mbarrier_inval(const struct vsm_thread *thread, uint32_t addr, unsigned int qual)
{
	return execute(thread, vsm_insn_mbarrier_inval(addr, qual), NULL);
}

int vsm_thread_mbarrier_expect_tx(const struct vsm_thread *thread, uint32_t addr,
				  uint32_t tx_count, unsigned int qual)
{
	return execute(thread, vsm_insn_mbarrier_expect_tx(addr, tx_count, qual), NULL);
}

int vsm_thread_mbarrier_complete_tx(const struct vsm_thread *thread, uint32_t addr,
				    uint32_t tx_count, unsigned int qual)
{
	return execute(thread, vsm_insn_mbarrier_complete_tx(addr, tx_count, qual), NULL);
}

int vsm_thread_mbarrier_arrive(const struct vsm_thread *thread, uint32_t addr, unsigned int qual,
			       uint64_t *state)
{
	return arrive(thread, vsm_insn_mbarrier_arrive(addr, qual), state);
}

int vsm_thread_mbarrier_arrive_count(const struct vsm_thread *thread, uint32_t addr,
				     uint32_t count, unsigned int qual, uint64_t *state)
{
	return arrive(thread, vsm_insn_mbarrier_arrive_count(addr, count, qual), state);
}

int vsm_thread_mbarrier_arrive_expect_tx(const struct vsm_thread *thread, uint32_t addr,
					 uint32_t tx_count, unsigned int qual, uint64_t *state)
{
	return arrive(thread, vsm_insn_mbarrier_arrive_expect_tx(addr, tx_count, qual), state);
}

int vsm_thread_mbarrier_arrive_nocomplete(const struct vsm_thread *thread, uint32_t addr,
					  uint32_t count, unsigned int qual, uint64_t *state)
{
	return arrive(thread, vsm_insn_mbarrier_arrive_nocomplete(addr, count, qual), state);
}

int vsm_thread_mbarrier_arrive_drop(const struct vsm_thread *thread, uint32_t addr,
				    unsigned int qual, uint64_t *state)
{
	return arrive(thread, vsm_insn_mbarrier_arrive_drop(addr, qual), state);
}

int vsm_thread_mbarrier_arrive_drop_count(const struct vsm_thread *thread, uint32_t addr,
					  uint32_t count, unsigned int qual, uint64_t *state)
{
	return arrive(thread, vsm_insn_mbarrier_arrive_drop_count(addr, count, qual), state);
}

int vsm_thread_mbarrier_arrive_drop_expect_tx(const struct vsm_thread *thread, uint32_t addr,
					      uint32_t tx_count, unsigned int qual,
					      uint64_t *state)
{
	return arrive(thread, vsm_insn_mbarrier_arrive_drop_expect_tx(addr, tx_count, qual),
		      state);
}

int vsm_thread_mbarrier_arrive_drop_nocomplete(const struct vsm_thread *thread, uint32_t addr,
					       uint32_t count, unsigned int qual,
					       uint64_t *state)
{
	return arrive(thread, vsm_insn_mbarrier_arrive_drop_nocomplete(addr, count, qual), state);
}

int vsm_thread_mbarrier_test_wait(const struct vsm_thread *thread, uint32_t addr, uint64_t state,
				  unsigned int qual, bool *complete)
{
	return check_phase(thread, vsm_insn_mbarrier_test_wait(addr, state, qual), complete);
}

int vsm_thread_mbarrier_test_wait_parity(const struct vsm_thread *thread, uint32_t addr,
					 uint32_t parity, unsigned int qual, bool *complete)
{
	return check_phase(thread, vsm_insn_mbarrier_test_wait_parity(addr, parity, qual),
			   complete);
}

int vsm_thread_mbarrier_try_wait(const struct vsm_thread *thread, uint32_t addr, uint64_t state,
				 unsigned int qual, bool *complete)
{
	return check_phase(thread, vsm_insn_mbarrier_try_wait(addr, state, qual), complete);
}

int vsm_thread_mbarrier_try_wait_hint(const struct vsm_thread *thread, uint32_t addr,
				      uint64_t state, uint32_t hint_ns, unsigned int qual,
				      bool *complete)
{
	return check_phase(thread, vsm_insn_mbarrier_try_wait_hint(addr, state, hint_ns, qual),
			   complete);
}

int vsm_thread_mbarrier_try_wait_parity(const struct vsm_thread *thread, uint32_t addr,
					uint32_t parity, unsigned int qual, bool *complete)
{
	return check_phase(thread, vsm_insn_mbarrier_try_wait_parity(addr, parity, qual),
			   complete);
}

int vsm_thread_mbarrier_try_wait_parity_hint(const struct vsm_thread *thread, uint32_t addr,
					     uint32_t parity, uint32_t hint_ns,
					     unsigned int qual, bool *complete)
{
	return check_phase(thread,
			   vsm_insn_mbarrier_try_wait_parity_hint(addr, parity, hint_ns, qual),
			   complete);
}

int vsm_thread_mbarrier_wait(const struct vsm_thread *thread, uint32_t addr, uint64_t state,
			     unsigned int qual)
{
	return wait_for_phase(thread, vsm_insn_mbarrier_try_wait(addr, state, qual));
}

int vsm_thread_mbarrier_wait_parity(const struct vsm_thread *thread, uint32_t addr,
				    uint32_t parity, unsigned int qual)
{
	return wait_for_phase(thread, vsm_insn_mbarrier_try_wait_parity(addr, parity, qual));
}

int vsm_thread_mbarrier_pending_count(const struct vsm_thread *thread, uint64_t state,
				      uint32_t *count)
{
	uint64_t result;
	int err = execute(thread, vsm_insn_mbarrier_pending_count(state), &result);

	if (!err)
		*count = (uint32_t)result;
	return err;
}

int vsm_thread_fence_mbarrier_init(const struct vsm_thread *thread)
{
	return execute(thread, vsm_insn_fence_mbarrier_init(), NULL);
}

int vsm_thread_cp_async(const struct vsm_thread *thread, uint32_t addr,
			const struct vsm_buffer *buffer, uint64_t offset, uint32_t size,
			unsigned int qual)
{
	return execute(thread, vsm_insn_cp_async(addr, vsm_buffer_handle(buffer), offset, size,
						 qual), NULL);
}

int vsm_thread_cp_async_src_size(const struct vsm_thread *thread, uint32_t addr,
				 const struct vsm_buffer *buffer, uint64_t offset, uint32_t size,
				 uint32_t src_size, unsigned int qual)
{
	return execute(thread, vsm_insn_cp_async_src_size(addr, vsm_buffer_handle(buffer), offset,
							  size, src_size, qual), NULL);
}

int vsm_thread_cp_async_mbarrier_arrive(const struct vsm_thread *thread, uint32_t addr,
					unsigned int qual)
{
	return execute(thread, vsm_insn_cp_async_mbarrier_arrive(addr, qual), NULL);
}

int vsm_thread_cp_async_mbarrier_arrive_noinc(const struct vsm_thread *thread, uint32_t addr,
					      unsigned int qual)
{
	return execute(thread, vsm_insn_cp_async_mbarrier_arrive_noinc(addr, qual), NULL);
}
