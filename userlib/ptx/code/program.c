// SPDX-License-Identifier: MIT
/* Builds a program: finds the functions that a kernel may call, and decodes their instructions. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/allocate.h"
#include "code/alu.h"
#include "code/decoder.h"
#include "code/decoders.h"
#include "code/loop.h"
#include "code/program.h"
#include "code/target.h"
#include "vsm_syntax.h"

/* --- syntax --------------------------------------------------------------- */

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
	ptx_refuse(d, insn, "vsm does not have %.*s; it knows PTX up to 8.6: %s",
		   (int)insn->opcode.length, insn->opcode.text, list);
}

/*
 * Is the opcode one that PTX has, with as many operands, and of the right kinds? If not, it adds an
 * error and returns false. An instruction for which this file has no syntax passes: its decoder
 * checks it.
 */
static bool ptx_check_syntax(struct ptx_decoder *d, const struct ptx_insn *insn)
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

/* --- programs ------------------------------------------------------------- */

/* --- what a kernel reaches ------------------------------------------------------- */

/* Remembers a variable from whose initial value the kernel may read addresses. */
static bool add_table(struct ptx_builder *b, const struct ptx_variable *var)
{
	const struct ptx_variable **tables;

	/* The number may be that of a program that was built before. */
	if (var->slot < b->table_count && b->tables[var->slot] == var)
		return true;
	tables = ptx_grow(b->tables, b->table_count, sizeof(*tables));
	if (!tables)
		return false;
	b->tables = tables;
	((struct ptx_variable *)var)->slot = b->table_count;
	tables[b->table_count++] = var;
	return true;
}

static bool scan_table(struct ptx_builder *b, const struct ptx_variable *var)
{
	unsigned int i;

	for (i = 0; i < var->reloc_count; i++) {
		const struct ptx_reloc *reloc = &var->relocs[i];

		if (reloc->function && reloc->function->defined && !reloc->function->entry &&
		    ptx_body_of(b, reloc->function) < 0)
			return false;
		if (reloc->var && reloc->var->reloc_count && !add_table(b, reloc->var))
			return false;
	}
	return true;
}

static bool scan_operand(struct ptx_builder *b, const struct ptx_operand *operand)
{
	const struct ptx_variable *var = operand->var;
	unsigned int i;

	if (var && var->space == SPACE_SHARED &&
	    (operand->kind == OPERAND_VARIABLE || operand->kind == OPERAND_ADDRESS) &&
	    !ptx_add_shared(b->program, var))
		return false;
	if (var && var->reloc_count && !add_table(b, var))
		return false;
	if (operand->kind == OPERAND_SPECIAL && operand->special >= SPECIAL_RESERVED_BEGIN &&
	    operand->special <= SPECIAL_RESERVED_1)
		b->program->reserved_bytes = PTX_RESERVED;
	if (operand->kind == OPERAND_FUNCTION && operand->function->defined &&
	    ptx_body_of(b, operand->function) < 0)
		return false;
	/* The parser limits how deep operands are nested. */
	for (i = 0; i < operand->count; i++)
		if (!scan_operand(b, &operand->elements[i]))
			return false;
	return true;
}

static bool scan_body(struct ptx_builder *b, const struct ptx_function *function)
{
	uint32_t i, j;

	for (i = 0; i < function->insn_count; i++)
		for (j = 0; j < function->insns[i].operand_count; j++)
			if (!scan_operand(b, &function->insns[i].operands[j]))
				return false;
	/* Many instructions may name the same list. */
	for (i = 0; i < function->table_count; i++)
		for (j = 0; function->tables[i]->used && j < function->tables[i]->count; j++)
			if (!scan_operand(b, &function->tables[i]->elements[j]))
				return false;
	return true;
}

/* Finds all functions that the kernel may call, and all variables in shared memory. */
static bool scan(struct ptx_builder *b)
{
	uint32_t body = 0, table = 0;
	bool done = true;

	while (done && (body < b->program->body_count || table < b->table_count)) {
		if (body < b->program->body_count)
			done = scan_body(b, b->program->bodies[body++].function);
		else
			done = scan_table(b, b->tables[table++]);
	}
	return done;
}

/* --- decoding --------------------------------------------------------------------- */

static void step_init(struct ptx_step *step, const struct ptx_insn *insn)
{
	*step = (struct ptx_step){
		.guard = -1,
		.dst = PTX_NO_ROW,
		.dst2 = PTX_NO_ROW,
		.src = { PTX_NO_ROW, PTX_NO_ROW, PTX_NO_ROW, PTX_NO_ROW },
		.insn = insn,
	};
}

/* The first texture, sampler or surface among operands; NULL if there is none. */
static const struct ptx_variable *find_opaque(const struct ptx_operand *operands,
					      unsigned int count)
{
	const struct ptx_variable *found = NULL;
	unsigned int i;

	/* The parser limits how deep operands are nested. */
	for (i = 0; i < count && !found; i++)
		found = operands[i].var && operands[i].var->opaque ? operands[i].var :
			find_opaque(operands[i].elements, operands[i].count);
	return found;
}

/*
 * Instructions of PTX 8.6 that vsm does not execute, in PTX's notation, and what vsm does not have.
 * kernels.rst has the same list.
 */
static const struct {
	const char *name;
	const char *what;
} refused[] = {
	{ "(ldmatrix|stmatrix|movmatrix|mma|wmma|tcgen05)", "matrix instructions" },
	{ "wgmma.mma_async", "matrix instructions" },
	{ "(tex|tld4|txq|suld|sust|sured|suq|istypep)", "textures, samplers and surfaces" },
	{ "(vadd|vsub|vabsdiff|vmin|vmax|vshl|vshr|vmad|vset)",
	  "video instructions of one field" },
	{ "multimem", "multicast memory" },
	{ "clusterlaunchcontrol", "cancellation of clusters" },
	{ "(alloca|stacksave|stackrestore)", "stack memory of variable size" },
	{ "st{.weak}{.shared::cta}.bulk", "bulk stores of zeros" },
};

static bool check_refused(struct ptx_builder *b, const struct ptx_insn *insn)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(refused); i++) {
		if (!match(insn, 0, refused[i].name))
			continue;
		ptx_refuse(&b->d, insn, "%.*s: vsm has no %s", (int)insn->opcode.length,
			   insn->opcode.text, refused[i].what);
		return false;
	}
	return true;
}

static enum ptx_decoded decode_alu(struct ptx_builder *b, const struct ptx_insn *insn,
				   struct ptx_step *step)
{
	return ptx_alu_decode(&b->d, insn, step);
}

static bool has_register(const struct ptx_operand *operand)
{
	unsigned int i;

	for (i = 0; i < operand->count; i++)
		if (has_register(&operand->elements[i]))
			return true;
	return operand->kind == OPERAND_REG;
}

/* Refuses an instruction that reads a register which code/allocate.c takes for its destination. */
static void check_first(struct ptx_builder *b, const struct ptx_insn *insn)
{
	if (!b->d.wrote_first && ptx_writes_first(insn) && has_register(&insn->operands[0]))
		ptx_refuse(&b->d, insn, "vsm takes the first operand of %.*s for its destination",
			   (int)insn->opcode.length, insn->opcode.text);
}

static void decode_insn(struct ptx_builder *b, const struct ptx_insn *insn, struct ptx_step *step)
{
	static enum ptx_decoded (*const decoders[])(struct ptx_builder *b,
						    const struct ptx_insn *insn,
						    struct ptx_step *step) = {
		ptx_control_decode, ptx_memory_decode, ptx_window_decode, ptx_tensormap_decode,
		ptx_misc_decode, ptx_device_decode, decode_alu,
	};
	const struct ptx_variable *opaque = find_opaque(insn->operands, insn->operand_count);
	unsigned int i;

	step_init(step, insn);
	if (opaque) {
		ptx_refuse(&b->d, insn, "%.*s uses %s: vsm has no textures, samplers and surfaces",
			   (int)insn->opcode.length, insn->opcode.text, opaque->name);
		return;
	}
	if (!check_refused(b, insn))
		return;
	if (insn->guard >= 0) {
		step->guard = b->d.slots[insn->guard];
		step->guard_not = insn->guard_not;
		if (b->d.function->regs[insn->guard].type != TYPE_PRED) {
			ptx_refuse(&b->d, insn, "%s is no predicate",
				   b->d.function->regs[insn->guard].name);
			return;
		}
	}
	if (!ptx_check_syntax(&b->d, insn))
		return;
	b->d.wrote_first = false;
	for (i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++) {
		enum ptx_decoded decoded = decoders[i](b, insn, step);

		if (decoded == DECODED && ptx_check_target(&b->d, insn))
			check_first(b, insn);
		if (decoded != NOT_MINE)
			return;
	}
	ptx_refuse(&b->d, insn, "vsm does not have %.*s; it knows PTX up to 8.6",
		   (int)insn->opcode.length, insn->opcode.text);
}

static bool add_steps(struct ptx_builder *b, uint32_t count)
{
	struct ptx_program *program = b->program;
	struct ptx_step *steps = program->steps;

	/* A counter of steps has 32 bits, and a module far fewer instructions. */
	if (b->step_space - program->step_count < count) {
		b->step_space = (program->step_count + count) * 2;
		steps = realloc(steps, (size_t)b->step_space * sizeof(*steps));
		if (!steps) {
			b->failed = true;
			return false;
		}
		program->steps = steps;
	}
	return true;
}

/*
 * The step behind the last instruction. The code behind a call that never returns may end without
 * ret, so that only a thread that gets here is an error.
 */
static void add_end(struct ptx_builder *b, const struct ptx_function *function)
{
	struct ptx_step *step = &b->program->steps[b->program->step_count++];
	struct ptx_insn *brace = ptx_extra_alloc(b, sizeof(*brace));

	step_init(step, brace);
	step->kind = STEP_END;
	if (!brace)
		return;
	brace->opcode = (struct ptx_name){ "}", 1 };
	brace->guard = -1;
	brace->place = function->end;
}

/* Nobody would read more messages. */
static bool has_ended(const struct ptx_builder *b)
{
	return b->failed || b->d.messages->count >= PTX_MAX_MESSAGES;
}

static bool decode_body(struct ptx_builder *b, uint32_t index)
{
	struct ptx_program *program = b->program;
	struct ptx_body *body = &program->bodies[index];
	const struct ptx_function *function = body->function;
	uint32_t i;

	b->body = body;
	b->d.function = function;
	ptx_offsets_clear(&b->local_offsets);
	body->first = program->step_count;
	body->local_align = ptx_local_align(function);
	if (!ptx_lay_out_function(function, &body->local_end)) {
		ptx_message(b->d.messages, b->d.module->path, function->place.line,
			    function->place.column, "%s has too much local memory",
			    function->name);
		return true;
	}
	body->local_bytes = (body->local_end + 15) & ~15u;
	free(b->targets);
	b->targets = calloc(function->table_count + 1, sizeof(*b->targets));
	body->slots = calloc(function->reg_count + 1, sizeof(*body->slots));
	if (!b->targets || !body->slots || !add_steps(b, function->insn_count + 1)) {
		b->failed = true;
		return false;
	}
	if (!ptx_allocate(function, body->slots, &body->rows, &body->preds)) {
		b->failed = true;
		return false;
	}
	b->d.slots = body->slots;
	for (i = 0; i < function->insn_count && !has_ended(b); i++) {
		decode_insn(b, &function->insns[i], &program->steps[program->step_count]);
		program->step_count++;
	}
	add_end(b, function);
	return !b->failed;
}

static bool decode(struct ptx_builder *b)
{
	uint32_t i;

	if (ptx_body_of(b, b->program->kernel) < 0 || !scan(b))
		return false;
	if (!ptx_sort_bodies(b->program))
		return false;
	ptx_lay_out_shared(b->program);
	for (i = 0; i < b->program->body_count && !has_ended(b); i++)
		if (!decode_body(b, i))
			return false;
	return true;
}

int ptx_program_build(const struct ptx_module *module, const struct ptx_function *kernel,
		      struct ptx_program **program, struct ptx_messages *messages)
{
	unsigned int before = messages->count;
	struct ptx_builder b = {
		.d = { .module = module, .messages = messages },
	};

	b.program = calloc(1, sizeof(*b.program));
	if (!b.program)
		return -ENOMEM;
	/* Where the stack and the heap are is random. */
	b.d.seed = (uintptr_t)&b ^ (uint64_t)(uintptr_t)b.program << 20;
	b.program->module = module;
	b.program->kernel = kernel;
	if (!decode(&b))
		b.failed = true;
	free(b.tables);
	free(b.targets);
	ptx_offsets_clear(&b.local_offsets);
	ptx_offsets_clear(&b.shared_offsets);
	b.program->consts = b.d.consts;
	b.program->const_count = b.d.const_count;
	if (b.failed || messages->failed || messages->count != before) {
		ptx_program_free(b.program);
		return b.failed || messages->failed ? -ENOMEM : -EOPNOTSUPP;
	}
	if (!ptx_mark_waits(b.program)) {
		ptx_program_free(b.program);
		return -ENOMEM;
	}
	*program = b.program;
	return 0;
}

void ptx_program_free(struct ptx_program *program)
{
	struct ptx_extra *extra, *next;
	uint32_t i;

	if (!program)
		return;
	for (extra = program->extras; extra; extra = next) {
		next = extra->next;
		free(extra);
	}
	for (i = 0; i < program->body_count; i++) {
		free(program->bodies[i].addresses);
		free(program->bodies[i].slots);
	}
	free(program->bodies);
	free(program->by_index);
	free(program->steps);
	free(program->consts);
	free(program->shared);
	free(program->shared_rows);
	free(program);
}
