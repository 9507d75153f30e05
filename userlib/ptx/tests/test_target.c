// SPDX-License-Identifier: MIT
/* What older targets and versions of PTX do not have: code/target.c. */
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

/* Launches a kernel whose line 5 is @insn. Returns the error, and its message. */
static int launch(const char *version, const char *target, const char *insn, char **messages)
{
	struct vsm_ptx_launch *launch;
	char text[1000];
	int err;

	*messages = NULL;
	snprintf(text, sizeof(text),
		 ".version %s\n.target %s\n.address_size 64\n.visible .entry k() {%s\n%s\nret;\n}\n",
		 version, target, ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b16 %h<9>;"
		 ".reg .pred %p<4>; .reg .f32 %f<4>; .reg .f64 %d<4>;", insn);
	vsm_ptx_module_unload(run.module);
	run.module = NULL;
	err = vsm_ptx_module_load(run.context, "test.ptx", text, strlen(text), &run.module,
				  messages);
	if (err)
		fail_msg("%s\n%s", *messages, text);
	err = vsm_ptx_launch(run.module, 0, &run.config, NULL, 0, &launch, messages);
	if (!err)
		vsm_ptx_launch_destroy(launch);
	return err;
}

/* The context has no device. Instructions for one are refused once all have been decoded. */
static void has(const char *version, const char *target, const char *insn)
{
	char *messages;

	if (launch(version, target, insn, &messages) &&
	    !strstr(messages, "k has instructions that only a vsm device executes"))
		fail_msg("%s, %s: %s", version, target, messages);
	free(messages);
}

static void lacks(const char *version, const char *target, const char *insn, const char *expected)
{
	char *messages, message[200];

	assert_int_equal(launch(version, target, insn, &messages), -EOPNOTSUPP);
	snprintf(message, sizeof(message), "test.ptx:5:1: %.*s needs %s\n",
		 (int)strcspn(insn, " ;"), insn, expected);
	assert_string_equal(messages, message);
	free(messages);
}

TEST(instructions_need_their_first_target)
{
	static const struct {
		const char *before, *target, *insn;
	} rows[] = {
		{ "sm_62", "sm_70", "nanosleep.u32 0;" },
		{ "sm_62", "sm_70", "match.any.sync.b32 %r1, %r2, -1;" },
		{ "sm_62", "sm_70", "fence.acq_rel.gpu;" },
		{ "sm_62", "sm_70", "ld.acquire.gpu.u32 %r1, [%rd1];" },
		{ "sm_62", "sm_70", "ld.relaxed.gpu.u32 %r1, [%rd1];" },
		{ "sm_62", "sm_70", "st.relaxed.gpu.u32 [%rd1], %r1;" },
		{ "sm_62", "sm_70", "st.release.gpu.u32 [%rd1], %r1;" },
		{ "sm_60", "sm_61", "dp4a.u32.u32 %r1, %r1, %r1, %r1;" },
		{ "sm_72", "sm_75", "ex2.approx.f16 %h1, %h1;" },
		{ "sm_72", "sm_75", "tanh.approx.f32 %f1, %f1;" },
		{ "sm_75", "sm_80", "redux.sync.add.s32 %r1, %r2, -1;" },
		{ "sm_75", "sm_80", "cp.async.commit_group;" },
		{ "sm_75", "sm_80", "fma.rn.bf16 %h1, %h1, %h1, %h1;" },
		{ "sm_75", "sm_80", "min.f16 %h1, %h1, %h1;" },
		{ "sm_75", "sm_80", "min.bf16 %h1, %h1, %h1;" },
		{ "sm_75", "sm_80", "max.NaN.f32 %f1, %f1, %f1;" },
		{ "sm_75", "sm_80", "fma.rn.relu.f16 %h1, %h1, %h1, %h1;" },
		{ "sm_75", "sm_80", "cvt.rna.tf32.f32 %r1, %f1;" },
		{ "sm_75", "sm_80", "cvt.rn.bf16.f32 %h1, %f1;" },
		{ "sm_75", "sm_80", "cvt.f32.bf16 %f1, %h1;" },
		{ "sm_75", "sm_80", "cvt.rn.bf16x2.f32 %r1, %f1, %f1;" },
		{ "sm_75", "sm_80", "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;" },
		{ "sm_75", "sm_80", "atom.global.add.L2::cache_hint.u32 %r1, [%rd1], 1, %rd2;" },
		{ "sm_75", "sm_80", "discard.global.L2 [%rd1], 128;" },
		{ "sm_75", "sm_80", "mbarrier.init.shared.b64 [%r1], 1;" },
		{ "sm_80", "sm_86", "min.xorsign.abs.f32 %f1, %f1, %f1;" },
		{ "sm_87", "sm_89", "cvt.rn.f16x2.e5m2x2 %r1, %h1;" },
		{ "sm_87", "sm_89", "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f1;" },
		{ "sm_89", "sm_90", "cp.async.bulk.commit_group;" },
		{ "sm_89", "sm_90", "elect.sync %r1|%p1, -1;" },
		{ "sm_89", "sm_90", "add.bf16 %h1, %h1, %h1;" },
		{ "sm_89", "sm_90", "sub.bf16x2 %r1, %r1, %r1;" },
		{ "sm_89", "sm_90", "max.s16x2 %r1, %r1, %r1;" },
		{ "sm_89", "sm_90", "min.relu.s32 %r1, %r1, %r1;" },
		{ "sm_89", "sm_90", "fma.rn.oob.f16 %h1, %h1, %h1, %h1;" },
		{ "sm_89", "sm_90", "ex2.approx.ftz.bf16 %h1, %h1;" },
		{ "sm_89", "sm_90", "tanh.approx.bf16x2 %r1, %r1;" },
		{ "sm_89", "sm_90", "set.lt.u32.bf16 %r1, %h1, %h1;" },
		{ "sm_89", "sm_90", "setp.lt.bf16 %p1, %h1, %h1;" },
		{ "sm_89", "sm_90", "cvt.rn.bf16.s32 %h1, %r1;" },
		{ "sm_89", "sm_90", "cvt.f64.bf16 %d1, %h1;" },
		{ "sm_89", "sm_90", "add.u16x2 %r1, %r1, %r1;" },
		{ "sm_89", "sm_90", "mul.rn.bf16 %h1, %h1, %h1;" },
		{ "sm_89", "sm_90", "set.lt.bf16.f32 %h1, %f1, %f1;" },
		{ "sm_89", "sm_90", "cvt.rni.bf16.bf16 %h1, %h1;" },
		{ "sm_89", "sm_90", "cvt.rn.bf16.f16 %h1, %h1;" },
		{ "sm_89", "sm_90", "cvt.rz.bf16.f64 %h1, %d1;" },
		{ "sm_89", "sm_90", "cvt.rni.u16.bf16 %h1, %h1;" },
		{ "sm_89", "sm_90", "cvt.rni.s32.bf16 %r1, %h1;" },
		{ "sm_89", "sm_90", "cvt.ftz.f32.bf16 %f1, %h1;" },
		{ "sm_89", "sm_90", "cvt.rn.tf32.f32 %r1, %f1;" },
		{ "sm_89", "sm_90", "mapa.shared::cluster.u32 %r1, %r1, 0;" },
		{ "sm_89", "sm_90", "ld.relaxed.cluster.u32 %r1, [%rd1];" },
		{ "sm_89", "sm_90", "barrier.cluster.arrive;" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		char expected[64];

		snprintf(expected, sizeof(expected), ".target %s or newer", rows[i].target);
		has("8.6", rows[i].target, rows[i].insn);
		lacks("8.6", rows[i].before, rows[i].insn, expected);
	}
}

TEST(instructions_need_their_first_version)
{
	static const struct {
		const char *before, *version, *insn;
	} rows[] = {
		{ "5.9", "6.0", "barrier.sync 0;" },
		{ "6.1", "6.2", "activemask.b32 %r1;" },
		{ "6.9", "7.0", "redux.sync.add.s32 %r1, %r2, -1;" },
		{ "7.3", "7.4", "ld.global.L1::no_allocate.u32 %r1, [%rd1];" },
		{ "7.7", "7.8", "mapa.shared::cluster.u32 %r1, %r1, 0;" },
		{ "7.7", "7.8", "barrier.cta.sync 0;" },
		{ "7.9", "8.0", "elect.sync %r1|%p1, -1;" },
		{ "8.0", "8.1", "fma.rn.oob.f16 %h1, %h1, %h1, %h1;" },
		{ "8.1", "8.2", "lop3.or.b32 %r1|%p1, %r1, %r1, %r1, 7, %p2;" },
		{ "8.2", "8.3", "fence.proxy.tensormap::generic.release.gpu;" },
		{ "8.5", "8.6", "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
				"[%r1], [%rd1], 16, [%r2];" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		char expected[64];

		snprintf(expected, sizeof(expected), ".version %s or newer", rows[i].version);
		has(rows[i].version, "sm_90", rows[i].insn);
		lacks(rows[i].before, "sm_90", rows[i].insn, expected);
	}
}

TEST(old_and_new_modules_are_loaded)
{
	has("8.6", "sm_75", "add.f16x2 %r1, %r1, %r1;");
	has("4.0", "sm_50", "add.s32 %r1, %r1, 1;");
	has("6.5", "sm_72", "bar.sync 0;");
	has("9.0", "sm_75", "add.f32 %f1, %f1, %f1;");
	has("9.0", "sm_100", "add.f32 %f1, %f1, %f1;");
	has("9.0", "sm_100f", "elect.sync %r1|%p1, -1;");
	has("9.0", "sm_103a", "elect.sync %r1|%p1, -1;");
	has("9.9", "sm_120a", "add.bf16 %h1, %h1, %h1;");
}

TEST_MAIN()
