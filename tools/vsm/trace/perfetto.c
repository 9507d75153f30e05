// SPDX-License-Identifier: MIT
/*
 * Writes a timeline in the format of Perfetto (https://perfetto.dev): TrackEvents.
 *
 * A CTA is a process, and so is a client. A warp is a thread of its CTA. mbarriers are tracks of
 * their CTA, and have counters for what is pending; channels are tracks of their client. Perfetto
 * wants the slices of a track to be nested, so every further line of a track is a track of its own.
 *
 * All packets belong to one sequence, in the order of their times. At the same time come first what
 * takes no time, then ends, then begins: a slice may begin when the one before it ends. Of two
 * events of a flow, the first must be the cause. If neither the end nor the begin of the cause
 * comes first, the flow is left out.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "text.h"
#include "trace/timeline.h"

/* --- messages of protocol buffers ----------------------------------------- */

/* A message that is being written. All members of an empty message are 0 */
struct proto {
	uint8_t *data;		/* bytes */
	size_t size;		/* number of bytes */
	size_t capacity;	/* size of @data */
};

/* Kinds of fields in the wire format. */
#define VARINT 0
#define FIXED64 1
#define LENGTH 2

/* A message in a message has its length in this number of bytes, even if it needs less. */
#define LENGTH_BYTES 4

static uint8_t *append(struct proto *proto, size_t size)
{
	if (proto->capacity - proto->size < size) {
		proto->capacity = 2 * (proto->capacity + size);
		proto->data = must(realloc(proto->data, proto->capacity));
	}
	proto->size += size;
	return proto->data + proto->size - size;
}

static void put_varint(struct proto *proto, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*append(proto, 1) = number | 0x80;
	*append(proto, 1) = number;
}

static void put_key(struct proto *proto, unsigned int field, unsigned int kind)
{
	put_varint(proto, field << 3 | kind);
}

/* Appends a field of type uint64, int64, uint32, int32, bool or enum. */
static void proto_number(struct proto *proto, unsigned int field, uint64_t number)
{
	put_key(proto, field, VARINT);
	put_varint(proto, number);
}

static void proto_fixed64(struct proto *proto, unsigned int field, uint64_t number)
{
	uint8_t *bytes;
	unsigned int i;

	put_key(proto, field, FIXED64);
	bytes = append(proto, 8);
	for (i = 0; i < 8; i++)
		bytes[i] = number >> 8 * i;
}

static void proto_bytes(struct proto *proto, unsigned int field, const void *data, size_t size)
{
	put_key(proto, field, LENGTH);
	put_varint(proto, size);
	if (size)
		memcpy(append(proto, size), data, size);
}

/* Begins a message in the message. Returns what proto_end() needs. */
static size_t proto_begin(struct proto *proto, unsigned int field)
{
	put_key(proto, field, LENGTH);
	append(proto, LENGTH_BYTES);
	return proto->size;
}

/* Ends the message. It must have less than 2^28 bytes. */
static void proto_end(struct proto *proto, size_t begin)
{
	size_t size = proto->size - begin;
	unsigned int i;

	for (i = 0; i < LENGTH_BYTES; i++)
		proto->data[begin - LENGTH_BYTES + i] =
			(size >> 7 * i & 0x7f) | (i + 1 < LENGTH_BYTES ? 0x80 : 0);
}

/*
 * Appends a field of type string, which must be UTF-8. Bytes that are no part of a character are
 * replaced.
 */
static void proto_string(struct proto *proto, unsigned int field, const char *text)
{
	const char *end = text + strlen(text);
	size_t begin = proto_begin(proto, field), bytes;
	uint32_t character;

	for (; text < end; text += bytes) {
		bytes = utf8_next(text, end - text, &character);
		if (character == UTF8_REPLACEMENT)
			memcpy(append(proto, strlen(UTF8_REPLACEMENT_TEXT)),
			       UTF8_REPLACEMENT_TEXT, strlen(UTF8_REPLACEMENT_TEXT));
		else
			memcpy(append(proto, bytes), text, bytes);
	}
	proto_end(proto, begin);
}

static void proto_free(struct proto *proto)
{
	free(proto->data);
	*proto = (struct proto){ };
}

enum {
	TRACE_PACKET = 1,
};

/* message TracePacket */
enum {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
};

enum {
	SEQUENCE_CLEARED = 1,
	SEQUENCE_NEEDS_STATE = 2,
};

/* message TracePacketDefaults */
enum {
	DEFAULTS_CLOCK = 58,
};

/* message ClockSnapshot, and ClockSnapshot.Clock */
enum {
	SNAPSHOT_CLOCKS = 1,
	SNAPSHOT_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
};

enum {
	CLOCK_IS_MONOTONIC = 3,
	CLOCK_IS_BOOTTIME = 6,
};

/* message TrackDescriptor */
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
};

/* messages ProcessDescriptor, ThreadDescriptor, CounterDescriptor */
enum {
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	COUNTER_UNIT = 3,
};

enum {
	UNIT_COUNT = 2,
	UNIT_BYTES = 3,
};

/* message TrackEvent */
enum {
	EVENT_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORIES = 22,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	EVENT_FLOWS = 47,
	EVENT_TERMINATING_FLOWS = 48,
};

enum {
	TYPE_BEGIN = 1,
	TYPE_END = 2,
	TYPE_INSTANT = 3,
	TYPE_COUNTER = 4,
};

/* message DebugAnnotation */
enum {
	ANNOTATION_STRING = 6,
	ANNOTATION_NAME = 10,
};

/* Any number but 0. */
#define SEQUENCE 1

/* A packet with an event */
struct action {
	uint64_t time;		/* in ns since the start */
	unsigned int type;
	unsigned int rank;	/* place among the actions at the same time */
	size_t index;		/* index of the slice, or of the sample (COUNTER) */
	size_t flows;	/* index of the first flow that begins or ends here, in perfetto.flows */
	size_t flow_count;	/* number of these flows */
};

/* One end of a flow */
struct end {
	size_t action;		/* index of the action */
	uint64_t flow;		/* number of the flow, from 1 */
	bool terminating;	/* it is the end with the effect */
};

/* What is being written */
struct perfetto {
	FILE *out;		/* where to */
	const struct timeline *timeline;
	struct proto packet;	/* the current packet */
	uint64_t *tracks;	/* for each track, the number of its first line */
	struct map lines;	/* numbers of further lines, by track and line */
	uint64_t last;		/* last number that has been given to a track or process */
	struct action *actions;
	size_t action_count;	/* number of @actions */
	size_t *begins;		/* for each slice, its action BEGIN or INSTANT */
	size_t *ends;		/* for each slice, its action END; SIZE_MAX if it has none */
	struct end *flows;	/* ends of flows, by their actions */
	size_t flow_count;	/* number of @flows */
};

/* --- packets -------------------------------------------------------------- */

static struct proto *begin_packet(struct perfetto *p)
{
	p->packet.size = 0;
	proto_number(&p->packet, PACKET_SEQUENCE, SEQUENCE);
	proto_number(&p->packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	return &p->packet;
}

static void end_packet(struct perfetto *p)
{
	struct proto head = { };

	proto_bytes(&head, TRACE_PACKET, p->packet.data, p->packet.size);
	fwrite(head.data, 1, head.size, p->out);
	proto_free(&head);
}

static void put_clock(struct proto *packet, unsigned int clock, uint64_t time)
{
	size_t begin = proto_begin(packet, SNAPSHOT_CLOCKS);

	proto_number(packet, CLOCK_ID, clock);
	proto_number(packet, CLOCK_TIMESTAMP, time);
	proto_end(packet, begin);
}

/*
 * Begins the sequence. All times are of CLOCK_MONOTONIC. Old versions of Perfetto know no other
 * clock than BOOTTIME for a trace, and take the two from the snapshot as equal.
 */
static void put_head(struct perfetto *p)
{
	struct proto *packet = &p->packet;
	size_t begin;

	packet->size = 0;
	proto_number(packet, PACKET_SEQUENCE, SEQUENCE);
	proto_number(packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
	begin = proto_begin(packet, PACKET_DEFAULTS);
	proto_number(packet, DEFAULTS_CLOCK, CLOCK_IS_MONOTONIC);
	proto_end(packet, begin);
	begin = proto_begin(packet, PACKET_CLOCK_SNAPSHOT);
	put_clock(packet, CLOCK_IS_MONOTONIC, p->timeline->start);
	put_clock(packet, CLOCK_IS_BOOTTIME, p->timeline->start);
	proto_number(packet, SNAPSHOT_PRIMARY, CLOCK_IS_MONOTONIC);
	proto_end(packet, begin);
	end_packet(p);
}

/* --- tracks --------------------------------------------------------------- */

static uint64_t put_process(struct perfetto *p, const char *name)
{
	struct proto *packet = begin_packet(p);
	size_t track = proto_begin(packet, PACKET_TRACK_DESCRIPTOR), process;

	proto_number(packet, TRACK_UUID, ++p->last);
	process = proto_begin(packet, TRACK_PROCESS);
	proto_number(packet, PROCESS_PID, p->last);
	proto_string(packet, PROCESS_NAME, name);
	proto_end(packet, process);
	proto_end(packet, track);
	end_packet(p);
	return p->last;
}

static uint64_t put_track(struct perfetto *p, uint64_t parent, const char *name)
{
	struct proto *packet = begin_packet(p);
	size_t track = proto_begin(packet, PACKET_TRACK_DESCRIPTOR);

	proto_number(packet, TRACK_UUID, ++p->last);
	proto_number(packet, TRACK_PARENT, parent);
	proto_string(packet, TRACK_NAME, name);
	proto_end(packet, track);
	end_packet(p);
	return p->last;
}

static uint64_t put_thread(struct perfetto *p, uint64_t process, const char *name)
{
	struct proto *packet = begin_packet(p);
	size_t track = proto_begin(packet, PACKET_TRACK_DESCRIPTOR), thread;

	proto_number(packet, TRACK_UUID, ++p->last);
	proto_number(packet, TRACK_PARENT, process);
	thread = proto_begin(packet, TRACK_THREAD);
	proto_number(packet, THREAD_PID, process);
	proto_number(packet, THREAD_TID, p->last);
	proto_string(packet, THREAD_NAME, name);
	proto_end(packet, thread);
	proto_end(packet, track);
	end_packet(p);
	return p->last;
}

/* A counter of an mbarrier has the number of its track, plus 1 (pending) or 2 (tx-count). */
static void put_counter(struct perfetto *p, uint64_t parent, const char *name, unsigned int unit)
{
	struct proto *packet = begin_packet(p);
	size_t track = proto_begin(packet, PACKET_TRACK_DESCRIPTOR), counter;

	proto_number(packet, TRACK_UUID, ++p->last);
	proto_number(packet, TRACK_PARENT, parent);
	proto_string(packet, TRACK_NAME, name);
	counter = proto_begin(packet, TRACK_COUNTER);
	proto_number(packet, COUNTER_UNIT, unit);
	proto_end(packet, counter);
	proto_end(packet, track);
	end_packet(p);
}

static void put_mbarrier(struct perfetto *p, size_t index, uint64_t process)
{
	const char *name = p->timeline->tracks[index].name;
	char *text;

	p->tracks[index] = put_track(p, process, name);
	must(asprintf(&text, "%s pending", name) < 0 ? NULL : text);
	put_counter(p, p->tracks[index], text, UNIT_COUNT);
	free(text);
	must(asprintf(&text, "%s tx", name) < 0 ? NULL : text);
	put_counter(p, p->tracks[index], text, UNIT_BYTES);
	free(text);
}

/* The process of a track is that of its CTA, or of its client. */
static uint64_t process_of(struct perfetto *p, struct map *processes, const struct track *track)
{
	bool client = track->kind == TRACK_COPY || track->kind == TRACK_JOB;
	uint64_t a = client ? UINT64_MAX : track->cluster;
	uint64_t b = client ? track->client : track->cta;
	size_t process = map_get(processes, a, b);
	char *name;
	int length;

	if (process != MAP_NONE)
		return process;
	length = client ? asprintf(&name, "client %" PRIu32, track->client) :
			  asprintf(&name, "cluster %" PRIu32 ", CTA %" PRIu32, track->cluster,
				   track->cta);
	must(length < 0 ? NULL : name);
	process = put_process(p, name);
	free(name);
	map_set(processes, a, b, process);
	return process;
}

static void put_tracks(struct perfetto *p)
{
	struct map processes = { };
	uint64_t process;
	size_t i;

	p->tracks = must(calloc(p->timeline->track_count + 1, sizeof(*p->tracks)));
	for (i = 0; i < p->timeline->track_count; i++) {
		const struct track *track = &p->timeline->tracks[i];

		process = process_of(p, &processes, track);
		if (track->kind == TRACK_WARP)
			p->tracks[i] = put_thread(p, process, track->name);
		else if (track->kind == TRACK_MBARRIER)
			put_mbarrier(p, i, process);
		else
			p->tracks[i] = put_track(p, process, track->name);
	}
	map_free(&processes);
	for (i = 0; i < p->timeline->slice_count; i++) {
		const struct slice *slice = &p->timeline->slices[i];

		if (slice->line && map_get(&p->lines, slice->track, slice->line) == MAP_NONE)
			map_set(&p->lines, slice->track, slice->line,
				put_track(p, p->tracks[slice->track],
					  p->timeline->tracks[slice->track].name));
	}
}

/* --- actions -------------------------------------------------------------- */

static const unsigned int ranks[] = {
	[TYPE_INSTANT] = 0,
	[TYPE_END] = 1,
	[TYPE_BEGIN] = 2,
	[TYPE_COUNTER] = 3,
};

static size_t add_action(struct perfetto *p, uint64_t time, unsigned int type, size_t index)
{
	p->actions = grow(p->actions, p->action_count, sizeof(*p->actions));
	p->actions[p->action_count] = (struct action){
		.time = time, .type = type, .rank = ranks[type], .index = index,
	};
	return p->action_count++;
}

static void add_actions(struct perfetto *p)
{
	const struct timeline *timeline = p->timeline;
	size_t i;

	p->begins = must(calloc(timeline->slice_count + 1, sizeof(*p->begins)));
	p->ends = must(calloc(timeline->slice_count + 1, sizeof(*p->ends)));
	for (i = 0; i < timeline->slice_count; i++) {
		const struct slice *slice = &timeline->slices[i];
		bool instant = slice->start == slice->end && !slice->open;

		p->begins[i] = add_action(p, slice->start, instant ? TYPE_INSTANT : TYPE_BEGIN, i);
		p->ends[i] = instant || slice->open ? SIZE_MAX :
						      add_action(p, slice->end, TYPE_END, i);
	}
	for (i = 0; i < timeline->sample_count; i++)
		add_action(p, timeline->samples[i].time, TYPE_COUNTER, i);
}

static bool comes_before(const struct action *a, const struct action *b)
{
	return a->time < b->time || (a->time == b->time && a->rank < b->rank);
}

static void add_end(struct perfetto *p, size_t action, uint64_t flow, bool terminating)
{
	p->flows = grow(p->flows, p->flow_count, sizeof(*p->flows));
	p->flows[p->flow_count++] = (struct end){ action, flow, terminating };
}

static void add_flow(struct perfetto *p, const struct flow *flow, uint64_t number)
{
	size_t to = flow->at_end && p->ends[flow->to] != SIZE_MAX ? p->ends[flow->to] :
								   p->begins[flow->to];
	size_t from = p->ends[flow->from];

	if (from == SIZE_MAX || !comes_before(&p->actions[from], &p->actions[to]))
		from = p->begins[flow->from];
	if (!comes_before(&p->actions[from], &p->actions[to]))
		return;
	add_end(p, from, number, false);
	add_end(p, to, number, true);
}

static int compare_ends(const void *left, const void *right)
{
	const struct end *a = left, *b = right;

	if (a->action != b->action)
		return a->action < b->action ? -1 : 1;
	return (a->flow > b->flow) - (a->flow < b->flow);
}

static int compare_actions(const void *left, const void *right)
{
	const struct action *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static void add_flows(struct perfetto *p)
{
	size_t i;

	for (i = 0; i < p->timeline->flow_count; i++)
		add_flow(p, &p->timeline->flows[i], i + 1);
	if (p->flow_count)
		qsort(p->flows, p->flow_count, sizeof(*p->flows), compare_ends);
	for (i = 0; i < p->flow_count; i++) {
		struct action *action = &p->actions[p->flows[i].action];

		if (!action->flow_count++)
			action->flows = i;
	}
}

/* --- events --------------------------------------------------------------- */

static const char *const categories[] = {
	[SLICE_INSN] = "insn",
	[SLICE_WAIT] = "wait",
	[SLICE_ARRIVE] = "arrive",
	[SLICE_PHASE] = "phase",
	[SLICE_ISSUE] = "issue",
	[SLICE_COPY] = "copy",
	[SLICE_JOB] = "job",
	[SLICE_QUEUE] = "queue",
	[SLICE_FAULT] = "fault",
	[SLICE_LOST] = "lost",
};

/* Adds the details of a slice as annotations. */
static void put_annotations(struct perfetto *p, size_t slice)
{
	char *text, *line, *value, *rest;
	size_t size, begin;
	FILE *out = must(open_memstream(&text, &size));

	timeline_print_slice(out, p->timeline, slice);
	if (fclose(out))
		must(NULL);
	for (rest = text; (line = strsep(&rest, "\n"));) {
		value = strstr(line, ": ");
		if (!value)
			continue;
		*value = '\0';
		begin = proto_begin(&p->packet, EVENT_ANNOTATIONS);
		proto_string(&p->packet, ANNOTATION_NAME, line);
		proto_string(&p->packet, ANNOTATION_STRING, value + 2);
		proto_end(&p->packet, begin);
	}
	free(text);
}

static void put_slice(struct perfetto *p, const struct action *action)
{
	const struct slice *slice = &p->timeline->slices[action->index];
	uint64_t track = slice->line ? map_get(&p->lines, slice->track, slice->line) :
					p->tracks[slice->track];
	struct proto *packet = begin_packet(p);
	size_t event, i;

	proto_number(packet, PACKET_TIMESTAMP, p->timeline->start + action->time);
	event = proto_begin(packet, PACKET_TRACK_EVENT);
	proto_number(packet, EVENT_TYPE, action->type);
	proto_number(packet, EVENT_TRACK, track);
	if (action->type != TYPE_END) {
		proto_string(packet, EVENT_NAME, slice->name);
		proto_string(packet, EVENT_CATEGORIES, categories[slice->kind]);
		if (slice->bad)
			proto_string(packet, EVENT_CATEGORIES, "bad");
		put_annotations(p, action->index);
	}
	for (i = 0; i < action->flow_count; i++) {
		const struct end *end = &p->flows[action->flows + i];

		proto_fixed64(packet, end->terminating ? EVENT_TERMINATING_FLOWS : EVENT_FLOWS,
			      end->flow);
	}
	proto_end(packet, event);
	end_packet(p);
}

static void put_value(struct perfetto *p, uint64_t time, uint64_t track, int64_t value)
{
	struct proto *packet = begin_packet(p);
	size_t event;

	proto_number(packet, PACKET_TIMESTAMP, p->timeline->start + time);
	event = proto_begin(packet, PACKET_TRACK_EVENT);
	proto_number(packet, EVENT_TYPE, TYPE_COUNTER);
	proto_number(packet, EVENT_TRACK, track);
	proto_number(packet, EVENT_COUNTER, value);
	proto_end(packet, event);
	end_packet(p);
}

bool write_perfetto(FILE *out, const struct timeline *timeline)
{
	struct perfetto p = { .out = out, .timeline = timeline };
	size_t i;

	put_head(&p);
	put_tracks(&p);
	add_actions(&p);
	add_flows(&p);
	if (p.action_count)
		qsort(p.actions, p.action_count, sizeof(*p.actions), compare_actions);
	for (i = 0; i < p.action_count; i++) {
		const struct action *action = &p.actions[i];

		if (action->type == TYPE_COUNTER) {
			const struct sample *sample = &timeline->samples[action->index];
			uint64_t track = p.tracks[sample->track];

			put_value(&p, action->time, track + 1, sample->pending);
			put_value(&p, action->time, track + 2, sample->tx);
		} else {
			put_slice(&p, action);
		}
	}
	proto_free(&p.packet);
	map_free(&p.lines);
	free(p.tracks);
	free(p.actions);
	free(p.begins);
	free(p.ends);
	free(p.flows);
	return !ferror(out);
}
