/* SPDX-License-Identifier: MIT */
/*
 * What a CUDA C kernel needs when no CUDA SDK is there: the attributes, the special registers,
 * and one function for each PTX instruction that the kernels of this directory use. clang 19
 * compiles it with -nocudainc.
 *
 * A function has the name of its PTX instruction, with underscores. Addresses of shared memory
 * are 32-bit numbers, which is what the instructions take; shared_address() converts a pointer.
 * The functions are inlined and have no debug information of their own: the .loc of an
 * instruction therefore names the line of the kernel that calls the function.
 */
#ifndef VSM_CUH
#define VSM_CUH

#include "base.cuh"
#include "mbarrier.cuh"
#include "copy.cuh"
#include "warp.cuh"
#include "check.cuh"

#endif /* VSM_CUH */
