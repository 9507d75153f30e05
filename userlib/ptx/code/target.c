// SPDX-License-Identifier: MIT
/*
 * What older targets and versions of PTX do not have. The numbers are those that ptxas (13.0)
 * names when it refuses an instruction; those of targets before sm_75, which it does not know, are
 * in the PTX ISA. Instructions that all supported targets and versions have need no row. The letter
 * of a target is not looked at: setmaxnreg and wgmma, which need sm_90a, are taken for sm_90.
 */
#include <fnmatch.h>
#include <stdio.h>

#include "code/target.h"
#include "vsm_syntax.h"

static const struct {
	/* Of the opcode, see fnmatch(3): [ls][dt] is ld and st, m[ai][nx] is min and max. */
	const char *pattern;
	uint8_t target;		/* first target that has it: 90 is sm_90 */
	uint8_t version;	/* first version of PTX that has it: 78 is 7.8 */
} rows[] = {
	/* Scopes and spaces, of all instructions */
	{ "*[.:]cluster*", 90, 78 },
	{ "*::cta*", 50, 78 },

	/* Threads */
	{ "activemask*", 50, 62 },
	{ "bar.cta*", 50, 78 },
	{ "bar.warp*", 50, 60 },
	{ "barrier.*", 50, 60 },
	{ "barrier.cta*", 50, 78 },
	{ "elect*", 90, 80 },
	{ "fence.*", 70, 60 },
	{ "fence.proxy*", 70, 75 },
	{ "fence.proxy.async*", 90, 80 },
	{ "fence.proxy.tensormap*", 90, 83 },
	{ "fence.mbarrier_init*", 90, 80 },
	{ "fence*sync_restrict*", 90, 86 },
	{ "griddepcontrol*", 90, 78 },
	{ "match*", 70, 60 },
	{ "membar.proxy*", 60, 75 },
	{ "nanosleep*", 70, 63 },
	{ "redux*", 80, 70 },
	{ "setmaxnreg*", 90, 80 },
	{ "shfl*", 50, 60 },
	{ "vote*", 50, 60 },
	{ "wgmma*", 90, 80 },

	/* mbarriers and asynchronous copies */
	{ "cp.async*", 80, 70 },
	{ "cp.async*L2::*", 80, 74 },
	{ "cp.async.bulk*", 90, 80 },
	{ "cp.async.bulk.shared::cta*", 90, 86 },
	{ "cp.async.bulk.tensor.?d.shared::cta*", 90, 86 },
	{ "cp.async.bulk*cp_mask*", 100, 86 },
	{ "cp.reduce*", 90, 80 },
	{ "mbarrier*", 80, 70 },
	{ "mbarrier.test_wait.parity*", 80, 71 },
	{ "mbarrier.try_wait*", 90, 78 },
	{ "mbarrier*_tx*", 90, 80 },
	{ "mbarrier*relaxed*", 90, 80 },
	{ "red.async*", 90, 81 },
	{ "st.async*", 90, 81 },
	{ "tensormap*", 90, 83 },

	/* Memory */
	{ "applypriority*", 80, 74 },
	{ "atom*L2::cache_hint*", 80, 74 },
	{ "atom*.v[248]*", 90, 81 },
	{ "atom*bf16*", 90, 78 },
	{ "atom*b128", 90, 83 },
	{ "createpolicy*", 80, 74 },
	{ "cvta*.param*", 70, 77 },
	{ "discard*", 80, 74 },
	{ "getctarank*", 90, 78 },
	{ "isspacep.param*", 70, 77 },
	{ "isspacep.param::*", 70, 83 },
	{ "ld.acquire*", 70, 60 },
	{ "ld.relaxed*", 70, 60 },
	{ "st.relaxed*", 70, 60 },
	{ "st.release*", 70, 60 },
	{ "[ls][dt].mmio*", 70, 82 },
	{ "[ls][dt]*L1::*", 70, 74 },
	{ "[ls][dt]*L2::*", 75, 74 },
	{ "[ls][dt]*L2::cache_hint*", 80, 74 },
	{ "[ls][dt]*b128", 70, 83 },
	{ "mapa*", 90, 78 },
	{ "prefetch*evict*", 80, 74 },
	{ "prefetch*tensormap", 90, 80 },
	{ "red.*L2::cache_hint*", 80, 74 },
	{ "red.*.v[248]*", 90, 81 },
	{ "red.*bf16*", 90, 78 },

	/* Arithmetic */
	{ "add*[us]16x2", 90, 80 },
	{ "add*bf16*", 90, 78 },
	{ "bmsk*", 70, 76 },
	{ "cvt*bf16*", 80, 70 },
	{ "cvt*bf16.[usb]*", 90, 78 },
	{ "cvt*bf16.f16", 90, 78 },
	{ "cvt*bf16.f64", 90, 78 },
	{ "cvt*[usf]16.bf16", 90, 78 },
	{ "cvt*[us]32.bf16", 90, 78 },
	{ "cvt*64.bf16", 90, 78 },
	{ "cvt*ftz.f32.bf16", 90, 78 },
	{ "cvt*e[45]m[32]x2*", 89, 78 },
	{ "cvt*tf32*", 80, 70 },
	{ "cvt.r[nz].*tf32.f32", 90, 78 },
	{ "cvt.pack*", 72, 65 },
	{ "dp[24]a*", 61, 50 },
	{ "ex2*f16*", 75, 70 },
	{ "ex2*bf16*", 90, 78 },
	{ "fma*relu*", 80, 70 },
	{ "fma*bf16*", 80, 70 },
	{ "fma*oob*", 90, 81 },
	{ "lop3.?*.b32", 70, 82 },
	{ "m[ai][nx]*f16*", 80, 70 },
	{ "m[ai][nx]*NaN*", 80, 70 },
	{ "m[ai][nx]*xorsign*", 86, 72 },
	{ "m[ai][nx]*[us]16x2*", 90, 80 },
	{ "m[ai][nx]*relu*", 90, 80 },
	{ "mul*bf16*", 90, 78 },
	{ "set*bf16*", 90, 78 },
	{ "sub*bf16*", 90, 78 },
	{ "szext*", 70, 76 },
	{ "tanh*", 75, 70 },
	{ "tanh*bf16*", 90, 78 },
};

bool ptx_check_target(struct ptx_decoder *d, const struct ptx_insn *insn)
{
	unsigned int target = d->module->target, version = d->module->version;
	unsigned int needs_target = 0, needs_version = 0;
	char opcode[256];

	/* No row asks for more than this. */
	if (target >= 100 && version >= 86)
		return true;
	snprintf(opcode, sizeof(opcode), "%.*s", (int)insn->opcode.length, insn->opcode.text);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		char first = rows[i].pattern[0];

		/* The first letter comes first because fnmatch() is slow. */
		if ((target >= rows[i].target && version >= rows[i].version) ||
		    (first != opcode[0] && first != '*' && first != '[') ||
		    fnmatch(rows[i].pattern, opcode, 0))
			continue;
		if (target < rows[i].target && rows[i].target > needs_target)
			needs_target = rows[i].target;
		if (version < rows[i].version && rows[i].version > needs_version)
			needs_version = rows[i].version;
	}
	if (needs_target && needs_version)
		ptx_refuse(d, insn, "%s needs .target sm_%u and .version %u.%u or newer", opcode,
			   needs_target, needs_version / 10, needs_version % 10);
	else if (needs_target)
		ptx_refuse(d, insn, "%s needs .target sm_%u or newer", opcode, needs_target);
	else if (needs_version)
		ptx_refuse(d, insn, "%s needs .version %u.%u or newer", opcode, needs_version / 10,
			   needs_version % 10);
	return !needs_target && !needs_version;
}
