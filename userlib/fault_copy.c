// SPDX-License-Identifier: MIT
/* Sentences about faults of copies: what the device found, and what to change. */
#include "report.h"

void vsm_put_copy_size(struct vsm_report *r)
{
	vsm_about_copy(r);
	if (r->insn->op == DRM_VSM_OP_CP_ASYNC)
		put(r, "src-size is %u, but must not be above the size", r->c->src_size);
	else
		put(r, "the size must be a multiple of 16");
}

void vsm_put_copy_bounds(struct vsm_report *r)
{
	vsm_about_copy(r);
	if (r->traits & TENSOR) {
		put(r, "the buffer of its tensor map is too small for the tensor");
		advise(r, "check the map's offset, sizes and strides");
		return;
	}
	put(r, "buffer %u is too small for that size at offset 0x%llx", r->c->buffer,
	    (unsigned long long)r->c->offset);
	advise(r, "check offset and size");
}

void vsm_put_copy_mbarrier(struct vsm_report *r)
{
	vsm_about_copy(r);
	put(r, "its mbarrier is at ");
	vsm_put_place(r, r->c->mbar);
	put(r, "; use one in CTA %u", rank_of(r->c->addr));
}

void vsm_put_copy_overlap(struct vsm_report *r)
{
	vsm_about_copy(r);
	put(r, "it writes bytes that another copy in flight reads or writes");
	advise(r, "wait for the other copy first");
}

void vsm_put_copy_incomplete(struct vsm_report *r)
{
	vsm_about_copy(r);
	put(r, "it reads bytes that another copy in flight writes");
	advise(r, "wait for the other copy first");
}

void vsm_put_tensor_map(struct vsm_report *r)
{
	uint32_t dims = r->insn->red >> 4, d;

	if (dims > VSM_TENSOR_MAX_RANK)
		dims = VSM_TENSOR_MAX_RANK;
	vsm_about_copy(r);
	put(r, "its tensor map is refused because %s", vsm_tensor_error_text(r->insn->info));
	for (d = 0; r->insn->info == DRM_VSM_TENSOR_NEGATIVE && d < dims; d++)
		if (r->t->coords[d] < 0) {
			put(r, ": %d in dimension %u", r->t->coords[d], d);
			break;
		}
}
