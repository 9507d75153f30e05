// SPDX-License-Identifier: MIT
/*
 * Puts what the table of commands says into the man page and into the completion of bash.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <vsm.h>

#include "base.h"
#include "usage/args.h"
#include "usage/fill.h"
#include "usage/texts.h"

static const struct {
	const char *name;
	fill_function *write;
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
