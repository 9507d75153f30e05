// SPDX-License-Identifier: MIT
/* malloc and free of kernels: run/heap.c. */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include <stdio.h>

#include "run_kernel.h"

static struct run run;

static int setup(void **state)
{
	run_open(&run, NULL);
	return 0;
}

static int teardown(void **state)
{
	run_close(&run);
	return 0;
}

#define FUNCTIONS \
	L(".extern .func (.param .b64 r) malloc(.param .b64 size);") \
	L(".extern .func free(.param .b64 p);")
#define MALLOC(result, size) \
	L("{ .param .b64 s; .param .b64 r; st.param.b64 [s], " size "; call (r), malloc, (s);") \
	L("ld.param.b64 " result ", [r]; }")
#define FREE(address) \
	L("{ .param .b64 p; st.param.b64 [p], " address "; call free, (p); }")
#define STORE(offset, value)	L("st.global.u64 [%rd0+" offset "], " value ";")

/* The 64-bit number @i of the words. */
static uint64_t number(unsigned int i)
{
	uint64_t value;

	memcpy(&value, run.words + 2 * i, sizeof(value));
	return value;
}

TEST(each_thread_has_memory_of_its_own)
{
	static const uint64_t seeds[] = { 0, 5 };
	const unsigned int threads = 1024;

	run_load(&run, FUNCTIONS RUN_ENTRY("k")
		 L("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r0, %r1, %r2, %r0;")
		 L("mad.wide.u32 %rd1, %r0, 8, %rd0; cvt.u64.u32 %rd3, %r0;")
		 MALLOC("%rd2", "40")
		 L("st.u64 [%rd2+32], %rd3; and.b64 %rd4, %rd2, 15; ld.u64 %rd3, [%rd2+32];")
		 FREE("%rd2") MALLOC("%rd2", "%rd3")
		 L("st.u64 [%rd2], %rd3; ld.u64 %rd5, [%rd2]; add.u64 %rd5, %rd5, %rd4;")
		 L("st.global.u64 [%rd1], %rd5;") FREE("%rd2") FREE("0") "}\n");
	for (unsigned int i = 0; i < 2; i++) {
		run.config = (struct vsm_ptx_config){ .grid = { 8 }, .seed = seeds[i] };
		memset(run.words, 0, 8 * threads);
		run_done(&run, threads / 8);
		for (unsigned int j = 0; j < threads; j++)
			assert_int_equal(number(j), j);
	}
	run.config = (struct vsm_ptx_config){ };
}

TEST(malloc_returns_null_when_the_heap_is_exhausted)
{
	run_load(&run, FUNCTIONS RUN_ENTRY("k")
		 MALLOC("%rd2", "8388609") STORE("0", "%rd2")
		 MALLOC("%rd2", "-1") STORE("8", "%rd2")
		 MALLOC("%rd2", "4194304") STORE("16", "%rd2")
		 MALLOC("%rd3", "4194304") STORE("24", "%rd3")
		 MALLOC("%rd4", "0") STORE("32", "%rd4")
		 /* The two pieces that are free become one. */
		 FREE("%rd3") FREE("%rd2")
		 MALLOC("%rd2", "8388608") STORE("40", "%rd2") FREE("%rd2")
		 /* A small block in the middle leaves no large piece. */
		 MALLOC("%rd2", "4194300") MALLOC("%rd3", "1") FREE("%rd2")
		 MALLOC("%rd4", "4194305") STORE("48", "%rd4")
		 MALLOC("%rd4", "4194304") STORE("56", "%rd4")
		 MALLOC("%rd4", "4194288") STORE("64", "%rd4")
		 MALLOC("%rd4", "0") STORE("72", "%rd4")
		 MALLOC("%rd4", "0") STORE("80", "%rd4") "}\n");
	run_done(&run, 1);
	assert_int_equal(number(0), 0);
	assert_int_equal(number(1), 0);
	assert_true(number(2));
	assert_int_equal(number(3), number(2) + (4 << 20));
	assert_int_equal(number(4), 0);
	assert_int_equal(number(5), number(2));
	assert_int_equal(number(6), 0);
	assert_int_equal(number(7), number(2));
	assert_int_equal(number(8), number(2) + (4 << 20) + 16);
	assert_int_equal(number(9), 0);
	assert_int_equal(number(10), 0);
}

TEST(memory_outlives_the_launch)
{
	run_load(&run, FUNCTIONS RUN_ENTRY("k") MALLOC("%rd2", "16")
		 L("mov.u64 %rd3, 4711; st.u64 [%rd2], %rd3;") STORE("0", "%rd2") L("ret; }")
		 RUN_ENTRY("reader") L("ld.global.u64 %rd2, [%rd0]; ld.u64 %rd3, [%rd2];")
		 STORE("8", "%rd3") L("ret; }")
		 RUN_ENTRY("owner") L("ld.global.u64 %rd2, [%rd0];") FREE("%rd2")
		 MALLOC("%rd3", "8388608") STORE("16", "%rd3") "}\n");
	run_done(&run, 1);
	run_kernel(&run, "reader");
	assert_int_equal(run.result.outcome, VSM_PTX_DONE);
	assert_int_equal(number(1), 4711);
	run_kernel(&run, "owner");
	assert_int_equal(run.result.outcome, VSM_PTX_DONE);
	assert_int_equal(number(2), number(0));
}

TEST(free_takes_only_what_malloc_has_returned)
{
	static const char *const frees[] = {
		FREE("%rd2") FREE("%rd2"), L("add.u64 %rd2, %rd2, 16;") FREE("%rd2"),
		L("add.u64 %rd2, %rd2, 1;") FREE("%rd2"), FREE("%rd0"),
	};

	for (unsigned int i = 0; i < sizeof(frees) / sizeof(frees[0]); i++) {
		char text[2000];

		snprintf(text, sizeof(text), "%s%s}\n", FUNCTIONS RUN_ENTRY("k")
			 MALLOC("%rd2", "64"), frees[i]);
		run_fault(&run, text, 1, ": malloc has not returned this address, or it has been "
			  "freed already\n");
		assert_true(!strncmp(run.report, "free of 0x", 10));
	}
	run_load(&run, L(".extern .func free(.param .b64 p, .param .b64 q);")
		 RUN_ENTRY("k") L("{ .param .b64 p; .param .b64 q; call free, (p, q); } }"));
	run_refused(&run, -EOPNOTSUPP, "free takes 1 parameters");
}

TEST(parameters_have_8_bytes)
{
	static const char *const calls[] = {
		".param .b32 p; .param .b64 q; call (q), malloc, (p);",
		".param .b64 p; .param .b32 q; call (q), malloc, (p);",
		".param .b8 p[7]; call free, (p);", ".param .b8 p[9]; call free, (p);",
	};

	for (unsigned int i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		char text[2000];

		snprintf(text, sizeof(text), "%s{ %s } ret; }\n", FUNCTIONS RUN_ENTRY("k"),
			 calls[i]);
		run_load(&run, text);
		run_refused(&run, -EOPNOTSUPP, "has parameters of 8 bytes");
	}
}

TEST_MAIN()
