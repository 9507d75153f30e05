/* SPDX-License-Identifier: MIT */
/*
 * Names: those that a scenario gives to things, those of a fixed list, those of errnos and
 * faults. An error suggests the name that the user most likely meant.
 */
#ifndef _TEXT_NAMES_H_
#define _TEXT_NAMES_H_

#include "text/lex.h"

/**
 * struct nearest - Of several names, the one that is most like a word
 * @word: The word
 * @name: Nearest name so far, NULL if no name is near
 * @distance: Its distance
 */
struct nearest {
	struct span word;
	const char *name;
	unsigned int distance;
};

/* Compares another name with the word. */
void nearest_try(struct nearest *nearest, const char *name);

#define MEANT_SIZE 96
/* Writes "; did you mean NAME?" if a name is near, or nothing. Returns @text. */
const char *meant(const struct nearest *nearest, const char *prefix, char text[MEANT_SIZE]);

/**
 * struct names - The names that a scenario gives to things of one kind
 * @names: The names; the index of a name is the number of its thing
 * @count: Number of names
 */
struct names {
	char **names;
	size_t count;
};

/* Index of a name, -1 if there is none. */
int names_find(const struct names *names, struct span name);
/* Appends a name that is not there. Returns its index. */
unsigned int names_add(struct names *names, struct span name);
/* Index of a name; if there is none, -1 and an error that calls the thing @what. */
int names_need(const struct names *names, struct cursor *c, const char *what, struct span name);
/* Reports an error if the name is there. */
bool names_need_new(const struct names *names, struct cursor *c, const char *what,
		    struct span name);
void names_free(struct names *names);

/* Reads one of @count names. Sets @choice to its index. */
bool need_choice(struct cursor *c, const char *const *names, unsigned int count,
		 unsigned int *choice);

/**
 * struct keys - The keys of a statement that has KEY=VALUE
 * @names: The keys
 * @count: Number of keys
 * @value: Reads the value of a key
 * @to: Last argument of @value
 * @where: Set to the place of each key; NULL if the key is not given
 */
struct keys {
	const char *const *names;
	unsigned int count;
	bool (*value)(struct cursor *c, unsigned int key, void *to);
	void *to;
	const char **where;
};

/* Reads the rest of the line. */
bool need_keys(struct cursor *c, const struct keys *keys);

/* Name of an errno, or its number if it has no name. */
const char *errno_name(int error);
/* Reads the name of an errno. */
bool need_errno(struct cursor *c, uint64_t *error);
/* Reads the name of a fault, &enum drm_vsm_fault. Errors call it @what. */
bool need_fault(struct cursor *c, const char *what, uint64_t *fault);

#endif
