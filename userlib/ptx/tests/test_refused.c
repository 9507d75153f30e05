// SPDX-License-Identifier: MIT
/*
 * What can be read and not executed is refused at launch, with its line: in the kernel, and in
 * every function that it may call.
 */
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

/* Expects that a kernel with this instruction, in line 10, is refused. */
static void expect(const char *insn, const char *message)
{
	char text[1000], line[300];

	snprintf(text, sizeof(text), "%s%s\n}\n", RUN_ENTRY("k"), insn);
	snprintf(line, sizeof(line), "test.ptx:10:1: %s", message);
	run_load(&run, text);
	run_refused(&run, -EOPNOTSUPP, line);
}

TEST(what_vsm_does_not_have_is_refused)
{
	static const struct {
		const char *insn, *what;
	} insns[] = {
		{ "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%rd0];", "matrix" },
		{ "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%rd0], {%r1};", "matrix" },
		{ "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", "matrix" },
		{ "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
		  "{%r1, %r2}, {%r3}, {%f0, %f1, %f2, %f3};", "matrix instructions" },
		{ "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%rd0];", "matrix" },
		{ "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, "
		  "%rd2, %rd3, 1, 1, 1, 0, 0;", "matrix instructions" },
		{ "tcgen05.wait::ld.sync.aligned;", "matrix instructions" },
		{ "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd0, {%f4, %f5}];", "textures" },
		{ "tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%rd0, {%r4}];", "textures" },
		{ "tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd0, {%f4, %f5}];", "textures" },
		{ "txq.width.b32 %r1, [%rd0];", "textures" },
		{ "suq.width.b32 %r1, [%rd0];", "textures, samplers and surfaces" },
		{ "suld.b.1d.b32.trap %r1, [%rd0, {%r2}];", "textures" },
		{ "sust.b.1d.b32.trap [%rd0, {%r2}], %r1;", "textures" },
		{ "sured.b.add.1d.u32.trap [%rd0, {%r2}], %r1;", "textures" },
		{ "istypep.texref %p1, %rd0;", "textures" },
		{ "vadd.u32.u32.u32 %r1, %r2, %r3;", "video instructions of one field" },
		{ "vset.s32.u32.lt %r1, %r2, %r3;", "video instructions of one field" },
		{ "multimem.st.weak.global.b32 [%rd0], %r1;", "multicast memory" },
		{ "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
		  ".b128 [%r1], [%r2];", "cancellation of clusters" },
		{ "alloca.u64 %rd1, 16;", "stack memory of variable size" },
		{ "st.bulk [%rd0], 16, 0;", "bulk stores of zeros" },
	};

	for (unsigned int i = 0; i < sizeof(insns) / sizeof(insns[0]); i++) {
		char message[200];

		snprintf(message, sizeof(message), "%.*s: vsm has no %s",
			 (int)strcspn(insns[i].insn, " ;"), insns[i].insn, insns[i].what);
		expect(insns[i].insn, message);
	}
	expect("nosuch.u32 %r1, %r2;", "vsm does not have nosuch.u32; it knows PTX up to 8.6");
}

TEST(wrong_operands_are_refused)
{
	expect("ld.global.u32 %p1, [%rd0];", "");
	expect("ld.global.u64 %r1, [%rd0];", "a register is narrower than .u64");
	expect("ld.global.v2.u32 %r1, [%rd0];", "expected a vector of 2 registers");
	expect("ld.global.v2.u32 {%r1, %r2, %r3}, [%rd0];", "expected a vector of 2 registers");
	expect("ld.global.v8.u64 {%rd1, %rd2, %rd3, %rd4, %rd5, %rd6, %rd7, %rd8}, [%rd0];",
	       "ld accesses at most 32 bytes");
	expect("ld.global.u32 %r1;", "an operand is missing");
	expect("ld.global.foo.u32 %r1, [%rd0];", "vsm does not know .foo of ld");
	expect("ld.global %r1, [%rd0];", "ld.global has no type");
	expect("ld.global.u32 %r1, [%p1];", "");
	expect("ld.shared.u32 %r1, [k_out];",
	       "k_out is in .param, but ld.shared.u32 takes an address in .shared here");
	expect("st.const.u32 [%rd0], %r1;", "constant memory cannot be written");
	expect("st.global.u32 [%rd0], %p1;", "");
	expect("mov.u32 %r1, %pm3;", "the special register %pm3 is not supported");
	expect("mov.u64 %rd1, %current_graph_exec;",
	       "the special register %current_graph_exec is not supported");
	expect("atom.global.add.b32 %r1, [%rd0], 1;", ".add has no type .b32");
	expect("atom.global.cas.b32 %r1, [%rd0], 1;", "an operand is missing");
	expect("red.global.inc.s32 [%rd0], 1;", ".inc has no type .s32");
	expect("atom.global.add.v2.f32 %f1, [%rd0], {%f1, %f2};",
	       "expected a vector of 2 registers");
	expect("red.global.add.v8.f32 [%rd0], {%f1, %f2};", ".add has no type .v8.f32");
	expect("red.global.max.v2.f32 [%rd0], {%f1, %f2};", ".max has no type .v2.f32");
	expect("red.global.add.v2.u32 [%rd0], {%r1, %r2};", ".add has no type .v2.u32");
	expect("red.global.min.noftz.f16 [%rd0], %h1;", ".min has no type .f16");
	expect("red.shared.add.v2.f32 [%r1], {%f1, %f2};", "only global memory has atomic vectors");
	expect("cvta.global.u64 %p1, %rd0;", "");
	expect("cvta.u64 %rd1, %rd0;", "vsm does not have cvta.u64");
	expect("isspacep.global %r1, %rd0;", "");
	expect("isspacep.global %p1, %p2;", "");
	expect("mapa.u64 %p1, %rd0, 1;", "");
	expect("brx.idx %r1, %r2;", "brx.idx needs an index and a list of targets");
	expect("setmaxnreg.inc.sync.aligned.u32 20;", "setmaxnreg takes 24 to 256");
	expect("nanosleep.u32;", "an operand of nanosleep.u32 is missing");
	expect("activemask.b32 %p1;", "");
	expect("mov.u32 %p1, %clock;", "");
	expect("mov.u64 %r1, %clock64;", "");
}

/* PTX has none of them: ptxas refuses all. */
TEST(instructions_that_ptx_does_not_have_are_refused)
{
	static const struct {
		const char *insn, *message;
	} wrong[] = {
		{ "st.b32 [%rd0], %r1, [%rd1];", "st.b32 has 2 operands, not 3" },
		{ "ld.global.u32 %r1, [%rd0], %r2;", "ld.global.u32 has 2 operands, not 3" },
		{ "red.global.add.u32 [%rd0], %r1, %r2;", "red.global.add.u32 has 2 operands" },
		{ "ld.global.L2::cache_hint.u32 %r1, [%rd0];", "an operand is missing" },
		{ "st.relaxed.gpu.cta.u32 [%rd0], %r1;", "has two qualifiers of the same kind" },
		{ "st.weak.release.gpu.u32 [%rd0], %r1;", "has two qualifiers of the same kind" },
		{ "ld.global.shared.u32 %r1, [%rd0];", "has two qualifiers of the same kind" },
		{ "ld.relaxed.u32 %r1, [%rd0];", "ld needs a scope behind .relaxed" },
		{ "st.gpu.u32 [%rd0], %r1;", "st has a scope only behind .relaxed and .release" },
		{ "st.acquire.gpu.u32 [%rd0], %r1;", "st takes .weak, .volatile, .relaxed and" },
		{ "st.mmio.release.sys.u32 [%rd0], %r1;", "allow no .mmio" },
		{ "red.mmio.relaxed.sys.add.u32 [%rd0], %r1;", "allow no .mmio" },
		{ "red.global.add.s64 [%rd0], %rd1;", ".add has no type .s64" },
		{ "red.global.add.f16 [%rd0], %h1;", "an operation of halves has .noftz" },
		{ "red.global.exch.b32 [%rd0], %r1;", "red has no .exch" },
		{ "red.acquire.gpu.add.u32 [%rd0], %r1;", "red takes .relaxed and .release" },
		{ "atom.local.add.u32 %r1, [%rd0], 1;", "atom and red take memory in .global" },
		{ "ld.global.u32 %f1, [%rd0];", "of the type .f32 does not go with .u32" },
		{ "ld.global.u32 %r1, [%r2];", "an address in .global is in a register of 64" },
		{ "ld.global.u32 %r1, [%d2];", "an address in .global is in a register of 64" },
		{ "fence.proxy;", "vsm does not have fence.proxy; it knows PTX up to" },
		{ "fence.proxy.async.cta;", "vsm does not have fence.proxy.async.cta" },
		{ "fence.proxy.async::generic.sync_restrict::shared::cta.cluster;",
		  "vsm does not have" },
		{ "fence.proxy.async::generic.acquire.cluster;",
		  "vsm does not have fence.proxy.async::" },
		{ "fence.proxy.async %r1;", "fence.proxy.async has 0 operands, not 1" },
		{ "fence.proxy.tensormap::generic.acquire.gpu [%rd0];", "an operand of fence" },
		{ "membar;",
		  "vsm does not have membar; it knows PTX up to 8.6: membar(.cta|.gl|.sys)" },
		{ "prefetch.global [%rd0];", "vsm does not have prefetch.global; it knows PTX" },
		{ "prefetch.global.L1 %rd0;", "expected an address in brackets" },
		{ "discard.global.L2 [%rd0], 64;", "discard.global.L2 takes the number 128 here" },
		{ "griddepcontrol.wait.wait;", "vsm does not have griddepcontrol.wait.wait" },
		{ "wgmma.fence.aligned;",
		  "vsm does not have wgmma.fence.aligned; it knows PTX up to 8.6:" },
		{ "setmaxnreg.sync.aligned.u32 40;",
		  "vsm does not have setmaxnreg.sync.aligned.u32" },
		{ "createpolicy.L2.b64 %rd1, %rd2;", "vsm does not have createpolicy.L2.b64" },
		{ "mapa.shared::cluster.u32 %rd1, %r1, 1;", "register %rd1 has the type .b64" },
		{ "exit %r1;", "exit has 0 operands, not 1" },
		{ "mov.rn.u64 %rd1, %clock64;", "mov.rn.u64 is not supported; mov takes .pred" },
		{ "mbarrier.test_wait.shared.b64 %p1, [%r1], %r2;", "register %r2 has the type" },
		{ "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %rd2;", "register %rd2 has" },
		{ "mbarrier.arrive.release.cluster.shared::cluster.b64 %rd1, [%r1];",
		  "mbarrier.arrive has no state in .shared::cluster: its destination is _" },
		{ "cp.async.ca.shared.global [%r1], [%rd0], 4, %rd2;", "register %rd2 has the" },
		{ "cp.async.ca.shared.global [%r1], [%rd0], 5;", "takes 4, 8 or 16 here" },
		{ "cp.async.wait_group %r1;", "cp.async.wait_group takes a number of groups" },
		{ "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %h1, [%r2];",
		  "register %h1 has the type .b16" },
		{ "bar.sync -1;", "bar.sync takes a barrier from 0 to 15 here" },
		{ "bar.sync 1, 40;", "bar.sync takes a number of threads that is a multiple" },
		{ "redux.sync.add.u32 %d1, %r2, -1;", "register %d1 has the type .f64" },
		{ "ld.global.f16 %h1, [%rd0];", "ld has no type .f16; registers of halves" },
		{ "ld.global.bf16x2 %r1, [%rd0];", "ld has no type .bf16x2; registers" },
		{ "ldu.global.f16x2 %r1, [%rd0];", "ldu has no type .f16x2; registers" },
		{ "st.global.f16x2 [%rd0], %r1;", "st has no type .f16x2; registers" },
		{ "ld.param.volatile.u64 %rd1, [k_out];", "ld is always .weak in .const, .param" },
		{ "ld.volatile.param.u64 %rd1, [k_out];", "ld is always .weak in .const, .param" },
		{ "ld.relaxed.gpu.const.u64 %rd1, [%rd2];", "ld is always .weak in .const" },
		{ "st.volatile.local.u64 [%rd1], %rd1;", "st is always .weak in .const, .param" },
		{ "ld.global.unified.u64 %rd1, [%rd0];", "vsm does not know .unified of ld" },
		{ "pmevent 16;", "pmevent takes a number from 0 to 15" },
		{ "pmevent.mask 65536;", "pmevent.mask takes a mask of 16 bits" },
		{ "cvta.global.u64 _, %rd1;", "the destination of cvta.global.u64 is a register" },
		{ "cvta.to.global.u64 _, %rd1;", "the destination of cvta.to.global.u64 is a" },
		{ "isspacep.global _, %rd1;", "the destination of isspacep.global is a register" },
		{ "mapa.u64 _, %rd1, 1;", "the destination of mapa.u64 is a register, not _" },
		{ "getctarank.u64 _, %rd1;", "the destination of getctarank.u64 is a register" },
		{ "mbarrier.arrive.shared.b64 %rd1, [%r1], -1;", "takes a count that is at" },
		{ "mbarrier.arrive.shared.b64 _, [%r1], 0;", "takes a count that is at least 1" },
		{ "mbarrier.arrive_drop.shared.b64 _, [%r1], -1;", "takes a count that is at" },
		{ "mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1], -1;", "takes a count that" },
		{ "bar.arrive 1, 0;", "bar.arrive takes a number of threads that is at least 32" },
		{ "bar.sync 1, 33;", "bar.sync takes a number of threads that is a multiple" },
		{ "elect.sync %r1, -1;", "elect.sync takes a destination d|p with a predicate p" },
		{ "elect.sync %r1|_, -1;", "elect.sync takes a destination d|p with a predicate" },
		{ "shfl.sync.idx.b32 _, %r2, 0, 31, -1;", "the destination of shfl.sync is a reg" },
		{ "shfl.sync.idx.b32 _|%p1, %r2, 0, 31, -1;", "the destination of shfl.sync is" },
		{ "cp.async.ca.shared.global [%r1], [%rd0], 4, 8;", "takes a size up to" },
		{ "createpolicy.fractional.L2::evict_last.b64 %rd1, 2.0;", "a fraction is" },
		{ "createpolicy.fractional.L2::evict_last.b64 %rd1, 0f00000000;", "a fraction is" },
		{ "createpolicy.range.L2::evict_last.b64 %rd1, [%rd0], 32, 16;", "primary size" },
		{ "prefetch.local.L2 [k_out];", "k_out is in .param, but prefetch.local.L2 takes" },
		{ "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r1], 5, %r1;",
		  "tensormap.replace: box_dim has no such dimension" },
		{ "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r1], 13;",
		  "tensormap.replace: elemtype has no such value" },
		{ "add.u16x2 %f1, %r1, %r2;", "add.u16x2 takes registers of the type .b32 only" },
		{ "min.s16x2 %r1, %f1, %r2;", "min.s16x2 takes registers of the type .b32 only" },
		{ "max.u16x2 %r1, %r1, 3;", "max.u16x2 takes registers of the type .b32 only" },
		{ "dp4a.u32.u32 %r1, %f1, %r2, %r3;", "register %f1 has the type .f32" },
		{ "dp2a.lo.s32.u32 %r1, %r2, %f1, %r3;", "register %f1 has the type .f32" },
		{ "bmsk.clamp.b32 %f1, %r1, %r2;", "register %f1 has the type .f32" },
		{ "cvt.pack.sat.u16.s32 %f1, %r1, %r2;", "register %f1 has the type .f32" },
		{ "bfe.u32 %r1, %r2, 256, 1;", "operand 3 of bfe.u32 is a number from 0 to 255" },
		{ "bfi.b64 %rd1, %rd2, %rd3, 1, -1;", "operand 5 of bfi.b64 is a number from 0" },
		{ "cvt.rn.bf16.u8 %h1, %h2;", "register %h2 has the type .b16, but" },
		{ "cvt.rzi.s8.bf16 %h1, %h2;", "register %h1 has the type .b16, but cvt.rzi.s8" },
		{ "cvt.rn.bf16x2.f32 %rd1, %f1, %f2;", "register %rd1 has the type .b64, but cvt" },
		{ "cvt.rn.bf16.f32 %h1, %rd1;", "register %rd1 has the type .b64, but cvt.rn" },
		{ "cvt.rzi.u32.bf16 %rd1, %h1;", "register %rd1 has the type .b64, but cvt.rzi" },
		{ "cvt.rna.tf32.f32 %rd1, %f1;", "register %rd1 has the type .b64, but cvt.rna" },
		{ "cvt.rna.tf32.f32 %f1, %f2;", "register %f1 has the type .f32, but cvt.rna" },
		{ "cvt.rn.satfinite.e4m3x2.f32 %r1, %f1, %f2;", "register %r1 has the type .b32" },
		{ "cvt.rn.f16x2.e4m3x2 %r1, 3;", "takes a .b16 register for the type of 8" },
		{ "{ .reg .f16 %e; add.rn.bf16 %h1, %e, %h2; }", "register %e has the type .f16" },
		{ "{ .reg .f16x2 %e; fma.rn.bf16x2 %r1, %e, %r2, %r3; }", "register %e has the" },
		{ "mov.v2.u32 {%r1, %r2}, %tid;", "mov.v2.u32 takes two vectors of 2 registers" },
		{ "mov.v4.u32 {%r1, %r2, %r3, %r4}, %laneid;", "mov.v4.u32 takes two vectors" },
		{ "mov.v4.b64 {%rd1, %rd2, %rd3, %rd4}, {%rd1, %rd2, %rd3, %rd4};",
		  "mov.v4.b64: mov has vectors of up to 16 bytes" },
		{ "mov.v2.f16 {%h1, %h2}, {%h3, %h4};", "mov.v2.f16: mov has vectors of up to" },
		{ "mov.u32 %r1, %tid;", "mov.u32 has a vector of 4" },
	};

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[1000];

		snprintf(text, sizeof(text), "%s%s\n}\n", RUN_ENTRY("k"), wrong[i].insn);
		run_load(&run, text);
		run_refused(&run, -EOPNOTSUPP, wrong[i].insn[0] == '{' ? "test.ptx:10:" :
								 "test.ptx:10:1: ");
		run_refused(&run, -EOPNOTSUPP, wrong[i].message);
	}
}

/* Special registers and addresses of variables are operands of few instructions. */
TEST(special_registers_and_addresses_are_refused)
{
	static const char *const insns[] = {
		"add.u32 %r1, %r2, %tid.x;", "mul.wide.u32 %rd2, %ctaid.x, 4;",
		"setp.eq.u32 %p1, %laneid, 0;", "popc.b32 %r1, %lanemask_lt;",
		"cvt.rn.f32.u32 %f1, %tid.x;", "cvt.rn.f64.u64 %d1, %clock64;",
		"cvt.pack.sat.u16.s32 %r1, %tid.x, %tid.y;", "st.global.u32 [%rd0], %smid;",
		"st.global.u64 [%rd0], %clock64;", "atom.global.add.u32 %r1, [%rd0], %tid.x;",
		"red.global.add.u32 [%rd0], %laneid;", "nanosleep.u32 %ntid.x;",
		"bar.sync 1, %ntid.x;", "shfl.sync.idx.b32 %r1, %tid.x, 0, 31, -1;",
		"match.any.sync.b32 %r1, %tid.x, -1;", "mbarrier.init.shared.b64 [s], %ntid.x;",
		"mapa.shared::cluster.u32 %r1, %r2, %cluster_ctarank;",
	};
	static const char *const addresses[] = {
		"popc.b64 %r1, s;", "add.u64 %rd2, g, 4;", "mad.wide.u32 %rd2, %r1, 4, g;",
		"setp.eq.u64 %p1, %rd2, g;", "selp.b64 %rd2, g, s, %p1;", "cvt.u32.u64 %r1, s;",
		"st.global.u64 [%rd0], g;", "red.global.add.u64 [%rd0], g;",
		"cvta.to.global.u64 %rd2, g;", "isspacep.global %p1, g;",
		"mov.v2.b64 {%rd2, %rd3}, {s, g};", "match.any.sync.b64 %r1, g, -1;",
	};
	char text[1000];

	for (unsigned int i = 0; i < sizeof(insns) / sizeof(insns[0]); i++) {
		snprintf(text, sizeof(text), "%s%s\n}\n", RUN_ENTRY("k") ".shared .b64 s; ",
			 insns[i]);
		run_load(&run, text);
		run_refused(&run, -EOPNOTSUPP, "test.ptx:10:17: ");
		run_refused(&run, -EOPNOTSUPP, " takes no special register; read it with mov");
	}
	for (unsigned int i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		snprintf(text, sizeof(text), ".global .b64 g; .shared .b64 s;\n%s%s\n}\n",
			 RUN_ENTRY("k"), addresses[i]);
		run_load(&run, text);
		run_refused(&run, -EOPNOTSUPP, "test.ptx:11:1: ");
		run_refused(&run, -EOPNOTSUPP, " does not take the address of a variable; read it");
	}
	expect("st.global.v2.u32 [%rd0], {%clock, %r1};", "st.global.v2.u32 cannot read a clock");
	expect("mov.v4.u32 {%r1, %r2, %r3, %r4}, {%tid.x, %tid.y, 0, 0};",
	       "mov.v4.u32 takes whole special registers only");
}

/* The address of a variable is in one state space, and would be somewhere else in another. */
TEST(variables_of_other_state_spaces_are_refused)
{
	static const struct {
		const char *insn, *message;
	} wrong[] = {
		{ "mbarrier.init.shared::cta.b64 [g], 1;",
		  "test.ptx:14:1: g is in .global, but mbarrier.init.shared::cta.b64 takes an "
		  "address in .shared here" },
		{ "mbarrier.init.b64 [g], 1;", "g is in .global, but mbarrier.init.b64 takes" },
		{ "mbarrier.arrive.shared.b64 _, [l];", "l is in .local, but mbarrier.arrive" },
		{ "mbarrier.try_wait.shared.b64 %p1, [c], %rd2;", "c is in .const, but mbarr" },
		{ "mbarrier.inval.shared.b64 [k_out];", "k_out is in .param, but mbarrier.in" },
		{ "mbarrier.arrive.shared::cluster.b64 _, [g];", "g is in .global, but" },
		{ "cp.async.ca.shared.global [g], [%rd0], 4;",
		  "g is in .global, but cp.async.ca.shared.global takes an address in .shared" },
		{ "cp.async.ca.shared.global [s], [s], 4;",
		  "s is in .shared, but cp.async.ca.shared.global takes an address in .global" },
		{ "cp.async.ca.shared.global [s], [c], 4;", "c is in .const, but cp.async" },
		{ "cp.async.mbarrier.arrive.noinc.shared.b64 [l];", "l is in .local, but" },
		{ "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd0], "
		  "16, [g];", "g is in .global, but cp.async.bulk" },
		{ "cp.async.bulk.global.shared::cta.bulk_group [s], [s], 16;",
		  "s is in .shared, but cp.async.bulk" },
		{ "cp.async.bulk.global.shared::cta.bulk_group [g], [g], 16;",
		  "g is in .global, but cp.async.bulk" },
		{ "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [c], %r1, [s];",
		  "c is in .const, but st.async" },
		{ "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [s], %r1, [l];",
		  "l is in .local, but st.async" },
		{ "cp.async.bulk.tensor.1d.shared::cluster.global.tile."
		  "mbarrier::complete_tx::bytes [s], [l, {%r1}], [s];",
		  "l is in .local, but cp.async.bulk.tensor" },
		{ "cp.async.bulk.tensor.1d.shared::cluster.global.tile."
		  "mbarrier::complete_tx::bytes [s], [s, {%r1}], [s];",
		  "s is in .shared, but cp.async.bulk.tensor" },
		/* A parameter for a function is not one of the kernel. */
		{ "{ .param .align 64 .b8 m[128];"
		  "cp.async.bulk.tensor.1d.shared::cluster.global.tile."
		  "mbarrier::complete_tx::bytes [s], [m, {%r1}], [s]; }",
		  "m is in .param, but cp.async.bulk.tensor" },
		{ "tensormap.replace.tile.rank.shared::cta.b1024.b32 [g], 1;",
		  "g is in .global, but tensormap.replace" },
		{ "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
		  "aligned [s], [s], 128;", "s is in .shared, but tensormap.cp_fenceproxy" },
		{ "ld.u64 %rd2, [c];", "c is in .const, but ld.u64 takes an address that is gen" },
		{ "ld.u64 %rd2, [k_out];", "k_out is in .param, but ld.u64 takes an addr" },
		{ "ld.param.u32 %r1, [s];", "s is in .shared, but ld.param.u32 takes" },
		{ "call f;", "test.ptx:6:1: s is in .shared, but ld.param.u32 takes" },
		{ "cvta.global.u64 %rd1, s;", "s is in .shared, but cvta.global.u64 takes" },
		{ "cvta.shared.u64 %rd1, g;", "g is in .global, but cvta.shared.u64 takes" },
		{ "cvta.to.shared.u64 %rd1, s;", "s is in .shared, but cvta.to.shared.u64 takes" },
		{ "mapa.shared::cluster.u64 %rd1, g, 1;", "g is in .global, but mapa" },
		{ "getctarank.shared::cluster.u32 %r1, c;", "c is in .const, but getctarank" },
		{ "isspacep.shared %p1, s;", "s is in .shared, but isspacep.shared takes" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[3000];

		snprintf(text, sizeof(text), "%s%s\n}\n",
			 L(".global .align 128 .b8 g[128]; .const .u64 c = 1; .shared .u64 s;")
			 L(".func f() { .reg .b32 %r<3>;") L("ld.param.u32 %r1, [s]; ret; }")
			 RUN_ENTRY("k") L(".local .u64 l;"), wrong[i].insn);
		run_load(&run, text);
		run_refused(&run, -EOPNOTSUPP, wrong[i].message);
	}
}

/* PTX that is right and cannot be executed: only kernels that contain it are refused. */
TEST(other_kernels_of_the_module_run)
{
	static const struct {
		const char *insn, *message;
	} wrong[] = {
		{ "vadd.u32.u32.u32 %r1, %r2.b0, %r3.h1;",
		  "test.ptx:13:1: vadd.u32.u32.u32: vsm has no video instructions of one field" },
		{ "vmad.s32.s32.u32 %r1, %r2.b3, %r3.h0, %r4;", "vsm has no video instructions" },
		{ "vadd4.u32.u32.u32.add %r1, %r2.b7610, %r3.b3210, %r4;",
		  "vsm cannot execute vadd4.u32.u32.u32.add with parts of registers" },
		{ "vabsdiff4.u32.u32.u32 %r1, %r2, %r3.b3210, %r4;",
		  "vsm cannot execute vabsdiff4.u32.u32.u32 with parts of registers" },
		{ "vabsdiff4.u32.u32.u32 %r1.b0, %r2, %r3, %r4;",
		  "vsm cannot execute vabsdiff4.u32.u32.u32 with parts of registers" },
		{ "vset2.u32.u32.lt %r1.h1, %r2.h10, %r3.h32, %r4;", "vsm cannot execute vset2" },
		{ "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {%f4, %f5}];",
		  "test.ptx:13:1: tex.2d.v4.f32.f32 uses t: vsm has no textures" },
		{ "mov.u64 %rd2, u;", "mov.u64 uses u: vsm has no textures" },
		{ "ld.global.u64 %rd2, [w];", "ld.global.u64 uses w: vsm has no textures" },
		{ "ld.param.u64 %rd2, [x];", "ld.param.u64 uses x: vsm has no textures" },
		{ "{ .param .b32 q; mov.b64 %rd2, q; }",
		  "q has no address: it is a .param variable of the body" },
	};

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[2000];

		snprintf(text, sizeof(text), "%s%s\n}\n%s",
			 L(".global .texref t; .global .surfref u[2]; .global .samplerref s = "
			   "{ addr_mode_0 = clamp_to_edge, filter_mode = nearest };")
			 L(".global .samplerref w;")
			 L(".entry k(.param .texref x) {") RUN_REGISTERS L("") L("") L("") L(""),
			 wrong[i].insn, RUN_ENTRY("other") L("st.global.u32 [%rd0], 7; ret; }"));
		run_load(&run, text);
		run_refused(&run, -EOPNOTSUPP, wrong[i].message);
		run_kernel(&run, "other");
		assert_int_equal(run.result.outcome, VSM_PTX_DONE);
		assert_int_equal(run.words[0], 7);
	}
}

TEST(functions_that_may_be_called_are_looked_at)
{
	static const char f[] =
		L(".func f() { .reg .f32 %f<9>; .reg .b32 %r<9>; ret;")
		L("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2]; }");

	for (unsigned int i = 0; i < 4; i++) {
		static const char *const uses[] = {
			RUN_ENTRY("k") L("ret; call f, (); }"),
			L(".func g() { call f, (); }") RUN_ENTRY("k") L("call g, (); }"),
			RUN_ENTRY("k") L("mov.u64 %rd2, f; }"),
			L(".global .u64 inner[1] = {f}; .global .u64 outer[2] = {0, inner};")
			RUN_ENTRY("k") L("mov.u64 %rd2, outer; }"),
		};
		char text[2000];

		snprintf(text, sizeof(text), "%s%s%s", f, uses[i],
			 L(".entry other() { ret; }"));
		run_load(&run, text);
		run_refused(&run, -EOPNOTSUPP,
			    "test.ptx:5:1: ldmatrix.sync.aligned.m8n8.x1.shared.b16: vsm has no");
		/* A kernel that cannot call it runs. */
		run_kernel(&run, "other");
		assert_int_equal(run.result.outcome, VSM_PTX_DONE);
	}
}

TEST(a_kernel_is_checked_without_a_launch)
{
	char *messages;

	run_load(&run, RUN_ENTRY("bad") L("nosuch.u32 %r1;") L("other.u32 %r1; }")
		 L(".entry good() { ret; }"));
	assert_int_equal(vsm_ptx_kernel_check(run.module, 0, &messages), -EOPNOTSUPP);
	assert_string_equal(messages,
			    "test.ptx:10:1: vsm does not have nosuch.u32; it knows PTX up to 8.6\n"
			    "test.ptx:11:1: vsm does not have other.u32; it knows PTX up to 8.6\n");
	free(messages);
	assert_int_equal(vsm_ptx_kernel_check(run.module, 0, NULL), -EOPNOTSUPP);
	assert_int_equal(vsm_ptx_kernel_check(run.module, 1, &messages), 0);
	assert_null(messages);
	assert_int_equal(vsm_ptx_kernel_check(run.module, 2, &messages), -ENOENT);
	assert_null(messages);
	run_kernel(&run, "good");
	assert_int_equal(run.result.outcome, VSM_PTX_DONE);
}

TEST(all_instructions_are_named)
{
	run_load(&run, RUN_ENTRY("k") L("nosuch.u32 %r1;") L("bra OUT;") L("other.u32 %r1;")
		 L("OUT: ret; }"));
	run_refused(&run, -EOPNOTSUPP,
		    "test.ptx:10:1: vsm does not have nosuch.u32; it knows PTX up to 8.6\n"
		    "test.ptx:12:1: vsm does not have other.u32; it knows PTX up to 8.6\n");
}

TEST(wrong_calls_are_refused)
{
	static const struct {
		const char *call;
		const char *message;
	} calls[] = {
		{ "call f, ();", "f takes 1 parameters and returns 1 values" },
		{ "{ .param .b32 p; call f, (p); }", "f takes 1 parameters and returns 1 values" },
		{ "{ .param .b64 p; .param .b32 q; call (q), f, (p); }",
		  "p has 8 bytes, but parameter a has 4" },
		{ "{ .param .b32 p; .param .b64 q; call (q), f, (p); }",
		  "q has 8 bytes, but parameter r has 4" },
		{ "{ .param .b32 q; call (q), f, (%r1); }", "only .param variables" },
		{ "call gone, ();", "function gone is not defined in the module" },
		{ "call other, ();", "a kernel cannot be called" },
		{ "A: t: .branchtargets A; call %rd1, t;", "only a prototype or a list" },
		{ "t: .calltargets gone; call %rd1, t, t;", "only a prototype or a list" },
		{ "call %rd1, 5;", "only a prototype or a list of functions" },
		{ "A: t: .branchtargets A; call f, t;", "nothing follows the arguments" },
		{ "t: .calltargets f; call f, t;", "nothing follows the arguments" },
		{ "t: .callprototype _ (); call gone, (), t;", "nothing follows the arguments" },
	};

	for (unsigned int i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		char text[1000];

		snprintf(text, sizeof(text), "%s%s\n}\n",
			 L(".func (.param .b32 r) f(.param .b32 a) { ret; } .extern .func gone();")
			 L(".entry other() { ret; }") RUN_ENTRY("k"), calls[i].call);
		run_load(&run, text);
		run_refused(&run, -EOPNOTSUPP, calls[i].message);
	}
}

/*
 * What the launch of a kernel with this text says: something about the text, or, if each
 * instruction can be decoded, that its parameters or the device are missing. The caller frees it.
 */
static char *message_of(const char *body)
{
	struct vsm_ptx_launch *launch;
	char text[1000], *message = NULL;

	snprintf(text, sizeof(text), "%s%s\n}\n", RUN_ENTRY("k"), body);
	run_load(&run, text);
	assert_int_not_equal(vsm_ptx_launch(run.module, 0, &run.config, NULL, 0, &launch,
					    &message), 0);
	assert_non_null(message);
	return message;
}

static void assert_known(const char *name)
{
	char body[200], *message;

	snprintf(body, sizeof(body), "%s;", name);
	message = message_of(body);
	if (strstr(message, "it knows PTX up to 8.6\n"))
		fail_msg("%s", message);
	free(message);
}

/*
 * is_device_op() in code/decode_device.c has the first parts of all opcodes of the table. All other
 * instructions of PTX are decoded, or in the table of code/program.c.
 */
TEST(all_instructions_are_decoded_or_in_a_table)
{
	unsigned int i;

	for (i = 0; i < ptx_op_count; i++)
		if (ptx_ops[i].op)
			assert_known(ptx_ops[i].name);
	for (i = 0; ptx_lacking[i]; i++)
		assert_known(ptx_lacking[i]);
}

/*
 * readers in code/allocate.c has the opcodes of all instructions whose first operand is a register
 * that they read. The decoder refuses those that are missing.
 */
TEST(the_first_operand_may_be_read)
{
	static const char *const bodies[] = {
		"nanosleep.u32 %r1;", "bar.sync %r1;", "bar.sync %r1, %r2;", "bar.arrive %r1, 64;",
		"barrier.sync %r1;", "barrier.arrive.aligned %r1, %r2;", "bar.warp.sync %r1;",
		"barrier.sync.aligned %r1, 64;", "A: brx.idx %r1, t; t: .branchtargets A;",
		"call %rd1, (), t; t: .callprototype _ ();",
		"call %rd1, t; t: .callprototype _ ();",
		"prefetch.global.L1 [%rd1];", "st.global.u32 [%rd1], %r1;",
		"red.global.add.u32 [%rd1], %r1;", "mbarrier.init.shared.b64 [%r1], %r2;",
		"cp.async.ca.shared.global [%r1], [%rd1], 4, %r2;",
	};
	unsigned int i;

	for (i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		char *message = message_of(bodies[i]);

		if (strstr(message, "test.ptx:"))
			fail_msg("%s: %s", bodies[i], message);
		free(message);
	}
}

TEST(instructions_of_the_device_need_one)
{
	run_load(&run, RUN_ENTRY("k") L("bar.sync 0; }"));
	run_refused(&run, -EOPNOTSUPP, "k has instructions that only a vsm device executes");
}

TEST(too_much_local_memory_is_refused)
{
	run_load(&run, RUN_ENTRY("k") L(".local .b8 a[67108865]; mov.u64 %rd1, a; }"));
	run_refused(&run, -EOPNOTSUPP, "k has too much local memory");
	run_load(&run, RUN_ENTRY("k") L(".local .b8 a[4294967296]; .local .b8 b[4294967295];")
		 L("mov.u64 %rd1, a; mov.u64 %rd1, b; }"));
	run_refused(&run, -EOPNOTSUPP, "k has too much local memory");
}

TEST_MAIN()
