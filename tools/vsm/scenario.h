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

#include "ptx.h"

enum statement_kind {
	STATEMENT_BUFFER,
	STATEMENT_FILL,
	STATEMENT_RUN,
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
	EXPECT_ERRNO,
};

/**
 * struct statement - A statement of a scenario
 * @kind: What it does
 * @line: Where it stands
 * @thread: Index of the device thread (run, join, expect suspended or a register)
 * @starts: CTA.THREAD&: goes on without waiting
 * @insn: Instruction (run)
 * @buffer: Index of the buffer (buffer, fill, expect data, expect bytes)
 * @offset: Offset in the buffer
 * @length: Bytes (fill, expect data, expect bytes)
 * @iota: Fill with 0, 1, 2, ... instead of @value
 * @rank: CTA of the window (expect word, expect data)
 * @smem: Offset in the window
 * @reg: Index of the register (expect a register)
 * @value: Number to expect, fault code, errno, or byte to fill with
 * @bytes: Bytes to expect (expect bytes)
 */
struct statement {
	enum statement_kind kind;
	unsigned int line;
	unsigned int thread;
	bool starts;
	bool iota;
	unsigned int buffer;
	unsigned int rank;
	unsigned int reg;
	uint32_t smem;
	uint64_t offset;
	uint64_t length;
	uint64_t value;
	uint8_t *bytes;
	struct instruction *insn;
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
