// SPDX-License-Identifier: MIT
/*
 * Initialisers of variables (PTX ISA, section 5.4.4).
 */
#include <string.h>

#include "load/constant.h"
#include "load/init.h"
#include "load/name.h"
#include "load/parser.h"
#include "load/token.h"

/**
 * struct init - An initialiser that is being read
 * @var: Variable
 * @dims: Dimensions. The first is 0 if it is not known
 * @dim_count: Number of dimensions
 * @size: Bytes of an element of the type
 * @bytes: uint8_t: bytes that were written, if the size is not known
 * @relocs: struct ptx_reloc: addresses
 */
struct init {
	struct ptx_variable *var;
	const uint64_t *dims;
	unsigned int dim_count;
	unsigned int size;
	struct ptx_list bytes;
	struct ptx_list relocs;
};

static bool charge(struct ptx_parser *p, uint64_t size)
{
	if (size > PTX_MAX_INIT - p->init_size)
		return ptx_error(p, "variables with initialisers have more than %llu MiB in all",
				 PTX_MAX_INIT >> 20);
	p->init_size += size;
	return true;
}

static bool write_bytes(struct ptx_parser *p, struct init *init, uint64_t offset, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < init->size; i++, value >>= 8) {
		if (init->var->init) {
			init->var->init[offset + i] = value;
			continue;
		}
		while (init->bytes.count <= offset + i) {
			if (!charge(p, 1) || !ptx_list_add(p, &init->bytes, 1))
				return false;
		}
		((uint8_t *)init->bytes.items)[offset + i] = value;
	}
	return true;
}

static bool read_symbol(struct ptx_parser *p, struct ptx_reloc *reloc)
{
	struct ptx_token place = p->token;
	struct ptx_symbol *symbol;
	struct ptx_word *word;

	if (place.kind != TOKEN_WORD)
		return ptx_expected(p, "the name of a variable or function");
	word = ptx_word(p, place.text, place.length);
	if (!word)
		return false;
	symbol = word->symbol;
	if (!symbol || (symbol->kind != SYMBOL_VARIABLE && symbol->kind != SYMBOL_FUNCTION))
		return ptx_unknown(p, word, place.line, place.column, "variable or function");
	if (symbol->kind == SYMBOL_FUNCTION)
		reloc->function = symbol->function;
	else
		reloc->var = symbol->var;
	if (!reloc->var || reloc->var->space == SPACE_GLOBAL || reloc->var->space == SPACE_CONST) {
		ptx_next(p);
		return ptx_addend(p, &reloc->addend);
	}
	return ptx_error(p, "an initialiser needs a .global or .const variable, and %s is neither",
			 reloc->var->name);
}

/* Reads symbol+4, or generic(symbol)+4. */
static bool read_address(struct ptx_parser *p, struct ptx_reloc *reloc)
{
	reloc->generic = ptx_token_is(&p->token, "generic") && ptx_next_is(p, '(');
	if (!reloc->generic)
		return read_symbol(p, reloc);
	ptx_next(p);
	return ptx_need(p, '(') && read_symbol(p, reloc) && ptx_need(p, ')') &&
	       ptx_addend(p, &reloc->addend);
}

/* Reads 0xFF00(address), which is one byte of the address. The token is the mask. */
static bool read_mask(struct ptx_parser *p, struct ptx_reloc *reloc)
{
	struct ptx_number mask;
	unsigned int shift = 0;

	if (!ptx_number(p, &mask))
		return false;
	while (shift < 56 && mask.bits != 0xffull << shift)
		shift += 8;
	if (mask.bits != 0xffull << shift || mask.kind == NUMBER_F32 || mask.kind == NUMBER_F64)
		return ptx_error(p, "a mask must select one byte, as 0xFF00 does");
	reloc->shift = shift;
	ptx_next(p);
	return ptx_need(p, '(') && read_address(p, reloc) && ptx_need(p, ')');
}

static bool add_reloc(struct ptx_parser *p, struct init *init, uint64_t offset, bool mask)
{
	struct ptx_token place = p->token;
	struct ptx_reloc *slot, reloc = { .offset = offset, .size = init->size };

	if (mask ? !read_mask(p, &reloc) : !read_address(p, &reloc))
		return false;
	if (mask ? init->size != 1 : init->size != 4 && init->size != 8)
		return ptx_error_at(p, place.line, place.column,
				    "an element of type .%s cannot hold %s",
				    ptx_type_name(init->var->type),
				    mask ? "a byte of an address" : "an address");
	slot = ptx_list_add(p, &init->relocs, sizeof(*slot));
	if (!slot)
		return false;
	*slot = reloc;
	return write_bytes(p, init, offset, 0);
}

/* Is the token the name of a variable or function, not of a number? */
static bool at_symbol(struct ptx_parser *p)
{
	struct ptx_word *word;

	if (p->token.kind != TOKEN_WORD)
		return false;
	word = ptx_word(p, p->token.text, p->token.length);
	return word && (!word->symbol || word->symbol->kind != SYMBOL_NUMBER);
}

/* The bits that the number has as an element of the type. */
static bool convert(struct ptx_parser *p, enum ptx_type type, const struct ptx_number *number,
		    const struct ptx_token *place, uint64_t *bits)
{
	bool whole = number->kind == NUMBER_SIGNED || number->kind == NUMBER_UNSIGNED;
	double wide;
	float narrow;

	if (type != TYPE_F32 && type != TYPE_F64) {
		if (ptx_type_is_float(type))
			return ptx_error_at(p, place->line, place->column,
					    "variables of type .%s may have no initialiser",
					    ptx_type_name(type));
		if (!whole)
			return ptx_error_at(p, place->line, place->column,
					    "an element of type .%s needs a whole number",
					    ptx_type_name(type));
		*bits = number->bits;
		return true;
	}
	if (whole)
		return ptx_error_at(p, place->line, place->column,
				    "an element of type .%s needs a floating-point number",
				    ptx_type_name(type));
	*bits = number->bits;
	if (type == TYPE_F32 && number->kind == NUMBER_F64) {
		memcpy(&wide, &number->bits, sizeof(wide));
		narrow = wide;
		*bits = 0;
		memcpy(bits, &narrow, sizeof(narrow));
	} else if (type == TYPE_F64 && number->kind == NUMBER_F32) {
		memcpy(&narrow, &number->bits, sizeof(narrow));
		wide = narrow;
		memcpy(bits, &wide, sizeof(wide));
	}
	return true;
}

static bool read_scalar(struct ptx_parser *p, struct init *init, uint64_t offset)
{
	bool mask = p->token.kind == TOKEN_NUMBER && ptx_next_is(p, '(');
	struct ptx_token place = p->token;
	struct ptx_number number;
	uint64_t bits = 0;

	if (mask || at_symbol(p))
		return add_reloc(p, init, offset, mask);
	return ptx_constant(p, &number) &&
	       convert(p, init->var->type, &number, &place, &bits) &&
	       write_bytes(p, init, offset, bits);
}

/* Reads the elements of a dimension. The recursion ends with the last dimension. */
static bool read_elements(struct ptx_parser *p, struct init *init, unsigned int dim,
			  uint64_t offset)
{
	uint64_t stride = init->size;
	uint64_t count = 0;
	unsigned int i;

	if (dim == init->dim_count)
		return read_scalar(p, init, offset);
	for (i = dim + 1; i < init->dim_count; i++)
		stride *= init->dims[i];
	if (!ptx_need(p, '{'))
		return false;
	if (ptx_take(p, '}'))
		return true;
	do {
		if (init->dims[dim] ? count == init->dims[dim] :
		    (count + 1) * stride > PTX_MAX_SIZE)
			return ptx_error(p, "the initialiser has more than %llu elements",
					 (unsigned long long)count);
		if (!read_elements(p, init, dim + 1, offset + count * stride))
			return false;
		count++;
	} while (ptx_take(p, ','));
	if (!dim && !init->dims[0])
		init->var->size = count * stride;
	return ptx_need(p, '}');
}

static bool finish(struct ptx_parser *p, struct init *init)
{
	struct ptx_variable *var = init->var;

	if (!var->init) {
		if (!var->size)
			return ptx_error(p, "the size of %s is not known", var->name);
		/* The last elements may be incomplete. */
		if (!charge(p, var->size - init->bytes.count))
			return false;
		var->init = ptx_new(p, 1, var->size);
		if (!var->init)
			return false;
		if (init->bytes.count)
			memcpy(var->init, init->bytes.items, init->bytes.count);
	}
	var->reloc_count = init->relocs.count;
	var->relocs = ptx_list_keep(p, &init->relocs, 0, sizeof(*var->relocs));
	return var->relocs;
}

bool ptx_init(struct ptx_parser *p, struct ptx_variable *var, const uint64_t *dims,
	      unsigned int dim_count)
{
	struct init init = {
		.var = var, .dims = dims, .dim_count = dim_count,
		.size = ptx_type_size(var->type),
	};
	bool done;

	if (var->init)
		return ptx_error(p, "%s has an initialiser already", var->name);
	if (var->type == TYPE_B128)
		return ptx_error(p, "variables of type .b128 may have no initialiser");
	if (!dim_count || dims[0]) {
		if (!charge(p, var->size))
			return false;
		var->init = ptx_new(p, 1, var->size);
		if (!var->init)
			return false;
	}
	done = read_elements(p, &init, 0, 0) && finish(p, &init);
	ptx_list_free(&init.bytes);
	ptx_list_free(&init.relocs);
	return done;
}
