/* SPDX-License-Identifier: MIT */
/* A program: the decoded code of a kernel and of all functions that it may call. */
#ifndef _PTX_CODE_STEPS_H_
#define _PTX_CODE_STEPS_H_

#include "code/code.h"

/*
 * Generic addresses. A generic address below PTX_SHARED_BASE is in no window and no allocation.
 * Buffers and the module's variables in global and constant memory are from PTX_GLOBAL_BASE on; an
 * address in .global or .const is the same as the generic address.
 */
#define PTX_SHARED_BASE	(1ULL << 32)	/* + cluster shared address: rank << 24 | offset */
#define PTX_LOCAL_BASE	(2ULL << 32)	/* + address in the thread's local memory */
#define PTX_PARAM_BASE	(3ULL << 32)	/* + offset in the kernel's parameters */
#define PTX_CODE_BASE	(4ULL << 32)	/* + number of a function of the module */
#define PTX_GLOBAL_BASE	(1ULL << 36)
#define PTX_RANK_SHIFT	24

/* The offset in a window of a cluster shared address, and the rank of the CTA of the window. */
static inline uint32_t ptx_offset_of(uint32_t address)
{
	return address & ((1u << PTX_RANK_SHIFT) - 1);
}

static inline uint32_t ptx_rank_of(uint32_t address)
{
	return address >> PTX_RANK_SHIFT;
}

/**
 * enum ptx_step_kind - What executes a step
 * @STEP_ALU: &ptx_step.alu
 * @STEP_BRANCH: bra: the lanes whose guard is true go to &ptx_step.imm
 * @STEP_BRX: brx.idx: &ptx_step.extra is &struct ptx_targets, src[0] the index
 * @STEP_CALL: call: &ptx_step.extra is &struct ptx_call
 * @STEP_RET: ret
 * @STEP_EXIT: exit, and ret of a kernel
 * @STEP_END: The closing brace of a function or kernel, which no thread may reach
 * @STEP_TRAP: trap
 * @STEP_LOAD: ld, ldu: &ptx_step.extra is &struct ptx_access
 * @STEP_STORE: st: &ptx_step.extra is &struct ptx_access
 * @STEP_ATOM: atom and red: &ptx_step.extra is &struct ptx_access
 * @STEP_FENCE: fences that the device need not know
 * @STEP_DEVICE: The device executes it: &ptx_step.extra is &struct ptx_device_op
 * @STEP_CLOCK: mov or cvt of special registers whose values change: &ptx_step.alu reads them. Bit n
 *	of flags stands for the register SPECIAL_CLOCK + n
 * @STEP_CVTA: cvta: imm is added; flags is 1 for cvta.to, which checks the window of imm
 * @STEP_MAPA: mapa: imm is the base of generic addresses, or 0
 * @STEP_GETCTARANK: getctarank: imm as for STEP_MAPA
 * @STEP_ISSPACEP: isspacep: imm is &enum ptx_space
 * @STEP_ACTIVEMASK: activemask
 * @STEP_NANOSLEEP: nanosleep: the warp gives way
 * @STEP_SETMAXNREG: setmaxnreg: imm is the number of registers
 * @STEP_TENSORMAP: tensormap.replace: &ptx_step.extra is &struct ptx_access of the map, imm &enum
 *	ptx_replace_field, src[0] the value, src[1] the dimension
 * @STEP_CP_FENCEPROXY: tensormap.cp_fenceproxy: &ptx_step.extra are the &struct ptx_access of the
 *	destination and of the source
 * @STEP_PRINT: call of vprintf
 * @STEP_ASSERT: call of __assertfail
 * @STEP_MALLOC: call of malloc
 * @STEP_FREE: call of free
 * @STEP_NOP: No effect here
 */
enum ptx_step_kind {
	STEP_ALU,
	STEP_BRANCH,
	STEP_BRX,
	STEP_CALL,
	STEP_RET,
	STEP_EXIT,
	STEP_END,
	STEP_TRAP,
	STEP_LOAD,
	STEP_STORE,
	STEP_ATOM,
	STEP_FENCE,
	STEP_DEVICE,
	STEP_CLOCK,
	STEP_CVTA,
	STEP_MAPA,
	STEP_GETCTARANK,
	STEP_ISSPACEP,
	STEP_ACTIVEMASK,
	STEP_NANOSLEEP,
	STEP_SETMAXNREG,
	STEP_TENSORMAP,
	STEP_CP_FENCEPROXY,
	STEP_PRINT,
	STEP_ASSERT,
	STEP_MALLOC,
	STEP_FREE,
	STEP_NOP,
};

/** enum ptx_order_kind - Memory order of a load, store, atomic operation or fence */
enum ptx_order_kind {
	ORDER_WEAK,
	ORDER_RELAXED,
	ORDER_ACQUIRE,
	ORDER_RELEASE,
	ORDER_ACQ_REL,
	ORDER_SC,
};

/** enum ptx_atom - Atomic operations */
enum ptx_atom {
	ATOM_EXCH,
	ATOM_CAS,
	ATOM_ADD,
	ATOM_INC,
	ATOM_DEC,
	ATOM_MIN,
	ATOM_MAX,
	ATOM_AND,
	ATOM_OR,
	ATOM_XOR,
};

/** enum ptx_replace_field - Fields of a tensor map that tensormap.replace changes */
enum ptx_replace_field {
	REPLACE_ADDRESS,
	REPLACE_RANK,
	REPLACE_BOX,
	REPLACE_SIZE,
	REPLACE_STRIDE,
	REPLACE_ELEMENT_STRIDE,
	REPLACE_TYPE,
	REPLACE_INTERLEAVE,
	REPLACE_SWIZZLE,
	REPLACE_FILL,
};

/* Largest number of elements of a vector in ld, st, atom and red. */
#define PTX_VECTOR_MAX 8

/**
 * struct ptx_access - An access to memory
 * @space: State space of the instruction. SPACE_PARAM is the memory of a kernel's parameters;
 *	parameters of functions are SPACE_LOCAL
 * @type: Type of an element
 * @size: Bytes of an element
 * @count: Number of elements
 * @order: &enum ptx_order_kind
 * @cluster_scope: The scope is .cluster or wider
 * @atom: &enum ptx_atom of STEP_ATOM
 * @address: Row of the base address; PTX_NO_ROW if there is none
 * @framed: The address is relative to the local memory of the frame
 * @offset: Added to the address
 * @rows: Registers that are loaded or stored. Of STEP_ATOM: the elements of b, and of c for cas.
 *	The two rows of a register of the type .b128 are two elements
 * @bits: Widths of these registers in bits
 * @dst: Destination of each element of STEP_ATOM; PTX_NO_ROW if there is none
 */
struct ptx_access {
	uint8_t space;
	uint8_t type;
	uint8_t size;
	uint8_t count;
	uint8_t order;
	bool cluster_scope;
	uint8_t atom;
	uint32_t address;
	bool framed;
	int64_t offset;
	uint32_t rows[PTX_VECTOR_MAX];
	uint8_t bits[PTX_VECTOR_MAX];
	uint32_t dst[PTX_VECTOR_MAX];
};

/** struct ptx_targets - Targets of brx.idx */
struct ptx_targets {
	uint32_t count;
	uint32_t targets[];
};

/* Bytes that a call copies between the frames of caller and callee */
struct ptx_transfer {
	uint32_t from;	/* offset in local memory of the frame, or a row */
	uint32_t to;	/* offset in local memory of the other frame, or a row */
	uint32_t size;	/* bytes; 0 if @from and @to are rows of registers */
};

/* A call */
struct ptx_call {
	/* Number of the called body; -1 if the address of the function is in ptx_step.src[0] */
	int32_t body;
	uint32_t arg_count;			/* number of arguments */
	uint32_t transfer_count;		/* number of elements of @transfers */
	struct ptx_transfer transfers[];	/* arguments, then return values */
};

struct ptx_device_op;

/* A row of the frame that has the address of a variable in local memory */
struct ptx_address {
	uint32_t row;		/* index of the row */
	uint64_t offset;	/* offset in the local memory of the frame */
};

/* Decoded code of a function */
struct ptx_body {
	const struct ptx_function *function;
	uint32_t first;			/* number of its first step in ptx_program.steps */
	uint32_t rows;			/* number of rows of a frame */
	uint32_t preds;			/* number of predicates of a frame */
	uint32_t local_end;	/* where the last variable in the local memory of a frame ends */
	uint32_t local_bytes;		/* local memory of a frame, a multiple of 16 */
	uint64_t local_align;		/* alignment of this memory, at least 16 */
	struct ptx_address *addresses;	/* rows that have the addresses of variables */
	uint32_t address_count;		/* number of elements of @addresses */
	uint32_t *slots;	/* for each register its row or the index of its predicate */
};

/* A variable in shared memory */
struct ptx_shared {
	const struct ptx_variable *var;	/* the variable */
	uint32_t offset;		/* its offset in the window */
};

/* Is it an array of mbarriers? Its elements have 8 bytes, also if PTX declares it as bytes. */
static inline bool ptx_is_mbarriers(const struct ptx_shared *shared)
{
	return shared->var->align == 8 && shared->var->size > 8;
}

/**
 * struct ptx_program - Decoded code of a kernel and of all functions that it may call
 * @module: The module
 * @kernel: The kernel
 * @steps: All steps
 * @step_count: Number of steps
 * @bodies: Decoded functions; the first is that of the kernel
 * @body_count: Number of elements of @bodies
 * @by_index: The numbers of all bodies, in the order of the functions in the module
 * @consts: Rows of FILE_CONST
 * @const_count: Number of rows in @consts
 * @shared: Variables in shared memory
 * @shared_count: Number of elements of @shared
 * @shared_bytes: Bytes of all variables in static shared memory
 * @reserved_bytes: Bytes of shared memory before all variables: PTX_RESERVED if an instruction
 *	reads a register %reserved_smem_offset_<n>, otherwise 0
 * @dynamic_offset: Offset at which dynamic shared memory begins
 * @dynamic: The program has a variable in dynamic shared memory
 * @shared_rows: Offsets whose cluster shared address is in a row of FILE_WARP, after the rows of
 *	special registers. An offset is negative (modulo 2^64) if it is before the window
 * @shared_row_count: Number of elements of @shared_rows
 * @needs_heap: It calls malloc or free
 * @needs_device: It has an instruction that the device executes
 * @extras: Memory behind &ptx_step.extra
 */
struct ptx_program {
	const struct ptx_module *module;
	const struct ptx_function *kernel;
	struct ptx_step *steps;
	uint32_t step_count;
	struct ptx_body *bodies;
	uint32_t body_count;
	uint32_t *by_index;
	uint64_t *consts;
	uint32_t const_count;
	struct ptx_shared *shared;
	uint32_t shared_count;
	uint32_t shared_bytes;
	uint32_t reserved_bytes;
	uint32_t dynamic_offset;
	bool dynamic;
	uint64_t *shared_rows;
	uint32_t shared_row_count;
	bool needs_heap;
	bool needs_device;
	struct ptx_extra *extras;
};

#endif
