// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs: small operations of threads that a channel performs together.
 *
 * A program cannot find out whether operations were performed together. An operation that fails, or
 * that needs more than to move its bytes and to complete on one mbarrier, is performed alone
 * (vsm_perform.c).
 */
#include <linux/dma-fence.h>
#include <linux/sched.h>

#include "copy/vsm_move.h"
#include "copy/vsm_op.h"
#include "copy/vsm_perform.h"
#include "copy/vsm_run.h"

/*
 * Complete the first operations of a run, which have moved their bytes and complete on the same
 * phase of the same mbarrier, and add their @bytes. Returns false if they have to complete one by
 * one.
 */
static bool vsm_ops_complete(struct list_head *run, u64 *bytes)
{
	struct vsm_op *first = list_first_entry(run, struct vsm_op, link);
	const struct vsm_binding *binding = &first->target.binding;
	struct vsm_op *op, *last = NULL;
	u32 count = 0, tx = 0;
	bool cookie, ended;
	LIST_HEAD(done);

	list_for_each_entry(op, run, link) {
		/* Whether the init of the mbarrier is visible depends on the CTA. */
		if (!op->moved || op->cluster != first->cluster ||
		    op->origin.cta != first->origin.cta ||
		    op->target.binding.addr != binding->addr ||
		    op->target.binding.serial != binding->serial)
			break;
		tx += op->tx;
		count++;
		last = op;
	}
	cookie = dma_fence_begin_signalling();
	ended = last && vsm_binding_complete_run(first->cluster, binding, count, tx,
						 &last->origin);
	dma_fence_end_signalling(cookie);
	if (!ended)
		return false;
	list_cut_position(&done, run, &last->link);
	list_for_each_entry_safe(first, op, &done, link) {
		*bytes += first->size;
		first->bound = 0;
		first->end(first, 0);
	}
	return true;
}

/**
 * vsm_ops_perform_run - Perform operations of a run, as far as no error and no busy word comes up
 * @run: At most VSM_RUN_OPS operations that vsm_op_can_run(). Afterwards those that have not
 *	ended, which the caller performs one by one
 *
 * First all operations move their bytes. Then neighbours in @run that complete on the same phase of
 * the same mbarrier complete together: their word is exchanged once. If that fails, these
 * operations and all behind them stay in @run. This is also an order in which they might be
 * performed one by one, because asynchronous operations are not ordered.
 *
 * Context: may sleep; allocates nothing.
 *
 * Return: Bytes of the operations that have ended.
 */
u64 vsm_ops_perform_run(struct list_head *run)
{
	struct vsm_hazard *reads[VSM_RUN_OPS] __uninitialized;
	struct vsm_hazard *writes[VSM_RUN_OPS] __uninitialized;
	bool cookie = dma_fence_begin_signalling();
	struct vsm_op *op;
	u32 count = 0;
	u64 bytes = 0;

	list_for_each_entry(op, run, link) {
		u32 rank = vsm_addr_rank(op->insn.u.copy.addr);

		/* vsm_op_perform() drops the operation if it has to. */
		if (READ_ONCE(op->cluster->lost) ||
		    atomic_read_acquire(&op->cluster->inits) != op->inits)
			break;
		vsm_op_move_to_window(op, rank);
		vsm_op_moved(op, BIT(rank));
		reads[count] = &op->reads;
		writes[count++] = &op->target.hazard;
	}
	/*
	 * Before the operations complete: a thread that sees the phase complete may issue an
	 * operation on the same bytes at once. The reads are of buffers and the writes of the
	 * cluster. Each array therefore has neighbours of one object, which leave under one lock.
	 */
	vsm_hazards_leave(reads, count);
	vsm_hazards_leave(writes, count);
	dma_fence_end_signalling(cookie);
	cond_resched();
	while (!list_empty(run) && vsm_ops_complete(run, &bytes))
		;
	return bytes;
}
