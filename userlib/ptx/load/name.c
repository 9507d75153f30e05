// SPDX-License-Identifier: MIT
/*
 * Names and scopes.
 */
#include <stdlib.h>
#include <string.h>

#include "load/name.h"
#include "load/parser.h"
#include "vsm_syntax.h"

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
	if (!symbol)
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
