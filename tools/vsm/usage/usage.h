/* SPDX-License-Identifier: MIT */
/*
 * What the table of commands consists of. The table, in usage/table.c, is the only list of
 * commands, options and operands. The parser of options, --help, the man page and the completion
 * of bash are made from it.
 */
#ifndef _USAGE_USAGE_H_
#define _USAGE_USAGE_H_

#include <stdbool.h>

struct args;

/**
 * enum kind - Kinds of arguments. Shells complete an argument of each kind in another way
 * @KIND_TEXT: Any text. Shells suggest @words
 * @KIND_WORD: One of @words
 * @KIND_FILE: A file. Shells suggest folders, and files that end in one of @words
 * @KIND_DEVICE: Name of a device that `vsm device create` has made
 * @KIND_COMMAND: A command: all that follows belongs to it
 * @KIND_SUBCOMMAND: Name of a command of vsm
 */
enum kind {
	KIND_TEXT,
	KIND_WORD,
	KIND_FILE,
	KIND_DEVICE,
	KIND_COMMAND,
	KIND_SUBCOMMAND,
};

/* All options of all commands. The values differ from those of all characters. */
enum option_id {
	OPT_HELP = 256,
	OPT_ARG,
	OPT_BLOCK,
	OPT_BUFFER,
	OPT_CHECK,
	OPT_CLUSTER,
	OPT_COLOR,
	OPT_DEVICE,
	OPT_DISABLED,
	OPT_EVENTS,
	OPT_FROM,
	OPT_GRID,
	OPT_INTERVAL,
	OPT_ITERATIONS,
	OPT_JOBS,
	OPT_JSON,
	OPT_JUNIT,
	OPT_LAYOUT,
	OPT_LIST,
	OPT_NO_LIMIT,
	OPT_OBJECTS,
	OPT_OUTPUT,
	OPT_POLICY,
	OPT_SEED,
	OPT_SEEDS,
	OPT_SHARD,
	OPT_SMEM,
	OPT_STATS,
	OPT_TAP,
	OPT_TIMELINE,
	OPT_TIME_LIMIT,
	OPT_TO,
	OPT_VM,
	OPT_WATCH,
	OPT_WHY,
};

/**
 * struct argument - The value of an option, or an operand
 * @name: What stands for it in a text, such as FILE
 * @kind: Its kind
 * @words: Words with spaces between them: see &enum kind; or NULL
 * @help: Sentences about an operand; NULL for the value of an option
 * @optional: It may be left out
 * @repeated: There may be several of it
 */
struct argument {
	const char *name;
	enum kind kind;
	const char *words;
	const char *help;
	bool optional;
	bool repeated;
};

/**
 * struct option_use - An option
 * @id: Its number; 0 ends a list of options
 * @name: Name, without "--"
 * @letter: Letter of its short form; 0 if it has none
 * @value: Value; its name is NULL if the option has none
 * @required: The command needs the option
 * @repeated: The option may be given several times
 * @help: Sentences
 */
struct option_use {
	enum option_id id;
	const char *name;
	char letter;
	struct argument value;
	bool required;
	bool repeated;
	const char *help;
};

/**
 * struct command - A command, or a group of commands
 * @name: Name; NULL ends a list of commands
 * @summary: A sentence about it
 * @details: What --help prints behind the options, whole lines; or NULL
 * @options: Its options, without --help, which all commands have; or NULL
 * @operands: Its operands, up to one without a name. Only the last ones may be optional
 * @run: Executes the command and returns the exit status; NULL for a group
 * @commands: Commands of a group
 * @hidden: Neither --help nor the man page nor a shell shows it
 */
struct command {
	const char *name;
	const char *summary;
	const char *details;
	const struct option_use *options;
	struct argument operands[3];
	int (*run)(struct args *args);
	const struct command *commands;
	bool hidden;
};

/* vsm itself: a group of all commands. */
extern const struct command vsm_commands;

#endif
