/* SPDX-License-Identifier: MIT */
/*
 * Marks in a program, which tell the plugin in plugin.c what to count. A mark is an instruction
 * that has no effect on the program. Only x86-64 has marks.
 */
#ifndef _MARK_H_
#define _MARK_H_

/*
 * A nop of nine bytes begins or ends a region. Its last byte says which: 1 begins a region of side
 * A, 2 begins one of side B, 0 ends a region. A load passes one character to the plugin: the lowest
 * byte of the address is the character.
 */
#ifdef __x86_64__
#define MARK_NOP	".byte 0x66, 0x0f, 0x1f, 0x84, 0x00, 'v', 's', 'm', "
#define MARK_LOAD	".byte 0x8a, 0x80, 'v', 's', 'm', 0x00"	/* mov 0x6d7376(%rax), %al */
#define MARK_OFFSET	0x6d7376
#else
#define MARK_NOP	"# "
#endif

static inline void mark_begin(void)
{
	__asm__ volatile(MARK_NOP "1" : : : "memory");
}

static inline void mark_begin_b(void)
{
	__asm__ volatile(MARK_NOP "2" : : : "memory");
}

static inline void mark_end(void)
{
	__asm__ volatile(MARK_NOP "0" : : : "memory");
}

static inline void mark_character(unsigned char character)
{
#ifdef MARK_LOAD
	static const unsigned char table[256] __attribute__((aligned(256)));
	unsigned long address = (unsigned long)&table[character] - MARK_OFFSET;

	__asm__ volatile(MARK_LOAD : "+a"(address) : : "memory");
#else
	(void)character;
#endif
}

/* The plugin prints a row with what it has counted since the last row. @text is its name. */
static inline void mark_row(const char *text)
{
	do
		mark_character(*text);
	while (*text++);
}

#endif
