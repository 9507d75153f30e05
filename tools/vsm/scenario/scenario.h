/* SPDX-License-Identifier: MIT */
/* A parsed scenario: straight-line PTX with expectations. It is a file or one test of a file. */
#ifndef _SCENARIO_SCENARIO_H_
#define _SCENARIO_SCENARIO_H_

#include "insn/insn.h"
#include "tensormap.h"

/* EXPECT_SUSPENDED and all kinds after it are expectations. */
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

/* A place in memory */
struct place {
	int buffer;		/* index of the buffer; -1 if the place is in the window of a CTA */
	unsigned int rank;	/* rank of this CTA */
	uint64_t offset;	/* offset in the buffer or the window */
};

/* Parameters of the device's model of time. */
enum model_key {
	MODEL_LATENCY,
	MODEL_BANDWIDTH,
	MODEL_SHUFFLE,
	MODEL_SPLIT,
	MODEL_TIMEOUT,
	MODEL_KEYS,
};

/* Values of some parameters of the model of time */
struct model {
	unsigned int given;		/* mask of the parameters that have a value */
	uint64_t values[MODEL_KEYS];	/* value of each parameter */
};

/* An instruction of a job */
struct queued {
	unsigned int line;		/* line of the instruction */
	struct instruction *insn;	/* the instruction */
};

/* Number of copy channels that a scenario can use. */
#define SCENARIO_CHANNELS 16

/**
 * struct statement - A statement of a scenario; a field is only for the kinds in parentheses
 * @kind: Kind of the statement
 * @line: Line of the statement
 * @threads: Indices of the device threads: one thread (submit, expect a job), or one or several
 *	(run, join, expect suspended, expect a register)
 * @thread_count: Number of these threads
 * @starts: The statement has an &: the scenario does not wait for the instruction (run)
 * @warp: The statement has an *: the converged warp of the thread executes the instruction (run)
 * @iota: The bytes are 0, 1, 2, ...; otherwise all bytes are @value (fill)
 * @buffer: Index of the buffer (buffer)
 * @at: First byte (fill, expect word, expect data, expect bytes)
 * @other: First byte of the data that must be equal (expect data)
 * @length: Number of bytes (fill, expect data, expect bytes)
 * @reg: Index of the register (expect a register)
 * @value: Expected number, fault or errno (expect); the byte (fill)
 * @values: Expected number in each thread; NULL if @value is expected in all (expect a register)
 * @bytes: Expected bytes (expect bytes)
 * @insn: Instruction (run)
 * @job: Instructions of the job (submit)
 * @job_count: Number of these instructions
 * @channel: Copy channel (submit)
 * @tensor: Tensor map (tensormap)
 * @model: Parameters (model)
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

struct scenario_thread {
	uint16_t cta;
	uint16_t thread;
};

/* A file or one test of a file */
struct scenario {
	const char *path;			/* path of the file */
	char *name;	/* name of the test; NULL if the scenario is the whole file */
	/* Line of the statement test; 0 if the scenario is the whole file */
	unsigned int line;
	unsigned int cluster_line;		/* line of the cluster statement */
	struct vsm_cluster_config config;	/* configuration of the cluster */
	struct statement *statements;	/* statements in order, without the cluster statement */
	size_t count;				/* number of statements */
	struct names buffers;			/* names of buffers */
	uint64_t *buffer_sizes;			/* bytes of each buffer */
	struct names maps;			/* names of tensor maps */
	struct names symbols;			/* names of places in shared memory */
	uint64_t *symbol_offsets;		/* offset of each symbol in the window */
	struct names registers;			/* names of registers */
	struct scenario_thread *threads;	/* device threads of the scenario */
	size_t thread_count;			/* number of these threads */
	unsigned int error_count;		/* number of errors */
	char *errors;				/* text of the errors, each in a line */
};

/* Returns a new scenario without statements. @path must remain valid as long as the scenario. */
struct scenario *scenario_create(const char *path);
void scenario_free(struct scenario *scenario);

struct statement *scenario_add(struct scenario *scenario, enum statement_kind kind,
			       unsigned int line);
void job_free(struct queued *job, size_t count);

#endif
