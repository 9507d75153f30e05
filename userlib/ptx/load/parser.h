/* SPDX-License-Identifier: MIT */
/*
 * What the files of the PTX parser share.
 *
 * Functions that read something return false (or NULL) when they could not: then an error has been
 * reported, or the parser has stopped. A parser that has stopped reads only TOKEN_END and reports
 * nothing more, so that every loop ends.
 */
#ifndef _PTX_LOAD_PARSER_H_
#define _PTX_LOAD_PARSER_H_

#include "load/arena.h"
#include "load/module.h"
#include "load/name.h"
#include "load/token.h"
#include "text/macros.h"
#include "text/nearest.h"

/* Limits, against files that were made to use up memory or the stack. */
#define PTX_MAX_TEXT		(64u << 20)
#define PTX_MAX_MEMORY		(2ull << 30)
#define PTX_MAX_REGS		(1u << 20)	/* in a module */
#define PTX_MAX_SIZE		(4ull << 30)	/* of a variable */
#define PTX_MAX_INIT		(256ull << 20)	/* of all variables with initialisers */
#define PTX_MAX_ALIGN		(1u << 20)
#define PTX_MAX_DIMS		16
#define PTX_MAX_NESTING		100		/* of parentheses and braces in an expression */
#define PTX_MAX_FILES		65536

/** struct ptx_list - Elements that are collected until their number is known */
struct ptx_list {
	void *items;
	unsigned int count;
	unsigned int space;
};

/**
 * struct ptx_branch - A name that may be a label that stands further down
 * @word: Name
 * @operand: Operand that names it. NULL if its instruction had an error
 * @line: Place of the name
 * @column: Place of the name
 */
struct ptx_branch {
	struct ptx_word *word;
	struct ptx_operand *operand;
	uint32_t line;
	uint32_t column;
};

/**
 * struct ptx_alias - An .alias directive
 * @function: Function that has no body of its own
 * @target: Function whose body it shares
 * @line: Place of the directive
 * @column: Place of the directive
 */
struct ptx_alias {
	struct ptx_function *function;
	struct ptx_function *target;
	uint32_t line;
	uint32_t column;
};

/**
 * struct ptx_parser - State of the parser
 * @path: Name of the file
 * @messages: Where errors are reported
 * @arena: Memory of the module
 * @module: The module
 * @error: The parser has stopped: -EINVAL, or -ENOMEM; or 0
 * @lexer: Place of the next token
 * @token: Current token
 * @nesting: Depth of the parentheses and braces around the token
 * @names: Names and scopes
 * @variables: struct ptx_variable *: those of the module
 * @functions: struct ptx_function *: those of the module
 * @files: const char *: names from .file
 * @aliases: struct ptx_alias: .alias directives
 * @last_file: Highest number of a file in a .loc; -1 if there is none
 * @all_regs: Number of registers of all functions
 * @init_size: Bytes of all variables that have an initialiser
 * @params: struct ptx_variable: parameters that are being read
 * @regs: struct ptx_register: registers of the function
 * @locals: struct ptx_variable *: variables of the function
 * @insns: struct ptx_insn: instructions of the function
 * @operands: struct ptx_operand: operands that are being read, inner behind outer ones
 * @branches: struct ptx_branch: labels that are not yet resolved
 * @source: Place in the source, from the last .loc
 * @leader: A label stands before the next instruction
 */
struct ptx_parser {
	const char *path;
	struct ptx_messages *messages;
	struct ptx_arena *arena;
	struct ptx_module *module;
	int error;
	struct ptx_lexer lexer;
	struct ptx_token token;
	unsigned int nesting;
	struct ptx_names names;
	struct ptx_list variables;
	struct ptx_list functions;
	struct ptx_list files;
	struct ptx_list aliases;
	int32_t last_file;
	unsigned int all_regs;
	uint64_t init_size;

	struct ptx_list params;
	struct ptx_list regs;
	struct ptx_list locals;
	struct ptx_list insns;
	struct ptx_list operands;
	struct ptx_list branches;
	struct ptx_place source;
	bool leader;
};

/* parser.c: memory and errors */

/* Returns zeros that belong to the module, or NULL. */
void *ptx_new(struct ptx_parser *p, size_t count, size_t size);
/* Adds an element of zeros to a list. */
void *ptx_list_add(struct ptx_parser *p, struct ptx_list *list, size_t size);
/* Moves the elements from @first on to the module. The result is not NULL if there is none. */
void *ptx_list_keep(struct ptx_parser *p, struct ptx_list *list, unsigned int first, size_t size);
void ptx_list_free(struct ptx_list *list);
/* Stops because memory has run out. */
void ptx_out_of_memory(struct ptx_parser *p);
/* Report an error. Both return false. */
bool ptx_error_at(struct ptx_parser *p, uint32_t line, uint32_t column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
bool ptx_error(struct ptx_parser *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* "expected @what, found ..." at the token. Returns false. */
bool ptx_expected(struct ptx_parser *p, const char *what);

/** enum ptx_number_kind - Kind of a constant */
enum ptx_number_kind {
	NUMBER_SIGNED,
	NUMBER_UNSIGNED,
	NUMBER_F32,
	NUMBER_F64,
};

/**
 * struct ptx_number - A constant
 * @kind: What it is
 * @bits: The number, or the bits of the floating-point number
 */
struct ptx_number {
	enum ptx_number_kind kind;
	uint64_t bits;
};

/* constant.c */

/* Reads the number of a TOKEN_NUMBER, which stays the current token. */
bool ptx_number(struct ptx_parser *p, struct ptx_number *number);
/* Reads a constant expression. */
bool ptx_constant(struct ptx_parser *p, struct ptx_number *number);
/* Reads +N or -N behind a symbol, if the token is a sign, and adds N to @addend. */
bool ptx_addend(struct ptx_parser *p, int64_t *addend);
/* Reads a whole number from @min to @max. @what is its name in the error. */
bool ptx_count(struct ptx_parser *p, const char *what, uint64_t min, uint64_t max, uint64_t *count);

/* variable.c */

/** enum ptx_linkage - Linkage of a symbol */
enum ptx_linkage {
	LINKAGE_NONE,
	LINKAGE_EXTERN,
	LINKAGE_VISIBLE,
	LINKAGE_WEAK,
	LINKAGE_COMMON,
};

/**
 * struct ptx_declaration - What stands before the names in a declaration
 * @linkage: Linkage
 * @space: State space
 * @type: Type
 * @vector: Number of components; 1 for a scalar
 * @align: .align, or 0
 * @pointer: .ptr was given
 * @pointee_align: .align behind .ptr
 */
struct ptx_declaration {
	enum ptx_linkage linkage;
	enum ptx_space space;
	enum ptx_type type;
	unsigned int vector;
	uint32_t align;
	bool pointer;
	uint32_t pointee_align;
};

/* The state space that a directive such as .global names; SPACE_GENERIC if it names none. */
enum ptx_space ptx_space_named(const struct ptx_token *token);
/* Reads what stands between the state space and the names. */
bool ptx_declaration(struct ptx_parser *p, struct ptx_declaration *declaration);
/*
 * Reads the dimensions behind a name and sets size and alignment. @dims and @dim_count get the
 * dimensions, those of a vector included; the first is 0 if it is not given.
 */
bool ptx_variable_shape(struct ptx_parser *p, const struct ptx_declaration *declaration,
			struct ptx_variable *var, uint64_t *dims, unsigned int *dim_count);
/* Reads the declaration of variables. The token is the state space. */
bool ptx_variables(struct ptx_parser *p, enum ptx_linkage linkage);
/* Reads the declaration of registers. The token is .reg. */
bool ptx_registers(struct ptx_parser *p);
/* Adds a register, @width of them for a vector, and returns the index of the first; or -1. */
int32_t ptx_register_add(struct ptx_parser *p, const char *name, enum ptx_type type,
			 unsigned int width);

/* init.c */

/* Reads the initialiser of a variable, behind the =. */
bool ptx_init(struct ptx_parser *p, struct ptx_variable *var, const uint64_t *dims,
	      unsigned int dim_count);

/* function.c */

/* Reads a function or kernel. The token is .func or .entry. */
bool ptx_function(struct ptx_parser *p);
/* Reads what follows .callprototype. The result has the name and place of the label. */
struct ptx_function *ptx_prototype(struct ptx_parser *p, const char *name,
				   const struct ptx_token *place);
/* Do parameters and results agree? */
bool ptx_function_agrees(const struct ptx_function *a, const struct ptx_function *b);

/* body.c */

/* Reads the body of a function behind its brace, up to and with the closing brace. */
bool ptx_body(struct ptx_parser *p, struct ptx_function *function);

/* operand.c */

/* Reads an operand. @call: parentheses are a list */
bool ptx_operand(struct ptx_parser *p, struct ptx_operand *operand, bool call);
/* Makes an operand of a label whose place may not be known yet. The token is its name. */
bool ptx_branch_operand(struct ptx_parser *p, struct ptx_operand *operand);
/* Moves the operands from @first on to the module. Returns NULL if memory has run out. */
struct ptx_operand *ptx_operands_keep(struct ptx_parser *p, unsigned int first);

/* instruction.c */

/* Reads an instruction with its semicolon. The token is its guard or its opcode. */
bool ptx_instruction(struct ptx_parser *p);

/* directive.c: directives that may stand in a module and in a function */

/* Reads .loc, .file, .pragma or .section. Returns false if the token is none of these. */
bool ptx_common_directive(struct ptx_parser *p, bool *ok);
/* Reads .visible and the like, if the token is one. */
enum ptx_linkage ptx_linkage(struct ptx_parser *p);
/* Skips what stands in parentheses, behind .attribute. */
bool ptx_skip_parentheses(struct ptx_parser *p);
/* Reports that the token is no directive, or one that cannot stand here. Returns false. */
bool ptx_unknown_directive(struct ptx_parser *p, const char *where);

#endif
