/* SPDX-License-Identifier: MIT */
/*
 * The cost of one EXEC, and of each instruction in it, in nanoseconds.
 */
#ifndef _EXEC_H_
#define _EXEC_H_

double exec_of_one(void);
/* Per instruction of a stream. */
double exec_of_stream(void);
/* The peer: DRM_IOCTL_VERSION. */
double exec_version(void);
/* Prints a row for each kind of call. */
void exec_details(void);

#endif
