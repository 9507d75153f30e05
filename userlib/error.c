// SPDX-License-Identifier: MIT
/* The last error of a thread in words. */
#include <errno.h>

#include "internal.h"

/* The sentence for an error that is not about an instruction, or NULL. */
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
		return "a limit of this client, of its user or of the device is reached";
	case -ENOMEM:
		return "there is not enough memory";
	case -EFAULT:
		return "a pointer of the call does not point to accessible memory";
	}
	return NULL;
}

/* Begin a sentence with the spelling of the instruction. */
static void put_insn(struct vsm_text *text, const struct drm_vsm_insn *insn)
{
	char spelling[256];

	vsm_insn_describe(insn, spelling, sizeof(spelling));
	vsm_text_put(text, "%s: ", spelling);
}

/*
 * &vsm_thread.refused contains an instruction (its op is not 0) only if the instruction is
 * malformed, and the rest of the call is not.
 */
static void put_malformed(struct vsm_text *text, const struct vsm_thread *thread)
{
	const struct vsm_cluster_config shape = vsm_cluster_shape(thread->cluster);
	const struct drm_vsm_insn *insn = &thread->refused;
	const char *reason = insn->op ? vsm_insn_malformed(insn, insn->info) : NULL;

	if (reason) {
		put_insn(text, insn);
		vsm_text_put(text, "%s", reason);
	} else if (thread->exec_flags & ~VSM_EXEC_FLAGS) {
		vsm_text_put(text, "exec_flags has a flag that does not exist");
	} else if (thread->cta >= shape.ctas) {
		vsm_text_put(text, "there is no CTA %u: the cluster has %u", thread->cta,
			     shape.ctas);
	} else if (thread->thread >= shape.threads) {
		vsm_text_put(text, "there is no thread %u: a CTA has %u", thread->thread,
			     shape.threads);
	} else {
		vsm_text_put(text,
			     "a count, an address, a fence or a reduction of the call is wrong");
	}
}

static enum vsm_layout layout_of(const struct vsm_thread *thread)
{
	return vsm_cluster_shape(thread->cluster).layout;
}

/* Why every call refuses @thread, or NULL. */
static const char *misuse_of(const struct vsm_thread *thread)
{
	if (vsm_thread_check(thread))
		return "the thread is not from vsm_thread_at() or vsm_warp_at()";
	return NULL;
}

int vsm_thread_strerror(const struct vsm_thread *thread, char *text, size_t size)
{
	const char *misuse = misuse_of(thread);
	const char *known = misuse ? misuse : sentence(thread->error);
	struct vsm_text out;

	if (!misuse && thread->error == -EPROTO)
		return vsm_fault_message(layout_of(thread), thread->cta, &thread->refused, text,
					 size);

	vsm_text_begin(&out, text, size);
	if (known) {
		vsm_text_put(&out, "%s", known);
	} else if (thread->error == -EINVAL) {
		put_malformed(&out, thread);
	} else if (thread->error == -EOPNOTSUPP) {
		put_insn(&out, &thread->refused);
		vsm_text_put(&out, "%s", vsm_insn_unsupported(&thread->refused, layout_of(thread)));
	} else {
		vsm_text_put(&out, "error %d", -thread->error);
	}
	return (int)out.length;
}
