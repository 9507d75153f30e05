/* SPDX-License-Identifier: (GPL-2.0-only OR MIT) */
/*
 * The instructions of the operations that selftests/golden has recorded of mbarriers.
 */
#ifndef VSM_SELFTESTS_RECORDED_H
#define VSM_SELFTESTS_RECORDED_H

#include <string.h>

#include "insn.h"

#define RECORDED(name_, op_, mods_) { .name = name_, .insn = { .op = OP(op_), .mods = mods_ } }

/*
 * Makes the instruction that is recorded with this name and operand, for the mbarrier at @addr.
 * @token is what a test_wait without parity takes. Returns false if there is no such name.
 */
static inline bool recorded_insn(struct drm_vsm_insn *insn, uint32_t addr, const char *name,
				 uint32_t operand, uint64_t token)
{
	static const struct {
		const char *name;
		struct drm_vsm_insn insn;
	} ops[] = {
		RECORDED("init", MBARRIER_INIT, 0),
		RECORDED("inval", MBARRIER_INVAL, 0),
		RECORDED("arrive", MBARRIER_ARRIVE, 0),
		RECORDED("arrive.n", MBARRIER_ARRIVE, MOD(COUNT)),
		RECORDED("arrive.expect_tx", MBARRIER_ARRIVE, MOD(EXPECT_TX)),
		RECORDED("arrive.noComplete", MBARRIER_ARRIVE, MOD(COUNT) | MOD(NOCOMPLETE)),
		RECORDED("arrive_drop", MBARRIER_ARRIVE_DROP, 0),
		RECORDED("arrive_drop.n", MBARRIER_ARRIVE_DROP, MOD(COUNT)),
		RECORDED("arrive_drop.expect_tx", MBARRIER_ARRIVE_DROP, MOD(EXPECT_TX)),
		RECORDED("arrive_drop.noComplete", MBARRIER_ARRIVE_DROP,
			 MOD(COUNT) | MOD(NOCOMPLETE)),
		RECORDED("expect_tx", MBARRIER_EXPECT_TX, 0),
		RECORDED("complete_tx", MBARRIER_COMPLETE_TX, 0),
		RECORDED("cp.async.mbarrier.arrive", CP_ASYNC_MBARRIER_ARRIVE, 0),
		RECORDED("cp.async.mbarrier.arrive.noinc", CP_ASYNC_MBARRIER_ARRIVE, MOD(NOINC)),
		RECORDED("test_wait", MBARRIER_TEST_WAIT, 0),
		RECORDED("test_wait.parity", MBARRIER_TEST_WAIT, MOD(PARITY)),
		RECORDED("try_wait.parity", MBARRIER_TRY_WAIT, MOD(PARITY)),
	};
	size_t i;

	for (i = 0; strcmp(ops[i].name, name); i++)
		if (i + 1 == sizeof(ops) / sizeof(*ops))
			return false;
	*insn = ops[i].insn;
	insn->u.mbarrier.addr = addr;
	if (insn->mods & MOD(PARITY))
		insn->u.mbarrier.parity = operand;
	else if (insn->op == OP(MBARRIER_TEST_WAIT))
		insn->u.mbarrier.state = token;
	else if (insn->op == OP(MBARRIER_INIT) || insn->mods & MOD(COUNT))
		insn->u.mbarrier.count = operand;
	else if (insn->op == OP(MBARRIER_EXPECT_TX) || insn->op == OP(MBARRIER_COMPLETE_TX) ||
		 insn->mods & MOD(EXPECT_TX))
		insn->u.mbarrier.tx_count = operand;
	return true;
}

#undef RECORDED

#endif
