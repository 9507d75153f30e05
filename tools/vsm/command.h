/* SPDX-License-Identifier: MIT */
/*
 * The functions of vsm's commands. Each function reads its arguments, and returns the exit status.
 */
#ifndef _COMMAND_H_
#define _COMMAND_H_

#include "usage/args.h"

int command_decode(struct args *args);
int command_device_create(struct args *args);
int command_device_list(struct args *args);
int command_device_remove(struct args *args);
int command_device_load(struct args *args);
int command_device_unload(struct args *args);
int command_device_set(struct args *args);
int command_device_show(struct args *args);
int command_dump(struct args *args);
int command_fill(struct args *args);
int command_help(struct args *args);
int command_info(struct args *args);
int command_launch(struct args *args);
int command_merge(struct args *args);
int command_ops(struct args *args);
int command_ps(struct args *args);
int command_record(struct args *args);
int command_run(struct args *args);
int command_trace_export(struct args *args);
int command_trace_show(struct args *args);

#endif
