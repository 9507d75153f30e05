/* SPDX-License-Identifier: MIT */
/*
 * What the readers of PTX and of scenarios have in common: text, the table of operations, opcodes.
 * libvsm-ptx and the command vsm both contain these functions. No program outside can use them.
 */
#ifndef _VSM_SYNTAX_H_
#define _VSM_SYNTAX_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <vsm.h>

/* --- text ----------------------------------------------------------------- */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define BIT(number)	(1U << (number))

/* --- reading lines -------------------------------------------------------- */

/* At most this number of errors of a file are reported. */
#define MAX_ERRORS 20

/**
 * struct errors - The errors of a file
 * @path: Path of the file
 * @out: Stream to which each error is written, as a line FILE:LINE:COLUMN: message
 * @count: Number of errors
 */
struct errors {
	const char *path;
	FILE *out;
	unsigned int count;
};

/**
 * struct cursor - A place in a line
 * @errors: Where errors in the line are counted and written
 * @line: Number of the line
 * @start: First character of the line
 * @at: Next character
 * @end: End of the line without its comment
 */
struct cursor {
	struct errors *errors;
	unsigned int line;
	const char *start;
	const char *at;
	const char *end;
};

/** struct span - Some characters of a line */
struct span {
	const char *text;
	size_t length;
};

/* Reports an error at a line and column. Line 0 stands for the whole file. */
void error_add(struct errors *errors, unsigned int line, unsigned int column,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Reports an error at @where in the line. Returns false. */
bool error_at(const struct cursor *c, const char *where, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
unsigned int column_of(const struct cursor *c, const char *where);

/*
 * take(), take_...(), need() and need_...() skip spaces, read something and move the cursor behind
 * it. If it is not there, need() and need_...() report an error and return false.
 */
void skip_spaces(struct cursor *c);
/* Removes spaces from the end of the line. */
void trim(struct cursor *c);
bool at_end(struct cursor *c);
/* Is the next character a digit? */
bool at_number(struct cursor *c);
bool take(struct cursor *c, char character);
bool need(struct cursor *c, char character);
/* The line must end here. */
bool need_end(struct cursor *c);
/* Reads ==. */
bool need_equal(struct cursor *c);
/* Takes letters, digits, _ and $. The span is empty if there are none. */
struct span take_word(struct cursor *c);
/* Takes the name of an operation: letters, digits, _ and dots. May be empty. */
struct span take_dotted(struct cursor *c);
/* Reads a word that does not begin with a digit. @what is its name in the error. */
bool need_name(struct cursor *c, const char *what, struct span *name);
/* Reads a decimal or hexadecimal (0x) number from 0 to @max. */
bool need_number(struct cursor *c, const char *what, uint64_t max, uint64_t *number);
/* Reads a number from @min to @max, which may have a minus sign. */
bool need_signed(struct cursor *c, const char *what, int64_t min, int64_t max, int64_t *number);
/* Reads a number from 1 to @max. */
bool need_size(struct cursor *c, const char *what, uint32_t max, uint32_t *size);

bool span_is(struct span span, const char *text);

/* Size of the text of quote() and found(). */
#define QUOTE_SIZE 48

/* Writes the span in quotes to @text, shortened if it is long. Returns @text. */
const char *quote(char text[QUOTE_SIZE], struct span span);
/* Writes the word or character at the cursor to @text, for an error. Returns @text. */
const char *found(struct cursor *c, char text[QUOTE_SIZE]);

/* --- similar names -------------------------------------------------------- */

/**
 * struct nearest - A search for the name that is most similar to a word
 * @word: The word
 * @name: The most similar name so far; NULL if no name is similar
 * @distance: Number of characters in which @name differs from @word
 */
struct nearest {
	struct span word;
	const char *name;
	unsigned int distance;
};

/* Compares @name with the word and keeps it if it is the most similar name so far. */
void nearest_try(struct nearest *nearest, const char *name);

#define MEANT_SIZE 96
/*
 * Writes "; did you mean NAME?" to @text, with @prefix before the name, or nothing if no name is
 * similar. Returns @text.
 */
const char *meant(const struct nearest *nearest, const char *prefix, char text[MEANT_SIZE]);

/* --- masks ---------------------------------------------------------------- */

/* Size of the text of bits_text() */
#define BITS_SIZE 128

/*
 * Writes the noun and the numbers of the bits in a mask to @text: "lane 3", "lanes 0 to 3 and 7".
 * Returns @text.
 */
const char *bits_text(char text[BITS_SIZE], const char *noun, uint32_t mask);

/* --- names in the source -------------------------------------------------- */

/* The part of a name in PTX that is the name in the source. */
struct span symbol_name(const char *symbol);

/* --- phrases -------------------------------------------------------------- */

#define PHRASE_WARPS 32

/* The number of announced bytes is not known. */
#define PHRASE_UNKNOWN UINT64_MAX

/* Writes "3 arrivals": the number, and the noun with an s if it is not 1. */
void ptx_phrase_count(FILE *out, uint64_t count, const char *noun);

/*
 * Writes "lane 3 of warp 1" or "warps 0 to 2". @lanes has the lanes of each warp that are named,
 * and @all the lanes that each warp has. Returns true if the text names one warp or one lane.
 */
bool ptx_phrase_threads(FILE *out, const uint32_t lanes[PHRASE_WARPS],
			const uint32_t all[PHRASE_WARPS]);

/*
 * Writes what a phase lacks: "1 arrival of 2 is missing; 16 bytes of 32 announced are missing".
 * @announced: The bytes that were announced for the phase, or %PHRASE_UNKNOWN
 */
void ptx_phrase_lack(FILE *out, const struct vsm_mbarrier_fields *fields, uint64_t expected,
		     uint64_t announced);

/* What no sound word has: "", ", poison", ", reserved bits" or ", poison, reserved bits". */
const char *ptx_word_marks(const struct vsm_mbarrier_fields *fields);

/* Writes "word 0x...: phase parity 0, pending 1, expected 2, tx-count 0", and its marks. */
void ptx_phrase_word(FILE *out, uint64_t word, const struct vsm_mbarrier_fields *fields);

/* Writes "barrier 3, which needs 96 threads". */
void ptx_phrase_barrier(FILE *out, uint32_t number, uint32_t needs);

/* Writes "64 threads have arrived, 32 are missing". */
void ptx_phrase_arrived(FILE *out, uint32_t arrived, uint32_t needs);

/* --- operations and their forms ------------------------------------------- */

/**
 * enum ptx_qualifier_group - Groups of qualifiers, in the order in which PTX writes them
 * @PTX_NEWER: Qualifiers that sm_90 does not have
 * @PTX_VECTOR: Number of elements: .v2 or .v4
 * @PTX_REDUCTION: &enum drm_vsm_red
 *
 * An instruction has at most one qualifier of each group.
 */
enum ptx_qualifier_group {
	PTX_SEM,
	PTX_SCOPE,
	PTX_SPACE,
	PTX_MODE,
	PTX_COMPLETION,
	PTX_MULTICAST,
	PTX_NEWER,
	PTX_CACHE_HINT,
	PTX_CP_MASK,
	PTX_PREFETCH,
	PTX_VECTOR,
	PTX_REDUCTION,
	PTX_NOFTZ,
	PTX_ALIGNED,
	PTX_TYPE,
	PTX_GROUPS,
};

/*
 * A qualifier that has a number in vsm_drm.h has the same number here. All other qualifiers of such
 * a group have numbers from PTX_BEYOND on.
 */
#define PTX_BEYOND	8

enum {
	/* Values of the group PTX_SEM beyond those of &enum drm_vsm_sem */
	PTX_SEM_WEAK = PTX_BEYOND,
	PTX_SEM_VOLATILE,
	/* Values of the group PTX_SPACE beyond those of &enum drm_vsm_space */
	PTX_SPACE_GLOBAL = PTX_BEYOND,
	PTX_SPACE_LOCAL,
	PTX_SPACE_CONST,
	PTX_SPACE_PARAM,
	/* Values of the group PTX_MODE */
	PTX_MODE_TILE = 0,
	PTX_MODE_IM2COL,
	PTX_MODE_IM2COL_NO_OFFS,
	/* Values of the group PTX_COMPLETION */
	PTX_COMPLETION_MBARRIER = 0,
	PTX_COMPLETION_GROUP,
	/* Values of the group PTX_NEWER */
	PTX_NEWER_LOAD = 0,
	PTX_NEWER_STORE,
	PTX_NEWER_GROUP,
	/* Values of the group PTX_PREFETCH */
	PTX_PREFETCH_64B = 0,
	PTX_PREFETCH_128B,
	PTX_PREFETCH_256B,
	/* Values of the group PTX_TYPE. Their lowest two bits encode the width */
	PTX_B8 = 0,
	PTX_B16,
	PTX_B32,
	PTX_B64,
	PTX_U8,
	PTX_U16,
	PTX_U32,
	PTX_U64,
	PTX_S8,
	PTX_S16,
	PTX_S32,
	PTX_S64,
	PTX_PRED,
	PTX_F16,
	PTX_F32,
	PTX_F64,
	PTX_B128,
	PTX_BF16,
};

static inline unsigned int ptx_type_bits(unsigned int type)
{
	return type == PTX_PRED ? 1 : 8 << (type & 3);
}

/* Width in bits of one im2colOffset. The dims - 2 offsets of a copy have 16 bits together. */
static inline unsigned int ptx_offset_bits(unsigned int dims)
{
	return 16 / (dims - 2);
}

/**
 * enum ptx_action - How an instruction is executed
 * @PTX_EXEC: By the device. The thread waits until the instruction is done
 * @PTX_ISSUE: By the device, asynchronously
 * @PTX_MOV: By the vsm command
 * @PTX_ADD: By the vsm command
 * @PTX_MAPA: By the vsm command
 * @PTX_LD: By the vsm command, which reads the mapped memory
 * @PTX_ST: By the vsm command, which writes to the mapped memory
 * @PTX_PRMT: By the vsm command
 * @PTX_EXCH: By the device if the word makes the instruction an mbarrier.init, otherwise by the vsm
 *	command
 * @PTX_NOP: Not at all, because it has no effect in a scenario
 * @PTX_SLEEP: By the device, which repeats the last SYNCS.PHASECHK.TRANS64.TRYWAIT of the thread
 * @PTX_BRANCH: Not at all. It is an error if the branch is taken
 */
enum ptx_action {
	PTX_EXEC,
	PTX_ISSUE,
	PTX_MOV,
	PTX_ADD,
	PTX_MAPA,
	PTX_LD,
	PTX_ST,
	PTX_PRMT,
	PTX_EXCH,
	PTX_NOP,
	PTX_SLEEP,
	PTX_BRANCH,
};

/**
 * enum ptx_role - What an operand is
 * @PTX_MATCH_OUT: The pair d|p of match.sync; d has the role PTX_MASK_OUT, p PTX_PRED_OUT
 * @PTX_ELECT_OUT: The pair d|p of elect.sync, with the roles of PTX_MATCH_OUT
 * @PTX_SHFL_OUT: The pair d|p of shfl.sync, with the roles of PTX_MATCH_OUT
 * @PTX_SHARED: Address in shared memory
 * @PTX_SOURCE: Address of the source of a copy between windows, in the window of the executing CTA
 * @PTX_MEMORY: Address of ld and st, in any state space
 * @PTX_TENSOR: [tensorMap, {coordinates}]. The map has the role PTX_MAP, a coordinate PTX_COORD
 * @PTX_OFFSET: im2colOffsets, and each of its elements
 * @PTX_THREADS: Number of threads at a barrier. PTX writes it before PTX_PREDICATE
 */
enum ptx_role {
	PTX_NOTHING,
	/* destinations */
	PTX_STATE_OUT,
	PTX_COMPLETE_OUT,
	PTX_COUNT_OUT,
	PTX_VALUE_OUT,
	PTX_MASK_OUT,
	PTX_PRED_OUT,
	PTX_MATCH_OUT,
	PTX_ELECT_OUT,
	PTX_SHFL_OUT,
	/* addresses */
	PTX_SHARED,
	PTX_SOURCE,
	PTX_MBAR,
	PTX_GLOBAL,
	PTX_MEMORY,
	PTX_TENSOR,
	PTX_MAP,
	PTX_COORD,
	/* values */
	PTX_COUNT,
	PTX_TX_COUNT,
	PTX_STATE,
	PTX_PARITY,
	PTX_HINT,
	PTX_SIZE,
	PTX_CP_SIZE,
	PTX_SRC_SIZE,
	PTX_POLICY,
	PTX_VALUE,
	PTX_RANK,
	PTX_IN_FLIGHT,
	PTX_CTA_MASK,
	PTX_BYTE_MASK,
	PTX_OFFSET,
	PTX_MEMBERMASK,
	PTX_LANE,
	PTX_CLAMP,
	PTX_VOTE,
	PTX_BARRIER,
	PTX_THREADS,
	PTX_PREDICATE,
};

/* Largest number of operands of an instruction */
#define PTX_OPERANDS 6
/* Largest number of operands of an instruction if each element of a vector counts as one */
#define PTX_ELEMENTS 13

/* Largest number of forms of an operation. An operation may have fewer, or exactly as many. */
#define PTX_FORMS 4

/**
 * struct ptx_form - A form of an operation, in all languages
 * @mods: Mask of &enum drm_vsm_mod
 * @rest: What follows the name of the operation in PTX: qualifiers and operands. NULL in an
 *	entry that is not used
 * @nvvm: Names of NVVM operations, separated by commas; "" if there is none
 * @machine: An instruction of sm_90 with its operands, or names of instructions, separated by
 *	commas; "" if there is none
 * @lib: Name of the function of libvsm without vsm_prep_, and the flags that it needs. A name that
 *	begins with vsm_ is complete
 */
struct ptx_form {
	uint16_t mods;
	const char *rest;
	const char *nvvm;
	const char *machine;
	const char *lib;
};

/**
 * struct ptx_op - An operation of PTX
 * @name: Name, with the qualifiers that distinguish this operation from others
 * @syntax: Qualifiers and operands behind the name in PTX's notation, for messages
 * @action: &enum ptx_action
 * @op: &enum drm_vsm_op; 0 if the device does not execute it
 * @mods: Mask of the &enum drm_vsm_mod that the name implies
 * @sem: &enum drm_vsm_sem in the name; 0 if there is none
 * @space: &enum drm_vsm_space in the name; 0 if there is none
 * @dims: Number of dimensions of a tensor copy; 0 for all others
 * @mode: &enum drm_vsm_mode of a warp operation; 0 if it has none
 * @quals: Allowed qualifiers, a mask for each group
 * @required: Mask of the groups that an instruction must have
 * @types: Mask of the types that each reduction takes, indexed by &enum drm_vsm_red; NULL if all
 *	types in @quals are allowed
 * @roles: Operands in order
 * @needs: Number of operands that every instruction has: the first @needs of @roles. The others are
 *	there only if a qualifier requires them; one of them may be optional instead
 * @forms: Forms in all languages. "vsm ops" prints them, and scenarios accept their names in NVVM
 *	and machine code. A row has no forms if it is another name of an operation that has them, or
 *	if it is an instruction only of scenarios
 */
struct ptx_op {
	const char *name;
	const char *syntax;
	enum ptx_action action;
	uint16_t op;
	uint16_t mods;
	uint8_t sem;
	uint8_t space;
	uint8_t dims;
	uint8_t mode;
	uint32_t quals[PTX_GROUPS];
	uint16_t required;
	const uint32_t *types;
	uint8_t roles[PTX_OPERANDS];
	uint8_t needs;
	struct ptx_form forms[PTX_FORMS];
};

extern const struct ptx_op ptx_ops[];
extern const unsigned int ptx_op_count;

/* Names of instructions that PTX has and vsm lacks. NULL ends the list. */
extern const char *const ptx_lacking[];

/* --- opcodes -------------------------------------------------------------- */

/**
 * struct ptx_opcode - A parsed opcode
 * @op: Operation; NULL if there is none with this name
 * @quals: Qualifier of each group
 * @given: Mask of the groups of which the opcode has a qualifier
 */
struct ptx_opcode {
	const struct ptx_op *op;
	uint8_t quals[PTX_GROUPS];
	uint16_t given;
};

/**
 * struct ptx_order - A wrong .sem or .scope
 * @where: Place of the .sem or .scope; NULL if there is no such error
 * @message: Text of the error
 *
 * The device refuses such an instruction with the fault BAD_ORDER. The error is reported unless the
 * scenario expects this fault.
 */
struct ptx_order {
	const char *where;
	char message[160];
};

/*
 * Reads an opcode at the cursor. Sets @order and returns true if its only error is a wrong .sem or
 * .scope. Reports all other errors and returns false.
 */
bool ptx_parse_opcode(struct cursor *c, struct ptx_opcode *opcode, struct ptx_order *order);

/* --- operands ------------------------------------------------------------- */

/**
 * struct ptx_field - A field of &struct drm_vsm_insn
 * @offset: Offset of the field in bytes
 * @size: Size of the field in bytes; 0 if the operation has no field for the operand
 */
struct ptx_field {
	uint8_t offset;
	uint8_t size;
};

/* The traits of an &enum drm_vsm_op: a mask of VSM_OP_ASYNC and the like (vsm_ops.h). */
uint32_t ptx_op_traits(unsigned int op);
/* Does the operation, an &enum drm_vsm_op, take the operands of st.async? */
bool ptx_op_stores(unsigned int op);

/*
 * Returns the name of the qualifier that requires an operand with this role; NULL if there is none.
 * Sets @given to true if the opcode has the qualifier.
 */
const char *ptx_required_by(const struct ptx_opcode *opcode, uint8_t role, bool *given);

/*
 * Finds the roles of @count operands. They depend on the qualifiers and, if an operand is optional,
 * on @count. Returns 0, the number of operands that are too many, or the negative number of those
 * that are missing. The first missing one has the role @assigned[@count].
 */
int ptx_assign_roles(const struct ptx_opcode *opcode, unsigned int count,
		     uint8_t assigned[PTX_OPERANDS]);

/* Returns the mask of the &enum drm_vsm_mod that the opcode sets. */
uint16_t ptx_opcode_mods(const struct ptx_opcode *opcode);
/* Returns the &enum drm_vsm_mod that says that an operand has this role; 0 if there is none. */
uint16_t ptx_role_mod(unsigned int op, uint8_t role);

/* Sets what the opcode says: all fields of @insn except the operands and the modifiers. */
void ptx_encode_opcode(const struct ptx_opcode *opcode, struct drm_vsm_insn *insn);
/* Returns the field of the operand. The elements of a vector are in it one behind the other. */
struct ptx_field ptx_field_of(unsigned int op, uint8_t role);

#endif
