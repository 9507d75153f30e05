// SPDX-License-Identifier: MIT
/* Modifiers of opcodes in any order: load/order.c, whose tables are read here. */
#include "load/order.c"
#include "parse_build.h"

/* Splits an opcode at its dots. */
static struct ptx_insn split(const char *opcode)
{
	struct ptx_insn insn = { };

	for (;;) {
		unsigned int length = (unsigned int)strcspn(opcode, ".");

		insn.parts[insn.part_count++] = (struct ptx_name){ opcode, length };
		opcode += length;
		if (!*opcode++)
			return insn;
	}
}

static void assert_parts(const struct ptx_insn *insn, const char *opcode)
{
	struct ptx_insn expected = split(opcode);
	unsigned int i;

	assert_int_equal(insn->part_count, expected.part_count);
	for (i = 0; i < insn->part_count; i++)
		if (insn->parts[i].length != expected.parts[i].length ||
		    memcmp(insn->parts[i].text, expected.parts[i].text, insn->parts[i].length))
			fail_msg("%s has %.*s as part %u", opcode, (int)insn->parts[i].length,
				 insn->parts[i].text, i);
}

/*
 * Opcodes in the order of the PTX ISA. ptxas (13.0) was given all permutations of each. It takes
 * those that begin with the parts before the '|' and keep the order of what is joined by '+'.
 */
static const char *const opcodes[] = {
	"vote.|sync.ballot.b32", "vote.|sync.all.pred", "match.|any.sync.b32",
	"match.|all.sync.b32", "shfl.|sync.idx.b32", "redux.|sync.add.s32",
	"barrier.|sync.aligned", "barrier.cta.|sync.aligned", "barrier.arrive.|aligned",
	"barrier.cta.red.|popc.aligned.u32", "barrier.red.|and.aligned.pred",
	"barrier.cluster.arrive.|release.aligned", "barrier.cluster.wait.|acquire.aligned",
	"bar.red.|popc.u32", "bar.cta.|sync", "fence.|acq_rel.gpu", "fence.|sc.cta",
	"fence.proxy.|async::generic.acquire.sync_restrict::shared::cluster.cluster",
	"fence.proxy.|tensormap::generic.acquire.gpu", "fence.|mbarrier_init.release.cluster",
	"cp.async.|cg.shared+global", "cp.async.|ca.shared+global.L2::128B",
	"cp.async.|cg.shared+global.L2::cache_hint", "cp.async.mbarrier.arrive.|noinc.shared.b64",
	"cp.async.bulk.|shared::cluster+global.mbarrier::complete_tx::bytes.L2::cache_hint",
	"cp.async.bulk.|shared::cluster+global.mbarrier::complete_tx::bytes.multicast::cluster",
	"cp.async.bulk.|global+shared::cta.bulk_group",
	"cp.reduce.async.bulk.|global+shared::cta.bulk_group.add.u32",
	"cp.async.bulk.tensor.|2d.shared::cluster+global.tile.mbarrier::complete_tx::bytes",
	"cp.async.bulk.tensor.|3d.global+shared::cta.bulk_group",
	"cp.reduce.async.bulk.tensor.|2d.global+shared::cta.add.bulk_group",
	"cp.async.bulk.prefetch.|L2.global", "cp.async.bulk.prefetch.tensor.|2d.L2.global",
	"mbarrier.init.|shared.b64", "mbarrier.arrive.|release.cta.shared.b64",
	"mbarrier.arrive.expect_tx.|release.cluster.shared::cluster.b64",
	"mbarrier.arrive.|noComplete.shared.b64", "mbarrier.test_wait.parity.|shared.b64",
	"mbarrier.try_wait.parity.|acquire.cta.shared.b64",
	"st.async.|weak.shared::cluster.mbarrier::complete_tx::bytes.u32",
	"red.async.|relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32",
	"cvt.|rn.ftz.f16+f32", "cvt.|rzi.ftz.s32+f32", "cvt.|rn.satfinite.relu.e4m3x2+f32",
	"cvt.pack.|sat.s16+s32", "cvta.to.|global.u64", "mapa.|shared::cluster.u32",
	"getctarank.|shared::cluster.u32", "ld.|relaxed.gpu.global.u32",
	"ld.|weak.global.L1::evict_first.L2::128B.v2+u32", "ld.|global.cg.nc.u32",
	"ld.|volatile.shared.u32", "ldu.|global.v2+u32", "st.|mmio.relaxed.sys.global.u32",
	"st.|global.wt.u32", "atom.|acq_rel.cta.shared.cas.b32", "atom.|global.add.noftz.f16x2",
	"red.|relaxed.gpu.global.add.u32", "add.|rn.ftz.sat.f32", "addc.|cc.u32",
	"mul.wide.|u32", "mad.lo.|cc.u32", "mad.hi.|sat.s32", "mad24.hi.|sat.s32",
	"min.|ftz.NaN.xorsign.abs.f32", "fma.|rn.ftz.relu.f16x2", "div.|approx.ftz.f32",
	"set.|lt.and.ftz.u32+f32", "setp.|lo.and.u32", "slct.|ftz.u32+f32",
	"shf.l.|wrap.b32", "prmt.|b32.f4e", "lop3.|or.b32", "bfind.|shiftamt.u32",
	"dp2a.lo.|u32+s32", "bmsk.|clamp.b32", "szext.|wrap.u32", "testp.|finite.f32",
	"prefetch.|global.L2", "prefetch.|global.L2::evict_last", "discard.|global.L2",
	"createpolicy.fractional.|L2::evict_last+L2::evict_unchanged.b64",
	"createpolicy.range.|global.L2::evict_last+L2::evict_first.b64",
	"tensormap.replace.|tile.global_address.shared::cta.b1024+b64",
	"tensormap.cp_fenceproxy.global.shared::cta.|tensormap::generic.release.gpu.sync.aligned",
	"setmaxnreg.inc.|sync.aligned.u32", "wgmma.fence.|sync.aligned",
};

/* Tries all orders of the last parts of @insn: @at and those behind it have no place yet. */
static unsigned int permute(struct ptx_insn *insn, unsigned int at, const bool joined[PTX_PARTS],
			    const uint8_t used[PTX_PARTS], unsigned int first,
			    const struct ptx_insn *whole, const char *opcode)
{
	unsigned int i, count = 0;

	if (at == whole->part_count) {
		struct ptx_insn sorted = *insn;

		ptx_order_parts(&sorted);
		assert_parts(&sorted, opcode);
		return 1;
	}
	for (i = first; i < whole->part_count; i++) {
		uint8_t now[PTX_PARTS];

		/* What is joined to another part comes behind it. */
		if (used[i] || (joined[i] && !used[i - 1]))
			continue;
		memcpy(now, used, sizeof(now));
		now[i] = 1;
		insn->parts[at] = whole->parts[i];
		count += permute(insn, at + 1, joined, now, first, whole, opcode);
	}
	return count;
}

TEST(modifiers_may_have_any_order)
{
	unsigned int i, count = 0;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		bool joined[PTX_PARTS] = { };
		const uint8_t used[PTX_PARTS] = { };
		unsigned int parts = 0, first = 0;
		struct ptx_insn insn, whole;
		char opcode[128];
		char *to = opcode;
		const char *at;

		for (at = opcodes[i]; *at; at++) {
			if (*at == '|')
				first = parts;
			else
				*to++ = *at == '+' ? '.' : *at;
			parts += *at == '.' || *at == '+';
			if (*at == '+')
				joined[parts] = true;
		}
		*to = 0;
		whole = split(opcode);
		insn = whole;
		assert_false(ptx_order_parts(&insn));
		assert_parts(&insn, opcode);
		count += permute(&insn, first, joined, used, first, &whole, opcode);
	}
	assert_true(count > 1000);
}

TEST(modifiers_are_sorted)
{
	for (unsigned int i = 1; i < ARRAY_SIZE(modifiers); i++)
		if (strcmp(modifiers[i - 1].name, modifiers[i].name) >= 0)
			fail_msg("%s is before %s", modifiers[i - 1].name, modifiers[i].name);
}

/* Each modifier is found, and has the kind of its row. */
TEST(all_modifiers_have_a_kind)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(modifiers); i++) {
		const char *name = modifiers[i].name;

		assert_int_equal(kind_of((struct ptx_name){ name, (unsigned int)strlen(name) }),
				 modifiers[i].kind);
	}
	assert_int_equal(kind_of((struct ptx_name){ "zzz", 3 }), '.');
}

TEST(names_and_types_keep_their_order)
{
	static const char *const same[] = {
		"cvt.s32.f32", "cp.async.bulk.global.shared::cta.bulk_group", "brx.idx.uni",
		"barrier.cluster.arrive.release.aligned", "ret.uni", "unknown.f32.sat.rn",
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "nanosleep.u32",
		"multimem.ld_reduce.add.v4.f32", "tcgen05.mma.cta_group::1.kind::f16",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(same); i++) {
		struct ptx_insn insn = split(same[i]);

		assert_false(ptx_order_parts(&insn));
		assert_parts(&insn, same[i]);
	}
}

TEST(a_module_may_have_them_in_any_order)
{
	struct ptx_module *module;
	const struct ptx_insn *insn;

	module = parse(KERNEL(REGS "cvt.f32 .rn.s32 %f1, %r1; vote.ballot.sync.b32 %r1, %p1, -1;"));
	insn = &module->functions[0]->insns[0];
	assert_memory_equal(insn->opcode.text, "cvt.rn.f32.s32", insn->opcode.length);
	assert_int_equal(insn->opcode.length, strlen("cvt.rn.f32.s32"));
	assert_parts(insn, "cvt.rn.f32.s32");
	assert_parts(insn + 1, "vote.sync.ballot.b32");
	ptx_module_free(module);
}

TEST_MAIN()
