/* SPDX-License-Identifier: MIT */
#ifndef _VSM_COMMAND_H_
#define _VSM_COMMAND_H_

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Exit statuses. */
#define EXIT_OK 0
#define EXIT_FAILED 1
#define EXIT_USAGE 2

/* A message on standard error, after "vsm: ". Return the exit status. */
int failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int misused(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Subcommands: @argv[0] is the subcommand's name. Return the exit status. */
int command_decode(int argc, char **argv);
int command_info(int argc, char **argv);
int command_run(int argc, char **argv);

#endif
