// SPDX-License-Identifier: MIT
/*
 * Runs kernels with random mistakes: the PTX of selftests/kernels, in which tokens and lines are
 * changed at random. Nothing may crash, leak or run longer than its time limit, and whatever is
 * refused has a message.
 *
 * FUZZ_SEED and FUZZ_COUNT in the environment choose the first seed and the number of modules.
 * FUZZ_SHOW=1 prints the text of each module before it is used.
 */
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <unistd.h>

#include "run_kernel.h"

#define TEXTS		64
#define MAX_TEXT	(256u << 10)
/* Longer texts are only cut and mutated now and then: they take long to read. */
#define LONG_TEXT	40000

static char *texts[TEXTS];
static unsigned int text_count;

static const char own_text[] =
	L(".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);")
	L(".file 1 \"fuzz.cu\"")
	L(".global .align 1 .b8 format[12] = {37, 100, 32, 37, 115, 37, 102, 10, 0};")
	L(".const .align 8 .b8 fixed[32] = {1, 2, 3};")
	L(".shared .align 16 .b8 own[256];")
	L(".extern .shared .align 16 .b8 dynamic[];")
	L(".func (.param .b32 r) twice (.param .b32 a) {")
	L(".reg .b32 %r<4>; ld.param.b32 %r1, [a]; add.u32 %r2, %r1, %r1;")
	L("st.param.b32 [r], %r2;")
	L("ret; }")
	L(".func (.param .b32 r) down (.param .b32 a) {")
	L(".local .align 16 .b8 depot[48];")
	L(".reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .pred %p<3>;")
	L("ld.param.b32 %r1, [a]; setp.eq.u32 %p1, %r1, 0;")
	L("mov.u64 %rd1, depot; st.local.v2.u32 [%rd1+8], {%r1, %r1};")
	L("cvta.local.u64 %rd2, %rd1;")
	L("@%p1 bra OUT;")
	L("sub.u32 %r2, %r1, 1;")
	L("{ .param .b32 p0; .param .b32 q0;")
	L("st.param.b32 [p0], %r2;")
	L("call.uni (q0), down, (p0);")
	L("ld.param.b32 %r3, [q0]; }")
	L("ld.u32 %r4, [%rd2+12];")
	L("add.u32 %r3, %r3, %r4;")
	L("st.param.b32 [r], %r3; ret;")
	L("OUT: st.param.b32 [r], 0;")
	L("ret; }")
	L(".global .u64 table[2] = {twice, down};")
	RUN_ENTRY("k")
	L(".local .align 8 .b8 depot[40]; .reg .b64 %rl<4>;")
	L("and.b32 %r1, %r0, 7;")
	L("mul.wide.u32 %rd2, %r0, 4; mov.u64 %rd3, own; add.u64 %rd4, %rd3, %rd2;")
	L("st.shared.u32 [%rd4], %r1;")
	L("atom.shared.add.u32 %r2, [own+4], 3;")
	L("atom.global.cas.b32 %r3, [%rd0], 0, %r2;")
	L("red.global.max.s32 [%rd0+8], %r1;")
	L("ts: .branchtargets A, B, C, D;")
	L("and.b32 %r4, %r0, 3;")
	L("brx.idx %r4, ts;")
	L("A: add.u32 %r5, %r5, 1;")
	L("B: add.u32 %r5, %r5, 2; bra D;")
	L("C: setp.lt.u32 %p1, %r5, 5; add.u32 %r5, %r5, 1; @%p1 bra C;")
	L("D: mov.u64 %rd5, table; ld.global.u64 %rd6, [%rd5+8];")
	L("{ .param .b32 p0; .param .b32 q0;")
	L("pr: .callprototype (.param .b32 _) _ (.param .b32 _);")
	L("st.param.b32 [p0], %r1;")
	L("call (q0), %rd6, (p0), pr;")
	L("ld.param.b32 %r6, [q0]; }")
	L(".loc 1 12 3")
	L("ld.const.v2.u8 {%h1, %h2}, [fixed+2];")
	L("mov.u64 %rl1, depot; cvta.local.u64 %rl2, %rl1;")
	L("st.local.u32 [%rl1], %r6; st.u64 [%rl2+16], %rd0;")
	L("st.local.u64 [%rl1+8], %rl2;")
	L("mov.u64 %rd7, format; cvta.global.u64 %rd8, %rd7;")
	L("setp.eq.u32 %p2, %r0, 5;")
	L("@!%p2 bra QUIET;")
	L("{ .param .b64 f0; .param .b64 a0; .param .b32 c0;")
	L("st.param.b64 [f0], %rd8; st.param.b64 [a0], %rl2;")
	L("call.uni (c0), vprintf, (f0, a0);")
	L("ld.param.b32 %r7, [c0]; }")
	L("QUIET: mapa.shared::cluster.u32 %r8, %r4, 0;")
	L("isspacep.shared %p3, %rl2;")
	L("mov.u64 %rd9, %clock64; activemask.b32 %r9;")
	L("cvta.shared.u64 %rd10, %rd4; ld.volatile.u32 %r10, [%rd10];")
	L("@%p3 trap;")
	L("ld.global.v4.u32 {%r11, %r12, _, %r13}, [%rd0+16];")
	L("st.global.s8 [%rd1], %r11; cvt.rn.f32.u32 %f1, %r6;")
	L("fma.rn.f32 %f2, %f1, %f1, 0f3F800000; div.s32 %r14, %r11, %r12;")
	L("st.global.f32 [%rd1], %f2;")
	L("ret; }");

/* --- random numbers ------------------------------------------------------------------ */

static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
	random_state += 0x9e3779b97f4a7c15;
	uint64_t x = random_state;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((x ^ x >> 31) >> 32) % limit;
}

static uint64_t number(void)
{
	static const uint64_t numbers[] = {
		0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 255, 256, 1024, 4096, 65535,
		1 << 20, 0x7fffffff, 0x80000000, 0xffffffff, 1ULL << 32, 2ULL << 32, 3ULL << 32,
		4ULL << 32, 1ULL << 36, INT64_MAX, 1ULL << 63, UINT64_MAX, UINT64_MAX - 7,
	};

	return numbers[below(sizeof(numbers) / sizeof(numbers[0]))];
}

/* --- tokens --------------------------------------------------------------------------- */

/** struct piece - A token or line of a text */
struct piece {
	size_t at;
	size_t length;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || strchr("_$%:", c);
}

/* The token that begins at or behind @at. */
static struct piece token_at(const char *text, size_t size, size_t at)
{
	struct piece piece = { at, 0 };

	while (piece.at < size && isspace((unsigned char)text[piece.at]))
		piece.at++;
	if (piece.at == size)
		return piece;
	piece.length = 1;
	if (is_word(text[piece.at]) || text[piece.at] == '.')
		while (piece.at + piece.length < size && is_word(text[piece.at + piece.length]))
			piece.length++;
	return piece;
}

static struct piece any_token(const char *text, size_t size)
{
	size_t at = below((uint32_t)size);

	/* Not in the middle of a word. */
	while (at && is_word(text[at - 1]))
		at--;
	if (at && text[at - 1] == '.')
		at--;
	return token_at(text, size, at);
}

static struct piece any_line(const char *text, size_t size)
{
	size_t at = below((uint32_t)size), end;

	while (at && text[at - 1] != '\n')
		at--;
	for (end = at; end < size && text[end] != '\n'; end++)
		;
	return (struct piece){ at, end - at + (end < size) };
}

static void replace(char *text, size_t *size, struct piece old, const char *with, size_t length)
{
	char copy[400];

	if (length > sizeof(copy) || *size - old.length + length >= MAX_TEXT)
		return;
	memcpy(copy, with, length);
	memmove(text + old.at + length, text + old.at + old.length,
		*size - old.at - old.length);
	memcpy(text + old.at, copy, length);
	*size += length - old.length;
}

static void replace_number(char *text, size_t *size)
{
	struct piece token;
	unsigned int i;
	char with[32];

	for (i = 0; i < 100; i++) {
		token = any_token(text, *size);
		if (token.length && isdigit((unsigned char)text[token.at]))
			break;
	}
	if (i == 100)
		return;
	replace(text, size, token, with,
		(size_t)snprintf(with, sizeof(with), "%lld", (long long)number()));
}

/* Another token that begins with the same sign: a register for a register, a type for a type. */
static void replace_alike(char *text, size_t *size, bool any)
{
	struct piece token = any_token(text, *size), other;
	unsigned int i;

	for (i = 0; token.length && i < 200; i++) {
		other = any_token(text, *size);
		if (!other.length || (!any && text[other.at] != text[token.at]))
			continue;
		replace(text, size, token, text + other.at, other.length);
		return;
	}
}

static void mutate(char *text, size_t *size)
{
	static const char *const types[] = {
		".u8", ".u16", ".u32", ".u64", ".s8", ".s32", ".s64", ".b16", ".b32", ".b64",
		".b128", ".f16", ".f32", ".f64", ".pred", ".v2", ".v4", ".v8", ".shared", ".global",
		".local", ".param", ".const", ".shared::cluster",
	};
	struct piece piece;
	const char *type;

	switch (below(9)) {
	case 0:
		replace_number(text, size);
		break;
	case 1:
	case 2:
		replace_alike(text, size, false);
		break;
	case 3:
		replace_alike(text, size, true);
		break;
	case 4:
		replace(text, size, any_token(text, *size), "", 0);
		break;
	case 5:
		replace(text, size, any_line(text, *size), "", 0);
		break;
	case 6:
		piece = any_line(text, *size);
		replace(text, size, (struct piece){ any_line(text, *size).at, 0 },
			text + piece.at, piece.length);
		break;
	case 7:
		piece = any_token(text, *size);
		type = types[below(sizeof(types) / sizeof(types[0]))];
		if (piece.length > 1 && text[piece.at] == '.')
			replace(text, size, piece, type, strlen(type));
		break;
	default:
		piece = any_token(text, *size);
		replace(text, size, (struct piece){ any_token(text, *size).at, 0 },
			text + piece.at, piece.length);
		break;
	}
}

/* --- instructions of the device --------------------------------------------------------- */

static bool is_for_device(const char *opcode)
{
	static const char *const heads[] = {
		"mbarrier.", "cp.", "bar.", "barrier.", "shfl.", "vote.", "match.", "redux.",
		"elect.", "fence.", "st.async", "red.async", "membar.",
	};

	for (unsigned int i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (!strncmp(opcode, heads[i], strlen(heads[i])))
			return true;
	return false;
}

/* Exchanges an instruction of the device for one that writes the same register. */
static void exchange(char *text, size_t *size, size_t at)
{
	size_t end = at, operand = at;
	struct piece reg;
	char with[80];

	while (end < *size && text[end] != ';')
		end++;
	while (operand < end && !isspace((unsigned char)text[operand]))
		operand++;
	reg = token_at(text, end, operand);
	if (reg.length < 3 || text[reg.at] != '%')
		snprintf(with, sizeof(with), "nanosleep.u32 1");
	else if (text[reg.at + 1] == 'p' || text[reg.at + 1] == 'P')
		snprintf(with, sizeof(with), "setp.eq.u32 %.*s, 0, 0", (int)reg.length,
			 text + reg.at);
	else
		snprintf(with, sizeof(with), "mov.%s %.*s, %%clock%s",
			 text[reg.at + 2] == 'd' ? "b64" : "b32", (int)reg.length, text + reg.at,
			 text[reg.at + 2] == 'd' ? "64" : "");
	replace(text, size, (struct piece){ at, end - at }, with, strlen(with));
}

static void remove_device(char *text, size_t *size)
{
	bool begins = true;

	for (size_t at = 0; at < *size; at++) {
		text[*size] = 0;
		if (begins && is_for_device(text + at))
			exchange(text, size, at);
		begins = isspace((unsigned char)text[at]) || text[at] == ';' || text[at] == '{';
	}
}

/* How many modules were not loaded, launches refused, and launches that ended in each way */
static unsigned int not_loaded, refused, ended[VSM_PTX_ERROR + 1];

/* --- a module ----------------------------------------------------------------------------- */

static void has_message(const char *messages, bool with_line)
{
	const char *line = messages ? strstr(messages, "fuzz.ptx:") : NULL;

	assert_non_null(messages);
	assert_true(messages[0]);
	if (with_line && (!line || atoi(line + 9) < 1))
		fail_msg("no line: %s", messages);
}

static void ignore(void *data, const char *text, size_t length)
{
}

static void launch_one(struct vsm_ptx_module *module, uint32_t index, const uint64_t *buffers)
{
	struct vsm_ptx_config config = {
		.grid = { 1 + below(4), 1 + below(2) }, .block = { 1 + below(70), 1 + below(2) },
		.smem_bytes = below(4096), .seed = below(2) ? number() : 0, .print = ignore,
		.host_threads = 1 + below(2), .resident = below(8), .time_limit_ns = 3000000,
		.stack_bytes = below(2) ? 0 : below(70000),
	};
	struct vsm_ptx_result result;
	struct vsm_ptx_launch *launch;
	struct vsm_ptx_kernel kernel;
	uint64_t *params, i;
	char *messages;
	int err;

	assert_int_equal(vsm_ptx_kernel_info(module, index, &kernel), 0);
	memcpy(config.cluster, kernel.reqnctapercluster, sizeof(config.cluster));
	for (i = 0; i < 3; i++)
		if (kernel.reqnctapercluster[i])
			config.grid[i] = kernel.reqnctapercluster[i];
	if (kernel.reqntid[0])
		memcpy(config.block, kernel.reqntid, sizeof(config.block));
	if (kernel.param_size > 1 << 20)
		return;
	params = calloc(1, kernel.param_size + 8);
	assert_non_null(params);
	for (i = 0; i < kernel.param_size / 8; i++)
		params[i] = below(4) ? buffers[below(3)] : below(3) ? below(100) : number();
	err = vsm_ptx_launch(module, index, &config, params, kernel.param_size, &launch,
			     &messages);
	free(params);
	refused += !!err;
	if (err) {
		assert_true(err == -EINVAL || err == -EOPNOTSUPP);
		has_message(messages, err == -EOPNOTSUPP && !strstr(messages, "vsm device"));
		free(messages);
		return;
	}
	assert_int_equal(vsm_ptx_launch_wait(launch, VSM_NEVER, &result), 0);
	assert_int_not_equal(result.outcome, VSM_PTX_RUNNING);
	ended[result.outcome]++;
	if (result.outcome == VSM_PTX_DONE)
		assert_string_equal(vsm_ptx_launch_report(launch), "");
	else
		has_message(vsm_ptx_launch_report(launch), result.outcome == VSM_PTX_FAULT);
	if (result.outcome == VSM_PTX_FAULT)
		assert_int_not_equal(result.line, 0);
	vsm_ptx_launch_destroy(launch);
}

static void try_text(const char *text, size_t size)
{
	struct vsm_ptx_context *context;
	struct vsm_ptx_module *module;
	uint64_t buffers[3];
	char *messages;

	assert_int_equal(vsm_ptx_context_create(NULL, &context), 0);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(vsm_ptx_memory_alloc(context, 100 << 4 * i, &buffers[i]), 0);
	if (vsm_ptx_module_load(context, "fuzz.ptx", text, size, &module, &messages)) {
		has_message(messages, true);
		free(messages);
		not_loaded++;
	} else {
		for (uint32_t i = 0; i < vsm_ptx_kernel_count(module); i++)
			launch_one(module, i, buffers);
		vsm_ptx_module_unload(module);
	}
	vsm_ptx_context_destroy(context);
}

static void fuzz_one(uint64_t seed)
{
	static char text[MAX_TEXT + 1];
	unsigned int changes, which;
	size_t size;

	random_state = seed;
	which = below(3) ? below(text_count) : 0;
	size = strlen(texts[which]);
	if (size > LONG_TEXT && below(4))
		size = strlen(texts[which = 0]);
	memcpy(text, texts[which], size);
	if (below(4))
		remove_device(text, &size);
	for (changes = below(5); changes; changes--)
		mutate(text, &size);
	text[size] = 0;
	if (getenv("FUZZ_SHOW"))
		fprintf(stderr, "%s", text);
	/* Ends the process if a launch does not end. */
	alarm(60);
	try_text(text, size);
	alarm(0);
}

/* --- tests -------------------------------------------------------------------------------- */

static void add_file(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t size;

	if (!file || text_count == TEXTS)
		fail_msg("%s", path);
	texts[text_count] = calloc(1, MAX_TEXT + 1);
	assert_non_null(texts[text_count]);
	size = fread(texts[text_count], 1, MAX_TEXT, file);
	assert_true(size > 0);
	fclose(file);
	text_count++;
}

static int setup(void **state)
{
	glob_t files;

	assert_true(asprintf(&texts[text_count++], "%s%s", RUN_HEAD, own_text) > 0);
	if (!glob("../build/kernels/*.ptx", 0, NULL, &files)) {
		for (size_t i = 0; i < files.gl_pathc; i++)
			add_file(files.gl_pathv[i]);
		globfree(&files);
	}
	return 0;
}

static int teardown(void **state)
{
	while (text_count)
		free(texts[--text_count]);
	return 0;
}

static uint64_t setting(const char *name, uint64_t usual)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : usual;
}

TEST(the_own_text_is_right)
{
	struct run run;

	run_open(&run, NULL);
	run_text(&run, own_text, 64);
	run_close(&run);
}

TEST(kernels_with_mistakes_do_no_harm)
{
	uint64_t first = setting("FUZZ_SEED", 1), count = setting("FUZZ_COUNT", 300);

	for (uint64_t seed = first; seed < first + count; seed++) {
		if (getenv("FUZZ_COUNT"))
			fprintf(stderr, "\rseed %llu ", (unsigned long long)seed);
		fuzz_one(seed);
	}
	if (getenv("FUZZ_COUNT"))
		fprintf(stderr, "not loaded %u, refused %u, done %u, fault %u, hang %u, error %u\n",
			not_loaded, refused, ended[VSM_PTX_DONE], ended[VSM_PTX_FAULT],
			ended[VSM_PTX_HANG], ended[VSM_PTX_ERROR]);
	/* Random mistakes leave enough that can run. */
	assert_true(ended[VSM_PTX_DONE] && ended[VSM_PTX_FAULT]);
}

int main(void)
{
	return testing_run(setup, teardown);
}
