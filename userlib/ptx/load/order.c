// SPDX-License-Identifier: MIT
/*
 * The order of the modifiers of an opcode. The PTX ISA has one order for each instruction, but
 * ptxas takes the modifiers behind the name in any order, and CUTLASS, CUB and FlashAttention make
 * use of that. Only the types keep their order, and so do other modifiers of one kind: the state
 * spaces of a copy, the priorities of a createpolicy.
 */
#include <string.h>

#include "load/order.h"
#include "vsm_syntax.h"

/* --- kinds of modifiers --------------------------------------------------- */

/*
 * The kind of each modifier is a letter:
 *
 *	q, Q	ordering and scope		w	state space
 *	s, a	.sync, .aligned			o, F	operation or mode; .noftz
 *	c	completion			i	mode of a tensor copy
 *	D	dimensions of a tensor copy	m, g	CTAs of a copy
 *	B	.cp_mask			L	level of a prefetch
 *	h, p, z	hint, priority, prefetch size	k, n, M	cache operation, .nc, .mmio
 *	C	comparison or test		v	vector
 *	r	rounding			P	mode of prmt
 *	f, O, N, x, b, S, R, Z	from .ftz to .satfinite
 *	E	field of a tensor map		Y	.sync_restrict
 *	X	what some instructions have directly behind their name
 *
 * All others, types among them, are of the kind '.'. The table is sorted.
 */
static const struct ptx_modifier {
	const char *name;
	char kind;
} modifiers[] = {
	{ "1d", 'D' }, { "2d", 'D' }, { "3d", 'D' }, { "4d", 'D' }, { "5d", 'D' }, { "L1", 'L' },
	{ "L1::evict_first", 'p' }, { "L1::evict_last", 'p' }, { "L1::evict_normal", 'p' },
	{ "L1::evict_unchanged", 'p' }, { "L1::no_allocate", 'p' }, { "L2", 'L' },
	{ "L2::128B", 'z' }, { "L2::256B", 'z' }, { "L2::64B", 'z' }, { "L2::cache_hint", 'h' },
	{ "L2::evict_first", 'p' }, { "L2::evict_last", 'p' }, { "L2::evict_normal", 'p' },
	{ "L2::evict_unchanged", 'p' }, { "NaN", 'N' }, { "abs", 'b' }, { "acq_rel", 'q' },
	{ "acquire", 'q' }, { "add", 'o' }, { "aligned", 'a' }, { "all", 'o' }, { "and", 'o' },
	{ "any", 'o' }, { "approx", 'r' }, { "async::generic", 'X' }, { "b4e", 'P' },
	{ "ballot", 'o' }, { "bfly", 'o' }, { "box_dim", 'E' }, { "bulk_group", 'c' },
	{ "ca", 'k' }, { "cas", 'o' }, { "cc", 'X' }, { "cg", 'k' }, { "clamp", 'X' },
	{ "cluster", 'Q' }, { "const", 'w' }, { "cp_mask", 'B' }, { "cs", 'k' }, { "cta", 'Q' },
	{ "cta_group::1", 'g' }, { "cta_group::2", 'g' }, { "cv", 'k' }, { "dec", 'o' },
	{ "down", 'o' }, { "ecl", 'P' }, { "ecr", 'P' }, { "element_stride", 'E' },
	{ "elemtype", 'E' }, { "eq", 'C' }, { "equ", 'C' }, { "exch", 'o' }, { "f4e", 'P' },
	{ "fill_mode", 'E' }, { "finite", 'C' }, { "ftz", 'f' }, { "full", 'r' }, { "ge", 'C' },
	{ "geu", 'C' }, { "global", 'w' }, { "global_address", 'E' }, { "global_dim", 'E' },
	{ "global_stride", 'E' }, { "gpu", 'Q' }, { "gt", 'C' }, { "gtu", 'C' }, { "hi", 'C' },
	{ "hs", 'C' }, { "idx", 'o' }, { "im2col", 'i' }, { "im2col::w", 'i' },
	{ "im2col::w::128", 'i' }, { "im2col_no_offs", 'i' }, { "inc", 'o' }, { "infinite", 'C' },
	{ "interleave_layout", 'E' }, { "le", 'C' }, { "leu", 'C' }, { "lo", 'C' },
	{ "local", 'w' }, { "ls", 'C' }, { "lt", 'C' }, { "ltu", 'C' }, { "lu", 'k' },
	{ "max", 'o' }, { "mbarrier::complete_tx::bytes", 'c' }, { "mbarrier_init", 'X' },
	{ "min", 'o' }, { "mmio", 'M' }, { "multicast::cluster", 'm' }, { "nan", 'C' },
	{ "nc", 'n' }, { "ne", 'C' }, { "neu", 'C' }, { "noComplete", 'X' }, { "noftz", 'F' },
	{ "noinc", 'X' }, { "normal", 'C' }, { "notanumber", 'C' }, { "num", 'C' },
	{ "number", 'C' }, { "oob", 'O' }, { "or", 'o' }, { "param", 'w' },
	{ "param::entry", 'w' }, { "param::func", 'w' }, { "popc", 'o' }, { "rank", 'E' },
	{ "rc16", 'P' }, { "rc8", 'P' }, { "relaxed", 'q' }, { "release", 'q' }, { "relu", 'R' },
	{ "rm", 'r' }, { "rmi", 'r' }, { "rn", 'r' }, { "rna", 'r' }, { "rni", 'r' },
	{ "rp", 'r' }, { "rpi", 'r' }, { "rs", 'r' }, { "rz", 'r' }, { "rzi", 'r' },
	{ "sat", 'S' }, { "satfinite", 'Z' }, { "sc", 'q' }, { "shared", 'w' },
	{ "shared::cluster", 'w' }, { "shared::cta", 'w' }, { "shiftamt", 'X' },
	{ "subnormal", 'C' }, { "swizzle_atomicity", 'E' }, { "swizzle_mode", 'E' },
	{ "sync", 's' }, { "sync_restrict::shared::cluster", 'Y' },
	{ "sync_restrict::shared::cta", 'Y' }, { "sys", 'Q' }, { "tensormap::generic", 'X' },
	{ "tile", 'i' }, { "tile::gather4", 'i' }, { "tile::scatter4", 'i' }, { "uni", 'o' },
	{ "up", 'o' }, { "v2", 'v' }, { "v4", 'v' }, { "v8", 'v' }, { "volatile", 'q' },
	{ "wb", 'k' }, { "weak", 'q' }, { "wrap", 'X' }, { "wt", 'k' }, { "xor", 'o' },
	{ "xorsign", 'x' },
};

static int compare(struct ptx_name part, const char *name)
{
	unsigned int length = (unsigned int)strlen(name);
	int difference = memcmp(part.text, name, part.length < length ? part.length : length);

	return difference ? difference : (int)part.length - (int)length;
}

static char kind_of(struct ptx_name part)
{
	unsigned int low = 0, high = ARRAY_SIZE(modifiers);

	while (low < high) {
		unsigned int middle = (low + high) / 2;
		int difference = compare(part, modifiers[middle].name);

		if (!difference)
			return modifiers[middle].kind;
		if (difference < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return '.';
}

/* --- orders --------------------------------------------------------------- */

/* The order of most instructions. Kinds that an instruction cannot have do no harm. */
#define MOST	"CXMqYQsawoFknicmgBhpzLvrfONxbSZR.P"

/*
 * Instructions whose names have several parts, or whose order differs. @head is the first parts,
 * @name the words that belong to the name when they follow at once. The first row that fits is
 * taken. Kinds that are not in the order have the place of '.', or are last.
 */
static const struct {
	const char *head;
	const char *name;
	const char *order;	/* kinds of the modifiers, in order */
} rows[] = {
	{ "bar", "cta warp red arrive", MOST },
	{ "barrier", "cta cluster arrive wait red", "soqa." },
	{ "brx", "idx", MOST },
	{ "cp.async.bulk.prefetch", "tensor", "DLwih" },
	{ "cp.async.bulk", "tensor commit_group wait_group read", "DwicmgBh" },
	{ "cp.async", "commit_group wait_group wait_all mbarrier arrive", "Xkwhz." },
	{ "cp.reduce.async.bulk.tensor", "", "Dwoich" },
	{ "cp.reduce.async.bulk", "", "wchoF." },
	{ "createpolicy", "fractional range cvt", MOST },
	{ "cvt.pack", "", MOST },
	{ "cvta", "to", MOST },
	{ "dp2a", "lo hi", MOST },
	{ "fence", "proxy async alias", MOST },
	{ "mad", "lo hi wide", MOST },
	{ "mad24", "lo hi", MOST },
	{ "madc", "lo hi", MOST },
	{ "match", "", "os." },
	{ "mbarrier.arrive", "expect_tx", MOST },
	{ "mbarrier.arrive_drop", "expect_tx", MOST },
	{ "mbarrier.test_wait", "parity", MOST },
	{ "mbarrier.try_wait", "parity", MOST },
	{ "mbarrier", "init inval expect_tx complete_tx pending_count", MOST },
	{ "mul", "lo hi wide", MOST },
	{ "mul24", "lo hi", MOST },
	{ "red.async", "", "qQwcov." },
	{ "setmaxnreg", "inc dec", MOST },
	{ "shf", "l r", MOST },
	{ "st.async", "", MOST },
	{ "tensormap.cp_fenceproxy", "global shared::cta", "XqQsa" },
	{ "tensormap.replace", "", "iEw." },
	{ "wgmma", "fence commit_group wait_group mma_async", MOST },
};

/* Instructions whose names have one part. All others are left as they are. */
static const char *const simple[] = {
	"abs", "add", "addc", "and", "applypriority", "atom", "bfe", "bfi", "bfind", "bmsk",
	"brev", "clz", "cnot", "copysign", "cos", "cvt", "discard", "div", "dp4a", "elect",
	"ex2", "fma", "getctarank", "isspacep", "ld", "ldu", "lg2", "lop3", "mapa", "max", "min",
	"mov", "neg", "not", "or", "popc", "prefetch", "prefetchu", "prmt", "rcp", "red",
	"redux", "rem", "rsqrt", "sad", "selp", "set", "setp", "shfl", "shl", "shr", "sin",
	"slct", "sqrt", "st", "sub", "subc", "szext", "tanh", "testp", "vote", "xor",
};

/* The number of parts of @head, if the opcode begins with it; 0 if not. */
static unsigned int match_head(const struct ptx_insn *insn, const char *head)
{
	unsigned int part = 0;

	if (*head != insn->parts[0].text[0])
		return 0;
	while (*head) {
		size_t length = strcspn(head, ".");

		if (part == insn->part_count || insn->parts[part].length != length ||
		    memcmp(insn->parts[part].text, head, length))
			return 0;
		head += length + (head[length] == '.');
		part++;
	}
	return part;
}

/* Is the part one of these words? */
static bool has_word(const char *words, struct ptx_name part)
{
	while (*words) {
		size_t length = strcspn(words, " ");

		if (part.length == length && !memcmp(part.text, words, length))
			return true;
		words += length + (words[length] == ' ');
	}
	return false;
}

static unsigned int place_of(const char *order, struct ptx_name part)
{
	const char *place = strchr(order, kind_of(part));

	if (!place)
		place = strchr(order, '.');
	return place ? (unsigned int)(place - order) : (unsigned int)strlen(order);
}

/*
 * The order of the modifiers of an instruction. Sets @first to the first part behind its name.
 * Returns NULL if the instruction is not known here.
 */
static const char *find_order(const struct ptx_insn *insn, unsigned int *first)
{
	unsigned int i, part;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		part = match_head(insn, rows[i].head);
		if (!part)
			continue;
		while (part < insn->part_count && has_word(rows[i].name, insn->parts[part]))
			part++;
		*first = part;
		return rows[i].order;
	}
	*first = 1;
	for (i = 0; i < ARRAY_SIZE(simple); i++)
		if (!compare(insn->parts[0], simple[i]))
			return MOST;
	return NULL;
}

bool ptx_order_parts(struct ptx_insn *insn)
{
	unsigned int places[PTX_PARTS];
	const char *order = NULL;
	unsigned int first, i;
	bool moved = false;

	/* Most opcodes have nothing to sort. */
	if (insn->part_count > 2)
		order = find_order(insn, &first);
	if (!order)
		return false;
	for (i = first; i < insn->part_count; i++) {
		struct ptx_name part = insn->parts[i];
		unsigned int place = place_of(order, part);
		unsigned int to = i;

		for (; to > first && places[to - 1] > place; to--) {
			places[to] = places[to - 1];
			insn->parts[to] = insn->parts[to - 1];
		}
		places[to] = place;
		insn->parts[to] = part;
		moved |= to != i;
	}
	return moved;
}
