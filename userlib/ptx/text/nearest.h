/* SPDX-License-Identifier: MIT */
/*
 * Finds the name that an unknown word may mean. An error about the word can then suggest the name.
 */
#ifndef _PTX_TEXT_NEAREST_H_
#define _PTX_TEXT_NEAREST_H_

#include "text/lex.h"

/**
 * struct nearest - A search for the name that is most similar to a word
 * @word: The word
 * @name: The most similar name so far; NULL if no name is similar
 * @distance: Number of characters in which @name differs from @word
 */
struct nearest {
	struct span word;
	const char *name;
	unsigned int distance;
};

/* Compares @name with the word and keeps it if it is the most similar name so far. */
void nearest_try(struct nearest *nearest, const char *name);

#define MEANT_SIZE 96
/*
 * Writes "; did you mean NAME?" to @text, with @prefix before the name, or nothing if no name is
 * similar. Returns @text.
 */
const char *meant(const struct nearest *nearest, const char *prefix, char text[MEANT_SIZE]);

#endif
