/* SPDX-License-Identifier: MIT */
/* Colours of results on a terminal. */
#ifndef _COLOUR_H_
#define _COLOUR_H_

#include <stdbool.h>
#include <stdio.h>

/* Takes the value of --color. @choice is its index in "auto always never". */
void colour_option(int choice);
/*
 * Does standard output get colours? It does if it is a terminal, NO_COLOR is not set, and TERM is
 * not "dumb", or if the value of --color is "always".
 */
bool colour_wanted(void);
/* Returns "ok" or "not ok", with a colour if standard output gets colours. */
const char *colour_result(bool good);
/*
 * Writes a text in which the names of faults, and places of the form FILE:LINE, have a colour if
 * standard output gets colours. @out may be a stream that is printed later.
 */
void colour_write(FILE *out, const char *text, size_t size);
/* Lets this program have the same colours in a virtual machine. */
void colour_pass_on(void);

#endif
