/* SPDX-License-Identifier: MIT */
/*
 * What parses a scenario.
 */
#ifndef _VSM_PARSER_H_
#define _VSM_PARSER_H_

#include "scenario.h"

/**
 * struct parser_thread - What a device thread is up to when the scenario gets here
 * @busy: Line of the statement that it has started, 0 if none
 * @unsure: One of its instructions has an error, so who knows what it has written
 * @written: Registers that it has written
 * @room: Elements of @written
 */
struct parser_thread {
	unsigned int busy;
	bool unsure;
	bool *written;
	size_t room;
};

/**
 * struct parser - A file being parsed
 * @scenario: What comes of it
 * @errors: Its errors
 * @cluster: Line of the cluster statement, 0 if there was none
 * @before: Index of the last statement that is not an expectation, -1 if none
 * @threads: By index, as &scenario.threads
 * @current: Index of the thread of this statement
 * @order: A qualifier of the last instruction that PTX does not have there
 * @order_line: Its line
 * @order_column: Its column
 */
struct parser {
	struct scenario *scenario;
	struct errors errors;
	unsigned int cluster;
	int before;
	struct parser_thread *threads;
	unsigned int current;
	struct ptx_order order;
	unsigned int order_line;
	unsigned int order_column;
};

/* An array with room for one more. Ends the program when memory is short. */
void *grow(void *array, size_t count, size_t size);
struct statement *add_statement(struct parser *p, enum statement_kind kind, unsigned int line);

/* CTA.THREAD */
bool parse_thread(struct parser *p, struct cursor *c, unsigned int *thread);
/* The name of a buffer. */
bool parse_buffer(struct parser *p, struct cursor *c, unsigned int *buffer);
bool parse_rank(struct parser *p, struct cursor *c, unsigned int *rank);
/* Is %name a register that the thread has written? */
int read_register(struct parser *p, struct cursor *c, unsigned int thread, struct span name);
/* Is that thread free? */
bool need_idle(struct parser *p, struct cursor *c, const char *where, unsigned int thread);

/* A qualifier that PTX does not have is an error after all. */
void settle_order(struct parser *p);

bool parse_cluster(struct parser *p, struct cursor *c);
bool parse_expect(struct parser *p, struct cursor *c);

#endif
