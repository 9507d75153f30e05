/* SPDX-License-Identifier: MIT */
/* The special functions of an NVIDIA GPU, from which PTX's approximations are made. */
#ifndef _PTX_CODE_MUFU_H_
#define _PTX_CODE_MUFU_H_

#include "code/alu_float_ops.h"

/*
 * The function @op of a f32: FLOAT_RCP, _SQRT, _RSQRT, _SIN, _COS, _LG2, _EX2 or _TANH. Subnormal
 * arguments and results are zeros, except those of FLOAT_TANH. The argument of sine and cosine is
 * in radians.
 */
uint32_t ptx_mufu(enum ptx_float_op op, uint32_t x);

/*
 * The function FLOAT_RCP or FLOAT_RSQRT of the upper half of a f64, whose lower half is 0. So is
 * that of the result.
 */
uint64_t ptx_mufu_64h(enum ptx_float_op op, uint64_t x);

#endif
