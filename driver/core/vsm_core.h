/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules of the device: pure functions that look at an instruction and a
 * word and say what happens. They neither lock nor allocate, and compile in the
 * kernel and on the host alike. None sleeps but those that move a window's bytes:
 * they offer the processor to others now and then (vsm_core_resched()).
 */
#ifndef _VSM_CORE_H_
#define _VSM_CORE_H_

#ifdef __KERNEL__
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/string.h>

#define vsm_core_resched()	cond_resched()
#else
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define hweight32(x)		((__u32)__builtin_popcount(x))
/* A program of the host can be preempted anywhere. */
#define vsm_core_resched()	((void)0)
/* Only the kernel has something to hide from its callers. */
#define array_index_nospec(index, size)	((void)(size), (index))
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value)	__atomic_store_n(&(x), (value), __ATOMIC_RELAXED)
#endif

#include <drm/vsm_drm.h>

/* Bytes that are moved between two calls of vsm_core_resched(). */
#define VSM_CORE_PIECE	0x4000
#define VSM_MAX_CTAS	16
#define VSM_MAX_THREADS	1024
#define VSM_MAX_SMEM	(227 * 1024)
#define VSM_WARP_SIZE	32

/**
 * struct vsm_geometry - What the rules need to know of a cluster
 * @ctas: CTAs
 * @threads: Threads of a CTA
 * @smem_bytes: Bytes of a CTA's window
 * @layout: Layout of its mbarrier words
 * @strict: Misuse is checked beyond what silicon checks
 * @report: Rules that are reported and not enforced, a mask of DRM_VSM_RULE()
 * @enforce: Rules that are enforced and would not be without that, likewise
 */
struct vsm_geometry {
	__u32 ctas;
	__u32 threads;
	__u32 smem_bytes;
	enum vsm_layout layout;
	bool strict;
	__u64 report;
	__u64 enforce;
};

/* Rules that a cluster may have reported instead of enforced: see vsm_faults.h. */
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
/* Rules that are only enforced, or enforced to the letter, if a cluster asks for it. */
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

/* Does the cluster refuse what breaks a rule that is enforced on request alone? */
static inline bool vsm_enforces(const struct vsm_geometry *geo, enum drm_vsm_fault rule)
{
	return geo->enforce & ~geo->report & DRM_VSM_RULE(rule);
}

/* The fault whose DRM_VSM_RULE() is that bit. */
static inline enum drm_vsm_fault vsm_rule_fault(unsigned int bit)
{
	unsigned int code = bit < 32 ? bit : bit < 41 ? 0x100 + bit - 32 : 0x200 + bit - 40;

	return (enum drm_vsm_fault)code;
}

/**
 * vsm_rule_refuses - Is an operation that breaks a rule refused?
 * @geo: Geometry of the cluster
 * @broken: Gets the rule if the cluster only reports it; NULL if no rule is to be only reported
 * @fault: The rule
 */
static inline bool vsm_rule_refuses(const struct vsm_geometry *geo, __u64 *broken,
				    enum drm_vsm_fault fault)
{
	if (!broken || !(geo->report & DRM_VSM_RULE(fault)))
		return true;
	*broken |= DRM_VSM_RULE(fault);
	return false;
}

/* An instruction breaks a rule that is only reported. It may break others, which refuse it. */
#define VSM_REPORTS	1

/* Warps of a CTA, of which the last may lack threads. */
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

bool vsm_geometry_valid(const struct vsm_geometry *geo);

/**
 * vsm_addr_check - Is a range of cluster shared memory there and aligned?
 * @geo: Geometry of the cluster
 * @addr: Cluster shared address
 * @size: Bytes
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

/* Operands of a form; operands that it lacks must be 0. */
#define VSM_TAKES_ADDR		(1 << 0)
#define VSM_TAKES_COUNT		(1 << 1)
#define VSM_TAKES_TX		(1 << 2)
#define VSM_TAKES_PARITY	(1 << 3)
#define VSM_TAKES_HINT		(1 << 4)
#define VSM_TAKES_STATE		(1 << 5)
#define VSM_TAKES_COPY		(1 << 6)
#define VSM_TAKES_MBAR		(1 << 7)
#define VSM_TAKES_ELEMENT	(1 << 8)	/* a copy of 4, 8 or 16 bytes */
#define VSM_TAKES_SRC_SIZE	(1 << 9)
#define VSM_TAKES_NOTHING	(1 << 10)
#define VSM_TAKES_GROUPS	(1 << 11)	/* a count that may be 0 */
#define VSM_TAKES_SHARED	(1 << 12)	/* a copy from a window, not a buffer */
#define VSM_TAKES_MASK		(1 << 13)
#define VSM_TAKES_TENSOR	(1 << 14)
#define VSM_TAKES_STORE		(1 << 15)
#define VSM_TAKES_RED		(1 << 16)
#define VSM_TAKES_OFFSETS	(1 << 17)
#define VSM_TAKES_NO_WINDOW	(1 << 18)	/* a copy that is none: a prefetch */

#define VSM_TAKES_WARP		(1 << 20)
#define VSM_TAKES_BARRIER	(1 << 21)

/* Not an operand: there is more to it than a step of a word. */
#define VSM_FORM_RARE		(1 << 19)

/* Operands of asynchronous operations, which say more than those of an mbarrier's. */
#define VSM_TAKES_ASYNC		(VSM_TAKES_COPY | VSM_TAKES_TENSOR | VSM_TAKES_STORE)
/* And those of threads that meet. */
#define VSM_TAKES_OTHER		(VSM_TAKES_ASYNC | VSM_TAKES_WARP | VSM_TAKES_BARRIER)

/**
 * struct vsm_form - What the first eight bytes of an instruction say
 * @head: Those bytes
 * @takes: Operands, 0 if there is no such form
 * @error: What an instruction of this form ends with whatever its operands, -EPROTO
 *	with @fault; 0 if it may run
 * @fault: Why it is misuse
 *
 * Streams repeat few forms: whoever runs one keeps the last.
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
bool vsm_insn_is_async(const struct drm_vsm_insn *insn);
bool vsm_insn_is_copy(const struct drm_vsm_insn *insn);
bool vsm_insn_publishes(const struct drm_vsm_insn *insn);

/**
 * vsm_insn_meets - Is it a rendezvous, or exit?
 * @insn: A checked instruction, or one that may be no instruction at all
 */
static inline bool vsm_insn_meets(const struct drm_vsm_insn *insn)
{
	return insn->op >= DRM_VSM_OP_MATCH_SYNC && insn->op <= DRM_VSM_OP_EXIT;
}

/**
 * vsm_insn_is_fence - Is it fence or fence.mbarrier_init?
 * @insn: As for vsm_insn_meets()
 */
static inline bool vsm_insn_is_fence(const struct drm_vsm_insn *insn)
{
	return insn->op == DRM_VSM_OP_FENCE || insn->op == DRM_VSM_OP_FENCE_MBARRIER_INIT;
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

/**
 * vsm_operands_check - Check the operands of an instruction
 * @geo: Geometry of the cluster
 * @cta: Rank of the executing thread's CTA
 * @form: Form of the instruction
 * @insn: The instruction; any bit pattern
 * @fault: Why it is misuse (out, with -EPROTO and %VSM_REPORTS)
 *
 * Return: 0, %VSM_REPORTS and @fault, -EINVAL, -EOPNOTSUPP, or -EPROTO and @fault.
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

/**
 * vsm_insn_check - Check all of an instruction that does not depend on memory
 * @geo: Geometry of the cluster
 * @cta: Rank of the executing thread's CTA
 * @form: Form of the last instruction checked in this geometry (in), of this one
 *	(out); all zeros at first
 * @insn: The instruction; any bit pattern
 * @fault: Why it is misuse (out, with -EPROTO and %VSM_REPORTS)
 *
 * An instruction that PTX cannot spell is malformed; one that it can spell and
 * leaves undefined is misuse.
 *
 * Return: 0, %VSM_REPORTS and @fault, -EINVAL, -EOPNOTSUPP, or -EPROTO and @fault.
 */
static inline int vsm_insn_check(const struct vsm_geometry *geo, __u32 cta, struct vsm_form *form,
				 const struct drm_vsm_insn *insn, enum drm_vsm_fault *fault)
{
	if (form->head != vsm_insn_head(insn))
		vsm_insn_decode(geo, insn, form);
	return vsm_operands_check(geo, cta, form, insn, fault);
}

#endif
