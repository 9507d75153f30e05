/* SPDX-License-Identifier: MIT */
/* A plan: the buffers, tensor maps and launches that a launch file or a command line describes. */
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

/* A type of numbers */
struct value_type {
	const char *name;
	unsigned int bytes;
	enum value_kind kind;	/* what the bits mean */
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

/* A buffer */
struct plan_buffer {
	uint64_t size;		/* bytes */
	enum fill fill;		/* what it contains at first */
	uint64_t seed;		/* seed of random contents */
	char *bytes;		/* Contents from a file, for FILL_BYTES. Zeros follow. */
	size_t byte_count;	/* bytes of @bytes */
	unsigned int tensor;	/* index of the tensor map, for FILL_TENSOR_MAP */
	/* It is a variable of the module, which keeps its initial value unless there is a fill */
	bool variable;
};

/* A tensor map */
struct plan_tensor {
	struct tensor tensor;	/* The tensor. Its buffer is an index of plan.buffers. */
	unsigned int line;	/* line of the statement */
};

/* A place in a buffer */
struct place {
	unsigned int buffer;	/* index of the buffer */
	uint64_t offset;	/* byte offset */
};

/** enum arg_kind - Kinds of arguments */
enum arg_kind {
	ARG_NUMBER,
	ARG_POINTER,
	ARG_TENSOR,
	ARG_STRUCT,
	ARG_BYTES,
};

/* An argument of a kernel */
struct plan_arg {
	enum arg_kind kind;
	unsigned int line;		/* line of the argument */
	unsigned int column;		/* column of the argument */
	const struct value_type *type;	/* type of a number */
	uint64_t bits;			/* a number */
	struct place place;		/* where a pointer points */
	unsigned int tensor;		/* index of a tensor map */
	struct plan_arg *members;	/* what a structure consists of, but no structures */
	size_t member_count;		/* number of members */
	size_t size;			/* bytes of a structure, or of @bytes */
	/* The offset of a member is given: the parameter may have more bytes than the structure */
	bool placed;
	uint64_t offset;		/* byte offset of a member in its structure */
	char *bytes;			/* contents of a file */
};

/* How a launch is expected to end */
struct plan_expect {
	unsigned int line;		/* line of the first expectation; 0 if there is none */
	enum vsm_ptx_outcome outcome;	/* outcome, VSM_PTX_DONE, VSM_PTX_FAULT or VSM_PTX_HANG */
	bool given;			/* an expectation names the outcome */
	bool refused;			/* The launch is refused. @outcome has no meaning. */
	uint64_t fault;			/* enum drm_vsm_fault; 0 if any fault will do */
	char *file;			/* source file; NULL if any place will do */
	uint64_t source_line;		/* line in @file */
	char **texts;			/* texts that the report contains */
	size_t text_count;		/* number of these texts */
};

/* A launch */
struct plan_launch {
	char *kernel;	/* name of the kernel; NULL for the only kernel of the module */
	unsigned int column;		/* column of the name */
	struct vsm_ptx_config config;	/* its configuration, without the seed */
	bool policy_given;		/* the launch names its policy */
	struct plan_arg *args;		/* arguments */
	size_t arg_count;		/* number of arguments */
	struct plan_expect expect;	/* how it is expected to end */
	uint32_t index;			/* number of the kernel, set by plan_check() */
};

/* What is written or printed of a buffer */
struct plan_output {
	struct place place;		/* first byte */
	char *file;			/* file to which it is written; NULL to print it */
	uint64_t count;			/* number of printed elements */
	const struct value_type *type;	/* type of printed elements */
};

/** enum step_kind - Kinds of steps */
enum step_kind {
	STEP_LAUNCH,
	STEP_OUTPUT,
};

/* A step of a plan */
struct plan_step {
	enum step_kind kind;
	unsigned int line;	/* line of the statement; 0 on the command line */
	union {
		struct plan_launch launch;
		struct plan_output output;
	};
};

/* A plan */
struct plan {
	char *path;	/* path of the launch file; of the PTX file, if there is no launch file */
	bool from_file;			/* there is a launch file */
	char *folder;	/* folder to which names of files in the launch file are relative */
	char *module;	/* path of the PTX file; NULL if it could not be determined */
	char *text;			/* contents of the PTX file; NULL until it is read */
	size_t text_size;		/* bytes of @text */
	struct names buffer_names;	/* names of the buffers */
	struct plan_buffer *buffers;
	struct names tensor_names;	/* names of the tensor maps */
	struct plan_tensor *tensors;	/* tensor maps */
	struct plan_step *steps;
	size_t step_count;		/* number of steps */
	unsigned int launch_count;	/* number of steps that are launches */
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
/* Bytes of a member of a structure. */
size_t plan_member_size(const struct plan_arg *member);
/* A member is at a multiple of so many bytes. */
size_t plan_member_align(const struct plan_arg *member);
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

/* Reads the type of the elements. @text->tensor is set. */
bool parse_element_type(struct cursor *c, struct tensor_text *text);
/* Reads the value of a key; with @equal there must be = before it. @where is the key. */
bool parse_tensor_key(struct cursor *c, const char *where, unsigned int key, bool equal,
		      struct tensor_text *text);

/* --- expectations --------------------------------------------------------- */

/* How a launch ended */
struct ending {
	bool refused;			/* It was refused. Only @report is valid. */
	struct vsm_ptx_result result;	/* result of the launch */
	const char *report;		/* report, or why it was refused */
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

/* --- arguments on the command line ---------------------------------------- */

/*
 * Parses @text, the argument with this number, from 1. Adds it to the only launch of the plan, with
 * its buffer, tensor map and outputs. Errors are written to standard error. Returns whether there
 * was none.
 */
bool parse_option_arg(struct plan *plan, unsigned int number, const char *text);

/* --- launch files --------------------------------------------------------- */

/*
 * Parses the text of a launch file into @plan, whose path is set. Errors are written to
 * @errors->out.
 */
void read_launch_file(struct plan *plan, const char *text, size_t size, struct errors *errors);

#endif
