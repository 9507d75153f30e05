/* SPDX-License-Identifier: MIT */
/* The state of the parser, and functions for all statements: threads and registers. */
#ifndef _SCENARIO_PARSER_H_
#define _SCENARIO_PARSER_H_

#include "scenario/scenario.h"
#include "vsm_syntax.h"

/* Most threads of a CTA. */
#define MAX_RANGE 1024

/**
 * struct parser_thread - State of a device thread at this point of the scenario
 * @busy: Line of the instruction with & that the thread may still execute; 0 if there is none
 * @unsure: An instruction of the thread had an error. It may have written any register, so that
 *	reads of unwritten registers are not reported
 * @holds: What each register holds, &enum holds
 * @size: Number of elements of @holds
 * @job: Instructions that the thread has put into its next job
 * @job_count: Number of these instructions
 * @submitted: The thread has submitted a job
 * @tried: The thread has had an instruction SYNCS.PHASECHK.TRANS64.TRYWAIT
 */
struct parser_thread {
	unsigned int busy;
	bool unsure;
	uint8_t *holds;
	size_t size;
	struct queued *job;
	size_t job_count;
	bool submitted;
	bool tried;
};

/**
 * struct parser - State of the parser
 * @scenario: The scenario
 * @errors: Errors so far
 * @cluster: Line of the cluster statement; 0 if there was none so far
 * @before: Index of the statement to which an expectation of an outcome refers; -1 if there is none
 * @threads: State of each thread, indexed as the threads of the scenario
 * @current: Indices of the threads of the current statement
 * @current_count: Number of elements of @current
 * @order: The wrong .sem or .scope of the last instruction. It is reported if the scenario does not
 *	expect that the device finds it
 * @order_line: Line of the wrong .sem or .scope
 * @order_column: Column of the wrong .sem or .scope
 */
struct parser {
	struct scenario *scenario;
	struct errors errors;
	unsigned int cluster;
	int before;
	struct parser_thread *threads;
	unsigned int current[MAX_RANGE];
	unsigned int current_count;
	struct ptx_order order;
	unsigned int order_line;
	unsigned int order_column;
};

/* A word that begins a statement or an expectation */
struct word {
	const char *word;
	bool (*parse)(struct parser *p, struct cursor *c);	/* parses the rest of the line */
};

/* Finds a word. If there is none, returns NULL and sets @nearest to the most similar word. */
const struct word *find_word(const struct word *words, unsigned int count, struct span span,
			     struct nearest *nearest);

/* Reads CTA.THREAD and makes it the only current thread. */
bool parse_thread(struct parser *p, struct cursor *c);
/* Reads CTA.THREAD or CTA.FIRST-LAST and makes these threads the current threads. */
bool parse_range(struct parser *p, struct cursor *c);
/* Copies the current threads to a statement. */
void set_threads(const struct parser *p, struct statement *statement);
/* Appends a statement whose outcome can be expected. */
struct statement *add_action(struct parser *p, enum statement_kind kind, unsigned int line);
/* Reports an error if a current thread may still execute an instruction with &. */
bool need_idle(struct parser *p, struct cursor *c, const char *where);
/* Reports an error unless each current thread may still execute an instruction with &. */
bool need_busy(struct parser *p, struct cursor *c, const char *where);

/*
 * Returns the index of a register. If it has no value in one of the current threads, reports an
 * error at @where and returns -1.
 */
int read_register(struct parser *p, struct cursor *c, const char *where, struct span name);
/*
 * Returns the index of a register. Notes that it holds @holds from now on in all current threads.
 * @guarded: a guard may prevent the write. A register without a value then remains without one.
 */
int write_register(struct parser *p, struct span name, enum holds holds, bool guarded);
/*
 * Returns what a register holds in the current threads: HOLDS_NOTHING if it has no value in one of
 * them, HOLDS_SEVERAL if it is not the same in all.
 */
enum holds register_holds(struct parser *p, int reg);

/* Reports a wrong .sem or .scope in @order for which the scenario has no expectation. */
void report_order(struct parser *p);

/* --- places in memory ----------------------------------------------------- */

/*
 * Reads a place in a buffer, BUFFER OFFSET, or in the window of a CTA, RANK OFFSET. Sets @where to
 * the OFFSET in the line.
 */
bool parse_place(struct parser *p, struct cursor *c, struct place *place, const char **where);
/* Reports an error at @where if there are less than @length bytes at the place. */
bool check_place(struct parser *p, struct cursor *c, const char *where,
		 const struct place *place, uint64_t length);
/* buffer NAME SIZE */
bool parse_new_buffer(struct parser *p, struct cursor *c);
/* symbol NAME OFFSET */
bool parse_new_symbol(struct parser *p, struct cursor *c);
/* Parses "fill PLACE LENGTH BYTE" or "fill PLACE LENGTH iota" behind the first word. */
bool parse_fill(struct parser *p, struct cursor *c);

/* --- tensormap ------------------------------------------------------------ */

/* Parses "tensormap NAME BUFFER[+OFFSET] KEY=VALUE..." behind the first word. */
bool parse_tensormap(struct parser *p, struct cursor *c);

/* cluster KEY=VALUE... */
bool parse_cluster(struct parser *p, struct cursor *c);
/* model KEY=VALUE... */
bool parse_model(struct parser *p, struct cursor *c);

#endif
