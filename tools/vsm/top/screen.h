/* SPDX-License-Identifier: MIT */
/*
 * The terminal, with ncurses.
 */
#ifndef _TOP_SCREEN_H_
#define _TOP_SCREEN_H_

#include "top/frame.h"

/*
 * Takes the terminal. @colours: use colours if it has any. Returns false if TERM names no terminal
 * that ncurses knows. When the program ends, exit() gives the terminal back.
 */
bool screen_begin(bool colours);
/* Gives the terminal back as it was. */
void screen_end(void);
/* Asks the terminal for its size. To be called after SIGWINCH. */
void screen_resize(void);
void screen_size(unsigned int *rows, unsigned int *columns);
void screen_draw(const struct frame *frame);
/* Returns the next key as view_key() takes it, or -1 if there is none now. */
int screen_key(void);

#endif
