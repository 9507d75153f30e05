// SPDX-License-Identifier: MIT
/* What older targets and versions of PTX do not have: code/target.c, whose table is read here. */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include <stdio.h>

#include "code/target.c"
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
		 ".reg .pred %p<4>; .reg .f32 %f<4>; .reg .f64 %d<4>; .reg .b128 %q<2>;", insn);
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

/* Instructions, and the first target and version that have them: those that ptxas (13.0) names. */
static const struct {
	uint8_t target, version;
	const char *insn;
} firsts[] = {
	{ 70, 60, "match.any.sync.b32 %r1, %r2, -1;" },
	{ 50, 62, "activemask.b32 %r1;" },
	{ 50, 78, "bar.cta.sync 0;" },
	{ 50, 60, "bar.warp.sync -1;" },
	{ 50, 60, "barrier.sync 0;" },
	{ 50, 78, "barrier.cta.sync 0;" },
	{ 90, 78, "barrier.cluster.arrive;" },
	{ 90, 80, "elect.sync %r1|%p1, -1;" },
	{ 70, 60, "fence.acq_rel.gpu;" },
	{ 70, 75, "fence.proxy.alias;" },
	{ 90, 80, "fence.proxy.async;" },
	{ 90, 83, "fence.proxy.tensormap::generic.release.gpu;" },
	{ 90, 80, "fence.mbarrier_init.release.cluster;" },
	{ 90, 86, "fence.acquire.sync_restrict::shared::cluster.cluster;" },
	{ 90, 78, "griddepcontrol.wait;" },
	{ 60, 75, "membar.proxy.alias;" },
	{ 70, 63, "nanosleep.u32 0;" },
	{ 80, 70, "redux.sync.add.s32 %r1, %r2, -1;" },
	{ 90, 80, "setmaxnreg.inc.sync.aligned.u32 40;" },
	{ 50, 60, "shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;" },
	{ 50, 60, "vote.sync.all.pred %p1, %p2, -1;" },
	{ 90, 80, "wgmma.fence.sync.aligned;" },
	{ 80, 70, "cp.async.commit_group;" },
	{ 80, 74, "cp.async.ca.shared.global.L2::128B [%r1], [%rd1], 16;" },
	{ 90, 80, "cp.async.bulk.commit_group;" },
	{ 90, 86, "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
	  "[%r1], [%rd1], 16, [%r2];" },
	{ 90, 86, "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
	  "[%r1], [%rd1, {%r2}], [%r3];" },
	{ 100, 86, "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], 16, %h1;" },
	{ 90, 80, "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 16;" },
	{ 80, 70, "mbarrier.init.shared.b64 [%r1], 1;" },
	{ 80, 71, "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0;" },
	{ 90, 78, "mbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;" },
	{ 90, 80, "mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r1], 16;" },
	{ 90, 80, "mbarrier.arrive.relaxed.cta.shared.b64 %rd1, [%r1];" },
	{ 90, 81, "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
	  "[%r1], %r2, [%r3];" },
	{ 90, 81, "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];" },
	{ 90, 83, "tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;" },
	{ 80, 74, "applypriority.global.L2::evict_normal [%rd1], 128;" },
	{ 80, 74, "atom.global.add.L2::cache_hint.u32 %r1, [%rd1], 1, %rd2;" },
	{ 90, 81, "atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f1, %f2};" },
	{ 90, 78, "atom.global.add.noftz.bf16 %h1, [%rd1], %h2;" },
	{ 90, 83, "atom.global.exch.b128 %q1, [%rd1], %q1;" },
	{ 80, 74, "createpolicy.fractional.L2::evict_last.b64 %rd1;" },
	{ 70, 77, "cvta.param.u64 %rd1, %rd2;" },
	{ 80, 74, "discard.global.L2 [%rd1], 128;" },
	{ 90, 78, "getctarank.u64 %r1, %rd1;" },
	{ 70, 77, "isspacep.param %p1, %rd1;" },
	{ 70, 83, "isspacep.param::entry %p1, %rd1;" },
	{ 70, 60, "ld.acquire.gpu.u32 %r1, [%rd1];" },
	{ 70, 60, "ld.relaxed.gpu.u32 %r1, [%rd1];" },
	{ 90, 78, "ld.relaxed.cluster.u32 %r1, [%rd1];" },
	{ 70, 60, "st.relaxed.gpu.u32 [%rd1], %r1;" },
	{ 70, 60, "st.release.gpu.u32 [%rd1], %r1;" },
	{ 50, 78, "ld.shared::cta.u32 %r1, [%r2];" },
	{ 70, 82, "ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];" },
	{ 70, 74, "ld.global.L1::no_allocate.u32 %r1, [%rd1];" },
	{ 75, 74, "ld.global.L2::128B.u32 %r1, [%rd1];" },
	{ 80, 74, "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;" },
	{ 70, 83, "ld.global.b128 %q1, [%rd1];" },
	{ 90, 78, "mapa.u64 %rd1, %rd2, 0;" },
	{ 80, 74, "prefetch.global.L2::evict_last [%rd1];" },
	{ 90, 80, "prefetch.tensormap [%rd1];" },
	{ 80, 74, "red.global.add.L2::cache_hint.u32 [%rd1], 1, %rd2;" },
	{ 90, 81, "red.global.add.v2.f32 [%rd1], {%f1, %f2};" },
	{ 90, 78, "red.global.add.noftz.bf16 [%rd1], %h1;" },
	{ 90, 80, "add.u16x2 %r1, %r1, %r1;" },
	{ 90, 78, "add.bf16 %h1, %h1, %h1;" },
	{ 70, 76, "bmsk.clamp.b32 %r1, %r2, %r3;" },
	{ 80, 70, "cvt.rn.bf16.f32 %h1, %f1;" },
	{ 80, 70, "cvt.rn.bf16x2.f32 %r1, %f1, %f1;" },
	{ 80, 70, "cvt.f32.bf16 %f1, %h1;" },
	{ 90, 78, "cvt.rn.bf16.s32 %h1, %r1;" },
	{ 90, 78, "cvt.rni.bf16.bf16 %h1, %h1;" },
	{ 90, 78, "cvt.rn.bf16.f16 %h1, %h1;" },
	{ 90, 78, "cvt.rz.bf16.f64 %h1, %d1;" },
	{ 90, 78, "cvt.rni.u16.bf16 %h1, %h1;" },
	{ 90, 78, "cvt.rni.s32.bf16 %r1, %h1;" },
	{ 90, 78, "cvt.f64.bf16 %d1, %h1;" },
	{ 90, 78, "cvt.ftz.f32.bf16 %f1, %h1;" },
	{ 89, 78, "cvt.rn.f16x2.e5m2x2 %r1, %h1;" },
	{ 89, 78, "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f1;" },
	{ 80, 70, "cvt.rna.tf32.f32 %r1, %f1;" },
	{ 90, 78, "cvt.rn.tf32.f32 %r1, %f1;" },
	{ 72, 65, "cvt.pack.sat.u16.s32 %r1, %r2, %r3;" },
	{ 61, 50, "dp4a.u32.u32 %r1, %r1, %r1, %r1;" },
	{ 75, 70, "ex2.approx.f16 %h1, %h1;" },
	{ 90, 78, "ex2.approx.ftz.bf16 %h1, %h1;" },
	{ 80, 70, "fma.rn.relu.f16 %h1, %h1, %h1, %h1;" },
	{ 80, 70, "fma.rn.bf16 %h1, %h1, %h1, %h1;" },
	{ 90, 81, "fma.rn.oob.f16 %h1, %h1, %h1, %h1;" },
	{ 70, 82, "lop3.or.b32 %r1|%p1, %r1, %r1, %r1, 7, %p2;" },
	{ 80, 70, "min.f16 %h1, %h1, %h1;" },
	{ 80, 70, "max.bf16 %h1, %h1, %h1;" },
	{ 80, 70, "max.NaN.f32 %f1, %f1, %f1;" },
	{ 86, 72, "min.xorsign.abs.f32 %f1, %f1, %f1;" },
	{ 90, 80, "max.s16x2 %r1, %r1, %r1;" },
	{ 90, 80, "min.relu.s32 %r1, %r1, %r1;" },
	{ 90, 78, "mul.rn.bf16 %h1, %h1, %h1;" },
	{ 90, 78, "set.lt.u32.bf16 %r1, %h1, %h1;" },
	{ 90, 78, "set.lt.bf16.f32 %h1, %f1, %f1;" },
	{ 90, 78, "setp.lt.bf16 %p1, %h1, %h1;" },
	{ 90, 78, "sub.bf16x2 %r1, %r1, %r1;" },
	{ 70, 76, "szext.clamp.s32 %r1, %r2, %r3;" },
	{ 75, 70, "tanh.approx.f32 %f1, %f1;" },
	{ 90, 78, "tanh.approx.bf16x2 %r1, %r1;" },
};

TEST(instructions_need_their_first_target)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(firsts); i++) {
		char before[16], target[16], expected[64];

		snprintf(before, sizeof(before), "sm_%u", firsts[i].target - 1);
		snprintf(target, sizeof(target), "sm_%u", firsts[i].target);
		snprintf(expected, sizeof(expected), ".target %s or newer", target);
		has("8.6", target, firsts[i].insn);
		if (firsts[i].target > 50)
			lacks("8.6", before, firsts[i].insn, expected);
	}
}

TEST(instructions_need_their_first_version)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(firsts); i++) {
		unsigned int first = firsts[i].version, last = first - 1;
		char before[16], version[16], target[16], expected[64];

		snprintf(before, sizeof(before), "%u.%u", last / 10, last % 10);
		snprintf(version, sizeof(version), "%u.%u", first / 10, first % 10);
		snprintf(target, sizeof(target), "sm_%u", firsts[i].target);
		snprintf(expected, sizeof(expected), ".version %s or newer", version);
		has(version, target, firsts[i].insn);
		lacks(before, target, firsts[i].insn, expected);
	}
}

TEST(instructions_may_need_a_target_and_a_version)
{
	lacks("7.7", "sm_89", "mapa.u32 %r1, %r2, %r3;",
	      ".target sm_90 and .version 7.8 or newer");
}

/* What the rows of code/target.c say of an opcode, without the row @skip. */
static unsigned int needs(const char *insn, unsigned int skip)
{
	unsigned int target = 0, version = 0;
	char opcode[256];

	snprintf(opcode, sizeof(opcode), "%.*s", (int)strcspn(insn, " ;"), insn);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		if (i == skip || fnmatch(rows[i].pattern, opcode, 0))
			continue;
		if (rows[i].target > target)
			target = rows[i].target;
		if (rows[i].version > version)
			version = rows[i].version;
	}
	return 1000 * target + version;
}

/* Each row is the only one to say what an instruction above needs. */
TEST(every_row_is_tested)
{
	for (unsigned int row = 0; row < ARRAY_SIZE(rows); row++) {
		unsigned int i = 0;

		while (i < ARRAY_SIZE(firsts) &&
		       needs(firsts[i].insn, row) == needs(firsts[i].insn, UINT32_MAX))
			i++;
		if (i == ARRAY_SIZE(firsts))
			fail_msg("no instruction above needs the row %s", rows[row].pattern);
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
