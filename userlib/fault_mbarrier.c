// SPDX-License-Identifier: MIT
/* Sentences about faults of mbarriers: what the device found, and what to change. */
#include <stdlib.h>

#include "report.h"

static bool has_noinc(const struct drm_vsm_insn *insn)
{
	return insn->op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE &&
	       insn->mods & DRM_VSM_MOD_NOINC;
}

static const char *is_or_are(int64_t number)
{
	return number == 0 || number == 1 ? "is" : "are";
}

/* The alignment that the addresses of a copy must have, except the address of its mbarrier. */
static uint32_t alignment(const struct vsm_report *r)
{
	bool any_size = r->insn->op == DRM_VSM_OP_CP_ASYNC || r->traits & STORE;

	if (r->traits & TENSOR)
		return 128;
	return any_size && (r->c->size == 4 || r->c->size == 8) ? r->c->size : 16;
}

void vsm_put_misaligned(struct vsm_report *r)
{
	const struct drm_vsm_copy_operands *c = r->c;
	uint32_t align = alignment(r);
	bool buffer = r->traits & COPY && !(r->traits & SHARED);

	vsm_about(r);
	if (!(r->traits & MOVES)) {
		put(r, "the address must be a multiple of 8");
	} else if (buffer && c->offset % align) {
		put(r, "the offset in the buffer, 0x%llx, must be a multiple of %u",
		    (unsigned long long)c->offset, align);
	} else if (r->traits & TENSOR && r->t->map % 64) {
		put(r, "the address of the tensor map, 0x%llx, must be a multiple of 64",
		    (unsigned long long)r->t->map);
	} else if (r->traits & SHARED && c->src % align) {
		put(r, "the address of its source, ");
		vsm_put_place(r, c->src);
		put(r, ", must be a multiple of %u", align);
	} else if (c->addr % align || !(r->traits & MBAR)) {
		put(r, "the address in shared memory must be a multiple of %u", align);
	} else {
		put(r, "the address of its mbarrier, ");
		vsm_put_place(r, c->mbar);
		put(r, ", must be a multiple of 8");
	}
}

static void multicast_out_of_window(struct vsm_report *r)
{
	if (!cta_mask(r)) {
		put(r, "ctaMask is 0");
		advise(r, "set the bit of each destination CTA");
		return;
	}
	put(r, "ctaMask 0x%x names a CTA that does not exist, or the copy's end ", cta_mask(r));
	put(r, "or its mbarrier at 0x%x is outside their windows", offset_of(r->c->mbar));
	advise(r, "check mask and offsets");
}

void vsm_put_out_of_window(struct vsm_report *r)
{
	uint32_t addr = addr_of(r);

	vsm_about(r);
	if (r->insn->space == DRM_VSM_SPACE_SHARED_CTA && rank_of(addr) != r->cta) {
		put(r, ".shared::cta means the window of the executing CTA, which is CTA %u",
		    r->cta);
		advise(r, "spell .shared::cluster");
	} else if (is_multicast(r)) {
		multicast_out_of_window(r);
	} else if (r->traits & MOVES && r->traits & MBAR) {
		put(r, "its end, ");
		if (r->traits & SHARED) {
			put(r, "its source at ");
			vsm_put_place(r, r->c->src);
			put(r, ", ");
		}
		put(r, "or the mbarrier at ");
		vsm_put_place(r, r->c->mbar);
		put(r, ", is outside the windows of the cluster");
		advise(r, "check ranks and offsets");
	} else if (rank_of(addr) == r->cta) {
		put(r, "the window ends before that");
		advise(r, "check the offset, or create the cluster with more shared memory");
	} else {
		put(r, "there is no such CTA, or its window ends before that");
		advise(r, "check rank and offset");
	}
}

void vsm_put_not_an_mbarrier(struct vsm_report *r)
{
	vsm_about_mbarrier(r);
	put(r, "no mbarrier has been initialised there");
	if (r->word.poison || r->word.reserved) {
		put(r, ", or something has overwritten it: the word is 0x%llx",
		    (unsigned long long)r->insn->result);
		advise(r, "execute init first, and look for a store or a copy that overlaps it");
	} else {
		advise(r, "execute init first, and do not use the mbarrier after inval");
	}
}

void vsm_put_init_over_live(struct vsm_report *r)
{
	vsm_about_mbarrier(r);
	put(r, "a valid mbarrier is there already");
	if (r->insn->info == DRM_VSM_MBARRIER_UNOBSERVED) {
		put(r, ", and no wait has returned True for its last phase");
		advise(r, "wait for the phase and execute inval first");
	} else if (r->insn->info == DRM_VSM_MBARRIER_IN_PROGRESS) {
		put(r, ", and its phase is in progress");
		advise(r, "wait for the phase and execute inval first");
	} else {
		put(r, ", and it is idle");
		advise(r, "execute inval first, or let only one thread initialise it");
	}
}

void vsm_put_bad_count(struct vsm_report *r)
{
	vsm_about_mbarrier(r);
	put(r, "the count must be from 1 to %u", VSM_MBARRIER_MAX_COUNT);
}

void vsm_put_bad_parity(struct vsm_report *r)
{
	vsm_about_mbarrier(r);
	put(r, "the parity is %u, but must be 0 or 1", r->o->parity);
	advise(r, "use the number of the phase modulo 2");
}

void vsm_put_inval_in_use(struct vsm_report *r)
{
	uint32_t bound = r->insn->info;

	vsm_about_mbarrier(r);
	if (bound) {
		vsm_put_number(r, bound, "asynchronous operation");
		put(r, " %s bound to it", is_or_are(bound));
		advise(r, "wait for the phase first");
	} else {
		put(r, "a thread is suspended or a wait is armed on it");
		advise(r, "let the wait end, or cancel it, first");
	}
}

void vsm_put_arrival_overflow(struct vsm_report *r)
{
	vsm_about_mbarrier(r);
	vsm_put_number(r, r->word.pending, "arrival");
	put(r, " %s pending", is_or_are(r->word.pending));
	if (r->word.pending) {
		advise(r, "arrive with a lower count, or init it with a higher count");
		return;
	}
	if (r->word.tx > 0) {
		put(r, ", only ");
		vsm_put_number(r, r->word.tx, "byte");
		put(r, " %s missing", is_or_are(r->word.tx));
	}
	if (has_noinc(r->insn))
		advise(r, "init it with a count that includes the arrivals of .noinc");
	else
		advise(r, "wait for the phase before arriving again, or init with a higher count");
}

void vsm_put_nocomplete_completes(struct vsm_report *r)
{
	vsm_about_mbarrier(r);
	vsm_put_number(r, r->word.pending, "arrival");
	put(r, " %s pending, and .noComplete must not complete the phase",
	    is_or_are(r->word.pending));
	advise(r, "let the last thread arrive without .noComplete");
}

void vsm_put_drop_to_zero(struct vsm_report *r)
{
	vsm_about_mbarrier(r);
	vsm_put_number(r, r->word.expected, "arrival");
	put(r, " %s expected, and the next phase would expect none",
	    is_or_are(r->word.expected));
	advise(r, "let the last thread arrive without dropping");
}

/*
 * The number that the instruction adds to the tx-count, or if @completes, that its completion adds.
 */
static int64_t tx_added(const struct vsm_report *r, bool completes)
{
	const struct drm_vsm_insn *insn = r->insn;

	if (insn->op == DRM_VSM_OP_MBARRIER_EXPECT_TX ||
	    (is_arrive(insn) && insn->mods & DRM_VSM_MOD_EXPECT_TX))
		return r->o->tx_count;
	if (insn->op == DRM_VSM_OP_MBARRIER_COMPLETE_TX)
		return -(int64_t)r->o->tx_count;
	if (r->traits & (COPY | STORE) && r->traits & MBAR)
		return -(int64_t)r->c->size;
	if (insn->op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE && !has_noinc(insn))
		return completes ? -1 : 1;
	return 0;
}

void vsm_put_tx_range(struct vsm_report *r)
{
	int64_t added = tx_added(r, false), tx = r->word.tx + added;

	vsm_about_mbarrier(r);
	if (!(r->traits & TENSOR) && llabs(added) > VSM_MBARRIER_MAX_TX &&
	    llabs(tx) <= VSM_MBARRIER_MAX_TX) {
		put(r, "its operand is above %d", VSM_MBARRIER_MAX_TX);
		advise(r, "split the bytes over several operations");
		return;
	}
	/* Arrivals in flight are in the tx-count of the word, and stand for no bytes. */
	if (!(r->traits & TENSOR) && llabs(tx) <= VSM_MBARRIER_MAX_TX) {
		put(r, "more than %d bytes would be complete that were not announced",
		    VSM_MBARRIER_MAX_TX);
		advise(r, "announce bytes with expect_tx before they are complete");
		return;
	}
	put(r, "the tx-count is %d and would be ", r->word.tx);
	/* The size of a tensor copy is in its map, which is not available here. */
	if (!(r->traits & TENSOR))
		put(r, "%lld, ", (long long)tx);
	put(r, "outside -%d to %d", VSM_MBARRIER_MAX_TX, VSM_MBARRIER_MAX_TX);
	if (tx < 0 || r->traits & TENSOR)
		advise(r, "announce bytes with expect_tx before they are complete");
	else
		advise(r, "split the bytes over several phases or mbarriers");
}

void vsm_put_tx_overdelivery(struct vsm_report *r)
{
	int64_t tx = r->word.tx + tx_added(r, true);

	vsm_about_mbarrier(r);
	vsm_put_number(r, r->word.pending, "arrival");
	put(r, " %s pending and the tx-count is %d", is_or_are(r->word.pending), r->word.tx);
	if (tx < 0) {
		put(r, ", so ");
		vsm_put_number(r, -tx, "byte");
		put(r, " more would be complete than %s announced", tx == -1 ? "was" : "were");
	}
	advise(r, "announce all bytes with expect_tx before the last arrive");
}

static void advise_owner(struct vsm_report *r, uint32_t rank)
{
	advise(r, "let a thread of ");
	put(r, "CTA %u execute it", rank);
}

void vsm_put_remote_forbidden(struct vsm_report *r)
{
	uint32_t rank = rank_of(r->traits & SHARED ? r->c->src : addr_of(r));

	vsm_about(r);
	if (r->traits & SHARED) {
		put(r, "its source is at ");
		vsm_put_place(r, r->c->src);
		put(r, ", but a thread of CTA %u can read only its own window", r->cta);
		advise_owner(r, rank);
		return;
	}
	if (r->layout == VSM_LAYOUT_SM_80) {
		put(r, "in layout sm_80 a thread of CTA %u can use only its own window", r->cta);
		advise_owner(r, rank);
	} else if (is_arrive(r->insn) && !(r->insn->mods & DRM_VSM_MOD_NOCOMPLETE)) {
		put(r, "no state is returned from .shared::cluster");
		advise(r, "use the sink _");
		if (rank == r->cta)
			put(r, " or spell .shared::cta");
	} else if (rank == r->cta) {
		put(r, ".shared::cluster is not supported");
		advise(r, "spell .shared::cta");
	} else {
		put(r, "a thread of CTA %u can do this only in its own window", r->cta);
		advise_owner(r, rank);
	}
}

/* The sentence about .sem and .scope, worded like ptxas's errors. */
void vsm_put_bad_order(struct vsm_report *r)
{
	const struct drm_vsm_insn *insn = r->insn;
	const char *only = NULL;

	if (is_arrive(insn))
		only = ".release and .relaxed ordering are";
	else if (insn->op == DRM_VSM_OP_MBARRIER_TEST_WAIT ||
		 insn->op == DRM_VSM_OP_MBARRIER_TRY_WAIT)
		only = ".acquire and .relaxed ordering are";
	else if (insn->op == DRM_VSM_OP_MBARRIER_EXPECT_TX ||
		 insn->op == DRM_VSM_OP_MBARRIER_COMPLETE_TX)
		only = ".relaxed ordering is";

	if (insn->op == DRM_VSM_OP_FENCE_MBARRIER_INIT) {
		vsm_put_name(r, true);
		put(r, " supports .release.cluster only");
	} else if (insn->op == DRM_VSM_OP_FENCE) {
		vsm_put_name(r, true);
		put(r, " supports .sc, .acq_rel, .acquire and .release only, with a .scope");
	} else if (insn->op == DRM_VSM_OP_ST_ASYNC) {
		vsm_put_name(r, true);
		put(r, " supports .weak only");
	} else if (insn->op == DRM_VSM_OP_RED_ASYNC) {
		vsm_put_name(r, true);
		put(r, " supports .relaxed.cluster only");
	} else if (r->traits & CLUSTER) {
		vsm_put_name(r, true);
		put(r, " supports %s only, without a .scope",
		    insn->op == DRM_VSM_OP_BARRIER_CLUSTER_WAIT ? ".acquire" :
								  ".release and .relaxed");
	} else if (!only) {
		vsm_put_name(r, true);
		put(r, " takes no .sem and no .scope");
	} else if (!insn->sem || !insn->scope) {
		put(r, "qualifiers .sem and .scope of ");
		vsm_put_name(r, true);
		put(r, " must be given together");
	} else if (is_arrive(insn) && insn->mods & DRM_VSM_MOD_NOCOMPLETE) {
		vsm_put_name(r, true);
		put(r, " supports .release.cta only");
	} else {
		put(r, "only %s supported for ", only);
		vsm_put_name(r, true);
	}
}

void vsm_put_poisoned(struct vsm_report *r)
{
	vsm_about_mbarrier(r);
	put(r, "its poison bit is set, so the operation trapped and the cluster is lost");
	advise(r, "look for a cp.async.mbarrier.arrive.noinc too many, or for a store to the word");
}

void vsm_put_phase_unobserved(struct vsm_report *r)
{
	bool counted = is_arrive(r->insn) && r->insn->mods & DRM_VSM_MOD_COUNT;

	vsm_about_mbarrier(r);
	put(r, "no wait has returned True for the previous phase, of parity %u", !r->word.phase);
	/*
	 * The arrive would not complete the phase. It is refused because the cluster enforces the
	 * rule for every arrive.
	 */
	if (r->word.pending > (counted ? r->o->count : 1))
		advise(r, "wait for each phase before arriving in the next");
	else
		advise(r, "wait for each phase before the next one is complete");
}

void vsm_put_stale_token(struct vsm_report *r)
{
	vsm_about_mbarrier(r);
	put(r, "the token is older than the immediately preceding phase, or of another object");
	advise(r, "wait with the token of the last arrive");
}

void vsm_put_not_a_pending_token(struct vsm_report *r)
{
	vsm_about_mbarrier(r);
	put(r, "no .noComplete arrive returned this token");
	advise(r, "use the token of an arrive.noComplete or an arrive_drop.noComplete");
}

void vsm_put_init_not_fenced(struct vsm_report *r)
{
	vsm_about_mbarrier(r);
	put(r, "its init may not be visible to CTA %u yet", r->cta);
	advise(r, "after the init, let its thread execute fence.mbarrier_init.release.cluster, ");
	put(r, "or let all threads execute barrier.cluster.arrive.release and .wait");
}

void vsm_put_write_over_live(struct vsm_report *r)
{
	vsm_about(r);
	put(r, "it would write over the valid mbarrier at ");
	vsm_put_place(r, r->insn->info);
	advise(r, "place them apart, or execute inval first");
}

void vsm_put_read_over_live(struct vsm_report *r)
{
	vsm_about(r);
	put(r, "it would read the valid mbarrier at ");
	vsm_put_place(r, r->insn->info);
	put(r, " as data");
	advise(r, "place them apart, or execute inval first");
}

void vsm_put_plain_access(struct vsm_report *r)
{
	put(r, "a load, a store or an atomic operation accesses the valid mbarrier at ");
	vsm_put_place(r, r->insn->info);
	advise(r, "use only instructions for mbarriers there, or execute inval first");
}

void vsm_put_late_completion(struct vsm_report *r)
{
	vsm_about_mbarrier(r);
	put(r, "it completed after its phase was complete, or after the mbarrier became invalid");
	if (r->traits & MOVES)
		advise(r, "announce its bytes with expect_tx before the last arrive");
	else if (has_noinc(r->insn))
		advise(r, "init it with a count that includes the arrivals of .noinc");
	else
		advise(r, "wait for the phase before inval");
}

static void put_missing(struct vsm_report *r)
{
	const struct vsm_mbarrier_fields *word = &r->word;

	put(r, "the phase lacks ");
	if (word->pending || word->tx <= 0)
		vsm_put_number(r, word->pending, "arrival");
	if (word->pending && word->tx > 0)
		put(r, " and ");
	if (word->tx > 0)
		vsm_put_number(r, word->tx, "byte");
	put(r, ", ");
}

/* Take the lowest run of at least three bits, or one bit, out of @mask. Return the rest. */
static uint32_t take_run(uint32_t mask, uint32_t *first, uint32_t *last)
{
	*first = mask ? __builtin_ctz(mask) : 0;
	*last = *first;
	while (*last < 31 && mask >> (*last + 1) & 1)
		(*last)++;
	if (*last == *first + 1)
		*last = *first;
	return *last == 31 ? 0 : mask & ~0U << (*last + 1);
}

/* Write "warp 1", "warps 1 and 3" or "warps 0, 2 to 5 and 7", as reports of vsm launch do. */
static void put_warps(struct vsm_report *r, uint32_t warps)
{
	const char *before = warps & (warps - 1) ? "warps " : "warp ";
	uint32_t first, last, next_first, next_last;

	for (; warps; before = take_run(warps, &next_first, &next_last) ? ", " : " and ") {
		warps = take_run(warps, &first, &last);
		put(r, "%s%u", before, first);
		if (last > first)
			put(r, " to %u", last);
	}
}

/* Write what a named barrier with a count has: DRM_VSM_FAULT_DEADLOCK describes the result. */
static void put_arrivals(struct vsm_report *r)
{
	uint32_t exited = r->insn->result >> 32;
	bool one = !(exited & (exited - 1));

	put(r, "%u of %u arrivals; ", (uint32_t)r->insn->result, r->insn->u.barrier.count);
	if (!exited)
		return;
	put_warps(r, exited);
	put(r, " %s exited; a barrier with a count does not count %s; ", one ? "has" : "have",
	    one ? "it" : "them");
}

void vsm_put_deadlock(struct vsm_report *r)
{
	bool counted = r->traits & NAMED && r->insn->mods & DRM_VSM_MOD_COUNT;
	uint32_t threads = r->insn->info;

	vsm_about(r);
	if (counted)
		put_arrivals(r);
	else if (!(r->traits & RENDEZVOUS))
		put_missing(r);
	if (threads > 1)
		put(r, "all %u threads of the cluster are suspended", threads);
	else
		put(r, "%s thread of the cluster is suspended", threads ? "the only" : "every");
	put(r, ", and nothing is in flight");
	if (r->traits & WARP)
		advise(r, "let all lanes of the membermask execute it before they wait elsewhere");
	else if (counted && r->insn->result >> 32)
		advise(r, "count only warps that arrive, or give no count");
	else if (r->traits & NAMED)
		advise(r, "let all warps that it counts arrive before they wait elsewhere");
	else if (r->traits & CLUSTER)
		advise(r, "let all threads of the cluster arrive before they wait elsewhere");
	else
		advise(r, "let a thread arrive before all threads wait");
}

void vsm_put_pending_range(struct vsm_report *r)
{
	vsm_about_mbarrier(r);
	put(r, "it would raise the pending arrivals above %u", VSM_MBARRIER_MAX_COUNT);
	advise(r, "use .noinc, and init it with a count that includes the arrival");
}
