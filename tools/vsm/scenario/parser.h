/* SPDX-License-Identifier: MIT */
/*
 * What parses a scenario.
 */
#ifndef _VSM_PARSER_H_
#define _VSM_PARSER_H_

#include "scenario/scenario.h"

/**
 * struct parser_thread - What a device thread is up to when the scenario gets here
 * @busy: Line of the statement that it has started, 0 if none
 * @unsure: One of its instructions has an error, so who knows what it has written
 * @written: Registers that it has written
 * @room: Elements of @written
 * @job: The job that it builds, @job_count instructions long
 * @submitted: It has submitted a job
 */
struct parser_thread {
	unsigned int busy;
	bool unsure;
	bool *written;
	size_t room;
	struct queued *job;
	size_t job_count;
	bool submitted;
};

/**
 * struct parser - A file being parsed
 * @scenario: What comes of it
 * @errors: Its errors
 * @cluster: Line of the cluster statement, 0 if there was none
 * @before: Index of the last statement that is not an expectation, -1 if none
 * @threads: By index, as &scenario.threads
 * @current: Indices of the threads of this statement, @current_count of them
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
	unsigned int *current;
	unsigned int current_count;
	struct ptx_order order;
	unsigned int order_line;
	unsigned int order_column;
};

/* Ends the program when memory is short. */
void *must(void *memory);
/* An array with room for one more. Ends the program when memory is short. */
void *grow(void *array, size_t count, size_t size);
struct statement *add_statement(struct parser *p, enum statement_kind kind, unsigned int line);

/* CTA.THREAD, which is the current thread from now on */
bool parse_thread(struct parser *p, struct cursor *c);
/* The same, or CTA.FIRST-LAST */
bool parse_range(struct parser *p, struct cursor *c);
/* The current threads are those of the statement. */
void set_threads(const struct parser *p, struct statement *statement);
/* Is %name a register that the current threads have written? */
int read_register(struct parser *p, struct cursor *c, struct span name);
/* Are the current threads free? */
bool need_idle(struct parser *p, struct cursor *c, const char *where);
/* Or has each been started? */
bool need_busy(struct parser *p, struct cursor *c, const char *where);

/* A qualifier that PTX does not have is an error after all. */
void settle_order(struct parser *p);

/* scenario_device.c: what the scenario runs on */

/**
 * struct keys - What KEY=VALUE can stand in a statement
 * @names: The keys, @count of them
 * @value: Parses the value of one of them
 * @to: Where to
 * @where: Where each key stands, NULL if it is not given
 */
struct keys {
	const char *const *names;
	unsigned int count;
	bool (*value)(struct cursor *c, unsigned int key, void *to);
	void *to;
	const char **where;
};

/* The rest of the line. */
bool parse_keys(struct cursor *c, const struct keys *keys);
/* One of @count names. */
bool parse_choice(struct cursor *c, const char *const *names, unsigned int count,
		  unsigned int *choice);
/* A number from 1 to @max; @what is its name in errors. */
bool parse_size(struct cursor *c, const char *what, uint32_t max, uint32_t *size);
int known_buffer(void *parser, struct cursor *c, struct span name);
/* BUFFER OFFSET, or RANK OFFSET in a window; @where is that of the offset. */
bool parse_place(struct parser *p, struct cursor *c, struct place *place, const char **where);
/* Do so many bytes fit there? */
bool check_place(struct parser *p, struct cursor *c, const char *where,
		 const struct place *place, uint64_t length);
bool parse_cluster(struct parser *p, struct cursor *c);
bool parse_new_buffer(struct parser *p, struct cursor *c);
bool parse_fill(struct parser *p, struct cursor *c);
bool parse_model(struct parser *p, struct cursor *c);

/* scenario_tensor.c */

int known_map(void *parser, struct cursor *c, struct span name);
bool parse_tensormap(struct parser *p, struct cursor *c);

/* scenario_expect.c */

bool parse_expect(struct parser *p, struct cursor *c);

#endif
