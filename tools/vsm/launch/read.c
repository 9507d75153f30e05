// SPDX-License-Identifier: MIT
/* Reads plans: launch files, and the arguments of kernels on the command line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "launch/plan.h"

/* --- files that are named ------------------------------------------------- */

/* Returns the path of a file that the launch file or the command line names. */
static char *relative_path(const struct plan *plan, const char *name)
{
	char *path;

	if (*name == '/')
		return must(strdup(name));
	if (asprintf(&path, "%s%s", plan->folder ?: "", name) < 0)
		must(NULL);
	return path;
}

/* Reads the name of a file with a CUtensorMap, and sets the tensor from its bytes. */
static bool parse_map_file(struct plan *plan, struct cursor *c, char stop,
			   struct tensor_text *text)
{
	char *name, *path, *bytes;
	const char *where;
	size_t size = 0;
	bool good;

	skip_spaces(c);
	where = c->at;
	if (!need_file(c, stop, &name))
		return false;
	path = relative_path(plan, name);
	bytes = file_read(path, CUDA_MAP_BYTES, &size);
	if (!bytes && errno != EFBIG)
		good = error_at(c, where, "%s: %s", path, strerror(errno));
	else
		good = (size == CUDA_MAP_BYTES && tensor_decode(text->tensor, bytes)) ||
		       error_at(c, where, "%s: this is not a CUtensorMap of 128 bytes", path);
	free(bytes);
	free(path);
	free(name);
	return good;
}

/* Reads the type of the elements, or "bytes" and the name of a file, which ends at @stop. */
static bool parse_tensor_head(struct plan *plan, struct cursor *c, char stop,
			      struct tensor_text *text)
{
	struct cursor ahead = *c;

	skip_spaces(&ahead);
	if (!span_is(take_word(&ahead), "bytes"))
		return parse_element_type(c, text);
	*c = ahead;
	text->names = tensor_words;
	text->encoded = true;
	return (!stop || need(c, '=')) && parse_map_file(plan, c, stop, text);
}

/* --- arguments on the command line ---------------------------------------- */

/* The words of an argument: fills, the words below, words for tensor maps. */
enum {
	IN = FILL_WORDS, OUT, PRINT, BUF, TENSOR_FIRST,
	OPTION_WORDS = TENSOR_FIRST + TENSOR_WORDS - 1,
};

#define BUFFER_WORDS BUF

static const char *const own_words[] = { "in", "out", "print", "buf" };

/* An argument that is being parsed */
struct option_arg {
	struct plan *plan;
	struct cursor c;		/* place in the text */
	struct span name;		/* name of its buffer and tensor map */
	/* Its buffer; no words about the contents may be given if it has none */
	struct plan_buffer buffer;
	/* Place of the word for the contents; NULL if there is none so far */
	const char *fill;
	char *in;			/* file with the contents, or NULL */
	const char *in_place;		/* place of @in */
	char *out;			/* file that the buffer is written to, or NULL */
	uint64_t count;			/* number of printed elements */
	const struct value_type *type;	/* type of printed elements; NULL if nothing is printed */
	const char *print_place;	/* place of @count */
	/* Buffer of another argument that a tensor map uses; -1 for a buffer of its own */
	int shared;
	/* Text of a tensor map; its tensor is NULL if the argument is a buffer */
	struct tensor_text text;
};

static bool parse_fill(struct option_arg *o, const char *where, enum fill fill)
{
	if (o->fill)
		return error_at(&o->c, where, "the contents are given twice");
	o->fill = where;
	o->buffer.fill = fill;
	if ((fill == FILL_RANDOM || fill == FILL_RANDOMF) && take(&o->c, '='))
		return need_number(&o->c, "a seed", UINT64_MAX, &o->buffer.seed);
	return true;
}

static bool parse_in(struct option_arg *o, const char *where)
{
	if (o->fill)
		return error_at(&o->c, where, "the contents are given twice");
	o->fill = where;
	o->in_place = where;
	return need(&o->c, '=') && need_file(&o->c, ':', &o->in);
}

static bool parse_out(struct option_arg *o, const char *where)
{
	if (o->out)
		return error_at(&o->c, where, "out is given twice");
	return need(&o->c, '=') && need_file(&o->c, ':', &o->out);
}

static bool parse_option_print(struct option_arg *o, const char *where)
{
	if (o->type)
		return error_at(&o->c, where, "print is given twice");
	o->print_place = where;
	o->type = value_type_find((struct span){ "u32", 3 });
	return need(&o->c, '=') && need_bytes(&o->c, "a count", UINT64_MAX / 8, &o->count) &&
	       (!take(&o->c, ',') || need_value_type(&o->c, &o->type));
}

static bool parse_buf(struct option_arg *o, const char *where)
{
	uint64_t number;
	char name[32];

	if (!need(&o->c, '=') || !need_number(&o->c, "an argument", UINT32_MAX, &number))
		return false;
	snprintf(name, sizeof(name), "arg%u", (unsigned int)number);
	o->shared = names_find(&o->plan->buffer_names, (struct span){ name, strlen(name) });
	return o->shared >= 0 ||
	       error_at(&o->c, where, "argument %u is no buffer before this one",
			(unsigned int)number);
}

static bool parse_part(struct option_arg *o)
{
	const char *words[OPTION_WORDS];
	const char *where;
	unsigned int i;

	memcpy(words, fill_names, FILL_WORDS * sizeof(*words));
	memcpy(words + IN, own_words, sizeof(own_words));
	memcpy(words + TENSOR_FIRST, tensor_words + 1, (TENSOR_WORDS - 1) * sizeof(*words));
	skip_spaces(&o->c);
	where = o->c.at;
	if (!need_choice(&o->c, words, o->text.tensor ? OPTION_WORDS : BUFFER_WORDS, &i))
		return false;
	switch (i) {
	case IN:
		return parse_in(o, where);
	case OUT:
		return parse_out(o, where);
	case PRINT:
		return parse_option_print(o, where);
	case BUF:
		return parse_buf(o, where);
	default:
		if (i < FILL_WORDS)
			return parse_fill(o, where, i);
		return parse_tensor_key(&o->c, where, i - TENSOR_FIRST + 1, true, &o->text);
	}
}

static bool parse_parts(struct option_arg *o)
{
	while (!at_end(&o->c)) {
		if (!need(&o->c, ':') || !parse_part(o))
			return false;
	}
	return true;
}

/* --- kinds of arguments --------------------------------------------------- */

static void add_output(struct option_arg *o, unsigned int buffer, char *file)
{
	struct plan_output *output = &plan_add_step(o->plan, STEP_OUTPUT, 0)->output;

	output->place.buffer = buffer;
	output->file = file;
	output->count = o->count;
	output->type = o->type;
}

static void add_outputs(struct option_arg *o, unsigned int buffer)
{
	if (o->type)
		add_output(o, buffer, NULL);
	if (o->out)
		add_output(o, buffer, o->out);
	o->out = NULL;
}

/* Adds the buffer of an argument to the plan, and its outputs. */
static bool add_buffer(struct option_arg *o, unsigned int *index)
{
	if (o->shared >= 0) {
		*index = o->shared;
		o->buffer.size = o->plan->buffers[o->shared].size;
		if (o->fill)
			return error_at(&o->c, o->fill, "argument %s has the contents",
					o->plan->buffer_names.names[o->shared] + strlen("arg"));
	} else {
		if (o->in && !read_contents(&o->c, o->in_place, o->in, &o->buffer))
			return false;
		*index = o->plan->buffer_names.count;
		*plan_add_buffer(o->plan, o->name) = o->buffer;
		o->buffer.bytes = NULL;
	}
	if (o->type && o->count * o->type->bytes > o->buffer.size)
		return error_at(&o->c, o->print_place,
				"the buffer does not have so many elements");
	add_outputs(o, *index);
	return true;
}

static bool parse_option_buffer(struct option_arg *o, struct plan_arg *arg)
{
	arg->kind = ARG_POINTER;
	if (!need_bytes(&o->c, "a size", SIZE_MAX / 2, &o->buffer.size))
		return false;
	if (!o->buffer.size)
		return error_at(&o->c, o->c.start, "a size cannot be 0");
	return parse_parts(o) && add_buffer(o, &arg->place.buffer);
}

static bool parse_option_tensor(struct option_arg *o, struct plan_arg *arg)
{
	struct tensor tensor = { };
	uint64_t bytes;

	arg->kind = ARG_TENSOR;
	o->text.tensor = &tensor;
	if (!parse_tensor_head(o->plan, &o->c, ':', &o->text) || !parse_parts(o) ||
	    !tensor_complete(&o->c, &o->text))
		return false;
	bytes = tensor_bytes(&tensor);
	if (__builtin_add_overflow(bytes, tensor.offset, &o->buffer.size) ||
	    o->buffer.size > SIZE_MAX / 2)
		return error_at(&o->c, o->c.start, "the tensor is too large");
	if (!bytes)
		return error_at(&o->c, o->text.where[TENSOR_DIMS], "dims cannot be 0");
	if (!add_buffer(o, &tensor.buffer))
		return false;
	arg->tensor = o->plan->tensor_names.count;
	plan_add_tensor(o->plan, o->name, 0)->tensor = tensor;
	return true;
}

static bool parse_option_number(struct option_arg *o, struct plan_arg *arg)
{
	arg->kind = ARG_NUMBER;
	return need_value_type(&o->c, &arg->type) && need(&o->c, ':') &&
	       need_value(&o->c, arg->type, &arg->bits) && need_end(&o->c);
}

static bool parse_option_value(struct option_arg *o, struct plan_arg *arg)
{
	struct cursor *c = &o->c;
	struct span word;
	char text[QUOTE_SIZE];

	if (take(c, '{'))
		return error_at(c, c->start, "a structure needs a launch file");
	if (!need_name(c, "TYPE:NUMBER, buf:SIZE or tensor:TYPE:dims=...:box=...", &word))
		return false;
	if (span_is(word, "buf"))
		return need(c, ':') && parse_option_buffer(o, arg);
	if (span_is(word, "tensor"))
		return need(c, ':') && parse_option_tensor(o, arg);
	if (!value_type_find(word))
		return error_at(c, word.text,
				"%s is no kind of argument: use i32, f32, ..., buf or tensor",
				quote(text, word));
	c->at = word.text;
	return parse_option_number(o, arg);
}

bool parse_option_arg(struct plan *plan, unsigned int number, const char *text)
{
	struct option_arg o = { .plan = plan, .shared = -1 };
	struct errors errors = { .out = stderr };
	struct plan_arg arg = { };
	char *path, name[32];
	bool good;

	if (asprintf(&path, "vsm: launch: --arg %s", text) < 0)
		must(NULL);
	errors.path = path;
	snprintf(name, sizeof(name), "arg%u", number);
	o.name = (struct span){ name, strlen(name) };
	o.c = (struct cursor){
		.errors = &errors,
		.start = text,
		.at = text,
		.end = text + strlen(text),
	};
	good = parse_option_value(&o, &arg);
	if (good)
		*plan_add_arg(plan_last_launch(plan)) = arg;
	free(o.buffer.bytes);
	free(o.in);
	free(o.out);
	free(path);
	return good;
}

/* --- launch files --------------------------------------------------------- */

static bool parse_module(struct plan *plan, struct cursor *c)
{
	const char *where;
	char *name;

	skip_spaces(c);
	where = c->at;
	if (!need_file(c, 0, &name))
		return false;
	if (plan->module) {
		free(name);
		return error_at(c, where, "the module is given twice");
	}
	plan->module = relative_path(plan, name);
	free(name);
	return true;
}

/* --- buffers and tensor maps ---------------------------------------------- */

static bool parse_contents(struct plan *plan, struct cursor *c, struct plan_buffer *buffer)
{
	unsigned int fill;
	const char *where;
	char *name, *path;
	bool good;

	if (at_end(c))
		return true;
	if (!need_choice(c, fill_names, FILL_WORDS + 1, &fill))
		return false;
	if (fill != FILL_BYTES) {
		buffer->fill = fill;
		if ((fill == FILL_RANDOM || fill == FILL_RANDOMF) && !at_end(c))
			return need_number(c, "a seed", UINT64_MAX, &buffer->seed);
		return true;
	}
	skip_spaces(c);
	where = c->at;
	if (!need_file(c, 0, &name))
		return false;
	path = relative_path(plan, name);
	good = read_contents(c, where, path, buffer);
	free(path);
	free(name);
	return good;
}

static bool parse_memory(struct plan *plan, struct cursor *c, struct plan_buffer **added)
{
	struct plan_buffer *buffer;
	const char *where;
	struct span name;

	if (!need_name(c, "the buffer's name", &name) ||
	    !names_need_new(&plan->buffer_names, c, "buffer", name) ||
	    !names_need_new(&plan->tensor_names, c, "tensor map", name))
		return false;
	/* Add the name even after an error: otherwise later statements have errors that follow. */
	*added = buffer = plan_add_buffer(plan, name);
	skip_spaces(c);
	where = c->at;
	if (!need_bytes(c, "a size", SIZE_MAX / 2, &buffer->size))
		return false;
	return buffer->size || error_at(c, where, "a size cannot be 0");
}

static bool parse_buffer(struct plan *plan, struct cursor *c)
{
	struct plan_buffer *buffer;

	return parse_memory(plan, c, &buffer) && parse_contents(plan, c, buffer);
}

/* Reads the name of a tensor map behind "tensor:". */
static bool parse_tensor_name(struct plan *plan, struct cursor *c, unsigned int *tensor)
{
	struct span name;
	int index;

	if (!need_name(c, "a tensor map", &name))
		return false;
	index = names_need(&plan->tensor_names, c, "tensor map", name);
	*tensor = index;
	return index >= 0;
}

static bool parse_variable(struct plan *plan, struct cursor *c)
{
	static const char prefix[] = "tensor:";
	struct plan_buffer *buffer;

	if (!parse_memory(plan, c, &buffer))
		return false;
	buffer->variable = true;
	skip_spaces(c);
	if (strncmp(c->at, prefix, strlen(prefix)))
		return parse_contents(plan, c, buffer);
	if (buffer->size != CUDA_MAP_BYTES)
		return error_at(c, c->at, "a tensor map has 128 bytes");
	c->at += strlen(prefix);
	buffer->fill = FILL_TENSOR_MAP;
	return parse_tensor_name(plan, c, &buffer->tensor);
}

static bool parse_tensor(struct plan *plan, struct cursor *c)
{
	struct tensor_text text = { };
	struct plan_tensor *tensor;
	struct span name;
	int buffer;

	if (!need_name(c, "the tensor map's name", &name) ||
	    !names_need_new(&plan->tensor_names, c, "tensor map", name) ||
	    !names_need_new(&plan->buffer_names, c, "buffer", name))
		return false;
	tensor = plan_add_tensor(plan, name, c->line);
	text.tensor = &tensor->tensor;
	if (!need_name(c, "a buffer", &name))
		return false;
	buffer = names_need(&plan->buffer_names, c, "buffer", name);
	if (buffer < 0)
		return false;
	tensor->tensor.buffer = buffer;
	if (!parse_tensor_head(plan, c, 0, &text))
		return false;
	while (!at_end(c)) {
		const char *where = c->at;
		unsigned int word;

		if (!need_choice(c, tensor_words + 1, TENSOR_WORDS - 1, &word) ||
		    !parse_tensor_key(c, where, word + 1, false, &text))
			return false;
	}
	return tensor_complete(c, &text);
}

/* --- launches ------------------------------------------------------------- */

/* More bytes than the parameters of a kernel have in any version of PTX */
#define MAX_PARAMS (64 << 10)

/* Reads +OFFSET behind the name of a buffer. */
static bool parse_offset(struct plan *plan, struct cursor *c, struct place *place)
{
	const struct plan_buffer *buffer = &plan->buffers[place->buffer];
	const char *where = c->at;

	if (!take(c, '+'))
		return true;
	if (!need_bytes(c, "an offset", UINT64_MAX, &place->offset))
		return false;
	return place->offset <= buffer->size || !buffer->size ||
	       error_at(c, where, "the offset is larger than the buffer");
}

static bool parse_place(struct plan *plan, struct cursor *c, struct span name, struct place *place)
{
	int buffer = names_need(&plan->buffer_names, c, "buffer", name);

	if (buffer < 0)
		return false;
	place->buffer = buffer;
	return parse_offset(plan, c, place);
}

static bool parse_simple_arg(struct plan *plan, struct cursor *c, struct plan_arg *arg)
{
	struct span word;
	int tensor;

	skip_spaces(c);
	if (!need_name(c, "an argument: a buffer, TYPE:NUMBER or tensor:NAME", &word))
		return false;
	if (!take(c, ':')) {
		arg->kind = ARG_POINTER;
		tensor = names_find(&plan->tensor_names, word);
		if (tensor >= 0)
			return error_at(c, word.text, "write tensor:%.*s for the tensor map",
					(int)word.length, word.text);
		return parse_place(plan, c, word, &arg->place);
	}
	if (!span_is(word, "tensor")) {
		arg->kind = ARG_NUMBER;
		c->at = word.text;
		return need_value_type(c, &arg->type) && need(c, ':') &&
		       need_value(c, arg->type, &arg->bits);
	}
	arg->kind = ARG_TENSOR;
	return parse_tensor_name(plan, c, &arg->tensor);
}

/* Reads the name of a file, which ends at a comma or brace, and the contents of the file. */
static bool parse_bytes(struct plan *plan, struct cursor *c, struct plan_arg *member)
{
	struct cursor word;
	char *name, *path;

	member->kind = ARG_BYTES;
	skip_spaces(c);
	word = *c;
	for (word.end = c->at; word.end < c->end && !memchr(",}", *word.end, 2);)
		word.end++;
	if (!need_file(&word, 0, &name))
		return false;
	path = relative_path(plan, name);
	member->bytes = file_read(path, MAX_PARAMS, &member->size);
	if (!member->bytes)
		error_at(c, c->at, "%s: %s", path, strerror(errno));
	c->at = word.at;
	free(path);
	free(name);
	return member->bytes;
}

/* Reads a member behind its offset. */
static bool parse_member(struct plan *plan, struct cursor *c, struct plan_arg *member)
{
	struct cursor ahead = *c;

	if (!span_is(take_word(&ahead), "bytes") || !take(&ahead, ':'))
		return parse_simple_arg(plan, c, member);
	*c = ahead;
	return parse_bytes(plan, c, member);
}

/*
 * Reads the members of a structure behind its brace. A member without an offset is at the next
 * multiple of its alignment.
 */
static bool parse_struct(struct plan *plan, struct cursor *c, struct plan_arg *arg)
{
	size_t align = 1, next = 0, bytes;

	arg->kind = ARG_STRUCT;
	do {
		struct plan_arg *member = plan_add_member(arg);
		bool placed = at_number(c);

		member->line = c->line;
		member->column = column_of(c, c->at);
		if (placed && (!need_bytes(c, "an offset", MAX_PARAMS, &member->offset) ||
			       !need(c, '=')))
			return false;
		if (!parse_member(plan, c, member))
			return false;
		bytes = plan_member_align(member);
		align = bytes > align ? bytes : align;
		if (!placed)
			member->offset = (next + bytes - 1) / bytes * bytes;
		arg->placed |= placed;
		next = member->offset + plan_member_size(member);
	} while (take(c, ','));
	arg->size = (next + align - 1) / align * align;
	return need(c, '}');
}

static bool parse_arg(struct plan *plan, struct cursor *c, struct plan_arg *arg)
{
	skip_spaces(c);
	arg->line = c->line;
	arg->column = column_of(c, c->at);
	return take(c, '{') ? parse_struct(plan, c, arg) : parse_simple_arg(plan, c, arg);
}

static bool parse_args(struct plan *plan, struct cursor *c, struct plan_launch *launch)
{
	if (at_end(c))
		return true;
	do {
		if (!parse_arg(plan, c, plan_add_arg(launch)))
			return false;
	} while (take(c, ','));
	return true;
}

enum {
	GRID, BLOCK, CLUSTER, SMEM, COOPERATIVE, POLICY, ENFORCE, LIMIT, ARGS,
};

static const char *const launch_words[] = {
	[GRID] = "grid",
	[BLOCK] = "block",
	[CLUSTER] = "cluster",
	[SMEM] = "smem",
	[COOPERATIVE] = "cooperative",
	[POLICY] = "policy",
	[ENFORCE] = "enforce",
	[LIMIT] = "limit",
	[ARGS] = "args",
};

static bool parse_launch_value(struct plan *plan, struct cursor *c, unsigned int word,
			       struct plan_launch *launch)
{
	struct vsm_ptx_config *config = &launch->config;
	unsigned int policy;
	uint64_t smem;

	switch (word) {
	case GRID:
		return need_dimensions(c, "grid", config->grid);
	case BLOCK:
		return need_dimensions(c, "block", config->block);
	case CLUSTER:
		return need_dimensions(c, "cluster", config->cluster);
	case SMEM:
		if (!need_bytes(c, "smem", UINT32_MAX, &smem))
			return false;
		config->smem_bytes = smem;
		return true;
	case COOPERATIVE:
		config->cooperative = true;
		return true;
	case POLICY:
		if (!need_policy(c, &policy))
			return false;
		config->policy = policy;
		launch->policy_given = true;
		return true;
	case ENFORCE:
		return need_rules(c, &config->enforce);
	case LIMIT:
		return need_time(c, "limit", &config->time_limit_ns);
	default:
		return parse_args(plan, c, launch);
	}
}

static bool parse_launch(struct plan *plan, struct cursor *c)
{
	bool given[ARRAY_SIZE(launch_words)] = { };
	struct plan_launch *launch;
	struct span name;

	launch = &plan_add_step(plan, STEP_LAUNCH, c->line)->launch;
	if (!need_name(c, "the kernel's name", &name))
		return false;
	launch->column = column_of(c, name.text);
	launch->kernel = must(strndup(name.text, name.length));
	while (!at_end(c)) {
		const char *where = c->at;
		unsigned int word;

		if (given[ARGS])
			return need_end(c);
		if (!need_choice(c, launch_words, ARRAY_SIZE(launch_words), &word))
			return false;
		if (given[word])
			return error_at(c, where, "%s is given twice", launch_words[word]);
		given[word] = true;
		if (!parse_launch_value(plan, c, word, launch))
			return false;
	}
	return true;
}

static bool parse_expectation(struct plan *plan, struct cursor *c)
{
	struct plan_launch *launch = plan_last_launch(plan);

	if (!launch)
		return error_at(c, c->start, "there is no launch before this line");
	return parse_launch_expect(c, &launch->expect);
}

/* --- outputs -------------------------------------------------------------- */

static bool parse_write(struct plan *plan, struct cursor *c)
{
	struct plan_output output = { };
	struct span name;

	if (!need_name(c, "a buffer", &name) || !parse_place(plan, c, name, &output.place) ||
	    !need_file(c, 0, &output.file))
		return false;
	plan_add_step(plan, STEP_OUTPUT, c->line)->output = output;
	return true;
}

static bool parse_print(struct plan *plan, struct cursor *c)
{
	struct plan_output output = { .type = value_type_find((struct span){ "u32", 3 }) };
	const struct plan_buffer *buffer;
	const char *where;
	struct span name;

	if (!need_name(c, "a buffer", &name) || !parse_place(plan, c, name, &output.place))
		return false;
	skip_spaces(c);
	where = c->at;
	if (!need_bytes(c, "a count", UINT64_MAX / 8, &output.count) ||
	    (!at_end(c) && !need_value_type(c, &output.type)))
		return false;
	buffer = &plan->buffers[output.place.buffer];
	if (buffer->size && output.count * output.type->bytes > buffer->size - output.place.offset)
		return error_at(c, where, "the buffer does not have so many elements");
	plan_add_step(plan, STEP_OUTPUT, c->line)->output = output;
	return true;
}

/* --- files ---------------------------------------------------------------- */

static const struct {
	const char *word;
	bool (*parse)(struct plan *plan, struct cursor *c);
} statements[] = {
	{ "module", parse_module },
	{ "buffer", parse_buffer },
	{ "variable", parse_variable },
	{ "tensor", parse_tensor },
	{ "launch", parse_launch },
	{ "expect", parse_expectation },
	{ "write", parse_write },
	{ "print", parse_print },
};

static bool parse_statement(struct plan *plan, struct cursor *c)
{
	const char *words[ARRAY_SIZE(statements)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(statements); i++)
		words[i] = statements[i].word;
	return need_choice(c, words, ARRAY_SIZE(words), &i) && statements[i].parse(plan, c) &&
	       need_end(c);
}

/* By default the module is the file of the same name with .ptx. */
static void set_module(struct plan *plan, struct errors *errors)
{
	const char *dot = strrchr(plan->path, '.');

	if (plan->module)
		return;
	if (!dot || strcmp(dot, ".launch"))
		error_add(errors, 0, 0, "the launch file needs a module statement");
	else if (asprintf(&plan->module, "%.*s.ptx", (int)(dot - plan->path), plan->path) < 0)
		must(NULL);
}

void read_launch_file(struct plan *plan, const char *text, size_t size, struct errors *errors)
{
	const char *at = text, *end = text + size;
	const char *slash = strrchr(plan->path, '/');
	unsigned int line = 0;

	plan->from_file = true;
	plan->folder = must(strndup(plan->path, slash ? slash + 1 - plan->path : 0));
	while (at < end && errors->count < MAX_ERRORS) {
		const char *newline = memchr(at, '\n', end - at) ?: end;
		struct cursor c = { .errors = errors, .line = ++line, .start = at, .at = at };

		c.end = memchr(at, '#', newline - at) ?: newline;
		trim(&c);
		if (!at_end(&c))
			parse_statement(plan, &c);
		at = newline + 1;
	}
	if (!errors->count && !plan->launch_count)
		error_add(errors, line + 1, 1, "the file launches nothing");
	if (!errors->count)
		set_module(plan, errors);
}
