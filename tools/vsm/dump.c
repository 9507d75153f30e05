// SPDX-License-Identifier: MIT
/* vsm dump: prints a dump of a failure, which the device has given to devcoredump. */
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <vsm.h>
#include <vsm_dump.h>

#include "base.h"
#include "command.h"
#include "json.h"
#include "text.h"
#include "trace/trace.h"
#include "vsm_syntax.h"

/* Grows when a member of the JSON changes its meaning or goes away. */
#define DUMP_JSON_VERSION 1

/* No driver makes a larger dump. */
#define DUMP_LIMIT (64 << 20)

/* A dump */
struct dump {
	struct drm_vsm_dump head;	/* its begin; fields that the driver did not write are 0 */
	struct drm_vsm_insn *insns;	/* instructions */
	struct drm_vsm_dump_word *words;
	struct trace trace;		/* events, and the cluster that they are about */
};

/* --- reading ------------------------------------------------------------------------- */

/*
 * Copies an array of a dump to elements of @size bytes, which may be longer or shorter than those
 * of the dump. Returns NULL if the array is not in the file.
 */
static void *read_part(const char *data, size_t size, const struct drm_vsm_dump_part *part,
		       size_t element)
{
	size_t i, bytes = part->stride < element ? part->stride : element;
	char *array;

	if (part->count && (!part->stride || part->offset > size ||
			    part->count > (size - part->offset) / part->stride))
		return NULL;
	array = must(calloc(part->count + 1, element));
	for (i = 0; i < part->count; i++)
		memcpy(array + i * element, data + part->offset + i * part->stride, bytes);
	return array;
}

static void free_dump(struct dump *dump)
{
	free(dump->insns);
	free(dump->words);
	trace_free(&dump->trace);
}

static bool read_events(struct dump *dump, const char *data, size_t size)
{
	const struct drm_vsm_dump *head = &dump->head;
	const struct trace_cluster cluster = {
		.number = head->cluster, .ctas = head->ctas, .threads = head->threads,
		.layout = head->layout, .policy = head->policy,
	};
	struct drm_vsm_trace_event *events;
	int err;

	events = read_part(data, size, &head->events, sizeof(*events));
	if (!events)
		return false;
	err = trace_add_cluster(&dump->trace, &cluster);
	if (!err)
		err = trace_add_events(&dump->trace, events, head->events.count);
	free(events);
	return !err;
}

static const char *parse_dump(struct dump *dump, const char *data, size_t size)
{
	size_t head;

	/* The size of the begin is behind the magic. */
	if (size >= 16)
		memcpy(&dump->head, data, 16);
	if (dump->head.magic != DRM_VSM_DUMP_MAGIC)
		return "this is not a dump of vsm";
	head = dump->head.size;
	if (head < 16 || head > size)
		return "the dump is damaged: its begin is not whole";
	memcpy(&dump->head, data, head < sizeof(dump->head) ? head : sizeof(dump->head));
	if (dump->head.layout > VSM_LAYOUT_SM_80)
		return "the dump is of a newer driver: its layout is unknown";
	dump->insns = read_part(data, size, &dump->head.insns, sizeof(*dump->insns));
	dump->words = read_part(data, size, &dump->head.words, sizeof(*dump->words));
	if (!dump->insns || !dump->words || !read_events(dump, data, size))
		return "the dump is damaged: a part of it is not in the file";
	return NULL;
}

/* --- words --------------------------------------------------------------------------- */

static const char *reason_name(uint32_t reason)
{
	static const char *const names[] = {
		[DRM_VSM_DUMP_FAULT] = "fault",
		[DRM_VSM_DUMP_RESET] = "reset",
		[DRM_VSM_DUMP_CLUSTER_LOST] = "cluster-lost",
	};

	return reason && reason < ARRAY_SIZE(names) ? names[reason] : "unknown";
}

static void print_reason(const struct drm_vsm_dump *head)
{
	printf("device %u, cluster %u: ", head->device, head->cluster);
	if (head->reason == DRM_VSM_DUMP_CLUSTER_LOST) {
		puts("the cluster was lost");
		return;
	}
	printf("job %" PRIu64 " of channel %u ", (uint64_t)head->job, head->channel);
	if (head->reason == DRM_VSM_DUMP_FAULT)
		printf("faulted");
	else if (head->error == -ETIMEDOUT)
		printf("took too long, and the channel was reset");
	else
		printf("failed, and the channel was reset");
	printf(" (%s)\n", event_error_name(head->error));
}

static void print_insns(const struct dump *dump)
{
	const struct drm_vsm_dump *head = &dump->head;
	char text[256];
	uint32_t i;

	if (!head->insns.count)
		return;
	printf("\ninstructions (%u of %u, %u were issued)\n", head->insns.count,
	       head->insns.total, head->issued);
	for (i = 0; i < head->insns.count; i++) {
		const struct drm_vsm_insn *insn = &dump->insns[i];
		uint32_t number = head->first + i;

		vsm_insn_describe(insn, text, sizeof(text));
		printf("%c %5u  %s", insn->fault ? '>' : number < head->issued ? ' ' : '-', number,
		       text);
		if (insn->fault)
			printf(": %s", vsm_fault_name(insn->fault));
		putchar('\n');
	}
}

static void print_words(const struct dump *dump)
{
	const struct drm_vsm_dump *head = &dump->head;
	struct vsm_mbarrier_fields fields;
	uint32_t i, addr;

	if (!head->words.count)
		return;
	printf("\nmbarriers (%u of %u)\n", head->words.count, head->words.total);
	for (i = 0; i < head->words.count; i++) {
		addr = dump->words[i].addr;
		fields = vsm_mbarrier_decode(head->layout, dump->words[i].word);
		printf("  CTA %u 0x%06x  ", addr >> VSM_SHARED_RANK_SHIFT,
		       addr & ((1u << VSM_SHARED_RANK_SHIFT) - 1));
		ptx_phrase_word(stdout, dump->words[i].word, &fields);
		putchar('\n');
	}
}

static void print_events(const struct dump *dump)
{
	const struct trace *trace = &dump->trace;
	size_t i;

	if (!trace->count)
		return;
	printf("\nevents (the last %zu of %u)\n", trace->count, dump->head.events.total);
	for (i = 0; i < trace->count; i++) {
		printf("%12.3f us  ",
		       -(double)(int64_t)(dump->head.time - trace->events[i].time) / 1000);
		event_print(stdout, trace, &trace->events[i]);
		putchar('\n');
	}
}

static void print_dump(const struct dump *dump)
{
	static const char *const policies[] = {
		[DRM_VSM_POLICY_STRICT] = "strict",
		[DRM_VSM_POLICY_HARDWARE] = "hardware",
	};
	const struct drm_vsm_dump *head = &dump->head;

	print_reason(head);
	printf("  client %u, process %u (", head->client, head->pid);
	write_printable(stdout, head->comm, sizeof(head->comm));
	puts(")");
	if (head->reason != DRM_VSM_DUMP_CLUSTER_LOST)
		printf("  thread %u of CTA %u, site %u\n", head->thread, head->cta, head->site);
	printf("  CTAs %u, threads %u, bytes of shared memory %u, %s, %s%s\n", head->ctas,
	       head->threads, head->smem_bytes,
	       head->layout == VSM_LAYOUT_SM_80 ? "sm_80" : "sm_90",
	       head->policy < ARRAY_SIZE(policies) ? policies[head->policy] : "unknown policy",
	       head->lost ? ", lost" : "");
	if (head->missed)
		printf("  %" PRIu64 " dumps before this one were given up\n",
		       (uint64_t)head->missed);
	print_insns(dump);
	print_words(dump);
	print_events(dump);
}

/* --- JSON ---------------------------------------------------------------------------- */

static void json_insns(struct json_object *json, const struct dump *dump)
{
	struct json_object *list, *item;
	char text[256];
	uint32_t i;

	json_add_number(json, "total_instructions", dump->head.insns.total);
	json_add_number(json, "issued", dump->head.issued);
	list = json_add_array(json, "instructions");
	for (i = 0; i < dump->head.insns.count; i++) {
		vsm_insn_describe(&dump->insns[i], text, sizeof(text));
		item = json_add_object(list, NULL);
		json_add_number(item, "number", dump->head.first + i);
		json_add_string(item, "instruction", text);
		json_add_string(item, "fault",
				dump->insns[i].fault ? vsm_fault_name(dump->insns[i].fault) : NULL);
	}
}

static void json_words(struct json_object *json, const struct dump *dump)
{
	struct json_object *list, *item;
	struct vsm_mbarrier_fields fields;
	uint32_t i;

	json_add_number(json, "total_mbarriers", dump->head.words.total);
	list = json_add_array(json, "mbarriers");
	for (i = 0; i < dump->head.words.count; i++) {
		fields = vsm_mbarrier_decode(dump->head.layout, dump->words[i].word);
		item = json_add_object(list, NULL);
		json_add_hex(item, "address", dump->words[i].addr);
		json_add_hex(item, "word", dump->words[i].word);
		json_add_number(item, "parity", fields.phase);
		json_add_number(item, "pending", fields.pending);
		json_add_number(item, "expected", fields.expected);
		json_add_signed(item, "tx_count", fields.tx);
		json_add_bool(item, "poisoned", fields.poison);
	}
}

static void json_events(struct json_object *json, const struct dump *dump)
{
	const struct trace *trace = &dump->trace;
	struct json_object *list, *item;
	size_t i, size;
	FILE *out;
	char *text;

	json_add_number(json, "total_events", dump->head.events.total);
	list = json_add_array(json, "events");
	for (i = 0; i < trace->count; i++) {
		out = must(open_memstream(&text, &size));
		event_print(out, trace, &trace->events[i]);
		fclose(out);
		item = json_add_object(list, NULL);
		json_add_number(item, "time_ns", trace->events[i].time);
		json_add_string(item, "text", text);
		free(text);
	}
}

static void json_dump(const struct dump *dump)
{
	const struct drm_vsm_dump *head = &dump->head;
	struct json_object *json = must(json_object_new_object());

	json_add_number(json, "version", DUMP_JSON_VERSION);
	json_add_string(json, "reason", reason_name(head->reason));
	json_add_number(json, "time_ns", head->time);
	json_add_number(json, "missed", head->missed);
	json_add_number(json, "device", head->device);
	json_add_number(json, "cluster", head->cluster);
	json_add_number(json, "client", head->client);
	json_add_number(json, "pid", head->pid);
	json_add_bytes(json, "comm", head->comm, strnlen(head->comm, sizeof(head->comm)));
	json_add_number(json, "ctas", head->ctas);
	json_add_number(json, "threads", head->threads);
	json_add_number(json, "smem_bytes", head->smem_bytes);
	json_add_string(json, "layout", head->layout == VSM_LAYOUT_SM_80 ? "sm_80" : "sm_90");
	json_add_bool(json, "lost", head->lost);
	json_add_string(json, "error", event_error_name(head->error));
	if (head->reason != DRM_VSM_DUMP_CLUSTER_LOST) {
		json_add_number(json, "channel", head->channel);
		json_add_number(json, "job", head->job);
		json_add_number(json, "site", head->site);
		json_add_number(json, "cta", head->cta);
		json_add_number(json, "thread", head->thread);
	}
	json_insns(json, dump);
	json_words(json, dump);
	json_events(json, dump);
	json_write(stdout, json, false);
}

/* --- command ------------------------------------------------------------------------- */

int command_dump(struct args *args)
{
	struct dump dump = { };
	bool as_json = false;
	const char *problem;
	const char *path;
	size_t size;
	char *data;

	/* The name of a process is printed as far as the terminal shows its characters. */
	setlocale(LC_CTYPE, "");
	while (args_next(args))
		as_json = true;
	if (args->ended)
		return args->status;
	path = args->operands[0];
	data = file_read_or_input(path, DUMP_LIMIT, &size);
	if (!data)
		return failed("%s: %s", path, strerror(errno));
	trace_init(&dump.trace, "");
	problem = parse_dump(&dump, data, size);
	free(data);
	if (!problem && as_json)
		json_dump(&dump);
	else if (!problem)
		print_dump(&dump);
	free_dump(&dump);
	return problem ? failed("%s: %s", path, problem) : EXIT_OK;
}
