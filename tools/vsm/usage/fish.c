// SPDX-License-Identifier: MIT
/*
 * The parts of the completions of fish that are made from the table of commands.
 */
#include <string.h>

#include "usage/help.h"
#include "usage/texts.h"
#include "usage/walk.h"

static void put_quoted(FILE *out, const char *text)
{
	size_t length = first_sentence(text);

	fputc('\'', out);
	for (; length--; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', out);
		fputc(*text == '\n' ? ' ' : *text, out);
	}
	fputc('\'', out);
}

/* Writes what completes an argument, as the value of "complete -a". */
static void put_action(FILE *out, const struct argument *argument)
{
	switch (argument->kind) {
	case KIND_FILE:
		fprintf(out, " -a '(__vsm_files %s)'", *argument->words ? argument->words : "\"\"");
		break;
	case KIND_DEVICE:
		fputs(" -a '(__vsm_devices)'", out);
		break;
	case KIND_COMMAND:
		fputs(" -a '(__fish_complete_command)'", out);
		break;
	default:
		if (argument->words)
			fprintf(out, " -a '%s'", argument->words);
	}
}

static void put_option(FILE *out, const char *name, const struct option_use *use)
{
	fprintf(out, "complete -c vsm -n '__vsm_at any %s' -l %s", name, use->name);
	if (use->letter)
		fprintf(out, " -s %c", use->letter);
	if (use->value.name)
		fputs(use->value.optional ? " -f" : " -x", out);
	if (use->value.name)
		put_action(out, &use->value);
	fputs(" -d ", out);
	put_quoted(out, use->help);
	fputc('\n', out);
}

static void put_command(FILE *out, const struct command *command, const char *name)
{
	const struct argument *operand;
	const struct option_use *use;

	for (use = command->options; use && use->id; use++)
		put_option(out, name, use);
	for (operand = command->operands; operand->name; operand++) {
		int number = operand - command->operands;

		/* put_group() writes the names behind "vsm help". */
		if (operand->kind == KIND_SUBCOMMAND ||
		    (operand->kind == KIND_TEXT && !operand->words))
			continue;
		fprintf(out, "complete -c vsm -n '__vsm_at %d%s %s'", number,
			operand->repeated && operand->kind != KIND_COMMAND ? "+" : "", name);
		put_action(out, operand);
		fputc('\n', out);
		if (operand->kind == KIND_COMMAND)
			fprintf(out, "complete -c vsm -n '__vsm_at 1+ %s' -F\n", name);
	}
}

static void put_group(FILE *out, const struct command *group, const char *name)
{
	const struct command *command;

	for (command = group->commands; command->name; command++) {
		if (command->hidden)
			continue;
		fprintf(out, "complete -c vsm -n '__vsm_at 0%s%s; or __vsm_at 0 help%s%s'",
			*name ? " " : "", name, *name ? " " : "", name);
		fprintf(out, " -a %s -d ", command->name);
		put_quoted(out, command->summary);
		fputc('\n', out);
	}
}

void fish_rules(FILE *out, const struct command *root, const char *name)
{
	walk(out, root, name, &(struct visit){ .group = put_group, .command = put_command });
}
