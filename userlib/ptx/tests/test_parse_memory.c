// SPDX-License-Identifier: MIT
/*
 * The parser when memory runs out: every allocation fails once.
 *
 * The files of the parser that allocate memory are compiled into this test, with an allocation that
 * can fail. The linker then does not take those of the library.
 */
#include <ctype.h>
#include <locale.h>

#include "parse_build.h"

/* Number of the allocation that fails, from 0 */
static unsigned int failing;
/* Number of allocations so far */
static unsigned int allocations;

static bool fails(void)
{
	return allocations++ == failing;
}

static void *try_calloc(size_t count, size_t size)
{
	return fails() ? NULL : calloc(count, size);
}

static void *try_realloc(void *memory, size_t size)
{
	return fails() ? NULL : realloc(memory, size);
}

static FILE *try_open_memstream(char **text, size_t *size)
{
	return fails() ? NULL : open_memstream(text, size);
}

static locale_t try_newlocale(int mask, const char *name, locale_t base)
{
	return fails() ? NULL : newlocale(mask, name, base);
}

#define calloc try_calloc
#define realloc try_realloc
#define open_memstream try_open_memstream
#define newlocale try_newlocale
#include "load/module.c"
#include "load/operand.c"
#include "load/parse.c"
#include "load/parser.c"

/* Parses with each allocation failing. Returns the number of allocations. */
static unsigned int sweep(const char *text, size_t size, int last)
{
	for (failing = 0; failing < 10000; failing++) {
		struct ptx_messages messages = { };
		struct ptx_module *module;
		int error;

		allocations = 0;
		error = parse_bytes(text, size, &module, &messages);
		free(messages.text);
		if (allocations <= failing) {
			assert_int_equal(error, last);
			ptx_module_free(module);
			return failing;
		}
		assert_int_equal(error, -ENOMEM);
		assert_null(module);
	}
	fail_msg("there is no end of allocations");
	return 0;
}

TEST(every_allocation_of_a_good_module_may_fail)
{
	static const char *const samples[] = { "nvcc.ptx", "clang.ptx", "scopes.ptx", "data.ptx" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		size_t size;
		char *text = read_sample(samples[i], &size);

		assert_in_range(sweep(text, size, 0), 10, 1000);
		free(text);
	}
}

TEST(every_allocation_of_a_wrong_module_may_fail)
{
	static const char text[] = BEGINNING ".global .f32 x = 1.5; foo; .bar;\n"
		KERNEL(REGS "mov.b32 %r1, %r2; bra nowhere; mov.b32 %r1, %r99;");

	assert_in_range(sweep(text, sizeof(text) - 1, -EINVAL), 10, 100);
}

TEST_MAIN()
