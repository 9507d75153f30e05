// SPDX-License-Identifier: GPL-2.0-only
/*
 * A move of an AVX2 register moves two chunks of 16 bytes. General registers need four moves for
 * them. The kernel may use vector registers only between kernel_fpu_begin() and kernel_fpu_end(),
 * and its compiler must not use them anywhere. The moves are therefore written in assembly.
 */
#include "vsm_vector.h"

#ifdef __x86_64__

#ifdef __KERNEL__
#include <linux/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/fpu/types.h>

/* The compiler uses no vector registers in the kernel, and does not accept their names. */
#define VSM_VECTOR_CLOBBERS	"memory"

static bool vsm_vector_begin(void)
{
	if (!boot_cpu_has(X86_FEATURE_AVX2) ||
	    !cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL) || !irq_fpu_usable())
		return false;
	kernel_fpu_begin();
	return true;
}

static void vsm_vector_end(void)
{
	kernel_fpu_end();
}
#else
#define VSM_VECTOR_CLOBBERS	"memory", "xmm0", "xmm1", "xmm2", "xmm3"

static bool vsm_vector_begin(void)
{
	return __builtin_cpu_supports("avx2");
}

static void vsm_vector_end(void)
{
}
#endif

/* kernel_fpu_begin() costs about as much as the vectors save on this many rows. */
#define VSM_VECTOR_MIN_ROWS	8

/* Move a row with an even pattern. @pairs is the pattern without its lowest bit, in bytes. */
static __always_inline void vsm_vector_move_even(__u8 *to, const __u8 *from, __u64 pairs)
{
	asm volatile("vmovdqu (%[from], %[pair0]), %%ymm0\n\t"
		     "vmovdqu (%[from], %[pair1]), %%ymm1\n\t"
		     "vmovdqu (%[from], %[pair2]), %%ymm2\n\t"
		     "vmovdqu (%[from], %[pair3]), %%ymm3\n\t"
		     "vmovdqu %%ymm0, (%[to])\n\t"
		     "vmovdqu %%ymm1, 32(%[to])\n\t"
		     "vmovdqu %%ymm2, 64(%[to])\n\t"
		     "vmovdqu %%ymm3, 96(%[to])"
		     : : [to] "r" (to), [from] "r" (from), [pair0] "r" (pairs),
		     [pair1] "r" (pairs ^ 32), [pair2] "r" (pairs ^ 64), [pair3] "r" (pairs ^ 96)
		     : VSM_VECTOR_CLOBBERS);
}

/*
 * Move a row with an odd pattern: the two chunks of each pair change places. A processor executes
 * few permutations at a time, and few loads. Half of the pairs are therefore swapped by a
 * permutation, and the others by two loads.
 */
static __always_inline void vsm_vector_move_odd(__u8 *to, const __u8 *from, __u64 pairs)
{
	asm volatile("vpermq $0x4e, (%[from], %[pair0]), %%ymm0\n\t"
		     "vmovdqu 16(%[from], %[pair1]), %%xmm1\n\t"
		     "vinserti128 $1, (%[from], %[pair1]), %%ymm1, %%ymm1\n\t"
		     "vpermq $0x4e, (%[from], %[pair2]), %%ymm2\n\t"
		     "vmovdqu 16(%[from], %[pair3]), %%xmm3\n\t"
		     "vinserti128 $1, (%[from], %[pair3]), %%ymm3, %%ymm3\n\t"
		     "vmovdqu %%ymm0, (%[to])\n\t"
		     "vmovdqu %%ymm1, 32(%[to])\n\t"
		     "vmovdqu %%ymm2, 64(%[to])\n\t"
		     "vmovdqu %%ymm3, 96(%[to])"
		     : : [to] "r" (to), [from] "r" (from), [pair0] "r" (pairs),
		     [pair1] "r" (pairs ^ 32), [pair2] "r" (pairs ^ 64), [pair3] "r" (pairs ^ 96)
		     : VSM_VECTOR_CLOBBERS);
}

/**
 * vsm_vector_move - Move rows with the 128B swizzle
 * @rows: Rows; their bytes lie within both memories
 *
 * Chunk n of a row of the destination is chunk n ^ pattern of the source.
 *
 * Return: false if nothing has been moved, because the processor has no suitable vector registers,
 * or because there are too few rows.
 */
bool vsm_vector_move(const struct vsm_vector_rows *rows)
{
	__u64 to_stride = rows->to_stride, from_stride = rows->from_stride, pairs;
	const __u8 *from = rows->from;
	__u32 n = rows->count, at = rows->at;
	__u8 *to = rows->to;

	if (n < VSM_VECTOR_MIN_ROWS || !vsm_vector_begin())
		return false;
	for (; n; n--, at += VSM_VECTOR_ROW, to += to_stride, from += from_stride) {
		pairs = at >> 3 & 0x60;
		if (!(at & VSM_VECTOR_ROW)) {
			vsm_vector_move_even(to, from, pairs);
			if (!--n)
				break;
			at += VSM_VECTOR_ROW;
			to += to_stride;
			from += from_stride;
		}
		vsm_vector_move_odd(to, from, pairs);
	}
	asm volatile("vzeroupper" : : : VSM_VECTOR_CLOBBERS);
	vsm_vector_end();
	return true;
}

#else

bool vsm_vector_move(const struct vsm_vector_rows *rows)
{
	(void)rows;
	return false;
}

#endif
