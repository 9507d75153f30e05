// SPDX-License-Identifier: MIT
/* The PTX parser: its memory, its errors, tokens, names and scopes. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/parser.h"

/* --- memory --------------------------------------------------------------- */

#define ALIGNMENT 16
#define FIRST_BLOCK 16384
#define LARGEST_BLOCK 1048576

struct ptx_block {
	struct ptx_block *next;
	char bytes[] __attribute__((aligned(ALIGNMENT)));
};

/* Count memory that was allocated elsewhere. Returns false if the limit does not allow it. */
static bool ptx_arena_charge(struct ptx_arena *arena, size_t size)
{
	if (size > arena->limit - arena->used) {
		arena->full = true;
		return false;
	}
	arena->used += size;
	return true;
}

static char *add_block(struct ptx_arena *arena, size_t size)
{
	struct ptx_block *block;

	if (!ptx_arena_charge(arena, size))
		return NULL;
	block = calloc(1, sizeof(*block) + size);
	if (!block)
		return NULL;
	block->next = arena->blocks;
	arena->blocks = block;
	return block->bytes;
}

/* Returns @count * @size bytes of zeros, aligned to 16, or NULL. */
static void *ptx_arena_take(struct ptx_arena *arena, size_t count, size_t size)
{
	char *piece;
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > arena->limit) {
		arena->full = true;
		return NULL;
	}
	bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (bytes > arena->left) {
		size_t block = arena->used < FIRST_BLOCK ? FIRST_BLOCK :
			       arena->used < LARGEST_BLOCK ? arena->used & ~(size_t)4095 :
			       LARGEST_BLOCK;

		/* A large piece gets a block of its own: the rest of this one stays usable. */
		if (bytes > block / 4)
			return add_block(arena, bytes);
		piece = add_block(arena, block);
		if (!piece)
			return NULL;
		arena->at = piece;
		arena->left = block;
	}
	piece = arena->at;
	arena->at += bytes;
	arena->left -= bytes;
	return piece;
}

void ptx_arena_free(struct ptx_arena *arena)
{
	while (arena->blocks) {
		struct ptx_block *block = arena->blocks;

		arena->blocks = block->next;
		free(block);
	}
}

/* --- memory and errors of the parser -------------------------------------- */

/* Longest text of an error message */
#define MESSAGE 512

void ptx_out_of_memory(struct ptx_parser *p)
{
	if (p->arena->full)
		ptx_error(p, "the module is too large: it needs more than %llu MiB of memory",
			  PTX_MAX_MEMORY >> 20);
	p->error = p->arena->full ? -EINVAL : -ENOMEM;
}

void *ptx_new(struct ptx_parser *p, size_t count, size_t size)
{
	void *memory = p->error == -ENOMEM ? NULL : ptx_arena_take(p->arena, count, size);

	if (!memory)
		ptx_out_of_memory(p);
	return memory;
}

void *ptx_list_add(struct ptx_parser *p, struct ptx_list *list, size_t size)
{
	if (list->count == list->space) {
		unsigned int space = list->space ? 2 * list->space : 16;
		void *items = NULL;

		if (ptx_arena_charge(p->arena, (size_t)(space - list->space) * size))
			items = realloc(list->items, (size_t)space * size);
		if (!items) {
			ptx_out_of_memory(p);
			return NULL;
		}
		list->items = items;
		list->space = space;
	}
	return memset((char *)list->items + (size_t)list->count++ * size, 0, size);
}

void *ptx_list_keep(struct ptx_parser *p, struct ptx_list *list, unsigned int first, size_t size)
{
	unsigned int count = list->count - first;
	void *memory = ptx_new(p, count ? count : 1, size);

	if (memory && count)
		memcpy(memory, (char *)list->items + (size_t)first * size, (size_t)count * size);
	list->count = first;
	return memory;
}

void ptx_list_free(struct ptx_list *list)
{
	free(list->items);
	*list = (struct ptx_list){ };
}

bool ptx_error_at(struct ptx_parser *p, uint32_t line, uint32_t column, const char *format, ...)
{
	char text[MESSAGE];
	va_list arguments;

	if (p->error)
		return false;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	ptx_message(p->messages, p->path, line, column, "%s", text);
	if (p->messages->failed)
		p->error = -ENOMEM;
	else if (p->messages->count >= PTX_MAX_MESSAGES)
		p->error = -EINVAL;
	return false;
}

bool ptx_error(struct ptx_parser *p, const char *format, ...)
{
	char text[MESSAGE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return ptx_error_at(p, p->token.line, p->token.column, "%s", text);
}

bool ptx_expected(struct ptx_parser *p, const char *what)
{
	struct span found = { .text = p->token.text, .length = p->token.length };
	char text[QUOTE_SIZE];

	if (p->token.kind == TOKEN_END)
		return ptx_error(p, "expected %s, found the end of the file", what);
	if (p->token.kind == TOKEN_STRING)
		return ptx_error(p, "expected %s, found a string", what);
	return ptx_error(p, "expected %s, found %s", what, quote(text, found));
}

/* --- tokens --------------------------------------------------------------- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_follow(char c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void new_line(struct ptx_lexer *lexer, const char *start)
{
	lexer->line++;
	lexer->start = start;
}

/* Skips a comment. Returns false, and stays before it, if it does not end. */
static bool skip_comment(struct ptx_lexer *lexer)
{
	struct ptx_lexer from = *lexer;
	const char *at = lexer->at + 2;

	if (lexer->at[1] == '/') {
		at = memchr(at, '\n', lexer->end - at);
		lexer->at = at ? at : lexer->end;
		return true;
	}
	for (; at < lexer->end; at++) {
		if (*at == '\n') {
			new_line(lexer, at + 1);
		} else if (*at == '*' && at[1] == '/') {
			lexer->at = at + 2;
			return true;
		}
	}
	*lexer = from;
	return false;
}

/* Skips spaces and comments. Returns false, and stays before it, if a comment does not end. */
static bool skip_blank(struct ptx_lexer *lexer)
{
	for (;;) {
		const char *at = lexer->at;

		if (*at == '\n')
			new_line(lexer, at + 1);
		if (is_space(*at))
			lexer->at++;
		else if (*at != '/' || (at[1] != '/' && at[1] != '*'))
			return true;
		else if (!skip_comment(lexer))
			return false;
	}
}

static const char *follow_end(const char *at)
{
	while (is_follow(*at))
		at++;
	return at;
}

static const char *number_end(const char *at)
{
	if (*at == '0' && is_letter(at[1]) && at[1] != 'e' && at[1] != 'E')
		return follow_end(at);
	while (is_digit(*at))
		at++;
	if (*at == '.') {
		at++;
		while (is_digit(*at))
			at++;
	}
	if (*at == 'e' || *at == 'E') {
		const char *exponent = at + 1;

		if (*exponent == '+' || *exponent == '-')
			exponent++;
		if (is_digit(*exponent))
			at = exponent;
	}
	return follow_end(at);
}

/* The end of a directive or a part of an opcode: .shared::cta is one. */
static const char *dotted_end(const char *at)
{
	at = follow_end(at + 1);
	while (at[0] == ':' && at[1] == ':' && is_follow(at[2]))
		at = follow_end(at + 2);
	return at;
}

static int mark_at(const char *at)
{
	static const char twice[] = "<>&|=";

	if (!at[0])
		return 0;
	if (strchr(twice, at[0]) && at[1] == at[0])
		return MARK(at[0], at[0]);
	if (strchr("<>!", at[0]) && at[1] == '=')
		return MARK(at[0], '=');
	return strchr("{}[]()<>,;:@!|+-*/%&^~?=", at[0]) ? at[0] : 0;
}

static void read_string(struct ptx_parser *p)
{
	const char *at = p->lexer.at + 1;

	p->token.kind = TOKEN_STRING;
	p->token.text = at;
	while (at < p->lexer.end && *at != '"' && *at != '\n')
		at += *at == '\\' && at + 1 < p->lexer.end && at[1] != '\n' ? 2 : 1;
	p->token.length = at - p->token.text;
	if (*at != '"')
		ptx_error(p, "the string has no closing quote");
	p->lexer.at = *at == '"' ? at + 1 : at;
}

/* Reports a character that begins no token, and skips it and all that follow it. */
static void skip_bad(struct ptx_parser *p)
{
	const char *at = p->lexer.at;

	if (*at == '#')
		ptx_error(p, "lines that begin with # are not supported: preprocess the file");
	else if (isprint((unsigned char)*at))
		ptx_error(p, "unexpected character '%c'", *at);
	else
		ptx_error(p, "unexpected byte 0x%02x", (unsigned char)*at);
	do {
		at++;
	} while (at < p->lexer.end && !is_space(*at) && !is_follow(*at) && *at != '"' &&
		 !mark_at(at));
	p->lexer.at = at;
}

static void read_token(struct ptx_parser *p)
{
	struct ptx_token *token = &p->token;
	const char *at = p->lexer.at;
	const char *end;

	if (is_digit(*at) || (*at == '.' && is_digit(at[1]) && !is_follow(at[-1]))) {
		token->kind = TOKEN_NUMBER;
		end = number_end(at);
	} else if (*at == '.' && is_follow(at[1])) {
		token->kind = TOKEN_DOTTED;
		end = dotted_end(at);
	} else if (is_follow(*at) || (*at == '%' && is_follow(at[1]))) {
		token->kind = TOKEN_WORD;
		end = follow_end(at + 1);
	} else {
		token->kind = TOKEN_MARK;
		token->mark = mark_at(at);
		end = at + (token->mark > 0xff ? 2 : 1);
	}
	token->length = end - at;
	p->lexer.at = end;
}

void ptx_next(struct ptx_parser *p)
{
	struct ptx_lexer *lexer = &p->lexer;
	struct ptx_token *token = &p->token;

	for (;;) {
		bool closed = skip_blank(lexer);

		*token = (struct ptx_token){ .line = lexer->line, .text = lexer->at,
					     .column = lexer->at - lexer->start + 1 };
		if (!closed) {
			ptx_error(p, "the comment is not closed");
			lexer->at = lexer->end;
		}
		if (p->error || lexer->at >= lexer->end)
			return;
		if (*lexer->at == '"') {
			read_string(p);
			return;
		}
		if (is_follow(*lexer->at) || (*lexer->at == '.' && is_follow(lexer->at[1])) ||
		    (*lexer->at && mark_at(lexer->at))) {
			read_token(p);
			return;
		}
		skip_bad(p);
	}
}

bool ptx_next_is(const struct ptx_parser *p, char mark)
{
	struct ptx_lexer lexer = p->lexer;

	skip_blank(&lexer);
	return lexer.at < lexer.end && *lexer.at == mark;
}

bool ptx_at(const struct ptx_parser *p, int mark)
{
	return p->token.kind == TOKEN_MARK && p->token.mark == mark;
}

bool ptx_token_is(const struct ptx_token *token, const char *text)
{
	return (token->kind == TOKEN_WORD || token->kind == TOKEN_DOTTED) &&
	       !strncmp(token->text, text, token->length) && !text[token->length];
}

bool ptx_take(struct ptx_parser *p, int mark)
{
	if (!ptx_at(p, mark))
		return false;
	ptx_next(p);
	return true;
}

bool ptx_take_word(struct ptx_parser *p, const char *text)
{
	if (!ptx_token_is(&p->token, text))
		return false;
	ptx_next(p);
	return true;
}

bool ptx_need(struct ptx_parser *p, char mark)
{
	const char what[] = { '\'', mark, '\'', '\0' };

	return ptx_take(p, mark) || ptx_expected(p, what);
}

/* Does the brace at the token close a vector or an initialiser, not a scope? */
static bool closes_vector(const struct ptx_parser *p)
{
	return ptx_next_is(p, ',') || ptx_next_is(p, ';') || ptx_next_is(p, ']') ||
	       ptx_next_is(p, ')');
}

/* Skips a scope or a vector. Returns true if there was a semicolon in it. */
static bool skip_braces(struct ptx_parser *p)
{
	unsigned int depth = 0;
	bool semicolon = false;

	do {
		depth += ptx_at(p, '{');
		depth -= ptx_at(p, '}');
		semicolon |= ptx_at(p, ';');
		ptx_next(p);
	} while (depth && p->token.kind != TOKEN_END);
	return semicolon;
}

void ptx_recover(struct ptx_parser *p)
{
	p->nesting = 0;
	if (ptx_at(p, '{') && skip_braces(p))
		return;
	while (p->token.kind != TOKEN_END) {
		if (ptx_take(p, ';') || (ptx_at(p, '}') && !closes_vector(p)))
			return;
		ptx_next(p);
	}
}

void ptx_recover_module(struct ptx_parser *p)
{
	unsigned int depth = 0;

	p->nesting = 0;
	/* A brace closes the body of a function, or belongs to an initialiser. */
	while (p->token.kind != TOKEN_END) {
		if (!depth && ptx_take(p, ';'))
			return;
		if (ptx_at(p, '{')) {
			depth++;
		} else if (ptx_at(p, '}') && (!depth || !--depth) && !closes_vector(p)) {
			ptx_next(p);
			return;
		}
		ptx_next(p);
	}
}

/* --- names and scopes ----------------------------------------------------- */

static inline struct span ptx_word_span(const struct ptx_word *word)
{
	return (struct span){ .text = word->text, .length = word->length };
}

#define FIRST_SLOTS 1024

/* After an error, at most this number of names is compared with the misspelt one. */
#define NEAR_NAMES 10000

static const struct {
	const char *name;
	enum ptx_special special;
	bool vector;
} specials[] = {
	{ "%tid", SPECIAL_TID, true },
	{ "%ntid", SPECIAL_NTID, true },
	{ "%laneid", SPECIAL_LANEID, false },
	{ "%warpid", SPECIAL_WARPID, false },
	{ "%nwarpid", SPECIAL_NWARPID, false },
	{ "%ctaid", SPECIAL_CTAID, true },
	{ "%nctaid", SPECIAL_NCTAID, true },
	{ "%smid", SPECIAL_SMID, false },
	{ "%nsmid", SPECIAL_NSMID, false },
	{ "%gridid", SPECIAL_GRIDID, false },
	{ "%is_explicit_cluster", SPECIAL_IS_EXPLICIT_CLUSTER, false },
	{ "%clusterid", SPECIAL_CLUSTERID, true },
	{ "%nclusterid", SPECIAL_NCLUSTERID, true },
	{ "%cluster_ctaid", SPECIAL_CLUSTER_CTAID, true },
	{ "%cluster_nctaid", SPECIAL_CLUSTER_NCTAID, true },
	{ "%cluster_ctarank", SPECIAL_CLUSTER_CTARANK, false },
	{ "%cluster_nctarank", SPECIAL_CLUSTER_NCTARANK, false },
	{ "%lanemask_eq", SPECIAL_LANEMASK_EQ, false },
	{ "%lanemask_le", SPECIAL_LANEMASK_LE, false },
	{ "%lanemask_lt", SPECIAL_LANEMASK_LT, false },
	{ "%lanemask_ge", SPECIAL_LANEMASK_GE, false },
	{ "%lanemask_gt", SPECIAL_LANEMASK_GT, false },
	{ "%clock", SPECIAL_CLOCK, false },
	{ "%clock_hi", SPECIAL_CLOCK_HI, false },
	{ "%clock64", SPECIAL_CLOCK64, false },
	{ "%globaltimer", SPECIAL_GLOBALTIMER, false },
	{ "%globaltimer_lo", SPECIAL_GLOBALTIMER_LO, false },
	{ "%globaltimer_hi", SPECIAL_GLOBALTIMER_HI, false },
	{ "%total_smem_size", SPECIAL_TOTAL_SMEM_SIZE, false },
	{ "%dynamic_smem_size", SPECIAL_DYNAMIC_SMEM_SIZE, false },
	{ "%aggr_smem_size", SPECIAL_AGGR_SMEM_SIZE, false },
	{ "%reserved_smem_offset_begin", SPECIAL_RESERVED_BEGIN, false },
	{ "%reserved_smem_offset_end", SPECIAL_RESERVED_END, false },
	{ "%reserved_smem_offset_cap", SPECIAL_RESERVED_CAP, false },
	{ "%reserved_smem_offset_0", SPECIAL_RESERVED_0, false },
	{ "%reserved_smem_offset_1", SPECIAL_RESERVED_1, false },
};

/* FNV-1a. The seed differs from run to run, so that no file can be made whose names collide. */
static uint32_t hash_of(const struct ptx_names *names, const char *text, unsigned int length)
{
	uint64_t hash = names->seed;
	unsigned int i;

	for (i = 0; i < length; i++) {
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ull;
		hash ^= hash >> 29;
	}
	return hash ^ hash >> 32;
}

static bool grow(struct ptx_parser *p)
{
	struct ptx_names *names = &p->names;
	uint32_t slot_count = names->slot_count ? 2 * names->slot_count : FIRST_SLOTS;
	struct ptx_word **slots = calloc(slot_count, sizeof(*slots));
	struct ptx_word *word;

	if (!slots) {
		ptx_out_of_memory(p);
		return false;
	}
	for (word = names->last; word; word = word->earlier) {
		struct ptx_word **slot = &slots[word->hash & (slot_count - 1)];

		word->next = *slot;
		*slot = word;
	}
	free(names->slots);
	names->slots = slots;
	names->slot_count = slot_count;
	return true;
}

struct ptx_word *ptx_word(struct ptx_parser *p, const char *text, unsigned int length)
{
	struct ptx_names *names = &p->names;
	uint32_t hash = hash_of(names, text, length);
	struct ptx_word *word;
	char *copy;

	for (word = names->slots[hash & (names->slot_count - 1)]; word; word = word->next) {
		if (word->hash == hash && word->length == length &&
		    !memcmp(word->text, text, length))
			return word;
	}
	if (names->count >= names->slot_count && !grow(p))
		return NULL;
	word = ptx_new(p, 1, sizeof(*word) + length + 1);
	if (!word)
		return NULL;
	copy = (char *)(word + 1);
	memcpy(copy, text, length);
	*word = (struct ptx_word){
		.next = names->slots[hash & (names->slot_count - 1)],
		.earlier = names->last, .text = copy, .length = length, .hash = hash,
	};
	names->slots[hash & (names->slot_count - 1)] = word;
	names->last = word;
	names->count++;
	return word;
}

struct ptx_symbol *ptx_declare(struct ptx_parser *p, struct ptx_word *word,
			       enum ptx_symbol_kind kind, const struct ptx_token *place)
{
	struct ptx_names *names = &p->names;
	struct ptx_scope *scope = &names->scopes[names->scope];
	struct ptx_symbol *symbol = names->unused;
	char text[QUOTE_SIZE];

	if (word->symbol && word->symbol->scope == names->scope) {
		ptx_error_at(p, place->line, place->column, "%s is already declared in line %u",
			     quote(text, ptx_word_span(word)), word->symbol->line);
		return NULL;
	}
	if (symbol)
		names->unused = symbol->next;
	else
		symbol = ptx_new(p, 1, sizeof(*symbol));
	if (!symbol)
		return NULL;
	*symbol = (struct ptx_symbol){
		.kind = kind, .word = word, .outer = word->symbol, .next = scope->symbols,
		.scope = names->scope, .line = place ? place->line : 0, .width = 1,
	};
	scope->symbols = symbol;
	word->symbol = symbol;
	return symbol;
}

bool ptx_scope_open(struct ptx_parser *p)
{
	struct ptx_names *names = &p->names;

	if (names->scope + 1 >= PTX_MAX_SCOPES)
		return ptx_error(p, "scopes are nested too deeply: at most %d are supported",
				 PTX_MAX_SCOPES - PTX_SCOPE_FUNCTION);
	names->scopes[++names->scope] = (struct ptx_scope){ .branches = p->branches.count };
	return true;
}

void ptx_scope_close(struct ptx_parser *p)
{
	struct ptx_names *names = &p->names;
	struct ptx_symbol *symbol = names->scopes[names->scope].symbols;

	while (symbol) {
		struct ptx_symbol *next = symbol->next;

		symbol->word->symbol = symbol->outer;
		symbol->next = names->unused;
		names->unused = symbol;
		symbol = next;
	}
	names->scopes[names->scope].symbols = NULL;
	names->scope--;
}

static struct ptx_symbol *define(struct ptx_parser *p, const char *name,
				 enum ptx_symbol_kind kind)
{
	struct ptx_word *word = ptx_word(p, name, strlen(name));

	return word ? ptx_declare(p, word, kind, NULL) : NULL;
}

/* Defines %envreg0 to %envreg31. */
static bool define_envregs(struct ptx_parser *p)
{
	for (unsigned int i = 0; i < 32; i++) {
		struct ptx_symbol *symbol;
		char name[16];

		snprintf(name, sizeof(name), "%%envreg%u", i);
		symbol = define(p, name, SYMBOL_SPECIAL);
		if (!symbol)
			return false;
		symbol->special = i == 1 ? SPECIAL_ENVREG1 : i == 2 ? SPECIAL_ENVREG2 :
								  SPECIAL_ENVREG;
		symbol->width = 1;
	}
	return true;
}

bool ptx_names_init(struct ptx_parser *p)
{
	struct ptx_symbol *symbol;
	unsigned int i;

	/* Where the stack and the heap are is random. */
	p->names.seed = 0xcbf29ce484222325ull ^ (uintptr_t)p ^ (uint64_t)(uintptr_t)p->module << 20;
	if (!grow(p))
		return false;
	for (i = 0; i < ARRAY_SIZE(specials); i++) {
		symbol = define(p, specials[i].name, SYMBOL_SPECIAL);
		if (!symbol)
			return false;
		symbol->special = specials[i].special;
		symbol->width = specials[i].vector ? 3 : 1;
	}
	symbol = define(p, "WARP_SZ", SYMBOL_NUMBER);
	if (!symbol || !define_envregs(p))
		return false;
	symbol->number = 32;
	return ptx_scope_open(p);
}

void ptx_names_free(struct ptx_parser *p)
{
	free(p->names.slots);
}

/* Length of a name without the digits at its end. */
static unsigned int stem_length(const char *name, unsigned int length)
{
	while (length && name[length - 1] >= '0' && name[length - 1] <= '9')
		length--;
	return length;
}

/* If the word is %r9 where .reg declares %r<8>: the symbol of %r0. */
static const struct ptx_symbol *range_of(struct ptx_parser *p, const struct ptx_word *word)
{
	unsigned int stem = stem_length(word->text, word->length);
	struct ptx_word *first;
	char name[QUOTE_SIZE];

	if (stem == word->length || stem + 1 >= sizeof(name))
		return NULL;
	memcpy(name, word->text, stem);
	name[stem] = '0';
	first = ptx_word(p, name, stem + 1);
	return first && first->symbol && first->symbol->kind == SYMBOL_REG &&
	       first->symbol->range ? first->symbol : NULL;
}

/* Compares a name with the misspelt one. Short names are similar to everything. */
static void try_name(struct nearest *nearest, const struct ptx_word *other)
{
	size_t wrong = nearest->word.length > other->length ? nearest->word.length - other->length :
			other->length - nearest->word.length;

	if (other->length > 3 && 3 * wrong <= other->length)
		nearest_try(nearest, other->text);
}

bool ptx_unknown(struct ptx_parser *p, const struct ptx_word *word, uint32_t line, uint32_t column,
		 const char *what)
{
	struct nearest nearest = { .word = ptx_word_span(word) };
	const struct ptx_symbol *range = range_of(p, word);
	unsigned int stem = stem_length(word->text, word->length);
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	const struct ptx_word *other;
	unsigned int tried = 0;

	/* The search takes long: nobody would read the result. */
	if (p->error)
		return false;
	quote(text, nearest.word);
	if (word->symbol)
		return ptx_error_at(p, line, column, "expected a %s, found %s", what, text);
	if (range)
		return ptx_error_at(p, line, column,
				    "%s is not declared: line %u declares %.*s<%u>", text,
				    range->line, stem, word->text, range->range);
	for (other = p->names.last; other && tried < NEAR_NAMES; other = other->earlier, tried++) {
		/* A register with another number is not what was meant. */
		if (other->symbol &&
		    (stem == word->length ||
		     stem_length(other->text, other->length) != stem ||
		     memcmp(other->text, word->text, stem)))
			try_name(&nearest, other);
	}
	return ptx_error_at(p, line, column, "unknown %s %s%s", what, text,
			    meant(&nearest, "", hint));
}

/* --- inlined calls -------------------------------------------------------- */

#define FIRST_INLINED 256

/* A place that a .loc of a function has named */
struct ptx_inlined_slot {
	struct ptx_line at;	/* place */
	uint32_t function;	/* Number of the function. In another function the slot is free. */
	/* What the last .loc with this place has said; NULL if it had no inlined_at */
	const struct ptx_inlined *inlined;
};

static uint32_t hash_call(const struct ptx_parser *p, struct ptx_line at)
{
	uint64_t hash = p->names.seed;

	hash = (hash ^ at.file) * 0x100000001b3ull;
	hash = (hash ^ hash >> 29 ^ at.line) * 0x100000001b3ull;
	hash = (hash ^ hash >> 29 ^ at.column) * 0x100000001b3ull;
	return hash ^ hash >> 32;
}

/* Returns the slot of the place, or the free one that it would get. */
static struct ptx_inlined_slot *find(const struct ptx_parser *p, struct ptx_line at)
{
	const struct ptx_inlined_table *table = &p->inlined;
	uint32_t i = hash_call(p, at);

	for (;; i++) {
		struct ptx_inlined_slot *slot = &table->slots[i & (table->slot_count - 1)];

		if (slot->function != table->function ||
		    (slot->at.file == at.file && slot->at.line == at.line &&
		     slot->at.column == at.column))
			return slot;
	}
}

static bool grow_inlined(struct ptx_parser *p)
{
	struct ptx_inlined_table *table = &p->inlined, old = *table;
	uint32_t slot_count = old.slot_count ? 2 * old.slot_count : FIRST_INLINED, i;
	size_t size = slot_count * sizeof(*old.slots);

	table->slots = ptx_arena_charge(p->arena, size) ? calloc(1, size) : NULL;
	if (!table->slots) {
		table->slots = old.slots;
		ptx_out_of_memory(p);
		return false;
	}
	table->slot_count = slot_count;
	for (i = 0; i < old.slot_count; i++)
		if (old.slots[i].function == table->function)
			*find(p, old.slots[i].at) = old.slots[i];
	free(old.slots);
	return true;
}

void ptx_inlined_begin(struct ptx_parser *p)
{
	p->inlined.function++;
	p->inlined.count = 0;
}

void ptx_inlined_plain(struct ptx_parser *p, struct ptx_line at)
{
	struct ptx_inlined_slot *slot;

	if (!p->inlined.count)
		return;
	slot = find(p, at);
	if (slot->function == p->inlined.function)
		slot->inlined = NULL;
}

/* Returns what follows from a .loc with inlined_at @call. NULL is the outermost function. */
static const struct ptx_inlined *inlined_of(struct ptx_parser *p, struct ptx_line call,
					    const struct ptx_inlined *before)
{
	const struct ptx_inlined_slot *slot = find(p, call);
	const struct ptx_inlined *outer = NULL;
	struct ptx_inlined *inlined;

	if (slot->function == p->inlined.function)
		outer = slot->inlined;
	/* A call in line 0 has no line of its own: name the call around it. */
	if (!call.line || (outer && outer->depth == PTX_MAX_INLINED))
		return outer;
	if (before && before->outer == outer && before->file == (int32_t)call.file &&
	    before->line == call.line)
		return before;
	inlined = ptx_new(p, 1, sizeof(*inlined));
	if (!inlined)
		return NULL;
	*inlined = (struct ptx_inlined){
		.file = call.file, .line = call.line, .outer = outer,
		.depth = outer ? outer->depth + 1 : 1,
	};
	return inlined;
}

bool ptx_inlined_add(struct ptx_parser *p, struct ptx_line at, struct ptx_line call,
		     const struct ptx_inlined **inlined)
{
	struct ptx_inlined_table *table = &p->inlined;
	struct ptx_inlined_slot *slot;

	if (2 * (table->count + 1) > table->slot_count && !grow_inlined(p))
		return false;
	slot = find(p, at);
	if (slot->function != table->function) {
		*slot = (struct ptx_inlined_slot){ .at = at, .function = table->function };
		table->count++;
	}
	slot->inlined = inlined_of(p, call, slot->inlined);
	*inlined = slot->inlined;
	return !p->error;
}

void ptx_inlined_free(struct ptx_parser *p)
{
	free(p->inlined.slots);
}

const struct ptx_inlined *ptx_outermost(const struct ptx_place *place)
{
	const struct ptx_inlined *inlined = place->inlined;

	while (inlined && inlined->outer)
		inlined = inlined->outer;
	return inlined;
}
