// SPDX-License-Identifier: MIT
/*
 * Variables and registers: their declarations (PTX ISA, section 5.4) and initialisers, and the
 * directives that may stand in a module and in a function.
 */
#include <string.h>

#include "load/operand.h"
#include "load/variable.h"
#include "vsm_syntax.h"

/* --- directives ----------------------------------------------------------- */

static bool read_line(struct ptx_parser *p, struct ptx_line *line)
{
	uint64_t place[3];

	if (!ptx_count(p, "the number of a file", 0, PTX_MAX_FILES - 1, &place[0]) ||
	    !ptx_count(p, "a line", 0, INT32_MAX, &place[1]) ||
	    !ptx_count(p, "a column", 0, INT32_MAX, &place[2]))
		return false;
	*line = (struct ptx_line){ place[0], place[1], place[2] };
	if (p->last_file < (int32_t)line->file)
		p->last_file = line->file;
	return true;
}

/* Reads , function_name label, inlined_at file line column */
static bool read_inlined(struct ptx_parser *p, struct ptx_line *call)
{
	int64_t offset = 0;

	ptx_next(p);
	if (!ptx_take_word(p, "function_name"))
		return ptx_expected(p, "function_name");
	if (p->token.kind != TOKEN_WORD && p->token.kind != TOKEN_DOTTED)
		return ptx_expected(p, "a label");
	ptx_next(p);
	if (!ptx_addend(p, &offset) || !ptx_need(p, ','))
		return false;
	return ptx_take_word(p, "inlined_at") ? read_line(p, call) : ptx_expected(p, "inlined_at");
}

/* Reads what follows .loc. */
static bool read_loc(struct ptx_parser *p)
{
	const struct ptx_inlined *inlined = NULL;
	struct ptx_line at, call;

	if (!read_line(p, &at))
		return false;
	if (!ptx_at(p, ','))
		ptx_inlined_plain(p, at);
	else if (!read_inlined(p, &call) || !ptx_inlined_add(p, at, call, &inlined))
		return false;
	/* Line 0 is code without a line of its own: the line before it says more. */
	if (at.line) {
		p->source.file = at.file;
		p->source.source_line = at.line;
		p->source.source_column = at.column;
		p->source.inlined = inlined;
	}
	return true;
}

/* Writes a string without its backslashes. Returns its length. */
static unsigned int unescape(char *to, const struct ptx_token *string)
{
	unsigned int i, length = 0;

	for (i = 0; i < string->length; i++) {
		if (string->text[i] == '\\' && i + 1 < string->length)
			i++;
		to[length++] = string->text[i];
	}
	return length;
}

static bool set_file(struct ptx_parser *p, uint32_t number, const struct ptx_token *directory,
		     const struct ptx_token *name)
{
	char *path = ptx_new(p, directory->length + name->length + 2, 1);
	unsigned int length = 0;

	if (!path)
		return false;
	if (directory->length && (!name->length || name->text[0] != '/')) {
		length = unescape(path, directory);
		path[length++] = '/';
	}
	unescape(path + length, name);
	while (p->files.count <= number) {
		if (!ptx_list_add(p, &p->files, sizeof(char *)))
			return false;
	}
	((const char **)p->files.items)[number] = path;
	return true;
}

static bool skip_number(struct ptx_parser *p)
{
	if (p->token.kind != TOKEN_NUMBER)
		return ptx_expected(p, "a number");
	ptx_next(p);
	return true;
}

/* Reads number "name", time, size or number "directory" "name" md5 sum; both ends are optional. */
static bool read_file(struct ptx_parser *p)
{
	struct ptx_token directory = { }, name;
	uint64_t number;

	if (!ptx_count(p, "the number of the file", 0, PTX_MAX_FILES - 1, &number))
		return false;
	name = p->token;
	if (name.kind != TOKEN_STRING)
		return ptx_expected(p, "the name of the file");
	ptx_next(p);
	if (p->token.kind == TOKEN_STRING) {
		directory = name;
		name = p->token;
		ptx_next(p);
	}
	if (!set_file(p, number, &directory, &name))
		return false;
	if (ptx_take_word(p, "md5"))
		return skip_number(p);
	return !ptx_take(p, ',') || (skip_number(p) && ptx_need(p, ',') && skip_number(p));
}

static bool read_pragma(struct ptx_parser *p)
{
	do {
		if (p->token.kind != TOKEN_STRING)
			return ptx_expected(p, "a string");
		ptx_next(p);
	} while (ptx_take(p, ','));
	return ptx_need(p, ';');
}

/* Skips braces and what is between them. The token is the opening one. */
static bool ptx_skip_braces(struct ptx_parser *p)
{
	unsigned int depth = 0;

	if (!ptx_at(p, '{'))
		return ptx_expected(p, "'{'");
	do {
		depth += ptx_at(p, '{');
		depth -= ptx_at(p, '}');
		if (p->token.kind == TOKEN_END)
			return ptx_expected(p, "'}' at the end of the section");
		ptx_next(p);
	} while (depth);
	return true;
}

/* Skips the name of a section and its contents. */
static bool skip_section(struct ptx_parser *p)
{
	if (p->token.kind != TOKEN_DOTTED && p->token.kind != TOKEN_WORD)
		return ptx_expected(p, "the name of a section");
	ptx_next(p);
	return ptx_skip_braces(p);
}

bool ptx_common_directive(struct ptx_parser *p, bool *ok)
{
	if (ptx_take_word(p, ".loc"))
		*ok = read_loc(p);
	else if (ptx_take_word(p, ".file"))
		*ok = read_file(p);
	else if (ptx_take_word(p, ".pragma"))
		*ok = read_pragma(p);
	else if (ptx_take_word(p, ".section"))
		*ok = skip_section(p);
	else
		return false;
	return true;
}

enum ptx_linkage ptx_linkage(struct ptx_parser *p)
{
	if (ptx_take_word(p, ".extern"))
		return LINKAGE_EXTERN;
	if (ptx_take_word(p, ".visible"))
		return LINKAGE_VISIBLE;
	if (ptx_take_word(p, ".weak"))
		return LINKAGE_WEAK;
	return ptx_take_word(p, ".common") ? LINKAGE_COMMON : LINKAGE_NONE;
}

bool ptx_skip_parentheses(struct ptx_parser *p)
{
	unsigned int depth = 0;

	if (!ptx_at(p, '('))
		return ptx_expected(p, "'('");
	do {
		depth += ptx_at(p, '(');
		depth -= ptx_at(p, ')');
		if (p->token.kind == TOKEN_END || ptx_at(p, ';') || ptx_at(p, '{'))
			return ptx_expected(p, "')'");
		ptx_next(p);
	} while (depth);
	return true;
}

bool ptx_unknown_directive(struct ptx_parser *p, const char *where)
{
	static const char *const known[] = {
		".version", ".target", ".address_size", ".visible", ".extern", ".weak", ".common",
		".entry", ".func", ".alias", ".global", ".const", ".shared", ".local", ".param",
		".reg", ".loc", ".file", ".pragma", ".section", ".noreturn", ".maxntid", ".reqntid",
		".minnctapersm", ".maxnctapersm", ".maxnreg", ".reqnctapercluster",
		".explicitcluster", ".maxclusterrank", ".blocksareclusters", ".abi_preserve",
		".abi_preserve_control", ".branchtargets", ".calltargets", ".callprototype",
	};
	struct nearest nearest = { .word = ptx_token_span(&p->token) };
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	unsigned int i;

	if (p->token.kind != TOKEN_DOTTED)
		return ptx_expected(p, "a directive");
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (ptx_token_is(&p->token, known[i]))
			return ptx_error(p, "%s cannot stand %s", known[i], where);
		nearest_try(&nearest, known[i]);
	}
	/* Short directives are similar to each other. */
	if (3 * nearest.distance > nearest.word.length)
		nearest.name = NULL;
	return ptx_error(p, "unknown directive %s%s", quote(text, nearest.word),
			 meant(&nearest, "", hint));
}

/* --- initialisers --------------------------------------------------------- */

/* An initialiser that is being read */
struct init {
	struct ptx_variable *var;	/* variable */
	const uint64_t *dims;		/* Dimensions. The first is 0 if it is not known. */
	unsigned int dim_count;		/* number of dimensions */
	unsigned int size;		/* bytes of an element of the type */
	struct ptx_list bytes;	/* uint8_t: bytes that were written, if the size is not known */
	struct ptx_list relocs;		/* struct ptx_reloc: addresses */
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

/* Reads the initialiser of a variable, behind the =. */
static bool ptx_init(struct ptx_parser *p, struct ptx_variable *var, const uint64_t *dims,
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

/* --- declarations --------------------------------------------------------- */

enum ptx_space ptx_space_named(const struct ptx_token *token)
{
	static const struct {
		const char *name;
		enum ptx_space space;
	} spaces[] = {
		{ ".reg", SPACE_REG }, { ".global", SPACE_GLOBAL }, { ".shared", SPACE_SHARED },
		{ ".local", SPACE_LOCAL }, { ".const", SPACE_CONST }, { ".param", SPACE_PARAM },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spaces); i++) {
		if (ptx_token_is(token, spaces[i].name))
			return spaces[i].space;
	}
	return SPACE_GENERIC;
}

static bool read_align(struct ptx_parser *p, uint32_t *align)
{
	struct ptx_token place = p->token;
	uint64_t number;

	if (!ptx_count(p, "the alignment", 1, PTX_MAX_ALIGN, &number))
		return false;
	if (number & (number - 1))
		return ptx_error_at(p, place.line, place.column,
				    "the alignment must be a power of two");
	*align = number;
	return true;
}

/* Reads what follows .ptr. */
static bool read_pointer(struct ptx_parser *p, struct ptx_declaration *declaration)
{
	declaration->pointer = true;
	/* The alignment that PTX assumes if none is given */
	declaration->pointee_align = 4;
	if (ptx_space_named(&p->token) != SPACE_GENERIC || ptx_token_is(&p->token, ".generic"))
		ptx_next(p);
	return !ptx_take_word(p, ".align") || read_align(p, &declaration->pointee_align);
}

static bool read_type(struct ptx_parser *p, struct ptx_declaration *declaration)
{
	enum ptx_type type = ptx_type_named(p->token.text + 1, p->token.length - 1);
	bool opaque = ptx_token_is(&p->token, ".texref") ||
		      ptx_token_is(&p->token, ".samplerref") ||
		      ptx_token_is(&p->token, ".surfref");
	char text[QUOTE_SIZE];

	/* A texture, sampler or surface: code/ refuses every instruction that uses it. */
	if (opaque && (declaration->space == SPACE_GLOBAL || declaration->space == SPACE_PARAM)) {
		declaration->opaque = true;
		type = TYPE_B64;
	}

	if (type == TYPE_NONE)
		return ptx_error(p, "unknown type or attribute %s",
				 quote(text, ptx_token_span(&p->token)));
	if (declaration->type != TYPE_NONE)
		return ptx_error(p, "the declaration has two types: .%s and .%s",
				 ptx_type_name(declaration->type), ptx_type_name(type));
	declaration->type = type;
	ptx_next(p);
	return true;
}

bool ptx_declaration(struct ptx_parser *p, struct ptx_declaration *declaration)
{
	declaration->vector = 1;
	while (p->token.kind == TOKEN_DOTTED) {
		bool done = true;

		if (ptx_take_word(p, ".align"))
			done = read_align(p, &declaration->align);
		else if (ptx_take_word(p, ".attribute"))
			done = ptx_skip_parentheses(p);
		else if (ptx_take_word(p, ".ptr"))
			done = read_pointer(p, declaration);
		else if (ptx_take_word(p, ".v2"))
			declaration->vector = 2;
		else if (ptx_take_word(p, ".v4"))
			declaration->vector = 4;
		else if (ptx_take_word(p, ".v8"))
			declaration->vector = 8;
		else
			done = read_type(p, declaration);
		if (!done)
			return false;
	}
	if (declaration->type == TYPE_NONE)
		return ptx_expected(p, "a type such as .b32");
	if (declaration->type == TYPE_PRED && declaration->space != SPACE_REG)
		return ptx_error(p, "a predicate must be a register (.reg .pred)");
	if (declaration->vector > 1 &&
	    (declaration->type == TYPE_PRED ||
	     declaration->vector * ptx_type_size(declaration->type) > 32))
		return ptx_error(p, ".v%u .%s is not a vector type", declaration->vector,
				 ptx_type_name(declaration->type));
	return true;
}

static bool multiply_size(struct ptx_parser *p, uint64_t *size, uint64_t by)
{
	if (__builtin_mul_overflow(*size, by, size) || *size > PTX_MAX_SIZE)
		return ptx_error(p, "the variable is larger than %llu bytes", PTX_MAX_SIZE);
	return true;
}

bool ptx_variable_shape(struct ptx_parser *p, const struct ptx_declaration *declaration,
			struct ptx_variable *var, uint64_t *dims, unsigned int *dim_count)
{
	uint64_t size = ptx_type_size(declaration->type) * declaration->vector;
	unsigned int count = 0;

	var->space = declaration->space;
	var->type = declaration->type;
	var->opaque = declaration->opaque;
	var->pointee_align = declaration->pointee_align;
	var->align = declaration->align > size ? declaration->align : size;
	while (ptx_take(p, '[')) {
		/* A vector needs a dimension, too. */
		if (count == PTX_MAX_DIMS - 1)
			return ptx_error(p, "an array may have at most %d dimensions",
					 PTX_MAX_DIMS - 1);
		dims[count] = 0;
		if ((count || !ptx_at(p, ']')) &&
		    (!ptx_count(p, "the dimension", 1, PTX_MAX_SIZE, &dims[count]) ||
		     !multiply_size(p, &size, dims[count])))
			return false;
		if (!ptx_need(p, ']'))
			return false;
		count++;
	}
	var->size = count && !dims[0] ? 0 : size;
	if (declaration->vector > 1)
		dims[count++] = declaration->vector;
	*dim_count = count;
	return true;
}

/* Is this a declaration of a variable that was .extern before, or the other way round? */
static bool redeclares(const struct ptx_variable *old, const struct ptx_variable *var)
{
	return (old->external || var->external) && old->space == var->space &&
	       old->type == var->type &&
	       (old->size == var->size || !old->size || !var->size);
}

/*
 * Makes the variable known. If it was declared .extern before, *@result is the old one, which takes
 * over what the new declaration says.
 */
static bool variable_add(struct ptx_parser *p, struct ptx_word *word, const struct ptx_token *place,
			 const struct ptx_variable *var, bool local, struct ptx_variable **result)
{
	struct ptx_list *list = local ? &p->locals : &p->variables;
	struct ptx_symbol *symbol = word->symbol;
	struct ptx_variable **slot;

	if (symbol && symbol->scope == p->names.scope && symbol->kind == SYMBOL_VARIABLE &&
	    redeclares(symbol->var, var)) {
		struct ptx_variable *old = symbol->var;

		*result = old;
		old->align = var->align > old->align ? var->align : old->align;
		old->size = var->size ? var->size : old->size;
		if (!var->external) {
			old->external = false;
			old->place = var->place;
		}
		return true;
	}
	symbol = ptx_declare(p, word, SYMBOL_VARIABLE, place);
	if (!symbol)
		return false;
	symbol->var = ptx_new(p, 1, sizeof(*var));
	if (!symbol->var)
		return false;
	*symbol->var = *var;
	symbol->var->index = list->count;
	slot = ptx_list_add(p, list, sizeof(*slot));
	if (!slot)
		return false;
	*slot = symbol->var;
	*result = symbol->var;
	return true;
}

static bool may_have_init(struct ptx_parser *p, const struct ptx_variable *var)
{
	if (var->space != SPACE_GLOBAL && var->space != SPACE_CONST)
		return ptx_error(p, "only .global and .const variables may have an initialiser");
	if (var->external)
		return ptx_error(p, "a variable that is .extern may have no initialiser");
	return true;
}

/* Reads one variable of a declaration: name, dimensions, initialiser. */
static bool read_variable(struct ptx_parser *p, const struct ptx_declaration *declaration)
{
	bool local = p->names.scope > PTX_SCOPE_MODULE && declaration->space != SPACE_GLOBAL &&
		     declaration->space != SPACE_CONST;
	struct ptx_variable var = { }, *added;
	struct ptx_token place = p->token;
	uint64_t dims[PTX_MAX_DIMS];
	unsigned int dim_count;
	struct ptx_word *word;

	if (place.kind != TOKEN_WORD)
		return ptx_expected(p, "the name of a variable");
	word = ptx_word(p, place.text, place.length);
	if (!word)
		return false;
	ptx_next(p);
	if (!ptx_variable_shape(p, declaration, &var, dims, &dim_count))
		return false;
	var.name = word->text;
	var.external = declaration->linkage == LINKAGE_EXTERN;
	var.place = (struct ptx_place){ .line = place.line, .column = place.column, .file = -1 };
	if (!var.size && !var.external && !ptx_at(p, '='))
		return ptx_error_at(p, place.line, place.column,
				    "the array %s needs a size: only .extern arrays have none",
				    var.name);
	if (!variable_add(p, word, &place, &var, local, &added))
		return false;
	if (!ptx_at(p, '='))
		return true;
	if (!may_have_init(p, &var))
		return false;
	ptx_next(p);
	/* How a sampler filters is not needed. */
	if (var.opaque)
		return ptx_skip_braces(p);
	return ptx_init(p, added, dims, dim_count);
}

bool ptx_variables(struct ptx_parser *p, enum ptx_linkage linkage)
{
	struct ptx_declaration declaration = {
		.linkage = linkage, .space = ptx_space_named(&p->token),
	};
	bool module = p->names.scope == PTX_SCOPE_MODULE;

	if (declaration.space == SPACE_PARAM && module)
		return ptx_error(p, ".param may stand in the head of a function or in its body");
	if (declaration.space == SPACE_LOCAL && module)
		return ptx_error(p, ".local variables must be declared in a function");
	ptx_next(p);
	if (ptx_at(p, '['))
		return ptx_error(p, "banks of constants (.const[N]) are not supported");
	if (!ptx_declaration(p, &declaration))
		return false;
	if (declaration.pointer)
		return ptx_error(p, ".ptr is for parameters of kernels");
	do {
		if (!read_variable(p, &declaration))
			return false;
	} while (ptx_take(p, ','));
	return ptx_need(p, ';');
}

int32_t ptx_register_add(struct ptx_parser *p, const char *name, enum ptx_type type,
			 unsigned int width)
{
	static const char components[] = "xyzwstuv";
	int32_t first = p->regs.count;
	unsigned int i;

	if (width > PTX_MAX_REGS - p->all_regs) {
		ptx_error(p, "a module may have at most %u registers", PTX_MAX_REGS);
		return -1;
	}
	p->all_regs += width;
	for (i = 0; i < width; i++) {
		struct ptx_register *reg = ptx_list_add(p, &p->regs, sizeof(*reg));
		size_t length = strlen(name);
		char *part;

		if (!reg)
			return -1;
		*reg = (struct ptx_register){ .name = name, .type = type };
		if (width == 1)
			break;
		part = ptx_new(p, length + 3, 1);
		if (!part)
			return -1;
		memcpy(part, name, length);
		part[length] = '.';
		part[length + 1] = components[i];
		reg->name = part;
	}
	return first;
}

static bool register_declare(struct ptx_parser *p, const struct ptx_token *place, const char *name,
			     unsigned int length, const struct ptx_declaration *declaration,
			     uint32_t range)
{
	struct ptx_word *word = ptx_word(p, name, length);
	struct ptx_symbol *symbol;

	if (!word)
		return false;
	symbol = ptx_declare(p, word, SYMBOL_REG, place);
	if (!symbol)
		return false;
	symbol->width = declaration->vector;
	symbol->range = range;
	symbol->reg = ptx_register_add(p, word->text, declaration->type, declaration->vector);
	return symbol->reg >= 0;
}

/* Writes a number behind the stem of a name. Returns the length of the name. */
static unsigned int number_name(char *name, unsigned int stem, uint32_t number)
{
	char digits[10];
	unsigned int count = 0;

	do {
		digits[count++] = '0' + number % 10;
		number /= 10;
	} while (number);
	while (count)
		name[stem++] = digits[--count];
	return stem;
}

/* Reads <N>, and declares name0 to name(N - 1). The token is <. */
static bool register_range(struct ptx_parser *p, const struct ptx_token *place,
			   const struct ptx_declaration *declaration)
{
	uint64_t range;
	uint32_t i;
	char *name;

	ptx_next(p);
	if (!ptx_count(p, "the number of registers", 1, PTX_MAX_REGS, &range) || !ptx_need(p, '>'))
		return false;
	name = ptx_new(p, place->length + 10, 1);
	if (!name)
		return false;
	memcpy(name, place->text, place->length);
	for (i = 0; i < range; i++) {
		if (!register_declare(p, place, name, number_name(name, place->length, i),
				      declaration, range))
			return false;
	}
	return true;
}

bool ptx_registers(struct ptx_parser *p)
{
	struct ptx_declaration declaration = { .space = SPACE_REG };

	if (p->names.scope == PTX_SCOPE_MODULE)
		return ptx_error(p, "registers must be declared in a function");
	ptx_next(p);
	if (!ptx_declaration(p, &declaration))
		return false;
	do {
		struct ptx_token place = p->token;

		if (place.kind != TOKEN_WORD)
			return ptx_expected(p, "the name of a register");
		ptx_next(p);
		if (ptx_at(p, '<') ? !register_range(p, &place, &declaration) :
		    !register_declare(p, &place, place.text, place.length, &declaration, 0))
			return false;
	} while (ptx_take(p, ','));
	return ptx_need(p, ';');
}
