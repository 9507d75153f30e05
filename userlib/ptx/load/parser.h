/* SPDX-License-Identifier: MIT */
/* The PTX parser: its memory, its errors, tokens, names and scopes. */
#ifndef _LOAD_PARSER_H_
#define _LOAD_PARSER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/module.h"
#include "vsm_syntax.h"

/* --- memory --------------------------------------------------------------- */

struct ptx_block;

/* Memory of a module */
struct ptx_arena {
	struct ptx_block *blocks;	/* blocks that were allocated, the newest first */
	char *at;	/* first free byte of the block from which small pieces are taken */
	size_t left;			/* number of free bytes there */
	uint64_t used;			/* bytes that were allocated or charged */
	uint64_t limit;			/* largest value of @used */
	bool full;			/* an allocation failed because of the limit */
};

void ptx_arena_free(struct ptx_arena *arena);

/* --- state ---------------------------------------------------------------- */

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

/** enum ptx_token_kind - Kinds of tokens */
enum ptx_token_kind {
	TOKEN_END,
	TOKEN_WORD,	/* name, %r1, _, opcode up to its first dot */
	TOKEN_DOTTED,	/* .global, .shared::cta */
	TOKEN_NUMBER,
	TOKEN_STRING,	/* without its quotes */
	TOKEN_MARK,	/* punctuation */
};

/* Marks of two characters */
#define MARK(a, b) ((a) << 8 | (b))

/* A token */
struct ptx_token {
	enum ptx_token_kind kind;	/* what it is */
	int mark;	/* TOKEN_MARK: its character, or MARK() of its two characters */
	const char *text;		/* first character */
	unsigned int length;		/* number of characters */
	uint32_t line;			/* place of the first character */
	uint32_t column;		/* place of the first character */
};

/* A place in the text */
struct ptx_lexer {
	const char *at;		/* next character */
	const char *end;	/* end of the text, where a zero stands */
	const char *start;	/* first character of the line */
	uint32_t line;		/* number of the line */
};

/** enum ptx_symbol_kind - What a name can stand for */
enum ptx_symbol_kind {
	SYMBOL_REG,
	SYMBOL_VARIABLE,
	SYMBOL_FUNCTION,
	SYMBOL_LABEL,
	SYMBOL_TABLE,		/* targets of branches or calls, or a prototype */
	SYMBOL_SPECIAL,
	SYMBOL_NUMBER,		/* WARP_SZ */
};

/* What a name stands for in a scope */
struct ptx_symbol {
	enum ptx_symbol_kind kind;
	struct ptx_word *word;			/* name */
	struct ptx_symbol *outer;	/* what the name stands for in an outer scope, or NULL */
	struct ptx_symbol *next;		/* next symbol of the scope */
	uint32_t scope;				/* number of the scope */
	uint32_t line;	/* line of the declaration; 0 if PTX defines the name */
	/* SYMBOL_REG: number of components. SYMBOL_SPECIAL: 3 for a vector. Otherwise 1. */
	uint8_t width;
	uint32_t range;				/* SYMBOL_REG: N of a declaration name<N>, or 0 */
	union {
		int32_t reg;			/* SYMBOL_REG: index */
		struct ptx_variable *var;	/* SYMBOL_VARIABLE */
		struct ptx_function *function;	/* SYMBOL_FUNCTION */
		uint32_t label;			/* SYMBOL_LABEL: index of the instruction */
	/* SYMBOL_TABLE: operand for which the name stands: OPERAND_TABLE or OPERAND_FUNCTION */
		struct ptx_operand *table;
		enum ptx_special special;	/* SYMBOL_SPECIAL */
		int64_t number;			/* SYMBOL_NUMBER */
	};
};

/* A name */
struct ptx_word {
	struct ptx_word *next;		/* next name in the same slot of the hash table */
	struct ptx_word *earlier;	/* name that was found before */
	const char *text;		/* the name, terminated by a zero */
	uint32_t length;
	uint32_t hash;
	/* What the name stands for in the innermost scope; NULL if nothing */
	struct ptx_symbol *symbol;
};

/* Scopes: names that PTX defines, the module, the function, and nested ones. */
#define PTX_SCOPE_MODULE 1
#define PTX_SCOPE_FUNCTION 2
#define PTX_MAX_SCOPES 128

/* A scope */
struct ptx_scope {
	struct ptx_symbol *symbols;
	unsigned int branches;	/* number of unresolved labels when the scope began */
};

/* Names and scopes */
struct ptx_names {
	struct ptx_word **slots;	/* hash table */
	uint32_t slot_count;		/* number of slots, a power of two */
	uint32_t count;			/* number of names */
	uint64_t seed;			/* start of every hash */
	struct ptx_word *last;		/* name that was found last */
	struct ptx_symbol *unused;	/* symbols of closed scopes */
	struct ptx_scope scopes[PTX_MAX_SCOPES];
	uint32_t scope;			/* number of the current scope */
};

/* Places in the source that a function has named with inlined_at */
struct ptx_inlined_table {
	struct ptx_inlined_slot *slots;	/* hash table */
	uint32_t slot_count;		/* number of slots, a power of two */
	uint32_t count;			/* number of places */
	uint32_t function;		/* number of the function */
};

/** struct ptx_list - Elements that are collected until their number is known */
struct ptx_list {
	void *items;
	unsigned int count;
	unsigned int space;
};

/* A name that may be a label that stands further down */
struct ptx_branch {
	struct ptx_word *word;	/* name */
	/* Operand that names it. NULL if its instruction had an error. */
	struct ptx_operand *operand;
	const char *what;	/* what the name should be, for the error */
	bool label;	/* it must be a label, not the name of .branchtargets and the like */
	uint32_t line;		/* place of the name */
	uint32_t column;	/* place of the name */
};

/* An .alias directive */
struct ptx_alias {
	struct ptx_function *function;	/* function that has no body of its own */
	struct ptx_function *target;	/* function whose body it shares */
	uint32_t line;			/* place of the directive */
	uint32_t column;		/* place of the directive */
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
 * @inlined: Where the .loc of the function say that they are inlined
 * @all_regs: Number of registers of all functions
 * @init_size: Bytes of all variables that have an initialiser
 * @params: struct ptx_variable: parameters that are being read
 * @regs: struct ptx_register: registers of the function
 * @locals: struct ptx_variable *: variables of the function
 * @tables: struct ptx_table *: lists of targets of the function
 * @insns: struct ptx_insn: instructions of the function
 * @operands: struct ptx_operand: operands that are being read, inner behind outer ones
 * @branches: struct ptx_branch: labels that are not yet resolved
 * @source: Place in the source, from the last .loc
 * @leader: A label stands before the next instruction
 * @video: The operands that are being read are those of a video instruction
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
	struct ptx_inlined_table inlined;
	unsigned int all_regs;
	uint64_t init_size;

	struct ptx_list params;
	struct ptx_list regs;
	struct ptx_list locals;
	struct ptx_list tables;
	struct ptx_list insns;
	struct ptx_list operands;
	struct ptx_list branches;
	struct ptx_place source;
	bool leader;
	bool video;
};

/* --- memory and errors of the parser -------------------------------------- */

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

/* --- tokens --------------------------------------------------------------- */

static inline struct span ptx_token_span(const struct ptx_token *token)
{
	return (struct span){ .text = token->text, .length = token->length };
}

/* Reads the next token. */
void ptx_next(struct ptx_parser *p);
/* Is @mark the next thing behind the token? */
bool ptx_next_is(const struct ptx_parser *p, char mark);
/* Is the token this mark? */
bool ptx_at(const struct ptx_parser *p, int mark);
/* Is the token this word or directive? */
bool ptx_token_is(const struct ptx_token *token, const char *text);
/* If the token is this mark, go to the next one. */
bool ptx_take(struct ptx_parser *p, int mark);
bool ptx_take_word(struct ptx_parser *p, const char *text);
/* The token must be this mark. */
bool ptx_need(struct ptx_parser *p, char mark);
/* After an error: goes behind the next semicolon, or to the brace that closes the scope. */
void ptx_recover(struct ptx_parser *p);
/* After an error in a module: goes behind the next semicolon, or behind the end of a body. */
void ptx_recover_module(struct ptx_parser *p);

/* --- names and scopes ----------------------------------------------------- */

/* Defines the names that PTX itself defines, and opens the scope of the module. */
bool ptx_names_init(struct ptx_parser *p);
void ptx_names_free(struct ptx_parser *p);
/* Returns the name, or NULL if memory has run out. */
struct ptx_word *ptx_word(struct ptx_parser *p, const char *text, unsigned int length);
/*
 * Declares a name in the current scope. @place is where, for the error. Returns NULL after an
 * error: the name is declared in this scope already.
 */
struct ptx_symbol *ptx_declare(struct ptx_parser *p, struct ptx_word *word,
			       enum ptx_symbol_kind kind, const struct ptx_token *place);
bool ptx_scope_open(struct ptx_parser *p);
/* Closes the current scope. Its labels must have been resolved. */
void ptx_scope_close(struct ptx_parser *p);
/* Reports that a name is unknown. @what is what it should be. Returns false. */
bool ptx_unknown(struct ptx_parser *p, const struct ptx_word *word, uint32_t line, uint32_t column,
		 const char *what);

/* --- inlined calls -------------------------------------------------------- */

/** struct ptx_line - A place in the source, as .loc gives it */
struct ptx_line {
	uint32_t file;
	uint32_t line;
	uint32_t column;
};

/* Begins a function: the calls of other functions do not matter for its .loc. */
void ptx_inlined_begin(struct ptx_parser *p);
/* Notes a .loc without inlined_at. */
void ptx_inlined_plain(struct ptx_parser *p, struct ptx_line at);
/*
 * Notes a .loc at @at with inlined_at @call, and finds the calls around @call. Sets @inlined.
 * Returns false if memory has run out.
 */
bool ptx_inlined_add(struct ptx_parser *p, struct ptx_line at, struct ptx_line call,
		     const struct ptx_inlined **inlined);
void ptx_inlined_free(struct ptx_parser *p);

#endif
