/* SPDX-License-Identifier: MIT */
/*
 * The state of the parser, and what all statements need: threads and registers.
 */
#ifndef _SCENARIO_PARSER_H_
#define _SCENARIO_PARSER_H_

#include "ptx/opcode.h"
#include "scenario/scenario.h"

/* Most threads of a CTA. */
#define MAX_RANGE 1024

/**
 * struct parser_thread - State of a device thread at this point of the scenario
 * @busy: Line of the statement that the thread has started and that may still run; 0 if none
 * @unsure: An instruction of the thread had an error, so any register may have a value
 * @holds: What each register holds, &enum holds
 * @room: Elements of @holds
 * @job: Instructions that the thread has put into its next job
 * @job_count: Number of these instructions
 * @submitted: The thread has submitted a job
 * @tried: A line of the thread is SYNCS.PHASECHK.TRANS64.TRYWAIT
 */
struct parser_thread {
	unsigned int busy;
	bool unsure;
	uint8_t *holds;
	size_t room;
	struct queued *job;
	size_t job_count;
	bool submitted;
	bool tried;
};

/**
 * struct parser - State of the parser
 * @scenario: The scenario
 * @errors: Errors so far
 * @cluster: Line of the cluster statement; 0 if there was none
 * @before: Index of the last statement whose outcome can be expected; -1 if there is none
 * @threads: State of each thread, by its index in the scenario
 * @current: Indices of the threads of this statement
 * @current_count: Number of these threads
 * @order: Error of the last instruction that the device can also find
 * @order_line: Line of this error
 * @order_column: Column of this error
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

/**
 * struct word - A word that begins a statement or an expectation
 * @word: The word
 * @parse: Parses the rest of the line
 */
struct word {
	const char *word;
	bool (*parse)(struct parser *p, struct cursor *c);
};

/* Finds a word. If there is none, returns NULL and sets @nearest to the most similar word. */
const struct word *find_word(const struct word *words, unsigned int count, struct span span,
			     struct nearest *nearest);

/* Reads CTA.THREAD, which becomes the current thread. */
bool parse_thread(struct parser *p, struct cursor *c);
/* Reads CTA.THREAD or CTA.FIRST-LAST. */
bool parse_range(struct parser *p, struct cursor *c);
/* Gives the current threads to a statement. */
void set_threads(const struct parser *p, struct statement *statement);
/* Appends a statement whose outcome can be expected. */
struct statement *add_action(struct parser *p, enum statement_kind kind, unsigned int line);
/* No current thread may still run a statement. */
bool need_idle(struct parser *p, struct cursor *c, const char *where);
/* Each current thread may still run a statement. */
bool need_busy(struct parser *p, struct cursor *c, const char *where);

/*
 * Index of a register that has a value in all current threads; -1 and an error at @where
 * otherwise.
 */
int read_register(struct parser *p, struct cursor *c, const char *where, struct span name);
/*
 * Index of a register, which holds that in all current threads from now on. @guarded: the
 * instruction may leave it as it is. A register without a value then still has none.
 */
int write_register(struct parser *p, struct span name, enum holds holds, bool guarded);
/*
 * What a register holds in all current threads. HOLDS_SEVERAL if they do not agree,
 * HOLDS_NOTHING if it has no value in one of them.
 */
enum holds register_holds(struct parser *p, int reg);

/* No expectation follows for the error that the device can also find: reports it. */
void report_order(struct parser *p);

#endif
