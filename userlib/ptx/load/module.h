/* SPDX-License-Identifier: MIT */
/*
 * A PTX module as it is read from text: variables, functions, and instructions with their operands.
 *
 * Names are resolved: an operand refers to a register, a variable, a function or a label by index
 * or pointer. The opcode of an instruction is not interpreted: the parser accepts any opcode, and
 * code/ decides whether it can be executed. Everything belongs to the module, and is freed with it.
 */
#ifndef _LOAD_MODULE_H_
#define _LOAD_MODULE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- types ---------------------------------------------------------------- */

/** enum ptx_type - Fundamental types, and the packed types of two elements */
enum ptx_type {
	TYPE_NONE,
	TYPE_PRED,
	TYPE_B8,
	TYPE_B16,
	TYPE_B32,
	TYPE_B64,
	TYPE_B128,
	TYPE_U8,
	TYPE_U16,
	TYPE_U32,
	TYPE_U64,
	TYPE_S8,
	TYPE_S16,
	TYPE_S32,
	TYPE_S64,
	TYPE_F16,
	TYPE_F16X2,
	TYPE_BF16,
	TYPE_BF16X2,
	TYPE_TF32,
	TYPE_F32,
	TYPE_F64,
	TYPES,
};

/** enum ptx_space - State spaces */
enum ptx_space {
	SPACE_GENERIC,
	SPACE_REG,
	SPACE_GLOBAL,
	SPACE_SHARED,		/* .shared and .shared::cta */
	SPACE_SHARED_CLUSTER,
	SPACE_LOCAL,
	SPACE_CONST,
	SPACE_PARAM,		/* .param, .param::entry and .param::func */
};

/* Bytes of a value of the type in memory; 0 for TYPE_NONE and TYPE_PRED. */
unsigned int ptx_type_size(enum ptx_type type);
bool ptx_type_is_signed(enum ptx_type type);
bool ptx_type_is_float(enum ptx_type type);
/* The type that PTX writes as .@name; TYPE_NONE if there is none. */
enum ptx_type ptx_type_named(const char *name, unsigned int length);
/* The name without its dot. */
const char *ptx_type_name(enum ptx_type type);

/* --- modules -------------------------------------------------------------- */

/** struct ptx_name - A piece of the module's text that is not terminated by a zero */
struct ptx_name {
	const char *text;
	unsigned int length;
};

/* The longest chain of calls of functions that are inlined into each other. */
#define PTX_MAX_INLINED 64

/* A call in whose place the compiler has put the code of the function */
struct ptx_inlined {
	int32_t file;	/* file of the call: index in ptx_module.files */
	uint32_t line;	/* line of the call in that file; not 0 */
	/* If the function that makes this call is inlined itself, its call; otherwise NULL */
	const struct ptx_inlined *outer;
	/* Number of calls from this one to the outermost one; at most PTX_MAX_INLINED */
	uint32_t depth;
};

/* A place in the PTX text, and the place in the source from the last .loc */
struct ptx_place {
	uint32_t line;		/* line of the PTX text, from 1 */
	uint32_t column;	/* column of the PTX text, from 1 */
	int32_t file;		/* index in ptx_module.files; -1 if no .loc is in effect */
	uint32_t source_line;	/* line in that file */
	uint32_t source_column;	/* column in that file */
	/* If the function with that line is inlined, its call; otherwise NULL */
	const struct ptx_inlined *inlined;
};

/* The address of a symbol in the initialiser of a variable */
struct ptx_reloc {
	uint64_t offset;			/* byte offset in the variable */
	uint8_t size;	/* bytes of the address: 4 or 8 (1 if @mask selects a byte of it) */
	/*
	 * Bits by which the address is shifted right (for mask expressions such as 0xFF00(x)); or
	 * 0.
	 */
	uint8_t shift;
	/* The address is generic(@var), not the address in the state space of @var */
	bool generic;
	const struct ptx_variable *var;		/* variable; NULL if @function is set */
	const struct ptx_function *function;	/* function whose address is taken */
	int64_t addend;				/* number added to the address */
};

/* A variable in a state space other than .reg, or a parameter */
struct ptx_variable {
	const char *name;		/* name, terminated by a zero */
	/* SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST or SPACE_PARAM */
	enum ptx_space space;
	enum ptx_type type;		/* type of an element (of a vector: of each component) */
	uint32_t align;			/* alignment in bytes; at least that of the type */
	uint64_t size;	/* Bytes. 0 for an array of unknown size: dynamic shared memory. */
	bool external;			/* declared .extern */
	/* A .texref, .samplerref or .surfref: no instruction that uses it can be executed */
	bool opaque;
	uint32_t pointee_align;		/* a parameter that is a pointer (.ptr .align N); or 0 */
	uint8_t *init;			/* @size bytes; NULL if there is no initialiser */
	struct ptx_reloc *relocs;	/* addresses in the initialiser */
	unsigned int reloc_count;	/* number of elements of @relocs */
	unsigned int index;		/* number of the variable in its list */
	uint64_t address;	/* set by code/ or run/: address or offset in the state space */
	/* Set by code/: number of the variable in a list of the program that was built last */
	uint32_t slot;
	struct ptx_place place;		/* where the variable is declared */
};

/*
 * Special registers (PTX ISA, chapter 10) A register that is a vector has &ptx_operand.dim 0 for
 * .x, 1 for .y, 2 for .z. SPECIALS stands for a register that is not supported: %pm<n> and
 * %current_graph_exec. A kernel that reads one is refused when it is launched.
 */
enum ptx_special {
	SPECIAL_TID,
	SPECIAL_NTID,
	SPECIAL_LANEID,
	SPECIAL_WARPID,
	SPECIAL_NWARPID,
	SPECIAL_CTAID,
	SPECIAL_NCTAID,
	SPECIAL_SMID,
	SPECIAL_NSMID,
	SPECIAL_GRIDID,
	SPECIAL_IS_EXPLICIT_CLUSTER,
	SPECIAL_CLUSTERID,
	SPECIAL_NCLUSTERID,
	SPECIAL_CLUSTER_CTAID,
	SPECIAL_CLUSTER_NCTAID,
	SPECIAL_CLUSTER_CTARANK,
	SPECIAL_CLUSTER_NCTARANK,
	SPECIAL_LANEMASK_EQ,
	SPECIAL_LANEMASK_LE,
	SPECIAL_LANEMASK_LT,
	SPECIAL_LANEMASK_GE,
	SPECIAL_LANEMASK_GT,
	SPECIAL_CLOCK,
	SPECIAL_CLOCK_HI,
	SPECIAL_CLOCK64,
	SPECIAL_GLOBALTIMER,
	SPECIAL_GLOBALTIMER_LO,
	SPECIAL_GLOBALTIMER_HI,
	SPECIAL_TOTAL_SMEM_SIZE,
	SPECIAL_DYNAMIC_SMEM_SIZE,
	SPECIAL_AGGR_SMEM_SIZE,
	SPECIAL_RESERVED_BEGIN,	/* %reserved_smem_offset_begin; the next four are its neighbours */
	SPECIAL_RESERVED_END,
	SPECIAL_RESERVED_CAP,
	SPECIAL_RESERVED_0,
	SPECIAL_RESERVED_1,
	SPECIAL_ENVREG1,
	SPECIAL_ENVREG2,
	SPECIAL_ENVREG,		/* any other %envreg<n> */
	SPECIALS,
};

struct ptx_operand;

/**
 * struct ptx_table - A list of .branchtargets or .calltargets
 * @elements: Its labels (OPERAND_LABEL) or functions (OPERAND_FUNCTION)
 * @count: Number of elements; not 0
 * @index: Number of the list in &ptx_function.tables
 * @used: An instruction names the list
 *
 * All instructions that name the list share it. Do not go through the list once for each of these
 * instructions: the time would grow with the square of the size of the text.
 */
struct ptx_table {
	const struct ptx_operand *elements;
	unsigned int count;
	uint32_t index;
	bool used;
};

/**
 * struct ptx_operand - An operand
 * @kind: What it is
 * @inverted: A predicate with a ! before it
 * @reg: OPERAND_REG: index in &ptx_function.regs. OPERAND_ADDRESS: base register, or -1
 * @number: OPERAND_INT: the number, sign-extended. OPERAND_F32, OPERAND_F64: the bits of the value.
 *	OPERAND_ADDRESS, OPERAND_VARIABLE: byte offset that is added
 * @var: OPERAND_VARIABLE: the variable whose address it is. OPERAND_ADDRESS: base variable, or NULL
 * @function: OPERAND_FUNCTION. A label of .callprototype is such an operand, too: its function is
 *	not in &ptx_module.functions, and has no body
 * @label: OPERAND_LABEL: index in &ptx_function.insns of the instruction behind the label. It may
 *	be the number of instructions
 * @special: OPERAND_SPECIAL. (A whole vector is an OPERAND_VECTOR with four elements)
 * @unsupported: OPERAND_SPECIAL with SPECIALS: the name of the register
 * @dim: OPERAND_SPECIAL: component of a vector
 * @component: OPERAND_REG: component of a register that was declared .v2 or .v4: 0 to 3 for .x/.r
 *	to .w/.a, whose index is @reg + @component. -1 for a scalar. (A whole vector is an
 *	OPERAND_VECTOR with its components as elements)
 * @selector: OPERAND_REG of a video instruction, with bytes or halves such as .b0
 * @table: OPERAND_TABLE
 * @elements: OPERAND_VECTOR: components. OPERAND_PAIR: the two sides of a|b. OPERAND_LIST: the
 *	operands in the parentheses of a call. OPERAND_ADDRESS: what follows the comma in
 *	[map, {c0, c1}]: one OPERAND_VECTOR, or more operands
 * @count: Number of elements
 * @column: Column where the operand begins
 */
struct ptx_operand {
	enum {
		OPERAND_REG,
		OPERAND_INT,
		OPERAND_F32,		/* 0f and eight digits */
		OPERAND_F64,		/* 0d and sixteen digits, or a decimal fraction */
		OPERAND_SPECIAL,
		OPERAND_VARIABLE,	/* address of a variable: x, x+4 */
		OPERAND_FUNCTION,
		OPERAND_LABEL,
		OPERAND_ADDRESS,	/* [...] */
		OPERAND_VECTOR,		/* {a, b} */
		OPERAND_PAIR,		/* a|b */
		OPERAND_LIST,		/* (a, b) */
		OPERAND_SINK,		/* _ */
		OPERAND_TABLE,		/* name of .branchtargets or .calltargets */
	} kind;
	bool inverted;
	bool selector;
	uint8_t dim;
	int8_t component;
	int32_t reg;
	uint32_t label;
	enum ptx_special special;
	const char *unsupported;
	int64_t number;
	const struct ptx_variable *var;
	const struct ptx_function *function;
	struct ptx_table *table;
	struct ptx_operand *elements;
	unsigned int count;
	uint32_t column;
};

/* The register of an operand: of a component of a vector, the register of the component. */
static inline int32_t ptx_operand_reg(const struct ptx_operand *operand)
{
	bool component = operand->reg >= 0 && operand->component > 0;

	return operand->reg + (component ? operand->component : 0);
}

/* Largest number of parts of an opcode. */
#define PTX_PARTS 16

/* An instruction */
struct ptx_insn {
	struct ptx_name opcode;	/* the whole opcode: "mbarrier.try_wait.parity.shared::cta.b64" */
	/* The opcode, split at its dots: "mbarrier", "try_wait", ... "shared::cta" is one part. */
	struct ptx_name parts[PTX_PARTS];
	uint8_t part_count;		/* number of parts */
	bool guard_not;			/* the guard has a ! */
	bool leader;			/* a label stands before the instruction */
	int32_t guard;	/* index of the register of the guard predicate; -1 if there is none */
	struct ptx_operand *operands;	/* operands, in order */
	unsigned int operand_count;	/* number of operands */
	struct ptx_place place;		/* where it is */
};

/** struct ptx_register - A register that a function declares */
struct ptx_register {
	const char *name;
	enum ptx_type type;
};

/* A function or kernel */
struct ptx_function {
	const char *name;
	bool entry;			/* it is a kernel (.entry) */
	bool defined;			/* it has a body */
	bool noreturn;			/* .noreturn */
	bool explicitcluster;		/* .explicitcluster */
	bool blocksareclusters;		/* .blocksareclusters: the grid counts clusters, not CTAs */
	struct ptx_variable *params;	/* parameters */
	unsigned int param_count;	/* number of parameters */
	/*
	 * If the function is an alias, the function whose body it has; otherwise NULL. All members
	 * except @name, @index and this one are those of that function.
	 */
	const struct ptx_function *alias_of;
	struct ptx_variable *returns;	/* return parameters (as a list, although PTX allows one) */
	unsigned int return_count;	/* number of return parameters */
	/*
	 * All registers, including those of nested scopes and those that are parameters (.reg
	 * parameters of functions are SPACE_REG variables with ptx_variable.address the register).
	 */
	struct ptx_register *regs;
	unsigned int reg_count;		/* number of registers */
	/* Variables that are declared in the body: .local, .shared and .param */
	struct ptx_variable **locals;
	unsigned int local_count;	/* number of these variables */
	struct ptx_table **tables;	/* lists of .branchtargets and .calltargets */
	unsigned int table_count;	/* number of these lists */
	struct ptx_insn *insns;		/* instructions */
	unsigned int insn_count;	/* number of instructions */
	uint32_t maxntid[3];		/* .maxntid; 0 if not given (a missing dimension is 1) */
	uint32_t reqntid[3];		/* .reqntid; 0 if not given */
	uint32_t reqnctapercluster[3];	/* .reqnctapercluster; 0 if not given */
	uint32_t maxclusterrank;	/* .maxclusterrank, or 0 */
	bool laid_out;	/* set by code/: the variables in local memory have their offsets */
	bool fits;			/* set by code/: they are not too large */
	uint32_t local_end;		/* set by code/: where the last of them ends */
	uint32_t index;			/* number of the function in ptx_module.functions */
	uint32_t body;	/* set by code/: number of its body in the program that was built last */
	struct ptx_place place;		/* where it is declared */
	struct ptx_place end;		/* place of the closing brace of its body */
};

/* A module */
struct ptx_module {
	const char *path;		/* name of the file, for messages */
	unsigned int version;		/* PTX ISA version, 10 * major + minor */
	unsigned int target;		/* number of .target sm_N */
	char arch;			/* letter behind the number ('a', 'f'), or 0 */
	unsigned int address_size;	/* 32 or 64. Only 64 is accepted. */
	const char **files;	/* names from .file, by their number; NULL where there is none */
	unsigned int file_count;	/* number of elements of @files */
	/* Variables of module scope (.global, .const, .shared), in order */
	struct ptx_variable **variables;
	unsigned int variable_count;	/* number of variables */
	/* Functions, in order. A function that is declared and later defined is there once. */
	struct ptx_function **functions;
	unsigned int function_count;	/* number of functions */
};

/* Errors found in a module, or by a check of its kernels */
struct ptx_messages {
	/*
	 * Lines "FILE:LINE:COLUMN: message", one for each error; NULL if there is none. The owner
	 * of the structure frees it.
	 */
	char *text;
	unsigned int count;	/* number of errors */
	bool failed;		/* memory ran out while an error was added */
};

/* At most this number of errors are recorded. */
#define PTX_MAX_MESSAGES 20

void ptx_message(struct ptx_messages *messages, const char *path, uint32_t line, uint32_t column,
		 const char *format, ...) __attribute__((format(printf, 5, 6)));

/**
 * ptx_module_parse - Read a module
 * @path: Name of the file, for messages; copied
 * @text: The text; copied. It may contain any bytes
 * @size: Bytes
 * @module: The module (out), NULL on an error
 * @messages: Gets a message for every error
 *
 * Return: 0; -EINVAL if the text has errors; -ENOMEM.
 */
int ptx_module_parse(const char *path, const char *text, size_t size, struct ptx_module **module,
		     struct ptx_messages *messages);
void ptx_module_free(struct ptx_module *module);

/* Find a function by its name. Returns NULL if there is none. */
const struct ptx_function *ptx_module_function(const struct ptx_module *module, const char *name);

/* The name of a file from .file; NULL if it is not known. */
const char *ptx_module_file(const struct ptx_module *module, int32_t file);
/* The outermost call of the inlined functions at a place; NULL if nothing is inlined there. */
const struct ptx_inlined *ptx_outermost(const struct ptx_place *place);

/* Is the part of the opcode with this index @text? A part that does not exist is not. */
bool ptx_insn_part_is(const struct ptx_insn *insn, unsigned int part, const char *text);

#endif
