// SPDX-License-Identifier: MIT
/* Tests traces and their files: what is written is read again, and damaged files are refused. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/testing.h"
#include "trace/file.h"
#include "trace/trace.h"

static char path[32];

static struct drm_vsm_trace_event event_at(uint64_t time)
{
	return (struct drm_vsm_trace_event){ .time = time, .type = DRM_VSM_TRACE_INSN,
					     .op = 3, .addr = 0x1008, .lanes = 1, .cluster = 2,
					     .error = -71, .word = ~0ULL, .next = 5 };
}

static void make(struct trace *trace)
{
	const struct trace_cluster cluster = { 2, 4, 64, 1, 1 };
	const struct trace_name name = { 2, 0x1000, 16, 8, "full" };
	struct drm_vsm_trace_event events[3] = { event_at(30), event_at(10), event_at(20) };

	trace_init(trace, "a \"title\" \\ of\ntwo lines");
	events[2].type = 99;
	events[2].op = 4711;
	events[2].fault = 60000;
	assert_int_equal(trace_add_events(trace, events, 3), 0);
	assert_int_equal(trace_add_cluster(trace, &cluster), 0);
	assert_int_equal(trace_add_site(trace, 7, "seven", "mbarrier.init.b64"), 0);
	assert_int_equal(trace_add_site(trace, 3, "three", ""), 0);
	assert_int_equal(trace_add_name(trace, &name), 0);
	assert_int_equal(trace_set_note(trace, "the end\n"), 0);
	trace->lost = 12;
	trace_sort(trace);
}

static void check_same(const struct trace *a, const struct trace *b)
{
	size_t i;

	assert_string_equal(a->title, b->title);
	assert_string_equal(a->note, b->note);
	assert_int_equal(a->lost, b->lost);
	assert_int_equal(a->count, b->count);
	assert_memory_equal(a->events, b->events, a->count * sizeof(*a->events));
	assert_int_equal(a->cluster_count, b->cluster_count);
	assert_memory_equal(a->clusters, b->clusters, a->cluster_count * sizeof(*a->clusters));
	assert_int_equal(a->site_count, b->site_count);
	for (i = 0; i < a->site_count; i++) {
		assert_int_equal(a->sites[i].site, b->sites[i].site);
		assert_string_equal(a->sites[i].text, b->sites[i].text);
		assert_string_equal(a->sites[i].insn, b->sites[i].insn);
	}
	assert_int_equal(a->name_count, b->name_count);
	assert_memory_equal(a->names, b->names, 4 * sizeof(uint32_t));
	assert_string_equal(a->names[0].text, b->names[0].text);
}

static char *contents(size_t *size)
{
	FILE *file = fopen(path, "r");
	struct stat info;
	char *data;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &info), 0);
	*size = info.st_size;
	data = malloc(*size);
	assert_int_equal(fread(data, 1, *size, file), *size);
	fclose(file);
	return data;
}

static void write_contents(const void *data, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

TEST(events_are_sorted_and_stay_in_order)
{
	struct drm_vsm_trace_event event;
	struct trace trace;
	uint32_t i;

	trace_init(&trace, "");
	for (i = 0; i < 1000; i++) {
		event = event_at(i * 7919 % 100);
		event.value = i;
		assert_int_equal(trace_add_events(&trace, &event, 1), 0);
	}
	trace_sort(&trace);
	assert_int_equal(trace.count, 1000);
	for (i = 1; i < 1000; i++) {
		assert_true(trace.events[i - 1].time <= trace.events[i].time);
		if (trace.events[i - 1].time == trace.events[i].time)
			assert_true(trace.events[i - 1].value < trace.events[i].value);
	}
	trace_free(&trace);
}

TEST(sites_are_found)
{
	struct trace trace;

	make(&trace);
	assert_string_equal(trace_find_site(&trace, 3)->text, "three");
	assert_string_equal(trace_find_site(&trace, 7)->insn, "mbarrier.init.b64");
	assert_null(trace_find_site(&trace, 0));
	assert_null(trace_find_site(&trace, 5));
	assert_null(trace_find_site(&trace, 8));
	trace_free(&trace);
}

static void check_address(const struct trace *trace, uint32_t cluster, uint32_t addr,
			  const char *expected)
{
	char text[64] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	trace_print_address(out, trace, cluster, addr);
	fclose(out);
	assert_string_equal(text, expected);
}

TEST(addresses_have_names)
{
	struct trace trace;

	make(&trace);
	check_address(&trace, 2, 0x1000, "full[0]");
	check_address(&trace, 2, 0x1008, "full[1]");
	check_address(&trace, 2, 0x300100c, "full[1] + 0x4");
	check_address(&trace, 2, 0x1010, "0x1010");
	check_address(&trace, 2, 0xfff, "0xfff");
	check_address(&trace, 3, 0x1008, "0x1008");
	trace_free(&trace);
}

/* The file that was written has the contents of the trace that make() has made. */
static void check_file(void)
{
	struct trace trace, again;

	make(&trace);
	assert_true(trace_read(&again, path));
	check_same(&trace, &again);
	trace_free(&again);
	trace_free(&trace);
}

TEST(files_are_read_again)
{
	struct trace trace;

	make(&trace);
	assert_true(trace_write(&trace, path));
	trace_free(&trace);
	check_file();
}

TEST(text_is_read_again)
{
	struct trace trace;
	FILE *out;

	make(&trace);
	out = fopen(path, "w");
	assert_true(trace_write_text(out, &trace));
	fclose(out);
	trace_free(&trace);
	check_file();
}

/* Messages go to standard error, which the output of the tests does not need. */
static bool reads(void)
{
	int saved = dup(STDERR_FILENO);
	struct trace trace;
	FILE *null;
	bool read;

	fflush(stderr);
	null = fopen("/dev/null", "w");
	dup2(fileno(null), STDERR_FILENO);
	read = trace_read(&trace, path);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	fclose(null);
	if (read)
		trace_free(&trace);
	return read;
}

TEST(larger_events_of_later_versions_are_read)
{
	struct drm_vsm_trace_event events[2] = { event_at(10), event_at(20) };
	const uint32_t chunk[4] = { 6, sizeof(events[0]) + 8, 2 * sizeof(events[0]) + 16, 0 };
	struct trace trace;
	size_t i;
	FILE *file;

	file = fopen(path, "w");
	fwrite("VSMTRACE\1\0\0\0\0\0\0\0", 16, 1, file);
	/* A chunk of a kind that nobody knows, and one with larger events. */
	fwrite("\377\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0abc", 19, 1, file);
	fwrite(chunk, sizeof(chunk), 1, file);
	for (i = 0; i < 2; i++) {
		fwrite(&events[i], sizeof(events[0]), 1, file);
		fwrite("newer...", 8, 1, file);
	}
	fclose(file);
	assert_true(trace_read(&trace, path));
	assert_int_equal(trace.count, 2);
	assert_memory_equal(trace.events, events, sizeof(events));
	trace_free(&trace);
}

TEST(files_that_are_cut_off_are_refused)
{
	struct trace trace;
	size_t size, i, read = 0;
	char *data;

	make(&trace);
	assert_true(trace_write(&trace, path));
	data = contents(&size);
	for (i = 0; i < size; i++) {
		write_contents(data, i);
		read += reads();
	}
	/* A file may end after its header, and after each of the 7 chunks before the last. */
	assert_int_equal(read, 8);
	free(data);
	trace_free(&trace);
}

TEST(damaged_files_do_no_harm)
{
	struct trace trace;
	size_t size, i, refused = 0;
	char *data;

	make(&trace);
	assert_true(trace_write(&trace, path));
	data = contents(&size);
	for (i = 0; i < size; i++) {
		char saved = data[i];
		int bit;

		for (bit = 0; bit < 8; bit += 7) {
			data[i] = saved ^ 1 << bit;
			write_contents(data, size);
			refused += !reads();
		}
		data[i] = saved;
	}
	assert_true(refused > 50);
	free(data);
	trace_free(&trace);
}

/* A word of zeros is a word, too: it may be what a drop has left. */
TEST(events_say_what_becomes_of_a_word)
{
	const uint64_t poison = VSM_SM_90_POISON, odd = VSM_MBARRIER_PHASE;
	const uint64_t one = vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1);
	const struct {
		enum drm_vsm_trace type;
		uint64_t word, next;
		const char *text;
	} rows[] = {
		{ DRM_VSM_TRACE_INSN, one | odd, 0, "parity 1 -> 0, pending 1 -> 0" },
		{ DRM_VSM_TRACE_COPY_DELIVER, 0, poison, "parity 0, pending 0, poison" },
		{ DRM_VSM_TRACE_FAULT, poison, 0, "parity 0, pending 0, poison" },
		{ DRM_VSM_TRACE_SUSPEND, one, 0, "parity 0, pending 1" },
	};
	struct trace trace = { 0 };
	size_t i, size;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct drm_vsm_trace_event event = {
			.type = rows[i].type, .op = DRM_VSM_OP_MBARRIER_ARRIVE_DROP,
			.word = rows[i].word, .next = rows[i].next,
		};
		char *text;
		FILE *out = open_memstream(&text, &size);

		event_print(out, &trace, &event);
		fclose(out);
		assert_string_equal(strrchr(text, ':') + 2, rows[i].text);
		free(text);
	}
}

int main(void)
{
	int status;

	strcpy(path, "/tmp/test_trace.XXXXXX");
	close(mkstemp(path));
	status = testing_run(NULL, NULL);
	unlink(path);
	return status;
}
