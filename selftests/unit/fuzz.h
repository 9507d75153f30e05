/* SPDX-License-Identifier: MIT */
#ifndef VSM_UNIT_FUZZ_H
#define VSM_UNIT_FUZZ_H

#include <stddef.h>

/* What libFuzzer calls, by its name for it. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#endif
