// SPDX-License-Identifier: MIT
/* Reads a file of scenarios: parses all of it before anything runs. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "insn/insn.h"
#include "insn/nvvm.h"
#include "insn/sass.h"
#include "scenario/parser.h"
#include "scenario/read.h"

/* --- instructions, jobs and joins ----------------------------------------- */

/* NANOSLEEP.SYNCS repeats a try_wait: each thread must have had one in an earlier line. */
static bool parse_machine(struct parser *p, struct cursor *c, struct instruction *insn,
			  const struct ptx_names *names)
{
	bool tried = true;
	unsigned int i;

	for (i = 0; i < p->current_count; i++)
		tried &= p->threads[p->current[i]].tried;
	return sass_parse(c, insn, names, tried);
}

static bool parse_instruction(struct parser *p, struct cursor *c, struct instruction *insn)
{
	const struct ptx_names names = {
		.parser = p,
		.read = read_register,
		.write = write_register,
		.holds = register_holds,
		.buffers = &p->scenario->buffers,
		.maps = &p->scenario->maps,
		.symbols = &p->scenario->symbols,
		.symbol_offsets = p->scenario->symbol_offsets,
	};
	const char *start;
	bool good;

	skip_spaces(c);
	start = c->at;
	insn->guard = -1;
	if (sass_begins(c))
		return parse_machine(p, c, insn, &names);
	if (nvvm_begins(c))
		return nvvm_parse(c, insn, &names);
	if (take(c, '@'))
		return error_at(c, start, "a scenario is straight-line: there are no guards");
	good = ptx_parse_opcode(c, &insn->opcode, &p->order) &&
	       ptx_parse_operands(c, insn, &names);
	if (p->order.where) {
		p->order_line = c->line;
		p->order_column = column_of(c, p->order.where);
	}
	return good;
}

static void add_run(struct parser *p, unsigned int line, struct instruction *insn, bool starts,
		    bool warp)
{
	struct statement *statement = add_action(p, STATEMENT_RUN, line);

	set_threads(p, statement);
	statement->starts = starts;
	statement->warp = warp;
	statement->insn = insn;
}

/* CTA.THREAD> INSTRUCTION: appends the instruction to the next job of the thread. */
static bool add_queued(struct parser *p, struct cursor *c, const char *where,
		       struct instruction *insn)
{
	struct parser_thread *state = &p->threads[p->current[0]];

	if (insn->opcode.op->action != PTX_EXEC && insn->opcode.op->action != PTX_ISSUE)
		return error_at(c, where, "%s is not for the device, so it cannot be in a job",
				insn->opcode.op->name);
	if (insn->guard >= 0)
		return error_at(c, where, "an instruction of a job has no guard");
	if (insn->count && insn->operands[0].role <= PTX_VALUE_OUT &&
	    insn->operands[0].kind == OPERAND_REGISTER)
		return error_at(c, where, "an instruction of a job writes no register");
	p->before = -1;
	state->job = grow(state->job, state->job_count, sizeof(*state->job));
	state->job[state->job_count++] = (struct queued){ .line = c->line, .insn = insn };
	return true;
}

/*
 * Parses an instruction and the threads that execute it:
 *
 *	CTA.THREAD: INSTRUCTION		one thread
 *	CTA.FIRST-LAST: INSTRUCTION	several threads
 *	CTA.THREAD*: INSTRUCTION	the converged warp of the thread
 *	CTA.THREAD& INSTRUCTION		the scenario does not wait for the end of the instruction
 *	CTA.THREAD> INSTRUCTION		the instruction becomes part of the thread's next job
 */
static bool parse_run(struct parser *p, struct cursor *c)
{
	bool starts, queued, good, warp, one;
	const char *where, *start, *star;
	struct instruction *insn;
	char text[QUOTE_SIZE];
	unsigned int i;

	skip_spaces(c);
	where = c->at;
	if (!parse_range(p, c))
		return false;
	skip_spaces(c);
	star = c->at;
	warp = take(c, '*');
	if (warp && p->current_count > 1)
		return error_at(c, star, "a converged warp is named by one of its threads");
	one = !warp && p->current_count == 1;
	starts = take(c, '&');
	queued = one && !starts && take(c, '>');
	if (!starts && !queued && !take(c, ':'))
		return error_at(c, c->at, "expected %s, found %s",
				one ? "':', '&' or '>'" : "':' or '&'", found(c, text));
	good = need_idle(p, c, where);

	skip_spaces(c);
	start = c->at;
	insn = must(calloc(1, sizeof(*insn)));
	good &= parse_instruction(p, c, insn);
	if (good && queued)
		good = add_queued(p, c, start, insn);
	else if (good)
		add_run(p, c->line, insn, starts, warp);
	for (i = 0; i < p->current_count; i++) {
		struct parser_thread *state = &p->threads[p->current[i]];

		if (starts)
			state->busy = c->line;
		state->tried |= good && !queued && insn->tries;
		state->unsure |= !good;
	}
	if (!good)
		free(insn);
	return good;
}

static bool parse_channel(struct cursor *c, unsigned int key __attribute__((unused)), void *to)
{
	return need_number(c, "a channel", SCENARIO_CHANNELS - 1, to);
}

/* Parses "submit CTA.THREAD [channel=N]" behind the first word. */
static bool parse_submit(struct parser *p, struct cursor *c)
{
	static const char *const names[] = { "channel" };
	const char *given[ARRAY_SIZE(names)] = { };
	uint64_t channel = 0;
	const struct keys keys = {
		.names = names,
		.count = ARRAY_SIZE(names),
		.value = parse_channel,
		.to = &channel,
		.where = given,
	};
	const struct scenario_thread *t;
	struct parser_thread *state;
	struct statement *statement;
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!parse_thread(p, c) || !need_idle(p, c, where) || !need_keys(c, &keys))
		return false;
	t = &p->scenario->threads[p->current[0]];
	state = &p->threads[p->current[0]];
	state->submitted = true;
	if (!state->job_count)
		return state->unsure ||
		       error_at(c, where, "%u.%u has no job: nothing was put into it with '%u.%u>'",
				t->cta, t->thread, t->cta, t->thread);
	statement = add_action(p, STATEMENT_SUBMIT, c->line);
	set_threads(p, statement);
	statement->channel = channel;
	statement->job = state->job;
	statement->job_count = state->job_count;
	state->job = NULL;
	state->job_count = 0;
	return true;
}

/* Parses "join CTA.THREAD" or "join CTA.FIRST-LAST" behind the first word. */
static bool parse_join(struct parser *p, struct cursor *c)
{
	const char *where;
	unsigned int i;

	skip_spaces(c);
	where = c->at;
	if (!parse_range(p, c) || !need_end(c) || !need_busy(p, c, where))
		return false;
	for (i = 0; i < p->current_count; i++)
		p->threads[p->current[i]].busy = 0;
	set_threads(p, add_action(p, STATEMENT_JOIN, c->line));
	return true;
}

/* Parses the end of "hold" or "release". */
static bool parse_hold(struct parser *p, struct cursor *c)
{
	return need_end(c) && add_action(p, STATEMENT_HOLD, c->line);
}

static bool parse_release(struct parser *p, struct cursor *c)
{
	return need_end(c) && add_action(p, STATEMENT_RELEASE, c->line);
}

/* --- expectations --------------------------------------------------------- */

static bool add_expectation(struct parser *p, const struct statement *expect,
			    enum statement_kind kind, unsigned int line)
{
	struct statement *statement = scenario_add(p->scenario, kind, line);

	*statement = *expect;
	statement->kind = kind;
	statement->line = line;
	return true;
}

static bool parse_expect_word(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const char *where;

	if (!parse_place(p, c, &expect.at, &where))
		return false;
	if (expect.at.offset % 8)
		return error_at(c, where, "the offset of a word must be a multiple of 8");
	return check_place(p, c, where, &expect.at, 8) && need_equal(c) &&
	       need_number(c, "a word", UINT64_MAX, &expect.value) && need_end(c) &&
	       add_expectation(p, &expect, EXPECT_WORD, c->line);
}

static bool parse_expect_data(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const char *at, *other, *length;

	if (!parse_place(p, c, &expect.at, &at) || !parse_place(p, c, &expect.other, &other))
		return false;
	skip_spaces(c);
	length = c->at;
	if (!need_number(c, "a length", UINT64_MAX, &expect.length) || !need_end(c))
		return false;
	if (!expect.length)
		return error_at(c, length, "the length must be at least 1");
	return check_place(p, c, at, &expect.at, expect.length) &&
	       check_place(p, c, other, &expect.other, expect.length) &&
	       add_expectation(p, &expect, EXPECT_DATA, c->line);
}

static bool parse_expect_bytes(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const char *where;
	uint64_t byte;

	if (!parse_place(p, c, &expect.at, &where))
		return false;
	do {
		if (!need_number(c, "a byte", UINT8_MAX, &byte)) {
			free(expect.bytes);
			return false;
		}
		expect.bytes = grow(expect.bytes, expect.length, 1);
		expect.bytes[expect.length++] = byte;
	} while (!at_end(c));
	if (check_place(p, c, where, &expect.at, expect.length))
		return add_expectation(p, &expect, EXPECT_BYTES, c->line);
	free(expect.bytes);
	return false;
}

static bool parse_expect_suspended(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!parse_range(p, c) || !need_end(c) || !need_busy(p, c, where))
		return false;
	set_threads(p, &expect);
	return add_expectation(p, &expect, EXPECT_SUSPENDED, c->line);
}

/*
 * Adds an expectation about the outcome of the statement before it. If that statement has an &, the
 * scenario waits for its end here.
 */
static bool parse_outcome(struct parser *p, struct cursor *c, const struct statement *expect,
			  enum statement_kind kind)
{
	const struct statement *before;
	unsigned int i;

	/* After an earlier error the instruction may be missing only because of that error. */
	if (p->before < 0 && !p->errors.count)
		return error_at(c, c->start, "there is no instruction before that");
	before = p->before >= 0 ? &p->scenario->statements[p->before] : NULL;
	if (before && before->kind == STATEMENT_RUN && before->starts)
		for (i = 0; i < before->thread_count; i++)
			p->threads[before->threads[i]].busy = 0;
	return add_expectation(p, expect, kind, c->line);
}

static bool parse_expect_report(struct parser *p, struct cursor *c)
{
	struct statement expect = { };

	return need_fault(c, "the name of a fault", &expect.value) && need_end(c) &&
	       parse_outcome(p, c, &expect, EXPECT_REPORT);
}

static bool parse_expect_fault(struct parser *p, struct cursor *c)
{
	struct statement expect = { };

	if (!need_fault(c, "the name of a fault", &expect.value))
		return false;
	/* The scenario expects that the device refuses the wrong .sem or .scope. */
	if (expect.value == DRM_VSM_FAULT_BAD_ORDER)
		p->order.where = NULL;
	return need_end(c) && parse_outcome(p, c, &expect, EXPECT_FAULT);
}

static bool parse_expect_errno(struct parser *p, struct cursor *c)
{
	struct statement expect = { };

	return need_errno(c, &expect.value) && need_end(c) &&
	       parse_outcome(p, c, &expect, EXPECT_ERRNO);
}

/* Parses the expected status of the last job of a thread: 0, or - and the name of an error. */
static bool parse_expect_job(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const struct scenario_thread *t;
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!parse_thread(p, c))
		return false;
	t = &p->scenario->threads[p->current[0]];
	if (!p->threads[p->current[0]].submitted)
		return error_at(c, where, "%u.%u has submitted no job", t->cta, t->thread);
	if (!need_equal(c))
		return false;
	if (take(c, '-') ? !need_errno(c, &expect.value) :
			   !need_number(c, "a status", 0, &expect.value))
		return false;
	if (!need_end(c))
		return false;
	set_threads(p, &expect);
	return add_expectation(p, &expect, EXPECT_JOB, c->line);
}

/* Reads a number for all threads or a number for each thread. */
static bool parse_values(struct parser *p, struct cursor *c, uint64_t max,
			 struct statement *expect)
{
	static const char what[] = "the register's value";
	unsigned int i;

	if (!need_number(c, what, max, &expect->value))
		return false;
	if (at_end(c) || p->current_count == 1)
		return need_end(c);
	expect->values = must(calloc(p->current_count, sizeof(*expect->values)));
	expect->values[0] = expect->value;
	for (i = 1; i < p->current_count && !at_end(c); i++)
		if (!need_number(c, what, max, &expect->values[i]))
			return false;
	if (i < p->current_count)
		return error_at(c, c->at, "expected a number for all %u threads or one for each",
				p->current_count);
	return need_end(c);
}

static uint64_t largest_value(enum holds holds)
{
	switch (holds) {
	case HOLDS_PREDICATE:
		return 1;
	case HOLDS_32:
	case HOLDS_STATE_LOW:
	case HOLDS_STATE_HIGH:
		return UINT32_MAX;
	default:
		return UINT64_MAX;
	}
}

/* Parses the name of a register, such as %r1, %bar or R2. Returns its index; -1 after an error. */
static int parse_register_name(struct parser *p, struct cursor *c)
{
	struct sass_register machine;
	const char *where;
	struct span name;

	if (sass_at_register(c)) {
		if (!sass_need_register(c, &machine))
			return -1;
		return read_register(p, c, machine.where, sass_name(&machine));
	}
	if (!need(c, '%'))
		return -1;
	where = c->at;
	name = take_word(c);
	if (name.text != where || !name.length) {
		error_at(c, where, "expected a register's name after %%");
		return -1;
	}
	name.text--;
	name.length++;
	return read_register(p, c, name.text, name);
}

static bool parse_expect_register(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const char *where;
	int reg;

	skip_spaces(c);
	where = c->at;
	if (!parse_range(p, c) || !need_idle(p, c, where))
		return false;
	reg = parse_register_name(p, c);
	if (reg < 0 || !need_equal(c))
		return false;
	if (!parse_values(p, c, largest_value(register_holds(p, reg)), &expect)) {
		free(expect.values);
		return false;
	}
	expect.reg = reg;
	set_threads(p, &expect);
	return add_expectation(p, &expect, EXPECT_REGISTER, c->line);
}

static const struct word expectations[] = {
	{ "word", parse_expect_word },
	{ "data", parse_expect_data },
	{ "bytes", parse_expect_bytes },
	{ "fault", parse_expect_fault },
	{ "report", parse_expect_report },
	{ "errno", parse_expect_errno },
	{ "suspended", parse_expect_suspended },
	{ "job", parse_expect_job },
};

/* Parses an expect statement behind its first word. */
static bool parse_expect(struct parser *p, struct cursor *c)
{
	struct nearest nearest = { };
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	const struct word *known;
	const char *where;
	struct span word;
	bool good;

	if (at_number(c)) {
		report_order(p);
		return parse_expect_register(p, c);
	}
	where = c->at;
	word = take_word(c);
	if (!span_is(word, "fault"))
		report_order(p);
	known = find_word(expectations, ARRAY_SIZE(expectations), word, &nearest);
	if (known) {
		good = known->parse(p, c);
		report_order(p);
		return good;
	}
	c->at = where;
	return error_at(c, where,
			"'expect' must be followed by a thread, word, data, bytes, fault, report, errno, suspended or job, not %s%s",
			found(c, text), meant(&nearest, "", hint));
}

/* Larger files are refused, because files like /dev/zero have no end. */
#define MAX_FILE (16 << 20)

static const struct word statements[] = {
	{ "cluster", parse_cluster },
	{ "buffer", parse_new_buffer },
	{ "symbol", parse_new_symbol },
	{ "fill", parse_fill },
	{ "tensormap", parse_tensormap },
	{ "model", parse_model },
	{ "hold", parse_hold },
	{ "release", parse_release },
	{ "submit", parse_submit },
	{ "join", parse_join },
	{ "expect", parse_expect },
};

static bool parse_statement(struct parser *p, struct cursor *c)
{
	struct nearest nearest = { };
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	const struct word *known;
	struct span word;
	const char *where;

	skip_spaces(c);
	where = c->at;
	word = take_word(c);
	if (!span_is(word, "expect"))
		report_order(p);
	if (!p->cluster && !span_is(word, "cluster")) {
		error_at(c, where, "the first statement must be 'cluster'");
		p->cluster = c->line;
	}
	known = find_word(statements, ARRAY_SIZE(statements), word, &nearest);
	if (known)
		return known->parse(p, c);
	c->at = where;
	if (at_number(c))
		return parse_run(p, c);
	if (word.length && word.text + word.length < c->end && word.text[word.length] == '.')
		return error_at(c, where, "an instruction follows its thread, as in '0.0: %.*s'",
				(int)(word.length < 16 ? word.length : 16), word.text);
	return error_at(c, where, "expected a statement, found %s%s", found(c, text),
			meant(&nearest, "", hint));
}

/* Lines of a file */
struct lines {
	const char *at;		/* first character */
	const char *end;	/* end of the last line */
	unsigned int number;	/* number of the first line */
};

/* Comments begin with # or //. */
static const char *find_comment(const char *at, const char *end)
{
	while (at < end && *at != '#' && (*at != '/' || at + 1 == end || at[1] != '/'))
		at++;
	return at;
}

/* Removes the first of the lines and sets @c to it. Returns false if there is no line. */
static bool next_line(struct lines *lines, struct cursor *c)
{
	const char *start = lines->at, *end;

	if (start >= lines->end)
		return false;
	end = memchr(start, '\n', lines->end - start) ?: lines->end;
	*c = (struct cursor){
		.line = lines->number++,
		.start = start,
		.at = start,
		.end = find_comment(start, end),
	};
	trim(c);
	lines->at = end + 1;
	return true;
}

/* Parses the lines. Returns the number of the line that follows them. */
static unsigned int parse_lines(struct parser *p, struct lines lines)
{
	struct cursor c;

	while (p->errors.count < MAX_ERRORS && next_line(&lines, &c)) {
		c.errors = &p->errors;
		if (!at_end(&c))
			parse_statement(p, &c);
	}
	return lines.number;
}

/* --- tests ---------------------------------------------------------------- */

/**
 * struct section - A test of a file
 * @head: The line "test NAME", behind the word "test"; @head.at is NULL if the file names no tests
 * @lines: The lines after @head
 */
struct section {
	struct cursor head;
	struct lines lines;
};

/* The tests of a file */
struct sections {
	struct lines common;	/* Lines before the first test. They are part of every test. */
	struct section *tests;
	size_t count;		/* number of tests */
};

static void split(struct sections *sections, const char *text, size_t size)
{
	struct lines all = { .at = text, .end = text + size, .number = 1 };
	struct lines *part = &sections->common;
	struct cursor c;

	*part = all;
	while (next_line(&all, &c)) {
		if (!span_is(take_word(&c), "test"))
			continue;
		part->end = c.start;
		sections->tests = grow(sections->tests, sections->count, sizeof(*sections->tests));
		sections->tests[sections->count] = (struct section){ .head = c, .lines = all };
		part = &sections->tests[sections->count++].lines;
	}
	if (sections->count)
		return;
	/* The file names no tests: the whole file is one test. */
	sections->tests = grow(NULL, 0, sizeof(*sections->tests));
	sections->tests[sections->count++] = (struct section){ .lines = sections->common };
	sections->common.at = sections->common.end;
}

static struct span name_of(const struct section *section)
{
	struct cursor c = section->head;

	skip_spaces(&c);
	return (struct span){ .text = c.at, .length = c.end - c.at };
}

static bool parse_name(struct parser *p, const struct section *section, struct names *names)
{
	struct cursor c = section->head;
	struct span name = name_of(section);
	char text[QUOTE_SIZE];
	size_t i;

	c.errors = &p->errors;
	p->scenario->name = must(strndup(name.text, name.length));
	p->scenario->line = c.line;
	for (i = 0; i < name.length; i++)
		if (!isalnum((unsigned char)name.text[i]) && !memchr("-_", name.text[i], 2))
			break;
	if (i < name.length || !name.length)
		return error_at(&c, name.text,
				"expected a name of letters, digits, - and _, found %s",
				name.length ? quote(text, name) : "none");
	if (!names_need_new(names, &c, "test", name))
		return false;
	names_add(names, name);
	return true;
}

static void parse_section(struct parser *p, const struct sections *sections,
			  const struct section *section)
{
	unsigned int end;
	size_t i;

	parse_lines(p, sections->common);
	/* Errors in the common lines would cause errors in the lines of the test. */
	if (p->errors.count)
		return;
	end = parse_lines(p, section->lines);
	report_order(p);
	for (i = 0; i < p->scenario->thread_count && !p->errors.count; i++)
		if (p->threads[i].job_count)
			error_add(&p->errors, p->threads[i].job[0].line, 1,
				  "the job that begins here is not submitted");
	if (!p->cluster && !p->errors.count)
		error_add(&p->errors, end, 1, "the %s has no statements",
			  section->head.at ? "test" : "file");
}

/* --- files ---------------------------------------------------------------- */

/*
 * Reads the file that @what names, FILE or FILE:NAME. Sets @file->path to FILE and @name to NAME,
 * or to NULL. Returns the contents of the file; if it cannot be read, sets errno and returns NULL.
 */
static char *read_what(struct scenario_file *file, const char *what, size_t *size,
		       const char **name)
{
	char *text, *colon;

	*name = NULL;
	file->path = must(strdup(what));
	text = file_read_or_input(file->path, MAX_FILE, size);
	colon = strrchr(file->path, ':');
	if (text || errno != ENOENT || !colon)
		return text;
	*colon = '\0';
	text = file_read(file->path, MAX_FILE, size);
	if (text)
		*name = what + (colon - file->path) + 1;
	else
		*colon = ':';
	return text;
}

/* Appends a test to a file, and prepares a parser for it. */
static void begin_test(struct parser *p, struct scenario_file *file, size_t *length)
{
	*p = (struct parser){ .before = -1, .errors.path = file->path };
	p->scenario = scenario_create(file->path);
	p->errors.out = must(open_memstream(&p->scenario->errors, length));
	file->tests = grow(file->tests, file->count, sizeof(*file->tests));
	file->tests[file->count++] = p->scenario;
}

static void end_test(struct parser *p)
{
	size_t i;

	for (i = 0; i < p->scenario->thread_count; i++) {
		free(p->threads[i].holds);
		job_free(p->threads[i].job, p->threads[i].job_count);
	}
	free(p->threads);
	if (fclose(p->errors.out))
		must(NULL);
	p->scenario->error_count = p->errors.count;
}

/* Appends a test that has an error and no statements. */
static void add_error(struct scenario_file *file, const char *format, const char *detail)
{
	struct parser p;
	size_t length;

	begin_test(&p, file, &length);
	error_add(&p.errors, 0, 0, format, detail);
	end_test(&p);
}

static void parse_file(struct scenario_file *file, const char *text, size_t size, const char *only)
{
	struct sections sections = { };
	struct names names = { };
	struct parser p;
	size_t length, i;

	split(&sections, text, size);
	file->named = sections.tests[0].head.at;
	for (i = 0; i < sections.count; i++) {
		const struct section *section = &sections.tests[i];

		if (only && !(file->named && span_is(name_of(section), only)))
			continue;
		begin_test(&p, file, &length);
		if (!file->named || parse_name(&p, section, &names))
			parse_section(&p, &sections, section);
		end_test(&p);
	}
	if (!file->count) {
		file->named = false;
		file->unread = true;
		add_error(file, "there is no test '%s'", only);
	}
	names_free(&names);
	free(sections.tests);
}

struct scenario_file *scenario_read(const char *what)
{
	struct scenario_file *file = must(calloc(1, sizeof(*file)));
	const char *name;
	size_t size;
	char *text;

	text = read_what(file, what, &size, &name);
	if (text) {
		if (!strcmp(file->path, "-")) {
			free(file->path);
			file->path = must(strdup("standard input"));
		}
		parse_file(file, text, size, name);
	} else {
		file->unread = true;
		add_error(file, "%s", strerror(errno));
	}
	free(text);
	return file;
}

void scenario_file_free(struct scenario_file *file)
{
	size_t i;

	for (i = 0; i < file->count; i++)
		scenario_free(file->tests[i]);
	free(file->tests);
	free(file->first_seeds);
	free(file->path);
	free(file);
}
