/* SPDX-License-Identifier: MIT */
/*
 * Names, what they stand for, and the scopes in which they do.
 */
#ifndef _PTX_LOAD_NAME_H_
#define _PTX_LOAD_NAME_H_

#include <stdbool.h>
#include <stdint.h>

#include "load/module.h"
#include "text/lex.h"

struct ptx_parser;
struct ptx_token;

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

/**
 * struct ptx_symbol - What a name stands for in a scope
 * @kind: Kind
 * @word: Name
 * @outer: What the name stands for in an outer scope, or NULL
 * @next: Next symbol of the scope
 * @scope: Number of the scope
 * @line: Line of the declaration; 0 if PTX defines the name
 * @reg: SYMBOL_REG: index
 * @width: SYMBOL_REG: number of components. SYMBOL_SPECIAL: 3 for a vector. Otherwise 1
 * @range: SYMBOL_REG: N of a declaration name<N>, or 0
 * @var: SYMBOL_VARIABLE
 * @function: SYMBOL_FUNCTION
 * @label: SYMBOL_LABEL: index of the instruction
 * @table: SYMBOL_TABLE: operand for which the name stands
 * @special: SYMBOL_SPECIAL
 * @number: SYMBOL_NUMBER
 */
struct ptx_symbol {
	enum ptx_symbol_kind kind;
	struct ptx_word *word;
	struct ptx_symbol *outer;
	struct ptx_symbol *next;
	uint32_t scope;
	uint32_t line;
	uint8_t width;
	uint32_t range;
	union {
		int32_t reg;
		struct ptx_variable *var;
		struct ptx_function *function;
		uint32_t label;
		struct ptx_operand *table;
		enum ptx_special special;
		int64_t number;
	};
};

/**
 * struct ptx_word - A name
 * @next: Next name in the same slot of the hash table
 * @earlier: Name that was found before
 * @text: The name, terminated by a zero
 * @length: Its length
 * @hash: Its hash
 * @symbol: What the name stands for in the innermost scope; NULL if nothing
 */
struct ptx_word {
	struct ptx_word *next;
	struct ptx_word *earlier;
	const char *text;
	uint32_t length;
	uint32_t hash;
	struct ptx_symbol *symbol;
};

static inline struct span ptx_word_span(const struct ptx_word *word)
{
	return (struct span){ .text = word->text, .length = word->length };
}

/* Scopes: names that PTX defines, the module, the function, and nested ones. */
#define PTX_SCOPE_MODULE 1
#define PTX_SCOPE_FUNCTION 2
#define PTX_MAX_SCOPES 128

/**
 * struct ptx_scope - A scope
 * @symbols: Its symbols
 * @branches: Number of unresolved labels when the scope began
 */
struct ptx_scope {
	struct ptx_symbol *symbols;
	unsigned int branches;
};

/**
 * struct ptx_names - Names and scopes
 * @slots: Hash table
 * @slot_count: Number of slots, a power of two
 * @count: Number of names
 * @seed: Start of every hash
 * @last: Name that was found last
 * @unused: Symbols of closed scopes
 * @scopes: The scopes
 * @scope: Number of the current scope
 */
struct ptx_names {
	struct ptx_word **slots;
	uint32_t slot_count;
	uint32_t count;
	uint64_t seed;
	struct ptx_word *last;
	struct ptx_symbol *unused;
	struct ptx_scope scopes[PTX_MAX_SCOPES];
	uint32_t scope;
};

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

#endif
