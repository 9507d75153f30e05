// SPDX-License-Identifier: MIT
/* Loads and stores of all types, in all state spaces. */
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

static const struct {
	const char *name;
	unsigned int bits;
	bool is_signed;
} types[] = {
	{ "b8", 8, false }, { "u8", 8, false }, { "s8", 8, true }, { "b16", 16, false },
	{ "u16", 16, false }, { "s16", 16, true }, { "b32", 32, false }, { "u32", 32, false },
	{ "s32", 32, true }, { "b64", 64, false }, { "u64", 64, false }, { "s64", 64, true },
};

static const struct {
	const char *name;
	unsigned int bits;
	const char *widen;
} registers[] = {
	{ "%h1", 16, "cvt.u64.u16 %rd3, %h1;" },
	{ "%r1", 32, "cvt.u64.u32 %rd3, %r1;" },
	{ "%rd2", 64, "mov.b64 %rd3, %rd2;" },
};

static const char *const spaces[] = { ".global", ".shared", ".local", "" };

TEST(registers_get_the_value_with_its_sign)
{
	static const uint64_t values[] = { 0x8081828384858687, 0x7172737475767778 };

	for (unsigned int i = 0; i < 12 * 3 * 4; i++) {
		unsigned int bits = types[i % 12].bits, wide = registers[i / 12 % 3].bits;
		const char *space = spaces[i / 36];
		char text[2000];

		if (wide < bits)
			continue;
		snprintf(text, sizeof(text),
			 "%s" "mov.u64 %%rd5, %s; st%s.u64 [%%rd5], %%rd4; ld%s.%s %s, [%%rd5]; %s"
			 "st.global.u64 [%%rd0+8], %%rd3; st%s.%s [%%rd5], %s; "
			   "ld%s.u64 %%rd4, [%%rd5];"
			 "st.global.u64 [%%rd0+16], %%rd4; }\n",
			 L(".global .u64 global;")
			 RUN_ENTRY("k") L(".local .u64 local; .shared .u64 shared;")
			 L("ld.global.u64 %rd4, [%rd0]; mov.b64 %rd2, -1; mov.b32 %r1, -1;")
			 L("mov.b16 %h1, -1;"),
			 space[0] ? space + 1 : "global", space, space, types[i % 12].name,
			 registers[i / 12 % 3].name, registers[i / 12 % 3].widen, space,
			 types[i % 12].name, registers[i / 12 % 3].name, space);
		run_load(&run, text);
		for (unsigned int j = 0; j < 2; j++) {
			uint64_t low = bits == 64 ? values[j] : values[j] & ((1ULL << bits) - 1);
			uint64_t want = low;
			uint64_t got[3] = { values[j] };

			if (types[i % 12].is_signed && bits < 64 && low >> (bits - 1))
				want |= UINT64_MAX << bits;
			if (wide < 64)
				want &= (1ULL << wide) - 1;
			memcpy(run.words, got, sizeof(got));
			run_done(&run, 1);
			memcpy(got, run.words, sizeof(got));
			if (got[1] != want)
				fail_msg("ld%s.%s %s: 0x%llx", space, types[i % 12].name,
					 registers[i / 12 % 3].name, (unsigned long long)got[1]);
			/* A store writes as many bytes as the type has. */
			assert_int_equal(got[2], values[j]);
		}
	}
}

TEST(vectors_are_loaded_and_stored)
{
	static const struct {
		const char *type;
		const char *reg;
		unsigned int bytes;
	} elements[] = { { "u8", "%h", 1 }, { "b16", "%h", 2 }, { "f32", "%f", 4 },
			 { "s32", "%r", 4 }, { "b64", "%rd", 8 }, { "f64", "%d", 8 } };

	for (unsigned int i = 0; i < 6 * 3; i++) {
		unsigned int count = 2 << i / 6, bytes = elements[i % 6].bytes * count;
		char list[100] = "", text[2000];
		uint8_t *host;

		if (bytes > 32 || (count == 8 && elements[i % 6].reg[1] != 'r'))
			continue;
		for (unsigned int j = 0; j < count; j++)
			snprintf(list + strlen(list), 100 - strlen(list), "%s%s%u", j ? ", " : "",
				 elements[i % 6].reg, j + 4);
		snprintf(text, sizeof(text),
			 "%s" "ld.global.v%u.%s {%s}, [%%rd0]; st.shared.v%u.%s [s], {%s};"
			 "ld.shared.v%u.%s {%s}, [s]; st.global.v%u.%s [%%rd0+%u], {%s}; }\n",
			 RUN_ENTRY("k") L(".shared .align 32 .b8 s[32];"),
			 count, elements[i % 6].type, list, count, elements[i % 6].type, list,
			 count, elements[i % 6].type, list, count, elements[i % 6].type, 64U, list);
		run_load(&run, text);
		host = (uint8_t *)run.words;
		for (unsigned int j = 0; j < 128; j++)
			host[j] = (uint8_t)(j < 32 ? j * 7 + 1 : 0);
		run_done(&run, 1);
		assert_memory_equal(host + 64, host, bytes);
		for (unsigned int j = 64 + bytes; j < 128; j++)
			assert_int_equal(host[j], 0);
	}
}

TEST(sinks_and_the_register_of_the_address_may_be_destinations)
{
	run_load(&run, RUN_ENTRY("k")
		 L("mov.u64 %rd2, %rd0; ld.global.v2.u64 {%rd2, %rd3}, [%rd2];")
		 L("st.global.v2.u64 [%rd0+16], {%rd2, %rd3};")
		 L("ld.global.v4.u32 {_, %r1, _, %r2}, [%rd0]; st.global.u32 [%rd0+32], %r1;")
		 L("st.global.u32 [%rd0+36], %r2; st.global.v2.u32 [%rd0+40], {7, -1}; }"));
	for (unsigned int i = 0; i < 4; i++)
		run.words[i] = 100 + i;
	run_done(&run, 1);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(run.words[4 + i], 100 + i);
	assert_int_equal(run.words[8], 101);
	assert_int_equal(run.words[9], 103);
	assert_int_equal(run.words[10], 7);
	assert_int_equal(run.words[11], UINT32_MAX);
}

/* Each component of a vector is a register of its own. Nothing needs to read a destination. */
TEST(components_of_vectors_are_registers)
{
	static const uint32_t want[] = {
		10, 20, 61, 40, 40, 30, 20, 50, 20, 10, 0x70005, 0x90005, 20, 10, 31, 30,
	};

	run_load(&run, L(".visible .entry k(.param .u64 k_out) {") RUN_REGISTERS
		 L(".reg .v4 .b32 v, unused; .reg .v2 .b64 w; .reg .v2 .u16 h;")
		 L("ld.param.u64 w.x, [k_out]; ld.global.v4.u32 v, [w.x];")
		 L("ld.global.v4.u32 unused, [w.x+0]; mov.u32 %r1, v.x; add.u32 v.x, v.x, v.w;")
		 L("st.global.v4.u32 [w.x+16], {v.w, v.z, v.y, v.x};")
		 L("mov.b64 w.y, {%r1, v.y}; mov.b64 {_, %r2}, w.y; mov.b64 {%r3, _}, w.y;")
		 L("st.global.v2.u32 [w.x+32], {%r2, %r3};")
		 L("mov.b32 h, 0x70005; st.global.v2.u16 [w.x+40], h;")
		 L("mov.b32 {_, h.y}, 0x90008; st.global.v2.u16 [w.x+44], {h.x, h.y};")
		 /* Other names of the components; elements that are not loaded. */
		 L("ld.global.v2.u32 {_, v.r}, [w.x]; ld.global.v2.u32 {v.g, _}, [w.x];")
		 L("setp.eq.u32 %p1, v.b, 30; @%p1 add.u32 v.b, v.b, 1; @!%p1 mov.u32 v.b, 0;")
		 L("atom.global.add.u32 v.a, [w.x+8], v.b; st.global.v4.u32 [w.x+48], v; }"));
	for (unsigned int i = 0; i < 4; i++)
		run.words[i] = 10 * (i + 1);
	run_done(&run, 1);
	for (unsigned int i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		if (run.words[i] != want[i])
			fail_msg("word %u is %u, not %u", i, run.words[i], want[i]);
}

/*
 * Addresses in .shared have 32 bits, which wrap. A base may be before the variable or before the
 * window, with an offset that leads back. Each CTA of the cluster has its own window.
 */
TEST(addresses_before_the_window_lead_back)
{
	static const char *const loads[] = {
		"mov.u64 %rd2, s-4; ld.shared.u32 %r1, [%rd2+4];",
		"mov.u64 %rd2, s-64; add.u64 %rd2, %rd2, 64; ld.shared::cta.u32 %r1, [%rd2];",
		"mov.u64 %rd2, s-4; cvta.shared.u64 %rd2, %rd2; ld.u32 %r1, [%rd2+4];",
		"mov.u64 %rd2, s-4; cvta.shared.u64 %rd2, %rd2; add.u64 %rd2, %rd2, 4;"
		"ld.u32 %r1, [%rd2];",
		"mov.u32 %r2, s-4; ld.shared.u32 %r1, [%r2+4];",
		"mov.u32 %r2, s; sub.u32 %r2, %r2, 8; ld.shared::cluster.u32 %r1, [%r2+8];",
		"mov.u32 %r2, s; add.u32 %r2, %r2, 40; ld.shared.u32 %r1, [%r2+-40];",
		"mov.u32 %r2, 0xfffffff0; ld.shared.u32 %r1, [%r2+16];",
		"mov.u64 %rd2, 0xfffffff0; ld.shared.u32 %r1, [%rd2+16];",
		"mov.u32 %r2, 16; ld.shared.u32 %r1, [%r2+-16];",
		"mov.u32 %r2, s+8; ld.shared.v2.u32 {%r1, %r3}, [%r2+-8];",
	};

	run.config.grid[0] = 4;
	run.config.cluster[0] = 4;
	for (unsigned int i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		char text[2000];

		snprintf(text, sizeof(text), "%s%s%s", RUN_ENTRY("k")
			 L(".shared .align 8 .u32 s[16]; mov.u32 %r5, %ctaid.x;")
			 L("add.u32 %r6, %r5, 100; st.shared.u32 [s], %r6;"), loads[i],
			 L("mad.wide.u32 %rd1, %r5, 4, %rd0; st.global.u32 [%rd1], %r1; }"));
		run_text(&run, text, 1);
		for (unsigned int cta = 0; cta < 4; cta++)
			if (run.words[cta] != cta + 100)
				fail_msg("%s: CTA %u read %u", loads[i], cta, run.words[cta]);
	}
	/* The rank of a CTA must not be part of the offset of a variable. */
	run_fault(&run, RUN_ENTRY("k") L(".shared .u32 s[16]; mov.u32 %r5, %ctaid.x;")
		  L("setp.ne.u32 %p0, %r5, 1; @%p0 ret; st.shared.u32 [s+16777216], %r5;") "}\n",
		  1, "0x2000000 is in the window of another CTA");
	run_fault(&run, RUN_ENTRY("k") L(".shared .u32 s[16]; mov.u32 %r5, %ctaid.x;")
		  L("setp.ne.u32 %p0, %r5, 1; @%p0 ret; st.shared.u32 [s-4], %r5;") "}\n",
		  1, "write of 4 bytes at 0xfffffc of the shared memory of CTA 1");
}

TEST(qualifiers_do_not_change_values)
{
	static const char *const loads[] = {
		"ld.volatile.global", "ld.relaxed.gpu.global", "ld.acquire.sys.global",
		"ld.weak.global", "ld.global.nc", "ld.global.nc.L1::no_allocate.L2::128B",
		"ld.global.ca", "ldu.global", "ld.acquire.cta", "ld.relaxed.cluster.global",
		"ld.mmio.relaxed.sys.global", "ld.volatile", "ld.global.L1::evict_last",
	};
	static const char *const stores[] = {
		"st.volatile.global", "st.relaxed.gpu.global", "st.release.sys.global",
		"st.weak.global", "st.global.wt", "st.release.cta", "st.global.L1::no_allocate",
	};

	for (unsigned int i = 0; i < 13; i++) {
		char text[1000];

		snprintf(text, sizeof(text), "%s%s.u32 %%r1, [%%rd0]; %s.u32 [%%rd0+4], %%r1; }\n",
			 RUN_ENTRY("k"), loads[i], stores[i % 7]);
		run_load(&run, text);
		run.words[0] = 1000 + i;
		run_done(&run, 1);
		assert_int_equal(run.words[1], 1000 + i);
	}
}

/* Without a state space it is that of the variable. */
TEST(the_name_of_a_variable_says_its_state_space)
{
	run_text(&run, L(".global .u32 g[2] = {3, 4}; .shared .u32 s[2];")
		 RUN_ENTRY("k") L(".local .u32 l[2]; ld.u32 %r1, [g+4]; st.u32 [s+4], 5;")
		 L("st.volatile.u32 [l+4], 6; atom.add.u32 %r2, [s+4], 10; red.add.u32 [g], 100;")
		 L("ld.shared.u32 %r3, [s+4]; ld.local.u32 %r4, [l+4]; ld.global.u32 %r5, [g];")
		 L("st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};")
		 L("st.global.u32 [%rd0+16], %r5; }"), 1);
	assert_int_equal(run.words[0], 4);
	assert_int_equal(run.words[1], 5);
	assert_int_equal(run.words[2], 15);
	assert_int_equal(run.words[3], 6);
	assert_int_equal(run.words[4], 103);
}

TEST_MAIN()
