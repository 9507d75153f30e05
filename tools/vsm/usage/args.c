// SPDX-License-Identifier: MIT
/* Reads the arguments of a command, as the table of commands describes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "usage/args.h"
#include "usage/help.h"
#include "vsm_syntax.h"

static void end(struct args *args, int status)
{
	args->ended = true;
	args->status = status;
}

/* --- commands ------------------------------------------------------------- */

const struct command *command_find(const struct command *commands, const char *name)
{
	const struct command *command;

	for (command = commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	return NULL;
}

/* Prints that a group has no such command. */
static int no_command(const char *group, const struct command *commands, const char *name)
{
	struct nearest nearest = { .word = { name, strlen(name) } };
	const char *what = *group ? "subcommand" : "command";
	char hint[MEANT_SIZE], before[32] = "";

	if (*group)
		snprintf(before, sizeof(before), "%s: ", group);
	for (; commands->name; commands++)
		if (!commands->hidden)
			nearest_try(&nearest, commands->name);
	meant(&nearest, "", hint);
	if (*hint)
		return misused("%sno %s '%s'%s", before, what, name, hint);
	return misused("%sno %s '%s'; try 'vsm%s%s --help'", before, what, name, *group ? " " : "",
		       group);
}

static bool is_help(const char *text)
{
	return !strcmp(text, "--help") || !strcmp(text, "-h");
}

/* Descends from a group to the command that @argv names. Returns how many names it has read. */
static int descend(struct args *args, int argc, char **argv)
{
	const struct command *next;
	int used = 0;
	char *name;

	while (args->command->commands) {
		if (used == argc) {
			end(args, misused(*args->name ? "%s%sno subcommand; try 'vsm %s --help'" :
					  "%s%sno command; try 'vsm --help'", args->name,
					  *args->name ? ": " : "", args->name));
			return used;
		}
		if (is_help(argv[used])) {
			print_help(stdout, args->command, args->name);
			end(args, EXIT_OK);
			return used;
		}
		next = command_find(args->command->commands, argv[used]);
		if (!next) {
			end(args, no_command(args->name, args->command->commands, argv[used]));
			return used;
		}
		if (asprintf(&name, "%s%s%s", args->name, *args->name ? " " : "", next->name) < 0)
			must(NULL);
		free(args->name);
		args->name = name;
		args->command = next;
		used++;
	}
	return used;
}

/* --- preparations for getopt_long() --------------------------------------- */

static int has_value(const struct option_use *use)
{
	if (!use->value.name)
		return no_argument;
	return use->value.optional ? optional_argument : required_argument;
}

static bool takes_command(const struct command *command)
{
	return command->operands[0].name && command->operands[0].kind == KIND_COMMAND;
}

static void prepare(struct args *args)
{
	const struct option_use *use;
	struct option *known;
	unsigned int count = 0;
	char *letter;

	for (use = args->command->options; use && use->id; use++)
		count++;
	args->known = must(calloc(count + 2, sizeof(*known)));
	known = args->known;
	args->letters = must(malloc(3 * count + 4));
	letter = args->letters;
	/* With +, the options end where the command begins. */
	if (takes_command(args->command))
		*letter++ = '+';
	*letter++ = ':';
	*letter++ = 'h';
	*known++ = (struct option){ "help", no_argument, NULL, OPT_HELP };
	for (use = args->command->options; use && use->id; use++) {
		*known++ = (struct option){ use->name, has_value(use), NULL, use->id };
		if (!use->letter)
			continue;
		*letter++ = use->letter;
		if (use->value.name)
			*letter++ = ':';
	}
	*letter = '\0';
}

void args_begin(struct args *args, const struct command *root, int argc, char **argv)
{
	int used;

	*args = (struct args){ .root = root, .command = root, .argc = argc - 1, .argv = argv + 1 };
	args->name = must(strdup(""));
	used = descend(args, argc - 1, argv + 1);
	if (args->ended)
		return;
	/* The last name stands in the place of the name of a program. */
	argc -= used;
	argv += used;
	args->order = must(calloc(argc + 1, sizeof(*args->order)));
	memcpy(args->order, argv, argc * sizeof(*argv));
	args->count = argc;
	prepare(args);
	optind = 0;
	opterr = 0;
}

void args_free(struct args *args)
{
	free(args->name);
	free(args->order);
	free(args->known);
	free(args->letters);
}

/* --- options -------------------------------------------------------------- */

static int unknown_option(const struct args *args)
{
	const char *given = args->order[optind - 1];
	char hint[MEANT_SIZE];
	const struct option *known;
	struct nearest nearest = { };
	char letter[3] = { '-', optopt };

	if (optopt >= OPT_HELP)
		return misused("%s: %.*s takes no value", args->name, (int)strcspn(given, "="),
			       given);
	if (optopt)
		return misused("%s: no option '%s'; try 'vsm %s --help'", args->name, letter,
			       args->name);
	nearest.word = (struct span){ given + 2, strcspn(given + 2, "=") };
	for (known = args->known; known->name; known++)
		nearest_try(&nearest, known->name);
	meant(&nearest, "--", hint);
	if (*hint)
		return misused("%s: no option '%s'%s", args->name, given, hint);
	return misused("%s: no option '%s'; try 'vsm %s --help'", args->name, given, args->name);
}

/* Writes words as "a, b or c". Returns @text. */
static const char *list_words(const char *words, char *text, size_t size)
{
	size_t used = 0, length;

	*text = '\0';
	while (*words) {
		const char *rest;

		length = strcspn(words, " ");
		rest = words + length + strspn(words + length, " ");
		used += snprintf(text + used, used < size ? size - used : 0, "%.*s%s", (int)length,
				 words, !*rest ? "" : strchr(rest, ' ') ? ", " : " or ");
		words = rest;
	}
	return text;
}

static const struct option_use *find_use(const struct command *command, int id)
{
	const struct option_use *use;

	for (use = command->options; use && use->id; use++)
		if (use->id == (enum option_id)id || (use->letter && use->letter == id))
			return use;
	return NULL;
}

static int no_value(const struct args *args)
{
	const struct option_use *use = find_use(args->command, optopt);
	const char *given = args->order[optind - 1];
	char text[128];

	if (use->value.kind == KIND_WORD)
		return misused("%s: %s needs a value: %s", args->name, given,
			       list_words(use->value.words, text, sizeof(text)));
	return misused("%s: %s needs a value, %s", args->name, given, use->value.name);
}

/* Returns the index of a word; -1 if it is none of @words. */
static int find_word(const char *words, const char *word)
{
	size_t length;
	int index;

	for (index = 0; *words; index++) {
		length = strcspn(words, " ");
		if (strlen(word) == length && !memcmp(word, words, length))
			return index;
		words += length;
		words += strspn(words, " ");
	}
	return -1;
}

static int unknown_word(const struct args *args, const char *what, const struct argument *argument,
			const char *value)
{
	char text[128];

	return misused("%s: %s is %s, not '%s'", args->name, what,
		       list_words(argument->words, text, sizeof(text)), value);
}

static int check_value(struct args *args, const struct option_use *use)
{
	char name[32];

	if (!use->value.name || use->value.kind != KIND_WORD || !args->value)
		return EXIT_OK;
	args->choice = find_word(use->value.words, args->value);
	snprintf(name, sizeof(name), "--%s", use->name);
	return args->choice >= 0 ? EXIT_OK :
				   unknown_word(args, name, &use->value, args->value);
}

/* --- operands ------------------------------------------------------------- */

static int check_operands(const struct args *args)
{
	const struct argument *operand = args->command->operands;
	bool repeated = false;
	char text[128];
	int i;

	for (i = 0; operand[i].name; i++) {
		if (i >= args->count && !operand[i].optional)
			return misused("%s: no %s; try 'vsm %s --help'", args->name,
				       operand[i].name, args->name);
		if (i < args->count && operand[i].kind == KIND_WORD &&
		    find_word(operand[i].words, args->operands[i]) < 0)
			return unknown_word(args, operand[i].name, &operand[i], args->operands[i]);
		repeated = operand[i].repeated;
	}
	if (args->count <= i || repeated || takes_command(args->command))
		return EXIT_OK;
	if (!i)
		return misused("%s: takes no operand '%s'", args->name, args->operands[0]);
	return misused("%s: takes %s, not also '%s'", args->name,
		       operand_text(args->command, text, sizeof(text)), args->operands[i]);
}

/* --- all arguments -------------------------------------------------------- */

static void finish(struct args *args)
{
	args->operands = args->order + optind;
	args->count -= optind;
	end(args, check_operands(args));
	args->ended = args->status != EXIT_OK;
}

bool args_next(struct args *args)
{
	const struct option_use *use;
	int option;

	if (args->ended)
		return false;
	option = getopt_long(args->count, args->order, args->letters, args->known, NULL);
	switch (option) {
	case -1:
		finish(args);
		return false;
	case OPT_HELP:
	case 'h':
		print_help(stdout, args->command, args->name);
		end(args, EXIT_OK);
		return false;
	case ':':
		end(args, no_value(args));
		return false;
	case '?':
		end(args, unknown_option(args));
		return false;
	}
	use = find_use(args->command, option);
	args->option = use->id;
	args->value = optarg;
	args->status = check_value(args, use);
	args->ended = args->status != EXIT_OK;
	return !args->ended;
}
