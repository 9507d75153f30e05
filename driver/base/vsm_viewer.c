// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may see what a client does. The rule is that of ptrace_may_access(), with CAP_PERFMON as the
 * capability: the reader has the same user as the client and is in the same user namespace, or has
 * the capability in the namespace of the client.
 *
 * A user namespace is not its creator. The programs in a sandbox often have the user of its
 * creator, and must not see what this user does outside.
 */
#include <linux/capability.h>
#include <linux/user_namespace.h>

#include "base/vsm_viewer.h"

/*
 * The most clients besides the owner that the events of a cluster can name after their files have
 * been closed. With more of them, a reader no longer sees what belongs to the oldest ones.
 */
#define VSM_MAX_SHARERS	64

/* Has the calling task the capability in a user namespace? */
static bool vsm_may_see_all_of(struct user_namespace *ns)
{
	return ns_capable_noaudit(ns, CAP_PERFMON) || ns_capable_noaudit(ns, CAP_SYS_ADMIN);
}

/**
 * vsm_viewer_of - Who reads, if the calling task does
 * @client: Client of the file with which it reads
 *
 * Return: The reader.
 */
struct vsm_viewer vsm_viewer_of(const struct vsm_client *client)
{
	return (struct vsm_viewer) {
		.client = client,
		.all = vsm_may_see_all_of(&init_user_ns),
	};
}

/**
 * vsm_viewer_sees - May the reader see what belongs to a client?
 * @viewer: The reader
 * @client: The client
 *
 * Return: Whether the reader may see it. If not, he sees of shared clusters what happens, and not
 * who does it, with which handles and numbers of his own.
 */
bool vsm_viewer_sees(const struct vsm_viewer *viewer, const struct vsm_client *client)
{
	if (viewer->all || client == viewer->client)
		return true;
	if (client->user_ns == viewer->client->user_ns && uid_eq(client->uid, viewer->client->uid))
		return true;
	/* @all would be true if the reader had the capability here. */
	return client->user_ns != &init_user_ns && vsm_may_see_all_of(client->user_ns);
}

void vsm_sharers_init(struct vsm_sharers *sharers)
{
	xa_init(&sharers->others);
}

void vsm_sharers_fini(struct vsm_sharers *sharers)
{
	struct vsm_client *client;
	unsigned long number;

	xa_for_each(&sharers->others, number, client)
		vsm_client_put(client);
	xa_destroy(&sharers->others);
}

/* Forget the oldest client: numbers are given out in turn. */
static void vsm_sharers_drop(struct vsm_sharers *sharers)
{
	unsigned long number = 0;
	struct vsm_client *client;

	xa_lock(&sharers->others);
	client = xa_find(&sharers->others, &number, ULONG_MAX, XA_PRESENT);
	if (client)
		__xa_erase(&sharers->others, number);
	xa_unlock(&sharers->others);
	if (client) {
		atomic_dec(&sharers->count);
		vsm_client_put(client);
	}
}

/**
 * vsm_sharers_add - A client gets a handle of the cluster
 * @sharers: Sharers of the cluster
 * @client: The client
 *
 * Return: 0 or -ENOMEM.
 */
int vsm_sharers_add(struct vsm_sharers *sharers, struct vsm_client *client)
{
	int ret;

	if (!sharers->owner || client == sharers->owner)
		return 0;
	ret = xa_insert(&sharers->others, client->number, vsm_client_get(client),
			GFP_KERNEL_ACCOUNT);
	if (ret) {
		vsm_client_put(client);
		return ret == -EBUSY ? 0 : ret;
	}
	if (atomic_inc_return(&sharers->count) > VSM_MAX_SHARERS)
		vsm_sharers_drop(sharers);
	return 0;
}

/* May the reader see what belongs to the client with this number? */
static bool vsm_sharers_show(struct vsm_sharers *sharers, const struct vsm_viewer *viewer,
			     u32 number)
{
	const struct vsm_client *client;
	bool shows;

	if (viewer->all || !number)
		return true;
	if (number == sharers->owner->number)
		return vsm_viewer_sees(viewer, sharers->owner);
	/* The reference is put after the client has left the array, under this lock. */
	xa_lock(&sharers->others);
	client = xa_load(&sharers->others, number);
	shows = client && vsm_viewer_sees(viewer, client);
	xa_unlock(&sharers->others);
	return shows;
}

/* Hide of an event what CLUSTER_STATE hides: who it was, and the client's handles and numbers. */
static void vsm_event_hide(struct drm_vsm_trace_event *event)
{
	event->client = 0;
	event->buffer = 0;
	event->site = 0;
	if (event->type >= DRM_VSM_TRACE_COPY_ISSUE && event->type <= DRM_VSM_TRACE_COPY_END)
		event->value = 0;
}

/**
 * vsm_sharers_hide - Hide from a reader what he may not see of events
 * @sharers: Sharers of the cluster, which has a flight recorder
 * @viewer: The reader
 * @events: Events of the cluster
 * @count: Number of events
 */
void vsm_sharers_hide(struct vsm_sharers *sharers, const struct vsm_viewer *viewer,
		      struct drm_vsm_trace_event *events, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (!vsm_sharers_show(sharers, viewer, events[i].client))
			vsm_event_hide(&events[i]);
}
