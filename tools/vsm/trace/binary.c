// SPDX-License-Identifier: MIT
/*
 * Trace files. A file is a header and chunks. A chunk has its kind and size in front of it, so that
 * older programs can skip the chunks that they do not know. All numbers are little-endian.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <vsm_mbarrier.h>

#include "base.h"
#include "file.h"
#include "trace/text.h"
#include "trace/trace.h"

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

/**
 * struct header - Begin of a file
 * @magic: MAGIC
 * @version: VERSION. Programs refuse files with another version
 * @pad: 0
 */
struct header {
	char magic[8];
	uint32_t version;
	uint32_t pad;
};

/**
 * struct chunk - Begin of a chunk
 * @kind: &enum chunk_kind
 * @stride: Bytes of an event (EVENTS). If an event has more bytes than the program knows, the rest
 *	is ignored
 * @size: Bytes that follow
 */
struct chunk {
	uint32_t kind;
	uint32_t stride;
	uint64_t size;
};

/**
 * struct site_chunk - A chunk of kind SITE. The text and the instruction follow
 * @site: Number of the site
 * @text: Bytes of the text
 */
struct site_chunk {
	uint32_t site;
	uint32_t text;
};

/**
 * struct name_chunk - A chunk of kind NAME. The text follows
 * @cluster: &trace_name.cluster
 * @offset: &trace_name.offset
 * @size: &trace_name.size
 * @stride: &trace_name.stride
 */
struct name_chunk {
	uint32_t cluster;
	uint32_t offset;
	uint32_t size;
	uint32_t stride;
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

/**
 * struct reader - A file that is being read
 * @path: Path of the file
 * @trace: Trace that the file is read into
 * @data: Contents of the chunk
 * @size: Size of @data
 * @offset: Where the chunk begins in the file
 */
struct reader {
	const char *path;
	struct trace *trace;
	const char *data;
	size_t size;
	size_t offset;
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

	data = read_file(path, MAX_FILE, &size);
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
