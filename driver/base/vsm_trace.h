/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM vsm

#if !defined(_VSM_TRACE_H_) || defined(TRACE_HEADER_MULTI_READ)
#define _VSM_TRACE_H_

#include <linux/tracepoint.h>

#include <drm/vsm_drm.h>

/* A misuse has been recorded: the fields of &struct drm_vsm_event_fault. */
TRACE_EVENT(vsm_fault,
	    TP_PROTO(u32 device, const struct drm_vsm_event_fault *event),
	    TP_ARGS(device, event),
	    TP_STRUCT__entry(__field(u32, device)
			     __field(u32, source)
			     __field(u32, cluster)
			     __field(u16, cta)
			     __field(u16, thread)
			     __field(u16, op)
			     __field(u16, mods)
			     __field(u32, addr)
			     __field(u32, fault)
			     __field(u32, info)
			     __field(u64, word)
			     __field(u32, flags)
	    ),
	    TP_fast_assign(__entry->device = device;
			   __entry->source = event->source;
			   __entry->cluster = event->cluster;
			   __entry->cta = event->cta;
			   __entry->thread = event->thread;
			   __entry->op = event->insn.op;
			   __entry->mods = event->insn.mods;
			   /* All operands with an address have it at this offset. */
			   __entry->addr = event->insn.u.mbarrier.addr;
			   __entry->fault = event->insn.fault;
			   __entry->info = event->insn.info;
			   __entry->word = event->insn.result;
			   __entry->flags = event->flags;
	    ),
	    TP_printk("device=%u fault=%u info=%#x source=%u cluster=%u thread=%u.%u op=%u mods=%#x addr=%#x word=%#llx flags=%#x",
		      __entry->device, __entry->fault, __entry->info, __entry->source,
		      __entry->cluster, __entry->cta, __entry->thread, __entry->op,
		      __entry->mods, __entry->addr, __entry->word, __entry->flags)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH base
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE vsm_trace
#include <trace/define_trace.h>
