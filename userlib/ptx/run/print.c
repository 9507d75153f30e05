// SPDX-License-Identifier: MIT
/*
 * The functions that compilers call and that no module defines: vprintf and __assertfail.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/address.h"
#include "run/fault.h"
#include "run/print.h"
#include "run/state.h"

/* The arguments of the call are in the local memory of the caller's frame. */
static uint64_t argument(const struct ptx_warp *warp, const struct ptx_group *group,
			 const struct ptx_call *call, unsigned int i, uint32_t lane)
{
	const struct ptx_transfer *transfer = &call->transfers[i];
	uint64_t value = 0;

	memcpy(&value, warp->local + lane * warp->local_bytes + group->frame->local_base +
		       transfer->from,
	       transfer->size < sizeof(value) ? transfer->size : sizeof(value));
	return value;
}

static void return_value(const struct ptx_warp *warp, const struct ptx_group *group,
			 const struct ptx_call *call, uint32_t lane, int32_t value)
{
	const struct ptx_transfer *transfer;

	if (call->transfer_count == call->arg_count)
		return;
	transfer = &call->transfers[call->arg_count];
	memcpy(warp->local + lane * warp->local_bytes + group->frame->local_base + transfer->from,
	       &value, transfer->size < sizeof(value) ? transfer->size : sizeof(value));
}

/* Largest length of a string that a kernel may pass. */
#define MAX_TEXT 4096

/* Copies a string of the kernel. Returns false after a fault. */
static bool copy_text(struct ptx_warp *warp, struct ptx_group *group, uint32_t lane,
		      uint64_t address, char text[MAX_TEXT])
{
	unsigned int i;

	for (i = 0; i < MAX_TEXT - 1; i++) {
		const uint8_t *host = ptx_resolve(warp, group, lane, SPACE_GENERIC, address + i,
						  1, false);

		if (!host)
			return false;
		text[i] = *host;
		if (!text[i])
			return true;
	}
	text[i] = 0;
	return true;
}

/** struct specifier - A conversion specification of a format: "%-8.3lld" */
struct specifier {
	char text[24];
	char conversion;
	bool is_long;
};

/* Digits of a width or precision. */
#define MAX_DIGITS 3

/* Reads the specification at @format, which is behind the %. Returns what is behind it. */
static const char *read_specifier(const char *format, struct specifier *specifier)
{
	unsigned int length = 1, digits = 0;

	*specifier = (struct specifier){ .text = "%" };
	for (; *format && strchr("-+ #0123456789.", *format); format++) {
		digits = *format >= '0' && *format <= '9' ? digits + 1 : 0;
		/* Text that no one needs is cut: digits of widths that are too large, and signs. */
		if (length < 12 && digits <= MAX_DIGITS)
			specifier->text[length++] = *format;
	}
	while (*format && strchr("hljztL", *format))
		specifier->is_long |= *format++ != 'h';
	specifier->conversion = *format;
	if (!*format)
		return format;
	if (strchr("diouxX", *format)) {
		specifier->text[length++] = 'l';
		specifier->text[length++] = 'l';
	}
	specifier->text[length++] = *format;
	specifier->text[length] = 0;
	return format + 1;
}

/** struct arguments - The arguments of vprintf, in memory of the kernel */
struct arguments {
	struct ptx_warp *warp;
	struct ptx_group *group;
	uint32_t lane;
	uint64_t address;
};

/* Each argument is at a multiple of its size. */
static bool take_argument(struct arguments *arguments, unsigned int size, uint64_t *value)
{
	uint8_t *host;

	arguments->address = (arguments->address + size - 1) & ~(uint64_t)(size - 1);
	host = ptx_resolve(arguments->warp, arguments->group, arguments->lane, SPACE_GENERIC,
			   arguments->address, size, false);
	if (!host)
		return false;
	*value = 0;
	memcpy(value, host, size);
	arguments->address += size;
	return true;
}

static bool print_one(FILE *out, const struct specifier *s, struct arguments *arguments)
{
	char text[MAX_TEXT];
	uint64_t value;
	double number;

	switch (s->conversion) {
	case 'd':
	case 'i':
		if (!take_argument(arguments, s->is_long ? 8 : 4, &value))
			return false;
		fprintf(out, s->text, s->is_long ? (long long)value : (long long)(int32_t)value);
		return true;
	case 'o':
	case 'u':
	case 'x':
	case 'X':
		if (!take_argument(arguments, s->is_long ? 8 : 4, &value))
			return false;
		fprintf(out, s->text, (unsigned long long)value);
		return true;
	case 'c':
		if (!take_argument(arguments, 4, &value))
			return false;
		fprintf(out, s->text, (int)value);
		return true;
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		if (!take_argument(arguments, 8, &value))
			return false;
		memcpy(&number, &value, sizeof(number));
		fprintf(out, s->text, number);
		return true;
	case 's':
		if (!take_argument(arguments, 8, &value) ||
		    !copy_text(arguments->warp, arguments->group, arguments->lane, value, text))
			return false;
		fprintf(out, s->text, text);
		return true;
	case 'p':
		if (!take_argument(arguments, 8, &value))
			return false;
		fprintf(out, "0x%llx", (unsigned long long)value);
		return true;
	default:
		/* An unknown conversion is printed as it is, as CUDA does. */
		fputs(s->text, out);
		return true;
	}
}

static bool format_text(FILE *out, const char *format, struct arguments *arguments,
			int32_t *count)
{
	*count = 0;
	while (*format) {
		struct specifier specifier;

		if (*format != '%') {
			fputc(*format++, out);
		} else if (format[1] == '%') {
			fputc('%', out);
			format += 2;
		} else {
			format = read_specifier(format + 1, &specifier);
			if (!print_one(out, &specifier, arguments))
				return false;
			++*count;
		}
	}
	return true;
}

static bool print_lane(struct ptx_warp *warp, struct ptx_group *group,
		       const struct ptx_call *call, uint32_t lane)
{
	struct vsm_ptx_launch *launch = ptx_launch_of(warp);
	struct arguments arguments = { .warp = warp, .group = group, .lane = lane };
	char format[MAX_TEXT], *text = NULL;
	int32_t count = 0;
	size_t length;
	bool good;
	FILE *out;

	if (!copy_text(warp, group, lane, argument(warp, group, call, 0, lane), format))
		return false;
	arguments.address = argument(warp, group, call, 1, lane);
	out = open_memstream(&text, &length);
	if (!out) {
		ptx_fail_device(warp, group, lane, -ENOMEM, NULL);
		return false;
	}
	good = format_text(out, format, &arguments, &count);
	if (fclose(out) && good) {
		ptx_fail_device(warp, group, lane, -ENOMEM, NULL);
		good = false;
	}
	if (good && launch->config.print) {
		pthread_mutex_lock(&launch->print_lock);
		launch->config.print(launch->config.print_data, text, length);
		pthread_mutex_unlock(&launch->print_lock);
	}
	free(text);
	return_value(warp, group, call, lane, count);
	return good;
}

bool ptx_print(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	       uint32_t mask)
{
	for (; mask; mask &= mask - 1)
		if (!print_lane(warp, group, step->extra, __builtin_ctz(mask)))
			return false;
	return true;
}

/* __assertfail(message, file, line, function, size of a character) */
bool ptx_assert(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		uint32_t mask)
{
	const struct ptx_call *call = step->extra;
	uint32_t lane = __builtin_ctz(mask);
	char message[MAX_TEXT], file[MAX_TEXT], function[MAX_TEXT];

	if (!copy_text(warp, group, lane, argument(warp, group, call, 0, lane), message) ||
	    !copy_text(warp, group, lane, argument(warp, group, call, 1, lane), file) ||
	    !copy_text(warp, group, lane, argument(warp, group, call, 3, lane), function))
		return false;
	ptx_fail(warp, group, lane, "assertion \"%.200s\" in %.100s of %.100s:%u is false",
		 message, function, file, (uint32_t)argument(warp, group, call, 2, lane));
	return false;
}
