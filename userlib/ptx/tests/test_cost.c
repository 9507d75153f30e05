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
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/**
 * struct shape - A text
 * @name: Name
 * @write: Writes the text with @n elements
 * @refused: It has errors, or a kernel that is not executed
 * @all: Decode all its kernels, not only the first one
 */
struct shape {
	const char *name;
	void (*write)(FILE *out, unsigned int n);
	bool refused;
	bool all;
};

static char *make_text(const struct shape *shape, unsigned int n, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	assert_non_null(out);
	fputs(HEAD, out);
	shape->write(out, n);
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

static void write_variables(FILE *out, unsigned int n)
{
	fputs(".func f() { ret; }\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".global .u64 t%u = f;\n", i);
}

static void write_shared(FILE *out, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".shared .u32 t%u;\n", i);
	fputs(".entry k() { .reg .b32 a;\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "mov.u32 a, t%u;\n", i);
	fputs("ret; }\n", out);
}

static void write_tables(FILE *out, unsigned int n)
{
	fputs(".func f() { ret; }\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".const .u64 t%u = %s%d;\n", i, i ? "t" : "f", (int)i - 1);
	fprintf(out, ".entry k() { .reg .b64 a; mov.u64 a, t%u; ret; }\n", n - 1);
}

static void write_elements(FILE *out, unsigned int n)
{
	fputs(".global .u32 t[][2] = {", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "%s{1, (2+%u)}", i ? "," : "", i);
	fputs("};\n.global .b8 u[] = {", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "%s0xFF00(t)", i ? "," : "");
	fputs("};\n", out);
}

static void write_files(FILE *out, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".file %u \"\\\"\\\"\\\"%u\"\n", i, i);
	fputs(".file 1 \"", out);
	for (unsigned int i = 0; i < n; i++)
		fputs("\\\"", out);
	fputs("\"\n.section .debug {", out);
	for (unsigned int i = 0; i < n; i++)
		fputs(".b8 1 {} \n", out);
	fputs("}\n.pragma \"\"", out);
	for (unsigned int i = 0; i < n; i++)
		fputs(", \"x\"", out);
	fputs(";\n", out);
}

static void write_declarations(FILE *out, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		fputs(".extern .shared .b8 s[]; .extern .func f(.param .b32 a);\n", out);
	fputs(".func g(", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "%s.param .b32 a%u", i ? ", " : "", i);
	fputs(") { ret; }\n", out);
}

static void write_comments(FILE *out, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		fputs("/* a */ // b\n.func /* { */ f /**/; // }\n", out);
	for (unsigned int i = 0; i < n; i++)
		fputs("/*", out);
}

static void write_long_names(FILE *out, unsigned int n)
{
	fputs(".func f(.param .b64 a", out);
	for (unsigned int i = 0; i < n; i++)
		fputs("aaaaaaaa", out);
	fputs(") { ret; } .entry k() { .param .b32 p;\n", out);
	for (unsigned int i = 0; i < n; i++)
		fputs("call f, (p);\n", out);
	fputs("ret; }\n", out);
}

static void write_errors(FILE *out, unsigned int n)
{
	fputs(".entry k() {\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".reg .b32 register%u; mov.b32 registre%u, {1};\n", i, i);
	fputs("}\n", out);
}

static void write_wrong_aliases(FILE *out, unsigned int n)
{
	for (unsigned int j = 0; j < 2; j++) {
		fprintf(out, ".func %c(", j ? 'g' : 'f');
		for (unsigned int i = 0; i < n; i++)
			fprintf(out, ".param .b32 a%u, ", i);
		fputs(j ? ".param .b64 b) { ret; }\n" : ".param .b32 b);\n", out);
	}
	for (unsigned int i = 0; i < n; i++)
		fputs(".alias f, g;\n", out);
}

static void modules_cost_as_much_as_their_text_is_long(void **state)
{
	static const struct shape shapes[] = {
		{ "variables", write_variables, false, false },
		{ "variables in shared memory", write_shared, false, false },
		{ "variables with addresses of others", write_tables, false, false },
		{ "elements of an initialiser", write_elements, false, false },
		{ "files, escapes, sections and pragmas", write_files, false, false },
		{ "declarations", write_declarations, false, false },
		{ "comments", write_comments, true, false },
		{ "errors with a long name", write_long_names, true, false },
		{ "errors", write_errors, true, false },
		{ "aliases of another function", write_wrong_aliases, true, false },
	};

	(void)state;
	check_shapes(shapes, ARRAY_SIZE(shapes));
}

/* --- functions ------------------------------------------------------------------------ */

static void write_kernels(FILE *out, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".entry k%u() { ret; }\n", i);
}

static void write_calls(FILE *out, unsigned int n)
{
	fputs(".func f0() { ret; }\n", out);
	for (unsigned int i = 1; i < n; i++)
		fprintf(out, ".func f%u() { call f%u, (); ret; }\n", i, i - 1);
	fprintf(out, ".entry k() { call f%u, (); ret; }\n", n - 1);
}

static void write_aliases(FILE *out, unsigned int n)
{
	fputs(".func f() {\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".local .b8 l%u; membar.cta;\n", i);
	fputs("ret; }\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".func a%u(); .alias a%u, f;\n", i, i);
	fputs(".entry k() {\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "call a%u, ();\n", i);
	fputs("ret; }\n", out);
}

static void write_kernel_aliases(FILE *out, unsigned int n)
{
	fputs(".entry k() {\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".local .b8 l%u;\n", i);
	fputs("ret; }\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".entry a%u(); .alias a%u, k;\n", i, i);
}

static void write_locals(FILE *out, unsigned int n)
{
	fputs(".func f() {\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".local .b8 l%u;\n", i);
	fputs("ret; }\n.entry k() {\n", out);
	for (unsigned int i = 0; i < n; i++)
		fputs("call f, ();\n", out);
	fputs("ret; }\n", out);
}

static void write_arguments(FILE *out, unsigned int n)
{
	fputs(".entry k() { .reg .b64 a; .param .b32 p; call a, (p", out);
	for (unsigned int i = 0; i < n; i++)
		fputs(", p", out);
	fputs("), t; t: .callprototype _ (.param .b32 _", out);
	for (unsigned int i = 0; i < n; i++)
		fputs(", .param .b32 _", out);
	fputs("); ret; }\n", out);
}

static void write_targets_of_calls(FILE *out, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".func f%u() { ret; }\n", i);
	fputs(".entry k() { .reg .b64 a;\nt: .calltargets f0", out);
	for (unsigned int i = 1; i < n; i++)
		fprintf(out, ", f%u", i);
	fputs(";\n", out);
	for (unsigned int i = 0; i < n; i++)
		fputs("call a, (), t;\n", out);
	fputs("ret; }\n", out);
}

static void functions_cost_as_much_as_their_text_is_long(void **state)
{
	static const struct shape shapes[] = {
		{ "kernels", write_kernels, false, true },
		{ "functions that call each other", write_calls, false, false },
		{ "aliases of a function", write_aliases, false, false },
		{ "aliases of a kernel", write_kernel_aliases, false, false },
		{ "calls of a function with local variables", write_locals, false, false },
		{ "arguments", write_arguments, false, false },
		{ "calls with a list of functions", write_targets_of_calls, false, false },
	};

	(void)state;
	check_shapes(shapes, ARRAY_SIZE(shapes));
}

/* --- bodies --------------------------------------------------------------------------- */

static void write_labels(FILE *out, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "L%u: membar.cta;\n", i);
}

static void write_list(FILE *out, const char *name, unsigned int n)
{
	fprintf(out, "%s: .branchtargets L0", name);
	for (unsigned int i = 1; i < n; i++)
		fprintf(out, ", L%u", i);
	fputs(";\n", out);
}

static void write_branches_with_a_list(FILE *out, unsigned int n)
{
	fputs(".entry k() { .reg .b32 a;\n", out);
	write_labels(out, n);
	write_list(out, "t", n);
	for (unsigned int i = 0; i < n; i++)
		fputs("brx.idx a, t;\n", out);
	fputs("ret; }\n", out);
}

static void write_branches_with_two_lists(FILE *out, unsigned int n)
{
	fputs(".entry k() { .reg .b32 a;\n", out);
	write_labels(out, n);
	write_list(out, "t", n);
	write_list(out, "u", n);
	for (unsigned int i = 0; i < n; i++)
		fputs("brx.idx a, t; brx.idx a, u;\n", out);
	fputs("ret; }\n", out);
}

static void write_calls_with_labels(FILE *out, unsigned int n)
{
	fputs(".func f(); .entry k() {\n", out);
	write_labels(out, n);
	write_list(out, "t", n);
	for (unsigned int i = 0; i < n; i++)
		fputs("call f, t;\n", out);
	fputs("ret; }\n", out);
}

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
	write_labels(out, n);
	fputs("ret; }\n", out);
}

static void write_jumps_back(FILE *out, unsigned int n)
{
	fputs(".entry k() { .reg .pred p;\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".reg .b32 a%u;\n", i);
	fputs("ret;\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "L%u: setp.eq.u32 p, a%u, 0; @p bra L%u;\n", i, i, i ? i - 1 : 0);
	fputs("ret; }\n", out);
}

/* All registers are live everywhere. */
static void write_live_registers(FILE *out, unsigned int n)
{
	fputs(".entry k() { .reg .pred p;\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".reg .b32 a%u; mov.u32 a%u, 1;\n", i, i);
	write_labels(out, n);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "st.global.u32 [0], a%u;\n", i);
	fputs("@p bra L0; ret; }\n", out);
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

static void write_short_instructions(FILE *out, unsigned int n)
{
	fputs(".entry k() {\n", out);
	for (unsigned int i = 0; i < n; i++)
		fputs("a;", out);
	fputs("}\n", out);
}

static void write_vectors(FILE *out, unsigned int n)
{
	fputs(".entry k() { .reg .b32 a; mov.b64 a, {a", out);
	for (unsigned int i = 0; i < n; i++)
		fputs(", {a|a, [a, {a}]}", out);
	fputs("}; ret; }\n", out);
}

static void write_inlined(FILE *out, unsigned int n)
{
	fputs(".entry k() {\n.loc 1 1 1\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, ".loc 1 %u 1, function_name $L, inlined_at 1 %u 1\nmembar.cta;\n",
			i + 2, i + 1);
	fputs("ret; }\n", out);
}

static void write_waits(FILE *out, unsigned int n)
{
	fputs(".entry k() { .reg .pred p; .reg .b32 a, b;\n", out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "L%u: mbarrier.try_wait.parity.shared::cta.b64 p, [a], b;"
			" not.b32 b, b; @!p bra L%u;\n", i, i);
	fputs("ret; }\n", out);
}

static void bodies_cost_as_much_as_their_text_is_long(void **state)
{
	static const struct shape shapes[] = {
		{ "brx.idx with one list", write_branches_with_a_list, false, false },
		{ "brx.idx with two lists in turn", write_branches_with_two_lists, false, false },
		{ "calls with a list of labels", write_calls_with_labels, true, false },
		{ "scopes", write_scopes, false, false },
		{ "jumps back", write_jumps_back, false, false },
		{ "registers that are live everywhere", write_live_registers, false, false },
		{ "a range of registers", write_range, false, false },
		{ "numbers", write_numbers, false, false },
		{ "vectors", write_vectors, true, false },
		{ "short instructions", write_short_instructions, true, false },
		{ "inlined calls", write_inlined, false, false },
		{ "waits", write_waits, false, false },
	};

	(void)state;
	check_shapes(shapes, ARRAY_SIZE(shapes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_cost_as_much_as_their_text_is_long),
		cmocka_unit_test(functions_cost_as_much_as_their_text_is_long),
		cmocka_unit_test(bodies_cost_as_much_as_their_text_is_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
