/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What /proc/PID/fdinfo shows of a client.
 */
#ifndef _VSM_FDINFO_H_
#define _VSM_FDINFO_H_

struct file;
struct seq_file;

void vsm_fdinfo_show(struct seq_file *m, struct file *filp);

#endif
