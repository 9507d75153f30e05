/* SPDX-License-Identifier: MIT */
/*
 * The time of the kernel's workers, which execute copies.
 */
#ifndef _WORKERS_H_
#define _WORKERS_H_

/*
 * Returns the nanoseconds for which the kernel's unbound workers have run since boot. While only
 * this program runs, these are the workers of the device.
 */
double workers_ran(void);

#endif
