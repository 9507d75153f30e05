/* SPDX-License-Identifier: MIT */
/*
 * A plan: the buffers, tensor maps and launches that a launch file or a command line describes.
 */
#ifndef _LAUNCH_PLAN_H_
#define _LAUNCH_PLAN_H_

#include <vsm_ptx.h>

#include "launch/value.h"
#include "names.h"
#include "tensormap.h"

/** enum fill - What a buffer contains before the first launch */
enum fill {
	FILL_ZERO,
	FILL_IOTA,
	FILL_IOTAF,
	FILL_RANDOM,
	FILL_RANDOMF,
	FILL_BYTES,
	FILL_TENSOR_MAP,
};

/**
 * struct plan_buffer - A buffer
 * @size: Bytes
 * @fill: What it contains at first
 * @seed: Seed of random contents
 * @bytes: Contents from a file, for FILL_BYTES. Zeros follow
 * @byte_count: Bytes of @bytes
 * @tensor: Index of the tensor map, for FILL_TENSOR_MAP
 * @variable: It is a variable of the module, which keeps its initial value unless there is a fill
 */
struct plan_buffer {
	uint64_t size;
	enum fill fill;
	uint64_t seed;
	char *bytes;
	size_t byte_count;
	unsigned int tensor;
	bool variable;
};

/**
 * struct plan_tensor - A tensor map
 * @tensor: The tensor. Its buffer is an index of &plan.buffers
 * @line: Line of the statement
 */
struct plan_tensor {
	struct tensor tensor;
	unsigned int line;
};

/**
 * struct place - A place in a buffer
 * @buffer: Index of the buffer
 * @offset: Byte offset
 */
struct place {
	unsigned int buffer;
	uint64_t offset;
};

/** enum arg_kind - Kinds of arguments */
enum arg_kind {
	ARG_NUMBER,
	ARG_POINTER,
	ARG_TENSOR,
	ARG_STRUCT,
};

/**
 * struct plan_arg - An argument of a kernel
 * @kind: Kind
 * @line: Line of the argument
 * @column: Column of the argument
 * @type: Type of a number
 * @bits: A number
 * @place: Where a pointer points
 * @tensor: Index of a tensor map
 * @members: Numbers and pointers that a structure consists of, in order
 * @member_count: Number of members
 * @size: Size of a structure in bytes
 */
struct plan_arg {
	enum arg_kind kind;
	unsigned int line;
	unsigned int column;
	const struct value_type *type;
	uint64_t bits;
	struct place place;
	unsigned int tensor;
	struct plan_arg *members;
	size_t member_count;
	size_t size;
};

/**
 * struct plan_expect - How a launch is expected to end
 * @line: Line of the first expectation; 0 if there is none
 * @outcome: Outcome, VSM_PTX_DONE, VSM_PTX_FAULT or VSM_PTX_HANG
 * @given: An expectation names the outcome
 * @refused: The launch is refused. @outcome has no meaning
 * @fault: &enum drm_vsm_fault; 0 if any fault will do
 * @file: Source file; NULL if any place will do
 * @source_line: Line in @file
 * @texts: Texts that the report contains
 * @text_count: Number of these texts
 */
struct plan_expect {
	unsigned int line;
	enum vsm_ptx_outcome outcome;
	bool given;
	bool refused;
	uint64_t fault;
	char *file;
	uint64_t source_line;
	char **texts;
	size_t text_count;
};

/**
 * struct plan_launch - A launch
 * @kernel: Name of the kernel; NULL for the only kernel of the module
 * @column: Column of the name
 * @config: Its configuration, without the seed
 * @policy_given: The launch names its policy
 * @args: Arguments
 * @arg_count: Number of arguments
 * @expect: How it is expected to end
 * @index: Number of the kernel, set by plan_check()
 */
struct plan_launch {
	char *kernel;
	unsigned int column;
	struct vsm_ptx_config config;
	bool policy_given;
	struct plan_arg *args;
	size_t arg_count;
	struct plan_expect expect;
	uint32_t index;
};

/**
 * struct plan_output - What is written or printed of a buffer
 * @place: First byte
 * @file: File to which it is written; NULL to print it
 * @count: Number of printed elements
 * @type: Type of printed elements
 */
struct plan_output {
	struct place place;
	char *file;
	uint64_t count;
	const struct value_type *type;
};

/** enum step_kind - Kinds of steps */
enum step_kind {
	STEP_LAUNCH,
	STEP_OUTPUT,
};

/**
 * struct plan_step - A step of a plan
 * @kind: Kind
 * @line: Line of the statement; 0 on the command line
 * @launch: A launch
 * @output: An output
 */
struct plan_step {
	enum step_kind kind;
	unsigned int line;
	union {
		struct plan_launch launch;
		struct plan_output output;
	};
};

/**
 * struct plan - A plan
 * @path: Path of the launch file; of the PTX file, if there is no launch file
 * @from_file: There is a launch file
 * @folder: Folder to which names of files in the launch file are relative
 * @module: Path of the PTX file; NULL if it could not be determined
 * @text: Contents of the PTX file; NULL until it is read
 * @text_size: Bytes of @text
 * @buffer_names: Names of the buffers
 * @buffers: Buffers
 * @tensor_names: Names of the tensor maps
 * @tensors: Tensor maps
 * @steps: Steps
 * @step_count: Number of steps
 * @launch_count: Number of steps that are launches
 */
struct plan {
	char *path;
	bool from_file;
	char *folder;
	char *module;
	char *text;
	size_t text_size;
	struct names buffer_names;
	struct plan_buffer *buffers;
	struct names tensor_names;
	struct plan_tensor *tensors;
	struct plan_step *steps;
	size_t step_count;
	unsigned int launch_count;
};

struct plan *plan_create(const char *path);
void plan_free(struct plan *plan);

/* Appends a buffer of this name, which must be new, and returns it. */
struct plan_buffer *plan_add_buffer(struct plan *plan, struct span name);
/* Appends a tensor map of this name, which must be new, and returns it. */
struct plan_tensor *plan_add_tensor(struct plan *plan, struct span name, unsigned int line);
/* Appends a step and returns it. */
struct plan_step *plan_add_step(struct plan *plan, enum step_kind kind, unsigned int line);
/* Appends an empty argument and returns it. */
struct plan_arg *plan_add_arg(struct plan_launch *launch);
struct plan_arg *plan_add_member(struct plan_arg *arg);
/* Bytes of a number or pointer. Its alignment is the same. */
size_t plan_member_size(const struct plan_arg *member);
/* Returns the last launch; NULL if there is none. */
struct plan_launch *plan_last_launch(struct plan *plan);

#endif
