// SPDX-License-Identifier: MIT
/*
 * The parts of the completions of zsh that are made from the table of commands.
 */
#include <string.h>

#include "usage/help.h"
#include "usage/texts.h"
#include "usage/walk.h"

/* Writes a text inside single quotes, with a backslash before characters that _arguments reads. */
static void put_quoted(FILE *out, const char *text, size_t length, const char *special)
{
	for (; length--; text++) {
		if (*text == '\'')
			fputs("'\\'", out);
		else if (strchr(special, *text))
			fputc('\\', out);
		fputc(*text == '\n' ? ' ' : *text, out);
	}
}

static void put_sentence(FILE *out, const char *text)
{
	put_quoted(out, text, first_sentence(text), "[]:\\");
}

/* The names of functions have _ in place of the space between two names. */
static void put_function(FILE *out, const char *name)
{
	fputs(*name ? "_vsm_" : "_vsm", out);
	for (; *name; name++)
		fputc(*name == ' ' ? '_' : *name, out);
}

/* Completes files with one of these endings, each of which begins with a dot. */
static void put_files(FILE *out, const char *endings)
{
	bool several = strchr(endings, ' ');
	const char *ending;
	size_t length;

	fputs("_files", out);
	if (!*endings)
		return;
	fprintf(out, " -g \"*.%s", several ? "(" : "");
	for_each_word(endings, ending, length)
		fprintf(out, "%s%.*s", ending == endings ? "" : "|", (int)length - 1, ending + 1);
	fprintf(out, "%s\"", several ? ")" : "");
}

/* Writes "MESSAGE:ACTION" of an argument. */
static void put_action(FILE *out, const struct argument *argument)
{
	put_quoted(out, argument->name, strlen(argument->name), "[]:\\");
	fputc(':', out);
	switch (argument->kind) {
	case KIND_FILE:
		put_files(out, argument->words);
		break;
	case KIND_DEVICE:
		fputs("_vsm_devices", out);
		break;
	case KIND_SUBCOMMAND:
		fputs("_vsm_subcommands", out);
		break;
	case KIND_COMMAND:
		fputs("_command_names -e", out);
		break;
	default:
		if (argument->words)
			fprintf(out, "(%s)", argument->words);
		else
			fputc(' ', out);
	}
}

static void put_option(FILE *out, const struct option_use *use)
{
	const char *value = !use->value.name ? "" : use->value.optional ? "=-" : "=";

	fputs(" \\\n		", out);
	if (use->letter)
		fprintf(out, "'(-%c --%s)'{-%c%s,--%s%s}'[", use->letter, use->name, use->letter,
			use->value.name ? "+" : "", use->name, value);
	else
		fprintf(out, "'%s--%s%s[", use->repeated ? "*" : "", use->name, value);
	put_sentence(out, use->help);
	fputc(']', out);
	if (use->value.name) {
		fputs(use->value.optional ? "::" : ":", out);
		put_action(out, &use->value);
	}
	fputc('\'', out);
}

static void put_operand(FILE *out, const struct command *command, const struct argument *operand)
{
	fputs(" \\\n		'", out);
	if (operand->kind == KIND_COMMAND) {
		fputs("(-)1:", out);
		put_action(out, operand);
		fputs("' \\\n		'*::argument: _normal'", out);
		return;
	}
	if (operand->repeated)
		fputs("*:", out);
	else
		fprintf(out, "%d:%s", (int)(operand - command->operands) + 1,
			operand->optional ? ":" : "");
	put_action(out, operand);
	fputc('\'', out);
}

static void put_command(FILE *out, const struct command *command, const char *name)
{
	const struct argument *operand;
	const struct option_use *use;

	put_function(out, name);
	fputs("() {\n	_arguments -s -S \\\n		'(- *)'{-h,--help}'[Print the help]'", out);
	for (use = command->options; use && use->id; use++)
		put_option(out, use);
	for (operand = command->operands; operand->name; operand++)
		put_operand(out, command, operand);
	fputs("\n}\n\n", out);
}

static void put_group(FILE *out, const struct command *group, const char *name)
{
	const struct command *command;

	put_function(out, name);
	fprintf(out, "() {\n	_vsm_group '%s%s'", name, *name ? "_" : "");
	for (command = group->commands; command->name; command++) {
		if (command->hidden)
			continue;
		fprintf(out, " \\\n		'%s:", command->name);
		put_quoted(out, command->summary, first_sentence(command->summary), ":\\");
		fputc('\'', out);
	}
	fputs("\n}\n\n", out);
}

void zsh_functions(FILE *out, const struct command *root, const char *name)
{
	walk(out, root, name, &(struct visit){ .group = put_group, .command = put_command });
}

static void put_names(FILE *out, const struct command *group, const char *name)
{
	const struct command *command;

	fprintf(out, "	%s) names=(", *name ? name : "help");
	for (command = group->commands; command->name; command++)
		if (!command->hidden)
			fprintf(out, "%s%s", command == group->commands ? "" : " ", command->name);
	fputs(") ;;\n", out);
}

void zsh_names(FILE *out, const struct command *root, const char *name)
{
	walk(out, root, name, &(struct visit){ .group = put_names });
}
