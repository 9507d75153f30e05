// SPDX-License-Identifier: MIT
/*
 * One event: the names of its fields, and what it says in words.
 */
#include <inttypes.h>
#include <string.h>

#include "names.h"
#include "text/macros.h"
#include "trace/event.h"

static const char *const types[EVENT_TYPES] = {
#define VSM_TRACE(NAME, name) \
	[DRM_VSM_TRACE_##NAME] = #name,
#include <vsm_trace_types.h>
};

/* Names of the operations in the text form, and in PTX. */
#define VSM_OP(NAME, sems, traits) \
	[DRM_VSM_OP_##NAME] = { #NAME,
#define VSM_PTX(name, rest) name
#define VSM_OP_END },
static const struct {
	const char *name;
	const char *ptx;
} ops[EVENT_OPS] = {
#include "vsm_ops.h"
};

const char *event_type_name(unsigned int type)
{
	return type < EVENT_TYPES ? types[type] : NULL;
}

const char *event_op_name(unsigned int op)
{
	return op < EVENT_OPS ? ops[op].name : NULL;
}

const char *event_error_name(int32_t error)
{
	/* INT32_MIN has no positive number. */
	return errno_name(error < 0 && error != INT32_MIN ? -error : error);
}

bool event_op_has_mbarrier(unsigned int op)
{
	return (op >= DRM_VSM_OP_MBARRIER_INIT && op <= DRM_VSM_OP_MBARRIER_TRY_WAIT) ||
	       op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE;
}

bool event_op_has_barrier(unsigned int op)
{
	return op >= DRM_VSM_OP_BARRIER_SYNC && op <= DRM_VSM_OP_BARRIER_RED;
}

/* The value of the event that ends a wait is its time. */
static bool has_membermask(const struct drm_vsm_trace_event *event)
{
	return event->op >= DRM_VSM_OP_MATCH_SYNC && event->op <= DRM_VSM_OP_REDUX_SYNC &&
	       (event->type == DRM_VSM_TRACE_ARRIVE || event->type == DRM_VSM_TRACE_RELEASE ||
		event->type == DRM_VSM_TRACE_SUSPEND || event->type == DRM_VSM_TRACE_WAIT_ARM);
}

bool event_has_mbarrier(const struct drm_vsm_trace_event *event, uint32_t *addr)
{
	*addr = event->addr;
	switch (event->type) {
	case DRM_VSM_TRACE_PHASE:
		return true;
	case DRM_VSM_TRACE_COPY_DELIVER:
		*addr = event->mbar;
		return true;
	case DRM_VSM_TRACE_COPY_ISSUE:
	case DRM_VSM_TRACE_COPY_BEGIN:
	case DRM_VSM_TRACE_COPY_END:
	case DRM_VSM_TRACE_ARRIVE:
	case DRM_VSM_TRACE_RELEASE:
	case DRM_VSM_TRACE_COMMIT:
		return false;
	default:
		return event_op_has_mbarrier(event->op);
	}
}

enum vsm_layout event_layout(const struct trace *trace, uint32_t cluster)
{
	const struct trace_cluster *found = trace_find_cluster(trace, cluster);

	return found ? found->layout : VSM_LAYOUT_SM_90;
}

void event_print_op(FILE *out, const struct drm_vsm_trace_event *event)
{
	if (event->op >= EVENT_OPS || !ops[event->op].ptx) {
		fprintf(out, "operation %u", event->op);
		return;
	}
	/* $q and its like stand for a qualifier, which the event does not have. */
	fprintf(out, "%.*s", (int)strcspn(ops[event->op].ptx, "$"), ops[event->op].ptx);
	if (event->op == DRM_VSM_OP_MATCH_SYNC)
		fputs(".sync", out);
	if (event->mods & DRM_VSM_MOD_EXPECT_TX)
		fputs(".expect_tx", out);
	if (event->mods & DRM_VSM_MOD_NOCOMPLETE)
		fputs(".noComplete", out);
	if (event->mods & DRM_VSM_MOD_READ)
		fputs(".read", out);
}

/* Writes the number of a named barrier, or the membermask of a warp operation. */
static void print_rendezvous(FILE *out, const struct drm_vsm_trace_event *event)
{
	if (event_op_has_barrier(event->op))
		fprintf(out, " %" PRIu32, event->addr);
	else if (has_membermask(event))
		fprintf(out, " 0x%llx", event->value);
}

void event_print_lanes(FILE *out, uint32_t lanes)
{
	unsigned int first = lanes ? __builtin_ctz(lanes) : 0;
	unsigned int count = __builtin_popcount(lanes);
	uint64_t mask = ((1ULL << count) - 1) << first;

	if (count == 1)
		fprintf(out, "lane %u", first);
	else if (lanes && mask == lanes)
		fprintf(out, "lanes %u-%u", first, first + count - 1);
	else
		fprintf(out, "lanes 0x%" PRIx32, lanes);
}

void event_print_address(FILE *out, const struct trace *trace,
			 const struct drm_vsm_trace_event *event, uint32_t addr, uint32_t cta)
{
	trace_print_address(out, trace, event->cluster, addr);
	if (addr >> VSM_SHARED_RANK_SHIFT != cta)
		fprintf(out, " of CTA %" PRIu32, addr >> VSM_SHARED_RANK_SHIFT);
}

static void print_thread(FILE *out, const struct drm_vsm_trace_event *event)
{
	fprintf(out, "cluster %" PRIu32 ", CTA %u, warp %u, ", event->cluster, event->cta,
		event->thread / 32);
	event_print_lanes(out, event->lanes);
}

static void print_who(FILE *out, const struct drm_vsm_trace_event *event)
{
	switch (event->type) {
	case DRM_VSM_TRACE_COPY_BEGIN:
	case DRM_VSM_TRACE_JOB_QUEUE:
	case DRM_VSM_TRACE_JOB_BEGIN:
	case DRM_VSM_TRACE_JOB_END:
	case DRM_VSM_TRACE_CHANNEL_RESET:
		fprintf(out, "client %" PRIu32 ", channel %" PRIu32, event->client,
			event->channel);
		return;
	}
	if (event->lanes)
		print_thread(out, event);
	else if (event->cluster)
		fprintf(out, "cluster %" PRIu32, event->cluster);
	else if (event->client)
		fprintf(out, "client %" PRIu32, event->client);
	else
		fputs("device", out);
}

static void print_word(FILE *out, enum vsm_layout layout, uint64_t word)
{
	struct vsm_mbarrier_fields f = vsm_mbarrier_decode(layout, word);

	fprintf(out, "parity %u, pending %" PRIu32, f.phase, f.pending);
	if (f.tx)
		fprintf(out, ", tx %" PRId32, f.tx);
}

/* Writes what the word was and is. What has not changed is there once. */
static void print_words(FILE *out, enum vsm_layout layout, uint64_t word, uint64_t next)
{
	struct vsm_mbarrier_fields old = vsm_mbarrier_decode(layout, word);
	struct vsm_mbarrier_fields new = vsm_mbarrier_decode(layout, next);

	fprintf(out, "parity %u", old.phase);
	if (new.phase != old.phase)
		fprintf(out, " -> %u", new.phase);
	fprintf(out, ", pending %" PRIu32, old.pending);
	if (new.pending != old.pending)
		fprintf(out, " -> %" PRIu32, new.pending);
	if (old.tx || new.tx)
		fprintf(out, ", tx %" PRId32, old.tx);
	if (new.tx != old.tx)
		fprintf(out, " -> %" PRId32, new.tx);
}

/* Writes how the word has changed, or what it is. */
static void print_change(FILE *out, const struct trace *trace,
			 const struct drm_vsm_trace_event *event)
{
	enum vsm_layout layout = event_layout(trace, event->cluster);

	if (event->type == DRM_VSM_TRACE_INSN && (event->op == DRM_VSM_OP_MBARRIER_TEST_WAIT ||
						  event->op == DRM_VSM_OP_MBARRIER_TRY_WAIT))
		fputs(event->value ? ", True" : ", False", out);
	fputs(": ", out);
	if (event->op == DRM_VSM_OP_MBARRIER_INIT)
		print_word(out, layout, event->next);
	else if (event->next)
		print_words(out, layout, event->word, event->next);
	else
		print_word(out, layout, event->word);
}

static const char *type_text(unsigned int type)
{
	static const char *const texts[EVENT_TYPES] = {
		[DRM_VSM_TRACE_INSN] = "",
		[DRM_VSM_TRACE_PHASE] = "phase completed",
		[DRM_VSM_TRACE_SUSPEND] = "suspended in",
		[DRM_VSM_TRACE_RESUME] = "resumed from",
		[DRM_VSM_TRACE_WAIT_ARM] = "wait armed:",
		[DRM_VSM_TRACE_WAIT_END] = "armed wait ended:",
		[DRM_VSM_TRACE_ARRIVE] = "arrived:",
		[DRM_VSM_TRACE_RELEASE] = "releases threads at",
		[DRM_VSM_TRACE_COPY_ISSUE] = "copy issued:",
		[DRM_VSM_TRACE_COPY_BEGIN] = "copy begun:",
		[DRM_VSM_TRACE_COPY_DELIVER] = "copy delivered:",
		[DRM_VSM_TRACE_COPY_END] = "copy ended:",
		[DRM_VSM_TRACE_COMMIT] = "group committed:",
		[DRM_VSM_TRACE_JOB_QUEUE] = "job queued",
		[DRM_VSM_TRACE_JOB_BEGIN] = "job begun",
		[DRM_VSM_TRACE_JOB_END] = "job ended",
		[DRM_VSM_TRACE_CHANNEL_RESET] = "channel reset",
		[DRM_VSM_TRACE_CLUSTER_LOST] = "cluster lost",
		[DRM_VSM_TRACE_DEVICE_LOST] = "device lost",
		[DRM_VSM_TRACE_FAULT] = "fault:",
		[DRM_VSM_TRACE_CLUSTER_CREATE] = "cluster created:",
	};

	return type < EVENT_TYPES && texts[type] ? texts[type] : "unknown event";
}

static bool has_bytes(const struct drm_vsm_trace_event *event)
{
	return event->size && (event->type == DRM_VSM_TRACE_COPY_ISSUE ||
			       event->type == DRM_VSM_TRACE_COPY_DELIVER);
}

static bool ends_wait(const struct drm_vsm_trace_event *event)
{
	return event->type == DRM_VSM_TRACE_RESUME || event->type == DRM_VSM_TRACE_WAIT_END;
}

static bool is_job(const struct drm_vsm_trace_event *event)
{
	return event->type >= DRM_VSM_TRACE_JOB_QUEUE && event->type <= DRM_VSM_TRACE_JOB_END;
}

static void print_shape(FILE *out, const struct drm_vsm_trace_event *event)
{
	fprintf(out, " %u CTA%s of %u thread%s, each with %" PRIu32 " bytes of shared memory",
		event->cta, event->cta == 1 ? "" : "s", event->thread,
		event->thread == 1 ? "" : "s", event->size);
	if (event->mods == VSM_LAYOUT_SM_80)
		fputs(", sm_80", out);
	if (event->info == DRM_VSM_POLICY_HARDWARE)
		fputs(", hardware policy", out);
}

void event_print(FILE *out, const struct trace *trace, const struct drm_vsm_trace_event *event)
{
	const struct trace_site *site = trace_find_site(trace, event->site);
	const char *text = type_text(event->type);
	uint32_t addr;

	print_who(out, event);
	fprintf(out, ": %s", text);
	if (event->op) {
		fputs(*text ? " " : "", out);
		event_print_op(out, event);
		print_rendezvous(out, event);
	}
	if (event_has_mbarrier(event, &addr)) {
		putc(' ', out);
		event_print_address(out, trace, event, addr, event->cta);
		if (!ends_wait(event))
			print_change(out, trace, event);
	}
	if (has_bytes(event))
		fprintf(out, ", %" PRIu32 " bytes", event->size);
	if (event->type == DRM_VSM_TRACE_COMMIT)
		fprintf(out, " %llu", event->value);
	if (event->type == DRM_VSM_TRACE_CLUSTER_CREATE)
		print_shape(out, event);
	if (ends_wait(event))
		fprintf(out, ", after %llu ns", event->value);
	if (event->id)
		fprintf(out, " #%llu", event->id);
	if (event->cause)
		fprintf(out, " by #%llu", event->cause);
	if (event->fault)
		fprintf(out, ", %s", vsm_fault_name(event->fault));
	if (event->error)
		fprintf(out, ", %s", event_error_name(event->error));
	if (site)
		fprintf(out, " (%s)", site->text);
}

static void print_detail_word(FILE *out, const struct trace *trace,
			      const struct drm_vsm_trace_event *event, const char *name,
			      uint64_t word)
{
	fprintf(out, "%s: ", name);
	print_word(out, event_layout(trace, event->cluster), word);
	fprintf(out, " (0x%016" PRIx64 ")\n", word);
}

static void print_mbarrier_details(FILE *out, const struct trace *trace,
				   const struct drm_vsm_trace_event *event, uint32_t addr)
{
	fputs("mbarrier: ", out);
	event_print_address(out, trace, event, addr, event->cta);
	fprintf(out, " (CTA %" PRIu32 " + 0x%" PRIx32 ")\n", addr >> VSM_SHARED_RANK_SHIFT,
		addr & ((1U << VSM_SHARED_RANK_SHIFT) - 1));
	if (ends_wait(event))
		return;
	if (event->type == DRM_VSM_TRACE_INSN || event->type == DRM_VSM_TRACE_PHASE ||
	    event->type == DRM_VSM_TRACE_COPY_DELIVER) {
		if (event->op != DRM_VSM_OP_MBARRIER_INIT)
			print_detail_word(out, trace, event, "before", event->word);
		print_detail_word(out, trace, event, "after", event->next);
	} else {
		print_detail_word(out, trace, event, "found", event->word);
	}
}

void event_print_details(FILE *out, const struct trace *trace,
			 const struct drm_vsm_trace_event *event)
{
	const struct trace_site *site = trace_find_site(trace, event->site);
	uint32_t addr;

	if (event->op) {
		fputs("operation: ", out);
		event_print_op(out, event);
		putc('\n', out);
	}
	if (event->lanes) {
		fputs("thread: ", out);
		print_thread(out, event);
		putc('\n', out);
	}
	if (event_has_mbarrier(event, &addr))
		print_mbarrier_details(out, trace, event, addr);
	if (event_op_has_barrier(event->op))
		fprintf(out, "barrier: %" PRIu32 "\n", event->addr);
	if (has_membermask(event))
		fprintf(out, "membermask: 0x%08llx\n", event->value);
	if (event->type == DRM_VSM_TRACE_PHASE && event->serial)
		fprintf(out, "serial number of the phase: %" PRIu32 "\n", event->serial);
	if (has_bytes(event))
		fprintf(out, "bytes: %" PRIu32 "\n", event->size);
	if (event->type == DRM_VSM_TRACE_COPY_ISSUE && event->buffer)
		fprintf(out, "buffer: %" PRIu32 " + 0x%llx\n", event->buffer, event->value);
	if (event->type == DRM_VSM_TRACE_COMMIT)
		fprintf(out, "group: %llu\n", event->value);
	if (event->type == DRM_VSM_TRACE_JOB_QUEUE)
		fprintf(out, "instructions: %llu\n", event->value);
	if (is_job(event) || event->type == DRM_VSM_TRACE_COPY_BEGIN)
		fprintf(out, "channel: %" PRIu32 " of client %" PRIu32 "\n", event->channel,
			event->client);
	if (event->id)
		fprintf(out, "number: %llu\n", event->id);
	if (event->fault)
		fprintf(out, "fault: %s\n", vsm_fault_name(event->fault));
	if (event->error)
		fprintf(out, "error: %s\n", event_error_name(event->error));
	if (site) {
		fprintf(out, "place: %s\n", site->text);
		if (*site->insn)
			fprintf(out, "instruction: %s\n", site->insn);
	}
}
