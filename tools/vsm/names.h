/* SPDX-License-Identifier: MIT */
/*
 * Names: names that a scenario defines, names from a fixed list, and names of errnos and faults. An
 * error about an unknown name suggests the most similar known name.
 */
#ifndef _NAMES_H_
#define _NAMES_H_

#include "vsm_syntax.h"

/* The names that a scenario defines for one kind of object, such as buffers */
struct names {
	char **names;	/* The names. The index of a name is the index of its object. */
	size_t count;	/* number of names */
};

/* Returns the index of a name; -1 if it is not in the list. */
int names_find(const struct names *names, struct span name);
/* Appends a name, which must not be in the list. Returns its index. */
unsigned int names_add(struct names *names, struct span name);
/*
 * Returns the index of a name. If it is not in the list, reports that there is no @what of this
 * name and returns -1.
 */
int names_need(const struct names *names, struct cursor *c, const char *what, struct span name);
/* Reports an error and returns false if the name is in the list. */
bool names_need_new(const struct names *names, struct cursor *c, const char *what,
		    struct span name);
void names_free(struct names *names);

/* Reads one of @count names. Sets @choice to its index. */
bool need_choice(struct cursor *c, const char *const *names, unsigned int count,
		 unsigned int *choice);

/* The keys that a statement can have, as KEY=VALUE */
struct keys {
	const char *const *names;	/* the keys */
	unsigned int count;		/* number of keys */
	/* Function that reads the value of a key */
	bool (*value)(struct cursor *c, unsigned int key, void *to);
	void *to;			/* last argument of @value */
	/* Set by need_keys(): the place of each key in the line; NULL if the key is not given */
	const char **where;
};

/* Reads KEY=VALUE pairs up to the end of the line. */
bool need_keys(struct cursor *c, const struct keys *keys);

/* Returns the name of an errno, or its number if it has no name. */
const char *errno_name(int error);
/* Reads the name of an errno. */
bool need_errno(struct cursor *c, uint64_t *error);
bool is_fault_name(struct span name);
/* Reads the name of a fault. Sets @fault to its &enum drm_vsm_fault. @what is used in the error. */
bool need_fault(struct cursor *c, const char *what, uint64_t *fault);

/* Parses names of faults with commas between them, and adds their rules to @rules. */
bool need_rules(struct cursor *c, uint64_t *rules);

#endif
