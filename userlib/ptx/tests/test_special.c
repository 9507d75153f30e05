// SPDX-License-Identifier: MIT
/* Special registers, against their definitions, and what kernels print. */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include <stdio.h>

#include "run_kernel.h"
#include "vsm_syntax.h"

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

static const char *const names[] = {
	"%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y",
	"%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z", "%clusterid.x", "%clusterid.y",
	"%clusterid.z", "%nclusterid.x", "%nclusterid.y", "%nclusterid.z", "%cluster_ctaid.x",
	"%cluster_ctaid.y", "%cluster_ctaid.z", "%cluster_nctaid.x", "%cluster_nctaid.y",
	"%cluster_nctaid.z", "%cluster_ctarank", "%cluster_nctarank", "%laneid", "%warpid",
	"%nwarpid", "%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt",
	"%smid", "%nsmid", "%dynamic_smem_size", "%total_smem_size",
};

#define NAMES (sizeof(names) / sizeof(names[0]))

static void check_thread(const uint32_t *got, const uint32_t cta[3], uint32_t thread)
{
	const struct vsm_ptx_config *c = &run.config;
	uint32_t lane = thread % 32, threads = c->block[0] * c->block[1] * c->block[2];
	uint32_t in[3], rank;
	uint32_t want[NAMES] = {
		thread % c->block[0], thread / c->block[0] % c->block[1],
		thread / c->block[0] / c->block[1],
	};

	for (unsigned int i = 0; i < 3; i++) {
		in[i] = cta[i] % c->cluster[i];
		want[3 + i] = c->block[i];
		want[6 + i] = cta[i];
		want[9 + i] = c->grid[i];
		want[12 + i] = cta[i] / c->cluster[i];
		want[15 + i] = c->grid[i] / c->cluster[i];
		want[18 + i] = in[i];
		want[21 + i] = c->cluster[i];
	}
	rank = in[0] + c->cluster[0] * (in[1] + c->cluster[1] * in[2]);
	want[24] = rank;
	want[25] = c->cluster[0] * c->cluster[1] * c->cluster[2];
	want[26] = lane;
	want[27] = thread / 32;
	want[28] = (threads + 31) / 32;
	want[29] = 1u << lane;
	want[30] = UINT32_MAX >> (31 - lane);
	want[31] = (1u << lane) - 1;
	want[32] = UINT32_MAX << lane;
	want[33] = ~want[30];
	want[34] = got[34];
	want[35] = 132;
	want[36] = 48;
	want[37] = 112;
	assert_true(got[34] < 132);
	for (unsigned int i = 0; i < NAMES; i++)
		if (got[i] != want[i])
			fail_msg("%s of thread %u in CTA %u,%u,%u is %u, not %u", names[i], thread,
				 cta[0], cta[1], cta[2], got[i], want[i]);
}

TEST(special_registers_have_their_values)
{
	static const struct vsm_ptx_config shapes[] = {
		{ .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .cluster = { 1, 1, 1 } },
		{ .grid = { 2, 3, 2 }, .block = { 5, 3, 2 }, .cluster = { 1, 1, 1 } },
		{ .grid = { 2, 1, 1 }, .block = { 3, 7, 5 }, .cluster = { 2, 1, 1 } },
		{ .grid = { 4, 2, 2 }, .block = { 1, 1, 13 }, .cluster = { 2, 2, 2 } },
		{ .grid = { 2, 3, 1 }, .block = { 33, 1, 1 }, .cluster = { 1, 3, 1 } },
	};
	char text[8000];

	snprintf(text, sizeof(text), "%s",
		 L(".extern .shared .b8 dynamic[]; .shared .b8 own[64];")
		 RUN_ENTRY("k")
		 L("mov.u64 %rd2, own; mov.u64 %rd2, dynamic;")
		 L("mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.y;")
		 L("mad.lo.u32 %r1, %r1, %r2, %r3; mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ctaid.x;")
		 L("mad.lo.u32 %r1, %r1, %r2, %r3; mov.u32 %r2, %tid.z; mov.u32 %r3, %ntid.y;")
		 L("mov.u32 %r4, %tid.y; mad.lo.u32 %r2, %r2, %r3, %r4; mov.u32 %r3, %ntid.x;")
		 L("mad.lo.u32 %r2, %r2, %r3, %r0; mov.u32 %r4, %ntid.y; mul.lo.u32 %r3, %r3, %r4;")
		 L("mov.u32 %r4, %ntid.z; mul.lo.u32 %r3, %r3, %r4;")
		 L("mad.lo.u32 %r1, %r1, %r3, %r2; mad.wide.u32 %rd1, %r1, 160, %rd0;"));
	for (unsigned int i = 0; i < NAMES; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "mov.u32 %%r1, %s; st.global.u32 [%%rd1+%u], %%r1;\n", names[i], 4 * i);
	strcat(text, "}\n");
	run_load(&run, text);
	for (unsigned int shape = 0; shape < 5; shape++) {
		struct vsm_ptx_config *c = &run.config;
		uint32_t number = 0, cta[3];

		*c = shapes[shape];
		c->smem_bytes = 48;
		run_done(&run, 0);
		for (cta[2] = 0; cta[2] < c->grid[2]; cta[2]++)
			for (cta[1] = 0; cta[1] < c->grid[1]; cta[1]++)
				for (cta[0] = 0; cta[0] < c->grid[0]; cta[0]++)
					for (uint32_t t = 0;
					     t < c->block[0] * c->block[1] * c->block[2]; t++)
						check_thread(run.words + 40 * number++, cta, t);
	}
}

TEST(reserved_memory_is_before_the_variables)
{
	static const struct {
		const char *name;
		uint32_t value;
	} rows[] = {
		{ "%reserved_smem_offset_begin", 0 }, { "%reserved_smem_offset_end", 1024 },
		{ "%reserved_smem_offset_cap", 1024 }, { "%reserved_smem_offset_0", 0 },
		{ "%reserved_smem_offset_1", 512 }, { "%total_smem_size", 96 },
		{ "%aggr_smem_size", 1120 }, { "own", 1024 }, { "dynamic", 1088 },
		{ "%envreg0", 0 }, { "%envreg1", 0 }, { "%envreg2", 0 }, { "%envreg31", 0 },
	};
	struct vsm_ptx_kernel kernel;
	char text[3000];

	strcpy(text, L(".extern .shared .b8 dynamic[]; .shared .b8 own[64];") RUN_ENTRY("k"));
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "mov.u32 %%r1, %s; st.global.u32 [%%rd0+%u], %%r1;\n", rows[i].name,
			 4 * i);
	strcat(text, "}\n");
	run_load(&run, text);
	run.config = (struct vsm_ptx_config){ .smem_bytes = 32 };
	run_done(&run, 1);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		if (run.words[i] != rows[i].value)
			fail_msg("%s is %u, not %u", rows[i].name, run.words[i], rows[i].value);
	assert_int_equal(vsm_ptx_kernel_info(run.module, 0, &kernel), 0);
	assert_int_equal(kernel.smem_bytes, 64);
	run.config.smem_bytes = 226 << 10;
	run_refused(&run, -EINVAL,
		    "needs 232512 bytes of shared memory, 1024 of them reserved, and");
	run.config.smem_bytes = 0;
}

TEST(activemask_has_the_lanes_that_execute_it)
{
	run_text(&run, RUN_ENTRY("k")
		 L("activemask.b32 %r1; setp.lt.u32 %p1, %r0, 5; @%p1 activemask.b32 %r1;")
		 L("st.global.u32 [%rd1], %r1; }"), 40);
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(run.words[i], i < 5 ? 31 : i < 32 ? UINT32_MAX : 255);
}

TEST(clocks_go_forward)
{
	run_load(&run, RUN_ENTRY("k")
		 L("mov.u64 %rd2, %clock64; mov.u64 %rd3, %globaltimer; mov.u32 %r1, %clock;")
		 L("mov.u32 %r2, 0; LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 1000;")
		 L("@%p1 bra LOOP; mov.u64 %rd4, %clock64; mov.u64 %rd5, %globaltimer;")
		 L("mov.u32 %r3, %clock; sub.u32 %r3, %r3, %r1; sub.u64 %rd4, %rd4, %rd2;")
		 L("sub.u64 %rd6, %rd5, %rd3; st.global.u64 [%rd0], %rd4; "
		   "st.global.u64 [%rd0+8], %rd6;")
		 L("st.global.u32 [%rd0+16], %r3; mov.u32 %r4, %globaltimer_lo;")
		 L("mov.u32 %r5, %globaltimer_hi; mov.u32 %r6, %clock_hi;")
		 L("st.global.u64 [%rd0+24], %rd5; st.global.v2.u32 [%rd0+32], {%r4, %r5}; }"));
	for (unsigned int seed = 0; seed < 2; seed++) {
		uint64_t got[5], again[5];

		run.config.seed = seed;
		run_done(&run, 1);
		memcpy(got, run.words, sizeof(got));
		assert_true(got[0] >= 3000 && got[0] < 4000);
		assert_true(got[1] > 0);
		assert_int_equal(run.words[4], got[0]);
		assert_true(got[4] >= got[3]);
		/* With a seed the time does not depend on the clock of the machine. */
		run_done(&run, 1);
		memcpy(again, run.words, sizeof(again));
		assert_int_equal(memcmp(got, again, sizeof(got)) == 0, seed);
	}
}

/* With a seed, a clock that one warp reads is not behind what another has read before. */
TEST(warps_have_the_same_clock_with_a_seed)
{
	run.config.seed = 3;
	run_text(&run, RUN_ENTRY("k")
		 L("setp.ge.u32 %p1, %r0, 32; @%p1 bra SECOND; mov.u32 %r2, 0;")
		 L("LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 50000; @%p1 bra LOOP;")
		 L("mov.u64 %rd2, %globaltimer; mov.u64 %rd3, %clock64;")
		 L("st.global.v2.u64 [%rd0], {%rd2, %rd3}; st.release.gpu.global.u32 [%rd0+32], 1;")
		 L("ret; SECOND: nanosleep.u32 100; ld.acquire.gpu.global.u32 %r3, [%rd0+32];")
		 L("setp.eq.u32 %p1, %r3, 0; @%p1 bra SECOND;")
		 L("mov.u64 %rd2, %globaltimer; mov.u64 %rd3, %clock64;")
		 L("st.global.v2.u64 [%rd0+16], {%rd2, %rd3}; }"), 64);
	for (unsigned int i = 0; i < 2; i++) {
		const uint64_t *times = (const uint64_t *)run.words;

		assert_true(times[i] > 150000);
		assert_true(times[2 + i] > times[i]);
	}
}

/* --- vprintf --------------------------------------------------------------------------- */

/* Prints @format with arguments from 16 words, of which the first is the number of the thread. */
static void print(const char *format, const uint32_t *args, uint32_t threads)
{
	char text[3000];

	snprintf(text, sizeof(text), "%s.global .align 1 .b8 format[200] = {",
		 L(".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);")
		 L(".global .align 1 .b8 word[5] = {116, 101, 120, 116, 0};"));
	for (; *format; format++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d, ", *format);
	strcat(text, "0};\n");
	strcat(text, RUN_ENTRY("k")
	       L(".local .align 8 .b8 args[64]; mov.u64 %rd2, args; mov.u64 %rd3, format;")
	       L("cvta.global.u64 %rd3, %rd3; cvta.local.u64 %rd4, %rd2;"));
	for (unsigned int i = 0; i < 16; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "st.local.u32 [args+%u], %u;", 4 * i, args[i]);
	strcat(text, L("mov.u64 %rd5, word; st.local.u64 [args+56], %rd5;")
	       L("@%p1 st.local.u32 [args], %r0; setp.ne.u32 %p2, %r0, 0;")
	       L("@%p2 st.local.u32 [args], %r0;")
	       L("{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd3;")
	       L("st.param.b64 [a], %rd4; call.uni (r), vprintf, (f, a); ld.param.b32 %r1, [r]; }")
	       L("st.global.u32 [%rd1], %r1; }"));
	run_text(&run, text, threads);
}

TEST(formats_are_those_of_c)
{
	static const struct {
		const char *format;
		uint32_t args[16];
		const char *want;
		uint32_t count;
	} cases[] = {
		{ "nothing, 100%%\n", { 0 }, "nothing, 100%\n", 0 },
		{ "%d %i %u", { 0xffffffff, 0x80000000, 0xffffffff }, "-1 -2147483648 "
		  "4294967295", 3 },
		{ "%x %X %o %#x", { 0xabc, 0xabc, 8, 255 }, "abc ABC 10 0xff", 4 },
		{ "<%5d|%-5d|%05d|%+d>", { 42, 42, 42, 42 }, "<   42|42   |00042|+42>", 4 },
		{ "%c%c%c", { 'a', 'b', 'c' }, "abc", 3 },
		/* A number of 64 bits is at a multiple of 8. */
		{ "%d %lld %lu", { 1, 77, 0xffffffff, 0xffffffff, 5, 1 }, "1 -1 4294967301", 3 },
		{ "%d %llx", { 1, 77, 0x89abcdef, 0x01234567 }, "1 123456789abcdef", 2 },
		{ "%f %.3e %g", { 0, 0x3ff80000, 0, 0x40000000, 0, 0xbff00000 },
		  "1.500000 2.000e+00 -1", 3 },
		{ "%8.2f|%-8.1f|", { 0, 0x3ff80000, 0, 0x40000000 }, "    1.50|2.0     |", 2 },
		{ "%d%d%d%d%d%d%d%d%d%d%d%d%d%d%s", { 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5 },
		  "12345678912345text", 15 },
		{ "%d%d%d%d%d%d%d%d%d%d%d%d%d%d%8.2s|",
		  { 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5 },
		  "12345678912345      te|", 15 },
		{ "%p", { 16, 1 }, "0x100000010", 1 },
		{ "%hd %hhu", { 5, 6 }, "5 6", 2 },
		{ "", { 0 }, "", 0 },
		{ "%1000000000d", { 5 }, NULL, 1 },
		{ "%.999999999f", { 0, 0x3ff80000 }, NULL, 1 },
		{ "%*d %n %", { 5, 6 }, NULL, UINT32_MAX },
		{ "%q %y %5", { 5, 6 }, NULL, UINT32_MAX },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print(cases[i].format, cases[i].args, 1);
		if (cases[i].want)
			assert_string_equal(run.printed, cases[i].want);
		if (cases[i].count != UINT32_MAX)
			assert_int_equal(run.words[0], cases[i].count);
	}
}

TEST(each_lane_prints)
{
	const uint32_t args[16] = { 0 };
	char want[400] = "";

	for (unsigned int i = 0; i < 32; i++)
		snprintf(want + strlen(want), sizeof(want) - strlen(want), "thread %u\n", i);
	print("thread %d\n", args, 32);
	assert_string_equal(run.printed, want);
}

TEST(bad_strings_are_faults)
{
	static const char head[] =
		L(".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);")
		L(".global .align 1 .b8 open[3] = {65, 65, 65};")
		L(".global .align 1 .b8 string[3] = {37, 115};")
		RUN_ENTRY("k") L("mov.u64 %rd2, 0; mov.u64 %rd3, open; mov.u64 %rd4, string;");
	static const char *const args[][2] = {
		{ "%rd2", "in no allocation" }, { "%rd3", "behind the end of open of 3 bytes" },
		{ "%rd4", "in no allocation" },
	};

	for (unsigned int i = 0; i < 3; i++) {
		char text[2000];

		snprintf(text, sizeof(text), "%s"
			 "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %s;\n"
			 "st.param.b64 [a], %%rd2; call.uni (r), vprintf, (f, a); } }\n",
			 head, args[i][0]);
		run_fault(&run, text, 3, args[i][1]);
		assert_string_equal(run.printed, "");
	}
}

/* These registers had 16 bits once: mov of 16 bits takes the lower ones. */
TEST(the_lower_halves_of_old_registers_are_copied)
{
	run_text(&run, RUN_ENTRY("k") L("mov.u16 %h1, %tid.x; mov.b16 %h2, %ntid.x;")
		 L("mov.s16 %h3, %ctaid.x; add.u16 %h1, %h1, %h2; add.u16 %h1, %h1, %h3;")
		 L("cvt.u32.u16 %r1, %h1; st.global.u32 [%rd1], %r1; }"), 64);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(run.words[i], i + 64);
}

/* With a seed all clocks are equal at one step. Half of the lanes convert, too. */
TEST(clocks_are_converted)
{
	run_load(&run, RUN_ENTRY("k")
		 L("setp.lt.u32 %p1, %r0, 16; mov.u64 %rd7, 9; mov.u64 %rd3, %clock64;")
		 L("@%p1 cvt.u64.u32 %rd7, %clock; cvt.u32.u64 %r2, %clock64;")
		 L("cvt.u16.u32 %h1, %clock; cvt.sat.s32.u32 %r3, %clock_hi;")
		 L("mov.b64 {%r4, %r5}, %clock64; mov.b64 %rd5, {%clock, %clock_hi};")
		 L("mov.b32 %f1, %clock; mov.b64 %d1, %clock64;")
		 L("sub.u64 %rd8, %rd7, %rd3; @!%p1 mov.u64 %rd8, %rd7;")
		 L("cvt.u32.u64 %r6, %rd3; sub.u32 %r2, %r2, %r6; sub.u32 %r4, %r4, %r6;")
		 L("cvt.u32.u16 %r7, %h1; sub.u32 %r7, %r7, %r6; sub.u64 %rd5, %rd5, %rd3;")
		 L("mov.b32 %r8, %f1; sub.u32 %r8, %r8, %r6; mov.b64 %rd6, %d1;")
		 L("sub.u64 %rd6, %rd6, %rd3; mad.wide.u32 %rd1, %r0, 64, %rd0;")
		 L("st.global.u64 [%rd1], %rd8; st.global.v2.u32 [%rd1+8], {%r2, %r3};")
		 L("st.global.v4.u32 [%rd1+16], {%r4, %r5, %r7, %r8};")
		 L("st.global.v2.u64 [%rd1+32], {%rd5, %rd6}; }"));
	run.config.seed = 1;
	run_done(&run, 32);
	for (uint32_t i = 0; i < 32; i++) {
		const uint32_t *words = &run.words[16 * i];
		uint64_t wide[3];

		memcpy(&wide[0], words, 8);
		memcpy(&wide[1], &words[8], 16);
		assert_int_equal(wide[0], i < 16 ? 1 : 9);
		assert_int_equal(words[2], 2);
		assert_int_equal(words[3], 0);
		assert_int_equal(words[4], 5);
		assert_int_equal(words[5], 0);
		assert_int_equal(words[6], 3);
		assert_int_equal(words[7], 7);
		assert_int_equal(wide[1], 6);
		assert_int_equal(wide[2], 8);
	}
}

TEST(whole_vectors_are_copied)
{
	static const char *const names[] = {
		"tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid",
		"cluster_nctaid",
	};

	run.config.block[1] = 2;
	run.config.block[2] = 2;
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		static const char dims[] = "xyz";
		char text[2000], *at = text;

		/* The differences of the components and the elements. */
		at += sprintf(at, "%s.reg .v4 .u32 %%v; setp.lt.u32 %%p1, %%r0, 3;\n"
			      "mov.v4.u32 {%%r1, %%r2, %%r3, %%r4}, {7, 7, 7, 7};\n"
			      "@%%p1 mov.v4.u32 {%%r1, %%r2, %%r3, %%r4}, %%%s;\n"
			      "mov.v4.b32 %%v, %%%s;\n", RUN_ENTRY("k"), names[i], names[i]);
		for (unsigned int dim = 0; dim < 3; dim++)
			at += sprintf(at, "mov.u32 %%r8, %%%s.%c; @%%p1 sub.u32 %%r%u, %%r%u, %%r8;"
				      "sub.u32 %%r%u, %%v.%c, %%r8;\n", names[i], dims[dim],
				      1 + dim, 1 + dim, 10 + dim, dims[dim]);
		at += sprintf(at, "mov.u32 %%r13, %%v.w; mad.wide.u32 %%rd1, %%r0, 32, %%rd0;\n"
			      "mov.u32 %%r14, %%tid.y; mov.u32 %%r15, %%tid.z;\n"
			      "or.b32 %%r14, %%r14, %%r15; setp.ne.u32 %%p2, %%r14, 0;\n"
			      "@%%p2 exit; st.global.v4.u32 [%%rd1], {%%r1, %%r2, %%r3, %%r4};\n"
			      "st.global.v4.u32 [%%rd1+16], {%%r10, %%r11, %%r12, %%r13}; }\n");
		run_text(&run, text, 8);
		for (unsigned int word = 0; word < 64; word++)
			assert_int_equal(run.words[word],
					 word / 8 >= 3 && word % 8 < 4 ? 7 : 0);
	}
	memset(&run.config, 0, sizeof(run.config));
}

/* Each element has the value that its source had before the instruction. */
TEST(elements_of_vectors_may_be_exchanged)
{
	run_text(&run, RUN_ENTRY("k") ".reg .v2 .f32 %w; .reg .v4 .b16 %x;\n"
		 L("mov.v2.b32 {%r1, %r2}, {%r0, 5}; mov.v2.b32 {%r2, %r1}, {%r1, %r2};")
		 L("mov.v2.b64 {%rd2, %rd3}, {%rd1, 9}; mov.v2.u64 {%rd2, _}, {%rd3, %rd2};")
		 L("mov.v2.f32 %w, {0f3f800000, 2.0}; mov.b32 %r3, %w.x; mov.b32 %r4, %w.y;")
		 L("mov.v4.u16 %x, %tid; cvt.u32.u16 %r5, %x.x; cvt.u32.u16 %r6, %x.w;")
		 L("mad.wide.u32 %rd1, %r0, 32, %rd0;")
		 L("st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};")
		 L("cvt.u32.u64 %r7, %rd2; st.global.v4.u32 [%rd1+16], {%r5, %r6, %r7, 0}; }"), 40);
	for (uint32_t i = 0; i < 40; i++) {
		const uint32_t expected[8] = { 5, i, 0x3f800000, 0x40000000, i, 0, 9, 0 };

		assert_memory_equal(&run.words[8 * i], expected, sizeof(expected));
	}
}

TEST_MAIN()
