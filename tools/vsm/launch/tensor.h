/* SPDX-License-Identifier: MIT */
/*
 * Tensor maps of launch files and of the command line.
 */
#ifndef _LAUNCH_TENSOR_H_
#define _LAUNCH_TENSOR_H_

#include "launch/plan.h"

/* Keys that a tensor map has here in addition to those of &enum tensor_key. */
#define KEY_OFFSET TENSOR_KEYS
#define KEY_IM2COL (TENSOR_KEYS + 1)
#define TENSOR_WORDS (TENSOR_KEYS + 2)

/* The words for the keys. There is none for the type, which has its own place. */
extern const char *const tensor_words[TENSOR_WORDS];

/*
 * Reads the type of the elements. @text->tensor is set.
 */
bool parse_element_type(struct cursor *c, struct tensor_text *text);
/* Reads the value of a key; with @equal there must be = before it. @where is the key. */
bool parse_tensor_key(struct cursor *c, const char *where, unsigned int key, bool equal,
		      struct tensor_text *text);

#endif
