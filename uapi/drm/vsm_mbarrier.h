/* SPDX-License-Identifier: MIT */
/*
 * The mbarrier word: the layout of its 64 bits, and how each operation changes them. The functions
 * take the old word by value and return the new one. The caller must make the operation atomic:
 *
 *	do {
 *		new = vsm_mbarrier_arrive(layout, old, 1, 0, 0);
 *	} while (!compare_exchange(word, &old, new));
 *
 * Every function accepts any bit pattern. Counts wrap inside their own field, except in
 * vsm_mbarrier_init(). No function checks whether an operation was allowed; the driver does that.
 * In layout sm_90 an operation that does not trap on an H100 gives the same word there.
 *
 * Documentation/mbarrier.rst describes the layouts, and the source for each bit.
 */
#ifndef _UAPI_VSM_MBARRIER_H_
#define _UAPI_VSM_MBARRIER_H_

#include <linux/types.h>

/**
 * enum vsm_layout - Layout of the mbarrier words of a cluster, named after a GPU generation
 * @VSM_LAYOUT_SM_90: Hopper and newer: the word has arrival counts and a tx-count
 * @VSM_LAYOUT_SM_80: Ampere: the word has arrival counts only
 */
enum vsm_layout {
	VSM_LAYOUT_SM_90 = 0,
	VSM_LAYOUT_SM_80 = 1,
};

/**
 * define VSM_MBARRIER_MAX_COUNT - Largest expected or pending arrival count (PTX 9.7.13.15.2)
 */
#define VSM_MBARRIER_MAX_COUNT ((1 << 20) - 1)

/**
 * define VSM_MBARRIER_MAX_TX - Largest magnitude of a transaction count (PTX 9.7.13.15.2)
 */
#define VSM_MBARRIER_MAX_TX ((1 << 20) - 1)

/* Bit 63 is the parity of the phase in progress in both layouts. */
#define VSM_MBARRIER_PHASE_SHIFT	63
#define VSM_MBARRIER_PHASE		(1ULL << VSM_MBARRIER_PHASE_SHIFT)

#define VSM_SM_90_PENDING_SHIFT		43
#define VSM_SM_90_PENDING_BITS		20
#define VSM_SM_90_POISON		(1ULL << 42)
#define VSM_SM_90_TX_SHIFT		21
#define VSM_SM_90_TX_BITS		21
#define VSM_SM_90_EXPECTED_SHIFT	1
#define VSM_SM_90_EXPECTED_BITS		20
#define VSM_SM_90_RESERVED		1ULL
/*
 * The fields of pending arrivals and tx-count. All of these bits are 0 if and only if both counts
 * are 0.
 */
#define VSM_SM_90_INCOMPLETE		0x7ffffbffffe00000ULL

#define VSM_SM_80_PENDING_SHIFT		32
#define VSM_SM_80_PENDING_BITS		31
#define VSM_SM_80_EXPECTED_SHIFT	0
#define VSM_SM_80_EXPECTED_BITS		30
#define VSM_SM_80_RESERVED		(3ULL << 30)

/**
 * struct vsm_mbarrier_fields - The fields of an mbarrier word
 * @pending: Arrivals that the phase in progress still waits for
 * @expected: Arrivals that the next phase will wait for
 * @tx: Transactions (bytes) announced and not yet complete; negative if more have completed than
 *	were announced; always 0 in layout sm_80
 * @phase: Parity of the phase in progress, 0 or 1
 * @poison: Not 0 if the next operation on the word traps (sm_90)
 * @reserved: Not 0 if the word has a bit set that no operation ever sets
 */
struct vsm_mbarrier_fields {
	__u32 pending;
	__u32 expected;
	__s32 tx;
	__u8 phase;
	__u8 poison;
	__u8 reserved;
};

/* The value of the field with @bits bits at bit @shift. */
static inline __u64 vsm_field_get(__u64 word, unsigned int shift, unsigned int bits)
{
	return (word >> shift) & ((1ULL << bits) - 1);
}

/* Add @value to the field with @bits bits at bit @shift. No carry leaves the field. */
static inline __u64 vsm_field_add(__u64 word, unsigned int shift, unsigned int bits, __u64 value)
{
	__u64 mask = ((1ULL << bits) - 1) << shift;

	return (word & ~mask) | ((word + (value << shift)) & mask);
}

/* The count in a field. The field holds the negative of the count. */
static inline __u32 vsm_field_count(__u64 word, unsigned int shift, unsigned int bits)
{
	return (__u32)(-vsm_field_get(word, shift, bits) & ((1ULL << bits) - 1));
}

/**
 * vsm_mbarrier_phase - Parity of the phase in progress
 * @word: mbarrier word, or a state token
 *
 * Return: 0 or 1.
 */
static inline __u32 vsm_mbarrier_phase(__u64 word)
{
	return (__u32)(word >> VSM_MBARRIER_PHASE_SHIFT);
}

/**
 * vsm_mbarrier_pending - Arrivals that the phase in progress still waits for
 * @layout: Layout of @word
 * @word: mbarrier word
 *
 * Return: 0 to 2^20 - 1 (sm_90), 0 to 2^31 - 1 (sm_80).
 */
static inline __u32 vsm_mbarrier_pending(enum vsm_layout layout, __u64 word)
{
	if (layout == VSM_LAYOUT_SM_80)
		return vsm_field_count(word, VSM_SM_80_PENDING_SHIFT, VSM_SM_80_PENDING_BITS);
	return vsm_field_count(word, VSM_SM_90_PENDING_SHIFT, VSM_SM_90_PENDING_BITS);
}

/**
 * vsm_mbarrier_expected - Arrivals that the next phase will wait for
 * @layout: Layout of @word
 * @word: mbarrier word
 *
 * Return: 0 to 2^20 - 1 (sm_90), 0 to 2^30 - 1 (sm_80).
 */
static inline __u32 vsm_mbarrier_expected(enum vsm_layout layout, __u64 word)
{
	if (layout == VSM_LAYOUT_SM_80)
		return vsm_field_count(word, VSM_SM_80_EXPECTED_SHIFT, VSM_SM_80_EXPECTED_BITS);
	return vsm_field_count(word, VSM_SM_90_EXPECTED_SHIFT, VSM_SM_90_EXPECTED_BITS);
}

/**
 * vsm_mbarrier_tx - The tx-count
 * @layout: Layout of @word
 * @word: mbarrier word
 *
 * Return: Transactions announced minus transactions complete, -2^20 to 2^20 - 1; always 0 in layout
 * sm_80.
 */
static inline __s32 vsm_mbarrier_tx(enum vsm_layout layout, __u64 word)
{
	__s32 tx;

	if (layout == VSM_LAYOUT_SM_80)
		return 0;
	tx = (__s32)vsm_field_count(word, VSM_SM_90_TX_SHIFT, VSM_SM_90_TX_BITS);
	return tx >= 1 << (VSM_SM_90_TX_BITS - 1) ? tx - (1 << VSM_SM_90_TX_BITS) : tx;
}

/**
 * vsm_mbarrier_decode - Decode a word into its fields
 * @layout: Layout of @word
 * @word: mbarrier word, any bit pattern
 *
 * Return: All fields of @word.
 */
static inline struct vsm_mbarrier_fields vsm_mbarrier_decode(enum vsm_layout layout, __u64 word)
{
	struct vsm_mbarrier_fields f;

	f.pending = vsm_mbarrier_pending(layout, word);
	f.expected = vsm_mbarrier_expected(layout, word);
	f.tx = vsm_mbarrier_tx(layout, word);
	f.phase = (__u8)vsm_mbarrier_phase(word);
	if (layout == VSM_LAYOUT_SM_80) {
		f.poison = 0;
		f.reserved = !!(word & VSM_SM_80_RESERVED);
	} else {
		f.poison = !!(word & VSM_SM_90_POISON);
		f.reserved = !!(word & VSM_SM_90_RESERVED);
	}
	return f;
}

/*
 * Complete the phase if no arrival and no transaction is pending (PTX 9.7.13.15.6): flip the parity
 * and set pending to expected.
 */
static inline __u64 vsm_mbarrier_complete_phase(enum vsm_layout layout, __u64 word)
{
	__u64 expected;

	if (layout == VSM_LAYOUT_SM_80) {
		if (vsm_field_get(word, VSM_SM_80_PENDING_SHIFT, VSM_SM_80_PENDING_BITS))
			return word;
		expected = vsm_mbarrier_expected(layout, word);
		return vsm_field_add(word ^ VSM_MBARRIER_PHASE, VSM_SM_80_PENDING_SHIFT,
				     VSM_SM_80_PENDING_BITS, -expected);
	}

	if (word & VSM_SM_90_INCOMPLETE)
		return word;
	expected = vsm_field_get(word, VSM_SM_90_EXPECTED_SHIFT, VSM_SM_90_EXPECTED_BITS);
	return (word ^ VSM_MBARRIER_PHASE) | expected << VSM_SM_90_PENDING_SHIFT;
}

/**
 * vsm_mbarrier_init - mbarrier.init: the word of a new object
 * @layout: Layout of the cluster
 * @count: Expected arrivals, 1 to 2^20 - 1. For other values: the word of an H100 (sm_90), or of
 *	the code that ptxas emits (sm_80)
 *
 * Return: For a valid @count the word in phase 0, with @count arrivals expected and pending and
 * with tx-count 0 (PTX 9.7.13.15.9).
 */
static inline __u64 vsm_mbarrier_init(enum vsm_layout layout, __u32 count)
{
	__u32 left = (1U << VSM_SM_90_EXPECTED_BITS) - count;

	if (layout == VSM_LAYOUT_SM_80)
		return (__u64)(0x80000000U - count) << 32 | (0x40000000U - count);
	/* An H100 shifts in 32 bits and masks no field. */
	return (__u64)(left << (VSM_SM_90_PENDING_SHIFT - 32)) << 32 |
	       left << VSM_SM_90_EXPECTED_SHIFT;
}

/**
 * vsm_mbarrier_add_tx - Add to the tx-count, without completing the phase
 * @word: Word before the operation, layout sm_90
 * @tx: Transactions (bytes) to add
 *
 * Return: The word after the operation.
 */
static inline __u64 vsm_mbarrier_add_tx(__u64 word, __u32 tx)
{
	return vsm_field_add(word, VSM_SM_90_TX_SHIFT, VSM_SM_90_TX_BITS, -(__u64)tx);
}

/**
 * vsm_mbarrier_expect_tx - expect-tx: announce transactions
 * @word: Word before the operation, layout sm_90
 * @tx: Transactions (bytes) to add to the tx-count
 *
 * This completes the phase if it leaves no arrival and no transaction pending, as on an H100. That
 * cannot happen in a program that keeps the rules: there the tx-count is below 0 only while an
 * arrival is pending (PTX 9.7.13.15.5.1).
 *
 * Return: The word after the operation.
 */
static inline __u64 vsm_mbarrier_expect_tx(__u64 word, __u32 tx)
{
	return vsm_mbarrier_complete_phase(VSM_LAYOUT_SM_90, vsm_mbarrier_add_tx(word, tx));
}

/**
 * vsm_mbarrier_arrive - arrive-on, together with a drop or an expect-tx
 * @layout: Layout of @word
 * @word: Word before the operation
 * @count: Arrivals to subtract from pending
 * @drop: Arrivals to subtract from the expected count of the following phases: @count for
 *	mbarrier.arrive_drop, else 0
 * @tx: Transactions (bytes) to add to the tx-count before the arrival, for the .expect_tx forms;
 *	else 0. Ignored in layout sm_80
 *
 * Return: The word after the operation. If the operation completed the phase, the word is in the
 * next phase (PTX 9.7.13.15.13, 9.7.13.15.14).
 */
static inline __u64 vsm_mbarrier_arrive(enum vsm_layout layout, __u64 word, __u32 count,
					__u32 drop, __u32 tx)
{
	if (layout == VSM_LAYOUT_SM_80) {
		word = vsm_field_add(word, VSM_SM_80_PENDING_SHIFT, VSM_SM_80_PENDING_BITS, count);
		word = vsm_field_add(word, VSM_SM_80_EXPECTED_SHIFT, VSM_SM_80_EXPECTED_BITS, drop);
	} else {
		word = vsm_field_add(word, VSM_SM_90_PENDING_SHIFT, VSM_SM_90_PENDING_BITS, count);
		if (tx)
			word = vsm_mbarrier_add_tx(word, tx);
		if (drop)
			word = vsm_field_add(word, VSM_SM_90_EXPECTED_SHIFT,
					     VSM_SM_90_EXPECTED_BITS, drop);
	}
	return vsm_mbarrier_complete_phase(layout, word);
}

/**
 * vsm_mbarrier_complete_tx - complete-tx: transactions are done
 * @word: Word before the operation, layout sm_90
 * @tx: Transactions (bytes) to subtract from the tx-count
 *
 * Return: The word after the operation. If the operation completed the phase, the word is in the
 * next phase (PTX 9.7.13.15.5.2).
 */
static inline __u64 vsm_mbarrier_complete_tx(__u64 word, __u32 tx)
{
	word = vsm_field_add(word, VSM_SM_90_TX_SHIFT, VSM_SM_90_TX_BITS, tx);
	return vsm_mbarrier_complete_phase(VSM_LAYOUT_SM_90, word);
}

/**
 * vsm_mbarrier_state - The state token of an arrive
 * @layout: Layout of @old
 * @old: Word before the arrive
 * @operand: Operand of the arrive: its count or tx-count, 0 without one
 *
 * Return: The token. Its high half is the high half of @old. Its low half, which programs must not
 * use, is @operand (sm_90), or the low half of @old (sm_80).
 */
static inline __u64 vsm_mbarrier_state(enum vsm_layout layout, __u64 old, __u32 operand)
{
	return layout == VSM_LAYOUT_SM_80 ? old : (old & 0xffffffff00000000ULL) | operand;
}

/**
 * vsm_mbarrier_state_nocomplete - The state token of a .noComplete arrive
 * @layout: Layout of @old
 * @old: Word before the arrive
 * @lane_mask: Active lanes of the warp that executed the arrive
 *
 * Return: A token for vsm_mbarrier_pending_count(). Its high half is the high half of @old. Its low
 * half is @lane_mask (sm_90), or the high half of @old again (sm_80).
 */
static inline __u64 vsm_mbarrier_state_nocomplete(enum vsm_layout layout, __u64 old,
						  __u32 lane_mask)
{
	return (old & 0xffffffff00000000ULL) |
	       (layout == VSM_LAYOUT_SM_80 ? old >> 32 : lane_mask);
}

/**
 * vsm_mbarrier_pending_count - mbarrier.pending_count
 * @layout: Layout of the cluster that @state comes from
 * @state: Token of a .noComplete arrive
 *
 * Return: Number of arrivals that were pending before that arrive (PTX 9.7.13.15.17).
 */
static inline __u32 vsm_mbarrier_pending_count(enum vsm_layout layout, __u64 state)
{
	if (layout == VSM_LAYOUT_SM_80)
		return 0x80000000U - (__u32)(state & 0x7fffffff);
	return (1U << VSM_SM_90_PENDING_BITS) -
	       (__u32)vsm_field_get(state, VSM_SM_90_PENDING_SHIFT, VSM_SM_90_PENDING_BITS);
}

/**
 * vsm_mbarrier_wait - Has the phase of a token completed?
 * @word: Current mbarrier word
 * @state: Token, of which only bit 63 is used; for the .parity forms vsm_mbarrier_parity()
 *
 * Return: waitComplete, 1 for True and 0 for False (PTX 9.7.13.15.16).
 */
static inline int vsm_mbarrier_wait(__u64 word, __u64 state)
{
	return (int)((word ^ state) >> VSM_MBARRIER_PHASE_SHIFT);
}

/**
 * vsm_mbarrier_parity - The token that is equivalent to a phaseParity
 * @parity: phaseParity, of which only bit 0 is used
 *
 * Return: A token for vsm_mbarrier_wait().
 */
static inline __u64 vsm_mbarrier_parity(__u32 parity)
{
	return (__u64)(parity & 1) << VSM_MBARRIER_PHASE_SHIFT;
}

/**
 * define VSM_SHARED_RANK_SHIFT - Position of the CTA rank in a cluster shared address
 */
#define VSM_SHARED_RANK_SHIFT 24

/**
 * vsm_shared_addr - Cluster shared address of an offset in a CTA's window
 * @rank: Rank of the CTA in its cluster
 * @offset: Byte offset in the window, below 2^24
 *
 * Return: The 32-bit address, as in a .shared::cluster operand.
 */
static inline __u32 vsm_shared_addr(__u32 rank, __u32 offset)
{
	return rank << VSM_SHARED_RANK_SHIFT | (offset & ((1U << VSM_SHARED_RANK_SHIFT) - 1));
}

/**
 * vsm_mapa - mapa.shared::cluster: translate an address to another CTA's window
 * @addr: Cluster shared address
 * @rank: Rank of the other CTA
 *
 * Return: The address with the same offset in the window of @rank.
 */
static inline __u32 vsm_mapa(__u32 addr, __u32 rank)
{
	return vsm_shared_addr(rank, addr);
}

#endif
