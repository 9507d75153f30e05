// SPDX-License-Identifier: MIT
/*
 * The last error of a thread in words.
 */
#include <errno.h>

#include "internal.h"

/* The sentence of an error that says nothing about an instruction. */
static const char *sentence(int err)
{
	switch (err) {
	case 0:
		return "no call has failed";
	case -ENOENT:
		return "there is no such cluster, buffer, channel or syncobj";
	case -E2BIG:
		return "the call has more instructions or fences than the device takes at once";
	case -EIO:
		return "the cluster is lost";
	case -ENODEV:
		return "the device is gone";
	case -ENOSPC:
		return "the client has as much as it may have";
	case -ENOMEM:
		return "there is not enough memory";
	case -EFAULT:
		return "an address of the program is wrong";
	}
	return NULL;
}

/* Begin a sentence about the instruction. */
static void put_insn(struct vsm_text *text, const struct drm_vsm_insn *insn)
{
	char spelling[256];

	vsm_insn_describe(insn, spelling, sizeof(spelling));
	vsm_text_put(text, "%s: ", spelling);
}

/* The device looks first at the call, then at the instruction. */
static void put_malformed(struct vsm_text *text, const struct vsm_thread *thread,
			  const struct vsm_cluster_config *shape)
{
	const uint32_t flags = DRM_VSM_EXEC_NO_LIMIT | DRM_VSM_EXEC_WARP;
	const char *reason = vsm_insn_malformed(&thread->refused);

	if (thread->exec_flags & ~flags) {
		vsm_text_put(text, "exec_flags has a flag that does not exist");
	} else if (thread->cta >= shape->ctas) {
		vsm_text_put(text, "there is no CTA %u: the cluster has %u", thread->cta,
			     shape->ctas);
	} else if (thread->thread >= shape->threads) {
		vsm_text_put(text, "there is no thread %u: a CTA has %u", thread->thread,
			     shape->threads);
	} else if (thread->refused.op && reason) {
		put_insn(text, &thread->refused);
		vsm_text_put(text, "%s", reason);
	} else {
		vsm_text_put(text, "a count, a stride, an address or a fence of the call is wrong");
	}
}

int vsm_thread_strerror(const struct vsm_thread *thread, char *text, size_t size)
{
	const struct vsm_cluster_config shape = vsm_cluster_shape(thread->cluster);
	const char *known = sentence(thread->error);
	struct vsm_text out;

	if (thread->error == -EPROTO)
		return vsm_fault_message(shape.layout, thread->cta, &thread->refused, text, size);

	vsm_text_begin(&out, text, size);
	if (thread->error == -EINVAL) {
		put_malformed(&out, thread, &shape);
	} else if (thread->error == -EOPNOTSUPP) {
		put_insn(&out, &thread->refused);
		vsm_text_put(&out, "this needs sm_90, and the layout of the cluster is sm_80");
	} else if (known) {
		vsm_text_put(&out, "%s", known);
	} else {
		vsm_text_put(&out, "error %d", -thread->error);
	}
	return (int)out.length;
}
