/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for flight recorders: reading events, and finding those that a test asks for.
 */
#ifndef VSM_TEST_RECORDER_H
#define VSM_TEST_RECORDER_H

#include "fence.h"

#define MAX_EVENTS 256

/* Events of a flight recorder */
struct events {
	uint32_t count;	/* number of events */
	uint64_t next;	/* number of the next event */
	uint64_t lost;	/* events that were overwritten */
	/* The events, in the order in which they were recorded */
	struct drm_vsm_trace_event at[MAX_EVENTS];
};

static inline int trace_read_args(const struct cluster *c, struct drm_vsm_trace_read *args)
{
	args->lost = POISON;
	return vsm_ioctl(c->fd, DRM_IOCTL_VSM_TRACE_READ, args);
}

/* Reads the events from @events->next on. Returns 0 or a negative errno. */
static inline int events_read(const struct cluster *c, struct events *events)
{
	struct drm_vsm_trace_read args = {
		.cluster = c->handle,
		.stride = sizeof(events->at[0]),
		.events = (uintptr_t)events->at,
		.count = MAX_EVENTS,
		.next = events->next,
	};
	int ret = trace_read_args(c, &args);

	if (ret)
		return ret;
	events->count = args.count;
	events->next = args.next;
	events->lost = args.lost;
	return 0;
}

/* Finds the nth event of a type, from 0. Returns one of zeros if there is none. */
static inline struct drm_vsm_trace_event event_find(const struct events *events, uint16_t type,
						    unsigned int nth)
{
	uint32_t i;

	for (i = 0; i < events->count; i++)
		if (events->at[i].type == type && !nth--)
			return events->at[i];
	return (struct drm_vsm_trace_event){};
}

static inline unsigned int event_count(const struct events *events, uint16_t type)
{
	unsigned int count = 0;
	uint32_t i;

	for (i = 0; i < events->count; i++)
		count += events->at[i].type == type;
	return count;
}

/* Reads events until there is one of a type. Events that were read before stay. */
static inline int events_await(const struct cluster *c, struct events *e, uint16_t type)
{
	int64_t limit = now_ns() + AMPLE;
	uint64_t start = e->next;
	int ret;

	do {
		e->next = start;
		ret = events_read(c, e);
		if (ret || event_count(e, type))
			return ret;
		sched_yield();
	} while (now_ns() < limit);
	return -ETIME;
}

/* Executes something of every kind with an mbarrier at 0x80, and a fault at the end. */
static inline int cause_events(const struct cluster *c, uint32_t buffer)
{
	const uint32_t mbar = 0x80;
	struct drm_vsm_insn insns[] = {
		i_init(mbar, 1), i_expect_tx(mbar, 64), i_g2s(0x400, mbar, 64, buffer, 0),
		i_arrive(mbar), i_try_parity(mbar, 0, LONG_HINT), i_cp_async(0x600, 16, buffer, 0),
		i_commit(), i_wait_group(0), i_warp_sync(1), i_try_parity(mbar, 1, 1000),
	};
	struct drm_vsm_exec args = exec_args(c, insns, ITEMS(insns));
	int ret;

	args.site = 12;
	ret = vsm_exec(c->fd, &args);
	if (ret)
		return ret;
	if (args.retired != args.count || job_status(c, 0, i_s2g(0x800, 16, buffer, 0)) != 1)
		return -EBADMSG;
	ret = exec_one(c, i_init(mbar, 3));
	return ret == -EPROTO ? 0 : ret;
}

/* Prints events: what a test that fails needs. */
static inline void events_print(const struct events *events)
{
	uint32_t i;

	for (i = 0; i < events->count; i++) {
		const struct drm_vsm_trace_event *e = &events->at[i];

		fprintf(stderr,
			"# %2u: type %u id %llu cause %llu thread %u.%u lanes %#x op %u mods %#x addr %#x mbar %#x size %u word %#llx next %#llx value %#llx serial %u channel %u buffer %u error %d fault %u site %u\n",
			i, e->type, e->id, e->cause, e->cta, e->thread, e->lanes, e->op, e->mods,
			e->addr, e->mbar, e->size, e->word, e->next, e->value, e->serial,
			e->channel, e->buffer, e->error, e->fault, e->site);
	}
}

#endif
