// SPDX-License-Identifier: MIT
/*
 * The syntax of instructions whose decoders read only a few parts of the opcode (PTX ISA 8.8, as
 * far as sm_90a has it).
 */
#include <stdio.h>
#include <string.h>

#include "code/decode_operand.h"
#include "code/syntax.h"
#include "vsm_syntax.h"

/**
 * struct syntax - A spelling of an instruction
 * @name: Begin of the opcode. An opcode that begins so has to follow a row with this name
 * @rest: The rest of the opcode in PTX's notation: (.a|.b) is one of them, {.a|.b} one or none
 * @operands: A letter for each operand. A: an address of 64 bits; a: one of 32 or 64 bits; i: a
 *	number; 8: the number 128; w, l and f: a value of 32 or 64 bits, or .f32; L: a register of
 *	64 bits; *: the decoder checks it. An operand with a ? behind it may be missing
 */
struct syntax {
	const char *name;
	const char *rest;
	const char *operands;
};

#define SCOPES	"(.cta|.cluster|.gpu|.sys)"
#define SPACES	"(.global|.shared|.shared::cta|.shared::cluster|.local|.const|.param" \
		"|.param::entry)"
#define FENCE_SPACES	"{.global|.shared|.shared::cta|.shared::cluster}"
#define PRIMARY	"(.L2::evict_last|.L2::evict_normal|.L2::evict_first|.L2::evict_unchanged)"
#define SECONDARY	"{.L2::evict_first|.L2::evict_unchanged}"
#define MAP_SPACES	"{.global|.shared|.shared::cta}"

static const struct syntax syntaxes[] = {
	{ "bra", "{.uni}", "*" },
	{ "brx", ".idx{.uni}", "**" },
	{ "ret", "{.uni}", "" },
	{ "exit", "", "" },
	{ "trap", "", "" },
	{ "brkpt", "", "" },
	{ "fence.proxy", ".alias", "" },
	{ "fence.proxy", ".async" FENCE_SPACES, "" },
	{ "fence.proxy", ".tensormap::generic.release" SCOPES, "" },
	{ "fence.proxy", ".tensormap::generic.acquire" SCOPES, "A8" },
	{ "fence.proxy", ".async::generic.acquire.sync_restrict::shared::cluster.cluster", "" },
	{ "fence.proxy", ".async::generic.release.sync_restrict::shared::cta.cluster", "" },
	{ "fence.acquire.sync_restrict::shared::cluster", ".cluster", "" },
	{ "fence.release.sync_restrict::shared::cta", ".cluster", "" },
	{ "membar.proxy", ".alias", "" },
	{ "membar.proxy", ".async" FENCE_SPACES, "" },
	{ "membar", "(.cta|.gl|.sys)", "" },
	{ "prefetch", "{.global}(.L1|.L2)", "A" },
	{ "prefetch", ".local(.L1|.L2)", "a" },
	{ "prefetch", ".global(.L2::evict_last|.L2::evict_normal)", "A" },
	{ "prefetch", ".tensormap", "A" },
	{ "prefetch", "(.const|.param).tensormap", "a" },
	{ "prefetchu", ".L1", "A" },
	{ "discard", "{.global}.L2", "A8" },
	{ "applypriority", "{.global}.L2::evict_normal", "A8" },
	{ "createpolicy", ".fractional" PRIMARY SECONDARY ".b64", "Lf?" },
	{ "createpolicy", ".range{.global}" PRIMARY SECONDARY ".b64", "LAww" },
	{ "createpolicy", ".cvt.L2.b64", "Ll" },
	{ "pmevent", "{.mask}", "i" },
	{ "griddepcontrol", "(.launch_dependents|.wait)", "" },
	{ "setmaxnreg", "(.inc|.dec).sync.aligned.u32", "i" },
	{ "nanosleep", ".u32", "w" },
	{ "activemask", ".b32", "*" },
	/* There is nothing to wait for, because wgmma.mma_async is refused. */
	{ "wgmma.fence", ".sync.aligned", "" },
	{ "wgmma.commit_group", ".sync.aligned", "" },
	{ "wgmma.wait_group", ".sync.aligned", "i" },
	{ "cvta", "{.to}" SPACES ".u64", "**" },
	{ "isspacep", SPACES, "**" },
	{ "mapa", "{.shared::cluster}(.u32|.u64)", "**w" },
	{ "getctarank", "{.shared::cluster}(.u32|.u64)", "**" },
	{ "tensormap.replace", ".tile.global_address" MAP_SPACES ".b1024.b64", "al" },
	{ "tensormap.replace", ".tile.rank" MAP_SPACES ".b1024.b32", "aw" },
	{ "tensormap.replace", ".tile(.elemtype|.interleave_layout|.swizzle_mode|.fill_mode)"
	  MAP_SPACES ".b1024.b32", "ai" },
	{ "tensormap.replace", ".tile(.box_dim|.global_dim|.element_stride)" MAP_SPACES
	  ".b1024.b32", "aiw" },
	{ "tensormap.replace", ".tile.global_stride" MAP_SPACES ".b1024.b64", "ail" },
	{ "tensormap.cp_fenceproxy", ".global.shared::cta.tensormap::generic.release" SCOPES
	  ".sync.aligned", "Aa8" },
};

/* Is the part of the opcode one of the names in @text, which are separated by |? */
static bool is_one_of(const struct ptx_insn *insn, unsigned int part, const char *text,
		      const char *end)
{
	const struct ptx_name *name = &insn->parts[part];

	while (text < end) {
		size_t length;

		text += *text == '.';
		length = strcspn(text, ".|(){}");
		if (length == name->length && !memcmp(text, name->text, length))
			return true;
		text += length + 1;
	}
	return false;
}

/*
 * Reads parts of the opcode from @part on as @pattern says. Returns the first part behind them, or
 * 0 if they differ.
 */
static unsigned int match(const struct ptx_insn *insn, unsigned int part, const char *pattern)
{
	while (*pattern) {
		bool optional = *pattern == '{';
		bool group = optional || *pattern == '(';
		size_t length = 1 + strcspn(pattern + 1, group ? ")}" : ".({");

		if (part < insn->part_count &&
		    is_one_of(insn, part, pattern + group, pattern + length))
			part++;
		else if (!optional)
			return 0;
		pattern += length + group;
	}
	return part;
}

static bool check_value(struct ptx_decoder *d, const struct ptx_insn *insn,
			const struct ptx_operand *operand, enum ptx_type type)
{
	uint32_t row;

	return ptx_source_row(d, insn, operand, type, &row);
}

static bool check_address(struct ptx_decoder *d, const struct ptx_insn *insn,
			  const struct ptx_operand *operand, bool wide)
{
	enum ptx_type type;
	unsigned int size;

	if (operand->kind != OPERAND_ADDRESS) {
		ptx_refuse(d, insn, "expected an address in brackets");
		return false;
	}
	if (operand->reg < 0)
		return true;
	type = d->function->regs[ptx_operand_reg(operand)].type;
	size = ptx_type_size(type);
	if ((size == 8 || (size == 4 && !wide)) && !ptx_type_is_float(type))
		return true;
	ptx_refuse(d, insn, "this address is in a register of %s bits, without a type of floats",
		   wide ? "64" : "32 or 64");
	return false;
}

static bool check_number(struct ptx_decoder *d, const struct ptx_insn *insn,
			 const struct ptx_operand *operand, int64_t first, int64_t last)
{
	if (operand->kind == OPERAND_INT && operand->number >= first && operand->number <= last)
		return true;
	ptx_refuse(d, insn, "%.*s takes %s here", (int)insn->opcode.length, insn->opcode.text,
		   first == last ? "the number 128" : "a number of 32 bits");
	return false;
}

static bool check_operand(struct ptx_decoder *d, const struct ptx_insn *insn,
			  const struct ptx_operand *operand, char letter)
{
	switch (letter) {
	case 'A':
	case 'a':
		return check_address(d, insn, operand, letter == 'A');
	case 'i':
		return check_number(d, insn, operand, 0, UINT32_MAX);
	case '8':
		return check_number(d, insn, operand, 128, 128);
	case 'L':
		if (operand->kind == OPERAND_REG)
			return check_value(d, insn, operand, TYPE_U64);
		ptx_refuse(d, insn, "the destination of %.*s is a register",
			   (int)insn->opcode.length, insn->opcode.text);
		return false;
	case 'w':
		return check_value(d, insn, operand, TYPE_U32);
	case 'l':
		return check_value(d, insn, operand, TYPE_U64);
	case 'f':
		return check_value(d, insn, operand, TYPE_F32);
	default:
		return true;
	}
}

static bool check_operands(struct ptx_decoder *d, const struct ptx_insn *insn,
			   const char *letters)
{
	unsigned int at = 0;
	const char *next;

	for (next = letters; *next; next++) {
		bool optional = next[1] == '?';

		if (at < insn->operand_count) {
			if (!check_operand(d, insn, &insn->operands[at], *next))
				return false;
		} else if (!optional) {
			ptx_refuse(d, insn, "an operand of %.*s is missing",
				   (int)insn->opcode.length, insn->opcode.text);
			return false;
		}
		at++;
		next += optional;
	}
	if (insn->operand_count <= at)
		return true;
	ptx_refuse(d, insn, "%.*s has %u operands, not %u", (int)insn->opcode.length,
		   insn->opcode.text, at, insn->operand_count);
	return false;
}

/* Adds an error that lists the opcodes with this name. */
static void refuse_opcode(struct ptx_decoder *d, const struct ptx_insn *insn, const char *name)
{
	char list[1024] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(syntaxes); i++) {
		int n;

		if (strcmp(syntaxes[i].name, name))
			continue;
		n = snprintf(list + used, sizeof(list) - used, "%s%s%s", used ? ", " : "", name,
			     syntaxes[i].rest);
		if (n < 0 || (size_t)n >= sizeof(list) - used)
			break;
		used += (size_t)n;
	}
	ptx_refuse(d, insn, "PTX has no %.*s; it has %s", (int)insn->opcode.length,
		   insn->opcode.text, list);
}

bool ptx_check_syntax(struct ptx_decoder *d, const struct ptx_insn *insn)
{
	const char *name = NULL;

	for (unsigned int i = 0; i < ARRAY_SIZE(syntaxes); i++) {
		const struct syntax *syntax = &syntaxes[i];
		unsigned int part = match(insn, 0, syntax->name);

		if (!part || (name && strcmp(name, syntax->name)))
			continue;
		name = syntax->name;
		if ((*syntax->rest ? match(insn, part, syntax->rest) : part) == insn->part_count)
			return check_operands(d, insn, syntax->operands);
	}
	if (name)
		refuse_opcode(d, insn, name);
	return !name;
}
