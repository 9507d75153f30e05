/* SPDX-License-Identifier: MIT */
/*
 * Measure one EXEC of one instruction, and each instruction of a longer EXEC. Times are in
 * nanoseconds.
 */
#ifndef _EXEC_H_
#define _EXEC_H_

double exec_of_one(void);
/* Time of one instruction in an EXEC of a stream. */
double exec_of_stream(void);
/* Time of an EXEC in which each lane of a warp executes an arrive. */
double exec_of_warp(void);
/* Time of a DRM_IOCTL_VERSION, with which an EXEC is compared. */
double exec_version(void);
/* Prints a row for each kind of call. */
void exec_details(void);

#endif
