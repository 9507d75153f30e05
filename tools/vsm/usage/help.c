// SPDX-License-Identifier: MIT
/* Texts about commands, made from the table of commands. */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "usage/help.h"

void walk(FILE *out, const struct command *command, const char *name, const struct visit *visit)
{
	const struct command *next;
	char *path;

	if (!command->commands) {
		if (visit->command)
			visit->command(out, command, name);
		return;
	}
	if (visit->group)
		visit->group(out, command, name);
	for (next = command->commands; next->name; next++) {
		if (next->hidden)
			continue;
		if (asprintf(&path, "%s%s%s", name, *name ? " " : "", next->name) < 0)
			must(NULL);
		walk(out, next, path, visit);
		free(path);
	}
}

/* Columns of a terminal, and of the names of options in it. */
#define COLUMNS 80
#define NAMES 22

static const struct option_use help_option = {
	.id = OPT_HELP, .name = "help", .letter = 'h', .help = "Print this text.",
};

static unsigned int count_options(const struct command *command)
{
	const struct option_use *use;
	unsigned int count = 0;

	for (use = command->options; use && use->id; use++)
		count++;
	return count;
}

const char *option_text(const struct option_use *use, char *text, size_t size)
{
	char letter[8] = "";

	if (use->letter)
		snprintf(letter, sizeof(letter), "-%c, ", use->letter);
	snprintf(text, size, !use->value.name ? "%s--%s" : use->value.optional ? "%s--%s[=%s]" :
		 "%s--%s %s", letter, use->name, use->value.name);
	return text;
}

const char *operand_text(const struct command *command, char *text, size_t size)
{
	const struct argument *operand;
	size_t used = 0;

	*text = '\0';
	for (operand = command->operands; operand->name && used < size; operand++)
		used += snprintf(text + used, size - used, "%s%s%s%s%s",
				 operand == command->operands ? "" : " ",
				 operand->optional ? "[" : "", operand->name,
				 operand->optional ? "]" : "", operand->repeated ? "..." : "");
	return text;
}

void print_synopsis(FILE *out, const struct command *command)
{
	const struct option_use *use;
	char text[128];

	if (command->commands) {
		fputs(" COMMAND ...", out);
		return;
	}
	for (use = command->options; use && use->id; use++)
		if (use->required)
			fprintf(out, " -%c %s", use->letter, use->value.name);
	if (count_options(command) > SYNOPSIS_OPTIONS) {
		fputs(" [OPTION...]", out);
	} else {
		for (use = command->options; use && use->id; use++) {
			struct option_use shown = *use;

			shown.letter = 0;
			if (!use->required)
				fprintf(out, " [%s]", option_text(&shown, text, sizeof(text)));
		}
	}
	if (command->operands[0].kind == KIND_COMMAND && command->operands[0].name)
		fputs(" [--]", out);
	if (command->operands[0].name)
		fprintf(out, " %s", operand_text(command, text, sizeof(text)));
}

/* Prints words up to COLUMNS columns. All lines but the first begin with @indent spaces. */
static void print_words(FILE *out, const char *text, unsigned int column, unsigned int indent)
{
	bool first = true;

	while (*text) {
		size_t length = strcspn(text, SPACES);

		if (!first && column + 1 + length > COLUMNS) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", (int)length, text);
		column += length;
		text += length;
		text += strspn(text, SPACES);
		first = false;
	}
	fputc('\n', out);
}

static void print_row(FILE *out, const char *name, const char *text)
{
	unsigned int indent = 2 + NAMES;

	fprintf(out, "  %-*s", NAMES, name);
	/* A long name has a line for itself. */
	if (strlen(name) >= NAMES)
		fprintf(out, "\n%*s", (int)indent, "");
	print_words(out, text, indent, indent);
}

static void print_command(FILE *out, const struct command *command, const char *name)
{
	fprintf(out, "  vsm %s", name);
	print_synopsis(out, command);
	fputs("\n      ", out);
	print_words(out, command->summary, 6, 6);
}

static void print_arguments(FILE *out, const struct command *command)
{
	const struct argument *operand;
	const struct option_use *use;
	char text[128];

	for (operand = command->operands; operand->name; operand++) {
		if (operand == command->operands)
			fputs("\nOperands:\n", out);
		print_row(out, operand->name, operand->help);
	}
	fputs("\nOptions:\n", out);
	for (use = command->options; use && use->id; use++)
		print_row(out, option_text(use, text, sizeof(text)), use->help);
	print_row(out, option_text(&help_option, text, sizeof(text)), help_option.help);
}

void print_help(FILE *out, const struct command *command, const char *name)
{
	fprintf(out, "usage: vsm%s%s", *name ? " " : "", name);
	print_synopsis(out, command);
	fputs("\n\n", out);
	print_words(out, command->summary, 0, 0);
	if (command->commands) {
		fputc('\n', out);
		walk(out, command, name, &(struct visit){ .command = print_command });
		fprintf(out, "\n'vsm%s%s COMMAND --help' says more about a command.\n",
			*name ? " " : "", name);
	} else {
		print_arguments(out, command);
	}
	if (command->details)
		fprintf(out, "\n%s", command->details);
}
