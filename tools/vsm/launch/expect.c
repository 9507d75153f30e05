// SPDX-License-Identifier: MIT
/*
 * Expectations about how a launch ends.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "colour.h"
#include "launch/expect.h"

enum {
	EXPECT_DONE, EXPECT_FAULT, EXPECT_HANG, EXPECT_REFUSED, EXPECT_REPORT,
};

static const char *const words[] = {
	[EXPECT_DONE] = "done",
	[EXPECT_FAULT] = "fault",
	[EXPECT_HANG] = "hang",
	[EXPECT_REFUSED] = "refused",
	[EXPECT_REPORT] = "report",
};

static bool at_word(const struct cursor *c, const char *word)
{
	struct cursor copy = *c;

	return span_is(take_word(&copy), word);
}

/* Reads FILE:LINE behind the word at. */
static bool parse_source(struct cursor *c, struct plan_expect *expect)
{
	struct cursor number = *c;
	const char *colon;
	char *place;

	take_word(c);
	skip_spaces(c);
	number.at = c->at;
	if (!need_file(c, 0, &place))
		return false;
	colon = memrchr(number.at, ':', c->at - number.at);
	free(place);
	if (!colon || colon == number.at)
		return error_at(c, number.at, "expected FILE:LINE");
	expect->file = must(strndup(number.at, colon - number.at));
	number.at = colon + 1;
	number.end = c->at;
	return need_number(&number, "a line", UINT32_MAX, &expect->source_line) &&
	       need_end(&number);
}

static bool parse_text(struct cursor *c, struct plan_expect *expect)
{
	if (at_end(c))
		return error_at(c, c->at, "expected a text that the report contains");
	expect->texts = grow(expect->texts, expect->text_count, sizeof(*expect->texts));
	expect->texts[expect->text_count++] = must(strndup(c->at, c->end - c->at));
	c->at = c->end;
	return true;
}

bool parse_launch_expect(struct cursor *c, struct plan_expect *expect)
{
	const char *where;
	unsigned int word;

	skip_spaces(c);
	where = c->at;
	if (!need_choice(c, words, ARRAY_SIZE(words), &word))
		return false;
	if (!expect->line)
		expect->line = c->line;
	if (word == EXPECT_REPORT)
		return parse_text(c, expect);
	if (expect->given)
		return error_at(c, where, "the end of this launch has an expectation already");
	expect->given = true;
	expect->line = c->line;
	expect->refused = word == EXPECT_REFUSED;
	if (word == EXPECT_FAULT)
		expect->outcome = VSM_PTX_FAULT;
	else if (word == EXPECT_HANG)
		expect->outcome = VSM_PTX_HANG;
	if (word == EXPECT_FAULT && !at_end(c) && !at_word(c, "at") &&
	    !need_fault(c, "a fault", &expect->fault))
		return false;
	if ((word == EXPECT_FAULT || word == EXPECT_HANG) && at_word(c, "at"))
		return parse_source(c, expect);
	return true;
}

/* --- comparison ----------------------------------------------------------- */

/* Is @path the file that @name names, whatever folder it is in? */
static bool same_file(const char *path, const char *name)
{
	size_t length, wanted = strlen(name);

	if (!path)
		return false;
	length = strlen(path);
	return length >= wanted && !strcmp(path + length - wanted, name) &&
	       (length == wanted || path[length - wanted - 1] == '/');
}

static bool same_place(const struct plan_expect *expect, const struct vsm_ptx_result *result,
		       const char *module)
{
	if (!expect->file)
		return true;
	if (same_file(module, expect->file))
		return result->line == expect->source_line;
	return same_file(result->source_file, expect->file) &&
	       result->source_line == expect->source_line;
}

static void print_expected(FILE *out, const struct plan_expect *expect)
{
	if (expect->refused)
		fprintf(out, "a refusal");
	else if (expect->outcome == VSM_PTX_DONE)
		fprintf(out, "the end of all threads");
	else if (expect->outcome == VSM_PTX_HANG)
		fprintf(out, "a hang");
	else if (expect->fault)
		fprintf(out, "fault %s", vsm_fault_name(expect->fault));
	else
		fprintf(out, "a fault");
	if (expect->file)
		fprintf(out, " at %s:%" PRIu64, expect->file, expect->source_line);
}

static void print_ending(FILE *out, const struct ending *ending, const char *module)
{
	static const char *const outcomes[] = {
		[VSM_PTX_RUNNING] = "a launch that still runs",
		[VSM_PTX_DONE] = "the end of all threads",
		[VSM_PTX_FAULT] = "a fault",
		[VSM_PTX_HANG] = "a hang",
		[VSM_PTX_CANCELLED] = "a cancelled launch",
		[VSM_PTX_ERROR] = "an error",
	};
	const struct vsm_ptx_result *result = &ending->result;

	if (ending->refused) {
		fprintf(out, "a refusal");
		return;
	}
	if (result->outcome == VSM_PTX_FAULT && result->fault)
		fprintf(out, "fault %s", vsm_fault_name(result->fault));
	else if (result->outcome < ARRAY_SIZE(outcomes))
		fprintf(out, "%s", outcomes[result->outcome]);
	else
		fprintf(out, "outcome %d", result->outcome);
	if (result->outcome == VSM_PTX_ERROR)
		fprintf(out, " (%s)", strerror(-result->error));
	if (result->source_file && result->source_line)
		fprintf(out, " at %s:%u", result->source_file, result->source_line);
	if (result->line)
		fprintf(out, " (%s:%u)", module, result->line);
}

static bool as_expected(const struct plan_expect *expect, const struct ending *ending,
			const char *module)
{
	const struct vsm_ptx_result *result = &ending->result;

	if (expect->refused || ending->refused)
		return expect->refused && ending->refused;
	return result->outcome == expect->outcome &&
	       (!expect->fault || result->fault == expect->fault) &&
	       same_place(expect, result, module);
}

/* Describes how the launch was expected to end, or how it ended if @ending is not NULL. */
static char *describe(const struct plan_expect *expect, const struct ending *ending,
		      const char *module)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	out = must(open_memstream(&text, &size));
	if (ending)
		print_ending(out, ending, module);
	else
		print_expected(out, expect);
	if (fclose(out))
		must(NULL);
	return text;
}

static void report_ending(FILE *out, const char *where, const struct plan_expect *expect,
			  const struct ending *ending, const char *module, struct result *result)
{
	char *expected = describe(expect, NULL, module), *found = describe(expect, ending, module);
	char *message;

	if (asprintf(&message, "%s: expected %s, found %s", where, expected, found) < 0)
		must(NULL);
	if (out) {
		colour_write(out, message, strlen(message));
		fputc('\n', out);
	}
	free(message);
	if (asprintf(&message, "expected %s, seen %s", expected, found) < 0)
		must(NULL);
	result_fail(result, expect->line ?: result->line, message);
	free(message);
	free(expected);
	free(found);
}

static void report_text(FILE *out, const char *where, const struct plan_expect *expect,
			const char *text, struct result *result)
{
	char *message;

	if (asprintf(&message, "expected a report with \"%s\"", text) < 0)
		must(NULL);
	if (out)
		fprintf(out, "%s: %s\n", where, message);
	result_fail(result, expect->line ?: result->line, message);
	free(message);
}

bool check_expect(FILE *out, const char *where, const struct plan_expect *expect,
		  const struct ending *ending, const char *module, struct result *result)
{
	bool good = as_expected(expect, ending, module);
	size_t i;

	if (!good)
		report_ending(out, where, expect, ending, module, result);
	for (i = 0; i < expect->text_count; i++) {
		if (strstr(ending->report, expect->texts[i]))
			continue;
		report_text(out, where, expect, expect->texts[i], result);
		good = false;
	}
	return good;
}
