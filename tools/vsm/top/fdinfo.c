// SPDX-License-Identifier: MIT
/*
 * Reads what /proc/PID/fdinfo shows of a client of vsm. Each line is a key, a colon, a value and
 * perhaps a unit, as Documentation/gpu/drm-usage-stats.rst in the kernel says.
 */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "top/fdinfo.h"

static const struct {
	const char *name;
	size_t offset;
} keys[] = {
	{ "drm-engine-copy", offsetof(struct fdinfo, busy) },
	{ "drm-engine-capacity-copy", offsetof(struct fdinfo, capacity) },
	{ "drm-total-memory", offsetof(struct fdinfo, total) },
	{ "drm-shared-memory", offsetof(struct fdinfo, shared) },
	{ "drm-resident-memory", offsetof(struct fdinfo, resident) },
	{ "drm-active-memory", offsetof(struct fdinfo, active) },
	{ "vsm-moved", offsetof(struct fdinfo, moved) },
	{ "vsm-phases", offsetof(struct fdinfo, phases) },
	{ "vsm-faults", offsetof(struct fdinfo, faults) },
};

static bool is_key(const char *line, size_t length, const char *name)
{
	return strlen(name) == length && !strncmp(line, name, length);
}

/* Reads a number, which ends at a space or at the end of its line. */
static bool read_number(const char *text, uint64_t *number, const char **end)
{
	char *after;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*number = strtoull(text, &after, 10);
	*end = after;
	return !errno && (!*after || strchr(" \t\n", *after));
}

/* Reads a value, which may be a size. */
static bool read_value(const char *text, uint64_t *value)
{
	static const char *const units[] = { "", " KiB", " MiB", " GiB" };
	unsigned int i;

	if (!read_number(text, value, &text))
		return false;
	for (i = 1; i < ARRAY_SIZE(units); i++)
		if (!strncmp(text, units[i], strlen(units[i])))
			return !__builtin_mul_overflow(*value, UINT64_C(1) << 10 * i, value);
	return true;
}

static void read_channel(const char *number, uint64_t moved, struct fdinfo *info)
{
	const char *end;
	uint64_t id;

	if (!isdigit((unsigned char)*number))
		return;
	id = strtoull(number, (char **)&end, 10);
	if (*end != ':' || id >= FDINFO_CHANNELS)
		return;
	info->channels |= BIT(id);
	info->channel_moved[id] = moved;
}

static void read_line(const char *line, size_t length, const char *value, struct fdinfo *info)
{
	static const char channel[] = "vsm-moved-";
	uint64_t number;
	unsigned int i;

	if (!read_value(value, &number))
		return;
	if (is_key(line, length, "drm-client-id")) {
		info->device = number >> 32;
		info->client = number;
	}
	if (!strncmp(line, channel, strlen(channel)))
		read_channel(line + strlen(channel), number, info);
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (is_key(line, length, keys[i].name))
			memcpy((char *)info + keys[i].offset, &number, sizeof(number));
}

bool fdinfo_parse(const char *text, struct fdinfo *info)
{
	const char *line, *colon, *value, *end;
	bool is_vsm = false;

	*info = (struct fdinfo){ };
	for (line = text; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		colon = memchr(line, ':', end - line);
		if (!colon)
			continue;
		value = colon + 1;
		while (*value == ' ' || *value == '\t')
			value++;
		if (is_key(line, colon - line, "drm-driver"))
			is_vsm = is_key(value, end - value, "vsm");
		else
			read_line(line, colon - line, value, info);
	}
	return is_vsm && info->client;
}
