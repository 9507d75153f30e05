// SPDX-License-Identifier: MIT
/* Puts what the table of commands says into the man page and into the completion of bash. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <vsm.h>

#include "base.h"
#include "usage/args.h"
#include "usage/help.h"

/* --- the man page ------------------------------------------------------------- */

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

static void roff_synopsis(FILE *out, const struct command *root, const char *name)
{
	walk(out, root, name, &(struct visit){ .command = put_synopsis });
	fputs("\\fBvsm\\fR [\\fICOMMAND\\fR] \\fB\\-\\-help\\fR\n.br\n", out);
	fputs("\\fBvsm \\-\\-version\\fR\n", out);
}

static void roff_command(FILE *out, const struct command *command, const char *name)
{
	char *text = synopsis(command);

	fprintf(out, ".TP\n\\fB%s\\fR", name);
	put_usage(out, text);
	fputc('\n', out);
	free(text);
}

static void roff_options(FILE *out, const struct command *command, const char *name)
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

/* --- the completion of bash --------------------------------------------------- */

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

static void bash_names(FILE *out, const struct command *root, const char *name)
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

static void bash_options(FILE *out, const struct command *root, const char *name)
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

static void valued_options(FILE *out, const struct command *root, const char *name)
{
	walk(out, root, name, &(struct visit){ .command = put_valued });
	fputc('\n', out);
}

static void put_prefix(FILE *out, const struct command *command, const char *name)
{
	if (command->operands[0].name && command->operands[0].kind == KIND_COMMAND)
		fprintf(out, " %s", name);
}

static void bash_prefixes(FILE *out, const struct command *root, const char *name)
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

static void bash_values(FILE *out, const struct command *root, const char *name)
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

static void bash_operands(FILE *out, const struct command *root, const char *name)
{
	walk(out, root, name, &(struct visit){ .command = put_operands });
}

/* --- files with texts from the table ------------------------------------------ */

/*
 * The functions that write the texts. The command that a text is about is @command, which is vsm
 * itself if the line has no operand. @name is its name with that of its group.
 */
static const struct {
	const char *name;
	void (*write)(FILE *out, const struct command *command, const char *name);
} texts[] = {
	{ "bash-names", bash_names },
	{ "bash-operands", bash_operands },
	{ "bash-options", bash_options },
	{ "bash-prefixes", bash_prefixes },
	{ "bash-values", bash_values },
	{ "command", roff_command },
	{ "options", roff_options },
	{ "synopsis", roff_synopsis },
	{ "valued-options", valued_options },
};

/* Returns what stands between the @ of a line that stands for a text, or NULL. */
static char *find_text(char *line)
{
	size_t length;

	line += strspn(line, "\t ");
	if (!strncmp(line, "# @", 3))
		line += 3;
	else if (!strncmp(line, ".\\\" @", 5))
		line += 5;
	else
		return NULL;
	length = strlen(line);
	if (!length || line[length - 1] != '@')
		return NULL;
	line[length - 1] = '\0';
	return line;
}

static int write_text(FILE *out, const struct command *command, char *text)
{
	char *name = text + strcspn(text, " "), *words, *word;
	unsigned int i;

	if (*name)
		*name++ = '\0';
	words = must(strdup(name));
	for (word = strtok(words, " "); word && command; word = strtok(NULL, " "))
		command = command->commands ? command_find(command->commands, word) : NULL;
	free(words);
	if (!command)
		return failed("fill: no command '%s'", name);
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!strcmp(texts[i].name, text)) {
			texts[i].write(out, command, name);
			return EXIT_OK;
		}
	}
	return failed("fill: no text '%s'", text);
}

static void write_line(FILE *out, const char *line)
{
	static const char version[] = "@VERSION@";
	const char *place = strstr(line, version);

	if (place)
		fprintf(out, "%.*s" VSM_VERSION "%s\n", (int)(place - line), line,
			place + strlen(version));
	else
		fprintf(out, "%s\n", line);
}

int fill(FILE *in, FILE *out, const struct command *root)
{
	int status = EXIT_OK;
	char *line = NULL;
	size_t size = 0;

	while (!status && getline(&line, &size, in) > 0) {
		char *text;

		line[strcspn(line, "\n")] = '\0';
		text = find_text(line);
		if (text)
			status = write_text(out, root, text);
		else
			write_line(out, line);
	}
	free(line);
	if (!status && ferror(in))
		status = failed("standard input: %s", strerror(errno));
	return status;
}
