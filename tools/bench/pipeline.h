/* SPDX-License-Identifier: MIT */
/*
 * What a pipeline of bulk copies in PTX costs.
 */
#ifndef _PIPELINE_H_
#define _PIPELINE_H_

/*
 * Prints the costs of one tile of the kernel in file @path, which is
 * selftests/kernels/specialised.ptx: a producer, 256 consumers, 4 stages, tiles of 4 KiB.
 */
void pipeline_rows(const char *path);

#endif
