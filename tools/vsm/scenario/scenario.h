/* SPDX-License-Identifier: MIT */
/*
 * A scenario: a file of straight-line PTX with expectations, parsed.
 */
#ifndef _VSM_SCENARIO_H_
#define _VSM_SCENARIO_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vsm.h>

#include "ptx/form.h"

enum statement_kind {
	STATEMENT_BUFFER,
	STATEMENT_FILL,
	STATEMENT_TENSORMAP,
	STATEMENT_MODEL,
	STATEMENT_RUN,
	STATEMENT_SUBMIT,
	STATEMENT_JOIN,
	STATEMENT_HOLD,
	STATEMENT_RELEASE,
	/* expectations from here on */
	EXPECT_SUSPENDED,
	EXPECT_REGISTER,
	EXPECT_WORD,
	EXPECT_DATA,
	EXPECT_BYTES,
	EXPECT_FAULT,
	EXPECT_REPORT,
	EXPECT_ERRNO,
	EXPECT_JOB,
};

/**
 * struct place - A place in memory
 * @buffer: Index of the buffer, -1 if it is a window
 * @rank: CTA of the window
 * @offset: Offset in the buffer or the window
 */
struct place {
	int buffer;
	unsigned int rank;
	uint64_t offset;
};

/* What one may set of the device's model of time. */
enum model_key {
	MODEL_LATENCY,
	MODEL_BANDWIDTH,
	MODEL_SHUFFLE,
	MODEL_SPLIT,
	MODEL_TIMEOUT,
	MODEL_KEYS,
};

/**
 * struct model - What a model statement sets
 * @given: Mask of the keys
 * @values: Their values
 */
struct model {
	unsigned int given;
	uint64_t values[MODEL_KEYS];
};

/**
 * struct tensor - What a tensormap statement says; lists innermost first
 * @map: Index of the tensor map
 * @buffer: Index of the buffer
 * @offset: Offset in it
 * @mode: &enum drm_vsm_tensor_mode
 * @rank: Dimensions
 * @type: &enum drm_vsm_tensor_type
 * @interleave: &enum drm_vsm_tensor_interleave
 * @swizzle: &enum drm_vsm_tensor_swizzle
 * @fill: &enum drm_vsm_tensor_fill
 * @dims: Elements of each dimension
 * @strides: Bytes from one to the next of each dimension but the innermost
 * @element_strides: Every how many-th element is copied
 * @box: Elements of the box (tiled)
 * @lower: Lower corner of the bounding box (im2col)
 * @upper: Upper corner
 * @channels: Channels of a pixel
 * @pixels: Pixels of a column
 */
struct tensor {
	unsigned int map;
	unsigned int buffer;
	uint64_t offset;
	unsigned int mode;
	unsigned int rank;
	unsigned int type;
	unsigned int interleave;
	unsigned int swizzle;
	unsigned int fill;
	uint64_t dims[5];
	uint64_t strides[4];
	uint32_t element_strides[5];
	uint32_t box[5];
	int lower[3];
	int upper[3];
	uint32_t channels;
	uint32_t pixels;
};

/**
 * struct queued - An instruction of a job
 * @line: Where it stands
 * @insn: The instruction
 */
struct queued {
	unsigned int line;
	struct instruction *insn;
};

/* Copy channels that a scenario can name. */
#define SCENARIO_CHANNELS 16

/**
 * struct statement - A statement of a scenario
 * @kind: What it does
 * @line: Where it stands
 * @threads: Indices of the device threads, @thread_count of them: one, or those of a range
 *	(run, join, expect suspended, a register) or one (submit, expect a job)
 * @starts: CTA.THREAD&: goes on without waiting
 * @warp: CTA.THREAD*: as the converged warp of the thread
 * @iota: Fill with 0, 1, 2, ... instead of @value
 * @buffer: Index of the buffer (buffer)
 * @at: Where (fill, expect word, expect data, expect bytes)
 * @other: What it shall equal (expect data)
 * @length: Bytes (fill, expect data, expect bytes)
 * @reg: Index of the register (expect a register)
 * @value: Number to expect, fault code, errno, or byte to fill with
 * @values: Numbers to expect in the register of each thread, if not @value in all
 * @bytes: Bytes to expect (expect bytes)
 * @insn: Instruction (run)
 * @job: Instructions of the job, @job_count of them (submit)
 * @channel: Copy channel (submit)
 * @tensor: Tensor map (tensormap)
 * @model: Model of time (model)
 */
struct statement {
	enum statement_kind kind;
	unsigned int line;
	unsigned int *threads;
	unsigned int thread_count;
	bool starts;
	bool warp;
	bool iota;
	unsigned int buffer;
	struct place at;
	struct place other;
	uint64_t length;
	unsigned int reg;
	uint64_t value;
	uint64_t *values;
	uint8_t *bytes;
	struct instruction *insn;
	struct queued *job;
	size_t job_count;
	unsigned int channel;
	struct tensor *tensor;
	struct model model;
};

struct scenario_buffer {
	char *name;
	uint64_t size;
};

struct scenario_thread {
	uint16_t cta;
	uint16_t thread;
};

/**
 * struct scenario - A file
 * @path: Its path
 * @cluster_line: Line of the cluster statement
 * @config: The cluster
 * @statements: Statements, in order, but for the cluster
 * @count: Number of them
 * @buffers: Buffers, @buffer_count of them
 * @maps: Names of tensor maps, @map_count of them
 * @threads: Device threads that appear, @thread_count of them
 * @registers: Names of registers without %, @register_count of them
 * @error_count: Errors
 * @errors: The errors, each on a line
 */
struct scenario {
	const char *path;
	unsigned int cluster_line;
	struct vsm_cluster_config config;
	struct statement *statements;
	size_t count;
	struct scenario_buffer *buffers;
	size_t buffer_count;
	char **maps;
	size_t map_count;
	struct scenario_thread *threads;
	size_t thread_count;
	char **registers;
	size_t register_count;
	unsigned int error_count;
	char *errors;
};

/* Reads and parses a file: look at @error_count. @path must stay. */
struct scenario *scenario_read(const char *path);
void scenario_free(struct scenario *scenario);

/* Name of an errno, a number if it has none. */
const char *errno_name(int error);
/* The errno of that name, 0 if there is none. */
int errno_by_name(struct span name);
/* The fault of that name, &enum drm_vsm_fault; 0 if there is none. */
uint32_t fault_by_name(struct span name, struct nearest *nearest);

#endif
