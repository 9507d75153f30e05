// SPDX-License-Identifier: MIT
/*
 * Trace files. They have two forms: a compact one, and a text form that people and other programs
 * can write. trace_read() reads both.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <vsm_mbarrier.h>

#include "base.h"
#include "names.h"
#include "trace/file.h"
#include "trace/trace.h"

/* --- the text form -------------------------------------------------------- */

/*
 * The text form of a trace. Its first line is "vsm trace 1". Each other line is an event, or a
 * statement about the trace; a line that begins with # is a comment:
 *
 *	title "pipeline.launch"
 *	lost 12
 *	cluster 1 ctas=2 threads=64 layout=sm_90 policy=strict
 *	name "full" offset=0x1000 size=16 stride=8
 *	site 3 "pipeline.cu:37" "mbarrier.init.shared::cta.b64"
 *	note "what was found\nin the end"
 *	1000250 insn cluster=1 lanes=0x1 op=mbarrier_init addr=0x1000 next=0x7ffff800001ffffe
 *
 * An event is its time in ns, its type, and the fields that are not 0.
 */

#define FIRST_LINE "vsm trace 1"

enum field_kind {
	FIELD_DECIMAL,
	FIELD_HEX,
	FIELD_SIGNED,
	FIELD_OP,
	FIELD_FAULT,
};

#define FIELD(name, kind) \
	{ #name, offsetof(struct drm_vsm_trace_event, name), \
	  sizeof(((struct drm_vsm_trace_event *)0)->name), FIELD_##kind }

static const struct field {
	const char *name;
	uint16_t offset;
	uint8_t size;
	uint8_t kind;
} fields[] = {
	FIELD(id, DECIMAL),
	FIELD(cause, DECIMAL),
	FIELD(client, DECIMAL),
	FIELD(channel, DECIMAL),
	FIELD(cluster, DECIMAL),
	FIELD(cta, DECIMAL),
	FIELD(thread, DECIMAL),
	FIELD(lanes, HEX),
	FIELD(op, OP),
	FIELD(mods, HEX),
	FIELD(addr, HEX),
	FIELD(mbar, HEX),
	FIELD(size, DECIMAL),
	FIELD(buffer, DECIMAL),
	FIELD(word, HEX),
	FIELD(next, HEX),
	FIELD(value, DECIMAL),
	FIELD(serial, DECIMAL),
	FIELD(error, SIGNED),
	FIELD(fault, FAULT),
	FIELD(source, DECIMAL),
	FIELD(info, HEX),
	FIELD(site, DECIMAL),
};

static const char *const layouts[] = {
	[VSM_LAYOUT_SM_90] = "sm_90",
	[VSM_LAYOUT_SM_80] = "sm_80",
};

static const char *const policies[] = {
	[DRM_VSM_POLICY_STRICT] = "strict",
	[DRM_VSM_POLICY_HARDWARE] = "hardware",
};

/* --- writing -------------------------------------------------------------- */

static void put_quoted(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else
			putc(*text, out);
	}
	putc('"', out);
}

static void put_lower(FILE *out, const char *name)
{
	for (; *name; name++)
		putc(tolower((unsigned char)*name), out);
}

static uint64_t get_field(const struct drm_vsm_trace_event *event, const struct field *field)
{
	const char *at = (const char *)event + field->offset;

	switch (field->size) {
	case 2:
		return *(const uint16_t *)at;
	case 4:
		return *(const uint32_t *)at;
	default:
		return *(const uint64_t *)at;
	}
}

static void put_field(FILE *out, const struct field *field, uint64_t value)
{
	const char *name;

	fprintf(out, " %s=", field->name);
	switch (field->kind) {
	case FIELD_OP:
		name = event_op_name(value);
		if (name)
			put_lower(out, name);
		else
			fprintf(out, "%" PRIu64, value);
		break;
	case FIELD_FAULT:
		name = vsm_fault_name(value);
		if (strcmp(name, "UNKNOWN"))
			fputs(name, out);
		else
			fprintf(out, "%" PRIu64, value);
		break;
	case FIELD_SIGNED:
		fprintf(out, "%" PRId32, (int32_t)value);
		break;
	case FIELD_HEX:
		fprintf(out, "0x%" PRIx64, value);
		break;
	default:
		fprintf(out, "%" PRIu64, value);
	}
}

static void put_event(FILE *out, const struct drm_vsm_trace_event *event)
{
	const char *type = event_type_name(event->type);
	uint64_t value;
	size_t i;

	fprintf(out, "%" PRIu64, (uint64_t)event->time);
	if (type)
		fprintf(out, " %s", type);
	else
		fprintf(out, " type%u", event->type);
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		value = get_field(event, &fields[i]);
		if (value)
			put_field(out, &fields[i], value);
	}
	putc('\n', out);
}

static void put_cluster(FILE *out, const struct trace_cluster *cluster)
{
	fprintf(out, "cluster %" PRIu32 " ctas=%" PRIu32 " threads=%" PRIu32, cluster->number,
		cluster->ctas, cluster->threads);
	if (cluster->layout < ARRAY_SIZE(layouts))
		fprintf(out, " layout=%s", layouts[cluster->layout]);
	if (cluster->policy < ARRAY_SIZE(policies))
		fprintf(out, " policy=%s", policies[cluster->policy]);
	putc('\n', out);
}

static void put_name(FILE *out, const struct trace_name *name)
{
	fputs("name ", out);
	put_quoted(out, name->text);
	fprintf(out, " offset=0x%" PRIx32 " size=%" PRIu32, name->offset, name->size);
	if (name->stride)
		fprintf(out, " stride=%" PRIu32, name->stride);
	if (name->cluster)
		fprintf(out, " cluster=%" PRIu32, name->cluster);
	putc('\n', out);
}

static void put_statement(FILE *out, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(out, "%s ", name);
	put_quoted(out, text);
	putc('\n', out);
}

bool trace_write_text(FILE *out, const struct trace *trace)
{
	size_t i;

	fputs(FIRST_LINE "\n", out);
	put_statement(out, "title", trace->title);
	if (trace->lost)
		fprintf(out, "lost %" PRIu64 "\n", trace->lost);
	for (i = 0; i < trace->cluster_count; i++)
		put_cluster(out, &trace->clusters[i]);
	for (i = 0; i < trace->name_count; i++)
		put_name(out, &trace->names[i]);
	for (i = 0; i < trace->site_count; i++) {
		fprintf(out, "site %" PRIu32 " ", trace->sites[i].site);
		put_quoted(out, trace->sites[i].text);
		putc(' ', out);
		put_quoted(out, trace->sites[i].insn);
		putc('\n', out);
	}
	for (i = 0; i < trace->count; i++)
		put_event(out, &trace->events[i]);
	put_statement(out, "note", trace->note);
	return !ferror(out);
}

/* --- reading -------------------------------------------------------------- */

/* Does a file with these contents have the text form? */
static bool trace_is_text(const char *data, size_t size)
{
	size_t length = strlen(FIRST_LINE);

	return size > length && !memcmp(data, FIRST_LINE, length) &&
	       (data[length] == '\n' || data[length] == '\r');
}

/* Reads a text in quotes. Returns NULL after an error. The caller frees the text. */
static char *need_quoted(struct cursor *c)
{
	char *text, *to;

	if (!need(c, '"'))
		return NULL;
	text = must(malloc(c->end - c->at + 1));
	to = text;
	while (c->at < c->end && *c->at != '"') {
		if (*c->at == '\\' && c->at + 1 < c->end) {
			c->at++;
			*to++ = *c->at == 'n' ? '\n' : *c->at;
		} else {
			*to++ = *c->at;
		}
		c->at++;
	}
	*to = '\0';
	if (need(c, '"'))
		return text;
	free(text);
	return NULL;
}

static bool parse_text(struct cursor *c, char **text)
{
	char *new = need_quoted(c);

	if (!new || !need_end(c)) {
		free(new);
		return false;
	}
	free(*text);
	*text = new;
	return true;
}

static bool cluster_value(struct cursor *c, unsigned int key, void *to)
{
	struct trace_cluster *cluster = to;
	uint64_t number;
	unsigned int choice;

	switch (key) {
	case 0:
	case 1:
		if (!need_number(c, "a number", UINT32_MAX, &number))
			return false;
		*(key ? &cluster->threads : &cluster->ctas) = number;
		return true;
	case 2:
		if (!need_choice(c, layouts, ARRAY_SIZE(layouts), &choice))
			return false;
		cluster->layout = choice;
		return true;
	default:
		if (!need_choice(c, policies, ARRAY_SIZE(policies), &choice))
			return false;
		cluster->policy = choice;
		return true;
	}
}

static bool parse_cluster(struct trace *trace, struct cursor *c)
{
	static const char *const names[] = { "ctas", "threads", "layout", "policy" };
	const char *where[ARRAY_SIZE(names)] = { };
	struct trace_cluster cluster = { };
	const struct keys keys = { names, ARRAY_SIZE(names), cluster_value, &cluster, where };
	uint64_t number;

	if (!need_number(c, "the number of the cluster", UINT32_MAX, &number) ||
	    !need_keys(c, &keys))
		return false;
	if (trace->cluster_count == TRACE_MAX_PARTS)
		return error_at(c, c->start, "there are too many clusters");
	cluster.number = number;
	if (trace_add_cluster(trace, &cluster))
		must(NULL);
	return true;
}

static bool name_value(struct cursor *c, unsigned int key, void *to)
{
	struct trace_name *name = to;
	uint32_t *const values[] = { &name->offset, &name->size, &name->stride, &name->cluster };
	uint64_t number;

	if (!need_number(c, "a number", UINT32_MAX, &number))
		return false;
	*values[key] = number;
	return true;
}

static bool parse_name(struct trace *trace, struct cursor *c)
{
	static const char *const names[] = { "offset", "size", "stride", "cluster" };
	const char *where[ARRAY_SIZE(names)] = { };
	struct trace_name name = { };
	const struct keys keys = { names, ARRAY_SIZE(names), name_value, &name, where };
	bool parsed;

	name.text = need_quoted(c);
	parsed = name.text && need_keys(c, &keys);
	if (parsed && trace->name_count == TRACE_MAX_PARTS)
		parsed = error_at(c, c->start, "there are too many names");
	if (parsed && trace_add_name(trace, &name))
		must(NULL);
	free(name.text);
	return parsed;
}

static bool parse_site(struct trace *trace, struct cursor *c)
{
	char *text = NULL, *insn = NULL;
	uint64_t number;
	bool parsed;

	parsed = need_number(c, "the number of the place", UINT32_MAX, &number) &&
		 (text = need_quoted(c)) && (insn = need_quoted(c)) && need_end(c);
	if (parsed && trace->site_count == TRACE_MAX_PARTS)
		parsed = error_at(c, c->start, "there are too many places");
	if (parsed && number && trace_add_site(trace, number, text, insn))
		must(NULL);
	free(text);
	free(insn);
	return parsed;
}

static bool parse_lost(struct trace *trace, struct cursor *c)
{
	uint64_t lost;

	if (!need_number(c, "the number of events", UINT64_MAX, &lost) || !need_end(c))
		return false;
	trace->lost = lost;
	return true;
}

/* Reads the name of an operation, or its number. */
static bool need_op(struct cursor *c, uint64_t *op)
{
	char text[QUOTE_SIZE];
	struct span word;

	if (at_number(c))
		return need_number(c, "an operation", UINT16_MAX, op);
	word = take_word(c);
	for (*op = 1; *op < EVENT_OPS; ++*op) {
		const char *name = event_op_name(*op);

		if (name && strlen(name) == word.length &&
		    !strncasecmp(name, word.text, word.length))
			return true;
	}
	c->at = word.text;
	return error_at(c, c->at, "expected an operation, such as mbarrier_arrive, found %s",
			found(c, text));
}

static bool field_value(struct cursor *c, unsigned int key, void *to)
{
	const struct field *field = &fields[key];
	uint64_t max = field->size == 8 ? UINT64_MAX : (1ULL << 8 * field->size) - 1;
	char *at = (char *)to + field->offset;
	uint64_t value;
	int64_t number;

	switch (field->kind) {
	case FIELD_OP:
		if (!need_op(c, &value))
			return false;
		break;
	case FIELD_FAULT:
		if (!(at_number(c) ? need_number(c, "a fault", max, &value) :
				     need_fault(c, "a fault", &value)))
			return false;
		break;
	case FIELD_SIGNED:
		if (!need_signed(c, "a number", INT32_MIN, INT32_MAX, &number))
			return false;
		value = number;
		break;
	default:
		if (!need_number(c, "a number", max, &value))
			return false;
	}
	switch (field->size) {
	case 2:
		*(uint16_t *)at = value;
		break;
	case 4:
		*(uint32_t *)at = value;
		break;
	default:
		*(uint64_t *)at = value;
	}
	return true;
}

/* Reads a type: its name, or "type" and its number. */
static bool need_type(struct cursor *c, uint16_t *type)
{
	struct nearest nearest = { };
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	unsigned int number = 0, i;
	struct span word = take_word(c);

	nearest.word = word;
	for (i = 0; i < EVENT_TYPES; i++) {
		const char *name = event_type_name(i);

		*type = i;
		if (name && span_is(word, name))
			return true;
		if (name)
			nearest_try(&nearest, name);
	}
	if (word.length > 4 && word.length < 10 && !strncmp(word.text, "type", 4)) {
		for (i = 4; i < word.length && isdigit((unsigned char)word.text[i]); i++)
			number = number * 10 + word.text[i] - '0';
		*type = number;
		if (i == word.length && number <= UINT16_MAX)
			return true;
	}
	c->at = word.text;
	return error_at(c, c->at, "expected the type of an event, found %s%s", found(c, text),
			meant(&nearest, "", hint));
}

static bool parse_event(struct trace *trace, struct cursor *c)
{
	const char *names[ARRAY_SIZE(fields)], *where[ARRAY_SIZE(fields)] = { };
	struct drm_vsm_trace_event event = { };
	const struct keys keys = { names, ARRAY_SIZE(names), field_value, &event, where };
	uint64_t time;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		names[i] = fields[i].name;
	if (!need_number(c, "a time", UINT64_MAX, &time) || !need_type(c, &event.type) ||
	    !need_keys(c, &keys))
		return false;
	event.time = time;
	if (trace_add_events(trace, &event, 1))
		must(NULL);
	return true;
}

static bool parse_title(struct trace *trace, struct cursor *c)
{
	return parse_text(c, &trace->title);
}

static bool parse_note(struct trace *trace, struct cursor *c)
{
	return parse_text(c, &trace->note);
}

static const struct {
	const char *name;
	bool (*parse)(struct trace *trace, struct cursor *c);
} statements[] = {
	{ "title", parse_title },
	{ "note", parse_note },
	{ "lost", parse_lost },
	{ "cluster", parse_cluster },
	{ "name", parse_name },
	{ "site", parse_site },
};

static bool parse_line(struct trace *trace, struct cursor *c)
{
	const char *names[ARRAY_SIZE(statements)];
	unsigned int choice, i;

	for (i = 0; i < ARRAY_SIZE(statements); i++)
		names[i] = statements[i].name;
	if (at_end(c))
		return true;
	if (at_number(c))
		return parse_event(trace, c);
	if (!need_choice(c, names, ARRAY_SIZE(names), &choice))
		return false;
	return statements[choice].parse(trace, c);
}

bool trace_read_text(struct trace *trace, const char *path, const char *data, size_t size)
{
	struct errors errors = { .path = path, .out = stderr };
	const char *end = data + size, *at = data;
	struct cursor c = { .errors = &errors };

	for (; at < end && errors.count < MAX_ERRORS; at = c.end + 1) {
		const char *newline = memchr(at, '\n', end - at);

		c.line++;
		c.start = at;
		c.at = at;
		c.end = newline ? newline : end;
		if (c.line > 1 && *at != '#') {
			struct cursor line = c;

			trim(&line);
			parse_line(trace, &line);
		}
	}
	return !errors.count;
}

/* --- the binary form ------------------------------------------------------ */

#define MAGIC "VSMTRACE"
#define VERSION 1
/* Larger files are refused. */
#define MAX_FILE (1UL << 30)
#define MAX_STRIDE 4096

enum chunk_kind {
	CHUNK_TITLE = 1,
	CHUNK_LOST = 2,
	CHUNK_CLUSTER = 3,
	CHUNK_SITE = 4,
	CHUNK_NAME = 5,
	CHUNK_EVENTS = 6,
	CHUNK_NOTE = 7,
};

/* Begin of a file */
struct header {
	char magic[8];
	uint32_t version;	/* VERSION. Programs refuse files with another version. */
	uint32_t pad;		/* 0 */
};

/* Begin of a chunk */
struct chunk {
	uint32_t kind;	/* enum chunk_kind */
	/*
	 * Bytes of an event (EVENTS). If an event has more bytes than the program knows, the rest
	 * is ignored.
	 */
	uint32_t stride;
	uint64_t size;	/* bytes that follow */
};

/* A chunk of kind SITE. The text and the instruction follow */
struct site_chunk {
	uint32_t site;	/* number of the site */
	uint32_t text;	/* bytes of the text */
};

/* A chunk of kind NAME. The text follows */
struct name_chunk {
	uint32_t cluster;	/* trace_name.cluster */
	uint32_t offset;	/* trace_name.offset */
	uint32_t size;		/* trace_name.size */
	uint32_t stride;	/* trace_name.stride */
};

/* --- writing -------------------------------------------------------------- */

static void put_chunk(FILE *file, enum chunk_kind kind, uint32_t stride, const void *head,
		      size_t head_size, const void *data, size_t size)
{
	struct chunk chunk = { .kind = kind, .stride = stride, .size = head_size + size };

	fwrite(&chunk, sizeof(chunk), 1, file);
	if (head_size)
		fwrite(head, head_size, 1, file);
	if (size)
		fwrite(data, size, 1, file);
}

static void put_text(FILE *file, enum chunk_kind kind, const char *text)
{
	if (text && *text)
		put_chunk(file, kind, 0, NULL, 0, text, strlen(text));
}

static void put_site(FILE *file, const struct trace_site *site)
{
	struct site_chunk head = { .site = site->site, .text = strlen(site->text) };
	size_t insn = strlen(site->insn);
	char *texts = must(malloc(head.text + insn + 1));

	memcpy(texts, site->text, head.text);
	memcpy(texts + head.text, site->insn, insn);
	put_chunk(file, CHUNK_SITE, 0, &head, sizeof(head), texts, head.text + insn);
	free(texts);
}

static void put_trace(FILE *file, const struct trace *trace)
{
	struct header header = { .magic = MAGIC, .version = VERSION };
	size_t i;

	fwrite(&header, sizeof(header), 1, file);
	put_text(file, CHUNK_TITLE, trace->title);
	if (trace->lost)
		put_chunk(file, CHUNK_LOST, 0, NULL, 0, &trace->lost, sizeof(trace->lost));
	for (i = 0; i < trace->cluster_count; i++)
		put_chunk(file, CHUNK_CLUSTER, 0, NULL, 0, &trace->clusters[i],
			  sizeof(trace->clusters[i]));
	for (i = 0; i < trace->site_count; i++)
		put_site(file, &trace->sites[i]);
	for (i = 0; i < trace->name_count; i++) {
		const struct trace_name *name = &trace->names[i];
		struct name_chunk head = { .cluster = name->cluster, .offset = name->offset,
					   .size = name->size, .stride = name->stride };

		put_chunk(file, CHUNK_NAME, 0, &head, sizeof(head), name->text,
			  strlen(name->text));
	}
	put_chunk(file, CHUNK_EVENTS, sizeof(*trace->events), NULL, 0, trace->events,
		  trace->count * sizeof(*trace->events));
	put_text(file, CHUNK_NOTE, trace->note);
}

bool trace_write(const struct trace *trace, const char *path)
{
	FILE *file = fopen(path, "we");
	bool error;

	if (!file) {
		failed("%s: %s", path, strerror(errno));
		return false;
	}
	put_trace(file, trace);
	error = ferror(file);
	if (fclose(file) || error) {
		failed("%s: cannot write the trace: %s", path, strerror(errno));
		return false;
	}
	return true;
}

/* --- reading -------------------------------------------------------------- */

/* A file that is being read */
struct reader {
	const char *path;	/* path of the file */
	struct trace *trace;	/* trace that the file is read into */
	const char *data;	/* contents of the chunk */
	size_t size;		/* size of @data */
	size_t offset;		/* where the chunk begins in the file */
};

static bool bad_chunk(const struct reader *r, const char *what)
{
	failed("%s: the trace is damaged: at byte %zu, %s", r->path, r->offset, what);
	return false;
}

static bool no_memory(const struct reader *r)
{
	failed("%s: %s", r->path, strerror(ENOMEM));
	return false;
}

static bool read_events(struct reader *r, uint32_t stride)
{
	struct drm_vsm_trace_event event = { };
	size_t i;

	if (stride < sizeof(event) || stride > MAX_STRIDE || stride % 8 || r->size % stride)
		return bad_chunk(r, "events have an impossible size");
	if (stride == sizeof(event)) {
		if (trace_add_events(r->trace, (const void *)r->data, r->size / stride))
			return no_memory(r);
		return true;
	}
	for (i = 0; i < r->size; i += stride) {
		memcpy(&event, r->data + i, sizeof(event));
		if (trace_add_events(r->trace, &event, 1))
			return no_memory(r);
	}
	return true;
}

static bool read_cluster(struct reader *r)
{
	struct trace_cluster cluster;

	if (r->size < sizeof(cluster))
		return bad_chunk(r, "a cluster is too short");
	if (r->trace->cluster_count == TRACE_MAX_PARTS)
		return bad_chunk(r, "there are too many clusters");
	memcpy(&cluster, r->data, sizeof(cluster));
	if (cluster.layout > VSM_LAYOUT_SM_80)
		return bad_chunk(r, "a cluster has an unknown layout");
	return !trace_add_cluster(r->trace, &cluster) || no_memory(r);
}

static bool read_site(struct reader *r)
{
	struct site_chunk head;
	char *text, *insn;
	bool added;

	if (r->size < sizeof(head))
		return bad_chunk(r, "a place is too short");
	memcpy(&head, r->data, sizeof(head));
	if (head.text > r->size - sizeof(head))
		return bad_chunk(r, "the text of a place is too long");
	if (r->trace->site_count == TRACE_MAX_PARTS)
		return bad_chunk(r, "there are too many places");
	text = must(strndup(r->data + sizeof(head), head.text));
	insn = must(strndup(r->data + sizeof(head) + head.text,
			    r->size - sizeof(head) - head.text));
	added = !head.site || !trace_add_site(r->trace, head.site, text, insn);
	free(text);
	free(insn);
	return added || no_memory(r);
}

static bool read_name(struct reader *r)
{
	struct trace_name name;
	struct name_chunk head;
	bool added;

	if (r->size < sizeof(head))
		return bad_chunk(r, "a name is too short");
	if (r->trace->name_count == TRACE_MAX_PARTS)
		return bad_chunk(r, "there are too many names");
	memcpy(&head, r->data, sizeof(head));
	name = (struct trace_name){ .cluster = head.cluster, .offset = head.offset,
				    .size = head.size, .stride = head.stride };
	name.text = must(strndup(r->data + sizeof(head), r->size - sizeof(head)));
	added = !trace_add_name(r->trace, &name);
	free(name.text);
	return added || no_memory(r);
}

static bool read_chunk(struct reader *r, const struct chunk *chunk)
{
	char *text;
	bool set;

	switch (chunk->kind) {
	case CHUNK_TITLE:
		free(r->trace->title);
		r->trace->title = must(strndup(r->data, r->size));
		return true;
	case CHUNK_NOTE:
		text = must(strndup(r->data, r->size));
		set = !trace_set_note(r->trace, text);
		free(text);
		return set || no_memory(r);
	case CHUNK_LOST:
		if (r->size < sizeof(r->trace->lost))
			return bad_chunk(r, "the number of lost events is too short");
		memcpy(&r->trace->lost, r->data, sizeof(r->trace->lost));
		return true;
	case CHUNK_CLUSTER:
		return read_cluster(r);
	case CHUNK_SITE:
		return read_site(r);
	case CHUNK_NAME:
		return read_name(r);
	case CHUNK_EVENTS:
		return read_events(r, chunk->stride);
	default:
		return true;
	}
}

static bool read_binary(struct trace *trace, const char *path, const char *data, size_t size)
{
	struct reader r = { .path = path, .trace = trace, .offset = sizeof(struct header) };
	struct header header;
	struct chunk chunk;

	if (size < sizeof(header))
		return bad_chunk(&r, "the file ends");
	memcpy(&header, data, sizeof(header));
	if (header.version != VERSION) {
		failed("%s: the trace has version %" PRIu32 "; this program knows version %d",
		       path, header.version, VERSION);
		return false;
	}
	while (r.offset < size) {
		size_t rest = size - r.offset;

		if (rest < sizeof(chunk))
			return bad_chunk(&r, "the file ends");
		memcpy(&chunk, data + r.offset, sizeof(chunk));
		if (chunk.size > rest - sizeof(chunk))
			return bad_chunk(&r, "the file ends");
		r.data = data + r.offset + sizeof(chunk);
		r.size = chunk.size;
		if (!read_chunk(&r, &chunk))
			return false;
		r.offset += sizeof(chunk) + chunk.size;
	}
	return true;
}

bool trace_read(struct trace *trace, const char *path)
{
	size_t size;
	char *data;
	bool read;

	data = file_read(path, MAX_FILE, &size);
	if (!data) {
		failed("%s: %s", path, strerror(errno));
		return false;
	}
	trace_init(trace, "");
	if (size >= strlen(MAGIC) && !memcmp(data, MAGIC, strlen(MAGIC))) {
		read = read_binary(trace, path, data, size);
	} else if (trace_is_text(data, size)) {
		read = trace_read_text(trace, path, data, size);
	} else {
		failed("%s: this is not a trace of vsm", path);
		read = false;
	}
	free(data);
	if (read)
		trace_sort(trace);
	else
		trace_free(trace);
	return read;
}
