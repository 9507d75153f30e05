// SPDX-License-Identifier: MIT
/*
 * Parses the statements that threads execute: instructions, jobs, join, hold and release.
 */
#include <stdlib.h>

#include "base.h"
#include "nvvm/nvvm.h"
#include "insn/operand.h"
#include "sass/sass.h"
#include "scenario/action.h"

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

bool parse_run(struct parser *p, struct cursor *c)
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

bool parse_submit(struct parser *p, struct cursor *c)
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

bool parse_join(struct parser *p, struct cursor *c)
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

bool parse_hold(struct parser *p, struct cursor *c)
{
	return need_end(c) && add_action(p, STATEMENT_HOLD, c->line);
}

bool parse_release(struct parser *p, struct cursor *c)
{
	return need_end(c) && add_action(p, STATEMENT_RELEASE, c->line);
}
