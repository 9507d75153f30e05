/* SPDX-License-Identifier: MIT */
/*
 * What a pipeline of bulk copies in PTX costs.
 */
#ifndef _PIPELINE_H_
#define _PIPELINE_H_

/*
 * Prints what it costs to copy @mib MiB with the kernel in file @path, which is
 * selftests/kernels/specialised.ptx: 384 threads, 256 of them consumers, 4 stages, tiles of 4 KiB.
 */
void pipeline_rows(const char *path, unsigned int mib);

#endif
