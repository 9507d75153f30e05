// SPDX-License-Identifier: MIT
/* Names: names that a scenario defines, names from a fixed list, and names of errnos and faults. */
#include <stdlib.h>
#include <string.h>
#include <vsm.h>

#include "base.h"
#include "names.h"

/* All errnos and faults have lower numbers. */
#define MAX_ERRNO 256
#define MAX_FAULT 0x400

/* --- names that a scenario defines ---------------------------------------- */

int names_find(const struct names *names, struct span name)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (span_is(name, names->names[i]))
			return i;
	return -1;
}

unsigned int names_add(struct names *names, struct span name)
{
	names->names = grow(names->names, names->count, sizeof(*names->names));
	names->names[names->count] = must(strndup(name.text, name.length));
	return names->count++;
}

int names_need(const struct names *names, struct cursor *c, const char *what, struct span name)
{
	struct nearest nearest = { .word = name };
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	int index = names_find(names, name);
	size_t i;

	if (index >= 0)
		return index;
	for (i = 0; i < names->count; i++)
		nearest_try(&nearest, names->names[i]);
	error_at(c, name.text, "there is no %s %s%s", what, quote(text, name),
		 meant(&nearest, "", hint));
	return -1;
}

bool names_need_new(const struct names *names, struct cursor *c, const char *what,
		    struct span name)
{
	char text[QUOTE_SIZE];

	return names_find(names, name) < 0 ||
	       error_at(c, name.text, "there is a %s %s already", what, quote(text, name));
}

void names_free(struct names *names)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
}

/* --- names from a fixed list, KEY=VALUE ----------------------------------- */

#define LIST_SIZE 256

/* Writes the names to @text, as "a, b or c". A list that is too long is cut off. */
static const char *name_list(const char *const *names, unsigned int count, char text[LIST_SIZE])
{
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < count && used < LIST_SIZE; i++)
		used += snprintf(text + used, LIST_SIZE - used, "%s%s", names[i],
				 i + 2 < count ? ", " : i + 2 == count ? " or " : "");
	return text;
}

bool need_choice(struct cursor *c, const char *const *names, unsigned int count,
		 unsigned int *choice)
{
	struct nearest nearest = { };
	char text[QUOTE_SIZE], hint[MEANT_SIZE], list[LIST_SIZE];
	struct span word;
	unsigned int i;

	word = take_word(c);
	nearest.word = word;
	for (i = 0; i < count; i++) {
		if (span_is(word, names[i])) {
			*choice = i;
			return true;
		}
		nearest_try(&nearest, names[i]);
	}
	c->at = word.text;
	return error_at(c, c->at, "expected %s, found %s%s", name_list(names, count, list),
			found(c, text), meant(&nearest, "", hint));
}

bool need_keys(struct cursor *c, const struct keys *keys)
{
	while (!at_end(c)) {
		const char *where = c->at;
		unsigned int key;

		if (!need_choice(c, keys->names, keys->count, &key))
			return false;
		if (keys->where[key])
			return error_at(c, where, "%s is given twice", keys->names[key]);
		keys->where[key] = where;
		if (!need(c, '=') || !keys->value(c, key, keys->to))
			return false;
	}
	return true;
}

/* --- errnos and faults ---------------------------------------------------- */

const char *errno_name(int error)
{
	static _Thread_local char number[16];
	const char *name = strerrorname_np(error);

	if (name)
		return name;
	snprintf(number, sizeof(number), "%d", error);
	return number;
}

bool need_errno(struct cursor *c, uint64_t *error)
{
	struct span word = take_word(c);
	char text[QUOTE_SIZE];

	for (*error = 1; *error < MAX_ERRNO; ++*error) {
		const char *name = strerrorname_np(*error);

		if (name && span_is(word, name))
			return true;
	}
	c->at = word.text;
	return error_at(c, c->at, "expected the name of an error, such as EIO, found %s",
			found(c, text));
}

bool is_fault_name(struct span name)
{
	unsigned int fault;

	if (!name.length || span_is(name, "UNKNOWN"))
		return false;
	for (fault = 1; fault < MAX_FAULT; fault++)
		if (span_is(name, vsm_fault_name(fault)))
			return true;
	return false;
}

bool need_fault(struct cursor *c, const char *what, uint64_t *fault)
{
	struct span word = take_word(c);
	struct nearest nearest = { .word = word };
	char text[QUOTE_SIZE], hint[MEANT_SIZE];

	for (*fault = 1; *fault < MAX_FAULT; ++*fault) {
		const char *name = vsm_fault_name(*fault);

		if (!strcmp(name, "UNKNOWN"))
			continue;
		if (span_is(word, name))
			return true;
		nearest_try(&nearest, name);
	}
	c->at = word.text;
	return error_at(c, c->at, "expected %s, found %s%s", what, found(c, text),
			meant(&nearest, "", hint));
}

bool need_rules(struct cursor *c, uint64_t *rules)
{
	do {
		uint64_t fault;

		skip_spaces(c);
		if (!need_fault(c, "a rule", &fault))
			return false;
		*rules |= DRM_VSM_RULE(fault);
	} while (take(c, ','));
	return true;
}
