/* SPDX-License-Identifier: MIT */
#ifndef _AGENT_H_
#define _AGENT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MSIZE	"msize=262144"	/* option of 9p: the largest message in bytes */

/* The configuration, which the host shares. */
struct configuration {
	const char *cwd, *out, *modules, *unload;
	const char *clock;		/* Unix time, "SECONDS.MICROSECONDS", or NULL */
	const char *seed;		/* 64 hexadecimal digits, 256 random bits, or NULL */
	char *load[64];			/* each has the path of a module, then its parameters */
	char *args[4096], *env[4096], *fetch[64];
	int n_load, n_args, n_env, n_fetch;
	bool merge, input, tty, gdb;
};

extern struct configuration conf;

/* A message from the host: its type, and the size of a terminal if that is MESSAGE_SIZE. */
struct message {
	char type;
	unsigned int rows, columns;
};

#define MESSAGE_CONTINUE 'c'
#define MESSAGE_GO	'g'
#define MESSAGE_SIZE	'w'

/* port.c: the connection to the host, on the virtio port "vsm.ctl" */
extern int port;

void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void fatal(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
/*
 * Opens the virtio port @want. Tries again if it does not exist yet: the host announces ports over
 * a queue, some time after their driver is loaded.
 */
int open_port(const char *want, int flags, int tries);
/* Sends a frame. */
void frame(char type, const void *data, uint32_t len);
/* Sends what can be read from @fd as a frame. Returns false at the end of the file. */
bool pump(int fd, char type);
/* Waits for a message. Returns false if the host has ended. */
bool receive(struct message *message);

/* root.c */
int put_mount(const char *src, const char *dir, const char *type, unsigned long flags,
	      const char *opts);
void need_mount(const char *src, const char *dir, const char *type, unsigned long flags,
		const char *opts);
void enter_root(void);
void set_up_environment(void);
void write_file(const char *path, const char *text);

/* command.c: runs the command. Returns its status as a shell does: 128 + N for signal N. */
int run_command(void);

/*
 * tsc.c: how many thousand times a second the TSC counts. Returns 0 if two measurements differ: the
 * TSC of this machine cannot be relied on.
 */
uint64_t tsc_khz(void);

#endif
