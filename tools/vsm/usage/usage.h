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

/* Kinds of arguments. Shells complete an argument of each kind in another way */
enum kind {
	KIND_TEXT,		/* Any text. Shells suggest @words. */
	KIND_WORD,		/* one of @words */
	KIND_FILE,	/* A file. Shells suggest folders, and files that end in one of @words. */
	KIND_DEVICE,		/* name of a device that `vsm device create` has made */
	KIND_COMMAND,		/* a command: all that follows belongs to it */
	KIND_SUBCOMMAND,	/* name of a command of vsm */
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
	OPT_ENFORCE,
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
	OPT_QUIET,
	OPT_SEED,
	OPT_SEEDS,
	OPT_SHARD,
	OPT_SMEM,
	OPT_COOPERATIVE,
	OPT_STATS,
	OPT_TAP,
	OPT_TIMELINE,
	OPT_TIME_LIMIT,
	OPT_TO,
	OPT_VM,
	OPT_WATCH,
	OPT_WHY,
};

/* The value of an option, or an operand */
struct argument {
	const char *name;	/* what stands for it in a text, such as FILE */
	enum kind kind;
	const char *words;	/* words with spaces between them: see enum kind; or NULL */
	const char *help;	/* sentences about an operand; NULL for the value of an option */
	bool optional;		/* it may be left out */
	bool repeated;		/* there may be several of it */
};

/* An option */
struct option_use {
	enum option_id id;	/* its number; 0 ends a list of options */
	const char *name;	/* name, without "--" */
	char letter;		/* letter of its short form; 0 if it has none */
	struct argument value;	/* value; its name is NULL if the option has none */
	bool required;		/* the command needs the option */
	bool repeated;		/* the option may be given several times */
	const char *help;	/* sentences */
};

/* A command, or a group of commands */
struct command {
	const char *name;		/* name; NULL ends a list of commands */
	const char *summary;		/* a sentence about it */
	const char *details;	/* what --help prints behind the options, whole lines; or NULL */
	/* Its options, without --help, which all commands have; or NULL */
	const struct option_use *options;
	/* Its operands, up to one without a name. Only the last ones may be optional. */
	struct argument operands[3];
	/* Executes the command and returns the exit status; NULL for a group */
	int (*run)(struct args *args);
	const struct command *commands;	/* commands of a group */
	bool hidden;			/* neither --help nor the man page nor a shell shows it */
};

/* vsm itself: a group of all commands. */
extern const struct command vsm_commands;

#endif
