/* SPDX-License-Identifier: MIT */
/*
 * Instructions that the device executes: how their operands become a &struct drm_vsm_insn.
 */
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

/**
 * struct ptx_binding - An operand of an instruction for the device
 * @kind: &enum ptx_binding_kind
 * @field: Offset of the field in &struct drm_vsm_insn
 * @size: Bytes of the field
 * @shift: BIND_BITS: bit at which the value begins
 * @bits: BIND_BITS: number of bits
 * @space: Addresses: state space of the operand
 * @framed: Addresses: relative to the local memory of the frame
 * @row: Row, or predicate; PTX_NO_ROW for an address without a register
 * @offset: Added to an address
 */
struct ptx_binding {
	uint8_t kind;
	uint8_t field;
	uint8_t size;
	uint8_t shift;
	uint8_t bits;
	uint8_t space;
	bool framed;
	uint32_t row;
	int64_t offset;
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

/**
 * struct ptx_device_op - An instruction that the device executes
 * @insn: The instruction with everything that does not depend on the lane
 * @result: &enum ptx_result_kind
 * @aligned: It has .aligned: all threads of the warp execute it together
 * @count: Number of elements of @bindings
 * @bindings: Operands
 */
struct ptx_device_op {
	struct drm_vsm_insn insn;
	uint8_t result;
	bool aligned;
	uint8_t count;
	struct ptx_binding bindings[PTX_BINDINGS];
};

#endif
