/* SPDX-License-Identifier: MIT */
/* What all decoders need: errors, rows, places of variables, functions, addresses and operands. */
#ifndef _CODE_DECODER_H_
#define _CODE_DECODER_H_

#include "code/code.h"
#include "code/steps.h"
#include "load/module.h"

/* --- errors and constants ------------------------------------------------- */

/**
 * struct ptx_decoder - The function that is being decoded
 * @function: The function
 * @module: Its module
 * @slots: For each register of the function its row (PTX_ROW(FILE_FRAME, n)), or the index of its
 *	predicate if its type is TYPE_PRED
 * @consts: Constants, 32 equal numbers for each row
 * @const_count: Number of constants
 * @const_space: Number of constants that have memory
 * @wrote_first: The first operand of the instruction is a destination, or has one
 * @seed: Start of every hash. It differs from run to run, so that no text can be made whose
 *	numbers collide
 * @messages: Where errors are added
 *
 * A step is first filled with zeros, PTX_NO_ROW in dst, dst2 and src, guard and insn; a decoding
 * function fills in the rest.
 */
struct ptx_decoder {
	const struct ptx_function *function;
	const struct ptx_module *module;
	uint32_t *slots;
	uint64_t *consts;
	uint32_t const_count;
	uint32_t const_space;
	bool wrote_first;
	uint64_t seed;
	struct ptx_messages *messages;
};

/** enum ptx_decoded - Result of a decoding function */
enum ptx_decoded {
	DECODED,	/* the step is filled in */
	NOT_MINE,	/* the opcode is not one of this file; no message was added */
	REFUSED,	/* a message was added */
};

/* Adds an error at the instruction. Always returns REFUSED. */
enum ptx_decoded ptx_refuse(struct ptx_decoder *d, const struct ptx_insn *insn,
			    const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The row of a constant. If memory runs out, it adds an error and returns PTX_NO_ROW. */
uint32_t ptx_const_row(struct ptx_decoder *d, uint64_t value);

/* --- a program that is being built ---------------------------------------- */

/** struct ptx_extra - Memory behind &ptx_step.extra, in a list that the program frees */
struct ptx_extra {
	struct ptx_extra *next;
	char data[] __attribute__((aligned(16)));
};

/* Rows of addresses that are found by their offsets: a hash table */
struct ptx_offsets {
	/* Offsets and their rows. The row of a free slot is PTX_NO_ROW. */
	struct ptx_address *slots;
	uint32_t space;	/* number of slots, a power of two, or 0 */
	uint32_t count;	/* number of slots in use */
};

/**
 * struct ptx_builder - A program that is being built
 * @d: State of the decoding functions
 * @program: The program
 * @body: The body that is being decoded
 * @step_space: Number of steps that have memory
 * @tables: Variables whose initialisers have addresses
 * @table_count: Number of elements of @tables
 * @local_offsets: Rows that have addresses in the local memory of @body
 * @shared_offsets: Rows that have addresses in shared memory
 * @targets: For each list of targets of the function the targets, which all brx.idx with this list
 *	share; NULL until the first one is decoded
 * @failed: Memory ran out
 */
struct ptx_builder {
	struct ptx_decoder d;
	struct ptx_program *program;
	struct ptx_body *body;
	uint32_t step_space;
	const struct ptx_variable **tables;
	uint32_t table_count;
	struct ptx_offsets local_offsets;
	struct ptx_offsets shared_offsets;
	struct ptx_targets **targets;
	bool failed;
};

static inline struct ptx_builder *to_builder(struct ptx_decoder *d)
{
	return (struct ptx_builder *)d;
}

/* Makes room for one more element in an array. Returns NULL and leaves the array if that fails. */
void *ptx_grow(void *array, uint32_t count, size_t size);
/* Zeroed memory for &ptx_step.extra. Returns NULL and marks the builder if there is none. */
void *ptx_extra_alloc(struct ptx_builder *b, size_t size);

/* --- places of variables -------------------------------------------------- */

/*
 * Sets the addresses of parameters and of variables in local memory, if this has not been done, and
 * finds where the last of these variables ends. Returns false if the frame is too large.
 */
bool ptx_lay_out_function(const struct ptx_function *function, uint32_t *local_end);
/* The alignment of the local memory of a frame. */
uint64_t ptx_local_align(const struct ptx_function *function);
/* Adds a variable in shared memory, if it is a new one. Returns false if memory runs out. */
bool ptx_add_shared(struct ptx_program *program, const struct ptx_variable *var);
/* Sets the offsets of all variables in shared memory. */
void ptx_lay_out_shared(struct ptx_program *program);

/* --- functions ------------------------------------------------------------ */

/* The number of the body of a function. Adds a body if there is none. -1 if memory runs out. */
int ptx_body_of(struct ptx_builder *b, const struct ptx_function *function);
/* Prepares ptx_program_function(), when all bodies are known. Returns false if memory runs out. */
bool ptx_sort_bodies(struct ptx_program *program);

/* The address of a function in generic addressing; 0 if the module does not define it. */
uint64_t ptx_function_address(const struct ptx_module *module,
			      const struct ptx_function *function);
/* The body that has this address; NULL if the kernel cannot call it. */
const struct ptx_body *ptx_program_function(const struct ptx_program *program, uint64_t address);

/* --- special registers ---------------------------------------------------- */

/* The registers that are vectors. */
#define PTX_SPECIAL_VECTORS \
	(1ull << SPECIAL_TID | 1ull << SPECIAL_NTID | \
	 1ull << SPECIAL_CTAID | 1ull << SPECIAL_NCTAID | \
	 1ull << SPECIAL_CLUSTERID | 1ull << SPECIAL_NCLUSTERID | \
	 1ull << SPECIAL_CLUSTER_CTAID | 1ull << SPECIAL_CLUSTER_NCTAID)

/* Rows that ptx_special_row() may return: 0 to PTX_SPECIAL_ROWS - 1. */
#define PTX_SPECIAL_ROWS	(SPECIALS + 2 * 8)

/* The index in FILE_WARP of a special register; @dim is 0 for a register that is not a vector. */
static inline uint32_t ptx_special_row(enum ptx_special special, unsigned int dim)
{
	uint64_t before = PTX_SPECIAL_VECTORS & ((1ull << special) - 1);

	return (uint32_t)special + 2 * (uint32_t)__builtin_popcountll(before) + dim;
}

/* Bytes at the begin of shared memory that GPUs reserve for the system. */
#define PTX_RESERVED	1024

/* Does the register change while a warp runs? Only STEP_CLOCK reads the row of such a register. */
static inline bool ptx_special_changes(enum ptx_special special)
{
	return special >= SPECIAL_CLOCK && special <= SPECIAL_GLOBALTIMER_HI;
}

/* The type with which PTX declares the register. */
static inline enum ptx_type ptx_special_type(enum ptx_special special)
{
	switch (special) {
	case SPECIAL_IS_EXPLICIT_CLUSTER:
		return TYPE_PRED;
	case SPECIAL_GRIDID:
	case SPECIAL_CLOCK64:
	case SPECIAL_GLOBALTIMER:
		return TYPE_U64;
	default:
		return TYPE_U32;
	}
}

/* --- addresses ------------------------------------------------------------ */

/* Frees and empties a table of rows. */
void ptx_offsets_clear(struct ptx_offsets *offsets);
/*
 * Is the variable that the operand names in the state space of the instruction? If not, it adds an
 * error and returns false. SPACE_GENERIC takes variables in global and constant memory: their
 * addresses are generic addresses.
 */
bool ptx_check_space(struct ptx_builder *b, const struct ptx_insn *insn,
		     const struct ptx_operand *operand, enum ptx_space space);
/* The same for an instruction that takes no variables of other spaces as SPACE_GENERIC. */
bool ptx_check_exact_space(struct ptx_builder *b, const struct ptx_insn *insn,
			   const struct ptx_operand *operand, enum ptx_space space);
/* Is the variable a parameter of the kernel that is decoded? */
bool ptx_is_kernel_param(const struct ptx_builder *b, const struct ptx_variable *var);
/*
 * The address operand of an instruction: a row, which may be PTX_NO_ROW, and a number to add. If
 * @framed is set, the sum is relative to the local memory of the frame. Returns false if the
 * operand is no address. The caller checks the state space of its variable.
 */
bool ptx_address_operand(struct ptx_builder *b, const struct ptx_insn *insn,
			 const struct ptx_operand *operand, enum ptx_space space,
			 uint32_t *row, int64_t *offset, bool *framed);

/* --- operands ------------------------------------------------------------- */

/*
 * The row of a source that has @type: a register, a number (converted to the type, with an error if
 * it does not fit the kind), a special register or the address of a variable. Returns false and
 * adds an error if the operand is something else. Addresses and special registers are rows of
 * FILE_WARP that run/ fills.
 */
bool ptx_source_row(struct ptx_decoder *d, const struct ptx_insn *insn,
		    const struct ptx_operand *operand, enum ptx_type type, uint32_t *row);
/* The same for a predicate: a register, or 0 or 1. */
bool ptx_source_pred(struct ptx_decoder *d, const struct ptx_insn *insn,
		     const struct ptx_operand *operand, uint32_t *pred);
/* A destination: a register, or PTX_NO_ROW for the sink. */
bool ptx_target_row(struct ptx_decoder *d, const struct ptx_insn *insn,
		    const struct ptx_operand *operand, enum ptx_type type, uint32_t *row);
bool ptx_target_pred(struct ptx_decoder *d, const struct ptx_insn *insn,
		     const struct ptx_operand *operand, uint32_t *pred);

/*
 * The type of a register (of a component, if it is a vector) or special register; TYPE_NONE for
 * other operands. The functions above want the size of the type that they are given; where PTX
 * allows wider registers, pass this type.
 */
enum ptx_type ptx_operand_type(const struct ptx_decoder *d, const struct ptx_operand *operand);

#endif
