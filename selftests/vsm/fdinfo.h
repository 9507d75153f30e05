/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers to read what /proc/self/fdinfo shows of a client.
 */
#ifndef VSM_TEST_FDINFO_H
#define VSM_TEST_FDINFO_H

#include "vsm_test.h"

/* What fdinfo shows of a client; memory in bytes */
struct usage {
	char driver[16];
	uint64_t id;
	uint64_t busy;		/* ns */
	uint64_t channels;
	uint64_t total;
	uint64_t shared;
	uint64_t resident;
	uint64_t active;
	uint64_t moved;		/* bytes */
	uint64_t phases;
	uint64_t faults;
};

static const struct key {
	const char *name;
	const char *unit;
	size_t offset;
	uint64_t factor;
} keys[] = {
	{ "vsm-moved", "", offsetof(struct usage, moved), 1 },
	{ "vsm-phases", "", offsetof(struct usage, phases), 1 },
	{ "vsm-faults", "", offsetof(struct usage, faults), 1 },
	{ "drm-client-id", "", offsetof(struct usage, id), 1 },
	{ "drm-engine-copy", " ns", offsetof(struct usage, busy), 1 },
	{ "drm-engine-capacity-copy", "", offsetof(struct usage, channels), 1 },
	{ "drm-total-memory", " KiB", offsetof(struct usage, total), 1024 },
	{ "drm-shared-memory", " KiB", offsetof(struct usage, shared), 1024 },
	{ "drm-resident-memory", " KiB", offsetof(struct usage, resident), 1024 },
	{ "drm-active-memory", " KiB", offsetof(struct usage, active), 1024 },
};

/* Returns the index in @keys of the key of a line, and its value; or -EBADMSG. */
static inline int key_parse(const char *line, uint64_t *value)
{
	const char *colon = strchr(line, ':');
	unsigned int i;
	char *end;

	for (i = 0; colon && i < ITEMS(keys); i++) {
		if (strlen(keys[i].name) != colon - line ||
		    strncmp(keys[i].name, line, colon - line))
			continue;
		*value = strtoull(colon + 1, &end, 10);
		return end == colon + 1 || strcmp(end, keys[i].unit) ? -EBADMSG : (int)i;
	}
	return -EBADMSG;
}

/*
 * Reads the fdinfo of a descriptor of this process. Returns 0 if it has each key once and no other
 * key, -ENOENT if the descriptor is not open, -ENODATA if it is not a DRM file, or -EBADMSG.
 */
static inline int usage_read(int fd, struct usage *u)
{
	unsigned int found = 0;
	bool driver = false;
	char path[48], line[128];
	int ret = 0;
	FILE *f;

	memset(u, 0, sizeof(*u));
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (!ret && fgets(line, sizeof(line), f)) {
		uint64_t value;
		int key;

		line[strcspn(line, "\n")] = '\0';
		/* Keys of the kernel, and of each channel. */
		if (strncmp(line, "drm-", 4) &&
		    (strncmp(line, "vsm-", 4) || !strncmp(line, "vsm-moved-", 10)))
			continue;
		if (!driver && sscanf(line, "drm-driver: %15s", u->driver) == 1) {
			driver = true;
			continue;
		}
		key = key_parse(line, &value);
		if (key < 0 || found & 1U << key)
			ret = -EBADMSG;
		else
			*(uint64_t *)((char *)u + keys[key].offset) = value * keys[key].factor;
		found |= 1U << key;
	}
	if (!ret && ferror(f))
		ret = -ENOENT;
	fclose(f);
	if (!ret && !driver && !found)
		return -ENODATA;
	return ret ?: driver && found == (1U << ITEMS(keys)) - 1 ? ret : -EBADMSG;
}

/* Returns the bytes of a channel, or POISON if there is no such channel. */
static inline uint64_t moved_on(int fd, int channel)
{
	char path[48], key[24], line[128];
	uint64_t moved = POISON;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	snprintf(key, sizeof(key), "vsm-moved-%d:", channel);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			moved = strtoull(line + strlen(key), NULL, 10);
	if (f)
		fclose(f);
	return moved;
}

/* The value of a descriptor's fdinfo that must be readable; POISON if it is not. */
#define usage_of(fd, field) \
	({ struct usage u_; usage_read(fd, &u_) ? POISON : u_.field; })

/* Waits until nothing uses the client's memory: operations end a moment after they signal. */
static inline bool becomes_inactive(int fd)
{
	int64_t limit = now_ns() + AMPLE;

	while (usage_of(fd, active)) {
		if (now_ns() > limit)
			return false;
		sched_yield();
	}
	return true;
}

/* Waits until the engine is not busy: its work ends a moment after the last operation. */
static inline uint64_t busy_when_idle(int fd)
{
	uint64_t last, busy = usage_of(fd, busy);

	do {
		last = busy;
		poll(NULL, 0, 10);
		busy = usage_of(fd, busy);
	} while (busy != last);
	return busy;
}

#endif
