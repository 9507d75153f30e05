// SPDX-License-Identifier: MIT
/* A session: a context with the module and the buffers of a plan, in which its steps run. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "colour.h"
#include "launch/plan.h"
#include "launch/session.h"
#include "vm.h"

/* --- does the plan fit its module? ---------------------------------------- */

/* A check of a plan */
struct check {
	struct plan *plan;
	const struct vsm_ptx_module *module;
	struct errors errors;
};

/* --- kernels -------------------------------------------------------------- */

static void report_unknown_kernel(struct check *check, unsigned int line,
				  const struct plan_launch *launch)
{
	struct nearest nearest = { .word = { launch->kernel, strlen(launch->kernel) } };
	struct vsm_ptx_kernel kernel;
	char hint[MEANT_SIZE];
	uint32_t i;

	for (i = 0; !vsm_ptx_kernel_info(check->module, i, &kernel); i++)
		nearest_try(&nearest, kernel.name);
	error_add(&check->errors, line, launch->column, "%s has no kernel '%s'%s",
		  check->plan->module, launch->kernel, meant(&nearest, "", hint));
}

static bool find_kernel(struct check *check, unsigned int line, struct plan_launch *launch)
{
	uint32_t count = vsm_ptx_kernel_count(check->module);

	if (launch->kernel) {
		if (!vsm_ptx_kernel_find(check->module, launch->kernel, &launch->index))
			return true;
		report_unknown_kernel(check, line, launch);
		return false;
	}
	launch->index = 0;
	if (count == 1)
		return true;
	if (count)
		error_add(&check->errors, line, launch->column,
			  "%s has %u kernels: name one (--list lists them)", check->plan->module,
			  count);
	else
		error_add(&check->errors, line, launch->column, "%s has no kernel",
			  check->plan->module);
	return false;
}

/* --- arguments ------------------------------------------------------------ */

static bool is_float(const struct vsm_ptx_param *param)
{
	return param->type[0] == 'f';
}

/* A structure is an array of bytes in PTX. Is the parameter none because it has one element? */
static bool is_scalar(const struct vsm_ptx_param *param)
{
	const struct value_type *type;

	type = value_type_find((struct span){ param->type, strlen(param->type) });
	return type && type->bytes > 1 && param->size == type->bytes;
}

/* Returns what is wrong with an argument; NULL if nothing is. */
static const char *find_mistake(const struct plan_arg *arg, const struct vsm_ptx_param *param)
{
	switch (arg->kind) {
	case ARG_POINTER:
		return param->size == 8 && !is_float(param) ? NULL : "a pointer has 8 bytes";
	case ARG_TENSOR:
		return param->size == 128 ? NULL : "a tensor map has 128 bytes";
	case ARG_STRUCT:
		if (is_scalar(param))
			return "it is no structure";
		return arg->placed || param->size == arg->size ? NULL : "the sizes differ";
	default:
		if (param->size != arg->type->bytes)
			return "the sizes differ";
		if (is_float(param) && arg->type->kind != VALUE_FLOAT &&
		    arg->type->kind != VALUE_BITS)
			return "an integer is no floating-point number";
		if ((param->type[0] == 'u' || param->type[0] == 's') &&
		    arg->type->kind == VALUE_FLOAT)
			return "a floating-point number is no integer";
		return NULL;
	}
}

static const char *kind_of(const struct plan_arg *arg)
{
	switch (arg->kind) {
	case ARG_POINTER:
		return "a buffer";
	case ARG_TENSOR:
		return "a tensor map";
	case ARG_STRUCT:
		return "a structure";
	case ARG_BYTES:
		return "a file";
	default:
		return arg->type->name;
	}
}

/* Adds an error about a member of a structure. */
static void __attribute__((format(printf, 5, 6)))
report_member(struct check *check, const struct plan_arg *member,
	      const struct vsm_ptx_kernel *kernel, const struct vsm_ptx_param *param,
	      const char *format, ...)
{
	va_list values;
	char *text;

	va_start(values, format);
	if (vasprintf(&text, format, values) < 0)
		must(NULL);
	va_end(values);
	error_add(&check->errors, member->line, member->column,
		  "parameter %s of %s: %s at offset %" PRIu64 " %s", param->name, kernel->name,
		  kind_of(member), member->offset, text);
	free(text);
}

/* Checks the member with this index. Returns whether nothing is wrong with it. */
static bool check_member(struct check *check, const struct plan_arg *arg, size_t index,
			 const struct vsm_ptx_kernel *kernel, const struct vsm_ptx_param *param)
{
	const struct plan_arg *member = &arg->members[index], *before;
	uint64_t align = plan_member_align(member), end = member->offset + plan_member_size(member);

	if (end > param->size) {
		report_member(check, member, kernel, param,
			      "ends at byte %" PRIu64 ", and the parameter has %u", end,
			      param->size);
		return false;
	}
	if ((param->offset + member->offset) % align) {
		report_member(check, member, kernel, param,
			      "is not at a multiple of %" PRIu64 " bytes%s", align,
			      param->offset % align ? ": the parameter is not either" : "");
		return false;
	}
	for (before = arg->members; before < member; before++) {
		/* Members behind a file replace its bytes. */
		if (before->kind == ARG_BYTES || before->offset >= end ||
		    before->offset + plan_member_size(before) <= member->offset)
			continue;
		report_member(check, member, kernel, param, "overlaps %s at offset %" PRIu64,
			      kind_of(before), before->offset);
		return false;
	}
	return true;
}

static void check_arg(struct check *check, unsigned int number, const struct plan_arg *arg,
		      const struct vsm_ptx_kernel *kernel, const struct vsm_ptx_param *param)
{
	const char *mistake = find_mistake(arg, param);
	size_t i;

	for (i = 0; !mistake && i < arg->member_count; i++)
		if (!check_member(check, arg, i, kernel, param))
			break;
	if (mistake)
		error_add(&check->errors, arg->line, arg->column,
			  "argument %u of %s is %s, but parameter %s is .%s of %u byte%s: %s",
			  number + 1, kernel->name, kind_of(arg), param->name, param->type,
			  param->size, param->size == 1 ? "" : "s", mistake);
}

static void check_args(struct check *check, unsigned int line, const struct plan_launch *launch)
{
	struct vsm_ptx_kernel kernel;
	struct vsm_ptx_param param;
	uint32_t i;

	if (vsm_ptx_kernel_info(check->module, launch->index, &kernel))
		return;
	if (launch->arg_count != kernel.param_count)
		error_add(&check->errors, line, launch->column,
			  "%s has %u parameter%s; %zu argument%s given", kernel.name,
			  kernel.param_count, kernel.param_count == 1 ? "" : "s",
			  launch->arg_count, launch->arg_count == 1 ? " is" : "s are");
	for (i = 0; i < kernel.param_count && i < launch->arg_count; i++)
		if (!vsm_ptx_kernel_param(check->module, launch->index, i, &param))
			check_arg(check, i, &launch->args[i], &kernel, &param);
}

/* By default a CTA has the threads that its kernel requires. */
static void set_block(const struct check *check, struct plan_launch *launch)
{
	struct vsm_ptx_kernel kernel;

	if (!launch->config.block[0] &&
	    !vsm_ptx_kernel_info(check->module, launch->index, &kernel))
		memcpy(launch->config.block, kernel.reqntid, sizeof(kernel.reqntid));
}

/*
 * Finds the kernel of each launch, and sets &plan_launch.index. Checks the number, kinds and sizes
 * of the arguments. Errors are written to standard error. Returns whether there was none.
 */
static bool plan_check(struct plan *plan, const struct vsm_ptx_module *module)
{
	struct check check = {
		.plan = plan,
		.module = module,
		.errors = { .path = plan->from_file ? plan->path : "vsm: launch", .out = stderr },
	};
	size_t i;

	for (i = 0; i < plan->step_count; i++) {
		struct plan_launch *launch = &plan->steps[i].launch;

		if (plan->steps[i].kind != STEP_LAUNCH ||
		    !find_kernel(&check, plan->steps[i].line, launch))
			continue;
		check_args(&check, plan->steps[i].line, launch);
		set_block(&check, launch);
	}
	return !check.errors.count;
}

/* --- contents of buffers -------------------------------------------------- */

#define PER_LINE 8

/* Prints elements at @memory to @out. @name is the name of the buffer. */
static void print_output(FILE *out, const struct plan_output *output, const char *name,
			 const void *memory)
{
	const char *at = memory;
	uint64_t i;

	for (i = 0; i < output->count; i++, at += output->type->bytes) {
		if (i % PER_LINE == 0)
			fprintf(out, "%s%s[%" PRIu64 "]:", i ? "\n" : "", name, i);
		fputc(' ', out);
		print_value(out, output->type, at);
	}
	fputc('\n', out);
}

/*
 * Writes @size bytes to the file of the output. In a virtual machine that `vsm launch --vm` has
 * started, leaves them where the caller of the virtual machine finds them; @number is different for
 * each output. Returns 0 or a negative errno.
 */
static int write_output(const struct plan_output *output, size_t number, const void *memory,
			uint64_t size)
{
	char *path = vm_output_path(output->file, number);
	FILE *file = fopen(path, "we");
	const char *from = memory;
	char chunk[64 << 10];
	int err = 0;

	free(path);
	if (!file)
		return -errno;
	errno = 0;
	/* 9p needs pages, and the mapping of a buffer has none: write a copy. */
	while (size && !err) {
		size_t part = size < sizeof(chunk) ? size : sizeof(chunk);

		memcpy(chunk, from, part);
		if (fwrite(chunk, 1, part, file) != part)
			err = -errno ?: -EIO;
		from += part;
		size -= part;
	}
	if (fclose(file) && !err)
		err = -errno ?: -EIO;
	return err;
}

/* --- waiting -------------------------------------------------------------- */

#define MS ((int64_t)1000000)

/* Time between two looks for a signal. */
#define SLICE (50 * MS)
/* Age of the command at the first line of progress, and time between two lines. */
#define FIRST_LINE (2000 * MS)
#define NEXT_LINE (500 * MS)

static volatile sig_atomic_t caught;

static void note_signal(int number)
{
	caught = number;
}

void catch_signals(void)
{
	const struct sigaction action = { .sa_handler = note_signal, .sa_flags = SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

int caught_signal(void)
{
	return caught;
}

void progress_begin(struct progress *progress)
{
	progress->shown = isatty(STDERR_FILENO);
	progress->since = time_now();
	progress->next = progress->since + FIRST_LINE;
}

void progress_clear(struct progress *progress)
{
	if (progress->visible)
		fputs("\r\033[K", stderr);
	progress->visible = false;
}

static void show(struct progress *progress, const struct vsm_ptx_result *result)
{
	int64_t now = time_now();

	if (!progress->shown || now < progress->next)
		return;
	progress->next = now + NEXT_LINE;
	progress_clear(progress);
	fprintf(stderr, "%" PRId64 " s, ", (now - progress->since) / (1000 * MS));
	if (progress->last_seed)
		fprintf(stderr, "seed %" PRIu64 " of %" PRIu64 ", ", progress->seed,
			progress->last_seed);
	fprintf(stderr, "the kernel runs");
	if (result->thread_insns)
		fprintf(stderr, ", %.3g million instructions of threads",
			result->thread_insns / 1e6);
	progress->visible = true;
}

/* Waits until the launch has ended. Cancels it if a signal arrives. */
static void await_launch(struct vsm_ptx_launch *launch, struct vsm_ptx_result *result,
			 struct progress *progress)
{
	bool cancelled = false;

	while (vsm_ptx_launch_wait(launch, time_now() + SLICE, result)) {
		if (caught && !cancelled) {
			cancelled = true;
			vsm_ptx_launch_cancel(launch);
		}
		show(progress, result);
	}
	progress_clear(progress);
}

/* --- --timeline ----------------------------------------------------------- */

/* A launch, and where its instructions are */
struct launch_names {
	const struct vsm_ptx_launch *launch;
	const char *module;	/* file name of its module, without the folders */
};

/* Writes "pipeline.cu:37, pipeline.ptx:112", and the opcode there. */
static bool write_site(void *data, uint32_t number, FILE *text, FILE *insn)
{
	const struct launch_names *names = data;
	struct vsm_ptx_site site;

	if (vsm_ptx_launch_site(names->launch, number, &site))
		return false;
	if (site.source_file)
		fprintf(text, "%s:%u", base_name(site.source_file), site.source_line);
	if (site.inlined_file)
		fprintf(text, " (inlined %s:%u)", base_name(site.inlined_file), site.inlined_line);
	fprintf(text, "%s%s:%u", site.source_file ? ", " : "", names->module, site.line);
	fprintf(insn, "%.*s", (int)site.insn_length, site.insn);
	return true;
}

/* Returns the names of the variables in shared memory, whose texts are the caller's too. */
static struct trace_name *name_shared(const struct vsm_ptx_launch *launch, size_t *count)
{
	struct trace_name *names = NULL;
	struct vsm_ptx_shared shared;

	for (*count = 0; !vsm_ptx_launch_shared(launch, *count, &shared); ++*count) {
		names = must(reallocarray(names, *count + 1, sizeof(*names)));
		names[*count] = (struct trace_name){
			.offset = shared.offset,
			.size = shared.size,
			.stride = shared.stride,
			.text = must(strndup(shared.name, shared.name_length)),
		};
	}
	return names;
}

/*
 * Names the events of a launch that has ended. @module is the path of its module, @report the
 * report.
 */
static void gather_launch(struct gather *gather, const struct vsm_ptx_launch *launch,
			  const char *module, const char *report)
{
	const struct vsm_cluster_config shape = vsm_ptx_launch_shape(launch);
	struct launch_names names = { .launch = launch, .module = base_name(module) };
	struct gather_program program = {
		.shape = {
			.ctas = shape.ctas,
			.threads = shape.threads,
			.layout = shape.layout,
			.policy = shape.policy,
		},
		.site = write_site,
		.data = &names,
	};
	struct trace_name *shared = name_shared(launch, &program.name_count);
	size_t i;

	program.names = shared;
	gather_end_program(gather, &program, report);
	for (i = 0; i < program.name_count; i++)
		free(shared[i].text);
	free(shared);
}

/* --- beginning and end ---------------------------------------------------- */

static int load_module(struct session *s)
{
	const struct plan *plan = s->plan;
	char *messages = NULL;
	int err;

	err = vsm_ptx_module_load(s->context, plan->module, plan->text, plan->text_size,
				  &s->module, &messages);
	if (err != -EINVAL) {
		free(messages);
		return err ? failed("launch: %s: %s", plan->module, strerror(-err)) : EXIT_OK;
	}
	fflush(stdout);
	fputs(messages ?: "", stderr);
	free(messages);
	return EXIT_USAGE;
}

static int find_variable(struct session *s, unsigned int index)
{
	const struct plan_buffer *buffer = &s->plan->buffers[index];
	const char *name = s->plan->buffer_names.names[index];
	uint64_t size;

	if (vsm_ptx_module_variable(s->module, name, &s->addresses[index], &size))
		return failed("launch: %s has no variable %s", s->plan->module, name);
	if (size != buffer->size)
		return failed("launch: variable %s has %" PRIu64 " bytes, not %" PRIu64, name,
			      size, buffer->size);
	return EXIT_OK;
}

static int create_buffer(struct session *s, unsigned int index)
{
	const struct plan_buffer *buffer = &s->plan->buffers[index];
	int err;

	err = vsm_ptx_memory_alloc(s->context, buffer->size, &s->addresses[index]);
	if (err)
		return failed("launch: buffer %s of %" PRIu64 " bytes: %s",
			      s->plan->buffer_names.names[index], buffer->size, strerror(-err));
	return EXIT_OK;
}

static bool put_tensor_map(struct session *s, unsigned int index, void *to);

static int fill(struct session *s, unsigned int index)
{
	const struct plan_buffer *buffer = &s->plan->buffers[index];
	void *memory;

	memory = vsm_ptx_memory_map(s->context, s->addresses[index], buffer->size);
	if (!memory)
		return failed("launch: buffer %s cannot be mapped",
			      s->plan->buffer_names.names[index]);
	if (buffer->fill == FILL_TENSOR_MAP)
		return put_tensor_map(s, buffer->tensor, memory) ? EXIT_OK : EXIT_FAILED;
	fill_buffer(buffer, memory);
	return EXIT_OK;
}

int session_begin(struct session *s)
{
	int err, status;
	size_t i;

	s->context = NULL;
	s->module = NULL;
	s->addresses = must(calloc(s->plan->buffer_names.count + 1, sizeof(*s->addresses)));
	err = vsm_ptx_context_create(s->device, &s->context);
	if (err)
		return failed("launch: %s", strerror(-err));
	status = load_module(s);
	if (status)
		return status;
	if (!plan_check(s->plan, s->module))
		return EXIT_USAGE;
	for (i = 0; i < s->plan->buffer_names.count && !status; i++)
		status = s->plan->buffers[i].variable ? find_variable(s, i) : create_buffer(s, i);
	for (i = 0; i < s->plan->buffer_names.count && !status; i++)
		status = fill(s, i);
	return status;
}

void session_end(struct session *s)
{
	vsm_ptx_module_unload(s->module);
	vsm_ptx_context_destroy(s->context);
	free(s->addresses);
}

/* --- parameters ----------------------------------------------------------- */

/* Notes an error that no launch is expected to have. The caller prints it. */
static void note_error(struct session *s, const char *message)
{
	s->broken = true;
	if (s->result)
		result_fail(s->result, 0, message);
}

static void report_missing_device(struct session *s)
{
	note_error(s, "the launch needs a vsm device, and there is none");
	failed_to_open("launch", s->device_error, true);
}

static bool put_tensor_map(struct session *s, unsigned int index, void *to)
{
	const struct plan_tensor *tensor = &s->plan->tensors[index];
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = { };
	uint64_t address = s->addresses[tensor->tensor.buffer], offset;
	const struct vsm_buffer *buffer;
	const char *reason = "";

	buffer = vsm_ptx_memory_buffer(s->context, address, &offset);
	if (!buffer) {
		report_missing_device(s);
		return false;
	}
	if (__builtin_add_overflow(offset, tensor->tensor.offset, &offset) ||
	    tensor_encode(&tensor->tensor, buffer, offset, &map, &reason)) {
		note_error(s, reason);
		fprintf(s->out, "%s%s%.0d: tensor map %s: %s\n", s->plan->path,
			tensor->line ? ":" : "", tensor->line, s->plan->tensor_names.names[index],
			reason);
		return false;
	}
	return !vsm_tensor_map_to_cuda(&map, address + tensor->tensor.offset, to);
}

static bool put_arg(struct session *s, const struct plan_arg *arg, void *to);

/* Members are no structures, so that this is no deep recursion. */
static bool put_struct(struct session *s, const struct plan_arg *arg, char *to)
{
	size_t i;

	for (i = 0; i < arg->member_count; i++)
		if (!put_arg(s, &arg->members[i], to + arg->members[i].offset))
			return false;
	return true;
}

static bool put_arg(struct session *s, const struct plan_arg *arg, void *to)
{
	uint64_t address;

	switch (arg->kind) {
	case ARG_NUMBER:
		memcpy(to, &arg->bits, arg->type->bytes);
		return true;
	case ARG_POINTER:
		address = s->addresses[arg->place.buffer] + arg->place.offset;
		memcpy(to, &address, sizeof(address));
		return true;
	case ARG_STRUCT:
		return put_struct(s, arg, to);
	case ARG_BYTES:
		memcpy(to, arg->bytes, arg->size);
		return true;
	default:
		return put_tensor_map(s, arg->tensor, to);
	}
}

/* Returns the parameters of a launch, whose size is @size; NULL if there was an error. */
static void *make_params(struct session *s, const struct plan_launch *launch, uint32_t *size)
{
	struct vsm_ptx_kernel kernel;
	struct vsm_ptx_param param;
	char *params;
	uint32_t i;

	if (vsm_ptx_kernel_info(s->module, launch->index, &kernel))
		return NULL;
	*size = kernel.param_size;
	params = must(calloc(1, kernel.param_size + 1));
	/* plan_check() has compared the sizes of arguments and parameters. */
	for (i = 0; i < launch->arg_count; i++) {
		if (!vsm_ptx_kernel_param(s->module, launch->index, i, &param) &&
		    put_arg(s, &launch->args[i], params + param.offset))
			continue;
		free(params);
		return NULL;
	}
	return params;
}

/* --- launches ------------------------------------------------------------- */

static void print_text(void *data, const char *text, size_t length)
{
	struct session *s = data;

	fwrite(text, 1, length, s->out);
	if (s->printed)
		fwrite(text, 1, length, s->printed);
	/* A kernel that hangs may have printed the reason. */
	if (s->out == stdout)
		fflush(stdout);
}

const char *session_kernel(const struct session *s, const struct plan_launch *launch)
{
	struct vsm_ptx_kernel kernel;

	return vsm_ptx_kernel_info(s->module, launch->index, &kernel) ? "?" : kernel.name;
}

static void print_lines(FILE *out, const char *text)
{
	size_t length = strlen(text);

	colour_write(out, text, length);
	if (length && text[length - 1] != '\n')
		fputc('\n', out);
}

static void print_stats(FILE *out, const char *kernel, const struct vsm_ptx_result *result,
			int64_t ns)
{
	fprintf(out, "%s: %" PRIu64 " instructions of threads, %" PRIu64
		" of warps, %" PRIu64 " calls of the device, %.3f s\n", kernel,
		result->thread_insns, result->warp_insns, result->device_calls, ns / 1e9);
}

/* Compares how the launch ended with what was expected. */
static bool judge(const struct session *s, const struct plan_step *step,
		  const struct ending *ending)
{
	const struct plan_expect *expect = &step->launch.expect;
	char *where;
	bool good;

	print_lines(s->out, ending->report);
	if (*ending->report)
		s->result->report = must(strdup(ending->report));
	if (!ending->refused && ending->result.outcome == VSM_PTX_CANCELLED) {
		fprintf(s->out, "%s: cancelled\n", session_kernel(s, &step->launch));
		result_fail(s->result, step->line, "cancelled");
		return false;
	}
	/* The report of the only launch needs no comment. */
	if (!s->plan->from_file && *ending->report)
		return check_expect(NULL, "", expect, ending, s->plan->module, s->result);
	if (s->plan->from_file) {
		if (asprintf(&where, "%s:%u", s->plan->path, expect->line ?: step->line) < 0)
			must(NULL);
	} else {
		where = must(strdup(session_kernel(s, &step->launch)));
	}
	good = check_expect(s->out, where, expect, ending, s->plan->module, s->result);
	free(where);
	return good;
}

/* The launch could not begin. */
static bool judge_refusal(struct session *s, const struct plan_step *step, int err,
			  const char *messages)
{
	const struct ending ending = { .refused = true, .report = messages ?: "" };

	if (err == -EOPNOTSUPP && !s->device) {
		/* Perhaps the device is all that the launch lacks. */
		print_lines(s->out, ending.report);
		report_missing_device(s);
		return false;
	}
	if (err == -EOPNOTSUPP || err == -EINVAL)
		return judge(s, step, &ending);
	note_error(s, strerror(-err));
	fprintf(s->out, "%s: %s\n", session_kernel(s, &step->launch), strerror(-err));
	return false;
}

static void trace_events(void *data, const struct drm_vsm_trace_event *events, uint32_t count,
			 uint64_t lost)
{
	gather_events(data, events, count, lost);
}

static struct vsm_ptx_config config_of(struct session *s, const struct plan_launch *launch)
{
	struct vsm_ptx_config config = launch->config;

	config.seed = s->seed;
	config.print = print_text;
	config.print_data = s;
	if (s->timeline->path) {
		config.trace = trace_events;
		config.trace_data = s->timeline;
	}
	if (!config.time_limit_ns)
		config.time_limit_ns = s->options->time_limit_ns;
	if (!launch->policy_given && s->options->policy_given)
		config.policy = s->options->policy;
	config.enforce |= s->options->enforce;
	return config;
}

bool session_launch(struct session *s, const struct plan_step *step)
{
	const struct plan_launch *plan = &step->launch;
	struct vsm_ptx_config config = config_of(s, plan);
	int64_t begin = time_now();
	struct vsm_ptx_launch *launch;
	struct ending ending = { };
	char *messages = NULL;
	uint32_t size;
	void *params;
	int64_t ns;
	bool good;
	int err;

	params = make_params(s, plan, &size);
	if (!params)
		return false;
	err = vsm_ptx_launch(s->module, plan->index, &config, params, size, &launch, &messages);
	free(params);
	if (err) {
		good = judge_refusal(s, step, err, messages);
		free(messages);
		return good;
	}
	await_launch(launch, &ending.result, &s->progress);
	ending.report = vsm_ptx_launch_report(launch);
	gather_launch(s->timeline, launch, s->plan->module, ending.report);
	good = judge(s, step, &ending);
	ns = time_now() - begin;
	if (s->options->stats)
		print_stats(s->out, session_kernel(s, plan), &ending.result, ns);
	if (s->options->stats && s->printed)
		print_stats(s->printed, session_kernel(s, plan), &ending.result, ns);
	vsm_ptx_launch_destroy(launch);
	return good;
}

bool session_output(struct session *s, const struct plan_step *step)
{
	const struct plan_output *output = &step->output;
	unsigned int buffer = output->place.buffer;
	uint64_t size = s->plan->buffers[buffer].size - output->place.offset;
	const void *memory;
	int err;

	memory = vsm_ptx_memory_map(s->context, s->addresses[buffer] + output->place.offset, size);
	if (!memory)
		return true;
	if (!output->file) {
		print_output(s->out, output, s->plan->buffer_names.names[buffer], memory);
		if (s->printed)
			print_output(s->printed, output, s->plan->buffer_names.names[buffer],
				     memory);
		return true;
	}
	err = write_output(output, step - s->plan->steps, memory, size);
	if (!err)
		return true;
	/* Later launches do not need the file. */
	if (s->result)
		result_fail(s->result, 0, "a file cannot be written");
	failed("launch: %s: %s", output->file, strerror(-err));
	return false;
}
