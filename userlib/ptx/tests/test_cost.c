// SPDX-License-Identifier: MIT
/*
 * What it costs to load a module and to decode its kernels: time and memory must not grow faster
 * than the text, whoever has written it.
 *
 * Each shape of a text is made twice, the second time with twice as many elements. The costs are
 * counted, not measured: the bytes that the library allocates, and the basic blocks that it
 * executes, which the compiler counts in the files of the library that are linked with this test
 * (PTX_COUNTED in ptx.mk).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"
#include "vsm_ptx.h"
#include "vsm_syntax.h"

#define HEAD	".version 8.0\n.target sm_90a\n.address_size 64\n"
/* Number of elements of the smaller text. */
#define ELEMENTS 2000
/* Twice the elements may cost this times as much. If the cost is the square, it is nearly 4. */
#define MAX_RATIO 2.4
/* A text may need this number of bytes for each character, and this number in any case. */
#define MAX_FACTOR 600
#define MAX_BASE (2u << 20)

/* --- counters ------------------------------------------------------------------------- */

struct cost {
	uint64_t steps;
	uint64_t bytes;
};

static struct cost cost;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	cost.steps++;
}

void *__real_malloc(size_t size);
int __real_vsnprintf(char *text, size_t size, const char *format, va_list args);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
int __wrap_vsnprintf(char *text, size_t size, const char *format, va_list args);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
	cost.bytes += size;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	cost.bytes += count * size;
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
	cost.bytes += size;
	return __real_realloc(memory, size);
}

/* It goes through the whole of a name, however little of it has room. */
int __wrap_vsnprintf(char *text, size_t size, const char *format, va_list args)
{
	int length = __real_vsnprintf(text, size, format, args);

	cost.steps += length > 0 ? length : 0;
	return length;
}

/* --- a text --------------------------------------------------------------------------- */

/* A table of texts leaves out what is 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define PARTS 8

/*
 * A part of a text: @once, and then @each for each element, with @between between them. "%u" in
 * @each stands for the number of the element, "%p" for the number before it, or 0.
 */
struct part {
	const char *once;
	const char *each;
	const char *between;
};

/*
 * A text of @parts, or one that @write writes with @n elements. @refused: it has errors, or a
 * kernel that is not executed. @all: decode all its kernels, not only the first one.
 */
struct shape {
	const char *name;
	struct part parts[PARTS];
	bool refused;
	bool all;
	void (*write)(FILE *out, unsigned int n);
};

static void write_element(FILE *out, const char *each, unsigned int i)
{
	for (; *each; each++) {
		if (each[0] == '%' && (each[1] == 'u' || each[1] == 'p'))
			fprintf(out, "%u", *++each == 'u' || !i ? i : i - 1);
		else
			fputc(*each, out);
	}
}

static void write_parts(FILE *out, const struct part *part, unsigned int n)
{
	unsigned int i;

	for (; part->once; part++) {
		fputs(part->once, out);
		for (i = 0; part->each && i < n; i++) {
			if (i && part->between)
				fputs(part->between, out);
			write_element(out, part->each, i);
		}
	}
}

static char *make_text(const struct shape *shape, unsigned int n, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	assert_non_null(out);
	fputs(HEAD, out);
	if (shape->write)
		shape->write(out, n);
	else
		write_parts(out, shape->parts, n);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Loads the module, and decodes its kernels. */
static void use_text(const struct shape *shape, const char *text, size_t size)
{
	struct vsm_ptx_context *context;
	struct vsm_ptx_module *module;
	char *messages = NULL;
	uint32_t i;
	int err;

	assert_int_equal(vsm_ptx_context_create(NULL, &context), 0);
	err = vsm_ptx_module_load(context, "t.ptx", text, size, &module, &messages);
	if (err && !shape->refused)
		fail_msg("%s: %s", shape->name, messages);
	for (i = 0; !err && i < vsm_ptx_kernel_count(module) && (!i || shape->all); i++) {
		struct vsm_ptx_kernel kernel;

		assert_int_equal(vsm_ptx_kernel_info(module, i, &kernel), 0);
	}
	if (!err && !shape->refused && i) {
		struct vsm_ptx_launch *launch;
		struct vsm_ptx_config config = { };

		/* The size of the parameters is wrong. Messages about the code have its place. */
		assert_int_not_equal(vsm_ptx_launch(module, 0, &config, "", 1, &launch, &messages),
				     0);
		if (strstr(messages, "t.ptx:"))
			fail_msg("%s: %s", shape->name, messages);
	}
	free(messages);
	vsm_ptx_context_destroy(context);
}

static struct cost cost_of(const struct shape *shape, unsigned int n, size_t *size)
{
	char *text = make_text(shape, n, size);
	struct cost used;

	cost = (struct cost){ };
	use_text(shape, text, *size);
	used = cost;
	free(text);
	return used;
}

static bool check_shape(const struct shape *shape)
{
	size_t size, twice;
	struct cost one = cost_of(shape, ELEMENTS, &size);
	struct cost two = cost_of(shape, 2 * ELEMENTS, &twice);
	double steps = (double)two.steps / one.steps, bytes = (double)two.bytes / one.bytes;
	bool good = steps <= MAX_RATIO && bytes <= MAX_RATIO &&
		    two.bytes <= MAX_FACTOR * twice + MAX_BASE;

	if (!good || getenv("SHOW_COSTS"))
		print_message("%s%s: %zu characters: %llu steps (%.2f), %llu bytes (%.2f)\n",
			      good ? "" : "too much: ", shape->name, twice,
			      (unsigned long long)two.steps, steps,
			      (unsigned long long)two.bytes, bytes);
	return good;
}

static void check_shapes(const struct shape *shapes, unsigned int count)
{
	unsigned int bad = 0, i;

	for (i = 0; i < count; i++)
		bad += !check_shape(&shapes[i]);
	assert_int_equal(bad, 0);
}

/* --- modules -------------------------------------------------------------------------- */

static void write_tables(FILE *out, unsigned int n)
{
	fputs(".func f() { ret; }\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".const .u64 t%u = %s%d;\n", i, i ? "t" : "f", (int)i - 1);
	fprintf(out, ".entry k() { .reg .b64 a; mov.u64 a, t%u; ret; }\n", n - 1);
}

TEST(modules_cost_as_much_as_their_text_is_long)
{
	static const struct shape shapes[] = {
		{ "variables", {
			{ ".func f() { ret; }\n", ".global .u64 t%u = f;\n" } } },
		{ "variables in shared memory", {
			{ "", ".shared .u32 t%u;\n" },
			{ ".entry k() { .reg .b32 a;\n", "mov.u32 a, t%u;\n" },
			{ "ret; }\n" } } },
		{ "variables with addresses of others", .write = write_tables },
		{ "elements of an initialiser", {
			{ ".global .u32 t[][2] = {", "{1, (2+%u)}", "," },
			{ "};\n.global .b8 u[] = {", "0xFF00(t)", "," },
			{ "};\n" } } },
		{ "files, escapes, sections and pragmas", {
			{ "", ".file %u \"\\\"\\\"\\\"%u\"\n" },
			{ ".file 1 \"", "\\\"" },
			{ "\"\n.section .debug {", ".b8 1 {} \n" },
			{ "}\n.pragma \"\"", ", \"x\"" },
			{ ";\n" } } },
		{ "declarations", {
			{ "", ".extern .shared .b8 s[]; .extern .func f(.param .b32 a);\n" },
			{ ".func g(", ".param .b32 a%u", ", " },
			{ ") { ret; }\n" } } },
		{ "comments", {
			{ "", "/* a */ // b\n.func /* { */ f /**/; // }\n" },
			{ "", "/*" } }, .refused = true },
		{ "errors with a long name", {
			{ ".func f(.param .b64 a", "aaaaaaaa" },
			{ ") { ret; } .entry k() { .param .b32 p;\n", "call f, (p);\n" },
			{ "ret; }\n" } }, .refused = true },
		{ "errors", {
			{ ".entry k() {\n", ".reg .b32 register%u; mov.b32 registre%u, {1};\n" },
			{ "}\n" } }, .refused = true },
		{ "aliases of another function", {
			{ ".func f(", ".param .b32 a%u, " },
			{ ".param .b32 b);\n.func g(", ".param .b32 a%u, " },
			{ ".param .b64 b) { ret; }\n", ".alias f, g;\n" } }, .refused = true },
	};

	check_shapes(shapes, ARRAY_SIZE(shapes));
}

/* --- functions ------------------------------------------------------------------------ */

#define TRY	".reg .pred p; .reg .b32 r;\n"
#define WAIT	"mbarrier.try_wait.parity.shared::cta.b64 p, [r], 0;"

static void write_calls(FILE *out, unsigned int n)
{
	fputs(".func f0() { ret; }\n", out);
	for (unsigned int i = 1; i < n; i++)
		fprintf(out, ".func f%u() { call f%u, (); ret; }\n", i, i - 1);
	fprintf(out, ".entry k() { call f%u, (); ret; }\n", n - 1);
}

TEST(functions_cost_as_much_as_their_text_is_long)
{
	static const struct shape shapes[] = {
		{ "kernels", { { "", ".entry k%u() { ret; }\n" } }, .all = true },
		{ "kernels with waits", {
			{ "", ".entry k%u() { " TRY "A: " WAIT " @!p bra A; ret; }\n" } },
		  .all = true },
		{ "functions with waits", {
			{ "", ".func f%u() { " TRY WAIT " ret; }\n" },
			{ ".entry k() {\nA:", "call f%u, ();\n" },
			{ "bra A; }\n" } } },
		{ "calls of a function with a wait", {
			{ ".func f() { " TRY WAIT " ret; }\n.entry k() {\nA:", "call f, ();\n" },
			{ "bra A; }\n" } } },
		{ "functions that call each other", .write = write_calls },
		{ "aliases of a function", {
			{ ".func f() {\n", ".local .b8 l%u; membar.cta;\n" },
			{ "ret; }\n", ".func a%u(); .alias a%u, f;\n" },
			{ ".entry k() {\n", "call a%u, ();\n" },
			{ "ret; }\n" } } },
		{ "aliases of a kernel", {
			{ ".entry k() {\n", ".local .b8 l%u;\n" },
			{ "ret; }\n", ".entry a%u(); .alias a%u, k;\n" } } },
		{ "calls of a function with local variables", {
			{ ".func f() {\n", ".local .b8 l%u;\n" },
			{ "ret; }\n.entry k() {\n", "call f, ();\n" },
			{ "ret; }\n" } } },
		{ "arguments", {
			{ ".entry k() { .reg .b64 a; .param .b32 p; call a, (p", ", p" },
			{ "), t; t: .callprototype _ (.param .b32 _", ", .param .b32 _" },
			{ "); ret; }\n" } } },
		{ "calls with a list of functions", {
			{ "", ".func f%u() { ret; }\n" },
			{ ".entry k() { .reg .b64 a;\nt: .calltargets ", "f%u", ", " },
			{ ";\n", "call a, (), t;\n" },
			{ "ret; }\n" } } },
	};

	check_shapes(shapes, ARRAY_SIZE(shapes));
}

/* --- bodies --------------------------------------------------------------------------- */

#define LABELS	{ "", "L%u: membar.cta;\n" }
#define LIST(name) \
	{ name ": .branchtargets ", "L%u", ", " }, \
	{ ";\n" }

static void write_scopes(FILE *out, unsigned int n)
{
	fputs(".entry k() { .reg .pred p;\n", out);
	for (unsigned int i = 0; i < 100; i++)
		fputs("{", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "{ A: @p bra A; @p bra L%u; @p bra B; }\n", i);
	for (unsigned int i = 0; i < 100; i++)
		fputs("}", out);
	fputs("B:\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "L%u: membar.cta;\n", i);
	fputs("ret; }\n", out);
}

static void write_range(FILE *out, unsigned int n)
{
	fprintf(out, ".entry k() { .reg .b32 a<%u>;\n", n);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "mov.u32 a%u, %u;\n", i, i);
	fputs("ret; }\n", out);
}

/* Numbers that would be in the same place of a table if its hash were a mere product. */
static void write_numbers(FILE *out, unsigned int n)
{
	const uint64_t golden = 0x9e3779b97f4a7c15ull;
	uint64_t inverse = golden;

	for (unsigned int i = 0; i < 5; i++)
		inverse *= 2 - golden * inverse;
	assert_int_equal(golden * inverse, 1);
	fputs(".shared .b8 s; .entry k() { .local .b8 l; .reg .b64 a;\n", out);
	for (unsigned int i = 0; i < n; i++) {
		uint64_t number = inverse * i;

		fprintf(out, "mov.u64 a, 0x%llx; mov.u64 a, s+0x%llx; mov.u64 a, l+0x%llx;\n",
			(unsigned long long)number, (unsigned long long)number,
			(unsigned long long)number);
	}
	fputs("ret; }\n", out);
}

static void write_inlined(FILE *out, unsigned int n)
{
	fputs(".entry k() {\n.loc 1 1 1\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".loc 1 %u 1, function_name $L, inlined_at 1 %u 1\nmembar.cta;\n",
			i + 2, i + 1);
	fputs("ret; }\n", out);
}

TEST(bodies_cost_as_much_as_their_text_is_long)
{
	static const struct shape shapes[] = {
		{ "loops around waits", {
			{ ".entry k() { " TRY, "A%u: " WAIT " @!p bra A%u;\n" },
			{ "ret; }\n" } } },
		{ "waits in one loop", {
			{ ".entry k() { " TRY "A:\n", WAIT " @p bra B;\n" },
			{ "bra A;\nB: ret; }\n" } } },
		{ "brx.idx with one list", {
			{ ".entry k() { .reg .b32 a;\n" },
			LABELS,
			LIST("t"),
			{ "", "brx.idx a, t;\n" },
			{ "ret; }\n" } } },
		{ "brx.idx with two lists in turn", {
			{ ".entry k() { .reg .b32 a;\n" },
			LABELS,
			LIST("t"),
			LIST("u"),
			{ "", "brx.idx a, t; brx.idx a, u;\n" },
			{ "ret; }\n" } } },
		{ "calls with a list of labels", {
			{ ".func f(); .entry k() {\n" },
			LABELS,
			LIST("t"),
			{ "", "call f, t;\n" },
			{ "ret; }\n" } }, .refused = true },
		{ "scopes", .write = write_scopes },
		{ "jumps back", {
			{ ".entry k() { .reg .pred p;\n", ".reg .b32 a%u;\n" },
			{ "ret;\n", "L%u: setp.eq.u32 p, a%u, 0; @p bra L%p;\n" },
			{ "ret; }\n" } } },
		{ "registers that are live everywhere", {
			{ ".entry k() { .reg .pred p;\n", ".reg .b32 a%u; mov.u32 a%u, 1;\n" },
			LABELS,
			{ "", "st.global.u32 [0], a%u;\n" },
			{ "@p bra L0; ret; }\n" } } },
		{ "a range of registers", .write = write_range },
		{ "numbers", .write = write_numbers },
		{ "vectors", {
			{ ".entry k() { .reg .b32 a; mov.b64 a, {a", ", {a|a, [a, {a}]}" },
			{ "}; ret; }\n" } }, .refused = true },
		{ "short instructions", {
			{ ".entry k() {\n", "a;" },
			{ "}\n" } }, .refused = true },
		{ "inlined calls", .write = write_inlined },
		{ "waits", {
			{ ".entry k() { .reg .pred p; .reg .b32 a, b;\n",
			  "L%u: mbarrier.try_wait.parity.shared::cta.b64 p, [a], b;"
			  " not.b32 b, b; @!p bra L%u;\n" },
			{ "ret; }\n" } } },
	};

	check_shapes(shapes, ARRAY_SIZE(shapes));
}

TEST_MAIN()
