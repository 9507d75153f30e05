// SPDX-License-Identifier: MIT
/*
 * The parts of the completions of bash that are made from the table of commands.
 */
#include <string.h>

#include "usage/texts.h"
#include "usage/walk.h"

/* --- lists of names ------------------------------------------------------- */

static void put_names(FILE *out, const struct command *group, const char *name)
{
	const struct command *command;

	fprintf(out, "	['%s']='", *name ? name : "vsm");
	for (command = group->commands; command->name; command++)
		if (!command->hidden)
			fprintf(out, "%s%s", command == group->commands ? "" : " ", command->name);
	fputs("'\n", out);
}

void bash_names(FILE *out, const struct command *root, const char *name)
{
	walk(out, root, name, &(struct visit){ .group = put_names });
}

static void put_options(FILE *out, const struct command *command, const char *name)
{
	const struct option_use *use;

	fprintf(out, "	['%s']='", name);
	for (use = command->options; use && use->id; use++) {
		if (use->letter)
			fprintf(out, "-%c ", use->letter);
		fprintf(out, "--%s%s", use->name, use[1].id ? " " : "");
	}
	fputs("'\n", out);
}

void bash_options(FILE *out, const struct command *root, const char *name)
{
	walk(out, root, name, &(struct visit){ .command = put_options });
}

static void put_valued(FILE *out, const struct command *command, const char *name)
{
	const struct option_use *use;

	(void)name;
	for (use = command->options; use && use->id; use++) {
		if (!use->value.name || use->value.optional)
			continue;
		fprintf(out, " --%s", use->name);
		if (use->letter)
			fprintf(out, " -%c", use->letter);
	}
}

void valued_options(FILE *out, const struct command *root, const char *name)
{
	walk(out, root, name, &(struct visit){ .command = put_valued });
	fputc('\n', out);
}

static void put_prefix(FILE *out, const struct command *command, const char *name)
{
	if (command->operands[0].name && command->operands[0].kind == KIND_COMMAND)
		fprintf(out, " %s", name);
}

void bash_prefixes(FILE *out, const struct command *root, const char *name)
{
	walk(out, root, name, &(struct visit){ .command = put_prefix });
	fputc('\n', out);
}

/* --- arguments ------------------------------------------------------------ */

static bool is_completed(const struct argument *argument)
{
	return argument->kind != KIND_TEXT || argument->words;
}

/* Writes the command that completes an argument. */
static void put_action(FILE *out, const struct argument *argument)
{
	switch (argument->kind) {
	case KIND_FILE:
		fprintf(out, "_vsm_files %s", *argument->words ? argument->words : "''");
		break;
	case KIND_DEVICE:
		fputs("_vsm_devices", out);
		break;
	case KIND_COMMAND:
		fputs("_vsm_reply compgen -c -- \"$cur\"", out);
		break;
	case KIND_SUBCOMMAND:
		fputs("_vsm_words \"${_vsm_names[${words[i - 1]/#help/vsm}]}\"", out);
		break;
	default:
		fprintf(out, "_vsm_words %s", argument->words);
	}
	fputs(" ;;\n", out);
}

static void put_values(FILE *out, const struct command *command, const char *name)
{
	const struct option_use *use;

	for (use = command->options; use && use->id; use++) {
		if (!use->value.name || !is_completed(&use->value))
			continue;
		fputs("	", out);
		if (use->letter)
			fprintf(out, "'%s -%c' | ", name, use->letter);
		fprintf(out, "'%s --%s') ", name, use->name);
		put_action(out, &use->value);
	}
}

void bash_values(FILE *out, const struct command *root, const char *name)
{
	walk(out, root, name, &(struct visit){ .command = put_values });
}

static void put_operands(FILE *out, const struct command *command, const char *name)
{
	const struct argument *operand;
	int number;

	for (operand = command->operands; operand->name; operand++) {
		if (!is_completed(operand))
			continue;
		number = operand - command->operands;
		if (!operand->repeated)
			fprintf(out, "	'%s %d') ", name, number);
		else
			fprintf(out, "	'%s '%s*) ", name, number ? "[1-9]" : "");
		put_action(out, operand);
	}
}

void bash_operands(FILE *out, const struct command *root, const char *name)
{
	walk(out, root, name, &(struct visit){ .command = put_operands });
}
