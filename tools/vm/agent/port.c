// SPDX-License-Identifier: MIT
/* The port to the host, and what is sent over it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"

int port = -1;

static void put(const void *data, size_t len)
{
	while (len) {
		ssize_t n = write(port, data, len);

		if (n > 0) {
			data = (const char *)data + n;
			len -= n;
		} else if (n < 0 && errno != EINTR && errno != EAGAIN) {
			return;		/* the host has ended, or sees that there is no result */
		}
	}
}

void frame(char type, const void *data, uint32_t len)
{
	unsigned char head[5] = { type, len, len >> 8, len >> 16, len >> 24 };

	put(head, sizeof(head));
	put(data, len);
}

void log_line(const char *fmt, ...)
{
	char line[900];
	va_list ap;
	int fd, n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';	/* otherwise the kernel waits for the rest of the line */
	fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (write(fd, line, n) < 0)
			(void)!write(2, line, n);
		close(fd);
	}
}

int open_port(const char *want, int flags, int tries)
{
	struct timespec tick = { .tv_nsec = 5 * 1000 * 1000 };

	while (tries--) {
		DIR *dir = opendir("/sys/class/virtio-ports");
		struct dirent *d;

		while (dir && (d = readdir(dir))) {
			char path[PATH_MAX], name[64] = "";
			FILE *f;

			snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", d->d_name);
			f = fopen(path, "re");
			if (!f)
				continue;
			if (fgets(name, sizeof(name), f))
				name[strcspn(name, "\n")] = 0;
			fclose(f);
			if (!strcmp(name, want)) {
				int fd;

				snprintf(path, sizeof(path), "/dev/%s", d->d_name);
				fd = open(path, flags);
				if (fd >= 0) {
					closedir(dir);
					return fd;
				}
			}
		}
		if (dir)
			closedir(dir);
		nanosleep(&tick, NULL);
	}
	return -1;
}

void fatal(const char *fmt, ...)
{
	char text[800];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_line("<0>vsm-vm: %s", text);
	if (port < 0)
		port = open_port("vsm.ctl", O_RDWR | O_CLOEXEC, 100);
	if (port >= 0)
		frame('f', text, n < (int)sizeof(text) ? n : (int)sizeof(text) - 1);
	for (;;)
		pause();
}

bool pump(int fd, char type, unsigned int number)
{
	static char buf[2 + 65536];
	size_t head = number ? 2 : 0;
	ssize_t n = read(fd, buf + head, sizeof(buf) - 2);

	if (number) {
		buf[0] = (char)number;
		buf[1] = (char)(number >> 8);
	}
	if (n > 0)
		frame(type, buf, head + n);
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

static bool get(void *data, size_t size)
{
	size_t used = 0;

	while (used < size) {
		ssize_t n = read(port, (char *)data + used, size - used);

		if (n > 0)
			used += n;
		else if (!n || (errno != EINTR && errno != EAGAIN))
			return false;
	}
	return true;
}

bool receive(struct message *message)
{
	unsigned char data[7];

	if (!get(data, sizeof(data)))
		return false;
	message->type = data[0];
	message->number = data[1] | data[2] << 8;
	message->rows = data[3] | data[4] << 8;
	message->columns = data[5] | data[6] << 8;
	message->size = 0;
	if (message->type != MESSAGE_INPUT)
		return true;
	message->size = message->rows;
	return message->size <= sizeof(message->data) && get(message->data, message->size);
}
