// SPDX-License-Identifier: MIT
/*
 * libvsm-ffi: libvsm with the inline functions of its headers as symbols, for programs that cannot
 * compile the headers.
 *
 * If a function or a structure changes, the library needs another SONAME (FFI_SONAME in the
 * Makefile). tools/abi checks that before a release.
 */
#include <drm.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* "static inline" in the headers below now defines exported functions, which have no prototype. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define static __attribute__((visibility("default")))
#define inline
#include "vsm.h"
