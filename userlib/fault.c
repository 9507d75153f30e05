// SPDX-License-Identifier: MIT
/* The names of faults, and which function writes the sentence about which fault. */
#include "report.h"

const char *vsm_fault_name(uint32_t fault)
{
	/*
	 * There is no default: the compiler then warns about a code of the enumeration that is
	 * missing here.
	 */
	switch ((enum drm_vsm_fault)fault) {
	case DRM_VSM_FAULT_NONE: return "NONE";
#define VSM_FAULT(NAME, name, enforced) case DRM_VSM_FAULT_##NAME: return #NAME;
#include "vsm_faults.h"
	}
	return "UNKNOWN";
}

static void put_sentence(struct vsm_report *r)
{
	switch ((enum drm_vsm_fault)r->insn->fault) {
	case DRM_VSM_FAULT_NONE:
		vsm_about(r);
		put(r, "no fault");
		return;
#define VSM_FAULT(NAME, name, enforced) case DRM_VSM_FAULT_##NAME: return vsm_put_##name(r);
#include "vsm_faults.h"
	}
	vsm_about(r);
	put(r, "fault %u, which this version of libvsm does not know", r->insn->fault);
}

int vsm_fault_message(enum vsm_layout layout, uint32_t cta, const struct drm_vsm_insn *insn,
		      char *text, size_t size)
{
	struct vsm_report r = {
		.insn = insn,
		.o = &insn->u.mbarrier,
		.c = &insn->u.copy,
		.t = &insn->u.tensor,
		.layout = layout,
		.cta = cta,
		.traits = vsm_report_traits(insn),
		.word = vsm_mbarrier_decode(layout, insn->result),
	};

	vsm_text_begin(&r.text, text, size);
	put_sentence(&r);
	return (int)r.text.length;
}
