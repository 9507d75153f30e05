/* SPDX-License-Identifier: MIT */
/* Asking what the table of forms says about an instruction. */
#ifndef VSM_UNIT_FORMS_H
#define VSM_UNIT_FORMS_H

#include "unit.h"

#define FIRST_OP	OP(MBARRIER_INIT)
#define LAST_OP		OP(FENCE)

/* The executing CTA, one of 4. */
#define CTA	1
#define LOCAL	(1 << 24 | 0x80)
#define REMOTE	(3 << 24 | 0x80)

/* The verdict, as -errno or a fault. */
static inline int check_in(const struct vsm_geometry *geo, const struct drm_vsm_insn *insn)
{
	const enum drm_vsm_fault unset = 0x7777;
	enum drm_vsm_fault fault = unset;
	int rc = check_insn(geo, CTA, insn, &fault);

	if (rc == -EPROTO) {
		assert_true(fault != FAULT(NONE) && fault != unset);
		return fault;
	}
	assert_true(rc == 0 || rc == -EINVAL || rc == -EOPNOTSUPP);
	assert_true(fault == FAULT(NONE) || fault == unset);
	return rc;
}

static inline int check_on(int sm, const struct drm_vsm_insn *insn)
{
	struct vsm_geometry geo = unit_geometry(sm, true);

	return check_in(&geo, insn);
}

static inline int check(const struct drm_vsm_insn *insn)
{
	return check_on(90, insn);
}

#define expect(name, seen, wanted) do {							\
	int seen_ = (seen), wanted_ = (wanted);						\
	if (seen_ != wanted_)								\
		fail_msg("%s: %d, not %d", name, seen_, wanted_);			\
} while (0)

#endif
