/* SPDX-License-Identifier: MIT */
/* Instructions that the device executes: how their operands become a &struct drm_vsm_insn. */
#ifndef _PTX_CODE_DEVICE_H_
#define _PTX_CODE_DEVICE_H_

#include <vsm.h>

#include "code/steps.h"

/**
 * enum ptx_binding_kind - How the value of an operand gets into the instruction
 * @BIND_VALUE: The value of a row
 * @BIND_PRED: A predicate, as 0 or 1
 * @BIND_SHARED: An address in shared memory
 * @BIND_GLOBAL: An address in a buffer: handle and offset
 * @BIND_MAP: The address of a tensor map
 * @BIND_BITS: Bits of the field offsets of a tensor copy
 * @BIND_IGNORE_SRC: A predicate that makes src_size 0
 */
enum ptx_binding_kind {
	BIND_VALUE,
	BIND_PRED,
	BIND_SHARED,
	BIND_GLOBAL,
	BIND_MAP,
	BIND_BITS,
	BIND_IGNORE_SRC,
};

/* An operand of an instruction for the device */
struct ptx_binding {
	uint8_t kind;	/* enum ptx_binding_kind */
	uint8_t field;	/* offset of the field in struct drm_vsm_insn */
	uint8_t size;	/* bytes of the field */
	uint8_t shift;	/* BIND_BITS: bit at which the value begins */
	uint8_t bits;	/* BIND_BITS: number of bits */
	uint8_t space;	/* addresses: state space of the operand */
	bool framed;	/* addresses: relative to the local memory of the frame */
	uint32_t row;	/* row, or predicate; PTX_NO_ROW for an address without a register */
	int64_t offset;	/* added to an address */
};

#define PTX_BINDINGS 13

/**
 * enum ptx_result_kind - What becomes of the result
 * @RESULT_NONE: Nothing
 * @RESULT_ROW: It is written to the row &ptx_step.dst
 * @RESULT_PRED: It is the predicate &ptx_step.dst
 * @RESULT_PAIR: Its lower 32 bits go to the row &ptx_step.dst, and %DRM_VSM_RESULT_PRED to the
 *	predicate &ptx_step.dst2
 */
enum ptx_result_kind {
	RESULT_NONE,
	RESULT_ROW,
	RESULT_PRED,
	RESULT_PAIR,
};

/* An instruction that the device executes */
struct ptx_device_op {
	/* The instruction with everything that does not depend on the lane */
	struct drm_vsm_insn insn;
	uint8_t result;					/* enum ptx_result_kind */
	bool aligned;	/* it has .aligned: all threads of the warp execute it together */
	uint8_t count;					/* number of elements of @bindings */
	struct ptx_binding bindings[PTX_BINDINGS];	/* operands */
};

#endif
