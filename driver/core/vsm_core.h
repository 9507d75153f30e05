/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The geometry of a cluster, addresses, the check of an instruction, and what moves bytes: tensor
 * copies and reductions. These functions look only at their arguments.
 */
#ifndef _VSM_CORE_H_
#define _VSM_CORE_H_

#include <drm/vsm_tensor.h>

#ifdef __KERNEL__
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/string.h>

#define vsm_core_resched()	cond_resched()
#else
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define noinline		__attribute__((__noinline__))
#define hweight32(x)		((__u32)__builtin_popcount(x))
/* User-space code can be preempted anywhere. */
#define vsm_core_resched()	((void)0)
/* The kernel guards against speculative out-of-bounds reads. User space needs no such guard. */
#define array_index_nospec(index, size)	((void)(size), (index))
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value)	__atomic_store_n(&(x), (value), __ATOMIC_RELAXED)
#endif

#include <drm/vsm_drm.h>
#include <drm/vsm_ops.h>

/* The moving functions call vsm_core_resched() after this many bytes. */
#define VSM_CORE_PIECE	0x4000
#define VSM_MAX_CTAS	16
#define VSM_MAX_THREADS	1024
#define VSM_MAX_SMEM	(227 * 1024)
#define VSM_WARP_SIZE	32

/**
 * struct vsm_geometry - The properties of a cluster that the rules depend on
 * @ctas: Number of CTAs
 * @threads: Threads of each CTA
 * @smem_bytes: Bytes of each CTA's window
 * @layout: Layout of the cluster's mbarrier words
 * @strict: The policy is strict: misuse is checked beyond what a GPU checks
 * @report: Mask of DRM_VSM_RULE() of the rules that are only reported and not enforced
 * @enforce: Mask of DRM_VSM_RULE() of the rules that are enforced only because the cluster asks for
 *	it
 * @lacks: Mask of &enum drm_vsm_feature of the features that the device does not have
 */
struct vsm_geometry {
	__u32 ctas;
	__u32 threads;
	__u32 smem_bytes;
	enum vsm_layout layout;
	bool strict;
	__u64 report;
	__u64 enforce;
	__u64 lacks;
};

/*
 * Mask of the rules that a cluster may only report instead of enforce (vsm_faults.h). An operation
 * that breaks such a rule can still be executed, and does not upset what the kernel relies on.
 */
#define VSM_FAULT_ALWAYS(fault)		0
#define VSM_FAULT_REPORTABLE(fault)	DRM_VSM_RULE(fault)
#define VSM_FAULT_ON_REQUEST(fault)	DRM_VSM_RULE(fault)
#define VSM_FAULT(NAME, name, enforced)	| VSM_FAULT_##enforced(DRM_VSM_FAULT_##NAME)
static inline __u64 vsm_rules_report(void)
{
	return 0
#include <drm/vsm_faults.h>
	;
}

#undef VSM_FAULT_REPORTABLE
#define VSM_FAULT_REPORTABLE(fault)	0
/*
 * Mask of the rules that are enforced, or enforced to the letter of PTX, only if a cluster asks for
 * it.
 */
#define VSM_FAULT(NAME, name, enforced)	| VSM_FAULT_##enforced(DRM_VSM_FAULT_##NAME)
static inline __u64 vsm_rules_enforce(void)
{
	return 0
#include <drm/vsm_faults.h>
	;
}

#undef VSM_FAULT_ALWAYS
#undef VSM_FAULT_REPORTABLE
#undef VSM_FAULT_ON_REQUEST

/* Does the cluster enforce a rule that is enforced only on request? */
static inline bool vsm_enforces(const struct vsm_geometry *geo, enum drm_vsm_fault rule)
{
	return geo->enforce & ~geo->report & DRM_VSM_RULE(rule);
}

/* The fault whose DRM_VSM_RULE() is the bit with number @bit. */
static inline enum drm_vsm_fault vsm_rule_fault(unsigned int bit)
{
	unsigned int code = bit < 32 ? bit : bit < 41 ? 0x100 + bit - 32 : 0x200 + bit - 40;

	return (enum drm_vsm_fault)code;
}

/*
 * Is an operation that breaks a rule refused?
 * @broken: Mask that gets the rule if the cluster only reports it; NULL if every breach refuses
 *	the operation
 */
static inline bool vsm_rule_refuses(const struct vsm_geometry *geo, __u64 *broken,
				    enum drm_vsm_fault fault)
{
	if (!broken || !(geo->report & DRM_VSM_RULE(fault)))
		return true;
	*broken |= DRM_VSM_RULE(fault);
	return false;
}

/*
 * Has an operation that was refused for a rule trapped? In the hardware policy no operation that
 * breaks one of these rules is refused for another reason. In the strict policy a rule that is only
 * reported refuses nothing but a trap.
 */
static inline bool vsm_fault_is_trap(const struct vsm_geometry *geo, enum drm_vsm_fault fault)
{
	const __u64 hardware = DRM_VSM_RULE(DRM_VSM_FAULT_BAD_COUNT) |
			       DRM_VSM_RULE(DRM_VSM_FAULT_ARRIVAL_OVERFLOW) |
			       DRM_VSM_RULE(DRM_VSM_FAULT_DROP_TO_ZERO) |
			       DRM_VSM_RULE(DRM_VSM_FAULT_TX_RANGE);

	return fault == DRM_VSM_FAULT_POISONED ||
	       (geo->strict ? geo->report : hardware) & DRM_VSM_RULE(fault);
}

/*
 * Return value of functions that check or perform an instruction: it breaks a rule that is only
 * reported. It may also break another rule, because of which it is refused.
 */
#define VSM_REPORTS	1

/* The number of warps of a CTA. The last warp may have fewer than 32 threads. */
static inline __u32 vsm_geometry_warps(const struct vsm_geometry *geo)
{
	return (geo->threads + VSM_WARP_SIZE - 1) / VSM_WARP_SIZE;
}

static inline __u32 vsm_addr_rank(__u32 addr)
{
	return addr >> VSM_SHARED_RANK_SHIFT;
}

static inline __u32 vsm_addr_offset(__u32 addr)
{
	return addr & ((1U << VSM_SHARED_RANK_SHIFT) - 1);
}

const char *vsm_geometry_invalid(const struct vsm_geometry *geo);

/*
 * Is a range of cluster shared memory inside a window, and aligned?
 * @align: Alignment, a power of two
 */
static inline enum drm_vsm_fault vsm_addr_check(const struct vsm_geometry *geo, __u32 addr,
						__u32 size, __u32 align)
{
	if (addr & (align - 1))
		return DRM_VSM_FAULT_MISALIGNED;
	if (vsm_addr_rank(addr) >= geo->ctas || size > geo->smem_bytes ||
	    vsm_addr_offset(addr) > geo->smem_bytes - size)
		return DRM_VSM_FAULT_OUT_OF_WINDOW;
	return DRM_VSM_FAULT_NONE;
}

/*
 * The caller has to look at the operation: it is not one of an mbarrier, or it makes inits
 * visible.
 * This bit of &vsm_form.takes is none of VSM_TAKES_*.
 */
#define VSM_FORM_RARE		(1 << 21)

/* Forms with operands of asynchronous operations: of copies, tensor copies and stores. */
#define VSM_TAKES_ASYNC		(VSM_TAKES_COPY | VSM_TAKES_TENSOR | VSM_TAKES_STORE)
/* Forms whose operands are not &drm_vsm_insn.u.mbarrier. */
#define VSM_TAKES_OTHER		(VSM_TAKES_ASYNC | VSM_TAKES_WARP | VSM_TAKES_BARRIER)

/**
 * struct vsm_form - What the first eight bytes of an instruction determine
 * @head: The first eight bytes of the instruction
 * @takes: Operands that the instruction takes, 0 if there is no such form
 * @error: Error that every instruction of this form ends with, whatever its operands; -EPROTO comes
 *	with @fault; 0 if the instruction may run
 * @fault: Rule that every instruction of this form breaks, or none
 *
 * A stream usually repeats a few forms. A caller that runs a stream therefore keeps the form of the
 * last instruction, and decodes an instruction only if its @head differs.
 */
struct vsm_form {
	__u64 head;
	int takes;
	int error;
	enum drm_vsm_fault fault;
};

static inline __u64 vsm_insn_head(const struct drm_vsm_insn *insn)
{
	__u64 head;

	__builtin_memcpy(&head, insn, sizeof(head));
	return head;
}

void vsm_insn_decode(const struct vsm_geometry *geo, const struct drm_vsm_insn *insn,
		     struct vsm_form *form);
enum drm_vsm_fault vsm_remote_check(const struct vsm_geometry *geo,
				    const struct drm_vsm_insn *insn);
int vsm_other_operands_check(const struct vsm_geometry *geo, __u32 cta,
			     const struct vsm_form *form, const struct drm_vsm_insn *insn,
			     enum drm_vsm_fault *fault);
bool vsm_insn_can_queue(const struct drm_vsm_insn *insn);
bool vsm_insn_can_arm(const struct drm_vsm_insn *insn);
bool vsm_insn_is_job_op(const struct drm_vsm_insn *insn);
bool vsm_insn_makes_visible(const struct drm_vsm_insn *insn);

/*
 * Is the instruction an mbarrier operation? vsm_insn.c checks the order of the operations that
 * this function and the next one rely on.
 */
static inline bool vsm_insn_is_mbarrier(const struct drm_vsm_insn *insn)
{
	return insn->op < DRM_VSM_OP_CP_ASYNC_BULK_G2S;
}

/**
 * vsm_insn_is_rendezvous - Is the instruction a rendezvous or exit?
 * @insn: An instruction, which need not be a valid one
 */
static inline bool vsm_insn_is_rendezvous(const struct drm_vsm_insn *insn)
{
	return insn->op >= DRM_VSM_OP_MATCH_SYNC && insn->op <= DRM_VSM_OP_EXIT;
}

/**
 * vsm_insn_is_fence - Is the instruction fence or fence.mbarrier_init?
 * @insn: An instruction, which need not be a valid one
 */
static inline bool vsm_insn_is_fence(const struct drm_vsm_insn *insn)
{
	return insn->op == DRM_VSM_OP_FENCE || insn->op == DRM_VSM_OP_FENCE_MBARRIER_INIT;
}

/* Is the instruction a wait for groups? It need not be a valid one. */
static inline bool vsm_insn_is_group_wait(const struct drm_vsm_insn *insn)
{
	return insn->op == DRM_VSM_OP_CP_ASYNC_WAIT_GROUP ||
	       insn->op == DRM_VSM_OP_CP_ASYNC_WAIT_ALL ||
	       insn->op == DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP;
}

/* Is the instruction a commit or wait of groups? It need not be a valid one. */
static inline bool vsm_insn_is_group(const struct drm_vsm_insn *insn)
{
	return insn->op == DRM_VSM_OP_CP_ASYNC_COMMIT_GROUP ||
	       insn->op == DRM_VSM_OP_CP_ASYNC_BULK_COMMIT_GROUP || vsm_insn_is_group_wait(insn);
}

static inline bool vsm_mbarrier_operands_clean(const struct drm_vsm_mbarrier_operands *o,
					       int takes)
{
	return !((takes & VSM_TAKES_ADDR ? 0 : o->addr) |
		 (takes & (VSM_TAKES_COUNT | VSM_TAKES_GROUPS) ? 0 : o->count) |
		 (takes & VSM_TAKES_TX ? 0 : o->tx_count) |
		 (takes & VSM_TAKES_PARITY ? 0 : o->parity) |
		 (takes & VSM_TAKES_HINT ? 0 : o->hint_ns) |
		 (takes & VSM_TAKES_STATE ? 0 : o->state) | o->pad | o->reserved);
}

static inline enum drm_vsm_fault vsm_space_check(const struct vsm_geometry *geo, __u32 cta,
						 const struct drm_vsm_insn *insn, __u32 addr)
{
	if (vsm_addr_rank(addr) == cta && insn->space != DRM_VSM_SPACE_SHARED_CLUSTER)
		return DRM_VSM_FAULT_NONE;
	return vsm_remote_check(geo, insn);
}

/*
 * Check the operands of an instruction.
 * @cta: Rank of the executing thread's CTA
 * @insn: The instruction, any bit pattern
 * @fault: Gets the rule that the instruction breaks, if the function returns -EPROTO or
 *	%VSM_REPORTS
 *
 * Returns 0; %VSM_REPORTS with @fault; -EINVAL; -EOPNOTSUPP; or -EPROTO with @fault.
 */
static inline int vsm_operands_check(const struct vsm_geometry *geo, __u32 cta,
				     const struct vsm_form *form,
				     const struct drm_vsm_insn *insn, enum drm_vsm_fault *fault)
{
	const struct drm_vsm_mbarrier_operands *o = &insn->u.mbarrier;
	enum drm_vsm_fault f = form->fault;

	if (form->takes & VSM_TAKES_OTHER)
		return vsm_other_operands_check(geo, cta, form, insn, fault);
	if (!form->takes || !vsm_mbarrier_operands_clean(o, form->takes))
		return -EINVAL;
	if (form->error)
		goto refuse;
	if (form->takes & VSM_TAKES_ADDR) {
		f = vsm_addr_check(geo, o->addr, sizeof(__u64), sizeof(__u64));
		if (!f)
			f = vsm_space_check(geo, cta, insn, o->addr);
		if (f)
			goto refuse;
	}
	if (!(form->takes & (VSM_TAKES_COUNT | VSM_TAKES_PARITY)) || !geo->strict)
		return 0;
	if (form->takes & VSM_TAKES_PARITY)
		f = o->parity > 1 ? DRM_VSM_FAULT_BAD_PARITY : DRM_VSM_FAULT_NONE;
	else
		f = !o->count || o->count > VSM_MBARRIER_MAX_COUNT ? DRM_VSM_FAULT_BAD_COUNT
								   : DRM_VSM_FAULT_NONE;
	if (!f)
		return 0;
	if (!(geo->report & DRM_VSM_RULE(f)))
		goto refuse;
	*fault = f;
	return VSM_REPORTS;

refuse:
	*fault = f;
	return form->error ? form->error : -EPROTO;
}

/*
 * Check everything about an instruction that does not depend on memory.
 * @cta: Rank of the executing thread's CTA
 * @form: Form of the last instruction checked in this geometry, all zeros before the first (in);
 *	form of this instruction (out)
 * @insn: The instruction, any bit pattern
 * @fault: Gets the rule that the instruction breaks, if the function returns -EPROTO or
 *	%VSM_REPORTS
 *
 * An instruction that PTX cannot spell is malformed. An instruction that PTX can spell, but whose
 * behaviour PTX leaves undefined, is misuse.
 *
 * Returns 0; %VSM_REPORTS with @fault; -EINVAL; -EOPNOTSUPP; or -EPROTO with @fault.
 */
static inline int vsm_insn_check(const struct vsm_geometry *geo, __u32 cta, struct vsm_form *form,
				 const struct drm_vsm_insn *insn, enum drm_vsm_fault *fault)
{
	if (form->head != vsm_insn_head(insn))
		vsm_insn_decode(geo, insn, form);
	return vsm_operands_check(geo, cta, form, insn, fault);
}

/* --- numbers of groups ----------------------------------------------------------- */

/*
 * Numbers of the groups of a thread's asynchronous operations.
 *
 * The first group has number 1. With 64 bits the numbers never wrap. With 32 bits they would: a
 * program that commits a group every 100 ns, while an operation stays in flight, needs 4 minutes to
 * commit 2^31 groups, and the operation would then seem to be in a later group than all of them.
 */

/**
 * vsm_group_last - The last group that a wait for groups waits for, if the wait begins now
 * @committed: Number of groups that the thread has committed
 * @newest: Number of the newest groups that may still be incomplete, any value
 *
 * Return: The number of the group, 0 if the wait waits for none.
 */
static inline __u64 vsm_group_last(__u64 committed, __u32 newest)
{
	return committed > newest ? committed - newest : 0;
}

/**
 * vsm_group_is_done - Is a wait for groups complete?
 * @first: Group of the oldest operation in flight
 * @last: The last group that the wait waits for
 */
static inline bool vsm_group_is_done(__u64 first, __u64 last)
{
	return first > last;
}

/* --- reductions ------------------------------------------------------------------ */

/*
 * The reductions of cp.reduce.async.bulk, cp.reduce.async.bulk.tensor and red.async: which exist,
 * and what they do to memory. They compute with integers only, because the kernel does not use the
 * floating point unit.
 */

/**
 * enum vsm_reduce_where - Which instruction reduces, and where the result is
 * @VSM_REDUCE_GLOBAL: cp.reduce.async.bulk.global (PTX 9.7.9.25.4.2)
 * @VSM_REDUCE_SHARED: cp.reduce.async.bulk.shared::cluster (PTX 9.7.9.25.4.2)
 * @VSM_REDUCE_TENSOR: cp.reduce.async.bulk.tensor, whose type comes from the tensor map (PTX
 *	9.7.9.25.5.3)
 * @VSM_REDUCE_RED_ASYNC: red.async.relaxed.cluster (PTX 9.7.13.7)
 */
enum vsm_reduce_where {
	VSM_REDUCE_GLOBAL,
	VSM_REDUCE_SHARED,
	VSM_REDUCE_TENSOR,
	VSM_REDUCE_RED_ASYNC,
};

bool vsm_reduce_valid(__u8 red, enum vsm_reduce_where where);
__u32 vsm_reduce_size(__u8 red);
void vsm_reduce(__u8 red, void *to, const void *from, __u32 size);

/* --- tensor copies --------------------------------------------------------------- */

/*
 * Tensor copies: which instruction fits which tensor map, and the moving of boxes. The tensor map
 * and the operands must be private copies, because all addresses are computed from them. The memory
 * on both sides may change at any time.
 */

#define VSM_TENSOR_CHUNK	16	/* bytes that a swizzle keeps together */

/* Number of bits that &drm_vsm_tensor_operands.offsets of an im2col map has for each dimension. */
static inline __u32 vsm_tensor_offset_bits(const struct drm_vsm_tensor_map *map)
{
	return map->rank == 3 ? 16 : map->rank == 4 ? 8 : 5;
}

enum drm_vsm_tensor_error vsm_tensor_check(const struct drm_vsm_tensor_map *map,
					   const struct drm_vsm_insn *insn);
void vsm_tensor_load(const struct drm_vsm_tensor_map *map,
		     const struct drm_vsm_tensor_operands *o, const void *global,
		     void *window, __u32 offset);
void vsm_tensor_store(const struct drm_vsm_tensor_map *map,
		      const struct drm_vsm_tensor_operands *o, void *global,
		      const void *window, __u32 offset);
void vsm_tensor_reduce(const struct drm_vsm_tensor_map *map,
		       const struct drm_vsm_tensor_operands *o, __u8 red, void *global,
		       const void *window, __u32 offset);

#endif
