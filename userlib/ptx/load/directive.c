// SPDX-License-Identifier: MIT
/*
 * Directives that may stand in a module and in a function, and unknown ones.
 */
#include <string.h>

#include "load/constant.h"
#include "load/directive.h"
#include "load/inlined.h"
#include "load/parser.h"
#include "load/token.h"
#include "vsm_syntax.h"

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

bool ptx_skip_braces(struct ptx_parser *p)
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
