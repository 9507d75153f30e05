/* SPDX-License-Identifier: MIT */
/*
 * Tests of functions that write a text as snprintf() does: into buffers of every size, and for
 * instructions of random bits. Each buffer has exactly the size that the function is given, so that
 * the sanitizer finds a byte that is written beyond it.
 */
#ifndef _VSM_TEXT_TEST_H_
#define _VSM_TEXT_TEST_H_

#include "mock.h"

#define RANDOM_INSNS 20000

typedef int (*text_fn)(const struct drm_vsm_insn *insn, char *text, size_t size);

static inline void assert_text(text_fn write, const struct drm_vsm_insn *insn,
			       const char *expected)
{
	size_t length = strlen(expected);
	char *text = malloc(length + 1);

	assert_int_equal(write(insn, text, length + 1), length);
	assert_string_equal(text, expected);
	free(text);
}

static inline void assert_cut(text_fn write, const struct drm_vsm_insn *insn)
{
	char whole[1024];
	int length = write(insn, whole, sizeof(whole));
	size_t size;
	char *text;

	assert_in_range(length, 1, sizeof(whole) - 1);
	assert_int_equal(strlen(whole), length);
	assert_int_equal(write(insn, NULL, 0), length);
	for (size = 1; size <= (size_t)length + 2; size++) {
		text = malloc(size);
		assert_int_equal(write(insn, text, size), length);
		assert_int_equal(strlen(text), size > (size_t)length ? (size_t)length : size - 1);
		assert_memory_equal(text, whole, strlen(text));
		free(text);
	}
}

static inline uint64_t random_bits(void)
{
	static uint64_t x = 0x123456789abcdefULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

/* An instruction of random bits. Existing operations and faults are frequent. */
static inline struct drm_vsm_insn random_insn(void)
{
	/* Fault numbers of each group begin here. */
	static const uint32_t first[] = { 0, 0, 0x100, 0x200 };
	struct drm_vsm_insn insn;
	uint64_t words[sizeof(insn) / 8];
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = random_bits() & random_bits();
	memcpy(&insn, words, sizeof(insn));
	if (random_bits() & 7)
		insn.op %= 43;
	if (random_bits() & 7)
		insn.fault = first[random_bits() & 3] + insn.fault % 26;
	if (random_bits() & 1)
		insn.space %= 4;
	return insn;
}

#endif
