/* SPDX-License-Identifier: MIT */
/*
 * A plan: the buffers, tensor maps and launches that a launch file or a command line describes.
 */
#ifndef _LAUNCH_PLAN_H_
#define _LAUNCH_PLAN_H_

#include <stdio.h>
#include <vsm_ptx.h>

#include "names.h"
#include "results/results.h"
#include "tensormap.h"
#include "vsm_syntax.h"

/* --- values --------------------------------------------------------------- */

/** enum value_kind - What the bits of a value mean */
enum value_kind {
	VALUE_UNSIGNED,
	VALUE_SIGNED,
	VALUE_BITS,
	VALUE_FLOAT,
};

/**
 * struct value_type - A type of numbers
 * @name: Name
 * @bytes: Bytes
 * @kind: What the bits mean
 */
struct value_type {
	const char *name;
	unsigned int bytes;
	enum value_kind kind;
};

/* Returns the type of this name; NULL if there is none. */
const struct value_type *value_type_find(struct span name);
/* Reads the name of a type. */
bool need_value_type(struct cursor *c, const struct value_type **type);
/* Reads a number of this type. Sets @bits to its bits. */
bool need_value(struct cursor *c, const struct value_type *type, uint64_t *bits);
/* Prints the number of this type at @at. */
void print_value(FILE *out, const struct value_type *type, const void *at);

/* Reads a number that may end with K, M or G, which stand for 2^10, 2^20 and 2^30. */
bool need_bytes(struct cursor *c, const char *what, uint64_t max, uint64_t *bytes);
/* Reads X, X,Y or X,Y,Z, which must not be 0. The others become 1. */
bool need_dimensions(struct cursor *c, const char *what, uint32_t dimensions[3]);
/* Reads a time with its unit, such as 10s. Sets @ns to nanoseconds. */
bool need_time(struct cursor *c, const char *what, uint64_t *ns);
/* Reads strict or hardware. */
bool need_policy(struct cursor *c, unsigned int *policy);
/*
 * Reads the name of a file: all characters up to @stop, or up to a space if @stop is 0. Sets @name
 * to a copy, which the caller frees.
 */
bool need_file(struct cursor *c, char stop, char **name);

/* --- plans ---------------------------------------------------------------- */

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

/* --- contents of buffers -------------------------------------------------- */

/* Number of fills that need no file. */
#define FILL_WORDS FILL_BYTES

/* The words for the fills, by &enum fill. The last one is for FILL_BYTES. */
extern const char *const fill_names[FILL_WORDS + 1];

/* Reads contents from a file, which must fit into the buffer. @where is used in errors. */
bool read_contents(const struct cursor *c, const char *where, const char *path,
		   struct plan_buffer *buffer);
/* Writes the contents of the buffer to @memory, which contains zeros. */
void fill_buffer(const struct plan_buffer *buffer, void *memory);

/* --- tensor maps ---------------------------------------------------------- */

#define TENSOR_WORDS (TENSOR_KEYS + 2)

/* The words for the keys. There is none for the type, which has its own place. */
extern const char *const tensor_words[TENSOR_WORDS];

/*
 * Reads the type of the elements. @text->tensor is set.
 */
bool parse_element_type(struct cursor *c, struct tensor_text *text);
/* Reads the value of a key; with @equal there must be = before it. @where is the key. */
bool parse_tensor_key(struct cursor *c, const char *where, unsigned int key, bool equal,
		      struct tensor_text *text);

/* --- expectations --------------------------------------------------------- */

/**
 * struct ending - How a launch ended
 * @refused: It was refused. Only @report is valid
 * @result: Result of the launch
 * @report: Report, or why it was refused
 */
struct ending {
	bool refused;
	struct vsm_ptx_result result;
	const char *report;
};

/* Reads an expectation behind the word expect, and adds it to @expect. */
bool parse_launch_expect(struct cursor *c, struct plan_expect *expect);
/*
 * Compares how a launch of a kernel in the PTX file @module ended with what was expected. Writes
 * what differs to @out, if that is not NULL, where @where begins each line, and to @result. Returns
 * whether nothing differs.
 */
bool check_expect(FILE *out, const char *where, const struct plan_expect *expect,
		  const struct ending *ending, const char *module, struct result *result);

#endif
