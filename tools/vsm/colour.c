// SPDX-License-Identifier: MIT
/* Colours of results on a terminal. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "colour.h"
#include "names.h"
#include "vm.h"

/* Tells this program in a virtual machine whether its output gets colours. */
#define VARIABLE "VSM_VM_COLOR"

#define GREEN "\033[32m"
#define RED "\033[31m"
#define BOLD_RED "\033[1;31m"
#define CYAN "\033[36m"
#define PLAIN "\033[m"

static enum { AUTO, ALWAYS, NEVER } mode;

void colour_option(int choice)
{
	mode = choice;
}

/* Standard output of a virtual machine is no terminal, even if it is shown on one. */
static bool is_terminal(void)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");

	if (vm_inside() && getenv(VARIABLE))
		return true;
	return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") && !(none && *none);
}

bool colour_wanted(void)
{
	if (mode == AUTO)
		mode = is_terminal() ? ALWAYS : NEVER;
	return mode == ALWAYS;
}

void colour_pass_on(void)
{
	if (colour_wanted())
		setenv(VARIABLE, "1", 1);
	else
		unsetenv(VARIABLE);
}

const char *colour_result(bool good)
{
	if (!colour_wanted())
		return good ? "ok" : "not ok";
	return good ? GREEN "ok" PLAIN : RED "not ok" PLAIN;
}

/* Returns the length of FILE:LINE or FILE:LINE:COLUMN in a word, without a last colon, or 0. */
static size_t place_length(struct span word)
{
	size_t length = word.length - (word.length && word.text[word.length - 1] == ':');
	size_t at = length, digits;
	unsigned int numbers;

	for (numbers = 0; numbers < 2; numbers++) {
		for (digits = at; digits && isdigit((unsigned char)word.text[digits - 1]);)
			digits--;
		if (digits == at || !digits || word.text[digits - 1] != ':')
			break;
		at = digits - 1;
	}
	/* 12:30 is no place. */
	return numbers && at && !isdigit((unsigned char)word.text[at - 1]) ? length : 0;
}

static size_t colour_word(FILE *out, struct span word)
{
	size_t length = place_length(word);
	struct span name = word;

	if (length) {
		fprintf(out, CYAN "%.*s" PLAIN, (int)length, word.text);
		return length;
	}
	while (name.length && !isupper((unsigned char)name.text[name.length - 1]))
		name.length--;
	if (!is_fault_name(name))
		return 0;
	fprintf(out, BOLD_RED "%.*s" PLAIN, (int)name.length, name.text);
	return name.length;
}

void colour_write(FILE *out, const char *text, size_t size)
{
	static const char between[] = " \t\n,;()'\"";
	const char *end = text + size;

	if (!colour_wanted()) {
		fwrite(text, 1, size, out);
		return;
	}
	while (text < end) {
		struct span word = { text, 0 };
		size_t done;

		while (text + word.length < end && !strchr(between, text[word.length]))
			word.length++;
		done = colour_word(out, word);
		/* The byte behind a word is between two words. */
		word.length += text + word.length < end;
		fwrite(text + done, 1, word.length - done, out);
		text += word.length;
	}
}
