// SPDX-License-Identifier: MIT
/*
 * The parts of the man page that are made from the table of commands.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "usage/help.h"
#include "usage/texts.h"
#include "usage/walk.h"

/* mandoc -T lint wants lines of at most 80 bytes. This leaves room for fonts and backslashes. */
#define COLUMNS 70

static void put_char(FILE *out, char c)
{
	if (c == '-')
		fputs("\\-", out);
	else if (c == '\\')
		fputs("\\e", out);
	else
		fputc(c, out);
}

static void put_plain(FILE *out, const char *text, size_t length)
{
	while (length--)
		put_char(out, *text++);
}

static void put_font(FILE *out, char font, const char *text, size_t length)
{
	fprintf(out, "\\f%c", font);
	put_plain(out, text, length);
	fputs("\\fR", out);
}

/* Writes the usage of a command or option: options are bold, and names of arguments are italic. */
static void put_usage(FILE *out, const char *text)
{
	while (*text) {
		size_t length = 0;

		if (*text == '-') {
			length = strcspn(text, " =[],.");
			put_font(out, 'B', text, length);
		} else if (isupper((unsigned char)*text)) {
			while (isupper((unsigned char)text[length]))
				length++;
			put_font(out, 'I', text, length);
		} else {
			put_char(out, *text);
			length = 1;
		}
		text += length;
	}
}

/* Returns the column behind a word. A line that begins with . or ' would be a request. */
static int put_word(FILE *out, const char *text, size_t length, const char *value, int column)
{
	size_t end = length;

	while (end && ispunct((unsigned char)text[end - 1]))
		end--;
	if (!column && (*text == '.' || *text == '\''))
		fputs("\\&", out);
	if (!strncmp(text, "--", 2))
		put_font(out, 'B', text, end);
	else if (value && strlen(value) == end && !strncmp(text, value, end))
		put_font(out, 'I', text, end);
	else
		put_plain(out, text, end);
	put_plain(out, text + end, length - end);
	return column + length + 1;
}

/* Writes sentences, each on a line of its own. Options are bold, and @value is italic. */
static void put_sentences(FILE *out, const char *text, const char *value)
{
	int column = 0;

	while (*text) {
		size_t length = strcspn(text, SPACES);
		bool sentence;

		column = put_word(out, text, length, value, column);
		text += length;
		sentence = text[-1] == '.' && *text && isupper((unsigned char)text[1]);
		text += strspn(text, SPACES);
		if (!*text)
			break;
		if (sentence || column + strcspn(text, SPACES) > COLUMNS)
			column = 0;
		fputc(column ? ' ' : '\n', out);
	}
	fputc('\n', out);
}

static char *synopsis(const struct command *command)
{
	char *text = NULL;
	size_t size;
	FILE *out = must(open_memstream(&text, &size));

	print_synopsis(out, command);
	if (fclose(out))
		must(NULL);
	return text;
}

static void put_synopsis(FILE *out, const struct command *command, const char *name)
{
	char *text = synopsis(command);

	fprintf(out, "\\fBvsm %s\\fR", name);
	put_usage(out, text);
	fputs("\n.br\n", out);
	free(text);
}

void roff_synopsis(FILE *out, const struct command *root, const char *name)
{
	walk(out, root, name, &(struct visit){ .command = put_synopsis });
	fputs("\\fBvsm\\fR [\\fICOMMAND\\fR] \\fB\\-\\-help\\fR\n.br\n", out);
	fputs("\\fBvsm \\-\\-version\\fR\n", out);
}

void roff_command(FILE *out, const struct command *command, const char *name)
{
	char *text = synopsis(command);

	fprintf(out, ".TP\n\\fB%s\\fR", name);
	put_usage(out, text);
	fputc('\n', out);
	free(text);
}

void roff_options(FILE *out, const struct command *command, const char *name)
{
	const struct option_use *use;
	char text[128];

	(void)name;
	fputs(".RS\n", out);
	for (use = command->options; use && use->id; use++) {
		fputs(".TP\n", out);
		put_usage(out, option_text(use, text, sizeof(text)));
		fputc('\n', out);
		put_sentences(out, use->help, use->value.name);
	}
	fputs(".RE\n", out);
}
