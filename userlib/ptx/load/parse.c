// SPDX-License-Identifier: MIT
/* Modules: the directives at their beginning, and what they consist of. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "load/body.h"
#include "load/operand.h"
#include "load/parser.h"
#include "load/variable.h"
#include "vsm_syntax.h"

/* --- functions ------------------------------------------------------------ */

/* Makes the parameters known in the body. */
static bool declare_params(struct ptx_parser *p, struct ptx_variable *params, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct ptx_token place = {
			.line = params[i].place.line, .column = params[i].place.column,
		};
		struct ptx_word *word = ptx_word(p, params[i].name, strlen(params[i].name));
		struct ptx_symbol *symbol;
		bool reg = params[i].space == SPACE_REG;

		if (!word)
			return false;
		if (word->length == 1 && word->text[0] == '_' && !reg)
			continue;
		symbol = ptx_declare(p, word, reg ? SYMBOL_REG : SYMBOL_VARIABLE, &place);
		if (!symbol)
			return false;
		symbol->var = &params[i];
		if (!reg)
			continue;
		symbol->reg = ptx_register_add(p, word->text, params[i].type, 1);
		if (symbol->reg < 0)
			return false;
		params[i].address = symbol->reg;
	}
	return true;
}

/* Reads the body. The token is the opening brace. */
static bool read_body(struct ptx_parser *p, struct ptx_function *function)
{
	bool done;

	if (!ptx_scope_open(p))
		return false;
	p->regs.count = 0;
	p->locals.count = 0;
	p->tables.count = 0;
	p->insns.count = 0;
	p->branches.count = 0;
	declare_params(p, function->returns, function->return_count);
	declare_params(p, function->params, function->param_count);
	function->defined = true;
	ptx_next(p);
	done = ptx_body(p, function);
	ptx_scope_close(p);
	return done;
}

/* Finds the function that the head declares, or adds it. */
static struct ptx_function *function_find(struct ptx_parser *p, struct ptx_word *word,
					  const struct ptx_function *head)
{
	struct ptx_token place = { .line = head->place.line, .column = head->place.column };
	struct ptx_symbol *symbol = word->symbol;
	struct ptx_function **slot;

	if (symbol && symbol->kind == SYMBOL_FUNCTION) {
		if (ptx_at(p, '{') && symbol->function->defined)
			ptx_error_at(p, place.line, place.column,
				     "'%s' has a body in line %u already", head->name,
				     symbol->function->place.line);
		else if (!ptx_function_agrees(symbol->function, head))
			ptx_error_at(p, place.line, place.column,
				     "'%s' is declared differently in line %u", head->name,
				     symbol->line);
		else
			return symbol->function;
		return NULL;
	}
	symbol = ptx_declare(p, word, SYMBOL_FUNCTION, &place);
	if (!symbol)
		return NULL;
	symbol->function = ptx_new(p, 1, sizeof(*head));
	slot = symbol->function ? ptx_list_add(p, &p->functions, sizeof(*slot)) : NULL;
	if (!slot)
		return NULL;
	*symbol->function = *head;
	*slot = symbol->function;
	return symbol->function;
}

/* Reads a function or kernel. The token is .func or .entry. */
static bool ptx_function(struct ptx_parser *p)
{
	struct ptx_function head = { .entry = ptx_token_is(&p->token, ".entry") }, *function;
	struct ptx_word *word;

	ptx_next(p);
	if (!ptx_head(p, &head, &word))
		return false;
	if (!ptx_at(p, '{') && !ptx_at(p, ';'))
		return ptx_expected(p, "'{' or ';'");
	function = function_find(p, word, &head);
	if (!function)
		return false;
	if (ptx_take(p, ';'))
		return true;
	*function = head;
	return read_body(p, function);
}

/* --- modules -------------------------------------------------------------- */

#define OLDEST 40
#define NEWEST 99

/* A module with its memory. */
struct loaded {
	struct ptx_module module;
	struct ptx_arena arena;
};

/* Stops after an error that makes the rest of the file meaningless. */
static bool give_up(struct ptx_parser *p)
{
	p->error = p->error ? p->error : -EINVAL;
	return false;
}

static bool read_version(struct ptx_parser *p)
{
	const char *text;

	ptx_next(p);
	text = p->token.text;
	if (p->token.kind != TOKEN_NUMBER)
		return ptx_expected(p, "a version such as 8.0");
	if (p->token.length != 3 || text[1] != '.' || text[0] < '0' || text[0] > '9' ||
	    text[2] < '0' || text[2] > '9' || text[0] * 10 + text[2] - '0' * 11 < OLDEST) {
		ptx_error(p, "version %.*s is not supported: the oldest is %d.%d, the newest %d.%d",
			  p->token.length < 20 ? (int)p->token.length : 20, text, OLDEST / 10,
			  OLDEST % 10, NEWEST / 10, NEWEST % 10);
		return give_up(p);
	}
	if (p->module->version)
		return ptx_error(p, "the module has a .version already");
	p->module->version = text[0] * 10 + text[2] - '0' * 11;
	ptx_next(p);
	return true;
}

/* Reads sm_90a and the like: every target from sm_50 on. Letters are those that ptxas has. */
static bool read_arch(struct ptx_parser *p)
{
	const char *text = p->token.text;
	unsigned int length = p->token.length;
	unsigned int target = 0, i;
	char shown[QUOTE_SIZE], arch;

	for (i = 3; i < length && i < 6 && text[i] >= '0' && text[i] <= '9'; i++)
		target = 10 * target + text[i] - '0';
	arch = i + 1 == length ? text[i] : '\0';
	if (i + (arch != '\0') != length || target < 50 ||
	    (arch && !(arch == 'a' && target >= 90) && !(arch == 'f' && target >= 100))) {
		ptx_error(p,
			  "target %s is not supported: vsm has sm_50 and newer, with the letter a from sm_90 on and f from sm_100 on",
			  quote(shown, ptx_token_span(&p->token)));
		return give_up(p);
	}
	p->module->target = target;
	p->module->arch = arch;
	return true;
}

static bool read_target(struct ptx_parser *p)
{
	static const char *const words[] = {
		"debug", "texmode_unified", "texmode_independent", "map_f64_to_f32",
	};
	unsigned int i;

	ptx_next(p);
	do {
		if (p->token.kind != TOKEN_WORD)
			return ptx_expected(p, "a target such as sm_90a");
		if (!strncmp(p->token.text, "sm_", 3)) {
			if (!read_arch(p))
				return false;
		} else {
			for (i = 0; i < ARRAY_SIZE(words); i++) {
				if (ptx_token_is(&p->token, words[i]))
					break;
			}
			if (i == ARRAY_SIZE(words))
				return ptx_expected(p, "a target such as sm_90a");
		}
		ptx_next(p);
	} while (ptx_take(p, ','));
	if (!p->module->target)
		return ptx_expected(p, "a target such as sm_90a");
	return true;
}

static bool read_address_size(struct ptx_parser *p)
{
	uint64_t size;

	ptx_next(p);
	if (!ptx_count(p, "the size of an address", 0, UINT32_MAX, &size))
		return false;
	if (size != 64) {
		ptx_error(p, "addresses of %llu bits are not supported: .address_size must be 64",
			  (unsigned long long)size);
		return give_up(p);
	}
	p->module->address_size = size;
	return true;
}

/* Reads the .version, .target and .address_size with which a module begins. */
static bool read_beginning(struct ptx_parser *p)
{
	if (!ptx_token_is(&p->token, ".version")) {
		ptx_error(p, "a module must begin with .version");
		return give_up(p);
	}
	if (!read_version(p))
		return give_up(p);
	if (!ptx_token_is(&p->token, ".target")) {
		ptx_error(p, "expected .target behind .version");
		return give_up(p);
	}
	if (!read_target(p))
		return give_up(p);
	if (!ptx_token_is(&p->token, ".address_size")) {
		ptx_error(p, "expected '.address_size 64' behind .target");
		return give_up(p);
	}
	return read_address_size(p) || give_up(p);
}

static struct ptx_function *read_function_name(struct ptx_parser *p)
{
	struct ptx_word *word;

	if (p->token.kind != TOKEN_WORD) {
		ptx_expected(p, "the name of a function");
		return NULL;
	}
	word = ptx_word(p, p->token.text, p->token.length);
	if (!word)
		return NULL;
	if (!word->symbol || word->symbol->kind != SYMBOL_FUNCTION) {
		ptx_unknown(p, word, p->token.line, p->token.column, "function");
		return NULL;
	}
	ptx_next(p);
	return word->symbol->function;
}

/* Reads .alias name, target; */
static bool read_alias(struct ptx_parser *p)
{
	struct ptx_alias alias = { .line = p->token.line, .column = p->token.column }, *slot;

	ptx_next(p);
	alias.function = read_function_name(p);
	if (!alias.function || !ptx_need(p, ','))
		return false;
	alias.target = read_function_name(p);
	if (!alias.target || !ptx_need(p, ';'))
		return false;
	slot = ptx_list_add(p, &p->aliases, sizeof(*slot));
	if (!slot)
		return false;
	*slot = alias;
	return true;
}

/* Gives aliases the bodies of their targets. */
static void resolve_aliases(struct ptx_parser *p)
{
	unsigned int i;

	for (i = 0; i < p->aliases.count && !p->error; i++) {
		const struct ptx_alias *alias = (struct ptx_alias *)p->aliases.items + i;
		const char *name = alias->function->name;

		if (alias->function->defined) {
			ptx_error_at(p, alias->line, alias->column,
				     "'%s' has a body of its own, and cannot be an alias", name);
		} else if (!alias->target->defined) {
			ptx_error_at(p, alias->line, alias->column,
				     "'%s' has no body that '%s' can share", alias->target->name,
				     name);
		} else if (!ptx_function_agrees(alias->function, alias->target)) {
			ptx_error_at(p, alias->line, alias->column,
				     "'%s' and '%s' have different parameters", name,
				     alias->target->name);
		} else {
			*alias->function = *alias->target;
			alias->function->name = name;
			if (!alias->function->alias_of)
				alias->function->alias_of = alias->target;
		}
	}
}

static bool read_statement(struct ptx_parser *p)
{
	enum ptx_linkage linkage;
	bool ok;

	if (ptx_token_is(&p->token, ".version"))
		return read_version(p);
	if (ptx_token_is(&p->token, ".target"))
		return read_target(p);
	if (ptx_token_is(&p->token, ".address_size"))
		return read_address_size(p);
	if (ptx_token_is(&p->token, ".alias"))
		return read_alias(p);
	if (ptx_token_is(&p->token, ".reg"))
		return ptx_registers(p);
	if (ptx_common_directive(p, &ok))
		return ok;
	linkage = ptx_linkage(p);
	if (ptx_token_is(&p->token, ".func") || ptx_token_is(&p->token, ".entry"))
		return ptx_function(p);
	if (ptx_space_named(&p->token) != SPACE_GENERIC)
		return ptx_variables(p, linkage);
	return ptx_unknown_directive(p, "in a module");
}

static void finish(struct ptx_parser *p)
{
	struct ptx_module *module = p->module;
	unsigned int i;

	resolve_aliases(p);
	for (i = 0; i < p->functions.count; i++)
		((struct ptx_function **)p->functions.items)[i]->index = i;
	/* Every number of a .loc is an index of the list. */
	while (p->last_file >= 0 && p->files.count <= (uint32_t)p->last_file) {
		if (!ptx_list_add(p, &p->files, sizeof(*module->files)))
			return;
	}
	module->file_count = p->files.count;
	module->files = ptx_list_keep(p, &p->files, 0, sizeof(*module->files));
	module->variable_count = p->variables.count;
	module->variables = ptx_list_keep(p, &p->variables, 0, sizeof(*module->variables));
	module->function_count = p->functions.count;
	module->functions = ptx_list_keep(p, &p->functions, 0, sizeof(*module->functions));
}

static void parse_text(struct ptx_parser *p, const char *text, size_t size)
{
	p->lexer = (struct ptx_lexer){ .at = text, .end = text + size, .start = text, .line = 1 };
	if (!ptx_names_init(p))
		return;
	ptx_next(p);
	if (!read_beginning(p))
		return;
	while (p->token.kind != TOKEN_END) {
		if (!read_statement(p))
			ptx_recover_module(p);
	}
	finish(p);
}

/* Copies the text, with a space before it and a zero behind it. */
static const char *copy_text(struct ptx_parser *p, const char *text, size_t size)
{
	char *copy;

	if (size > PTX_MAX_TEXT) {
		ptx_error_at(p, 0, 0, "the file is larger than %u MiB", PTX_MAX_TEXT >> 20);
		return NULL;
	}
	copy = ptx_new(p, size + 2, 1);
	if (!copy)
		return NULL;
	copy[0] = ' ';
	if (size)
		memcpy(copy + 1, text, size);
	return copy + 1;
}

static void parser_free(struct ptx_parser *p)
{
	ptx_names_free(p);
	ptx_inlined_free(p);
	ptx_list_free(&p->variables);
	ptx_list_free(&p->functions);
	ptx_list_free(&p->files);
	ptx_list_free(&p->aliases);
	ptx_list_free(&p->params);
	ptx_list_free(&p->regs);
	ptx_list_free(&p->locals);
	ptx_list_free(&p->tables);
	ptx_list_free(&p->insns);
	ptx_list_free(&p->operands);
	ptx_list_free(&p->branches);
	free(p);
}

static int parse_into(struct loaded *loaded, const char *path, const char *text, size_t size,
		      struct ptx_messages *messages)
{
	struct ptx_parser *p = calloc(1, sizeof(*p));
	unsigned int before = messages->count;
	const char *copy;
	char *name;
	int error;

	if (!p)
		return -ENOMEM;
	p->path = path;
	p->messages = messages;
	p->arena = &loaded->arena;
	p->module = &loaded->module;
	p->last_file = -1;
	ptx_inlined_begin(p);
	name = ptx_new(p, strlen(path) + 1, 1);
	copy = name ? copy_text(p, text, size) : NULL;
	if (copy) {
		strcpy(name, path);
		loaded->module.path = name;
		parse_text(p, copy, size);
	}
	error = p->error;
	if (!error && messages->count > before)
		error = -EINVAL;
	parser_free(p);
	return error;
}

int ptx_module_parse(const char *path, const char *text, size_t size, struct ptx_module **module,
		     struct ptx_messages *messages)
{
	struct loaded *loaded = calloc(1, sizeof(*loaded));
	int error;

	*module = NULL;
	if (!loaded)
		return -ENOMEM;
	loaded->arena.limit = PTX_MAX_MEMORY;
	error = parse_into(loaded, path, text, size, messages);
	if (error) {
		ptx_module_free(&loaded->module);
		return error;
	}
	*module = &loaded->module;
	return 0;
}

void ptx_module_free(struct ptx_module *module)
{
	struct loaded *loaded = (struct loaded *)module;

	if (!loaded)
		return;
	ptx_arena_free(&loaded->arena);
	free(loaded);
}

const char *ptx_module_file(const struct ptx_module *module, int32_t file)
{
	return file >= 0 && (unsigned int)file < module->file_count ? module->files[file] : NULL;
}

const struct ptx_function *ptx_module_function(const struct ptx_module *module, const char *name)
{
	unsigned int i;

	for (i = 0; i < module->function_count; i++) {
		if (!strcmp(module->functions[i]->name, name))
			return module->functions[i];
	}
	return NULL;
}
