/* SPDX-License-Identifier: MIT */
/*
 * The functions of vsm's commands. @argv[0] is the name of the command. Each function returns the
 * exit status.
 */
#ifndef _COMMAND_H_
#define _COMMAND_H_

int command_decode(int argc, char **argv);
int command_device(int argc, char **argv);
int command_dump(int argc, char **argv);
int command_info(int argc, char **argv);
int command_launch(int argc, char **argv);
int command_ops(int argc, char **argv);
int command_ps(int argc, char **argv);
int command_record(int argc, char **argv);
int command_run(int argc, char **argv);
int command_top(int argc, char **argv);
int command_trace(int argc, char **argv);

#endif
