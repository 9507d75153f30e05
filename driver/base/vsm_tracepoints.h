/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracepoints: one for each row of drm/vsm_trace_types.h. All have the fields of &struct
 * drm_vsm_trace_event except its time and type, which a trace has of its own.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM vsm

#if !defined(_VSM_TRACEPOINTS_H_) || defined(TRACE_HEADER_MULTI_READ)
#define _VSM_TRACEPOINTS_H_

#include <linux/tracepoint.h>

#include <drm/vsm_trace.h>

/* Called when a program enables or disables a tracepoint. */
int vsm_trace_on(void);
void vsm_trace_off(void);

DECLARE_EVENT_CLASS(vsm_event,
		    TP_PROTO(u32 device, const struct drm_vsm_trace_event *event),
		    TP_ARGS(device, event),
		    TP_STRUCT__entry(__field(u64, id)
				     __field(u64, cause)
				     __field(u64, word)
				     __field(u64, next)
				     __field(u64, value)
				     __field(u32, device)
				     __field(u32, cluster)
				     __field(u32, client)
				     __field(u32, addr)
				     __field(u32, mbar)
				     __field(u32, size)
				     __field(u32, lanes)
				     __field(u32, buffer)
				     __field(u32, channel)
				     __field(u32, serial)
				     __field(s32, error)
				     __field(u32, site)
				     __field(u32, info)
				     __field(u16, source)
				     __field(u16, fault)
				     __field(u16, mods)
				     __field(u16, op)
				     __field(u16, cta)
				     __field(u16, thread)
		    ),
		    TP_fast_assign(__entry->id = event->id;
				   __entry->cause = event->cause;
				   __entry->word = event->word;
				   __entry->next = event->next;
				   __entry->value = event->value;
				   __entry->device = device;
				   __entry->cluster = event->cluster;
				   __entry->client = event->client;
				   __entry->addr = event->addr;
				   __entry->mbar = event->mbar;
				   __entry->size = event->size;
				   __entry->lanes = event->lanes;
				   __entry->buffer = event->buffer;
				   __entry->channel = event->channel;
				   __entry->serial = event->serial;
				   __entry->error = event->error;
				   __entry->site = event->site;
				   __entry->info = event->info;
				   __entry->source = event->source;
				   __entry->fault = event->fault;
				   __entry->mods = event->mods;
				   __entry->op = event->op;
				   __entry->cta = event->cta;
				   __entry->thread = event->thread;
		    ),
		    TP_printk("device=%u cluster=%u client=%u thread=%u.%u lanes=%#x site=%u op=%u mods=%#x addr=%#x mbar=%#x size=%u buffer=%u channel=%u word=%#llx next=%#llx value=%#llx serial=%u id=%llu cause=%llu error=%d fault=%u info=%#x source=%u",
			      __entry->device, __entry->cluster, __entry->client, __entry->cta,
			      __entry->thread, __entry->lanes, __entry->site, __entry->op,
			      __entry->mods, __entry->addr, __entry->mbar, __entry->size,
			      __entry->buffer, __entry->channel, __entry->word, __entry->next,
			      __entry->value, __entry->serial, __entry->id, __entry->cause,
			      __entry->error, __entry->fault, __entry->info, __entry->source)
);

#define VSM_TRACE(NAME, name) \
	DEFINE_EVENT_FN(vsm_event, vsm_##name, \
			TP_PROTO(u32 device, const struct drm_vsm_trace_event *event), \
			TP_ARGS(device, event), vsm_trace_on, vsm_trace_off);
#include <drm/vsm_trace_types.h>

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH base
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE vsm_tracepoints
#include <trace/define_trace.h>
