// SPDX-License-Identifier: MIT
/*
 * libvsm-ffi: libvsm with the inline functions of its headers as symbols, for programs that cannot
 * compile the headers.
 *
 * The functions pass structures by value, or with the length that the library knows. A structure
 * that grows is compatible for libvsm, and not for libvsm-ffi, which then takes another SONAME
 * (FFI_SONAME in the Makefile). tests/abi.py requires it.
 */
#include <drm.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* "static inline" in the headers below now makes an exported function. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define static __attribute__((visibility("default")))
#define inline
#include "vsm.h"
