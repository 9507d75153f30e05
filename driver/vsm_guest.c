// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions that wait sets execute for threads (DRM_VSM_WAIT_INSN).
 */
#include <linux/slab.h>

#include "vsm_guest.h"
#include "base/vsm_uaccess.h"

static void vsm_guest_record(const struct vsm_guest *guest)
{
	const struct vsm_rendezvous_waiter *waiter = &guest->waiter;

	vsm_fault_record(waiter->client, waiter->source, waiter->handle, waiter->cta,
			 waiter->thread, &guest->insn);
}

/* The thread, and its instruction, if it may execute it. */
static int vsm_guest_load(struct vsm_guest *guest, const struct drm_vsm_wait *args)
{
	const struct vsm_geometry *geo = &guest->waiter.cluster->geo;
	u32 cta = args->addr >> 16, thread = args->addr & 0xffff;
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	struct vsm_form form = {};
	int ret;

	if (args->state % sizeof(u64) || cta >= geo->ctas || thread >= geo->threads)
		return -EINVAL;
	if (vsm_insn_load(&guest->insn, args->state))
		return -EFAULT;
	cta = array_index_nospec(cta, geo->ctas);
	guest->waiter.cta = cta;
	guest->waiter.thread = array_index_nospec(thread, geo->threads);
	if (!vsm_insn_meets(&guest->insn) || guest->insn.op == DRM_VSM_OP_EXIT)
		return -EINVAL;
	ret = vsm_insn_check(geo, cta, &form, &guest->insn, &fault);
	guest->insn.fault = fault;
	return ret;
}

/**
 * vsm_guest_create - Make what arms an instruction
 * @file: File of the client
 * @args: What user space says; flags have been checked
 * @cluster: Cluster, which the wait holds
 * @out: The guest (out)
 * @fault: Why it is misuse, which has been told of (out, with -EPROTO)
 *
 * Return: 0, -EPROTO, -EINVAL, -EOPNOTSUPP, -EFAULT, -ENOSPC or -ENOMEM.
 */
int vsm_guest_create(struct drm_file *file, const struct drm_vsm_wait *args,
		     struct vsm_cluster *cluster, struct vsm_guest **out,
		     enum drm_vsm_fault *fault)
{
	struct vsm_client *client = file->driver_priv;
	struct vsm_guest *guest;
	int ret;

	guest = vsm_client_alloc(client, 1, sizeof(*guest));
	if (IS_ERR(guest))
		return PTR_ERR(guest);
	guest->waiter.client = vsm_client_get(client);
	guest->waiter.handle = args->cluster;
	guest->waiter.source = DRM_VSM_SOURCE_ARM;
	guest->waiter.cluster = cluster;
	guest->waiter.converged = args->flags & DRM_VSM_WAIT_WARP;
	guest->waiter.insn = &guest->insn;
	ret = vsm_guest_load(guest, args);
	if (!ret) {
		*out = guest;
		return 0;
	}

	if (ret == -EPROTO)
		vsm_guest_record(guest);
	*fault = guest->insn.fault;
	vsm_guest_free(guest);
	return ret;
}

/**
 * vsm_guest_enter - Have the thread execute its instruction
 * @guest: Guest, of a wait that is there
 * @fault: Why it is misuse, which has been told of (out, with -EPROTO)
 *
 * Return: As vsm_rendezvous_enter().
 */
int vsm_guest_enter(struct vsm_guest *guest, enum drm_vsm_fault *fault)
{
	int ret = vsm_rendezvous_enter(&guest->waiter);

	if (ret == -EPROTO) {
		vsm_guest_record(guest);
		*fault = guest->insn.fault;
	}
	return ret;
}

/**
 * vsm_guest_tell - Tell how an armed instruction ended
 * @guest: Whose
 * @error: What its waiter ended with
 * @wakes: Whom to wake without a lock (out)
 *
 * Return: @error, or -EPROTO if it was refused as it completed: the result is the fault then.
 */
int vsm_guest_tell(struct vsm_guest *guest, int error, struct vsm_wakes *wakes)
{
	const struct vsm_rendezvous_waiter *waiter = &guest->waiter;

	if (error || !guest->insn.fault)
		return error;
	vsm_fault_record_locked(waiter->client, waiter->source, waiter->handle, waiter->cta,
				waiter->thread, &guest->insn, wakes);
	guest->insn.result = guest->insn.fault;
	return -EPROTO;
}

void vsm_guest_free(struct vsm_guest *guest)
{
	struct vsm_client *client = guest->waiter.client;

	vsm_client_free(client, guest, 1, sizeof(*guest));
	vsm_client_put(client);
}
