// SPDX-License-Identifier: MIT
/*
 * The terminal, with ncurses.
 */
#include <curses.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base.h"
#include "top/screen.h"

/* Milliseconds after which an escape is the key Esc, and not the beginning of another key. */
#define ESCAPE_MS 50

static SCREEN *screen;
/* Colours are used. */
static bool coloured;

void screen_end(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

/* Pairs of colours. Pair 0 is what the terminal has without colours. */
enum {
	PAIR_NONE,
	PAIR_TITLES,
	PAIR_ALARM,
};

/* Does nothing on a terminal that cannot have colours beside its own. */
static void choose_colours(void)
{
	if (start_color() == ERR || use_default_colors() == ERR || COLOR_PAIRS <= PAIR_ALARM)
		return;
	init_pair(PAIR_TITLES, COLOR_CYAN, -1);
	init_pair(PAIR_ALARM, COLOR_RED, -1);
	coloured = true;
}

bool screen_begin(bool colours)
{
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	atexit(screen_end);
	if (colours && has_colors())
		choose_colours();
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	return true;
}

void screen_resize(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	/* The terminal may have moved what was on it. */
	clearok(stdscr, TRUE);
}

void screen_size(unsigned int *rows, unsigned int *columns)
{
	*rows = getmaxy(stdscr);
	*columns = getmaxx(stdscr);
}

static const struct look {
	attr_t attributes;
	short pair;
} looks[] = {
	[STYLE_PLAIN] = { A_NORMAL, PAIR_NONE },
	[STYLE_SUMMARY] = { A_BOLD, PAIR_NONE },
	[STYLE_TITLES] = { A_NORMAL, PAIR_TITLES },
	[STYLE_FOCUS] = { A_BOLD, PAIR_TITLES },
	[STYLE_CHOSEN] = { A_REVERSE, PAIR_NONE },
	[STYLE_ALARM] = { A_BOLD, PAIR_ALARM },
	[STYLE_FAINT] = { A_DIM, PAIR_NONE },
};

void screen_draw(const struct frame *frame)
{
	const struct line *line;
	const struct look *look;
	unsigned int row;
	short pair;

	erase();
	for (row = 0; row < frame->rows; row++) {
		line = &frame->lines[row];
		if (!line->text)
			continue;
		look = &looks[line->style];
		pair = coloured ? look->pair : PAIR_NONE;
		attr_set(look->attributes, pair, NULL);
		mvaddstr(row, 0, line->text);
		if (line->last > line->first)
			mvchgat(row, line->first, line->last - line->first,
				look->attributes | A_UNDERLINE, pair, NULL);
	}
	attr_set(A_NORMAL, PAIR_NONE, NULL);
	refresh();
}

int screen_key(void)
{
	static const struct {
		int code;
		int key;
	} keys[] = {
		{ KEY_UP, INPUT_UP }, { KEY_DOWN, INPUT_DOWN }, { KEY_LEFT, INPUT_LEFT },
		{ KEY_RIGHT, INPUT_RIGHT }, { KEY_PPAGE, INPUT_PAGE_UP },
		{ KEY_NPAGE, INPUT_PAGE_DOWN }, { KEY_HOME, INPUT_HOME }, { KEY_END, INPUT_END },
		{ KEY_ENTER, INPUT_ENTER }, { '\r', INPUT_ENTER }, { '\n', INPUT_ENTER },
		{ '\033', INPUT_ESCAPE }, { '\t', INPUT_TAB }, { KEY_BTAB, INPUT_BACK_TAB },
		{ KEY_BACKSPACE, INPUT_BACKSPACE }, { '\b', INPUT_BACKSPACE },
		{ 0x7f, INPUT_BACKSPACE },
	};
	int code = getch();
	unsigned int i;

	if (code == ERR)
		return -1;
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].code == code)
			return keys[i].key;
	/* A key that means nothing here. */
	return code < 256 ? code : 0;
}
