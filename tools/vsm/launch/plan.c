// SPDX-License-Identifier: MIT
/* Creates, extends and frees plans. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <vsm.h>

#include "base.h"
#include "colour.h"
#include "launch/plan.h"

/* --- values --------------------------------------------------------------- */

/* --- typed numbers -------------------------------------------------------- */

static const struct value_type types[] = {
	{ "i8", 1, VALUE_SIGNED },
	{ "i16", 2, VALUE_SIGNED },
	{ "i32", 4, VALUE_SIGNED },
	{ "i64", 8, VALUE_SIGNED },
	{ "u8", 1, VALUE_UNSIGNED },
	{ "u16", 2, VALUE_UNSIGNED },
	{ "u32", 4, VALUE_UNSIGNED },
	{ "u64", 8, VALUE_UNSIGNED },
	{ "b8", 1, VALUE_BITS },
	{ "b16", 2, VALUE_BITS },
	{ "b32", 4, VALUE_BITS },
	{ "b64", 8, VALUE_BITS },
	{ "f32", 4, VALUE_FLOAT },
	{ "f64", 8, VALUE_FLOAT },
};

const struct value_type *value_type_find(struct span name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (span_is(name, types[i].name))
			return &types[i];
	return NULL;
}

bool need_value_type(struct cursor *c, const struct value_type **type)
{
	const char *names[ARRAY_SIZE(types)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		names[i] = types[i].name;
	if (!need_choice(c, names, ARRAY_SIZE(names), &i))
		return false;
	*type = &types[i];
	return true;
}

static bool need_integer(struct cursor *c, const struct value_type *type, uint64_t *bits)
{
	/* A number of type i32 is signed or unsigned: i32:0xffffffff is the same as i32:-1. */
	uint64_t max = type->bytes == 8 ? UINT64_MAX : (1ULL << 8 * type->bytes) - 1;
	uint64_t number;

	if (type->kind != VALUE_SIGNED || !take(c, '-'))
		return need_number(c, type->name, max, bits);
	if (!need_number(c, type->name, max / 2 + 1, &number))
		return false;
	*bits = -number & max;
	return true;
}

static bool need_float(struct cursor *c, const struct value_type *type, uint64_t *bits)
{
	char text[QUOTE_SIZE], copy[64], *end;
	struct span span;
	double number;
	float single;
	uint32_t word;

	skip_spaces(c);
	span.text = c->at;
	while (c->at < c->end && (isalnum((unsigned char)*c->at) || memchr("+-.", *c->at, 3)))
		c->at++;
	span.length = c->at - span.text;
	if (span.length < sizeof(copy)) {
		memcpy(copy, span.text, span.length);
		copy[span.length] = '\0';
		/* strtof() rounds once. A cast of the result of strtod() would round twice. */
		single = strtof(copy, &end);
		number = strtod(copy, &end);
		if (span.length && !*end) {
			memcpy(&word, &single, sizeof(word));
			memcpy(bits, &number, sizeof(*bits));
			if (type->bytes == 4)
				*bits = word;
			return true;
		}
	}
	c->at = span.text;
	return error_at(c, span.text, "expected a number of type %s, found %s", type->name,
			span.length ? quote(text, span) : found(c, text));
}

bool need_value(struct cursor *c, const struct value_type *type, uint64_t *bits)
{
	return type->kind == VALUE_FLOAT ? need_float(c, type, bits) : need_integer(c, type, bits);
}

void print_value(FILE *out, const struct value_type *type, const void *at)
{
	uint64_t bits = 0;
	double number;
	float single;

	/* The memory of the device is little-endian, as is every host that has the driver. */
	memcpy(&bits, at, type->bytes);
	switch (type->kind) {
	case VALUE_UNSIGNED:
		fprintf(out, "%" PRIu64, bits);
		break;
	case VALUE_SIGNED:
		fprintf(out, "%" PRId64,
			(int64_t)(bits << (64 - 8 * type->bytes)) >> (64 - 8 * type->bytes));
		break;
	case VALUE_BITS:
		fprintf(out, "0x%0*" PRIx64, 2 * (int)type->bytes, bits);
		break;
	case VALUE_FLOAT:
		if (type->bytes == 4) {
			memcpy(&single, at, sizeof(single));
			fprintf(out, "%.9g", single);
		} else {
			memcpy(&number, at, sizeof(number));
			fprintf(out, "%.17g", number);
		}
		break;
	}
}

/* --- numbers with a unit -------------------------------------------------- */

/* A unit behind a number */
struct unit {
	const char *name;
	uint64_t factor;	/* what the number is multiplied by */
};

/*
 * Reads a number that is directly followed by one of @count units. A number without a unit must
 * have the unit with the empty name. @names is the list of units for errors.
 */
static bool need_with_unit(struct cursor *c, const char *what, const struct unit *units,
			   unsigned int count, const char *names, uint64_t *number)
{
	struct cursor digits = *c;
	char text[QUOTE_SIZE];
	struct span word;
	unsigned int i;
	size_t length;

	skip_spaces(c);
	word = take_word(c);
	if (!word.length || !isdigit((unsigned char)word.text[0]))
		return need_number(&digits, what, UINT64_MAX, number);
	for (length = word.length; length && isalpha((unsigned char)word.text[length - 1]);)
		length--;
	/* 0x1f has no unit. */
	if (word.length > 1 && (word.text[1] | ' ') == 'x')
		length = word.length;
	for (i = 0; i < count; i++)
		if (span_is((struct span){ word.text + length, word.length - length },
			    units[i].name))
			break;
	if (i == count)
		return error_at(c, word.text, "%s is no value for %s: the units are %s",
				quote(text, word), what, names);
	digits.end = word.text + length;
	return need_number(&digits, what, UINT64_MAX / units[i].factor, number) &&
	       (*number *= units[i].factor, true);
}

bool need_bytes(struct cursor *c, const char *what, uint64_t max, uint64_t *bytes)
{
	static const struct unit units[] = {
		{ "", 1 },
		{ "K", 1 << 10 },
		{ "M", 1 << 20 },
		{ "G", 1 << 30 },
	};
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!need_with_unit(c, what, units, ARRAY_SIZE(units), "K, M and G", bytes))
		return false;
	return *bytes <= max ||
	       error_at(c, where, "%" PRIu64 " is too large for %s, which is at most %" PRIu64,
			*bytes, what, max);
}

bool need_time(struct cursor *c, const char *what, uint64_t *ns)
{
	static const struct unit units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", 60000000000 },
		{ "h", 3600000000000 },
	};
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!need_with_unit(c, what, units, ARRAY_SIZE(units), "ns, us, ms, s, m and h", ns))
		return false;
	return *ns || error_at(c, where, "%s cannot be 0", what);
}

bool need_dimensions(struct cursor *c, const char *what, uint32_t dimensions[3])
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		dimensions[i] = 1;
	i = 0;
	do {
		if (i == 3)
			return error_at(c, c->at, "%s has at most 3 dimensions", what);
		if (!need_size(c, what, UINT32_MAX, &dimensions[i++]))
			return false;
	} while (take(c, ','));
	return true;
}

/* --- words ---------------------------------------------------------------- */

bool need_policy(struct cursor *c, unsigned int *policy)
{
	static const char *const policies[] = {
		[DRM_VSM_POLICY_STRICT] = "strict",
		[DRM_VSM_POLICY_HARDWARE] = "hardware",
	};

	return need_choice(c, policies, ARRAY_SIZE(policies), policy);
}

bool need_file(struct cursor *c, char stop, char **name)
{
	const char *start;

	skip_spaces(c);
	start = c->at;
	while (c->at < c->end && *c->at != stop && (stop || !isspace((unsigned char)*c->at)))
		c->at++;
	if (c->at == start)
		return error_at(c, start, "expected the name of a file");
	*name = must(strndup(start, c->at - start));
	return true;
}

/* --- plans ---------------------------------------------------------------- */

struct plan *plan_create(const char *path)
{
	struct plan *plan = must(calloc(1, sizeof(*plan)));

	plan->path = must(strdup(path));
	return plan;
}

static void launch_free(struct plan_launch *launch)
{
	size_t i, j;

	for (i = 0; i < launch->expect.text_count; i++)
		free(launch->expect.texts[i]);
	free(launch->expect.texts);
	free(launch->expect.file);
	for (i = 0; i < launch->arg_count; i++) {
		for (j = 0; j < launch->args[i].member_count; j++)
			free(launch->args[i].members[j].bytes);
		free(launch->args[i].members);
	}
	free(launch->args);
	free(launch->kernel);
}

void plan_free(struct plan *plan)
{
	size_t i;

	if (!plan)
		return;
	for (i = 0; i < plan->step_count; i++) {
		if (plan->steps[i].kind == STEP_LAUNCH)
			launch_free(&plan->steps[i].launch);
		else
			free(plan->steps[i].output.file);
	}
	for (i = 0; i < plan->buffer_names.count; i++)
		free(plan->buffers[i].bytes);
	names_free(&plan->buffer_names);
	names_free(&plan->tensor_names);
	free(plan->buffers);
	free(plan->tensors);
	free(plan->steps);
	free(plan->text);
	free(plan->module);
	free(plan->folder);
	free(plan->path);
	free(plan);
}

struct plan_buffer *plan_add_buffer(struct plan *plan, struct span name)
{
	size_t count = plan->buffer_names.count;

	plan->buffers = grow(plan->buffers, count, sizeof(*plan->buffers));
	plan->buffers[count] = (struct plan_buffer){ };
	names_add(&plan->buffer_names, name);
	return &plan->buffers[count];
}

struct plan_tensor *plan_add_tensor(struct plan *plan, struct span name, unsigned int line)
{
	size_t count = plan->tensor_names.count;

	plan->tensors = grow(plan->tensors, count, sizeof(*plan->tensors));
	plan->tensors[count] = (struct plan_tensor){ .line = line };
	names_add(&plan->tensor_names, name);
	return &plan->tensors[count];
}

struct plan_step *plan_add_step(struct plan *plan, enum step_kind kind, unsigned int line)
{
	struct plan_step *step;

	plan->steps = grow(plan->steps, plan->step_count, sizeof(*plan->steps));
	step = &plan->steps[plan->step_count++];
	*step = (struct plan_step){ .kind = kind, .line = line };
	if (kind == STEP_LAUNCH) {
		step->launch.expect.outcome = VSM_PTX_DONE;
		plan->launch_count++;
	}
	return step;
}

struct plan_arg *plan_add_arg(struct plan_launch *launch)
{
	struct plan_arg *arg;

	launch->args = grow(launch->args, launch->arg_count, sizeof(*launch->args));
	arg = &launch->args[launch->arg_count++];
	*arg = (struct plan_arg){ };
	return arg;
}

struct plan_arg *plan_add_member(struct plan_arg *arg)
{
	struct plan_arg *member;

	arg->members = grow(arg->members, arg->member_count, sizeof(*arg->members));
	member = &arg->members[arg->member_count++];
	*member = (struct plan_arg){ };
	return member;
}

size_t plan_member_size(const struct plan_arg *member)
{
	switch (member->kind) {
	case ARG_NUMBER:
		return member->type->bytes;
	case ARG_TENSOR:
		return CUDA_MAP_BYTES;
	case ARG_BYTES:
		return member->size;
	default:
		return sizeof(uint64_t);
	}
}

size_t plan_member_align(const struct plan_arg *member)
{
	if (member->kind == ARG_TENSOR)
		return CUDA_MAP_ALIGN;
	return member->kind == ARG_BYTES ? 1 : plan_member_size(member);
}

struct plan_launch *plan_last_launch(struct plan *plan)
{
	size_t i;

	for (i = plan->step_count; i--;)
		if (plan->steps[i].kind == STEP_LAUNCH)
			return &plan->steps[i].launch;
	return NULL;
}

/* --- contents of buffers -------------------------------------------------- */

const char *const fill_names[FILL_WORDS + 1] = {
	[FILL_ZERO] = "zero",
	[FILL_IOTA] = "iota",
	[FILL_IOTAF] = "iotaf",
	[FILL_RANDOM] = "random",
	[FILL_RANDOMF] = "randomf",
	[FILL_BYTES] = "bytes",
};

bool read_contents(const struct cursor *c, const char *where, const char *path,
		   struct plan_buffer *buffer)
{
	buffer->fill = FILL_BYTES;
	buffer->bytes = file_read(path, buffer->size, &buffer->byte_count);
	if (buffer->bytes)
		return true;
	return error_at(c, where, "%s: %s", path,
			errno == EFBIG ? "the file is larger than the buffer" : strerror(errno));
}

/* splitmix64, which the manual names: the same seed gives the same contents for ever. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint32_t float_bits(float number)
{
	uint32_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static uint32_t next_word(const struct plan_buffer *buffer, uint64_t index, uint64_t *state)
{
	switch (buffer->fill) {
	case FILL_IOTA:
		return index;
	case FILL_IOTAF:
		return float_bits(index);
	case FILL_RANDOM:
		return next_random(state) >> 32;
	case FILL_RANDOMF:
		/* A multiple of 2^-23 in [-1, 1), which is exact. */
		return float_bits((float)(next_random(state) >> 40) / (1 << 23) - 1);
	default:
		return 0;
	}
}

void fill_buffer(const struct plan_buffer *buffer, void *memory)
{
	uint64_t state = buffer->seed, i, at;
	uint32_t word;

	if (buffer->fill == FILL_BYTES)
		memcpy(memory, buffer->bytes, buffer->byte_count);
	if (buffer->fill == FILL_BYTES || buffer->fill == FILL_TENSOR_MAP ||
	    buffer->fill == FILL_ZERO)
		return;
	for (i = at = 0; at < buffer->size; i++, at += sizeof(word)) {
		uint64_t rest = buffer->size - at;

		word = next_word(buffer, i, &state);
		memcpy((char *)memory + at, &word, rest < sizeof(word) ? rest : sizeof(word));
	}
}

/* --- tensor maps ---------------------------------------------------------- */

/* Keys that a tensor map has here in addition to those of &enum tensor_key. */
#define KEY_OFFSET TENSOR_KEYS
#define KEY_IM2COL (TENSOR_KEYS + 1)

const char *const tensor_words[TENSOR_WORDS] = {
	[TENSOR_TYPE] = "a type",
	[TENSOR_DIMS] = "dims",
	[TENSOR_STRIDES] = "stride",
	[TENSOR_ELEMENTSTRIDES] = "elementstride",
	[TENSOR_INTERLEAVE] = "interleave",
	[TENSOR_SWIZZLE] = "swizzle",
	[TENSOR_FILL] = "fill",
	[TENSOR_BOX] = "box",
	[TENSOR_LOWER] = "lower",
	[TENSOR_UPPER] = "upper",
	[TENSOR_CHANNELS] = "channels",
	[TENSOR_PIXELS] = "pixels",
	[KEY_OFFSET] = "offset",
	[KEY_IM2COL] = "im2col",
};

bool parse_element_type(struct cursor *c, struct tensor_text *text)
{
	text->names = tensor_words;
	skip_spaces(c);
	text->where[TENSOR_TYPE] = c->at;
	return parse_tensor_value(c, TENSOR_TYPE, text);
}

bool parse_tensor_key(struct cursor *c, const char *where, unsigned int key, bool equal,
		      struct tensor_text *text)
{
	/* This word only introduces the keys of an im2col map. */
	if (key == KEY_IM2COL)
		return true;
	if (equal && !need(c, '='))
		return false;
	if (key == KEY_OFFSET)
		return need_bytes(c, "offset", UINT64_MAX, &text->tensor->offset);
	if (text->where[key])
		return error_at(c, where, "%s is given twice", tensor_words[key]);
	text->where[key] = where;
	return parse_tensor_value(c, key, text);
}

/* --- expectations --------------------------------------------------------- */

enum {
	EXPECT_DONE, EXPECT_FAULT, EXPECT_HANG, EXPECT_REFUSED, EXPECT_REPORT,
};

static const char *const words[] = {
	[EXPECT_DONE] = "done",
	[EXPECT_FAULT] = "fault",
	[EXPECT_HANG] = "hang",
	[EXPECT_REFUSED] = "refused",
	[EXPECT_REPORT] = "report",
};

static bool at_word(const struct cursor *c, const char *word)
{
	struct cursor copy = *c;

	return span_is(take_word(&copy), word);
}

/* Reads FILE:LINE behind the word at. */
static bool parse_source(struct cursor *c, struct plan_expect *expect)
{
	struct cursor number = *c;
	const char *colon;
	char *place;

	take_word(c);
	skip_spaces(c);
	number.at = c->at;
	if (!need_file(c, 0, &place))
		return false;
	colon = memrchr(number.at, ':', c->at - number.at);
	free(place);
	if (!colon || colon == number.at)
		return error_at(c, number.at, "expected FILE:LINE");
	expect->file = must(strndup(number.at, colon - number.at));
	number.at = colon + 1;
	number.end = c->at;
	return need_number(&number, "a line", UINT32_MAX, &expect->source_line) &&
	       need_end(&number);
}

static bool parse_text(struct cursor *c, struct plan_expect *expect)
{
	if (at_end(c))
		return error_at(c, c->at, "expected a text that the report contains");
	expect->texts = grow(expect->texts, expect->text_count, sizeof(*expect->texts));
	expect->texts[expect->text_count++] = must(strndup(c->at, c->end - c->at));
	c->at = c->end;
	return true;
}

bool parse_launch_expect(struct cursor *c, struct plan_expect *expect)
{
	const char *where;
	unsigned int word;

	skip_spaces(c);
	where = c->at;
	if (!need_choice(c, words, ARRAY_SIZE(words), &word))
		return false;
	if (!expect->line)
		expect->line = c->line;
	if (word == EXPECT_REPORT)
		return parse_text(c, expect);
	if (expect->given)
		return error_at(c, where, "the end of this launch has an expectation already");
	expect->given = true;
	expect->line = c->line;
	expect->refused = word == EXPECT_REFUSED;
	if (word == EXPECT_FAULT)
		expect->outcome = VSM_PTX_FAULT;
	else if (word == EXPECT_HANG)
		expect->outcome = VSM_PTX_HANG;
	if (word == EXPECT_FAULT && !at_end(c) && !at_word(c, "at") &&
	    !need_fault(c, "a fault", &expect->fault))
		return false;
	if ((word == EXPECT_FAULT || word == EXPECT_HANG) && at_word(c, "at"))
		return parse_source(c, expect);
	return true;
}

/* --- comparison ----------------------------------------------------------- */

/* Is @path the file that @name names, whatever folder it is in? */
static bool same_file(const char *path, const char *name)
{
	size_t length, wanted = strlen(name);

	if (!path)
		return false;
	length = strlen(path);
	return length >= wanted && !strcmp(path + length - wanted, name) &&
	       (length == wanted || path[length - wanted - 1] == '/');
}

static bool same_place(const struct plan_expect *expect, const struct vsm_ptx_result *result,
		       const char *module)
{
	if (!expect->file)
		return true;
	if (same_file(module, expect->file))
		return result->line == expect->source_line;
	return same_file(result->source_file, expect->file) &&
	       result->source_line == expect->source_line;
}

static void print_expected(FILE *out, const struct plan_expect *expect)
{
	if (expect->refused)
		fprintf(out, "a refusal");
	else if (expect->outcome == VSM_PTX_DONE)
		fprintf(out, "the end of all threads");
	else if (expect->outcome == VSM_PTX_HANG)
		fprintf(out, "a hang");
	else if (expect->fault)
		fprintf(out, "fault %s", vsm_fault_name(expect->fault));
	else
		fprintf(out, "a fault");
	if (expect->file)
		fprintf(out, " at %s:%" PRIu64, expect->file, expect->source_line);
}

static void print_ending(FILE *out, const struct ending *ending, const char *module)
{
	static const char *const outcomes[] = {
		[VSM_PTX_RUNNING] = "a launch that still runs",
		[VSM_PTX_DONE] = "the end of all threads",
		[VSM_PTX_FAULT] = "a fault",
		[VSM_PTX_HANG] = "a hang",
		[VSM_PTX_CANCELLED] = "a cancelled launch",
		[VSM_PTX_ERROR] = "an error",
	};
	const struct vsm_ptx_result *result = &ending->result;

	if (ending->refused) {
		fprintf(out, "a refusal");
		return;
	}
	if (result->outcome == VSM_PTX_FAULT && result->fault)
		fprintf(out, "fault %s", vsm_fault_name(result->fault));
	else if (result->outcome < ARRAY_SIZE(outcomes))
		fprintf(out, "%s", outcomes[result->outcome]);
	else
		fprintf(out, "outcome %d", result->outcome);
	if (result->outcome == VSM_PTX_ERROR)
		fprintf(out, " (%s)", strerror(-result->error));
	if (result->source_file && result->source_line)
		fprintf(out, " at %s:%u", result->source_file, result->source_line);
	if (result->line)
		fprintf(out, " (%s:%u)", module, result->line);
}

static bool as_expected(const struct plan_expect *expect, const struct ending *ending,
			const char *module)
{
	const struct vsm_ptx_result *result = &ending->result;

	if (expect->refused || ending->refused)
		return expect->refused && ending->refused;
	return result->outcome == expect->outcome &&
	       (!expect->fault || result->fault == expect->fault) &&
	       same_place(expect, result, module);
}

/* Describes how the launch was expected to end, or how it ended if @ending is not NULL. */
static char *describe(const struct plan_expect *expect, const struct ending *ending,
		      const char *module)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	out = must(open_memstream(&text, &size));
	if (ending)
		print_ending(out, ending, module);
	else
		print_expected(out, expect);
	if (fclose(out))
		must(NULL);
	return text;
}

static void report_ending(FILE *out, const char *where, const struct plan_expect *expect,
			  const struct ending *ending, const char *module, struct result *result)
{
	char *expected = describe(expect, NULL, module), *found = describe(expect, ending, module);
	char *message;

	if (asprintf(&message, "%s: expected %s, found %s", where, expected, found) < 0)
		must(NULL);
	if (out) {
		colour_write(out, message, strlen(message));
		fputc('\n', out);
	}
	free(message);
	if (asprintf(&message, "expected %s, seen %s", expected, found) < 0)
		must(NULL);
	result_fail(result, expect->line ?: result->line, message);
	free(message);
	free(expected);
	free(found);
}

static void report_text(FILE *out, const char *where, const struct plan_expect *expect,
			const char *text, struct result *result)
{
	char *message;

	if (asprintf(&message, "expected a report with \"%s\"", text) < 0)
		must(NULL);
	if (out)
		fprintf(out, "%s: %s\n", where, message);
	result_fail(result, expect->line ?: result->line, message);
	free(message);
}

bool check_expect(FILE *out, const char *where, const struct plan_expect *expect,
		  const struct ending *ending, const char *module, struct result *result)
{
	bool good = as_expected(expect, ending, module);
	size_t i;

	if (!good)
		report_ending(out, where, expect, ending, module, result);
	for (i = 0; i < expect->text_count; i++) {
		if (strstr(ending->report, expect->texts[i]))
			continue;
		report_text(out, where, expect, expect->texts[i], result);
		good = false;
	}
	return good;
}
