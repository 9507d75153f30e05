// SPDX-License-Identifier: MIT
/*
 * libvsm-ffi: libvsm with the inline functions of its headers as symbols, for programs that cannot
 * compile the headers.
 *
 * These functions pass structures by value, or with the size that the library was compiled with. If
 * a structure grows, libvsm stays compatible, but libvsm-ffi does not: it then needs another SONAME
 * (FFI_SONAME in the Makefile). tools/abi checks that before a release.
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
