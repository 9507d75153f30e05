// SPDX-License-Identifier: MIT
/*
 * Parsing a scenario: the whole file, before anything runs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "scenario/parser.h"

/* Nobody writes that much; a device node may give it. */
#define MAX_FILE (16 << 20)

/* No CTA has more threads. */
#define MAX_RANGE 1024

void *must(void *memory)
{
	if (!memory)
		exit(failed("run: %s", strerror(ENOMEM)));
	return memory;
}

void *grow(void *array, size_t count, size_t size)
{
	/* Room doubles whenever the count reaches a power of two. */
	if (count & (count - 1))
		return array;
	return must(reallocarray(array, count ? 2 * count : 1, size));
}

struct statement *add_statement(struct parser *p, enum statement_kind kind, unsigned int line)
{
	struct scenario *s = p->scenario;
	struct statement *statement;

	s->statements = grow(s->statements, s->count, sizeof(*s->statements));
	statement = &s->statements[s->count++];
	*statement = (struct statement){ .kind = kind, .line = line };
	return statement;
}

static unsigned int thread_index(struct parser *p, uint16_t cta, uint16_t number)
{
	struct scenario *s = p->scenario;
	unsigned int i;

	for (i = 0; i < s->thread_count; i++)
		if (s->threads[i].cta == cta && s->threads[i].thread == number)
			return i;
	s->threads = grow(s->threads, s->thread_count, sizeof(*s->threads));
	p->threads = grow(p->threads, s->thread_count, sizeof(*p->threads));
	s->threads[s->thread_count] = (struct scenario_thread){ cta, number };
	p->threads[s->thread_count] = (struct parser_thread){ };
	return s->thread_count++;
}

static bool check_thread(const struct parser *p, const struct cursor *c, const char *where,
			 uint64_t number)
{
	return number < p->scenario->config.threads ||
	       error_at(c, where, "there is no thread %u: a CTA has %u", (unsigned int)number,
			p->scenario->config.threads);
}

bool parse_thread(struct parser *p, struct cursor *c)
{
	struct scenario *s = p->scenario;
	uint64_t cta, number;
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!need_number(c, "a CTA", UINT16_MAX, &cta) || !need(c, '.') ||
	    !need_number(c, "a thread", UINT16_MAX, &number))
		return false;
	if (cta >= s->config.ctas)
		return error_at(c, where, "there is no CTA %u: the cluster has %u",
				(unsigned int)cta, s->config.ctas);
	if (!check_thread(p, c, where, number))
		return false;
	p->current[0] = thread_index(p, cta, number);
	p->current_count = 1;
	return true;
}

bool parse_range(struct parser *p, struct cursor *c)
{
	struct scenario_thread first;
	const char *where;
	uint64_t last;

	if (!parse_thread(p, c))
		return false;
	if (!take(c, '-'))
		return true;
	first = p->scenario->threads[p->current[0]];
	skip_spaces(c);
	where = c->at;
	if (!need_number(c, "a thread", UINT16_MAX, &last) || !check_thread(p, c, where, last))
		return false;
	if (last <= first.thread)
		return error_at(c, where, "the last thread of a range is behind the first");
	if (last - first.thread >= MAX_RANGE)
		return error_at(c, where, "a range has at most %u threads", MAX_RANGE);
	while (first.thread++ < last)
		p->current[p->current_count++] = thread_index(p, first.cta, first.thread);
	return true;
}

void set_threads(const struct parser *p, struct statement *statement)
{
	size_t size = p->current_count * sizeof(*p->current);

	statement->threads = memcpy(must(malloc(size)), p->current, size);
	statement->thread_count = p->current_count;
}

bool need_idle(struct parser *p, struct cursor *c, const char *where)
{
	unsigned int i;

	for (i = 0; i < p->current_count; i++) {
		const struct scenario_thread *t = &p->scenario->threads[p->current[i]];
		unsigned int busy = p->threads[p->current[i]].busy;

		if (busy)
			return error_at(c, where, "%u.%u may still run line %u: join it first",
					t->cta, t->thread, busy);
	}
	return true;
}

bool need_busy(struct parser *p, struct cursor *c, const char *where)
{
	unsigned int i;

	for (i = 0; i < p->current_count; i++) {
		const struct scenario_thread *t = &p->scenario->threads[p->current[i]];

		if (!p->threads[p->current[i]].busy)
			return error_at(c, where,
					"%u.%u runs nothing: nothing was started with '%u.%u&'",
					t->cta, t->thread, t->cta, t->thread);
	}
	return true;
}

static unsigned int register_index(struct scenario *s, struct span name)
{
	size_t i;

	for (i = 0; i < s->register_count; i++)
		if (span_is(name, s->registers[i]))
			return i;
	s->registers = grow(s->registers, s->register_count, sizeof(*s->registers));
	s->registers[s->register_count] = must(strndup(name.text, name.length));
	return s->register_count++;
}

static bool need_written(struct parser *p, struct cursor *c, unsigned int thread,
			 unsigned int reg, struct span name)
{
	const struct scenario_thread *t = &p->scenario->threads[thread];
	const struct parser_thread *state = &p->threads[thread];
	struct nearest nearest = { .span = name };
	char hint[MEANT_SIZE];
	size_t i;

	if (state->unsure || (reg < state->room && state->written[reg]))
		return true;
	for (i = 0; i < state->room; i++)
		if (state->written[i])
			nearest_try(&nearest, p->scenario->registers[i]);
	return error_at(c, name.text - 1, "%u.%u has not written %%%.*s%s", t->cta, t->thread,
			(int)name.length, name.text, meant(&nearest, "%", hint));
}

int read_register(struct parser *p, struct cursor *c, struct span name)
{
	unsigned int reg = register_index(p->scenario, name);
	unsigned int i;

	for (i = 0; i < p->current_count; i++)
		if (!need_written(p, c, p->current[i], reg, name))
			return -1;
	return reg;
}

static int read_current(void *parser, struct cursor *c, struct span name)
{
	return read_register(parser, c, name);
}

static void set_written(struct parser *p, struct parser_thread *state, unsigned int reg)
{
	if (reg >= state->room) {
		size_t room = p->scenario->register_count + 16;

		state->written = must(reallocarray(state->written, room, sizeof(bool)));
		memset(state->written + state->room, 0, (room - state->room) * sizeof(bool));
		state->room = room;
	}
	state->written[reg] = true;
}

static int write_current(void *parser, struct cursor *c __attribute__((unused)),
			 struct span name)
{
	struct parser *p = parser;
	unsigned int reg = register_index(p->scenario, name);
	unsigned int i;

	for (i = 0; i < p->current_count; i++)
		set_written(p, &p->threads[p->current[i]], reg);
	return reg;
}

static bool parse_instruction(struct parser *p, struct cursor *c, struct instruction *insn)
{
	const struct ptx_names names = {
		.parser = p,
		.read = read_current,
		.write = write_current,
		.buffer = known_buffer,
		.map = known_map,
	};
	const char *start;
	bool good;

	skip_spaces(c);
	start = c->at;
	if (take(c, '@'))
		return error_at(c, start, "a scenario is straight-line: there are no guards");
	good = ptx_parse_opcode(c, insn, &p->order) && ptx_parse_operands(c, insn, &names);
	if (p->order.where) {
		p->order_line = c->line;
		p->order_column = column_of(c, p->order.where);
	}
	return good;
}

static void add_run(struct parser *p, unsigned int line, struct instruction *insn, bool starts,
		    bool warp)
{
	struct statement *statement;

	p->before = p->scenario->count;
	statement = add_statement(p, STATEMENT_RUN, line);
	set_threads(p, statement);
	statement->starts = starts;
	statement->warp = warp;
	statement->insn = insn;
}

static bool add_queued(struct parser *p, struct cursor *c, const char *where,
		       struct instruction *insn)
{
	struct parser_thread *state = &p->threads[p->current[0]];

	if (insn->op->action != PTX_EXEC && insn->op->action != PTX_ISSUE)
		return error_at(c, where, "%s is not for the device, so it cannot be in a job",
				insn->op->name);
	if (insn->count && insn->operands[0].role <= PTX_VALUE_OUT &&
	    insn->operands[0].kind == OPERAND_REGISTER)
		return error_at(c, where, "an instruction of a job writes no register");
	p->before = -1;
	state->job = grow(state->job, state->job_count, sizeof(*state->job));
	state->job[state->job_count++] = (struct queued){ .line = c->line, .insn = insn };
	return true;
}

/*
 * CTA.THREAD: INSTRUCTION, or & where it is only started, or > where it goes into a job;
 * CTA.FIRST-LAST of several threads, CTA.THREAD* of a warp.
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
		return error_at(c, star, "a converged warp is one of its threads");
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

/* submit CTA.THREAD [channel=N] */
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
	if (!parse_thread(p, c) || !need_idle(p, c, where) || !parse_keys(c, &keys))
		return false;
	t = &p->scenario->threads[p->current[0]];
	state = &p->threads[p->current[0]];
	state->submitted = true;
	if (!state->job_count)
		return state->unsure ||
		       error_at(c, where, "%u.%u has no job: nothing was put into it with '%u.%u>'",
				t->cta, t->thread, t->cta, t->thread);
	p->before = p->scenario->count;
	statement = add_statement(p, STATEMENT_SUBMIT, c->line);
	set_threads(p, statement);
	statement->channel = channel;
	statement->job = state->job;
	statement->job_count = state->job_count;
	state->job = NULL;
	state->job_count = 0;
	return true;
}

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
	p->before = p->scenario->count;
	set_threads(p, add_statement(p, STATEMENT_JOIN, c->line));
	return true;
}

static bool parse_hold(struct parser *p, struct cursor *c)
{
	if (!need_end(c))
		return false;
	p->before = p->scenario->count;
	add_statement(p, STATEMENT_HOLD, c->line);
	return true;
}

static bool parse_release(struct parser *p, struct cursor *c)
{
	if (!need_end(c))
		return false;
	p->before = p->scenario->count;
	add_statement(p, STATEMENT_RELEASE, c->line);
	return true;
}

static const struct {
	const char *word;
	bool (*parse)(struct parser *p, struct cursor *c);
} statements[] = {
	{ "cluster", parse_cluster },
	{ "buffer", parse_new_buffer },
	{ "fill", parse_fill },
	{ "tensormap", parse_tensormap },
	{ "model", parse_model },
	{ "hold", parse_hold },
	{ "release", parse_release },
	{ "submit", parse_submit },
	{ "join", parse_join },
	{ "expect", parse_expect },
};

void settle_order(struct parser *p)
{
	if (p->order.where)
		error_add(&p->errors, p->order_line, p->order_column, "%s", p->order.message);
	p->order.where = NULL;
}

static bool parse_statement(struct parser *p, struct cursor *c)
{
	struct nearest nearest = { };
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	struct span word;
	const char *where;
	unsigned int i;

	skip_spaces(c);
	where = c->at;
	word = take_word(c);
	if (!span_is(word, "expect"))
		settle_order(p);
	if (!p->cluster && !span_is(word, "cluster")) {
		error_at(c, where, "the first statement is 'cluster'");
		p->cluster = c->line;
	}
	for (i = 0; i < ARRAY_SIZE(statements); i++)
		if (span_is(word, statements[i].word))
			return statements[i].parse(p, c);
	c->at = where;
	if (at_number(c))
		return parse_run(p, c);

	nearest.span = word;
	for (i = 0; i < ARRAY_SIZE(statements); i++)
		nearest_try(&nearest, statements[i].word);
	if (word.length && word.text + word.length < c->end && word.text[word.length] == '.')
		return error_at(c, where, "an instruction is behind its thread, as in '0.0: %.*s'",
				(int)(word.length < 16 ? word.length : 16), word.text);
	if (where + 1 < c->end && where[0] == '/' && where[1] == '/')
		return error_at(c, where, "a comment begins with #");
	return error_at(c, where, "expected a statement, found %s%s", found(c, text),
			meant(&nearest, "", hint));
}

static void parse_line(struct parser *p, unsigned int line, const char *start, const char *end)
{
	const char *comment = memchr(start, '#', end - start);
	struct cursor c = {
		.errors = &p->errors,
		.line = line,
		.start = start,
		.at = start,
		.end = comment ? comment : end,
	};

	trim(&c);
	if (!at_end(&c))
		parse_statement(p, &c);
}

static void parse_text(struct parser *p, const char *text, size_t size)
{
	const char *end = text + size;
	unsigned int line = 1;
	size_t i;

	while (text < end && p->errors.count < MAX_ERRORS) {
		const char *next = memchr(text, '\n', end - text);

		parse_line(p, line++, text, next ? next : end);
		text = next ? next + 1 : end;
	}
	settle_order(p);
	for (i = 0; i < p->scenario->thread_count && !p->errors.count; i++)
		if (p->threads[i].job_count)
			error_add(&p->errors, p->threads[i].job[0].line, 1,
				  "the job that begins here is not submitted");
	if (!p->cluster && !p->errors.count)
		error_add(&p->errors, line, 1, "the file has no statements");
}

/* The whole of a file. NULL and errno if that fails. */
static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	char *text;
	int err;

	if (!file)
		return NULL;
	text = must(malloc(MAX_FILE + 1));
	errno = 0;
	*size = fread(text, 1, MAX_FILE + 1, file);
	err = ferror(file) ? errno : *size > MAX_FILE ? EFBIG : 0;
	fclose(file);
	if (!err)
		return must(realloc(text, *size + 1));
	free(text);
	errno = err;
	return NULL;
}

static void free_job(struct queued *job, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		free(job[i].insn);
	free(job);
}

struct scenario *scenario_read(const char *path)
{
	unsigned int current[MAX_RANGE];
	struct parser p = { .before = -1, .errors.path = path, .current = current };
	size_t length, size, i;
	char *text;

	p.scenario = must(calloc(1, sizeof(*p.scenario)));
	p.scenario->path = path;
	p.scenario->config = (struct vsm_cluster_config){
		.ctas = 1,
		.threads = 32,
		.smem_bytes = 4096,
		.layout = VSM_LAYOUT_SM_90,
		.policy = DRM_VSM_POLICY_STRICT,
	};
	p.errors.out = must(open_memstream(&p.scenario->errors, &length));

	text = read_file(path, &size);
	if (text)
		parse_text(&p, text, size);
	else
		error_add(&p.errors, 0, 0, "%s", strerror(errno));
	free(text);

	for (i = 0; i < p.scenario->thread_count; i++) {
		free(p.threads[i].written);
		free_job(p.threads[i].job, p.threads[i].job_count);
	}
	free(p.threads);
	if (fclose(p.errors.out))
		must(NULL);
	p.scenario->error_count = p.errors.count;
	return p.scenario;
}

void scenario_free(struct scenario *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->count; i++) {
		free(s->statements[i].threads);
		free(s->statements[i].insn);
		free(s->statements[i].values);
		free(s->statements[i].bytes);
		free(s->statements[i].tensor);
		free_job(s->statements[i].job, s->statements[i].job_count);
	}
	for (i = 0; i < s->buffer_count; i++)
		free(s->buffers[i].name);
	for (i = 0; i < s->map_count; i++)
		free(s->maps[i]);
	for (i = 0; i < s->register_count; i++)
		free(s->registers[i]);
	free(s->statements);
	free(s->buffers);
	free(s->maps);
	free(s->threads);
	free(s->registers);
	free(s->errors);
	free(s);
}
