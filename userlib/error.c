// SPDX-License-Identifier: MIT
/*
 * The last error of a thread in words.
 */
#include <errno.h>

#include "internal.h"

static const char *sentence(int err)
{
	switch (err) {
	case 0:
		return "no call has failed";
	case -EINVAL:
		return "the request is malformed";
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

int vsm_thread_strerror(const struct vsm_thread *thread, char *text, size_t size)
{
	const struct vsm_cluster_config shape = vsm_cluster_shape(thread->cluster);
	const char *known = sentence(thread->error);
	struct vsm_text out;

	if (thread->error == -EPROTO)
		return vsm_fault_message(shape.layout, thread->cta, &thread->refused, text, size);

	vsm_text_begin(&out, text, size);
	if (thread->error == -EOPNOTSUPP) {
		vsm_insn_put_name(&out, &thread->refused, "");
		vsm_insn_put_mods(&out, &thread->refused);
		vsm_text_put(&out, ": this needs sm_90, and the layout of the cluster is sm_80");
	} else if (known) {
		vsm_text_put(&out, "%s", known);
	} else {
		vsm_text_put(&out, "error %d", -thread->error);
	}
	return (int)out.length;
}
